//! Edges that were sharp when a body was made: there light changes at once, not little by little.

use std::borrow::Cow;

use pliant::glam::Vec3;
use pliant::mesh::TriMesh;

/// Cosine of the largest angle between triangles over which a surface is smooth: 50°.
const SMOOTH: f32 = 0.642_787_6;

/// A surface with several vertices in one place along its sharp edges.
#[derive(Clone, Debug)]
pub struct Creased {
    /// The vertex of the surface that each of its own is.
    vertices: Vec<u32>,
    /// The triangles, in the same order.
    triangles: Vec<[u32; 3]>,
}

impl Creased {
    /// The sharp edges of a surface; `None` if it has none.
    pub fn of(mesh: &TriMesh) -> Option<Self> {
        let normal = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals: Vec<Vec3> = mesh.triangles.iter().map(normal).collect();
        let mut around = vec![Vec::new(); mesh.positions.len()];
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            for (k, &corner) in triangle.iter().enumerate() {
                around[corner as usize].push((number, k));
            }
        }
        let mut creased = Self {
            vertices: (0..around.len() as u32).collect(),
            triangles: mesh.triangles.clone(),
        };
        for (vertex, corners) in around.iter().enumerate() {
            // The first group keeps the vertex, every other gets one of its own.
            for group in groups(corners, &normals).iter().skip(1) {
                let own = creased.vertices.len() as u32;
                creased.vertices.push(vertex as u32);
                for &(triangle, k) in group {
                    creased.triangles[triangle][k] = own;
                }
            }
        }
        (creased.vertices.len() > mesh.positions.len()).then_some(creased)
    }

    /// The surface with its sharp edges, however it has moved.
    pub fn apply<'a>(creased: Option<&Self>, mesh: &'a TriMesh) -> Cow<'a, TriMesh> {
        let Some(Self { vertices, triangles }) = creased else { return Cow::Borrowed(mesh) };
        let positions = vertices.iter().map(|&k| mesh.positions[k as usize]).collect();
        Cow::Owned(TriMesh { positions, triangles: triangles.clone() })
    }

    /// Values of the vertices of the surface as those of this one.
    pub fn spread<T: Copy>(creased: Option<&Self>, values: Vec<T>) -> Vec<T> {
        match creased {
            Some(creased) => creased.vertices.iter().map(|&k| values[k as usize]).collect(),
            None => values,
        }
    }
}

/// A corner: its triangle, and which of the three it is.
type Corner = (usize, usize);

/// Corners at one vertex, grouped so that from any to any other there is a smooth way within a group.
fn groups(corners: &[Corner], normals: &[Vec3]) -> Vec<Vec<Corner>> {
    let mut groups: Vec<Vec<Corner>> = Vec::new();
    for &corner in corners {
        let normal = normals[corner.0];
        let is_smooth = |other: &Corner| {
            let cosine = normals[other.0].dot(normal);
            // Triangles without area have no side.
            cosine > SMOOTH || normal == Vec3::ZERO || normals[other.0] == Vec3::ZERO
        };
        let (near, mut apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(is_smooth));
        let mut joined = near.concat();
        joined.push(corner);
        apart.push(joined);
        groups = apart;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::solids::ball::geodesic;
    use pliant::mesh::solids::cuboid::cuboid;

    #[test]
    fn a_box_has_flat_sides_and_a_ball_is_smooth() {
        let mesh = cuboid(Vec3::new(1.0, 2.0, 3.0), 3);
        let creased = Creased::of(&mesh).unwrap();
        let sharp = Creased::apply(Some(&creased), &mesh);
        for (triangle, corners) in sharp.triangles.iter().zip(&mesh.triangles) {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            let flat = (b - a).cross(c - a).normalize_or_zero();
            for &corner in triangle {
                assert!(sharp.normals()[corner as usize].distance(flat) < 1e-5);
            }
        }
        let places = |mesh: &TriMesh| {
            mesh.triangles.as_flattened().iter().map(|&k| mesh.positions[k as usize]).collect()
        };
        let [a, b]: [Vec<Vec3>; 2] = [places(&sharp), places(&mesh)];
        assert_eq!(a, b, "nothing moves");
        // Eight corners, each of three sides, of which one keeps the vertex.
        let corner = |x: &&Vec3| x.abs().abs_diff_eq(Vec3::new(0.5, 1.0, 1.5), 1e-5);
        assert_eq!(sharp.positions.iter().filter(corner).count(), 24);
        assert!(Creased::of(&geodesic(1.0, 1)).is_none());
    }
}
