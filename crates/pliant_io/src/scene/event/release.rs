//! Pins let go.

use super::super::cast::{Cast, PARTICLES};
use super::super::fields::Fields;
use super::super::keys::Table;
use super::{Action, EventKind, SceneError};

pub(super) const KIND: &EventKind = &EventKind {
    table: &Table {
        name: "release",
        meaning: "lets pinned particles go; without `particles`, all of the body",
        keys: &[PARTICLES],
        settings: None,
        kinds: None,
    },
    read,
};

fn read(fields: &Fields<'_>, cast: &Cast) -> Result<Action, SceneError> {
    let (bodies, particles) = cast.particles(fields)?;
    Ok(Action::Change(Box::new(move |world| {
        let present = world.particles.find(&particles);
        present.iter().for_each(|&i| world.particles.unpin(i as usize));
        for &body in &bodies {
            // A body that slept is awake then. Bodies of a scene are never removed.
            let _ = world.release(body);
        }
    })))
}
