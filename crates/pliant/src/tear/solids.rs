//! Solids break where they bear too much: they are cut across what is pulled most.
//!
//! The crack is plane: it runs across the direction in which the worst element is pulled, through all
//! elements around it that bear nearly as much, and is cut like any other blade
//! ([`World::cut`]), so that what is seen opens and is closed on it. What is left is looked at in the
//! next step, which is how cracks grow. Tetrahedra and shapes break once, and those beside a crack not at
//! all: nothing falls into slices, or into ever smaller pieces.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DVec3};

use super::{Strength, ratio};
use crate::body::BodyId;
use crate::constraint::neo_hookean::{self, NeoHookean};
use crate::constraint::set::Set;
use crate::constraint::{Constraint, distance, volume};
use crate::cut::Blade;
use crate::error::WorldError;
use crate::lanes::V3;
use crate::mesh::joined::Joined;
use crate::plastic::{Strain, deformation};
use crate::region::{self, matched};
use crate::world::World;

/// Elements that bear this share of what they can break together with one that bears too much, so that
/// a bar breaks at once, and a crack in something large stays where the load is. Links that are crossed
/// break all: what is seen of a lattice must be parted where it is.
const SPREAD: f32 = 0.2;

/// Share of the elements that a plane crosses from which on all break with those that give way: what is
/// left of such a section would break in the next steps, each along a plane of its own, and shards would
/// stand out between these.
const MOST: f64 = 0.5;

/// How far a crack reaches from the middle of an element, in its lengths; further if that parts nothing.
const REACHES: [f64; 3] = [0.75, 1.5, 3.0];

/// How much further from links, since what is seen of a lattice is up to a cell away from them.
const BEYOND_LINKS: f64 = 2.0;

/// Width of a facet of the blade, in lengths of an element.
const FACET: f64 = 0.5;

/// What bears something: a link, a tetrahedron or a matched shape, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    Link(usize),
    Tet(usize),
    Shape(usize),
}

/// An element under load.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) spot: Spot,
    pub(super) particles: Vec<u32>,
    /// What it bears, over what it can.
    pub(super) ratio: f32,
    /// The direction in which it is pulled most.
    along: DVec3,
}

/// The elements of a world that may break, each with its load.
pub(super) struct Loads<'a> {
    world: &'a World,
    /// The constraint of the volume of each tetrahedron; empty if no tetrahedron breaks by force.
    volumes: BTreeMap<&'a [u32], usize>,
}

impl<'a> Loads<'a> {
    pub(super) fn of(world: &'a World) -> Self {
        let forced = |set: &Set| {
            let column = set.strength.columns.get(Strength::FORCE);
            column.is_some_and(|column| column.iter().any(|&force| force != f32::INFINITY))
        };
        let mut volumes = BTreeMap::new();
        if world.constraints_of(&neo_hookean::KIND).is_some_and(forced)
            && let Some(set) = world.constraints_of(&volume::KIND)
        {
            volumes.extend((0..set.len()).map(|number| (set.particles(number), number)));
        }
        Self { world, volumes }
    }

