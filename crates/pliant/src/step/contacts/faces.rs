//! Triangles against edges and corners that are between their particles. WGSL twin: `faces.wgsl`

use glam::{Vec3, Vec4};

use super::{Contact, Places, is_within};
use crate::collider::{Collider, rotate};
use crate::coloring::{Links, first_fit};
use crate::mesh::Aabb;
use crate::mesh::sdf::closest_point;
use crate::world::{Precision, World};

/// Triangles that are worth a second thread.
const GRAIN: usize = 128;
/// Most looks at the distance that find the deepest point of a triangle.
const LOOKS: u32 = 16;
/// The shortest of its steps, as a share of the longest side.
const FINEST: f32 = 0.01;
/// A weight of more than this is a corner, which is a particle that is kept out by itself.
const CORNER: f32 = 0.999;

/// What triangles touch.
#[derive(Debug, Default)]
pub(crate) struct Faces {
    /// One for each triangle; `None` for most.
    found: Vec<Option<Found>>,
    /// The longest side of a triangle when the step began (m); 0 where no collider is sharp.
    pub(super) longest: f32,
    /// Triangles colour by colour: the order in which they are pushed, here and on a GPU.
    pub(super) order: Vec<u32>,
    /// Where each colour ends in that order. No two triangles of a colour share a particle.
    pub(super) ends: Vec<u32>,
    /// The triangles that have that order.
    ordered: Vec<[u32; 3]>,
    /// What was pushed in this substep.
    pub(crate) touches: Vec<Touch>,
}

/// Where a triangle is deepest in a collider.
#[derive(Clone, Copy, Debug)]
struct Found {
    weights: [f32; 3],
    normal: Vec3,
    /// Distance of the deepest point from the surface, less the radius (m): negative.
    gap: f32,
    /// The deepest point (m).
    point: Vec3,
    collider: u32,
}

/// A triangle that was pushed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) corners: [u32; 3],
    /// Of the corners in the point that touches.
    pub(crate) weights: [f32; 3],
    /// How far that point was pushed, and by what.
    pub(crate) contact: Contact,
    /// Velocity of that point before the solver (m/s).
    pub(crate) before: Vec3,
    /// Where that point was when the substep began (m).
    pub(crate) start: Vec3,
    /// Distance that it keeps (m).
    pub(crate) radius: f32,
}

/// How much longer a side may be at the end of a step than it was at its start.
const STRETCH: f32 = 1.25;

/// Measures the triangles.
pub(super) fn prepare(world: &mut World) {
    let World { particles, colliders, scratch, triangles, .. } = world;
    let sharp = colliders.iter().any(|of| (of.shape.roundness)(of).is_finite());
    let squares = triangles.iter().filter(|_| sharp).map(|&[a, b, c]| {
        let [a, b, c] = [a, b, c].map(|i| particles.position(i as usize));
        a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a))
    });
    scratch.faces.touches.clear();
    // Room for every triangle, so that a step allocates nothing.
    scratch.faces.touches.reserve(if sharp { triangles.len() } else { 0 });
    scratch.faces.longest = squares.fold(0.0, f32::max).sqrt();
    if sharp && scratch.faces.ordered != *triangles {
        scratch.faces.sort(triangles, particles.len());
    }
}

impl Faces {
    /// Orders triangles by colour.
    fn sort(&mut self, triangles: &[[u32; 3]], particle_count: usize) {
        let links = Links::new(triangles.as_flattened(), 3, particle_count);
        let colors = first_fit::ALGORITHM.color_links(&links);
        self.order.clear();
        self.order.extend(0..triangles.len() as u32);
        self.order.sort_by_key(|&number| colors[number as usize]);
        let ends = self.order.chunk_by(|&a, &b| colors[a as usize] == colors[b as usize]);
        let ends = ends.scan(0, |end, same| {
            *end += same.len() as u32;
            Some(*end)
        });
        self.ends = ends.collect();
        self.ordered.clear();
        self.ordered.extend_from_slice(triangles);
    }
}

/// Forgets what was touched in the substep before.
pub(crate) fn begin(faces: &mut Faces) {
    faces.touches.clear();
}

/// Pushes triangles off what is between their particles.
///
/// For each triangle that is near something sharp, the point that is deepest in its distance is
/// searched on all threads (Macklin et al. 2020, "Local Optimization for Robust Signed Distance
/// Field Collision"); then those that are too near, few, are pushed one after the other, colour by
/// colour:
///
/// ```text
/// C = n·(Σ bₖ xₖ − p) + gap,     Δxₖ = −C wₖ bₖ n / Σ wₖ bₖ²
/// ```
pub(super) fn project(world: &mut World) {
    let World { colliders, scratch, .. } = world;
    let longest = STRETCH * scratch.faces.longest;
    if colliders.iter().all(|of| (of.shape.roundness)(of) >= longest) {
        return;
    }
    find(world);
    push(world);
}

fn find(world: &mut World) {
    let World { particles, colliders, scratch, triangles, config, .. } = world;
    let carried = config.precision == Precision::Carried;
    let (places, free) = (&scratch.places, &scratch.free);
    scratch.faces.found.resize(triangles.len(), None);
    let columns = (scratch.faces.found.as_mut_slice(),);
    scratch.pool.for_rows(columns, GRAIN, |first, (found,)| {
        for (found, corners) in found.iter_mut().zip(&triangles[first..]) {
            let rows = corners.map(|i| i as usize);
            let x = rows.map(|i| {
                let offset = if carried { particles.predicted[i] } else { Vec4::ZERO };
                (particles.xw[i] + offset).truncate()
            });
            let radius = rows.map(|i| particles.radius[i]);
            let safe = (0..3).all(|k| is_within(free[rows[0]], x[k], radius[k]));
            *found = None;
            let held = rows.iter().all(|&i| particles.xw[i].w <= 0.0);
            if held || (safe && places.moving.is_empty()) {
                continue;
            }
            let face = Face { x, radius, phase: particles.phase[rows[0]] };
            let near = if safe { &[] } else { places.standing.as_slice() };
            for &index in near.iter().chain(&places.moving) {
                let deeper = face.deepest(&colliders[index as usize], index, places);
                if deeper.is_some_and(|new| found.is_none_or(|old| new.gap < old.gap)) {
                    *found = deeper;
                }
            }
        }
    });
}

