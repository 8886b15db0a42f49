//! A world in the memory of a GPU.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pliant::contact::buffers;
use pliant::glam::Vec4;
use pliant::mirror::{self, BodyRow, ColliderRow};
use pliant::solver::jacobi;
use pliant::{BodyId, Config, Precision, Solver, StepError, World};

use crate::again::{Taken, UNDER_WAY};
use crate::column::{Column, Others, Pushed};
use crate::contacts::ContactColumns;
use crate::device::Gpu;
use crate::error::GpuError;
use crate::led::Led;
use crate::parts::{
    Change, ForceColumns, ParticleColumns, RegionColumns, SetColumns, check_support,
};
use crate::program::Access::{Read, Write};
use crate::program::Program;
use crate::recording::{Recording, Section};
use crate::step;
use crate::tiles::Turns;
use crate::tiles::columns::TileColumns;
use crate::tiles::shader::{Ending, Solving};
use crate::touches::TouchColumns;

/// A [`World`] in the memory of a GPU, where it takes its steps.
///
/// Iterations are all done: [`Config::tolerance`] and hooks that stop a step need to know what
/// happened, and nothing is read back within a step. A body that falls asleep or is put aside there
/// counts as held in regions that it shares with others from the next push on. What breaks or keeps
/// part of its strain ([`pliant::tear::Strength`]) does so when results are read: push then.
#[derive(Debug)]
pub struct GpuWorld {
    gpu: Arc<Gpu>,
    pub(crate) programs: Programs,
    pub(crate) config: Config,
    pub(crate) particles: ParticleColumns,
    pub(crate) sets: Vec<SetColumns>,
    /// Those of which several colours are solved in one dispatch.
    pub(crate) tiles: Vec<TileColumns>,
    /// How they were made; `None` for none.
    turns: Option<Turns>,
    /// How the last of them end substeps, where they do.
    pub(crate) end: Option<End>,
    pub(crate) regions: Vec<RegionColumns>,
    pub(crate) forces: ForceColumns,
    pub(crate) colliders: Column<ColliderRow>,
    /// Grids of signed distances.
    pub(crate) fields: Column<Vec4>,
    pub(crate) bodies: Column<BodyRow>,
    pub(crate) contacts: ContactColumns,
    pub(crate) touches: TouchColumns,
    /// Which particles every body had when it was pushed.
    owners: Vec<(BodyId, Range<u32>)>,
    surroundings: u64,
    /// The step as dispatches, and its length (s).
    recording: Option<(f32, Recording)>,
    wake: Wake,
    tiling: Tiling,
    pub(crate) clock: Clock,
    pub(crate) led: Led,
    /// Steps whose needs are not known yet, in order.
    pub(crate) under_way: VecDeque<Taken>,
    /// What the next of them begins with.
    pub(crate) before: Option<Vec<wgpu::Buffer>>,
    /// Memory for such.
    pub(crate) spare: Vec<Vec<wgpu::Buffer>>,
    pub(crate) taken_again: u64,
    pub(crate) times_read: u64,
}

/// Particles from which on a dispatch for each colour is faster than tiles that solve what their neighbours
/// solve too (docs/gpu.md).
const MANY: usize = 300_000;

/// Iterations of all substeps that are one dispatch at most, of some microseconds each: a driver takes a GPU for hung
/// that is at work on a dispatch for a second or two.
const MOST_ROUNDS: u32 = 1024;

/// Whether several colours of constraints are solved in one dispatch. The result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiling {
    /// Where that is faster: on hardware, whose dispatches cost more than its barriers, as long as
    /// particles are few.
    Auto,
    /// Wherever there are colours enough.
    Always,
    /// The same, with a dispatch of its own for what follows constraints.
    Apart,
    /// A dispatch for each colour.
    Never,
}

/// How a step went that was taken in slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slices {
    /// How many there were.
    pub count: usize,
    /// How long they took, with what else the device had to do before them.
    pub spent: Duration,
    /// Time of a part in the quickest of them, which had to wait least.
    pub part: Duration,
}

