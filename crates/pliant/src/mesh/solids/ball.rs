//! Balls.

use std::f32::consts::PI;

use glam::{Vec2, Vec3};

use super::{Solid, lathe};
use crate::mesh::TriMesh;

/// See [`ball`].
pub const SOLID: &Solid = &Solid {
    name: "ball",
    shows: "a ball of one metre",
    make: |detail| Ok(ball(0.5, detail, 2 * detail)),
    holes: 0,
    rims: 0,
    volume: Some(std::f64::consts::PI / 6.0),
};

/// A ball about the origin, of so many stacks from pole to pole and sectors around.
pub fn ball(radius: f32, stacks: u32, sectors: u32) -> TriMesh {
    let stacks = stacks.max(2);
    let point = |k: u32| {
        let angle = PI * k as f32 / stacks as f32;
        // Exactly on the axis at the poles.
        let out = if k.is_multiple_of(stacks) { 0.0 } else { libm::sinf(angle) };
        Vec2::new(out, -libm::cosf(angle)) * radius
    };
    lathe(&(0..=stacks).map(point).collect::<Vec<_>>(), sectors.max(3))
}

/// A ball about the origin, of triangles that are all about as large: an icosahedron, each triangle
/// of which was made four so many times.
pub fn geodesic(radius: f32, times: u32) -> TriMesh {
    let long = (1.0 + 5f32.sqrt()) / 2.0;
    let corners = [
        [-1.0, long, 0.0],
        [1.0, long, 0.0],
        [-1.0, -long, 0.0],
        [1.0, -long, 0.0],
        [0.0, -1.0, long],
        [0.0, 1.0, long],
        [0.0, -1.0, -long],
        [0.0, 1.0, -long],
        [long, 0.0, -1.0],
        [long, 0.0, 1.0],
        [-long, 0.0, -1.0],
        [-long, 0.0, 1.0],
    ];
    let triangles = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    let mut ball = TriMesh { positions: corners.map(Vec3::from_array).to_vec(), triangles };
    for _ in 0..times {
        ball = quartered(&ball);
    }
    ball.positions.iter_mut().for_each(|x| *x = x.normalize_or_zero() * radius);
    ball
}

/// The same with every triangle cut into four at the middles of its sides, on the unit ball.
fn quartered(mesh: &TriMesh) -> TriMesh {
    let mut cut = TriMesh::default();
    for triangle in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.triangles[triangle]
            .map(|corner| mesh.positions[corner as usize].normalize_or_zero());
        // The same for both triangles of a side, so that they become one vertex.
        let middle = |a: Vec3, b: Vec3| (a + b).normalize_or_zero();
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        for corners in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            let first = cut.positions.len() as u32;
            cut.positions.extend(corners);
            cut.triangles.push([first, first + 1, first + 2]);
        }
    }
    cut.distinct()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::hinges;

    #[test]
    fn a_geodesic_ball_is_closed_and_round() {
        for (times, vertices) in [(0, 12), (1, 42), (2, 162), (3, 642)] {
            let ball = geodesic(2.0, times);
            assert_eq!(ball.positions.len(), vertices);
            assert_eq!(hinges(&ball.triangles).len() * 2, ball.triangles.len() * 3);
            assert!(ball.positions.iter().all(|x| (x.length() - 2.0).abs() < 1e-6));
            assert!(ball.volume() > 0.0 && ball.volume() < 33.52);
        }
    }
}
