//! `cargo xtask viewer`: the window on a virtual display, driven as a person would. Leaves pictures to
//! be looked at.

mod page;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::cmd::{cargo, empty_folder, output, root, run};
use crate::tools::{self, VULKAN, WINDOWS};

/// Columns and rows of the display (pixels).
const SIZE: [u32; 2] = [1280, 800];

/// Where things are in a window of that size (pixels).
const WORLD: [i32; 2] = [620, 250];
const BESIDE: [i32; 2] = [120, 650];

/// The column of the panels' titles (pixels).
const TITLES: i32 = 990;

/// The rows of two panels (pixels), the first knob of the flag in one, the button for MP4 in the other.
const KNOBS: i32 = 293;
const RECORD: i32 = 709;
const TOOLS: i32 = 732;
const WIND: [i32; 2] = [1084, 339];
const MP4: [i32; 2] = [1168, 732];

/// How long something may take to be seen (s): software draws, and the machine may be busy.
const PATIENCE: f64 = 60.0;

pub(crate) fn main(words: &[String]) -> Result<ExitCode, String> {
    let known = ["--monkey", "--debug", "--web"];
    if words.iter().any(|word| !known.contains(&word.as_str())) {
        return Err("usage: cargo xtask viewer [--monkey] [--debug] | --web".into());
    }
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    if has("--web") {
        return page::look().map(|()| ExitCode::SUCCESS);
    }
    let (profile, flag) = if has("--debug") { ("debug", "") } else { ("release", "--release") };
    tools::prepare([&VULKAN, &WINDOWS].into_iter()).check(&[VULKAN, WINDOWS])?;
    run(&mut cargo(&format!("build {flag} --package pliant_cli")))?;
    let folder = empty_folder("viewer")?;
    let program = crate::cmd::scratch().with_file_name(profile).join("pliant");
    let display = Display::start(&folder, program)?;
    drag_and_record(&display)?;
    cut(&display)?;
    select(&display)?;
    panels(&display)?;
    tune(&display)?;
    lose_the_gpu(&display)?;
    every_scene(&display)?;
    sizes(&display)?;
    drop(display);
    if has("--monkey") {
        let mut monkey = cargo("test --release --package pliant_viewer --test monkey");
        run(monkey.env("PLIANT_MONKEY", "10000x5"))?;
    }
    println!("pictures are in {}", folder.strip_prefix(root()).unwrap_or(&folder).display());
    Ok(ExitCode::SUCCESS)
}

/// Pulls at a cloth, pins it, throws a ball, stops time, takes a picture and an animation.
fn drag_and_record(display: &Display) -> Result<(), String> {
    let mut window = display.open(&["view", "hanging-cloth"], &[])?;
    let [passed, spent] = window.first_frame;
    println!("first frame after {passed:.2} s, of which the program computed {spent:.2} s");
    let still = window.picture("1-start")?;
    window.drag(WORLD, [700, 420])?;
    let pulled = window.picture("2-pulled")?;
    differ(&still, &pulled, "a cloth that was pulled")?;
    window.input("click 3")?;
    window.input("mouseup 1")?;
    window.keys("b j")?;
    pause(1.5);
    window.picture("3-ball-and-gust")?;
    window.keys("space")?;
    let stopped = window.until_still("4-paused")?;
    pause(1.0);
    let later = window.picture("4-paused-later")?;
    alike(&stopped, &later, "a world that was stopped")?;
    window.keys("comma comma F12 F9")?;
    pause(2.0);
    window.keys("F9")?;
    for ending in ["png", "gif"] {
        window.wait_for_file(ending)?;
    }
    window.close()
}

