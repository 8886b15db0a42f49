//! What does a view ray meet, and what colour is it there?

use super::geometry::{GROUND, Geometry, Primitive};
use super::light::{Brightness, Light};
use super::round::Round;
use super::scene::{Ground, Material, Scene, Shading};
use super::view::{Perspective, Ray, View};
use glam::{Vec2, Vec3};

/// All that is needed to find the colour of a sample.
pub(super) struct Shader<'a> {
    pub(super) scene: &'a Scene,
    pub(super) geometry: &'a Geometry,
    pub(super) light: &'a Light,
    pub(super) view: &'a Perspective,
}

/// A point of a surface, ready to be lit.
#[derive(Clone, Copy)]
pub(super) struct Surface {
    /// Number of the item, or [`GROUND_ITEM`].
    item: u32,
    depth: f32,
    position: Vec3,
    /// `position`, lifted to where the smooth surface would be that the triangles stand for.
    lifted: Vec3,
    /// Unit normal towards the viewer.
    normal: Vec3,
    color: Vec3,
    material: Material,
    /// Part of the sky that is seen.
    openness: f32,
    /// Part of the colour that the horizon replaces.
    fade: f32,
}

impl Surface {
    /// Whether both may be lit as one: parts of one item, near each other and facing alike.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.item == other.item
            && (self.depth - other.depth).abs() < 0.02 * self.depth
            && self.normal.dot(other.normal) > 0.9
    }

    /// A weighted mean of two surfaces that are alike.
    pub(super) fn blend(&self, other: &Self, t: f32) -> Self {
        let mix = |a: f32, b: f32| a + (b - a) * t;
        Self {
            depth: mix(self.depth, other.depth),
            position: self.position.lerp(other.position, t),
            lifted: self.lifted.lerp(other.lifted, t),
            normal: self.normal.lerp(other.normal, t).normalize_or(self.normal),
            color: self.color.lerp(other.color, t),
            openness: mix(self.openness, other.openness),
            fade: mix(self.fade, other.fade),
            ..*self
        }
    }
}