impl Slices {
    fn add(&mut self, parts: usize, spent: Duration) {
        let part = spent / parts.max(1) as u32;
        self.part = if self.spent.is_zero() { part } else { self.part.min(part) };
        self.spent += spent;
    }
}

/// The shaders that every world needs.
#[derive(Debug)]
pub(crate) struct Programs {
    pub(crate) step: Arc<Program>,
    pub(crate) force: Arc<Program>,
    pub(crate) body: Arc<Program>,
    pub(crate) jacobi: Arc<Program>,
}

/// How tiles end substeps, and their shader.
#[derive(Clone, Debug)]
pub(crate) struct End {
    ending: Ending,
    pub(crate) program: Arc<Program>,
}

/// When a substep follows another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follow {
    /// In the same pass.
    AtOnce,
    /// When something else has been done.
    Later,
}

/// What the next step wakes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wake {
    Nothing,
    Disturbed,
    All,
}

/// Where in time the GPU is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Steps taken.
    pub(crate) steps: u32,
    /// Steps taken when the world was last read or pushed whole.
    pub(crate) read: u32,
    /// The time at the start of each step since then (s).
    pub(crate) times: Vec<f64>,
    /// The time now (s).
    pub(crate) now: f64,
    /// Length of the last substep (s).
    pub(crate) h: f32,
    /// Iterations of the last step.
    pub(crate) iterations: u64,
}

impl GpuWorld {
    /// The world as it is now, on `gpu`. Brings the world's schedule up to date first.
    ///
    /// # Errors
    /// If something in it runs on the CPU only, is too large, or a setting is out of range.
    pub fn new(gpu: &Arc<Gpu>, world: &mut World) -> Result<Self, GpuError> {
        world.prepare(0.0)?;
        check_support(world)?;
        gpu.check()?;
        let contacts = ContactColumns::new(gpu, world)?;
        let (sets, regions) = (new_sets(gpu, world)?, new_regions(gpu, world)?);
        let mut there = Self {
            gpu: Arc::clone(gpu),
            programs: Programs::new(gpu)?,
            config: world.config.clone(),
            particles: ParticleColumns::new(gpu, world)?,
            sets,
            tiles: Vec::new(),
            regions,
            forces: ForceColumns::new(gpu, world)?,
            colliders: Column::new(gpu, "colliders", world.collider_rows())?.of_vectors(),
            fields: Column::new(gpu, "grids of colliders", world.field_rows())?,
            bodies: Column::new(gpu, "bodies", world.body_rows())?,
            contacts,
            turns: None,
            touches: TouchColumns::new(gpu, world)?,
            owners: owners(world),
            surroundings: world.surroundings(),
            recording: None,
            wake: Wake::Disturbed,
            tiling: Tiling::Auto,
            clock: Clock { now: world.time, h: world.substep(), ..Clock::default() },
            led: Led::new(world),
            under_way: VecDeque::new(),
            before: None,
            spare: Vec::new(),
            end: None,
            taken_again: 0,
            times_read: 0,
        };
        there.turns = there.find_turns();
        there.tiles = new_tiles(gpu, world, &there.sets, there.turns)?;
        there.end = there.find_end(None)?;
        Ok(there)
    }

    /// The GPU that it is on.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// How it is simulated there: [`World::config`] as it was last pushed.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Chooses whether several colours are solved in one dispatch, from the next [`Self::push`] on.
    pub fn set_tiling(&mut self, tiling: Tiling) {
        self.tiling = tiling;
    }

    /// How many constraints tiles solve for each one that there is, of the kind of most: what several
    /// tiles need, each of them solves. `None` where each colour is a dispatch.
    pub fn tile_work(&self) -> Option<f64> {
        let (most, _) = self.sets.iter().enumerate().max_by_key(|(_, set)| set.count)?;
        self.tiles.iter().find(|tiles| tiles.sets.contains(&most)).map(|tiles| tiles.work)
    }

    /// Time simulated (s).
    pub fn time(&self) -> f64 {
        self.clock.now
    }

    /// Advances by `dt` seconds. Returns before the GPU is done.
    ///
    /// # Errors
    /// If `dt` is out of range, or the device is lost.
    pub fn step(&mut self, dt: f32) -> Result<(), GpuError> {
        self.begin(dt)?;
        let sections: Vec<Section> = self.sections().filter(|_| dt > 0.0).collect();
        self.play(&sections, self.led.places.as_ref(), 0);
        self.end(dt)
    }

