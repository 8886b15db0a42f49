//! Every setting of a world in one table: name, unit, range, default and meaning.
//!
//! Command line flags, sliders, scene files and Python keywords all read [`SETTINGS`], so that
//! they cannot drift apart.

use std::error::Error;
use std::fmt;

use glam::Vec3;

use crate::coloring;
use crate::contact::broad_phase;
use crate::solver;
use crate::world::{Backend, Config, ContactSolver, Method, Precision};

/// The words that choose an entry of a registry, each with what the entry shows.
macro_rules! words_of {
    ($all:expr) => {{
        const WORDS: [Word; $all.len()] = {
            let mut words = [Word { name: "", meaning: "" }; $all.len()];
            let mut i = 0;
            while i < words.len() {
                words[i] = Word { name: $all[i].name, meaning: $all[i].shows };
                i += 1;
            }
            words
        };
        &WORDS
    }};
}

/// Every setting, in the order in which it is shown.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "substeps",
        unit: "",
        range: Range::Whole(1, 10_000),
        meaning: "parts into which a step is cut; more is stiffer, and costs in proportion",
        get: |c| Value::Number(f64::from(c.substeps)),
        set: |c, v| c.substeps = v.number() as u32,
    },
    Setting {
        name: "iterations",
        unit: "",
        range: Range::Whole(1, 10_000),
        meaning: "times that each substep visits every constraint; substeps do more for the money",
        get: |c| Value::Number(f64::from(c.iterations)),
        set: |c, v| c.iterations = v.number() as u32,
    },
    Setting {
        name: "tolerance",
        unit: "m",
        range: Range::Number(0.0, 1.0),
        meaning: "an iteration that moves nothing farther than this is a substep's last; 0 does all",
        get: |c| Value::Number(f64::from(c.tolerance)),
        set: |c, v| c.tolerance = v.number() as f32,
    },
    Setting {
        name: "solver",
        unit: "",
        range: Range::Choice(words_of!(solver::ALL)),
        meaning: "how constraints are solved; the result differs from run to run only if unordered",
        get: |c| Value::Choice(c.solver.name()),
        set: |c, v| {
            let way = solver::ALL.iter().find(|way| v.is(way.name));
            c.solver = way.map_or(c.solver, |way| way.solver);
        },
    },
    Setting {
        name: "omega",
        unit: "",
        range: Range::Number(0.125, 2.0),
        meaning: "multiple of each correction that is made; above 1 over-relaxes, 2 is too much",
        get: |c| Value::Number(f64::from(c.omega)),
        set: |c, v| c.omega = v.number() as f32,
    },
    Setting {
        name: "spectral_radius",
        unit: "",
        range: Range::Number(0.0, 1.0),
        meaning: "share of the error that an iteration of jacobi leaves, as chebyshev is to assume",
        get: |c| Value::Number(f64::from(c.spectral_radius)),
        set: |c, v| c.spectral_radius = v.number() as f32,
    },
    Setting {
        name: "coloring",
        unit: "",
        range: Range::Choice(words_of!(coloring::ALL)),
        meaning: "how constraints are divided into groups that can be solved at once",
        get: |c| Value::Choice(c.coloring.name),
        set: |c, v| c.coloring = v.word().and_then(coloring::find).unwrap_or(c.coloring),
    },
    Setting {
        name: "method",
        unit: "",
        range: Range::Choice(&[
            Word {
                name: "xpbd",
                meaning: "a physical compliance, the same at any step and any iterations",
            },
            Word { name: "pbd", meaning: "the share of the error that one step removes" },
        ]),
        meaning: "what the stiffness of a constraint means",
        get: |c| Value::Choice(c.method.name()),
        set: |c, v| c.method = if v.is("pbd") { Method::Pbd } else { Method::Xpbd },
    },
    Setting {
        name: "precision",
        unit: "",
        range: Range::Choice(&[
            Word { name: "plain", meaning: "in the positions: fastest" },
            Word {
                name: "carried",
                meaning: "apart from them: forces stay exact in many substeps, or far away",
            },
        ]),
        meaning: "how corrections are kept while a substep is solved",
        get: |c| Value::Choice(c.precision.name()),
        set: |c, v| {
            c.precision = if v.is("carried") { Precision::Carried } else { Precision::Plain };
        },
    },
    Setting {
        name: "backend",
        unit: "",
        range: Range::Choice(&[
            Word { name: "cpu", meaning: "the same bits on every machine" },
            Word { name: "gpu", meaning: "on a GPU, or not at all" },
            Word { name: "auto", meaning: "on a GPU if there is one and the world gains by it" },
        ]),
        meaning: "where a program runs the world; a gpu agrees with the cpu, but not in every bit",
        get: |c| Value::Choice(c.backend.name()),
        set: |c, v| {
            let backend = Backend::ALL.iter().find(|backend| v.is(backend.name()));
            c.backend = backend.copied().unwrap_or(c.backend);
        },
    },
    Setting {
        name: "threads",
        unit: "",
        range: Range::Whole(0, 256),
        meaning: "threads that share the work; 0 is one per core; the result is the same for all",
        get: |c| Value::Number(f64::from(c.threads)),
        set: |c, v| c.threads = v.number() as u32,
    },
    Setting {
        name: "gravity",
        unit: "m/s²",
        range: Range::Vector(1e4),
        meaning: "acceleration of everything that is not held",
        get: |c| Value::Vector(c.gravity.as_dvec3().to_array()),
        set: |c, v| c.gravity = v.vector(),
    },
    Setting {
        name: "damping",
        unit: "1/s",
        range: Range::Number(0.0, 1e3),
        meaning: "rate at which all motion dies away; 0 leaves it to the bodies",
        get: |c| Value::Number(f64::from(c.damping)),
        set: |c, v| c.damping = v.number() as f32,
    },
    Setting {
        name: "broad_phase",
        unit: "",
        range: Range::Choice(words_of!(broad_phase::ALL)),
        meaning: "how pairs of bodies that may touch are looked for; the result is the same for all",
        get: |c| Value::Choice(c.broad_phase.name),
        set: |c, v| c.broad_phase = v.word().and_then(broad_phase::find).unwrap_or(c.broad_phase),
    },
    Setting {
        name: "contact_solver",
        unit: "",
        range: Range::Choice(&[
            Word { name: "colored", meaning: "by colour, several at once, on all threads" },
            Word { name: "in_order", meaning: "as they were found, one after the other" },
            Word { name: "split", meaning: "all at once, as a GPU does; leaves a heap closer" },
        ]),
        meaning: "in which order pairs that touch are solved",
        get: |c| Value::Choice(c.contact_solver.name()),
        set: |c, v| {
            let way = ContactSolver::ALL.iter().find(|way| v.is(way.name()));
            c.contact_solver = way.copied().unwrap_or(c.contact_solver);
        },
    },
    Setting {
        name: "max_depenetration",
        unit: "m/s",
        range: Range::Number(0.0, 1e4),
        meaning: "speed at which what began too near is pushed apart, or out of a collider",
        get: |c| Value::Number(f64::from(c.max_depenetration)),
        set: |c, v| c.max_depenetration = v.number() as f32,
    },
    Setting {
        name: "sleep_speed",
        unit: "m/s",
        range: Range::Number(0.0, 1e3),
        meaning: "a body slower than this everywhere falls asleep; 0 keeps all awake",
        get: |c| Value::Number(f64::from(c.sleep_speed)),
        set: |c, v| c.sleep_speed = v.number() as f32,
    },
    Setting {
        name: "sleep_after",
        unit: "s",
        range: Range::Number(0.0, 1e4),
        meaning: "how long a body must be slow before it falls asleep",
        get: |c| Value::Number(f64::from(c.sleep_after)),
        set: |c, v| c.sleep_after = v.number() as f32,
    },
];

