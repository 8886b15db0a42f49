//! Surfaces that are wrong in one way each.

use super::super::TetMesh;
use super::*;
use glam::Vec3;

/// A cube of 1 m from its lowest corner on: 8 vertices, 12 triangles, outside outwards.
fn cube(low: Vec3) -> TriMesh {
    let corner = |k: u32| low + Vec3::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2) as f32);
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh { positions: (0..8).map(corner).collect(), triangles }
}

fn both(one: &TriMesh, other: &TriMesh) -> TriMesh {
    let first = one.positions.len() as u32;
    let mut mesh = one.clone();
    mesh.positions.extend(&other.positions);
    mesh.triangles.extend(other.triangles.iter().map(|t| t.map(|corner| corner + first)));
    mesh
}

fn scaled(mesh: &TriMesh, factor: f32, shift: Vec3) -> TriMesh {
    let positions = mesh.positions.iter().map(|x| *x * factor + shift).collect();
    TriMesh { positions, ..mesh.clone() }
}

fn turned(mesh: &TriMesh) -> TriMesh {
    let triangles = mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    TriMesh { triangles, ..mesh.clone() }
}

fn fixed(mesh: &TriMesh) -> Repaired {
    repair(mesh, &Repair::default()).unwrap()
}

/// Edges by how often triangles run along them, less how often against: all 0 if closed.
fn imbalance(mesh: &TriMesh) -> usize {
    let mut sides: Vec<_> = mesh
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| if a < b { ([a, b], 1) } else { ([b, a], -1) })
        .collect();
    sides.sort_unstable();
    let sum = |around: &[([u32; 2], i32)]| around.iter().map(|side| side.1).sum::<i32>();
    sides.chunk_by(|a, b| a.0 == b.0).filter(|around| sum(around) != 0).count()
}

#[test]
fn what_is_in_order_stays_as_it_is() {
    let cube = cube(Vec3::ZERO);
    let Repaired { mesh, vertex_map, report } = fixed(&cube);
    assert_eq!(mesh, cube);
    assert_eq!(vertex_map, (0..8).map(Some).collect::<Vec<_>>());
    assert!(report.is_clean() && report.is_closed(), "{report:?}");
    assert!((report.volume - 1.0).abs() < 1e-12 && (report.area - 6.0).abs() < 1e-12);
    assert_eq!(report.bounds, [Vec3::ZERO, Vec3::ONE]);
    assert_eq!((report.edges[0], report.scale()), (1.0, None));
}

#[test]
fn loose_triangles_are_welded_and_useless_ones_dropped() {
    let cube = cube(Vec3::ZERO);
    let mut positions: Vec<Vec3> =
        cube.triangles.iter().flatten().map(|&k| cube.positions[k as usize]).collect();
    // A vertex that nobody uses, and one that differs by rounding.
    positions.push(Vec3::splat(0.5));
    positions[4] += Vec3::splat(1e-7);
    let mut triangles: Vec<[u32; 3]> = (0..12).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    triangles.extend([[0, 1, 1], [2, 0, 1], [0, 2, 1], [0, 1, 0]]);
    let Repaired { mesh, vertex_map, report } = fixed(&TriMesh { positions, triangles });
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (8, 12));
    assert_eq!([report.welded, report.unused, report.degenerate, report.duplicate], [28, 1, 2, 2]);
    assert!(report.is_closed() && !report.is_clean());
    assert_eq!(vertex_map[36], None);
    let place = |k: usize| mesh.positions[vertex_map[k].unwrap() as usize];
    assert_eq!(place(0), cube.positions[0]);
}

#[test]
fn every_way_to_turn_triangles_is_undone() {
    let cube = cube(Vec3::splat(3.0));
    for pattern in 0..4096u32 {
        let flip = |(k, &[a, b, c]): (usize, &[u32; 3])| {
            if pattern >> k & 1 == 1 { [a, c, b] } else { [a, b, c] }
        };
        let triangles = cube.triangles.iter().enumerate().map(flip).collect();
        let body = fixed(&TriMesh { triangles, ..cube.clone() });
        assert!((body.mesh.volume() - 1.0).abs() < 1e-6, "pattern {pattern:b}");
        assert!(body.report.is_closed());
    }
}