/// Cuts a cloth across with the knife, and a slit into what is left by holding Ctrl.
fn cut(display: &Display) -> Result<(), String> {
    let mut window = display.open(&["view", "hanging-cloth"], &[])?;
    pause(4.0);
    window.keys("k")?;
    let whole = window.picture("2-whole")?;
    window.drag([220, 330], [900, 300])?;
    window.picture("2-stroke")?;
    window.input("mouseup 1")?;
    pause(3.0);
    differ(&whole, &window.picture("2-cut")?, "a cloth that was cut")?;
    window.keys("Escape")?;
    window.input("keydown ctrl")?;
    window.drag([560, 200], [580, 420])?;
    window.input("mouseup 1")?;
    window.input("keyup ctrl")?;
    pause(1.5);
    window.picture("2-slit")?;
    window.close()
}

/// Selects a part of a cloth with a box, pulls at all of it, takes it out, and takes that back; with
/// numbers over the picture.
fn select(display: &Display) -> Result<(), String> {
    let mut window = display.open(&["view", "hanging-cloth"], &[])?;
    pause(4.0);
    window.keys("space m")?;
    window.click([TITLES, TOOLS])?;
    window.keys("s")?;
    let whole = window.until_still("2-numbers")?;
    window.drag([480, 200], [640, 330])?;
    window.picture("2-box")?;
    window.input("mouseup 1")?;
    window.until_other(&whole, "2-selected")?;
    let selected = window.picture("before")?;
    window.keys("Delete")?;
    window.until_other(&selected, "2-deleted")?;
    let deleted = window.picture("before")?;
    window.keys("ctrl+z")?;
    window.until_other(&deleted, "2-undone")?;
    window.close()
}

/// Opens every panel, one after the other, then the keys.
fn panels(display: &Display) -> Result<(), String> {
    let mut window = display.open(&["view", "soft-cube", "--quick"], &[])?;
    // What stands is drawn at once.
    window.keys("space")?;
    window.until_still("before")?;
    // From below, so that opening one does not move those that come after.
    let lower = [
        ("tools", TOOLS),
        ("record", RECORD),
        ("explain", 686),
        ("counts", 663),
        ("measurements", 640),
    ];
    for (name, row) in lower {
        window.look_into(name, row)?;
    }
    let upper =
        [("layers", 385), ("gravity", 362), ("solver", 339), ("material", 316), ("knobs", KNOBS)];
    for (name, row) in upper {
        window.look_into(name, row)?;
    }
    let before = window.picture("before")?;
    window.keys("F1")?;
    window.until_other(&before, "6-keys")?;
    window.keys("Escape")?;
    window.keys("space")?;
    window.drag(BESIDE, [420, 600])?;
    window.input("mouseup 1")?;
    window.picture("7-turned")?;
    window.close()
}

/// Turns a knob of the wind until the flag flies the other way, and films it as MP4.
fn tune(display: &Display) -> Result<(), String> {
    let mut window = display.open(&["view", "flag", "--quick"], &[])?;
    // What stands is drawn at once.
    window.keys("space")?;
    window.until_still("before")?;
    window.click([TITLES, KNOBS])?;
    window.until_still("before")?;
    window.drag(WIND, [WIND[0] - 200, WIND[1]])?;
    window.input("mouseup 1")?;
    let before = window.until_still("5-wind-turned")?;
    for place in [[TITLES, KNOBS], [TITLES, RECORD], MP4] {
        window.click(place)?;
        window.until_still("before")?;
        window.scroll_up()?;
    }
    window.keys("F9 space")?;
    pause(5.0);
    window.keys("F9")?;
    window.wait_for_file("mp4")?;
    differ(&before, &window.picture("5-film")?, "a flag in another wind")?;
    window.close()
}

/// The GPU is lost: another window shows the same world.
fn lose_the_gpu(display: &Display) -> Result<(), String> {
    let after = [("PLIANT_LOSE_GPU_AFTER", "12")];
    let mut window = display.open(&["view", "hanging-cloth"], &after)?;
    let first = window.id.clone();
    let began = Instant::now();
    while window.id == first || !window.has_colors() {
        pause(0.5);
        window.alive()?;
        window.find();
        if began.elapsed().as_secs_f64() > PATIENCE {
            return Err("no other window came after the GPU was lost".into());
        }
    }
    pause(2.0);
    window.picture("9-gpu-lost")?;
    window.close()
}