fn push(world: &mut World) {
    let World { particles, colliders, scratch, triangles, config, h, .. } = world;
    let displaced = config.precision == Precision::Carried;
    let faces = &mut scratch.faces;
    for number in faces.order.iter().map(|&number| number as usize) {
        let (found, corners) = (faces.found[number], triangles[number]);
        let Some(Found { weights: b, normal, gap, point, collider }) = found else { continue };
        let rows = corners.map(|i| i as usize);
        let mean = |of: [Vec3; 3]| of[0] * b[0] + of[1] * b[1] + of[2] * b[2];
        let predicted = mean(rows.map(|i| particles.predicted[i].truncate()));
        let rest = if displaced { predicted } else { Vec3::ZERO };
        // Others may have moved its corners since it was looked at.
        let now = mean(rows.map(|i| particles.xw[i].truncate())) + rest;
        let depth = -(gap + normal.dot(now - point));
        let w = rows.map(|i| particles.xw[i].w);
        let sum: f32 = (0..3).map(|k| w[k] * b[k] * b[k]).sum();
        if depth <= 0.0 || sum <= 0.0 {
            continue;
        }
        let before = mean(rows.map(|i| particles.v[i].truncate()));
        let start = predicted - before * *h;
        // What began inside comes out slowly, as particles do; it may also have been overtaken.
        let carried = colliders[collider as usize].velocity_at(point) * *h;
        let came_in = normal.dot(start + carried - now).max(0.0);
        let depth = depth.min(came_in + config.max_depenetration * *h);
        let radius = (0..3).map(|k| b[k] * particles.radius[rows[k]]).sum();
        let contact = Contact { normal, depth, collider, rounded: Vec3::ZERO };
        if scratch.rigids.has(rows[0]) {
            scratch.rigids.add(rows[0], now - normal * radius, contact);
            continue;
        }
        for k in 0..3 {
            particles.xw[rows[k]] += (normal * (depth * w[k] * b[k] / sum)).extend(0.0);
        }
        faces.touches.push(Touch { corners, weights: b, contact, before, start, radius });
    }
}

/// A triangle that may be near something.
struct Face {
    x: [Vec3; 3],
    radius: [f32; 3],
    phase: u32,
}

impl Face {
    /// Where it is deepest in a collider, if it is too near there and not at a corner.
    ///
    /// Goes down the distance by steps along the triangle, halved when they lead up.
    fn deepest(&self, collider: &Collider, index: u32, places: &Places) -> Option<Found> {
        let [a, b, c] = self.x;
        let radius = self.radius.into_iter().fold(0.0, f32::max);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let bounds = &places.swept[index as usize];
        if collider.phases & self.phase == 0
            || (collider.shape.roundness)(collider) >= longest
            || !Aabb::of(self.x).grown(radius).overlaps(bounds)
        {
            return None;
        }
        let pose = collider.pose();
        let corners = self.x.map(|x| pose.local(x));
        let shape = collider.shape;
        if (shape.is_flat)(collider, &Aabb::of(corners).grown(radius)) {
            return None;
        }
        let distance_at = |x: Vec3| (shape.signed_distance)(x, collider);
        let mut x = (corners[0] + corners[1] + corners[2]) / 3.0;
        let (mut distance, mut normal) = distance_at(x);
        // No point of it is farther from the middle than two thirds of a side.
        if distance > 0.67 * longest * collider.shape.slope + radius {
            return None;
        }
        let (mut step, least) = (0.25 * longest, FINEST * longest);
        for _ in 0..LOOKS {
            let tried = closest_point(corners, x - normal * step);
            let (there, out) = distance_at(tried);
            if there < distance {
                (x, distance, normal) = (tried, there, out);
            } else {
                step *= 0.5;
            }
            if step < least {
                break;
            }
        }
        let weights = weights(corners, x)?;
        let gap = distance - (0..3).map(|k| weights[k] * self.radius[k]).sum::<f32>();
        let corner = weights.into_iter().any(|b| b > CORNER);
        let (normal, point) = (rotate(collider.rotation, normal), pose.world(x));
        let found = Found { weights, normal, gap, point, collider: index };
        (gap < 0.0 && !corner).then_some(found)
    }
}

/// The weights of a triangle's corners in one of its points. Ericson 2005, §3.4.
fn weights([a, b, c]: [Vec3; 3], x: Vec3) -> Option<[f32; 3]> {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let (d00, d01, d11) = (ab.dot(ab), ab.dot(ac), ac.dot(ac));
    let (d20, d21) = (ax.dot(ab), ax.dot(ac));
    let area = d00 * d11 - d01 * d01;
    let v = (d11 * d20 - d01 * d21) / area;
    let w = (d00 * d21 - d01 * d20) / area;
    let weights = [1.0 - v - w, v, w];
    // A flat triangle has none.
    weights.iter().all(|b| b.is_finite()).then(|| weights.map(|b| b.clamp(0.0, 1.0)))
}
