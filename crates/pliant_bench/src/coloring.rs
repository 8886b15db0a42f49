//! Colourings of the constraint graphs of eight cloths, and DSATUR beside petgraph's.

use petgraph::algo::dsatur_coloring;
use petgraph::graph::UnGraph;
use pliant::coloring::{ALL, Blocks, Graph, Links};

use crate::table::{Cell, Table};
use crate::{Bench, race};

pub(crate) const BENCH: &Bench = &Bench {
    name: "coloring",
    shows: "time and colours on the edge and face graphs of cloths of 441 to 10 201 vertices",
    run: |_| Ok(run()),
    figure: None,
};

/// Vertices along the side of each model, a square cloth of two triangles per cell.
const SIDES: [u32; 8] = [21, 31, 46, 56, 70, 85, 92, 101];
/// Runs, of which the shortest counts.
const REPEATS: u32 = 15;
/// Constraints in a block.
const BLOCK: usize = 64;

fn run() -> Table {
    let mut rows = Vec::new();
    for (model, &side) in SIDES.iter().enumerate() {
        let (edges, faces) = (edges(side), faces(side));
        let vertices = (side * side) as usize;
        for (what, ids, arity) in [("edge", &edges, 2), ("face", &faces, 3)] {
            let links = Links::new(ids, arity, vertices);
            rows.extend(of_model(&format!("{} {what}", model + 1), &links));
        }
    }
    let headings =
        &["model", "input", "vertices", "algorithm", "ms", "colors", "petgraph dsatur / this"];
    Table { headings, rows }
}

/// Every algorithm on the constraints as a graph, as lists of particles, and in blocks; and
/// petgraph's DSATUR on the same graph.
fn of_model(name: &str, links: &Links<'_>) -> Vec<Vec<Cell>> {
    let graph = Graph::of_links(links);
    let blocks = Blocks::grow(links, BLOCK).links(links);
    let other = petgraph(&graph);
    let color = |run: usize| match (run / ALL.len(), run % ALL.len()) {
        (0, i) => ALL[i].color(&graph),
        (1, i) => ALL[i].color_links(links),
        (_, i) => ALL[i].color_links(&blocks),
    };
    let ours = 3 * ALL.len();
    let runs = race(REPEATS, ours + 1, |run| match run {
        _ if run < ours => count(&color(run)),
        _ => dsatur_coloring(&other).1,
    });
    for run in 0..ours {
        let (links, colors) = (if run < 2 * ALL.len() { links } else { &blocks }, color(run));
        assert_eq!(links.conflict(&colors), None, "{name}: {:?}", ALL[run % ALL.len()]);
    }
    let (reference, _) = runs[runs.len() - 1];
    let row = |(run, (ms, colors)): (usize, (f64, usize))| {
        let input = ["graph", "links", "blocks", "graph"][run / ALL.len()];
        let vertices = [graph.len(), links.len(), blocks.len(), graph.len()][run / ALL.len()];
        let algorithm = if run == ours { "petgraph" } else { ALL[run % ALL.len()].name };
        let speedup = if input == "blocks" { Cell::Nothing } else { Cell::Number(reference / ms) };
        let [name, input, algorithm] = [name, input, algorithm].map(|word| Cell::Word(word.into()));
        let (vertices, colors) = (Cell::Count(vertices), Cell::Count(colors));
        vec![name, input, vertices, algorithm, Cell::Number(ms), colors, speedup]
    };
    runs.into_iter().enumerate().map(row).collect()
}

/// The same graph as petgraph keeps it.
fn petgraph(graph: &Graph) -> UnGraph<(), ()> {
    UnGraph::from_edges((0..graph.len()).flat_map(|v| {
        let later = graph.neighbors_of(v).iter().filter(move |&&n| n as usize > v);
        later.map(move |&n| (v as u32, n))
    }))
}

fn count(colors: &[u32]) -> usize {
    colors.iter().max().map_or(0, |&max| max as usize + 1)
}

/// The edges of the cloth, along its sides and one diagonal of every cell.
fn edges(side: u32) -> Vec<u32> {
    let mut ids = Vec::new();
    for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
        for (dy, dx) in [(0, 1), (1, 0), (1, 1)] {
            if y + dy < side && x + dx < side {
                ids.extend([y * side + x, (y + dy) * side + x + dx]);
            }
        }
    }
    ids
}

/// Its triangles, two in each cell.
fn faces(side: u32) -> Vec<u32> {
    let cells = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
    cells.flat_map(|a| [a, a + side + 1, a + 1, a, a + side, a + side + 1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::coloring::dsatur;

    #[test]
    fn the_models_have_their_documented_sizes() {
        let documented = [
            (441, 1240, 800),
            (961, 2760, 1800),
            (2116, 6165, 4050),
            (3136, 9185, 6050),
            (4900, 14421, 9522),
            (7225, 21336, 14112),
            (8464, 25025, 16562),
            (10201, 30200, 20000),
        ];
        for (side, sizes) in SIDES.into_iter().zip(documented) {
            let found = (side * side, edges(side).len() / 2, faces(side).len() / 3);
            assert_eq!(found, sizes);
        }
    }

    #[test]
    fn dsatur_needs_no_more_colors_than_petgraph_on_the_largest_model() {
        let side = SIDES[SIDES.len() - 1];
        for (ids, arity) in [(edges(side), 2), (faces(side), 3)] {
            let graph = Graph::of_links(&Links::new(&ids, arity, (side * side) as usize));
            let ours = count(&dsatur::ALGORITHM.color(&graph));
            let (_, theirs) = dsatur_coloring(&petgraph(&graph));
            assert!(ours <= theirs, "{ours} colours, petgraph {theirs}, {arity} corners");
        }
    }
}
