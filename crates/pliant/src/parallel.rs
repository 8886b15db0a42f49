//! Threads for the solver, and the engine's only `unsafe`.
//!
//! Two things here are beyond what types can say: several threads write one slice, never the same
//! element (`Disjoint`), and long-lived threads run a closure that borrows from its caller
//! (`Team::run`). What the rest of the engine calls is safe.
//!
//! Work is split into ranges that do not overlap; since no two items of a call touch the same
//! element, the result does not depend on how many threads share it. WGSL twin: `parallel.wgsl`
#![expect(
    unsafe_code,
    reason = "disjointness comes from graph colouring, which types cannot express; \
              a pool that lives longer than one call must erase the lifetime of its work"
)]

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
#[cfg(feature = "parallel")]
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::Vec4;

use crate::coloring::Colored;
use crate::contact::zones::{Run, Zoned};
use crate::lanes::Lanes;

/// What the lanes of a GPU's workgroup do together.
pub(crate) const WGSL: &str = include_str!("parallel.wgsl");

/// A slice that several threads may write, each its own elements.
pub(crate) struct Disjoint<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: all access is through unsafe functions whose callers promise that no element is shared.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<T> Clone for Disjoint<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    /// Takes the slice for the lifetime `'a`; nobody else can reach it meanwhile.
    fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// The elements of `range`.
    ///
    /// # Safety
    /// No one else reads or writes any of them while the slice lives.
    #[inline(always)]
    unsafe fn range(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
        // SAFETY: in bounds, and the caller excludes concurrent access.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

impl Disjoint<'_, Vec4> {
    /// Where the row of a particle is, from twice its index.
    ///
    /// # Safety
    /// The index is below the length, and no other thread reads or writes the row meanwhile.
    #[inline(always)]
    unsafe fn row(&self, doubled: u32) -> *mut Vec4 {
        const { assert!(size_of::<Vec4>() == 2 * size_of::<u64>(), "a row is two words") };
        debug_assert!(doubled as usize / 2 < self.len, "row {} of {}", doubled / 2, self.len);
        // SAFETY: in bounds, since a row is two words.
        unsafe { self.start.cast::<u64>().add(doubled as usize).cast() }
    }
}

/// Constraints that one thread solves: their particles, and one number (λ) for each.
///
/// Either the thread is alone, or the constraints are of one colour of a [`Colored`], which has
/// checked that no two of them share a particle. So what this reaches, no other thread does.
pub(crate) struct Share<'a> {
    range: Range<usize>,
    colored: &'a Colored,
    /// At least as long as `colored.bound()`: every particle of a constraint is in it.
    xw: Disjoint<'a, Vec4>,
    lambda: Disjoint<'a, f32>,
}

impl<'a> Share<'a> {
    /// All constraints that have a colour, for a thread that is alone.
    fn all(colored: &'a Colored, xw: &'a mut [Vec4], lambda: &'a mut [f32]) -> Self {
        assert!(colored.bound() <= xw.len(), "{} particles of {}", colored.bound(), xw.len());
        let (xw, lambda) = (Disjoint::new(xw), Disjoint::new(lambda));
        Self { range: 0..colored.active(), colored, xw, lambda }
    }

    /// The constraints of this share, which have `N` particles each.
    #[inline(always)]
    pub(crate) fn members<const N: usize>(&mut self) -> Members<'_, N> {
        let slots = self.range.clone();
        let doubled = &self.colored.doubled_of::<N>()[slots.clone()];
        // SAFETY: only this thread reaches these slots, through what borrows its share.
        let lambda = unsafe { self.lambda.range(slots.clone()) };
        Members { slots, doubled, rows: [self.xw], lambda }
    }
}

/// Pairs in contact that one thread solves, run after run: of one zone, or all that there are.
///
/// Either the thread is alone, or the pairs are of one zone of a [`Zoned`], which has checked that no two zones of a
/// phase share a particle. So what this reaches, no other thread does.
pub(crate) struct ZoneShare<'a, const N: usize, const C: usize> {
    runs: std::slice::Iter<'a, Run>,
    zoned: &'a Zoned<N>,
    /// Each at least as long as `zoned.bound()`.
    rows: [Disjoint<'a, Vec4>; C],
    lambda: Disjoint<'a, f32>,
}

