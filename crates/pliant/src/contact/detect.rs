//! Which pairs may touch in the next substeps? WGSL twin: `detect.wgsl`
//!
//! A search follows every particle along the straight path on which it moves now (`path.rs`). Pairs
//! whose paths come near each other are candidates. They stay valid as long as every particle is where
//! its path says, within the distance by which it may stray. When one is not, the pairs of its body are
//! looked for again, from where the substep began, so that nothing is missed between two searches.
//!
//! The parts of two elements are looked at when they are so near that they could meet by now; until then
//! they wait.

use glam::Vec3;

use super::broad_phase::Boxes;
use super::elements::{Element, Elements, PATCH, Patch, Shape};
use super::narrow::{Between, Reach};
use super::pair::edge_edge::EdgeEdge;
use super::pair::particle_edge::ParticleEdge;
use super::pair::two_particles::TwoParticles;
use super::pair::vertex_face::VertexFace;
use super::path::{Pace, Path, Stale};
use super::screen::{AT_REST, Screen};
use super::set::{self, Set};
use super::sieve::{Met, Party, Sieve, gap};
use super::{State, broad_phase};
use crate::lanes::V3;
use crate::mesh::Aabb;
use crate::parallel::Pool;
use crate::particles::Particles;
use crate::world::Config;

pub(crate) const WGSL: &str = include_str!("detect.wgsl");

/// Particles or boxes that are worth a second thread.
const GRAIN: usize = 1024;
/// Patches that are.
const PATCHES: usize = 32;
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

/// Two elements whose boxes overlap, but which are apart: their parts are looked at once they come nearer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pair: [u32; 2],
    /// The first bits of the keys of its pairs.
    key: u64,
    /// From the second to the first, of unit length.
    n: Vec3,
    /// How much farther apart they are than they may come, at least (m).
    gap: f32,
}

impl Waiting {
    fn patches(&self) -> [usize; 2] {
        set::parties(self.key).0.map(|(patch, _)| patch)
    }

    /// Takes off what patches may have come nearer by.
    pub(crate) fn age(&mut self, since: &[Reach]) {
        self.gap -= Reach::towards(self.patches().map(|patch| since[patch])).nearer(self.n);
    }
}

/// What one part of the pairs of boxes has given.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Elements that are apart, and may come near before the next search.
    pub(crate) waiting: Vec<Waiting>,
    /// The first of the remembered that may be of the pair of patches that is next.
    next: usize,
    /// Elements whose boxes were compared.
    tested: u64,
    vertex_face: Screen<4>,
    edge_edge: Screen<4>,
    particle_edge: Screen<3>,
    two_particles: Screen<2>,
}

/// Boxes around an element, the last two with its thickness.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Around its particles where the substep began, without its thickness.
    pub(crate) now: Aabb,
    /// Half of that (m).
    pub(crate) radius: f32,
    /// How far any of its particles may stray from its path (m).
    pub(crate) stray: f32,
    pub(crate) phase: u32,
    /// Whether all its particles are held.
    pub(crate) still: bool,
    /// Around the paths of all its particles.
    pub(crate) all: Aabb,
    /// Around those of the vertices and edges that are its own; of most faces of a solid, one vertex.
    pub(crate) own: Aabb,
}

/// Which ways the faces of a patch look: all within a cone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facing {
    /// Unit length.
    axis: Vec3,
    /// Cosine and sine of the angle by which they differ from it at most.
    widest: [f32; 2],
}

impl Facing {
    fn of(normals: &[Vec3]) -> Self {
        let axis = normals.iter().sum::<Vec3>().normalize_or_zero();
        let cos = normals.iter().map(|n| n.dot(axis)).fold(1.0, f32::min);
        Self { axis, widest: [cos, (1.0 - cos * cos).max(0.0).sqrt()] }
    }

    /// Whether all faces of two patches look along the line between their axes, but for half the angle of
    /// [`FLAT`].
    fn are_alike(of: [Self; 2]) -> bool {
        let [one, two] = of.map(|facing| facing.axis);
        let twice = one.dot(two);
        let (cos, sin) = ((1.0 + twice).max(0.0) / 2.0, (1.0 - twice).max(0.0) / 2.0);
        let (cos, sin) = (cos.sqrt(), sin.sqrt());
        // cos(a + b), where neither is over a right angle.
        let least = |[c, s]: [f32; 2]| if c > 0.0 { c * cos - s * sin } else { -1.0 };
        of.iter().all(|facing| least(facing.widest) > UPRIGHT)
    }
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
    /// One per patch.
    facing: &'a [Facing],
    /// One per element: around its paths, and around those of what is its own.
    boxes: &'a [Bounds],
    /// One per patch: its elements.
    sieves: &'a [Sieve],
    /// One per patch: around these.
    pub(crate) patch_boxes: &'a [Aabb],
    /// What pairs were solved before, by their elements ([`set::elements`]); in order.
    remembered: &'a [u64],
    /// Whether nobody waits until elements come nearer.
    eager: bool,
    pub(crate) pace: Pace,
}

