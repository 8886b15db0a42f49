//! Where the colliders are in a substep, and where none is.

use glam::{Vec3, Vec4};

use super::{Pose, faces};
use crate::collider::Collider;
use crate::mesh::Aabb;
use crate::snapshot::Fnv;
use crate::world::World;

/// Where the colliders are in a substep. Rows belong to colliders.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Where each was when the substep began.
    pub(crate) before: Vec<Pose>,
    /// The box in which each is during the substep; of one without end, everything.
    pub(crate) swept: Vec<Aabb>,
    /// Those that stay where they are.
    pub(crate) standing: Vec<u32>,
    /// The others.
    pub(crate) moving: Vec<u32>,
    /// A number that changes when anything does that stands.
    fingerprint: u64,
}

/// The box that contains everything.
const EVERYTHING: Aabb = Aabb { low: Vec3::NEG_INFINITY, high: Vec3::INFINITY };

/// Moves the colliders through one substep and notes where they pass.
///
/// Balls that were free of what stood there before are forgotten when anything else stands there
/// now. They are a statement about space, whatever particle remembers them: nothing else can make
/// one wrong.
pub(crate) fn advance(world: &mut World) {
    let World { colliders, scratch, particles, h, .. } = world;
    let places = &mut scratch.places;
    places.before.clear();
    places.swept.clear();
    places.standing.clear();
    places.moving.clear();
    faces::begin(&mut scratch.faces);
    scratch.rigids.begin();
    let mut fnv = Fnv::default();
    for (index, collider) in colliders.iter_mut().enumerate() {
        let (still, before) = (collider.is_still(), collider.pose());
        places.before.push(before);
        let bounds = collider.bounds();
        if still {
            places.standing.push(index as u32);
            places.swept.push(bounds.unwrap_or(EVERYTHING));
            note(&mut fnv, collider);
            continue;
        }
        places.moving.push(index as u32);
        collider.advance(*h);
        let swept = bounds.zip(collider.bounds()).map(|(a, b)| {
            let turn = collider.angular_velocity.length() * *h;
            // Corners go along arcs, which are higher than their chords by r φ²/8.
            a.join(b).grown(a.size().length() * turn * turn / 8.0)
        });
        places.swept.push(swept.unwrap_or(EVERYTHING));
    }
    let fingerprint = fnv.finish();
    if fingerprint != places.fingerprint || scratch.free.len() != particles.len() {
        places.fingerprint = fingerprint;
        scratch.free.clear();
        scratch.free.resize(particles.len(), Vec4::ZERO);
    }
}

fn note(fnv: &mut Fnv, collider: &Collider) {
    let Collider { shape, params, data, position, rotation, .. } = collider;
    // The name alone may be that of a shape of someone else.
    let addresses = [std::ptr::from_ref(*shape).addr(), data.address()];
    for address in addresses.map(|address| address as u64) {
        fnv.word(address as u32);
        fnv.word((address >> 32) as u32);
    }
    fnv.floats(params);
    fnv.floats(position.as_ref());
    fnv.floats(rotation.as_ref());
}