impl<'a, const N: usize, const C: usize> ZoneShare<'a, N, C> {
    /// All pairs, for a thread that is alone.
    fn all(zoned: &'a Zoned<N>, rows: [&'a mut [Vec4]; C], lambda: &'a mut [f32]) -> Self {
        for rows in &rows {
            assert!(zoned.bound() <= rows.len(), "{} particles of {}", zoned.bound(), rows.len());
        }
        let (rows, lambda) = (rows.map(Disjoint::new), Disjoint::new(lambda));
        Self { runs: zoned.runs(&(0..zoned.last().end)).iter(), zoned, rows, lambda }
    }

    /// The next of its runs.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Members<'_, N, C>> {
        let run = self.runs.next()?;
        Some(self.members(run.slots(), run.room()))
    }

    /// A pair by itself, wherever it is.
    #[inline(always)]
    pub(crate) fn single(&mut self, slot: usize) -> Members<'_, N, C> {
        self.members(slot..slot + 1, slot..slot + 1)
    }

    #[inline(always)]
    fn members(&mut self, slots: Range<usize>, room: Range<usize>) -> Members<'_, N, C> {
        let doubled = &self.zoned.doubled()[room.clone()];
        // SAFETY: only this thread reaches these slots, through what borrows its zone.
        let lambda = unsafe { self.lambda.range(room) };
        Members { slots, doubled, rows: self.rows, lambda }
    }
}

/// The constraints of a [`Share`] or the pairs of a [`Run`], counted from 0.
pub(crate) struct Members<'a, const N: usize, const C: usize = 1> {
    slots: Range<usize>,
    /// Of pairs, up to a whole number of lanes; as many are the numbers λ.
    doubled: &'a [[u32; N]],
    rows: [Disjoint<'a, Vec4>; C],
    lambda: &'a mut [f32],
}

impl<const N: usize, const C: usize> Members<'_, N, C> {
    /// Their slots.
    #[inline(always)]
    pub(crate) fn slots(&self) -> Range<usize> {
        self.slots.clone()
    }

    /// How many they are.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// As many as `R` has lanes, from `first` on.
    #[inline(always)]
    pub(crate) fn group<R: Lanes>(&mut self, first: usize) -> Group<'_, R, N, C> {
        let doubled = &self.doubled[first..first + R::WIDTH];
        let lambda = &mut self.lambda[first..first + R::WIDTH];
        Group { doubled, rows: self.rows, lambda, lanes: PhantomData }
    }
}

/// A few [`Members`], solved at once; what they move has a row for each particle in each of `C` columns.
pub(crate) struct Group<'a, R, const N: usize, const C: usize = 1> {
    doubled: &'a [[u32; N]],
    rows: [Disjoint<'a, Vec4>; C],
    lambda: &'a mut [f32],
    lanes: PhantomData<R>,
}

impl<R: Lanes, const N: usize, const C: usize> Group<'_, R, N, C> {
    /// The index of particle `k` of the constraint in `lane`.
    #[inline(always)]
    pub(crate) fn id(&self, lane: usize, k: usize) -> usize {
        self.doubled[lane][k] as usize / 2
    }

    /// The row of that particle in the first column.
    #[inline(always)]
    pub(crate) fn particle(&self, lane: usize, k: usize) -> Vec4 {
        self.particle_of(0, lane, k)
    }

    /// The row of that particle in a column.
    #[inline(always)]
    pub(crate) fn particle_of(&self, column: usize, lane: usize, k: usize) -> Vec4 {
        // SAFETY: below `bound`, which columns are as long as; and only this thread reaches it.
        unsafe { *self.rows[column].row(self.doubled[lane][k]) }
    }

    /// Replaces the row of that particle in the first column.
    #[inline(always)]
    pub(crate) fn set_particle(&self, lane: usize, k: usize, row: Vec4) {
        self.set_particle_of(0, lane, k, row);
    }

    /// Replaces the row of that particle in a column.
    #[inline(always)]
    pub(crate) fn set_particle_of(&self, column: usize, lane: usize, k: usize, row: Vec4) {
        // SAFETY: below `bound`, which columns are as long as; and only this thread reaches it.
        unsafe { *self.rows[column].row(self.doubled[lane][k]) = row }
    }

    /// The numbers λ of this group.
    #[inline(always)]
    pub(crate) fn lambda(&mut self) -> &mut [f32] {
        self.lambda
    }
}

