//! Solids made from a few numbers: surfaces in one piece, about a metre large, closed but for the garment.
//!
//! One more is one file here and one line in [`ALL`].

use glam::{Vec2, Vec3};

use super::{Aabb, MeshError, Resolution, TetMesh, TriMesh, boundary};

pub mod axe;
pub mod ball;
pub mod cone;
pub mod cuboid;
pub mod cylinder;
pub mod elephant;
pub mod holed_cube;
pub mod ledge;
pub mod liver;
pub mod saturn;
pub mod shirt;
pub mod spike;
pub mod stairs;
pub mod teapot;
pub mod torus;

/// Every solid, simple ones first.
pub const ALL: &[&Solid] = &[
    cuboid::SOLID,
    ball::SOLID,
    cylinder::SOLID,
    cone::SOLID,
    torus::SOLID,
    holed_cube::SOLID,
    stairs::SOLID,
    ledge::SOLID,
    spike::SOLID,
    axe::SOLID,
    saturn::SOLID,
    teapot::SOLID,
    liver::SOLID,
    elephant::SOLID,
    shirt::SOLID,
];

/// A solid that tools can list and make.
#[derive(Debug)]
pub struct Solid {
    /// The name, as in scene files.
    pub name: &'static str,
    /// What it is, in a few words.
    pub shows: &'static str,
    /// Makes it with about this many triangles along a metre.
    pub make: fn(detail: u32) -> Result<TriMesh, MeshError>,
    /// How many holes go through it.
    pub holes: u32,
    /// How many rims it is open at: what has any is for cloth, and nothing is inside of it.
    pub rims: u32,
    /// Its volume (m³), where there is a formula.
    pub volume: Option<f64>,
}

impl Solid {
    /// The solid of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|solid| solid.name == name)
    }
}

/// Turns a line about the y axis. It runs with the outside on its right: up along the outside.
/// Points have a distance from the axis and a height (m); the first and last lie on the axis.
pub(crate) fn lathe(line: &[Vec2], sectors: u32) -> TriMesh {
    let mut mesh = TriMesh::default();
    let mut rings = Vec::new();
    for point in line {
        // A point on the axis stays one.
        let count = if point.x > 0.0 { sectors } else { 1 };
        rings.push((mesh.positions.len() as u32, count));
        mesh.positions.extend((0..count).map(|k| turned(*point, k, sectors)));
    }
    for pair in rings.windows(2) {
        join_rings(&mut mesh.triangles, [pair[0], pair[1]], sectors);
    }
    mesh
}

/// Turns a closed line, which does not touch the axis, about the y axis: as [`lathe`].
pub(crate) fn lathe_ring(line: &[Vec2], sectors: u32) -> TriMesh {
    let mut mesh = TriMesh::default();
    for point in line {
        mesh.positions.extend((0..sectors).map(|k| turned(*point, k, sectors)));
    }
    let count = line.len() as u32;
    for i in 0..count {
        let rings = [i, (i + 1) % count].map(|ring| (ring * sectors, sectors));
        join_rings(&mut mesh.triangles, rings, sectors);
    }
    mesh
}

fn turned(point: Vec2, sector: u32, sectors: u32) -> Vec3 {
    let angle = std::f32::consts::TAU * sector as f32 / sectors as f32;
    Vec3::new(point.x * libm::cosf(angle), point.y, point.x * libm::sinf(angle))
}

/// The triangles between two rings, each given by its first vertex and their number.
fn join_rings(triangles: &mut Vec<[u32; 3]>, [below, above]: [(u32, u32); 2], sectors: u32) {
    let at = |(first, count): (u32, u32), k: u32| first + k % count;
    for k in 0..sectors {
        if below.1 > 1 {
            triangles.push([at(below, k), at(above, k), at(below, k + 1)]);
        }
        if above.1 > 1 {
            triangles.push([at(above, k), at(above, k + 1), at(below, k + 1)]);
        }
    }
}

/// Points from `from` to `to`, at most `1 / detail` apart, without the last.
pub(crate) fn line(from: Vec2, to: Vec2, detail: u32) -> impl Iterator<Item = Vec2> {
    let count = (from.distance(to) * detail as f32).ceil().max(1.0) as u32;
    (0..count).map(move |k| from + (to - from) * (k as f32 / count as f32))
}

