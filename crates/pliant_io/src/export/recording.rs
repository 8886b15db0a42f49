//! A recording: frames as they are, to be turned into any other format later.
//!
//! ```text
//! "PLIANTRC", version u32
//! per frame: length u64 of the rest, checksum u32, time f64, parts, cells
//! list: count u32, then its members; text: length u32, UTF-8
//! ```
//!
//! All numbers are little-endian. A frame whose bytes are not all there, or not those of its
//! checksum, was being written when something ended the program; the frames before it are whole.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Crc;
use pliant::glam::Vec3;

use super::error::at;
use super::{Attribute, Cells, ExportError, Format, Frame, Part, Target, Writer, Written};

pub(super) const FORMAT: Format = Format {
    name: "recording",
    about: "our own, complete and appendable; `pliant convert` turns it into the others",
    create: |target| Ok(Box::new(Recorder::create(target)?)),
};

const MAGIC: &[u8; 8] = b"PLIANTRC";
const VERSION: u32 = 1;
/// Numbers that vertices have; a recording may hold others in future.
const ATTRIBUTES: [&str; 2] = ["speed", "strain"];
/// Most bytes of a frame (2 GiB).
const LARGEST: u64 = 1 << 31;

struct Recorder {
    path: PathBuf,
    file: File,
}

impl Recorder {
    fn create(target: &Target) -> Result<Self, ExportError> {
        let path = target.path(".recording");
        let mut file = File::create(&path).map_err(at(&path))?;
        let header = [MAGIC.as_slice(), &VERSION.to_le_bytes()].concat();
        file.write_all(&header).map_err(at(&path))?;
        Ok(Self { path, file })
    }
}

impl Writer for Recorder {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        let mut content = Vec::new();
        frame.encode(&mut content);
        let mut crc = Crc::new();
        crc.update(&content);
        let mut bytes = (content.len() as u64 + 4).to_le_bytes().to_vec();
        bytes.extend(crc.sum().to_le_bytes());
        bytes.extend(content);
        let write = |file: &mut File| {
            file.write_all(&bytes)?;
            file.sync_data()
        };
        write(&mut self.file).map_err(at(&self.path))
    }

    fn finish(self: Box<Self>) -> Result<Written, ExportError> {
        let hint = format!("pliant convert {} --to usd", self.path.display());
        Ok(Written { files: vec![self.path], hint })
    }
}

/// The frames of a recording, one after the other.
pub struct Recording {
    path: PathBuf,
    file: BufReader<File>,
    frames: usize,
    ended: bool,
}

impl Recording {
    /// Opens a recording.
    ///
    /// # Errors
    /// If the file cannot be read, or is none.
    pub fn open(path: &Path) -> Result<Self, ExportError> {
        let mut file = BufReader::new(File::open(path).map_err(at(path))?);
        let mut header = [0; 12];
        let read = file.read_exact(&mut header);
        let [.., a, b, c, d] = header;
        if read.is_err() || header[..8] != *MAGIC || u32::from_le_bytes([a, b, c, d]) != VERSION {
            let found = "this is no recording of version 1".to_owned();
            return Err(ExportError::Damaged { path: path.into(), frame: 0, found });
        }
        Ok(Self { path: path.into(), file, frames: 0, ended: false })
    }

    fn next_frame(&mut self) -> Result<Option<Frame>, Bad> {
        let mut length = [0; 8];
        match self.file.read(&mut length[..1]).map_err(Bad::Io)? {
            0 => return Ok(None),
            _ => self.file.read_exact(&mut length[1..]).map_err(Bad::Io)?,
        }
        let length = u64::from_le_bytes(length);
        if length > LARGEST {
            return Err(Bad::Content("a length beyond 2 GiB"));
        }
        // Grows with what is there, not with what the file says.
        let mut bytes = Vec::new();
        (&mut self.file).take(length).read_to_end(&mut bytes).map_err(Bad::Io)?;
        let (sum, content) =
            bytes.split_at_checked(4).ok_or(Bad::Content("the end of the file"))?;
        let mut crc = Crc::new();
        crc.update(content);
        if bytes.len() as u64 != length || crc.sum().to_le_bytes() != sum {
            return Err(Bad::Content("bytes are missing or not those that were written"));
        }
        Frame::decode(&mut Reader { bytes: content }).map(Some).ok_or(Bad::Content("no frame"))
    }
}

