//! Surfaces that follow particles: what is seen may be finer than what is simulated.
//!
//! Every vertex is bound to the particles near it and goes where they go: to three of them, with
//! its height above their plane, or to the four corners of the tetrahedron that it is in. WGSL twin:
//! `skin.wgsl`

use glam::{DMat3, DVec3, Vec3, Vec4};

use crate::body::check_particles;
use crate::error::WorldError;
use crate::mesh::bvh::{Aabb, Bvh};
use crate::mesh::sdf::closest_point;
use crate::mesh::{MeshError, TetMesh, TriMesh};

/// The GPU's shader: vertices and their normals.
pub const WGSL: &str = include_str!("skin.wgsl");

/// Particles that are looked at for the three to bind a vertex to. In a lattice, the nearest ten
/// always contain three that are not in a line.
const CANDIDATES: usize = 10;

/// Least sine of the angle between the ways to the other two of three particles.
const LEAST_SINE: f32 = 0.5;

/// Below this sine of the same angle, three particles are in a line: weights would be in the hundreds.
const IN_LINE: f64 = 1e-2;

/// Least distance of the other two of three particles from the first, as a share of that of the furthest
/// that is looked at: or weights would be in the thousands.
const LEAST_APART: f32 = 0.1;

/// Vertices that are computed together.
const CHUNK: usize = 1024;

/// A surface that follows the particles of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// What each vertex is bound to.
    pub bindings: Vec<Binding>,
    /// The corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Whether each triangle was inside before a cut laid it open; empty if none was.
    pub inner: Vec<bool>,
}

/// What a vertex is bound to: x = Σ wᵢ xᵢ + lift · n, where n is the unit normal of the first three
/// particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Binding {
    /// The particles, counted from the first of the body.
    pub particles: [u32; 4],
    /// Their weights, which sum to 1.
    pub weights: [f32; 4],
    /// Height above the first three (m).
    pub lift: f32,
}

impl Skin {
    /// Binds each vertex of a surface to the three particles nearest to it that are not in a line.
    ///
    /// # Errors
    /// If the surface is not one, or there are no three such particles.
    pub fn on_particles(surface: &TriMesh, particles: &[Vec3]) -> Result<Self, MeshError> {
        surface.check()?;
        let boxes: Vec<Aabb> = particles.iter().map(|&x| Aabb::of([x])).collect();
        let tree = Bvh::new(&boxes);
        let few = MeshError::TooFewParticles { count: particles.len() };
        let at = |i: u32| particles[i as usize];
        let bind = |&x: &Vec3| {
            bind_to_three(x, &nearest(x, particles, &tree, |_| true), at).ok_or(few.clone())
        };
        let bindings = surface.positions.iter().map(bind).collect::<Result<_, _>>()?;
        Ok(Self { bindings, triangles: surface.triangles.clone(), inner: Vec::new() })
    }

    /// Binds each vertex of a surface to the tetrahedron that it is in, or to the nearest.
    ///
    /// # Errors
    /// If the surface is not one, or no tetrahedron has a volume.
    pub fn on_tets(surface: &TriMesh, mesh: &TetMesh) -> Result<Self, MeshError> {
        surface.check()?;
        mesh.check()?;
        let corners = |tet: &[u32; 4]| tet.map(|corner| mesh.positions[corner as usize]);
        let boxes: Vec<Aabb> = mesh.tets.iter().map(|tet| Aabb::of(corners(tet))).collect();
        let tree = Bvh::new(&boxes);
        let bind = |&x: &Vec3| {
            let far = |tet: u32| distance_to_tet(x, corners(&mesh.tets[tet as usize]));
            let (tet, _) = tree.nearest(x, far).ok_or(MeshError::Nothing)?;
            let particles = mesh.tets[tet as usize];
            let weights = barycentric(x, corners(&particles)).ok_or(MeshError::Nothing)?;
            Ok(Binding { particles, weights, lift: 0.0 })
        };
        let bindings = surface.positions.iter().map(bind).collect::<Result<_, _>>()?;
        Ok(Self { bindings, triangles: surface.triangles.clone(), inner: Vec::new() })
    }

