//! A frame: what a world looks like at one time, and what is computed underneath.

use std::collections::BTreeSet;
use std::ops::Range;

use pliant::constraint::{distance, neo_hookean, volume};
use pliant::glam::Vec3;
use pliant::measure::strain;
use pliant::mesh::drop_unused;
use pliant::{Body, BodyId, World, look};

use super::ExportError;

/// A world at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// When (s).
    pub time: f64,
    /// What is seen: one part per body.
    pub parts: Vec<Part>,
    /// What is computed: particles with tetrahedra and links, one per body.
    pub cells: Vec<Cells>,
}

/// What is seen of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// A name of letters, digits and underscores that no other part has.
    pub name: String,
    /// The vertices (m).
    pub positions: Vec<Vec3>,
    /// The corners of its triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// The ends of its lines, if it has no triangles.
    pub lines: Vec<[u32; 2]>,
    /// Numbers on the vertices.
    pub attributes: Vec<Attribute>,
}

/// What is computed of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// The name of its part.
    pub name: String,
    /// The particles (m).
    pub positions: Vec<Vec3>,
    /// The corners of its tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// The ends of its links, if it has no tetrahedra.
    pub links: Vec<[u32; 2]>,
    /// Numbers on the particles.
    pub attributes: Vec<Attribute>,
}

/// A number on every vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// What it is.
    pub name: &'static str,
    /// One per vertex, in SI units.
    pub values: Vec<f32>,
}

impl Frame {
    /// What `world` is like now: positions, the speed (m/s) of every vertex and its strain, the
    /// largest of what is stretched there.
    pub fn of(world: &World) -> Self {
        let strains = strain::of_particles(world);
        let numbers = [
            (
                "speed",
                world.particles.v.iter().map(|v| v.truncate().length()).collect::<Vec<f32>>(),
            ),
            ("strain", strains),
        ];
        let mut names = BTreeSet::new();
        let (mut parts, mut cells) = (Vec::new(), Vec::new());
        for (id, body) in world.bodies() {
            let name = unique(&body.name, id, &mut names);
            let of = |(name, values): &(&'static str, Vec<f32>)| Attribute {
                name,
                values: values[body.range()].to_vec(),
            };
            let attributes: Vec<Attribute> = numbers.iter().map(of).collect();
            parts.push(part(world, body, &name, &attributes));
            cells.push(cells_of(world, body, name, attributes));
        }
        Self { time: world.time, parts, cells }
    }

    /// Refuses a frame whose vertices, triangles or parts are not those of `first`.
    pub(super) fn check_same(
        &self,
        first: &[Part],
        format: &'static str,
        frame: usize,
    ) -> Result<(), ExportError> {
        let changed = |part: &str| ExportError::Changed { format, part: part.to_owned(), frame };
        if let Some(extra) = self.parts.get(first.len()) {
            return Err(changed(&extra.name));
        }
        let gone = first.get(self.parts.len());
        let other = first.iter().zip(&self.parts).find(|(a, b)| !a.same_topology(b));
        match other.map(|(a, _)| a).or(gone) {
            Some(part) => Err(changed(&part.name)),
            None => Ok(()),
        }
    }
}

impl Part {
    /// Whether only positions and numbers differ.
    pub(super) fn same_topology(&self, other: &Self) -> bool {
        self.name == other.name
            && self.positions.len() == other.positions.len()
            && self.triangles == other.triangles
            && self.lines == other.lines
    }
}

/// The surface of a body, or the line through its particles.
fn part(world: &World, body: &Body, name: &str, attributes: &[Attribute]) -> Part {
    let name = name.to_owned();
    let Some(surface) = look::surface(world, body) else {
        let positions = positions(world, body.range());
        let lines = (1..positions.len() as u32).map(|i| [i - 1, i]).collect();
        return Part { name, positions, lines, attributes: attributes.to_vec(), ..Part::default() };
    };
    let on_surface = |attribute: &Attribute| match &body.skin {
        Some(skin) => Attribute { values: skin.interpolate(&attribute.values), ..*attribute },
        None => attribute.clone(),
    };
    let attributes: Vec<Attribute> = attributes.iter().map(on_surface).collect();
    // Importers drop the vertices that no triangle has, and a point cache would then not fit its mesh.
    let mut triangles = surface.triangles;
    let used = drop_unused(surface.positions.len(), &mut triangles);
    let pick = |attribute: Attribute| Attribute {
        values: used.iter().map(|&i| attribute.values[i as usize]).collect(),
        ..attribute
    };
    Part {
        name,
        positions: used.iter().map(|&i| surface.positions[i as usize]).collect(),
        triangles,
        lines: Vec::new(),
        attributes: attributes.into_iter().map(pick).collect(),
    }
}

fn cells_of(world: &World, body: &Body, name: String, attributes: Vec<Attribute>) -> Cells {
    let mut tets: BTreeSet<[u32; 4]> = BTreeSet::new();
    for kind in [&volume::KIND, &neo_hookean::KIND] {
        tets.extend(constraints(world, body, kind));
    }
    let links = if tets.is_empty() {
        constraints(world, body, &distance::KIND).collect()
    } else {
        Vec::new()
    };
    let positions = positions(world, body.range());
    Cells { name, positions, tets: tets.into_iter().collect(), links, attributes }
}

/// The particles of the constraints of a kind that lie within a body, counted from its first.
fn constraints<'a, const N: usize>(
    world: &'a World,
    body: &'a Body,
    kind: &pliant::constraint::Kind,
) -> impl Iterator<Item = [u32; N]> + 'a {
    let set = world.constraints_of(kind);
    let all = set.into_iter().flat_map(|set| (0..set.len()).map(|number| set.particles(number)));
    let own = |ids: &[u32]| {
        let inside = ids.iter().all(|id| body.particles.contains(id));
        let ids = <[u32; N]>::try_from(ids).ok()?;
        inside.then(|| ids.map(|id| id - body.particles.start))
    };
    all.filter_map(own)
}

fn positions(world: &World, range: Range<usize>) -> Vec<Vec3> {
    world.particles.xw[range].iter().map(|row| row.truncate()).collect()
}

/// The body's name in letters that every format and file system takes, and unlike all before. The
/// pieces of a cut are called alike; their handles tell them apart in every frame.
fn unique(name: &str, id: BodyId, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = name.chars().map(plain).collect();
    if name.is_empty() {
        name = "body".into();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if taken.contains(&name) {
        name = format!("{name}_{}", id.index());
    }
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}
