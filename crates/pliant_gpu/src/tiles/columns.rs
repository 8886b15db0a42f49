//! Tiles in the memory of a GPU.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use pliant::constraint::{self, set::Set};
use pliant::glam::Vec4;
use pliant::mirror::{ProjectParams, StepParams};

use super::links::{self, Links};
use super::shader::{Ending, Solving, Twin, ending_shader, shader};
use super::{Group, HOME, MOST_HEAD, MOST_KINDS, Rows, Size, Tiles, Turns, words_of_places};
use crate::column::{Column, Others};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::parts::{SetColumns, Space, shader_of};
use crate::program::Access::{Read, Write};
use crate::program::{Checks, Program};

/// Lanes of a workgroup that has a tile; twice as many where it has more rows than [`LARGE`].
const TILE_LANES: u32 = 256;
const LARGE: u32 = 1024;
/// Words of a row that says how a constraint holds.
const HOLD_WORDS: usize = size_of::<Vec4>() / size_of::<u32>();

/// Several colours in one dispatch, of one kind of constraints or of several.
#[derive(Debug)]
pub(crate) struct TileColumns {
    /// Which of the sets these are of.
    pub(crate) sets: Range<usize>,
    pub(crate) program: Arc<Program>,
    solving: Solving,
    pub(crate) bring: Arc<Program>,
    /// What `tiles` is in `tiles.wgsl`.
    pub(crate) words: Column<u32>,
    pub(crate) lambda: Space,
    layout: Layout,
    pub(crate) groups: Vec<Group>,
    /// Constraints that they solve for each one that there is.
    pub(crate) work: f64,
    /// Whether every tile depends on nothing but itself.
    pub(crate) is_closed: bool,
    /// Whether those of the last group, with those that are idle, own all particles.
    is_whole: bool,
}

/// Where `tiles` has what in `tiles.wgsl`, in that order: heads with their particles, slots, rows of constraints, and
/// how constraints hold.
#[derive(Clone, Debug)]
struct Layout {
    /// Words of a head, and of a head with its particles.
    head: u32,
    stride: u32,
    /// Where the slot of row 0 is; the first bit of each says whether its multiplier is the world's.
    slots: u32,
    /// What belongs to each kind.
    kinds: Vec<Places>,
}

/// Where a kind has its constraints.
#[derive(Clone, Debug)]
struct Places {
    rows: Range<u32>,
    /// Words of a row that has the places of its particles, and all that it has.
    places: usize,
    words: usize,
    /// Where the first row is, and how slot 0 holds.
    first: usize,
    hold: usize,
}

/// What `OfKind` is in `tiles.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct KindParams {
    project: ProjectParams,
    steps: u32,
    starts: u32,
    rows: u32,
    hold: u32,
}

/// What `Given` is in `tiles.wgsl`, with the parameters of the stages, which not all shaders need.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct TileParams {
    kinds: [KindParams; MOST_KINDS],
    /// Where a tile has its particles: words after its head.
    list: u32,
    stride: u32,
    slots: u32,
    rounds: Rounds,
    pad: [u32; 3],
    stages: StepParams,
}

/// What tiles do by themselves that depend on nothing else.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Rounds {
    /// In each substep.
    pub(crate) iterations: u32,
    pub(crate) substeps: u32,
}

impl TileColumns {
    /// The tiles of as many sets as can have them together, from the first on, and so on.
    pub(crate) fn all(
        gpu: &Gpu,
        (from, sets): (&[Set], &[SetColumns]),
        xw: &[Vec4],
        (turns, solving): (Option<Turns>, Solving),
    ) -> Result<Vec<Self>, GpuError> {
        let Some(turns) = turns else { return Ok(Vec::new()) };
        let (mut all, mut first) = (Vec::new(), 0);
        while first < sets.len() {
            let most = sets.len().min(first + MOST_KINDS);
            let mut found = None;
            for end in (first + 1..=most).rev() {
                let is_alone = end - first == sets.len();
                let turns = if turns == Turns::Any && !is_alone { Turns::Even } else { turns };
                found = Self::new(gpu, (from, sets), first..end, xw, (turns, solving))?;
                if found.is_some() {
                    break;
                }
            }
            first = found.as_ref().map_or(first + 1, |tiles| tiles.sets.end);
            all.extend(found);
        }
        Ok(all)
    }

    /// The tiles of some sets, if they are worth it.
    fn new(
        gpu: &Gpu,
        (from, sets): (&[Set], &[SetColumns]),
        range: Range<usize>,
        xw: &[Vec4],
        (turns, solving): (Turns, Solving),
    ) -> Result<Option<Self>, GpuError> {
        let kinds = sets[range.clone()].iter().map(|set| links::Kind {
            ids: from[set.index].ids(),
            arity: set.kind.particles,
            colors: &set.colors,
        });
        let links = Links::new(kinds.collect(), xw, size(gpu));
        let Some(tiles) = Tiles::new(&links, turns) else { return Ok(None) };
        match Self::of(gpu, (from, sets), range, (tiles, solving)) {
            // What is too large for tiles is solved colour by colour.
            Err(GpuError::TooLarge { .. }) => Ok(None),
            columns => columns.map(Some),
        }
    }

