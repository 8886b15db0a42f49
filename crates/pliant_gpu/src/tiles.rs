//! All colours in one dispatch, or several: which particles and constraints a workgroup needs for that.
//!
//! A dispatch for each colour takes a few microseconds whatever its size, and moves every particle
//! through memory. A tile is a group of particles that lie together, with all that their places
//! depend on during a few colours, of one kind of constraints or of several. The order in which
//! constraints are solved stays that of the schedule, and so does every bit. Shaders: `tiles.wgsl` and
//! `tiles/kind.wgsl`.

pub(crate) mod columns;
mod shader;

use std::ops::Range;

use pliant::coloring::tiled::Parts;
use pliant::glam::{Vec3, Vec4};

/// Kinds that a tile has at most: so many have their parameters in one place.
pub(crate) const MOST_KINDS: usize = 4;
/// Colours in a dispatch that are tried where there are many constraints, unless all are. Every colour adds
/// what its constraints reach to a tile: in solids, soon more than a tile can hold.
const COLORS: [usize; 3] = [5, 4, 3];
/// Colours from which tiles are worth it.
const LEAST_COLORS: usize = 4;
/// Constraints from which tiles are worth it.
const LEAST_CONSTRAINTS: usize = 4096;
/// Particles that tiles are tried with, the most first.
const SIZES: [usize; 18] =
    [2560, 2048, 1792, 1536, 1280, 1024, 768, 704, 640, 576, 512, 448, 384, 320, 192, 128, 96, 64];
/// Particles of a tile that depends on nothing but itself, if its parts are that small.
const CLOSED: usize = 128;
/// Colours for each run, on average, from which on a dispatch for a run is worth it.
const LONG_RUN: usize = 3;
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
/// In the place of a slot: the row has no constraint.
const EMPTY: u32 = HOME - 1;
/// Words of a head before the rows of colours.
const HEAD: usize = 2;

/// The tiles of some sets of constraints, for one group of colours after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tiles {
    /// For each tile a head and its particles, then the places of constraints in their tiles.
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
}

/// The constraints of a kind in tiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows {
    /// The row of the first.
    pub(crate) first: u32,
    /// The slot of the constraint in each row, and [`HOME`].
    pub(crate) slots: Vec<u32>,
    /// Where the table has the places of the first.
    pub(crate) places: u32,
}

/// Colours that are one dispatch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) tiles: Range<u32>,
    /// Colours of each kind.
    pub(crate) colors: Vec<u32>,
    /// Of each kind, a bit for each of the first 64 colours after which no lane waits for others.
    pub(crate) unbroken: Vec<u64>,
}

impl Group {
    /// Where a head has the rows of the first colour of a kind.
    pub(crate) fn starts(&self, kind: usize) -> u32 {
        HEAD as u32 + self.colors[..kind].iter().map(|count| count + 1).sum::<u32>()
    }
}

/// In how many dispatches an iteration may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turns {
    /// In any number.
    Any,
    /// In an even one, so that rows end where they began.
    Even,
    /// In any number, of tiles that depend on nothing but themselves.
    Closed,
}

/// What tiles are made of: constraints of some kinds, one kind after the other.
#[derive(Clone, Debug)]
pub(crate) struct Links<'a> {
    kinds: Vec<Kind<'a>>,
    colors: Vec<Color>,
    /// Of each kind, the part of each constraint in its strand of colours: see [`Links::find_strands`].
    part_of: Vec<Vec<u32>>,
    /// Where the particles are, for those that lie together.
    xw: &'a [Vec4],
    /// Rows that a workgroup can hold.
    room: usize,
}

/// The constraints of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind<'a> {
    /// The particles of every constraint, `arity` each.
    pub(crate) ids: &'a [u32],
    pub(crate) arity: usize,
    /// The slots of each colour.
    pub(crate) colors: &'a [Range<u32>],
}

impl<'a> Kind<'a> {
    fn count(&self) -> usize {
        self.ids.len() / self.arity
    }

    fn particles(&self, slot: u32) -> &'a [u32] {
        &self.ids[slot as usize * self.arity..][..self.arity]
    }
}

