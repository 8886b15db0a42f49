//! The paths that particles are expected on until the next search, and who has left them.
//!
//! A path is straight, in a frame that moves with the mean of all, and as long as the fastest takes to pass
//! a few edges. Who strays from it by more than it may is looked for again, from where the substep began;
//! when many do, or the paths end, all are. What strays has mostly hit something, so that it stays behind and
//! others will too: sheets may then be anywhere along their paths until the step ends.

use glam::{Vec3, Vec4};

use super::State;
use super::elements::Shape;
use crate::lanes::{Real, V3};
use crate::mesh::Aabb;
use crate::parallel::Pool;
use crate::particles::Particles;

/// Particles that are worth a second thread.
const GRAIN: usize = 1024;

/// How far particles go until the next search, and how far they may stray from their paths: less would
/// search more often, more would find more that never touches.
struct Leeway {
    /// Edges that a particle may pass.
    farthest: f32,
    /// Share of the mean edge by which particles of a body may stray; the less of one that rests, and the
    /// more of one that moves by as much or farther.
    stray: [f32; 2],
    /// Share of its path by which a particle may stray, more than that.
    swerve: f32,
}

/// Of a sheet, which has many neighbours when it folds.
const SHEET: Leeway = Leeway { farthest: 0.5, stray: [0.03, 0.08], swerve: 0.35 };
/// Of a solid, which is near few others.
const SOLID: Leeway = Leeway { farthest: 4.0, stray: [0.03, 0.08], swerve: 0.7 };
/// Of a sheet that may be anywhere along its path.
const HIT: Leeway = Leeway { farthest: 1.5, stray: [0.25, 0.25], swerve: 0.0 };

/// Share of what it may from which on a particle has strayed, if another has by all of it: soon it will too.
const NEARLY: f32 = 0.5;
/// Share of bodies that have strayed from which on all are looked for.
const MANY: f32 = 0.5;
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
    /// The same when pairs were last measured.
    pub(crate) measured: u32,
    /// Length of a substep then (s).
    pub(crate) h: f32,
    /// The mean velocity that paths are relative to (m/s).
    pub(crate) drift: Vec3,
    /// When particles are where on their paths.
    pub(crate) pace: Pace,
}

/// When particles are where on their paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As fast as when they were looked for.
    #[default]
    Steady,
    /// Anywhere, at any time: what hits something stays behind.
    Any,
}

impl Leeway {
    fn of(shape: &Shape, pace: Pace) -> &'static Self {
        match pace {
            _ if shape.solid => &SOLID,
            Pace::Steady => &SHEET,
            Pace::Any => &HIT,
        }
    }
}

impl Pace {
    /// How much nearer two parties come that come so far towards each other (m); at least 0.
    #[inline(always)]
    pub(super) fn nearer<R: Real>(self, [one, other]: [R; 2]) -> R {
        let zero = one.lit(0.0);
        match self {
            Self::Steady => (one + other).at_least(zero),
            Self::Any => one.at_least(zero) + other.at_least(zero),
        }
    }

    /// Which share of its path a particle has come along that is where `way` leads, when it should be `due`.
    fn share(self, way: Vec3, by: Vec3, due: f32) -> f32 {
        match self {
            Self::Steady => due,
            Self::Any => (way.dot(by) / by.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0),
        }
    }
}

impl State {
    /// Finds whose particles are farther from their paths than they may be.
    pub(crate) fn find_strayed(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        bodies: &[u32],
        pool: &Pool,
    ) -> Stale {
        let Validity { substeps, age, h, drift, pace, .. } = self.validity;
        if age >= substeps {
            return Stale::All;
        }
        let passed = (age + 1) as f32;
        let (due, carried) = (passed / substeps as f32, drift * (passed * h));
        let known = &self.known;
        let off = |i: usize| {
            let (way, by) = (x(i) - carried - known[i].from(), known[i].by());
            (way - by * pace.share(way, by, due)).length_squared()
        };
        let has_strayed = |i: usize| off(i) > known[i].stray() * known[i].stray();
        if pool.all(known.len(), GRAIN, |mut range| !range.any(has_strayed)) {
            return Stale::Nobody;
        }
        self.strayed.clear();
        self.strayed.resize(self.elements.shapes.len(), false);
        for (i, path) in known.iter().enumerate() {
            self.strayed[bodies[i] as usize] |= off(i) > (NEARLY * path.stray()).powi(2);
        }
        let count = self.strayed.iter().filter(|&&strayed| strayed).count();
        let all = self.elements.shapes.iter().flatten().count();
        let few = (count as f32) < MANY * all as f32 && pace == Pace::Steady;
        if few { Stale::Strayed } else { Stale::All }
    }

    /// How particles will follow their paths after a search for all: if it comes before these end, sheets
    /// have hit something. Bodies that are solid are mostly looked for one by one, which needs their time.
    pub(super) fn next_pace(&self) -> Pace {
        let hit = self.validity.age < self.validity.substeps;
        let sheets = self.elements.shapes.iter().flatten().all(|shape| !shape.solid);
        if hit && sheets { Pace::Any } else { Pace::Steady }
    }

