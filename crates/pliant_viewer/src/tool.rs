//! What the pointer does to bodies. One more tool is one file here and one line in [`ALL`].

mod ball;
mod grab;
mod inflate;
mod knife;
mod pin;
mod push;
mod tear;
mod weld;

use eframe::egui::{Key, Modifiers};
use pliant::glam::Vec3;

use crate::camera::{Camera, Ray};
use crate::command::Command;
use crate::moment::Moment;
use crate::pick::Hit;

/// A tool.
pub struct Tool {
    /// Its name, for people.
    pub name: &'static str,
    /// The key that chooses it.
    pub key: Key,
    /// One sentence: what it does.
    pub about: &'static str,
    /// Begins a stroke where the pointer was pressed; `None` leaves it to the camera.
    pub begin: Begin,
}

/// How a stroke begins.
pub type Begin = fn(&Touch<'_>, &mut Vec<Command>) -> Option<Box<dyn Stroke>>;

/// Every tool; the first is chosen when the program starts.
pub const ALL: &[Tool] = &[
    grab::TOOL,
    knife::TOOL,
    tear::TOOL,
    weld::TOOL,
    pin::TOOL,
    push::TOOL,
    inflate::TOOL,
    ball::TOOL,
];

/// The tool of a press: the knife while Ctrl is held, the hand with Shift, else the chosen one.
pub fn of_press(chosen: usize, held: Modifiers) -> &'static Tool {
    match held {
        held if held.command => &knife::TOOL,
        held if held.shift => &grab::TOOL,
        _ => &ALL[chosen],
    }
}

/// What is under the pointer.
pub struct Touch<'a> {
    /// The world as it is seen.
    pub moment: &'a Moment,
    /// The camera.
    pub camera: &'a Camera,
    /// The line of sight.
    pub ray: Ray,
    /// The body there, looked for when the pointer is pressed.
    pub hit: Option<Hit>,
}

/// From press to release.
pub trait Stroke {
    /// The pointer is elsewhere, or the world is.
    fn moved(&mut self, touch: &Touch<'_>, out: &mut Vec<Command>);

    /// The wheel was turned, towards the screen if positive.
    fn wheel(&mut self, _notches: f32, _touch: &Touch<'_>, _out: &mut Vec<Command>) {}

    /// What is held is to stay where it is; ends the stroke if it says so.
    fn nail(&mut self, _out: &mut Vec<Command>) -> Ends {
        Ends::No
    }

    /// The pointer was released.
    fn released(self: Box<Self>, _out: &mut Vec<Command>) {}

    /// It is not to be, after all.
    fn cancelled(self: Box<Self>, _out: &mut Vec<Command>) {}

    /// The line that it has drawn (m).
    fn trail(&self) -> Vec<Vec3> {
        Vec::new()
    }

    /// What can be done meanwhile, for people.
    fn hint(&self) -> &'static str {
        ""
    }
}

/// Whether a stroke is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// It goes on.
    No,
    /// It is over.
    Yes,
}

/// A stroke that did all it does when it began.
struct Click;

impl Stroke for Click {
    fn moved(&mut self, _: &Touch<'_>, _: &mut Vec<Command>) {}
}

/// A ball that flies along a line of sight.
pub fn throw_ball(camera: &Camera, ray: Ray) -> Command {
    ball::throw(camera, ray)
}
