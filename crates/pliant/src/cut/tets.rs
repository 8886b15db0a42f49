//! Tetrahedra under the knife: those that the blade parts are copied, with virtual nodes.
//!
//! The corners of a tetrahedron that still hang together by edges which the blade does not pass get a
//! copy of it; the copy's other corners are virtual nodes (Molino et al. 2004). Copies of neighbours
//! share the nodes of their common face where they share a corner of it (Sifakis et al. 2007). So no
//! tetrahedron is smaller than it was, and a blade that ends inside leaves what is around its end whole.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec3;

use super::TETRAHEDRA;
use super::around::Around;
use super::blade::{Blade, Facet};
use super::carry::{Carried, Torn};
use super::parts::Beside;
use super::sever::LEAST_SHARE;
use super::sheet::{ON, crossing};
use super::solid::Points;
use crate::body::Body;
use crate::edit::Edit;
use crate::error::WorldError;
use crate::mesh::joined::Joined;
use crate::world::World;

/// The edges of a tetrahedron, as corners.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Its faces, counter-clockwise seen from outside.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// All corners of a tetrahedron, as bits.
const ALL: u8 = 0b1111;

/// The tetrahedra of a body, and what the blade does to them.
pub(super) struct Tets {
    pub(super) list: Vec<[u32; 4]>,
    pub(super) around: Around,
    /// Their volumes at rest (m³).
    volume: Vec<f64>,
    /// How near is on the blade (m).
    pub(super) near: f64,
    /// The parts of each tetrahedron that the blade parts; one where nothing is beyond the blade.
    pub(super) cut: BTreeMap<u32, Vec<Part>>,
    /// Whether each is among these.
    is_cut: Vec<bool>,
    /// The corners of these.
    pub(super) core: Flags,
    /// Of the corners, those that are virtual nodes of an earlier cut.
    hollow: Flags,
}

/// What is on one side of the blade in a tetrahedron.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Its corners, as bits.
    pub(super) corners: u8,
    /// The share of the material that is nearest to each corner, in all of the tetrahedron's.
    moment: [f64; 4],
}

impl Part {
    fn share(&self) -> f64 {
        self.moment.iter().sum()
    }

    pub(super) fn has(&self, corner: usize) -> bool {
        self.corners >> corner & 1 == 1
    }
}

impl Tets {
    /// The tetrahedra of a body, if it has any.
    pub(super) fn of(world: &World, body: &Body) -> Option<Self> {
        let list = tetrahedra(world, body);
        if list.is_empty() {
            return None;
        }
        let rest = |i: u32| world.particles.rest[i as usize].truncate().as_dvec3();
        let volume = |tet: &[u32; 4]| {
            let [a, b, c, d] = tet.map(rest);
            ((b - a).cross(c - a).dot(d - a) / 6.0).abs()
        };
        let side = |tet: &[u32; 4]| rest(tet[0]).distance(rest(tet[1]));
        let near = ON * list.iter().map(side).sum::<f64>() / list.len() as f64;
        let volume = list.iter().map(volume).collect();
        let around = Around::of(&list);
        let (is_cut, cut) = (vec![false; list.len()], BTreeMap::new());
        let [core, hollow] = [Flags::default(), Flags::default()];
        Some(Self { around, volume, near, cut, is_cut, core, hollow, list })
    }

    /// Whether the blade parts a tetrahedron.
    pub(super) fn is_cut(&self, tet: u32) -> bool {
        self.is_cut[tet as usize]
    }

    /// Finds out which tetrahedra a blade parts, and how.
    pub(super) fn part_along(&mut self, points: &Points, blade: &Blade) {
        let mut known: BTreeMap<[u32; 2], Option<f64>> = BTreeMap::new();
        for (number, tet) in (0..).zip(&self.list) {
            let above = tet.map(|i| points.at(i).above);
            if blade.is_small() && above.iter().all(|&one| one == above[0]) {
                continue; // most are on one side of all facets
            }
            let corners = tet.map(|i| points.at(i).x);
            let near: Vec<&Facet> =
                blade.facets.iter().filter(|facet| facet.straddles(&corners)).collect();
            if near.is_empty() {
                continue;
            }
            let crossed = EDGES.map(|[k, l]| {
                let (from, to) = if tet[k] < tet[l] { (k, l) } else { (l, k) };
                let find =
                    || crossing(near.iter().copied(), [corners[from], corners[to]], self.near);
                let t = *known.entry([tet[from], tet[to]]).or_insert_with(find);
                // Measured from the first corner of the edge.
                t.map(|t| if from == k { t } else { 1.0 - t })
            });
            let parts = parted(&crossed);
            if parts.len() > 1 {
                self.cut.insert(number, parts);
                self.is_cut[number as usize] = true;
            }
        }
        self.core = Flags::of(self.cut.keys().flat_map(|&tet| self.list[tet as usize]).collect());
    }

