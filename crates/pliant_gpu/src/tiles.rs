//! All colours in one dispatch, or several: which particles and constraints a workgroup needs for that.
//!
//! A dispatch for each colour takes a few microseconds whatever its size, and moves every particle
//! through memory. A tile is a group of particles that lie together, with all that their places
//! depend on during a few colours, of one kind of constraints or of several. The order in which
//! constraints are solved stays that of the schedule, and so does every bit. Shaders: `tiles.wgsl` and
//! `tiles/kind.wgsl`.

pub(crate) mod columns;
mod draft;
mod links;
pub(crate) mod shader;
#[cfg(test)]
mod tests;
mod tiler;

use std::ops::Range;

use draft::Draft;
use links::Links;
use tiler::Tiler;

/// Kinds that a tile has at most: so many have their parameters in one place.
pub(crate) const MOST_KINDS: usize = 4;
/// Colours in a dispatch that are tried where there are many constraints, unless all are. Every colour adds
/// what its constraints reach to a tile: in solids, soon more than a tile can hold.
const COLORS: [usize; 3] = [5, 4, 3];
/// Colours from which tiles are worth it that solve what their neighbours need too, and such as depend on nothing but
/// themselves.
const LEAST_COLORS: usize = 4;
const LEAST_COLORS_OF_CLOSED: usize = 2;
/// Particles of a tile that depends on nothing but itself, if its parts are that small; and at most where all colours
/// are one dispatch and there are more such tiles than [`AT_WORK`], so that more lanes have something to do.
const CLOSED: usize = 128;
const LARGE_CLOSED: usize = 512;
/// Workgroups that a large GPU has at work at once: eight on each of some 130 processors.
const AT_WORK: usize = 1024;
/// Particles of a tile without constraints, at most: one for each lane. And how many such tiles a large GPU has at work
/// at once: more are better off in a pass of their own, whose lanes need fewer registers.
const IDLE: usize = 256;
const MOST_IDLE: usize = 256;
/// Runs up to which nothing can be better than tiles that depend on nothing but themselves.
const FEW_RUNS: usize = 4;
/// Tiles that a GPU should have to work on at once, and particles of a tile that are worth it.
const ENOUGH: [usize; 2] = [64, 192];
/// The same where a step waits for the slowest tile, not for memory: with all colours in one dispatch, or few
/// constraints. Large GPUs have a hundred processors.
const ENOUGH_AT_ONCE: [usize; 2] = [100, 64];
/// Constraints that tiles may solve for each one that there is; and where there are so few of them that
/// a dispatch takes its time whatever it does.
const MOST_WORK: f64 = 4.0;
const MOST_WORK_OF_FEW: f64 = 16.0;
const FEW: usize = 200_000;

/// Nothing.
const NONE: u32 = u32::MAX;
/// Of a slot in a tile: its multiplier is that of the world.
const HOME: u32 = 1 << 31;
/// Words of a head before the rows of steps, and of all of it at most: workgroups keep it beside their rows.
const HEAD: usize = 2;
pub(crate) const MOST_HEAD: usize = 128;

/// How large tiles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Lanes of a workgroup.
    pub(crate) lanes: u32,
    /// Rows that it can hold.
    pub(crate) rows: u32,
}

/// The tiles of some sets of constraints, for one group of colours after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tiles {
    /// For each tile a head and its particles.
    pub(crate) table: Vec<u32>,
    /// Words of a head, and of a head with as many particles as a tile has at most: lanes find them without
    /// a word of the head.
    pub(crate) head: u32,
    pub(crate) stride: u32,
    /// The constraints of each kind.
    pub(crate) kinds: Vec<Rows>,
    pub(crate) groups: Vec<Group>,
    /// Constraints that they solve for each one that there is.
    pub(crate) work: f64,
    /// Whether every tile depends on nothing but itself.
    pub(crate) is_closed: bool,
    /// Whether those of the last group, with those that have no constraints, own all particles.
    pub(crate) is_whole: bool,
}

/// The constraints of a kind in tiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows {
    /// The row of the first.
    pub(crate) first: u32,
    /// The slot of the constraint in each row, and [`HOME`].
    pub(crate) slots: Vec<u32>,
    /// The places of its particles in the tile, two in a word.
    pub(crate) places: Vec<u32>,
}

/// Words that the places of so many particles are in.
fn words_of_places(arity: usize) -> usize {
    arity.div_ceil(2)
}

/// Colours that are one dispatch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) tiles: Range<u32>,
    /// Tiles after them, of particles that have no constraints.
    pub(crate) idle: Range<u32>,
    /// Steps of each kind: colours, or as much of a colour as there are lanes.
    pub(crate) steps: Vec<u32>,
}

impl Group {
    /// Where a head has the rows of the first step of a kind.
    pub(crate) fn starts(&self, kind: usize) -> u32 {
        HEAD as u32 + self.steps[..kind].iter().map(|count| count + 1).sum::<u32>()
    }
}

