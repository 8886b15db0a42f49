//! Which of many things hang together.

/// Things 0 to n, joined one pair at a time (Tarjan 1975).
#[derive(Clone, Debug)]
pub(crate) struct Joined(Vec<u32>);

impl Joined {
    /// `count` things, each on its own.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// `count` things, of which those of each list hang together, such as the corners of a triangle.
    pub(crate) fn of<S: AsRef<[u32]>>(count: usize, lists: impl IntoIterator<Item = S>) -> Self {
        let mut joined = Self::new(count);
        for list in lists {
            list.as_ref().windows(2).for_each(|pair| joined.join(pair[0], pair[1]));
        }
        joined
    }

    /// The lowest thing that hangs together with one.
    pub(crate) fn root(&mut self, thing: u32) -> u32 {
        let mut at = thing;
        while self.0[at as usize] != at {
            // Every other thing on the way is moved up: the next way is half as long.
            let up = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = up;
            at = up;
        }
        at
    }

    /// Joins two things, and all that hangs together with them.
    pub(crate) fn join(&mut self, one: u32, other: u32) {
        self.connect(one, other);
    }

    /// The same; whether they were apart.
    pub(crate) fn connect(&mut self, one: u32, other: u32) -> bool {
        // Most are joined already, and roots are near.
        if self.0[one as usize] == self.0[other as usize] {
            return false;
        }
        let (a, b) = (self.root(one), self.root(other));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
