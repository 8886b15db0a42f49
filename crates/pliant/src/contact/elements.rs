//! What a body can be touched with: the faces of its surface, or its links, or its particles.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::Vec3;

use super::sharp::keep_sharp;
use super::{By, Meets, Touch};
use crate::constraint::distance;
use crate::mesh::{Aabb, is_closed};
use crate::snapshot::Fnv;
use crate::world::World;

/// A face, a link or a particle.
///
/// Every vertex and edge of a surface belongs to one of the faces that have it, so that no pair of
/// them is looked at twice. Curtis et al. 2008, "Fast Collision Detection for Deformable Models
/// using Representative-Triangles".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// Its particles; the first is repeated where there are fewer.
    pub(crate) ids: [u32; 3],
    /// How many it has.
    pub(crate) corners: u8,
    /// Bit k: the particle k is its own.
    pub(crate) vertices: u8,
    /// Bit k: the edge from particle k to the next is its own.
    pub(crate) edges: u8,
    /// The same of those that touch: of a solid only what is sharp.
    pub(crate) sharp: u8,
    /// The body.
    pub(crate) body: u32,
}

impl Element {
    /// Whether it is a face.
    pub(crate) fn is_face(&self) -> bool {
        self.corners == 3
    }

    /// Its particles, each once.
    pub(crate) fn particles(&self) -> &[u32] {
        &self.ids[..self.corners as usize]
    }

    /// Bit k: the particle k is its own, or of an edge that is its own and touches. What has no face
    /// has all.
    pub(crate) fn own_corners(&self) -> u8 {
        let of_edges = self.sharp | self.sharp << 1 | self.sharp >> 2;
        if self.is_face() { (self.vertices | of_edges) & 0b111 } else { 0b111 }
    }

    /// The vertices that are its own.
    pub(crate) fn own_vertices(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        (0..3).filter(|k| self.vertices >> k & 1 == 1).map(|k| (k, self.ids[k]))
    }

    /// The edges that are its own and touch.
    pub(crate) fn sharp_edges(&self) -> impl Iterator<Item = (usize, [u32; 2])> + '_ {
        self.own_edges().filter(|(k, _)| self.sharp >> k & 1 == 1)
    }

    /// The edges that are its own.
    fn own_edges(&self) -> impl Iterator<Item = (usize, [u32; 2])> + '_ {
        let next = |k: usize| if k + 1 < self.corners as usize { k + 1 } else { 0 };
        let edge = move |k: usize| (k, [self.ids[k], self.ids[next(k)]]);
        (0..3).filter(|k| self.edges >> k & 1 == 1).map(edge)
    }
}

/// What is known of a body beside its elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// How it touches.
    pub(crate) touch: Touch,
    /// How far any of its particles may stray from its path until the next search (m).
    pub(crate) stray: f32,
    /// Mean length of its edges at rest (m); of loose particles, their diameter.
    pub(crate) edge: f32,
    /// Whether it is thicker than its shortest edge is long.
    pub(crate) thick: bool,
    /// Whether there is matter behind all its faces, so that nothing belongs there.
    pub(crate) solid: bool,
    /// Whether it is solid, and all of its faces are touched: none ends in nothing.
    pub(crate) whole: bool,
}

/// How an element lies at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet {
    pub(crate) middle: Vec3,
    /// How far its corners are from there, at most (m).
    pub(crate) size: f32,
    /// Unit length; nothing for elements that are not faces.
    pub(crate) normal: Vec3,
    /// The least particle that it is connected with.
    pub(crate) component: u32,
}

/// Elements of one body that lie together at rest: they are looked at as one as long as they can.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// The first element, and where they end.
    pub(crate) range: [u32; 2],
    /// The same of its particles, in [`Elements::members`].
    members: [u32; 2],
    pub(crate) body: u32,
    /// Around them at rest.
    pub(crate) rest: Aabb,
}

impl Patch {
    pub(crate) fn range(&self) -> Range<usize> {
        self.range[0] as usize..self.range[1] as usize
    }
}

/// Most elements of a patch; their numbers within it take five bits of a key.
pub(crate) const PATCH: usize = 32;

/// The elements of all bodies that can be touched.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    pub(crate) all: Vec<Element>,
    pub(crate) patches: Vec<Patch>,
    /// The particles of each patch, once each.
    members: Vec<u32>,
    /// One per element.
    pub(crate) sheets: Vec<Sheet>,
    /// One per patch: those of the same group never touch; 0 is none.
    pub(crate) groups: Vec<u32>,
    /// One per slot of the world; `None` for those that touch nothing.
    pub(crate) shapes: Vec<Option<Shape>>,
    /// What they were made from.
    fingerprint: u64,
}

