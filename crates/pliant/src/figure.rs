//! Curves over a pair of axes, as plain data: what was measured beside what a formula says.

/// Curves over one pair of axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What is shown.
    pub title: String,
    /// What the axes are, with units.
    pub axes: [String; 2],
    /// How numbers are spread along each axis.
    pub scales: [Scale; 2],
    /// In the order of the legend.
    pub curves: Vec<Curve>,
}

/// How numbers are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By powers of ten.
    Log,
}

/// A formula, or what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// Where it goes.
    pub points: Vec<[f64; 2]>,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As a line: what a formula says.
    Line,
    /// As dots: what was measured.
    Dots,
}

impl Curve {
    /// What a formula says.
    pub fn line(name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), style: Style::Line, points }
    }

    /// What was measured.
    pub fn dots(name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), style: Style::Dots, points }
    }
}
