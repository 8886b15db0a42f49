//! A world that runs under orders: commands in, frames out. It knows no window, and no clock but the
//! one that it is given, so that a thread, a time slice or a test can drive it.

mod air;
mod backing;
mod craft;
mod hand;
mod history;
mod pace;
mod points;
mod source;
mod stopwatch;
mod tune;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use pliant::contact::{Meets, Touch};
use pliant::glam::{Quat, Vec3, Vec4};
use pliant::settings::Value;
use pliant::shapes::Rigid;
use pliant::{World, WorldError, measure, step_with};
use pliant_io::scene::{Play, Scene};

pub use air::FASTEST as FASTEST_WIND;
pub use hand::Pull;
pub use source::Source;
pub(crate) use source::is_mesh;
pub use stopwatch::{Clock, Stages};

use crate::command::{Command, Wants};
use crate::costume::Costume;
use crate::frame::{self, Frame, Key, Plan, Seen, Tunables};
use crate::loan::Loan;
use crate::problem::{self, Problem, crowd};
use air::Air;
use backing::{After, Backing};
use craft::{pin, push, unpin};
use hand::Hand;
use history::{Again, Edited, History, Recorded};
use pace::Pace;
use points::{Point, Points, Why};
use source::Dressed;
use stopwatch::Stopwatch;
use tune::{Taken, take_over};
use writer::Writer;

/// Density of a ball that is thrown (kg/m³): rubber.
const BALL_DENSITY: f32 = 600.0;

/// Slowest and fastest that time goes, over real time.
pub const SPEEDS: [f64; 2] = [1.0 / 16.0, 4.0];

/// Time from one look at the file of a scene to the next (s).
const WATCH: f64 = 0.5;

/// Steps from one search for what is wrong to the next; it takes about as long as a substep.
const SEARCH_EVERY: u64 = 20;

/// A world that runs under orders.
pub struct Session {
    clock: Clock,
    /// Threads of worlds that do not say how many they want; 0 leaves it to them.
    threads: u32,
    source: Source,
    title: String,
    shows: String,
    scene: Option<Scene>,
    play: Play,
    running: bool,
    pace: Pace,
    hand: Option<Hand>,
    air: Air,
    history: History,
    edited: Edited,
    /// Settings that were changed, to survive a restart.
    changed: Vec<(&'static str, Value)>,
    /// The same for numbers of the scene, by their path.
    tuned: Vec<(String, String)>,
    tunables: Arc<Tunables>,
    /// The scene with all changes as a command line, until they are others.
    line: Option<Arc<str>>,
    backing: Backing,
    /// The GPU that the window draws with.
    loan: Option<Loan>,
    /// Positions and velocities for frames, until there are others.
    copied: Option<[Arc<Vec<Vec4>>; 2]>,
    points: Points,
    wants: Wants,
    stages: Stages,
    problems: Vec<Problem>,
    /// Steps that a GPU had taken again, and all steps, when something wrong was last looked for.
    searched: [u64; 2],
    /// What people should be told, counted so that the same words are seen again.
    notice: (u64, String),
    /// Goes up when bodies come or go.
    topology: u64,
    seen: Seen,
    writer: Writer,
    /// Frames that were made of it.
    serial: u64,
    /// When the file of the source was looked at, and when it had been written.
    watched: (f64, Option<SystemTime>),
}

impl Session {
    /// An empty world, timed by `clock`.
    pub fn new(clock: Clock) -> Self {
        let stage = pliant::look::stage([Vec3::NEG_ONE, Vec3::ONE]);
        let play = Play::of_world(World::default(), 60.0, stage);
        Self {
            clock,
            threads: 0,
            source: Source::Named(String::new()),
            title: String::new(),
            shows: String::new(),
            scene: None,
            play,
            running: true,
            pace: Pace::default(),
            hand: None,
            air: Air::default(),
            history: History::default(),
            edited: Edited::No,
            changed: Vec::new(),
            tuned: Vec::new(),
            tunables: Arc::default(),
            line: None,
            backing: Backing::default(),
            loan: None,
            copied: None,
            points: Points::default(),
            wants: Wants::default(),
            stages: Stages::default(),
            problems: Vec::new(),
            searched: [0; 2],
            notice: (0, String::new()),
            topology: 0,
            seen: Seen::default(),
            writer: Writer::default(),
            serial: 0,
            watched: (0.0, None),
        }
    }

    /// The same, on so many threads where a scene wants one per core. The result is the same.
    #[must_use]
    pub fn on_threads(mut self, threads: u32) -> Self {
        self.threads = threads;
        self
    }

