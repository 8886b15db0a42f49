//! Which triangle is on the other side of which edge.

use glam::{DVec3, Vec3};

/// A border: no triangle on the other side.
pub(super) const NONE: u32 = u32::MAX;

/// The three sides of every triangle: side 3t + k runs from corner k of triangle t to the next.
pub(super) struct Sides {
    /// The side that lies on the other, or [`NONE`].
    pub(super) mate: Vec<u32>,
    /// How many edges have more than two triangles.
    pub(super) junctions: usize,
    /// One of them.
    pub(super) first_junction: Option<[u32; 2]>,
}

/// The next side of the same triangle.
pub(super) fn next(side: u32) -> u32 {
    if side % 3 == 2 { side - 2 } else { side + 1 }
}

/// The corner at which a side starts.
pub(super) fn start(triangles: &[[u32; 3]], side: u32) -> u32 {
    triangles[side as usize / 3][side as usize % 3]
}

impl Sides {
    /// Finds the mates of all sides.
    pub(super) fn pair(positions: &[Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut mate = vec![NONE; triangles.len() * 3];
        let mut sides: Vec<([u32; 2], u32)> = (0..mate.len() as u32)
            .map(|side| {
                let [a, b] = [start(triangles, side), start(triangles, next(side))];
                ([a.min(b), a.max(b)], side)
            })
            .collect();
        sides.sort_unstable();
        let (mut junctions, mut first_junction) = (0, None);
        for around in sides.chunk_by(|one, other| one.0 == other.0) {
            match around {
                [] | [_] => {}
                [(_, one), (_, other)] => join(&mut mate, *one, *other),
                [(edge, _), ..] => {
                    junctions += 1;
                    first_junction.get_or_insert(*edge);
                    let sides: Vec<u32> = around.iter().map(|(_, side)| *side).collect();
                    for [one, other] in wedges(positions, triangles, *edge, sides) {
                        join(&mut mate, one, other);
                    }
                }
            }
        }
        Self { mate, junctions, first_junction }
    }

    /// Gives every fan of triangles around a vertex a vertex of its own; returns how many were
    /// added.
    pub(super) fn split(&self, positions: &mut Vec<Vec3>, triangles: &mut [[u32; 3]]) -> usize {
        let before = positions.len();
        let mut fans = Fans::new(self.mate.len());
        for (side, &mate) in self.mate.iter().enumerate().filter(|(_, mate)| **mate != NONE) {
            let side = side as u32;
            // The corners at the two ends, whichever way round the other triangle is.
            let same = start(triangles, side) == start(triangles, mate);
            let [from, to] = if same { [mate, next(mate)] } else { [next(mate), mate] };
            fans.join(side, from);
            fans.join(next(side), to);
        }
        let mut taken = vec![false; before];
        let mut vertex_of_fan = vec![NONE; self.mate.len()];
        for side in 0..self.mate.len() as u32 {
            let corner = &mut triangles[side as usize / 3][side as usize % 3];
            let vertex = &mut vertex_of_fan[fans.root(side) as usize];
            if *vertex == NONE {
                *vertex = *corner;
                if std::mem::replace(&mut taken[*corner as usize], true) {
                    *vertex = positions.len() as u32;
                    positions.push(positions[*corner as usize]);
                }
            }
            *corner = *vertex;
        }
        positions.len() - before
    }
}

fn join(mate: &mut [u32], one: u32, other: u32) {
    mate[one as usize] = other;
    mate[other as usize] = one;
}

/// The sides around an edge in pairs that enclose something between them; none if the order of the
/// triangles' corners does not tell.
///
/// Going round the edge, a triangle that runs along it has its inside behind it, and one that runs
/// against it has its inside ahead. So each of the latter goes with the one that follows.
fn wedges(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    [a, b]: [u32; 2],
    sides: Vec<u32>,
) -> Vec<[u32; 2]> {
    let at = |v: u32| positions[v as usize].as_dvec3();
    let axis = (at(b) - at(a)).normalize_or_zero();
    let right = axis.any_orthonormal_vector();
    let up = axis.cross(right);
    let angle = |side: u32| {
        let arm: DVec3 = at(start(triangles, next(next(side)))) - at(a);
        libm::atan2(arm.dot(up), arm.dot(right))
    };
    let mut around: Vec<(f64, u32)> = sides.into_iter().map(|side| (angle(side), side)).collect();
    around.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let along = |k: usize| start(triangles, around[k % around.len()].1) == a;
    let alternate = (0..around.len()).all(|k| along(k) != along(k + 1));
    if !alternate || axis == DVec3::ZERO {
        return Vec::new();
    }
    let first = usize::from(along(0));
    let pair = |k: usize| [around[k].1, around[(k + 1) % around.len()].1];
    (first..around.len()).step_by(2).map(pair).collect()
}

/// Corners that belong together (union-find, with halved paths).
struct Fans(Vec<u32>);

impl Fans {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn root(&mut self, mut corner: u32) -> u32 {
        while self.0[corner as usize] != corner {
            let parent = self.0[corner as usize];
            self.0[corner as usize] = self.0[parent as usize];
            corner = parent;
        }
        corner
    }

    fn join(&mut self, one: u32, other: u32) {
        let [one, other] = [self.root(one), self.root(other)];
        // The smaller number leads, so that the result does not depend on the order of joining.
        self.0[one.max(other) as usize] = one.min(other);
    }
}
