//! A shirt with short sleeves.

use std::collections::BTreeMap;

use glam::Vec3;

use super::Solid;
use crate::mesh::{MeshError, TriMesh};

/// See [`shirt`].
pub const SOLID: &Solid = &Solid {
    name: "shirt",
    shows: "a shirt with short sleeves: an open surface, for cloth",
    make: shirt,
    holes: 0,
    rims: 4,
    volume: None,
};

/// Half of what the neck, the torso and the span of the sleeves measure (m).
const NECK: f32 = 0.1;
const TORSO: f32 = 0.25;
const SPAN: f32 = 0.45;
/// How long it is, and how wide a sleeve (m).
const LENGTH: f32 = 0.66;
const SLEEVE: f32 = 0.2;
/// How far the shoulders fall for each metre to the side, and the neck in front (m).
const SLOPE: f32 = 0.3;
const NECKLINE: f32 = 0.06;
/// How far front and back are from the plane of the seams (m), and how far from a seam they are as far as that.
const DEPTH: f32 = 0.07;
const ROUNDED: f32 = 0.12;
/// Coarsest that has a place on every rim, and finest that is a body.
const COARSEST: u32 = 20;
const FINEST: u32 = 4096;

/// A side of the shirt: its normal along z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Front,
    Back,
    /// Where both are sewn together.
    Seam,
}

/// A shirt for somebody of 1.7 m that hangs in the plane of x and y, its hem at y = 0, with cells of `1 / detail` (m). Open
/// at the hem, the neck and both cuffs.
///
/// # Errors
/// If the cells are too small.
pub fn shirt(detail: u32) -> Result<TriMesh, MeshError> {
    if detail > FINEST {
        let (cell, side, least) = (1.0 / detail as f32, 2.0 * SPAN, 1.0 / FINEST as f32);
        return Err(MeshError::Cell { cell, side, least });
    }
    Ok(Pattern::new(detail.max(COARSEST)).sewn())
}

/// The shirt as it is cut: squares of a grid.
struct Pattern {
    cell: f32,
    /// Half of the neck, of the torso and of the span, and the length and the lower edge of the sleeves (cells).
    neck: i32,
    torso: i32,
    span: i32,
    length: i32,
    armpit: i32,
}

impl Pattern {
    fn new(detail: u32) -> Self {
        let cells = |size: f32| (size * detail as f32 + 0.5) as i32;
        let length = cells(LENGTH);
        Self {
            cell: 1.0 / detail as f32,
            neck: cells(NECK),
            torso: cells(TORSO),
            span: cells(SPAN),
            length,
            armpit: length - cells(SLEEVE),
        }
    }

    /// Whether there is cloth in the square to the upper right of a corner.
    fn has(&self, i: i32, j: i32) -> bool {
        let width = if j < self.armpit { self.torso } else { self.span };
        (-width..width).contains(&i) && (0..self.length).contains(&j)
    }

    /// Whether front and back are one at a corner: on the outline, but not where a rim is open.
    fn is_sewn(&self, i: i32, j: i32) -> bool {
        let around = [(0, 0), (-1, 0), (0, -1), (-1, -1)];
        let inside = around.iter().all(|(x, y)| self.has(i + x, j + y));
        let hem = j == 0 && i.abs() < self.torso;
        let neck = j == self.length && i.abs() < self.neck;
        let cuff = i.abs() == self.span && self.armpit < j && j < self.length;
        !(inside || hem || neck || cuff)
    }

    fn sewn(&self) -> TriMesh {
        let squares: Vec<[i32; 2]> = (0..self.length)
            .flat_map(|j| (-self.span..self.span).map(move |i| [i, j]))
            .filter(|&[i, j]| self.has(i, j))
            .collect();
        let mut mesh = TriMesh::default();
        let mut numbers = BTreeMap::new();
        for side in [Side::Front, Side::Back] {
            for &[i, j] in &squares {
                let corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
                let [a, b, c, d] = corners.map(|[i, j]| {
                    let side = if self.is_sewn(i, j) { Side::Seam } else { side };
                    *numbers.entry((i, j, side)).or_insert_with(|| {
                        mesh.positions.push(self.place([i, j], side));
                        mesh.positions.len() as u32 - 1
                    })
                });
                // Diagonals that alternate, so that the cloth bends alike in both directions.
                let halves =
                    if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                let turned =
                    |[a, b, c]: [u32; 3]| if side == Side::Back { [a, c, b] } else { [a, b, c] };
                mesh.triangles.extend(halves.map(turned));
            }
        }
        mesh
    }

    /// Where a corner is when the shirt hangs.
    fn place(&self, [i, j]: [i32; 2], side: Side) -> Vec3 {
        let [x, y] = [i, j].map(|k| k as f32 * self.cell);
        let high = y / LENGTH;
        let fall = SLOPE * (x.abs() - NECK).max(0.0) * high;
        let open = (1.0 - (x / NECK) * (x / NECK)).max(0.0);
        let dip =
            if side == Side::Front { NECKLINE * open * high * high * high * high } else { 0.0 };
        let z = match side {
            Side::Front => self.depth([i, j]),
            Side::Back => -self.depth([i, j]),
            Side::Seam => 0.0,
        };
        Vec3::new(x, y - fall - dip, z)
    }

    /// Round beside a seam, then flat.
    fn depth(&self, [i, j]: [i32; 2]) -> f32 {
        let away = 1.0 - (self.to_seam(i, j) / ROUNDED).min(1.0);
        DEPTH * (1.0 - away * away)
    }

    /// How far the nearest seam is (m): the sides, the sleeves' lower and upper edges, the shoulders.
    fn to_seam(&self, i: i32, j: i32) -> f32 {
        let to = |[low, high]: [[i32; 2]; 2]| {
            let off = |at: i32, k: usize| (low[k] - at).max(at - high[k]).max(0) as f32;
            let [x, y] = [off(i.abs(), 0), off(j, 1)];
            (x * x + y * y).sqrt() * self.cell
        };
        let seams = [
            [[self.torso, 0], [self.torso, self.armpit]],
            [[self.torso, self.armpit], [self.span, self.armpit]],
            [[self.neck, self.length], [self.span, self.length]],
        ];
        seams.into_iter().map(to).fold(f32::MAX, f32::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::sides;

    #[test]
    fn a_shirt_is_as_large_as_its_pattern() {
        let cloth = 2.0 * (2.0 * TORSO * LENGTH + 2.0 * (SPAN - TORSO) * SLEEVE);
        let shirt = shirt(50).unwrap();
        let area: f32 = shirt
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| shirt.positions[i as usize]);
                (b - a).cross(c - a).length() / 2.0
            })
            .sum();
        // It is round beside the seams, which takes cloth.
        assert!(area > cloth && area < 1.2 * cloth, "{area} m² of a pattern of {cloth} m²");
        let lengths = sides(&shirt.triangles)
            .into_iter()
            .map(|[a, b]| shirt.positions[a as usize].distance(shirt.positions[b as usize]));
        let (least, most) = lengths.fold((f32::MAX, 0.0f32), |(l, m), x| (l.min(x), m.max(x)));
        assert!(least > 0.5 / 50.0 && most < 4.0 / 50.0, "edges from {least} to {most} m");
    }
}