    /// The same, with a folder for what it writes.
    #[must_use]
    pub fn writing_to(mut self, folder: PathBuf) -> Self {
        self.writer.folder = folder;
        self
    }

    /// The world as it is; where it is drawn from the GPU that simulates it, as it was a few steps ago.
    pub fn world(&self) -> &World {
        &self.play.world
    }

    /// How often results have come back from a GPU since it was found.
    pub fn times_read(&self) -> u64 {
        self.backing.times_read()
    }

    /// What can be changed of the scene.
    pub fn tunables(&self) -> &Tunables {
        &self.tunables
    }

    /// Does what is asked for; what goes wrong is told in the next frame.
    pub fn apply(&mut self, command: Command) {
        if command.looks() {
            self.settle();
        }
        match command {
            Command::Load(source) => {
                self.changed.clear();
                self.tuned.clear();
                self.load(source);
            }
            Command::Restart => self.restart(),
            Command::Play => self.resume(),
            Command::Pause => self.halt(),
            Command::Step => {
                self.halt();
                self.step();
            }
            Command::Back => self.seek(self.play.frame().saturating_sub(1)),
            Command::Seek(frame) => self.seek(frame),
            Command::Speed(speed) => self.pace.speed = speed.clamp(SPEEDS[0], SPEEDS[1]),
            Command::Want(wants) => {
                self.wants = wants;
                self.search();
            }
            Command::Lend(loan) => {
                if self.loan != loan {
                    (self.loan, self.backing) = (loan, Backing::default());
                }
            }
            Command::Keep => {
                let point = self.point(Why::Kept);
                self.points.add(point);
                self.tell(format!("kept the state of {:.2} s", self.play.world.time));
            }
            Command::Recall => self.recall(),
            Command::Redo => self.redo(),
            Command::Picture { image, animation } => {
                let told = self.writer.picture(&self.title, &image, animation);
                self.tell_all(told);
            }
            Command::Export(format) => {
                let told = self.writer.start_export(format, &self.title, self.play.fps);
                self.tell_all(told);
            }
            Command::EndExport => {
                let told = self.writer.end_export();
                self.tell_all(told);
            }
            Command::SaveScene => {
                let told = self.writer.scene(self.scene.as_ref(), &self.title);
                self.tell_all(Some(told));
            }
            change => {
                self.edited = Edited::Yes;
                self.change_back_and_forth(change);
            }
        }
    }

    /// Changes the world. The state before what nothing else takes back is remembered.
    fn change_back_and_forth(&mut self, command: Command) {
        if !command.is_for_good() {
            return self.change(command);
        }
        let before = Key::of(&self.play.world, 0);
        let point = self.point(Why::Change);
        self.points.add(point);
        self.change(command);
        if Key::of(&self.play.world, 0) == before {
            self.points.forget_last();
        }
    }

    /// Commands that change the world.
    fn change(&mut self, command: Command) {
        let world = &mut self.play.world;
        match command {
            Command::Set { name, value } => self.set(name, value),
            Command::Tune { path, value } => self.tune(path, value),
            Command::Wind(wind) => self.air.blow(wind),
            Command::Gust(gust) => self.air.gust(gust, world.time),
            Command::Drop { name, bytes } => {
                let told = self.drop_mesh(&name, bytes.as_deref()).err().map(|e| e.to_string());
                self.tell_all(told.map(Err));
            }
            Command::Shoot { from, velocity, radius } => {
                let told = self.shoot(from, velocity, radius).err().map(|e| e.to_string());
                self.tell_all(told.map(Err));
            }
            Command::Grab { particles, at } => {
                self.release();
                self.hand = Hand::grab(&mut self.play.world, &particles, at);
            }
            Command::Drag { to } => {
                if let Some(hand) = &mut self.hand {
                    hand.drag(world, to);
                }
            }
            Command::Release => drop(self.release()),
            Command::Nail => {
                for i in self.release() {
                    pin(&mut self.play.world, i);
                }
            }
            Command::Pin(particles) => particles.into_iter().for_each(|i| pin(world, i)),
            Command::Unpin(particles) => particles.into_iter().for_each(|i| unpin(world, i)),
            Command::UnpinAll => {
                (0..world.particles.len() as u32).for_each(|i| unpin(world, i));
            }
            Command::Push { at, radius, velocity } => push(world, at, radius, velocity),
            Command::Kick { particles, velocity } => craft::kick(world, &particles, velocity),
            Command::Delete(particles) => {
                let told = craft::delete(world, &particles);
                self.divided();
                self.tell_all(told.map_err(|e| e.to_string()).transpose());
            }
            Command::Cut { edges } => {
                let told = craft::cut(world, &edges);
                self.divided();
                self.tell_all(told.map_err(|e| e.to_string()).transpose());
            }
            Command::Weld { path, distance, ends } => {
                let told = self.weld(&path, distance, ends).err().map(|e| e.to_string());
                self.tell_all(told.map(Err));
            }
            Command::Weaken { at, radius, strain } => craft::weaken(world, at, radius, strain),
            Command::Inflate { particle, at, radius, breath } => {
                craft::inflate(world, particle, (at, radius), breath);
            }
            Command::Free(name) => craft::free(world, &name),
            _ => {}
        }
    }