    fn of(
        gpu: &Gpu,
        (from, all): (&[Set], &[SetColumns]),
        range: Range<usize>,
        (tiles, solving): (Tiles, Solving),
    ) -> Result<Self, GpuError> {
        let sets = &all[range.clone()];
        let layout = Layout::new(sets, &tiles);
        let words = layout.words((from, sets), &tiles);
        let rows: usize = tiles.kinds.iter().map(|rows| rows.slots.len()).sum();
        let Tiles { groups, work, is_closed, is_whole, .. } = tiles;
        let source = include_str!("../multipliers.wgsl").into();
        let bring = gpu.program("multipliers", source, &["bring_home"], &[Read, Read, Write])?;
        Ok(Self {
            sets: range,
            program: program(gpu, sets, How::Solve(solving))?,
            solving,
            bring,
            words: Column::new(gpu, "tiles", words)?,
            lambda: Space::new(gpu, "multipliers in tiles", 4 * rows)?,
            layout,
            groups,
            work,
            is_closed,
            is_whole,
        })
    }

    /// Changes how constraints are solved.
    pub(crate) fn solve_by(
        &mut self,
        gpu: &Gpu,
        sets: &[SetColumns],
        solving: Solving,
    ) -> Result<(), GpuError> {
        if solving != self.solving {
            self.program = program(gpu, &sets[self.sets.clone()], How::Solve(solving))?;
            self.solving = solving;
        }
        Ok(())
    }

    /// Brings rest values and compliances to the GPU, if others have changed nothing else.
    pub(crate) fn push(
        &mut self,
        gpu: &Gpu,
        (from, sets): (&[Set], &[SetColumns]),
    ) -> Result<(), GpuError> {
        let mut words = self.words.seen().to_vec();
        self.layout.write_numbers((from, &sets[self.sets.clone()]), &mut words);
        self.words.push(gpu, words, Others::None)?;
        Ok(())
    }

    /// Whether they can end a substep, of so many sets: after them comes nothing, and they own all particles.
    pub(crate) fn can_end(&self, sets: usize) -> bool {
        self.is_whole && self.sets.end == sets
    }

    /// Whether all that they do in a substep can be one dispatch: what is in one of them meets nothing outside.
    pub(crate) fn can_take_all(&self, sets: usize) -> bool {
        self.can_end(sets) && self.sets.start == 0 && self.is_closed && self.groups.len() == 1
    }

    /// The shader of those that do.
    pub(crate) fn ending(
        &self,
        gpu: &Gpu,
        sets: &[SetColumns],
        ending: Ending,
    ) -> Result<Arc<Program>, GpuError> {
        program(gpu, &sets[self.sets.clone()], How::End(ending))
    }

    /// The rows of a kind.
    pub(crate) fn rows(&self, kind: usize) -> Range<u32> {
        self.layout.kinds[kind].rows.clone()
    }

    /// Where the slot of row 0 is.
    pub(crate) fn slots(&self) -> u32 {
        self.layout.slots
    }

    /// The parameters of a dispatch; `project` gives those of each kind.
    pub(crate) fn params(
        &self,
        group: &Group,
        (stages, rounds): (StepParams, Rounds),
        project: impl Fn(usize) -> ProjectParams,
    ) -> TileParams {
        let Layout { head: list, stride, slots, ref kinds, .. } = self.layout;
        let mut params =
            TileParams { list, stride, slots, rounds, stages, ..TileParams::default() };
        for (number, (params, places)) in params.kinds.iter_mut().zip(kinds).enumerate() {
            *params = KindParams {
                project: project(number),
                steps: group.steps[number],
                starts: group.starts(number),
                rows: places.row_0(),
                hold: places.hold as u32,
            };
        }
        params
    }
}

/// How large tiles are there.
fn size(gpu: &Gpu) -> Size {
    let head = (MOST_HEAD * size_of::<u32>()) as u32;
    let rows = (gpu.workgroup_bytes() - head) / size_of::<Vec4>() as u32;
    Size { lanes: if rows > LARGE { 2 * TILE_LANES } else { TILE_LANES }, rows }
}

/// What tiles do.
enum How {
    /// They solve constraints, and nothing else.
    Solve(Solving),
    /// They end a substep.
    End(Ending),
}

