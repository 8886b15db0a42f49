//! The WGSL twins compute what the CPU computes: every kind, under every rule, on a real device.
//!
//! Any WebGPU device will do; without a graphics card, Mesa's software Vulkan (lavapipe).

use std::io::Write;

use bytemuck::{Pod, Zeroable};
use pliant::constraint::set::{Hold, Set};
use pliant::constraint::{ALL, Kind, Sense};
use pliant::contact::buffers;
use pliant::glam::{Vec3, Vec4};
use pliant::step::project;
use pliant::testing::{degenerate, separate_constraints};
use pliant::{Config, Method, Precision, World, step};
use wgpu::naga;

#[path = "twins/gpu.rs"]
mod gpu;
#[path = "twins/regions.rs"]
mod regions;
use gpu::{Access, Call, Gpu, LANES, Shader};

/// How far a GPU may be off: positions relative to the pose's size (1 m), multipliers relative to
/// the largest. A GPU may fuse a·b + c into one rounding, and WGSL lets it divide to 2.5 units in
/// the last place and take roots to little better, so equal bits cannot be asked for. 1e-5 is
/// about 80 roundings of single precision; a wrong formula is off by far more.
const TOLERANCE: f32 = 1e-5;

/// Constraints per batch: more than one workgroup of 64, and no multiple of it.
const COUNT: usize = 150;

/// Length of the one substep (s).
const H: f32 = 1.0 / 600.0;

/// Our kinds that have a twin.
fn kinds() -> impl Iterator<Item = &'static Kind> {
    ALL.iter().copied().filter(|kind| kind.wgsl.is_some())
}

/// The whole shader of a kind.
fn source(kind: &Kind) -> String {
    project::shader(kind).unwrap_or_default()
}

#[test]
fn every_sense_is_tested() {
    for sense in [Sense::Equal, Sense::AtLeast, Sense::AtMost] {
        assert!(kinds().any(|kind| kind.sense == sense), "no kind has {sense:?}");
    }
}

#[test]
fn every_twin_is_valid_and_has_the_counts_of_its_kind() {
    for kind in kinds() {
        let name = kind.name;
        let module = valid(name, &source(kind));
        let eval = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some("eval"));
        let (_, eval) = eval.unwrap_or_else(|| panic!("{name}: no function `eval`"));
        let counts: Vec<usize> =
            eval.arguments.iter().map(|a| array_len(&module.types[a.ty].inner)).collect();
        assert_eq!(counts, [kind.particles, kind.rest_values], "{name}: particles, rest values");
        assert_eq!(bytes(&module, "Params"), size_of::<Params>(), "{name}: bytes of Params");
    }
}

#[test]
fn the_shaders_of_contact_are_valid_and_agree_on_their_parameters() {
    for (name, source) in [
        ("detect", buffers::detect_wgsl()),
        ("solve", buffers::solve_wgsl()),
        ("sizes", buffers::sizes_wgsl()),
        ("bodies", pliant::mirror::body_wgsl()),
    ] {
        let module = valid(name, &source);
        if name != "bodies" {
            let size = size_of::<buffers::ContactParams>();
            assert_eq!(bytes(&module, "Params"), size, "{name}: bytes of Params");
        }
        if name == "solve" {
            // What `contacts.rs` makes room for.
            let sizes = ["Pair", "Touch", "Sum"].map(|of| bytes(&module, of));
            assert_eq!(sizes, [32, 48, 32]);
        }
    }
    let stages = valid("the stages", &pliant::mirror::step_wgsl());
    assert_eq!(bytes(&stages, "Collider"), size_of::<pliant::mirror::ColliderRow>());
    assert_eq!(bytes(&stages, "Params"), size_of::<pliant::mirror::StepParams>());
    let faces = valid("triangles", &pliant::mirror::face_wgsl());
    assert_eq!(bytes(&faces, "Face"), pliant::step::contacts::buffers::FACE_BYTES);
    valid("rigid bodies", &pliant::mirror::rigid_wgsl());
}

