//! What is drawn: plain data, every field may hold any value.

use super::camera::Camera;
use super::tone::srgb;
use glam::Vec3;

/// Everything that one picture shows. Colours are linear; see [`srgb`].
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Where the picture is taken from.
    pub camera: Camera,
    /// The light that casts the shadows.
    pub sun: Sun,
    /// The background, and the light that comes from all around.
    pub sky: Sky,
    /// The floor, if there is one.
    pub ground: Option<Ground>,
    /// The things in the scene.
    pub items: Vec<Item>,
    /// Samples per pixel along each axis, 1 to 4: 2 means 2 × 2.
    pub samples: u32,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            camera: Camera::default(),
            sun: Sun::default(),
            sky: Sky::default(),
            ground: Some(Ground::default()),
            items: Vec::new(),
            samples: 2,
        }
    }
}

impl Scene {
    /// An empty scene whose camera sees the box from `min` to `max` (m), standing on the ground.
    ///
    /// The pattern of the ground and how far it reaches follow the size of the box.
    pub fn framing(bounds: [Vec3; 2]) -> Self {
        let camera = Camera::framing(bounds);
        let distance = camera.eye.distance(camera.target);
        let height = if bounds[0].y.is_finite() { bounds[0].y } else { 0.0 };
        let ground =
            Ground { height, cell: distance * 0.1, reach: distance * 1.5, ..Ground::default() };
        Self { camera, ground: Some(ground), ..Self::default() }
    }
}

/// A light at infinity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// From the scene towards the sun; any length. Zero or not finite means straight up.
    pub direction: Vec3,
    /// Linear colour times brightness; 0 switches the sun off.
    pub color: Vec3,
    /// Angle under which the radius of the sun is seen (rad). Larger gives softer shadows;
    /// the real sun has 0.0047.
    pub radius: f32,
}

impl Default for Sun {
    fn default() -> Self {
        Self {
            direction: Vec3::new(-0.55, 0.95, 0.45),
            color: Vec3::new(1.0, 0.89, 0.74) * 1.75,
            radius: 0.05,
        }
    }
}

/// A sky that is a gradient from the horizon to the zenith.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Linear colour straight up.
    pub zenith: Vec3,
    /// Linear colour at the horizon, into which the ground fades.
    pub horizon: Vec3,
    /// Brightness of the light that the sky sheds on the scene, as a multiple of its colour.
    pub light: f32,
}

impl Default for Sky {
    fn default() -> Self {
        Self { zenith: srgb(0x6ea6e6), horizon: srgb(0xe8eef4), light: 0.72 }
    }
}

/// An infinite horizontal floor with a faint checker pattern; invisible from below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// The y of the floor (m).
    pub height: f32,
    /// Linear colour.
    pub color: Vec3,
    /// How much darker every other field of the pattern is, 0 to 1.
    pub contrast: f32,
    /// Side of a field of the pattern (m). Not positive means no pattern.
    pub cell: f32,
    /// Distance from the camera's target over which the floor fades into the horizon (m).
    pub reach: f32,
}

impl Default for Ground {
    fn default() -> Self {
        Self { height: 0.0, color: srgb(0xbdb9b3), contrast: 0.11, cell: 0.5, reach: 8.0 }
    }
}

/// How a surface answers light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Linear colour, 0 to 1; see [`srgb`].
    pub color: Vec3,
    /// 0 is a mirror, 1 is chalk.
    pub roughness: f32,
    /// Part of the light reflected when looking straight at the surface; 0.04 for plastics.
    pub reflectance: f32,
    /// Part of the sunlight that shines through: 0 for wood, 0.3 for thin cloth.
    pub translucency: f32,
    /// Part of its colour that is seen whatever the light: 0 for things, more for colours that are
    /// to be read off a scale.
    pub glow: f32,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            color: srgb(0xd8d8d8),
            roughness: 0.5,
            reflectance: 0.04,
            translucency: 0.0,
            glow: 0.0,
        }
    }
}

/// One thing in a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A surface of triangles.
    Mesh(Mesh),
    /// A ball.
    Sphere(Sphere),
    /// A rope.
    Tube(Tube),
}

/// How normals vary over a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shading {
    /// Normals are averaged at the vertices: cloth, jelly, organs.
    #[default]
    Smooth,
    /// Each triangle is flat: boxes.
    Flat,
}

/// A surface of triangles, seen from both sides.
///
/// The front is the side from which the vertices run counter-clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions of the vertices (m).
    pub positions: Vec<Vec3>,
    /// Three indices into `positions` each.
    pub triangles: Vec<[u32; 3]>,
    /// The look of the surface.
    pub material: Material,
    /// Linear colour of the back; `None` means that of the front.
    pub back: Option<Vec3>,
    /// Linear colour per vertex, which replaces the material's on the front. Used only when
    /// there is one for each position.
    pub colors: Vec<Vec3>,
    /// How normals vary.
    pub shading: Shading,
}

/// A ball, exactly round at any size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The middle (m).
    pub center: Vec3,
    /// Distance from the middle to the surface (m).
    pub radius: f32,
    /// The look of the surface.
    pub material: Material,
}

/// A line with round cross-section and round ends, through `points` in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Tube {
    /// The middle line (m). A single point draws a ball.
    pub points: Vec<Vec3>,
    /// Distance from the middle line to the surface (m).
    pub radius: f32,
    /// The look of the surface.
    pub material: Material,
}
