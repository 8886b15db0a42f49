//! Changes of topology: collected, checked, and made at once, between steps.
//!
//! An [`Edit`] lists what is to change: particles that split, constraints that go, move or come,
//! surfaces, bodies that fall apart. [`World::apply`] checks all of it, then does it, and says what
//! every particle and constraint is called afterwards. Handles of bodies, pins, forces, skins,
//! regions and colours stay right; only what is new gets a new colour. Whatever changes topology goes
//! through here, so [`World::check`] has one place to look after.

use std::collections::{BTreeMap, BTreeSet};

use crate::body::{Body, BodyId, check_particles};
use crate::constraint::set::SetEdit;
use crate::contact;
use crate::error::WorldError;
use crate::particles::Held;
use crate::region::{self, Region};
use crate::skin::Skin;
use crate::step::sleep;
use crate::world::World;

pub mod check;

pub use check::Broken;

/// Changes of one world that belong together.
///
/// Particles are named as they are called before the edit; those that it makes come after the last.
///
/// ```
/// use pliant::{World, shapes::Rope};
///
/// let mut world = World::default();
/// world.add(&Rope { segments: 4, ..Rope::default() }.blueprint()?)?;
/// let mut edit = world.edit();
/// edit.split(2, &[0.5, 0.5])?; // two particles of half the mass
/// edit.take("distance", 1)?; // the link from 1 to 2 goes
/// let changes = world.apply(&edit)?;
/// assert_eq!((world.particles.len(), changes.particles[5]), (6, Some(5)));
/// # Ok::<(), pliant::WorldError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// Particles when the edit began.
    count: usize,
    /// The particle that each new one is made from.
    sources: Vec<u32>,
    /// Shares of mass, of those that change it.
    shares: BTreeMap<u32, f64>,
    /// Particles that material does not reach.
    hollow: BTreeSet<u32>,
    gone: BTreeSet<u32>,
    /// What each particle that is welded to another becomes.
    merged: BTreeMap<u32, u32>,
    /// By the name of their kind.
    sets: Vec<(String, SetEdit)>,
    /// What comes instead of a region: of which set, which one, and what.
    regions: BTreeMap<(&'static str, u32), Vec<Region>>,
    bodies: BTreeMap<BodyId, BodyEdit>,
}

/// Changes of one body.
#[derive(Clone, Debug, Default)]
struct BodyEdit {
    triangles: Option<Vec<[u32; 3]>>,
    /// The skin, its particles named as in the edit.
    skin: Option<Skin>,
    /// The particles of every piece but the first.
    pieces: Vec<Vec<u32>>,
    removed: bool,
    /// The body that it becomes part of, if it does.
    into: Option<BodyId>,
}

/// What an edit has changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// The present index of every particle that there was, then of every one that the edit made;
    /// `None` for those that are gone.
    pub particles: Vec<Option<u32>>,
    /// The present number of every constraint that there was, kind by kind, in the order of
    /// [`World::constraints`]. Kinds that kept all theirs are left out.
    pub constraints: Vec<(&'static str, Vec<Option<u32>>)>,
    /// Bodies that came into being, in the order of their pieces.
    pub bodies: Vec<BodyId>,
}

impl Edit {
    /// Splits a particle into as many as there are shares, which need not sum to 1; the first keeps
    /// its name. Mass is divided; place, velocity and pin are the same. Returns their names.
    ///
    /// # Errors
    /// If the particle is not there, is itself new, or was split already, or a share is not positive.
    pub fn split(&mut self, particle: u32, shares: &[f64]) -> Result<Vec<u32>, WorldError> {
        check_particles("split", &[particle], self.count)?;
        let bad = shares.iter().find(|share| !(**share > 0.0 && share.is_finite()));
        if let Some(&value) = bad {
            let (what, value) = ("share of a mass", value as f32);
            return Err(WorldError::BadNumber { what, value, needs: "positive and finite" });
        }
        if shares.is_empty() || self.shares.contains_key(&particle) {
            return Err(WorldError::RepeatedParticle { kind: "split", particle });
        }
        let whole: f64 = shares.iter().sum();
        let mut names = vec![particle];
        names.extend(shares[1..].iter().map(|_| {
            self.sources.push(particle);
            (self.count + self.sources.len() - 1) as u32
        }));
        let shares = names.iter().zip(shares).map(|(&name, share)| (name, share / whole));
        self.shares.extend(shares);
        Ok(names)
    }

