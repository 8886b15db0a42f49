//! Shape matching: particles that remember the shape they had together.
//!
//! The WGSL twin of this file is `matched.wgsl`.

use std::array::from_fn;

use glam::{DMat3, DVec3, Vec3, Vec4};

use super::algebra::{matrix, pseudo_inverse, rotation, unit};
use super::buffers::principal_axes;
use super::{Fit, Pass, Region, RegionKind, RegionParam, Rule, View, no_table};
use crate::constraint::set::Hold;
use crate::error::WorldError;

/// The kind, for building bodies.
pub static KIND: RegionKind = RegionKind {
    name: "shape",
    shows: "pulls particles to where their rest shape fits best: rigid, linear or quadratic",
    params: &[MODE, BETA, VOLUME, SCHEME],
    corners: 0,
    part_param: None,
    wgsl: Some(concat!(include_str!("algebra.wgsl"), include_str!("matched.wgsl"))),
    rule: Rule::Together(&[Pass::Regions("fit", fit), Pass::Members("pull", pull)]),
    state: Vec4::W,
    derived: (DERIVED, derive),
    twin,
    table: no_table,
    check,
};

const MODE: RegionParam = RegionParam {
    name: "mode",
    unit: "",
    min: 0.0,
    max: 2.0,
    needs: "0 (rigid), 1 (linear) or 2 (quadratic)",
    meaning: "how the rest shape may deform to fit: 0 not at all, 1 linearly, 2 quadratically",
};
const BETA: RegionParam = RegionParam {
    name: "beta",
    unit: "",
    min: 0.0,
    max: 1.0,
    needs: "between 0 and 1",
    meaning: "share of the deformed shape in the goal; the rest is the rotated shape",
};
const VOLUME: RegionParam = RegionParam {
    name: "keep_volume",
    unit: "",
    min: 0.0,
    max: 1.0,
    needs: "0 or 1",
    meaning: "1 scales the deformed shape to the volume it has at rest",
};
const SCHEME: RegionParam = RegionParam {
    name: "explicit",
    unit: "",
    min: 0.0,
    max: 1.0,
    needs: "0 or 1",
    meaning: "1 fits the pose at the start of the substep, which takes no energy",
};

/// How the rest shape may deform to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// Not at all: the shape is turned and moved.
    Rigid = 0,
    /// Stretch and shear.
    Linear = 1,
    /// Stretch, shear, bend and twist.
    Quadratic = 2,
}

/// What happens to the volume of the deformed shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Volume {
    /// It changes as it fits best.
    Free = 0,
    /// The deformed shape is scaled to the volume that it has at rest: det A = 1.
    Kept = 1,
}

/// Which pose is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Scheme {
    /// Where the particles are now: sees contacts and constraints, and takes energy from vibrations
    /// (|eigenvalue| = √(1 − a) in a substep that gives the share a).
    Implicit = 0,
    /// Where they were when the substep began, as in the paper: neither takes nor adds energy
    /// (|eigenvalue| = 1). Contacts and other constraints are seen a substep later.
    Explicit = 1,
}

/// How a shape is matched.
///
/// ```text
///   q₃──q₂              p₃─_                 goal gᵢ = T qᵢ + c
///   │    │    ──►        \  ¯p₂              c = Σ mᵢxᵢ / Σ mᵢ,   pᵢ = xᵢ − c
///   q₀──q₁               p₀─_ \              A = (Σ mᵢ pᵢ qᵢᵀ)(Σ mᵢ qᵢ qᵢᵀ)⁺      eq. 7
///                            ¯p₁             R = the rotation nearest to Σ mᵢ pᵢ qᵢᵀ
///                                            T = β A + (1 − β) R                 section 4.2
/// ```
///
/// Particles move by a share of gᵢ − xᵢ. Under XPBD the compliance of [`Hold`] is that of a spring
/// from each particle to its goal, for a mass of 1 kg: α in s², so that ω = 1/√α is the angular
/// frequency of the shape's vibrations, whatever the substeps and iterations; 0 is α = 1 of the
/// paper. Under PBD the stiffness of [`Hold`] is the paper's α, and n rounds leave the share 1 − α.
///
/// Quadratic shapes add q_x², q_y², q_z², q_x q_y, q_y q_z, q_z q_x to q. Two things differ from
/// the paper, and keep both momenta exactly: those columns are centred, or Σ mᵢgᵢ would not be
/// Σ mᵢxᵢ; and keeping the volume scales all of A, not only its linear part, or Σ mᵢ pᵢ×gᵢ would
/// not be 0. Where A has no volume to keep, because the shape is flat or inside out, R takes over.
///
/// A flat or straight rest shape, or one in a point, has no A across: ⁺ is the pseudo-inverse. A
/// pose on a line or in a point is turned as it was before where it leaves that open. Held particles weigh 10⁴ times the region, so that the shape goes to them.
///
/// Müller et al. 2005, "Meshless Deformations Based on Shape Matching".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// How the rest shape may deform.
    pub mode: Mode,
    /// Share of the deformed shape in the goal, 0 to 1.
    pub beta: f32,
    /// What happens to the volume.
    pub volume: Volume,
    /// Which pose is fitted.
    pub scheme: Scheme,
    /// How firmly particles are pulled to their goals.
    pub hold: Hold,
}

