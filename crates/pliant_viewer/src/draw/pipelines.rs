//! The shader's entry points as pipelines.

use eframe::wgpu;
use eframe::wgpu::vertex_attr_array;

use super::{DEPTH, FORMAT};
use crate::drawing::{Ball, Floor, Line, Rod, Vertex};

/// Depth bias of shadows, so that surfaces do not shade themselves: units and slope.
const BIAS: wgpu::DepthBiasState =
    wgpu::DepthBiasState { constant: 2, slope_scale: 2.0, clamp: 0.0 };

pub(super) struct Pipelines {
    pub(super) view_layout: wgpu::BindGroupLayout,
    pub(super) shadow_layout: wgpu::BindGroupLayout,
    /// For what is where the drawing says.
    pub(super) loose: Set,
    sky: wgpu::RenderPipeline,
    floor: wgpu::RenderPipeline,
    makings: Makings,
}

/// The pipelines of all things.
pub(super) struct Set {
    pub(super) mesh: wgpu::RenderPipeline,
    pub(super) dressed: wgpu::RenderPipeline,
    pub(super) ball: wgpu::RenderPipeline,
    pub(super) rod: wgpu::RenderPipeline,
    pub(super) line: wgpu::RenderPipeline,
    pub(super) mesh_shadow: wgpu::RenderPipeline,
    pub(super) ball_shadow: wgpu::RenderPipeline,
    pub(super) rod_shadow: wgpu::RenderPipeline,
}

/// What pipelines are made of.
struct Makings {
    shader: wgpu::ShaderModule,
    lit: wgpu::PipelineLayout,
    worn: wgpu::PipelineLayout,
    unlit: wgpu::PipelineLayout,
    samples: u32,
}

/// The buffers of things.
struct Buffers<'a> {
    meshes: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    balls: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    rods: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    lines: &'a [Option<wgpu::VertexBufferLayout<'a>>],
}

/// What tells pipelines apart.
struct Stages<'a> {
    vertex: &'a str,
    fragment: &'a str,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    samples: u32,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, coat: &wgpu::BindGroupLayout, samples: u32) -> Self {
        let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene.wgsl"),
            source: wgpu::ShaderSource::Wgsl(include_str!("scene.wgsl").into()),
        });
        let view_layout = view_layout(device);
        let shadow_layout = shadow_layout(device);
        let makings = Makings {
            shader,
            lit: layout(device, &[Some(&view_layout), Some(&shadow_layout)]),
            worn: layout(device, &[Some(&view_layout), Some(&shadow_layout), Some(coat)]),
            unlit: layout(device, &[Some(&view_layout)]),
            samples,
        };
        let loose = makings.loose(device);
        let [sky, floor] = [("sky_vertex", "sky_fragment"), ("floor_vertex", "floor_fragment")]
            .map(|(vertex, fragment)| {
                let stages = Stages { vertex, fragment, buffers: &[], samples };
                drawn(device, &makings.shader, &makings.lit, &stages)
            });
        Self { view_layout, shadow_layout, loose, sky, floor, makings }
    }

    /// The same for what is elsewhere: places come from buffers of their own.
    pub(super) fn tied(&self, device: &wgpu::Device) -> Set {
        let (each, per) = (wgpu::VertexStepMode::Vertex, wgpu::VertexStepMode::Instance);
        let unit = rows::<[f32; 3]>(&UNIT, each);
        let vertex = rows::<Vertex>(&TIED_VERTEX, each);
        let [place, normal] = [&PLACE, &NORMAL].map(|place| rows::<[f32; 4]>(place, each));
        let ball = rows::<Ball>(&TIED_BALL, per);
        let rod = rows::<Rod>(&TIED_ROD, per);
        let line = rows::<Line>(&TIED_ROD, per);
        let middle = rows::<[f32; 4]>(&MIDDLE, per);
        let ends = rows::<[[f32; 4]; 2]>(&ENDS, per);
        self.makings.set(
            device,
            &Buffers {
                meshes: &[Some(vertex), Some(place), Some(normal)],
                balls: &[Some(unit.clone()), Some(ball), Some(middle)],
                rods: &[Some(unit), Some(rod), Some(ends.clone())],
                lines: &[Some(line), Some(ends)],
            },
        )
    }

    /// Draws the sky behind everything, and the floor if there is one.
    pub(super) fn draw_backdrop(&self, pass: &mut wgpu::RenderPass<'_>, floor: Option<&Floor>) {
        pass.set_pipeline(&self.sky);
        pass.draw(0..3, 0..1);
        if floor.is_some() {
            pass.set_pipeline(&self.floor);
            pass.draw(0..6, 0..1);
        }
    }
}

