//! In which order colours follow each other: those first that reach far, those later that reach little farther.

use super::graph::{Links, UNCOLORED, lists};

/// Groups of particles that are looked at: a bit for each in [`Groups::bits`].
const GROUPS: usize = 16;
/// Particles of a group at first, and from which on it does not grow.
const SMALL: usize = 64;
const LARGE: usize = 2048;

/// Numbers colours anew, so that what a group of particles depends on during some colours is little. The last colour
/// is the one whose constraints at a group have the fewest particles outside; these belong to the group then, and so
/// on, back to the first. In a grid of cubes colours that follow each other differ along one axis, as in a Gray code.
pub(super) fn bring_in_order(links: &Links<'_>, colors: &mut [u32]) {
    let count = colors.iter().max().map_or(0, |&most| most as usize + 1);
    let mut groups = Groups::new(links);
    let mut place = vec![UNCOLORED; count];
    for last in (0..count as u32).rev() {
        let growth = groups.growth(colors, count);
        // Of equals the later one, so that what is in order stays so.
        let left = (0..count).rev().filter(|&color| place[color] == UNCOLORED);
        let least = left.min_by(|&a, &b| growth[a].total_cmp(&growth[b]));
        let Some(next) = least else { return };
        place[next] = last;
        groups.grow(|v| colors[v as usize] as usize == next, LARGE);
    }
    colors.iter_mut().for_each(|color| *color = place[*color as usize]);
}

/// Groups of particles that lie together, spread over all of them.
struct Groups<'a> {
    links: &'a Links<'a>,
    /// The constraints of each particle.
    starts: Vec<usize>,
    touching: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// For each particle a bit for each group that it belongs to.
    bits: Vec<u16>,
}

impl<'a> Groups<'a> {
    fn new(links: &'a Links<'a>) -> Self {
        let particles = links.particle_count();
        let touches = |v: usize| links.particles_of(v).iter().map(move |&p| (p, v as u32));
        let (starts, touching) = lists(particles, (0..links.len()).flat_map(touches));
        let seeds = (0..GROUPS.min(particles)).map(|k| (k * particles / GROUPS) as u32);
        let members: Vec<Vec<u32>> = seeds.map(|seed| vec![seed]).collect();
        let mut bits = vec![0; particles];
        for (group, members) in members.iter().enumerate() {
            bits[members[0] as usize] |= 1 << group;
        }
        let mut groups = Self { links, starts, touching, members, bits };
        let mut before = 0;
        while before < groups.size() {
            before = groups.size();
            groups.grow(|_| true, SMALL);
        }
        groups
    }

    /// Particles of all groups.
    fn size(&self) -> usize {
        self.members.iter().map(Vec::len).sum()
    }

    /// The constraints of a group's particles, each as often as it has such.
    fn constraints(&self, group: usize) -> impl Iterator<Item = u32> + '_ {
        let of = |&p: &u32| &self.touching[self.starts[p as usize]..self.starts[p as usize + 1]];
        self.members[group].iter().flat_map(of).copied()
    }

    /// The particles of a constraint that a group does not have.
    fn others(&self, group: usize, v: u32) -> impl Iterator<Item = u32> + '_ {
        let is_outside = move |p: &u32| self.bits[*p as usize] & (1 << group) == 0;
        self.links.particles_of(v as usize).iter().copied().filter(is_outside)
    }

    /// By how many particles groups would grow with the constraints of each colour.
    fn growth(&self, colors: &[u32], count: usize) -> Vec<f32> {
        let mut growth = vec![0.0; count];
        for group in 0..self.members.len() {
            for v in self.constraints(group) {
                let all = self.links.particles_of(v as usize).len();
                let others = self.others(group, v).count();
                // It is met once for each particle that is inside.
                growth[colors[v as usize] as usize] += others as f32 / (all - others).max(1) as f32;
            }
        }
        growth
    }

    /// Adds the particles of some of the constraints at each group, unless it has `most`.
    fn grow(&mut self, is_wanted: impl Fn(u32) -> bool, most: usize) {
        for group in 0..self.members.len() {
            let wanted = self.constraints(group).filter(|&v| is_wanted(v));
            let new: Vec<u32> = wanted.flat_map(|v| self.others(group, v)).collect();
            for p in new {
                let bits = &mut self.bits[p as usize];
                if *bits & (1 << group) == 0 && self.members[group].len() < most {
                    *bits |= 1 << group;
                    self.members[group].push(p);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cubes of eight particles in a grid, coloured by the parity of their place along each axis: colours in a row
    /// differ along one axis alone.
    #[test]
    fn colours_of_a_grid_of_cubes_follow_a_gray_code() {
        const SIDE: u32 = 16;
        let particle = |[x, y, z]: [u32; 3]| (z * SIDE + y) * SIDE + x;
        let cells = (0..(SIDE - 1).pow(3)).map(|i| {
            let side = SIDE - 1;
            [i % side, i / side % side, i / side / side]
        });
        let corners = |[x, y, z]: [u32; 3]| {
            (0..8).map(move |k| particle([x + k % 2, y + k / 2 % 2, z + k / 4]))
        };
        let ids: Vec<u32> = cells.clone().flat_map(corners).collect();
        let parity: Vec<u32> = cells.map(|[x, y, z]| x % 2 + 2 * (y % 2) + 4 * (z % 2)).collect();
        let mut colors = parity.clone();
        bring_in_order(&Links::new(&ids, 8, SIDE.pow(3) as usize), &mut colors);
        let mut order = [UNCOLORED; 8];
        for (&parity, &color) in parity.iter().zip(&colors) {
            order[color as usize] = parity;
        }
        let mut all = order;
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7], "a colour became two, or two became one");
        let steps: Vec<u32> = order.windows(2).map(|two| (two[0] ^ two[1]).count_ones()).collect();
        assert_eq!(steps, [1; 7], "{order:?}");
    }
}
