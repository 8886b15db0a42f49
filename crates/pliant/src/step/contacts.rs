//! Where do particles and triangles touch colliders, and how are they kept apart?
//!
//! WGSL twin: `contacts.wgsl`, and those of the files below

use glam::{Vec3, Vec4};

use crate::collider::{Collider, Pose, Way, rotate};
use crate::mesh::Aabb;
use crate::world::{Precision, World};

pub mod buffers;
mod faces;
mod places;
pub(crate) mod response;
pub(crate) mod rigid;

pub(crate) use faces::Faces;
pub(crate) use places::{Places, advance};
pub(crate) use rigid::Rigids;

pub(crate) const WGSL: &str = include_str!("contacts.wgsl");

/// Particles that are worth a second thread.
const GRAIN: usize = 512;
/// Crossings of one collider that are undone in a row: a particle may run from one face of a mesh
/// into the next.
const MOST_CROSSINGS: u32 = 3;

/// What a particle touched in this substep: of several colliders, the one that pushed most.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Contact {
    /// Out of the collider, unit length.
    pub(crate) normal: Vec3,
    /// How far the collider has pushed the particle in this substep (m); 0 for no contact.
    pub(crate) depth: f32,
    /// The collider, as an index.
    pub(crate) collider: u32,
    /// What rounding added to the pushes of all colliders (m). With short substeps a push of g h² is
    /// a few units in the last place of a position; what is added to it would be taken for a velocity.
    pub(crate) rounded: Vec3,
}

impl Contact {
    /// Whether anything was touched.
    pub(crate) fn is_any(&self) -> bool {
        self.depth > 0.0 || self.rounded != Vec3::ZERO
    }

    fn add(&mut self, other: Self) {
        let rounded = self.rounded;
        if other.collider == self.collider && self.depth > 0.0 {
            *self = Self { depth: self.depth + other.depth, rounded, ..other };
        } else if other.depth > self.depth {
            *self = Self { rounded, ..other };
        }
    }
}

/// Looks at what the bodies are made of.
pub(crate) fn prepare(world: &mut World) {
    faces::prepare(world);
    rigid::prepare(world);
}

/// Moves every particle out of every collider that it is in or has passed through, then every
/// triangle off the edges and corners that are between its particles, then every rigid body as a
/// whole.
///
/// Most particles are far from everything. Each remembers a ball into which no collider that stands
/// reaches ([`Places::free`]); as long as it is in there, nothing is computed.
pub(crate) fn project(world: &mut World) {
    let World { particles, colliders, scratch, config, h, .. } = world;
    if colliders.is_empty() {
        return;
    }
    let scene = Scene { colliders, places: &scratch.places, slack: config.max_depenetration * *h };
    let carried = config.precision == Precision::Carried;
    let (predicted, v, drift) = (&particles.predicted, &particles.v, &scratch.drift);
    let (radius, phase, rigids) = (&particles.radius, &particles.phase, &scratch.rigids);
    let columns =
        (particles.xw.as_mut_slice(), scratch.contacts.as_mut_slice(), scratch.free.as_mut_slice());
    scratch.pool.for_uneven_rows(columns, GRAIN, |first, (xw, contacts, free)| {
        for i in 0..xw.len() {
            let n = first + i;
            let offset = if carried { predicted[n] } else { Vec4::ZERO };
            let x = (xw[i] + offset).truncate();
            let safe = is_within(free[i], x, radius[n]);
            if xw[i].w <= 0.0 || (safe && scene.places.moving.is_empty()) {
                continue;
            }
            let drift = drift.get(n).copied().unwrap_or(Vec4::ZERO);
            let start = (predicted[n] - v[n] * *h - drift).truncate();
            let (radius, phase) = (radius[n], phase[n]);
            let mut passage = Passage { start, x, pushed: Vec3::ZERO, radius, phase };
            let contact = &mut contacts[i];
            if !safe {
                free[i] = scene.meet_standing(&mut passage, contact);
            }
            for &index in &scene.places.moving {
                scene.meet(index as usize, &mut passage, contact);
            }
            if !rigids.has(n) {
                let row = xw[i];
                xw[i] += (passage.x - x).extend(0.0);
                contact.rounded += (xw[i] - row).truncate() - passage.pushed;
            }
        }
    });
    faces::project(world);
    rigid::project(world);
}

