//! Where a world is simulated: on the CPU, or on a GPU that was asked for and found.

use std::error::Error;
use std::time::Duration;

use pliant::step::Stage;
use pliant::{Backend, World};

/// A GPU that takes the steps of a world.
#[cfg(feature = "gpu")]
pub(crate) struct Elsewhere(pliant_gpu::GpuWorld);

/// This program was built without.
#[cfg(not(feature = "gpu"))]
pub(crate) struct Elsewhere(std::convert::Infallible);

#[cfg(not(feature = "gpu"))]
const WITHOUT: &str = "this program was built without the feature `gpu`";

/// Particles from which a GPU is worth it: a dispatch takes a few microseconds whatever its size.
#[cfg(feature = "gpu")]
const WORTH_A_GPU: usize = 10_000;

/// What the setting `backend` comes to, and says so. `None` is the CPU.
pub(crate) fn choose(world: &mut World) -> Result<Option<Elsewhere>, Box<dyn Error>> {
    let wanted = world.config.backend;
    if wanted == Backend::Cpu {
        return Ok(None);
    }
    match (find(world, wanted), wanted) {
        (Ok(elsewhere), _) => {
            eprintln!("on {}", elsewhere.name());
            if world.config.tolerance > 0.0 {
                eprintln!("a tolerance ends no substep early there: all iterations are done");
            }
            Ok(Some(elsewhere))
        }
        (Err(why), Backend::Auto) => {
            eprintln!("on the CPU: {why}");
            Ok(None)
        }
        (Err(why), _) => Err(format!("{why} (--set backend=cpu always works)").into()),
    }
}

#[cfg(feature = "gpu")]
fn find(world: &mut World, wanted: Backend) -> Result<Elsewhere, Box<dyn Error>> {
    let count = world.particles.len();
    if wanted == Backend::Auto && count < WORTH_A_GPU {
        return Err(format!("{count} particles are too few to gain by a GPU").into());
    }
    let gpu = pliant_gpu::Gpu::find(&pliant_gpu::Choice::default())?;
    if wanted == Backend::Auto && gpu.is_software() {
        return Err(format!("{} is software itself", gpu.name()).into());
    }
    Ok(Elsewhere(pliant_gpu::GpuWorld::new(&gpu, world)?))
}

#[cfg(not(feature = "gpu"))]
fn find(_: &mut World, _: Backend) -> Result<Elsewhere, Box<dyn Error>> {
    Err(WITHOUT.into())
}

/// What a GPU is called here, or why there is none.
#[cfg(feature = "gpu")]
pub(crate) fn gpu() -> Result<String, String> {
    let gpu = pliant_gpu::Gpu::find(&pliant_gpu::Choice::default()).map_err(|e| e.to_string())?;
    let kind = if gpu.is_software() { ", which is software: right, but slow" } else { "" };
    Ok(format!("{}{kind}", gpu.name()))
}

#[cfg(not(feature = "gpu"))]
pub(crate) fn gpu() -> Result<String, String> {
    Err(WITHOUT.into())
}

#[cfg(feature = "gpu")]
impl Elsewhere {
    fn name(&self) -> &str {
        self.0.gpu().name()
    }

    /// Takes a step of `dt` seconds; the GPU may still be at work.
    pub(crate) fn step(&mut self, dt: f32) -> Result<(), Box<dyn Error>> {
        Ok(self.0.step(dt)?)
    }

    /// Waits until the GPU has done what it was asked.
    pub(crate) fn wait(&self) -> Result<(), Box<dyn Error>> {
        Ok(self.0.wait()?)
    }

    /// Takes a step and says how long each stage took, by the GPU's clock: all of them as one where it has none. The
    /// same result, but later: stages are apart then, and waited for.
    pub(crate) fn step_timed(&mut self, dt: f32) -> Result<Vec<(Stage, Duration)>, Box<dyn Error>> {
        match self.0.step_timed(dt) {
            Err(pliant_gpu::GpuError::NoTimestamps { .. }) => {
                let began = std::time::Instant::now();
                self.step(dt)?;
                self.wait()?;
                Ok(vec![(Stage::Project, began.elapsed())])
            }
            other => Ok(other?),
        }
    }

    /// Another world on the same GPU.
    pub(crate) fn beside(&self, world: &mut World) -> Result<Self, Box<dyn Error>> {
        Ok(Self(pliant_gpu::GpuWorld::new(self.0.gpu(), world)?))
    }

    /// Lets the GPU work until its clock is where it stays.
    pub(crate) fn warm_up(&mut self, dt: f32) -> Result<(), Box<dyn Error>> {
        Ok(self.0.warm_up(dt)?)
    }

    /// Brings the state into `world`.
    pub(crate) fn read_into(&mut self, world: &mut World) -> Result<(), Box<dyn Error>> {
        Ok(self.0.read_into(world)?)
    }

    /// Takes over what was changed in `world`.
    pub(crate) fn push(&mut self, world: &mut World) -> Result<(), Box<dyn Error>> {
        Ok(self.0.push(world)?)
    }
}

#[cfg(not(feature = "gpu"))]
impl Elsewhere {
    fn name(&self) -> &str {
        match self.0 {}
    }

    pub(crate) fn step(&mut self, _: f32) -> Result<(), Box<dyn Error>> {
        match self.0 {}
    }

    pub(crate) fn wait(&self) -> Result<(), Box<dyn Error>> {
        match self.0 {}
    }

    pub(crate) fn step_timed(&mut self, _: f32) -> Result<Vec<(Stage, Duration)>, Box<dyn Error>> {
        match self.0 {}
    }

    pub(crate) fn beside(&self, _: &mut World) -> Result<Self, Box<dyn Error>> {
        match self.0 {}
    }

    pub(crate) fn warm_up(&mut self, _: f32) -> Result<(), Box<dyn Error>> {
        match self.0 {}
    }

    pub(crate) fn read_into(&mut self, _: &mut World) -> Result<(), Box<dyn Error>> {
        match self.0 {}
    }

    pub(crate) fn push(&mut self, _: &mut World) -> Result<(), Box<dyn Error>> {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::scenes::Scene;

    #[test]
    fn what_only_the_cpu_can_do_falls_back_or_is_refused() {
        let mut world = (Scene::find("linked").unwrap().build)(4).unwrap();
        assert!(choose(&mut world).unwrap().is_none());
        world.config.backend = Backend::Auto;
        assert!(choose(&mut world).unwrap().is_none());
        world.config.backend = Backend::Gpu;
        let refused = choose(&mut world).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("backend=cpu"), "{refused}");
    }
}
