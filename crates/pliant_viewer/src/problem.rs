//! What is wrong with a world, where, and what to change. One more is one file here and one line in
//! `ALL`.

pub(crate) mod crowd;
mod inverted;
mod quarantine;
mod stiffness;
mod thickness;

use pliant::World;
use pliant::glam::Vec3;

use crate::command::Wants;

/// Places that are shown of one problem at most.
pub(crate) const MOST_PLACES: usize = 200;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What, in one sentence with numbers.
    pub what: String,
    /// What to change.
    pub remedy: String,
    /// Where (m); not all of them if there are many.
    pub places: Vec<Vec3>,
    /// The body that can be let go again, by name.
    pub body: Option<String>,
}

/// A kind of problem.
pub(crate) struct Check {
    /// Its name, for people.
    pub(crate) name: &'static str,
    /// Finds all of it.
    pub(crate) find: fn(&World) -> Vec<Problem>,
    /// Whether it is so quick that it is always looked for.
    pub(crate) quick: bool,
}

/// Every kind of problem, the worst first.
pub(crate) const ALL: &[Check] =
    &[quarantine::CHECK, inverted::CHECK, crowd::CHECK, thickness::CHECK, stiffness::CHECK];

/// All that is wrong, of what is wanted.
pub(crate) fn find(world: &World, wants: Wants) -> Vec<Problem> {
    let checks = ALL.iter().filter(|check| check.quick || wants.problems);
    checks.flat_map(|check| (check.find)(world)).collect()
}

/// The names of what is looked for.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|check| check.name)
}
