//! A constant force on chosen particles.

use glam::Vec3;

use super::{Force, ForceKind};

/// The force, for scenes.
pub const KIND: &ForceKind = &ForceKind {
    name: "point",
    params: &["force x (N)", "force y (N)", "force z (N)"],
    apply: |force, around, acceleration| {
        let &[x, y, z] = force.params.as_slice() else { return };
        let mut push = |i: usize| {
            if let Some(a) = acceleration.get_mut(i) {
                *a += (Vec3::new(x, y, z) * around.particles.inverse_mass[i]).extend(0.0);
            }
        };
        match force.particles.as_slice() {
            [] => (0..around.particles.len()).for_each(push),
            some => some.iter().for_each(|&i| push(i as usize)),
        }
    },
    wgsl: Some(include_str!("point.wgsl")),
};

impl Force {
    /// `newtons` on each of `particles`, which go in increasing order; none means on all.
    pub fn point(particles: &[u32], newtons: Vec3) -> Self {
        Self { kind: KIND, params: newtons.to_array().into(), particles: particles.to_vec() }
    }
}
