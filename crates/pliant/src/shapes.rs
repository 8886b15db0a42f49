//! Bodies made from a few numbers: cloth, rope, lattice and tetrahedral boxes.
//!
//! Each is a plain struct with defaults; `blueprint` turns it into particles and constraints.
//! They are built about the origin; [`Blueprint::placed`] puts them anywhere, turned anyhow.

use glam::{UVec3, Vec3};

use crate::body::{Blueprint, check_particles};
use crate::constraint::set::Hold;
use crate::constraint::{bend, distance, volume};
use crate::error::WorldError;
use crate::mesh::{TetMesh, boundary, edges, hinges};

pub mod balloon;
pub mod matched;

/// The directions of a lattice link, one of each pair: to every neighbour within the diagonal of
/// a cell.
const LINKS: [[i32; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
];

/// The corners of a cell, numbered by their bits: x + 2 y + 4 z.
const CORNERS: [UVec3; 8] = [
    UVec3::new(0, 0, 0),
    UVec3::new(1, 0, 0),
    UVec3::new(0, 1, 0),
    UVec3::new(1, 1, 0),
    UVec3::new(0, 0, 1),
    UVec3::new(1, 0, 1),
    UVec3::new(0, 1, 1),
    UVec3::new(1, 1, 1),
];

/// Five tetrahedra that fill a cell, for even cells; odd cells are their mirror image in x, so
/// that the diagonals of neighbours meet.
const TETS: [[usize; 4]; 5] =
    [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];

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

/// A rope along x, its first particle at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// Links; there is one particle more.
    pub segments: u32,
    /// Length (m).
    pub length: f32,
    /// Mass per length (kg/m).
    pub linear_density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the links hold.
    pub stretch: Hold,
    /// How firmly every particle is linked to the next but one; `None` lets it fold freely.
    pub bending: Option<Hold>,
}

impl Default for Rope {
    /// A metre of climbing rope.
    fn default() -> Self {
        Self {
            segments: 40,
            length: 1.0,
            linear_density: 0.07,
            radius: 0.005,
            stretch: Hold::spring(1e5),
            bending: None,
        }
    }
}

impl Rope {
    /// Particles and links.
    ///
    /// # Errors
    /// If there is no segment, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        at_least_two("rope particles", self.segments.saturating_add(1))?;
        positive("rope length", self.length)?;
        positive("linear density", self.linear_density)?;
        let mut rope =
            Blueprint { name: "rope".into(), radius: self.radius, ..Blueprint::default() };
        let spacing = self.length / self.segments as f32;
        for i in 0..=self.segments {
            let share = border(i, self.segments + 1);
            rope.particle(Vec3::X * (i as f32 * spacing), self.linear_density * spacing * share);
        }
        for i in 0..self.segments {
            rope.join(&distance::KIND, &[i, i + 1], self.stretch)?;
        }
        if let Some(hold) = self.bending {
            for i in 0..self.segments - 1 {
                rope.join(&distance::KIND, &[i, i + 2], hold)?;
            }
        }
        Ok(rope)
    }
}

/// A box of particles, each linked to all neighbours within the diagonal of a cell; centred.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    /// Particles along x, y and z.
    pub counts: UVec3,
    /// Distance of neighbours along the axes (m).
    pub spacing: f32,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the links hold.
    pub links: Hold,
}

impl Default for Lattice {
    /// Ten centimetres of soft rubber foam.
    fn default() -> Self {
        Self {
            counts: UVec3::splat(5),
            spacing: 0.025,
            density: 200.0,
            radius: 0.0125,
            links: Hold::spring(500.0),
        }
    }
}

impl Lattice {
    /// Particles, links and surface.
    ///
    /// # Errors
    /// If there are fewer than two particles along an axis, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        let grid = Grid::new(self.counts, self.spacing, self.density)?;
        let mut body = grid.particles("lattice", self.radius);
        for at in grid.points() {
            for link in LINKS {
                if let Some(to) = grid.neighbour(at, link) {
                    body.join(&distance::KIND, &[grid.index(at), to], self.links)?;
                }
            }
        }
        // The five tetrahedra of a cell are not simulated here, but their outside is the surface.
        body.triangles = boundary(&grid.tets());
        Ok(body)
    }
}

