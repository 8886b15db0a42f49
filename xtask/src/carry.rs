//! `cargo xtask carry`: the program, the timings and the GPU's tests in one folder, to be run on a machine that has a
//! GPU with its driver and nothing else: no Rust, no display, no Vulkan loader.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::cmd::{cargo, empty_folder, output, run, scratch, text_of};
use crate::tools;

/// What is run there as `./with-gpu PROGRAM ...`, from any folder.
const WITH_GPU: &str = include_str!("carry/with-gpu");

pub(crate) fn main(words: &[String]) -> Result<ExitCode, String> {
    if !words.is_empty() {
        return Err("usage: cargo xtask carry".into());
    }
    run(&mut cargo("build --release -p pliant_cli -p pliant_gpu --bins --example gpu_time"))?;
    let line = "test --release -p pliant_gpu --tests --no-run --message-format json";
    let told = output(&mut cargo(line))?;
    let folder = empty_folder("carry")?;
    let release = scratch().with_file_name("release");
    copy(&release.join("pliant"), &folder.join("pliant"))?;
    copy(&release.join("examples/gpu_time"), &folder.join("gpu_time"))?;
    for (name, path) in tests(&told) {
        copy(&path, &folder.join(format!("test_{name}")))?;
    }
    let loader = tools::vulkan_loader()
        .ok_or("there is no libvulkan.so.1 here; as root, run `apt-get install libvulkan1`")?;
    fs::copy(loader, folder.join("libvulkan.so.1")).map_err(|e| format!("libvulkan.so.1: {e}"))?;
    let script = folder.join("with-gpu");
    fs::write(&script, WITH_GPU).map_err(|e| format!("{}: {e}", script.display()))?;
    run(Command::new("chmod").arg("+x").arg(&script))?;
    let packed = folder.with_extension("tar.gz");
    let mut tar = Command::new("tar");
    run(tar.arg("-czf").arg(&packed).arg("-C").arg(scratch()).arg("carry"))?;
    println!(
        "tar -xzf carry.tar.gz there, then carry/with-gpu gpu_time 100 w3, carry/with-gpu test_gpu, …"
    );
    println!("packed as {}", packed.display());
    Ok(ExitCode::SUCCESS)
}

/// Copies a program without what only a debugger reads.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    run(Command::new("strip").arg("-o").arg(to).arg(from))
}

/// The tests that cargo has told of, by name.
fn tests(told: &str) -> Vec<(String, PathBuf)> {
    let is_test = |line: &&str| line.contains("\"kind\":[\"test\"]");
    let program = |line: &str| {
        let path = PathBuf::from(text_of("executable", line)?);
        let name = path.file_name()?.to_str()?.split('-').next()?.to_owned();
        Some((name, path))
    };
    told.lines().filter(is_test).filter_map(program).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_in_what_cargo_tells() {
        let line = |kind: &str, path: &str| {
            format!("{{\"target\":{{\"kind\":[\"{kind}\"]}},\"executable\":{path}}}\n")
        };
        let told = line("test", "\"/t/release/deps/gpu-01ab\"")
            + &line("lib", "\"/t/release/deps/pliant_gpu-02\"")
            + &line("test", "null");
        assert_eq!(tests(&told), [("gpu".to_owned(), PathBuf::from("/t/release/deps/gpu-01ab"))]);
    }
}
