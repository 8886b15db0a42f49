//! Solids that have got into each other, by a hard impact or because they began so. WGSL twin:
//! `tangle.wgsl`
//!
//! What is thin has no inside: there a pair can only remember on which side its parties were. A solid
//! has one, whatever pairs remember: a vertex is in it if the nearest of its faces looks away from
//! it. It goes out through that face, along its normal, as along the gradient of a signed distance
//! (Macklin et al. 2014, "Unified Particle Physics for Real-Time Applications", section 5.1).
//!
//! To ask that of every vertex would cost more than the contacts. A vertex cannot get in unseen, so
//! it is asked of those that a pair has lost sight of while they were through, and of all when there
//! is nothing to remember: then bodies may have been put into each other, and solids that were come
//! apart as wholes ([`Entangled`]).

use glam::Vec3;

use super::detect::{View, vec3};
use super::elements::Patch;
use super::entangled::Entangled;
use super::pair::Pair;
use super::pair::edge_edge::EdgeEdge;
use super::pair::vertex_face::VertexFace;
use super::set::{self, Found, SWAPPED, Set};
use crate::mesh::Aabb;

pub(super) const WGSL: &str = include_str!("tangle.wgsl");

/// Squares of distances that differ by less, over one of them, are equal.
const TIE: f32 = 1e-4;
/// Cosine of the angle to the plane of both edges from which on surfaces tell their sides.
const CLEAR: f32 = 0.1;

/// How deep a vertex must be for two solids to have begun in each other, over the mean edge: less is what
/// cuts, welds and rounding leave.
const DEEP: f32 = 0.1;

/// A vertex, the element that it belongs to, and its number there.
#[derive(Clone, Copy)]
struct Vertex {
    id: u32,
    element: u32,
    corner: usize,
}

/// What is asked of a search, kept so that nothing is allocated.
#[derive(Debug, Default)]
pub(crate) struct Tangle {
    /// Vertices that have gone in, each with the body, in order.
    gone_in: Vec<[u32; 2]>,
    /// The pairs by which vertices go out, in the order of their bodies.
    ways_out: Vec<Found<4>>,
    /// Bodies of which one has a vertex in the other, in order.
    bodies: Vec<[u32; 2]>,
    /// Those that began so and have not come apart; in order.
    pub(crate) entangled: Vec<Entangled>,
    /// Those of the search before.
    before: Vec<[u32; 2]>,
    /// Vertices of two bodies that are in the other one.
    inside: Vec<u32>,
}

impl Tangle {
    /// Bodies that have not come apart since they began in each other: what a snapshot keeps.
    pub(crate) fn kept(&self) -> Vec<[u32; 2]> {
        self.entangled.iter().map(|pair| pair.bodies).collect()
    }

    /// Whether two bodies come apart as wholes.
    pub(crate) fn takes_apart(&self, bodies: [u32; 2]) -> bool {
        self.entangled.binary_search_by_key(&sorted(bodies), |pair| pair.bodies).is_ok()
    }

    /// Takes what a snapshot has kept, for the next search.
    pub(crate) fn restore(&mut self, bodies: Vec<[u32; 2]>) {
        self.entangled = bodies.into_iter().map(Entangled::known).collect();
    }

    /// Gives the pairs of solids the sides that they have by being solid.
    pub(crate) fn untangle(
        &mut self,
        view: &View<'_>,
        vertex_face: &mut Set<4>,
        edge_edge: &mut Set<4>,
    ) {
        self.before.clear();
        self.before.extend(self.entangled.drain(..).map(|pair| pair.bodies));
        self.let_out(view, vertex_face);
        self.find_ways_out(view, vertex_face);
        self.turn_edges(view, edge_edge);
        self.part(view, vertex_face, edge_edge);
        self.ways_out.iter().for_each(|&found| vertex_face.force(found));
    }

    /// Lets edges of solids be on the side on which their surfaces say they are, if they have changed
    /// it or are of bodies that are or were in each other.
    fn turn_edges(&self, view: &View<'_>, edge_edge: &mut Set<4>) {
        let Set { found, turned, .. } = edge_edge;
        let bodies = |found: &Found<4>| [0, 2].map(|k| view.body(found.ids[k]));
        for &number in &*turned {
            let found = &mut found[number as usize];
            if bodies(found).into_iter().all(|body| view.is_solid(body)) {
                found.side = view.outward(found).unwrap_or(found.side);
            }
        }
        let suspects = [&self.bodies, &self.before];
        if suspects.iter().all(|list| list.is_empty()) {
            return;
        }
        for found in found {
            let pair = sorted(bodies(found));
            if suspects.iter().any(|list| list.binary_search(&pair).is_ok()) {
                found.side = view.outward(found).unwrap_or(found.side);
            }
        }
    }