impl Elements {
    /// Makes them anew if bodies came, went or changed. Says whether it did.
    pub(crate) fn refresh(&mut self, world: &World) -> bool {
        let fingerprint = fingerprint(world);
        if fingerprint == self.fingerprint {
            return false;
        }
        self.fingerprint = fingerprint;
        self.all.clear();
        self.shapes.clear();
        self.groups.clear();
        self.patches.clear();
        self.members.clear();
        self.sheets.clear();
        let links = links(world);
        for (index, slot) in world.slots.iter().enumerate() {
            let body = slot.body.as_ref().filter(|body| body.touch.meets != Meets::Nothing);
            let shape = body.map(|body| {
                let first = self.all.len();
                let triangles = body.triangles.start as usize..body.triangles.end as usize;
                let triangles = &world.triangles[triangles];
                match (body.touch.by, triangles) {
                    (By::Surface, []) => {
                        self.add_links(&links[index], body.particles.clone(), index as u32);
                    }
                    (By::Surface, faces) => {
                        self.add_faces(faces, (index as u32, &world.particles.hollow));
                    }
                    (By::Particles, faces) => {
                        let there = |i: &u32| !world.particles.hollow[*i as usize];
                        let mut ids: Vec<u32> =
                            faces.as_flattened().iter().copied().filter(there).collect();
                        ids.sort_unstable();
                        ids.dedup();
                        let all = body.particles.clone();
                        let ids = if ids.is_empty() { all.collect() } else { ids };
                        self.add_particles(&ids, index as u32);
                    }
                }
                let group = if body.touch.meets == Meets::All { 0 } else { index as u32 + 1 };
                self.add_patches(world, first);
                self.add_sheets(world, first);
                self.groups.resize(self.patches.len(), group);
                let solid = is_closed(triangles, &body.particles) && world.is_solid(body);
                let own = &mut self.all[first..];
                let faces = own.iter().filter(|element| element.is_face()).count();
                let whole = solid && faces == triangles.len();
                let shape = Shape { touch: body.touch, solid, whole, ..shape(world, own) };
                if solid {
                    keep_sharp(own, |i| world.particles.rest[i as usize].truncate());
                }
                shape
            });
            self.shapes.push(shape);
        }
        true
    }

    /// The particles of a patch, each once.
    pub(crate) fn members(&self, patch: &Patch) -> &[u32] {
        let [start, end] = patch.members.map(|at| at as usize);
        &self.members[start..end]
    }

    /// Sorts the elements from `first` on along a curve that fills space, and cuts it.
    fn add_patches(&mut self, world: &World, first: usize) {
        let rest = |&i: &u32| world.particles.rest[i as usize].truncate();
        let around = |element: &Element| Aabb::of(element.particles().iter().map(rest));
        let all = self.all[first..].iter().map(around).fold(Aabb::EMPTY, Aabb::join);
        let scale = 1023.0 / all.size().max_element().max(f32::MIN_POSITIVE);
        let place = |element: &Element| {
            let one = around(element);
            (((one.low + one.high) / 2.0 - all.low) * scale).as_uvec3().to_array()
        };
        self.all[first..].sort_by_cached_key(|element| interleaved(place(element)));
        for start in (first..self.all.len()).step_by(PATCH) {
            let end = (start + PATCH).min(self.all.len());
            let elements = &self.all[start..end];
            let rest = elements.iter().map(around).fold(Aabb::EMPTY, Aabb::join);
            let mut ids: Vec<u32> =
                elements.iter().flat_map(|it| it.particles()).copied().collect();
            ids.sort_unstable();
            ids.dedup();
            let members = [self.members.len(), self.members.len() + ids.len()].map(|at| at as u32);
            self.members.append(&mut ids);
            let range = [start as u32, end as u32];
            self.patches.push(Patch { range, members, body: elements[0].body, rest });
        }
    }

    fn add_sheets(&mut self, world: &World, first: usize) {
        let mut least: BTreeMap<u32, u32> = BTreeMap::new();
        let root = |least: &BTreeMap<u32, u32>, mut i: u32| {
            while let Some(&next) = least.get(&i).filter(|&&next| next != i) {
                i = next;
            }
            i
        };
        for element in &self.all[first..] {
            for &i in element.particles() {
                let (a, b) = (root(&least, element.ids[0]), root(&least, i));
                least.insert(a.max(b), a.min(b));
            }
        }
        for element in &self.all[first..] {
            let [a, b, c] = element.ids.map(|i| world.particles.rest[i as usize].truncate());
            let middle = (a + b + c) / 3.0;
            self.sheets.push(Sheet {
                middle,
                size: [a, b, c].map(|x| x.distance(middle)).into_iter().fold(0.0, f32::max),
                normal: (b - a).cross(c - a).normalize_or_zero(),
                component: root(&least, element.ids[0]),
            });
        }
    }

