//! Draws pictures with the GPU, into a texture that the window shows. Shader: `draw/scene.wgsl`

mod buffer;
mod coats;
mod pipelines;
mod shapes;
mod target;

use bytemuck::{Pod, Zeroable};
use eframe::wgpu;
use pliant::glam::camera::rh::proj::directx::orthographic;
use pliant::glam::camera::rh::view::look_at_mat4;
use pliant::glam::{Mat4, Vec3, Vec4};

use crate::camera::Camera;
use crate::drawing::{Ball, Drawing, Floor, Line, Rod, Vertex};
use buffer::Grown;
use coats::Coats;
use pipelines::Pipelines;
use shapes::Shapes;
pub use target::Size;
use target::Target;

/// The format of pictures: the shader writes sRGB, as the window wants it.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The format of depths.
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// How much is spent on a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Samples of each pixel: 1 or 4.
    pub samples: u32,
    /// Side of the shadow map (texels).
    pub shadow: u32,
}

impl Quality {
    /// What a GPU draws in a moment.
    pub const FULL: Self = Self { samples: 4, shadow: 2048 };

    /// Where the CPU draws, which has to simulate too: half the work, with edges that are not smooth.
    pub const PLAIN: Self = Self { samples: 1, shadow: 1024 };

    /// What fits whoever draws.
    pub fn of(kind: wgpu::DeviceType) -> Self {
        if kind == wgpu::DeviceType::Cpu { Self::PLAIN } else { Self::FULL }
    }
}

/// Shadows are cast within this multiple of the distance from the eye to what it looks at.
const SHADOW_REACH: f32 = 3.0;

/// What the shader knows of the view; see `View` there.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct View {
    projection: Mat4,
    sun_projection: Mat4,
    unprojection: Mat4,
    eye: Vec4,
    to_sun: Vec4,
    sun_light: Vec4,
    zenith: Vec4,
    horizon: Vec4,
    floor: Vec4,
    fields: Vec4,
    target_point: Vec4,
    size: Vec4,
}

/// Draws.
pub struct Painter {
    quality: Quality,
    pipelines: Pipelines,
    coats: Coats,
    shapes: Shapes,
    view: wgpu::Buffer,
    view_group: wgpu::BindGroup,
    shadow: wgpu::TextureView,
    shadow_group: wgpu::BindGroup,
    target: Option<Target>,
    vertices: Grown<Vertex>,
    indices: Grown<u32>,
    balls: Grown<Ball>,
    rods: Grown<Rod>,
    lines: Grown<Line>,
}

