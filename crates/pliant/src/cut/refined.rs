//! Caps with sides that are not too long, so that they follow what moves under them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use glam::DVec3;

use super::caps::Patch;
use super::opened::Vertex;

/// No triangle.
const NONE: u32 = u32::MAX;

/// How far beyond two right angles the corners across a side must be together for it to be turned, as a
/// sine: rounding turns nothing.
const TURNED: f64 = 1e-6;

/// Sides that no cap may have, since others have them.
#[derive(Debug, Default)]
pub(super) struct Barred {
    /// Those that were there before, by the places of their ends, which are the same on both sides of
    /// the blade; the lower first.
    places: BTreeSet<[u32; 2]>,
    /// Those between vertices of rims that caps have got, or have had, the lower end first.
    of_caps: BTreeSet<[u32; 2]>,
}

impl Barred {
    pub(super) fn of(vertices: &[Vertex], sides: &BTreeSet<[u32; 2]>) -> Self {
        let origin = |&i: &u32| vertices[i as usize].origin;
        let places = |[a, b]: &[u32; 2]| sorted([origin(a), origin(b)]);
        Self { places: sides.iter().map(places).collect(), of_caps: BTreeSet::new() }
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Turns the sides within a cap that are not those of Delaunay's triangles, and halves those that are
/// longer than `longest` (m), the longest first; only those that are the longest of both their triangles
/// (Rivara 1984): beside a long rim this comes to an end.
///
/// A side is turned only if it becomes shorter, so that this comes to an end too, flat or not. Without
/// it, the narrow triangles from rim to rim would be halved into ten times as many.
pub(super) fn refine(patch: &mut Patch, longest: f64, barred: &mut Barred) {
    let beside = neighbours(&patch.triangles);
    let own = patch.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let own = own.map(sorted).collect();
    let (wrong, long) = (BinaryHeap::new(), BinaryHeap::new());
    let mut cap = Cap { patch, beside, longest, barred, own, wrong, long };
    for triangle in 0..cap.patch.triangles.len() as u32 {
        let corners = cap.patch.triangles[triangle as usize];
        // Every side once.
        let once = (0..3).filter(|&k| corners[k] < corners[(k + 1) % 3]);
        once.for_each(|k| cap.consider_side(triangle, k));
    }
    loop {
        if let Some((_, _, [triangle, from, to])) = cap.wrong.pop() {
            cap.turn(triangle, [from, to]);
        } else if let Some((_, _, [triangle, from, to])) = cap.long.pop() {
            cap.halve(triangle, [from, to]);
        } else {
            return;
        }
    }
}

/// Across each side of each triangle, the triangle that has it in the other direction.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut sides: Vec<([u32; 2], [u32; 2])> = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in (0..).zip(triangles) {
        for k in 0..3 {
            let [a, b] = [corners[k], corners[(k + 1) % 3]];
            sides.push(([a.min(b), a.max(b)], [t, k as u32]));
        }
    }
    sides.sort_unstable();
    let mut beside = vec![[NONE; 3]; triangles.len()];
    for group in sides.chunk_by(|one, other| one.0 == other.0) {
        if let [(_, [t, k]), (_, [u, l])] = *group {
            beside[t as usize][k as usize] = u;
            beside[u as usize][l as usize] = t;
        }
    }
    beside
}

/// What decides when a side is turned or halved: its length, then its place, which are the same on both
/// sides of the blade where numbers are not; and which side it is: a triangle and two ends.
type Turn = (u64, Reverse<[i64; 3]>, [u32; 3]);

struct Cap<'a> {
    patch: &'a mut Patch,
    beside: Vec<[u32; 3]>,
    longest: f64,
    barred: &'a mut Barred,
    /// Sides that the patch has, or has had, the lower end first.
    own: BTreeSet<[u32; 2]>,
    /// Sides that may have to be turned.
    wrong: BinaryHeap<Turn>,
    /// Sides that are too long.
    long: BinaryHeap<Turn>,
}

