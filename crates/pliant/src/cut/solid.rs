//! Cuts through solids: what is computed is parted, what is seen is opened, closed and bound anew.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, Vec3};

use super::blade::{Blade, Sided};
use super::carry::Torn;
use super::links::{Crossing, TornLinks};
use super::opened::{Opened, Vertex};
use super::parts::Met;
use super::sheet::{ON, Sheet, whole};
use super::tets::{Tets, TornTets};
use crate::body::{Body, BodyId};
use crate::edit::Edit;
use crate::error::WorldError;
use crate::mesh::bvh::{Aabb, Bvh};
use crate::mesh::sides;
use crate::skin::{Binding, Skin, barycentric, bind_to_nearest, bind_to_three, distance_to_tet};
use crate::world::World;

/// Cuts a body of tetrahedra. `None` if the blade parts none of them.
///
/// # Errors
/// If a particle cannot be split, which would be a bug.
pub(super) fn cut_tets(
    world: &World,
    id: BodyId,
    blade: &Blade,
    edit: &mut Edit,
) -> Result<Option<Box<dyn Torn>>, WorldError> {
    let body = world.body(id)?;
    let Some(mut tets) = Tets::of(world, body) else { return Ok(None) };
    let points = Points::of(world, body, blade);
    tets.part_along(&points, blade);
    if tets.cut.is_empty() {
        return Ok(None);
    }
    let opened = open(world, (id, body), blade, tets.near);
    let seen = seen(world, &tets, &opened, (&points, blade));
    tets.merge_hollow(world, &seen);
    if !tets.are_parted() {
        return Ok(None);
    }
    let range = body.triangles.start as usize..body.triangles.end as usize;
    let (torn, triangles) = tets.sever(&world.triangles[range], edit)?;
    let binder = TetBinder::of(&points, &torn, blade);
    let skin = skin(opened, |vertex| binder.bind(vertex));
    edit.set_surface(id, triangles, skin);
    Ok(Some(Box::new(torn)))
}

/// Cuts bodies of links or matched particles: what the blade crosses goes.
///
/// # Errors
/// If something is changed twice, which would be a bug.
pub(super) fn cut_links(
    world: &World,
    linked: &[BodyId],
    blade: &Blade,
    (edit, met): (&mut Edit, &mut Met),
) -> Result<(), WorldError> {
    if linked.is_empty() {
        return Ok(());
    }
    let crossing = Crossing::of(world, linked, blade);
    let crossed = cross_links(&crossing, linked, edit)?;
    for &id in linked {
        let body = world.body(id)?;
        let torn = TornLinks::of(body, &crossing);
        if !crossed.contains(&id.index) && !torn.is_met() {
            continue;
        }
        let range = body.triangles.start as usize..body.triangles.end as usize;
        let near = ON * mean_side(world, &world.triangles[range]);
        let opened = open(world, (id, body), blade, near);
        let binder = ParticleBinder::of(&crossing, body, blade);
        let skin = skin(opened, |vertex| binder.bind(vertex));
        edit.set_surface(id, torn.triangles.clone(), skin);
        met.torn.insert(id.index, Box::new(torn));
        met.bodies.push(id);
    }
    met.bodies.sort_unstable();
    Ok(())
}

/// Takes out the constraints of bodies that a blade crosses. Returns the slots of those that had some.
fn cross_links(
    crossing: &Crossing<'_>,
    linked: &[BodyId],
    edit: &mut Edit,
) -> Result<BTreeSet<u32>, WorldError> {
    let world = crossing.world;
    let slots: BTreeSet<u32> = linked.iter().map(|id| id.index).collect();
    let mut cut = BTreeSet::new();
    for set in &world.sets {
        for number in 0..set.len() {
            let ids = set.particles(number);
            let body = world.particles.body[ids[0] as usize];
            let crossed = |pair: &[u32]| crossing.parts(pair[0], pair[1]);
            if slots.contains(&body) && ids.windows(2).any(crossed) {
                edit.take(set.kind().name, number as u32)?;
                cut.insert(body);
            }
        }
    }
    Ok(cut)
}

