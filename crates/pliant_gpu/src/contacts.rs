//! Contact between bodies in the memory of a GPU: its buffers, and how they grow.
//!
//! How many pairs there are, only the GPU knows; it finds the sizes of its dispatches itself. What it
//! needed most in a step comes back after it, while the next ones run. Before it needs more than there
//! is, buffers grow: as soon as it needs half. Should a step find more than twice as many as those
//! before it, what does not fit is missed in that step and up to two more, which is counted
//! ([`GpuWorld::steps_with_missed_contacts`]), until there is room.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use pliant::World;
use pliant::contact::buffers::{
    self, ContactParams, ContactRows, ContactState, MOST_ELEMENTS, MOST_PARTICLES, PAIR_COUNT, Room,
    SIZES, STATE_WORDS,
};

use crate::column::{Column, Others, Pushed, space, space_for};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::parts::Space;
use crate::program::Access::{Read, Write};
use crate::program::Program;
use crate::read::staging;
use crate::world::GpuWorld;

/// Steps that may be under way before what they needed is waited for.
const UNDER_WAY: usize = 2;

/// Bytes of rows: `Pair`, `Touch` and `Sum` in the shaders.
const PAIR: usize = 32;
const TOUCH: usize = 48;
const SUM: usize = 32;
const ROW: usize = 16;

/// What contact works on.
#[derive(Debug)]
pub(crate) struct ContactColumns {
    pub(crate) programs: Option<ContactPrograms>,
    /// What can touch.
    pub(crate) things: Column<u32>,
    pub(crate) start: Space,
    pub(crate) ways: Space,
    pub(crate) grid: Space,
    pub(crate) touches: Space,
    pub(crate) sums: Space,
    pub(crate) pairs: wgpu::Buffer,
    pub(crate) state: wgpu::Buffer,
    pub(crate) sizes: wgpu::Buffer,
    pub(crate) params: ContactParams,
    pub(crate) room: Room,
    elements_at: usize,
    tallies: VecDeque<Tally>,
    /// Steps in which something did not fit.
    missed: u64,
}

/// Its shaders.
#[derive(Clone, Debug)]
pub(crate) struct ContactPrograms {
    pub(crate) detect: Arc<Program>,
    pub(crate) solve: Arc<Program>,
    pub(crate) sizes: Arc<Program>,
}

/// What a step needed, on its way here.
#[derive(Debug)]
struct Tally {
    staging: wgpu::Buffer,
    /// 0: under way; 1: arrived; 2: failed.
    arrival: Arc<AtomicU8>,
}

impl ContactPrograms {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let detect = ["begin", "check_paths", "follow", "remember"];
        let detect: Vec<&str> =
            detect.into_iter().chain(["bound", "place_buckets", "fill", "compare"]).collect();
        let solve = ["look", "push", "move_apart", "list_touching", "respond", "slow_down", "measure"];
        let sizes = ["open", "decide", "aim_pairs", "aim_touches"];
        Ok(Self {
            detect: gpu.program(
                "the search for contacts",
                buffers::detect_wgsl(),
                &detect,
                &[Read, Read, Write, Read, Write, Write, Write, Write],
            )?,
            solve: gpu.program(
                "contacts",
                buffers::solve_wgsl(),
                &solve,
                &[Write, Read, Read, Write, Write, Write, Write, Write],
            )?,
            sizes: gpu.program(
                "the sizes of contacts",
                buffers::sizes_wgsl(),
                &sizes,
                &[Write, Write],
            )?,
        })
    }
}

impl ContactColumns {
    pub(crate) fn new(gpu: &Gpu, world: &World) -> Result<Self, GpuError> {
        let mut columns = Self {
            programs: None,
            things: Column::new(gpu, "what can touch", Vec::new())?,
            start: Space::new(gpu, "where substeps begin", 0)?,
            ways: Space::new(gpu, "ways of particles", 0)?,
            grid: Space::new(gpu, "the grid of the search", 0)?,
            touches: Space::new(gpu, "contacts between bodies", 0)?,
            sums: Space::new(gpu, "moves by contacts", 0)?,
            pairs: space(gpu, "pairs that may touch", 0)?,
            state: space(gpu, "the state of contact", 4 * STATE_WORDS)?,
            sizes: space_for(
                gpu,
                "sizes of dispatches",
                4 * 3 * SIZES,
                wgpu::BufferUsages::INDIRECT,
            )?,
            params: ContactParams::default(),
            room: Room::default(),
            elements_at: 0,
            tallies: VecDeque::new(),
            missed: 0,
        };
        columns.push(gpu, world)?;
        Ok(columns)
    }

    /// Whether anything can touch.
    pub(crate) fn is_any(&self) -> bool {
        self.programs.is_some()
    }

