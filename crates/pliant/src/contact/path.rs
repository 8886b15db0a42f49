//! The paths that particles are expected on until the next search, and who has left them.
//!
//! A path is straight, in a frame that moves with the mean of all, and as long as the fastest takes to pass
//! a few edges. Who strays from it by more than it may is looked for again, from where the substep began;
//! when many do, or the paths end, all are.

use glam::{Vec3, Vec4};

use super::State;
use crate::lanes::{Real, V3};
use crate::mesh::Aabb;
use crate::particles::Particles;

/// Share of its path by which a particle may stray from it, more than at rest; of a solid, which has fewer
/// neighbours than a sheet that folds.
const SWERVE: f32 = 0.35;
const SWERVE_SOLID: f32 = 0.7;
/// Share of what it may from which on a particle has strayed, if another has by all of it: soon it will too.
const NEARLY: f32 = 0.5;
/// Share of bodies that have strayed from which on all are looked for.
const MANY: f32 = 0.5;
/// Edges that a particle may pass until the next search; of a solid, which is near few others.
const FARTHEST: f32 = 0.5;
const FARTHEST_SOLID: f32 = 4.0;
/// The path of a particle: where the substep began, and how far it goes until the next search is
/// due. In a frame that moves with the mean of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Path {
    /// Where it begins (m), and how far the particle may stray from it (m).
    pub(crate) from_stray: Vec4,
    /// How far it goes (m).
    pub(crate) by: Vec4,
}

impl Path {
    fn new(from: Vec3, by: Vec3, stray: f32) -> Self {
        Self { from_stray: from.extend(stray), by: by.extend(0.0) }
    }

    pub(crate) fn from(&self) -> Vec3 {
        self.from_stray.truncate()
    }

    pub(crate) fn by(&self) -> Vec3 {
        self.by.truncate()
    }

    pub(crate) fn stray(&self) -> f32 {
        self.from_stray.w
    }
}

/// A path that candidates rely on, in the time of the last search for all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    path: Path,
    /// Where the particle was when it was last looked for (m), in the frame of that search.
    at: Vec3,
}

/// Whose candidates no longer hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    Nobody,
    /// Those of the bodies in [`State::strayed`].
    Strayed,
    All,
}

/// How long the present candidates hold, and on what condition.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Validity {
    /// Substeps that the candidates are for.
    pub(crate) substeps: u32,
    /// Substeps since the search, the one of the search included.
    pub(crate) age: u32,
    /// Length of a substep then (s).
    pub(crate) h: f32,
    /// The mean velocity that paths are relative to (m/s).
    pub(crate) drift: Vec3,
}

impl State {
    /// Finds how far particles have moved since they were last looked for, and whose are farther from
    /// their paths than they may be.
    pub(crate) fn measure(&mut self, x: impl Fn(usize) -> Vec3, bodies: &[u32]) -> Stale {
        let Validity { substeps, age, h, drift } = self.validity;
        if age >= substeps {
            return Stale::All;
        }
        let passed = (age + 1) as f32;
        let per = passed / substeps as f32;
        let carried = drift * (passed * h);
        self.strayed.clear();
        self.strayed.resize(self.elements.shapes.len(), false);
        self.moved.clear();
        let mut is_any = false;
        for (i, &Known { path, at }) in self.known.iter().enumerate() {
            let (now, stray) = (x(i) - carried, path.stray());
            let off = (now - path.from() - path.by() * per).length_squared();
            is_any |= off > stray * stray;
            self.strayed[bodies[i] as usize] |= off > NEARLY * NEARLY * stray * stray;
            self.moved.push((now - at).length_squared());
        }
        if !is_any {
            return Stale::Nobody;
        }
        let count = self.strayed.iter().filter(|&&strayed| strayed).count();
        let all = self.elements.shapes.iter().flatten().count();
        if (count as f32) < MANY * all as f32 { Stale::Strayed } else { Stale::All }
    }

    /// Finds the paths, and how long they are followed.
    pub(super) fn follow(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        particles: &Particles,
        h: f32,
        left: u32,
    ) {
        let shapes = &self.elements.shapes;
        let shape = |i: usize| shapes[particles.body[i] as usize].as_ref();
        let (mut sum, mut count) = (Vec3::ZERO, 0);
        self.paths.clear();
        for i in 0..particles.len() {
            let from = self.start[i].truncate();
            let by = if shape(i).is_some() { x(i) - from } else { Vec3::ZERO };
            self.paths.push(Path::new(from, by, f32::INFINITY));
            if shape(i).is_some() {
                (sum, count) = (sum + by, count + 1);
            }
        }
        let mean = sum / count.max(1) as f32;
        let mut substeps = left as f32;
        for (i, path) in self.paths.iter_mut().enumerate() {
            if let Some(shape) = shape(i) {
                path.by -= mean.extend(0.0);
                let edges = if shape.solid { FARTHEST_SOLID } else { FARTHEST };
                substeps = substeps.min(edges * shape.edge / path.by.length());
            }
        }
        let substeps = (substeps as u32).clamp(1, left.max(1));
        self.paths.iter_mut().for_each(|path| path.by *= substeps as f32);
        self.let_stray(particles, |_| true);
        self.known.clear();
        self.known.extend(self.paths.iter().map(|&path| Known { path, at: path.from() }));
        self.validity = Validity { substeps, age: 0, h, drift: mean / h };
    }

