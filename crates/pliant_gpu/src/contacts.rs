//! Contact between bodies in the memory of a GPU: its buffers, and how they grow.
//!
//! How many pairs there are, only the GPU knows; it finds the sizes of its dispatches itself. Before it
//! needs more than there is room for, buffers grow: as soon as it needs half. What a step does when that
//! was too late is in `again.rs`.

use std::ops::Range;
use std::sync::Arc;

use pliant::contact::buffers::{
    self, ContactParams, ContactRows, ENTANGLED_AT_FIRST, ENTANGLED_STATE, ENTANGLED_WORDS,
    MOST_ELEMENTS, MOST_PARTICLES, PAIR_COUNT, Room, SIZES, STATE_WORDS,
};
use pliant::{World, mirror};

use crate::column::{Column, Others, Pushed, space, space_for};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::parts::Space;
use crate::program::Access::{Read, Write};
use crate::program::Program;

/// Bytes of rows: `Pair`, `Touch` and `Sum` in the shaders.
const PAIR: usize = 32;
const TOUCH: usize = 48;
const SUM: usize = 32;
const ROW: usize = 16;

/// What grows with what touches, as errors name it.
const PAIRS: &str = "pairs that may touch";
const TOUCHES: &str = "contacts between bodies";
const GRID: &str = "the grid of the search";
pub(crate) const GROWING: [&str; 3] = [PAIRS, TOUCHES, GRID];

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
    pub(crate) state: Space,
    pub(crate) sizes: wgpu::Buffer,
    pub(crate) params: ContactParams,
    pub(crate) room: Room,
    /// The elements among what can touch; behind them are solids that began in each other.
    elements: Range<usize>,
}

/// Its shaders.
#[derive(Clone, Debug)]
pub(crate) struct ContactPrograms {
    pub(crate) detect: Arc<Program>,
    pub(crate) solve: Arc<Program>,
    pub(crate) sizes: Arc<Program>,
    pub(crate) entangled: Arc<Program>,
    /// Of stages that follow each other, in one pass.
    pub(crate) apart: Arc<Program>,
    pub(crate) next: Arc<Program>,
}

impl ContactPrograms {
    fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        let detect = ["begin", "bound", "place_buckets", "fill", "compare", "expand"];
        let solve =
            ["look", "push", "move_apart", "list_touching", "respond", "slow_down", "measure"];
        let sizes = ["open", "check_paths", "close"];
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
                &[Write, Read, Write, Write, Write, Write, Write, Write],
            )?,
            sizes: gpu.program(
                "the sizes of contacts",
                buffers::sizes_wgsl(),
                &sizes,
                &[Read, Read, Write, Read, Write, Write, Write, Write],
            )?,
            entangled: gpu.program(
                "solids in each other",
                buffers::entangled_wgsl(),
                &["part"],
                &[Write, Write, Write, Write, Read, Write],
            )?,
            apart: gpu.program(
                "the end of contacts",
                with_stages(include_str!("contacts/apart.wgsl")),
                &["move_collide_and_correct"],
                &[Write, Write, Write, Write, Read, Write, Write, Read],
            )?,
            next: gpu.program(
                "what follows contacts",
                with_stages(include_str!("contacts/next.wgsl")),
                &["slow_down_and_predict"],
                &[Write, Write, Write, Read, Write, Write, Write, Write],
            )?,
        })
    }
}

/// A shader that goes on from contact to the stages of a step, or from them.
fn with_stages(own: &str) -> String {
    [&mirror::step_wgsl(), buffers::STATE_WGSL, buffers::SPLIT_WGSL, own].concat()
}

impl ContactColumns {
    pub(crate) fn new(gpu: &Gpu, world: &mut World) -> Result<Self, GpuError> {
        let mut columns = Self {
            programs: None,
            things: Column::new(gpu, "what can touch", Vec::new())?,
            start: Space::new(gpu, "where substeps begin", 0)?,
            ways: Space::new(gpu, "ways of particles", 0)?,
            grid: Space::new(gpu, GRID, 0)?,
            touches: Space::new(gpu, TOUCHES, 0)?,
            sums: Space::new(gpu, "moves by contacts", 0)?,
            pairs: space(gpu, PAIRS, 0)?,
            state: Space::new(gpu, "the state of contact", 4 * STATE_WORDS)?,
            sizes: space_for(
                gpu,
                "sizes of dispatches",
                4 * 3 * SIZES,
                wgpu::BufferUsages::INDIRECT,
            )?,
            params: ContactParams::default(),
            room: Room::default(),
            elements: 0..0,
        };
        columns.push(gpu, world)?;
        Ok(columns)
    }

    /// Whether anything can touch.
    pub(crate) fn is_any(&self) -> bool {
        self.programs.is_some()
    }

    /// Brings what has changed to the GPU.
    pub(crate) fn push(&mut self, gpu: &Gpu, world: &mut World) -> Result<Pushed, GpuError> {
        let ContactRows { mut words, elements_at, params } = world.contact_rows();
        check_counts(world, params.elements())?;
        let is_any = params.elements() > 0;
        let was_any = self.is_any();
        if is_any && !was_any {
            self.programs = Some(ContactPrograms::new(gpu)?);
        } else if !is_any {
            self.programs = None;
        }
        let elements = elements_at..words.len();
        let is_new = self.things.seen().get(self.elements.clone()) != words.get(elements_at..);
        let entangled = match is_new {
            true => world.entangled_rows(),
            false => self.things.seen()[self.elements.end..].to_vec(),
        };
        let params = params.with_entangled((entangled.len() / ENTANGLED_WORDS) as u32);
        words.extend(entangled);
        let is_same = params == self.params && is_any == was_any;
        (self.params, self.elements) = (params, elements);
        let state = if is_new { self.begin(gpu)? } else { Pushed::Kept };
        let things = self.things.push(gpu, words, Others::None)?;
        let first = Room::first(params.elements());
        let room = if is_any { self.room.joined(first) } else { Room::default() };
        let particles = if is_any { world.particles.len() } else { 0 };
        let rows = 2 * (particles + params.elements() as usize);
        let pushed = [
            if is_same { Pushed::Kept } else { Pushed::Replaced },
            state,
            things,
            self.start.fit(gpu, ROW * particles)?,
            self.ways.fit(gpu, ROW * rows)?,
            self.sums.fit(gpu, SUM * particles)?,
            self.fit(gpu, room)?,
        ];
        Ok(pushed.into_iter().fold(Pushed::Kept, Pushed::and))
    }

    /// Forgets what was found: it was of elements that there were.
    fn begin(&mut self, gpu: &Gpu) -> Result<Pushed, GpuError> {
        let entangled = self.params.entangled() as usize;
        let bytes = 4 * (STATE_WORDS + ENTANGLED_STATE * entangled);
        let pushed = self.state.fit(gpu, bytes)?;
        let (state, solids) = (self.state.buffer(), vec![ENTANGLED_AT_FIRST; entangled]);
        gpu.queue.write_buffer(state, 4 * PAIR_COUNT as u64, &[0; 4]);
        let behind = 4 * STATE_WORDS as u64;
        gpu.queue.write_buffer(state, behind, bytemuck::cast_slice(&solids));
        Ok(pushed)
    }

    /// Makes room; pairs that there are stay.
    pub(crate) fn fit(&mut self, gpu: &Gpu, room: Room) -> Result<Pushed, GpuError> {
        let grid = 4 * room.grid_words(&self.params);
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
        let pairs = space(gpu, PAIRS, bytes)?;
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
