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
    let gravity = config.gravity.extend(0.0);
    let carried = config.precision == Precision::Carried;
    let keep = keep(config, h);
    let acceleration = &scratch.acceleration;
    let columns = (
        particles.xw.as_mut_slice(),
        particles.predicted.as_mut_slice(),
        particles.v.as_mut_slice(),
        scratch.contacts.as_mut_slice(),
    );
    scratch.pool.for_rows(columns, GRAIN, |first, (xw, predicted, v, contacts)| {
        for i in 0..xw.len() {
            if xw[i].w > 0.0 {
                let pull = acceleration.get(first + i).copied().unwrap_or(Vec4::ZERO);
                v[i] = v[i] * keep + (gravity + pull) * h;
            }
            xw[i] += v[i] * h; // v.w is 0: the inverse mass stays
            predicted[i] = xw[i].with_w(0.0);
            if carried {
                xw[i] -= predicted[i]; // rows are displacements until `velocity`
            }
            contacts[i] = Contact::default();
        }
    });
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
