//! Cuts through solids: what is computed is parted, what is seen is opened, closed and bound anew.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, Vec3};

use super::blade::Blade;
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
use crate::skin::{Binding, Skin, barycentric, bind_to_nearest, distance_to_tet};
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
    tets.part_along(world, blade);
    if tets.cut.is_empty() {
        return Ok(None);
    }
    let opened = open(world, (id, body), blade, tets.near);
    let seen = seen(world, &tets, &opened, blade);
    tets.merge_hollow(world, &seen);
    if tets.cut.is_empty() {
        return Ok(None);
    }
    let range = body.triangles.start as usize..body.triangles.end as usize;
    let torn = tets.sever(&world.triangles[range], edit)?;
    let binder = TetBinder::of(world, &torn, blade);
    let skin = skin(&opened, |vertex| binder.bind(vertex));
    edit.set_surface(id, torn.triangles().to_vec(), skin);
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
        let binder = ParticleBinder::of(world, body, blade);
        let skin = skin(&opened, |vertex| binder.bind(vertex));
        edit.set_surface(id, torn.triangles().to_vec(), skin);
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
fn skin(opened: &Opened, bind: impl Fn(&Vertex) -> Binding) -> Option<Skin> {
    let Opened { faces, inner, vertices } = opened;
    let inner = if inner.contains(&true) { inner.clone() } else { Vec::new() };
    let bindings = vertices.iter().map(|vertex| bind(vertex).without_idle()).collect();
    (!faces.is_empty()).then(|| Skin { bindings, triangles: faces.clone(), inner })
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
fn seen(world: &World, tets: &Tets, opened: &Opened, blade: &Blade) -> BTreeMap<u32, u8> {
    let hollow =
        |tet: u32| tets.list[tet as usize].iter().any(|&i| world.particles.hollow[i as usize]);
    let mut found = BTreeMap::new();
    if !tets.cut.keys().any(|&tet| hollow(tet)) {
        return found;
    }
    for vertex in opened.vertices.iter().filter(|vertex| !vertex.fresh) {
        let own: Vec<u32> = vertex.binding.own().collect();
        for &tet in tets.around.particle(own[0]) {
            let corners = tets.list[tet as usize];
            if !tets.cut.contains_key(&tet) || !own.iter().all(|i| corners.contains(i)) {
                continue;
            }
            let x = |k: usize| world.particles.position(corners[k] as usize).as_dvec3();
            let beside = (0..4).filter(|&k| !blade.is_between(vertex.side, x(k)));
            *found.entry(tet).or_default() |= beside.fold(0, |bits, k| bits | 1 << k);
        }
    }
    found
}

/// Binds vertices to tetrahedra on their side of the blade.
struct TetBinder<'a> {
    world: &'a World,
    torn: &'a TornTets,
    blade: &'a Blade,
    /// The tetrahedra that are cut, and where they are.
    cut: Vec<u32>,
    tree: Bvh,
}

/// A copy of a tetrahedron: its corners on this side as bits, its particles before, and now.
type Choice = (u8, [u32; 4], [u32; 4]);

impl<'a> TetBinder<'a> {
    fn of(world: &'a World, torn: &'a TornTets, blade: &'a Blade) -> Self {
        let cut: Vec<u32> = torn.tets.cut.keys().copied().collect();
        let corners = |&tet: &u32| torn.tets.list[tet as usize];
        let at = |i: u32| world.particles.position(i as usize);
        let boxes: Vec<Aabb> = cut.iter().map(|tet| Aabb::of(corners(tet).map(at))).collect();
        Self { world, torn, blade, cut, tree: Bvh::new(&boxes) }
    }

    /// The particles of the cut tetrahedron that a new vertex is in, or nearest to.
    fn around(&self, vertex: &Vertex) -> Option<[u32; 4]> {
        let x = vertex.x.as_vec3();
        let corners = |item: u32| self.torn.tets.list[self.cut[item as usize] as usize];
        let far = |item: u32| distance_to_tet(x, corners(item).map(|i| self.at(i).as_vec3()));
        self.tree.nearest(x, far).map(|(item, _)| corners(item))
    }

