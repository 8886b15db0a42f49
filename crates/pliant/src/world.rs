//! The world: everything a step reads and writes.

use glam::{DMat3, DVec3, Quat, Vec3, Vec4};

use crate::body::{Blueprint, Body, BodyId, check_particles, positions_of, set_of};
use crate::collider::Collider;
use crate::coloring::{Algorithm, first_fit};
use crate::constraint::set::{Hold, Set};
use crate::constraint::{ALL, Kind};
use crate::contact;
use crate::contact::broad_phase::{BroadPhase, hash};
use crate::error::WorldError;
use crate::force::Force;
use crate::integrate::Stepping;
use crate::parallel::Pool;
use crate::particles::{Held, Particle, Particles};
use crate::region::{self, Region, RegionKind, algebra, matched};
use crate::solver::{self, Solver};
use crate::step::contacts::{Contact, Faces, Places, Rigids};
use crate::step::forces::Driven;
use crate::unsolved::{self, Stiffness};

/// How a world is simulated. Plain data: any field may change between two steps.
///
/// [`crate::settings::SETTINGS`] describes every field for people and front ends.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Config {
    /// Substeps per step. More is stiffer, and costs in proportion; 10 to 30 is usual.
    pub substeps: u32,
    /// Solver iterations per substep. One is best for most scenes.
    pub iterations: u32,
    /// A substep ends its iterations early when one of them moves no particle farther than this
    /// (m); 0 does them all. Under PBD, fewer iterations are softer. See [`crate::stop`].
    pub tolerance: f32,
    /// In which order the constraints are solved.
    pub solver: Solver,
    /// Multiple of each correction that is made: 1 is plain, more is over-relaxation.
    pub omega: f32,
    /// Share of the error that an iteration of Jacobi leaves, as Chebyshev is to assume.
    pub spectral_radius: f32,
    /// How constraints are divided into groups that can be solved at once.
    #[cfg_attr(feature = "serde", serde(with = "crate::coloring::by_name"))]
    pub coloring: &'static Algorithm,
    /// What stiffness means.
    pub method: Method,
    /// How corrections are kept while a substep is solved.
    pub precision: Precision,
    /// What programs that can run a world elsewhere are to use; [`crate::step()`] is the CPU's.
    pub backend: Backend,
    /// Threads that share the work; 0 is one per core. The result is the same for any number,
    /// except with [`Solver::Unordered`].
    pub threads: u32,
    /// Gravity (m/s²).
    pub gravity: Vec3,
    /// Rate at which all motion dies away (1/s).
    pub damping: f32,
    /// How pairs of bodies that may touch are looked for.
    #[cfg_attr(feature = "serde", serde(with = "crate::contact::broad_phase::by_name"))]
    pub broad_phase: &'static BroadPhase,
    /// In which order pairs that touch are solved; on a GPU always [`ContactSolver::Split`].
    pub contact_solver: ContactSolver,
    /// Speed at which what began too near is pushed apart, or out of a collider (m/s).
    pub max_depenetration: f32,
    /// A body slower than this everywhere falls asleep (m/s); 0 keeps all awake.
    pub sleep_speed: f32,
    /// How long a body must be slow before it falls asleep (s).
    pub sleep_after: f32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            substeps: 20,
            iterations: 1,
            tolerance: 0.0,
            solver: Solver::Colored,
            omega: 1.0,
            spectral_radius: 0.9,
            coloring: first_fit::ALGORITHM,
            method: Method::Xpbd,
            precision: Precision::Plain,
            backend: Backend::Cpu,
            threads: 0,
            gravity: Vec3::new(0.0, -9.81, 0.0),
            damping: 0.0,
            broad_phase: hash::BROAD_PHASE,
            contact_solver: ContactSolver::Colored,
            max_depenetration: 1.0,
            sleep_speed: 0.0,
            sleep_after: 0.5,
        }
    }
}

/// What the stiffness of a constraint means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Method {
    /// A physical compliance, independent of step and iterations (Macklin et al. 2016).
    Xpbd,
    /// The share of the error that one step removes (Müller et al. 2007).
    Pbd,
}

impl Method {
    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xpbd => "xpbd",
            Self::Pbd => "pbd",
        }
    }
}