    /// All elements that can break and bear at least this share of what they can.
    pub(super) fn all(&self, least: f32) -> impl Iterator<Item = Element> + '_ {
        let set = |kind| {
            let set: Option<&Set> = self.world.constraints_of(kind);
            set.filter(|set| !set.strength.is_empty()).map_or(0, Set::len)
        };
        let shapes = self.world.regions_of(&matched::KIND);
        let shapes = shapes.filter(|set| !set.strength.is_empty()).map_or(0, region::Set::len);
        let links = (0..set(&distance::KIND)).filter_map(move |number| self.link(number, least));
        let tets = (0..set(&neo_hookean::KIND)).filter_map(move |number| self.tet(number, least));
        links.chain(tets).chain((0..shapes).filter_map(move |number| self.shape(number, least)))
    }

    /// A link: its strain, or its tension −λ/h².
    fn link(&self, number: usize, least: f32) -> Option<Element> {
        let (set, spot) = (self.world.constraints_of(&distance::KIND)?, Spot::Link(number));
        let Strength { break_strain, break_force, .. } = breakable(set.strength(number))?;
        let (ids, rest) = (set.particles(number), set.rest(number).next()?);
        let along = self.at(ids[1]) - self.at(ids[0]);
        let stretched = if rest > 0.0 { along.length() / f64::from(rest) - 1.0 } else { 0.0 };
        let tension = -f64::from(set.lambda(number)) * self.per_square();
        let ratio = ratio(stretched, break_strain).max(ratio(tension, break_force));
        let along = along.normalize_or(DVec3::X);
        (ratio >= least).then(|| Element { spot, particles: ids.to_vec(), ratio, along })
    }

    /// A tetrahedron: its greatest principal strain, or the tension in that direction.
    fn tet(&self, number: usize, least: f32) -> Option<Element> {
        let (set, spot) = (self.world.constraints_of(&neo_hookean::KIND)?, Spot::Tet(number));
        let Strength { break_strain, break_force, .. } = breakable(set.strength(number))?;
        let ids = set.particles(number);
        if ids.iter().any(|&i| self.world.particles.hollow[i as usize]) {
            return None; // it is broken already
        }
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| self.at(ids[k]));
        let edges = DMat3::from_cols(b - a, c - a, d - a);
        let mut axes = [0.0; 9];
        axes.iter_mut().zip(set.rest(number)).for_each(|(to, from)| *to = f64::from(from));
        let f = edges * DMat3::from_cols_array(&axes);
        let (axis, stretch) = Strain::of(f)?.longest();
        let along = (f * axis).normalize_or(DVec3::X);
        let mut load = ratio(stretch - 1.0, break_strain);
        if break_force != f32::INFINITY {
            load = load.max(ratio(self.tension(number, (edges, axes), along)?, break_force));
        }
        (load >= least).then(|| Element { spot, particles: ids.to_vec(), ratio: load, along })
    }

    /// The stress across a tetrahedron in a direction, times the area V^⅔ (N): that of a cube of its
    /// volume. From the forces of its constraints on its corners, σ = −Σ fₖ xₖᵀ / V.
    fn tension(
        &self,
        number: usize,
        (edges, axes): (DMat3, [f64; 9]),
        along: DVec3,
    ) -> Option<f64> {
        let set = self.world.constraints_of(&neo_hookean::KIND)?;
        let [b, c, d] = [0, 1, 2].map(|k| V3::from(edges.col(k)));
        let x = [V3::from(DVec3::ZERO), b, c, d];
        let pull = |gradients: [V3<f64>; 4], lambda: f32| {
            let along = V3::from(along);
            let pairs = gradients.into_iter().zip(x);
            -f64::from(lambda) * pairs.map(|(g, x)| g.dot(along) * x.dot(along)).sum::<f64>()
        };
        let mut sum = pull(NeoHookean::eval(x, axes).1, set.lambda(number));
        if let Some(&other) = self.volumes.get(set.particles(number)) {
            let volumes = self.world.constraints_of(&volume::KIND)?;
            sum += pull(volume::Volume::eval(x, [0.0]).1, volumes.lambda(other));
        }
        let size = (edges.determinant().abs() / 6.0).max(f64::MIN_POSITIVE);
        Some(sum * self.per_square() / libm::cbrt(size))
    }

    /// A matched shape: the greatest principal strain of the fit.
    fn shape(&self, number: usize, least: f32) -> Option<Element> {
        let (set, spot) = (self.world.regions_of(&matched::KIND)?, Spot::Shape(number));
        let Strength { break_strain, .. } = breakable(set.strength(number))?;
        let f = deformation(set, number, &self.world.particles)?;
        let (axis, stretch) = Strain::of(f)?.longest();
        let along = (f * axis).normalize_or(DVec3::X);
        let ratio = ratio(stretch - 1.0, break_strain);
        let particles = set.members(number);
        (ratio >= least).then(|| Element { spot, particles: particles.to_vec(), ratio, along })
    }

    fn at(&self, i: u32) -> DVec3 {
        self.world.particles.position(i as usize).as_dvec3()
    }

    /// 1/h² (1/s²).
    fn per_square(&self) -> f64 {
        let h = f64::from(self.world.h);
        if h > 0.0 { 1.0 / (h * h) } else { 0.0 }
    }

    fn owner(&self, element: &Element) -> u32 {
        self.world.particles.body[element.particles[0] as usize]
    }

    /// The crack that opens a body where an element is overloaded.
    fn crack(&self, worst: &Element) -> Result<Crack, WorldError> {
        let owner = self.owner(worst);
        let (origin, n) = (self.middle(worst), worst.along);
        let crosses = |element: &Element| {
            let heights = element.particles.iter().map(|&i| (self.at(i) - origin).dot(n));
            heights.clone().any(|h| h > 0.0) && heights.clone().any(|h| h < 0.0)
        };
        let all: Vec<Element> =
            self.all(0.0).filter(|element| self.owner(element) == owner).collect();
        let gives_way = |element: &&Element| {
            let is_link = matches!(element.spot, Spot::Link(_));
            is_link || element.ratio >= SPREAD
        };
        // Those that hang together with the worst.
        let around = |some: &[&'_ Element]| -> Vec<usize> {
            let together = some.iter().map(|element| &element.particles);
            let mut joined = Joined::of(self.world.particles.len(), together);
            let root = joined.root(worst.particles[0]);
            (0..some.len()).filter(|&k| joined.root(some[k].particles[0]) == root).collect()
        };
        let crossed: Vec<&Element> = all.iter().filter(|element| crosses(element)).collect();
        let section: Vec<usize> = around(&crossed);
        let is_of_section = |k: &usize| section.binary_search(k).is_ok();
        let others = (0..crossed.len()).filter(|k| !is_of_section(k)).map(|k| crossed[k]);
        let others: Vec<&Element> = others.collect();
        let section: Vec<&Element> = section.iter().map(|&k| crossed[k]).collect();
        let weak: Vec<&Element> = section.iter().copied().filter(gives_way).collect();
        let weak: Vec<&Element> = around(&weak).into_iter().map(|k| weak[k]).collect();
        let on = if weak.len() as f64 >= MOST * section.len() as f64 { section } else { weak };
        let mut particles: Vec<u32> = on.iter().flat_map(|e| &e.particles).copied().collect();
        particles.sort_unstable();
        let touches = |i: &u32| particles.binary_search(i).is_ok();
        let along = all.iter().filter(|e| !crosses(e) && e.particles.iter().any(touches));
        let spared = on.iter().copied().chain(along).map(|element| element.spot).collect();
        let blades = REACHES.iter().map(|&reach| self.blade((origin, n), [&on, &others], reach));
        Ok(Crack { blades: blades.collect::<Result<_, _>>()?, spared })
    }

    /// Squares of the plane that lie near the elements of a crack, and not nearer to others that it crosses:
    /// an arm of a ring must not be scratched when the one beside it breaks.
    fn blade(
        &self,
        (origin, n): (DVec3, DVec3),
        [crack, others]: [&[&Element]; 2],
        reach: f64,
    ) -> Result<Blade, WorldError> {
        let u = n.any_orthonormal_vector();
        let v = n.cross(u);
        let width = crack.iter().map(|element| self.length(element)).fold(0.0, f64::max) * FACET;
        let mut cells: BTreeSet<[i64; 2]> = BTreeSet::new();
        for element in crack {
            let beyond = if matches!(element.spot, Spot::Link(_)) { BEYOND_LINKS } else { 1.0 };
            let (from, far) =
                (self.middle(element) - origin, reach * beyond * self.length(element));
            let range = |at: f64| {
                let [low, high] = [at - far, at + far].map(|end| (end / width).floor() as i64);
                low..=high
            };
            for i in range(from.dot(u)) {
                cells.extend(range(from.dot(v)).map(|j| [i, j]));
            }
        }
        let middles = |some: &[&Element]| -> Vec<DVec3> {
            some.iter().map(|element| self.middle(element)).collect()
        };
        let (own, foreign) = (middles(crack), middles(others));
        let nearest = |some: &[DVec3], x: DVec3| {
            some.iter().map(|middle| middle.distance_squared(x)).fold(f64::INFINITY, f64::min)
        };
        cells.retain(|&[i, j]| {
            let x = origin + (u * (i as f64 + 0.5) + v * (j as f64 + 0.5)) * width;
            foreign.is_empty() || nearest(&own, x) <= nearest(&foreign, x)
        });
        let corner = |i: i64, j: i64| (origin + (u * i as f64 + v * j as f64) * width).as_vec3();
        let facets = cells.iter().flat_map(|&[i, j]| {
            let [a, b] = [corner(i, j), corner(i + 1, j)];
            let [c, d] = [corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        });
        Blade::triangles(&facets.collect::<Vec<_>>())
    }

    fn middle(&self, element: &Element) -> DVec3 {
        let sum: DVec3 = element.particles.iter().map(|&i| self.at(i)).sum();
        sum / element.particles.len() as f64
    }

    /// Twice the distance of the furthest particle from the middle (m).
    fn length(&self, element: &Element) -> f64 {
        let middle = self.middle(element);
        let far = element.particles.iter().map(|&i| self.at(i).distance(middle));
        2.0 * far.fold(0.0, f64::max)
    }
}

