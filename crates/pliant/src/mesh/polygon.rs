//! Polygons as triangles.

use glam::{DVec2, DVec3, Vec3};

/// Most corners of a polygon whose ears are looked for; each look takes as long as there are
/// corners. A larger one is cut from its first corner, which is right if it is convex.
const MOST_CORNERS: usize = 256;
/// Most looks per corner. Real polygons need two or three; without a limit, a small file with
/// polygons made for it could keep a machine busy.
const MOST_LOOKS: usize = 8;

/// Adds the triangles of a polygon to `triangles`: two fewer than it has corners.
///
/// A polygon need not be flat or convex; it is seen along its mean normal (Newell's method) and
/// its ears are cut off one by one (Meisters 1975). One that crosses itself is cut somehow.
///
/// # Panics
/// If a corner is not a vertex.
pub fn triangulate(positions: &[Vec3], corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    match *corners {
        [] | [_] | [_, _] => {}
        [a, b, c] => triangles.push([a, b, c]),
        [first, ref rest @ ..] if corners.len() > MOST_CORNERS => {
            triangles.extend(rest.windows(2).map(|pair| [first, pair[0], pair[1]]));
        }
        _ => cut_ears(&flatten(positions, corners), corners, triangles),
    }
}

/// The same for an outline of our own: its ears are looked for, however many corners it has, and it
/// may pass a place twice, as one does that runs to a hole, around it, and back.
pub(crate) fn triangulate_outline(
    positions: &[Vec3],
    corners: &[u32],
    triangles: &mut Vec<[u32; 3]>,
) {
    if corners.len() >= 3 {
        cut_ears(&flatten(positions, corners), corners, triangles);
    }
}

/// The corners as seen against the mean normal, so that the polygon runs counter-clockwise.
fn flatten(positions: &[Vec3], corners: &[u32]) -> Vec<DVec2> {
    let points: Vec<DVec3> = corners.iter().map(|&c| positions[c as usize].as_dvec3()).collect();
    let next = points.iter().cycle().skip(1);
    let normal: DVec3 =
        points.iter().zip(next).map(|(a, b)| (*a - points[0]).cross(*b - points[0])).sum();
    let side = normal.normalize_or(DVec3::Z).any_orthonormal_vector();
    let up = normal.normalize_or(DVec3::Z).cross(side);
    points
        .iter()
        .map(|p| DVec2::new((*p - points[0]).dot(side), (*p - points[0]).dot(up)))
        .collect()
}

fn cut_ears(flat: &[DVec2], corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let mut left: Vec<usize> = (0..flat.len()).collect();
    let (mut at, mut looks) = (0, MOST_LOOKS * flat.len());
    while left.len() > 3 && looks > 0 {
        let round = left.len().min(looks);
        let tried = (0..round).find(|k| is_ear(flat, &left, (at + k) % left.len()));
        looks -= tried.map_or(looks, |k| k + 1);
        // A polygon that crosses itself may have no ear.
        let Some(tried) = tried else { break };
        at = (at + tried) % left.len();
        triangles.push(around(&left, at).map(|k| corners[k]));
        left.remove(at);
    }
    let rest = left[1..].windows(2).map(|pair| [left[0], pair[0], pair[1]]);
    triangles.extend(rest.map(|ear| ear.map(|k| corners[k])));
}

/// The corner at `k` between its neighbours.
fn around(left: &[usize], k: usize) -> [usize; 3] {
    [left[(k + left.len() - 1) % left.len()], left[k], left[(k + 1) % left.len()]]
}

/// Whether the triangle at `k` turns left and no other corner lies in it.
fn is_ear(flat: &[DVec2], left: &[usize], k: usize) -> bool {
    let ear = around(left, k);
    let [a, b, c] = ear.map(|k| flat[k]);
    let turn = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
    let inside = |p: DVec2| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
    turn(a, b, c) > 0.0
        && !left
            .iter()
            .any(|k| !ear.contains(k) && ![a, b, c].contains(&flat[*k]) && inside(flat[*k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(positions: &[Vec3], triangles: &[[u32; 3]]) -> f32 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| positions[k as usize]);
            (b - a).cross(c - a).dot(Vec3::Z) / 2.0
        };
        assert!(triangles.iter().all(|t| of(t) >= 0.0), "a triangle is upside down");
        triangles.iter().map(of).sum()
    }

    #[test]
    fn a_polygon_with_a_notch_keeps_its_area() {
        // A square of 4 m² with a notch of 1 m² that reaches to its middle; fans from a corner fail.
        let outline = [(0, 0), (2, 0), (2, 2), (1, 1), (0, 2)];
        let positions = outline.map(|(x, y)| Vec3::new(x as f32, y as f32, 0.0));
        for start in 0..5 {
            let corners: Vec<u32> = (0..5).map(|k| (k + start) % 5).collect();
            let mut triangles = Vec::new();
            triangulate(&positions, &corners, &mut triangles);
            assert_eq!(triangles.len(), 3);
            assert!((area(&positions, &triangles) - 3.0).abs() < 1e-6, "from corner {start}");
        }
    }

    #[test]
    fn every_polygon_gives_two_triangles_fewer_than_corners() {
        let ring = |n: usize| -> Vec<Vec3> {
            let angle = |k: usize| 6.283_185_5 * k as f32 / n as f32;
            (0..n).map(|k| Vec3::new(libm::cosf(angle(k)), libm::sinf(angle(k)), 0.0)).collect()
        };
        for n in (3..40).chain(250..260) {
            let (positions, corners) = (ring(n), (0..n as u32).collect::<Vec<_>>());
            let mut triangles = Vec::new();
            triangulate(&positions, &corners, &mut triangles);
            assert_eq!(triangles.len(), n - 2);
            let exact = n as f32 / 2.0 * libm::sinf(6.283_185_5 / n as f32);
            assert!((area(&positions, &triangles) - exact).abs() < 1e-4, "{n} corners");
        }
        // Crossing itself, a single point, a line: no shape, but an answer.
        for points in [[0, 3, 1, 2], [0, 0, 0, 0], [0, 1, 0, 1]] {
            let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
            let mut triangles = Vec::new();
            triangulate(&positions, &points, &mut triangles);
            assert_eq!(triangles.len(), 2);
        }
    }
}