/// One setting, described.
#[derive(Debug)]
pub struct Setting {
    /// The name, as in `--set substeps=30`.
    pub name: &'static str,
    /// The unit, or nothing.
    pub unit: &'static str,
    /// What values it takes.
    pub range: Range,
    /// One sentence: what it does.
    pub meaning: &'static str,
    /// Reads it.
    pub get: fn(&Config) -> Value,
    set: fn(&mut Config, Value),
}

impl Setting {
    /// The setting of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<&'static Self, SettingError> {
        SETTINGS
            .iter()
            .find(|setting| setting.name == name)
            .ok_or_else(|| SettingError::Unknown { name: name.into() })
    }

    /// Its value when nothing was said.
    pub fn default(&self) -> Value {
        (self.get)(&Config::default())
    }

    /// Reads a value as a person writes it: `30`, `colored`, `0,-9.81,0`.
    ///
    /// # Errors
    /// If it is not of this setting's form.
    pub fn parse(&self, text: &str) -> Result<Value, SettingError> {
        let malformed = || SettingError::Malformed { name: self.name, found: text.into() };
        // Settings are kept in single precision, so they are read in it: 9.81 stays 9.81.
        let number =
            |part: &str| part.trim().parse::<f32>().map(f64::from).map_err(|_| malformed());
        match self.range {
            Range::Whole(..) | Range::Number(..) => Ok(Value::Number(number(text)?)),
            Range::Vector(_) => {
                let parts = text.split(',').map(number).collect::<Result<Vec<_>, _>>()?;
                Ok(Value::Vector(parts.try_into().map_err(|_| malformed())?))
            }
            Range::Choice(words) => {
                let word = words.iter().find(|word| word.name == text.trim());
                Ok(Value::Choice(word.ok_or_else(malformed)?.name))
            }
        }
    }

    fn check(&self, value: Value) -> Result<(), SettingError> {
        let fits = match (&self.range, value) {
            (Range::Whole(min, max), Value::Number(n)) => {
                n.fract() == 0.0 && (f64::from(*min)..=f64::from(*max)).contains(&n)
            }
            (Range::Number(min, max), Value::Number(n)) => (*min..=*max).contains(&n),
            (Range::Vector(max), Value::Vector(v)) => v.iter().all(|n| n.abs() <= *max),
            (Range::Choice(words), Value::Choice(name)) => {
                words.iter().any(|word| word.name == name)
            }
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(SettingError::OutOfRange { name: self.name, value })
    }
}

