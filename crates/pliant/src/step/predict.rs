//! Where would each particle go if nothing held it? WGSL twin: `predict.wgsl`

use glam::Vec4;

use crate::step::contacts::{self, Contact};
use crate::step::forces;
use crate::world::{Config, Precision, World};

pub(crate) const WGSL: &str = include_str!("predict.wgsl");

/// Particles that are worth a second thread.
const GRAIN: usize = 1024;

/// Moves every particle freely through one substep and remembers where it went.
///
/// ```text
/// v ← e^(−damping h) v + h a,   x ← x + h v,   x* ← x
/// ```
///
/// Damping takes from the motion there was, not from what `a` adds: what hangs still keeps its whole
/// weight. Held particles feel no force, but move with the velocity they were given. Bodies under
/// forces go where their integrators say.
pub(crate) fn predict(world: &mut World) {
    gather_forces(world);
    let h = world.h;
    contacts::advance(world);
    forces::integrate(world);
    let World { particles, scratch, config, .. } = world;
    let carried = config.precision == Precision::Carried;
    let (keep, gravity) = (keep(config, h), config.gravity.extend(0.0));
    let falls = (gravity + Vec4::ZERO) * h;
    let acceleration = &scratch.acceleration;
    let columns = (
        particles.xw.as_mut_slice(),
        particles.predicted.as_mut_slice(),
        particles.v.as_mut_slice(),
    );
    scratch.pool.for_rows(columns, GRAIN, |first, (xw, predicted, v)| {
        // Empty where no force acts.
        let pulls = acceleration.get(first..first + xw.len()).unwrap_or_default();
        for (i, ((xw, predicted), v)) in xw.iter_mut().zip(predicted).zip(v).enumerate() {
            if xw.w > 0.0 {
                let gains = pulls.get(i).map_or(falls, |&pull| (gravity + pull) * h);
                *v = *v * keep + gains;
            }
            *xw += *v * h; // v.w is 0: the inverse mass stays
            *predicted = xw.with_w(0.0);
            if carried {
                *xw -= *predicted; // rows are displacements until `velocity`
            }
        }
    });
    let contacts = (scratch.contacts.as_mut_slice(),);
    scratch.pool.for_rows(contacts, GRAIN, |_, (contacts,)| contacts.fill(Contact::default()));
    forces::place(world);
}

/// The share of a velocity that damping leaves in a substep of `h` seconds.
pub(crate) fn keep(config: &Config, h: f32) -> f32 {
    libm::expf(-config.damping * h)
}

/// Sums up what the forces do to each particle.
fn gather_forces(world: &mut World) {
    let World { forces, particles, triangles, scratch, h, .. } = world;
    scratch.acceleration.clear();
    if forces.is_empty() {
        return;
    }
    scratch.acceleration.resize(particles.len(), Vec4::ZERO);
    for force in forces {
        force.apply(particles, triangles, *h, &mut scratch.acceleration);
    }
}