/// How corrections are kept while a substep is solved.
///
/// Single precision rounds a position to 60 nm at 1 m, and a velocity that is corrected by rounded
/// positions to that over h: with 100 substeps at 1 m, accelerations come in portions of 2 m/s².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Precision {
    /// In the positions: fastest, and enough for 40 substeps within a few metres of the origin.
    Plain,
    /// Apart from the positions, so that the velocity gets them whole. Takes about 1.3 times as long
    /// (`pliant run hanging_cloth --set precision=carried`).
    Carried,
}

impl Precision {
    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Carried => "carried",
        }
    }
}

/// In which order pairs of bodies that touch are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ContactSolver {
    /// Strip of space by strip, and in each colour after colour, once an iteration: what one pair moves, the next one
    /// sees.
    Colored,
    /// One after the other as they were found, on one thread: a plain loop, to compare with.
    InOrder,
    /// All from the same positions, each particle being parted among its pairs, in at least four
    /// sweeps a substep: as on a GPU, to compare the two. Leaves a heap closer.
    Split,
}

impl ContactSolver {
    /// Every way.
    pub const ALL: &[Self] = &[Self::Colored, Self::InOrder, Self::Split];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Colored => "colored",
            Self::InOrder => "in_order",
            Self::Split => "split",
        }
    }
}

/// Where a world is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Backend {
    /// On the CPU: the same bits on every machine.
    Cpu,
    /// On a GPU, or not at all.
    Gpu,
    /// On a GPU if there is one and the world is large enough to gain by it.
    Auto,
}

impl Backend {
    /// Every backend.
    pub const ALL: &[Self] = &[Self::Cpu, Self::Gpu, Self::Auto];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Auto => "auto",
        }
    }
}

/// A body that was put back because its numbers stopped being finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Quarantine {
    /// The body. It is held at its last finite pose until [`World::release`].
    pub body: BodyId,
    /// The first of its particles that was not finite.
    pub particle: u32,
    /// When (s).
    pub time: f64,
}

/// Bodies, what they meet and what pulls at them, and how they are simulated.
///
/// ```
/// use pliant::{World, shapes::Cloth, step};
///
/// let mut world = World::default();
/// let cloth = world.add(&Cloth { columns: 20, rows: 20, ..Cloth::default() }.blueprint()?.pinned(&[0]))?;
/// for _ in 0..60 {
///     step(&mut world, 1.0 / 60.0)?;
/// }
/// let lowest = world.positions(cloth)?.map(|x| x.y).fold(f32::MAX, f32::min);
/// assert!(lowest < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World {
    /// How it is simulated.
    pub config: Config,
    /// The state.
    pub particles: Particles,
    /// What the particles meet.
    pub colliders: Vec<Collider>,
    /// What pulls at them, beside gravity.
    pub forces: Vec<Force>,
    /// Where the positions' zero is in the world outside (m). A scene far from its own zero keeps
    /// its precision this way.
    pub origin: DVec3,
    /// Time simulated (s).
    pub time: f64,
    /// Bodies whose numbers stopped being finite, oldest first.
    pub quarantine: Vec<Quarantine>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) sets: Vec<Set>,
    pub(crate) regions: Vec<region::Set>,
    pub(crate) slots: Vec<Slot>,
    /// Length of the last substep (s).
    pub(crate) h: f32,
    /// What sleeping bodies went to sleep under; see `step::sleep`.
    pub(crate) surroundings: u64,
    /// Pairs of bodies that may touch.
    pub(crate) contact: contact::State,
    pub(crate) scratch: Scratch,
}

/// A place for a body; the generation tells apart those that had it one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    pub(crate) generation: u32,
    pub(crate) body: Option<Body>,
}

