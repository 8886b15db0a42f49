//! Real-time soft bodies.

pub mod raster;
