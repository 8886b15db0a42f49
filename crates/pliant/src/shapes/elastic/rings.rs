//! The rings of triangles around the vertices of a shell, and the curvature that they measure.

use glam::{DVec2, DVec3};

use super::ElasticShell;
use crate::body::Blueprint;
use crate::constraint::curvature;
use crate::error::WorldError;
use crate::mesh::hinges;

/// What is gathered around a vertex.
#[derive(Clone, Default)]
struct Ring {
    /// Neighbours, and the sum of cotangents that see the edge to each.
    weights: Vec<(u32, f64)>,
    /// Its share of the sheet (m²), in the coordinates of the weights.
    area: f64,
    /// The same in space (m²).
    true_area: f64,
    /// Whether it is on the edge of the sheet.
    border: bool,
}

/// Adds a curvature constraint at every vertex inside the sheet, with a `share` of the stiffness.
///
/// ```text
/// energy = ½ share Σ A (√D₁ κ₁ + √D₂ κ₂)²       D₁, D₂ the rigidities of warp and weft
/// ```
///
/// A sheet that does not stretch is curved in one direction only, and D is then that direction's. The
/// weighted sum is the Laplacian in coordinates that are shrunk by D^¼ along warp and weft. Vertices
/// on the edge have no ring; their area goes to the ones inside. A sheet without vertices inside, such
/// as a ribbon, gets hinges instead.
pub(super) fn add_curvature(
    shell: &ElasticShell,
    body: &mut Blueprint,
    share: f64,
) -> Result<(), WorldError> {
    let [warp, weft] = shell.material.bending.map(f64::from);
    if warp == 0.0 || weft == 0.0 {
        return Ok(());
    }
    let mut rings = rings(shell, [warp, weft].map(|d| d.sqrt().sqrt().recip()));
    if rings.iter().all(|ring| ring.border || ring.weights.len() > MOST) {
        return hinges(&shell.mesh.triangles)
            .into_iter()
            .try_for_each(|h| shell.add_hinge(body, h));
    }
    give_border_away(&mut rings);
    for (vertex, ring) in rings.iter().enumerate().filter(|(_, ring)| !ring.border) {
        // √D is in the weights already.
        let hold = shell.material.hold(share, ring.true_area);
        let mut particles = vec![vertex as u32];
        let mut rest = Vec::new();
        for &(neighbour, weight) in &ring.weights {
            particles.push(neighbour);
            rest.push((weight / ring.area) as f32);
        }
        let Some((room, kind)) = curvature::KINDS.iter().find(|(room, _)| rest.len() <= *room)
        else {
            continue;
        };
        fill_up(&mut particles, room + 1, body.positions.len() as u32);
        if particles.len() <= *room {
            continue; // fewer particles in all than the kind has room for
        }
        rest.resize(room + 1, 0.0);
        rest[*room] = kind.violation(&particles, &body.positions, &rest);
        body.join_with_rest(kind, &particles, &rest, hold)?;
    }
    Ok(())
}

/// The most neighbours that a kind has room for.
const MOST: usize = 12;

/// Cotangents smaller than this are those of right angles.
const RIGHT: f64 = 1e-9;

/// The ring of every vertex, in coordinates that are scaled along warp and weft.
fn rings(shell: &ElasticShell, scale: [f64; 2]) -> Vec<Ring> {
    let mut rings = vec![Ring::default(); shell.mesh.positions.len()];
    for &triangle in &shell.mesh.triangles {
        let flat = flat(shell, triangle, scale);
        let true_third = shell.area(triangle) / 3.0;
        let areas = voronoi(flat);
        for k in 0..3 {
            let [a, b, c] = [k, (k + 1) % 3, (k + 2) % 3];
            let half_cot = cot(flat[a], flat[b], flat[c]) / 2.0;
            let [b, c] = [triangle[b], triangle[c]];
            add_weight(&mut rings[b as usize], c, half_cot);
            add_weight(&mut rings[c as usize], b, half_cot);
            let ring = &mut rings[triangle[a] as usize];
            ring.area += areas[a];
            ring.true_area += true_third * 3.0 * areas[a] / areas.iter().sum::<f64>();
        }
    }
    for side in open_sides(&shell.mesh.triangles) {
        side.into_iter().for_each(|vertex| rings[vertex as usize].border = true);
    }
    for ring in &mut rings {
        let most = ring.weights.iter().map(|(_, w)| w.abs()).fold(0.0, f64::max);
        ring.weights.retain(|(_, w)| w.abs() > RIGHT * most);
    }
    rings
}

