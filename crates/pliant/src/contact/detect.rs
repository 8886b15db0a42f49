//! Which pairs may touch in the next substeps?
//!
//! A search follows every particle along the straight path on which it moves now, for as many
//! substeps as it takes the fastest to move by the length of an edge. Pairs whose paths come near
//! each other are candidates. They stay valid as long as every particle is where its path says,
//! within the distance by which it may stray; the next search begins when one is not, where the
//! substep began, so that nothing is missed between two searches.

use glam::{Vec3, Vec4};

use super::elements::{Element, Elements, Shape};
use super::pair::{Near, Pair};
use super::pair::edge_edge::EdgeEdge;
use super::pair::particle_edge::ParticleEdge;
use super::pair::two_particles::TwoParticles;
use super::pair::vertex_face::VertexFace;
use super::set::Found;
use super::broad_phase::Boxes;
use super::{Meets, State, Touch, broad_phase};
use crate::mesh::Aabb;
use crate::parallel::Pool;
use crate::particles::Particles;
use crate::world::{Config, Slot};

/// Particles or boxes that are worth a second thread.
const GRAIN: usize = 1024;
/// Into how many parts the pairs of boxes are cut, whatever the number of threads.
const PARTS: usize = 32;
/// Cosine of the angle below which two faces that share a corner are taken to be flat: then none
/// can touch the other.
const FLAT: f32 = 0.5;
/// Share of their distance at rest that two parts of one body may come near each other.
const AT_REST: f32 = 0.5;

/// The path of a particle: where the substep began, and how far it goes until the next search is
/// due. In a frame that moves with the mean of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Path {
    from: Vec3,
    by: Vec3,
}

/// What one part of the pairs of boxes has given.
#[derive(Debug, Default)]
pub(crate) struct Part {
    vertex_face: Vec<Found<4>>,
    edge_edge: Vec<Found<4>>,
    particle_edge: Vec<Found<3>>,
    two_particles: Vec<Found<2>>,
}

/// How long the present candidates hold, and on what condition.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Validity {
    /// Substeps that the candidates are for.
    pub(crate) substeps: u32,
    /// Substeps since the search, the one of the search included.
    pub(crate) age: u32,
    /// Length of a substep then (s).
    pub(crate) h: f32,
    /// The mean velocity that paths are relative to (m/s).
    pub(crate) drift: Vec3,
}

/// What a search looks at.
struct View<'a> {
    elements: &'a Elements,
    paths: &'a [Path],
    particles: &'a Particles,
    slots: &'a [Slot],
    /// Of faces, one per element: unit length, at the start of the substep.
    normals: &'a [Vec3],
    /// Sums of those around each particle; one per particle.
    outward: &'a [Vec3],
}

impl State {
    /// Whether a particle is farther from its path than it may be, or the path has ended.
    pub(crate) fn is_stale(&self, x: impl Fn(usize) -> Vec3, particles: &Particles) -> bool {
        let Validity { substeps, age, h, drift } = self.validity;
        if age >= substeps {
            return true;
        }
        let passed = (age + 1) as f32;
        let per = passed / substeps as f32;
        particles.body.iter().enumerate().any(|(i, &body)| {
            let Some(shape) = &self.elements.shapes[body as usize] else { return false };
            let Path { from, by } = self.paths[i];
            let expected = from + by * per + drift * (passed * h);
            x(i).distance_squared(expected) > shape.stray * shape.stray
        })
    }

