//! The camera: orbit, pan, zoom, and the ray under the pointer.

use pliant::glam::camera::rh::proj::directx::perspective;
use pliant::glam::camera::rh::view::look_at_mat4;
use pliant::glam::{Mat4, Vec2, Vec3};
use pliant::raster;

/// Nearest that the eye comes to what it looks at (m).
const NEAREST: f32 = 1e-3;

/// Farthest that it goes (m).
const FARTHEST: f32 = 1e4;

/// Steepest angle of the view against the horizon (rad): straight down has no up.
const STEEPEST: f32 = 1.55;

/// How far the scene reaches behind what is looked at, in distances of the eye.
const DEPTH: f32 = 50.0;

/// Width over height below which a picture shows as much from left to right as if it were so wide, and
/// more above and below: that of a window of the usual size, between its panels.
const NARROW: f32 = 1.15;

/// An eye on a sphere around what it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it looks at (m).
    pub target: Vec3,
    /// Angle about the upward axis (rad); 0 looks along −z.
    pub yaw: f32,
    /// Angle above the horizon (rad).
    pub pitch: f32,
    /// From the eye to the target (m).
    pub distance: f32,
    /// Angle between the lower and the upper edge of a picture that is not narrow (rad).
    pub field_of_view: f32,
}

/// A line of sight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins (m).
    pub origin: Vec3,
    /// Where it goes, of unit length.
    pub direction: Vec3,
}

impl Ray {
    /// The point so far along it (m).
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + self.direction * t
    }

    /// Where it meets the plane through a point, if it does.
    pub fn meets(&self, through: Vec3, normal: Vec3) -> Option<Vec3> {
        let slope = self.direction.dot(normal);
        let t = (through - self.origin).dot(normal) / slope;
        (slope.abs() > 1e-6 && t > 0.0 && t.is_finite()).then(|| self.at(t))
    }
}

impl Camera {
    /// The camera of a picture.
    pub fn of(camera: &raster::Camera) -> Self {
        let back = camera.eye - camera.target;
        let distance = back.length().clamp(NEAREST, FARTHEST);
        let pitch = libm::asinf((back.y / distance).clamp(-1.0, 1.0));
        Self {
            target: camera.target,
            yaw: libm::atan2f(back.x, back.z),
            pitch: pitch.clamp(-STEEPEST, STEEPEST),
            distance,
            field_of_view: camera.field_of_view,
        }
    }

    /// From the target to the eye, of unit length.
    fn back(&self) -> Vec3 {
        let (sin, cos) = (libm::sinf(self.pitch), libm::cosf(self.pitch));
        Vec3::new(cos * libm::sinf(self.yaw), sin, cos * libm::cosf(self.yaw))
    }

    /// Where the eye is (m).
    pub fn eye(&self) -> Vec3 {
        self.target + self.back() * self.distance
    }

    /// The direction of the view, of unit length.
    pub fn forward(&self) -> Vec3 {
        -self.back()
    }

    /// Right and up of the picture, of unit length.
    pub fn axes(&self) -> [Vec3; 2] {
        let right = Vec3::Y.cross(self.back()).normalize_or(Vec3::X);
        [right, self.back().cross(right)]
    }

    /// Half the height of a picture, for each metre away; `aspect` is its width over its height.
    pub fn half_height(&self, aspect: f32) -> f32 {
        libm::tanf(self.field_of_view / 2.0) * (NARROW / aspect.max(1e-3)).max(1.0)
    }

