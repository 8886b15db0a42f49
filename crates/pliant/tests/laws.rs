//! Every law holds, follows its parameters, and can be broken.

use std::path::Path;

use pliant::laws::coverage::PLAN;
use pliant::laws::{ALL, Law, LawError, Measured, Report, Status, Tolerance, find};

/// One test per law, named like it, and the list of those names.
macro_rules! every_law {
    ($($(#[$how:meta])? $name:ident),* $(,)?) => {
        $(#[test]
        $(#[$how])?
        fn $name() {
            let report = run(stringify!($name), &[]);
            assert!(report.passes(), "{report}");
        })*

        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

every_law! {
    spring,
    damped_spring,
    pbd_stiffness,
    momentum,
    gradients,
    integrator_recurrence,
    integrator_order,
    integrator_stability,
    free_fall,
    projectile,
    pendulum,
    pendulum_energy,
    chain,
    mass_ratio,
    compliant_chain,
    chain_modes,
    catenary,
    elongation,
    neo_hookean,
    traction,
    patch,
    own_weight,
    lattice,
    vibration,
    #[ignore = "takes long; pliant verify runs it"]
    turek,
    #[ignore = "takes long; pliant verify runs it"]
    turek_swing,
    cantilever,
    rod,
    #[ignore = "takes long; pliant verify runs it"]
    tip_load,
    #[ignore = "takes long; pliant verify runs it"]
    roll_up,
    #[ignore = "takes long; pliant verify runs it"]
    buckling,
    cloth_sag,
    same_solution,
    convergence,
    shape_matching,
    balloon,
    #[cfg_attr(debug_assertions, ignore = "takes long; the release tests run it")]
    squash,
    sliding,
    slope,
    bounce,
    rolling,
    #[ignore = "takes long; pliant verify runs it"]
    stacking,
    tearing,
    plasticity,
    cutting,
    #[ignore = "takes long; pliant verify runs it"]
    drape,
    moved,
    restep,
    jitter,
}

fn run(law: &str, overrides: &[(&str, f64)]) -> Report {
    let report = find(law).and_then(|law| law.run(overrides));
    report.unwrap_or_else(|error| panic!("{law}: {error}"))
}

/// The first row of a law that begins like this.
fn row(report: &Report, what: &str) -> Measured {
    let found = report.measured.iter().find(|measured| measured.what.starts_with(what));
    found.unwrap_or_else(|| panic!("no row {what:?} in\n{report}")).clone()
}

#[test]
fn every_law_has_a_test() {
    assert_eq!(ALL.iter().map(|law| law.name).collect::<Vec<_>>(), TESTED);
}

/// Isosurface stuffing makes bodies of the same material, within the same tolerances.
macro_rules! every_law_of_stuffed_blocks {
    ($($test:ident: $name:expr),* $(,)?) => {
        $(#[test]
        #[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
        fn $test() {
            let report = run($name, &[("mesher", 1.0)]);
            assert!(report.passes(), "{report}");
        })*
    };
}

every_law_of_stuffed_blocks! {
    stuffed_neo_hookean: "neo_hookean",
    stuffed_traction: "traction",
    stuffed_patch: "patch",
    stuffed_own_weight: "own_weight",
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
fn laws_hold_on_the_moon_and_on_jupiter() {
    for gravity in [1.62, 24.79f64] {
        // Where gravity is small, single precision needs smaller worlds to tell it from nothing.
        let size = (gravity / 9.81).min(1.0);
        let smaller = [("farthest", 100.0), ("length", size), ("link", 0.01 * size)];
        for law in ALL.iter().filter(|law| law.params.iter().any(|p| p.name == "gravity")) {
            let mut overrides = vec![("gravity", gravity)];
            overrides.extend(smaller.iter().filter(|(name, value)| {
                law.params.iter().any(|param| param.name == *name && param.allows(*value))
            }));
            let report = run(law.name, &overrides);
            assert!(report.passes(), "{report}");
        }
    }
}

/// Friction and restitution are those of the ground, whatever shape it is.
#[test]
fn contact_is_the_same_on_boxes_meshes_and_grids() {
    for ground in [1.0, 2.0, 3.0] {
        for law in ["sliding", "slope", "bounce"] {
            let report = run(law, &[("ground", ground)]);
            assert!(report.passes(), "{report}");
        }
    }
}

#[test]
fn a_changed_parameter_changes_what_is_measured_and_expected() {
    let earth = row(&run("free_fall", &[]), "fall from 10 m");
    let moon = row(&run("free_fall", &[("gravity", 1.62), ("farthest", 1000.0)]), "fall from 10 m");
    for (earth, moon) in [(earth.measured, moon.measured), (earth.expected, moon.expected)] {
        assert!((moon / earth - 1.62 / 9.81).abs() < 1e-3, "{earth} m, {moon} m");
    }
}

/// What one world does is not what the law says of a slightly different one: each check is known
/// to be able to fail, and how small a fault it notices.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes; the release tests run it")]
fn every_law_with_a_quantity_notices_a_wrong_one() {
    let faults = [
        ("spring", "compliance", 1.0001e-3),
        ("damped_spring", "damping", 1.001),
        ("pbd_stiffness", "stiffness", 0.300_01),
        ("integrator_recurrence", "stiffness", 100.000_000_1),
        ("free_fall", "gravity", 9.82),
        ("projectile", "gravity", 9.82),
        ("pendulum", "length", 1.0 / 1.005),
        ("pendulum_energy", "length", 1.0 / 1.05),
        ("chain", "gravity", 10.02),
        ("mass_ratio", "ratio", 1.01e5),
        ("compliant_chain", "stiffness", 1.01e4),
        ("chain_modes", "stiffness", 1.025e4),
        ("catenary", "length", 1.51),
        ("elongation", "compliance", 0.0101),
        ("neo_hookean", "young", 1.01e5),
        ("traction", "tension", 0.0102),
        ("own_weight", "young", 1.02e5),
        ("lattice", "tension", 5.1e-3),
        ("vibration", "ratio", 0.055),
        ("same_solution", "stiffness", 1.01e4),
        ("convergence", "links", 21.0),
        ("shape_matching", "alpha", 0.499),
        ("balloon", "pressure", 2.005),
        ("sliding", "friction", 0.41),
        ("slope", "tangent", 0.51),
        ("bounce", "restitution", 0.82),
        ("rolling", "angle", 15.3),
        ("tearing", "line_density", 0.071),
        ("plasticity", "strain", 0.1001),
    ];
    for (law, param, value) in faults {
        let (right, wrong) = (run(law, &[]), run(law, &[(param, value)]));
        assert!(wrong.passes(), "{wrong}");
        let crossed: Vec<_> = right
            .measured
            .iter()
            .zip(&wrong.measured)
            .map(|(right, wrong)| Measured { expected: wrong.expected, ..right.clone() })
            .collect();
        let report = Report { measured: crossed, ..right };
        assert!(!report.passes(), "{param} = {value} went unnoticed: {report}");
    }
}

#[test]
fn defaults_give_the_documented_numbers() {
    let small = std::f64::consts::TAU / 9.81f64.sqrt();
    let numbers = [
        ("spring", "offset after 3 steps, h = 1/60 s", 0.039944),
        ("spring", "offset after 3 steps, h = 1/240 s", 0.450106),
        ("spring", "offset after 3 steps, h = 1/1000 s", 0.497007),
        ("spring", "offset after 3 steps, h = 1/6000 s", 0.499917),
        ("pbd_stiffness", "share of the error left, engine", 0.7),
        ("pendulum", "period from 45°", 1.039973 * small),
        ("pendulum", "period from 90°", 1.180341 * small),
        ("chain", "tension of the top link, 100 substeps", 190.0),
        ("chain", "stretch, 5 substeps", 1.9e-2),
        ("chain", "stretch, 100 substeps", 4.75e-5),
        ("compliant_chain", "stretch, 200 iterations", 0.020601),
        ("chain_modes", "frequency of mode 1", 3.8555),
        ("chain_modes", "frequency of mode 2", 11.5439),
        ("chain_modes", "frequency of mode 3", 19.1645),
        ("catenary", "sag, 20 links", 0.503447),
        ("catenary", "sag, 50 links", 0.502763),
        ("elongation", "stretch by 1 kg", 0.1),
        ("elongation", "stretch by 0.125 kg", 0.0125),
        ("elongation", "upper spring, 0.01 m/N, 20 substeps × 20", 0.1001),
        ("elongation", "upper spring, 0.001 m/N, 20 substeps × 20", 0.01001),
        ("elongation", "lower spring, 0.001 m/N, 20 substeps × 20", 0.01),
    ];
    let mut reports: Vec<Report> = Vec::new();
    for (law, what, documented) in numbers {
        if reports.last().is_none_or(|report| report.law != law) {
            reports.push(run(law, &[]));
        }
        let expected = row(&reports[reports.len() - 1], what).expected;
        let off = (expected / documented - 1.0).abs();
        // The documents give four to six digits.
        assert!(off < 2e-5, "{law}, {what}: expected {expected}, documented {documented}");
    }
}

#[test]
fn a_swing_of_a_hundred_substeps_loses_less_than_one_percent() {
    let report = run("pendulum_energy", &[("frames", 143.0)]); // 2.38 s; the period is 2.37 s
    assert!(row(&report, "share lost, f64, 100 substeps").measured < 0.01, "{report}");
    let report = run("pendulum_energy", &[]);
    let ratio = row(&report, "loss over that of half the substep, f64").measured;
    assert!((ratio - 2.0).abs() < 0.2, "halving the substep divides the loss by {ratio}, not 2");
}

#[test]
fn a_wrong_number_fails_and_says_so() {
    let wrong = Measured::new("fall", "m", [4.9, 4.8], Tolerance::Relative(0.01));
    assert!(!wrong.passes() && (wrong.error() - 0.1 / 4.8).abs() < 1e-12);
    assert_eq!(
        wrong.to_string(),
        "fall: measured 4.9 m, expected 4.8 m within 1 %, off by 2.08333 %"
    );
    let report = Report { measured: vec![wrong], ..run("free_fall", &[("gravity", 1.62)]) };
    let text = report.to_string();
    for part in ["free_fall", "BROKEN", "gravity = 1.62 m/s²", "measured 4.9 m", "expected 4.8 m"]
    {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(!Report { measured: Vec::new(), ..report }.passes(), "nothing measured is no pass");
}

#[test]
fn tolerances_refuse_what_is_outside_and_what_is_no_number() {
    let tolerances = [
        (Tolerance::Relative(0.01), 2.01, 2.03),
        (Tolerance::Absolute(0.01), 2.005, 1.98),
        (Tolerance::AtLeast, 2.5, 1.999),
        (Tolerance::AtMost, 1.5, 2.001),
    ];
    for (tolerance, good, bad) in tolerances {
        let measured = |value| Measured::new("x", "", [value, 2.0], tolerance);
        assert!(measured(good).passes(), "{}", measured(good));
        assert!(!measured(bad).passes(), "{}", measured(bad));
        assert!(!measured(f64::NAN).passes(), "{}", measured(f64::NAN));
    }
    let all = Measured::new("x", "", [1.0, f64::NAN], Tolerance::AtLeast);
    assert!(!all.passes(), "nothing can be expected of NaN");
}

#[test]
fn an_unknown_parameter_is_answered_with_the_list() {
    let error = find("free_fall").unwrap().run(&[("gravitation", 1.0)]).unwrap_err();
    assert!(matches!(error, LawError::UnknownParam { law: "free_fall", .. }));
    assert_eq!(
        error.to_string(),
        "law free_fall has no parameter \"gravitation\"; it has gravity, frames, substeps, farthest"
    );
    let error = find("gravity").unwrap_err().to_string();
    assert!(error.contains("\"gravity\"") && error.contains("free_fall"), "{error}");
}

#[test]
fn every_parameter_refuses_what_is_out_of_range() {
    for law in ALL {
        for param in law.params {
            assert!(param.allows(param.default), "{} {}", law.name, param.name);
            let below = param.min - 0.01 * param.min.max(1e-3);
            let mut bad = vec![f64::NAN, f64::INFINITY, -1.0, below, param.max * 1.01];
            bad.extend(param.whole.then_some(param.min + 0.5));
            for value in bad {
                let error = law.run(&[(param.name, value)]).unwrap_err();
                assert!(matches!(error, LawError::OutOfRange { .. }), "{error}");
                let text = error.to_string();
                assert!(text.contains(param.name) && text.contains(law.name), "{text}");
            }
        }
    }
}

#[test]
fn every_law_says_what_it_claims_and_cites_what_is_in_the_bibliography() {
    let entries: Vec<&str> = include_str!("../../../docs/references.bib").split("\n@").collect();
    for Law { name, setup, claim, source, tolerance, accident, params, .. } in ALL {
        for text in [setup, claim, source, tolerance, accident] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{name}: {text:?}");
        }
        assert!(params.iter().all(|param| !param.meaning.is_empty()), "{name}");
        for (before, after) in source.match_indices(" et al. ").map(|(i, _)| source.split_at(i)) {
            let author = before.rsplit(' ').next().unwrap_or_default();
            let year = &after[" et al. ".len()..][..4];
            let known = |entry: &&str| entry.contains(author) && entry.contains(year);
            assert!(entries.iter().any(known), "{name} cites {author} {year}");
        }
    }
}

/// Every check of the plan is a law, or a test that is there; and laws claim no other.
#[test]
fn the_plan_is_carried_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for check in PLAN {
        let id = check.id;
        assert!(check.laws().next().is_some() || !check.tests.is_empty(), "{id} is left out");
        for (file, name) in check.tests {
            let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
            assert!(text.contains(&format!("fn {name}(")), "{id}: no {name} in {file}");
        }
    }
    for law in ALL {
        assert!(!law.covers.is_empty(), "{} is no check of the plan", law.name);
        for id in law.covers {
            assert!(PLAN.iter().any(|check| check.id == *id), "{}: no {id} in the plan", law.name);
        }
    }
}

#[test]
fn a_limit_is_no_failure_unless_it_is_no_number() {
    let off = |value| Measured::new("x", "", [value, 2.0], Tolerance::Relative(0.01));
    assert_eq!(off(2.5).status(), Status::Fail);
    assert_eq!(off(2.5).limited("too coarse").status(), Status::Limit);
    assert_eq!(off(2.0).limited("too coarse").status(), Status::Pass);
    assert_eq!(off(f64::NAN).limited("too coarse").status(), Status::Fail);
    let report = |measured| Report { measured, ..run("free_fall", &[]) };
    let limited = report(vec![off(2.0), off(2.5).limited("too coarse")]);
    assert!(limited.passes() && limited.status() == Status::Limit, "{limited}");
    assert_eq!(limited.headline().map(|row| row.measured), Some(2.5));
    let broken = report(vec![off(2.5).limited("too coarse"), off(2.2)]);
    assert!(!broken.passes() && broken.headline().is_some_and(|row| row.measured == 2.2));
}