    /// Looks for candidates for up to `left` substeps of `h` seconds. `x` is where particles are
    /// now, [`State::start`] where they were when this substep began.
    pub(crate) fn search(
        &mut self,
        x: impl Fn(usize) -> Vec3 + Sync,
        (particles, slots): (&Particles, &[Slot]),
        (pool, config): (&Pool, &Config),
        (h, left): (f32, u32),
    ) {
        self.follow(&x, particles, h, left);
        self.face_outward(particles.len());
        self.bound(particles, pool);
        let Self { elements, paths, normals, outward, boxes, box_pairs, .. } = self;
        let groups = &elements.groups;
        let things = Boxes { boxes, groups };
        broad_phase::search(config.broad_phase, things, (pool, &mut self.space), box_pairs);
        let view = View { elements, paths, particles, slots, normals, outward };
        let count = box_pairs.len();
        self.parts.resize_with(PARTS, Part::default);
        let grain = if count < GRAIN { PARTS } else { 1 };
        pool.for_rows((self.parts.as_mut_slice(),), grain, |first, (parts,)| {
            for (k, part) in parts.iter_mut().enumerate() {
                part.clear();
                let range = count * (first + k) / PARTS..count * (first + k + 1) / PARTS;
                box_pairs[range].iter().for_each(|&pair| view.expand(pair, part));
            }
        });
        self.collect(particles.len());
        self.report.detections += 1;
        self.report.pairs_tested += count as u64;
    }

    /// Finds the paths, and how long they are followed.
    fn follow(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        particles: &Particles,
        h: f32,
        left: u32,
    ) {
        let shapes = &self.elements.shapes;
        let shape = |i: usize| shapes[particles.body[i] as usize].as_ref();
        let (mut sum, mut count) = (Vec3::ZERO, 0);
        self.paths.clear();
        for i in 0..particles.len() {
            let from = self.start[i].truncate();
            let by = if shape(i).is_some() { x(i) - from } else { Vec3::ZERO };
            self.paths.push(Path { from, by });
            if shape(i).is_some() {
                (sum, count) = (sum + by, count + 1);
            }
        }
        let mean = sum / count.max(1) as f32;
        let (mut farthest, mut edge) = (0.0f32, f32::MAX);
        for (i, path) in self.paths.iter_mut().enumerate() {
            if let Some(shape) = shape(i) {
                path.by -= mean;
                (farthest, edge) = (farthest.max(path.by.length()), edge.min(shape.edge));
            }
        }
        let substeps = if farthest > 0.0 { (edge / farthest).min(left as f32) } else { left as f32 };
        let substeps = (substeps as u32).clamp(1, left.max(1));
        self.paths.iter_mut().for_each(|path| path.by *= substeps as f32);
        self.validity = Validity { substeps, age: 0, h, drift: mean / h };
    }

    /// Which way is outside, at every face and particle.
    fn face_outward(&mut self, particle_count: usize) {
        self.outward.clear();
        self.outward.resize(particle_count, Vec3::ZERO);
        self.normals.clear();
        for element in &self.elements.all {
            if !element.is_face() {
                self.normals.push(Vec3::ZERO);
                continue;
            }
            let [a, b, c] = element.ids.map(|i| self.paths[i as usize].from);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            self.normals.push(normal);
            element.ids.iter().for_each(|&i| self.outward[i as usize] += normal);
        }
    }

    /// A box around the paths of every element.
    fn bound(&mut self, particles: &Particles, pool: &Pool) {
        let Self { elements, paths, boxes, .. } = self;
        let empty = Aabb::EMPTY;
        boxes.resize(elements.all.len(), empty);
        pool.for_rows((boxes.as_mut_slice(),), GRAIN, |first, (boxes,)| {
            for (element, one) in elements.all[first..].iter().zip(boxes) {
                let radius = particles.radius[element.ids[0] as usize];
                let stray = elements.shapes[element.body as usize].map_or(0.0, |s| s.stray);
                let ends = element.particles().iter().flat_map(|&i| {
                    let Path { from, by } = paths[i as usize];
                    [from, from + by]
                });
                *one = Aabb::of(ends).grown(radius + stray);
            }
        });
    }

    fn collect(&mut self, particle_count: usize) {
        let Self { parts, vertex_face, edge_edge, particle_edge, two_particles, .. } = self;
        for part in parts {
            vertex_face.found.append(&mut part.vertex_face);
            edge_edge.found.append(&mut part.edge_edge);
            particle_edge.found.append(&mut part.particle_edge);
            two_particles.found.append(&mut part.two_particles);
        }
        vertex_face.finish(particle_count);
        edge_edge.finish(particle_count);
        particle_edge.finish(particle_count);
        two_particles.finish(particle_count);
    }
}

