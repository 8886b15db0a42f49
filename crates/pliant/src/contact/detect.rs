//! Which pairs may touch in the next substeps? WGSL twin: `detect.wgsl`
//!
//! A search follows every particle along the straight path on which it moves now, for as many
//! substeps as it takes the fastest to move by the length of an edge. Pairs whose paths come near
//! each other are candidates. They stay valid as long as every particle is where its path says,
//! within the distance by which it may stray; the next search begins when one is not, where the
//! substep began, so that nothing is missed between two searches.

use glam::{Vec3, Vec4};

use super::broad_phase::Boxes;
use super::elements::{Element, Elements, PATCH, Patch, Shape};
use super::pair::edge_edge::EdgeEdge;
use super::pair::particle_edge::ParticleEdge;
use super::pair::two_particles::TwoParticles;
use super::pair::vertex_face::VertexFace;
use super::pair::{Near, Pair};
use super::set::{self, Found, Set};
use super::sieve::{self, Sieve};
use super::{State, broad_phase};
use crate::lanes::V3;
use crate::mesh::Aabb;
use crate::parallel::Pool;
use crate::particles::Particles;
use crate::world::Config;

pub(crate) const WGSL: &str = include_str!("detect.wgsl");

/// Particles or boxes that are worth a second thread.
const GRAIN: usize = 1024;
/// Into how many parts the pairs of boxes are cut, whatever the number of threads.
const PARTS: usize = 32;
/// Cosine of the angle below which two faces of a body that are near at rest lie flat: then none
/// can touch the other.
const FLAT: f32 = 0.5;
/// Cosine of half that angle.
const UPRIGHT: f32 = 0.866_025_4;
/// How near, over the mean edge.
const NEIGHBOURS: f32 = 2.5;
/// How far from the plane of the other an element may be at rest to be of one sheet with it, over
/// the mean edge.
const PLANE: f32 = 0.25;
/// Share of its path by which a particle may stray from it, more than at rest.
const SWERVE: f32 = 0.5;
/// Edges that the fastest may pass until the next search.
const FARTHEST: f32 = 4.0;
/// Share of their distance at rest that two parts of one body may come near each other.
const AT_REST: f32 = 0.5;

/// The path of a particle: where the substep began, and how far it goes until the next search is
/// due. In a frame that moves with the mean of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Path {
    pub(crate) from: Vec3,
    by: Vec3,
    /// How far it may stray from that (m).
    stray: f32,
}

/// What one part of the pairs of boxes has given.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Elements whose boxes were compared.
    tested: u64,
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

/// Boxes around an element, its thickness included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Around the paths of all its particles.
    all: Aabb,
    /// Around those of the vertices and edges that are its own; of most faces of a solid, one vertex.
    own: Aabb,
}

/// What a search looks at.
pub(crate) struct View<'a> {
    pub(crate) elements: &'a Elements,
    pub(crate) paths: &'a [Path],
    /// The box around each path.
    ways: &'a [Aabb],
    pub(crate) particles: &'a Particles,
    /// Of faces, one per element: unit length, at the start of the substep.
    pub(crate) normals: &'a [Vec3],
    /// One per element: around its paths, and around those of what is its own.
    boxes: &'a [Bounds],
    /// One per patch: around these.
    pub(crate) patch_boxes: &'a [Aabb],
}

impl State {
    /// Finds how far particles have moved since the search. Says whether one is farther from its path
    /// than it may be, or the path has ended.
    pub(crate) fn measure(&mut self, x: impl Fn(usize) -> Vec3) -> bool {
        let Validity { substeps, age, h, drift } = self.validity;
        if age >= substeps {
            return true;
        }
        let passed = (age + 1) as f32;
        let per = passed / substeps as f32;
        let carried = drift * (passed * h);
        let mut stale = false;
        self.moved.clear();
        self.moved.extend(self.paths.iter().enumerate().map(|(i, &Path { from, by, stray })| {
            let moved = x(i) - (from + carried);
            stale |= (moved - by * per).length_squared() > stray * stray;
            moved.length_squared()
        }));
        stale
    }

