//! Plasticity: what is stretched, folded or deformed too far keeps part of it.

use glam::DVec3;

mod solids;

pub(crate) use solids::{Strain, deformation};

use crate::constraint::set::Set;
use crate::constraint::{Kind, bend, distance, neo_hookean};
use crate::particles::Particles;
use crate::tear::Strength;
use crate::world::World;

/// A kind that flows: what it measures, and in what its strain is counted.
struct Flow {
    kind: &'static Kind,
    /// What it measures now, given its particles, in the unit of its rest value.
    measure: fn(&[u32], &Particles) -> f64,
    /// The strain, given that, the rest value, and what it was made with; and how much a strain of 1 is.
    strain: fn(f64, f64, f64) -> [f64; 2],
    /// The least strain that it keeps.
    least: f64,
}

/// Every kind that flows: lengths by parts of their length, angles by rad.
const ALL: &[Flow] = &[
    Flow {
        kind: &distance::KIND,
        measure: |ids, particles| at(ids[0], particles).distance(at(ids[1], particles)),
        strain: |length, rest, made| [(length - rest) / made, made],
        // Some length stays, however hard a link is squeezed.
        least: -0.95,
    },
    Flow {
        kind: &bend::KIND,
        measure: |ids, particles| bend::angle([0, 1, 2, 3].map(|k| at(ids[k], particles))),
        strain: |angle, rest, _| [bend::short_way(angle - rest), 1.0],
        least: -std::f64::consts::PI,
    },
];

fn at(i: u32, particles: &Particles) -> DVec3 {
    particles.position(i as usize).as_dvec3()
}

/// Lets constraints flow whose elastic strain is beyond their yield strain.
///
/// ```text
/// ε = (l − l₀)/L   or   θ − θ₀     elastic strain; L is the length that the link was made with
/// p                                strain that it has kept, l₀ = (1 + p) L, θ₀ = p + Θ
/// Δp = (|ε| − y − H|p|) / (1 + H) · (1 − exp(−c dt)),   towards ε,   |p| ≤ p_max
/// ```
///
/// With c = ∞ and H = 0, what is left after a pull is its strain less the yield strain. What breaks is
/// not affected. Tetrahedra and matched shapes flow in the same way, by their strain in all directions
/// (`solids`). Simo and Hughes 1998, "Computational Inelasticity", box 1.4.
pub(crate) fn flow(world: &mut World, dt: f32) {
    let World { sets, regions, particles, .. } = world;
    solids::flow(regions, (particles, dt));
    for set in sets.iter_mut().filter(|set| !set.strength.is_empty()) {
        if set.kind().is(&neo_hookean::KIND) {
            (0..set.len()).for_each(|slot| solids::flow_tet(set, slot, (particles, dt)));
        }
        let Some(flow) = ALL.iter().find(|flow| flow.kind.is(set.kind())) else { continue };
        for slot in 0..set.len() {
            flow_one(flow, set, slot, (particles, dt));
        }
    }
}

fn flow_one(flow: &Flow, set: &mut Set, slot: usize, (particles, dt): (&Particles, f32)) {
    let (strength, kept) = (set.strength.at(slot), f64::from(set.strength.kept(slot)));
    if strength.yield_strain == f32::INFINITY {
        return;
    }
    let rest = f64::from(set.rest[0][slot]);
    let now = (flow.measure)(set.colored.particles(slot), particles);
    let [strain, unit] = (flow.strain)(now, rest, rest / (1.0 + kept));
    if !strain.is_finite() || unit <= 0.0 {
        return;
    }
    let more = yielded(&strength, [strain.abs(), kept.abs()], dt);
    if more <= 0.0 {
        return;
    }
    let most = f64::from(strength.most_plastic);
    let flown = (kept + strain.signum() * more).clamp(-most, most).max(flow.least);
    set.strength.columns[Strength::KEPT][slot] = flown as f32;
    set.rest[0][slot] = (rest + (flown - kept) * unit) as f32;
}

/// How much more strain is kept of an elastic one, given the size of both; 0 if it does not yield.
fn yielded(strength: &Strength, [strain, kept]: [f64; 2], dt: f32) -> f64 {
    let [y, hardening] = [strength.yield_strain, strength.hardening].map(f64::from);
    let beyond = strain - y - hardening * kept;
    let share = 1.0 - libm::exp(-f64::from(strength.creep) * f64::from(dt));
    (share * beyond / (1.0 + hardening)).max(0.0)
}
