//! Any triangles become a surface that a body can be made of, with a report of what was done.
//!
//! ```text
//! weld      vertices in one place become one
//! drop      triangles without three corners, triangles twice, vertices without triangles
//! split     edges and vertices where more than two sheets meet come apart
//! agree     neighbours turn the same way round
//! fill      small holes are closed, if asked for
//! outwards  closed parts have their outside outside
//! ```
//!
//! Splitting follows Guéziec et al. 2001, "Cutting and stitching".

mod holes;
mod orient;
mod report;
mod tets;
mod topology;
mod weld;

pub use report::{Report, Scale};
pub use tets::{RepairedTets, TetReport, repair_tets};

use std::error::Error;
use std::fmt;

use glam::Vec3;

use super::TriMesh;
use topology::Sides;

/// Farthest that a vertex may be from the origin (m); the squares of distances must be numbers.
const FARTHEST: f32 = 1e15;

/// How to repair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repair {
    /// Vertices closer than this part of the diagonal of the bounding box become one; 0 welds only
    /// those in the very same place.
    pub weld: f32,
    /// Holes of at most so many edges are closed; 0 closes none.
    pub fill_holes: usize,
    /// What to do where more than two triangles share an edge.
    pub junctions: Junctions,
}

impl Default for Repair {
    /// Welds what differs by rounding, closes no hole, splits junctions.
    fn default() -> Self {
        Self { weld: 1e-6, fill_holes: 0, junctions: Junctions::Split }
    }
}

/// What to do where more than two triangles share an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Junctions {
    /// The sheets come apart: in pairs that enclose something, where the order of their corners
    /// says so, and each with a border of its own where not.
    #[default]
    Split,
    /// The surface is refused.
    Refuse,
}

/// A repaired surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The surface. No vertex is in two sheets, none is without a triangle.
    pub mesh: TriMesh,
    /// Where each given vertex went; none if no triangle of the surface uses it. Of a vertex that
    /// came apart, the part that its first triangle uses.
    pub vertex_map: Vec<Option<u32>>,
    /// What was found and done.
    pub report: Report,
}

/// Repairs a surface.
///
/// ```
/// use pliant::glam::Vec3;
/// use pliant::mesh::{TriMesh, repair::{Repair, repair}};
///
/// // A tetrahedron, each of whose triangles has corners of its own, one inside out.
/// let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let positions = vec![a, c, b, a, b, d, a, d, c, b, d, c];
/// let mesh = TriMesh { positions, triangles: vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]] };
/// let body = repair(&mesh, &Repair::default())?;
/// assert_eq!((body.mesh.positions.len(), body.report.welded, body.report.turned), (4, 8, 1));
/// assert!((body.report.volume - 1.0 / 6.0).abs() < 1e-7 && body.report.is_closed());
/// # Ok::<(), pliant::mesh::repair::RepairError>(())
/// ```
///
/// # Errors
/// If a vertex is not finite or very far away, a triangle names a vertex that is not there, or a
/// junction is to be refused.
pub fn repair(mesh: &TriMesh, how: &Repair) -> Result<Repaired, RepairError> {
    check(mesh, how)?;
    let mut report =
        Report { given: [mesh.positions.len(), mesh.triangles.len()], ..Report::default() };
    let diagonal = report::bounds(&mesh.positions).map_or(0.0, |[low, high]| low.distance(high));
    let (mut positions, welded) = weld::weld(&mesh.positions, how.weld * diagonal);
    report.welded = mesh.positions.len() - positions.len();
    let kept = drop_useless(mesh, &welded, &mut report);
    let mut triangles: Vec<[u32; 3]> =
        kept.iter().map(|&t| mesh.triangles[t].map(|corner| welded[corner as usize])).collect();
    report.unused = positions.len() - count_used(&triangles, positions.len());

    let mut sides = Sides::pair(&positions, &triangles);
    report.junctions = sides.junctions;
    if let (Junctions::Refuse, Some(edge)) = (how.junctions, sides.first_junction) {
        return Err(RepairError::Junction { at: edge.map(|v| positions[v as usize]) });
    }
    report.split = sides.split(&mut positions, &mut triangles);
    let map = vertex_map(mesh, &welded, (&kept, &triangles));

    let mut parts = orient::agree(&mut triangles, &mut sides);
    report.turned = parts.turned;
    holes::fill(&mut positions, &mut triangles, (&sides, &mut parts), how.fill_holes, &mut report);
    orient::outwards(&positions, &mut triangles, &parts, &mut report);

    let (positions, index) = compact(&positions, &mut triangles);
    let vertex_map = map.into_iter().map(|vertex| index[vertex as usize]).collect();
    let mesh = TriMesh { positions, triangles };
    report.measure(&mesh);
    Ok(Repaired { mesh, vertex_map, report })
}

