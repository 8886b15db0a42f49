//! How the program ends.

use std::error::Error;
use std::fmt;

use pliant_io::export::ExportError;
use pliant_io::run::RunError;

/// What the exit codes mean, for `pliant --help` and the manual.
pub(crate) const CODES: &str = "\
Exit codes:
  0  done
  1  what was given is wrong: a scene, a mesh, a setting; or a law of physics does not hold
  2  the command line is wrong
  3  a check does not hold: of a scene, a replay
  4  a file could not be read or written
  5  numbers stopped being finite, and a body was put aside";

/// A check does not hold.
pub(crate) const CHECK: u8 = 3;
/// A file could not be read or written.
pub(crate) const FILES: u8 = 4;
/// A body was put aside.
pub(crate) const QUARANTINE: u8 = 5;

/// An error with an exit code of its own.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) message: String,
}

impl Failure {
    /// For `return Err(…)`.
    pub(crate) fn boxed(code: u8, message: impl Into<String>) -> Box<dyn Error> {
        Box::new(Self { code, message: message.into() })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl Error for Failure {}

/// Ends quietly when standard output is closed, as by `| head`, and says so when it cannot be
/// written: the standard library panics in both cases, wherever something is printed.
pub(crate) fn mind_the_output() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>();
        match message.and_then(|text| text.strip_prefix("failed printing to stdout: ")) {
            Some(cause) if cause.contains("Broken pipe") => std::process::exit(0),
            Some(cause) => {
                eprintln!("error: standard output cannot be written: {cause}");
                std::process::exit(FILES.into());
            }
            None => {
                eprintln!(
                    "This is a bug of pliant, not of your scene. Please report what follows:"
                );
                usual(panic);
            }
        }
    }));
}

/// The exit code of an error.
pub(crate) fn code(error: &(dyn Error + 'static)) -> u8 {
    let of_run = |error: &RunError| match error {
        RunError::Scene(_) => 1,
        _ => FILES,
    };
    let failure = error.downcast_ref::<Failure>().map(|failure| failure.code);
    let run = error.downcast_ref::<RunError>().map(of_run);
    let image = error.downcast_ref::<pliant_io::image::ImageError>().map(|_| FILES);
    let of_export = |error: &ExportError| matches!(error, ExportError::Io { .. }).then_some(FILES);
    let export = error.downcast_ref::<ExportError>().and_then(of_export);
    let io = error.downcast_ref::<std::io::Error>().map(|_| FILES);
    failure.or(run).or(image).or(export).or(io).unwrap_or(1)
}
