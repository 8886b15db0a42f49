//! A hard limit on strain: whatever the solver left, no link ends a substep longer than it may be.

use std::ops::Range;

use glam::{DVec3, Vec3, Vec4};

use super::{End, Ending, Region, RegionKind, RegionParam, Rule, Set, derived};
use crate::body::Blueprint;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::error::WorldError;

/// Keeps links from being longer than a limit, whatever the substeps, iterations and masses.
///
/// ```text
/// |xᵢ − xⱼ| ≤ Lᵢⱼ (1 + 10⁻³)    after the contacts of every substep
/// ```
///
/// 1. Sweeps over the links, each from one of up to three held particles outwards; of a link that is
///    too long, the end farther from there is pulled in, to 3 % below the limit. One sweep reaches
///    from a pin to the last particle, and what two pins want of the particles between them is
///    settled by turns (Aristidou and Lasenby 2011). Without held particles both ends move, by their
///    masses. At most 300 sweeps; a step in which no link is too long takes one.
/// 2. If links are still too long: the poses in which none is are a convex set, and one of them is
///    known. Without held particles, or with one, that is all particles in that place: the body
///    is scaled towards it, by what the sweeps have left. With more, it is the pose in which the
///    substep began: the body stops on the way from there, at the last pose that is permitted.
///
/// With two held particles farther apart than the links between them allow, no pose is permitted:
/// all limits grow by as much as they demand, so that the excess is spread evenly. A body that begins
/// with an excess, or whose held particles move in one substep by more than sweeps can follow, has
/// no pose to go back to, and keeps for the next substeps what the sweeps have left.
///
/// Velocities feel of the moves what takes the most energy of motion, as by a rope that does not
/// spring back; the moves add none. Momentum goes to the held particles; without any, it is kept.
/// Colliders do not see the last move: what lies on one may be in it by as much until the next
/// substep. Regions are limited one after the other, on one thread. WGSL twin: `strain_limit.wgsl`,
/// which solves at once the links of a sweep that do not wait for each other.
///
/// Sweeps over links that are too long: Provot 1995.
pub static KIND: RegionKind = RegionKind {
    name: "strain_limit",
    shows: "keeps links from being longer than a limit, whatever the budget",
    params: &[],
    corners: 2,
    part_param: Some(LENGTH),
    wgsl: Some(include_str!("strain_limit.wgsl")),
    rule: Rule::AtTheEnd("limit", limit),
    state: Vec4::ZERO,
    derived: (0, |_, _, _| {}),
    twin: derived,
    table,
    check: |_: &Region, _: &[Vec3]| Ok(()),
};

const LENGTH: RegionParam = RegionParam {
    name: "greatest length",
    unit: "m",
    min: 0.0,
    max: f32::MAX,
    needs: "finite and at least 0",
    meaning: "length that the link never exceeds",
};

/// A region of links, each with the length (m) that it may have at most.
pub fn region(links: &[([u32; 2], f32)]) -> Region {
    let mut members: Vec<u32> = links.iter().flat_map(|(ends, _)| *ends).collect();
    members.sort_unstable();
    members.dedup();
    Region {
        kind: &KIND,
        members,
        parts: links.iter().map(|&([a, b], _)| [a, b, a]).collect(),
        part_params: links.iter().map(|&(_, length)| length).collect(),
        params: Vec::new(),
        hold: Hold::RIGID,
    }
}

/// Limits every distance constraint of a body to `strain` beyond its rest length: 0.1 is 10 %.
///
/// # Errors
/// If the body has no distance constraints, or `strain` is negative or not finite.
pub fn limited(mut body: Blueprint, strain: f32) -> Result<Blueprint, WorldError> {
    if !(strain >= 0.0 && strain.is_finite()) {
        let (what, value) = ("greatest strain", strain);
        return Err(WorldError::BadNumber { what, value, needs: "finite and at least 0" });
    }
    let mut links = Vec::new();
    for set in body.sets.iter().filter(|set| set.kind().is(&distance::KIND)) {
        for number in 0..set.len() {
            let ends = set.particles(number);
            let rest = set.rest(number).next().unwrap_or(0.0);
            links.push(([ends[0], ends[1]], rest * (1.0 + strain)));
        }
    }
    body.gather(&region(&links))?;
    Ok(body)
}

/// Sweeps at most.
const SWEEPS: usize = 300;
/// Excess, as a share of the limit, that sweeps leave.
const ENOUGH: f64 = 5e-4;
/// How much shorter than its limit a link becomes that was longer, at most: aiming inside a convex set
/// ends the sweeps after finitely many. Where held particles leave less room, half of that.
const INSIDE: f64 = 0.03;
/// Excess up to which a pose is one to go back to, and that one gone back to may have.
const PERMITTED: f64 = 8e-4;

/// What [`PERMITTED`] may become by rounding until sweeps have an answer again.
const TOLERATED: f64 = 1e-3;

/// Points that sweeps start from, at most.
const SOURCES: usize = 3;

