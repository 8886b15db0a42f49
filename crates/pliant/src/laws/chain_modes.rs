//! The frequencies of a chain of springs.

use glam::DVec3;
use std::f64::consts::PI;

use super::rig::stepper::step;
use super::rig::{Bead, config, position, string};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::World;
use crate::constraint::set::Hold;
use crate::solver::Solver;
use crate::world::Config;

/// A chain of springs, fixed at one end and free at the other, swings along itself in its own
/// frequencies.
///
/// ```text
/// f_j = (1/π) √(k/m) sin φ_j,    φ_j = (2j − 1) π / (2 (2n + 1)),    u_i ∝ sin 2iφ_j
/// ```
///
/// Backward Euler lowers a frequency by the share (ωh)²/3, 5e-5 at most here, and damps it at the
/// rate ω²h/2. A single iteration leaves some kh²/m of the springs' pull, which is 5e-4 in all three.
pub const LAW: &Law = &Law {
    name: "chain_modes",
    covers: &["P15"],
    setup: "a chain of 20 springs, pulled into the shape of each mode and let go",
    claim: "a chain of springs swings in the frequencies that follow from stiffness and mass",
    source: "eigenvalues of the fixed-free chain of equal masses and springs",
    tolerance: "backward Euler lengthens a period by (ωh)²/3, and passages are read between two \
                steps",
    accident: "three frequencies, not in simple ratios, are read from one motion; stiffness that \
               depends on the step or on convergence shifts them differently",
    quick: true,
    cpu_only: None,
    params: &[
        Param::count("links", 20, [5, 40], "springs; as many beads"),
        Param::number("mass", "kg", 0.1, [0.05, 1.0], "mass of a bead"),
        Param::number("stiffness", "N/m", 1e4, [1e3, 2e4], "stiffness of a spring"),
        Param::number("step", "s", 1e-4, [1e-5, 1e-4], "time step"),
    ],
    measure,
    figure: None,
};

/// Share by which a frequency may differ.
const TOLERANCE: f64 = 0.01;
/// Modes measured.
const MODES: usize = 3;
/// Rest length of a spring (m). Short, since positions are the rounder the longer the chain is.
const REST: f64 = 0.01;
/// Largest change of a spring's length by each mode, as a share of the rest length. Large, since
/// in single precision a pull moves a bead by at least the spacing of numbers, or not at all.
const STRAIN: f64 = 0.25;
/// Passages through zero of each mode that are timed.
const PASSAGES: usize = 4;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (links, h) = (params.count("links") as usize, params.get("step"));
    let omega = (params.get("stiffness") / params.get("mass")).sqrt();
    let mut world = displaced(params, links)?;
    let slowest = omega * libm::sin(phase(links, 0)) / PI;
    let mut watches = [const { Watch { before: 0.0, passages: Vec::new() } }; MODES];
    let mut t = 0.0;
    while watches.iter().any(|watch| watch.passages.len() < PASSAGES) {
        // Every passage of the slowest mode takes half its period.
        if t * slowest > PASSAGES as f64 {
            return Err(params.unmeasurable(format!("a mode does not swing within {t} s")));
        }
        for (mode, watch) in watches.iter_mut().enumerate() {
            watch.look(amplitude(&world, links, mode), [t, h]);
        }
        step(&mut world, h as f32)?;
        t += h;
    }
    let rows = watches.iter().enumerate().map(|(mode, watch)| {
        let expected = omega * libm::sin(phase(links, mode)) / PI;
        let half_periods = (PASSAGES - 1) as f64;
        let seconds = watch.passages[PASSAGES - 1] - watch.passages[0];
        let numbers = [half_periods / (2.0 * seconds), expected];
        let what = format!("frequency of mode {}", mode + 1);
        Measured::new(what, "Hz", numbers, Tolerance::Relative(TOLERANCE))
    });
    Ok(rows.collect())
}

/// The phase φ of a mode, counted from 0.
fn phase(links: usize, mode: usize) -> f64 {
    (2 * mode + 1) as f64 * PI / (2 * (2 * links + 1)) as f64
}

/// The displacement of bead `i` in a mode, of size 1.
fn shape(links: usize, mode: usize, i: usize) -> f64 {
    libm::sin(2.0 * i as f64 * phase(links, mode))
}

/// The chain, displaced in the sum of its modes.
fn displaced(params: &Params, links: usize) -> Result<World, LawError> {
    let hold = Hold::spring(params.get("stiffness") as f32);
    let mut beads = vec![Bead::first(DVec3::ZERO)];
    for i in 1..=links {
        // Neighbours differ by at most 2 sin φ of a mode's size.
        let size = |mode| STRAIN * REST / (2.0 * libm::sin(phase(links, mode)));
        let moved: f64 = (0..MODES).map(|mode| size(mode) * shape(links, mode, i)).sum();
        let x = DVec3::X * (REST * i as f64 + moved);
        beads.push(Bead { x, mass: params.get("mass"), rest: REST, hold });
    }
    string(Config { solver: Solver::Colored, ..config(1, 1) }, &beads)
}

/// How much of a mode is in the present displacement (m). Modes are orthogonal.
fn amplitude(world: &World, links: usize, mode: usize) -> f64 {
    let part = |i| (position(world, i).x - REST * i as f64) * shape(links, mode, i);
    (1..=links).map(part).sum::<f64>() * 4.0 / (2 * links + 1) as f64
}

/// Times passages through zero.
struct Watch {
    before: f64,
    passages: Vec<f64>,
}

impl Watch {
    /// Notes the value at time `t`, `h` after the last.
    fn look(&mut self, value: f64, [t, h]: [f64; 2]) {
        if self.before * value < 0.0 && self.passages.len() < PASSAGES {
            self.passages.push(t - h * value / (value - self.before));
        }
        self.before = value;
    }
}
