//! Shaders become pipelines.

use std::sync::Arc;

use crate::device::{Gpu, ready};
use crate::error::GpuError;
use crate::unroll::unrolled;

/// Lanes of a workgroup, in all our shaders.
pub(crate) const LANES: u32 = 64;

/// What a shader does with a storage buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Whether a shader is watched while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checks {
    /// Indices are brought into range, and loops end at last, whoever has written it.
    Kept,
    /// Neither, in what is built for use; what is built for tests keeps them. For shaders of ours alone, whose loops
    /// end and whose indices in what a workgroup shares and in arrays are in range.
    Dropped,
}

/// The entry points of a shader, compiled for one layout of bindings: group 0 has the storage
/// buffers, group 1 the parameters.
#[derive(Debug)]
pub(crate) struct Program {
    pipelines: Vec<(String, wgpu::ComputePipeline)>,
    bindings: wgpu::BindGroupLayout,
}

impl Program {
    /// The pipeline of an entry point.
    pub(crate) fn pipeline(&self, entry: &str) -> &wgpu::ComputePipeline {
        let found = self.pipelines.iter().find(|(name, _)| name == entry);
        &found.unwrap_or_else(|| panic!("no entry point {entry} was compiled")).1
    }

    /// The storage buffers as the shader sees them.
    pub(crate) fn bind(&self, gpu: &Gpu, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        let resources = buffers.iter().map(|buffer| buffer.as_entire_binding());
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.bindings,
            entries: &entries,
        })
    }
}

impl Gpu {
    /// The program of a shader, compiled once. `name` is for errors; `access` says what it does with
    /// each storage buffer.
    pub(crate) fn program(
        &self,
        name: &str,
        source: String,
        entries: &[&str],
        access: &[Access],
    ) -> Result<Arc<Program>, GpuError> {
        self.program_with(Checks::Kept, (name, source), entries, access)
    }

    /// The same with checks or without.
    pub(crate) fn program_with(
        &self,
        checks: Checks,
        (name, source): (&str, String),
        entries: &[&str],
        access: &[Access],
    ) -> Result<Arc<Program>, GpuError> {
        if let Some(known) = self.programs().get(&source) {
            return Ok(Arc::clone(known));
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let program = self.compile((checks, &source), entries, access);
        match ready(scope.pop()) {
            Some(error) => {
                self.check()?;
                Err(GpuError::Shader { name: name.into(), why: error.to_string() })
            }
            None => {
                let program = Arc::new(program);
                self.programs().insert(source, Arc::clone(&program));
                Ok(program)
            }
        }
    }

    fn compile(
        &self,
        (checks, source): (Checks, &str),
        entries: &[&str],
        access: &[Access],
    ) -> Program {
        let module = module(&self.device, &unrolled(source), checks);
        let bindings = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &storage_entries(access),
        });
        let params = self.params_layout();
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&bindings), Some(&params)],
            immediate_size: 0,
        });
        let pipeline = |&entry: &&str| {
            let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Shaders write what workgroups share before they read it.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            });
            (entry.to_owned(), pipeline)
        };
        Program { pipelines: entries.iter().map(pipeline).collect(), bindings }
    }

    /// Where every shader finds its parameters.
    pub(crate) fn params_layout(&self) -> wgpu::BindGroupLayout {
        let ty = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: true,
            min_binding_size: None,
        };
        self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("parameters"),
            entries: &[layout_entry(0, ty)],
        })
    }
}

#[expect(unsafe_code, reason = "what needs no checks is 5 % faster without")]
fn module(device: &wgpu::Device, source: &str, checks: Checks) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    };
    if checks == Checks::Kept || cfg!(debug_assertions) {
        return device.create_shader_module(descriptor);
    }
    // SAFETY: whoever says `Dropped` knows that the shader's loops end and that its indices are in range. In storage
    // buffers the device keeps them there whatever is asked for here.
    unsafe {
        let none = wgpu::ShaderRuntimeChecks::unchecked();
        device.create_shader_module_trusted(descriptor, none)
    }
}

fn storage_entries(access: &[Access]) -> Vec<wgpu::BindGroupLayoutEntry> {
    let entry = |(binding, &access): (u32, &Access)| {
        let ty = wgpu::BufferBindingType::Storage { read_only: access == Access::Read };
        let ty =
            wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
        layout_entry(binding, ty)
    };
    (0..).zip(access).map(entry).collect()
}

fn layout_entry(binding: u32, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    let visibility = wgpu::ShaderStages::COMPUTE;
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}
