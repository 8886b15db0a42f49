//! A thread of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Driver;
use crate::command::Command;
use crate::frame::Frame;
use crate::session::{Clock, Session};

/// Longest that the thread waits without looking whether somebody wants it to end (s).
const LONGEST_WAIT: f64 = 0.5;

/// Runs a session in a thread.
pub struct Thread {
    /// `None` tells the thread to end.
    commands: Option<Sender<Command>>,
    shared: Arc<Shared>,
    sent: u64,
    thread: Option<JoinHandle<()>>,
}

/// What the thread and the window share.
#[derive(Default)]
struct Shared {
    /// The newest frame; locked to swap it, never longer.
    newest: Mutex<Option<Arc<Frame>>>,
    /// Commands that were done.
    done: AtomicU64,
    /// How often somebody asked for a frame and got one, up to a picture or two.
    looked: AtomicU64,
}

/// Looks after which the first picture is there: the window that looks again has drawn it.
const FIRST_PICTURE: u64 = 2;

/// Longest that the simulation waits for the first picture (s), since nobody may be looking, and from
/// one look whether it is there to the next.
const PATIENCE: f64 = 1.0;
const GLANCE: f64 = 0.01;

impl Shared {
    fn newest(&self) -> MutexGuard<'_, Option<Arc<Frame>>> {
        // What it guards is whole at any time, even if somebody panicked.
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Thread {
    /// Starts a thread with an empty session. Of as many threads as there are cores, one is left to the
    /// window.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(clock: Clock) -> std::io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        let most_threads = cores.saturating_sub(1).max(1);
        let (commands, orders) = mpsc::channel();
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("simulation".into())
            .spawn(move || run(Session::new(clock).on_threads(most_threads), &orders, &theirs))?;
        Ok(Self { commands: Some(commands), shared, sent: 0, thread: Some(thread) })
    }
}

/// What the thread does until nobody can send commands any more.
fn run(mut session: Session, orders: &Receiver<Command>, shared: &Shared) {
    let began = Instant::now();
    loop {
        // Nobody sees a step before the first picture, which all cores can draw meanwhile.
        let seen = shared.looked.load(Ordering::Relaxed) >= FIRST_PICTURE;
        let waits = !seen && began.elapsed().as_secs_f64() < PATIENCE;
        let wait = if waits { GLANCE } else { session.wait().unwrap_or(LONGEST_WAIT) };
        let wait = wait.min(LONGEST_WAIT);
        let first = match orders.recv_timeout(Duration::from_secs_f64(wait)) {
            Ok(command) => Some(command),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let commands: Vec<Command> = first.into_iter().chain(orders.try_iter()).collect();
        let done = commands.len() as u64;
        Command::condensed(commands).into_iter().for_each(|command| session.apply(command));
        let stepped = !waits && session.tick();
        if done > 0 || stepped {
            let frame = session.shared_frame();
            *shared.newest() = Some(frame);
            shared.done.fetch_add(done, Ordering::Release);
        }
    }
}

impl Driver for Thread {
    fn send(&mut self, command: Command) {
        // A thread that has ended does nothing more; the window says so.
        if let Some(Ok(())) = self.commands.as_ref().map(|commands| commands.send(command)) {
            self.sent += 1;
        }
    }

    fn newest(&mut self) -> Option<Arc<Frame>> {
        let newest = self.shared.newest().clone();
        if newest.is_some() && self.shared.looked.load(Ordering::Relaxed) < FIRST_PICTURE {
            self.shared.looked.fetch_add(1, Ordering::Relaxed);
        }
        newest
    }

    fn is_busy(&self) -> bool {
        self.shared.done.load(Ordering::Acquire) < self.sent
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // A step that takes long is not waited for: the program ends, and the thread with it.
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
    }
}
