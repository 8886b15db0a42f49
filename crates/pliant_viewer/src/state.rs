//! All that the window shows and that its panels, keys and tools change; no window is needed for it.

use std::sync::Arc;

use crate::camera::Camera;
use crate::command::{Command, Reel, Wants};
use crate::driver::Driver;
use crate::frame::Frame;
use crate::gallery::Gallery;
use crate::layer::Look;
use crate::moment::Moment;
use crate::selection::Selection;
use crate::series::Series;
use crate::session::{SPEEDS, Source};
use crate::tool::{Grip, Stroke};

/// How long a notice is shown (s).
const NOTICE: f64 = 6.0;

/// How long after the start people are invited to pull (s).
const INVITATION: f64 = 12.0;

/// The state of the window.
pub struct State {
    /// Who simulates.
    driver: Box<dyn Driver>,
    /// The frame before the newest.
    earlier: Option<Arc<Frame>>,
    /// The newest frame.
    frame: Option<Arc<Frame>>,
    /// When it came (s).
    arrived: f64,
    /// Now (s), by the window's clock.
    pub now: f64,
    /// Where it is looked at from.
    pub camera: Camera,
    /// What is shown.
    pub look: Look,
    /// The tool, as an index of [`crate::tool::ALL`].
    pub tool: usize,
    /// How tools work.
    pub grip: Grip,
    /// What the pointer is doing.
    pub stroke: Option<Box<dyn Stroke>>,
    /// Whether it began with Shift: who lets Shift go before the button leaves things pinned.
    pub shifted: bool,
    /// The particles that are selected.
    pub selection: Selection,
    /// Whether something has ever been pulled.
    pub pulled: bool,
    /// What the panels want to know of the simulation, collected while they are shown.
    pub wants: Wants,
    wanted: Wants,
    /// Numbers over time.
    pub series: Series,
    /// The body whose material is shown, by name: the last that was touched.
    pub chosen: String,
    /// Pictures of the scenes that have been shown.
    pub gallery: Gallery,
    /// What is searched for in the list of scenes.
    pub search: String,
    /// The scene that the list shows, by title: it is scrolled there when another is opened.
    pub listed: String,
    /// Whether the search is to have the keyboard.
    pub finds: bool,
    /// Whether the window is to fill the screen, or no longer.
    pub turns_full: bool,
    /// The panel that was clicked and is not open yet, by name.
    pub unfolds: Option<&'static str>,
    /// Whether the keys are shown.
    pub help: bool,
    /// Whether panels are shown.
    pub panels: bool,
    /// Whether numbers about time and counts are shown over the picture.
    pub diagnostics: bool,
    /// What is to be copied, as text.
    pub copies: Option<String>,
    /// The last seconds, if they are played again.
    replay: Option<Replay>,
    /// Pictures that are asked for.
    pub record: Record,
    /// The scene that was last asked for, by name.
    asked: String,
    /// The scene for which the camera was placed.
    seen: Option<String>,
    notice: u64,
    notice_until: f64,
    /// What the window itself has to tell, and until when (s).
    aside: Option<(String, f64)>,
    /// Films that have ended before they were to.
    broken: u64,
    /// Commands that were sent, if somebody wants to know.
    log: Option<Vec<Command>>,
}

/// The last seconds, played again.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Replay {
    /// The step that was shown when it began.
    from: u64,
    /// When it began (s).
    began: f64,
    /// The step that was last asked for.
    asked: u64,
    way: Way,
}

/// Which way time is played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Backwards.
    Back,
    /// As it happened.
    Forth,
}

/// Pictures that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record {
    /// One picture.
    pub picture: bool,
    /// The format of films, as an index of [`pliant_io::image::FILMS`].
    pub format: usize,
    /// Films that were begun.
    pub number: u64,
    /// Whether an animation is being recorded.
    pub animation: bool,
    /// Whether its last picture is to come.
    pub ending: bool,
    /// When its next picture is due (s).
    pub next: f64,
}

impl Record {
    /// Pictures of an animation per second.
    pub const FPS: f64 = 20.0;

    /// Begins a film, or ends the one that is recorded.
    pub fn toggle(&mut self) {
        if self.animation {
            self.ending = true;
        } else {
            self.animation = true;
            self.number += 1;
        }
    }

    /// The film that is recorded, with a picture that is taken now (s).
    pub fn reel(&self, at: f64) -> Reel {
        let films = pliant_io::image::FILMS;
        let format = films[self.format.min(films.len() - 1)].name;
        Reel { number: self.number, format, fps: Self::FPS as f32, at }
    }
}

