//! Numbers with units: `"2 MPa"`, `"120 g/m^2"`, `"12 uN m"`, `"90 deg"`.

use std::fmt;

/// What a number measures: the powers of metre, kilogram, second and radian.
///
/// Angles count as a dimension of their own, so that a length where an angle belongs is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    powers: [i8; 4],
    /// The unit in which plain numbers are, for people.
    pub unit: &'static str,
}

/// A dimension by its powers of m, kg, s and rad.
const fn of(unit: &'static str, m: i8, kg: i8, s: i8, rad: i8) -> Dimension {
    Dimension { powers: [m, kg, s, rad], unit }
}

/// A plain number.
pub const ONE: Dimension = of("", 0, 0, 0, 0);
/// A length.
pub const LENGTH: Dimension = of("m", 1, 0, 0, 0);
/// A mass.
pub const MASS: Dimension = of("kg", 0, 1, 0, 0);
/// A time.
pub const TIME: Dimension = of("s", 0, 0, 1, 0);
/// How often.
pub const FREQUENCY: Dimension = of("1/s", 0, 0, -1, 0);
/// A speed.
pub const SPEED: Dimension = of("m/s", 1, 0, -1, 0);
/// An acceleration.
pub const ACCELERATION: Dimension = of("m/s²", 1, 0, -2, 0);
/// An angle.
pub const ANGLE: Dimension = of("rad", 0, 0, 0, 1);
/// How fast something turns.
pub const SPIN: Dimension = of("rad/s", 0, 0, -1, 1);
/// Pressure, and Young's modulus.
pub const PRESSURE: Dimension = of("Pa", -1, 1, -2, 0);
/// Mass per volume.
pub const DENSITY: Dimension = of("kg/m³", -3, 1, 0, 0);
/// Mass per area.
pub const AREAL_DENSITY: Dimension = of("kg/m²", -2, 1, 0, 0);
/// Mass per length.
pub const LINEAR_DENSITY: Dimension = of("kg/m", -1, 1, 0, 0);
/// A force.
pub const FORCE: Dimension = of("N", 1, 1, -2, 0);
/// Stiffness of a spring, and of a sheet per width.
pub const STIFFNESS: Dimension = of("N/m", 0, 1, -2, 0);
/// A dashpot.
pub const DASHPOT: Dimension = of("N s/m", 0, 1, -1, 0);
/// Energy, a moment, and the stiffness of an angle or of a sheet against bending.
pub const ENERGY: Dimension = of("N m", 2, 1, -2, 0);
/// Stiffness of a cord against bending.
pub const CORD_BENDING: Dimension = of("N m²", 3, 1, -2, 0);

/// Units that may follow a number; those with `true` may have a prefix such as `k`.
const UNITS: &[(&str, f64, [i8; 4], bool)] = &[
    ("m", 1.0, LENGTH.powers, true),
    ("g", 1e-3, MASS.powers, true),
    ("t", 1e3, MASS.powers, false),
    ("s", 1.0, TIME.powers, true),
    ("min", 60.0, TIME.powers, false),
    ("Hz", 1.0, FREQUENCY.powers, true),
    ("N", 1.0, FORCE.powers, true),
    ("Pa", 1.0, PRESSURE.powers, true),
    ("bar", 1e5, PRESSURE.powers, false),
    ("J", 1.0, ENERGY.powers, true),
    ("rad", 1.0, ANGLE.powers, false),
    ("deg", std::f64::consts::PI / 180.0, ANGLE.powers, false),
    ("°", std::f64::consts::PI / 180.0, ANGLE.powers, false),
    ("rpm", std::f64::consts::TAU / 60.0, SPIN.powers, false),
    ("in", 0.0254, LENGTH.powers, false),
    ("ft", 0.3048, LENGTH.powers, false),
    ("lb", 0.453_592_37, MASS.powers, false),
    ("%", 0.01, ONE.powers, false),
    ("1", 1.0, ONE.powers, false),
];

const PREFIXES: &[(char, f64)] = &[
    ('G', 1e9),
    ('M', 1e6),
    ('k', 1e3),
    ('c', 1e-2),
    ('m', 1e-3),
    ('u', 1e-6),
    ('µ', 1e-6),
    ('μ', 1e-6),
    ('n', 1e-9),
];

/// Reads a number with its unit, as SI. A number alone is in SI already.
///
/// # Errors
/// If there is no number, a unit is not known, or the units are not of `dimension`.
pub fn parse(text: &str, dimension: Dimension) -> Result<f64, UnitError> {
    let text = text.trim();
    // An `e` belongs to the number only when digits follow: "1e3 N", but "1 eN" is no unit.
    let ends = (1..=text.len()).rev().filter(|&end| text.is_char_boundary(end));
    let number = ends.filter_map(|end| Some((end, plain(&text[..end])?))).next();
    let (end, number) = number.ok_or(UnitError::NoNumber)?;
    let unit = text[end..].trim();
    if unit.is_empty() {
        return Ok(number);
    }
    let (factor, powers) = factors(unit)?;
    if powers != dimension.powers {
        return Err(UnitError::Dimension { found: unit.into(), expected: dimension });
    }
    Ok(number * factor)
}

/// A decimal number; Rust's words for infinity and for no number are not wanted here.
fn plain(text: &str) -> Option<f64> {
    let digits = text.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    let plain = text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    if digits && plain { text.parse().ok() } else { None }
}