    /// Plays sections of the recording, from a substep on; `places` is where colliders are in each.
    /// Returns what to wait for.
    pub(crate) fn play(
        &self,
        sections: &[Section],
        places: Option<&wgpu::Buffer>,
        mut substep: u32,
    ) -> Option<wgpu::SubmissionIndex> {
        let recording = self.recording()?;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        // A new pass begins where colliders are put into their places.
        let begins = |section: &Section| places.is_some() && section.predicts();
        for part in sections.chunk_by(|_, next| !begins(next)) {
            if let Some(places) = places.filter(|_| part.first().is_some_and(begins)) {
                self.place(places, substep, &mut encoder);
                substep += 1;
            }
            let mut pass = encoder.begin_compute_pass(&Default::default());
            part.iter().for_each(|section| recording.play(*section, &mut pass));
        }
        Some(self.gpu.queue.submit([encoder.finish()]))
    }

    /// Advances by `dt` seconds, in slices of so many parts of a substep, each awaited: whoever else
    /// uses the device has a turn between two of them. The result is that of [`Self::step`].
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn step_in_slices(&mut self, dt: f32, parts: usize) -> Result<Slices, GpuError> {
        self.begin(dt)?;
        let sections: Vec<Section> = self.sections().filter(|_| dt > 0.0).collect();
        let slices = sections.chunks(parts.max(1));
        let mut taken = Slices { count: slices.len(), ..Slices::default() };
        let mut substep = 0;
        for slice in slices {
            let began = Instant::now();
            let submission_index = self.play(slice, self.led.places.as_ref(), substep);
            self.gpu.wait_for(wgpu::PollType::Wait { submission_index, timeout: None })?;
            taken.add(slice.len(), began.elapsed());
            substep += slice.iter().filter(|section| section.predicts()).count() as u32;
        }
        self.end(dt)?;
        Ok(taken)
    }

    /// Advances by `count` steps of `dt` seconds. Returns before the GPU is done.
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn steps(&mut self, count: u32, dt: f32) -> Result<(), GpuError> {
        (0..count).try_for_each(|_| self.step(dt))
    }

