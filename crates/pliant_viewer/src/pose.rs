//! Where particles are, in the memory of the GPU that draws.

use std::sync::Arc;

use eframe::wgpu;

use crate::loan::Loan;

/// Where all particles were after a step: a copy that stays as it is while somebody has it.
#[derive(Debug)]
pub struct Pose {
    /// Positions (m) and inverse masses (1/kg), 16 bytes for each particle.
    pub(crate) xw: wgpu::Buffer,
    /// Whose memory that is.
    lender: Loan,
}

/// Poses to be used again. A few are in use at a time: two are drawn, one is on its way.
#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
#[derive(Debug, Default)]
pub(crate) struct Poses {
    all: Vec<Arc<Pose>>,
}

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
impl Poses {
    /// A pose for so many particles that nobody has. Commands of one queue are done in order, so what
    /// was drawn of it before is drawn by the time that it is written again.
    pub(crate) fn free(&mut self, lender: &Loan, count: usize) -> Arc<Pose> {
        // A binding must not be empty.
        let size = 16 * count.max(1) as u64;
        self.all.retain(|pose| pose.xw.size() == size);
        if let Some(pose) = self.all.iter().find(|pose| Arc::strong_count(pose) == 1) {
            return Arc::clone(pose);
        }
        let xw = lender.gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("a pose"),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let pose = Arc::new(Pose { xw, lender: lender.clone() });
        self.all.push(Arc::clone(&pose));
        pose
    }
}

/// Two poses, and how far from the first to the second the picture is, 0 to 1.
#[derive(Clone, Debug)]
pub struct Between {
    /// The earlier and the newer one.
    pub poses: [Arc<Pose>; 2],
    /// How far.
    pub share: f32,
}

impl Between {
    /// Whether it is in the memory of what was lent.
    pub(crate) fn is_of(&self, lender: Option<&Loan>) -> bool {
        self.poses.iter().all(|pose| Some(&pose.lender) == lender)
    }
}
