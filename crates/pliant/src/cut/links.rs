//! Solids of links and of matched particles under the knife: what crosses the blade goes.

use std::collections::BTreeMap;

use glam::{Vec3, Vec4};

use super::blade::{Blade, Sided};
use super::carry::{Carried, Torn};
use super::parts::Beside;
use crate::body::{Body, BodyId};
use crate::constraint::distance;
use crate::edit::Edit;
use crate::mesh::bvh::{Aabb, Bvh};
use crate::mesh::joined::Joined;
use crate::mesh::sides;
use crate::region::matched;
use crate::skin::nearest;
use crate::world::World;

/// Matched particles hang together with those that are no further than so many times the nearest.
const REACH: f32 = 1.75;

/// Fewest particles that come loose. Fewer, or as many in a line, have no shape that a surface could
/// follow, and stay.
const FEWEST: usize = 4;

/// Least sine of an angle between particles that are not in a line.
const LEAST_SINE: f32 = 0.1;

/// What a blade parts of bodies of links or matched particles.
pub(super) struct Crossing<'a> {
    pub(super) world: &'a World,
    blade: &'a Blade,
    /// Whether each particle is one of too few to come loose.
    crumb: Vec<bool>,
    /// Where each particle is.
    points: Vec<Sided>,
}

impl<'a> Crossing<'a> {
    pub(super) fn of(world: &'a World, linked: &[BodyId], blade: &'a Blade) -> Self {
        let crumb = vec![false; world.particles.len()];
        let sided = |row: &Vec4| blade.sided(row.truncate().as_dvec3());
        let points = world.particles.xw.iter().map(sided).collect();
        let mut all = Self { world, blade, crumb, points };
        let mut ours = vec![false; world.slots.len()];
        linked.iter().for_each(|id| ours[id.index as usize] = true);
        let owner = |i: u32| world.particles.body[i as usize];
        let mut joined = Joined::new(world.particles.len());
        let mut join = |a: u32, b: u32| {
            if ours[owner(a) as usize] && owner(a) == owner(b) && !all.parts(a, b) {
                joined.join(a, b);
            }
        };
        for set in &world.sets {
            let rows = set.colored.ids().chunks_exact(set.kind().particles);
            rows.flat_map(|ids| ids.windows(2)).for_each(|pair| join(pair[0], pair[1]));
        }
        let bodies: Vec<&Body> = linked.iter().filter_map(|&id| world.body(id).ok()).collect();
        for body in &bodies {
            let range = body.triangles.start as usize..body.triangles.end as usize;
            sides(&world.triangles[range]).iter().for_each(|&[a, b]| join(a, b));
            bonds(world, body).iter().for_each(|&[a, b]| join(a, b));
        }
        let seen = |body: &&&Body| body.skin.is_some() || !body.triangles.is_empty();
        for body in bodies.iter().filter(seen) {
            let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for i in body.particles.clone() {
                groups.entry(joined.root(i)).or_default().push(i);
            }
            for group in groups.values().filter(|group| !has_shape(world, group)) {
                group.iter().for_each(|&i| all.crumb[i as usize] = true);
            }
        }
        all
    }

    /// Whether the blade parts two particles.
    pub(super) fn parts(&self, a: u32, b: u32) -> bool {
        let [is_crumb, is_other] = [a, b].map(|i| self.crumb[i as usize]);
        let [from, to] = [a, b].map(|i| &self.points[i as usize]);
        !is_crumb && !is_other && self.blade.parts(from, to)
    }

    /// A particle, and on which side of the blade it is.
    pub(super) fn point(&self, i: u32) -> &Sided {
        &self.points[i as usize]
    }
}

/// Whether particles are enough for a surface to follow, and not in a line.
fn has_shape(world: &World, group: &[u32]) -> bool {
    let x = |&i: &u32| world.particles.position(i as usize);
    let from = x(&group[0]);
    let far = |a: &Vec3, b: &Vec3| a.distance(from).total_cmp(&b.distance(from));
    let Some(end) = group.iter().map(x).max_by(far) else { return false };
    let along = (end - from).normalize_or_zero();
    let beside = |x: Vec3| {
        let way = x - from;
        way.cross(along).length() > LEAST_SINE * way.length()
    };
    group.len() >= FEWEST && group.iter().map(x).any(beside)
}

