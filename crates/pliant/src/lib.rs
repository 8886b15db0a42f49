//! Real-time soft bodies.
