//! Rigid bodies against colliders: a push on one particle moves the whole body.
//!
//! A particle of a rigid body is light, and shape matching would pass its push on to the others in
//! small portions. So contacts of a body that is one rigid region are solved for the body, with its
//! mass and inertia, in positions and then in velocities.
//!
//! Müller et al. 2020, "Detailed Rigid Body Simulation with Extended Position Based Dynamics",
//! sections 3.5 and 3.6, with the friction bounded by impulses. WGSL twin: `rigid.wgsl`

use std::ops::Range;

use glam::{DMat3, DVec3, Vec3, Vec4};

use super::Contact;
use super::response::{STICKS, Times};
use crate::collider::Collider;
use crate::particles::Particles;
use crate::region::matched::{self, Mode};
use crate::world::{Config, Method, Precision, World};

/// Rounds of Gauss-Seidel over the contacts of a body: of pushes, and then of pushes and friction.
const ROUNDS: u32 = 12;
/// See [`ROUNDS`]: what is left must be less than what sticks.
const FRICTION_ROUNDS: u32 = 32;

/// The rigid bodies of a world, and what they touch.
#[derive(Debug, Default)]
pub(crate) struct Rigids {
    /// The particles of each.
    bodies: Vec<Range<usize>>,
    /// For each particle the number of its body, from 1; 0 for none.
    of: Vec<u32>,
    /// What was touched in this iteration; sorted by body.
    touches: Vec<Touch>,
    /// What the velocities of this substep must answer.
    pub(super) answered: Vec<Touch>,
    /// How each body was moved by contacts in this substep, and how by everything.
    moves: Vec<[Screw; 2]>,
}

/// A point of a rigid body that touches a collider.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The body, and a number that is larger for what was found later.
    order: (u32, u32),
    /// Where it touches (m).
    point: DVec3,
    contact: Contact,
    /// Impulses along and across the normal (kg m/s).
    pressed: f64,
    dragged: DVec3,
}

impl Touch {
    /// How fast the surface that is touched goes there (m/s).
    fn carried(&self, colliders: &[Collider]) -> DVec3 {
        let collider = &colliders[self.contact.collider as usize];
        collider.velocity_at(self.point.as_vec3()).as_dvec3()
    }

    /// The part of a vector that is along the surface.
    fn across(&self, a: DVec3) -> DVec3 {
        let n = self.contact.normal.as_dvec3();
        a - n * a.dot(n)
    }

    /// Whether the point bears something and is faster along the surface than `slow` (m/s).
    fn slides(&self, velocity: DVec3, colliders: &[Collider], slow: f64) -> bool {
        self.pressed > 0.0 && self.across(velocity - self.carried(colliders)).length() > slow
    }
}

/// A small motion of a rigid body about its centre of mass, or its velocity.
#[derive(Clone, Copy, Debug, Default)]
struct Screw {
    along: DVec3,
    turn: DVec3,
}

impl Screw {
    /// What it does to a point that is `r` from the centre.
    fn at(&self, r: DVec3) -> DVec3 {
        self.along + self.turn.cross(r)
    }

    /// Both, one after the other.
    fn and(&self, other: &Self) -> Self {
        Self { along: self.along + other.along, turn: self.turn + other.turn }
    }

    /// The same, so many times.
    fn times(&self, factor: f64) -> Self {
        Self { along: self.along * factor, turn: self.turn * factor }
    }

    /// The velocity at the end of a substep, of that over its chords. Particles go straight ahead for
    /// h, by ω h r, and shape matching turns the body by φ with tan φ = ω h; the chords of that turn
    /// have the moment of sin φ / h. Without this, a body loses ω³ h / 2 of its spin per second.
    fn unbent(&self, h: f32) -> Self {
        let sine = (self.turn.length() * f64::from(h)).min(0.7);
        Self { turn: self.turn / (1.0 - sine * sine).sqrt(), ..*self }
    }

    /// Adds the effect of an impulse at `r`.
    fn push(&mut self, mass: &Mass, r: DVec3, impulse: DVec3) {
        self.along += impulse / mass.total;
        self.turn += mass.inverse * r.cross(impulse);
    }
}

/// How a body resists being moved.
struct Mass {
    total: f64,
    centre: DVec3,
    /// Inverse of the inertia tensor (1/(kg m²)).
    inverse: DMat3,
}