    /// Takes back what would part off nothing but virtual nodes in which nothing is seen; `seen` says
    /// of a tetrahedron which of its corners something is seen beside, as bits. The nodes across the
    /// blade are no corners of what is left: or what is there would hang on to it by them.
    pub(super) fn merge_hollow(&mut self, world: &World, seen: &BTreeMap<u32, u8>) {
        let corners = self.cut.keys().flat_map(|&tet| self.list[tet as usize]);
        self.hollow = Flags::of(corners.filter(|&i| world.particles.hollow[i as usize]).collect());
        for (number, parts) in &mut self.cut {
            let tet = self.list[*number as usize];
            let solid = (0..4).filter(|&k| !world.particles.hollow[tet[k] as usize]);
            let real = solid.fold(seen.get(number).copied().unwrap_or(0), |bits, k| bits | 1 << k);
            let (mut kept, empty): (Vec<Part>, Vec<Part>) =
                parts.iter().partition(|part| part.corners & real != 0);
            let Some(first) = kept.first_mut() else { continue };
            for part in empty {
                (0..4).for_each(|k| first.moment[k] += part.moment[k]);
            }
            *parts = kept;
        }
    }

    /// Whether any tetrahedron becomes several.
    pub(super) fn are_parted(&self) -> bool {
        self.cut.values().any(|parts| parts.len() > 1)
    }

    /// Splits the particles between the parts. Returns the body's triangles too, as particles of the edit.
    ///
    /// # Errors
    /// If a particle cannot be split, which would be a bug.
    pub(super) fn sever(
        self,
        triangles: &[[u32; 3]],
        edit: &mut Edit,
    ) -> Result<(TornTets, Vec<[u32; 3]>), WorldError> {
        let copies = Copies::of(&self);
        let names = copies.name(&self, edit)?;
        let nodes = |copy: usize| {
            let tet = self.list[copies.all[copy].tet as usize];
            [0, 1, 2, 3].map(|k| names[copies.root_of[4 * copy + k] as usize].unwrap_or(tet[k]))
        };
        let nodes: Vec<[u32; 4]> = (0..copies.all.len()).map(nodes).collect();
        let triangles = copies.surface(&self, &nodes, triangles);
        Ok((TornTets { tets: self, copies, nodes }, triangles))
    }
}

