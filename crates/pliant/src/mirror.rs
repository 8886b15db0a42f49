//! A world as buffers: what the shaders of a step bind, and the way back.
//!
//! Whoever runs a world on another device, such as `pliant_gpu`, copies these rows there, runs the
//! shaders in the order of [`crate::step_with`], and brings the results back. Constraints are in
//! the order and the colours in which the CPU solves them. Rows of particles are
//! [`crate::Particles::xw`] and `v` as they are; those of regions are [`crate::region::Buffers`].

use std::fmt::Write;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4};

use crate::body::{Body, BodyId};
use crate::collider::{self, Collider, Data, Motion, Pose};
use crate::constraint::set::Set;
use crate::force;
use crate::parallel;
use crate::plastic;
use crate::region::buffers::Layout;
use crate::region::set::inverse;
use crate::skin;
use crate::step::contacts::buffers;
use crate::step::prepare::prepare;
use crate::step::{self, StepError};
use crate::tear;
use crate::world::{Config, Method, Precision, Quarantine, World};

/// In the flags of [`ProjectParams`] and [`RegionParams`]: multipliers start from 0.
pub const FIRST_ITERATION: u32 = 1;
/// In the same: the method is PBD.
pub const PBD: u32 = 2;
/// In the flags of all but [`BodyParams`]: the precision is carried.
pub const CARRIED: u32 = 4;
/// In the flags of [`ProjectParams`]: all constraints see the same positions.
pub const JACOBI: u32 = 8;
/// In the flags of [`StepParams`]: there are forces.
pub const FORCED: u32 = 16;
/// In the same: a substep begins in the second half of the rows.
pub const AWAY: u32 = 32;
/// In the flags of [`BodyParams`]: what sleeps wakes up.
pub const WAKE_ALL: u32 = 1;

/// The shader of the stages `predict`, `contacts` and `velocity`, with all shapes of colliders.
pub fn step_wgsl() -> String {
    stages(|_| true)
}

/// The same without the shapes that are read from [`World::field_rows`]: a particle meets none of them. For
/// shaders that have no place for one more buffer.
pub fn step_wgsl_without_fields() -> String {
    stages(|wgsl| !wgsl.contains("fields["))
}

/// The same with the shapes whose shaders are wanted.
fn stages(is_wanted: fn(&str) -> bool) -> String {
    let wanted = |shape: &&collider::Shape| shape.wgsl.filter(|wgsl| is_wanted(wgsl));
    let shapes: String = collider::ALL.iter().filter_map(wanted).collect();
    let mut slopes = String::new();
    for shape in collider::ALL {
        // Writing to a string does not fail.
        let _ = write!(slopes, "{:?}, ", shape.slope);
    }
    let slopes = format!(
        "fn slope_of(shape: u32) -> f32 {{ var all = array({slopes}1.0); \
         return all[min(shape, {}u)]; }}\n",
        collider::ALL.len()
    );
    let choices = CHOICES.iter().map(|of| choice(of, &shapes)).collect();
    let own = [step::WGSL, collider::WGSL, &shapes, &slopes];
    [
        own.concat(),
        choices,
        step::predict::WGSL.into(),
        step::contacts::WGSL.into(),
        step::velocity::WGSL.into(),
    ]
    .concat()
}

/// A function of `collider.wgsl` that chooses among those of the shapes.
struct Choice {
    head: &'static str,
    /// What the function of a shape has after the shape's name, and what it is given.
    ending: &'static str,
    call: fn(&str) -> String,
    /// For shapes that have none.
    other: &'static str,
}