    /// Turns around the target by a drag, in heights of the picture.
    pub fn orbit(&mut self, drag: Vec2) {
        self.yaw = (self.yaw - drag.x * std::f32::consts::PI) % std::f32::consts::TAU;
        self.pitch = (self.pitch + drag.y * std::f32::consts::PI).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves sideways, so that the target follows a drag, in heights of the picture.
    pub fn pan(&mut self, drag: Vec2, aspect: f32) {
        let [right, up] = self.axes();
        let height = 2.0 * self.distance * self.half_height(aspect);
        self.target += (up * drag.y - right * drag.x) * height;
    }

    /// Comes nearer by a factor (below 1) or goes away, so that what is under `ray` stays there.
    pub fn zoom(&mut self, ray: Ray, factor: f32) {
        let distance = (self.distance * factor).clamp(NEAREST, FARTHEST);
        let factor = distance / self.distance;
        if let Some(place) = ray.meets(self.target, self.forward()) {
            self.target = place + (self.target - place) * factor;
        }
        self.distance = distance;
    }

    /// Flies: to the right, up and forward, in distances of the eye.
    pub fn fly(&mut self, by: Vec3) {
        let [right, up] = self.axes();
        self.target += (right * by.x + up * by.y + self.forward() * by.z) * self.distance;
    }

    /// How far to the right and up a direction goes for each metre forward; `None` if it goes back.
    pub fn slope(&self, direction: Vec3) -> Option<Vec2> {
        let [right, up] = self.axes();
        let along = direction.dot(self.forward());
        let slope = Vec2::new(direction.dot(right), direction.dot(up)) / along;
        (along > 0.0 && slope.is_finite()).then_some(slope)
    }

    /// It as `[view]` of a scene.
    pub fn as_text(&self) -> String {
        let [eye, target] = [self.eye(), self.target].map(|x| {
            let [x, y, z] = x.to_array();
            format!("[{x:.4}, {y:.4}, {z:.4}]")
        });
        let angle = self.field_of_view;
        format!("[view]\neye = {eye}\ntarget = {target}\nfield_of_view = {angle:.4}\n")
    }

    /// Looks at a box from where it looks at things now (m).
    pub fn frame(&mut self, [low, high]: [Vec3; 2]) {
        let radius = (high - low).length() / 2.0;
        self.target = (low + high) / 2.0;
        let sine = libm::sinf(self.field_of_view / 2.0).max(1e-3);
        self.distance = (1.05 * radius.max(1e-3) / sine).clamp(NEAREST, FARTHEST);
    }

    /// The world in the picture: x and y from −1 to 1, depth from 1 (near) to 0 (far).
    ///
    /// Depth runs backwards, which keeps its precision where it is needed.
    pub fn projection(&self, aspect: f32) -> Mat4 {
        let view = look_at_mat4(self.eye(), self.target, Vec3::Y);
        let [near, far] = [self.distance * 0.01, self.distance * DEPTH];
        // With near and far swapped, near is at 1.
        let angle = 2.0 * libm::atanf(self.half_height(aspect));
        perspective(angle, aspect, far, near) * view
    }

    /// The line of sight through a place of the picture: x to the right, y up, each from −1 to 1.
    pub fn ray(&self, place: Vec2, aspect: f32) -> Ray {
        let [right, up] = self.axes();
        let half = self.half_height(aspect);
        let direction = self.forward() + right * (place.x * half * aspect) + up * (place.y * half);
        Ray { origin: self.eye(), direction: direction.normalize_or(self.forward()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera {
            target: Vec3::new(0.3, 1.0, -0.2),
            yaw: 0.5,
            pitch: 0.3,
            distance: 3.0,
            field_of_view: 0.6,
        }
    }

    /// Where a point is in the picture.
    fn place(camera: &Camera, x: Vec3) -> Vec2 {
        camera.projection(1.5).project_point3(x).truncate()
    }

    #[test]
    fn a_ray_goes_through_the_place_that_it_is_asked_for() {
        let camera = camera();
        for wanted in [Vec2::ZERO, Vec2::new(0.7, -0.4), Vec2::new(-0.9, 0.9)] {
            let ray = camera.ray(wanted, 1.5);
            for t in [0.5, 2.0, 7.0] {
                assert!(place(&camera, ray.at(t)).distance(wanted) < 1e-4, "{wanted} at {t}");
            }
        }
        assert!(place(&camera, camera.target).length() < 1e-5);
    }

    #[test]
    fn what_is_under_the_pointer_stays_there_when_zooming() {
        let mut camera = camera();
        let pointer = Vec2::new(0.6, 0.5);
        let ray = camera.ray(pointer, 1.5);
        let under = ray.meets(camera.target, camera.forward()).unwrap();
        for factor in [0.5, 1.7, 0.9] {
            camera.zoom(camera.ray(pointer, 1.5), factor);
            assert!(place(&camera, under).distance(pointer) < 1e-4);
        }
    }

    #[test]
    fn a_drag_of_the_whole_height_moves_the_target_by_the_whole_height() {
        let mut camera = camera();
        let before = camera.target;
        camera.pan(Vec2::new(0.0, -0.5), 1.5);
        assert!((place(&camera, before).y - 1.0).abs() < 1e-3, "{}", place(&camera, before));
    }

    #[test]
    fn a_narrow_picture_shows_as_much_from_left_to_right_and_rays_go_where_it_does() {
        let camera = camera();
        let [right, up] = camera.axes();
        let seen = |x: Vec3, aspect: f32| camera.projection(aspect).project_point3(x).truncate();
        let edge = camera.target + right * camera.half_height(NARROW) * NARROW * camera.distance;
        for aspect in [NARROW, 0.8, 0.4] {
            assert!(seen(edge, aspect).distance(Vec2::X) < 1e-4, "{aspect}");
            let wanted = Vec2::new(0.6, -0.7);
            let ray = camera.ray(wanted, aspect);
            assert!(seen(ray.at(2.0), aspect).distance(wanted) < 1e-4, "{aspect}");
        }
        // A wide one shows more at the sides and the same above.
        let top = camera.target + up * libm::tanf(0.3) * camera.distance;
        for aspect in [1.2, 2.0] {
            assert!(seen(top, aspect).distance(Vec2::Y) < 1e-4, "{aspect}");
        }
    }

    #[test]
    fn the_camera_of_a_picture_is_taken_over() {
        let of = raster::Camera { eye: Vec3::new(1.0, 2.0, 3.0), ..raster::Camera::default() };
        let camera = Camera::of(&of);
        assert!(camera.eye().distance(of.eye) < 1e-4);
        assert!(camera.target.distance(of.target) < 1e-6);
    }

    #[test]
    fn framing_shows_every_corner_also_in_a_narrow_picture() {
        let mut camera = camera();
        let [low, high] = [Vec3::new(-1.0, 0.0, -2.0), Vec3::new(1.0, 3.0, 0.5)];
        camera.frame([low, high]);
        for k in 0..8 {
            let pick = |bit: u32| if k >> bit & 1 == 0 { low } else { high };
            let corner = Vec3::new(pick(0).x, pick(1).y, pick(2).z);
            for aspect in [2.0, 1.5, 1.0, 0.5] {
                let place = camera.projection(aspect).project_point3(corner).truncate();
                assert!(place.abs().max_element() < 1.0, "{corner} is at {place}, {aspect}");
            }
        }
    }
}