#[test]
fn cavities_stay_cavities_even_inside_out() {
    let outer = scaled(&cube(Vec3::ZERO), 3.0, Vec3::splat(-1.0));
    let hollow = both(&outer, &turned(&cube(Vec3::ZERO)));
    for (name, mesh) in [("as it is", hollow.clone()), ("inside out", turned(&hollow))] {
        let report = fixed(&mesh).report;
        assert!((report.volume - 26.0).abs() < 1e-5, "{name}: {}", report.volume);
        assert_eq!((report.cavities, report.parts), (1, 2), "{name}");
    }
    // Beside each other, the one that is inside out is a mistake.
    let beside = both(&outer, &turned(&cube(Vec3::splat(5.0))));
    let report = fixed(&beside).report;
    assert!((report.volume - 28.0).abs() < 1e-5 && report.cavities == 0);
    assert_eq!(report.turned, 12);
}

#[test]
fn bodies_that_touch_come_apart_and_stay_closed() {
    // At a corner, along an edge, and with four around one edge.
    let one = cube(Vec3::ZERO);
    let corner = both(&one, &cube(Vec3::ONE));
    let edge = both(&one, &cube(Vec3::new(1.0, 1.0, 0.0)));
    for (name, mesh, junctions, split) in [("corner", &corner, 0, 1), ("edge", &edge, 1, 2)] {
        let Repaired { mesh, report, .. } = fixed(mesh);
        assert_eq!((report.junctions, report.split, report.parts), (junctions, split, 2), "{name}");
        assert!(report.is_closed() && imbalance(&mesh) == 0, "{name}");
        assert!((report.volume - 2.0).abs() < 1e-6, "{name}");
        assert_eq!(mesh.positions.len(), 16, "{name}");
    }
    let refuse = Repair { junctions: Junctions::Refuse, ..Repair::default() };
    let error = repair(&edge, &refuse).unwrap_err().to_string();
    assert!(error.contains("[1, 1, 0]") && error.contains("Junctions::Split"), "{error}");
    assert!(repair(&corner, &refuse).is_ok(), "a corner is no junction");
}

#[test]
fn three_sheets_on_an_edge_come_apart_with_borders() {
    let positions = vec![Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::Y, -Vec3::X];
    let mesh = TriMesh { positions, triangles: vec![[0, 1, 2], [0, 1, 3], [1, 0, 4]] };
    let report = fixed(&mesh).report;
    assert_eq!((report.junctions, report.parts, report.boundary_edges), (1, 3, 9));
    assert_eq!((report.split, report.holes), (4, 3));
}

#[test]
fn a_moebius_strip_has_no_outside() {
    // Five quads in a ring, the last of which is joined upside down.
    let angle = |k: u32| k as f32 * 1.256_637;
    let ring = |k: u32, z: f32| Vec3::new(libm::cosf(angle(k)), libm::sinf(angle(k)), z);
    let positions = (0..5).flat_map(|k| [ring(k, 0.0), ring(k, 1.0)]).collect();
    let mut triangles: Vec<[u32; 3]> = (0..4)
        .flat_map(|k| [[2 * k, 2 * k + 2, 2 * k + 1], [2 * k + 2, 2 * k + 3, 2 * k + 1]])
        .collect();
    triangles.extend([[8, 1, 9], [1, 0, 9]]);
    let report = fixed(&TriMesh { positions, triangles }).report;
    assert_eq!((report.one_sided_parts, report.closed_parts, report.parts), (1, 0, 1));
    assert_eq!((report.boundary_edges, report.volume), (10, 0.0));
}

#[test]
fn small_holes_are_closed_when_asked() {
    let mut open = cube(Vec3::ZERO);
    open.triangles.drain(0..2);
    let report = fixed(&open).report;
    assert_eq!((report.holes, report.boundary_edges, report.filled), (1, 4, 0));
    assert!(!report.is_closed());
    let how = Repair { fill_holes: 4, ..Repair::default() };
    // Inside out too: that it is, shows only once it is closed.
    for mesh in [open.clone(), turned(&open)] {
        let Repaired { mesh, report, .. } = repair(&mesh, &how).unwrap();
        assert_eq!((report.holes, report.boundary_edges, report.filled), (0, 0, 1));
        assert!(report.is_closed() && imbalance(&mesh) == 0);
        assert!((mesh.volume() - 1.0).abs() < 1e-6);
    }
    let small = Repair { fill_holes: 3, ..Repair::default() };
    assert_eq!(repair(&open, &small).unwrap().report.filled, 0);
    let mut corner = cube(Vec3::ZERO);
    corner.triangles.remove(5);
    assert_eq!(repair(&corner, &small).unwrap().mesh.triangles.len(), 12);
    // Nothing that only folds onto itself.
    let triangle = TriMesh { positions: open.positions, triangles: vec![[0, 1, 2]] };
    assert_eq!(repair(&triangle, &how).unwrap().report.filled, 0);
}

