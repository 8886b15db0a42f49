//! What becomes of constraints and regions when the elements under them were copied.
//!
//! A constraint belongs to the elements between its particles. It stays where these still hang
//! together: once in each connected group of their copies that has a node of every particle, with the
//! group's share of the material as its share of the stiffness. Where no group has them all, it was
//! cut, and goes.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::Beside;
use super::sever::{LEAST_SHARE, TornSheet};
use crate::edit::Edit;
use crate::mesh::joined::Joined;

/// A constraint's new particles, and its share of the stiffness.
pub(super) type Carried = (Vec<u32>, f64);

/// What a blade has left of a body.
pub(super) trait Torn {
    /// Its triangles, as particles of the edit.
    fn triangles(&self) -> &[[u32; 3]];

    /// Pairs of particles that hang together without a constraint or triangle between them.
    fn bonds(&self) -> &[[u32; 2]] {
        &[]
    }

    /// Whether triangles are parted without that particles are split.
    fn parts_triangles(&self) -> bool {
        false
    }

    /// Marks the particles that are split, and those beside them.
    fn mark(&self, edit: &Edit, beside: &mut [Beside]);

    /// Whether a constraint between particles that are not split stays as it is.
    fn keeps(&self, particles: &[u32]) -> bool;

    /// Where a constraint of these particles stays, the larger share first.
    fn carry(&self, particles: &[u32]) -> Vec<Carried>;
}

impl Torn for TornSheet {
    fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    fn carry(&self, particles: &[u32]) -> Vec<Carried> {
        let Some(patch) = self.patch(particles) else { return Vec::new() };
        let copies: Vec<u32> = patch
            .iter()
            .filter_map(|element| self.copies_of.get(element))
            .flatten()
            .copied()
            .collect();
        let area =
            |copies: &[u32]| copies.iter().map(|&c| self.copies[c as usize].area).sum::<f64>();
        let whole = area(&copies);
        let mut carried: Vec<Carried> = Vec::new();
        for group in self.groups(&copies) {
            let Some(nodes) = self.nodes(particles, &group) else { continue };
            let share = if whole > 0.0 { area(&group) / whole } else { 1.0 };
            match carried.iter_mut().find(|(other, _)| *other == nodes) {
                Some((_, sum)) => *sum += share,
                None => carried.push((nodes, share)),
            }
        }
        carried.iter_mut().for_each(|(_, share)| *share = share.max(LEAST_SHARE));
        carried.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        carried
    }

    fn mark(&self, edit: &Edit, beside: &mut [Beside]) {
        for &element in self.copies_of.keys() {
            let corners = self.elements[element as usize];
            if corners.iter().any(|&i| edit.splits(i)) {
                for i in corners {
                    let found = if edit.splits(i) { Beside::IsSplit } else { Beside::Split };
                    beside[i as usize] = beside[i as usize].max(found);
                }
            }
        }
    }

    /// An element near the cut has all these particles.
    fn keeps(&self, particles: &[u32]) -> bool {
        let around = particles.first().and_then(|first| self.around.get(first));
        around.is_some_and(|elements| {
            elements.iter().any(|&element| {
                particles.iter().all(|i| self.elements[element as usize].contains(i))
            })
        })
    }
}

impl TornSheet {
    /// The elements that lie between particles: the fewest that hung together before the cut and have
    /// them all.
    fn patch(&self, particles: &[u32]) -> Option<BTreeSet<u32>> {
        let around = |i: &u32| self.around.get(i).map_or(&[][..], Vec::as_slice);
        let mut count: BTreeMap<u32, usize> = BTreeMap::new();
        for &element in particles.iter().flat_map(around) {
            *count.entry(element).or_default() += 1;
        }
        let with = |least: usize| -> BTreeSet<u32> {
            count.iter().filter(|(_, has)| **has >= least).map(|(&element, _)| element).collect()
        };
        let all = particles.len();
        let mut levels = (0..5).map(|level| match level {
            0 => with(all),
            1 => with(3.min(all)),
            2 => with(2.min(all)),
            3 => self.across(particles),
            _ => with(1),
        });
        levels.find(|patch| self.holds(patch, particles))
    }

    /// The pairs of elements with an edge in common of which each has one of two particles: the two
    /// triangles under a diagonal.
    fn across(&self, particles: &[u32]) -> BTreeSet<u32> {
        let around = |i: &u32| self.around.get(i).map_or(&[][..], Vec::as_slice);
        let [a, b] = particles else { return BTreeSet::new() };
        let pairs =
            around(a).iter().flat_map(|&one| around(b).iter().map(move |&other| [one, other]));
        pairs.filter(|&[one, other]| self.common(one, other) == 2).flatten().collect()
    }

    /// How many corners two elements have in common.
    fn common(&self, one: u32, other: u32) -> usize {
        let [one, other] = [one, other].map(|element| self.elements[element as usize]);
        one.iter().filter(|corner| other.contains(corner)).count()
    }

    /// Whether elements hang together and have all particles.
    fn holds(&self, patch: &BTreeSet<u32>, particles: &[u32]) -> bool {
        let list: Vec<u32> = patch.iter().copied().collect();
        let corners: BTreeSet<u32> = list.iter().flat_map(|&e| self.elements[e as usize]).collect();
        if list.is_empty() || !particles.iter().all(|i| corners.contains(i)) {
            return false;
        }
        let mut joined = Joined::new(list.len());
        for (k, &one) in list.iter().enumerate() {
            for (l, &other) in list[..k].iter().enumerate() {
                if self.common(one, other) >= 2 {
                    joined.join(k as u32, l as u32);
                }
            }
        }
        (0..list.len() as u32).all(|k| joined.root(k) == 0)
    }

    /// Copies by what hangs together among them.
    fn groups(&self, copies: &[u32]) -> Vec<Vec<u32>> {
        let place: BTreeMap<u32, u32> = copies.iter().copied().zip(0..).collect();
        let mut joined = Joined::new(copies.len());
        for (&copy, &at) in &place {
            let glued = self.copies[copy as usize].glued.iter();
            glued.filter_map(|other| place.get(other)).for_each(|&other| joined.join(at, other));
        }
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (at, &copy) in (0..).zip(copies) {
            groups.entry(joined.root(at)).or_default().push(copy);
        }
        groups.into_values().collect()
    }

    /// The node of every particle in a group of copies; the one with the most material if there are
    /// several, as at the end of a slit.
    fn nodes(&self, particles: &[u32], group: &[u32]) -> Option<Vec<u32>> {
        let node = |&particle: &u32| {
            let mut found: BTreeMap<u32, f64> = BTreeMap::new();
            for copy in group.iter().map(|&copy| &self.copies[copy as usize]) {
                let corners = self.elements[copy.element as usize];
                if let Some(k) = corners.iter().position(|&corner| corner == particle) {
                    *found.entry(copy.nodes[k]).or_default() += copy.area;
                }
            }
            let most = |a: &(u32, f64), b: &(u32, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
            found.into_iter().max_by(most).map(|(node, _)| node)
        };
        particles.iter().map(node).collect()
    }
}
