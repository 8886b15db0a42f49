//! What hangs together after a cut: pieces that come loose become bodies of their own.

use std::collections::BTreeMap;

use super::around::Around;
use super::carry::{Carried, Torn};
use super::follow::follow;
use crate::body::{Body, BodyId};
use crate::constraint::set::Set;
use crate::constraint::tether;
use crate::edit::Edit;
use crate::error::WorldError;
use crate::mesh::joined::Joined;
use crate::region::{self, Region};
use crate::world::World;

/// The bodies that a cut has met: those whose elements were copied, by slot, and all of them.
#[derive(Default)]
pub(super) struct Met {
    pub(super) torn: BTreeMap<u32, Box<dyn Torn>>,
    pub(super) bodies: Vec<BodyId>,
}

/// What a particle has to do with those that are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Beside {
    /// Nothing.
    Nothing,
    /// It has an element in common with one.
    Split,
    /// It is one.
    IsSplit,
}

/// Moves constraints and regions to the copies of their particles, and divides bodies.
///
/// # Errors
/// If something is changed twice, which would be a bug.
pub(super) fn settle(world: &World, edit: &mut Edit, met: &Met) -> Result<(), WorldError> {
    let mut beside = vec![Beside::Nothing; world.particles.len()];
    met.torn.values().for_each(|torn| torn.mark(edit, &mut beside));
    for set in world.sets.iter().filter(|set| !set.is_empty()) {
        carry_constraints(world, set, edit, (met, &beside))?;
    }
    let mut joined = hanging_together(world, edit, met);
    cut_tethers(world, edit, met, &mut joined)?;
    for set in world.regions.iter().filter(|set| !set.is_empty()) {
        carry_regions(set, edit, (world, met), &mut joined);
    }
    for &id in &met.bodies {
        divide(edit, (world, id), world.body(id)?, &mut joined);
    }
    Ok(())
}

fn carry_constraints(
    world: &World,
    set: &Set,
    edit: &mut Edit,
    (met, beside): (&Met, &[Beside]),
) -> Result<(), WorldError> {
    let (kind, mut carried) = (set.kind().name, Carried::default());
    for number in touched(set, beside) {
        let ids = set.particles(number as usize);
        let near = |wanted: Beside| move |&i: &u32| beside[i as usize] >= wanted;
        let owner = |i: u32| world.particles.body[i as usize];
        if ids.iter().any(|&i| owner(i) != owner(ids[0])) {
            let moved = reattached(ids, &owner, met);
            edit.move_to(kind, number, &moved, 1.0)?;
            continue;
        }
        let Some(torn) = met.torn.get(&owner(ids[0])) else { continue };
        let whole = !ids.iter().any(near(Beside::IsSplit)) && torn.keeps(ids);
        if ids.len() == 1 || whole {
            continue; // one particle: it stays with the copy that kept the name
        }
        torn.carry(ids, &mut carried);
        match carried.iter().next() {
            None => edit.take(kind, number)?,
            Some((nodes, share)) if nodes == ids && share == 1.0 => {}
            Some((nodes, share)) => edit.move_to(kind, number, nodes, share)?,
        }
        for (nodes, share) in carried.iter().skip(1) {
            edit.add_like(kind, number, nodes, share)?;
        }
    }
    Ok(())
}

/// The constraints that a split may change: those of split particles, and those that reach over one
/// between particles beside it.
fn touched(set: &Set, beside: &[Beside]) -> Vec<u32> {
    let arity = set.kind().particles;
    // By slot, as they lie in memory.
    let is_touched = |ids: &[u32]| {
        let marks = || ids.iter().map(|&i| beside[i as usize]);
        let most = marks().fold(Beside::Nothing, Beside::max);
        most == Beside::IsSplit
            || most == Beside::Split && arity > 1 && marks().all(|mark| mark == Beside::Split)
    };
    let rows = set.colored.ids().chunks_exact(arity);
    let found: Vec<bool> = rows.map(is_touched).collect();
    if !found.contains(&true) {
        return Vec::new();
    }
    let numbers = (0..).zip(&set.slots);
    numbers.filter(|(_, slot)| found[**slot as usize]).map(|(number, _)| number).collect()
}

/// The particles of a constraint between bodies: it stays with one copy of what it holds on to.
fn reattached(ids: &[u32], owner: &impl Fn(u32) -> u32, met: &Met) -> Vec<u32> {
    let (mut moved, mut carried) = (ids.to_vec(), Carried::default());
    for (slot, torn) in &met.torn {
        let own: Vec<u32> = ids.iter().copied().filter(|&i| owner(i) == *slot).collect();
        if own.len() < 2 {
            continue;
        }
        torn.carry(&own, &mut carried);
        let Some((nodes, _)) = carried.iter().next() else { continue };
        for id in &mut moved {
            if let Some(k) = own.iter().position(|own| own == id) {
                *id = nodes[k];
            }
        }
    }
    moved
}

