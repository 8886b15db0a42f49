//! Small holes are closed.

use glam::Vec3;

use super::orient::{Parts, loops};
use super::report::Report;
use super::topology::{Sides, next, start};

/// Closes holes of at most `most` edges: of three with a triangle, of more with a fan around a
/// vertex in their middle.
///
/// A fan adds no edge that another triangle could have already. A part without a vertex away from
/// its border, such as a single triangle, is left alone: closed, it would enclose nothing.
pub(super) fn fill(
    positions: &mut Vec<Vec3>,
    triangles: &mut Vec<[u32; 3]>,
    (sides, parts): (&Sides, &mut Parts),
    most: usize,
    report: &mut Report,
) {
    let holes = loops(triangles, sides, parts, positions.len());
    report.holes = holes.len();
    for hole in holes {
        let part = parts.of[hole[0] as usize / 3];
        let count = parts.size[part as usize];
        if hole.len() > most || hole.len() < 3 || count < hole.len() {
            continue;
        }
        let border: Vec<[u32; 2]> = hole
            .iter()
            .map(|&side| [start(triangles, side), start(triangles, next(side))])
            .collect();
        if let [[a, _], [b, _], [c, _]] = border[..] {
            triangles.push([a, c, b]);
        } else {
            let sum: Vec3 = border.iter().map(|[from, _]| positions[*from as usize]).sum();
            positions.push(sum / border.len() as f32);
            let middle = positions.len() as u32 - 1;
            // Against the border, as a neighbour runs.
            triangles.extend(border.iter().map(|[from, to]| [*to, *from, middle]));
        }
        parts.of.resize(triangles.len(), part);
        parts.open[part as usize] -= hole.len();
        report.filled += 1;
        report.holes -= 1;
    }
}
