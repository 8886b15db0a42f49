//! From samples to pixels, band by band.

use super::fill::{Buffer, Facet};
use super::geometry::{GROUND, SKY};
use super::image::Image;
use super::shade::{Shader, Surface};
use super::threads::spread;
use super::tone::{Encoder, tone_map};
use super::view::View;
use glam::Vec3;
use std::ops::Range;

/// Most samples per pixel along each axis.
pub(super) const MAX_SAMPLES: u32 = 4;
/// Most samples per pixel.
const MOST: usize = (MAX_SAMPLES * MAX_SAMPLES) as usize;
/// Rows of pixels that are drawn together: their samples fit into a core's cache.
const BAND: usize = 16;

/// Draws every pixel of `image` with `samples` × `samples` samples each.
pub(super) fn resolve(shader: &Shader<'_>, image: &mut Image, samples: u32) {
    let (width, samples) = (image.width as usize, samples as usize);
    let facets = shader.geometry.facets(shader.view);
    let encoder = Encoder::new();
    let bands = image.rgb.chunks_mut(width * BAND).enumerate().collect();
    spread(bands, |(band, pixels): (usize, &mut [[u8; 3]])| {
        let first = band * BAND * samples;
        let rows = first..first + pixels.len() / width * samples;
        let buffer = cover(shader, &facets, width * samples, rows);
        for (row, pixels) in pixels.chunks_mut(width).enumerate() {
            for (column, pixel) in pixels.iter_mut().enumerate() {
                let cell = Cell { column: column * samples, row: row * samples, samples };
                *pixel = encoder.bytes(pixel_color(shader, &buffer, &cell));
            }
        }
    });
}

/// What each sample of a band sees.
fn cover(shader: &Shader<'_>, facets: &[Facet], width: usize, rows: Range<usize>) -> Buffer {
    let mut buffer = Buffer::band(width, rows.clone(), SKY);
    let below = shader.scene.ground.map_or(0.0, |ground| ground.height - shader.view.eye.y);
    if below < 0.0 {
        for row in rows {
            // 1/depth of a plane is linear along a row.
            let slope = |x: f32| shader.view.ray(x, row as f32 + 0.5).direction.y / below;
            let (first, last) = (slope(0.5), slope(width as f32 - 0.5));
            let step = (last - first) / (width as f32 - 1.0).max(1.0);
            buffer.span(row, 0..width, GROUND, |k| first + step * k as f32);
        }
    }
    shader.geometry.fill(shader.view, facets, &mut buffer);
    buffer
}

/// The samples of one pixel, counted from the corner of the band.
struct Cell {
    column: usize,
    row: usize,
    samples: usize,
}

/// Samples of a pixel that see the same primitive.
#[derive(Clone, Copy)]
struct Group {
    id: u32,
    count: f32,
    /// Sum of their places, counted from the corner of the pixel.
    x: f32,
    y: f32,
}

fn pixel_color(shader: &Shader<'_>, buffer: &Buffer, cell: &Cell) -> Vec3 {
    let first = buffer.id[cell.row * buffer.width + cell.column];
    let mut rows = (cell.row..cell.row + cell.samples)
        .map(|row| &buffer.id[row * buffer.width + cell.column..][..cell.samples]);
    if rows.all(|row| row.iter().all(|&id| id == first)) {
        let half = cell.samples as f32 * 0.5;
        let row = buffer.rows.start + cell.row;
        return color_at(shader, first, cell.column as f32 + half, row as f32 + half);
    }
    mixed_color(shader, buffer, cell)
}

/// The colour of a place where only primitive `id` is seen.
fn color_at(shader: &Shader<'_>, id: u32, x: f32, y: f32) -> Vec3 {
    tone_map(match shader.surface(id, x, y) {
        Some(surface) => shader.lit(&surface),
        None => shader.sky(shader.view.ray(x, y).direction.normalize_or(Vec3::Y)),
    })
}

/// The colour of a pixel in which several primitives are seen.
fn mixed_color(shader: &Shader<'_>, buffer: &Buffer, cell: &Cell) -> Vec3 {
    let (mut groups, mut count) = ([Group { id: SKY, count: 0.0, x: 0.0, y: 0.0 }; MOST], 0);
    for j in 0..cell.samples {
        let start = (cell.row + j) * buffer.width + cell.column;
        for (i, &id) in buffer.id[start..start + cell.samples].iter().enumerate() {
            let found = groups[..count].iter().position(|group| group.id == id);
            let at = found.unwrap_or(count);
            count = count.max(at + 1);
            let group = &mut groups[at];
            group.id = id;
            group.count += 1.0;
            group.x += i as f32 + 0.5;
            group.y += j as f32 + 0.5;
        }
    }
    mean_color(shader, &groups[..count], [cell.column, buffer.rows.start + cell.row])
}

/// The mean colour of the groups of a pixel whose first sample is at `corner`.
fn mean_color(shader: &Shader<'_>, groups: &[Group], corner: [usize; 2]) -> Vec3 {
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    let mut pending: Option<(Surface, f32)> = None;
    // Tone mapped before the mean is taken, or one bright sample would undo the smoothing.
    let light = |(surface, weight): (Surface, f32)| tone_map(shader.lit(&surface)) * weight;
    for group in groups {
        let x = group.x / group.count + corner[0] as f32;
        let y = group.y / group.count + corner[1] as f32;
        total += group.count;
        let Some(surface) = shader.surface(group.id, x, y) else {
            sum += color_at(shader, group.id, x, y) * group.count;
            continue;
        };
        pending = match pending {
            // Neighbouring triangles of a smooth mesh are lit once.
            Some((other, weight)) if other.is_like(&surface) => {
                let weight = weight + group.count;
                Some((other.blend(&surface, group.count / weight), weight))
            }
            other => {
                sum += other.map_or(Vec3::ZERO, light);
                Some((surface, group.count))
            }
        };
    }
    sum += pending.map_or(Vec3::ZERO, light);
    sum / total
}
