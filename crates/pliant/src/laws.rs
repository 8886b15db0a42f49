//! The laws of physics that the engine is held to, as data: what is claimed, where it comes from,
//! and how it is measured.
//!
//! Tests run every law; `pliant verify` runs them for users, with parameters of their choice. What
//! is expected is computed from the parameters, so a changed parameter is a new check. One more law
//! is one file here and one line in [`ALL`].
//!
//! ```
//! let law = pliant::laws::find("free_fall")?;
//! let on_the_moon = law.run(&[("gravity", 1.62), ("farthest", 100.0)])?;
//! assert!(on_the_moon.passes(), "{on_the_moon}");
//! # Ok::<(), pliant::laws::LawError>(())
//! ```

use std::error::Error;
use std::fmt;

use crate::error::WorldError;
use crate::figure::Figure;
use crate::step::StepError;

pub mod balloon;
pub mod bounce;
pub mod buckling;
pub mod cantilever;
pub mod catenary;
pub mod chain;
pub mod chain_modes;
pub mod cloth_sag;
pub mod compliant_chain;
pub mod convergence;
pub mod coverage;
pub mod cutting;
pub mod damped_spring;
pub mod drape;
pub mod elongation;
pub mod free_fall;
pub mod gradients;
pub mod integrator_order;
pub mod integrator_recurrence;
pub mod integrator_stability;
pub mod jitter;
pub mod lattice;
pub mod mass_ratio;
pub mod momentum;
pub mod moved;
pub mod neo_hookean;
mod oscillator;
pub mod own_weight;
pub mod patch;
pub mod pbd_stiffness;
pub mod pendulum;
pub mod pendulum_energy;
pub mod plasticity;
pub mod projectile;
pub mod restep;
mod rig;
pub mod rod;
pub mod roll_up;
pub mod rolling;
pub mod same_solution;
pub mod shape_matching;
pub mod sliding;
pub mod slope;
pub mod spring;
pub mod squash;
pub mod stacking;
pub mod tearing;
pub mod tip_load;
pub mod traction;
pub mod turek;
pub mod turek_swing;
pub mod vibration;

pub use rig::stepper::Stepper;

/// Every law, from one constraint to whole bodies.
pub const ALL: &[&Law] = &[
    spring::LAW,
    damped_spring::LAW,
    pbd_stiffness::LAW,
    momentum::LAW,
    gradients::LAW,
    integrator_recurrence::LAW,
    integrator_order::LAW,
    integrator_stability::LAW,
    free_fall::LAW,
    projectile::LAW,
    pendulum::LAW,
    pendulum_energy::LAW,
    chain::LAW,
    mass_ratio::LAW,
    compliant_chain::LAW,
    chain_modes::LAW,
    catenary::LAW,
    elongation::LAW,
    neo_hookean::LAW,
    traction::LAW,
    patch::LAW,
    own_weight::LAW,
    lattice::LAW,
    vibration::LAW,
    turek::LAW,
    turek_swing::LAW,
    cantilever::LAW,
    rod::LAW,
    tip_load::LAW,
    roll_up::LAW,
    buckling::LAW,
    cloth_sag::LAW,
    same_solution::LAW,
    convergence::LAW,
    shape_matching::LAW,
    balloon::LAW,
    squash::LAW,
    sliding::LAW,
    slope::LAW,
    bounce::LAW,
    rolling::LAW,
    stacking::LAW,
    tearing::LAW,
    plasticity::LAW,
    cutting::LAW,
    drape::LAW,
    moved::LAW,
    restep::LAW,
    jitter::LAW,
];

/// The law of that name.
///
/// # Errors
/// If there is none.
pub fn find(name: &str) -> Result<&'static Law, LawError> {
    let law = ALL.iter().find(|law| law.name == name);
    law.copied().ok_or_else(|| LawError::UnknownLaw { name: name.into() })
}

/// A statement about motion that can be measured.
#[derive(Debug)]
pub struct Law {
    /// The name, as in `pliant verify free_fall`.
    pub name: &'static str,
    /// The checks of the plan that it is, such as P8; see [`coverage`].
    pub covers: &'static [&'static str],
    /// What is built, and what is done to it.
    pub setup: &'static str,
    /// One sentence: what holds.
    pub claim: &'static str,
    /// The paper or derivation it comes from.
    pub source: &'static str,
    /// Why the engine may be off by as much as it may.
    pub tolerance: &'static str,
    /// Why an engine that gets it wrong cannot pass by accident.
    pub accident: &'static str,
    /// Whether it takes a second or so, and `--quick` runs it.
    pub quick: bool,
    /// Why it says nothing about steps that others than the CPU take.
    pub cpu_only: Option<&'static str>,
    /// What can be changed from outside.
    pub params: &'static [Param],
    /// Carries out the measurements.
    pub measure: fn(&Params) -> Result<Vec<Measured>, LawError>,
    /// Draws what is measured beside what is expected.
    pub figure: Option<Draw>,
}