/// Where a solid opens.
struct Crack {
    /// The blade, for each reach.
    blades: Vec<Blade>,
    /// What bears anything from now on: what the crack parts, and what lies along it, which it relieves
    /// before the next step could know. What is ahead of it may break.
    spared: Vec<Spot>,
}

/// The strength of what breaks at all.
fn breakable(strength: Strength) -> Option<Strength> {
    let never = strength.break_strain == f32::INFINITY && strength.break_force == f32::INFINITY;
    (!never).then_some(strength)
}

/// Lets an element bear anything from now on.
fn break_for_good(world: &mut World, spot: Spot) -> Result<(), WorldError> {
    const NEVER: [f32; 2] = [f32::INFINITY; 2];
    match spot {
        Spot::Link(_) => {} // the blade takes it
        Spot::Tet(number) => {
            if let Some(set) = world.constraints_of_mut(&neo_hookean::KIND) {
                let [break_strain, break_force] = NEVER;
                let strength = Strength { break_strain, break_force, ..set.strength(number) };
                set.set_strength(number, strength)?;
            }
        }
        Spot::Shape(number) => {
            let sets = world.regions.iter_mut();
            for set in sets.filter(|set| set.kind().name == matched::KIND.name) {
                let [break_strain, break_force] = NEVER;
                let strength = Strength { break_strain, break_force, ..set.strength(number) };
                set.set_strength(number, strength)?;
            }
        }
    }
    Ok(())
}

/// Opens a solid where an element is overloaded. Says whether that has parted anything.
pub(super) fn fracture(world: &mut World, id: BodyId, worst: &Element) -> Result<bool, WorldError> {
    let Crack { blades, spared } = Loads::of(world).crack(worst)?;
    break_for_good(world, worst.spot)?;
    for spot in spared {
        break_for_good(world, spot)?;
    }
    for blade in blades {
        if !world.cut_bodies(&blade, |other| other == id)?.bodies.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
