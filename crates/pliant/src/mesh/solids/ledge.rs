//! A ledge.

use super::{Solid, extruded};

/// A wall with a shelf at its top: three eighths and a quarter of the cube around it.
pub const SOLID: &Solid = &Solid {
    name: "ledge",
    shows: "a wall with a ledge that sticks out at its top",
    make: |detail| {
        let squares = i64::from(detail.min(256).div_ceil(8).max(1));
        Ok(extruded(8 * squares as u32, |x, y| x / squares < 3 || y / squares > 5))
    },
    holes: 0,
    rims: 0,
    volume: Some(34.0 / 64.0),
};
