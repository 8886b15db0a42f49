//! A unit ball and a unit rod, of which all others are instances.

use eframe::wgpu;
use eframe::wgpu::util::DeviceExt;
use pliant::mesh::solids::ball::geodesic;

/// Corners around a rod.
const SIDES: u32 = 12;

/// Balls from which on they are drawn coarser: then each is small, and there are many.
const MANY: u32 = 1500;

/// Triangles of each.
struct Shape {
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    count: u32,
}

pub(super) struct Shapes {
    ball: Shape,
    coarse_ball: Shape,
    rod: Shape,
}

impl Shapes {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let ball = |times| {
            let ball = geodesic(1.0, times);
            let corners: Vec<[f32; 3]> = ball.positions.iter().map(|x| x.to_array()).collect();
            Shape::new(device, &corners, ball.triangles.as_flattened())
        };
        Self { ball: ball(3), coarse_ball: ball(1), rod: rod(device) }
    }

    pub(super) fn draw_balls(&self, pass: &mut wgpu::RenderPass<'_>, count: u32) {
        let shape = if count < MANY { &self.ball } else { &self.coarse_ball };
        shape.draw(pass, count);
    }

    pub(super) fn draw_rods(&self, pass: &mut wgpu::RenderPass<'_>, count: u32) {
        self.rod.draw(pass, count);
    }
}

impl Shape {
    fn new(device: &wgpu::Device, corners: &[[f32; 3]], indices: &[u32]) -> Self {
        let make = |bytes: &[u8], usage| {
            let label = Some("shape");
            let contents = wgpu::util::BufferInitDescriptor { label, contents: bytes, usage };
            device.create_buffer_init(&contents)
        };
        Self {
            vertices: make(bytemuck::cast_slice(corners), wgpu::BufferUsages::VERTEX),
            indices: make(bytemuck::cast_slice(indices), wgpu::BufferUsages::INDEX),
            count: indices.len() as u32,
        }
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'_>, instances: u32) {
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..self.count, 0, 0..instances);
    }
}

/// x and y around it, z along it.
fn rod(device: &wgpu::Device) -> Shape {
    let mut corners = Vec::new();
    let mut indices = Vec::new();
    for k in 0..SIDES {
        let angle = k as f32 / SIDES as f32 * std::f32::consts::TAU;
        let (x, y) = (libm::cosf(angle), libm::sinf(angle));
        corners.extend([[x, y, 0.0], [x, y, 1.0]]);
        let [a, b] = [2 * k, 2 * ((k + 1) % SIDES)];
        indices.extend([a, b, b + 1, a, b + 1, a + 1]);
    }
    Shape::new(device, &corners, &indices)
}
