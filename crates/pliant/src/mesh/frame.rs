//! The axes of a material in a triangle or tetrahedron, in coordinates along its rest edges.
//!
//! With Eₖ = Xₖ − X₀ the edges of the rest shape, a direction a of the material has coordinates aₖ
//! with a = Σ aₖ Eₖ. After deformation the same coordinates give Fa = Σ aₖ (xₖ − x₀): the rows
//! returned here are those of the inverse of (E₁ E₂ E₃), and F needs no matrix product.

use glam::{DMat3, DVec3};

use crate::lanes::{Real, V3};

/// Thinner than this share of its longest edge, a shape counts as having no area or volume.
const LEAST: f64 = 1e-6;

/// Shorter than this (m), an edge counts as having no length: inverses would soon overflow.
const SHORTEST: f64 = 1e-9;

/// Fa: what the direction with coordinates `a` has become.
#[inline(always)]
pub(crate) fn image<R: Real, const E: usize>(edges: [V3<R>; E], a: [R; E]) -> V3<R> {
    let mut sum = edges[0] * a[0];
    for k in 1..E {
        sum = sum + edges[k] * a[k];
    }
    sum
}

/// The axes of a triangle: along its first edge, and across it in its plane. 0 if it has no area.
pub(crate) fn of_triangle([x0, x1, x2]: [V3<f64>; 3]) -> [[f64; 2]; 2] {
    in_triangle([x0, x1, x2], x1 - x0)
}

/// The axes of a triangle: the direction in its plane that is nearest to `along`, and across it.
/// 0 if it has no area or `along` is its normal.
pub fn in_triangle([x0, x1, x2]: [V3<f64>; 3], along: V3<f64>) -> [[f64; 2]; 2] {
    let (e1, e2) = (dvec(x1 - x0), dvec(x2 - x0));
    let normal = e1.cross(e2);
    let longest = e1.length().max(e2.length()).max((e2 - e1).length());
    if longest < SHORTEST || normal.length() < LEAST * longest * longest {
        return [[0.0; 2]; 2];
    }
    let n = normal.normalize();
    let along = dvec(along);
    let a = (along - n * along.dot(n)).normalize_or_zero();
    let b = n.cross(a);
    // a = Σ aₖ Eₖ, read off with the dual edges.
    let (d1, d2) = (e2.cross(n) / normal.length(), n.cross(e1) / normal.length());
    [[a.dot(d1), a.dot(d2)], [b.dot(d1), b.dot(d2)]]
}

/// The axes x, y and z of a tetrahedron. 0 if it has no volume.
pub(crate) fn of_tet([x0, x1, x2, x3]: [V3<f64>; 4]) -> [[f64; 3]; 3] {
    let edges = DMat3::from_cols(dvec(x1 - x0), dvec(x2 - x0), dvec(x3 - x0));
    let columns = [edges.x_axis, edges.y_axis, edges.z_axis];
    let longest = columns.iter().map(|e| e.length()).fold(0.0, f64::max);
    if longest < SHORTEST || edges.determinant().abs() < LEAST * longest * longest * longest {
        return [[0.0; 3]; 3];
    }
    let inverse = edges.inverse();
    // Column d of the inverse has the coordinates of axis d along the edges.
    [inverse.x_axis.to_array(), inverse.y_axis.to_array(), inverse.z_axis.to_array()]
}

/// Three rows as one list.
pub(crate) fn flat(rows: [[f64; 3]; 3]) -> [f64; 9] {
    let [[a, b, c], [d, e, f], [g, h, i]] = rows;
    [a, b, c, d, e, f, g, h, i]
}

/// The list as three rows.
#[inline(always)]
pub(crate) fn rows<R: Copy>([a, b, c, d, e, f, g, h, i]: [R; 9]) -> [[R; 3]; 3] {
    [[a, b, c], [d, e, f], [g, h, i]]
}

fn dvec(v: V3<f64>) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}