/// Draws a figure with these parameters.
pub type Draw = fn(&Params) -> Result<Figure, LawError>;

impl Law {
    /// Measures with the parameters in `overrides` changed from their defaults, as in
    /// `("substeps", 50.0)`. Of two values for one parameter the last counts.
    ///
    /// # Errors
    /// If a parameter is unknown or out of range, or the parameters leave nothing to measure.
    pub fn run(&self, overrides: &[(&str, f64)]) -> Result<Report, LawError> {
        let params = self.params(overrides)?;
        let measured = (self.measure)(&params)?;
        Ok(Report { law: self.name, settings: params.settings, measured })
    }

    /// The figure with these parameters, of a law that has one.
    ///
    /// # Errors
    /// As [`Law::run`].
    pub fn draw(&self, overrides: &[(&str, f64)]) -> Result<Option<Figure>, LawError> {
        let params = self.params(overrides)?;
        self.figure.map(|figure| figure(&params)).transpose()
    }

    /// Whether it could be run with these parameters.
    ///
    /// # Errors
    /// As [`Law::run`], of parameters that are unknown or out of range.
    pub fn check(&self, overrides: &[(&str, f64)]) -> Result<(), LawError> {
        self.params(overrides).map(|_| ())
    }

    /// The parameter of that name or symbol.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|param| param.is_called(name))
    }

    fn params(&self, overrides: &[(&str, f64)]) -> Result<Params, LawError> {
        let mut settings: Vec<_> = self.params.iter().map(|p| (p, p.default)).collect();
        for &(name, value) in overrides {
            let setting = settings.iter_mut().find(|(param, _)| param.is_called(name));
            let Some((param, setting)) = setting else {
                let known = self.params.iter().map(|param| param.name).collect();
                return Err(LawError::UnknownParam { law: self.name, name: name.into(), known });
            };
            if !param.allows(value) {
                return Err(LawError::OutOfRange { law: self.name, param, value });
            }
            *setting = value;
        }
        Ok(Params { law: self.name, settings })
    }
}

/// A number of a law that can be changed from outside.
#[derive(Debug, PartialEq)]
pub struct Param {
    /// The name, as in `--set gravity=1.62`.
    pub name: &'static str,
    /// The letter that formulas have for it, which `--set` takes too, or nothing.
    pub symbol: &'static str,
    /// The unit, or nothing.
    pub unit: &'static str,
    /// Its value when nothing was said.
    pub default: f64,
    /// The least it may be.
    pub min: f64,
    /// The most it may be.
    pub max: f64,
    /// Whether it counts something.
    pub whole: bool,
    /// One sentence: what it is.
    pub meaning: &'static str,
}

impl Param {
    /// A quantity between `min` and `max`.
    const fn number(
        name: &'static str,
        unit: &'static str,
        default: f64,
        [min, max]: [f64; 2],
        meaning: &'static str,
    ) -> Self {
        Self { name, symbol: "", unit, default, min, max, whole: false, meaning }
    }

    /// A count between `min` and `max`.
    const fn count(
        name: &'static str,
        default: u32,
        [min, max]: [u32; 2],
        meaning: &'static str,
    ) -> Self {
        let (default, min, max) = (default as f64, min as f64, max as f64);
        Self { name, symbol: "", unit: "", default, min, max, whole: true, meaning }
    }

    /// Gravity, for laws that hold on any planet.
    const fn gravity(default: f64) -> Self {
        // From less than the Moon's to more than Jupiter's: beyond, rounding or speed take over.
        Self::number("gravity", "m/s²", default, [1.0, 30.0], "acceleration downwards").symbol("g")
    }

    /// The same, known by a letter too.
    const fn symbol(self, symbol: &'static str) -> Self {
        Self { symbol, ..self }
    }

    /// Whether that is its name or its symbol.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || (self.symbol == name && !name.is_empty())
    }

    /// Whether it may have that value.
    pub fn allows(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value) && (!self.whole || value.fract() == 0.0)
    }
}

/// The parameters of one run.
#[derive(Debug)]
pub struct Params {
    law: &'static str,
    settings: Vec<(&'static Param, f64)>,
}

impl Params {
    /// The value of a parameter.
    ///
    /// # Panics
    /// If the law does not list it.
    pub fn get(&self, name: &str) -> f64 {
        let setting = self.settings.iter().find(|(param, _)| param.name == name);
        setting.unwrap_or_else(|| panic!("law {} lists no parameter {name}", self.law)).1
    }

