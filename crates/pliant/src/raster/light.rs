//! The light that arrives at a point: from the sun, from the sky, and back from the ground.

use super::depth_map::{DepthMap, Region, Spot, join};
use super::geometry::Geometry;
use super::scene::{Ground, Scene};
use super::threads::spread;
use glam::{Vec2, Vec3};

/// The lights of a scene, and what stands in their way.
pub(super) struct Light {
    /// Unit direction towards the sun.
    pub(super) toward_sun: Vec3,
    shadow: Option<Shadow>,
    sky: Vec<Patch>,
    floor: Option<Floor>,
}

/// How bright the ground is at a place, 0 to 1 each.
#[derive(Clone, Copy)]
pub(super) struct Brightness {
    /// Part of the sky that is seen.
    pub(super) sky: f32,
    /// Part of the sun that is seen.
    pub(super) sun: f32,
}

const FULL: Brightness = Brightness { sky: 1.0, sun: 1.0 };

/// Widest depth map of the sun (samples).
const SUN_SIZE: usize = 1024;
/// Directions from which the sky sheds its light. Fewer show as separate shadows on the ground.
const SKY_PATCHES: usize = 16;
/// Widest depth map of a patch of sky (samples).
const SKY_SIZE: usize = 96;
/// Shadows are cast within this multiple of the distance from the eye to the target.
const REGION: f32 = 4.0;

impl Light {
    /// Sees the scene from every light, and writes the openness of the vertices.
    pub(super) fn new(scene: &Scene, geometry: &mut Geometry) -> Self {
        let toward_sun = scene.sun.direction.try_normalize().unwrap_or(Vec3::Y);
        let camera = scene.camera;
        let radius = camera.eye.distance(camera.target) * REGION;
        let region = if radius.is_finite() && radius > 0.0 {
            Region { center: camera.target, radius }
        } else {
            Region { center: Vec3::ZERO, radius: f32::MAX }
        };
        let has_sun = scene.sun.color.max_element() > 0.0;
        let map = has_sun.then(|| DepthMap::new(geometry, -toward_sun, region, SUN_SIZE));
        let shadow = map.flatten().map(|map| Shadow::new(map, scene.sun.radius));
        let sky = patches(geometry, region);
        let mut light = Self { toward_sun, shadow, sky, floor: None };
        light.open_vertices(geometry);
        light.floor = scene.ground.and_then(|ground| light.floor(geometry, ground, region));
        light
    }

    /// Part of the sun seen from `point` on a surface whose unit `normal` faces the sun, 0 to 1.
    pub(super) fn sun(&self, point: Vec3, normal: Vec3) -> f32 {
        self.shadow.as_ref().map_or(1.0, |shadow| shadow.lit(point, normal))
    }

    /// Part of the sky seen from `point` on a surface with a unit `normal`, 0 to 1.
    ///
    /// Patches count by their cosine; a surface that faces down sees no patch and counts as open.
    pub(super) fn openness(&self, point: Vec3, normal: Vec3) -> f32 {
        // As much as two or three patches is always open: it stands for light that was scattered
        // more than once, and keeps the result smooth where a surface turns away from the sky.
        const ALWAYS: f32 = 2.5;
        let (mut seen, mut all) = (ALWAYS, ALWAYS);
        for patch in &self.sky {
            let weight = patch.toward.dot(normal);
            if weight > 0.0 {
                let offset = normal * (patch.map.sample_size() * 1.5);
                seen += weight * patch.map.lit(patch.map.spot(point + offset));
                all += weight;
            }
        }
        seen / all
    }

    /// How bright the ground below `point` is.
    pub(super) fn ground(&self, point: Vec3) -> Brightness {
        self.floor.as_ref().map_or(FULL, |floor| floor.at(point))
    }