    /// Takes a step if one is due. Says whether it did.
    pub fn tick(&mut self) -> bool {
        if self.watch() {
            return true;
        }
        let due = self.running && self.pace.take((self.clock)(), f64::from(self.play.dt()));
        if due {
            self.step();
        }
        due
    }

    /// Reads the source again if its file was written anew, with the settings as they are. Says whether
    /// it did.
    fn watch(&mut self) -> bool {
        let now = (self.clock)();
        if now - self.watched.0 < WATCH {
            return false;
        }
        let before = self.watched.1;
        self.watched = (now, self.source.stamp());
        let changed = self.watched.1.is_some() && self.watched.1 != before;
        if changed {
            let told = self.notice.0;
            self.restart();
            if self.notice.0 == told {
                self.tell(format!("read {} again, since it has changed", self.source.name()));
            }
        }
        changed
    }

    /// How long until a step is due (s); `None` if none will be until something is asked for.
    pub fn wait(&self) -> Option<f64> {
        self.running.then(|| self.pace.wait(f64::from(self.play.dt())))
    }

    /// Takes a step.
    pub fn step(&mut self) {
        if self.history.range().is_none() {
            self.record(self.play.frame());
        }
        if self.play.looks_next() {
            self.settle();
        }
        let mut stopwatch = Stopwatch::new(self.clock);
        let before_why = self.backing.why.clone();
        self.backing.choose(&mut self.play.world, self.topology, self.loan.as_ref());
        // A GPU has the world's colours brought up to date, which is no change of its own.
        let before = Key::of(&self.play.world, self.topology);
        let how = (self.after(), self.clock);
        let (air, hand, backing) = (&self.air, &self.hand, &mut self.backing);
        let stepped = self.play.advance_with(|world, dt| {
            air.apply(world);
            if let Some(hand) = hand {
                hand.begin(world, dt);
            }
            let stepped = match backing.step(world, dt, how) {
                Some(stages) => Ok(stages),
                None => step_with(world, dt, &mut stopwatch).map(|()| stopwatch.spent),
            };
            if let Some(hand) = hand {
                hand.end(world);
            }
            stepped.map(|spent| self.stages = spent)
        });
        if let Err(error) = stepped {
            self.running = false;
            self.tell(error.to_string());
            return;
        }
        if self.backing.why != before_why {
            self.search();
        }
        if Key::of(&self.play.world, self.topology) != before {
            self.divided();
        }
        self.hear();
        let told = self.writer.export_frame(&self.play.world);
        self.tell_all(told);
        if self.play.frame().is_multiple_of(SEARCH_EVERY) {
            self.search();
        }
    }

    /// What becomes of the world after the next step, if a GPU takes it.
    fn after(&self) -> After {
        let Wants { rows, strain, contacts, residuals, boxes, .. } = self.wants;
        let is_seen = rows || strain || contacts || residuals || boxes;
        let is_led = self.hand.as_ref().is_some_and(|hand| hand.holds_pins());
        let is_used = is_seen || is_led || !self.running || self.writer.exporting().is_some();
        match !is_used && self.backing.can_leave(&self.play.world) {
            true => After::Leave,
            false => After::Read,
        }
    }

    /// A step was taken: what is known of it is remembered.
    fn hear(&mut self) {
        let (frame, now) = (self.play.frame(), (self.clock)());
        if self.backing.pose().is_none() {
            self.copied = None;
            return self.record(frame);
        }
        if let Some(heard) = self.backing.glance(&mut self.play.world, frame, now) {
            self.copied = None;
            self.record(heard);
            self.backing.keep_up(&mut self.play.world);
        }
    }

    /// Lets a world catch up that was left behind on a GPU.
    fn settle(&mut self) {
        self.copied = None;
        if self.backing.pose().is_some() {
            self.backing.settle(&mut self.play.world);
            self.record(self.play.frame());
        }
    }