/// Which particles of the edit hang together, by triangles and by constraints within a body. Tethers
/// reach far, and do not count. Of bodies that the cut has nothing to do with, nothing is said.
fn hanging_together(world: &World, edit: &Edit, met: &Met) -> Joined {
    const OTHERS: u32 = u32::MAX;
    let mut joined = Joined::new(edit.names());
    let ours = concerned(world, met);
    let owner = |i: u32| world.particles.body[edit.source(i) as usize];
    let own = |i: u32| Some(owner(i)).filter(|&owner| ours[owner as usize]).unwrap_or(OTHERS);
    let owners: Vec<u32> = (0..edit.names() as u32).map(own).collect();
    // How many groups there are still, of how many bodies.
    let mut groups = owners.iter().filter(|&&owner| owner != OTHERS).count();
    let bodies = ours.iter().filter(|&&ours| ours).count();
    let mut join = |ids: &[u32]| {
        for pair in ids.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|i| owners[i as usize]);
            if one == other && one != OTHERS && joined.connect(pair[0], pair[1]) {
                groups -= 1;
            }
        }
        groups > bodies
    };
    for (id, body) in world.bodies().filter(|(id, _)| ours[id.index as usize]) {
        let range = body.triangles.start as usize..body.triangles.end as usize;
        let triangles = edit.triangles(id).unwrap_or(&world.triangles[range]);
        triangles.iter().for_each(|corners| _ = join(corners));
        let bonds = met.torn.get(&id.index).map_or(&[][..], |torn| torn.bonds());
        bonds.iter().for_each(|ends| _ = join(ends));
    }
    for set in world.sets.iter().filter(|set| !set.kind().is(&tether::KIND)) {
        // Where all hangs together, there is no more to find.
        if !join(&[]) {
            break;
        }
        let change = edit.of(set.kind().name);
        let mut decided = vec![false; if change.is_empty() { 0 } else { set.len() }];
        change.decided().for_each(|number| decided[set.slots[number as usize] as usize] = true);
        let rows = set.colored.ids().chunks_exact(set.kind().particles);
        for (slot, ids) in rows.enumerate() {
            if decided.get(slot) != Some(&true) {
                join(ids);
            }
        }
        change.rows().for_each(|ids| _ = join(ids));
    }
    joined
}

/// The bodies that a cut has met, as flags of slots, and those that have a region in common with one.
fn concerned(world: &World, met: &Met) -> Vec<bool> {
    let mut ours = vec![false; world.slots.len()];
    met.bodies.iter().for_each(|id| ours[id.index as usize] = true);
    for set in &world.regions {
        for members in (0..set.len()).map(|number| set.members(number)) {
            let owners = members.iter().map(|&i| world.particles.body[i as usize] as usize);
            if owners.clone().any(|owner| ours[owner]) {
                owners.for_each(|owner| ours[owner] = true);
            }
        }
    }
    ours
}

/// Takes out the tethers between what no longer hangs together.
fn cut_tethers(
    world: &World,
    edit: &mut Edit,
    met: &Met,
    joined: &mut Joined,
) -> Result<(), WorldError> {
    let Some(set) = world.constraints_of(&tether::KIND) else { return Ok(()) };
    let name = set.kind().name;
    let ours = concerned(world, met);
    let owner = |i: u32| world.particles.body[i as usize];
    let mut loose = Vec::new();
    for number in 0..set.len() as u32 {
        let change = edit.of(name);
        let &[a, b] = set.particles(number as usize) else { continue };
        let within = owner(a) == owner(b) && ours[owner(a) as usize];
        if within && !change.decides(number) && joined.root(a) != joined.root(b) {
            loose.push(number);
        }
    }
    loose.into_iter().try_for_each(|number| edit.take(name, number))
}

