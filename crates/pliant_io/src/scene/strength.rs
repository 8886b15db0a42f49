//! `strength` and `folds` of a body: when it breaks, and what it keeps of being bent.

use pliant::tear::Strength;

use super::fields::Fields;
use super::keys::{Form, HUGE, Key, Table, Without};
use super::units;

/// A number of a strength, without which it has no limit.
const fn limit(name: &'static str, unit: units::Dimension, meaning: &'static str) -> Key {
    let without = Without::Else("no limit");
    Key { name, form: Form::Number(unit, 0.0, HUGE), without, meaning }
}

/// `strength`.
pub(super) static TABLE: Table = Table {
    name: "a strength",
    meaning: "when something breaks, and what it keeps of being bent",
    keys: &[&[
        limit("break_strain", units::ONE, "it breaks when stretched by more, over its length"),
        limit(
            "break_force",
            units::FORCE,
            "it breaks when pulled by more: of a link, or of a cube of a tetrahedron's volume",
        ),
        limit(
            "yield_strain",
            units::ONE,
            "strain up to which it springs back whole; of folds in rad; without it, always",
        ),
        Key {
            name: "creep",
            form: Form::Number(units::FREQUENCY, 0.0, HUGE),
            without: Without::Else("at once"),
            meaning: "rate at which what is beyond that becomes its shape",
        },
        limit("most_plastic", units::ONE, "the most strain that becomes its shape"),
        Key {
            name: "hardening",
            form: Form::Number(units::ONE, 0.0, HUGE),
            without: Without::Is("0"),
            meaning: "how much harder it yields for every strain that it has kept",
        },
    ]],
    settings: None,
    kinds: None,
};

/// Reads one.
pub(super) fn read(fields: &Fields<'_>) -> Strength {
    let limit = |name: &str| fields.maybe(name).unwrap_or(f32::INFINITY);
    Strength {
        break_strain: limit("break_strain"),
        break_force: limit("break_force"),
        yield_strain: limit("yield_strain"),
        creep: limit("creep"),
        most_plastic: limit("most_plastic"),
        hardening: fields.number("hardening"),
    }
}
