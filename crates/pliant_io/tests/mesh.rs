//! Meshes of others, broken files, and files that want to do harm.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it skips"
)]

#[path = "mesh/samples.rs"]
mod samples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use pliant::mesh::repair::{Repair, RepairError, Report, repair, repair_tets};
use pliant_io::mesh::{Cause, FORMATS, Format, Imported, MeshError, Source, read, read_bytes};
use samples::Sample;

/// Flips of single bits per sample.
const FLIPS: usize = 10_000;
/// Longest that a small file may take, whatever is in it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The folder with files of others, if there is one.
fn data(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("PLIANT_TEST_DATA");
    if root.is_none() {
        println!("did not run: PLIANT_TEST_DATA is not set");
    }
    root.map(|root| Path::new(&root).join(folder))
}

fn report(path: &Path) -> Report {
    let imported = read(path).unwrap();
    repair(&imported.skin().mesh, &Repair::default()).unwrap().report
}

#[test]
fn closed_meshes_of_others_have_their_volume() {
    let Some(folder) = data("meshes") else { return };
    let known = [
        ("spot.obj", 0.718_259, 2930),
        ("bunny.off", 7.539_34e-4, 3485),
        ("torus.obj", 1.218_78, 2304),
    ];
    for (name, volume, vertices) in known {
        let report = report(&folder.join(name));
        let error = (report.volume / volume - 1.0).abs();
        assert!(error < 1e-5, "{name}: {} m³, off by {error:e}", report.volume);
        assert!(report.is_closed(), "{name}: {report}");
        assert_eq!((report.now[0], report.parts), (vertices, 1), "{name}");
    }
    for (name, triangles) in [("armadillo.obj", 29_170), ("liver.obj", 4384)] {
        let report = report(&folder.join(name));
        assert!(report.is_closed() && report.volume > 0.0, "{name}: {report}");
        assert_eq!(report.now[1], triangles, "{name}");
    }
}

#[test]
fn open_meshes_of_others_are_reported() {
    let Some(folder) = data("meshes") else { return };
    let teapot = report(&folder.join("teapot.obj"));
    assert_eq!((teapot.given, teapot.now[0] - teapot.split), ([3644, 6320], 3241));
    assert!(!teapot.is_closed() && teapot.boundary_edges == 160, "{teapot}");
    // Three, of which two bits hang together at a single vertex.
    assert_eq!((teapot.parts, teapot.split), (4, 1), "{teapot}");
    let cube = report(&folder.join("cube_no_bottom.obj"));
    assert_eq!((cube.boundary_edges, cube.holes, cube.is_closed()), (8, 1, false), "{cube}");
    let fill = Repair { fill_holes: 8, ..Repair::default() };
    let cube = read(&folder.join("cube_no_bottom.obj")).unwrap();
    assert!(repair(&cube.surface.mesh, &fill).unwrap().report.is_closed());
    let shirt = report(&folder.join("tshirt.msh"));
    assert_eq!((shirt.given, shirt.is_closed()), ([2180, 4265], false), "{shirt}");
}

#[test]
fn tetrahedra_and_scenes_of_others_are_read() {
    let Some(folder) = data("meshes") else { return };
    let liver = read(&folder.join("liver_tets.msh")).unwrap();
    assert_eq!((liver.tets.positions.len(), liver.tets.tets.len()), (507, 1493));
    let body = repair_tets(&liver.tets).unwrap();
    let skin = repair(&liver.skin().mesh, &Repair::default()).unwrap().report;
    let error = (skin.volume / body.report.volume - 1.0).abs();
    assert!(error < 1e-6, "skin {} m³, tetrahedra {} m³", skin.volume, body.report.volume);
    let bare = Imported { tets: body.mesh, ..Imported::default() };
    assert_eq!(bare.skin().mesh.triangles.len(), liver.surface.mesh.triangles.len());
    let fox = read(&folder.join("fox.glb")).unwrap();
    assert_eq!(fox.surface.mesh.triangles.len(), 576);
    assert_eq!(fox.surface.texture.len(), 1728);
    let scale = report(&folder.join("fox.glb")).scale().unwrap();
    assert!((100.0..200.0).contains(&scale.size), "{scale}");
    let spot = read(&folder.join("spot.obj")).unwrap().surface;
    assert!(spot.mesh.positions.len() > 2930, "a texture has seams");
    let welded = repair(&spot.mesh, &Repair::default()).unwrap();
    for (x, vertex) in spot.mesh.positions.iter().zip(&welded.vertex_map) {
        assert_eq!(*x, welded.mesh.positions[vertex.unwrap() as usize]);
    }
}