/// What a step needs and nobody else: no part of the state.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) pool: Pool,
    pub(crate) solver: solver::Scratch,
    /// Acceleration by forces (m/s²), one per particle; empty when there are none.
    pub(crate) acceleration: Vec<Vec4>,
    /// Bodies under forces.
    pub(crate) driven: Vec<Driven>,
    /// How far their particles went beyond h v (m); empty when there are none.
    pub(crate) drift: Vec<Vec4>,
    /// What each particle touches.
    pub(crate) contacts: Vec<Contact>,
    /// What triangles touch between their particles.
    pub(crate) faces: Faces,
    /// What rigid bodies touch.
    pub(crate) rigids: Rigids,
    /// Where the colliders are.
    pub(crate) places: Places,
    /// For each particle a ball, centre and radius (m), into which no collider reaches that stands.
    pub(crate) free: Vec<Vec4>,
    /// Rows before the present iteration, if the tolerance asks for them.
    pub(crate) before: Vec<Vec4>,
    /// Iterations of this step so far.
    pub(crate) iterations: u64,
    /// Positions and inverse masses when they were last known to be finite.
    pub(crate) good: Vec<(Vec4, f32)>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            config: Config::default(),
            particles: Particles::default(),
            colliders: Vec::new(),
            forces: Vec::new(),
            origin: DVec3::ZERO,
            time: 0.0,
            quarantine: Vec::new(),
            triangles: Vec::new(),
            sets: ALL.iter().map(|kind| Set::new(kind)).collect(),
            regions: region::ALL.iter().map(|kind| region::Set::new(kind)).collect(),
            slots: Vec::new(),
            h: 0.0,
            surroundings: 0,
            contact: contact::State::default(),
            scratch: Scratch::default(),
        }
    }
}

impl World {
    /// An empty world with these settings.
    pub fn new(config: Config) -> Self {
        Self { config, ..Self::default() }
    }

    /// Adds a body.
    ///
    /// # Errors
    /// If a number of the blueprint is out of range or an index past the end; the world is as it
    /// was then.
    pub fn add(&mut self, blueprint: &Blueprint) -> Result<BodyId, WorldError> {
        blueprint.check()?;
        for set in &blueprint.sets {
            set_of(&mut self.sets, set.kind())?;
        }
        let first = self.particles.len();
        let end = u32::try_from(first + blueprint.positions.len())
            .map_err(|_| WorldError::TooManyParticles)?;
        let first = first as u32;
        let index = self.free_slot();
        for (&position, &mass) in blueprint.positions.iter().zip(&blueprint.masses) {
            let Blueprint { radius, phase, .. } = *blueprint;
            self.particles.push(Particle { position, mass, radius, phase, body: index });
        }
        blueprint.pins.iter().for_each(|&pin| self.particles.pin((first + pin) as usize));
        blueprint.ghosts.iter().for_each(|&i| self.particles.phase[(first + i) as usize] = 0);
        let first_triangle = self.triangles.len() as u32;
        self.triangles.extend(blueprint.triangles.iter().map(|t| t.map(|i| first + i)));
        for set in &blueprint.sets {
            set_of(&mut self.sets, set.kind())?.append(set, |id| Some(first + id));
        }
        for set in &blueprint.regions {
            region::set::set_of(&mut self.regions, set.kind()).append(set, |id| Some(first + id));
        }
        let slot = &mut self.slots[index as usize];
        slot.body = Some(Body {
            name: blueprint.name.clone(),
            particles: first..end,
            triangles: first_triangle..self.triangles.len() as u32,
            skin: blueprint.skin.clone(),
            island: index,
            kin: index,
            stepping: blueprint.stepping,
            touch: blueprint.touch,
            ..Body::default()
        });
        Ok(BodyId { index, generation: slot.generation })
    }

    /// Removes a body and every constraint that one of its particles has.
    ///
    /// Returns the new index of every particle; `None` for those that are gone.
    ///
    /// # Errors
    /// If the body is not in this world.
    pub fn remove(&mut self, id: BodyId) -> Result<Vec<Option<u32>>, WorldError> {
        let mut edit = self.edit();
        edit.remove_body(id, self.body(id)?);
        Ok(self.apply(&edit)?.particles)
    }

    /// Joins particles of any bodies by a constraint that is at rest in the present pose. Returns
    /// its number in [`Self::constraints`].
    ///
    /// # Errors
    /// If a particle is missing or named twice, or a number is out of range; nothing changes then.
    pub fn join(
        &mut self,
        kind: &'static Kind,
        particles: &[u32],
        hold: Hold,
    ) -> Result<usize, WorldError> {
        let x =
            positions_of(kind, particles, self.particles.len(), |i| self.particles.position(i))?;
        self.join_with_rest(kind, particles, &kind.rest(&x), hold)
    }

