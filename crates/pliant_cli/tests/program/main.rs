//! The program from outside: what it prints, leaves behind and returns, also when it is killed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod exports;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use pliant::World;

/// A folder of its own for a test, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("pliant-program-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn pliant(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        command.args(line.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        // Without a command the program would open a window.
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command
    }

    fn run(&self, line: &str) -> Output {
        self.pliant(line).output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A cloth that takes a second or two, with many checkpoints.
const RUN: &str = "run hanging-cloth --quick --time 6 --checkpoint 0.1 --no-pictures --threads 1";

#[test]
fn a_newcomer_gets_pictures_numbers_and_the_next_command() {
    let folder = Folder::new("newcomer");
    let output = folder.run("run hanging-cloth --quick --time 0.2 --width 64");
    assert!(output.status.success(), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("Hanging cloth: a cotton cloth"), "{text}");
    assert!(text.contains("Try next: pliant run"), "{text}");
    assert!(err(&output).is_empty(), "no progress bar without a terminal: {}", err(&output));
    let run = Path::new("out/hanging-cloth");
    let files = ["animation.gif", "picture.png", "scene.toml", "metrics.jsonl", "log.txt"];
    files.iter().for_each(|name| assert!(folder.0.join(run).join(name).exists(), "{name}"));
    let csv = folder.read("out/hanging-cloth/metrics.csv");
    assert_eq!(csv.lines().count(), 13, "a header and 12 frames: {csv}");
    assert!(csv.starts_with("frame,time (s),hash,kinetic energy (J),largest strain,"), "{csv}");
    assert!(folder.read("out/hanging-cloth/hash.txt").starts_with("12 "));
}

#[test]
fn json_is_one_line_a_frame_and_nothing_else() {
    let folder = Folder::new("json");
    let output = folder.run("run hanging-cloth --quick --time 0.1 --no-pictures --json");
    let lines: Vec<serde_json::Value> =
        out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[5]["frame"], 6);
    assert!(lines[5]["values"]["cloth lowest point (m)"].as_f64().unwrap() < 0.0, "{lines:?}");
}

#[test]
fn what_is_wrong_is_said_on_standard_error_with_its_exit_code() {
    let folder = Folder::new("wrong");
    fs::write(folder.0.join("typo.toml"), "format = 1\n[solver]\nsubsteeps = 20\n").unwrap();
    fs::write(
        folder.0.join("broken.toml"),
        "format = 1\ntime = 0.1\n[[body]]\nkind = \"rope\"\nlength = 1\n\
         [[check]]\nwhat = \"y\"\nmin = 5\n",
    )
    .unwrap();
    fs::write(folder.0.join("file"), "").unwrap();
    let cases = [
        ("run typo.toml", 1, "typo.toml:3:1: no key \"substeeps\""),
        ("check typo.toml", 1, "did you mean \"substeps\""),
        ("run hanging-cloht", 1, "did you mean \"hanging-cloth\""),
        ("run nothing.toml", 1, "nothing.toml"),
        ("run hanging-cloth --set body.cloth.cell=3s", 1, "which is no m"),
        ("run hanging-cloth --set substeps", 1, "NAME=VALUE"),
        ("run hanging-cloth --time nan", 1, "--time"),
        ("run hanging-cloth --stepping euler", 1, "explicit_euler"),
        ("run --nothing", 2, "--nothing"),
        ("fly", 2, "fly"),
        ("run broken.toml --no-pictures", 3, "checks do not hold"),
        ("run broken.toml --no-pictures --set threads=2", 3, "checks do not hold"),
        ("check broken.toml --run", 3, "do not hold"),
        ("run broken.toml --no-pictures --out file/run", 4, "cannot be written"),
        ("run --resume nowhere", 4, "has no run"),
        ("replay nowhere --verify", 4, "has no run"),
        ("explain yuong", 1, "did you mean \"young\""),
        ("scenes moom", 1, "moon"),
        ("bench nothing", 1, "no scene"),
        ("verify slidng", 1, "did you mean \"sliding\""),
        ("verify sliding --set frction=0.1", 1, "did you mean \"friction\""),
        ("verify sliding slope --set speeed=1", 1, "did you mean \"speed\""),
        ("verify sliding --set mu=7", 1, "from 0.1 to 1"),
        ("verify sliding --set mu=rough", 1, "not a number"),
        ("verify neo_hookean --quick", 1, "--quick"),
        ("verify --backend tpu", 2, "tpu"),
        ("verify --soak 0.1", 1, "--soak"),
        ("verify --soak 1 --set particles=5", 1, "1000 to"),
        ("verify --soak 1 --set mass=5", 1, "particles beside"),
        ("convert file --to usd", 1, "no recording"),
        ("convert file.obj --to usd", 1, "file.obj"),
        ("run hanging-cloth --quick --export abc", 1, "usd"),
    ];
    for (line, code, says) in cases {
        let output = folder.run(line);
        assert_eq!(output.status.code(), Some(code), "{line}: {}", err(&output));
        assert!(err(&output).contains(says), "{line}: {}", err(&output));
        assert!(!err(&output).contains("panicked"), "{line}: {}", err(&output));
    }
    let changed = folder.run("run broken.toml --no-pictures --set gravity=0,0,0");
    assert!(changed.status.success(), "what was changed on purpose may break a check");
    assert!(out(&changed).contains("check: y is WRONG: "), "{}", out(&changed));
}