const CHOICES: &[Choice] = &[
    Choice {
        head: "signed_distance_of(shape: u32, x: vec3f, numbers: vec4f) -> vec4f",
        ending: "",
        call: |name| format!("{name}(x, numbers)"),
        other: "vec4f(0.0, 1.0, 0.0, 1e30)",
    },
    Choice {
        head: "crossing_of(shape: u32, collider: Collider, way: Way) -> Crossing",
        ending: "_crossing",
        call: |name| {
            format!("in_world(collider, {name}_crossing(own_way(collider, way), collider.params))")
        },
        other: "trace(collider, way)",
    },
    Choice {
        head: "is_flat_of(shape: u32, low: vec3f, high: vec3f, numbers: vec4f) -> bool",
        ending: "_is_flat",
        call: |name| format!("{name}_is_flat(low, high, numbers)"),
        other: "false",
    },
    Choice {
        head: "is_far_of(shape: u32, x: vec3f, reach: f32, numbers: vec4f) -> bool",
        ending: "_is_far",
        call: |name| format!("{name}_is_far(x, reach, numbers)"),
        other: "false",
    },
];

/// The function itself, with all that have one among the shaders of shapes.
fn choice(Choice { head, ending, call, other }: &Choice, shapes: &str) -> String {
    let mut cases = String::new();
    for (index, shape) in collider::ALL.iter().enumerate() {
        if shapes.contains(&format!("fn {}{ending}(", shape.name)) {
            case(&mut cases, index, &call(shape.name));
        }
    }
    format!(
        "fn {head} {{\n    switch shape {{\n{cases}        default {{ return {other}; }}\n    }}\n}}\n"
    )
}

/// The shader that keeps triangles off colliders.
pub fn face_wgsl() -> String {
    [&step_wgsl(), buffers::FACES].concat()
}

/// The shader that moves rigid bodies as a whole.
pub fn rigid_wgsl() -> String {
    [&face_wgsl(), parallel::WGSL, buffers::RIGID].concat()
}

/// The shader that sums up what forces do, with all kinds of them.
pub fn force_wgsl() -> String {
    let mut kinds = String::new();
    let mut choice = String::new();
    for (index, kind) in force::ALL.iter().enumerate() {
        if let Some(wgsl) = kind.wgsl {
            kinds += wgsl;
            case(&mut choice, index, &format!("{}(force, i)", kind.name));
        }
    }
    let choice = format!(
        "fn acceleration_by(kind: u32, force: u32, i: u32) -> vec3f {{\n    switch kind {{\n\
         {choice}        default {{ return vec3f(0.0); }}\n    }}\n}}\n"
    );
    [force::WGSL, &kinds, &choice].concat()
}

/// The shader of the ends of a step: sleep, quarantine, and what contact wakes.
pub fn body_wgsl() -> String {
    [crate::body::WGSL, step::sleep::WGSL, step::quarantine::WGSL, crate::contact::WGSL].concat()
}

fn case(choice: &mut String, index: usize, call: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(choice, "        case {index}u {{ return {call}; }}");
}

/// What `Params` is in `step.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct StepParams {
    rows: [u32; 2],
    flags: u32,
    h: f32,
    gravity: [f32; 3],
    keep: f32,
    max_depenetration: f32,
    rest_speed: f32,
    collider_count: u32,
    particle_count: u32,
    face_row: u32,
    iteration: u32,
    pad: [u32; 2],
}

impl StepParams {
    /// The same in an iteration, with that many triangles that may touch.
    pub fn at_face(self, iteration: u32, faces: u32) -> Self {
        Self { iteration, face_row: iteration * faces, ..self }
    }

    /// For that many particles and colliders, in substeps of `h` seconds; `flags` are [`FORCED`] and [`AWAY`].
    pub fn new(config: &Config, [particles, colliders]: [u32; 2], h: f32, flags: u32) -> Self {
        Self {
            flags: flags | carried(config),
            h,
            gravity: config.gravity.to_array(),
            keep: step::predict::keep(config, h),
            max_depenetration: config.max_depenetration,
            rest_speed: step::velocity::rest_speed(config, h),
            collider_count: colliders,
            particle_count: particles,
            ..Self::default()
        }
    }
}

/// What `Params` is in `project.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct ProjectParams {
    rows: [u32; 2],
    count: u32,
    flags: u32,
    h: f32,
    omega: f32,
    hold_mask: u32,
    pad: u32,
}