#[test]
fn lines_that_hold_a_surface_together_stay() {
    // A vertex on an edge of one side, filled with a triangle that is a line.
    let mut mesh = cube(Vec3::ZERO);
    mesh.positions.push(Vec3::new(0.5, 0.5, 0.0));
    mesh.triangles[0] = [0, 2, 8];
    mesh.triangles.extend([[2, 3, 8], [0, 8, 3]]);
    let report = fixed(&mesh).report;
    assert_eq!((report.flat, report.degenerate), (1, 0));
    assert!(report.is_closed() && (report.volume - 1.0).abs() < 1e-9);
}

#[test]
fn the_unit_is_guessed_from_the_size() {
    let unit = |size: f32| fixed(&scaled(&cube(Vec3::ZERO), size, Vec3::ZERO)).report.scale();
    assert_eq!(unit(0.01), None);
    assert_eq!(unit(10.0), None);
    assert_eq!(unit(150.0).unwrap().unit, "millimetres");
    assert_eq!(unit(25.0).unwrap().unit, "centimetres");
    assert_eq!(unit(1e5).unwrap().unit, "micrometres");
    assert_eq!(unit(1e-4).unwrap().unit, "kilometres");
    let text = unit(150.0).unwrap().to_string();
    assert!(text.contains("scaled by 0.001, it would be 0.15"), "{text}");
}

#[test]
fn far_and_tiny_surfaces_keep_their_volume() {
    for (size, shift) in [(1e-6, 0.0), (1e6, 0.0), (1.0, 4096.0), (1e-12, 0.0), (1e12, 0.0)] {
        let mesh = scaled(&cube(Vec3::ZERO), size, Vec3::splat(shift));
        let report = fixed(&mesh).report;
        let expected = f64::from(size).powi(3);
        assert!(
            (report.volume / expected - 1.0).abs() < 1e-6,
            "{size} at {shift}: {}",
            report.volume
        );
        assert!(report.is_closed(), "{size} at {shift}");
    }
}

#[test]
fn what_cannot_be_repaired_is_explained() {
    let mesh = |x: f32, corner: u32| TriMesh {
        positions: vec![Vec3::splat(x), Vec3::X, Vec3::Y],
        triangles: vec![[0, 1, corner]],
    };
    let error = |mesh: TriMesh| repair(&mesh, &Repair::default()).unwrap_err();
    assert_eq!(error(mesh(f32::NAN, 2)), RepairError::NotFinite { vertex: 0 });
    assert_eq!(error(mesh(1e38, 2)), RepairError::TooFar { vertex: 0 });
    let missing = error(mesh(0.0, 3));
    assert_eq!(missing, RepairError::MissingVertex { triangle: 0, count: 3 });
    assert!(missing.to_string().contains("counted from 1"));
    for weld in [-1.0, 0.2, f32::NAN, f32::INFINITY] {
        let how = Repair { weld, ..Repair::default() };
        assert!(repair(&mesh(0.0, 2), &how).is_err(), "{weld}");
    }
    assert_eq!(fixed(&TriMesh::default()).report, Report::default());
}

#[test]
fn tetrahedra_are_turned_and_flat_ones_dropped() {
    let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE * 9.0, Vec3::X + Vec3::Y];
    let tets = vec![[0, 1, 2, 3], [0, 2, 1, 3], [0, 1, 2, 5], [0, 1, 1, 2], [2, 1, 3, 5]];
    let RepairedTets { mesh, vertex_map, report } =
        repair_tets(&TetMesh { positions, tets }).unwrap();
    assert_eq!([report.flat, report.duplicate, report.turned, report.unused], [2, 1, 1, 1]);
    assert_eq!(mesh.tets.len(), 2);
    assert!(mesh.tets.iter().all(|&tet| mesh.volume(tet) > 0.0));
    assert_eq!((vertex_map[4], vertex_map[5]), (None, Some(4)));
    assert!((report.volume - 1.0 / 3.0).abs() < 1e-7);

    let regular = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let positions = regular.map(Vec3::from_array).to_vec();
    let report = repair_tets(&TetMesh { positions, tets: vec![[0, 1, 2, 3]] }).unwrap().report;
    assert!(
        (report.worst - 1.0).abs() < 1e-9,
        "a regular tetrahedron has quality {}",
        report.worst
    );
    assert!((report.volume - 8.0 / 3.0).abs() < 1e-6);
}
