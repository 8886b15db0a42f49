//! Tetrahedra from a file become a body, with a report of what was done.

use std::fmt;

use glam::Vec3;

use super::super::TetMesh;
use super::report::{bounds, number};
use super::{RepairError, check_positions, compact};

/// A tetrahedron is flat if its volume is less than this part of the cube of its longest edge:
/// what rounding of `f32` coordinates leaves of it.
const FLAT: f64 = 1e-7;

/// Tetrahedra below this quality make a simulation slow to settle.
const POOR: f64 = 0.1;

/// Repaired tetrahedra.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedTets {
    /// The tetrahedra, all with a positive volume, and the vertices that they use.
    pub mesh: TetMesh,
    /// Where each given vertex went; none if no tetrahedron uses it.
    pub vertex_map: Vec<Option<u32>>,
    /// What was found and done.
    pub report: TetReport,
}

/// What was found in tetrahedra, and what was done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetReport {
    /// Vertices and tetrahedra that were given.
    pub given: [usize; 2],
    /// Vertices and tetrahedra that there are now.
    pub now: [usize; 2],
    /// Vertices that no tetrahedron used, and that were dropped.
    pub unused: usize,
    /// Tetrahedra without a volume, which were dropped.
    pub flat: usize,
    /// Tetrahedra with the corners of an earlier one, which were dropped.
    pub duplicate: usize,
    /// Tetrahedra that were inside out, and that were turned.
    pub turned: usize,
    /// Tetrahedra of a quality below 0.1.
    pub poor: usize,
    /// The volume of all (m³).
    pub volume: f64,
    /// The smallest and the largest volume (m³).
    pub volumes: [f64; 2],
    /// The worst quality: 1 for a regular tetrahedron, 0 for a flat one.
    pub worst: f64,
    /// The lowest and highest corner of the bounding box (m).
    pub bounds: [Vec3; 2],
}

/// Repairs tetrahedra: turns those that are inside out, drops those that are flat or there twice,
/// and vertices that none uses.
///
/// # Errors
/// If a vertex is not finite or very far away, or a tetrahedron names a vertex that is not there.
pub fn repair_tets(mesh: &TetMesh) -> Result<RepairedTets, RepairError> {
    let count = mesh.positions.len();
    check_positions(&mesh.positions)?;
    let missing = |tet: &[u32; 4]| tet.iter().any(|&corner| corner as usize >= count);
    if let Some(triangle) = mesh.tets.iter().position(missing) {
        return Err(RepairError::MissingVertex { triangle, count });
    }
    let mut report = TetReport {
        given: [count, mesh.tets.len()],
        worst: 1.0,
        volumes: [f64::INFINITY, 0.0],
        ..TetReport::default()
    };
    let mut tets = Vec::new();
    for t in first_of_each(&mesh.tets, &mut report) {
        tets.extend(upright(mesh, mesh.tets[t], &mut report));
    }
    let (positions, vertex_map) = compact(&mesh.positions, &mut tets);
    let mesh = TetMesh { positions, tets };
    report.unused = count - mesh.positions.len();
    report.now = [mesh.positions.len(), mesh.tets.len()];
    report.bounds = bounds(&mesh.positions).unwrap_or_default();
    if mesh.tets.is_empty() {
        report.volumes = [0.0; 2];
        report.worst = 0.0;
    }
    Ok(RepairedTets { mesh, vertex_map, report })
}

/// The tetrahedra that were not there before, in order.
fn first_of_each(tets: &[[u32; 4]], report: &mut TetReport) -> Vec<usize> {
    let sorted = |t: usize| {
        let mut key = tets[t];
        key.sort_unstable();
        key
    };
    let mut order: Vec<_> = (0..tets.len()).map(|t| (sorted(t), t)).collect();
    order.sort_unstable();
    order.dedup_by_key(|(key, _)| *key);
    report.duplicate = tets.len() - order.len();
    let mut first: Vec<_> = order.into_iter().map(|(_, t)| t).collect();
    first.sort_unstable();
    first
}

/// The tetrahedron with a positive volume; nothing if it is flat.
fn upright(mesh: &TetMesh, mut tet: [u32; 4], report: &mut TetReport) -> Option<[u32; 4]> {
    let [a, b, c, d] = tet.map(|corner| mesh.positions[corner as usize].as_dvec3());
    let edges = [b - a, c - a, d - a, c - b, d - b, d - c].map(|edge| edge.length_squared());
    let longest = edges.iter().copied().fold(0.0, f64::max).sqrt();
    let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
    if volume.abs() <= FLAT * longest * longest * longest {
        report.flat += 1;
        return None;
    }
    if volume < 0.0 {
        tet.swap(2, 3);
        report.turned += 1;
    }
    let volume = volume.abs();
    // The mean ratio: 12 (3V)^⅔ / Σ l². Liu and Joe 1994.
    let quality = 12.0 * libm::cbrt(9.0 * volume * volume) / edges.iter().sum::<f64>();
    report.worst = report.worst.min(quality);
    report.poor += usize::from(quality < POOR);
    report.volume += volume;
    report.volumes = [report.volumes[0].min(volume), report.volumes[1].max(volume)];
    Some(tet)
}

impl fmt::Display for TetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [given, now] = [self.given, self.now];
        writeln!(f, "{:<26} {:>12}   given {}", "vertices", now[0], given[0])?;
        writeln!(f, "{:<26} {:>12}   given {}", "tetrahedra", now[1], given[1])?;
        let rows = [
            ("vertices not used", self.unused, "dropped"),
            ("tetrahedra without volume", self.flat, "dropped"),
            ("tetrahedra twice", self.duplicate, "dropped"),
            ("tetrahedra inside out", self.turned, "turned"),
            ("tetrahedra of poor shape", self.poor, "quality below 0.1"),
        ];
        for (what, count, action) in rows.into_iter().filter(|row| row.1 > 0) {
            writeln!(f, "{what:<26} {count:>12}   {action}")?;
        }
        writeln!(f, "{:<26} {:>12} m³", "volume", number(self.volume))?;
        let [least, most] = self.volumes;
        writeln!(
            f,
            "{:<26} {:>12} m³",
            "volume of one, range",
            format!("{least:.2e} to {most:.2e}")
        )?;
        write!(f, "{:<26} {:>12.4}   1 is regular", "worst quality", self.worst)
    }
}
