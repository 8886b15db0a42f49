//! What can touch as buffers of a GPU, and the shaders that work on them. WGSL twin: `buffers.wgsl`
//!
//! On a GPU the search and the solver are those of this folder, with two differences. Elements are
//! sorted into the grid one by one, not in patches. All pairs that touch are solved at once, each
//! particle being parted among its pairs, where the CPU solves them colour after colour unless
//! [`crate::ContactSolver::Split`] asks for the same.

use std::fmt::Write;

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::elements::Element;
use super::pair::edge_edge::EdgeEdge;
use super::pair::particle_edge::ParticleEdge;
use super::pair::two_particles::TwoParticles;
use super::pair::vertex_face::VertexFace;
use super::pair::{self, Pair};
pub use super::state::{
    ContactState, ENTANGLED_AT_FIRST, ENTANGLED_STATE, PAIR_COUNT, STATE_WORDS,
};
use super::{Report, broad_phase, detect, entangled, narrow, solve, split, state, tangle};
use crate::mesh::Aabb;
use crate::step::velocity::rest_speed;
use crate::world::{Config, Precision, World};

const WGSL: &str = include_str!("buffers.wgsl");

/// The words of the state of contact, for shaders that have it.
pub const STATE_WGSL: &str = state::WGSL;

/// What all pairs do to a particle, for shaders that add that up.
pub const SPLIT_WGSL: &str = split::WGSL;

/// Cells over the mean side of a box.
const CELL: f32 = 1.5;

/// The most elements: an entry of the grid has 26 bits for one.
pub const MOST_ELEMENTS: usize = 1 << 26;

/// The most particles: a pair has 30 bits for one.
pub const MOST_PARTICLES: usize = 1 << 30;

/// How often a substep moves pairs apart that are solved at once, in all its iterations together, at
/// least: they need more than one after the other. With 2, the scene `pile` rests 2.6 % too near; with 4,
/// 0.7 %.
pub const SWEEPS: u32 = 4;

/// How often one of so many iterations does.
pub fn sweeps(iterations: u32) -> u32 {
    SWEEPS.div_ceil(iterations)
}

/// Lanes of a workgroup.
const LANES: u32 = 64;
/// Workgroups that a large GPU has at work at once.
const MOST_GROUPS: u32 = 1024;

/// Lists of pairs that are on their wrong side.
const LISTS: u32 = 1024;

/// Words of what can touch for each two solids that began in each other, after all elements.
pub const ENTANGLED_WORDS: usize = 12;

/// In the flags of [`ContactParams`]: loads start from 0.
pub const FIRST_ITERATION: u32 = 1;
/// In the flags of [`ContactParams`]: all pairs were looked at in this iteration.
pub const AGAIN: u32 = 2;
const CARRIED: u32 = 4;
/// In the flags of [`ContactParams`]: every second sweep over pairs.
pub const ODD: u32 = 8;

/// Dispatches whose size the GPU finds, in the order of `narrow.wgsl`: nothing unless there is a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Particles, elements, pairs of the search before.
    Old,
    /// Elements.
    Elements,
    /// Buckets of the grid.
    Buckets,
    /// Boxes in cells of the grid.
    Entries,
    /// Parts of elements whose boxes overlap.
    Meetings,
    /// Pairs.
    New,
}

/// How many of them there are.
pub const SIZES: usize = 6;

/// The shader of the search.
pub fn detect_wgsl() -> String {
    [WGSL, STATE_WGSL, &pair_wgsl(), broad_phase::hash::WGSL, detect::WGSL, tangle::WGSL].concat()
}

/// The shader that keeps pairs apart.
pub fn solve_wgsl() -> String {
    [WGSL, STATE_WGSL, split::WGSL, &pair_wgsl(), solve::WGSL].concat()
}

/// The shader that takes solids apart that began in each other.
pub fn entangled_wgsl() -> String {
    [WGSL, STATE_WGSL, entangled::WGSL].concat()
}

/// The shader that decides whether there is a search, and finds the sizes of its dispatches.
pub fn sizes_wgsl() -> String {
    [&detect_wgsl(), narrow::WGSL].concat()
}

/// A pair, as a shader chooses among them.
struct Choice {
    name: &'static str,
    wgsl: &'static str,
    particles: usize,
    first: usize,
    is_sided: bool,
}

impl Choice {
    const fn of<P: Pair<N>, const N: usize>() -> Self {
        Self { name: P::NAME, wgsl: P::WGSL, particles: N, first: P::FIRST, is_sided: P::SIDED }
    }
}

/// Every pair, by its number in shaders.
const PAIRS: [Choice; 4] = [
    Choice::of::<VertexFace, 4>(),
    Choice::of::<EdgeEdge, 4>(),
    Choice::of::<ParticleEdge, 3>(),
    Choice::of::<TwoParticles, 2>(),
];