/// Slices that are walked in step, such as positions and velocities.
pub(crate) trait Columns: Sized {
    /// Their form that threads can share.
    type Shared: Copy + Sync;
    /// The length that all of them have.
    fn rows(&self) -> usize;
    /// Makes them shareable.
    fn share(self) -> Self::Shared;
    /// The same slices, cut to a range.
    ///
    /// # Safety
    /// Every row is handed out once.
    unsafe fn part(shared: Self::Shared, range: Range<usize>) -> Self;
}

macro_rules! columns {
    ($($name:ident $index:tt),+) => {
        impl<'a, $($name: Send + 'static),+> Columns for ($(&'a mut [$name],)+) {
            type Shared = ($(Disjoint<'a, $name>,)+);
            fn rows(&self) -> usize {
                self.0.len()
            }
            fn share(self) -> Self::Shared {
                ($(Disjoint::new(self.$index),)+)
            }
            unsafe fn part(shared: Self::Shared, range: Range<usize>) -> Self {
                // SAFETY: the caller hands out each row once.
                ($(unsafe { shared.$index.range(range.clone()) },)+)
            }
        }
    };
}
columns!(A 0);
columns!(A 0, B 1);
columns!(A 0, B 1, C 2);
columns!(A 0, B 1, C 2, D 3);

/// Threads that share the work of a step. One thread (the caller's) by default.
#[derive(Default)]
pub(crate) struct Pool {
    #[cfg(feature = "parallel")]
    team: Option<team::Team>,
}

impl Pool {
    /// Makes the pool `threads` wide; 0 means as many as the machine has cores.
    pub(crate) fn resize(&mut self, threads: u32) {
        #[cfg(feature = "parallel")]
        {
            let wanted = match threads {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                n => n as usize,
            };
            if wanted != self.threads() {
                self.team = (wanted > 1).then(|| team::Team::new(wanted));
            }
        }
        #[cfg(not(feature = "parallel"))]
        let _ = threads;
    }

    /// How many threads share the work.
    pub(crate) fn threads(&self) -> usize {
        #[cfg(feature = "parallel")]
        return self.team.as_ref().map_or(1, team::Team::threads);
        #[cfg(not(feature = "parallel"))]
        1
    }

    /// Solves all constraints of `colored`, colour after colour, each on all threads at once.
    pub(crate) fn for_colors(
        &self,
        colored: &Colored,
        grain: usize,
        (xw, lambda): (&mut [Vec4], &mut [f32]),
        work: impl Fn(&mut Share<'_>) + Sync,
    ) {
        let all = Share::all(colored, xw, lambda);
        for color in colored.colors() {
            self.for_ranges(color.len(), grain, |part| {
                let range = color.start + part.start..color.start + part.end;
                work(&mut Share { range, ..all });
            });
        }
    }

    /// Gives all constraints of `colored` to `work` at once, on this thread.
    pub(crate) fn alone(
        colored: &Colored,
        (xw, lambda): (&mut [Vec4], &mut [f32]),
        work: impl FnOnce(&mut Share<'_>),
    ) {
        work(&mut Share::all(colored, xw, lambda));
    }

    /// Solves all pairs of `zoned`: phase after phase, its zones on all threads at once; then what is left. Fewer
    /// than `grain` pairs on this thread.
    pub(crate) fn for_zones<const N: usize, const C: usize>(
        &self,
        zoned: &Zoned<N>,
        grain: usize,
        (rows, lambda): ([&mut [Vec4]; C], &mut [f32]),
        work: impl Fn(&mut ZoneShare<'_, N, C>) + Sync,
    ) {
        let mut all = ZoneShare::all(zoned, rows, lambda);
        if zoned.slots() < grain || self.threads() == 1 {
            work(&mut all);
            return;
        }
        let solve =
            |runs: &Range<u32>| work(&mut ZoneShare { runs: zoned.runs(runs).iter(), ..all });
        for zones in zoned.phases() {
            // Neighbours share particles with what is between them: they stay with one thread.
            self.for_ranges_of(zones.len(), (1, 1), |range| zones[range].iter().for_each(solve));
        }
        solve(&zoned.last());
    }

    /// Gives all pairs of `zoned` to `work` at once, on this thread.
    pub(crate) fn alone_in<const N: usize, const C: usize>(
        zoned: &Zoned<N>,
        (rows, lambda): ([&mut [Vec4]; C], &mut [f32]),
        work: impl FnOnce(&mut ZoneShare<'_, N, C>),
    ) {
        work(&mut ZoneShare::all(zoned, rows, lambda));
    }

    /// Walks `columns` on all threads; `work` gets the index of the first row and the rows.
    pub(crate) fn for_rows<C: Columns>(
        &self,
        columns: C,
        grain: usize,
        work: impl Fn(usize, C) + Sync,
    ) {
        let (rows, shared) = (columns.rows(), columns.share());
        self.for_ranges(rows, grain, |range| {
            // SAFETY: the ranges of one call do not overlap.
            work(range.start, unsafe { C::part(shared, range) });
        });
    }

    /// The same where some rows are more work than others: ranges of `grain` rows, and who is ready takes the next.
    pub(crate) fn for_uneven_rows<C: Columns>(
        &self,
        columns: C,
        grain: usize,
        work: impl Fn(usize, C) + Sync,
    ) {
        let (rows, shared) = (columns.rows(), columns.share());
        let grain = if self.threads() == 1 { rows.max(1) } else { grain };
        self.for_each(rows.div_ceil(grain), |k| {
            let range = grain * k..rows.min(grain * (k + 1));
            // SAFETY: each number comes once, and the ranges of two do not overlap.
            work(range.start, unsafe { C::part(shared, range) });
        });
    }

    /// Cuts `columns` into as many ranges as there are `parts`, and gives `work` each with its part, the index
    /// of its first row and its rows: who is ready takes the next. Of fewer rows than `grain`, on this thread.
    pub(crate) fn for_parts<C: Columns, P: Send>(
        &self,
        columns: C,
        (parts, grain): (&mut [P], usize),
        work: impl Fn(&mut P, usize, C) + Sync,
    ) {
        let (rows, shared, count) = (columns.rows(), columns.share(), parts.len());
        let parts = Disjoint::new(parts);
        let visit = |k: usize| {
            let range = rows * k / count..rows * (k + 1) / count;
            // SAFETY: each number comes once, and ranges of two do not overlap.
            let (part, own) = unsafe { (parts.range(k..k + 1), C::part(shared, range.clone())) };
            work(&mut part[0], range.start, own);
        };
        if rows < grain {
            (0..count).for_each(visit);
        } else {
            self.for_each(count, visit);
        }
    }

    /// Whether `holds` is true of all ranges that together are `0..count`, on all threads at once.
    pub(crate) fn all(
        &self,
        count: usize,
        grain: usize,
        holds: impl Fn(Range<usize>) -> bool + Sync,
    ) -> bool {
        let fails = AtomicBool::new(false);
        self.for_ranges(count, grain, |range| {
            if !holds(range) {
                fails.store(true, Ordering::Relaxed);
            }
        });
        !fails.into_inner()
    }

    /// Calls `work` on every number below `count`, on all threads at once: each starts with its
    /// own, and who is ready takes the next.
    pub(crate) fn for_each(&self, count: usize, work: impl Fn(usize) + Sync) {
        #[cfg(feature = "parallel")]
        if let Some(team) = &self.team
            && count > 1
        {
            let threads = team.threads();
            let next = AtomicUsize::new(threads);
            let take = || next.fetch_add(1, Ordering::Relaxed);
            let later = || Some(take()).filter(|&k| k < count);
            team.run(&|thread| {
                (thread..count.min(thread + 1)).for_each(&work);
                std::iter::from_fn(later).for_each(&work);
            });
            return;
        }
        (0..count).for_each(work);
    }

    /// Calls `work` on ranges that together are `0..count`, on all threads at once.
    ///
    /// `grain` is the least that is worth a thread: smaller work stays with the caller.
    pub(crate) fn for_ranges(
        &self,
        count: usize,
        grain: usize,
        work: impl Fn(Range<usize>) + Sync,
    ) {
        // Whole lane groups per thread, so that none is split into scalars.
        self.for_ranges_of(count, (grain, 16), work);
    }

    /// The same for ranges that begin at multiples of a number.
    fn for_ranges_of(
        &self,
        count: usize,
        (grain, multiple): (usize, usize),
        work: impl Fn(Range<usize>) + Sync,
    ) {
        #[cfg(feature = "parallel")]
        if let Some(team) = &self.team
            && count >= 2 * grain
        {
            let parts = team.threads().min(count / grain);
            let cut = |part: usize| (count * part / parts).next_multiple_of(multiple).min(count);
            team.run(&|part| {
                if part < parts {
                    work(cut(part)..if part + 1 == parts { count } else { cut(part + 1) });
                }
            });
            return;
        }
        let _ = (grain, multiple);
        if count > 0 {
            work(0..count);
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({} threads)", self.threads())
    }
}

/// Threads that wait for work by spinning, then sleep.
#[cfg(feature = "parallel")]
mod team {
    use std::cell::UnsafeCell;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, Condvar, Mutex};
    use std::thread::JoinHandle;

    /// Turns of the waiting loop before a thread lets others run (a µs or two). More would cost as
    /// much at every barrier while the system has two threads of a team on one core; with 16 the
    /// calls to yield take longer than the work.
    const SPINS_BEFORE_YIELD: u32 = 1 << 7;
    /// Turns before a worker goes to sleep (about a millisecond): longer than any gap inside a
    /// step, shorter than the gap between two frames.
    const SPINS_BEFORE_SLEEP: u32 = SPINS_BEFORE_YIELD + (1 << 11);

    type Work = dyn Fn(usize) + Sync;

    struct Shared {
        /// Counts calls of `run`; a change is the signal to start.
        call: AtomicUsize,
        /// Workers that have not finished the present call.
        pending: AtomicUsize,
        /// The work of the present call. Written only while `pending` is 0.
        work: UnsafeCell<Option<*const Work>>,
        panicked: AtomicBool,
        stop: AtomicBool,
        sleepers: Mutex<usize>,
        wake: Condvar,
    }

    // SAFETY: `work` is written by the caller of `run` only while no worker is at work, and read
    // by workers only after they saw `call` change (release → acquire).
    unsafe impl Sync for Shared {}
    // SAFETY: as above; the pointer is only followed while the caller of `run` waits.
    unsafe impl Send for Shared {}

    pub(super) struct Team {
        shared: Arc<Shared>,
        workers: Vec<JoinHandle<()>>,
    }

    impl Team {
        pub(super) fn new(threads: usize) -> Self {
            let shared = Arc::new(Shared {
                call: AtomicUsize::new(0),
                pending: AtomicUsize::new(0),
                work: UnsafeCell::new(None),
                panicked: AtomicBool::new(false),
                stop: AtomicBool::new(false),
                sleepers: Mutex::new(0),
                wake: Condvar::new(),
            });
            let spawn = |part| {
                let shared = Arc::clone(&shared);
                std::thread::Builder::new()
                    .name(format!("pliant-{part}"))
                    .spawn(move || shared.serve(part))
            };
            // A machine that refuses more threads gets a smaller team, not an error.
            let workers = (1..threads).map_while(|part| spawn(part).ok()).collect();
            Self { shared, workers }
        }

        pub(super) fn threads(&self) -> usize {
            self.workers.len() + 1
        }

        /// Calls `work(part)` for every part `0..threads`, each on its own thread, and returns
        /// when all have finished. A panic in any of them continues here.
        pub(super) fn run(&self, work: &(dyn Fn(usize) + Sync)) {
            let shared = &*self.shared;
            // SAFETY: only the lifetime changes, and this function does not return before every
            // worker has finished with the pointer.
            let work_ptr =
                unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), *const Work>(work) };
            // SAFETY: `pending` is 0, so no worker reads it now.
            unsafe { *shared.work.get() = Some(work_ptr) };
            shared.pending.store(self.workers.len(), Ordering::Relaxed);
            shared.call.fetch_add(1, Ordering::SeqCst);
            if *shared.sleepers.lock().unwrap_or_else(|e| e.into_inner()) > 0 {
                shared.wake.notify_all();
            }
            let own = catch_unwind(AssertUnwindSafe(|| work(0)));
            let mut spins = 0;
            while shared.pending.load(Ordering::Acquire) != 0 {
                relax(&mut spins);
            }
            if let Err(panic) = own {
                resume_unwind(panic);
            }
            assert!(!shared.panicked.swap(false, Ordering::Relaxed), "a worker thread panicked");
        }
    }

    impl Drop for Team {
        fn drop(&mut self) {
            self.shared.stop.store(true, Ordering::SeqCst);
            self.shared.call.fetch_add(1, Ordering::SeqCst);
            drop(self.shared.sleepers.lock());
            self.shared.wake.notify_all();
            for worker in self.workers.drain(..) {
                let _ = worker.join();
            }
        }
    }

    impl Shared {
        fn serve(&self, part: usize) {
            let mut seen = 0;
            loop {
                seen = self.next_call(seen);
                if self.stop.load(Ordering::SeqCst) {
                    return;
                }
                // SAFETY: the caller wrote it before `call` changed and waits for us below.
                let work = unsafe { (*self.work.get()).map(|work| &*work) };
                if let Some(work) = work
                    && catch_unwind(AssertUnwindSafe(|| work(part))).is_err()
                {
                    self.panicked.store(true, Ordering::Relaxed);
                }
                self.pending.fetch_sub(1, Ordering::Release);
            }
        }

        /// Waits until `call` is no longer `seen`.
        fn next_call(&self, seen: usize) -> usize {
            let mut spins = 0;
            while spins < SPINS_BEFORE_SLEEP {
                let call = self.call.load(Ordering::Acquire);
                if call != seen {
                    return call;
                }
                relax(&mut spins);
            }
            let mut sleepers = self.sleepers.lock().unwrap_or_else(|e| e.into_inner());
            *sleepers += 1;
            // `run` changes `call` before it takes this lock, so no signal is missed.
            while self.call.load(Ordering::SeqCst) == seen {
                sleepers = self.wake.wait(sleepers).unwrap_or_else(|e| e.into_inner());
            }
            *sleepers -= 1;
            self.call.load(Ordering::SeqCst)
        }
    }

    /// One turn of a waiting loop: cheap at first, then polite to whoever wants the core.
    fn relax(spins: &mut u32) {
        *spins = spins.saturating_add(1);
        if *spins < SPINS_BEFORE_YIELD {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_visited_once_whatever_the_thread_count() {
        for threads in [1, 2, 3, 8] {
            let mut pool = Pool::default();
            pool.resize(threads);
            for count in [0, 1, 15, 16, 17, 100, 1000, 4097] {
                let mut visits = vec![0u8; count];
                let slots = Disjoint::new(&mut visits);
                pool.for_ranges(count, 16, |range| {
                    // SAFETY: the ranges of one call do not overlap.
                    unsafe { slots.range(range) }.iter_mut().for_each(|v| *v += 1);
                });
                assert!(visits.iter().all(|&v| v == 1), "{threads} threads, {count} items");
            }
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn a_panic_in_the_work_reaches_the_caller_and_the_pool_still_works() {
        let mut pool = Pool::default();
        pool.resize(2);
        for _ in 0..3 {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.for_ranges(100, 1, |range| assert!(range.start == 0, "on purpose"));
            }));
            assert!(result.is_err());
        }
        pool.for_ranges(100, 1, |_| {});
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn sleeping_workers_wake_up() {
        let mut pool = Pool::default();
        pool.resize(3);
        for _ in 0..3 {
            std::thread::sleep(std::time::Duration::from_millis(30));
            let mut seen = vec![0u8; 300];
            let slots = Disjoint::new(&mut seen);
            // SAFETY: the ranges of one call do not overlap.
            pool.for_ranges(300, 1, |r| unsafe { slots.range(r) }.fill(1));
            assert!(seen.iter().all(|&v| v == 1));
        }
    }
}
