//! Save, restore and fingerprint a world.
//!
//! A snapshot is bytes: a magic number, a version, every array with its length, and a checksum,
//! all little-endian and without gaps. Continuing from one gives bit for bit what continuing
//! without it would have given. The version policy is in `docs/conventions.md`.

use std::error::Error;
use std::fmt;

use bytemuck::Pod;
use glam::{DVec3, Quat, UVec3, Vec3, Vec4};

use crate::body::{Body, BodyId};
use crate::collider::motion::{Blend, Drag, End, Key, Track};
use crate::collider::{Collider, Data, Motion, Shape};
use crate::coloring::{self, Colored};
use crate::constraint::set::{Hold, Set};
use crate::constraint::{self, Kind};
use crate::contact::{By, Meets, Touch};
use crate::force::{self, Force};
use crate::integrate::Stepping;
use crate::mesh::TriMesh;
use crate::mesh::grid::Grid;
use crate::region::{self, Region};
use crate::settings::{SETTINGS, Setting};
use crate::skin::{Binding, Skin};
use crate::tear::Strength;
use crate::world::{Config, Quarantine, Slot, World};

/// The first bytes of every snapshot. The line ends show at once that a transfer as text broke it.
const MAGIC: [u8; 8] = *b"PLIANT\r\n";

/// The version that this engine writes, and the newest that it reads.
pub const VERSION: u32 = 1;

impl World {
    /// A number that changes when any bit of the state does, equal on every machine.
    pub fn hash(&self) -> u64 {
        let mut fnv = Fnv::default();
        for row in self.particles.xw.iter().chain(&self.particles.v) {
            fnv.floats(row.as_ref());
        }
        let forced = |body: &&Body| body.stepping != Stepping::Constraints;
        for body in self.bodies().map(|(_, body)| body).filter(forced) {
            fnv.word(body.particles.start);
            fnv.bytes(body.stepping.name().as_bytes());
        }
        for (index, collider) in self.colliders.iter().enumerate().filter(|(_, c)| !c.is_still()) {
            fnv.word(index as u32);
            fnv.floats(collider.position.as_ref());
            fnv.floats(collider.rotation.as_ref());
        }
        fnv.finish()
    }

    /// The whole world as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        out.word(VERSION);
        write_config(&mut out, &self.config);
        out.rows(&self.origin.to_array());
        out.rows(&[self.time]);
        out.rows(&[self.h]);
        out.rows(&[self.surroundings]);
        write_particles(&mut out, self);
        out.rows(self.triangles.as_flattened());
        out.list(&self.slots, write_slot);
        out.list(&self.quarantine, |out, q| {
            out.rows(&[q.body.index, q.body.generation, q.particle]);
            out.rows(&[q.time]);
        });
        out.list(&self.sets, write_set);
        out.list(&self.regions, write_regions);
        out.list(&self.colliders, write_collider);
        out.list(&self.forces, |out, force| {
            out.text(force.kind.name);
            out.rows(&force.params);
            out.rows(&force.particles);
        });
        // What pairs without sides remember is nothing.
        write_sides(&mut out, self.contact.vertex_face.kept());
        write_sides(&mut out, self.contact.edge_edge.kept());
        out.rows(self.contact.tangle.kept().as_flattened());
        let mut fnv = Fnv::default();
        fnv.bytes(&out.0);
        out.0.extend(fnv.finish().to_le_bytes());
        out.0
    }

    /// The world that [`Self::save`] wrote, made of our own kinds.
    ///
    /// # Errors
    /// If the bytes are not a snapshot, are damaged, or are of a newer version.
    pub fn restore(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Self::restore_with(bytes, &[])
    }

    /// The world that [`Self::save`] wrote, made of our own kinds and of `kinds`.
    ///
    /// # Errors
    /// If the bytes are not a snapshot, are damaged, are of a newer version, or name a kind that
    /// is in neither list.
    pub fn restore_with(bytes: &[u8], kinds: &[&'static Kind]) -> Result<Self, SnapshotError> {
        let mut from = Reader::open(bytes)?;
        let mut world = Self { config: read_config(&mut from)?, ..Self::default() };
        world.origin = DVec3::from_array(from.array()?);
        [world.time] = from.array()?;
        [world.h] = from.array()?;
        [world.surroundings] = from.array()?;
        read_particles(&mut from, &mut world)?;
        let corners: Vec<u32> = from.rows()?;
        from.check(corners.len().is_multiple_of(3), "triangle")?;
        world.triangles = corners.as_chunks().0.to_vec();
        world.slots = from.list(read_slot)?;
        world.quarantine = from.list(read_quarantine)?;
        let count = world.particles.len();
        world.sets = from.list(|from| read_set(from, kinds, count))?;
        world.regions = from.list(|from| read_regions(from, count))?;
        world.colliders = from.list(read_collider)?;
        world.forces = from.list(|from| {
            let name = from.text()?;
            let kind = force::ALL.iter().find(|kind| kind.name == name);
            let kind = kind.ok_or(SnapshotError::UnknownKind { name })?;
            Ok(Force { kind, params: from.rows()?, particles: from.rows()? })
        })?;
        world.contact.vertex_face.restore(read_sides(&mut from)?);
        world.contact.edge_edge.restore(read_sides(&mut from)?);
        let bodies: Vec<u32> = from.rows()?;
        from.check(bodies.len().is_multiple_of(2), "entangled bodies")?;
        world.contact.tangle.restore(bodies.as_chunks().0.to_vec());
        check_indices(&from, &world)?;
        from.check(from.bytes.is_empty(), "end")?;
        Ok(world)
    }
}