    /// Says that no material reaches a particle, which only holds the corner of an element: it is not
    /// pinned, and other bodies do not touch it.
    pub fn hollow_out(&mut self, particle: u32) {
        self.hollow.insert(particle);
    }

    /// Makes a particle one with another, which keeps its name and gets the mass and momentum of both.
    /// Constraints of the one that goes must be moved or taken.
    pub(crate) fn merge(&mut self, kept: u32, gone: u32) {
        self.merged.insert(gone, kept);
    }

    /// Makes a body part of another, with all its particles.
    pub(crate) fn unite(&mut self, kept: BodyId, gone: BodyId) {
        let edit = self.bodies.entry(gone).or_default();
        (edit.removed, edit.into) = (true, Some(kept));
        edit.triangles = Some(Vec::new());
    }

    /// Takes a particle out, and every constraint, triangle and region that has it.
    pub fn remove(&mut self, particle: u32) {
        self.gone.insert(particle);
    }

    /// Takes out constraint `number` of a kind.
    ///
    /// # Errors
    /// If the edit has changed it already.
    pub fn take(&mut self, kind: &str, number: u32) -> Result<(), WorldError> {
        let is_first = self.of_kind(kind).take(number);
        if is_first { Ok(()) } else { Err(edited_twice(kind, number)) }
    }

    /// Gives constraint `number` of a kind other particles, and `share` of its stiffness and damping.
    /// The particles must be the old ones or split from them.
    ///
    /// # Errors
    /// If the edit has changed it already, or the share is not positive.
    pub fn move_to(
        &mut self,
        kind: &str,
        number: u32,
        particles: &[u32],
        share: f64,
    ) -> Result<(), WorldError> {
        check_share(share)?;
        let is_first = self.of_kind(kind).move_to(number, particles, share);
        if is_first { Ok(()) } else { Err(edited_twice(kind, number)) }
    }

    /// Adds a constraint like `number`, on other particles, with `share` of its stiffness.
    ///
    /// # Errors
    /// If the share is not positive.
    pub fn add_like(
        &mut self,
        kind: &str,
        number: u32,
        particles: &[u32],
        share: f64,
    ) -> Result<(), WorldError> {
        check_share(share)?;
        self.of_kind(kind).add(number, particles, share);
        Ok(())
    }

    /// Puts other regions of the same kind in the place of one. Members and parts must be particles
    /// of the old one or split from them.
    pub(crate) fn replace_region(&mut self, set: &region::Set, number: u32, by: Vec<Region>) {
        self.regions.insert((set.kind().name, number), by);
    }

    /// Gives a body other triangles, and another skin; particles are named as in the edit.
    pub(crate) fn set_surface(
        &mut self,
        body: BodyId,
        triangles: Vec<[u32; 3]>,
        skin: Option<Skin>,
    ) {
        let edit = self.bodies.entry(body).or_default();
        (edit.triangles, edit.skin) = (Some(triangles), skin);
    }

    /// Gives a body other triangles, and leaves its skin.
    pub(crate) fn set_triangles(&mut self, body: BodyId, triangles: Vec<[u32; 3]>) {
        self.bodies.entry(body).or_default().triangles = Some(triangles);
    }

    /// Takes the new skin of a body out of the edit, to be changed and put back.
    pub(crate) fn take_skin(&mut self, body: BodyId) -> Option<Skin> {
        self.bodies.get_mut(&body).and_then(|edit| edit.skin.take())
    }

    pub(crate) fn put_skin(&mut self, body: BodyId, skin: Skin) {
        self.bodies.entry(body).or_default().skin = Some(skin);
    }

    /// Makes bodies of their own of these lists of a body's particles; the rest stays the body.
    pub(crate) fn divide(&mut self, body: BodyId, pieces: Vec<Vec<u32>>) {
        self.bodies.entry(body).or_default().pieces = pieces;
    }

    /// Takes a body out, with all its particles.
    pub(crate) fn remove_body(&mut self, id: BodyId, body: &Body) {
        self.bodies.entry(id).or_default().removed = true;
        self.gone.extend(body.particles.clone());
    }

    /// What becomes of the constraints of a kind.
    pub(crate) fn of(&self, kind: &str) -> &SetEdit {
        let edit = self.sets.iter().find(|(name, _)| name == kind);
        edit.map_or(SetEdit::NOTHING, |(_, edit)| edit)
    }

