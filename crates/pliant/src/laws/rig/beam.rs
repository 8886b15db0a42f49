//! What laws of bending share: a rod or a strip with a clamped end, and the elastica it should be.

use std::f64::consts::PI;

use glam::{DVec3, Vec3};

use super::super::LawError;
use super::position;
use super::stepper::step;
use crate::body::Blueprint;
use crate::force::Force;
use crate::material::{Cord, Damping, Sheet};
use crate::mesh::TriMesh;
use crate::shapes::{ElasticShell, Folding, Rope};
use crate::world::{Config, Precision, World};

/// What a beam is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::laws) enum Made {
    /// Links in a row.
    Rod,
    /// Triangles.
    Strip,
}

/// A beam along x that is clamped at the origin and bends in the plane of x and y.
#[derive(Clone, Copy, Debug)]
pub(in crate::laws) struct Beam {
    pub(in crate::laws) made: Made,
    /// Free cells, and their length (m). The curvature at the last particle that is held stands for
    /// half a cell before and behind it: the beam is half a cell longer than its free cells.
    pub(in crate::laws) cells: u32,
    pub(in crate::laws) cell: f64,
    /// Moment per curvature (N·m²).
    pub(in crate::laws) rigidity: f64,
    /// Mass per length (kg/m).
    pub(in crate::laws) line_density: f64,
    /// What it bears, about (N); it gets longer by a thousandth of its length under that.
    pub(in crate::laws) load: f64,
    /// Solver iterations of a step.
    pub(in crate::laws) iterations: u32,
    /// Time step, as a share of the usual one.
    pub(in crate::laws) step: f64,
}

/// Width of a strip, as a share of its length.
const WIDTH: f64 = 0.3;
/// Stiffness against stretch over the load.
const STIFF: f64 = 1000.0;

impl Beam {
    /// From the clamp to the last particles (m).
    pub(in crate::laws) fn length(&self) -> f64 {
        (f64::from(self.cells) + 0.5) * self.cell
    }

    /// The slowest vibration (1/s), about.
    pub(in crate::laws) fn slowest(&self) -> f64 {
        3.5 * self.pace()
    }

    /// √(EI/ρA)/L² (1/s).
    fn pace(&self) -> f64 {
        (self.rigidity / self.line_density).sqrt() / self.length().powi(2)
    }

    /// The beam in a world that takes `damping` (1/s) from its velocities.
    pub(in crate::laws) fn clamped(&self, damping: f64) -> Result<Bench, LawError> {
        let (body, columns) = match self.made {
            Made::Rod => self.rod()?,
            Made::Strip => self.strip()?,
        };
        let held: Vec<u32> =
            columns[..columns.len() - self.cells as usize].iter().flatten().copied().collect();
        // The fastest vibration that matters has the wavelength of two cells.
        let fastest = self.pace() * (PI * f64::from(self.cells)).powi(2);
        let h = self.step * (4.0 / fastest).min(0.05 / self.slowest());
        let mut world = World::new(Config {
            substeps: 1,
            iterations: self.iterations,
            precision: Precision::Carried,
            threads: 1,
            gravity: Vec3::ZERO,
            damping: damping as f32,
            ..Config::default()
        });
        world.add(&body.pinned(&held))?;
        Ok(Bench { world, columns, h })
    }

    fn rod(&self) -> Result<(Blueprint, Vec<Vec<u32>>), LawError> {
        let cord = Cord {
            stretch: (STIFF * self.load) as f32,
            bending: self.rigidity as f32,
            linear_density: self.line_density as f32,
            thickness: 1e-3 * self.length() as f32,
            damping: Damping::NONE,
        };
        let links = self.cells + 1;
        let rope = Rope::of(&cord, self.cell as f32 * links as f32, links)?;
        let mut body = rope.blueprint()?;
        body.positions.iter_mut().for_each(|x| x.x -= 0.5 * self.cell as f32);
        let columns = (0..body.positions.len() as u32).map(|i| vec![i]).collect();
        Ok((body, columns))
    }

