//! Balls and capsules: which samples do they cover, and where do rays meet them?

use super::fill::Buffer;
use super::view::{Ray, View};
use glam::Vec3;

/// A ball (m).
#[derive(Clone, Copy)]
pub(super) struct Ball {
    pub(super) center: Vec3,
    pub(super) radius: f32,
}

/// All points within `radius` of the line from `a` to `b` (m).
#[derive(Clone, Copy)]
pub(super) struct Capsule {
    pub(super) a: Vec3,
    pub(super) b: Vec3,
    pub(super) radius: f32,
    /// Unit direction of the curve at `a` and at `b` where another capsule goes on; `None` at a
    /// free end. Normals follow the curve, or every joint of a rope would show as a ridge.
    pub(super) joints: [Option<Vec3>; 2],
}

/// A round thing that rays can meet.
pub(super) trait Round {
    /// Depth at which the ray enters, if it does.
    fn entry(&self, ray: &Ray) -> Option<f32>;
    /// Unit normal at a point of the surface.
    fn normal(&self, point: Vec3) -> Vec3;
    /// The balls at its ends: their bounds together are its bounds.
    fn ends(&self) -> [Ball; 2];
}

impl Round for Ball {
    fn entry(&self, ray: &Ray) -> Option<f32> {
        entry_of_circle(ray.origin - self.center, ray.direction, self.radius)
    }

    fn normal(&self, point: Vec3) -> Vec3 {
        (point - self.center).normalize_or(Vec3::Y)
    }

    fn ends(&self) -> [Ball; 2] {
        [*self, *self]
    }
}

impl Round for Capsule {
    fn entry(&self, ray: &Ray) -> Option<f32> {
        let axis = self.b - self.a;
        let length = axis.length();
        let [first, last] = self.ends();
        if length <= self.radius * 1e-3 {
            return first.entry(ray);
        }
        let u = axis / length;
        let (o, d) = (ray.origin - self.a, ray.direction);
        let across = |v: Vec3| v - u * v.dot(u);
        if across(d).length_squared() <= d.length_squared() * PARALLEL {
            return if d.dot(u) > 0.0 { first.entry(ray) } else { last.entry(ray) };
        }
        let t = entry_of_circle(across(o), across(d), self.radius);
        let along = |t: f32| (o + d * t).dot(u);
        match t {
            Some(t) if along(t) < 0.0 => first.entry(ray),
            Some(t) if along(t) > length => last.entry(ray),
            Some(t) => Some(t),
            None => None,
        }
    }

    fn normal(&self, point: Vec3) -> Vec3 {
        let axis = self.b - self.a;
        let t = (point - self.a).dot(axis) / axis.length_squared().max(1e-20);
        let out = (point - self.a - axis * t.clamp(0.0, 1.0)).normalize_or(Vec3::Y);
        let tangent = match self.joints {
            [a, _] if t < 0.0 => a,
            [_, b] if t > 1.0 => b,
            [a, b] => {
                let axis = axis.normalize_or_zero();
                Some(a.unwrap_or(axis).lerp(b.unwrap_or(axis), t).normalize_or(axis))
            }
        };
        tangent.map_or(out, |tangent| (out - tangent * out.dot(tangent)).normalize_or(out))
    }

    fn ends(&self) -> [Ball; 2] {
        [self.a, self.b].map(|center| Ball { center, radius: self.radius })
    }
}

/// Looking along the axis of a capsule (squared sine of the angle), one sees only its round end.
const PARALLEL: f32 = 1e-10;

/// First t at which `o + t d` comes as near to the origin as `radius`; d must not be zero.
///
/// Measured from the nearest point of the line, not by the textbook discriminant, which loses all
/// digits for a small ball far away.
fn entry_of_circle(o: Vec3, d: Vec3, radius: f32) -> Option<f32> {
    let speed = d.length_squared();
    let nearest = -o.dot(d) / speed;
    let missed_by = (o + d * nearest).length_squared();
    let inside = radius * radius - missed_by;
    (inside > 0.0).then(|| nearest - (inside / speed).sqrt())
}