#[test]
fn every_broken_file_is_refused_or_repaired() {
    let Some(folder) = data("malformed") else { return };
    let mut files = Vec::new();
    for kind in fs::read_dir(folder).unwrap() {
        let entries = fs::read_dir(kind.unwrap().path()).unwrap();
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    files.retain(|file| file.extension().is_some_and(|extension| extension != "bin"));
    assert!(files.len() >= 35, "only {} files", files.len());
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let began = Instant::now();
        let outcome = read(&file);
        assert!(began.elapsed() < PATIENCE, "{name} took {:?}", began.elapsed());
        match outcome {
            Err(error) => {
                let text = error.to_string();
                println!("{text}");
                assert!(text.contains(name), "{text}");
            }
            Ok(imported) => assert_noticed(name, &imported),
        }
    }
}

/// What is wrong with a file that can be read shows in its reports.
fn assert_noticed(name: &str, imported: &Imported) {
    let surface = repair(&imported.skin().mesh, &Repair::default()).unwrap().report;
    let tets = repair_tets(&imported.tets).unwrap().report;
    let damaged = tets.flat + tets.turned + tets.duplicate + tets.poor > 0;
    println!("{name}: read; clean {}, closed {}", surface.is_clean(), surface.is_closed());
    assert!(damaged || !surface.is_clean() || !surface.is_closed(), "{name}: {surface}");
}

#[test]
fn bad_topology_and_bad_prints_are_repaired_as_asked() {
    let Some(folder) = data("malformed") else { return };
    let fix = |name: &str, weld: f32, fill_holes: usize| {
        let imported = read(&folder.join(name)).unwrap();
        let how = Repair { weld, fill_holes, ..Repair::default() };
        repair(&imported.skin().mesh, &how).unwrap().report
    };
    // A block of 3.937 units: one corner is off, one triangle is missing, one is turned.
    for (name, weld, fill) in [
        ("stl/block-exact-bad.stl", 1e-3, 0),
        ("stl/block-nearby-bad.stl", 0.05, 0),
        ("stl/block-fill-holes-bad.stl", 1e-6, 3),
        ("stl/block-normal-directions-bad.stl", 1e-6, 0),
    ] {
        let report = fix(name, weld, fill);
        assert!(report.is_closed(), "{name}: {report}");
        assert!((report.volume - 61.0).abs() < 1.1, "{name}: {} m³", report.volume);
    }
    let hourglass = fix("topology/hourglass_ico.obj", 0.0, 0);
    assert_eq!((hourglass.split, hourglass.closed_parts, hourglass.junctions), (1, 2, 0));
    assert_eq!(fix("topology/moebius.obj", 0.0, 0).one_sided_parts, 1);
    let fan = fix("topology/fan3.obj", 0.0, 0);
    assert_eq!((fan.junctions, fan.parts), (1, 3));
    assert_eq!(fix("topology/triple_vierbein.obj", 0.0, 0).junctions, 20);
    // Three cubes as polygons that are not convex: cut into fans, they would overlap.
    let notched = fix("obj/issue-295-trianguation-failure.obj", 1e-6, 0);
    assert!(notched.is_closed() && (notched.volume - 3.0).abs() < 1e-6, "{notched}");
    let tets = read(&folder.join("msh/6_tetra_bad.msh")).unwrap().tets;
    assert_eq!(repair_tets(&tets).unwrap().report.turned, 1);
}

fn import(sample: &Sample, bytes: &[u8]) -> Result<Imported, MeshError> {
    let path = Path::new("sample").with_extension(sample.extension);
    let beside = |_: &str| Ok(sample.beside.clone());
    read_bytes(Format::of(&path).unwrap(), &Source { name: &path, bytes, beside: &beside })
}

