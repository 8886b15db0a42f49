//! What every shape is held to.

use glam::{Quat, Vec3};

use super::motion::{Blend, Drag, End, Key, Track, turn_by};
use super::*;
use crate::mesh::solids;

/// One collider of every shape, about as large as a metre, turned and moved.
fn every_shape() -> Vec<Collider> {
    let centre = Vec3::new(0.3, -0.2, 0.1);
    let ring = solids::torus::SOLID;
    let shapes = vec![
        Collider::plane(centre, Vec3::new(0.2, 1.0, -0.3)).unwrap(),
        Collider::sphere(centre, 0.4).unwrap(),
        Collider::cuboid(centre, Vec3::new(0.4, 0.6, 0.9)).unwrap(),
        Collider::rounded_cuboid(centre, Vec3::new(0.4, 0.6, 0.9), 0.1).unwrap(),
        Collider::capsule([centre, centre + Vec3::new(0.3, 0.5, 0.2)], 0.2).unwrap(),
        Collider::cylinder([centre, centre + Vec3::new(0.3, 0.5, 0.2)], 0.2).unwrap(),
        Collider::mesh((ring.make)(12).unwrap()).unwrap(),
        Collider::sampled((ring.make)(12).unwrap(), 0.05).unwrap(),
    ];
    let turn = turn_by(Vec3::new(0.4, -0.7, 0.2));
    let shapes: Vec<_> = shapes.into_iter().map(|shape| shape.turned(turn)).collect();
    for shape in ALL {
        assert!(
            shapes.iter().any(|of| of.shape.name == shape.name),
            "{} is not tested",
            shape.name
        );
    }
    shapes
}

/// Points in a box of 2.4 m, in no pattern that a shape has.
fn points(count: u32) -> impl Iterator<Item = Vec3> {
    (0..count).map(|k| {
        let at = |prime: u32| ((k * prime) % 1999) as f32 / 1999.0 * 2.4 - 1.2003;
        Vec3::new(at(7), at(101), at(997))
    })
}

#[test]
fn the_normal_is_the_slope_of_the_distance() {
    for of in every_shape() {
        // Where the way to the surface changes its direction there is no slope; skip a few there.
        let (mut off, mut all) = (0, 0);
        for x in points(500) {
            let (distance, normal) = of.signed_distance(x);
            let e = 1e-3;
            let along = |axis: Vec3| {
                (of.signed_distance(x + axis * e).0 - of.signed_distance(x - axis * e).0)
                    / (2.0 * e)
            };
            let slope = Vec3::new(along(Vec3::X), along(Vec3::Y), along(Vec3::Z));
            all += 1;
            off += u32::from(slope.distance(normal * slope.length()) > 0.05);
            assert!((normal.length() - 1.0).abs() < 1e-4, "{}: {normal} at {x}", of.shape.name);
            assert!(slope.length() < of.shape.slope + 0.01, "{}: {slope} at {x}", of.shape.name);
            assert!(distance.is_finite());
        }
        assert!(off * 20 < all, "{}: the normal is not the slope at {off} of {all}", of.shape.name);
    }
}

#[test]
fn going_back_by_the_distance_leads_to_the_surface() {
    for of in every_shape() {
        // A grid knows its surface to a fraction of a cell.
        let near = if of.shape.name == "sdf" { 0.02 } else { 1e-4 };
        for x in points(500) {
            let (distance, normal) = of.signed_distance(x);
            if of.shape.name == "sdf" && distance.abs() > 0.1 {
                continue; // beyond the grid only bounds are known, and inside it has a ridge
            }
            let there = of.signed_distance(x - normal * distance).0;
            assert!(there.abs() < near, "{}: {there} m from {x}, {distance}", of.shape.name);
        }
    }
}

