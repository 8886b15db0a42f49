//! Fewer vertices: those that lie in one cell of a grid become one.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::{MeshError, TriMesh};

/// How often the range of cell sizes is halved: down to a thousandth of the body.
const TRIES: u32 = 10;

/// The surface with at most `count` vertices, chosen among its own: one of every cell of the
/// finest grid that leaves no more. Triangles that lose a corner go.
///
/// Rossignac and Borrel 1993, with the vertex in the middle for the weightiest.
///
/// # Errors
/// If there would be fewer than four vertices left, or no triangle.
pub fn thin(mesh: &TriMesh, count: u32) -> Result<TriMesh, MeshError> {
    let count = count as usize;
    let whole = mesh.distinct();
    if whole.positions.len() <= count {
        return Ok(whole);
    }
    // Between cells that are too small and cells that hold everything.
    let (mut fine, mut coarse) = (0.0, whole.bounds().size().max_element());
    let mut best = TriMesh::default();
    for _ in 0..TRIES {
        let cell = (fine + coarse) / 2.0;
        let merged = merge(&whole, cell);
        if merged.positions.len() <= count {
            (coarse, best) = (cell, merged);
        } else {
            fine = cell;
        }
    }
    if best.positions.len() < 4 || best.triangles.is_empty() {
        return Err(MeshError::TooFewParticles { count: best.positions.len() });
    }
    Ok(best)
}

/// Puts one vertex of each cell in the place of all of them: the one nearest to their middle, so
/// that neighbours in two cells do not both stay.
fn merge(mesh: &TriMesh, cell: f32) -> TriMesh {
    let low = mesh.bounds().low;
    let place = |x: Vec3| ((x - low) / cell).floor().as_ivec3().to_array();
    let mut members: BTreeMap<[i32; 3], Vec<u32>> = BTreeMap::new();
    for (vertex, &x) in (0u32..).zip(&mesh.positions) {
        members.entry(place(x)).or_default().push(vertex);
    }
    let mut heirs = vec![0; mesh.positions.len()];
    for members in members.values() {
        let at = |i: u32| mesh.positions[i as usize];
        let middle = members.iter().map(|&i| at(i)).sum::<Vec3>() / members.len() as f32;
        let far = |i: u32| at(i).distance_squared(middle);
        let heir = members.iter().copied().min_by(|&i, &j| far(i).total_cmp(&far(j)));
        members.iter().for_each(|&i| heirs[i as usize] = heir.unwrap_or(i));
    }
    let corners = |triangle: &[u32; 3]| triangle.map(|corner| heirs[corner as usize]);
    let mut triangles: Vec<_> = mesh.triangles.iter().map(corners).collect();
    // A flat part may be left twice, once from either side: to be seen, once is enough.
    let mut seen = BTreeSet::new();
    triangles.retain(|triangle| {
        let mut key = *triangle;
        key.sort_unstable();
        seen.insert(key)
    });
    TriMesh { positions: mesh.positions.clone(), triangles }.distinct()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::solids::ball::ball;

    #[test]
    fn a_ball_of_few_vertices_is_still_a_ball() {
        let fine = ball(1.0, 40, 80);
        let coarse = thin(&fine, 300).unwrap();
        let count = coarse.positions.len();
        assert!((200..=300).contains(&count), "{count}");
        assert!(coarse.positions.iter().all(|x| fine.positions.contains(x)));
        let volume = coarse.volume() / fine.volume();
        assert!((0.85..1.0).contains(&volume), "{volume} of its volume");
    }

    #[test]
    fn what_is_coarse_stays_and_what_is_nothing_is_refused() {
        let mesh = ball(1.0, 8, 16).distinct();
        assert_eq!(thin(&mesh, 1000).unwrap(), mesh);
        assert!(matches!(thin(&mesh, 2), Err(MeshError::TooFewParticles { .. })));
    }
}
