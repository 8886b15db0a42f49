//! The items of a scene as flat lists of primitives, each with a number.

use super::fill::{self, Buffer, Facet};
use super::round::{self, Ball, Capsule};
use super::scene::{Item, Material, Mesh, Shading, Tube};
use super::view::View;
use glam::Vec3;

/// The number of the sky, which is behind everything.
pub(super) const SKY: u32 = 0;
/// The number of the ground.
pub(super) const GROUND: u32 = 1;
/// The number of the first triangle; balls follow, then capsules.
const FIRST: u32 = 2;

/// Coordinates and radii beyond this (m) are left out, like those that are not finite: squares of
/// them would overflow, and a simulation that gets there has exploded.
const FARTHEST: f32 = 1e5;

/// Everything that can be seen and can cast a shadow, but for the ground.
#[derive(Default)]
pub(super) struct Geometry {
    pub(super) positions: Vec<Vec3>,
    /// Unit normals of the vertices; zero where no triangle is.
    pub(super) normals: Vec<Vec3>,
    /// Linear colours of the vertices, front and back.
    pub(super) colors: Vec<[Vec3; 2]>,
    /// How much of the sky the vertices see, on the front and on the back, 0 to 1.
    pub(super) openness: Vec<[f32; 2]>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) balls: Vec<Ball>,
    pub(super) capsules: Vec<Capsule>,
    /// Look of each primitive, in the order of their numbers.
    looks: Vec<Look>,
}

/// What primitives of one item have in common.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// Number of the item.
    pub(super) item: u32,
    pub(super) material: Material,
    pub(super) shading: Shading,
}