    /// Lets a vertex be outside a solid, whatever a face of it remembers: it may have gone in through
    /// one face and out through another. As long as another face of the same body says that it has
    /// gone in there, it goes back that way: what is thin is not passed.
    fn let_out(&mut self, view: &View<'_>, vertex_face: &mut Set<4>) {
        let Set { found, turned, .. } = vertex_face;
        let parties = |found: &Found<4>| [found.ids[0], view.body(found.ids[1])];
        let all = turned.iter().map(|&number| &found[number as usize]);
        self.gone_in.clear();
        self.gone_in.extend(all.filter(|found| found.side > 0.0).map(parties));
        self.gone_in.sort_unstable();
        for &number in &*turned {
            let found = &mut found[number as usize];
            let [vertex, body] = parties(found);
            let gone_in = || self.gone_in.binary_search(&[vertex, body]).is_ok();
            if found.side < 0.0 && view.is_solid(body) && !gone_in() {
                found.side = 1.0;
            }
        }
    }

    /// Finds the vertices that are in a solid, each with the nearest face, through which it goes out.
    fn find_ways_out(&mut self, view: &View<'_>, vertex_face: &Set<4>) {
        let Self { ways_out, bodies, before, .. } = self;
        ways_out.clear();
        let mut look = |vertex: Vertex, body: u32| ways_out.extend(view.way_out(vertex, body));
        let Set { found, turned, lost, .. } = vertex_face;
        if vertex_face.is_new() {
            view.each_vertex_in_a_box(&mut look);
        } else {
            let turned = turned.iter().map(|&number| found[number as usize].key);
            let suspects = lost.iter().copied().chain(turned).filter_map(|key| view.is_behind(key));
            suspects.for_each(|(vertex, body)| look(vertex, body));
            if !before.is_empty() {
                view.each_vertex_in_a_box(&mut |vertex, body| {
                    let pair = sorted([view.body(vertex.id), body]);
                    if before.binary_search(&pair).is_ok() {
                        look(vertex, body);
                    }
                });
            }
        }
        let pair = |found: &Found<4>| (view.pair(found), found.key);
        ways_out.sort_unstable_by_key(pair);
        ways_out.dedup_by_key(|found| pair(found));
        bodies.clear();
        bodies.extend(ways_out.iter().map(|found| view.pair(found)));
        bodies.dedup();
    }

    /// Lets solids come apart as wholes that began in each other: no pair of theirs is solved as long as
    /// a vertex is inside.
    fn part(&mut self, view: &View<'_>, vertex_face: &mut Set<4>, edge_edge: &mut Set<4>) {
        let Self { ways_out, bodies, entangled, before, inside, .. } = self;
        for &pair in bodies.iter().filter(|pair| pair.iter().all(|&body| view.is_whole(body))) {
            let own = ways_out.iter().filter(|found| view.pair(found) == pair);
            let depth = own.clone().map(|found| view.depth(found)).fold(0.0, f32::max);
            let began = vertex_face.is_new() && depth > DEEP * view.edge(pair[0]);
            if began || before.binary_search(&pair).is_ok() {
                inside.clear();
                inside.extend(own.clone().map(|found| found.ids[0]));
                inside.sort_unstable();
                let distance = own.map(|found| found.distance).fold(0.0, f32::max);
                entangled.push(Entangled::of(view, pair, (inside, depth + distance)));
            }
        }
        if entangled.is_empty() {
            return;
        }
        let apart = |pair| entangled.binary_search_by_key(&pair, |it| it.bodies).is_err();
        ways_out.retain(|found| apart(view.pair(found)));
        vertex_face.found.retain(|found| apart(view.pair(found)));
        edge_edge.found.retain(|found| apart(sorted([0, 2].map(|k| view.body(found.ids[k])))));
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl View<'_> {
    fn body(&self, particle: u32) -> u32 {
        self.particles.body[particle as usize]
    }

    fn is_solid(&self, body: u32) -> bool {
        self.elements.shapes[body as usize].is_some_and(|shape| shape.solid)
    }

    /// The bodies of a vertex and a face, in order.
    fn pair(&self, found: &Found<4>) -> [u32; 2] {
        sorted([0, 1].map(|k| self.body(found.ids[k])))
    }

    /// How far a vertex that is inside is from its face (m).
    fn depth(&self, found: &Found<4>) -> f32 {
        VertexFace::near_at(found.ids.map(|i| self.at(i))).d.length()
    }

    /// Whether a body is solid, and its surface has no hole.
    fn is_whole(&self, body: u32) -> bool {
        self.elements.shapes[body as usize].is_some_and(|shape| shape.whole)
    }

    /// The mean edge of a body (m).
    fn edge(&self, body: u32) -> f32 {
        self.elements.shapes[body as usize].map_or(0.0, |shape| shape.edge)
    }

    /// The patches of a body: they follow each other.
    pub(super) fn patches_of(&self, body: u32) -> std::ops::Range<usize> {
        let patches = &self.elements.patches;
        patches.partition_point(|patch| patch.body < body)
            ..patches.partition_point(|patch| patch.body <= body)
    }

    /// The box around the paths of a body.
    pub(super) fn bounds(&self, body: u32) -> Aabb {
        let boxes = self.patches_of(body).map(|patch| self.patch_boxes[patch]);
        boxes.fold(Aabb::EMPTY, Aabb::join)
    }

    /// The vertices of other bodies in the boxes around solids.
    fn each_vertex_in_a_box(&self, look: &mut impl FnMut(Vertex, u32)) {
        for body in (0..self.elements.shapes.len() as u32).filter(|&body| self.is_solid(body)) {
            let solid = self.bounds(body);
            for (number, patch) in self.elements.patches.iter().enumerate() {
                if patch.body == body || !self.patch_boxes[number].overlaps(&solid) {
                    continue;
                }
                let inside = |vertex: &Vertex| solid.distance_squared(self.at(vertex.id)) == 0.0;
                self.vertices(patch).filter(inside).for_each(|vertex| look(vertex, body));
            }
        }
    }

    fn vertices(&self, patch: &Patch) -> impl Iterator<Item = Vertex> + '_ {
        patch.range().flat_map(|element| {
            let own = self.elements.all[element].own_vertices();
            own.map(move |(corner, id)| Vertex { id, element: element as u32, corner })
        })
    }

