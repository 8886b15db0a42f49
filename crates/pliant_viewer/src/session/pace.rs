//! When is the next step due?

/// Steps that may be owed at most: a simulation that cannot keep up runs late instead of running
/// ever faster behind the time.
const MOST_OWED: f64 = 3.0;

/// How long the real-time factor is averaged (s).
const WINDOW: f64 = 1.0;

/// Keeps simulated time beside real time.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    /// Simulated time over real time that is wanted.
    pub(crate) speed: f64,
    /// Simulated time that is owed (s).
    owed: f64,
    /// When that was last brought up to date (s).
    at: Option<f64>,
    /// What the present window began with: when, and how much was simulated in it (s).
    window: (f64, f64),
    factor: Option<f64>,
}

impl Default for Pace {
    fn default() -> Self {
        Self { speed: 1.0, owed: 0.0, at: None, window: (0.0, 0.0), factor: None }
    }
}

impl Pace {
    /// Begins anew at that time (s), with a step that is due.
    pub(crate) fn start(&mut self, now: f64, dt: f64) {
        (self.at, self.owed) = (Some(now), dt);
        (self.window, self.factor) = ((now, 0.0), None);
    }

    /// Owes nothing.
    pub(crate) fn stop(&mut self) {
        (self.at, self.owed, self.factor) = (None, 0.0, None);
    }

    /// Whether a step of `dt` (s) is due; it is taken to be taken then.
    pub(crate) fn take(&mut self, now: f64, dt: f64) -> bool {
        let passed = now - self.at.unwrap_or(now);
        self.at = Some(now);
        self.owed = (self.owed + passed * self.speed).min(MOST_OWED * dt);
        let (began, done) = self.window;
        if now - began >= WINDOW {
            self.factor = Some(done / (now - began));
            self.window = (now, 0.0);
        }
        // Clocks tick: what is due in a microsecond is due.
        if self.owed + 1e-6 < dt {
            return false;
        }
        self.owed -= dt;
        self.window.1 += dt;
        true
    }

    /// How long until the next step of `dt` (s) is due (s).
    pub(crate) fn wait(&self, dt: f64) -> f64 {
        ((dt - self.owed) / self.speed.max(1e-3)).max(0.0)
    }

    /// Simulated time over real time of the last second, if it is known.
    pub(crate) fn factor(&self) -> Option<f64> {
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 1.0 / 60.0;

    /// Steps that are taken in two seconds if each takes `cost` (s).
    fn steps(pace: &mut Pace, cost: f64) -> u32 {
        let (mut now, mut steps) = (0.0, 0);
        pace.start(now, DT);
        while now < 2.0 {
            if pace.take(now, DT) {
                steps += 1;
                now += cost;
            } else {
                now += pace.wait(DT).max(1e-6);
            }
        }
        steps
    }

    #[test]
    fn steps_come_in_real_time_and_in_slow_motion() {
        for (speed, expected) in [(1.0, 121), (0.25, 31), (2.0, 241)] {
            let mut pace = Pace { speed, ..Pace::default() };
            let steps = steps(&mut pace, 0.002);
            assert!(steps.abs_diff(expected) <= 1, "{steps} at {speed}");
            let factor = pace.factor().unwrap();
            assert!((factor / speed - 1.0).abs() < 0.03, "{factor} at {speed}");
        }
    }

    #[test]
    fn a_simulation_that_cannot_keep_up_is_late_and_says_so() {
        let mut pace = Pace::default();
        assert_eq!(steps(&mut pace, 0.1), 20);
        let factor = pace.factor().unwrap();
        assert!((factor - DT / 0.1).abs() < 0.01, "{factor}");
        assert!(pace.owed <= MOST_OWED * DT);
    }
}