/// What is left of a body of links or matched particles.
#[derive(Debug, Default)]
pub(super) struct TornLinks {
    /// Its triangles, as particles.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Sides of triangles that the blade crosses, the lower end first.
    crossed: Vec<[u32; 2]>,
    /// Particles that hang together without links.
    bonds: Vec<[u32; 2]>,
    /// Whether the blade passes between matched particles.
    parted: bool,
}

impl TornLinks {
    pub(super) fn of(body: &Body, crossing: &Crossing<'_>) -> Self {
        let is_crossed = |&[a, b]: &[u32; 2]| crossing.parts(a, b);
        let (world, range) =
            (crossing.world, body.triangles.start as usize..body.triangles.end as usize);
        let before = &world.triangles[range];
        let crossed: Vec<[u32; 2]> = sides(before).into_iter().filter(is_crossed).collect();
        let mut torn = Self { crossed, ..Self::default() };
        torn.triangles =
            before.iter().copied().filter(|corners| torn.keeps_part(corners)).collect();
        let mut bonds = bonds(world, body);
        let all = bonds.len();
        bonds.retain(|bond| !is_crossed(bond));
        (torn.parted, torn.bonds) = (bonds.len() < all, bonds);
        torn
    }

    /// The same of a body that has lost the link between two particles, and no more.
    pub(super) fn without(world: &World, body: &Body, [a, b]: [u32; 2]) -> Self {
        let range = body.triangles.start as usize..body.triangles.end as usize;
        let before = &world.triangles[range];
        let mut torn = Self { crossed: vec![[a.min(b), a.max(b)]], ..Self::default() };
        torn.triangles =
            before.iter().copied().filter(|corners| torn.keeps_part(corners)).collect();
        torn.bonds = bonds(world, body);
        torn
    }

    /// Whether the blade meets it, beside its links.
    pub(super) fn is_met(&self) -> bool {
        self.parted || !self.crossed.is_empty()
    }

    /// Whether the blade crosses nothing between particles.
    fn keeps_part(&self, particles: &[u32]) -> bool {
        let pairs = particles.iter().zip(particles.iter().cycle().skip(1));
        let sorted = |(a, b): (&u32, &u32)| [*a.min(b), *a.max(b)];
        pairs.map(sorted).all(|side| self.crossed.binary_search(&side).is_err())
    }
}

impl Torn for TornLinks {
    fn bonds(&self) -> &[[u32; 2]] {
        &self.bonds
    }

    fn parts_triangles(&self) -> bool {
        !self.crossed.is_empty()
    }

    fn mark(&self, _: &Edit, _: &mut [Beside]) {}

    fn keeps(&self, _: &[u32]) -> bool {
        true
    }

    fn carry(&self, particles: &[u32], carried: &mut Carried) {
        carried.begin(particles.len());
        if self.keeps_part(particles) {
            carried.add(particles, 1.0);
        }
    }
}

/// Which matched particles hang together at rest, of a body that has no links: each with those that
/// are about as near as the nearest. What would hang together with nothing hangs together with the
/// first.
fn bonds(world: &World, body: &Body) -> Vec<[u32; 2]> {
    let ours = |i: &u32| body.particles.contains(i);
    let of_ours = |ids: &[u32]| ids.iter().all(ours);
    let links = world.constraints_of(&distance::KIND);
    let linked = links.is_some_and(|set| (0..set.len()).any(|n| of_ours(set.particles(n))));
    let sets = world.regions_of(&matched::KIND);
    let matched = sets.is_some_and(|set| (0..set.len()).any(|n| of_ours(set.members(n))));
    if linked || !matched {
        return Vec::new();
    }
    let rest: Vec<_> =
        world.particles.rest[body.range()].iter().map(|row| row.truncate()).collect();
    let boxes: Vec<Aabb> = rest.iter().map(|&x| Aabb::of([x])).collect();
    let tree = Bvh::new(&boxes);
    let first = body.particles.start;
    let (mut bonds, mut joined) = (Vec::new(), Joined::new(rest.len()));
    for (i, &x) in (0..).zip(&rest) {
        let near = nearest(x, &rest, &tree, |_| true);
        let others = || near.iter().copied().filter(|&other| other != i);
        let far = |other: u32| rest[other as usize].distance(x);
        let Some(limit) = others().map(far).reduce(f32::min) else { continue };
        for other in others().filter(|&other| far(other) <= REACH * limit) {
            bonds.push([first + i, first + other]);
            joined.join(i, other);
        }
    }
    let loose = (1..rest.len() as u32).filter(|&i| joined.root(i) == i);
    bonds.extend(loose.map(|i| [first, first + i]));
    bonds
}
