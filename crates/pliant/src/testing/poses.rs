//! Where the particles of a constraint may be: anywhere, and in the places that break formulas.

use glam::{DQuat, DVec3, Vec3};

/// Pseudo-random numbers, the same in every run and on every machine.
///
/// A linear congruential generator; Knuth, "The Art of Computer Programming", section 3.3.4,
/// has the multiplier (MMIX). Only the upper 24 bits are used, the lower ones repeat early.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each `seed`.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed);
        // Small seeds start with similar numbers; a few turns pull them apart.
        (0..4).for_each(|_| _ = random.unit());
        random
    }

    /// The next number, from 0 up to and without 1.
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    /// The next number between `low` and `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// A vector in a cube of `edge` about zero.
    pub fn vector(&mut self, edge: f32) -> Vec3 {
        let mut next = || self.between(-0.5, 0.5) * edge;
        Vec3::new(next(), next(), next())
    }

    /// The same as [`Self::vector`], in double precision.
    pub(crate) fn point(&mut self, edge: f32) -> DVec3 {
        self.vector(edge).as_dvec3()
    }

    /// A rotation.
    pub fn rotation(&mut self) -> DQuat {
        let v = self.vector(2.0).as_dvec3();
        DQuat::from_xyzw(v.x, v.y, v.z, 0.1 + f64::from(self.unit())).normalize()
    }

    /// `n` points in a cube of 1 m about zero, no two close and no three nearly in line: the best
    /// of 16 throws. Near a degenerate shape gradients grow without bound, and so do their errors.
    pub fn pose(&mut self, n: usize) -> Vec<Vec3> {
        let mut best: Vec<Vec3> = (0..n).map(|_| self.vector(1.0)).collect();
        for _ in 1..16 {
            let next: Vec<Vec3> = (0..n).map(|_| self.vector(1.0)).collect();
            if narrowest(&next) > narrowest(&best) {
                best = next;
            }
        }
        best
    }
}

/// The smallest distance between two points, or height of a triangle (m).
fn narrowest(x: &[Vec3]) -> f32 {
    let mut least = f32::MAX;
    for (i, &a) in x.iter().enumerate() {
        for (j, &b) in x[..i].iter().enumerate() {
            least = least.min(a.distance(b));
            for &c in &x[..j] {
                let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
                least = least.min((b - a).cross(c - a).length() / longest);
            }
        }
    }
    least
}

/// A pose that has no volume, no area or no length, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Degenerate {
    /// What is wrong, such as `in line`.
    pub what: String,
    /// Where the particles are (m).
    pub x: Vec<Vec3>,
}

/// Degenerate poses of `n` particles: in one place, in line, in a plane, and nearly so.
pub fn degenerate(n: usize) -> Vec<Degenerate> {
    let mut random = Random::new(11);
    let pose = random.pose(n);
    let tilt = random.rotation();
    let mut poses = Vec::new();
    let mut push = |what: &str, x: Vec<Vec3>| poses.push(Degenerate { what: what.into(), x });

    push("all at zero", vec![Vec3::ZERO; n]);
    push("all in one place", vec![Vec3::new(0.3, -0.2, 0.7); n]);
    for (j, i) in (0..n).flat_map(|j| (0..j).map(move |i| (j, i))) {
        let mut x = pose.clone();
        x[j] = x[i];
        push(&format!("particles {i} and {j} in one place"), x);
    }
    let turned = |x: &[Vec3]| -> Vec<Vec3> {
        x.iter().map(|x| (tilt * x.as_dvec3() + DVec3::splat(0.1)).as_vec3()).collect()
    };
    // Along the axes differences are exact; at a tilt they leave a rounding error. What is left
    // of the other directions goes down to where its square is no longer a normal number.
    for rest in [0.0, 1e-8, 1e-15, 1e-20, 1e-30] {
        let line: Vec<Vec3> = pose.iter().map(|x| *x * Vec3::new(1.0, rest, rest)).collect();
        let plane: Vec<Vec3> = pose.iter().map(|x| *x * Vec3::new(1.0, 1.0, rest)).collect();
        let point: Vec<Vec3> = pose.iter().map(|x| *x * rest).collect();
        push(&format!("in line but for {rest:e} m"), line.clone());
        push(&format!("in a plane but for {rest:e} m"), plane.clone());
        push(&format!("within {rest:e} m"), point);
        push("in line at a tilt", turned(&line));
        push("in a plane at a tilt", turned(&plane));
    }
    poses
}