/// A shader, after checking that every WebGPU would take it.
fn valid(name: &str, source: &str) -> naga::Module {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
    naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::empty(), // what every WebGPU has
    )
    .validate(&module)
    .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(source)));
    module
}

/// How many bytes a structure of a shader has.
fn bytes(module: &naga::Module, name: &str) -> usize {
    let ty = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
    ty.map_or(0, |(_, ty)| ty.inner.size(module.to_ctx()) as usize)
}

fn array_len(ty: &naga::TypeInner) -> usize {
    match ty {
        naga::TypeInner::Array { size: naga::ArraySize::Constant(len), .. } => len.get() as usize,
        _ => 0,
    }
}

/// What `Params` is in `project.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Params {
    first: u32,
    end: u32,
    count: u32,
    flags: u32,
    h: f32,
    omega: f32,
    hold_mask: u32,
    pad: u32,
}

/// [`Params::flags`].
const FIRST_ITERATION: u32 = 1;
const PBD: u32 = 2;
const CARRIED: u32 = 4;

/// The buffers of `project.wgsl`, in the order of their bindings after the parameters.
#[derive(Clone, Debug, Default)]
struct Buffers {
    xw: Vec<Vec4>,
    predicted: Vec<Vec4>,
    v: Vec<Vec4>,
    ids: Vec<u32>,
    rest_values: Vec<f32>,
    hold: Vec<Vec4>,
    lambda: Vec<f32>,
    /// Not used but by Jacobi; a binding must not be empty.
    moves: [Vec4; 1],
}

impl Buffers {
    /// What `project.wgsl` does with each.
    const ACCESS: [Access; 8] = {
        let mut access = [Access::Read; 8];
        access[0] = Access::Write; // xw
        access[6] = Access::Write; // lambda
        access[7] = Access::Write; // moves
        access
    };

    /// Runs `project` once per entry of `calls`, and brings positions and multipliers back.
    fn project(&mut self, gpu: &Gpu, shader: &Shader, calls: &[Params]) {
        let Self { xw, predicted, v, ids, rest_values, hold, lambda, moves } = &*self;
        let storage = [
            gpu.buffer(xw),
            gpu.buffer(predicted),
            gpu.buffer(v),
            gpu.buffer(ids),
            gpu.buffer(rest_values),
            gpu.buffer(hold),
            gpu.buffer(lambda),
            gpu.buffer(moves),
        ];
        let call = |&params: &Params| {
            let workgroups = (params.end - params.first).div_ceil(LANES);
            Call { entry: 0, workgroups, params }
        };
        gpu.run(shader, &storage, calls.iter().map(call));
        self.xw = gpu.download(&storage[0]);
        self.lambda = gpu.download(&storage[6]);
    }
}

/// A rule of the solver, and how often it is applied.
#[derive(Clone, Copy, Debug)]
struct Case {
    method: Method,
    /// Dashpot coefficient β (N·s/m for a distance).
    damping: f32,
    iterations: u32,
    /// Multiple of each correction that is made.
    omega: f32,
    precision: Precision,
}

impl Case {
    /// One iteration of undamped XPBD; the cases differ from it in what they name.
    const PLAIN: Self = Self {
        method: Method::Xpbd,
        damping: 0.0,
        iterations: 1,
        omega: 1.0,
        precision: Precision::Plain,
    };
}

/// Every rule and precision, in the first iteration alone and with later ones, and with corrections
/// that are made smaller and larger than they come out.
const CASES: &[Case] = &[
    Case::PLAIN,
    Case { iterations: 3, ..Case::PLAIN },
    Case { damping: 20.0, ..Case::PLAIN },
    Case { damping: 20.0, iterations: 3, omega: 1.4, ..Case::PLAIN },
    Case { damping: 20.0, iterations: 3, precision: Precision::Carried, ..Case::PLAIN },
    Case { method: Method::Pbd, omega: 0.7, ..Case::PLAIN },
    Case { method: Method::Pbd, iterations: 3, precision: Precision::Carried, ..Case::PLAIN },
];