/// Divides regions as their bodies are divided; parts are carried as constraints are.
fn carry_regions(
    set: &region::Set,
    edit: &mut Edit,
    (world, met): (&World, &Met),
    joined: &mut Joined,
) {
    let mut copies: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    edit.split_off().for_each(|(new, old)| copies.entry(old).or_default().push(new));
    let bonds: BTreeMap<u32, Around> =
        met.torn.iter().map(|(&slot, torn)| (slot, Around::of(torn.bonds()))).collect();
    for number in 0..set.len() {
        let members = set.members(number);
        let ours =
            |&i: &u32| met.bodies.iter().any(|body| body.index == world.particles.body[i as usize]);
        if !members.iter().any(ours) {
            continue;
        }
        let local = bonded(members, world, met, &bonds);
        let mut group = |name: u32| match local.get(&name) {
            Some(&group) => group,
            None => joined.root(name),
        };
        let first = group(members[0]);
        let torn = members.iter().filter_map(|&i| met.torn.get(&world.particles.body[i as usize]));
        let crossed = set.kind().corners > 0 && torn.clone().any(|torn| torn.parts_triangles());
        if !crossed && members.iter().all(|&i| !edit.splits(i) && group(i) == first) {
            continue;
        }
        let (region, _) = set.region(number);
        let mut pieces: BTreeMap<u32, Region> = BTreeMap::new();
        let empty = Region {
            members: Vec::new(),
            parts: Vec::new(),
            part_params: Vec::new(),
            ..region.clone()
        };
        for (k, part) in region.parts.iter().enumerate() {
            for nodes in carried_part(&part[..set.kind().corners], edit, (world, met)) {
                let piece = pieces.entry(group(nodes[0])).or_insert_with(|| empty.clone());
                let mut corners = [nodes[0]; 3];
                corners[..nodes.len()].copy_from_slice(&nodes);
                piece.parts.push(corners);
                piece.part_params.extend(region.part_params.get(k));
                piece.members.extend(nodes);
            }
        }
        for &member in region.members.iter().filter(|_| set.kind().corners == 0) {
            for &name in [member].iter().chain(copies.get(&member).into_iter().flatten()) {
                let piece = pieces.entry(group(name)).or_insert_with(|| empty.clone());
                piece.members.push(name);
            }
        }
        for piece in pieces.values_mut() {
            piece.members.sort_unstable();
            piece.members.dedup();
        }
        edit.replace_region(set, number as u32, pieces.into_values().collect());
    }
}

/// The members of a region in a body that hangs together by bonds, by what hangs together among them.
fn bonded(
    members: &[u32],
    world: &World,
    met: &Met,
    bonds: &BTreeMap<u32, Around>,
) -> BTreeMap<u32, u32> {
    let mut place = BTreeMap::new();
    for (k, &i) in (0..).zip(members) {
        let torn = met.torn.get(&world.particles.body[i as usize]);
        if torn.is_some_and(|torn| !torn.bonds().is_empty()) {
            place.insert(i, k);
        }
    }
    let mut joined = Joined::new(members.len());
    for (&i, &k) in &place {
        let slot = world.particles.body[i as usize];
        for &bond in bonds.get(&slot).map_or(&[][..], |bonds| bonds.particle(i)) {
            let ends = met.torn[&slot].bonds()[bond as usize];
            ends.iter().filter_map(|end| place.get(end)).for_each(|&other| joined.join(k, other));
        }
    }
    place.into_iter().map(|(i, k)| (i, members[joined.root(k) as usize])).collect()
}

fn carried_part(part: &[u32], edit: &Edit, (world, met): (&World, &Met)) -> Vec<Vec<u32>> {
    let torn = met.torn.get(&world.particles.body[part[0] as usize]);
    let split = part.iter().any(|&i| edit.splits(i));
    match torn.filter(|torn| split || torn.parts_triangles()) {
        None => vec![part.to_vec()],
        Some(torn) => {
            let mut carried = Carried::default();
            torn.carry(part, &mut carried);
            carried.iter().map(|(nodes, _)| nodes.to_vec()).collect()
        }
    }
}

/// The largest piece stays the body; the others become bodies, in the order of their first particles.
/// Of a body that is seen, a piece that is not stays with it.
fn divide(edit: &mut Edit, (world, id): (&World, BodyId), body: &Body, joined: &mut Joined) {
    let mut pieces: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let split_off = edit.split_off().filter(|(_, old)| body.particles.contains(old));
    for name in body.particles.clone().chain(split_off.map(|(new, _)| new)) {
        pieces.entry(joined.root(name)).or_default().push(name);
    }
    if pieces.len() < 2 {
        return;
    }
    let solid = world.is_visible_solid(id).unwrap_or(false).then_some(id);
    let own = || {
        let (first, skin) = (body.particles.start, body.skin.as_ref().filter(|_| solid.is_some()));
        skin.map(|skin| skin.clone().renamed(|i| Some(first + i)))
    };
    if let Some(mut skin) = edit.take_skin(id).or_else(own) {
        let at = |name: u32| world.particles.position(edit.source(name) as usize);
        let seen = follow(&mut skin, solid, &pieces, at);
        edit.put_skin(id, skin);
        pieces.retain(|root, _| seen.contains(root));
    }
    // The first of those that are equally large.
    let largest = pieces.iter().rev().max_by_key(|(_, names)| names.len()).map(|(&root, _)| root);
    if let Some(largest) = largest.filter(|_| pieces.len() > 1) {
        pieces.remove(&largest);
        edit.divide(id, pieces.into_values().collect());
    }
}
