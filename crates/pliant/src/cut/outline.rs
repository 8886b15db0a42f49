//! The rims of a cut as outlines: each once, for both sides of the blade.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};

use super::opened::Vertex;

/// A loop on the blade, to be closed.
#[derive(Debug)]
pub(super) struct Outline {
    /// Its corners on one side of the blade, in the direction of what closes it there, and those in the
    /// same places on the other side; none if there is no such loop.
    pub(super) sides: [Vec<u32>; 2],
    /// Twice its area (m²), counter-clockwise.
    area: DVec3,
    /// Whether material is inside of it, and not around it.
    outer: bool,
}

/// What rims run around, with holes within. Rims that run around nothing, as on an open surface, stay
/// open.
///
/// If every loop has one on the other side of the blade that runs the other way round, each two are one
/// outline. Where rims branch, they may not: then each is one of its own.
pub(super) fn outlines(vertices: &[Vertex], rims: &[[u32; 2]]) -> Vec<Outline> {
    let mut parts: Vec<Part> = Vec::new();
    for closed in loops(rims) {
        let folded = folded(vertices, &closed);
        // The sides of a slit have ends in common, and are no holes in each other.
        let is_slit = folded.len() > 1;
        parts.extend(folded.into_iter().map(|corners| Part { corners, is_slit }));
    }
    let single = |Part { corners, is_slit }: Part| {
        Outline::of(vertices, [corners, Vec::new()], is_slit.then_some(true))
    };
    let outlines = match paired(vertices, &parts) {
        Some(outlines) => outlines,
        None => parts.into_iter().map(single).collect(),
    };
    with_holes(vertices, outlines)
}

/// A loop, or one side of a slit.
struct Part {
    corners: Vec<u32>,
    is_slit: bool,
}

/// Rims one after the other, as far as they close.
fn loops(rims: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut next: BTreeMap<u32, u32> = rims.iter().map(|&[from, to]| (from, to)).collect();
    let mut found = Vec::new();
    while let Some((&start, _)) = next.first_key_value() {
        let (mut corners, mut at) = (Vec::new(), start);
        while let Some(to) = next.remove(&at) {
            corners.push(at);
            at = to;
        }
        if at == start && corners.len() > 2 {
            found.push(corners);
        }
    }
    found
}

/// The two sides of a slit, each closed by the straight line between its ends; a loop without ends as
/// it is. With more than two ends, what the lines leave open is one more.
fn folded(vertices: &[Vertex], corners: &[u32]) -> Vec<Vec<u32>> {
    let is_end = |&k: &usize| !vertices[corners[k] as usize].shared;
    let ends: Vec<usize> = (0..corners.len()).filter(is_end).collect();
    if ends.len() < 2 {
        return vec![corners.to_vec()];
    }
    let count = corners.len();
    let side = |k: usize| -> Vec<u32> {
        let (from, to) = (ends[k], ends[(k + 1) % ends.len()]);
        let steps = (to + count - from - 1) % count + 1;
        (0..=steps).map(|step| corners[(from + step) % count]).collect()
    };
    let mut parts: Vec<Vec<u32>> = (0..ends.len()).map(side).collect();
    parts.push(ends.iter().map(|&k| corners[k]).collect());
    parts.retain(|part| part.len() > 2);
    parts
}

/// Loops with those that run back in the same places; `None` if one has none.
fn paired(vertices: &[Vertex], parts: &[Part]) -> Option<Vec<Outline>> {
    let origins = |corners: &[u32]| -> Vec<u32> {
        corners.iter().map(|&i| vertices[i as usize].origin).collect()
    };
    let mut waiting: BTreeMap<Vec<u32>, Vec<Vec<u32>>> = BTreeMap::new();
    let mut found = Vec::new();
    for Part { corners, is_slit } in parts {
        let back = turned(vertices, corners.iter().rev().copied().collect());
        match waiting.get_mut(&origins(&back)).and_then(Vec::pop) {
            Some(front) => {
                let outer = is_slit.then_some(true);
                found.push(Outline::of(vertices, [front, back], outer));
            }
            None => {
                let front = turned(vertices, corners.clone());
                waiting.entry(origins(&front)).or_default().push(front);
            }
        }
    }
    waiting.values().all(Vec::is_empty).then_some(found)
}