impl Shader<'_> {
    /// The surface of primitive `id` along the view ray through a place of the buffer.
    ///
    /// `None` for the sky. A ray that passes just beside the primitive gets its nearest point, as
    /// the place is the mean of several samples.
    pub(super) fn surface(&self, id: u32, x: f32, y: f32) -> Option<Surface> {
        let ray = self.view.ray(x, y);
        if id == GROUND {
            return Some(self.ground_surface(self.scene.ground.as_ref()?, &ray));
        }
        let (primitive, look) = self.geometry.primitive(id)?;
        let blank = Surface {
            item: look.item,
            depth: 1.0,
            position: Vec3::ZERO,
            lifted: Vec3::ZERO,
            normal: Vec3::Y,
            color: look.material.color,
            material: look.material,
            openness: 1.0,
            fade: 0.0,
        };
        Some(match primitive {
            Primitive::Triangle(triangle) => self.triangle(triangle, look.shading, &ray, blank),
            Primitive::Ball(ball) => self.round(ball, ball.center, &ray, blank),
            Primitive::Capsule(capsule) => {
                self.round(capsule, (capsule.a + capsule.b) * 0.5, &ray, blank)
            }
        })
    }

    fn round(&self, shape: &impl Round, middle: Vec3, ray: &Ray, blank: Surface) -> Surface {
        let nearest = (middle - ray.origin).dot(ray.direction) / ray.direction.length_squared();
        let depth = shape.entry(ray).unwrap_or(nearest);
        let position = ray.at(depth);
        let normal = shape.normal(position);
        let openness = self.light.openness(position, normal);
        Surface { depth, position, lifted: position, normal, openness, ..blank }
    }

    fn triangle(&self, triangle: [u32; 3], shading: Shading, ray: &Ray, blank: Surface) -> Surface {
        let corners = triangle.map(|i| i as usize);
        let p = corners.map(|i| self.geometry.positions[i]);
        let flat = (p[1] - p[0]).cross(p[2] - p[0]);
        let weights = barycentric(p, ray);
        let mix = |values: [Vec3; 3]| {
            values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
        };
        let is_back = flat.dot(ray.direction) > 0.0;
        let (side, sign) = if is_back { (1, -1.0) } else { (0, 1.0) };
        let position = mix(p);
        let n = match shading {
            Shading::Smooth => corners.map(|i| self.geometry.normals[i]),
            Shading::Flat => [flat.normalize_or_zero(); 3],
        };
        let normal = (mix(n) * sign).normalize_or(-ray.direction.normalize_or(Vec3::NEG_Z));
        let toward_sun = if mix(n).dot(self.light.toward_sun) < 0.0 { -1.0 } else { 1.0 };
        let open = corners.map(|i| self.geometry.openness[i][side]);
        Surface {
            depth: ray.depth_of(position),
            position,
            lifted: lift(position, p, n.map(|n| n * toward_sun), weights),
            normal: facing(normal, ray.direction),
            color: mix(corners.map(|i| self.geometry.colors[i][side])),
            openness: open[0] * weights[0] + open[1] * weights[1] + open[2] * weights[2],
            ..blank
        }
    }

    fn ground_surface(&self, ground: &Ground, ray: &Ray) -> Surface {
        let depth = (ground.height - ray.origin.y) / ray.direction.y;
        let position = ray.at(depth);
        let from_target = (position - self.scene.camera.target) / ground.reach.max(1e-6);
        let open = 1.0 / (1.0 + from_target.x * from_target.x + from_target.z * from_target.z);
        let slant = ray.direction.length() / ray.direction.y.abs();
        let footprint = depth * self.view.size * self.scene.samples.max(1) as f32 * slant.sqrt();
        let dark = checker(Vec2::new(position.x, position.z), ground.cell, footprint);
        Surface {
            item: GROUND_ITEM,
            depth,
            position,
            lifted: position,
            normal: Vec3::Y,
            color: ground.color * (1.0 - ground.contrast * dark),
            material: MATT,
            openness: self.light.ground(position).sky,
            fade: 1.0 - open * open,
        }
    }

    /// The light that `surface` sends to the eye.
    pub(super) fn lit(&self, surface: &Surface) -> Vec3 {
        let toward_eye = (self.view.eye - surface.position).normalize_or(surface.normal);
        if surface.fade > 0.999 {
            return self.sky(-toward_eye);
        }
        if surface.item == GROUND_ITEM {
            return self.lit_ground(surface).lerp(self.sky(-toward_eye), surface.fade);
        }
        let below = self.light.ground(surface.position);
        let sun = self.sunlight(surface, toward_eye);
        let ambient = self.ambient(surface.normal, surface.openness, below) * surface.color;
        let mirrored = self.mirrored(surface, toward_eye, below);
        (sun + ambient + mirrored).lerp(surface.color, surface.material.glow.clamp(0.0, 1.0))
    }

    /// The ground is matt: most of the picture, and the cheapest part of it.
    fn lit_ground(&self, surface: &Surface) -> Vec3 {
        let toward_sun = self.light.toward_sun;
        let sun = if toward_sun.y > 0.0 {
            self.scene.sun.color * (toward_sun.y * self.light.sun(surface.position, Vec3::Y))
        } else {
            Vec3::ZERO
        };
        surface.color * (sun + self.skylight() * surface.openness)
    }

    /// Sunlight scattered, mirrored and let through.
    fn sunlight(&self, surface: &Surface, toward_eye: Vec3) -> Vec3 {
        let Surface { normal, material, color, .. } = surface;
        let toward_sun = self.light.toward_sun;
        let cosine = normal.dot(toward_sun);
        let translucency = material.translucency.clamp(0.0, 1.0);
        if cosine <= 0.0 && translucency == 0.0 {
            return Vec3::ZERO;
        }
        let sunward = if cosine > 0.0 { *normal } else { -*normal };
        let arriving = self.scene.sun.color * self.light.sun(surface.lifted, sunward);
        let scattered =
            if cosine > 0.0 { (1.0 - 0.5 * translucency) * cosine } else { -cosine * translucency };
        let mirrored = glint(material, *normal, toward_eye, toward_sun) * cosine.max(0.0);
        arriving * (*color * scattered + mirrored)
    }

    /// Light from all around: the sky above, and what the ground sends back from below.
    fn ambient(&self, normal: Vec3, openness: f32, below: Brightness) -> Vec3 {
        let up = 0.5 + 0.5 * normal.y;
        self.skylight() * (up * openness) + self.bounce(below) * (1.0 - up)
    }

    /// Mean light of the sky.
    fn skylight(&self) -> Vec3 {
        let sky = &self.scene.sky;
        sky.zenith.lerp(sky.horizon, 0.45) * sky.light
    }

    /// What the ground sends back.
    fn bounce(&self, below: Brightness) -> Vec3 {
        // Without a ground, half of the sky's light comes from below, as in a white room.
        let Some(ground) = &self.scene.ground else { return self.skylight() * 0.5 };
        let sun = self.scene.sun.color * (self.light.toward_sun.y.max(0.0) * below.sun);
        // The ground that a point sees is lit more evenly than the place below it.
        ground.color * (sun * 0.35 + self.skylight() * (0.25 + 0.55 * below.sky))
    }

    /// The mirror image of the surroundings, stronger at grazing angles (Schlick 1994).
    fn mirrored(&self, surface: &Surface, toward_eye: Vec3, below: Brightness) -> Vec3 {
        let Surface { normal, material, openness, .. } = *surface;
        let facing = normal.dot(toward_eye).clamp(0.0, 1.0);
        let base = material.reflectance.clamp(0.0, 1.0);
        let smooth = 1.0 - material.roughness.clamp(0.0, 1.0);
        let grazing = fifth_power(1.0 - facing) * (smooth.max(base) - base);
        let direction = normal * (2.0 * normal.dot(toward_eye)) - toward_eye;
        let up = (direction.y * 2.0 + 0.5).clamp(0.0, 1.0);
        let image = self.bounce(below).lerp(self.sky(direction), up);
        image * ((base + grazing) * openness)
    }

    /// The colour of the sky in a unit direction.
    pub(super) fn sky(&self, direction: Vec3) -> Vec3 {
        let sky = &self.scene.sky;
        let down = 1.0 - ((direction.y + HAZE) * (1.0 / (1.0 + HAZE))).clamp(0.0, 1.0);
        let glow = direction.dot(self.light.toward_sun).max(0.0);
        let glow = glow * glow * glow * glow * 0.06;
        sky.horizon.lerp(sky.zenith, 1.0 - down * down)
            + self.scene.sun.color * (glow * (1.0 - down))
    }
}