    /// Waits until the GPU has done what it was asked.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.gpu.wait()
    }

    /// Makes sure that there is a recording of a step of `dt` seconds.
    pub(crate) fn begin(&mut self, dt: f32) -> Result<(), GpuError> {
        if !(dt >= 0.0 && dt.is_finite()) {
            return Err(StepError::TimeStep { dt }.into());
        }
        self.gpu.check()?;
        self.hear(UNDER_WAY)?;
        self.record(dt);
        self.lead(dt)?;
        if dt > 0.0 { self.keep() } else { Ok(()) }
    }

    /// Records a step of `dt` seconds, unless it is recorded.
    pub(crate) fn record(&mut self, dt: f32) {
        if self.recording.as_ref().is_none_or(|(known, _)| *known != dt) {
            self.recording = Some((dt, step::record(self, dt)));
        }
    }

    /// Lets the next step be recorded anew.
    pub(crate) fn forget_recording(&mut self) {
        self.bring_multipliers();
        self.recording = None;
    }

    /// Brings what tiles have left of multipliers to where it is read.
    pub(crate) fn bring_multipliers(&self) {
        self.play(&[Section::Bring], None, 0);
    }

    /// The sections of the recording that make the next step, in order.
    pub(crate) fn sections(&self) -> impl Iterator<Item = Section> {
        use Section::{
            Correct, CorrectAndPredict, Predict, SlowDown, SlowDownAndPredict, Solve, SolveAll,
            SolveAndCorrect, SolveAndPredict,
        };
        const SLOW_END: &[Section] = &[Solve, Correct, SlowDown];
        let wake = match self.wake {
            Wake::Nothing => None,
            Wake::Disturbed => Some(Section::Wake),
            Wake::All => Some(Section::WakeAll),
        };
        // Forces, colliders that move and other bodies come between the end of a substep and the next.
        let touches = self.contacts.is_any();
        let moves = self.led.is_any() || self.colliders.seen().iter().any(|row| row.moves());
        let is_still = self.colliders.len() == 0 || (!moves && self.ends_with_colliders());
        let is_free = self.forces.count == 0;
        let follow = match is_free && is_still && !touches {
            true => Follow::AtOnce,
            false => Follow::Later,
        };
        let (between, last): (&[Section], &[Section]) = match (self.end.is_some(), touches) {
            (true, _) if follow == Follow::AtOnce && self.takes_all_in_tiles() => {
                (&[], &[SolveAll])
            }
            (true, _) if follow == Follow::AtOnce => (&[SolveAndPredict], &[SolveAndCorrect]),
            (true, _) => (&[SolveAndCorrect, Predict], &[SolveAndCorrect]),
            (false, false) if follow == Follow::AtOnce => (&[Solve, CorrectAndPredict], SLOW_END),
            (false, true) if is_free && !moves => (&[Solve, Correct, SlowDownAndPredict], SLOW_END),
            (false, _) => (&[Solve, Correct, SlowDown, Predict], SLOW_END),
        };
        let earlier = (1..self.config.substeps).flat_map(move |_| between);
        let substeps = [Predict].into_iter().chain(earlier.chain(last).copied());
        wake.into_iter()
            .chain(touches.then_some(Section::Open))
            .chain(self.in_halves(substeps, follow))
            .chain([Section::Finish])
    }

    /// The sections of substeps, each for the half of rows in which it begins, so that the last ends in the first.
    /// A section that predicts finds rows in the first half.
    fn in_halves(
        &self,
        sections: impl Iterator<Item = Section>,
        follow: Follow,
    ) -> impl Iterator<Item = Section> {
        let turn = u32::from(self.changes_halves());
        let start = turn * if follow == Follow::AtOnce { self.config.substeps } else { 1 };
        let mut half = 0;
        sections.map(move |section| {
            half = if section.predicts() { start % 2 } else { half };
            let placed = if half == 1 { section.away() } else { section };
            half = if section.predicts() { half } else { (half + turn) % 2 };
            placed
        })
    }

    /// Whether rows are in the other half of their memory after a substep than before.
    pub(crate) fn changes_halves(&self) -> bool {
        let count = |tiles: &TileColumns| tiles.groups.len() * self.config.iterations as usize;
        let is_odd = |tiles: &TileColumns| !tiles.is_closed && !count(tiles).is_multiple_of(2);
        self.end.is_some() && self.tiles.last().is_some_and(is_odd)
    }

    /// Whether all iterations of a substep are one dispatch of tiles.
    pub(crate) fn takes_all_in_tiles(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.ending.takes_all)
    }

    /// Whether nothing but colliders, which single particles meet, comes between constraints and the end of a
    /// substep. Grids and meshes are in a buffer that tiles have no place for.
    fn has_bare_ends(&self) -> bool {
        let has_more = self.touches.count() > 0 || self.touches.bodies > 0;
        let is_alone = self.regions.is_empty() && !self.contacts.is_any() && !has_more;
        is_alone && self.config.solver == Solver::Colored && self.fields.len() == 0
    }

    /// Whether tiles are to end substeps, where they can.
    fn wants_ends(&self) -> bool {
        matches!(self.tiling, Tiling::Auto | Tiling::Always)
    }

    /// Whether constraints look at where particles began, or how fast: of neighbours too, who may have begun anew.
    fn looks_back(&self) -> bool {
        let is_carried = self.config.precision == Precision::Carried;
        is_carried || self.sets.iter().any(SetColumns::has_dashpots)
    }

    /// How tiles end substeps; `None` where they do not. What is known of the same tiles need not be made again.
    fn find_end(&self, known: Option<End>) -> Result<Option<End>, GpuError> {
        let Some(tiles) = self.tiles.last() else { return Ok(None) };
        let rounds = self.config.substeps.saturating_mul(self.config.iterations);
        let takes_all = rounds <= MOST_ROUNDS && tiles.can_take_all(self.sets.len());
        let is_safe = tiles.is_closed || !self.looks_back();
        let can_end = self.has_bare_ends() && is_safe && tiles.can_end(self.sets.len());
        // Where there are many, a dispatch is little, and lanes are fewer that do both.
        let pays = takes_all || self.tiling == Tiling::Always || self.particles.xw.len() < MANY;
        if !(can_end && pays && self.wants_ends()) {
            return Ok(None);
        }
        let solving = Solving::of(&self.config);
        let ending = Ending { solving, collides: self.colliders.len() > 0, takes_all };
        let known = known.filter(|end| end.ending == ending);
        if known.is_some() {
            return Ok(known);
        }
        let program = tiles.ending(&self.gpu, &self.sets, ending)?;
        Ok(Some(End { ending, program }))
    }

    /// In how many dispatches tiles take an iteration; `None` where each colour is one. An odd number leaves rows in
    /// the other half of their memory: another iteration must bring them back before anything else looks at them,
    /// unless tiles end substeps and begin the next.
    fn find_turns(&self) -> Option<Turns> {
        let has_few = self.particles.xw.len() < MANY;
        match self.tiling {
            Tiling::Auto if self.gpu.is_software() => return None,
            Tiling::Auto if !has_few => return Some(Turns::Closed),
            Tiling::Auto | Tiling::Always | Tiling::Apart => {}
            Tiling::Never => return None,
        }
        let is_alone = self.regions.is_empty() && self.colliders.len() == 0;
        let come_back = self.config.iterations.is_multiple_of(2) && !self.contacts.is_any();
        let end_substeps = self.has_bare_ends() && self.wants_ends() && !self.looks_back();
        Some(match end_substeps || (is_alone && come_back) {
            true => Turns::Any,
            false => Turns::Even,
        })
    }

    /// Whether single particles that meet colliders are the last thing in a substep.
    pub(crate) fn ends_with_colliders(&self) -> bool {
        let has_limits = self.regions.iter().any(|set| set.kind.acts_at_end());
        let has_more = self.touches.count() > 0 || self.touches.bodies > 0;
        self.colliders.len() > 0 && !has_limits && !has_more
    }

    /// Whether that and the last sweep over pairs are one pass. What an even number of sweeps has counted begins
    /// anew without it.
    pub(crate) fn ends_with_pairs(&self) -> bool {
        let is_even = buffers::sweeps(self.config.iterations).is_multiple_of(2);
        self.contacts.is_any() && self.ends_with_colliders() && is_even
    }

    pub(crate) fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref().map(|(_, recording)| recording)
    }

    /// Notes that a step of `dt` seconds was taken.
    pub(crate) fn end(&mut self, dt: f32) -> Result<(), GpuError> {
        let sections = self.sections().filter(|_| dt > 0.0).collect();
        self.note(dt, sections)?;
        // What sleeps beside a collider that moves by itself wakes up again and again.
        let can_sleep = self.config.sleep_speed > 0.0;
        let moves = match self.led.is_any() {
            true => self.led.moves,
            false => self.colliders.seen().iter().any(|row| row.moves()),
        };
        self.wake = if can_sleep && moves { Wake::All } else { Wake::Nothing };
        let Clock { steps, times, now, h, iterations, .. } = &mut self.clock;
        times.push(*now);
        *now += f64::from(dt);
        *steps += 1;
        *h = dt / self.config.substeps as f32;
        *iterations = u64::from(self.config.substeps) * u64::from(self.config.iterations);
        let _ = self.gpu.device.poll(wgpu::PollType::Poll);
        self.gpu.check()
    }

    /// Who else may have written what a push is about to write.
    pub(crate) fn others(&self) -> Others {
        if self.clock.steps == self.clock.read { Others::None } else { Others::Gpu }
    }

    /// Brings to the GPU what has changed in `world` since it was last pushed or read: positions,
    /// velocities, pins, settings, numbers of constraints, regions, colliders and forces, bodies
    /// added and removed. What has not changed keeps what the GPU made of it.
    ///
    /// Regions that were added or removed make all of their kind start from the state that they
    /// have in `world`: read it before.
    ///
    /// # Errors
    /// As [`Self::new`]; the GPU may have some of the changes then.
    pub fn push(&mut self, world: &mut World) -> Result<(), GpuError> {
        world.prepare(0.0)?;
        check_support(world)?;
        self.gpu.check()?;
        self.hear(0)?;
        let others = self.others();
        let (old, new) = (&self.owners, owners(world));
        let moved = (*old != new).then(|| moves(old, &new));
        let gpu = Arc::clone(&self.gpu);
        let mut pushed = self.particles.push(&gpu, world, others, moved.as_deref())?;
        self.owners = new;
        pushed = pushed.and(self.contacts.push(&gpu, world)?);
        pushed = pushed.and(self.push_regions(world, others)?);
        pushed = pushed.and(self.forces.push(&gpu, world)?);
        pushed = pushed.and(self.touches.push(&gpu, world)?);
        pushed = pushed.and(self.push_surroundings(world, others)?);
        let is_other = self.config != world.config;
        self.config = world.config.clone();
        // How tiles are made depends on all that comes after them.
        let sets = self.push_sets(world)?;
        let known = self.end.clone().filter(|_| sets == Pushed::Kept);
        let end = self.find_end(known)?;
        let ending = |end: &Option<End>| end.as_ref().map(|end| end.ending);
        let ends_so = ending(&end) == ending(&self.end);
        (self.end, pushed) = (end, pushed.and(sets));
        if pushed == Pushed::Replaced || is_other || !ends_so {
            self.forget_recording();
        }
        if !world.time.eq(&self.clock.now) && others == Others::None {
            self.clock.now = world.time;
        }
        self.gpu.check()
    }

    /// Brings to the GPU where particles and colliders were moved to, how fast they move, and what
    /// was pinned: what a mouse does. Much cheaper than [`Self::push`], which it becomes if anything
    /// else has changed that can be seen at once.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn push_moves(&mut self, world: &mut World) -> Result<(), GpuError> {
        let same_bodies = self.owners == owners(world);
        if !same_bodies || !self.regions.is_empty() || self.config != world.config {
            return self.push(world);
        }
        self.gpu.check()?;
        self.hear(0)?;
        let (gpu, others) = (Arc::clone(&self.gpu), self.others());
        self.particles.push_rows(&gpu, world, others)?;
        let colliders = self.push_colliders(world, others)?;
        if colliders == Pushed::Replaced {
            return self.push(world);
        }
        self.wake = self.wake.max(Wake::Disturbed);
        self.gpu.check()
    }

    fn push_sets(&mut self, world: &World) -> Result<Pushed, GpuError> {
        let mut filled = filled_sets(world);
        let same = self.sets.iter().map(|set| set.index).eq(filled.by_ref());
        if !same {
            self.sets = new_sets(&self.gpu, world)?;
        }
        let (mut pushed, mut change) = (Pushed::Kept, Change::Nothing);
        for set in &mut self.sets {
            let (of_set, change_of_set) = set.push(&self.gpu, &world.constraints()[set.index])?;
            (pushed, change) = (pushed.and(of_set), change.max(change_of_set));
        }
        let turns = self.find_turns();
        if !same || turns != self.turns || change == Change::Wiring {
            self.turns = turns;
            self.tiles = new_tiles(&self.gpu, world, &self.sets, turns)?;
            return Ok(Pushed::Replaced);
        }
        let solving = Solving::of(&self.config);
        for tiles in &mut self.tiles {
            tiles.solve_by(&self.gpu, &self.sets, solving)?;
        }
        if change == Change::Numbers {
            let sets = (world.constraints(), self.sets.as_slice());
            self.tiles.iter_mut().try_for_each(|tiles| tiles.push(&self.gpu, sets))?;
        }
        Ok(pushed)
    }

    fn push_regions(&mut self, world: &World, others: Others) -> Result<Pushed, GpuError> {
        let mut filled = filled_regions(world);
        let same = self.regions.iter().map(|set| set.index).eq(filled.by_ref());
        if !same {
            self.regions = new_regions(&self.gpu, world)?;
            return Ok(Pushed::Replaced);
        }
        let mut pushed = Pushed::Kept;
        for set in &mut self.regions {
            let from = &world.regions()[set.index];
            pushed = pushed.and(set.push(&self.gpu, world, from, others)?);
        }
        Ok(pushed)
    }

    fn push_surroundings(&mut self, world: &World, others: Others) -> Result<Pushed, GpuError> {
        let changed = self.surroundings != world.surroundings();
        self.surroundings = world.surroundings();
        self.wake = self.wake.max(if changed { Wake::All } else { Wake::Disturbed });
        let colliders = self.push_colliders(world, others)?;
        let fields = self.fields.push(&self.gpu, world.field_rows(), Others::None)?;
        let bodies = self.bodies.push(&self.gpu, self.body_rows(world), others)?;
        Ok(colliders.and(fields).and(bodies))
    }

    /// The world's bodies, with what only the GPU knows of them.
    pub(crate) fn body_rows(&self, world: &World) -> Vec<BodyRow> {
        let mut rows = world.body_rows();
        for (index, row) in rows.iter_mut().enumerate() {
            row.keep_history(self.bodies.seen().get(index), self.clock.steps);
        }
        rows
    }
}

