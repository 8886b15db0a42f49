//! Bodies: blueprints to build them from, and the handles by which they are known in a world.
//! WGSL twin: `body.wgsl`

use std::ops::Range;

use glam::{Quat, Vec3};

use crate::constraint::Kind;
use crate::constraint::set::{Hold, Set};
use crate::contact::Touch;
use crate::error::WorldError;
use crate::integrate::Stepping;
use crate::region::{self, Region};
use crate::skin::Skin;

/// What the shaders of sleep and quarantine share.
pub(crate) const WGSL: &str = include_str!("body.wgsl");

/// A body before it enters a world: particles, triangles and constraints, counted from 0.
///
/// One blueprint can be added to any number of worlds, any number of times.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// The name, for people.
    pub name: String,
    /// Where the particles are at rest (m).
    pub positions: Vec<Vec3>,
    /// Their masses (kg), one for each position.
    pub masses: Vec<f32>,
    /// Particles that are pinned from the start.
    pub pins: Vec<u32>,
    /// Particles that meet nothing: mass that is inside.
    pub ghosts: Vec<u32>,
    /// Distance that colliders keep from every particle (m).
    pub radius: f32,
    /// Bits that say which colliders the body meets.
    pub phase: u32,
    /// The surface: corners counter-clockwise, seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The constraints, one set per kind.
    pub sets: Vec<Set>,
    /// Lists of particles that are solved as one, one set per kind.
    pub regions: Vec<region::Set>,
    /// Whether constraints move it, or forces.
    pub stepping: Stepping,
    /// How it meets other bodies, and itself.
    pub touch: Touch,
    /// What is seen instead of the triangles, and follows the particles.
    pub skin: Option<Skin>,
}

impl Default for Blueprint {
    fn default() -> Self {
        Self {
            name: String::new(),
            positions: Vec::new(),
            masses: Vec::new(),
            pins: Vec::new(),
            ghosts: Vec::new(),
            radius: 0.0,
            phase: 1,
            triangles: Vec::new(),
            sets: Vec::new(),
            regions: Vec::new(),
            stepping: Stepping::Constraints,
            touch: Touch::NOTHING,
            skin: None,
        }
    }
}

impl Blueprint {
    /// Adds a particle of `mass` (kg) at `position` (m) and returns its index.
    pub fn particle(&mut self, position: Vec3, mass: f32) -> u32 {
        self.positions.push(position);
        self.masses.push(mass);
        (self.positions.len() - 1) as u32
    }

    /// Joins particles by a constraint that is at rest in the present pose.
    ///
    /// # Errors
    /// If a particle is missing or named twice, their number is not the kind's, or a number of
    /// `hold` is out of range.
    pub fn join(
        &mut self,
        kind: &'static Kind,
        particles: &[u32],
        hold: Hold,
    ) -> Result<(), WorldError> {
        let x = positions_of(kind, particles, self.positions.len(), |i| self.positions[i])?;
        self.join_with_rest(kind, particles, &kind.rest(&x), hold)
    }

    /// Joins particles by a constraint with the rest values given.
    ///
    /// # Errors
    /// As [`Self::join`], and if the rest values are not the kind's, or not finite.
    pub fn join_with_rest(
        &mut self,
        kind: &'static Kind,
        particles: &[u32],
        rest: &[f32],
        hold: Hold,
    ) -> Result<(), WorldError> {
        check_particles(kind.name, particles, self.positions.len())?;
        set_of(&mut self.sets, kind)?.push(particles, rest, hold)?;
        Ok(())
    }

    /// Makes particles a region that is at rest in the present pose.
    ///
    /// # Errors
    /// If a particle is missing or named twice, or the region is not as its kind wants it.
    pub fn gather(&mut self, region: &Region) -> Result<(), WorldError> {
        check_particles(region.kind.name, &region.members, self.positions.len())?;
        let rest: Vec<Vec3> = region.members.iter().map(|&i| self.positions[i as usize]).collect();
        region::set::set_of(&mut self.regions, region.kind).push(region, &rest)?;
        Ok(())
    }

    /// The same body, turned about the origin by `rotation`, then moved by `translation` (m).
    #[must_use]
    pub fn placed(mut self, rotation: Quat, translation: Vec3) -> Self {
        for x in &mut self.positions {
            *x = rotation * *x + translation;
        }
        self
    }

    /// The same body with other pins.
    #[must_use]
    pub fn pinned(mut self, pins: &[u32]) -> Self {
        self.pins = pins.to_vec();
        self
    }

    /// The same body, moved in another way.
    #[must_use]
    pub fn stepped(mut self, stepping: Stepping) -> Self {
        self.stepping = stepping;
        self
    }

    /// The same body, meeting other bodies or itself.
    #[must_use]
    pub fn touching(mut self, touch: Touch) -> Self {
        self.touch = touch;
        self
    }

