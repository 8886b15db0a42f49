//! The least GPU that a test needs: one device, and one way to run shaders on it.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytemuck::Pod;
use wgpu::util::DeviceExt;

/// Lanes of a workgroup, in all our shaders.
pub(crate) const LANES: u32 = 64;

/// What a shader does with a storage buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The entry points of a shader, compiled for one layout of bindings: group 0 has the storage
/// buffers, group 1 the parameters.
pub(crate) struct Shader {
    pipelines: Vec<wgpu::ComputePipeline>,
    bindings: [wgpu::BindGroupLayout; 2],
}

/// One dispatch.
pub(crate) struct Call<P> {
    /// Which of the shader's entry points.
    pub(crate) entry: usize,
    pub(crate) workgroups: u32,
    pub(crate) params: P,
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

    /// Compiles the entry points of a shader whose storage buffers may be written as `access` says.
    pub(crate) fn shader(
        &self,
        source: &str,
        entries: impl IntoIterator<Item = &'static str>,
        access: &[Access],
    ) -> Shader {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let bindings = layout_entries(access).map(|entries| {
            self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &entries,
            })
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&bindings[0]), Some(&bindings[1])],
            immediate_size: 0,
        });
        let pipeline = |entry| {
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: Default::default(),
                cache: None,
            })
        };
        Shader { pipelines: entries.into_iter().map(pipeline).collect(), bindings }
    }

    /// Runs `calls` one after the other on the same storage buffers.
    pub(crate) fn run<P: Pod>(
        &self,
        shader: &Shader,
        storage: &[wgpu::Buffer],
        calls: impl IntoIterator<Item = Call<P>>,
    ) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        for Call { entry, workgroups, params } in calls {
            let uniform = self.buffer_for(wgpu::BufferUsages::UNIFORM, &[params]);
            let bind = |layout, buffers: &[wgpu::Buffer]| {
                let resources = buffers.iter().map(|buffer| buffer.as_entire_binding());
                let entries: Vec<_> = (0..)
                    .zip(resources)
                    .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
                    .collect();
                let entries = entries.as_slice();
                let label = None;
                self.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries })
            };
            let [own, common] = &shader.bindings;
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&shader.pipelines[entry]);
            pass.set_bind_group(0, &bind(own, storage), &[]);
            pass.set_bind_group(1, &bind(common, &[uniform]), &[]);
            pass.dispatch_workgroups(workgroups, 1, 1);
        }
        self.queue.submit([encoder.finish()]);
    }

    /// A storage buffer of these rows.
    pub(crate) fn buffer<T: Pod>(&self, rows: &[T]) -> wgpu::Buffer {
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

    /// The rows of a buffer.
    pub(crate) fn download<T: Pod>(&self, from: &wgpu::Buffer) -> Vec<T> {
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

/// The storage buffers, then the parameters.
fn layout_entries(access: &[Access]) -> [Vec<wgpu::BindGroupLayoutEntry>; 2] {
    let storage = access
        .iter()
        .map(|&access| wgpu::BufferBindingType::Storage { read_only: access == Access::Read });
    let entry = |(binding, ty)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let params = entry((0, wgpu::BufferBindingType::Uniform));
    [(0..).zip(storage).map(entry).collect(), vec![params]]
}

/// Outside of a browser wgpu's futures are ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a future of wgpu was not ready at once"),
    }
}
