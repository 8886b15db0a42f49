//! Several colours in one dispatch: which particles and constraints a workgroup needs for that.
//!
//! A dispatch for each colour takes a few microseconds whatever its size, and moves every particle
//! through memory. A tile is a group of particles that lie together, with all that their places
//! depend on during a few colours. The order in which constraints are solved stays that of the
//! schedule, and so does every bit. Shader: `tiles.wgsl`.

use std::ops::Range;

use pliant::glam::{Vec3, Vec4};

/// Rows that a workgroup can hold: 16 KiB, which every WebGPU has.
const MOST_ROWS: usize = 1024;
/// Colours in a dispatch. Every colour adds what its constraints reach to a tile.
const COLORS: usize = 5;
/// Colours from which tiles are worth it.
const LEAST_COLORS: usize = 4;
/// Constraints from which tiles are worth it.
const LEAST_CONSTRAINTS: usize = 4096;
/// Particles that tiles are tried with, the most first.
const SIZES: [usize; 5] = [640, 448, 320, 192, 96];
/// Tiles that a GPU should have to work on at once, and particles of a tile that are worth it.
const ENOUGH_TILES: usize = 64;
const ENOUGH_PARTICLES: usize = 192;
/// Constraints that tiles may solve for each one that there is.
const MOST_WORK: f64 = 4.0;

/// Nothing.
const NONE: u32 = u32::MAX;
/// Of a slot in a tile: this tile writes its multiplier.
const HOME: u32 = 1 << 31;

/// The tiles of a set of constraints, for one group of colours after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tiles {
    /// Where every tile is, then the tiles.
    pub(crate) table: Vec<u32>,
    /// The tiles of each group of colours; an even number of groups.
    pub(crate) groups: Vec<Range<u32>>,
    /// Constraints that they solve for each one that there is.
    pub(crate) work: f64,
}

/// What tiles are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links<'a> {
    /// The particles of every constraint, `arity` each.
    pub(crate) ids: &'a [u32],
    pub(crate) arity: usize,
    /// The slots of each colour.
    pub(crate) colors: &'a [Range<u32>],
    /// Where the particles are, for those that lie together.
    pub(crate) xw: &'a [Vec4],
}

impl Tiles {
    /// The tiles of a set, or `None` if a dispatch for each colour does as well.
    pub(crate) fn new(links: Links<'_>) -> Option<Self> {
        let count = links.ids.len() / links.arity;
        if links.colors.len() < LEAST_COLORS || count < LEAST_CONSTRAINTS || count >= HOME as usize
        {
            return None;
        }
        // Even, so that rows end where they began.
        let groups = links.colors.len().div_ceil(COLORS).next_multiple_of(2);
        let per_group = links.colors.len().div_ceil(groups);
        let order = along_a_curve(links.xw);
        let mut table = Vec::new();
        let mut places = Vec::new();
        let mut ends = Vec::new();
        let mut work = 0;
        for g in 0..groups {
            let colors = (g * per_group).min(links.colors.len())
                ..((g + 1) * per_group).min(links.colors.len());
            work +=
                Tiler::new(links, &links.colors[colors]).cut(&order, &mut places, &mut table)?;
            ends.push(places.len() as u32);
        }
        let work = work as f64 / count as f64;
        if work > MOST_WORK {
            return None;
        }
        let first = places.len() as u32;
        let mut all: Vec<u32> = places.iter().map(|place| first + place).collect();
        all.append(&mut table);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let groups = starts.zip(&ends).map(|(start, &end)| start..end).collect();
        Some(Self { table: all, groups, work })
    }
}

/// The particles in an order in which neighbours are near each other (Morton 1966).
fn along_a_curve(xw: &[Vec4]) -> Vec<u32> {
    let x = |row: &Vec4| row.truncate();
    let low = xw.iter().map(x).reduce(Vec3::min).unwrap_or_default();
    let high = xw.iter().map(x).reduce(Vec3::max).unwrap_or_default();
    let scale = 65535.0 / (high - low).max_element().max(f32::MIN_POSITIVE);
    let code = |row: &Vec4| {
        let cell = ((x(row) - low) * scale).to_array().map(|c| spread(c as u64 & 0xffff));
        cell[0] | cell[1] << 1 | cell[2] << 2
    };
    let mut keys: Vec<(u64, u32)> = (0..).zip(xw).map(|(i, row)| (code(row), i)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, i)| i).collect()
}

