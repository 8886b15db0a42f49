//! Solids that began in each other, taken apart as wholes. WGSL twin: `entangled.wgsl`
//!
//! To push each vertex out by the face next to it would bend bodies that are half in each other against
//! themselves, and once out they would fly off with that energy. As wholes they come out unbent, along
//! the way on which what they have in common shrinks fastest. That is the gradient of its volume V when
//! one body, A, is moved against the other, B:
//!
//! ```text
//! ∂V/∂x_A = ∫ n dA  over the surface of A in B,  less the same over the surface of B in A
//! ```
//!
//! The second part is the first again, as the surface of what they share is closed; taking both halves
//! what coarse meshes make of either. By the divergence theorem; a face counts by its corners inside.
//!
//! Every search finds the way anew; a GPU keeps the one that was found when the bodies came to it.

use std::ops::Range;

use glam::{Vec3, Vec4};

use super::buffers::ENTANGLED_WORDS;
use super::detect::View;
use crate::particles::Particles;
use crate::world::{Config, Precision, Slot};

pub(super) const WGSL: &str = include_str!("entangled.wgsl");

/// Two solids that have not come apart since they began in each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entangled {
    /// In order.
    pub(crate) bodies: [u32; 2],
    /// The way that the first goes, of unit length.
    way: Vec3,
    /// How far it goes until the next search at most (m): as far as the deepest vertex is inside.
    left: f32,
}

/// What is known of a substep.
#[derive(Clone, Copy)]
pub(crate) struct Substep<'a> {
    pub(crate) slots: &'a [Slot],
    pub(crate) config: &'a Config,
    /// Its length (s).
    pub(crate) h: f32,
}

impl Entangled {
    /// Bodies of which the next search finds the way.
    pub(crate) fn known(bodies: [u32; 2]) -> Self {
        Self { bodies, way: Vec3::ZERO, left: 0.0 }
    }

    /// From the vertices of either that are inside the other, in order, and how far they have to go (m).
    pub(crate) fn of(view: &View<'_>, bodies: [u32; 2], (inside, left): (&[u32], f32)) -> Self {
        let shrinks = view.surface(bodies[1], inside) - view.surface(bodies[0], inside);
        // What is wholly inside has no way of its own: it goes where its middle is already.
        let [one, two] = bodies.map(|body| view.middle(body));
        let way = shrinks.try_normalize().unwrap_or_else(|| (one - two).normalize_or_zero());
        Self { bodies, way, left }
    }

    /// What its twin reads.
    pub(crate) fn row(&self, slots: &[Slot]) -> [u32; ENTANGLED_WORDS] {
        let ends = |body: u32| [range(slots, body).start as u32, range(slots, body).end as u32];
        let ([one, two], [x, y, z]) = (self.bodies, self.way.to_array().map(f32::to_bits));
        let ([a, b], [c, d]) = (ends(one), ends(two));
        [one, two, a, b, c, d, x, y, z, 0, 0, 0]
    }

    /// Moves both by [`crate::Config::max_depenetration`] at most, and stops them if they still come
    /// nearer. Momentum is kept; a body with a pin stays.
    ///
    /// Where the substep began, `start`, moves along, so that what positions do makes no velocity.
    pub(crate) fn part(
        &mut self,
        particles: &mut Particles,
        start: &mut [Vec4],
        Substep { slots, config, h }: Substep<'_>,
    ) {
        let ranges = self.bodies.map(|body| range(slots, body));
        let masses = ranges.clone().map(|rows| mass(&particles.xw[rows]));
        let total = masses[0].recip() + masses[1].recip();
        if total <= 0.0 {
            return;
        }
        let speed = |k: usize| velocity(particles, ranges[k].clone(), masses[k]).dot(self.way);
        let nearing = (speed(1) - speed(0)).max(0.0);
        let by = self.left.min(config.max_depenetration * h);
        self.left -= by;
        for (k, rows) in ranges.into_iter().enumerate() {
            let share = self.way * (masses[k].recip() / total * [1.0, -1.0][k]);
            let (shift, push) = ((share * by).extend(0.0), (share * nearing).extend(0.0));
            for i in rows.filter(|_| masses[k].is_finite()) {
                particles.v[i] += push;
                particles.predicted[i] += shift + push * h;
                if config.precision == Precision::Plain {
                    particles.xw[i] += shift + push * h;
                }
                start[i] += shift;
            }
        }
    }
}

fn range(slots: &[Slot], body: u32) -> Range<usize> {
    slots[body as usize].body.as_ref().map_or(0..0, |body| body.range())
}

/// Of all rows together (kg); infinite if one is pinned.
fn mass(rows: &[Vec4]) -> f32 {
    rows.iter().map(|row| row.w.recip()).sum()
}

/// The mean velocity of rows with that mass together (m/s); 0 of what is pinned.
fn velocity(particles: &Particles, rows: Range<usize>, mass: f32) -> Vec3 {
    let momentum = |i: usize| particles.v[i].truncate() / particles.xw[i].w;
    if mass.is_finite() { rows.map(momentum).sum::<Vec3>() / mass } else { Vec3::ZERO }
}

impl View<'_> {
    /// ∫ n dA over the faces of a body as far as their corners are in the list, which is in order (m²).
    fn surface(&self, body: u32, inside: &[u32]) -> Vec3 {
        let elements = self.patches_of(body).flat_map(|patch| self.elements.patches[patch].range());
        let faces = elements.map(|element| &self.elements.all[element]);
        let share = |ids: [u32; 3]| {
            let corners = ids.iter().filter(|id| inside.binary_search(id).is_ok()).count();
            let [a, b, c] = ids.map(|i| self.at(i));
            (b - a).cross(c - a) * (corners as f32 / 6.0)
        };
        faces.filter(|face| face.is_face()).map(|face| share(face.ids)).sum()
    }

    /// The middle of the box around a body (m).
    fn middle(&self, body: u32) -> Vec3 {
        let around = self.bounds(body);
        (around.low + around.high) / 2.0
    }
}