/// The shader of tiles with these sets.
fn program(gpu: &Gpu, sets: &[SetColumns], how: How) -> Result<Arc<Program>, GpuError> {
    let size = size(gpu);
    let twin = |set: &SetColumns| -> Result<Twin, GpuError> {
        Ok(Twin {
            source: shader_of(set.kind)?,
            arity: set.kind.particles,
            rest: set.kind.rest_values,
            is_damped: set.is_damped(),
        })
    };
    let twins = sets.iter().map(twin).collect::<Result<Vec<_>, _>>()?;
    // The places of a tile are below its rows, as `tiler.rs` has found them, and its loops count to a number. Of
    // kinds from outside nothing is known; all shapes of colliders are ours.
    let is_ours =
        |set: &SetColumns| constraint::ALL.iter().any(|ours| std::ptr::eq(*ours, set.kind));
    let checks = if sets.iter().all(is_ours) { Checks::Dropped } else { Checks::Kept };
    let names: Vec<&str> = sets.iter().map(|set| set.kind.name).collect();
    let name = names.join(" and ");
    // What shaders do with rows, predictions, velocities, tiles and multipliers; then with traits, contacts and
    // colliders.
    let ending = match how {
        How::Solve(solving) => {
            let source = shader(&twins, size, solving);
            let access = [Write, Read, Read, Read, Write];
            return gpu.program_with(checks, (&name, source), &["project_tile"], &access);
        }
        How::End(ending) => ending,
    };
    let entries = ["project_and_collide", "project_and_correct", "project_correct_and_predict"];
    let entries = match ending {
        Ending { takes_all: true, .. } => &["take_substeps"],
        Ending { collides: true, .. } => &entries[..],
        _ => &entries[1..],
    };
    let access = [Write, Write, Write, Read, Write, Read, Write, Write];
    let source = ending_shader(&twins, size, ending);
    gpu.program_with(checks, (&name, source), entries, &access)
}

impl Places {
    /// Where row 0 would be.
    fn row_0(&self) -> u32 {
        (self.first as u32).wrapping_sub(self.rows.start * self.words as u32)
    }
}

impl Layout {
    fn new(sets: &[SetColumns], tiles: &Tiles) -> Self {
        let (head, stride, slots) = (tiles.head, tiles.stride, tiles.table.len() as u32);
        let rows: usize = tiles.kinds.iter().map(|rows| rows.slots.len()).sum();
        let mut next = tiles.table.len() + rows;
        let mut kinds = Vec::new();
        for (set, rows) in sets.iter().zip(&tiles.kinds) {
            let (particles, rest_values) = (set.kind.particles, set.kind.rest_values);
            let count = rows.slots.len();
            let words = words_of_places(particles) + rest_values;
            kinds.push(Places {
                rows: rows.first..rows.first + count as u32,
                places: words_of_places(particles),
                words,
                first: next,
                hold: 0,
            });
            next += count * words;
        }
        for (set, places) in sets.iter().zip(&mut kinds) {
            places.hold = next;
            next += HOLD_WORDS * set.hold.len();
        }
        Self { head, stride, slots, kinds }
    }

    /// What `tiles` is in `tiles.wgsl`.
    fn words(&self, (from, sets): (&[Set], &[SetColumns]), tiles: &Tiles) -> Vec<u32> {
        let mut words = tiles.table.clone();
        tiles.kinds.iter().for_each(|rows| words.extend(&rows.slots));
        for (Rows { places: of_rows, .. }, places) in tiles.kinds.iter().zip(&self.kinds) {
            for row in of_rows.chunks(places.places) {
                words.extend(row);
                words.resize(words.len() + places.words - row.len(), 0);
            }
        }
        let holds: usize = sets.iter().map(|set| HOLD_WORDS * set.hold.len()).sum();
        words.resize(words.len() + holds, 0);
        self.write_numbers((from, sets), &mut words);
        words
    }

    /// Writes the rest values of the constraints in tiles, and the compliances of all kinds.
    fn write_numbers(&self, (from, sets): (&[Set], &[SetColumns]), words: &mut [u32]) {
        let (before, after) = words.split_at_mut(self.kinds.first().map_or(0, |kind| kind.first));
        let start = before.len();
        for (set, places) in sets.iter().map(|set| &from[set.index]).zip(&self.kinds) {
            let (columns, count) = (set.rest_rows(), set.len());
            let rows = after[places.first - start..].chunks_mut(places.words);
            for (number, row) in places.rows.clone().zip(rows) {
                let slot = before[(self.slots + number) as usize] & !HOME;
                let rest = &mut row[places.places..][..set.kind().rest_values];
                for (p, word) in rest.iter_mut().enumerate() {
                    *word = columns[p * count + slot as usize].to_bits();
                }
            }
            let held = set.hold_rows();
            let held: &[u32] = bytemuck::cast_slice(&held);
            after[places.hold - start..][..held.len()].copy_from_slice(held);
        }
    }
}
