//! A cloth that hangs by two corners.

use pliant::{World, shapes::Cloth, step};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::default();
    // A cloth of half a metre, held at two corners of one side.
    let cloth = Cloth { columns: 20, rows: 20, ..Cloth::default() };
    let id = world.add(&cloth.blueprint()?.pinned(&cloth.corners()[..2]))?;

    for _ in 0..120 {
        step(&mut world, 1.0 / 60.0)?;
    }
    let lowest = world.positions(id)?.map(|x| x.y).fold(f32::MAX, f32::min);
    println!("after {:.1} s the cloth reaches down to {lowest:.3} m", world.time);
    Ok(())
}
