//! The shape of a hanging chain.

use glam::DVec3;

use super::rig::{Bead, FRAME, average, config, down, position, run, string, tension};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::constraint::set::Hold;
use crate::world::Config;

/// A chain between two nails hangs in the equilibrium of its links.
///
/// ```text
/// tan θᵢ = Vᵢ/H,    Vᵢ = (i − ½(n − 1)) m g      link i of n, counted from 0
/// span = l Σ cos θᵢ      gives H,
/// sag = ½ l Σ |sin θᵢ|,    end tension = √(H² + V₀²)
/// ```
///
/// For many links this is the catenary: for a span of 1 m and a length of 1.5 m, a sag of
/// 0.502633 m.
pub const LAW: &Law = &Law {
    name: "catenary",
    covers: &["P16"],
    setup: "a chain of rigid links between two nails, 20 and 50 of them",
    claim: "a chain between two nails has the sag and the tension of its equilibrium",
    source: "Bernoulli, Leibniz and Huygens; here for links with masses at their joints, solved by \
             bisection",
    tolerance: "links stretch by 0.05 % at these substeps",
    accident: "it starts as a V, 11 % lower; stretch, unequal links or a lost force change the \
               sag, and the tension is read from multipliers that the shape does not use",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("span", "m", 1.0, [0.2, 1.2], "distance of the nails"),
        Param::number("length", "m", 1.5, [1.3, 2.0], "length of the chain"),
        Param::number("mass", "kg", 1.0, [0.1, 10.0], "mass of the chain"),
        Param::count("substeps", 10, [8, 20], "substeps of a frame of 1/60 s"),
        Param::count("iterations", 60, [40, 200], "solver iterations in each"),
    ],
    measure,
    figure: None,
};

/// Numbers of links. Even, so that the V has a tip.
const LINKS: [u32; 2] = [20, 50];
/// Share by which sag and tension may differ.
const TOLERANCE: f64 = 2e-3;
/// How long it settles, in times that damping takes to brake motion to 1/e.
const PATIENCE: f64 = 20.0;
/// Frames to average over: the shape, and the tension, which trembles more.
const FRAMES: [u32; 2] = [30, 120];

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for links in LINKS {
        let expected = Equilibrium::of(params, links);
        let gravity = down(params.get("gravity"));
        let config = config(params.count("substeps"), params.count("iterations"));
        // About twice the slowest swing, √(g/sag): it comes to rest without swinging on.
        let damping = 2.0 * (params.get("gravity") / expected.sag).sqrt();
        let config = Config { gravity, damping: damping as f32, ..config };
        let mut world = string(config, &folded(params, links))?;
        world.particles.pin(links as usize);
        run(&mut world, (PATIENCE / (damping * FRAME)).ceil() as u32)?;
        let middle = links as usize / 2;
        let sag = average(&mut world, FRAMES[0], |world| {
            position(world, 0).y - position(world, middle).y
        })?;
        let pull = average(&mut world, FRAMES[1], |world| tension(world, 0))?;
        let row = |what: &str, unit, numbers| {
            let what = format!("{what}, {links} links");
            Measured::new(what, unit, numbers, Tolerance::Relative(TOLERANCE))
        };
        measured.push(row("sag", "m", [sag, expected.sag]));
        measured.push(row("tension at a nail", "N", [pull, expected.tension]));
    }
    Ok(measured)
}

/// The chain as a V: two straight halves, at their full length.
fn folded(params: &Params, links: u32) -> Vec<Bead> {
    let (span, length) = (params.get("span"), params.get("length"));
    let depth = (length * length - span * span).sqrt() / 2.0;
    let (n, rest) = (f64::from(links), length / f64::from(links));
    let mass = params.get("mass") / n;
    // Around the origin, where single precision is finest.
    let nail = DVec3::new(-span, depth, 0.0) / 2.0;
    let mut beads = vec![Bead::first(nail)];
    for i in 1..=links {
        let s = f64::from(i) / n;
        let x = nail + DVec3::new(span * s, -depth * (1.0 - (2.0 * s - 1.0).abs()), 0.0);
        beads.push(Bead { x, mass, rest, hold: Hold::RIGID });
    }
    beads
}

/// How links with masses at their joints hang.
struct Equilibrium {
    /// How far the middle is below the nails (m).
    sag: f64,
    /// Pull along the first link (N).
    tension: f64,
}

impl Equilibrium {
    fn of(params: &Params, links: u32) -> Self {
        let (span, length) = (params.get("span"), params.get("length"));
        let n = f64::from(links);
        let weight = params.get("mass") / n * params.get("gravity");
        let vertical = |i: u32| (f64::from(i) - 0.5 * (n - 1.0)) * weight;
        let pull = |horizontal: f64, i: u32| libm::hypot(horizontal, vertical(i));
        let sum = |part: &dyn Fn(u32) -> f64| (0..links).map(part).sum::<f64>() * length / n;
        // The span grows with the horizontal pull; 200 halvings use up every bit.
        let (mut low, mut high) = (0.0, weight * n * n * length / (length - span));
        for _ in 0..200 {
            let horizontal = 0.5 * (low + high);
            let reached = sum(&|i| horizontal / pull(horizontal, i));
            *(if reached < span { &mut low } else { &mut high }) = horizontal;
        }
        let sag = sum(&|i| vertical(i).abs() / pull(low, i)) / 2.0;
        Self { sag, tension: pull(low, 0) }
    }
}