    /// Where the vertices are now (m), given the rows of the body's particles: position and
    /// inverse mass.
    ///
    /// # Panics
    /// If there are fewer particles than the skin was made for.
    pub fn positions(&self, particles: &[Vec4]) -> Vec<Vec3> {
        let mut positions = vec![Vec3::ZERO; self.bindings.len()];
        let chunks = positions.chunks_mut(CHUNK).zip(self.bindings.chunks(CHUNK));
        // No chunk reads what another writes, so several threads could do this.
        for (positions, bindings) in chunks {
            for (x, binding) in positions.iter_mut().zip(bindings) {
                *x = binding.evaluate(particles);
            }
        }
        positions
    }

    /// Numbers of the vertices, given those of the body's particles.
    ///
    /// # Panics
    /// If there are fewer particles than the skin was made for.
    pub fn interpolate(&self, values: &[f32]) -> Vec<f32> {
        let at = |Binding { particles, weights, .. }: &Binding| {
            particles.iter().zip(weights).map(|(&i, weight)| values[i as usize] * weight).sum()
        };
        self.bindings.iter().map(at).collect()
    }

    /// Refuses particles and vertices that are not there, and numbers that are not finite.
    pub(crate) fn check(&self, particles: usize) -> Result<(), WorldError> {
        let is_right = |Binding { particles: bound, weights, lift }: &Binding| {
            let named = bound.iter().all(|&i| (i as usize) < particles);
            // A sum is finite only if all of it is, but for numbers that are too large together.
            named && (weights.iter().sum::<f32>() + lift).is_finite()
        };
        for Binding { particles: bound, weights, lift } in
            self.bindings.iter().filter(|binding| !is_right(binding))
        {
            check_particles("skin", bound, particles)?;
            if let Some(&value) = weights.iter().chain([lift]).find(|value| !value.is_finite()) {
                return Err(WorldError::BadNumber { what: "skin weight", value, needs: "finite" });
            }
        }
        if !self.inner.is_empty() && self.inner.len() != self.triangles.len() {
            let (expected, found) = (self.triangles.len(), self.inner.len());
            let (kind, what) = ("skin", "flags of inner triangles");
            return Err(WorldError::WrongCount { kind, what, expected, found });
        }
        check_particles("skin triangle", self.triangles.as_flattened(), self.bindings.len())
    }

    /// The triangles that were always outside, and those that cuts have laid open.
    pub fn outer_and_inner(&self) -> [Vec<[u32; 3]>; 2] {
        let (inner, outer): (Vec<_>, Vec<_>) =
            self.triangles.iter().enumerate().partition(|(index, _)| self.is_inner(*index));
        [outer, inner].map(|part| part.into_iter().map(|(_, corners)| *corners).collect())
    }

    /// Whether a triangle was inside before a cut laid it open.
    pub fn is_inner(&self, triangle: usize) -> bool {
        self.inner.get(triangle).copied().unwrap_or(false)
    }

    /// The same skin with other names for its particles; without vertices and triangles of which one
    /// has no name.
    pub(crate) fn renamed(mut self, name: impl Fn(u32) -> Option<u32>) -> Self {
        let is_named = |binding: &Binding| binding.particles.iter().all(|&i| name(i).is_some());
        if self.bindings.iter().all(is_named) {
            for particle in self.bindings.iter_mut().flat_map(|binding| &mut binding.particles) {
                *particle = name(*particle).unwrap_or(*particle);
            }
            return self;
        }
        let rename = |binding: &Binding| {
            let mut renamed = *binding;
            for particle in &mut renamed.particles {
                *particle = name(*particle)?;
            }
            Some(renamed)
        };
        let bindings: Vec<Option<Binding>> = self.bindings.iter().map(rename).collect();
        self.chosen(&bindings, |_| true)
    }

