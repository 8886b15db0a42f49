//! Buffers that grow as needed.

use std::marker::PhantomData;

use bytemuck::Pod;
use eframe::wgpu;

/// A buffer for any number of `T`.
pub(super) struct Grown<T> {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
    count: u32,
    of: PhantomData<T>,
}

impl<T: Pod> Grown<T> {
    pub(super) fn new(label: &'static str, usage: wgpu::BufferUsages) -> Self {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        Self { label, usage, buffer: None, count: 0, of: PhantomData }
    }

    /// Holds these rows from now on, or as many of them as the device can.
    pub(super) fn write(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, rows: &[T]) {
        let most = device.limits().max_buffer_size as usize / size_of::<T>().max(1);
        // A multiple of 6 keeps triangles and lines whole.
        let rows = if rows.len() > most { &rows[..most - most % 6] } else { rows };
        self.count = rows.len() as u32;
        if rows.is_empty() {
            return;
        }
        let bytes: &[u8] = bytemuck::cast_slice(rows);
        let fits = self.buffer.as_ref().is_some_and(|buffer| buffer.size() >= bytes.len() as u64);
        if !fits {
            let limit = device.limits().max_buffer_size;
            let size = (bytes.len() as u64).next_power_of_two().min(limit);
            self.buffer = Some(device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size,
                usage: self.usage,
                mapped_at_creation: false,
            }));
        }
        if let Some(buffer) = &self.buffer {
            queue.write_buffer(buffer, 0, bytes);
        }
    }

    /// The rows and their number, if there are any.
    pub(super) fn filled(&self) -> Option<(wgpu::BufferSlice<'_>, u32)> {
        let buffer = self.buffer.as_ref().filter(|_| self.count > 0)?;
        Some((buffer.slice(..), self.count))
    }
}
