//! What tiles own, solve and leave alone.

use std::ops::Range;

use pliant::glam::Vec4;

use super::links::{Kind, Links};
use super::{Group, HEAD, HOME, Rows, Size, Tiles, Turns};

const SIZE: Size = Size { lanes: 256, rows: 1024 };

fn of_pairs<'a>(ids: &'a [u32], colors: &'a [Range<u32>], xw: &'a [Vec4]) -> Links<'a> {
    Links::new(vec![Kind { ids, arity: 2, colors }], xw, SIZE)
}

/// A square net, its links in four colours.
fn net(size: u32) -> (Vec<u32>, Vec<Range<u32>>, Vec<Vec4>) {
    let mut ids = Vec::new();
    let mut colors = Vec::new();
    for (step, across, parity) in [(1, true, 0), (1, true, 1), (size, false, 0), (size, false, 1)] {
        let start = ids.len() as u32 / 2;
        for i in 0..size * size {
            let (column, row) = (i % size, i / size);
            let along = if across { column } else { row };
            if along % 2 == parity && along + 1 < size {
                ids.extend([i, i + step]);
            }
        }
        colors.push(start..ids.len() as u32 / 2);
    }
    let x = |i: u32| Vec4::new((i % size) as f32, 0.0, (i / size) as f32, 1.0);
    (ids, colors, (0..size * size).map(x).collect())
}

#[test]
fn tiles_own_every_particle_once_and_solve_all_that_they_depend_on() {
    let (ids, colors, xw) = net(100);
    let links = of_pairs(&ids, &colors, &xw);
    for (turns, groups) in [(Turns::Any, 1), (Turns::Even, 2)] {
        let tiles = Tiles::new(&links, turns).unwrap();
        assert_eq!(tiles.groups.len(), groups);
        let per_group = colors.len() / groups;
        for (number, group) in tiles.groups.iter().enumerate() {
            let colors = &colors[number * per_group..][..per_group];
            check(&tiles, group, colors, &links);
        }
    }
}

/// Fails unless the tiles of a group solve what they must.
fn check(tiles: &Tiles, group: &Group, colors: &[Range<u32>], links: &Links<'_>) {
    let (ids, xw) = (links.kinds[0].ids, links.xw);
    let Rows { slots: of_rows, places, .. } = &tiles.kinds[0];
    // Whether each particle has a link of each colour.
    let linked = |slots: &Range<u32>| {
        let mut linked = vec![false; xw.len()];
        let ends = &ids[2 * slots.start as usize..2 * slots.end as usize];
        ends.iter().for_each(|&i| linked[i as usize] = true);
        linked
    };
    let linked: Vec<Vec<bool>> = colors.iter().map(linked).collect();
    let mut owners = vec![0; xw.len()];
    let mut homes = vec![0; ids.len() / 2];
    for tile in group.tiles.clone() {
        let (head, rows) =
            tiles.table[(tile * tiles.stride) as usize..].split_at(tiles.head as usize);
        let [owned, all] = [0, 1].map(|k| head[k] as usize);
        assert!(all <= links.rows());
        let rows = &rows[..all];
        rows[..owned].iter().for_each(|&i| owners[i as usize] += 1);
        let steps = HEAD..HEAD + group.steps[0] as usize;
        check_steps(&head[HEAD..=steps.end], of_rows, (colors, links.size.lanes));
        // Rows that are as they should be after each colour, going back: all that is owned, and
        // before a colour also what its constraints read.
        let mut right = vec![false; all];
        right[..owned].fill(true);
        for (color, slots) in colors.iter().enumerate().rev() {
            let mut touched = vec![false; all];
            for row in steps.clone().flat_map(|step| head[step] as usize..head[step + 1] as usize) {
                let slot = (of_rows[row] & !HOME) as usize;
                if !slots.contains(&(slot as u32)) {
                    continue;
                }
                homes[slot] += usize::from(of_rows[row] & HOME != 0);
                let word = places[row];
                let ends = [word & 0xffff, word >> 16].map(|k| k as usize);
                assert_eq!(ends.map(|k| rows[k]), [ids[2 * slot], ids[2 * slot + 1]]);
                ends.iter().for_each(|&k| touched[k] = true);
            }
            for k in (0..all).filter(|&k| right[k]) {
                assert_eq!(linked[color][rows[k] as usize], touched[k]);
            }
            (0..all).for_each(|k| right[k] |= touched[k]);
        }
    }
    assert!(owners.iter().all(|&count| count == 1));
    let of_group = colors[0].start..colors[colors.len() - 1].end;
    assert!(of_group.clone().all(|slot| homes[slot as usize] == 1));
}

/// Fails unless steps have rows of one colour each, in the order of colours, and no more than there are lanes.
fn check_steps(starts: &[u32], of_rows: &[u32], (colors, lanes): (&[Range<u32>], u32)) {
    let color_of = |row: u32| {
        let slot = of_rows[row as usize] & !HOME;
        colors.iter().position(|slots| slots.contains(&slot)).unwrap()
    };
    let mut last = 0;
    for step in starts.windows(2) {
        assert!(step[1] - step[0] <= lanes);
        for color in (step[0]..step[1]).map(color_of) {
            assert!(color >= last);
            last = color;
        }
        let has_one = (step[0]..step[1]).map(color_of).all(|color| color == last);
        assert!(has_one, "two colours in a step");
    }
}

