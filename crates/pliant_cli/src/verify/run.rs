//! Runs laws: on whom, and how many at once.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use clap::ArgMatches;
use pliant::laws::{Law, LawError, Report, Stepper};

/// What a law gave, and how long it took.
pub(super) struct Outcome {
    pub(super) report: Report,
    pub(super) seconds: f64,
}

/// Who takes the steps.
pub(super) enum How {
    /// The CPU, on one thread for a law, with as many laws at once as there are cores.
    SideBySide,
    /// The CPU, on so many threads.
    Threads(u32),
    #[cfg(feature = "gpu")]
    Gpu(std::sync::Arc<pliant_gpu::Gpu>),
}

impl How {
    pub(super) fn of(matches: &ArgMatches) -> Result<Self, Box<dyn Error>> {
        let on_gpu = matches.get_one::<String>("backend").is_some_and(|name| name == "gpu");
        match matches.get_one::<u32>("threads") {
            _ if on_gpu => Self::on_gpu(),
            Some(&threads) => Ok(Self::Threads(threads)),
            None => Ok(Self::SideBySide),
        }
    }

    #[cfg(feature = "gpu")]
    fn on_gpu() -> Result<Self, Box<dyn Error>> {
        let gpu = pliant_gpu::Gpu::find(&pliant_gpu::Choice::default())
            .map_err(|why| format!("{why} (--backend cpu always works)"))?;
        eprintln!("on {}", gpu.name());
        Ok(Self::Gpu(gpu))
    }

    #[cfg(not(feature = "gpu"))]
    fn on_gpu() -> Result<Self, Box<dyn Error>> {
        Err("this program was built without the feature `gpu` (--backend cpu always works)".into())
    }

    /// Why a law says nothing about them.
    fn exempts(&self, law: &Law) -> Option<&'static str> {
        let on_cpu = matches!(self, Self::SideBySide | Self::Threads(_));
        law.cpu_only.filter(|_| !on_cpu)
    }

    fn stepper(&self) -> Option<Stepper> {
        match self {
            Self::SideBySide => None,
            Self::Threads(threads) => {
                let threads = *threads;
                Some(Box::new(move |world, dt| {
                    world.config.threads = threads;
                    pliant::step(world, dt).map(|_| ()).map_err(|error| error.to_string())
                }))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => Some(pliant_gpu::stepper(gpu)),
        }
    }

    fn at_once(&self) -> usize {
        match self {
            Self::SideBySide => std::thread::available_parallelism().map_or(1, usize::from),
            _ => 1,
        }
    }

    fn measure(&self, law: &Law, overrides: &[(&str, f64)]) -> Result<Outcome, LawError> {
        let began = Instant::now();
        let own = of_law(law, overrides);
        let report = match self.stepper() {
            Some(stepper) => law.run_with(&own, stepper),
            None => law.run(&own),
        };
        // Where nothing could be measured the law does not hold, and the others go on.
        let report = report.or_else(|error| match error {
            LawError::Unmeasurable { law, ref why } if overrides.is_empty() => {
                eprintln!("{law} measured nothing: {why}");
                Ok(Report { law, settings: Vec::new(), measured: Vec::new() })
            }
            other => Err(other),
        })?;
        Ok(Outcome { report, seconds: began.elapsed().as_secs_f64() })
    }
}

/// The overrides of parameters that the law has.
pub(super) fn of_law<'a>(law: &Law, overrides: &[(&'a str, f64)]) -> Vec<(&'a str, f64)> {
    overrides.iter().filter(|(name, _)| law.param(name).is_some()).copied().collect()
}

/// Measures every law and shows each in its turn, as soon as those before it are done.
pub(super) fn run(
    laws: &[&'static Law],
    overrides: &[(&str, f64)],
    how: &How,
    mut show: impl FnMut(&Law, &Outcome),
) -> Result<Vec<Outcome>, Box<dyn Error>> {
    let held = |law: &&&'static Law| match how.exempts(law) {
        Some(why) => {
            eprintln!("{} is not measured there: {why}", law.name);
            false
        }
        None => true,
    };
    let laws: Vec<&'static Law> = laws.iter().filter(held).copied().collect();
    // What cannot be is refused before anything is measured.
    for law in &laws {
        law.check(&of_law(law, overrides))?;
    }
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..how.at_once().min(laws.len()) {
            let (send, laws, next) = (send.clone(), &laws, &next);
            scope.spawn(move || {
                while let Some(&law) = laws.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if send.send((law.name, how.measure(law, overrides))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        in_turn(&laws, &receive, &mut show)
    })
}

/// Collects what comes in any order.
fn in_turn(
    laws: &[&'static Law],
    receive: &mpsc::Receiver<(&'static str, Result<Outcome, LawError>)>,
    show: &mut impl FnMut(&Law, &Outcome),
) -> Result<Vec<Outcome>, Box<dyn Error>> {
    let mut waiting = Vec::new();
    let mut outcomes = Vec::new();
    for &law in laws {
        let outcome = loop {
            if let Some(i) = waiting.iter().position(|(name, _)| *name == law.name) {
                break waiting.swap_remove(i).1;
            }
            waiting.push(receive.recv()?);
        };
        let outcome = outcome.map_err(|error: LawError| format!("{}: {error}", law.name))?;
        show(law, &outcome);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}
