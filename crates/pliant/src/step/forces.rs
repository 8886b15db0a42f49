//! Bodies that move under forces instead of constraints.
//!
//! Their springs are the idle constraints of the distance kind: no solver projects them. Here they
//! pull, and an integrator says where the body goes; that takes the place of the prediction.
//! Whatever else holds the body corrects it afterwards, as it does any other.

use glam::{Vec3, Vec4};

use crate::constraint::distance;
use crate::constraint::set::Set;
use crate::integrate::{Integrator, Springs, State, Stepping, System, Work};
use crate::lanes::V3;
use crate::world::{Precision, Slot, World};

/// A body under forces, as its integrator sees it.
#[derive(Debug)]
pub(crate) struct Driven {
    /// The body, as an index.
    body: u32,
    integrator: &'static Integrator,
    first: usize,
    w: Vec<f32>,
    pull: Vec<V3<f32>>,
    /// Where it was when the substep began.
    start: Vec<V3<f32>>,
    /// Where it is when the substep ends.
    state: State<f32>,
    springs: Springs<f32>,
    work: Work<f32>,
}

/// Whether a constraint is a spring that pulls with a force: of the distance kind, not rigid, and
/// within one body that moves so.
pub(crate) fn pulls(set: &Set, slot: usize, slots: &[Slot], owners: &[u32]) -> bool {
    if !set.kind().is(&distance::KIND) || set.compliance[slot] <= 0.0 {
        return false;
    }
    let body = |&particle: &u32| owners[particle as usize];
    match set.colored.particles(slot) {
        [a, b] => body(a) == body(b) && integrator(&slots[body(a) as usize]).is_some(),
        _ => false,
    }
}

/// Whether any body moves under forces.
pub(crate) fn any(world: &World) -> bool {
    world.slots.iter().any(|slot| integrator(slot).is_some())
}

fn integrator(slot: &Slot) -> Option<&'static Integrator> {
    match slot.body.as_ref()?.stepping {
        Stepping::Forces(integrator) => Some(integrator),
        Stepping::Constraints => None,
    }
}

/// Collects the bodies under forces that are awake, and their springs.
pub(crate) fn gather(world: &mut World) {
    let World { slots, sets, particles, scratch, .. } = world;
    let driven = &mut scratch.driven;
    let mut count = 0;
    for (index, slot) in slots.iter().enumerate() {
        let (Some(integrator), Some(body)) = (integrator(slot), &slot.body) else { continue };
        if body.asleep || body.held {
            continue;
        }
        if count == driven.len() {
            driven.push(Driven::new(integrator));
        }
        let this = &mut driven[count];
        (this.body, this.integrator, this.first) = (index as u32, integrator, body.range().start);
        this.resize(body.range().len());
        count += 1;
    }
    driven.truncate(count);
    let drift = if count == 0 { 0 } else { particles.len() };
    scratch.drift.clear();
    scratch.drift.resize(drift, Vec4::ZERO);
    for set in sets.iter().filter(|set| set.kind().is(&distance::KIND)) {
        for slot in set.colored.active()..set.len() {
            let ends = set.colored.particles_of::<2>()[slot];
            let body = particles.body[ends[0] as usize];
            if let Ok(index) = driven.binary_search_by_key(&body, |driven| driven.body) {
                driven[index].add(set, slot, ends);
            }
        }
    }
}

/// Lets the integrators say where their bodies go; nothing moves yet.
pub(crate) fn integrate(world: &mut World) {
    let World { particles, scratch, config, h, .. } = world;
    let keep = libm::expf(-config.damping * *h);
    for driven in &mut scratch.driven {
        for i in 0..driven.w.len() {
            let (row, v) = (particles.xw[driven.first + i], particles.v[driven.first + i]);
            let force = scratch.acceleration.get(driven.first + i).copied().unwrap_or(Vec4::ZERO);
            let keep = if row.w > 0.0 { keep } else { 1.0 };
            driven.w[i] = row.w;
            driven.pull[i] = (config.gravity + force.truncate()).into();
            driven.state.x[i] = row.truncate().into();
            driven.state.v[i] = (v.truncate() * keep).into();
        }
        driven.start.copy_from_slice(&driven.state.x);
        let Driven { w, pull, springs, state, work, .. } = driven;
        driven.integrator.step(&System { w, pull, springs }, state, *h, work);
    }
}

/// Puts the bodies where their integrators said, in place of the prediction.
///
/// What the position went beyond h v, contacts must know: friction puts back what slid.
pub(crate) fn place(world: &mut World) {
    let World { particles, scratch, config, h, .. } = world;
    for driven in &scratch.driven {
        for i in 0..driven.w.len() {
            let (x, v) = (vec3(driven.state.x[i]), vec3(driven.state.v[i]));
            let p = driven.first + i;
            scratch.drift[p] = (x - vec3(driven.start[i]) - v * *h).extend(0.0);
            particles.predicted[p] = x.extend(0.0);
            particles.v[p] = v.extend(0.0);
            let row = if config.precision == Precision::Carried { Vec3::ZERO } else { x };
            particles.xw[p] = row.extend(particles.xw[p].w);
        }
    }
}

/// Writes down with which force each spring pulls, as solvers do: λ = −h² C/α.
pub(crate) fn report(world: &mut World) {
    let World { sets, particles, h, .. } = world;
    for set in sets.iter_mut().filter(|set| set.kind().is(&distance::KIND)) {
        for slot in set.colored.active()..set.len() {
            let [a, b] = set.colored.particles_of::<2>()[slot].map(|p| p as usize);
            let c = particles.position(a).distance(particles.position(b)) - set.rest[0][slot];
            set.lambda[slot] = -*h * *h * c / set.compliance[slot];
        }
    }
}

impl Driven {
    fn new(integrator: &'static Integrator) -> Self {
        Self {
            body: 0,
            integrator,
            first: 0,
            w: Vec::new(),
            pull: Vec::new(),
            start: Vec::new(),
            state: State::default(),
            springs: Springs::default(),
            work: Work::default(),
        }
    }

    fn resize(&mut self, count: usize) {
        let nothing = V3::from(Vec3::ZERO);
        self.w.resize(count, 0.0);
        let Self { pull, start, state: State { x, v }, .. } = self;
        [pull, start, x, v].into_iter().for_each(|column| column.resize(count, nothing));
        self.springs.clear();
    }

    /// Adds a spring, unless a forged snapshot says that an end is elsewhere.
    fn add(&mut self, set: &Set, slot: usize, ends: [u32; 2]) {
        let ends = ends.map(|end| end.wrapping_sub(self.first as u32));
        if ends.iter().any(|&end| end as usize >= self.w.len()) {
            return;
        }
        self.springs.ends.push(ends);
        self.springs.rest.push(set.rest[0][slot]);
        self.springs.stiffness.push(1.0 / set.compliance[slot]);
        self.springs.damping.push(set.damping[slot]);
    }
}

fn vec3(v: V3<f32>) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}
