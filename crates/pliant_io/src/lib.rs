//! Files for [`pliant`]: the only crate of the workspace that reads or writes any.
//!
//! One file per format, one line per format in a registry, and nothing half written: a file
//! appears under its name only when it is complete.

mod draft;
pub mod export;
pub mod image;
pub mod mesh;
pub mod plot;
pub mod run;
pub mod scene;