/// The links of one region in the orders in which sweeps visit them, and the held members from which
/// sweeps start: any two, and how far apart the links between them let them be (m).
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    sweeps: Vec<Vec<Link>>,
    pairs: Vec<([usize; 2], f64)>,
}

/// A link, by the places of its ends in the list of members.
#[derive(Clone, Copy, Debug)]
struct Link {
    ends: [usize; 2],
    limit: f64,
    /// Which ends move: the one farther from where the sweep started, or both.
    moved: [f64; 2],
}

impl Orders {
    /// One order for each of a few held members that are far apart, or one from the first member
    /// if none is held.
    pub(crate) fn of(set: &Set, region: usize) -> Self {
        let members = set.members_of_region(region);
        let held: Vec<usize> = members.clone().filter(|&member| set.is_held(member)).collect();
        let mut sources = vec![*held.first().unwrap_or(&members.start)];
        let mut sweeps: Vec<Vec<Link>> = Vec::new();
        let mut pairs = Vec::new();
        let mut nearest = vec![u32::MAX; members.len()];
        while let Some(&source) = sources.get(sweeps.len()) {
            let levels = levels(set, &members, source);
            nearest.iter_mut().zip(&levels).for_each(|(near, &level)| *near = level.min(*near));
            let levels = if held.is_empty() { vec![0; members.len()] } else { levels };
            let links = order(set, region, &levels);
            let ways = ways(&links, members.len(), source - members.start);
            for &other in &sources[..sweeps.len()] {
                let ends = [source, other].map(|member| member - members.start);
                pairs.push((ends, ways[ends[1]]));
            }
            sweeps.push(links);
            let far = |&&member: &&usize| nearest[member - members.start];
            let next = held.iter().max_by_key(far).filter(|member| far(member) > 0);
            if sources.len() < SOURCES {
                sources.extend(next);
            }
        }
        Self { sweeps, pairs }
    }

    /// How far apart held members are, over how far they may be: more than 1 is more than the links
    /// between them allow.
    fn tightness(&self, members: &[End]) -> f64 {
        let apart =
            |&([a, b], may): &([usize; 2], f64)| ratio(members[a].x.distance(members[b].x), may);
        self.pairs.iter().map(apart).fold(0.0, f64::max)
    }
}

/// The orders of all regions, for the WGSL twin: the place of each region's block, then the blocks.
/// A block has the number of sweeps, the number of pairs, the pairs, the place of each sweep. A sweep
/// has the number of its waves, where each starts and the end of the last, and the links.
fn table(set: &Set) -> Vec<u32> {
    let mut table = vec![0; set.orders.len()];
    for (region, Orders { sweeps, pairs }) in set.orders.iter().enumerate() {
        table[region] = table.len() as u32;
        table.extend([sweeps.len() as u32, pairs.len() as u32]);
        for ([a, b], may) in pairs {
            table.extend([*a as u32, *b as u32, (*may as f32).to_bits()]);
        }
        let places = table.len();
        table.resize(places + sweeps.len(), 0);
        for (sweep, links) in sweeps.iter().enumerate() {
            table[places + sweep] = table.len() as u32;
            add_waves(links, &mut table);
        }
    }
    table
}

/// Adds a sweep to the table, sorted by waves: a link's wave is the one after those of all links
/// before it that share an end with it.
fn add_waves(links: &[Link], table: &mut Vec<u32>) {
    let count = links.iter().flat_map(|link| link.ends).max().map_or(0, |end| end + 1);
    let mut next = vec![0u32; count];
    let mut waves: Vec<(u32, &Link)> = Vec::with_capacity(links.len());
    for link in links {
        let wave = link.ends.map(|end| next[end]).into_iter().fold(0, u32::max);
        link.ends.iter().for_each(|&end| next[end] = wave + 1);
        waves.push((wave, link));
    }
    waves.sort_by_key(|&(wave, _)| wave); // stable
    let groups: Vec<usize> = waves.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect();
    table.push(groups.len() as u32);
    let mut start = 0;
    table.push(start);
    for group in groups {
        start += group as u32;
        table.push(start);
    }
    for (_, Link { ends, limit, moved }) in waves {
        let moves = moved.map(|moves| u32::from(moves > 0.0));
        let ends = ends.map(|end| end as u32);
        table.extend([ends[0], ends[1], (*limit as f32).to_bits(), moves[0] | moves[1] << 1]);
    }
}

/// The length of the shortest way over links from `source` to each member (m).
fn ways(links: &[Link], count: usize, source: usize) -> Vec<f64> {
    let mut ways = vec![f64::INFINITY; count];
    ways[source] = 0.0;
    let mut changed = true;
    while changed {
        changed = false;
        for &Link { ends: [a, b], limit, .. } in links {
            for (from, to) in [(a, b), (b, a)] {
                if ways[from] + limit < ways[to] {
                    ways[to] = ways[from] + limit;
                    changed = true;
                }
            }
        }
    }
    ways
}