    /// The new triangles of a body, if it gets any.
    pub(crate) fn triangles(&self, body: BodyId) -> Option<&[[u32; 3]]> {
        self.bodies.get(&body).and_then(|edit| edit.triangles.as_deref())
    }

    /// The particles that this edit splits off, with those that they are split from.
    pub(crate) fn split_off(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (self.count as u32..).zip(self.sources.iter().copied())
    }

    /// How many particles there are for the edit: those of the world, and its own.
    pub(crate) fn names(&self) -> usize {
        self.count + self.sources.len()
    }

    /// The particle that one was split from; itself if it was not.
    pub(crate) fn source(&self, particle: u32) -> u32 {
        match (particle as usize).checked_sub(self.count) {
            Some(new) => self.sources[new],
            None => particle,
        }
    }

    /// Whether particle `i` is split by this edit.
    pub(crate) fn splits(&self, i: u32) -> bool {
        self.shares.contains_key(&i)
    }

    fn of_kind(&mut self, kind: &str) -> &mut SetEdit {
        let place = self.sets.iter().position(|(name, _)| name == kind);
        let place = place.unwrap_or_else(|| {
            self.sets.push((kind.into(), SetEdit::default()));
            self.sets.len() - 1
        });
        &mut self.sets[place].1
    }

    /// Refuses what [`World::apply`] could not do.
    fn check(&self, world: &World) -> Result<(), WorldError> {
        let count = world.particles.len();
        if self.count != count {
            let (kind, what) = ("edit", "particles of its world");
            return Err(WorldError::WrongCount { kind, what, expected: count, found: self.count });
        }
        let all = self.names();
        u32::try_from(all).map_err(|_| WorldError::TooManyParticles)?;
        let named: Vec<u32> = self.gone.iter().chain(&self.hollow).copied().collect();
        check_particles("edit", &named, all)?;
        for (name, edit) in &self.sets {
            let set = world.sets.iter().find(|set| set.kind().name == name);
            let set = set.ok_or_else(|| WorldError::NoSuchKind { name: name.clone() })?;
            set.check_edit(edit, |new, old| self.comes_from(new, old))?;
        }
        for (&id, edit) in &self.bodies {
            world.body(id)?;
            check_particles(
                "triangle",
                edit.triangles.as_deref().unwrap_or(&[]).as_flattened(),
                all,
            )?;
            edit.skin.as_ref().map_or(Ok(()), |skin| skin.check(all))?;
            edit.pieces.iter().try_for_each(|piece| check_particles("piece", piece, all))?;
        }
        Ok(())
    }

    /// Whether a particle has no place of its own afterwards.
    fn leaves(&self, particle: &u32) -> bool {
        self.gone.contains(particle) || self.merged.contains_key(particle)
    }

    /// A region of which particles become one: each is a member once, and no part has one twice.
    fn welded(&self, mut region: Region) -> Region {
        if self.merged.is_empty() {
            return region;
        }
        let name = |i: &u32| self.merged.get(i).copied().unwrap_or(*i);
        let mut seen = BTreeSet::new();
        region.members.retain(|i| seen.insert(name(i)));
        let of_name: BTreeMap<u32, u32> = region.members.iter().map(|i| (name(i), *i)).collect();
        let used = region.kind.corners;
        let corners = |part: &[u32; 3]| part.map(|i| of_name.get(&name(&i)).copied().unwrap_or(i));
        let parts: Vec<[u32; 3]> = region.parts.iter().map(corners).collect();
        let whole = |part: &[u32; 3]| (1..used).all(|k| !part[..k].contains(&part[k]));
        let keep: Vec<bool> = parts.iter().map(whole).collect();
        let mut kept = keep.iter().cycle();
        region.part_params.retain(|_| kept.next() == Some(&true));
        let kept = parts.into_iter().zip(&keep).filter(|(_, keep)| **keep);
        region.parts = kept.map(|(part, _)| part).collect();
        region
    }

    /// Whether `new` is `old`, was split from it, or is what it becomes.
    fn comes_from(&self, new: u32, old: u32) -> bool {
        let there = (new as usize) < self.names();
        there && (self.source(new) == old || self.merged.get(&old) == Some(&new))
    }
}

fn edited_twice(kind: &str, number: u32) -> WorldError {
    WorldError::EditedTwice { kind: kind.into(), number }
}