    /// The parts of a skin whose particles belong to different owners, by owner. A triangle goes with
    /// the first particle of its first corner.
    pub(crate) fn divided(self, owner: impl Fn(u32) -> u32) -> Vec<(u32, Self)> {
        let of = |triangle: &[u32; 3]| owner(self.bindings[triangle[0] as usize].particles[0]);
        let first = self.triangles.first().map(of);
        if let Some(first) = first.filter(|&first| self.triangles.iter().all(|t| of(t) == first)) {
            return vec![(first, self)];
        }
        let mut owners: Vec<u32> = self.triangles.iter().map(of).collect();
        owners.sort_unstable();
        owners.dedup();
        let part = |&one: &u32| {
            let used = self.triangles.iter().filter(|triangle| of(triangle) == one).flatten();
            let mut bindings = vec![None; self.bindings.len()];
            used.for_each(|&vertex| {
                bindings[vertex as usize] = Some(self.bindings[vertex as usize])
            });
            (one, self.chosen(&bindings, |triangle| of(triangle) == one))
        };
        owners.iter().map(part).collect()
    }

    /// The vertices that have a binding, and the triangles of them that are wanted.
    fn chosen(&self, bindings: &[Option<Binding>], wanted: impl Fn(&[u32; 3]) -> bool) -> Self {
        let mut next = 0..;
        let number: Vec<Option<u32>> =
            bindings.iter().map(|binding| binding.and_then(|_| next.next())).collect();
        let kept = (0..).zip(&self.triangles).filter(|(_, triangle)| wanted(triangle));
        let corners = kept.filter_map(|(index, triangle)| {
            let [a, b, c] = triangle.map(|vertex| number[vertex as usize]);
            Some(([a?, b?, c?], self.is_inner(index)))
        });
        let (triangles, mut inner): (Vec<[u32; 3]>, Vec<bool>) = corners.unzip();
        if !inner.contains(&true) {
            inner.clear();
        }
        Self { triangles, bindings: bindings.iter().flatten().copied().collect(), inner }
    }

    /// The surface as it is now.
    ///
    /// # Panics
    /// If there are fewer particles than the skin was made for.
    pub fn surface(&self, particles: &[Vec4]) -> TriMesh {
        TriMesh { positions: self.positions(particles), triangles: self.triangles.clone() }
    }
}

impl Binding {
    /// The particles that the place depends on; the first three if it is above them.
    pub(crate) fn own(&self) -> impl Iterator<Item = u32> + '_ {
        let none = self.lift == 0.0 && self.weights == [0.0; 4];
        let counts =
            move |&k: &usize| self.weights[k] != 0.0 || k < 3 && self.lift != 0.0 || k == 0 && none;
        (0..4).filter(counts).map(|k| self.particles[k])
    }

    /// The same place without particles that it does not depend on.
    pub(crate) fn without_idle(&self) -> Self {
        let first = self.own().next().unwrap_or(self.particles[0]);
        let idle = |k: usize| self.weights[k] == 0.0 && (k == 3 || self.lift == 0.0);
        let own = |k: usize| if idle(k) { first } else { self.particles[k] };
        Self { particles: [0, 1, 2, 3].map(own), ..*self }
    }

    /// The same weights on other particles.
    pub(crate) fn renamed(&self, name: impl Fn(u32) -> u32) -> Self {
        Self { particles: self.particles.map(name), ..*self }
    }

    pub(crate) fn evaluate(&self, particles: &[Vec4]) -> Vec3 {
        let [a, b, c, d] = self.particles.map(|i| particles[i as usize].truncate());
        let [_, v, w, t] = self.weights;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        // From the first particle, whose weight is what the others leave: rounding then does not
        // grow with the distance from the origin.
        a + (b - a) * v + (c - a) * w + (d - a) * t + normal * self.lift
    }
}

/// Binds a point to three of the particles near it, which are listed with the nearest first.
pub(crate) fn bind_to_three(x: Vec3, near: &[u32], at: impl Fn(u32) -> Vec3) -> Option<Binding> {
    let [first, second, rest @ ..] = near else { return None };
    let (a, ab) = (at(*first), at(*second) - at(*first));
    let sine = |i: u32| {
        let ac = at(i) - a;
        ab.cross(ac).length() / (ab.length() * ac.length()).max(f32::MIN_POSITIVE)
    };
    let good = rest.iter().copied().find(|&i| sine(i) >= LEAST_SINE);
    let third =
        good.or_else(|| rest.iter().copied().max_by(|&i, &j| sine(i).total_cmp(&sine(j))))?;
    let (ab, ac, ax) = (ab.as_dvec3(), (at(third) - a).as_dvec3(), (x - a).as_dvec3());
    let normal = ab.cross(ac);
    if normal.length() <= IN_LINE * ab.length() * ac.length() {
        return None;
    }
    let shares = DMat3::from_cols(ab, ac, normal.normalize_or_zero()).inverse() * ax;
    let [v, w, lift] = shares.to_array().map(|share| share as f32);
    let particles = [*first, *second, third, *first];
    Some(Binding { particles, weights: [1.0 - v - w, v, w, 0.0], lift })
}