/// Stands for the ground where items are numbered.
const GROUND_ITEM: u32 = u32::MAX;
/// How the ground answers light; its colour comes from the scene.
const MATT: Material =
    Material { color: Vec3::ONE, roughness: 1.0, reflectance: 0.0, translucency: 0.0, glow: 0.0 };

/// How far the gradient of the sky goes on below the horizon (sine of the angle). Cameras mostly
/// look down a little, and would otherwise see none of it.
const HAZE: f32 = 0.3;

impl Ray {
    fn depth_of(&self, point: Vec3) -> f32 {
        (point - self.origin).dot(self.direction) / self.direction.length_squared()
    }
}

/// Weights of the corners at the point of a triangle that the ray meets, or near it.
///
/// Möller and Trumbore 1997, "Fast, Minimum Storage Ray/Triangle Intersection", with the weights
/// kept between 0 and 1. A triangle seen edge-on gives its middle.
fn barycentric([a, b, c]: [Vec3; 3], ray: &Ray) -> [f32; 3] {
    let (ab, ac) = (b - a, c - a);
    let p = ray.direction.cross(ac);
    let determinant = ab.dot(p);
    if determinant.abs() < 1e-20 {
        return [1.0 / 3.0; 3];
    }
    let from_a = ray.origin - a;
    let v = (from_a.dot(p) / determinant).clamp(0.0, 1.0);
    let w = (ray.direction.dot(from_a.cross(ab)) / determinant).clamp(0.0, 1.0);
    let sum = (v + w).max(1.0);
    [1.0 - (v + w) / sum, v / sum, w / sum]
}

