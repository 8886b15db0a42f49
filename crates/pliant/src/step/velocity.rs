//! What did the particles really do? WGSL twin: `velocity.wgsl`

use glam::Vec4;

use crate::step::contacts;
use crate::step::contacts::response::{Motion, Times, respond};
use crate::world::{Config, Precision, World};

pub(crate) const WGSL: &str = include_str!("velocity.wgsl");

/// Particles that are worth a second thread.
const GRAIN: usize = 1024;

/// Corrects every velocity by what constraints and contacts did to the position.
///
/// ```text
/// v ← v + (x − x*) / h,   then friction and restitution
/// ```
pub(crate) fn update(world: &mut World) {
    let times = Times::of(world);
    let World { particles, scratch, colliders, config, h, .. } = world;
    let (h, per_h) = (*h, 1.0 / *h);
    let carried = config.precision == Precision::Carried;
    let (predicted, radius) = (&particles.predicted, &particles.radius);
    let (contacts, drift) = (&scratch.contacts, &scratch.drift);
    let columns = (particles.xw.as_mut_slice(), particles.v.as_mut_slice());
    scratch.pool.for_uneven_rows(columns, GRAIN, |first, (xw, v)| {
        let predicted = &predicted[first..first + xw.len()];
        // Empty where there is no collider.
        let contacts = contacts.get(first..first + xw.len()).unwrap_or_default();
        for (i, ((xw, v), &x)) in xw.iter_mut().zip(v).zip(predicted).enumerate() {
            let pushed = if carried { *xw } else { *xw - x }.with_w(0.0);
            *xw += if carried { x } else { Vec4::ZERO };
            let before = std::mem::replace(v, *v + pushed * per_h);
            let Some(&contact) = contacts.get(i).filter(|contact| contact.is_any()) else {
                continue;
            };
            *v = before + (pushed - contact.rounded.extend(0.0)) * per_h;
            if contact.depth > 0.0 {
                let collider = &colliders[contact.collider as usize];
                let drift = drift.get(first + i).copied().unwrap_or(Vec4::ZERO);
                let moved = (pushed + before * h + drift).truncate();
                let point = xw.truncate() - contact.normal * radius[first + i];
                let (before, after) = (before.truncate(), v.truncate());
                let motion = Motion { before, after, moved, point };
                let (velocity, slid) = respond(contact, collider, motion, times);
                *v = velocity.extend(0.0);
                *xw -= slid.extend(0.0);
            }
        }
    });
    contacts::update(world);
}

/// Impacts slower than this do not bounce (m/s): twice what gravity gives in a substep, as in Müller
/// et al. 2020, "Detailed Rigid Body Simulation with Extended Position Based Dynamics", section 3.6.
pub(crate) fn rest_speed(config: &Config, h: f32) -> f32 {
    2.0 * config.gravity.length() * h
}
