//! `[[probe]]` and `[[check]]`: numbers that are written down, and what must hold of them.

use pliant::glam::Vec3;
use pliant::measure::{self, Measure, penetration, volume};
use pliant::{BodyId, World, constraint};

use super::cast::{Cast, SOME_PARTICLES};
use super::error::SceneError;
use super::fields::Fields;
use super::keys::{Form, HUGE, Key, Table, Without};
use super::units;

/// What a number is measured of.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Particles by name, in increasing order; while something is measured, by index.
    particles: Vec<u32>,
    bodies: Vec<BodyId>,
    /// The middle of the particles when the scene began (m).
    middle: Vec3,
    /// What the bodies enclosed when the scene began (m³).
    volume: f64,
}

/// A number of a body or of some particles.
pub(super) struct Quantity {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) meaning: &'static str,
    of: fn(&World, &Scope) -> f64,
}

/// Numbers of bodies; those of whole worlds are [`measure::ALL`].
pub(super) const ALL: &[Quantity] = &[
    Quantity {
        name: "lowest point",
        unit: "m",
        meaning: "height of the lowest particle",
        of: |world, scope| heights(world, scope).fold(f64::MAX, f64::min),
    },
    Quantity {
        name: "highest point",
        unit: "m",
        meaning: "height of the highest particle",
        of: |world, scope| heights(world, scope).fold(f64::MIN, f64::max),
    },
    Quantity {
        name: "x",
        unit: "m",
        meaning: "mean position along x",
        of: |world, scope| f64::from(middle(world, &scope.particles).x),
    },
    Quantity {
        name: "y",
        unit: "m",
        meaning: "mean height",
        of: |world, scope| f64::from(middle(world, &scope.particles).y),
    },
    Quantity {
        name: "z",
        unit: "m",
        meaning: "mean position along z",
        of: |world, scope| f64::from(middle(world, &scope.particles).z),
    },
    Quantity {
        name: "moved",
        unit: "m",
        meaning: "distance of the mean position from where it was at first",
        of: |world, scope| f64::from(middle(world, &scope.particles).distance(scope.middle)),
    },
    Quantity {
        name: "speed",
        unit: "m/s",
        meaning: "of the mean position",
        of: |world, scope| {
            let count = scope.particles.len().max(1) as f32;
            f64::from((velocities(world, scope).sum::<Vec3>() / count).length())
        },
    },
    Quantity {
        name: "fastest particle",
        unit: "m/s",
        meaning: "the largest speed",
        of: |world, scope| {
            velocities(world, scope).map(|v| f64::from(v.length())).fold(0.0, f64::max)
        },
    },
    Quantity {
        name: "volume",
        unit: "m³",
        meaning: "what the surfaces of the bodies enclose; skins, where bodies have them",
        of: |world, scope| enclosed(world, &scope.bodies),
    },
    Quantity {
        name: "volume ratio",
        unit: "",
        meaning: "volume over what it was at first",
        of: |world, scope| enclosed(world, &scope.bodies) / scope.volume,
    },
    Quantity {
        name: "deepest penetration",
        unit: "m",
        meaning: "how far a particle is inside of a collider, at most",
        of: deepest,
    },
    Quantity {
        name: "stretch",
        unit: "",
        meaning: "largest strain of a link between these particles",
        of: stretch,
    },
    Quantity {
        name: "inverted tetrahedra",
        unit: "",
        meaning: "how many tetrahedra of the scene are inside out",
        of: |world, _| inverted(world) as f64,
    },
    Quantity {
        name: "pierced",
        unit: "m",
        meaning: "how far a collider comes through triangles of the scene, between their corners",
        of: |world, _| penetration::pierced(world),
    },
    Quantity {
        name: "contacts",
        unit: "",
        meaning: "pairs of bodies' parts that touch, in the scene",
        of: |world, _| world.contact_report().contacts as f64,
    },
    Quantity {
        name: "overlap",
        unit: "",
        meaning: "how much too near two parts of bodies are, at most, over the distance to keep",
        of: |world, _| f64::from(world.contact_report().deepest_share),
    },
];

/// Everything that probes and checks can measure: name, unit and meaning.
pub fn quantities() -> Vec<(&'static str, &'static str, &'static str)> {
    let of_bodies = ALL.iter().map(|of| (of.name, of.unit, of.meaning));
    let of_worlds = measure::ALL.iter().map(|of| (of.name, of.unit, "of the whole world"));
    of_bodies.chain(of_worlds).collect()
}

/// Every name that `what` takes.
fn names() -> Vec<&'static str> {
    quantities().iter().map(|quantity| quantity.0).collect()
}

const WHAT: Key = Key {
    name: "what",
    form: Form::Word(names),
    without: Without::Refused,
    meaning: "what is measured",
};

const BODY: Key = Key {
    name: "body",
    form: Form::Text,
    without: Without::Else("all bodies"),
    meaning: "whose, by id; energies, momenta and the like are always of the whole world",
};

/// `[[probe]]`.
pub(super) static PROBE: Table = Table {
    name: "[[probe]]",
    meaning: "a number that is written down after every frame",
    keys: &[&[
        Key {
            name: "name",
            form: Form::Text,
            without: Without::Else("the body and what is measured"),
            meaning: "its name in tables",
        },
        WHAT,
        BODY,
        SOME_PARTICLES,
    ]],
    settings: None,
    kinds: None,
};

