//! Parts of a filling that hang on nothing: where a solid is thinner than the cells, what connects two
//! parts may be missing, and the smaller one would fall off.

use std::collections::BTreeMap;

use glam::DVec3;

use super::joined::Joined;
use super::{TetMesh, TriMesh, drop_unused};

impl TetMesh {
    /// Without parts that are loose although the surface that was filled hangs together there: of
    /// every part of the surface, the largest part of the filling stays.
    pub(crate) fn without_loose(mut self, surface: &TriMesh) -> Self {
        let mut joined = Joined::of(self.positions.len(), &self.tets);
        let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
        for &tet in &self.tets {
            let middle = tet.iter().map(|&i| self.positions[i as usize].as_dvec3()).sum::<DVec3>();
            let part = parts.entry(joined.root(tet[0])).or_default();
            let volume = self.volume(tet);
            part.volume += volume;
            part.moment += middle * (0.25 * volume);
        }
        if parts.len() < 2 {
            return self;
        }
        let kept = largest(&parts, surface);
        self.tets.retain(|tet| kept.contains(&joined.root(tet[0])));
        let used = drop_unused(self.positions.len(), &mut self.tets);
        self.positions = used.iter().map(|&i| self.positions[i as usize]).collect();
        self
    }
}

/// A part of a filling.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// m³.
    volume: f64,
    /// Volume times its middle (m⁴).
    moment: DVec3,
}

/// The names of the largest parts, one of each part of the surface.
fn largest(parts: &BTreeMap<u32, Part>, surface: &TriMesh) -> Vec<u32> {
    let mut shells = Joined::of(surface.positions.len(), &surface.triangles);
    let mut best: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
    for (&name, part) in parts {
        let middle = part.moment / part.volume;
        let far = |i: &u32| surface.positions[*i as usize].as_dvec3().distance_squared(middle);
        let corners = surface.triangles.as_flattened().iter().copied();
        let Some(nearest) = corners.min_by(|a, b| far(a).total_cmp(&far(b))) else { continue };
        let largest = best.entry(shells.root(nearest)).or_insert((part.volume, name));
        if part.volume > largest.0 {
            *largest = (part.volume, name);
        }
    }
    best.into_values().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::voxels::Voxels;
    use glam::{UVec3, Vec3};

    /// The tetrahedra of boxes of so many points, side by side.
    fn boxes(sizes: &[u32]) -> TetMesh {
        let mut mesh = TetMesh::default();
        for (k, &size) in sizes.iter().enumerate() {
            let counts = UVec3::splat(size);
            let voxels = Voxels::block(counts, 0.1);
            let cube = TetMesh { positions: voxels.positions().collect(), tets: voxels.tets() };
            let first = mesh.positions.len() as u32;
            let place = Vec3::X * (2.0 * k as f32);
            mesh.positions.extend(cube.positions.iter().map(|x| *x + place));
            mesh.tets.extend(cube.tets.iter().map(|tet| tet.map(|i| i + first)));
        }
        mesh
    }

    fn surface(mesh: &TetMesh) -> TriMesh {
        let triangles = super::super::boundary(&mesh.tets);
        TriMesh { positions: mesh.positions.clone(), triangles }
    }

    #[test]
    fn what_hangs_on_nothing_goes_and_what_is_apart_stays() {
        let mesh = boxes(&[3, 2]);
        assert_eq!(mesh.clone().without_loose(&surface(&mesh)), mesh, "two boxes are two boxes");
        let mut bridged = surface(&mesh);
        bridged.triangles.push([0, 1, 27]); // from one to the other
        let left = mesh.clone().without_loose(&bridged);
        assert_eq!((left.tets.len(), left.positions.len()), (boxes(&[3]).tets.len(), 27));
        assert_eq!(left, boxes(&[3]).without_loose(&surface(&boxes(&[3]))));
    }
}
