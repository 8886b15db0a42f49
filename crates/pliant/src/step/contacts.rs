//! Where do particles touch colliders, and how are they kept apart?

use glam::{Vec3, Vec4};

use crate::collider::Collider;
use crate::world::World;

/// Particles that are worth a second thread.
const GRAIN: usize = 512;

/// What a particle touched in this substep.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Contact {
    /// Out of the collider, unit length.
    pub(crate) normal: Vec3,
    /// How far contact has moved the particle along the normal in this substep (m); 0 for none.
    pub(crate) depth: f32,
    /// The collider, as an index.
    pub(crate) collider: u32,
}

/// Moves every particle out of every collider that it is in.
pub(crate) fn project(world: &mut World) {
    let World { particles, colliders, scratch, .. } = world;
    if colliders.is_empty() {
        return;
    }
    let (radius, phase) = (&particles.radius, &particles.phase);
    let columns = (particles.xw.as_mut_slice(), scratch.contacts.as_mut_slice());
    scratch.pool.for_rows(columns, GRAIN, |first, (xw, contacts)| {
        for i in 0..xw.len() {
            for (index, collider) in colliders.iter().enumerate() {
                if xw[i].w > 0.0 && collider.phases & phase[first + i] != 0 {
                    let touched = push_out(collider, &mut xw[i], radius[first + i]);
                    if let Some((normal, depth)) = touched {
                        let depth = contacts[i].depth + depth;
                        contacts[i] = Contact { normal, depth, collider: index as u32 };
                    }
                }
            }
        }
    });
}

/// Moves one particle out of one collider; returns the direction and the distance (m).
fn push_out(collider: &Collider, xw: &mut Vec4, radius: f32) -> Option<(Vec3, f32)> {
    let (distance, normal) = collider.signed_distance(xw.truncate());
    let depth = radius - distance;
    (depth > 0.0).then(|| {
        *xw += (normal * depth).extend(0.0);
        (normal, depth)
    })
}

/// The velocity of a particle after contact, given that `before` the solver and `after` it (m/s).
///
/// Normal: a fast impact leaves with `restitution` times its speed; what was pushed out of a
/// collider leaves no faster than `max_depenetration`, unless it was moving so by itself.
/// Tangential: Coulomb friction, limited by μ times the speed that contact has taken away or
/// given, which makes the deceleration μ g whatever the mass and the substep.
pub(crate) fn respond(
    contact: Contact,
    collider: &Collider,
    [before, after]: [Vec3; 2],
    h: f32,
    limits: Limits,
) -> Vec3 {
    let n = contact.normal;
    let (before, after) = (before - collider.velocity, after - collider.velocity);
    let (vn_before, vn) = (before.dot(n), after.dot(n));
    let push = contact.depth / h;
    let calm = vn.min(limits.max_depenetration.max(vn - push));
    let bounce =
        if vn_before < -limits.rest_speed { -collider.restitution * vn_before } else { 0.0 };
    let vn_new = calm.max(bounce);

    let tangential = after - n * vn;
    let speed = tangential.length();
    // What began inside is pushed out without friction: it is not pressed on.
    let pressing = (vn_new - (vn - push)).max(0.0);
    let slip =
        if speed > 0.0 { (1.0 - collider.friction * pressing / speed).max(0.0) } else { 0.0 };
    collider.velocity + n * vn_new + tangential * slip
}

/// Speeds at which contact changes its ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// See [`crate::Config::max_depenetration`] (m/s).
    pub(crate) max_depenetration: f32,
    /// Impacts slower than this do not bounce (m/s): twice what gravity gives in a substep, as in
    /// Müller et al. 2020, "Detailed Rigid Body Simulation with Extended Position Based Dynamics",
    /// section 3.6.
    pub(crate) rest_speed: f32,
}