impl Programs {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let step = [
            "predict",
            "collide",
            "correct",
            "correct_and_predict",
            "collide_and_correct",
            "collide_correct_and_predict",
        ];
        let body = [
            "find_disturbed",
            "stir",
            "wake",
            "free",
            "find_fast",
            "tire",
            "fall_asleep",
            "hold",
            "find_bad",
            "judge",
            "contain",
            "approach",
            "rise",
        ];
        Ok(Self {
            step: gpu.program(
                "the stages",
                mirror::step_wgsl(),
                &step,
                &[Write, Write, Write, Read, Read, Write, Write, Read],
            )?,
            force: gpu.program(
                "forces",
                mirror::force_wgsl(),
                &["gather"],
                &[Read, Read, Read, Read, Read, Write],
            )?,
            body: gpu.program(
                "bodies",
                mirror::body_wgsl(),
                &body,
                &[Write, Write, Write, Read, Write, Write, Read, Read],
            )?,
            jacobi: gpu.program(
                "jacobi",
                jacobi::WGSL.into(),
                &["split", "average"],
                &[Write, Write, Read],
            )?,
        })
    }
}

fn owners(world: &World) -> Vec<(BodyId, Range<u32>)> {
    world.bodies().map(|(id, body)| (id, body.particles.clone())).collect()
}

