//! What is seen of a solid, opened along the blade and closed again on it.
//!
//! Visible triangles are split along the blade; where they no longer hang together, each side gets
//! vertices of its own, and the rims are closed by triangles that lie on the blade, the *caps*.

use glam::DVec3;

use super::caps::caps;
use super::sever::joined_pairs;
use super::sheet::{ON, Sheet};
use crate::mesh::is_closed;
use crate::mesh::joined::Joined;
use crate::skin::Binding;

/// Longest side within a cap, in mean lengths of an element's side.
const LONGEST: f64 = 1.5;

/// A visible surface after a cut.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) faces: Vec<[u32; 3]>,
    /// Whether each lies inside.
    pub(super) inner: Vec<bool>,
    pub(super) vertices: Vec<Vertex>,
}

/// A visible vertex after a cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    /// Where it is (m).
    pub(super) x: DVec3,
    /// A point on its side of the blade (m).
    pub(super) side: DVec3,
    /// What it was bound to; if the cut made it, some of the particles near it.
    pub(super) binding: Binding,
    /// Whether the cut made it.
    pub(super) fresh: bool,
    /// The vertex in its place before the surface was opened.
    pub(super) origin: u32,
    /// Whether there are several now.
    pub(super) shared: bool,
}

impl Opened {
    /// Opens a surface where it is severed. `inner` has the flags of the triangles before it was split,
    /// and may be empty; vertices from number `old` on were made by the split.
    pub(super) fn of(sheet: &Sheet, inner: &[bool], old: usize) -> Self {
        let mut faces = sheet.faces.clone();
        let vertex = |(v, &x): (usize, &DVec3)| {
            let (binding, fresh) = (sheet.bindings[v], v >= old);
            Vertex { x, side: x, binding, fresh, origin: v as u32, shared: false }
        };
        let mut vertices: Vec<Vertex> = sheet.x.iter().enumerate().map(vertex).collect();
        let fans = Fans::of(sheet);
        let mut kept = vec![false; vertices.len()];
        for (&(vertex, root), fan) in fans.order.iter().zip(&fans.middles) {
            let side = fan.0 / f64::from(fan.1);
            let mut name = vertex;
            if std::mem::replace(&mut kept[vertex as usize], true) {
                name = vertices.len() as u32;
                vertices[vertex as usize].shared = true;
                vertices.push(Vertex { shared: true, ..vertices[vertex as usize] });
                for &corner in &fans.corners[root as usize] {
                    faces[fans.faces[corner as usize / 3]][corner as usize % 3] = name;
                }
            }
            vertices[name as usize].side = side;
        }
        // The end of a slit is on both sides.
        for &(vertex, _) in &fans.order {
            let vertex = &mut vertices[vertex as usize];
            if !vertex.shared {
                vertex.side = vertex.x;
            }
        }
        let is_inner = |&parent: &u32| inner.get(parent as usize).copied().unwrap_or(false);
        let mut inner: Vec<bool> = sheet.element_of.iter().map(is_inner).collect();
        // An open surface, such as a cloth that is welded to a rope, has nothing inside.
        if is_closed(&sheet.faces, &(0..sheet.x.len() as u32)) {
            let rims = rims(sheet, &faces);
            let closing = caps(&mut vertices, (&faces, &rims), LONGEST * sheet.near / ON);
            inner.extend(closing.iter().map(|_| true));
            faces.extend(closing);
        }
        Self { faces, inner, vertices }
    }
}

/// The triangles at severed edges, by what hangs together around each vertex.
struct Fans {
    /// The visible triangles that have a vertex at a severed edge.
    faces: Vec<usize>,
    /// The fans, as vertex and lowest corner; corners are numbered by triangle and place.
    order: Vec<(u32, u32)>,
    /// Sum and count of the middles of each fan's triangles.
    middles: Vec<(DVec3, u32)>,
    /// The corners of each fan, at its lowest.
    corners: Vec<Vec<u32>>,
}

impl Fans {
    fn of(sheet: &Sheet) -> Self {
        let mut marked = vec![false; sheet.x.len()];
        sheet.severed.iter().flatten().for_each(|&vertex| marked[vertex as usize] = true);
        let touched = |face: &usize| sheet.faces[*face].iter().any(|&v| marked[v as usize]);
        let faces: Vec<usize> = (0..sheet.faces.len()).filter(touched).collect();
        let mut joined = Joined::new(3 * faces.len());
        let corner = |local: u32, vertex: u32| {
            let face = sheet.faces[faces[local as usize]];
            3 * local + face.iter().position(|&other| other == vertex).unwrap_or(0) as u32
        };
        for [f, g, a, b] in joined_pairs(sheet, &faces) {
            joined.join(corner(f, a), corner(g, a));
            joined.join(corner(f, b), corner(g, b));
        }
        let mut corners: Vec<Vec<u32>> = vec![Vec::new(); 3 * faces.len()];
        let mut order = Vec::new();
        for number in 0..3 * faces.len() as u32 {
            let vertex = sheet.faces[faces[number as usize / 3]][number as usize % 3];
            if marked[vertex as usize] {
                let root = joined.root(number);
                if root == number {
                    order.push((vertex, root));
                }
                corners[root as usize].push(number);
            }
        }
        let middle = |number: &u32| -> DVec3 {
            let face = sheet.faces[faces[*number as usize / 3]];
            face.iter().map(|&v| sheet.x[v as usize]).sum::<DVec3>() / 3.0
        };
        let sum = |&(_, root): &(u32, u32)| {
            let own = &corners[root as usize];
            (own.iter().map(middle).sum::<DVec3>(), own.len() as u32)
        };
        let middles = order.iter().map(sum).collect();
        Self { faces, order, middles, corners }
    }
}

/// The severed edges of opened triangles, in the direction of a triangle that would close them.
fn rims(sheet: &Sheet, faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    for (old, new) in sheet.faces.iter().zip(faces) {
        for k in 0..3 {
            let [a, b] = [old[k], old[(k + 1) % 3]];
            if sheet.severed.contains(&[a.min(b), a.max(b)]) {
                found.push([new[(k + 1) % 3], new[k]]);
            }
        }
    }
    found.sort_unstable();
    // Two triangles that still share an edge leave no rim.
    let paired = |[a, b]: &[u32; 2]| found.binary_search(&[*b, *a]).is_ok();
    found.iter().copied().filter(|edge| !paired(edge)).collect()
}
