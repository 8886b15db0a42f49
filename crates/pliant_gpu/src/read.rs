//! Results come back when somebody asks for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use bytemuck::Pod;
use pliant::contact::buffers::{ContactState, STATE_WORDS};
use pliant::glam::Vec4;
use pliant::mirror::{BodyRow, ColliderRow};
use pliant::region::buffers::FitRow;
use pliant::{Collider, World};

use crate::device::Gpu;
use crate::error::GpuError;
use crate::world::{Clock, GpuWorld};

/// Results on their way from the GPU: the state at the time of [`GpuWorld::request`].
#[derive(Debug)]
pub struct Reading {
    gpu: Arc<Gpu>,
    staging: wgpu::Buffer,
    /// Where each column begins (bytes), and the end of the last.
    starts: Vec<u64>,
    arrival: Arc<AtomicU8>,
    clock: Clock,
    /// Colliders that the CPU leads, where they were then.
    led: Vec<Collider>,
}

/// [`Reading::arrival`].
const UNDER_WAY: u8 = 0;
const ARRIVED: u8 = 1;
const FAILED: u8 = 2;

impl Reading {
    /// Whether the results have arrived, so that [`GpuWorld::take`] will not wait.
    pub fn is_ready(&self) -> bool {
        let _ = self.gpu.device.poll(wgpu::PollType::Poll);
        self.arrival.load(Ordering::Acquire) != UNDER_WAY
    }

    /// Column `index`, of `count` rows.
    fn rows<T: Pod>(&self, index: usize, count: usize) -> Result<Vec<T>, GpuError> {
        let first = self.starts[index];
        let size = (count * size_of::<T>()) as u64;
        if size == 0 {
            return Ok(Vec::new());
        }
        let bytes = self
            .staging
            .get_mapped_range(first..first + size)
            .map_err(|error| GpuError::Driver { why: error.to_string() })?;
        Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }
}

impl GpuWorld {
    /// Brings the state as it is after the last step into `world`, the one that was last pushed.
    /// What was changed there since is lost. Waits for the GPU.
    ///
    /// # Errors
    /// If the device is lost, or `world` has other particles or constraints.
    pub fn read_into(&mut self, world: &mut World) -> Result<(), GpuError> {
        if self.clock.steps == self.clock.read {
            return self.check_world(world);
        }
        let reading = self.request()?;
        self.take(&reading, world)
    }

    /// Asks for the state as it is after the last step, and goes on; see [`Self::take`]. Where bodies
    /// touch, waits for the steps under way: one that found too many contacts is taken again first.
    ///
    /// # Errors
    /// If the device is lost, or has no memory for the copy.
    pub fn request(&mut self) -> Result<Reading, GpuError> {
        self.gpu().check()?;
        self.hear(0)?;
        self.bring_multipliers();
        let columns = self.columns();
        let mut starts = vec![0];
        for (_, bytes) in &columns {
            // Ranges that are mapped begin at multiples of 8.
            starts.push((starts[starts.len() - 1] + bytes).next_multiple_of(8));
        }
        let size = starts[starts.len() - 1].max(8);
        let staging = staging(self.gpu(), size)?;
        let mut encoder = self.gpu().device.create_command_encoder(&Default::default());
        for ((buffer, bytes), &start) in columns.iter().zip(&starts).filter(|((_, b), _)| *b > 0) {
            encoder.copy_buffer_to_buffer(buffer, 0, &staging, start, *bytes);
        }
        self.gpu().queue.submit([encoder.finish()]);
        let arrival = Arc::new(AtomicU8::new(UNDER_WAY));
        let told = Arc::clone(&arrival);
        staging.map_async(wgpu::MapMode::Read, .., move |mapped| {
            told.store(if mapped.is_ok() { ARRIVED } else { FAILED }, Ordering::Release);
        });
        let gpu = Arc::clone(self.gpu());
        let (clock, led) = (self.clock.clone(), self.led.colliders.clone());
        Ok(Reading { gpu, staging, starts, arrival, clock, led })
    }