/// A colour of one of the kinds.
#[derive(Clone, Debug)]
struct Color {
    kind: usize,
    slots: Range<u32>,
    /// Whether it goes on with the constraints of the colour before: see [`Links::find_strands`].
    goes_on: bool,
}

impl Tiles {
    /// The tiles of some sets, or `None` if a dispatch for each colour does as well.
    pub(crate) fn new(links: &Links<'_>, turns: Turns) -> Option<Self> {
        let (count, colors) = (links.count(), links.colors.len());
        if colors < LEAST_COLORS || count < LEAST_CONSTRAINTS || count >= HOME as usize {
            return None;
        }
        let closed = Self::closed(links);
        let is_best = closed.as_ref().is_some_and(|tiles| tiles.groups.len() <= FEW_RUNS);
        if turns == Turns::Closed || is_best {
            return closed;
        }
        let open = Self::open(links, turns);
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
            let (groups, tiles) = links.longest()?;
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
        for run in links.runs()? {
            let mut tiler = Tiler::new(links, run.clone());
            let parts = links.parts(run.clone());
            let mut owned: Vec<u32> = Vec::new();
            for (number, part) in parts.iter().enumerate() {
                owned.extend(part);
                let next = parts.get(number + 1).map_or(usize::MAX, Vec::len);
                if owned.len().saturating_add(next) > CLOSED.min(links.room) {
                    owned.sort_unstable(); // as they lie in memory
                    let tile = tiler.gather(&owned)?;
                    tiler.write(tile, owned.len(), &mut draft);
                    owned.clear();
                }
            }
            draft.end_group(links, run);
        }
        Some(Self { is_closed: true, ..draft.tiles(links) })
    }
}

/// Tiles that are being made.
struct Draft {
    tiles: Vec<Head>,
    /// Of each kind.
    places: Vec<Vec<u32>>,
    slots: Vec<Vec<u32>>,
    groups: Vec<Group>,
}

/// Where a tile has what.
struct Head {
    owned: u32,
    /// All its particles.
    rows: Vec<u32>,
    /// For each kind the row of the first constraint of each colour, and the row after the last: among those
    /// of the kind.
    starts: Vec<Vec<u32>>,
}

/// How much of a draft there is.
struct Mark {
    tiles: usize,
    kinds: Vec<[usize; 2]>,
}

impl Draft {
    fn new(links: &Links<'_>) -> Self {
        let of_kinds = vec![Vec::new(); links.kinds.len()];
        Self { tiles: Vec::new(), places: of_kinds.clone(), slots: of_kinds, groups: Vec::new() }
    }

    fn mark(&self) -> Mark {
        let kinds = self.places.iter().zip(&self.slots);
        Mark {
            tiles: self.tiles.len(),
            kinds: kinds.map(|(places, slots)| [places.len(), slots.len()]).collect(),
        }
    }

    /// Forgets what came after a mark.
    fn return_to(&mut self, mark: &Mark) {
        self.tiles.truncate(mark.tiles);
        for (kind, &[places, slots]) in mark.kinds.iter().enumerate() {
            self.places[kind].truncate(places);
            self.slots[kind].truncate(slots);
        }
    }

    /// All tiles since the last group are one of these colours.
    fn end_group(&mut self, links: &Links<'_>, colors: Range<usize>) {
        let first = self.groups.last().map_or(0, |group| group.tiles.end);
        let mut counts = vec![0; links.kinds.len()];
        let mut unbroken = vec![0u64; links.kinds.len()];
        for color in &links.colors[colors] {
            let count = &mut counts[color.kind];
            if color.goes_on && *count > 0 {
                unbroken[color.kind] |= 1u64.checked_shl(*count - 1).unwrap_or(0);
            }
            *count += 1;
        }
        let tiles = first..self.tiles.len() as u32;
        self.groups.push(Group { tiles, colors: counts, unbroken });
    }

