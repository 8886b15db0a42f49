//! Who takes the steps: the CPU, or a GPU that was asked for and can.

use std::sync::Arc;

use pliant::{Backend, World};

use super::stopwatch::{Clock, Stages};
use crate::loan::Loan;
use crate::pose::Pose;

/// Who takes the steps. Where that is the GPU that the window draws with, the world may be left behind: it
/// is drawn from there, and read when somebody has to do with it, and now and then.
#[derive(Default)]
pub(crate) struct Backing {
    gpu: Option<elsewhere::Elsewhere>,
    /// What was asked for when a GPU was last looked for, and of which topology.
    tried: Option<(Backend, u64)>,
    /// Why it is the CPU although something else was asked for.
    pub(crate) why: Option<Why>,
}

/// What becomes of the world after a step on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It is read.
    Read,
    /// It is left behind, and drawn from there.
    Leave,
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
    pub(crate) fn choose(&mut self, world: &mut World, topology: u64, loan: Option<&Loan>) {
        let wanted = world.config.backend;
        if wanted == Backend::Cpu {
            *self = Self::default();
        } else if self.tried != Some((wanted, topology)) {
            if self.pose().is_some() {
                self.settle(world);
            }
            self.tried = Some((wanted, topology));
            (self.gpu, self.why) = match elsewhere::find(world, loan) {
                Ok(gpu) => (Some(gpu), None),
                Err(text) => (None, Some(Why::from(text))),
            };
        }
    }

    /// Takes a step of `dt` (s) on the GPU. `None` if there is none, or no longer: the world is as it
    /// was then.
    pub(crate) fn step(
        &mut self,
        world: &mut World,
        dt: f32,
        (after, clock): (After, Clock),
    ) -> Option<Stages> {
        let stepped = self.gpu.as_mut()?.step(world, dt, (after, clock));
        self.unless_failed(stepped)
    }

    /// Goes on on the CPU if something has failed.
    fn unless_failed<T>(&mut self, done: Result<T, Why>) -> Option<T> {
        done.map_err(|why| (self.gpu, self.why) = (None, Some(why))).ok()
    }

    /// Whether the world may be left behind.
    pub(crate) fn can_leave(&self, world: &World) -> bool {
        self.gpu.as_ref().is_some_and(|gpu| gpu.can_leave(world))
    }

    /// Where particles are on the GPU that draws, if the world was left behind in the last step.
    pub(crate) fn pose(&self) -> Option<Arc<Pose>> {
        self.gpu.as_ref().and_then(|gpu| gpu.pose())
    }

    /// Lets a world that was left behind catch up. Waits for the GPU.
    pub(crate) fn settle(&mut self, world: &mut World) {
        if let Some(gpu) = &mut self.gpu {
            let settled = gpu.settle(world);
            self.unless_failed(settled);
        }
    }

    /// Lets a world that was left behind after so many steps hear of one of the last, if that has
    /// arrived by now (s), and says of which. Does not wait.
    pub(crate) fn glance(&mut self, world: &mut World, step: u64, now: f64) -> Option<u64> {
        let glanced = self.gpu.as_mut()?.glance(world, step, now);
        self.unless_failed(glanced).flatten()
    }

    /// Brings into the world what is known without asking the GPU.
    pub(crate) fn keep_up(&mut self, world: &mut World) {
        if let Some(gpu) = &mut self.gpu {
            gpu.keep_up(world);
        }
    }

    /// How often results have come back from the GPU.
    pub(crate) fn times_read(&self) -> u64 {
        self.gpu.as_ref().map_or(0, |gpu| gpu.times_read())
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
    use std::sync::Arc;

    use pliant::glam::Vec3;
    use pliant::step::Stage;
    use pliant::{Backend, World, mirror};
    use pliant_gpu::{Choice, Gpu, GpuError, GpuWorld, Reading, Slices};

    use super::{After, Why};
    use crate::loan::Loan;
    use crate::pose::{Pose, Poses};
    use crate::session::stopwatch::{Clock, Stages};

    /// How long the GPU is kept from drawing at once (s).
    const SLICE: f64 = 0.004;

    /// Parts of the first step that are done at once, where software plays the GPU: it waits longer for a
    /// picture than it computes.
    const AT_ONCE: usize = 32;

    /// Particles from which a GPU is worth it: a dispatch takes a few microseconds whatever its size.
    const WORTH_A_GPU: usize = 10_000;

    /// Time from one look at a world that is left behind to the next (s): what is picked is as old at
    /// most, and what is plotted too.
    const GLANCE: f64 = 0.05;

    /// A GPU with a copy of the world.
    pub(super) struct Elsewhere {
        world: GpuWorld,
        /// Parts of a step that are done at once.
        parts: usize,
        /// The same, if it is the one that the window draws with.
        loan: Option<Loan>,
        poses: Poses,
        /// Where particles are after the last step, if the world was left behind in it.
        pose: Option<Arc<Pose>>,
        /// Results on their way, and of which step.
        reading: Option<(Reading, u64)>,
        /// When somebody last asked for such (s).
        asked: f64,
    }

    pub(super) fn find(world: &mut World, loan: Option<&Loan>) -> Result<Elsewhere, String> {
        let (count, wanted) = (world.particles.len(), world.config.backend);
        if wanted == Backend::Auto && count < WORTH_A_GPU {
            return Err(format!("{count} particles are too few to gain by a GPU"));
        }
        let gpu = match loan {
            Some(loan) => Arc::clone(&loan.gpu),
            None => Gpu::find(&Choice::default()).map_err(|e| e.to_string())?,
        };
        if wanted == Backend::Auto && gpu.is_software() {
            return Err(format!("{} is software itself", gpu.name()));
        }
        let parts = if gpu.is_software() { AT_ONCE } else { 1 };
        let world = GpuWorld::new(&gpu, world).map_err(|e| e.to_string())?;
        Ok(Elsewhere {
            world,
            parts,
            loan: loan.cloned(),
            poses: Poses::default(),
            pose: None,
            reading: None,
            asked: 0.0,
        })
    }

    impl Elsewhere {
        pub(super) fn name(&self) -> String {
            self.world.gpu().name().to_owned()
        }

        pub(super) fn step(
            &mut self,
            world: &mut World,
            dt: f32,
            (after, clock): (After, Clock),
        ) -> Result<Stages, Why> {
            let began = clock();
            let parts = self.parts;
            let stepped = self
                .world
                .push(world)
                .and_then(|()| self.world.step_in_slices(dt, parts))
                .and_then(|slices| self.end(world, after).map(|()| slices));
            let slices = stepped.map_err(|error| why(&error))?;
            let spent = clock() - began;
            self.parts = fitting(parts, &slices);
            let mut stages = Stages::default();
            let project = Stage::ALL.iter().position(|stage| *stage == Stage::Project);
            stages[project.unwrap_or(0)] = spent;
            Ok(stages)
        }

        fn end(&mut self, world: &mut World, after: After) -> Result<(), GpuError> {
            let Some(loan) = self.loan.as_ref().filter(|_| after == After::Leave) else {
                (self.pose, self.reading) = (None, None);
                return self.world.read_into(world);
            };
            let pose = self.poses.free(loan, world.particles.len());
            self.world.copy_positions(&pose.xw)?;
            self.world.keep_up(world);
            self.pose = Some(pose);
            Ok(())
        }

        /// What breaks does so when it is read, and colliders that move by themselves are where the GPU
        /// has moved them to.
        pub(super) fn can_leave(&self, world: &World) -> bool {
            let is_led = world.colliders.iter().any(mirror::is_led);
            let stands = world.colliders.iter().all(|collider| collider.velocity == Vec3::ZERO);
            self.loan.is_some() && !world.gives_way() && (is_led || stands)
        }

        pub(super) fn pose(&self) -> Option<Arc<Pose>> {
            self.pose.clone()
        }

        pub(super) fn settle(&mut self, world: &mut World) -> Result<(), Why> {
            (self.pose, self.reading) = (None, None);
            self.world.read_into(world).map_err(|error| why(&error))
        }

        pub(super) fn glance(
            &mut self,
            world: &mut World,
            step: u64,
            now: f64,
        ) -> Result<Option<u64>, Why> {
            if let Some((reading, of)) = self.reading.take_if(|(reading, _)| reading.is_ready()) {
                self.world.take(&reading, world).map_err(|error| why(&error))?;
                return Ok(Some(of));
            }
            if self.reading.is_none() && now - self.asked >= GLANCE {
                let reading = self.world.request().map_err(|error| why(&error))?;
                (self.reading, self.asked) = (Some((reading, step)), now);
            }
            Ok(None)
        }

        pub(super) fn keep_up(&mut self, world: &mut World) {
            self.world.keep_up(world);
        }

        pub(super) fn times_read(&self) -> u64 {
            self.world.times_read()
        }

        pub(super) fn taken_again(&self) -> u64 {
            self.world.steps_taken_again()
        }
    }

    /// As many parts as fit a slice, by what they took this time. A slice may be as long as what it waited
    /// for: where pictures take long, as software does, one for each would leave no step an end.
    pub(super) fn fitting(parts: usize, taken: &Slices) -> usize {
        let part = taken.part.as_secs_f64().max(1e-7);
        let waited = taken.spent.as_secs_f64() / taken.count.max(1) as f64 - part * parts as f64;
        (SLICE.max(waited) / part).clamp(1.0, 4.0 * parts as f64) as usize
    }

    pub(super) fn why(error: &GpuError) -> Why {
        Why { text: error.to_string(), lacks_room: error.lacks_room_for_contacts() }
    }
}

