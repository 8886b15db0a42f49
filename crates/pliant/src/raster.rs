//! A small software renderer: a [`Scene`] in, an [`Image`] out.
//!
//! It exists so that every result can be looked at: on a server without a GPU, in a test, in a
//! README. It reads no file and no clock, and the same scene gives the same bytes every time, on
//! any number of threads.
//!
//! ```text
//! flatten        items → triangles, balls, segments; smooth normals     geometry
//! light          one depth map from the sun, several from the sky       light, depth_map
//! for each band of rows
//!     cover      which primitive does each sample see?                  fill, round
//!     shade      once per surface and pixel, not per sample             resolve, shade
//!     encode     tone map, average, sRGB                                tone
//! ```
//!
//! Samples decide *what* is seen and pixels decide *how it is lit*, so supersampling smooths
//! silhouettes at a fraction of its usual price. Attributes are not interpolated while filling:
//! the sample stores only which primitive it sees, and shading intersects the view ray with it.
//!
//! ```
//! use pliant::raster::{render, srgb, Item, Material, Scene, Sphere};
//!
//! let mut scene = Scene::framing([glam::Vec3::splat(-0.5), glam::Vec3::splat(0.5)]);
//! let material = Material { color: srgb(0xe4572e), ..Material::default() };
//! scene.items.push(Item::Sphere(Sphere { center: glam::Vec3::ZERO, radius: 0.5, material }));
//! let image = render(&scene, 64, 48);
//! assert_eq!(image.rgb.len(), 64 * 48);
//! ```

mod camera;
mod depth_map;
mod fill;
mod geometry;
mod image;
mod light;
mod resolve;
mod round;
mod scene;
mod shade;
mod threads;
mod tone;
mod view;

#[cfg(test)]
mod tests;

pub use camera::Camera;
pub use image::Image;
pub use scene::{Ground, Item, Material, Mesh, Scene, Shading, Sky, Sphere, Sun, Tube};
pub use tone::{encode_srgb, srgb};

use geometry::Geometry;
use light::Light;
use view::Perspective;

/// Longest side of an image (pixels); a larger request is cut to this.
pub const MAX_SIDE: u32 = 16_384;

/// Draws `scene` as an image of `width` × `height` pixels.
///
/// Never fails: primitives with a coordinate that is not finite or beyond 100 km, triangles that
/// name a missing vertex and radii that are not positive are left out; a camera that looks
/// nowhere is replaced by the default; an image without pixels is empty.
pub fn render(scene: &Scene, width: u32, height: u32) -> Image {
    let (width, height) = (width.min(MAX_SIDE), height.min(MAX_SIDE));
    let mut image = Image::new(width, height);
    if image.rgb.is_empty() {
        return image;
    }
    let samples = scene.samples.clamp(1, resolve::MAX_SAMPLES);
    let view = Perspective::new(&scene.camera, width * samples, height * samples);
    let mut geometry = Geometry::new(&scene.items);
    let light = Light::new(scene, &mut geometry);
    let shader = shade::Shader { scene, geometry: &geometry, light: &light, view: &view };
    resolve::resolve(&shader, &mut image, samples);
    image
}