/// Binds a point to three of the particles that are wanted, the nearest if these are not in a line.
pub(crate) fn bind_to_nearest(
    x: Vec3,
    particles: &[Vec3],
    tree: &Bvh,
    wanted: impl Fn(u32) -> bool,
) -> Option<Binding> {
    let at = |i: u32| particles[i as usize];
    // Copies of a particle lie in one place, or almost, and span nothing.
    let spread = |near: &[u32]| -> Vec<u32> {
        let (Some(&first), Some(&last)) = (near.first(), near.last()) else { return Vec::new() };
        let apart = LEAST_APART * at(first).distance(at(last));
        let is_apart = |i: u32| i == first || at(i).distance(at(first)) > apart;
        near.iter().copied().filter(|&i| is_apart(i)).collect()
    };
    let near = spread(&nearest(x, particles, tree, &wanted));
    bind_to_three(x, &near, at).or_else(|| {
        // All that are near may be copies of one, or in a line.
        let mut all: Vec<u32> = (0..particles.len() as u32).filter(|i| wanted(*i)).collect();
        let far = |i: u32| at(i).distance_squared(x);
        all.sort_by(|&i, &j| far(i).total_cmp(&far(j)).then(i.cmp(&j)));
        let wide = spread(&all);
        let first = wide.get(..2).unwrap_or(&wide).to_vec();
        let any = || bind_to_three(x, &[first, all].concat(), at);
        bind_to_three(x, &wide, at).or_else(any)
    })
}

/// The particles nearest to a point of those that are wanted, nearest first.
pub(crate) fn nearest(
    x: Vec3,
    particles: &[Vec3],
    tree: &Bvh,
    wanted: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let mut found: Vec<(f32, u32)> = Vec::with_capacity(CANDIDATES + 1);
    tree.visit(x, f32::INFINITY, |item, limit| {
        let d = particles[item as usize].distance_squared(x);
        let place = found.partition_point(|other| *other < (d, item));
        if place < CANDIDATES && wanted(item) {
            found.insert(place, (d, item));
            found.truncate(CANDIDATES);
        }
        // Those that are as far as the last must be seen, so that the numbers decide.
        found.last().filter(|_| found.len() == CANDIDATES).map_or(limit, |last| last.0.next_up())
    });
    found.into_iter().map(|(_, item)| item).collect()
}

/// The weights of the corners of a tetrahedron that give `x`, if it has a volume.
pub(crate) fn barycentric(x: Vec3, tet: [Vec3; 4]) -> Option<[f32; 4]> {
    let [a, b, c, d] = tet.map(Vec3::as_dvec3);
    let sides = DMat3::from_cols(b - a, c - a, d - a);
    let size: f64 = [b, c, d].iter().map(|corner| corner.distance(a)).product();
    if sides.determinant().abs() <= 1e-9 * size {
        return None;
    }
    let DVec3 { x: v, y: w, z: t } = sides.inverse() * (x.as_dvec3() - a);
    Some([1.0 - v - w - t, v, w, t].map(|weight| weight as f32))
}

