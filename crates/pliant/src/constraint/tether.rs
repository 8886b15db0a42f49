//! Long-range tether: however few iterations there are, cloth stays near what holds it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::distance::Distance;
use super::set::Hold;
use super::{Constraint, Gradients, Kind, Sense, distance};
use crate::body::Blueprint;
use crate::error::WorldError;
use crate::lanes::{Real, V3};

/// The kind, for building bodies.
pub static KIND: Kind = Kind::of::<Tether, 2, 1>();

/// Keeps two particles at most their rest distance apart: [`Distance`] that only pulls.
///
/// Between a free particle and a pinned one, with the way along the body as rest distance, it
/// stops a cloth from stretching at once instead of link by link: the pin is reached in one
/// iteration from anywhere. [`crate::Blueprint::tethered`] adds them.
///
/// Kim et al. 2012, "Long Range Attachments: A Method to Simulate Inextensible Clothing in
/// Computer Games".
#[derive(Debug)]
pub struct Tether;

impl Constraint<2, 1> for Tether {
    const NAME: &'static str = "tether";
    const SHOWS: &'static str = "keeps two particles at most their rest distance apart";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Distance::WGSL;
    const SENSE: Sense = Sense::AtMost;
    const GRADIENTS: Gradients = Distance::GRADIENTS;

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
        Distance::eval(x, rest)
    }

    fn rest(x: [V3<f64>; 2]) -> [f64; 1] {
        Distance::rest(x)
    }
}

impl Blueprint {
    /// The same body with every particle tethered to the pin that is nearest along its links and
    /// triangles, on a tether of that way's length times 1 + `slack`.
    ///
    /// ```
    /// # use pliant::shapes::Cloth;
    /// let cloth = Cloth::default().blueprint()?.pinned(&[0, 20]).tethered(0.02)?;
    /// # assert_eq!(cloth.sets.last().map(|set| set.len()), Some(21 * 21 - 2));
    /// # Ok::<(), pliant::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// If `slack` is negative or not finite.
    pub fn tethered(mut self, slack: f32) -> Result<Self, WorldError> {
        if !(slack >= 0.0 && slack.is_finite()) {
            let (what, needs) = ("slack of tethers", "finite and at least 0");
            return Err(WorldError::BadNumber { what, value: slack, needs });
        }
        for (particle, (way, pin)) in nearest_pins(&self).into_iter().enumerate() {
            if way > 0.0 && way.is_finite() {
                let rest = [way * (1.0 + slack)];
                self.join_with_rest(&KIND, &[particle as u32, pin], &rest, Hold::RIGID)?;
            }
        }
        Ok(self)
    }
}

/// The length of the way to the nearest pin (m) and that pin, for each particle; infinite where
/// there is none. Dijkstra 1959.
fn nearest_pins(body: &Blueprint) -> Vec<(f32, u32)> {
    let ways = ways(body);
    let mut best = vec![(f32::INFINITY, u32::MAX); body.positions.len()];
    // Lengths of ways are never negative, and such numbers are ordered like their bits.
    let mut front = BinaryHeap::new();
    for &pin in &body.pins {
        best[pin as usize] = (0.0, pin);
        front.push(Reverse((0.0f32.to_bits(), pin)));
    }
    while let Some(Reverse((bits, at))) = front.pop() {
        let (way, pin) = best[at as usize];
        if way.to_bits() != bits {
            continue; // a shorter way was found since
        }
        let first = ways.partition_point(|&(from, _)| from < at);
        for &(_, to) in ways[first..].iter().take_while(|&&(from, _)| from == at) {
            let length = body.positions[at as usize].distance(body.positions[to as usize]);
            if way + length < best[to as usize].0 {
                best[to as usize] = (way + length, pin);
                front.push(Reverse(((way + length).to_bits(), to)));
            }
        }
    }
    best
}

/// Every link and every side of a triangle, both ways, in order.
fn ways(body: &Blueprint) -> Vec<(u32, u32)> {
    let links = body.sets.iter().filter(|set| set.kind().is(&distance::KIND));
    let links =
        links.flat_map(|set| (0..set.len()).map(|n| (set.particles(n)[0], set.particles(n)[1])));
    let sides = body.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let mut ways: Vec<(u32, u32)> =
        links.chain(sides).flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    ways.sort_unstable();
    ways.dedup();
    ways
}
