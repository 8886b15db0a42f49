//! What the last substep has left unsolved, and how stiff that makes the bodies.

use glam::DVec3;

use crate::constraint::Sense;
use crate::constraint::set::Set;
use crate::lanes::V3;
use crate::world::{Method, World};

/// How stiff the constraints of a set were in the last substep, compared with what was asked.
///
/// A solver that stops early delivers too little: for the same stretch, less force. A body is then
/// softer than its material, and this says by how much.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stiffness {
    /// Of the stiffness that was asked for, the share that was delivered; 1 once all is solved.
    /// `None` where no compliant constraint is off its rest.
    ///
    /// ```text
    /// Σ −λC / Σ C²/α̃
    /// ```
    ///
    /// The force of a spring is −C/α where it is solved, and λ/h² as it is. Each spring counts by
    /// the energy C²/2α that its stretch stands for. Above 1, springs pull more than they should.
    pub share: Option<f64>,
    /// The compliance that rigid constraints showed, (unit of C)²/J; 0 once all is solved. `None`
    /// where no rigid constraint holds anything.
    ///
    /// ```text
    /// h² √(Σ C² / Σ λ²)
    /// ```
    ///
    /// The root mean square of their violation over that of their force.
    pub give: Option<f64>,
}

/// The root mean square of what `set` has left unsolved, C + α̃λ, in the unit of C.
pub(crate) fn residual(world: &World, set: &Set) -> f64 {
    let mut sum = 0.0;
    visit(world, set, |Solved { c, alpha, lambda, .. }| {
        let left = c + alpha * lambda;
        sum += left * left;
    });
    let active = set.colored.active();
    if active == 0 { 0.0 } else { (sum / active as f64).sqrt() }
}

/// What each constraint of `set` has left unsolved, as a length (m), by number.
///
/// ```text
/// |C + α̃λ| / |∇C|
/// ```
///
/// How far its particles would go to solve it alone, if they were of one mass; kinds of any unit
/// compare by it. 0 where a constraint is off, or has no gradient.
pub(crate) fn lengths(world: &World, set: &Set) -> Vec<f32> {
    let mut of_slots = vec![0.0; set.len()];
    visit(world, set, |Solved { slot, grad, c, alpha, lambda, .. }| {
        let steepness = grad.iter().map(|g| g.dot(*g)).sum::<f64>().sqrt();
        if steepness > 0.0 {
            of_slots[slot] = ((c + alpha * lambda).abs() / steepness) as f32;
        }
    });
    set.slots.iter().map(|&slot| of_slots[slot as usize]).collect()
}

/// See [`Stiffness`].
pub(crate) fn stiffness(world: &World, set: &Set) -> Stiffness {
    let [mut delivered, mut asked] = [0.0; 2];
    let [mut violation, mut force] = [0.0; 2];
    visit(world, set, |Solved { c, alpha, lambda, .. }| {
        if alpha > 0.0 {
            delivered -= lambda * c;
            asked += c * c / alpha;
        } else {
            violation += c * c;
            force += lambda * lambda;
        }
    });
    let h = f64::from(world.h);
    Stiffness {
        share: (asked > 0.0).then(|| delivered / asked),
        give: (force > 0.0).then(|| h * h * (violation / force).sqrt()),
    }
}

/// What the constraints pulled each particle with, λ∇C/h² (N).
pub(crate) fn forces(world: &World) -> Vec<DVec3> {
    let mut forces = vec![DVec3::ZERO; world.particles.len()];
    let h = f64::from(world.h);
    for set in &world.sets {
        visit(world, set, |Solved { ids, grad, lambda, .. }| {
            for (&id, g) in ids.iter().zip(grad) {
                forces[id as usize] += DVec3::new(g.x, g.y, g.z) * (lambda / (h * h));
            }
        });
    }
    forces
}

/// A constraint after a substep: C with what its dashpot adds, α̃ and λ.
struct Solved<'a> {
    slot: usize,
    ids: &'a [u32],
    grad: &'a [V3<f64>],
    c: f64,
    alpha: f64,
    lambda: f64,
}