    /// Remembers the world, which is as it was after so many steps.
    fn record(&mut self, frame: u64) {
        let is_exact = self.hand.is_none() && !self.backing.is_gpu();
        let again = if is_exact { Again::Same } else { Again::Other };
        let (fps, edited, hand) = (self.play.fps, self.edited, self.hand.as_ref());
        let by = Recorded { fps, edited, again, hand };
        self.history.record(frame, &self.play.world, &by);
        self.edited = Edited::No;
    }

    fn resume(&mut self) {
        if !self.running {
            self.pace.start((self.clock)(), f64::from(self.play.dt()));
        }
        self.running = true;
    }

    fn halt(&mut self) {
        self.pace.stop();
        self.running = false;
    }

    fn load(&mut self, source: Source) {
        (self.hand, self.line) = (None, None);
        match source.load() {
            Ok(loaded) => {
                (self.title, self.shows) = (loaded.title, loaded.shows);
                self.scene = loaded.scene;
                self.source = source;
                self.watched.1 = self.source.stamp();
                self.seen.wardrobe = loaded.wardrobe;
                self.begin(loaded.play);
                self.tell_missing(&loaded.missing);
            }
            Err(error) => self.tell(error.to_string()),
        }
    }

    /// Another world, from its beginning.
    fn begin(&mut self, play: Play) {
        self.hand = None;
        self.play = play;
        let threads = &mut self.play.world.config.threads;
        *threads = if *threads == 0 { self.threads } else { *threads };
        self.air = Air::of(&self.play.world);
        self.history.clear();
        self.topology += 1;
        (self.points, self.stages) = (Points::default(), Stages::default());
        self.edited = Edited::No;
        self.backing = Backing::default();
        self.list_tunables();
        self.search();
        if self.running {
            self.pace.start((self.clock)(), f64::from(self.play.dt()));
        }
    }

    fn list_tunables(&mut self) {
        let list =
            |scene: &Scene| Tunables { knobs: scene.knobs(), substances: scene.substances() };
        self.tunables = Arc::new(self.scene.as_ref().map(list).unwrap_or_default());
    }

    /// The scene from its beginning, with the settings and the wind as they are now: who restarts
    /// wants to see what they change.
    fn restart(&mut self) {
        let wind = self.air.wind;
        self.load(self.source.clone());
        self.tune_again();
        self.air.blow(wind);
        for (name, value) in std::mem::take(&mut self.changed) {
            self.set(name, value);
        }
    }

    fn set(&mut self, name: &'static str, value: Value) {
        if let Err(error) = self.play.world.config.set(name, value) {
            return self.tell(error.to_string());
        }
        self.changed.retain(|(other, _)| *other != name);
        self.changed.push((name, value));
        self.line = None;
        if let Some(scene) = &mut self.scene {
            // A setting that a scene does not have stays one of this session.
            let _ = scene.set(name, &as_text(value));
        }
    }

    /// Changes a number of the scene; the world takes it over, or begins anew.
    fn tune(&mut self, path: String, value: String) {
        let Some(scene) = &mut self.scene else {
            return self.tell("a mesh that was dropped has no numbers of a scene".into());
        };
        let before = scene.clone();
        let tuned = scene.tune(&path, &value);
        let worlds = tuned.and_then(|()| Ok((before.build()?, scene.build()?)));
        let (old, new) = match worlds {
            Ok(worlds) => worlds,
            Err(error) => {
                self.scene = Some(before);
                return self.tell(error.to_string());
            }
        };
        self.tuned.retain(|(other, _)| *other != path);
        self.tuned.push((path, value));
        self.line = None;
        match take_over(&mut self.play.world, [&old.world, &new.world]) {
            Taken::Over => self.go_on_in(new),
            Taken::Not => {
                let wind = self.air.wind;
                self.begin(new);
                self.air.blow(wind);
                self.tell(
                    "the scene begins anew: its bodies cannot change so while they move".into(),
                );
            }
        }
    }

    /// Goes on with the same world in a scene that has changed.
    fn go_on_in(&mut self, mut play: Play) {
        let (world, frame) = (std::mem::take(&mut self.play.world), self.play.frame());
        play.resume(world, frame);
        self.play = play;
        self.list_tunables();
        self.search();
    }

    /// Makes the changes to the scene once more, of those that it still takes.
    fn tune_again(&mut self) {
        let Some(scene) = self.scene.as_mut().filter(|_| !self.tuned.is_empty()) else { return };
        self.tuned.retain(|(path, value)| scene.tune(path, value).is_ok());
        self.line = None;
        match scene.build() {
            Ok(play) => self.begin(play),
            Err(error) => self.tell(error.to_string()),
        }
    }