/// The product of units as in `kg/m^2` or `N m`.
fn factors(text: &str) -> Result<(f64, [i8; 4]), UnitError> {
    let (mut factor, mut powers) = (1.0, [0i8; 4]);
    let mut sign = 1;
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if !(c.is_whitespace() || "/*·".contains(c)) {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            let (size, unit, power) = raised(&word)?;
            factor *= libm::pow(size, f64::from(sign * power));
            for (sum, part) in powers.iter_mut().zip(unit) {
                let part = i32::from(part) * sign * power;
                *sum = i8::try_from(i32::from(*sum) + part).map_err(|_| unknown(&word))?;
            }
            word.clear();
            sign = 1;
        }
        if c == '/' {
            sign = -1;
        }
    }
    Ok((factor, powers))
}

/// A unit with its power: `m^2`, `m2`, `m²`, `s-1`.
fn raised(word: &str) -> Result<(f64, [i8; 4], i32), UnitError> {
    let plain: String = word.chars().map(|c| superscript(c).unwrap_or(c)).collect();
    let digits = |c: char| c.is_ascii_digit() || c == '-' || c == '^';
    // "1/s" begins with a unit that is a digit.
    let name = if plain == "1" { "1" } else { plain.trim_end_matches(digits) };
    let power = plain[name.len()..].trim_start_matches('^');
    let power: i32 = if power.is_empty() { 1 } else { power.parse().map_err(|_| unknown(word))? };
    if power.abs() > 9 {
        return Err(unknown(word));
    }
    let (size, unit) = named(name).ok_or_else(|| unknown(word))?;
    Ok((size, unit, power))
}

fn superscript(c: char) -> Option<char> {
    let digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let digit = digits.chars().position(|known| known == c);
    digit.and_then(|digit| char::from_digit(digit as u32, 10)).or((c == '⁻').then_some('-'))
}

fn named(name: &str) -> Option<(f64, [i8; 4])> {
    if let Some(&(_, size, powers, _)) = UNITS.iter().find(|unit| unit.0 == name) {
        return Some((size, powers));
    }
    let prefix = name.chars().next()?;
    let &(_, scale) = PREFIXES.iter().find(|known| known.0 == prefix)?;
    let rest = &name[prefix.len_utf8()..];
    let &(_, size, powers, _) = UNITS.iter().find(|unit| unit.0 == rest && unit.3)?;
    Some((scale * size, powers))
}

fn unknown(word: &str) -> UnitError {
    UnitError::Unknown { unit: word.into() }
}

/// Why a text is not a number of the dimension that was wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnitError {
    /// It does not begin with a number.
    NoNumber,
    /// No unit has that name.
    Unknown {
        /// What was written.
        unit: String,
    },
    /// The units measure something else.
    Dimension {
        /// What was written.
        found: String,
        /// What is measured here.
        expected: Dimension,
    },
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber => write!(f, "is not a number"),
            Self::Unknown { unit } => write!(
                f,
                "has the unit {unit:?}, which is not known; there are {}, with prefixes as in mm and \
                 kPa, and products and powers of them as in kg/m^2",
                UNITS.iter().map(|unit| unit.0).collect::<Vec<_>>().join(", ")
            ),
            Self::Dimension { found, expected: ONE } => {
                write!(f, "is in {found:?}, but must be a number without a unit, or in %")
            }
            Self::Dimension { found, expected } => {
                write!(f, "is in {found:?}, which is no {}", expected.unit)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_prefixes_multiply() {
        let cases: &[(&str, Dimension, f64)] = &[
            ("2 MPa", PRESSURE, 2e6),
            ("120 g/m^2", AREAL_DENSITY, 0.12),
            ("120 g/m²", AREAL_DENSITY, 0.12),
            ("12 uN m", ENERGY, 12e-6),
            ("12 µN·m", ENERGY, 12e-6),
            ("5mm", LENGTH, 5e-3),
            ("-1.5e2 cm", LENGTH, -1.5),
            ("9.81 m/s^2", ACCELERATION, 9.81),
            ("9.81 m s-2", ACCELERATION, 9.81),
            ("90 deg", ANGLE, std::f64::consts::FRAC_PI_2),
            ("60 rpm", SPIN, std::f64::consts::TAU),
            ("5 %", ONE, 0.05),
            ("3 1/s", FREQUENCY, 3.0),
            ("3 Hz", FREQUENCY, 3.0),
            ("0.5", LENGTH, 0.5),
            ("1 N/mm", STIFFNESS, 1e3),
            ("1e3 kg m/s^2", FORCE, 1e3),
            ("2 min", TIME, 120.0),
        ];
        for (text, dimension, expected) in cases {
            let found = parse(text, *dimension).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{text} is {found}");
        }
    }

    #[test]
    fn what_is_no_number_of_that_dimension_is_refused() {
        assert_eq!(parse("", LENGTH), Err(UnitError::NoNumber));
        assert_eq!(parse("mm", LENGTH), Err(UnitError::NoNumber));
        assert_eq!(parse("inf m", LENGTH), Err(UnitError::NoNumber));
        assert_eq!(parse("NaN", LENGTH), Err(UnitError::NoNumber));
        assert!(matches!(parse("1 furlong", LENGTH), Err(UnitError::Unknown { .. })));
        assert!(matches!(parse("1 kmin", TIME), Err(UnitError::Unknown { .. })));
        assert!(matches!(parse("1 m^99", LENGTH), Err(UnitError::Unknown { .. })));
        let lots = format!("1 {}", "m^9 ".repeat(100));
        assert!(matches!(parse(&lots, LENGTH), Err(UnitError::Unknown { .. })));
        assert!(matches!(parse("1 s", LENGTH), Err(UnitError::Dimension { .. })));
        assert!(matches!(parse("1 m", ANGLE), Err(UnitError::Dimension { .. })));
        assert_eq!(
            parse("2 kPa", LENGTH).map_err(|e| e.to_string()),
            Err("is in \"kPa\", which is no m".into())
        );
    }
}