#[cfg(not(all(feature = "gpu", not(target_arch = "wasm32"))))]
mod elsewhere {
    use std::sync::Arc;

    use pliant::World;

    use super::{After, Why};
    use crate::loan::Loan;
    use crate::pose::Pose;
    use crate::session::stopwatch::{Clock, Stages};

    /// This program was built without.
    pub(super) enum Elsewhere {}

    pub(super) fn find(_: &mut World, _: Option<&Loan>) -> Result<Elsewhere, String> {
        let web = cfg!(target_arch = "wasm32");
        let why = if web { "a page of the web" } else { "built without the feature `gpu`" };
        Err(format!("this program is {why}"))
    }

    impl Elsewhere {
        pub(super) fn name(&self) -> String {
            match *self {}
        }

        pub(super) fn step(
            &mut self,
            _: &mut World,
            _: f32,
            _: (After, Clock),
        ) -> Result<Stages, Why> {
            match *self {}
        }

        pub(super) fn can_leave(&self, _: &World) -> bool {
            match *self {}
        }

        pub(super) fn pose(&self) -> Option<Arc<Pose>> {
            match *self {}
        }

        pub(super) fn settle(&mut self, _: &mut World) -> Result<(), Why> {
            match *self {}
        }

        pub(super) fn glance(&mut self, _: &mut World, _: u64, _: f64) -> Result<Option<u64>, Why> {
            match *self {}
        }

        pub(super) fn keep_up(&mut self, _: &mut World) {
            match *self {}
        }

        pub(super) fn times_read(&self) -> u64 {
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
    use crate::session::Session;
    use pliant::settings::Value;

    fn session(scene: &str, backend: &'static str) -> Session {
        let mut session = Session::quick(scene);
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

    #[cfg(feature = "gpu")]
    #[test]
    fn slices_take_milliseconds_or_as_long_as_what_they_waited_for() {
        use std::time::Duration;
        let fitting = |parts, spent, part| {
            let [spent, part] = [spent, part].map(Duration::from_micros);
            super::elsewhere::fitting(parts, &pliant_gpu::Slices { count: 10, spent, part })
        };
        // 10 slices of 1 ms, with nobody before them; the next may have four times the parts at most.
        assert_eq!(fitting(5, 10_000, 200), 20);
        assert_eq!(fitting(10, 10_000, 100), 40);
        assert_eq!(fitting(20, 400_000, 2_000), 2);
        // Pictures of 80 ms before each slice of 20 ms.
        assert_eq!(fitting(100, 1_000_000, 200), 400);
        assert_eq!(fitting(400, 1_600_000, 200), 400);
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