fn add_weight(ring: &mut Ring, neighbour: u32, weight: f64) {
    match ring.weights.iter_mut().find(|(other, _)| *other == neighbour) {
        Some((_, sum)) => *sum += weight,
        None => ring.weights.push((neighbour, weight)),
    }
}

/// The corners of a triangle in its plane, along warp and weft, scaled.
pub(super) fn flat(shell: &ElasticShell, triangle: [u32; 3], scale: [f64; 2]) -> [DVec2; 3] {
    let [a, b, c] = triangle.map(|i| shell.mesh.positions[i as usize].as_dvec3());
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let warp: DVec3 = shell.warp.as_dvec3();
    let along = (warp - normal * warp.dot(normal)).try_normalize();
    let along = along.unwrap_or_else(|| (b - a).normalize_or_zero());
    let across = normal.cross(along);
    [a, b, c].map(|x| {
        let d = x - a;
        DVec2::new(d.dot(along) * scale[0], d.dot(across) * scale[1])
    })
}

/// Cotangent of the angle at `at`.
fn cot(at: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - at).dot(c - at) / (b - at).perp_dot(c - at).abs()
}

/// The part of a triangle that is nearest to each corner (m²), or, where it has an obtuse angle, half
/// to that corner and a quarter to each other. Meyer et al. 2003, "Discrete Differential-Geometry
/// Operators for Triangulated 2-Manifolds", section 3.3.
fn voronoi([a, b, c]: [DVec2; 3]) -> [f64; 3] {
    let area = (b - a).perp_dot(c - a).abs() / 2.0;
    let cots = [cot(a, b, c), cot(b, c, a), cot(c, a, b)];
    if let Some(obtuse) = cots.iter().position(|&cot| cot < 0.0) {
        return std::array::from_fn(|k| if k == obtuse { area / 2.0 } else { area / 4.0 });
    }
    let squares = [c.distance_squared(b), a.distance_squared(c), b.distance_squared(a)];
    std::array::from_fn(|k| {
        let [l, m] = [(k + 1) % 3, (k + 2) % 3];
        (squares[l] * cots[l] + squares[m] * cots[m]) / 8.0
    })
}

/// The sides that belong to one triangle only, or to more than two.
fn open_sides(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut sides: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    sides.sort_unstable();
    sides.chunk_by(|one, other| one == other).filter(|s| s.len() != 2).map(|s| s[0]).collect()
}

/// Hands the area of vertices on the edge to neighbours that are nearer to the inside, the outermost
/// first.
fn give_border_away(rings: &mut [Ring]) {
    let steps = steps_inwards(rings);
    let mut border: Vec<usize> = (0..rings.len()).filter(|&i| rings[i].border).collect();
    border.sort_by_key(|&i| std::cmp::Reverse(steps[i]));
    for i in border {
        let inwards: Vec<usize> = rings[i].weights.iter().map(|&(n, _)| n as usize).collect();
        let inwards = inwards.into_iter().filter(|&n| steps[n] < steps[i]);
        let inwards: Vec<usize> = inwards.collect();
        if !inwards.is_empty() {
            let share = std::mem::take(&mut rings[i].true_area) / inwards.len() as f64;
            inwards.iter().for_each(|&n| rings[n].true_area += share);
        }
    }
}

/// How many edges each vertex is from one inside; the largest number where there is no way.
fn steps_inwards(rings: &[Ring]) -> Vec<u32> {
    let mut steps: Vec<u32> =
        rings.iter().map(|ring| if ring.border { u32::MAX } else { 0 }).collect();
    let mut front: Vec<usize> = (0..rings.len()).filter(|&i| !rings[i].border).collect();
    while !front.is_empty() {
        let mut next = Vec::new();
        for i in front {
            for &(n, _) in &rings[i].weights {
                if steps[n as usize] == u32::MAX {
                    steps[n as usize] = steps[i] + 1;
                    next.push(n as usize);
                }
            }
        }
        front = next;
    }
    steps
}

/// Adds particles that are not there yet until there are `count`, if there are as many in all.
fn fill_up(particles: &mut Vec<u32>, count: usize, all: u32) {
    let first = particles[0];
    for offset in 1..all {
        if particles.len() >= count {
            return;
        }
        let next = (first + offset) % all;
        if !particles.contains(&next) {
            particles.push(next);
        }
    }
}
