//! What a newcomer sees first: cloth, jelly, foam, rope and wind in one picture.

use std::error::Error;

use glam::{Quat, UVec3, Vec3};

use super::{Scene, flag, swing, within};
use crate::body::Blueprint;
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::force::wind::Wind;
use crate::measure::strain;
use crate::shapes::{Bending, Cloth, TetBox};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "showcase",
    shows: "a cloth falls over a ball, a jelly lands, a plank swings and a flag flies",
    size: 46,
    test_size: 16,
    build,
    stage: |_| [Vec3::new(-1.1, 0.0, -0.8), Vec3::new(0.9, 1.65, 0.9)],
    seconds: 2.0,
    check,
};

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.1, ..Config::default() });
    world.colliders.push(Collider { friction: 0.5, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    let ball = Collider::sphere(BALL, 0.35)?;
    world.colliders.push(Collider { friction: 0.4, ..ball });
    add_cloth(&mut world, size)?;
    add_jelly(&mut world, size / 4)?;
    add_swing(&mut world, size / 2)?;
    add_flag(&mut world, size)?;
    Ok(world)
}

/// The middle of the ball under the cloth (m).
const BALL: Vec3 = Vec3::new(-0.55, 0.35, 0.4);

fn add_cloth(world: &mut World, size: u32) -> Result<(), Box<dyn Error>> {
    let spacing = [1.0 / (size.max(2) - 1) as f32; 2];
    let cloth = Cloth {
        columns: size,
        rows: size,
        spacing,
        areal_density: 0.3,
        stretch: Hold::spring(1e4),
        shear: Some(Hold::spring(5e2)),
        bending: Bending::Hinges(Hold::spring(1e-4)),
        radius: 0.008,
    };
    let turn = Quat::from_rotation_y(0.6);
    world.add(&cloth.blueprint()?.placed(turn, BALL + Vec3::Y * 0.6))?;
    Ok(())
}

fn add_jelly(world: &mut World, size: u32) -> Result<(), Box<dyn Error>> {
    let counts = UVec3::splat(size.max(3));
    let spacing = 0.36 / (counts.x - 1) as f32;
    let edges = Hold::spring(1.2e4 * spacing).damped(0.4);
    let jelly = TetBox { counts, spacing, edges, ..TetBox::default() };
    let turn = Quat::from_rotation_y(0.4) * Quat::from_rotation_z(0.5);
    world.add(&jelly.blueprint()?.placed(turn, Vec3::new(0.3, 0.75, 0.5)))?;
    Ok(())
}

/// A swing, and the frame it hangs from.
fn add_swing(world: &mut World, size: u32) -> Result<(), Box<dyn Error>> {
    let top = Vec3::new(0.45, 1.1, -0.3);
    swing::add(world, size, top)?;
    let post = |side: f32| [Vec3::new(top.x + side, 0.0, top.z), top + Vec3::X * side];
    let ([a, b], [c, d]) = (post(-0.34), post(0.34));
    add_rod(world, &[a, b, d, c])
}

/// A flag, and the pole it is tied to.
fn add_flag(world: &mut World, size: u32) -> Result<(), Box<dyn Error>> {
    let cloth = flag::cloth(size);
    let hoist: Vec<u32> = (0..cloth.rows).map(|row| row * cloth.columns).collect();
    let upright = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let foot = Vec3::new(-0.75, 0.0, -0.6);
    let place = foot + Vec3::new(0.47, 1.3, 0.0);
    let flag = world.add(&cloth.blueprint()?.pinned(&hoist).placed(upright, place))?;
    let wind = Wind { velocity: Vec3::new(5.0, 0.0, -1.0), ..Wind::default() };
    let wind = wind.on(world.body(flag)?);
    world.forces.push(wind);
    add_rod(world, &[foot, foot + Vec3::Y * 1.65])
}

/// A rod that nothing moves: pinned particles, drawn as a line.
fn add_rod(world: &mut World, points: &[Vec3]) -> Result<(), Box<dyn Error>> {
    let mut rod = Blueprint { name: "rod".into(), radius: 0.018, ..Blueprint::default() };
    rod.pins = points.iter().map(|&x| rod.particle(x, 1.0)).collect();
    world.add(&rod)?;
    Ok(())
}

fn check(world: &World) -> Result<(), String> {
    within("the largest strain", strain::largest(world), 0.0, 0.5)?;
    within("the lowest point (m)", super::lowest(world), -1e-3, 0.1)
}