/// In how many dispatches an iteration may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    /// In any number: what follows finds rows where they are.
    Any,
    /// In an even one, so that rows end where they began.
    Even,
    /// In any number, of tiles that depend on nothing but themselves.
    Closed,
}

impl Tiles {
    /// The tiles of some sets, or `None` if a dispatch for each colour does as well.
    pub(crate) fn new(links: &Links<'_>, turns: Turns) -> Option<Self> {
        let (count, colors) = (links.count(), links.colors.len());
        if colors < LEAST_COLORS_OF_CLOSED || count >= HOME as usize {
            return None;
        }
        let closed = Self::closed(links);
        let is_best = closed.as_ref().is_some_and(|tiles| tiles.groups.len() <= FEW_RUNS);
        if turns == Turns::Closed || is_best {
            return closed;
        }
        let open = if colors < LEAST_COLORS { None } else { Self::open(links, turns) };
        let dispatches = |tiles: &Self| tiles.groups.len();
        // Of two with as many dispatches the one that solves nothing twice.
        closed.into_iter().chain(open).min_by_key(dispatches)
    }

    /// Tiles that solve what their neighbours need too.
    fn open(links: &Links<'_>, turns: Turns) -> Option<Self> {
        let (count, colors) = (links.count(), links.colors.len());
        let all = Range { start: 0, end: colors };
        if turns == Turns::Any
            && let Some(once) = Self::in_groups(links, &[all], links.counts(ENOUGH_AT_ONCE))
        {
            return Some(once);
        }
        if count < FEW {
            let (groups, tiles) = links.longest(turns)?;
            return Self::in_groups(links, &groups, std::iter::once(tiles));
        }
        let even = |per_group: &usize| {
            let groups = colors.div_ceil(*per_group).next_multiple_of(2);
            let end = |g: usize| (g * colors.div_ceil(groups)).min(colors);
            let groups: Vec<_> = (0..groups).map(|g| end(g)..end(g + 1)).collect();
            Self::in_groups(links, &groups, links.counts(ENOUGH))
        };
        COLORS.iter().find_map(even)
    }

    /// The same with these groups of colours, in the first of these numbers of tiles that fits.
    fn in_groups(
        links: &Links<'_>,
        groups: &[Range<usize>],
        counts: impl Iterator<Item = usize> + Clone,
    ) -> Option<Self> {
        let mut draft = Draft::new(links);
        if !groups.iter().all(|colors| links.fits_head(colors.clone())) {
            return None;
        }
        for colors in groups {
            Tiler::new(links, colors.clone()).cut(&mut draft, counts.clone())?;
            draft.end_group(links, colors.clone());
        }
        let most = if links.count() < FEW { MOST_WORK_OF_FEW } else { MOST_WORK };
        let tiles = draft.tiles(links);
        (tiles.work <= most).then_some(tiles)
    }

    /// Tiles of whole parts, if all colours are in a few runs of which no constraints join more particles
    /// than fit: as in small bodies, or with [`pliant::coloring::tiled`]. Then nothing is solved twice, and
    /// all colours of a run are one dispatch, whatever comes between.
    fn closed(links: &Links<'_>) -> Option<Self> {
        let mut draft = Draft::new(links);
        let runs = links.runs()?;
        let most = match runs.len() {
            1 => (links.xw.len() / AT_WORK).clamp(CLOSED, LARGE_CLOSED),
            _ => CLOSED,
        }
        .min(links.rows());
        for run in &runs {
            let mut tiler = Tiler::new(links, run.clone());
            let parts = links.parts(run.clone());
            let mut owned: Vec<u32> = Vec::new();
            for (number, part) in parts.iter().enumerate() {
                owned.extend(part);
                let next = parts.get(number + 1).map_or(usize::MAX, Vec::len);
                if owned.len().saturating_add(next) > most {
                    owned.sort_unstable(); // as they lie in memory
                    let tile = tiler.gather(&owned)?;
                    tiler.write(tile, owned.len(), &mut draft);
                    owned.clear();
                }
            }
            draft.end_group(links, run.clone());
        }
        let is_whole = Self::add_idle(links, runs.last()?.clone(), &mut draft)?;
        Some(Self { is_closed: true, is_whole, ..draft.tiles(links) })
    }

    /// Adds tiles of the particles that the last run does not move, so that all are some tile's own; whether these
    /// are few enough.
    fn add_idle(links: &Links<'_>, last: Range<usize>, draft: &mut Draft) -> Option<bool> {
        let bare = links.bare(last.clone());
        let size = draft.longest().min(IDLE);
        if bare.len() > MOST_IDLE * size {
            return Some(false);
        }
        let mut tiler = Tiler::new(links, last);
        for owned in bare.chunks(size) {
            let tile = tiler.gather(owned)?;
            tiler.write(tile, owned.len(), draft);
        }
        draft.end_idle();
        Some(true)
    }
}
