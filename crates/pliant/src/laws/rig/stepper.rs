//! Who takes the steps of a law's worlds: the CPU, or whoever is to be held to the same laws.

use std::cell::RefCell;

use crate::laws::{Law, LawError, Report};
use crate::world::World;

/// Advances a world by some seconds, or says why it cannot.
pub type Stepper = Box<dyn FnMut(&mut World, f32) -> Result<(), String>>;

thread_local! {
    // Laws are plain functions that build worlds and step them at any depth. Handing a stepper down
    // to each would make every one of them longer, for the sake of who else runs them.
    static STEPPER: RefCell<Option<Stepper>> = const { RefCell::new(None) };
}

/// Advances `world` by `dt` seconds, by whoever takes the steps on this thread.
pub(in crate::laws) fn step(world: &mut World, dt: f32) -> Result<(), LawError> {
    STEPPER.with_borrow_mut(|stepper| match stepper {
        Some(stepper) => stepper(world, dt).map_err(LawError::Stepper),
        None => Ok(crate::step::step(world, dt)?),
    })
}

impl Law {
    /// As [`Law::run`], with all steps taken by `stepper`.
    ///
    /// # Errors
    /// As [`Law::run`], and if a step cannot be taken.
    pub fn run_with(
        &self,
        overrides: &[(&str, f64)],
        stepper: Stepper,
    ) -> Result<Report, LawError> {
        /// Gives the steps back to the CPU, whatever happens.
        struct Back;
        impl Drop for Back {
            fn drop(&mut self) {
                STEPPER.set(None);
            }
        }
        STEPPER.set(Some(stepper));
        let _back = Back;
        self.run(overrides)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_stepper_that_does_nothing_breaks_the_law_of_falling_and_only_while_it_is_asked() {
        let law = crate::laws::find("free_fall").unwrap();
        let report = law.run_with(&[], Box::new(|_, _| Ok(()))).unwrap();
        assert!(!report.passes(), "{report}");
        let refused = law.run_with(&[], Box::new(|_, _| Err("not today".into()))).unwrap_err();
        assert_eq!(refused.to_string(), "not today");
        assert!(law.run(&[]).unwrap().passes());
    }
}
