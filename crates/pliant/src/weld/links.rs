//! Links that a cut took out of a lattice come back.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use crate::constraint::distance;
use crate::constraint::set::{Hold, Set};
use crate::edit::Changes;
use crate::error::WorldError;
use crate::tear::Strength;
use crate::world::World;

/// How much longer than the longest link of a particle a link is that it never had.
const MARGIN: f32 = 1.01;

/// A link that is to come back: like those of its ends, as long as these are apart at rest.
pub(super) struct Link {
    pub(super) ends: [u32; 2],
    length: f32,
    hold: Hold,
    strength: Strength,
}

/// Links that particles of a lattice do not have but could: their ends are no further apart at rest
/// than others of both are long, and two lattices are one at rest.
pub(super) fn missing(world: &World, near: &[u32]) -> Vec<Link> {
    let Some(set) = world.constraints_of(&distance::KIND) else { return Vec::new() };
    let rest = |i: u32| world.particles.rest[i as usize].truncate();
    let lattice = Lattice::of(world, set, near);
    let mut found = Vec::new();
    // In order along x, only those within reach are looked at.
    let mut by_x: Vec<u32> = lattice.links.keys().copied().collect();
    by_x.sort_by(|&a, &b| rest(a).x.total_cmp(&rest(b).x).then(a.cmp(&b)));
    for (k, &a) in by_x.iter().enumerate() {
        let reach = lattice.reach(a);
        let others = by_x[k + 1..].iter().copied();
        for b in others.take_while(|&b| rest(b).x - rest(a).x <= reach) {
            let length = rest(a).distance(rest(b));
            let ends = [a.min(b), a.max(b)];
            let fits = length > 0.0 && length <= reach.min(lattice.reach(b));
            if fits && !lattice.pairs.contains(&ends) {
                let like = lattice.like(a, length);
                let (hold, strength) = (set.hold(like), set.strength(like));
                found.push(Link { ends, length, hold, strength });
            }
        }
    }
    found
}

/// The links of some particles.
struct Lattice {
    /// The links of each particle: their lengths, and numbers.
    links: BTreeMap<u32, Vec<(f32, usize)>>,
    pairs: BTreeSet<[u32; 2]>,
}

impl Lattice {
    /// Those of bodies that are solids of links; and of these, links whose length is that of the rest
    /// places of their ends, so that these speak of one shape.
    fn of(world: &World, set: &Set, near: &[u32]) -> Self {
        let wanted: BTreeSet<u32> = near.iter().copied().collect();
        let solid: BTreeSet<u32> = world
            .bodies()
            .map(|(id, _)| id)
            .filter(|&id| world.is_lattice(id))
            .map(|id| id.index)
            .collect();
        let rest = |i: u32| -> Vec3 { world.particles.rest[i as usize].truncate() };
        let (mut links, mut pairs) = (BTreeMap::<u32, Vec<(f32, usize)>>::new(), BTreeSet::new());
        for number in 0..set.len() {
            let &[a, b] = set.particles(number) else { continue };
            let [slot, other] = [a, b].map(|i| world.particles.body[i as usize]);
            pairs.insert([a.min(b), a.max(b)]);
            let length = rest(a).distance(rest(b));
            if slot != other || !solid.contains(&slot) || length <= 0.0 {
                continue;
            }
            for i in [a, b].into_iter().filter(|i| wanted.contains(i)) {
                links.entry(i).or_default().push((length, number));
            }
        }
        Self { links, pairs }
    }

    /// How long a link of a particle can be (m).
    fn reach(&self, i: u32) -> f32 {
        self.links[&i].iter().map(|link| link.0).fold(0.0, f32::max) * MARGIN
    }

    /// The link of a particle whose length is nearest.
    fn like(&self, i: u32, length: f32) -> usize {
        let off = |link: &&(f32, usize)| (link.0 - length).abs();
        let found = self.links[&i].iter().min_by(|a, b| off(a).total_cmp(&off(b)));
        found.map_or(0, |link| link.1)
    }
}

/// Adds links, their ends named as before the edit.
pub(super) fn add(world: &mut World, links: &[Link], changes: &Changes) -> Result<(), WorldError> {
    for link in links {
        let [Some(a), Some(b)] = link.ends.map(|i| changes.particles[i as usize]) else { continue };
        let number = world.join_with_rest(&distance::KIND, &[a, b], &[link.length], link.hold)?;
        if let Some(set) = world.constraints_of_mut(&distance::KIND)
            && link.strength != Strength::default()
        {
            set.set_strength(number, link.strength)?;
        }
    }
    Ok(())
}
