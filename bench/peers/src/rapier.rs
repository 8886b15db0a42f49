//! The same world for rapier3d: particles, links, tetrahedra, surfaces, pins and planes of ours.

use std::f32::consts::TAU;

use pliant::constraint::{distance, volume};
use pliant::{Body, World};
use rapier3d::prelude::*;

/// Natural frequency of links that are rigid for us (Hz): it knows none, and this is as good as.
const RIGID: f32 = 1e6;

/// How rapier3d solves: substeps of a step, and sweeps of each.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) substeps: usize,
    pub(crate) sweeps: usize,
}

impl Effort {
    /// As many sweeps in all as we have substeps.
    pub(crate) const ALL: [Self; 2] =
        [Self { substeps: 20, sweeps: 1 }, Self { substeps: 5, sweeps: 4 }];

    pub(crate) fn name(self) -> String {
        format!("rapier3d {} x {}", self.substeps, self.sweeps)
    }
}

/// The links and tetrahedra of a body, its particles counted from its first.
pub(crate) struct Elements {
    pub(crate) links: Vec<[u32; 2]>,
    pub(crate) tets: Vec<[u32; 4]>,
    pub(crate) surface: Vec<[u32; 3]>,
}

impl Elements {
    pub(crate) fn of(world: &World, body: &Body) -> Self {
        let first = body.particles.start;
        let range = body.triangles.start as usize..body.triangles.end as usize;
        let surface = world.triangles()[range].iter();
        Self {
            links: rows(world, body, &distance::KIND),
            tets: rows(world, body, &volume::KIND),
            surface: surface.map(|corners| corners.map(|i| i - first)).collect(),
        }
    }
}

/// The particles of constraints of one kind within a body.
fn rows<const N: usize>(
    world: &World,
    body: &Body,
    kind: &pliant::constraint::Kind,
) -> Vec<[u32; N]> {
    let Some(set) = world.constraints_of(kind) else { return Vec::new() };
    let all = (0..set.len()).filter_map(|number| <[u32; N]>::try_from(set.particles(number)).ok());
    let ours = all.filter(|ids| ids.iter().all(|i| body.particles.contains(i)));
    ours.map(|ids| ids.map(|i| i - body.particles.start)).collect()
}

/// Our world as one of rapier3d. Nothing sleeps, and no step has more substeps than `effort` says.
pub(crate) fn world_of(ours: &World, effort: Effort) -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.gravity = vector(ours.config.gravity);
    world.integration_parameters.dt = 1.0 / 60.0;
    world.integration_parameters.num_solver_iterations = effort.substeps;
    world.integration_parameters.soft_bodies.max_extra_substeps = 0;
    for collider in &ours.colliders {
        let shape = SharedShape::halfspace(vector(collider.rotation * pliant::glam::Vec3::Y));
        let plane = ColliderBuilder::new(shape).translation(vector(collider.position));
        world.insert_collider(plane, None);
    }
    for (_, body) in ours.bodies() {
        let builder = body_of(ours, body).additional_pgs_iterations(effort.sweeps - 1);
        world.insert_soft_body(builder);
    }
    world
}

fn body_of(ours: &World, body: &Body) -> SoftBodyBuilder {
    let first = body.particles.start;
    let Elements { links, tets, surface } = Elements::of(ours, body);
    let particles = &ours.particles;
    let positions = body.range().map(|i| vector(particles.position(i))).collect();
    let masses = body.range().map(|i| 1.0 / particles.inverse_mass[i]).collect();
    let pins = body.particles.clone().filter(|&i| particles.pinned[i as usize]);
    let touches = body.touch != pliant::contact::Touch::default() || !ours.colliders.is_empty();
    let mut builder = SoftBodyBuilder::new(positions)
        .masses(masses)
        .pinned_particles(pins.map(|i| i - first))
        .edges(links)
        .surface(surface)
        .particle_radius(particles.radius[first as usize])
        .can_sleep(false);
    if !tets.is_empty() {
        builder = builder.cells(tets);
    }
    if !touches {
        builder = builder.no_surface_collider();
    }
    let material =
        SoftBodyMaterial { edge_softness: softness(ours, body), ..SoftBodyMaterial::default() };
    builder.material(material)
}

/// Frequency and damping of a link between two particles of the body's mean mass.
fn softness(ours: &World, body: &Body) -> SpringCoefficients<f32> {
    let set = ours.constraints_of(&distance::KIND).filter(|set| !set.is_empty());
    let Some(hold) = set.map(|set| set.hold(0)).filter(|hold| hold.compliance > 0.0) else {
        return SpringCoefficients::new(RIGID, 1.0);
    };
    let masses = body.range().map(|i| 1.0 / ours.particles.inverse_mass[i]);
    let mass = masses.sum::<f32>() / body.range().len() as f32 / 2.0;
    let (stiffness, omega) = (1.0 / hold.compliance, (1.0 / (hold.compliance * mass)).sqrt());
    let damping = hold.damping / (2.0 * (stiffness * mass).sqrt());
    SpringCoefficients::new(omega / TAU, damping)
}

pub(crate) fn vector(x: pliant::glam::Vec3) -> Vector {
    Vector::new(x.x, x.y, x.z)
}

/// Where the particles of all bodies are, body by body (m).
pub(crate) fn positions(world: &PhysicsWorld) -> Vec<Vec<pliant::glam::Vec3>> {
    let of_body = |body: &SoftBody| -> Vec<pliant::glam::Vec3> {
        body.particle_positions().map(|x| pliant::glam::Vec3::new(x.x, x.y, x.z)).collect()
    };
    world.soft_bodies().map(|(_, body)| of_body(body)).collect()
}
