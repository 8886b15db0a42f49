//! Contact between bodies, and of a body with itself. WGSL twin: `contact.wgsl`
//!
//! A body that touches has faces, links or particles ([`By`]), each as thick as twice the body's
//! radius. A search ([`broad_phase`], then `detect.rs`) finds the pairs that may meet before the
//! next search: a vertex and a face, two edges, a particle and a link, two particles (`pair.rs`).
//! Every substep keeps them apart, with friction and restitution (`solve.rs`, or `split.rs` as on a
//! GPU). A pair remembers on which side its parties are, so that what is fast does not go through what
//! is thin.
//!
//! ```
//! use pliant::contact::Touch;
//! use pliant::glam::{Quat, Vec3};
//! use pliant::{Collider, World, shapes::Lattice, step};
//!
//! let mut world = World::default();
//! world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y)?);
//! let cube = Lattice::default().blueprint()?.touching(Touch::OTHERS);
//! for height in [0.1, 0.3] {
//!     world.add(&cube.clone().placed(Quat::IDENTITY, Vec3::Y * height))?;
//! }
//! for _ in 0..60 {
//!     step(&mut world, 1.0 / 60.0)?;
//! }
//! assert!(world.contact_report().contacts > 0); // one cube lies on the other
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use glam::{Vec3, Vec4};

use crate::body::BodyId;
use crate::error::WorldError;
use crate::mesh::Aabb;
use crate::particles::Held;
use crate::world::{ContactSolver, Precision, World};

pub mod broad_phase;
pub mod buffers;
mod detect;
mod elements;
mod entangled;
mod narrow;
mod pair;
mod path;
mod screen;
mod set;
mod sharp;
mod sieve;
mod solve;
mod split;
mod state;
mod tangle;
pub(crate) mod zones;

use detect::{Bounds, Facing, Part};
use elements::Elements;
use narrow::Reach;
use pair::Pair;
use pair::edge_edge::EdgeEdge;
use pair::particle_edge::ParticleEdge;
use pair::two_particles::TwoParticles;
use pair::vertex_face::VertexFace;
use path::{Path, Stale, Validity, place};
use set::{IDLE, Set, merge_runs};
use sieve::Sieve;
use solve::Stage;
use tangle::Tangle;

pub(crate) const WGSL: &str = include_str!("contact.wgsl");

/// How a body meets other bodies, and itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// What it meets. Two bodies meet if both meet others and their phases have a bit in common.
    pub meets: Meets,
    /// What of it is touched.
    pub by: By,
    /// Coulomb's coefficient μ; of two bodies, the geometric mean counts.
    pub friction: f32,
    /// Speed after an impact over the speed before, 0 to 1; of two bodies, the larger counts.
    pub restitution: f32,
}

impl Touch {
    /// Touches nothing.
    pub const NOTHING: Self =
        Self { meets: Meets::Nothing, by: By::Surface, friction: 0.3, restitution: 0.0 };
    /// Touches other bodies.
    pub const OTHERS: Self = Self { meets: Meets::Others, ..Self::NOTHING };
    /// Touches other bodies and itself.
    pub const ALL: Self = Self { meets: Meets::All, ..Self::NOTHING };

    /// Refuses numbers that no surface has.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        let (friction, restitution) = (self.friction, self.restitution);
        if !(friction >= 0.0 && friction.is_finite()) {
            let needs = "finite and at least 0";
            return Err(WorldError::BadNumber { what: "friction", value: friction, needs });
        }
        if !(0.0..=1.0).contains(&restitution) {
            let (what, value) = ("restitution", restitution);
            return Err(WorldError::BadNumber { what, value, needs: "from 0 to 1" });
        }
        Ok(())
    }
}

impl Default for Touch {
    fn default() -> Self {
        Self::NOTHING
    }
}

/// What a body meets, beside colliders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meets {
    /// No body.
    Nothing,
    /// Other bodies.
    Others,
    /// Other bodies and itself. Parts of it that are near each other at rest may come half as near,
    /// whatever its thickness; see [`Report::thick`].
    All,
}

/// What of a body is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Its triangles; if it has none, its links; if it has none either, its particles.
    Surface,
    /// The particles of its surface, as balls. Cheaper, but what is finer than their distance slips
    /// through.
    Particles,
}