    fn tiles(self, links: &Links<'_>) -> Tiles {
        let words = |group: &Group| group.starts(group.colors.len()) as usize;
        let head = self.groups.iter().map(words).max().unwrap_or(HEAD);
        let most = self.tiles.iter().map(|tile| tile.rows.len()).max().unwrap_or(0);
        let stride = head + most;
        let (mut first, mut places) = (0, (stride * self.tiles.len()) as u32);
        let mut kinds = Vec::new();
        for (slots, words) in self.slots.into_iter().zip(&self.places) {
            let next = [first + slots.len() as u32, places + words.len() as u32];
            kinds.push(Rows { first, slots, places });
            [first, places] = next;
        }
        let mut table = Vec::with_capacity(places as usize);
        for tile in &self.tiles {
            let start = table.len();
            table.extend([tile.owned, tile.rows.len() as u32]);
            for (kind, starts) in kinds.iter().zip(&tile.starts) {
                table.extend(starts.iter().map(|row| kind.first + row));
            }
            table.resize(start + head, 0);
            table.extend(&tile.rows);
            table.resize(start + stride, tile.rows[0]);
        }
        self.places.into_iter().for_each(|words| table.extend(words));
        let work = f64::from(first) / links.count() as f64;
        let (head, stride) = (head as u32, stride as u32);
        Tiles { table, head, stride, kinds, groups: self.groups, work, is_closed: false }
    }
}

/// Shows the particles in so many groups that lie together, of like sizes: parts of parts, each cut across
/// its longest side. Ends where `show` says so, and tells whether it went on to the end.
fn show_parts(xw: &[Vec4], count: usize, mut show: impl FnMut(&[u32]) -> bool) -> bool {
    let mut order: Vec<u32> = (0..xw.len() as u32).collect();
    let x = |i: u32| xw[i as usize].truncate();
    let mut waiting = vec![(0, xw.len(), count)];
    while let Some((start, end, parts)) = waiting.pop() {
        let ids = &mut order[start..end];
        if parts <= 1 {
            ids.sort_unstable(); // as they lie in memory
            if !show(ids) {
                return false;
            }
            continue;
        }
        let low = ids.iter().map(|&i| x(i)).fold(Vec3::INFINITY, Vec3::min);
        let high = ids.iter().map(|&i| x(i)).fold(Vec3::NEG_INFINITY, Vec3::max);
        let axis = (high - low).max_position();
        let first = parts / 2;
        let middle = ids.len() * first / parts;
        ids.select_nth_unstable_by(middle, |&a, &b| {
            x(a)[axis].total_cmp(&x(b)[axis]).then(a.cmp(&b))
        });
        waiting.push((start + middle, end, parts - first));
        waiting.push((start, start + middle, first));
    }
    true
}

/// Cuts a world into tiles for a group of colours.
struct Tiler<'a> {
    links: &'a Links<'a>,
    colors: Range<usize>,
    /// For each colour, the slot of the constraint of each particle.
    slot_of: Vec<Vec<u32>>,
    /// The tile that last had each particle, and its place there.
    here: Vec<[u32; 2]>,
    /// The tile that last had each constraint of each kind.
    taken: Vec<Vec<u32>>,
    tile: u32,
}

/// One tile: its particles, of which the first are its own, and the slots of each colour.
struct Tile {
    rows: Vec<u32>,
    slots: Vec<Vec<u32>>,
}

impl<'a> Tiler<'a> {
    fn new(links: &'a Links<'a>, colors: Range<usize>) -> Self {
        let count = links.xw.len();
        let slot_of = |Color { kind, slots, .. }: &Color| {
            let mut slot_of = vec![NONE; count];
            for slot in slots.clone() {
                for &id in links.kinds[*kind].particles(slot) {
                    slot_of[id as usize] = slot;
                }
            }
            slot_of
        };
        Self {
            links,
            slot_of: links.colors[colors.clone()].iter().map(slot_of).collect(),
            colors,
            here: vec![[NONE; 2]; count],
            taken: links.kinds.iter().map(|kind| vec![NONE; kind.count()]).collect(),
            tile: 0,
        }
    }

    /// The kind of one of its colours.
    fn kind_of(&self, color: usize) -> usize {
        self.links.colors[self.colors.start + color].kind
    }

