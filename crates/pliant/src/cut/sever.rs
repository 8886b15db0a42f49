//! What severed edges mean for the elements underneath.
//!
//! Every connected piece of visible material in an element gets a copy of the element of its own,
//! whose corners are particles where the piece reaches a corner and *virtual nodes* where it does not
//! (Molino et al. 2004). Copies of neighbouring elements share the nodes of their common corners
//! where their pieces meet at an edge that is not severed (Sifakis et al. 2007). So the sheet opens
//! along the blade, and no element is smaller than it was.

use std::collections::BTreeMap;

use super::around::Around;
use super::sheet::Sheet;
use crate::body::Body;
use crate::edit::Edit;
use crate::error::WorldError;
use crate::mesh::joined::Joined;
use crate::skin::{Binding, Skin};

/// Least share of mass and of stiffness that a copy gets, however little material is left in it.
/// Slivers with less are thrown about by the rounding of their neighbours, and their edges look frayed.
pub(super) const LEAST_SHARE: f64 = 0.02;

/// The elements around a cut, after it.
#[derive(Debug)]
pub(super) struct TornSheet {
    /// The elements near the cut as they were, as particles.
    pub(super) elements: Vec<[u32; 3]>,
    /// Those around each particle.
    pub(super) around: Around,
    pub(super) copies: Vec<ElementCopy>,
    /// The copies of each element.
    copies_of: Around,
    /// Copies of neighbours that hang together.
    glued: Vec<[u32; 2]>,
    /// Those of each copy.
    glued_to: Around,
}

/// One of the elements that an element became.
#[derive(Debug)]
pub(super) struct ElementCopy {
    /// The element, by its place among those near the cut.
    pub(super) element: u32,
    /// Its corners, in the order of the element's, as particles of the edit.
    pub(super) nodes: [u32; 3],
    /// Area of its material (m²).
    pub(super) area: f64,
}

impl TornSheet {
    /// What became of an element.
    pub(super) fn copies_of(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        self.copies_of.particle(element).iter().copied()
    }

    /// The copies of other elements that a copy hangs together with.
    pub(super) fn glued(&self, copy: u32) -> impl Iterator<Item = u32> + '_ {
        let pairs = self.glued_to.particle(copy).iter().map(|&pair| self.glued[pair as usize]);
        pairs.map(move |[one, other]| if one == copy { other } else { one })
    }
}

/// No node, and no element.
const NONE: u32 = u32::MAX;

/// The visible triangles near the cut, and how they hang together.
struct Near<'a> {
    sheet: &'a Sheet,
    /// The visible triangles.
    faces: Vec<usize>,
    /// Whether each particle of the body may be split.
    core: Vec<bool>,
    /// The first particle of the body.
    first: u32,
    /// Pairs of `faces` that hang together at an edge, with its ends.
    pairs: Vec<[u32; 4]>,
    /// The piece of each of `faces`: the lowest that hangs together with it in its element.
    piece: Vec<u32>,
    /// The node of each corner of each piece, as the lowest that it is one with.
    nodes: Joined,
    /// The particle of the edit that each node is; of those that are the lowest.
    names: Vec<u32>,
}

/// What is seen of a sheet after it was severed.
struct Seen {
    /// Vertices that are bound anew; those from the old count on are new.
    bindings: Vec<(u32, Binding)>,
    /// Corners of triangles that are another vertex now: which triangle, which corner, which vertex.
    corners: Vec<(usize, usize, u32)>,
}

