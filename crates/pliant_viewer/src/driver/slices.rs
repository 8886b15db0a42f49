//! Time slices: as many steps as fit between two frames of the window. For the web, and for tests.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Driver;
use crate::command::Command;
use crate::frame::Frame;
use crate::session::{Clock, Session};

/// How long a slice may take (s); a step that was begun is ended.
const SLICE: f64 = 0.008;

/// Runs a session in slices.
pub struct Slices {
    session: Session,
    clock: Clock,
    waiting: VecDeque<Command>,
    frame: Option<Arc<Frame>>,
}

impl Slices {
    /// Runs a session by the clock that it has.
    pub fn new(session: Session, clock: Clock) -> Self {
        Self { session, clock, waiting: VecDeque::new(), frame: None }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

impl Driver for Slices {
    fn send(&mut self, command: Command) {
        self.waiting.push_back(command);
    }

    fn newest(&mut self) -> Option<Arc<Frame>> {
        let began = (self.clock)();
        let mut changed = self.frame.is_none();
        while let Some(command) = self.waiting.pop_front() {
            self.session.apply(command);
            changed = true;
        }
        while self.session.tick() {
            changed = true;
            if (self.clock)() - began >= SLICE {
                break;
            }
        }
        if changed {
            self.frame = Some(self.session.shared_frame());
        }
        self.frame.clone()
    }

    fn is_busy(&self) -> bool {
        !self.waiting.is_empty()
    }
}
