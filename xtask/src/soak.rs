//! `cargo xtask soak`: a run is killed at random instants, again and again, and must end as one that
//! was not.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::cmd::{cargo, empty_folder, output, root, run};

/// Kills if none are asked for.
const KILLS: u32 = 50;

/// A run with keyframes, events and contact, and a checkpoint every frame or two, so that kills meet
/// writes.
const RUN: &str = "--checkpoint 0.02 --no-pictures --time 4";

pub(crate) fn main(words: &[String]) -> Result<ExitCode, String> {
    let kills = match words {
        [] => KILLS,
        [count] => count.parse().map_err(|_| format!("`{count}` is not a number of kills"))?,
        _ => return Err("usage: cargo xtask soak [KILLS]".into()),
    };
    run(&mut cargo("build --release --package pliant_cli"))?;
    let folder = empty_folder("soak")?;
    let program = crate::cmd::scratch().with_file_name("release").join("pliant");
    let pliant = |line: &str| {
        let mut command = Command::new(&program);
        command.args(line.split_whitespace()).current_dir(&folder);
        command
    };
    output(&mut pliant(&format!("run folding --quick --out whole {RUN}")))?;
    let whole = result(&folder, "whole")?;
    // The clock's last digits: another instant every time the chore is run.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.subsec_nanos());
    let mut random = u64::from(now) | 1;
    let (mut killed, mut finished) = (0, 0);
    let mut begun = false;
    while killed < kills {
        let line = match begun {
            true => format!("run --resume killed {RUN}"),
            false => format!("run folding --quick --out killed --force {RUN}"),
        };
        let mut child = pliant(&line)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("pliant did not start: {e}"))?;
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_millis(20 + (random >> 33) % 600));
        let done = child.try_wait().map_err(|e| e.to_string())?;
        let _ = child.kill();
        child.wait().map_err(|e| e.to_string())?;
        begun = folder.join("killed/log.txt").exists();
        if done.is_some_and(|status| status.success()) {
            finished += 1;
            compare(&whole, &result(&folder, "killed")?)?;
            begun = false;
        } else if let Some(status) = done {
            return Err(format!("`pliant {line}` failed: {status}"));
        } else {
            killed += 1;
        }
    }
    output(&mut pliant(&format!("run --resume killed {RUN}")))?;
    compare(&whole, &result(&folder, "killed")?)?;
    println!("{killed} kills, {} runs to the end, all with the same hash", finished + 1);
    println!("below {}", folder.strip_prefix(root()).unwrap_or(&folder).display());
    Ok(ExitCode::SUCCESS)
}

/// What a run ended with.
fn result(folder: &Path, name: &str) -> Result<[String; 2], String> {
    let read = |file: &str| {
        let path = folder.join(name).join(file);
        std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
    };
    Ok([read("hash.txt")?, read("metrics.csv")?])
}

fn compare(whole: &[String; 2], killed: &[String; 2]) -> Result<(), String> {
    if whole == killed {
        return Ok(());
    }
    Err(format!("a run that was killed ended with {}, not with {}", killed[0], whole[0]))
}
