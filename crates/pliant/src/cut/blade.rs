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

/// A point, and on which side of the planes of a blade's first facets it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sided {
    pub(super) x: DVec3,
    /// Whether it is above each, as bits.
    pub(super) above: u64,
}

/// One triangle of a blade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Facet {
    corners: [DVec3; 3],
    /// Unit normal, and a point of its plane from which heights are measured.
    normal: DVec3,
    from: DVec3,
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
        // A height above far corners would be rounded.
        let near = |facet| Facet { from: point, ..facet };
        let Self { facets } = Self::of(&[[a, b, c], [a, c, d]])?;
        Ok(Self { facets: facets.into_iter().map(near).collect() })
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

    /// A point and on which side of the blade it is, to ask about it more than once.
    pub(super) fn sided(&self, x: DVec3) -> Sided {
        let facets = self.facets.iter().take(u64::BITS as usize).enumerate();
        let above = |bits, (k, facet): (usize, &Facet)| bits | u64::from(facet.is_below(x)) << k;
        Sided { x, above: facets.fold(0, above) }
    }

    /// Which of the planes of the blade's first facets are above a point, or within `margin` (m) of it,
    /// and which are below, as bits.
    pub(super) fn sides(&self, x: DVec3, margin: f64) -> [u64; 2] {
        let mut sides = [0; 2];
        for (k, facet) in self.facets.iter().take(u64::BITS as usize).enumerate() {
            let height = facet.height(x);
            sides[0] |= u64::from(height <= margin) << k;
            sides[1] |= u64::from(height >= -margin) << k;
        }
        sides
    }

    /// Whether the blade is passed on the way from one point to another.
    pub(super) fn parts(&self, from: &Sided, to: &Sided) -> bool {
        let differ = from.above ^ to.above;
        if differ == 0 && self.is_small() {
            return false; // most pairs are on one side of all facets
        }
        let margin = GAP * from.x.distance(to.x);
        let may_pass = |k: usize| k >= u64::BITS as usize || differ >> k & 1 == 1;
        let mut facets = self.facets.iter().enumerate().filter(|(k, _)| may_pass(*k));
        facets.any(|(_, facet)| pierced(facet, from.x, to.x, margin).is_some())
    }

    /// Whether [`Sided`] knows all facets.
    pub(super) fn is_small(&self) -> bool {
        self.facets.len() <= u64::BITS as usize
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
        Some(Self { corners, normal, from: a, inward, low: a.min(b).min(c), high: a.max(b).max(c) })
    }

    /// How far a point is above the plane of the facet (m).
    pub(super) fn height(&self, x: DVec3) -> f64 {
        (x - self.from).dot(self.normal)
    }

    /// Whether the facet is below a point, or at it.
    fn is_below(&self, x: DVec3) -> bool {
        self.height(x) >= 0.0
    }

    /// Whether a point of its plane is inside the facet, or outside by less than `margin` (m).
    pub(super) fn contains(&self, x: DVec3, margin: f64) -> bool {
        let mut sides = self.corners.iter().zip(&self.inward);
        sides.all(|(from, inward)| (x - from).dot(*inward) >= -margin)
    }

    /// Whether a point is on the facet, within `near` (m) of its plane.
    pub(super) fn has(&self, x: DVec3, near: f64) -> bool {
        self.is_near(x, x, near) && self.height(x).abs() <= near
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
