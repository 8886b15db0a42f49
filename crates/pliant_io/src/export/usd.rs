//! USD as text: parts that may come, go and change their triangles. Blender, Houdini and Maya read it.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pliant::glam::Vec3;

use super::error::at;
use super::spool::Spool;
use super::{ExportError, Format, Frame, Part, Target, Writer, Written};
use crate::draft::Draft;

pub(super) const FORMAT: Format = Format {
    name: "usd",
    about: "USD text with changing triangles, speed and strain: Blender, Houdini, Maya, Omniverse",
    create: |target| Ok(Box::new(Usd::new(target))),
};

/// Thickness of lines (m): a rope must be seen.
const LINE_WIDTH: f32 = 0.01;

struct Usd {
    path: PathBuf,
    fps: f64,
    frames: usize,
    prims: BTreeMap<String, Prim>,
}

/// One part. A file has the samples of each property together, so they wait in spools.
struct Prim {
    /// As it was last seen; its topology is written again only when it changes.
    last: Part,
    /// Whether it was there in the frame before.
    shown: bool,
    /// The time samples of each property, by its declaration.
    samples: BTreeMap<String, Spool>,
}

impl Usd {
    fn new(target: &Target) -> Self {
        let path = target.path(".usda");
        Self { path, fps: target.fps, frames: 0, prims: BTreeMap::new() }
    }

    fn put(&mut self, part: &Part) -> io::Result<()> {
        let frame = self.frames;
        let new = || Prim { last: Part::default(), shown: false, samples: BTreeMap::new() };
        let prim = self.prims.entry(part.name.clone()).or_insert_with(new);
        prim.show(&self.path, frame, part)
    }
}

impl Writer for Usd {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        for part in &frame.parts {
            self.put(part).map_err(at(&self.path))?;
        }
        let there = |name: &String| frame.parts.iter().any(|part| part.name == *name);
        for (_, prim) in self.prims.iter_mut().filter(|(name, prim)| prim.shown && !there(name)) {
            prim.shown = false;
            prim.sample(&self.path, VISIBILITY, self.frames, "\"invisible\"")
                .map_err(at(&self.path))?;
        }
        self.frames += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written, ExportError> {
        let path = self.path.clone();
        self.write().map_err(at(&path))?;
        let hint = format!(
            "Blender: File > Import > Universal Scene Description, {}\n\
             Houdini, Maya, Omniverse, usdview: open it",
            path.display()
        );
        Ok(Written { files: vec![path], hint })
    }
}

const VISIBILITY: &str = "token visibility";

impl Prim {
    /// Adds what the part is like in a frame.
    fn show(&mut self, path: &Path, frame: usize, part: &Part) -> io::Result<()> {
        if !self.shown {
            // Before its first frame it is not there.
            if frame > 0 && self.samples.is_empty() {
                self.sample(path, VISIBILITY, 0, "\"invisible\"")?;
            }
            self.sample(path, VISIBILITY, frame, "\"inherited\"")?;
            self.shown = true;
        }
        if !self.last.same_topology(part) {
            self.topology(path, frame, part)?;
        }
        self.sample(path, "point3f[] points", frame, &list(part.positions.iter().map(tuple)))?;
        self.sample(
            path,
            "float3[] extent",
            frame,
            &list(extent(&part.positions).iter().map(tuple)),
        )?;
        for attribute in &part.attributes {
            let declaration = format!("float[] primvars:{}", attribute.name);
            self.sample(path, &declaration, frame, &list(&attribute.values))?;
        }
        self.last.clone_from(part);
        Ok(())
    }

    fn topology(&mut self, path: &Path, frame: usize, part: &Part) -> io::Result<()> {
        if part.triangles.is_empty() {
            let counts = list([part.positions.len()]);
            self.sample(path, "int[] curveVertexCounts", frame, &counts)?;
            return self.sample(path, "float[] widths", frame, &list([LINE_WIDTH]));
        }
        let counts = list(part.triangles.iter().map(|_| 3));
        self.sample(path, "int[] faceVertexCounts", frame, &counts)?;
        let corners = list(part.triangles.as_flattened());
        self.sample(path, "int[] faceVertexIndices", frame, &corners)
    }

    fn sample(&mut self, path: &Path, property: &str, frame: usize, value: &str) -> io::Result<()> {
        if !self.samples.contains_key(property) {
            self.samples.insert(property.to_owned(), Spool::beside(path)?);
        }
        match self.samples.get_mut(property) {
            Some(spool) => writeln!(spool, "                {frame}: {value},"),
            None => Ok(()),
        }
    }

    /// Copies all samples to the file.
    fn write(&mut self, name: &str, out: &mut impl Write) -> io::Result<()> {
        let mesh = !self.last.triangles.is_empty();
        let kind = if mesh { "Mesh" } else { "BasisCurves" };
        writeln!(out, "    def {kind} \"{name}\"\n    {{")?;
        if mesh {
            writeln!(out, "        uniform token subdivisionScheme = \"none\"")?;
            writeln!(out, "        uniform bool doubleSided = 1")?;
        } else {
            writeln!(out, "        uniform token type = \"linear\"")?;
            writeln!(
                out,
                "        float[] widths (\n            interpolation = \"constant\"\n        )"
            )?;
        }
        for (property, spool) in &mut self.samples {
            if property.starts_with("float[] primvars:") {
                writeln!(
                    out,
                    "        {property} (\n            interpolation = \"vertex\"\n        )"
                )?;
            }
            writeln!(out, "        {property}.timeSamples = {{")?;
            spool.copy_into(out)?;
            writeln!(out, "        }}")?;
        }
        writeln!(out, "    }}")
    }
}

impl Usd {
    fn write(&mut self) -> io::Result<()> {
        let mut out = Draft::create(&self.path)?;
        let last = self.frames.saturating_sub(1);
        writeln!(
            out,
            "#usda 1.0\n(\n    defaultPrim = \"World\"\n    upAxis = \"Y\"\n    metersPerUnit = 1\n    \
             timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}\n    startTimeCode = 0\n    \
             endTimeCode = {last}\n)\n\ndef Xform \"World\"\n{{",
            fps = self.fps
        )?;
        for (name, prim) in &mut self.prims {
            prim.write(name, &mut out)?;
        }
        writeln!(out, "}}")?;
        out.publish()
    }
}

fn list<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let mut text = String::from("[");
    for (i, value) in values.into_iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}{value}", if i == 0 { "" } else { ", " });
    }
    text.push(']');
    text
}

fn tuple(x: &Vec3) -> String {
    format!("({}, {}, {})", x.x, x.y, x.z)
}

/// The corners of the smallest box around all.
fn extent(positions: &[Vec3]) -> [Vec3; 2] {
    let first = positions.first().copied().unwrap_or(Vec3::ZERO);
    let low = positions.iter().fold(first, |low, x| low.min(*x));
    [low, positions.iter().fold(first, |high, x| high.max(*x))]
}