/// What is seen of a body, split along a blade, opened and closed.
fn open(world: &World, (id, body): (BodyId, &Body), blade: &Blade, near: f64) -> Opened {
    let mut sheet = Sheet::of_solid(world, id, body, near);
    let old = sheet.x.len();
    sheet.split_along(blade);
    let inner = body.skin.as_ref().map_or(&[][..], |skin| &skin.inner);
    Opened::of(&sheet, inner, old)
}

/// The skin of an opened surface, each vertex bound by `bind`.
fn skin(opened: Opened, bind: impl Fn(&Vertex) -> Binding) -> Option<Skin> {
    let Opened { faces, inner, vertices } = opened;
    let inner = if inner.contains(&true) { inner } else { Vec::new() };
    let bindings = vertices.iter().map(|vertex| bind(vertex).without_idle()).collect();
    (!faces.is_empty()).then_some(Skin { bindings, triangles: faces, inner })
}

/// The mean length of the sides of triangles (m).
fn mean_side(world: &World, triangles: &[[u32; 3]]) -> f64 {
    let sides = sides(triangles);
    let length = |&[a, b]: &[u32; 2]| {
        let [a, b] = [a, b].map(|i| world.particles.position(i as usize).as_dvec3());
        a.distance(b)
    };
    sides.iter().map(length).sum::<f64>() / sides.len().max(1) as f64
}

/// Beside which corners of cut tetrahedra something is seen, as bits; of those that have been cut
/// before, since the others are full.
fn seen(
    world: &World,
    tets: &Tets,
    opened: &Opened,
    (points, blade): (&Points, &Blade),
) -> BTreeMap<u32, u8> {
    let is_hollow =
        |tet: &u32| tets.list[*tet as usize].iter().any(|&i| world.particles.hollow[i as usize]);
    let hollow: Vec<u32> = tets.cut.keys().copied().filter(is_hollow).collect();
    let mut found = BTreeMap::new();
    if hollow.is_empty() {
        return found;
    }
    let place = |tet: u32| tets.list[tet as usize].map(|i| points.at(i).x.as_vec3());
    let boxes: Vec<Aabb> = hollow.iter().map(|&tet| Aabb::of(place(tet))).collect();
    let tree = Bvh::new(&boxes);
    let mut see = |tet: u32, side: &Sided| {
        let corners = tets.list[tet as usize];
        let beside = (0..4).filter(|&k: &usize| !blade.parts(side, points.at(corners[k])));
        *found.entry(tet).or_default() |= beside.fold(0, |bits, k| bits | 1 << k);
    };
    // What lies on the blade is seen on neither side of it.
    let on = |x: DVec3| blade.facets.iter().any(|facet| facet.has(x, tets.near));
    for vertex in opened.vertices.iter().filter(|vertex| !on(vertex.side)) {
        let side = blade.sided(vertex.side);
        if vertex.fresh {
            let x = vertex.x.as_vec3();
            tree.visit_box(&Aabb::of([x]), &mut |item| {
                let tet = hollow[item as usize];
                if depth(x, place(tet)) > INSIDE {
                    see(tet, &side);
                }
            });
            continue;
        }
        let own: Vec<u32> = vertex.binding.own().collect();
        for &tet in tets.around.particle(own[0]) {
            let corners = tets.list[tet as usize];
            if tets.is_cut(tet) && own.iter().all(|i| corners.contains(i)) {
                see(tet, &side);
            }
        }
    }
    found
}

/// Where the particles of a body are, and on which side of the blade.
pub(super) struct Points {
    first: u32,
    all: Vec<Sided>,
}

impl Points {
    fn of(world: &World, body: &Body, blade: &Blade) -> Self {
        let rows = world.particles.xw[body.range()].iter();
        let all = rows.map(|row| blade.sided(row.truncate().as_dvec3())).collect();
        Self { first: body.particles.start, all }
    }

    /// A particle of the body.
    pub(super) fn at(&self, i: u32) -> &Sided {
        &self.all[(i - self.first) as usize]
    }
}

/// Binds vertices to tetrahedra on their side of the blade.
struct TetBinder<'a> {
    points: &'a Points,
    torn: &'a TornTets,
    blade: &'a Blade,
    /// The tetrahedra that are cut, and where they are.
    cut: Vec<u32>,
    tree: Bvh,
}

/// A copy of a tetrahedron: its particles before, and now.
type Choice = ([u32; 4], [u32; 4]);

