//! Balloons that are pumped up while they fall and bounce.

use std::error::Error;

use glam::{Quat, Vec3};

use super::{Scene, within};
use crate::collider::Collider;
use crate::constraint::set::Hold;
use crate::measure::volume;
use crate::region;
use crate::shapes::balloon::{Balloon, Inside, sphere};
use crate::world::{Config, World};

/// See [`SCENE`].
pub const SCENE: &Scene = &Scene {
    name: "balloon",
    shows: "three balloons fall and bounce while they are pumped up to 1, 1.5 and 2 times their volume",
    size: 32,
    test_size: 8,
    build,
    stage: |_| [Vec3::new(-0.65, 0.0, -0.25), Vec3::new(0.65, 0.75, 0.25)],
    seconds: 6.0,
    check,
};

/// Radius at rest (m).
const RADIUS: f32 = 0.15;
/// Volumes that they are pumped to, over that at rest.
const PRESSURES: [f32; 3] = [1.0, 1.5, 2.0];
/// How fast (1/s): the largest takes two seconds.
const RATE: f32 = 0.5;

fn build(size: u32) -> Result<World, Box<dyn Error>> {
    let mut world = World::new(Config { damping: 0.6, substeps: 60, ..Config::default() });
    let floor = Collider::plane(Vec3::ZERO, Vec3::Y)?;
    world.colliders.push(Collider { friction: 0.4, restitution: 0.3, ..floor });
    for (k, pressure) in PRESSURES.into_iter().enumerate() {
        let balloon = Balloon {
            // Each level doubles the particles around the equator, of which there are 8 at first.
            surface: sphere(RADIUS, (size / 8).max(1).ilog2() + 1),
            areal_density: 0.2,
            radius: 0.003,
            // A thin rubber, and many substeps: one round of Gauss-Seidel in a fixed order turns a
            // skin of tension T by w T² h² in every second, which a light and tight one feels.
            stretch: Hold::spring(3.0),
            bending: None,
            inside: Inside::Air {
                pressure,
                rate: RATE,
                hold: Hold { compliance: 1e-8, ..Hold::RIGID },
            },
        };
        let turn = Quat::from_rotation_z(0.3 * k as f32);
        world.add(&balloon.blueprint()?.placed(turn, place(k)))?;
    }
    Ok(world)
}

/// Where balloon `k` begins (m).
fn place(k: usize) -> Vec3 {
    Vec3::new(0.42 * (k as f32 - 1.0), 0.5, 0.0)
}

fn check(world: &World) -> Result<(), String> {
    let set = world.regions_of(&region::balloon::KIND).ok_or("there are no balloons")?;
    for (number, (_, body)) in world.bodies().enumerate() {
        let range = body.triangles.start as usize..body.triangles.end as usize;
        let ratio = volume::enclosed(world, &world.triangles()[range]) / set.rest_volume(number);
        let wanted = f64::from(PRESSURES[number]);
        within("the volume over what was pumped in", ratio / wanted, 0.995, 1.005)?;
        let xw = &world.particles.xw[body.range()];
        let middle = xw.iter().map(|row| row.truncate()).sum::<Vec3>() / xw.len() as f32;
        let strayed = middle.with_y(0.0).distance(place(number).with_y(0.0));
        // A ball with facets bounces a little to one side; it does not roll away.
        within("how far a balloon has strayed (m)", f64::from(strayed), 0.0, 0.1)?;
        let mean = world.particles.v[body.range()].iter().map(|v| v.truncate()).sum::<Vec3>();
        let speed = mean.length() / xw.len() as f32;
        within("how fast a balloon moves (m/s)", f64::from(speed), 0.0, 0.05)?;
    }
    within("the lowest point (m)", super::lowest(world), -1e-3, 0.1)
}