impl ProjectParams {
    /// For `count` constraints with that many [`Set::hold_rows`], in substeps of `h` seconds; `flags` are
    /// [`FIRST_ITERATION`] and [`JACOBI`].
    pub fn new([count, hold_rows]: [u32; 2], config: &Config, h: f32, flags: u32) -> Self {
        Self {
            count,
            flags: flags | method(config) | carried(config),
            h,
            omega: config.omega,
            hold_mask: if hold_rows == 1 { 0 } else { u32::MAX },
            ..Self::default()
        }
    }
}

/// What `Params` is in `region.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct RegionParams {
    rows: [u32; 2],
    flags: u32,
    h: f32,
    layout: Layout,
}

impl RegionParams {
    /// For substeps of `h` seconds; `flags` is [`FIRST_ITERATION`] or 0.
    pub fn new(layout: Layout, config: &Config, h: f32, flags: u32) -> Self {
        Self { flags: flags | method(config) | carried(config), h, layout, ..Self::default() }
    }
}

/// What `Params` is in `body.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BodyParams {
    rows: [u32; 2],
    flags: u32,
    dt: f32,
    sleep_speed: f32,
    sleep_after: f32,
    pad: [u32; 2],
}

impl BodyParams {
    /// For steps of `dt` seconds; `flags` is [`WAKE_ALL`] or 0.
    pub fn new(config: &Config, dt: f32, flags: u32) -> Self {
        let Config { sleep_speed, sleep_after, .. } = *config;
        Self { flags, dt, sleep_speed, sleep_after, ..Self::default() }
    }
}

fn method(config: &Config) -> u32 {
    if config.method == Method::Pbd { PBD } else { 0 }
}

fn carried(config: &Config) -> u32 {
    if config.precision == Precision::Carried { CARRIED } else { 0 }
}

/// What `Trait` is in `step.wgsl`: what a step does not change in a particle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct TraitRow {
    radius: f32,
    phase: u32,
    inverse_mass: f32,
    owner: u32,
}

impl TraitRow {
    /// Whether the particle is pinned.
    pub fn is_pinned(&self) -> bool {
        self.owner & 1 != 0
    }
}

/// What `Collider` is in `collider.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct ColliderRow {
    position: [f32; 3],
    shape: u32,
    rotation: [f32; 4],
    velocity: [f32; 3],
    friction: f32,
    params: [f32; 4],
    restitution: f32,
    phases: u32,
    thickness: f32,
    placed: u32,
    before: [f32; 3],
    roundness: f32,
    rotation_before: [f32; 4],
    angular_velocity: [f32; 3],
    pad_2: u32,
}

impl ColliderRow {
    /// Whether it moves by itself.
    pub fn moves(&self) -> bool {
        self.velocity != [0.0; 3] || self.angular_velocity != [0.0; 3]
    }
}

/// Whether the places of a collider must be found on the CPU: it turns, or follows keyframes or a
/// target.
pub fn is_led(collider: &Collider) -> bool {
    collider.angular_velocity != Vec3::ZERO || collider.motion != Motion::Steady
}

/// Moves colliders through a substep of `h` seconds, and says where they came from and are. What runs
/// the shaders puts that in the place of the rows that it has before each substep.
pub fn lead(colliders: &mut [Collider], h: f32) -> Vec<ColliderRow> {
    let before: Vec<Pose> = colliders.iter().map(Collider::pose).collect();
    for collider in colliders.iter_mut().filter(|collider| !collider.is_still()) {
        collider.advance(h);
    }
    let mut rows = collider_rows(colliders);
    for (row, before) in rows.iter_mut().zip(before) {
        row.placed = 1;
        row.before = before.position.to_array();
        row.rotation_before = before.rotation.to_array();
    }
    rows
}

/// Lets a collider be where another is, and go where it goes.
pub fn follow(collider: &mut Collider, led: &Collider) {
    (collider.position, collider.rotation) = (led.position, led.rotation);
    (collider.velocity, collider.angular_velocity) = (led.velocity, led.angular_velocity);
    collider.motion = led.motion.clone();
}

