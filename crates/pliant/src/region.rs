//! Regions: lists of particles that are solved as one, and the list of their kinds.
//!
//! A constraint is one number of a few particles ([`crate::constraint`]). Shape matching, the volume
//! of a balloon and a limit on strain are not: they look at many particles and move each. A kind of
//! region is a short list of passes (`Pass`) over its regions, parts and members, each of which
//! writes one column and may run on any number of threads, or be one dispatch of a GPU. What is the
//! same for all kinds is written once, here: a particle of n regions is split into n particles of
//! the n-th part of its mass, each region moves its own, and the particle goes to their mean. So
//! linear and angular momentum are kept however regions overlap (Rivers and James 2007; Tonge
//! et al. 2012).
//!
//! One more kind is one file here, its WGSL twin beside it, and one line in [`ALL`]. The WGSL twin of
//! this file is `region.wgsl`; a kind's shader is that file and the kind's own.

use std::mem::take;
use std::ops::Range;

use glam::{DVec3, Vec3, Vec4};

use crate::error::WorldError;
use crate::parallel::{self, Pool};
use crate::particles::Particles;
use crate::step::project::Substep;
use crate::world::{Config, Method, Precision, World};

pub mod algebra;
pub mod balloon;
pub mod buffers;
pub mod cones;
pub mod matched;
pub mod set;
pub mod strain_limit;

pub use buffers::Buffers;
pub use set::{Region, Set};

/// The part of the GPU's shader that is the same for every kind.
pub const WGSL: &str = include_str!("region.wgsl");

/// Every kind of ours, in the order in which a solver iteration visits them.
pub const ALL: &[&RegionKind] =
    &[&matched::KIND, &cones::KIND, &balloon::KIND, &strain_limit::KIND];

/// A kind of region as data: what any part of the engine needs to know of it.
#[derive(Debug)]
pub struct RegionKind {
    /// The name, as in scene files and snapshots.
    pub name: &'static str,
    /// One sentence: what it keeps.
    pub shows: &'static str,
    /// The numbers that one region has, in the order of [`Region::params`].
    pub params: &'static [RegionParam],
    /// Particles of a part: 3 for triangles, 2 for links, 0 if a region has no parts.
    pub corners: usize,
    /// The number that each part has, if any, such as the greatest length of a link.
    pub part_param: Option<RegionParam>,
    /// The same passes for the GPU, as entry points; see [`Self::dispatches`]. `None` keeps it on the
    /// CPU.
    pub wgsl: Option<&'static str>,
    pub(crate) rule: Rule,
    /// The state of a new region.
    pub(crate) state: Vec4,
    /// How many numbers of a region follow from its rest pose and its masses, and how.
    pub(crate) derived: (usize, Derive),
    /// The numbers of a region that the WGSL twin needs instead; [`derived`] if they are the same.
    pub(crate) twin: fn(&View<'_>, region: usize) -> Vec<f64>,
    /// The indices that the WGSL twin needs beside those of all kinds; see `extra` in `region.wgsl`.
    pub(crate) table: fn(&Set) -> Vec<u32>,
    /// What a region must be, beyond what [`Set::push`] asks of all; gets the rest positions.
    pub(crate) check: fn(&Region, &[Vec3]) -> Result<(), WorldError>,
}

/// Computes what follows from the rest pose and the masses of a region.
pub(crate) type Derive = fn(&View<'_>, region: usize, derived: &mut [f64]);

/// No more indices.
pub(crate) fn no_table(_: &Set) -> Vec<u32> {
    Vec::new()
}

/// What follows from the rest pose and the masses of a region.
pub(crate) fn derived(view: &View<'_>, region: usize) -> Vec<f64> {
    view.set.derived(region).to_vec()
}

/// A number of a region.
#[derive(Debug)]
pub struct RegionParam {
    /// The name, such as `beta`.
    pub name: &'static str,
    /// The unit, or nothing.
    pub unit: &'static str,
    /// The least it may be.
    pub min: f32,
    /// The most it may be.
    pub max: f32,
    /// What it must be, in words, for errors.
    pub needs: &'static str,
    /// One sentence: what it is.
    pub meaning: &'static str,
}

/// When a kind acts, and how.
#[derive(Debug)]
pub(crate) enum Rule {
    /// In every solver iteration: these passes in this order, then every particle moves.
    Together(&'static [Pass]),
    /// Once at the end of a substep, after contacts: moves the members of one region. The name is
    /// that of its entry point on the GPU, a pass over regions.
    AtTheEnd(&'static str, fn(&Ending<'_>, members: &mut [End])),
}

/// A walk over all regions of a kind, all their parts, or all their members, and the name of its
/// entry point on the GPU. Whatever it reads but its own row is as the pass before has left it.
#[derive(Debug)]
pub(crate) enum Pass {
    Regions(&'static str, fn(&View<'_>, region: usize, row: (&mut Fit, &mut Vec4))),
    Parts(&'static str, fn(&View<'_>, part: usize, multiplier: &mut [f32; 2])),
    Members(&'static str, fn(&View<'_>, member: usize, row: (&mut Vec4, &mut Vec4))),
}