    /// Copies where all particles are after the last step (m), and their inverse masses (1/kg), to a
    /// buffer of the same device: 16 bytes for each. Nothing comes back to the CPU, but where bodies
    /// touch, which waits as [`Self::request`] does.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn copy_positions(&mut self, to: &wgpu::Buffer) -> Result<(), GpuError> {
        self.hear(0)?;
        let bytes = (size_of::<Vec4>() * self.particles.xw.len()) as u64;
        let mut encoder = self.gpu().device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(self.particles.xw.buffer(), 0, to, 0, bytes.min(to.size()));
        self.gpu().queue.submit([encoder.finish()]);
        self.gpu().check()
    }

    /// Brings into `world` what is known without asking the GPU: the time, and where colliders are that
    /// the CPU leads.
    pub fn keep_up(&mut self, world: &mut World) {
        world.time = self.clock.now;
        if self.led.is_any() && self.colliders.len() == world.colliders.len() {
            let there = self.led.colliders.clone();
            self.led.take(&there, world);
            self.colliders.seen_mut().copy_from_slice(&world.collider_rows());
        }
    }

    /// How often results have come back, by [`Self::take`] or [`Self::read_into`].
    pub fn times_read(&self) -> u64 {
        self.times_read
    }

    /// What is read, and how many bytes of it.
    fn columns(&self) -> Vec<(&wgpu::Buffer, u64)> {
        let count = self.particles.xw.len();
        let mut columns = vec![
            (self.particles.xw.buffer(), size_of::<Vec4>() * count),
            (self.particles.v.buffer(), size_of::<Vec4>() * count),
            (self.bodies.buffer(), size_of::<BodyRow>() * self.bodies.len()),
            (self.colliders.buffer(), size_of::<ColliderRow>() * self.colliders.len()),
            (self.contacts.state.buffer(), 4 * STATE_WORDS),
        ];
        columns.extend(self.sets.iter().map(|set| (set.lambda.buffer(), 4 * set.count as usize)));
        let fits = |len: usize| size_of::<FitRow>() * len;
        columns.extend(self.regions.iter().map(|set| (set.fits.buffer(), fits(set.fits.len()))));
        columns.into_iter().map(|(buffer, bytes)| (buffer, bytes as u64)).collect()
    }

    /// Brings what was asked for into `world`; waits if it has not arrived. Nothing may have been
    /// pushed between.
    ///
    /// # Errors
    /// As [`Self::read_into`].
    pub fn take(&mut self, reading: &Reading, world: &mut World) -> Result<(), GpuError> {
        self.check_world(world)?;
        self.times_read += 1;
        if reading.arrival.load(Ordering::Acquire) == UNDER_WAY {
            self.gpu().wait()?;
        }
        if reading.arrival.load(Ordering::Acquire) != ARRIVED {
            self.gpu().check()?;
            return Err(GpuError::Driver { why: "results could not be read".into() });
        }
        let count = self.particles.xw.len();
        let (xw, v): (Vec<Vec4>, Vec<Vec4>) = (reading.rows(0, count)?, reading.rows(1, count)?);
        let bodies: Vec<BodyRow> = reading.rows(2, self.bodies.len())?;
        let colliders: Vec<ColliderRow> = reading.rows(3, self.colliders.len())?;
        if self.contacts.is_any() {
            world.take_contact(&ContactState::of(&reading.rows(4, STATE_WORDS)?));
        }
        for (number, set) in self.sets.iter().enumerate() {
            let lambda = reading.rows(5 + number, set.count as usize)?;
            world.lambda_mut(set.index).copy_from_slice(&lambda);
        }
        let first = 5 + self.sets.len();
        for (number, set) in self.regions.iter_mut().enumerate() {
            let fits: Vec<FitRow> = reading.rows(first + number, set.fits.len())?;
            let state = world.region_state_mut(set.index);
            for ((seen, state), fit) in set.fits.seen_mut().iter_mut().zip(state).zip(&fits) {
                (*seen, *state) = (FitRow { state: fit.state, ..FitRow::default() }, fit.state);
            }
        }
        let Clock { read, times, now, h, iterations, .. } = &reading.clock;
        world.take_bodies(&bodies, |step| {
            let index = step.checked_sub(read + 1).map(|index| index as usize);
            index.and_then(|index| times.get(index)).copied().unwrap_or(*now)
        });
        world.take_colliders(&colliders);
        self.led.take(&reading.led, world);
        world.take_substep(*h, *iterations);
        let passed = (*now - world.time) as f32;
        world.time = *now;
        world.particles.predicted.clear();
        world.particles.predicted.extend(xw.iter().map(|row| row.with_w(0.0)));
        self.particles.xw.seen_mut().copy_from_slice(&xw);
        self.particles.v.seen_mut().copy_from_slice(&v);
        match reading.led.is_empty() {
            true => self.colliders.seen_mut().copy_from_slice(&colliders),
            false => self.colliders.seen_mut().copy_from_slice(&world.collider_rows()),
        }
        self.bodies.seen_mut().copy_from_slice(&bodies);
        (world.particles.xw, world.particles.v) = (xw, v);
        let done = (reading.clock.steps - self.clock.read) as usize;
        self.clock.times.drain(..done.min(self.clock.times.len()));
        self.clock.read = reading.clock.steps;
        if world.gives_way() && passed > 0.0 {
            world.give_way(passed);
        }
        Ok(())
    }

    /// Refuses a world that is not like the one that was pushed.
    fn check_world(&self, world: &World) -> Result<(), GpuError> {
        let same = |what, there: usize, here: usize| match there == here {
            true => Ok(()),
            false => Err(GpuError::OtherWorld { what, there, here }),
        };
        same("particles", self.particles.xw.len(), world.particles.len())?;
        same("colliders", self.colliders.len(), world.colliders.len())?;
        for set in &self.sets {
            let here = world.constraints().get(set.index).map_or(0, |set| set.len());
            same("constraints of a kind", set.count as usize, here)?;
        }
        for set in &self.regions {
            let here = world.regions().get(set.index).map_or(0, |set| set.len());
            same("regions of a kind", set.fits.len(), here)?;
        }
        Ok(())
    }
}

/// Memory that the GPU can copy to and the CPU can read.
pub(crate) fn staging(gpu: &Gpu, size: u64) -> Result<wgpu::Buffer, GpuError> {
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("results"),
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    match crate::device::ready(scope.pop()) {
        Some(_) => Err(GpuError::OutOfMemory { what: "results", needed: size }),
        None => gpu.check().map(|()| buffer),
    }
}

/// The rows of a buffer. Waits for the GPU.
pub(crate) fn download<T: Pod>(
    gpu: &Gpu,
    from: &wgpu::Buffer,
    count: usize,
) -> Result<Vec<T>, GpuError> {
    let size = (count * size_of::<T>()) as u64;
    if size == 0 {
        return Ok(Vec::new());
    }
    let to = staging(gpu, size)?;
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(from, 0, &to, 0, size);
    gpu.queue.submit([encoder.finish()]);
    to.map_async(wgpu::MapMode::Read, .., |_| {});
    gpu.wait()?;
    let bytes =
        to.get_mapped_range(..).map_err(|error| GpuError::Driver { why: error.to_string() })?;
    Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
}
