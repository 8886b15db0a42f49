//! How a world looks: bodies, colliders and ropes become a scene for the renderer.

use glam::Vec3;

use crate::body::Body;
use crate::constraint::distance;
use crate::measure::strain;
use crate::mesh::TriMesh;
use crate::raster::{Item, Material, Mesh, Scene, Sphere, Tube, srgb};
use crate::world::World;

/// Colours that bodies take in turn (sRGB): apart in hue and in lightness, so that they differ for
/// colour-blind eyes too.
pub const PALETTE: [u32; 6] = [0xd7263d, 0x1b9aaa, 0xf5a623, 0x6a4c93, 0x4c9f70, 0x3d5a98];

/// Colour of ropes and rods (sRGB): hemp.
pub const ROPE: u32 = 0xa8845a;

/// What the colour of a body is mixed with where a cut has laid it open (sRGB): pale flesh.
const INSIDE: u32 = 0xffe3d0;

/// How much of that.
const INSIDE_SHARE: f32 = 0.6;

/// How much colours of a scale glow: shadows show the shape, and leave the colour.
const GLOW: f32 = 0.7;

/// Thinnest that a rope is drawn (m).
pub const THINNEST: f32 = 2e-3;

/// An empty picture whose camera sees the box between two corners (m).
pub fn stage(bounds: [Vec3; 2]) -> Scene {
    Scene { ground: None, ..Scene::framing(bounds) }
}

/// What a picture shows of the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Layer {
    /// Their surfaces, each in a colour of its own.
    #[default]
    Surface,
    /// Their surfaces, coloured by strain: that of [`strain::of_particles`].
    Strain {
        /// The strain that has the last colour.
        most: f32,
    },
    /// Their surfaces, coloured by speed.
    Speed {
        /// The speed that has the last colour (m/s).
        most: f32,
    },
    /// Their particles, as balls of their radius.
    Particles,
    /// Their links, as lines.
    Links,
}

/// What the colours of a layer mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// What is shown.
    pub name: &'static str,
    /// Its unit; empty for a share.
    pub unit: &'static str,
    /// What has the last colour; the first is 0.
    pub most: f32,
}

impl Layer {
    /// Every layer, with the range of its colours as it is usual.
    pub const ALL: &[Self] = &[
        Self::Surface,
        Self::Strain { most: 0.1 },
        Self::Speed { most: 2.0 },
        Self::Particles,
        Self::Links,
    ];

    /// Its name, as in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Surface => "surface",
            Self::Strain { .. } => "strain",
            Self::Speed { .. } => "speed",
            Self::Particles => "particles",
            Self::Links => "links",
        }
    }

    /// The layer of a name such as `strain`, or of `strain=0.05` with the range of its colours.
    pub fn find(text: &str) -> Option<Self> {
        let (name, most) = text.split_once('=').map_or((text, None), |(name, m)| (name, Some(m)));
        let layer = Self::ALL.iter().copied().find(|layer| layer.name() == name)?;
        let Some(most) = most else { return Some(layer) };
        let most = most.parse().ok().filter(|most: &f32| *most > 0.0 && most.is_finite())?;
        match layer {
            Self::Strain { .. } => Some(Self::Strain { most }),
            Self::Speed { .. } => Some(Self::Speed { most }),
            _ => None,
        }
    }

    /// What its colours mean, if they mean something.
    pub fn scale(self) -> Option<Scale> {
        match self {
            Self::Strain { most } => Some(Scale { name: "strain", unit: "", most }),
            Self::Speed { most } => Some(Scale { name: "speed", unit: "m/s", most }),
            _ => None,
        }
    }
}

/// What the world looks like now, seen as in `frame`.
pub fn picture(world: &World, frame: &Scene) -> Scene {
    picture_of(world, frame, Layer::Surface)
}

