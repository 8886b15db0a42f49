//! The same for kinds of regions: shape matching, balloons and cones.

use bytemuck::{Pod, Zeroable};
use pliant::constraint::set::Hold;
use pliant::glam::{Quat, Vec3, Vec3Swizzles, Vec4};
use pliant::region::buffers::{FitRow, Layout};
use pliant::region::matched::{Match, Mode, Scheme, Volume};
use pliant::region::{self, Dispatch, Over, RegionKind, balloon, cones};
use pliant::shapes::balloon::sphere;
use pliant::testing::Random;
use pliant::{Blueprint, Config, Method, Precision, World, step};

use crate::gpu::{Access, Call, Gpu, LANES, Shader};
use crate::{CARRIED, FIRST_ITERATION, H, PBD, bytes, compare, find_gpu, floats, largest, valid};

/// Our kinds.
fn kinds() -> impl Iterator<Item = &'static RegionKind> {
    region::ALL.iter().copied()
}

/// The whole shader of a kind.
fn source(kind: &RegionKind) -> String {
    [&region::wgsl(kind), kind.wgsl.unwrap_or_default()].concat()
}

/// What `Params` is in `region.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Params {
    first: u32,
    end: u32,
    flags: u32,
    h: f32,
    layout: Layout,
}

/// What `region.wgsl` does with its buffers.
const ACCESS: [Access; 8] = {
    let mut access = [Access::Read; 8];
    access[XW] = Access::Write;
    access[5] = Access::Write; // pushes
    access[FITS] = Access::Write;
    access[7] = Access::Write; // multipliers
    access
};
const XW: usize = 0;
const FITS: usize = 6;

#[test]
fn every_twin_is_valid_and_has_the_passes_of_its_kind() {
    for kind in kinds() {
        let module = valid(kind.name, &source(kind));
        for Dispatch { entry, .. } in kind.dispatches() {
            let found = module.entry_points.iter().find(|point| point.name == entry);
            let found = found.unwrap_or_else(|| panic!("{}: no entry `{entry}`", kind.name));
            assert_eq!(found.workgroup_size, [LANES, 1, 1], "{}: lanes of {entry}", kind.name);
        }
        // `gather` is there for all; those that act at the end of a substep have no use for it.
        let unused = usize::from(kind.acts_at_end());
        assert_eq!(kind.dispatches().count() + unused, module.entry_points.len(), "{}", kind.name);
        assert_eq!(bytes(&module, "Params"), size_of::<Params>(), "{}: Params", kind.name);
        assert_eq!(bytes(&module, "Fit"), size_of::<FitRow>(), "{}: Fit", kind.name);
    }
}

/// A rule of the solver, and how often it is applied.
#[derive(Clone, Copy, Debug)]
struct Case {
    method: Method,
    iterations: u32,
    precision: Precision,
}

const CASES: &[Case] = &[
    Case { method: Method::Xpbd, iterations: 1, precision: Precision::Plain },
    Case { method: Method::Xpbd, iterations: 4, precision: Precision::Plain },
    Case { method: Method::Xpbd, iterations: 4, precision: Precision::Carried },
    Case { method: Method::Pbd, iterations: 3, precision: Precision::Plain },
];

/// A body with regions of one kind, to be solved in a pose that is not at rest.
struct Sample {
    what: &'static str,
    body: Blueprint,
    pose: Pose,
}

/// How far a body is from its rest pose.
#[derive(Clone, Copy, Debug)]
struct Pose {
    /// Angle by which it is turned (rad).
    turn: f32,
    /// How far each particle is off its place, at most (m).
    noise: f32,
}

const FAR: Pose = Pose { turn: 1.0, noise: 0.1 };

/// For a shape that may turn about two held members: there the difference grows with the way from the
/// last fit, from 3e-7 for 0.01 rad and 0.01 m to 4e-5 for [`FAR`], which no substep makes.
const NEAR: Pose = Pose { turn: 0.1, noise: 0.05 };

