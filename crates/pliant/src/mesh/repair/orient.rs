//! Which side of a triangle is outside.

use glam::{DVec3, Vec3};

use super::report::Report;
use super::topology::{NONE, Sides, next, start};

/// Most parts and triangles that are looked at to find out which parts lie inside others. A file of
/// ten thousand nested shells would otherwise take hours; parts beyond that count as outside.
const MOST_LOOKS: usize = 100_000_000;

/// The connected parts of a surface.
pub(super) struct Parts {
    /// The part of each triangle.
    pub(super) of: Vec<u32>,
    /// Triangles of each part.
    pub(super) size: Vec<usize>,
    /// Sides of each part without a triangle on the other side.
    pub(super) open: Vec<usize>,
    /// Whether each part has only one side, like a Möbius strip.
    pub(super) one_sided: Vec<bool>,
    /// Triangles that were turned so that neighbours agree.
    pub(super) turned: usize,
}

impl Parts {
    pub(super) fn is_closed(&self, part: usize) -> bool {
        self.open[part] == 0 && !self.one_sided[part]
    }
}

/// Turns triangles, as few as possible, until neighbours run along their edge in opposite
/// directions.
pub(super) fn agree(triangles: &mut [[u32; 3]], sides: &mut Sides) -> Parts {
    let count = triangles.len();
    let mut parts = Parts {
        of: vec![NONE; count],
        size: Vec::new(),
        open: Vec::new(),
        one_sided: Vec::new(),
        turned: 0,
    };
    let mut turn = vec![false; count];
    for first in 0..count {
        if parts.of[first] == NONE {
            let members = spread(triangles, sides, (first, &mut parts, &mut turn));
            let flips = members.iter().filter(|&&t| turn[t]).count();
            if flips * 2 > members.len() {
                members.iter().for_each(|&t| turn[t] = !turn[t]);
            }
            parts.turned += flips.min(members.len() - flips);
        }
    }
    for t in (0..count).filter(|&t| turn[t]) {
        triangles[t].swap(1, 2);
    }
    // Turned, the sides ab, bc, ca of a triangle are ac, cb, ba.
    let renamed =
        |side: u32| if turn[side as usize / 3] { side / 3 * 3 + 2 - side % 3 } else { side };
    let mut mate = vec![NONE; sides.mate.len()];
    for (side, &other) in sides.mate.iter().enumerate().filter(|(_, other)| **other != NONE) {
        mate[renamed(side as u32) as usize] = renamed(other);
    }
    sides.mate = mate;
    parts
}

/// Walks over the part of `first`, deciding for each triangle whether it must be turned.
fn spread(
    triangles: &[[u32; 3]],
    sides: &Sides,
    (first, parts, turn): (usize, &mut Parts, &mut [bool]),
) -> Vec<usize> {
    let part = parts.size.len() as u32;
    let (mut open, mut one_sided) = (0, false);
    let mut members = vec![first];
    parts.of[first] = part;
    let mut at = 0;
    while let Some(&t) = members.get(at) {
        at += 1;
        for side in 3 * t as u32..3 * t as u32 + 3 {
            let mate = sides.mate[side as usize];
            if mate == NONE {
                open += 1;
                continue;
            }
            let other = mate as usize / 3;
            let alike = start(triangles, side) == start(triangles, mate);
            let needed = turn[t] ^ alike;
            if parts.of[other] == NONE {
                parts.of[other] = part;
                turn[other] = needed;
                members.push(other);
            } else if turn[other] != needed {
                one_sided = true;
            }
        }
    }
    parts.size.push(members.len());
    parts.open.push(open);
    parts.one_sided.push(one_sided);
    members
}

/// Turns closed parts whose volume is negative, unless they are cavities in others.
pub(super) fn outwards(
    positions: &[Vec3],
    triangles: &mut [[u32; 3]],
    parts: &Parts,
    report: &mut Report,
) {
    let count = parts.size.len();
    let mut volume = volumes(positions, triangles, parts);
    let mut turn = vec![false; count];
    // A file that is inside out as a whole has its cavities inside out as well.
    if volume.iter().sum::<f64>() < 0.0 {
        for part in (0..count).filter(|&part| parts.is_closed(part)) {
            turn[part] = true;
            volume[part] = -volume[part];
        }
    }
    let negative: Vec<usize> = (0..count).filter(|&part| volume[part] < 0.0).collect();
    if !negative.is_empty() {
        let solid: Vec<usize> = (0..count).filter(|&part| volume[part] > 0.0).collect();
        let mut nesting = Nesting::new(positions, triangles, parts);
        for part in negative {
            if nesting.is_inside_any(part, &solid) {
                report.cavities += 1;
            } else {
                turn[part] = !turn[part];
                volume[part] = -volume[part];
            }
        }
    }
    report.volume = volume.iter().sum();
    for (triangle, part) in triangles.iter_mut().zip(&parts.of) {
        if turn[*part as usize] {
            triangle.swap(1, 2);
            report.turned += 1;
        }
    }
    report.parts = count;
    report.closed_parts = (0..count).filter(|&part| parts.is_closed(part)).count();
    report.one_sided_parts = parts.one_sided.iter().filter(|one_sided| **one_sided).count();
    report.boundary_edges = parts.open.iter().sum();
}