    /// Looks for candidates for up to `left` substeps of `h` seconds. `x` is where particles are
    /// now, [`State::start`] where they were when this substep began.
    pub(crate) fn search(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        particles: &Particles,
        (pool, config): (&Pool, &Config),
        (h, left): (f32, u32),
    ) {
        self.lay_out(x, particles, pool, (h, left));
        let Self { elements, paths, ways, normals, boxes, patch_boxes, patch_pairs, .. } = self;
        let view = View { elements, paths, ways, particles, normals, boxes, patch_boxes };
        let patches = Boxes { boxes: patch_boxes, groups: &elements.groups };
        broad_phase::search(config.broad_phase, patches, (pool, &mut self.space), patch_pairs);
        let alone = (0..elements.patches.len()).filter(|&i| elements.groups[i] == 0);
        patch_pairs.extend(alone.map(|i| [i as u32; 2]));
        patch_pairs.sort_unstable();
        let count = patch_pairs.len();
        self.parts.resize_with(PARTS, Part::default);
        let grain = if count < PARTS { PARTS } else { 1 };
        pool.for_rows((self.parts.as_mut_slice(),), grain, |first, (parts,)| {
            for (k, part) in parts.iter_mut().enumerate() {
                part.clear();
                let range = count * (first + k) / PARTS..count * (first + k + 1) / PARTS;
                patch_pairs[range].iter().for_each(|&pair| view.compare(pair, part));
            }
        });
        self.collect();
        let Self { elements, paths, ways, normals, boxes, patch_boxes, .. } = self;
        let view = View { elements, paths, ways, particles, normals, boxes, patch_boxes };
        self.tangle.untangle(&view, &mut self.vertex_face, &mut self.edge_edge);
        self.report.detections += 1;
        self.report.pairs_tested += self.parts.iter().map(|part| part.tested).sum::<u64>();
    }

    /// Finds what a [`View`] has: paths, which way faces look, and boxes.
    fn lay_out(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        particles: &Particles,
        pool: &Pool,
        (h, left): (f32, u32),
    ) {
        self.follow(x, particles, h, left);
        self.face_outward();
        self.bound(particles, pool);
        let Self { elements, boxes, patch_boxes, .. } = self;
        let around = |patch: &Patch| {
            boxes[patch.range()].iter().map(|it| it.all).fold(Aabb::EMPTY, Aabb::join)
        };
        patch_boxes.clear();
        patch_boxes.extend(elements.patches.iter().map(around));
    }

    /// Finds the solids that are in each other, as if there were nothing to remember of where they were.
    pub(crate) fn find_entangled(&mut self, particles: &Particles, pool: &Pool) {
        let places = particles.xw.iter().copied();
        self.start.clear();
        self.start.extend(places);
        let x = |i: usize| particles.position(i);
        self.lay_out(&x, particles, pool, (1.0, 1));
        let Self { elements, paths, ways, normals, boxes, patch_boxes, .. } = self;
        let view = View { elements, paths, ways, particles, normals, boxes, patch_boxes };
        self.tangle.untangle(&view, &mut Set::default(), &mut Set::default());
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
            self.paths.push(Path { from, by, stray: f32::INFINITY });
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
        let substeps = if farthest > 0.0 {
            (FARTHEST * edge / farthest).min(left as f32)
        } else {
            left as f32
        };
        let substeps = (substeps as u32).clamp(1, left.max(1));
        self.paths.iter_mut().for_each(|path| path.by *= substeps as f32);
        self.elements.let_stray(self.paths.iter().map(|path| path.by.length()), &particles.body);
        self.ways.clear();
        for (path, &body) in self.paths.iter_mut().zip(&particles.body) {
            let shape = self.elements.shapes[body as usize];
            let swerve = SWERVE * path.by.length();
            path.stray = shape.map_or(f32::INFINITY, |shape| shape.stray + swerve);
            let way = Aabb::of([path.from, path.from + path.by]);
            self.ways.push(way.grown(if shape.is_some() { path.stray } else { 0.0 }));
        }
        self.validity = Validity { substeps, age: 0, h, drift: mean / h };
    }