    /// Cuts all particles and adds the tiles to the draft, the first of these numbers of them that fits; `None`
    /// if none does.
    fn cut(&mut self, draft: &mut Draft, counts: impl Iterator<Item = usize>) -> Option<()> {
        let mark = draft.mark();
        for count in counts {
            let fits = show_parts(self.links.xw, count, |owned| {
                self.gather(owned).map(|tile| self.write(tile, owned.len(), draft)).is_some()
            });
            if fits {
                return Some(());
            }
            draft.return_to(&mark);
        }
        None
    }

    /// All that the particles of a tile depend on; `None` if that is too much.
    fn gather(&mut self, owned: &[u32]) -> Option<Tile> {
        self.tile += 1;
        let mut rows = Vec::with_capacity(self.links.room);
        for &id in owned {
            self.here[id as usize] = [self.tile, rows.len() as u32];
            rows.push(id);
        }
        let mut slots = vec![Vec::new(); self.slot_of.len()];
        for color in (0..slots.len()).rev() {
            let kind = self.kind_of(color);
            for k in 0..rows.len() {
                let slot = self.slot_of[color][rows[k] as usize];
                if slot == NONE || self.taken[kind][slot as usize] == self.tile {
                    continue;
                }
                self.taken[kind][slot as usize] = self.tile;
                slots[color].push(slot);
                for &id in self.links.kinds[kind].particles(slot) {
                    if self.here[id as usize][0] != self.tile {
                        self.here[id as usize] = [self.tile, rows.len() as u32];
                        rows.push(id);
                    }
                }
            }
            if rows.len() > self.links.room {
                return None;
            }
            slots[color].sort_unstable(); // as they lie in memory
        }
        rows[owned.len()..].sort_unstable();
        for (place, &id) in rows.iter().enumerate() {
            self.here[id as usize][1] = place as u32;
        }
        Some(Tile { rows, slots })
    }

    /// Adds a tile that was just gathered to the draft.
    fn write(&self, tile: Tile, owned: usize, draft: &mut Draft) {
        let mut starts = vec![Vec::new(); self.links.kinds.len()];
        let mut left = tile.slots.as_slice();
        while !left.is_empty() {
            let color = tile.slots.len() - left.len();
            let (strand, rest) = left.split_at(self.strand(color));
            left = rest;
            let kind = self.kind_of(color);
            for slots in self.in_lanes(kind, strand) {
                let (all, places) = (&mut draft.slots[kind], &mut draft.places[kind]);
                starts[kind].push(all.len() as u32);
                for slot in slots {
                    self.write_row(kind, slot, owned, (all, places));
                }
            }
        }
        for (starts, all) in starts.iter_mut().zip(&draft.slots) {
            starts.push(all.len() as u32);
        }
        draft.tiles.push(Head { owned: owned as u32, rows: tile.rows, starts });
    }

    fn write_row(
        &self,
        kind: usize,
        slot: u32,
        owned: usize,
        (slots, places): (&mut Vec<u32>, &mut Vec<u32>),
    ) {
        let Kind { arity, .. } = self.links.kinds[kind];
        if slot == EMPTY {
            slots.push(EMPTY);
            places.extend(std::iter::repeat_n(NONE, arity.div_ceil(2)));
            return;
        }
        let ids = self.links.kinds[kind].particles(slot);
        let place = |id: &u32| self.here[*id as usize][1];
        let home = if (place(&ids[0]) as usize) < owned { HOME } else { 0 };
        slots.push(slot | home);
        let pairs = ids.chunks(2);
        places.extend(pairs.map(|two| place(&two[0]) | two.get(1).map_or(0, place) << 16));
    }

    /// How many colours from one on have constraints that one lane solves one after the other.
    fn strand(&self, color: usize) -> usize {
        let after = &self.links.colors[self.colors.clone()][color + 1..];
        1 + after.iter().take_while(|color| color.goes_on).count()
    }