/// Friction and restitution of what touches with more than a particle.
pub(crate) fn update(world: &mut World) {
    response::update(world);
    rigid::update(world);
}

/// Whether a particle is inside a ball (centre and radius), with some room for rounding.
fn is_within(ball: Vec4, x: Vec3, radius: f32) -> bool {
    let room = 0.999 * ball.w - radius;
    room > 0.0 && ball.truncate().distance_squared(x) < room * room
}

/// The way of a particle through a substep.
struct Passage {
    start: Vec3,
    x: Vec3,
    /// By how much colliders moved it, before rounding.
    pushed: Vec3,
    radius: f32,
    phase: u32,
}

/// What particles meet.
#[derive(Clone, Copy)]
struct Scene<'a> {
    colliders: &'a [Collider],
    places: &'a Places,
    /// How much farther a particle that began inside comes out in a substep (m).
    slack: f32,
}

impl Scene<'_> {
    /// Keeps a particle out of all that stands. Returns a ball around it that is free, if it touches
    /// nothing.
    fn meet_standing(&self, passage: &mut Passage, contact: &mut Contact) -> Vec4 {
        let x = passage.x;
        let mut nearest = f32::MAX;
        let mut touched = 0;
        for &index in &self.places.standing {
            let before = passage.x;
            nearest = nearest.min(self.meet(index as usize, passage, contact));
            touched += u32::from(passage.x != before);
        }
        // What one collider pushed out another may have pushed in.
        if touched > 1 {
            for &index in &self.places.standing {
                self.meet(index as usize, passage, contact);
            }
        }
        if contact.depth > 0.0 { Vec4::ZERO } else { x.extend(nearest) }
    }

    /// Keeps a particle out of one collider. Returns how far that was at least (m), 0 inside.
    fn meet(&self, index: usize, passage: &mut Passage, contact: &mut Contact) -> f32 {
        let collider = &self.colliders[index];
        let Passage { start, x, radius, phase, .. } = *passage;
        let bounds = &self.places.swept[index];
        if !Aabb::of([start, x]).grown(radius).overlaps(bounds) {
            return bounds.distance_squared(x).sqrt();
        }
        let way = [self.places.before[index].local(start), collider.pose().local(x)];
        let (distance, normal) = (collider.shape.signed_distance)(way[1], collider);
        let clear = (distance / collider.shape.slope).max(0.0);
        if collider.phases & phase == 0 || clear > radius + way[0].distance(way[1]) {
            return clear;
        }
        let (mut to, mut near) = (way[1], (distance, normal));
        let mut push = |to: &mut Vec3, normal: Vec3, depth: f32| {
            *to += normal * depth;
            let normal = rotate(collider.rotation, normal);
            passage.x += normal * depth;
            passage.pushed += normal * depth;
            contact.add(Contact { normal, depth, collider: index as u32, rounded: Vec3::ZERO });
        };
        // What is as thick as the way is long cannot be passed through: the nearest side is right.
        if way[0].distance(way[1]) > 0.5 * (collider.shape.thickness)(collider) {
            for _ in 0..MOST_CROSSINGS {
                let way = Way { from: way[0], to, level: 0.5 * radius };
                let Some(crossing) = (collider.shape.crossing)(collider, way) else { break };
                let depth = crossing.normal.dot(crossing.point - to) + radius - crossing.distance;
                if depth <= 0.0 {
                    break;
                }
                push(&mut to, crossing.normal, depth);
                near = (collider.shape.signed_distance)(to, collider);
            }
        }
        let (distance, normal) = near;
        // What began inside comes out slowly; what came in goes out at once.
        let came_in = normal.dot(way[0] - to).max(0.0);
        let depth = (radius - distance).min(came_in + self.slack);
        if depth > 0.0 {
            push(&mut to, normal, depth);
        }
        clear
    }
}

#[cfg(test)]
mod tests;
