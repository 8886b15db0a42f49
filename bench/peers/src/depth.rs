//! How well bodies hold and keep apart, measured in the same way for all engines.

use pliant::glam::{DMat3, Vec3};

use crate::rapier::Elements;

/// The root mean square of the strain of all links. `at_rest` and `now` are positions body by body (m).
pub(crate) fn strain(elements: &[Elements], at_rest: &[Vec<Vec3>], now: &[Vec<Vec3>]) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for ((elements, at_rest), now) in elements.iter().zip(at_rest).zip(now) {
        for &[a, b] in &elements.links {
            let length = |x: &[Vec3]| f64::from(x[a as usize].distance(x[b as usize]));
            sum += (length(now) / length(at_rest) - 1.0).powi(2);
            count += 1;
        }
    }
    (sum / count.max(1) as f64).sqrt()
}

/// How deep a particle is in a tetrahedron of another body at most (m), as its distance from that
/// body's surface.
pub(crate) fn deepest(elements: &[Elements], now: &[Vec<Vec3>]) -> f32 {
    let mut deepest = 0.0f32;
    for (body, (elements, x)) in elements.iter().zip(now).enumerate() {
        let low = x.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let high = x.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let others = now.iter().enumerate().filter(|(other, _)| *other != body);
        for &point in others.flat_map(|(_, others)| others) {
            let inside = point.cmpge(low).all() && point.cmple(high).all();
            if inside
                && elements.tets.iter().any(|tet| is_inside(tet.map(|i| x[i as usize]), point))
            {
                let faces = elements.surface.iter().map(|face| face.map(|i| x[i as usize]));
                let depth = faces.map(|face| distance(face, point)).fold(f32::INFINITY, f32::min);
                deepest = deepest.max(depth);
            }
        }
    }
    deepest
}

fn is_inside(tet: [Vec3; 4], point: Vec3) -> bool {
    let [a, b, c, d] = tet.map(|x| x.as_dvec3());
    let sides = DMat3::from_cols(b - a, c - a, d - a);
    if sides.determinant() == 0.0 {
        return false;
    }
    let weights = sides.inverse() * (point.as_dvec3() - a);
    weights.min_element() >= 0.0 && weights.element_sum() <= 1.0
}

/// The distance of a point from a triangle (m); Ericson 2005, 5.1.5.
fn distance([a, b, c]: [Vec3; 3], p: Vec3) -> f32 {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac).normalize_or_zero();
    let flat = p - normal * (p - a).dot(normal);
    let corners = [a, b, c];
    let is_within = (0..3).all(|k| {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        normal.dot((to - from).cross(flat - from)) >= 0.0
    });
    if is_within && normal != Vec3::ZERO {
        return (p - a).dot(normal).abs();
    }
    let to_side = |k: usize| {
        let (from, along) = (corners[k], corners[(k + 1) % 3] - corners[k]);
        let t =
            ((p - from).dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        (from + along * t).distance(p)
    };
    (0..3).map(to_side).fold(f32::INFINITY, f32::min)
}