    /// Joins particles of any bodies by a constraint with the rest values given.
    ///
    /// # Errors
    /// As [`Self::join`], and if the rest values are not the kind's.
    pub fn join_with_rest(
        &mut self,
        kind: &'static Kind,
        particles: &[u32],
        rest: &[f32],
        hold: Hold,
    ) -> Result<usize, WorldError> {
        check_particles(kind.name, particles, self.particles.len())?;
        set_of(&mut self.sets, kind)?.push(particles, rest, hold)
    }

    /// Makes particles of any bodies a region that is at rest in the present pose. Returns its
    /// number in [`Self::regions`].
    ///
    /// # Errors
    /// If a particle is missing or named twice, or the region is not as its kind wants it; nothing
    /// changes then.
    pub fn gather(&mut self, region: &Region) -> Result<usize, WorldError> {
        check_particles(region.kind.name, &region.members, self.particles.len())?;
        let rest: Vec<Vec3> =
            region.members.iter().map(|&i| self.particles.position(i as usize)).collect();
        region::set::set_of(&mut self.regions, region.kind).push(region, &rest)
    }

    /// The regions, one set per kind, in the order in which they are solved.
    pub fn regions(&self) -> &[region::Set] {
        &self.regions
    }

    /// The regions of one kind.
    pub fn regions_of(&self, kind: &RegionKind) -> Option<&region::Set> {
        self.regions.iter().find(|set| set.kind().name == kind.name)
    }

    /// The same, to change their numbers.
    pub fn regions_of_mut(&mut self, kind: &RegionKind) -> Option<&mut region::Set> {
        self.regions.iter_mut().find(|set| set.kind().name == kind.name)
    }

    /// The constraints, one set per kind, in the order in which they are solved.
    pub fn constraints(&self) -> &[Set] {
        &self.sets
    }

    /// The constraints of one kind, if there ever were any.
    pub fn constraints_of(&self, kind: &Kind) -> Option<&Set> {
        self.sets.iter().find(|set| set.kind().is(kind))
    }

    /// The same, to change how firmly they hold.
    pub fn constraints_of_mut(&mut self, kind: &Kind) -> Option<&mut Set> {
        self.sets.iter_mut().find(|set| set.kind().is(kind))
    }

    /// The body of that handle.
    ///
    /// # Errors
    /// If it is not in this world.
    pub fn body(&self, id: BodyId) -> Result<&Body, WorldError> {
        self.slots
            .get(id.index as usize)
            .filter(|slot| slot.generation == id.generation)
            .and_then(|slot| slot.body.as_ref())
            .ok_or(WorldError::NoSuchBody)
    }

