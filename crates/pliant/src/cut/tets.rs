//! Tetrahedra under the knife: those that the blade parts are copied, with virtual nodes.
//!
//! The corners of a tetrahedron that still hang together by edges which the blade does not pass get a
//! copy of it; the copy's other corners are virtual nodes (Molino et al. 2004). Copies of neighbours
//! share the nodes of their common face where they share a corner of it (Sifakis et al. 2007). So no
//! tetrahedron is smaller than it was, and a blade that ends inside leaves what is around its end whole.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::TETRAHEDRA;
use super::around::Around;
use super::blade::{Blade, Facet};
use super::carry::{Carried, Torn};
use super::joined::Joined;
use super::parts::Beside;
use super::sever::LEAST_SHARE;
use super::sheet::{ON, crossing};
use crate::body::Body;
use crate::edit::Edit;
use crate::error::WorldError;
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
    /// The parts of each tetrahedron that the blade parts.
    pub(super) cut: BTreeMap<u32, Vec<Part>>,
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
        Some(Self { around, volume, near, cut: BTreeMap::new(), list })
    }

    /// Finds out which tetrahedra a blade parts, and how.
    pub(super) fn part_along(&mut self, world: &World, blade: &Blade) {
        let x = |i: u32| world.particles.position(i as usize).as_dvec3();
        let mut known: BTreeMap<[u32; 2], Option<f64>> = BTreeMap::new();
        for (number, tet) in (0..).zip(&self.list) {
            let corners = tet.map(x);
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
            }
        }
    }

    /// Takes back what would part off nothing but virtual nodes in which nothing is seen; `seen` says
    /// of a tetrahedron which of its corners something is seen beside, as bits.
    pub(super) fn merge_hollow(&mut self, world: &World, seen: &BTreeMap<u32, u8>) {
        for (number, parts) in &mut self.cut {
            let tet = self.list[*number as usize];
            let solid = (0..4).filter(|&k| !world.particles.hollow[tet[k] as usize]);
            let real = solid.fold(seen.get(number).copied().unwrap_or(0), |bits, k| bits | 1 << k);
            let (mut kept, empty): (Vec<Part>, Vec<Part>) =
                parts.iter().partition(|part| part.corners & real != 0);
            let Some(first) = kept.first_mut() else { continue };
            for part in empty {
                first.corners |= part.corners;
                (0..4).for_each(|k| first.moment[k] += part.moment[k]);
            }
            *parts = kept;
        }
        self.cut.retain(|_, parts| parts.len() > 1);
    }

    /// Splits the particles between the parts.
    ///
    /// # Errors
    /// If a particle cannot be split, which would be a bug.
    pub(super) fn sever(
        self,
        triangles: &[[u32; 3]],
        edit: &mut Edit,
    ) -> Result<TornTets, WorldError> {
        let copies = Copies::of(&self);
        let names = copies.name(&self, edit)?;
        let nodes = |copy: usize| {
            let tet = self.list[copies.all[copy].tet as usize];
            [0, 1, 2, 3].map(|k| names[copies.root_of[4 * copy + k] as usize].unwrap_or(tet[k]))
        };
        let nodes: Vec<[u32; 4]> = (0..copies.all.len()).map(nodes).collect();
        let triangles = copies.surface(&self, &nodes, triangles);
        let core = self.cut.keys().flat_map(|&tet| self.list[tet as usize]).collect();
        Ok(TornTets { core: Flags::of(core), tets: self, of_tet: copies.of_tet, nodes, triangles })
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
        if !lists.contains(&list) {
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
    /// The copies of each tetrahedron.
    of_tet: BTreeMap<u32, std::ops::Range<u32>>,
    /// The node of each corner of each copy, as the lowest that it is one with.
    root_of: Vec<u32>,
}

/// What a corner of several copies is.
struct Node {
    particle: u32,
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
        let neighbours: Vec<[u32; 2]> =
            tets.cut.keys().flat_map(|&t| neighbours(tets, t)).collect();
        let beside: BTreeSet<u32> = neighbours.iter().map(|&[_, other]| other).collect();
        let (mut all, mut of_tet) = (Vec::new(), BTreeMap::new());
        let mut add = |tet: u32, parts: &[Part]| {
            let first = all.len() as u32;
            all.extend(parts.iter().map(|&part| TetCopy { tet, part }));
            of_tet.insert(tet, first..all.len() as u32);
        };
        tets.cut.iter().for_each(|(&tet, parts)| add(tet, parts));
        beside.iter().filter(|tet| !tets.cut.contains_key(tet)).for_each(|&tet| add(tet, &[whole]));
        let mut nodes = Joined::new(4 * all.len());
        for [one, other] in neighbours {
            for c in of_tet[&one].clone() {
                for d in of_tet[&other].clone() {
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
        Self { all, of_tet, root_of }
    }

    /// Splits particles whose nodes are several. Returns the names of the virtual ones; the others keep
    /// theirs.
    fn name(&self, tets: &Tets, edit: &mut Edit) -> Result<Vec<Option<u32>>, WorldError> {
        let mut names = vec![None; self.root_of.len()];
        for nodes in self.nodes(tets).chunk_by_mut(|one, other| one.particle == other.particle) {
            if nodes.len() == 1 {
                continue;
            }
            nodes.sort_by_key(|node| (!node.real, node.root));
            let particle = nodes[0].particle;
            let far = tets.around.particle(particle).iter();
            let far = far.filter(|tet| !self.of_tet.contains_key(tet));
            nodes[0].amount += far.map(|&tet| tets.volume[tet as usize] / 4.0).sum::<f64>();
            let whole: f64 = nodes.iter().map(|node| node.amount).sum();
            let share = |amount: f64| if whole > 0.0 { amount / whole } else { 1.0 };
            let shares: Vec<f64> =
                nodes.iter().map(|node| share(node.amount).max(LEAST_SHARE)).collect();
            let made = edit.split(particle, &shares)?;
            for (node, name) in nodes.iter().zip(made).skip(1) {
                edit.hollow_out(name);
                names[node.root as usize] = Some(name);
            }
        }
        Ok(names)
    }

    /// The nodes of all particles, those of a particle together.
    fn nodes(&self, tets: &Tets) -> Vec<Node> {
        let mut all = Vec::with_capacity(self.root_of.len());
        for (copy, TetCopy { tet, part }) in self.all.iter().enumerate() {
            for (k, &particle) in tets.list[*tet as usize].iter().enumerate() {
                let (root, real) = (self.root_of[4 * copy + k], part.has(k));
                let amount = tets.volume[*tet as usize] * part.moment[k];
                all.push(Node { particle, root, real, amount });
            }
        }
        all.sort_by_key(|node| (node.particle, node.root)); // stable: sums are the same every time
        all.dedup_by(|later, node| {
            let same = later.root == node.root;
            if same {
                node.real |= later.real;
                node.amount += later.amount;
            }
            same
        });
        all
    }

    /// The outside of all copies, and what is left of the triangles before.
    fn surface(&self, tets: &Tets, nodes: &[[u32; 4]], before: &[[u32; 3]]) -> Vec<[u32; 3]> {
        let sorted = |mut corners: [u32; 3]| {
            corners.sort_unstable();
            corners
        };
        // Faces of cut tetrahedra, by their particles before, then by their nodes.
        let mut faces: Vec<([u32; 3], [u32; 3], [u32; 3])> = Vec::new();
        for (copy, TetCopy { tet, .. }) in self.all.iter().enumerate() {
            for face in FACES {
                let old = sorted(face.map(|k| tets.list[*tet as usize][k]));
                let new = face.map(|k| nodes[copy][k]);
                faces.push((old, sorted(new), new));
            }
        }
        faces.sort_unstable();
        let mut of_cut: Vec<[u32; 3]> = tets
            .cut
            .keys()
            .flat_map(|&tet| FACES.map(|face| sorted(face.map(|k| tets.list[tet as usize][k]))))
            .collect();
        of_cut.sort_unstable();
        let is_cut = |corners: &[u32; 3]| of_cut.binary_search(corners).is_ok();
        let mut triangles: Vec<[u32; 3]> =
            before.iter().copied().filter(|corners| !is_cut(&sorted(*corners))).collect();
        let same = |a: &&([u32; 3], [u32; 3], [u32; 3])| (a.0, a.1);
        for group in faces.chunk_by(|a, b| same(&a) == same(&b)) {
            if let [(old, _, corners)] = group
                && is_cut(old)
            {
                triangles.push(*corners);
            }
        }
        triangles
    }
}

/// The tetrahedra across the faces of one, each with it.
fn neighbours(tets: &Tets, tet: u32) -> Vec<[u32; 2]> {
    let own = tets.list[tet as usize];
    let mut found = Vec::with_capacity(4);
    for face in FACES {
        let [a, b, c] = face.map(|k| own[k]);
        let beside = tets.around.particle(a).iter().copied().find(|&other| {
            let corners = tets.list[other as usize];
            other != tet && corners.contains(&b) && corners.contains(&c)
        });
        found.extend(beside.map(|other| [tet, other]));
    }
    found
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
    /// The corners of tetrahedra that are cut.
    pub(super) core: Flags,
    pub(super) tets: Tets,
    /// The copies of each tetrahedron at the cut; others are as they were.
    of_tet: BTreeMap<u32, std::ops::Range<u32>>,
    /// The corners of each copy, as particles of the edit.
    nodes: Vec<[u32; 4]>,
    triangles: Vec<[u32; 3]>,
}

impl TornTets {
    /// What became of a tetrahedron: the corners of each part, as bits and as particles of the edit.
    pub(super) fn copies(&self, tet: u32) -> Vec<(u8, [u32; 4])> {
        let Some(parts) = self.tets.cut.get(&tet) else {
            return vec![(ALL, self.tets.list[tet as usize])];
        };
        let nodes = self.of_tet[&tet].clone().map(|copy| self.nodes[copy as usize]);
        parts.iter().map(|part| part.corners).zip(nodes).collect()
    }

    /// The tetrahedra that have all of some particles.
    fn with(&self, particles: &[u32]) -> impl Iterator<Item = u32> {
        let has_all = |tet: &u32| {
            let corners = self.tets.list[*tet as usize];
            particles.iter().all(|i| corners.contains(i))
        };
        self.tets.around.particle(particles[0]).iter().copied().filter(has_all)
    }
}

impl Torn for TornTets {
    fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

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
    fn carry(&self, particles: &[u32]) -> Vec<Carried> {
        if !particles.iter().all(|&i| self.core.has(i)) {
            return vec![(particles.to_vec(), 1.0)];
        }
        let mut found: Vec<(Vec<u32>, f64)> = Vec::new();
        let mut add = |ids: Vec<u32>, amount: f64| match found.iter_mut().find(|one| one.0 == ids) {
            Some((_, sum)) => *sum += amount,
            None => found.push((ids, amount)),
        };
        let mut whole = 0.0;
        for tet in self.with(particles) {
            let volume = self.tets.volume[tet as usize];
            whole += volume;
            let corners = self.tets.list[tet as usize];
            let places = particles.iter().filter_map(|i| corners.iter().position(|c| c == i));
            let Some(parts) = self.tets.cut.get(&tet) else {
                add(particles.to_vec(), volume);
                continue;
            };
            for (part, copy) in parts.iter().zip(self.of_tet[&tet].clone()) {
                let nodes = self.nodes[copy as usize];
                let ids: Vec<u32> = places.clone().map(|place| nodes[place]).collect();
                add(ids, volume * part.share());
            }
        }
        if found.is_empty() {
            return vec![(particles.to_vec(), 1.0)];
        }
        let one = found.len() == 1;
        let share = |amount: f64| if one || whole <= 0.0 { 1.0 } else { amount / whole };
        let mut carried: Vec<Carried> =
            found.into_iter().map(|(ids, amount)| (ids, share(amount).max(LEAST_SHARE))).collect();
        carried.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        carried
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