impl Cap<'_> {
    fn x(&self, point: u32) -> DVec3 {
        self.patch.points[point as usize].x
    }

    fn length(&self, a: u32, b: u32) -> f64 {
        self.x(a).distance(self.x(b))
    }

    /// Queues the sides of a triangle that are wrong or too long.
    fn consider(&mut self, triangle: u32) {
        (0..3).for_each(|k| self.consider_side(triangle, k));
    }

    fn consider_side(&mut self, triangle: u32, k: usize) {
        let corners = self.patch.triangles[triangle as usize];
        if self.beside[triangle as usize][k] != NONE {
            let [a, b] = [corners[k], corners[(k + 1) % 3]];
            let (length, middle) = (self.length(a, b), (self.x(a) + self.x(b)) / 2.0);
            // Bits of a positive number are in its order; of a negative one, the other way round.
            let ordered = |x: f64| {
                let bits = x.to_bits() as i64;
                bits ^ (((bits >> 63) as u64) >> 1) as i64
            };
            let place = Reverse(middle.to_array().map(ordered));
            let turn = (length.to_bits(), place, [triangle, a, b]);
            if self.is_wrong(triangle, k) {
                self.wrong.push(turn);
            }
            if length > self.longest {
                self.long.push(turn);
            }
        }
    }

    /// The corners across side `k` of a triangle and its ends: a, b, c of the triangle, d beyond.
    fn around(&self, triangle: u32, k: usize) -> Option<[u32; 4]> {
        let corners = self.patch.triangles[triangle as usize];
        let [a, b, c] = [0, 1, 2].map(|i| corners[(k + i) % 3]);
        let other = self.beside[triangle as usize][k];
        let l = if other == NONE { None } else { self.find(other, [b, a]) };
        l.map(|l| [a, b, c, self.patch.triangles[other as usize][(l + 2) % 3]])
    }

    /// Whether the angles across a side are more than two right ones, and it would become shorter. All
    /// numbers are the same on both sides of the blade, to the last bit.
    fn is_wrong(&self, triangle: u32, k: usize) -> bool {
        let Some([a, b, c, d]) = self.around(triangle, k) else { return false };
        let [p, q, r, s] = [a, b, c, d].map(|point| self.x(point));
        if r.distance_squared(s) >= p.distance_squared(q) {
            return false;
        }
        let at = |corner: DVec3| {
            let (u, v) = (p - corner, q - corner);
            (u.dot(v), u.cross(v).length(), u.length() * v.length())
        };
        let ((cos_r, sin_r, all_r), (cos_s, sin_s, all_s)) = (at(r), at(s));
        // sin(γ + δ), which is negative beyond two right angles.
        cos_r * sin_s + cos_s * sin_r < -TURNED * (all_r * all_s) && !self.is_barred(c, d)
    }

    /// Whether others have a side already, or might: two ends of a slit are on both sides of the blade.
    fn is_barred(&self, c: u32, d: u32) -> bool {
        let [one, other] = [c, d].map(|point| self.patch.points[point as usize]);
        one.origin == other.origin
            || !one.shared && !other.shared
            || self.own.contains(&sorted([c, d]))
            || self.barred.places.contains(&sorted([one.origin, other.origin]))
            || self.patch.names([c, d]).any(|names| self.barred.of_caps.contains(&names))
    }

    /// Turns a side, if it is still there and still wrong: it then joins the corners across.
    ///
    /// ```text
    ///       c              c
    ///      / \            /|\
    ///     a---b    to    a | b
    ///      \ /            \|/
    ///       d              d
    /// ```
    fn turn(&mut self, triangle: u32, ends: [u32; 2]) {
        let Some(k) = self.find(triangle, ends) else { return };
        if !self.is_wrong(triangle, k) {
            return;
        }
        let Some([a, b, c, d]) = self.around(triangle, k) else { return };
        let (t, other) = (triangle as usize, self.beside[triangle as usize][k]);
        let Some(l) = self.find(other, [b, a]) else { return };
        let u = other as usize;
        let [across_bc, across_ca] = [1, 2].map(|i| self.beside[t][(k + i) % 3]);
        let [across_ad, across_db] = [1, 2].map(|i| self.beside[u][(l + i) % 3]);
        (self.patch.triangles[t], self.beside[t]) = ([c, a, d], [across_ca, across_ad, other]);
        (self.patch.triangles[u], self.beside[u]) = ([d, b, c], [across_db, across_bc, triangle]);
        self.meet(across_ad, [d, a], triangle);
        self.meet(across_bc, [c, b], other);
        self.own.insert(sorted([c, d]));
        self.barred.of_caps.extend(self.patch.names([c, d]));
        self.consider(triangle);
        self.consider(other);
    }

    /// Says which triangle is now across a side of one.
    fn meet(&mut self, triangle: u32, side: [u32; 2], across: u32) {
        if triangle != NONE
            && let Some(k) = self.find(triangle, side)
        {
            self.beside[triangle as usize][k] = across;
        }
    }

    /// The place of a side in a triangle, if it still has it.
    fn find(&self, triangle: u32, [a, b]: [u32; 2]) -> Option<usize> {
        let corners = self.patch.triangles[triangle as usize];
        (0..3).find(|&k| corners[k] == a && corners[(k + 1) % 3] == b)
    }

    fn is_longest(&self, triangle: u32, length: f64) -> bool {
        let [a, b, c] = self.patch.triangles[triangle as usize];
        [[a, b], [b, c], [c, a]].iter().all(|&[a, b]| self.length(a, b) <= length)
    }

    fn halve(&mut self, triangle: u32, [a, b]: [u32; 2]) {
        let Some(k) = self.find(triangle, [a, b]) else { return };
        let other = self.beside[triangle as usize][k];
        let (Some(l), length) = (self.find(other, [b, a]), self.length(a, b)) else { return };
        if !self.is_longest(triangle, length) || !self.is_longest(other, length) {
            return;
        }
        let m = self.patch.add_middle([a, b]);
        let first = self.split(triangle, k, m);
        let second = self.split(other, l, m);
        // From a to m it is the old triangle and the other's new one, from m to b the other way round.
        self.beside[triangle as usize][0] = second;
        self.beside[second as usize][0] = triangle;
        self.beside[first as usize][0] = other;
        self.beside[other as usize][0] = first;
        for t in [triangle, first, other, second] {
            self.consider(t);
        }
    }

    /// Splits a triangle from a vertex on its side `k` to the corner across. It keeps the first half of
    /// that side; returns the triangle with the second. Of both, that half is the first side.
    fn split(&mut self, triangle: u32, k: usize, m: u32) -> u32 {
        let t = triangle as usize;
        let turned = |list: [u32; 3]| [list[k], list[(k + 1) % 3], list[(k + 2) % 3]];
        let ([a, b, c], [_, across, back]) =
            (turned(self.patch.triangles[t]), turned(self.beside[t]));
        let new = self.patch.triangles.len() as u32;
        [a, b, c].into_iter().for_each(|corner| _ = self.own.insert(sorted([corner, m])));
        self.patch.triangles[t] = [a, m, c];
        self.beside[t] = [NONE, new, back];
        self.patch.triangles.push([m, b, c]);
        self.beside.push([NONE, across, triangle]);
        self.meet(across, [c, b], new);
        new
    }
}
