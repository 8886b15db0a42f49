//! How colliders move: steadily, by keyframes, or after a target.

use glam::{Quat, Vec3};

use super::{Collider, Pose, length, place};
use crate::error::WorldError;

/// What sets the velocity of a collider, and with it the place.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Motion {
    /// The velocities it has been given; with none, it stands.
    #[default]
    Steady,
    /// Keyframes.
    Track(Track),
    /// A target that it follows.
    Drag(Drag),
}

/// A place at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// When (s), counted from when the track began.
    pub time: f32,
    /// Where (m).
    pub position: Vec3,
    /// How it is turned.
    pub rotation: Quat,
}

/// What is between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// A straight line at constant speed, and a turn about one axis.
    #[default]
    Linear,
    /// A curve whose velocity has no jumps: cubic, with the slope at a key from its neighbours
    /// (Catmull and Rom 1974).
    Smooth,
}

/// What follows the last key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// It stays there.
    #[default]
    Stop,
    /// The first again. The last key should be the same pose, or it jumps.
    Repeat,
}

/// Keyframes, and where in them a collider is.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    keys: Vec<Key>,
    blend: Blend,
    end: End,
    /// Time since the track began (s).
    pub clock: f64,
}

impl Track {
    /// A track that begins now. The order of keys is that of their times.
    ///
    /// # Errors
    /// If there are no keys, times do not grow, a number is not finite, or a rotation is none.
    pub fn new(keys: &[Key], blend: Blend, end: End) -> Result<Self, WorldError> {
        if keys.is_empty() {
            let (kind, what) = ("track", "keys");
            return Err(WorldError::WrongCount { kind, what, expected: 1, found: 0 });
        }
        let mut checked: Vec<Key> = Vec::new();
        for &Key { time, position, rotation } in keys {
            let after = checked.last().is_none_or(|key| time > key.time);
            if !(time.is_finite() && after) {
                let (what, needs) =
                    ("time of a key", "finite, and later than that of the key before");
                return Err(WorldError::BadNumber { what, value: time, needs });
            }
            place("position of a key", position)?;
            let size = dot(rotation, rotation);
            if !(size > 1e-12 && size.is_finite()) {
                let (what, needs) = ("rotation of a key", "a quaternion that is not 0");
                return Err(WorldError::BadNumber { what, value: size, needs });
            }
            // The shorter way round from the key before.
            let turned = unit(rotation);
            let long = checked.last().is_some_and(|key| dot(key.rotation, turned) < 0.0);
            let rotation = if long { -turned } else { turned };
            checked.push(Key { time, position, rotation });
        }
        Ok(Self { keys: checked, blend, end, clock: 0.0 })
    }

    /// A track as it was, bit for bit; `None` if it cannot have been one.
    pub(crate) fn restored(keys: Vec<Key>, blend: Blend, end: End, clock: f64) -> Option<Self> {
        Self::new(&keys, blend, end).ok().filter(|_| clock.is_finite())?;
        Some(Self { keys, blend, end, clock })
    }

    /// The keys.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// What is between them.
    pub fn blend(&self) -> Blend {
        self.blend
    }

    /// What follows the last.
    pub fn end(&self) -> End {
        self.end
    }

    /// The pose at the present clock.
    pub(crate) fn pose(&self) -> Pose {
        let (first, last) = (&self.keys[0], &self.keys[self.keys.len() - 1]);
        let (start, length) = (f64::from(first.time), f64::from(last.time - first.time));
        let since = self.clock - start;
        let wrapped = match self.end {
            // Not `rem_euclid`, whose rounding may give the length itself.
            End::Repeat if length > 0.0 => since - length * libm::floor(since / length),
            _ => since,
        };
        let t = (start + wrapped.clamp(0.0, length)) as f32;
        let next = self.keys.partition_point(|key| key.time <= t);
        if next == 0 || next == self.keys.len() {
            let key = if next == 0 { first } else { last };
            return Pose { position: key.position, rotation: key.rotation };
        }
        self.between(next - 1, t)
    }

    /// The pose between key `k` and the next.
    fn between(&self, k: usize, t: f32) -> Pose {
        let [a, b] = [self.keys[k], self.keys[k + 1]];
        let span = b.time - a.time;
        let s = (t - a.time) / span;
        if self.blend == Blend::Linear {
            let position = a.position + (b.position - a.position) * s;
            return Pose { position, rotation: slerp(a.rotation, b.rotation, s) };
        }
        let [from, to] = [self.slope(k), self.slope(k + 1)];
        // Hermite's cubics.
        let (s2, s3) = (s * s, s * s * s);
        let weights = [2.0 * s3 - 3.0 * s2 + 1.0, 3.0 * s2 - 2.0 * s3, s3 - 2.0 * s2 + s, s3 - s2];
        let [ga, gb, ma, mb] = [weights[0], weights[1], weights[2] * span, weights[3] * span];
        let position = a.position * ga + b.position * gb + from.0 * ma + to.0 * mb;
        let turn = scaled(a.rotation, ga) + scaled(b.rotation, gb) + scaled(from.1, ma);
        Pose { position, rotation: unit(turn + scaled(to.1, mb)) }
    }