fn check(mesh: &TriMesh, how: &Repair) -> Result<(), RepairError> {
    if !(0.0..=0.1).contains(&how.weld) {
        return Err(RepairError::Weld { weld: how.weld });
    }
    check_positions(&mesh.positions)?;
    let count = mesh.positions.len();
    let missing = |corners: &[u32; 3]| corners.iter().any(|&corner| corner as usize >= count);
    match mesh.triangles.iter().position(missing) {
        Some(triangle) => Err(RepairError::MissingVertex { triangle, count }),
        None => Ok(()),
    }
}

fn check_positions(positions: &[Vec3]) -> Result<(), RepairError> {
    if let Some(vertex) = positions.iter().position(|x| !x.is_finite()) {
        return Err(RepairError::NotFinite { vertex });
    }
    match positions.iter().position(|x| x.abs().max_element() > FARTHEST) {
        Some(vertex) => Err(RepairError::TooFar { vertex }),
        None => Ok(()),
    }
}

/// The triangles that have three corners and were not there before, in order.
fn drop_useless(mesh: &TriMesh, welded: &[u32], report: &mut Report) -> Vec<usize> {
    let mut keys: Vec<([u32; 3], usize)> = Vec::new();
    for (t, corners) in mesh.triangles.iter().enumerate() {
        let mut key = corners.map(|corner| welded[corner as usize]);
        key.sort_unstable();
        if key[0] == key[1] || key[1] == key[2] {
            report.degenerate += 1;
        } else {
            keys.push((key, t));
        }
    }
    keys.sort_unstable();
    let all = keys.len();
    keys.dedup_by_key(|(key, _)| *key);
    report.duplicate = all - keys.len();
    let mut kept: Vec<usize> = keys.into_iter().map(|(_, t)| t).collect();
    kept.sort_unstable();
    kept
}

fn count_used(triangles: &[[u32; 3]], count: usize) -> usize {
    let mut used = vec![false; count];
    triangles.iter().flatten().for_each(|&corner| used[corner as usize] = true);
    used.into_iter().filter(|used| *used).count()
}

/// Where each given vertex is now: where its first triangle has it, or where it was welded to.
fn vertex_map(
    mesh: &TriMesh,
    welded: &[u32],
    (kept, triangles): (&[usize], &[[u32; 3]]),
) -> Vec<u32> {
    let mut map = vec![None; mesh.positions.len()];
    for (&t, corners) in kept.iter().zip(triangles) {
        for (given, corner) in mesh.triangles[t].iter().zip(corners) {
            map[*given as usize].get_or_insert(*corner);
        }
    }
    map.into_iter().zip(welded).map(|(found, welded)| found.unwrap_or(*welded)).collect()
}

/// The vertices that cells use, and where each of all vertices is among them.
fn compact<const N: usize>(
    positions: &[Vec3],
    cells: &mut [[u32; N]],
) -> (Vec<Vec3>, Vec<Option<u32>>) {
    let mut index = vec![None; positions.len()];
    cells.iter().flatten().for_each(|&corner| index[corner as usize] = Some(0));
    index.iter_mut().flatten().zip(0..).for_each(|(index, count)| *index = count);
    for corner in cells.iter_mut().flatten() {
        *corner = index[*corner as usize].unwrap_or_default();
    }
    let used = positions.iter().zip(&index).filter(|(_, index)| index.is_some());
    (used.map(|(x, _)| *x).collect(), index)
}

/// Why a mesh could not be repaired.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RepairError {
    /// A vertex without a place.
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A vertex more than 10¹⁵ m from the origin.
    TooFar {
        /// The vertex.
        vertex: usize,
    },
    /// A triangle or tetrahedron that names a vertex that is not there.
    MissingVertex {
        /// The triangle or tetrahedron.
        triangle: usize,
        /// How many vertices there are.
        count: usize,
    },
    /// Three or more triangles share an edge, and that was to be refused.
    Junction {
        /// The ends of the edge (m).
        at: [Vec3; 2],
    },
    /// A distance for welding that is not from 0 to 0.1 of the diagonal.
    Weld {
        /// What was asked for.
        weld: f32,
    },
}

impl fmt::Display for RepairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { vertex } => write!(f, "vertex {vertex} is not finite"),
            Self::TooFar { vertex } => write!(
                f,
                "vertex {vertex} is more than {FARTHEST:e} m from the origin; scale the mesh down"
            ),
            Self::MissingVertex { triangle, count } => write!(
                f,
                "triangle {triangle} uses a vertex past the last of {count}; \
                 are they counted from 1?"
            ),
            Self::Junction { at: [a, b] } => write!(
                f,
                "more than two triangles meet at the edge from {a} to {b} m; \
                 separate them, or repair with `Junctions::Split`"
            ),
            Self::Weld { weld } => write!(
                f,
                "welding over {weld} of the diagonal of the bounding box; choose from 0 to 0.1"
            ),
        }
    }
}

impl Error for RepairError {}

#[cfg(test)]
mod tests;