/// Fills the samples that `shape` covers.
pub(super) fn fill<V: View>(view: &V, buffer: &mut Buffer, shape: &impl Round, id: u32) {
    let ends = shape.ends();
    let in_view = ends.map(|end| (view.view_from_world(end.center), end.radius));
    if in_view.iter().all(|(center, radius)| center.z + radius < V::NEAR) {
        return;
    }
    let everything = [[f32::NEG_INFINITY; 2], [f32::INFINITY; 2]];
    let [p, q] = in_view.map(|(center, radius)| view.ball_bounds(center, radius));
    let [least, most] = match (p, q) {
        (Some([a, b]), Some([c, d])) => {
            [[a[0].min(c[0]), a[1].min(c[1])], [b[0].max(d[0]), b[1].max(d[1])]]
        }
        _ => everything,
    };
    let columns = buffer.columns(f64::from(least[0]), f64::from(most[0]));
    for row in buffer.rows_between(f64::from(least[1]), f64::from(most[1])) {
        let closeness = |k: usize| {
            let ray = view.ray((columns.start + k) as f32 + 0.5, row as f32 + 0.5);
            match shape.entry(&ray) {
                Some(t) if t > V::NEAR => V::closeness(t),
                _ => f32::NEG_INFINITY,
            }
        };
        buffer.span(row, columns.clone(), id, closeness);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rays_enter_where_geometry_says() {
        let ray = Ray { origin: Vec3::new(0.0, 0.3, 10.0), direction: Vec3::NEG_Z };
        let ball = Ball { center: Vec3::ZERO, radius: 0.5 };
        let t = ball.entry(&ray).unwrap();
        assert!((t - 9.6).abs() < 1e-5, "the ball was entered at {t}, not at 9.6");
        let capsule = Capsule { a: Vec3::NEG_X, b: Vec3::X, radius: 0.5, joints: [None; 2] };
        assert!((capsule.entry(&ray).unwrap() - 9.6).abs() < 1e-5);
        let end = Ray { origin: Vec3::new(1.3, 0.0, 10.0), ..ray };
        let t = capsule.entry(&end).unwrap();
        assert!((t - 9.6).abs() < 1e-5, "the round end was entered at {t}, not at 9.6");
        assert_eq!(capsule.entry(&Ray { origin: Vec3::new(1.6, 0.0, 10.0), ..ray }), None);
        let along = Ray { origin: Vec3::new(-9.0, 0.0, 0.0), direction: Vec3::X };
        assert!((capsule.entry(&along).unwrap() - 7.5).abs() < 1e-4);
    }

    #[test]
    fn normals_do_not_jump_where_two_capsules_meet() {
        let tangent = Vec3::new(1.0, 0.2, 0.0).normalize_or_zero();
        let joint = Vec3::new(1.0, 0.0, 0.0);
        let (left, right) = ([None, Some(tangent)], [Some(tangent), None]);
        let left = Capsule { a: Vec3::ZERO, b: joint, radius: 0.1, joints: left };
        let right = Capsule { a: joint, b: Vec3::new(1.9, 0.4, 0.0), radius: 0.1, joints: right };
        for side in [Vec3::Z, Vec3::Y, Vec3::NEG_Y] {
            let point = joint + (side - tangent * side.dot(tangent)).normalize_or_zero() * 0.1;
            let (a, b) = (left.normal(point), right.normal(point));
            assert!(a.distance(b) < 0.02, "the normals {a} and {b} differ");
        }
    }

    #[test]
    fn a_small_ball_far_away_keeps_its_shape() {
        let ball = Ball { center: Vec3::new(0.0, 0.0, -1000.0), radius: 0.01 };
        let at =
            |x: f32| ball.entry(&Ray { origin: Vec3::new(x, 0.0, 0.0), direction: Vec3::NEG_Z });
        assert!(at(0.0099).is_some() && at(0.0101).is_none());
    }
}
