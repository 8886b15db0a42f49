//! First fit, then colours of like sizes.

use super::graph::{Conflicts, UNCOLORED};
use super::{Algorithm, first_fit};

/// First fit leaves the last colours nearly empty, and a nearly empty colour keeps most threads
/// idle. So vertices move from a colour to the smallest that none of their neighbours has, as long
/// as that one is smaller by two or more. In the end no single move makes the sizes more alike.
///
/// The number of colours stays, and since each move lowers the sum of the squared sizes, there is
/// an end. Lu et al. 2015, "Balanced Coloring for Parallel Computing Applications", compare such
/// methods.
pub const ALGORITHM: &Algorithm = &Algorithm {
    name: "balanced",
    shows: "first fit, then moves to smaller colours until all are of like size",
    of_graph: |graph, colors| color(graph, colors),
    of_links: |links, colors| color(&links.incidence(), colors),
};

fn color(conflicts: &impl Conflicts, colors: &mut [u32]) {
    let mut movable: Vec<u32> =
        (0..colors.len() as u32).filter(|&v| colors[v as usize] == UNCOLORED).collect();
    first_fit::color(conflicts, colors);
    let count = colors.iter().max().map_or(0, |&max| max as usize + 1);
    let mut sizes = vec![0usize; count];
    colors.iter().for_each(|&color| sizes[color as usize] += 1);
    // In which visit a colour was last found among the neighbours.
    let (mut taken_in, mut visit) = (vec![0u64; count], 0);
    let mut moved = true;
    while moved {
        moved = false;
        // Forwards, then backwards: what the end of a pass makes room for, the next one takes first.
        movable.reverse();
        for &v in &movable {
            visit += 1;
            for neighbor in conflicts.neighbors(v as usize) {
                taken_in[colors[neighbor as usize] as usize] = visit;
            }
            let color = colors[v as usize] as usize;
            let free = (0..count).filter(|&other| taken_in[other] != visit);
            let Some(smallest) = free.min_by_key(|&other| sizes[other]) else { continue };
            if sizes[smallest] + 1 < sizes[color] {
                (sizes[color], sizes[smallest]) = (sizes[color] - 1, sizes[smallest] + 1);
                (colors[v as usize], moved) = (smallest as u32, true);
            }
        }
    }
}