fn write_config(out: &mut Writer, config: &Config) {
    out.word(SETTINGS.len() as u32);
    for setting in SETTINGS {
        out.text(setting.name);
        out.text(&(setting.get)(config).to_string());
    }
}

fn read_config(from: &mut Reader<'_>) -> Result<Config, SnapshotError> {
    let mut config = Config::default();
    for _ in 0..from.word()? {
        let (name, value) = (from.text()?, from.text()?);
        let set = Setting::find(&name)
            .and_then(|setting| setting.parse(&value))
            .and_then(|value| config.set(&name, value));
        from.check(set.is_ok(), "setting")?;
    }
    Ok(config)
}

fn write_particles(out: &mut Writer, world: &World) {
    let particles = &world.particles;
    out.rows(&particles.xw);
    out.rows(&particles.v);
    out.rows(&particles.inverse_mass);
    out.rows(&particles.radius);
    out.rows(&particles.phase);
    for flags in [&particles.pinned, &particles.hollow] {
        out.rows(&flags.iter().map(|&flag| u8::from(flag)).collect::<Vec<_>>());
    }
    out.rows(&particles.body);
    out.rows(&particles.rest);
    out.rows(&particles.name);
    out.word(particles.next_name);
}

fn read_particles(from: &mut Reader<'_>, world: &mut World) -> Result<(), SnapshotError> {
    let particles = &mut world.particles;
    particles.xw = from.rows()?;
    particles.v = from.rows()?;
    particles.inverse_mass = from.rows()?;
    particles.radius = from.rows()?;
    particles.phase = from.rows()?;
    for flags in [&mut particles.pinned, &mut particles.hollow] {
        *flags = from.rows::<u8>()?.iter().map(|&flag| flag != 0).collect();
    }
    particles.body = from.rows()?;
    particles.rest = from.rows()?;
    particles.name = from.rows()?;
    particles.next_name = from.word()?;
    let named = particles.name.iter().all(|&name| name < particles.next_name);
    from.check(named, "names of particles")?;
    particles.predicted = particles.xw.iter().map(|row| row.with_w(0.0)).collect();
    let lengths = [
        particles.v.len(),
        particles.inverse_mass.len(),
        particles.radius.len(),
        particles.phase.len(),
        particles.pinned.len(),
        particles.hollow.len(),
        particles.body.len(),
        particles.rest.len(),
        particles.name.len(),
    ];
    from.check(lengths.iter().all(|&len| len == particles.xw.len()), "particles")
}