/// How firmly the regions of a sample hold, in turn.
fn hold(number: usize) -> Hold {
    Hold { compliance: [0.0, 1e-6, 1e-5][number % 3], damping: 0.0, stiffness: 0.8 }
}

impl Sample {
    fn kind(&self) -> &'static RegionKind {
        self.body.regions[0].kind()
    }

    /// The compiled shader of the kind.
    fn shader(&self, gpu: &Gpu) -> Shader {
        let entries = self.kind().dispatches().map(|pass| pass.entry);
        gpu.shader(&source(self.kind()), entries, &ACCESS)
    }

    /// The body before one substep, with every particle off its place, and then moved by `place`.
    fn world(&self, case: Case, place: impl Fn(Vec3) -> Vec3) -> World {
        let Case { method, iterations, precision } = case;
        let gravity = Vec3::ZERO;
        let config =
            Config { substeps: 1, iterations, method, precision, gravity, ..Config::default() };
        let mut world = World::new(config);
        world.add(&self.body).expect("the body is valid");
        let mut random = Random::new(5);
        for (i, &x) in self.body.positions.iter().enumerate() {
            world.particles.set_position(i, place(x + random.vector(2.0 * self.pose.noise)));
            if !world.particles.pinned[i] {
                world.particles.set_velocity(i, random.vector(1.0));
            }
        }
        world
    }

    /// What the GPU makes of a world: positions, and what regions remember.
    fn solve(&self, gpu: &Gpu, shader: &Shader, world: &World) -> (Vec<Vec4>, Vec<Vec4>) {
        let particles = &world.particles;
        let buffers =
            world.regions_of(self.kind()).expect("it was added").buffers(particles, &world.config);
        let moved: Vec<Vec4> =
            particles.xw.iter().zip(&particles.v).map(|(x, v)| *x + *v * H).collect();
        let predicted: Vec<Vec4> = moved.iter().map(|row| row.with_w(0.0)).collect();
        let carried = world.config.precision == Precision::Carried;
        let from = |i: usize| if carried { predicted[i] } else { Vec4::ZERO };
        let xw: Vec<Vec4> = moved.iter().enumerate().map(|(i, row)| *row - from(i)).collect();
        let storage = [
            gpu.buffer(&xw),
            gpu.buffer(&predicted),
            gpu.buffer(&particles.v),
            gpu.buffer(&buffers.tables),
            gpu.buffer(&buffers.numbers),
            gpu.buffer(&buffers.pushes),
            gpu.buffer(&buffers.fits),
            gpu.buffer(&buffers.multipliers),
        ];
        gpu.run(shader, &storage, self.calls(&world.config, &buffers));
        let rows: Vec<Vec4> = gpu.download(&storage[XW]);
        let fits: Vec<FitRow> = gpu.download(&storage[FITS]);
        let x = rows.iter().enumerate().map(|(i, row)| *row + from(i)).collect();
        (x, fits.iter().map(|fit| fit.state).collect())
    }

    /// The dispatches of a substep. Two of each pass, to see that one stays within its rows.
    fn calls(&self, config: &Config, buffers: &region::Buffers) -> Vec<Call<Params>> {
        let method = if config.method == Method::Pbd { PBD } else { 0 };
        let rows = if config.precision == Precision::Carried { CARRIED } else { 0 };
        let mut calls = Vec::new();
        for iteration in 0..config.iterations {
            let flags = method | rows | if iteration == 0 { FIRST_ITERATION } else { 0 };
            for (entry, Dispatch { over, .. }) in self.kind().dispatches().enumerate() {
                let count = buffers.rows(over);
                for (first, end) in [(0, count / 3), (count / 3, count)] {
                    let per_group = if over == Over::Regions { 1 } else { LANES };
                    let params = Params { first, end, flags, h: H, layout: buffers.layout };
                    let workgroups = (end - first).div_ceil(per_group);
                    calls.push(Call { entry, workgroups, params });
                }
            }
        }
        calls
    }
}

