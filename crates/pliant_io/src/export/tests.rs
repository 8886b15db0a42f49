use std::fs;

use pliant::glam::Vec3;
use pliant::mesh::TriMesh;
use pliant::shapes::{Cloth, Rope, TetBox};
use pliant::{World, step};

use super::*;

/// A folder of its own that is gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("pliant-export-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn target(&self) -> Target {
        Target { folder: self.0.clone(), name: "run".into(), fps: 60.0 }
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A cloth, a box and a rope as they fall.
fn frames(count: usize) -> Vec<Frame> {
    let mut world = World::default();
    let cloth = Cloth { columns: 5, rows: 4, ..Cloth::default() }.blueprint().unwrap().pinned(&[0]);
    world.add(&cloth).unwrap();
    world.add(&TetBox::default().blueprint().unwrap()).unwrap();
    world.add(&Rope::default().blueprint().unwrap()).unwrap();
    let mut frames = Vec::new();
    for _ in 0..count {
        frames.push(Frame::of(&world));
        step(&mut world, 1.0 / 60.0).unwrap();
    }
    frames
}

fn export(format: &str, folder: &Folder, frames: &[Frame]) -> Written {
    let mut writer = create(format, &folder.target()).unwrap();
    frames.iter().for_each(|frame| writer.frame(frame).unwrap());
    writer.finish().unwrap()
}

/// What our own importer makes of a file.
fn read(path: &std::path::Path) -> TriMesh {
    crate::mesh::read(path).unwrap().surface.mesh
}

/// Positions of all parts that have triangles.
fn seen(frame: &Frame) -> Vec<Vec3> {
    let parts = frame.parts.iter().filter(|part| !part.triangles.is_empty());
    parts.flat_map(|part| part.positions.iter().copied()).collect()
}

#[test]
fn frames_hold_what_is_seen_and_what_is_computed() {
    let frame = &frames(2)[1];
    let [cloth, solid, rope] = frame.parts.as_slice() else {
        panic!("{} parts", frame.parts.len())
    };
    assert_eq!((cloth.positions.len(), cloth.triangles.len()), (20, 24));
    assert!(!solid.triangles.is_empty() && rope.triangles.is_empty());
    let inner = frame.cells[1].positions.len() - solid.positions.len();
    assert_eq!(inner, 4 * 4 * 4, "of the 6 × 6 × 6 particles of the box, the inner are not seen");
    assert_eq!(rope.lines.len(), rope.positions.len() - 1);
    assert!(!frame.cells[1].tets.is_empty() && frame.cells[1].links.is_empty());
    assert!(!frame.cells[0].links.is_empty() && frame.cells[0].tets.is_empty());
    for part in &frame.parts {
        assert_eq!(part.attributes.len(), 2);
        assert!(part.attributes.iter().all(|a| a.values.len() == part.positions.len()));
    }
    let speed = &cloth.attributes[0].values;
    assert_eq!(speed[0], 0.0, "the pinned corner moves");
    let fallen = 9.81 / 60.0;
    assert!(speed.iter().all(|&v| v <= fallen * 1.5) && speed.iter().any(|&v| v > 0.5 * fallen));
}

#[test]
fn every_format_leaves_its_files_and_nothing_else() {
    let frames = frames(3);
    for format in FORMATS {
        let folder = Folder::new(&format!("all-{}", format.name));
        let written = export(format.name, &folder, &frames);
        assert!(!written.files.is_empty() && !written.hint.is_empty(), "{}", format.name);
        for file in &written.files {
            assert!(fs::metadata(file).unwrap().len() > 0, "{}", file.display());
        }
        let hidden = folder.names().into_iter().find(|name| name.starts_with('.'));
        assert_eq!(hidden, None, "{}", format.name);
    }
}

#[test]
fn what_is_abandoned_leaves_no_hidden_file() {
    for format in FORMATS {
        let folder = Folder::new(&format!("abandoned-{}", format.name));
        let mut writer = create(format.name, &folder.target()).unwrap();
        writer.frame(&frames(1)[0]).unwrap();
        drop(writer);
        assert!(folder.names().iter().all(|name| !name.starts_with('.')), "{:?}", folder.names());
    }
}

#[test]
fn a_world_without_bodies_can_be_written() {
    for format in FORMATS {
        let folder = Folder::new(&format!("empty-{}", format.name));
        export(format.name, &folder, &[Frame::default(), Frame { time: 0.1, ..Frame::default() }]);
    }
}

