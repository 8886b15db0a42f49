//! Signed distances on a grid: any solid, at the price of a box.
//!
//! The WGSL twin of this file is `grid.wgsl`.

use std::sync::Arc;

use glam::{Vec3, Vec4};

use super::{Collider, Data, Shape, draw_surface, length, place};
use crate::error::WorldError;
use crate::mesh::grid::Grid;
use crate::mesh::sdf::SignedDistance;
use crate::mesh::{Aabb, MeshError, Resolution, TetMesh, TriMesh, boundary, open_edge};
use crate::raster::Shading;

/// The shape, for scenes.
pub const SHAPE: &Shape = &Shape {
    name: "sdf",
    params: &[],
    signed_distance,
    // Inside, each axis changes by no more than 1; outside, two distances are added.
    slope: 2.0,
    bounds: |of| field(of).map(Field::bounds),
    thickness: |_| 0.0,
    // Interpolation rounds edges off over about a cell.
    roundness: |of| field(of).map_or(f32::INFINITY, |field| field.grid.cell),
    is_flat: |_, _| false,
    crossing: super::advance,
    check: |of| match field(of) {
        Some(_) => Ok(()),
        None => Err(WorldError::WrongCount {
            kind: "sdf collider",
            what: "grids",
            expected: 1,
            found: 0,
        }),
    },
    wgsl: Some(include_str!("grid.wgsl")),
    draw: |of, scene| {
        if let Some(field) = field(of) {
            draw_surface(of, &field.surface, Shading::Smooth, scene);
        }
    },
};

/// A grid of distances, and what it looks like.
#[derive(Clone, Debug)]
pub struct Field {
    grid: Grid,
    /// Where the distance is 0.
    surface: TriMesh,
}

impl Field {
    /// The distances.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The same for the GPU: two rows, and the samples, four in each.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Vec4> + '_ {
        let Grid { origin, cell, counts, values } = &self.grid;
        let head = [origin.extend(*cell), counts.as_vec3().extend(0.0)];
        let four = |values: &[f32]| {
            Vec4::from_array([0, 1, 2, 3].map(|k| values.get(k).copied().unwrap_or(0.0)))
        };
        head.into_iter().chain(values.chunks(4).map(four))
    }

    fn bounds(&self) -> Aabb {
        let Grid { origin, cell, counts, .. } = self.grid;
        Aabb { low: origin, high: origin + (counts - 1).as_vec3() * cell }
    }
}

fn field(of: &Collider) -> Option<&Field> {
    match &of.data {
        Data::Grid(field) => Some(field),
        _ => None,
    }
}

fn signed_distance(x: Vec3, of: &Collider) -> (f32, Vec3) {
    let Some(field) = field(of) else { return (f32::MAX, Vec3::Y) };
    let Aabb { low, high } = field.bounds();
    let inside = x.clamp(low, high);
    let mut slope = field.grid.gradient(inside);
    // Beyond the grid, the way back to it takes the place of what the grid says.
    let away = (x - inside).normalize_or_zero();
    for axis in (0..3).filter(|&axis| x[axis] != inside[axis]) {
        slope[axis] = away[axis];
    }
    (field.grid.value(x), slope.try_normalize().unwrap_or(Vec3::Y))
}

/// Most that neighbours of a grid may differ by, in cells: more is no distance.
const STEEPEST: f32 = 1.1;

/// Refuses numbers that are no distances on a grid.
fn check(grid: &Grid) -> Result<(), WorldError> {
    place("origin of the grid", grid.origin)?;
    length("cell of the grid", grid.cell)?;
    let wrong = |what, value, needs| Err(WorldError::BadNumber { what, value, needs });
    let fewest = grid.counts.min_element();
    if fewest < 2 {
        return wrong("grid points along an axis", fewest as f32, "at least 2");
    }
    let count = grid.counts.to_array().into_iter().map(|n| n as usize);
    let expected = count.fold(1usize, usize::saturating_mul);
    if grid.values.len() != expected {
        let found = grid.values.len();
        return Err(WorldError::WrongCount { kind: "grid", what: "values", expected, found });
    }
    if let Some(&value) = grid.values.iter().find(|value| !value.is_finite()) {
        return wrong("distance on the grid", value, "finite");
    }
    let [nx, ny] = [grid.counts.x as usize, grid.counts.y as usize];
    for (axis, stride) in [1, nx, nx * ny].into_iter().enumerate() {
        let along = |i: usize| i / stride % grid.counts[axis] as usize;
        for i in (stride..expected).filter(|&i| along(i) > 0) {
            let slope = (grid.values[i] - grid.values[i - stride]).abs() / grid.cell;
            if slope > STEEPEST {
                let needs = "at most 1.1: give distances in the unit of the cells";
                return wrong("change of the grid over a cell, in cells", slope, needs);
            }
        }
    }
    Ok(())
}

/// Where a distance is 0, for pictures.
fn zero_of(grid: &Grid, bounds: Aabb) -> TriMesh {
    let cell = Resolution::Cell(grid.cell);
    let Ok(solid) = TetMesh::stuff_function(&|x| grid.value(x), bounds, cell) else {
        return TriMesh::default(); // no inside to be seen
    };
    TriMesh { positions: solid.positions, triangles: boundary(&solid.tets) }.distinct()
}

impl Collider {
    /// The solid where the distances of `grid` are negative.
    ///
    /// # Errors
    /// If a number is not finite, or the values are too few, too many, or no distances.
    pub fn grid(grid: Grid) -> Result<Self, WorldError> {
        check(&grid)?;
        let mut field = Field { grid, surface: TriMesh::default() };
        field.surface = zero_of(&field.grid, field.bounds());
        Ok(Self { data: Data::Grid(Arc::new(field)), ..Self::new(SHAPE, [0.0; 4]) })
    }

    /// The inside of a closed `surface` (m), sampled on cells of this size (m).
    ///
    /// # Errors
    /// If the surface is none or is open, or the cells are no size or too small.
    pub fn sampled(surface: TriMesh, cell: f32) -> Result<Self, MeshError> {
        let sdf = SignedDistance::new(surface)?;
        if let Some([from, to]) = open_edge(&sdf.surface().triangles) {
            return Err(MeshError::Open { from, to });
        }
        // What is sampled from a closed surface is a distance.
        Self::grid(sdf.grid(cell)?).map_err(|_| MeshError::Nothing)
    }
}
