//! What many elements bear, as plain columns.

use super::Strength;
use crate::error::WorldError;

/// The strengths of constraints or regions: one column per number of [`Strength`] and one for the
/// strain that stays; no columns while all are unbreakable and elastic.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strengths {
    pub(crate) columns: Vec<Vec<f32>>,
}

impl Strengths {
    /// Whether all are unbreakable and elastic.
    pub(crate) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Makes room for what `count` elements bear; so far, anything.
    pub(crate) fn begin(&mut self, count: usize) {
        if self.is_empty() {
            self.columns = Strength::UNLIMITED.map(|one| vec![one; count]).into();
        }
    }

    /// One more element, which bears anything.
    pub(crate) fn push_unlimited(&mut self) {
        let columns = self.columns.iter_mut().zip(Strength::UNLIMITED);
        columns.for_each(|(column, one)| column.push(one));
    }

    /// What the element in `slot` bears, and how it gives.
    pub(crate) fn at(&self, slot: usize) -> Strength {
        let mut row = Strength::UNLIMITED;
        self.columns.iter().zip(&mut row).for_each(|(column, one)| *one = column[slot]);
        Strength::of(row)
    }

    /// The strain that the element in `slot` has kept.
    pub(crate) fn kept(&self, slot: usize) -> f32 {
        self.columns.get(Strength::KEPT).map_or(0.0, |column| column[slot])
    }

    /// Changes what the element in `slot` of `count` bears. The strain that it has kept stays.
    ///
    /// # Errors
    /// If a number is out of range; nothing changes then.
    pub(crate) fn set(
        &mut self,
        slot: usize,
        count: usize,
        strength: Strength,
    ) -> Result<(), WorldError> {
        strength.check()?;
        self.begin(count);
        for (column, one) in self.columns.iter_mut().zip(strength.numbers()) {
            column[slot] = one;
        }
        Ok(())
    }
}
