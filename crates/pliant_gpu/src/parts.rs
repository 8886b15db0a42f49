//! The parts of a world in the memory of a GPU: particles, constraints, regions, forces.

use std::ops::Range;
use std::sync::Arc;

use pliant::constraint::Kind;
use pliant::constraint::set::Set;
use pliant::glam::Vec4;
use pliant::mirror::{ForceParams, ForceRows, TraitRow};
use pliant::region::buffers::{FitRow, Layout};
use pliant::region::{self, Dispatch, Over, RegionKind};
use pliant::step::project;
use pliant::{Config, Solver, World};

use crate::column::{Column, Others, Pushed, space};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::program::{Access, Program};

use Access::{Read, Write};

/// Memory that only the GPU writes and whose contents need not survive a push.
#[derive(Debug)]
pub(crate) struct Space {
    what: &'static str,
    buffer: wgpu::Buffer,
    bytes: usize,
}

impl Space {
    pub(crate) fn new(gpu: &Gpu, what: &'static str, bytes: usize) -> Result<Self, GpuError> {
        Ok(Self { what, buffer: space(gpu, what, bytes)?, bytes })
    }

    pub(crate) fn fit(&mut self, gpu: &Gpu, bytes: usize) -> Result<Pushed, GpuError> {
        if bytes == self.bytes {
            return Ok(Pushed::Kept);
        }
        *self = Self::new(gpu, self.what, bytes)?;
        Ok(Pushed::Replaced)
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

/// The particles, and what a step needs for each.
#[derive(Debug)]
pub(crate) struct ParticleColumns {
    pub(crate) xw: Column<Vec4>,
    pub(crate) v: Column<Vec4>,
    pub(crate) traits: Column<TraitRow>,
    /// The last finite pose.
    pub(crate) good: Column<Vec4>,
    /// Constraints of each, if the solver is Jacobi.
    pub(crate) counts: Column<f32>,
    pub(crate) predicted: Space,
    pub(crate) acceleration: Space,
    pub(crate) contacts: Space,
    pub(crate) moves: Space,
}

/// Bytes of a vector, and of a `Contact` in `step.wgsl`.
const ROW: usize = size_of::<Vec4>();
const CONTACT: usize = 2 * ROW;

impl ParticleColumns {
    pub(crate) fn new(gpu: &Gpu, world: &World) -> Result<Self, GpuError> {
        let xw = &world.particles.xw;
        let mut columns = Self {
            xw: Column::new(gpu, "positions", xw.clone())?.of_vectors().twice(gpu)?,
            v: Column::new(gpu, "velocities", world.particles.v.clone())?.of_vectors(),
            traits: Column::new(gpu, "masses and radii", world.trait_rows())?,
            good: Column::new(gpu, "last finite positions", xw.clone())?,
            counts: Column::new(gpu, "constraints of each particle", Vec::new())?,
            predicted: Space::new(gpu, "predicted positions", ROW * xw.len())?,
            acceleration: Space::new(gpu, "accelerations", 0)?,
            contacts: Space::new(gpu, "contacts", 0)?,
            moves: Space::new(gpu, "moves of particles", 0)?,
        };
        columns.fit(gpu, world)?;
        Ok(columns)
    }

    /// Gives what is needed only with forces, colliders or Jacobi the size that it must have.
    fn fit(&mut self, gpu: &Gpu, world: &World) -> Result<Pushed, GpuError> {
        let count = world.particles.len();
        let needed = |is: bool, bytes: usize| if is { bytes * count } else { 0 };
        let is_jacobi = world.config.solver == Solver::Jacobi;
        let counts = if is_jacobi { world.constraint_counts() } else { Vec::new() };
        let sizes = [
            self.predicted.fit(gpu, ROW * count)?,
            self.acceleration.fit(gpu, needed(!world.forces.is_empty(), ROW))?,
            self.contacts.fit(gpu, needed(!world.colliders.is_empty(), CONTACT))?,
            self.moves.fit(gpu, needed(is_jacobi, ROW))?,
            self.counts.push(gpu, counts, Others::None)?,
        ];
        Ok(sizes.into_iter().fold(Pushed::Kept, Pushed::and))
    }

    /// Brings what has changed to the GPU; `moved` has the old and new places of bodies, if any has
    /// another.
    pub(crate) fn push(
        &mut self,
        gpu: &Gpu,
        world: &World,
        others: Others,
        moved: Option<&[[Range<usize>; 2]]>,
    ) -> Result<Pushed, GpuError> {
        let fit = self.fit(gpu, world)?;
        let (xw, v) = (&world.particles.xw, &world.particles.v);
        let Some(moved) = moved else {
            self.push_rows(gpu, world, others)?;
            return Ok(fit);
        };
        match others {
            Others::None => {
                self.xw.push_moved(gpu, xw.clone(), &[])?;
                self.v.push_moved(gpu, v.clone(), &[])?;
            }
            Others::Gpu => {
                self.xw.push_moved(gpu, xw.clone(), moved)?;
                self.v.push_moved(gpu, v.clone(), moved)?;
            }
        }
        self.traits = Column::new(gpu, "masses and radii", world.trait_rows())?;
        self.good = Column::new(gpu, "last finite positions", xw.clone())?;
        Ok(Pushed::Replaced)
    }

    /// Brings changes of the same particles to the GPU.
    pub(crate) fn push_rows(
        &mut self,
        gpu: &Gpu,
        world: &World,
        others: Others,
    ) -> Result<(), GpuError> {
        let traits = world.trait_rows();
        self.forget_repinned(&traits);
        self.traits.push(gpu, traits, Others::None)?;
        self.xw.push(gpu, world.particles.xw.clone(), others)?;
        self.v.push(gpu, world.particles.v.clone(), others)?;
        Ok(())
    }

    /// Whoever was pinned or unpinned gets weight and velocity of the world, although these may be
    /// what they were when it was last read.
    fn forget_repinned(&mut self, traits: &[TraitRow]) {
        for (i, (old, new)) in self.traits.seen().iter().zip(traits).enumerate() {
            if old.is_pinned() != new.is_pinned() {
                self.v.seen_mut()[i] = Vec4::NAN;
                self.xw.seen_mut()[i].w = f32::NAN;
            }
        }
    }
}

/// The constraints of one kind.
#[derive(Debug)]
pub(crate) struct SetColumns {
    /// Its place in [`World::constraints`].
    pub(crate) index: usize,
    pub(crate) kind: &'static Kind,
    pub(crate) program: Arc<Program>,
    pub(crate) ids: Column<u32>,
    pub(crate) rest: Column<f32>,
    pub(crate) hold: Column<Vec4>,
    pub(crate) lambda: Space,
    /// The slots of each colour.
    pub(crate) colors: Vec<Range<u32>>,
    pub(crate) count: u32,
}

pub(crate) fn shader_of(kind: &Kind) -> Result<String, GpuError> {
    project::shader(kind).ok_or(GpuError::NoTwin { what: "constraint", name: kind.name })
}

/// What a push has changed of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    Nothing,
    /// Rest values or compliances.
    Numbers,
    /// What is linked with what, in which order, or which of them have dashpots.
    Wiring,
}

impl SetColumns {
    /// What `project.wgsl` does with positions, predictions, velocities, particles, rest values,
    /// firmness, multipliers and moves.
    const ACCESS: [Access; 8] = [Write, Read, Read, Read, Read, Read, Write, Write];