/// The rows of colliders. A shape that is not ours is `u32::MAX`, and touches nothing.
pub fn collider_rows(colliders: &[Collider]) -> Vec<ColliderRow> {
    let index = |name| collider::ALL.iter().position(|shape| shape.name == name);
    let row = |(collider, field): (&Collider, Option<u32>)| ColliderRow {
        position: collider.position.to_array(),
        shape: index(collider.shape.name).map_or(u32::MAX, |index| index as u32),
        rotation: collider.rotation.to_array(),
        velocity: collider.velocity.to_array(),
        friction: collider.friction,
        params: field.map_or(collider.params, |row| [row as f32, collider.params[0], 0.0, 0.0]),
        restitution: collider.restitution,
        phases: collider.phases,
        // What has no end cannot be passed through; a number that every GPU can hold.
        thickness: (collider.shape.thickness)(collider).min(1e30),
        roundness: (collider.shape.roundness)(collider).min(1e30),
        angular_velocity: collider.angular_velocity.to_array(),
        ..ColliderRow::default()
    };
    colliders.iter().zip(field_places(colliders)).map(row).collect()
}

/// The row at which the grid or the triangles of each collider begin in [`World::field_rows`], if it has one.
fn field_places(colliders: &[Collider]) -> Vec<Option<u32>> {
    let mut next = 0;
    let place = |collider: &Collider| {
        let rows = rows_of(collider)?.count() as u32;
        next += rows;
        Some(next - rows)
    };
    colliders.iter().map(place).collect()
}

/// What `Body` is in `body.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct BodyRow {
    flags: u32,
    island: u32,
    quiet: f32,
    age: u32,
    culprit: u32,
    bad: u32,
    fast: u32,
    disturbed: u32,
    restless: u32,
    stirred: u32,
    pad: [u32; 2],
}

impl BodyRow {
    /// Keeps what only the device knows of a body, which `seen` says as it was last read, after that
    /// many steps: when it was put aside, and why.
    pub fn keep_history(&mut self, seen: Option<&Self>, steps: u32) {
        let is_held = self.flags & HELD != 0;
        self.age = seen.filter(|_| is_held).map_or(steps, |seen| seen.age);
        self.culprit = seen.map_or(0, |seen| seen.culprit);
    }
}

/// In the owner of a [`TraitRow`]: colliders move its body as a whole.
const RIGID: u32 = 1 << 31;
/// In the flags of a [`BodyRow`]: there is a body.
const EXISTS: u32 = 1;
/// In the same: it sleeps.
const ASLEEP: u32 = 2;
/// In the same: it was put aside.
const HELD: u32 = 4;

/// All forces: what `force.wgsl` binds.
#[derive(Clone, Debug, Default)]
pub struct ForceRows {
    /// All columns of indices, one after the other.
    pub tables: Vec<u32>,
    /// The numbers of all forces.
    pub numbers: Vec<f32>,
    /// Where the columns are.
    pub params: ForceParams,
}

/// What `Params` is in `force.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct ForceParams {
    rows: [u32; 2],
    count: u32,
    h: f32,
    kinds: u32,
    numbers: u32,
    masks: u32,
    mask_words: u32,
    of_particle: u32,
    around: u32,
    triangles: u32,
    pad: u32,
}

impl ForceParams {
    /// The same for substeps of `h` seconds.
    pub fn during(self, h: f32) -> Self {
        Self { h, ..self }
    }
}

/// The surfaces of all bodies: what `skin.wgsl` binds.
#[derive(Clone, Debug, Default)]
pub struct SurfaceRows {
    /// What each vertex is bound to: `Binding` in `skin.wgsl`, as words.
    pub bindings: Vec<[u32; 8]>,
    /// All columns of indices, one after the other.
    pub tables: Vec<u32>,
    /// The corners of all triangles, as vertices.
    pub triangles: Vec<u32>,
    /// Which of them are whose.
    pub bodies: Vec<(BodyId, Range<u32>)>,
    /// Where the columns are.
    pub params: SurfaceParams,
}