/// The values that a setting takes, both ends included.
#[derive(Clone, Copy, Debug)]
pub enum Range {
    /// A whole number.
    Whole(u32, u32),
    /// A number.
    Number(f64, f64),
    /// Three numbers, each at most this far from 0.
    Vector(f64),
    /// One of these words.
    Choice(&'static [Word]),
}

/// A word that chooses one of several ways.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The word, as in `--set solver=jacobi`.
    pub name: &'static str,
    /// One phrase: what it chooses.
    pub meaning: &'static str,
}

impl Word {
    /// The names of words, as a sentence lists them.
    pub fn list(words: &[Self]) -> String {
        words.iter().map(|word| word.name).collect::<Vec<_>>().join(", ")
    }
}

/// The value of a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number, whole or not.
    Number(f64),
    /// Along x, y and z.
    Vector([f64; 3]),
    /// A word.
    Choice(&'static str),
}

impl Value {
    fn number(self) -> f64 {
        if let Self::Number(n) = self { n } else { 0.0 }
    }
    fn vector(self) -> Vec3 {
        if let Self::Vector(v) = self { glam::DVec3::from_array(v).as_vec3() } else { Vec3::ZERO }
    }
    fn word(self) -> Option<&'static str> {
        if let Self::Choice(name) = self { Some(name) } else { None }
    }
    fn is(self, word: &str) -> bool {
        self.word() == Some(word)
    }
}