/// All pairs, and what chooses among them.
fn pair_wgsl() -> String {
    let mut own = String::from(pair::WGSL);
    let mut near = String::new();
    let (mut sided, mut first, mut particles) = (String::new(), String::new(), String::new());
    for (kind, choice) in PAIRS.iter().enumerate() {
        let Choice { name, wgsl, .. } = choice;
        // Writing to a string does not fail.
        let _ = writeln!(own, "{wgsl}const {} = {kind}u;", name.to_uppercase());
        let _ = writeln!(near, "        case {kind}u {{ return {name}(x); }}");
        let _ = write!(sided, "{}, ", choice.is_sided);
        let _ = write!(first, "{}u, ", choice.first);
        let _ = write!(particles, "{}u, ", choice.particles);
    }
    let _ = write!(
        own,
        "fn near_of(kind: u32, x: array<vec3f, 4>) -> Near {{\n    switch kind {{\n{near}        \
         default {{ return without_sides(vec4f(0.0), x); }}\n    }}\n}}\n\
         fn is_sided(kind: u32) -> bool {{ var all = array({sided}); return all[kind]; }}\n\
         fn first_of(kind: u32) -> u32 {{ var all = array({first}); return all[kind]; }}\n\
         fn particles_of(kind: u32) -> u32 {{ var all = array({particles}); return all[kind]; }}\n"
    );
    own
}

/// What can touch: what `detect.wgsl` calls `things`.
#[derive(Clone, Debug, Default)]
pub struct ContactRows {
    /// Eight words for each particle, four for each place of a body, eight for each element.
    pub words: Vec<u32>,
    /// Where the elements begin.
    pub elements_at: usize,
    /// How many there are of everything.
    pub params: ContactParams,
}

/// How many fit into the buffers of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Pairs that may touch.
    pub pairs: u32,
    /// Pairs that touch.
    pub touches: u32,
    /// Boxes in cells of the grid.
    pub entries: u32,
    /// Boxes in many cells.
    pub giants: u32,
    /// Pairs that are on their wrong side when a search begins.
    pub wrong: u32,
    /// Parts of elements whose boxes overlap.
    pub meetings: u32,
}

impl Room {
    /// For a first search over that many elements.
    pub fn first(elements: u32) -> Self {
        let some = elements.saturating_mul(4).next_power_of_two().max(1 << 12);
        Self {
            pairs: some,
            touches: some,
            entries: 2 * some,
            giants: 1 << 10,
            wrong: 1 << 12,
            meetings: 4 * some,
        }
    }

    /// Workgroups over pairs, and over those that touch: how many there are, only the GPU knows. Lanes go on
    /// to the next rows, so that those of a large GPU suffice.
    pub fn groups(self) -> [u32; 2] {
        [self.pairs / LANES, self.touches / LANES].map(|groups| groups.clamp(1, MOST_GROUPS))
    }

    fn each(self) -> [u32; 6] {
        [self.pairs, self.touches, self.entries, self.giants, self.wrong, self.meetings]
    }

    /// Whether that many do not fit.
    pub fn is_exceeded(self, needed: [u32; 6]) -> bool {
        self.each().iter().zip(needed).any(|(&room, needed)| needed > room)
    }

    /// Room for twice as many, where they need more than half of it.
    #[must_use]
    pub fn grown(self, needed: [u32; 6]) -> Self {
        let grow = |room: u32, needed: u32| match needed > room / 2 {
            true => needed.saturating_mul(2).checked_next_power_of_two().unwrap_or(room).max(room),
            false => room,
        };
        let rooms = self.each();
        let [pairs, touches, entries, giants, wrong, meetings] =
            [0, 1, 2, 3, 4, 5].map(|k: usize| grow(rooms[k], needed[k]));
        Self { pairs, touches, entries, giants, wrong, meetings }
    }

    /// As much as this and the other.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self {
            pairs: self.pairs.max(other.pairs),
            touches: self.touches.max(other.touches),
            entries: self.entries.max(other.entries),
            giants: self.giants.max(other.giants),
            wrong: self.wrong.max(other.wrong),
            meetings: self.meetings.max(other.meetings),
        }
    }

    /// Words of the grid of those elements.
    pub fn grid_words(self, params: &ContactParams) -> usize {
        let words =
            [2 * params.buckets, self.entries, self.giants, LISTS].map(|count| count as usize);
        // A box around each, and how far it moves.
        let bodies = 7 * params.bodies as usize;
        words.iter().sum::<usize>() + 5 * self.wrong as usize + 2 * self.meetings as usize + bodies
    }
}

/// What `Params` is in `buffers.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct ContactParams {
    rows: [u32; 2],
    flags: u32,
    h: f32,
    max_depenetration: f32,
    rest_speed: f32,
    per_cell: f32,
    least_edge: f32,
    substeps: u32,
    particles: u32,
    elements: u32,
    bodies: u32,
    buckets: u32,
    room: [u32; 6],
    entangled: u32,
}