/// What `Params` is in `skin.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct SurfaceParams {
    rows: [u32; 2],
    of_vertex: u32,
    around: u32,
    triangles: u32,
    pad: [u32; 3],
}

impl SurfaceParams {
    /// The same for these rows of bindings.
    pub fn of_rows(self, rows: Range<u32>) -> Self {
        Self { rows: [rows.start, rows.end], ..self }
    }
}

/// A binding of a skin as words; particles are counted from `first`.
pub fn binding_words(binding: &skin::Binding, first: u32) -> [u32; 8] {
    let [a, b, c, d] = binding.particles.map(|i| first + i);
    let [_, v, w, t] = binding.weights.map(f32::to_bits);
    [a, b, c, d, binding.lift.to_bits(), v, w, t]
}

/// A vertex that is a particle, as words.
pub fn particle_words(particle: u32) -> [u32; 8] {
    [particle, particle, particle, particle, 0, 0, 0, 0]
}

impl SurfaceRows {
    /// Any vertices: what each is bound to, the triangles that decide which way they face, and which
    /// vertex each faces like, mostly itself.
    pub fn of(bindings: Vec<[u32; 8]>, triangles: Vec<u32>, like: &[u32]) -> Self {
        let mut rows = Self { bindings, triangles, ..Self::default() };
        let (starts, places) = inverse(&rows.triangles, rows.bindings.len());
        let (mut of_vertex, mut around) = (vec![0], Vec::new());
        for &vertex in like {
            let [begin, end] = [0, 1].map(|k| starts[vertex as usize + k] as usize);
            around.extend(places[begin..end].iter().map(|place| place / 3));
            of_vertex.push(around.len() as u32);
        }
        rows.params.around = of_vertex.len() as u32;
        rows.params.triangles = rows.params.around + around.len() as u32;
        rows.tables = [of_vertex, around, rows.triangles.clone()].concat();
        rows
    }

    /// Adds what is seen of a body: its skin, or its own triangles.
    fn add(&mut self, id: BodyId, body: &Body, own: &[[u32; 3]]) {
        let (first, vertex) = (body.particles.start, self.bindings.len() as u32);
        let start = self.triangles.len() as u32;
        match &body.skin {
            Some(skin) => {
                let words = |binding| binding_words(binding, first);
                self.bindings.extend(skin.bindings.iter().map(words));
                let corners = skin.triangles.as_flattened();
                self.triangles.extend(corners.iter().map(|corner| vertex + corner));
            }
            None if own.is_empty() => return,
            None => {
                self.bindings.extend(body.particles.clone().map(particle_words));
                let corners = own.as_flattened();
                self.triangles.extend(corners.iter().map(|corner| vertex + corner - first));
            }
        }
        self.bodies.push((id, start..self.triangles.len() as u32));
    }
}

impl World {
    /// The surfaces of all bodies.
    pub fn surface_rows(&self) -> SurfaceRows {
        let mut rows = SurfaceRows::default();
        for (id, body) in self.bodies() {
            let range = body.triangles.start as usize..body.triangles.end as usize;
            rows.add(id, body, &self.triangles[range]);
        }
        let themselves: Vec<u32> = (0..rows.bindings.len() as u32).collect();
        let SurfaceRows { bindings, triangles, bodies, .. } = rows;
        SurfaceRows { bodies, ..SurfaceRows::of(bindings, triangles, &themselves) }
    }

    /// Brings up to date what a step relies on, as [`crate::step()`] does before its first substep:
    /// colours, islands, what is derived from pins and masses, bodies that are not finite.
    ///
    /// # Errors
    /// If `dt` or a setting is out of range; the world is as it was then.
    pub fn prepare(&mut self, dt: f32) -> Result<(), StepError> {
        step::check(self, dt)?;
        prepare(self);
        Ok(())
    }

    /// What a step does not change in each particle.
    pub fn trait_rows(&self) -> Vec<TraitRow> {
        let particles = &self.particles;
        (0..particles.len())
            .map(|i| TraitRow {
                radius: particles.radius[i],
                phase: particles.phase[i],
                inverse_mass: particles.inverse_mass[i],
                owner: particles.body[i] << 1
                    | u32::from(particles.pinned[i])
                    | if self.scratch.rigids.has(i) { RIGID } else { 0 },
            })
            .collect()
    }