#[test]
fn bounds_and_thickness_hold() {
    for of in every_shape() {
        if let Some(bounds) = of.bounds() {
            for x in points(2000).filter(|&x| of.signed_distance(x).0 < 0.0) {
                assert_eq!(bounds.distance_squared(x), 0.0, "{} at {x}", of.shape.name);
            }
        }
        // No way through is shorter than the thickness says: nothing is deeper than half of a way.
        let deepest = points(2000).map(|x| -of.signed_distance(x).0).fold(0.0, f32::max);
        let thickness = (of.shape.thickness)(&of);
        assert!(2.0 * deepest < thickness + 1e-3 || thickness <= 0.0, "{}", of.shape.name);
    }
}

#[test]
fn the_distance_of_a_box_is_exact() {
    let of = Collider::cuboid(Vec3::ZERO, Vec3::new(2.0, 4.0, 6.0)).unwrap();
    for (x, distance, normal) in [
        (Vec3::new(0.0, 3.0, 0.0), 1.0, Vec3::Y),
        (Vec3::new(0.0, 1.5, 0.0), -0.5, Vec3::Y),
        (Vec3::new(4.0, 6.0, 0.0), 5.0, Vec3::new(0.6, 0.8, 0.0)),
        (Vec3::new(-0.75, 0.0, 0.0), -0.25, Vec3::NEG_X),
        (Vec3::new(2.0, 4.0, 5.0), 3.0, Vec3::new(1.0, 2.0, 2.0) / 3.0),
    ] {
        let found = of.signed_distance(x);
        assert!((found.0 - distance).abs() < 1e-6 && found.1.distance(normal) < 1e-6, "{found:?}");
    }
    let round = Collider::rounded_cuboid(Vec3::ZERO, Vec3::splat(2.0), 0.5).unwrap();
    let corner = round.signed_distance(Vec3::ONE).0;
    assert!((corner - 0.5 * (3f32.sqrt() - 1.0)).abs() < 1e-6, "{corner}");
}

#[test]
fn numbers_that_make_no_shape_are_refused() {
    let (o, x) = (Vec3::ZERO, Vec3::X);
    let nan = Vec3::splat(f32::NAN);
    assert!(Collider::sphere(o, 0.0).is_err() && Collider::sphere(nan, 1.0).is_err());
    assert!(Collider::plane(nan, Vec3::Y).is_err() && Collider::plane(o, o).is_err());
    assert!(Collider::cuboid(o, Vec3::new(1.0, 0.0, 1.0)).is_err());
    assert!(Collider::rounded_cuboid(o, Vec3::ONE, 0.6).is_err());
    assert!(Collider::rounded_cuboid(o, Vec3::ONE, f32::NAN).is_err());
    assert!(Collider::capsule([o, o], 0.1).is_err() && Collider::capsule([o, x], -0.1).is_err());
    assert!(Collider::cylinder([o, nan], 0.1).is_err());
    assert!(Collider::mesh(TriMesh::default()).is_err());
    let grid = |values: Vec<f32>| {
        let counts = glam::UVec3::splat(2);
        Collider::grid(crate::mesh::grid::Grid { origin: o, cell: 0.1, counts, values })
    };
    assert!(grid(vec![0.0; 8]).is_ok() && grid(vec![0.0; 7]).is_err());
    let error = grid((0..8).map(|k| k as f32).collect()).unwrap_err().to_string();
    assert!(error.contains("unit of the cells"), "{error}");
}

/// A triangle in the xz plane, alone: an open mesh.
fn sheet() -> Collider {
    let positions = vec![Vec3::ZERO, Vec3::Z, Vec3::X];
    Collider::mesh(TriMesh { positions, triangles: vec![[0, 1, 2]] }).unwrap()
}

