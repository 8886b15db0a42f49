//! A small elephant that lifts its trunk.

use glam::{Quat, Vec3};

use super::{Solid, blend, ellipsoid, limb, polygonise};
use crate::mesh::{Aabb, MeshError, TriMesh};

/// See [`elephant`].
pub const SOLID: &Solid = &Solid {
    name: "elephant",
    shows: "a small elephant that lifts its trunk",
    make: elephant,
    holes: 0,
    rims: 0,
    volume: None,
};

/// The middle line of the trunk and its radius (m), from the face to the tip.
const TRUNK: [(Vec3, f32); 6] = [
    (Vec3::new(0.42, 0.68, 0.0), 0.12),
    (Vec3::new(0.57, 0.57, 0.0), 0.09),
    (Vec3::new(0.70, 0.54, 0.0), 0.075),
    (Vec3::new(0.81, 0.61, 0.0), 0.065),
    (Vec3::new(0.85, 0.74, 0.0), 0.058),
    (Vec3::new(0.81, 0.86, 0.0), 0.055),
];

/// A small elephant, about a metre high and long, that stands at y = 0 and looks along x; with
/// cells of `1 / detail` (m).
///
/// # Errors
/// If the cells are too small or too large.
pub fn elephant(detail: u32) -> Result<TriMesh, MeshError> {
    let bounds = Aabb { low: Vec3::new(-0.58, 0.0, -0.54), high: Vec3::new(0.94, 1.04, 0.54) };
    polygonise(&distance, bounds, detail)
}

fn distance(x: Vec3) -> f32 {
    // Left and right are alike.
    let x = x.with_z(x.z.abs());
    let body = ellipsoid(x - Vec3::new(-0.03, 0.5, 0.0), Vec3::new(0.4, 0.3, 0.3));
    let head = ellipsoid(x - Vec3::new(0.36, 0.76, 0.0), Vec3::new(0.22, 0.23, 0.21));
    let parts = TRUNK.windows(2).map(|pair| limb(x, pair[0], pair[1]));
    let trunk = parts.fold(f32::MAX, |all, part| blend(all, part, 0.05));
    let hind = leg(x, -0.24);
    let front = leg(x, 0.24);
    let all = blend(blend(body, head, 0.1), trunk, 0.05);
    let all = blend(all, hind.min(front), 0.07);
    let all = blend(blend(all, ear(x), 0.03), tail(x), 0.03);
    let eye = x.distance(Vec3::new(0.515, 0.83, 0.125)) - 0.034;
    let tusk = limb(x, (Vec3::new(0.46, 0.62, 0.11), 0.035), (Vec3::new(0.62, 0.5, 0.16), 0.022));
    // The soles are flat.
    blend(blend(all, eye, 0.015), tusk, 0.03).max(0.01 - x.y)
}

fn leg(x: Vec3, forward: f32) -> f32 {
    let knee = (Vec3::new(forward, 0.3, 0.15), 0.115);
    let foot = (Vec3::new(forward + 0.01, 0.06, 0.16), 0.125);
    let hip = (Vec3::new(forward, 0.45, 0.14), 0.13);
    limb(x, hip, knee).min(limb(x, knee, foot))
}

/// A disc beside the head, turned forwards and hollowed a little.
fn ear(x: Vec3) -> f32 {
    let at = Quat::from_rotation_y(-0.5) * (x - Vec3::new(0.27, 0.77, 0.33));
    let disc = ellipsoid(at, Vec3::new(0.06, 0.21, 0.19));
    let hollow = at.distance(Vec3::new(0.3, 0.0, 0.02)) - 0.285;
    -blend(-disc, hollow, 0.03)
}

fn tail(x: Vec3) -> f32 {
    let (root, tip) = (Vec3::new(-0.4, 0.55, 0.0), Vec3::new(-0.5, 0.36, 0.0));
    let tuft = ellipsoid(x - Vec3::new(-0.505, 0.33, 0.0), Vec3::new(0.045, 0.07, 0.045));
    blend(limb(x, (root, 0.04), (tip, 0.03)), tuft, 0.03)
}
