//! Numbers that kernels compute with: one constraint (`f32`, `f64`) or eight at once (SIMD).
//!
//! A kernel is written once, generic over [`Real`]. Every operation here is exactly rounded and
//! nothing is ever fused, so eight lanes give bit for bit what eight scalar calls give, on every
//! machine and at every SIMD level. That is what the engine's determinism rests on.

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

use fearless_simd::prelude::*;
use fearless_simd::{f32x4, f32x8};
use glam::Vec4;

/// A number that kernels compute with.
///
/// SIMD values carry the proof that the processor has the instructions, so a constant is made
/// from a value at hand: `x.lit(0.5)`.
pub trait Real:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The constant `value`, in as many lanes as `self` has.
    fn lit(self, value: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// `yes` where `self < than`, `no` elsewhere (and where either is NaN).
    fn where_less(self, than: Self, yes: Self, no: Self) -> Self;
    /// The angle of the point (`x`, `self`) from the x axis, −π to π (rad); 0 at the origin.
    fn atan2(self, x: Self) -> Self;

    /// `self / by`, and 0 where `by` is not positive: a degenerate constraint moves nothing.
    #[inline(always)]
    fn div_or_zero(self, by: Self) -> Self {
        let zero = self.lit(0.0);
        zero.where_less(by, self / by, zero)
    }

    /// The smaller of the two.
    #[inline(always)]
    fn at_most(self, limit: Self) -> Self {
        limit.where_less(self, limit, self)
    }

    /// The larger of the two.
    #[inline(always)]
    fn at_least(self, limit: Self) -> Self {
        self.where_less(limit, limit, self)
    }
}

impl Real for f32 {
    #[inline(always)]
    fn lit(self, value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }
    #[inline(always)]
    fn where_less(self, than: Self, yes: Self, no: Self) -> Self {
        if self < than { yes } else { no }
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        atan2_single(self, x)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn lit(self, value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn where_less(self, than: Self, yes: Self, no: Self) -> Self {
        if self < than { yes } else { no }
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        libm::atan2(self, x)
    }
}

impl<S: Simd> Real for f32x8<S> {
    #[inline(always)]
    fn lit(self, value: f64) -> Self {
        <Self as SimdBase<S>>::splat(self.simd, value as f32)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        self.simd.sqrt_f32x8(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.simd.abs_f32x8(self)
    }
    #[inline(always)]
    fn where_less(self, than: Self, yes: Self, no: Self) -> Self {
        self.simd_lt(than).select(yes, no)
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        atan2_single(self, x)
    }
}

/// `atan2` in single precision, to 2 ulp, without branches. The WGSL twin is in `project.wgsl`.
///
/// The argument is reduced to |t| ≤ tan(π/8), where an odd polynomial of degree 9 suffices
/// (the coefficients are those of Moshier's Cephes library, `atanf`).
#[inline(always)]
fn atan2_single<R: Real>(y: R, x: R) -> R {
    let (zero, one) = (y.lit(0.0), y.lit(1.0));
    let (ay, ax) = (y.abs(), x.abs());
    // atan(ay/ax) for ay ≤ ax, else π/2 − atan(ax/ay): the quotient never exceeds 1.
    let steep = ax.where_less(ay, one, zero);
    let quotient = ax.where_less(ay, ax, ay).div_or_zero(ax.where_less(ay, ay, ax));
    let far = y.lit(0.414_213_56).where_less(quotient, one, zero);
    let t = zero.where_less(far, (quotient - one) / (quotient + one), quotient);
    let z = t * t;
    let p = ((y.lit(8.053_744_5e-2) * z - y.lit(0.138_776_86)) * z + y.lit(0.199_777_1)) * z
        - y.lit(0.333_329_5);
    let atan = p * z * t + t + far * y.lit(std::f64::consts::FRAC_PI_4);
    let atan = zero.where_less(steep, y.lit(std::f64::consts::FRAC_PI_2) - atan, atan);
    let atan = x.where_less(zero, y.lit(std::f64::consts::PI) - atan, atan);
    y.where_less(zero, -atan, atan)
}

/// A vector of three [`Real`]s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct V3<R> {
    /// Along x.
    pub x: R,
    /// Along y.
    pub y: R,
    /// Along z.
    pub z: R,
}

impl<R: Real> V3<R> {
    /// The scalar product.
    #[inline(always)]
    pub fn dot(self, b: Self) -> R {
        self.x * b.x + self.y * b.y + self.z * b.z
    }

    /// The vector product.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Self {
            x: self.y * b.z - self.z * b.y,
            y: self.z * b.x - self.x * b.z,
            z: self.x * b.y - self.y * b.x,
        }
    }

    /// |a|².
    #[inline(always)]
    pub fn length_squared(self) -> R {
        self.dot(self)
    }

    /// |a|.
    #[inline(always)]
    pub fn length(self) -> R {
        self.length_squared().sqrt()
    }
}

impl<R: Real> Add for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

impl<R: Real> Sub for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}

impl<R: Real> Mul<R> for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: R) -> Self {
        Self { x: self.x * k, y: self.y * k, z: self.z * k }
    }
}

impl<R: Real> Neg for V3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

/// Constraints that SIMD solves at once.
pub(crate) const LANES: usize = 8;