/// `[[check]]`.
pub(super) static CHECK: Table = Table {
    name: "[[check]]",
    meaning: "what must hold after some time; `pliant run` and `pliant check` say what does not",
    keys: &[&[
        Key {
            name: "after",
            form: Form::Number(units::TIME, 0.0, 1e6),
            without: Without::Else("at the end"),
            meaning: "when",
        },
        WHAT,
        BODY,
        SOME_PARTICLES,
        Key {
            name: "min",
            form: Form::Number(units::ONE, -HUGE, HUGE),
            without: Without::Else("no limit"),
            meaning: "the least that it may be, in SI units",
        },
        Key {
            name: "max",
            form: Form::Number(units::ONE, -HUGE, HUGE),
            without: Without::Else("no limit"),
            meaning: "the most that it may be, in SI units",
        },
        Key {
            name: "why",
            form: Form::Text,
            without: Without::Else("nothing is said"),
            meaning: "where the numbers come from",
        },
    ]],
    settings: None,
    kinds: None,
};

/// Something to measure.
#[derive(Clone)]
pub(super) struct Gauge {
    what: What,
    scope: Scope,
}

#[derive(Clone, Copy)]
enum What {
    Of(&'static Quantity),
    World(&'static Measure),
}

impl Gauge {
    pub(super) fn read(
        fields: &Fields<'_>,
        cast: &Cast,
        world: &World,
    ) -> Result<Self, SceneError> {
        let name = fields.word("what");
        let of_world = || measure::ALL.iter().find(|measure| measure.name == name);
        let what = match ALL.iter().find(|quantity| quantity.name == name) {
            Some(quantity) => What::Of(quantity),
            None => What::World(of_world().ok_or_else(|| fields.error("what", "no such number"))?),
        };
        let (bodies, particles) = if fields.written("body").is_some() {
            cast.particles(fields)?
        } else if fields.written("particles").is_some() {
            return Err(fields.error("particles", "particles of which body? add body"));
        } else {
            let all = (0..world.particles.len() as u32).collect();
            (world.bodies().map(|(id, _)| id).collect(), all)
        };
        let (middle, volume) = (middle(world, &particles), enclosed(world, &bodies));
        Ok(Self { what, scope: Scope { particles, bodies, middle, volume } })
    }

    pub(super) fn measure(&self, world: &World) -> f64 {
        match self.what {
            What::Of(quantity) => {
                // Cuts give particles other indices; those that they make do not count.
                let mut particles = world.particles.find(&self.scope.particles);
                particles.sort_unstable();
                (quantity.of)(world, &Scope { particles, ..self.scope.clone() })
            }
            What::World(measure) => (measure.of)(world),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self.what {
            What::Of(quantity) => quantity.name,
            What::World(measure) => measure.name,
        }
    }

    pub(super) fn unit(&self) -> &'static str {
        match self.what {
            What::Of(quantity) => quantity.unit,
            What::World(measure) => measure.unit,
        }
    }
}

fn heights<'a>(world: &'a World, scope: &'a Scope) -> impl Iterator<Item = f64> + 'a {
    scope.particles.iter().map(|&i| f64::from(world.particles.position(i as usize).y))
}

fn velocities<'a>(world: &'a World, scope: &'a Scope) -> impl Iterator<Item = Vec3> + 'a {
    scope.particles.iter().map(|&i| world.particles.velocity(i as usize))
}

fn middle(world: &World, particles: &[u32]) -> Vec3 {
    let sum: Vec3 = particles.iter().map(|&i| world.particles.position(i as usize)).sum();
    sum / particles.len().max(1) as f32
}

fn enclosed(world: &World, bodies: &[BodyId]) -> f64 {
    let known = bodies.iter().filter_map(|&id| world.body(id).ok());
    known
        .map(|body| match &body.skin {
            Some(skin) => skin.surface(&world.particles.xw[body.range()]).volume(),
            None => {
                let range = body.triangles.start as usize..body.triangles.end as usize;
                volume::enclosed(world, &world.triangles()[range])
            }
        })
        .sum()
}

fn deepest(world: &World, scope: &Scope) -> f64 {
    let depth = |i: usize| {
        let x = world.particles.position(i);
        let nearest = world.colliders.iter().map(|collider| collider.signed_distance(x).0);
        world.particles.radius[i] - nearest.fold(f32::MAX, f32::min)
    };
    let free = scope.particles.iter().map(|&i| i as usize).filter(|&i| !world.particles.pinned[i]);
    f64::from(free.map(depth).fold(0.0, f32::max))
}

fn stretch(world: &World, scope: &Scope) -> f64 {
    let Some(links) = world.constraints_of(&constraint::distance::KIND) else { return 0.0 };
    let inside = |i: &u32| scope.particles.binary_search(i).is_ok();
    let strain = |number: usize| {
        let ends = links.particles(number);
        let rest = f64::from(links.rest(number).next()?);
        let x = |end: u32| world.particles.position(end as usize).as_dvec3();
        let counts = rest > 0.0 && ends.iter().all(inside);
        counts.then(|| x(ends[0]).distance(x(ends[1])) / rest - 1.0)
    };
    (0..links.len()).filter_map(strain).fold(0.0, f64::max)
}

fn inverted(world: &World) -> usize {
    let kinds = [&constraint::volume::KIND, &constraint::neo_hookean::KIND];
    let sets = kinds.iter().filter_map(|kind| world.constraints_of(kind));
    // Tetrahedra with both kinds count once.
    let Some(set) = sets.max_by_key(|set| set.len()) else { return 0 };
    let volume = |tet: &[u32]| {
        let x = |k: usize| world.particles.position(tet[k] as usize);
        (x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0))
    };
    (0..set.len()).filter(|&number| volume(set.particles(number)) <= 0.0).count()
}