/// How many links each member is away from `source`; what no link leads to counts as far.
fn levels(set: &Set, members: &Range<usize>, source: usize) -> Vec<u32> {
    let mut levels = vec![FAR; members.len()];
    let mut queue = vec![source];
    levels[source - members.start] = 0;
    let mut next = 0;
    while let Some(&member) = queue.get(next) {
        next += 1;
        let level = levels[member - members.start] + 1;
        for &[part, _] in set.corners(member) {
            for other in set.parts[part as usize].map(|other| other as usize) {
                if levels[other - members.start] == FAR {
                    levels[other - members.start] = level;
                    queue.push(other);
                }
            }
        }
    }
    levels
}

/// More links than any path has.
const FAR: u32 = u32::MAX;

/// The links of a region, the nearest to level 0 first.
fn order(set: &Set, region: usize, levels: &[u32]) -> Vec<Link> {
    let first = set.starts[region];
    let link = |part: usize| {
        let ends = [0, 1].map(|k| (set.parts[part][k] - first) as usize);
        let [a, b] = ends.map(|k| levels[k]);
        let moved = [f64::from(u8::from(a >= b)), f64::from(u8::from(b >= a))];
        ((a.min(b), a.max(b)), Link { ends, limit: f64::from(set.part_params[part]), moved })
    };
    let mut links: Vec<_> = set.parts_of_region(region).map(link).collect();
    links.sort_by_key(|&(levels, _)| levels); // stable
    links.into_iter().map(|(_, link)| link).collect()
}

fn limit(ending: &Ending<'_>, members: &mut [End]) {
    let orders = &ending.view.set.orders[ending.region];
    let tightness = orders.tightness(members);
    let aim =
        Aim { limit: tightness.max(1.0), inside: ((1.0 - tightness) / 2.0).clamp(0.0, INSIDE) };
    for sweep in 0..SWEEPS {
        let links = &orders.sweeps[sweep % orders.sweeps.len()];
        let mut moved = 0;
        links.iter().for_each(|link| moved += u32::from(shorten(*link, members, aim)));
        if moved == 0 {
            return;
        }
    }
    if tightness < 1.0 {
        fall_back(&orders.sweeps[0], members);
    }
}

/// What links are brought to.
#[derive(Clone, Copy, Debug)]
struct Aim {
    /// The limit that counts, in limits: 1, or as much more as held particles demand.
    limit: f64,
    /// How much shorter a link becomes that was longer, in limits.
    inside: f64,
}

/// Pulls the ends of a link together if it is too long; whether it was.
fn shorten(link: Link, members: &mut [End], aim: Aim) -> bool {
    let [a, b] = link.ends;
    let d = members[b].x - members[a].x;
    let (length, limit) = (d.length(), link.limit * aim.limit);
    let w = [members[a].w, members[b].w];
    if length <= limit * (1.0 + ENOUGH) || w[0] + w[1] <= 0.0 {
        return false;
    }
    let moved = [0, 1].map(|k| link.moved[k] * w[k]);
    let share = if moved[0] + moved[1] > 0.0 { moved } else { w };
    let n = d / length * ((length - limit * (1.0 - aim.inside)) / (share[0] + share[1]));
    members[a].x += n * share[0];
    members[b].x -= n * share[1];
    true
}

/// Length over limit; a limit of 0 counts as a micrometre.
fn ratio(length: f64, limit: f64) -> f64 {
    length / limit.max(1e-6)
}

fn fall_back(links: &[Link], members: &mut [End]) {
    let mut held = members.iter().filter(|end| end.w == 0.0);
    let about = match (held.next(), held.next()) {
        (None, _) => {
            let mass: f64 = members.iter().map(|end| 1.0 / end.w).sum();
            members.iter().map(|end| end.x / end.w).sum::<DVec3>() / mass
        }
        (Some(only), None) => only.x,
        _ => return go_back(links, members),
    };
    let worst = links.iter().map(|link| {
        let [a, b] = link.ends;
        ratio(members[a].x.distance(members[b].x), link.limit)
    });
    let scale = 1.0 / worst.fold(1.0, f64::max);
    members.iter_mut().for_each(|end| end.x = about + (end.x - about) * scale);
}

/// Stops on the way from the start of the substep, where all links were as they must be.
fn go_back(links: &[Link], members: &mut [End]) {
    let mut way: f64 = 1.0;
    for link in links {
        let [a, b] = link.ends;
        let from = members[b].start - members[a].start;
        let along = members[b].x - members[a].x - from;
        let limit = link.limit * (1.0 + PERMITTED);
        if from.length() > link.limit * (1.0 + TOLERATED) {
            return;
        }
        let room = (limit * limit - from.length_squared()).max(0.0);
        way = way.min(share_of_way(from.dot(along), along.length_squared(), room));
    }
    members.iter_mut().for_each(|end| end.x = end.start + (end.x - end.start) * way);
}

/// The largest t for which 2 t b + t² a ≤ room.
fn share_of_way(b: f64, a: f64, room: f64) -> f64 {
    let root = (b * b + a * room).sqrt();
    // Of the two forms of the root, the one that does not cancel.
    match b > 0.0 {
        true => room / (b + root),
        false if a > 0.0 => (root - b) / a,
        false => 1.0,
    }
}