/// So many nets of 10 × 10 particles: the ends of their links, and those of each colour.
fn nets(count: u32) -> (Vec<u32>, Vec<Range<u32>>, Vec<Vec4>) {
    let (one, colors, x) = net(10);
    let (mut ids, mut all) = (Vec::new(), Vec::new());
    for color in &colors {
        let start = ids.len() as u32 / 2;
        let own = &one[2 * color.start as usize..2 * color.end as usize];
        (0..count).for_each(|n| ids.extend(own.iter().map(|i| i + n * x.len() as u32)));
        all.push(start..ids.len() as u32 / 2);
    }
    (ids, all, x.repeat(count as usize))
}

#[test]
fn small_bodies_are_tiles_of_their_own_and_nothing_is_solved_twice() {
    // Of 100 particles each, two are more than a tile; of a great many, five are one.
    for (count, per_tile) in [(60, 1), (6000, 5)] {
        let (ids, colors, xw) = nets(count);
        let links = of_pairs(&ids, &colors, &xw);
        let tiles = Tiles::new(&links, Turns::Even).unwrap();
        assert!(tiles.is_closed && tiles.work == 1.0);
        assert_eq!(tiles.groups.len(), 1);
        assert_eq!(tiles.groups[0].tiles, 0..count / per_tile);
        assert_eq!(tiles.kinds[0].slots.len(), ids.len() / 2);
        check(&tiles, &tiles.groups[0], &colors, &links);
    }
}

/// Fails unless every particle is the own of one of the last tiles, if those are asked for that have no constraints.
fn check_owners(tiles: &Tiles, particles: usize) {
    let last = tiles.groups.last().unwrap();
    let mut owners = vec![0; particles];
    for tile in last.tiles.start..last.idle.end {
        let (head, rows) =
            tiles.table[(tile * tiles.stride) as usize..].split_at(tiles.head as usize);
        rows[..head[0] as usize].iter().for_each(|&i| owners[i as usize] += 1);
        if last.idle.contains(&tile) {
            assert_eq!(head[0], head[1]);
            let starts = &head[HEAD..=HEAD + last.steps[0] as usize];
            assert!(starts.iter().all(|start| *start == starts[0]), "a constraint in {tile}");
        }
    }
    assert!(owners.iter().all(|&count| count == 1), "{owners:?}");
}

#[test]
fn what_nothing_holds_is_in_tiles_of_its_own() {
    let (one, colors, x) = net(10);
    let (count, of_one) = (60, one.len() as u32 / 2);
    let mut ids = Vec::new();
    let mut all = Vec::new();
    for color in &colors {
        let start = ids.len() as u32 / 2;
        let own = &one[2 * color.start as usize..2 * color.end as usize];
        // Three particles before each net have no links.
        (0..count).for_each(|n| ids.extend(own.iter().map(|i| i + 3 + n * (x.len() as u32 + 3))));
        all.push(start..ids.len() as u32 / 2);
    }
    assert_eq!(ids.len() as u32 / 2, count * of_one);
    for more in [0, 1000, 30_000] {
        let xw = vec![Vec4::ONE; count as usize * (x.len() + 3) + more];
        let tiles = Tiles::new(&of_pairs(&ids, &all, &xw), Turns::Even).unwrap();
        assert!(tiles.is_closed);
        assert_eq!(tiles.is_whole, more < 30_000, "many are better off in a pass of their own");
        if tiles.is_whole {
            assert_eq!(tiles.groups[0].idle.len(), (3 * count as usize + more).div_ceil(100));
            check_owners(&tiles, xw.len());
        } else {
            assert!(tiles.groups[0].idle.is_empty());
        }
    }
}

#[test]
fn the_last_of_several_runs_owns_all_particles_too() {
    // 2025 particles are more than a tile: links along one side are a run, those along the other another, which has
    // few of the particles here.
    let (net_ids, net_colors, xw) = net(45);
    let (mut ids, mut colors) = (Vec::new(), Vec::new());
    for (number, most) in [(0, 45), (1, 45), (0, 45), (1, 45), (2, 10), (3, 10)] {
        let start = ids.len() as u32 / 2;
        let Range { start: first, end } = net_colors[number];
        let all = net_ids[2 * first as usize..2 * end as usize].chunks(2);
        ids.extend(all.filter(|ends| ends[0] % 45 < most).flatten());
        colors.push(start..ids.len() as u32 / 2);
    }
    let tiles = Tiles::closed(&of_pairs(&ids, &colors, &xw)).unwrap();
    assert_eq!(tiles.groups.len(), 2);
    assert!(tiles.is_whole && !tiles.groups[1].idle.is_empty());
    check_owners(&tiles, xw.len());
}

#[test]
fn what_fits_in_a_tile_is_one_however_little_it_is() {
    let (ids, colors, xw) = net(5);
    let tiles = Tiles::new(&of_pairs(&ids, &colors, &xw), Turns::Any).unwrap();
    assert!(tiles.is_closed && tiles.is_whole);
    assert_eq!((tiles.groups.len(), tiles.groups[0].tiles.len()), (1, 1));
    check(&tiles, &tiles.groups[0], &colors, &of_pairs(&ids, &colors, &xw));
}

#[test]
fn few_colours_have_no_tiles() {
    let (ids, colors, xw) = net(1000);
    assert_eq!(Tiles::new(&of_pairs(&ids, &colors[..1], &xw), Turns::Any), None);
    // Rows of 1000 particles fit into a tile; with one link across they do not.
    let ids: Vec<u32> = ids.iter().copied().chain([0, 1000]).collect();
    let [.., last] = &colors[..] else { unreachable!("a net has colours") };
    let links = [colors[0].clone(), colors[1].clone(), last.end..last.end + 1];
    assert!(Tiles::new(&of_pairs(&ids, &links[..2], &xw), Turns::Any).unwrap().is_closed);
    assert_eq!(Tiles::new(&of_pairs(&ids, &links, &xw), Turns::Any), None);
}
