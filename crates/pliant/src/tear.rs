//! Tearing: what bears too much breaks, and bodies open there.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use crate::body::{Blueprint, BodyId};
use crate::constraint::set::Set;
use crate::constraint::{Kind, bend, distance, neo_hookean};
use crate::error::WorldError;
use crate::region::{self, matched};
use crate::world::World;

mod solids;
mod strengths;

pub(crate) use strengths::Strengths;

use solids::{Element, Loads, Spot};

/// What a link, a tetrahedron or a matched shape bears, and how it gives; of a hinge, how it gives.
/// Plain data; the default bears anything and keeps its shape.
///
/// ```text
///  force │          ╱─────────╳ broken      elastic up to the yield strain, plastic from there to
///        │   yield ╱ plastic                the most that it keeps, then elastic again, until it
///        │        ╱                         breaks
///        │       ╱ elastic
///        └──────────────────── strain
/// ```
///
/// ```
/// use pliant::{World, shapes::Rope, tear::Strength};
///
/// let thread = Strength { break_force: 20.0, ..Strength::default() };
/// let rope = Rope::default().blueprint()?.of_strength(thread)?;
/// World::default().add(&rope)?;
/// # Ok::<(), pliant::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Strength {
    /// It breaks when stretched by more than this, over its length at rest; solids in any direction.
    pub break_strain: f32,
    /// It breaks when pulled by more than this (N), which XPBD alone knows: under PBD it does not. Of a
    /// tetrahedron, the pull on a cube of its volume; matched shapes do not break by force.
    pub break_force: f32,
    /// Strain up to which it springs back whole, stretched or squeezed; of a hinge, in rad; of a solid,
    /// of equal volume and as a logarithm.
    pub yield_strain: f32,
    /// Rate at which what is beyond that becomes its shape (1/s); infinite is at once.
    pub creep: f32,
    /// The most of it that becomes its shape, as a strain. Beyond, it is elastic again.
    pub most_plastic: f32,
    /// How much harder it yields for every strain that it has kept.
    pub hardening: f32,
}

impl Default for Strength {
    fn default() -> Self {
        Self::of(Self::UNLIMITED)
    }
}

impl Strength {
    /// The columns of something unbreakable and elastic: the fields in order, then the strain kept.
    pub(crate) const UNLIMITED: [f32; 7] =
        [f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0, 0.0];
    /// The column of the force at which it breaks.
    pub(crate) const FORCE: usize = 1;
    /// The column of the strain that stays.
    pub(crate) const KEPT: usize = 6;

    pub(crate) fn of(row: [f32; 7]) -> Self {
        let [break_strain, break_force, yield_strain, creep, most_plastic, hardening, _] = row;
        Self { break_strain, break_force, yield_strain, creep, most_plastic, hardening }
    }

    /// The fields in order.
    pub(crate) fn numbers(self) -> [f32; 6] {
        let Self { break_strain, break_force, yield_strain, creep, most_plastic, hardening } = self;
        [break_strain, break_force, yield_strain, creep, most_plastic, hardening]
    }

    pub(crate) fn check(self) -> Result<(), WorldError> {
        let names = [
            "strain at which it breaks",
            "force at which it breaks",
            "yield strain",
            "creep",
            "most plastic strain",
            "hardening",
        ];
        for (what, value) in names.into_iter().zip(self.numbers()) {
            if value.is_nan() || value < 0.0 {
                return Err(WorldError::BadNumber { what, value, needs: "at least 0" });
            }
        }
        match self.hardening.is_finite() {
            true => Ok(()),
            false => Err(WorldError::BadNumber {
                what: "hardening",
                value: self.hardening,
                needs: "finite (to stay elastic, set an infinite yield strain)",
            }),
        }
    }
}

impl Blueprint {
    /// The same body with links, tetrahedra (neo-Hookean ones) and matched shapes that bear so much.
    ///
    /// # Errors
    /// If a number is out of range, or the body has none of these.
    pub fn of_strength(self, strength: Strength) -> Result<Self, WorldError> {
        self.painted(|_| strength)
    }

    /// The same, each with the strength that `paint` gives for its middle (m).
    ///
    /// # Errors
    /// If a number is out of range, or the body has nothing that bears what `paint` gives.
    pub fn painted(mut self, paint: impl Fn(Vec3) -> Strength) -> Result<Self, WorldError> {
        let positions = &self.positions;
        let middle = |ids: &[u32]| {
            ids.iter().map(|&i| positions[i as usize]).sum::<Vec3>() / ids.len() as f32
        };
        let bears = |kind: &Kind| kind.is(&distance::KIND) || kind.is(&neo_hookean::KIND);
        let set_bears = self.sets.iter().any(|set| bears(set.kind()) && !set.is_empty());
        let is_shape = |set: &region::Set| set.kind().name == matched::KIND.name;
        let anything = set_bears || self.regions.iter().any(|set| is_shape(set) && !set.is_empty());
        let limited = || positions.iter().any(|&x| paint(x) != Strength::default());
        if !anything && limited() {
            return Err(WorldError::NothingBears { body: self.name.clone() });
        }
        for set in self.sets.iter_mut().filter(|set| bears(set.kind())) {
            for number in 0..set.len() {
                let strength = paint(middle(set.particles(number)));
                set.set_strength(number, strength)?;
            }
        }
        for set in self.regions.iter_mut().filter(|set| is_shape(set)) {
            for number in 0..set.len() {
                let strength = paint(middle(set.members(number)));
                set.set_strength(number, strength)?;
            }
        }
        Ok(self)
    }

