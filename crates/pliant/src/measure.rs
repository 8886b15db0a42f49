//! Numbers that say how a world is doing, and the list of ours.
//!
//! One more measurement is one file here and one line in [`ALL`].

use crate::world::World;

pub mod energy;
pub mod momentum;
pub mod strain;
pub mod volume;

/// Every measurement, in the order in which it is shown.
pub const ALL: &[&Measure] =
    &[energy::KINETIC, energy::GRAVITATIONAL, momentum::SIZE, strain::LARGEST, volume::ENCLOSED];

/// One number of a world.
#[derive(Debug)]
pub struct Measure {
    /// The name, as in tables and files.
    pub name: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// Measures.
    pub of: fn(&World) -> f64,
}