impl Match {
    /// A rigid body: the shape as it is, at once.
    pub const RIGID: Self = Self {
        mode: Mode::Rigid,
        beta: 0.0,
        volume: Volume::Free,
        scheme: Scheme::Implicit,
        hold: Hold::RIGID,
    };

    /// A region of these particles, for [`crate::Blueprint::gather`].
    pub fn region(&self, members: &[u32]) -> Region {
        let Self { mode, beta, volume, scheme, hold } = *self;
        Region {
            kind: &KIND,
            members: members.to_vec(),
            parts: Vec::new(),
            part_params: Vec::new(),
            params: vec![
                f32::from(mode as u8),
                beta,
                f32::from(volume as u8),
                f32::from(scheme as u8),
            ],
            hold,
        }
    }
}

impl Default for Match {
    /// A firm jelly that vibrates with 10 Hz: half linear, of constant volume.
    fn default() -> Self {
        let omega = 10.0 * std::f32::consts::TAU;
        Self {
            mode: Mode::Linear,
            beta: 0.5,
            volume: Volume::Kept,
            hold: Hold { compliance: 1.0 / (omega * omega), ..Hold::RIGID },
            ..Self::RIGID
        }
    }
}

fn check(region: &Region, _: &[Vec3]) -> Result<(), WorldError> {
    for (param, &value) in [MODE, VOLUME, SCHEME].iter().zip([0, 2, 3].map(|k| &region.params[k])) {
        if value.fract() != 0.0 {
            return Err(WorldError::BadNumber { what: param.name, value, needs: param.needs });
        }
    }
    Ok(())
}

/// How many numbers a [`Rest`] has.
const DERIVED: usize = 3 + 1 + 1 + 9 + 9 + 81;

/// A region's rest shape, ready to be fitted.
struct Rest<'a> {
    /// Weighted mean of the rest positions (m).
    centre: DVec3,
    /// Root mean square distance from it (m). Columns are divided by it, so that q and q² are of
    /// one size.
    size: f64,
    /// Σ m (kg).
    mass: f64,
    /// Means of the quadratic columns.
    means: &'a [f64],
    /// Projects on the directions that a flat or straight shape has not.
    missing: DMat3,
    /// (Σ m q qᵀ)⁺.
    inverse: &'a [f64],
    /// Columns that the mode has.
    count: usize,
}

impl<'a> Rest<'a> {
    fn of(view: &View<'a>, region: usize) -> Self {
        let set: &'a super::Set = view.set;
        let numbers = set.derived(region);
        Self {
            centre: DVec3::from_slice(numbers),
            size: numbers[3],
            mass: numbers[4],
            means: &numbers[5..14],
            missing: DMat3::from_cols_slice(&numbers[14..23]),
            inverse: &numbers[23..],
            count: columns(view, region),
        }
    }

    /// Rest position of a member from the centre, in sizes.
    fn linear(&self, view: &View<'_>, member: usize) -> DVec3 {
        (at_rest(view, member) - self.centre) * (1.0 / self.size)
    }

    /// The columns of a member: that position, and its products.
    fn q(&self, view: &View<'_>, member: usize) -> [f64; 9] {
        self.columns(self.linear(view, member))
    }