/// A pass on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// The name of its entry point.
    pub entry: &'static str,
    /// What it walks over.
    pub over: Over,
}

/// What a pass on the GPU walks over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// All regions, a workgroup each.
    Regions,
    /// All parts, a lane each.
    Parts,
    /// All members of all regions, a lane each.
    Members,
    /// All particles of the world, a lane each.
    Particles,
}

/// The shader of a kind, but for its own part: [`WGSL`] and what lanes do together, and for a kind that
/// acts at the end of a substep, with predictions that can be written.
pub fn wgsl(kind: &RegionKind) -> String {
    let all = [WGSL, parallel::WGSL].concat();
    match kind.acts_at_end() {
        true => all.replace("read> predicted", "read_write> predicted"),
        false => all,
    }
}

impl RegionKind {
    /// Whether it acts once at the end of a substep, and not in every iteration.
    pub fn acts_at_end(&self) -> bool {
        matches!(self.rule, Rule::AtTheEnd(..))
    }

    /// What it does on the GPU, pass by pass, in a solver iteration or at the end of a substep: none
    /// for a kind that stays on the CPU.
    pub fn dispatches(&self) -> impl Iterator<Item = Dispatch> {
        let (passes, end): (&[Pass], _) = match self.rule {
            _ if self.wgsl.is_none() => (&[], None),
            Rule::Together(passes) => (passes, None),
            Rule::AtTheEnd(entry, _) => (&[], Some(Dispatch { entry, over: Over::Regions })),
        };
        let gather = Dispatch { entry: "gather", over: Over::Particles };
        let own = passes.iter().map(|pass| match *pass {
            Pass::Regions(entry, _) => Dispatch { entry, over: Over::Regions },
            Pass::Parts(entry, _) => Dispatch { entry, over: Over::Parts },
            Pass::Members(entry, _) => Dispatch { entry, over: Over::Members },
        });
        own.chain((!passes.is_empty()).then_some(gather)).chain(end)
    }
}

/// What a pass over regions finds out and the passes after it read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fit {
    /// A point of the region, such as its centre of mass (m).
    pub(crate) centre: DVec3,
    /// The columns of a matrix that takes rest positions to where they should be.
    pub(crate) columns: [DVec3; 9],
    /// Change of the multiplier λ.
    pub(crate) d_lambda: f64,
}

/// Rows that are worth a second thread: regions, parts and members.
const GRAIN: [usize; 3] = [16, 128, 256];
/// Particles that are worth a second thread.
const PARTICLES: usize = 512;

/// One iteration: every region is visited once.
pub(crate) fn iterate(world: &mut World, iteration: u32) {
    let World { regions, particles, scratch, config, h, .. } = world;
    for set in regions {
        project(set, particles, &scratch.pool, config, Substep { h: *h, iteration });
    }
}

