//! `[[body]]`: what is simulated, registry [`ALL`].

use pliant::contact::{By, Meets, Touch};
use pliant::glam::{Quat, Vec3};
use pliant::mesh::Aabb;
use pliant::region::strain_limit;
use pliant::{Blueprint, Stepping, WorldError, integrate};

use super::Context;
use super::error::SceneError;
use super::fields::Fields;
use super::keys::{FAR, Form, Key, TINY, Table, Without};
use super::{random, select, strength, units};

mod balloon;
mod cloth;
mod lattice;
mod matched;
mod rigid;
mod rod;
mod rope;
mod shell;
mod springs;
mod tets;

/// Every kind of body, thin ones first.
pub(super) const ALL: &[&BodyKind] = &[
    cloth::KIND,
    shell::KIND,
    rope::KIND,
    tets::KIND,
    lattice::KIND,
    matched::KIND,
    balloon::KIND,
    springs::KIND,
    rigid::KIND,
    rod::KIND,
];

/// A kind of body: the keys that it adds, and what they make.
pub(super) struct BodyKind {
    /// Its keys; the name of the table is that of the kind.
    pub(super) table: &'static Table,
    /// Makes one, about the origin.
    pub(super) build: fn(&Fields<'_>, &Context<'_>) -> Result<Blueprint, SceneError>,
}

/// `[[body]]`.
pub(super) static TABLE: Table = Table {
    name: "[[body]]",
    meaning: "something that moves, soft or rigid, or something that is held",
    keys: &[KEYS],
    settings: None,
    kinds: Some((
        Key {
            name: "kind",
            form: Form::Word(|| ALL.iter().map(|kind| kind.table.name).collect()),
            without: Without::Refused,
            meaning: "how it is made",
        },
        || ALL.iter().map(|kind| kind.table).collect(),
    )),
};

const KEYS: &[Key] = &[
    Key {
        name: "id",
        form: Form::Text,
        without: Without::Else("its kind"),
        meaning: "a name by which other tables, --set and reports know it",
    },
    Key {
        name: "material",
        form: Form::Text,
        without: Without::Else("plain springs, with the numbers of the kind's own keys"),
        meaning: "what it is made of: a [material.NAME] or a preset",
    },
    Key {
        name: "at",
        form: Form::Numbers(3, units::LENGTH, -FAR, FAR),
        without: Without::Is("[0, 0, 0]"),
        meaning: "where its middle is; of a rope, its first end",
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
        without: Without::Is("[0, 0, 0]"),
        meaning: "how fast it moves at first",
    },
    Key {
        name: "spin",
        form: Form::Numbers(3, units::SPIN, -FAR, FAR),
        without: Without::Is("[0, 0, 0]"),
        meaning: "how fast it turns about its middle at first",
    },
    Key {
        name: "pin",
        form: Form::Tables(&select::TABLE),
        without: Without::Else("nothing is held"),
        meaning: "particles that stay where they are until they are released",
    },
    Key {
        name: "radius",
        form: Form::Number(units::LENGTH, 0.0, FAR),
        without: Without::Else(
            "from the material or the cells; of what touches, a 500th of its size if that is 0",
        ),
        meaning: "distance that colliders keep from every particle; bodies that touch keep theirs \
                  added up",
    },
    Key {
        name: "touches",
        form: Form::Word(|| MEETS.iter().map(|meets| meets.0).collect()),
        without: Without::Is("\"none\""),
        meaning: "which bodies it meets: none, others that meet others too, or all, itself among them",
    },
    Key {
        name: "touch_by",
        form: Form::Word(|| BY.iter().map(|by| by.0).collect()),
        without: Without::Is("\"surface\""),
        meaning: "what of it is touched: its triangles or links, or its particles as balls, which is \
                  cheaper and lets fine things through",
    },
    Key {
        name: "friction",
        form: Form::Number(units::ONE, 0.0, 100.0),
        without: Without::Is("0.3"),
        meaning: "Coulomb's coefficient μ against other bodies; of two, the geometric mean counts",
    },
    Key {
        name: "restitution",
        form: Form::Number(units::ONE, 0.0, 1.0),
        without: Without::Is("0"),
        meaning: "speed after an impact with a body over the speed before; of two, the larger counts",
    },
    Key {
        name: "stepping",
        form: Form::Word(|| {
            let integrators = integrate::ALL.iter().map(|integrator| integrator.name);
            std::iter::once("constraints").chain(integrators).collect()
        }),
        without: Without::Is("\"constraints\""),
        meaning: "moved by constraints, or by forces and an integrator",
    },
    Key {
        name: "strain_limit",
        form: Form::Number(units::ONE, 0.0, 100.0),
        without: Without::Else("no limit"),
        meaning: "strain that no link exceeds, whatever the substeps; 0.1 is 10 %",
    },
    Key {
        name: "strength",
        form: Form::Table(&strength::TABLE),
        without: Without::Else("unbreakable and elastic"),
        meaning: "what its links, tetrahedra (neo-Hookean ones) and matched shapes bear and keep",
    },
    Key {
        name: "folds",
        form: Form::Table(&strength::TABLE),
        without: Without::Else("elastic"),
        meaning: "what the angles between its triangles keep, such as those of paper",
    },
    Key {
        name: "copies",
        form: Form::Table(&COPIES),
        without: Without::Else("one"),
        meaning: "several of it, on a grid",
    },
];

