//! What the laws of Turek and Hron's beam share: an elastic beam in the plane, as triangles.

use glam::{DVec3, Vec3};

use super::super::LawError;
use super::position;
use super::stepper::step;
use crate::material::{Damping, Sheet};
use crate::mesh::TriMesh;
use crate::shapes::{ElasticShell, Folding};
use crate::world::{Config, Precision, World};

/// Length and height of the beam (m).
pub(in crate::laws) const LENGTH: f64 = 0.35;
const HEIGHT: f64 = 0.02;
/// Mass per volume (kg/m³), and Poisson's ratio.
pub(in crate::laws) const DENSITY: f64 = 1000.0;
pub(in crate::laws) const POISSON: f64 = 0.4;

/// The beam of Turek and Hron 2006, "Proposal for numerical benchmarking of fluid-structure
/// interaction between an elastic object and laminar incompressible flow": plane strain of a Saint
/// Venant-Kirchhoff material, clamped at the left, under gravity.
pub(in crate::laws) struct PlaneBeam {
    /// Cells over the height, and as many more along as keep them square.
    pub(in crate::laws) cells: u32,
    /// Shear modulus (Pa).
    pub(in crate::laws) shear: f64,
    pub(in crate::laws) gravity: f64,
    /// Solver iterations of a step.
    pub(in crate::laws) iterations: u32,
    /// Time step, over the time in which a wave crosses a cell.
    pub(in crate::laws) step: f64,
    /// What is taken from velocities (1/s).
    pub(in crate::laws) damping: f64,
}

impl PlaneBeam {
    /// The first frequency of a clamped beam (1/s): 1.8751² √(EI/ρA)/L², in plane strain.
    pub(in crate::laws) fn slowest(&self) -> f64 {
        let young = 2.0 * self.shear * (1.0 + POISSON) / (1.0 - POISSON * POISSON);
        3.516 * (young / DENSITY / 12.0).sqrt() * HEIGHT / (LENGTH * LENGTH)
    }

    /// Lamé's constants (Pa).
    fn lame(&self) -> [f64; 2] {
        [2.0 * self.shear * POISSON / (1.0 - 2.0 * POISSON), self.shear]
    }

    /// Time step (s).
    pub(in crate::laws) fn h(&self) -> f64 {
        let [lambda, mu] = self.lame();
        self.step * HEIGHT / f64::from(self.cells) / ((lambda + 2.0 * mu) / DENSITY).sqrt()
    }

    fn columns(&self) -> u32 {
        (f64::from(self.cells) * LENGTH / HEIGHT).round() as u32
    }

    /// Plane strain is a sheet whose stiffnesses are Lamé's constants.
    fn shell(&self) -> ElasticShell {
        let [lambda, mu] = self.lame();
        let material = Sheet {
            stretch: [(lambda + 2.0 * mu) as f32; 2],
            coupling: lambda as f32,
            shear: mu as f32,
            bending: [0.0; 2],
            areal_density: DENSITY as f32,
            thickness: 1e-3,
            damping: Damping::NONE,
        };
        let (columns, rows) = (self.columns(), self.cells);
        let mut mesh = TriMesh::default();
        for i in 0..(columns + 1) * (rows + 1) {
            let (column, row) = (i % (columns + 1), i / (columns + 1));
            let x = LENGTH * f64::from(column) / f64::from(columns);
            let y = HEIGHT * (f64::from(row) / f64::from(rows) - 0.5);
            mesh.positions.push(Vec3::new(x as f32, y as f32, 0.0));
            if column < columns && row < rows {
                let [b, c, d] = [i + 1, i + columns + 1, i + columns + 2];
                mesh.triangles.extend(if (row + column) % 2 == 0 {
                    [[i, b, c], [b, d, c]]
                } else {
                    [[i, b, d], [i, d, c]]
                });
            }
        }
        ElasticShell { mesh, material, warp: Vec3::X, folding: Folding::Angle }
    }

    /// Where the middle of the free end goes (m), from where it was, after every step of `seconds`.
    pub(in crate::laws) fn swing(&self, seconds: f64) -> Result<Vec<DVec3>, LawError> {
        let shell = self.shell();
        let at = |x: f64| {
            let near = move |p: &Vec3| (f64::from(p.x) - x).abs() < 1e-3 * HEIGHT;
            (0u32..).zip(&shell.mesh.positions).filter(move |(_, p)| near(p)).map(|(i, _)| i)
        };
        let mut world = World::new(Config {
            substeps: 1,
            iterations: self.iterations,
            precision: Precision::Carried,
            threads: 1,
            gravity: super::down(self.gravity),
            damping: self.damping as f32,
            ..Config::default()
        });
        world.add(&shell.blueprint()?.pinned(&at(0.0).collect::<Vec<u32>>()))?;
        let end: Vec<u32> = at(LENGTH).collect();
        let middle = |world: &World| {
            end.iter().map(|&i| position(world, i as usize)).sum::<DVec3>() / end.len() as f64
        };
        let start = middle(&world);
        let h = self.h();
        let mut way = Vec::new();
        for _ in 0..(seconds / h) as u32 {
            step(&mut world, h as f32)?;
            way.push(middle(&world) - start);
        }
        Ok(way)
    }

    /// Where the end is when all has come to rest (m).
    pub(in crate::laws) fn settled(&self) -> Result<DVec3, LawError> {
        let slowest = self.slowest();
        let beam = Self { damping: 2.0 * slowest, ..*self };
        let way = beam.swing(9.0 / slowest)?;
        // What rounding makes of it trembles; the last tenth does not on average.
        let last = &way[way.len() - way.len() / 10..];
        Ok(last.iter().sum::<DVec3>() / last.len() as f64)
    }
}

/// Why a mesh is off.
pub(in crate::laws) const STIFF: &str =
    "triangles of constant strain lock in bending: too stiff by about 2/n² for n over the height";
/// Cells over the height.
pub(in crate::laws) const MESHES: [u32; 2] = [2, 4];

/// What a number that is off by 1/n² on both meshes comes to on an infinitely fine one.
pub(in crate::laws) fn extrapolated([coarse, fine]: [f64; 2]) -> f64 {
    fine + (fine - coarse) / 3.0
}