/// What a number of a primitive stands for.
pub(super) enum Primitive<'a> {
    Triangle([u32; 3]),
    Ball(&'a Ball),
    Capsule(&'a Capsule),
}

impl Geometry {
    pub(super) fn new(items: &[Item]) -> Self {
        let mut geometry = Self::default();
        let look = |item: usize, material: Material, shading| Look {
            item: item as u32,
            material,
            shading,
        };
        for (k, item) in items.iter().enumerate() {
            if let Item::Mesh(mesh) = item {
                geometry.push_mesh(mesh, look(k, mesh.material, mesh.shading));
            }
        }
        let mut capsule_looks = Vec::new();
        for (k, item) in items.iter().enumerate() {
            match item {
                Item::Mesh(_) => {}
                Item::Sphere(sphere) => {
                    if is_drawable(sphere.center, sphere.radius) {
                        geometry.balls.push(Ball { center: sphere.center, radius: sphere.radius });
                        geometry.looks.push(look(k, sphere.material, Shading::Smooth));
                    }
                }
                Item::Tube(tube) => {
                    geometry.push_tube(tube);
                    capsule_looks
                        .resize(geometry.capsules.len(), look(k, tube.material, Shading::Smooth));
                }
            }
        }
        geometry.looks.append(&mut capsule_looks);
        geometry
    }

    fn push_mesh(&mut self, mesh: &Mesh, look: Look) {
        let (base, count) = (self.positions.len() as u32, mesh.positions.len());
        let drawable =
            |&i: &u32| mesh.positions.get(i as usize).is_some_and(|&p| is_drawable(p, 1.0));
        let mut normals = vec![Vec3::ZERO; count];
        for triangle in mesh.triangles.iter().filter(|t| t.iter().all(drawable)) {
            let corners = triangle.map(|i| i as usize);
            let [a, b, c] = corners.map(|i| mesh.positions[i]);
            // Twice the area, so that large triangles weigh more.
            let normal = (b - a).cross(c - a);
            for i in corners {
                normals[i] += normal;
            }
            self.triangles.push(triangle.map(|i| base + i));
            self.looks.push(look);
        }
        self.positions.extend_from_slice(&mesh.positions);
        self.normals.extend(normals.into_iter().map(Vec3::normalize_or_zero));

        let painted = mesh.colors.len() == count;
        let front = |i: usize| if painted { mesh.colors[i] } else { look.material.color };
        self.colors.extend((0..count).map(|i| [front(i), mesh.back.unwrap_or(front(i))]));
        self.openness.resize(self.positions.len(), [1.0; 2]);
    }

    fn push_tube(&mut self, tube: &Tube) {
        let Tube { ref points, radius, .. } = *tube;
        let drawable = |k: usize| points.get(k).is_some_and(|&p| is_drawable(p, radius));
        if points.len() == 1 && drawable(0) {
            let (a, b) = (points[0], points[0]);
            self.capsules.push(Capsule { a, b, radius, joints: [None; 2] });
        }
        // The direction of the curve at an inner point: that from its predecessor to its successor.
        let tangent = |k: usize| {
            let inner = k > 0 && drawable(k - 1) && drawable(k + 1);
            inner.then(|| (points[k + 1] - points[k - 1]).try_normalize()).flatten()
        };
        for k in 1..points.len() {
            if drawable(k - 1) && drawable(k) {
                let joints = [tangent(k - 1), tangent(k)];
                self.capsules.push(Capsule { a: points[k - 1], b: points[k], radius, joints });
            }
        }
    }

    /// The primitive with the number `id`, and its look; `None` for sky and ground.
    pub(super) fn primitive(&self, id: u32) -> Option<(Primitive<'_>, &Look)> {
        let index = id.checked_sub(FIRST)? as usize;
        let look = self.looks.get(index)?;
        let (triangles, balls) = (self.triangles.len(), self.balls.len());
        let primitive = if index < triangles {
            Primitive::Triangle(self.triangles[index])
        } else if index < triangles + balls {
            Primitive::Ball(&self.balls[index - triangles])
        } else {
            Primitive::Capsule(&self.capsules[index - triangles - balls])
        };
        Some((primitive, look))
    }

    /// All triangles, projected and clipped.
    pub(super) fn facets<V: View>(&self, view: &V) -> Vec<Facet> {
        let in_view: Vec<Vec3> = self.positions.iter().map(|&p| view.view_from_world(p)).collect();
        let mut facets = Vec::with_capacity(self.triangles.len());
        for (id, triangle) in (FIRST..).zip(&self.triangles) {
            fill::project(view, triangle.map(|i| in_view[i as usize]), id, &mut facets);
        }
        facets
    }

    /// Fills everything into `buffer`; `facets` come from [`Self::facets`] with the same view.
    pub(super) fn fill<V: View>(&self, view: &V, facets: &[Facet], buffer: &mut Buffer) {
        for facet in facets {
            fill::fill(buffer, facet);
        }
        let first = FIRST + self.triangles.len() as u32;
        for (id, ball) in (first..).zip(&self.balls) {
            round::fill(view, buffer, ball, id);
        }
        let first = first + self.balls.len() as u32;
        for (id, capsule) in (first..).zip(&self.capsules) {
            round::fill(view, buffer, capsule, id);
        }
    }

    /// Every ball, end of a capsule and used vertex, as balls: their bounds are the scene's.
    pub(super) fn extremes(&self) -> impl Iterator<Item = Ball> {
        let vertices = self.positions.iter().zip(&self.normals);
        let vertices = vertices.filter(|(_, n)| **n != Vec3::ZERO).map(|(&p, _)| p);
        let ends = self.capsules.iter().flat_map(round::Round::ends);
        vertices
            .map(|center| Ball { center, radius: 0.0 })
            .chain(self.balls.iter().copied())
            .chain(ends)
    }
}

fn is_drawable(center: Vec3, radius: f32) -> bool {
    // NaN compares as false.
    center.abs().max_element() < FARTHEST && center.is_finite() && radius > 0.0 && radius < FARTHEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sound_primitives_are_kept() {
        let mesh = Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN, Vec3::splat(1e30)],
            triangles: vec![[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 99]],
            ..Mesh::default()
        };
        let tube = |points: Vec<Vec3>, radius| {
            Item::Tube(Tube { points, radius, material: Material::default() })
        };
        let items = [
            Item::Mesh(mesh),
            tube(vec![Vec3::ZERO, Vec3::X, Vec3::NAN, Vec3::Y], 0.1),
            tube(vec![Vec3::ZERO, Vec3::X], -1.0),
            tube(vec![], 0.1),
            tube(vec![Vec3::ZERO], 0.1),
        ];
        let geometry = Geometry::new(&items);
        assert_eq!(geometry.triangles, [[0, 1, 2]]);
        assert_eq!(geometry.capsules.len(), 2);
        assert_eq!(geometry.normals[0], Vec3::Z);
        assert_eq!(geometry.primitive(FIRST + 1).map(|(_, look)| look.item), Some(1));
        assert_eq!(geometry.primitive(FIRST + 2).map(|(_, look)| look.item), Some(4));
        assert!(geometry.primitive(FIRST + 3).is_none() && geometry.primitive(SKY).is_none());
    }
}