/// What a body meets, by name.
const MEETS: &[(&str, Meets)] =
    &[("none", Meets::Nothing), ("others", Meets::Others), ("all", Meets::All)];

/// What of a body is touched, by name.
const BY: &[(&str, By)] = &[("surface", By::Surface), ("particles", By::Particles)];

/// Half the thickness of a body that touches and has none of its own, as a part of its size.
const THICKNESS: f32 = 2e-3;

/// `copies`.
static COPIES: Table = Table {
    name: "copies",
    meaning: "several of a body, on a grid about its place",
    keys: &[&[
        Key {
            name: "count",
            form: Form::Numbers(3, units::ONE, 1.0, 100.0),
            without: Without::Refused,
            meaning: "how many along x, y and z",
        },
        Key {
            name: "apart",
            form: Form::Numbers(3, units::LENGTH, 0.0, FAR),
            without: Without::Refused,
            meaning: "distance of neighbours along x, y and z",
        },
        Key {
            name: "jitter",
            form: Form::Number(units::LENGTH, 0.0, FAR),
            without: Without::Is("0"),
            meaning: "how far from the grid each is moved at random, at most along each axis",
        },
        Key {
            name: "tumble",
            form: Form::Truth,
            without: Without::Is("false"),
            meaning: "turn each at random; `seed` of the scene says how",
        },
    ]],
    settings: None,
    kinds: None,
};

/// A body that has a place, and what is known of it before the world has it.
pub(super) struct Placed {
    pub(super) id: String,
    pub(super) blueprint: Blueprint,
    /// Where the particles were before they were placed (m).
    pub(super) rest: Vec<Vec3>,
    pub(super) velocity: Vec3,
    pub(super) spin: Vec3,
    /// Where its middle is (m).
    pub(super) at: Vec3,
}

/// All copies of a body, ready for a world.
pub(super) fn read(fields: &Fields<'_>, context: &Context<'_>) -> Result<Vec<Placed>, SceneError> {
    let name = fields.word("kind");
    let kind = ALL.iter().find(|kind| kind.table.name == name);
    let kind = kind.ok_or_else(|| fields.error("kind", "no such kind of body"))?;
    let mut blueprint = (kind.build)(fields, context)?;
    if let Some(radius) = fields.maybe("radius") {
        blueprint.radius = radius;
    }
    blueprint.touch = touch(fields);
    if blueprint.touch.meets != Meets::Nothing && blueprint.radius == 0.0 {
        let bounds = Aabb::of(blueprint.positions.iter().copied());
        blueprint.radius = THICKNESS * bounds.size().max_element();
    }
    if let Some(strain) = fields.maybe("strain_limit") {
        blueprint = strain_limit::limited(blueprint, strain).map_err(|e| engine(fields, &e))?;
    }
    if let Some(strength) = fields.table("strength") {
        let made = blueprint.of_strength(strength::read(&strength));
        blueprint = made.map_err(|e| engine(fields, &e))?;
    }
    if let Some(strength) = fields.table("folds") {
        let made = blueprint.of_folding(strength::read(&strength));
        blueprint = made.map_err(|e| engine(fields, &e))?;
    }
    let stepping = Stepping::find(&fields.word("stepping"));
    blueprint = blueprint.stepped(stepping.unwrap_or(Stepping::Constraints));
    let id = fields.text("id").unwrap_or(name);
    blueprint.name.clone_from(&id);
    place(fields, &blueprint, &id, &poses(fields, context.seed)?)
}