    /// All diagonals alternate, so that none is favoured. Three columns are held, so that no part of
    /// the sheet's own edge is bent.
    fn strip(&self) -> Result<(Blueprint, Vec<Vec<u32>>), LawError> {
        let rows = ((WIDTH * f64::from(self.cells)).round() as u32).max(2);
        let count = self.cells + 3;
        let width = f64::from(rows) * self.cell;
        let mut mesh = TriMesh::default();
        for i in 0..count * (rows + 1) {
            let (column, row) = (i % count, i / count);
            mesh.positions.push(Vec3::new(column as f32 - 1.5, 0.0, row as f32) * self.cell as f32);
            if column + 1 < count && row < rows {
                let [b, c, d] = [i + 1, i + count, i + count + 1];
                mesh.triangles.extend(if (row + column) % 2 == 0 {
                    [[i, c, b], [b, c, d]]
                } else {
                    [[i, c, d], [i, d, b]]
                });
            }
        }
        let stretch = (STIFF * self.load / width) as f32;
        let material = Sheet {
            stretch: [stretch; 2],
            coupling: 0.0,
            shear: 0.5 * stretch,
            bending: [(self.rigidity / width) as f32; 2],
            areal_density: (self.line_density / width) as f32,
            thickness: 1e-3 * self.length() as f32,
            damping: Damping::NONE,
        };
        let shell = ElasticShell { mesh, material, warp: Vec3::X, folding: Folding::Plate };
        let columns =
            (0..count).map(|column| (0..=rows).map(|row| row * count + column).collect()).collect();
        Ok((shell.blueprint()?, columns))
    }
}

/// A beam with its clamp.
pub(in crate::laws) struct Bench {
    pub(in crate::laws) world: World,
    /// Particles that are equally far out, from the clamp to the end.
    columns: Vec<Vec<u32>>,
    /// Time step (s).
    pub(in crate::laws) h: f64,
}

impl Bench {
    /// Where the middle of a column is (m), counted from the end.
    pub(in crate::laws) fn column(&self, from_end: usize) -> DVec3 {
        let column = &self.columns[self.columns.len() - 1 - from_end];
        let sum: DVec3 = column.iter().map(|&i| position(&self.world, i as usize)).sum();
        sum / column.len() as f64
    }

    /// Pulls a column with `force` (N), shared as its particles share its mass.
    pub(in crate::laws) fn pull(&mut self, from_end: usize, force: DVec3) {
        let column = &self.columns[self.columns.len() - 1 - from_end];
        let masses = column.iter().map(|&i| 1.0 / self.world.particles.inverse_mass[i as usize]);
        let whole: f32 = masses.clone().sum();
        for (&i, mass) in column.iter().zip(masses) {
            self.world.forces.push(Force::point(&[i], force.as_vec3() * (mass / whole)));
        }
    }

    /// Takes steps for so long (s), each after `before`.
    pub(in crate::laws) fn run(
        &mut self,
        seconds: f64,
        mut before: impl FnMut(&mut Self),
    ) -> Result<(), LawError> {
        for _ in 0..(seconds / self.h) as u32 {
            before(self);
            step(&mut self.world, self.h as f32)?;
        }
        Ok(())
    }
}

/// Where the end of a clamped elastica of length 1 is: along and across the direction in which it is
/// clamped, and its slope there (rad).
///
/// ```text
/// θ'' = f(s, θ),   θ(0) = 0,   θ'(1) = 0
/// ```
///
/// By shooting: the curvature at the clamp is the one, between two bounds, at which the end is
/// straight.
pub(in crate::laws) fn elastica(
    f: impl Fn(f64, f64) -> f64,
    [mut low, mut high]: [f64; 2],
) -> [f64; 3] {
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if shoot(&f, middle)[1] < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let [slope, _, along, across] = shoot(&f, low);
    [along, across, slope]
}

/// θ, θ', and the place of the end, from the curvature at the clamp; Runge and Kutta, order 4.
fn shoot(f: impl Fn(f64, f64) -> f64, curvature: f64) -> [f64; 4] {
    const PIECES: u32 = 2000;
    let ds = 1.0 / f64::from(PIECES);
    let slope = |s: f64, [theta, bend, _, _]: [f64; 4]| {
        [bend, f(s, theta), libm::cos(theta), libm::sin(theta)]
    };
    let mut state = [0.0, curvature, 0.0, 0.0];
    for i in 0..PIECES {
        let s = f64::from(i) * ds;
        let at = |k: [f64; 4], share: f64| std::array::from_fn(|j| state[j] + share * ds * k[j]);
        let k1 = slope(s, state);
        let k2 = slope(s + ds / 2.0, at(k1, 0.5));
        let k3 = slope(s + ds / 2.0, at(k2, 0.5));
        let k4 = slope(s + ds, at(k3, 1.0));
        state = std::array::from_fn(|j| {
            state[j] + ds / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j])
        });
    }
    state
}