/// Reads what may be anything; what comes out must make sense.
fn survive(sample: &Sample, bytes: &[u8]) -> bool {
    let began = Instant::now();
    let Ok(imported) = import(sample, bytes) else { return false };
    let surface = &imported.surface;
    let vertices = surface.mesh.positions.len();
    for many in [surface.normals.len(), surface.texture.len()] {
        assert!(many == 0 || many == vertices, "{}", sample.name);
    }
    // Both check every index and every coordinate.
    let how = Repair { fill_holes: 9, ..Repair::default() };
    let surface = repair(&imported.skin().mesh, &how).map(drop);
    let tets = repair_tets(&imported.tets).map(drop);
    for outcome in [surface, tets] {
        assert!(matches!(outcome, Ok(()) | Err(RepairError::TooFar { .. })), "{outcome:?}");
    }
    if let Some(grid) = imported.grid {
        assert_eq!(grid.values.len(), grid.size.iter().product::<usize>());
    }
    assert!(began.elapsed() < PATIENCE, "{} took {:?}", sample.name, began.elapsed());
    true
}

#[test]
fn every_format_has_a_sample_that_is_read() {
    let samples = samples::all();
    for format in FORMATS {
        let has = |sample: &Sample| format.extensions.contains(&sample.extension);
        assert!(samples.iter().any(has), "{} has no sample", format.name);
    }
    for sample in samples {
        let imported = import(&sample, &sample.bytes).unwrap();
        if imported.grid.is_some() {
            continue;
        }
        let tets = repair_tets(&imported.tets).unwrap().report;
        let surface = repair(&imported.surface.mesh, &Repair::default()).unwrap().report;
        // The scene stretches the tetrahedron to twice its volume.
        let sixths = if sample.name.starts_with("gl") { 2.0 } else { 1.0 };
        let volume = if tets.now[1] > 0 { tets.volume } else { surface.volume };
        assert!((volume * 6.0 - sixths).abs() < 1e-6, "{}: {volume} m³", sample.name);
    }
}

#[test]
fn a_file_that_ends_anywhere_is_refused_or_makes_sense() {
    for sample in samples::all() {
        let read = (0..sample.bytes.len()).filter(|&end| survive(&sample, &sample.bytes[..end]));
        let (read, all) = (read.count(), sample.bytes.len());
        // What ends within the last line, or between two polygons, may be whole.
        assert!(read * 3 < all, "{}: {read} of {all} beginnings are read", sample.name);
    }
}

#[test]
fn a_file_with_a_flipped_bit_is_refused_or_makes_sense() {
    let before = peak_memory();
    for sample in samples::all() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        for _ in 0..FLIPS {
            // Xorshift: any sequence without a pattern will do.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let bit = (state >> 16) as usize % (sample.bytes.len() * 8);
            let mut bytes = sample.bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            survive(&sample, &bytes);
        }
    }
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        // Other tests run meanwhile, each with a stack; a count that is believed asks for far more.
        assert!(after < before + (1 << 30), "{before} bytes became {after}");
    }
}