/// Splits the particles of a sheet whose surroundings no longer hang together. `None` if there are
/// none.
///
/// # Errors
/// If a particle cannot be split, which would be a bug.
pub(super) fn sever(
    sheet: Sheet,
    body: &Body,
    edit: &mut Edit,
) -> Result<Option<TornSheet>, WorldError> {
    if sheet.severed.is_empty() {
        return Ok(None);
    }
    let mut near = Near::of(&sheet, body);
    near.name_nodes(edit)?;
    let (torn, places) = near.tear();
    // What is torn along sides of triangles needs no other surface.
    let changed = body.skin.is_some() || sheet.faces.len() != sheet.elements.len();
    let seen = changed.then(|| near.seen());
    let Sheet { id, elements: mut triangles, bindings, faces, .. } = sheet;
    let mut more = Vec::new();
    for (local, &element) in (0..).zip(&places) {
        let mut copies = torn.copies_of(local).map(|copy| torn.copies[copy as usize].nodes);
        triangles[element as usize] = copies.next().unwrap_or(triangles[element as usize]);
        more.extend(copies);
    }
    triangles.extend(more);
    edit.set_surface(id, triangles, seen.map(|seen| seen.skin(bindings, faces)));
    Ok(Some(torn))
}

impl Seen {
    fn skin(self, mut bindings: Vec<Binding>, mut triangles: Vec<[u32; 3]>) -> Skin {
        let last = self.bindings.iter().map(|(vertex, _)| *vertex as usize + 1).max();
        bindings.resize(last.unwrap_or(0).max(bindings.len()), Binding::default());
        self.bindings.iter().for_each(|&(vertex, bound)| bindings[vertex as usize] = bound);
        self.corners.iter().for_each(|&(face, place, vertex)| triangles[face][place] = vertex);
        Skin { bindings, triangles, inner: Vec::new() }
    }
}

impl<'a> Near<'a> {
    fn of(sheet: &'a Sheet, body: &Body) -> Self {
        let first = body.particles.start;
        let core = corners_of_touched(sheet, body);
        // One ring more than may be split: constraints reach over it.
        let ring = grown(sheet, &core, first);
        let has = |flags: &[bool], element: u32| {
            sheet.elements[element as usize].iter().any(|&i| flags[(i - first) as usize])
        };
        let faces: Vec<usize> =
            (0..sheet.faces.len()).filter(|&face| has(&ring, sheet.element_of[face])).collect();
        let pairs = joined_pairs(sheet, &faces);
        let mut pieces = Joined::new(faces.len());
        let element = |local: u32| sheet.element_of[faces[local as usize]];
        for &[f, g, ..] in pairs.iter().filter(|[f, g, ..]| element(*f) == element(*g)) {
            pieces.join(f, g);
        }
        let piece: Vec<u32> = (0..faces.len() as u32).map(|local| pieces.root(local)).collect();
        let mut nodes = Joined::new(3 * faces.len());
        for &[f, g, ..] in &pairs {
            let [one, other] = [f, g].map(|local| sheet.elements[element(local) as usize]);
            for (k, corner) in (0..).zip(one) {
                if let Some(l) = other.iter().position(|&i| i == corner) {
                    nodes.join(3 * piece[f as usize] + k, 3 * piece[g as usize] + l as u32);
                }
            }
        }
        let names = vec![NONE; 3 * faces.len()];
        Self { sheet, faces, core, first, pairs, piece, nodes, names }
    }

