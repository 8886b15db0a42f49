//! Small matrices in double precision: eigenvectors, and the rotation nearest to a matrix.
//!
//! The WGSL twin of this file, in single precision, is `algebra.wgsl`.

use std::array::from_fn;

use glam::{DMat3, DQuat, DVec3};

/// Sweeps of Jacobi's method; for matrices of this size 5 to 8 reach the last bit.
const SWEEPS: usize = 12;

/// Eigenvalues of a symmetric matrix, and their eigenvectors as columns: `a = v diag(values) vᵀ`.
///
/// Jacobi's method in a fixed order of rotations: never fails, and gives the same bits everywhere.
/// Jacobi 1846.
pub(crate) fn eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut v = [[0.0; N]; N];
    (0..N).for_each(|i| v[i][i] = 1.0);
    for _ in 0..SWEEPS {
        let size: f64 = (0..N).map(|i| a[i][i].abs()).sum();
        let mut off = 0.0;
        for p in 0..N {
            for q in p + 1..N {
                off += a[p][q].abs();
                rotate(&mut a, &mut v, p, q);
            }
        }
        if off <= f64::EPSILON * 1e-3 * size {
            break;
        }
    }
    (from_fn(|i| a[i][i]), v)
}

/// Makes `a[p][q]` zero by a rotation in the plane of both axes.
fn rotate<const N: usize>(a: &mut [[f64; N]; N], v: &mut [[f64; N]; N], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = if tau >= 0.0 { 1.0 } else { -1.0 } / (tau.abs() + (1.0 + tau * tau).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    for k in 0..N {
        let (x, y) = (a[k][p], a[k][q]);
        (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..N {
        let (x, y) = (a[p][k], a[q][k]);
        (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
    }
    for row in v {
        let (x, y) = (row[p], row[q]);
        (row[p], row[q]) = (c * x - s * y, s * x + c * y);
    }
}

/// Directions whose eigenvalue is less than this share of the largest count as missing: of points
/// within a slab, those thinner than 3e-5 of its width, which single precision barely knows.
const MISSING: f64 = 1e-9;

/// The inverse of a symmetric matrix without negative eigenvalues, where it has one; 0 in the
/// directions in which it has none (Moore-Penrose).
pub(crate) fn pseudo_inverse<const N: usize>(a: [[f64; N]; N]) -> [[f64; N]; N] {
    let (values, v) = eigen(a);
    let least = values.iter().copied().fold(0.0, f64::max) * MISSING;
    let inverse = values.map(|value| if value > least { 1.0 / value } else { 0.0 });
    from_fn(|i| from_fn(|j| (0..N).map(|k| v[i][k] * inverse[k] * v[j][k]).sum()))
}

/// Weight of the rotation before, as a share of the size of the rest pose: decides only what the
/// points leave open.
const MEMORY: f64 = 1e-9;

/// The rotation R that maximises tr(Rᵀ a): the nearest to `a = Σ m p qᵀ`, for which Σ m |p − R q|² is
/// least.
///
/// It is the eigenvector of the largest eigenvalue of a symmetric matrix of four rows (Horn 1987): a
/// proper rotation even if `a` is a reflection, and the right one after a half turn, where methods
/// that turn step by step stand still. What `a` leaves open, because all points are on a line or in
/// one point, is as in `before`; `size` is Σ m |q|².
pub(crate) fn rotation(a: DMat3, size: f64, before: DQuat) -> DQuat {
    let a = a + matrix(before) * (MEMORY * size);
    let [x, y, z] = [a.x_axis, a.y_axis, a.z_axis]; // x.y is row y of column x: Σ m p_y q_x
    let n = [
        [x.x + y.y + z.z, y.z - z.y, z.x - x.z, x.y - y.x],
        [y.z - z.y, x.x - y.y - z.z, x.y + y.x, z.x + x.z],
        [z.x - x.z, x.y + y.x, y.y - x.x - z.z, y.z + z.y],
        [x.y - y.x, z.x + x.z, y.z + z.y, z.z - x.x - y.y],
    ];
    let (values, v) = eigen(n);
    let largest = (1..4).fold(0, |best, k| if values[k] > values[best] { k } else { best });
    let [w, i, j, k] = from_fn(|row| v[row][largest]);
    // A quaternion and its negative are one rotation; staying on a side keeps the state steady.
    let side =
        if before.w * w + before.x * i + before.y * j + before.z * k < 0.0 { -1.0 } else { 1.0 };
    let turned = DQuat::from_xyzw(i * side, j * side, k * side, w * side);
    if turned.is_finite() { turned } else { before }
}

/// The matrix of a quaternion of unit length.
pub(crate) fn matrix(q: DQuat) -> DMat3 {
    let DQuat { x, y, z, w } = q;
    DMat3::from_cols(
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
        DVec3::new(2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
        DVec3::new(2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)),
    )
}

/// The quaternion of unit length in a row, and the identity if there is none.
pub(crate) fn unit(row: glam::Vec4) -> DQuat {
    let [x, y, z, w] = row.to_array().map(f64::from);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if !(length > 1e-6 && length.is_finite()) {
        return DQuat::IDENTITY;
    }
    DQuat::from_xyzw(x / length, y / length, z / length, w / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_make_the_matrix_again() {
        let a: [[f64; 9]; 9] = from_fn(|i| from_fn(|j| 1.0 / (1.0 + (i + j) as f64)));
        let (values, v) = eigen(a);
        for (i, row) in a.iter().enumerate() {
            for (j, &entry) in row.iter().enumerate() {
                let made: f64 = (0..9).map(|k| v[i][k] * values[k] * v[j][k]).sum();
                assert!((made - entry).abs() < 1e-14, "{made} for {entry}");
                let unit: f64 = (0..9).map(|k| v[k][i] * v[k][j]).sum();
                assert!((unit - f64::from(u8::from(i == j))).abs() < 1e-14, "{i}, {j}: {unit}");
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_an_inverse_where_it_can() {
        let a = [[2.0, 0.0, 0.0], [0.0, 1e-12, 0.0], [0.0, 0.0, 4.0]];
        assert_eq!(pseudo_inverse(a), [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.25]]);
        assert_eq!(pseudo_inverse([[0.0; 3]; 3]), [[0.0; 3]; 3]);
    }

    /// Rotations about many axes, among them half turns.
    fn turns() -> impl Iterator<Item = DQuat> {
        (0..200).map(|i| {
            let axis = DVec3::new(libm::sin(f64::from(i)), libm::cos(1.7 * f64::from(i)), 0.3);
            let angle = if i % 4 == 0 { std::f64::consts::PI } else { 0.1 * f64::from(i) };
            let (s, c) = (libm::sin(angle / 2.0), libm::cos(angle / 2.0));
            let v = axis / axis.length() * s;
            DQuat::from_xyzw(v.x, v.y, v.z, c)
        })
    }

    #[test]
    fn every_rotation_is_found_from_any_start() {
        let stretch = DMat3::from_diagonal(DVec3::new(3.0, 2.0, 0.5));
        for turn in turns() {
            let found = rotation(matrix(turn) * stretch, 1.0, DQuat::IDENTITY);
            let off = (matrix(found) - matrix(turn)).to_cols_array().map(f64::abs);
            assert!(off.iter().all(|&off| off < 1e-8), "{turn}: {off:?}");
        }
    }

    #[test]
    fn the_nearest_rotation_is_proper_and_no_other_is_nearer() {
        let stretches = [[1.0, 1.0, 0.0], [2.0, 0.0, 0.0], [3.0, 2.0, -1.0], [-1.0, -1.0, -1.0]];
        for (k, turn) in turns().enumerate() {
            let a = matrix(turn) * DMat3::from_diagonal(DVec3::from_array(stretches[k % 4]));
            let fit = |q| {
                let columns = (matrix(q).transpose() * a).to_cols_array();
                columns[0] + columns[4] + columns[8]
            };
            let found = rotation(a, 1.0, turn);
            let best = turns().map(fit).fold(f64::MIN, f64::max);
            assert!(fit(found) >= best - 1e-7, "{} is below {best}", fit(found));
            assert!((matrix(found).determinant() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn what_points_leave_open_stays_as_it_was() {
        for turn in turns() {
            let same = |a| {
                let off = (matrix(rotation(a, 1.0, turn)) - matrix(turn)).to_cols_array();
                assert!(off.iter().all(|off| off.abs() < 1e-6), "{a}: {off:?}");
            };
            same(DMat3::ZERO); // all in one point
            same(matrix(turn) * DMat3::from_diagonal(DVec3::X)); // all on a line
        }
    }
}
