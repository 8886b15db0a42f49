//! Elements that lie together first: clusters of constraints are coloured as one, then what is in them.

use super::graph::{Conflicts, Links, UNCOLORED};
use super::order::bring_in_order;
use super::{Algorithm, Blocks, first_fit};

/// Triangles that share sides, or tetrahedra that share faces, are put together as long as they have few
/// particles: two triangles of a grid, the tetrahedra of a cube. Clusters are coloured by first fit, and the
/// constraints of a cluster have colours that follow each other. So what happens in one colour reaches no
/// further than in the whole cluster, and on a GPU a workgroup can do many colours with what it has in its memory.
/// For the same reason colours follow each other that reach little farther than those after them: in a grid of cubes
/// each two in a row differ along one axis, as in a Gray code.
///
/// Constraints of two particles are coloured by first fit, and then brought in such an order: no more than three of
/// them meet each other in a cluster. The vertices of a graph, which have no particles, and what an edit adds, are
/// coloured by first fit.
pub const ALGORITHM: &Algorithm = &Algorithm {
    name: "clustered",
    shows: "triangles and tetrahedra that share sides together: for solids and shells on a GPU",
    of_graph: |graph, colors| first_fit::ALGORITHM.complete(graph, colors),
    of_links,
};

fn of_links(links: &Links<'_>, colors: &mut [u32]) {
    let is_new = colors.iter().all(|&color| color == UNCOLORED);
    let has_sides = (0..links.len()).all(|v| links.particles_of(v).len() > 2);
    if !is_new || !has_sides {
        first_fit::ALGORITHM.complete_links(links, colors);
        if is_new {
            bring_in_order(links, colors);
        }
        return;
    }
    let (blocks, numbers) = clusters(links);
    let all = blocks.links(links);
    let mut of_blocks = first_fit::ALGORITHM.color_links(&all);
    bring_in_order(&all, &mut of_blocks);
    // The constraints of the largest cluster of each colour.
    let mut sizes = vec![0; of_blocks.iter().max().map_or(0, |&most| most as usize + 1)];
    let color_of = |v: usize| of_blocks[blocks.block_of[v] as usize] as usize;
    for (v, &number) in numbers.iter().enumerate() {
        let size = &mut sizes[color_of(v)];
        *size = (number + 1).max(*size);
    }
    let mut first = 0;
    let starts: Vec<u32> = sizes
        .iter()
        .map(|size| {
            first += size;
            first - size
        })
        .collect();
    for (v, color) in colors.iter_mut().enumerate() {
        *color = starts[color_of(v)] + numbers[v];
    }
}

/// Clusters of constraints, and the number of each constraint in its cluster. The one that shares sides with most of
/// the others comes last: what it leaves is felt by all of them. With it among the first, W3 in one substep of 20
/// iterations is strained 1.2 times as much.
fn clusters(links: &Links<'_>) -> (Blocks, Vec<u32>) {
    let incidence = links.incidence();
    let (mut block_of, mut numbers) = (vec![UNCOLORED; links.len()], vec![0; links.len()]);
    let (mut count, mut particles, mut near) = (0, Vec::new(), Vec::new());
    let mut members = Vec::new();
    for seed in 0..links.len() {
        if block_of[seed] != UNCOLORED {
            continue;
        }
        // A grid of squares or cubes has that many at the corners of a cell.
        let most = 1 << (links.particles_of(seed).len() - 1).min(6);
        particles.clear();
        near.clear();
        members.clear();
        let mut next = Some(seed as u32);
        while let Some(v) = next {
            block_of[v as usize] = count;
            members.push(v);
            let is_new = |p: &&u32| !particles.contains(*p);
            let new: Vec<u32> =
                links.particles_of(v as usize).iter().filter(is_new).copied().collect();
            particles.extend(new);
            near.extend(incidence.neighbors(v as usize));
            near.retain(|&n| block_of[n as usize] == UNCOLORED);
            let added = |n: u32| {
                links.particles_of(n as usize).iter().filter(|p| !particles.contains(p)).count()
            };
            let all = near.iter().map(|&n| (added(n), n));
            next = all
                .filter(|&(new, _)| new < 2 && particles.len() + new <= most)
                .min()
                .map(|(_, n)| n);
        }
        let middle = members.iter().max_by_key(|&&v| sides_shared(links, &members, v)).copied();
        let others = members.iter().copied().filter(|&v| Some(v) != middle);
        for (number, v) in (0..).zip(others.chain(middle)) {
            numbers[v as usize] = number;
        }
        count += 1;
    }
    (Blocks { block_of, count: count as usize }, numbers)
}

/// With how many members of a cluster a constraint has all particles in common but one.
fn sides_shared(links: &Links<'_>, members: &[u32], v: u32) -> usize {
    let of_v = links.particles_of(v as usize);
    let in_common =
        |n: &u32| links.particles_of(*n as usize).iter().filter(|p| of_v.contains(p)).count();
    members.iter().filter(|n| in_common(n) + 1 == of_v.len()).count()
}