    /// Finds new paths for those that have strayed, as long as the others have; and where these are on
    /// theirs.
    pub(super) fn follow_strayed(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        particles: &Particles,
    ) {
        let Validity { substeps, age, h, drift } = self.validity;
        let (all, passed) = (substeps as f32, age as f32);
        let (carried, left) = (drift * (h * passed), (all - passed) / all);
        let Self { known, start, strayed, paths, .. } = self;
        paths.clear();
        for (i, (known, &body)) in known.iter().zip(&particles.body).enumerate() {
            let from = start[i].truncate();
            let (began, by) = (known.path.from(), known.path.by());
            let off = (from - carried).distance(began + by * (passed / all));
            let by = if strayed[body as usize] { (x(i) - from - drift * h) * all } else { by };
            paths.push(Path::new(from, by * left, known.path.stray() + off));
        }
        let strayed = std::mem::take(&mut self.strayed);
        self.let_stray(particles, |body| strayed[body]);
        for (i, known) in self.known.iter_mut().enumerate() {
            let path = self.paths[i];
            if strayed[particles.body[i] as usize] {
                // Back to where it would have been at the last search for all.
                let (at, by) = (path.from() - carried, path.by() / left);
                let path = Path::new(at - by * (passed / all), by, path.stray());
                *known = Known { path, at };
            }
        }
        self.strayed = strayed;
    }

    /// Says how far particles of some bodies may stray from their paths, and bounds those of all.
    fn let_stray(&mut self, particles: &Particles, of: impl Fn(usize) -> bool) {
        self.elements.let_stray(self.paths.iter().map(|path| path.by.length()), &particles.body);
        self.ways.clear();
        for (path, &body) in self.paths.iter_mut().zip(&particles.body) {
            let shape = self.elements.shapes[body as usize];
            if of(body as usize) {
                let is_solid = shape.is_some_and(|shape| shape.solid);
                let swerve = if is_solid { SWERVE_SOLID } else { SWERVE } * path.by.length();
                path.from_stray.w = shape.map_or(f32::INFINITY, |shape| shape.stray + swerve);
            }
            let way = Aabb::of([path.from(), path.from() + path.by()]);
            self.ways.push(way.grown(if shape.is_some() { path.stray() } else { 0.0 }));
        }
    }
}

/// How far a party moves: its first particle, how much farther another (m), and how far any of them may
/// stray (m).
#[inline(always)]
pub(super) fn motion<R: Real>(by: &[V3<R>], strays: &[R]) -> (V3<R>, R, R) {
    let (first, mut stray) = (by[0], strays[0]);
    let mut turn = stray.lit(0.0);
    for k in 1..by.len() {
        turn = turn.at_least((by[k] - first).length_squared());
        stray = stray.at_least(strays[k]);
    }
    (first, turn.sqrt(), stray)
}

/// Where particles are while constraints move them.
pub(crate) fn place<'a>(
    xw: &'a [Vec4],
    predicted: Option<&'a [Vec4]>,
) -> impl Fn(usize) -> Vec3 + Sync + 'a {
    move |i| (xw[i] + predicted.map_or(Vec4::ZERO, |x| x[i])).truncate()
}

#[cfg(test)]
mod tests {
    use glam::{Quat, UVec3, Vec3};

    use crate::contact::Touch;
    use crate::mesh::Aabb;
    use crate::shapes::TetBox;
    use crate::step;
    use crate::world::{Config, World};

    /// Five blocks that nearly touch each other, in a row, and two far away that hit each other.
    fn row(speed: f32) -> World {
        let mut world = World::new(Config { gravity: Vec3::ZERO, ..Config::default() });
        let block = TetBox { counts: UVec3::splat(4), radius: 0.003, ..TetBox::default() };
        let block = block.blueprint().unwrap().touching(Touch::OTHERS);
        let side = Aabb::of(block.positions.iter().copied()).size().x;
        for k in 0..7 {
            let away = if k < 5 { 0.0 } else { 10.0 };
            let place = Vec3::new((side + 0.007) * k as f32, away, 0.0);
            let id = world.add(&block.clone().placed(Quat::IDENTITY, place)).unwrap();
            let towards = [0.0, 0.0, 0.0, 0.0, 0.0, speed, -speed][k];
            for i in world.body(id).unwrap().range() {
                world.particles.set_velocity(i, Vec3::X * towards);
            }
        }
        world
    }

    #[test]
    fn only_who_strays_is_looked_for_again() {
        let mut world = row(2.0);
        step(&mut world, 1.0 / 60.0).unwrap();
        let report = world.contact_report();
        assert!(report.detections > 1, "{report:?}");
        assert!(report.contacts > 0 && report.deepest_share < 0.02, "{report:?}");
        let contact = &world.contact;
        let far = |patch: &u32| contact.elements.patches[*patch as usize].body > 4;
        assert!(!contact.patch_pairs.is_empty());
        assert!(contact.patch_pairs.iter().all(|pair| pair.iter().all(far)), "only those two");
        let bodies = |ids: [u32; 4]| ids.map(|i| world.particles.body[i as usize]);
        let kept = contact.vertex_face.found.iter().filter(|found| bodies(found.ids)[0] < 4);
        assert!(kept.count() + contact.waiting.len() > 100, "the others keep their candidates");
    }
}
