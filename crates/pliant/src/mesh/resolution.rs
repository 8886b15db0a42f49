//! How fine a body is made of a surface.

use glam::Vec3;

use super::{Aabb, MeshError};

/// How fine: by size, or by number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolution {
    /// Cells of this size (m).
    Cell(f32),
    /// About this many particles or tetrahedra: within a tenth, where the shape allows it.
    Count(u32),
}

/// Tries of a size before the best of them is taken; three are enough for most shapes.
const TRIES: u32 = 8;

/// How often cells that see nothing are halved.
const HALVINGS: u32 = 3;

impl Resolution {
    /// What `make` makes of cells of this size, or of the size that gives this number, starting
    /// with cells of which as many as are wanted fit in `room` (m³).
    pub(crate) fn make<T>(
        self,
        room: f32,
        make: impl Fn(f32) -> Result<T, MeshError>,
        count: impl Fn(&T) -> usize,
    ) -> Result<T, MeshError> {
        let wanted = match self {
            Self::Cell(cell) => return make(cell),
            Self::Count(wanted) => wanted.max(1) as f32,
        };
        // The first try is coarse: it shows how full the box is, for an eighth of the work.
        let mut cell = 2.0 * libm::cbrtf(room / wanted);
        let mut halvings = 0;
        let mut best: Option<(f32, T)> = None;
        for _ in 0..TRIES {
            let made = match make(cell) {
                Ok(made) => made,
                Err(MeshError::Nothing) if halvings < HALVINGS => {
                    halvings += 1;
                    cell /= 2.0;
                    continue;
                }
                Err(other) => return best.map(|(_, made)| made).ok_or(other),
            };
            let ratio = count(&made) as f32 / wanted;
            let off = libm::logf(ratio).abs();
            if best.as_ref().is_none_or(|(least, _)| off < *least) {
                best = Some((off, made));
            }
            if off < 0.1 {
                break;
            }
            cell *= libm::cbrtf(ratio);
        }
        best.map(|(_, made)| made).ok_or(MeshError::Nothing)
    }
}

/// About the volume that a body in a box takes (m³), times the elements in a cell.
pub(crate) fn room(bounds: Aabb, elements: f32) -> f32 {
    // Animals and vessels fill a third of their box; flat boxes are at least a hundredth thick.
    let size = bounds.size().max(Vec3::splat(bounds.size().max_element() / 100.0));
    size.x * size.y * size.z * elements / 3.0
}