/// Shows every constraint that acts; those that may be off and are do not.
fn visit(world: &World, set: &Set, mut see: impl FnMut(Solved<'_>)) {
    let (h, particles) = (f64::from(world.h), &world.particles);
    if h <= 0.0 {
        return;
    }
    let mut x = vec![V3::from(DVec3::ZERO); set.kind().particles];
    let mut grad = x.clone();
    let mut rest = vec![0.0; set.kind().rest_values];
    for slot in 0..set.colored.active() {
        let ids = set.colored.particles(slot);
        for (x, &id) in x.iter_mut().zip(ids) {
            *x = particles.position(id as usize).as_dvec3().into();
        }
        for (value, column) in rest.iter_mut().zip(&set.rest) {
            *value = f64::from(column[slot]);
        }
        let lambda = f64::from(set.lambda[slot]);
        let alpha = match world.config.method {
            Method::Xpbd => f64::from(set.compliance[slot]) / (h * h),
            Method::Pbd => 0.0,
        };
        let mut c = set.kind().eval(&x, &rest, &mut grad);
        // The change of C in the substep, times γ: v is what the particles moved, over h.
        let gamma = alpha * f64::from(set.damping[slot]) * h;
        for (grad, &id) in grad.iter().zip(ids) {
            c += gamma * h * grad.dot(particles.velocity(id as usize).as_dvec3().into());
        }
        let off = match set.kind().sense {
            Sense::Equal => false,
            Sense::AtLeast => lambda == 0.0 && c >= 0.0,
            Sense::AtMost => lambda == 0.0 && c <= 0.0,
        };
        if !off {
            see(Solved { slot, ids, grad: &grad, c, alpha, lambda });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::distance;
    use crate::constraint::set::Hold;
    use crate::glam::Vec3;
    use crate::solver::Solver;
    use crate::world::Config;
    use crate::{Blueprint, step};

    /// Weights of 0.1 kg on springs of 1 kN/m, or on rigid links, hanging from each other and at
    /// rest.
    fn hanging(iterations: u32, hold: Hold) -> World {
        let mut world = World::new(Config {
            solver: Solver::InOrder,
            substeps: 1,
            iterations,
            threads: 1,
            damping: 8.0,
            ..Config::default()
        });
        let mut body = Blueprint::default();
        for i in 0..=COUNT as u32 {
            body.particle(Vec3::NEG_Y * 0.05 * i as f32, MASS as f32);
            if i > 0 {
                body.join(&distance::KIND, &[i - 1, i], hold).unwrap();
            }
        }
        world.add(&body.pinned(&[0])).unwrap();
        for _ in 0..4000 {
            step(&mut world, H as f32).unwrap();
        }
        world
    }

    const COUNT: usize = 10;
    const MASS: f64 = 0.1;
    const STIFFNESS: f64 = 1000.0;
    /// Long, so that a single iteration is far from enough.
    const H: f64 = 1.0 / 60.0;

    /// How far link `i` is stretched (m), and the weight below it (N).
    fn stretch_and_weight(world: &World, i: usize) -> [f64; 2] {
        let ends = [i, i + 1].map(|i| world.particles.position(i).as_dvec3());
        [ends[0].distance(ends[1]) - f64::from(0.05f32), MASS * 9.81 * (COUNT - i) as f64]
    }

    /// At rest every spring carries what hangs below it, solved or not; so what it stretches by says
    /// how stiff it is. Nothing of this looks at multipliers.
    #[test]
    fn a_chain_stretches_by_its_weight_over_the_stiffness_reached() {
        let mut shares = Vec::new();
        for iterations in [1, 2, 5, 300] {
            let world = hanging(iterations, Hold::spring(STIFFNESS as f32));
            let set = world.constraints_of(&distance::KIND).unwrap();
            let links = (0..COUNT).map(|i| stretch_and_weight(&world, i));
            let [delivered, asked] = links.fold([0.0; 2], |[a, b], [stretch, weight]| {
                [a + weight * stretch, b + STIFFNESS * stretch * stretch]
            });
            let share = world.stiffness_reached(set).share.unwrap();
            let statics = delivered / asked;
            assert!((share / statics - 1.0).abs() < 0.01, "{iterations}: {share}, not {statics}");
            shares.push(share);
        }
        assert!(shares.is_sorted() && shares[0] < 0.5, "{shares:?}");
        assert!((shares[3] - 1.0).abs() < 1e-3, "{shares:?}");
    }

    #[test]
    fn rigid_links_give_by_their_stretch_over_the_weight() {
        let mut gives = Vec::new();
        for iterations in [1, 10, 300] {
            let world = hanging(iterations, Hold::RIGID);
            let set = world.constraints_of(&distance::KIND).unwrap();
            let links = (0..COUNT).map(|i| stretch_and_weight(&world, i));
            let [stretch, weight] = links.fold([0.0; 2], |[a, b], [c, f]| [a + c * c, b + f * f]);
            let Stiffness { share, give } = world.stiffness_reached(set);
            let (give, statics) = (give.unwrap(), (stretch / weight).sqrt());
            assert_eq!(share, None);
            assert!((give / statics - 1.0).abs() < 0.01, "{iterations}: {give}, not {statics}");
            gives.push(give);
        }
        assert!(gives[1] < 0.5 * gives[0] && gives[2] < 0.01 * gives[0], "{gives:?}");
    }

    #[test]
    fn a_solved_dashpot_leaves_nothing() {
        let mut world = World::new(Config { threads: 1, ..Config::default() });
        let mut body = Blueprint::default();
        body.particle(Vec3::ZERO, 1.0);
        body.particle(Vec3::X, 1.0);
        body.join(&distance::KIND, &[0, 1], Hold::spring(1e3).damped(20.0)).unwrap();
        world.add(&body.pinned(&[0])).unwrap();
        world.particles.set_velocity(1, Vec3::X);
        step(&mut world, 1.0 / 60.0).unwrap();
        let set = world.constraints_of(&distance::KIND).unwrap();
        let (stretch, residual) = (world.particles.position(1).x - 1.0, world.residual(set));
        assert!(stretch > 5e-3 && residual < 1e-5, "{residual} m of {stretch} m");
        let share = world.stiffness_reached(set).share.unwrap();
        assert!((share - 1.0).abs() < 1e-2, "{share}");
    }

    #[test]
    fn what_a_link_leaves_is_how_far_its_ends_are_from_solving_it() {
        for iterations in [1, 4, 400] {
            let world = hanging(iterations, Hold::default());
            let set = world.constraints_of(&distance::KIND).unwrap();
            let lengths = world.residuals(set);
            let squares: f64 = lengths.iter().map(|left| f64::from(*left).powi(2)).sum();
            // |∇C| of a link is √2.
            let mean = (2.0 * squares / lengths.len() as f64).sqrt();
            let residual = world.residual(set);
            assert!((mean - residual).abs() <= 1e-5 * residual, "{mean} m, not {residual} m");
            for (number, left) in lengths.iter().enumerate() {
                let ends = [0, 1].map(|k| set.particles(number)[k] as usize);
                let [a, b] = ends.map(|i| world.particles.position(i).as_dvec3());
                let stretch = a.distance(b) - f64::from(set.rest(number).next().unwrap());
                let expected = stretch.abs() / 2.0_f64.sqrt();
                assert!((f64::from(*left) - expected).abs() < 1e-7, "{number}: {left} m");
            }
        }
    }

    #[test]
    fn what_holds_nothing_reaches_nothing() {
        let world = World::default();
        for set in world.constraints() {
            assert_eq!(world.residual(set), 0.0);
            assert_eq!(world.stiffness_reached(set), Stiffness::default());
        }
    }
}
