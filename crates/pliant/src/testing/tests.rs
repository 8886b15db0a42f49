//! Our kinds pass every check, and a kind with a slip in it fails the check that is about it.

use super::*;
use crate::constraint::Constraint;
use crate::constraint::distance::Distance;
use crate::constraint::volume::Volume;
use crate::lanes::Real;

/// One test per check, over all kinds; the message says which kind fails and why.
macro_rules! every_kind_passes {
    ($($check:ident)+) => {
        $(
            #[test]
            fn $check() {
                let failures: Vec<String> = ALL
                    .iter()
                    .filter_map(|kind| Some(format!("{}: {}", kind.name, super::$check(kind).err()?)))
                    .collect();
                assert!(failures.is_empty(), "\n{}", failures.join("\n"));
            }
        )+

        #[test]
        fn every_check_has_a_test() {
            let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
            assert_eq!(names, [$(stringify!($check)),+]);
        }
    };
}

every_kind_passes! {
    name_is_its_own
    gradient_is_the_derivative_of_c
    rest_shape_is_not_violated
    symmetry_is_as_declared
    gradients_are_as_long_as_declared
    no_net_force
    no_net_torque
    degenerate_poses_stay_finite
    single_precision_agrees_with_double
    small_strains_keep_their_digits
    eight_lanes_equal_one
    twin_declares_the_kind
}

/// The names of the checks that `kind` fails.
fn failing(kind: &'static Kind) -> Vec<&'static str> {
    CHECKS.iter().filter(|check| (check.run)(kind).is_err()).map(|check| check.name).collect()
}

/// A [`Distance`] with a slip in it: whatever it does not override is right.
trait Slip: 'static {
    fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
        Distance::eval(x, rest)
    }

    fn rest(x: [V3<f64>; 2]) -> [f64; 1] {
        Distance::rest(x)
    }
}

struct Slipped<S>(std::marker::PhantomData<S>);

impl<S: Slip> Constraint<2, 1> for Slipped<S> {
    const NAME: &'static str = "slip";
    const SHOWS: &'static str = "has a slip in it";
    const UNIT: &'static str = "m";
    const WGSL: Option<&'static str> = Distance::WGSL;

    #[inline(always)]
    fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
        S::eval(x, rest)
    }

    fn rest(x: [V3<f64>; 2]) -> [f64; 1] {
        S::rest(x)
    }
}

const fn slip<S: Slip>() -> Kind {
    Kind::of::<Slipped<S>, 2, 1>()
}

/// No slip at all, under a name of its own.
const RIGHT: Kind = Kind { name: "right", ..Kind::of::<Distance, 2, 1>() };

#[test]
fn without_a_slip_nothing_is_found() {
    assert!(failing(&RIGHT).is_empty());
    assert_eq!(check_kind(&RIGHT), Ok(()));
}

#[test]
fn a_missing_sixth_is_found() {
    struct NoSixth;
    impl Constraint<4, 1> for NoSixth {
        const NAME: &'static str = "no_sixth";
        const SHOWS: &'static str = Volume::SHOWS;
        const UNIT: &'static str = Volume::UNIT;
        const WGSL: Option<&'static str> = None;

        #[inline(always)]
        fn eval<R: Real>(x: [V3<R>; 4], rest: [R; 1]) -> (R, [V3<R>; 4]) {
            let (c, grad) = Volume::eval(x, rest);
            (c, grad.map(|g| g * c.lit(6.0)))
        }

        fn rest(x: [V3<f64>; 4]) -> [f64; 1] {
            Volume::rest(x)
        }
    }
    let kind = const { &Kind::of::<NoSixth, 4, 1>() };
    assert_eq!(failing(kind), ["gradient_is_the_derivative_of_c"]);
    let report = check_kind(kind).unwrap_err();
    let start = "no_sixth: gradient_is_the_derivative_of_c: dC/dx of particle 0 is ";
    assert!(report.starts_with(start), "{report}");
}

#[test]
fn a_wrong_sign_is_found() {
    struct WrongSign;
    impl Slip for WrongSign {
        fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
            let (c, [g0, _]) = Distance::eval(x, rest);
            (c, [g0, g0])
        }
    }
    let expected = ["gradient_is_the_derivative_of_c", "no_net_force", "no_net_torque"];
    assert_eq!(failing(const { &slip::<WrongSign>() }), expected);
}

/// The height of the first particle over the ground: notices where it is.
struct Height;

impl Slip for Height {
    fn eval<R: Real>([x0, _]: [V3<R>; 2], [rest]: [R; 1]) -> (R, [V3<R>; 2]) {
        let (zero, one) = (rest.lit(0.0), rest.lit(1.0));
        let still = V3 { x: zero, y: zero, z: zero };
        (x0.y - rest, [V3 { y: one, ..still }, still])
    }

