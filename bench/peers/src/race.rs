//! Times of several contestants, and how they are shown.

use std::time::Instant;

/// The times of one contestant (ms), in the order in which they were taken.
pub(crate) struct Times {
    pub(crate) name: String,
    pub(crate) ms: Vec<f64>,
}

impl Times {
    pub(crate) fn of(name: &str) -> Self {
        Self { name: name.into(), ms: Vec::new() }
    }

    /// The time below which so large a share of the times lies, from 0 to 1.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.ms.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
    }
}

/// How long something takes (ms), and what it gives.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64() * 1e3, result)
}

/// Prints one line for each contestant: shortest, median and longest time, and the medians and
/// shortest times over those of the first. `more` is shown at the end of each line.
pub(crate) fn print(title: &str, all: &[Times], more: &[String]) {
    println!("{title}");
    println!(
        "  {:<22} {:>9} {:>9} {:>9} {:>12} {:>12}",
        "", "min ms", "median", "max", "min ratio", "median ratio"
    );
    let first = &all[0];
    for (times, more) in all.iter().zip(more) {
        let [least, median, most] = [0.0, 0.5, 1.0].map(|share| times.quantile(share));
        let [by_least, by_median] = [least / first.quantile(0.0), median / first.quantile(0.5)];
        println!(
            "  {:<22} {least:>9.3} {median:>9.3} {most:>9.3} {by_least:>11.1}x {by_median:>11.1}x  {more}",
            times.name
        );
    }
}
