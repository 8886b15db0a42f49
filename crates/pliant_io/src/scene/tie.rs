//! `[[tie]]`: bodies that hold on to each other, to the room, or to what moves.

use pliant::constraint::{anchor, attach};
use pliant::glam::Vec3;
use pliant::{Hold, World};

use super::cast::{Cast, PARTICLES};
use super::error::SceneError;
use super::fields::Fields;
use super::keys::{Form, Key, Table, Without};
use super::units;

/// `[[tie]]`.
pub(super) static TABLE: Table = Table {
    name: "[[tie]]",
    meaning: "ties particles of a body to another body, to the room, or to a collider that moves",
    keys: &[
        PARTICLES,
        &[
            Key {
                name: "to",
                form: Form::Text,
                without: Without::Is("\"room\""),
                meaning: "the id of a body, whose nearest triangle is taken; the id of a collider, \
                          which carries them along; or \"room\", where they are now",
            },
            Key {
                name: "stiffness",
                form: Form::Hold(units::STIFFNESS),
                without: Without::Is("\"rigid\""),
                meaning: "of a tie to a body or to the room",
            },
        ],
    ],
    settings: None,
    kinds: None,
};

/// Particles that move as a collider does.
#[derive(Debug)]
pub(super) struct Carried {
    pub(super) particles: Vec<u32>,
    /// Which collider of the world.
    pub(super) by: usize,
}

/// Ties what a table says; colliders carry, which is done frame by frame.
pub(super) fn tie(
    fields: &Fields<'_>,
    cast: &Cast,
    colliders: &[String],
    world: &mut World,
) -> Result<Option<Carried>, SceneError> {
    let (_, particles) = cast.particles(fields)?;
    let to = fields.word("to");
    let hold = fields.hold("stiffness", 0.0).unwrap_or(Hold::RIGID);
    if to == "room" {
        for &i in &particles {
            let joined = world.join(&anchor::KIND, &[i], hold);
            joined.map_err(|error| fields.node.error(error.to_string()))?;
        }
        return Ok(None);
    }
    if let Some(by) = colliders.iter().position(|id| *id == to) {
        particles.iter().for_each(|&i| world.particles.pin(i as usize));
        return Ok(Some(Carried { particles, by }));
    }
    let member = &cast.named(fields, "to")?[0];
    let range = world.body(member.id).map(|body| body.triangles.clone());
    let range = range.map_err(|error| fields.node.error(error.to_string()))?;
    for &i in &particles {
        let triangles = &world.triangles()[range.start as usize..range.end as usize];
        let corners = nearest_triangle(world, triangles, i);
        let [a, b, c] = corners.ok_or_else(|| fields.error("to", "this body has no surface"))?;
        let joined = world.join(&attach::KIND, &[i, a, b, c], hold);
        joined.map_err(|error| fields.node.error(error.to_string()))?;
    }
    Ok(None)
}

/// The triangle whose centre is nearest to a particle.
fn nearest_triangle(world: &World, triangles: &[[u32; 3]], particle: u32) -> Option<[u32; 3]> {
    let x = |i: u32| world.particles.position(i as usize);
    let distance = |t: &[u32; 3]| t.iter().map(|&i| x(i)).sum::<Vec3>().distance(x(particle) * 3.0);
    triangles.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).copied()
}
