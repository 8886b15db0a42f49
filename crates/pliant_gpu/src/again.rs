//! Steps that found more contacts than there was room for are taken again.
//!
//! What a step needed comes back after it, while the next one runs. If that was more than there was, the
//! GPU goes back to where the step began, there is more room, and it and those after it are taken again:
//! nothing is missed, and the result does not depend on how much room there was.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use pliant::contact::buffers::{ContactState, Room, STATE_WORDS};

use crate::column::{Pushed, space};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::read::staging;
use crate::recording::Section;
use crate::world::GpuWorld;

/// Steps that may be under way before what they needed is waited for.
pub(crate) const UNDER_WAY: usize = 2;

/// A step under way.
#[derive(Debug)]
pub(crate) struct Taken {
    dt: f32,
    sections: Vec<Section>,
    /// Where colliders were in each substep, if they are led.
    places: Option<wgpu::Buffer>,
    /// The room that it had: there may be more by now.
    room: Room,
    /// What it began with.
    before: Vec<wgpu::Buffer>,
    tally: Tally,
}

/// What a step needed, on its way here.
#[derive(Debug)]
struct Tally {
    staging: wgpu::Buffer,
    arrival: Arc<AtomicU8>,
    submission: wgpu::SubmissionIndex,
}

/// [`Tally::arrival`].
const ON_ITS_WAY: u8 = 0;
const ARRIVED: u8 = 1;
const FAILED: u8 = 2;

impl Tally {
    /// Asks for what was needed until now.
    fn ask(gpu: &Gpu, state: &wgpu::Buffer) -> Result<Self, GpuError> {
        let size = 4 * STATE_WORDS as u64;
        let staging = staging(gpu, size)?;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(state, 0, &staging, 0, size);
        let submission = gpu.queue.submit([encoder.finish()]);
        let arrival = Arc::new(AtomicU8::new(ON_ITS_WAY));
        let told = Arc::clone(&arrival);
        staging.map_async(wgpu::MapMode::Read, .., move |mapped| {
            told.store(if mapped.is_ok() { ARRIVED } else { FAILED }, Ordering::Release);
        });
        Ok(Self { staging, arrival, submission })
    }

    /// Waits for it, and for nothing that was asked for later.
    fn wait(&self, gpu: &Gpu) -> Result<(), GpuError> {
        let submission_index = Some(self.submission.clone());
        gpu.wait_for(wgpu::PollType::Wait { submission_index, timeout: None })
    }

    fn read(&self) -> Result<ContactState, GpuError> {
        let bytes = self
            .staging
            .get_mapped_range(..)
            .map_err(|error| GpuError::Driver { why: error.to_string() })?;
        let words: Vec<u32> = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect();
        Ok(ContactState::of(&words))
    }
}

impl GpuWorld {
    /// Steps that were taken again, since they found more contacts than there was room for.
    pub fn steps_taken_again(&self) -> u64 {
        self.taken_again
    }

    /// What a step changes and does not make anew.
    fn kept(&self) -> Vec<&wgpu::Buffer> {
        let particles = &self.particles;
        let columns = [particles.xw.buffer(), particles.v.buffer(), particles.good.buffer()];
        let others = [self.bodies.buffer(), self.colliders.buffer()];
        let contact = [&self.contacts.pairs, self.contacts.state.buffer()];
        let fits = self.regions.iter().map(|set| set.fits.buffer());
        columns.into_iter().chain(others).chain(contact).chain(fits).collect()
    }

    /// Keeps what a step is about to change, if it may have to be taken again.
    pub(crate) fn keep(&mut self) -> Result<(), GpuError> {
        if !self.contacts.is_any() {
            return Ok(());
        }
        let sizes: Vec<u64> = self.kept().iter().map(|buffer| buffer.size()).collect();
        let spare = self
            .spare
            .pop()
            .filter(|spare| spare.iter().map(wgpu::Buffer::size).eq(sizes.iter().copied()));
        let before = match spare {
            Some(spare) => spare,
            None => sizes
                .iter()
                .map(|&size| space(self.gpu(), "what a step began with", size as usize))
                .collect::<Result<_, _>>()?,
        };
        self.copy(&before, Way::There);
        self.before = Some(before);
        Ok(())
    }

    /// Copies what a step changes to where it is kept, or back.
    fn copy(&self, before: &[wgpu::Buffer], way: Way) {
        let mut encoder = self.gpu().device.create_command_encoder(&Default::default());
        for (now, before) in self.kept().into_iter().zip(before) {
            let [from, to] = if way == Way::There { [now, before] } else { [before, now] };
            let size = from.size().min(to.size());
            encoder.copy_buffer_to_buffer(from, 0, to, 0, size);
        }
        self.gpu().queue.submit([encoder.finish()]);
    }

    /// Notes what a step was made of, and asks what it needed.
    pub(crate) fn note(&mut self, dt: f32, sections: Vec<Section>) -> Result<(), GpuError> {
        if let Some(before) = self.before.take() {
            let tally = Tally::ask(self.gpu(), self.contacts.state.buffer())?;
            let (room, places) = (self.contacts.room, self.led.places.clone());
            self.under_way.push_back(Taken { dt, sections, places, room, before, tally });
        }
        Ok(())
    }

    /// Hears what steps needed, until no more than `most` are under way.
    pub(crate) fn hear(&mut self, most: usize) -> Result<(), GpuError> {
        while let Some(taken) = self.under_way.front() {
            match taken.tally.arrival.load(Ordering::Acquire) {
                ON_ITS_WAY if self.under_way.len() > most => taken.tally.wait(self.gpu())?,
                ON_ITS_WAY => break,
                ARRIVED => {
                    let needed = taken.tally.read()?.needed;
                    let is_exceeded = taken.room.is_exceeded(needed);
                    let room = self.contacts.room.grown(needed);
                    if is_exceeded {
                        self.take_again(room)?;
                    } else {
                        self.make_room(room)?;
                        let done = self.under_way.pop_front();
                        self.spare.extend(done.map(|taken| taken.before));
                    }
                }
                _ => {
                    self.under_way.clear();
                    self.gpu().check()?;
                    return Err(GpuError::Driver { why: "results could not be read".into() });
                }
            }
        }
        Ok(())
    }

    fn make_room(&mut self, room: Room) -> Result<(), GpuError> {
        let gpu = Arc::clone(self.gpu());
        if room != self.contacts.room && self.contacts.fit(&gpu, room)? == Pushed::Replaced {
            self.forget_recording();
        }
        Ok(())
    }

    /// Goes back to where the first step under way began, and takes them all again.
    fn take_again(&mut self, room: Room) -> Result<(), GpuError> {
        let all = std::mem::take(&mut self.under_way);
        self.make_room(room)?;
        if let Some(first) = all.front() {
            self.copy(&first.before, Way::Back);
        }
        self.taken_again += all.len() as u64;
        let next = self.led.places.take();
        for Taken { dt, sections, places, before, .. } in all {
            self.spare.push(before);
            self.record(dt);
            self.keep()?;
            self.play(&sections, places.as_ref(), 0);
            self.led.places = places;
            self.note(dt, sections)?;
        }
        self.led.places = next;
        Ok(())
    }
}

/// Which way state is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    There,
    Back,
}
