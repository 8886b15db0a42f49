//! Numbers of binary files, with the byte at which they stand.

use super::error::{Fault, Place};
use super::text::bounded;

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// Its size (bytes).
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The number in the first bytes, of which there are at least [`Scalar::size`].
    pub(super) fn read(self, bytes: &[u8], order: Order) -> f64 {
        let mut word = [0; 8];
        let size = self.size();
        word[..size].copy_from_slice(&bytes[..size]);
        if order == Order::Big {
            word[..size].reverse();
        }
        let all = u64::from_le_bytes(word);
        match self {
            Self::I8 => f64::from(all as i8),
            Self::U8 => f64::from(all as u8),
            Self::I16 => f64::from(all as i16),
            Self::U16 => f64::from(all as u16),
            Self::I32 => f64::from(all as i32),
            Self::U32 => f64::from(all as u32),
            Self::I64 => all as i64 as f64,
            Self::U64 => all as f64,
            Self::F32 => f64::from(f32::from_bits(all as u32)),
            Self::F64 => f64::from_bits(all),
        }
    }
}

/// Reads numbers one after the other.
#[derive(Clone)]
pub(super) struct Binary<'a> {
    bytes: &'a [u8],
    at: usize,
    order: Order,
}

impl<'a> Binary<'a> {
    /// Starts at byte `at`.
    pub(super) fn new(bytes: &'a [u8], at: usize, order: Order) -> Self {
        Self { bytes, at: at.min(bytes.len()), order }
    }

    /// The next `size` bytes.
    pub(super) fn take(&mut self, size: usize, what: &str) -> Result<&'a [u8], Fault> {
        let rest = &self.bytes[self.at..];
        let Some(taken) = rest.get(..size) else {
            let found = format!("the end of the file after {} of {size} bytes", rest.len());
            return Err(Fault::expected(self.place(), what, &found));
        };
        self.at += size;
        Ok(taken)
    }

    /// The next number.
    pub(super) fn number(&mut self, scalar: Scalar, what: &str) -> Result<f64, Fault> {
        let order = self.order;
        Ok(scalar.read(self.take(scalar.size(), what)?, order))
    }

    /// `count` if that many things of at least `bytes` each can follow.
    pub(super) fn bound(&self, count: u64, bytes: usize, what: &str) -> Result<usize, Fault> {
        bounded(count, self.left(), bytes, what, self.place())
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The number of the byte that is read next.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Where the reader is.
    pub(super) fn place(&self) -> Place {
        Place::Byte(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_sign_and_order() {
        let bytes = [0xff, 0xfe, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00];
        assert_eq!(Scalar::I8.read(&bytes, Order::Little), -1.0);
        assert_eq!(Scalar::I16.read(&bytes, Order::Little), -257.0);
        assert_eq!(Scalar::U16.read(&bytes, Order::Big), 65534.0);
        assert_eq!(Scalar::F32.read(&bytes[2..], Order::Little), 1.0);
        assert_eq!(Scalar::F64.read(&1.5f64.to_be_bytes(), Order::Big), 1.5);
    }

    #[test]
    fn the_end_is_reported_where_it_is() {
        let mut binary = Binary::new(&[1, 2, 3], 1, Order::Little);
        let error = binary.number(Scalar::F32, "a coordinate").unwrap_err();
        assert!(error.to_string().contains("byte 1: expected a coordinate"), "{error}");
    }
}