/// Least weight of a corner for which a point still counts as inside: rounding must not make it search
/// all around.
const INSIDE: f32 = -1e-4;

/// Largest weight of a corner. That of a point beside a tetrahedron that was squashed flat is in the
/// thousands, and as soon as something moves, the point would be far away.
const LARGEST: f32 = 10.0;

fn largest_weight(binding: &Binding) -> f32 {
    binding.weights.iter().fold(0.0, |most, weight| weight.abs().max(most))
}

impl<'a> TetBinder<'a> {
    fn of(points: &'a Points, torn: &'a TornTets, blade: &'a Blade) -> Self {
        let cut: Vec<u32> = torn.tets.cut.keys().copied().collect();
        let corners = |&tet: &u32| torn.tets.list[tet as usize];
        let at = |i: u32| points.at(i).x.as_vec3();
        let boxes: Vec<Aabb> = cut.iter().map(|tet| Aabb::of(corners(tet).map(at))).collect();
        Self { points, torn, blade, cut, tree: Bvh::new(&boxes) }
    }

    fn bind(&self, vertex: &Vertex) -> Binding {
        let side = self.blade.sided(vertex.side);
        if vertex.fresh { self.bind_new(vertex, &side) } else { self.bind_old(vertex, &side) }
    }

    /// A vertex that the cut made, to the tetrahedron that it is in or nearest to.
    fn bind_new(&self, vertex: &Vertex, side: &Sided) -> Binding {
        let x = vertex.x.as_vec3();
        let Some(tet) = self.around(x) else { return vertex.binding };
        let own = self.torn.tets.list[tet as usize];
        // Where nothing on its side is near, it stays in its place with what is.
        let far = || self.deepest(x, side, self.cut.iter().copied());
        let any = || self.torn.copies(tet).next().map(|(_, now)| (own, now));
        let found = self.ours(tet, side).or_else(|| self.best(x, side, &own));
        let found = found.or_else(far).or_else(any);
        found.and_then(|choice| self.inside(x, choice)).unwrap_or(whole(own[0]))
    }

    /// A vertex that there was: it keeps its weights, on the nodes of its side.
    fn bind_old(&self, vertex: &Vertex, side: &Sided) -> Binding {
        let own: Vec<u32> = vertex.binding.own().collect();
        if !own.iter().any(|&i| self.torn.tets.core.has(i)) {
            return vertex.binding;
        }
        let x = vertex.x.as_vec3();
        if let Some((before, now)) = self.deepest(x, side, self.torn.with(&own)) {
            let place = |i: u32| before.iter().position(|&corner| corner == i);
            return vertex.binding.renamed(|i| place(i).map_or(i, |k| now[k]));
        }
        // Nothing on its side is near: it stays with its particles.
        let found = self.best(x, side, &own);
        found.and_then(|choice| self.inside(x, choice)).unwrap_or(vertex.binding)
    }

    /// The cut tetrahedron that a point is deepest inside of, or nearest to.
    fn around(&self, x: Vec3) -> Option<u32> {
        let corners =
            |item: u32| self.corners(self.torn.tets.list[self.cut[item as usize] as usize]);
        let mut deepest = (INSIDE, None);
        self.tree.visit_box(&Aabb::of([x]), &mut |item| {
            let depth = depth(x, corners(item));
            // The order of the tree must not decide.
            if depth > deepest.0 || depth == deepest.0 && deepest.1.is_some_and(|best| item < best)
            {
                deepest = (depth, Some(item));
            }
        });
        let nearest =
            || self.tree.nearest(x, |item| distance_to_tet(x, corners(item))).map(|(item, _)| item);
        deepest.1.or_else(nearest).map(|item| self.cut[item as usize])
    }

    /// The copy on the side of a vertex, among the tetrahedra of some particles, that it is deepest
    /// inside of.
    fn best(&self, x: Vec3, side: &Sided, particles: &[u32]) -> Option<Choice> {
        let around = |&i: &u32| self.torn.tets.around.particle(i);
        let mut near: Vec<u32> = particles.iter().flat_map(around).copied().collect();
        near.sort_unstable();
        near.dedup();
        self.deepest(x, side, near.into_iter())
    }