    fn open_vertices(&self, geometry: &mut Geometry) {
        const CHUNK: usize = 512;
        let Geometry { positions, normals, openness, .. } = geometry;
        let chunks = positions.chunks(CHUNK).zip(normals.chunks(CHUNK));
        let tasks: Vec<_> = chunks.zip(openness.chunks_mut(CHUNK)).collect();
        spread(tasks, |((positions, normals), openness)| {
            for ((&p, &n), open) in positions.iter().zip(normals).zip(openness) {
                // Vertices that no triangle uses have no normal and may be anywhere.
                if n != Vec3::ZERO {
                    *open = [self.openness(p, n), self.openness(p, -n)];
                }
            }
        });
    }

    fn floor(&self, geometry: &Geometry, ground: Ground, region: Region) -> Option<Floor> {
        let mut floor = Floor::around(geometry, ground, region)?;
        let (origin, cell) = (floor.origin, floor.cell);
        let rows = floor.samples.chunks_mut(FLOOR_SIZE).enumerate().collect();
        spread(rows, |(row, samples): (usize, &mut [Brightness])| {
            for (column, sample) in samples.iter_mut().enumerate() {
                let at = origin + Vec2::new(column as f32, row as f32) * cell;
                let point = Vec3::new(at.x, ground.height, at.y);
                *sample = Brightness {
                    sky: self.openness(point, Vec3::Y),
                    sun: self.sun(point, Vec3::Y),
                };
            }
        });
        Some(floor)
    }
}

/// A patch of the sky.
struct Patch {
    /// Unit direction towards it.
    toward: Vec3,
    map: DepthMap,
}

/// Patches spread evenly over the sky, on a spiral from near the horizon to the zenith.
fn patches(geometry: &Geometry, region: Region) -> Vec<Patch> {
    /// Sine of the lowest patch's elevation: below, maps see the scene from the side only.
    const LOWEST: f32 = 0.12;
    const GOLDEN_ANGLE: f32 = 2.399_963;
    let mut slots: Vec<Option<Patch>> = (0..SKY_PATCHES).map(|_| None).collect();
    spread(slots.iter_mut().enumerate().collect(), |(k, slot)| {
        let height = LOWEST + (1.0 - LOWEST) * (k as f32 + 0.5) / SKY_PATCHES as f32;
        let (sin, cos) = libm::sincosf(k as f32 * GOLDEN_ANGLE);
        let around = (1.0 - height * height).sqrt();
        let toward = Vec3::new(around * cos, height, around * sin);
        *slot = DepthMap::new(geometry, -toward, region, SKY_SIZE).map(|map| Patch { toward, map });
    });
    slots.into_iter().flatten().collect()
}

/// The shadow of a sun that is a disc: sharp where things touch, softer farther away.
///
/// Blockers are searched in a coarse map that keeps the nearest depth of each block, so that even a
/// thin rope is found; their distance gives the width of the penumbra over which the fine map is
/// averaged. After Fernando 2005, "Percentage-Closer Soft Shadows".
struct Shadow {
    map: DepthMap,
    /// The nearest and the farthest closeness in each block.
    blocks: Vec<[f32; 2]>,
    block_columns: usize,
    /// The same over all blocks that the search may reach from there.
    around: Vec<[f32; 2]>,
    /// Tangent of the sun's radius.
    softness: f32,
    /// Where the disc is sampled, in units of its radius.
    taps: Vec<Vec2>,
}

/// Side of a block in which blockers are searched (samples).
const BLOCK: usize = 8;
/// Widest penumbra, from its middle (samples); the search reaches 2.5 blocks.
const WIDEST: f32 = 16.0;
/// Narrowest penumbra (samples): hides the grid of the map.
const NARROWEST: f32 = 1.2;
/// Samples of the penumbra; about one per sample of the map when it is widest.
const TAPS: usize = 24;
/// A surface is lifted by this along its normal (samples), so that it does not shade itself.
const LIFT: f32 = 1.2;
/// The same towards the sun (samples).
const BIAS: f32 = 0.6;
/// Steepest slope for which depths are corrected; beyond, the sun only grazes the surface.
const STEEPEST: f32 = 5.0;

