//! What is true of every world, after every edit.

use std::error::Error;
use std::fmt;

use crate::constraint::set::Set;
use crate::look;
use crate::region;
use crate::world::World;

/// Something that should always hold and does not: a bug, in the engine or in code that wrote to
/// public fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(String);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Error for Broken {}

fn hold(holds: bool, what: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(what())) }
}

impl World {
    /// Checks what is true of every world: columns are of one length, indices point somewhere,
    /// bodies share nothing, no two constraints of a colour share a particle, masses are positive,
    /// and what is seen of a body is a manifold.
    ///
    /// # Errors
    /// If something does not hold; the error says what.
    pub fn check(&self) -> Result<(), Broken> {
        self.check_columns()?;
        self.check_bodies()?;
        self.check_masses()?;
        self.sets.iter().try_for_each(|set| check_set(set, self.particles.len()))?;
        self.regions.iter().try_for_each(|set| check_regions(set, self.particles.len()))?;
        for (index, force) in self.forces.iter().enumerate() {
            let lost = force.particles.iter().find(|&&i| i as usize >= self.particles.len());
            hold(lost.is_none(), || format!("force {index} acts on particle {lost:?}"))?;
        }
        self.check_surfaces()
    }

    fn check_columns(&self) -> Result<(), Broken> {
        let particles = &self.particles;
        let lengths = [
            particles.predicted.len(),
            particles.v.len(),
            particles.inverse_mass.len(),
            particles.radius.len(),
            particles.phase.len(),
            particles.pinned.len(),
            particles.hollow.len(),
            particles.body.len(),
            particles.rest.len(),
            particles.name.len(),
        ];
        let all_alike = lengths.iter().all(|&length| length == particles.len());
        hold(all_alike, || format!("{} particles, but columns of {lengths:?}", particles.len()))?;
        let mut names = particles.name.clone();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let known = names.last().is_none_or(|&last| last < particles.next_name);
        hold(known && twice.is_none(), || format!("particle {twice:?} twice, or never named"))
    }

    /// Every particle and every triangle belongs to exactly one body.
    fn check_bodies(&self) -> Result<(), Broken> {
        let (mut owner, mut side) =
            (vec![None; self.particles.len()], vec![None; self.triangles.len()]);
        for (id, body) in self.bodies() {
            for (what, range, owners) in [
                ("particles", &body.particles, &mut owner),
                ("triangles", &body.triangles, &mut side),
            ] {
                let inside = range.start <= range.end && range.end as usize <= owners.len();
                hold(inside, || format!("{id:?} has {what} {range:?} of {}", owners.len()))?;
                for i in range.clone() {
                    let other = owners[i as usize].replace(id.index);
                    hold(other.is_none(), || format!("{what} {i} is of {id:?} and of {other:?}"))?;
                }
            }
            for i in body.triangles.clone() {
                let corners = self.triangles[i as usize];
                let [a, b, c] = corners;
                let ours = corners.iter().all(|corner| body.particles.contains(corner));
                let good = ours && a != b && b != c && c != a;
                hold(good, || format!("triangle {i} of {id:?} has corners {corners:?}"))?;
            }
            let island = (body.island as usize) < self.slots.len();
            hold(island, || format!("{id:?} is of island {}", body.island))?;
        }
        for (i, &body) in self.particles.body.iter().enumerate() {
            let found = owner[i];
            hold(found == Some(body), || format!("particle {i} is of {body}, not of {found:?}"))?;
        }
        let free = side.iter().position(|owner| owner.is_none());
        hold(free.is_none(), || format!("triangle {free:?} is of no body"))
    }

    fn check_masses(&self) -> Result<(), Broken> {
        for (i, &w) in self.particles.inverse_mass.iter().enumerate() {
            let now = self.particles.xw[i].w;
            let good = w > 0.0 && w.is_finite() && (now == w || now == 0.0);
            hold(good, || {
                format!("particle {i} has an inverse mass of {w}, at present {now} 1/kg")
            })?;
            let pinned = self.particles.pinned[i];
            hold(!pinned || now == 0.0, || format!("particle {i} is pinned but moves"))?;
        }
        Ok(())
    }

    /// What is seen has every side at most once in each direction.
    fn check_surfaces(&self) -> Result<(), Broken> {
        for (id, body) in self.bodies() {
            if let Some(skin) = &body.skin {
                let good = skin.check(body.range().len());
                hold(good.is_ok(), || format!("the skin of {id:?}: {good:?}"))?;
            }
            let Some(surface) = look::surface(self, body) else { continue };
            let mut sides: Vec<[u32; 2]> =
                surface.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
            sides.sort_unstable();
            let twice = sides.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
            hold(twice.is_none(), || format!("two triangles of {id:?} run along {twice:?}"))?;
        }
        Ok(())
    }
}

fn check_set(set: &Set, count: usize) -> Result<(), Broken> {
    let name = set.kind().name;
    let mut seen = vec![false; set.len()];
    for number in 0..set.len() {
        let slot = set.slots[number] as usize;
        let fresh = seen.get_mut(slot).is_some_and(|seen| !std::mem::replace(seen, true));
        hold(fresh, || format!("{name}: slot {slot} of constraint {number}"))?;
        let ids = set.particles(number);
        let good =
            ids.iter().enumerate().all(|(k, id)| (*id as usize) < count && !ids[..k].contains(id));
        hold(good, || format!("{name}: constraint {number} joins {ids:?} of {count}"))?;
        let held = set.hold(number).check();
        hold(held.is_ok(), || format!("{name}: constraint {number}: {held:?}"))?;
        let rest = set.rest(number).all(f32::is_finite);
        hold(rest, || format!("{name}: constraint {number} has a rest value that is not finite"))?;
    }
    let whole = set.columns_ref().all(|column| column.len() == set.len());
    hold(whole && set.colored.len() == set.len(), || format!("{name}: columns differ in length"))?;
    let clash = set.colored.conflict(count);
    hold(clash.is_none(), || format!("{name}: colour and particle {clash:?} twice"))
}

fn check_regions(set: &region::Set, count: usize) -> Result<(), Broken> {
    let name = set.kind().name;
    for number in 0..set.len() {
        let mut members = set.members(number).to_vec();
        members.sort_unstable();
        let there = members.last().is_some_and(|&last| (last as usize) < count);
        let once = members.windows(2).all(|pair| pair[0] != pair[1]);
        hold(there && once, || format!("{name}: members of region {number}"))?;
        let range = set.members_of_region(number);
        let parts = set.parts[set.parts_of_region(number)].iter().flatten();
        let ours = parts.clone().all(|&member| range.contains(&(member as usize)));
        hold(ours, || format!("{name}: a part of region {number} is of another"))?;
    }
    Ok(())
}
