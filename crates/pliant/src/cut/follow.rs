//! What is seen follows one piece: a visible surface that hangs together is not bound to two.
//!
//! A blade that ends inside a body parts what is seen and what is computed each by its own geometry.
//! Where they disagree, as after many cuts through one cell, vertices are bound anew to the piece that
//! most of their surface is bound to. If a good part of it is bound to another, as after a crack that
//! took many steps, the surface is parted between them and closed on both sides.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::opened::{Opened, Vertex};
use super::sheet::{Sheet, whole};
use crate::body::BodyId;
use crate::mesh::bvh::{Aabb, Bvh};
use crate::mesh::joined::Joined;
use crate::skin::{Binding, Skin, bind_to_nearest, bind_to_three, nearest};

/// Least share of what a surface is bound to, of a piece that gets a surface of its own.
const PARTED: f64 = 0.1;

/// Binds every surface that hangs together to one piece; of a `solid`, parts those that several have a
/// good share of. `pieces` has the particles of each, `at` is where they are (m). Returns the pieces of which
/// something is seen.
pub(super) fn follow(
    skin: &mut Skin,
    solid: Option<BodyId>,
    pieces: &BTreeMap<u32, Vec<u32>>,
    at: impl Fn(u32) -> Vec3,
) -> BTreeSet<u32> {
    let count = pieces.values().flatten().max().map_or(0, |&last| last as usize + 1);
    let mut piece_of = vec![0; count];
    for (&piece, names) in pieces {
        names.iter().for_each(|&name| piece_of[name as usize] = piece);
    }
    let piece_of = |name: u32| piece_of[name as usize];
    if let Some(seen) = already_follow(skin, piece_of) {
        return seen;
    }
    let mut vertices = vertices(skin, &at);
    if let Some(id) = solid
        && let Some(severed) = borders(skin, piece_of, |piece| has_shape(&pieces[&piece], &at))
    {
        let sheet = Sheet::of_skin(id, skin, vertices.iter().map(|vertex| vertex.x), severed);
        let opened = Opened::of(&sheet, &skin.inner, sheet.x.len());
        (skin.triangles, skin.inner, vertices) = (opened.faces, opened.inner, opened.vertices);
        skin.bindings = vertices.iter().map(|vertex| vertex.binding).collect();
    }
    let surfaces = surfaces(skin);
    let chosen: BTreeMap<u32, u32> = votes(&surfaces, skin, piece_of)
        .iter()
        .map(|(&surface, votes)| (surface, most(votes)))
        .collect();
    let mut binders: BTreeMap<u32, Binder<'_>> = BTreeMap::new();
    for ((surface, binding), vertex) in surfaces.iter().zip(&mut skin.bindings).zip(&vertices) {
        let piece = chosen[surface];
        if vertex.fresh || !binding.own().all(|name| piece_of(name) == piece) {
            let binder = binders.entry(piece).or_insert_with(|| Binder::of(&pieces[&piece], &at));
            *binding = binder.bind(vertex.x.as_vec3());
        }
    }
    chosen.into_values().collect()
}

/// The pieces that surfaces follow, if each follows one; most often they do.
fn already_follow(skin: &Skin, piece_of: impl Fn(u32) -> u32) -> Option<BTreeSet<u32>> {
    let mut piece_of_surface = vec![None; skin.bindings.len()];
    for (surface, binding) in surfaces(skin).into_iter().zip(&skin.bindings) {
        for piece in binding.own().map(&piece_of) {
            if *piece_of_surface[surface as usize].get_or_insert(piece) != piece {
                return None;
            }
        }
    }
    Some(piece_of_surface.into_iter().flatten().collect())
}

/// The vertices of a skin, where they are.
fn vertices(skin: &Skin, at: &impl Fn(u32) -> Vec3) -> Vec<Vertex> {
    let vertex = |(origin, binding): (u32, &Binding)| {
        let rows = binding.particles.map(|i| at(i).extend(1.0));
        let local = Binding { particles: [0, 1, 2, 3], ..*binding };
        let x = local.evaluate(&rows).as_dvec3();
        Vertex { x, side: x, binding: *binding, fresh: false, origin, shared: false }
    };
    (0..).zip(&skin.bindings).map(vertex).collect()
}

/// How many particles of each piece every surface is bound to.
fn votes(
    surfaces: &[u32],
    skin: &Skin,
    piece_of: impl Fn(u32) -> u32,
) -> BTreeMap<u32, BTreeMap<u32, u32>> {
    let mut votes: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for (surface, binding) in surfaces.iter().zip(&skin.bindings) {
        let votes = votes.entry(*surface).or_default();
        for name in binding.own() {
            *votes.entry(piece_of(name)).or_default() += 1;
        }
    }
    votes
}

