//! All constraints of one kind: plain columns, sorted by colour.

use std::ops::Range;

use crate::coloring::{Change, Colored, Moves};
use crate::constraint::Kind;
use crate::error::WorldError;
use crate::tear::{Strength, Strengths};
use crate::world::{Config, Method};

/// How firmly a constraint holds. The unit of C is that of the kind, such as m or m³.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hold {
    /// Inverse stiffness α, (unit of C)²/J; for a distance that is m/N. 0 is rigid.
    pub compliance: f32,
    /// Dashpot coefficient β, J·s/(unit of C)²; for a distance that is N·s/m. Acts through the
    /// compliance, so a rigid constraint has none.
    pub damping: f32,
    /// Stiffness k of PBD, 0 to 1: the share of the error that a step removes. XPBD ignores it.
    pub stiffness: f32,
}

impl Hold {
    /// Does not give at all.
    pub const RIGID: Self = Self { compliance: 0.0, damping: 0.0, stiffness: 1.0 };

    /// A spring of `stiffness` J/(unit of C)²; for a distance that is N/m.
    pub fn spring(stiffness: f32) -> Self {
        Self { compliance: 1.0 / stiffness, ..Self::RIGID }
    }

    /// The same with a dashpot of `damping` J·s/(unit of C)² beside it.
    pub fn damped(self, damping: f32) -> Self {
        Self { damping, ..self }
    }

    pub(crate) fn check(self) -> Result<(), WorldError> {
        let rows = [("compliance", self.compliance), ("damping", self.damping)];
        for (what, value) in rows {
            if !(value.is_finite() && value >= 0.0) {
                return Err(WorldError::BadNumber { what, value, needs: "finite and at least 0" });
            }
        }
        if !(0.0..=1.0).contains(&self.stiffness) {
            let (what, value) = ("PBD stiffness", self.stiffness);
            return Err(WorldError::BadNumber { what, value, needs: "between 0 and 1" });
        }
        Ok(())
    }
}

impl Default for Hold {
    fn default() -> Self {
        Self::RIGID
    }
}

/// Changes of the constraints of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetEdit {
    /// What becomes of some, by number, in order.
    fates: Vec<(u32, Fate)>,
    copies: Vec<Copied>,
    /// The particles of those that move and of those that are added, one list after the other.
    ids: Vec<u32>,
}

/// What an edit makes of a constraint.
#[derive(Clone, Debug)]
enum Fate {
    /// It is taken out.
    Gone,
    /// It gets particles that were split from its own, and a share of its stiffness.
    Moved { ids: Range<usize>, share: f64 },
}

/// A constraint that an edit adds: like another, on other particles, with a share of its stiffness.
#[derive(Clone, Debug)]
struct Copied {
    like: u32,
    ids: Range<usize>,
    share: f64,
}

impl SetEdit {
    /// Nothing changes.
    pub(crate) const NOTHING: &Self =
        &Self { fates: Vec::new(), copies: Vec::new(), ids: Vec::new() };

    /// Takes a constraint out; whether nothing was said of it yet.
    pub(crate) fn take(&mut self, number: u32) -> bool {
        self.decide(number, Fate::Gone)
    }

    /// Moves a constraint; whether nothing was said of it yet.
    pub(crate) fn move_to(&mut self, number: u32, particles: &[u32], share: f64) -> bool {
        let ids = self.keep(particles);
        self.decide(number, Fate::Moved { ids, share })
    }

    /// Adds a constraint like another.
    pub(crate) fn add(&mut self, like: u32, particles: &[u32], share: f64) {
        let ids = self.keep(particles);
        self.copies.push(Copied { like, ids, share });
    }

    fn keep(&mut self, particles: &[u32]) -> Range<usize> {
        let first = self.ids.len();
        self.ids.extend_from_slice(particles);
        first..self.ids.len()
    }

