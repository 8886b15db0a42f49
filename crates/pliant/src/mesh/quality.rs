//! How good tetrahedra are.

use glam::DVec3;

use super::TetMesh;

/// What decides how well tetrahedra can be simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// The least and the greatest angle between two faces of a tetrahedron (rad).
    pub dihedral: [f64; 2],
    /// Tetrahedra without positive volume.
    pub inverted: usize,
    /// The sum of the volumes (m³).
    pub volume: f64,
}

impl TetMesh {
    /// Angles, inverted tetrahedra and volume. Of no tetrahedra, the least angle is infinite.
    ///
    /// # Panics
    /// If a tetrahedron names a vertex that is not there.
    pub fn quality(&self) -> Quality {
        let dihedral = [f64::INFINITY, f64::NEG_INFINITY];
        let mut quality = Quality { dihedral, inverted: 0, volume: 0.0 };
        for &tet in &self.tets {
            let volume = self.volume(tet);
            quality.volume += volume;
            quality.inverted += usize::from(volume <= 0.0 || volume.is_nan());
            for angle in dihedrals(tet.map(|corner| self.positions[corner as usize].as_dvec3())) {
                let [least, greatest] = &mut quality.dihedral;
                (*least, *greatest) = (least.min(angle), greatest.max(angle));
            }
        }
        quality
    }
}

/// The angles between the faces of a tetrahedron (rad), one for each edge.
fn dihedrals([a, b, c, d]: [DVec3; 4]) -> [f64; 6] {
    let normal = |a: DVec3, b: DVec3, c: DVec3| (b - a).cross(c - a).normalize_or_zero();
    let faces = [normal(a, c, b), normal(a, b, d), normal(a, d, c), normal(b, c, d)];
    let angle = |i: usize, j: usize| libm::acos((-faces[i].dot(faces[j])).clamp(-1.0, 1.0));
    [angle(0, 1), angle(0, 2), angle(0, 3), angle(1, 2), angle(1, 3), angle(2, 3)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn the_corner_of_a_cube_has_its_angles() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 3], [0, 2, 1, 3]] };
        let quality = mesh.quality();
        assert_eq!((quality.inverted, quality.volume), (1, 0.0));
        let corner = TetMesh { tets: vec![[0, 1, 2, 3]], ..mesh }.quality();
        let [least, greatest] = corner.dihedral;
        assert!((greatest - std::f64::consts::FRAC_PI_2).abs() < 1e-12, "{greatest}");
        assert!((least - libm::acos(1.0 / 3f64.sqrt())).abs() < 1e-12, "{least}");
        assert!((corner.volume - 1.0 / 6.0).abs() < 1e-12);
    }
}
