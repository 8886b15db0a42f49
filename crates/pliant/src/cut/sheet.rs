//! A sheet under the knife: what is seen of it, split along the blade.
//!
//! The material of a sheet is its visible surface, whose triangles lie in the triangles that are
//! computed, its *elements*. The blade splits visible triangles exactly and *severs* the edges along
//! which it passes; what that means for the elements is found by `super::sever`.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::around::Around;
use super::blade::{Blade, Facet};
use crate::body::{Body, BodyId};
use crate::particles::Particles;
use crate::skin::{Binding, Skin};
use crate::world::World;

/// A vertex nearer to the blade than this is on it, in mean lengths of an element's side. Smaller
/// pieces are not cut off; the visible cut is off the blade by no more.
pub(super) const ON: f64 = 2e-3;

/// The visible surface of a body whose triangles are its material.
#[derive(Debug)]
pub(super) struct Sheet {
    pub(super) id: BodyId,
    /// The body's triangles, as particles of the world.
    pub(super) elements: Vec<[u32; 3]>,
    /// What every visible vertex is bound to, as particles of the world.
    pub(super) bindings: Vec<Binding>,
    /// Where it is (m).
    pub(super) x: Vec<DVec3>,
    /// The visible triangles, as vertices.
    pub(super) faces: Vec<[u32; 3]>,
    /// The element that each lies in.
    pub(super) element_of: Vec<u32>,
    /// Edges of visible triangles at which the sheet no longer holds together, the lower end first.
    pub(super) severed: BTreeSet<[u32; 2]>,
    /// How near is on the blade (m).
    pub(super) near: f64,
}

impl Sheet {
    /// The sheet that a body is, with its skin or without. `None` if its skin is not made of pieces of
    /// its triangles.
    pub(super) fn of(world: &World, id: BodyId, body: &Body) -> Option<Self> {
        let range = body.triangles.start as usize..body.triangles.end as usize;
        let elements = world.triangles[range].to_vec();
        let first = body.particles.start;
        let (bindings, faces, element_of) = match &body.skin {
            None => {
                let faces = elements.iter().map(|corners| corners.map(|i| i - first)).collect();
                let element_of = (0..elements.len() as u32).collect();
                (body.particles.clone().map(whole).collect(), faces, element_of)
            }
            Some(skin) => {
                let skin = skin.clone().renamed(|i| Some(first + i));
                let bindings: Vec<Binding> = skin.bindings.iter().map(tidied).collect();
                let element_of = elements_of(&elements, &bindings, &skin.triangles)?;
                (bindings, skin.triangles, element_of)
            }
        };
        let x = match &body.skin {
            None => world.particles.xw[body.range()]
                .iter()
                .map(|row| row.truncate().as_dvec3())
                .collect(),
            Some(_) => bindings.iter().map(|binding| place(binding, &world.particles)).collect(),
        };
        let near = ON * mean_side(&elements, &world.particles);
        let severed = BTreeSet::new();
        Some(Self { id, elements, bindings, x, faces, element_of, severed, near })
    }

    /// What is seen of a solid. Each visible triangle counts as an element, since its particles need
    /// not be of one; `near` (m) is how near is on the blade.
    pub(super) fn of_solid(world: &World, id: BodyId, body: &Body, near: f64) -> Self {
        let first = body.particles.start;
        let (bindings, faces) = match &body.skin {
            Some(skin) => {
                let skin = skin.clone().renamed(|i| Some(first + i));
                (skin.bindings, skin.triangles)
            }
            None => {
                let range = body.triangles.start as usize..body.triangles.end as usize;
                let local = |corners: &[u32; 3]| corners.map(|i| i - first);
                let faces = world.triangles[range].iter().map(local).collect();
                (body.particles.clone().map(whole).collect(), faces)
            }
        };
        let rows = &world.particles.xw;
        let x = bindings.iter().map(|binding| binding.evaluate(rows).as_dvec3()).collect();
        let element_of = (0..faces.len() as u32).collect();
        let (elements, severed) = (Vec::new(), BTreeSet::new());
        Self { id, elements, bindings, x, faces, element_of, severed, near }
    }