/// Squares of a grid of `count` by `count` in x and y, those that `solid` names, drawn out along z
/// to a cube of side 1 about the origin.
pub(crate) fn extruded(count: u32, solid: impl Fn(i64, i64) -> bool) -> TriMesh {
    let n = i64::from(count);
    let inside = |x: i64, y: i64| (0..n).contains(&x) && (0..n).contains(&y) && solid(x, y);
    let mut mesh = TriMesh::default();
    let mut quad = |corners: [[i64; 3]; 4]| {
        let first = mesh.positions.len() as u32;
        let at = |k: i64| k as f32 / n as f32 - 0.5;
        mesh.positions.extend(corners.map(|corner| Vec3::from_array(corner.map(at))));
        mesh.triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|corner| first + corner)));
    };
    for (x, y) in (0..n).flat_map(|x| (0..n).map(move |y| (x, y))).filter(|&(x, y)| inside(x, y)) {
        let (right, up) = (x + 1, y + 1);
        quad([[x, y, n], [right, y, n], [right, up, n], [x, up, n]]);
        quad([[x, y, 0], [x, up, 0], [right, up, 0], [right, y, 0]]);
        // Along the square, counter-clockwise; beyond each side, what the side looks at.
        let sides = [
            ([x, y], [right, y], (x, y - 1)),
            ([right, y], [right, up], (right, y)),
            ([right, up], [x, up], (x, up)),
            ([x, up], [x, y], (x - 1, y)),
        ];
        for ([ax, ay], [bx, by], beyond) in sides {
            for z in (0..n).filter(|_| !inside(beyond.0, beyond.1)) {
                quad([[ax, ay, z], [bx, by, z], [bx, by, z + 1], [ax, ay, z + 1]]);
            }
        }
    }
    mesh.distinct()
}

/// The surface of what a function says is inside.
pub(crate) fn polygonise(
    function: &dyn Fn(Vec3) -> f32,
    bounds: Aabb,
    detail: u32,
) -> Result<TriMesh, MeshError> {
    let cell = Resolution::Cell(1.0 / detail.max(1) as f32);
    let mesh = TetMesh::stuff_function(function, bounds, cell)?;
    let surface = TriMesh { triangles: boundary(&mesh.tets), positions: mesh.positions };
    Ok(parted(surface.distinct()))
}

/// The same closed surface, with two vertices where it touches itself at one.
fn parted(mut mesh: TriMesh) -> TriMesh {
    // Around each vertex: the triangle, and the way past it.
    let mut around: Vec<Vec<(usize, [u32; 2])>> = vec![Vec::new(); mesh.positions.len()];
    for (triangle, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        for [at, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            around[at as usize].push((triangle, [from, to]));
        }
    }
    for (vertex, mut fan) in around.into_iter().enumerate() {
        let mut number = vertex as u32;
        while let Some((first, [start, mut at])) = fan.pop() {
            let mut ring = vec![first];
            while at != start
                && let Some(next) = fan.iter().position(|(_, [from, _])| *from == at)
            {
                let (triangle, [_, to]) = fan.swap_remove(next);
                ring.push(triangle);
                at = to;
            }
            for triangle in ring {
                let corners = mesh.triangles[triangle].iter_mut();
                corners.filter(|c| **c == vertex as u32).for_each(|corner| *corner = number);
            }
            number = mesh.positions.len() as u32;
            if !fan.is_empty() {
                mesh.positions.push(mesh.positions[vertex]);
            }
        }
    }
    mesh
}

/// The lesser of two distances, rounded over a width of `k` (m). Quilez 2013.
pub(crate) fn blend(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k / 4.0
}

/// About the distance to an ellipsoid at the origin with these radii (m): right in sign, and near
/// the surface. Quilez 2008.
pub(crate) fn ellipsoid(x: Vec3, radii: Vec3) -> f32 {
    let (far, slope) = ((x / radii).length(), (x / (radii * radii)).length());
    if slope > 0.0 { far * (far - 1.0) / slope } else { -radii.min_element() }
}