/// The tetrahedra of a body's constraints, each once.
pub(super) fn tetrahedra(world: &World, body: &Body) -> Vec<[u32; 4]> {
    let mut lists: Vec<Vec<[u32; 4]>> = Vec::new();
    for set in TETRAHEDRA.iter().filter_map(|kind| world.constraints_of(kind)) {
        let rows = (0..set.len()).filter_map(|number| set.particles(number).try_into().ok());
        let mut list: Vec<[u32; 4]> =
            rows.filter(|tet: &[u32; 4]| tet.iter().all(|i| body.particles.contains(i))).collect();
        list.dedup();
        // Most often all kinds have the same tetrahedra in the same order.
        if !list.is_empty() && !lists.contains(&list) {
            lists.push(list);
        }
    }
    if lists.len() < 2 {
        return lists.pop().unwrap_or_default();
    }
    let mut all = lists.concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// The parts of a tetrahedron, given where each edge is crossed, from its first corner.
fn parted(crossed: &[Option<f64>; 6]) -> Vec<Part> {
    let mut joined = Joined::new(4);
    for ([k, l], _) in EDGES.iter().zip(crossed).filter(|(_, t)| t.is_none()) {
        joined.join(*k as u32, *l as u32);
    }
    let mut groups: BTreeMap<u32, u8> = BTreeMap::new();
    (0..4).for_each(|k| *groups.entry(joined.root(k)).or_default() |= 1 << k);
    let groups: Vec<u8> = groups.into_values().collect();
    if groups.len() < 2 {
        return Vec::new();
    }
    // How far from one corner on the way to another the blade is.
    let reach = |k: usize, l: usize| {
        let edge = EDGES.iter().position(|edge| edge.contains(&k) && edge.contains(&l));
        let t = edge.and_then(|edge| crossed[edge]).unwrap_or(1.0);
        if k < l { t } else { 1.0 - t }
    };
    let moment = |&corners: &u8| match corners.count_ones() {
        1 => Some(corner_moment(corners.trailing_zeros() as usize, &reach)),
        2 if groups.len() == 2 => Some(wedge_moment(corners, &reach)),
        _ => None,
    };
    let known: Vec<Option<[f64; 4]>> = groups.iter().map(moment).collect();
    // What is left goes to those that are not known, or to all alike.
    let sum = |k: usize| known.iter().flatten().map(|moment| moment[k]).sum::<f64>();
    let rest = [0, 1, 2, 3].map(|k| (0.25 - sum(k)).max(0.0));
    let unknown = known.iter().filter(|moment| moment.is_none()).count();
    let each = |moment: &Option<[f64; 4]>| match (moment, unknown) {
        (Some(moment), 0) => [0, 1, 2, 3].map(|k| moment[k] + rest[k] / groups.len() as f64),
        (Some(moment), _) => *moment,
        (None, count) => rest.map(|rest| rest / count as f64),
    };
    let parts = groups.iter().zip(&known);
    parts.map(|(&corners, moment)| Part { corners, moment: each(moment) }).collect()
}

/// The small tetrahedron at a corner.
fn corner_moment(k: usize, reach: &impl Fn(usize, usize) -> f64) -> [f64; 4] {
    let others = (0..4).filter(|&l| l != k);
    let share: f64 = others.clone().map(|l| reach(k, l)).product();
    let mut moment = [0.0; 4];
    for l in others {
        moment[l] = share * reach(k, l) / 4.0;
    }
    moment[k] = share - moment.iter().sum::<f64>();
    moment
}

/// The wedge at two corners, as three tetrahedra between its two ends.
fn wedge_moment(corners: u8, reach: &impl Fn(usize, usize) -> f64) -> [f64; 4] {
    let [ends, others] = [true, false]
        .map(|ours| -> Vec<usize> { (0..4).filter(|k| (corners >> k & 1 == 1) == ours).collect() });
    let unit = |k: usize| [0, 1, 2, 3].map(|l| if k == l { 1.0 } else { 0.0 });
    let point = |k: usize, l: usize| {
        let t = reach(k, l);
        let (from, to) = (unit(k), unit(l));
        [0, 1, 2, 3].map(|i| from[i] * (1.0 - t) + to[i] * t)
    };
    let end = |k: usize| [unit(k), point(k, others[0]), point(k, others[1])];
    let (a, b) = (end(ends[0]), end(ends[1]));
    let mut moment = [0.0; 4];
    for tet in [[a[0], a[1], a[2], b[2]], [a[0], a[1], b[2], b[1]], [a[0], b[1], b[2], b[0]]] {
        let volume = glam::DMat4::from_cols_array_2d(&tet).determinant().abs();
        for corner in tet {
            (0..4).for_each(|k| moment[k] += volume * corner[k] / 4.0);
        }
    }
    moment
}

/// One of the tetrahedra that a tetrahedron became.
#[derive(Clone, Copy, Debug)]
struct TetCopy {
    tet: u32,
    part: Part,
}

/// Copies of the tetrahedra that are cut, and of those beside them, which have one.
struct Copies {
    all: Vec<TetCopy>,
    /// The copies of each tetrahedron; none of those that are further away.
    of_tet: Vec<Range<u32>>,
    /// What is across each face of each tetrahedron that is cut.
    beyond: Vec<[Option<Side>; 4]>,
    /// The node of each corner of each copy, as the lowest that it is one with.
    root_of: Vec<u32>,
}

/// What a corner of several copies is.
struct Node {
    /// The lowest corner that it is one with.
    root: u32,
    /// Whether it is not virtual.
    real: bool,
    /// Its material (m³).
    amount: f64,
}

impl Copies {
    fn of(tets: &Tets) -> Self {
        let whole = Part { corners: ALL, moment: [0.25; 4] };
        let beyond: Vec<[Option<Side>; 4]> =
            tets.cut.keys().map(|&tet| FACES.map(|face| across(tets, tet, face))).collect();
        let mut beside: Vec<u32> =
            beyond.iter().flatten().flatten().map(|(other, _)| *other).collect();
        beside.sort_unstable();
        beside.dedup();
        let (mut all, mut of_tet) = (Vec::new(), vec![0..0; tets.list.len()]);
        let mut add = |tet: u32, parts: &[Part]| {
            let first = all.len() as u32;
            all.extend(parts.iter().map(|&part| TetCopy { tet, part }));
            of_tet[tet as usize] = first..all.len() as u32;
        };
        tets.cut.iter().for_each(|(&tet, parts)| add(tet, parts));
        beside.iter().filter(|tet| !tets.is_cut(**tet)).for_each(|&tet| add(tet, &[whole]));
        let mut nodes = Joined::new(4 * all.len());
        let pairs = tets.cut.keys().zip(&beyond).flat_map(|(&one, beyond)| {
            beyond.iter().flatten().map(move |(other, _)| [one, *other])
        });
        for [one, other] in pairs {
            for c in of_tet[one as usize].clone() {
                for d in of_tet[other as usize].clone() {
                    glue(tets, (c, &all[c as usize]), (d, &all[d as usize]), &mut nodes);
                }
            }
        }
        let mut at: BTreeMap<u32, u32> = BTreeMap::new();
        for (copy, TetCopy { tet, part }) in (0u32..).zip(&all) {
            for k in (0..4).filter(|&k| part.has(k)) {
                // The material around a particle hangs together.
                let node = 4 * copy + k as u32;
                nodes.join(*at.entry(tets.list[*tet as usize][k]).or_insert(node), node);
            }
        }
        let root_of = (0..4 * all.len() as u32).map(|node| nodes.root(node)).collect();
        Self { all, of_tet, beyond, root_of }
    }

    /// Splits particles whose nodes are several. Returns the names of the virtual ones; the others keep
    /// theirs.
    fn name(&self, tets: &Tets, edit: &mut Edit) -> Result<Vec<Option<u32>>, WorldError> {
        let mut names = vec![None; self.root_of.len()];
        let corners: Vec<[u32; 4]> =
            self.all.iter().map(|copy| tets.list[copy.tet as usize]).collect();
        let copies_around = Around::of(&corners);
        for particle in copies_around.particles() {
            let mut nodes = self.nodes(tets, particle, copies_around.particle(particle));
            if nodes.len() < 2 {
                continue;
            }
            nodes.sort_by_key(|node| (!node.real, node.root));
            let far = tets.around.particle(particle).iter();
            let far = far.filter(|tet| self.of_tet[**tet as usize].is_empty());
            nodes[0].amount += far.map(|&tet| tets.volume[tet as usize] / 4.0).sum::<f64>();
            let whole: f64 = nodes.iter().map(|node| node.amount).sum();
            let share = |amount: f64| if whole > 0.0 { amount / whole } else { 1.0 };
            // A virtual node may be cut again and again, and would soon weigh nothing.
            let is_virtual = tets.hollow.has(particle);
            let least = if is_virtual { 1.0 / nodes.len() as f64 } else { LEAST_SHARE };
            let shares: Vec<f64> = nodes.iter().map(|node| share(node.amount).max(least)).collect();
            let made = edit.split(particle, &shares)?;
            for (node, name) in nodes.iter().zip(made).skip(1) {
                edit.hollow_out(name);
                names[node.root as usize] = Some(name);
            }
        }
        Ok(names)
    }

    /// The nodes of a particle, given the copies that have it.
    fn nodes(&self, tets: &Tets, particle: u32, copies: &[u32]) -> Vec<Node> {
        let mut found: Vec<Node> = Vec::new();
        for &copy in copies {
            let TetCopy { tet, part } = &self.all[copy as usize];
            let corner = tets.list[*tet as usize].iter().position(|&i| i == particle);
            let Some(k) = corner else { continue };
            let (root, real) = (self.root_of[4 * copy as usize + k], part.has(k));
            let amount = tets.volume[*tet as usize] * part.moment[k];
            match found.iter_mut().find(|node| node.root == root) {
                Some(node) => (node.real, node.amount) = (node.real || real, node.amount + amount),
                None => found.push(Node { root, real, amount }),
            }
        }
        found
    }

    /// The outside of all copies, and what is left of the triangles before.
    fn surface(&self, tets: &Tets, nodes: &[[u32; 4]], before: &[[u32; 3]]) -> Vec<[u32; 3]> {
        let is_cut = |corners: &&[u32; 3]| {
            if !corners.iter().all(|&i| tets.core.has(i)) {
                return false;
            }
            let around = tets.around.particle(corners[0]).iter();
            let mut all = around
                .filter(|tet| corners[1..].iter().all(|i| tets.list[**tet as usize].contains(i)));
            all.any(|&tet| tets.is_cut(tet))
        };
        let mut triangles: Vec<[u32; 3]> =
            before.iter().filter(|corners| !is_cut(corners)).copied().collect();
        for (&tet, beyond) in tets.cut.keys().zip(&self.beyond) {
            for (face, other) in FACES.into_iter().zip(*beyond) {
                let own = self.faces((tet, face), nodes);
                let beyond = other.map_or(Vec::new(), |other| self.faces(other, nodes));
                // What no other copy has is outside; a neighbour that is cut too says so itself.
                let both = || own.iter().chain(&beyond);
                let outside = |corners: &&[u32; 3]| {
                    both().filter(|other| has_same(other, corners)).count() == 1
                };
                triangles.extend(own.iter().filter(outside));
                if other.is_some_and(|(other, _)| !tets.is_cut(other)) {
                    triangles.extend(beyond.iter().filter(outside));
                }
            }
        }
        triangles
    }

    /// The corners that a face of a tetrahedron has in each of its copies.
    fn faces(&self, (tet, face): Side, nodes: &[[u32; 4]]) -> Vec<[u32; 3]> {
        let copies = self.of_tet[tet as usize].clone();
        copies.map(|copy| face.map(|k| nodes[copy as usize][k])).collect()
    }
}

/// Whether triangles have the same corners, in any order.
fn has_same(one: &[u32; 3], other: &[u32; 3]) -> bool {
    one.iter().all(|corner| other.contains(corner))
}

/// A tetrahedron, and one of its faces.
type Side = (u32, [usize; 3]);

/// The tetrahedron across a face of one, and which of its faces that is.
fn across(tets: &Tets, tet: u32, face: [usize; 3]) -> Option<Side> {
    let corners = face.map(|k| tets.list[tet as usize][k]);
    let around = tets.around.particle(corners[0]).iter().copied();
    let mut others = around.filter(|&other| {
        other != tet && corners[1..].iter().all(|i| tets.list[other as usize].contains(i))
    });
    let other = others.next()?;
    let has =
        |face: &[usize; 3]| face.iter().all(|&k| corners.contains(&tets.list[other as usize][k]));
    FACES.into_iter().find(has).map(|face| (other, face))
}

/// Makes the nodes of two copies one at all corners that their tetrahedra have in common, if both have
/// one of these on their side.
fn glue(tets: &Tets, (c, one): (u32, &TetCopy), (d, other): (u32, &TetCopy), nodes: &mut Joined) {
    let [own, its] = [one.tet, other.tet].map(|tet| tets.list[tet as usize]);
    let common = |k: usize| its.iter().position(|&i| i == own[k]).map(|l| (k, l));
    let pairs = (0..4).filter_map(common);
    if pairs.clone().any(|(k, l)| one.part.has(k) && other.part.has(l)) {
        pairs.for_each(|(k, l)| nodes.join(4 * c + k as u32, 4 * d + l as u32));
    }
}

/// Which of many numbers are in a list.
#[derive(Default)]
pub(super) struct Flags {
    first: u32,
    is_in: Vec<bool>,
}

impl Flags {
    fn of(list: Vec<u32>) -> Self {
        let first = list.iter().min().copied().unwrap_or(0);
        let count = list.iter().max().map_or(0, |&last| (last - first) as usize + 1);
        let mut is_in = vec![false; count];
        list.iter().for_each(|&i| is_in[(i - first) as usize] = true);
        Self { first, is_in }
    }

    pub(super) fn has(&self, i: u32) -> bool {
        let place = i.checked_sub(self.first);
        place.and_then(|place| self.is_in.get(place as usize)) == Some(&true)
    }
}

/// What is left of a body of tetrahedra.
pub(super) struct TornTets {
    pub(super) tets: Tets,
    /// The copies of tetrahedra at the cut; others are as they were.
    copies: Copies,
    /// The corners of each copy, as particles of the edit.
    nodes: Vec<[u32; 4]>,
}

impl TornTets {
    /// What became of a tetrahedron: the corners of each part, as bits and as particles of the edit.
    pub(super) fn copies(&self, tet: u32) -> impl Iterator<Item = (u8, [u32; 4])> {
        let is_cut = self.tets.is_cut(tet);
        let whole = (!is_cut).then(|| (ALL, self.tets.list[tet as usize]));
        let copies = if is_cut { self.copies.of_tet[tet as usize].clone() } else { 0..0 };
        let part =
            |copy: u32| (self.copies.all[copy as usize].part.corners, self.nodes[copy as usize]);
        whole.into_iter().chain(copies.map(part))
    }

    /// The tetrahedra that have all of some particles.
    pub(super) fn with(&self, particles: &[u32]) -> impl Iterator<Item = u32> {
        let has_all = |tet: &u32| {
            let corners = self.tets.list[*tet as usize];
            particles.iter().all(|i| corners.contains(i))
        };
        self.tets.around.particle(particles[0]).iter().copied().filter(has_all)
    }
}

impl Torn for TornTets {
    fn mark(&self, edit: &Edit, beside: &mut [Beside]) {
        for tet in self.tets.cut.keys() {
            for i in self.tets.list[*tet as usize].into_iter().filter(|&i| edit.splits(i)) {
                beside[i as usize] = Beside::IsSplit;
            }
        }
    }

    fn keeps(&self, _: &[u32]) -> bool {
        true
    }

    /// Once for every set of nodes that the copies of its tetrahedra have; a constraint between
    /// tetrahedra stays with what keeps the names.
    fn carry(&self, particles: &[u32], carried: &mut Carried) {
        let count = particles.len();
        carried.begin(count);
        if !particles.iter().all(|&i| self.tets.core.has(i)) || count > 4 {
            carried.add(particles, 1.0);
            return;
        }
        let mut whole = 0.0;
        for tet in self.with(particles) {
            let volume = self.tets.volume[tet as usize];
            whole += volume;
            if !self.tets.is_cut(tet) {
                carried.add(particles, volume);
                continue;
            }
            let corners = self.tets.list[tet as usize];
            let place = |i: u32| corners.iter().position(|&corner| corner == i).unwrap_or(0);
            let mut places = [0; 4];
            (0..count).for_each(|k| places[k] = place(particles[k]));
            for copy in self.copies.of_tet[tet as usize].clone() {
                let nodes = self.nodes[copy as usize];
                let ids = places.map(|place| nodes[place]);
                let share = self.copies.all[copy as usize].part.share();
                carried.add(&ids[..count], volume * share);
            }
        }
        match carried.len() {
            0 => carried.add(particles, 1.0),
            1 => carried.finish(|_| 1.0),
            _ => carried.finish(|amount| if whole <= 0.0 { 1.0 } else { amount / whole }),
        }
    }
}

impl Facet {
    /// Whether points lie on both sides of the facet's plane, or on it, and near the facet.
    pub(super) fn straddles(&self, x: &[DVec3; 4]) -> bool {
        let low = x[1..].iter().fold(x[0], |low, x| low.min(*x));
        let high = x[1..].iter().fold(x[0], |high, x| high.max(*x));
        if !self.is_near(low, high, 0.0) {
            return false;
        }
        let above = x.map(|x| self.height(x) >= 0.0);
        above.contains(&true) && above.contains(&false)
    }
}
