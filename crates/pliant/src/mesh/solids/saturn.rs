//! A planet with a ring, held together by a thin disc.

use std::f32::consts::PI;

use glam::Vec2;

use super::cylinder::sectors;
use super::{Solid, lathe, line};
use crate::mesh::TriMesh;

/// See [`saturn`].
pub const SOLID: &Solid = &Solid {
    name: "saturn",
    shows: "a planet with a ring",
    make: |detail| Ok(saturn(detail)),
    holes: 0,
    rims: 0,
    volume: Some(volume()),
};

/// Radius of the planet (m).
const PLANET: f32 = 0.3;
/// Where the ring begins and ends, from the axis (m).
const RING: [f32; 2] = [0.4, 0.6];
/// Half the thickness of the disc between planet and ring, and of the ring (m).
const HALF: [f32; 2] = [0.02, 0.04];

/// A planet of 0.6 m whose ring, flat about the y axis, is twice as wide.
pub fn saturn(detail: u32) -> TriMesh {
    let [inner, outer] = RING;
    let [disc, ring] = HALF;
    let stacks = ((PI / 2.0 * PLANET * detail as f32).ceil() as u32).max(4);
    // From the south pole to where the disc begins.
    let rim = libm::asinf(disc / PLANET);
    let south = |k: u32| {
        let angle = PI / 2.0 - (PI / 2.0 - rim) * k as f32 / stacks as f32;
        let out = if k == 0 { 0.0 } else { PLANET * libm::cosf(angle) };
        Vec2::new(out, -PLANET * libm::sinf(angle))
    };
    let below: Vec<Vec2> = (0..stacks)
        .map(south)
        .chain(line(south(stacks), Vec2::new(inner, -disc), detail))
        .chain(line(Vec2::new(inner, -disc), Vec2::new(inner, -ring), detail))
        .chain(line(Vec2::new(inner, -ring), Vec2::new(outer, -ring), detail))
        .chain([Vec2::new(outer, -ring)])
        .collect();
    let above = below.iter().rev().map(|point| Vec2::new(point.x, -point.y));
    let outline: Vec<Vec2> = below.iter().copied().chain(above).collect();
    lathe(&outline, sectors(outer, detail))
}

/// The ball, the disc outside of it, and the ring (m³).
const fn volume() -> f64 {
    let (r, h, pi) = (PLANET as f64, HALF[0] as f64, std::f64::consts::PI);
    let ball = 4.0 / 3.0 * pi * r * r * r;
    // A ball's slice of half the thickness h has the volume 2 π (r² h − h³/3).
    let slice = 2.0 * pi * (r * r * h - h * h * h / 3.0);
    let (inner, outer) = (RING[0] as f64, RING[1] as f64);
    let disc = pi * inner * inner * 2.0 * h - slice;
    ball + disc + pi * (outer * outer - inner * inner) * 2.0 * HALF[1] as f64
}
