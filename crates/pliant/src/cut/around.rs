//! Which elements every particle has.

/// The elements around each particle, one list after the other.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// The lowest particle.
    first: u32,
    /// Where the list of each begins, and the end of the last.
    begins: Vec<u32>,
    elements: Vec<u32>,
}

impl Around {
    /// Those of elements of `N` particles.
    pub(super) fn of<const N: usize>(elements: &[[u32; N]]) -> Self {
        let ids = || elements.as_flattened().iter();
        let first = ids().min().copied().unwrap_or(0);
        let count = ids().max().map_or(0, |&last| (last - first) as usize + 1);
        // One place more at the front: as lists fill up, their ends become the next begins.
        let mut begins = vec![0; count + 2];
        ids().for_each(|&i| begins[(i - first) as usize + 2] += 1);
        for k in 2..begins.len() {
            begins[k] += begins[k - 1];
        }
        let mut lists = vec![0; N * elements.len()];
        for (element, corners) in (0..).zip(elements) {
            for &i in corners {
                let next = &mut begins[(i - first) as usize + 1];
                lists[*next as usize] = element;
                *next += 1;
            }
        }
        begins.pop();
        Self { first, begins, elements: lists }
    }

    /// The particles that may have elements, in order.
    pub(super) fn particles(&self) -> std::ops::Range<u32> {
        self.first..self.first + self.begins.len().saturating_sub(1) as u32
    }

    /// The elements of a particle, in order.
    pub(super) fn particle(&self, i: u32) -> &[u32] {
        let Some(k) = i.checked_sub(self.first).map(|k| k as usize) else { return &[] };
        match self.begins.get(k..k + 2) {
            Some(&[begin, end]) => &self.elements[begin as usize..end as usize],
            _ => &[],
        }
    }
}