    /// A skin whose particles are those of the world or of an edit, its vertices at `x` (m), severed at
    /// some sides of its triangles.
    pub(super) fn of_skin(
        id: BodyId,
        skin: &Skin,
        x: impl Iterator<Item = DVec3>,
        severed: BTreeSet<[u32; 2]>,
    ) -> Self {
        let (x, faces): (Vec<DVec3>, _) = (x.collect(), skin.triangles.clone());
        let side = |&[a, b, _]: &[u32; 3]| x[a as usize].distance(x[b as usize]);
        let near = ON * faces.iter().map(side).sum::<f64>() / faces.len().max(1) as f64;
        let (bindings, element_of) = (skin.bindings.clone(), (0..faces.len() as u32).collect());
        Self { id, elements: Vec::new(), bindings, x, faces, element_of, severed, near }
    }

    /// Splits the visible triangles along a blade, and severs what it passes between.
    pub(super) fn split_along(&mut self, blade: &Blade) {
        let mut split = Split { sheet: self, blade, on: Vec::new(), crossings: BTreeMap::new() };
        split.on = vec![None; split.sheet.x.len()];
        let candidates = split.candidates();
        for &(face, _) in &candidates {
            split.sheet.faces[face].into_iter().for_each(|vertex| split.find_on(vertex));
        }
        let along = split.edges_along(&candidates);
        for (face, facets) in candidates {
            split.split_face(face, &facets);
        }
        self.severed.extend(along);
    }

    /// Severs the visible edges between vertices at these pairs of particles.
    pub(super) fn sever_between(&mut self, edges: &[[u32; 2]]) {
        let at = |binding: &Binding| (binding.weights[0] == 1.0).then_some(binding.particles[0]);
        let wanted: BTreeSet<[u32; 2]> = edges.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        for &[a, b, c] in &self.faces {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                let ends = [a, b].map(|vertex| at(&self.bindings[vertex as usize]));
                let [Some(p), Some(q)] = ends else { continue };
                if wanted.contains(&[p.min(q), p.max(q)]) {
                    self.severed.insert([a.min(b), a.max(b)]);
                }
            }
        }
    }

    /// The area of a visible triangle (m²).
    pub(super) fn area(&self, face: usize) -> f64 {
        let [a, b, c] = self.faces[face].map(|vertex| self.x[vertex as usize]);
        (b - a).cross(c - a).length() / 2.0
    }

    /// What part of the material of a visible triangle a corner of its element carries.
    pub(super) fn weight(&self, face: usize, particle: u32) -> f64 {
        let of = |vertex: u32| weight_of(&self.bindings[vertex as usize], particle);
        self.faces[face].into_iter().map(of).sum::<f64>() / 3.0
    }

    /// Whether a visible triangle has a vertex at a particle.
    pub(super) fn reaches(&self, face: usize, particle: u32) -> bool {
        let whole = |vertex: u32| weight_of(&self.bindings[vertex as usize], particle) == 1.0;
        self.faces[face].into_iter().any(whole)
    }

    /// Adds the point between two vertices.
    fn add_between(&mut self, a: u32, b: u32, t: f64) -> u32 {
        let [from, to] = [a, b].map(|vertex| self.bindings[vertex as usize]);
        self.bindings.push(between(&from, &to, t));
        self.x.push(self.x[a as usize].lerp(self.x[b as usize], t));
        (self.x.len() - 1) as u32
    }

    fn add_face(&mut self, corners: [u32; 3], element: u32) {
        self.faces.push(corners);
        self.element_of.push(element);
    }
}

/// A split in progress.
struct Split<'a> {
    sheet: &'a mut Sheet,
    blade: &'a Blade,
    /// Whether each vertex was looked at, and whether it is on the blade.
    on: Vec<Option<bool>>,
    /// The edges that were looked at, and the new vertex of those that the blade crosses.
    crossings: BTreeMap<[u32; 2], Option<u32>>,
}

