//! Colliders that turn, or follow keyframes or a target: the CPU finds where they are in each substep of
//! the next step, and the GPU takes a row after the other.

use pliant::mirror::{self, ColliderRow};
use pliant::{Collider, World};

use crate::column::{Column, Others, Pushed, space};
use crate::error::GpuError;
use crate::world::GpuWorld;

/// Colliders whose places the CPU finds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Led {
    /// All of the world, where they are after the last step; none if none of them is led.
    pub(crate) colliders: Vec<Collider>,
    /// The same when the world was last pushed or read.
    seen: Vec<Collider>,
    /// Where they are in each substep of the next step.
    pub(crate) places: Option<wgpu::Buffer>,
    pub(crate) moves: bool,
}

impl Led {
    pub(crate) fn new(world: &World) -> Self {
        let is_any = world.colliders.iter().any(mirror::is_led);
        let colliders = if is_any { world.colliders.clone() } else { Vec::new() };
        Self { seen: colliders.clone(), colliders, ..Self::default() }
    }

    pub(crate) fn is_any(&self) -> bool {
        !self.colliders.is_empty()
    }

    /// Takes over what was changed in the world; what was not stays where it has come to.
    fn push(&mut self, world: &World, others: Others) {
        let mut new = Self::new(world);
        let is_same = new.colliders.len() == self.colliders.len();
        if others == Others::Gpu && is_same {
            let there = self.seen.iter().zip(&self.colliders);
            for (collider, (seen, led)) in new.colliders.iter_mut().zip(there) {
                keep(&mut collider.position, &seen.position, &led.position);
                keep(&mut collider.rotation, &seen.rotation, &led.rotation);
                keep(&mut collider.velocity, &seen.velocity, &led.velocity);
                let spin = &mut collider.angular_velocity;
                keep(spin, &seen.angular_velocity, &led.angular_velocity);
                keep(&mut collider.motion, &seen.motion, &led.motion);
            }
        }
        *self = new;
    }

    /// Lets a world have what there was when it was asked for.
    pub(crate) fn take(&mut self, there: &[Collider], world: &mut World) {
        for (collider, led) in world.colliders.iter_mut().zip(there) {
            mirror::follow(collider, led);
        }
        self.seen = there.to_vec();
    }
}

/// Lets what nobody has changed be what it has become.
fn keep<T: Clone + PartialEq>(now: &mut T, seen: &T, led: &T) {
    if now == seen {
        now.clone_from(led);
    }
}

impl GpuWorld {
    /// Finds where colliders are in each substep of a step of `dt` seconds.
    pub(crate) fn lead(&mut self, dt: f32) -> Result<(), GpuError> {
        self.led.places = None;
        if !self.led.is_any() || dt <= 0.0 {
            return Ok(());
        }
        let substeps = self.config.substeps;
        let mut rows: Vec<ColliderRow> = Vec::new();
        for _ in 0..substeps {
            rows.extend(mirror::lead(&mut self.led.colliders, dt / substeps as f32));
        }
        self.led.moves = rows.iter().any(ColliderRow::moves);
        let bytes = bytemuck::cast_slice(&rows);
        let places = space(self.gpu(), "places of colliders", bytes.len())?;
        self.gpu().queue.write_buffer(&places, 0, bytes);
        self.led.places = Some(places);
        Ok(())
    }

    /// Puts colliders where they are in a substep.
    pub(crate) fn place(
        &self,
        places: &wgpu::Buffer,
        substep: u32,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let size = (self.colliders.len() * size_of::<ColliderRow>()) as u64;
        let to = self.colliders.buffer();
        encoder.copy_buffer_to_buffer(places, u64::from(substep) * size, to, 0, size);
    }

    /// Brings changes of colliders to the GPU.
    pub(crate) fn push_colliders(
        &mut self,
        world: &World,
        others: Others,
    ) -> Result<Pushed, GpuError> {
        let was_any = self.led.is_any();
        self.led.push(world, others);
        if was_any && !self.led.is_any() {
            // The GPU has rows that it was told to leave where they are.
            let rows = world.collider_rows();
            self.colliders = Column::new(self.gpu(), "colliders", rows)?.of_vectors();
            return Ok(Pushed::Replaced);
        }
        let gpu = std::sync::Arc::clone(self.gpu());
        self.colliders.push(&gpu, world.collider_rows(), others)
    }
}
