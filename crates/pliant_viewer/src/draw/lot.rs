//! Triangles, balls, rods and lines in the memory of the GPU, and how they are drawn.

use std::ops::Range;
use std::sync::Arc;

use eframe::wgpu;

use super::buffer::Grown;
use super::coats::Coats;
use super::pipelines::Set;
use super::shapes::Shapes;
use crate::costume::Coat;
use crate::drawing::{Ball, Drawing, Line, Rod, Starts, Vertex};

/// What one drawing has.
pub(super) struct Lot {
    vertices: Grown<Vertex>,
    indices: Grown<u32>,
    balls: Grown<Ball>,
    rods: Grown<Rod>,
    lines: Grown<Line>,
    /// Which triangles wear what.
    coats: Vec<(Range<u32>, Arc<Coat>)>,
}

/// What a lot is drawn with.
#[derive(Clone, Copy)]
pub(super) struct Brush<'a> {
    pub(super) set: &'a Set,
    pub(super) shapes: &'a Shapes,
    pub(super) coats: &'a Coats,
    /// Where things are, if not where the lot has them.
    pub(super) places: Option<Places<'a>>,
}

/// Where the things of a lot are: 16 bytes for each place.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) positions: &'a wgpu::Buffer,
    pub(super) normals: &'a wgpu::Buffer,
    pub(super) starts: Starts,
}

impl Places<'_> {
    /// The places from a number on.
    fn from(&self, start: u64) -> wgpu::BufferSlice<'_> {
        self.positions.slice(16 * start..)
    }
}

impl Lot {
    pub(super) fn new() -> Self {
        let (vertex, index) = (wgpu::BufferUsages::VERTEX, wgpu::BufferUsages::INDEX);
        Self {
            vertices: Grown::new("vertices", vertex),
            indices: Grown::new("indices", index),
            balls: Grown::new("balls", vertex),
            rods: Grown::new("rods", vertex),
            lines: Grown::new("lines", vertex),
            coats: Vec::new(),
        }
    }

    pub(super) fn write(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        drawing: &Drawing,
    ) {
        self.vertices.write(device, queue, &drawing.vertices);
        self.indices.write(device, queue, &drawing.indices);
        self.balls.write(device, queue, &drawing.balls);
        self.rods.write(device, queue, &drawing.rods);
        self.lines.write(device, queue, &drawing.lines);
        self.coats.clone_from(&drawing.coats);
    }

    /// What its triangles wear.
    pub(super) fn worn(&self) -> impl Iterator<Item = &Arc<Coat>> + Clone {
        self.coats.iter().map(|(_, coat)| coat)
    }

    pub(super) fn cast_shadows(&self, pass: &mut wgpu::RenderPass<'_>, brush: Brush<'_>) {
        if let Some(count) = self.triangles(pass, (&brush.set.mesh_shadow, brush)) {
            pass.draw_indexed(0..count, 0, 0..1);
        }
        self.round(pass, [&brush.set.ball_shadow, &brush.set.rod_shadow], brush);
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, brush: Brush<'_>) {
        self.bare(pass, brush);
        self.dressed(pass, brush);
        self.round(pass, [&brush.set.ball, &brush.set.rod], brush);
        if let Some((lines, count)) = self.lines.filled() {
            pass.set_pipeline(&brush.set.line);
            pass.set_vertex_buffer(0, lines);
            if let Some(places) = &brush.places {
                pass.set_vertex_buffer(1, places.from(places.starts.lines));
            }
            pass.draw(0..6, 0..count);
        }
    }

    /// Triangles that wear nothing.
    fn bare(&self, pass: &mut wgpu::RenderPass<'_>, brush: Brush<'_>) {
        let Some(count) = self.triangles(pass, (&brush.set.mesh, brush)) else { return };
        let mut begin = 0;
        let ends = self.coats.iter().map(|(range, _)| range.clone());
        for range in ends.chain(std::iter::once(count..count)) {
            let end = range.start.min(count);
            if begin < end {
                pass.draw_indexed(begin..end, 0, 0..1);
            }
            begin = range.end;
        }
    }

    /// Triangles that wear something.
    fn dressed(&self, pass: &mut wgpu::RenderPass<'_>, brush: Brush<'_>) {
        if self.coats.is_empty() {
            return;
        }
        let Some(count) = self.triangles(pass, (&brush.set.dressed, brush)) else { return };
        for (range, coat) in self.coats.iter().filter(|(range, _)| range.end <= count) {
            if let Some(group) = brush.coats.of(coat) {
                pass.set_bind_group(2, group, &[]);
                pass.draw_indexed(range.clone(), 0, 0..1);
            }
        }
    }

    /// Makes ready to draw triangles; how many corners there are.
    fn triangles(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        (pipeline, brush): (&wgpu::RenderPipeline, Brush<'_>),
    ) -> Option<u32> {
        let (vertices, _) = self.vertices.filled()?;
        let (indices, count) = self.indices.filled()?;
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, vertices);
        if let Some(places) = &brush.places {
            pass.set_vertex_buffer(1, places.from(0));
            pass.set_vertex_buffer(2, places.normals.slice(..));
        }
        pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
        Some(count)
    }

    fn round(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        [ball, rod]: [&wgpu::RenderPipeline; 2],
        brush: Brush<'_>,
    ) {
        if let Some((balls, count)) = self.balls.filled() {
            pass.set_pipeline(ball);
            pass.set_vertex_buffer(1, balls);
            if let Some(places) = &brush.places {
                pass.set_vertex_buffer(2, places.from(places.starts.balls));
            }
            brush.shapes.draw_balls(pass, count);
        }
        if let Some((rods, count)) = self.rods.filled() {
            pass.set_pipeline(rod);
            pass.set_vertex_buffer(1, rods);
            if let Some(places) = &brush.places {
                pass.set_vertex_buffer(2, places.from(places.starts.rods));
            }
            brush.shapes.draw_rods(pass, count);
        }
    }
}