/// What contact did in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Searches for pairs that may touch.
    pub detections: u32,
    /// Pairs of boxes that were compared, in all searches together.
    pub pairs_tested: u64,
    /// Pairs that may touch, after the last search.
    pub candidates: usize,
    /// Pairs that touched in the last substep.
    pub contacts: usize,
    /// By how much the pair is too near that is so most (m).
    pub deepest: f32,
    /// The same as a share of the distance that the pair ought to keep.
    pub deepest_share: f32,
    /// Bodies that are thicker than their shortest edge is long, so that parts of one body may come
    /// nearer to each other than its thickness. A finer thickness or a coarser mesh avoids that.
    pub thick: usize,
}

/// A place where a body touches another, itself, or a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touching {
    /// Where (m): half way between the two, or the particle that a collider pushes.
    pub at: Vec3,
    /// Across the gap, of unit length; 0 where the two are in one place.
    pub normal: Vec3,
}

/// What contact keeps from one step to the next, and its buffers.
#[derive(Debug, Default)]
pub(crate) struct State {
    elements: Elements,
    pub(crate) vertex_face: Set<4>,
    pub(crate) edge_edge: Set<4>,
    pub(crate) particle_edge: Set<3>,
    pub(crate) two_particles: Set<2>,
    /// Where particles were when the substep began.
    start: Vec<Vec4>,
    paths: Vec<Path>,
    /// The paths that candidates rely on, as of the last search for all.
    known: Vec<Path>,
    /// One per slot of the world: whether a particle of it has left its path.
    strayed: Vec<bool>,
    ways: Vec<Aabb>,
    validity: Validity,
    /// Where particles were when pairs were last measured.
    base: Vec<Vec4>,
    /// Of each patch, where its particles may be until pairs are measured again.
    reach: Vec<Reach>,
    /// Where they had come to when they were.
    since: Vec<Reach>,
    normals: Vec<Vec3>,
    facing: Vec<Facing>,
    boxes: Vec<Bounds>,
    sieves: Vec<Sieve>,
    patch_boxes: Vec<Aabb>,
    patch_pairs: Vec<[u32; 2]>,
    space: broad_phase::Space,
    parts: Vec<Part>,
    /// Elements of pairs that were solved before it, in order.
    remembered: Vec<u64>,
    /// For bringing them in order.
    room: Vec<u64>,
    pub(crate) tangle: Tangle,
    /// What pairs that are solved at once do to each particle.
    sums: Vec<split::Sum>,
    report: Report,
}

/// Runs `$work` on every set of pairs with its kind.
macro_rules! each_set {
    ($state:expr, $set:ident, $kind:ident => $work:expr) => {{
        {
            type $kind = VertexFace;
            let $set = &mut $state.vertex_face;
            $work;
        }
        {
            type $kind = EdgeEdge;
            let $set = &mut $state.edge_edge;
            $work;
        }
        {
            type $kind = ParticleEdge;
            let $set = &mut $state.particle_edge;
            $work;
        }
        {
            type $kind = TwoParticles;
            let $set = &mut $state.two_particles;
            $work;
        }
    }};
}
use each_set;

impl State {
    /// Forgets all pairs and their sides.
    fn forget(&mut self) {
        each_set!(self, set, Kind => { let _ = Kind::SIDED; set.clear() });
        self.tangle.entangled.clear();
    }

    /// Forgets pairs whose candidates no longer hold, but not the sides of those that were solved.
    fn begin(&mut self, stale: Stale, bodies: &[u32]) {
        if stale == Stale::Strayed {
            self.age_all();
        }
        let strayed = std::mem::take(&mut self.strayed);
        let has_strayed = |i: u32| strayed[bodies[i as usize] as usize];
        self.remembered.clear();
        each_set!(self, set, Kind => {
            let last = Kind::FIRST; // of the second party
            let stays = |ids: &[u32; _]| ![ids[0], ids[last]].map(has_strayed).contains(&true);
            set.begin((stale == Stale::Strayed).then_some(stays));
            let middle = self.remembered.len();
            self.remembered.extend(set.remembered());
            merge_runs(&mut self.remembered, middle, &mut self.room, |&elements| elements);
        });
        self.strayed = strayed;
    }
}

/// Brings up to date what can be touched. The first substep of every step searches: what a step
/// does depends on nothing but what a snapshot keeps.
pub(crate) fn prepare(world: &mut World) {
    let mut state = std::mem::take(&mut world.contact);
    // After a restore the sides belong to the elements that are made now.
    let restored = state.elements.shapes.is_empty();
    if state.elements.refresh(world) && !restored {
        state.forget();
    }
    state.validity.substeps = 0;
    let thick = state.elements.shapes.iter().flatten().filter(|shape| shape.thick).count();
    state.report = Report { thick, ..Report::default() };
    world.contact = state;
}

