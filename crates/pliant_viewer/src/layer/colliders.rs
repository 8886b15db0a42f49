//! What bodies meet.

use pliant::raster::Item;

use super::{Layer, Look};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "colliders",
    about: "floors, balls, boxes and whatever else bodies meet",
    shown: true,
    wants: Wants::NONE,
    follows: false,
    draw,
};

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    for item in &moment.frame.stage.items {
        match item {
            Item::Mesh(mesh) => drawing.solid(mesh),
            Item::Sphere(ball) => drawing.ball(ball.center, ball.radius, ball.material.color),
            Item::Tube(tube) => {
                for pair in tube.points.windows(2) {
                    drawing.rod([pair[0], pair[1]], tube.radius, tube.material.color);
                }
                for &point in &tube.points {
                    drawing.ball(point, tube.radius, tube.material.color);
                }
            }
        }
    }
    drawing.show_ground();
}