/// One solver iteration over all regions of a set.
fn project(
    set: &mut Set,
    particles: &mut Particles,
    pool: &Pool,
    config: &Config,
    substep: Substep,
) {
    let Rule::Together(passes) = set.kind().rule else { return };
    if set.is_empty() {
        return;
    }
    if substep.iteration == 0 {
        set.given.fill(Vec4::ZERO);
        set.multipliers.fill([0.0; 2]);
    }
    for pass in passes {
        run(pass, set, particles, pool, (config, substep));
    }
    let Set { push, of_particle, members_of, .. } = &*set;
    let columns = (particles.xw.as_mut_slice(),);
    pool.for_rows(columns, PARTICLES, |first, (xw,)| {
        for (i, row) in xw.iter_mut().enumerate() {
            let range = of_particle[first + i] as usize..of_particle[first + i + 1] as usize;
            if row.w > 0.0 && !range.is_empty() {
                let mean = 1.0 / range.len() as f32;
                let sum = members_of[range].iter().map(|&m| push[m as usize]).sum::<Vec4>();
                *row += (sum * mean).with_w(0.0);
            }
        }
    });
}

fn run(
    pass: &Pass,
    set: &mut Set,
    particles: &Particles,
    pool: &Pool,
    (config, substep): (&Config, Substep),
) {
    // Whoever writes a column takes it out of the set meanwhile; that moves a pointer, no rows.
    match pass {
        Pass::Regions(_, work) => {
            let (mut fits, mut state) = (take(&mut set.fits), take(&mut set.state));
            let view = View { set, particles, config, substep };
            let columns = (fits.as_mut_slice(), state.as_mut_slice());
            pool.for_rows(columns, GRAIN[0], |first, (fits, state)| {
                for (i, row) in fits.iter_mut().zip(state).enumerate() {
                    work(&view, first + i, row);
                }
            });
            (set.fits, set.state) = (fits, state);
        }
        Pass::Parts(_, work) => {
            let mut multipliers = take(&mut set.multipliers);
            let view = View { set, particles, config, substep };
            pool.for_rows((multipliers.as_mut_slice(),), GRAIN[1], |first, (rows,)| {
                rows.iter_mut().enumerate().for_each(|(i, row)| work(&view, first + i, row));
            });
            set.multipliers = multipliers;
        }
        Pass::Members(_, work) => {
            let (mut push, mut given) = (take(&mut set.push), take(&mut set.given));
            let view = View { set, particles, config, substep };
            let columns = (push.as_mut_slice(), given.as_mut_slice());
            pool.for_rows(columns, GRAIN[2], |first, (push, given)| {
                for (i, row) in push.iter_mut().zip(given).enumerate() {
                    work(&view, first + i, row);
                }
            });
            (set.push, set.given) = (push, given);
        }
    }
}

/// The regions that act at the end of a substep.
pub(crate) fn finish(world: &mut World) {
    let World { regions, particles, config, h, .. } = world;
    for set in regions {
        let Rule::AtTheEnd(_, work) = set.kind().rule else { continue };
        let substep = Substep { h: *h, iteration: 0 };
        for region in 0..set.len() {
            let mut ends = take(&mut set.ends);
            let view = View { set, particles, config, substep };
            ends.clear();
            ends.extend(view.members(region).map(|member| End::of(&view, member)));
            work(&Ending { view: &view, region }, &mut ends);
            let felt = felt(&ends, f64::from(*h));
            for (member, end) in set.members_of_region(region).zip(&ends) {
                end.apply(felt, set.members[member] as usize, particles, config.precision);
            }
            set.ends = ends;
        }
    }
}

/// The share of the moves that velocities feel: as much as takes the most kinetic energy.
///
/// ```text
/// κ = −Σ m v·Δ/h / Σ m|Δ/h|²,    0 ≤ κ ≤ 1        the least of Σ ½m|v + κΔ/h|²
/// ```
///
/// The shortest way back to what is permitted is felt whole, as by a rope that does not spring back.
/// Detours are not: whatever the moves are, they add no energy of motion.
fn felt(ends: &[End], h: f64) -> f64 {
    let (mut along, mut square) = (0.0, 0.0);
    for end in ends.iter().filter(|end| end.w > 0.0) {
        let kick = (end.x - end.found) / h;
        along -= end.v.dot(kick) / end.w;
        square += kick.length_squared() / end.w;
    }
    if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// What a region sees that acts at the end of a substep.
pub(crate) struct Ending<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) region: usize,
}

