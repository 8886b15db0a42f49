//! A hanging chain of rigid links, solved once per substep.

use glam::DVec3;

use super::rig::{Bead, FRAME, average, config, down, position, run, string, tension};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::World;
use crate::constraint::set::Hold;
use crate::world::Config;

/// One iteration per substep finds the tension of a rigid chain, and stretches it by a known
/// amount that falls with h².
///
/// ```text
/// T = n m g,    stretch = ½ n (n − 1) g h²      n links, solved from top to bottom
/// ```
///
/// In equilibrium a link's multiplier carries all that hangs below. A link is solved exactly, and
/// then the next one pulls its lower bead down by wλ: the sum of that is the stretch. Holds for
/// the in-order solver. Macklin et al. 2019, section 5.
pub const LAW: &Law = &Law {
    name: "chain",
    covers: &["P12"],
    setup: "20 beads on rigid links, the first held, one iteration a substep",
    claim: "one iteration per substep carries a rigid chain; its stretch is ½ n (n − 1) g h²",
    source: "Macklin et al. 2019, with the stretch derived for Gauss-Seidel from top to bottom",
    tolerance: "0.1 %, or three standard deviations of what rounding positions to single precision \
                makes; the formula is exact",
    accident: "the stretch is predicted for five substep lengths, over a factor of 400; a solver \
               that visits links in another order, or twice, has another stretch",
    quick: true,
    cpu_only: Some("says what one iteration in order leaves, not by colour"),
    params: &[
        Param::gravity(10.0),
        Param::count("links", 19, [5, 40], "links; as many beads hang"),
        Param::number("mass", "kg", 1.0, [0.01, 100.0], "mass of a bead"),
        Param::number("link", "m", 0.001, [0.001, 0.012], "length of a link"),
    ],
    measure,
    figure: None,
};

/// Substeps of a frame of 1/60 s.
const SUBSTEPS: [u32; 5] = [5, 10, 20, 50, 100];
/// Share by which tension and stretch may differ.
const TOLERANCE: f64 = 1e-3;
/// How far the slope of stretch over substeps may be from −2, both logarithmic.
const SLOPE: f64 = 0.05;
/// Rate at which motion dies away (1/s), and frames to wait for that.
pub(super) const SETTLE: (f32, u32) = (10.0, 180);
/// Frames to average over.
const FRAMES: u32 = 60;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, mass) = (params.get("gravity"), params.get("mass"));
    let n = params.count("links");
    let (links, rest) = (f64::from(n), f64::from(n) * params.get("link"));
    let (mut measured, mut stretches) = (Vec::new(), Vec::new());
    for substeps in SUBSTEPS {
        let h = FRAME / f64::from(substeps);
        let config = Config { gravity: down(g), damping: SETTLE.0, ..config(substeps, 1) };
        let mut world = hanging(params, config, mass, DVec3::ZERO)?;
        run(&mut world, SETTLE.1)?;
        let top = average(&mut world, FRAMES, |world| tension(world, 0))?;
        let stretch = average(&mut world, FRAMES, |world| -position(world, n as usize).y - rest)?;
        let row = |what: &str, unit, [measured, expected]: [f64; 2], rounding: f64| {
            let what = format!("{what}, {substeps} substeps");
            let tolerance = Tolerance::Relative(TOLERANCE.max(3.0 * rounding / expected));
            Measured::new(what, unit, [measured, expected], tolerance)
        };
        let rounding = rounding(params);
        let numbers = [top, links * mass * g];
        measured.push(row("tension of the top link", "N", numbers, mass / (h * h) * rounding[0]));
        let numbers = [stretch, 0.5 * links * (links - 1.0) * g * h * h];
        measured.push(row("stretch", "m", numbers, rounding[1]));
        stretches.push(stretch);
    }
    let rise = |list: [f64; 2]| libm::log(list[1] / list[0]);
    let slope =
        rise([stretches[0], stretches[4]]) / rise([SUBSTEPS[0], SUBSTEPS[4]].map(f64::from));
    let what = "slope of stretch over substeps, logarithmic";
    measured.push(Measured::new(what, "", [slope, -2.0], Tolerance::Absolute(SLOPE)));
    Ok(measured)
}

/// What rounding makes of a chain that has come to rest, as standard deviations (m): of all beads
/// together, whose weight the top link carries, and of how far the lowest hangs.
///
/// A bead that rests is moved by wλ in every substep, and what is lost when its height is rounded to a
/// unit u is lost in every one: an even spread of u, u/√12 in the mean, times m/h² as a force. The j-th
/// force from the top stretches j − 1 links.
fn rounding(params: &Params) -> [f64; 2] {
    let (mut force, mut stretch) = (0.0, 0.0);
    for j in 1..=params.count("links") {
        let height = (params.get("link") * f64::from(j)) as f32;
        let unit = f64::from(height.next_up() - height);
        force += unit * unit / 12.0;
        stretch += unit * unit / 12.0 * f64::from((j - 1) * (j - 1));
    }
    [force.sqrt(), stretch.sqrt()]
}

/// The chain, hanging straight down from `top`; `last` is the mass of the lowest bead (kg).
pub(super) fn hanging(
    params: &Params,
    config: Config,
    last: f64,
    top: DVec3,
) -> Result<World, LawError> {
    let (n, link) = (params.count("links"), params.get("link"));
    let mut beads = vec![Bead::first(top)];
    for i in 1..=n {
        let mass = if i == n { last } else { params.get("mass") };
        let x = top - DVec3::Y * (link * f64::from(i));
        beads.push(Bead { x, mass, rest: link, hold: Hold::RIGID });
    }
    string(config, &beads)
}