impl Mass {
    /// Of the particles in `range`, which are at `place`.
    fn of(
        particles: &Particles,
        range: &Range<usize>,
        place: impl Fn(&Particles, usize) -> DVec3,
    ) -> Self {
        let mass = |i: usize| 1.0 / f64::from(particles.inverse_mass[i]);
        let total: f64 = range.clone().map(mass).sum();
        let sum: DVec3 = range.clone().map(|i| place(particles, i) * mass(i)).sum();
        let centre = sum / total;
        let mut inertia = DMat3::ZERO;
        for i in range.clone() {
            let r = place(particles, i) - centre;
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            inertia += (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer) * mass(i);
        }
        Self { total, centre, inverse: inertia.inverse() }
    }

    /// The motion that has the momentum and the spin of the parts of a body: where each is, seen from
    /// the centre, and its own momentum.
    fn screw(&self, parts: impl Iterator<Item = (DVec3, DVec3)>) -> Screw {
        let (mut momentum, mut spin) = (DVec3::ZERO, DVec3::ZERO);
        for (r, p) in parts {
            momentum += p;
            spin += r.cross(p);
        }
        Screw { along: momentum / self.total, turn: self.inverse * spin }
    }

    /// How much a unit impulse along `n` at `r` moves that point along `n` (1/kg).
    fn give(&self, r: DVec3, n: DVec3) -> f64 {
        let lever = r.cross(n);
        1.0 / self.total + lever.dot(self.inverse * lever)
    }
}

/// Where a particle is (m) after the solver.
fn place(particles: &Particles, i: usize) -> DVec3 {
    particles.xw[i].truncate().as_dvec3()
}

/// Where it is within the solver, where rows of carried precision are displacements.
fn place_within(config: &Config) -> impl Fn(&Particles, usize) -> DVec3 + use<> {
    let carried = config.precision == Precision::Carried;
    move |particles, i| {
        let offset = if carried { particles.predicted[i] } else { Vec4::ZERO };
        (particles.xw[i] + offset).truncate().as_dvec3()
    }
}

/// Finds the rigid bodies, if there is anything that they could meet.
pub(super) fn prepare(world: &mut World) {
    let mut bodies = std::mem::take(&mut world.scratch.rigids.bodies);
    bodies.clear();
    bodies.extend(all(world));
    let World { particles, scratch, triangles, .. } = world;
    let rigids = &mut scratch.rigids;
    rigids.bodies = bodies;
    rigids.of.clear();
    rigids.touches.clear();
    rigids.answered.clear();
    if rigids.bodies.is_empty() {
        return;
    }
    rigids.of.resize(particles.len(), 0);
    for (number, range) in rigids.bodies.iter().enumerate() {
        rigids.of[range.clone()].fill(number as u32 + 1);
    }
    // Room for every particle and triangle, so that a step allocates nothing.
    let most = rigids.bodies.iter().map(ExactSizeIterator::len).sum::<usize>() + triangles.len();
    rigids.touches.reserve(most);
    rigids.answered.reserve(most);
}

/// The particles of the bodies that are one region of rigid shape matching, firm, and free.
fn all(world: &World) -> impl Iterator<Item = Range<usize>> + '_ {
    let World { particles, regions, slots, config, colliders, .. } = world;
    let shapes = regions.iter().filter(|set| set.kind().name == matched::KIND.name);
    let numbers = shapes.flat_map(|set| (0..set.len()).map(move |number| (set, number)));
    numbers.filter(|_| !colliders.is_empty()).filter_map(|(set, number)| {
        let members = set.members(number);
        let first = *members.first()? as usize;
        let range = slots[particles.body[first] as usize].body.as_ref()?.range();
        let hold = set.hold(number);
        let firm = match config.method {
            Method::Xpbd => hold.compliance == 0.0,
            Method::Pbd => hold.stiffness == 1.0,
        };
        let rigid = set.params(number).next() == Some(f32::from(Mode::Rigid as u8));
        let whole = members.len() == range.len() && range.len() > 3;
        let free = || particles.xw[range.clone()].iter().all(|row| row.w > 0.0);
        (firm && rigid && whole && free()).then(|| range.clone())
    })
}

impl Rigids {
    /// The particles of each.
    pub(super) fn bodies(&self) -> &[Range<usize>] {
        &self.bodies
    }

    /// Whether particle `i` moves with a rigid body.
    #[inline]
    pub(crate) fn has(&self, i: usize) -> bool {
        self.of.get(i).is_some_and(|&number| number > 0)
    }

