//! The surfaces of bodies, and ropes.

use pliant::glam::Vec3;
use pliant::look::{false_color, inside_of};
use pliant::mesh::TriMesh;

use super::{Layer, Look};
use crate::command::Wants;
use crate::costume::Worn;
use crate::crease::Creased;
use crate::drawing::Drawing;
use crate::frame::{Shape, Surface};
use crate::moment::Moment;

pub(super) const LAYER: Layer = Layer {
    name: "surfaces",
    about: "what bodies look like",
    shown: true,
    wants: Wants::NONE,
    follows: true,
    draw,
};

fn draw(moment: &Moment, look: &Look, drawing: &mut Drawing) {
    let shares = look.shares(moment);
    for (shape, surface) in moment.frame.plan.bodies.iter().zip(moment.surfaces()) {
        let range = shape.particles.start as usize..shape.particles.end as usize;
        let own = shares.as_ref().and_then(|shares| shares.get(range));
        match (surface, &shape.surface) {
            (Some(mesh), _) => {
                let colors = own.map(|own| colors(shape, own));
                let worn = shape.worn.as_ref().filter(|_| look.textures && colors.is_none());
                match (&shape.on_cloth, worn) {
                    (_, Some(worn)) => dressed(shape, mesh, worn, drawing),
                    (Some(places), _) if look.fabric && colors.is_none() => {
                        drawing.hang(|| shape.bindings());
                        drawing.woven(mesh, places, shape.color);
                    }
                    _ => body(shape, mesh, colors, drawing),
                }
            }
            (None, Surface::Rope(radius)) => rope(moment, shape, own, (*radius, drawing)),
            (None, _) => {}
        }
    }
}

/// A surface with what it wears; cuts show that it is only skin-deep.
fn dressed(shape: &Shape, mesh: &TriMesh, worn: &Worn, drawing: &mut Drawing) {
    let mesh = Creased::apply(shape.creased.as_ref(), mesh);
    drawing.hang(|| Creased::spread(shape.creased.as_ref(), shape.bindings()));
    drawing.dressed(&mesh, worn, shape.color);
    let [_, triangles] = shape.outside_and_inside(&mesh);
    if !triangles.is_empty() {
        let part = TriMesh { positions: mesh.positions.clone(), triangles };
        drawing.mesh(&part, &[inside_of(shape.color)]);
    }
}

/// A surface, apart from what cuts have laid open in it, which has a colour and normals of its own.
fn body(shape: &Shape, mesh: &TriMesh, colors: Option<Vec<Vec3>>, drawing: &mut Drawing) {
    let mesh = Creased::apply(shape.creased.as_ref(), mesh);
    drawing.hang(|| Creased::spread(shape.creased.as_ref(), shape.bindings()));
    let colors = colors.map(|colors| Creased::spread(shape.creased.as_ref(), colors));
    let parts = shape.outside_and_inside(&mesh);
    if parts[1].is_empty() {
        return drawing.mesh(&mesh, colors.as_deref().unwrap_or(&[shape.color]));
    }
    let both = [shape.color, inside_of(shape.color)];
    for (triangles, color) in parts.into_iter().zip(both) {
        let part = TriMesh { positions: mesh.positions.clone(), triangles };
        drawing.mesh(&part, colors.as_deref().unwrap_or(&[color]));
    }
}

/// One colour for each vertex.
fn colors(shape: &Shape, own: &[f32]) -> Vec<Vec3> {
    let bound = match &shape.surface {
        Surface::Skin(skin) => Some(skin.interpolate(own)),
        _ => None,
    };
    bound.as_deref().unwrap_or(own).iter().map(|share| false_color(*share)).collect()
}

fn rope(moment: &Moment, shape: &Shape, own: Option<&[f32]>, (radius, to): (f32, &mut Drawing)) {
    let particles: Vec<u32> = shape.particles.clone().collect();
    let color = |k: usize| match own {
        Some(own) => own.get(k).map_or(shape.color, |share| false_color(*share)),
        None => shape.color,
    };
    for (k, pair) in particles.windows(2).enumerate() {
        if let (Some(a), Some(b)) = (moment.at(pair[0]), moment.at(pair[1])) {
            to.rod([a, b], radius, color(k));
            to.hang_rod([pair[0], pair[1]]);
        }
    }
    for (k, &i) in particles.iter().enumerate() {
        if let Some(x) = moment.at(i) {
            to.ball(x, radius, color(k));
            to.hang_ball(i);
        }
    }
}
