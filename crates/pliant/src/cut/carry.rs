//! What becomes of constraints and regions when the elements under them were copied.
//!
//! A constraint belongs to the elements between its particles. It stays where these still hang
//! together: once in each connected group of their copies that has a node of every particle, with the
//! group's share of the material as its share of the stiffness. Where no group has them all, it was
//! cut, and goes.

use super::parts::Beside;
use super::sever::{LEAST_SHARE, TornSheet};
use crate::edit::Edit;
use crate::mesh::joined::Joined;

/// Where a constraint stays: its new particles, and its share of the stiffness, as often as it does.
#[derive(Debug, Default)]
pub(super) struct Carried {
    ids: Vec<u32>,
    /// The shares, and where each one's particles are.
    shares: Vec<(f64, u32)>,
    arity: usize,
}

impl Carried {
    /// Begins anew, for constraints of so many particles.
    pub(super) fn begin(&mut self, arity: usize) {
        self.ids.clear();
        self.shares.clear();
        self.arity = arity;
    }

    /// Adds a share to that of the same particles, if there is one.
    pub(super) fn add(&mut self, particles: &[u32], share: f64) {
        let place = self.ids.chunks_exact(self.arity).position(|ids| ids == particles);
        match place {
            Some(place) => self.shares[place].0 += share,
            None => {
                self.shares.push((share, self.shares.len() as u32));
                self.ids.extend_from_slice(particles);
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.shares.len()
    }

    /// Gives each a share made of its own, but no less than the least; the largest comes first.
    pub(super) fn finish(&mut self, share: impl Fn(f64) -> f64) {
        for (one, _) in &mut self.shares {
            *one = share(*one).max(LEAST_SHARE);
        }
        let Self { ids, shares, arity } = self;
        let row = |place: u32| &ids[place as usize * *arity..][..*arity];
        shares.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| row(a.1).cmp(row(b.1))));
    }

    /// The particles, and the share.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], f64)> {
        let row = |place: u32| &self.ids[place as usize * self.arity..][..self.arity];
        self.shares.iter().map(move |&(share, place)| (row(place), share))
    }
}

/// What a blade has left of a body.
pub(super) trait Torn {
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
    fn carry(&self, particles: &[u32], carried: &mut Carried);
}

impl Torn for TornSheet {
    fn carry(&self, particles: &[u32], carried: &mut Carried) {
        carried.begin(particles.len());
        let Some(patch) = self.patch(particles) else { return };
        let copies: Vec<u32> = patch.iter().flat_map(|&element| self.copies_of(element)).collect();
        let area = |copy: u32| self.copies[copy as usize].area;
        let whole: f64 = copies.iter().map(|&copy| area(copy)).sum();
        let roots = self.groups(&copies);
        let mut nodes = Vec::with_capacity(particles.len());
        for root in (0..).zip(&roots).filter(|(at, root)| at == *root).map(|(at, _)| at) {
            let own =
                || copies.iter().zip(&roots).filter(|(_, of)| **of == root).map(|pair| *pair.0);
            nodes.clear();
            nodes.extend(particles.iter().filter_map(|&particle| self.node(particle, own())));
            if nodes.len() == particles.len() {
                let amount: f64 = own().map(area).sum();
                carried.add(&nodes, if whole > 0.0 { amount / whole } else { 1.0 });
            }
        }
        carried.finish(|share| share);
    }

    fn mark(&self, edit: &Edit, beside: &mut [Beside]) {
        for corners in &self.elements {
            if corners.iter().any(|&i| edit.splits(i)) {
                for &i in corners {
                    let found = if edit.splits(i) { Beside::IsSplit } else { Beside::Split };
                    beside[i as usize] = beside[i as usize].max(found);
                }
            }
        }
    }

    /// An element near the cut has all these particles.
    fn keeps(&self, particles: &[u32]) -> bool {
        let around = particles.first().map_or(&[][..], |&first| self.around.particle(first));
        let has = |i: &u32, element: u32| self.elements[element as usize].contains(i);
        around.iter().any(|&element| particles.iter().all(|i| has(i, element)))
    }
}

impl TornSheet {
    /// The elements that lie between particles, in order: the fewest that hung together before the cut
    /// and have them all.
    fn patch(&self, particles: &[u32]) -> Option<Vec<u32>> {
        let around = |&i: &u32| self.around.particle(i);
        let mut near: Vec<u32> = particles.iter().flat_map(around).copied().collect();
        near.sort_unstable();
        // Those that have at least so many of the particles.
        let with = |least: usize| -> Vec<u32> {
            let groups = near.chunk_by(|one, other| one == other);
            groups.filter(|group| group.len() >= least).map(|group| group[0]).collect()
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
    fn across(&self, particles: &[u32]) -> Vec<u32> {
        let &[a, b] = particles else { return Vec::new() };
        let [around_a, around_b] = [a, b].map(|i| self.around.particle(i));
        let pairs =
            around_a.iter().flat_map(|&one| around_b.iter().map(move |&other| [one, other]));
        let pairs = pairs.filter(|&[one, other]| self.common(one, other) == 2);
        let mut found: Vec<u32> = pairs.flatten().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// How many corners two elements have in common.
    fn common(&self, one: u32, other: u32) -> usize {
        let [one, other] = [one, other].map(|element| self.elements[element as usize]);
        one.iter().filter(|corner| other.contains(corner)).count()
    }

    /// Whether elements hang together and have all particles.
    fn holds(&self, patch: &[u32], particles: &[u32]) -> bool {
        let has = |i: &u32| patch.iter().any(|&e| self.elements[e as usize].contains(i));
        if patch.is_empty() || !particles.iter().all(has) {
            return false;
        }
        let mut joined = Joined::new(patch.len());
        for (k, &one) in patch.iter().enumerate() {
            for (l, &other) in patch[..k].iter().enumerate() {
                if self.common(one, other) >= 2 {
                    joined.join(k as u32, l as u32);
                }
            }
        }
        (0..patch.len() as u32).all(|k| joined.root(k) == 0)
    }

    /// The first copy, by its place among some, that each hangs together with.
    fn groups(&self, copies: &[u32]) -> Vec<u32> {
        let mut joined = Joined::new(copies.len());
        for (at, &copy) in (0..).zip(copies) {
            for other in self.glued(copy) {
                if let Some(place) = copies.iter().position(|&one| one == other) {
                    joined.join(at, place as u32);
                }
            }
        }
        (0..copies.len() as u32).map(|at| joined.root(at)).collect()
    }

    /// The node of a particle in a group of copies; the one with the most material if there are
    /// several, as at the end of a slit.
    fn node(&self, particle: u32, group: impl Iterator<Item = u32>) -> Option<u32> {
        let mut found: Vec<(u32, f64)> = Vec::new();
        for copy in group.map(|copy| &self.copies[copy as usize]) {
            let corners = self.elements[copy.element as usize];
            let Some(k) = corners.iter().position(|&corner| corner == particle) else { continue };
            match found.iter_mut().find(|(node, _)| *node == copy.nodes[k]) {
                Some((_, area)) => *area += copy.area,
                None => found.push((copy.nodes[k], copy.area)),
            }
        }
        let most = |a: &(u32, f64), b: &(u32, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
        found.into_iter().max_by(most).map(|(node, _)| node)
    }
}
