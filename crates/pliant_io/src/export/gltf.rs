//! glTF: one binary file whose frames are shapes to blend between. Game engines and web pages read it.

use std::io::Write;
use std::path::PathBuf;

use pliant::glam::Vec3;
use serde_json::{Value, json};

use super::error::at;
use super::{ExportError, Format, Frame, Part, Writer, Written};
use crate::draft::Draft;

pub(super) const FORMAT: Format = Format {
    name: "gltf",
    about: "binary glTF with up to 120 blended shapes per part: Unity, Unreal, three.js, Blender",
    create: |target| {
        let path = target.path(".glb");
        Ok(Box::new(Gltf {
            path,
            first: Vec::new(),
            kept: Vec::new(),
            stride: 1,
            last: None,
            frames: 0,
        }))
    },
};

/// Most shapes: every one is a whole copy of the part, and viewers keep all of them at hand.
const MOST: usize = 120;

/// glTF's numbers for types and uses of data.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const VERTICES: Option<u32> = Some(34962);
const INDICES: Option<u32> = Some(34963);
/// glTF's numbers for what indices make.
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

struct Gltf {
    path: PathBuf,
    /// The parts of the first frame.
    first: Vec<Part>,
    kept: Vec<Shape>,
    /// Every frame whose number this divides is kept; it doubles when there are too many.
    stride: usize,
    /// The newest frame, if it was not kept.
    last: Option<Shape>,
    frames: usize,
}

/// The positions of every part at one time.
struct Shape {
    time: f64,
    positions: Vec<Vec<Vec3>>,
}

impl Writer for Gltf {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        if self.frames == 0 {
            self.first.clone_from(&frame.parts);
        }
        frame.check_same(&self.first, FORMAT.name, self.frames)?;
        let positions = frame.parts.iter().map(|part| part.positions.clone()).collect();
        self.last = Some(Shape { time: frame.time, positions });
        if self.kept.len() == MOST {
            let mut number = 0;
            self.kept.retain(|_| (number % 2 == 0, number += 1).0);
            self.stride *= 2;
        }
        if self.frames.is_multiple_of(self.stride) {
            self.kept.extend(self.last.take());
        }
        self.frames += 1;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written, ExportError> {
        self.kept.extend(self.last.take());
        let bytes = self.encode()?;
        let mut draft = Draft::create(&self.path).map_err(at(&self.path))?;
        draft.write_all(&bytes).map_err(at(&self.path))?;
        draft.publish().map_err(at(&self.path))?;
        let thinned = match self.stride {
            1 => String::new(),
            stride => {
                format!("\nholds every {stride}th of {} frames, blended between", self.frames)
            }
        };
        let hint = format!("Blender, Unity, three.js: import {}{thinned}", self.path.display());
        Ok(Written { files: vec![self.path], hint })
    }
}

