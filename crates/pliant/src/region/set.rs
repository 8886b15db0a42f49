//! All regions of one kind: plain columns.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{Vec3, Vec4};

use super::strain_limit::Orders;
use super::{End, Fit, RegionKind, Rule, View};
use crate::constraint::set::Hold;
use crate::error::WorldError;
use crate::particles::Particles;
use crate::step::project::Substep;
use crate::tear::{Strength, Strengths};
use crate::world::{Config, Method};

/// A region to be added. Kinds have constructors for theirs.
#[derive(Clone, Debug)]
pub struct Region {
    /// What it is.
    pub kind: &'static RegionKind,
    /// Its particles, each once.
    pub members: Vec<u32>,
    /// Its triangles or links, as particles; unused corners are 0.
    pub parts: Vec<[u32; 3]>,
    /// One number for each part, if the kind has [`RegionKind::part_param`].
    pub part_params: Vec<f32>,
    /// The numbers of its kind, [`RegionKind::params`].
    pub params: Vec<f32>,
    /// How firmly it holds. Regions have no dashpot.
    pub hold: Hold,
}

/// The regions of one kind, one array per quantity.
///
/// A *member* is a particle of one region; a particle of three regions is three members.
#[derive(Clone, Debug)]
pub struct Set {
    kind: &'static RegionKind,
    /// The first member of each region, and the end of the last.
    pub(crate) starts: Vec<u32>,
    /// The particle of each member.
    pub(crate) members: Vec<u32>,
    /// Where each member is at rest (m).
    pub(crate) rest: Vec<Vec4>,
    /// The first part of each region, and the end of the last.
    pub(crate) part_starts: Vec<u32>,
    /// The corners of each part, as members.
    pub(crate) parts: Vec<[u32; 3]>,
    pub(crate) part_params: Vec<f32>,
    /// One column for each number of the kind.
    pub(crate) params: Vec<Vec<f32>>,
    pub(crate) compliance: Vec<f32>,
    pub(crate) stiffness: Vec<f32>,
    /// What a region remembers from substep to substep, such as its rotation.
    pub(crate) state: Vec<Vec4>,
    /// What each bears and how it gives.
    pub(crate) strength: Strengths,
    pub(crate) derived: Derived,
    /// How far each member should go (m); between passes, whatever the kind puts there.
    pub(crate) push: Vec<Vec4>,
    /// How far each member was pushed in this substep (m).
    pub(crate) given: Vec<Vec4>,
    pub(crate) fits: Vec<Fit>,
    /// The multiplier of each part, and its last change.
    pub(crate) multipliers: Vec<[f32; 2]>,
    /// The members of a region at the end of a substep.
    pub(crate) ends: Vec<End>,
    /// The orders in which the parts of each region are visited, if it acts at the end.
    pub(crate) orders: Vec<Orders>,
    /// The share that one round of PBD removes, of each region; empty under XPBD.
    pub(crate) share: Vec<f32>,
    /// The first of the members of each particle, in `members_of`, and the end of the last.
    pub(crate) of_particle: Vec<u32>,
    pub(crate) members_of: Vec<u32>,
}

/// What held particles count, in masses of their region: enough that the region goes to them.
const HELD: f64 = 1e4;

/// What follows from topology, rest pose and masses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Derived {
    /// Whether it is up to date with the topology.
    current: bool,
    /// The region of each member, and of each part.
    pub(crate) region_of: Vec<u32>,
    pub(crate) region_of_part: Vec<u32>,
    /// The first of the corners of each member, in `corners`, and the end of the last.
    of_member: Vec<u32>,
    /// Parts, and which of their corners the member is.
    corners: Vec<[u32; 2]>,
    /// What each member counts in a mean (kg): its mass in this region, or, if it is held,
    /// [`HELD`] times the mass of the region.
    pub(crate) weights: Vec<f64>,
    /// The numbers of the kind, as many for each region as [`RegionKind::derived`] says.
    numbers: Vec<f64>,
    /// The inverse masses for which they were computed, of each member: now, and when free.
    seen: Vec<[f32; 2]>,
}

