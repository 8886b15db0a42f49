//! Where do particles touch colliders, and how are they kept apart? WGSL twin: `contacts.wgsl`

use glam::{Vec3, Vec4};

use crate::collider::Collider;
use crate::world::{Precision, World};

pub(crate) const WGSL: &str = include_str!("contacts.wgsl");

/// Particles that are worth a second thread.
const GRAIN: usize = 512;

/// What a particle touched in this substep: of several colliders, the one that pushed most.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Contact {
    /// Out of the collider, unit length.
    pub(crate) normal: Vec3,
    /// How far the collider has pushed the particle in this substep (m); 0 for no contact.
    pub(crate) depth: f32,
    /// The collider, as an index.
    pub(crate) collider: u32,
}

/// Moves every particle out of every collider that it is in.
pub(crate) fn project(world: &mut World) {
    let World { particles, colliders, scratch, config, .. } = world;
    if colliders.is_empty() {
        return;
    }
    let predicted = (config.precision == Precision::Carried).then_some(&particles.predicted);
    let (radius, phase) = (&particles.radius, &particles.phase);
    let columns = (particles.xw.as_mut_slice(), scratch.contacts.as_mut_slice());
    scratch.pool.for_rows(columns, GRAIN, |first, (xw, contacts)| {
        for i in 0..xw.len() {
            for (index, collider) in colliders.iter().enumerate() {
                if xw[i].w > 0.0 && collider.phases & phase[first + i] != 0 {
                    let x = xw[i] + predicted.map_or(Vec4::ZERO, |x| x[first + i]);
                    let pushed = push_out(collider, x.truncate(), radius[first + i]);
                    if let Some((normal, depth)) = pushed {
                        xw[i] += (normal * depth).extend(0.0);
                        contacts[i].add(Contact { normal, depth, collider: index as u32 });
                    }
                }
            }
        }
    });
}

/// Which way and how far a particle at `x` must go to be out of a collider (m).
fn push_out(collider: &Collider, x: Vec3, radius: f32) -> Option<(Vec3, f32)> {
    let (distance, normal) = collider.signed_distance(x);
    let depth = radius - distance;
    (depth > 0.0).then_some((normal, depth))
}

impl Contact {
    fn add(&mut self, other: Self) {
        if other.collider == self.collider && self.depth > 0.0 {
            *self = Self { depth: self.depth + other.depth, ..other };
        } else if other.depth > self.depth {
            *self = other;
        }
    }
}