fn write_slot(out: &mut Writer, slot: &Slot) {
    out.word(slot.generation);
    out.word(u32::from(slot.body.is_some()));
    if let Some(body) = &slot.body {
        let Body { name, particles, triangles, skin, asleep, held, stepping, .. } = body;
        let Body { touch, quiet, island, kin, .. } = body;
        out.text(name);
        out.rows(&[particles.start, particles.end, triangles.start, triangles.end]);
        out.rows(&[u32::from(*asleep), u32::from(*held), *island, *kin]);
        out.rows(&[*quiet]);
        out.text(stepping.name());
        out.list(skin.as_slice(), write_skin);
        out.rows(&[touch.meets as u32, touch.by as u32]);
        out.rows(&[touch.friction, touch.restitution]);
    }
}

fn read_slot(from: &mut Reader<'_>) -> Result<Slot, SnapshotError> {
    let generation = from.word()?;
    if from.word()? == 0 {
        return Ok(Slot { generation, body: None });
    }
    let name = from.text()?;
    let [first, end, first_triangle, end_triangle] = from.array()?;
    let [asleep, held, island, kin] = from.array::<u32, 4>()?;
    let [quiet] = from.array()?;
    let stepping = from.text()?;
    let found = Stepping::find(&stepping);
    let stepping = found.ok_or(SnapshotError::UnknownKind { name: stepping })?;
    let mut skins = from.list(read_skin)?;
    from.check(skins.len() <= 1, "skin")?;
    let touch = read_touch(from)?;
    let body = Body {
        name,
        particles: first..end,
        triangles: first_triangle..end_triangle,
        skin: skins.pop(),
        asleep: asleep != 0,
        held: held != 0,
        stepping,
        touch,
        kin,
        quiet,
        island,
    };
    Ok(Slot { generation, body: Some(body) })
}

fn read_touch(from: &mut Reader<'_>) -> Result<Touch, SnapshotError> {
    let [meets, by] = from.array::<u32, 2>()?;
    let [friction, restitution] = from.array()?;
    let meets =
        [Meets::Nothing, Meets::Others, Meets::All].into_iter().find(|&m| m as u32 == meets);
    let by = [By::Surface, By::Particles].into_iter().find(|&b| b as u32 == by);
    let (Some(meets), Some(by)) = (meets, by) else {
        return Err(SnapshotError::Invalid { what: "touch", at: from.at() });
    };
    let touch = Touch { meets, by, friction, restitution };
    from.check(touch.check().is_ok(), "touch")?;
    Ok(touch)
}

fn write_sides(out: &mut Writer, sides: Vec<(u64, f32)>) {
    out.rows(&sides.iter().map(|&(key, _)| key).collect::<Vec<_>>());
    out.rows(&sides.iter().map(|&(_, side)| side).collect::<Vec<_>>());
}

fn read_sides(from: &mut Reader<'_>) -> Result<Vec<(u64, f32)>, SnapshotError> {
    let (keys, sides): (Vec<u64>, Vec<f32>) = (from.rows()?, from.rows()?);
    from.check(keys.len() == sides.len() && keys.is_sorted(), "sides of contacts")?;
    Ok(keys.into_iter().zip(sides).collect())
}

fn write_skin(out: &mut Writer, skin: &Skin) {
    let bindings = &skin.bindings;
    out.rows(&bindings.iter().map(|binding| binding.particles).collect::<Vec<_>>());
    out.rows(&bindings.iter().map(|binding| binding.weights).collect::<Vec<_>>());
    out.rows(&bindings.iter().map(|binding| binding.lift).collect::<Vec<_>>());
    out.rows(&skin.triangles);
    out.rows(&skin.inner.iter().map(|&inner| u8::from(inner)).collect::<Vec<_>>());
}

