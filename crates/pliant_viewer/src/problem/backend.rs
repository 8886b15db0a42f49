//! A world that asks for a GPU is simulated on the CPU here.

use pliant::{Backend, World};

use super::{Check, Problem};

pub(super) const CHECK: Check = Check { name: "backend", find, quick: true };

fn find(world: &World) -> Vec<Problem> {
    if world.config.backend != Backend::Gpu {
        return Vec::new();
    }
    vec![Problem {
        what: "the scene asks for a GPU, and the window simulates on the CPU".into(),
        remedy: "`pliant run SCENE --set backend=gpu` runs it there".into(),
        places: Vec::new(),
        body: None,
    }]
}
