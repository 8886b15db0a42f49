//! Graph colouring: constraints become groups in which no two share a particle.
//!
//! That property is what makes parallel Gauss-Seidel both sound and deterministic. One more
//! algorithm is one file here and one line in [`ALL`]; each colours any [`Graph`], the constraints
//! of one kind or of all together ([`Links`]), and blocks of them ([`Blocks`]). What has a colour
//! already keeps it, so that an edit changes no more than it must.
//!
//! ```
//! use pliant::coloring::{Graph, find};
//!
//! let square = Graph::new(4, &[[0, 1], [1, 2], [2, 3], [3, 0]]);
//! let colors = find("dsatur").unwrap().color(&square);
//! assert!(colors[0] != colors[1] && colors[0] == colors[2] && colors[1] == colors[3]);
//! ```

use std::fmt;
use std::ops::Range;

use crate::constraint::set::Set;

pub mod balanced;
pub mod blocks;
pub mod clustered;
pub mod dsatur;
pub mod first_fit;
pub mod graph;
mod order;
pub mod tiled;
pub mod vivace;

pub use blocks::Blocks;
pub use graph::{Graph, Links, UNCOLORED};

/// Every algorithm, the fastest first.
pub const ALL: &[&Algorithm] = &[
    first_fit::ALGORITHM,
    tiled::ALGORITHM,
    clustered::ALGORITHM,
    balanced::ALGORITHM,
    dsatur::ALGORITHM,
    vivace::ALGORITHM,
];

/// The algorithm of that name.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    ALL.iter().copied().find(|algorithm| algorithm.name == name)
}

/// A way to give every vertex a colour that no neighbour has.
///
/// Both functions complete a colouring: what is not [`UNCOLORED`] keeps its colour.
pub struct Algorithm {
    /// The name, as in `--set coloring=dsatur`.
    pub name: &'static str,
    /// One sentence: what it does, and what it is good for.
    pub shows: &'static str,
    of_graph: fn(&Graph, &mut [u32]),
    of_links: fn(&Links<'_>, &mut [u32]),
}

impl Algorithm {
    /// A colour for each vertex.
    pub fn color(&self, graph: &Graph) -> Vec<u32> {
        let mut colors = vec![UNCOLORED; graph.len()];
        self.complete(graph, &mut colors);
        colors
    }

    /// A colour for each vertex that has none.
    ///
    /// # Panics
    /// If there is not one entry per vertex.
    pub fn complete(&self, graph: &Graph, colors: &mut [u32]) {
        assert_eq!(colors.len(), graph.len(), "one entry per vertex");
        (self.of_graph)(graph, colors);
    }

    /// A colour for each constraint.
    pub fn color_links(&self, links: &Links<'_>) -> Vec<u32> {
        let mut colors = vec![UNCOLORED; links.len()];
        self.complete_links(links, &mut colors);
        colors
    }

    /// A colour for each constraint that has none.
    ///
    /// # Panics
    /// If there is not one entry per constraint.
    pub fn complete_links(&self, links: &Links<'_>, colors: &mut [u32]) {
        assert_eq!(colors.len(), links.len(), "one entry per constraint");
        (self.of_links)(links, colors);
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({})", self.name)
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Algorithms by name, for text formats.
#[cfg(feature = "serde")]
pub(crate) mod by_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::settings::SettingError;

    pub(crate) fn serialize<S: Serializer>(
        algorithm: &&'static super::Algorithm,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(algorithm.name)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static super::Algorithm, D::Error> {
        let found = String::deserialize(deserializer)?;
        super::find(&found)
            .ok_or_else(|| D::Error::custom(SettingError::Malformed { name: "coloring", found }))
    }
}

/// The constraints of several kinds in colours that hold for all of them: no two of a colour share
/// a particle, of whatever kinds they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joint {
    /// Where each colour starts, and the end of the last.
    starts: Vec<u32>,
    members: Vec<Member>,
}

/// A constraint of a [`Joint`] colouring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its set, as an index into [`crate::World::constraints`].
    pub set: u32,
    /// Its slot there.
    pub slot: u32,
}

impl Joint {
    /// Colours the constraints of all sets together, also those that take no part at present.
    /// Within a colour they go set by set; slots are those of now, until the next edit.
    ///
    /// # Panics
    /// If a constraint names a particle that is not below `particle_count`.
    pub fn new(sets: &[Set], particle_count: usize, algorithm: &Algorithm) -> Self {
        let colors = algorithm.color_links(&Links::joint(sets, particle_count));
        let members = sets.iter().enumerate().flat_map(|(set, constraints)| {
            (0..constraints.len() as u32).map(move |slot| Member { set: set as u32, slot })
        });
        let mut members: Vec<(u32, Member)> = colors.into_iter().zip(members).collect();
        members.sort_by_key(|&(color, _)| color); // stable: set by set within a colour
        let starts = starts(members.iter().map(|&(color, _)| color));
        Self { starts, members: members.into_iter().map(|(_, member)| member).collect() }
    }

