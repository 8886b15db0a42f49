//! Numbers that a file gives as text or as bytes: the same grammar reads both.

use pliant::glam::Vec3;

use super::binary::{Binary, Scalar};
use super::error::{Fault, Place};
use super::text::{Text, bounded};

/// Largest integer that every `f64` up to it can name exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Where numbers come from.
pub(super) enum Values<'a> {
    Text(Text<'a>),
    Binary(Binary<'a>),
}

impl Values<'_> {
    /// The next number, of type `scalar` if the file is binary.
    pub(super) fn number(&mut self, scalar: Scalar, what: &str) -> Result<f64, Fault> {
        match self {
            Self::Text(text) => text.number(what),
            Self::Binary(binary) => binary.number(scalar, what),
        }
    }

    /// The next number as an `f32` that is finite.
    pub(super) fn float(&mut self, scalar: Scalar, what: &str) -> Result<f32, Fault> {
        let place = self.place();
        finite(self.number(scalar, what)?, place)
    }

    /// Three of them.
    pub(super) fn point(&mut self, scalar: Scalar, what: &str) -> Result<Vec3, Fault> {
        Ok(Vec3::new(
            self.float(scalar, what)?,
            self.float(scalar, what)?,
            self.float(scalar, what)?,
        ))
    }

    /// The next number, which must be 0, 1, 2 …
    pub(super) fn index(&mut self, scalar: Scalar, what: &str) -> Result<u64, Fault> {
        let place = self.place();
        whole(self.number(scalar, what)?, what, place)
    }

    /// The next number as a count of things of at least `bytes` each (see [`Values::least`]).
    pub(super) fn count(
        &mut self,
        scalar: Scalar,
        what: &str,
        bytes: usize,
    ) -> Result<usize, Fault> {
        let count = self.index(scalar, &format!("the number of {what}"))?;
        self.bound(count, what, bytes)
    }

    /// `count` if that many things of at least `bytes` each can follow.
    pub(super) fn bound(&self, count: u64, what: &str, bytes: usize) -> Result<usize, Fault> {
        match self {
            Self::Text(text) => bounded(count, text.left() + 1, bytes, what, text.place()),
            Self::Binary(binary) => binary.bound(count, bytes, what),
        }
    }

    /// The fewest bytes that `count` numbers take: a digit and a space each, or their size.
    pub(super) fn least(&self, scalar: Scalar, count: usize) -> usize {
        match self {
            Self::Text(_) => 2 * count,
            Self::Binary(_) => scalar.size() * count,
        }
    }

    /// Where the reader is.
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Text(text) => text.place(),
            Self::Binary(binary) => binary.place(),
        }
    }
}

/// A number of a file as a coordinate.
pub(super) fn finite(value: f64, place: Place) -> Result<f32, Fault> {
    let single = value as f32;
    if single.is_finite() {
        return Ok(single);
    }
    Err(Fault::expected(place, "a finite number", &value.to_string()))
}

/// A number of a file as a count or an index.
pub(super) fn whole(value: f64, what: &str, place: Place) -> Result<u64, Fault> {
    if (0.0..EXACT).contains(&value) && value.trunc() == value {
        return Ok(value as u64);
    }
    Err(Fault::expected(place, what, &value.to_string()))
}