/// Points in a cube of 1 m.
fn points(count: usize) -> Vec<Vec3> {
    let mut random = Random::new(3);
    (0..count).map(|_| random.vector(1.0)).collect()
}

/// Particles of many masses.
fn particles(positions: &[Vec3]) -> Blueprint {
    let mut random = Random::new(9);
    let mut body = Blueprint::default();
    positions.iter().for_each(|&x| _ = body.particle(x, random.between(0.1, 3.0)));
    body
}

/// Shapes of `size` particles in a row, each of which shares `shared` with the next.
fn clusters(shape: Match, [size, shared]: [usize; 2], positions: &[Vec3]) -> Blueprint {
    let mut body = particles(positions);
    let ids: Vec<u32> = (0..positions.len() as u32).collect();
    for (number, first) in (0..=ids.len() - size).step_by(size - shared).enumerate() {
        let region = Match { hold: hold(number), ..shape }.region(&ids[first..first + size]);
        body.gather(&region).expect("the region is valid");
    }
    body
}

/// Samples of shape matching: every mode, scheme and treatment of the volume; regions that are larger
/// and smaller than a workgroup, alone and overlapping; held particles; flat and straight shapes.
fn shapes() -> Vec<Sample> {
    let rigid = Match::RIGID;
    let linear = Match { mode: Mode::Linear, beta: 0.7, ..rigid };
    let kept = Match { volume: Volume::Kept, ..linear };
    let quadratic = Match { mode: Mode::Quadratic, ..kept };
    let explicit = Match { scheme: Scheme::Explicit, ..linear };
    let x = points(500);
    let held = |shape, pins| Blueprint { pins, ..clusters(shape, [100, 0], &x) };
    let flat: Vec<Vec3> = x.iter().map(|x| x.with_y(0.3 * x.x)).collect();
    let straight: Vec<Vec3> = x.iter().map(|x| Vec3::new(x.x, 0.3 * x.x, -x.x)).collect();
    vec![
        Sample { what: "rigid", body: clusters(rigid, [100, 0], &x), pose: FAR },
        Sample { what: "rigid, overlapping", body: clusters(rigid, [9, 5], &x), pose: FAR },
        Sample { what: "linear", body: clusters(linear, [100, 0], &x), pose: FAR },
        Sample { what: "linear, overlapping", body: clusters(kept, [20, 15], &x), pose: FAR },
        Sample { what: "linear, explicit", body: clusters(explicit, [30, 3], &x), pose: FAR },
        Sample { what: "rigid, held by two", body: held(rigid, vec![0, 30]), pose: NEAR },
        Sample { what: "linear, held", body: held(kept, vec![0, 30, 77, 130]), pose: FAR },
        Sample { what: "linear, flat", body: clusters(kept, [40, 10], &flat), pose: FAR },
        Sample { what: "linear, straight", body: clusters(kept, [40, 10], &straight), pose: FAR },
        Sample { what: "quadratic", body: clusters(quadratic, [100, 0], &x), pose: FAR },
        Sample {
            what: "quadratic, overlapping",
            body: clusters(quadratic, [40, 30], &x),
            pose: FAR,
        },
    ]
}

/// A surface of triangles, and how firmly it holds, as a region.
type Close = fn(&[[u32; 3]], Hold) -> region::Region;

/// Balls of 0.5 m with more corners than a workgroup has lanes.
fn balls(close: Close) -> Blueprint {
    let ball = sphere(0.5, 2);
    let count = ball.positions.len() as u32;
    let mut body = particles(&ball.positions.repeat(3));
    for number in 0..3 {
        let own = |ids: &[u32; 3]| ids.map(|id| id + number * count);
        let triangles: Vec<[u32; 3]> = ball.triangles.iter().map(own).collect();
        body.gather(&close(&triangles, hold(number as usize))).expect("the region is valid");
    }
    body.pins = vec![7, count + 20];
    body
}