    fn release(&mut self) -> Vec<u32> {
        let world = &mut self.play.world;
        self.hand.take().map(|hand| hand.let_go(world)).unwrap_or_default()
    }

    /// The state as bytes, with nothing in the hand.
    fn without_hand(&self) -> Vec<u8> {
        let bytes = self.play.world.save();
        let Some(hand) = &self.hand else { return bytes };
        let Ok(mut world) = World::restore(&bytes) else { return bytes };
        hand.clone().let_go(&mut world);
        world.save()
    }

    fn point(&self, why: Why) -> Point {
        Point { bytes: self.without_hand(), frame: self.play.frame(), why }
    }

    fn recall(&mut self) {
        let present = self.point(Why::Change);
        match self.points.back(present) {
            Some(point) => self.go_to(&point),
            None => self.tell("nothing was changed or kept; Ctrl+S keeps a state".into()),
        }
    }

    fn redo(&mut self) {
        let present = self.point(Why::Change);
        match self.points.forth(present) {
            Some(point) => self.go_to(&point),
            None => self.tell("nothing was undone; Ctrl+Z undoes a change".into()),
        }
    }

    fn go_to(&mut self, point: &Point) {
        match World::restore(&point.bytes) {
            Ok(world) => {
                self.play.resume(world, point.frame);
                self.arrived();
                self.edited = Edited::Yes;
                self.record(self.play.frame());
            }
            Err(error) => self.tell(error.to_string()),
        }
    }

    /// Goes to a frame of the past, by simulating again what was not saved, or as near as that can.
    fn seek(&mut self, frame: u64) {
        self.halt();
        let Some([first, last]) = self.history.range() else { return };
        let wanted = frame.clamp(first, last);
        let Some((world, found, until)) = self.history.restore(wanted) else { return };
        self.play.resume(world, found);
        let air = &self.air;
        while self.play.frame() < until {
            let stepped = self.play.advance_with(|world, dt| {
                air.apply(world);
                pliant::step(world, dt)
            });
            if stepped.is_err() {
                break;
            }
        }
        self.arrived();
        if until < wanted {
            self.tell(format!(
                "this is step {until}: steps of a GPU, or with something in the hand, can be gone \
                 back to where they were kept, and {wanted} was not"
            ));
        }
    }

    /// The world is another state of the same scene.
    fn arrived(&mut self) {
        self.hand = None;
        self.topology += 1;
        self.search();
    }

    fn drop_mesh(
        &mut self,
        name: &str,
        bytes: Option<&[u8]>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let Dressed { imported, looks } = source::read(name, bytes)?;
        let body = source::body_of(&imported)?;
        let (middle, top) = self.seen.middle_and_top(&self.play.world);
        let pose = (Quat::IDENTITY, source::way_above(&body, middle.with_y(top), 0.0));
        self.play.world.add(&body.placed(pose.0, pose.1))?;
        self.tell_missing(&looks.missing);
        self.seen.wardrobe.extend(Costume::of(&imported.surface, looks, &[pose]));
        self.meet();
        Ok(())
    }

    fn shoot(
        &mut self,
        from: Vec3,
        velocity: Vec3,
        radius: f32,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let ball = Rigid::ball(radius, BALL_DENSITY)?.blueprint()?;
        let ball = ball.touching(Touch { restitution: 0.3, ..Touch::OTHERS });
        let id = self.play.world.add(&ball.placed(Quat::IDENTITY, from))?;
        for i in self.play.world.body(id)?.range() {
            self.play.world.particles.set_velocity(i, velocity.clamp_length_max(200.0));
        }
        self.meet();
        Ok(())
    }

    /// Closes cuts near a path, or sews two particles together where there are none.
    fn weld(
        &mut self,
        path: &[Vec3],
        distance: f32,
        ends: Option<[u32; 2]>,
    ) -> Result<(), WorldError> {
        let before = Key::of(&self.play.world, self.topology);
        self.play.world.weld_along(path, distance)?;
        if Key::of(&self.play.world, self.topology) == before {
            ends.map_or(Ok(()), |ends| craft::sew(&mut self.play.world, ends))?;
        }
        self.divided();
        Ok(())
    }

    /// A cut or a tear has given particles other numbers.
    fn divided(&mut self) {
        self.topology += 1;
        if let Some(hand) = &mut self.hand {
            hand.find_again(&self.play.world);
        }
    }

