//! Tiles in the memory of a GPU.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use pliant::constraint::{self, set::Set};
use pliant::glam::Vec4;
use pliant::mirror::{ProjectParams, StepParams};

use super::links::{Kind, Links};
use super::shader::{Ending, Size, Twin, ending_shader, shader};
use super::{EMPTY, Group, HOME, MOST_KINDS, Rows, Tiles, Turns};
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
const HOLD_WORDS: u32 = (size_of::<Vec4>() / size_of::<u32>()) as u32;

/// Several colours in one dispatch, of one kind of constraints or of several.
#[derive(Debug)]
pub(crate) struct TileColumns {
    /// Which of the sets these are of.
    pub(crate) sets: Range<usize>,
    pub(crate) program: Arc<Program>,
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

/// Where `tiles` has what in `tiles.wgsl`, in that order: heads with their particles and the places of
/// constraints, slots, rest values, and how constraints hold.
#[derive(Clone, Debug)]
struct Layout {
    /// Words of a head, and of a head with its particles.
    head: u32,
    stride: u32,
    /// Where the slot of row 0 is; the first bit of each says whether its multiplier is the world's.
    slots: u32,
    /// Where rest values begin: what is before does not change with numbers of constraints.
    rest: u32,
    /// What belongs to each kind.
    kinds: Vec<Places>,
}

/// Where a kind has its constraints.
#[derive(Clone, Debug)]
struct Places {
    rows: Range<u32>,
    /// As in `Part` of `tiles.wgsl`: where row 0 would be, and slot 0 is.
    places: u32,
    rest: u32,
    hold: u32,
}

/// What `OfKind` is in `tiles.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct KindParams {
    project: ProjectParams,
    colors: u32,
    starts: u32,
    places: u32,
    rest: u32,
    hold: u32,
    /// Bits of colours after which no lane waits for others.
    unbroken: [u32; 2],
    pad: u32,
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
    pad: u32,
    stages: StepParams,
}