/// A [`Real`] that knows how to come from memory and go back: the only code that knows the width.
pub(crate) trait Lanes: Real {
    /// Proof that the instructions exist; nothing for plain numbers.
    type Proof: Copy;
    /// Constraints solved at once.
    const WIDTH: usize;
    /// The constant `value`.
    fn splat(proof: Self::Proof, value: f32) -> Self;
    /// One value per lane from the start of `column`.
    fn load(proof: Self::Proof, column: &[f32]) -> Self;
    /// One value per lane.
    fn store(self) -> [f32; LANES];
    /// Reads one row per lane and returns the columns x, y, z, w.
    fn gather(proof: Self::Proof, row: impl Fn(usize) -> Vec4) -> [Self; 4];
    /// Writes one row per lane.
    fn scatter(columns: [Self; 4], write: impl FnMut(usize, Vec4));
}

impl Lanes for f32 {
    type Proof = ();
    const WIDTH: usize = 1;

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn load((): (), column: &[f32]) -> Self {
        column[0]
    }
    #[inline(always)]
    fn store(self) -> [f32; LANES] {
        [self; LANES]
    }
    #[inline(always)]
    fn gather((): (), row: impl Fn(usize) -> Vec4) -> [Self; 4] {
        row(0).to_array()
    }
    #[inline(always)]
    fn scatter(columns: [Self; 4], mut write: impl FnMut(usize, Vec4)) {
        write(0, Vec4::from_array(columns));
    }
}

impl<S: Simd> Lanes for f32x8<S> {
    type Proof = S;
    const WIDTH: usize = LANES;

    #[inline(always)]
    fn splat(simd: S, value: f32) -> Self {
        <Self as SimdBase<S>>::splat(simd, value)
    }
    #[inline(always)]
    fn load(simd: S, column: &[f32]) -> Self {
        Self::from_slice(simd, &column[..LANES])
    }
    #[inline(always)]
    fn store(self) -> [f32; LANES] {
        self.into()
    }

    /// Eight 16-byte loads and two transposes in registers: half the time of a hardware gather.
    #[inline(always)]
    fn gather(simd: S, row: impl Fn(usize) -> Vec4) -> [Self; 4] {
        let load = |lane| f32x4::simd_from(simd, row(lane).to_array());
        let low = transpose([load(0), load(1), load(2), load(3)]);
        let high = transpose([load(4), load(5), load(6), load(7)]);
        std::array::from_fn(|c| simd.combine_f32x4(low[c], high[c]))
    }

    #[inline(always)]
    fn scatter(columns: [Self; 4], mut write: impl FnMut(usize, Vec4)) {
        let halves = columns.map(|c| c.simd.split_f32x8(c));
        let low = transpose(halves.map(|(low, _)| low));
        let high = transpose(halves.map(|(_, high)| high));
        for lane in 0..4 {
            write(lane, Vec4::from_array(low[lane].into()));
            write(lane + 4, Vec4::from_array(high[lane].into()));
        }
    }
}

/// Runs `$work` with the proof that the processor has the best instructions we compile for; not at
/// all where it has none, since lanes that are taken apart again cost more than no lanes.
///
/// On x86-64 the levels are SSE2 and AVX2: eight lanes gain nothing from what lies between or
/// beyond, and each level is another copy of every kernel.
macro_rules! at_best_level {
    ($simd:ident => $work:expr) => {{
        #[cfg(target_arch = "x86_64")]
        if let Some($simd) = fearless_simd::Level::new().as_avx2() {
            fearless_simd::Simd::vectorize($simd, #[inline(always)] || $work);
        } else if let Some($simd) = fearless_simd::Level::new().as_sse2() {
            fearless_simd::Simd::vectorize($simd, #[inline(always)] || $work);
        }
        #[cfg(any(
            target_arch = "aarch64",
            all(target_arch = "wasm32", target_feature = "simd128")
        ))]
        fearless_simd::dispatch!(fearless_simd::Level::new(), $simd => $work);
    }};
}
pub(crate) use at_best_level;

/// Rows to columns, and back.
#[inline(always)]
fn transpose<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let simd = a.simd;
    let (ac_low, ac_high) = (simd.zip_low_f32x4(a, c), simd.zip_high_f32x4(a, c));
    let (bd_low, bd_high) = (simd.zip_low_f32x4(b, d), simd.zip_high_f32x4(b, d));
    [
        simd.zip_low_f32x4(ac_low, bd_low),
        simd.zip_high_f32x4(ac_low, bd_low),
        simd.zip_low_f32x4(ac_high, bd_high),
        simd.zip_high_f32x4(ac_high, bd_high),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atan2_agrees_with_libm_all_around() {
        for i in 0..3600 {
            let angle = f64::from(i) * 0.1f64.to_radians();
            let (y, x) = (libm::sin(angle) as f32, libm::cos(angle) as f32);
            let (got, want) = (Real::atan2(y, x), libm::atan2f(y, x));
            let error = (got - want).abs();
            assert!(error < 5e-7, "atan2({y}, {x}) is {got}, libm says {want}");
        }
        assert_eq!(Real::atan2(0.0f32, 0.0), 0.0);
    }

    #[test]
    fn a_gather_is_undone_by_a_scatter() {
        let rows: Vec<Vec4> = (0..8).map(|i| Vec4::splat(i as f32) + Vec4::X * 0.5).collect();
        let mut back = vec![Vec4::ZERO; 8];
        at_best_level!(simd => {
            let columns = <f32x8<_> as Lanes>::gather(simd, |lane| rows[lane]);
            Lanes::scatter(columns, |lane, row| back[lane] = row);
        });
        assert_eq!(rows, back);
    }

    #[test]
    fn dividing_by_nothing_is_nothing() {
        assert_eq!(1.0f32.div_or_zero(0.0), 0.0);
        assert_eq!(1.0f32.div_or_zero(-1.0), 0.0);
        assert_eq!(1.0f32.div_or_zero(f32::NAN), 0.0);
        assert_eq!(1.0f32.div_or_zero(4.0), 0.25);
    }
}