impl Set {
    /// An empty set.
    pub fn new(kind: &'static RegionKind) -> Self {
        Self {
            kind,
            starts: vec![0],
            members: Vec::new(),
            rest: Vec::new(),
            part_starts: vec![0],
            parts: Vec::new(),
            part_params: Vec::new(),
            params: vec![Vec::new(); kind.params.len()],
            compliance: Vec::new(),
            stiffness: Vec::new(),
            state: Vec::new(),
            strength: Strengths::default(),
            derived: Derived::default(),
            push: Vec::new(),
            given: Vec::new(),
            fits: Vec::new(),
            multipliers: Vec::new(),
            ends: Vec::new(),
            orders: Vec::new(),
            share: Vec::new(),
            of_particle: Vec::new(),
            members_of: Vec::new(),
        }
    }

    /// What kind they all are.
    pub fn kind(&self) -> &'static RegionKind {
        self.kind
    }

    /// How many regions there are.
    pub fn len(&self) -> usize {
        self.state.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.state.is_empty()
    }

    /// The particles of region `number`.
    pub fn members(&self, number: usize) -> &[u32] {
        &self.members[self.members_of_region(number)]
    }

    /// What region `number` remembers: of shape matching, its rotation as a quaternion; of a
    /// balloon, its multiplier λ in `x` and how far it is pumped up in `y`.
    pub fn state(&self, number: usize) -> Vec4 {
        self.state[number]
    }

    /// How firmly region `number` holds.
    pub fn hold(&self, number: usize) -> Hold {
        let (compliance, stiffness) = (self.compliance[number], self.stiffness[number]);
        Hold { compliance, damping: 0.0, stiffness }
    }

    /// Changes how firmly region `number` holds.
    ///
    /// # Errors
    /// If a number of `hold` is out of range; nothing changes then.
    pub fn set_hold(&mut self, number: usize, hold: Hold) -> Result<(), WorldError> {
        check_hold(hold)?;
        self.compliance[number] = hold.compliance;
        self.stiffness[number] = hold.stiffness;
        Ok(())
    }

    /// The numbers of region `number`.
    pub fn params(&self, number: usize) -> impl Iterator<Item = f32> + '_ {
        self.params.iter().map(move |column| column[number])
    }

    /// Changes one number of region `number`, such as the pressure of a balloon.
    ///
    /// # Errors
    /// If the kind has no number of that name, or it is out of range; nothing changes then.
    pub fn set_param(&mut self, number: usize, name: &str, value: f32) -> Result<(), WorldError> {
        let index = self.kind.params.iter().position(|param| param.name == name);
        let index = index.ok_or_else(|| WorldError::NoSuchParam {
            kind: self.kind.name,
            name: name.into(),
            known: self.kind.params.iter().map(|param| param.name).collect(),
        })?;
        self.kind.params[index].check(value)?;
        self.params[index][number] = value;
        // It may be one that the derived numbers depend on.
        self.derived.seen.clear();
        Ok(())
    }

    /// Adds a region whose members are at rest at `rest` (m) and returns its number.
    ///
    /// # Errors
    /// If it has no members or one twice, a part has a corner that is no member, or a count or
    /// number is not as its kind wants it; nothing changes then.
    pub fn push(&mut self, region: &Region, rest: &[Vec3]) -> Result<usize, WorldError> {
        self.check(region, rest)?;
        let first = self.members.len() as u32;
        let member: BTreeMap<u32, u32> = region.members.iter().copied().zip(first..).collect();
        let part = |corners: &[u32; 3]| self.corners_of(corners, &member);
        let parts = region.parts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        self.members.extend(&region.members);
        self.rest.extend(rest.iter().map(|x| x.extend(0.0)));
        self.starts.push(self.members.len() as u32);
        self.parts.extend(parts);
        self.part_params.extend(&region.part_params);
        self.part_starts.push(self.parts.len() as u32);
        for (column, &value) in self.params.iter_mut().zip(&region.params) {
            column.push(value);
        }
        self.compliance.push(region.hold.compliance);
        self.stiffness.push(region.hold.stiffness);
        self.state.push(self.kind.state);
        self.strength.push_unlimited();
        self.derived.current = false;
        Ok(self.len() - 1)
    }

    fn check(&self, region: &Region, rest: &[Vec3]) -> Result<(), WorldError> {
        let kind = self.kind.name;
        let count = |what, expected, found| {
            if expected == found {
                return Ok(());
            }
            Err(WorldError::WrongCount { kind, what, expected, found })
        };
        count("members", region.members.len().max(1), region.members.len())?;
        count("rest positions", region.members.len(), rest.len())?;
        count("numbers", self.kind.params.len(), region.params.len())?;
        let parts = region.parts.len();
        count("parts", if self.kind.corners > 0 { parts } else { 0 }, parts)?;
        let numbers = if self.kind.part_param.is_some() { parts } else { 0 };
        count("numbers of parts", numbers, region.part_params.len())?;
        let mut sorted = region.members.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(WorldError::RepeatedParticle { kind, particle: pair[0] });
        }
        let bad = rest.iter().flat_map(|x| x.to_array()).find(|value| !value.is_finite());
        if let Some(value) = bad {
            return Err(WorldError::BadNumber { what: "rest position", value, needs: "finite" });
        }
        for (param, &value) in self.kind.params.iter().zip(&region.params) {
            param.check(value)?;
        }
        for (param, &value) in self
            .kind
            .part_param
            .iter()
            .flat_map(|param| region.part_params.iter().map(move |value| (param, value)))
        {
            param.check(value)?;
        }
        check_hold(region.hold)?;
        (self.kind.check)(region, rest)
    }

    /// The corners of a part as members; those that the kind does not use are the first.
    fn corners_of(
        &self,
        corners: &[u32; 3],
        member: &BTreeMap<u32, u32>,
    ) -> Result<[u32; 3], WorldError> {
        let kind = self.kind.name;
        let used = &corners[..self.kind.corners];
        let mut found = [0; 3];
        for (k, id) in used.iter().enumerate() {
            let missing = WorldError::NoMember { kind, particle: *id };
            found[k] = *member.get(id).ok_or(missing)?;
            if used[..k].contains(id) {
                return Err(WorldError::RepeatedParticle { kind, particle: *id });
            }
        }
        let first = found[0];
        found[used.len()..].fill(first);
        Ok(found)
    }

    /// Region `number` as it was given to [`Self::push`], and its rest positions.
    pub(crate) fn region(&self, number: usize) -> (Region, Vec<Vec3>) {
        let parts = self.parts_of_region(number);
        let particle = |member: u32| self.members[member as usize];
        let region = Region {
            kind: self.kind,
            members: self.members(number).to_vec(),
            parts: self.parts[parts.clone()].iter().map(|p| p.map(particle)).collect(),
            part_params: match self.part_params.is_empty() {
                true => Vec::new(),
                false => self.part_params[parts].to_vec(),
            },
            params: self.params(number).collect(),
            hold: self.hold(number),
        };
        let rest = self.rest[self.members_of_region(number)].iter().map(|x| x.truncate()).collect();
        (region, rest)
    }

    /// Adds all regions of `other`, their particles renamed; those that lost one (`None`) not.
    pub(crate) fn append(&mut self, other: &Self, new_id: impl Fn(u32) -> Option<u32>) {
        for number in 0..other.len() {
            let (mut region, rest) = other.region(number);
            let ids = region.members.iter_mut().chain(region.parts.as_flattened_mut());
            let all_there = ids.map(|id| new_id(*id).map(|new| *id = new)).all(|id| id.is_some());
            if all_there && self.push(&region, &rest).is_ok() {
                self.remember(other, number);
            }
        }
    }

    /// Gives the last region what region `number` of `other` remembers and bears.
    pub(crate) fn remember(&mut self, other: &Self, number: usize) {
        if !other.strength.is_empty() {
            self.strength.begin(self.len());
        }
        let last = self.len() - 1;
        self.state[last] = other.state[number];
        for (column, from) in self.strength.columns.iter_mut().zip(&other.strength.columns) {
            column[last] = from[number];
        }
    }

    /// What region `number` bears, and how it gives.
    pub fn strength(&self, number: usize) -> Strength {
        self.strength.at(number)
    }

    /// The strain that region `number` has kept.
    pub fn plastic_strain(&self, number: usize) -> f32 {
        self.strength.kept(number)
    }

    /// Changes what region `number` bears. Matched shapes alone break and flow.
    ///
    /// # Errors
    /// If a number is out of range; nothing changes then.
    pub fn set_strength(&mut self, number: usize, strength: Strength) -> Result<(), WorldError> {
        self.strength.set(number, self.len(), strength)
    }

    /// Changes where the members of region `number` are at rest.
    pub(crate) fn reshape(&mut self, number: usize, shape: impl Fn(Vec3) -> Vec3) {
        for member in self.members_of_region(number) {
            self.rest[member] = shape(self.rest[member].truncate()).extend(0.0);
        }
        self.derived.seen.clear();
    }

    /// The members of a region.
    pub(crate) fn members_of_region(&self, region: usize) -> Range<usize> {
        self.starts[region] as usize..self.starts[region + 1] as usize
    }

    /// The parts of a region.
    pub(crate) fn parts_of_region(&self, region: usize) -> Range<usize> {
        self.part_starts[region] as usize..self.part_starts[region + 1] as usize
    }

    /// The parts of which a member is a corner, and which corner.
    pub(crate) fn corners(&self, member: usize) -> &[[u32; 2]] {
        let Derived { of_member, corners, .. } = &self.derived;
        &corners[of_member[member] as usize..of_member[member + 1] as usize]
    }

    /// The same of all members: the first of each one's corners and the end of the last, and those.
    pub(super) fn all_corners(&self) -> (&[u32], &[[u32; 2]]) {
        (&self.derived.of_member, &self.derived.corners)
    }

    /// The derived numbers of a region.
    pub(crate) fn derived(&self, region: usize) -> &[f64] {
        let (count, _) = self.kind.derived;
        &self.derived.numbers[region * count..(region + 1) * count]
    }

    /// Whether a member was held when the derived numbers were computed.
    pub(crate) fn is_held(&self, member: usize) -> bool {
        self.derived.seen[member][0] == 0.0
    }

    /// Whether regions were added or removed since [`Self::prepare`].
    pub(crate) fn is_edited(&self) -> bool {
        !self.derived.current && !self.is_empty()
    }

    /// Brings what is derived up to date with topology, masses, pins and settings.
    pub(crate) fn prepare(&mut self, particles: &Particles, config: &Config) {
        self.share.clear();
        if config.method == Method::Pbd {
            // In double precision: for many rounds the share of one is small.
            let exponent = 1.0 / (f64::from(config.iterations) * f64::from(config.substeps));
            let share = |&k: &f32| (1.0 - libm::pow(1.0 - f64::from(k), exponent)) as f32;
            self.share.extend(self.stiffness.iter().map(share));
        }
        if !self.derived.current || self.of_particle.len() != particles.len() + 1 {
            self.link(particles.len());
        }
        let now = |&i: &u32| [particles.xw[i as usize].w, particles.inverse_mass[i as usize]];
        let members = self.members.iter().map(now);
        if !self.derived.seen.iter().copied().eq(members.clone()) {
            self.derived.seen.clear();
            self.derived.seen.extend(members);
            self.derive(particles, config);
            if matches!(self.kind.rule, Rule::AtTheEnd(..)) {
                self.orders = (0..self.len()).map(|region| Orders::of(self, region)).collect();
            }
        }
    }

    /// Finds the members of each particle, the region of each member, the parts around it.
    fn link(&mut self, particle_count: usize) {
        let (regions, parts) = (self.len(), self.parts.len());
        let owners = |starts: &[u32]| -> Vec<u32> {
            let lengths = starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).enumerate();
            lengths.flat_map(|(region, n)| std::iter::repeat_n(region as u32, n)).collect()
        };
        (self.of_particle, self.members_of) = inverse(&self.members, particle_count);
        let used = self.kind.corners;
        let corners: Vec<u32> = self.parts.iter().flat_map(|part| &part[..used]).copied().collect();
        let (of_member, places) = inverse(&corners, self.members.len());
        let corner = |&place: &u32| [place / used as u32, place % used as u32];
        self.derived = Derived {
            current: true,
            region_of: owners(&self.starts),
            region_of_part: owners(&self.part_starts),
            of_member,
            corners: places.iter().map(corner).collect(),
            weights: vec![0.0; self.members.len()],
            numbers: vec![0.0; regions * self.kind.derived.0],
            seen: Vec::new(),
        };
        self.push = vec![Vec4::ZERO; self.members.len()];
        self.given = self.push.clone();
        self.fits = vec![Fit::default(); regions];
        self.multipliers = vec![[0.0; 2]; parts];
        let longest = (0..regions).map(|r| self.members_of_region(r).len()).max().unwrap_or(0);
        let ending = matches!(self.kind.rule, Rule::AtTheEnd(..));
        self.ends = Vec::with_capacity(if ending { longest } else { 0 });
    }

    /// Computes the numbers of the kind anew.
    fn derive(&mut self, particles: &Particles, config: &Config) {
        let (count, derive) = self.kind.derived;
        let substep = Substep { h: 0.0, iteration: 0 };
        let mut weights = std::mem::take(&mut self.derived.weights);
        for region in 0..self.len() {
            let view = View { set: self, particles, config, substep };
            let mass: f64 = view.members(region).map(|member| view.mass(member)).sum();
            for member in view.members(region) {
                let held = self.is_held(member);
                weights[member] = if held { HELD * mass } else { view.mass(member) };
            }
        }
        self.derived.weights = weights;
        let mut numbers = std::mem::take(&mut self.derived.numbers);
        let view = View { set: self, particles, config, substep };
        for region in 0..self.len() {
            derive(&view, region, &mut numbers[region * count..(region + 1) * count]);
        }
        self.derived.numbers = numbers;
    }
}

