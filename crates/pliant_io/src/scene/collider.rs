//! `[[collider]]`: what bodies meet, registry [`ALL`].

use pliant::Collider;
use pliant::collider::motion::{self, Blend, End, Motion, Track};

use super::Context;
use super::error::SceneError;
use super::fields::Fields;
use super::keys::{FAR, Form, Key, Table, Without};
use super::units;

mod capsule;
mod cuboid;
mod cylinder;
mod grid;
mod mesh;
mod plane;
mod sphere;

/// Every shape.
pub(super) const ALL: &[&ColliderKind] = &[
    plane::KIND,
    sphere::KIND,
    cuboid::KIND,
    capsule::KIND,
    cylinder::KIND,
    mesh::KIND,
    grid::KIND,
];

/// A shape: the keys that it adds, and what they make.
pub(super) struct ColliderKind {
    /// Its keys; the name of the table is that of the shape.
    pub(super) table: &'static Table,
    /// Makes one, about the origin.
    pub(super) build: fn(&Fields<'_>, &Context<'_>) -> Result<Collider, SceneError>,
}

/// `[[collider]]`.
pub(super) static TABLE: Table = Table {
    name: "[[collider]]",
    meaning: "something firm that bodies meet: it stands, moves evenly, or follows keyframes",
    keys: &[KEYS],
    settings: None,
    kinds: Some((
        Key {
            name: "shape",
            form: Form::Word(|| ALL.iter().map(|kind| kind.table.name).collect()),
            without: Without::Refused,
            meaning: "what it looks like",
        },
        || ALL.iter().map(|kind| kind.table).collect(),
    )),
};

const KEYS: &[Key] = &[
    Key {
        name: "id",
        form: Form::Text,
        without: Without::Else("its shape"),
        meaning: "a name by which other tables and --set know it",
    },
    Key {
        name: "at",
        form: Form::Numbers(3, units::LENGTH, -FAR, FAR),
        without: Without::Is("[0, 0, 0]"),
        meaning: "where it is; with keyframes, what they are counted from",
    },
    Key {
        name: "rotate",
        form: Form::Turns,
        without: Without::Else("not turned"),
        meaning: "turns about the axes of the scene, made one after the other before it is moved",
    },
    Key {
        name: "velocity",
        form: Form::Numbers(3, units::SPEED, -FAR, FAR),
        without: Without::Unless("keyframes", "[0, 0, 0]"),
        meaning: "how it moves; what touches it is carried along",
    },
    Key {
        name: "spin",
        form: Form::Numbers(3, units::SPIN, -FAR, FAR),
        without: Without::Unless("keyframes", "[0, 0, 0]"),
        meaning: "how fast it turns about its place; what touches it is carried along",
    },
    Key {
        name: "friction",
        form: Form::Number(units::ONE, 0.0, 100.0),
        without: Without::Is("0.3"),
        meaning: "Coulomb's coefficient μ",
    },
    Key {
        name: "restitution",
        form: Form::Number(units::ONE, 0.0, 1.0),
        without: Without::Is("0"),
        meaning: "speed after an impact over the speed before",
    },
    Key {
        name: "keyframes",
        form: Form::Tables(&KEYFRAME),
        without: Without::Else("it moves with `velocity` and `spin`"),
        meaning: "where it is at which time, and how it is turned then",
    },
    Key {
        name: "repeat",
        form: Form::Truth,
        without: Without::Is("false"),
        meaning: "begin again after the last keyframe, which should be like the first",
    },
    Key {
        name: "ease",
        form: Form::Word(|| vec!["linear", "smooth"]),
        without: Without::Is("\"smooth\""),
        meaning: "between keyframes: with even speed, or on a curve without a jump in speed",
    },
];

static KEYFRAME: Table = Table {
    name: "a keyframe",
    meaning: "where a collider is at a time, and how it is turned",
    keys: &[&[
        Key {
            name: "time",
            form: Form::Number(units::TIME, 0.0, 1e6),
            without: Without::Refused,
            meaning: "when",
        },
        Key {
            name: "move",
            form: Form::Numbers(3, units::LENGTH, -FAR, FAR),
            without: Without::Is("[0, 0, 0]"),
            meaning: "how far it is then from `at`",
        },
        Key {
            name: "turn",
            form: Form::Turns,
            without: Without::Else("as `rotate` says"),
            meaning: "how it is turned then, after `rotate`; from one keyframe to the next it turns the \
                      shorter way",
        },
    ]],
    settings: None,
    kinds: None,
};

/// Reads a collider.
pub(super) fn read(fields: &Fields<'_>, context: &Context<'_>) -> Result<Collider, SceneError> {
    let name = fields.word("shape");
    let kind = ALL.iter().find(|kind| kind.table.name == name);
    let kind = kind.ok_or_else(|| fields.error("shape", "no such shape"))?;
    let collider = Collider {
        position: fields.vector("at"),
        velocity: fields.vector("velocity"),
        angular_velocity: fields.vector("spin"),
        friction: fields.number("friction"),
        restitution: fields.number("restitution"),
        ..(kind.build)(fields, context)?
    };
    let collider = collider.turned(fields.turns("rotate"));
    let Some(track) = track(fields, &collider)? else { return Ok(collider) };
    if let Some(other) = ["velocity", "spin"].iter().find(|key| fields.written(key).is_some()) {
        let message = format!("{other} and keyframes exclude each other; leave one of them out");
        return Err(fields.error(other, message));
    }
    Ok(collider.moved(Motion::Track(track)))
}

/// The keyframes of a collider that is where they are counted from.
fn track(fields: &Fields<'_>, from: &Collider) -> Result<Option<Track>, SceneError> {
    let mut keys: Vec<motion::Key> = Vec::new();
    for key in fields.tables("keyframes") {
        let time = key.number("time");
        if keys.last().is_some_and(|last| time <= last.time) {
            return Err(key.error("time", "keyframes are in the order of time, each later"));
        }
        let turned = from.clone().turned(key.turns("turn"));
        let position = from.position + key.vector("move");
        keys.push(motion::Key { time, position, rotation: turned.rotation });
    }
    if keys.is_empty() {
        return Ok(None);
    }
    let blend = if fields.word("ease") == "smooth" { Blend::Smooth } else { Blend::Linear };
    let end = if fields.truth("repeat") { End::Repeat } else { End::Stop };
    let track = Track::new(&keys, blend, end);
    track.map(Some).map_err(|error| fields.error("keyframes", error.to_string()))
}