    /// Notes that a point of the body of particle `i` is too deep in a collider.
    pub(super) fn add(&mut self, i: usize, point: Vec3, contact: Contact) {
        let point = point.as_dvec3();
        let order = (self.of[i] - 1, (self.answered.len() + self.touches.len()) as u32);
        let (pressed, dragged) = (0.0, DVec3::ZERO);
        self.touches.push(Touch { order, point, contact, pressed, dragged });
    }

    /// Forgets what was touched in the substep before.
    pub(super) fn begin(&mut self) {
        self.touches.clear();
        self.answered.clear();
        self.moves.clear();
        self.moves.resize(self.bodies.len(), [Screw::default(); 2]);
    }
}

/// Moves rigid bodies out of the colliders that their particles and triangles are in.
pub(super) fn project(world: &mut World) {
    if world.scratch.rigids.bodies.is_empty() {
        return;
    }
    gather(world);
    let World { particles, scratch, config, h, .. } = world;
    let (rigids, place) = (&mut scratch.rigids, place_within(config));
    rigids.touches.sort_unstable_by_key(|touch| touch.order);
    for touches in rigids.touches.chunk_by_mut(|a, b| a.order.0 == b.order.0) {
        let number = touches[0].order.0 as usize;
        let range = &rigids.bodies[number];
        let mass = Mass::of(particles, range, &place);
        let start = |i: usize| (particles.predicted[i] - particles.v[i] * *h).truncate().as_dvec3();
        let gone = motion(particles, range, &mass, |i| {
            let x = place(particles, i);
            [x, x - start(i)]
        });
        let moved = shift(particles, range, &mass, &separate(touches, &mass), &place);
        let [pushed, all] = &mut rigids.moves[number];
        *pushed = pushed.and(&moved);
        *all = gone.and(&moved);
        for touch in touches {
            touch.point += moved.at(touch.point - mass.centre);
        }
    }
    rigids.answered.append(&mut rigids.touches);
}

/// Moves a body, and says what became of the motion in single precision: with short substeps a push
/// of g h² is a few units in the last place, and what rounding adds to it is no velocity.
fn shift(
    particles: &mut Particles,
    range: &Range<usize>,
    mass: &Mass,
    by: &Screw,
    place: impl Fn(&Particles, usize) -> DVec3,
) -> Screw {
    mass.screw(range.clone().map(|i| {
        let r = place(particles, i) - mass.centre;
        let row = particles.xw[i];
        particles.xw[i] += by.at(r).as_vec3().extend(0.0);
        let moved = (particles.xw[i] - row).truncate().as_dvec3();
        (r, moved / f64::from(particles.inverse_mass[i]))
    }))
}

/// Takes the contacts of particles that belong to rigid bodies.
fn gather(world: &mut World) {
    let World { particles, scratch, config, .. } = world;
    let place = place_within(config);
    for body in 0..scratch.rigids.bodies.len() {
        for i in scratch.rigids.bodies[body].clone() {
            let contact = std::mem::take(&mut scratch.contacts[i]);
            if contact.depth > 0.0 {
                let x = place(particles, i).as_vec3();
                scratch.rigids.add(i, x - contact.normal * particles.radius[i], contact);
            }
        }
    }
}

/// The motion that brings the points of a body out of what they are in: of all, the one that costs
/// least.
fn separate(touches: &mut [Touch], mass: &Mass) -> Screw {
    let mut moved = Screw::default();
    for _ in 0..ROUNDS {
        for touch in touches.iter_mut() {
            let n = touch.contact.normal.as_dvec3();
            let r = touch.point - mass.centre;
            let left = f64::from(touch.contact.depth) - n.dot(moved.at(r));
            // No contact pulls, though one may push less than it did.
            let change = (left / mass.give(r, n)).max(-touch.pressed);
            touch.pressed += change;
            moved.push(mass, r, n * change);
        }
    }
    touches.iter_mut().for_each(|touch| touch.pressed = 0.0);
    moved
}

