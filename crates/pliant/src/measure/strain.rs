//! How far links are stretched.

use super::Measure;
use crate::constraint::distance;
use crate::world::World;

/// The largest stretch of a link over its rest length; compressed links do not count.
pub const LARGEST: &Measure = &Measure { name: "largest strain", unit: "", of: largest };

/// The largest (l − l₀)/l₀ of all distance constraints; 0 if none is stretched.
pub fn largest(world: &World) -> f64 {
    let Some(links) = world.constraints_of(&distance::KIND) else { return 0.0 };
    (0..links.len())
        .filter_map(|number| {
            let ends = links.particles(number);
            let [a, b] =
                [ends[0], ends[1]].map(|i| world.particles.position(i as usize).as_dvec3());
            let rest = f64::from(links.rest(number).next()?);
            (rest > 0.0).then(|| (a - b).length() / rest - 1.0)
        })
        .fold(0.0, f64::max)
}