/// A member at the end of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// Where it is to go (m).
    pub(crate) x: DVec3,
    /// Where it was found (m).
    found: DVec3,
    /// Where it was when the substep began (m); where it is now if it is held.
    pub(crate) start: DVec3,
    /// Inverse mass (1/kg); 0 is held.
    pub(crate) w: f64,
    /// The velocity that it would end the substep with if it stayed where it was found (m/s).
    v: DVec3,
}

impl End {
    fn of(view: &View<'_>, member: usize) -> Self {
        let (x, w) = (view.x(member), view.w(member));
        let start = view.start(member);
        let v = (x - start) / f64::from(view.substep.h);
        Self { x, found: x, start: if w > 0.0 { start } else { x }, w, v }
    }

    /// Moves particle `i`; its velocity will feel the share `felt` of it.
    fn apply(&self, felt: f64, i: usize, particles: &mut Particles, precision: Precision) {
        let moved = self.x - self.found;
        let [felt, unfelt] = [felt, 1.0 - felt].map(|share| (moved * share).as_vec3().extend(0.0));
        // A velocity is corrected by the distance from `predicted`: what goes there is not felt.
        particles.predicted[i] += unfelt;
        particles.xw[i] += match precision {
            Precision::Plain => moved.as_vec3().extend(0.0),
            Precision::Carried => felt,
        };
    }
}

/// What a pass may look at.
pub(crate) struct View<'a> {
    pub(crate) set: &'a Set,
    pub(crate) particles: &'a Particles,
    pub(crate) config: &'a Config,
    pub(crate) substep: Substep,
}

impl View<'_> {
    /// The members of a region.
    pub(crate) fn members(&self, region: usize) -> Range<usize> {
        self.set.members_of_region(region)
    }

    /// Where a member is (m).
    pub(crate) fn x(&self, member: usize) -> DVec3 {
        let i = self.set.members[member] as usize;
        let row = self.particles.xw[i].truncate().as_dvec3();
        match self.config.precision {
            Precision::Plain => row,
            Precision::Carried => self.particles.predicted[i].truncate().as_dvec3() + row,
        }
    }

    /// Where a member was when the substep began (m).
    pub(crate) fn start(&self, member: usize) -> DVec3 {
        let i = self.set.members[member] as usize;
        let predicted = self.particles.predicted[i].truncate().as_dvec3();
        predicted - self.particles.velocity(i).as_dvec3() * f64::from(self.substep.h)
    }

    /// Inverse of the mass that a member has in this region (1/kg): n w; 0 is held.
    pub(crate) fn w(&self, member: usize) -> f64 {
        let i = self.set.members[member] as usize;
        f64::from(self.particles.xw[i].w) * self.copies(i)
    }

    /// The mass that a member has in this region (kg), held or not: m/n.
    pub(crate) fn mass(&self, member: usize) -> f64 {
        let i = self.set.members[member] as usize;
        1.0 / (f64::from(self.particles.inverse_mass[i]) * self.copies(i))
    }

    /// How many regions of the set have particle `i`.
    fn copies(&self, i: usize) -> f64 {
        f64::from(self.set.of_particle[i + 1] - self.set.of_particle[i])
    }

    /// Number `param` of a region.
    pub(crate) fn param(&self, region: usize, param: usize) -> f32 {
        self.set.params[param][region]
    }

    /// How much of what is missing a region gives at once, and how much of what it has given in
    /// this substep it takes back: Δ = give·(missing − back·given).
    ///
    /// ```text
    /// XPBD   give = 1/(1 + α̃), back = α̃, α̃ = α/h²        Macklin et al. 2016, eq. 18, for Σw|∇C|² = 1
    /// PBD    give = 1 − (1 − k)^(1/n), back = 0            Müller et al. 2007, section 3.3
    /// ```
    pub(crate) fn firmness(&self, region: usize) -> [f64; 2] {
        match self.config.method {
            Method::Xpbd => {
                let h = f64::from(self.substep.h);
                let alpha = f64::from(self.set.compliance[region]) / (h * h);
                [1.0 / (1.0 + alpha), alpha]
            }
            Method::Pbd => [f64::from(self.set.share[region]), 0.0],
        }
    }
}