/// 16 bits, each followed by two zeros.
fn spread(x: u64) -> u64 {
    (0..16).map(|bit| (x >> bit & 1) << (3 * bit)).sum()
}

/// Cuts a world into tiles for a group of colours.
struct Tiler<'a> {
    links: Links<'a>,
    /// For each colour, the slot of the constraint of each particle.
    slot_of: Vec<Vec<u32>>,
    /// The tile that last had each particle, and its place there.
    here: Vec<[u32; 2]>,
    /// The tile that last had each constraint of the group.
    taken: Vec<u32>,
    first_slot: u32,
    tile: u32,
}

/// One tile: its particles, of which the first are its own, and the slots of each colour.
struct Tile {
    rows: Vec<u32>,
    slots: Vec<Vec<u32>>,
}

impl<'a> Tiler<'a> {
    fn new(links: Links<'a>, colors: &[Range<u32>]) -> Self {
        let count = links.xw.len();
        let first_slot = colors.first().map_or(0, |slots| slots.start);
        let end = colors.last().map_or(0, |slots| slots.end);
        let slot_of = colors
            .iter()
            .map(|slots| {
                let mut slot_of = vec![NONE; count];
                for slot in slots.clone() {
                    for &id in links.particles(slot) {
                        slot_of[id as usize] = slot;
                    }
                }
                slot_of
            })
            .collect();
        Self {
            links,
            slot_of,
            here: vec![[NONE; 2]; count],
            taken: vec![NONE; (end - first_slot) as usize],
            first_slot,
            tile: 0,
        }
    }

    /// Cuts all particles, adds the tiles to the table, and says how many constraints they solve.
    /// `None` if even small tiles need too much.
    fn cut(&mut self, order: &[u32], places: &mut Vec<u32>, table: &mut Vec<u32>) -> Option<usize> {
        let mut work = 0;
        let wanted = (order.len() / ENOUGH_TILES).max(ENOUGH_PARTICLES);
        let (mut start, mut size) = (0, SIZES.iter().take_while(|&&size| size > wanted).count());
        while start < order.len() {
            let tile = loop {
                let owned = &order[start..order.len().min(start + SIZES[size])];
                match self.gather(owned) {
                    Some(tile) => break tile,
                    // The next ones will not fit either.
                    None => size += 1,
                }
                if size == SIZES.len() {
                    return None;
                }
            };
            let owned = SIZES[size].min(order.len() - start);
            places.push(table.len() as u32);
            work += self.write(&tile, owned, table);
            start += owned;
        }
        Some(work)
    }

    /// All that the particles of a tile depend on; `None` if that is too much.
    fn gather(&mut self, owned: &[u32]) -> Option<Tile> {
        self.tile += 1;
        let mut rows = Vec::with_capacity(MOST_ROWS);
        for &id in owned {
            self.here[id as usize] = [self.tile, rows.len() as u32];
            rows.push(id);
        }
        let mut slots = vec![Vec::new(); self.slot_of.len()];
        for color in (0..slots.len()).rev() {
            for k in 0..rows.len() {
                let slot = self.slot_of[color][rows[k] as usize];
                if slot == NONE || self.taken[(slot - self.first_slot) as usize] == self.tile {
                    continue;
                }
                self.taken[(slot - self.first_slot) as usize] = self.tile;
                slots[color].push(slot);
                for &id in self.links.particles(slot) {
                    if self.here[id as usize][0] != self.tile {
                        self.here[id as usize] = [self.tile, rows.len() as u32];
                        rows.push(id);
                    }
                }
            }
            if rows.len() > MOST_ROWS {
                return None;
            }
            slots[color].sort_unstable(); // as they lie in memory
        }
        Some(Tile { rows, slots })
    }

