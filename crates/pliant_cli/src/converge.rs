//! `pliant converge`: how fast each solver comes to the solution of a stretched body.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use clap::{Arg, ArgMatches, value_parser};
use pliant::figure::{Curve, Figure, Scale};
use pliant::glam::Vec3;
use pliant::scenes::Scene;
use pliant::solver::{self, Way};
use pliant::step::Stage;
use pliant::{Set, World};
use pliant_io::plot;

use crate::timing::Timing;
use crate::{Command, apply_settings, find_workload, set_arg};

pub(crate) const COMMAND: &Command = &Command {
    name: "converge",
    about: "Compare solvers: what is left unsolved after so many iterations, and so much time",
    args,
    run,
};

/// Runs of which the fastest is timed.
const REPEATS: u32 = 3;

fn args(command: clap::Command) -> clap::Command {
    let option =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    command
        .arg(
            option("scene", "NAME")
                .default_value("hanging_cloth")
                .help("whose bodies are stretched, let go, and solved without gravity"),
        )
        .arg(
            option("size", "N")
                .value_parser(value_parser!(u32).range(2..=1000))
                .default_value("50")
                .help("particles along the longest side"),
        )
        .arg(
            option("stretch", "FACTOR")
                .value_parser(value_parser!(f32))
                .default_value("16")
                .help("how many times their size the bodies are stretched to"),
        )
        .arg(
            option("iterations", "N")
                .value_parser(value_parser!(u32).range(1..=10_000))
                .default_value("1000")
                .help("of the longest run"),
        )
        .arg(
            option("solvers", "NAMES")
                .value_delimiter(',')
                .help("with commas between them; none compares all"),
        )
        .arg(option("out", "FOLDER").default_value("out").help("for the files"))
        .arg(set_arg().help("change a setting, such as omega=1.5; `pliant explain` lists them"))
}

fn run(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let start = Start::new(matches)?;
    let ways = chosen(matches)?;
    let most = *matches.get_one::<u32>("iterations").unwrap_or(&1000);
    let world = start.world()?;
    let set = largest(&world)?;
    println!(
        "{} of {} particles, stretched {} times; {} constraints of kind {}",
        start.scene.name,
        world.particles.len(),
        start.stretch,
        set.len(),
        set.kind().name
    );
    let mut runs = Vec::new();
    for way in ways {
        runs.push((way, measure(&start, way, most)?));
    }
    print_table(&runs, set.kind().unit);
    let folder = matches.get_one::<String>("out").map_or("out", String::as_str);
    fs::create_dir_all(folder)
        .map_err(|e| format!("{folder}: {e}; choose another folder with --out"))?;
    for path in write_files(&runs, Path::new(folder), set.kind().unit)? {
        println!("wrote {path}");
    }
    Ok(())
}

/// The solvers that are compared.
fn chosen(matches: &ArgMatches) -> Result<Vec<&'static Way>, Box<dyn Error>> {
    let Some(names) = matches.get_many::<String>("solvers") else {
        return Ok(solver::ALL.to_vec());
    };
    let find = |name: &String| {
        let way = solver::ALL.iter().copied().find(|way| way.name == name.trim());
        way.ok_or_else(|| {
            let names: Vec<_> = solver::ALL.iter().map(|way| way.name).collect();
            format!("no solver is called {name:?}; there are {}", names.join(", ")).into()
        })
    };
    names.map(find).collect()
}

/// What every solver starts from.
struct Start<'a> {
    scene: &'static Scene,
    size: u32,
    stretch: f32,
    matches: &'a ArgMatches,
}

impl<'a> Start<'a> {
    fn new(matches: &'a ArgMatches) -> Result<Self, Box<dyn Error>> {
        let scene = find_workload(matches.get_one::<String>("scene").map_or("", String::as_str))?;
        let size = *matches.get_one::<u32>("size").unwrap_or(&50);
        let stretch = *matches.get_one::<f32>("stretch").unwrap_or(&16.0);
        if !(0.01..=1000.0).contains(&stretch) {
            return Err(format!("--stretch {stretch}: expected 0.01 to 1000").into());
        }
        Ok(Self { scene, size, stretch, matches })
    }

