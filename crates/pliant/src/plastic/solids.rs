//! Tetrahedra and matched shapes that are deformed too far keep part of it.
//!
//! ```text
//! F = Fₑ Fₚ                        what is elastic, after what is kept
//! Fₑᵀ Fₑ = V Σ² Vᵀ,   ε = ln Σ − ⅓ tr ln Σ       Hencky strain without its volume
//! |ε| = √(⅔ ε·ε)                   |ln λ| for a pull to λ that keeps the volume
//! Fₚ ← V exp(Δp ε/|ε|) Vᵀ Fₚ       so that |ε| falls by Δp, and det Fₚ stays 1
//! ```
//!
//! Δp is that of [`super::flow`]. Irving et al. 2004, "Invertible Finite Elements for Robust Simulation
//! of Large Deformation", section 6, in logarithms; Müller and Gross 2004; for matched shapes Müller
//! et al. 2005, section 4.3.

use std::array::from_fn;

use glam::{DMat3, DVec3};

use super::{at, yielded};
use crate::constraint::set::Set;
use crate::particles::Particles;
use crate::region::{self, algebra, matched};
use crate::tear::Strength;

/// Thinner than this, as a stretch, an element has lost its shape, and says nothing of a strain.
const LEAST_STRETCH: f64 = 1e-2;

/// Halvings that find how much may be kept up to the limit: all bits of single precision.
const HALVINGS: usize = 24;

/// A Hencky strain: its principal directions, and its values there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strain {
    /// The directions, as columns.
    axes: DMat3,
    /// ln Σ.
    logs: DVec3,
}

impl Strain {
    /// That of a deformation gradient. `None` if it is flat or inside out.
    pub(crate) fn of(f: DMat3) -> Option<Self> {
        let square = f.transpose() * f;
        let (values, v) = algebra::eigen(from_fn(|i| from_fn(|j| square.col(j)[i])));
        let least = LEAST_STRETCH * LEAST_STRETCH;
        let good = f.determinant() > 0.0 && values.iter().all(|&v| v.is_finite() && v > least);
        let axis = |k: usize| DVec3::new(v[0][k], v[1][k], v[2][k]);
        let axes = DMat3::from_cols(axis(0), axis(1), axis(2));
        let logs = DVec3::from_array(values.map(|value| 0.5 * libm::log(value)));
        good.then_some(Self { axes, logs })
    }

    /// The direction that is stretched most, before the deformation, and its length over that at rest.
    pub(crate) fn longest(&self) -> (DVec3, f64) {
        let k = (1..3).fold(0, |best, k| if self.logs[k] > self.logs[best] { k } else { best });
        (self.axes.col(k), libm::exp(self.logs[k]))
    }

    /// Without the change of volume.
    fn shear(self) -> Self {
        Self { logs: self.logs - DVec3::splat(self.logs.element_sum() / 3.0), ..self }
    }

    /// |ε| of a strain that keeps the volume.
    fn size(&self) -> f64 {
        (self.logs.length_squared() * (2.0 / 3.0)).sqrt()
    }

    /// V exp(t ε) Vᵀ.
    fn stretch(&self, t: f64) -> DMat3 {
        let by = self.logs.to_array().map(|log| libm::exp(t * log));
        self.axes * DMat3::from_diagonal(DVec3::from_array(by)) * self.axes.transpose()
    }
}

/// How a strain flows: by how much, as a share of itself, and what is kept in all then. `kept` gives
/// that for a share. `None` if it does not yield.
fn flown(
    strength: &Strength,
    strain: &Strain,
    kept: impl Fn(f64) -> f64,
    dt: f32,
) -> Option<[f64; 2]> {
    let (size, before) = (strain.size(), kept(0.0));
    let more = yielded(strength, [size, before], dt);
    if more <= 0.0 || size <= 0.0 {
        return None;
    }
    let (mut share, most) = (more / size, f64::from(strength.most_plastic));
    if kept(share) > most.max(before) {
        let (mut low, mut high) = (0.0, share);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if kept(middle) > most { high = middle } else { low = middle }
        }
        share = low;
    }
    (share > 0.0).then(|| [share, kept(share)])
}

/// Lets a neo-Hookean tetrahedron flow: its rest shape changes, its rest volume does not.
pub(super) fn flow_tet(set: &mut Set, slot: usize, (particles, dt): (&Particles, f32)) {
    let strength = set.strength.at(slot);
    if strength.yield_strain == f32::INFINITY {
        return;
    }
    let ids = set.colored.particles(slot);
    let edges = |at: &dyn Fn(u32) -> DVec3| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| at(ids[k]));
        DMat3::from_cols(b - a, c - a, d - a)
    };
    let made = edges(&|i| particles.rest[i as usize].truncate().as_dvec3());
    let b: [f64; 9] = from_fn(|k| f64::from(set.rest[k][slot]));
    let b = DMat3::from_cols_array(&b);
    let f = edges(&|i| at(i, particles)) * b;
    let Some(strain) = Strain::of(f).map(Strain::shear) else { return };
    let changed = |share: f64| b * strain.stretch(-share);
    let kept = |share: f64| size_of((made * changed(share)).inverse());
    let Some([share, kept]) = flown(&strength, &strain, kept, dt) else { return };
    let b = changed(share).to_cols_array();
    (0..9).for_each(|k| set.rest[k][slot] = b[k] as f32);
    set.strength.columns[Strength::KEPT][slot] = kept as f32;
}

