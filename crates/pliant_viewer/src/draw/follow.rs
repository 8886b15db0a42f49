//! Bodies that are drawn from where they are simulated: the GPU finds where their vertices are between
//! two poses, and which way they face. Shaders: `draw/between.wgsl`, and the engine's `skin.wgsl`

use std::sync::Arc;

use bytemuck::Pod;
use eframe::wgpu;
use eframe::wgpu::util::DeviceExt;
use pliant::mirror::SurfaceRows;
use pliant::skin;

use super::lot::{Lot, Places};
use crate::drawing::{Followed, Starts};
use crate::frame::Plan;
use crate::layer::Look;
use crate::moment::Moment;
use crate::pose::Between;

/// Lanes of a workgroup, and most workgroups of a dispatch in one direction.
const LANES: u32 = 64;
const MOST_GROUPS: u32 = 65_535;

/// The shaders.
pub(super) struct Programs {
    blend: wgpu::ComputePipeline,
    place: wgpu::ComputePipeline,
    face: wgpu::ComputePipeline,
}

impl Programs {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let between = include_str!("between.wgsl");
        let blend = layouts(device, &[&[READ, READ, WRITE, UNIFORM]]);
        let skinned = layouts(device, &[&[READ, READ, READ, WRITE, WRITE], &[UNIFORM]]);
        Self {
            blend: program(device, (between, "blend"), &blend),
            place: program(device, (skin::WGSL, "place"), &skinned),
            face: program(device, (skin::WGSL, "face"), &skinned),
        }
    }
}

/// Bodies of one plan, as one look shows them.
pub(super) struct Follow {
    plan: Arc<Plan>,
    look: Look,
    pub(super) lot: Lot,
    starts: Starts,
    particles: wgpu::Buffer,
    positions: wgpu::Buffer,
    normals: wgpu::Buffer,
    share: wgpu::Buffer,
    bound: wgpu::BindGroup,
    /// The rows of each dispatch as a group, and how many workgroups it has.
    dispatches: Vec<(wgpu::BindGroup, u32)>,
}

impl Follow {
    /// Whether it is of the same plan and look.
    pub(super) fn fits(&self, followed: &Followed) -> bool {
        Arc::ptr_eq(&self.plan, &followed.frame.plan) && self.look == followed.look
    }

    /// Makes all that stays the same while bodies move; `None` if it is too large for the GPU.
    pub(super) fn new(
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        programs: &Programs,
        followed: &Followed,
    ) -> Option<Self> {
        let moment = Moment::between(&followed.frame, &followed.frame, 1.0);
        let mut drawing = followed.look.draw_followers(&moment);
        let (SurfaceRows { bindings, tables, params, .. }, starts) = drawing.ties.take()?.rows();
        let limit = device.limits().max_storage_buffer_binding_size;
        let fits = |bytes: usize| bytes as u64 <= limit;
        if !fits(size_of_val(bindings.as_slice())) || !fits(size_of_val(tables.as_slice())) {
            return None;
        }
        let mut lot = Lot::new();
        lot.write((device, queue), &drawing);
        let count = bindings.len() as u32;
        let vertex = wgpu::BufferUsages::VERTEX;
        let particles = space(device, moment.x.len(), wgpu::BufferUsages::empty());
        let [positions, normals] = [0, 1].map(|_| space(device, bindings.len(), vertex));
        let storage = wgpu::BufferUsages::STORAGE;
        let bindings = filled(device, &bindings, storage);
        let tables = filled(device, &tables, storage);
        let layout = programs.place.get_bind_group_layout(0);
        let bound = [&particles, &bindings, &tables, &positions, &normals];
        let bound = group(device, &layout, &bound);
        let layout = programs.place.get_bind_group_layout(1);
        let most = LANES * MOST_GROUPS;
        let dispatch = |first: u32| {
            let rows = first..count.min(first.saturating_add(most));
            let groups = rows.len() as u32;
            let params = filled(device, &[params.of_rows(rows)], wgpu::BufferUsages::UNIFORM);
            (group(device, &layout, &[&params]), groups.div_ceil(LANES))
        };
        let dispatches = (0..count).step_by(most as usize).map(dispatch).collect();
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let share = filled(device, &[0.0f32; 4], uniform);
        let (plan, look) = (Arc::clone(&followed.frame.plan), followed.look.clone());
        Some(Self {
            plan,
            look,
            lot,
            starts,
            particles,
            positions,
            normals,
            share,
            bound,
            dispatches,
        })
    }