impl State {
    /// A window on what `driver` simulates.
    pub fn new(driver: Box<dyn Driver>) -> Self {
        Self {
            driver,
            earlier: None,
            frame: None,
            arrived: 0.0,
            now: 0.0,
            camera: Camera::of(&pliant::raster::Camera::default()),
            look: Look::default(),
            tool: 0,
            grip: Grip::default(),
            stroke: None,
            shifted: false,
            selection: Selection::default(),
            pulled: false,
            wants: Wants::default(),
            wanted: Wants::default(),
            series: Series::default(),
            chosen: String::new(),
            gallery: Gallery::default(),
            search: String::new(),
            listed: String::new(),
            finds: false,
            turns_full: false,
            unfolds: None,
            help: false,
            panels: true,
            diagnostics: false,
            copies: None,
            replay: None,
            record: Record::default(),
            asked: String::new(),
            seen: None,
            notice: 0,
            notice_until: 0.0,
            aside: None,
            broken: 0,
            log: None,
        }
    }

    /// Remembers every command from now on.
    pub fn keep_log(&mut self) {
        self.log = Some(Vec::new());
    }

    /// The commands since [`Self::keep_log`].
    pub fn log(&self) -> &[Command] {
        self.log.as_deref().unwrap_or_default()
    }

    /// Asks the simulation for something.
    pub fn send(&mut self, command: Command) {
        if command.ends_replay() {
            self.replay = None;
        }
        self.pass_on(command);
    }

    fn pass_on(&mut self, command: Command) {
        if let Some(log) = &mut self.log {
            log.push(command.clone());
        }
        self.driver.send(command);
    }

    /// Takes the newest frame from the simulation; never waits for one.
    pub fn poll(&mut self, now: f64) {
        self.now = now;
        self.play_again();
        let Some(newest) = self.driver.newest() else { return };
        if self.frame.as_ref().is_some_and(|frame| frame.serial == newest.serial) {
            return;
        }
        self.series.add(&newest);
        if newest.notice.0 != self.notice {
            self.notice = newest.notice.0;
            self.notice_until = now + NOTICE;
        }
        if newest.broken != self.broken {
            self.broken = newest.broken;
            (self.record.animation, self.record.ending) = (false, false);
        }
        if self.seen.as_ref() != Some(&newest.title) {
            self.seen = Some(newest.title.clone());
            self.camera = Camera::of(&newest.stage.camera);
        }
        // A frame of the same step says something new about it, but moves nothing.
        let same_step = self.frame.as_ref().is_some_and(|frame| frame.step == newest.step);
        if !same_step {
            self.earlier = self.frame.take();
            self.arrived = now;
        }
        self.selection.follow(&newest.plan);
        self.frame = Some(newest);
    }

    /// Plays the last seconds again, from what is shown.
    pub fn replay(&mut self, way: Way) {
        if let Some(frame) = &self.frame {
            let from = frame.step;
            self.replay = Some(Replay { from, began: self.now, asked: from, way });
        }
    }

    /// Asks for the step that is due of what is played again, unless the one before is not there yet.
    fn play_again(&mut self) {
        let (Some(replay), Some(frame), false) = (self.replay, &self.frame, self.is_busy()) else {
            return;
        };
        let Some([first, last]) = frame.history else { return };
        let steps = (self.now - replay.began) * frame.speed / f64::from(frame.dt.max(1e-6));
        let wanted = match replay.way {
            Way::Back => replay.from.saturating_sub(steps as u64),
            Way::Forth => replay.from.saturating_add(steps as u64),
        };
        let asked = wanted.clamp(first, last);
        self.replay = (asked == wanted).then_some(Replay { asked, ..replay });
        if asked != replay.asked {
            self.pass_on(Command::Seek(asked));
        }
    }

    /// The newest frame.
    pub fn frame(&self) -> Option<&Arc<Frame>> {
        self.frame.as_ref()
    }

    /// Whether the simulation is behind with what it was asked for.
    pub fn is_busy(&self) -> bool {
        self.driver.is_busy()
    }

    /// The world as it is drawn now: between the last two frames, as far as time has come since the
    /// last one.
    pub fn moment(&self) -> Option<Moment> {
        let frame = self.frame.as_ref()?;
        let earlier = self.earlier.as_ref().unwrap_or(frame);
        let step = f64::from(frame.dt) / frame.speed.max(1e-3);
        let passed = (self.now - self.arrived) / step.max(1e-6);
        let t = if frame.running { passed } else { 1.0 };
        let mut moment = Moment::between(earlier, frame, t as f32);
        moment.selected = Arc::clone(self.selection.particles());
        Some(moment)
    }

