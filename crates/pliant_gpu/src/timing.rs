//! Where the time of a step goes, by the GPU's own clock.

use std::time::{Duration, Instant};

use pliant::step::Stage;

use crate::error::GpuError;
use crate::read::download;
use crate::recording::{Part, Recording, Section};
use crate::world::GpuWorld;

/// Times that a set of queries holds at most, on every WebGPU.
const MOST: usize = 4096;

/// How far a step has come.
#[derive(Default)]
struct Begun {
    substeps: u32,
    stage: Option<Stage>,
}

/// Frames that a GPU is given at once to warm up, so that it does not wait for the CPU between them.
const AT_ONCE: u32 = 4;
/// How long it works for that.
const WARM: Duration = Duration::from_millis(400);

impl GpuWorld {
    /// Takes steps of `dt` seconds until the GPU's clock is where it stays, as it falls while a world is built or
    /// read. For whoever measures times; what is measured has to be the steps that follow, or another world.
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn warm_up(&mut self, dt: f32) -> Result<(), GpuError> {
        let began = Instant::now();
        while began.elapsed() < WARM {
            self.steps(AT_ONCE, dt)?;
            self.wait()?;
        }
        Ok(())
    }

    /// Advances by `dt` seconds, and says how long the GPU took for each stage. Waits for the GPU,
    /// and runs every stage apart: the whole takes longer than [`Self::step`]. Where tiles end substeps, what
    /// they do there is a part of [`Stage::Project`].
    ///
    /// # Errors
    /// As [`Self::step`], and if the device cannot measure times.
    pub fn step_timed(&mut self, dt: f32) -> Result<Vec<(Stage, Duration)>, GpuError> {
        let times =
            self.time_parts(dt, |recording, section| recording.stages(section).collect())?;
        let mut spent: Vec<(Stage, Duration)> =
            Stage::ALL.iter().map(|&stage| (stage, Duration::ZERO)).collect();
        for (stage, time) in times {
            if let Some((_, sum)) = spent.iter_mut().find(|(known, _)| *known == stage) {
                *sum += time;
            }
        }
        Ok(spent)
    }

    /// The same for each entry point of a shader: how often it ran, and how long all that took. Runs every
    /// dispatch apart, so that each takes some microseconds longer than in [`Self::step`].
    ///
    /// # Errors
    /// As [`Self::step_timed`].
    pub fn step_timed_by_entry(
        &mut self,
        dt: f32,
    ) -> Result<Vec<(String, u32, Duration)>, GpuError> {
        let mut entries = Vec::new();
        let times = self.time_parts(dt, |recording, section| {
            let all = recording.dispatches(section);
            let named = all.map(|(stage, entry, part)| {
                entries.push(entry.to_owned());
                (stage, part)
            });
            named.collect()
        })?;
        let mut spent: Vec<(String, u32, Duration)> = Vec::new();
        for (entry, (_, time)) in entries.into_iter().zip(times) {
            match spent.iter_mut().find(|(known, ..)| *known == entry) {
                Some((_, count, sum)) => (*count, *sum) = (*count + 1, *sum + time),
                None => spent.push((entry, 1, time)),
            }
        }
        Ok(spent)
    }

    /// Takes a step in the parts that `parts` cuts sections into, and says how long each took.
    fn time_parts(
        &mut self,
        dt: f32,
        mut parts: impl for<'a> FnMut(&'a Recording, Section) -> Vec<(Stage, Part<'a>)>,
    ) -> Result<Vec<(Stage, Duration)>, GpuError> {
        if !self.gpu().has_timestamps() {
            return Err(GpuError::NoTimestamps { adapter: self.gpu().name().into() });
        }
        self.begin(dt)?;
        let mut passes = Vec::new();
        if let Some(recording) = self.recording().filter(|_| dt > 0.0) {
            for section in self.sections() {
                passes.extend(parts(recording, section));
            }
        }
        let (mut begun, mut times) = (Begun::default(), Vec::new());
        for some in passes.chunks(MOST / 2) {
            let stages = some.iter().map(|(stage, _)| *stage);
            times.extend(stages.zip(self.play_timed(some, &mut begun)?));
        }
        drop(passes);
        self.end(dt)?;
        Ok(times)
    }

    /// Plays parts in a pass each, and says how long each took. The first that predicts begins a substep.
    fn play_timed(
        &self,
        stages: &[(Stage, Part<'_>)],
        begun: &mut Begun,
    ) -> Result<Vec<Duration>, GpuError> {
        let gpu = self.gpu();
        let count = 2 * stages.len() as u32;
        let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("times of stages"),
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let size = 8 * u64::from(count);
        let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("times of stages"),
            size,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        for (index, (stage, part)) in (0..).zip(stages) {
            let begins = *stage == Stage::Predict && begun.stage != Some(*stage);
            if let Some(places) = self.led.places.as_ref().filter(|_| begins) {
                self.place(places, begun.substeps, &mut encoder);
                begun.substeps += 1;
            }
            begun.stage = Some(*stage);
            let timestamp_writes = Some(wgpu::ComputePassTimestampWrites {
                query_set: &queries,
                beginning_of_pass_write_index: Some(2 * index),
                end_of_pass_write_index: Some(2 * index + 1),
            });
            let label = Some(stage.name());
            let descriptor = wgpu::ComputePassDescriptor { label, timestamp_writes };
            part.play(&mut encoder.begin_compute_pass(&descriptor));
        }
        encoder.resolve_query_set(&queries, 0..count, &resolved, 0);
        gpu.queue.submit([encoder.finish()]);
        let ticks: Vec<u64> = download(gpu, &resolved, count as usize)?;
        let nanoseconds = f64::from(gpu.queue.get_timestamp_period());
        let time = |pair: &[u64]| {
            let ticks = pair[1].saturating_sub(pair[0]) as f64;
            Duration::from_nanos((ticks * nanoseconds) as u64)
        };
        Ok(ticks.chunks_exact(2).map(time).collect())
    }
}