impl Gltf {
    fn encode(&self) -> Result<Vec<u8>, ExportError> {
        let mut data = Data::default();
        let (mut meshes, mut nodes, mut channels, mut samplers) = (vec![], vec![], vec![], vec![]);
        let times: Vec<f32> = self.kept.iter().map(|shape| shape.time as f32).collect();
        let moves = self.kept.len() > 1;
        let input = moves.then(|| data.numbers(&times));
        for (number, part) in self.first.iter().enumerate().filter(|(_, p)| !p.positions.is_empty())
        {
            meshes.push(self.mesh(number, part, &mut data));
            nodes.push(json!({ "mesh": meshes.len() - 1, "name": part.name }));
            if let Some(input) = input {
                let output = data.numbers(&weights(self.kept.len()));
                let target = json!({ "node": nodes.len() - 1, "path": "weights" });
                channels.push(json!({ "sampler": samplers.len(), "target": target }));
                samplers
                    .push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
            }
        }
        let mut root = json!({
            "asset": { "version": "2.0", "generator": "pliant" },
            "scene": 0,
            "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        });
        // Lists may not be empty.
        let mut put = |name: &str, list: Vec<Value>| {
            if !list.is_empty() {
                root[name] = list.into();
            }
        };
        put("nodes", nodes);
        put("materials", if meshes.is_empty() { vec![] } else { vec![material()] });
        put("meshes", meshes);
        if !channels.is_empty() {
            put("animations", vec![json!({ "channels": channels, "samplers": samplers })]);
        }
        put("bufferViews", data.views);
        put("accessors", data.accessors);
        if !data.bytes.is_empty() {
            put("buffers", vec![json!({ "byteLength": data.bytes.len() })]);
        }
        pack(&root, data.bytes)
            .ok_or(ExportError::TooLarge { path: self.path.clone(), what: "bytes" })
    }

    /// The first shape whole, the others as differences from it.
    fn mesh(&self, number: usize, part: &Part, data: &mut Data) -> Value {
        let base = &self.kept[0].positions[number];
        let normals = normals(part, base);
        let mut attributes = json!({ "POSITION": data.rows(base) });
        if !part.triangles.is_empty() {
            attributes["NORMAL"] = data.rows(&normals).into();
        }
        let mut target = |shape: &Shape| {
            let now = &shape.positions[number];
            let mut target = json!({ "POSITION": data.rows(&difference(now, base)) });
            if !part.triangles.is_empty() {
                let turned = difference(&self::normals(part, now), &normals);
                target["NORMAL"] = data.rows(&turned).into();
            }
            target
        };
        let targets: Vec<Value> = self.kept[1..].iter().map(&mut target).collect();
        let (mode, corners) = match part.triangles.is_empty() {
            true => (LINES, part.lines.as_flattened()),
            false => (TRIANGLES, part.triangles.as_flattened()),
        };
        let mut primitive = json!({ "attributes": attributes, "mode": mode, "material": 0 });
        if !corners.is_empty() {
            primitive["indices"] = data.indices(corners).into();
        }
        let mut mesh = json!({ "name": part.name });
        if !targets.is_empty() {
            mesh["weights"] = vec![0.0; targets.len()].into();
            primitive["targets"] = targets.into();
        }
        mesh["primitives"] = json!([primitive]);
        mesh
    }
}

fn material() -> Value {
    let surface = json!({ "baseColorFactor": [0.8, 0.3, 0.2, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6 });
    json!({ "pbrMetallicRoughness": surface, "doubleSided": true })
}

/// At the time of shape `k`, the weight of shape `k` is 1 and all others are 0; the first shape is
/// there when all are.
fn weights(shapes: usize) -> Vec<f32> {
    let row = |time: usize| (1..shapes).map(move |shape| f32::from(u8::from(shape == time)));
    (0..shapes).flat_map(row).collect()
}

fn difference(a: &[Vec3], b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// The mean direction of the triangles at each vertex, of unit length.
fn normals(part: &Part, positions: &[Vec3]) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; positions.len()];
    for triangle in &part.triangles {
        let [a, b, c] = triangle.map(|i| positions[i as usize]);
        triangle.iter().for_each(|&i| sums[i as usize] += (b - a).cross(c - a));
    }
    sums.into_iter().map(|sum| sum.normalize_or(Vec3::Y)).collect()
}

/// Numbers in bytes, and where each list of them is.
#[derive(Default)]
struct Data {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Data {
    fn rows(&mut self, rows: &[Vec3]) -> usize {
        let low = rows.iter().copied().reduce(Vec3::min).unwrap_or_default();
        let high = rows.iter().copied().reduce(Vec3::max).unwrap_or_default();
        let bytes = rows.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes);
        let accessor = json!({
            "componentType": FLOAT, "type": "VEC3", "count": rows.len(),
            "min": low.to_array(), "max": high.to_array(),
        });
        self.put(bytes, VERTICES, accessor)
    }

    fn numbers(&mut self, numbers: &[f32]) -> usize {
        let low = numbers.iter().copied().reduce(f32::min).unwrap_or_default();
        let high = numbers.iter().copied().reduce(f32::max).unwrap_or_default();
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        let accessor = json!({
            "componentType": FLOAT, "type": "SCALAR", "count": numbers.len(),
            "min": [low], "max": [high],
        });
        self.put(bytes, None, accessor)
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let bytes = indices.iter().flat_map(|i| i.to_le_bytes());
        let accessor =
            json!({ "componentType": UNSIGNED_INT, "type": "SCALAR", "count": indices.len() });
        self.put(bytes, INDICES, accessor)
    }

    /// Adds bytes and what they mean; returns the number of the accessor.
    fn put(
        &mut self,
        bytes: impl Iterator<Item = u8>,
        target: Option<u32>,
        mut accessor: Value,
    ) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - start;
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": length });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        accessor["bufferView"] = self.views.len().into();
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// The two chunks of a binary file; nothing if they exceed its 4 GiB.
fn pack(root: &Value, mut data: Vec<u8>) -> Option<Vec<u8>> {
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    data.resize(data.len().next_multiple_of(4), 0);
    let mut chunks = Vec::new();
    for (kind, content) in [(b"JSON", text), (b"BIN\0", data)] {
        if !content.is_empty() {
            chunks.extend(u32::try_from(content.len()).ok()?.to_le_bytes());
            chunks.extend(kind);
            chunks.extend(content);
        }
    }
    let length = u32::try_from(chunks.len() + 12).ok()?;
    let header = [b"glTF".as_slice(), &2u32.to_le_bytes(), &length.to_le_bytes()].concat();
    Some([header, chunks].concat())
}