/// The square of the distance to a tetrahedron (m²): 0 inside, infinite if it has no volume.
pub(crate) fn distance_to_tet(x: Vec3, tet: [Vec3; 4]) -> f32 {
    let Some(weights) = barycentric(x, tet) else { return f32::INFINITY };
    if weights.iter().all(|&weight| weight >= 0.0) {
        return 0.0;
    }
    let [a, b, c, d] = tet;
    let faces = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]];
    faces
        .map(|face| closest_point(face, x).distance_squared(x))
        .into_iter()
        .fold(f32::MAX, f32::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::sdf::SignedDistance;
    use crate::mesh::voxels::Voxelisation;
    use crate::mesh::{Resolution, boundary};
    use glam::Quat;

    /// A ring whose surface is finer than the bodies that it is bound to.
    fn ring() -> TriMesh {
        let ring = |x: Vec3| (x.with_y(0.0).length() - 1.0).hypot(x.y) - 0.3;
        let bounds = Aabb { low: Vec3::splat(-1.4), high: Vec3::splat(1.4) };
        let fine = TetMesh::stuff_function(&ring, bounds, Resolution::Cell(0.08)).unwrap();
        TriMesh { triangles: boundary(&fine.tets), positions: fine.positions }
    }

    fn skins(surface: &TriMesh) -> [(Skin, Vec<Vec3>); 2] {
        let sdf = SignedDistance::new(surface.clone()).unwrap();
        let resolution = Resolution::Cell(0.25);
        let lattice = Voxelisation { resolution, ..Voxelisation::default() }.voxels(&sdf).unwrap();
        let lattice: Vec<Vec3> = lattice.positions().collect();
        let tets = TetMesh::stuff(&sdf, resolution).unwrap();
        [
            (Skin::on_particles(surface, &lattice).unwrap(), lattice),
            (Skin::on_tets(surface, &tets).unwrap(), tets.positions),
        ]
    }

    #[test]
    fn a_point_is_bound_where_it_is_beside_many_copies_of_one_particle() {
        let mut particles = vec![Vec3::X * 0.1; 2 * CANDIDATES];
        particles.extend([Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_Z]);
        let boxes: Vec<Aabb> = particles.iter().map(|&x| Aabb::of([x])).collect();
        let rows: Vec<Vec4> = particles.iter().map(|x| x.extend(1.0)).collect();
        let x = Vec3::new(0.1, 0.02, 0.03);
        let bound = bind_to_nearest(x, &particles, &Bvh::new(&boxes), |_| true).unwrap();
        let off = bound.evaluate(&rows).distance(x);
        assert!(off < 1e-6, "{off} m from where it was: {bound:?}");
    }

    #[test]
    fn a_skin_is_the_surface_at_rest_and_follows_every_rigid_motion() {
        let surface = ring();
        let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 2.0);
        for (skin, particles) in skins(&surface) {
            for (turn, shift) in [(Quat::IDENTITY, Vec3::ZERO), (turn, Vec3::new(1.0, -2.0, 0.5))] {
                let moved = |x: Vec3| turn * x + shift;
                let rows: Vec<Vec4> = particles.iter().map(|&x| moved(x).extend(1.0)).collect();
                for (found, &x) in skin.positions(&rows).into_iter().zip(&surface.positions) {
                    let off = found.distance(moved(x)) / 2.6;
                    assert!(off < 1e-5, "{off} of its size away");
                }
            }
        }
    }

    #[test]
    fn a_skin_on_tetrahedra_follows_every_stretch() {
        let surface = ring();
        let [_, (skin, particles)] = skins(&surface);
        let stretched = |x: Vec3| Vec3::new(2.0 * x.x + 0.3 * x.y, 0.5 * x.y, x.z - x.x);
        let rows: Vec<Vec4> = particles.iter().map(|&x| stretched(x).extend(1.0)).collect();
        for (found, &x) in skin.positions(&rows).into_iter().zip(&surface.positions) {
            assert!(found.distance(stretched(x)) < 1e-5, "{x} went to {found}");
        }
    }

    #[test]
    fn vertices_stay_near_what_they_are_bound_to() {
        let surface = ring();
        for (skin, _) in skins(&surface) {
            let far =
                skin.bindings.iter().flat_map(|b| b.weights).fold(0f32, |m, w| m.max(w.abs()));
            assert!(far < 4.0, "a weight of {far}");
        }
    }

    #[test]
    fn too_few_particles_are_explained() {
        let surface = ring();
        let line: Vec<Vec3> = (0..20).map(|k| Vec3::X * k as f32).collect();
        for particles in [&line[..0], &line[..2], &line[..]] {
            let refused = Skin::on_particles(&surface, particles).unwrap_err();
            assert_eq!(refused, MeshError::TooFewParticles { count: particles.len() });
        }
        let nothing = Skin::on_tets(&surface, &TetMesh::default()).unwrap_err();
        assert_eq!(nothing, MeshError::Nothing);
    }
}
