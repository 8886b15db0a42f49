//! A world on the GPU does what it does on the CPU.
//!
//! Any WebGPU device will do; without a graphics card, Mesa's software Vulkan (lavapipe).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "gpu/borders.rs"]
mod borders;
#[path = "gpu/common.rs"]
mod common;
#[path = "gpu/contact.rs"]
mod contact;
#[path = "gpu/edits.rs"]
mod edits;
#[path = "gpu/ends.rs"]
mod ends;
#[path = "gpu/laws.rs"]
mod laws;
#[path = "gpu/parity.rs"]
mod parity;
