//! Numbers that look random and are the same for the same seed on every machine.

use pliant::glam::{Quat, Vec3};

/// SplitMix64 (Steele et al. 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From -1 to 1, in steps that single precision holds exactly.
    fn number(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    /// Each of the three from -1 to 1.
    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    /// Any rotation, all equally likely: a point of the ball in four dimensions, pushed to its
    /// surface.
    pub(super) fn turn(&mut self) -> Quat {
        loop {
            let (v, w) = (self.vector(), self.number());
            let square = v.length_squared() + w * w;
            if (0.01..=1.0).contains(&square) {
                let scale = 1.0 / square.sqrt();
                return Quat::from_xyzw(v.x * scale, v.y * scale, v.z * scale, w * scale);
            }
        }
    }
}