/// Remembers where the substep begins.
pub(crate) fn begin(world: &mut World) {
    let World { contact, particles, .. } = world;
    if !contact.elements.all.is_empty() {
        contact.start.clear();
        contact.start.extend_from_slice(&particles.xw);
    }
}

/// Moves apart what is too near. `left` is how many substeps there are, this one included.
pub(crate) fn project(world: &mut World, iteration: u32, left: u32) {
    if world.contact.elements.all.is_empty() {
        return;
    }
    if iteration == 0 && search(world, left) {
        wake_approached(world);
    }
    let World { contact, particles, scratch, config, h, slots, .. } = world;
    let pool = &scratch.pool;
    let mut start = std::mem::take(&mut contact.start);
    if iteration == 0 {
        let substep = entangled::Substep { slots, config, h: *h };
        for pair in &mut contact.tangle.entangled {
            pair.part(particles, &mut start, substep);
        }
    }
    let stage = Stage {
        start: &start,
        predicted: &particles.predicted,
        xw: &[],
        precision: config.precision,
        h: *h,
        first: iteration == 0,
        max_depenetration: config.max_depenetration,
        rest_speed: 0.0,
    };
    let xw = &mut particles.xw;
    match config.contact_solver {
        order @ (ContactSolver::Colored | ContactSolver::InOrder) => {
            each_set!(contact, set, Kind => {
                solve::push::<Kind, _>(set, pool, ([xw.as_mut_slice()], order), stage);
            });
        }
        ContactSolver::Split => contact.push_together(pool, xw, stage, config.iterations),
    }
    contact.start = start;
}

/// Looks for candidates if the present ones no longer hold, and for those that come near. Says whether it
/// searched.
fn search(world: &mut World, left: u32) -> bool {
    let World { contact, particles, scratch, config, h, .. } = world;
    let carried = config.precision == Precision::Carried;
    let x = place(&particles.xw, carried.then_some(&particles.predicted));
    let pool = &scratch.pool;
    contact.validity.age += 1;
    let stale = contact.find_strayed(&x, &particles.body, pool);
    if stale == Stale::Nobody && contact.is_within_reach(&x, pool) {
        return false;
    }
    contact.note_since(stale, pool);
    if stale != Stale::Nobody {
        contact.begin(stale, &particles.body);
        contact.search(&x, particles, (pool, config), (*h, left, stale));
    }
    contact.extend_reach(&x, pool);
    contact.expand_waiting(particles, pool);
    contact.solve_near(stale, pool);
    stale != Stale::Nobody
}

/// Friction and restitution, after velocities were corrected by what positions did.
pub(crate) fn respond(world: &mut World) {
    let World { contact, particles, scratch, config, h, .. } = world;
    if contact.elements.all.is_empty() {
        return;
    }
    let start = std::mem::take(&mut contact.start);
    let stage = Stage {
        start: &start,
        predicted: &particles.predicted,
        xw: &[],
        precision: Precision::Plain,
        h: *h,
        first: false,
        max_depenetration: config.max_depenetration,
        rest_speed: 2.0 * config.gravity.length() * *h,
    };
    let (pool, xw, v) = (&scratch.pool, &mut particles.xw, &mut particles.v);
    match config.contact_solver {
        order @ (ContactSolver::Colored | ContactSolver::InOrder) => {
            each_set!(contact, set, Kind => {
                let moved = [xw.as_mut_slice(), v.as_mut_slice()];
                solve::respond::<Kind, _>(set, pool, (moved, order), stage);
            });
        }
        ContactSolver::Split => contact.respond_together(pool, (xw, v), stage),
    }
    contact.start = start;
}

