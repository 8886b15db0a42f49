//! A hard limit on strain: whatever the solver left, no link ends a substep longer than it may be.

use glam::{DVec3, Vec3, Vec4};

use super::{End, Ending, Region, RegionKind, RegionParam, Rule};
use crate::body::Blueprint;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::error::WorldError;

/// Keeps links from being longer than a limit, whatever the substeps, iterations and masses.
///
/// ```text
/// |xᵢ − xⱼ| ≤ Lᵢⱼ (1 + 10⁻³)    at the end of every substep, after contacts
/// ```
///
/// 1. Sweeps over the links, nearest to the held particles first; of a link that is too long, the
///    end farther from them is pulled in, so that one sweep reaches from a pin to the last particle.
///    After 16 of them both ends move, by their masses. At most 64 sweeps.
/// 2. If links are still too long: the poses in which none is are a convex set, and one of them is
///    known. Without held particles, or with one, that is all particles in that place: the body
///    is scaled towards it, by what the sweeps have left. With more, it is the pose in which the
///    substep began: the body stops on the way from there, at the last pose that is permitted.
///
/// With two held particles farther apart than the links between them allow, no pose is permitted:
/// the sweeps spread the excess and the body stays in one piece. Held particles that are moved in
/// one substep by more than sweeps can follow leave an excess for the next substeps.
///
/// Being pulled in acts on velocities like an inelastic rope: momentum goes to the held particles;
/// without any, it is kept. Colliders do not see the last move: what lies on one may be in it by as
/// much until the next substep.
///
/// Sweeps over links that are too long: Provot 1995.
pub static KIND: RegionKind = RegionKind {
    name: "strain_limit",
    shows: "keeps links from being longer than a limit, whatever the budget",
    params: &[],
    corners: 2,
    part_param: Some(LENGTH),
    wgsl: None,
    rule: Rule::AtTheEnd(limit),
    state: Vec4::ZERO,
    derived: (0, |_, _, _| {}),
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
const SWEEPS: u32 = 64;
/// Sweeps in which only the end farther from the held particles moves.
const ONE_WAY: u32 = 16;
/// Excess, as a share of the limit, that sweeps leave.
const ENOUGH: f64 = 5e-4;
/// Excess that the pose at the start of a substep may have to be one to go back to; more than
/// [`ENOUGH`] by what single precision makes of a link of 1 cm some metres from the origin.
const PERMITTED: f64 = 9e-4;

/// A link, by the places of its ends in the list of members.
#[derive(Clone, Copy)]
struct Link {
    ends: [usize; 2],
    limit: f64,
    /// Which ends sweeps move that go one way.
    moved: [bool; 2],
}

fn links<'a>(ending: &'a Ending<'_>) -> impl Iterator<Item = Link> + 'a {
    let set = ending.view.set;
    let first = set.starts[ending.region];
    set.order[set.parts_of_region(ending.region)].iter().map(move |&part| {
        let [a, b, _] = set.parts[part as usize];
        let (near, far) = (set.levels[a as usize], set.levels[b as usize]);
        Link {
            ends: [a, b].map(|k| (k - first) as usize),
            limit: f64::from(set.part_params[part as usize]),
            moved: [near >= far, far >= near],
        }
    })
}

fn limit(ending: &Ending<'_>, members: &mut [End]) {
    for sweep in 0..SWEEPS {
        let mut worst: f64 = 0.0;
        for link in links(ending) {
            let one_way = if sweep < ONE_WAY { link.moved } else { [true; 2] };
            worst = worst.max(shorten(link, members, one_way));
        }
        if worst <= 1.0 + ENOUGH {
            return;
        }
    }
    fall_back(ending, members);
}

/// Pulls the ends of a link that is too long together; returns its length over its limit before.
fn shorten(link: Link, members: &mut [End], moved: [bool; 2]) -> f64 {
    let [a, b] = link.ends;
    let d = members[b].x - members[a].x;
    let length = d.length();
    if length <= link.limit {
        return 0.0;
    }
    let w = [a, b].map(|k| members[k].w);
    let one_way = [0, 1].map(|k| if moved[k] { w[k] } else { 0.0 });
    let w = if one_way[0] + one_way[1] > 0.0 { one_way } else { w };
    let sum = w[0] + w[1];
    if sum > 0.0 {
        let n = d / length * ((length - link.limit) / sum);
        members[a].x += n * w[0];
        members[b].x -= n * w[1];
    }
    ratio(length, link.limit)
}

/// Length over limit; a limit of 0 counts as a micrometre.
fn ratio(length: f64, limit: f64) -> f64 {
    length / limit.max(1e-6)
}

fn fall_back(ending: &Ending<'_>, members: &mut [End]) {
    let mut held = members.iter().filter(|end| end.w == 0.0);
    let about = match (held.next(), held.next()) {
        (None, _) => {
            let mass: f64 = members.iter().map(|end| 1.0 / end.w).sum();
            members.iter().map(|end| end.x / end.w).sum::<DVec3>() / mass
        }
        (Some(only), None) => only.x,
        _ => return go_back(ending, members),
    };
    let worst = links(ending).map(|link| {
        let [a, b] = link.ends;
        ratio(members[a].x.distance(members[b].x), link.limit)
    });
    let scale = 1.0 / worst.fold(1.0, f64::max);
    members.iter_mut().for_each(|end| end.x = about + (end.x - about) * scale);
}

/// Stops on the way from the start of the substep, where all links were as they must be.
fn go_back(ending: &Ending<'_>, members: &mut [End]) {
    let mut way: f64 = 1.0;
    for link in links(ending) {
        let [a, b] = link.ends;
        let from = members[b].start - members[a].start;
        let along = members[b].x - members[a].x - from;
        let limit = link.limit * (1.0 + PERMITTED);
        let room = limit * limit - from.length_squared();
        if room < 0.0 {
            return;
        }
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
