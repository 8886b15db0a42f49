//! What is seen of welded bodies, and their triangles.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::Seam;
use crate::body::BodyId;
use crate::edit::Edit;
use crate::error::WorldError;
use crate::mesh::boundary;
use crate::mesh::bvh::{Aabb, Bvh};
use crate::mesh::joined::Joined;
use crate::skin::{Binding, Skin};
use crate::world::World;

/// Visible vertices nearer than this coincide, in mean lengths of a side.
const SAME: f32 = 1e-2;

/// Joins the triangles and the skins of bodies that become one.
pub(super) fn join(
    world: &World,
    seam: &Seam,
    bodies: &[BodyId],
    edit: &mut Edit,
) -> Result<(), WorldError> {
    for &kept in bodies {
        let gone = seam.bodies.iter().filter(|(_, into)| **into == kept).map(|(&id, _)| id);
        let all: Vec<BodyId> = std::iter::once(kept).chain(gone).collect();
        let solid = world.is_visible_solid(kept)?;
        let (mut triangles, mut tets) = (Vec::new(), Vec::new());
        for &id in &all {
            let renamed = |corners: &[u32; 4]| corners.map(|i| seam.name(i));
            tets.extend(world.tetrahedra(id)?.iter().map(renamed));
            let range = world.body(id)?.triangles.clone();
            let range = range.start as usize..range.end as usize;
            let renamed = |corners: &[u32; 3]| corners.map(|i| seam.name(i));
            triangles.extend(world.triangles[range].iter().map(renamed));
        }
        let is_inner = vec![false; triangles.len()];
        let (mut triangles, _) = without_doubles(&triangles, &is_inner, solid);
        if !tets.is_empty() {
            triangles = outside(tets);
        }
        let skin = seen(world, seam, (&all, &triangles), solid)?;
        edit.set_surface(kept, triangles, skin);
    }
    Ok(())
}

/// The surface of tetrahedra, of which each counts once.
fn outside(mut tets: Vec<[u32; 4]>) -> Vec<[u32; 3]> {
    let key = |tet: &[u32; 4]| {
        let mut key = *tet;
        key.sort_unstable();
        key
    };
    tets.retain(|tet| key(tet).windows(2).all(|pair| pair[0] != pair[1]));
    tets.sort_by_key(|tet| (key(tet), *tet));
    tets.dedup_by_key(|tet| key(tet));
    boundary(&tets)
}

/// Triangles each once; of solids, without those that have another against them: both are inside.
fn without_doubles(
    triangles: &[[u32; 3]],
    inner: &[bool],
    solid: bool,
) -> (Vec<[u32; 3]>, Vec<bool>) {
    let first = |[a, b, c]: [u32; 3]| match a.min(b).min(c) {
        least if least == a => [a, b, c],
        least if least == b => [b, c, a],
        _ => [c, a, b],
    };
    let whole = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    let known: BTreeSet<[u32; 3]> =
        triangles.iter().filter(|t| whole(t)).map(|t| first(*t)).collect();
    let mut seen = BTreeSet::new();
    let kept = triangles.iter().zip(inner).filter(|(corners, _)| {
        let [a, b, c] = first(**corners);
        whole(corners) && !(solid && known.contains(&[a, c, b])) && seen.insert([a, b, c])
    });
    kept.map(|(corners, inner)| (*corners, *inner)).unzip()
}

