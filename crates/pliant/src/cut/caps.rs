//! Closes the rims of a cut by triangles that lie on the blade.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DVec3, Vec3};

use super::opened::Vertex;
use super::outline::{Outline, outlines};
use super::refined::{Barred, refine};
use crate::mesh::polygon::triangulate_outline;

/// No vertex.
const NONE: u32 = u32::MAX;

/// Triangles that close what rims run around. Rims that run around nothing, as on an open surface,
/// stay open.
///
/// Both sides of the blade are closed by the same triangles, one the other way round, so that nothing is
/// between them. Where a triangle would have a side in common with two others, as in slivers, or all its
/// corners with another, a vertex is added in the middle of the outline, and triangles run from there. No
/// side within a cap is longer than `longest` (m), so that it follows what moves under it.
pub(super) fn caps(
    vertices: &mut Vec<Vertex>,
    (faces, rims): (&[[u32; 3]], &[[u32; 2]]),
    longest: f64,
) -> Vec<[u32; 3]> {
    let (mut taken, lone) = between_rims(rims, faces);
    let mut patches: Vec<Patch> =
        outlines(vertices, rims).iter().map(|outline| Patch::of(vertices, outline)).collect();
    // What is closed on one side of the blade must be closed in the same way on the other, or something
    // would be between them; also where they are two patches.
    let mut fanned: BTreeSet<Vec<u32>> = BTreeSet::new();
    for patch in &patches {
        let sides = patch.sides();
        let new: BTreeSet<[u32; 2]> = sides.iter().copied().collect();
        if new.len() < sides.len() || !new.is_disjoint(&taken) || patch.lies_on(&lone) {
            fanned.insert(patch.origins());
        }
        taken.extend(new);
    }
    let mut middles = spread(&patches, rims, &mut fanned);
    let mut barred = Barred::of(vertices, &taken);
    let mut triangles = Vec::new();
    for patch in &mut patches {
        if fanned.contains(&patch.origins()) {
            patch.halve(vertices, &mut middles);
            patch.fan();
        }
        refine(patch, longest, &mut barred);
        patch.finish(vertices, &mut triangles);
    }
    triangles
}

/// A point of a patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Where it is (m).
    pub(super) x: DVec3,
    /// Points on each side of the blade (m).
    side: [DVec3; 2],
    /// The vertex that it is on each side, if there is one already.
    names: [u32; 2],
    /// A vertex that it is like.
    like: [u32; 2],
    /// The vertex in its place before the surface was opened; above all others if there was none.
    pub(super) origin: u32,
    /// Whether there are several vertices now.
    pub(super) shared: bool,
}

/// The triangles that close an outline, on both sides of the blade if that is on both.
#[derive(Debug)]
pub(super) struct Patch {
    pub(super) points: Vec<Point>,
    outline: Vec<u32>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// On how many sides of the blade.
    sides: usize,
}

impl Patch {
    fn of(vertices: &[Vertex], Outline { sides: [front, back], .. }: &Outline) -> Self {
        let mut known: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut points: Vec<Point> = Vec::with_capacity(front.len());
        let mut outline = Vec::with_capacity(front.len());
        for (k, &name) in front.iter().enumerate() {
            let names = [name, back.get(k).copied().unwrap_or(NONE)];
            let like = [name, back.get(k).copied().unwrap_or(name)];
            let Vertex { x, origin, shared, .. } = vertices[name as usize];
            let side = like.map(|i| vertices[i as usize].side);
            outline.push(*known.entry(names).or_insert_with(|| {
                points.push(Point { x, side, names, like, origin, shared });
                points.len() as u32 - 1
            }));
        }
        let sides = if back.is_empty() { 1 } else { 2 };
        let mut patch = Self { points, outline, triangles: Vec::new(), sides };
        patch.close();
        patch
    }