#[test]
fn a_run_is_not_replaced_unless_it_is_asked_for() {
    let folder = Folder::new("replace");
    let line = "run hanging-cloth --quick --time 0.05 --no-pictures --out mine";
    assert!(folder.run(line).status.success());
    let again = folder.run(line);
    assert_eq!(again.status.code(), Some(4));
    assert!(err(&again).contains("--resume") && err(&again).contains("--force"), "{}", err(&again));
    assert!(folder.run(&format!("{line} --force")).status.success());
}

#[test]
fn printing_into_a_closed_pipe_or_a_full_disk_is_no_panic() {
    let folder = Folder::new("pipe");
    let mut child =
        folder.pliant("explain").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let closed = child.wait_with_output().unwrap();
    assert!(!err(&closed).contains("panicked"), "{}", err(&closed));
    if let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") {
        let full = folder.pliant("scenes").stdout(full).output().unwrap();
        assert_eq!(full.status.code(), Some(4), "{}", err(&full));
        assert!(!err(&full).contains("panicked"), "{}", err(&full));
    }
}

/// Every file of a run is whole: a checkpoint can be restored, every line has all its columns.
fn assert_whole(run: &Path) {
    let Ok(files) = fs::read_dir(run) else { return };
    for file in files.map(|file| file.unwrap().path()) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".part") {
            continue; // Not a file of the run: no one takes it for one.
        }
        let Ok(bytes) = fs::read(&file) else { continue }; // removed meanwhile
        match name.as_str() {
            "scene.toml" => {
                let text = String::from_utf8(bytes).unwrap();
                pliant_io::scene::Scene::parse(&name, &text).unwrap();
            }
            "metrics.csv" => {
                let text = String::from_utf8(bytes).unwrap();
                let columns = text.lines().next().unwrap().split(',').count();
                assert!(text.lines().all(|line| line.split(',').count() == columns), "{text}");
                assert!(text.ends_with('\n'), "{text}");
            }
            "metrics.jsonl" => {
                let text = String::from_utf8(bytes).unwrap();
                text.lines().for_each(|line| {
                    drop(serde_json::from_str::<serde_json::Value>(line).unwrap())
                });
            }
            _ if name.ends_with(".bin") => drop(World::restore(&bytes).unwrap()),
            _ => {}
        }
    }
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_hash_of_one_that_was_not() {
    let folder = Folder::new("kill");
    let began = Instant::now();
    let whole = folder.run(&format!("{RUN} --out whole"));
    let took = began.elapsed();
    assert!(whole.status.success(), "{}", err(&whole));
    let run = folder.0.join("killed");
    let mut line = format!("{RUN} --out killed");
    let mut kills = 0;
    for attempt in 0..40 {
        let mut child =
            folder.pliant(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Later and later, so that in the end it gets through: a quarter of a whole run in the first three.
        std::thread::sleep(took / 20 + took / 30 * attempt);
        let finished = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_whole(&run);
        if finished {
            break;
        }
        kills += 1;
        if run.join("scene.toml").exists() {
            line = "run --resume killed --time 6 --checkpoint 0.1 --no-pictures".into();
        }
    }
    let last = folder.run("run --resume killed --time 6 --no-pictures");
    assert!(last.status.success(), "{}", err(&last));
    assert!(kills > 2, "it was killed {kills} times: that tests nothing");
    for name in ["hash.txt", "metrics.csv", "metrics.jsonl", "scene.toml"] {
        let (a, b) =
            (folder.read(&format!("whole/{name}")), folder.read(&format!("killed/{name}")));
        assert_eq!(a, b, "{name} after {kills} kills");
    }
    let left: Vec<_> = fs::read_dir(run).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_str().unwrap().ends_with(".part")), "{left:?}");
}

