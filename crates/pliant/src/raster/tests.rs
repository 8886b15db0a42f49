//! Whole pictures against geometry.