fn check_share(share: f64) -> Result<(), WorldError> {
    if share > 0.0 && share.is_finite() {
        return Ok(());
    }
    let (what, value) = ("share of a stiffness", share as f32);
    Err(WorldError::BadNumber { what, value, needs: "positive and finite" })
}

/// Where every particle goes.
struct Order {
    /// The body of each particle of the edit, as a slot.
    owner: Vec<u32>,
    /// The particles of the edit that stay, in their new order.
    names: Vec<u32>,
    /// The new index of each particle of the edit.
    new_id: Vec<Option<u32>>,
    /// Whether that is its name.
    is_same: bool,
}

impl World {
    /// An edit that changes nothing yet.
    pub fn edit(&self) -> Edit {
        Edit { count: self.particles.len(), ..Edit::default() }
    }

    /// Makes all changes of an edit at once.
    ///
    /// # Errors
    /// If the edit was made for another world or names what is not there; nothing changes then.
    pub fn apply(&mut self, edit: &Edit) -> Result<Changes, WorldError> {
        self.apply_own(edit.clone())
    }

    /// The same with an edit that nobody else needs.
    pub(crate) fn apply_own(&mut self, mut edit: Edit) -> Result<Changes, WorldError> {
        edit.check(self)?;
        let (owner, bodies) = self.assign(&edit);
        let order = self.order(&edit, owner);
        self.move_surfaces(&mut edit, &order);
        self.move_particles(&edit, &order);
        let constraints = self.move_constraints(&edit, &order);
        self.move_regions(&edit, &order);
        let sources = |id: u32| edit.source(id);
        self.forces.iter_mut().for_each(|force| force.follow(&order.new_id, sources));
        for (&BodyId { index, .. }, change) in &edit.bodies {
            let slot = &mut self.slots[index as usize];
            if change.removed {
                (slot.generation, slot.body) = (slot.generation.wrapping_add(1), None);
            } else if slot.body.as_ref().is_some_and(|body| body.asleep) {
                self.set_held(index as usize, Held::No);
            }
        }
        // Pairs are named by elements, which have other numbers now; the next step looks anew.
        self.contact = contact::State::default();
        // These are listed by particle, for those who ask where bodies touched.
        self.scratch.contacts.clear();
        // With new constraints, the next step finds out.
        if self.sets.iter().all(|set| set.colored.is_sorted()) {
            sleep::find_islands(self);
        }
        Ok(Changes { particles: order.new_id, constraints, bodies })
    }

    /// Makes places for new bodies, and says which body each particle of the edit belongs to.
    fn assign(&mut self, edit: &Edit) -> (Vec<u32>, Vec<BodyId>) {
        let mut owner: Vec<u32> = (0..edit.names() as u32)
            .map(|i| self.particles.body[edit.source(i) as usize])
            .collect();
        let mut made = Vec::new();
        for (id, change) in &edit.bodies {
            if let (Some(into), Ok(body)) = (change.into, self.body(*id)) {
                owner[body.range()].fill(into.index);
            }
            for piece in &change.pieces {
                let index = self.free_slot();
                let parent = self.slots[id.index as usize].body.clone().unwrap_or_default();
                // A new body comes behind all others; what it has is found below.
                let end = u32::MAX;
                let body = Body { particles: end..end, triangles: end..end, skin: None, ..parent };
                let slot = &mut self.slots[index as usize];
                slot.body = Some(Body { island: index, ..body });
                made.push(BodyId { index, generation: slot.generation });
                piece.iter().for_each(|&i| owner[i as usize] = index);
            }
        }
        (owner, made)
    }

    /// Particles of a body lie together, in the order in which they were named.
    fn order(&self, edit: &Edit, owner: Vec<u32>) -> Order {
        let mut names: Vec<u32> = (0..edit.names() as u32).filter(|i| !edit.leaves(i)).collect();
        let first = |i: &u32| {
            let slot = owner[*i as usize];
            let body = self.slots[slot as usize].body.as_ref();
            (body.map_or(0, |body| body.particles.start), slot)
        };
        if !names.is_sorted_by_key(first) {
            names.sort_by_key(first); // stable
        }
        let mut new_id = vec![None; edit.names()];
        for (new, &name) in names.iter().enumerate() {
            new_id[name as usize] = Some(new as u32);
        }
        edit.merged.iter().for_each(|(&gone, &kept)| new_id[gone as usize] = new_id[kept as usize]);
        let is_same = (0..).zip(&new_id).all(|(name, new)| *new == Some(name));
        Order { owner, names, new_id, is_same }
    }