    /// Where everything is, once [`Self::update`] is done.
    pub(super) fn places(&self) -> Places<'_> {
        let Self { positions, normals, starts, .. } = self;
        Places { positions, normals, starts: *starts }
    }

    /// Finds where everything is between two poses.
    pub(super) fn update(
        &self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        programs: &Programs,
        there: &Between,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        queue.write_buffer(&self.share, 0, bytemuck::bytes_of(&[there.share, 0.0, 0.0, 0.0]));
        let [earlier, newer] = [0, 1].map(|k| &there.poses[k].xw);
        let layout = programs.blend.get_bind_group_layout(0);
        let blended = group(device, &layout, &[earlier, newer, &self.particles, &self.share]);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&programs.blend);
        pass.set_bind_group(0, &blended, &[]);
        let groups = (self.particles.size() / 16).div_ceil(u64::from(LANES)) as u32;
        let across = groups.clamp(1, MOST_GROUPS);
        pass.dispatch_workgroups(across, groups.div_ceil(across), 1);
        pass.set_bind_group(0, &self.bound, &[]);
        for program in [&programs.place, &programs.face] {
            pass.set_pipeline(program);
            for (rows, groups) in &self.dispatches {
                pass.set_bind_group(1, rows, &[]);
                pass.dispatch_workgroups(*groups, 1, 1);
            }
        }
    }
}

const READ: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: true };
const WRITE: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: false };
const UNIFORM: wgpu::BufferBindingType = wgpu::BufferBindingType::Uniform;

/// A layout of groups of buffers.
fn layouts(device: &wgpu::Device, groups: &[&[wgpu::BufferBindingType]]) -> wgpu::PipelineLayout {
    let entry = |(binding, ty): (usize, &wgpu::BufferBindingType)| wgpu::BindGroupLayoutEntry {
        binding: binding as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: *ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let group = |types: &&[wgpu::BufferBindingType]| {
        let entries: Vec<_> = types.iter().enumerate().map(entry).collect();
        let label = Some("followed");
        let descriptor = wgpu::BindGroupLayoutDescriptor { label, entries: &entries };
        device.create_bind_group_layout(&descriptor)
    };
    let groups: Vec<_> = groups.iter().map(group).collect();
    let groups: Vec<_> = groups.iter().map(Some).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("followed"),
        bind_group_layouts: &groups,
        immediate_size: 0,
    })
}

fn program(
    device: &wgpu::Device,
    (text, entry): (&str, &str),
    layout: &wgpu::PipelineLayout,
) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(entry),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: Some(layout),
        module: &module,
        entry_point: Some(entry),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

/// Buffers in the order of their bindings.
fn group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    buffers: &[&wgpu::Buffer],
) -> wgpu::BindGroup {
    let resources = buffers.iter().map(|buffer| buffer.as_entire_binding());
    let entries: Vec<_> = (0..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    let label = Some("followed");
    device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
}

/// Memory for so many vectors.
fn space(device: &wgpu::Device, count: usize, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("followed"),
        // A binding must not be empty.
        size: 16 * count.max(1) as u64,
        usage: usage | wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    })
}

/// Memory with these rows, or one of zeros.
fn filled<T: Pod>(device: &wgpu::Device, rows: &[T], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let one = [T::zeroed()];
    let rows = if rows.is_empty() { &one } else { rows };
    let contents = bytemuck::cast_slice(rows);
    let descriptor = wgpu::util::BufferInitDescriptor { label: Some("followed"), contents, usage };
    device.create_buffer_init(&descriptor)
}