    fn decide(&mut self, number: u32, fate: Fate) -> bool {
        // Most often in order.
        let place = match self.fates.last() {
            Some((last, _)) if *last >= number => self.place(number),
            _ => Err(self.fates.len()),
        };
        match place {
            Err(place) => self.fates.insert(place, (number, fate)),
            Ok(place) => self.fates[place].1 = fate,
        }
        place.is_err()
    }

    fn place(&self, number: u32) -> Result<usize, usize> {
        self.fates.binary_search_by_key(&number, |(number, _)| *number)
    }

    /// Whether something is said of a constraint.
    pub(crate) fn decides(&self, number: u32) -> bool {
        self.place(number).is_ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fates.is_empty() && self.copies.is_empty()
    }

    /// The constraints of which something is said.
    pub(crate) fn decided(&self) -> impl Iterator<Item = u32> + '_ {
        self.fates.iter().map(|(number, _)| *number)
    }

    /// The particles of those that move or are added.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u32]> {
        let moved = self.fates.iter().filter_map(|(_, fate)| self.particles(fate));
        moved.chain(self.copies.iter().map(|copy| &self.ids[copy.ids.clone()]))
    }

    /// The particles that a constraint gets; none if it goes.
    fn particles(&self, fate: &Fate) -> Option<&[u32]> {
        match fate {
            Fate::Gone => None,
            Fate::Moved { ids, .. } => Some(&self.ids[ids.clone()]),
        }
    }
}

/// The constraints of one kind, one array per quantity.
///
/// Constraints have a *number*, the order in which they were added, and a *slot*, their place in
/// the arrays. Slots are sorted by colour; no two constraints of a colour share a particle.
#[derive(Clone, Debug)]
pub struct Set {
    kind: &'static Kind,
    /// Particles of each slot, and the colours.
    pub(crate) colored: Colored,
    /// Rest values, one column per value.
    pub(crate) rest: Vec<Vec<f32>>,
    pub(crate) compliance: Vec<f32>,
    pub(crate) damping: Vec<f32>,
    pub(crate) stiffness: Vec<f32>,
    /// The multiplier λ of the last substep.
    pub(crate) lambda: Vec<f32>,
    /// The slot of each number.
    pub(crate) slots: Vec<u32>,
    /// The same without those that are idle, which no solver may touch.
    pub(crate) order: Vec<u32>,
    /// The share k that one round of PBD removes, of each slot; empty under XPBD.
    pub(crate) share: Vec<f32>,
    /// Whether any constraint has a dashpot.
    pub(crate) damped: bool,
    /// What each bears and how it gives.
    pub(crate) strength: Strengths,
}

impl Set {
    /// An empty set.
    pub fn new(kind: &'static Kind) -> Self {
        Self {
            kind,
            colored: Colored::new(kind.particles),
            rest: vec![Vec::new(); kind.rest_values],
            compliance: Vec::new(),
            damping: Vec::new(),
            stiffness: Vec::new(),
            lambda: Vec::new(),
            slots: Vec::new(),
            order: Vec::new(),
            share: Vec::new(),
            damped: false,
            strength: Strengths::default(),
        }
    }

    /// What kind they all are.
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// How many groups of constraints are solved one after the other; 0 before the first step.
    pub fn colors(&self) -> usize {
        self.colored.colors().count()
    }

    /// In which of those groups constraint `number` is, from 0; none before the first step, and where
    /// forces move the body.
    pub fn color(&self, number: usize) -> Option<usize> {
        let slot = self.slots[number] as usize;
        self.colored.colors().position(|slots| slots.contains(&slot))
    }

    /// The particles of constraint `number`.
    pub fn particles(&self, number: usize) -> &[u32] {
        self.colored.particles(self.slots[number] as usize)
    }