/// A box of tetrahedra, five to a cell, with links on their edges; centred.
#[derive(Clone, Debug, PartialEq)]
pub struct TetBox {
    /// Particles along x, y and z.
    pub counts: UVec3,
    /// Size of a cell (m).
    pub spacing: f32,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the edges hold.
    pub edges: Hold,
    /// How firmly each tetrahedron keeps its volume.
    pub volume: Hold,
}

impl Default for TetBox {
    /// Ten centimetres of jelly.
    fn default() -> Self {
        Self {
            counts: UVec3::splat(6),
            spacing: 0.02,
            density: 1000.0,
            radius: 0.0,
            edges: Hold::spring(200.0),
            volume: Hold::RIGID,
        }
    }
}

impl TetBox {
    /// Particles, edges, tetrahedra and surface.
    ///
    /// # Errors
    /// If there are fewer than two particles along an axis, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        let grid = Grid::new(self.counts, self.spacing, self.density)?;
        let positions = grid.particles("tetrahedral box", self.radius).positions;
        let Self { density, radius, edges, volume, .. } = *self;
        let mesh = TetMesh { positions, tets: grid.tets() };
        TetBody { mesh, density, radius, edges, volume }.blueprint()
    }
}

/// A body of tetrahedra, with links on their edges.
#[derive(Clone, Debug, PartialEq)]
pub struct TetBody {
    /// The tetrahedra.
    pub mesh: TetMesh,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the edges hold.
    pub edges: Hold,
    /// How firmly each tetrahedron keeps its volume.
    pub volume: Hold,
}

impl TetBody {
    /// Particles, edges, tetrahedra and surface.
    ///
    /// # Errors
    /// If a tetrahedron names a vertex that is not there or one twice, has no volume so that a
    /// vertex has no mass, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        positive("density", self.density)?;
        let TetMesh { positions, tets } = &self.mesh;
        check_particles("tetrahedron", tets.as_flattened(), positions.len())?;
        let mut body = Blueprint {
            name: "tetrahedra".into(),
            radius: self.radius,
            positions: positions.clone(),
            masses: self.mesh.volumes().iter().map(|volume| self.density * volume).collect(),
            triangles: boundary(tets),
            ..Blueprint::default()
        };
        for edge in edges(tets) {
            body.join(&distance::KIND, &edge, self.edges)?;
        }
        for tet in tets {
            body.join(&volume::KIND, tet, self.volume)?;
        }
        Ok(body)
    }
}

/// Particles at the corners of cubic cells.
struct Grid {
    counts: UVec3,
    spacing: f32,
    density: f32,
}

impl Grid {
    fn new(counts: UVec3, spacing: f32, density: f32) -> Result<Self, WorldError> {
        counts.to_array().into_iter().try_for_each(|count| at_least_two("box particles", count))?;
        positive("box spacing", spacing)?;
        positive("density", density)?;
        Ok(Self { counts, spacing, density })
    }

    fn points(&self) -> impl Iterator<Item = UVec3> + use<> {
        let counts = self.counts;
        (0..counts.z).flat_map(move |z| {
            (0..counts.y).flat_map(move |y| (0..counts.x).map(move |x| UVec3::new(x, y, z)))
        })
    }

    fn index(&self, at: UVec3) -> u32 {
        (at.z * self.counts.y + at.y) * self.counts.x + at.x
    }

    fn neighbour(&self, at: UVec3, by: [i32; 3]) -> Option<u32> {
        let to = at.as_ivec3() + glam::IVec3::from_array(by);
        let inside = to.cmpge(glam::IVec3::ZERO).all() && to.cmplt(self.counts.as_ivec3()).all();
        inside.then(|| self.index(to.as_uvec3()))
    }

    fn particles(&self, name: &str, radius: f32) -> Blueprint {
        let mut body = Blueprint { name: name.into(), radius, ..Blueprint::default() };
        let half = (self.counts - UVec3::ONE).as_vec3() * (self.spacing / 2.0);
        let cell = self.density * self.spacing * self.spacing * self.spacing;
        for at in self.points() {
            let cells = border(at.x, self.counts.x)
                * border(at.y, self.counts.y)
                * border(at.z, self.counts.z);
            body.particle(at.as_vec3() * self.spacing - half, cell * cells);
        }
        body
    }

