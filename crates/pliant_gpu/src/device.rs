//! The device: which adapter is taken, what it allows, and whether it still works.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use crate::error::GpuError;
use crate::program::Program;

/// Which device is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// A part of the adapter's name; any will do if there is none.
    pub name: Option<String>,
    /// The most bytes that a buffer may have, if that is to be less than the adapter allows.
    pub largest_buffer: Option<u64>,
    /// The most bytes that a workgroup may share, if that is to be more than the 16 KiB of every WebGPU and
    /// the adapter allows it.
    pub workgroup_bytes: Option<u32>,
}

/// A GPU, ready to work.
#[derive(Debug)]
pub struct Gpu {
    name: String,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    /// The most bytes that a buffer may have.
    largest_buffer: u64,
    /// The most bytes that a workgroup may share.
    workgroup_bytes: u32,
    is_software: bool,
    has_timestamps: bool,
    trouble: Arc<Mutex<Option<GpuError>>>,
    /// Shaders that were compiled, by their source.
    programs: Mutex<BTreeMap<String, Arc<Program>>>,
}

impl Gpu {
    /// The best adapter that fits: hardware before software, a card before a chip.
    ///
    /// # Errors
    /// If there is none, or it gives no device.
    pub fn find(choice: &Choice) -> Result<Arc<Self>, GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        // Our shaders bound the sizes of dispatches that they find; to check each of them again is two
        // more dispatches.
        descriptor.flags.remove(wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL);
        let instance = wgpu::Instance::new(descriptor);
        let mut adapters = ready(instance.enumerate_adapters(wgpu::Backends::all()));
        adapters.sort_by_key(rank);
        let names: Vec<String> = adapters.iter().map(name_of).collect();
        let fits = |name: &String| choice.name.as_ref().is_none_or(|part| name.contains(part));
        let Some(index) = names.iter().position(fits) else {
            return Err(GpuError::NoAdapter { wanted: choice.name.clone(), found: names });
        };
        Self::open(&adapters[index], choice)
    }

    fn open(adapter: &wgpu::Adapter, choice: &Choice) -> Result<Arc<Self>, GpuError> {
        let name = name_of(adapter);
        let most = choice.largest_buffer.unwrap_or(u64::MAX);
        let required_limits = Self::limits(adapter, choice);
        let largest_buffer = required_limits.max_storage_buffer_binding_size.min(most);
        let workgroup_bytes = required_limits.max_compute_workgroup_storage_size;
        let required_features = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("pliant"),
            required_features,
            required_limits,
            ..Default::default()
        };
        let (device, queue) = ready(adapter.request_device(&descriptor))
            .map_err(|error| GpuError::Refused { adapter: name.clone(), why: error.to_string() })?;
        let trouble = Arc::new(Mutex::new(None));
        watch(&device, &trouble);
        Ok(Arc::new(Self {
            name,
            device,
            queue,
            largest_buffer,
            workgroup_bytes,
            is_software: adapter.get_info().device_type == wgpu::DeviceType::Cpu,
            has_timestamps: !required_features.is_empty(),
            trouble,
            programs: Mutex::default(),
        }))
    }

    /// What a device must allow to be worked on: beside larger buffers, nothing but what every WebGPU has,
    /// unless more is asked for.
    pub fn limits(adapter: &wgpu::Adapter, choice: &Choice) -> wgpu::Limits {
        let (has, usual) = (adapter.limits(), wgpu::Limits::default());
        let most = choice.largest_buffer.unwrap_or(u64::MAX).min(has.max_buffer_size);
        let shared =
            choice.workgroup_bytes.unwrap_or(0).min(has.max_compute_workgroup_storage_size);
        let workgroup_bytes = shared.max(usual.max_compute_workgroup_storage_size);
        let is_large = workgroup_bytes > usual.max_compute_workgroup_storage_size;
        let lanes = if is_large { has.max_compute_invocations_per_workgroup } else { 0 };
        wgpu::Limits {
            max_buffer_size: most.max(MAX_PARAMS),
            max_storage_buffer_binding_size: has.max_storage_buffer_binding_size.min(most),
            max_compute_workgroup_storage_size: workgroup_bytes,
            max_compute_invocations_per_workgroup: lanes
                .max(usual.max_compute_invocations_per_workgroup),
            max_compute_workgroup_size_x: lanes.max(usual.max_compute_workgroup_size_x),
            ..usual
        }
    }

    /// A device that somebody else has and goes on using: what is computed can be drawn there without
    /// being read. A device tells one alone of errors, so whoever has it passes them on, by
    /// [`Self::report_lost`].
    ///
    /// # Errors
    /// If it does not allow what every WebGPU does, as one that was made for drawing alone.
    pub fn on(
        adapter: &wgpu::Adapter,
        (device, queue): (wgpu::Device, wgpu::Queue),
    ) -> Result<Arc<Self>, GpuError> {
        let (name, allowed) = (name_of(adapter), device.limits());
        // Textures may have any size: there are none here.
        let needed = wgpu::Limits {
            max_texture_dimension_1d: 0,
            max_texture_dimension_2d: 0,
            max_texture_dimension_3d: 0,
            ..wgpu::Limits::default()
        };
        if !needed.check_limits(&allowed) {
            let why = "the device that it has given is for drawing alone".into();
            return Err(GpuError::Refused { adapter: name, why });
        }
        Ok(Arc::new(Self {
            name,
            largest_buffer: allowed.max_storage_buffer_binding_size.min(allowed.max_buffer_size),
            workgroup_bytes: needed.max_compute_workgroup_storage_size,
            is_software: adapter.get_info().device_type == wgpu::DeviceType::Cpu,
            has_timestamps: device.features().contains(wgpu::Features::TIMESTAMP_QUERY),
            device,
            queue,
            trouble: Arc::default(),
            programs: Mutex::default(),
        }))
    }

    /// Tells that the device of somebody else is lost, or of no more use for other reasons.
    pub fn report_lost(&self, why: String) {
        *lock(&self.trouble) = Some(GpuError::Lost { why });
    }

    /// The device, to draw what is computed on it.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The name of the adapter and of what it is driven by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the CPU plays its part, as Mesa's software Vulkan does: right, but slow.
    pub fn is_software(&self) -> bool {
        self.is_software
    }

    /// Bytes that the lanes of a workgroup can share.
    pub(crate) fn workgroup_bytes(&self) -> u32 {
        self.workgroup_bytes
    }

    /// Gives the device back to its driver, as if it were lost: whatever is on it is gone.
    pub fn destroy(&self) {
        self.device.destroy();
        // The driver tells of it when it is asked.
        let _ = self.device.poll(wgpu::PollType::Poll);
    }

    /// Whether it can measure times.
    pub(crate) fn has_timestamps(&self) -> bool {
        self.has_timestamps
    }

    /// An error, if there was one since the last call. A lost device stays lost.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        let mut trouble = lock(&self.trouble);
        match &*trouble {
            None => Ok(()),
            Some(lost @ GpuError::Lost { .. }) => Err(lost.clone()),
            Some(_) => trouble.take().map_or(Ok(()), Err),
        }
    }

    /// Refuses what is too large for a buffer.
    pub(crate) fn check_size(&self, what: &'static str, needed: u64) -> Result<(), GpuError> {
        let limit = self.largest_buffer;
        if needed <= limit { Ok(()) } else { Err(GpuError::TooLarge { what, needed, limit }) }
    }

    /// Waits until all that was asked for is done.
    pub(crate) fn wait(&self) -> Result<(), GpuError> {
        self.wait_for(wgpu::PollType::wait_indefinitely())
    }

    /// Waits until that much is done.
    pub(crate) fn wait_for(&self, what: wgpu::PollType) -> Result<(), GpuError> {
        let done = self.device.poll(what);
        self.check()?;
        done.map(|_| ()).map_err(|error| GpuError::Driver { why: error.to_string() })
    }

    pub(crate) fn programs(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Program>>> {
        lock(&self.programs)
    }
}