impl Makings {
    fn loose(&self, device: &wgpu::Device) -> Set {
        let (each, per) = (wgpu::VertexStepMode::Vertex, wgpu::VertexStepMode::Instance);
        let unit = rows::<[f32; 3]>(&UNIT, each);
        self.set(
            device,
            &Buffers {
                meshes: &[Some(rows::<Vertex>(&VERTEX, each))],
                balls: &[Some(unit.clone()), Some(rows::<Ball>(&BALL, per))],
                rods: &[Some(unit), Some(rows::<Rod>(&ROD, per))],
                lines: &[Some(rows::<Line>(&ROD, per))],
            },
        )
    }

    fn set(&self, device: &wgpu::Device, buffers: &Buffers<'_>) -> Set {
        let Self { shader, samples, .. } = self;
        let Buffers { meshes, balls, rods, lines } = *buffers;
        let seen = |layout, vertex, fragment, buffers| {
            let stages = Stages { vertex, fragment, buffers, samples: *samples };
            drawn(device, shader, layout, &stages)
        };
        let shadow = |vertex, buffers| shadowed(device, shader, &self.unlit, (vertex, buffers));
        Set {
            mesh: seen(&self.lit, "mesh_vertex", "surface_fragment", meshes),
            dressed: seen(&self.worn, "mesh_vertex", "dressed_fragment", meshes),
            ball: seen(&self.lit, "ball_vertex", "round_fragment", balls),
            rod: seen(&self.lit, "rod_vertex", "round_fragment", rods),
            line: seen(&self.lit, "line_vertex", "line_fragment", lines),
            mesh_shadow: shadow("mesh_shadow", meshes),
            ball_shadow: shadow("ball_shadow", balls),
            rod_shadow: shadow("rod_shadow", rods),
        }
    }
}

const VERTEX: [wgpu::VertexAttribute; 4] =
    vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Float32x2];
const UNIT: [wgpu::VertexAttribute; 1] = vertex_attr_array![0 => Float32x3];
const BALL: [wgpu::VertexAttribute; 3] =
    vertex_attr_array![1 => Float32x3, 2 => Float32, 3 => Float32x3];
const ROD: [wgpu::VertexAttribute; 4] =
    vertex_attr_array![1 => Float32x3, 2 => Float32, 3 => Float32x3, 4 => Float32x3];

/// The same without places, and places alone.
const TIED_VERTEX: [wgpu::VertexAttribute; 2] = [VERTEX[2], VERTEX[3]];
const TIED_BALL: [wgpu::VertexAttribute; 2] = [BALL[1], BALL[2]];
const TIED_ROD: [wgpu::VertexAttribute; 2] = [ROD[1], ROD[3]];
const PLACE: [wgpu::VertexAttribute; 1] = vertex_attr_array![0 => Float32x3];
const NORMAL: [wgpu::VertexAttribute; 1] = vertex_attr_array![1 => Float32x3];
const MIDDLE: [wgpu::VertexAttribute; 1] = vertex_attr_array![1 => Float32x3];
const ENDS: [wgpu::VertexAttribute; 2] = [
    wgpu::VertexAttribute { format: wgpu::VertexFormat::Float32x3, offset: 0, shader_location: 1 },
    wgpu::VertexAttribute { format: wgpu::VertexFormat::Float32x3, offset: 16, shader_location: 3 },
];

/// A buffer of rows of `T`.
fn rows<T>(
    attributes: &[wgpu::VertexAttribute],
    step_mode: wgpu::VertexStepMode,
) -> wgpu::VertexBufferLayout<'_> {
    wgpu::VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes }
}

fn view_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("view"),
        entries: &[entry(
            0,
            wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
        )],
    })
}

fn shadow_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("shadows"),
        entries: &[
            entry(
                0,
                wgpu::BindingType::Texture {
                    sample_type: wgpu::TextureSampleType::Depth,
                    view_dimension: wgpu::TextureViewDimension::D2,
                    multisampled: false,
                },
            ),
            entry(1, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)),
        ],
    })
}

pub(super) fn entry(binding: u32, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    let visibility = wgpu::ShaderStages::VERTEX_FRAGMENT;
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn layout(
    device: &wgpu::Device,
    groups: &[Option<&wgpu::BindGroupLayout>],
) -> wgpu::PipelineLayout {
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: groups,
        immediate_size: 0,
    })
}

/// A pipeline for the picture.
fn drawn(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    stages: &Stages<'_>,
) -> wgpu::RenderPipeline {
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(stages.vertex),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(stages.vertex),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: stages.buffers,
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(depth(wgpu::CompareFunction::GreaterEqual)),
        multisample: wgpu::MultisampleState { count: stages.samples, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(stages.fragment),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: FORMAT,
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// A pipeline for the shadow map.
fn shadowed(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    (vertex, buffers): (&str, &[Option<wgpu::VertexBufferLayout<'_>>]),
) -> wgpu::RenderPipeline {
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(vertex),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vertex),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers,
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            bias: BIAS,
            ..depth(wgpu::CompareFunction::LessEqual)
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: None,
        multiview_mask: None,
        cache: None,
    })
}

fn depth(compare: wgpu::CompareFunction) -> wgpu::DepthStencilState {
    wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(true),
        depth_compare: Some(compare),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    }
}
