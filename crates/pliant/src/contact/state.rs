//! What a GPU counts while it finds and solves contacts. WGSL twin: `state.wgsl`

pub(super) const WGSL: &str = include_str!("state.wgsl");

/// Words of the state.
pub const STATE_WORDS: usize = 25;
/// Where in it the count of pairs is.
pub const PAIR_COUNT: usize = 6;
const MOST: usize = 12;
const SEARCHES: usize = 18;
const CONTACTS: usize = 19;
const TOO_NEAR: usize = 20;
const SHARE: usize = 21;

/// Words of the state for each two solids that began in each other.
pub const ENTANGLED_STATE: usize = 2;
/// What they are when the two come to the GPU, not found in each other yet: see `narrow.wgsl`.
pub const ENTANGLED_AT_FIRST: [u32; ENTANGLED_STATE] = [1, 0];

/// What the words of the state say after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactState {
    /// The most that was needed of each [`Room`](super::buffers::Room).
    pub needed: [u32; 6],
    pub(super) searches: u32,
    pub(super) contacts: u32,
    pub(super) candidates: u32,
    pub(super) deepest: f32,
    pub(super) share: f32,
}

impl ContactState {
    /// From the words; missing ones are 0.
    pub fn of(words: &[u32]) -> Self {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        Self {
            needed: [0, 1, 2, 3, 4, 5].map(|k| word(MOST + k)),
            searches: word(SEARCHES),
            contacts: word(CONTACTS),
            candidates: word(PAIR_COUNT),
            deepest: f32::from_bits(word(TOO_NEAR)),
            share: f32::from_bits(word(SHARE)),
        }
    }
}
