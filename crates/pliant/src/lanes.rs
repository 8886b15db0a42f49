//! Numbers that kernels compute with: one constraint (`f32`, `f64`), or four or eight at once (SIMD).
//!
//! A kernel is written once, generic over [`Real`]. Every operation here is exactly rounded and
//! nothing is ever fused, so eight lanes give bit for bit what eight scalar calls give, on every
//! machine and at every SIMD level. That is what the engine's determinism rests on.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128, __m256, _mm256_shuffle_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};
use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

use fearless_simd::prelude::*;
#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, u32x8};
use fearless_simd::{f32x4, f32x8, u32x4};
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

macro_rules! real {
    ($wide:ident, $sqrt:ident, $abs:ident) => {
        impl<S: Simd> Real for $wide<S> {
            #[inline(always)]
            fn lit(self, value: f64) -> Self {
                <Self as SimdBase<S>>::splat(self.simd, value as f32)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.simd.$sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.simd.$abs(self)
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
    };
}
real!(f32x4, sqrt_f32x4, abs_f32x4);
real!(f32x8, sqrt_f32x8, abs_f32x8);

/// `atan2` in single precision, to 3 ulp, without branches. The WGSL twin is in `project.wgsl`.
///
/// The angle is `base`, the nearest eighth of a turn, and atan t with |t| ≤ tan(π/8), where an odd polynomial
/// of degree 9 suffices (the coefficients are those of Moshier's Cephes library, `atanf`). All signs and sums
/// are chosen before the only division, and the polynomial has two halves: a lane of a GPU waits for every
/// result that it needs.
#[inline(always)]
fn atan2_single<R: Real>(y: R, x: R) -> R {
    let (zero, one) = (y.lit(0.0), y.lit(1.0));
    let (ay, ax) = (y.abs(), x.abs());
    let (low, high) = (ay.at_most(ax), ay.at_least(ax.at_least(y.lit(ORIGIN))));
    // atan(low/high), which is π/4 + atan((low − high)/(low + high)), where the quotient is smaller so.
    let far = y.lit(0.414_213_56) * high;
    let top = far.where_less(low, low - high, low);
    let bottom = far.where_less(low, low + high, high);
    let base = far.where_less(low, y.lit(std::f64::consts::FRAC_PI_4), zero);
    // Mirrored at the diagonal, at the axis of y and at that of x.
    let base = ax.where_less(ay, y.lit(std::f64::consts::FRAC_PI_2) - base, base);
    let base = x.where_less(zero, y.lit(std::f64::consts::PI) - base, base);
    let base = y.where_less(zero, -base, base);
    let turn = ax.where_less(ay, -one, one);
    let turn = x.where_less(zero, -turn, turn);
    let turn = y.where_less(zero, -turn, turn);
    let t = turn * top / bottom;
    let z = t * t;
    let p = (y.lit(8.053_744_5e-2) * z - y.lit(0.138_776_86)) * (z * z)
        + (y.lit(0.199_777_1) * z - y.lit(0.333_329_5));
    p * (z * t) + t + base
}

/// Points nearer than this to the origin, along both axes, are taken for it. Of the order of the least
/// number that every GPU tells from 0.
const ORIGIN: f64 = 1e-37;

/// What `of` says of each index. In kernels, instead of `std::array::from_fn` and `map`: those are
/// functions that the compiler may decide to call, which takes every lane through memory.
#[inline(always)]
pub fn each<T: Copy, const N: usize>(of: impl Fn(usize) -> T) -> [T; N] {
    let mut all = [of(0); N];
    for k in 1..N {
        all[k] = of(k);
    }
    all
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

/// Constraints that SIMD solves at once at most.
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
    /// One value per lane to the start of `column`.
    fn store(self, column: &mut [f32]);
    /// Reads one row per lane and returns the columns x, y, z, w.
    fn gather(proof: Self::Proof, row: impl Fn(usize) -> Vec4) -> [Self; 4];
    /// Writes one row per lane.
    fn scatter(columns: [Self; 4], write: impl FnMut(usize, Vec4));

    /// Which lanes are below 0: bit k is lane k.
    fn negative(self) -> u32;
    /// In which lanes the first of every two is not above the second.
    fn in_order<const N: usize>(all: [[Self; 2]; N]) -> u32;
    /// In which lanes a number from the start of `column` is above another.
    fn above(proof: Self::Proof, column: &[u32], other: u32) -> u32;
    /// In which lanes a number from the start of `column` is another.
    fn same(proof: Self::Proof, column: &[u32], other: u32) -> u32;
    /// One value per lane, and 0 beyond.
    #[inline(always)]
    fn values(self) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        self.store(&mut values);
        values
    }
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
    fn store(self, column: &mut [f32]) {
        column[0] = self;
    }
    #[inline(always)]
    fn negative(self) -> u32 {
        u32::from(self < 0.0)
    }
    #[inline(always)]
    fn in_order<const N: usize>(all: [[Self; 2]; N]) -> u32 {
        let mut yes = true;
        for [first, second] in all {
            yes &= first <= second;
        }
        u32::from(yes)
    }
    #[inline(always)]
    fn above((): (), column: &[u32], other: u32) -> u32 {
        u32::from(column[0] > other)
    }
    #[inline(always)]
    fn same((): (), column: &[u32], other: u32) -> u32 {
        u32::from(column[0] == other)
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

macro_rules! columns_in_memory {
    ($simd:ty, $width:literal, $numbers:ty) => {
        type Proof = $simd;
        const WIDTH: usize = $width;

        #[inline(always)]
        fn splat(simd: $simd, value: f32) -> Self {
            <Self as SimdBase<$simd>>::splat(simd, value)
        }
        #[inline(always)]
        fn load(simd: $simd, column: &[f32]) -> Self {
            Self::from_slice(simd, &column[..$width])
        }
        #[inline(always)]
        fn store(self, column: &mut [f32]) {
            self.store_slice(&mut column[..$width]);
        }
        #[inline(always)]
        fn negative(self) -> u32 {
            self.simd_lt(<Self as SimdBase<$simd>>::splat(self.simd, 0.0)).to_bitmask() as u32
        }
        #[inline(always)]
        fn in_order<const N: usize>(all: [[Self; 2]; N]) -> u32 {
            let mut yes = all[0][0].simd_le(all[0][1]);
            for k in 1..N {
                yes &= all[k][0].simd_le(all[k][1]);
            }
            yes.to_bitmask() as u32
        }
        #[inline(always)]
        fn above(simd: $simd, column: &[u32], other: u32) -> u32 {
            let column = <$numbers>::from_slice(simd, &column[..$width]);
            column.simd_gt(<$numbers>::splat(simd, other)).to_bitmask() as u32
        }
        #[inline(always)]
        fn same(simd: $simd, column: &[u32], other: u32) -> u32 {
            let column = <$numbers>::from_slice(simd, &column[..$width]);
            column.simd_eq(<$numbers>::splat(simd, other)).to_bitmask() as u32
        }
    };
}

/// For processors whose registers hold four numbers: SSE2, NEON, simd128.
impl<S: Simd> Lanes for f32x4<S> {
    columns_in_memory!(S, 4, u32x4<S>);

    #[inline(always)]
    fn gather(simd: S, row: impl Fn(usize) -> Vec4) -> [Self; 4] {
        transpose(each(
            #[inline(always)]
            |lane| from_row(simd, row(lane)),
        ))
    }
    #[inline(always)]
    fn scatter(columns: [Self; 4], mut write: impl FnMut(usize, Vec4)) {
        let rows = transpose(columns);
        for lane in 0..4 {
            write(lane, to_row(rows[lane]));
        }
    }
}

/// Rows k and k + 4 share a register, so that both halves are transposed at once: eight loads and
/// eight shuffles, where two transposes of four rows take twenty. A hardware gather takes twice the
/// time.
#[cfg(target_arch = "x86_64")]
impl Lanes for f32x8<Avx2> {
    columns_in_memory!(Avx2, 8, u32x8<Avx2>);

    #[inline(always)]
    fn gather(simd: Avx2, row: impl Fn(usize) -> Vec4) -> [Self; 4] {
        let [a, b, c, d] = each(
            #[inline(always)]
            |lane| {
                let (low, high) = (from_row(simd, row(lane)), from_row(simd, row(lane + 4)));
                simd.combine_f32x4(low, high).into()
            },
        );
        let [x, y, z, w] = transpose_halves(simd, a, b, c, d);
        [x.simd_into(simd), y.simd_into(simd), z.simd_into(simd), w.simd_into(simd)]
    }
    #[inline(always)]
    fn scatter([x, y, z, w]: [Self; 4], mut write: impl FnMut(usize, Vec4)) {
        let simd = x.simd;
        let rows = transpose_halves(simd, x.into(), y.into(), z.into(), w.into());
        for lane in 0..4 {
            let (low, high) = simd.split_f32x8(rows[lane].simd_into(simd));
            write(lane, to_row(low));
            write(lane + 4, to_row(high));
        }
    }
}

#[cfg(target_arch = "x86_64")]
fearless_simd::kernel!(
    /// Rows to columns, and back, in each half of the registers.
    #[inline(always)]
    fn transpose_halves(simd: Avx2, a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
        let _: Avx2 = simd;
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0b01_00_01_00>(ab_low, cd_low),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab_low, cd_low),
            _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
        ]
    }
);

/// A row as it is in memory. By way of an array, the compiler would load it in two parts.
#[inline(always)]
fn from_row<S: Simd>(simd: S, row: Vec4) -> f32x4<S> {
    #[cfg(target_arch = "x86_64")]
    return f32x4::simd_from(simd, bytemuck::must_cast::<_, __m128>(row));
    #[cfg(not(target_arch = "x86_64"))]
    f32x4::simd_from(simd, row.to_array())
}

/// The inverse of [`from_row`].
#[inline(always)]
fn to_row<S: Simd>(row: f32x4<S>) -> Vec4 {
    #[cfg(target_arch = "x86_64")]
    return bytemuck::must_cast(__m128::from(row));
    #[cfg(not(target_arch = "x86_64"))]
    Vec4::from_array(row.into())
}

/// The vectors of rows.
#[inline(always)]
pub(crate) fn vectors<R: Copy, const N: usize>(rows: [[R; 4]; N]) -> [V3<R>; N] {
    each(|k| V3 { x: rows[k][0], y: rows[k][1], z: rows[k][2] })
}

/// What is left of rows beside the vectors: inverse masses.
#[inline(always)]
pub(crate) fn weights<R: Copy, const N: usize>(rows: [[R; 4]; N]) -> [R; N] {
    each(|k| rows[k][3])
}

/// Runs `$work` with the widest type that the processor has the instructions for, and the proof of
/// it. Where it has none that is `f32`: lanes that are taken apart again cost more than no lanes.
///
/// Sixteen lanes of AVX-512 are slower than eight: see `docs/speed.md`.
macro_rules! at_best_level {
    ($wide:ident, $simd:ident => $work:expr) => {{
        #[cfg(target_arch = "x86_64")]
        if let Some($simd) = fearless_simd::Level::new().as_avx2() {
            type $wide = fearless_simd::f32x8<fearless_simd::Avx2>;
            fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $work,
            );
        } else if let Some($simd) = fearless_simd::Level::new().as_sse2() {
            type $wide = fearless_simd::f32x4<fearless_simd::Sse2>;
            fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $work,
            );
        }
        #[cfg(target_arch = "aarch64")]
        if let Some($simd) = fearless_simd::Level::new().as_neon() {
            type $wide = fearless_simd::f32x4<fearless_simd::Neon>;
            fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $work,
            );
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if let Some($simd) = fearless_simd::Level::new().as_wasm_simd128() {
            type $wide = fearless_simd::f32x4<fearless_simd::WasmSimd128>;
            fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $work,
            );
        }
        #[cfg(not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            all(target_arch = "wasm32", target_feature = "simd128")
        )))]
        {
            type $wide = f32;
            let $simd = ();
            $work;
        }
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

    /// Rows go in and come out in their lanes, and every column is what it says.
    fn goes_around<R: Lanes>(proof: R::Proof) {
        let rows: Vec<Vec4> =
            (0..R::WIDTH).map(|i| Vec4::new(0.5, 100.0, 200.0, 300.0) + i as f32).collect();
        let mut back = vec![Vec4::ZERO; R::WIDTH];
        let columns = R::gather(proof, |lane| rows[lane]);
        for (k, column) in columns.into_iter().enumerate() {
            let want: Vec<f32> = rows.iter().map(|row| row[k]).collect();
            assert_eq!(column.values()[..R::WIDTH], want, "column {k} of {}", R::WIDTH);
        }
        R::scatter(columns, |lane, row| back[lane] = row);
        assert_eq!(rows, back, "{} lanes", R::WIDTH);
    }

    #[test]
    fn a_gather_is_undone_by_a_scatter_at_every_width() {
        goes_around::<f32>(());
        at_best_level!(Wide, simd => goes_around::<Wide>(simd));
        let level = fearless_simd::Level::new();
        fearless_simd::dispatch!(level, simd => goes_around::<f32x4<_>>(simd));
    }

    /// All that a kernel may do to numbers, as one number.
    fn everything<R: Lanes>(proof: R::Proof, column: &[f32]) -> R {
        let x = R::load(proof, column);
        let [y, z] = [3.7, -0.3].map(|value| R::splat(proof, value));
        let angle = (x - y).atan2(x * z + y);
        let root = (x * x + y).sqrt();
        angle + root.div_or_zero(x) - x.where_less(y, z / root, -x).at_least(z).at_most(y).abs()
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        let column: Vec<f32> = (0..64).map(|i| libm::sinf(i as f32) * 9.0).collect();
        let one = |i: usize| everything::<f32>((), &column[i..]).to_bits();
        let want: Vec<u32> = (0..column.len()).map(one).collect();
        fn all<R: Lanes>(proof: R::Proof, column: &[f32]) -> Vec<u32> {
            let groups = column.chunks_exact(R::WIDTH);
            let values = groups.map(|group| everything::<R>(proof, group).values());
            values.flat_map(|lanes| lanes.into_iter().take(R::WIDTH).map(f32::to_bits)).collect()
        }
        at_best_level!(Wide, simd => assert_eq!(all::<Wide>(simd, &column), want));
        let level = fearless_simd::Level::new();
        fearless_simd::dispatch!(level, simd => assert_eq!(all::<f32x4<_>>(simd, &column), want));
    }

    #[test]
    fn every_width_compares_alike() {
        let ends = [0.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, 3.0, f32::MAX];
        let numbers = [0, 1, 2, i32::MAX as u32, 1 << 31, u32::MAX - 1, u32::MAX, 7];
        fn all<R: Lanes>(proof: R::Proof, ends: &[f32; 8], numbers: &[u32; 8]) -> Vec<u32> {
            let mut bits = Vec::new();
            for k in 0..8 {
                let (mut order, mut above, mut same) = (0, 0, 0);
                for first in (0..8).step_by(R::WIDTH) {
                    let (one, column) = (R::splat(proof, ends[k]), R::load(proof, &ends[first..]));
                    order |= R::in_order([[one, column], [column, column]]) << first;
                    above |= R::above(proof, &numbers[first..], numbers[k]) << first;
                    same |= R::same(proof, &numbers[first..], numbers[k]) << first;
                }
                bits.extend([order, above, same]);
            }
            bits
        }
        let want = all::<f32>((), &ends, &numbers);
        assert_eq!(want[..3], [0b1110_0101, 0b1111_1110, 1], "what is at least 0, above 0, 0");
        at_best_level!(Wide, simd => assert_eq!(all::<Wide>(simd, &ends, &numbers), want));
        let level = fearless_simd::Level::new();
        fearless_simd::dispatch!(level, simd => {
            assert_eq!(all::<f32x4<_>>(simd, &ends, &numbers), want);
        });
    }

    #[test]
    fn dividing_by_nothing_is_nothing() {
        assert_eq!(1.0f32.div_or_zero(0.0), 0.0);
        assert_eq!(1.0f32.div_or_zero(-1.0), 0.0);
        assert_eq!(1.0f32.div_or_zero(f32::NAN), 0.0);
        assert_eq!(1.0f32.div_or_zero(4.0), 0.25);
    }
}