impl Part {
    fn clear(&mut self) {
        self.vertex_face.clear();
        self.edge_edge.clear();
        self.particle_edge.clear();
        self.two_particles.clear();
    }
}

/// Two elements whose boxes overlap, of bodies that meet.
struct Meeting<'a> {
    elements: [&'a Element; 2],
    shapes: [Shape; 2],
    touch: [Touch; 2],
    /// How near they may come, without regard to rest (m).
    distance: f32,
    /// The first bits of the keys of its pairs.
    key: u64,
}

impl View<'_> {
    /// The candidates among the vertices, edges and faces of two elements.
    fn expand(&self, pair: [u32; 2], part: &mut Part) {
        let Some(meeting) = self.meet(pair) else { return };
        let [a, b] = meeting.elements;
        for (first, second, base) in [(a, b, 0), (b, a, 3)] {
            if second.is_face() {
                for (k, vertex) in first.own_vertices() {
                    let [i, j, l] = second.ids;
                    let ids = [vertex, i, j, l];
                    let found = self.candidate::<VertexFace, 4>(&meeting, ids, base + k as u64);
                    part.vertex_face.extend(found);
                }
            }
        }
        for (k, [i, j]) in a.own_edges() {
            for (l, [m, n]) in b.own_edges() {
                let number = (6 + 3 * k + l) as u64;
                let found = self.candidate::<EdgeEdge, 4>(&meeting, [i, j, m, n], number);
                part.edge_edge.extend(found);
            }
        }
        match (a.corners, b.corners) {
            (1, 1) => {
                let ids = [a.ids[0], b.ids[0]];
                part.two_particles.extend(self.candidate::<TwoParticles, 2>(&meeting, ids, 0));
            }
            (1, 2) => {
                let ids = [a.ids[0], b.ids[0], b.ids[1]];
                part.particle_edge.extend(self.candidate::<ParticleEdge, 3>(&meeting, ids, 0));
            }
            (2, 1) => {
                let ids = [b.ids[0], a.ids[0], a.ids[1]];
                part.particle_edge.extend(self.candidate::<ParticleEdge, 3>(&meeting, ids, 0));
            }
            _ => {}
        }
    }

    /// Whether two elements can touch at all.
    fn meet(&self, [a, b]: [u32; 2]) -> Option<Meeting<'_>> {
        let elements = [a, b].map(|i| &self.elements.all[i as usize]);
        let [one, two] = elements;
        let bodies = elements.map(|e| self.slots[e.body as usize].body.as_ref());
        let [Some(body), Some(other)] = bodies else { return None };
        if one.body == two.body {
            let share = one.particles().iter().any(|i| two.particles().contains(i));
            let flat = self.normals[a as usize].dot(self.normals[b as usize]) > FLAT;
            if body.touch.meets != Meets::All || share && (flat || !one.is_face()) {
                return None;
            }
        }
        let Particles { xw, phase, radius, .. } = self.particles;
        let [i, j] = elements.map(|e| e.ids[0] as usize);
        let held = |e: &Element| e.particles().iter().all(|&i| xw[i as usize].w == 0.0);
        if phase[i] & phase[j] == 0 || held(one) && held(two) {
            return None;
        }
        let shapes = elements.map(|e| self.elements.shapes[e.body as usize]);
        let [Some(shape), Some(other_shape)] = shapes else { return None };
        Some(Meeting {
            elements,
            shapes: [shape, other_shape],
            touch: [body.touch, other.touch],
            distance: radius[i] + radius[j],
            // Up to 2²⁸ elements, and 8 bits for the pair of their parts.
            key: u64::from(a) << 36 | u64::from(b) << 8,
        })
    }

    /// A pair of the parts of two elements, if they may touch before the next search.
    fn candidate<P: Pair<N>, const N: usize>(
        &self,
        meeting: &Meeting<'_>,
        ids: [u32; N],
        number: u64,
    ) -> Option<Found<N>> {
        let Meeting { elements: [a, b], shapes, touch, .. } = meeting;
        let within = a.body == b.body;
        if within && (1..N).any(|k| ids[..k].contains(&ids[k])) {
            return None;
        }
        let paths = ids.map(|i| self.paths[i as usize]);
        let from = paths.map(|path| path.from);
        let near = P::near_at(from);
        // How far each party can move towards the other: it moves as a whole, and turns.
        let by = |k: usize| paths[k].by;
        let (mut first, mut second) = (Vec3::ZERO, Vec3::ZERO);
        for k in 0..N {
            let part = by(k) * near.b[k].abs();
            if k < P::FIRST { first += part } else { second += part }
        }
        let spread = |range: std::ops::Range<usize>, mean: Vec3| {
            range.map(|k| by(k).distance_squared(mean)).fold(0.0, f32::max).sqrt()
        };
        let turning = spread(0..P::FIRST, first) + spread(P::FIRST..N, second);
        let reach = meeting.distance + shapes[0].stray + shapes[1].stray + turning;
        let d = Vec3::new(near.d.x, near.d.y, near.d.z);
        if misses(d, first - second, reach) {
            return None;
        }
        let distance = if within { self.at_rest::<P, N>(ids) } else { f32::MAX };
        let distance = meeting.distance.min(distance);
        let reach = reach - meeting.distance + distance;
        if distance <= 0.0 || within && misses(d, first - second, reach) {
            return None;
        }
        let friction = (touch[0].friction * touch[1].friction).sqrt();
        let restitution = touch[0].restitution.max(touch[1].restitution);
        let side = self.side::<P, N>(meeting, ids, &near);
        let key = meeting.key | number;
        Some(Found { key, ids, distance, side, friction, restitution })
    }

    /// How near two parts of one body may come: no nearer than half of their distance at rest.
    fn at_rest<P: Pair<N>, const N: usize>(&self, ids: [u32; N]) -> f32 {
        let rest = ids.map(|i| self.particles.rest[i as usize].truncate());
        AT_REST * P::near_at(rest).d.length()
    }

    /// On which side the first party is, or ought to be.
    ///
    /// Closed surfaces have an outside: where two of them face each other, each belongs outside of
    /// the other, wherever it is now. That separates what began entangled.
    fn side<P: Pair<N>, const N: usize>(
        &self,
        Meeting { shapes, .. }: &Meeting<'_>,
        ids: [u32; N],
        near: &Near<f32, N>,
    ) -> f32 {
        let across = Vec3::new(near.across.x, near.across.y, near.across.z);
        let by_place = if near.turned < 0.0 { -1.0 } else { 1.0 };
        if !(shapes[0].closed && shapes[1].closed) {
            return by_place;
        }
        let (mut first, mut second) = (Vec3::ZERO, Vec3::ZERO);
        for k in 0..N {
            let normal = self.outward[ids[k] as usize] * near.b[k].abs();
            if k < P::FIRST { first += normal } else { second += normal }
        }
        let facing = (second - first).dot(across);
        if first.dot(second) < 0.0 && facing != 0.0 {
            return 1f32.copysign(facing);
        }
        by_place
    }
}

/// Whether parties that are `d` apart come no nearer than `reach` while the first moves by `by`.
///
/// Both are convex, so that the plane across `d` parts them: along `d` they stay apart by
/// |d| + by·d/|d|.
fn misses(d: Vec3, by: Vec3, reach: f32) -> bool {
    let length = d.length();
    length > 0.0 && length + (by.dot(d) / length).min(0.0) > reach
}

/// Where particles are while constraints move them.
pub(crate) fn place<'a>(
    xw: &'a [Vec4],
    predicted: Option<&'a [Vec4]>,
) -> impl Fn(usize) -> Vec3 + Sync + 'a {
    move |i| (xw[i] + predicted.map_or(Vec4::ZERO, |x| x[i])).truncate()
}
