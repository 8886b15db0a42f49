//! The state that a step moves: one array per quantity.

use glam::{Vec3, Vec4};

/// Particles, one array per quantity; index `i` is the same particle in each.
///
/// The layout is the GPU's layout, byte for byte: an upload is a copy.
#[derive(Clone, Debug, Default)]
pub struct Particles {
    /// Position (m) from the world's origin in `xyz`, inverse mass (1/kg) in `w`. An inverse mass
    /// of 0 holds the particle: it moves with its velocity, whatever pulls at it. Within a substep
    /// of carried precision, `xyz` is the displacement from `predicted`.
    pub xw: Vec<Vec4>,
    /// Position at which the substep would have left the particle, had nothing held it; `w` is 0.
    ///
    /// The start of the substep is `predicted − h v`. Velocity is corrected by `x − predicted`
    /// rather than set to `(x − start)/h`: in single precision the latter loses gravity, since
    /// g h² vanishes beside x (at 10 m, with 100 substeps, nothing falls).
    pub predicted: Vec<Vec4>,
    /// Velocity (m/s) in `xyz`; `w` is padding and stays 0.
    pub v: Vec<Vec4>,
    /// Inverse mass (1/kg) of the particle when nothing holds it.
    pub inverse_mass: Vec<f32>,
    /// Distance that colliders keep from the particle (m).
    pub radius: Vec<f32>,
    /// Bits that say which colliders the particle meets.
    pub phase: Vec<u32>,
    /// Whether the particle is pinned: it stays where it is until unpinned.
    pub pinned: Vec<bool>,
    /// Whether nothing is there: the corner of an element that was cut, beyond its material. Other
    /// bodies do not touch it; colliders do, so that what is left of the element stays outside.
    pub hollow: Vec<bool>,
    /// The body it belongs to, as an index into the world's list of bodies.
    pub body: Vec<u32>,
    /// Where it was when its body was added (m), at rest; `w` is 0.
    pub rest: Vec<Vec4>,
    /// A number that it keeps while others come and go and indices change; see [`Self::find`].
    pub name: Vec<u32>,
    /// The first number that no particle has had.
    pub(crate) next_name: u32,
}