fn read_skin(from: &mut Reader<'_>) -> Result<Skin, SnapshotError> {
    let (particles, weights): (Vec<[u32; 4]>, Vec<[f32; 4]>) = (from.rows()?, from.rows()?);
    let lifts: Vec<f32> = from.rows()?;
    from.check(weights.len() == particles.len() && lifts.len() == particles.len(), "skin")?;
    let bindings = particles.into_iter().zip(weights).zip(lifts);
    let bindings =
        bindings.map(|((particles, weights), lift)| Binding { particles, weights, lift }).collect();
    let triangles: Vec<[u32; 3]> = from.rows()?;
    let inner: Vec<bool> = from.rows::<u8>()?.iter().map(|&inner| inner != 0).collect();
    from.check(inner.is_empty() || inner.len() == triangles.len(), "skin")?;
    Ok(Skin { bindings, triangles, inner })
}

fn read_quarantine(from: &mut Reader<'_>) -> Result<Quarantine, SnapshotError> {
    let [index, generation, particle] = from.array()?;
    let [time] = from.array()?;
    Ok(Quarantine { body: BodyId { index, generation }, particle, time })
}

fn write_set(out: &mut Writer, set: &Set) {
    out.text(set.kind().name);
    out.rows(set.colored.ids());
    out.rows(set.colored.starts());
    out.text(set.colored.by().name);
    out.rows(&set.slots);
    out.word(set.strength.columns.len() as u32);
    set.columns_ref().for_each(|column| out.rows(column));
}

