//! Tearing: links break that bear too much, and sheets open where they do.

use glam::Vec3;

use crate::body::{Blueprint, BodyId};
use crate::constraint::set::Set;
use crate::constraint::{Kind, bend, distance};
use crate::error::WorldError;
use crate::world::World;

/// What a link bears, and how it gives; of a hinge, how it gives. Plain data; the default bears anything and keeps its length.
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
    /// It breaks when stretched by more than this, over its rest length.
    pub break_strain: f32,
    /// It breaks when pulled by more than this (N), which XPBD alone knows: under PBD it does not.
    pub break_force: f32,
    /// Strain up to which it springs back whole, stretched or squeezed; of a hinge, in rad.
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
    /// The same body with links that bear so much.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn of_strength(self, strength: Strength) -> Result<Self, WorldError> {
        self.with_strength(&distance::KIND, strength)
    }

    /// The same body with hinges that keep their angle ([`crate::constraint::bend`]) and bear so much:
    /// paper and sheet metal, that stay folded.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn of_folding(self, strength: Strength) -> Result<Self, WorldError> {
        self.with_strength(&bend::KIND, strength)
    }

    fn with_strength(mut self, kind: &Kind, strength: Strength) -> Result<Self, WorldError> {
        for set in self.sets.iter_mut().filter(|set| set.kind().is(kind)) {
            (0..set.len()).try_for_each(|number| set.set_strength(number, strength))?;
        }
        Ok(self)
    }
}

/// Breaks the most overloaded link of every body; the others may bear what is left.
pub(crate) fn tear(world: &mut World) {
    for (id, number) in overloaded(world) {
        // Fails only if there are more particles than can be named; then nothing tears any more.
        let _: Result<(), WorldError> = break_link(world, id, number);
    }
}

/// The link of each body that bears most, of those that bear too much, the last first: to take one
/// out leaves the numbers before it.
fn overloaded(world: &World) -> Vec<(BodyId, usize)> {
    let Some(set) = world.constraints_of(&distance::KIND) else { return Vec::new() };
    if set.strength.is_empty() {
        return Vec::new();
    }
    let mut worst = vec![(1.0f32, None); world.slots.len()];
    for number in 0..set.len() {
        let load = load(world, set, number);
        let body = world.particles.body[set.particles(number)[0] as usize] as usize;
        if load > worst[body].0 {
            worst[body] = (load, Some(number));
        }
    }
    let mut found: Vec<(BodyId, usize)> = world
        .bodies()
        .filter_map(|(id, _)| worst[id.index as usize].1.map(|number| (id, number)))
        .collect();
    found.sort_by_key(|&(_, number)| std::cmp::Reverse(number));
    found
}

/// What a link bears, over what it can: its strain, or its tension −λ/h², whichever is more.
fn load(world: &World, set: &Set, number: usize) -> f32 {
    let slot = set.slots[number] as usize;
    let [strain, force] = [0, Strength::FORCE].map(|column| set.strength[column][slot]);
    if strain == f32::INFINITY && force == f32::INFINITY {
        return 0.0;
    }
    let rest = set.rest[0][slot];
    let [a, b] = ends(world, set, number);
    let stretched = if rest > 0.0 { a.distance(b) / rest - 1.0 } else { 0.0 };
    let tension = if world.h > 0.0 { -set.lambda[slot] / (world.h * world.h) } else { 0.0 };
    let over = |value: f32, limit: f32| {
        if value > limit { (value / limit).max(1.0 + f32::EPSILON) } else { 0.0 }
    };
    over(stretched, strain).max(over(tension, force))
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