/// The four checks of a ball against a triangle: its plane, its inside, its edges, its vertices.
#[test]
fn a_triangle_is_met_at_its_plane_inside_edges_and_vertices() {
    let of = sheet();
    let half = 0.5f32.sqrt();
    for (x, distance, normal) in [
        (Vec3::new(0.2, 0.1, 0.2), 0.1, Vec3::Y),
        (Vec3::new(0.2, -0.1, 0.2), 0.1, Vec3::NEG_Y),
        (Vec3::new(0.4, 0.0, -0.3), 0.3, Vec3::NEG_Z),
        (Vec3::new(1.0, 0.0, 1.0), half, Vec3::new(half, 0.0, half)),
        (Vec3::new(-0.3, 0.0, -0.4), 0.5, Vec3::new(-0.6, 0.0, -0.8)),
        (Vec3::new(1.0, 2.0, 0.0), 2.0, Vec3::Y),
    ] {
        let found = of.signed_distance(x);
        assert!((found.0 - distance).abs() < 1e-6 && found.1.distance(normal) < 1e-6, "{found:?}");
    }
}

#[test]
fn ways_through_a_mesh_are_found_also_through_edges_and_vertices() {
    // A square of two triangles, and another behind it.
    let corner = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    let square =
        |y| [corner(0.0, y, 0.0), corner(0.0, y, 1.0), corner(1.0, y, 1.0), corner(1.0, y, 0.0)];
    let positions = [square(0.0), square(-0.5)].concat();
    let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let of = Collider::mesh(TriMesh { positions, triangles }).unwrap();
    let cross = |from, to| (of.shape.crossing)(&of, Way { from, to, level: 0.0 });
    for k in 0..=1000 {
        let s = k as f32 / 1000.0;
        // Along the diagonal, which both triangles share, and along the border.
        for x in [corner(s, 0.0, s), corner(s, 0.0, 0.0), corner(0.0, 0.0, s), corner(s, 0.0, 0.37)]
        {
            let down = cross(x + Vec3::Y, x - Vec3::Y).expect("from above");
            assert!(down.normal.distance(Vec3::Y) < 1e-6 && down.point.y.abs() < 1e-6, "{down:?}");
            let up = cross(x - Vec3::Y, x + Vec3::Y).expect("from below");
            assert!(up.normal.distance(Vec3::NEG_Y) < 1e-6 && (up.point.y + 0.5).abs() < 1e-6);
        }
    }
    assert!(cross(corner(1.5, 1.0, 0.5), corner(1.5, -1.0, 0.5)).is_none());
    assert!(cross(corner(0.5, 1.0, 0.5), corner(0.5, 0.1, 0.5)).is_none());
}

#[test]
fn a_solid_that_is_inside_out_is_turned() {
    let mut surface = solids::cuboid::cuboid(Vec3::ONE, 2);
    surface.triangles.iter_mut().for_each(|corners| corners.swap(0, 1));
    let of = Collider::mesh(surface).unwrap();
    let (distance, normal) = of.signed_distance(Vec3::new(0.0, 0.4, 0.0));
    assert!(
        (distance + 0.1).abs() < 1e-6 && normal.distance(Vec3::Y) < 1e-6,
        "{distance} {normal}"
    );
    let way = Way { from: Vec3::Y, to: Vec3::ZERO, level: 0.0 };
    assert!((of.shape.crossing)(&of, way).is_some_and(|crossing| crossing.normal.y > 0.99));
}

fn key(time: f32, x: f32, angle: f32) -> Key {
    Key { time, position: Vec3::X * x, rotation: turn_by(Vec3::Y * angle) }
}

/// Where a collider with that motion is after each hundredth of a second.
fn travel(motion: Motion, seconds: f32) -> Vec<Collider> {
    let mut of = Collider::sphere(Vec3::ZERO, 0.1).unwrap().moved(motion);
    let frames = (seconds * 100.0).round() as usize;
    (0..frames)
        .map(|_| {
            of.advance(0.01);
            of.clone()
        })
        .collect()
}

