//! Columns of a world in the memory of a GPU, and how changes get there.

use std::ops::Range;

use bytemuck::Pod;

use crate::device::{Gpu, ready};
use crate::error::GpuError;

/// Rows in the memory of a GPU, and what the world had in them when it was last pushed or read.
#[derive(Debug)]
pub(crate) struct Column<T> {
    what: &'static str,
    buffer: wgpu::Buffer,
    seen: Vec<T>,
    unit: Unit,
    /// How often the rows fit into the buffer.
    copies: usize,
}

/// What is written together where one word of it has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Word,
    /// Of every four words the first three, as they are a position or velocity; the fourth alone.
    Vector,
}

/// Whether a push could use the buffer that was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    Kept,
    Replaced,
}

impl Pushed {
    /// Whether any of two was replaced.
    pub(crate) fn and(self, other: Self) -> Self {
        if other == Self::Kept { self } else { other }
    }
}

/// Who else has written what a push is about to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// Nobody: what did not change may be written again.
    None,
    /// The GPU: what did not change in the world must be left alone.
    Gpu,
}

impl<T: Pod> Column<T> {
    pub(crate) fn new(gpu: &Gpu, what: &'static str, rows: Vec<T>) -> Result<Self, GpuError> {
        Self { what, buffer: space(gpu, what, 0)?, seen: Vec::new(), unit: Unit::Word, copies: 1 }
            .like(gpu, rows)
    }

    /// A column of other rows that is as this one.
    fn like(&self, gpu: &Gpu, rows: Vec<T>) -> Result<Self, GpuError> {
        let Self { what, unit, copies, .. } = *self;
        let buffer = space(gpu, what, copies * size_of_val(rows.as_slice()))?;
        gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(&rows));
        Ok(Self { what, buffer, seen: rows, unit, copies })
    }

    /// The same with room for the rows once more, behind them.
    pub(crate) fn twice(self, gpu: &Gpu) -> Result<Self, GpuError> {
        let rows = self.seen.clone();
        Self { copies: 2, ..self }.like(gpu, rows)
    }

    /// The same for rows of vectors: who sets one to (0, 0, 1) wants the zeros too.
    pub(crate) fn of_vectors(self) -> Self {
        Self { unit: Unit::Vector, ..self }
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    pub(crate) fn len(&self) -> usize {
        self.seen.len()
    }

    /// What the world had when it was last pushed or read.
    pub(crate) fn seen(&self) -> &[T] {
        &self.seen
    }

    /// The same, to be forgotten in part or replaced by what was read.
    pub(crate) fn seen_mut(&mut self) -> &mut [T] {
        &mut self.seen
    }

    /// Brings what has changed to the GPU.
    pub(crate) fn push(
        &mut self,
        gpu: &Gpu,
        rows: Vec<T>,
        others: Others,
    ) -> Result<Pushed, GpuError> {
        if rows.len() != self.seen.len() {
            *self = self.like(gpu, rows)?;
            return Ok(Pushed::Replaced);
        }
        let unit = if others == Others::Gpu { Some(self.unit) } else { None };
        write_changes(gpu, &self.buffer, 0, [&self.seen, &rows], unit);
        self.seen = rows;
        Ok(Pushed::Kept)
    }

    /// Brings rows to the GPU of which some are there in other places, where the GPU has changed
    /// them: `moved` has their old and their new places.
    pub(crate) fn push_moved(
        &mut self,
        gpu: &Gpu,
        rows: Vec<T>,
        moved: &[[Range<usize>; 2]],
    ) -> Result<(), GpuError> {
        let new = self.like(gpu, rows)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let byte = |row: usize| (row * size_of::<T>()) as u64;
        for [old_rows, new_rows] in moved.iter().filter(|[rows, _]| !rows.is_empty()) {
            let (from, to) = (byte(old_rows.start), byte(new_rows.start));
            let size = byte(old_rows.len());
            encoder.copy_buffer_to_buffer(&self.buffer, from, &new.buffer, to, size);
        }
        gpu.queue.submit([encoder.finish()]);
        for [old_rows, new_rows] in moved {
            let rows = [&self.seen[old_rows.clone()], &new.seen[new_rows.clone()]];
            write_changes(gpu, &new.buffer, byte(new_rows.start), rows, Some(self.unit));
        }
        *self = new;
        Ok(())
    }
}

