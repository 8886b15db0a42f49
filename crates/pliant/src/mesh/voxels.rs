//! Surfaces become cubes: in two stages, first those that the surface passes, then those inside.

use glam::{IVec3, UVec3, Vec3};

use super::grid::{cells, centred, index, points};
use super::resolution::{Resolution, room};
use super::sdf::{Sample, SignedDistance};
use super::{Aabb, MeshError};

/// The directions of a lattice link, one of each pair: to every neighbour within the diagonal of
/// a cell.
const LINKS: [[i32; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
];

/// The corners of a cell, numbered by their bits: x + 2 y + 4 z.
const CORNERS: [UVec3; 8] = [
    UVec3::new(0, 0, 0),
    UVec3::new(1, 0, 0),
    UVec3::new(0, 1, 0),
    UVec3::new(1, 1, 0),
    UVec3::new(0, 0, 1),
    UVec3::new(1, 0, 1),
    UVec3::new(0, 1, 1),
    UVec3::new(1, 1, 1),
];

/// Five tetrahedra that fill a cell, for even cells; odd cells are their mirror image in x, so
/// that the diagonals of neighbours meet.
const TETS: [[usize; 4]; 5] =
    [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];

/// Least share of a cell: a particle of no mass cannot be simulated.
const LEAST_SHARE: f32 = 0.1;

/// Places on a cubic grid, one for each particle of a lattice and in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct Voxels {
    /// Where the middle of the first place of the grid is (m).
    pub origin: Vec3,
    /// Distance of neighbours (m).
    pub cell: f32,
    /// Places of the grid along x, y and z.
    pub counts: UVec3,
    /// Those that are taken, x fastest.
    pub voxels: Vec<Voxel>,
}

/// A place that is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voxel {
    /// Which place of the grid.
    pub at: UVec3,
    /// How much of a cell's volume is its own: 1 inside.
    pub share: f32,
    /// Signed distance of its middle to the surface (m), negative inside.
    pub distance: f32,
    /// The way out: the gradient of the signed distance.
    pub normal: Vec3,
}

impl Voxels {
    /// A box, centred, whose outermost places lie on its surface.
    pub fn block(counts: UVec3, cell: f32) -> Self {
        let half = (counts.max(UVec3::ONE) - UVec3::ONE).as_vec3() * (cell / 2.0);
        let voxel = |at: UVec3| {
            let x = at.as_vec3() * cell - half;
            let depths = half - x.abs();
            let axis = depths.min_position();
            let mut normal = Vec3::ZERO;
            normal[axis] = 1f32.copysign(x[axis]);
            let [x, y, z] = [0, 1, 2].map(|axis| border(at[axis], counts[axis]));
            Voxel { at, share: x * y * z, distance: -depths[axis], normal }
        };
        Self { origin: -half, cell, counts, voxels: points(counts).map(voxel).collect() }
    }

    /// Where the particles are (m).
    pub fn positions(&self) -> impl Iterator<Item = Vec3> {
        self.voxels.iter().map(|voxel| voxel.at.as_vec3() * self.cell + self.origin)
    }

    /// The volume of all shares (m³).
    pub fn volume(&self) -> f64 {
        let shares: f64 = self.voxels.iter().map(|voxel| f64::from(voxel.share)).sum();
        shares * f64::from(self.cell).powi(3)
    }

    /// Every two neighbours within the diagonal of a cell, once.
    pub fn links(&self) -> impl Iterator<Item = [u32; 2]> {
        (0u32..).zip(&self.voxels).flat_map(move |(from, voxel)| {
            let to = |by| self.find(voxel.at.as_ivec3() + IVec3::from_array(by));
            LINKS.into_iter().filter_map(to).map(move |to| [from, to])
        })
    }

    /// The same, with the number of cells that each lies on: cubes of eight neighbours that are all
    /// there.
    pub fn shared_links(&self) -> impl Iterator<Item = ([u32; 2], u32)> {
        self.links().map(|link| {
            let [a, b] = link.map(|i| self.voxels[i as usize].at.as_ivec3());
            let (low, high) = (a.max(b) - IVec3::ONE, a.min(b));
            let whole = |at: IVec3| {
                CORNERS.iter().all(|corner| self.find(at + corner.as_ivec3()).is_some())
            };
            let mut cells = 0;
            for z in low.z..=high.z {
                for y in low.y..=high.y {
                    for x in low.x..=high.x {
                        cells += u32::from(whole(IVec3::new(x, y, z)));
                    }
                }
            }
            (link, cells)
        })
    }

    /// Five tetrahedra between every eight neighbours, all with positive volume.
    pub fn tets(&self) -> Vec<[u32; 4]> {
        let cell = |at: UVec3| {
            let corners = CORNERS.map(|corner| self.find((at + corner).as_ivec3()));
            let [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] = corners
            else {
                return None;
            };
            let corners = [a, b, c, d, e, f, g, h];
            let odd = (at.x + at.y + at.z) % 2;
            Some(TETS.map(|tet| {
                // Mirroring turns a tetrahedron inside out; swapping two corners turns it back.
                let [a, b, c, d] = tet.map(|k| corners[k ^ odd as usize]);
                if odd == 0 { [a, b, c, d] } else { [a, c, b, d] }
            }))
        };
        self.voxels.iter().filter_map(|voxel| cell(voxel.at)).flatten().collect()
    }

    /// The particle at a place, if there is one.
    fn find(&self, at: IVec3) -> Option<u32> {
        let inside = at.cmpge(IVec3::ZERO).all() && at.cmplt(self.counts.as_ivec3()).all();
        if !inside {
            return None;
        }
        let number = index(self.counts, at.as_uvec3());
        let found = self.voxels.binary_search_by_key(&number, |v| index(self.counts, v.at));
        found.ok().map(|found| found as u32)
    }
}