fn read_set(
    from: &mut Reader<'_>,
    kinds: &[&'static Kind],
    particle_count: usize,
) -> Result<Set, SnapshotError> {
    let name = from.text()?;
    let kind = constraint::ALL.iter().chain(kinds).find(|kind| kind.name == name);
    let mut set = Set::new(kind.ok_or(SnapshotError::UnknownKind { name })?);
    let (ids, starts): (Vec<u32>, Vec<u32>) = (from.rows()?, from.rows()?);
    let by = coloring::find(&from.text()?);
    let by = by.ok_or(SnapshotError::Invalid { what: "colouring", at: from.at() })?;
    let arity = set.kind().particles;
    from.check(ids.len().is_multiple_of(arity), "constraint particles")?;
    let colored = Colored::from_sorted(arity, ids, starts, by, particle_count);
    set.colored = colored.ok_or(SnapshotError::Invalid { what: "colours", at: from.at() })?;
    set.slots = from.rows()?;
    let count = set.colored.len();
    let mut seen = vec![false; count];
    let unique = set.slots.iter().all(|&slot| {
        seen.get_mut(slot as usize).is_some_and(|seen| !std::mem::replace(seen, true))
    });
    from.check(set.slots.len() == count && unique, "constraint order")?;
    let strengths = from.word()? as usize;
    from.check([0, Strength::UNLIMITED.len()].contains(&strengths), "strength")?;
    set.strength.columns = vec![Vec::new(); strengths];
    for column in set.columns() {
        *column = from.rows()?;
        from.check(column.len() == count, "constraint column")?;
    }
    let strong = (0..count).all(|number| set.strength(number).check().is_ok());
    from.check(strong, "strength")?;
    Ok(set)
}

fn write_regions(out: &mut Writer, set: &region::Set) {
    out.text(set.kind().name);
    out.word(set.len() as u32);
    for number in 0..set.len() {
        let (region, rest) = set.region(number);
        out.rows(&region.members);
        out.rows(&rest);
        out.rows(region.parts.as_flattened());
        out.rows(&region.part_params);
        out.rows(&region.params);
        out.rows(&[region.hold.compliance, region.hold.stiffness]);
        out.rows(&set.state(number).to_array());
    }
    out.word(set.strength.columns.len() as u32);
    set.strength.columns.iter().for_each(|column| out.rows(column));
}

/// Every region is checked as if a user had added it: the bytes may be forged.
fn read_regions(
    from: &mut Reader<'_>,
    particle_count: usize,
) -> Result<region::Set, SnapshotError> {
    let name = from.text()?;
    let kind = region::ALL.iter().find(|kind| kind.name == name);
    let mut set = region::Set::new(kind.ok_or(SnapshotError::UnknownKind { name })?);
    for _ in 0..from.word()? {
        let members: Vec<u32> = from.rows()?;
        from.check(members.iter().all(|&id| (id as usize) < particle_count), "region")?;
        let rest: Vec<Vec3> = from.rows()?;
        let corners: Vec<u32> = from.rows()?;
        from.check(corners.len().is_multiple_of(3), "parts of a region")?;
        let parts = corners.as_chunks().0.to_vec();
        let (part_params, params) = (from.rows()?, from.rows()?);
        let [compliance, stiffness] = from.array()?;
        let hold = Hold { compliance, damping: 0.0, stiffness };
        let region = Region { kind: set.kind(), members, parts, part_params, params, hold };
        from.check(set.push(&region, &rest).is_ok(), "region")?;
        let number = set.len() - 1;
        set.state[number] = Vec4::from_array(from.array()?);
    }
    let strengths = from.word()? as usize;
    from.check([0, Strength::UNLIMITED.len()].contains(&strengths), "strength of a region")?;
    set.strength.columns = (0..strengths).map(|_| from.rows()).collect::<Result<_, _>>()?;
    let whole = set.strength.columns.iter().all(|column| column.len() == set.len());
    let strong = whole && (0..set.len()).all(|number| set.strength(number).check().is_ok());
    from.check(strong, "strength of a region")?;
    Ok(set)
}

fn write_collider(out: &mut Writer, collider: &Collider) {
    let Collider { shape, params, data, position, rotation, velocity, .. } = collider;
    out.text(shape.name);
    out.rows(params);
    out.rows(&position.to_array());
    out.rows(&rotation.to_array());
    out.rows(&velocity.to_array());
    out.rows(&collider.angular_velocity.to_array());
    out.rows(&[collider.friction, collider.restitution]);
    out.word(collider.phases);
    write_motion(out, &collider.motion);
    match data {
        Data::None => out.text("none"),
        Data::Mesh(surface) => {
            let TriMesh { positions, triangles } = surface.sdf().surface();
            out.text("mesh");
            out.rows(positions);
            out.rows(triangles.as_flattened());
        }
        Data::Grid(field) => {
            let Grid { origin, cell, counts, values } = field.grid();
            out.text("grid");
            out.rows(&[origin.x, origin.y, origin.z, *cell]);
            out.rows(&counts.to_array());
            out.rows(values);
        }
    }
}

fn read_collider(from: &mut Reader<'_>) -> Result<Collider, SnapshotError> {
    let name = from.text()?;
    let shape = Shape::find(&name).ok_or(SnapshotError::UnknownKind { name })?;
    let mut collider = Collider::new(shape, from.array()?);
    collider.position = Vec3::from_array(from.array()?);
    collider.rotation = Quat::from_array(from.array()?);
    collider.velocity = Vec3::from_array(from.array()?);
    collider.angular_velocity = Vec3::from_array(from.array()?);
    [collider.friction, collider.restitution] = from.array()?;
    collider.phases = from.word()?;
    collider.motion = read_motion(from)?;
    collider.data = read_data(from)?;
    from.check((shape.check)(&collider).is_ok(), "collider")?;
    Ok(collider)
}

/// Checked as if a user had given it: the bytes may be forged.
fn read_data(from: &mut Reader<'_>) -> Result<Data, SnapshotError> {
    let invalid = |at| SnapshotError::Invalid { what: "data of a collider", at };
    let made = match from.text()?.as_str() {
        "none" => return Ok(Data::None),
        "mesh" => {
            let positions = from.rows()?;
            let corners: Vec<u32> = from.rows()?;
            from.check(corners.len().is_multiple_of(3), "triangle of a collider")?;
            let triangles = corners.as_chunks().0.to_vec();
            Collider::mesh(TriMesh { positions, triangles }).ok()
        }
        "grid" => {
            let [x, y, z, cell] = from.array()?;
            let counts = UVec3::from_array(from.array()?);
            let grid = Grid { origin: Vec3::new(x, y, z), cell, counts, values: from.rows()? };
            Collider::grid(grid).ok()
        }
        _ => None,
    };
    made.map(|collider| collider.data).ok_or_else(|| invalid(from.at()))
}

fn write_motion(out: &mut Writer, motion: &Motion) {
    match motion {
        Motion::Steady => out.text("steady"),
        Motion::Track(track) => {
            out.text("track");
            let row = |key: &Key| {
                let ([x, y, z], [i, j, k, w]) = (key.position.to_array(), key.rotation.to_array());
                [key.time, x, y, z, i, j, k, w]
            };
            out.rows(&track.keys().iter().map(row).collect::<Vec<_>>());
            let flags = [track.blend() == Blend::Smooth, track.end() == End::Repeat];
            out.rows(&flags.map(u32::from));
            out.rows(&[track.clock]);
        }
        Motion::Drag(Drag { target, rotation, max_speed, max_spin }) => {
            out.text("drag");
            out.rows(&target.to_array());
            out.rows(&rotation.to_array());
            out.rows(&[*max_speed, *max_spin]);
        }
    }
}

fn read_motion(from: &mut Reader<'_>) -> Result<Motion, SnapshotError> {
    match from.text()?.as_str() {
        "steady" => Ok(Motion::Steady),
        "track" => {
            let keys: Vec<[f32; 8]> = from.rows()?;
            let key = |&[time, x, y, z, i, j, k, w]: &[f32; 8]| Key {
                time,
                position: Vec3::new(x, y, z),
                rotation: Quat::from_xyzw(i, j, k, w),
            };
            let keys: Vec<Key> = keys.iter().map(key).collect();
            let [smooth, repeat] = from.array::<u32, 2>()?;
            let [clock] = from.array()?;
            let blend = if smooth == 1 { Blend::Smooth } else { Blend::Linear };
            let end = if repeat == 1 { End::Repeat } else { End::Stop };
            let track = Track::restored(keys, blend, end, clock);
            Ok(Motion::Track(track.ok_or(SnapshotError::Invalid { what: "track", at: from.at() })?))
        }
        "drag" => {
            let target = Vec3::from_array(from.array()?);
            let rotation = Quat::from_array(from.array()?);
            let [max_speed, max_spin] = from.array()?;
            Ok(Motion::Drag(Drag { target, rotation, max_speed, max_spin }))
        }
        _ => Err(SnapshotError::Invalid { what: "motion of a collider", at: from.at() }),
    }
}

/// Refuses indices that point nowhere: the rest of the engine relies on them.
fn check_indices(from: &Reader<'_>, world: &World) -> Result<(), SnapshotError> {
    let (particles, triangles) = (world.particles.len() as u32, world.triangles.len() as u32);
    let corners = world.triangles.as_flattened().iter();
    from.check(corners.clone().all(|&corner| corner < particles), "triangle")?;
    let bodies = || world.slots.iter().filter_map(|slot| slot.body.as_ref());
    for body in bodies() {
        let ours = body.particles.start <= body.particles.end && body.particles.end <= particles;
        let faces = body.triangles.start <= body.triangles.end && body.triangles.end <= triangles;
        let island = (body.island as usize) < world.slots.len();
        from.check(ours && faces && island, "body")?;
        let skinned = body.skin.as_ref().is_none_or(|skin| skin.check(body.range().len()).is_ok());
        from.check(skinned, "skin")?;
    }
    let owners = &world.particles.body;
    from.check(owners.iter().all(|&body| (body as usize) < world.slots.len()), "particle owner")?;
    let acted_on = world.forces.iter().flat_map(|force| &force.particles);
    from.check(acted_on.clone().all(|&particle| particle < particles), "force")
}

/// Why bytes are not a world.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The first bytes are not those of a snapshot.
    NotASnapshot,
    /// Written by a newer engine.
    NewerVersion {
        /// The version of the snapshot.
        found: u32,
    },
    /// The checksum does not fit: bytes were lost or changed.
    Damaged,
    /// A name that is in no registry.
    UnknownKind {
        /// The name.
        name: String,
    },
    /// Numbers that cannot be.
    Invalid {
        /// What they describe.
        what: &'static str,
        /// Where they end, counted in bytes from the start.
        at: usize,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => {
                write!(f, "not a snapshot; one begins with the letters PLIANT and a line end")
            }
            Self::NewerVersion { found } => write!(
                f,
                "the snapshot has version {found}, this engine reads up to {VERSION}; \
                 use the newer engine that wrote it"
            ),
            Self::Damaged => {
                write!(f, "the snapshot's checksum does not fit; bytes were lost or changed")
            }
            Self::UnknownKind { name } => write!(
                f,
                "the snapshot uses {name:?}, which is not registered; pass it to `restore_with`"
            ),
            Self::Invalid { what, at } => {
                write!(f, "the snapshot is not valid: {what}, before byte {at}")
            }
        }
    }
}