    /// Triangles and skins, while particles still have their old indices.
    fn move_surfaces(&mut self, edit: &mut Edit, order: &Order) {
        let mut lists: Vec<Vec<[u32; 3]>> = vec![Vec::new(); self.slots.len()];
        for (id, body) in self.bodies() {
            let change = edit.bodies.get_mut(&id);
            let is_whole = change.as_ref().is_none_or(|change| change.pieces.is_empty());
            let old = body.triangles.start as usize..body.triangles.end as usize;
            let old = if old.start == u32::MAX as usize { &[] } else { &self.triangles[old] };
            let changed = change.and_then(|change| change.triangles.take());
            if order.is_same && is_whole {
                lists[id.index as usize] = changed.unwrap_or_else(|| old.to_vec());
                continue;
            }
            for triangle in changed.as_deref().unwrap_or(old) {
                let Some(corners) = mapped(triangle, &order.new_id) else { continue };
                lists[order.owner[triangle[0] as usize] as usize].push(corners);
            }
        }
        let mut by_place: Vec<(u32, usize)> =
            self.bodies().map(|(id, body)| (body.triangles.start, id.index as usize)).collect();
        by_place.sort_unstable();
        self.move_skins(edit, order);
        self.triangles.clear();
        for (_, slot) in by_place {
            let first = self.triangles.len() as u32;
            if first == 0 {
                self.triangles = std::mem::take(&mut lists[slot]);
            } else {
                self.triangles.append(&mut lists[slot]);
            }
            if let Some(body) = self.slots[slot].body.as_mut() {
                body.triangles = first..self.triangles.len() as u32;
            }
        }
    }

    /// Divides skins among the pieces of a body, and counts their particles from its first.
    fn move_skins(&mut self, edit: &mut Edit, order: &Order) {
        let mut first = vec![u32::MAX; self.slots.len()];
        for (new, &name) in order.names.iter().enumerate().rev() {
            first[order.owner[name as usize] as usize] = new as u32;
        }
        // Bodies that this edit makes have no place yet, and get what others leave them.
        let old = self.bodies().filter(|(_, body)| body.particles.start != u32::MAX);
        let ids: Vec<BodyId> = old.map(|(id, _)| id).collect();
        for id in ids {
            let Some(body) = self.slots[id.index as usize].body.as_mut() else { continue };
            let change = edit.bodies.get_mut(&id);
            if change.as_ref().is_some_and(|change| change.into.is_some()) {
                continue; // the other has it
            }
            let start = body.particles.start;
            let skin = match change.and_then(|change| change.skin.take()) {
                Some(skin) => Some(skin),
                None => body.skin.take().map(|skin| skin.renamed(|i| Some(start + i))),
            };
            // What is seen follows its first particle; if that is gone, it is gone too.
            let Some(skin) = skin else { continue };
            for (slot, part) in skin.divided(|i| order.owner[i as usize]) {
                let base = first[slot as usize];
                // A vertex between two pieces follows neither.
                let part = part.renamed(|i| {
                    let new = order.new_id[i as usize]?;
                    (order.owner[i as usize] == slot).then(|| new - base)
                });
                if let Some(body) = self.slots[slot as usize].body.as_mut() {
                    body.skin = Some(part).filter(|skin| !skin.bindings.is_empty());
                }
            }
        }
    }

    fn move_particles(&mut self, edit: &Edit, order: &Order) {
        self.merge_particles(edit);
        let good = self.scratch.good.len() == self.particles.len();
        if order.is_same {
            let good = if good { &mut self.scratch.good } else { &mut Vec::new() };
            let copies = edit.sources.iter().filter_map(|&i| good.get(i as usize).copied());
            let copies: Vec<_> = copies.collect();
            good.extend(copies);
            self.particles.copy(&edit.sources);
        } else {
            let from: Vec<u32> = order.names.iter().map(|&name| edit.source(name)).collect();
            if good {
                self.scratch.good = from.iter().map(|&i| self.scratch.good[i as usize]).collect();
            }
            self.particles.select(&from);
        }
        for (new, &name) in order.names.iter().enumerate() {
            self.particles.body[new] = order.owner[name as usize];
        }
        let made = order.new_id[edit.count..].iter().flatten();
        made.for_each(|&new| self.particles.rename(new as usize));
        let place = |name: &u32| order.new_id[*name as usize].map(|new| new as usize);
        for (name, &share) in &edit.shares {
            let Some(new) = place(name) else { continue };
            self.particles.scale_mass(new, share);
            if let Some((row, w)) = self.scratch.good.get_mut(new) {
                *w = self.particles.inverse_mass[new];
                row.w = if row.w > 0.0 { *w } else { 0.0 };
            }
        }
        for new in edit.hollow.iter().filter_map(place) {
            self.particles.hollow[new] = true;
            if self.particles.pinned[new] {
                self.particles.unpin(new);
            }
        }
        self.find_ranges();
    }

