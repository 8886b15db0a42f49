//! Which particles of a body are meant: by where they are, by the body's own directions, or by number.

use pliant::glam::Vec3;

use super::error::SceneError;
use super::fields::Fields;
use super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::units;

/// The directions of a body.
const SIDES: &[(&str, Vec3)] = &[
    ("-x", Vec3::NEG_X),
    ("+x", Vec3::X),
    ("-y", Vec3::NEG_Y),
    ("+y", Vec3::Y),
    ("-z", Vec3::NEG_Z),
    ("+z", Vec3::Z),
];

fn sides() -> Vec<&'static str> {
    SIDES.iter().map(|side| side.0).collect()
}

/// An entry of `pin` and of all other lists of particles.
pub(super) static TABLE: Table = Table {
    name: "a selection of particles",
    meaning: "particles of a body, chosen by geometry or by number",
    keys: &[KEYS],
    settings: None,
    kinds: None,
};

/// The keys of a selection, of which one is given.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "corner",
        form: Form::Words(sides),
        without: NOT_GIVEN,
        meaning: "the particle nearest to a corner, as [\"-x\", \"+z\"], before the body is placed",
    },
    Key {
        name: "side",
        form: Form::Word(sides),
        without: NOT_GIVEN,
        meaning: "all particles on one side, before the body is placed; see `depth`",
    },
    Key {
        name: "depth",
        form: Form::Number(units::LENGTH, 0.0, FAR),
        without: Without::Else("a thousandth of the body"),
        meaning: "how far from the outermost particle a side reaches",
    },
    Key {
        name: "near",
        form: Form::Numbers(3, units::LENGTH, -FAR, FAR),
        without: NOT_GIVEN,
        meaning: "the particle nearest to a point of the scene, or all within `radius` of it",
    },
    Key {
        name: "radius",
        form: Form::Number(units::LENGTH, THIN, FAR),
        without: Without::Else("only the nearest particle"),
        meaning: "how far from the point `near` particles may be",
    },
    Key {
        name: "box",
        form: Form::Corners,
        without: NOT_GIVEN,
        meaning: "all particles in a box of the scene",
    },
    Key {
        name: "end",
        form: Form::Word(|| vec!["first", "last"]),
        without: NOT_GIVEN,
        meaning: "the first or last particle, as of a rope",
    },
    Key {
        name: "index",
        form: Form::Wholes,
        without: NOT_GIVEN,
        meaning: "particles by number from 0; geometry survives a change of `cell`, this does not",
    },
    Key {
        name: "all",
        form: Form::Truth,
        without: NOT_GIVEN,
        meaning: "all particles of the body",
    },
];

const NOT_GIVEN: Without = Without::Else("another way to choose");

/// The particles of a body, before it was placed and after.
pub(super) struct Particles<'a> {
    pub(super) rest: &'a [Vec3],
    pub(super) placed: &'a [Vec3],
}

/// The particles that are meant, in increasing order, each once.
pub(super) fn select(
    fields: &Fields<'_>,
    particles: &Particles<'_>,
) -> Result<Vec<u32>, SceneError> {
    let way = fields.only_one_of(&["corner", "side", "near", "box", "end", "index", "all"])?;
    let count = particles.rest.len() as u32;
    let wanted = |keep: &dyn Fn(usize) -> bool| (0..count).filter(|&i| keep(i as usize)).collect();
    let mut chosen: Vec<u32> = match way {
        Some("corner") => corner(&fields.texts("corner"), particles.rest),
        Some("side") => {
            let (axis, out, depth) = side(fields, particles.rest);
            wanted(&|i| axis.dot(particles.rest[i]) >= out - depth)
        }
        Some("near") => match (fields.vector("near"), fields.maybe("radius")) {
            (point, Some(radius)) => wanted(&|i| particles.placed[i].distance(point) <= radius),
            (point, None) => nearest(particles.placed, point).into_iter().collect(),
        },
        Some("box") => {
            let corners = fields.points("box");
            let (low, high) = (corners[0].min(corners[1]), corners[0].max(corners[1]));
            let inside = |x: Vec3| x.cmpge(low).all() && x.cmple(high).all();
            wanted(&|i| inside(particles.placed[i]))
        }
        Some("end") => {
            let last = fields.word("end") == "last";
            if last { count.checked_sub(1).into_iter().collect() } else { vec![0] }
        }
        Some("index") => fields.wholes("index"),
        Some(_) => wanted(&|_| true),
        None => {
            return Err(fields.node.error(
                "which particles? give corner, side, near, box, end, \
                                              index or all",
            ));
        }
    };
    chosen.sort_unstable();
    chosen.dedup();
    if let Some(&index) = chosen.iter().find(|&&index| index >= count) {
        let message = format!("particle {index}, but the body has {count} (from 0)");
        return Err(fields.node.error(message));
    }
    if chosen.is_empty() {
        return Err(fields.node.error("no particle of the body is there"));
    }
    Ok(chosen)
}

/// The outward direction of a side, where it ends, and how deep it reaches (m).
fn side(fields: &Fields<'_>, rest: &[Vec3]) -> (Vec3, f32, f32) {
    let name = fields.word("side");
    let axis = SIDES.iter().find(|side| side.0 == name).map_or(Vec3::X, |side| side.1);
    let along = || rest.iter().map(|&x| axis.dot(x));
    let (low, high) = (along().fold(f32::MAX, f32::min), along().fold(f32::MIN, f32::max));
    (axis, high, fields.maybe("depth").unwrap_or(1e-3 * (high - low)))
}

/// The particle nearest to where the named sides of the bounding box meet.
fn corner(sides: &[String], rest: &[Vec3]) -> Vec<u32> {
    let low = rest.iter().copied().fold(Vec3::MAX, Vec3::min);
    let high = rest.iter().copied().fold(Vec3::MIN, Vec3::max);
    let direction: Vec3 =
        SIDES.iter().filter(|side| sides.iter().any(|name| name == side.0)).map(|s| s.1).sum();
    nearest(rest, (low + high) / 2.0 + direction * (high - low) / 2.0).into_iter().collect()
}

fn nearest(positions: &[Vec3], point: Vec3) -> Option<u32> {
    let far = |x: &Vec3| x.distance_squared(point);
    let best = (0u32..).zip(positions).min_by(|(_, a), (_, b)| far(a).total_cmp(&far(b)));
    best.map(|(index, _)| index)
}