    /// The bodies of the scene, stretched about their middle and free of all but each other.
    fn world(&self) -> Result<World, Box<dyn Error>> {
        let mut world = (self.scene.build)(self.size)?;
        apply_settings(self.matches, &mut world.config)?;
        (world.config.gravity, world.config.substeps) = (Vec3::ZERO, 1);
        world.colliders.clear();
        world.forces.clear();
        let count = world.particles.len();
        let middle = (0..count).map(|i| world.particles.position(i)).sum::<Vec3>() / count as f32;
        for i in 0..count {
            let x = world.particles.position(i);
            world.particles.set_position(i, middle + (x - middle) * self.stretch);
            world.particles.unpin(i);
        }
        Ok(world)
    }
}

/// The kind of which there are most: the one that is watched.
fn largest(world: &World) -> Result<&Set, Box<dyn Error>> {
    let set = world.constraints().iter().max_by_key(|set| set.len());
    set.filter(|set| !set.is_empty()).ok_or_else(|| "the scene has no constraints".into())
}

/// What is left after so many iterations.
struct Point {
    iterations: u32,
    /// Time in the solver, of the fastest of several runs.
    time: Duration,
    /// In the unit of the kind.
    residual: f64,
}

/// Runs of 1, 2, 3, 5, 7, 10, … iterations, each from the start: Chebyshev's steps depend on their
/// number, so a run cannot be continued.
fn measure(start: &Start<'_>, way: &Way, most: u32) -> Result<Vec<Point>, Box<dyn Error>> {
    let steps = (0..=4).flat_map(|digit| [1, 2, 3, 5, 7].map(|n| n * 10u32.pow(digit)));
    let counts = steps.filter(|&count| count < most).chain([most]);
    let points: Result<Vec<_>, _> = counts.map(|n| measure_point(start, way, n)).collect();
    let mut points = points?;
    // Fewer iterations take no longer than more: what says otherwise was held up by something else.
    for i in (1..points.len()).rev() {
        points[i - 1].time = points[i - 1].time.min(points[i].time);
    }
    Ok(points)
}

fn measure_point(start: &Start<'_>, way: &Way, iterations: u32) -> Result<Point, Box<dyn Error>> {
    let mut point = solve(start, way, iterations)?;
    for _ in 1..REPEATS {
        point.time = point.time.min(solve(start, way, iterations)?.time);
    }
    Ok(point)
}

fn solve(start: &Start<'_>, way: &Way, iterations: u32) -> Result<Point, Box<dyn Error>> {
    let mut world = start.world()?;
    (world.config.solver, world.config.iterations) = (way.solver, iterations);
    let mut timing = Timing::new(None);
    timing.step(&mut world, 1.0 / 60.0)?;
    let solving = timing.stages().filter(|(stage, _)| *stage == Stage::Project);
    let time = Duration::from_secs_f64(solving.map(|(_, seconds)| seconds).sum());
    Ok(Point { iterations, time, residual: world.residual(largest(&world)?) })
}

/// The rows at which people look: whole powers of ten, and the last.
fn print_table(runs: &[(&Way, Vec<Point>)], unit: &str) {
    let residual = format!("residual ({unit})");
    println!("\n{:<12} {:>10} {:>14} {:>10}", "solver", "iterations", residual, "ms");
    for (way, points) in runs {
        for (i, point) in points.iter().enumerate() {
            let Point { iterations, time, residual } = point;
            if iterations.to_string().trim_end_matches('0') == "1" || i + 1 == points.len() {
                let ms = time.as_secs_f64() * 1e3;
                println!("{:<12} {iterations:>10} {residual:>14.3e} {ms:>10.3}", way.name);
            }
        }
    }
    println!();
}

