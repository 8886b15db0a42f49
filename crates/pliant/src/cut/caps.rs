//! Closes the rims of a cut by triangles that lie on the blade.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec2, DVec3, Vec3};

use super::opened::Vertex;
use super::refined::{Barred, refine};
use crate::mesh::polygon::triangulate_outline;

/// Triangles that close what rims run around. Rims that run around nothing, as on an open surface,
/// stay open.
///
/// Where a triangle would have a side in common with two others, as in slivers, a vertex is added in the
/// middle of the outline, and triangles run from there. No side within a cap is longer than `longest`
/// (m), so that it follows what moves under it.
pub(super) fn caps(
    vertices: &mut Vec<Vertex>,
    (faces, rims): (&[[u32; 3]], &[[u32; 2]]),
    longest: f64,
) -> Vec<[u32; 3]> {
    let mut outlines: Vec<Outline> = Vec::new();
    for closed in loops(rims) {
        let parts = folded(vertices, &closed);
        // The sides of a slit have ends in common, and are no holes in each other.
        let is_slit = parts.len() > 1;
        let outline = |corners| Outline::of(vertices, corners);
        let parts = parts.into_iter().map(outline);
        outlines.extend(parts.map(|one| Outline { outer: one.outer || is_slit, ..one }));
    }
    let positions: Vec<Vec3> = vertices.iter().map(|vertex| vertex.x.as_vec3()).collect();
    let mut taken = sides_between(rims, faces);
    let outlines = with_holes(vertices, outlines);
    let mut closed = Vec::new();
    // What is closed on one side of the blade must be closed in the same way on the other, or something
    // would be between them.
    let mut fanned: BTreeSet<Vec<u32>> = BTreeSet::new();
    for outline in &outlines {
        let own = close(vertices, &positions, outline);
        let new: BTreeSet<[u32; 2]> = own.iter().flat_map(sides).collect();
        if new.len() < 3 * own.len() || !new.is_disjoint(&taken) {
            fanned.insert(origins(vertices, outline));
        }
        taken.extend(new);
        closed.push(own);
    }
    let mut middles = spread(vertices, &outlines, rims, &mut fanned);
    let mut barred = Barred::of(vertices, &taken);
    let mut triangles = Vec::new();
    for (outline, mut own) in outlines.iter().zip(closed) {
        if fanned.contains(&origins(vertices, outline)) {
            let halved = halved(vertices, outline, &mut middles);
            own = fan(vertices, &halved);
        }
        refine(vertices, &mut own, longest, &mut barred);
        triangles.extend(own);
    }
    triangles
}

/// Closes outlines by a fan that have a side in common with one that is, which is no rim: such a side
/// may be that of a triangle, and is halved. Returns these sides, the lower end first, without a middle.
fn spread(
    vertices: &[Vertex],
    outlines: &[Vec<u32>],
    rims: &[[u32; 2]],
    fanned: &mut BTreeSet<Vec<u32>>,
) -> BTreeMap<[u32; 2], Option<u32>> {
    let inside = |outline: &[u32]| -> Vec<[u32; 2]> {
        let pairs = outline.iter().zip(outline.iter().cycle().skip(1)).map(|(&a, &b)| [a, b]);
        let inside = pairs.filter(|side| rims.binary_search(side).is_err());
        inside.map(|[a, b]| [a.min(b), a.max(b)]).collect()
    };
    let keys: Vec<Vec<u32>> = outlines.iter().map(|outline| origins(vertices, outline)).collect();
    let mut halved: BTreeMap<[u32; 2], Option<u32>> = BTreeMap::new();
    loop {
        let before = (fanned.len(), halved.len());
        for (outline, key) in outlines.iter().zip(&keys) {
            let sides = inside(outline);
            if fanned.contains(key) {
                halved.extend(sides.into_iter().map(|side| (side, None)));
            } else if sides.iter().any(|side| halved.contains_key(side)) {
                fanned.insert(key.clone());
            }
        }
        if before == (fanned.len(), halved.len()) {
            return halved;
        }
    }
}

