//! What is seen follows one piece: a visible surface that hangs together is not bound to two.
//!
//! A blade that ends inside a body parts what is seen and what is computed each by its own geometry.
//! Where they disagree, as after many cuts through one cell, vertices are bound anew to the piece that
//! most of their surface is bound to.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::joined::Joined;
use super::sheet::whole;
use crate::mesh::bvh::{Aabb, Bvh};
use crate::skin::{Binding, Skin, bind_to_nearest, nearest};

/// Binds every surface that hangs together to one piece. `pieces` has the particles of each, `at` is
/// where they are (m). Returns the pieces of which something is seen.
pub(super) fn follow(
    skin: &mut Skin,
    pieces: &BTreeMap<u32, Vec<u32>>,
    at: impl Fn(u32) -> Vec3,
) -> BTreeSet<u32> {
    let mut piece_of: BTreeMap<u32, u32> = BTreeMap::new();
    for (&piece, names) in pieces {
        piece_of.extend(names.iter().map(|&name| (name, piece)));
    }
    let surfaces = surfaces(skin);
    let mut votes: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for (surface, binding) in surfaces.iter().zip(&skin.bindings) {
        for name in binding.own() {
            *votes.entry(*surface).or_default().entry(piece_of[&name]).or_default() += 1;
        }
    }
    // Of those that most are bound to, the first.
    let most = |votes: &BTreeMap<u32, u32>| {
        let found = votes.iter().rev().max_by_key(|(_, count)| **count);
        found.map_or(0, |(&piece, _)| piece)
    };
    let chosen: BTreeMap<u32, u32> =
        votes.iter().map(|(&surface, votes)| (surface, most(votes))).collect();
    let mut binders: BTreeMap<u32, Binder<'_>> = BTreeMap::new();
    for (surface, binding) in surfaces.iter().zip(&mut skin.bindings) {
        let piece = chosen[surface];
        if binding.own().all(|name| piece_of[&name] == piece) {
            continue;
        }
        let [a, b, c, d] = binding.particles.map(|i| at(i).extend(1.0));
        let local = Binding { particles: [0, 1, 2, 3], ..*binding };
        let x = local.evaluate(&[a, b, c, d]);
        let binder = binders.entry(piece).or_insert_with(|| Binder::of(&pieces[&piece], &at));
        *binding = binder.bind(x);
    }
    chosen.into_values().collect()
}

/// The lowest vertex that each hangs together with.
fn surfaces(skin: &Skin) -> Vec<u32> {
    let mut joined = Joined::new(skin.bindings.len());
    for &[a, b, c] in &skin.triangles {
        joined.join(a, b);
        joined.join(b, c);
    }
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
