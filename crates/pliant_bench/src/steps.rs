//! Frames of a workload and nothing else, for profilers and counters of instructions.

use pliant::scenes::Scene;
use pliant::settings::Setting;
use pliant::step;

use crate::table::{Cell, Table};
use crate::{Bench, Words};

pub(crate) const BENCH: &Bench = &Bench {
    name: "steps",
    shows: "takes steps, for profilers: WORKLOAD SIZE FRAMES [SETTING=VALUE]…",
    run,
    figure: None,
};

fn run(words: &Words) -> Result<Table, String> {
    let [name, size, frames, settings @ ..] = words else {
        return Err(format!("usage: pliant_bench steps, {}", BENCH.shows));
    };
    let number = |word: &str| {
        word.parse::<u32>().map_err(|_| format!("`{word}` is not a whole number from 0 on"))
    };
    let scene = Scene::find(name).ok_or_else(|| format!("there is no workload `{name}`"))?;
    let mut world = (scene.build)(number(size)?).map_err(|e| e.to_string())?;
    world.config.threads = 1;
    for setting in settings {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| format!("`{setting}` sets nothing; write it like iterations=20"))?;
        let value = Setting::find(key).and_then(|setting| setting.parse(value));
        value.and_then(|value| world.config.set(key, value)).map_err(|e| e.to_string())?;
    }
    for _ in 0..number(frames)? {
        step(&mut world, 1.0 / 60.0).map_err(|e| e.to_string())?;
    }
    let constraints = world.constraints().iter().map(|set| set.len()).sum();
    let row = vec![
        Cell::Word(name.clone()),
        Cell::Count(world.particles.len()),
        Cell::Count(constraints),
        Cell::Word(format!("{:016x}", world.hash())),
    ];
    Ok(Table { headings: &["workload", "particles", "constraints", "hash"], rows: vec![row] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn steps_are_taken_as_told() {
        let table = run(&words("W1 8 2 substeps=1 iterations=3")).unwrap();
        assert_eq!(table.rows[0][1..3], [Cell::Count(64), Cell::Count(210)]);
        let other = run(&words("W1 8 2 substeps=1 iterations=4")).unwrap();
        assert_ne!(table.rows[0][3], other.rows[0][3]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, what) in [
            ("W1 8", "usage"),
            ("W99 8 2", "W99"),
            ("W1 8 two", "two"),
            ("W1 8 2 omega", "omega"),
            ("W1 8 2 omega=much", "much"),
        ] {
            let message = run(&words(line)).err().unwrap();
            assert!(message.contains(what), "{line}: {message}");
        }
    }
}