/// The old and new places of the particles of bodies that are in both lists.
fn moves(old: &[(BodyId, Range<u32>)], new: &[(BodyId, Range<u32>)]) -> Vec<[Range<usize>; 2]> {
    let usizes = |range: &Range<u32>| range.start as usize..range.end as usize;
    let place = |(id, now): &(BodyId, Range<u32>)| {
        let (_, before) =
            old.iter().find(|(known, rows)| known == id && rows.len() == now.len())?;
        Some([usizes(before), usizes(now)])
    };
    new.iter().filter_map(place).collect()
}

fn filled_sets(world: &World) -> impl Iterator<Item = usize> {
    world.constraints().iter().enumerate().filter(|(_, set)| !set.is_empty()).map(|(i, _)| i)
}

fn filled_regions(world: &World) -> impl Iterator<Item = usize> {
    world.regions().iter().enumerate().filter(|(_, set)| !set.is_empty()).map(|(i, _)| i)
}

fn new_sets(gpu: &Gpu, world: &World) -> Result<Vec<SetColumns>, GpuError> {
    filled_sets(world).map(|i| SetColumns::new(gpu, &world.constraints()[i], i)).collect()
}

fn new_tiles(
    gpu: &Gpu,
    world: &World,
    sets: &[SetColumns],
    turns: Option<Turns>,
) -> Result<Vec<TileColumns>, GpuError> {
    let how = (turns, Solving::of(&world.config));
    TileColumns::all(gpu, (world.constraints(), sets), &world.particles.xw, how)
}

fn new_regions(gpu: &Gpu, world: &World) -> Result<Vec<RegionColumns>, GpuError> {
    filled_regions(world).map(|i| RegionColumns::new(gpu, world, &world.regions()[i], i)).collect()
}
