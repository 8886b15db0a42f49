//! Points and cells of any kind, as simulation programs write them, become triangles and
//! tetrahedra.

use pliant::glam::Vec3;
use pliant::mesh::polygon::triangulate;
use pliant::mesh::{TetMesh, TriMesh, drop_unused};

use super::error::{Fault, Place};
use super::{Imported, Leftovers, Surface};

/// A kind of cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// A surface, whose first so many points are its corners in order.
    Polygon(usize),
    /// A surface, all of whose points are its corners in order.
    AnyPolygon,
    /// Triangles, of which each adds a point to the last two.
    Strip,
    /// A tetrahedron, whose first four points are its corners.
    Tet,
    /// Anything else, by its name in the plural.
    Other(&'static str),
}

/// Lists of points, one after the other: one allocation for all, however many a file has.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) nodes: Vec<u32>,
    /// Where each list ends in `nodes`.
    pub(super) ends: Vec<usize>,
}

impl Lists {
    /// Each list in turn.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.nodes[start..end])
    }
}

/// What was read so far.
#[derive(Default)]
pub(super) struct Cells {
    pub(super) points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    tets: Vec<[u32; 4]>,
    leftovers: Leftovers,
}

impl Cells {
    pub(super) fn new(points: Vec<Vec3>) -> Self {
        Self { points, ..Self::default() }
    }

    /// Adds a cell. Every node is a point.
    pub(super) fn add(&mut self, cell: Cell, nodes: &[u32], place: Place) -> Result<(), Fault> {
        let short = || {
            let found = format!("{} points", nodes.len());
            Fault::expected(place.clone(), "as many points as the cell has corners", &found)
        };
        match cell {
            Cell::Polygon(corners) => {
                let corners = nodes.get(..corners).ok_or_else(short)?;
                triangulate(&self.points, corners, &mut self.triangles);
            }
            Cell::AnyPolygon if nodes.len() < 3 => return Err(short()),
            Cell::AnyPolygon => triangulate(&self.points, nodes, &mut self.triangles),
            Cell::Strip => self.triangles.extend(strip(nodes)),
            Cell::Tet => match *nodes {
                [a, b, c, d, ..] => self.tets.push([a, b, c, d]),
                _ => return Err(short()),
            },
            Cell::Other(what) => self.leftovers.add(what),
        }
        Ok(())
    }

    /// Tetrahedra keep all points; so do triangles, unless they are beside tetrahedra.
    pub(super) fn finish(self) -> Imported {
        let Self { points, triangles, tets, leftovers } = self;
        let skipped = leftovers.list();
        if tets.is_empty() {
            let mesh = TriMesh { positions: points, triangles };
            return Imported {
                surface: Surface { mesh, ..Surface::default() },
                skipped,
                ..Imported::default()
            };
        }
        let surface = Surface { mesh: only_used(&points, triangles), ..Surface::default() };
        Imported {
            surface,
            tets: TetMesh { positions: points, tets },
            skipped,
            ..Imported::default()
        }
    }
}

/// The triangles with those points that they use, in order.
pub(super) fn only_used(points: &[Vec3], mut triangles: Vec<[u32; 3]>) -> TriMesh {
    let used = drop_unused(points.len(), &mut triangles);
    TriMesh { positions: used.iter().map(|&point| points[point as usize]).collect(), triangles }
}

/// The triangles of a strip, all turned the same way: every other one is reversed.
pub(super) fn strip(nodes: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    nodes
        .windows(3)
        .enumerate()
        .map(|(k, w)| if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
}

/// `node` if it is one of `count` points that are counted from `first`, counted from 0.
pub(super) fn point_of(node: u64, first: u64, count: usize, place: Place) -> Result<u32, Fault> {
    match node.checked_sub(first) {
        Some(index) if index < count as u64 => Ok(index as u32),
        _ => {
            let last = (first + count as u64).saturating_sub(1);
            let expected = match count {
                0 => "no points, for there are none".to_owned(),
                _ => format!("a point from {first} to {last}"),
            };
            Err(Fault::expected(place, &expected, &node.to_string()))
        }
    }
}