/// Most memory that was ever asked for by this process (bytes), where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[test]
fn counts_are_not_believed() {
    let lies: [(&str, Vec<u8>); 8] = [
        ("off", b"OFF\n353535235358 6 0\n0 0 0\n".to_vec()),
        ("ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n".to_vec()),
        ("stl", [&[b' '; 80][..], &[0xff; 4], &[0; 50]].concat()),
        ("gltf", samples::gltf("").replace("\"count\":4", "\"count\":9223372036854775808").into_bytes()),
        ("msh", b"$NOD\n9999999999\n".to_vec()),
        ("vtk", b"# vtk DataFile Version 3.0\na\nASCII\nDATASET POLYDATA\nPOINTS 9999999999 float\n".to_vec()),
        ("sdf", b"1000000 1000000 1000000\n0 0 0\n1\n0".to_vec()),
        ("ele", b"9999999999 4 0\n".to_vec()),
    ];
    for (extension, bytes) in lies {
        let node = b"9999999999 3 0 0\n".to_vec();
        let sample = Sample { name: extension, extension, bytes: Vec::new(), beside: node };
        let text = import(&sample, &bytes).unwrap_err().to_string();
        let says = ["at most", "more than", "neither", "invalid value"];
        assert!(says.iter().any(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn long_lines_and_polygons_take_no_longer_than_they_are() {
    let sample = |extension, text: String| Sample {
        name: extension,
        extension,
        bytes: text.into_bytes(),
        beside: Vec::new(),
    };
    let many: Vec<String> = (0..200_000).map(|k| (k % 3 + 1).to_string()).collect();
    let polygon = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf {}\n", many.join(" "));
    let line = format!("#{}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3", " ".repeat(10 << 20));
    let pieces =
        "<Piece/><Piece><Points><DataArray type=\"Int8\"/></Points></Piece>".repeat(20_000);
    let pieces = format!("<VTKFile type=\"PolyData\">{pieces}");
    let facet =
        "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet ";
    let facets = format!("solid\n{}endsolid", facet.repeat(20_000));
    let samples =
        [sample("obj", polygon), sample("obj", line), sample("stl", facets), sample("vtu", pieces)];
    for sample in samples {
        let began = Instant::now();
        survive(&sample, &sample.bytes);
        // Built without optimisation, and beside other tests.
        assert!(began.elapsed() < 5 * PATIENCE, "{} took {:?}", sample.extension, began.elapsed());
    }
}

/// A folder with a scene in it and, outside of it, a buffer that the scene would like.
struct Trap {
    root: PathBuf,
    inside: PathBuf,
}

impl Trap {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("pliant-{name}-{}", std::process::id()));
        let inside = root.join("inside");
        fs::create_dir_all(inside.join("deeper")).unwrap();
        for place in
            [root.join("canary.bin"), inside.join("good.bin"), inside.join("deeper/a b.bin")]
        {
            fs::write(place, buffer()).unwrap();
        }
        Self { root, inside }
    }

    fn read(&self, uri: &str) -> Result<Imported, MeshError> {
        let path = self.inside.join("scene.gltf");
        let uri = uri.replace('\\', "\\\\");
        fs::write(&path, samples::gltf(&format!(",\"uri\":\"{uri}\""))).unwrap();
        read(&path)
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The contents of a buffer that every scene here is satisfied with.
fn buffer() -> Vec<u8> {
    let scene = samples::all().into_iter().find(|sample| sample.name == "glb").unwrap();
    scene.bytes[scene.bytes.len() - 72..].to_vec()
}

#[test]
fn a_scene_opens_files_of_its_folder_and_no_others() {
    let trap = Trap::new("uri");
    for uri in ["good.bin", "deeper/a%20b.bin", "%67ood.bin", "deeper/a b.bin"] {
        assert!(trap.read(uri).is_ok(), "{uri}: {}", trap.read(uri).unwrap_err());
    }
    let canary = trap.root.join("canary.bin");
    let canary = canary.to_str().unwrap();
    let escapes = [
        "../canary.bin".to_owned(),
        "%2e%2e/canary.bin".to_owned(),
        "..%2fcanary.bin".to_owned(),
        "%2E%2E%2Fcanary.bin".to_owned(),
        "deeper/../../canary.bin".to_owned(),
        "./../canary.bin".to_owned(),
        "..\\canary.bin".to_owned(),
        "..%5ccanary.bin".to_owned(),
        canary.to_owned(),
        canary.replace('/', "%2f"),
        format!("file://{canary}"),
        format!("FILE:{canary}"),
        "http://localhost/canary.bin".to_owned(),
        "C:/canary.bin".to_owned(),
        "good.bin%00/../../canary.bin".to_owned(),
        "%FF%FE".to_owned(),
        "%".to_owned(),
        String::new(),
        "a".repeat(5000),
    ];
    for uri in escapes {
        // The canary would do as a buffer, so whoever opens it succeeds.
        let error = trap.read(&uri).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error.cause, Cause::Neighbour { .. }), "{uri}: {text}");
        assert!(text.contains("scene.gltf, buffers[0]: ") && text.len() < 1000, "{text}");
    }
}

#[cfg(unix)]
#[test]
fn links_pipes_and_devices_are_not_followed() {
    let trap = Trap::new("links");
    std::os::unix::fs::symlink(trap.root.join("canary.bin"), trap.inside.join("link.bin")).unwrap();
    std::os::unix::fs::symlink(&trap.root, trap.inside.join("folder")).unwrap();
    // To open a pipe that nobody writes to would wait forever.
    let pipe = Command::new("mkfifo").arg(trap.inside.join("pipe.bin")).status();
    assert!(pipe.is_ok_and(|status| status.success()), "mkfifo makes the pipe of this test");
    for uri in ["link.bin", "folder/canary.bin", "pipe.bin", "deeper"] {
        let error = trap.read(uri).unwrap_err();
        assert!(matches!(error.cause, Cause::Neighbour { .. }), "{uri}: {error}");
    }
    let error = read(&trap.inside.join("pipe.obj")).unwrap_err();
    assert!(matches!(error.cause, Cause::Io(_)), "{error}");
    assert!(matches!(read(Path::new("/dev/null")).unwrap_err().cause, Cause::UnknownFormat { .. }));
}