    /// The constraints of a strand of colours in the order of their rows: what shares particles has the
    /// same place in every colour, so that it has the same lane.
    fn in_lanes(&self, kind: usize, strand: &[Vec<u32>]) -> Vec<Vec<u32>> {
        if strand.len() == 1 {
            return strand.to_vec();
        }
        let part_of = |slot: &u32| self.links.part_of[kind][*slot as usize];
        let mut parts: Vec<u32> = strand.iter().flatten().map(part_of).collect();
        parts.sort_unstable();
        parts.dedup();
        let mut lanes: Vec<Vec<u32>> = vec![Vec::new(); strand.len()];
        for (lanes, slots) in lanes.iter_mut().zip(strand) {
            for slot in slots {
                let lane = parts.partition_point(|&part| part < part_of(slot));
                lanes.resize(lanes.len().max(lane + 1), EMPTY);
                lanes[lane] = *slot;
            }
        }
        lanes
    }
}

/// Colours in a row of which each part has no more than one constraint.
struct Strand {
    parts: Parts,
    /// The colours that each part has, for the particle that stands for it.
    colors: Vec<u64>,
}

impl Strand {
    fn new(particles: usize) -> Self {
        Self { parts: Parts::new(particles), colors: vec![0; particles] }
    }

    /// Adds a constraint; whether each part still has no more than one of each colour.
    fn add(&mut self, ids: &[u32], color: usize) -> bool {
        let Some(mut colors) = 1u64.checked_shl(color as u32) else { return false };
        let mut is_alone = true;
        for (k, &id) in ids.iter().enumerate() {
            let root = self.parts.root(id);
            if ids[..k].iter().all(|&other| self.parts.root(other) != root) {
                is_alone &= colors & self.colors[root as usize] == 0;
                colors |= self.colors[root as usize];
            }
        }
        self.parts.join_up_to(ids, usize::MAX);
        let root = self.parts.root(ids[0]);
        self.colors[root as usize] = colors;
        is_alone
    }
}

impl<'a> Links<'a> {
    pub(crate) fn new(kinds: Vec<Kind<'a>>, xw: &'a [Vec4], room: usize) -> Self {
        let of_kind = |(kind, of): (usize, &Kind<'a>)| {
            let color =
                move |slots: &Range<u32>| Color { kind, slots: slots.clone(), goes_on: false };
            of.colors.iter().map(color).collect::<Vec<_>>()
        };
        let colors = kinds.iter().enumerate().flat_map(of_kind).collect();
        let part_of = kinds.iter().map(|_| Vec::new()).collect();
        let mut links = Self { kinds, colors, part_of, xw, room };
        links.find_strands();
        links
    }

    /// Finds colours in a row whose constraints are in parts that share no particle, with no more than one of
    /// each colour in a part, as with [`pliant::coloring::clustered`]: a lane solves such a part without a word
    /// to others. Links of two particles are never so.
    fn find_strands(&mut self) {
        for kind in (0..self.kinds.len()).filter(|&kind| self.kinds[kind].arity > 2) {
            let of = self.kinds[kind];
            self.part_of[kind] = vec![NONE; of.count()];
            let first = self.colors.iter().position(|color| color.kind == kind).unwrap_or(0);
            let mut strand = Strand::new(self.xw.len());
            let mut start = 0;
            for color in 0..=of.colors.len() {
                let slots = of.colors.get(color).cloned();
                let fits = slots.clone().is_some_and(|mut slots| {
                    slots.all(|slot| strand.add(of.particles(slot), color - start))
                });
                if fits {
                    self.colors[first + color].goes_on = color > start;
                    continue;
                }
                // What was added of this colour joins parts that are told apart below.
                let mut strand_before = Strand::new(self.xw.len());
                let before = || of.colors[start..color].iter().cloned().enumerate();
                for (number, slots) in before() {
                    slots.for_each(|slot| {
                        strand_before.add(of.particles(slot), number);
                    });
                }
                for slot in before().flat_map(|(_, slots)| slots) {
                    let root = strand_before.parts.root(of.particles(slot)[0]);
                    self.part_of[kind][slot as usize] = root;
                }
                strand = Strand::new(self.xw.len());
                start = color;
                slots.into_iter().flatten().for_each(|slot| {
                    strand.add(of.particles(slot), 0);
                });
            }
        }
    }

    /// Constraints of all kinds.
    fn count(&self) -> usize {
        self.kinds.iter().map(Kind::count).sum()
    }