    /// Something new is here: bodies that met nothing meet it.
    fn meet(&mut self) {
        let world = &mut self.play.world;
        let shy = world.bodies().filter(|(_, body)| body.touch.meets == Meets::Nothing);
        let shy: Vec<_> = shy.map(|(id, body)| (id, body.touch)).collect();
        for (id, touch) in shy {
            // The body is in this world, and its numbers are as they were.
            let _ = world.set_touch(id, Touch { meets: Meets::Others, ..touch });
        }
        self.topology += 1;
    }

    fn search(&mut self) {
        self.problems = problem::find(&self.play.world, self.wants);
        let world = &self.play.world;
        match &self.backing.why {
            Some(why) if why.lacks_room => {
                self.problems.insert(0, crowd::no_room(world, &why.text));
            }
            Some(why) => self.problems.push(Problem {
                what: format!("simulated on the CPU: {}", why.text),
                remedy: "the setting backend = cpu asks for no GPU".into(),
                places: Vec::new(),
                body: None,
            }),
            None => {}
        }
        let now = [self.backing.taken_again(), self.play.frame()];
        let [again, steps] = [0, 1].map(|k| now[k].saturating_sub(self.searched[k]));
        self.problems.extend(crowd::taken_again(world, again, steps));
        self.searched = now;
    }

    /// Tells which pictures could not be read.
    fn tell_missing(&mut self, missing: &[String]) {
        if let Some(first) = missing.first() {
            let more = match missing.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            self.tell(format!("shown without a picture: {first}{more}"));
        }
    }

    fn tell(&mut self, text: String) {
        self.notice = (self.notice.0 + 1, text);
    }

    fn tell_all(&mut self, told: Option<Result<String, String>>) {
        if let Some(Ok(text) | Err(text)) = told {
            self.tell(text);
        }
    }

    /// What is to be seen now.
    pub fn frame(&mut self) -> Frame {
        self.serial += 1;
        let as_command = self.line.take().unwrap_or_else(|| self.as_command().into());
        self.line = Some(Arc::clone(&as_command));
        let world = &self.play.world;
        let pose = self.backing.pose();
        // What was measured of the same positions is no news.
        let is_news = self.copied.is_none() || pose.is_none();
        let copy = |rows: &Vec<Vec4>| Arc::new(rows.clone());
        let [rows, speeds] = self
            .copied
            .get_or_insert_with(|| [copy(&world.particles.xw), copy(&world.particles.v)])
            .clone();
        let plan = self.seen.plan(world, &self.play.stage, self.topology);
        let stage = self.seen.stage(world, &self.play.stage, self.topology);
        let pins =
            (0..world.particles.len() as u32).filter(|&i| world.particles.pinned[i as usize]);
        Frame {
            serial: self.serial,
            step: self.play.frame(),
            time: world.time,
            dt: self.play.dt(),
            title: self.title.clone(),
            shows: self.shows.clone(),
            plan,
            stage,
            pose,
            rows,
            speeds,
            pins: pins.collect(),
            strain: self.wants.strain.then(|| measure::strain::of_particles(world)),
            contacts: if self.wants.contacts { world.touching() } else { Vec::new() },
            residuals: self.wants.residuals.then(|| frame::residuals(world)),
            boxes: if self.wants.boxes { frame::patches(world) } else { Vec::new() },
            readings: match self.wants.readings && is_news {
                true => measure::readings(world),
                false => Vec::new(),
            },
            report: world.contact_report(),
            config: world.config.clone(),
            wind: self.air.wind,
            air: air::of(world),
            stages: self.stages,
            running: self.running,
            speed: self.pace.speed,
            factor: self.pace.factor(),
            history: self.history.range(),
            pull: self.hand.as_ref().map(|hand| hand.pull(world)),
            problems: self.problems.clone(),
            notice: self.notice.clone(),
            exporting: self.writer.exporting(),
            is_scene: self.scene.is_some(),
            tunables: Arc::clone(&self.tunables),
            runs_on: self.backing.name(),
            broken: self.writer.broken,
            as_command,
        }
    }

    /// The same, shared.
    pub fn shared_frame(&mut self) -> Arc<Frame> {
        Arc::new(self.frame())
    }

    /// The scene with all changes as a command line; nothing if no command line can name it.
    fn as_command(&self) -> String {
        let (plain, keys) = self.source.parts();
        let quick = match plain {
            Source::Named(_) => "",
            Source::Quick(_) => " --quick",
            _ => return String::new(),
        };
        let Some(scene) = &self.scene else { return String::new() };
        let mut flags: Vec<String> = Vec::new();
        let mut set = |path: &str, value: &str| flags.push(format!(" --set '{path}={value}'"));
        keys.iter().for_each(|(path, value)| set(path, value));
        for (path, value) in &self.tuned {
            // The number of a preset is one of a material that has to be there first.
            for (path, value) in scene.needed_to_tune(path) {
                set(&path, &value);
            }
            set(path, value);
        }
        for (name, value) in &self.changed {
            set(name, &as_text(*value));
        }
        flags.dedup();
        format!("pliant run '{}'{quick}{}", self.source.name(), flags.concat())
    }

