//! What was found in a surface, and what was done.

use std::fmt;

use glam::Vec3;

use super::super::TriMesh;

/// Bodies of this size (m) are what the engine is made for.
const COMFORT: [f32; 2] = [0.01, 10.0];
/// What a person would hold: of several units, the one that gives this size (m) is likely.
const HANDY: f32 = 0.2;
/// Units in which meshes are drawn, and how many metres they are.
const UNITS: &[(&str, f32)] =
    &[("kilometres", 1e3), ("centimetres", 1e-2), ("millimetres", 1e-3), ("micrometres", 1e-6)];

/// A triangle is flat if its height is less than this part of its longest side: half of the digits
/// of its coordinates.
const FLAT: f64 = 1e-4;

/// What was found in a surface, and what was done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Vertices and triangles that were given.
    pub given: [usize; 2],
    /// Vertices and triangles that there are now.
    pub now: [usize; 2],
    /// Vertices that joined another in the same place.
    pub welded: usize,
    /// Vertices that no triangle used, and that were dropped.
    pub unused: usize,
    /// Triangles with fewer than three different corners, which were dropped.
    pub degenerate: usize,
    /// Triangles with the corners of an earlier one, which were dropped.
    pub duplicate: usize,
    /// Triangles that were turned over.
    pub turned: usize,
    /// Edges where more than two triangles met.
    pub junctions: usize,
    /// Vertices that were added where sheets came apart.
    pub split: usize,
    /// Holes that were closed.
    pub filled: usize,
    /// Holes, and other borders that run in a circle, that are left.
    pub holes: usize,
    /// Edges with one triangle.
    pub boundary_edges: usize,
    /// Triangles that are nearly or quite a line. They stay: without them there would be a crack.
    pub flat: usize,
    /// Connected parts.
    pub parts: usize,
    /// Parts that enclose a volume.
    pub closed_parts: usize,
    /// Closed parts that are holes inside of others.
    pub cavities: usize,
    /// Parts that have no outside, like a Möbius strip.
    pub one_sided_parts: usize,
    /// The volume in the closed parts (m³).
    pub volume: f64,
    /// The area of all triangles (m²).
    pub area: f64,
    /// The lowest and highest corner of the bounding box (m).
    pub bounds: [Vec3; 2],
    /// The shortest, the mean and the longest edge (m).
    pub edges: [f32; 3],
}

/// A guess at the unit of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The longest side of the bounding box, taken as metres (m).
    pub size: f32,
    /// The unit that the numbers look like.
    pub unit: &'static str,
    /// By what to multiply the numbers to get metres.
    pub factor: f32,
}

impl Report {
    /// Whether the surface has an inside everywhere.
    pub fn is_closed(&self) -> bool {
        self.parts > 0 && self.closed_parts == self.parts
    }

    /// Whether nothing had to be done.
    pub fn is_clean(&self) -> bool {
        let done = [self.welded, self.unused, self.degenerate, self.duplicate];
        let more = [self.turned, self.junctions, self.split, self.filled];
        done.iter().chain(&more).all(|count| *count == 0)
    }

    /// The longest side of the bounding box (m).
    pub fn size(&self) -> f32 {
        (self.bounds[1] - self.bounds[0]).max_element()
    }

    /// A guess at the unit, if the surface is not of a size that bodies have. Nothing in most
    /// files says what their unit is.
    pub fn scale(&self) -> Option<Scale> {
        let size = self.size();
        if size <= 0.0 || (COMFORT[0]..=COMFORT[1]).contains(&size) {
            return None;
        }
        // How many times larger or smaller than what a person would hold.
        let off = |factor: f32| (size * factor / HANDY).max(HANDY / (size * factor));
        let best = UNITS.iter().min_by(|a, b| off(a.1).total_cmp(&off(b.1)))?;
        Some(Scale { size, unit: best.0, factor: best.1 })
    }