    /// Five tetrahedra for each cell, all with positive volume.
    fn tets(&self) -> Vec<[u32; 4]> {
        let cells = self.counts - UVec3::ONE;
        let inner = self.points().filter(|at| at.cmplt(cells).all());
        inner
            .flat_map(|at| {
                let odd = (at.x + at.y + at.z) % 2;
                TETS.map(|tet| {
                    // Mirroring turns a tetrahedron inside out; swapping two corners turns it back.
                    let [a, b, c, d] = tet.map(|k| self.index(at + CORNERS[k ^ odd as usize]));
                    if odd == 0 { [a, b, c, d] } else { [a, c, b, d] }
                })
            })
            .collect()
    }
}

/// The share of a cell's side that belongs to particle `i` of `count`: half at the ends.
fn border(i: u32, count: u32) -> f32 {
    if i == 0 || i + 1 == count { 0.5 } else { 1.0 }
}

fn positive(what: &'static str, value: f32) -> Result<(), WorldError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(WorldError::BadNumber { what, value, needs: "positive and finite" })
}

fn at_least_two(what: &'static str, value: u32) -> Result<(), WorldError> {
    if value >= 2 {
        return Ok(());
    }
    Err(WorldError::BadNumber { what, value: value as f32, needs: "at least 2" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(blueprint: &Blueprint, kind: &str) -> usize {
        blueprint.sets.iter().filter(|set| set.kind().name == kind).map(|set| set.len()).sum()
    }

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
    fn the_benchmark_cube_has_its_edges_and_tetrahedra() {
        let cube = TetBox { counts: UVec3::splat(20), ..TetBox::default() }.blueprint().unwrap();
        assert_eq!((count(&cube, "distance"), count(&cube, "volume")), (44_460, 34_295));
    }

    #[test]
    fn tetrahedra_fill_the_box_and_none_is_inside_out() {
        let counts = UVec3::new(3, 4, 5);
        let cube = TetBox { counts, spacing: 0.5, ..TetBox::default() }.blueprint().unwrap();
        let volumes = cube.sets.iter().find(|set| set.kind().name == "volume").unwrap();
        let mut sum = 0.0;
        for number in 0..volumes.len() {
            let volume = volumes.rest(number).next().unwrap();
            assert!(volume > 0.0, "tetrahedron {number} has volume {volume} m³");
            sum += volume;
        }
        assert!((sum - 3.0).abs() < 1e-5, "the volumes sum to {sum} m³, the box has 3");
    }

    #[test]
    fn a_box_surface_is_closed_and_encloses_its_volume() {
        for body in [
            Lattice { counts: UVec3::new(2, 3, 4), spacing: 1.0, ..Lattice::default() }.blueprint(),
            TetBox { counts: UVec3::new(2, 3, 4), spacing: 1.0, ..TetBox::default() }.blueprint(),
        ] {
            let body = body.unwrap();
            let x = |i: u32| body.positions[i as usize];
            let volume: f32 =
                body.triangles.iter().map(|&[a, b, c]| x(a).cross(x(b)).dot(x(c)) / 6.0).sum();
            assert!((volume - 6.0).abs() < 1e-5, "{} encloses {volume} m³, not 6", body.name);
            assert_eq!(hinges(&body.triangles).len() * 2, body.triangles.len() * 3);
        }
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

    #[test]
    fn sizes_that_make_no_body_are_refused() {
        assert!(Cloth { columns: 1, ..Cloth::default() }.blueprint().is_err());
        assert!(Cloth { spacing: [0.0, 1.0], ..Cloth::default() }.blueprint().is_err());
        assert!(Rope { segments: 0, ..Rope::default() }.blueprint().is_err());
        assert!(Rope { length: f32::NAN, ..Rope::default() }.blueprint().is_err());
        assert!(Lattice { counts: UVec3::ZERO, ..Lattice::default() }.blueprint().is_err());
        assert!(TetBox { density: -1.0, ..TetBox::default() }.blueprint().is_err());
    }
}