    /// The value of a parameter that counts.
    ///
    /// # Panics
    /// If the law does not list it.
    pub fn count(&self, name: &str) -> u32 {
        self.get(name) as u32
    }

    /// That nothing can be measured with these parameters, and why.
    pub fn unmeasurable(&self, why: impl Into<String>) -> LawError {
        LawError::Unmeasurable { law: self.law, why: why.into() }
    }
}

/// One number beside the number that the law says it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What was measured, and under which conditions.
    pub what: String,
    /// The unit of both numbers, or nothing.
    pub unit: &'static str,
    /// What the engine did.
    pub measured: f64,
    /// What the law says.
    pub expected: f64,
    /// How far apart they may be.
    pub tolerance: Tolerance,
    /// Why it may be farther off all the same: what the method cannot reach.
    pub limit: Option<&'static str>,
}

/// What becomes of a number, or of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Within its tolerance.
    Pass,
    /// Outside.
    Fail,
    /// Outside, where the method is known to be, and as far as is known.
    Limit,
}

impl Status {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Limit => "limit",
        }
    }
}

/// How far a measured number may be from the expected one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// This share of the expected number.
    Relative(f64),
    /// This much.
    Absolute(f64),
    /// Any amount above, nothing below.
    AtLeast,
    /// Any amount below, nothing above.
    AtMost,
}

impl Measured {
    /// A measured and an expected number.
    pub fn new(
        what: impl Into<String>,
        unit: &'static str,
        [measured, expected]: [f64; 2],
        tolerance: Tolerance,
    ) -> Self {
        Self { what: what.into(), unit, measured, expected, tolerance, limit: None }
    }

    /// The same where the method has a limit, and why. The law must measure beside it that the error
    /// shrinks as it should.
    pub fn limited(self, why: &'static str) -> Self {
        Self { limit: Some(why), ..self }
    }

    /// Whether it passes, fails, or shows a limit. What is no number fails.
    pub fn status(&self) -> Status {
        match self.limit {
            _ if self.passes() => Status::Pass,
            Some(_) if self.measured.is_finite() => Status::Limit,
            _ => Status::Fail,
        }
    }

    /// How far it is off: as a share of the expected number where the tolerance is one, else in
    /// the unit.
    pub fn error(&self) -> f64 {
        let off = self.measured - self.expected;
        match self.tolerance {
            Tolerance::Relative(_) => (off / self.expected).abs(),
            Tolerance::Absolute(_) => off.abs(),
            // Written so that NaN stays NaN.
            Tolerance::AtLeast => {
                if off >= 0.0 {
                    0.0
                } else {
                    -off
                }
            }
            Tolerance::AtMost => {
                if off <= 0.0 {
                    0.0
                } else {
                    off
                }
            }
        }
    }

    /// The largest error that passes.
    pub fn allowed(&self) -> f64 {
        match self.tolerance {
            Tolerance::Relative(share) => share,
            Tolerance::Absolute(amount) => amount,
            Tolerance::AtLeast | Tolerance::AtMost => 0.0,
        }
    }

    /// The two numbers, the error and the tolerance, for the columns of a table.
    pub fn cells(&self) -> [String; 4] {
        let gap = if self.unit.is_empty() { "" } else { " " };
        let with_unit = |value: f64| format!("{}{gap}{}", Short(value), self.unit);
        let [error, tolerance] = match self.tolerance {
            Tolerance::Relative(share) => {
                [self.error(), share].map(|x| format!("{} %", Short(100.0 * x)))
            }
            Tolerance::Absolute(amount) => [self.error(), amount].map(with_unit),
            Tolerance::AtLeast => [with_unit(self.error()), "at least".into()],
            Tolerance::AtMost => [with_unit(self.error()), "at most".into()],
        };
        [with_unit(self.measured), with_unit(self.expected), error, tolerance]
    }

    /// Whether the error is within the tolerance. NaN is not.
    pub fn passes(&self) -> bool {
        self.error() <= self.allowed()
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, unit, measured, expected, tolerance, .. } = self;
        let gap = if unit.is_empty() { "" } else { " " };
        let (measured, expected) = (Short(*measured), Short(*expected));
        write!(f, "{what}: measured {measured}{gap}{unit}, expected ")?;
        match tolerance {
            Tolerance::Relative(share) => {
                write!(f, "{expected}{gap}{unit} within {} %", Short(100.0 * share))?;
                write!(f, ", off by {} %", Short(100.0 * self.error()))
            }
            Tolerance::Absolute(amount) => {
                write!(f, "{expected}{gap}{unit} within {}{gap}{unit}", Short(*amount))?;
                write!(f, ", off by {}{gap}{unit}", Short(self.error()))
            }
            Tolerance::AtLeast => write!(f, "at least {expected}{gap}{unit}"),
            Tolerance::AtMost => write!(f, "at most {expected}{gap}{unit}"),
        }
    }
}