    /// The rest values of constraint `number`.
    pub fn rest(&self, number: usize) -> impl Iterator<Item = f32> + '_ {
        let slot = self.slots[number] as usize;
        self.rest.iter().map(move |column| column[slot])
    }

    /// How firmly constraint `number` holds.
    pub fn hold(&self, number: usize) -> Hold {
        let slot = self.slots[number] as usize;
        Hold {
            compliance: self.compliance[slot],
            damping: self.damping[slot],
            stiffness: self.stiffness[slot],
        }
    }

    /// The multiplier λ of constraint `number` in the last substep. Over h² it is the generalised
    /// force; for a distance, the tension with a minus sign (N).
    pub fn lambda(&self, number: usize) -> f32 {
        self.lambda[self.slots[number] as usize]
    }

    /// Changes how firmly constraint `number` holds.
    ///
    /// # Errors
    /// If a number of `hold` is out of range; nothing changes then.
    pub fn set_hold(&mut self, number: usize, hold: Hold) -> Result<(), WorldError> {
        hold.check()?;
        let slot = self.slots[number] as usize;
        self.compliance[slot] = hold.compliance;
        self.damping[slot] = hold.damping;
        self.stiffness[slot] = hold.stiffness;
        Ok(())
    }

    /// Changes the rest values of constraint `number`, such as the target of an anchor.
    ///
    /// # Errors
    /// If their count is not the kind's, or one is not finite; nothing changes then.
    pub fn set_rest(&mut self, number: usize, rest: &[f32]) -> Result<(), WorldError> {
        self.check_rest(rest)?;
        let slot = self.slots[number] as usize;
        for (column, &value) in self.rest.iter_mut().zip(rest) {
            column[slot] = value;
        }
        Ok(())
    }

    /// Adds a constraint and returns its number.
    ///
    /// # Errors
    /// If a count is not the kind's, a particle appears twice, or a number is out of range;
    /// nothing changes then.
    pub fn push(
        &mut self,
        particles: &[u32],
        rest: &[f32],
        hold: Hold,
    ) -> Result<usize, WorldError> {
        self.check_particles(particles)?;
        self.check_rest(rest)?;
        hold.check()?;
        self.colored.push(particles.iter().copied());
        for (column, &value) in self.rest.iter_mut().zip(rest) {
            column.push(value);
        }
        self.compliance.push(hold.compliance);
        self.damping.push(hold.damping);
        self.stiffness.push(hold.stiffness);
        self.lambda.push(0.0);
        self.strength.push_unlimited();
        let number = self.slots.len();
        self.slots.push(number as u32);
        Ok(number)
    }

    fn check_particles(&self, particles: &[u32]) -> Result<(), WorldError> {
        let kind = self.kind.name;
        if particles.len() != self.kind.particles {
            let (expected, found) = (self.kind.particles, particles.len());
            return Err(WorldError::WrongCount { kind, what: "particles", expected, found });
        }
        for (k, &particle) in particles.iter().enumerate() {
            if particles[..k].contains(&particle) {
                return Err(WorldError::RepeatedParticle { kind, particle });
            }
        }
        Ok(())
    }

    fn check_rest(&self, rest: &[f32]) -> Result<(), WorldError> {
        if rest.len() != self.kind.rest_values {
            let (expected, found) = (self.kind.rest_values, rest.len());
            let kind = self.kind.name;
            return Err(WorldError::WrongCount { kind, what: "rest values", expected, found });
        }
        match rest.iter().find(|value| !value.is_finite()) {
            Some(&value) => {
                Err(WorldError::BadNumber { what: "rest value", value, needs: "finite" })
            }
            None => Ok(()),
        }
    }

    /// Adds all constraints of `other`, their particles renamed; those that lost one (`None`) not.
    pub(crate) fn append(&mut self, other: &Self, new_id: impl Fn(u32) -> Option<u32>) {
        if !other.strength.is_empty() {
            self.strength.begin(self.len());
        }
        for number in 0..other.len() {
            let ids = other.particles(number).iter().map(|&id| new_id(id));
            if ids.clone().any(|id| id.is_none()) {
                continue;
            }
            self.colored.push(ids.flatten());
            let slot = other.slots[number] as usize;
            for (column, from) in self.columns().zip(other.columns_ref()) {
                column.push(from[slot]);
            }
            if other.strength.is_empty() {
                self.strength.push_unlimited();
            }
            self.slots.push(self.slots.len() as u32);
        }
    }

    /// Whether [`Self::edit`] can be done. `from` says whether one particle was split from another.
    pub(crate) fn check_edit(
        &self,
        edit: &SetEdit,
        from: impl Fn(u32, u32) -> bool,
    ) -> Result<(), WorldError> {
        let moved = edit.fates.iter().map(|(number, fate)| (*number, edit.particles(fate)));
        let copies = edit.copies.iter();
        let copied = copies.map(|copy| (copy.like, Some(&edit.ids[copy.ids.clone()])));
        for (number, particles) in moved.chain(copied) {
            let (kind, count) = (self.kind.name, self.len());
            if number as usize >= count {
                return Err(WorldError::NoSuchConstraint { kind, number, count });
            }
            let Some(particles) = particles else { continue };
            self.check_particles(particles)?;
            let pairs = particles.iter().zip(self.particles(number as usize));
            if let Some((&particle, _)) = pairs.into_iter().find(|&(&new, &old)| !from(new, old)) {
                return Err(WorldError::NotSplitFrom { kind, number, particle });
            }
        }
        Ok(())
    }

    /// Does what is said of some constraints, renames particles, unless `new_id` is `None`, and drops
    /// constraints of which one is gone. What stays keeps its colour: particles that were split from one
    /// another have no constraints that were not on the first. Returns the new number of each, unless
    /// all are still there.
    pub(crate) fn edit(
        &mut self,
        edit: &SetEdit,
        new_id: Option<&[Option<u32>]>,
    ) -> Option<Vec<Option<u32>>> {
        let SetEdit { fates, copies, ids } = edit;
        // By column, as long as what they are like is in its place.
        let like: Vec<u32> = copies.iter().map(|copy| self.slots[copy.like as usize]).collect();
        let rows = |column: &Vec<f32>| like.iter().map(|&slot| column[slot as usize]).collect();
        let rows: Vec<Vec<f32>> = self.columns_ref().map(rows).collect();
        let mut changes: Vec<Change<'_>> = Vec::with_capacity(fates.len());
        for (number, fate) in fates {
            let slot = self.slots[*number as usize];
            changes.push((slot, edit.particles(fate)));
            if let Fate::Moved { share, .. } = fate {
                self.scale(slot as usize, *share);
            }
        }
        let moves = self.colored.edit(&changes, new_id);
        let numbers = self.follow(&moves);
        for (k, copy) in copies.iter().enumerate() {
            let name = |&id: &u32| new_id.map_or(Some(id), |new_id| new_id[id as usize]);
            let ids = ids[copy.ids.clone()].iter().map(name);
            if ids.clone().all(|id| id.is_some()) {
                self.colored.push(ids.flatten());
                self.columns().zip(&rows).for_each(|(column, values)| column.push(values[k]));
                self.scale(self.slots.len(), copy.share);
                self.slots.push(self.slots.len() as u32);
            }
        }
        numbers
    }

    /// Leaves a share of stiffness and damping.
    fn scale(&mut self, slot: usize, share: f64) {
        self.compliance[slot] = (f64::from(self.compliance[slot]) / share) as f32;
        self.damping[slot] = (f64::from(self.damping[slot]) * share) as f32;
        if let Some(force) = self.strength.columns.get_mut(Strength::FORCE) {
            force[slot] = (f64::from(force[slot]) * share) as f32;
        }
    }

    /// What constraint `number` bears, and how it gives.
    pub fn strength(&self, number: usize) -> Strength {
        self.strength.at(self.slots[number] as usize)
    }

    /// The strain that constraint `number` has kept from being overstretched; negative if it was
    /// squeezed.
    pub fn plastic_strain(&self, number: usize) -> f32 {
        self.strength.kept(self.slots[number] as usize)
    }

    /// Changes what constraint `number` bears. Distances alone break, and other kinds go with them;
    /// distances and angles between triangles flow.
    ///
    /// # Errors
    /// If a number is out of range; nothing changes then.
    pub fn set_strength(&mut self, number: usize, strength: Strength) -> Result<(), WorldError> {
        self.strength.set(self.slots[number] as usize, self.len(), strength)
    }

    /// Drops the constraints whose numbers `keep` refuses; the numbers of the others close the gaps.
    /// Those that stay keep their colours.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let gone = self.slots.iter().enumerate().filter(|(number, _)| !keep(*number));
        let changes: Vec<Change<'_>> = gone.map(|(_, &slot)| (slot, None)).collect();
        let moves = self.colored.edit(&changes, None);
        self.follow(&moves);
    }

    /// Brings everything else in the order of the slots. Returns the new number of each, unless all are
    /// still there.
    fn follow(&mut self, moves: &Moves) -> Option<Vec<Option<u32>>> {
        let places = moves.places(self.slots.len())?;
        self.columns().for_each(|column| moves.make(column, 1));
        let (before, mut next) = (self.slots.len(), 0..);
        let mut numbers = Vec::with_capacity(before);
        self.slots.retain_mut(|slot| {
            let place = places[*slot as usize];
            numbers.push(place.and_then(|_| next.next()));
            place.inspect(|place| *slot = *place).is_some()
        });
        self.order.clear();
        (self.slots.len() < before).then_some(numbers)
    }

    /// Brings what is derived up to date: colours, and the numbers that the method needs. What is
    /// `idle`, as a slot, gets no colour; `None` says that nothing is.
    pub(crate) fn prepare(
        &mut self,
        particle_count: usize,
        config: &Config,
        idle: Option<impl Fn(&Self, usize) -> bool>,
    ) {
        let active = self.colored.active();
        let settled = self.colored.is_sorted() && self.colored.by() == config.coloring;
        let same = match &idle {
            None => active == self.len(),
            Some(idle) => (0..self.len()).all(|slot| idle(self, slot) == (slot >= active)),
        };
        if !(settled && same) {
            let idle: Vec<bool> = match idle {
                None => Vec::new(),
                Some(idle) => (0..self.len()).map(|slot| idle(self, slot)).collect(),
            };
            let idle = |slot: usize| idle.get(slot) == Some(&true);
            let by = config.coloring;
            let moves = self.colored.complete(&self.slots, particle_count, by, idle);
            self.follow(&moves);
        }
        let active = self.colored.active();
        if self.order.len() != active {
            self.order.clear();
            self.order.extend(self.slots.iter().filter(|&&slot| (slot as usize) < active));
        }
        // Without an early end, several are compared at once.
        self.damped = self.damping.iter().fold(false, |damped, &beta| damped | (beta > 0.0));
        self.share.clear();
        if config.method == Method::Pbd {
            // In double precision: for many rounds the share of one is small.
            let exponent = 1.0 / (f64::from(config.iterations) * f64::from(config.substeps));
            let share = |&k: &f32| (1.0 - libm::pow(1.0 - f64::from(k), exponent)) as f32;
            self.share.extend(self.stiffness.iter().map(share));
        }
    }

    /// Every column that has one number per slot, in the order of [`Self::columns`].
    pub(crate) fn columns_ref(&self) -> impl Iterator<Item = &Vec<f32>> {
        let Self { rest, compliance, damping, stiffness, lambda, strength, .. } = self;
        rest.iter().chain([compliance, damping, stiffness, lambda]).chain(&strength.columns)
    }

    /// Every column that has one number per slot.
    pub(crate) fn columns(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        let Self { rest, compliance, damping, stiffness, lambda, strength, .. } = self;
        rest.iter_mut().chain([compliance, damping, stiffness, lambda]).chain(&mut strength.columns)
    }
}