    /// Gives every node a particle: the old one to the node whose material reaches it, or else to the
    /// one with the most.
    fn name_nodes(&mut self, edit: &mut Edit) -> Result<(), WorldError> {
        // Of each particle: its nodes with their material (m²), and whether that reaches it.
        let mut found: BTreeMap<u32, Vec<(u32, f64, bool)>> = BTreeMap::new();
        for local in 0..self.faces.len() {
            let face = self.faces[local];
            let element = self.sheet.elements[self.sheet.element_of[face] as usize];
            for (k, particle) in (0..).zip(element) {
                if !self.core[(particle - self.first) as usize] {
                    continue;
                }
                let node = self.nodes.root(3 * self.piece[local] + k);
                let mass = self.sheet.area(face) * self.sheet.weight(face, particle);
                let reaches = self.sheet.reaches(face, particle);
                let list = found.entry(particle).or_default();
                match list.iter_mut().find(|(other, ..)| *other == node) {
                    Some((_, sum, real)) => (*sum, *real) = (*sum + mass, *real || reaches),
                    None => list.push((node, mass, reaches)),
                }
            }
        }
        for (particle, mut list) in found {
            list.sort_by(|a, b| b.2.cmp(&a.2).then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0)));
            let whole: f64 = list.iter().map(|(_, mass, _)| mass).sum();
            let share = |mass: f64| if whole > 0.0 { mass / whole } else { 1.0 };
            let shares: Vec<f64> = list.iter().map(|one| share(one.1).max(LEAST_SHARE)).collect();
            let names = match list.len() {
                1 => vec![particle],
                _ => edit.split(particle, &shares)?,
            };
            for (&(node, _, reaches), name) in list.iter().zip(names) {
                self.names[node as usize] = name;
                if !reaches {
                    edit.hollow_out(name);
                }
            }
        }
        Ok(())
    }

    /// The particle of the edit that corner `particle` of a visible triangle's element is.
    fn name(&mut self, local: usize, particle: u32) -> u32 {
        let element = self.sheet.elements[self.sheet.element_of[self.faces[local]] as usize];
        let Some(k) = element.iter().position(|&i| i == particle) else { return particle };
        let node = self.nodes.root(3 * self.piece[local] + k as u32);
        Some(self.names[node as usize]).filter(|&name| name != NONE).unwrap_or(particle)
    }

    /// Makes the copies of elements, and finds out which hang together. Returns the elements near the
    /// cut, by their numbers, too.
    fn tear(&mut self) -> (TornSheet, Vec<u32>) {
        let mut places: Vec<u32> =
            self.faces.iter().map(|&face| self.sheet.element_of[face]).collect();
        places.sort_unstable();
        places.dedup();
        let mut local_of = vec![NONE; self.sheet.elements.len()];
        (0..).zip(&places).for_each(|(local, &place)| local_of[place as usize] = local);
        let elements: Vec<[u32; 3]> =
            places.iter().map(|&place| self.sheet.elements[place as usize]).collect();
        let (copies, copy_of_face) = self.copy(&elements, &local_of);
        let pairs = self.pairs.iter().map(|&[f, g, ..]| [f, g].map(|f| copy_of_face[f as usize]));
        let element = |copy: u32| copies[copy as usize].element;
        let glued: Vec<[u32; 2]> =
            pairs.filter(|&[one, other]| element(one) != element(other)).collect();
        let of_copies: Vec<[u32; 1]> = copies.iter().map(|copy| [copy.element]).collect();
        let torn = TornSheet {
            around: Around::of(&elements),
            copies_of: Around::of(&of_copies),
            glued_to: Around::of(&glued),
            elements,
            copies,
            glued,
        };
        (torn, places)
    }

    /// The copies of elements, and that of each visible triangle.
    fn copy(&mut self, elements: &[[u32; 3]], local_of: &[u32]) -> (Vec<ElementCopy>, Vec<u32>) {
        let mut copies: Vec<ElementCopy> = Vec::new();
        let mut copies_of: Vec<Vec<u32>> = vec![Vec::new(); elements.len()];
        let mut copy_of_face = Vec::with_capacity(self.faces.len());
        for local in 0..self.faces.len() {
            let face = self.faces[local];
            let element = local_of[self.sheet.element_of[face] as usize];
            let nodes = elements[element as usize].map(|particle| self.name(local, particle));
            let list = &mut copies_of[element as usize];
            let known = list.iter().copied().find(|&copy| copies[copy as usize].nodes == nodes);
            let copy = known.unwrap_or_else(|| {
                list.push(copies.len() as u32);
                copies.push(ElementCopy { element, nodes, area: 0.0 });
                copies.len() as u32 - 1
            });
            copies[copy as usize].area += self.sheet.area(face);
            copy_of_face.push(copy);
        }
        (copies, copy_of_face)
    }

    /// The visible surface, with as many vertices as fans of triangles that hang together.
    fn seen(&mut self) -> Seen {
        let mut seen = Seen { bindings: Vec::new(), corners: Vec::new() };
        let mut fans = Joined::new(3 * self.faces.len());
        let corner = |local: u32, vertex: u32| {
            let face = self.sheet.faces[self.faces[local as usize]];
            let place = face.iter().position(|&other| other == vertex).unwrap_or(0);
            3 * local + place as u32
        };
        for &[f, g, a, b] in &self.pairs {
            fans.join(corner(f, a), corner(g, a));
            fans.join(corner(f, b), corner(g, b));
        }
        let count = self.sheet.x.len();
        let mut splits = vec![false; count];
        self.sheet.severed.iter().flatten().for_each(|&vertex| splits[vertex as usize] = true);
        // The fan that kept each vertex, and the vertices of the others.
        let mut vertex_of = vec![NONE; 3 * self.faces.len()];
        let (mut taken, mut next) = (vec![false; count], count as u32..);
        for local in 0..self.faces.len() {
            let face = self.faces[local];
            for place in 0..3 {
                let old = self.sheet.faces[face][place];
                let mut vertex = old;
                if splits[old as usize] {
                    let known = &mut vertex_of[fans.root((3 * local + place) as u32) as usize];
                    if *known == NONE {
                        let first = !std::mem::replace(&mut taken[old as usize], true);
                        *known = if first { old } else { next.next().unwrap_or(old) };
                    }
                    vertex = *known;
                    seen.corners.push((face, place, vertex));
                }
                let mut binding = self.sheet.bindings[old as usize];
                binding.particles = binding.particles.map(|particle| self.name(local, particle));
                seen.bindings.push((vertex, binding));
            }
        }
        seen
    }
}

