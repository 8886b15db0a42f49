//! A constant force on chosen particles.

use glam::Vec3;

use super::{Force, ForceKind};

/// The force, for scenes.
pub const KIND: &ForceKind = &ForceKind {
    name: "point",
    params: &["force x (N)", "force y (N)", "force z (N)"],
    apply: |force, around, acceleration| {
        let &[x, y, z] = force.params.as_slice() else { return };
        for &i in &force.particles {
            if let Some(a) = acceleration.get_mut(i as usize) {
                *a += (Vec3::new(x, y, z) * around.particles.inverse_mass[i as usize]).extend(0.0);
            }
        }
    },
};

impl Force {
    /// `newtons` on each of `particles`.
    pub fn point(particles: &[u32], newtons: Vec3) -> Self {
        Self { kind: KIND, params: newtons.to_array().into(), particles: particles.to_vec() }
    }
}