    pub(crate) fn new(gpu: &Gpu, set: &Set, index: usize) -> Result<Self, GpuError> {
        let kind = set.kind();
        let source = shader_of(kind)?;
        Ok(Self {
            index,
            kind,
            program: gpu.program(kind.name, source, &["project"], &Self::ACCESS)?,
            ids: Column::new(gpu, "particles of constraints", set.ids().to_vec())?,
            rest: Column::new(gpu, "rest values", set.rest_rows())?,
            hold: Column::new(gpu, "compliances", set.hold_rows())?,
            lambda: Space::new(gpu, "multipliers", 4 * set.len())?,
            colors: colors(set),
            count: set.len() as u32,
        })
    }

    pub(crate) fn push(&mut self, gpu: &Gpu, set: &Set) -> Result<(Pushed, Change), GpuError> {
        let (colors, rest, hold) = (colors(set), set.rest_rows(), set.hold_rows());
        let rewired = colors != self.colors || set.ids() != self.ids.seen();
        let is_same = rest == self.rest.seen() && hold == self.hold.seen();
        let was_held = (self.is_damped(), self.hold.len());
        let changes = [
            self.ids.push(gpu, set.ids().to_vec(), Others::None)?,
            self.rest.push(gpu, rest, Others::None)?,
            self.hold.push(gpu, hold, Others::None)?,
            self.lambda.fit(gpu, 4 * set.len())?,
        ];
        (self.colors, self.count) = (colors, set.len() as u32);
        // Damping chooses another shader of tiles.
        let change = match rewired || was_held != (self.is_damped(), self.hold.len()) {
            true => Change::Wiring,
            false if is_same => Change::Nothing,
            false => Change::Numbers,
        };
        let recolored = if rewired { Pushed::Replaced } else { Pushed::Kept };
        Ok((changes.into_iter().fold(recolored, Pushed::and), change))
    }
}

impl SetColumns {
    /// Whether some constraints may have a dashpot, or another compliance than others.
    pub(crate) fn is_damped(&self) -> bool {
        self.hold.seen().len() != 1 || self.has_dashpots()
    }