/// What contact makes of one particle: its velocity, and how far it slid although it sticks (m).
///
/// Normal: a fast impact leaves with `restitution` times its speed; what was pushed out of a
/// collider leaves no faster than `max_depenetration`, unless it was moving so by itself.
///
/// Tangential: Coulomb friction, limited by μ times the speed that contact has given. On a plane
/// that is μ g h cos θ in every substep, so the deceleration is right whatever the mass and the
/// substep. It acts on the velocity: on positions it would be lost, since μ g h² vanishes beside x
/// in single precision. What sticks is put back by what it slid in the substep, or it would creep
/// down a slope by g h sin θ in every second.
pub(crate) fn respond(
    contact: Contact,
    collider: &Collider,
    Motion { before, after, moved }: Motion,
    h: f32,
    limits: Limits,
) -> (Vec3, Vec3) {
    let n = contact.normal;
    let across = |a: Vec3| a - n * a.dot(n);
    let after = after - collider.velocity;
    let (vn_before, vn) = ((before - collider.velocity).dot(n), after.dot(n));
    let by_itself = vn - contact.depth / h;
    let calm = vn.min(limits.max_depenetration.max(by_itself));
    let impact = vn_before < -limits.rest_speed;
    let vn_new = calm.max(if impact { -collider.restitution * vn_before } else { 0.0 });

    let sliding = across(after);
    let (speed, most) = (sliding.length(), collider.friction * (vn_new - by_itself).max(0.0));
    let sticks = speed <= most;
    let kept = if sticks { Vec3::ZERO } else { sliding * (1.0 - most / speed) };
    let slid = if sticks { across(moved - collider.velocity * h) } else { Vec3::ZERO };
    (collider.velocity + n * vn_new + kept, slid)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blueprint, Config, step};

    const FRAME: f32 = 1.0 / 60.0;
    const G: f32 = 9.81;

    /// One particle of `mass` (kg) on a plane whose free side is where `normal` points.
    fn particle_on_plane(mass: f32, normal: Vec3, change: impl Fn(&mut Collider)) -> World {
        let mut world = World::new(Config { threads: 1, ..Config::default() });
        let mut body = Blueprint::default();
        body.particle(Vec3::ZERO, mass);
        world.add(&body).unwrap();
        let mut plane = Collider::plane(Vec3::ZERO, normal).unwrap();
        change(&mut plane);
        world.colliders.push(plane);
        world
    }

    fn run(world: &mut World, seconds: f32) {
        for _ in 0..(seconds / FRAME).round() as u32 {
            step(world, FRAME).unwrap();
        }
    }

    #[test]
    fn sliding_stops_after_v_squared_over_two_mu_g() {
        let v0 = 2.0;
        for mu in [0.2, 0.4, 0.7] {
            for mass in [0.1, 1.0, 10.0] {
                for substeps in [5, 20, 80] {
                    let mut world = particle_on_plane(mass, Vec3::Y, |p| p.friction = mu);
                    world.config.substeps = substeps;
                    world.particles.set_velocity(0, Vec3::X * v0);
                    run(&mut world, 1.5);
                    let (slid, law) = (world.particles.position(0).x, v0 * v0 / (2.0 * mu * G));
                    let tolerance = 0.01 * law + v0 * FRAME / substeps as f32 / 2.0;
                    assert!(
                        (slid - law).abs() < tolerance,
                        "μ {mu}, {mass} kg, {substeps} substeps: slid {slid} m, v²/2μg is {law} m"
                    );
                }
            }
        }
    }

    #[test]
    fn a_slope_holds_what_is_rougher_than_its_tangent_and_no_other() {
        let normal = Vec3::new(-0.5, 1.0, 0.0); // tan θ = 0.5
        for (mu, holds) in [(0.5, true), (0.49, false)] {
            let mut world = particle_on_plane(1.0, normal, |plane| plane.friction = mu);
            world.config.substeps = 60;
            run(&mut world, 1.0);
            let slid = world.particles.position(0).length();
            assert_eq!(slid < 1e-3, holds, "μ = {mu}: slid {slid} m in 1 s");
        }
    }

    #[test]
    fn a_bounce_reaches_e_squared_of_its_height() {
        for e in [0.5, 0.8] {
            let mut world = particle_on_plane(1.0, Vec3::Y, |plane| plane.restitution = e);
            world.particles.set_position(0, Vec3::Y);
            let (mut highest, mut bounced) = (0.0f32, false);
            for _ in 0..100 {
                step(&mut world, FRAME).unwrap();
                bounced |= world.particles.velocity(0).y > 0.0;
                highest = highest.max(if bounced { world.particles.position(0).y } else { 0.0 });
            }
            assert!(
                (highest / (e * e) - 1.0).abs() < 0.03,
                "e = {e}: {highest} m, e² h is {}",
                e * e
            );
        }
    }

    #[test]
    fn what_begins_inside_comes_out_slowly() {
        let mut world = particle_on_plane(1.0, Vec3::Y, |_| {});
        world.particles.set_position(0, Vec3::NEG_Y * 0.5);
        step(&mut world, FRAME).unwrap();
        let speed = world.particles.velocity(0).y;
        assert!(speed <= world.config.max_depenetration, "it left at {speed} m/s");
    }

    #[test]
    fn a_moving_plane_carries_what_lies_on_it() {
        let mut world = particle_on_plane(1.0, Vec3::Y, |plane| {
            (plane.friction, plane.velocity) = (1.0, Vec3::X * 0.3);
        });
        run(&mut world, 1.0);
        let moved = world.particles.position(0).x;
        assert!((moved - 0.3).abs() < 0.01, "it moved {moved} m, the plane 0.3 m");
    }

    #[test]
    fn a_phase_that_does_not_match_falls_through() {
        let mut world = particle_on_plane(1.0, Vec3::Y, |plane| plane.phases = 2);
        run(&mut world, 0.5);
        assert!(world.particles.position(0).y < -1.0);
    }
}