/// What a layer of the world looks like now, seen as in `frame`.
pub fn picture_of(world: &World, frame: &Scene, layer: Layer) -> Scene {
    let mut scene = frame.clone();
    for collider in &world.colliders {
        (collider.shape.draw)(collider, &mut scene);
    }
    let shares = shares(world, layer);
    for ((_, body), color) in world.bodies().zip(colors(world)) {
        match layer {
            Layer::Particles => scene.items.extend(balls(world, body, color)),
            Layer::Links => scene.items.extend(links(world, body, color)),
            _ => {
                let whole = item(world, body, color, shares.as_deref());
                scene.items.extend(opened(whole, body));
            }
        }
    }
    scene
}

/// The linear colour of every body: those with a surface take the [`PALETTE`]'s in turn, but pieces of
/// one body stay alike.
pub fn colors(world: &World) -> Vec<Vec3> {
    let mut kin: Vec<u32> = Vec::new();
    let bodies = world.bodies().map(|(_, body)| {
        if body.skin.is_none() && body.triangles.is_empty() {
            return srgb(ROPE);
        }
        let known = kin.iter().position(|&other| other == body.kin);
        let number = known.unwrap_or_else(|| {
            kin.push(body.kin);
            kin.len() - 1
        });
        srgb(PALETTE[number % PALETTE.len()])
    });
    bodies.collect()
}

/// Where on the scale of colours each particle is, 0 to 1.
fn shares(world: &World, layer: Layer) -> Option<Vec<f32>> {
    let share = |value: f32, most: f32| (value / most).clamp(0.0, 1.0);
    match layer {
        Layer::Strain { most } => {
            Some(strain::of_particles(world).into_iter().map(|value| share(value, most)).collect())
        }
        Layer::Speed { most } => {
            Some(world.particles.v.iter().map(|v| share(v.truncate().length(), most)).collect())
        }
        _ => None,
    }
}

/// The colour of a share from 0 to 1, linear: from dark blue over green to yellow, ever lighter, so
/// that it is read alike in print and by colour-blind eyes. Six stops of matplotlib's `viridis`.
pub fn false_color(share: f32) -> Vec3 {
    const STOPS: [u32; 6] = [0x440154, 0x414487, 0x2a788e, 0x22a884, 0x7ad151, 0xfde725];
    let at = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let low = (at as usize).min(STOPS.len() - 2);
    srgb(STOPS[low]).lerp(srgb(STOPS[low + 1]), at - low as f32)
}

/// A ball for every particle.
fn balls(world: &World, body: &Body, color: Vec3) -> impl Iterator<Item = Item> {
    let material = Material { color, roughness: 0.5, ..Material::default() };
    let rows = world.particles.xw[body.range()].iter().zip(&world.particles.radius[body.range()]);
    rows.map(move |(row, radius)| {
        let (center, radius) = (row.truncate(), radius.max(2.0 * THINNEST));
        Item::Sphere(Sphere { center, radius, material })
    })
}

/// A line for every link.
fn links(world: &World, body: &Body, color: Vec3) -> impl Iterator<Item = Item> {
    let material = Material { color, roughness: 0.7, ..Material::default() };
    let set = world.constraints_of(&distance::KIND);
    let ends = set.into_iter().flat_map(|set| (0..set.len()).map(|number| set.particles(number)));
    ends.filter(|ends| ends.iter().all(|end| body.particles.contains(end))).map(move |ends| {
        let points = ends.iter().map(|&i| world.particles.position(i as usize)).collect();
        Item::Tube(Tube { points, radius: 0.5 * THINNEST, material })
    })
}

