//! The volume inside a closed surface: balloons, and what must not be squeezed empty.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3, Vec4};

use super::{Fit, Pass, Region, RegionKind, RegionParam, Rule, View, derived, no_table};
use crate::constraint::set::Hold;
use crate::error::WorldError;
use crate::step::project::{pbd, xpbd};
use crate::world::Method;

/// Keeps the volume V inside a closed surface at k times its rest volume V₀.
///
/// ```text
/// C(x) = V − k V₀,    V = ⅙ Σ (a×b)·c over the triangles (a, b, c)      (m³)
/// ∇ᵢC = ⅙ Σ (b×c) over the triangles (xᵢ, b, c) around particle i
/// ```
///
/// k is the pressure of the paper: 1 keeps the volume, 2 inflates to twice as much, at once or at a
/// rate. The compliance
/// is in m³/Pa, and λ/h² is the pressure inside (Pa). V is homogeneous of degree 3, so V = ⅓ Σ xᵢ·∇ᵢV
/// needs no second walk over the triangles. C does not notice rigid motion: both momenta are kept.
/// A surface in a plane has no gradient along it and is pushed apart across; in a point, none at
/// all, and nothing moves. WGSL twin: `balloon.wgsl`.
///
/// Müller et al. 2007, "Position Based Dynamics", section 4.4, with λ kept through the iterations
/// (Macklin et al. 2016).
pub static KIND: RegionKind = RegionKind {
    name: "balloon",
    shows: "keeps the volume inside a closed surface at a multiple of its rest volume",
    params: &[PRESSURE, RATE],
    corners: 3,
    part_param: None,
    wgsl: Some(include_str!("balloon.wgsl")),
    rule: Rule::Together(&[
        Pass::Members("gradient", gradient),
        Pass::Regions("multiplier", multiplier),
        Pass::Members("push", push),
    ]),
    state: Vec4::Y, // λ = 0, k = 1
    derived: (1, rest_volume),
    twin: derived,
    table: no_table,
    check,
};

const PRESSURE: RegionParam = RegionParam {
    name: "pressure",
    unit: "",
    min: 0.0,
    max: 100.0,
    needs: "between 0 and 100",
    meaning: "volume that the surface wants, over its volume at rest",
};

const RATE: RegionParam = RegionParam {
    name: "rate",
    unit: "1/s",
    min: 0.0,
    max: 1e6,
    needs: "between 0 and 1e6",
    meaning: "how fast it is pumped from what it has to `pressure`; 0 is at once",
};

/// A balloon of these triangles, which want `pressure` times the volume that they have at rest, at
/// once or at a `rate` (1/s).
pub fn region(triangles: &[[u32; 3]], [pressure, rate]: [f32; 2], hold: Hold) -> Region {
    let params = vec![pressure, rate];
    Region { kind: &KIND, params, hold, ..surface(triangles) }
}

/// A region of all corners of these triangles, with them as parts.
pub(super) fn surface(triangles: &[[u32; 3]]) -> Region {
    let mut members = triangles.as_flattened().to_vec();
    members.sort_unstable();
    members.dedup();
    Region {
        kind: &KIND,
        members,
        parts: triangles.to_vec(),
        part_params: Vec::new(),
        params: Vec::new(),
        hold: Hold::RIGID,
    }
}

fn check(region: &Region, rest: &[Vec3]) -> Result<(), WorldError> {
    closed(region)?;
    let value = volume(region, rest) as f32;
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let needs = "positive, in m³ (if it is negative, the triangles are inside out: turn them)";
    Err(WorldError::BadNumber { what: "volume inside the surface", value, needs })
}

/// The volume inside a region at rest (m³); a corner that is no member counts as the origin, and is
/// reported by its name later.
fn volume(region: &Region, rest: &[Vec3]) -> f64 {
    let x: BTreeMap<u32, Vec3> = region.members.iter().copied().zip(rest.iter().copied()).collect();
    let x = |id: u32| x.get(&id).map_or(DVec3::ZERO, |x| x.as_dvec3());
    region.parts.iter().map(|&[a, b, c]| x(a).cross(x(b)).dot(x(c)) / 6.0).sum()
}