#[test]
fn keyframes_are_met_and_the_velocity_is_that_of_the_way() {
    let keys = [key(0.0, 0.0, 0.0), key(1.0, 2.0, 1.0), key(2.0, 2.0, -2.0), key(3.0, 0.0, 0.0)];
    for blend in [Blend::Linear, Blend::Smooth] {
        let way = travel(Motion::Track(Track::new(&keys, blend, End::Stop).unwrap()), 4.0);
        for at in &keys[1..] {
            let of = &way[(at.time * 100.0).round() as usize - 1];
            assert!(of.position.distance(at.position) < 1e-3, "{blend:?} {at:?}: {}", of.position);
            let off = motion::spin(of.rotation, at.rotation).length();
            assert!(off < 1e-3, "{blend:?} {at:?}: turned {off} rad too far");
        }
        for pair in way.windows(2) {
            let gone = (pair[1].position - pair[0].position) / 0.01;
            assert!(gone.distance(pair[1].velocity) < 1e-3, "{blend:?}");
        }
        assert_eq!(way[399].velocity, Vec3::ZERO, "it stops at the last key");
        let jump = way.windows(2).map(|pair| pair[0].velocity.distance(pair[1].velocity));
        let (most, smooth) = (jump.fold(0.0, f32::max), blend == Blend::Smooth);
        assert_eq!(most < 0.2, smooth, "{blend:?}: the velocity jumps by {most} m/s");
    }
    // Linear: 2 m in a second, and a turn at constant speed.
    let way = travel(Motion::Track(Track::new(&keys, Blend::Linear, End::Stop).unwrap()), 1.0);
    assert!((way[49].velocity.x - 2.0).abs() < 1e-3, "{}", way[49].velocity);
    assert!((way[49].angular_velocity.y - 1.0).abs() < 1e-3, "{}", way[49].angular_velocity);
}

#[test]
fn a_track_that_repeats_comes_back() {
    let keys = [key(0.0, 0.0, 0.0), key(1.0, 1.0, 2.0), key(2.0, 0.0, 0.0)];
    for blend in [Blend::Linear, Blend::Smooth] {
        let way = travel(Motion::Track(Track::new(&keys, blend, End::Repeat).unwrap()), 6.0);
        let off = way[150].position.distance(way[350].position);
        assert!(off < 1e-3 && way[499].position.x > 0.99, "{off}, {}", way[499].position);
    }
}

#[test]
fn tracks_that_are_none_are_refused() {
    let track = |keys: &[Key]| Track::new(keys, Blend::Linear, End::Stop);
    assert!(track(&[]).is_err());
    assert!(track(&[key(1.0, 0.0, 0.0), key(1.0, 1.0, 0.0)]).is_err());
    assert!(track(&[key(f32::NAN, 0.0, 0.0)]).is_err());
    assert!(
        track(&[Key { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..key(0.0, 0.0, 0.0) }])
            .is_err()
    );
    let error = track(&[key(1.0, 0.0, 0.0), key(0.5, 1.0, 0.0)]).unwrap_err().to_string();
    assert!(error.contains("later than"), "{error}");
}

#[test]
fn what_is_dragged_comes_to_its_target_no_faster_than_it_may() {
    let drag = Drag { rotation: turn_by(Vec3::Y), ..Drag::to(Vec3::X, 2.0).unwrap() };
    let way = travel(Motion::Drag(drag), 1.0);
    let fastest = way.iter().map(|of| of.velocity.length()).fold(0.0, f32::max);
    assert!((fastest - 2.0).abs() < 1e-5, "{fastest} m/s");
    assert!(way[99].position.distance(Vec3::X) < 1e-3, "{}", way[99].position);
    assert!(motion::spin(way[99].rotation, turn_by(Vec3::Y)).length() < 1e-3);
    assert!(Drag::to(Vec3::X, 0.0).is_err());
}

#[test]
fn the_point_of_a_wheel_moves_with_omega_cross_r() {
    let mut wheel = Collider::sphere(Vec3::ZERO, 1.0).unwrap();
    (wheel.velocity, wheel.angular_velocity) = (Vec3::X, Vec3::Z * -1.0);
    let below = wheel.velocity_at(Vec3::NEG_Y);
    assert!(below.length() < 1e-6, "a wheel that rolls stands where it touches, not {below} m/s");
    assert!((wheel.velocity_at(Vec3::Y) - Vec3::X * 2.0).length() < 1e-6);
}
