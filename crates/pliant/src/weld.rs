//! Welding and suturing: the inverse of a cut.
//!
//! Welded particles become one, with the mass and momentum of all, and what is twice then becomes one:
//! constraints add their stiffness, triangles and visible vertices that coincide are joined, and the
//! faces that a cut laid open disappear. Bodies that are welded are one body. Sutures are links of no
//! length, which may break. Triangles of a lattice that a blade has crossed, which others touch, do
//! not come back.
//!
//! ```
//! use pliant::{Blade, World, glam::Vec3, shapes::Cloth};
//!
//! let mut world = World::default();
//! world.add(&Cloth::default().blueprint()?)?;
//! world.cut(&Blade::plane(Vec3::X * 0.1, Vec3::X)?)?;
//! let seam = [Vec3::new(0.1, 0.0, -1.0), Vec3::new(0.1, 0.0, 1.0)];
//! world.weld_along(&seam, 0.2)?;
//! assert_eq!(world.bodies().count(), 1);
//! # Ok::<(), pliant::WorldError>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, Vec3};

use crate::body::{BodyId, check_particles};
use crate::constraint::distance;
use crate::constraint::set::{Hold, Set};
use crate::edit::{Changes, Edit};
use crate::error::WorldError;
use crate::mesh::joined::Joined;
use crate::tear::Strength;
use crate::world::World;

mod links;
mod surface;

/// Which particles become one, and which bodies.
struct Seam {
    /// What each particle that goes becomes.
    into: BTreeMap<u32, u32>,
    /// What each body that goes becomes.
    bodies: BTreeMap<BodyId, BodyId>,
}

impl World {
    /// Makes particles one, pair by pair, of one body or of several, which become one body: the first.
    /// Masses and momenta add up; where they are is the mean of where they were, or the place of one
    /// that is pinned.
    ///
    /// # Errors
    /// If a particle is not there; nothing changes then.
    pub fn weld(&mut self, pairs: &[[u32; 2]]) -> Result<Changes, WorldError> {
        self.weld_and_link(pairs, &[])
    }

    /// Welds everything within `distance` of a path (both in m): particles that a cut has split from
    /// one another, and links that it took. If there are none, particles of different bodies, each
    /// with the nearest.
    ///
    /// # Errors
    /// If a number is not finite; nothing changes then.
    pub fn weld_along(&mut self, path: &[Vec3], distance: f32) -> Result<Changes, WorldError> {
        let numbers = path.iter().flat_map(|x| x.to_array()).chain([distance]);
        if let Some(value) = numbers.into_iter().find(|value| !value.is_finite()) {
            let what = "number of a seam";
            return Err(WorldError::BadNumber { what, value, needs: "finite" });
        }
        let near: Vec<u32> = (0..self.particles.len() as u32)
            .filter(|&i| distance_to(path, self.particles.position(i as usize)) <= distance)
            .collect();
        let pairs = self.split_pairs(&near);
        let links = links::missing(self, &near);
        if pairs.is_empty() && links.is_empty() {
            let pairs = self.nearest_pairs(&near, distance);
            return self.weld_and_link(&pairs, &[]);
        }
        self.weld_and_link(&pairs, &links)
    }

