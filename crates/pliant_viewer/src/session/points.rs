//! States to go back to: those that somebody kept, and those before changes that nothing else takes back.

use std::collections::VecDeque;

/// Most states that are remembered, and most bytes of all of them.
const MOST: usize = 32;
const MOST_BYTES: usize = 128 << 20;

/// A state.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// As [`pliant::World::save`] writes it.
    pub(crate) bytes: Vec<u8>,
    /// Its frame.
    pub(crate) frame: u64,
    pub(crate) why: Why,
}

/// Why a state is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Somebody asked for it: it can be gone back to again and again.
    Kept,
    /// Something was changed after it: once gone back to, the one before it is next.
    Change,
}

/// States to go back to.
#[derive(Debug, Default)]
pub(crate) struct Points {
    before: VecDeque<Point>,
    undone: VecDeque<Point>,
}

impl Points {
    /// Remembers a state. What was undone is gone.
    pub(crate) fn add(&mut self, point: Point) {
        self.undone.clear();
        push(&mut self.before, point);
    }

    /// The change after the last state was none.
    pub(crate) fn forget_last(&mut self) {
        self.before.pop_back();
    }

    /// The state to go back to from `present`.
    pub(crate) fn back(&mut self, present: Point) -> Option<Point> {
        let last = self.before.back()?.clone();
        if last.why == Why::Change {
            self.before.pop_back();
        }
        push(&mut self.undone, present);
        Some(last)
    }

    /// The state that was last gone back from; `present` can be gone back to.
    pub(crate) fn forth(&mut self, present: Point) -> Option<Point> {
        let next = self.undone.pop_back()?;
        push(&mut self.before, present);
        Some(next)
    }
}

fn push(to: &mut VecDeque<Point>, point: Point) {
    to.push_back(point);
    let too_much = |all: &VecDeque<Point>| {
        all.len() > MOST || all.iter().map(|point| point.bytes.len()).sum::<usize>() > MOST_BYTES
    };
    while to.len() > 1 && too_much(to) {
        to.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(frame: u64, why: Why) -> Point {
        Point { bytes: vec![0; 10], frame, why }
    }

    #[test]
    fn changes_are_undone_one_by_one_down_to_what_was_kept_and_redone() {
        let mut points = Points::default();
        let now = |frame| point(frame, Why::Change);
        assert!(points.back(now(0)).is_none());
        points.add(point(1, Why::Kept));
        points.add(point(2, Why::Change));
        points.add(point(3, Why::Change));
        let mut went = Vec::new();
        for present in [9, 3, 2, 1] {
            went.extend(points.back(now(present)).map(|point| point.frame));
        }
        assert_eq!(went, [3, 2, 1, 1]);
        let forth = [1, 1, 2, 3].map(|present| points.forth(now(present)).map(|point| point.frame));
        assert_eq!(forth, [Some(1), Some(2), Some(3), Some(9)]);
        points.add(point(4, Why::Change));
        assert!(points.forth(now(5)).is_none(), "another change was made");
    }

    #[test]
    fn the_oldest_go_first_and_one_always_stays() {
        let mut points = Points::default();
        (0..100).for_each(|frame| points.add(point(frame, Why::Change)));
        assert_eq!((points.before.len(), points.before[0].frame), (MOST, 100 - MOST as u64));
        points.add(Point { bytes: vec![0; MOST_BYTES + 1], frame: 7, why: Why::Kept });
        assert_eq!(points.before.len(), 1);
    }
}
