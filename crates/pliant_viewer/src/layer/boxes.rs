//! What the broad phase compares.

use pliant::glam::Vec3;
use pliant::look::false_color;

use super::{Layer, Look};
use crate::command::Wants;
use crate::drawing::Drawing;
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "broad phase",
    about: "boxes around patches of bodies that may touch, the redder the more of them overlap; Counts \
            says how many",
    shown: false,
    wants: Wants { boxes: true, rows: true, ..Wants::NONE },
    follows: false,
    draw,
};

/// Width of an edge (points).
const WIDTH: f32 = 1.0;

/// Boxes that one overlaps to have the last colour.
const MOST: f32 = 24.0;

/// The corners of a box as bits, x first, at the ends of its twelve edges.
const EDGES: [[u8; 2]; 12] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7], // along x
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7], // along y
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7], // along z
];

fn draw(moment: &Moment, _: &Look, drawing: &mut Drawing) {
    for patch in &moment.frame.boxes {
        let [low, high] = [patch.low, patch.high];
        let corner = |bits: u8| {
            let side = |axis: usize| if bits >> axis & 1 == 1 { high[axis] } else { low[axis] };
            Vec3::new(side(0), side(1), side(2))
        };
        let color = false_color(patch.overlaps as f32 / MOST);
        for ends in EDGES {
            drawing.line(ends.map(corner), WIDTH, color);
        }
    }
}
