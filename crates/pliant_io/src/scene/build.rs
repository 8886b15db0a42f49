//! A scene becomes a world, and what happens to it.

use std::collections::BTreeMap;

use pliant::World;
use pliant::glam::{DVec3, Quat, Vec3};

use super::body::{self, Placed};
use super::cast::{Cast, Member};
use super::collider;
use super::error::{SceneError, SceneErrors};
use super::event::{self, Action};
use super::fields::Fields;
use super::material::{self, Materials};
use super::play::{Check, Play, Probe};
use super::quantity::Gauge;
use super::source;
use super::wind::Weather;
use super::{Context, Scene, settings, tie, view};
use crate::mesh::{Looks, Surface};

impl Scene {
    /// The world of the scene, ready to run.
    ///
    /// # Errors
    /// If a body cannot be made, or a table names something that there is not.
    pub fn build(&self) -> Result<Play, SceneErrors> {
        Ok(self.make()?)
    }

    /// How the bodies look that are made of mesh files; the files are read again.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn costumes(&self) -> Result<Vec<Costume>, SceneErrors> {
        let root = self.fields();
        let materials = BTreeMap::new();
        let files = |name: &str| self.file(name);
        let mut costumes = Vec::new();
        for (number, fields) in (0u64..).zip(root.tables("body")) {
            if fields.written("mesh").is_none() {
                continue;
            }
            let seed = seed(&root) | number << 32;
            let context = Context { materials: &materials, files: &files, seed };
            let mut surface = source::imported(&fields, &context)?.surface;
            let scale = fields.number("scale");
            surface.mesh.positions.iter_mut().for_each(|x| *x *= scale);
            let looks = source::looks(&fields, &context)?;
            costumes.push(Costume { surface, looks, poses: body::poses(&fields, seed)? });
        }
        Ok(costumes)
    }

    fn make(&self) -> Result<Play, SceneError> {
        let root = self.fields();
        let mut world = World::default();
        apply_settings(&root, &mut world)?;
        let materials = materials(&root)?;
        let files = |name: &str| self.file(name);
        let seed = seed(&root);
        let context = Context { materials: &materials, files: &files, seed };
        let cast = add_bodies(&root, &context, &mut world)?;
        let colliders = add_colliders(&root, &context, &mut world)?;
        let mut carried = Vec::new();
        for fields in root.tables("tie") {
            carried.extend(tie::tie(&fields, &cast, &colliders, &mut world)?);
        }
        let wind = root.table("wind");
        let mut weather =
            wind.map(|fields| Weather::read(&fields, &cast, &mut world)).transpose()?;
        let fps = root.precise("fps");
        let events = events(&root, &cast, fps, weather.as_mut())?;
        let stage = view::stage(root.table("view"), &world);
        let probes = probes(&root, &cast, &world)?;
        let seconds = root.precise("time");
        let checks = checks(&root, &cast, &world)?;
        Ok(Play {
            world,
            fps,
            seconds,
            stage,
            frame: 0,
            cast,
            carried,
            weather,
            events,
            probes,
            checks,
        })
    }
}

/// How the copies of a body look.
pub struct Costume {
    /// What they were made of, before it was repaired.
    pub surface: Surface,
    /// How its triangles look.
    pub looks: Looks,
    /// Where the copies were made: turned, then moved (m).
    pub poses: Vec<(Quat, Vec3)>,
}

/// What chance begins with.
fn seed(root: &Fields<'_>) -> u64 {
    u64::from(root.whole("seed").unwrap_or(1))
}

fn add_bodies(
    root: &Fields<'_>,
    context: &Context<'_>,
    world: &mut World,
) -> Result<Cast, SceneError> {
    let mut cast = Cast::default();
    for (number, fields) in (0u64..).zip(root.tables("body")) {
        // Bodies differ by their number, which does not depend on how the scene is written.
        let context = Context { seed: context.seed | number << 32, ..*context };
        let bodies = body::read(&fields, &context)?;
        let id = bodies.first().map(|body| body.id.clone()).unwrap_or_default();
        if cast.has(&id) && fields.written("id").is_some() {
            return Err(fields.error("id", format!("another body has the id {id:?} already")));
        }
        let count: usize = bodies.iter().map(|body| body.rest.len()).sum();
        source::few_enough(&fields, (world.particles.len() + count) as f64)?;
        for body in bodies {
            let name = body.id.clone();
            let member = enter(body, world).map_err(|e| fields.node.error(e.to_string()))?;
            cast.add(&name, member);
        }
    }
    Ok(cast)
}

