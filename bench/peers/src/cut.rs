//! Cuts of the same bodies by the same blade.

use std::error::Error;

use pliant::glam::{UVec3, Vec3};
use pliant::shapes::{Bending, Cloth, TetBox};
use pliant::{Blade, Blueprint, World, step};

use crate::Workload;
use crate::race::{Times, print, time};
use crate::rapier::{Effort, vector, world_of};

pub(crate) const WORKLOAD: &Workload = &Workload {
    name: "cut",
    shows: "across 50 cells of a cloth of 100 x 100 particles, and through a cube of 20 x 20 x 20",
    run,
};

/// Cuts of each, in turn, each of a new body.
const REPEATS: usize = 7;

/// Length of the step before the cut (s), so that all is set up, and of the one after.
const FRAME: f32 = 1.0 / 60.0;

fn run() -> Result<(), Box<dyn Error>> {
    let cloth = Cloth {
        columns: 100,
        rows: 100,
        spacing: [0.1; 2],
        bending: Bending::Free,
        ..Cloth::default()
    };
    // At a slant from the border inwards; 50 cells of 0.1 m reach from -4.95 to 0.05.
    let slit = [[-9.0, 9.0, -0.8], [0.05, 0.0, 0.103], [-9.0, -9.0, -0.8]].map(Vec3::from_array);
    race("cloth of 100 x 100, across 50 cells", &cloth.blueprint()?, slit)?;
    let cube = TetBox { counts: UVec3::splat(20), ..TetBox::default() };
    let (far, normal) = (30.0, Vec3::new(1.0, 0.1, 0.2).normalize());
    let side = normal.any_orthonormal_vector();
    let (u, v) = (side * far, normal.cross(side) * far);
    let through = [-u - v, 2.0 * u, 2.0 * v - u].map(|x| x + Vec3::splat(0.0031));
    race("cube of 20 x 20 x 20, through the middle", &cube.blueprint()?, through)
}

fn race(title: &str, body: &Blueprint, corners: [Vec3; 3]) -> Result<(), Box<dyn Error>> {
    let (blade, theirs) = (Blade::triangles(&[corners])?, corners.map(vector));
    let effort = Effort::ALL[0];
    let (mut cuts, mut steps) = (
        [Times::of("pliant"), Times::of("rapier3d")],
        [Times::of("pliant"), Times::of("rapier3d")],
    );
    let mut made = [0; 2];
    for _ in 0..REPEATS {
        let mut world = World::default();
        world.config.threads = 1;
        world.add(body)?;
        let mut other = world_of(&world, effort);
        step(&mut world, FRAME)?;
        other.step();
        let (before, (ms, cut)) = (world.particles.len(), time(|| world.cut(&blade)));
        cut?;
        cuts[0].ms.push(ms);
        made[0] = world.particles.len() - before;
        let (ms, stepped) = time(|| step(&mut world, FRAME));
        stepped?;
        steps[0].ms.push(ms);
        let handle = other.soft_bodies().next().map(|(handle, _)| handle).ok_or("no body")?;
        let (ms, event) = time(|| other.cut_soft_body(handle, &theirs));
        cuts[1].ms.push(ms);
        made[1] = event.ok_or("rapier3d cuts nothing")?.split_particles.len();
        steps[1].ms.push(time(|| other.step()).0);
    }
    let more = made.map(|count| format!("{count} particles split"));
    print(&format!("cut: {title}"), &cuts, &more);
    print(&format!("the step after: {title}"), &steps, &more.map(|_| String::new()));
    Ok(())
}