    /// Faces, and the corners that are there of those that end in nothing: copies of a cut element
    /// lie over each other, and no push would part them.
    fn add_faces(&mut self, faces: &[[u32; 3]], (body, hollow): (u32, &[bool])) {
        let mut owner = Ownership::default();
        let there = |i: &u32| !hollow[*i as usize];
        for &ids in faces.iter().filter(|ids| ids.iter().all(there)) {
            let vertices = (0..3).filter(|&k| owner.vertex(ids[k])).fold(0, |m, k| m | 1 << k);
            let edge = |k: usize| [ids[k], ids[(k + 1) % 3]];
            let edges = (0..3).filter(|&k| owner.edge(edge(k))).fold(0, |m, k| m | 1 << k);
            self.all.push(Element { ids, corners: 3, vertices, edges, sharp: edges, body });
        }
        let ends = faces.as_flattened().iter().copied().filter(there);
        let loose: Vec<u32> = ends.filter(|&i| owner.vertex(i)).collect();
        self.add_particles(&loose, body);
    }

    fn add_links(&mut self, links: &[[u32; 2]], particles: Range<u32>, body: u32) {
        let mut owner = Ownership::default();
        for &[a, b] in links {
            let vertices = u8::from(owner.vertex(a)) | u8::from(owner.vertex(b)) << 1;
            let ids = [a, b, a];
            self.all.push(Element { ids, corners: 2, vertices, edges: 1, sharp: 1, body });
        }
        let loose: Vec<u32> = particles.filter(|&i| owner.vertex(i)).collect();
        self.add_particles(&loose, body);
    }

    fn add_particles(&mut self, ids: &[u32], body: u32) {
        let element = Element { ids: [0; 3], corners: 1, vertices: 1, edges: 0, sharp: 0, body };
        self.all.extend(ids.iter().map(|&i| Element { ids: [i; 3], ..element }));
    }
}

/// The bits of three numbers of ten bits in turn: neighbours in space are neighbours in order.
/// Morton 1966, "A Computer Oriented Geodetic Data Base".
fn interleaved(place: [u32; 3]) -> u32 {
    let spread = |x: u32| (0..10).fold(0, |bits, k| bits | (x >> k & 1) << (3 * k));
    spread(place[0]) | spread(place[1]) << 1 | spread(place[2]) << 2
}

/// Who was first.
#[derive(Default)]
struct Ownership {
    vertices: std::collections::BTreeSet<u32>,
    edges: std::collections::BTreeSet<[u32; 2]>,
}

impl Ownership {
    fn vertex(&mut self, i: u32) -> bool {
        self.vertices.insert(i)
    }
    fn edge(&mut self, [a, b]: [u32; 2]) -> bool {
        self.edges.insert([a.min(b), a.max(b)])
    }
}

/// The links of each body: its distance constraints.
fn links(world: &World) -> Vec<Vec<[u32; 2]>> {
    let mut links = vec![Vec::new(); world.slots.len()];
    let body = |i: u32| world.particles.body[i as usize];
    for set in world.sets.iter().filter(|set| set.kind().is(&distance::KIND)) {
        for number in 0..set.len() {
            if let &[a, b] = set.particles(number)
                && body(a) == body(b)
            {
                links[body(a) as usize].push([a, b]);
            }
        }
    }
    links
}

fn shape(world: &World, elements: &[Element]) -> Shape {
    let rest = |i: u32| world.particles.rest[i as usize].truncate();
    let (mut total, mut count, mut least) = (0.0f64, 0u32, f32::MAX);
    for element in elements {
        for (_, [a, b]) in element.own_edges() {
            let length = Vec3::distance(rest(a), rest(b));
            (total, count, least) = (total + f64::from(length), count + 1, least.min(length));
        }
    }
    let radius = elements.first().map_or(0.0, |e| world.particles.radius[e.ids[0] as usize]);
    let edge = if count > 0 { (total / f64::from(count)) as f32 } else { 2.0 * radius };
    let thick = 2.0 * radius > least;
    Shape { touch: Touch::NOTHING, stray: 0.0, edge, thick, solid: false, whole: false }
}

/// A number that changes when the elements do.
fn fingerprint(world: &World) -> u64 {
    let mut fnv = Fnv::default();
    for slot in &world.slots {
        fnv.word(slot.generation);
        let Some(body) = &slot.body else { continue };
        for range in [&body.particles, &body.triangles] {
            fnv.word(range.start);
            fnv.word(range.end);
        }
        fnv.word(body.touch.meets as u32);
        fnv.word(body.touch.by as u32);
        fnv.floats(&[body.touch.friction, body.touch.restitution]);
    }
    let links = world.sets.iter().filter(|set| set.kind().is(&distance::KIND));
    links.for_each(|set| fnv.word(set.len() as u32));
    // Not 0, which stands for "never".
    fnv.finish() | 1
}