/// A surface if the body has one, a rope if not; coloured by the shares of the particles, if any.
fn item(world: &World, body: &Body, color: Vec3, shares: Option<&[f32]>) -> Item {
    let rows = &world.particles.xw[body.range()];
    let Some(surface) = surface(world, body) else {
        let radius = world.particles.radius[body.range()].iter().copied().fold(THINNEST, f32::max);
        let most = |shares: &[f32]| shares[body.range()].iter().copied().fold(0.0, f32::max);
        let color = shares.map_or(color, |shares| false_color(most(shares)));
        let glow = if shares.is_some() { GLOW } else { 0.0 };
        let material = Material { color, roughness: 0.7, glow, ..Material::default() };
        let points = rows.iter().map(|row| row.truncate()).collect();
        return Item::Tube(Tube { points, radius, material });
    };
    let colors = shares.map_or_else(Vec::new, |shares| {
        let own = &shares[body.range()];
        let bound = body.skin.as_ref().map(|skin| skin.interpolate(own));
        bound.as_deref().unwrap_or(own).iter().map(|&share| false_color(share)).collect()
    });
    let TriMesh { positions, triangles } = surface;
    let cloth = Material { color, roughness: 0.45, translucency: 0.1, ..Material::default() };
    let scale = Material { roughness: 1.0, reflectance: 0.0, glow: GLOW, ..cloth };
    let material = if colors.is_empty() { cloth } else { scale };
    let back = colors.is_empty().then_some(color * 0.75);
    Item::Mesh(Mesh { positions, triangles, material, back, colors, ..Mesh::default() })
}

/// The linear colour of what a cut has laid open in a body of this one.
pub fn inside_of(color: Vec3) -> Vec3 {
    color.lerp(srgb(INSIDE), INSIDE_SHARE)
}

/// What is seen of a body, apart from what cuts have laid open in it, which has a colour of its own.
fn opened(item: Item, body: &Body) -> Vec<Item> {
    let skin = body.skin.as_ref().filter(|skin| skin.inner.contains(&true));
    let (Item::Mesh(mesh), Some(skin)) = (&item, skin) else { return vec![item] };
    let [outside, mut inside] =
        skin.outer_and_inner().map(|triangles| Mesh { triangles, ..mesh.clone() });
    let color = inside_of(mesh.material.color);
    inside.material = Material { color, roughness: 0.6, ..inside.material };
    inside.back = inside.back.map(|_| color * 0.75);
    vec![Item::Mesh(outside), Item::Mesh(inside)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{Cloth, Rope};

    /// A cloth and a rope, both 5 % longer along x and in motion.
    fn world() -> World {
        let mut world = World::default();
        world.add(&Cloth { columns: 4, rows: 3, ..Cloth::default() }.blueprint().unwrap()).unwrap();
        world.add(&Rope::default().blueprint().unwrap()).unwrap();
        for i in 0..world.particles.len() {
            let x = world.particles.position(i) * Vec3::new(1.05, 1.0, 1.0);
            world.particles.set_position(i, x);
            world.particles.set_velocity(i, Vec3::X);
        }
        world
    }

    #[test]
    fn every_layer_is_found_by_its_name_and_shows_every_body() {
        let (world, frame) = (world(), stage([Vec3::NEG_ONE, Vec3::ONE]));
        for layer in Layer::ALL {
            assert_eq!(Layer::find(layer.name()), Some(*layer));
            assert!(picture_of(&world, &frame, *layer).items.len() >= 2, "{layer:?}");
        }
        assert_eq!(Layer::find("strain=0.02"), Some(Layer::Strain { most: 0.02 }));
        for wrong in ["stress", "strain=", "strain=-1", "strain=nan", "links=2"] {
            assert_eq!(Layer::find(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn colors_say_how_far_and_how_fast() {
        let (world, frame) = (world(), stage([Vec3::NEG_ONE, Vec3::ONE]));
        let colors = |layer| match &picture_of(&world, &frame, layer).items[0] {
            Item::Mesh(mesh) => mesh.colors.clone(),
            other => panic!("{other:?}"),
        };
        let strained = colors(Layer::Strain { most: 0.1 });
        let half = false_color(0.5);
        assert!(strained.iter().all(|color| color.distance(half) < 1e-3), "{strained:?}");
        assert!(colors(Layer::Speed { most: 0.5 }).iter().all(|&color| color == false_color(1.0)));
        assert!(colors(Layer::Surface).is_empty());
    }

    #[test]
    fn the_map_of_colors_gets_lighter_all_the_way() {
        let light = |share| false_color(share).dot(Vec3::new(0.2126, 0.7152, 0.0722));
        let steps: Vec<f32> = (0..=20).map(|k| light(k as f32 / 20.0)).collect();
        assert!(steps.is_sorted(), "{steps:?}");
    }
}