impl Painter {
    /// Makes all that does not depend on what is drawn.
    pub fn new(device: &wgpu::Device, quality: Quality) -> Self {
        let coats = Coats::new(device);
        let pipelines = Pipelines::new(device, &coats.layout, quality.samples);
        let view = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: size_of::<View>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let view_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &pipelines.view_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: view.as_entire_binding() }],
        });
        let (shadow, shadow_group) = shadow_map(device, &pipelines.shadow_layout, quality.shadow);
        let (vertex, index) = (wgpu::BufferUsages::VERTEX, wgpu::BufferUsages::INDEX);
        Self {
            quality,
            pipelines,
            coats,
            shapes: Shapes::new(device),
            view,
            view_group,
            shadow,
            shadow_group,
            target: None,
            vertices: Grown::new("vertices", vertex),
            indices: Grown::new("indices", index),
            balls: Grown::new("balls", vertex),
            rods: Grown::new("rods", vertex),
            lines: Grown::new("lines", vertex),
        }
    }

    /// Draws a picture. Returns where it is, and whether that is another texture than before.
    pub fn paint(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        drawing: &Drawing,
        camera: &Camera,
        size: Size,
    ) -> (wgpu::Texture, bool) {
        let kept = self.target.take().filter(|target| target.size == size);
        let is_new = kept.is_none();
        let target = kept.unwrap_or_else(|| Target::new(device, size, self.quality.samples));
        self.vertices.write(device, queue, &drawing.vertices);
        self.indices.write(device, queue, &drawing.indices);
        self.coats.keep((device, queue), drawing.coats.iter().map(|(_, coat)| coat));
        self.balls.write(device, queue, &drawing.balls);
        self.rods.write(device, queue, &drawing.rods);
        self.lines.write(device, queue, &drawing.lines);
        let view = View::of(drawing, camera, (size, self.quality.shadow));
        queue.write_buffer(&self.view, 0, bytemuck::bytes_of(&view));
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.cast_shadows(&mut encoder);
        let mut pass = target.begin(&mut encoder);
        let view = (&self.view_group, &self.shadow_group);
        pass.set_bind_group(0, view.0, &[]);
        pass.set_bind_group(1, view.1, &[]);
        // What is behind things is not drawn at all if they come first.
        self.draw_things(&mut pass, drawing);
        // From below it would hide everything.
        let above = |floor: &&Floor| camera.eye().y > floor.ground.height;
        self.pipelines.draw_backdrop(&mut pass, drawing.floor.as_ref().filter(above));
        drop(pass);
        queue.submit([encoder.finish()]);
        let picture = target.picture.clone();
        self.target = Some(target);
        (picture, is_new)
    }

    fn cast_shadows(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            depth_stencil_attachment: Some(target::depth(&self.shadow, 1.0)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.view_group, &[]);
        if let Some(count) = self.triangles(&mut pass, &self.pipelines.mesh_shadow) {
            pass.draw_indexed(0..count, 0, 0..1);
        }
        self.round(&mut pass, [&self.pipelines.ball_shadow, &self.pipelines.rod_shadow]);
    }

    fn draw_things(&self, pass: &mut wgpu::RenderPass<'_>, drawing: &Drawing) {
        self.bare(pass, drawing);
        self.dressed(pass, drawing);
        self.round(pass, [&self.pipelines.ball, &self.pipelines.rod]);
        if let Some((lines, count)) = self.lines.filled() {
            pass.set_pipeline(&self.pipelines.line);
            pass.set_vertex_buffer(0, lines);
            pass.draw(0..6, 0..count);
        }
    }

    /// Triangles that wear nothing.
    fn bare(&self, pass: &mut wgpu::RenderPass<'_>, drawing: &Drawing) {
        let Some(count) = self.triangles(pass, &self.pipelines.mesh) else { return };
        let mut begin = 0;
        let ends = drawing.coats.iter().map(|(range, _)| range.clone());
        for range in ends.chain(std::iter::once(count..count)) {
            let end = range.start.min(count);
            if begin < end {
                pass.draw_indexed(begin..end, 0, 0..1);
            }
            begin = range.end;
        }
    }

    /// Triangles that wear something.
    fn dressed(&self, pass: &mut wgpu::RenderPass<'_>, drawing: &Drawing) {
        if drawing.coats.is_empty() {
            return;
        }
        let Some(count) = self.triangles(pass, &self.pipelines.dressed) else { return };
        for (range, coat) in drawing.coats.iter().filter(|(range, _)| range.end <= count) {
            if let Some(group) = self.coats.of(coat) {
                pass.set_bind_group(2, group, &[]);
                pass.draw_indexed(range.clone(), 0, 0..1);
            }
        }
    }

    /// Makes ready to draw triangles; how many corners there are.
    fn triangles(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: &wgpu::RenderPipeline,
    ) -> Option<u32> {
        let (vertices, _) = self.vertices.filled()?;
        let (indices, count) = self.indices.filled()?;
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, vertices);
        pass.set_index_buffer(indices, wgpu::IndexFormat::Uint32);
        Some(count)
    }

    fn round(&self, pass: &mut wgpu::RenderPass<'_>, [ball, rod]: [&wgpu::RenderPipeline; 2]) {
        if let Some((balls, count)) = self.balls.filled() {
            pass.set_pipeline(ball);
            pass.set_vertex_buffer(1, balls);
            self.shapes.draw_balls(pass, count);
        }
        if let Some((rods, count)) = self.rods.filled() {
            pass.set_pipeline(rod);
            pass.set_vertex_buffer(1, rods);
            self.shapes.draw_rods(pass, count);
        }
    }
}