/// Taps that fill a penumbra of this radius (samples).
fn taps_for(radius: f32) -> usize {
    match radius {
        r if r < 1.5 => TAPS / 8,
        r if r < 3.0 => TAPS / 4,
        r if r < 6.0 => TAPS / 2,
        _ => TAPS,
    }
}

impl Shadow {
    fn new(map: DepthMap, radius: f32) -> Self {
        const GOLDEN_ANGLE: f32 = 2.399_963;
        let (blocks, block_columns) = map.blocks(BLOCK);
        let around = joined_around(&blocks, block_columns);
        let taps = (0..TAPS).map(|k| {
            let (sin, cos) = libm::sincosf(k as f32 * GOLDEN_ANGLE);
            Vec2::new(cos, sin) * ((k as f32 + 0.5) / TAPS as f32).sqrt()
        });
        let radius = if radius.is_finite() { radius.clamp(0.0, 0.5) } else { 0.0 };
        let softness = libm::tanf(radius);
        Self { map, blocks, block_columns, around, softness, taps: taps.collect() }
    }

    fn lit(&self, point: Vec3, normal: Vec3) -> f32 {
        let size = self.map.sample_size();
        let mut spot = self.map.spot(point + normal * (LIFT * size));
        spot.closeness += BIAS * size;
        let slope = self.slope(normal);
        let [nearest, farthest] = self.around(spot);
        let tilt = (slope.x.abs() + slope.y.abs()) * WIDEST;
        // Most places are certain, and need no search.
        if nearest <= spot.closeness {
            return 1.0;
        } else if farthest > spot.closeness + tilt {
            return 0.0;
        }
        let radius_at = |d: f32| (d * self.softness / size).clamp(NARROWEST, WIDEST);
        let mut radius = radius_at(nearest - spot.closeness);
        if radius > NARROWEST {
            let Some(distance) = self.blocker_distance(spot) else { return 1.0 };
            radius = radius_at(distance);
        }
        let count = taps_for(radius);
        // The first taps of the spiral are a smaller disc; widened, they fill the whole.
        let radius = radius * (TAPS as f32 / count as f32).sqrt();
        let lit: f32 = self.taps[..count]
            .iter()
            .map(|tap| {
                let offset = *tap * radius;
                self.map.lit(Spot {
                    x: spot.x + offset.x,
                    y: spot.y + offset.y,
                    closeness: spot.closeness + slope.dot(offset),
                })
            })
            .sum();
        lit / count as f32
    }

    /// The nearest and the farthest closeness that a search from `spot` could find.
    fn around(&self, spot: Spot) -> [f32; 2] {
        let (column, row) = (spot.x as u32 as usize / BLOCK, spot.y as u32 as usize / BLOCK);
        let inside = spot.x >= 0.0 && spot.y >= 0.0 && column < self.block_columns;
        let block = self.around.get(row * self.block_columns + column).filter(|_| inside);
        block.copied().unwrap_or([f32::INFINITY, f32::NEG_INFINITY])
    }

    /// Change of closeness from sample to sample on a plane with this normal (m).
    fn slope(&self, normal: Vec3) -> Vec2 {
        let view = &self.map.view;
        let facing = normal.dot(view.forward).min(-1.0 / STEEPEST);
        Vec2::new(normal.dot(view.right), -normal.dot(view.up)) * (self.map.sample_size() / facing)
    }

    /// Mean distance to what is in front of `spot` (m); `None` if nothing is.
    ///
    /// The weights fall to zero at the border of the search, so that the result is smooth, and grow
    /// with distance, so that the surface itself counts little where it is tilted.
    fn blocker_distance(&self, spot: Spot) -> Option<f32> {
        const REACH: f32 = 2.5;
        let (x, y) = (spot.x / BLOCK as f32, spot.y / BLOCK as f32);
        let range = |middle: f32, count: usize| {
            let first = (middle - REACH).max(0.0) as usize;
            let last = ((middle + REACH).max(0.0) as usize + 1).min(count);
            first.min(last)..last
        };
        let rows = range(y, self.blocks.len() / self.block_columns);
        let columns = range(x, self.block_columns);
        let (mut sum, mut total) = (0.0, 0.0);
        for row in rows {
            let weight_y = REACH + 0.5 - (y - row as f32 - 0.5).abs();
            let start = row * self.block_columns;
            let blocks = &self.blocks[start + columns.start..start + columns.end];
            for (column, &[nearest, _]) in columns.clone().zip(blocks) {
                let distance = nearest - spot.closeness;
                if distance > 0.0 {
                    let weight_x = REACH + 0.5 - (x - column as f32 - 0.5).abs();
                    let weight = weight_x * weight_y * distance;
                    sum += weight * distance;
                    total += weight;
                }
            }
        }
        (total > 0.0).then(|| sum / total)
    }
}

