//! What can be shown of a world. One more layer is one file here and one line in [`ALL`].

mod boxes;
mod colliders;
mod contacts;
mod ghosts;
mod gravity;
mod links;
mod marks;
mod particles;
mod pins;
mod pull;
mod selected;
mod surfaces;
mod velocities;
mod wind;
mod wireframe;

use std::sync::Arc;

use pliant::glam::Vec3;
use pliant::look::Scale;
use pliant::mesh::Aabb;

use crate::command::Wants;
use crate::drawing::{Drawing, Followed, Ties};
use crate::moment::Moment;
pub use pins::pin_head;

/// A layer.
pub struct Layer {
    /// Its name, for people.
    pub name: &'static str,
    /// One sentence: what is seen.
    pub about: &'static str,
    /// Whether it is shown from the start.
    pub shown: bool,
    /// What it needs from the simulation.
    pub wants: Wants,
    /// Whether all that it draws hangs on particles, so that it can be drawn from where these are
    /// simulated.
    pub follows: bool,
    /// Draws it.
    pub draw: fn(&Moment, &Look, &mut Drawing),
}

/// Every layer, in the order in which they are listed.
pub const ALL: &[Layer] = &[
    surfaces::LAYER,
    colliders::LAYER,
    wireframe::LAYER,
    particles::LAYER,
    links::LAYER,
    velocities::LAYER,
    ghosts::LAYER,
    contacts::LAYER,
    boxes::LAYER,
    pins::LAYER,
    selected::LAYER,
    wind::LAYER,
    gravity::LAYER,
    marks::LAYER,
    pull::LAYER,
];

/// What is shown, and in which colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Which layers are shown, in the order of [`ALL`].
    pub shown: Vec<bool>,
    /// What the colours of surfaces and particles mean.
    pub paint: Paint,
    /// Whether cloth in the colour of its body is woven and striped.
    pub fabric: bool,
    /// Whether bodies that were made of files show the pictures of these.
    pub textures: bool,
    /// What the colours of links mean.
    pub links: LinkPaint,
    /// The strain that has the last colour.
    pub most_strain: f32,
    /// The speed that has the last colour (m/s).
    pub most_speed: f32,
    /// The residual that has the last colour (m).
    pub most_residual: f32,
}

/// What the colours of surfaces mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Which body it is.
    Body,
    /// How far it is stretched or squeezed.
    Strain,
    /// How fast it moves.
    Speed,
}

impl Paint {
    /// All of them, with their names.
    pub const ALL: &[(Self, &'static str)] =
        &[(Self::Body, "body"), (Self::Strain, "strain"), (Self::Speed, "speed")];
}

/// What the colours of links mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPaint {
    /// Of which kind the constraint is.
    Kind,
    /// In which group it is solved.
    Group,
    /// How far it is stretched or squeezed.
    Strain,
    /// How far its particles are from solving it.
    Residual,
}

impl LinkPaint {
    /// All of them, with their names.
    pub const ALL: &[(Self, &'static str)] = &[
        (Self::Kind, "kind"),
        (Self::Group, "group"),
        (Self::Strain, "strain"),
        (Self::Residual, "residual"),
    ];
}

impl Default for Look {
    fn default() -> Self {
        Self {
            shown: ALL.iter().map(|layer| layer.shown).collect(),
            paint: Paint::Body,
            fabric: true,
            textures: true,
            links: LinkPaint::Kind,
            most_strain: 0.1,
            most_speed: 2.0,
            most_residual: 1e-4,
        }
    }
}

impl Look {
    /// Whether a layer is shown, by its name.
    pub fn shows(&self, name: &str) -> bool {
        ALL.iter().zip(&self.shown).any(|(layer, shown)| layer.name == name && *shown)
    }

    /// What the simulation has to compute for it.
    pub fn wants(&self) -> Wants {
        let strain = self.paint == Paint::Strain;
        let residuals = self.links == LinkPaint::Residual && self.shows("links");
        let rows = self.paint != Paint::Body;
        let wants = Wants { rows, strain, residuals, ..Wants::default() };
        self.layers().fold(wants, |all, layer| all.or(layer.wants))
    }

