//! Who takes the steps: the CPU, or a GPU that was asked for and can.

use pliant::{Backend, World};

use super::stopwatch::{Clock, Stages};

/// Who takes the steps.
#[derive(Default)]
pub(crate) struct Backing {
    gpu: Option<elsewhere::Elsewhere>,
    /// What was asked for when a GPU was last looked for, and of which topology.
    tried: Option<(Backend, u64)>,
    /// Why it is the CPU although something else was asked for.
    pub(crate) why: Option<Why>,
}

/// Why something is not done on a GPU.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Why {
    /// For people.
    pub(crate) text: String,
    /// Whether it had no room for all that touches.
    pub(crate) lacks_room: bool,
}

impl From<String> for Why {
    fn from(text: String) -> Self {
        Self { text, lacks_room: false }
    }
}

impl Backing {
    /// Looks for what the world asks for, if that has changed.
    pub(crate) fn choose(&mut self, world: &mut World, topology: u64) {
        let wanted = world.config.backend;
        if wanted == Backend::Cpu {
            *self = Self::default();
        } else if self.tried != Some((wanted, topology)) {
            self.tried = Some((wanted, topology));
            (self.gpu, self.why) = match elsewhere::find(world) {
                Ok(gpu) => (Some(gpu), None),
                Err(text) => (None, Some(Why::from(text))),
            };
        }
    }

    /// Takes a step of `dt` (s) on the GPU. `None` if there is none, or no longer: the world is as it
    /// was then.
    pub(crate) fn step(&mut self, world: &mut World, dt: f32, clock: Clock) -> Option<Stages> {
        let stepped = self.gpu.as_mut()?.step(world, dt, clock);
        stepped.map_err(|why| (self.gpu, self.why) = (None, Some(why))).ok()
    }

    /// Whether it is a GPU.
    pub(crate) fn is_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Steps that were taken again for want of room for contacts, since the GPU was found.
    pub(crate) fn taken_again(&self) -> u64 {
        self.gpu.as_ref().map_or(0, |gpu| gpu.taken_again())
    }

    /// Who it is, for people.
    pub(crate) fn name(&self) -> String {
        self.gpu.as_ref().map_or_else(|| "the CPU".into(), |gpu| gpu.name())
    }
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
mod elsewhere {
    use pliant::step::Stage;
    use pliant::{Backend, World};
    use pliant_gpu::{Choice, Gpu, GpuError, GpuWorld};

    use super::Why;
    use crate::session::stopwatch::{Clock, Stages};

    /// Buffers that grow with what touches, as [`GpuError`] names them.
    const OF_CONTACT: &[&str] =
        &["pairs that may touch", "contacts between bodies", "the grid of the search"];

    /// How long the GPU is kept from drawing at once (s).
    const SLICE: f64 = 0.004;

    /// Particles from which a GPU is worth it: a dispatch takes a few microseconds whatever its size.
    const WORTH_A_GPU: usize = 10_000;

    /// A GPU with a copy of the world.
    pub(super) struct Elsewhere {
        world: GpuWorld,
        /// Parts of a step that are done at once.
        parts: usize,
    }

    pub(super) fn find(world: &mut World) -> Result<Elsewhere, String> {
        let (count, wanted) = (world.particles.len(), world.config.backend);
        if wanted == Backend::Auto && count < WORTH_A_GPU {
            return Err(format!("{count} particles are too few to gain by a GPU"));
        }
        let gpu = Gpu::find(&Choice::default()).map_err(|e| e.to_string())?;
        if wanted == Backend::Auto && gpu.is_software() {
            return Err(format!("{} is software itself", gpu.name()));
        }
        let world = GpuWorld::new(&gpu, world).map_err(|e| e.to_string())?;
        Ok(Elsewhere { world, parts: 1 })
    }

    impl Elsewhere {
        pub(super) fn name(&self) -> String {
            self.world.gpu().name().to_owned()
        }

        pub(super) fn step(
            &mut self,
            world: &mut World,
            dt: f32,
            clock: Clock,
        ) -> Result<Stages, Why> {
            let began = clock();
            let parts = self.parts;
            let stepped = self
                .world
                .push(world)
                .and_then(|()| self.world.step_in_slices(dt, parts))
                .and_then(|slices| self.world.read_into(world).map(|()| slices));
            let slices = stepped.map_err(|error| why(&error))?;
            let spent = clock() - began;
            // As many parts as fit a slice, by what they took this time.
            let fits = parts as f64 * SLICE * slices as f64 / spent.max(1e-6);
            self.parts = fits.clamp(1.0, 4.0 * parts as f64) as usize;
            let mut stages = Stages::default();
            let project = Stage::ALL.iter().position(|stage| *stage == Stage::Project);
            stages[project.unwrap_or(0)] = spent;
            Ok(stages)
        }