impl Error for SnapshotError {}

/// Bytes as they grow.
struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }
    fn rows<T: Pod>(&mut self, rows: &[T]) {
        self.word(rows.len() as u32);
        self.0.extend_from_slice(bytemuck::cast_slice(rows));
    }
    fn text(&mut self, text: &str) {
        self.rows(text.as_bytes());
    }
    fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.word(items.len() as u32);
        items.iter().for_each(|item| write(self, item));
    }
}

/// Bytes that are left, none of them trusted.
struct Reader<'a> {
    bytes: &'a [u8],
    whole: usize,
}

impl<'a> Reader<'a> {
    /// Checks magic, version and checksum.
    fn open(bytes: &'a [u8]) -> Result<Self, SnapshotError> {
        let Some((version, rest)) =
            bytes.strip_prefix(&MAGIC).and_then(|rest| rest.split_first_chunk::<4>())
        else {
            return Err(SnapshotError::NotASnapshot);
        };
        let found = u32::from_le_bytes(*version);
        if found > VERSION {
            return Err(SnapshotError::NewerVersion { found });
        }
        let (body, checksum) = rest.split_last_chunk::<8>().ok_or(SnapshotError::Damaged)?;
        let mut fnv = Fnv::default();
        fnv.bytes(&bytes[..bytes.len() - checksum.len()]);
        if fnv.finish() != u64::from_le_bytes(*checksum) {
            return Err(SnapshotError::Damaged);
        }
        Ok(Self { bytes: body, whole: bytes.len() - checksum.len() })
    }