/// The corners of the elements at severed edges, as flags of the body's particles.
fn corners_of_touched(sheet: &Sheet, body: &Body) -> Vec<bool> {
    let mut marked = vec![false; sheet.x.len()];
    sheet.severed.iter().flatten().for_each(|&vertex| marked[vertex as usize] = true);
    let mut core = vec![false; body.range().len()];
    for (face, &[a, b, c]) in sheet.faces.iter().enumerate() {
        let severed = [[a, b], [b, c], [c, a]].into_iter().any(|[a, b]| {
            marked[a as usize]
                && marked[b as usize]
                && sheet.severed.contains(&[a.min(b), a.max(b)])
        });
        if severed {
            let element = sheet.elements[sheet.element_of[face] as usize];
            element.iter().for_each(|&i| core[(i - body.particles.start) as usize] = true);
        }
    }
    core
}

/// The corners of all elements that have a corner in `core`.
fn grown(sheet: &Sheet, core: &[bool], first: u32) -> Vec<bool> {
    let mut ring = core.to_vec();
    for element in &sheet.elements {
        if element.iter().any(|&i| core[(i - first) as usize]) {
            element.iter().for_each(|&i| ring[(i - first) as usize] = true);
        }
    }
    ring
}

/// Pairs of visible triangles, by their place in `faces`, that share an edge which is not severed,
/// and its ends.
pub(super) fn joined_pairs(sheet: &Sheet, faces: &[usize]) -> Vec<[u32; 4]> {
    let mut sides: Vec<([u32; 2], u32)> = (0..)
        .zip(faces)
        .flat_map(|(local, &face)| {
            let [a, b, c] = sheet.faces[face];
            [[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], local))
        })
        .collect();
    sides.sort_unstable();
    let whole =
        |pair: &&[([u32; 2], u32)]| pair[0].0 == pair[1].0 && !sheet.severed.contains(&pair[0].0);
    let pairs = sides.windows(2).filter(whole);
    pairs.map(|pair| [pair[0].1, pair[1].1, pair[0].0[0], pair[0].0[1]]).collect()
}
