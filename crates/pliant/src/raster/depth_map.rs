//! The scene as a light at infinity sees it: how deep the light reaches at each sample.

use super::fill::Buffer;
use super::geometry::Geometry;
use super::view::{Parallel, View};
use glam::Vec3;

/// Empty samples around a depth map, so that filters may reach beyond what is drawn.
const MARGIN: f32 = 2.0;

/// Depths seen from a light at infinity.
pub(super) struct DepthMap {
    pub(super) view: Parallel,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Negated depth (m) of the nearest thing, `NEG_INFINITY` where there is none.
    closeness: Vec<f32>,
}

/// A place on a depth map: column, row and closeness.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) closeness: f32,
}

/// Which part of the world a depth map covers at most: the parts far away from what the camera
/// looks at are not worth its samples.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub(super) center: Vec3,
    pub(super) radius: f32,
}

impl DepthMap {
    /// The scene seen along `forward` (of unit length), at most `size` samples wide and high.
    ///
    /// `None` if there is nothing to see.
    pub(super) fn new(
        geometry: &Geometry,
        forward: Vec3,
        region: Region,
        size: usize,
    ) -> Option<Self> {
        let mut view = Parallel::along(forward);
        let [least, most] = bounds(geometry, &view, region)?;
        let extent = [most[0] - least[0], most[1] - least[1]];
        view.scale = (size as f32 - 2.0 * MARGIN) / extent[0].max(extent[1]).max(1e-4);
        let side =
            |extent: f32| ((extent * view.scale + 2.0 * MARGIN).ceil() as usize).clamp(1, size);
        let (width, height) = (side(extent[0]), side(extent[1]));
        view.offset = [MARGIN - least[0] * view.scale, MARGIN - least[1] * view.scale];
        let mut buffer = Buffer::depth_only(width, height);
        geometry.fill(&view, &geometry.facets(&view), &mut buffer);
        Some(Self { view, width, height, closeness: buffer.closeness })
    }

    /// Width of a sample (m).
    pub(super) fn sample_size(&self) -> f32 {
        1.0 / self.view.scale
    }

    pub(super) fn spot(&self, point: Vec3) -> Spot {
        let p = self.view.view_from_world(point);
        let [x, y] = self.view.buffer_from_view(p);
        Spot { x, y, closeness: Parallel::closeness(p.z) }
    }

    /// Part of the light that reaches a spot, 0 to 1, smooth over a sample.
    #[inline]
    pub(super) fn lit(&self, spot: Spot) -> f32 {
        let (x, y) = (spot.x - 0.5, spot.y - 0.5);
        let (column, row) = (x as u32 as usize, y as u32 as usize);
        // Also when one of them is NaN.
        let inside = x >= 0.0 && y >= 0.0;
        if !inside || column + 1 >= self.width || row + 1 >= self.height {
            return 1.0;
        }
        let at = row * self.width + column;
        let quad = &self.closeness[at..at + self.width + 2];
        let open = |k: usize| if quad[k] <= spot.closeness { 1.0 } else { 0.0 };
        let (s, t) = (x - column as f32, y - row as f32);
        let above = open(0) * (1.0 - s) + open(1) * s;
        let below = open(self.width) * (1.0 - s) + open(self.width + 1) * s;
        above * (1.0 - t) + below * t
    }

    /// The nearest and the farthest closeness in each block of `side` × `side` samples, row by
    /// row, and the number of their columns.
    pub(super) fn blocks(&self, side: usize) -> (Vec<[f32; 2]>, usize) {
        let columns = self.width.div_ceil(side);
        let empty = [f32::NEG_INFINITY, f32::INFINITY];
        let mut blocks = vec![empty; columns * self.height.div_ceil(side)];
        for (row, samples) in self.closeness.chunks(self.width).enumerate() {
            let blocks = &mut blocks[row / side * columns..][..columns];
            for (block, samples) in blocks.iter_mut().zip(samples.chunks(side)) {
                *block = samples.iter().fold(*block, |block, &q| join(block, [q, q]));
            }
        }
        (blocks, columns)
    }
}

/// The nearest and the farthest of two pairs of them. Closeness is never NaN.
pub(super) fn join(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [if a[0] > b[0] { a[0] } else { b[0] }, if a[1] < b[1] { a[1] } else { b[1] }]
}

/// The rectangle that the scene covers at one sample per metre, as far as it lies in `region`.
fn bounds(geometry: &Geometry, view: &Parallel, region: Region) -> Option<[[f32; 2]; 2]> {
    let mut least = [f32::INFINITY; 2];
    let mut most = [f32::NEG_INFINITY; 2];
    for ball in geometry.extremes() {
        let [x, y] = view.buffer_from_view(view.view_from_world(ball.center));
        least = [least[0].min(x - ball.radius), least[1].min(y - ball.radius)];
        most = [most[0].max(x + ball.radius), most[1].max(y + ball.radius)];
    }
    let [x, y] = view.buffer_from_view(view.view_from_world(region.center));
    let r = region.radius;
    least = [least[0].max(x - r), least[1].max(y - r)];
    most = [most[0].min(x + r), most[1].min(y + r)];
    (least[0] < most[0] && least[1] < most[1]).then_some([least, most])
}