/// Wakes sleeping bodies that others may touch before the next search: not later, since what hits
/// a body that sleeps loses its momentum.
fn wake_approached(world: &mut World) {
    if world.config.sleep_speed <= 0.0 {
        return;
    }
    let contact = &world.contact;
    let mut woken = Vec::new();
    let mut approached = |ids: &[u32]| {
        let bodies = [ids[0], ids[ids.len() - 1]].map(|i| world.particles.body[i as usize]);
        for [one, other] in [bodies, [bodies[1], bodies[0]]] {
            let [asleep, mover] = [one, other].map(|body| world.slots[body as usize].body.as_ref());
            if asleep.is_some_and(|body| body.asleep)
                && mover.is_some_and(|body| !body.asleep && !body.held && body.quiet == 0.0)
            {
                woken.push(one);
            }
        }
    };
    candidates(&contact.vertex_face, &mut approached);
    candidates(&contact.edge_edge, &mut approached);
    candidates(&contact.particle_edge, &mut approached);
    candidates(&contact.two_particles, &mut approached);
    for slot in woken {
        world.set_held(slot as usize, Held::No);
    }
}

fn candidates<const N: usize>(set: &Set<N>, visit: &mut impl FnMut(&[u32])) {
    set.found.iter().for_each(|found| visit(&found.ids));
}

impl World {
    /// Changes how a body meets other bodies, and itself, from the next step on.
    ///
    /// # Errors
    /// If the body is not in this world, or a number is out of range; nothing changes then.
    pub fn set_touch(&mut self, id: BodyId, touch: Touch) -> Result<(), WorldError> {
        touch.check()?;
        self.body(id)?;
        if let Some(body) = self.slots[id.index as usize].body.as_mut() {
            body.touch = touch;
        }
        Ok(())
    }

    /// What contact did in the last step.
    pub fn contact_report(&self) -> Report {
        let mut report = self.contact.report;
        self.add_to(&mut report, &self.contact.vertex_face, VertexFace::near_at);
        self.add_to(&mut report, &self.contact.edge_edge, EdgeEdge::near_at);
        self.add_to(&mut report, &self.contact.particle_edge, ParticleEdge::near_at);
        self.add_to(&mut report, &self.contact.two_particles, TwoParticles::near_at);
        report
    }

    /// What the broad phase was given in the last search, and what it found: boxes around patches of
    /// neighbouring elements and the ways that they are on, and the pairs of them that overlap; a patch
    /// of a body that meets itself is a pair with itself. To be looked at.
    pub fn searched(&self) -> (&[Aabb], &[[u32; 2]]) {
        (&self.contact.patch_boxes, &self.contact.patch_pairs)
    }

    /// Where bodies touched each other or a collider in the last substep. To be looked at: contacts of
    /// rigid bodies, and of triangles between their particles, with colliders are not in it.
    pub fn touching(&self) -> Vec<Touching> {
        let pushed =
            self.scratch.contacts.iter().enumerate().filter(|(_, touch)| touch.depth > 0.0);
        let at = |i: usize| self.particles.position(i);
        let mut all: Vec<Touching> =
            pushed.map(|(i, touch)| Touching { at: at(i), normal: touch.normal }).collect();
        self.touching_in::<VertexFace, _>(&self.contact.vertex_face, &mut all);
        self.touching_in::<EdgeEdge, _>(&self.contact.edge_edge, &mut all);
        self.touching_in::<ParticleEdge, _>(&self.contact.particle_edge, &mut all);
        self.touching_in::<TwoParticles, _>(&self.contact.two_particles, &mut all);
        all
    }

    fn touching_in<P: Pair<N>, const N: usize>(&self, set: &Set<N>, all: &mut Vec<Touching>) {
        for (found, _) in set.loads().filter(|(_, load)| load.abs() > IDLE) {
            let x = found.ids.map(|i| self.particles.position(i as usize));
            let near = P::near_at(x);
            let first: Vec3 = (0..P::FIRST).map(|k| x[k] * near.b[k]).sum();
            let apart = Vec3::new(near.d.x, near.d.y, near.d.z);
            all.push(Touching { at: first - apart / 2.0, normal: apart.normalize_or_zero() });
        }
    }

    fn add_to<const N: usize>(
        &self,
        report: &mut Report,
        set: &Set<N>,
        near: impl Fn([Vec3; N]) -> pair::Near<f32, N>,
    ) {
        report.candidates += set.len();
        for (found, load) in set.loads() {
            let near = near(found.ids.map(|i| self.particles.position(i as usize)));
            let through = near.inside > 0.0 && near.turned * load < 0.0;
            let apart = if through { -near.d.length() } else { near.d.length() };
            let depth = found.distance - apart;
            report.contacts += usize::from(load.abs() > IDLE);
            report.deepest = report.deepest.max(depth);
            report.deepest_share = report.deepest_share.max(depth / found.distance);
        }
    }
}