    /// The same body with hinges that keep their angle ([`crate::constraint::bend`]) and bear so much:
    /// paper and sheet metal, that stay folded.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn of_folding(mut self, strength: Strength) -> Result<Self, WorldError> {
        for set in self.sets.iter_mut().filter(|set| set.kind().is(&bend::KIND)) {
            (0..set.len()).try_for_each(|number| set.set_strength(number, strength))?;
        }
        Ok(self)
    }
}

/// Breaks the most overloaded element of every body; the others may bear what is left.
pub(crate) fn tear(world: &mut World) {
    let mut done = BTreeSet::new();
    while let Some((id, worst)) = overloaded(world, &done) {
        // Fails only if there are more particles than can be named; then nothing tears any more.
        let _: Result<(), WorldError> = break_one(world, id, &worst);
        done.insert(id);
    }
}

/// The first body that bears too much and is not `done`, and its element that bears most.
fn overloaded(world: &World, done: &BTreeSet<BodyId>) -> Option<(BodyId, Element)> {
    let mut worst: BTreeMap<u32, Element> = BTreeMap::new();
    for element in Loads::of(world).all(1.0).filter(|element| element.ratio > 1.0) {
        let body = world.particles.body[element.particles[0] as usize];
        if worst.get(&body).is_none_or(|other| element.ratio > other.ratio) {
            worst.insert(body, element);
        }
    }
    let mut bodies = world.bodies().map(|(id, _)| id).filter(|id| !done.contains(id));
    bodies.find_map(|id| Some((id, worst.remove(&id.index)?)))
}

impl World {
    /// Whether a link has no length: it holds two particles together, and is no part of a body.
    fn is_suture(&self, number: usize) -> bool {
        let rest = |set: &Set| set.rest(number).next();
        self.constraints_of(&distance::KIND).and_then(rest) == Some(0.0)
    }
}

/// What something bears, over what it can; more than 1 if and only if it bears too much.
fn ratio(value: f64, limit: f32) -> f32 {
    let (value, limit) = (value as f32, limit);
    match value > limit {
        true => (value / limit).max(1.0 + f32::EPSILON),
        false if limit > 0.0 && value > 0.0 => value / limit,
        false => 0.0,
    }
}

fn break_one(world: &mut World, id: BodyId, worst: &Element) -> Result<(), WorldError> {
    if let Spot::Link(number) = worst.spot
        && world.is_suture(number)
    {
        return world.take_link(id, number);
    }
    let solid = world.is_visible_solid(id)?;
    if solid && solids::fracture(world, id, worst)? {
        return Ok(());
    }
    match worst.spot {
        Spot::Link(number) => break_link(world, id, number),
        Spot::Tet(_) | Spot::Shape(_) => Ok(()),
    }
}

fn ends(world: &World, set: &Set, number: usize) -> [Vec3; 2] {
    let ids = set.particles(number);
    [ids[0], ids[1]].map(|i| world.particles.position(i as usize))
}

/// Opens a sheet at an end of a link, across it; of other bodies, or if that opens nothing, takes the
/// link out.
fn break_link(world: &mut World, id: BodyId, number: usize) -> Result<(), WorldError> {
    let Some(set) = world.constraints_of(&distance::KIND) else { return Ok(()) };
    let [a, b] = ends(world, set, number);
    let ids = [set.particles(number)[0], set.particles(number)[1]];
    for (i, along) in [(ids[0], b - a), (ids[1], a - b)] {
        let edges = edges_across(world, id, i, along)?;
        let before = world.particles.len();
        if !edges.is_empty() && world.sever(id, &edges)?.is_some() && world.particles.len() > before
        {
            return Ok(());
        }
    }
    world.take_link(id, number)
}

/// The sides at a particle between triangles that lie along a direction and triangles that lie
/// against it.
///
/// Müller et al. 2007, "Position Based Dynamics", split a vertex by the plane across an edge that is
/// stretched too far.
fn edges_across(
    world: &World,
    id: BodyId,
    particle: u32,
    along: Vec3,
) -> Result<Vec<[u32; 2]>, WorldError> {
    let body = world.body(id)?;
    let x = |i: u32| world.particles.position(i as usize);
    let range = body.triangles.start as usize..body.triangles.end as usize;
    let mut sides: Vec<(u32, bool)> = Vec::new();
    for corners in world.triangles[range].iter().filter(|corners| corners.contains(&particle)) {
        let others = corners.iter().copied().filter(|&i| i != particle);
        let ahead = others.clone().map(|i| (x(i) - x(particle)).dot(along)).sum::<f32>() > 0.0;
        sides.extend(others.map(|other| (other, ahead)));
    }
    sides.sort_unstable();
    sides.dedup();
    let pairs = sides.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    Ok(pairs.map(|pair| [particle, pair[0].0]).collect())
}
