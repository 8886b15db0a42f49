//! The least GPU that a test needs: one device, and one way to run `project` on it.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytemuck::{Pod, Zeroable};
use pliant::glam::Vec4;
use wgpu::util::DeviceExt;

/// What `Params` is in `project.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Params {
    pub(crate) first: u32,
    pub(crate) end: u32,
    pub(crate) count: u32,
    pub(crate) flags: u32,
    pub(crate) sense: i32,
    pub(crate) h: f32,
    pub(crate) omega: f32,
    pub(crate) pad: u32,
}

/// [`Params::flags`].
pub(crate) const FIRST_ITERATION: u32 = 1;
pub(crate) const PBD: u32 = 2;
pub(crate) const CARRIED: u32 = 4;

/// The buffers of `project.wgsl`, in the order of their bindings after the parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) xw: Vec<Vec4>,
    pub(crate) predicted: Vec<Vec4>,
    pub(crate) v: Vec<Vec4>,
    pub(crate) ids: Vec<u32>,
    pub(crate) rest_values: Vec<f32>,
    pub(crate) hold: Vec<Vec4>,
    pub(crate) lambda: Vec<f32>,
}

pub(crate) struct Gpu {
    pub(crate) name: String,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    /// The first adapter, Vulkan before others and hardware before software, with nothing but
    /// what every WebGPU has.
    pub(crate) fn find() -> Result<Self, String> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let mut adapters = ready(instance.enumerate_adapters(wgpu::Backends::all()));
        adapters.sort_by_key(|adapter| {
            let info = adapter.get_info();
            let software = info.device_type == wgpu::DeviceType::Cpu;
            (info.backend != wgpu::Backend::Vulkan, software)
        });
        let adapter = adapters.first().ok_or("no graphics adapter was found")?;
        let descriptor = wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::default(),
            ..Default::default()
        };
        let (device, queue) =
            ready(adapter.request_device(&descriptor)).map_err(|e| e.to_string())?;
        let info = adapter.get_info();
        Ok(Self { name: format!("{} ({:?})", info.name, info.backend), device, queue })
    }

    /// Compiles the shader of a kind.
    pub(crate) fn pipeline(&self, label: &str, source: &str) -> wgpu::ComputePipeline {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: None,
            module: &module,
            entry_point: Some("project"),
            compilation_options: Default::default(),
            cache: None,
        })
    }

    /// Runs `project` once per entry of `calls` and brings positions and multipliers back.
    pub(crate) fn project(
        &self,
        pipeline: &wgpu::ComputePipeline,
        buffers: &mut Buffers,
        calls: &[Params],
    ) {
        let Buffers { xw, predicted, v, ids, rest_values, hold, lambda } = &*buffers;
        let storage = [
            self.buffer(xw),
            self.buffer(predicted),
            self.buffer(v),
            self.buffer(ids),
            self.buffer(rest_values),
            self.buffer(hold),
            self.buffer(lambda),
        ];
        let mut encoder = self.device.create_command_encoder(&Default::default());
        for params in calls {
            let uniform =
                self.buffer_for(wgpu::BufferUsages::UNIFORM, std::slice::from_ref(params));
            let all: Vec<_> = std::iter::once(&uniform)
                .chain(&storage)
                .enumerate()
                .map(|(i, buffer)| wgpu::BindGroupEntry {
                    binding: i as u32,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &all,
            });
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups((params.end - params.first).div_ceil(64), 1, 1);
        }
        self.queue.submit([encoder.finish()]);
        buffers.xw = self.download(&storage[0]);
        buffers.lambda = self.download(&storage[6]);
    }

    fn buffer<T: Pod>(&self, rows: &[T]) -> wgpu::Buffer {
        self.buffer_for(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC, rows)
    }

    fn buffer_for<T: Pod>(&self, usage: wgpu::BufferUsages, rows: &[T]) -> wgpu::Buffer {
        let contents = bytemuck::cast_slice(rows);
        self.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents,
            usage,
        })
    }

    fn download<T: Pod>(&self, from: &wgpu::Buffer) -> Vec<T> {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let to = self.buffer_for(usage, &vec![0u8; from.size() as usize]);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(from, 0, &to, 0, from.size());
        self.queue.submit([encoder.finish()]);
        to.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("nobody else maps it"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device still works");
        let bytes = to.get_mapped_range(..).expect("it is mapped");
        bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }
}

/// Outside of a browser wgpu's futures are ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a future of wgpu was not ready at once"),
    }
}
