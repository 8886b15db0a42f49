//! A moment between two frames: where everything is when a picture is drawn.

use std::sync::{Arc, OnceLock};

use pliant::glam::{Vec3, Vec4};
use pliant::mesh::TriMesh;

use crate::frame::Frame;
use crate::loan::Loan;
use crate::pose::Between;

/// The world as it is drawn.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The newer of the two frames.
    pub frame: Arc<Frame>,
    /// Where every particle is (m), as far as the CPU knows.
    pub x: Vec<Vec3>,
    /// The same on the GPU that draws, if they are simulated there.
    pub there: Option<Between>,
    /// The particles that are selected, in increasing order.
    pub selected: Arc<[u32]>,
    /// See [`Self::surfaces`].
    surfaces: OnceLock<Vec<Option<TriMesh>>>,
}

impl Moment {
    /// The world a share `t` of the way from one frame to the next, 0 to 1. What changed in more than
    /// positions, or in more than one step, is shown as it is.
    pub fn between(earlier: &Frame, frame: &Arc<Frame>, t: f32) -> Self {
        let steady = earlier.plan.version == frame.plan.version
            && earlier.rows.len() == frame.rows.len()
            && frame.step == earlier.step + 1;
        let t = if steady { t.clamp(0.0, 1.0) } else { 1.0 };
        let x = match steady {
            true => {
                let both = earlier.rows.iter().zip(frame.rows.iter());
                both.map(|(a, b)| a.truncate().lerp(b.truncate(), t)).collect()
            }
            false => frame.rows.iter().map(|row| row.truncate()).collect(),
        };
        let there = frame.pose.as_ref().map(|newer| {
            let earlier = earlier.pose.as_ref().filter(|_| steady).unwrap_or(newer);
            Between { poses: [Arc::clone(earlier), Arc::clone(newer)], share: t }
        });
        let (selected, surfaces) = (Arc::default(), OnceLock::new());
        Self { frame: Arc::clone(frame), x, there, selected, surfaces }
    }

    /// The same for who draws with this GPU: a window that was opened anew has another one, and knows of
    /// what was left on the last no more than the CPU does.
    #[must_use]
    pub fn seen_by(mut self, lender: Option<&Loan>) -> Self {
        self.there = self.there.filter(|there| there.is_of(lender));
        self
    }

    /// The surface of every body, in the order of the plan; `None` for ropes. Made when somebody asks.
    pub fn surfaces(&self) -> &[Option<TriMesh>] {
        self.surfaces.get_or_init(|| {
            let rows: Vec<Vec4> = self.x.iter().map(|x| x.extend(0.0)).collect();
            let surface = |body: &crate::frame::Shape| {
                let own = rows.get(body.particles.start as usize..body.particles.end as usize)?;
                body.mesh(own)
            };
            self.frame.plan.bodies.iter().map(surface).collect()
        })
    }

    /// Where a particle is (m), if there is one.
    pub fn at(&self, particle: u32) -> Option<Vec3> {
        self.x.get(particle as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn half_way_is_half_way_and_after_a_jump_there_is_no_way() {
        let mut session = Session::quick("hanging-cloth");
        session.step();
        session.step();
        let first = session.shared_frame();
        session.step();
        let second = session.shared_frame();
        let moment = Moment::between(&first, &second, 0.5);
        let middle = |i: usize| (first.rows[i] + second.rows[i]).truncate() / 2.0;
        assert!((0..moment.x.len()).all(|i| moment.x[i].distance(middle(i)) < 1e-6));
        assert!(moment.surfaces()[0].is_some());
        session.step();
        let fourth = {
            session.step();
            session.shared_frame()
        };
        let jump = Moment::between(&first, &fourth, 0.5);
        assert!((0..jump.x.len()).all(|i| jump.x[i] == fourth.rows[i].truncate()));
    }
}
