//! Cloth of links on a grid, of a material.

use super::{Bending, Cloth, positive};
use crate::body::Blueprint;
use crate::constraint::set::Hold;
use crate::constraint::{distance, link_bend};
use crate::error::WorldError;
use crate::material::Sheet;

/// A rectangular cloth in the xz plane, centred, of threads, diagonals and the bend between
/// threads in a row, each as stiff as the material asks. The warp runs along x.
///
/// Links pull along themselves only, so that the diagonals that resist shear, G, also couple warp
/// and weft by as much: the material's own coupling is not used, and G must be less than its
/// stretch stiffness. [`super::ElasticShell`] has no such limits, and takes about three times as
/// long.
#[derive(Clone, Debug, PartialEq)]
pub struct WovenCloth {
    /// Particles along x.
    pub columns: u32,
    /// Particles along z.
    pub rows: u32,
    /// Distance of neighbours along x and along z (m).
    pub spacing: [f32; 2],
    /// What it is made of.
    pub material: Sheet,
}

impl WovenCloth {
    /// Particles, threads, diagonals, bends and triangles.
    ///
    /// ```text
    /// diagonals     k = G l²/2ab                    a, b the cell's sides, l its diagonal
    /// threads       k = (k₁ − G a²/b²) b/a          half of it on the border
    /// bends         k = D₁ b/a
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two rows or columns, a number is out of range, or shear stiffness
    /// leaves nothing for the threads.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        self.material.check()?;
        let Self { columns, rows, spacing, material } = *self;
        let cloth = Cloth {
            columns,
            rows,
            spacing,
            areal_density: material.areal_density,
            radius: material.thickness / 2.0,
            stretch: Hold::RIGID,
            shear: None,
            bending: Bending::Free,
        };
        let mut body = cloth.blueprint()?;
        body.sets.clear(); // the grid is used, not its links
        self.add_threads(&mut body)?;
        self.add_diagonals(&mut body)?;
        self.add_bends(&mut body)?;
        Ok(body)
    }

    fn add_threads(&self, body: &mut Blueprint) -> Result<(), WorldError> {
        for axis in [0, 1] {
            let [a, b] = self.sides(axis);
            let left = self.material.stretch[axis] - self.material.shear * a * a / (b * b);
            positive("stretch stiffness less what the diagonals take", left)?;
            for (row, particles) in self.in_rows::<2>(axis) {
                let stiffness = left * b / a * self.share(axis, row);
                body.join(&distance::KIND, &particles, self.material.hold(stiffness.into(), 1.0))?;
            }
        }
        Ok(())
    }

    fn add_diagonals(&self, body: &mut Blueprint) -> Result<(), WorldError> {
        let [a, b] = self.spacing;
        let stiffness = self.material.shear * (a * a + b * b) / (2.0 * a * b);
        if stiffness == 0.0 {
            return Ok(());
        }
        let hold = self.material.hold(stiffness.into(), 1.0);
        for row in 0..self.rows - 1 {
            for column in 0..self.columns - 1 {
                let at = row * self.columns + column;
                let [right, up] = [at + 1, at + self.columns];
                body.join(&distance::KIND, &[at, up + 1], hold)?;
                body.join(&distance::KIND, &[right, up], hold)?;
            }
        }
        Ok(())
    }

    fn add_bends(&self, body: &mut Blueprint) -> Result<(), WorldError> {
        for axis in [0, 1] {
            let [a, b] = self.sides(axis);
            let stiffness = self.material.bending[axis] * b / a;
            if stiffness == 0.0 {
                continue;
            }
            for (row, particles) in self.in_rows::<3>(axis) {
                let hold = self.material.hold((stiffness * self.share(axis, row)).into(), 1.0);
                body.join(&link_bend::KIND, &particles, hold)?;
            }
        }
        Ok(())
    }

    /// The cell's side along `axis`, and the other (m).
    fn sides(&self, axis: usize) -> [f32; 2] {
        [self.spacing[axis], self.spacing[1 - axis]]
    }

    /// A row on the border stands for half a cell.
    fn share(&self, axis: usize, row: u32) -> f32 {
        let count = [self.rows, self.columns][axis];
        crate::mesh::voxels::border(row, count)
    }

    /// Every `N` neighbours along `axis`, with the number of their row across it.
    fn in_rows<const N: usize>(&self, axis: usize) -> impl Iterator<Item = (u32, [u32; N])> {
        let (columns, rows) = (self.columns, self.rows);
        let (along, across) = if axis == 0 { (columns, rows) } else { (rows, columns) };
        let index = move |i: u32, row: u32| {
            if axis == 0 { row * columns + i } else { i * columns + row }
        };
        (0..across).flat_map(move |row| {
            let last = (along + 1).saturating_sub(N as u32);
            (0..last).map(move |i| (row, std::array::from_fn(|k| index(i + k as u32, row))))
        })
    }
}
