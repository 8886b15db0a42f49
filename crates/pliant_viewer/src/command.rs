//! What hands, keys and panels can ask for. A list of commands, with the steps between them, says all
//! that happened in a session.

use pliant::glam::Vec3;
use pliant::raster::Image;
use pliant::settings::Value;

use crate::loan::Loan;
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
    /// Changes a number of the scene, or what a body is made of; see [`pliant_io::scene::Scene::tune`].
    Tune {
        /// The path of its key.
        path: String,
        /// To what, as TOML.
        value: String,
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
    /// Gives particles this velocity (m/s) on top of their own.
    Kick {
        /// Which.
        particles: Vec<u32>,
        /// How much faster they get (m/s).
        velocity: Vec3,
    },
    /// Takes particles out, with all that hangs on them.
    Delete(Vec<u32>),
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
        /// The strain at which it tears.
        strain: f32,
    },
    /// A breath into a balloon, or out of it; another body swells or shrinks.
    Inflate {
        /// A particle of the body.
        particle: u32,
        /// Where it swells (m).
        at: Vec3,
        /// How far around (m).
        radius: f32,
        /// How deep a breath, 1 in and -1 out.
        breath: f32,
    },
    /// Lets a body move that was put aside.
    Free(String),
    /// Remembers the present state.
    Keep,
    /// Goes back to the state that was kept, or to before the last change of the kind that cannot be
    /// taken back otherwise: a cut, a weld, something that came or went.
    Recall,
    /// Undoes the last [`Self::Recall`].
    Redo,
    /// What frames are to have beside positions.
    Want(Wants),
    /// The GPU that the window draws with, for the simulation to use too.
    Lend(Option<Loan>),
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

impl Command {
    /// Whether it has to do with where particles are: what a GPU has made of them is read before.
    pub(crate) fn looks(&self) -> bool {
        !matches!(
            self,
            Self::Drag { .. }
                | Self::Wind(_)
                | Self::Gust(_)
                | Self::Play
                | Self::Speed(_)
                | Self::Picture { .. }
        )
    }

    /// Whether nothing else takes it back: the state before is remembered.
    pub(crate) fn is_for_good(&self) -> bool {
        matches!(
            self,
            Self::Cut { .. }
                | Self::Weld { .. }
                | Self::Drop { .. }
                | Self::Shoot { .. }
                | Self::Delete(_)
        )
    }

    /// Whether who asks for it wants to see something else than the last seconds again.
    pub(crate) fn ends_replay(&self) -> bool {
        matches!(
            self,
            Self::Load(_)
                | Self::Restart
                | Self::Play
                | Self::Pause
                | Self::Step
                | Self::Back
                | Self::Seek(_)
                | Self::Recall
                | Self::Redo
                | Self::Grab { .. }
        )
    }

    /// The same commands without those that the next makes pointless: who turns a knob asks for many
    /// values, and wants the last.
    pub fn condensed(mut commands: Vec<Self>) -> Vec<Self> {
        commands.dedup_by(|next, this| match (&mut *next, &mut *this) {
            (Self::Tune { path: a, .. }, Self::Tune { path: b, .. }) if a == b => {
                std::mem::swap(next, this);
                true
            }
            _ => false,
        });
        commands
    }
}

/// Whether a picture stands alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Animation {
    /// It does.
    No,
    /// It is one of a film.
    Frame(Reel),
    /// It is the last one of a film.
    Last(Reel),
}

/// A film that is recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reel {
    /// Tells films apart; goes up.
    pub number: u64,
    /// A name of [`pliant_io::image::FILMS`].
    pub format: &'static str,
    /// Pictures per second.
    pub fps: f32,
    /// When this picture of it was taken (s), by the window's clock.
    pub at: f64,
}

/// What a frame has only if somebody looks at it, since it takes time to compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Positions and velocities after every step: where a GPU takes the steps for the window, they come
    /// now and then otherwise.
    pub rows: bool,
    /// Strain of every particle.
    pub strain: bool,
    /// Where bodies touch.
    pub contacts: bool,
    /// What constraints have left unsolved.
    pub residuals: bool,
    /// What the broad phase compared.
    pub boxes: bool,
    /// The measurements of [`pliant::measure::readings`].
    pub readings: bool,
    /// What is wrong, of that which takes long to find.
    pub problems: bool,
}

impl Wants {
    /// Nothing of it.
    pub const NONE: Self = Self {
        rows: false,
        strain: false,
        contacts: false,
        residuals: false,
        boxes: false,
        readings: false,
        problems: false,
    };

    /// What either wants.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            rows: self.rows || other.rows,
            strain: self.strain || other.strain,
            contacts: self.contacts || other.contacts,
            residuals: self.residuals || other.residuals,
            boxes: self.boxes || other.boxes,
            readings: self.readings || other.readings,
            problems: self.problems || other.problems,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_knob_that_is_turned_the_last_value_counts() {
        let tune = |path: &str, value: &str| {
            let (path, value) = (path.into(), value.into());
            Command::Tune { path, value }
        };
        let asked = vec![tune("a", "1"), tune("a", "2"), tune("b", "3"), Command::Step];
        let asked = [asked, vec![tune("b", "4"), tune("b", "5"), tune("a", "6")]].concat();
        let left = [tune("a", "2"), tune("b", "3"), Command::Step, tune("b", "5"), tune("a", "6")];
        assert_eq!(Command::condensed(asked), left);
    }
}