    /// Brings what has changed to the GPU.
    pub(crate) fn push(&mut self, gpu: &Gpu, world: &World) -> Result<Pushed, GpuError> {
        let ContactRows { words, elements_at, params } = world.contact_rows();
        check_counts(world, params.elements())?;
        let is_any = params.elements() > 0;
        let was_any = self.is_any();
        if is_any && !was_any {
            self.programs = Some(ContactPrograms::new(gpu)?);
        } else if !is_any {
            self.programs = None;
        }
        let known = self.things.seen().get(self.elements_at..).unwrap_or_default();
        if known != words.get(elements_at..).unwrap_or_default() {
            // Pairs are of elements that there were.
            gpu.queue.write_buffer(&self.state, 4 * PAIR_COUNT as u64, &[0; 4]);
        }
        let is_same = params == self.params && is_any == was_any;
        (self.params, self.elements_at) = (params, elements_at);
        let things = self.things.push(gpu, words, Others::None)?;
        let first = if is_any { Room::first(params.elements()) } else { Room::default() };
        let room = if is_same { self.room } else { first };
        let particles = if is_any { world.particles.len() } else { 0 };
        let rows = 2 * (particles + params.elements() as usize);
        let pushed = [
            if is_same { Pushed::Kept } else { Pushed::Replaced },
            things,
            self.start.fit(gpu, ROW * particles)?,
            self.ways.fit(gpu, ROW * rows)?,
            self.sums.fit(gpu, SUM * particles)?,
            self.fit(gpu, room)?,
        ];
        Ok(pushed.into_iter().fold(Pushed::Kept, Pushed::and))
    }

    /// Makes room; pairs that there are stay.
    fn fit(&mut self, gpu: &Gpu, room: Room) -> Result<Pushed, GpuError> {
        let grid = 4 * room.grid_words(self.params.buckets());
        let grid = if self.is_any() { grid } else { 0 };
        let pushed = [
            self.grid.fit(gpu, grid)?,
            self.touches.fit(gpu, TOUCH * room.touches as usize)?,
            self.fit_pairs(gpu, PAIR * room.pairs as usize)?,
        ];
        self.room = room;
        Ok(pushed.into_iter().fold(Pushed::Kept, Pushed::and))
    }

    fn fit_pairs(&mut self, gpu: &Gpu, bytes: usize) -> Result<Pushed, GpuError> {
        let pairs = space(gpu, "pairs that may touch", bytes)?;
        if pairs.size() == self.pairs.size() {
            return Ok(Pushed::Kept);
        }
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let size = pairs.size().min(self.pairs.size());
        encoder.copy_buffer_to_buffer(&self.pairs, 0, &pairs, 0, size);
        gpu.queue.submit([encoder.finish()]);
        self.pairs = pairs;
        Ok(Pushed::Replaced)
    }

    /// Asks what the last step needed.
    pub(crate) fn ask(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if !self.is_any() {
            return Ok(());
        }
        let size = 4 * STATE_WORDS as u64;
        let staging = staging(gpu, size)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.state, 0, &staging, 0, size);
        gpu.queue.submit([encoder.finish()]);
        let arrival = Arc::new(AtomicU8::new(0));
        let told = Arc::clone(&arrival);
        staging.map_async(wgpu::MapMode::Read, .., move |mapped| {
            told.store(if mapped.is_ok() { 1 } else { 2 }, Ordering::Release);
        });
        self.tallies.push_back(Tally { staging, arrival });
        Ok(())
    }

    /// Hears what steps needed, and makes room for it.
    pub(crate) fn hear(&mut self, gpu: &Gpu) -> Result<Pushed, GpuError> {
        let mut room = self.room;
        while let Some(tally) = self.tallies.front() {
            match tally.arrival.load(Ordering::Acquire) {
                0 if self.tallies.len() > UNDER_WAY => gpu.wait()?,
                0 => break,
                1 => {
                    let state = ContactState::of(&tally.words()?);
                    self.missed += u64::from(self.room.is_exceeded(state.needed));
                    room = room.grown(state.needed);
                    self.tallies.pop_front();
                }
                _ => {
                    self.tallies.pop_front();
                    gpu.check()?;
                }
            }
        }
        if room == self.room { Ok(Pushed::Kept) } else { self.fit(gpu, room) }
    }
}

impl Tally {
    fn words(&self) -> Result<Vec<u32>, GpuError> {
        let bytes = self
            .staging
            .get_mapped_range(..)
            .map_err(|error| GpuError::Driver { why: error.to_string() })?;
        Ok(bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect())
    }
}

/// Refuses more than the bits of a pair or an entry can name.
fn check_counts(world: &World, elements: u32) -> Result<(), GpuError> {
    if elements as usize > MOST_ELEMENTS || world.particles.len() > MOST_PARTICLES {
        let what = format!("contact of {elements} elements");
        let remedy = "let fewer bodies touch (`World::set_touch`), or stay on the CPU";
        return Err(GpuError::CpuOnly { what, remedy });
    }
    Ok(())
}

impl GpuWorld {
    /// Steps in which more pairs were found than there was room for, so that some were missed. There
    /// is room for as many now. Known up to two steps later.
    pub fn steps_with_missed_contacts(&self) -> u64 {
        self.contacts.missed
    }
}