    /// Every body, with its handle.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| {
            let id = BodyId { index: index as u32, generation: slot.generation };
            slot.body.as_ref().map(|body| (id, body))
        })
    }

    /// Where the particles of a body are (m).
    ///
    /// # Errors
    /// If the body is not in this world.
    pub fn positions(&self, id: BodyId) -> Result<impl Iterator<Item = Vec3> + '_, WorldError> {
        Ok(self.particles.xw[self.body(id)?.range()].iter().map(|row| row.truncate()))
    }

    /// Where the centre of mass is (m) of a body that one region of shape matching holds together,
    /// such as a rigid one, and how the body is turned from how it was made.
    ///
    /// # Errors
    /// If the body is not in this world, or no such region holds it.
    pub fn pose(&self, id: BodyId) -> Result<(Vec3, Quat), WorldError> {
        let range = self.body(id)?.range();
        let none = WorldError::WrongCount { kind: "body", what: "shapes", expected: 1, found: 0 };
        let set = self.regions_of(&matched::KIND).ok_or_else(|| none.clone())?;
        let whole = |&number: &usize| {
            let members = set.members(number);
            members.len() == range.len() && members.iter().all(|&i| range.contains(&(i as usize)))
        };
        let number = (0..set.len()).find(whole).ok_or(none)?;
        let rest = set.region(number).1;
        let rows = || {
            let mass = |i: u32| 1.0 / f64::from(self.particles.inverse_mass[i as usize]);
            let x = |i: u32| self.particles.position(i as usize).as_dvec3();
            set.members(number).iter().zip(&rest).map(move |(&i, q)| (x(i), q.as_dvec3(), mass(i)))
        };
        let total: f64 = rows().map(|(_, _, m)| m).sum();
        let middle = rows().map(|(x, _, m)| x * m).sum::<DVec3>() / total;
        let moments = rows().fold(DMat3::ZERO, |all, (x, q, m)| {
            let p = (x - middle) * m;
            all + DMat3::from_cols(p * q.x, p * q.y, p * q.z)
        });
        let size = rows().map(|(_, q, m)| m * q.length_squared()).sum();
        let turned = algebra::rotation(moments, size, algebra::unit(set.state(number)));
        Ok((middle.as_vec3(), turned.as_quat()))
    }

    /// The triangles of all bodies, as particles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The root mean square of what the last substep left unsolved in a set, in the kind's unit.
    pub fn residual(&self, set: &Set) -> f64 {
        unsolved::residual(self, set)
    }

    /// What the last substep left unsolved in each constraint of a set, by number, as a length (m): how
    /// far the particles would go to solve it alone.
    pub fn residuals(&self, set: &Set) -> Vec<f32> {
        unsolved::lengths(self, set)
    }

    /// How much of the stiffness that was asked for the last substep delivered.
    pub fn stiffness_reached(&self, set: &Set) -> Stiffness {
        unsolved::stiffness(self, set)
    }

    /// Solver iterations of the last step, of all its substeps together.
    pub fn iterations_done(&self) -> u64 {
        self.scratch.iterations
    }

    /// What the constraints pulled each particle with in the last substep (N), taken at the present
    /// positions: at rest, the reaction of what holds it, turned round.
    pub fn constraint_forces(&self) -> Vec<DVec3> {
        unsolved::forces(self)
    }

    /// Length of the last substep (s); 0 before the first.
    pub fn substep(&self) -> f32 {
        self.h
    }

    /// Lets a body move that sleeps or is held.
    ///
    /// # Errors
    /// If the body is not in this world.
    pub fn release(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.body(id)?;
        self.set_held(id.index as usize, Held::No);
        self.quarantine.retain(|entry| entry.body != id);
        Ok(())
    }

    /// Moves a body by constraints, or by forces and an integrator, from the next step on.
    ///
    /// # Errors
    /// If the body is not in this world.
    pub fn set_stepping(&mut self, id: BodyId, stepping: Stepping) -> Result<(), WorldError> {
        self.body(id)?;
        if let Some(body) = self.slots[id.index as usize].body.as_mut() {
            body.stepping = stepping;
            if body.asleep {
                self.set_held(id.index as usize, Held::No);
            }
        }
        Ok(())
    }

    /// Holds or frees all particles of the body in a slot.
    pub(crate) fn set_held(&mut self, slot: usize, held: Held) {
        let Some(body) = self.slots[slot].body.as_mut() else { return };
        if held == Held::No {
            (body.asleep, body.held, body.quiet) = (false, false, 0.0);
        }
        for i in body.range() {
            self.particles.xw[i].w = self.particles.weight(i, held);
            if held == Held::Yes {
                self.particles.v[i] = Vec4::ZERO;
            }
        }
    }

    pub(crate) fn free_slot(&mut self) -> u32 {
        let free = self.slots.iter().position(|slot| slot.body.is_none());
        free.unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() - 1
        }) as u32
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_a_text_format_and_unknown_ones_are_refused() {
        let config = Config { substeps: 7, solver: Solver::InOrder, ..Config::default() };
        let text = serde_json::to_string(&config).unwrap();
        assert!(text.contains("\"in_order\""), "{text}");
        assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
        let partial = serde_json::from_str::<Config>(r#"{"substeps": 7}"#).unwrap();
        assert_eq!(partial, Config { substeps: 7, ..Config::default() });
        let error = serde_json::from_str::<Config>(r#"{"substep": 7}"#).unwrap_err().to_string();
        assert!(error.contains("substep") && error.contains("substeps"), "{error}");
        let error =
            serde_json::from_str::<Config>(r#"{"coloring": "first"}"#).unwrap_err().to_string();
        assert!(error.contains("coloring is \"first\"") && error.contains("first_fit"), "{error}");
    }
}