/// Memory for that many bytes, of zeros.
pub(crate) fn space(gpu: &Gpu, what: &'static str, bytes: usize) -> Result<wgpu::Buffer, GpuError> {
    space_for(gpu, what, bytes, wgpu::BufferUsages::empty())
}

/// The same for one more use.
pub(crate) fn space_for(
    gpu: &Gpu,
    what: &'static str,
    bytes: usize,
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, GpuError> {
    // A binding must not be empty.
    let size = (bytes as u64).max(LEAST);
    gpu.check_size(what, size)?;
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(what),
        size,
        usage: usage
            | wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    match ready(scope.pop()) {
        Some(_) => Err(GpuError::OutOfMemory { what, needed: size }),
        None => gpu.check().map(|()| buffer),
    }
}

/// Bytes of the smallest buffer: one row of any column.
const LEAST: u64 = 256;

/// Words that are written again rather than making two writes.
const GAP: usize = 256;

/// Writes the words in which `now` differs from `seen`, which begin at byte `first` of a buffer; no
/// others than those of a `unit`, if that matters.
fn write_changes<T: Pod>(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    first: u64,
    [seen, now]: [&[T]; 2],
    unit: Option<Unit>,
) {
    let [seen, now]: [&[u32]; 2] = [seen, now].map(bytemuck::cast_slice);
    let mut runs = changed_runs(seen, now, if unit.is_none() { GAP } else { 0 });
    if unit == Some(Unit::Vector) {
        runs = runs.into_iter().flat_map(whole_vectors).collect();
    }
    for run in runs {
        let offset = first + 4 * run.start as u64;
        gpu.queue.write_buffer(buffer, offset, bytemuck::cast_slice(&now[run]));
    }
}

/// Where two lists of equal length differ, as few ranges: those up to `gap` apart are joined.
fn changed_runs(seen: &[u32], now: &[u32], gap: usize) -> Vec<Range<usize>> {
    /// Words that are compared at once, since most of them are the same.
    const BLOCK: usize = 1024;
    let mut runs: Vec<Range<usize>> = Vec::new();
    let blocks = seen.chunks(BLOCK).zip(now.chunks(BLOCK)).enumerate();
    for (block, (seen, now)) in blocks.filter(|(_, (seen, now))| seen != now) {
        for k in (0..seen.len()).filter(|&k| seen[k] != now[k]) {
            let word = block * BLOCK + k;
            match runs.last_mut() {
                Some(run) if word - run.end <= gap => run.end = word + 1,
                _ => runs.push(word..word + 1),
            }
        }
    }
    runs
}

/// The vectors and fourth words that a run of words touches.
fn whole_vectors(run: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    (run.start / 4..run.end.div_ceil(4)).flat_map(move |row| {
        let (vector, fourth) = (4 * row..4 * row + 3, 4 * row + 3..4 * row + 4);
        let touched = |part: &Range<usize>| part.start < run.end && run.start < part.end;
        [vector, fourth].into_iter().filter(touched).collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_and_joined_across_gaps() {
        let seen = vec![0; 5000];
        let mut now = seen.clone();
        assert!(changed_runs(&seen, &now, 0).is_empty());
        for word in [0, 1, 5, 1023, 1024, 4999] {
            now[word] = 1;
        }
        assert_eq!(changed_runs(&seen, &now, 0), [0..2, 5..6, 1023..1025, 4999..5000]);
        assert_eq!(changed_runs(&seen, &now, 3), [0..6, 1023..1025, 4999..5000]);
        assert_eq!(changed_runs(&seen, &now, 5000).first(), Some(&(0..5000)));
    }

    #[test]
    fn vectors_are_written_whole_and_their_fourth_words_alone() {
        let parts = |run| whole_vectors(run).collect::<Vec<_>>();
        assert_eq!(parts(5..8), [4..7, 7..8]);
        assert_eq!(parts(2..5), [0..3, 3..4, 4..7]);
        assert_eq!(parts(6..9), [4..7, 7..8, 8..11]);
        assert_eq!(parts(7..10), [7..8, 8..11]);
    }
}