/// The skin of bodies together, its particles named as in the edit; vertices that coincide at the seam
/// are one, if what is seen stays a surface.
fn seen(
    world: &World,
    seam: &Seam,
    (bodies, triangles): (&[BodyId], &[[u32; 3]]),
    solid: bool,
) -> Result<Option<Skin>, WorldError> {
    let mut skin = Skin::default();
    let mut any = false;
    for &id in bodies {
        let body = world.body(id)?;
        let first = body.particles.start;
        any |= body.skin.is_some();
        let own = match &body.skin {
            Some(own) => own.clone(),
            None => {
                let range = body.triangles.start as usize..body.triangles.end as usize;
                let local = |corners: &[u32; 3]| corners.map(|i| i - first);
                let whole = |i: u32| Binding {
                    particles: [i; 4],
                    weights: [1.0, 0.0, 0.0, 0.0],
                    lift: 0.0,
                };
                Skin {
                    bindings: (0..body.range().len() as u32).map(whole).collect(),
                    triangles: world.triangles[range].iter().map(local).collect(),
                    inner: Vec::new(),
                }
            }
        };
        let base = skin.bindings.len() as u32;
        let inner: Vec<bool> = (0..own.triangles.len()).map(|t| own.is_inner(t)).collect();
        skin.inner.extend(inner);
        skin.triangles.extend(own.triangles.iter().map(|corners| corners.map(|v| base + v)));
        let renamed = own.bindings.iter().map(|binding| binding.renamed(|i| seam.name(first + i)));
        skin.bindings.extend(renamed);
    }
    let joined = joined(world, seam, &skin, solid);
    let is_open = open_sides(&joined.triangles) > open_sides(&skin.triangles);
    let whole = is_surface(&joined.triangles) && !is_open;
    if !any && whole && is_surface(triangles) {
        return Ok(None); // its triangles are all that is to be seen
    }
    let mut skin = if whole { joined } else { skin };
    if !skin.inner.contains(&true) {
        skin.inner.clear();
    }
    Ok(Some(skin))
}

/// The same skin with one vertex where several coincide.
fn joined(world: &World, seam: &Seam, skin: &Skin, solid: bool) -> Skin {
    let places = places(world, seam, skin);
    let limit = SAME * mean_side(skin, &places);
    let boxes: Vec<Aabb> = places.iter().map(|&x| Aabb::of([x])).collect();
    let tree = Bvh::new(&boxes);
    let mut same = Joined::new(places.len());
    for (vertex, &x) in (0..).zip(&places) {
        tree.visit(x, limit * limit, |other, reach| {
            if other != vertex && places[other as usize].distance(x) <= limit {
                same.join(vertex, other);
            }
            reach
        });
    }
    let triangles: Vec<[u32; 3]> =
        skin.triangles.iter().map(|corners| corners.map(|v| same.root(v))).collect();
    let (triangles, inner) = without_doubles(&triangles, &skin.inner, solid);
    // Vertices that nothing is made of go.
    let used: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
    let number: BTreeMap<u32, u32> = used.iter().copied().zip(0..).collect();
    Skin {
        bindings: used.iter().map(|&v| skin.bindings[v as usize]).collect(),
        triangles: triangles.iter().map(|corners| corners.map(|v| number[&v])).collect(),
        inner,
    }
}

/// Where visible vertices are when welded particles are where they will be (m).
fn places(world: &World, seam: &Seam, skin: &Skin) -> Vec<Vec3> {
    let mut rows = world.particles.xw.clone();
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&gone, &kept) in &seam.into {
        groups.entry(kept).or_insert_with(|| vec![kept]).push(gone);
    }
    for (&kept, group) in &groups {
        rows[kept as usize] = world.particles.merged(group).0.extend(0.0);
    }
    skin.bindings.iter().map(|binding| binding.evaluate(&rows)).collect()
}

fn mean_side(skin: &Skin, places: &[Vec3]) -> f32 {
    let at = |v: u32| places[v as usize];
    let sum: f32 = skin.triangles.iter().map(|&[a, b, _]| at(a).distance(at(b))).sum();
    sum / skin.triangles.len().max(1) as f32
}

/// Whether every side runs at most once in each direction.
fn is_surface(triangles: &[[u32; 3]]) -> bool {
    let mut sides: Vec<[u32; 2]> =
        triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    sides.sort_unstable();
    sides.windows(2).all(|pair| pair[0] != pair[1])
}

/// How many sides have a triangle on one side only.
fn open_sides(triangles: &[[u32; 3]]) -> usize {
    let sides = || triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut known: Vec<[u32; 2]> = sides().collect();
    known.sort_unstable();
    sides().filter(|&[a, b]| known.binary_search(&[b, a]).is_err()).count()
}