/// Opens the scenes of the library, one after the other.
fn every_scene(display: &Display) -> Result<(), String> {
    let count = std::fs::read_dir(root().join("scenes")).map_err(|e| e.to_string())?;
    let is_scene = |path: &Path| path.extension().is_some_and(|ending| ending == "toml");
    let count = count.flatten().filter(|entry| is_scene(&entry.path())).count();
    let mut window = display.open(&["view", "showcase"], &[])?;
    window.picture("8-scene-00")?;
    let mut titles = BTreeSet::from([window.title()?]);
    for number in 1..count {
        let before = window.title()?;
        window.keys("bracketright")?;
        let began = Instant::now();
        while window.title()? == before {
            if began.elapsed().as_secs_f64() > PATIENCE {
                return Err(format!("after {before:?} no other scene came"));
            }
            pause(0.2);
        }
        // Long enough for it to be drawn, and to move.
        pause(2.0);
        let title = window.title()?;
        window.picture(&format!("8-scene-{number:02}"))?;
        if !titles.insert(title.clone()) {
            return Err(format!("{title:?} came twice"));
        }
    }
    println!("{count} scenes opened");
    window.close()
}

/// A window of other sizes, one that was away, and one with four pixels for each point.
fn sizes(display: &Display) -> Result<(), String> {
    let mut window = display.open(&["view", "five-balls"], &[])?;
    for size in ["500 350", "480 800", "1280 800", "900 700"] {
        window.input(&format!("windowsize {} {size}", window.id))?;
        // Until it is drawn anew, the picture of the size before is seen, cut off.
        pause(3.0);
        window.picture(&format!("9-size-{}", size.replace(' ', "x")))?;
    }
    for action in ["windowunmap", "windowmap"] {
        window.input(&format!("{action} {}", window.id))?;
        pause(1.0);
    }
    window.picture("9-back")?;
    window.close()?;
    let mut window = display.open(&["view", "flag"], &[("WINIT_X11_SCALE_FACTOR", "2")])?;
    window.picture("9-scale-2")?;
    window.close()
}

/// A virtual display.
struct Display {
    server: Child,
    name: String,
    folder: PathBuf,
    program: PathBuf,
}

impl Display {
    fn start(folder: &Path, program: PathBuf) -> Result<Self, String> {
        let [columns, rows] = SIZE;
        // Numbers that nobody else uses, as a rule; a server that finds its number taken ends.
        for number in 90..120 {
            let name = format!(":{number}");
            let screen = format!("{columns}x{rows}x24");
            let mut server = Command::new("Xvfb")
                .args([&name, "-screen", "0", &screen, "-noreset"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .map_err(|e| format!("Xvfb: {e}"))?;
            pause(1.0);
            if server.try_wait().map_err(|e| e.to_string())?.is_none() {
                return Ok(Self { server, name, folder: folder.to_path_buf(), program });
            }
        }
        Err("no virtual display could be started".into())
    }

    /// Starts the program and waits until it has drawn something.
    fn open(&self, words: &[&str], environment: &[(&str, &str)]) -> Result<Window<'_>, String> {
        let log = std::fs::File::create(self.folder.join("log.txt")).map_err(|e| e.to_string())?;
        let began = Instant::now();
        let program = Command::new(&self.program)
            .args(words)
            .current_dir(&self.folder)
            .envs(environment.iter().copied())
            .env("DISPLAY", &self.name)
            .env("XDG_RUNTIME_DIR", &self.folder)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|e| format!("pliant did not start: {e}"))?;
        let mut window =
            Window { display: self, program, id: String::new(), first_frame: [f64::INFINITY; 2] };
        while window.id.is_empty() || !window.has_colors() {
            window.alive()?;
            window.find();
            if began.elapsed().as_secs_f64() > PATIENCE {
                return Err("the window stays empty".into());
            }
        }
        window.first_frame = [began.elapsed().as_secs_f64(), window.computed()];
        window.focus()?;
        pause(1.5);
        Ok(window)
    }

