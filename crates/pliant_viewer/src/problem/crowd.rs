//! So much that may touch that a step takes long, or a GPU has no room for it.

use pliant::World;
use pliant::glam::Vec3;

use super::{Check, MOST_PLACES, Problem};

pub(super) const CHECK: Check = Check { name: "too many pairs in contact", find, quick: true };

/// Pairs that may touch, for each particle: the scenes of the library have 15 at most.
const MOST: f64 = 40.0;

/// Fewer pairs than these take no time.
const FEW: usize = 20_000;

fn find(world: &World) -> Vec<Problem> {
    let pairs = world.contact_report().candidates;
    let each = pairs as f64 / world.particles.len().max(1) as f64;
    if pairs < FEW || each < MOST {
        return Vec::new();
    }
    vec![Problem {
        what: format!("{pairs} pairs may touch, {each:.0} for each particle: a step takes long"),
        remedy: REMEDY.into(),
        places: crowded(world),
        body: None,
    }]
}

/// What to change where too much may touch.
const REMEDY: &str = "a smaller radius, a coarser mesh, or more substeps, so that paths between two searches are \
     shorter; bodies that need not touch can be told so (`touches`)";

/// The places where the most may touch: middles of the patches that most others overlap.
fn crowded(world: &World) -> Vec<Vec3> {
    let (boxes, pairs) = world.searched();
    let mut overlaps = vec![0_u32; boxes.len()];
    pairs.iter().flatten().for_each(|&patch| overlaps[patch as usize] += 1);
    let most = overlaps.iter().copied().max().unwrap_or(0);
    let crowd = boxes.iter().zip(&overlaps).filter(|(_, count)| **count > most / 2);
    crowd.map(|(around, _)| (around.low + around.high) / 2.0).take(MOST_PLACES).collect()
}

/// Share of the steps that a GPU may take again before it is told.
const OFTEN: f64 = 0.25;

/// Steps that a GPU took `again` since it took `steps`, for want of room for contacts, if they are many.
pub(crate) fn taken_again(world: &World, again: u64, steps: u64) -> Option<Problem> {
    let is_often = again as f64 > OFTEN * steps.max(1) as f64;
    is_often.then(|| Problem {
        what: format!(
            "{again} of {steps} steps were taken again: more touched than the GPU had room for"
        ),
        remedy: format!("nothing was missed, and there is more room now; if it stays so: {REMEDY}"),
        places: crowded(world),
        body: None,
    })
}

/// A GPU that cannot make room for all contacts.
pub(crate) fn no_room(world: &World, why: &str) -> Problem {
    Problem {
        what: format!("too much touches for the GPU, so the CPU goes on: {why}"),
        remedy: REMEDY.into(),
        places: crowded(world),
        body: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::contact::Touch;
    use pliant::glam::Quat;
    use pliant::shapes::Cloth;
    use pliant::{Config, step};

    /// Cloths on top of each other, so thick that each touches all.
    fn heap(radius: f32) -> Vec<Problem> {
        let mut world = World::new(Config { substeps: 2, ..Config::default() });
        let spacing = [0.02; 2];
        let cloth = Cloth { columns: 12, rows: 12, spacing, radius, ..Cloth::default() };
        let cloth = cloth.blueprint().unwrap().touching(Touch::ALL);
        for k in 0..3 {
            world.add(&cloth.clone().placed(Quat::IDENTITY, Vec3::Y * (0.01 * k as f32))).unwrap();
        }
        step(&mut world, 1.0 / 60.0).unwrap();
        find(&world)
    }

    #[test]
    fn a_heap_of_thick_cloths_is_told_of_and_shown_and_one_of_thin_cloths_is_not() {
        assert_eq!(heap(1e-3), []);
        let problems = heap(0.015);
        assert_eq!(problems.len(), 1);
        assert!(!problems[0].places.is_empty(), "{problems:?}");
        assert!(problems[0].places.iter().all(|x| x.length() < 2.0), "{problems:?}");
    }

    #[test]
    fn a_gpu_that_often_lacks_room_is_told_of_and_one_that_grew_once_is_not() {
        let world = World::default();
        assert_eq!(taken_again(&world, 0, 20), None);
        assert_eq!(taken_again(&world, 2, 20), None);
        let problem = taken_again(&world, 12, 20).unwrap();
        assert!(problem.what.starts_with("12 of 20 steps"), "{problem:?}");
    }
}
