//! `[view]`: where a scene is looked at from.

use pliant::glam::Vec3;
use pliant::{World, look, raster};

use super::fields::Fields;
use super::keys::{FAR, Form, Key, Table, Without};
use super::units;

/// `[view]`.
pub(super) static TABLE: Table = Table {
    name: "[view]",
    meaning: "where the scene is looked at from",
    keys: &[&[
        Key {
            name: "box",
            form: Form::Corners,
            without: Without::Else("what the bodies take up when the scene begins"),
            meaning: "what is to be seen: two corners of a box",
        },
        Key {
            name: "eye",
            form: Form::Numbers(3, units::LENGTH, -FAR, FAR),
            without: Without::Else("from where the box is seen well"),
            meaning: "where the camera is",
        },
        Key {
            name: "target",
            form: Form::Numbers(3, units::LENGTH, -FAR, FAR),
            without: Without::Else("the middle of the box"),
            meaning: "what it looks at",
        },
        Key {
            name: "field_of_view",
            form: Form::Number(units::ANGLE, 0.01, 3.0),
            without: Without::Else("that of the renderer"),
            meaning: "angle of the picture from below to above",
        },
    ]],
    settings: None,
    kinds: None,
};

/// An empty picture of the scene.
pub(super) fn stage(fields: Option<Fields<'_>>, world: &World) -> raster::Scene {
    let corners = fields.map(|fields| fields.points("box")).unwrap_or_default();
    let bounds = match corners.as_slice() {
        &[a, b] => [a.min(b), a.max(b)],
        _ => bounds(world),
    };
    let mut stage = look::stage(bounds);
    if let Some(fields) = fields {
        let camera = &mut stage.camera;
        camera.target = fields.maybe_vector("target").unwrap_or(camera.target);
        camera.eye = fields.maybe_vector("eye").unwrap_or(camera.eye);
        camera.field_of_view = fields.maybe("field_of_view").unwrap_or(camera.field_of_view);
    }
    stage
}

/// What the particles take up, and the ground below them that is not far.
fn bounds(world: &World) -> [Vec3; 2] {
    let positions = || world.particles.xw.iter().map(|row| row.truncate());
    let low = positions().fold(Vec3::splat(f32::MAX), Vec3::min);
    let high = positions().fold(Vec3::splat(f32::MIN), Vec3::max);
    if low.x > high.x {
        return [Vec3::NEG_ONE, Vec3::ONE];
    }
    let room = Vec3::splat((high - low).max_element().max(0.01) / 4.0);
    [low - room, high + room]
}