/// Friction and restitution of rigid bodies.
///
/// What pushed them apart gives no velocity; impulses take the speed at which points come in, along
/// and across, within Coulomb's cone. What sticks is put back by what it slid.
pub(super) fn update(world: &mut World) {
    let times = Times::of(world);
    let World { particles, colliders, scratch, .. } = world;
    let Rigids { answered, bodies, moves, .. } = &mut scratch.rigids;
    answered.sort_unstable_by_key(|touch| touch.order);
    let mut left = answered.as_mut_slice();
    for (number, range) in bodies.iter().enumerate() {
        let count = left.partition_point(|touch| touch.order.0 as usize <= number);
        let (touches, others) = left.split_at_mut(count);
        left = others;
        let mass = Mass::of(particles, range, place);
        let velocity = |i: usize| particles.v[i].truncate().as_dvec3();
        let before = motion(particles, range, &mass, |i| [place(particles, i), velocity(i)]);
        let [pushed, gone] = moves[number];
        let free = before.unbent(times.h).and(&pushed.times(-1.0 / f64::from(times.h)));
        let after = answer(touches, colliders, &mass, free, times);
        let back = stick(touches, colliders, &mass, [gone, after], times);
        for i in range.clone() {
            let r = place(particles, i) - mass.centre;
            let change = after.at(r) - before.at(r);
            particles.v[i] += change.as_vec3().extend(0.0);
            particles.xw[i] += back.at(r).as_vec3().extend(0.0);
        }
    }
}

/// The motion of a body: of all screws, the one nearest to what its particles do. `of` says where a
/// particle is and what it does.
fn motion(
    particles: &Particles,
    range: &Range<usize>,
    mass: &Mass,
    of: impl Fn(usize) -> [DVec3; 2],
) -> Screw {
    mass.screw(range.clone().map(|i| {
        let [x, change] = of(i);
        (x - mass.centre, change / f64::from(particles.inverse_mass[i]))
    }))
}

/// The velocity that contact leaves. A body that friction holds but for the rounding of positions is
/// held, as particles are: else what rounding adds in every substep would let it creep away.
fn answer(
    touches: &mut [Touch],
    colliders: &[Collider],
    mass: &Mass,
    free: Screw,
    times: Times,
) -> Screw {
    let held = impulses(touches, colliders, mass, (free, 1.0 + f64::from(2.0 * STICKS)), times);
    let slow = f64::from(STICKS * times.rest_speed);
    let slides = |touch: &Touch| touch.slides(held.at(touch.point - mass.centre), colliders, slow);
    if touches.iter().any(slides) {
        return impulses(touches, colliders, mass, (free, 1.0), times);
    }
    held
}

/// The same with so much of Coulomb's cone.
fn impulses(
    touches: &mut [Touch],
    colliders: &[Collider],
    mass: &Mass,
    (free, cone): (Screw, f64),
    times: Times,
) -> Screw {
    let mut now = free;
    touches.iter_mut().for_each(|touch| (touch.pressed, touch.dragged) = (0.0, DVec3::ZERO));
    for round in 0..ROUNDS + FRICTION_ROUNDS {
        for touch in touches.iter_mut() {
            let collider = &colliders[touch.contact.collider as usize];
            let n = touch.contact.normal.as_dvec3();
            let r = touch.point - mass.centre;
            let surface = touch.carried(colliders);
            let coming = (free.at(r) - surface).dot(n);
            let bounces = coming < -f64::from(times.rest_speed);
            let wanted = if bounces { -f64::from(collider.restitution) * coming } else { 0.0 };
            let missing = wanted - (now.at(r) - surface).dot(n);
            let change = (missing / mass.give(r, n)).max(-touch.pressed);
            touch.pressed += change;
            now.push(mass, r, n * change);

            let slip = touch.across(now.at(r) - surface);
            let Some(t) = slip.try_normalize().filter(|_| round >= ROUNDS) else { continue };
            let dragged = touch.dragged - slip / mass.give(r, t);
            let most = cone * f64::from(collider.friction) * touch.pressed;
            let dragged = dragged.clamp_length_max(most);
            now.push(mass, r, dragged - touch.dragged);
            touch.dragged = dragged;
        }
    }
    now
}

/// The motion that puts points back which stick although they slid while the body has `gone`: those
/// that contact leaves with next to no speed, even if it took all the friction there is.
fn stick(
    touches: &[Touch],
    colliders: &[Collider],
    mass: &Mass,
    [gone, velocity]: [Screw; 2],
    times: Times,
) -> Screw {
    let slow = f64::from(STICKS * times.rest_speed);
    let mut back = Screw::default();
    for _ in 0..ROUNDS {
        for touch in touches {
            let r = touch.point - mass.centre;
            if touch.pressed <= 0.0 || touch.slides(velocity.at(r), colliders, slow) {
                continue;
            }
            let carried = touch.carried(colliders) * f64::from(times.h);
            let slid = touch.across(gone.and(&back).at(r) - carried);
            if let Some(t) = slid.try_normalize() {
                back.push(mass, r, -slid / mass.give(r, t));
            }
        }
    }
    back
}