    /// Whether some constraints have one: such look at velocities.
    pub(crate) fn has_dashpots(&self) -> bool {
        self.hold.seen().iter().any(|row| row.y > 0.0)
    }
}

fn colors(set: &Set) -> Vec<Range<u32>> {
    set.color_slots().map(|slots| slots.start as u32..slots.end as u32).collect()
}

/// The regions of one kind.
#[derive(Debug)]
pub(crate) struct RegionColumns {
    /// Its place in [`World::regions`].
    pub(crate) index: usize,
    pub(crate) kind: &'static RegionKind,
    pub(crate) program: Arc<Program>,
    pub(crate) tables: Column<u32>,
    pub(crate) numbers: Column<f32>,
    pub(crate) pushes: Space,
    pub(crate) fits: Column<FitRow>,
    pub(crate) multipliers: Space,
    pub(crate) layout: Layout,
    /// Whether regions that act at the end go one after the other.
    pub(crate) in_turn: bool,
    /// How many rows a pass visits, by [`Over`].
    rows: [u32; 4],
}

impl RegionColumns {
    pub(crate) fn new(
        gpu: &Gpu,
        world: &World,
        set: &region::Set,
        index: usize,
    ) -> Result<Self, GpuError> {
        let kind = set.kind();
        let wgsl = kind.wgsl.ok_or(GpuError::NoTwin { what: "region", name: kind.name })?;
        let entries: Vec<&str> = kind.dispatches().map(|pass| pass.entry).collect();
        // What `region.wgsl` does with positions, predictions, velocities, tables, numbers, pushes,
        // fits and multipliers. A kind that acts at the end also moves predictions.
        let predicted = if kind.acts_at_end() { Write } else { Read };
        let access = [Write, predicted, Read, Read, Read, Write, Write, Write];
        let wgsl = [&region::wgsl(kind), wgsl].concat();
        let rows = set.buffers(&world.particles, &world.config);
        Ok(Self {
            index,
            kind,
            program: gpu.program(kind.name, wgsl, &entries, &access)?,
            rows: visits(&rows),
            in_turn: rows.is_overlapping,
            layout: rows.layout,
            tables: Column::new(gpu, "tables of regions", rows.tables)?,
            numbers: Column::new(gpu, "numbers of regions", rows.numbers)?,
            pushes: Space::new(gpu, "moves of regions", size_of_val(rows.pushes.as_slice()))?,
            fits: Column::new(gpu, "states of regions", rows.fits)?,
            multipliers: Space::new(
                gpu,
                "multipliers of regions",
                size_of_val(rows.multipliers.as_slice()),
            )?,
        })
    }