/// Joins each block with those around it, as far as the search for blockers may reach.
fn joined_around(blocks: &[[f32; 2]], columns: usize) -> Vec<[f32; 2]> {
    const REACH: usize = 3;
    let rows = blocks.len() / columns;
    let range = |k: usize, count: usize| k.saturating_sub(REACH)..(k + REACH + 1).min(count);
    let along: Vec<[f32; 2]> = (0..blocks.len())
        .map(|k| {
            let row = &blocks[k / columns * columns..][..columns];
            row[range(k % columns, columns)].iter().fold(blocks[k], |a, &b| join(a, b))
        })
        .collect();
    (0..blocks.len())
        .map(|k| {
            let rows = range(k / columns, rows);
            rows.fold(along[k], |a, row| join(a, along[row * columns + k % columns]))
        })
        .collect()
}

/// Samples of the ground's brightness along each axis.
const FLOOR_SIZE: usize = 96;

/// The brightness of the ground around the scene, as a picture.
struct Floor {
    /// Least x and z (m).
    origin: Vec2,
    /// Distance between samples (m).
    cell: Vec2,
    samples: Vec<Brightness>,
}

impl Floor {
    fn around(geometry: &Geometry, ground: Ground, region: Region) -> Option<Self> {
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for ball in geometry.extremes() {
            least = least.min(ball.center - ball.radius);
            most = most.max(ball.center + ball.radius);
        }
        least = least.max(region.center - region.radius);
        most = most.min(region.center + region.radius);
        // What is high darkens the ground far around.
        let margin = (most.y - ground.height).max(0.0) * 1.5 + (most - least).max_element() * 0.1;
        let (least, most) =
            (Vec2::new(least.x, least.z) - margin, Vec2::new(most.x, most.z) + margin);
        let cell = (most - least) / (FLOOR_SIZE - 1) as f32;
        let samples = vec![FULL; FLOOR_SIZE * FLOOR_SIZE];
        (cell.min_element() > 0.0 && cell.is_finite()).then_some(Self {
            origin: least,
            cell,
            samples,
        })
    }

    fn at(&self, point: Vec3) -> Brightness {
        let at = (Vec2::new(point.x, point.z) - self.origin) / self.cell;
        let last = (FLOOR_SIZE - 1) as f32;
        let inside = at.cmpge(Vec2::ZERO).all() && at.cmplt(Vec2::splat(last)).all();
        if !inside {
            return FULL;
        }
        let (column, row) = (at.x as usize, at.y as usize);
        let (s, t) = (at.x - column as f32, at.y - row as f32);
        let start = row * FLOOR_SIZE + column;
        let (upper, lower) =
            (&self.samples[start..start + 2], &self.samples[start + FLOOR_SIZE..][..2]);
        let blend = |get: fn(&Brightness) -> f32| {
            let above = get(&upper[0]) * (1.0 - s) + get(&upper[1]) * s;
            let below = get(&lower[0]) * (1.0 - s) + get(&lower[1]) * s;
            // Towards the border the picture gives way to full brightness.
            let edge = (at.min(Vec2::splat(last) - at).min_element() / (last * 0.15)).min(1.0);
            1.0 + (above * (1.0 - t) + below * t - 1.0) * edge
        };
        Brightness { sky: blend(|b| b.sky), sun: blend(|b| b.sun) }
    }
}