impl Config {
    /// Sets the setting `name`.
    ///
    /// # Errors
    /// If there is none of that name, or the value is out of its range; nothing changes then.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), SettingError> {
        let setting = Setting::find(name)?;
        setting.check(value)?;
        (setting.set)(self, value);
        Ok(())
    }

    /// Checks every setting against its range.
    ///
    /// # Errors
    /// The first that is out of range.
    pub fn check(&self) -> Result<(), SettingError> {
        SETTINGS.iter().try_for_each(|setting| setting.check((setting.get)(self)))
    }
}

/// Why a setting could not be set.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SettingError {
    /// No setting has that name.
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The text is not a value of that setting's form.
    Malformed {
        /// The setting.
        name: &'static str,
        /// What was written.
        found: String,
    },
    /// The value is out of range.
    OutOfRange {
        /// The setting.
        name: &'static str,
        /// The value.
        value: Value,
    },
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |name| Setting::find(name).map(|setting| (setting.range, setting.unit));
        match self {
            Self::Unknown { name } => {
                write!(f, "no setting is called {name:?}; there are")?;
                SETTINGS.iter().try_for_each(|setting| write!(f, " {}", setting.name))
            }
            Self::Malformed { name, found } => match range(name) {
                Ok((range, unit)) => write!(f, "{name} is {found:?}, but must be {range} {unit}"),
                Err(_) => write!(f, "{name} is {found:?}"),
            },
            Self::OutOfRange { name, value } => match range(name) {
                Ok((range, unit)) => write!(f, "{name} is {value}, but must be {range} {unit}"),
                Err(_) => write!(f, "{name} is {value}"),
            },
        }
    }
}

impl Error for SettingError {}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(min, max) => write!(f, "a whole number from {min} to {max}"),
            Self::Number(min, max) => write!(f, "from {min} to {max}"),
            Self::Vector(max) => write!(f, "three numbers x,y,z from -{max} to {max}"),
            Self::Choice(words) => write!(f, "one of {}", Word::list(words)),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Through f32, so that 9.81 reads 9.81 and not 9.8100004.
            Self::Number(n) => write!(f, "{}", *n as f32),
            Self::Vector([x, y, z]) => write!(f, "{},{},{}", *x as f32, *y as f32, *z as f32),
            Self::Choice(name) => write!(f, "{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_reads_back_what_was_set_and_its_default_is_in_range() {
        for setting in SETTINGS {
            let mut config = Config::default();
            let default = setting.default();
            setting.check(default).unwrap();
            assert_eq!(setting.parse(&default.to_string()), Ok(default), "{}", setting.name);
            let others = match setting.range {
                Range::Whole(_, max) => vec![Value::Number(f64::from(max))],
                Range::Number(_, max) => vec![Value::Number(max)],
                Range::Vector(max) => vec![Value::Vector([max, 0.0, -max])],
                Range::Choice(words) => words.iter().map(|word| Value::Choice(word.name)).collect(),
            };
            for other in others {
                config.set(setting.name, other).unwrap();
                assert_eq!((setting.get)(&config), other, "{}", setting.name);
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused_and_change_nothing() {
        for setting in SETTINGS {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300] {
                let value = match setting.range {
                    Range::Vector(_) if bad == -1.0 => continue,
                    Range::Vector(_) => Value::Vector([0.0, bad, 0.0]),
                    _ => Value::Number(bad),
                };
                let mut config = Config::default();
                let error = config.set(setting.name, value).unwrap_err();
                assert!(error.to_string().contains(setting.name), "{error}");
                assert_eq!(config, Config::default());
            }
        }
    }

    #[test]
    fn an_unknown_setting_is_answered_with_the_list() {
        let error = Setting::find("substep").unwrap_err().to_string();
        assert!(error.contains("\"substep\"") && error.contains("substeps"), "{error}");
    }
}
