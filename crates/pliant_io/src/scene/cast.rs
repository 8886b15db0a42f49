//! The bodies of a scene by name, and how other tables speak of them.

use std::collections::BTreeMap;

use pliant::BodyId;
use pliant::glam::Vec3;

use super::error::{SceneError, did_you_mean};
use super::fields::Fields;
use super::keys::{Form, Key, Without};
use super::select;

/// Keys that say which particles of which body are meant.
pub(super) const PARTICLES: &[Key] = &[
    Key {
        name: "body",
        form: Form::Text,
        without: Without::Refused,
        meaning: "the body, by its id; of copies, all",
    },
    SOME_PARTICLES,
];

/// The key that says which particles of a body are meant.
pub(super) const SOME_PARTICLES: Key = Key {
    name: "particles",
    form: Form::Tables(&select::TABLE),
    without: Without::Else("all of the body"),
    meaning: "which particles, as in `pin`",
};

/// Every body of a scene.
#[derive(Debug, Default)]
pub(super) struct Cast {
    bodies: BTreeMap<String, Vec<Member>>,
}

/// A body, and where its particles were when the scene began.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) id: BodyId,
    /// The first of its particles in the world.
    pub(super) first: u32,
    pub(super) rest: Vec<Vec3>,
    pub(super) placed: Vec<Vec3>,
}

impl Cast {
    pub(super) fn add(&mut self, name: &str, member: Member) {
        self.bodies.entry(name.to_owned()).or_default().push(member);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.bodies.contains_key(name)
    }

    /// The bodies that a key names.
    pub(super) fn named(&self, fields: &Fields<'_>, key: &str) -> Result<&[Member], SceneError> {
        let name = fields.word(key);
        self.bodies.get(&name).map(Vec::as_slice).ok_or_else(|| {
            let near = did_you_mean(&name, self.bodies.keys().map(String::as_str));
            fields.error(key, format!("no body has the id {name:?}{near}"))
        })
    }

    /// The bodies and particles that a table is about.
    pub(super) fn particles(
        &self,
        fields: &Fields<'_>,
    ) -> Result<(Vec<BodyId>, Vec<u32>), SceneError> {
        let members = self.named(fields, "body")?;
        let mut chosen = Vec::new();
        for member in members {
            let Member { first, rest, placed, .. } = member;
            let mut some: Vec<u32> = Vec::new();
            let mut given = false;
            for selection in fields.tables("particles") {
                given = true;
                some.extend(select::select(&selection, &select::Particles { rest, placed })?);
            }
            if !given {
                some = (0..rest.len() as u32).collect();
            }
            some.sort_unstable();
            some.dedup();
            chosen.extend(some.into_iter().map(|i| first + i));
        }
        Ok((members.iter().map(|member| member.id).collect(), chosen))
    }
}