    /// The constraints of each colour.
    pub fn colors(&self) -> impl Iterator<Item = &[Member]> {
        self.starts.windows(2).map(|pair| &self.members[pair[0] as usize..pair[1] as usize])
    }
}

/// Which particles each constraint joins, sorted by colour; at the end those that take no part.
///
/// The particles can be read but not written, and the colours are checked when they are made:
/// other code may rely on it that no two constraints of a colour share a particle.
#[derive(Clone, Debug)]
pub(crate) struct Colored {
    arity: usize,
    ids: Vec<u32>,
    /// Twice every entry of `ids` that has a colour. Processors reach words of 8 bytes by their
    /// index, and the row of a particle is two of them; a row by its own index takes a shift more.
    doubled: Vec<u32>,
    /// Where each colour starts, and the end of the last. What lies beyond has no colour.
    starts: Vec<u32>,
    /// How many of those without colour are to stay so; the others were added since.
    idle: usize,
    /// What gave the colours.
    by: &'static Algorithm,
    /// One more than the largest of `ids`.
    bound: usize,
}

impl Colored {
    /// No constraints yet, of `arity` particles each.
    pub(crate) fn new(arity: usize) -> Self {
        let by = first_fit::ALGORITHM;
        Self {
            arity,
            ids: Vec::new(),
            doubled: Vec::new(),
            starts: Vec::new(),
            idle: 0,
            by,
            bound: 0,
        }
    }

    /// Takes particles that are sorted already, if no colour holds a particle twice.
    pub(crate) fn from_sorted(
        arity: usize,
        ids: Vec<u32>,
        starts: Vec<u32>,
        by: &'static Algorithm,
        particle_count: usize,
    ) -> Option<Self> {
        let bound = bound(&ids);
        let whole = particle_count <= MOST_PARTICLES
            && starts.first().is_none_or(|&first| first == 0)
            && starts.is_sorted()
            && starts.last().is_none_or(|&last| last as usize * arity <= ids.len())
            && bound <= particle_count;
        (whole && conflict(&ids, arity, &starts, particle_count).is_none()).then(|| Self {
            bound,
            arity,
            doubled: ids.iter().map(|id| 2 * id).collect(),
            ids,
            starts,
            idle: 0,
            by,
        })
    }

    /// One more than the largest particle.
    pub(crate) fn bound(&self) -> usize {
        self.bound
    }

    /// The particles of every constraint, which has `N`.
    #[inline(always)]
    pub(crate) fn particles_of<const N: usize>(&self) -> &[[u32; N]] {
        assert!(self.arity == N, "constraints of {} particles, not {N}", self.arity);
        self.ids.as_chunks().0
    }

    /// Twice the particles of every constraint that has a colour; it has `N`.
    #[inline(always)]
    pub(crate) fn doubled_of<const N: usize>(&self) -> &[[u32; N]] {
        assert!(self.arity == N, "constraints of {} particles, not {N}", self.arity);
        self.doubled.as_chunks().0
    }