#[test]
fn the_gpu_agrees_with_the_cpu() {
    let Some(gpu) = find_gpu() else { return };
    let mut report = format!("largest differences between the CPU and {}:\n", gpu.name);
    for kind in kinds() {
        let shader = gpu.shader(&source(kind), ["project"], &Buffers::ACCESS);
        let (mut off_x, mut off_lambda) = (0.0f32, 0.0f32);
        for &case in CASES {
            let mut world = batch(kind, case);
            let mut buffers = before(&world, kind, case);
            let start = buffers.positions(case);
            buffers.project(&gpu, &shader, &calls(case));
            let end = buffers.positions(case);
            step(&mut world, H).unwrap();

            let set = set_of(&world, kind);
            assert_eq!(set.colors(), 1, "{}: no two constraints share a particle", kind.name);
            let lambda: Vec<f32> = (0..COUNT).map(|n| set.lambda(n)).collect();
            let (here, there) = (floats(&world.particles.xw), floats(&end));
            assert!(largest(floats(&start), here) > 0.01, "{}: {case:?} moved nothing", kind.name);
            let what = |column| format!("{} of {} under {case:?}", column, kind.name);
            off_x = compare(&what("positions"), there, here, 1.0).max(off_x);
            let scale = largest(&lambda, &[0.0; COUNT]);
            off_lambda = compare(&what("λ"), &buffers.lambda, &lambda, scale).max(off_lambda);
        }
        report +=
            &format!("  {:<18} x {off_x:.1e} m, λ {off_lambda:.1e} of the largest\n", kind.name);
    }
    print!("{report}");
}

#[test]
fn degenerate_poses_stay_finite_on_the_gpu() {
    let Some(gpu) = find_gpu() else { return };
    for kind in kinds() {
        let shader = gpu.shader(&source(kind), ["project"], &Buffers::ACCESS);
        let poses = degenerate(kind.particles);
        for &case in CASES {
            let mut world = batch(kind, case);
            for (n, x) in world.particles.xw.chunks_exact_mut(kind.particles).enumerate() {
                let pose = &poses[n % poses.len()].x;
                x.iter_mut().zip(pose).for_each(|(row, x)| *row = x.extend(row.w));
            }
            let mut buffers = before(&world, kind, case);
            buffers.project(&gpu, &shader, &calls(case));
            for (i, row) in buffers.xw.iter().enumerate() {
                let what = &poses[i / kind.particles % poses.len()].what;
                assert!(row.is_finite(), "{}: {row} after {what}: {case:?}", kind.name);
            }
        }
    }
}

/// The device, or `None` where a user's machine has none. Where the project is tested it must be
/// there.
fn find_gpu() -> Option<Gpu> {
    let why = match Gpu::find() {
        Ok(gpu) => return Some(gpu),
        Err(why) => why,
    };
    let remedy = "install a Vulkan driver; for Mesa's software one, which needs no graphics card: \
                  `apt-get install mesa-vulkan-drivers libvulkan1`";
    let required = ["CI", "PLIANT_TEST_DATA"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(!required, "{why}; {remedy}");
    // Past the test harness, which would swallow what a passing test prints.
    let text = format!("NOT RUN: the GPU twins were not compared: {why}; {remedy}\n");
    std::io::stderr().write_all(text.as_bytes()).expect("the standard error is open");
    None
}

/// The constraints of a batch, before one substep under the rule of `case`.
fn batch(kind: &'static Kind, case: Case) -> World {
    let mut world = separate_constraints(kind, COUNT, case.damping).expect("valid rest values");
    world.config = Config {
        substeps: 1,
        iterations: case.iterations,
        method: case.method,
        precision: case.precision,
        omega: case.omega,
        gravity: Vec3::ZERO,
        ..Config::default()
    };
    world
}

fn set_of<'a>(world: &'a World, kind: &Kind) -> &'a Set {
    world.constraints().iter().find(|set| set.kind().name == kind.name).expect("it was added")
}

