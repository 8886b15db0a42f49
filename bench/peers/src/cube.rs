//! W3: a cube of 34 295 tetrahedra falls on a floor.

use crate::{Workload, frames};

pub(crate) const WORKLOAD: &Workload = &Workload {
    name: "cube",
    shows: "W3: a cube of 34 295 tetrahedra falls on a floor",
    run: || frames::run("W3", 60),
};
