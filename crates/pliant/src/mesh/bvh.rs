//! A tree of boxes: finds what is near without looking at everything.

use glam::Vec3;

/// Most items of a leaf. Fewer make the tree deeper, more make the leaves slower.
const LEAF: usize = 4;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the lowest coordinates (m).
    pub low: Vec3,
    /// The corner with the highest (m).
    pub high: Vec3,
}

impl Aabb {
    /// The box that contains nothing.
    pub const EMPTY: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    /// The smallest box around points.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        let grow = |all: Self, x: Vec3| Self { low: all.low.min(x), high: all.high.max(x) };
        points.into_iter().fold(Self::EMPTY, grow)
    }

    /// The sides (m); of the empty box, negative.
    pub fn size(&self) -> Vec3 {
        self.high - self.low
    }

    /// The same box, larger by `margin` on every side (m).
    #[must_use]
    pub fn grown(self, margin: f32) -> Self {
        Self { low: self.low - margin, high: self.high + margin }
    }

    /// Whether the two have a point in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// The square of the distance to a point (m²), 0 inside.
    pub(crate) fn distance_squared(&self, x: Vec3) -> f32 {
        x.clamp(self.low, self.high).distance_squared(x)
    }

    pub(crate) fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// Boxes in boxes, halved along their longest side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh {
    /// The root is the first. A left child follows its parent.
    pub(crate) nodes: Vec<Node>,
    /// The items, sorted so that those of a node lie together.
    pub(crate) items: Vec<u32>,
}

/// A part of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) bounds: Aabb,
    /// Where its items begin and end.
    pub(crate) range: [u32; 2],
    /// The right child, or 0 for a leaf.
    pub(crate) right: u32,
}

impl Node {
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.range[0] as usize..self.range[1] as usize
    }
}

impl Bvh {
    /// The tree over items with these boxes.
    pub(crate) fn new(boxes: &[Aabb]) -> Self {
        let mut tree = Self::default();
        tree.refill(boxes);
        tree
    }

    /// Becomes the tree over items with these boxes, in the buffers at hand.
    pub(crate) fn refill(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.items.clear();
        self.items.extend(0..boxes.len() as u32);
        if !boxes.is_empty() {
            self.build(boxes, 0, boxes.len());
        }
    }

    /// Shows the items of every leaf that can be reached through nodes that `enter` lets in.
    pub(crate) fn leaves(&self, enter: impl Fn(usize) -> bool, mut show: impl FnMut(&[u32])) {
        if !self.nodes.is_empty() {
            self.enter(0, &enter, &mut show);
        }
    }

    fn enter(&self, index: usize, enter: &impl Fn(usize) -> bool, show: &mut impl FnMut(&[u32])) {
        let node = &self.nodes[index];
        if !enter(index) {
            return;
        }
        if node.right == 0 {
            show(&self.items[node.range()]);
            return;
        }
        self.enter(index + 1, enter, show);
        self.enter(node.right as usize, enter, show);
    }

    fn build(&mut self, boxes: &[Aabb], start: usize, end: usize) -> u32 {
        let index = self.nodes.len() as u32;
        let items = &mut self.items[start..end];
        let bounds = items.iter().fold(Aabb::EMPTY, |all, &i| all.join(boxes[i as usize]));
        self.nodes.push(Node { bounds, range: [start as u32, end as u32], right: 0 });
        if end - start > LEAF {
            let middle = |i: u32| boxes[i as usize].low + boxes[i as usize].high;
            let spread = Aabb::of(items.iter().map(|&i| middle(i))).size();
            let axis = spread.max_position();
            let half = items.len() / 2;
            // The index breaks ties, so that the tree depends on nothing but the boxes.
            items.select_nth_unstable_by(half, |&a, &b| {
                middle(a)[axis].total_cmp(&middle(b)[axis]).then(a.cmp(&b))
            });
            self.build(boxes, start, start + half);
            let right = self.build(boxes, start + half, end);
            self.nodes[index as usize].right = right;
        }
        index
    }

    /// Shows the items whose boxes are nearer to `x` than the root of `limit` (m²), nearest boxes
    /// first, as far as the limit that each visit returns allows.
    pub(crate) fn visit(&self, x: Vec3, limit: f32, mut visit: impl FnMut(u32, f32) -> f32) {
        if let Some(root) = self.nodes.first() {
            let mut limit = limit;
            if root.bounds.distance_squared(x) < limit {
                self.descend(0, x, &mut limit, &mut visit);
            }
        }
    }

    fn descend(
        &self,
        index: usize,
        x: Vec3,
        limit: &mut f32,
        visit: &mut impl FnMut(u32, f32) -> f32,
    ) {
        let node = &self.nodes[index];
        if node.right == 0 {
            for &item in &self.items[node.range()] {
                *limit = visit(item, *limit);
            }
            return;
        }
        let children = [index + 1, node.right as usize];
        let far = children.map(|child| self.nodes[child].bounds.distance_squared(x));
        let order = if far[1] < far[0] { [1, 0] } else { [0, 1] };
        for k in order {
            if far[k] < *limit {
                self.descend(children[k], x, limit, visit);
            }
        }
    }

    /// Shows the items of the leaves that meet a box.
    pub(crate) fn visit_box(&self, around: &Aabb, visit: &mut impl FnMut(u32)) {
        let mut stack = [0u32; 64]; // halving leaves at most 32 levels, each with one waiting
        let mut waiting = usize::from(!self.nodes.is_empty());
        while waiting > 0 {
            waiting -= 1;
            let index = stack[waiting];
            let node = &self.nodes[index as usize];
            if !node.bounds.overlaps(around) {
                continue;
            }
            if node.right == 0 {
                self.items[node.range()].iter().for_each(|&item| visit(item));
                continue;
            }
            (stack[waiting], stack[waiting + 1]) = (node.right, index + 1);
            waiting += 2;
        }
    }

    /// The item with the least square distance, as `distance_squared` says, and that (m²).
    pub(crate) fn nearest(
        &self,
        x: Vec3,
        mut distance_squared: impl FnMut(u32) -> f32,
    ) -> Option<(u32, f32)> {
        let mut best = None;
        self.visit(x, f32::INFINITY, |item, limit| {
            let d = distance_squared(item);
            if d < limit {
                best = Some((item, d));
                return d;
            }
            limit
        });
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_found_without_looking_at_all() {
        let mut seed = 1u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 24) as f32
        };
        let mut point = || Vec3::new(random(), random(), random());
        let points: Vec<Vec3> = (0..1000).map(|_| point()).collect();
        let boxes: Vec<Aabb> = points.iter().map(|&x| Aabb::of([x])).collect();
        let tree = Bvh::new(&boxes);
        let mut looks = 0;
        for _ in 0..100 {
            let x = point() * 2.0 - 0.5;
            let found = tree.nearest(x, |i| {
                looks += 1;
                points[i as usize].distance_squared(x)
            });
            let least = points.iter().map(|p| p.distance_squared(x)).fold(f32::MAX, f32::min);
            assert_eq!(found.unwrap().1, least);
        }
        assert!(looks < 100 * 200, "{looks} looks for 100 queries of 1000 points");
        assert!(Bvh::new(&[]).nearest(Vec3::ZERO, |_| 0.0).is_none());
    }
}
