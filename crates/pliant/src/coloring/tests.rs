//! Every algorithm, on graphs that chance has made, and through a thousand edits.

use super::*;
use crate::Config;
use crate::constraint::set::Hold;
use crate::constraint::{distance, volume};
use crate::shapes::TetBox;
use crate::testing::Random;
use crate::world::World;

fn below(random: &mut Random, end: usize) -> u32 {
    ((random.unit() * end as f32) as u32).min(end as u32 - 1)
}

/// `count` constraints of `arity` different particles each.
fn links(random: &mut Random, particles: usize, arity: usize, count: usize) -> Vec<u32> {
    let mut ids: Vec<u32> = Vec::new();
    while ids.len() < arity * count {
        let first = ids.len() / arity * arity;
        let id = below(random, particles);
        if !ids[first..].contains(&id) {
            ids.push(id);
        }
    }
    ids
}

fn edges(random: &mut Random, vertices: usize, count: usize) -> Vec<[u32; 2]> {
    (0..count).map(|_| [below(random, vertices), below(random, vertices)]).collect()
}

/// The edges of a square grid of triangles with `side` vertices along each side.
fn grid(side: u32) -> Vec<u32> {
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

fn count(colors: &[u32]) -> usize {
    colors.iter().max().map_or(0, |&max| max as usize + 1)
}

fn sizes(colors: &[u32]) -> Vec<usize> {
    let mut sizes = vec![0; count(colors)];
    colors.iter().for_each(|&color| sizes[color as usize] += 1);
    sizes
}

#[test]
fn no_color_touches_a_particle_twice() {
    let mut random = Random::new(1);
    // 40 particles and 4 000 pairs need more than 64 colours: the second round is tested too.
    for (particles, arity, number) in [(2, 2, 1), (1000, 2, 3000), (40, 2, 4000), (200, 4, 900)] {
        let ids = links(&mut random, particles, arity, number);
        let links = Links::new(&ids, arity, particles);
        for algorithm in ALL {
            let colors = algorithm.color_links(&links);
            assert_eq!(links.conflict(&colors), None, "{algorithm:?}, {number} constraints");
            assert_eq!(Graph::of_links(&links).conflict(&colors), None, "{algorithm:?}");
        }
    }
}

#[test]
fn any_graph_gets_at_most_one_color_more_than_its_largest_degree() {
    let mut random = Random::new(2);
    for (vertices, number) in [(0, 0), (1, 0), (5, 40), (300, 500), (300, 30_000)] {
        let edges = edges(&mut random, vertices.max(1), number);
        let graph = Graph::new(vertices, &edges);
        for algorithm in ALL {
            let colors = algorithm.color(&graph);
            assert_eq!(graph.conflict(&colors), None, "{algorithm:?}, {vertices} vertices");
            let limit = if vertices == 0 { 0 } else { graph.largest_degree() + 1 };
            assert!(count(&colors) <= limit, "{algorithm:?}: {} of {limit}", count(&colors));
        }
    }
}

#[test]
fn what_has_a_color_keeps_it() {
    let mut random = Random::new(3);
    let ids = links(&mut random, 300, 3, 800);
    let links = Links::new(&ids, 3, 300);
    for algorithm in ALL {
        let before = algorithm.color_links(&links);
        let mut colors: Vec<u32> = before
            .iter()
            .map(|&color| if random.unit() < 0.3 { UNCOLORED } else { color })
            .collect();
        let kept = colors.clone();
        algorithm.complete_links(&links, &mut colors);
        assert_eq!(links.conflict(&colors), None, "{algorithm:?}");
        let changed =
            kept.iter().zip(&colors).filter(|(old, new)| **old != UNCOLORED && old != new);
        assert_eq!(changed.count(), 0, "{algorithm:?}");
    }
}

#[test]
fn dsatur_colors_what_two_colors_suffice_for_with_two() {
    // Brélaz 1979 proves it for every bipartite graph. First fit needs more on this one.
    let mut random = Random::new(4);
    let edges: Vec<[u32; 2]> =
        (0..900).map(|_| [2 * below(&mut random, 200), 2 * below(&mut random, 200) + 1]).collect();
    let graph = Graph::new(400, &edges);
    assert_eq!(count(&dsatur::ALGORITHM.color(&graph)), 2);
    assert!(count(&first_fit::ALGORITHM.color(&graph)) > 2);
}

#[test]
fn no_single_move_would_balance_better() {
    let ids = grid(40);
    let links = Links::new(&ids, 2, 1600);
    let colors = balanced::ALGORITHM.color_links(&links);
    let graph = Graph::of_links(&links);
    let sizes = sizes(&colors);
    assert_eq!(sizes.len(), count(&first_fit::ALGORITHM.color_links(&links)), "no more colours");
    for v in 0..graph.len() {
        let around: Vec<u32> = graph.neighbors_of(v).iter().map(|&n| colors[n as usize]).collect();
        for other in (0..sizes.len()).filter(|&other| !around.contains(&(other as u32))) {
            let (here, there) = (sizes[colors[v] as usize], sizes[other]);
            assert!(here <= there + 1, "{v} could leave {here} others for {there}");
        }
    }
    let mean = ids.len() / 2 / sizes.len();
    let largest = sizes.iter().max().unwrap();
    assert!(*largest <= mean + mean / 4, "the largest colour has {largest}, the mean is {mean}");
}

#[test]
fn chance_is_the_same_every_time_and_the_seed_matters() {
    let graph = Graph::of_links(&Links::new(&grid(20), 2, 400));
    let throw = |seed| {
        let mut colors = vec![UNCOLORED; graph.len()];
        vivace::color(&graph, &mut colors, seed);
        assert_eq!(graph.conflict(&colors), None, "seed {seed}");
        colors
    };
    assert_eq!(throw(1), throw(1));
    assert_ne!(throw(1), throw(2));
}

#[test]
fn blocks_are_full_apart_and_all_there() {
    let ids = grid(40);
    let links = Links::new(&ids, 2, 1600);
    for size in [1, 16, 100_000] {
        let blocks = Blocks::grow(&links, size);
        let mut sizes = vec![0; blocks.count];
        blocks.block_of.iter().for_each(|&block| sizes[block as usize] += 1);
        assert!(sizes.iter().all(|&n| (1..=size).contains(&n)), "{sizes:?}");
        assert_eq!(sizes.iter().sum::<usize>(), links.len());
        for algorithm in ALL {
            let colors = algorithm.color_links(&blocks.links(&links));
            // As the constraints of two blocks of one colour see it.
            let mut owner = vec![UNCOLORED; 1600 * count(&colors)];
            for (v, &block) in blocks.block_of.iter().enumerate() {
                for &p in links.particles_of(v) {
                    let color = colors[block as usize] as usize;
                    let other = std::mem::replace(&mut owner[color * 1600 + p as usize], block);
                    assert!(
                        other == UNCOLORED || other == block,
                        "{algorithm:?}: {other}, {block}"
                    );
                }
            }
        }
    }
}

#[test]
fn joint_colors_hold_for_all_kinds_together() {
    let mut world = World::default();
    world.add(&TetBox::default().blueprint().unwrap()).unwrap();
    crate::step(&mut world, 0.0).unwrap();
    let sets = world.constraints();
    for algorithm in ALL {
        let joint = Joint::new(sets, world.particles.len(), algorithm);
        let mut found = vec![0; sets.len()];
        let mut mixed = false;
        for members in joint.colors() {
            let mut seen = vec![false; world.particles.len()];
            for member in members {
                found[member.set as usize] += 1;
                for &p in sets[member.set as usize].colored.particles(member.slot as usize) {
                    assert!(!std::mem::replace(&mut seen[p as usize], true), "{algorithm:?}");
                }
            }
            mixed |= members.first().map(|m| m.set) != members.last().map(|m| m.set);
        }
        assert_eq!(found, sets.iter().map(Set::len).collect::<Vec<_>>(), "{algorithm:?}");
        assert!(mixed, "{algorithm:?}: no colour has two kinds");
    }
    assert!(!world.constraints_of(&volume::KIND).unwrap().is_empty());
}

/// The colour of every constraint, by number.
fn by_number(set: &Set) -> Vec<u32> {
    let mut color_of = vec![UNCOLORED; set.len()];
    for (color, range) in set.colored.colors().enumerate() {
        color_of[range].fill(color as u32);
    }
    set.slots.iter().map(|&slot| color_of[slot as usize]).collect()
}

#[test]
fn a_thousand_edits_leave_every_coloring_valid_and_most_of_it_alone() {
    const PARTICLES: usize = 200;
    for algorithm in ALL {
        let config = Config { coloring: algorithm, ..Config::default() };
        let mut random = Random::new(5);
        let mut set = Set::new(&distance::KIND);
        let mut name = 0.0;
        let mut add = |set: &mut Set, random: &mut Random| {
            let ids = links(random, PARTICLES, 2, 1);
            name += 1.0; // the rest length tells them apart
            set.push(&ids, &[name], Hold::RIGID).unwrap();
        };
        (0..800).for_each(|_| add(&mut set, &mut random));
        set.prepare(PARTICLES, &config, None::<fn(&Set, usize) -> bool>);
        for edit in 0..1000 {
            let names = |set: &Set| -> Vec<f32> {
                (0..set.len()).flat_map(|number| set.rest(number).collect::<Vec<_>>()).collect()
            };
            let (mut colors, mut kept) = (by_number(&set), names(&set));
            let slots = set.slots.clone();
            let adds = set.len() < 600 || (set.len() < 1000 && random.unit() < 0.5);
            if adds {
                add(&mut set, &mut random);
            } else {
                let victim = below(&mut random, set.len()) as usize;
                set.retain(|number| number != victim);
                colors.remove(victim);
                kept.remove(victim);
            }
            set.prepare(PARTICLES, &config, None::<fn(&Set, usize) -> bool>);
            assert_eq!(names(&set)[..kept.len()], kept, "{algorithm:?}: edit {edit} lost one");
            let now = by_number(&set);
            assert!(now.iter().all(|&color| color != UNCOLORED), "{algorithm:?}: edit {edit}");
            let Colored { ids, starts, .. } = &set.colored;
            assert_eq!(conflict(ids, 2, starts, PARTICLES), None, "{algorithm:?}: edit {edit}");
            // A colour that lost its last constraint moves the numbers of those behind it.
            let same = starts.len() > count(&colors);
            assert!(!same || now[..colors.len()] == colors, "{algorithm:?}: edit {edit}");
            // One constraint of each colour makes room; no other moves.
            let moved = slots.iter().zip(&set.slots).filter(|(old, new)| old != new).count();
            assert!(!adds || moved < starts.len(), "{algorithm:?}: edit {edit} moved {moved}");
        }
    }
}

#[test]
fn many_that_go_at_once_leave_the_others_their_colors() {
    const PARTICLES: usize = 200;
    let mut random = Random::new(9);
    for _ in 0..20 {
        let mut set = Set::new(&distance::KIND);
        for name in 0..700 {
            set.push(&links(&mut random, PARTICLES, 2, 1), &[name as f32], Hold::RIGID).unwrap();
        }
        set.prepare(PARTICLES, &Config::default(), None::<fn(&Set, usize) -> bool>);
        // Some have no colour yet.
        for name in 700..720 {
            set.push(&links(&mut random, PARTICLES, 2, 1), &[name as f32], Hold::RIGID).unwrap();
        }
        let share = random.unit();
        let stays: Vec<bool> = (0..set.len()).map(|_| random.unit() > share).collect();
        let row = |set: &Set, number: usize| {
            let rest = set.rest(number).next();
            (set.particles(number).to_vec(), rest, set.color(number))
        };
        let before: Vec<_> = (0..set.len()).filter(|&n| stays[n]).map(|n| row(&set, n)).collect();
        let colors = set.colors();
        set.retain(|number| stays[number]);
        let after: Vec<_> = (0..set.len()).map(|number| row(&set, number)).collect();
        // A colour that has lost all moves the numbers of those behind it.
        if set.colors() == colors {
            assert_eq!(before, after);
        }
        let Colored { ids, starts, doubled, .. } = &set.colored;
        assert_eq!(conflict(ids, 2, starts, PARTICLES), None);
        let active = 2 * set.colored.active();
        assert!(doubled[..active].iter().zip(ids).all(|(doubled, id)| *doubled == 2 * id));
    }
}

#[test]
#[should_panic(expected = "particle 2 in colour")]
fn no_constraint_gets_a_particle_that_another_of_its_color_may_have() {
    let mut pairs = Colored::new(2);
    [[0, 1], [2, 3]].into_iter().for_each(|pair| pairs.push(pair.into_iter()));
    pairs.complete(&[0, 1], 4, first_fit::ALGORITHM, |_| false);
    pairs.edit(&[(0, Some(&[0, 2]))], None);
}

#[test]
fn another_algorithm_colors_anew() {
    let mut set = Set::new(&distance::KIND);
    for pair in grid(12).chunks_exact(2) {
        set.push(pair, &[1.0], Hold::RIGID).unwrap();
    }
    let mut colors = |algorithm| {
        set.prepare(
            144,
            &Config { coloring: algorithm, ..Config::default() },
            None::<fn(&Set, usize) -> bool>,
        );
        by_number(&set)
    };
    let first = colors(first_fit::ALGORITHM);
    let other = colors(dsatur::ALGORITHM);
    assert_ne!(first, other);
    assert_eq!(first, colors(first_fit::ALGORITHM));
    assert_eq!(other, dsatur::ALGORITHM.color_links(&Links::new(&grid(12), 2, 144)));
}

#[test]
fn a_conflict_is_found() {
    assert_eq!(conflict(&[0, 1, 1, 2], 2, &[0, 2], 3), Some((0, 1)));
    let ids = [0, 1, 1, 2, 3, 4];
    let links = Links::new(&ids, 2, 5);
    assert_eq!(links.conflict(&[0, 0, 0]), Some([0, 1]));
    assert_eq!(links.conflict(&[0, 1, UNCOLORED]), Some([2, 2]));
    assert_eq!(links.conflict(&[0, 1, 0]), None);
    let graph = Graph::of_links(&links);
    assert_eq!(graph.conflict(&[0, 0, 0]), Some([0, 1]));
    assert_eq!(graph.conflict(&[0, 1, UNCOLORED]), Some([2, 2]));
    assert_eq!(graph.conflict(&[0, 1, 0]), None);
}

#[test]
fn a_chain_needs_two_colors() {
    let ids: Vec<u32> = (0..100).flat_map(|i| [i, i + 1]).collect();
    let links = Links::new(&ids, 2, 101);
    for algorithm in [first_fit::ALGORITHM, balanced::ALGORITHM, dsatur::ALGORITHM] {
        assert_eq!(count(&algorithm.color_links(&links)), 2, "{algorithm:?}");
    }
}

/// The runs of colours, each with its constraints, in which no part has more particles than a block.
fn runs(links: &Links<'_>, colors: &[u32]) -> Vec<usize> {
    let mut runs = vec![0];
    let mut parts = tiled::Parts::new(links.particle_count());
    for color in 0..count(colors) as u32 {
        let members = || (0..links.len()).filter(|&v| colors[v] == color);
        let join = |parts: &mut tiled::Parts| {
            members().all(|v| parts.join_up_to(links.particles_of(v), tiled::BLOCK))
        };
        if !join(&mut parts) {
            parts = tiled::Parts::new(links.particle_count());
            assert!(join(&mut parts), "colour {color} alone");
            runs.push(0);
        }
        *runs.last_mut().unwrap() += members().count();
    }
    runs
}

#[test]
fn tiled_colors_are_a_few_runs_of_small_parts_also_after_edits() {
    let ids = grid(100);
    let links = Links::new(&ids, 2, 10_000);
    let mut colors = tiled::ALGORITHM.color_links(&links);
    let before = runs(&links, &colors);
    assert!(before.len() <= 4, "{before:?}");
    assert!(before[0] * 10 > links.len() * 8, "most are within a block: {before:?}");
    let others = runs(&links, &first_fit::ALGORITHM.color_links(&links));
    assert!(others[0] < before[0], "other colours join more: {others:?}");
    let mut random = Random::new(6);
    for color in &mut colors {
        *color = if random.unit() < 0.02 { UNCOLORED } else { *color };
    }
    tiled::ALGORITHM.complete_links(&links, &mut colors);
    assert_eq!(links.conflict(&colors), None);
    let after = runs(&links, &colors);
    assert!(after[0] * 10 > links.len() * 8, "the first run stays: {after:?}");
}

/// Eight cells meet at a particle, each of five tetrahedra.
#[test]
fn clusters_are_the_cells_of_a_lattice_and_their_colors_follow_each_other() {
    let mut world = World::new(Config { coloring: clustered::ALGORITHM, ..Config::default() });
    let lattice = TetBox { counts: glam::UVec3::splat(6), ..TetBox::default() };
    world.add(&lattice.blueprint().unwrap()).unwrap();
    crate::step(&mut world, 0.0).unwrap();
    let tets = world.constraints_of(&volume::KIND).unwrap();
    assert_eq!(tets.colors(), 40);
    let colors: Vec<_> = tets.color_slots().collect();
    for cells in colors.chunks(5) {
        let mut parts = tiled::Parts::new(world.particles.len());
        for slot in cells.iter().cloned().flatten() {
            let ids = tets.colored.particles(slot);
            assert!(parts.join_up_to(ids, 8), "a cell has eight particles");
        }
    }
    let links = world.constraints_of(&distance::KIND).unwrap();
    assert_eq!(links.colors(), 18, "as by first fit");
}