/// The same loop from the corner with the lowest place on; of several, the one that the lower places
/// follow.
fn turned(vertices: &[Vertex], mut corners: Vec<u32>) -> Vec<u32> {
    let origin = |k: usize| vertices[corners[k % corners.len()] as usize].origin;
    let from = |start: usize| (start..start + corners.len()).map(origin);
    let lowest = (0..corners.len()).map(origin).min();
    let starts = (0..corners.len()).filter(|&k| Some(origin(k)) == lowest);
    let start = starts.min_by(|&a, &b| from(a).cmp(from(b))).unwrap_or(0);
    corners.rotate_left(start);
    corners
}

impl Outline {
    /// Whether it is `outer` is found if it is not said.
    fn of(vertices: &[Vertex], sides: [Vec<u32>; 2], outer: Option<bool>) -> Self {
        let x = |i: u32| vertices[i as usize].x;
        let first = x(sides[0][0]);
        let pairs = sides[0].windows(2);
        let area: DVec3 = pairs.map(|pair| (x(pair[0]) - first).cross(x(pair[1]) - first)).sum();
        let out = |side: &[u32]| side.iter().map(|&i| x(i) - vertices[i as usize].side).sum();
        let [front, back]: [DVec3; 2] = [out(&sides[0]), out(&sides[1])];
        // A loop that runs the other way is a hole.
        let outer = outer.unwrap_or(area.dot(front - back) >= 0.0);
        Self { sides, area, outer }
    }

    fn is_paired(&self) -> bool {
        !self.sides[1].is_empty()
    }

    /// The same, seen from the other side of the blade.
    fn flipped(self) -> Self {
        let [mut front, mut back] = self.sides;
        front.reverse();
        back.reverse();
        Self { sides: [back, front], area: -self.area, outer: self.outer }
    }

    /// Whether a point lies inside, seen along its normal: a ray from it passes the loop an odd number
    /// of times.
    fn contains(&self, vertices: &[Vertex], x: DVec3) -> bool {
        let normal = self.area.normalize_or(DVec3::Z);
        let side = normal.any_orthonormal_vector();
        let up = normal.cross(side);
        let flat = |i: u32| {
            let from = vertices[i as usize].x - x;
            DVec2::new(from.dot(side), from.dot(up))
        };
        let corners = &self.sides[0];
        let next = corners.iter().cycle().skip(1);
        let passed = corners.iter().zip(next).filter(|&(&a, &b)| {
            let (a, b) = (flat(a), flat(b));
            (a.y > 0.0) != (b.y > 0.0) && a.x + (b.x - a.x) * a.y / (a.y - b.y) > 0.0
        });
        passed.count() % 2 == 1
    }

    /// Runs to a hole where that is nearest, around it, and back.
    fn bridge(&mut self, vertices: &[Vertex], hole: &Self) {
        let x = |i: u32| vertices[i as usize].x;
        let (outer, inner) = (&self.sides[0], &hole.sides[0]);
        let far = |&(i, j): &(usize, usize)| x(outer[i]).distance_squared(x(inner[j]));
        let pairs = (0..outer.len()).flat_map(|i| (0..inner.len()).map(move |j| (i, j)));
        let Some((i, j)) = pairs.min_by(|a, b| far(a).total_cmp(&far(b))) else { return };
        for (outer, hole) in
            self.sides.iter_mut().zip(&hole.sides).filter(|pair| !pair.1.is_empty())
        {
            *outer = [&outer[..=i], &hole[j..], &hole[..=j], &outer[i..]].concat();
        }
    }
}

/// Outlines that run to each hole within them, around it, and back.
fn with_holes(vertices: &[Vertex], outlines: Vec<Outline>) -> Vec<Outline> {
    let (mut outer, holes): (Vec<Outline>, Vec<Outline>) =
        outlines.into_iter().partition(|outline| outline.outer);
    for hole in holes {
        let x = vertices[hole.sides[0][0] as usize].x;
        // A hole runs the other way than what is around it, on the same side of the blade.
        let runs_back = |k: usize| outer[k].area.dot(hole.area) < 0.0;
        let around = (0..outer.len())
            .filter(|&k| (hole.is_paired() || runs_back(k)) && outer[k].contains(vertices, x));
        let size = |k: &usize| outer[*k].area.length();
        match around.min_by(|a, b| size(a).total_cmp(&size(b))) {
            Some(k) => {
                let hole = if runs_back(k) { hole } else { hole.flipped() };
                outer[k].bridge(vertices, &hole);
            }
            None => outer.push(hole),
        }
    }
    outer
}