    fn bind(&self, vertex: &Vertex) -> Binding {
        let found = if vertex.fresh { self.around(vertex) } else { None };
        let own: Vec<u32> =
            found.map_or_else(|| vertex.binding.own().collect(), |corners| corners.to_vec());
        if !vertex.fresh && !own.iter().any(|&i| self.torn.core.has(i)) {
            return vertex.binding;
        }
        let tets = &self.torn.tets;
        let has_all = |tet: &&u32| {
            let corners = tets.list[**tet as usize];
            own.iter().all(|i| corners.contains(i))
        };
        let exact = tets.around.particle(own[0]).iter().filter(has_all).copied();
        if let Some((_, before, now)) = self.best(vertex, exact) {
            if vertex.fresh {
                return self.inside(vertex, before, now).unwrap_or(whole(now[0]));
            }
            // The same weights, on the nodes of its side.
            let place = |i: u32| before.iter().position(|&corner| corner == i);
            return vertex.binding.renamed(|i| place(i).map_or(i, |k| now[k]));
        }
        let mut near: Vec<u32> =
            own.iter().flat_map(|&i| tets.around.particle(i)).copied().collect();
        near.sort_unstable();
        near.dedup();
        let found = self.best(vertex, near.into_iter());
        let bound = found.and_then(|(_, before, now)| self.inside(vertex, before, now));
        // Nothing on its side is near: it stays with the nearest particle.
        bound.unwrap_or_else(|| if vertex.fresh { whole(own[0]) } else { vertex.binding })
    }

    /// The copy on the side of a vertex that it is deepest inside of, or least outside.
    fn best(&self, vertex: &Vertex, tets: impl Iterator<Item = u32>) -> Option<Choice> {
        let mut found: Option<(f32, Choice)> = None;
        for tet in tets {
            let before = self.torn.tets.list[tet as usize];
            let depth = barycentric(vertex.x.as_vec3(), before.map(|i| self.at(i).as_vec3()))
                .map_or(f32::MIN, |weights| weights.into_iter().fold(f32::MAX, f32::min));
            for (corners, now) in self.torn.copies(tet) {
                let is_ours = (0..4).any(|k| {
                    corners >> k & 1 == 1 && !self.blade.is_between(vertex.side, self.at(before[k]))
                });
                if is_ours && found.is_none_or(|(best, _)| depth > best) {
                    found = Some((depth, (corners, before, now)));
                }
            }
        }
        found.map(|(_, choice)| choice)
    }

    fn inside(&self, vertex: &Vertex, before: [u32; 4], now: [u32; 4]) -> Option<Binding> {
        let corners = before.map(|i| self.at(i).as_vec3());
        let weights = barycentric(vertex.x.as_vec3(), corners)?;
        Some(Binding { particles: now, weights, lift: 0.0 })
    }

    fn at(&self, i: u32) -> DVec3 {
        self.world.particles.position(i as usize).as_dvec3()
    }
}

/// Binds vertices to particles on their side of the blade.
struct ParticleBinder<'a> {
    blade: &'a Blade,
    /// Where the body's particles are (m), and its first.
    x: Vec<Vec3>,
    first: u32,
    tree: Bvh,
}

impl<'a> ParticleBinder<'a> {
    fn of(world: &World, body: &Body, blade: &'a Blade) -> Self {
        let rows = world.particles.xw[body.range()].iter();
        let x: Vec<Vec3> = rows.map(|row| row.truncate()).collect();
        let boxes: Vec<Aabb> = x.iter().map(|&x| Aabb::of([x])).collect();
        Self { blade, x, first: body.particles.start, tree: Bvh::new(&boxes) }
    }

    /// To three of them; to those that it is bound to if all are on its side. Where too few are, the
    /// blade has parted nothing, and any will do.
    fn bind(&self, vertex: &Vertex) -> Binding {
        let at = |i: u32| self.x[i as usize];
        let is_ours = |i: u32| !self.blade.is_between(vertex.side, at(i).as_dvec3());
        let own: Vec<u32> = vertex.binding.own().collect();
        if !vertex.fresh && own.iter().all(|&i| is_ours(i - self.first)) {
            return vertex.binding;
        }
        let x = vertex.x.as_vec3();
        let bound = bind_to_nearest(x, &self.x, &self.tree, is_ours);
        let bound = bound.or_else(|| bind_to_nearest(x, &self.x, &self.tree, |_| true));
        bound.map_or(vertex.binding, |bound| bound.renamed(|i| self.first + i))
    }
}
