//! Draws pictures with the GPU, into a texture that the window shows. Shader: `draw/scene.wgsl`

mod buffer;
mod coats;
mod follow;
mod lot;
mod pipelines;
mod shapes;
mod target;

use bytemuck::{Pod, Zeroable};
use eframe::wgpu;
use pliant::glam::camera::rh::proj::directx::orthographic;
use pliant::glam::camera::rh::view::look_at_mat4;
use pliant::glam::{Mat4, Vec3, Vec4};

use crate::camera::Camera;
use crate::drawing::{Drawing, Floor};
use crate::moment::Moment;
use coats::Coats;
use follow::{Follow, Programs};
use lot::{Brush, Lot};
use pipelines::{Pipelines, Set};
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
    lot: Lot,
    /// What draws bodies from where they are simulated, if some ever were.
    tied: Option<(Set, Programs)>,
    follow: Option<Follow>,
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
            lot: Lot::new(),
            tied: None,
            follow: None,
        }
    }

    /// Draws a picture; what it follows is on the same device. Returns where it is, and whether that is
    /// another texture than before.
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
        self.prepare((device, queue), drawing);
        let view = View::of(drawing, camera, (size, self.quality.shadow));
        queue.write_buffer(&self.view, 0, bytemuck::bytes_of(&view));
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if let (Some(follow), Some((_, programs)), Some(followed)) =
            (&self.follow, &self.tied, &drawing.followed)
        {
            follow.update((device, queue), programs, &followed.there, &mut encoder);
        }
        self.cast_shadows(&mut encoder);
        let mut pass = target.begin(&mut encoder);
        let view = (&self.view_group, &self.shadow_group);
        pass.set_bind_group(0, view.0, &[]);
        pass.set_bind_group(1, view.1, &[]);
        // What is behind things is not drawn at all if they come first.
        self.brushes().for_each(|(lot, brush)| lot.draw(&mut pass, brush));
        // From below it would hide everything.
        let above = |floor: &&Floor| camera.eye().y > floor.ground.height;
        self.pipelines.draw_backdrop(&mut pass, drawing.floor.as_ref().filter(above));
        drop(pass);
        queue.submit([encoder.finish()]);
        let picture = target.picture.clone();
        self.target = Some(target);
        (picture, is_new)
    }

    /// Brings to the GPU what is to be drawn.
    fn prepare(&mut self, place: (&wgpu::Device, &wgpu::Queue), drawing: &Drawing) {
        match &drawing.followed {
            None => self.follow = None,
            Some(followed) if self.follow.as_ref().is_some_and(|known| known.fits(followed)) => {}
            Some(followed) => {
                let make = || (self.pipelines.tied(place.0), Programs::new(place.0));
                let (_, programs) = self.tied.get_or_insert_with(make);
                self.follow = Follow::new(place, programs, followed);
            }
        }
        match drawing.followed.as_ref().filter(|_| self.follow.is_none()) {
            None => self.lot.write(place, drawing),
            // Too large to be found there: drawn where the CPU knows it to be.
            Some(followed) => {
                let moment = Moment::between(&followed.frame, &followed.frame, 1.0);
                let mut all = followed.look.draw_followers(&moment);
                all.append(drawing);
                self.lot.write(place, &all);
            }
        }
        let (own, theirs) = (self.lot.worn(), self.follow.iter().flat_map(|it| it.lot.worn()));
        self.coats.keep(place, own.chain(theirs));
    }

    /// All that is drawn, with what it is drawn with.
    fn brushes(&self) -> impl Iterator<Item = (&Lot, Brush<'_>)> {
        let Self { shapes, coats, pipelines, .. } = self;
        let own = Brush { set: &pipelines.loose, shapes, coats, places: None };
        let tied = self.follow.as_ref().zip(self.tied.as_ref()).map(|(follow, (set, _))| {
            (&follow.lot, Brush { set, shapes, coats, places: Some(follow.places()) })
        });
        std::iter::once((&self.lot, own)).chain(tied)
    }

    fn cast_shadows(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            depth_stencil_attachment: Some(target::depth(&self.shadow, 1.0)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.view_group, &[]);
        self.brushes().for_each(|(lot, brush)| lot.cast_shadows(&mut pass, brush));
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
    let followed = drawing.followed.iter().flat_map(|followed| followed.bounds);
    let reach = Vec3::splat(SHADOW_REACH * camera.distance);
    let near = |x: Vec3| x.clamp(camera.target - reach, camera.target + reach);
    let start = [Vec3::splat(f32::MAX), Vec3::splat(f32::MIN)];
    let finite = vertices.chain(balls).chain(rods).chain(followed).filter(|x| x.is_finite());
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