    /// The key of the pairs of two elements.
    fn key(&self, pair: [u32; 2]) -> u64 {
        let patches = &self.elements.patches;
        let places = pair.map(|element| patches.partition_point(|it| it.range[1] <= element));
        let number = |k: usize| (pair[k] - patches[places[k]].range[0]) as usize;
        set::key(places.map(|patch| patch as u32), [number(0), number(1)])
    }

    /// The elements of a key, and which of their parts; a key that was read need not be right.
    fn parties(&self, key: u64) -> Option<([u32; 2], usize)> {
        let ([one, two], number) = set::parties(key);
        let element = |(patch, k): (usize, usize)| {
            let [start, end] = self.elements.patches.get(patch)?.range;
            Some(start + k as u32).filter(|&element| element < end)
        };
        Some(([element(one)?, element(two)?], number))
    }

    pub(super) fn at(&self, particle: u32) -> Vec3 {
        self.paths[particle as usize].from()
    }

    /// The vertex and the body of a pair with that key, if the body is solid and the vertex is behind
    /// the plane of the face.
    fn is_behind(&self, key: u64) -> Option<(Vertex, u32)> {
        let ([one, two], number) = self.parties(key)?;
        let (element, face, corner) =
            if number < 3 { (one, two, number) } else { (two, one, number - 3) };
        let face = &self.elements.all[face as usize];
        let id = *self.elements.all[element as usize].ids.get(corner)?;
        let [a, b, c] = face.ids.map(|i| self.at(i));
        let behind = (self.at(id) - a).dot((b - a).cross(c - a)) < 0.0;
        let suspect = (Vertex { id, element, corner }, face.body);
        (behind && self.is_solid(face.body)).then_some(suspect)
    }

    /// The face through which a vertex that is in a solid goes out, as a pair.
    fn way_out(&self, vertex: Vertex, body: u32) -> Option<Found<4>> {
        let x = self.at(vertex.id);
        // Of faces that are equally near, at an edge or a corner, the one that looks most at it
        // says whether it is inside.
        let (mut nearest, mut least, mut upright) = (None, f32::INFINITY, 0.0);
        for patch in self.patches_of(body) {
            if self.patch_boxes[patch].distance_squared(x) > least {
                continue;
            }
            for element in self.elements.patches[patch].range() {
                let face = &self.elements.all[element];
                if !face.is_face() {
                    continue;
                }
                let [a, b, c] = face.ids.map(|i| self.at(i));
                let near = VertexFace::near_at([x, a, b, c]);
                let away = vec3(near.d).dot(self.normals[element]);
                let distance = near.d.length_squared();
                let tie = distance <= least * (1.0 + TIE);
                if distance < least * (1.0 - TIE) || tie && away.abs() > f32::abs(upright) {
                    (nearest, least, upright) = (Some(element), distance, away);
                }
            }
        }
        let element = nearest.filter(|_| upright < 0.0)?;
        let first = vertex.element < element as u32;
        let pair = sorted([vertex.element, element as u32]);
        let meeting = self.meet(pair, self.key(pair))?;
        let [i, j, k] = self.elements.all[element].ids;
        let number = vertex.corner as u64 + if first { 0 } else { SWAPPED.start as u64 };
        let ids = [vertex.id, i, j, k];
        let bodies = pair.map(|i| self.elements.all[i as usize].body);
        let outside = (1.0, meeting.distance);
        Some(self.pair_up(bodies, ids, meeting.key | number, outside))
    }

    /// On which side the first edge is by the way that the surfaces look, if they tell.
    fn outward(&self, found: &Found<4>) -> Option<f32> {
        let near = EdgeEdge::near_at(found.ids.map(|i| self.at(i)));
        let across = vec3(near.across).normalize_or_zero();
        let ([one, two], _) = self.parties(found.key)?;
        let apart = across.dot(self.normals[two as usize] - self.normals[one as usize]);
        (apart.abs() > CLEAR).then_some(1.0f32.copysign(apart))
    }
}