/// Of the pieces that most are bound to, the first.
fn most(votes: &BTreeMap<u32, u32>) -> u32 {
    let found = votes.iter().rev().max_by_key(|(_, count)| **count);
    found.map_or(0, |(&piece, _)| piece)
}

/// Whether particles are not in a line, so that a surface can follow them.
fn has_shape(names: &[u32], at: impl Fn(u32) -> Vec3) -> bool {
    bind_to_three(at(names[0]), names, at).is_some()
}

/// The sides between triangles of different pieces, the lower end first, of surfaces that several pieces
/// that a surface can follow have a good share of; `None` if there are none.
fn borders(
    skin: &Skin,
    piece_of: impl Fn(u32) -> u32,
    can_follow: impl Fn(u32) -> bool,
) -> Option<BTreeSet<[u32; 2]>> {
    let surfaces = surfaces(skin);
    let mut large: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut main: BTreeMap<u32, u32> = BTreeMap::new();
    for (surface, votes) in votes(&surfaces, skin, &piece_of) {
        let all: u32 = votes.values().sum();
        let is_large = |count: u32| f64::from(count) >= PARTED * f64::from(all);
        let pieces = votes.iter().filter(|(_, count)| is_large(**count)).map(|(&piece, _)| piece);
        main.insert(surface, most(&votes));
        large.insert(surface, pieces.filter(|&piece| can_follow(piece)).collect());
    }
    if large.values().all(|pieces| pieces.len() < 2) {
        return None;
    }
    let piece = |&[a, b, c]: &[u32; 3]| {
        let surface = surfaces[a as usize];
        let mut own: BTreeMap<u32, u32> = BTreeMap::new();
        for name in [a, b, c].iter().flat_map(|&v| skin.bindings[v as usize].own()) {
            *own.entry(piece_of(name)).or_default() += 1;
        }
        let piece = most(&own);
        if large[&surface].contains(&piece) { piece } else { main[&surface] }
    };
    let mut owners: Vec<u32> = skin.triangles.iter().map(piece).collect();
    loop {
        let severed = between(&skin.triangles, &owners);
        let pinched = pinched(&severed);
        if pinched.is_empty() {
            return (!severed.is_empty()).then_some(severed);
        }
        // Two rims that touch would be closed as one on one side, as two on the other.
        for (corners, owner) in skin.triangles.iter().zip(&mut owners) {
            if corners.iter().any(|corner| pinched.contains(corner)) {
                *owner = main[&surfaces[corners[0] as usize]];
            }
        }
    }
}

/// The sides between triangles of different owners, the lower end first.
fn between(triangles: &[[u32; 3]], owners: &[u32]) -> BTreeSet<[u32; 2]> {
    let own = |(&[a, b, c], &owner): (&[u32; 3], &u32)| {
        [[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], owner))
    };
    let mut sides: Vec<([u32; 2], u32)> = triangles.iter().zip(owners).flat_map(own).collect();
    sides.sort_unstable();
    let pairs = sides.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
    pairs.map(|pair| pair[0].0).collect()
}

/// The vertices at which more than two of some sides end.
fn pinched(sides: &BTreeSet<[u32; 2]>) -> BTreeSet<u32> {
    let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
    sides.iter().flatten().for_each(|&end| *ends.entry(end).or_default() += 1);
    ends.into_iter().filter(|(_, count)| *count > 2).map(|(end, _)| end).collect()
}

/// The lowest vertex that each hangs together with.
fn surfaces(skin: &Skin) -> Vec<u32> {
    let mut joined = Joined::of(skin.bindings.len(), &skin.triangles);
    (0..skin.bindings.len() as u32).map(|vertex| joined.root(vertex)).collect()
}

/// Binds points to particles of one piece.
struct Binder<'a> {
    names: &'a [u32],
    x: Vec<Vec3>,
    tree: Bvh,
}

impl<'a> Binder<'a> {
    fn of(names: &'a [u32], at: impl Fn(u32) -> Vec3) -> Self {
        let x: Vec<Vec3> = names.iter().map(|&name| at(name)).collect();
        let boxes: Vec<Aabb> = x.iter().map(|&x| Aabb::of([x])).collect();
        Self { names, x, tree: Bvh::new(&boxes) }
    }

    fn bind(&self, x: Vec3) -> Binding {
        let bound = bind_to_nearest(x, &self.x, &self.tree, |_| true);
        let bound = bound.unwrap_or_else(|| {
            let near = nearest(x, &self.x, &self.tree, |_| true);
            whole(near.first().copied().unwrap_or(0))
        });
        bound.renamed(|i| self.names[i as usize])
    }
}
