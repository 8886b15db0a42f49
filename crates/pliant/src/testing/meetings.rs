//! Two bodies of a few particles that meet: one pair of each kind of contact.

use glam::Vec3;

use crate::body::Blueprint;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::contact::Touch;
use crate::error::WorldError;
use crate::world::{Config, World};

/// Half the thickness of a [`party`] (m).
pub const PARTY_RADIUS: f32 = 0.01;

/// A body of some particles of 0.1 kg each, linked in a row and, if there are three, with a triangle.
///
/// # Errors
/// If two particles are in one place.
pub fn party(x: &[Vec3], touch: Touch) -> Result<Blueprint, WorldError> {
    let mut body = Blueprint { radius: PARTY_RADIUS, ..Blueprint::default() };
    x.iter().for_each(|&x| _ = body.particle(x, 0.1));
    for k in 1..x.len() as u32 {
        body.join(&distance::KIND, &[k - 1, k], Hold::RIGID)?;
    }
    if x.len() == 3 {
        body.join(&distance::KIND, &[2, 0], Hold::RIGID)?;
        body.triangles.push([0, 1, 2]);
    }
    Ok(body.touching(touch))
}

/// Worlds without gravity in which one party flies onto another at an angle, each of one pair, with the
/// name of its kind.
///
/// # Errors
/// If `touch` has a number that no surface has.
pub fn meetings(touch: Touch) -> Result<Vec<(&'static str, World)>, WorldError> {
    let point = [Vec3::new(-0.01, 0.05, 0.005)];
    let link = [Vec3::new(-0.2, 0.0, 0.0), Vec3::new(0.2, 0.0, 0.01)];
    let raised = link.map(|x| x + Vec3::new(-0.01, 0.05, -0.005));
    let across = [Vec3::new(-0.01, 0.05, -0.2), Vec3::new(0.0, 0.05, 0.22)];
    let face = [Vec3::new(-0.2, 0.0, -0.2), Vec3::new(-0.2, 0.0, 0.3), Vec3::new(0.4, 0.0, 0.0)];
    let all: [(_, &[Vec3], &[Vec3]); 5] = [
        ("two particles", &point, &[Vec3::ZERO]),
        ("a particle and a link", &point, &link),
        ("a link and a particle", &raised, &[Vec3::ZERO]),
        ("two links", &across, &link),
        ("a particle and a face", &point, &face),
    ];
    let meeting = |(what, upper, lower)| Ok((what, meeting(upper, lower, touch)?));
    all.into_iter().map(meeting).collect()
}

fn meeting(upper: &[Vec3], lower: &[Vec3], touch: Touch) -> Result<World, WorldError> {
    let mut world = World::new(Config { gravity: Vec3::ZERO, ..Config::default() });
    world.add(&party(lower, touch)?)?;
    let above = world.add(&party(upper, touch)?)?;
    for i in world.body(above)?.range() {
        world.particles.set_velocity(i, Vec3::new(0.4, -1.0, 0.1));
    }
    Ok(world)
}
