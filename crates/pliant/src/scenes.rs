//! Worlds to measure and test, in any size.
//!
//! One more is one file here and one line in [`ALL`]; benchmarks and tests follow. Scenes for people
//! are text: `scenes/*.toml`, read by `pliant_io::scene`.

use std::error::Error;

use glam::Vec3;

use crate::body::Blueprint;
use crate::constraint::set::Hold;
use crate::error::WorldError;
use crate::measure::{energy, penetration};
use crate::shapes::{Bending, Cloth};
use crate::world::World;

pub mod balloon;
pub mod curtain;
pub mod draped;
pub mod elephant;
pub mod five_spheres;
pub mod flag;
pub mod foam;
pub mod folding;
pub mod hanging_cloth;
pub mod linked;
pub mod materials;
pub mod mixed;
pub mod organs;
pub mod pile;
pub mod sharp;
pub mod showcase;
pub mod soft_cube;
pub mod spiral;
pub mod squeezed_cube;
pub mod stack;
pub mod stairs;
pub mod swing;
pub mod triangle_cloth;
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
    draped::SCENE,
    five_spheres::SCENE,
    curtain::SCENE,
    sharp::SCENE,
    stairs::SCENE,
    stack::SCENE,
    pile::SCENE,
    mixed::SCENE,
    folding::SCENE,
    triangle_cloth::EDGES,
    triangle_cloth::HINGES,
    triangle_cloth::ANGLES,
];

/// The workloads that engines are compared with, by the names under which results are kept. W5 is
/// W1 in several sizes.
pub const WORKLOADS: &[(&str, &Scene)] = &[
    ("W1", hanging_cloth::SCENE),
    ("W2", triangle_cloth::EDGES),
    ("W2b", triangle_cloth::HINGES),
    ("W2s", triangle_cloth::ANGLES),
    ("W3", soft_cube::SCENE),
    ("W4", pile::SCENE),
    ("W6", mixed::SCENE),
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
    /// The scene of that name, or the workload.
    pub fn find(name: &str) -> Option<&'static Self> {
        let workload = WORKLOADS.iter().find(|workload| workload.0 == name);
        let named = || ALL.iter().copied().find(|scene| scene.name == name);
        workload.map(|workload| workload.1).or_else(named)
    }
}

/// Fails with a sentence unless `value` is within `low` and `high`.
fn within(what: &str, value: f64, low: f64, high: f64) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("{what} is {value:.6}, which should be between {low} and {high}"))
}

/// Fails unless all motion together has less than `most` joules for each kilogram.
fn calm(world: &World, most: f64) -> Result<(), String> {
    let mass: f64 = world.particles.inverse_mass.iter().map(|&w| 1.0 / f64::from(w)).sum();
    within("the kinetic energy over the mass (J/kg)", energy::kinetic(world) / mass, 0.0, most)
}

/// The height of the lowest particle (m).
fn lowest(world: &World) -> f64 {
    world.particles.xw.iter().map(|row| f64::from(row.y)).fold(f64::MAX, f64::min)
}

/// A square cloth of 0.5 m with `size` particles along a side, 5 mm from what it lies on.
fn tablecloth(size: u32) -> Result<Blueprint, WorldError> {
    let size = size.max(2);
    let cloth = Cloth {
        columns: size,
        rows: size,
        spacing: [0.5 / (size - 1) as f32; 2],
        bending: Bending::Links(Hold::spring(0.5)),
        ..Cloth::default()
    };
    cloth.blueprint()
}

/// Fails unless bodies lie still, with no more energy (J) than that, out of all colliders by 98 % of
/// their radius, and nothing comes through between their particles.
fn lies_still(world: &World, most: f64) -> Result<(), String> {
    within("the kinetic energy (J)", energy::kinetic(world), 0.0, most)?;
    let radius = world.particles.radius.iter().copied().fold(f32::MAX, f32::min);
    let allowed = 0.02 * f64::from(radius);
    within("the deepest penetration (m)", penetration::deepest(world), 0.0, allowed)?;
    within("how far an edge comes through (m)", penetration::pierced(world), 0.0, 0.0)
}