/// Refuses a surface with a side that no other triangle runs through the other way.
pub(super) fn closed(region: &Region) -> Result<(), WorldError> {
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let mut forward: Vec<[u32; 2]> = region.parts.iter().flat_map(sides).collect();
    forward.sort_unstable();
    let alone = forward.iter().enumerate().find(|&(i, &[a, b])| {
        forward.binary_search(&[b, a]).is_err() || forward.get(i + 1) == Some(&[a, b])
    });
    match alone {
        Some((_, &side)) => Err(WorldError::OpenSurface { kind: region.kind.name, side }),
        None => Ok(()),
    }
}

fn rest_volume(view: &View<'_>, region: usize, derived: &mut [f64]) {
    let x = |k: u32| view.set.rest[k as usize].truncate().as_dvec3();
    let parts = &view.set.parts[view.set.parts_of_region(region)];
    derived[0] = parts.iter().map(|&[a, b, c]| x(a).cross(x(b)).dot(x(c)) / 6.0).sum();
}

/// A point near the region to measure from, where single precision is no worse far from the
/// origin (m).
fn origin(view: &View<'_>, region: usize) -> DVec3 {
    view.x(view.members(region).start)
}

/// Pass 1: ∇ᵢC of every member, in m².
fn gradient(view: &View<'_>, member: usize, (push, _): (&mut Vec4, &mut Vec4)) {
    let origin = origin(view, view.set.derived.region_of[member] as usize);
    let mut sum = DVec3::ZERO;
    for &[part, corner] in view.set.corners(member) {
        let part = view.set.parts[part as usize];
        let [b, c] = [1, 2].map(|k| part[(corner as usize + k) % 3] as usize);
        sum += (view.x(b) - origin).cross(view.x(c) - origin);
    }
    *push = (sum / 6.0).as_vec3().extend(0.0);
}

/// Pass 2: the volume, and what it does to the multiplier.
fn multiplier(view: &View<'_>, region: usize, (fit, state): (&mut Fit, &mut Vec4)) {
    let origin = origin(view, region);
    let (mut thrice, mut sum) = (0.0, 0.0);
    for member in view.members(region) {
        let grad = view.set.push[member].truncate().as_dvec3();
        thrice += grad.dot(view.x(member) - origin);
        sum += view.w(member) * grad.length_squared();
    }
    if view.substep.iteration == 0 {
        state.y = pumped(state.y, [0, 1].map(|k| view.param(region, k)), view.substep.h);
    }
    let c = thrice / 3.0 - f64::from(state.y) * view.set.derived(region)[0];
    let lambda = if view.substep.iteration == 0 { 0.0 } else { f64::from(state.x) };
    fit.d_lambda = match view.config.method {
        Method::Xpbd => {
            let h = f64::from(view.substep.h);
            xpbd(c, lambda, sum, f64::from(view.set.compliance[region]) / (h * h))
        }
        Method::Pbd => pbd(c, sum, f64::from(view.set.share[region])),
    };
    state.x = (lambda + fit.d_lambda) as f32;
}

/// What k becomes in a substep.
fn pumped(k: f32, [pressure, rate]: [f32; 2], h: f32) -> f32 {
    // A state that was forged may be anything.
    if rate == 0.0 || !k.is_finite() {
        return pressure;
    }
    k + (pressure - k).clamp(-rate * h, rate * h)
}

impl super::Set {
    /// The volume inside balloon `number` at rest (m³).
    ///
    /// # Panics
    /// If these are not balloons.
    pub fn rest_volume(&self, number: usize) -> f64 {
        assert!(self.kind().name == KIND.name, "{} has no rest volume", self.kind().name);
        let (region, rest) = self.region(number);
        volume(&region, &rest)
    }
}

/// Pass 3: Δx = w ∇C Δλ.
fn push(view: &View<'_>, member: usize, (push, _): (&mut Vec4, &mut Vec4)) {
    let region = view.set.derived.region_of[member] as usize;
    *push *= (view.w(member) * view.set.fits[region].d_lambda) as f32;
}
