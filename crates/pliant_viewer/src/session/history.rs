//! The last seconds, to go back to.

use std::collections::VecDeque;

use pliant::World;

use super::hand::Hand;

/// How far back one can go (s).
const SECONDS: f64 = 10.0;

/// Most bytes that are remembered.
const MOST_BYTES: usize = 256 << 20;

/// A state that is remembered.
struct Moment {
    frame: u64,
    /// The last frame that follows from it by simulating again.
    until: u64,
    /// As [`World::save`] writes it.
    bytes: Vec<u8>,
    /// What the hand held, which must be taken out again.
    hand: Option<Hand>,
}

/// A ring of snapshots.
///
/// Large worlds are not saved in every frame: what is between two snapshots is simulated again, which
/// gives the same bits. Frames in which somebody interfered are always saved; those that a GPU computed,
/// or in which a hand held something, do not follow from the one before, and only what was saved of
/// them can be gone back to.
#[derive(Default)]
pub(crate) struct History {
    moments: VecDeque<Moment>,
    bytes: usize,
}

impl History {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Remembers a state, if it is time to. `edited` says whether it is more than one step from the
    /// one before.
    pub(crate) fn record(&mut self, frame: u64, world: &World, by: &Recorded<'_>) {
        while self.moments.back().is_some_and(|moment| moment.frame >= frame) {
            self.forget_back();
        }
        let due = self.moments.back().is_none_or(|last| {
            frame - last.frame >= every(last.bytes.len(), by.fps) || by.edited == Edited::Yes
        });
        if !due {
            if let Some(last) = self.moments.back_mut().filter(|last| last.until + 1 == frame) {
                last.until += u64::from(by.again == Again::Same);
            }
            return;
        }
        let bytes = world.save();
        self.bytes += bytes.len();
        self.moments.push_back(Moment { frame, until: frame, bytes, hand: by.hand.cloned() });
        let oldest = frame.saturating_sub((SECONDS * by.fps) as u64);
        let too_much = |history: &Self| {
            history.bytes > MOST_BYTES || history.moments.front().is_some_and(|m| m.frame < oldest)
        };
        while self.moments.len() > 1 && too_much(self) {
            if let Some(moment) = self.moments.pop_front() {
                self.bytes -= moment.bytes.len();
            }
        }
    }

    fn forget_back(&mut self) {
        if let Some(moment) = self.moments.pop_back() {
            self.bytes -= moment.bytes.len();
        }
    }

    /// The first and the last frame that can be gone back to.
    pub(crate) fn range(&self) -> Option<[u64; 2]> {
        Some([self.moments.front()?.frame, self.moments.back()?.frame])
    }

    /// The last state that is remembered up to a frame, its frame, and how far it may be simulated
    /// again towards that frame. What a hand held in it has been let go.
    pub(crate) fn restore(&self, frame: u64) -> Option<(World, u64, u64)> {
        let index = self.moments.partition_point(|moment| moment.frame <= frame);
        let moment = self.moments.get(index.saturating_sub(1))?;
        let mut world = World::restore(&moment.bytes).ok()?;
        if let Some(hand) = &moment.hand {
            hand.clone().let_go(&mut world);
        }
        Some((world, moment.frame, frame.min(moment.until)))
    }
}

/// Who did what since the state before.
pub(crate) struct Recorded<'a> {
    pub(crate) fps: f64,
    pub(crate) edited: Edited,
    pub(crate) again: Again,
    pub(crate) hand: Option<&'a Hand>,
}

/// Whether somebody interfered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edited {
    No,
    Yes,
}

/// Whether a step that is simulated again gives the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    Same,
    /// A GPU computed it, which rounds in its own way, or a hand pulled.
    Other,
}

/// Frames from snapshot to snapshot, so that all of them fit.
fn every(bytes: usize, fps: f64) -> u64 {
    let all = bytes as f64 * SECONDS * fps;
    (all / MOST_BYTES as f64).ceil().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::shapes::Cloth;
    use pliant::step;

    fn record(history: &mut History, frame: u64, world: &World) {
        record_at(history, frame, world, (60.0, Again::Same));
    }

    fn record_at(history: &mut History, frame: u64, world: &World, (fps, again): (f64, Again)) {
        history.record(frame, world, &Recorded { fps, edited: Edited::No, again, hand: None });
    }

    #[test]
    fn every_frame_of_a_small_world_is_remembered_for_ten_seconds() {
        let mut world = World::default();
        let cloth = Cloth { columns: 4, rows: 4, ..Cloth::default() };
        world.add(&cloth.blueprint().unwrap().pinned(&[0])).unwrap();
        let mut history = History::default();
        let mut hashes = Vec::new();
        for frame in 0..=700 {
            record(&mut history, frame, &world);
            hashes.push(world.hash());
            step(&mut world, 1.0 / 60.0).unwrap();
        }
        assert_eq!(history.range(), Some([100, 700]));
        for frame in [100, 101, 350, 700] {
            let (past, found, until) = history.restore(frame).unwrap();
            assert_eq!((past.hash(), found, until), (hashes[frame as usize], frame, frame));
        }
        // To go on from the past forgets the future that was.
        let (past, ..) = history.restore(200).unwrap();
        record(&mut history, 200, &past);
        assert_eq!(history.range(), Some([100, 200]));
    }

    #[test]
    fn what_a_gpu_computed_is_not_simulated_again() {
        let mut world = World::default();
        let cloth = Cloth { columns: 12, rows: 12, ..Cloth::default() };
        world.add(&cloth.blueprint().unwrap().pinned(&[0])).unwrap();
        // So many frames a second that not all of them fit.
        let fps = 20.0 * MOST_BYTES as f64 / (SECONDS * world.save().len() as f64);
        let mut history = History::default();
        let mut hashes = Vec::new();
        for frame in 0..100 {
            let again = if (40..60).contains(&frame) { Again::Other } else { Again::Same };
            record_at(&mut history, frame, &world, (fps, again));
            hashes.push(world.hash());
            step(&mut world, 1.0 / 60.0).unwrap();
        }
        let [_, last] = history.range().unwrap();
        let mut kept = 0;
        for frame in 0..=last {
            let (mut past, found, until) = history.restore(frame).unwrap();
            kept += u64::from(found == frame);
            for _ in found..until {
                step(&mut past, 1.0 / 60.0).unwrap();
            }
            assert_eq!(past.hash(), hashes[until as usize], "{until}");
            // A snapshot, or a frame of the CPU since one.
            let crossed = (found + 1..=frame).any(|k| (40..60).contains(&k));
            assert_eq!(until == frame, !crossed, "{frame}: from {found} to {until}");
        }
        assert!(kept > 2 && kept < last / 2, "{kept} of {last}");
    }

    #[test]
    fn large_worlds_are_saved_less_often() {
        assert_eq!(every(100_000, 60.0), 1);
        assert_eq!(every(2 << 20, 60.0), 5);
    }
}