    /// Finds the paths, and how long they are followed.
    pub(super) fn follow(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        particles: &Particles,
        (h, left): (f32, u32),
        pace: Pace,
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
        let mean = if pace == Pace::Steady { sum / count.max(1) as f32 } else { Vec3::ZERO };
        let mut substeps = left as f32;
        for (i, path) in self.paths.iter_mut().enumerate() {
            if let Some(shape) = shape(i) {
                path.by -= mean.extend(0.0);
                let farthest = Leeway::of(shape, pace).farthest * shape.edge;
                substeps = substeps.min(farthest / path.by.length());
            }
        }
        let substeps = (substeps as u32).clamp(1, left.max(1));
        self.paths.iter_mut().for_each(|path| path.by *= substeps as f32);
        let drift = mean / h;
        self.validity = Validity { substeps, age: 0, measured: 0, h, drift, pace };
        self.let_stray(particles, |_| true);
        self.known.clone_from(&self.paths);
    }

    /// Finds new paths for those that have strayed, as long as the others have; and where these are on
    /// theirs.
    pub(super) fn follow_strayed(
        &mut self,
        x: &(impl Fn(usize) -> Vec3 + Sync),
        particles: &Particles,
    ) {
        let Validity { substeps, age, h, drift, .. } = self.validity;
        let (all, passed) = (substeps as f32, age as f32);
        let (carried, left) = (drift * (h * passed), (all - passed) / all);
        let Self { known, start, strayed, paths, .. } = self;
        paths.clear();
        for (i, (known, &body)) in known.iter().zip(&particles.body).enumerate() {
            let from = start[i].truncate();
            let (began, by) = (known.from(), known.by());
            let off = (from - carried).distance(began + by * (passed / all));
            let by = if strayed[body as usize] { (x(i) - from - drift * h) * all } else { by };
            paths.push(Path::new(from, by * left, known.stray() + off));
        }
        let strayed = std::mem::take(&mut self.strayed);
        self.let_stray(particles, |body| strayed[body]);
        for (i, known) in self.known.iter_mut().enumerate() {
            let path = self.paths[i];
            if strayed[particles.body[i] as usize] {
                // Back to where it would have been at the last search for all.
                let (at, by) = (path.from() - carried, path.by() / left);
                *known = Path::new(at - by * (passed / all), by, path.stray());
            }
        }
        self.strayed = strayed;
    }

    /// Says how far particles of some bodies may stray from their paths, and bounds those of all.
    fn let_stray(&mut self, particles: &Particles, of: impl Fn(usize) -> bool) {
        let Self { elements, paths, ways, validity, .. } = self;
        let leeway = |shape: &Shape| Leeway::of(shape, validity.pace);
        let shapes = &mut elements.shapes;
        for shape in shapes.iter_mut().flatten() {
            shape.stray = leeway(shape).stray[0] * shape.edge;
        }
        for (path, &body) in paths.iter().zip(&particles.body) {
            if let Some(shape) = &mut shapes[body as usize] {
                let most = leeway(shape).stray[1] * shape.edge;
                shape.stray = shape.stray.max(path.by.length().min(most));
            }
        }
        ways.clear();
        for (path, &body) in paths.iter_mut().zip(&particles.body) {
            let shape = shapes[body as usize].as_ref();
            if of(body as usize) {
                let stray = |shape: &Shape| shape.stray + leeway(shape).swerve * path.by.length();
                path.from_stray.w = shape.map_or(f32::INFINITY, stray);
            }
            let way = Aabb::of([path.from(), path.from() + path.by()]);
            ways.push(way.grown(if shape.is_some() { path.stray() } else { 0.0 }));
        }
    }
}

/// How two parties move until the next search.
#[derive(Clone, Copy)]
pub(crate) struct Approach<R> {
    /// How far the first particle of each goes (m).
    pub(super) by: [V3<R>; 2],
    pub(super) pace: Pace,
}

impl<R: Real> Approach<R> {
    /// How much farther the first comes from the second along `n`, times the length of `n`; at most 0.
    #[inline(always)]
    pub(super) fn along(&self, n: V3<R>) -> R {
        -self.pace.nearer([-self.by[0].dot(n), self.by[1].dot(n)])
    }

    /// How far they come, against each other, at most (m).
    #[inline(always)]
    pub(super) fn length(&self) -> R {
        match self.pace {
            Pace::Steady => (self.by[0] - self.by[1]).length(),
            Pace::Any => self.by[0].length() + self.by[1].length(),
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
        let config = Config { gravity: Vec3::ZERO, iterations: 2, ..Config::default() };
        let mut world = World::new(config);
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
        assert!(kept.count() + contact.waiting() > 100, "the others keep their candidates");
    }
}
