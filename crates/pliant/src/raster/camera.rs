//! Where the picture is taken from.

use glam::Vec3;

/// A pinhole camera. Right-handed, y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera is (m).
    pub eye: Vec3,
    /// What it looks at: the middle of the picture (m).
    pub target: Vec3,
    /// Roughly the upward direction of the picture; any length.
    pub up: Vec3,
    /// Angle between the lower and the upper edge of the picture (rad).
    pub field_of_view: f32,
}

/// From the target towards the eye when a camera is chosen by [`Camera::framing`]: from the
/// right, a little above, as one looks at a thing on a table.
const FRAMING_SIDE: Vec3 = Vec3::new(0.48, 0.30, 0.83);
/// Vertical angle of a framing camera (rad): 34°, a portrait lens, which distorts little.
const FRAMING_ANGLE: f32 = 0.6;
/// Pictures are assumed at least this wide (width by height) when a box is framed.
const FRAMING_ASPECT: f32 = 4.0 / 3.0;
/// Part of the picture that the framed box may fill.
const FRAMING_FILL: f32 = 0.94;

impl Default for Camera {
    fn default() -> Self {
        Self::framing([Vec3::splat(-1.0), Vec3::splat(1.0)])
    }
}

impl Camera {
    /// A camera that sees the whole box from `min` to `max` (m) in a picture of 4:3 or wider.
    ///
    /// A box that is empty or not finite is replaced by one of 2 m around the origin, and one
    /// smaller than 1 mm is grown to it.
    pub fn framing([min, max]: [Vec3; 2]) -> Self {
        let valid = min.is_finite() && max.is_finite() && min.cmple(max).all();
        let (min, max) = if valid { (min, max) } else { (Vec3::splat(-1.0), Vec3::splat(1.0)) };
        let target = (min + max) * 0.5;
        let half = ((max - min) * 0.5).max(Vec3::splat(5e-4));

        let back = FRAMING_SIDE.normalize_or(Vec3::Z);
        let right = Vec3::Y.cross(back).normalize_or(Vec3::X);
        let up = back.cross(right);
        let tangent = libm::tanf(FRAMING_ANGLE * 0.5) * FRAMING_FILL;
        let corners: [Vec3; 8] = std::array::from_fn(|corner| {
            let sign = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            half * Vec3::new(sign(0), sign(1), sign(2))
        });

        // What is near looks larger, so the middle of the box is not the middle of its picture:
        // move up or down and step back, in turns; three are enough for a pixel.
        let (mut distance, mut shift) = (0.0_f32, 0.0_f32);
        for _ in 0..3 {
            distance = corners.iter().fold(0.0, |distance: f32, p| {
                let reach = (p.dot(up) - shift).abs().max(p.dot(right).abs() / FRAMING_ASPECT);
                distance.max(reach / tangent + p.dot(back))
            });
            let heights = corners.map(|p| (p.dot(up) - shift) / (distance - p.dot(back)));
            let top = heights.into_iter().fold(f32::NEG_INFINITY, f32::max);
            let bottom = heights.into_iter().fold(f32::INFINITY, f32::min);
            shift += (top + bottom) * 0.5 * distance;
        }
        let target = target + up * shift;
        Self { eye: target + back * distance, target, up: Vec3::Y, field_of_view: FRAMING_ANGLE }
    }

    /// The axes right, up and forward, of unit length and at right angles.
    ///
    /// `None` when the eye is at the target or a number is not finite. Looking along `up`, the
    /// picture is turned so that another axis is up.
    pub(super) fn axes(&self) -> Option<[Vec3; 3]> {
        let finite = self.eye.is_finite() && self.field_of_view.is_finite();
        let forward = (self.target - self.eye).try_normalize()?;
        let right = [self.up, Vec3::Y, Vec3::Z]
            .into_iter()
            .find_map(|up| forward.cross(up.try_normalize()?).try_normalize())?;
        finite.then_some([right, right.cross(forward), forward])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_keeps_every_corner_in_the_picture() {
        let bounds = [Vec3::new(-3.0, 0.0, -0.2), Vec3::new(1.0, 0.5, 0.7)];
        let camera = Camera::framing(bounds);
        let [right, up, forward] = camera.axes().unwrap();
        let tangent = libm::tanf(camera.field_of_view * 0.5);
        let mut fullest = 0.0_f32;
        for corner in 0..8_usize {
            let p = Vec3::new(
                bounds[corner & 1].x,
                bounds[corner >> 1 & 1].y,
                bounds[corner >> 2 & 1].z,
            ) - camera.eye;
            let depth = p.dot(forward);
            assert!(depth > 0.0, "corner {corner} is behind the camera at depth {depth}");
            let across = p.dot(right).abs() / (depth * tangent * FRAMING_ASPECT);
            let along = p.dot(up).abs() / (depth * tangent);
            fullest = fullest.max(across).max(along);
        }
        assert!((0.8..1.0).contains(&fullest), "the box fills {fullest} of the picture");
    }

    #[test]
    fn a_camera_without_direction_has_no_axes() {
        let lost = Camera { eye: Vec3::ONE, target: Vec3::ONE, ..Camera::default() };
        assert_eq!(lost.axes(), None);
        let nan = Camera { eye: Vec3::NAN, ..Camera::default() };
        assert_eq!(nan.axes(), None);
        let plumb = Camera { eye: Vec3::Y, target: Vec3::ZERO, ..Camera::default() };
        assert!(plumb.axes().is_some(), "looking straight down must work");
    }
}
