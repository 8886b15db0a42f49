//! Tiles in the memory of a GPU.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use pliant::constraint::{self, set::Set};
use pliant::glam::Vec4;
use pliant::mirror::ProjectParams;

use super::links::{Kind, Links};
use super::shader::{Twin, shader};
use super::{EMPTY, Group, HOME, MOST_KINDS, Tiles, Turns};
use crate::column::{Column, Others};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::parts::{SetColumns, Space, shader_of};
use crate::program::Access::{Read, Write};
use crate::program::{Checks, Program};

/// Lanes of a workgroup that has a tile; twice as many where it has more rows than [`LARGE`].
const TILE_LANES: u32 = 256;
const LARGE: u32 = 1024;

/// Several colours in one dispatch, of one kind of constraints or of several.
#[derive(Debug)]
pub(crate) struct TileColumns {
    /// Which of the sets these are of.
    pub(crate) sets: Range<usize>,
    pub(crate) program: Arc<Program>,
    pub(crate) bring: Arc<Program>,
    pub(crate) table: Column<u32>,
    /// Words of a head in the table, and of a head with its particles.
    head: u32,
    stride: u32,
    /// The slot of each row of the tiles; the first bit says whether its multiplier is the world's.
    pub(crate) slots: Column<u32>,
    pub(crate) rest: Column<f32>,
    pub(crate) hold: Column<Vec4>,
    pub(crate) lambda: Space,
    /// What belongs to each kind.
    kinds: Vec<Places>,
    pub(crate) groups: Vec<Group>,
    /// Constraints that they solve for each one that there is.
    pub(crate) work: f64,
    /// Whether every tile depends on nothing but itself.
    pub(crate) is_closed: bool,
}

/// Where a kind has its constraints.
#[derive(Clone, Debug)]
struct Places {
    rows: Range<u32>,
    /// As in `Part` of `tiles.wgsl`: where row 0 would be.
    rest: u32,
    words: u32,
    hold: u32,
}

/// What `OfKind` is in `tiles.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct TileParams {
    project: ProjectParams,
    colors: u32,
    starts: u32,
    rest: u32,
    words: u32,
    hold: u32,
    /// Bits of colours after which no lane waits for others.
    unbroken: [u32; 2],
    /// Where a tile has its particles: words after its head.
    list: u32,
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
        let places = places(sets, &tiles);
        let Tiles { table, head, stride, kinds, groups, work, is_closed } = tiles;
        let slots: Vec<u32> = kinds.into_iter().flat_map(|rows| rows.slots).collect();
        let source = include_str!("../multipliers.wgsl").into();
        let bring = gpu.program("multipliers", source, &["bring_home"], &[Read, Read, Write])?;
        let (rest, hold) = numbers(from, sets, (&places, &slots));
        Ok(Self {
            sets: range,
            program: program(gpu, sets)?,
            bring,
            table: Column::new(gpu, "tiles", table)?,
            head,
            stride,
            lambda: Space::new(gpu, "multipliers in tiles", 4 * slots.len())?,
            slots: Column::new(gpu, "slots of tiles", slots)?,
            rest: Column::new(gpu, "rest values in tiles", rest)?,
            hold: Column::new(gpu, "compliances in tiles", hold)?,
            kinds: places,
            groups,
            work,
            is_closed,
        })
    }

    /// Brings rest values and compliances to the GPU, if others have changed nothing else.
    pub(crate) fn push(
        &mut self,
        gpu: &Gpu,
        (from, sets): (&[Set], &[SetColumns]),
    ) -> Result<(), GpuError> {
        let sets = &sets[self.sets.clone()];
        let (rest, hold) = numbers(from, sets, (&self.kinds, self.slots.seen()));
        self.rest.push(gpu, rest, Others::None)?;
        self.hold.push(gpu, hold, Others::None)?;
        Ok(())
    }

    /// The rows of a kind.
    pub(crate) fn rows(&self, kind: usize) -> Range<u32> {
        self.kinds[kind].rows.clone()
    }

    /// The parameters of a dispatch; `project` gives those of a kind for so many constraints.
    pub(crate) fn params(
        &self,
        group: &Group,
        project: impl Fn(usize, u32) -> ProjectParams,
    ) -> [TileParams; MOST_KINDS] {
        let mut params = [TileParams::default(); MOST_KINDS];
        for (number, (params, places)) in params.iter_mut().zip(&self.kinds).enumerate() {
            *params = TileParams {
                // Shaders of tiles ask for the words of a tile, not for how many constraints there are.
                project: project(number, self.stride),
                colors: group.colors[number],
                starts: group.starts(number),
                rest: places.rest,
                words: places.words,
                hold: places.hold,
                unbroken: [group.unbroken[number] as u32, (group.unbroken[number] >> 32) as u32],
                list: self.head,
            };
        }
        params
    }
}

