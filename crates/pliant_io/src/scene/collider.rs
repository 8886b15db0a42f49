//! `[[collider]]`: what bodies meet, registry [`ALL`].

use pliant::Collider;
use pliant::glam::Vec3;

use super::error::SceneError;
use super::fields::Fields;
use super::keys::{FAR, Form, Key, Table, Without};
use super::units;

mod plane;
mod sphere;

/// Every shape.
pub(super) const ALL: &[&ColliderKind] = &[plane::KIND, sphere::KIND];

/// A shape: the keys that it adds, and what they make.
pub(super) struct ColliderKind {
    /// Its keys; the name of the table is that of the shape.
    pub(super) table: &'static Table,
    /// Makes one at the place that the common keys say, not turned.
    pub(super) build: fn(&Fields<'_>) -> Result<Collider, SceneError>,
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
        without: Without::Else("it moves with `velocity`"),
        meaning: "where it is at which time",
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
        meaning: "between keyframes: with even speed, or at rest in each of them",
    },
];

static KEYFRAME: Table = Table {
    name: "a keyframe",
    meaning: "where a collider is at a time",
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
            without: Without::Refused,
            meaning: "how far it is then from `at`",
        },
    ]],
    settings: None,
    kinds: None,
};

/// Reads a collider, and how it moves if it follows keyframes.
pub(super) fn read(fields: &Fields<'_>) -> Result<(Collider, Option<Motion>), SceneError> {
    let name = fields.word("shape");
    let kind = ALL.iter().find(|kind| kind.table.name == name);
    let kind = kind.ok_or_else(|| fields.error("shape", "no such shape"))?;
    let made = (kind.build)(fields)?;
    let collider = Collider {
        rotation: fields.turns("rotate") * made.rotation,
        velocity: fields.vector("velocity"),
        friction: fields.number("friction"),
        restitution: fields.number("restitution"),
        ..made
    };
    let motion = Motion::read(fields)?;
    if motion.is_some() && fields.written("velocity").is_some() {
        return Err(fields.error("velocity", "velocity and keyframes exclude each other"));
    }
    Ok((collider, motion))
}

/// How a collider follows its keyframes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Motion {
    at: Vec3,
    /// Times (s) and how far from `at` (m), in the order of time.
    keys: Vec<(f64, Vec3)>,
    repeat: bool,
    smooth: bool,
}

impl Motion {
    fn read(fields: &Fields<'_>) -> Result<Option<Self>, SceneError> {
        let mut keys: Vec<(f64, Vec3)> = Vec::new();
        for key in fields.tables("keyframes") {
            let time = key.precise("time");
            if keys.last().is_some_and(|(last, _)| time <= *last) {
                return Err(key.error("time", "keyframes are in the order of time, each later"));
            }
            keys.push((time, key.vector("move")));
        }
        let smooth = fields.word("ease") == "smooth";
        let (at, repeat) = (fields.vector("at"), fields.truth("repeat"));
        Ok((!keys.is_empty()).then_some(Self { at, keys, repeat, smooth }))
    }

    /// Where it is at a time (m).
    pub(super) fn position(&self, time: f64) -> Vec3 {
        let last = self.keys.last().map_or(0.0, |key| key.0);
        let time = if self.repeat && last > 0.0 { time % last } else { time };
        let next = self.keys.iter().position(|key| key.0 > time).unwrap_or(self.keys.len());
        let moved = match (next.checked_sub(1).and_then(|k| self.keys.get(k)), self.keys.get(next))
        {
            (Some((from, start)), Some((to, end))) => {
                let share = ((time - from) / (to - from)) as f32;
                let share = if self.smooth { share * share * (3.0 - 2.0 * share) } else { share };
                *start + (*end - *start) * share
            }
            (Some((_, only)), None) | (None, Some((_, only))) => *only,
            (None, None) => Vec3::ZERO,
        };
        self.at + moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collider_is_where_its_keyframes_say() {
        let keys = vec![(1.0, Vec3::ZERO), (2.0, Vec3::X), (4.0, Vec3::ZERO)];
        let motion = Motion { at: Vec3::Y, keys, repeat: true, smooth: true };
        let x = |time: f64| (motion.position(time) - Vec3::Y).x;
        assert_eq!([x(0.0), x(1.0), x(1.5), x(2.0), x(3.0)], [0.0, 0.0, 0.5, 1.0, 0.5]);
        assert_eq!([x(4.0), x(6.0)], [0.0, 1.0]);
        let once = Motion { repeat: false, smooth: false, ..motion };
        assert_eq!(once.position(1.25) - Vec3::Y, Vec3::X * 0.25);
        assert_eq!(once.position(9.0), Vec3::Y);
    }
}