    fn columns(&self, q: DVec3) -> [f64; 9] {
        if self.count == 3 {
            return [q.x, q.y, q.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        }
        let raw = [q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x];
        from_fn(|k| if k < 3 { q[k] } else { raw[k - 3] - self.means[k] })
    }
}

/// Columns of a region's mode: 3, or 9 for a quadratic one.
fn columns(view: &View<'_>, region: usize) -> usize {
    if view.param(region, 0) == 2.0 { 9 } else { 3 }
}

/// Where a member is at rest (m).
fn at_rest(view: &View<'_>, member: usize) -> DVec3 {
    view.set.rest[member].truncate().as_dvec3()
}

fn derive(view: &View<'_>, region: usize, derived: &mut [f64]) {
    measure(view, region, |q| q, derived);
}

/// Measures the rest shape, seen from axes to which `turned` takes it, and returns Σ m q qᵀ.
fn measure(
    view: &View<'_>,
    region: usize,
    turned: impl Fn(DVec3) -> DVec3,
    derived: &mut [f64],
) -> [[f64; 9]; 9] {
    let members = || view.members(region);
    let m = |member: usize| view.set.derived.weights[member];
    let mass: f64 = members().map(m).sum();
    let centre = members().map(|k| at_rest(view, k) * m(k)).sum::<DVec3>() / mass;
    let square = |k| (at_rest(view, k) - centre).length_squared() * m(k);
    let size = (members().map(square).sum::<f64>() / mass).sqrt();
    let size = if size > 0.0 { size } else { 1.0 };
    let count = columns(view, region);
    let zero = [0.0; 9];
    let rest = Rest { centre, size, mass, means: &zero, missing: DMat3::ZERO, inverse: &[], count };
    let mut means = [0.0; 9];
    for member in members() {
        let q = rest.columns(turned(rest.linear(view, member)));
        (3..9).for_each(|k| means[k] += m(member) / mass * q[k]);
    }
    let rest = Rest { means: &means, ..rest };
    let mut moments = [[0.0; 9]; 9];
    for member in members() {
        let q = rest.columns(turned(rest.linear(view, member)));
        for (row, qi) in moments.iter_mut().zip(q) {
            (0..9).for_each(|j| row[j] += m(member) * qi * q[j]);
        }
    }
    derived[..3].copy_from_slice(&centre.to_array());
    (derived[3], derived[4]) = (size, mass);
    derived[5..14].copy_from_slice(&means);
    derived[14..23].copy_from_slice(&missing(moments).to_cols_array());
    derived[23..].copy_from_slice(pseudo_inverse(moments).as_flattened());
    moments
}

/// The numbers for the twin: a [`Rest`] seen from the region's principal axes, those axes, Σ m qₖ² of
/// the linear columns, and their rows of (Σ m q qᵀ)(Σ m q qᵀ)⁺, column by column.
fn twin(view: &View<'_>, region: usize) -> Vec<f64> {
    let axes = principal_axes(view, region);
    let mut numbers = vec![0.0; DERIVED];
    let moments = measure(view, region, |q| axes.transpose() * q, &mut numbers);
    let projected =
        |i: usize, k: usize| (0..9).map(|j| moments[i][j] * numbers[23 + 9 * j + k]).sum::<f64>();
    let projection: [[f64; 3]; 9] = from_fn(|k| from_fn(|i| projected(i, k)));
    numbers.extend(axes.to_cols_array());
    numbers.extend((0..3).map(|k| moments[k][k]));
    numbers.extend(projection.as_flattened());
    numbers
}

/// 1 − M M⁺ of the linear columns: projects on the directions in which all rest positions agree.
fn missing(moments: [[f64; 9]; 9]) -> DMat3 {
    let m: [[f64; 3]; 3] = from_fn(|i| from_fn(|j| moments[i][j]));
    let inverse = pseudo_inverse(m);
    let entry = |i: usize, j: usize| (0..3).map(|k| m[i][k] * inverse[k][j]).sum::<f64>();
    let column = |j| DVec3::new(entry(0, j), entry(1, j), entry(2, j));
    DMat3::IDENTITY - DMat3::from_cols(column(0), column(1), column(2))
}

/// The position of a member that is fitted (m).
fn pose(view: &View<'_>, region: usize, member: usize) -> DVec3 {
    if view.param(region, 3) == 1.0 { view.start(member) } else { view.x(member) }
}

/// Finds the centre and the transformation T of a region.
fn fit(view: &View<'_>, region: usize, (fit, state): (&mut Fit, &mut Vec4)) {
    if view.members(region).all(|member| view.set.is_held(member)) {
        return;
    }
    let rest = Rest::of(view, region);
    let mut centre = DVec3::ZERO;
    // Σ m p qᵀ by columns, with x for p = x − c: the columns are centred, Σ m q is 0.
    let mut moments = [DVec3::ZERO; 9];
    let mut size = 0.0;
    let origin = pose(view, region, view.members(region).start);
    for member in view.members(region) {
        let x = (pose(view, region, member) - origin) * view.set.derived.weights[member];
        let q = rest.q(view, member);
        centre += x;
        (0..rest.count).for_each(|k| moments[k] += x * q[k]);
        size += view.set.derived.weights[member] * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    }
    let linear = DMat3::from_cols(moments[0], moments[1], moments[2]);
    let turned = rotation(linear, size * rest.size, unit(*state));
    *state = turned.as_quat().into();
    let columns = goal(view, region, &rest, (moments, matrix(turned)));
    *fit = Fit { centre: origin + centre / rest.mass, columns, ..*fit };
}

/// The columns of T = β A + (1 − β) R, for rest positions in sizes.
fn goal(
    view: &View<'_>,
    region: usize,
    rest: &Rest<'_>,
    (moments, r): ([DVec3; 9], DMat3),
) -> [DVec3; 9] {
    let wide = |m: DMat3| from_fn(|k| if k < 3 { m.col(k) * rest.size } else { DVec3::ZERO });
    let rotated: [DVec3; 9] = wide(r);
    let beta = f64::from(view.param(region, 1));
    if view.param(region, 0) == 0.0 || beta == 0.0 {
        return rotated;
    }
    let mut a: [DVec3; 9] = from_fn(|k| {
        (0..rest.count).fold(DVec3::ZERO, |sum, j| sum + moments[j] * rest.inverse[9 * j + k])
    });
    if view.param(region, 2) == 1.0 {
        a = with_volume(a, &rotated, wide(r * rest.missing), rest);
    }
    from_fn(|k| a[k] * beta + rotated[k] * (1.0 - beta))
}

/// Below this volume, as a share of the rest volume, the rotated shape takes over from A: scaling
/// it up would be wild.
const LEAST_VOLUME: f64 = 0.1;

/// A, scaled so that its linear part has determinant 1; `fill` stands in where a flat or straight
/// rest shape has no column, so that there the area or the length is kept.
fn with_volume(
    a: [DVec3; 9],
    rotated: &[DVec3; 9],
    fill: [DVec3; 9],
    rest: &Rest<'_>,
) -> [DVec3; 9] {
    let volume = |a: &[DVec3; 9]| {
        let [x, y, z] = from_fn(|k| (a[k] + fill[k]) / rest.size);
        x.dot(y.cross(z))
    };
    let share = (volume(&a) / LEAST_VOLUME).clamp(0.0, 1.0);
    let mixed = from_fn(|k| a[k] * share + (rotated[k] - fill[k]) * (1.0 - share));
    let volume = volume(&mixed);
    if volume.is_nan() || volume < LEAST_VOLUME / 2.0 {
        return *rotated;
    }
    let flatness = rest.missing.x_axis.x + rest.missing.y_axis.y + rest.missing.z_axis.z;
    let scale = match flatness {
        ..0.5 => libm::cbrt(volume),
        ..1.5 => volume.sqrt(),
        _ => volume,
    };
    mixed.map(|column| column / scale)
}

/// Moves a member towards its goal.
fn pull(view: &View<'_>, member: usize, (push, given): (&mut Vec4, &mut Vec4)) {
    let region = view.set.derived.region_of[member] as usize;
    let explicit = view.param(region, 3) == 1.0;
    if view.set.is_held(member) || (explicit && view.substep.iteration > 0) {
        *push = Vec4::ZERO;
        return;
    }
    let Fit { centre, columns, .. } = view.set.fits[region];
    let rest = Rest::of(view, region);
    let q = rest.q(view, member);
    let goal = (0..rest.count).fold(centre, |g, k| g + columns[k] * q[k]);
    let [give, back] = view.firmness(region);
    let missing = goal - pose(view, region, member);
    *push = ((missing - given.truncate().as_dvec3() * back) * give).as_vec3().extend(0.0);
    *given += *push;
}