/// A row of cubes of 0.5 m, each of which shares a side with the next.
fn row_of_cubes(close: Close) -> Blueprint {
    const CORNERS: [[f32; 2]; 4] = [[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]];
    const COUNT: u32 = 12;
    let corner = |n: u32| {
        let [y, z] = CORNERS[n as usize % 4];
        Vec3::new(0.5 * (n / 4) as f32, y, z)
    };
    let mut body = particles(&(0..4 * (COUNT + 1)).map(corner).collect::<Vec<_>>());
    for number in 0..COUNT {
        let mut triangles = vec![[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]];
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
        triangles.as_flattened_mut().iter_mut().for_each(|id| *id += 4 * number);
        body.gather(&close(&triangles, hold(number as usize))).expect("the region is valid");
    }
    body
}

/// Samples of surfaces: alone and sharing particles, some held, pumped up at once and slowly.
fn surfaces() -> Vec<Sample> {
    let at_once: Close = |triangles, hold| balloon::region(triangles, [1.5, 0.0], hold);
    let slowly: Close = |triangles, hold| balloon::region(triangles, [1.5, 100.0], hold);
    vec![
        Sample { what: "balloons", body: balls(at_once), pose: FAR },
        Sample { what: "balloons, pumped", body: balls(slowly), pose: FAR },
        Sample { what: "balloons, overlapping", body: row_of_cubes(slowly), pose: FAR },
        Sample { what: "cones", body: balls(cones::region), pose: FAR },
        Sample { what: "cones, overlapping", body: row_of_cubes(cones::region), pose: FAR },
    ]
}

#[test]
fn the_gpu_agrees_with_the_cpu_on_regions() {
    let Some(gpu) = find_gpu() else { return };
    let mut report = format!("largest differences between the CPU and {}:\n", gpu.name);
    for sample in shapes().into_iter().chain(surfaces()) {
        let (what, shader) = (sample.what, sample.shader(&gpu));
        let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), sample.pose.turn);
        let place = |x: Vec3| turn * x + Vec3::new(0.1, 0.2, -0.3);
        let (mut off_x, mut off_state) = (0.0f32, 0.0f32);
        for &case in CASES {
            let mut world = sample.world(case, place);
            let (x, state) = sample.solve(&gpu, &shader, &world);
            let start = world.particles.xw.clone();
            step(&mut world, H).expect("the settings are valid");

            let here = floats(&world.particles.xw);
            let moved = largest(floats(&start), here);
            assert!(moved > sample.pose.noise / 5.0, "{what}: {case:?} moved nothing");
            let named = |column| format!("{column} of {what} under {case:?}");
            off_x = compare(&named("positions"), floats(&x), here, 1.0).max(off_x);
            let set = world.regions_of(sample.kind()).expect("it was added");
            let states: Vec<Vec4> = (0..set.len()).map(|n| set.state(n)).collect();
            let scale = states.iter().map(|row| row.abs().max_element()).fold(1.0, f32::max);
            // About a straight shape, any rotation fits as well.
            if !what.contains("straight") {
                off_state =
                    compare(&named("state"), floats(&state), floats(&states), scale).max(off_state);
            }
        }
        report += &format!("  {what:<23} x {off_x:.1e} m, state {off_state:.1e}\n");
    }
    print!("{report}");
}

/// Poses that leave a fit open: in one place, in line, in a plane, inside out.
const DEGENERATE: [fn(Vec3) -> Vec3; 4] = [|_| Vec3::X, |x| x.xxx(), |x| x.with_z(0.0), |x| -x];

#[test]
fn degenerate_regions_stay_finite_on_the_gpu() {
    let Some(gpu) = find_gpu() else { return };
    for sample in shapes().into_iter().chain(surfaces()) {
        let shader = sample.shader(&gpu);
        for (number, place) in DEGENERATE.iter().enumerate() {
            for &case in CASES {
                let world = sample.world(case, place);
                let (x, state) = sample.solve(&gpu, &shader, &world);
                for row in x.iter().chain(&state) {
                    assert!(row.is_finite(), "{}, {number}: {row} under {case:?}", sample.what);
                }
            }
        }
    }
}
