//! Particles are held from now on.

use super::super::cast::{Cast, PARTICLES};
use super::super::fields::Fields;
use super::super::keys::Table;
use super::{Action, EventKind, SceneError};

pub(super) const KIND: &EventKind = &EventKind {
    table: &Table {
        name: "pin",
        meaning: "holds particles where they are then; without `particles`, all of the body",
        keys: &[PARTICLES],
        settings: None,
        kinds: None,
    },
    read,
};

fn read(fields: &Fields<'_>, cast: &Cast) -> Result<Action, SceneError> {
    let (_, particles) = cast.particles(fields)?;
    Ok(Action::Change(Box::new(move |world| {
        let present = world.particles.find(&particles);
        present.iter().for_each(|&i| world.particles.pin(i as usize));
    })))
}