    /// The same body with a surface to be seen, bound to its particles.
    #[must_use]
    pub fn skinned(mut self, skin: Skin) -> Self {
        self.skin = Some(skin);
        self
    }

    /// Checks all that [`crate::World::add`] relies on.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let count = self.positions.len();
        if self.masses.len() != count {
            let (expected, found) = (count, self.masses.len());
            return Err(WorldError::WrongCount { kind: "body", what: "masses", expected, found });
        }
        for x in &self.positions {
            if let Some(&value) = x.as_ref().iter().find(|c| !c.is_finite()) {
                return Err(WorldError::BadNumber { what: "position", value, needs: "finite" });
            }
        }
        for &value in &self.masses {
            // The inverse must be finite too: a mass of 1e-40 kg has none.
            if !(value > 0.0 && value.is_finite() && value.recip().is_finite()) {
                let needs = "positive and finite (to hold a particle, pin it)";
                return Err(WorldError::BadNumber { what: "mass", value, needs });
            }
        }
        if !(self.radius >= 0.0 && self.radius.is_finite()) {
            let (what, value) = ("radius", self.radius);
            return Err(WorldError::BadNumber { what, value, needs: "finite and at least 0" });
        }
        self.touch.check()?;
        check_particles("pin", &self.pins, count)?;
        check_particles("ghost", &self.ghosts, count)?;
        check_particles("triangle", self.triangles.as_flattened(), count)?;
        if let Some(skin) = &self.skin {
            skin.check(count)?;
        }
        for set in &self.regions {
            (0..set.len())
                .try_for_each(|n| check_particles(set.kind().name, set.members(n), count))?;
        }
        self.sets.iter().try_for_each(|set| {
            (0..set.len())
                .try_for_each(|n| check_particles(set.kind().name, set.particles(n), count))
        })
    }
}

/// The set of that kind, made if there is none.
pub(crate) fn set_of<'a>(
    sets: &'a mut Vec<Set>,
    kind: &'static Kind,
) -> Result<&'a mut Set, WorldError> {
    let index = sets.iter().position(|set| set.kind().name == kind.name);
    let index = index.unwrap_or_else(|| {
        sets.push(Set::new(kind));
        sets.len() - 1
    });
    if !sets[index].kind().is(kind) {
        return Err(WorldError::NameTaken { name: kind.name });
    }
    Ok(&mut sets[index])
}

/// Refuses indices that are not below `count`.
pub(crate) fn check_particles(
    user: &'static str,
    particles: &[u32],
    count: usize,
) -> Result<(), WorldError> {
    // Without an early end, several are compared at once.
    let last = particles.iter().fold(0, |last, &index| last.max(index));
    if particles.is_empty() || (last as usize) < count {
        return Ok(());
    }
    let missing = particles.iter().find(|&&index| index as usize >= count);
    let index = missing.copied().unwrap_or(last);
    Err(WorldError::MissingParticle { user, index, count })
}

/// Where the particles of a constraint are, after checking that they exist and fit the kind.
pub(crate) fn positions_of(
    kind: &Kind,
    particles: &[u32],
    count: usize,
    position: impl Fn(usize) -> Vec3,
) -> Result<Vec<Vec3>, WorldError> {
    check_particles(kind.name, particles, count)?;
    if particles.len() != kind.particles {
        let (expected, found) = (kind.particles, particles.len());
        return Err(WorldError::WrongCount { kind: kind.name, what: "particles", expected, found });
    }
    Ok(particles.iter().map(|&i| position(i as usize)).collect())
}

/// Names a body of a world, also after others were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

impl BodyId {
    /// A number that no other body of the world has while this one is there.
    pub fn index(self) -> u32 {
        self.index
    }
}

/// A body in a world: which particles and triangles are its own, and whether it moves.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The name, for people.
    pub name: String,
    /// Its particles.
    pub particles: Range<u32>,
    /// Its triangles.
    pub triangles: Range<u32>,
    /// What is seen instead of the triangles.
    pub skin: Option<Skin>,
    /// Whether it lies still and is not computed.
    pub asleep: bool,
    /// Whether it is held because its numbers stopped being finite; see [`crate::Quarantine`].
    pub held: bool,
    /// Whether constraints move it, or forces; see [`crate::World::set_stepping`].
    pub stepping: Stepping,
    /// How it meets other bodies, and itself; see [`crate::World::set_touch`].
    pub touch: Touch,
    /// The same for all pieces of what was one body, and for no other: they look alike.
    pub kin: u32,
    /// How long it has been slow (s).
    pub(crate) quiet: f32,
    /// The lowest index of the bodies that constraints tie to this one; they sleep together.
    pub(crate) island: u32,
}

impl Body {
    /// The range of its particles, for slicing.
    pub fn range(&self) -> Range<usize> {
        self.particles.start as usize..self.particles.end as usize
    }
}