#[test]
fn a_damaged_checkpoint_is_left_out() {
    let folder = Folder::new("damaged");
    assert!(folder.run(&format!("{RUN} --out run")).status.success());
    let hash = folder.read("run/hash.txt");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.0.join("run")).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "bin"));
    files.sort();
    assert_eq!(files.len(), 2);
    let mut bytes = fs::read(&files[1]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&files[1], bytes).unwrap();
    let output = folder.run("run --resume run --time 6 --no-pictures");
    assert!(output.status.success(), "{}", err(&output));
    assert_eq!(folder.read("run/hash.txt"), hash);
    assert!(folder.read("run/log.txt").contains("is left out"));
}

/// A limit on the size of files stands for a disk that is full.
#[test]
#[cfg(unix)]
fn a_full_disk_leaves_no_half_file_and_the_run_goes_on_later() {
    let folder = Folder::new("full");
    assert!(folder.run(&format!("{RUN} --out whole")).status.success());
    let script = format!("trap '' XFSZ; ulimit -f 40; exec \"$0\" {RUN} --out run");
    let mut limited = Command::new("sh");
    limited.args(["-c", &script, env!("CARGO_BIN_EXE_pliant")]).current_dir(&folder.0);
    let output = limited.output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}{}", out(&output), err(&output));
    assert!(err(&output).contains("cannot be written"), "{}", err(&output));
    assert!(err(&output).contains("--resume"), "{}", err(&output));
    assert_whole(&folder.0.join("run"));
    let left = fs::read_dir(folder.0.join("run")).unwrap().map(|file| file.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_str().unwrap().ends_with(".part")));
    let resumed = folder.run("run --resume run --time 6 --no-pictures");
    assert!(resumed.status.success(), "{}", err(&resumed));
    assert_eq!(folder.read("run/hash.txt"), folder.read("whole/hash.txt"));
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written_is_said_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("read-only");
    let locked = folder.0.join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        // The superuser writes everywhere but into the system's own files.
        let output = folder.run("run hanging-cloth --quick --no-pictures --out /proc/pliant");
        assert_eq!(output.status.code(), Some(4), "{}", err(&output));
        assert!(err(&output).contains("cannot be written"), "{}", err(&output));
        return;
    }
    let output = folder.run("run hanging-cloth --quick --no-pictures --out locked/run");
    assert_eq!(output.status.code(), Some(4), "{}", err(&output));
    assert!(err(&output).contains("cannot be written"), "{}", err(&output));
}