    /// The colliders; see [`collider_rows`].
    pub fn collider_rows(&self) -> Vec<ColliderRow> {
        collider_rows(&self.colliders)
    }

    /// The grids and triangles of all colliders, one after the other: what shaders call `fields`.
    pub fn field_rows(&self) -> Vec<Vec4> {
        self.colliders.iter().filter_map(rows_of).flatten().collect()
    }

    /// What the world does in contact with colliders that has no twin, if anything.
    pub fn contact_without_twin(&self) -> Option<&'static str> {
        let many = |of: &Collider| match &of.data {
            Data::Mesh(surface) => surface.sdf().surface().triangles.len() >= MOST_TRIANGLES,
            _ => false,
        };
        let late = |row: &u32| *row >= MOST_FIELD_ROWS;
        if self.colliders.iter().any(many)
            || field_places(&self.colliders).iter().flatten().any(late)
        {
            return Some("colliders of more than 64 million samples or 2 million triangles");
        }
        let unclear = |of: &Collider| match &of.data {
            Data::Mesh(surface) => !surface.has_twin(of),
            _ => false,
        };
        let unclear = self.colliders.iter().any(unclear);
        unclear.then_some("a solid mesh collider with holes, or with triangles that face inwards,")
    }

    /// The bodies, and a row of zeros for each place without one.
    pub fn body_rows(&self) -> Vec<BodyRow> {
        let row = |slot: &crate::world::Slot| {
            let Some(body) = &slot.body else { return BodyRow::default() };
            let flag = |is: bool, flag| if is { flag } else { 0 };
            BodyRow {
                flags: EXISTS | flag(body.asleep, ASLEEP) | flag(body.held, HELD),
                island: body.island,
                quiet: body.quiet,
                bad: u32::MAX,
                ..BodyRow::default()
            }
        };
        self.slots.iter().map(row).collect()
    }

    /// The forces.
    pub fn force_rows(&self) -> ForceRows {
        let index = |name| force::ALL.iter().position(|kind| kind.name == name);
        let kinds: Vec<u32> =
            self.forces.iter().map(|f| index(f.kind.name).map_or(u32::MAX, |i| i as u32)).collect();
        let mut firsts = Vec::new();
        let mut numbers = Vec::new();
        for force in &self.forces {
            firsts.push(numbers.len() as u32);
            numbers.extend_from_slice(&force.params);
        }
        let words = self.particles.len().div_ceil(32);
        let masks = self.forces.iter().flat_map(|force| mask(&force.particles, words));
        let masks: Vec<u32> = masks.collect();
        let (of_particle, places) = inverse(self.triangles.as_flattened(), self.particles.len());
        let around: Vec<u32> = places.iter().map(|place| place / 3).collect();
        let mut tables = Vec::new();
        let mut add = |column: &[u32]| {
            let start = tables.len() as u32;
            tables.extend_from_slice(column);
            start
        };
        let params = ForceParams {
            count: self.forces.len() as u32,
            kinds: add(&kinds),
            numbers: add(&firsts),
            masks: add(&masks),
            mask_words: words as u32,
            of_particle: add(&of_particle),
            around: add(&around),
            triangles: add(self.triangles.as_flattened()),
            ..ForceParams::default()
        };
        ForceRows { tables, numbers, params }
    }

    /// How many constraints each particle has, for [`crate::Solver::Jacobi`].
    pub fn constraint_counts(&self) -> Vec<f32> {
        let mut counts = vec![0.0; self.particles.len()];
        crate::solver::jacobi::count(&self.sets, &mut counts);
        counts
    }

    /// A number that changes when anything does that a sleeping body would notice.
    pub fn surroundings(&self) -> u64 {
        self.surroundings
    }

    /// The multipliers of the constraints of set `index`, slot by slot, to be replaced.
    pub fn lambda_mut(&mut self, index: usize) -> &mut [f32] {
        &mut self.sets[index].lambda
    }

    /// What the regions of set `index` remember, to be replaced.
    pub fn region_state_mut(&mut self, index: usize) -> &mut [Vec4] {
        &mut self.regions[index].state
    }

    /// Takes over where colliders have come to.
    pub fn take_colliders(&mut self, rows: &[ColliderRow]) {
        for (collider, row) in self.colliders.iter_mut().zip(rows) {
            collider.position = row.position.into();
        }
    }

    /// Takes over which bodies sleep and which were put aside; `time` gives the time at the start of
    /// a step (s), counted as by [`BodyRow::keep_history`].
    pub fn take_bodies(&mut self, rows: &[BodyRow], time: impl Fn(u32) -> f64) {
        for (index, (slot, row)) in self.slots.iter_mut().zip(rows).enumerate() {
            let Some(body) = &mut slot.body else { continue };
            let is_new = !body.held && row.flags & HELD != 0;
            (body.asleep, body.held) = (row.flags & ASLEEP != 0, row.flags & HELD != 0);
            body.quiet = row.quiet;
            if is_new {
                let body = BodyId { index: index as u32, generation: slot.generation };
                let time = time(row.age);
                self.quarantine.retain(|entry| entry.body != body);
                self.quarantine.push(Quarantine { body, particle: row.culprit, time });
            }
        }
    }

    /// Whether something may break, or keep part of its strain. Only the CPU lets it, when it has the
    /// results of a step.
    pub fn gives_way(&self) -> bool {
        let by_set = self.sets.iter().any(|set| !set.strength.is_empty());
        by_set || self.regions.iter().any(|set| !set.strength.is_empty())
    }

    /// Lets it, after `dt` seconds of steps elsewhere.
    pub fn give_way(&mut self, dt: f32) {
        plastic::flow(self, dt);
        tear::tear(self);
    }

    /// Notes that substeps took `h` seconds, and how many iterations the last step had.
    pub fn take_substep(&mut self, h: f32, iterations: u64) {
        (self.h, self.scratch.iterations) = (h, iterations);
    }
}

