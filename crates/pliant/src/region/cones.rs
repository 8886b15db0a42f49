//! The volumes between the triangles of a surface and the body's centre of mass.

use glam::{DVec3, Vec3, Vec4};

use super::{Fit, Pass, Region, RegionKind, Rule, View, balloon, derived, no_table};
use crate::constraint::set::Hold;
use crate::error::WorldError;
use crate::step::project::{pbd, xpbd};
use crate::world::Method;

/// Keeps the tetrahedron of every surface triangle and the centre of mass at its rest volume: a
/// surface alone becomes a solid.
///
/// ```text
///      x₁───x₃      C(x) = ⅙ (x₁−c)×(x₂−c)·(x₃−c) − V₀,    c = Σ mⱼxⱼ / M      (m³)
///       \ x₂/       gₖ = ⅙ (xₖ₊₁−c)×(xₖ₊₂−c)    for the corners k
///        \|/        ∇ⱼC = gⱼ − (mⱼ/M)(g₁+g₂+g₃)    for every particle j, gⱼ = 0 if it is no corner
///         c
/// ```
///
/// The second term is what the centre of mass feels: without it, as where this kind comes from, the
/// centre is treated as a particle that nobody moves, and every triangle makes momentum. It is the
/// same for all particles, so it is one shift of the body for all triangles together. With it C does
/// not notice rigid motion, and both momenta are kept.
///
/// The triangles are solved at once: a corner of n triangles is n corners of the n-th part of its
/// mass. The compliance is in m⁶/J. A triangle in a plane with the centre is pushed across it; on a
/// line with it, nothing moves. WGSL twin: `cones.wgsl`.
///
/// Bender et al. 2014, for a tetrahedron of particles.
pub static KIND: RegionKind = RegionKind {
    name: "cones",
    shows: "keeps the volume between every surface triangle and the centre of mass",
    params: &[],
    corners: 3,
    part_param: None,
    wgsl: Some(include_str!("cones.wgsl")),
    rule: Rule::Together(&[
        Pass::Regions("centre", centre),
        Pass::Parts("multiplier", multiplier),
        Pass::Members("pull", pull),
        Pass::Regions("shift", shift),
        Pass::Members("push", push),
    ]),
    state: Vec4::ZERO,
    derived: (4, rest_centre),
    twin: derived,
    table: no_table,
    check,
};

/// Cones from these triangles to the centre of mass of their corners.
pub fn region(triangles: &[[u32; 3]], hold: Hold) -> Region {
    Region { kind: &KIND, hold, ..balloon::surface(triangles) }
}

fn check(region: &Region, _: &[Vec3]) -> Result<(), WorldError> {
    balloon::closed(region)
}

/// The centre of mass at rest (m) and the mass (kg).
fn rest_centre(view: &View<'_>, region: usize, derived: &mut [f64]) {
    let mass: f64 = view.members(region).map(|k| view.mass(k)).sum();
    let weighted = |k: usize| view.set.rest[k].truncate().as_dvec3() * view.mass(k);
    let centre = view.members(region).map(weighted).sum::<DVec3>() / mass;
    derived[..3].copy_from_slice(&centre.to_array());
    derived[3] = mass;
}

/// Pass 1: the centre of mass.
fn centre(view: &View<'_>, region: usize, (fit, _): (&mut Fit, &mut Vec4)) {
    let weighted = view.members(region).map(|k| view.x(k) * view.mass(k));
    fit.centre = weighted.sum::<DVec3>() / view.set.derived(region)[3];
}

/// g₁, g₂ and g₃ of corners that are given from the centre (m²).
fn gradients([a, b, c]: [DVec3; 3]) -> [DVec3; 3] {
    [b.cross(c) / 6.0, c.cross(a) / 6.0, a.cross(b) / 6.0]
}

/// The corners of a part, from the centre (m).
fn corners(view: &View<'_>, part: usize) -> [DVec3; 3] {
    let centre = view.set.fits[view.set.derived.region_of_part[part] as usize].centre;
    view.set.parts[part].map(|k| view.x(k as usize) - centre)
}

/// Pass 2: the volume of a cone, and what it does to its multiplier.
///
/// The centre's own term, which is at most |g₁+g₂+g₃|²/M, makes the sum of gradients smaller, and is
/// left out: a step that is too small by that share is safe beside the others.
fn multiplier(view: &View<'_>, part: usize, [lambda, d_lambda]: &mut [f32; 2]) {
    let region = view.set.derived.region_of_part[part] as usize;
    let rest_centre = DVec3::from_slice(view.set.derived(region));
    let at_rest =
        view.set.parts[part].map(|k| view.set.rest[k as usize].truncate().as_dvec3() - rest_centre);
    let volume = |x: [DVec3; 3]| x[0].dot(gradients(x)[0]);
    let x = corners(view, part);
    let c = volume(x) - volume(at_rest);
    let mut sum = 0.0;
    for (grad, member) in gradients(x).iter().zip(view.set.parts[part]) {
        let shared_by = view.set.corners(member as usize).len() as f64;
        sum += shared_by * view.w(member as usize) * grad.length_squared();
    }
    let change = match view.config.method {
        Method::Xpbd => {
            let h = f64::from(view.substep.h);
            let alpha = f64::from(view.set.compliance[region]) / (h * h);
            xpbd(c, f64::from(*lambda), sum, alpha)
        }
        Method::Pbd => pbd(c, sum, f64::from(view.set.share[region])),
    };
    *d_lambda = change as f32;
    *lambda += *d_lambda;
}

/// Pass 3: Σ gₖ Δλ over the cones of a member.
fn pull(view: &View<'_>, member: usize, (push, _): (&mut Vec4, &mut Vec4)) {
    let mut sum = DVec3::ZERO;
    for &[part, corner] in view.set.corners(member) {
        let grad = gradients(corners(view, part as usize))[corner as usize];
        sum += grad * f64::from(view.set.multipliers[part as usize][1]);
    }
    *push = sum.as_vec3().extend(0.0);
}

/// Pass 4: what the centre of mass feels, for each kilogram.
fn shift(view: &View<'_>, region: usize, (fit, _): (&mut Fit, &mut Vec4)) {
    let pulls = view.set.push[view.members(region)].iter().map(|row| row.truncate().as_dvec3());
    fit.columns[0] = pulls.sum::<DVec3>() / view.set.derived(region)[3];
}

/// Pass 5: Δx = w ∇C Δλ, for all cones.
fn push(view: &View<'_>, member: usize, (push, _): (&mut Vec4, &mut Vec4)) {
    let region = view.set.derived.region_of[member] as usize;
    let w = view.w(member);
    let own = push.truncate().as_dvec3() * w;
    let shift = if w > 0.0 { view.set.fits[region].columns[0] } else { DVec3::ZERO };
    *push = (own - shift).as_vec3().extend(0.0);
}
