//! A strip of cloth over the edge of a table.

use glam::Vec3;

use super::rig::stepper::step;
use super::rig::{down, position};
use super::rod::expected;
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::figure::{Curve, Figure, Scale};
use crate::material::{Damping, Sheet};
use crate::mesh::TriMesh;
use crate::shapes::{ElasticShell, Folding};
use crate::testing::Random;
use crate::world::{Config, Precision, World};

/// A strip that sticks out over an edge bends down as the heavy elastica does, on any mesh.
///
/// ```text
/// θ'' = −Γ (1 − s) cos θ,   θ(0) = 0,   θ'(1) = 0,   Γ = σ g L³ / D
/// ```
///
/// θ is the slope at the share s of the free length L, σ the mass per area, D the flexural rigidity.
/// Compared is how far the tip is down over how far it is out. Romero et al. 2021, "Physical
/// Validation of Simulators in Computer Graphics".
pub const LAW: &Law = &Law {
    name: "cantilever",
    covers: &["P25"],
    setup: "a strip of 90 mm over an edge, four weights from nearly level to nearly hanging, \
            three meshes",
    claim: "a strip of cloth over an edge bends down as its flexural rigidity says, on three meshes",
    source: "the heavy elastica, solved here; protocol of Romero et al. 2021",
    tolerance: "ten cells along the strip: a chord is shorter than its arc by up to 4 % where \
                nearly all of the bend is in two cells",
    accident: "from nearly level to nearly hanging; the constants of Discrete Shells (3 times too \
               stiff) and of ARCSim (4 times too soft) are far outside, and so is a bending \
               stiffness that follows the mesh",
    quick: false,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("areal_density", "kg/m²", 0.1, [0.05, 0.5], "mass per area"),
        Param::count("cells", 10, [8, 24], "cells along the free length"),
        Param::count("iterations", 10, [5, 100], "solver iterations of a step"),
        Param::number("step", "", 1.0, [0.25, 1.0], "time step, as a share of the usual one"),
    ],
    measure,
    figure: Some(figure),
};

/// Γ, from nearly level to nearly hanging.
const WEIGHTS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
/// Free length (m) and width as a share of it.
const LENGTH: f64 = 0.09;
const WIDTH: f64 = 0.3;
/// Share by which tip-down over tip-out may differ, from the curve and between meshes.
const TOLERANCE: f64 = 0.05;
/// Stretch stiffness (N/m) over weight (N/m): the strip gets longer by less than a thousandth.
const STIFF: f64 = 1000.0;

/// How the strip is divided into triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pattern {
    /// All diagonals alike.
    Slanted,
    /// Diagonals that alternate.
    Crossed,
    /// Vertices shaken, diagonals at random.
    Irregular,
}

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for weight in WEIGHTS {
        let expected = expected(weight);
        let mut droops = Vec::new();
        for (pattern, folding) in [
            (Pattern::Slanted, Folding::Plate),
            (Pattern::Crossed, Folding::Plate),
            (Pattern::Irregular, Folding::Plate),
        ] {
            let droop = Strip { params, weight, pattern, folding }.droop()?;
            let what = format!("droop at Γ = {weight}, {pattern:?} mesh, {folding:?}");
            let tolerance = Tolerance::Relative(TOLERANCE);
            measured.push(Measured::new(what, "", [droop, expected], tolerance));
            droops.push(droop);
        }
        let (least, most) = (
            droops.iter().copied().fold(f64::MAX, f64::min),
            droops.iter().copied().fold(0.0, f64::max),
        );
        let what = format!("droop at Γ = {weight}, largest against smallest");
        measured.push(Measured::new(what, "", [most, least], Tolerance::Relative(TOLERANCE)));
    }
    Ok(measured)
}

/// One strip.
struct Strip<'a> {
    params: &'a Params,
    /// Γ.
    weight: f64,
    pattern: Pattern,
    folding: Folding,
}