#[test]
fn sequences_read_back_as_written() {
    let frames = frames(3);
    for ending in ["obj", "ply"] {
        let folder = Folder::new(&format!("back-{ending}"));
        export(ending, &folder, &frames);
        let mesh = read(&folder.0.join(format!("run_00002.{ending}")));
        let expected = seen(&frames[2]);
        assert_eq!(mesh.positions[..expected.len()], expected, "{ending}");
        let triangles: usize = frames[2].parts.iter().map(|part| part.triangles.len()).sum();
        assert_eq!(mesh.triangles.len(), triangles, "{ending}");
    }
    let folder = Folder::new("back-vtk");
    export("vtk", &folder, &frames);
    let tets = crate::mesh::read(&folder.0.join("run_00002.vtu")).unwrap().tets;
    assert_eq!(tets.tets.len(), frames[2].cells[1].tets.len());
}

/// Positions in a point cache: big-endian or little-endian numbers from a byte on.
fn cached(bytes: &[u8], from: usize, number: fn([u8; 4]) -> f32) -> Vec<Vec3> {
    let numbers: Vec<f32> = bytes[from..].as_chunks().0.iter().map(|&b| number(b)).collect();
    numbers.as_chunks().0.iter().map(|&[x, y, z]| Vec3::new(x, y, z)).collect()
}

#[test]
fn point_caches_have_their_headers_and_every_position() {
    let frames = frames(4);
    let expected: Vec<Vec3> = frames.iter().flat_map(|f| f.parts[0].positions.clone()).collect();
    let name = &frames[0].parts[0].name;
    let folder = Folder::new("caches");
    export("pc2", &folder, &frames);
    export("mdd", &folder, &frames);
    let pc2 = fs::read(folder.0.join(format!("run_{name}.pc2"))).unwrap();
    assert_eq!(&pc2[..12], b"POINTCACHE2\0");
    let counts = [16, 28].map(|k| i32::from_le_bytes(pc2[k..k + 4].try_into().unwrap()));
    assert_eq!(counts, [20, 4]);
    assert_eq!(cached(&pc2, 32, f32::from_le_bytes), expected);
    let mdd = fs::read(folder.0.join(format!("run_{name}.mdd"))).unwrap();
    let counts = [0, 4].map(|k| i32::from_be_bytes(mdd[k..k + 4].try_into().unwrap()));
    assert_eq!(counts, [4, 20]);
    assert_eq!(cached(&mdd, 8 + 4 * 4, f32::from_be_bytes), expected);
    let rest = read(&folder.0.join(format!("run_{name}.obj")));
    assert_eq!(rest.positions, frames[0].parts[0].positions);
}

#[test]
fn a_point_cache_can_be_read_while_it_grows() {
    let frames = frames(3);
    let folder = Folder::new("grows");
    let mut writer = create("pc2", &folder.target()).unwrap();
    for (number, frame) in frames.iter().enumerate() {
        writer.frame(frame).unwrap();
        let name = format!("run_{}.pc2", frame.parts[0].name);
        let bytes = fs::read(folder.0.join(name)).unwrap();
        let count = i32::from_le_bytes(bytes[28..32].try_into().unwrap());
        assert_eq!(count as usize, number + 1);
        assert_eq!(bytes.len(), 32 + 12 * 20 * (number + 1));
    }
}

#[test]
fn a_recording_gives_back_every_frame_bit_for_bit() {
    let frames = frames(5);
    let folder = Folder::new("recording");
    let written = export("recording", &folder, &frames);
    let back: Vec<Frame> =
        Recording::open(&written.files[0]).unwrap().map(Result::unwrap).collect();
    assert_eq!(back, frames);
}