    /// Adds a tile that was just gathered to the table, and says how many constraints it solves.
    fn write(&self, tile: &Tile, owned: usize, table: &mut Vec<u32>) -> usize {
        table.extend([owned as u32, tile.rows.len() as u32, tile.slots.len() as u32]);
        table.extend(&tile.rows);
        for slots in &tile.slots {
            table.push(slots.len() as u32);
            for &slot in slots {
                let ids = self.links.particles(slot);
                let place = |id: &u32| self.here[*id as usize][1];
                let home = if (place(&ids[0]) as usize) < owned { HOME } else { 0 };
                table.push(slot | home);
                for pair in ids.chunks(2) {
                    table.push(place(&pair[0]) | pair.get(1).map_or(0, place) << 16);
                }
            }
        }
        tile.slots.iter().map(Vec::len).sum()
    }
}

impl<'a> Links<'a> {
    fn particles(&self, slot: u32) -> &'a [u32] {
        &self.ids[slot as usize * self.arity..][..self.arity]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let tiles = Tiles::new(Links { ids: &ids, arity: 2, colors: &colors, xw: &xw }).unwrap();
        assert_eq!(tiles.groups.len(), 2);
        // Whether each particle has a link of each colour.
        let linked: Vec<Vec<bool>> = colors
            .iter()
            .map(|slots| {
                let mut linked = vec![false; xw.len()];
                let ends = &ids[2 * slots.start as usize..2 * slots.end as usize];
                ends.iter().for_each(|&i| linked[i as usize] = true);
                linked
            })
            .collect();
        for (number, group) in tiles.groups.iter().enumerate() {
            let mut owners = vec![0; xw.len()];
            let mut homes = vec![0; ids.len() / 2];
            for tile in group.clone() {
                let place = tiles.table[tile as usize] as usize;
                let [owned, all, count] = [0, 1, 2].map(|k| tiles.table[place + k] as usize);
                assert!(all <= MOST_ROWS && count == 2);
                let rows = &tiles.table[place + 3..][..all];
                rows[..owned].iter().for_each(|&i| owners[i as usize] += 1);
                // Rows that are as they should be after each colour, going back: all that is owned,
                // and before a colour also what its constraints read.
                let mut list = place + 3 + all;
                let mut solved = Vec::new();
                for _ in 0..count {
                    let links = tiles.table[list] as usize;
                    solved.push(&tiles.table[list + 1..][..2 * links]);
                    list += 1 + 2 * links;
                }
                let mut right = vec![false; all];
                right[..owned].fill(true);
                for (color, links) in solved.iter().enumerate().rev() {
                    let mut touched = vec![false; all];
                    for link in links.chunks_exact(2) {
                        let slot = (link[0] & !HOME) as usize;
                        homes[slot] += usize::from(link[0] & HOME != 0);
                        let ends = [link[1] & 0xffff, link[1] >> 16].map(|k| k as usize);
                        assert_eq!(ends.map(|k| rows[k]), [ids[2 * slot], ids[2 * slot + 1]]);
                        assert!(colors[2 * number + color].contains(&(slot as u32)));
                        ends.iter().for_each(|&k| touched[k] = true);
                    }
                    for k in (0..all).filter(|&k| right[k]) {
                        assert_eq!(linked[2 * number + color][rows[k] as usize], touched[k]);
                    }
                    (0..all).for_each(|k| right[k] |= touched[k]);
                }
            }
            assert!(owners.iter().all(|&count| count == 1));
            let of_group = colors[2 * number].start..colors[2 * number + 1].end;
            assert!(of_group.clone().all(|slot| homes[slot as usize] == 1));
        }
    }

    #[test]
    fn few_constraints_and_few_colours_have_no_tiles() {
        let (ids, colors, xw) = net(20);
        assert_eq!(Tiles::new(Links { ids: &ids, arity: 2, colors: &colors, xw: &xw }), None);
        let (ids, colors, xw) = net(100);
        let two = &colors[..2];
        assert_eq!(Tiles::new(Links { ids: &ids, arity: 2, colors: two, xw: &xw }), None);
    }
}
