//! Where the time of a step goes, by the GPU's own clock.

use std::time::Duration;

use pliant::step::Stage;

use crate::error::GpuError;
use crate::read::download;
use crate::world::GpuWorld;

/// Times that a set of queries holds at most, on every WebGPU.
const MOST: usize = 4096;

impl GpuWorld {
    /// Advances by `dt` seconds, and says how long the GPU took for each stage. Waits for the GPU,
    /// and runs every stage apart: the whole takes longer than [`Self::step`].
    ///
    /// # Errors
    /// As [`Self::step`], and if the device cannot measure times.
    pub fn step_timed(&mut self, dt: f32) -> Result<Vec<(Stage, Duration)>, GpuError> {
        if !self.gpu().has_timestamps() {
            return Err(GpuError::NoTimestamps { adapter: self.gpu().name().into() });
        }
        self.begin(dt)?;
        let mut spent: Vec<(Stage, Duration)> =
            Stage::ALL.iter().map(|&stage| (stage, Duration::ZERO)).collect();
        let mut passes = Vec::new();
        if let Some(recording) = self.recording().filter(|_| dt > 0.0) {
            for section in self.sections() {
                passes.extend(recording.stages(section));
            }
        }
        let mut substep = 0;
        for some in passes.chunks(MOST / 2) {
            for ((stage, _), time) in some.iter().zip(self.play_timed(some, &mut substep)?) {
                if let Some((_, sum)) = spent.iter_mut().find(|(known, _)| known == stage) {
                    *sum += time;
                }
            }
        }
        drop(passes);
        self.end(dt)?;
        Ok(spent)
    }

    /// Plays stages in a pass each, and says how long each took. Those that predict begin a substep.
    fn play_timed(
        &self,
        stages: &[(Stage, crate::recording::Part<'_>)],
        substep: &mut u32,
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
            if let Some(places) = self.led.places.as_ref().filter(|_| *stage == Stage::Predict) {
                self.place(places, *substep, &mut encoder);
                *substep += 1;
            }
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