/// The volume of each closed part (m³), and 0 for the others.
fn volumes(positions: &[Vec3], triangles: &[[u32; 3]], parts: &Parts) -> Vec<f64> {
    // Around the first vertex, so that a part far from the origin loses no digits.
    let mut origin = vec![None; parts.size.len()];
    let mut volume = vec![0.0; parts.size.len()];
    for (triangle, part) in triangles.iter().zip(&parts.of) {
        let part = *part as usize;
        if parts.is_closed(part) {
            let [a, b, c] = triangle.map(|corner| positions[corner as usize].as_dvec3());
            let o = *origin[part].get_or_insert(a);
            volume[part] += (a - o).cross(b - o).dot(c - o) / 6.0;
        }
    }
    volume
}

/// Which part lies in which.
struct Nesting<'a> {
    positions: &'a [Vec3],
    triangles: Vec<Vec<[u32; 3]>>,
    bounds: Vec<[Vec3; 2]>,
    left: usize,
}

impl<'a> Nesting<'a> {
    fn new(positions: &'a [Vec3], triangles: &[[u32; 3]], parts: &Parts) -> Self {
        let mut of = vec![Vec::new(); parts.size.len()];
        let mut bounds = vec![[Vec3::INFINITY, Vec3::NEG_INFINITY]; parts.size.len()];
        for (triangle, part) in triangles.iter().zip(&parts.of) {
            let part = *part as usize;
            of[part].push(*triangle);
            for x in triangle.map(|corner| positions[corner as usize]) {
                bounds[part] = [bounds[part][0].min(x), bounds[part][1].max(x)];
            }
        }
        Self { positions, triangles: of, bounds, left: MOST_LOOKS }
    }

    fn is_inside_any(&mut self, part: usize, others: &[usize]) -> bool {
        for &other in others {
            let [low, high] = self.bounds[part];
            let [least, most] = self.bounds[other];
            let within = least.cmplt(low).all() && high.cmplt(most).all();
            let cost = if within { 1 + self.triangles[other].len() } else { 1 };
            let Some(left) = self.left.checked_sub(cost) else { return false };
            self.left = left;
            if within && self.is_inside(part, other) {
                return true;
            }
        }
        false
    }

    fn is_inside(&self, part: usize, other: usize) -> bool {
        let Some(&[corner, ..]) = self.triangles[part].first() else { return false };
        let from = self.positions[corner as usize].as_dvec3();
        let angle = |triangle: &[u32; 3]| solid_angle(from, self.positions, *triangle);
        let sum: f64 = self.triangles[other].iter().map(angle).sum();
        sum.abs() > std::f64::consts::TAU
    }
}

/// The part of the sphere around `from` that a triangle covers (sr); all of a closed surface is 4π
/// from inside and 0 from outside. van Oosterom and Strackee 1983.
fn solid_angle(from: DVec3, positions: &[Vec3], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|corner| positions[corner as usize].as_dvec3() - from);
    let [x, y, z] = [a.length(), b.length(), c.length()];
    let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    2.0 * libm::atan2(a.dot(b.cross(c)), below)
}

/// The border of a surface as sides in a row, each loop from its smallest side on; only of parts
/// that have two sides, and only where no two loops touch.
pub(super) fn loops(
    triangles: &[[u32; 3]],
    sides: &Sides,
    parts: &Parts,
    vertices: usize,
) -> Vec<Vec<u32>> {
    let mut leaving = vec![NONE; vertices];
    let mut is_shared = vec![false; vertices];
    let is_border = |side: &u32| {
        sides.mate[*side as usize] == NONE
            && !parts.one_sided[parts.of[*side as usize / 3] as usize]
    };
    for side in (0..sides.mate.len() as u32).filter(is_border) {
        let from = start(triangles, side) as usize;
        is_shared[from] |= leaving[from] != NONE;
        leaving[from] = side;
    }
    let mut seen = vec![false; sides.mate.len()];
    let mut loops = Vec::new();
    for first in (0..sides.mate.len() as u32).filter(is_border) {
        let mut round = Vec::new();
        let mut side = first;
        while side != NONE && !std::mem::replace(&mut seen[side as usize], true) {
            round.push(side);
            let to = start(triangles, next(side)) as usize;
            side = if is_shared[to] { NONE } else { leaving[to] };
        }
        if side == first && !round.is_empty() {
            loops.push(round);
        }
    }
    loops
}