    /// Gives particles the mass and momentum of those that become one with them, in their middle.
    fn merge_particles(&mut self, edit: &Edit) {
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (&gone, &kept) in &edit.merged {
            groups.entry(kept).or_insert_with(|| vec![kept]).push(gone);
        }
        let particles = &mut self.particles;
        for (&kept, group) in &groups {
            let i = kept as usize;
            let (x, v) = particles.merged(group);
            let mass = |&i: &u32| 1.0 / f64::from(particles.inverse_mass[i as usize]);
            let whole: f64 = group.iter().map(mass).sum();
            particles.scale_mass(i, whole / mass(&kept));
            particles.hollow[i] = group.iter().all(|&i| particles.hollow[i as usize]);
            if group.iter().any(|&i| particles.pinned[i as usize]) {
                particles.pin(i);
            }
            particles.set_position(i, x);
            particles.set_velocity(i, v);
        }
        // Good places of the last step are those of other particles.
        if !groups.is_empty() {
            self.scratch.good.clear();
        }
    }

    /// Finds the particles of each body, which lie together.
    fn find_ranges(&mut self) {
        let mut ends = vec![None; self.slots.len()];
        for (i, &body) in (0..).zip(&self.particles.body) {
            let (first, _) = ends[body as usize].unwrap_or((i, i));
            ends[body as usize] = Some((first, i + 1));
        }
        for (slot, ends) in self.slots.iter_mut().zip(ends) {
            let Some(body) = slot.body.as_mut() else { continue };
            let (first, end) = ends.unwrap_or((0, 0));
            body.particles = first..end;
        }
    }

    fn move_constraints(
        &mut self,
        edit: &Edit,
        order: &Order,
    ) -> Vec<(&'static str, Vec<Option<u32>>)> {
        let new_id = (!order.is_same).then_some(order.new_id.as_slice());
        let mut changes = Vec::new();
        for set in &mut self.sets {
            let change = edit.of(set.kind().name);
            if order.is_same && change.is_empty() {
                continue;
            }
            let numbers = set.edit(change, new_id);
            changes.extend(numbers.map(|numbers| (set.kind().name, numbers)));
        }
        changes
    }

    fn move_regions(&mut self, edit: &Edit, order: &Order) {
        let same = order.is_same && edit.regions.is_empty();
        for set in self.regions.iter_mut().filter(|set| !same && !set.is_empty()) {
            let old = std::mem::replace(set, region::Set::new(set.kind()));
            for number in 0..old.len() {
                let by = edit.regions.get(&(old.kind().name, number as u32));
                let (region, rest) = old.region(number);
                let rest: BTreeMap<u32, glam::Vec3> =
                    region.members.iter().copied().zip(rest).collect();
                for region in by.cloned().unwrap_or_else(|| vec![region]) {
                    let mut region = edit.welded(region);
                    let at = |i: &u32| rest.get(&edit.source(*i)).copied();
                    let Some(rest) = region.members.iter().map(at).collect::<Option<Vec<_>>>()
                    else {
                        continue;
                    };
                    let mut ids = region.members.iter_mut().chain(region.parts.as_flattened_mut());
                    let all_there =
                        ids.all(|id| order.new_id[*id as usize].map(|new| *id = new).is_some());
                    // A balloon that was cut open is none, and has no pressure any more.
                    if all_there && set.push(&region, &rest).is_ok() {
                        set.remember(&old, number);
                    }
                }
            }
        }
    }
}

/// The corners by their new indices, if all are there and none is twice.
fn mapped(triangle: &[u32; 3], new_id: &[Option<u32>]) -> Option<[u32; 3]> {
    let [a, b, c] = triangle.map(|i| new_id[i as usize]);
    let corners @ [a, b, c] = [a?, b?, c?];
    (a != b && b != c && c != a).then_some(corners)
}
