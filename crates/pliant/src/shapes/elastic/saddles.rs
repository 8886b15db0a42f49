//! The patches of four triangles of a shell, and the saddle shape that they measure.

use glam::DVec2;

use super::{ElasticShell, rings};
use crate::body::Blueprint;
use crate::constraint::saddle;
use crate::error::WorldError;

/// A neighbour of a triangle: which of its sides they share, and the corner beyond.
type Neighbour = (usize, u32);

/// Adds a saddle constraint for every triangle with two or three neighbours.
pub(super) fn add_saddles(shell: &ElasticShell, body: &mut Blueprint) -> Result<(), WorldError> {
    let [warp, weft] = shell.material.bending.map(f64::from);
    for (index, neighbours) in neighbours(&shell.mesh.triangles).iter().enumerate() {
        let kind = match neighbours.len() {
            3 => &saddle::KIND,
            2 => &saddle::EDGE_KIND,
            _ => continue,
        };
        let triangle = shell.mesh.triangles[index];
        let far = neighbours.iter().map(|&(_, corner)| corner);
        let patch: Vec<u32> = triangle.into_iter().chain(far).collect();
        let flat = laid_flat(shell, triangle, neighbours);
        let mut rest: Vec<f32> = saddle::coefficients(&flat, [warp.sqrt(), weft.sqrt()])
            .into_iter()
            .map(|value| value as f32)
            .collect();
        rest.push(0.0);
        let last = rest.len() - 1;
        rest[last] = kind.violation(&patch, &body.positions, &rest);
        // √D is in the weights already.
        let hold = shell.material.hold(1.0, shell.area(triangle));
        body.join_with_rest(kind, &patch, &rest, hold)?;
    }
    Ok(())
}

/// The corners along warp and weft (m), with the neighbours turned about the sides that they share
/// into the triangle's plane.
fn laid_flat(shell: &ElasticShell, triangle: [u32; 3], neighbours: &[Neighbour]) -> Vec<DVec2> {
    let mut flat: Vec<DVec2> = rings::flat(shell, triangle, [1.0; 2]).to_vec();
    let at = |i: u32| shell.mesh.positions[i as usize].as_dvec3();
    for &(side, far) in neighbours {
        let (from, to) = (triangle[side], triangle[(side + 1) % 3]);
        let (edge, out) = (at(to) - at(from), at(far) - at(from));
        let along = out.dot(edge) / edge.length_squared();
        let height = (out - edge * along).length();
        let (p, q) = (flat[side], flat[(side + 1) % 3]);
        // Corners run counter-clockwise, so the outside is to the right of a side.
        flat.push(p + (q - p) * along - (q - p).perp().normalize_or_zero() * height);
    }
    flat
}

/// For each triangle its neighbours across sides of exactly two triangles; far corners that it has
/// itself, or that two neighbours share, count once at most.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<Vec<Neighbour>> {
    let mut sides: Vec<([u32; 2], usize, usize)> = Vec::new();
    for (index, triangle) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (a, b) = (triangle[side], triangle[(side + 1) % 3]);
            sides.push(([a.min(b), a.max(b)], index, side));
        }
    }
    sides.sort_unstable();
    let mut neighbours: Vec<Vec<Neighbour>> = vec![Vec::new(); triangles.len()];
    for around in sides.chunk_by(|one, other| one.0 == other.0) {
        let &[(_, one, one_side), (_, other, other_side)] = around else { continue };
        for (index, side, beyond, beyond_side) in
            [(one, one_side, other, other_side), (other, other_side, one, one_side)]
        {
            let far = triangles[beyond][(beyond_side + 2) % 3];
            let known = neighbours[index].iter().any(|&(_, corner)| corner == far);
            if !known && !triangles[index].contains(&far) {
                neighbours[index].push((side, far));
            }
        }
    }
    neighbours
}