/// Rows that the number of a row can name without rounding.
const MOST_FIELD_ROWS: u32 = 1 << 24;
/// The same for 8 times the number of a triangle.
const MOST_TRIANGLES: usize = 1 << 21;

/// What a collider has in [`World::field_rows`], if anything.
fn rows_of(collider: &Collider) -> Option<Box<dyn Iterator<Item = Vec4> + '_>> {
    match &collider.data {
        Data::None => None,
        Data::Grid(field) => Some(Box::new(field.rows())),
        Data::Mesh(surface) => Some(Box::new(surface.rows())),
    }
}

/// A bit for each particle that is listed, in `words` words; for all if none is.
fn mask(particles: &[u32], words: usize) -> Vec<u32> {
    let mut mask = vec![if particles.is_empty() { u32::MAX } else { 0 }; words];
    for i in particles {
        if let Some(word) = mask.get_mut(*i as usize / 32) {
            *word |= 1 << (i % 32);
        }
    }
    mask
}

impl Set {
    /// The particles of every constraint, slot by slot.
    pub fn ids(&self) -> &[u32] {
        self.colored.ids()
    }

    /// The slots of each colour. No two constraints of a colour share a particle.
    pub fn color_slots(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.colored.colors()
    }

    /// The rest values, slot by slot, one column after the other.
    pub fn rest_rows(&self) -> Vec<f32> {
        self.rest.concat()
    }

    /// Compliance, damping, the share of PBD and 0, slot by slot; a single row if all are alike.
    pub fn hold_rows(&self) -> Vec<Vec4> {
        let row = |slot: usize| {
            let share = self.share.get(slot).copied().unwrap_or(0.0);
            Vec4::new(self.compliance[slot], self.damping[slot], share, 0.0)
        };
        let is_alike = (1..self.len()).all(|slot| row(slot) == row(0));
        (0..if is_alike { self.len().min(1) } else { self.len() }).map(row).collect()
    }
}