    /// Which way every face looks; nothing for other elements.
    fn face_outward(&mut self) {
        self.normals.clear();
        self.normals.extend(self.elements.all.iter().map(|element| {
            let [a, b, c] = element.ids.map(|i| self.paths[i as usize].from);
            (b - a).cross(c - a).normalize_or_zero()
        }));
    }

    /// Boxes around the paths of every element.
    fn bound(&mut self, particles: &Particles, pool: &Pool) {
        let Self { elements, ways, boxes, .. } = self;
        boxes.resize(elements.all.len(), Bounds { all: Aabb::EMPTY, own: Aabb::EMPTY });
        pool.for_rows((boxes.as_mut_slice(),), GRAIN, |first, (boxes,)| {
            for (element, bounds) in elements.all[first..].iter().zip(boxes) {
                let radius = particles.radius[element.ids[0] as usize];
                let around = |corners: u8| {
                    let own = (0..3).filter(|k| corners >> k & 1 == 1);
                    let ways = own.map(|k: usize| ways[element.ids[k] as usize]);
                    ways.fold(Aabb::EMPTY, Aabb::join).grown(radius)
                };
                *bounds = Bounds { all: around(0b111), own: around(element.own_corners()) };
            }
        });
    }

    fn collect(&mut self) {
        let Self { parts, vertex_face, edge_edge, particle_edge, two_particles, .. } = self;
        for part in parts {
            vertex_face.found.append(&mut part.vertex_face);
            edge_edge.found.append(&mut part.edge_edge);
            particle_edge.found.append(&mut part.particle_edge);
            two_particles.found.append(&mut part.two_particles);
        }
        vertex_face.finish();
        edge_edge.finish();
        particle_edge.finish();
        two_particles.finish();
    }
}

impl Part {
    fn clear(&mut self) {
        self.tested = 0;
        self.vertex_face.clear();
        self.edge_edge.clear();
        self.particle_edge.clear();
        self.two_particles.clear();
    }
}