    /// What the colours mean, if they are of a scale.
    pub fn scale(&self) -> Option<Scale> {
        let strain = Scale { name: "strain", unit: "", most: self.most_strain };
        match self.paint {
            Paint::Strain => Some(strain),
            Paint::Speed => Some(Scale { name: "speed", unit: "m/s", most: self.most_speed }),
            Paint::Body if !self.shows("links") => None,
            Paint::Body => match self.links {
                LinkPaint::Strain => Some(strain),
                LinkPaint::Residual => {
                    Some(Scale { name: "residual", unit: "m", most: self.most_residual })
                }
                LinkPaint::Kind | LinkPaint::Group => None,
            },
        }
    }

    /// Draws all that is shown. What follows particles that are simulated on the GPU that draws is left
    /// to it, if their positions are all that is needed.
    pub fn draw(&self, moment: &Moment) -> Drawing {
        let mut drawing = Drawing::of(&moment.frame.stage, moment.frame.plan.bounds);
        let there = moment.there.as_ref().filter(|_| !self.wants().rows);
        for layer in self.layers().filter(|layer| there.is_none() || !layer.follows) {
            (layer.draw)(moment, self, &mut drawing);
        }
        drawing.followed = there.map(|there| Followed {
            frame: Arc::clone(&moment.frame),
            look: self.clone(),
            there: there.clone(),
            bounds: reach(moment),
        });
        drawing
    }

    /// What follows particles, and which; where it is does not matter.
    pub(crate) fn draw_followers(&self, moment: &Moment) -> Drawing {
        let mut drawing = Drawing::of(&moment.frame.stage, moment.frame.plan.bounds);
        drawing.ties = Some(Ties::default());
        for layer in self.layers().filter(|layer| layer.follows) {
            (layer.draw)(moment, self, &mut drawing);
        }
        drawing
    }

    /// The layers that are shown.
    fn layers(&self) -> impl Iterator<Item = &'static Layer> + '_ {
        ALL.iter().zip(&self.shown).filter(|(_, shown)| **shown).map(|(layer, _)| layer)
    }

    /// Where on the scale of colours every particle is, 0 to 1; `None` if colours mean bodies.
    fn shares(&self, moment: &Moment) -> Option<Vec<f32>> {
        let share = |value: f32, most: f32| (value / most.max(1e-9)).clamp(0.0, 1.0);
        let frame = &moment.frame;
        match self.paint {
            Paint::Body => None,
            Paint::Strain => {
                let strain = frame.strain.as_ref()?.iter();
                Some(strain.map(|value| share(*value, self.most_strain)).collect())
            }
            Paint::Speed => {
                let speed = |v: &pliant::glam::Vec4| v.truncate().length();
                Some(frame.speeds.iter().map(|v| share(speed(v), self.most_speed)).collect())
            }
        }
    }
}

/// The box around all bodies, as far as the CPU knows where they are (m): surfaces reach beyond the
/// particles that they hang on.
fn reach(moment: &Moment) -> [Vec3; 2] {
    let all = Aabb::of(moment.x.iter().copied().filter(|x| x.is_finite()));
    [all.low - moment.frame.plan.margin, all.high + moment.frame.plan.margin]
}

/// An arrow before what is seen, at a share of its width to the right of its middle; `way` is in sizes
/// of it. Of lines, since it is no thing that would have a shadow.
fn arrow(moment: &Moment, way: Vec3, (aside, color): (f32, Vec3), drawing: &mut Drawing) {
    let [low, high] = moment.frame.plan.bounds;
    let size = (high - low).max_element();
    let before = Vec3::new((low.x + high.x) / 2.0 + aside * (high.x - low.x), low.y, high.z);
    let middle = before + Vec3::new(0.0, 0.1 * size, 0.05 * size);
    let [tail, tip] = [-0.5, 0.5].map(|share| middle + way * (share * size));
    drawing.line([tail, tip], SHAFT, color);
    let along = way.normalize_or_zero();
    let [side, up] = along.any_orthonormal_pair().into();
    let head = (0.06 * size).min(0.5 * way.length() * size);
    for off in [side, -side, up, -up] {
        drawing.line([tip, tip - (along - 0.5 * off) * head], SHAFT, color);
    }
}

/// Width of the lines of an arrow (points).
const SHAFT: f32 = 3.0;

/// Colours for kinds and groups, apart in hue, as the `n`-th of any number.
pub fn nth_color(n: usize) -> Vec3 {
    /// Okabe and Ito 2008, "Color Universal Design": told apart by colour-blind eyes too.
    const COLORS: [u32; 7] = [0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0xcc79a7, 0x56b4e9, 0xf0e442];
    pliant::raster::srgb(COLORS[n % COLORS.len()])
}