    /// The copy on the side of a vertex that it is deepest inside of, or least outside.
    fn deepest(&self, x: Vec3, side: &Sided, tets: impl Iterator<Item = u32>) -> Option<Choice> {
        let mut found: Option<(f32, Choice)> = None;
        for tet in tets {
            let depth = depth(x, self.corners(self.torn.tets.list[tet as usize]));
            if found.is_none_or(|(best, _)| depth > best)
                && let Some(choice) = self.ours(tet, side)
            {
                found = Some((depth, choice));
            }
        }
        found.map(|(_, choice)| choice)
    }

    /// The copy of a tetrahedron that is on the side of a vertex, if one is.
    fn ours(&self, tet: u32, side: &Sided) -> Option<Choice> {
        let before = self.torn.tets.list[tet as usize];
        let is_ours = |corners: u8| {
            let mut own = (0..4).filter(|k| corners >> k & 1 == 1);
            own.any(|k: usize| !self.blade.parts(side, self.points.at(before[k])))
        };
        let mut copies = self.torn.copies(tet);
        copies.find(|(corners, _)| is_ours(*corners)).map(|(_, now)| (before, now))
    }

    /// Binds a point to the corners of a tetrahedron; to three of them, with its height above them, if
    /// the tetrahedron is flat.
    fn inside(&self, x: Vec3, (before, now): Choice) -> Option<Binding> {
        let corners = self.corners(before);
        let weights = barycentric(x, corners);
        let in_all = weights.map(|weights| Binding { particles: now, weights, lift: 0.0 });
        if let Some(bound) = in_all.filter(|bound| largest_weight(bound) <= LARGEST) {
            return Some(bound);
        }
        let far = |k: u32| corners[k as usize].distance_squared(x);
        let mut near = [0, 1, 2, 3];
        near.sort_by(|&k, &l| far(k).total_cmp(&far(l)));
        let in_three = bind_to_three(x, &near, |k| corners[k as usize]);
        let in_three = in_three.map(|bound| bound.renamed(|k| now[k as usize]));
        let both = [in_three, in_all].into_iter().flatten();
        both.min_by(|a, b| largest_weight(a).total_cmp(&largest_weight(b)))
    }

    fn corners(&self, tet: [u32; 4]) -> [Vec3; 4] {
        tet.map(|i| self.points.at(i).x.as_vec3())
    }
}

/// The least weight of a corner for a point: negative outside.
fn depth(x: Vec3, tet: [Vec3; 4]) -> f32 {
    let weights = barycentric(x, tet);
    weights.map_or(f32::MIN, |weights| weights.into_iter().fold(f32::MAX, f32::min))
}

/// Binds vertices to particles on their side of the blade.
struct ParticleBinder<'a> {
    crossing: &'a Crossing<'a>,
    blade: &'a Blade,
    /// Where the body's particles are (m), and its first.
    x: Vec<Vec3>,
    first: u32,
    tree: Bvh,
}

impl<'a> ParticleBinder<'a> {
    fn of(crossing: &'a Crossing<'a>, body: &Body, blade: &'a Blade) -> Self {
        let rows = crossing.world.particles.xw[body.range()].iter();
        let x: Vec<Vec3> = rows.map(|row| row.truncate()).collect();
        let boxes: Vec<Aabb> = x.iter().map(|&x| Aabb::of([x])).collect();
        Self { crossing, blade, x, first: body.particles.start, tree: Bvh::new(&boxes) }
    }

    /// To three of them; to those that it is bound to if all are on its side. Where too few are, the
    /// blade has parted nothing, and any will do.
    fn bind(&self, vertex: &Vertex) -> Binding {
        let side = self.blade.sided(vertex.side);
        let is_ours = |i: u32| !self.blade.parts(&side, self.crossing.point(self.first + i));
        if !vertex.fresh && vertex.binding.own().all(|i| is_ours(i - self.first)) {
            return vertex.binding;
        }
        let x = vertex.x.as_vec3();
        let bound = bind_to_nearest(x, &self.x, &self.tree, is_ours);
        let bound = bound.or_else(|| bind_to_nearest(x, &self.x, &self.tree, |_| true));
        bound.map_or(vertex.binding, |bound| bound.renamed(|i| self.first + i))
    }
}
