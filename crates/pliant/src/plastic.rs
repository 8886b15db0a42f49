//! Plasticity: links that are stretched or squeezed too far keep part of it.

use crate::constraint::distance;
use crate::constraint::set::Set;
use crate::particles::Particles;
use crate::tear::Strength;
use crate::world::World;

/// Lets links flow whose elastic strain is beyond their yield strain.
///
/// ```text
/// ε = (l − l₀)/L              elastic strain; L is the length that the link was made with
/// p                           strain that it has kept, l₀ = (1 + p) L
/// Δp = (|ε| − y − H|p|) / (1 + H) · (1 − exp(−c dt)),   towards ε,   |p| ≤ p_max
/// ```
///
/// With c = ∞ and H = 0, what is left after a pull is its strain less the yield strain. Links that
/// break are not affected. Simo and Hughes 1998, "Computational Inelasticity", box 1.4.
pub(crate) fn flow(world: &mut World, dt: f32) {
    let World { sets, particles, .. } = world;
    for set in sets.iter_mut().filter(|set| set.kind().is(&distance::KIND)) {
        if set.strength.is_empty() {
            continue;
        }
        for slot in 0..set.len() {
            flow_link(set, slot, particles, dt);
        }
    }
}

fn flow_link(set: &mut Set, slot: usize, particles: &Particles, dt: f32) {
    let row: [f32; 7] = std::array::from_fn(|column| set.strength[column][slot]);
    let Strength { yield_strain, creep, most_plastic, hardening, .. } = Strength::of(row);
    let kept = f64::from(row[Strength::KEPT]);
    if yield_strain == f32::INFINITY {
        return;
    }
    let [a, b] =
        set.colored.particles_of::<2>()[slot].map(|i| particles.position(i as usize).as_dvec3());
    let rest = f64::from(set.rest[0][slot]);
    let made = rest / (1.0 + kept);
    if made.is_nan() || made <= 0.0 {
        return;
    }
    let strain = (a.distance(b) - rest) / made;
    let [y, hardening, most] = [yield_strain, hardening, most_plastic].map(f64::from);
    let beyond = strain.abs() - y - hardening * kept.abs();
    if beyond <= 0.0 {
        return;
    }
    let share = 1.0 - libm::exp(-f64::from(creep) * f64::from(dt));
    let flown = kept + strain.signum() * share * beyond / (1.0 + hardening);
    // A link keeps some length, however hard it is squeezed.
    let flown = flown.clamp(-most, most).max(LEAST - 1.0);
    set.strength[Strength::KEPT][slot] = flown as f32;
    set.rest[0][slot] = ((1.0 + flown) * made) as f32;
}

/// Least part of its length that a squeezed link keeps.
const LEAST: f64 = 0.05;