impl Strip<'_> {
    /// How far the tip comes down over how far it is out.
    fn droop(&self) -> Result<f64, LawError> {
        let (g, sigma) = (self.params.get("gravity"), self.params.get("areal_density"));
        let cells = self.params.count("cells");
        let rigidity = sigma * g * LENGTH.powi(3) / self.weight;
        let stretch = STIFF * sigma * g * LENGTH;
        let material = Sheet {
            stretch: [stretch as f32; 2],
            coupling: 0.0,
            shear: 0.5 * stretch as f32,
            bending: [rigidity as f32; 2],
            areal_density: sigma as f32,
            thickness: 1e-3,
            damping: Damping::NONE,
        };
        let mesh = self.mesh(cells);
        let tip: Vec<usize> = ends(&mesh, |x| x > LENGTH as f32 - 1e-5);
        let pins: Vec<u32> = ends(&mesh, |x| x < 0.6 * (LENGTH as f32) / cells as f32)
            .iter()
            .map(|&i| i as u32)
            .collect();
        let shell = ElasticShell { mesh, material, warp: Vec3::X, folding: self.folding };

        // The slowest vibration is the strip's as a rod or as a pendulum; the fastest that matters
        // has the wavelength of two cells.
        let per_length2 = (rigidity / sigma).sqrt() / LENGTH.powi(2);
        let slowest = (3.5 * per_length2).max((g / LENGTH).sqrt());
        let fastest = per_length2 * (std::f64::consts::PI * f64::from(cells)).powi(2);
        let h = self.params.get("step") * (4.0 / fastest).min(0.05 / slowest);
        let mut world = World::new(Config {
            substeps: 1,
            iterations: self.params.count("iterations"),
            precision: Precision::Carried,
            threads: 1,
            gravity: down(g),
            damping: 2.0 * slowest as f32,
            ..Config::default()
        });
        world.add(&shell.blueprint()?.pinned(&pins))?;
        for _ in 0..(12.0 / (slowest * h)) as u32 {
            step(&mut world, h as f32)?;
        }
        let middle = |axis: usize| {
            tip.iter().map(|&i| position(&world, i)[axis]).sum::<f64>() / tip.len() as f64
        };
        Ok(-middle(1) / middle(0))
    }

    /// The strip along x, from the edge of the table at 0.
    ///
    /// The curvature at the last column that is held stands for half a cell before and behind it, so
    /// that column is half a cell out. Two more are held behind it, so that no part of the sheet's own
    /// edge is bent.
    fn mesh(&self, cells: u32) -> TriMesh {
        let rows = ((WIDTH * f64::from(cells)).round() as u32).max(2);
        let cell = LENGTH as f32 / (cells as f32 + 0.5);
        let mut random = Random::new(5);
        let mut mesh = TriMesh::default();
        for row in 0..=rows {
            for column in 0..cells + 3 {
                let mut x = Vec3::new(column as f32 - 1.5, 0.0, row as f32) * cell;
                let inside = row > 0 && row < rows && column > 2 && column < cells + 2;
                if self.pattern == Pattern::Irregular && inside {
                    x += random.vector(0.5 * cell) * Vec3::new(1.0, 0.0, 1.0);
                }
                mesh.positions.push(x);
            }
        }
        for row in 0..rows {
            for column in 0..cells + 2 {
                let a = row * (cells + 3) + column;
                let [b, c, d] = [a + 1, a + cells + 3, a + cells + 4];
                let slanted = match self.pattern {
                    Pattern::Slanted => true,
                    Pattern::Crossed => (row + column) % 2 == 0,
                    Pattern::Irregular => random.unit() < 0.5,
                };
                mesh.triangles.extend(if slanted {
                    [[a, c, b], [b, c, d]]
                } else {
                    [[a, c, d], [a, d, b]]
                });
            }
        }
        mesh
    }
}

/// The vertices whose x is as asked.
fn ends(mesh: &TriMesh, ask: impl Fn(f32) -> bool) -> Vec<usize> {
    (0..mesh.positions.len()).filter(|&i| ask(mesh.positions[i].x)).collect()
}

fn figure(params: &Params) -> Result<Figure, LawError> {
    let line = (0..=60).map(|i| libm::exp10(f64::from(i) / 20.0 - 1.0));
    let mut curves = vec![Curve::line("elastica", line.map(|w| [w, expected(w)]).collect())];
    for pattern in [Pattern::Slanted, Pattern::Crossed, Pattern::Irregular] {
        let mut points = Vec::new();
        for weight in WEIGHTS {
            let strip = Strip { params, weight, pattern, folding: Folding::Plate };
            points.push([weight, strip.droop()?]);
        }
        curves.push(Curve::dots(format!("{pattern:?} mesh"), points));
    }
    Ok(Figure {
        title: "A strip of cloth over the edge of a table".into(),
        axes: ["Γ = σ g L³ / D".into(), "tip down over tip out".into()],
        scales: [Scale::Log; 2],
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::expected as droop;

    /// Table of the heavy elastica, H/W, to its five digits.
    #[test]
    fn the_elastica_is_that_of_the_literature() {
        for (weight, expected) in
            [(0.1, 0.01250), (1.0, 0.12456), (10.0, 1.06680), (100.0, 5.88810)]
        {
            let error = droop(weight) / expected - 1.0;
            assert!(error.abs() < 1e-3, "Γ = {weight}: {}, not {expected}", droop(weight));
        }
    }
}
