//! Exports when the program is killed, the disk is full, or the folder cannot be written: no file
//! that a reader takes for whole and is not.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pliant_io::export::Recording;
use pliant_io::mesh;

use super::{Folder, err, out};

/// A run that takes a second or so, written in every format.
const RUN: &str = "run hanging-cloth --quick --time 5 --no-pictures --threads 1 \
                   --export gltf,mdd,npz,obj,pc2,ply,recording,usd,vtk --out run";

/// Reads every file that has its name, as far as it says that it goes; returns how many frames the
/// formats to which frames are appended have.
fn read_all(run: &Path) -> Vec<usize> {
    let mut frames = Vec::new();
    let Ok(files) = fs::read_dir(run) else { return frames };
    for path in files.map(|file| file.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let ending = path.extension().unwrap_or_default().to_str().unwrap();
        if name.starts_with('.') {
            continue; // Hidden: no one takes it for a result.
        }
        let bytes = fs::read(&path).unwrap();
        let text = || String::from_utf8_lossy(&bytes);
        match ending {
            "pc2" => frames.push(frames_of_pc2(&bytes)),
            "recording" => frames.push(frames_of_recording(&path)),
            "mdd" => {
                let [frames, points] = [0, 4].map(|at| big_endian(&bytes, at));
                assert_eq!(bytes.len(), 8 + 4 * frames + 12 * frames * points, "{name}");
            }
            "npz" => assert!(bytes[bytes.len() - 22..].starts_with(b"PK\x05\x06"), "{name}"),
            // A rope, of lines alone, is not read as a mesh.
            "obj" if !text().contains("\nf ") => assert!(text().ends_with('\n'), "{name}"),
            "obj" | "ply" | "glb" => {
                mesh::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
            "vtp" | "vtu" => assert!(text().trim_end().ends_with("</VTKFile>"), "{name}"),
            "pvd" => {
                let text = text();
                assert!(text.trim_end().ends_with("</VTKFile>"), "{name}");
                for part in text.split("file=\"").skip(1) {
                    let named = part.split('"').next().unwrap();
                    assert!(run.join(named).exists(), "{name} names {named}");
                }
            }
            "usda" => {
                let count = |c: char| text().matches(c).count();
                assert!(count('{') > 0 && count('{') == count('}'), "{name}");
                assert_eq!(count('('), count(')'), "{name}");
            }
            _ => {}
        }
    }
    frames
}

fn big_endian(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn frames_of_pc2(bytes: &[u8]) -> usize {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (points, frames) = (number(16), number(28));
    let content = &bytes[32..][..12 * points * frames];
    let finite = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap()).is_finite();
    assert!(content.chunks_exact(4).all(finite));
    frames
}

/// Up to one that was being written.
fn frames_of_recording(path: &Path) -> usize {
    Recording::open(path).unwrap().take_while(Result::is_ok).count()
}

#[test]
fn a_killed_export_is_whole_as_far_as_it_says() {
    let folder = Folder::new("export-kill");
    let run = folder.0.join("run");
    let mut cut_short = 0;
    for wait in [60, 150, 260, 340, 480, 610] {
        let line = format!("{RUN} --force");
        let mut child =
            folder.pliant(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let frames = read_all(&run);
        cut_short += usize::from(frames.iter().any(|frames| (1..301).contains(frames)));
    }
    assert!(cut_short > 0, "no kill was while frames were written: that tests nothing");
    let converted = folder.run("convert run/run.recording --to usd,obj --out converted");
    assert!(converted.status.success(), "{}", err(&converted));
    read_all(&folder.0.join("converted"));
    assert!(folder.0.join("converted/run.usda").exists());
}

/// A limit on the size of files stands for a disk that is full.
#[test]
#[cfg(unix)]
fn an_export_onto_a_full_disk_is_said_so_and_leaves_nothing_half() {
    let folder = Folder::new("export-full");
    // In blocks of 512 bytes: a part of the first frame, and of some frame in the middle.
    for blocks in [20, 90, 400] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {RUN} --force");
        let mut limited = Command::new("sh");
        limited.args(["-c", &script, env!("CARGO_BIN_EXE_pliant")]).current_dir(&folder.0);
        let output = limited.output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{blocks}: {}{}", out(&output), err(&output));
        assert!(!err(&output).contains("panicked"), "{}", err(&output));
        read_all(&folder.0.join("run"));
        let left = fs::read_dir(folder.0.join("run")).unwrap();
        let hidden = |name: &str| name.starts_with(".pliant-") || name.ends_with(".part");
        let left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| hidden(name.to_str().unwrap())), "{left:?}");
    }
}

#[test]
#[cfg(unix)]
fn an_export_into_a_folder_that_cannot_be_written_names_it() {
    let folder = Folder::new("export-locked");
    let run = folder.run("run hanging-cloth --quick --time 0.1 --no-pictures --out run");
    assert!(run.status.success(), "{}", err(&run));
    // Not even the superuser can write there.
    let output = folder.run("convert run --to usd --out /proc/pliant");
    assert_eq!(output.status.code(), Some(4), "{}", err(&output));
    assert!(err(&output).contains("/proc/pliant"), "{}", err(&output));
}

#[test]
fn a_finished_run_is_converted_by_running_it_again() {
    let folder = Folder::new("convert-run");
    let line = "run hanging-cloth --quick --time 0.1 --no-pictures --out run --export npz";
    assert!(folder.run(line).status.success());
    let converted = folder.run("convert run --to npz --out again");
    assert!(converted.status.success(), "{}", err(&converted));
    let [a, b] =
        ["run/run.npz", "again/run.npz"].map(|name| fs::read(folder.0.join(name)).unwrap());
    assert!(a == b, "the same frames make the same file");
    let resumed = folder.run("run --resume run --time 0.2 --no-pictures --export npz");
    assert!(err(&resumed).contains("pliant convert run --to"), "{}", err(&resumed));
}

#[test]
fn layers_and_films_are_made_or_refused_with_what_there_is() {
    let folder = Folder::new("films");
    let line = "run hanging-cloth --quick --time 0.2 --width 64 --film png,gif --show strain=0.05";
    let run = folder.run(line);
    assert!(run.status.success(), "{}", err(&run));
    for name in ["animation.gif", "animation/00000.png", "animation/00006.png", "picture.png"] {
        assert!(folder.0.join("out/hanging-cloth").join(name).exists(), "{name}");
    }
    for (option, known) in
        [("--show stress", "strain"), ("--show strain=-1", "strain=0.05"), ("--film avi", "mp4")]
    {
        let output = folder.run(&format!("run hanging-cloth --quick --time 0.1 {option}"));
        assert!(!output.status.success() && err(&output).contains(known), "{}", err(&output));
    }
}
