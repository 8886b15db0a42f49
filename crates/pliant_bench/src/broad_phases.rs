//! Every broad phase on heaps of boxes, from a thousand to a million.

use std::cell::RefCell;

use pliant::contact::broad_phase::{ALL, BroadPhase, Finder};
use pliant::glam::Vec3;
use pliant::mesh::Aabb;
use pliant::testing::Random;

use crate::table::{Cell, Table};
use crate::{Bench, race};

pub(crate) const BENCH: &Bench = &Bench {
    name: "broad_phases",
    shows: "time to find the pairs among 1 000 to 1 000 000 boxes, in a heap and in sheets",
    run: |_| Ok(run()),
    figure: None,
};

/// How boxes lie.
type Layout = (&'static str, fn(usize) -> Vec<Aabb>);
const LAYOUTS: [Layout; 3] =
    [("heap", heap), ("sheets", sheets), ("sheets, one lost", with_one_lost)];
const COUNTS: [usize; 7] = [1_000, 8_000, 20_000, 50_000, 100_000, 300_000, 1_000_000];
/// Half the side of a box (m): that of particles a unit apart that are about to touch.
const REACH: f32 = 0.6;
/// How far (m).
const LOST: f32 = -1e5;
/// Who takes longer than this for some boxes is not asked for more of them (ms).
const PATIENCE: f64 = 400.0;

fn run() -> Table {
    let mut rows = Vec::new();
    for (layout, boxes_of) in LAYOUTS {
        let mut contestants = ALL.to_vec();
        for count in COUNTS {
            let boxes = boxes_of(count);
            let found = of_boxes(&contestants, &boxes);
            let mut times = found.iter().map(|&(ms, _)| ms);
            let row = |(by, &(ms, pairs)): (&&BroadPhase, &(f64, usize))| {
                assert_eq!(pairs, found[0].1, "{} finds other pairs", by.name);
                vec![
                    Cell::Word(layout.into()),
                    Cell::Count(boxes.len()),
                    Cell::Word(by.name.into()),
                    Cell::Number(ms),
                    Cell::Count(pairs),
                    Cell::Number(ms * 1e6 / boxes.len() as f64),
                ]
            };
            rows.extend(contestants.iter().zip(&found).map(row));
            contestants.retain(|_| times.next().is_some_and(|ms| ms < PATIENCE));
        }
    }
    Table { headings: &["boxes", "count", "broad phase", "ms", "pairs", "ns per box"], rows }
}

/// How long each takes (ms), and how many pairs it finds. They share the threads, and each runs twice in a row: the
/// first time also pays for threads that have gone to sleep, or for what the one before has left in the caches.
fn of_boxes(contestants: &[&'static BroadPhase], boxes: &[Aabb]) -> Vec<(f64, usize)> {
    let rounds = (150_000 / boxes.len()).clamp(2, 10) as u32;
    let finder = RefCell::new(Finder::new(0));
    let times = race(rounds, 2 * contestants.len(), |run| {
        finder.borrow_mut().find(contestants[run / 2], boxes).len()
    });
    times.chunks_exact(2).map(|two| (two[0].0.min(two[1].0), two[1].1)).collect()
}

/// Boxes anywhere in a cube, one per unit of volume.
fn heap(count: usize) -> Vec<Aabb> {
    let mut random = Random::new(1);
    let side = (count as f32).cbrt();
    let mut at = || Vec3::from_array([(); 3].map(|()| random.between(0.0, side)));
    (0..count).map(|_| Aabb::of([at()]).grown(REACH)).collect()
}

/// Ten sheets above each other, one box per unit of area.
fn sheets(count: usize) -> Vec<Aabb> {
    let side = ((count / 10) as f32).sqrt().ceil() as usize;
    let at = |i: usize| {
        let (sheet, place) = (i / (side * side), i % (side * side));
        let [x, z] = [place % side, place / side].map(|c| c as f32);
        Vec3::new(x + 0.3 * sheet as f32, 1.1 * sheet as f32, z)
    };
    (0..count).map(|i| Aabb::of([at(i)]).grown(REACH)).collect()
}

/// The same, and one that has fallen far.
fn with_one_lost(count: usize) -> Vec<Aabb> {
    let mut boxes = sheets(count - 1);
    boxes.push(Aabb::of([Vec3::Y * LOST]).grown(REACH));
    boxes
}