#[test]
fn a_damaged_recording_gives_the_frames_before_the_damage() {
    let frames = frames(3);
    let folder = Folder::new("damaged");
    let path = &export("recording", &folder, &frames).files[0];
    let whole = fs::read(path).unwrap();
    let one = (whole.len() - 12) / 3;
    for length in [12 + one + 1, 12 + one + 100, 12 + 2 * one - 1] {
        fs::write(path, &whole[..length]).unwrap();
        let mut recording = Recording::open(path).unwrap();
        assert_eq!(recording.next().unwrap().unwrap(), frames[0]);
        let error = recording.next().unwrap().unwrap_err().to_string();
        assert!(error.contains("frame 1"), "{error}");
        assert!(recording.next().is_none());
    }
    let mut flipped = whole.clone();
    flipped[12 + one + 200] ^= 4;
    fs::write(path, flipped).unwrap();
    assert!(Recording::open(path).unwrap().nth(1).unwrap().is_err());
    fs::write(path, b"something else").unwrap();
    assert!(Recording::open(path).is_err());
}

#[test]
fn vertices_that_change_are_explained_or_written() {
    let mut frames = frames(3);
    let cut = &mut frames[2].parts[0];
    cut.positions.push(Vec3::ONE);
    cut.attributes.iter_mut().for_each(|attribute| attribute.values.push(0.5));
    cut.triangles[0] = [20, 1, 2];
    for format in ["pc2", "mdd", "npz", "gltf"] {
        let folder = Folder::new(&format!("changed-{format}"));
        let mut writer = create(format, &folder.target()).unwrap();
        writer.frame(&frames[0]).unwrap();
        writer.frame(&frames[1]).unwrap();
        let text = writer.frame(&frames[2]).unwrap_err().to_string();
        assert!(text.contains("frame 2") && text.contains("usd"), "{text}");
    }
    for format in ["usd", "vtk", "obj", "ply", "recording"] {
        export(format, &Folder::new(&format!("changes-{format}")), &frames);
    }
    let folder = Folder::new("topology-usd");
    let written = export("usd", &folder, &frames);
    let text = fs::read_to_string(&written.files[0]).unwrap();
    let corners = text.split("faceVertexIndices.timeSamples").nth(1).unwrap();
    let samples =
        corners.split('}').next().unwrap().lines().filter(|line| line.contains(": [")).count();
    assert_eq!(
        samples, 2,
        "the triangles of {} are written when they change",
        frames[0].parts[0].name
    );
}

#[test]
fn parts_that_come_and_go_are_hidden_meanwhile() {
    let mut frames = frames(4);
    frames[0].parts.remove(1);
    frames[3].parts.remove(1);
    let folder = Folder::new("visibility");
    let text = fs::read_to_string(&export("usd", &folder, &frames).files[0]).unwrap();
    for sample in ["0: \"invisible\"", "1: \"inherited\"", "3: \"invisible\""] {
        assert!(text.contains(sample), "{sample}");
    }
}

#[test]
fn a_long_run_keeps_few_shapes_and_its_last() {
    let base = frames(1).remove(0);
    let at = |number: u32| Frame { time: f64::from(number) / 60.0, ..base.clone() };
    let frames: Vec<Frame> = (0..500).map(at).collect();
    let folder = Folder::new("long");
    let written = export("gltf", &folder, &frames);
    let bytes = fs::read(&written.files[0]).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let input = json["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
    let times = &json["accessors"][input];
    assert!(times["count"].as_u64().unwrap() <= 121, "{times}");
    let last = times["max"][0].as_f64().unwrap();
    assert!((last - 499.0 / 60.0).abs() < 1e-4, "{last}");
}

#[test]
fn names_are_plain_and_differ() {
    let mut world = World::default();
    for name in ["", "a b/ü", "a b/ü", "3", "a_b___1"] {
        let mut body = Cloth { columns: 2, rows: 2, ..Cloth::default() }.blueprint().unwrap();
        body.name = name.into();
        world.add(&body).unwrap();
    }
    let frame = Frame::of(&world);
    let mut names: Vec<&str> = frame.parts.iter().map(|part| part.name.as_str()).collect();
    let plain = |name: &&str| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    assert!(names.iter().all(plain), "{names:?}");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 5);
}

#[test]
fn unknown_formats_and_forbidden_folders_are_explained() {
    let folder = Folder::new("unknown");
    let error = create("fbx", &folder.target()).err().unwrap().to_string();
    assert!(error.contains("fbx") && error.contains("usd"), "{error}");
    fs::write(folder.0.join("file"), "").unwrap();
    let inside = Target { folder: folder.0.join("file/run"), ..folder.target() };
    assert!(matches!(create("usd", &inside).err().unwrap(), ExportError::Io { .. }));
    assert!(FORMATS.is_sorted_by(|a, b| a.name < b.name));
}
