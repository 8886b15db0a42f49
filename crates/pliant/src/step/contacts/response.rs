//! What contact with a collider does to velocities.

use glam::Vec3;

use super::Contact;
use crate::collider::Collider;
use crate::step::velocity::rest_speed;
use crate::world::World;

/// Speed that counts as none, as a share of what gravity gives in two substeps: friction at its limit
/// takes a speed up to rounding, and what is left must not be a creep.
pub(super) const STICKS: f32 = 2e-3;

/// What contact makes of one particle: its velocity, and how far it slid in the substep because
/// friction had not yet slowed it (m).
///
/// Normal: contact takes the speed at which a particle comes in, and adds none, however deep it
/// was: positions are set right without a velocity (Macklin et al. 2014, section 4.4). A fast impact
/// leaves with `restitution` times its speed.
///
/// Tangential: Coulomb friction, limited by μ times the speed that contact has given. On a plane
/// that is μ g h cos θ in every substep, so the deceleration is right whatever the mass and the
/// substep. It acts on the velocity: on positions it would be lost, since μ g h² vanishes beside x
/// in single precision. What it slid at a speed that friction takes is put back, or what sticks would
/// creep down a slope by g h sin θ in every second, and what slides be ahead by μ g h cos θ.
///
/// All is relative to the point of the collider that is touched, which may move and turn.
pub(crate) fn respond(
    contact: Contact,
    collider: &Collider,
    Motion { before, after, moved, point }: Motion,
    Times { h, rest_speed }: Times,
) -> (Vec3, Vec3) {
    let n = contact.normal;
    let across = |a: Vec3| a - n * a.dot(n);
    let surface = collider.velocity_at(point);
    let after = after - surface;
    let vn_before = (before - surface).dot(n);
    let by_itself = after.dot(n) - contact.depth / h;
    let impact = vn_before < -rest_speed;
    let bounced = if impact { -collider.restitution * vn_before } else { 0.0 };
    let vn = by_itself.max(bounced);

    let sliding = across(after);
    let (speed, most) = (sliding.length(), collider.friction * (vn - by_itself));
    let sticks = speed <= most + STICKS * rest_speed;
    let kept = if sticks { Vec3::ZERO } else { sliding * (1.0 - most / speed) };
    let slid = if sticks { across(moved - surface * h) } else { (sliding - kept) * h };
    (surface + n * vn + kept, slid)
}

/// How a particle moved in a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Velocity before the solver (m/s).
    pub(crate) before: Vec3,
    /// Velocity after it (m/s).
    pub(crate) after: Vec3,
    /// How far it came since the substep began (m).
    pub(crate) moved: Vec3,
    /// Where it touches (m).
    pub(crate) point: Vec3,
}

/// The substep, and what it makes of slow impacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Length of the substep (s).
    pub(crate) h: f32,
    /// Impacts slower than this do not bounce (m/s).
    pub(crate) rest_speed: f32,
}

impl Times {
    pub(crate) fn of(world: &World) -> Self {
        Self { h: world.h, rest_speed: rest_speed(&world.config, world.h) }
    }
}

/// Friction and restitution of the triangles that touch colliders.
///
/// The point that touches is treated as a particle; what it gains, its corners gain by their weights,
/// as a push in that point would give: Δv = w b Δ / Σ w b².
pub(crate) fn update(world: &mut World) {
    let times = Times::of(world);
    let World { particles, colliders, scratch, .. } = world;
    for touch in &scratch.faces.touches {
        let rows = touch.corners.map(|i| i as usize);
        let b = touch.weights;
        let mean = |of: [Vec3; 3]| of[0] * b[0] + of[1] * b[1] + of[2] * b[2];
        let point = mean(rows.map(|i| particles.xw[i].truncate()));
        let motion = Motion {
            before: touch.before,
            after: mean(rows.map(|i| particles.v[i].truncate())),
            moved: point - touch.start,
            point: point - touch.contact.normal * touch.radius,
        };
        let collider = &colliders[touch.contact.collider as usize];
        let (velocity, slid) = respond(touch.contact, collider, motion, times);
        let w = rows.map(|i| particles.xw[i].w);
        let sum: f32 = (0..3).map(|k| w[k] * b[k] * b[k]).sum();
        for k in 0..3 {
            let share = w[k] * b[k] / sum;
            particles.v[rows[k]] += ((velocity - motion.after) * share).extend(0.0);
            particles.xw[rows[k]] -= (slid * share).extend(0.0);
        }
    }
}
