//! What the pointer does to bodies. One more tool is one file here and one line in [`ALL`].

mod ball;
mod comb;
mod grab;
mod inflate;
mod knife;
mod pin;
mod push;
mod select;
mod tear;
mod weld;

use eframe::egui::{Key, Modifiers};
use pliant::glam::Vec3;

use crate::camera::{Camera, Ray};
use crate::command::Command;
use crate::moment::Moment;
use crate::pick::Hit;
use crate::selection::How;

/// A tool.
pub struct Tool {
    /// Its name, for people.
    pub name: &'static str,
    /// The keys that choose it.
    pub keys: &'static [Key],
    /// One sentence: what it does.
    pub about: &'static str,
    /// How far around the pointer it acts, as a part of the distance of the eye; 0 if at a point.
    pub brush: f32,
    /// What it makes of keys that are held: these are not another tool for it.
    pub owns: Modifiers,
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
    comb::TOOL,
    ball::TOOL,
    select::TOOL,
];

impl Tool {
    /// What most tools share: they act at a point, and Shift and Ctrl call another.
    const PLAIN: Self = Self {
        name: "",
        keys: &[],
        about: "",
        brush: 0.0,
        owns: Modifiers::NONE,
        begin: |_, _| None,
    };

    /// The keys that choose it, for people.
    pub fn shown(&self) -> String {
        self.keys.iter().map(|key| key.name()).collect::<Vec<_>>().join(", ")
    }
}

/// The tool of a press: the knife while Ctrl is held, the hand with Shift, else the chosen one; a tool
/// that makes something of these keys itself stays.
pub fn of_press(chosen: usize, held: Modifiers) -> &'static Tool {
    let tool = &ALL[chosen];
    match held {
        held if held.command && !tool.owns.command => &knife::TOOL,
        held if held.shift && !tool.owns.shift => &grab::TOOL,
        _ => tool,
    }
}

/// How tools work, as far as people choose it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// How large brushes are, over their usual size.
    pub size: f32,
    /// Strain at which something tears that is torn by hand.
    pub tears_at: f32,
    /// Whether time goes on when somebody pulls at a world that stands.
    pub runs_on_grab: bool,
}

impl Grip {
    /// Least and greatest size of brushes.
    pub const SIZES: [f32; 2] = [0.25, 4.0];

    /// Least and greatest strain at which something tears.
    pub const TEARS: [f32; 2] = [0.02, 1.0];
}

impl Default for Grip {
    fn default() -> Self {
        Self { size: 1.0, tears_at: 0.15, runs_on_grab: true }
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
    /// What keys are held.
    pub held: Modifiers,
    /// How tools work.
    pub grip: Grip,
}

impl Touch<'_> {
    /// How far around the pointer a tool acts (m).
    fn radius(&self, tool: &Tool) -> f32 {
        tool.brush * self.grip.size * self.camera.distance
    }

    /// 1, or −1 while Ctrl is held: the tool does the opposite.
    fn sign(&self) -> f32 {
        if self.held.command { -1.0 } else { 1.0 }
    }

    /// The particles that are selected, if one of them was hit; else those that were hit.
    fn meant(&self, hit: &Hit) -> Vec<u32> {
        let selected = &self.moment.selected;
        let is_selected = |i: &u32| selected.binary_search(i).is_ok();
        match hit.particles.iter().any(is_selected) {
            true => selected.to_vec(),
            false => hit.particles.clone(),
        }
    }
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

    /// The button is up; the stroke goes on without it if it says so.
    fn lifted(&mut self) -> Ends {
        Ends::Yes
    }

    /// Whether it goes on though the button is up.
    fn needs_no_button(&self) -> bool {
        false
    }

    /// What it has selected, and what becomes of what was selected before.
    fn selected(&self) -> Option<(&[u32], How)> {
        None
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