/// A number in six digits, for people.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = format!("{:.5e}", self.0).parse().unwrap_or(self.0);
        match self.0.abs() {
            0.0 => write!(f, "0"),
            size if (1e-4..1e7).contains(&size) => write!(f, "{rounded}"),
            _ => write!(f, "{rounded:e}"),
        }
    }
}

/// What a law measured.
#[derive(Debug)]
pub struct Report {
    /// The law's name.
    pub law: &'static str,
    /// Every parameter and the value it had.
    pub settings: Vec<(&'static Param, f64)>,
    /// What was measured; at least one number.
    pub measured: Vec<Measured>,
}

impl Report {
    /// Whether every number is as the law says, or shows a limit of the method that is known. A law
    /// that measured nothing does not pass.
    pub fn passes(&self) -> bool {
        self.status() != Status::Fail
    }

    /// Whether a number fails, or else shows a limit.
    pub fn status(&self) -> Status {
        let has = |status| self.measured.iter().any(|row| row.status() == status);
        match () {
            () if self.measured.is_empty() || has(Status::Fail) => Status::Fail,
            () if has(Status::Limit) => Status::Limit,
            () => Status::Pass,
        }
    }

    /// The numbers that are not as the law says.
    pub fn failures(&self) -> impl Iterator<Item = &Measured> {
        self.measured.iter().filter(|measured| measured.status() == Status::Fail)
    }

    /// The number that stands for all: the first that decides the status, a finite one if there is.
    pub fn headline(&self) -> Option<&Measured> {
        let mut deciding = self.measured.iter().filter(|row| row.status() == self.status());
        let finite = deciding.clone().find(|row| row.measured.is_finite());
        finite.or_else(|| deciding.next())
    }
}

/// The law, its settings, and one line for each number.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passes() { "holds" } else { "BROKEN" };
        write!(f, "law {} {verdict}, with", self.law)?;
        for (Param { name, unit, .. }, value) in &self.settings {
            let gap = if unit.is_empty() { "" } else { " " };
            write!(f, " {name} = {}{gap}{unit};", Short(*value))?;
        }
        for measured in &self.measured {
            let mark = match measured.status() {
                Status::Pass => "ok",
                Status::Fail => "BROKEN",
                Status::Limit => "limit",
            };
            write!(f, "\n  {mark:6} {measured}")?;
        }
        Ok(())
    }
}

/// Why a law could not be run. A law that is broken is no error: see [`Report::passes`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LawError {
    /// No law has that name.
    UnknownLaw {
        /// What was asked for.
        name: String,
    },
    /// The law has no parameter of that name.
    UnknownParam {
        /// The law.
        law: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A parameter cannot have that value.
    OutOfRange {
        /// The law.
        law: &'static str,
        /// The parameter.
        param: &'static Param,
        /// What was asked for.
        value: f64,
    },
    /// With these parameters there is nothing to measure.
    Unmeasurable {
        /// The law.
        law: &'static str,
        /// The reason.
        why: String,
    },
    /// The world could not be built.
    World(WorldError),
    /// A step could not be taken.
    Step(StepError),
    /// Whoever takes the steps instead of the CPU could not.
    Stepper(String),
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownLaw { name } => {
                write!(f, "no law is called {name:?}; there are")?;
                ALL.iter().try_for_each(|law| write!(f, " {}", law.name))
            }
            Self::UnknownParam { law, name, known } if known.is_empty() => {
                write!(f, "law {law} has no parameter {name:?}, nor any other")
            }
            Self::UnknownParam { law, name, known } => {
                write!(f, "law {law} has no parameter {name:?}; it has {}", known.join(", "))
            }
            Self::OutOfRange { law, param, value } => {
                let Param { name, unit, min, max, whole, .. } = param;
                let kind = if *whole { "a whole number " } else { "" };
                write!(f, "{name} of law {law} is {value}, but must be {kind}from {min} to {max}")?;
                if unit.is_empty() { Ok(()) } else { write!(f, " {unit}") }
            }
            Self::Unmeasurable { law, why } => write!(f, "law {law} measured nothing: {why}"),
            Self::World(error) => write!(f, "{error}"),
            Self::Step(error) => write!(f, "{error}"),
            Self::Stepper(why) => write!(f, "{why}"),
        }
    }
}

impl Error for LawError {}

impl From<WorldError> for LawError {
    fn from(error: WorldError) -> Self {
        Self::World(error)
    }
}

impl From<StepError> for LawError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}