    /// The triangles of the outline: the same if it is closed from the other side of the blade, as where
    /// both sides are patches of their own.
    fn close(&mut self) {
        let (outline, count) = (&self.outline, self.outline.len());
        let origin = |k: usize| self.points[outline[k % count] as usize].origin;
        let first = (0..count).min_by_key(|&k| origin(k)).unwrap_or(0);
        let is_reversed = origin(first + 1) > origin(first + count - 1);
        let place = |k: usize| if is_reversed { first + count - k } else { first + k };
        let same: Vec<u32> = (0..count).map(|k| outline[place(k) % count]).collect();
        let positions: Vec<Vec3> = self.points.iter().map(|point| point.x.as_vec3()).collect();
        let mut triangles = Vec::new();
        triangulate_outline(&positions, &same, &mut triangles);
        // An outline that passes a vertex twice may leave a triangle that runs there and back.
        triangles.retain(|&[a, b, c]| a != b && b != c && c != a);
        if is_reversed {
            triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        self.triangles = triangles;
    }

    /// The sides of its triangles, by vertices, in their directions.
    fn sides(&self) -> Vec<[u32; 2]> {
        let mut sides = Vec::with_capacity(3 * self.sides * self.triangles.len());
        for [a, b] in self.triangles.iter().flat_map(directed) {
            let [one, other] = [a, b].map(|point| self.points[point as usize].names);
            sides.push([one[0], other[0]]);
            if self.sides > 1 {
                sides.push([other[1], one[1]]);
            }
        }
        sides
    }

    /// Whether it is one triangle against one of these. A blade that later crosses a side of both would
    /// split them along the same line.
    fn lies_on(&self, lone: &BTreeSet<[u32; 3]>) -> bool {
        let [corners] = self.triangles[..] else { return false };
        let names = |side| corners.map(|point| self.points[point as usize].names[side]);
        (0..self.sides).any(|side| lone.contains(&in_order(names(side))))
    }

    /// The places of its outline, which are the same on both sides of the blade.
    fn origins(&self) -> Vec<u32> {
        let origin = |&point: &u32| self.points[point as usize].origin;
        let mut origins: Vec<u32> = self.outline.iter().map(origin).collect();
        origins.sort_unstable();
        origins
    }

    /// The pairs of points that follow each other on the outline.
    fn steps(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let next = self.outline.iter().cycle().skip(1);
        self.outline.iter().zip(next).map(|(&a, &b)| [a, b])
    }

    /// The vertices at the ends of a side, on each side of the blade.
    fn ends(&self, [a, b]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
        let [one, other] = [a, b].map(|point| self.points[point as usize].names);
        (0..self.sides).map(move |side| [one[side], other[side]])
    }

    /// The vertices at the ends of sides of the outline that are no rims, the lower first.
    fn inside(&self, rims: &[[u32; 2]]) -> Vec<[u32; 2]> {
        let is_rim = |step: &[u32; 2]| {
            let [a, b] = step.map(|point| self.points[point as usize].names[0]);
            rims.binary_search(&[a, b]).is_ok()
        };
        let inside = self.steps().filter(|step| !is_rim(step));
        inside.flat_map(|step| self.ends(step)).map(sorted).collect()
    }

    /// Adds a vertex in the middle of those sides of the outline. One that runs to a hole and back passes
    /// the same point twice, since it is the same vertex: otherwise a side could be turned into one that
    /// is there already.
    fn halve(&mut self, vertices: &mut Vec<Vertex>, middles: &mut BTreeMap<[u32; 2], Option<u32>>) {
        let steps: Vec<[u32; 2]> = self.steps().collect();
        let mut outline = Vec::with_capacity(steps.len());
        let mut known: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for step in steps {
            outline.push(step[0]);
            let mut names = [NONE; 2];
            let ends: Vec<[u32; 2]> = self.ends(step).collect();
            for (name, ends) in names.iter_mut().zip(ends) {
                if let Some(middle) = middles.get_mut(&sorted(ends)) {
                    *name = *middle.get_or_insert_with(|| add_middle(vertices, ends));
                }
            }
            if names[0] != NONE {
                let point = *known.entry(names).or_insert_with(|| self.add_middle(step));
                self.points[point as usize].names = names;
                outline.push(point);
            }
        }
        self.outline = outline;
    }

    /// Triangles from a new vertex in the middle of the outline. If it passes a vertex twice, there is an
    /// outline between that does not, half-way to the middle.
    fn fan(&mut self) {
        let outline = std::mem::take(&mut self.outline);
        let middle = self.add_mean(&outline);
        let is_simple = (0..self.sides).all(|side| {
            let name = |&point: &u32| self.points[point as usize].names[side];
            outline.iter().map(name).collect::<BTreeSet<u32>>().len() == outline.len()
        });
        if is_simple {
            self.triangles = around(middle, &outline);
            return;
        }
        let between: Vec<u32> =
            outline.iter().map(|&corner| self.add_middle([middle, corner])).collect();
        self.triangles = around(middle, &between);
        for k in 0..outline.len() {
            let next = (k + 1) % outline.len();
            let [a, b, c, d] = [outline[k], outline[next], between[next], between[k]];
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// Adds a point in the middle of others.
    fn add_mean(&mut self, corners: &[u32]) -> u32 {
        let mean = |of: &dyn Fn(&Point) -> DVec3| {
            let sum: DVec3 = corners.iter().map(|&i| of(&self.points[i as usize])).sum();
            sum / corners.len() as f64
        };
        let (x, side) = (mean(&|point| point.x), [0, 1].map(|k| mean(&|point| point.side[k])));
        let like = self.points[corners[0] as usize].like;
        self.add(Point { x, side, names: [NONE; 2], like, origin: NONE, shared: true })
    }

    /// Adds the point between two.
    pub(super) fn add_middle(&mut self, ends: [u32; 2]) -> u32 {
        let [a, b] = ends.map(|i| self.points[i as usize]);
        let side = [0, 1].map(|k| (a.side[k] + b.side[k]) / 2.0);
        let (x, like) = ((a.x + b.x) / 2.0, a.like);
        self.add(Point { x, side, names: [NONE; 2], like, origin: NONE, shared: true })
    }

    fn add(&mut self, point: Point) -> u32 {
        let name = self.points.len() as u32;
        // No other has it.
        self.points.push(Point { origin: NONE - name, ..point });
        name
    }

    /// The vertices at the ends of a side that two such points have, the lower first.
    pub(super) fn names(&self, ends: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
        self.ends(ends).filter(|names| !names.contains(&NONE)).map(sorted)
    }

    /// Makes vertices of its points, and triangles of its triangles.
    fn finish(&mut self, vertices: &mut Vec<Vertex>, triangles: &mut Vec<[u32; 3]>) {
        for side in 0..self.sides {
            for point in self.points.iter_mut().filter(|point| point.names[side] == NONE) {
                let (name, like) = (vertices.len() as u32, vertices[point.like[side] as usize]);
                let (x, side_x) = (point.x, point.side[side]);
                point.names[side] = name;
                vertices.push(Vertex {
                    x,
                    side: side_x,
                    fresh: true,
                    origin: name,
                    shared: true,
                    ..like
                });
            }
            let name = |point: u32| self.points[point as usize].names[side];
            triangles.extend(self.triangles.iter().map(|&[a, b, c]| match side {
                0 => [a, b, c].map(name),
                _ => [a, c, b].map(name),
            }));
        }
    }
}

/// Closes outlines by a fan that have a side in common with one that is, which is no rim: such a side
/// may be that of a triangle, and is halved. Returns these sides, the lower end first, without a middle.
fn spread(
    patches: &[Patch],
    rims: &[[u32; 2]],
    fanned: &mut BTreeSet<Vec<u32>>,
) -> BTreeMap<[u32; 2], Option<u32>> {
    let mut halved: BTreeMap<[u32; 2], Option<u32>> = BTreeMap::new();
    if fanned.is_empty() {
        return halved;
    }
    let keys: Vec<Vec<u32>> = patches.iter().map(Patch::origins).collect();
    loop {
        let before = (fanned.len(), halved.len());
        for (patch, key) in patches.iter().zip(&keys) {
            let sides = patch.inside(rims);
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

fn directed(&[a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn in_order(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

/// Sides of triangles between vertices of rims, and the triangles that have no other corners, the lower
/// first.
fn between_rims(rims: &[[u32; 2]], faces: &[[u32; 3]]) -> (BTreeSet<[u32; 2]>, BTreeSet<[u32; 3]>) {
    let count = rims.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    let mut flags = vec![false; count];
    rims.iter().flatten().for_each(|&vertex| flags[vertex as usize] = true);
    let is_on = |vertex: u32| flags.get(vertex as usize) == Some(&true);
    let sides = faces.iter().flat_map(directed).filter(|&[a, b]| is_on(a) && is_on(b));
    let lone = faces.iter().filter(|corners| corners.iter().all(|&corner| is_on(corner)));
    (sides.collect(), lone.map(|&corners| in_order(corners)).collect())
}

/// Triangles from a point to the sides of an outline.
fn around(middle: u32, outline: &[u32]) -> Vec<[u32; 3]> {
    let next = outline.iter().cycle().skip(1);
    outline.iter().zip(next).map(|(&a, &b)| [middle, a, b]).collect()
}

/// Adds the vertex between two.
fn add_middle(vertices: &mut Vec<Vertex>, ends: [u32; 2]) -> u32 {
    let [a, b] = ends.map(|i| vertices[i as usize]);
    let m = vertices.len() as u32;
    let (x, side) = ((a.x + b.x) / 2.0, (a.side + b.side) / 2.0);
    vertices.push(Vertex { x, side, fresh: true, origin: m, shared: true, ..a });
    m
}

#[cfg(test)]
mod tests {
    use super::super::sheet::whole;
    use super::*;

    /// A vertex in the plane z = 0 with the material below it.
    fn vertex(origin: u32, [x, y]: [f64; 2]) -> Vertex {
        let x = DVec3::new(x, y, 0.0);
        let side = x - DVec3::Z;
        Vertex { x, side, binding: whole(origin), fresh: false, origin, shared: true }
    }

    /// The sides that triangles have more than once in the same direction.
    fn doubled(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
        let mut sides: Vec<[u32; 2]> = triangles.iter().flat_map(directed).collect();
        sides.sort_unstable();
        sides.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
    }

    #[test]
    fn a_single_triangle_is_not_closed_by_itself_turned_round() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let mut vertices: Vec<Vertex> = (0..).zip(corners).map(|(i, x)| vertex(i, x)).collect();
        let (face, rims) = ([0, 2, 1], [[0, 1], [1, 2], [2, 0]]);
        let closing = caps(&mut vertices, (&[face], &rims), 10.0);
        assert_eq!((closing.len(), vertices.len()), (3, 4), "{closing:?}");
        let all: Vec<[u32; 3]> = closing.iter().copied().chain([face]).collect();
        assert_eq!(doubled(&all), [[0; 2]; 0]);
    }

    /// Two points for one vertex would let sides be turned into one that is there already.
    #[test]
    fn an_outline_that_runs_to_a_hole_and_back_has_one_point_for_each_vertex() {
        let outer = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let hole = [[-0.8, -0.8], [-0.7, -0.8], [-0.8, -0.7]];
        let places = outer.iter().chain(&hole);
        let mut vertices: Vec<Vertex> = (0..).zip(places).map(|(i, &x)| vertex(i, x)).collect();
        let rims = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 6], [5, 4], [6, 5]];
        let found = outlines(&vertices, &rims);
        let mut patch = Patch::of(&vertices, &found[0]);
        let inside = patch.inside(&rims);
        assert_eq!((found.len(), inside), (1, vec![[0, 4]; 2]), "there and back");
        let mut middles = BTreeMap::from([([0, 4], None)]);
        patch.halve(&mut vertices, &mut middles);
        let names: BTreeSet<[u32; 2]> = patch.points.iter().map(|point| point.names).collect();
        assert_eq!((patch.points.len(), names.len(), patch.outline.len()), (8, 8, 11));
        // A face has that side, so that the outline is closed by a fan.
        let closing = caps(&mut vertices, (&[[0, 4, 7]], &rims), 0.5);
        assert_eq!(doubled(&closing), [[0; 2]; 0]);
    }
}