/// Why a frame could not be read.
enum Bad {
    Io(io::Error),
    Content(&'static str),
}

impl Iterator for Recording {
    type Item = Result<Frame, ExportError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let result = self.next_frame();
        self.ended = !matches!(result, Ok(Some(_)));
        let (path, frame) = (self.path.clone(), self.frames);
        self.frames += 1;
        let explain = |bad| match bad {
            Bad::Io(source) if source.kind() == io::ErrorKind::UnexpectedEof => {
                ExportError::Damaged { path, frame, found: "the end of the file".into() }
            }
            Bad::Io(source) => ExportError::Io { path, source },
            Bad::Content(found) => ExportError::Damaged { path, frame, found: found.into() },
        };
        result.map_err(explain).transpose()
    }
}

/// Something that can be put into bytes and taken out of them.
trait Record: Sized {
    fn encode(&self, out: &mut Vec<u8>);
    /// Nothing if the bytes are of something else.
    fn decode(from: &mut Reader<'_>) -> Option<Self>;
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*head)
    }
}

impl Record for u32 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        from.take().map(Self::from_le_bytes)
    }
}

impl Record for f32 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        from.take().map(Self::from_le_bytes)
    }
}

impl Record for Vec3 {
    fn encode(&self, out: &mut Vec<u8>) {
        self.to_array().iter().for_each(|x| x.encode(out));
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self::new(f32::decode(from)?, f32::decode(from)?, f32::decode(from)?))
    }
}

impl<const N: usize> Record for [u32; N] {
    fn encode(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|i| i.encode(out));
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        let mut row = [0; N];
        for i in &mut row {
            *i = u32::decode(from)?;
        }
        Some(row)
    }
}

impl<T: Record> Record for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u32).encode(out);
        self.iter().for_each(|member| member.encode(out));
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        let count = u32::decode(from)?;
        (0..count).map(|_| T::decode(from)).collect()
    }
}

impl Record for String {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u32).encode(out);
        out.extend(self.as_bytes());
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        let length = u32::decode(from)? as usize;
        let (text, rest) = from.bytes.split_at_checked(length)?;
        from.bytes = rest;
        Self::from_utf8(text.to_vec()).ok()
    }
}

impl Record for Attribute {
    fn encode(&self, out: &mut Vec<u8>) {
        self.name.to_owned().encode(out);
        self.values.encode(out);
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        let name = String::decode(from)?;
        let name = ATTRIBUTES.into_iter().find(|known| *known == name)?;
        Some(Self { name, values: Vec::decode(from)? })
    }
}

impl Record for Part {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { name, positions, triangles, lines, attributes } = self;
        name.encode(out);
        positions.encode(out);
        triangles.encode(out);
        lines.encode(out);
        attributes.encode(out);
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        let part = Self {
            name: String::decode(from)?,
            positions: Vec::decode(from)?,
            triangles: Vec::decode(from)?,
            lines: Vec::decode(from)?,
            attributes: Vec::decode(from)?,
        };
        let corners = part.triangles.as_flattened().iter().chain(part.lines.as_flattened());
        consistent(part.positions.len(), corners, &part.attributes).then_some(part)
    }
}

impl Record for Cells {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { name, positions, tets, links, attributes } = self;
        name.encode(out);
        positions.encode(out);
        tets.encode(out);
        links.encode(out);
        attributes.encode(out);
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        let cells = Self {
            name: String::decode(from)?,
            positions: Vec::decode(from)?,
            tets: Vec::decode(from)?,
            links: Vec::decode(from)?,
            attributes: Vec::decode(from)?,
        };
        let corners = cells.tets.as_flattened().iter().chain(cells.links.as_flattened());
        consistent(cells.positions.len(), corners, &cells.attributes).then_some(cells)
    }
}

/// Whether every corner is there, and every vertex has its numbers.
fn consistent<'a>(
    count: usize,
    mut corners: impl Iterator<Item = &'a u32>,
    attributes: &[Attribute],
) -> bool {
    corners.all(|&corner| (corner as usize) < count)
        && attributes.iter().all(|attribute| attribute.values.len() == count)
}

impl Record for Frame {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.time.to_le_bytes());
        self.parts.encode(out);
        self.cells.encode(out);
    }
    fn decode(from: &mut Reader<'_>) -> Option<Self> {
        let time = f64::from_le_bytes(from.take()?);
        Some(Self { time, parts: Vec::decode(from)?, cells: Vec::decode(from)? })
    }
}
