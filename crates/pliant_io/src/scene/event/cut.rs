//! A blade passes through the scene.

use pliant::Blade;

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, Table, Without};
use super::super::units;
use super::{Action, EventKind, SceneError};

pub(super) const KIND: &EventKind = &EventKind {
    table: &Table {
        name: "cut",
        meaning: "cuts every body that a blade passes through: a plane, a disc, or what an edge \
                  sweeps over",
        keys: &[&[
            Key {
                name: "point",
                form: Form::Numbers(3, units::LENGTH, -FAR, FAR),
                without: Without::Else("`stroke` and `edge` are given"),
                meaning: "a point of the plane, or the middle of the disc",
            },
            Key {
                name: "normal",
                form: Form::Numbers(3, units::ONE, -FAR, FAR),
                without: Without::Else("`stroke` and `edge` are given"),
                meaning: "the direction across the plane or disc",
            },
            Key {
                name: "radius",
                form: Form::Number(units::LENGTH, 0.0, FAR),
                without: Without::Else("a plane without end"),
                meaning: "of the disc",
            },
            Key {
                name: "stroke",
                form: Form::Points,
                without: Without::Else("`point` and `normal` are given"),
                meaning: "the way of one end of an edge that sweeps through the scene",
            },
            Key {
                name: "edge",
                form: Form::Numbers(3, units::LENGTH, -FAR, FAR),
                without: Without::Else("`point` and `normal` are given"),
                meaning: "from there to the other end of the edge",
            },
        ]],
        settings: None,
        kinds: None,
    },
    read: |fields: &Fields<'_>, _| {
        let blade = blade(fields)?;
        // A cut fails only if there are more particles than can be counted; then nothing is cut.
        Ok(Action::Change(Box::new(move |world| drop(world.cut(&blade)))))
    },
};

fn blade(fields: &Fields<'_>) -> Result<Blade, SceneError> {
    let given = |name: &str| fields.written(name).is_some();
    let blade = match ["point", "normal", "stroke", "edge"].map(given) {
        [true, true, false, false] => {
            let (point, normal) = (fields.vector("point"), fields.vector("normal"));
            match fields.maybe("radius") {
                Some(radius) => Blade::disc(point, normal, radius),
                None => Blade::plane(point, normal),
            }
        }
        [false, false, true, true] if !given("radius") => {
            let edge = fields.vector("edge");
            let edges: Vec<_> = fields.points("stroke").iter().map(|&x| [x, x + edge]).collect();
            Blade::sweep(&edges)
        }
        _ => {
            let message = "a cut has either `point` and `normal`, with `radius` or without, or \
                           `stroke` and `edge`";
            return Err(fields.error("kind", message));
        }
    };
    blade.map_err(|error| fields.error("kind", error.to_string()))
}