#[test]
fn a_replay_has_the_same_hashes_and_finds_the_frame_that_differs() {
    let folder = Folder::new("replay");
    let line = "run hanging-cloth --quick --time 0.5 --no-pictures --out run";
    assert!(folder.run(line).status.success());
    let same = folder.run("replay run --verify --threads 2");
    assert!(same.status.success(), "{}", err(&same));
    assert_eq!(out(&same), "30 frames, all with the same hash\n");
    let path = folder.0.join("run/metrics.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let hash = "0123456789abcdef";
    let start = lines[16].find("\"hash\":\"").unwrap() + 8;
    let end = start + lines[16][start..].find('"').unwrap();
    lines[16].replace_range(start..end, hash);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let differs = folder.run("replay run --verify");
    assert_eq!(differs.status.code(), Some(3));
    assert!(err(&differs).contains("differs first after frame 17"), "{}", err(&differs));
}

#[test]
fn a_new_scene_runs_and_is_not_written_twice() {
    let folder = Folder::new("new");
    assert!(folder.run("new mine").status.success());
    let check = folder.run("check mine.toml");
    assert!(check.status.success(), "{}", err(&check));
    assert!(out(&check).contains("jelly"), "{}", out(&check));
    let again = folder.run("new mine");
    assert_eq!(again.status.code(), Some(4));
    assert!(err(&again).contains("it is not replaced"), "{}", err(&again));
}

/// Where the project is tested there must be a GPU, if only one of software; a user's machine may have none.
#[test]
fn a_gpu_is_found_runs_a_scene_and_is_timed() {
    let folder = Folder::new("gpu");
    let about = out(&folder.run("doctor"));
    if !about.contains("the same on the GPU: ") {
        let needs = ["CI", "PLIANT_TEST_DATA"].iter().any(|name| std::env::var_os(name).is_some());
        assert!(!needs, "{about}");
        eprintln!("NOT RUN: there is no GPU here: {about}");
        return;
    }
    assert!(!about.contains("FAILED"), "{about}");
    let line = "run hanging-cloth --quick --time 0.4 --no-pictures --set backend=gpu";
    let run = folder.run(line);
    assert!(run.status.success(), "{}", err(&run));
    assert!(out(&run).contains("in one frame of 16"), "{}", out(&run));
    let line = "bench W1 --size 8 --frames 3 --repeats 2 --set backend=gpu --json";
    let bench = folder.run(line);
    let json: serde_json::Value = serde_json::from_str(&out(&bench)).unwrap();
    assert_eq!(json["backend"], "gpu", "{json}");
    assert!(json["ms_min"].as_f64().unwrap() > 0.0, "{json}");
    let project = json["ms_stages"]["project"]["p50"].as_f64().unwrap();
    assert!(project > 0.0 && project < 1e4, "{json}");
}

#[test]
fn a_scene_has_its_picture_taken() {
    let folder = Folder::new("pictures");
    let output = folder.run("scenes parachute --pictures small");
    assert!(output.status.success(), "{}", err(&output));
    let bytes = fs::read(folder.0.join("small/parachute.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() < 10_000, "{} bytes", bytes.len());
}

#[test]
fn explanations_completions_manuals_and_conversions_are_printed() {
    let folder = Folder::new("help");
    let young = out(&folder.run("explain young"));
    assert!(young.contains("material.solid.young") && young.contains("in Pa"), "{young}");
    assert!(out(&folder.run("explain rubber")).contains("Young's modulus"));
    let of_table = out(&folder.run("explain solver"));
    let (table, setting) = of_table.split_once("solver.solver").unwrap();
    assert!(!table.contains("chebyshev  ") && setting.contains("chebyshev  "), "{of_table}");
    let words = out(&folder.run("explain contact_solver"));
    assert!(words.contains("\n    split              all at once"), "{words}");
    assert!(out(&folder.run("explain")).contains("\n  carried            apart"));
    assert!(out(&folder.run("completions bash")).contains("--resume"));
    assert!(out(&folder.run("man")).contains("Exit codes"));
    assert!(folder.run("man --out pages").status.success());
    assert!(folder.read("pages/pliant-run.1").contains("resume"));
    assert!(out(&folder.run("doctor")).contains("hanging-cloth"));
    fs::write(folder.0.join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let converted = folder.run("convert a.obj --to ply --scale 2");
    assert!(converted.status.success(), "{}", err(&converted));
    let read = pliant_io::mesh::read(&folder.0.join("out/a_00000.ply")).unwrap();
    assert_eq!(read.surface.mesh.positions[1].x, 2.0);
    let line = "run hanging-cloth --quick --time 0.1 --no-pictures --export recording,obj";
    let run = folder.run(line);
    assert!(run.status.success(), "{}", err(&run));
    assert!(folder.0.join("out/hanging-cloth/run_00006.obj").exists(), "seven frames");
}

#[cfg(feature = "viewer")]
#[test]
fn a_window_that_cannot_be_opened_is_explained_and_so_is_a_scene_that_is_not_there() {
    let folder = Folder::new("view");
    let said = |line: &str| {
        let output = folder.run(line);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let none = said("view hanging-cloth");
    assert!(none.contains("no window") && none.contains("pliant run"), "{none}");
    let wrong = said("view hanging-clot");
    assert!(wrong.contains("hanging-cloth"), "{wrong}");
    let key = said("view hanging-cloth --set body.cloth.cel=5mm");
    assert!(key.contains("body.cloth.cel") && key.contains("cell"), "{key}");
    let none = said("view hanging-cloth --set body.cloth.cell=5mm");
    assert!(none.contains("no window"), "{none}");
    let mesh = said("view missing.obj");
    assert!(mesh.contains("missing.obj"), "{mesh}");
}

/// The fields of `pliant verify --json`.
const FIELDS: [&str; 8] =
    ["name", "measured", "expected", "error", "tolerance", "status", "pass", "seconds"];

#[test]
fn laws_are_measured_with_values_of_ones_own() {
    let folder = Folder::new("verify");
    let output = folder.run("verify sliding --set v0=3 --set mu=0.35 --json");
    assert!(output.status.success(), "{}", err(&output));
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let object = line.as_object().unwrap();
    assert!(object.len() == FIELDS.len() && FIELDS.iter().all(|f| object.contains_key(*f)));
    let number = |name: &str| object[name].as_f64().unwrap();
    let law = 9.0 / (2.0 * 0.35 * 9.81);
    assert!((number("expected") - law).abs() < 1e-9, "{line}");
    let error = (number("measured") - law).abs();
    assert!((error - number("error")).abs() < 1e-9, "{line}");
    assert!(number("error") <= number("tolerance"), "{line}");
    assert!(object["status"] == "pass" && object["pass"] == true, "{line}");

    let two = folder.run("verify bounce free_fall --set g=1.62 --set farthest=100 --threads 2");
    let table = String::from_utf8_lossy(&two.stdout).into_owned();
    assert!(table.contains("2 pass, 0 fail, 0 show a limit"), "{table}");
    assert!(table.find("free_fall") < table.find("bounce"), "in the order of the list: {table}");
    let all = folder.run("verify slope --json --explain");
    let lines = String::from_utf8_lossy(&all.stdout).lines().count();
    assert_eq!(lines, 6, "one for each number");
}

#[test]
fn a_page_shows_numbers_figures_and_who_checks_what() {
    let folder = Folder::new("page");
    let output = folder.run("verify roll_up spring --plot out");
    assert!(output.status.success(), "{}", err(&output));
    let page = fs::read_to_string(folder.0.join("out/validation.md")).unwrap();
    for part in ["## roll_up", "validation/roll_up.svg", "| P24 |", "2 pass, 0 fail"] {
        assert!(page.contains(part), "no {part:?} in {page}");
    }
    let svg = fs::read_to_string(folder.0.join("out/validation/roll_up.svg")).unwrap();
    assert!(svg.contains("arc of 360°") && svg.contains("<circle"), "{svg}");
    // What others have written into it stays.
    let marked = page.replace("<!-- mutations -->\n", "<!-- mutations -->\nkept\n");
    fs::write(folder.0.join("out/validation.md"), marked).unwrap();
    assert!(folder.run("verify spring --plot out").status.success());
    let page = fs::read_to_string(folder.0.join("out/validation.md")).unwrap();
    assert!(page.contains("<!-- mutations -->\nkept\n<!-- end") && !page.contains("## roll_up"));
}

/// The short form; times are the machine's own and not asked about here.
#[test]
fn many_bodies_of_every_sort_soak() {
    let folder = Folder::new("soak");
    let output = folder.run("verify --soak 6 --threads 1 --set particles=1500 --json");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let timed = ["slowest", "time for", "memory", "residual"];
        let name = row["name"].as_str().unwrap();
        if !timed.iter().any(|what| name.contains(what)) {
            assert_eq!(row["status"], "pass", "{line}");
        }
    }
    assert!(text.contains("runs that differ") && text.contains("bodies left"), "{text}");
}