/// Bytes that the parameters of all dispatches may have, whatever else is limited.
const MAX_PARAMS: u64 = 1 << 24;

/// The lowest is taken.
fn rank(adapter: &wgpu::Adapter) -> u32 {
    let info = adapter.get_info();
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    // OpenGL has no compute that WebGPU could rely on everywhere.
    kind + if info.backend == wgpu::Backend::Gl { 10 } else { 0 }
}

fn name_of(adapter: &wgpu::Adapter) -> String {
    let info = adapter.get_info();
    format!("{} ({:?})", info.name, info.backend)
}

/// Keeps the first error that nobody waited for; a lost device before any other.
fn watch(device: &wgpu::Device, trouble: &Arc<Mutex<Option<GpuError>>>) {
    let seen = Arc::clone(trouble);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        let why = error.to_string();
        lock(&seen).get_or_insert(GpuError::Driver { why });
    }));
    let seen = Arc::clone(trouble);
    device.set_device_lost_callback(move |reason, message| {
        let why = if message.is_empty() { format!("{reason:?}") } else { message };
        *lock(&seen) = Some(GpuError::Lost { why });
    });
}

/// A lock that a panic elsewhere has not made unusable: what it guards is whole at any time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Outside of a browser wgpu's futures are ready at once.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("a future of wgpu was not ready at once"),
    }
}