/// The point of the curved surface that a triangle with vertex normals stands for.
///
/// Shadow tests start there, so that the edges of the triangles do not show where light grazes.
/// Hanika 2021, "Hacking the Shadow Terminator", Ray Tracing Gems II, chapter 4.
fn lift(point: Vec3, corners: [Vec3; 3], normals: [Vec3; 3], weights: [f32; 3]) -> Vec3 {
    let mut lifted = point;
    for k in 0..3 {
        let above = (point - corners[k]).dot(normals[k]).min(0.0);
        lifted -= normals[k] * (above * weights[k]);
    }
    lifted
}

/// `normal`, bent until it does not face away from the viewer: smooth normals may at silhouettes.
fn facing(normal: Vec3, direction: Vec3) -> Vec3 {
    let away = normal.dot(direction);
    if away <= 0.0 {
        return normal;
    }
    (normal - direction * (away / direction.length_squared())).normalize_or(normal)
}

/// The highlight of the sun: part of its light that a rough surface mirrors to the eye, times π.
///
/// Microfacets as in Walter et al. 2007 (GGX), with the visibility and Fresnel terms of
/// Karis 2013, "Real Shading in Unreal Engine 4", in the cheap form used on phones.
fn glint(material: &Material, normal: Vec3, toward_eye: Vec3, toward_sun: Vec3) -> f32 {
    let half = (toward_eye + toward_sun).normalize_or(normal);
    let roughness = material.roughness.clamp(0.08, 1.0);
    let a2 = roughness * roughness * roughness * roughness;
    let nh = normal.dot(half).max(0.0);
    let lh = toward_sun.dot(half).max(0.0);
    let d = nh * nh * (a2 - 1.0) + 1.0;
    material.reflectance.clamp(0.0, 1.0) * a2
        / (d * d * (lh * lh).max(0.1) * (roughness * 4.0 + 2.0))
}

fn fifth_power(x: f32) -> f32 {
    let square = x * x;
    square * square * x
}

/// A checker pattern of 0 and 1, averaged over a square of side `footprint` (m).
///
/// The exact integral, so that it neither flickers nor makes moiré in the distance.
/// Quilez 2017, "Checkers Texture Filtering".
fn checker(at: Vec2, cell: f32, footprint: f32) -> f32 {
    // Also when one of them is NaN.
    if !(cell > 0.0 && footprint.is_finite()) {
        return 0.0;
    }
    let width = (footprint / cell).max(1e-3);
    let integral = |x: f32| {
        // The same for x and -x, so a cast does for `f32::floor`, a call without SSE4.1.
        let half = x.abs() * 0.5;
        (half - half as u32 as f32 - 0.5).abs()
    };
    let band = |x: f32| 2.0 * (integral(x - 0.5 * width) - integral(x + 0.5 * width)) / width;
    0.5 - 0.5 * band(at.x / cell) * band(at.y / cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_give_the_point_that_the_ray_meets() {
        let corners =
            [Vec3::new(-1.0, 0.0, -3.0), Vec3::new(2.0, 0.0, -4.0), Vec3::new(0.0, 2.0, -5.0)];
        let target = corners[0] * 0.2 + corners[1] * 0.5 + corners[2] * 0.3;
        let ray = Ray { origin: Vec3::ZERO, direction: target * 0.25 };
        let weights = barycentric(corners, &ray);
        for (weight, exact) in weights.iter().zip([0.2, 0.5, 0.3]) {
            assert!((weight - exact).abs() < 1e-5, "weights are {weights:?}");
        }
        assert_eq!(barycentric([Vec3::X; 3], &ray), [1.0 / 3.0; 3]);
    }

    #[test]
    fn checkers_alternate_near_and_blend_far_away() {
        let at = |x: f32, y: f32, footprint| checker(Vec2::new(x, y), 1.0, footprint);
        assert!((at(0.5, 0.5, 0.01) - at(1.5, 1.5, 0.01)).abs() < 1e-3);
        assert!((at(0.5, 0.5, 0.01) - at(1.5, 0.5, 0.01)).abs() > 0.99);
        assert!((at(0.5, 0.5, 200.0) - 0.5).abs() < 0.02);
        assert_eq!(checker(Vec2::ZERO, 0.0, 0.1), 0.0);
        assert_eq!(checker(Vec2::ZERO, 1.0, f32::NAN), 0.0);
    }
}
