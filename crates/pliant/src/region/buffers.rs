//! A set of regions as buffers: what `region.wgsl` binds beside the particles.

use bytemuck::{Pod, Zeroable};
use glam::{DMat3, DVec3, Vec4};

use super::algebra::eigen;
use super::{Over, Set, View};
use crate::particles::Particles;
use crate::step::project::Substep;
use crate::world::Config;

/// The buffers of a set, in the order of their bindings after those of the particles.
///
/// The first two follow from the regions, the rest pose, the masses and what is held, and are made
/// anew when one of these changes. The others are written on the GPU; of them only
/// [`FitRow::state`] must survive a substep.
#[derive(Clone, Debug)]
pub struct Buffers {
    /// All columns of indices, one after the other; see [`Layout`].
    pub tables: Vec<u32>,
    /// A row for each region, then one for each member; see [`Layout`].
    pub numbers: Vec<f32>,
    /// For each member: where it should go, and how far it went in this substep (m).
    pub pushes: Vec<[Vec4; 2]>,
    /// What is found out about each region, and what it remembers.
    pub fits: Vec<FitRow>,
    /// The multiplier of each part and its last change; one row if there is none, since a binding
    /// must not be empty.
    pub multipliers: Vec<[f32; 2]>,
    /// Where the columns are.
    pub layout: Layout,
    /// Whether a particle is in several regions: a kind that acts at the end then visits them one
    /// after the other.
    pub is_overlapping: bool,
    /// How many regions, parts, members and particles there are.
    counts: [u32; 4],
}

/// Where the columns start in [`Buffers::tables`] and [`Buffers::numbers`]; the end of `Params` in
/// `region.wgsl`, which says what each is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Layout {
    starts: u32,
    members: u32,
    region_of: u32,
    of_particle: u32,
    members_of: u32,
    parts: u32,
    region_of_part: u32,
    of_member: u32,
    corners: u32,
    region_row: u32,
    member_rows: u32,
    extra: u32,
}

/// What `Fit` is in `region.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct FitRow {
    /// What the region remembers from substep to substep; see [`Set::state`].
    pub state: Vec4,
    /// A point, from the region's first member (m); `w` is the change of a multiplier.
    pub centre: Vec4,
    /// Whatever the kind puts there.
    pub columns: [Vec4; 9],
}

impl Buffers {
    /// How many rows a pass has to visit.
    pub fn rows(&self, over: Over) -> u32 {
        let [regions, parts, members, particles] = self.counts;
        match over {
            Over::Regions => regions,
            Over::Parts => parts,
            Over::Members => members,
            Over::Particles => particles,
        }
    }
}

impl Set {
    /// The set as buffers for [`super::WGSL`], for particles and settings as they are now.
    pub fn buffers(&self, particles: &Particles, config: &Config) -> Buffers {
        let mut set = self.clone();
        set.prepare(particles, config);
        let (tables, layout) = tables(&set);
        let view = View { set: &set, particles, config, substep: Substep { h: 0.0, iteration: 0 } };
        let mut numbers: Vec<f32> = (0..set.len()).flat_map(|r| region_row(&view, r)).collect();
        let region_row = (numbers.len() / set.len().max(1)) as u32;
        let member_rows = numbers.len() as u32;
        numbers.extend((0..set.len()).flat_map(|region| member_rows_of(&view, region)));
        let fit = |&state: &Vec4| FitRow { state, ..FitRow::default() };
        let counts = [set.len(), set.parts.len(), set.members.len(), particles.len()];
        Buffers {
            tables,
            numbers,
            pushes: vec![[Vec4::ZERO; 2]; set.members.len()],
            fits: set.state.iter().map(fit).collect(),
            multipliers: vec![[0.0; 2]; set.parts.len().max(1)],
            layout: Layout { region_row, member_rows, ..layout },
            is_overlapping: set.of_particle.windows(2).any(|pair| pair[1] - pair[0] > 1),
            counts: counts.map(|count| count as u32),
        }
    }
}

/// All columns of indices, and where each starts.
fn tables(set: &Set) -> (Vec<u32>, Layout) {
    let mut all = Vec::new();
    let mut add = |column: &[u32]| {
        let start = all.len() as u32;
        all.extend_from_slice(column);
        start
    };
    let (of_member, corners) = set.all_corners();
    let layout = Layout {
        starts: add(&set.starts),
        members: add(&set.members),
        region_of: add(&set.derived.region_of),
        of_particle: add(&set.of_particle),
        members_of: add(&set.members_of),
        parts: add(set.parts.as_flattened()),
        region_of_part: add(&set.derived.region_of_part),
        of_member: add(of_member),
        corners: add(corners.as_flattened()),
        extra: add(&(set.kind().table)(set)),
        ..Layout::default()
    };
    (all, layout)
}

/// Compliance, share under PBD, the numbers of the kind, and those that the twin needs.
fn region_row(view: &View<'_>, region: usize) -> impl Iterator<Item = f32> {
    let set = view.set;
    let share = set.share.get(region).copied().unwrap_or(0.0);
    let twin = (set.kind().twin)(view, region).into_iter().map(|number| number as f32);
    [set.compliance[region], share].into_iter().chain(set.params(region)).chain(twin)
}

/// Rest position from the mean by weight, along the principal axes (m), that weight (kg) and the mass
/// (kg) of each member.
///
/// All is computed in double precision before it is rounded: a held member weighs 10⁴ times the
/// region, and where it is nearly on an axis, the small number that says how nearly counts as much
/// as the others.
fn member_rows_of(view: &View<'_>, region: usize) -> impl Iterator<Item = f32> {
    let (mean, axes) = (mean(view, region), principal_axes(view, region).transpose());
    view.members(region).flat_map(move |member| {
        let DVec3 { x, y, z } = axes * (at_rest(view, member) - mean);
        let weight = view.set.derived.weights[member];
        [x, y, z, weight, view.mass(member)].map(|number| number as f32)
    })
}

fn at_rest(view: &View<'_>, member: usize) -> DVec3 {
    view.set.rest[member].truncate().as_dvec3()
}

/// The mean of the rest positions of a region, by weight (m).
fn mean(view: &View<'_>, region: usize) -> DVec3 {
    let weights = &view.set.derived.weights;
    let sum: f64 = weights[view.members(region)].iter().sum();
    view.members(region).map(|k| at_rest(view, k) * weights[k]).sum::<DVec3>() / sum
}

/// The axes, as columns of a rotation, for which Σ m x y, Σ m y z and Σ m z x of the rest positions
/// are 0; m is a member's weight.
pub(super) fn principal_axes(view: &View<'_>, region: usize) -> DMat3 {
    let mean = mean(view, region);
    let mut moments = [[0.0; 3]; 3];
    for member in view.members(region) {
        let q = at_rest(view, member) - mean;
        let m = view.set.derived.weights[member];
        for (i, row) in moments.iter_mut().enumerate() {
            (0..3).for_each(|j| row[j] += m * q[i] * q[j]);
        }
    }
    let (_, rows) = eigen(moments);
    let axes = DMat3::from_cols_array_2d(&rows).transpose();
    if axes.determinant() < 0.0 { -axes } else { axes }
}