    pub(crate) fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// What gave the colours.
    pub(crate) fn by(&self) -> &'static Algorithm {
        self.by
    }

    /// How many constraints there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len() / self.arity
    }

    /// How many constraints have a colour; theirs are the first slots.
    pub(crate) fn active(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// The particles of the constraint in `slot`.
    pub(crate) fn particles(&self, slot: usize) -> &[u32] {
        &self.ids[slot * self.arity..][..self.arity]
    }

    /// The slots of each colour.
    pub(crate) fn colors(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize)
    }

    /// Two constraints of one colour that share a particle, as colour and particle: never.
    pub(crate) fn conflict(&self, particle_count: usize) -> Option<(usize, u32)> {
        conflict(&self.ids, self.arity, &self.starts, particle_count)
    }

    /// Whether all that need a colour have one.
    pub(crate) fn is_sorted(&self) -> bool {
        self.active() + self.idle == self.len()
    }

    /// Adds a constraint in the last slot, without colour.
    pub(crate) fn push(&mut self, particles: impl Iterator<Item = u32>) {
        let first = self.ids.len();
        self.ids.extend(particles);
        self.bound = self.bound.max(bound(&self.ids[first..]));
    }

    /// Gives colours to the constraints that have none, visited as `slots` lists them, and puts
    /// those that are `idle` behind all others. Colours of another algorithm are given anew.
    ///
    /// What has a colour keeps it, and its slot too unless a colour before it grew or shrank. Says where
    /// everything came from.
    pub(crate) fn complete(
        &mut self,
        slots: &[u32],
        particle_count: usize,
        by: &'static Algorithm,
        idle: impl Fn(usize) -> bool,
    ) -> Moves {
        let settled = if self.by == by { self.active() } else { 0 };
        let mut colors = self.color_of_slots();
        colors[settled..].fill(UNCOLORED);
        // What has a colour goes first, as it lies in memory; its order does not matter.
        let new = slots.iter().copied().filter(|&slot| slot as usize >= settled);
        let all = (0..settled as u32).chain(new);
        let visited: Vec<u32> = all.filter(|&slot| !idle(slot as usize)).collect();
        if visited.len() == self.len() && visited.is_sorted() {
            let links = Links::new(&self.ids, self.arity, particle_count);
            by.complete_links(&links, &mut colors);
        } else {
            let row = |&slot: &u32| self.particles(slot as usize).iter().copied();
            let ids: Vec<u32> = visited.iter().flat_map(row).collect();
            let mut given: Vec<u32> = visited.iter().map(|&slot| colors[slot as usize]).collect();
            by.complete_links(&Links::new(&ids, self.arity, particle_count), &mut given);
            colors.fill(UNCOLORED);
            visited.iter().zip(given).for_each(|(&slot, color)| colors[slot as usize] = color);
        }
        self.by = by;
        self.arrange(&colors, slots, settled, particle_count)
    }

    /// Gives constraints other particles, or takes them out, by slot; then renames all particles,
    /// unless `new_id` is `None`, and drops the constraints of which one is gone. Those that stay keep
    /// their colours. Says what moved.
    ///
    /// # Panics
    /// If two constraints of a colour would share a particle.
    pub(crate) fn edit(&mut self, changes: &[Change<'_>], new_id: Option<&[Option<u32>]>) -> Moves {
        let mut gone: Vec<u32> = Vec::new();
        if new_id.is_none() {
            self.check_changes(changes);
        }
        for &(slot, particles) in changes {
            match particles {
                None => gone.push(slot),
                Some(row) => {
                    self.ids[slot as usize * self.arity..][..self.arity].copy_from_slice(row);
                }
            }
        }
        gone.sort_unstable();
        if let Some(new_id) = new_id {
            gone.extend(self.rename(new_id));
            gone.sort_unstable();
            gone.dedup();
        }
        let moves = self.drop(&gone);
        if new_id.is_none() && gone.is_empty() {
            for &(slot, row) in changes {
                let row = row.unwrap_or(&[]);
                self.bound = self.bound.max(bound(row));
                let doubled = self.doubled.iter_mut().skip(slot as usize * self.arity);
                doubled.zip(row).for_each(|(doubled, id)| *doubled = 2 * id);
            }
        } else {
            self.bound = bound(&self.ids);
            self.doubled.clear();
            self.doubled.extend(self.ids[..self.active() * self.arity].iter().map(|id| 2 * id));
        }
        let clash = if new_id.is_some() { self.conflict(self.bound) } else { None };
        assert!(clash.is_none(), "twice in a colour (colour, particle): {clash:?}");
        moves
    }

    /// Where particles keep their names, a constraint can get none but its own, in their places, and
    /// such as no other had; those, in each colour, once.
    fn check_changes(&self, changes: &[Change<'_>]) {
        let mut new: Vec<[u32; 2]> = Vec::new();
        for &(slot, particles) in
            changes.iter().filter(|(slot, _)| (*slot as usize) < self.active())
        {
            let color = self.starts.partition_point(|&start| start <= slot) as u32;
            let pairs = particles.into_iter().flatten().zip(self.particles(slot as usize));
            for (&id, _) in pairs.filter(|(id, old)| id != old) {
                assert!(id as usize >= self.bound, "particle {id} in colour {color}");
                new.push([color, id]);
            }
        }
        new.sort_unstable();
        let twice = new.windows(2).find(|pair| pair[0] == pair[1]);
        assert!(twice.is_none(), "twice in a colour (colour, particle): {twice:?}");
    }

    /// Renames all particles; returns the slots of constraints of which one is gone.
    fn rename(&mut self, new_id: &[Option<u32>]) -> Vec<u32> {
        let mut gone = Vec::new();
        for (slot, row) in (0..).zip(self.ids.chunks_exact_mut(self.arity)) {
            for id in row {
                match new_id[*id as usize] {
                    Some(new) => *id = new,
                    None => gone.push(slot),
                }
            }
        }
        gone
    }

    /// Takes out the constraints in some slots, which are in order. Of each colour, those at its end
    /// fill the gaps; those without colour close up.
    fn drop(&mut self, gone: &[u32]) -> Moves {
        if gone.is_empty() {
            return Moves { runs: Vec::new(), count: self.len() };
        }
        let (mut moved, mut starts, mut end) = (Vec::new(), vec![0], 0);
        for old in self.colors() {
            let old = old.start as u32..old.end as u32;
            let first = gone.partition_point(|&slot| slot < old.start);
            let lost = &gone[first..gone.partition_point(|&slot| slot < old.end)];
            let now = end..end + old.len() as u32 - lost.len() as u32;
            let stays = |slot: &u32| lost.binary_search(slot).is_err();
            let displaced = (now.end.max(old.start)..old.end).filter(stays);
            let gaps = (now.start..now.end.min(old.start))
                .chain(lost.iter().copied().filter(|&slot| slot < now.end));
            moved.extend(displaced.zip(gaps));
            end = now.end;
            if !now.is_empty() {
                starts.push(end);
            }
        }
        let active = self.active() as u32;
        let first = gone.partition_point(|&slot| slot < active);
        let idle = gone[first..].partition_point(|&slot| slot < active + self.idle as u32);
        let free = (active..self.len() as u32).filter(|slot| gone.binary_search(slot).is_err());
        moved.extend(free.zip(end..).filter(|(from, to)| from != to));
        self.starts = starts;
        self.idle -= idle;
        let moves = Moves::new(moved.into_iter(), self.len() - gone.len());
        moves.make(&mut self.ids, self.arity);
        moves
    }

    fn color_of_slots(&self) -> Vec<u32> {
        let mut colors = vec![UNCOLORED; self.len()];
        for (color, range) in self.colors().enumerate() {
            colors[range].fill(color as u32);
        }
        colors
    }

    /// Sorts by colour. Of the first `settled` slots, which are sorted, those stay that lie among their
    /// colour; the others fill the gaps, and then the rest, in the order of `slots`. Whoever has no
    /// colour counts as idle from now on.
    fn arrange(
        &mut self,
        colors: &[u32],
        slots: &[u32],
        settled: usize,
        particle_count: usize,
    ) -> Moves {
        let Groups { mut begins, place, colored } = Groups::of(colors);
        let mut from = vec![UNCOLORED; begins[begins.len() - 1] as usize];
        let mut displaced = Vec::new();
        for (color, old) in self.colors().enumerate().filter(|_| settled > 0) {
            let group = place.get(color).map_or(0, |&place| place as usize);
            let now = begins[group] as usize..begins[group + 1] as usize;
            for slot in old.filter(|&slot| colors[slot] == color as u32) {
                if now.contains(&slot) {
                    from[slot] = slot as u32;
                } else {
                    displaced.push((group, slot as u32));
                }
            }
        }
        let mut next = begins.clone();
        let mut put = |group: usize, slot: u32| {
            while from[next[group] as usize] != UNCOLORED {
                next[group] += 1;
            }
            from[next[group] as usize] = slot;
        };
        displaced.into_iter().for_each(|(group, slot)| put(group, slot));
        // Those without colour go in order, so that forces add up the same after a restore.
        let loses = colors[..settled].contains(&UNCOLORED);
        for &slot in slots.iter().filter(|&&slot| loses || slot as usize >= settled) {
            match colors[slot as usize] {
                UNCOLORED => put(colored, slot),
                color if slot as usize >= settled => put(place[color as usize] as usize, slot),
                _ => {}
            }
        }
        let moved = from.iter().copied().zip(0..).filter(|(from, to)| from != to);
        let moves = Moves::new(moved, from.len());
        moves.make(&mut self.ids, self.arity);
        begins.truncate(colored + 1); // the end of the last colour is where those without begin
        let ids = std::mem::take(&mut self.ids);
        let sorted = Self::from_sorted(self.arity, ids, begins, self.by, particle_count);
        *self = sorted.expect("a colouring gives no two constraints of a particle the same colour");
        self.idle = self.len() - self.active();
        moves
    }
}

/// What becomes of the constraint in a slot: its particles, or `None` if it goes.
pub(crate) type Change<'a> = (u32, Option<&'a [u32]>);

