//! A window on the worlds of Pliant: pull them, tune them, see why.
//!
//! The simulation runs apart from the window, in a [`driver`]; [`command::Command`]s go in and
//! [`frame::Frame`]s come out. [`state::State`] is all that the window shows, and works without one;
//! [`app::App`] puts it on the screen. Native and web share all of it but
//! the driver, and what `native` and `web` have: windows, clocks, files.

pub mod app;
pub mod camera;
pub mod command;
pub mod costume;
pub mod crease;
pub mod draw;
pub mod drawing;
pub mod driver;
pub mod frame;
pub mod gallery;
pub mod keys;
pub mod layer;
pub mod loan;
pub mod moment;
#[cfg(not(target_arch = "wasm32"))]
pub mod native;
pub mod panel;
pub mod pick;
pub mod pose;
pub mod problem;
pub mod selection;
pub mod series;
pub mod session;
pub mod state;
pub mod tool;
#[cfg(target_arch = "wasm32")]
pub mod web;

#[cfg(not(target_arch = "wasm32"))]
use native as platform;
#[cfg(not(target_arch = "wasm32"))]
pub use native::{NoWindow, open};
#[cfg(target_arch = "wasm32")]
use web as platform;
