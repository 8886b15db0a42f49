//! W1: a cloth of 100 x 100 particles hangs from two corners.

use crate::{Workload, frames};

pub(crate) const WORKLOAD: &Workload = &Workload {
    name: "cloth",
    shows: "W1: a cloth of 100 x 100 particles hangs from two corners",
    run: || frames::run("W1", 60),
};