/// The shadow map, and how the shader sees it.
fn shadow_map(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    side: u32,
) -> (wgpu::TextureView, wgpu::BindGroup) {
    let size = Size { width: side, height: side, pixels_per_point: 1.0 };
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
    let map = target::texture(device, size, (DEPTH, 1), usage);
    let map = map.create_view(&wgpu::TextureViewDescriptor::default());
    let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("shadows"),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..Default::default()
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("shadows"),
        layout,
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&map) },
            wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
        ],
    });
    (map, group)
}

impl View {
    fn of(drawing: &Drawing, camera: &Camera, (size, shadow): (Size, u32)) -> Self {
        let projection = camera.projection(size.aspect());
        let to_sun = drawing.sun.direction.try_normalize().unwrap_or(Vec3::Y);
        let (center, radius) = shadow_sphere(drawing, camera);
        let up = if to_sun.y.abs() > 0.99 { Vec3::Z } else { Vec3::Y };
        let from_sun = look_at_mat4(center + to_sun * radius, center, up);
        let cut = orthographic(-radius, radius, -radius, radius, 0.0, 2.0 * radius);
        let texel = 2.0 * radius / shadow as f32;
        let is_lit = if drawing.sun.color.max_element() > 0.0 { 1.0 } else { 0.0 };
        let ground = drawing.floor.map(|floor| floor.ground).unwrap_or_default();
        let kind = drawing.floor.map_or(0.0, |floor| if floor.is_solid { 2.0 } else { 1.0 });
        let light = drawing.sky.light;
        Self {
            projection,
            sun_projection: cut * from_sun,
            unprojection: projection.inverse(),
            eye: camera.eye().extend(size.pixels_per_point),
            to_sun: to_sun.extend(texel),
            sun_light: drawing.sun.color.extend(is_lit),
            zenith: drawing.sky.zenith.extend(light),
            horizon: drawing.sky.horizon.extend(1.0),
            floor: ground.color.extend(ground.height),
            fields: Vec4::new(
                ground.cell,
                ground.contrast,
                ground.reach.max(camera.distance),
                kind,
            ),
            target_point: camera.target.extend(1.0),
            size: Vec4::new(size.width as f32, size.height as f32, 0.0, 0.0),
        }
    }
}

/// A ball around all that casts shadows, as far as it is near what is looked at (m).
fn shadow_sphere(drawing: &Drawing, camera: &Camera) -> (Vec3, f32) {
    let vertices = drawing.vertices.iter().map(|vertex| Vec3::from(vertex.position));
    let balls = drawing.balls.iter().flat_map(|ball| {
        let center = Vec3::from(ball.center);
        [center - ball.radius, center + ball.radius]
    });
    let rods = drawing.rods.iter().flat_map(|rod| [rod.from, rod.to].map(Vec3::from));
    let reach = Vec3::splat(SHADOW_REACH * camera.distance);
    let near = |x: Vec3| x.clamp(camera.target - reach, camera.target + reach);
    let start = [Vec3::splat(f32::MAX), Vec3::splat(f32::MIN)];
    let finite = vertices.chain(balls).chain(rods).filter(|x| x.is_finite());
    let [low, high] = finite.map(near).fold(start, |[low, high], x| [low.min(x), high.max(x)]);
    if low.x > high.x {
        return (camera.target, camera.distance);
    }
    // A little more than needed, in steps, so that shadows do not shimmer while things move.
    let radius = (high - low).length() / 2.0 + 0.01 * camera.distance;
    let step = libm::powf(2.0, 0.25);
    let radius = libm::powf(step, libm::ceilf(libm::logf(radius) / libm::logf(step)));
    ((low + high) / 2.0, radius)
}