/// |ε| of a deformation; 0 if it has none.
fn size_of(f: DMat3) -> f64 {
    Strain::of(f).map_or(0.0, |strain| strain.shear().size())
}

/// Lets matched shapes flow: the places of their members at rest change.
pub(super) fn flow(sets: &mut [region::Set], (particles, dt): (&Particles, f32)) {
    let shapes = |set: &&mut region::Set| set.kind().name == matched::KIND.name;
    for set in sets.iter_mut().filter(shapes).filter(|set| !set.strength.is_empty()) {
        for number in 0..set.len() {
            flow_shape(set, number, (particles, dt));
        }
    }
}

fn flow_shape(set: &mut region::Set, number: usize, (particles, dt): (&Particles, f32)) {
    let strength = set.strength(number);
    if strength.yield_strain == f32::INFINITY {
        return;
    }
    let now = Fit::of(set, number, particles);
    let Some(strain) = now.deformation(|i| at(i, particles)).and_then(Strain::of) else { return };
    let strain = strain.shear();
    let made = now.deformation(|i| particles.rest[i as usize].truncate().as_dvec3());
    // From what it was made as to what it is at rest now.
    let made = made.map_or(DMat3::IDENTITY, |made| made.inverse());
    let kept = |share: f64| size_of(strain.stretch(share) * made);
    let Some([share, kept]) = flown(&strength, &strain, kept, dt) else { return };
    let (by, centre) = (strain.stretch(share), now.centre);
    set.reshape(number, |x| (centre + by * (x.as_dvec3() - centre)).as_vec3());
    set.strength.columns[Strength::KEPT][number] = kept as f32;
}

/// The deformation gradient of region `number` of matched shapes.
pub(crate) fn deformation(
    set: &region::Set,
    number: usize,
    particles: &Particles,
) -> Option<DMat3> {
    Fit::of(set, number, particles).deformation(|i| at(i, particles))
}

/// The rest shape of a region, ready to be compared.
struct Fit<'a> {
    members: &'a [u32],
    /// Places at rest from their centre (m), and masses (kg).
    q: Vec<(DVec3, f64)>,
    centre: DVec3,
    /// (Σ m q qᵀ)⁺, and what projects on the directions that it has not.
    inverse: DMat3,
    missing: DMat3,
}

impl<'a> Fit<'a> {
    fn of(set: &'a region::Set, number: usize, particles: &Particles) -> Self {
        let members = set.members(number);
        let mass = |&i: &u32| 1.0 / f64::from(particles.inverse_mass[i as usize]);
        let places = set.rest[set.members_of_region(number)].iter();
        let places: Vec<(DVec3, f64)> =
            places.map(|x| x.truncate().as_dvec3()).zip(members.iter().map(mass)).collect();
        let centre = mean(&places);
        let q: Vec<(DVec3, f64)> = places.iter().map(|&(x, m)| (x - centre, m)).collect();
        let moments = q.iter().fold(DMat3::ZERO, |sum, &(q, m)| sum + outer(q, q) * m);
        let inverse = algebra::pseudo_inverse(from_fn(|i| from_fn(|j| moments.col(j)[i])));
        let inverse = DMat3::from_cols_array_2d(&inverse); // symmetric
        Self { members, q, centre, inverse, missing: DMat3::IDENTITY - moments * inverse }
    }

    /// The linear map that fits best, Müller 2005, equation 7; turned only where the rest shape has no
    /// extent.
    fn deformation(&self, at: impl Fn(u32) -> DVec3) -> Option<DMat3> {
        let x: Vec<(DVec3, f64)> =
            self.members.iter().zip(&self.q).map(|(&i, &(_, m))| (at(i), m)).collect();
        let centre = mean(&x);
        let pairs = x.iter().zip(&self.q);
        let both =
            pairs.fold(DMat3::ZERO, |sum, (&(x, m), &(q, _))| sum + outer(x - centre, q) * m);
        let size = self.q.iter().map(|&(q, m)| m * q.length_squared()).sum();
        let turned = algebra::rotation(both, size, glam::DQuat::IDENTITY);
        let f = both * self.inverse + algebra::matrix(turned) * self.missing;
        f.is_finite().then_some(f)
    }
}

fn mean(places: &[(DVec3, f64)]) -> DVec3 {
    let mass: f64 = places.iter().map(|place| place.1).sum();
    places.iter().map(|&(x, m)| x * m).sum::<DVec3>() / mass
}

/// a bᵀ.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
