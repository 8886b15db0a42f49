//! Figures as pictures (SVG).
//!
//! Written here rather than by a library: the leanest of those that are kept up builds longer than
//! the engine, for sixty kinds of plots of which this is one.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pliant::figure::{Curve, Figure, Scale, Style};

use crate::draft::Draft;

/// Colours that most people can tell apart, from Okabe and Ito's palette.
const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// Size of the picture (pixels).
const SIZE: [f64; 2] = [880.0, 500.0];
/// Where the axes are (pixels): from the left and the top, to the right and the bottom.
const FRAME: [[f64; 2]; 2] = [[90.0, 630.0], [50.0, 440.0]];
/// Lines of the grid that an evenly spread axis has, at most.
const TICKS: f64 = 8.0;
/// Lines in each decade of a logarithmic axis of so many decades at most; one of more has whole powers of ten alone.
const IN_DECADE: [u32; 3] = [1, 2, 5];
const DECADES: f64 = 3.0;

/// Writes a figure. Points that its axes cannot show are left out.
///
/// # Errors
/// If no point is left, or the file cannot be written.
pub fn write(figure: &Figure, path: &Path) -> Result<(), PlotError> {
    let axes = [0, 1].map(|k| Axis::around(figure, k));
    let [Some(x), Some(y)] = axes else {
        return Err(PlotError::Empty { title: figure.title.clone() });
    };
    let written = Draft::create(path).and_then(|mut draft| {
        draw(&mut draft, figure, [&x, &y])?;
        draft.publish()
    });
    written.map_err(|source| PlotError::File { path: path.to_path_buf(), source })
}

/// An axis between two lines of its grid.
struct Axis {
    scale: Scale,
    /// Lines of the grid, of a logarithmic axis as exponents of ten.
    ticks: Vec<f64>,
    /// Where the first and the last of them are (pixels).
    frame: [f64; 2],
}

impl Axis {
    /// The axis `k` around all points that can be shown, if there are any.
    fn around(figure: &Figure, k: usize) -> Option<Self> {
        let scale = figure.scales[k];
        let points = figure.curves.iter().flat_map(|curve| shown(figure, &curve.points));
        let numbers = points.map(|point| on(scale, point[k]));
        let [low, high] = numbers.fold([f64::MAX, f64::MIN], |[a, b], x| [a.min(x), b.max(x)]);
        let [left, right] = FRAME[k];
        // Downwards on the screen is downwards in numbers.
        let frame = if k == 0 { [left, right] } else { [right, left] };
        (low <= high).then(|| Self { scale, ticks: ticks(scale, low, high), frame })
    }

    /// Where a number is (pixels).
    fn place(&self, value: f64) -> f64 {
        self.place_on(on(self.scale, value))
    }

    fn place_on(&self, value: f64) -> f64 {
        let (low, high) = (self.ticks[0], self.ticks[self.ticks.len() - 1]);
        let [from, to] = self.frame;
        from + (value - low) / (high - low) * (to - from)
    }

    /// Every line of the grid: where it is (pixels), and its number.
    fn grid(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        self.ticks.iter().map(|&tick| {
            let text = match self.scale {
                Scale::Linear => format!("{}", format!("{tick:.6e}").parse().unwrap_or(tick)),
                Scale::Log => power(tick),
            };
            (self.place_on(tick), text)
        })
    }
}

/// A number as its axis spreads it.
fn on(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log => value.log10(),
    }
}

/// The lines of a grid from below `low` to above `high`.
fn ticks(scale: Scale, low: f64, high: f64) -> Vec<f64> {
    match scale {
        Scale::Log => ticks_of_decades(low, high),
        Scale::Linear => {
            let rough = ((high - low) / TICKS).max(1e-9 * high.abs().max(1e-9));
            let decade = 10f64.powf(rough.log10().floor());
            let round = IN_DECADE.into_iter().map(f64::from).find(|m| m * decade >= rough);
            let step = round.unwrap_or(10.0) * decade;
            let (first, last) = ((low / step).floor(), (high / step).ceil());
            let last = last.max(first + 1.0);
            (0..=(last - first) as u32).map(|i| (first + f64::from(i)) * step).collect()
        }
    }
}

