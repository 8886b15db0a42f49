//! Curves as a picture (SVG).
//!
//! Written here rather than by a library: the leanest of those that are kept up builds longer than
//! the engine, for sixty kinds of plots of which this is one.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::draft::Draft;

/// Curves over one pair of axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What is shown.
    pub title: String,
    /// What the axes are, with units.
    pub axes: [String; 2],
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
}

/// A line through points.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Where it goes.
    pub points: Vec<[f64; 2]>,
}

/// Colours that most people can tell apart, from Okabe and Ito's palette.
const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// Size of the picture (pixels).
const SIZE: [f64; 2] = [800.0, 500.0];
/// Where the axes are (pixels): from the left and the top, to the right and the bottom.
const FRAME: [[f64; 2]; 2] = [[80.0, 620.0], [50.0, 440.0]];

/// Writes a plot with logarithmic axes. Points that such axes cannot show are left out.
///
/// # Errors
/// If no point is left, or the file cannot be written.
pub fn write_log_log(plot: &Plot, path: &Path) -> Result<(), PlotError> {
    let axes = [0, 1].map(|k| Axis::around(plot, k));
    let [Some(x), Some(y)] = axes else {
        return Err(PlotError::Empty { title: plot.title.clone() });
    };
    let written = Draft::create(path).and_then(|mut draft| {
        draw(&mut draft, plot, [&x, &y])?;
        draft.publish()
    });
    written.map_err(|source| PlotError::File { path: path.to_path_buf(), source })
}

/// A logarithmic axis of whole decades.
struct Axis {
    /// Powers of ten.
    decades: RangeInclusive<i32>,
    /// Where the first and the last of them are (pixels).
    frame: [f64; 2],
}

impl Axis {
    /// The axis `k` around all points that can be shown, if there are any.
    fn around(plot: &Plot, k: usize) -> Option<Self> {
        let points = plot.curves.iter().flat_map(|curve| shown(&curve.points));
        let logs = points.map(|point| point[k].log10());
        let [low, high] = logs.fold([f64::MAX, f64::MIN], |[a, b], x| [a.min(x), b.max(x)]);
        let [left, right] = FRAME[k];
        // Downwards on the screen is downwards in numbers.
        let frame = if k == 0 { [left, right] } else { [right, left] };
        let (low, high) = (low.floor() as i32, high.ceil() as i32);
        (low <= high).then(|| Self { decades: low..=high.max(low + 1), frame })
    }

    /// Where a number is (pixels).
    fn place(&self, value: f64) -> f64 {
        let [low, high] = [self.decades.start(), self.decades.end()].map(|&d| f64::from(d));
        let [from, to] = self.frame;
        from + (value.log10() - low) / (high - low) * (to - from)
    }
}

/// The points that logarithmic axes can show.
fn shown(points: &[[f64; 2]]) -> impl Iterator<Item = &[f64; 2]> {
    points.iter().filter(|point| point.iter().all(|x| *x > 0.0 && x.is_finite()))
}

fn draw(out: &mut impl Write, plot: &Plot, [x, y]: [&Axis; 2]) -> io::Result<()> {
    let [width, height] = SIZE;
    let [[left, right], [top, bottom]] = FRAME;
    write!(out, r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" "#)?;
    writeln!(out, r#"font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="14">"#)?;
    writeln!(out, r#"<rect width="{width}" height="{height}" fill="white"/>"#)?;
    for decade in x.decades.clone() {
        let at = x.place(10f64.powi(decade));
        line(out, [[at, top], [at, bottom]])?;
        text(out, [at, bottom + 20.0], "middle", &Power(decade))?;
    }
    for decade in y.decades.clone() {
        let at = y.place(10f64.powi(decade));
        line(out, [[left, at], [right, at]])?;
        text(out, [left - 8.0, at + 5.0], "end", &Power(decade))?;
    }
    let middle = [(left + right) / 2.0, (top + bottom) / 2.0];
    text(out, [middle[0], 30.0], "middle", &Escaped(&plot.title))?;
    text(out, [middle[0], height - 15.0], "middle", &Escaped(&plot.axes[0]))?;
    writeln!(out, r#"<g transform="translate(25 {}) rotate(-90)">"#, middle[1])?;
    text(out, [0.0, 0.0], "middle", &Escaped(&plot.axes[1]))?;
    writeln!(out, "</g>")?;
    let curves = plot.curves.iter().zip(COLORS.iter().cycle());
    for (i, (Curve { name, points }, color)) in curves.enumerate() {
        let (at, row) = (right + 20.0, top + 10.0 + 24.0 * i as f64);
        let key = [[at, row], [at + 26.0, row]];
        path(out, color, key)?;
        text(out, [at + 34.0, row + 5.0], "start", &Escaped(name))?;
        path(out, color, shown(points).map(|&[a, b]| [x.place(a), y.place(b)]))?;
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

fn text(
    out: &mut impl Write,
    [x, y]: [f64; 2],
    anchor: &str,
    text: &impl fmt::Display,
) -> io::Result<()> {
    writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#)
}

/// A power of ten.
struct Power(i32);

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            small @ -3..=3 => write!(f, "{}", 10f64.powi(small)),
            other => write!(f, "1e{other}"),
        }
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

    fn plot(points: Vec<[f64; 2]>) -> Plot {
        let curves = vec![Curve { name: "x < y".into(), points }];
        Plot {
            title: "Falling & co".into(),
            axes: ["time (s)".into(), "height (m)".into()],
            curves,
        }
    }

    #[test]
    fn a_plot_names_its_axes_and_curves_and_puts_points_where_they_are() {
        let path = std::env::temp_dir().join(format!("pliant-plot-{}.svg", std::process::id()));
        write_log_log(&plot(vec![[1.0, 10.0], [10.0, 1.0], [100.0, 0.0]]), &path).unwrap();
        let svg = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        // One decade each way: from corner to corner of the frame.
        let line = r##"stroke="#0072b2" d="M80.0 50.0L620.0 440.0""##;
        for part in ["Falling &amp; co", "time (s)", "height (m)", "x &lt; y", line] {
            assert!(svg.contains(part), "no {part:?} in {svg}");
        }
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        let bad = [[0.0, 1.0], [1.0, -1.0], [f64::NAN, 1.0], [1.0, f64::INFINITY]];
        let error = write_log_log(&plot(bad.to_vec()), Path::new("none.svg")).unwrap_err();
        assert!(error.to_string().contains("positive"), "{error}");
        let nowhere = Path::new("no/such/folder/plot.svg");
        let error = write_log_log(&plot(vec![[1.0, 1.0]]), nowhere).unwrap_err().to_string();
        assert!(error.contains("folder"), "{error}");
    }
}
