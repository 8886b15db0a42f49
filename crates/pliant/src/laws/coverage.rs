//! The plan of checks, and who carries each out: laws by their own word, or tests.

use super::{ALL, Law};

/// A check of the plan.
#[derive(Debug)]
pub struct Check {
    /// P for physics, D for determinism and robustness, L for load.
    pub id: &'static str,
    /// What is checked.
    pub what: &'static str,
    /// Tests that check it: a file, and a function in it. Laws say so themselves.
    pub tests: &'static [(&'static str, &'static str)],
}

impl Check {
    /// The laws that check it.
    pub fn laws(&self) -> impl Iterator<Item = &'static Law> + '_ {
        ALL.iter().filter(|law| law.covers.contains(&self.id)).copied()
    }
}

const fn law(id: &'static str, what: &'static str) -> Check {
    Check { id, what, tests: &[] }
}

const fn tested(
    id: &'static str,
    what: &'static str,
    tests: &'static [(&'static str, &'static str)],
) -> Check {
    Check { id, what, tests }
}

const CONTACT: &str = "crates/pliant/tests/contact.rs";
const CUT: &str = "crates/pliant/tests/cut.rs";
const SOLIDS: &str = "crates/pliant/tests/cut_solids.rs";
const TEAR: &str = "crates/pliant/tests/tear.rs";
const SCENES: &str = "crates/pliant/tests/scenes.rs";
const BORDERS: &str = "crates/pliant/tests/borders.rs";
const PARITY: &str = "crates/pliant_gpu/tests/gpu/parity.rs";
const SOAK: &str = "crates/pliant_cli/src/verify/soak.rs";
const PROCESSES: &str = "xtask/src/determinism.rs";

/// Every check. Fluids (P36) are not computed, so there is none of them.
pub const PLAN: &[Check] = &[
    law("P1", "one spring is backward Euler"),
    law("P2", "a spring with a dashpot"),
    law("P3", "stiffness of PBD over iterations"),
    law("P4", "constraints make no momentum"),
    law("P5", "gradients are derivatives"),
    law("P6", "recurrences of integrators"),
    law("P7", "order and stability of integrators"),
    law("P8", "free fall, near and far"),
    law("P9", "a thrown particle"),
    law("P10", "period of a pendulum"),
    law("P11", "energy of a pendulum"),
    law("P12", "tension and stretch of a chain"),
    law("P13", "mass ratio of 1 to 100 000"),
    law("P14", "a chain of springs"),
    law("P15", "frequencies of chains and bars"),
    law("P16", "catenary"),
    law("P17", "weights on springs"),
    law("P18", "neo-Hookean stress"),
    law("P19", "Young's modulus and Poisson's ratio"),
    law("P20", "patch test and simple shear"),
    law("P21", "a bar under its own weight"),
    law("P22", "Turek and Hron's beam at rest"),
    law("P23", "Turek and Hron's beam, swinging"),
    law("P24", "shear and roll-up of shells and rods"),
    law("P25", "cantilever of cloth and of a rod"),
    law("P26", "buckling"),
    law("P27", "stiffness of cloth whatever the substeps"),
    law("P28", "volume of balloons and tetrahedra"),
    law("P29", "shape matching is neutral and returns"),
    tested(
        "P30",
        "friction on a slope",
        &[(CONTACT, "a_slope_that_is_a_body_holds_what_is_rougher_than_its_tangent_and_no_other")],
    ),
    tested(
        "P31",
        "sliding and rolling",
        &[(CONTACT, "sliding_stops_after_v_squared_over_two_mu_g_whatever_mass_and_substeps")],
    ),
    tested("P32", "restitution", &[(CONTACT, "a_bounce_reaches_e_squared_of_its_height")]),
    law("P33", "stacks"),
    tested(
        "P34",
        "nothing goes through",
        &[(CONTACT, "nothing_that_meets_within_a_substep_goes_through")],
    ),
    tested(
        "P35",
        "tearing, cutting, plasticity",
        &[
            (TEAR, "a_rope_breaks_at_its_top_link_when_its_weight_exceeds_the_limit"),
            (TEAR, "what_is_left_of_a_pull_is_its_strain_less_the_yield_strain"),
            (CUT, "two_cuts_make_four_pieces_and_many_cuts_lose_nothing"),
            (SOLIDS, "a_plane_cuts_every_solid_in_two_and_closes_both_on_itself"),
        ],
    ),
    law("P37", "drape of fabrics"),
    law("P38", "rates of convergence"),
    tested(
        "P39",
        "CPU and GPU agree",
        &[("crates/pliant_gpu/tests/gpu/laws.rs", "laws_hold_on_the_gpu")],
    ),
    tested("D1", "two processes give the same bits", &[(PROCESSES, "check")]),
    tested(
        "D2",
        "any number of threads gives the same bits",
        &[(SCENES, "two_hundred_frames_hash_alike_on_any_number_of_threads_and_after_a_save")],
    ),
    tested(
        "D3",
        "any width of lanes gives the same bits",
        &[("crates/pliant/src/testing.rs", "eight_lanes_equal_one")],
    ),
    tested("D4", "debug and release give the same bits", &[(PROCESSES, "check")]),
    tested(
        "D5",
        "a world that was saved goes on alike",
        &[(SCENES, "two_hundred_frames_hash_alike_on_any_number_of_threads_and_after_a_save")],
    ),
    law("D6", "a state that is restored goes on alike, every time"),
    tested("D7", "a body far away changes nothing", &[(SCENES, "a_body_far_away_changes_nothing")]),
    law("D8", "a scene that is moved or turned does the same"),
    tested(
        "D9",
        "a GPU repeats itself, and agrees with the CPU",
        &[
            (PARITY, "two_runs_have_the_same_bits"),
            (PARITY, "every_scene_agrees_after_a_second_or_is_chaotic_and_keeps_its_promise"),
        ],
    ),
    tested(
        "D10",
        "what is not finite is put aside, and others do not notice",
        &[(BORDERS, "a_body_that_is_not_finite_is_put_back_and_held_and_others_do_not_notice")],
    ),
    tested(
        "D11",
        "colours hold after a thousand edits",
        &[
            (
                "crates/pliant/src/coloring/tests.rs",
                "a_thousand_edits_leave_every_coloring_valid_and_most_of_it_alone",
            ),
            (CUT, "a_thousand_random_edits_keep_every_world_whole"),
        ],
    ),
    law("D12", "steps of unequal length"),
    tested("L1", "a hundred thousand particles for long", &[(SOAK, "steady")]),
    tested(
        "L2",
        "random events break nothing",
        &[(
            "crates/pliant_viewer/tests/monkey.rs",
            "a_monkey_breaks_nothing_and_its_log_gives_the_same_world",
        )],
    ),
    tested("L4", "time for a particle, from few to many", &[(SOAK, "scaling")]),
    tested("L5", "bodies that come and go", &[(SOAK, "churn")]),
    tested("L7", "a heap of bodies", &[(SCENES, "every_scene_holds_what_it_promises")]),
];