/// Writes the table of all runs and a plot over iterations and over time.
fn write_files(
    runs: &[(&Way, Vec<Point>)],
    folder: &Path,
    unit: &str,
) -> Result<Vec<String>, Box<dyn Error>> {
    let mut csv = format!("solver,iterations,time_ms,residual_{unit}\n");
    for (way, points) in runs {
        for Point { iterations, time, residual } in points {
            let ms = time.as_secs_f64() * 1e3;
            writeln!(csv, "{},{iterations},{ms:.4},{residual:e}", way.name)?;
        }
    }
    let table = folder.join("convergence.csv");
    fs::write(&table, csv).map_err(|e| format!("{}: {e}", table.display()))?;
    let mut written = vec![table.display().to_string()];
    for (what, label) in [("iterations", "iterations"), ("time", "time (ms)")] {
        let place = |Point { iterations, time, residual }: &Point| match what {
            "time" => [time.as_secs_f64() * 1e3, *residual],
            _ => [f64::from(*iterations), *residual],
        };
        let curve = |(way, points): &(&Way, Vec<Point>)| {
            Curve::line(way.name, points.iter().map(place).collect())
        };
        let path = folder.join(format!("convergence_{what}.svg"));
        let figure = Figure {
            title: format!("What is left unsolved, over {what}"),
            axes: [label.into(), format!("residual ({unit})")],
            scales: [Scale::Log; 2],
            curves: runs.iter().map(curve).collect(),
        };
        plot::write(&figure, &path)?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Solver;

    fn matches(text: &str) -> ArgMatches {
        args(clap::Command::new("converge")).get_matches_from(text.split(' '))
    }

    /// Gauss-Seidel converges where averaged Jacobi hardly begins, and Chebyshev lies between: a
    /// cloth of 50 × 50 particles, pulled to 16 times its size and let go.
    #[test]
    fn a_stretched_cloth_converges_in_the_order_that_theory_says() {
        let matches = matches("converge --set spectral_radius=0.99");
        let start = Start::new(&matches).unwrap();
        assert_eq!(largest(&start.world().unwrap()).unwrap().len(), 9702);
        let left = |solver: Solver| {
            [100, 300, 1000].map(|n| solve(&start, solver.way(), n).unwrap().residual)
        };
        let [colored, in_order, jacobi, chebyshev] =
            [Solver::Colored, Solver::InOrder, Solver::Jacobi, Solver::Chebyshev].map(left);
        for i in 0..3 {
            let row = [colored[i], in_order[i], chebyshev[i], jacobi[i]];
            assert!(colored[i] < 0.6 * jacobi[i] && in_order[i] < 0.6 * jacobi[i], "{row:?}");
            assert!(chebyshev[i] < 0.7 * jacobi[i], "{row:?}");
        }
        // Gauss-Seidel has converged after a thousand iterations, to a hundredth of the 0.1 m
        // between particles; Jacobi has not.
        assert!(colored[2] < 2e-3 && in_order[2] < 2e-3, "{colored:?}, {in_order:?}");
        assert!(jacobi[2] > 0.5, "{jacobi:?}");
    }

    #[test]
    fn a_run_leaves_a_table_and_two_plots() {
        let folder = std::env::temp_dir().join(format!("pliant-converge-{}", std::process::id()));
        let out = folder.display();
        let line =
            format!("converge --size 6 --iterations 20 --solvers jacobi,colored --out {out}");
        run(&matches(&line)).unwrap();
        let csv = fs::read_to_string(folder.join("convergence.csv")).unwrap();
        assert!(csv.starts_with("solver,iterations,time_ms,residual_m\njacobi,1,"), "{csv}");
        assert_eq!(csv.lines().count(), 1 + 2 * 7, "{csv}");
        for what in ["iterations", "time"] {
            let svg = fs::read_to_string(folder.join(format!("convergence_{what}.svg"))).unwrap();
            assert!(svg.contains("jacobi") && svg.contains("colored"));
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_is_wrong_is_explained() {
        let error = |text: &str| run(&matches(text)).unwrap_err().to_string();
        assert!(error("converge --solvers fast").contains("unordered"));
        assert!(error("converge --stretch nan").contains("0.01 to 1000"));
        assert!(error("converge --scene moon").contains("hanging_cloth"));
    }
}