fn program(gpu: &Gpu, sets: &[SetColumns]) -> Result<Arc<Program>, GpuError> {
    let rows = gpu.tile_rows();
    let lanes = if rows > LARGE { 2 * TILE_LANES } else { TILE_LANES };
    let twin = |set: &SetColumns| -> Result<Twin, GpuError> {
        let (source, arity) = (shader_of(set.kind)?, set.kind.particles);
        Ok(Twin { source, arity, is_damped: set.is_damped() })
    };
    let twins = sets.iter().map(twin).collect::<Result<Vec<_>, _>>()?;
    let access = [Write, Read, Read, Read, Read, Read, Write, Read];
    let names: Vec<&str> = sets.iter().map(|set| set.kind.name).collect();
    let entries = ["project_tile", "project_plain_tile"];
    // The places of a tile are below its rows, as `tiler.rs` has found them, and its loops count to a number. Of
    // kinds from outside nothing is known.
    let is_ours =
        |set: &SetColumns| constraint::ALL.iter().any(|ours| std::ptr::eq(*ours, set.kind));
    let checks = if sets.iter().all(is_ours) { Checks::Dropped } else { Checks::Kept };
    let source = shader(&twins, lanes, rows);
    gpu.program_with(checks, (&names.join(" and "), source), &entries, &access)
}

/// Where each kind has its constraints.
fn places(sets: &[SetColumns], tiles: &Tiles) -> Vec<Places> {
    let (mut rest, mut hold) = (0u32, 0);
    let place = |(set, rows): (&SetColumns, &super::Rows)| {
        let (count, per_row) = (rows.slots.len() as u32, set.kind.rest_values as u32);
        let words = set.kind.particles.div_ceil(2) as u32;
        let places = Places {
            rows: rows.first..rows.first + count,
            rest: rest.wrapping_sub(rows.first * per_row),
            words: rows.places.wrapping_sub(rows.first * words),
            hold,
        };
        rest += count * per_row;
        hold += set.hold.len() as u32;
        places
    };
    sets.iter().zip(&tiles.kinds).map(place).collect()
}

/// The rest values of the constraints in tiles, row by row, and the compliances of all kinds.
fn numbers(
    from: &[Set],
    sets: &[SetColumns],
    (places, slots): (&[Places], &[u32]),
) -> (Vec<f32>, Vec<Vec4>) {
    let (mut rest, mut hold) = (Vec::new(), Vec::new());
    for (set, places) in sets.iter().map(|set| &from[set.index]).zip(places) {
        let (columns, count, per_row) = (set.rest_rows(), set.len(), set.kind().rest_values);
        for row in places.rows.clone() {
            let slot = slots[row as usize] & !HOME;
            let value = |p: usize| columns[p * count + slot as usize];
            rest.extend((0..per_row).map(|p| if slot == EMPTY { 0.0 } else { value(p) }));
        }
        hold.extend(set.hold_rows());
    }
    (rest, hold)
}
