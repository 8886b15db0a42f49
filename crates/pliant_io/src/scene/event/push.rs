//! A body is given a push.

use super::super::cast::{Cast, PARTICLES};
use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, Table, Without};
use super::super::units;
use super::{Action, EventKind, SceneError};

pub(super) const KIND: &EventKind = &EventKind {
    table: &Table {
        name: "push",
        meaning: "adds a velocity to particles that are not pinned; without `particles`, to all of \
                  the body",
        keys: &[
            PARTICLES,
            &[Key {
                name: "velocity",
                form: Form::Numbers(3, units::SPEED, -FAR, FAR),
                without: Without::Refused,
                meaning: "what is added",
            }],
        ],
        settings: None,
        kinds: None,
    },
    read,
};

fn read(fields: &Fields<'_>, cast: &Cast) -> Result<Action, SceneError> {
    let (bodies, particles) = cast.particles(fields)?;
    let velocity = fields.vector("velocity");
    Ok(Action::Change(Box::new(move |world| {
        for &body in &bodies {
            let _ = world.release(body); // awake; bodies of a scene are never removed
        }
        for i in world.particles.find(&particles).into_iter().map(|i| i as usize) {
            if !world.particles.pinned[i] {
                let faster = world.particles.velocity(i) + velocity;
                world.particles.set_velocity(i, faster);
            }
        }
    })))
}