fn touch(fields: &Fields<'_>) -> Touch {
    let (meets, by) = (fields.word("touches"), fields.word("touch_by"));
    Touch {
        meets: MEETS.iter().find(|known| known.0 == meets).map_or(Meets::Nothing, |known| known.1),
        by: BY.iter().find(|known| known.0 == by).map_or(By::Surface, |known| known.1),
        friction: fields.number("friction"),
        restitution: fields.number("restitution"),
    }
}

/// Where copies are, relative to the body's own place.
struct Pose {
    turn: Quat,
    moved: Vec3,
}

fn copies(fields: &Fields<'_>, seed: u64) -> Result<Vec<Pose>, SceneError> {
    let Some(copies) = fields.table("copies") else {
        return Ok(vec![Pose { turn: Quat::IDENTITY, moved: Vec3::ZERO }]);
    };
    let (count, apart) = (copies.vector("count").round(), copies.vector("apart"));
    if count.x * count.y * count.z > 1e4 {
        return Err(copies.error("count", "more than 10000 copies of a body"));
    }
    let (jitter, tumble) = (copies.number("jitter"), copies.truth("tumble"));
    let mut random = random::Random::new(seed);
    let mut poses = Vec::new();
    let [nx, ny, nz] = count.to_array().map(|count| count as u32);
    for y in 0..ny {
        for z in 0..nz {
            for x in 0..nx {
                let step = Vec3::new(x as f32, y as f32, z as f32) - (count - Vec3::ONE) / 2.0;
                let moved = step * apart + random.vector() * jitter;
                let turn = if tumble { random.turn() } else { Quat::IDENTITY };
                poses.push(Pose { turn, moved });
            }
        }
    }
    Ok(poses)
}

/// Where the copies of a body are: turned, then moved (m).
pub(super) fn poses(fields: &Fields<'_>, seed: u64) -> Result<Vec<(Quat, Vec3)>, SceneError> {
    let (at, turn) = (fields.vector("at"), fields.turns("rotate"));
    let copies = copies(fields, seed)?;
    Ok(copies.iter().map(|pose| (pose.turn * turn, at + pose.moved)).collect())
}

fn place(
    fields: &Fields<'_>,
    blueprint: &Blueprint,
    id: &str,
    poses: &[(Quat, Vec3)],
) -> Result<Vec<Placed>, SceneError> {
    let mut bodies = Vec::new();
    for &(turn, at) in poses {
        let mut body = blueprint.clone().placed(turn, at);
        let mut pins = Vec::new();
        for pin in fields.tables("pin") {
            let particles =
                select::Particles { rest: &blueprint.positions, placed: &body.positions };
            pins.extend(select::select(&pin, &particles)?);
        }
        pins.extend(&body.pins);
        pins.sort_unstable();
        pins.dedup();
        body.pins = pins;
        let (velocity, spin) = (fields.vector("velocity"), fields.vector("spin"));
        let (id, rest) = (id.to_owned(), blueprint.positions.clone());
        bodies.push(Placed { id, blueprint: body, rest, velocity, spin, at });
    }
    Ok(bodies)
}

/// What the engine says about a body.
pub(super) fn engine(fields: &Fields<'_>, error: &WorldError) -> SceneError {
    fields.node.error(error.to_string())
}

/// A spring of a body without a material.
const fn spring(
    name: &'static str,
    dimension: units::Dimension,
    without: Without,
    meaning: &'static str,
) -> Key {
    Key { name, form: Form::Hold(dimension), without, meaning }
}

/// Mass per volume of a body without a material.
const DENSITY: Key = Key {
    name: "density",
    form: Form::Number(units::DENSITY, TINY, 1e6),
    without: Without::Unless("material", "1000"),
    meaning: "mass per volume, of a body without a material",
};

/// Mass per area of a body without a material.
const AREAL_DENSITY: Key = Key {
    name: "areal_density",
    form: Form::Number(units::AREAL_DENSITY, TINY, 1e6),
    without: Without::Unless("material", "0.15"),
    meaning: "mass per area, of a body without a material",
};

/// Dashpots beside the springs of a body without a material.
const DASHPOT: Key = Key {
    name: "dashpot",
    form: Form::Number(units::DASHPOT, 0.0, 1e9),
    without: Without::Unless("material", "0"),
    meaning: "dashpot beside every spring, of a body without a material",
};

/// Refuses springs beside a material, which says how stiff they are.
fn no_springs(fields: &Fields<'_>, names: &[&str]) -> Result<(), SceneError> {
    match names.iter().find(|name| fields.written(name).is_some()) {
        Some(name) => Err(fields.error(
            name,
            format!("{name} is for bodies without a material; leave it or the material out"),
        )),
        None => Ok(()),
    }
}