impl Split<'_> {
    /// Visible triangles that a facet may meet, with those facets.
    fn candidates(&self) -> Vec<(usize, Vec<usize>)> {
        let Self { sheet, blade, .. } = self;
        let margin = sheet.near;
        // Most triangles are on one side of all facets, which two words of each corner say at once.
        let sides: Vec<[u64; 2]> = sheet.x.iter().map(|&x| blade.sides(x, margin)).collect();
        let near = |corners: &[DVec3; 3], facet: &Facet| {
            let [a, b, c] = *corners;
            facet.is_near(a.min(b).min(c), a.max(b).max(c), margin)
        };
        let of_face = |(face, corners): (usize, &[u32; 3])| {
            let [a, b, c] = corners.map(|vertex| sides[vertex as usize]);
            let straddled = (a[0] | b[0] | c[0]) & (a[1] | b[1] | c[1]);
            if straddled == 0 && blade.is_small() {
                return None;
            }
            let corners = corners.map(|vertex| sheet.x[vertex as usize]);
            let meets = |&f: &usize| {
                let heights = || corners.iter().map(|&x| blade.facets[f].height(x));
                let known = f < u64::BITS as usize;
                let straddles =
                    || heights().any(|h| h <= margin) && heights().any(|h| h >= -margin);
                let crossed = if known { straddled >> f & 1 == 1 } else { straddles() };
                crossed && near(&corners, &blade.facets[f])
            };
            let facets: Vec<usize> = (0..blade.facets.len()).filter(meets).collect();
            (!facets.is_empty()).then_some((face, facets))
        };
        sheet.faces.iter().enumerate().filter_map(of_face).collect()
    }

    fn find_on(&mut self, vertex: u32) {
        if self.on[vertex as usize].is_none() {
            let facets = (0..self.blade.facets.len()).find(|&f| self.touches(f, vertex));
            self.on[vertex as usize] = Some(facets.is_some());
        }
    }

    /// Whether a vertex is on a facet.
    fn touches(&self, facet: usize, vertex: u32) -> bool {
        let (facet, x) = (&self.blade.facets[facet], self.sheet.x[vertex as usize]);
        facet.height(x).abs() <= self.sheet.near && facet.contains(x, self.sheet.near)
    }

    fn is_on(&self, vertex: u32) -> bool {
        self.on.get(vertex as usize).copied().flatten() == Some(true)
    }

    /// Edges that lie on the blade between triangles on both of its sides. A triangle that lies in the
    /// blade is on neither.
    fn edges_along(&self, candidates: &[(usize, Vec<usize>)]) -> Vec<[u32; 2]> {
        let mut sides: BTreeMap<[u32; 2], [bool; 2]> = BTreeMap::new();
        for (face, facets) in candidates {
            let [a, b, c] = self.sheet.faces[*face];
            for [a, b, opposite] in [[a, b, c], [b, c, a], [c, a, b]] {
                let middle = (self.sheet.x[a as usize] + self.sheet.x[b as usize]) / 2.0;
                let near = self.sheet.near;
                let along = |&&f: &&usize| {
                    let facet = &self.blade.facets[f];
                    self.touches(f, a) && self.touches(f, b) && facet.contains(middle, near)
                };
                let Some(&facet) = facets.iter().find(along) else { continue };
                let height = self.blade.facets[facet].height(self.sheet.x[opposite as usize]);
                let found = sides.entry([a.min(b), a.max(b)]).or_default();
                found[0] |= height > near;
                found[1] |= height < -near;
            }
        }
        sides.into_iter().filter(|(_, found)| *found == [true; 2]).map(|(edge, _)| edge).collect()
    }

    /// Splits a visible triangle where the blade crosses its sides.
    ///
    /// ```text
    ///        a              a              a
    ///       / \            /|\            /|\         one crossing and an end on the blade: b
    ///     p-----q         / | \          / | \        or one crossing only, where the blade
    ///     /     \        /  |  \        /  |  \       ends: then nothing is severed
    ///    b-------c      b---p---c      b---p---c
    /// ```
    fn split_face(&mut self, face: usize, facets: &[usize]) {
        let corners = self.sheet.faces[face];
        let cross = |k: usize| [corners[(k + 1) % 3], corners[(k + 2) % 3]];
        let crossed = [0, 1, 2].map(|k| self.crossing(cross(k), facets));
        let element = self.sheet.element_of[face];
        let turned = |k: usize| [0, 1, 2].map(|i| corners[(i + k) % 3]);
        match crossed {
            [None, None, None] => {}
            [Some(p), Some(q), Some(r)] => self.split_in_three(face, [p, q, r]),
            [Some(p), None, None] | [None, Some(p), None] | [None, None, Some(p)] => {
                let k = crossed.iter().position(|found| found.is_some()).unwrap_or(0);
                let [a, b, c] = turned(k);
                self.sheet.faces[face] = [a, b, p];
                self.sheet.add_face([a, p, c], element);
                if self.is_on(a) {
                    self.sever(a, p);
                }
            }
            [None, Some(q), Some(p)] | [Some(p), None, Some(q)] | [Some(q), Some(p), None] => {
                let k = crossed.iter().position(|found| found.is_none()).unwrap_or(0);
                let [a, b, c] = turned(k);
                self.sheet.faces[face] = [a, p, q];
                self.sheet.add_face([p, b, c], element);
                self.sheet.add_face([p, c, q], element);
                self.sever(p, q);
            }
        }
    }

    /// A blade that turns inside a triangle and leaves by all three sides.
    fn split_in_three(&mut self, face: usize, [p, q, r]: [u32; 3]) {
        let ([a, b, c], element) = (self.sheet.faces[face], self.sheet.element_of[face]);
        let side = self.sheet.add_between(p, q, 0.5);
        let m = self.sheet.add_between(side, r, 1.0 / 3.0);
        self.sheet.faces[face] = [a, r, m];
        for corners in [[a, m, q], [b, p, m], [b, m, r], [c, q, m], [c, m, p]] {
            self.sheet.add_face(corners, element);
        }
        [p, q, r].into_iter().for_each(|end| self.sever(end, m));
    }

    fn sever(&mut self, a: u32, b: u32) {
        self.sheet.severed.insert([a.min(b), a.max(b)]);
    }

    /// The new vertex where the blade crosses an edge, if it does so an odd number of times: a blade
    /// that goes in and out again separates nothing.
    fn crossing(&mut self, [a, b]: [u32; 2], facets: &[usize]) -> Option<u32> {
        let [a, b] = [a.min(b), a.max(b)];
        if let Some(&known) = self.crossings.get(&[a, b]) {
            return known;
        }
        let vertex =
            self.place_of_crossing([a, b], facets).map(|t| self.sheet.add_between(a, b, t));
        self.crossings.insert([a, b], vertex);
        vertex
    }

    fn place_of_crossing(&self, [a, b]: [u32; 2], facets: &[usize]) -> Option<f64> {
        if self.is_on(a) || self.is_on(b) {
            return None;
        }
        let [from, to] = [a, b].map(|vertex| self.sheet.x[vertex as usize]);
        let facets = facets.iter().map(|&f| &self.blade.facets[f]);
        crossing(facets, [from, to], self.sheet.near)
    }
}