/// Rows that get another place; all others stay where they are, or go.
#[derive(Debug)]
pub(crate) struct Moves {
    /// Rows that stay neighbours: the first's old and new place, and how many there are.
    runs: Vec<[u32; 3]>,
    /// How many rows there are then.
    count: usize,
}

impl Moves {
    /// Given the old and the new place of each row that moves, and how many rows there are then.
    fn new(moved: impl Iterator<Item = (u32, u32)>, count: usize) -> Self {
        let mut runs: Vec<[u32; 3]> = Vec::new();
        for (from, to) in moved {
            match runs.last_mut() {
                Some([first, place, len]) if (*first + *len, *place + *len) == (from, to) => {
                    *len += 1;
                }
                _ => runs.push([from, to, 1]),
            }
        }
        Self { runs, count }
    }

    /// Moves rows of `arity` values.
    pub(crate) fn make<T: Copy>(&self, rows: &mut Vec<T>, arity: usize) {
        let range = |first: u32, len: u32| first as usize * arity..(first + len) as usize * arity;
        let all: usize = self.runs.iter().map(|[.., len]| *len as usize).sum();
        let mut taken = Vec::with_capacity(arity * all);
        for &[from, _, len] in &self.runs {
            taken.extend_from_slice(&rows[range(from, len)]);
        }
        rows.truncate(arity * self.count);
        let mut rest = taken.as_slice();
        for &[_, to, len] in &self.runs {
            let (run, after) = rest.split_at(arity * len as usize);
            rows[range(to, len)].copy_from_slice(run);
            rest = after;
        }
    }

