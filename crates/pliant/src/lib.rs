//! Real-time soft bodies: cloth, jelly, organs, balloons and ropes.
//!
//! A [`World`] is plain data, a [`step()`] is a function, and everything else builds a world, edits
//! it between steps, or reads it afterwards.
//!
//! ```
//! use pliant::{World, shapes::Cloth, step};
//!
//! let mut world = World::default();
//! let cloth = Cloth { columns: 40, rows: 30, ..Cloth::default() };
//! let id = world.add(&cloth.blueprint()?.pinned(&cloth.corners()[..2]))?;
//! for _ in 0..120 {
//!     step(&mut world, 1.0 / 60.0)?;
//! }
//! let lowest = world.positions(id)?.map(|x| x.y).fold(f32::MAX, f32::min);
//! println!("after {:.1} s the cloth reaches down to {lowest:.2} m", world.time);
//! # assert!(lowest < -0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Conventions
//!
//! SI units: m, kg, s, N, J, Pa, rad. Right-handed, y up. Column vectors. Works best for bodies of
//! 0.01 to 10 m within 1 km of the world's origin, in steps of 1/60 s.
//!
//! | symbol | name in code   | meaning                          | unit                |
//! |--------|----------------|----------------------------------|---------------------|
//! | x, v   | `xw`, `v`      | position, velocity               | m, m/s              |
//! | x*     | `predicted`    | position if nothing had held it  | m                   |
//! | w      | `xw.w`         | inverse mass; 0 is held          | 1/kg                |
//! | C, ∇C  | `c`, `grad`    | constraint and its gradient      | of the kind         |
//! | λ      | `lambda`       | multiplier; λ/h² is a force      | J·s²/(unit of C)    |
//! | α      | `compliance`   | inverse stiffness                | (unit of C)²/J      |
//! | β      | `damping`      | dashpot coefficient              | J·s/(unit of C)²    |
//! | dt, h  | `dt`, `h`      | step of a frame, of a substep    | s                   |
//!
//! The engine reads no clock, no file, no environment variable and no random source. The same
//! world gives the same bits whatever the number of threads and the SIMD level.

pub use glam;

pub mod body;
pub mod budget;
pub mod collider;
pub mod coloring;
pub mod constraint;
pub mod contact;
pub mod cut;
pub mod edit;
pub mod error;
pub mod figure;
pub mod force;
pub mod integrate;
pub mod lanes;
pub mod laws;
pub mod look;
pub mod material;
pub mod measure;
pub mod mesh;
pub mod mirror;
mod parallel;
pub mod particles;
mod plastic;
pub mod raster;
pub mod region;
pub mod scenes;
pub mod settings;
pub mod shapes;
pub mod skin;
pub mod snapshot;
pub mod solver;
pub mod step;
pub mod stop;
pub mod tear;
pub mod testing;
pub mod unsolved;
pub mod weld;
pub mod world;

pub use body::{Blueprint, Body, BodyId};
pub use collider::Collider;
pub use constraint::set::{Hold, Set};
pub use cut::{Blade, Cut};
pub use edit::{Changes, Edit};
pub use error::WorldError;
pub use force::Force;
pub use integrate::Stepping;
pub use particles::Particles;
pub use skin::Skin;
pub use snapshot::SnapshotError;
pub use solver::Solver;
pub use step::{StepError, step, step_with};
pub use unsolved::Stiffness;
pub use world::{Backend, Config, ContactSolver, Method, Precision, Quarantine, World};