/// What a search looks at, of the fields of a [`State`].
macro_rules! view {
    ($state:expr, $particles:expr, $eager:expr) => {
        View {
            elements: &$state.elements,
            paths: &$state.paths,
            ways: &$state.ways,
            particles: $particles,
            normals: &$state.normals,
            facing: &$state.facing,
            boxes: &$state.boxes,
            sieves: &$state.sieves,
            patch_boxes: &$state.patch_boxes,
            remembered: &$state.remembered,
            eager: $eager,
            pace: $state.validity.pace,
        }
    };
}

impl State {
    /// Looks for the candidates of all or of those that have strayed, for up to `left` substeps of `h`
    /// seconds. `x` is where particles are now, [`State::start`] where they were when this substep began.
    pub(crate) fn search(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        particles: &Particles,
        (pool, config): (&Pool, &Config),
        (h, left, stale): (f32, u32, Stale),
    ) {
        match stale {
            Stale::All => self.follow(x, particles, (h, left), self.next_pace()),
            _ => self.follow_strayed(x, particles),
        }
        self.lay_out(particles, pool);
        let view = view!(self, particles, config.sleep_speed > 0.0);
        let (elements, patch_boxes, remembered) =
            (view.elements, view.patch_boxes, view.remembered);
        let patch_pairs = &mut self.patch_pairs;
        let patches = Boxes { boxes: patch_boxes, groups: &elements.groups };
        broad_phase::search(config.broad_phase, patches, (pool, &mut self.space), patch_pairs);
        let alone = (0..elements.patches.len()).filter(|&i| elements.groups[i] == 0);
        patch_pairs.extend(alone.map(|i| [i as u32; 2]));
        if stale == Stale::Strayed {
            let strayed = |&i: &u32| self.strayed[elements.patches[i as usize].body as usize];
            patch_pairs.retain(|pair| pair.iter().any(strayed));
        }
        patch_pairs.sort_unstable();
        self.parts.resize_with(PARTS, Part::default);
        let of = |patch: usize| elements.patches[patch].body as usize;
        let stays = |it: &Waiting| {
            stale == Stale::Strayed
                && !it.patches().map(|patch| self.strayed[of(patch)]).contains(&true)
        };
        let columns = (patch_pairs.as_mut_slice(),);
        pool.for_parts(columns, (&mut self.parts, PARTS), |part, _, (pairs,)| {
            part.forget_found();
            part.waiting.retain(stays);
            let begin = pairs.first().map_or(0, |&pair| set::elements(set::key(pair, [0, 0])));
            part.next = remembered.partition_point(|&elements| elements < begin);
            pairs.iter().for_each(|&pair| view.compare(pair, part));
            view.answer_all(part);
        });
        self.collect();
        let view = view!(self, particles, true);
        self.tangle.untangle(&view, &mut self.vertex_face, &mut self.edge_edge);
        let body = |element: u32| self.elements.all[element as usize].body;
        let parted = |two: [u32; 2]| self.tangle.takes_apart(two.map(body));
        for part in &mut self.parts {
            part.waiting.retain(|waiting| !parted(waiting.pair));
        }
        self.report.detections += 1;
        self.report.pairs_tested += self.parts.iter().map(|part| part.tested).sum::<u64>();
    }

    /// Finds what a [`View`] has of the paths: which way faces look, and boxes.
    fn lay_out(&mut self, particles: &Particles, pool: &Pool) {
        self.face_outward();
        self.bound(particles, pool);
        let Self { elements, boxes, patch_boxes, normals, facing, .. } = self;
        facing.clear();
        facing.extend(elements.patches.iter().map(|patch| Facing::of(&normals[patch.range()])));
        let around = |patch: &Patch| {
            boxes[patch.range()].iter().map(|it| it.all).fold(Aabb::EMPTY, Aabb::join)
        };
        patch_boxes.clear();
        patch_boxes.extend(elements.patches.iter().map(around));
        let (paths, pace) = (&self.paths, self.validity.pace);
        self.sieves.resize(elements.patches.len(), Sieve::default());
        pool.for_rows((self.sieves.as_mut_slice(),), PATCHES, |first, (sieves,)| {
            for (patch, sieve) in elements.patches[first..].iter().zip(sieves) {
                let party = |i: usize| party(&boxes[i], &elements.all[i], (paths, pace));
                sieve.fill(patch.range().map(party));
            }
        });
    }