/// The same as exponents of ten.
fn ticks_of_decades(low: f64, high: f64) -> Vec<f64> {
    // What is a line but for rounding is on it.
    let (low, high) = (low + 1e-9, high - 1e-9);
    let few = if high - low <= DECADES { &IN_DECADE[..] } else { &IN_DECADE[..1] };
    let decades = low.floor() as i32..=high.ceil() as i32 + 1;
    let all: Vec<f64> = decades
        .flat_map(|k| few.iter().map(move |m| f64::from(*m).log10() + f64::from(k)))
        .collect();
    let first = all.iter().rposition(|tick| *tick <= low).unwrap_or(0);
    let last = all.iter().position(|tick| *tick >= high).unwrap_or(all.len() - 1).max(first + 1);
    all[first..=last].to_vec()
}

/// The points that the axes of a figure can show.
fn shown<'a>(figure: &Figure, points: &'a [[f64; 2]]) -> impl Iterator<Item = &'a [f64; 2]> {
    let scales = figure.scales;
    let fits = move |k: usize, value: f64| {
        value.is_finite() && (scales[k] == Scale::Linear || value > 0.0)
    };
    points.iter().filter(move |point| fits(0, point[0]) && fits(1, point[1]))
}

fn draw(out: &mut impl Write, figure: &Figure, [x, y]: [&Axis; 2]) -> io::Result<()> {
    let [width, height] = SIZE;
    let [[left, right], [top, bottom]] = FRAME;
    write!(out, r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" "#)?;
    writeln!(out, r#"font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="14">"#)?;
    writeln!(out, r#"<rect width="{width}" height="{height}" fill="white"/>"#)?;
    for (at, number) in x.grid() {
        line(out, [[at, top], [at, bottom]])?;
        text(out, [at, bottom + 20.0], "middle", &number)?;
    }
    for (at, number) in y.grid() {
        line(out, [[left, at], [right, at]])?;
        text(out, [left - 8.0, at + 5.0], "end", &number)?;
    }
    let middle = [(left + right) / 2.0, (top + bottom) / 2.0];
    text(out, [middle[0], 30.0], "middle", &Escaped(&figure.title))?;
    text(out, [middle[0], height - 15.0], "middle", &Escaped(&figure.axes[0]))?;
    writeln!(out, r#"<g transform="translate(25 {}) rotate(-90)">"#, middle[1])?;
    text(out, [0.0, 0.0], "middle", &Escaped(&figure.axes[1]))?;
    writeln!(out, "</g>")?;
    let curves = figure.curves.iter().zip(COLORS.iter().cycle());
    for (i, (Curve { name, style, points }, color)) in curves.enumerate() {
        let (at, row) = (right + 20.0, top + 10.0 + 24.0 * i as f64);
        let places = shown(figure, points).map(|&[a, b]| [x.place(a), y.place(b)]);
        match style {
            Style::Line => {
                path(out, color, [[at, row], [at + 26.0, row]])?;
                path(out, color, places)?;
            }
            Style::Dots => dots(out, color, [[at + 13.0, row]].into_iter().chain(places))?,
        }
        text(out, [at + 34.0, row + 5.0], "start", &Escaped(name))?;
    }
    writeln!(out, "</svg>")
}

/// A line of the grid.
fn line(out: &mut impl Write, [[x0, y0], [x1, y1]]: [[f64; 2]; 2]) -> io::Result<()> {
    writeln!(out, r##"<path d="M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}" stroke="#ccc"/>"##)
}

/// A line of a curve.
fn path(
    out: &mut impl Write,
    color: &str,
    points: impl IntoIterator<Item = [f64; 2]>,
) -> io::Result<()> {
    write!(out, r#"<path fill="none" stroke-width="2" stroke="{color}" d=""#)?;
    for (i, [x, y]) in points.into_iter().enumerate() {
        write!(out, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" })?;
    }
    writeln!(out, r#""/>"#)
}

/// The dots of a curve.
fn dots(
    out: &mut impl Write,
    color: &str,
    points: impl IntoIterator<Item = [f64; 2]>,
) -> io::Result<()> {
    points.into_iter().try_for_each(|[x, y]| {
        writeln!(out, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{color}"/>"#)
    })
}

fn text(
    out: &mut impl Write,
    [x, y]: [f64; 2],
    anchor: &str,
    text: &impl fmt::Display,
) -> io::Result<()> {
    writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#)
}

/// Ten to some power, which is one of [`IN_DECADE`] times a whole one.
fn power(of: f64) -> String {
    let decade = (of + 1e-9).floor();
    let first = 10f64.powf(of - decade).round();
    match decade as i32 {
        -3..=-1 => format!("{}", first / 10f64.powf(-decade)),
        0..=3 => format!("{}", first * 10f64.powf(decade)),
        _ => format!("{first}e{decade}"),
    }
}

/// Text in which nothing is taken for a tag.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '<' => f.write_str("&lt;"),
            '&' => f.write_str("&amp;"),
            other => write!(f, "{other}"),
        })
    }
}

/// Why a plot was not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlotError {
    /// There is nothing to show.
    Empty {
        /// The plot.
        title: String,
    },
    /// The file could not be written.
    File {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { title } => {
                write!(f, "nothing to plot in {title:?}: logarithmic axes need positive numbers")
            }
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl Error for PlotError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Empty { .. } => None,
            Self::File { source, .. } => Some(source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(scale: Scale, curve: Curve) -> Figure {
        Figure {
            title: "Falling & co".into(),
            axes: ["time (s)".into(), "height (m)".into()],
            scales: [scale; 2],
            curves: vec![curve],
        }
    }

    fn svg(figure: &Figure, name: &str) -> String {
        let path = std::env::temp_dir().join(format!("pliant-{name}-{}.svg", std::process::id()));
        write(figure, &path).unwrap();
        let svg = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        svg
    }

    #[test]
    fn a_plot_names_its_axes_and_curves_and_puts_points_where_they_are() {
        let curve = Curve::line("x < y", vec![[1.0, 10.0], [10.0, 1.0], [100.0, 0.0]]);
        let svg = svg(&figure(Scale::Log, curve), "log");
        // One decade each way: from corner to corner of the frame.
        let line = r##"stroke="#0072b2" d="M90.0 50.0L630.0 440.0""##;
        for part in ["Falling &amp; co", "time (s)", "height (m)", "x &lt; y", line] {
            assert!(svg.contains(part), "no {part:?} in {svg}");
        }
    }

    #[test]
    fn even_axes_have_round_numbers_and_dots_are_where_they_are() {
        let curve = Curve::dots("measured", vec![[-1.0, 0.0], [0.0, 0.25], [1.0, 1.0]]);
        let svg = svg(&figure(Scale::Linear, curve), "even");
        // In the middle from left to right, a quarter up.
        for part in [">-0.5<", ">0.2<", r#"<circle cx="360.0" cy="342.5""#] {
            assert!(svg.contains(part), "no {part:?} in {svg}");
        }
        assert_eq!(ticks(Scale::Linear, 0.3, 0.3).len(), 2, "one number makes an axis too");
    }

    #[test]
    fn logarithmic_axes_of_few_decades_end_near_their_numbers() {
        let lines = |low: f64, high: f64| -> Vec<String> {
            ticks(Scale::Log, low.log10(), high.log10()).into_iter().map(power).collect()
        };
        assert_eq!(lines(1.6e-4, 1.01e-3), ["1e-4", "2e-4", "5e-4", "0.001", "0.002"]);
        assert_eq!(lines(0.15, 18.0), ["0.1", "0.2", "0.5", "1", "2", "5", "10", "20"]);
        assert_eq!(lines(1e-3, 1e-3), ["0.001", "0.002"]);
        assert_eq!(lines(2e3, 5e3), ["2000", "5000"]);
        assert_eq!(lines(1e-5, 2.0), ["1e-5", "1e-4", "0.001", "0.01", "0.1", "1", "10"]);
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        let bad = vec![[0.0, 1.0], [1.0, -1.0], [f64::NAN, 1.0], [1.0, f64::INFINITY]];
        let bad = figure(Scale::Log, Curve::line("bad", bad));
        let error = write(&bad, Path::new("none.svg")).unwrap_err();
        assert!(error.to_string().contains("positive"), "{error}");
        let good = figure(Scale::Log, Curve::line("good", vec![[1.0, 1.0]]));
        let error = write(&good, Path::new("no/such/folder/plot.svg")).unwrap_err().to_string();
        assert!(error.contains("folder"), "{error}");
    }
}