    /// The new place of each of `before` rows; `None` if all keep theirs.
    pub(crate) fn places(&self, before: usize) -> Option<Vec<Option<u32>>> {
        if self.runs.is_empty() && self.count == before {
            return None;
        }
        let mut places: Vec<Option<u32>> = (0..self.count as u32).map(Some).collect();
        places.resize(before, None);
        let range = |first: u32, len: u32| first as usize..(first + len) as usize;
        // Whoever is in the way and does not move goes.
        self.runs.iter().for_each(|&[_, to, len]| places[range(to, len)].fill(None));
        for &[from, to, len] in &self.runs {
            let new = places[range(from, len)].iter_mut().zip(to..);
            new.for_each(|(place, to)| *place = Some(to));
        }
        Some(places)
    }
}

/// Twice an index still fits a `u32`.
const MOST_PARTICLES: usize = 1 << 31;

/// One more than the largest of `ids`.
fn bound(ids: &[u32]) -> usize {
    // Without an option, several are compared at once.
    if ids.is_empty() { 0 } else { ids.iter().fold(0, |most, &id| most.max(id)) as usize + 1 }
}

/// The colours that constraints have, in order, and those without colour behind them.
struct Groups {
    /// Where each starts, and the end of the last.
    begins: Vec<u32>,
    /// The place of each colour among those that there are.
    place: Vec<u32>,
    /// How many colours there are.
    colored: usize,
}

impl Groups {
    fn of(colors: &[u32]) -> Self {
        let largest = colors.iter().filter(|&&color| color != UNCOLORED).max();
        let mut count = vec![0; largest.map_or(0, |&color| color as usize + 1)];
        let mut free = 0;
        for &color in colors {
            *count.get_mut(color as usize).unwrap_or(&mut free) += 1;
        }
        let (mut begins, mut place, mut end) = (vec![0], Vec::with_capacity(count.len()), 0);
        for count in count {
            place.push(begins.len() as u32 - 1);
            if count > 0 {
                end += count;
                begins.push(end);
            }
        }
        let colored = begins.len() - 1;
        begins.push(end + free);
        Self { begins, place, colored }
    }
}

/// Where each colour starts in a sorted list of colours, and the end of the last.
fn starts(sorted: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = Vec::new();
    let (mut last, mut len) = (None, 0);
    for color in sorted {
        if last != Some(color) {
            starts.push(len);
            last = Some(color);
        }
        len += 1;
    }
    starts.push(len);
    starts
}

/// Two constraints of one colour that share a particle: the colour and the particle.
///
/// `starts` holds slots as in [`starts`]; `ids` holds `n` particles per slot.
fn conflict(ids: &[u32], n: usize, starts: &[u32], particle_count: usize) -> Option<(usize, u32)> {
    let mut seen = vec![0u32; particle_count]; // one more than the last colour
    for (color, range) in (1..).zip(starts.windows(2)) {
        for &id in &ids[range[0] as usize * n..range[1] as usize * n] {
            if std::mem::replace(&mut seen[id as usize], color) == color {
                return Some((color as usize - 1, id));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
