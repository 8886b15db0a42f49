//! Who runs the simulation: a thread of its own, or time slices between frames of the window.

mod slices;
#[cfg(not(target_arch = "wasm32"))]
mod thread;

use std::sync::Arc;

pub use slices::Slices;
#[cfg(not(target_arch = "wasm32"))]
pub use thread::Thread;

use crate::command::Command;
use crate::frame::Frame;

/// Runs a session. None of its functions waits for a step.
pub trait Driver {
    /// Asks for something; it is done in order, between two steps.
    fn send(&mut self, command: Command);

    /// The newest frame, if there is one.
    fn newest(&mut self) -> Option<Arc<Frame>>;

    /// Whether something that was asked for is not done yet.
    fn is_busy(&self) -> bool;
}