        pub(super) fn taken_again(&self) -> u64 {
            self.world.steps_taken_again()
        }
    }

    pub(super) fn why(error: &GpuError) -> Why {
        let lacks_room = match error {
            GpuError::TooLarge { what, .. } | GpuError::OutOfMemory { what, .. } => {
                OF_CONTACT.contains(what)
            }
            _ => false,
        };
        Why { text: error.to_string(), lacks_room }
    }
}

#[cfg(not(all(feature = "gpu", not(target_arch = "wasm32"))))]
mod elsewhere {
    use pliant::World;

    use super::Why;
    use crate::session::stopwatch::{Clock, Stages};

    /// This program was built without.
    pub(super) enum Elsewhere {}

    pub(super) fn find(_: &mut World) -> Result<Elsewhere, String> {
        let web = cfg!(target_arch = "wasm32");
        let why = if web { "a page of the web" } else { "built without the feature `gpu`" };
        Err(format!("this program is {why}"))
    }

    impl Elsewhere {
        pub(super) fn name(&self) -> String {
            match *self {}
        }

        pub(super) fn step(&mut self, _: &mut World, _: f32, _: Clock) -> Result<Stages, Why> {
            match *self {}
        }

        pub(super) fn taken_again(&self) -> u64 {
            match *self {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::command::Command;
    use crate::session::{Session, Source};
    use pliant::settings::Value;

    fn session(scene: &str, backend: &'static str) -> Session {
        let mut session = Session::new(|| 0.0);
        session.apply(Command::Load(Source::Quick(scene.into())));
        session.apply(Command::Set { name: "backend", value: Value::Choice(backend) });
        session
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn a_gpu_without_room_for_contacts_is_told_from_one_that_lacks_something_else() {
        use pliant_gpu::GpuError;
        let large = |what| GpuError::TooLarge { what, needed: 1 << 40, limit: 1 << 30 };
        let lacks = |what| super::elsewhere::why(&large(what)).lacks_room;
        assert_eq!([lacks("pairs that may touch"), lacks("positions")], [true, false]);
    }

    #[test]
    fn what_a_gpu_cannot_do_goes_on_on_the_cpu_and_says_why() {
        let mut session = session("linked", "gpu");
        (0..3).for_each(|_| session.step());
        let frame = session.frame();
        assert_eq!((frame.step, frame.runs_on.as_str()), (3, "the CPU"));
        let problem = &frame.problems[0];
        assert!(problem.what.contains("on the CPU"), "{}", problem.what);
        session.apply(Command::Set { name: "backend", value: Value::Choice("cpu") });
        session.step();
        assert_eq!(session.frame().problems, []);
    }

    #[test]
    fn a_cloth_swings_on_a_gpu_as_on_the_cpu_and_can_be_pulled_there() {
        let [mut here, mut there] = ["cpu", "gpu"].map(|backend| session("hanging-cloth", backend));
        there.step();
        here.step();
        if there.frame().runs_on == "the CPU" {
            println!("no steps on a GPU: {:?}", there.frame().problems);
            return;
        }
        for session in [&mut here, &mut there] {
            let at = session.world().particles.position(200);
            session.apply(Command::Grab { particles: vec![200], at });
            session.apply(Command::Drag { to: at + pliant::glam::Vec3::Z * 0.3 });
            (0..20).for_each(|_| session.step());
        }
        let (past, last) = (there.world().particles.xw.clone(), there.frame().step);
        (0..5).for_each(|_| there.step());
        there.apply(Command::Seek(last));
        assert_eq!(there.frame().step, last);
        assert!(there.world().particles.xw == past, "the past of a GPU is another one");
        there.step();
        let rest = here.frame().plan.rest[200].truncate();
        assert_ne!(there.frame().runs_on, "the CPU");
        let (a, b) = (&here.world().particles.xw, &past);
        let apart = a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(apart < 1e-3, "{apart} m");
        let moved = a[200].truncate().distance(rest);
        assert!(moved > 0.1, "{moved} m");
    }
}
