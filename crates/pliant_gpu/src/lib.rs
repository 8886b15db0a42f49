//! The same worlds on any GPU.
//!
//! A [`GpuWorld`] is a [`pliant::World`] in the memory of a GPU. It takes the same steps: the stages,
//! the kinds and the schedule come from the engine, and this crate has no physics of its own. State
//! stays on the GPU until somebody asks for it.
//!
//! ```
//! use pliant::{World, shapes::Cloth};
//! use pliant_gpu::{Choice, Gpu, GpuWorld};
//!
//! let mut world = World::default();
//! let cloth = Cloth { columns: 20, rows: 20, ..Cloth::default() };
//! world.add(&cloth.blueprint()?.pinned(&cloth.corners()[..2]))?;
//! let Ok(gpu) = Gpu::find(&Choice::default()) else { return Ok(()) }; // stay on the CPU
//! println!("on {}", gpu.name());
//!
//! let mut there = GpuWorld::new(&gpu, &mut world)?;
//! for _ in 0..30 {
//!     there.step(1.0 / 60.0)?;
//! }
//! there.read_into(&mut world)?;
//! assert!(world.particles.xw.iter().any(|x| x.y < -0.1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Change the world between two steps as ever, then [`GpuWorld::push`] it: what has changed goes to
//! the GPU, and nothing else. Results agree with the CPU's within tolerances, not in bits, since a
//! GPU may fuse a multiply and an add; on one GPU they are the same in every run.
//!
//! Only what every WebGPU has is used: at most 8 storage buffers in a shader, no subgroups, no
//! atomics of floating-point numbers.

mod again;
mod column;
mod contacts;
mod device;
mod error;
mod led;
mod parts;
mod program;
mod read;
mod recording;
mod step;
mod stepper;
mod surface;
mod tiles;
mod timing;
mod touches;
mod unroll;
mod world;

pub use device::{Choice, Gpu};
pub use error::GpuError;
pub use read::Reading;
pub use stepper::stepper;
pub use surface::Surface;
pub use wgpu;
pub use world::{GpuWorld, Slices, Tiling};