    /// The particles of the constraints of a colour.
    fn of_color(&self, color: usize) -> impl Iterator<Item = &'a [u32]> {
        let Color { kind, slots, .. } = self.colors[color].clone();
        let kind = self.kinds[kind];
        slots.map(move |slot| kind.particles(slot))
    }

    /// Numbers of tiles that are tried, if so many tiles, or tiles of so many particles, are enough. Halves of
    /// halves are as regular as what they are halves of.
    fn counts(
        &self,
        [tiles, particles]: [usize; 2],
    ) -> impl Iterator<Item = usize> + Clone + use<> {
        let count = self.xw.len();
        let wanted = (count / tiles).max(particles);
        let sizes = SIZES.into_iter().filter(move |&size| size <= wanted);
        sizes.map(move |size| count.div_ceil(size).next_power_of_two())
    }

    /// An even number of groups of colours, each as long as what its tiles depend on fits, and the number of
    /// tiles with which these are fewest; `None` if the groups are short.
    fn longest(&self) -> Option<(Vec<Range<usize>>, usize)> {
        let most = self.counts(ENOUGH_AT_ONCE).next()?;
        let tried = [most, most / 2].into_iter().filter(|&tiles| tiles > 0);
        let found = tried.filter_map(|tiles| Some((self.longest_of(tiles)?, tiles)));
        let (groups, tiles) = found.min_by_key(|(groups, _)| groups.len())?;
        (2 * groups.len() <= self.colors.len()).then_some((groups, tiles))
    }

    /// The same for so many tiles.
    fn longest_of(&self, tiles: usize) -> Option<Vec<Range<usize>>> {
        let mut owned: Vec<Vec<u32>> = Vec::new();
        show_parts(self.xw, tiles, |part| {
            owned.push(part.to_vec());
            true
        });
        let fits = |colors: Range<usize>| {
            let mut tiler = Tiler::new(self, colors);
            owned.iter().all(|owned| tiler.gather(owned).is_some())
        };
        let (mut groups, mut first) = (Vec::new(), 0);
        while first < self.colors.len() {
            let more = (first + 1..=self.colors.len()).take_while(|&end| fits(first..end));
            let end = more.last()?;
            groups.push(first..end);
            first = end;
        }
        if groups.len() % 2 == 1 {
            let (place, longest) =
                groups.iter().enumerate().max_by_key(|(_, group)| group.len())?;
            let Range { start, end } = *longest;
            let middle = start + longest.len().div_ceil(2);
            groups.splice(place..=place, [start..middle, middle..end]);
        }
        Some(groups)
    }

    /// The colours in runs, each as long as no part that its constraints join has more particles than a
    /// tile; `None` if they are short.
    fn runs(&self) -> Option<Vec<Range<usize>>> {
        let mut parts = Parts::new(self.xw.len());
        let mut runs = Vec::from([Range { start: 0, end: 0 }]);
        for color in 0..self.colors.len() {
            if !self.of_color(color).all(|ids| parts.join_up_to(ids, self.room)) {
                parts = Parts::new(self.xw.len());
                self.of_color(color).for_each(|ids| {
                    parts.join_up_to(ids, self.room);
                });
                runs.push(color..color);
            }
            let run = runs.last_mut()?;
            run.end = color + 1;
            if runs.len() > 1 && LONG_RUN * runs.len() > self.colors.len() {
                return None;
            }
        }
        Some(runs)
    }

    /// The particles in parts that the constraints of a run of colours join, in the order of their first
    /// ones. What none of them has is in none.
    fn parts(&self, run: Range<usize>) -> Vec<Vec<u32>> {
        let mut joined = Parts::new(self.xw.len());
        let mut is_linked = vec![false; self.xw.len()];
        for particles in run.flat_map(|color| self.of_color(color)) {
            joined.join_up_to(particles, usize::MAX);
            particles.iter().for_each(|&i| is_linked[i as usize] = true);
        }
        let mut place = vec![NONE; self.xw.len()];
        let mut parts: Vec<Vec<u32>> = Vec::new();
        for i in (0..self.xw.len() as u32).filter(|&i| is_linked[i as usize]) {
            let first = joined.root(i) as usize;
            if place[first] == NONE {
                place[first] = parts.len() as u32;
                parts.push(Vec::new());
            }
            parts[place[first] as usize].push(i);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_pairs<'a>(ids: &'a [u32], colors: &'a [Range<u32>], xw: &'a [Vec4]) -> Links<'a> {
        Links::new(vec![Kind { ids, arity: 2, colors }], xw, 1024)
    }

    /// A square net, its links in four colours.
    fn net(size: u32) -> (Vec<u32>, Vec<Range<u32>>, Vec<Vec4>) {
        let mut ids = Vec::new();
        let mut colors = Vec::new();
        for (step, across, parity) in
            [(1, true, 0), (1, true, 1), (size, false, 0), (size, false, 1)]
        {
            let start = ids.len() as u32 / 2;
            for i in 0..size * size {
                let (column, row) = (i % size, i / size);
                let along = if across { column } else { row };
                if along % 2 == parity && along + 1 < size {
                    ids.extend([i, i + step]);
                }
            }
            colors.push(start..ids.len() as u32 / 2);
        }
        let x = |i: u32| Vec4::new((i % size) as f32, 0.0, (i / size) as f32, 1.0);
        (ids, colors, (0..size * size).map(x).collect())
    }

    #[test]
    fn tiles_own_every_particle_once_and_solve_all_that_they_depend_on() {
        let (ids, colors, xw) = net(100);
        let links = of_pairs(&ids, &colors, &xw);
        for (turns, groups) in [(Turns::Any, 1), (Turns::Even, 2)] {
            let tiles = Tiles::new(&links, turns).unwrap();
            assert_eq!(tiles.groups.len(), groups);
            let per_group = colors.len() / groups;
            for (number, group) in tiles.groups.iter().enumerate() {
                let colors = &colors[number * per_group..][..per_group];
                check(&tiles, group, colors, &links);
            }
        }
    }

    /// Fails unless the tiles of a group solve what they must.
    fn check(tiles: &Tiles, group: &Group, colors: &[Range<u32>], links: &Links<'_>) {
        let (ids, xw) = (links.kinds[0].ids, links.xw);
        let Rows { slots: of_rows, places, .. } = &tiles.kinds[0];
        // Whether each particle has a link of each colour.
        let linked = |slots: &Range<u32>| {
            let mut linked = vec![false; xw.len()];
            let ends = &ids[2 * slots.start as usize..2 * slots.end as usize];
            ends.iter().for_each(|&i| linked[i as usize] = true);
            linked
        };
        let linked: Vec<Vec<bool>> = colors.iter().map(linked).collect();
        let mut owners = vec![0; xw.len()];
        let mut homes = vec![0; ids.len() / 2];
        for tile in group.tiles.clone() {
            let (head, rows) =
                tiles.table[(tile * tiles.stride) as usize..].split_at(tiles.head as usize);
            let [owned, all] = [0, 1].map(|k| head[k] as usize);
            assert!(all <= links.room);
            let rows = &rows[..all];
            rows[..owned].iter().for_each(|&i| owners[i as usize] += 1);
            // Rows that are as they should be after each colour, going back: all that is owned, and
            // before a colour also what its constraints read.
            let mut right = vec![false; all];
            right[..owned].fill(true);
            for (color, slots) in colors.iter().enumerate().rev() {
                let mut touched = vec![false; all];
                for row in head[HEAD + color] as usize..head[HEAD + 1 + color] as usize {
                    let slot = (of_rows[row] & !HOME) as usize;
                    homes[slot] += usize::from(of_rows[row] & HOME != 0);
                    let word = tiles.table[*places as usize + row];
                    let ends = [word & 0xffff, word >> 16].map(|k| k as usize);
                    assert_eq!(ends.map(|k| rows[k]), [ids[2 * slot], ids[2 * slot + 1]]);
                    assert!(slots.contains(&(slot as u32)));
                    ends.iter().for_each(|&k| touched[k] = true);
                }
                for k in (0..all).filter(|&k| right[k]) {
                    assert_eq!(linked[color][rows[k] as usize], touched[k]);
                }
                (0..all).for_each(|k| right[k] |= touched[k]);
            }
        }
        assert!(owners.iter().all(|&count| count == 1));
        let of_group = colors[0].start..colors[colors.len() - 1].end;
        assert!(of_group.clone().all(|slot| homes[slot as usize] == 1));
    }

    #[test]
    fn small_bodies_are_tiles_of_their_own_and_nothing_is_solved_twice() {
        let (one, colors, x) = net(10);
        let (count, of_one) = (60, one.len() as u32 / 2);
        // Colour by colour, all nets.
        let mut ids = Vec::new();
        let mut all = Vec::new();
        for color in &colors {
            let start = ids.len() as u32 / 2;
            let own = &one[2 * color.start as usize..2 * color.end as usize];
            (0..count).for_each(|n| ids.extend(own.iter().map(|i| i + n * x.len() as u32)));
            all.push(start..ids.len() as u32 / 2);
        }
        let xw = x.repeat(count as usize);
        let links_of_all = of_pairs(&ids, &all, &xw);
        let tiles = Tiles::new(&links_of_all, Turns::Even).unwrap();
        assert!(tiles.is_closed && tiles.work == 1.0);
        assert_eq!(tiles.groups.len(), 1);
        assert_eq!(tiles.groups[0].tiles, 0..count, "100 particles each: two are more than a tile");
        assert_eq!(tiles.kinds[0].slots.len() as u32, count * of_one);
        check(&tiles, &tiles.groups[0], &all, &links_of_all);
    }

    #[test]
    fn few_constraints_and_few_colours_have_no_tiles() {
        let (ids, colors, xw) = net(20);
        let links = of_pairs(&ids, &colors, &xw);
        assert_eq!(Tiles::new(&links, Turns::Any), None);
        let (ids, colors, xw) = net(100);
        let two = &colors[..2];
        let links = of_pairs(&ids, two, &xw);
        assert_eq!(Tiles::new(&links, Turns::Any), None);
    }

    /// Squares apart, each of two triangles: the first of all squares, then the second of some.
    #[test]
    fn what_shares_particles_in_a_strand_has_one_lane() {
        let squares = 3000u32;
        let mut ids: Vec<u32> = (0..squares).flat_map(|n| [0, 1, 2].map(|k| 4 * n + k)).collect();
        let some = (0..squares).filter(|n| n % 3 > 0);
        ids.extend(some.flat_map(|n| [3, 2, 1].map(|k| 4 * n + k)));
        let (count, triangles) = (ids.len() as u32 / 3, 0..squares);
        let colors = [triangles.clone(), squares..count];
        let xw: Vec<Vec4> = (0..4 * squares).map(|i| Vec4::splat(i as f32)).collect();
        let kind = Kind { ids: &ids, arity: 3, colors: &colors };
        let links = Links::new(vec![kind], &xw, 1024);
        assert_eq!(
            links.colors.iter().map(|color| color.goes_on).collect::<Vec<_>>(),
            [false, true]
        );
        let tiler = Tiler::new(&links, 0..2);
        let lanes = tiler.in_lanes(0, &[triangles.collect(), (squares..count).collect()]);
        for (first, &second) in lanes[0].iter().zip(&lanes[1]) {
            let wanted = if first % 3 > 0 { squares + first - first / 3 - 1 } else { EMPTY };
            assert_eq!(second, wanted, "beside {first}");
        }
        // A chain of triangles has two of one colour in a part.
        let chain: Vec<u32> = (0..300).flat_map(|n| [n, n + 1, n + 2]).collect();
        let order: Vec<u32> = (0..3).flat_map(|c| (c..300).step_by(3)).collect();
        let ids: Vec<u32> =
            order.iter().flat_map(|&n| chain[3 * n as usize..][..3].to_vec()).collect();
        let colors = [0..100, 100..200, 200..300];
        let kind = Kind { ids: &ids, arity: 3, colors: &colors };
        let links = Links::new(vec![kind], &xw[..302], 1024);
        assert!(links.colors.iter().all(|color| !color.goes_on));
    }
}
