//! Caps with sides that are not too long, so that they follow what moves under them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::caps::add_middle;
use super::opened::Vertex;

/// No triangle.
const NONE: u32 = u32::MAX;

/// Halves the sides within a cap that are longer than `longest` (m), the longest first; only those that
/// are the longest of both their triangles (Rivara 1984): beside a long rim this comes to an end.
pub(super) fn refine(vertices: &mut Vec<Vertex>, triangles: &mut Vec<[u32; 3]>, longest: f64) {
    let beside = neighbours(triangles);
    let mut cap = Cap { vertices, triangles, beside, longest, queue: BinaryHeap::new() };
    for triangle in 0..cap.triangles.len() as u32 {
        (0..3).for_each(|k| cap.consider(triangle, k));
    }
    while let Some((_, _, [triangle, from, to])) = cap.queue.pop() {
        cap.halve(triangle, [from, to]);
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

/// What decides when a side is halved: its length, then its place, which are the same on both sides of
/// the blade where numbers are not; and which side it is: a triangle and two ends.
type Turn = (u64, Reverse<[i64; 3]>, [u32; 3]);

struct Cap<'a> {
    vertices: &'a mut Vec<Vertex>,
    triangles: &'a mut Vec<[u32; 3]>,
    beside: Vec<[u32; 3]>,
    longest: f64,
    queue: BinaryHeap<Turn>,
}

impl Cap<'_> {
    fn length(&self, a: u32, b: u32) -> f64 {
        self.vertices[a as usize].x.distance(self.vertices[b as usize].x)
    }

    /// Queues a side that is too long, once for both its triangles.
    fn consider(&mut self, triangle: u32, k: usize) {
        let corners = self.triangles[triangle as usize];
        let [a, b] = [corners[k], corners[(k + 1) % 3]];
        let length = self.length(a, b);
        if a < b && length > self.longest && self.beside[triangle as usize][k] != NONE {
            let middle = (self.vertices[a as usize].x + self.vertices[b as usize].x) / 2.0;
            // Bits of a positive number are in its order; of a negative one, the other way round.
            let ordered = |x: f64| {
                let bits = x.to_bits() as i64;
                bits ^ (((bits >> 63) as u64) >> 1) as i64
            };
            let place = middle.to_array().map(ordered);
            self.queue.push((length.to_bits(), Reverse(place), [triangle, a, b]));
        }
    }

    /// The place of a side in a triangle, if it still has it.
    fn find(&self, triangle: u32, [a, b]: [u32; 2]) -> Option<usize> {
        let corners = self.triangles[triangle as usize];
        (0..3).find(|&k| corners[k] == a && corners[(k + 1) % 3] == b)
    }

    fn is_longest(&self, triangle: u32, length: f64) -> bool {
        let [a, b, c] = self.triangles[triangle as usize];
        [[a, b], [b, c], [c, a]].iter().all(|&[a, b]| self.length(a, b) <= length)
    }

    fn halve(&mut self, triangle: u32, [a, b]: [u32; 2]) {
        let Some(k) = self.find(triangle, [a, b]) else { return };
        let other = self.beside[triangle as usize][k];
        let (Some(l), length) = (self.find(other, [b, a]), self.length(a, b)) else { return };
        if !self.is_longest(triangle, length) || !self.is_longest(other, length) {
            return;
        }
        let m = add_middle(self.vertices, [a, b]);
        let first = self.split(triangle, k, m);
        let second = self.split(other, l, m);
        // From a to m it is the old triangle and the other's new one, from m to b the other way round.
        self.beside[triangle as usize][0] = second;
        self.beside[second as usize][0] = triangle;
        self.beside[first as usize][0] = other;
        self.beside[other as usize][0] = first;
        for t in [triangle, first, other, second] {
            (0..3).for_each(|k| self.consider(t, k));
        }
    }

    /// Splits a triangle from a vertex on its side `k` to the corner across. It keeps the first half of
    /// that side; returns the triangle with the second. Of both, that half is the first side.
    fn split(&mut self, triangle: u32, k: usize, m: u32) -> u32 {
        let t = triangle as usize;
        let turned = |list: [u32; 3]| [list[k], list[(k + 1) % 3], list[(k + 2) % 3]];
        let ([a, b, c], [_, across, back]) = (turned(self.triangles[t]), turned(self.beside[t]));
        let new = self.triangles.len() as u32;
        self.triangles[t] = [a, m, c];
        self.beside[t] = [NONE, new, back];
        self.triangles.push([m, b, c]);
        self.beside.push([NONE, across, triangle]);
        if across != NONE
            && let Some(side) = self.find(across, [c, b])
        {
            self.beside[across as usize][side] = new;
        }
        new
    }
}