    fn rest([x0, _]: [V3<f64>; 2]) -> [f64; 1] {
        [x0.y]
    }
}

#[test]
fn a_kind_that_notices_where_it_is_must_say_so_and_why() {
    const CLAIMED: Kind = slip::<Height>();
    const NO_REASON: Kind = Kind { symmetry: Symmetry::None(""), ..CLAIMED };
    const REASON: Kind = Kind { symmetry: Symmetry::None("the ground is fixed"), ..CLAIMED };
    let expected = ["symmetry_is_as_declared", "no_net_force", "no_net_torque"];
    assert_eq!(failing(&CLAIMED), expected);
    assert_eq!(failing(&NO_REASON), ["symmetry_is_as_declared"]);
    assert!(failing(&REASON).is_empty());
}

#[test]
fn a_symmetry_that_is_denied_is_found() {
    const DENIED: Kind = Kind { symmetry: Symmetry::None("it looks like none"), ..RIGHT };
    assert_eq!(failing(&DENIED), ["symmetry_is_as_declared"]);
}

#[test]
fn gradients_that_are_no_unit_vectors_are_found() {
    const CLAIMED: Kind = Kind { gradients: Gradients::Unit, ..Kind::of::<Volume, 4, 1>() };
    assert_eq!(failing(&CLAIMED), ["gradients_are_as_long_as_declared"]);
}

#[test]
fn a_wrong_rest_value_is_found() {
    struct Short;
    impl Slip for Short {
        fn rest(x: [V3<f64>; 2]) -> [f64; 1] {
            Distance::rest(x).map(|length| 0.999 * length)
        }
    }
    assert_eq!(failing(const { &slip::<Short>() }), ["rest_shape_is_not_violated"]);
}

#[test]
fn a_division_by_zero_is_found() {
    struct Careless;
    impl Slip for Careless {
        fn eval<R: Real>([x0, x1]: [V3<R>; 2], [rest]: [R; 1]) -> (R, [V3<R>; 2]) {
            let d = x0 - x1;
            let n = d * (rest.lit(1.0) / d.length());
            (d.length() - rest, [n, -n])
        }
    }
    assert_eq!(failing(const { &slip::<Careless>() }), ["degenerate_poses_stay_finite"]);
}

#[test]
fn lost_digits_are_found() {
    struct Cancelling;
    impl Slip for Cancelling {
        fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
            let (c, grad) = Distance::eval(x, rest);
            // In double precision this is exact to 1e-12.
            let large = c.lit(4096.0);
            ((c + large) - large, grad)
        }
    }
    let expected = ["single_precision_agrees_with_double", "small_strains_keep_their_digits"];
    assert_eq!(failing(const { &slip::<Cancelling>() }), expected);
}

#[test]
fn digits_lost_near_rest_are_found() {
    struct Root;
    impl Slip for Root {
        fn eval<R: Real>(x: [V3<R>; 2], [rest]: [R; 1]) -> (R, [V3<R>; 2]) {
            let (c, grad) = Distance::eval(x, [rest]);
            // |C| as the root of a square whose terms cancel.
            let l = c + rest;
            let square = l * l - rest.lit(2.0) * l * rest + rest * rest;
            let size = square.at_least(rest.lit(0.0)).sqrt();
            (c.where_less(c.lit(0.0), -size, size), grad)
        }
    }
    let found = failing(const { &slip::<Root>() });
    assert!(found.contains(&"small_strains_keep_their_digits"), "{found:?}");
}

#[test]
fn lanes_that_compute_something_else_are_found() {
    struct WideIsOther;
    impl Slip for WideIsOther {
        fn eval<R: Real>(x: [V3<R>; 2], rest: [R; 1]) -> (R, [V3<R>; 2]) {
            let (c, grad) = Distance::eval(x, rest);
            let wide = size_of::<R>() > size_of::<f64>();
            (if wide { c * c.lit(1.000_001) } else { c }, grad)
        }
    }
    assert_eq!(failing(const { &slip::<WideIsOther>() }), ["eight_lanes_equal_one"]);
}

#[test]
fn the_twin_of_another_kind_is_found() {
    const OTHER_TWIN: Kind = Kind { wgsl: Volume::WGSL, ..RIGHT };
    assert_eq!(failing(&OTHER_TWIN), ["twin_declares_the_kind"]);
}

#[test]
fn a_name_that_is_taken_is_found() {
    const TAKEN: Kind = Kind { name: Volume::NAME, ..RIGHT };
    let why = (CHECKS[0].run)(&TAKEN).unwrap_err();
    assert!(why.contains("keeps a tetrahedron") && why.contains("two particles"), "{why}");
}