    /// Finds the solids that are in each other, as if there were nothing to remember of where they were.
    pub(crate) fn find_entangled(&mut self, particles: &Particles, pool: &Pool) {
        self.start.clear();
        self.start.extend_from_slice(&particles.xw);
        self.follow(&|i| particles.position(i), particles, (1.0, 1), Pace::Steady);
        self.lay_out(particles, pool);
        let view = view!(self, particles, true);
        self.tangle.untangle(&view, &mut Set::default(), &mut Set::default());
    }

    /// Which way every face looks; nothing for other elements.
    fn face_outward(&mut self) {
        self.normals.clear();
        self.normals.extend(self.elements.all.iter().map(|element| {
            let [a, b, c] = element.ids.map(|i| self.paths[i as usize].from());
            (b - a).cross(c - a).normalize_or_zero()
        }));
    }

    /// Boxes around the paths of every element.
    fn bound(&mut self, particles: &Particles, pool: &Pool) {
        let Self { elements, paths, ways, boxes, .. } = self;
        let empty = Aabb::EMPTY;
        let nothing = Bounds {
            now: empty,
            radius: 0.0,
            stray: 0.0,
            phase: 0,
            still: true,
            all: empty,
            own: empty,
        };
        boxes.resize(elements.all.len(), nothing);
        pool.for_rows((boxes.as_mut_slice(),), GRAIN, |first, (boxes,)| {
            for (element, bounds) in elements.all[first..].iter().zip(boxes) {
                let radius = particles.radius[element.ids[0] as usize];
                let ways = element.ids.map(|i| ways[i as usize]);
                // A loop: a fold over what is filtered is not inlined.
                let (mut all, mut own) = (Aabb::EMPTY, Aabb::EMPTY);
                for (k, &way) in ways.iter().enumerate() {
                    all = all.join(way);
                    own = if element.own_corners() >> k & 1 == 1 { own.join(way) } else { own };
                }
                let (all, own) = (all.grown(radius), own.grown(radius));
                let now = Aabb::of(element.ids.map(|i| paths[i as usize].from()));
                let phase = particles.phase[element.ids[0] as usize];
                let still = element.ids.iter().all(|&i| particles.xw[i as usize].w == 0.0);
                let stray = element.ids.map(|i| paths[i as usize].stray());
                let stray = stray.into_iter().fold(0.0, f32::max);
                *bounds = Bounds { now, radius, stray, phase, still, all, own };
            }
        });
    }

    /// Takes what was found into the sets.
    fn collect(&mut self) {
        let parts = &mut self.parts;
        self.vertex_face.take(parts, |part| &mut part.vertex_face.found);
        self.edge_edge.take(parts, |part| &mut part.edge_edge.found);
        self.particle_edge.take(parts, |part| &mut part.particle_edge.found);
        self.two_particles.take(parts, |part| &mut part.two_particles.found);
        self.vertex_face.finish();
        self.edge_edge.finish();
        self.particle_edge.finish();
        self.two_particles.finish();
    }

    /// Looks at the parts of elements that have come nearer.
    pub(crate) fn expand_waiting(&mut self, particles: &Particles, pool: &Pool) {
        let mut parts = std::mem::take(&mut self.parts);
        let view = view!(self, particles, true);
        let (since, reach, start) = (&self.since, &self.reach, &self.start);
        let count: usize = parts.iter().map(|part| part.waiting.len()).sum();
        let grain = if count < GRAIN { PARTS } else { 1 };
        pool.for_uneven_rows((parts.as_mut_slice(),), grain, |_, (parts,)| {
            for part in parts {
                part.forget_found();
                let mut between = Between::new(since, reach);
                let mut waiting = std::mem::take(&mut part.waiting);
                waiting.retain_mut(|it| {
                    let [past, soon] = between.patches(it.patches());
                    it.gap -= past.nearer(it.n);
                    if it.gap < soon.nearer(it.n) {
                        (it.n, it.gap) = view.gap_at(it.pair, |i| start[i as usize].truncate());
                    }
                    let waits = it.gap >= soon.nearer(it.n);
                    if !waits {
                        view.expand(it.pair, it.key, part);
                    }
                    waits
                });
                part.waiting = waiting;
                view.answer_all(part);
            }
        });
        self.vertex_face.take_late(&mut parts, |part| &mut part.vertex_face.found);
        self.edge_edge.take_late(&mut parts, |part| &mut part.edge_edge.found);
        self.particle_edge.take_late(&mut parts, |part| &mut part.particle_edge.found);
        self.two_particles.take_late(&mut parts, |part| &mut part.two_particles.found);
        self.parts = parts;
    }