    /// The slope of position and rotation at a key (1/s): from its neighbours, across the end of a
    /// track that repeats, and none at the ends of one that stops.
    fn slope(&self, k: usize) -> (Vec3, Quat) {
        let last = self.keys.len() - 1;
        let (before, after) = match k {
            _ if k > 0 && k < last => (k - 1, k + 1),
            _ if self.end == End::Repeat && last > 1 => (last - 1, 1),
            _ => return (Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
        };
        let [a, b] = [self.keys[before], self.keys[after]];
        let wrap = if k > 0 && k < last { 0.0 } else { self.keys[last].time - self.keys[0].time };
        let per_second = 1.0 / (b.time - a.time + wrap);
        // The two may have come to opposite signs, which is the same rotation.
        let here = self.keys[k].rotation;
        let near = |q: Quat| if dot(q, here) < 0.0 { -q } else { q };
        let turn = near(b.rotation) + scaled(near(a.rotation), -1.0);
        ((b.position - a.position) * per_second, scaled(turn, per_second))
    }
}

/// A target that a collider follows, as if pulled by hand.
///
/// It closes the gap to the target as e^(−t/τ) with τ = 1/30 s, no faster than it may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Where it is to go (m).
    pub target: Vec3,
    /// How it is to be turned.
    pub rotation: Quat,
    /// Fastest that it goes (m/s).
    pub max_speed: f32,
    /// Fastest that it turns (rad/s).
    pub max_spin: f32,
}

impl Drag {
    /// To a place (m), no faster than `max_speed` (m/s) and one turn in a second.
    ///
    /// # Errors
    /// If the speed is not positive, or a number is not finite.
    pub fn to(target: Vec3, max_speed: f32) -> Result<Self, WorldError> {
        place("target of a drag", target)?;
        length("speed of a drag", max_speed)?;
        Ok(Self { target, rotation: Quat::IDENTITY, max_speed, max_spin: std::f32::consts::TAU })
    }
}

/// Time in which a dragged collider closes all but 1/e of the gap (s): two frames.
const LAG: f32 = 1.0 / 30.0;

impl Collider {
    /// The same, moved in another way. On a track, it is where the track is now.
    #[must_use]
    pub fn moved(mut self, motion: Motion) -> Self {
        if let Motion::Track(track) = &motion {
            Pose { position: self.position, rotation: self.rotation } = track.pose();
        }
        self.motion = motion;
        self
    }

    /// Where a point `x` (m) that is fixed to it will be in `seconds`, more than 0, if nobody changes
    /// its motion.
    pub fn carry(&self, x: Vec3, seconds: f32) -> Vec3 {
        let mut later = self.clone();
        later.advance(seconds);
        later.pose().world(self.pose().local(x))
    }

    /// Moves for `h` seconds, and sets the velocities that take it there.
    pub(crate) fn advance(&mut self, h: f32) {
        let before = self.pose();
        match &mut self.motion {
            Motion::Steady => {}
            Motion::Track(track) => {
                track.clock += f64::from(h);
                let after = track.pose();
                self.velocity = (after.position - before.position) / h;
                self.angular_velocity = spin(before.rotation, after.rotation) / h;
                (self.position, self.rotation) = (after.position, after.rotation);
                return;
            }
            Motion::Drag(Drag { target, rotation, max_speed, max_spin }) => {
                let share = (1.0 - libm::expf(-h / LAG)) / h;
                self.velocity = ((*target - before.position) * share).clamp_length_max(*max_speed);
                let turn = spin(before.rotation, *rotation) * share;
                self.angular_velocity = turn.clamp_length_max(*max_spin);
            }
        }
        self.position += self.velocity * h;
        if self.angular_velocity != Vec3::ZERO {
            let turn = turn_by(self.angular_velocity * h);
            self.rotation = unit(product(turn, self.rotation));
        }
    }
}

/// The rotation by a vector: about its direction, by its length (rad).
pub(crate) fn turn_by(vector: Vec3) -> Quat {
    let angle = vector.length();
    let (sine, cosine) = (libm::sinf(angle / 2.0), libm::cosf(angle / 2.0));
    let [x, y, z] = (vector.normalize_or_zero() * sine).to_array();
    Quat::from_xyzw(x, y, z, cosine)
}

/// The vector of the rotation that takes one to the other the shorter way (rad).
pub(crate) fn spin(from: Quat, to: Quat) -> Vec3 {
    let turn = product(to, from.conjugate());
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let axis = Vec3::new(turn.x, turn.y, turn.z);
    let sine = axis.length();
    axis.normalize_or_zero() * (2.0 * libm::atan2f(sine, turn.w))
}

/// First `b`, then `a`, in an order of operations that is the same on every machine.
pub(crate) fn product(a: Quat, b: Quat) -> Quat {
    Quat::from_xyzw(
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    )
}

fn scaled(q: Quat, factor: f32) -> Quat {
    Quat::from_xyzw(q.x * factor, q.y * factor, q.z * factor, q.w * factor)
}

fn dot(a: Quat, b: Quat) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w
}

/// The same rotation with a length of 1; of nothing, no rotation.
pub(crate) fn unit(q: Quat) -> Quat {
    let size = dot(q, q);
    if size > 0.0 && size.is_finite() { scaled(q, 1.0 / size.sqrt()) } else { Quat::IDENTITY }
}

/// The share `s` of the way from `a` to `b`, at constant speed (Shoemake 1985).
fn slerp(a: Quat, b: Quat, s: f32) -> Quat {
    unit(product(turn_by(spin(a, b) * s), a))
}