/// Where facets are passed on the way from one point to another, from 0 to 1, if that happens an odd
/// number of times: a blade that goes in and out again separates nothing. Facets that are passed
/// within `near` (m) of each other are one.
pub(super) fn crossing<'a>(
    facets: impl Iterator<Item = &'a Facet>,
    [from, to]: [DVec3; 2],
    near: f64,
) -> Option<f64> {
    let mut places: Vec<f64> = facets.filter_map(|facet| pierced(facet, from, to, near)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup_by(|one, other| (*one - *other).abs() * from.distance(to) <= near);
    if places.len().is_multiple_of(2) {
        return None;
    }
    // Not at an end, where a piece would have no area; that is `near` at most.
    Some(places[places.len() / 2].clamp(ON, 1.0 - ON))
}

/// Where on the way from one point to another a facet is passed, from 0 to 1.
pub(super) fn pierced(facet: &Facet, from: DVec3, to: DVec3, margin: f64) -> Option<f64> {
    let (above, below) = (facet.height(from), facet.height(to));
    // A point in the plane counts as above it, for all edges alike.
    if (above >= 0.0) == (below >= 0.0) {
        return None;
    }
    let t = above / (above - below);
    facet.contains(from.lerp(to, t), margin).then_some(t)
}

/// Bound to one particle only.
pub(super) fn whole(particle: u32) -> Binding {
    Binding { particles: [particle; 4], weights: [1.0, 0.0, 0.0, 0.0], lift: 0.0 }
}

/// The same binding without particles that have no weight.
fn tidied(binding: &Binding) -> Binding {
    let Binding { particles, weights, .. } = binding;
    let idle = |k: usize| weights[k] == 0.0 && particles[k] == particles[0];
    let own = |k: usize| weights[k] != 0.0 && !particles[..k].contains(&particles[k]);
    if weights[0] != 0.0 && (1..4).all(|k| idle(k) || own(k)) && binding.lift == 0.0 {
        return *binding;
    }
    between(binding, binding, 0.0)
}

/// The binding of a point between two.
fn between(a: &Binding, b: &Binding, t: f64) -> Binding {
    let mut found: Vec<(u32, f64)> = Vec::with_capacity(4);
    for (binding, share) in [(a, 1.0 - t), (b, t)] {
        for (&particle, &weight) in binding.particles.iter().zip(&binding.weights) {
            let weight = f64::from(weight) * share;
            match found.iter_mut().find(|(other, _)| *other == particle) {
                Some((_, sum)) => *sum += weight,
                None => found.push((particle, weight)),
            }
        }
    }
    found.retain(|&(_, weight)| weight != 0.0);
    found.truncate(4);
    let mut binding = whole(found.first().map_or(a.particles[0], |&(particle, _)| particle));
    for (k, &(particle, weight)) in found.iter().enumerate() {
        (binding.particles[k], binding.weights[k]) = (particle, weight as f32);
    }
    binding
}

fn weight_of(binding: &Binding, particle: u32) -> f64 {
    let pairs = binding.particles.iter().zip(&binding.weights);
    pairs.filter(|pair| *pair.0 == particle).map(|pair| f64::from(*pair.1)).sum()
}

fn place(binding: &Binding, particles: &Particles) -> DVec3 {
    let x = |i: u32| particles.position(i as usize).as_dvec3();
    let first = x(binding.particles[0]);
    let rest = binding.particles.iter().zip(&binding.weights).skip(1);
    first + rest.map(|(&i, &weight)| (x(i) - first) * f64::from(weight)).sum::<DVec3>()
}

/// The element that each visible triangle lies in: the one with all particles that its corners are
/// bound to.
fn elements_of(
    elements: &[[u32; 3]],
    bindings: &[Binding],
    faces: &[[u32; 3]],
) -> Option<Vec<u32>> {
    let around = Around::of(elements);
    let of_face = |face: &[u32; 3]| {
        let mut corners = [u32::MAX; 3];
        let mut count = 0;
        for particle in face.iter().flat_map(|&v| bindings[v as usize].particles) {
            if !corners[..count].contains(&particle) {
                *corners.get_mut(count)? = particle;
                count += 1;
            }
        }
        let has_all = |&&element: &&u32| {
            let own = &elements[element as usize];
            corners.iter().all(|corner| own.contains(corner))
        };
        around.particle(corners[0]).iter().find(has_all).copied()
    };
    faces.iter().map(of_face).collect()
}

/// The mean length of the first side of all elements (m).
fn mean_side(elements: &[[u32; 3]], particles: &Particles) -> f64 {
    let side = |&[a, b, _]: &[u32; 3]| {
        let [a, b] = [a, b].map(|i| particles.position(i as usize).as_dvec3());
        a.distance(b)
    };
    elements.iter().map(side).sum::<f64>() / elements.len().max(1) as f64
}