impl Particles {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.xw.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.xw.is_empty()
    }

    /// Where particle `i` is (m).
    pub fn position(&self, i: usize) -> Vec3 {
        self.xw[i].truncate()
    }

    /// How fast particle `i` moves (m/s).
    pub fn velocity(&self, i: usize) -> Vec3 {
        self.v[i].truncate()
    }

    /// Moves particle `i` to `x` (m) and leaves its velocity.
    pub fn set_position(&mut self, i: usize, x: Vec3) {
        self.xw[i] = x.extend(self.xw[i].w);
    }

    /// Sets the velocity of particle `i` (m/s). A pinned particle moves with it.
    pub fn set_velocity(&mut self, i: usize, v: Vec3) {
        self.v[i] = v.extend(0.0);
    }

    /// Holds particle `i` where it is, from now on.
    pub fn pin(&mut self, i: usize) {
        self.pinned[i] = true;
        self.xw[i].w = 0.0;
        self.v[i] = Vec4::ZERO;
    }

    /// Lets particle `i` go.
    pub fn unpin(&mut self, i: usize) {
        self.pinned[i] = false;
        self.xw[i].w = self.inverse_mass[i];
    }

    /// The present indices of particles by name, of those that are still there.
    pub fn find(&self, names: &[u32]) -> Vec<u32> {
        // Until something is cut or removed, a name is an index.
        if names.iter().all(|&name| self.name.get(name as usize) == Some(&name)) {
            return names.to_vec();
        }
        let mut index: Vec<(u32, u32)> = self.name.iter().copied().zip(0..).collect();
        index.sort_unstable();
        let find = |name: &u32| index.binary_search_by_key(name, |&(name, _)| name).ok();
        names.iter().filter_map(find).map(|place| index[place].1).collect()
    }

    /// Gives particle `i` a number that none has had.
    pub(crate) fn rename(&mut self, i: usize) {
        self.name[i] = self.next_name;
        self.next_name += 1;
    }

    /// Adds a particle at rest.
    pub(crate) fn push(&mut self, new: Particle) {
        let Particle { position, mass, radius, phase, body } = new;
        let w = 1.0 / mass;
        self.xw.push(position.extend(w));
        self.predicted.push(position.extend(0.0));
        self.v.push(Vec4::ZERO);
        self.inverse_mass.push(w);
        self.radius.push(radius);
        self.phase.push(phase);
        self.pinned.push(false);
        self.hollow.push(false);
        self.body.push(body);
        self.rest.push(position.extend(0.0));
        self.name.push(self.next_name);
        self.next_name += 1;
    }

    /// Puts the particles in the order of `from`, which may leave some out and name some twice.
    pub(crate) fn select(&mut self, from: &[u32]) {
        self.refill(from, 0);
    }

    /// Adds particles that are like some of those that there are.
    pub(crate) fn copy(&mut self, like: &[u32]) {
        self.refill(like, self.len());
    }

    /// Keeps the first `kept` particles, and puts those of `from` behind them.
    fn refill(&mut self, from: &[u32], kept: usize) {
        fn pick<T: Copy>(column: &mut Vec<T>, from: &[u32], kept: usize) {
            let picked: Vec<T> = from.iter().map(|&i| column[i as usize]).collect();
            if kept == 0 {
                *column = picked;
            } else {
                column.truncate(kept);
                column.extend(picked);
            }
        }
        let Self { xw, predicted, v, inverse_mass, radius, phase, .. } = self;
        let Self { pinned, hollow, body, rest, name, .. } = self;
        [xw, predicted, v, rest].into_iter().for_each(|column| pick(column, from, kept));
        [inverse_mass, radius].into_iter().for_each(|column| pick(column, from, kept));
        [phase, body, name].into_iter().for_each(|column| pick(column, from, kept));
        [pinned, hollow].into_iter().for_each(|column| pick(column, from, kept));
    }

    /// Leaves particle `i` a share of its mass.
    pub(crate) fn scale_mass(&mut self, i: usize, share: f64) {
        let w = (f64::from(self.inverse_mass[i]) / share) as f32;
        self.inverse_mass[i] = w;
        self.xw[i].w = if self.xw[i].w > 0.0 { w } else { 0.0 };
    }

    /// Where particles that become one are together (m), and how fast (m/s): the means by mass, or what
    /// the first has that is pinned.
    pub(crate) fn merged(&self, group: &[u32]) -> (Vec3, Vec3) {
        if let Some(&i) = group.iter().find(|&&i| self.pinned[i as usize]) {
            return (self.position(i as usize), self.velocity(i as usize));
        }
        let mean = |of: &dyn Fn(usize) -> Vec3| {
            let (mut sum, mut whole) = (glam::DVec3::ZERO, 0.0);
            for i in group.iter().map(|&i| i as usize) {
                let mass = 1.0 / f64::from(self.inverse_mass[i]);
                (sum, whole) = (sum + of(i).as_dvec3() * mass, whole + mass);
            }
            (sum / whole).as_vec3()
        };
        (mean(&|i| self.position(i)), mean(&|i| self.velocity(i)))
    }

    /// The inverse mass that particle `i` has while `held` by its body or not.
    pub(crate) fn weight(&self, i: usize, held: Held) -> f32 {
        match held {
            Held::No if !self.pinned[i] => self.inverse_mass[i],
            _ => 0.0,
        }
    }
}

/// Whether a body's particles are kept from moving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    No,
    Yes,
}

/// A particle to be added.
pub(crate) struct Particle {
    pub(crate) position: Vec3,
    pub(crate) mass: f32,
    pub(crate) radius: f32,
    pub(crate) phase: u32,
    pub(crate) body: u32,
}