impl ContactParams {
    /// The same for substeps of `h` seconds; `flags` are [`FIRST_ITERATION`] and [`AGAIN`].
    #[must_use]
    pub fn during(self, config: &Config, room: Room, h: f32, flags: u32) -> Self {
        let carried = config.precision == Precision::Carried;
        let Room { pairs, touches, entries, giants, wrong, meetings } = room;
        Self {
            flags: flags | if carried { CARRIED } else { 0 },
            h,
            max_depenetration: config.max_depenetration,
            rest_speed: rest_speed(config, h),
            substeps: config.substeps,
            room: [entries, pairs, touches, giants, wrong, meetings],
            ..self
        }
    }

    /// How many elements there are.
    pub fn elements(&self) -> u32 {
        self.elements
    }

    /// How many times two solids began in each other.
    pub fn entangled(&self) -> u32 {
        self.entangled
    }

    /// The same for so many times two solids that began in each other.
    #[must_use]
    pub fn with_entangled(self, entangled: u32) -> Self {
        Self { entangled, ..self }
    }
}

impl World {
    /// What can touch, as it was when the world was last prepared.
    pub fn contact_rows(&self) -> ContactRows {
        let elements = &self.contact.elements;
        if elements.all.is_empty() {
            return ContactRows::default();
        }
        let mut words = Vec::new();
        let particles = &self.particles;
        for i in 0..particles.len() {
            let [x, y, z] = particles.rest[i].truncate().to_array().map(f32::to_bits);
            let radius = particles.radius[i].to_bits();
            words.extend([x, y, z, radius, particles.phase[i], particles.body[i], 0, 0]);
        }
        for shape in &elements.shapes {
            let row = shape.map_or([0.0; 3], |s| [s.touch.friction, s.touch.restitution, s.edge]);
            words.extend(row.map(f32::to_bits));
            words.push(u32::from(shape.is_some_and(|shape| shape.solid)));
        }
        let elements_at = words.len();
        for (patch, &group) in elements.patches.iter().zip(&elements.groups) {
            for index in patch.range() {
                let element = &elements.all[index];
                let [a, b, c] = element.ids;
                let own = u32::from(element.vertices) << 4 | u32::from(element.sharp) << 8;
                let bits = u32::from(element.corners) | own;
                let component = elements.sheets[index].component;
                words.extend([a, b, c, bits, element.body, component, group, 0]);
            }
        }
        let count = elements.all.len() as u32;
        let edges = elements.shapes.iter().flatten().map(|shape| shape.edge);
        let params = ContactParams {
            per_cell: 1.0 / (CELL * self.mean_side(&elements.all)),
            least_edge: edges.fold(f32::MAX, f32::min),
            particles: particles.len() as u32,
            elements: count,
            bodies: elements.shapes.len() as u32,
            buckets: count.saturating_mul(2).checked_next_power_of_two().unwrap_or(1 << 31),
            ..ContactParams::default()
        };
        ContactRows { words, elements_at, params }
    }

    /// The mean of the longest sides of the boxes around elements at rest (m).
    fn mean_side(&self, elements: &[Element]) -> f32 {
        let side = |element: &Element| {
            let rest = |&i: &u32| -> Vec3 { self.particles.rest[i as usize].truncate() };
            let around = Aabb::of(element.particles().iter().map(rest));
            let radius = self.particles.radius[element.ids[0] as usize];
            f64::from(around.grown(radius).size().max_element())
        };
        let sum: f64 = elements.iter().map(side).sum();
        ((sum / elements.len().max(1) as f64) as f32).max(f32::MIN_POSITIVE.sqrt())
    }

    /// The solids that are in each other now, as rows for a GPU: [`ENTANGLED_WORDS`] words for each two.
    /// The world must have been prepared.
    pub fn entangled_rows(&mut self) -> Vec<u32> {
        let Self { contact, particles, scratch, slots, .. } = self;
        if contact.elements.shapes.iter().flatten().filter(|shape| shape.whole).count() < 2 {
            return Vec::new();
        }
        let known = contact.tangle.entangled.clone();
        contact.find_entangled(particles, &scratch.pool);
        let found = std::mem::replace(&mut contact.tangle.entangled, known);
        found.iter().flat_map(|pair| pair.row(slots)).collect()
    }

    /// Takes over what contact did elsewhere in the last step, for [`World::contact_report`]. Sides of
    /// pairs stay there: if the CPU goes on, pairs are on the side where it finds them.
    pub fn take_contact(&mut self, state: &ContactState) {
        self.contact.forget();
        self.contact.report = Report {
            detections: state.searches,
            candidates: state.candidates as usize,
            contacts: state.contacts as usize,
            deepest: state.deepest,
            deepest_share: state.share,
            ..self.contact.report
        };
    }
}