    /// How many bytes were read.
    fn at(&self) -> usize {
        self.whole - self.bytes.len()
    }

    fn check(&self, holds: bool, what: &'static str) -> Result<(), SnapshotError> {
        if holds { Ok(()) } else { Err(SnapshotError::Invalid { what, at: self.at() }) }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        self.check(count <= self.bytes.len(), "length")?;
        let (taken, rest) = self.bytes.split_at(count);
        self.bytes = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, SnapshotError> {
        let bytes = self.take(4)?;
        Ok(bytemuck::pod_read_unaligned(bytes))
    }

    /// An array, after checking that the bytes for it are there.
    fn rows<T: Pod>(&mut self) -> Result<Vec<T>, SnapshotError> {
        let count = self.word()? as usize;
        let bytes = self.take(count.saturating_mul(size_of::<T>()))?;
        Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }

    fn array<T: Pod, const N: usize>(&mut self) -> Result<[T; N], SnapshotError> {
        let rows = self.rows()?;
        rows.try_into().map_err(|_| SnapshotError::Invalid { what: "count", at: self.at() })
    }

    fn text(&mut self) -> Result<String, SnapshotError> {
        let bytes = self.rows()?;
        String::from_utf8(bytes).map_err(|_| SnapshotError::Invalid { what: "text", at: self.at() })
    }

    /// A list whose items say their own length. Each takes at least 4 bytes, which bounds it.
    fn list<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, SnapshotError>,
    ) -> Result<Vec<T>, SnapshotError> {
        let count = self.word()? as usize;
        self.check(count <= self.bytes.len() / 4, "length")?;
        (0..count).map(|_| read(self)).collect()
    }
}

/// The FNV-1a hash over words of 32 bits; for bytes, a word each.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn word(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3);
    }
    pub(crate) fn floats(&mut self, floats: &[f32]) {
        floats.iter().for_each(|float| self.word(float.to_bits()));
    }
    fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.word(u32::from(byte)));
    }
    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}

const _: () = assert!(size_of::<Vec4>() == 16, "a particle row is what the GPU holds");
const _: () = assert!(cfg!(target_endian = "little"), "arrays are saved as they lie in memory");