    fn command(&self, program: &str, line: &str) -> Command {
        let mut command = Command::new(program);
        command.args(line.split_whitespace()).env("DISPLAY", &self.name);
        command
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The program, as it is seen and touched.
struct Window<'a> {
    display: &'a Display,
    program: Child,
    id: String,
    /// When something was seen after the start, and how long the program had computed until then (s).
    /// On a machine that is busy with other things, the former says little.
    first_frame: [f64; 2],
}

impl Window<'_> {
    fn alive(&mut self) -> Result<(), String> {
        match self.program.try_wait().map_err(|e| e.to_string())? {
            None => Ok(()),
            Some(status) => {
                let log = self.display.folder.join("log.txt");
                let text = std::fs::read_to_string(log).unwrap_or_default();
                Err(format!("the program ended: {status}\n{text}"))
            }
        }
    }

    /// How long all threads of the program have computed together (s).
    fn computed(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.program.id()));
        // Behind the name, which may have blanks, the 12th and 13th words: hundredths of a second.
        let stat = stat.unwrap_or_default();
        let words = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        words.skip(11).take(2).filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / 100.0
    }

    /// Gives it the keyboard. A window whose GPU is lost right now has another number a moment later.
    fn focus(&mut self) -> Result<(), String> {
        let began = Instant::now();
        loop {
            let told = self.input(&format!("windowfocus {}", self.id));
            if told.is_ok() || began.elapsed().as_secs_f64() > PATIENCE {
                return told;
            }
            pause(0.5);
            self.find();
        }
    }

    /// Looks for its number, if it has one now.
    fn find(&mut self) {
        let found = output(&mut self.display.command("xdotool", "search --name Pliant"));
        if let Some(id) = found.unwrap_or_default().lines().next() {
            id.clone_into(&mut self.id);
        }
    }

    fn input(&mut self, line: &str) -> Result<(), String> {
        self.alive()?;
        output(&mut self.display.command("xdotool", line)).map(drop)
    }

    fn keys(&mut self, keys: &str) -> Result<(), String> {
        for key in keys.split_whitespace() {
            self.input(&format!("key {key}"))?;
            pause(0.4);
        }
        Ok(())
    }

    fn click(&mut self, [x, y]: [i32; 2]) -> Result<(), String> {
        for line in [format!("mousemove {x} {y}"), "mousedown 1".into(), "mouseup 1".into()] {
            self.input(&line)?;
            pause(0.3);
        }
        pause(0.7);
        Ok(())
    }

    /// Opens the panel whose title is in a row, takes a picture of it, and closes it.
    fn look_into(&mut self, name: &str, row: i32) -> Result<(), String> {
        self.input(&format!("mousemove {TITLES} {row}"))?;
        // The title says what it is about; without that, nothing would come but the panel.
        let closed = self.until_still("before")?;
        self.click([TITLES, row])?;
        self.until_other(&closed, "before")?;
        let open = self.until_still(&format!("5-{name}"))?;
        self.scroll_up()?;
        self.click([TITLES, row])?;
        self.until_other(&open, "before")?;
        self.until_still("before").map(drop)
    }

    /// Brings the first panel back: one that was opened at the bottom has scrolled the others up.
    fn scroll_up(&mut self) -> Result<(), String> {
        for _ in 0..12 {
            self.input("click 4")?;
        }
        self.until_still("before").map(drop)
    }

    /// Presses at one place and goes to another; the button stays down.
    fn drag(&mut self, [x, y]: [i32; 2], [to_x, to_y]: [i32; 2]) -> Result<(), String> {
        self.input(&format!("mousemove {x} {y}"))?;
        pause(0.3);
        self.input("mousedown 1")?;
        pause(0.3);
        for k in 1..=10 {
            let between = |from: i32, to: i32| from + (to - from) * k / 10;
            self.input(&format!("mousemove {} {}", between(x, to_x), between(y, to_y)))?;
            pause(0.1);
        }
        pause(0.8);
        Ok(())
    }

    /// Takes a picture of the display, as PNG for people and as numbers for us.
    fn picture(&mut self, name: &str) -> Result<Picture, String> {
        self.alive()?;
        let folder = &self.display.folder;
        let shot = folder.join("shot.ppm");
        let mut import = self.display.command("import", "-window root -depth 8");
        output(import.arg(&shot))?;
        if name != "before" {
            let mut convert = Command::new("convert-im6.q16");
            output(convert.arg(&shot).arg(folder.join(format!("{name}.png"))))?;
        }
        let bytes = std::fs::read(&shot).map_err(|e| e.to_string())?;
        Ok(Picture(bytes))
    }

    /// What it is called: what it shows.
    fn title(&mut self) -> Result<String, String> {
        self.alive()?;
        let line = format!("getwindowname {}", self.id);
        output(&mut self.display.command("xdotool", &line)).map(|title| title.trim().to_owned())
    }

    /// Takes pictures until two are alike: what was asked for before is done then.
    fn until_still(&mut self, name: &str) -> Result<Picture, String> {
        let began = Instant::now();
        let mut before = self.picture("before")?;
        while began.elapsed().as_secs_f64() < PATIENCE {
            pause(1.0);
            let now = self.picture(name)?;
            if difference(&before, &now) < A_LINE {
                return Ok(now);
            }
            before = now;
        }
        Err("the window does not come to rest".into())
    }

    /// Takes pictures until one differs from an earlier one: software draws late.
    fn until_other(&mut self, before: &Picture, name: &str) -> Result<(), String> {
        let began = Instant::now();
        while began.elapsed().as_secs_f64() < PATIENCE {
            pause(0.5);
            if difference(before, &self.picture("before")?) > A_LINE {
                // What slides or fades in is there a moment later.
                pause(1.5);
                return self.picture(name).map(drop);
            }
        }
        Err(format!("{name} is not seen"))
    }

    fn has_colors(&mut self) -> bool {
        self.picture("before").is_ok_and(|picture| {
            let bytes = &picture.0[picture.0.len() / 4..];
            bytes.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) > 30).count() > 1000
        })
    }

    fn wait_for_file(&mut self, ending: &str) -> Result<(), String> {
        let began = Instant::now();
        let folder = self.display.folder.join("out/view");
        while began.elapsed().as_secs_f64() < PATIENCE {
            self.alive()?;
            let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            let found = files.map(|file| file.path());
            let is_hidden = |path: &Path| {
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
            };
            // What is hidden is not complete yet.
            let found = found.filter(|path| !is_hidden(path));
            let mut found = found.filter(|path| path.extension().is_some_and(|e| e == ending));
            if found.next().is_some() {
                return Ok(());
            }
            pause(0.2);
        }
        Err(format!("no .{ending} was written to {}", folder.display()))
    }

    fn close(mut self) -> Result<(), String> {
        self.alive()
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The bytes of a picture.
struct Picture(Vec<u8>);

/// Share of a picture that differs from another if something has changed.
const VISIBLE: f64 = 0.002;

/// The same if a line of text has come.
const A_LINE: f64 = 0.0004;

/// Share of the bytes that differ visibly.
fn difference(a: &Picture, b: &Picture) -> f64 {
    let count = a.0.iter().zip(&b.0).filter(|(a, b)| a.abs_diff(**b) > 12).count();
    count as f64 / a.0.len().max(1) as f64
}

fn differ(a: &Picture, b: &Picture, what: &str) -> Result<(), String> {
    let share = difference(a, b);
    if share > VISIBLE {
        return Ok(());
    }
    Err(format!("{what} looks as before: {share:.5} of the picture changed"))
}

fn alike(a: &Picture, b: &Picture, what: &str) -> Result<(), String> {
    let share = difference(a, b);
    if share < VISIBLE {
        return Ok(());
    }
    Err(format!("{what} goes on: {share:.5} of the picture changed"))
}

fn pause(seconds: f64) {
    std::thread::sleep(Duration::from_secs_f64(seconds));
}
