//! Projections: from points in the world to samples of a buffer, and back to rays.

use super::camera::Camera;
use glam::Vec3;

/// The points `origin + t * direction`, where `t` is the depth in the view that made the ray.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    pub(super) origin: Vec3,
    pub(super) direction: Vec3,
}

impl Ray {
    pub(super) fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }
}

/// A projection onto a buffer: x to the right, y down, sample centres at halves.
pub(super) trait View: Sync {
    /// Nearest visible depth (m).
    const NEAR: f32;

    /// Coordinates along right, up and forward (m); the last is the depth.
    fn view_from_world(&self, point: Vec3) -> Vec3;

    /// Place in the buffer of a point in view coordinates, with a depth of at least `NEAR`.
    fn buffer_from_view(&self, point: Vec3) -> [f32; 2];

    /// Corners (least, greatest) in the buffer of the shadow of a ball given in view coordinates;
    /// `None` if it reaches so near that it may cover everything.
    fn ball_bounds(&self, center: Vec3, radius: f32) -> Option<[[f32; 2]; 2]>;

    /// The ray through a place of the buffer.
    fn ray(&self, x: f32, y: f32) -> Ray;

    /// A measure that is greater for nearer things, and linear over the buffer on a plane.
    fn closeness(depth: f32) -> f32;
}

/// The view of a camera.
pub(super) struct Perspective {
    pub(super) eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    /// Samples per unit of tangent.
    scale: f32,
    /// Width of a sample at depth 1 m (m).
    pub(super) size: f32,
    middle: [f32; 2],
}

impl Perspective {
    /// The view of `camera` on a buffer of `width` × `height` samples.
    pub(super) fn new(camera: &Camera, width: u32, height: u32) -> Self {
        let fallback = Camera::default();
        let (camera, axes) = match camera.axes() {
            Some(axes) => (*camera, axes),
            None => (fallback, fallback.axes().unwrap_or([Vec3::X, Vec3::Y, Vec3::NEG_Z])),
        };
        let [right, up, forward] = axes;
        let tangent = libm::tanf(camera.field_of_view.clamp(0.01, 3.0) * 0.5);
        let middle = [width as f32 * 0.5, height as f32 * 0.5];
        let (scale, size) = (middle[1] / tangent, tangent / middle[1]);
        Self { eye: camera.eye, right, up, forward, scale, size, middle }
    }
}

impl View for Perspective {
    /// 1 mm: organs are drawn from centimetres away, and 1/depth keeps its precision.
    const NEAR: f32 = 1e-3;

    fn view_from_world(&self, point: Vec3) -> Vec3 {
        let p = point - self.eye;
        Vec3::new(p.dot(self.right), p.dot(self.up), p.dot(self.forward))
    }

    fn buffer_from_view(&self, point: Vec3) -> [f32; 2] {
        let scale = self.scale / point.z;
        [self.middle[0] + point.x * scale, self.middle[1] - point.y * scale]
    }

    fn ball_bounds(&self, center: Vec3, radius: f32) -> Option<[[f32; 2]; 2]> {
        if center.z <= radius + Self::NEAR {
            return None;
        }
        // The tangents from the eye to the ball's circle in the planes x = 0 and y = 0.
        let denominator = center.z * center.z - radius * radius;
        let tangents = |side: f32| {
            let root = radius * (side * side + denominator).max(0.0).sqrt();
            let middle = side * center.z;
            [(middle - root) / denominator, (middle + root) / denominator]
        };
        let ([left, right], [bottom, top]) = (tangents(center.x), tangents(center.y));
        let [x, y] = self.middle;
        Some([
            [x + left * self.scale, y - top * self.scale],
            [x + right * self.scale, y - bottom * self.scale],
        ])
    }

    fn ray(&self, x: f32, y: f32) -> Ray {
        let (a, b) = ((x - self.middle[0]) * self.size, (self.middle[1] - y) * self.size);
        Ray { origin: self.eye, direction: self.forward + self.right * a + self.up * b }
    }

    fn closeness(depth: f32) -> f32 {
        1.0 / depth
    }
}

/// The view of a light at infinity.
pub(super) struct Parallel {
    pub(super) right: Vec3,
    pub(super) up: Vec3,
    pub(super) forward: Vec3,
    /// Samples per metre.
    pub(super) scale: f32,
    /// Place of the world's origin in the buffer.
    pub(super) offset: [f32; 2],
}

impl Parallel {
    /// Looks along `forward` (of unit length); one sample is one metre and the origin is at 0, 0.
    pub(super) fn along(forward: Vec3) -> Self {
        let (right, up) = forward.any_orthonormal_pair();
        // `any_orthonormal_pair` gives right × up = forward; a view looks along -(right × up).
        Self { right, up: -up, forward, scale: 1.0, offset: [0.0; 2] }
    }
}

impl View for Parallel {
    const NEAR: f32 = f32::NEG_INFINITY;

    fn view_from_world(&self, point: Vec3) -> Vec3 {
        Vec3::new(point.dot(self.right), point.dot(self.up), point.dot(self.forward))
    }

    fn buffer_from_view(&self, point: Vec3) -> [f32; 2] {
        [self.offset[0] + point.x * self.scale, self.offset[1] - point.y * self.scale]
    }

    fn ball_bounds(&self, center: Vec3, radius: f32) -> Option<[[f32; 2]; 2]> {
        let ([x, y], r) = (self.buffer_from_view(center), radius * self.scale);
        Some([[x - r, y - r], [x + r, y + r]])
    }

    fn ray(&self, x: f32, y: f32) -> Ray {
        let (a, b) = ((x - self.offset[0]) / self.scale, (self.offset[1] - y) / self.scale);
        Ray { origin: self.right * a + self.up * b, direction: self.forward }
    }

    fn closeness(depth: f32) -> f32 {
        -depth
    }
}
