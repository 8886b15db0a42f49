//! What hands, keys and panels can ask for. A list of commands, with the steps between them, says all
//! that happened in a session.

use pliant::glam::Vec3;
use pliant::raster::Image;
use pliant::settings::Value;

use crate::session::Source;

/// Something that is to happen between two steps.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Another scene.
    Load(Source),
    /// A mesh as one more body.
    Drop {
        /// The name of its file.
        name: String,
        /// What is in it; `None` reads the file.
        bytes: Option<Vec<u8>>,
    },
    /// The scene from its beginning.
    Restart,
    /// Time goes on.
    Play,
    /// Time stands still.
    Pause,
    /// One frame, then time stands still.
    Step,
    /// One frame back, then time stands still.
    Back,
    /// The state after so many frames, if it is remembered; time stands still.
    Seek(u64),
    /// Simulated time over real time.
    Speed(f64),
    /// Changes a setting of [`pliant::settings::SETTINGS`].
    Set {
        /// Which.
        name: &'static str,
        /// To what.
        value: Value,
    },
    /// The air moves like that (m/s), beside what the scene lets blow.
    Wind(Vec3),
    /// The same for a second.
    Gust(Vec3),
    /// A ball is thrown.
    Shoot {
        /// From where (m).
        from: Vec3,
        /// How fast (m/s).
        velocity: Vec3,
        /// How large (m).
        radius: f32,
    },
    /// A hand takes hold of particles.
    Grab {
        /// Which.
        particles: Vec<u32>,
        /// Where the hand is (m).
        at: Vec3,
    },
    /// The hand moves.
    Drag {
        /// To where (m).
        to: Vec3,
    },
    /// The hand lets go.
    Release,
    /// The hand lets go, and what it held is pinned where it is.
    Nail,
    /// Holds particles where they are.
    Pin(Vec<u32>),
    /// Lets particles go.
    Unpin(Vec<u32>),
    /// Lets all particles go.
    UnpinAll,
    /// A push: what is near is given this velocity (m/s) on top of its own.
    Push {
        /// Where (m).
        at: Vec3,
        /// How far around (m).
        radius: f32,
        /// How much faster it gets in the middle (m/s).
        velocity: Vec3,
    },
    /// A moving edge cuts what it passes through.
    Cut {
        /// Its two ends (m), place by place.
        edges: Vec<[Vec3; 2]>,
    },
    /// Closes what a cut has opened near a path; if nothing was, sews two particles together.
    Weld {
        /// The points of the path (m).
        path: Vec<Vec3>,
        /// How far from it (m).
        distance: f32,
        /// What is sewn.
        ends: Option<[u32; 2]>,
    },
    /// Lets what is near tear when it is stretched.
    Weaken {
        /// Where (m).
        at: Vec3,
        /// How far around (m).
        radius: f32,
    },
    /// A breath into a balloon; another body swells.
    Inflate {
        /// A particle of the body.
        particle: u32,
        /// Where it swells (m).
        at: Vec3,
        /// How far around (m).
        radius: f32,
    },
    /// Lets a body move that was put aside.
    Free(String),
    /// Remembers the present state.
    Keep,
    /// Goes back to the state that was kept.
    Recall,
    /// What frames are to have beside positions.
    Want(Wants),
    /// Writes a picture.
    Picture {
        /// The picture.
        image: Image,
        /// Whether it is one of an animation.
        animation: Animation,
    },
    /// Writes every frame from now on in this format, until [`Command::EndExport`].
    Export(&'static str),
    /// Completes the exported files.
    EndExport,
    /// Writes the scene, with the settings as they are now.
    SaveScene,
}

/// Whether a picture stands alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Animation {
    /// It does.
    No,
    /// It is one frame of an animation with so many pictures a second.
    Frame {
        /// Pictures per second.
        fps: f32,
    },
    /// It is the last one.
    Last {
        /// Pictures per second.
        fps: f32,
    },
}

/// What a frame has only if somebody looks at it, since it takes time to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Strain of every particle.
    pub strain: bool,
    /// Where bodies touch.
    pub contacts: bool,
    /// The measurements of [`pliant::measure::readings`].
    pub readings: bool,
    /// What is wrong, of that which takes long to find.
    pub problems: bool,
}

impl Wants {
    /// Nothing of it.
    pub const NONE: Self =
        Self { strain: false, contacts: false, readings: false, problems: false };
}