impl TileColumns {
    /// The tiles of as many sets as can have them together, from the first on, and so on.
    pub(crate) fn all(
        gpu: &Gpu,
        (from, sets): (&[Set], &[SetColumns]),
        xw: &[Vec4],
        turns: Option<Turns>,
    ) -> Result<Vec<Self>, GpuError> {
        let Some(turns) = turns else { return Ok(Vec::new()) };
        let (mut all, mut first) = (Vec::new(), 0);
        while first < sets.len() {
            let most = sets.len().min(first + MOST_KINDS);
            let mut found = None;
            for end in (first + 1..=most).rev() {
                let is_alone = end - first == sets.len();
                let turns = if turns == Turns::Any && !is_alone { Turns::Even } else { turns };
                found = Self::new(gpu, (from, sets), first..end, xw, turns)?;
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
        turns: Turns,
    ) -> Result<Option<Self>, GpuError> {
        let kinds = sets[range.clone()].iter().map(|set| Kind {
            ids: from[set.index].ids(),
            arity: set.kind.particles,
            colors: &set.colors,
        });
        let links = Links::new(kinds.collect(), xw, gpu.tile_rows() as usize);
        let Some(tiles) = Tiles::new(&links, turns) else { return Ok(None) };
        match Self::of(gpu, (from, sets), range, tiles) {
            // What is too large for tiles is solved colour by colour.
            Err(GpuError::TooLarge { .. }) => Ok(None),
            columns => columns.map(Some),
        }
    }

    fn of(
        gpu: &Gpu,
        (from, all): (&[Set], &[SetColumns]),
        range: Range<usize>,
        tiles: Tiles,
    ) -> Result<Self, GpuError> {
        let sets = &all[range.clone()];
        let layout = Layout::new(sets, &tiles);
        let Tiles { table, kinds, groups, work, is_closed, is_whole, .. } = tiles;
        let mut words = table;
        kinds.into_iter().for_each(|rows| words.extend(rows.slots));
        let rows = words.len() - layout.slots as usize;
        words.extend(layout.numbers(from, sets, &words[layout.slots as usize..]));
        let source = include_str!("../multipliers.wgsl").into();
        let bring = gpu.program("multipliers", source, &["bring_home"], &[Read, Read, Write])?;
        Ok(Self {
            sets: range,
            program: program(gpu, sets, None)?,
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

    /// Brings rest values and compliances to the GPU, if others have changed nothing else.
    pub(crate) fn push(
        &mut self,
        gpu: &Gpu,
        (from, sets): (&[Set], &[SetColumns]),
    ) -> Result<(), GpuError> {
        let Layout { slots, rest, .. } = self.layout;
        let mut words = self.words.seen()[..rest as usize].to_vec();
        let numbers = self.layout.numbers(from, &sets[self.sets.clone()], &words[slots as usize..]);
        words.extend(numbers);
        self.words.push(gpu, words, Others::None)?;
        Ok(())
    }

    /// Whether they can end a substep, of so many sets: after them comes nothing, and they own all particles.
    pub(crate) fn can_end(&self, sets: usize) -> bool {
        self.is_whole && self.sets.end == sets
    }

    /// The shader of those that do.
    pub(crate) fn ending(
        &self,
        gpu: &Gpu,
        sets: &[SetColumns],
        ending: Ending,
    ) -> Result<Arc<Program>, GpuError> {
        program(gpu, &sets[self.sets.clone()], Some(ending))
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
        stages: StepParams,
        project: impl Fn(usize) -> ProjectParams,
    ) -> TileParams {
        let Layout { head, stride, slots, ref kinds, .. } = self.layout;
        let mut params = TileParams { list: head, stride, slots, stages, ..TileParams::default() };
        for (number, (params, places)) in params.kinds.iter_mut().zip(kinds).enumerate() {
            *params = KindParams {
                project: project(number),
                colors: group.colors[number],
                starts: group.starts(number),
                places: places.places,
                rest: places.rest,
                hold: places.hold,
                unbroken: [group.unbroken[number] as u32, (group.unbroken[number] >> 32) as u32],
                pad: 0,
            };
        }
        params
    }
}

/// The shader of tiles with these sets, and of those that end a substep.
fn program(
    gpu: &Gpu,
    sets: &[SetColumns],
    ending: Option<Ending>,
) -> Result<Arc<Program>, GpuError> {
    let rows = gpu.tile_rows();
    let size = Size { lanes: if rows > LARGE { 2 * TILE_LANES } else { TILE_LANES }, rows };
    let twin = |set: &SetColumns| -> Result<Twin, GpuError> {
        let (source, arity) = (shader_of(set.kind)?, set.kind.particles);
        Ok(Twin { source, arity, is_damped: set.is_damped() })
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
    let Some(ending) = ending else {
        let (entries, access) =
            (["project_tile", "project_plain_tile"], [Write, Read, Read, Read, Write]);
        return gpu.program_with(checks, (&name, shader(&twins, size)), &entries, &access);
    };
    let entries = ["project_and_collide", "project_and_correct", "project_correct_and_predict"];
    let entries = if ending.collides { &entries[..] } else { &entries[1..] };
    let access = [Write, Write, Write, Read, Write, Read, Write, Write];
    let source = ending_shader(&twins, size, ending);
    gpu.program_with(checks, (&name, source), entries, &access)
}

impl Layout {
    fn new(sets: &[SetColumns], tiles: &Tiles) -> Self {
        let (head, stride, slots) = (tiles.head, tiles.stride, tiles.table.len() as u32);
        let rows: usize = tiles.kinds.iter().map(|rows| rows.slots.len()).sum();
        let rest = slots + rows as u32;
        let values = |(set, rows): (&SetColumns, &Rows)| {
            rows.slots.len() as u32 * set.kind.rest_values as u32
        };
        let mut next = rest;
        let mut hold = rest + sets.iter().zip(&tiles.kinds).map(values).sum::<u32>();
        let place = |(set, rows): (&SetColumns, &Rows)| {
            let (count, per_row) = (rows.slots.len() as u32, set.kind.rest_values as u32);
            let words = set.kind.particles.div_ceil(2) as u32;
            let places = Places {
                rows: rows.first..rows.first + count,
                places: rows.places.wrapping_sub(rows.first * words),
                rest: next.wrapping_sub(rows.first * per_row),
                hold,
            };
            next += count * per_row;
            hold += HOLD_WORDS * set.hold.len() as u32;
            places
        };
        let kinds = sets.iter().zip(&tiles.kinds).map(place).collect();
        Self { head, stride, slots, rest, kinds }
    }

    /// The rest values of the constraints in tiles, row by row, and the compliances of all kinds, as words;
    /// `slots` are those of all rows.
    fn numbers(&self, from: &[Set], sets: &[SetColumns], slots: &[u32]) -> Vec<u32> {
        let (mut words, mut held): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (set, places) in sets.iter().map(|set| &from[set.index]).zip(&self.kinds) {
            let (columns, count, per_row) = (set.rest_rows(), set.len(), set.kind().rest_values);
            for row in places.rows.clone() {
                let slot = slots[row as usize] & !HOME;
                let value = |p: usize| columns[p * count + slot as usize];
                let row = (0..per_row).map(|p| if slot == EMPTY { 0.0 } else { value(p) });
                words.extend(row.map(f32::to_bits));
            }
            held.extend_from_slice(bytemuck::cast_slice(&set.hold_rows()));
        }
        words.extend(held);
        words
    }
}