/// What the GPU sees: the world after a substep's free motion, and before its first iteration.
///
/// With a single colour a constraint's slot is its number.
fn before(world: &World, kind: &Kind, case: Case) -> Buffers {
    let set = set_of(world, kind);
    let v = world.particles.v.clone();
    let xw: Vec<Vec4> = world.particles.xw.iter().zip(&v).map(|(x, v)| *x + *v * H).collect();
    let rest: Vec<Vec<f32>> = (0..COUNT).map(|n| set.rest(n).collect()).collect();
    let hold = (0..COUNT).map(|n| {
        let Hold { compliance, damping, stiffness } = set.hold(n);
        let left = 1.0 - f64::from(stiffness);
        let share = 1.0 - left.powf(1.0 / f64::from(case.iterations));
        Vec4::new(compliance, damping, share as f32, 0.0)
    });
    let predicted: Vec<Vec4> = xw.iter().map(|row| row.with_w(0.0)).collect();
    let from = |x: Vec4| if case.precision == Precision::Carried { x } else { Vec4::ZERO };
    Buffers {
        xw: xw.iter().zip(&predicted).map(|(row, &x)| *row - from(x)).collect(),
        predicted,
        v,
        ids: (0..COUNT).flat_map(|n| set.particles(n)).copied().collect(),
        rest_values: (0..kind.rest_values).flat_map(|p| rest.iter().map(move |r| r[p])).collect(),
        hold: hold.collect(),
        // In the first iteration the multiplier is 0 whatever is left of the last substep.
        lambda: vec![f32::MAX; COUNT],
        moves: [Vec4::ZERO],
    }
}

impl Buffers {
    /// Where the particles are, whatever their rows hold.
    fn positions(&self, case: Case) -> Vec<Vec4> {
        let carried = case.precision == Precision::Carried;
        let from = self.predicted.iter().map(|x| if carried { *x } else { Vec4::ZERO });
        self.xw.iter().zip(from).map(|(row, x)| *row + x).collect()
    }
}

/// The dispatches of a substep. Two per iteration, to see that one stays within its slots.
fn calls(case: Case) -> Vec<Params> {
    let method = if case.method == Method::Pbd { PBD } else { 0 };
    let rows = if case.precision == Precision::Carried { CARRIED } else { 0 };
    let halves = [(0, 70), (70, COUNT as u32)];
    let iteration = |i| {
        let flags = method | rows | if i == 0 { FIRST_ITERATION } else { 0 };
        halves.map(|(first, end)| Params {
            first,
            end,
            count: COUNT as u32,
            flags,
            h: H,
            omega: case.omega,
            hold_mask: u32::MAX,
            pad: 0,
        })
    };
    (0..case.iterations).flat_map(iteration).collect()
}

/// Rows as numbers.
fn floats(rows: &[Vec4]) -> &[f32] {
    bytemuck::cast_slice(rows)
}

/// The largest difference between two numbers.
fn largest(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// The largest difference relative to `scale`, after checking that none is too large.
fn compare(what: &str, gpu: &[f32], cpu: &[f32], scale: f32) -> f32 {
    assert_eq!(gpu.len(), cpu.len(), "{what}: how many there are");
    for (i, (gpu, cpu)) in gpu.iter().zip(cpu).enumerate() {
        let close = (gpu - cpu).abs() <= TOLERANCE * scale;
        assert!(close, "{what}, number {i}: {gpu} on the GPU, but {cpu} on the CPU");
    }
    largest(gpu, cpu) / scale
}