/// The distance to a ball that moves from `a` to `b` (m) while its radius changes.
pub(crate) fn limb(x: Vec3, a: (Vec3, f32), b: (Vec3, f32)) -> f32 {
    let along = b.0 - a.0;
    let share = ((x - a.0).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    x.distance(a.0 + along * share) - (a.1 + (b.1 - a.1) * share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{hinges, sides};

    #[test]
    fn every_solid_is_manifold_and_has_its_holes_and_rims() {
        for solid in ALL {
            for detail in [32, 45] {
                let mesh = (solid.make)(detail).unwrap();
                let (name, triangles) = (solid.name, mesh.triangles.len());
                // Each edge has two triangles that agree on what is outside, or is of a rim.
                let rims = rims(&mesh);
                let hinged = hinges(&mesh.triangles).len() * 2;
                assert_eq!(hinged + rims.concat().len(), triangles * 3, "{name} {detail}");
                assert_eq!(rims.len(), solid.rims as usize, "{name} {detail}: rims");
                check_fans(name, &mesh);
                assert_eq!(pieces(&mesh), 1, "{name} {detail}: pieces");
                let edges = sides(&mesh.triangles).len() as i64;
                let euler = mesh.positions.len() as i64 - edges + triangles as i64;
                let expected = 2 - 2 * i64::from(solid.holes) - i64::from(solid.rims);
                assert_eq!(euler, expected, "{name} {detail}");
                assert!(mesh.volume() > 0.0, "{name} is inside out");
            }
        }
    }

    #[test]
    fn volumes_are_those_of_the_formulas() {
        for solid in ALL {
            let Some(expected) = solid.volume else { continue };
            let error = |detail| (solid.make)(detail).unwrap().volume() / expected - 1.0;
            // Second order: twice as fine, a quarter of the error.
            let (coarse, fine) = (error(24).abs(), error(48).abs());
            assert!(fine < 1e-5 || fine < coarse / 3.0, "{}: {coarse}, {fine}", solid.name);
            assert!(fine < 5e-3, "{}: off by {fine}", solid.name);
        }
    }

    #[test]
    fn too_fine_is_refused() {
        for solid in ALL.iter().filter(|solid| solid.volume.is_none()) {
            assert!((solid.make)(100_000).is_err(), "{}", solid.name);
        }
    }

    #[test]
    fn the_coarsest_is_still_a_body() {
        for solid in ALL.iter().filter(|solid| solid.volume.is_some()) {
            assert!((solid.make)(0).unwrap().volume() > 0.0, "{}", solid.name);
        }
    }

    /// The vertices along every edge loop that has triangles on one side only.
    fn rims(mesh: &TriMesh) -> Vec<Vec<u32>> {
        let ways = mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let all: std::collections::BTreeSet<(u32, u32)> = ways.collect();
        let mut open: std::collections::BTreeMap<u32, u32> =
            all.iter().filter(|&&(a, b)| !all.contains(&(b, a))).copied().collect();
        let mut rims = Vec::new();
        while let Some((start, mut at)) = open.pop_first() {
            let mut rim = vec![start];
            while at != start {
                rim.push(at);
                at = open.remove(&at).expect("rims are closed");
            }
            rims.push(rim);
        }
        rims
    }

    /// The triangles around each vertex form one ring, or one fan from rim to rim.
    fn check_fans(name: &str, mesh: &TriMesh) {
        let mut next: Vec<Vec<[u32; 2]>> = vec![Vec::new(); mesh.positions.len()];
        for &[a, b, c] in &mesh.triangles {
            for [at, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
                next[at as usize].push([from, to]);
            }
        }
        for (vertex, fan) in next.iter().enumerate() {
            assert!(!fan.is_empty(), "{name}: vertex {vertex} is of no triangle");
            let follow = |at: u32| fan.iter().find(|[from, _]| *from == at).map(|[_, to]| *to);
            let is_first = |[from, _]: &&[u32; 2]| fan.iter().all(|[_, to]| to != from);
            let start = fan.iter().find(is_first).unwrap_or(&fan[0])[0];
            let (mut next, mut steps) = (follow(start), 0);
            while let Some(at) = next {
                (next, steps) = (follow(at).filter(|_| at != start), steps + 1);
            }
            assert_eq!(steps, fan.len(), "{name}: two surfaces touch at vertex {vertex}");
        }
    }

    /// How many parts hang together.
    fn pieces(mesh: &TriMesh) -> usize {
        let mut root: Vec<u32> = (0..mesh.positions.len() as u32).collect();
        fn find(root: &mut [u32], mut at: u32) -> u32 {
            while root[at as usize] != at {
                root[at as usize] = root[root[at as usize] as usize];
                at = root[at as usize];
            }
            at
        }
        for [a, b] in sides(&mesh.triangles) {
            let (a, b) = (find(&mut root, a), find(&mut root, b));
            root[a as usize] = b;
        }
        (0..root.len() as u32).filter(|&at| root[at as usize] == at).count()
    }
}
