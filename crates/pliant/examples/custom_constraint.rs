//! A constraint kind of your own: a bungee cord, slack until it is taut, in a crate that only
//! uses `pliant`.
//!
//! A kind is C and its gradient. Lanes, threads, colours, the solver's rules and snapshots come
//! with it, and `pliant::testing` checks it.

use std::error::Error;

use pliant::constraint::{Constraint, Kind, Sense};
use pliant::glam::{Quat, UVec3, Vec3};
use pliant::lanes::{Real, V3};
use pliant::shapes::TetBox;
use pliant::{Blueprint, Config, Hold, SnapshotError, World, step, testing};

/// The kind, as `join` and `restore_with` want it.
static CORD: Kind = Kind::of::<Cord, 2, 1>();

/// Keeps two particles at most a length l₀ apart, and does nothing while they are closer.
///
/// ```text
/// C(x) = |x₀ − x₁| − l₀ ≤ 0       (m)
/// ∇₀C = n,  ∇₁C = −n,  n = (x₀ − x₁) / |x₀ − x₁|
/// ```
struct Cord;

impl Constraint<2, 1> for Cord {
    const NAME: &'static str = "cord";
    const SHOWS: &'static str = "keeps two particles at most a length apart";
    const UNIT: &'static str = "m";
    const SENSE: Sense = Sense::AtMost;
    // `None` would keep the kind on the CPU.
    const WGSL: Option<&'static str> = Some(
        "const N = 2;
const P = 1;

fn eval(x: array<vec3f, N>, rest: array<f32, P>) -> Eval {
    let d = x[0] - x[1];
    let length = sqrt(dot(d, d));
    let n = d * div_or_zero(1.0, length);
    return Eval(length - rest[0], array(n, -n));
}
",
    );

    #[inline(always)]
    fn eval<R: Real>([x0, x1]: [V3<R>; 2], [length]: [R; 1]) -> (R, [V3<R>; 2]) {
        let d = x0 - x1;
        let apart = d.length();
        let n = d * apart.lit(1.0).div_or_zero(apart);
        (apart - length, [n, -n])
    }

    fn rest([x0, x1]: [V3<f64>; 2]) -> [f64; 1] {
        [(x0 - x1).length()]
    }
}

const FRAME: f32 = 1.0 / 60.0;
/// Length of the cord (m).
const LENGTH: f32 = 2.0;
/// What the cord adds to its pull for every metre of stretch (N/m).
const STIFFNESS: f32 = 5.0;

fn main() -> Result<(), Box<dyn Error>> {
    testing::check_kind(&CORD)?;
    println!("the cord passes the {} checks of a kind\n", testing::CHECKS.len());

    let (mut world, jump) = bungee_jump()?;
    println!("  time      fallen     cord");
    let (mut deepest, mut restored) = (0.0f32, None);
    for frame in 1..=150 {
        step(&mut world, FRAME)?;
        deepest = deepest.max(jump.fallen(&world));
        if frame % 15 == 0 {
            let pull = jump.pull(&world);
            let state = if pull > 0.0 { format!("{pull:5.1} N") } else { "slack".into() };
            println!("{:5.2} s  {:6.3} m   {state}", world.time, jump.fallen(&world));
        }
        if frame == 30 {
            falls_freely(&world, &jump)?;
        }
        if frame == 75 {
            restored = Some(World::restore_with(&world.save(), &[&CORD])?);
        }
    }
    stretches_as_energy_says(&jump, deepest)?;
    goes_on_after_a_snapshot(restored.ok_or("no snapshot was taken")?, &world)
}

/// A jelly cube on a cord, about to fall, and what to watch.
struct Jump {
    /// A corner of the cube, which the cord is tied to.
    corner: usize,
    /// Number of the cord among its kind.
    cord: usize,
    /// Mass of the cube (kg).
    mass: f32,
}

/// The cube is made of built-in kinds; the cord goes from the bridge to one of its corners.
fn bungee_jump() -> Result<(World, Jump), Box<dyn Error>> {
    let mut world = World::new(Config::default());
    let mut bridge = Blueprint::default();
    let rail = bridge.particle(Vec3::ZERO, 1.0);
    let bridge = world.add(&bridge.pinned(&[rail]))?;
    let cube = TetBox {
        counts: UVec3::splat(4),
        density: 200.0,
        edges: Hold::spring(2000.0).damped(5.0),
        ..TetBox::default()
    };
    let cube = cube.blueprint()?;
    let mass = cube.masses.iter().sum();
    // The corner is at the rail: the last particle is the one farthest along x, y and z.
    let last = cube.positions.len() - 1;
    let start = -cube.positions[last];
    let cube = world.add(&cube.placed(Quat::IDENTITY, start))?;
    let corner = world.body(cube)?.range().start + last;
    let rail = world.body(bridge)?.particles.start;
    let ends = [rail, corner as u32];
    let cord = world.join_with_rest(&CORD, &ends, &[LENGTH], Hold::spring(STIFFNESS))?;
    Ok((world, Jump { corner, cord, mass }))
}

impl Jump {
    /// How far the corner has fallen (m).
    fn fallen(&self, world: &World) -> f32 {
        -world.particles.position(self.corner).y
    }

    /// The pull of the cord (N): λ/h² is the force along the gradient, which points outwards.
    fn pull(&self, world: &World) -> f32 {
        let (cords, h) = (world.constraints_of(&CORD), world.substep());
        cords.map_or(0.0, |cords| -cords.lambda(self.cord) / (h * h))
    }
}

/// While the cord is slack nothing holds the cube: s = ½ g t².
fn falls_freely(world: &World, jump: &Jump) -> Result<(), Box<dyn Error>> {
    let expected = (0.5 * 9.81 * world.time * world.time) as f32;
    let fallen = jump.fallen(world);
    if (fallen - expected).abs() > 0.02 * expected || jump.pull(world) > 0.0 {
        let pull = jump.pull(world);
        return Err(format!("fell {fallen} m and not {expected} m; the cord pulls {pull} N").into());
    }
    Ok(())
}

/// At the lowest point the weight has done what the cord has taken: m g (l₀ + s) = ½ k s².
fn stretches_as_energy_says(jump: &Jump, deepest: f32) -> Result<(), Box<dyn Error>> {
    let weight = jump.mass * 9.81;
    let stretch =
        (weight + (weight * weight + 2.0 * STIFFNESS * weight * LENGTH).sqrt()) / STIFFNESS;
    let expected = LENGTH + stretch;
    println!("\ndeepest {deepest:.3} m; by energy {expected:.3} m");
    if (deepest - expected).abs() > 0.05 * expected {
        return Err(format!("fell to {deepest} m, but energy says {expected} m").into());
    }
    Ok(())
}

/// A world with the cord in it comes back from bytes and goes on, bit for bit.
fn goes_on_after_a_snapshot(mut restored: World, world: &World) -> Result<(), Box<dyn Error>> {
    while restored.time < world.time {
        step(&mut restored, FRAME)?;
    }
    let (there, here) = (restored.hash(), world.hash());
    if there != here {
        return Err(format!("after the snapshot the hash is {there:016x}, not {here:016x}").into());
    }
    println!("saved in mid-jump and restored, it ends in the same bits: {here:016x}");
    match World::restore(&world.save()) {
        Err(error @ SnapshotError::UnknownKind { .. }) => println!("without the kind: {error}"),
        other => return Err(format!("an unknown kind was not refused: {other:?}").into()),
    }
    Ok(())
}