/// Where each of `0..count` occurs in `ids`: the start of its places, and all places in order.
pub(crate) fn inverse(ids: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; count + 1];
    ids.iter().for_each(|&id| starts[id as usize + 1] += 1);
    (0..count).for_each(|i| starts[i + 1] += starts[i]);
    let mut next = starts.clone();
    let mut places = vec![0; ids.len()];
    for (place, &id) in ids.iter().enumerate() {
        places[next[id as usize] as usize] = place as u32;
        next[id as usize] += 1;
    }
    (starts, places)
}

fn check_hold(hold: Hold) -> Result<(), WorldError> {
    hold.check()?;
    match hold.damping {
        0.0 => Ok(()),
        value => Err(WorldError::BadNumber {
            what: "damping of a region",
            value,
            needs: "0, since regions have no dashpot",
        }),
    }
}

impl super::RegionParam {
    /// Whether it may have that value.
    fn check(&self, value: f32) -> Result<(), WorldError> {
        if value >= self.min && value <= self.max {
            return Ok(());
        }
        Err(WorldError::BadNumber { what: self.name, value, needs: self.needs })
    }
}

/// The set of that kind, made if there is none.
pub(crate) fn set_of<'a>(sets: &'a mut Vec<Set>, kind: &'static RegionKind) -> &'a mut Set {
    let index = sets.iter().position(|set| set.kind().name == kind.name);
    let index = index.unwrap_or_else(|| {
        sets.push(Set::new(kind));
        sets.len() - 1
    });
    &mut sets[index]
}
