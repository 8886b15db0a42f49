//! When has a substep been iterated enough?
//!
//! After `iterations` of them ([`crate::Config::iterations`]), when nothing moves any more
//! ([`crate::Config::tolerance`]), or when time is up ([`crate::step::Hooks::keep_going`]).
//!
//! The tolerance is a distance, since what constraints have left unsolved is in a different unit
//! for every kind. What it is compared with is the farthest that one iteration has moved a
//! particle, contacts included: every Δx is a violation times the inverse of what stands against
//! it, that is, a residual in metres. It says how fast the solution changes, not how far off it is:
//! if an iteration leaves the share ρ of the error, up to ρ/(1 − ρ) of the tolerance remains.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::Vec4;

use crate::world::World;

/// Particles that are worth a second thread.
const GRAIN: usize = 2048;

/// Keeps where particles are before an iteration, if anyone will ask.
pub(crate) fn remember(world: &mut World) {
    if world.config.tolerance > 0.0 {
        let before = &mut world.scratch.before;
        before.clear();
        before.extend_from_slice(&world.particles.xw);
    }
}

/// Whether the iteration since [`remember`] has moved nothing farther than the tolerance.
pub(crate) fn settled(world: &mut World) -> bool {
    let tolerance = world.config.tolerance;
    tolerance > 0.0 && farthest(world) <= tolerance
}

/// How far the particle has come that moved farthest (m). NaN if one has no place.
fn farthest(world: &mut World) -> f32 {
    let World { particles, scratch, .. } = world;
    // Of numbers that are not negative, the largest has the largest bits, and NaN has larger ones.
    let farthest = AtomicU32::new(0);
    let columns = (particles.xw.as_mut_slice(), scratch.before.as_mut_slice());
    scratch.pool.for_rows(columns, GRAIN, |_, (xw, before)| {
        let moved = |(x, before): (&Vec4, &Vec4)| (x - before).length_squared().to_bits();
        let here = xw.iter().zip(before.iter()).map(moved).max();
        farthest.fetch_max(here.unwrap_or(0), Ordering::Relaxed);
    });
    f32::from_bits(farthest.into_inner()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::distance;
    use crate::constraint::set::Hold;
    use crate::glam::Vec3;
    use crate::scenes::Scene;
    use crate::step::{Hooks, Stage};
    use crate::{Blueprint, Config, step, step_with};

    const FRAME: f32 = 1.0 / 60.0;

    fn cloth() -> World {
        let mut world = (Scene::find("hanging_cloth").unwrap().build)(20).unwrap();
        (world.config.substeps, world.config.iterations) = (2, 500);
        world
    }

    /// Ten rigid links in a row, each a tenth too long, and free: an iteration leaves the share
    /// cos²(π/11) of the error.
    fn stretched(tolerance: f32) -> World {
        let mut world = World::new(Config {
            substeps: 1,
            iterations: 2000,
            tolerance,
            gravity: Vec3::ZERO,
            threads: 1,
            ..Config::default()
        });
        let mut body = Blueprint::default();
        for i in 0..=10u32 {
            body.particle(Vec3::X * 0.11 * (i as f32 - 5.0), 1.0);
            if i > 0 {
                body.join_with_rest(&distance::KIND, &[i - 1, i], &[0.1], Hold::RIGID).unwrap();
            }
        }
        world.add(&body).unwrap();
        step(&mut world, FRAME).unwrap();
        world
    }

    #[test]
    fn a_tolerance_ends_a_substep_early_and_bounds_the_error() {
        let exact = stretched(0.0);
        assert_eq!(exact.iterations_done(), 2000);
        let rho = libm::cosf(std::f32::consts::PI / 11.0).powi(2);
        let mut counts = Vec::new();
        for tolerance in [1e-4, 1e-5, 1e-6] {
            let world = stretched(tolerance);
            counts.push(world.iterations_done());
            let pairs = world.particles.xw.iter().zip(&exact.particles.xw);
            let off = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            let most = tolerance * rho / (1.0 - rho);
            assert!((0.2 * most..=1.1 * most).contains(&off), "{off} m off, at most {most} m");
        }
        // A tenth of the tolerance takes ln 10 / −ln ρ iterations more.
        let more = (10f32.ln() / -rho.ln()) as u64;
        assert!(counts[0] > 2 && counts[1].abs_diff(counts[0] + more) < 4, "{counts:?}");
    }

    #[test]
    fn a_tolerance_stops_at_the_same_iteration_on_any_number_of_threads() {
        let run = |threads| {
            let mut world = (Scene::find("hanging_cloth").unwrap().build)(80).unwrap();
            (world.config.iterations, world.config.tolerance) = (50, 1e-4);
            world.config.threads = threads;
            step(&mut world, FRAME).unwrap();
            (world.iterations_done(), world.hash())
        };
        let alone = run(1);
        assert!(alone.0 < 20 * 50, "{alone:?}");
        assert_eq!([2, 3, 8].map(run), [alone; 3]);
    }

    /// Says yes a number of times, then no.
    struct Patience(u32);

    impl Hooks for Patience {
        fn begin(&mut self, _: Stage) {}
        fn end(&mut self, _: Stage) {}
        fn keep_going(&mut self) -> bool {
            self.0 = self.0.saturating_sub(1);
            self.0 > 0
        }
    }

    #[test]
    fn a_step_that_runs_out_of_time_ends_and_says_where() {
        for patience in [0, 1, 2, 7, 100, 499, 501, 900, 2000] {
            let mut world = cloth();
            step_with(&mut world, FRAME, &mut Patience(patience)).unwrap();
            // Half of the step takes 500 iterations, and at least one is done.
            let half = if patience <= 500 { 0.5 } else { 1.0 };
            assert_eq!(world.time, f64::from(FRAME * half), "{patience}");
            assert_eq!(world.iterations_done(), u64::from(patience.clamp(1, 1000)), "{patience}");
            let fallen = (0..400).map(|i| world.particles.velocity(i).y).fold(0.0, f32::min);
            assert!((fallen + 9.81 * FRAME * half).abs() < 0.02, "{patience}: {fallen} m/s");
        }
    }
}
