//! How a world looks: bodies, colliders and ropes become a scene for the renderer.

use glam::Vec3;

use crate::body::Body;
use crate::mesh::TriMesh;
use crate::raster::{Item, Material, Mesh, Scene, Tube, srgb};
use crate::world::World;

/// Colours that bodies take in turn (sRGB): apart in hue and in lightness, so that they differ for
/// colour-blind eyes too.
const PALETTE: [u32; 6] = [0xd7263d, 0x1b9aaa, 0xf5a623, 0x6a4c93, 0x4c9f70, 0x3d5a98];

/// Colour of ropes and rods (sRGB): hemp.
const ROPE: u32 = 0xa8845a;

/// Thinnest that a rope is drawn (m).
const THINNEST: f32 = 2e-3;

/// An empty picture whose camera sees the box between two corners (m).
pub fn stage(bounds: [Vec3; 2]) -> Scene {
    Scene { ground: None, ..Scene::framing(bounds) }
}

/// What the world looks like now, seen as in `frame`.
pub fn picture(world: &World, frame: &Scene) -> Scene {
    let mut scene = frame.clone();
    for collider in &world.colliders {
        (collider.shape.draw)(collider, &mut scene);
    }
    let mut colors = PALETTE.iter().cycle();
    for (_, body) in world.bodies() {
        let surface = body.skin.is_some() || !body.triangles.is_empty();
        let color = if surface { colors.next() } else { None };
        scene.items.push(item(world, body, srgb(*color.unwrap_or(&ROPE))));
    }
    scene
}

/// A surface if the body has one, a rope if not.
fn item(world: &World, body: &Body, color: Vec3) -> Item {
    let rows = &world.particles.xw[body.range()];
    let Some(surface) = surface(world, body) else {
        let radius = world.particles.radius[body.range()].iter().copied().fold(THINNEST, f32::max);
        let material = Material { color, roughness: 0.7, ..Material::default() };
        let points = rows.iter().map(|row| row.truncate()).collect();
        return Item::Tube(Tube { points, radius, material });
    };
    let TriMesh { positions, triangles } = surface;
    let material = Material { color, roughness: 0.45, translucency: 0.1, ..Material::default() };
    let back = Some(color * 0.75);
    Item::Mesh(Mesh { positions, triangles, material, back, ..Mesh::default() })
}

/// What is seen of a body: its skin, or its own triangles.
pub fn surface(world: &World, body: &Body) -> Option<TriMesh> {
    let rows = &world.particles.xw[body.range()];
    if let Some(skin) = &body.skin {
        return Some(skin.surface(rows));
    }
    let range = body.triangles.start as usize..body.triangles.end as usize;
    if range.is_empty() {
        return None;
    }
    let first = body.particles.start;
    let triangles =
        world.triangles()[range].iter().map(|corners| corners.map(|i| i - first)).collect();
    Some(TriMesh { positions: rows.iter().map(|row| row.truncate()).collect(), triangles })
}