    /// What the world is made of.
    pub fn plan(&mut self) -> Arc<Plan> {
        self.seen.plan(&self.play.world, &self.play.stage, self.topology)
    }
}

#[cfg(test)]
impl Session {
    /// The coarse version of a scene of the library, for tests.
    pub(crate) fn quick(scene: &str) -> Self {
        let mut session = Self::new(|| 0.0);
        session.apply(Command::Load(Source::Quick(scene.into())));
        session
    }
}

/// A value as scenes have it.
fn as_text(value: Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Vector([x, y, z]) => format!("[{x}, {y}, {z}]"),
        Value::Choice(word) => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_keeps_settings_and_wind_and_another_scene_does_not() {
        let mut session = Session::quick("hanging-cloth");
        let fresh = session.world().hash();
        session.apply(Command::Set { name: "substeps", value: Value::Number(7.0) });
        session.apply(Command::Wind(Vec3::X));
        (0..5).for_each(|_| session.step());
        session.apply(Command::Restart);
        assert_eq!((session.world().config.substeps, session.world().hash()), (7, fresh));
        assert_eq!(session.frame().wind, Vec3::X);
        session.apply(Command::Load(Source::Quick("flag".into())));
        assert_ne!(session.world().config.substeps, 7);
        assert_eq!(session.frame().wind, Vec3::ZERO);
    }

    #[test]
    fn the_past_is_what_it_was_also_with_a_hand_in_it() {
        let mut session = Session::quick("hanging-cloth");
        (0..10).for_each(|_| session.step());
        let at = session.world().particles.position(3);
        session.apply(Command::Grab { particles: vec![3], at });
        session.apply(Command::Drag { to: at + Vec3::Y });
        (0..10).for_each(|_| session.step());
        let seen = session.world().particles.position(3);
        (0..5).for_each(|_| session.step());
        session.apply(Command::Seek(20));
        assert_eq!(session.world().particles.position(3), seen);
        let frame = session.frame();
        assert_eq!((frame.step, frame.running, frame.pull), (20, false, None));
        let anchors = session.world().constraints_of(&pliant::constraint::anchor::KIND);
        assert!(anchors.is_none_or(|set| set.is_empty()), "the hand has let go");
    }

    #[test]
    fn what_was_kept_comes_back_bit_for_bit() {
        let mut session = Session::quick("hanging-cloth");
        (0..10).for_each(|_| session.step());
        let hash = session.world().hash();
        session.apply(Command::Keep);
        session.apply(Command::Gust(Vec3::X * 20.0));
        (0..10).for_each(|_| session.step());
        assert_ne!(session.world().hash(), hash);
        session.apply(Command::Recall);
        assert_eq!((session.world().hash(), session.frame().step), (hash, 10));
    }

    #[test]
    fn the_command_line_of_a_scene_with_changes_gives_the_same_scene() {
        let mut session = Session::quick("hanging-cloth");
        assert_eq!(&*session.frame().as_command, "pliant run 'hanging-cloth' --quick");
        let knobs = session.tunables().substances[0].knobs.clone();
        let knob = knobs.iter().find(|knob| knob.path.starts_with("material.cotton.")).unwrap();
        let value = (2.0 * knob.values[0]).to_string();
        session.apply(Command::Tune { path: knob.path.clone(), value });
        session.apply(Command::Set { name: "substeps", value: Value::Number(7.0) });
        session.apply(Command::Set { name: "gravity", value: Value::Vector([1.0, -2.0, 0.0]) });
        let text = session.frame().as_command;
        let entry = pliant_io::scene::library::ALL.iter().find(|s| s.name == "hanging-cloth");
        let mut again = Scene::parse("hanging-cloth", entry.unwrap().text).unwrap();
        again.quicken().unwrap();
        for flag in text.split(" --set ").skip(1) {
            let (path, value) = flag.trim_matches('\'').split_once('=').unwrap();
            again.set(path, value).unwrap();
        }
        assert_eq!(again.build().unwrap().world.hash(), {
            session.apply(Command::Restart);
            session.world().hash()
        });
        assert_eq!(again.resolved(), session.scene.as_ref().unwrap().resolved(), "{text}");
    }

    #[test]
    fn a_scene_with_keys_that_were_set_keeps_them_when_it_restarts_and_a_mesh_has_none() {
        let keys = vec![("body.cloth.cell".to_owned(), "20 cm".to_owned())];
        let source = |name: &str| Source::Changed {
            of: Box::new(Source::Quick(name.into())),
            keys: keys.clone(),
        };
        let mut session = Session::new(|| 0.0);
        session.apply(Command::Load(source("hanging-cloth")));
        let count = session.world().particles.len();
        assert!(count < Session::quick("hanging-cloth").world().particles.len());
        session.apply(Command::Set { name: "substeps", value: Value::Number(7.0) });
        session.apply(Command::Restart);
        assert_eq!((session.world().particles.len(), session.world().config.substeps), (count, 7));
        let line = "pliant run 'hanging-cloth' --quick --set 'body.cloth.cell=20 cm' \
                    --set 'substeps=7'";
        assert_eq!(&*session.frame().as_command, line);
        let wrong = Source::Changed {
            of: Box::new(Source::Quick("flag".into())),
            keys: vec![("body.flag.nonsense".into(), "1".into())],
        };
        let told = wrong.check().unwrap_err().to_string();
        assert!(told.contains("nonsense"), "{told}");
        let mesh = Source::Changed { of: Box::new(Source::Named("a.obj".into())), keys };
        assert!(mesh.check().unwrap_err().to_string().contains("a.obj is a mesh"));
    }

    #[test]
    fn a_cut_is_undone_and_redone_and_a_cut_through_nothing_is_none() {
        let mut session = Session::quick("hanging-cloth");
        (0..10).for_each(|_| session.step());
        let hash = session.world().hash();
        let edge = |x: f32, z: f32| [Vec3::new(x, 5.0, z), Vec3::new(x, -5.0, z)];
        session.apply(Command::Cut { edges: vec![edge(0.02, -3.0), edge(0.02, 3.0)] });
        session.apply(Command::Cut { edges: vec![edge(9.0, -3.0), edge(9.0, 3.0)] });
        let cut = session.world().hash();
        assert_ne!(cut, hash);
        session.apply(Command::Recall);
        assert_eq!(session.world().hash(), hash);
        session.apply(Command::Redo);
        assert_eq!(session.world().hash(), cut);
        session.apply(Command::Redo);
        assert!(session.frame().notice.1.contains("Ctrl+Z"), "{}", session.frame().notice.1);
    }

    #[test]
    fn a_ball_that_is_thrown_meets_a_cloth_that_met_nothing() {
        let mut session = Session::quick("hanging-cloth");
        (0..60).for_each(|_| session.step());
        let count = session.world().particles.len();
        let target = session.world().particles.position(count / 2);
        let (from, velocity) = (target + Vec3::Z * 0.3, Vec3::NEG_Z * 4.0);
        session.apply(Command::Shoot { from, velocity, radius: 0.06 });
        assert!(session.world().particles.len() > count);
        let mut contacts = 0;
        for _ in 0..30 {
            session.step();
            contacts += session.frame().report.contacts;
        }
        assert!(contacts > 0);
        assert_eq!(session.frame().problems, []);
    }

    #[test]
    fn a_scene_that_is_written_anew_is_read_again() {
        let folder = std::env::temp_dir().join(format!("pliant-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("flag.toml");
        let text = pliant_io::scene::library::ALL.iter().find(|s| s.name == "flag").unwrap().text;
        let write = |text: &str, age: u64| {
            std::fs::write(&path, text).unwrap();
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(age);
            file.set_modified(time).unwrap();
        };
        write(text, 1000);
        static NOW: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let later = || f64::from(NOW.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        let mut session = Session::new(later);
        session.apply(Command::Load(Source::Quick(path.display().to_string())));
        session.apply(Command::Pause);
        assert!(!session.tick());
        write(&text.replace("name = \"Flag\"", "name = \"Banner\""), 2000);
        assert!(session.tick());
        assert_eq!(session.frame().title, "Banner");
        write("nonsense", 3000);
        assert!(session.tick());
        let frame = session.frame();
        assert_eq!(frame.title, "Banner");
        assert!(frame.notice.1.contains("flag.toml"), "{}", frame.notice.1);
        assert!(!session.tick(), "it is not read again and again");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_and_the_scene_stays() {
        let mut session = Session::quick("hanging-cloth");
        let before = session.world().hash();
        for source in ["no-such-scene", "missing.obj", "missing.toml"] {
            session.apply(Command::Load(Source::Named(source.into())));
            let (_, told) = session.frame().notice;
            assert!(told.contains(source), "{told}");
            assert_eq!(session.world().hash(), before);
        }
    }
}
