//! Which edges of a solid can touch something that none of its vertices and faces does?
//!
//! Where a surface is flat, what lies across an edge lies on the faces beside it, and they feel its
//! vertices; if it is larger than they are, it feels theirs. Two edges that cross touch alone only where
//! both surfaces fall off. An edge whose faces meet at an angle θ at rest stands out by at most e θ/8
//! over vertices that are e apart, so what is left out is 5 % of an edge. Most edges are flat: a cube of
//! four cells a side has 288, of which 48 are sharp.

use glam::Vec3;

use super::elements::Element;

/// Cosine of the angle between two faces from which on the edge between them is sharp: 25°.
const FLAT: f32 = 0.906_307_8;

/// Takes the edges that are flat at rest from those that touch. The faces are those of a closed surface.
pub(super) fn keep_sharp(elements: &mut [Element], rest: impl Fn(u32) -> Vec3) {
    let mut sides: Vec<([u32; 2], Vec3)> = Vec::with_capacity(3 * elements.len());
    for face in elements.iter().filter(|element| element.is_face()) {
        let [a, b, c] = face.ids.map(&rest);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        sides.extend((0..3).map(|k| (edge(face, k), normal)));
    }
    sides.sort_by_key(|side| side.0);
    let flat = |two: &[([u32; 2], Vec3)]| two.len() == 2 && two[0].1.dot(two[1].1) > FLAT;
    let between = sides.chunk_by(|one, other| one.0 == other.0);
    let flat: Vec<[u32; 2]> = between.filter(|two| flat(two)).map(|two| two[0].0).collect();
    for face in elements.iter_mut().filter(|element| element.is_face()) {
        let is_flat = |k: &usize| flat.binary_search(&edge(face, *k)).is_ok();
        face.sharp &= (0..3).filter(is_flat).fold(u8::MAX, |mask, k| mask & !(1 << k));
    }
}

/// The edge from corner `k` to the next, lower particle first.
fn edge(face: &Element, k: usize) -> [u32; 2] {
    let [a, b] = [face.ids[k], face.ids[(k + 1) % 3]];
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use glam::UVec3;

    use crate::body::Blueprint;
    use crate::contact::{Touch, prepare};
    use crate::shapes::{Cloth, TetBox};
    use crate::world::World;

    /// The edges that a body touches with.
    fn edges(body: Blueprint) -> u32 {
        let mut world = World::default();
        world.add(&body.touching(Touch::ALL)).unwrap();
        prepare(&mut world);
        world.contact.elements.all.iter().map(|element| element.sharp.count_ones()).sum()
    }

    #[test]
    fn a_cube_touches_with_the_edges_of_its_outline() {
        let cube = TetBox { counts: UVec3::splat(5), ..TetBox::default() };
        assert_eq!(edges(cube.blueprint().unwrap()), 12 * 4);
    }

    #[test]
    fn a_cloth_touches_with_all_of_its_edges() {
        let cloth = Cloth { columns: 4, rows: 4, ..Cloth::default() };
        assert_eq!(edges(cloth.blueprint().unwrap()), 12 + 12 + 9);
    }
}