/// Two elements whose boxes overlap, of bodies that meet.
pub(crate) struct Meeting<'a> {
    elements: [&'a Element; 2],
    shapes: [&'a Shape; 2],
    /// How near they may come, without regard to rest (m).
    pub(crate) distance: f32,
    /// The first bits of the keys of its pairs.
    key: u64,
}

impl View<'_> {
    /// The candidates of two patches, or of one with itself.
    fn compare(&self, [a, b]: [u32; 2], part: &mut Part) {
        let [one, two] = [a, b].map(|i| &self.elements.patches[i as usize]);
        if one.body == two.body && self.is_flat([one, two]) {
            return;
        }
        let [around_one, around_two] = [a, b].map(|i| &self.patch_boxes[i as usize]);
        let (mut room, mut other_room) = ([0; PATCH], [0; PATCH]);
        let ones = self.near(one, around_two, &mut room);
        let twos = self.near(two, around_one, &mut other_room);
        part.tested += (ones.len() * twos.len()) as u64;
        if ones.is_empty() || twos.is_empty() {
            return;
        }
        let boxes = || twos.iter().map(|&l| self.boxes[two.range[0] as usize + usize::from(l)]);
        let sieves = [Sieve::of(boxes().map(|it| it.all)), Sieve::of(boxes().map(|it| it.own))];
        for &k in ones {
            let i = one.range[0] + u32::from(k);
            let Bounds { all, own } = &self.boxes[i as usize];
            sieve::touching(&sieves, [all, own], twos.len(), |place| {
                let l = twos[place];
                if a != b || l > k {
                    let key = set::key([a, b], [k, l].map(usize::from));
                    self.expand([i, two.range[0] + u32::from(l)], key, part);
                }
            });
        }
    }

    /// The elements of a patch that meet a box, by their numbers in it.
    fn near<'a>(&self, patch: &Patch, around: &Aabb, room: &'a mut [u8; PATCH]) -> &'a [u8] {
        let mut count = 0;
        for (k, own) in (0..).zip(&self.boxes[patch.range()]) {
            room[count] = k;
            count += usize::from(own.all.overlaps(around));
        }
        &room[..count]
    }

    /// Whether two patches that are near at rest face the same way: then they cannot touch each
    /// other. Volino and Magnenat-Thalmann 1994, "Efficient Self-Collision Detection on Smoothly
    /// Discretized Surface Animations Using Geometrical Shape Regularity".
    fn is_flat(&self, patches: [&Patch; 2]) -> bool {
        let edge = self.elements.shapes[patches[0].body as usize].map_or(0.0, |shape| shape.edge);
        if !patches[0].rest.grown(NEIGHBOURS * edge).overlaps(&patches[1].rest) {
            return false;
        }
        let elements = || patches.iter().flat_map(|patch| patch.range());
        let axis = elements().map(|i| self.normals[i]).sum::<Vec3>().normalize_or_zero();
        let sheet = patches[0].range[0] as usize;
        elements()
            .all(|i| self.normals[i].dot(axis) > UPRIGHT && self.is_one_sheet([sheet, i], edge))
    }

    /// Whether two elements of a body lie side by side at rest: connected, and in one plane.
    fn is_one_sheet(&self, [a, b]: [usize; 2], edge: f32) -> bool {
        let [a, b] = [a, b].map(|i| &self.elements.sheets[i]);
        let between = b.middle - a.middle;
        a.component == b.component && between.dot(a.normal).abs() < PLANE * edge
    }

    /// The candidates among the vertices, edges and faces of two elements.
    fn expand(&self, pair: [u32; 2], key: u64, part: &mut Part) {
        let Some(meeting) = self.meet(pair, key) else { return };
        let [a, b] = meeting.elements;
        for (first, second, base) in [(a, pair[1], 0), (b, pair[0], 3)] {
            let face = &self.elements.all[second as usize];
            for (k, vertex) in first.own_vertices().filter(|_| face.is_face()) {
                if self.around(first, &[vertex]).overlaps(&self.boxes[second as usize].all) {
                    let [i, j, l] = face.ids;
                    let ids = [vertex, i, j, l];
                    let found = self.candidate::<VertexFace, 4>(&meeting, ids, base + k as u64);
                    part.vertex_face.extend(found);
                }
            }
        }
        for (k, [i, j]) in a.sharp_edges() {
            let near = self.around(a, &[i, j]);
            if !near.overlaps(&self.boxes[pair[1] as usize].own) {
                continue;
            }
            for (l, [m, n]) in b.sharp_edges() {
                if near.overlaps(&self.around(b, &[m, n])) {
                    let number = (6 + 3 * k + l) as u64;
                    let found = self.candidate::<EdgeEdge, 4>(&meeting, [i, j, m, n], number);
                    part.edge_edge.extend(found);
                }
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
    pub(crate) fn meet(&self, [a, b]: [u32; 2], key: u64) -> Option<Meeting<'_>> {
        let elements = [a, b].map(|i| &self.elements.all[i as usize]);
        let [one, two] = elements;
        let Particles { xw, phase, radius, .. } = self.particles;
        let [i, j] = elements.map(|e| e.ids[0] as usize);
        let shapes = elements.map(|e| self.elements.shapes[e.body as usize].as_ref());
        let [Some(shape), Some(other_shape)] = shapes else { return None };
        if one.body == two.body {
            let [a, b] = [a, b].map(|i| i as usize);
            let flat = self.normals[a].dot(self.normals[b]) > FLAT;
            let middles = [a, b].map(|i| self.elements.sheets[i].middle);
            let near = middles[0].distance(middles[1]) < NEIGHBOURS * shape.edge;
            if flat && near && self.is_one_sheet([a, b], shape.edge) {
                return None;
            }
        }
        let held = |e: &Element| e.particles().iter().all(|&i| xw[i as usize].w == 0.0);
        if phase[i] & phase[j] == 0 || held(one) && held(two) {
            return None;
        }
        Some(Meeting {
            elements,
            shapes: [shape, other_shape],
            distance: radius[i] + radius[j],
            key,
        })
    }

    /// A pair of the parts of two elements, if they may touch before the next search.
    fn candidate<P: Pair<N>, const N: usize>(
        &self,
        meeting: &Meeting<'_>,
        ids: [u32; N],
        number: u64,
    ) -> Option<Found<N>> {
        let [a, b] = meeting.elements;
        let within = a.body == b.body;
        if within && (1..N).any(|k| ids[..k].contains(&ids[k])) {
            return None;
        }
        let paths = ids.map(|i| self.paths[i as usize]);
        let x = paths.map(|path| path.from);
        let (first, turn, stray) = motion(&paths[..P::FIRST]);
        let (second, other_turn, other_stray) = motion(&paths[P::FIRST..]);
        let (by, turning) = (first - second, turn + other_turn);
        let stray = stray + other_stray;
        if a.is_face() && b.is_face() && P::beside(x, stray + turning + by.length()) {
            return None;
        }
        if P::parted(x, by, meeting.distance + stray + turning) {
            return None;
        }
        let near = P::near_at(x);
        let d = vec3(near.d);
        if misses(d, by, meeting.distance + stray + turning) {
            return None;
        }
        let mut distance = meeting.distance;
        if within {
            distance = distance.min(self.at_rest::<P, N>(ids, distance));
            if distance <= 0.0 || misses(d, by, distance + stray + turning) {
                return None;
            }
        }
        Some(self.pair_up(meeting, ids, number, (near, distance)))
    }

    /// The pair of the parts of two elements.
    pub(crate) fn pair_up<const N: usize>(
        &self,
        meeting: &Meeting<'_>,
        ids: [u32; N],
        number: u64,
        (near, distance): (Near<f32, N>, f32),
    ) -> Found<N> {
        let touch = meeting.shapes.map(|shape| shape.touch);
        let friction = (touch[0].friction * touch[1].friction).sqrt();
        let restitution = touch[0].restitution.max(touch[1].restitution);
        let side = if near.turned < 0.0 { -1.0 } else { 1.0 };
        let (key, slack) = (meeting.key | number, near.d.length() - distance);
        Found { key, ids, distance, slack, side, friction, restitution }
    }

    /// The box around the paths of some particles of an element, its thickness included.
    fn around(&self, element: &Element, ids: &[u32]) -> Aabb {
        let ways = ids.iter().map(|&i| self.ways[i as usize]);
        let radius = self.particles.radius[element.ids[0] as usize];
        ways.fold(Aabb::EMPTY, Aabb::join).grown(radius)
    }

    /// How near two parts of one body may come: no nearer than half of their distance at rest.
    fn at_rest<P: Pair<N>, const N: usize>(&self, ids: [u32; N], distance: f32) -> f32 {
        let rest = ids.map(|i| self.particles.rest[i as usize].truncate());
        let (first, second) = rest.split_at(P::FIRST);
        let [first, second] = [first, second].map(|x| Aabb::of(x.iter().copied()));
        if !first.grown(distance / AT_REST).overlaps(&second) {
            return distance;
        }
        AT_REST * P::near_at(rest).d.length()
    }
}

/// How far a party moves: its first particle, how much farther another (m), and how far any of them may
/// stray (m).
fn motion(paths: &[Path]) -> (Vec3, f32, f32) {
    let first = paths[0].by;
    let (mut turn, mut stray) = (0.0f32, paths[0].stray);
    for path in &paths[1..] {
        turn = turn.max(path.by.distance_squared(first));
        stray = stray.max(path.stray);
    }
    (first, turn.sqrt(), stray)
}

pub(crate) fn vec3(v: V3<f32>) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
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