    /// Takes the measures of the repaired surface.
    pub(super) fn measure(&mut self, mesh: &TriMesh) {
        self.now = [mesh.positions.len(), mesh.triangles.len()];
        self.bounds = bounds(&mesh.positions).unwrap_or_default();
        let [mut least, mut sum, mut most] = [f64::INFINITY, 0.0, 0.0f64];
        let origin = self.bounds[0].as_dvec3();
        for triangle in &mesh.triangles {
            let [a, b, c] =
                triangle.map(|corner| mesh.positions[corner as usize].as_dvec3() - origin);
            let sides = [(b - a).length(), (c - b).length(), (a - c).length()];
            let longest = sides.iter().copied().fold(0.0, f64::max);
            let area = (b - a).cross(c - a).length() / 2.0;
            self.flat += usize::from(2.0 * area < FLAT * longest * longest);
            self.area += area;
            sum += sides.iter().sum::<f64>();
            least = sides.iter().copied().fold(least, f64::min);
            most = most.max(longest);
        }
        if !mesh.triangles.is_empty() {
            self.edges = [least, sum / (3 * mesh.triangles.len()) as f64, most].map(|x| x as f32);
        }
    }
}

/// A number as a person reads it: without an exponent as long as that is short.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e6 => format!("{value:.6}"),
        _ => format!("{value:.6e}"),
    }
}

/// The lowest and highest corner of the box around points; nothing if there are none.
pub(super) fn bounds(positions: &[Vec3]) -> Option<[Vec3; 2]> {
    let low = positions.iter().copied().reduce(Vec3::min)?;
    Some([low, positions.iter().copied().reduce(Vec3::max)?])
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [given, now] = [self.given, self.now];
        writeln!(f, "{:<26} {:>12}   given {}", "vertices", now[0], given[0])?;
        writeln!(f, "{:<26} {:>12}   given {}", "triangles", now[1], given[1])?;
        for (what, count, action) in self.rows().into_iter().filter(|row| row.1 > 0) {
            writeln!(f, "{what:<26} {count:>12}   {action}")?;
        }
        let closed = match (self.is_closed(), self.closed_parts) {
            (true, _) => "closed",
            (false, 0) => "open",
            (false, _) => "some closed, some open",
        };
        writeln!(f, "{:<26} {:>12}   {closed}", "parts", self.parts)?;
        writeln!(f, "{:<26} {:>12} m³", "volume of closed parts", number(self.volume))?;
        writeln!(f, "{:<26} {:>12} m²", "area", number(self.area))?;
        let side = self.bounds[1] - self.bounds[0];
        writeln!(
            f,
            "{:<26} {:>12} m",
            "size",
            format!("{:.4} × {:.4} × {:.4}", side.x, side.y, side.z)
        )?;
        let [low, high] = self.bounds;
        writeln!(
            f,
            "{:<26} {:>12} m",
            "from",
            format!("{:.4}, {:.4}, {:.4}", low.x, low.y, low.z)
        )?;
        writeln!(
            f,
            "{:<26} {:>12} m",
            "to",
            format!("{:.4}, {:.4}, {:.4}", high.x, high.y, high.z)
        )?;
        let [least, mean, most] = self.edges;
        write!(
            f,
            "{:<26} {:>12} m",
            "edges, mean (range)",
            format!("{mean:.4} ({least:.2e} to {most:.2e})")
        )?;
        match self.scale() {
            None => Ok(()),
            Some(scale) => write!(f, "\n{scale}"),
        }
    }
}

impl Report {
    /// What can be found and done: name, count, what was done about it.
    fn rows(&self) -> [(&'static str, usize, &'static str); 13] {
        [
            ("vertices in one place", self.welded, "welded"),
            ("vertices not used", self.unused, "dropped"),
            ("triangles without area", self.degenerate, "dropped"),
            ("triangles twice", self.duplicate, "dropped"),
            ("triangles nearly a line", self.flat, "kept, for the surface would crack"),
            ("triangles turned", self.turned, "so that neighbours agree and outside is outside"),
            ("edges of 3 or more", self.junctions, "came apart"),
            ("vertices added", self.split, "where sheets came apart"),
            ("holes closed", self.filled, ""),
            ("holes left", self.holes, ""),
            ("edges of one triangle", self.boundary_edges, ""),
            ("cavities", self.cavities, ""),
            ("parts without an outside", self.one_sided_parts, "like a Möbius strip"),
        ]
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, unit, factor } = self;
        write!(
            f,
            "{size} m is an unusual size for a body; it looks like {unit}: scaled by {factor}, it \
             would be {} m",
            size * factor
        )
    }
}
