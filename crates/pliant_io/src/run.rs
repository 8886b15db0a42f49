//! Run folders: what a simulation leaves behind. Every file in one is complete at every moment.
//!
//! | file | what it is |
//! |---|---|
//! | `scene.toml` | the scene with its includes, all changes and every default |
//! | `metrics.csv`, `metrics.jsonl` | the probes, energy, strain and hash after every frame |
//! | `checkpoint-N.bin` | the world after N frames, the last two of them |
//! | `hash.txt` | frames and hash of a run that has ended |
//! | `log.txt` | what happened |
//!
//! A file is written under another name, brought to the disk, and renamed. A run that was killed at
//! any instant goes on from its last checkpoint and ends with the hash of one that was not.

use std::error::Error;
use std::fmt::{self, Write};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pliant::World;
use pliant::measure::{Measure, energy, strain};
use serde_json::{Value, json};

use crate::draft;
use crate::scene::{Play, Scene};

/// Measured after every frame, whatever the probes.
const ALWAYS: [&Measure; 2] = [energy::KINETIC, strain::LARGEST];

/// Checkpoints that are kept: one more than is needed, in case the last cannot be read.
const KEPT: usize = 2;

/// What to do with a run that is in the folder already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it, and say so.
    Keep,
    /// Remove it.
    Replace,
}

/// A folder in which a run is written down.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    csv: String,
    jsonl: String,
    log: String,
}

/// What was written down after a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// How many frames had been taken.
    pub frame: u64,
    /// The hash of the world.
    pub hash: u64,
}

impl RunFolder {
    /// Begins a run of a scene.
    ///
    /// # Errors
    /// If the folder has a run already and it is to be kept, or something cannot be written.
    pub fn create(
        path: &Path,
        existing: Existing,
        scene: &Scene,
        play: &Play,
    ) -> Result<Self, RunError> {
        fs::create_dir_all(path).map_err(|error| RunError::write(path, error))?;
        let there = path.join("scene.toml").exists();
        if there && existing == Existing::Keep {
            return Err(RunError::Taken { path: path.into() });
        }
        let mut run = Self {
            path: path.into(),
            csv: csv_header(play),
            jsonl: String::new(),
            log: String::new(),
        };
        run.clear(is_ours)?;
        for (name, bytes) in scene.files() {
            let file = path.join(&name);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder).map_err(|error| RunError::write(folder, error))?;
            }
            run.write(&name, &bytes)?;
        }
        run.log(&format!("pliant {} runs {}", env!("CARGO_PKG_VERSION"), scene.name));
        run.save()?;
        // Last: a folder with it is a run, and has all that `resume` reads, whenever the program dies.
        run.write("scene.toml", scene.resolved().as_bytes())?;
        Ok(run)
    }

    /// Goes on with a run: the scene is read again, and continues after the last checkpoint that can
    /// be read.
    ///
    /// # Errors
    /// If there is no run, or its scene cannot be read.
    pub fn resume(path: &Path) -> Result<(Self, Scene, Play), RunError> {
        let (scene, mut play) = open(path)?;
        let mut run = Self {
            path: path.into(),
            csv: read(&path.join("metrics.csv"))?,
            jsonl: read(&path.join("metrics.jsonl"))?,
            log: read(&path.join("log.txt"))?,
        };
        run.clear(draft::is_left_over)?;
        let mut frame = 0;
        for (number, file) in checkpoints(path)?.into_iter().rev() {
            let bytes = fs::read(&file).map_err(|error| RunError::read(&file, error))?;
            match World::restore(&bytes) {
                Ok(world) => {
                    frame = number;
                    play.resume(world, number);
                    break;
                }
                Err(error) => run.log(&format!("{} is left out: {error}", file.display())),
            }
        }
        run.forget_after(frame);
        run.log(&format!("goes on after frame {frame}"));
        Ok((run, scene, play))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes down how the world is after a frame, and returns the line of JSON.
    pub fn record(&mut self, play: &Play) -> String {
        let (frame, hash) = (play.frame(), play.world.hash());
        let always = ALWAYS.map(|measure| (measure.of)(&play.world));
        let values: Vec<f64> = always.into_iter().chain(play.readings()).collect();
        let _ = write!(self.csv, "{frame},{},{hash:016x}", play.world.time); // a String takes all
        values.iter().for_each(|value| {
            let _ = write!(self.csv, ",{value}");
        });
        self.csv.push('\n');
        let names = names(play);
        let named = names.iter().zip(&values).map(|(name, value)| (name.clone(), json!(value)));
        let line = json!({
            "frame": frame,
            "time": play.world.time,
            "hash": format!("{hash:016x}"),
            "values": Value::Object(named.collect()),
        });
        let line = line.to_string();
        self.jsonl.push_str(&line);
        self.jsonl.push('\n');
        line
    }

    /// Notes a line in the log.
    pub fn log(&mut self, line: &str) {
        self.log.push_str(line);
        self.log.push('\n');
    }

    /// Saves the world, so that the run can go on from here.
    ///
    /// # Errors
    /// If something cannot be written; what was saved before is still there.
    pub fn checkpoint(&mut self, play: &Play) -> Result<(), RunError> {
        // First what leads here: a checkpoint without its metrics would leave a gap.
        self.save()?;
        let name = format!("checkpoint-{:09}.bin", play.frame());
        self.write(&name, &play.world.save())?;
        let all = checkpoints(&self.path)?;
        for (_, old) in all.iter().take(all.len().saturating_sub(KEPT)) {
            fs::remove_file(old).map_err(|error| RunError::write(old, error))?;
        }
        Ok(())
    }

    /// Ends the run.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn finish(&mut self, play: &Play) -> Result<(), RunError> {
        let hash = play.world.hash();
        self.log(&format!("ends after frame {} with hash {hash:016x}", play.frame()));
        self.checkpoint(play)?;
        self.write("hash.txt", format!("{} {hash:016x}\n", play.frame()).as_bytes())
    }

    fn save(&self) -> Result<(), RunError> {
        self.write("metrics.csv", self.csv.as_bytes())?;
        self.write("metrics.jsonl", self.jsonl.as_bytes())?;
        self.write("log.txt", self.log.as_bytes())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        let path = self.path.join(name);
        draft::write(&path, bytes).map_err(|error| RunError::write(&path, error))
    }

    /// Removes files whose names are `unwanted`.
    fn clear(&self, unwanted: impl Fn(&str) -> bool) -> Result<(), RunError> {
        for file in files(&self.path)? {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if unwanted(name) {
                fs::remove_file(&file).map_err(|error| RunError::write(&file, error))?;
            }
        }
        Ok(())
    }

    /// Drops what was written down after a frame.
    fn forget_after(&mut self, frame: u64) {
        let kept = |text: &str, header: usize, number: &dyn Fn(&str) -> Option<u64>| {
            let wanted = |(i, line): &(usize, &str)| {
                *i < header || number(line).is_some_and(|number| number <= frame)
            };
            let lines = text.lines().enumerate().filter(wanted);
            lines.map(|(_, line)| format!("{line}\n")).collect::<String>()
        };
        let first = |line: &str| line.split(',').next()?.parse().ok();
        let in_json = |line: &str| serde_json::from_str::<Value>(line).ok()?["frame"].as_u64();
        self.csv = kept(&self.csv, 1, &first);
        self.jsonl = kept(&self.jsonl, 0, &in_json);
    }
}

