//! A tree of spheres.

use glam::Vec3;

use super::{BroadPhase, Search};
use crate::mesh::Aabb;
use crate::mesh::bvh::Bvh;

/// See [`BROAD_PHASE`].
///
/// Hubbard 1996, "Approximating Polyhedra with Spheres for Time-Critical Collision Detection".
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "bvh_spheres",
    shows: "a tree of spheres over the same halves as bvh_boxes; a sphere is looser than a box",
    find,
};

/// A sphere around everything in a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sphere {
    centre: Vec3,
    radius: f32,
}

fn find(search: &mut Search<'_>, pairs: &mut Vec<[u32; 2]>) {
    let boxes = search.boxes;
    search.space.bvh.refill(boxes.boxes);
    let (tree, spheres) = (&search.space.bvh, &mut search.space.spheres);
    fill(spheres, tree, boxes.boxes);
    let spheres = &*spheres;
    search.space.rows.by_item(&tree.items, (search.pool, pairs), |i, sink| {
        let one = &boxes.boxes[i as usize];
        let overlaps = |node: usize| {
            let Sphere { centre, radius } = spheres[node];
            one.distance_squared(centre) <= radius * radius
        };
        tree.leaves(overlaps, |items| {
            sink.extend(items.iter().copied().filter(|&j| j > i && boxes.pair(i, j)));
        });
    });
}

/// From the leaves to the root: children come after their parents.
fn fill(spheres: &mut Vec<Sphere>, tree: &Bvh, boxes: &[Aabb]) {
    spheres.clear();
    spheres.resize(tree.nodes.len(), Sphere::default());
    for (index, node) in tree.nodes.iter().enumerate().rev() {
        let centre = (node.bounds.low + node.bounds.high) / 2.0;
        let radius = if node.right == 0 {
            let far = |&i: &u32| {
                let Aabb { low, high } = boxes[i as usize];
                (centre - low).abs().max((high - centre).abs()).length()
            };
            tree.items[node.range()].iter().map(far).fold(0.0, f32::max)
        } else {
            let child = |k: usize| spheres[k].centre.distance(centre) + spheres[k].radius;
            child(index + 1).max(child(node.right as usize))
        };
        // Rounding must not make a sphere too small; and no sphere is larger than its box's.
        let radius = radius.min(node.bounds.size().length() / 2.0) * 1.00001;
        spheres[index] = Sphere { centre, radius };
    }
}