    pub(crate) fn push(
        &mut self,
        gpu: &Gpu,
        world: &World,
        set: &region::Set,
        others: Others,
    ) -> Result<Pushed, GpuError> {
        let rows = set.buffers(&world.particles, &world.config);
        let visits = visits(&rows);
        let same = rows.layout == self.layout
            && visits == self.rows
            && rows.is_overlapping == self.in_turn;
        self.in_turn = rows.is_overlapping;
        (self.layout, self.rows) = (rows.layout, visits);
        let changes = [
            if same { Pushed::Kept } else { Pushed::Replaced },
            self.tables.push(gpu, rows.tables, Others::None)?,
            self.numbers.push(gpu, rows.numbers, Others::None)?,
            self.pushes.fit(gpu, size_of_val(rows.pushes.as_slice()))?,
            self.fits.push(gpu, rows.fits, others)?,
            self.multipliers.fit(gpu, size_of_val(rows.multipliers.as_slice()))?,
        ];
        Ok(changes.into_iter().fold(Pushed::Kept, Pushed::and))
    }

    /// The rows that a pass visits.
    pub(crate) fn rows(&self, pass: Dispatch) -> u32 {
        self.rows[pass.over as usize]
    }
}

fn visits(rows: &region::Buffers) -> [u32; 4] {
    [Over::Regions, Over::Parts, Over::Members, Over::Particles].map(|over| rows.rows(over))
}

/// The forces.
#[derive(Debug)]
pub(crate) struct ForceColumns {
    pub(crate) tables: Column<u32>,
    pub(crate) numbers: Column<f32>,
    pub(crate) params: ForceParams,
    pub(crate) count: usize,
}

impl ForceColumns {
    pub(crate) fn new(gpu: &Gpu, world: &World) -> Result<Self, GpuError> {
        let ForceRows { tables, numbers, params } = force_rows(world);
        Ok(Self {
            tables: Column::new(gpu, "tables of forces", tables)?,
            numbers: Column::new(gpu, "numbers of forces", numbers)?,
            params,
            count: world.forces.len(),
        })
    }

    pub(crate) fn push(&mut self, gpu: &Gpu, world: &World) -> Result<Pushed, GpuError> {
        let ForceRows { tables, numbers, params } = force_rows(world);
        let same = params == self.params && world.forces.len() == self.count;
        (self.params, self.count) = (params, world.forces.len());
        let changes = [
            if same { Pushed::Kept } else { Pushed::Replaced },
            self.tables.push(gpu, tables, Others::None)?,
            self.numbers.push(gpu, numbers, Others::None)?,
        ];
        Ok(changes.into_iter().fold(Pushed::Kept, Pushed::and))
    }
}

/// Nothing without forces: their tables list every triangle.
fn force_rows(world: &World) -> ForceRows {
    if world.forces.is_empty() { ForceRows::default() } else { world.force_rows() }
}

/// Refuses what only the CPU can do.
pub(crate) fn check_support(world: &World) -> Result<(), GpuError> {
    let Config { solver, .. } = world.config;
    if !matches!(solver, Solver::Colored | Solver::Jacobi) {
        let what = format!("the solver {:?}", solver.name());
        let remedy = "set `solver` to colored or jacobi";
        return Err(GpuError::CpuOnly { what, remedy });
    }
    let forced = |body: &&pliant::Body| body.stepping != pliant::Stepping::Constraints;
    if let Some(body) = world.bodies().map(|(_, body)| body).find(forced) {
        let what = format!("a body that moves by {}", body.stepping.name());
        let remedy = "move it by constraints, or stay on the CPU";
        return Err(GpuError::CpuOnly { what, remedy });
    }
    for collider in &world.colliders {
        let name = collider.shape.name;
        collider.shape.wgsl.ok_or(GpuError::NoTwin { what: "shape", name })?;
    }
    if let Some(what) = world.contact_without_twin() {
        let remedy = "stay on the CPU";
        return Err(GpuError::CpuOnly { what: what.into(), remedy });
    }
    for force in &world.forces {
        let name = force.kind.name;
        force.kind.wgsl.ok_or(GpuError::NoTwin { what: "force", name })?;
    }
    Ok(())
}
