//! What a surface looks like, and the body in it.

use pliant::Blueprint;
use pliant::constraint::distance;
use pliant::glam::Vec3;
use pliant::mesh::repair::Repaired;
use pliant::mesh::{Aabb, TriMesh, sides};
use pliant::raster::{self, Image, Item, Material, Mesh, Scene, Shading, Sphere, Tube, srgb};

use super::body::Built;

/// Colours of the outside and the inside (sRGB): one sees at once where a surface is open.
const OUTSIDE: u32 = 0x4c9f70;
const INSIDE: u32 = 0xd7263d;

/// Colours of particles, links and elements (sRGB).
const PARTICLE: u32 = 0xf5a623;
const LINK: u32 = 0x3d4a5c;
const ELEMENT: u32 = 0x8fb8de;

/// A surface of fewer triangles is drawn with edges: it is more likely a box than a ball.
const ROUND: usize = 200;

/// Most links of a particle that are drawn, on average, the shortest first: more hide each other.
/// In a lattice, three run along the grid.
const MOST_LINKS: usize = 3;

/// A surface, outside and inside.
pub(super) fn surface(surface: &Repaired, width: u32) -> Image {
    let mut scene = Scene::framing(surface.report.bounds);
    scene.items.push(skin(surface.mesh.clone()));
    raster::render(&scene, width, width * 3 / 4)
}

/// Particles and links, or elements, and beside them what is seen of the body.
pub(super) fn body(built: &Built, surface: &Repaired, width: u32) -> Image {
    let body = &built.made.blueprint;
    let bounds = Aabb::of(body.positions.iter().chain(&surface.mesh.positions).copied());
    let aside = Vec3::X * (1.15 * bounds.size().x);
    let mut scene = Scene::framing([bounds.low, bounds.high + aside]);
    let solid = built.made.tets.is_some() || body.skin.is_none();
    scene.items.extend(if solid { elements(body) } else { particles(body) });
    let TriMesh { mut positions, triangles } = surface.mesh.clone();
    positions.iter_mut().for_each(|x| *x += aside);
    scene.items.push(skin(TriMesh { positions, triangles }));
    raster::render(&scene, width * 3 / 2, width * 3 / 4)
}

fn skin(TriMesh { positions, triangles }: TriMesh) -> Item {
    let material = Material { color: srgb(OUTSIDE), ..Material::default() };
    let shading = if triangles.len() < ROUND { Shading::Flat } else { Shading::Smooth };
    let back = Some(srgb(INSIDE));
    Item::Mesh(Mesh { positions, triangles, material, back, shading, ..Mesh::default() })
}

/// The outside of tetrahedra, or triangles, with their edges.
fn elements(body: &Blueprint) -> Vec<Item> {
    let material = Material { color: srgb(ELEMENT), ..Material::default() };
    let (positions, triangles) = (body.positions.clone(), body.triangles.clone());
    let (back, shading) = (Some(srgb(INSIDE)), Shading::Flat);
    let mesh = Mesh { positions, triangles, material, back, shading, ..Mesh::default() };
    let edges = sides(&body.triangles);
    let radius = 0.04 * mean_length(body, &edges);
    let edges = edges.into_iter().map(|edge| rod(body, edge, radius));
    std::iter::once(Item::Mesh(mesh)).chain(edges).collect()
}

/// Balls and rods.
fn particles(body: &Blueprint) -> Vec<Item> {
    let sets = body.sets.iter().filter(|set| set.kind().name == distance::KIND.name);
    let links =
        sets.flat_map(|set| (0..set.len()).map(|n| [set.particles(n)[0], set.particles(n)[1]]));
    let mut links: Vec<[u32; 2]> = links.collect();
    links.sort_by(|a, b| length(body, *a).total_cmp(&length(body, *b)));
    links.truncate(MOST_LINKS * body.positions.len());
    // Of the shortest links, of which every particle has some: in a lattice, the cell.
    let cell = mean_length(body, &links[..links.len().min(body.positions.len())]);
    let material = Material { color: srgb(PARTICLE), ..Material::default() };
    let balls = body
        .positions
        .iter()
        .map(|&center| Item::Sphere(Sphere { center, radius: 0.22 * cell, material }));
    balls.chain(links.iter().map(|&link| rod(body, link, 0.04 * cell))).collect()
}

fn rod(body: &Blueprint, ends: [u32; 2], radius: f32) -> Item {
    let material = Material { color: srgb(LINK), ..Material::default() };
    let points = ends.map(|i| body.positions[i as usize]).to_vec();
    Item::Tube(Tube { points, radius, material })
}

fn length(body: &Blueprint, [a, b]: [u32; 2]) -> f32 {
    body.positions[a as usize].distance(body.positions[b as usize])
}

fn mean_length(body: &Blueprint, links: &[[u32; 2]]) -> f32 {
    links.iter().map(|&link| length(body, link)).sum::<f32>() / links.len().max(1) as f32
}
