//! Where the time of a step goes.

use std::error::Error;
use std::time::{Duration, Instant};

use pliant::budget::Budget;
use pliant::step::{Hooks, Stage};
use pliant::{World, step_with};

use crate::backend::Elsewhere;

/// Steps of which the first is taken stage by stage on a GPU, since such a step takes longer.
pub(crate) const SAMPLED: u64 = 16;

/// Sums up the time of every stage, and keeps frames within a budget if there is one.
pub(crate) struct Timing {
    began: Instant,
    spent: Vec<(Stage, Duration)>,
    /// Time that all steps took, to and from a GPU included.
    elapsed: Duration,
    frame: Instant,
    budget: Option<Budget>,
    /// Who takes the steps instead of the CPU.
    elsewhere: Option<Elsewhere>,
    /// Every frame that was taken under a budget.
    frames: Vec<Frame>,
    steps: u64,
    /// Time that all steps have taken the world on (s).
    simulated: f64,
}

/// A frame under a budget.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) time: Duration,
    pub(crate) substeps: u32,
    pub(crate) iterations: u32,
    /// Whether time ran out, so that the end of the frame was left out.
    pub(crate) cut: bool,
}

impl Timing {
    pub(crate) fn new(budget: Option<Budget>) -> Self {
        let spent = Stage::ALL.iter().map(|&stage| (stage, Duration::ZERO)).collect();
        let now = Instant::now();
        Self {
            began: now,
            spent,
            elapsed: Duration::ZERO,
            frame: now,
            budget,
            elsewhere: None,
            frames: Vec::new(),
            steps: 0,
            simulated: 0.0,
        }
    }

    /// The same with steps that are taken elsewhere.
    pub(crate) fn on(self, elsewhere: Option<Elsewhere>) -> Self {
        Self { elsewhere, ..self }
    }

    /// Brings the state into `world`, wherever it is.
    pub(crate) fn read_into(&mut self, world: &mut World) -> Result<(), Box<dyn Error>> {
        self.ask(|elsewhere| elsewhere.read_into(world))
    }

    /// Tells whoever has the state what was changed in `world`.
    pub(crate) fn push(&mut self, world: &mut World) -> Result<(), Box<dyn Error>> {
        self.ask(|elsewhere| elsewhere.push(world))
    }

    /// Asks something of whoever takes the steps, if that is not the CPU.
    fn ask(
        &mut self,
        ask: impl FnOnce(&mut Elsewhere) -> Result<(), Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        let Some(elsewhere) = &mut self.elsewhere else { return Ok(()) };
        let began = Instant::now();
        ask(elsewhere)?;
        self.elapsed += began.elapsed();
        Ok(())
    }

    /// Takes a step of `dt` seconds.
    pub(crate) fn step(&mut self, world: &mut World, dt: f32) -> Result<(), Box<dyn Error>> {
        let is_sampled = self.steps.is_multiple_of(SAMPLED);
        (self.steps, self.simulated) = (self.steps + 1, self.simulated + f64::from(dt));
        if self.elsewhere.is_none() {
            return self.step_here(world, dt);
        }
        let mut stages = Vec::new();
        self.ask(|elsewhere| {
            match is_sampled {
                true => stages = elsewhere.step_timed(dt)?,
                false => elsewhere.step(dt)?,
            }
            Ok(())
        })?;
        stages.into_iter().for_each(|(stage, time)| self.add(stage, time));
        Ok(())
    }

    fn step_here(&mut self, world: &mut World, dt: f32) -> Result<(), Box<dyn Error>> {
        if let Some(budget) = &mut self.budget {
            budget.begin(&mut world.config);
        }
        self.frame = Instant::now();
        step_with(world, dt, self)?;
        let time = self.frame.elapsed();
        self.elapsed += time;
        if let Some(budget) = &mut self.budget {
            budget.end(time.as_secs_f64(), world.iterations_done());
            let (substeps, iterations) = (world.config.substeps, world.config.iterations);
            self.frames.push(Frame { time, substeps, iterations, cut: budget.was_cut() });
        }
        Ok(())
    }

    fn add(&mut self, stage: Stage, time: Duration) {
        if let Some((_, spent)) = self.spent.iter_mut().find(|(known, _)| *known == stage) {
            *spent += time;
        }
    }

    /// Every frame that was taken under a budget.
    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// How many steps were taken.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Time that all steps have taken the world on (s); a budget may have cut some short.
    pub(crate) fn simulated(&self) -> f64 {
        self.simulated
    }

    /// Every stage and the mean time of a step in it (s).
    pub(crate) fn stages(&self) -> impl Iterator<Item = (Stage, f64)> {
        let steps = if self.is_elsewhere() { self.steps.div_ceil(SAMPLED) } else { self.steps };
        let sampled = steps.max(1) as f64;
        self.spent.iter().map(move |(stage, time)| (*stage, time.as_secs_f64() / sampled))
    }

    /// Time that all steps took.
    pub(crate) fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Whether steps are taken on a GPU.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }
}

impl Hooks for Timing {
    fn begin(&mut self, _: Stage) {
        self.began = Instant::now();
    }

    fn end(&mut self, stage: Stage) {
        self.add(stage, self.began.elapsed());
    }

    fn keep_going(&mut self) -> bool {
        let elapsed = self.frame.elapsed().as_secs_f64();
        self.budget.as_mut().is_none_or(|budget| budget.keep_going(elapsed))
    }
}
