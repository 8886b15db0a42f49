//! Triangles and rigid bodies against colliders, as buffers of a GPU.

use std::ops::Range;

use super::rigid::Rigids;
use crate::collider::Collider;
use crate::world::World;

/// The shader that keeps triangles off colliders; it follows that of the stages.
pub(crate) const FACES: &str = include_str!("faces.wgsl");
/// The shader that moves rigid bodies as a whole; it follows [`FACES`].
pub(crate) const RIGID: &str = include_str!("rigid.wgsl");

/// Bytes of a `Face` in `faces.wgsl`.
pub const FACE_BYTES: usize = 80;
/// Words of a head and of a touch in `rigid.wgsl`.
const HEAD: u32 = 18;
const TOUCH: u32 = 12;
/// Sides of triangles are compared with edges of colliders that are so many times as round: how much
/// longer they may become before the world is pushed again.
const STRETCH: f32 = 2.0;

/// The triangles of a world, in the order of their colours: what `faces.wgsl` binds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaceRows {
    /// The corners, three for each.
    pub corners: Vec<u32>,
    /// The triangles of each colour. No two of them share a particle.
    pub colors: Vec<Range<u32>>,
}

/// The rigid bodies of a world: what `rigid.wgsl` binds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigidRows {
    /// A head for each body, lists of triangles, and room for touches.
    pub words: Vec<u32>,
    /// How many bodies there are.
    pub bodies: u32,
}

impl World {
    /// The triangles that may be pierced between their corners, as they were when the world was last
    /// prepared; none if no collider is that sharp.
    pub fn face_rows(&self) -> FaceRows {
        let faces = &self.scratch.faces;
        let is_sharp = |of: &Collider| (of.shape.roundness)(of) < STRETCH * faces.longest;
        if !self.colliders.iter().any(is_sharp) {
            return FaceRows::default();
        }
        let corners = faces.order.iter().flat_map(|&number| self.triangles[number as usize]);
        let starts = std::iter::once(0).chain(faces.ends.iter().copied());
        FaceRows {
            corners: corners.collect(),
            colors: starts.zip(&faces.ends).map(|(start, &end)| start..end).collect(),
        }
    }

    /// The rigid bodies that meet colliders as a whole, with room for what they touch in a substep.
    pub fn rigid_rows(&self, faces: &FaceRows) -> RigidRows {
        let rigids: &Rigids = &self.scratch.rigids;
        let bodies: Vec<Range<usize>> = rigids.bodies().to_vec();
        let lists: Vec<Vec<u32>> = bodies.iter().map(|body| self.faces_of(body, faces)).collect();
        let mut words = Vec::new();
        let mut list = HEAD * bodies.len() as u32;
        let mut touch = list + lists.iter().map(|list| list.len() as u32).sum::<u32>();
        for (body, own) in bodies.iter().zip(&lists) {
            let listed = own.len() as u32;
            words.extend([body.start as u32, body.end as u32, list, listed, touch]);
            words.resize(words.len() + HEAD as usize - 5, 0);
            list += listed;
            touch += TOUCH * (body.len() as u32 + listed) * self.config.iterations;
        }
        words.extend(lists.concat());
        words.resize(touch as usize, 0);
        RigidRows { words, bodies: bodies.len() as u32 }
    }

    /// Where the triangles of a body have gone, in the order in which they are pushed.
    fn faces_of(&self, body: &Range<usize>, faces: &FaceRows) -> Vec<u32> {
        let corners = (0..).zip(faces.corners.chunks_exact(3));
        let own = corners.filter(|(_, corners)| body.contains(&(corners[0] as usize)));
        own.map(|(place, _)| place).collect()
    }
}