/// The share of a cell's side that belongs to particle `i` of `count`: half at the ends.
pub(crate) fn border(i: u32, count: u32) -> f32 {
    if i == 0 || i + 1 == count { 0.5 } else { 1.0 }
}

/// How a surface becomes voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voxelisation {
    /// How fine.
    pub resolution: Resolution,
    /// How far outside the middle of a cell may be that the surface passes, in cells: 0 leaves
    /// thin parts out, 0.87 takes every cell that the surface touches.
    pub reach: f32,
}

impl Default for Voxelisation {
    /// A thousand particles, at most a quarter of a cell outside.
    fn default() -> Self {
        Self { resolution: Resolution::Count(1000), reach: 0.25 }
    }
}

impl Voxelisation {
    /// The cells that the surface passes and whose middle is within reach, then those inside.
    ///
    /// # Errors
    /// If there would be too many cells, or none.
    pub fn voxels(&self, sdf: &SignedDistance) -> Result<Voxels, MeshError> {
        let made = |cell| self.at_size(sdf, cell);
        self.resolution.make(room(sdf.bounds(), 1.0), made, |voxels| voxels.voxels.len())
    }

    fn at_size(&self, sdf: &SignedDistance, cell: f32) -> Result<Voxels, MeshError> {
        let bounds = sdf.bounds();
        let counts = cells(bounds, cell)?;
        let origin = centred(bounds, cell, counts) + cell / 2.0;
        let passed = surface_cells(sdf, Voxels { origin, cell, counts, voxels: Vec::new() });
        let walk = sdf.walk();
        let mut voxels = Vec::new();
        let mut left_out = Vec::new();
        for (at, passed) in points(counts).zip(passed) {
            let x = at.as_vec3() * cell + origin;
            if !passed && walk.within(x, 0.0) > 0.0 {
                continue;
            }
            let Sample { distance, normal, .. } = walk.at(x);
            let share = if passed { share_inside(distance / cell, normal) } else { 1.0 };
            let voxel = Voxel { at, share, distance, normal };
            let kept = distance <= self.reach * cell;
            if kept { &mut voxels } else { &mut left_out }.push(voxel);
        }
        if voxels.is_empty() {
            return Err(MeshError::Nothing);
        }
        let mut voxels = Voxels { origin, cell, counts, voxels };
        hand_over(&mut voxels, &left_out);
        Ok(voxels)
    }
}

/// Stage one: which cells do triangles touch?
fn surface_cells(sdf: &SignedDistance, grid: Voxels) -> Vec<bool> {
    let Voxels { origin, cell, counts, .. } = grid;
    let mut passed = vec![false; counts.element_product() as usize];
    let surface = sdf.surface();
    for triangle in 0..surface.triangles.len() {
        let corners = surface.corners(triangle).map(|x| (x - origin) / cell);
        let bounds = Aabb::of(corners);
        let last = (counts - 1).as_vec3();
        let low = bounds.low.round().clamp(Vec3::ZERO, last).as_uvec3();
        let high = bounds.high.round().clamp(Vec3::ZERO, last).as_uvec3();
        for by in points(high - low + 1) {
            let at = low + by;
            let passed = &mut passed[index(counts, at)];
            *passed = *passed || touches_cell(corners.map(|x| x - at.as_vec3()));
        }
    }
    passed
}

/// Whether a triangle touches the cube of side 1 about the origin: no axis separates them.
/// Akenine-Möller 2001.
fn touches_cell(corners: [Vec3; 3]) -> bool {
    let [a, b, c] = corners;
    let sides = [b - a, c - b, a - c];
    let normal = sides[0].cross(sides[1]);
    let crosses = sides.into_iter().flat_map(|side| Vec3::AXES.map(|axis| axis.cross(side)));
    let mut axes = Vec3::AXES.into_iter().chain([normal]).chain(crosses);
    axes.all(|axis| {
        let reach = (axis.x.abs() + axis.y.abs() + axis.z.abs()) / 2.0;
        let [a, b, c] = corners.map(|corner| corner.dot(axis));
        a.min(b).min(c) <= reach && a.max(b).max(c) >= -reach
    })
}

/// The part of a cell of side 1 that lies inside a plane with this outward normal, `distance` from
/// its middle (negative if the middle is inside), by 4 × 4 × 4 samples. Edges and corners of the
/// surface seem flat: a cube of ten cells comes out 4 % too heavy, one of 40 cells 0.1 %.
fn share_inside(distance: f32, normal: Vec3) -> f32 {
    let n = normal.abs();
    let inside = |at: UVec3| {
        let x = (at.as_vec3() - 1.5) / 4.0;
        // Each sample is a small cell itself, that the plane may cut.
        let width = (n.x + n.y + n.z) / 4.0;
        (0.5 - (distance + n.dot(x)) / width.max(1e-6)).clamp(0.0, 1.0)
    };
    points(UVec3::splat(4)).map(inside).sum::<f32>() / 64.0
}

/// What cells that are left out hold goes to their deepest neighbours, so that none is lost.
fn hand_over(voxels: &mut Voxels, left_out: &[Voxel]) {
    for voxel in left_out {
        let around = LINKS.into_iter().flat_map(|by| [IVec3::from(by), -IVec3::from(by)]);
        let near = around.filter_map(|by| voxels.find(voxel.at.as_ivec3() + by));
        let deepest = near.min_by(|&a, &b| {
            let distance = |i: u32| voxels.voxels[i as usize].distance;
            distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
        });
        if let Some(heir) = deepest {
            voxels.voxels[heir as usize].share += voxel.share;
        }
    }
    for voxel in &mut voxels.voxels {
        voxel.share = voxel.share.max(LEAST_SHARE);
    }
}
