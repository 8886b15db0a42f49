//! A scene that runs: a world, and what happens to it frame by frame.

use pliant::step::StepError;
use pliant::{World, raster, step};

use super::cast::Cast;
use super::event::Action;
use super::quantity::Gauge;
use super::tie::Carried;
use super::wind::Weather;

/// A scene as it runs.
///
/// Whatever is not in the world follows from the number of the frame, so that a world that was
/// saved goes on as if nothing had happened ([`Self::resume`]).
pub struct Play {
    /// The world. Change it between frames as you like.
    pub world: World,
    /// Frames per second.
    pub fps: f64,
    /// How long the scene takes (s).
    pub seconds: f64,
    /// An empty picture of it, for [`pliant::look::picture`].
    pub stage: raster::Scene,
    pub(super) frame: u64,
    pub(super) cast: Cast,
    pub(super) carried: Vec<Carried>,
    pub(super) weather: Option<Weather>,
    /// Before which frame what happens, in order.
    pub(super) events: Vec<(u64, Action)>,
    pub(super) probes: Vec<Probe>,
    pub(super) checks: Vec<Check>,
}

/// A number that is written down.
pub(super) struct Probe {
    pub(super) name: String,
    pub(super) gauge: Gauge,
}

/// What must hold.
pub(super) struct Check {
    /// After so many frames.
    pub(super) after: u64,
    pub(super) body: Option<String>,
    pub(super) gauge: Gauge,
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) why: Option<String>,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// One sentence: what was found, and what should be.
    pub says: String,
    /// Whether it holds.
    pub holds: bool,
}

impl Play {
    /// A world to which nothing happens but time, seen as in `stage`.
    pub fn of_world(world: World, fps: f64, stage: raster::Scene) -> Self {
        Self {
            world,
            fps,
            seconds: f64::INFINITY,
            stage,
            frame: 0,
            cast: Cast::default(),
            carried: Vec::new(),
            weather: None,
            events: Vec::new(),
            probes: Vec::new(),
            checks: Vec::new(),
        }
    }

    /// Frames that were taken.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Frames that the scene takes.
    pub fn frames(&self) -> u64 {
        (self.seconds * self.fps).round() as u64
    }

    /// Length of a frame (s).
    pub fn dt(&self) -> f32 {
        (1.0 / self.fps) as f32
    }

    /// Takes a frame.
    ///
    /// # Errors
    /// As [`step()`]; the world is as it was then.
    pub fn advance(&mut self) -> Result<(), StepError> {
        self.advance_with(step)
    }

    /// Takes a frame by a step of your own, as [`pliant::step_with`].
    ///
    /// # Errors
    /// Those of the step.
    pub fn advance_with<E>(
        &mut self,
        step: impl FnOnce(&mut World, f32) -> Result<(), E>,
    ) -> Result<(), E> {
        self.prepare();
        let dt = self.dt();
        step(&mut self.world, dt)?;
        self.frame += 1;
        Ok(())
    }

    /// Whether something happens to the world between frames: events, gusts, particles that colliders
    /// carry. A world that is simulated elsewhere must be told.
    pub fn is_directed(&self) -> bool {
        !self.carried.is_empty() || !self.events.is_empty() || self.weather.is_some()
    }

    /// Whether what happens before the next frame depends on where particles are: an event, or particles
    /// that colliders carry. A world that is simulated elsewhere must be read before.
    pub fn looks_next(&self) -> bool {
        !self.carried.is_empty() || self.events.iter().any(|(when, _)| *when == self.frame)
    }

    /// Goes on from a world that was saved after so many frames of this scene.
    pub fn resume(&mut self, world: World, frame: u64) {
        (self.world, self.frame) = (world, frame);
    }

    /// What happens before a frame.
    fn prepare(&mut self) {
        let dt = self.dt();
        let Self { world, frame, .. } = self;
        for (_, action) in self.events.iter().filter(|(when, _)| when == frame) {
            if let Action::Change(change) = action {
                change(world);
            }
        }
        if let Some(weather) = &self.weather {
            weather.blow(world, *frame, *frame as f64 / self.fps);
        }
        for Carried { particles, by } in &self.carried {
            let present = world.particles.find(particles);
            let held = present.iter().map(|&i| i as usize);
            for i in held.filter(|&i| world.particles.pinned[i]).collect::<Vec<_>>() {
                let x = world.particles.position(i);
                let to = world.colliders[*by].carry(x, dt);
                world.particles.set_velocity(i, (to - x) / dt);
            }
        }
    }

    /// The probes' names and units.
    pub fn probes(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.probes.iter().map(|probe| (probe.name.as_str(), probe.gauge.unit()))
    }

    /// The probes' numbers now.
    pub fn readings(&self) -> Vec<f64> {
        self.probes.iter().map(|probe| probe.gauge.measure(&self.world)).collect()
    }

    /// When the last check is to be made, in frames.
    pub fn last_check(&self) -> u64 {
        self.checks.iter().map(|check| check.after).max().unwrap_or(0)
    }

    /// The checks that are to be made after this frame.
    pub fn check(&self) -> Vec<Checked> {
        let due = self.checks.iter().filter(|check| check.after == self.frame);
        due.map(|check| check.outcome(&self.world)).collect()
    }

    /// Whether the scene has a body of that name.
    pub fn has_body(&self, id: &str) -> bool {
        self.cast.has(id)
    }
}

impl Check {
    fn outcome(&self, world: &World) -> Checked {
        let found = self.gauge.measure(world);
        let holds = self.min.is_none_or(|min| found >= min)
            && self.max.is_none_or(|max| found <= max)
            && found.is_finite();
        let unit = self.gauge.unit();
        let of = self.body.as_ref().map_or(String::new(), |body| format!(" of {body}"));
        let range = match (self.min, self.max) {
            (Some(min), Some(max)) => format!("from {min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => "finite".into(),
        };
        let verb = if holds { "is" } else { "is WRONG:" };
        let why = self.why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        let name = self.gauge.name();
        let says = format!(
            "{name}{of} {verb} {found:.6} {unit} after {:.2} s, expected {range}{why}",
            world.time
        );
        Checked { says, holds }
    }
}