    /// How many elements wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.parts.iter().map(|part| part.waiting.len()).sum()
    }
}

impl Part {
    fn forget_found(&mut self) {
        self.tested = 0;
        self.vertex_face.clear();
        self.edge_edge.clear();
        self.particle_edge.clear();
        self.two_particles.clear();
    }
}

/// Two elements whose boxes overlap, of bodies that meet.
pub(crate) struct Meeting {
    pub(crate) pair: [u32; 2],
    /// How near they may come, without regard to rest (m).
    pub(crate) distance: f32,
    /// The first bits of the keys of its pairs.
    pub(crate) key: u64,
    /// Whether they are of one body, and so near each other at rest that they may come nearer than that.
    pub(crate) near_at_rest: bool,
}

impl View<'_> {
    /// The candidates of two patches, or of one with itself.
    fn compare(&self, [a, b]: [u32; 2], part: &mut Part) {
        let [one, two] = [a, b].map(|i| &self.elements.patches[i as usize]);
        if one.body == two.body && self.is_flat([a, b]) {
            return;
        }
        let sieves = [a, b].map(|i| &self.sieves[i as usize]);
        let meetings = Sieve::meetings(sieves, [a, b].map(|i| &self.patch_boxes[i as usize]));
        part.tested += meetings.tested;
        let (mut met, known) = (Met::default(), self.remembered_of([a, b], &mut part.next));
        for (k, (i, bits)) in one.range().zip(meetings.of).enumerate() {
            // Of a patch with itself every pair comes once.
            let mut left = if a == b { bits & !1 << k } else { bits };
            if left == 0 {
                continue;
            }
            let party = party(&self.boxes[i], &self.elements.all[i], (self.paths, self.pace));
            sieves[1].look(left, party, &mut met);
            while left != 0 {
                let l = left.trailing_zeros();
                left &= left - 1;
                let pair = [i as u32, two.range[0] + l];
                let key = set::key([a, b], [k, l as usize]);
                let (n, gap) = met.gap(l as usize);
                let is_near = gap <= 0.0 || self.eager;
                if is_near || known.binary_search(&set::elements(key)).is_ok() {
                    self.expand(pair, key, part);
                } else if met.missed >> l & 1 == 0 {
                    part.waiting.push(Waiting { pair, key, n, gap });
                }
            }
        }
    }

    /// What is remembered of two patches, from `next` on: pairs of patches come in order.
    fn remembered_of(&self, patches: [u32; 2], next: &mut usize) -> &[u64] {
        let first = set::elements(set::key(patches, [0, 0]));
        let last = set::elements(set::key(patches, [PATCH - 1, PATCH - 1]));
        let count = |from: usize, end: u64| {
            self.remembered[from..].iter().take_while(|&&elements| elements < end).count()
        };
        let from = *next + count(*next, first);
        *next = from + count(from, last + 1);
        &self.remembered[from..*next]
    }

    /// The way from the box around the second of two elements to that around the first, of unit length, and
    /// how much farther apart they are than they may come, at least (m).
    fn gap_at(&self, pair: [u32; 2], x: impl Fn(u32) -> Vec3) -> (Vec3, f32) {
        let [a, b] = pair.map(|i| self.boxes[i as usize].radius);
        let corners = |i: u32| {
            let around = Aabb::of(self.elements.all[i as usize].ids.map(&x));
            [around.low, around.high].map(V3::from)
        };
        let (n, gap) = gap(pair.map(corners), a + b);
        (vec3(n), gap)
    }

    /// Whether two patches that are near at rest face the same way: then they cannot touch each
    /// other. Volino and Magnenat-Thalmann 1994, "Efficient Self-Collision Detection on Smoothly
    /// Discretized Surface Animations Using Geometrical Shape Regularity".
    fn is_flat(&self, pair: [u32; 2]) -> bool {
        let patches = pair.map(|i| &self.elements.patches[i as usize]);
        let edge = self.elements.shapes[patches[0].body as usize].map_or(0.0, |shape| shape.edge);
        if !patches[0].rest.grown(NEIGHBOURS * edge).overlaps(&patches[1].rest) {
            return false;
        }
        let facing = pair.map(|i| self.facing[i as usize]);
        let sheet = patches[0].range[0] as usize;
        let mut elements = patches.iter().flat_map(|patch| patch.range());
        Facing::are_alike(facing) && elements.all(|i| self.is_one_sheet([sheet, i], edge))
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
        let [a, b] = pair.map(|i| &self.elements.all[i as usize]);
        for (first, second, base) in [(a, pair[1], 0), (b, pair[0], set::SWAPPED.start as u64)] {
            let face = &self.elements.all[second as usize];
            for (k, vertex) in first.own_vertices().filter(|_| face.is_face()) {
                if self.around(first, &[vertex]).overlaps(&self.boxes[second as usize].all) {
                    let [i, j, l] = face.ids;
                    let ids = [vertex, i, j, l];
                    self.ask(&mut part.vertex_face, &meeting, ids, base + k as u64);
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
                    self.ask(&mut part.edge_edge, &meeting, [i, j, m, n], number);
                }
            }
        }
        match (a.corners, b.corners) {
            (1, 1) => {
                let ids = [a.ids[0], b.ids[0]];
                self.ask(&mut part.two_particles, &meeting, ids, 0);
            }
            (1, 2) => {
                let ids = [a.ids[0], b.ids[0], b.ids[1]];
                self.ask(&mut part.particle_edge, &meeting, ids, 0);
            }
            (2, 1) => {
                let ids = [b.ids[0], a.ids[0], a.ids[1]];
                self.ask(&mut part.particle_edge, &meeting, ids, set::SWAPPED.start as u64);
            }
            _ => {}
        }
        if part.vertex_face.is_full() || part.edge_edge.is_full() {
            self.answer_all(part);
        }
    }

    /// Finds the candidates among all that are to be looked at.
    fn answer_all(&self, part: &mut Part) {
        self.answer::<VertexFace, 4>(&mut part.vertex_face);
        self.answer::<EdgeEdge, 4>(&mut part.edge_edge);
        self.answer::<ParticleEdge, 3>(&mut part.particle_edge);
        self.answer::<TwoParticles, 2>(&mut part.two_particles);
    }

    /// Whether two elements can touch at all.
    pub(crate) fn meet(&self, pair: [u32; 2], key: u64) -> Option<Meeting> {
        let [a, b] = pair;
        let elements = [a, b].map(|i| &self.elements.all[i as usize]);
        let [one, two] = [a, b].map(|i| &self.boxes[i as usize]);
        if one.phase & two.phase == 0 || one.still && two.still {
            return None;
        }
        let distance = one.radius + two.radius;
        let mut near_at_rest = false;
        if elements[0].body == elements[1].body {
            let edge = self.shape(elements[0].body)?.edge;
            let [a, b] = [a, b].map(|i| i as usize);
            let flat = self.normals[a].dot(self.normals[b]) > FLAT;
            let sheets = [a, b].map(|i| &self.elements.sheets[i]);
            let between = sheets[0].middle.distance(sheets[1].middle);
            if flat && between < NEIGHBOURS * edge && self.is_one_sheet([a, b], edge) {
                return None;
            }
            near_at_rest = between < sheets[0].size + sheets[1].size + distance / AT_REST;
        }
        Some(Meeting { pair, distance, key, near_at_rest })
    }

    pub(crate) fn shape(&self, body: u32) -> Option<&Shape> {
        self.elements.shapes[body as usize].as_ref()
    }

    /// The box around the paths of some particles of an element, its thickness included.
    fn around(&self, element: &Element, ids: &[u32]) -> Aabb {
        let ways = ids.iter().map(|&i| self.ways[i as usize]);
        let radius = self.particles.radius[element.ids[0] as usize];
        ways.fold(Aabb::EMPTY, Aabb::join).grown(radius)
    }
}

/// An element as a sieve sees it.
fn party<'a>(bounds: &'a Bounds, element: &Element, (paths, pace): (&[Path], Pace)) -> Party<'a> {
    Party { bounds, by: element.ids.map(|i| paths[i as usize].by()), pace }
}

pub(crate) fn vec3(v: V3<f32>) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}