    /// Sews particles together, pair by pair, with links of no length that bear `break_force` (N).
    /// Returns their numbers among the distances.
    ///
    /// # Errors
    /// If a particle is not there or is sewn to itself, or a number is out of range.
    pub fn suture(
        &mut self,
        pairs: &[[u32; 2]],
        hold: Hold,
        break_force: f32,
    ) -> Result<Vec<usize>, WorldError> {
        let strength = Strength { break_force, ..Strength::default() };
        strength.check()?;
        let mut numbers = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let number = self.join_with_rest(&distance::KIND, pair, &[0.0], hold)?;
            if let Some(set) = self.constraints_of_mut(&distance::KIND) {
                set.set_strength(number, strength)?;
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    fn weld_and_link(
        &mut self,
        pairs: &[[u32; 2]],
        links: &[links::Link],
    ) -> Result<Changes, WorldError> {
        check_particles("weld", pairs.as_flattened(), self.particles.len())?;
        let seam = Seam::of(self, pairs, links);
        let mut edit = self.edit();
        for (&gone, &kept) in &seam.into {
            edit.merge(kept, gone);
        }
        for (&gone, &kept) in &seam.bodies {
            edit.unite(kept, gone);
        }
        for set in self.sets.iter().filter(|set| !set.is_empty()) {
            carry(set, &seam, &mut edit)?;
        }
        let bodies = seam.concerned(self, links);
        surface::join(self, &seam, &bodies, &mut edit)?;
        for id in seam.bodies.keys().chain(&bodies) {
            self.release(*id)?;
        }
        let changes = self.apply(&edit)?;
        links::add(self, links, &changes)?;
        Ok(changes)
    }

    /// Particles that were one before a cut: they have the same place at rest.
    fn split_pairs(&self, near: &[u32]) -> Vec<[u32; 2]> {
        let place =
            |&i: &u32| self.particles.rest[i as usize].truncate().to_array().map(f32::to_bits);
        let mut by_place: Vec<u32> = near.to_vec();
        by_place.sort_by_key(|i| (place(i), *i));
        let pairs = by_place.windows(2).filter(|pair| place(&pair[0]) == place(&pair[1]));
        pairs.map(|pair| [pair[0], pair[1]]).collect()
    }

    /// Particles of different bodies that are nearest to each other.
    fn nearest_pairs(&self, near: &[u32], distance: f32) -> Vec<[u32; 2]> {
        let x = |i: u32| self.particles.position(i as usize);
        let body = |i: u32| self.particles.body[i as usize];
        let nearest = |i: u32| {
            let others = near.iter().copied().filter(|&j| body(j) != body(i));
            let others = others.filter(|&j| x(i).distance(x(j)) <= distance);
            others.min_by(|&a, &b| x(i).distance(x(a)).total_cmp(&x(i).distance(x(b))))
        };
        let found: BTreeMap<u32, u32> =
            near.iter().filter_map(|&i| Some((i, nearest(i)?))).collect();
        let mutual = found.iter().filter(|&(i, j)| i < j && found.get(j) == Some(i));
        mutual.map(|(&i, &j)| [i, j]).collect()
    }
}

impl Seam {
    fn of(world: &World, pairs: &[[u32; 2]], links: &[links::Link]) -> Self {
        let mut particles = Joined::new(world.particles.len());
        let mut slots = Joined::new(world.slots.len());
        let slot = |i: u32| world.particles.body[i as usize];
        pairs.iter().for_each(|&[a, b]| particles.join(a, b));
        let linked = links.iter().map(|link| link.ends);
        pairs.iter().copied().chain(linked).for_each(|[a, b]| slots.join(slot(a), slot(b)));
        let mut into = BTreeMap::new();
        for &i in pairs.as_flattened() {
            let kept = particles.root(i);
            if kept != i {
                into.insert(i, kept);
            }
        }
        let id = |index: u32| BodyId { index, generation: world.slots[index as usize].generation };
        let mut bodies = BTreeMap::new();
        for index in 0..world.slots.len() as u32 {
            let kept = slots.root(index);
            if kept != index {
                bodies.insert(id(index), id(kept));
            }
        }
        Self { into, bodies }
    }

    /// What a particle becomes.
    fn name(&self, i: u32) -> u32 {
        self.into.get(&i).copied().unwrap_or(i)
    }

    /// The bodies that stay and get something.
    fn concerned(&self, world: &World, links: &[links::Link]) -> Vec<BodyId> {
        let ends = self.into.values().copied().chain(links.iter().map(|link| link.ends[0]));
        let slots = ends.map(|i| world.particles.body[i as usize]);
        let id = |index: u32| BodyId { index, generation: world.slots[index as usize].generation };
        let kept = slots.map(|index| self.bodies.get(&id(index)).copied().unwrap_or(id(index)));
        let found: BTreeSet<BodyId> = kept.collect();
        found.into_iter().collect()
    }
}

/// Constraints follow their particles; those that are then between the same ones become one.
fn carry(set: &Set, seam: &Seam, edit: &mut Edit) -> Result<(), WorldError> {
    let seamed: BTreeSet<u32> = seam.into.iter().flat_map(|(&a, &b)| [a, b]).collect();
    let kind = set.kind().name;
    let stiffness = |number: usize| 1.0 / f64::from(set.hold(number).compliance);
    let mut found: BTreeMap<Vec<u32>, (usize, f64)> = BTreeMap::new();
    for number in 0..set.len() {
        let ids = set.particles(number);
        if !ids.iter().any(|i| seamed.contains(i)) {
            continue;
        }
        let names: Vec<u32> = ids.iter().map(|&i| seam.name(i)).collect();
        let collapsed = (1..names.len()).any(|k| names[..k].contains(&names[k]));
        let mut key = names.clone();
        if key.len() == 2 {
            key.sort_unstable();
        }
        if collapsed {
            edit.take(kind, number as u32)?;
        } else if let Some((_, sum)) = found.get_mut(&key).filter(|_| key.len() > 1) {
            *sum += stiffness(number);
            edit.take(kind, number as u32)?;
        } else {
            // What is held at a place of its own stays apart.
            key.extend((names.len() == 1).then_some(number as u32));
            found.insert(key, (number, stiffness(number)));
        }
    }
    for (number, sum) in found.into_values() {
        let ids = set.particles(number);
        let names: Vec<u32> = ids.iter().map(|&i| seam.name(i)).collect();
        let share = if sum.is_finite() { sum / stiffness(number) } else { 1.0 };
        if names != ids {
            // It comes anew, since a particle has neighbours now that have its colour.
            edit.take(kind, number as u32)?;
            edit.add_like(kind, number as u32, &names, share)?;
        } else if share != 1.0 {
            edit.move_to(kind, number as u32, &names, share)?;
        }
    }
    Ok(())
}

/// The distance of a point from a path (m); infinite if that has no points.
fn distance_to(path: &[Vec3], x: Vec3) -> f32 {
    let to_point = path.first().map_or(f32::INFINITY, |first| first.distance(x));
    let to_segment = |pair: &[Vec3]| {
        let (from, along) = (pair[0].as_dvec3(), (pair[1] - pair[0]).as_dvec3());
        let way: DVec3 = x.as_dvec3() - from;
        let t = way.dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        (way - along * t.clamp(0.0, 1.0)).length() as f32
    };
    path.windows(2).map(to_segment).fold(to_point, f32::min)
}
