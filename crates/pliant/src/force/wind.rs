//! Wind: drag and lift on every triangle.

use glam::{Vec3, Vec4};

use super::{Force, ForceKind, Surroundings};
use crate::body::Body;

/// The force, for scenes.
pub const KIND: &ForceKind = &ForceKind {
    name: "wind",
    params: &["wind x (m/s)", "wind y (m/s)", "wind z (m/s)", "air (kg/m³)", "drag", "lift"],
    apply,
    wgsl: Some(include_str!("wind.wgsl")),
};

/// Moving air. With a velocity of 0 it is what slows a falling cloth down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// How the air moves (m/s).
    pub velocity: Vec3,
    /// Density of the air (kg/m³).
    pub density: f32,
    /// Drag coefficient; about 1.2 for a flat plate across the wind.
    pub drag: f32,
    /// Lift coefficient.
    pub lift: f32,
}

impl Default for Wind {
    fn default() -> Self {
        Self { velocity: Vec3::ZERO, density: 1.2, drag: 1.2, lift: 0.6 }
    }
}

impl From<Wind> for Force {
    fn from(Wind { velocity, density, drag, lift }: Wind) -> Self {
        let params = vec![velocity.x, velocity.y, velocity.z, density, drag, lift];
        Self { kind: KIND, params, particles: Vec::new() }
    }
}

impl Wind {
    /// The same wind, on one body only.
    pub fn on(self, body: &Body) -> Force {
        Force { particles: body.particles.clone().collect(), ..self.into() }
    }
}

/// Drag and lift on each triangle, a third to each corner.
///
/// ```text
/// u = wind − v,   n the normal turned along u,   F = ½ ρ A (u·n) (C_d u + C_l l)      (N)
/// l = |u| n − (u·n) u/|u|      across the wind, nothing when the triangle faces it
/// ```
///
/// The impulse h F on a triangle never exceeds what would carry it along with the air: very light
/// cloth follows the wind instead of overshooting it.
fn apply(force: &Force, around: Surroundings<'_>, acceleration: &mut [Vec4]) {
    let &[x, y, z, density, drag, lift] = force.params.as_slice() else { return };
    let Surroundings { particles, triangles, h } = around;
    for triangle in triangles.iter().filter(|triangle| force.acts_on(triangle[0])) {
        let corners = triangle.map(|i| i as usize);
        let [a, b, c] = corners.map(|i| particles.position(i));
        let velocity = corners.iter().map(|&i| particles.velocity(i)).sum::<Vec3>() / 3.0;
        let (u, normal) = (Vec3::new(x, y, z) - velocity, (b - a).cross(c - a));
        let (speed, twice_area) = (u.length(), normal.length());
        if !(speed > 0.0 && twice_area > 0.0) {
            continue;
        }
        let n = normal * (u.dot(normal).signum() / twice_area);
        let facing = u.dot(n);
        let across = n * speed - u * (facing / speed);
        let push = (u * drag + across * lift) * (0.25 * density * twice_area * facing);

        // About six triangles share a corner, so a sixth of its mass is this one's.
        let mass: f32 = corners.iter().map(|&i| 1.0 / particles.inverse_mass[i]).sum::<f32>() / 6.0;
        let most = mass * speed / h;
        let push = push * (most / push.length().max(most));
        for i in corners {
            acceleration[i] += (push * (particles.inverse_mass[i] / 3.0)).extend(0.0);
        }
    }
}
