//! One step of the simulation. Read this file first; the modules are in the order of the step.
//!
//! WGSL twin: `step.wgsl`, and one beside each stage; [`crate::mirror`] puts them together.

use std::error::Error;
use std::fmt;

use crate::contact;
use crate::plastic;
use crate::region;
use crate::settings::SettingError;
use crate::solver;
use crate::stop;
use crate::tear;
use crate::world::World;

/// What the shaders of the stages share.
pub(crate) const WGSL: &str = include_str!("step.wgsl");

pub mod contacts;
pub mod forces;
pub mod predict;
pub mod prepare;
pub mod project;
pub mod quarantine;
pub mod sleep;
pub mod velocity;

/// Advances `world` by `dt` seconds.
///
/// # Errors
/// If `dt` or a setting is out of range; the world is as it was then.
pub fn step(world: &mut World, dt: f32) -> Result<(), StepError> {
    step_with(world, dt, &mut Silent)
}

/// Advances `world` by `dt` seconds and tells `hooks` where each stage begins and ends.
///
/// ```text
/// bring colours up to date, put non-finite bodies aside         prepare
/// h ← dt / substeps
/// repeat substeps times
///     v ← v + h a,   x ← x + h v,   x* ← x                     predict, forces
///     repeat iterations times, or until nothing moves            stop
///         for each constraint   x ← x + Δx, λ ← λ + Δλ         project
///         for each region       x ← x + mean of its Δx         region
///         for each contact      x ← x + Δx                     contact, contacts
///     for each limit            x ← x + Δx                     region
///     v ← v + (x − x*) / h,   friction, restitution             velocity
/// links flow and break                                          plastic, tear
/// put slow bodies to sleep, check that all is finite            sleep, quarantine
/// ```
///
/// Macklin et al. 2019, "Small Steps in Physics Simulation", algorithm 1, with the velocity
/// carried instead of recomputed; see [`crate::Particles::predicted`].
///
/// # Errors
/// If `dt` or a setting is out of range; the world is as it was then.
pub fn step_with(world: &mut World, dt: f32, hooks: &mut dyn Hooks) -> Result<(), StepError> {
    check(world, dt)?;
    during(hooks, Stage::Prepare, || prepare::prepare(world));
    world.h = dt / world.config.substeps as f32;
    world.scratch.iterations = 0;
    let mut done = dt;
    if world.h > 0.0 && !sleep::all_asleep(world) {
        for number in 0..world.config.substeps {
            if number > 0 && !hooks.keep_going() {
                done = world.h * number as f32;
                break;
            }
            substep(world, hooks, world.config.substeps - number);
        }
        during(hooks, Stage::Finish, || {
            forces::report(world);
            plastic::flow(world, done);
            tear::tear(world);
            sleep::update(world, done);
            quarantine::contain(world);
        });
    }
    world.time += f64::from(done);
    Ok(())
}

fn substep(world: &mut World, hooks: &mut dyn Hooks, left: u32) {
    during(hooks, Stage::Predict, || {
        contact::begin(world);
        predict::predict(world);
    });
    for iteration in 0..world.config.iterations {
        if iteration > 0 && (stop::settled(world) || !hooks.keep_going()) {
            break;
        }
        during(hooks, Stage::Project, || project_all(world, iteration));
        during(hooks, Stage::Contacts, || {
            contact::project(world, iteration, left);
            contacts::project(world);
        });
    }
    during(hooks, Stage::Velocity, || {
        region::finish(world);
        velocity::update(world);
        contact::respond(world);
    });
}

fn project_all(world: &mut World, iteration: u32) {
    stop::remember(world);
    world.scratch.iterations += 1;
    solver::iterate(world, iteration);
    region::iterate(world, iteration);
}

pub(crate) fn check(world: &World, dt: f32) -> Result<(), StepError> {
    if !(dt >= 0.0 && dt.is_finite()) {
        return Err(StepError::TimeStep { dt });
    }
    world.config.check().map_err(StepError::Setting)
}

fn during(hooks: &mut dyn Hooks, stage: Stage, work: impl FnOnce()) {
    hooks.begin(stage);
    work();
    hooks.end(stage);
}

/// What a step tells its caller. The engine has no clock: whoever wants times reads one here.
pub trait Hooks {
    /// A stage begins.
    fn begin(&mut self, stage: Stage);
    /// It has ended.
    fn end(&mut self, stage: Stage);
    /// Whether there is time for more; asked before every substep and every iteration but the
    /// first. After a no, the step ends with this substep, and the world is behind by what was left
    /// out: see [`World::time`]. To make up for it with a longer substep would be unsafe, since what
    /// that leaves unsolved is thrown out by the next short one, at a speed of C/h. The result
    /// depends on the answers.
    fn keep_going(&mut self) -> bool {
        true
    }
}

/// Hooks that do nothing.
struct Silent;

impl Hooks for Silent {
    fn begin(&mut self, _: Stage) {}
    fn end(&mut self, _: Stage) {}
}

/// The parts of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Bringing up to date what depends on topology and settings.
    Prepare,
    /// Forces and free motion.
    Predict,
    /// Constraints.
    Project,
    /// Contact with other bodies and with colliders.
    Contacts,
    /// Limits on strain, then velocities, friction, restitution.
    Velocity,
    /// Sleeping, and the check that all is finite.
    Finish,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: &[Self] = &[
        Self::Prepare,
        Self::Predict,
        Self::Project,
        Self::Contacts,
        Self::Velocity,
        Self::Finish,
    ];

    /// Its name, for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Predict => "predict",
            Self::Project => "project",
            Self::Contacts => "contacts",
            Self::Velocity => "velocity",
            Self::Finish => "finish",
        }
    }
}

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is negative or not finite.
    TimeStep {
        /// What was asked for (s).
        dt: f32,
    },
    /// A setting is out of range.
    Setting(SettingError),
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeStep { dt } => {
                write!(f, "a step of {dt} s; it must be finite and at least 0, such as 1/60")
            }
            Self::Setting(error) => write!(f, "{error}"),
        }
    }
}

impl Error for StepError {}
