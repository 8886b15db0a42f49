//! Cloth on a rectangular grid.

use glam::Vec3;

use super::{at_least_two, positive};
use crate::body::Blueprint;
use crate::constraint::set::Hold;
use crate::constraint::{bend, distance};
use crate::error::WorldError;
use crate::mesh::hinges;
use crate::mesh::voxels::border;

/// A rectangular cloth in the xz plane, centred, its normal along y.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Particles along x.
    pub columns: u32,
    /// Particles along z.
    pub rows: u32,
    /// Distance of neighbours along x and along z (m).
    pub spacing: [f32; 2],
    /// Mass per area (kg/m²).
    pub areal_density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the threads hold, along x and z.
    pub stretch: Hold,
    /// How firmly both diagonals of every cell hold; `None` leaves them out.
    pub shear: Option<Hold>,
    /// What resists folding.
    pub bending: Bending,
}

/// What resists folding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bending {
    /// Nothing.
    Free,
    /// A link from every particle to the next but one, along x and z.
    Links(Hold),
    /// The angle of every two triangles that share an edge.
    Hinges(Hold),
}

impl Default for Cloth {
    /// Half a metre of cotton-like cloth, with diagonals a hundredth as firm as threads.
    fn default() -> Self {
        Self {
            columns: 21,
            rows: 21,
            spacing: [0.025; 2],
            areal_density: 0.15,
            radius: 0.005,
            stretch: Hold::spring(5e3),
            shear: Some(Hold::spring(50.0)),
            bending: Bending::Links(Hold::spring(1.0)),
        }
    }
}

impl Cloth {
    /// The corners, as particles: both of the side with the lowest z, then the other two.
    pub fn corners(&self) -> [u32; 4] {
        let last_row = (self.rows.max(1) - 1) * self.columns;
        let last = self.columns.max(1) - 1;
        [0, last, last_row, last_row + last]
    }

    /// The particles of one row, from 0.
    pub fn row(&self, row: u32) -> impl Iterator<Item = u32> + use<> {
        row * self.columns..(row + 1) * self.columns
    }

    /// Particles, threads, diagonals and bending.
    ///
    /// # Errors
    /// If there are fewer than two rows or columns, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        at_least_two("cloth columns", self.columns)?;
        at_least_two("cloth rows", self.rows)?;
        positive("cloth spacing", self.spacing[0])?;
        positive("cloth spacing", self.spacing[1])?;
        positive("areal density", self.areal_density)?;
        let name = "cloth".into();
        let mut cloth = Blueprint { name, radius: self.radius, ..Blueprint::default() };
        self.add_particles(&mut cloth);
        self.add_triangles(&mut cloth);
        self.add_links(&mut cloth)?;
        Ok(cloth)
    }

    fn add_particles(&self, cloth: &mut Blueprint) {
        let [dx, dz] = self.spacing;
        let half =
            Vec3::new((self.columns - 1) as f32 * dx, 0.0, (self.rows - 1) as f32 * dz) / 2.0;
        for row in 0..self.rows {
            for column in 0..self.columns {
                let x = Vec3::new(column as f32 * dx, 0.0, row as f32 * dz) - half;
                // A particle stands for the cells around it, of which the border has fewer.
                let cells = border(column, self.columns) * border(row, self.rows);
                cloth.particle(x, self.areal_density * dx * dz * cells);
            }
        }
    }

    fn add_triangles(&self, cloth: &mut Blueprint) {
        for row in 0..self.rows - 1 {
            for column in 0..self.columns - 1 {
                let [a, b, c, d] = self.cell(column, row);
                let pair = if (row + column) % 2 == 0 {
                    [[a, c, b], [b, c, d]]
                } else {
                    [[a, c, d], [a, d, b]]
                };
                cloth.triangles.extend(pair);
            }
        }
    }

    fn add_links(&self, cloth: &mut Blueprint) -> Result<(), WorldError> {
        self.link(cloth, [1, 0], self.stretch)?;
        self.link(cloth, [0, 1], self.stretch)?;
        if let Some(shear) = self.shear {
            self.link(cloth, [1, 1], shear)?;
            self.link(cloth, [-1, 1], shear)?;
        }
        match self.bending {
            Bending::Free => Ok(()),
            Bending::Links(hold) => {
                self.link(cloth, [2, 0], hold)?;
                self.link(cloth, [0, 2], hold)
            }
            Bending::Hinges(hold) => {
                for hinge in hinges(&cloth.triangles) {
                    cloth.join(&bend::KIND, &hinge, hold)?;
                }
                Ok(())
            }
        }
    }

    /// Links every particle to the one `step` columns and rows away.
    fn link(
        &self,
        cloth: &mut Blueprint,
        [columns, rows]: [i32; 2],
        hold: Hold,
    ) -> Result<(), WorldError> {
        for row in 0..self.rows as i32 - rows {
            for column in 0..self.columns as i32 {
                let (to, width) = (column + columns, self.columns as i32);
                if (0..width).contains(&to) {
                    let pair = [row * width + column, (row + rows) * width + to];
                    cloth.join(&distance::KIND, &pair.map(|i| i as u32), hold)?;
                }
            }
        }
        Ok(())
    }

    /// The corners of a cell: lowest x and z, next x, next z, both.
    fn cell(&self, column: u32, row: u32) -> [u32; 4] {
        let a = row * self.columns + column;
        [a, a + 1, a + self.columns, a + self.columns + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::count;
    use super::*;

    #[test]
    fn the_benchmark_cloth_has_its_39_402_links() {
        let cloth = Cloth { columns: 100, rows: 100, bending: Bending::Free, ..Cloth::default() };
        let cloth = cloth.blueprint().unwrap();
        assert_eq!((cloth.positions.len(), count(&cloth, "distance")), (10_000, 39_402));
    }

    #[test]
    fn a_triangle_cloth_has_a_hinge_for_every_inner_edge() {
        let hold = Bending::Hinges(Hold::RIGID);
        let cloth = Cloth { columns: 101, rows: 101, bending: hold, ..Cloth::default() };
        let cloth = cloth.blueprint().unwrap();
        assert_eq!((cloth.triangles.len(), count(&cloth, "bend")), (20_000, 29_800));
    }

    #[test]
    fn mass_does_not_depend_on_resolution() {
        for columns in [2, 11, 41] {
            let spacing = [1.0 / (columns - 1) as f32; 2];
            let cloth = Cloth { columns, rows: columns, spacing, ..Cloth::default() };
            let mass: f32 = cloth.blueprint().unwrap().masses.iter().sum();
            assert!((mass - 0.15).abs() < 1e-5, "1 m² of 0.15 kg/m² weighs {mass} kg");
        }
    }
}