    /// Another window shows it from now on: one whose clock begins anew and that has no textures yet.
    pub fn reopened(&mut self, told: String) {
        self.gallery = Gallery::default();
        (self.arrived, self.record.next) = (0.0, 0.0);
        (self.stroke, self.notice_until) = (None, 0.0);
        self.aside = Some((told, 2.0 * NOTICE));
        self.send(Command::Release);
    }

    /// Tells people something that the simulation does not know of.
    pub fn tell(&mut self, text: String) {
        self.aside = Some((text, self.now + NOTICE));
    }

    /// What people are to be told now.
    pub fn notice(&self) -> Option<&str> {
        if let Some((text, _)) = self.aside.as_ref().filter(|(_, until)| self.now < *until) {
            return Some(text);
        }
        let text = &self.frame.as_ref()?.notice.1;
        (self.now < self.notice_until && !text.is_empty()).then_some(text)
    }

    /// Whether people are to be invited to pull.
    pub fn invites(&self) -> bool {
        !self.pulled && self.now < INVITATION && self.stroke.is_none()
    }

    /// Tells the simulation what to compute beside positions, if that has changed.
    pub fn send_wants(&mut self) {
        let look = self.look.wants();
        let panels = std::mem::take(&mut self.wants);
        // What is selected is marked where it is.
        let rows = !self.selection.particles().is_empty();
        let wants = look.or(panels).or(Wants { rows, ..Wants::NONE });
        if wants != self.wanted {
            self.wanted = wants;
            self.send(Command::Want(wants));
        }
    }

    /// Opens a scene.
    pub fn open(&mut self, source: Source) {
        self.stroke = None;
        self.seen = None;
        self.selection.clear();
        self.asked = source.name().to_owned();
        self.send(Command::Load(source));
    }

    /// Goes on, or stops; what is played again stops.
    pub fn toggle_pause(&mut self) {
        if self.replay.take().is_some() {
            return;
        }
        let running = self.frame.as_ref().is_none_or(|frame| frame.running);
        self.send(if running { Command::Pause } else { Command::Play });
    }

    /// Twice as fast for each step up, half as fast for each step down.
    pub fn change_speed(&mut self, factor: f64) {
        if let Some(frame) = &self.frame {
            let speed = (frame.speed * factor).clamp(SPEEDS[0], SPEEDS[1]);
            self.send(Command::Speed(speed));
        }
    }

    /// Looks at everything.
    pub fn frame_all(&mut self) {
        if let Some(frame) = &self.frame {
            let rows = frame.rows.iter().map(|row| row.truncate()).filter(|x| x.is_finite());
            let all = pliant::mesh::Aabb::of(rows);
            if all.low.cmple(all.high).all() {
                self.camera.frame([all.low, all.high]);
            }
        }
    }

    /// The next scene of the library, or the one before.
    pub fn open_neighbour(&mut self, by: isize) {
        let all = pliant_io::scene::library::ALL;
        let title = self.frame.as_ref().map(|frame| frame.title.clone()).unwrap_or_default();
        // Who asks again before a scene is there wants the one after that.
        let asked = all.iter().position(|entry| self.is_busy() && entry.name == self.asked);
        let shown = || {
            all.iter().position(|entry| {
                pliant_io::scene::Scene::parse(entry.name, entry.text)
                    .is_ok_and(|scene| scene.title() == title)
            })
        };
        let present = asked.or_else(shown).unwrap_or(0) as isize;
        let next = (present + by).rem_euclid(all.len() as isize) as usize;
        self.open(Source::Named(all[next].name.into()));
    }

    /// Does something with the particles that are selected, if there are some.
    pub fn with_selected(&mut self, command: impl FnOnce(Vec<u32>) -> Command) {
        let particles = self.selection.particles().to_vec();
        if !particles.is_empty() {
            self.send(command(particles));
        }
    }

    /// The pointer was released.
    pub fn release(&mut self) {
        let picked = self.stroke.as_ref().and_then(|stroke| stroke.selected());
        if let (Some((found, how)), Some(frame)) = (picked, &self.frame) {
            self.selection.change(found, how, &frame.plan);
        }
        self.end_stroke(|stroke, commands| stroke.released(commands));
    }

    /// Lets go of whatever the pointer holds, and does not what its stroke was for.
    pub fn cancel(&mut self) {
        self.end_stroke(|stroke, commands| stroke.cancelled(commands));
    }

    fn end_stroke(&mut self, end: impl FnOnce(Box<dyn Stroke>, &mut Vec<Command>)) {
        if let Some(stroke) = self.stroke.take() {
            let mut commands = Vec::new();
            end(stroke, &mut commands);
            commands.into_iter().for_each(|command| self.send(command));
        }
    }
}