/// An outline with a vertex in the middle of those of its sides.
fn halved(
    vertices: &mut Vec<Vertex>,
    outline: &[u32],
    middles: &mut BTreeMap<[u32; 2], Option<u32>>,
) -> Vec<u32> {
    let mut corners = Vec::with_capacity(outline.len());
    for (&a, &b) in outline.iter().zip(outline.iter().cycle().skip(1)) {
        corners.push(a);
        if let Some(middle) = middles.get_mut(&[a.min(b), a.max(b)]) {
            corners.push(*middle.get_or_insert_with(|| add_middle(vertices, [a, b])));
        }
    }
    corners
}

/// The places of an outline, which are the same on both sides of the blade.
fn origins(vertices: &[Vertex], outline: &[u32]) -> Vec<u32> {
    let mut origins: Vec<u32> = outline.iter().map(|&i| vertices[i as usize].origin).collect();
    origins.sort_unstable();
    origins
}

fn sides(&[a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Sides of triangles between vertices of rims.
fn sides_between(rims: &[[u32; 2]], faces: &[[u32; 3]]) -> BTreeSet<[u32; 2]> {
    let on_rim: BTreeSet<u32> = rims.iter().flatten().copied().collect();
    let Some(&last) = on_rim.last() else { return BTreeSet::new() };
    let mut flags = vec![false; last as usize + 1];
    on_rim.iter().for_each(|&vertex| flags[vertex as usize] = true);
    let is_on = |vertex: u32| flags.get(vertex as usize) == Some(&true);
    faces.iter().flat_map(sides).filter(|&[a, b]| is_on(a) && is_on(b)).collect()
}

/// Triangles from a new vertex in the middle of an outline. If it passes a vertex twice, there is an
/// outline between that does not, half-way to the middle.
fn fan(vertices: &mut Vec<Vertex>, outline: &[u32]) -> Vec<[u32; 3]> {
    let distinct: BTreeSet<u32> = outline.iter().copied().collect();
    let middle = add_mean(vertices, outline);
    if distinct.len() == outline.len() {
        return around(middle, outline);
    }
    let between: Vec<u32> =
        outline.iter().map(|&corner| add_middle(vertices, [middle, corner])).collect();
    let mut triangles = around(middle, &between);
    for k in 0..outline.len() {
        let next = (k + 1) % outline.len();
        let [a, b, c, d] = [outline[k], outline[next], between[next], between[k]];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    triangles
}

/// Triangles from a vertex to the sides of an outline.
fn around(middle: u32, outline: &[u32]) -> Vec<[u32; 3]> {
    let next = outline.iter().cycle().skip(1);
    outline.iter().zip(next).map(|(&a, &b)| [middle, a, b]).collect()
}

/// Adds a vertex in the middle of others.
fn add_mean(vertices: &mut Vec<Vertex>, outline: &[u32]) -> u32 {
    let mean = |of: fn(&Vertex) -> DVec3| {
        let sum: DVec3 = outline.iter().map(|&i| of(&vertices[i as usize])).sum();
        sum / outline.len() as f64
    };
    let (x, side) = (mean(|vertex| vertex.x), mean(|vertex| vertex.side));
    let middle = vertices.len() as u32;
    let like = vertices[outline[0] as usize];
    vertices.push(Vertex { x, side, fresh: true, origin: middle, shared: true, ..like });
    middle
}

/// Adds the vertex between two of a cap.
pub(super) fn add_middle(vertices: &mut Vec<Vertex>, ends: [u32; 2]) -> u32 {
    let [a, b] = ends.map(|i| vertices[i as usize]);
    let m = vertices.len() as u32;
    let (x, side) = ((a.x + b.x) / 2.0, (a.side + b.side) / 2.0);
    vertices.push(Vertex { x, side, fresh: true, origin: m, shared: true, ..a });
    m
}

/// The triangles of an outline: the same on both sides of the blade, which need not be flat, so
/// that nothing is between them.
fn close(vertices: &[Vertex], positions: &[Vec3], outline: &[u32]) -> Vec<[u32; 3]> {
    let origin = |k: usize| vertices[outline[k % outline.len()] as usize].origin;
    let count = outline.len();
    let first = (0..count).min_by_key(|&k| origin(k)).unwrap_or(0);
    let is_reversed = origin(first + 1) > origin(first + count - 1);
    let place = |k: usize| if is_reversed { first + count - k } else { first + k };
    let same: Vec<u32> = (0..count).map(|k| outline[place(k) % count]).collect();
    let mut triangles = Vec::new();
    triangulate_outline(positions, &same, &mut triangles);
    // An outline that passes a vertex twice may leave a triangle that runs there and back.
    triangles.retain(|&[a, b, c]| a != b && b != c && c != a);
    if is_reversed {
        triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
    }
    triangles
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

/// A loop on the blade.
struct Outline {
    corners: Vec<u32>,
    /// Twice its area (m²), counter-clockwise.
    area: DVec3,
    /// Whether material is inside of it, and not around it.
    outer: bool,
}

impl Outline {
    fn of(vertices: &[Vertex], corners: Vec<u32>) -> Self {
        let x = |i: u32| vertices[i as usize].x;
        let first = x(corners[0]);
        let pairs = corners.windows(2);
        let area: DVec3 = pairs.map(|pair| (x(pair[0]) - first).cross(x(pair[1]) - first)).sum();
        let out: DVec3 = corners.iter().map(|&i| x(i) - vertices[i as usize].side).sum();
        // A loop that runs the other way is a hole.
        let outer = area.dot(out) >= 0.0;
        Self { corners, area, outer }
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
        let next = self.corners.iter().cycle().skip(1);
        let passed = self.corners.iter().zip(next).filter(|&(&a, &b)| {
            let (a, b) = (flat(a), flat(b));
            (a.y > 0.0) != (b.y > 0.0) && a.x + (b.x - a.x) * a.y / (a.y - b.y) > 0.0
        });
        passed.count() % 2 == 1
    }
}

/// Outlines that run to each hole within them, around it, and back.
fn with_holes(vertices: &[Vertex], outlines: Vec<Outline>) -> Vec<Vec<u32>> {
    let (mut outer, holes): (Vec<Outline>, Vec<Outline>) =
        outlines.into_iter().partition(|outline| outline.outer);
    for hole in holes {
        let x = vertices[hole.corners[0] as usize].x;
        let around = (0..outer.len())
            .filter(|&k| outer[k].area.dot(hole.area) < 0.0 && outer[k].contains(vertices, x));
        let size = |k: &usize| outer[*k].area.length();
        match around.min_by(|a, b| size(a).total_cmp(&size(b))) {
            Some(k) => outer[k].corners = bridged(vertices, &outer[k].corners, &hole.corners),
            None => outer.push(hole),
        }
    }
    outer.into_iter().map(|outline| outline.corners).collect()
}

/// One loop of two, joined where they are nearest.
fn bridged(vertices: &[Vertex], outer: &[u32], hole: &[u32]) -> Vec<u32> {
    let x = |i: u32| vertices[i as usize].x;
    let far = |&(i, j): &(usize, usize)| x(outer[i]).distance_squared(x(hole[j]));
    let pairs = (0..outer.len()).flat_map(|i| (0..hole.len()).map(move |j| (i, j)));
    let nearest = pairs.min_by(|a, b| far(a).total_cmp(&far(b)));
    let Some((i, j)) = nearest else { return outer.to_vec() };
    [&outer[..=i], &hole[j..], &hole[..=j], &outer[i..]].concat()
}
