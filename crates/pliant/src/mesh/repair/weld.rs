//! Vertices in one place become one.

use std::collections::BTreeMap;

use glam::Vec3;

/// Cells are this many times wider than the distance, so that most vertices have no neighbours in
/// other cells: 4 asks for 3.4 of them on average, 1 for 27.
const CELL: f64 = 4.0;

/// Ends a chain.
const NONE: u32 = u32::MAX;

/// The distinct positions in order of appearance, and which of them each given one became.
///
/// A vertex joins the first one before it that is within `distance` (m) and has joined no other,
/// so that a row of close vertices does not collapse into one.
pub(super) fn weld(positions: &[Vec3], distance: f32) -> (Vec<Vec3>, Vec<u32>) {
    let (distinct, exact) = weld_equal(positions);
    if distance <= 0.0 {
        return (distinct, exact);
    }
    let (distinct, close) = weld_close(&distinct, distance);
    (distinct, exact.into_iter().map(|v| close[v as usize]).collect())
}

fn weld_equal(positions: &[Vec3]) -> (Vec<Vec3>, Vec<u32>) {
    // Adding 0 turns −0 into 0.
    let key = |k: u32| (positions[k as usize] + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&k| (key(k), k));
    let mut first = vec![0; positions.len()];
    for equal in order.chunk_by(|a, b| key(*a) == key(*b)) {
        equal.iter().for_each(|&k| first[k as usize] = equal[0]);
    }
    let (mut distinct, mut map) = (Vec::new(), Vec::new());
    for (k, x) in positions.iter().enumerate() {
        if first[k] as usize == k {
            distinct.push(*x);
            map.push(distinct.len() as u32 - 1);
        } else {
            map.push(map[first[k] as usize]);
        }
    }
    (distinct, map)
}

fn weld_close(positions: &[Vec3], distance: f32) -> (Vec<Vec3>, Vec<u32>) {
    let origin = positions.iter().copied().reduce(Vec3::min).unwrap_or_default().as_dvec3();
    let size = f64::from(distance) * CELL;
    let cell = |x: f64| (x / size).floor() as i64;
    // The last vertex of each cell, and the one before each.
    let mut last: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let (mut before, mut distinct, mut map) = (Vec::new(), Vec::<Vec3>::new(), Vec::new());
    for x in positions {
        let p = x.as_dvec3() - origin;
        let reach = f64::from(distance);
        let [low, high] = [(p - reach).to_array().map(cell), (p + reach).to_array().map(cell)];
        let mut found = NONE;
        for (i, j, k) in cells(low, high) {
            let mut at = last.get(&[i, j, k]).copied().unwrap_or(NONE);
            while at != NONE {
                if distinct[at as usize].distance_squared(*x) <= distance * distance {
                    found = found.min(at);
                }
                at = before[at as usize];
            }
        }
        if found == NONE {
            found = distinct.len() as u32;
            distinct.push(*x);
            before.push(last.insert(p.to_array().map(cell), found).unwrap_or(NONE));
        }
        map.push(found);
    }
    (distinct, map)
}

fn cells(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = (i64, i64, i64)> {
    let [x, y, z] = [0, 1, 2].map(|k| low[k]..=high[k]);
    x.flat_map(move |i| {
        y.clone().flat_map({
            let z = z.clone();
            move |j| z.clone().map(move |k| (i, j, k))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_vertices_join_the_first() {
        let at = |x: f32| Vec3::new(x, -x, 0.0);
        let given = [at(0.0), at(1.0), at(1e-4), at(-0.0), at(1.0), at(1.0 - 1e-4), at(0.5)];
        let (distinct, map) = weld(&given, 1e-3);
        assert_eq!((distinct.len(), map), (3, vec![0, 1, 0, 0, 1, 1, 2]));
        let (distinct, map) = weld(&given, 0.0);
        assert_eq!((distinct.len(), map), (5, vec![0, 1, 2, 0, 1, 3, 4]));
    }

    #[test]
    fn every_vertex_ends_within_the_distance() {
        let mut seed = 7u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / 16_777_216.0
        };
        let given: Vec<_> = (0..3000).map(|_| Vec3::new(random(), random(), random())).collect();
        let (distinct, map) = weld(&given, 0.05);
        for (x, v) in given.iter().zip(&map) {
            assert!(x.distance(distinct[*v as usize]) <= 0.05);
        }
        for (k, x) in distinct.iter().enumerate() {
            assert!(distinct[..k].iter().all(|y| x.distance(*y) > 0.05), "{k} should have joined");
        }
    }
}
