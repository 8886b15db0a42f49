//! Takes the steps of laws, so that a GPU is held to them as the CPU is.

use std::sync::Arc;

use pliant::laws::Stepper;
use pliant::{Solver, World};

use crate::{Gpu, GpuError, GpuWorld};

/// Takes the steps of whatever world it is given on the GPU, for [`pliant::laws::Law::run_with`].
/// Laws that ask for constraints in order get them by colour.
pub fn stepper(gpu: &Arc<Gpu>) -> Stepper {
    let gpu = Arc::clone(gpu);
    let mut there: Option<GpuWorld> = None;
    Box::new(move |world: &mut World, dt: f32| {
        let wanted = world.config.solver;
        world.config.solver = Solver::Colored;
        let mut take = || {
            match &mut there {
                Some(there) => there.push(world)?,
                None => there = Some(GpuWorld::new(&gpu, world)?),
            }
            let Some(there) = &mut there else { return Ok(()) };
            there.step(dt)?;
            there.read_into(world)
        };
        let taken = take().map_err(|error: GpuError| error.to_string());
        world.config.solver = wanted;
        taken
    })
}
