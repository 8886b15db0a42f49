//! What contact costs as worlds grow: cloths that lie on each other, from a thousand particles to a million.

use std::time::Instant;

use pliant::contact::Touch;
use pliant::glam::{Quat, Vec3};
use pliant::shapes::Cloth;
use pliant::{Collider, World, step};

use crate::Bench;
use crate::table::{Cell, Table};

pub(crate) const BENCH: &Bench = &Bench {
    name: "growth",
    shows: "frames of 1 024 to 1 024 000 particles of cloths that lie on each other in pairs",
    run: |_| run().map_err(|error| error.to_string()),
    figure: None,
};

const FRAME: f32 = 1.0 / 60.0;
/// Particles on a side of a cloth, and how far apart they are (m).
const SIDE: u32 = 16;
const SPACING: f32 = 0.02;
/// Half the thickness of a cloth (m).
const RADIUS: f32 = 0.003;
/// Pairs of cloths in a world.
const PAIRS: [u32; 7] = [2, 6, 20, 60, 200, 600, 2000];
/// Frames until they lie, and frames of which the median counts.
const FRAMES: [usize; 2] = [4, 3];

fn run() -> Result<Table, Box<dyn std::error::Error>> {
    let mut rows = Vec::new();
    for pairs in PAIRS {
        let mut world = build(pairs)?;
        world.config.threads = 1;
        for _ in 0..FRAMES[0] {
            step(&mut world, FRAME)?;
        }
        let mut times = Vec::new();
        for _ in 0..FRAMES[1] {
            let start = Instant::now();
            step(&mut world, FRAME)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let (ms, report) = (times[FRAMES[1] / 2], world.contact_report());
        let particles = world.particles.len();
        rows.push(vec![
            Cell::Count(particles),
            Cell::Count(report.contacts),
            Cell::Number(ms),
            Cell::Number(ms * 1e3 / particles as f64),
            Cell::Number(ms * 1e3 / report.contacts as f64),
            Cell::Number(report.deepest_share.into()),
        ]);
    }
    let headings = &[
        "particles",
        "contacts",
        "ms a frame",
        "µs a particle",
        "µs a contact",
        "deepest / thickness",
    ];
    Ok(Table { headings, rows })
}

/// Pairs of cloths on a floor, side by side: one lies on the other, turned by an eighth of a turn.
fn build(pairs: u32) -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::default();
    world.colliders.push(Collider { friction: 0.5, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    let cloth = Cloth {
        columns: SIDE,
        rows: SIDE,
        spacing: [SPACING; 2],
        radius: RADIUS,
        ..Cloth::default()
    };
    let cloth = cloth.blueprint()?.touching(Touch::ALL);
    let row = f64::from(pairs).sqrt().ceil() as u32;
    for number in 0..pairs {
        let [column, line] = [number % row, number / row].map(|n| n as f32);
        let place = Vec3::new(column, 0.0, line) * (2.0 * SIDE as f32 * SPACING);
        for (layer, turn) in [(1.0, 0.0), (3.2, std::f32::consts::FRAC_PI_4)] {
            let place = place + Vec3::Y * (layer * RADIUS);
            world.add(&cloth.clone().placed(Quat::from_rotation_y(turn), place))?;
        }
    }
    Ok(world)
}
