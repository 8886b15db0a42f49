//! `[wind]`: air that moves, evenly or in gusts.

use pliant::force::wind::Wind;
use pliant::glam::Vec3;
use pliant::{Force, World};

use super::cast::Cast;
use super::error::{SceneError, did_you_mean};
use super::fields::Fields;
use super::keys::{FAR, Form, Key, Table, Without};
use super::units;

/// `[wind]`.
pub(super) static TABLE: Table = Table {
    name: "[wind]",
    meaning: "air that moves; with a velocity of 0 it is what slows a falling cloth down",
    keys: &[&[
        Key {
            name: "velocity",
            form: Form::Numbers(3, units::SPEED, -FAR, FAR),
            without: Without::Is("[0, 0, 0]"),
            meaning: "how the air moves",
        },
        Key {
            name: "gust",
            form: Form::Number(units::ONE, 0.0, 10.0),
            without: Without::Is("0"),
            meaning: "part of the velocity that comes and goes; 0.3 is between 70 % and 130 %",
        },
        Key {
            name: "period",
            form: Form::Number(units::TIME, 1e-3, 1e6),
            without: Without::Is("2"),
            meaning: "time from gust to gust",
        },
        Key {
            name: "density",
            form: Form::Number(units::DENSITY, 0.0, 1e4),
            without: Without::Is("1.2"),
            meaning: "density of the air",
        },
        Key {
            name: "drag",
            form: Form::Number(units::ONE, 0.0, 100.0),
            without: Without::Is("1.2"),
            meaning: "drag coefficient; about 1.2 for a flat plate across the wind",
        },
        Key {
            name: "lift",
            form: Form::Number(units::ONE, 0.0, 100.0),
            without: Without::Is("0.6"),
            meaning: "lift coefficient",
        },
        Key {
            name: "bodies",
            form: Form::Texts,
            without: Without::Else("all"),
            meaning: "ids of the bodies that feel it",
        },
    ]],
    settings: None,
    kinds: None,
};

/// Wind over time.
#[derive(Debug)]
pub(super) struct Weather {
    wind: Wind,
    gust: f32,
    period: f64,
    /// From which frame on the air moves how (m/s), in the order of time.
    pub(super) changes: Vec<(u64, Vec3)>,
    /// Which forces of the world it is.
    forces: std::ops::Range<usize>,
}

impl Weather {
    /// Adds the wind to the world.
    pub(super) fn read(
        fields: &Fields<'_>,
        cast: &Cast,
        world: &mut World,
    ) -> Result<Self, SceneError> {
        let velocity = fields.vector("velocity");
        let (density, drag, lift) =
            (fields.number("density"), fields.number("drag"), fields.number("lift"));
        let wind = Wind { velocity, density, drag, lift };
        let first = world.forces.len();
        let only = fields.texts("bodies");
        if only.is_empty() {
            world.forces.push(wind.into());
        }
        let unknown = only.iter().find(|id| !cast.has(id));
        if let Some(id) = unknown {
            let names: Vec<String> = world.bodies().map(|(_, body)| body.name.clone()).collect();
            let near = did_you_mean(id, names.iter().map(String::as_str));
            return Err(fields.error("bodies", format!("no body has the id {id:?}{near}")));
        }
        let blown: Vec<Force> = world
            .bodies()
            .filter(|(_, body)| only.contains(&body.name))
            .map(|(_, body)| wind.on(body))
            .collect();
        world.forces.extend(blown);
        let (gust, period) = (fields.number("gust"), fields.precise("period"));
        let forces = first..world.forces.len();
        Ok(Self { wind, gust, period, changes: vec![(0, velocity)], forces })
    }

    /// Blows as at that frame and time (s).
    pub(super) fn blow(&self, world: &mut World, frame: u64, time: f64) {
        let now = self.changes.iter().rev().find(|change| change.0 <= frame);
        let velocity = now.map_or(self.wind.velocity, |change| change.1);
        let turn = std::f64::consts::TAU * (time / self.period).fract();
        let velocity = velocity * (1.0 + self.gust * libm::sin(turn) as f32);
        let blowing = Force::from(Wind { velocity, ..self.wind });
        for force in &mut world.forces[self.forces.clone()] {
            force.params.clone_from(&blowing.params);
        }
    }
}
