//! Bodies that are held together by shape matching alone.

use crate::body::Blueprint;
use crate::error::WorldError;
use crate::region::matched::Match;

/// Any particles, held together by shape matching.
///
/// ```
/// use pliant::region::matched::Match;
/// use pliant::shapes::matched::{Matched, Regions};
/// use pliant::{World, shapes::Lattice};
///
/// let particles = Lattice::default().blueprint()?;
/// let jelly = Matched { particles, regions: Regions::Whole, shape: Match::default() };
/// let mut world = World::default();
/// world.add(&jelly.blueprint()?)?;
/// # Ok::<(), pliant::WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matched {
    /// Particles and surface. Its constraints and regions are left out.
    pub particles: Blueprint,
    /// What is matched as one.
    pub regions: Regions,
    /// How it is matched.
    pub shape: Match,
}

/// Which particles are matched as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Regions {
    /// All of them: deforms as a whole, by few numbers.
    Whole,
    /// One region around every particle, of all that are at rest within this distance (m) of it.
    ///
    /// Regions overlap, which is what holds them together: any shape bends and twists locally. A
    /// larger reach is stiffer and dearer. Rivers and James 2007, "FastLSM: Fast Lattice Shape
    /// Matching for Robust Real-Time Deformation".
    Around(f32),
}

impl Matched {
    /// Particles, surface and regions.
    ///
    /// # Errors
    /// If there are no particles, the reach is not positive, or a number of `shape` is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        let mut body = self.particles.clone();
        body.sets.clear();
        body.regions.clear();
        match self.regions {
            Regions::Whole => {
                let all: Vec<u32> = (0..body.positions.len() as u32).collect();
                body.gather(&self.shape.region(&all))?;
            }
            Regions::Around(reach) => {
                super::positive("reach of a region", reach)?;
                for members in around(&body, reach) {
                    body.gather(&self.shape.region(&members))?;
                }
            }
        }
        Ok(body)
    }
}

/// The particles within `reach` of each particle, itself among them, in order.
fn around(body: &Blueprint, reach: f32) -> Vec<Vec<u32>> {
    let x = &body.positions;
    let mut order: Vec<u32> = (0..x.len() as u32).collect();
    order.sort_by(|&a, &b| x[a as usize].x.total_cmp(&x[b as usize].x));
    let mut first = 0; // of those not too far to the left
    let mut regions = vec![Vec::new(); x.len()];
    for &i in &order {
        let middle = x[i as usize];
        while x[order[first] as usize].x < middle.x - reach {
            first += 1;
        }
        let right = order[first..].iter().take_while(|&&j| x[j as usize].x <= middle.x + reach);
        let near = right.filter(|&&j| x[j as usize].distance_squared(middle) <= reach * reach);
        regions[i as usize] = near.copied().collect();
        regions[i as usize].sort_unstable();
    }
    regions
}
