//! Numbers on a regular grid: a signed distance that is cheap to look up.

use glam::{UVec3, Vec3};

use super::MeshError;
use super::bvh::Aabb;

/// Most samples of a grid: 64 MiB of numbers.
pub const MOST_SAMPLES: u64 = 1 << 24;

/// Samples at the corners of cubic cells, x fastest, then y, then z.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Where the first sample is (m).
    pub origin: Vec3,
    /// Distance of neighbours (m).
    pub cell: f32,
    /// Samples along x, y and z.
    pub counts: UVec3,
    /// The samples.
    pub values: Vec<f32>,
}

impl Grid {
    /// Samples a function on cells that cover a box.
    ///
    /// # Errors
    /// If the cells are not a size, or are so small that there would be more than
    /// [`MOST_SAMPLES`].
    pub fn sample(bounds: Aabb, cell: f32, value: impl Fn(Vec3) -> f32) -> Result<Self, MeshError> {
        let counts = cells(bounds, cell)? + 1;
        let origin = centred(bounds, cell, counts - 1);
        let values = points(counts).map(|at| value(origin + at.as_vec3() * cell)).collect();
        Ok(Self { origin, cell, counts, values })
    }

    /// The value at a point, interpolated linearly along each axis; outside, that of the nearest
    /// point of the grid plus the distance to it, which is right for a distance.
    pub fn value(&self, x: Vec3) -> f32 {
        let (cell, share, outside) = self.locate(x);
        let along_x = |y, z| {
            let [a, b] = [0, 1].map(|x| self.corner(cell, [x, y, z]));
            a + (b - a) * share.x
        };
        let along_y = |z| {
            let [a, b] = [0, 1].map(|y| along_x(y, z));
            a + (b - a) * share.y
        };
        let [a, b] = [0, 1].map(along_y);
        a + (b - a) * share.z + outside
    }

    /// The gradient of [`Self::value`] inside the grid (1/m of the value's unit).
    pub fn gradient(&self, x: Vec3) -> Vec3 {
        let (cell, share, _) = self.locate(x);
        let mut gradient = Vec3::ZERO;
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for [i, j] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                let mut corner = [0; 3];
                (corner[u], corner[v]) = (i, j);
                let from = self.corner(cell, corner);
                corner[axis] = 1;
                let weight = |k: u32, share: f32| if k == 1 { share } else { 1.0 - share };
                gradient[axis] +=
                    (self.corner(cell, corner) - from) * weight(i, share[u]) * weight(j, share[v]);
            }
        }
        gradient / self.cell
    }

    /// The cell of a point, where in it the point is (0 to 1), and how far outside (m).
    fn locate(&self, x: Vec3) -> (UVec3, Vec3, f32) {
        let last = (self.counts - 1).as_vec3();
        let inside = ((x - self.origin) / self.cell).clamp(Vec3::ZERO, last);
        let cell = inside.floor().min((last - 1.0).max(Vec3::ZERO));
        let outside = x.distance(self.origin + inside * self.cell);
        // Within the grid the difference is rounding, not distance.
        let outside = if outside > 1e-4 * self.cell { outside } else { 0.0 };
        (cell.as_uvec3(), inside - cell, outside)
    }

    fn corner(&self, cell: UVec3, [x, y, z]: [u32; 3]) -> f32 {
        let at = (cell + UVec3::new(x, y, z)).min(self.counts - 1);
        self.values[index(self.counts, at)]
    }
}

/// How many cells along each axis cover a box.
pub(crate) fn cells(bounds: Aabb, cell: f32) -> Result<UVec3, MeshError> {
    let size = bounds.size().max(Vec3::ZERO);
    let side = size.max_element();
    let counts = (size / cell).ceil().max(Vec3::ONE).as_dvec3();
    let samples = (counts.x + 1.0) * (counts.y + 1.0) * (counts.z + 1.0);
    if cell > 0.0 && cell.is_finite() && samples <= MOST_SAMPLES as f64 {
        return Ok(counts.as_uvec3());
    }
    let product = size.as_dvec3().max(glam::DVec3::splat(f64::from(side) / 256.0));
    let least = libm::cbrt(product.x * product.y * product.z / MOST_SAMPLES as f64) * 1.05;
    Err(MeshError::Cell { cell, side, least: least as f32 })
}

/// Where the first corner is when so many cells lie centred on a box.
pub(crate) fn centred(bounds: Aabb, cell: f32, cells: UVec3) -> Vec3 {
    (bounds.low + bounds.high) / 2.0 - cells.as_vec3() * (cell / 2.0)
}

/// All places of a grid, x fastest.
pub(crate) fn points(counts: UVec3) -> impl Iterator<Item = UVec3> {
    (0..counts.z).flat_map(move |z| {
        (0..counts.y).flat_map(move |y| (0..counts.x).map(move |x| UVec3::new(x, y, z)))
    })
}

/// The number of a place, x fastest.
pub(crate) fn index(counts: UVec3, at: UVec3) -> usize {
    (at.z as usize * counts.y as usize + at.y as usize) * counts.x as usize + at.x as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Aabb = Aabb { low: Vec3::splat(-1.0), high: Vec3::new(1.0, 2.0, 3.0) };

    #[test]
    fn a_linear_function_is_interpolated_exactly() {
        let slope = Vec3::new(2.0, -3.0, 0.5);
        let grid = Grid::sample(BOUNDS, 0.3, |x| slope.dot(x) + 1.0).unwrap();
        for k in 0..100 {
            let share = Vec3::new((k % 7) as f32 / 6.0, (k % 5) as f32 / 4.0, k as f32 / 99.0);
            let x = BOUNDS.low + BOUNDS.size() * share;
            let (value, expected) = (grid.value(x), slope.dot(x) + 1.0);
            assert!((value - expected).abs() < 1e-5, "{value} is not {expected} at {x}");
            assert!(grid.gradient(x).distance(slope) < 1e-4, "{} at {x}", grid.gradient(x));
        }
    }

    #[test]
    fn outside_the_distance_goes_on() {
        let grid = Grid::sample(BOUNDS, 0.5, |x| x.y).unwrap();
        let top = grid.origin.y + (grid.counts.y - 1) as f32 * grid.cell;
        assert!((grid.value(Vec3::new(0.0, top + 5.0, 0.0)) - (top + 5.0)).abs() < 1e-4);
    }

    #[test]
    fn more_samples_than_fit_are_refused() {
        for cell in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-6, 1e-30] {
            let refused = Grid::sample(BOUNDS, cell, |_| 0.0);
            let Err(MeshError::Cell { least, .. }) = refused else {
                panic!("cells of {cell} m were accepted");
            };
            assert!(cells(BOUNDS, least).is_ok(), "the {least} m that are advised are refused");
        }
    }
}
