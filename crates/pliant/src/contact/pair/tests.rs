//! Nearest points against brute force.

use glam::{DVec3, Vec3};

use super::edge_edge::EdgeEdge;
use super::particle_edge::ParticleEdge;
use super::vertex_face::VertexFace;
use super::*;
use crate::testing::Random;

/// The least |Σ b x| over points of the second party, and of the first, on a fine raster.
fn sampled<const N: usize>(x: [DVec3; N], first: usize) -> f64 {
    const STEPS: i32 = 60;
    let points = |corners: &[DVec3]| -> Vec<DVec3> {
        let at = |i: i32| f64::from(i) / f64::from(STEPS);
        match *corners {
            [a] => vec![a],
            [a, b] => (0..=STEPS).map(|i| a.lerp(b, at(i))).collect(),
            [a, b, c] => (0..=STEPS)
                .flat_map(|i| (0..=STEPS - i).map(move |j| (i, j)))
                .map(|(i, j)| a + (b - a) * at(i) + (c - a) * at(j))
                .collect(),
            _ => unreachable!("a party has up to three corners"),
        }
    };
    let (one, two) = (points(&x[..first]), points(&x[first..]));
    let pairs = one.iter().flat_map(|a| two.iter().map(move |b| a.distance(*b)));
    pairs.fold(f64::MAX, f64::min)
}

fn expect_nearest<P: Pair<N>, const N: usize>(name: &str) {
    let mut random = Random::new(3);
    for case in 0..300 {
        let x: [Vec3; N] = std::array::from_fn(|_| random.vector(1.0));
        let near = P::near_at(x);
        let d = f64::from(near.d.length());
        let want = sampled(x.map(|x| x.as_dvec3()), P::FIRST);
        assert!(d < want + 1e-5 && d > want - 0.05, "{name} {case}: {d} m, sampled {want} m");
        let (first, second) = near.b.split_at(P::FIRST);
        let total = |b: &[f32]| b.iter().sum::<f32>();
        assert!(
            (total(first) - 1.0).abs() < 1e-5 && (total(second) + 1.0).abs() < 1e-5,
            "{near:?}"
        );
        assert!(first.iter().all(|b| *b >= -1e-6) && second.iter().all(|b| *b <= 1e-6), "{near:?}");
    }
}

#[test]
fn no_sampled_points_are_nearer() {
    expect_nearest::<VertexFace, 4>("vertex and face");
    expect_nearest::<EdgeEdge, 4>("two edges");
    expect_nearest::<ParticleEdge, 3>("particle and edge");
}

#[test]
fn the_side_is_that_of_the_normal_and_swaps_with_the_parties() {
    let face = [Vec3::ZERO, Vec3::X, Vec3::Z]; // its normal is −y
    for (height, side) in [(1.0, -1.0), (-1.0, 1.0)] {
        let near = VertexFace::near_at([Vec3::new(0.2, height, 0.2), face[0], face[1], face[2]]);
        assert_eq!((near.turned * side > 0.0, near.inside), (true, 1.0));
    }
    let cross = |y: f32| {
        EdgeEdge::near_at([Vec3::NEG_X, Vec3::X, Vec3::new(0.0, y, -1.0), Vec3::new(0.0, y, 1.0)])
    };
    assert!(cross(1.0).turned * cross(-1.0).turned < 0.0 && cross(1.0).inside == 1.0);
    let parallel =
        EdgeEdge::near_at([Vec3::NEG_X, Vec3::X, Vec3::NEG_X + Vec3::Y, Vec3::X + Vec3::Y]);
    assert_eq!((parallel.turned, parallel.inside), (0.0, 0.0));
    assert!((parallel.d.length() - 1.0).abs() < 1e-6);
}

#[test]
fn degenerate_parties_still_have_a_distance() {
    let point = Vec3::new(0.0, 2.0, 0.0);
    let line = VertexFace::near_at([point, Vec3::ZERO, Vec3::X, Vec3::X * 2.0]);
    assert!((line.d.length() - 2.0).abs() < 1e-6, "a face without area: {line:?}");
    let dot = EdgeEdge::near_at([point, point, Vec3::ZERO, Vec3::ZERO]);
    assert!((dot.d.length() - 2.0).abs() < 1e-6, "edges without length: {dot:?}");
}