fn apply_settings(root: &Fields<'_>, world: &mut World) -> Result<(), SceneError> {
    for table in ["world", "solver"] {
        let Some(fields) = root.table(table) else { continue };
        for (name, value) in settings::read(&fields)? {
            let set = world.config.set(name, value);
            set.map_err(|error| fields.error(name, error.to_string()))?;
        }
    }
    if let Some(fields) = root.table("world") {
        world.origin = DVec3::from(fields.vector("origin"));
    }
    Ok(())
}

fn materials(root: &Fields<'_>) -> Result<Materials, SceneError> {
    let mut materials = BTreeMap::new();
    for entry in root.written("material").iter().flat_map(|node| node.entries()) {
        let fields = Fields::new(&entry.node, &material::TABLE);
        materials.insert(entry.key.clone(), material::read(&fields)?);
    }
    Ok(materials)
}

/// Puts a body into a world, in motion.
fn enter(body: Placed, world: &mut World) -> Result<Member, pliant::WorldError> {
    let Placed { blueprint, rest, velocity, spin, at, .. } = body;
    let placed = blueprint.positions.clone();
    let id = world.add(&blueprint)?;
    let range = world.body(id)?.range();
    let first = range.start as u32;
    for i in range {
        if !world.particles.pinned[i] {
            let turning = spin.cross(world.particles.position(i) - at);
            world.particles.set_velocity(i, velocity + turning);
        }
    }
    Ok(Member { id, first, rest, placed })
}

/// Adds the colliders and returns their ids.
fn add_colliders(
    root: &Fields<'_>,
    context: &Context<'_>,
    world: &mut World,
) -> Result<Vec<String>, SceneError> {
    let mut ids = Vec::new();
    for fields in root.tables("collider") {
        world.colliders.push(collider::read(&fields, context)?);
        ids.push(fields.text("id").unwrap_or_else(|| fields.word("shape")));
    }
    Ok(ids)
}

/// Before which frame what happens.
fn events(
    root: &Fields<'_>,
    cast: &Cast,
    fps: f64,
    mut weather: Option<&mut Weather>,
) -> Result<Vec<(u64, Action)>, SceneError> {
    let mut events = Vec::new();
    for fields in root.tables("event") {
        let (at, action) = event::read(&fields, cast)?;
        // Rounding must not move an event at a frame's start to the next one.
        let frame = (at * fps - 1e-6).ceil().max(0.0) as u64;
        match (&action, weather.as_mut()) {
            (Action::Wind(velocity), Some(weather)) => weather.changes.push((frame, *velocity)),
            (Action::Wind(_), None) => {
                return Err(fields.error("kind", "the scene has no wind to change; add [wind]"));
            }
            _ => events.push((frame, action)),
        }
    }
    if let Some(weather) = weather {
        weather.changes.sort_by_key(|change| change.0);
    }
    events.sort_by_key(|event| event.0);
    Ok(events)
}

fn probes(root: &Fields<'_>, cast: &Cast, world: &World) -> Result<Vec<Probe>, SceneError> {
    let mut probes = Vec::new();
    for fields in root.tables("probe") {
        let gauge = Gauge::read(&fields, cast, world)?;
        let of = fields.text("body").map_or(String::new(), |body| format!("{body} "));
        let name = fields.text("name").unwrap_or_else(|| format!("{of}{}", gauge.name()));
        probes.push(Probe { name, gauge });
    }
    Ok(probes)
}

fn checks(root: &Fields<'_>, cast: &Cast, world: &World) -> Result<Vec<Check>, SceneError> {
    let (fps, seconds) = (root.precise("fps"), root.precise("time"));
    let mut checks = Vec::new();
    for fields in root.tables("check") {
        let gauge = Gauge::read(&fields, cast, world)?;
        let after =
            if fields.written("after").is_some() { fields.precise("after") } else { seconds };
        if after > seconds {
            let message = format!("after the scene has ended, which takes {seconds} s");
            return Err(fields.error("after", message));
        }
        let end = |name: &str| fields.written(name).map(|_| fields.precise(name));
        checks.push(Check {
            after: (after * fps).round() as u64,
            body: fields.text("body"),
            gauge,
            min: end("min"),
            max: end("max"),
            why: fields.text("why"),
        });
    }
    Ok(checks)
}
