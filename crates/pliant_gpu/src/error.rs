//! Why something was not done on a GPU.

use std::error::Error;
use std::fmt;

use pliant::StepError;

use crate::contacts::GROWING;

/// Why something was not done on a GPU. The [`pliant::World`] is as it was when it was last read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum GpuError {
    /// No adapter of the wanted name was found.
    NoAdapter {
        /// What was asked for; nothing if any would have done.
        wanted: Option<String>,
        /// What there is.
        found: Vec<String>,
    },
    /// The adapter gave no device.
    Refused {
        /// The adapter.
        adapter: String,
        /// What its driver says.
        why: String,
    },
    /// Something in the world has no shader.
    NoTwin {
        /// What it is, such as `shape`.
        what: &'static str,
        /// Its name.
        name: &'static str,
    },
    /// Something in the world runs on the CPU only.
    CpuOnly {
        /// What it is.
        what: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A buffer would be larger than the GPU allows.
    TooLarge {
        /// What it holds.
        what: &'static str,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that it may have.
        limit: u64,
    },
    /// The GPU has no memory left.
    OutOfMemory {
        /// What it was for.
        what: &'static str,
        /// Bytes that were asked for.
        needed: u64,
    },
    /// A shader was not accepted.
    Shader {
        /// Which one.
        name: String,
        /// What the compiler says.
        why: String,
    },
    /// The device is gone: unplugged, reset by its driver, or destroyed.
    Lost {
        /// What its driver says.
        why: String,
    },
    /// The driver reported an error that is none of the above.
    Driver {
        /// What it says.
        why: String,
    },
    /// The world to be read into is not the one that was pushed.
    OtherWorld {
        /// What differs.
        what: &'static str,
        /// How many there are on the GPU.
        there: usize,
        /// How many there are in the world.
        here: usize,
    },
    /// The device cannot measure times.
    NoTimestamps {
        /// The adapter.
        adapter: String,
    },
    /// The time step or a setting is out of range.
    Step(StepError),
}

impl GpuError {
    /// Whether there was no room for all that touches: a world that is less crowded would fit.
    pub fn lacks_room_for_contacts(&self) -> bool {
        match self {
            Self::TooLarge { what, .. } | Self::OutOfMemory { what, .. } => GROWING.contains(what),
            _ => false,
        }
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAdapter { wanted: None, .. } => write!(
                f,
                "no graphics adapter was found; install a Vulkan driver (`mesa-vulkan-drivers` and \
                 `libvulkan1` need no graphics card), or stay on the CPU"
            ),
            Self::NoAdapter { wanted: Some(name), found } => {
                write!(f, "no graphics adapter is called {name:?}; there is ")?;
                f.write_str(&if found.is_empty() { "none".into() } else { found.join(", ") })
            }
            Self::Refused { adapter, why } => {
                write!(f, "{adapter} gave no device: {why}; choose another adapter or the CPU")
            }
            Self::NoTwin { what, name } => write!(
                f,
                "the {what} {name:?} has no shader; give it one (`wgsl`), or stay on the CPU"
            ),
            Self::CpuOnly { what, remedy } => write!(f, "{what} runs on the CPU only; {remedy}"),
            Self::TooLarge { what, needed, limit } => write!(
                f,
                "{what} need {needed} bytes in one buffer, but this GPU allows {limit}; make the \
                 world smaller, or stay on the CPU"
            ),
            Self::OutOfMemory { what, needed } => write!(
                f,
                "the GPU has no memory left for {needed} bytes of {what}; make the world smaller, \
                 or stay on the CPU"
            ),
            Self::Shader { name, why } => write!(f, "the shader of {name} was not accepted: {why}"),
            Self::Lost { why } => write!(
                f,
                "the GPU was lost ({why}); go on from the world as it was last read, on the CPU or \
                 a new device"
            ),
            Self::Driver { why } => write!(f, "the driver of the GPU says: {why}"),
            Self::OtherWorld { what, there, here } => write!(
                f,
                "the GPU has {there} {what} and the world {here}; push the world after editing it"
            ),
            Self::NoTimestamps { adapter } => {
                write!(f, "{adapter} cannot measure times; measure whole frames instead")
            }
            Self::Step(error) => write!(f, "{error}"),
        }
    }
}

impl Error for GpuError {}

impl From<StepError> for GpuError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}