/// The scene of a run, as it began.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn open(path: &Path) -> Result<(Scene, Play), RunError> {
    let file = path.join("scene.toml");
    if !file.exists() {
        return Err(RunError::NoRun { path: path.into() });
    }
    let scene = Scene::load(&file).map_err(|error| RunError::Scene(error.to_string()))?;
    let play = scene.build().map_err(|error| RunError::Scene(error.to_string()))?;
    Ok((scene, play))
}

/// The hashes that were written down.
///
/// # Errors
/// If they cannot be read.
pub fn records(path: &Path) -> Result<Vec<Record>, RunError> {
    let text = read(&path.join("metrics.jsonl"))?;
    let record = |line: &str| {
        let value = serde_json::from_str::<Value>(line).ok()?;
        let hash = u64::from_str_radix(value["hash"].as_str()?, 16).ok()?;
        Some(Record { frame: value["frame"].as_u64()?, hash })
    };
    Ok(text.lines().filter_map(record).collect())
}

/// Names and units of what is written down.
fn names(play: &Play) -> Vec<String> {
    let named = |name: &str, unit: &str| match unit {
        "" => name.to_owned(),
        _ => format!("{name} ({unit})"),
    };
    let always = ALWAYS.iter().map(|measure| named(measure.name, measure.unit));
    always.chain(play.probes().map(|(name, unit)| named(name, unit))).collect()
}

fn csv_header(play: &Play) -> String {
    let quoted = |name: String| match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"").replace(['\n', '\r'], " ")),
        false => name,
    };
    let columns: Vec<String> = names(play).into_iter().map(quoted).collect();
    format!("frame,time (s),hash,{}\n", columns.join(","))
}

fn is_ours(name: &str) -> bool {
    let files = ["scene.toml", "metrics.csv", "metrics.jsonl", "hash.txt", "log.txt"];
    files.contains(&name) || frame_of(name).is_some() || draft::is_left_over(name)
}

/// The frame of a checkpoint, by its name.
fn frame_of(name: &str) -> Option<u64> {
    name.strip_prefix("checkpoint-")?.strip_suffix(".bin")?.parse().ok()
}

/// Every checkpoint, in the order of time.
fn checkpoints(path: &Path) -> Result<Vec<(u64, PathBuf)>, RunError> {
    let number = |file: PathBuf| Some((frame_of(file.file_name()?.to_str()?)?, file));
    let mut found: Vec<_> = files(path)?.into_iter().filter_map(number).collect();
    found.sort();
    Ok(found)
}

fn files(path: &Path) -> Result<Vec<PathBuf>, RunError> {
    let wrong = |error| RunError::read(path, error);
    let entries = fs::read_dir(path).map_err(wrong)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()).map_err(wrong));
    let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    Ok(paths.into_iter().filter(|path| path.is_file()).collect())
}

fn read(path: &Path) -> Result<String, RunError> {
    fs::read_to_string(path).map_err(|error| RunError::read(path, error))
}

/// Why a run cannot be written down or gone on with.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError {
    /// The folder has a run already.
    Taken {
        /// The folder.
        path: PathBuf,
    },
    /// The folder has no run.
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// A file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The scene of the run is wrong.
    Scene(String),
}

impl RunError {
    fn write(path: &Path, error: io::Error) -> Self {
        Self::Write { path: path.into(), error }
    }

    fn read(path: &Path, error: io::Error) -> Self {
        Self::Read { path: path.into(), error }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { path } => write!(
                f,
                "{} has a run already; go on with it by --resume, or replace it by --force",
                path.display()
            ),
            Self::NoRun { path } => {
                write!(f, "{} has no run: there is no scene.toml in it", path.display())
            }
            Self::Write { path, error } => write!(
                f,
                "{} cannot be written: {error}; what was saved before is still there: make room, or \
                 choose another folder by --out, then go on by --resume",
                path.display()
            ),
            Self::Read { path, error } => write!(f, "{} cannot be read: {error}", path.display()),
            Self::Scene(error) => write!(f, "{error}"),
        }
    }
}

impl Error for RunError {}
