//! What cuts: triangles in space.

use glam::{DVec3, Vec3};

use super::sheet::pierced;
use crate::error::WorldError;

/// Half the side of the square that stands for an infinite plane (m).
const REACH: f64 = 1e5;

/// Corners of the polygon that stands for a disc.
const DISC_CORNERS: u32 = 64;

/// How far beside a facet it is still passed, as a part of the way: rounding must leave no gap between
/// two facets.
const GAP: f64 = 1e-6;

/// Something thin that cuts what it passes through: any triangles in space. They may end inside a
/// body, which is then cut as far as they reach.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blade {
    pub(super) facets: Vec<Facet>,
}

/// One triangle of a blade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Facet {
    corners: [DVec3; 3],
    /// Unit normal.
    normal: DVec3,
    /// Unit vectors in its plane, into it across each side.
    inward: [DVec3; 3],
    low: DVec3,
    high: DVec3,
}

impl Blade {
    /// The plane through `point` (m) across `normal`, of any length.
    ///
    /// # Errors
    /// If a number is not finite, or the normal is 0.
    pub fn plane(point: Vec3, normal: Vec3) -> Result<Self, WorldError> {
        let normal = direction(normal)?;
        let (side, point) = (normal.any_orthonormal_vector(), point.as_dvec3());
        let (u, v) = (side * REACH, normal.cross(side) * REACH);
        let [a, b, c, d] = [point - u - v, point + u - v, point + u + v, point - u + v];
        Self::of(&[[a, b, c], [a, c, d]])
    }

    /// The disc around `centre` (m) across `normal`.
    ///
    /// # Errors
    /// If a number is not finite, or the normal is 0.
    pub fn disc(centre: Vec3, normal: Vec3, radius: f32) -> Result<Self, WorldError> {
        let normal = direction(normal)?;
        let (side, centre) = (normal.any_orthonormal_vector(), centre.as_dvec3());
        let up = normal.cross(side);
        let rim = |k: u32| {
            let (sin, cos) =
                libm::sincos(f64::from(k) * std::f64::consts::TAU / f64::from(DISC_CORNERS));
            centre + (side * cos + up * sin) * f64::from(radius)
        };
        let slices: Vec<_> = (0..DISC_CORNERS).map(|k| [centre, rim(k), rim(k + 1)]).collect();
        Self::of(&slices)
    }

    /// These triangles (m), such as those of a polygon or of a mesh. Those without area cut nothing.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn triangles(triangles: &[[Vec3; 3]]) -> Result<Self, WorldError> {
        let corners: Vec<_> = triangles.iter().map(|corners| corners.map(Vec3::as_dvec3)).collect();
        Self::of(&corners)
    }

    /// What a moving edge sweeps over: from each of `edges` (its two ends, in m) to the next. The rays
    /// of a camera under a stroke of the mouse are such edges.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn sweep(edges: &[[Vec3; 2]]) -> Result<Self, WorldError> {
        let quad = |pair: &[[Vec3; 2]]| {
            let ([a, b], [c, d]) = (pair[0].map(Vec3::as_dvec3), pair[1].map(Vec3::as_dvec3));
            [[a, b, d], [a, d, c]]
        };
        let triangles: Vec<_> = edges.windows(2).flat_map(quad).collect();
        Self::of(&triangles)
    }

    /// Whether the blade is passed on the way from one point to another.
    pub(super) fn is_between(&self, from: DVec3, to: DVec3) -> bool {
        let margin = GAP * from.distance(to);
        self.facets.iter().any(|facet| pierced(facet, from, to, margin).is_some())
    }

    fn of(triangles: &[[DVec3; 3]]) -> Result<Self, WorldError> {
        for value in triangles.iter().flatten().flat_map(|corner| corner.to_array()) {
            if !value.is_finite() {
                let (what, value) = ("corner of a blade", value as f32);
                return Err(WorldError::BadNumber { what, value, needs: "finite" });
            }
        }
        Ok(Self { facets: triangles.iter().filter_map(|&corners| Facet::of(corners)).collect() })
    }
}

impl Facet {
    /// The facet, unless it has no area.
    fn of(corners: [DVec3; 3]) -> Option<Self> {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).try_normalize()?;
        let inward = [b - a, c - b, a - c].map(|side| normal.cross(side).normalize_or_zero());
        Some(Self { corners, normal, inward, low: a.min(b).min(c), high: a.max(b).max(c) })
    }

    /// How far a point is above the plane of the facet (m).
    pub(super) fn height(&self, x: DVec3) -> f64 {
        // From the nearest corner, since a difference of far points is rounded.
        let near = |a: &DVec3| a.distance_squared(x);
        let [a, b, c] = self.corners;
        let nearest = [b, c]
            .into_iter()
            .fold(a, |best, one| if near(&one) < near(&best) { one } else { best });
        (x - nearest).dot(self.normal)
    }

    /// Whether a point of its plane is inside the facet, or outside by less than `margin` (m).
    pub(super) fn contains(&self, x: DVec3, margin: f64) -> bool {
        let mut sides = self.corners.iter().zip(&self.inward);
        sides.all(|(from, inward)| (x - from).dot(*inward) >= -margin)
    }

    /// Whether the facet is within `margin` (m) of a box.
    pub(super) fn is_near(&self, low: DVec3, high: DVec3, margin: f64) -> bool {
        self.low.cmple(high + margin).all() && self.high.cmpge(low - margin).all()
    }
}

fn direction(normal: Vec3) -> Result<DVec3, WorldError> {
    normal.as_dvec3().try_normalize().ok_or(WorldError::BadNumber {
        what: "length of a blade's normal",
        value: normal.length(),
        needs: "positive and finite",
    })
}
