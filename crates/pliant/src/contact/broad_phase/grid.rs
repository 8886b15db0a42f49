//! A uniform grid over all boxes, on one thread.

use glam::Vec3;

use super::BroadPhase;
use super::cells::{self, Border, Extent, Ground};
use crate::mesh::Aabb;
use crate::parallel::Pool;

/// See [`BROAD_PHASE`].
pub const BROAD_PHASE: &BroadPhase = &BroadPhase {
    name: "grid",
    shows: "cells of a grid with borders, on one thread; good where all is in one place",
    find: |search, pairs| cells::find(search, &Pool::default(), GROUND, pairs),
};

/// As far as there are boxes; what is far away makes the cells larger.
pub(super) const GROUND: Ground = Ground { border: Border::Closed, extent };

fn extent(boxes: &[Aabb]) -> Extent {
    let all = Aabb::of(boxes.iter().map(|one| one.low).filter(|low| low.is_finite()));
    if all.low.is_finite() {
        Extent { low: all.low, size: all.size() }
    } else {
        Extent { low: Vec3::ZERO, size: Vec3::ZERO }
    }
}
