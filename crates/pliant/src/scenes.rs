//! Worlds to run, measure and test, in any size.
//!
//! One more scene is one file here and one line in [`ALL`]; menus, the command line, benchmarks
//! and tests follow.

use std::error::Error;

use glam::Vec3;

use crate::world::World;

pub mod balloon;
pub mod elephant;
pub mod flag;
pub mod foam;
pub mod hanging_cloth;
pub mod linked;
pub mod materials;
pub mod organs;
pub mod showcase;
pub mod soft_cube;
pub mod spiral;
pub mod squeezed_cube;
pub mod swing;
pub mod tumbling;

/// Every scene, in the order of the menu.
pub const ALL: &[&Scene] = &[
    showcase::SCENE,
    hanging_cloth::SCENE,
    soft_cube::SCENE,
    flag::SCENE,
    foam::SCENE,
    linked::SCENE,
    swing::SCENE,
    materials::SCENE,
    elephant::SCENE,
    organs::SCENE,
    tumbling::SCENE,
    squeezed_cube::SCENE,
    balloon::SCENE,
    spiral::SCENE,
];

/// A scene that the tools can list, build and check.
#[derive(Debug)]
pub struct Scene {
    /// The name, as in `pliant run hanging_cloth`.
    pub name: &'static str,
    /// One sentence: what to look at.
    pub shows: &'static str,
    /// Particles along its longest side, usually.
    pub size: u32,
    /// The same for tests, where it should take a second.
    pub test_size: u32,
    /// Builds the initial state.
    pub build: fn(size: u32) -> Result<World, Box<dyn Error>>,
    /// Two corners of the box in which it happens (m), for the camera.
    pub stage: fn(size: u32) -> [Vec3; 2],
    /// How long it takes until [`Self::check`] must hold (s).
    pub seconds: f32,
    /// What must hold then; the error says what does not.
    pub check: fn(&World) -> Result<(), String>,
}

impl Scene {
    /// The scene of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|scene| scene.name == name)
    }
}

/// Fails with a sentence unless `value` is within `low` and `high`.
fn within(what: &str, value: f64, low: f64, high: f64) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{what} is {value:.6}, which should be between {low} and {high}"))
}

/// The height of the lowest particle (m).
fn lowest(world: &World) -> f64 {
    world.particles.xw.iter().map(|row| f64::from(row.y)).fold(f64::MAX, f64::min)
}
