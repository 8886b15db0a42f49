//! W4: 64 soft cubes fall on each other, with contact between bodies.

use crate::{Workload, frames};

pub(crate) const WORKLOAD: &Workload = &Workload {
    name: "pile",
    shows: "W4: 64 soft cubes fall on each other, with contact between bodies",
    run: || frames::run("W4", 120),
};
