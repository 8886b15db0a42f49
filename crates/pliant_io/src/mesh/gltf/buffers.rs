//! Where the bytes of a glTF file are: inside it, written as letters in it, or beside it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::binary::{Binary, Order, Scalar};
use super::super::error::{Fault, Place};
use super::super::{Beside, Cause, LARGEST, base64};
use super::schema::{Buffer, Root};
use super::{missing, refused};

const MAGIC: &[u8] = b"glTF";
const JSON: u64 = 0x4e4f_534a;
const BIN: u64 = 0x004e_4942;

/// The JSON of a file, and the bytes behind it if it is a GLB.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    if !bytes.starts_with(MAGIC) {
        return Ok((bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), None));
    }
    let mut input = Binary::new(bytes, MAGIC.len(), Order::Little);
    let version = input.number(Scalar::U32, "a version")? as u32;
    if version != 2 {
        return Err(Fault::unsupported(
            Place::Byte(4),
            format!("GLB version {version}"),
            "save the scene as version 2",
        ));
    }
    let length = input.number(Scalar::U32, "the length of the file")? as usize;
    if length != bytes.len() {
        let expected = format!("{length} bytes in all, as announced");
        return Err(Fault::expected(Place::Byte(8), &expected, &bytes.len().to_string()));
    }
    let json = chunk(&mut input, JSON, "the chunk JSON")?;
    // The other chunk may be missing; what comes after it is for extensions.
    let binary =
        if input.left() > 0 { Some(chunk(&mut input, BIN, "the chunk BIN")?) } else { None };
    Ok((json, binary))
}

fn chunk<'a>(input: &mut Binary<'a>, kind: u64, what: &str) -> Result<&'a [u8], Fault> {
    let length = input.number(Scalar::U32, "the length of a chunk")? as usize;
    let place = input.place();
    let found = input.number(Scalar::U32, "the kind of a chunk")? as u64;
    if found != kind {
        return Err(Fault::expected(place, what, &format!("a chunk of kind {found:#x}")));
    }
    input.take(length, what)
}

/// The buffers, read when they are first used.
pub(super) struct Buffers<'a> {
    buffers: &'a [Buffer],
    binary: Option<&'a [u8]>,
    beside: &'a Beside<'a>,
    /// By name, because several may have one.
    read: BTreeMap<&'a str, Rc<Vec<u8>>>,
    loaded: usize,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(root: &'a Root, binary: Option<&'a [u8]>, beside: &'a Beside<'a>) -> Self {
        Self { buffers: &root.buffers, binary, beside, read: BTreeMap::new(), loaded: 0 }
    }

    /// Calls `read` with the bytes from `start` on, `length` of them.
    pub(super) fn range<T>(
        &mut self,
        index: usize,
        [start, length]: [usize; 2],
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Fault> {
        let place = Place::Entry(format!("buffers[{index}]"));
        let buffer =
            self.buffers.get(index).ok_or_else(|| missing("buffer", index, self.buffers.len()))?;
        let shared;
        let bytes = match &buffer.uri {
            Some(uri) => {
                shared = self.load(uri, &place)?;
                shared.as_slice()
            }
            // Only the first buffer can be the one behind the JSON.
            None => self.binary.filter(|_| index == 0).ok_or_else(|| {
                Fault::expected(place.clone(), "a uri, or bytes behind the JSON", "neither")
            })?,
        };
        if bytes.len() < buffer.byte_length {
            let expected = format!("{} bytes, as announced", buffer.byte_length);
            return Err(Fault::expected(place, &expected, &bytes.len().to_string()));
        }
        let end = start.checked_add(length).filter(|end| *end <= buffer.byte_length);
        match end {
            Some(end) => Ok(read(&bytes[start..end])),
            None => {
                let expected = format!("{length} bytes from byte {start} on");
                let found = format!("{} bytes in all", buffer.byte_length);
                Err(Fault::expected(place, &expected, &found))
            }
        }
    }

    /// The bytes that a uri of the file stands for.
    pub(super) fn uri(&mut self, uri: &'a str, place: &Place) -> Result<Vec<u8>, Fault> {
        self.load(uri, place).map(|bytes| bytes.to_vec())
    }

    /// How much was read from other files, or decoded (bytes).
    pub(super) fn loaded(&self) -> usize {
        self.loaded
    }

    fn load(&mut self, uri: &'a str, place: &Place) -> Result<Rc<Vec<u8>>, Fault> {
        if let Some(bytes) = self.read.get(uri) {
            return Ok(Rc::clone(bytes));
        }
        let bytes = match uri.strip_prefix("data:") {
            Some(data) => inline(data, place)?,
            None => (self.beside)(uri).map_err(|cause| refused(place.clone(), cause))?,
        };
        let total = self.loaded as u64 + bytes.len() as u64;
        if total > LARGEST {
            return Err(refused(place.clone(), Cause::TooLarge { bytes: total, limit: LARGEST }));
        }
        self.loaded += bytes.len();
        let bytes = Rc::new(bytes);
        self.read.insert(uri, Rc::clone(&bytes));
        Ok(bytes)
    }
}

/// What follows `data:`, such as `application/octet-stream;base64,AAAA`.
fn inline(data: &str, place: &Place) -> Result<Vec<u8>, Fault> {
    let wrong = |found: &str| Fault::expected(place.clone(), "a data uri in base64", found);
    let (kind, letters) = data.split_once(',').ok_or_else(|| wrong("one without a comma"))?;
    if !kind.ends_with(";base64") {
        return Err(wrong("one in another encoding"));
    }
    base64::decode(letters.as_bytes())
        .map_err(|at| wrong(&format!("a wrong letter {at} behind the comma")))
}
