//! What the laws of materials share: a block of tetrahedra in a testing machine.

use glam::{UVec3, Vec3};

use super::super::{LawError, Param, Params};
use super::position;
use super::stepper::step;
use crate::body::Blueprint;
use crate::constraint::set::Hold;
use crate::constraint::slide;
use crate::force::Force;
use crate::material::Solid;
use crate::mesh::sdf::SignedDistance;
use crate::mesh::solids::cuboid::cuboid;
use crate::mesh::{Resolution, TetMesh};
use crate::shapes::{ElasticBody, Model};
use crate::world::{Config, Precision, World};

/// One of the six sides of a block: the axis it is across, and −1 or 1.
pub(in crate::laws) type Side = (usize, f32);

/// Whose tetrahedra a block is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::laws) enum Mesher {
    /// [`TetMesh::block`]: six to a cell.
    Block,
    /// [`TetMesh::stuff`], of the block's surface, as of any other.
    ///
    /// The size of its cubes is such that whole ones fit, so that the sides of the block pass
    /// through lattice points and midway between others: nothing is rounded off, and sides are
    /// flat.
    Stuffing,
}

impl Mesher {
    /// For the parameters of laws.
    pub(in crate::laws) const PARAM: Param =
        Param::count("mesher", 0, [0, 1], "0: six tetrahedra to a cell; 1: isosurface stuffing");

    pub(in crate::laws) fn of(params: &Params) -> Self {
        if params.count("mesher") == 0 { Self::Block } else { Self::Stuffing }
    }
}

/// A block of a material, before it enters a world.
pub(in crate::laws) struct Specimen {
    pub(in crate::laws) mesher: Mesher,
    /// Along each axis; the stuffing's are cubes of the shortest side of these.
    pub(in crate::laws) cells: UVec3,
    /// Size at rest (m).
    pub(in crate::laws) size: Vec3,
    pub(in crate::laws) material: Solid,
    pub(in crate::laws) model: Model,
    /// Where each point of the block is moved before it counts as at rest; [`as_it_is`] for none.
    pub(in crate::laws) form: fn(Vec3) -> Vec3,
}

/// No change of form.
pub(in crate::laws) fn as_it_is(x: Vec3) -> Vec3 {
    x
}

/// A square prism about y, of 1 m across, becomes a cylinder.
///
/// ```text
/// (u, v) → (u √(1 − v²/2), v √(1 − u²/2))
/// ```
pub(in crate::laws) fn round(x: Vec3) -> Vec3 {
    let (u, v) = (2.0 * x.x, 2.0 * x.z);
    Vec3::new(x.x * (1.0 - v * v / 2.0).sqrt(), x.y, x.z * (1.0 - u * u / 2.0).sqrt())
}

impl Specimen {
    pub(in crate::laws) fn mesh(&self) -> TetMesh {
        let mut mesh = match self.mesher {
            Mesher::Block => TetMesh::block(self.cells, self.size),
            // What could not be filled is empty, and no law holds for it.
            Mesher::Stuffing => SignedDistance::new(cuboid(self.size, 1))
                .and_then(|sdf| TetMesh::stuff(&sdf, Resolution::Cell(self.cell())))
                .unwrap_or_default(),
        };
        mesh.positions.iter_mut().for_each(|x| *x = (self.form)(*x));
        mesh
    }

    /// The shortest side of a cell (m).
    fn cell(&self) -> f32 {
        (self.size / self.cells.as_vec3()).min_element()
    }

    pub(in crate::laws) fn blueprint(&self) -> Result<Blueprint, LawError> {
        let Self { material, model, .. } = *self;
        Ok(ElasticBody { mesh: self.mesh(), material, model, radius: 0.0 }.blueprint()?)
    }

    /// The particles of a side.
    pub(in crate::laws) fn side(&self, (axis, sign): Side) -> Vec<u32> {
        let at = sign * self.size[axis] / 2.0;
        let near = |x: &Vec3| (x[axis] - at).abs() < 1e-4 * self.size[axis];
        let mesh = self.mesh();
        (0u32..).zip(&mesh.positions).filter(|(_, x)| near(x)).map(|(i, _)| i).collect()
    }

    /// Area of a side (m²).
    pub(in crate::laws) fn area(&self, (axis, _): Side) -> f64 {
        let size = self.size.as_dvec3();
        size[(axis + 1) % 3] * size[(axis + 2) % 3]
    }

    /// Where a coordinate is, averaged over a side (m).
    pub(in crate::laws) fn level(&self, world: &World, side: Side) -> f64 {
        let particles = self.side(side);
        let sum: f64 = particles.iter().map(|&i| position(world, i as usize)[side.0]).sum();
        sum / particles.len() as f64
    }

    /// Distance of two opposite sides over what it is at rest.
    pub(in crate::laws) fn stretch(&self, world: &World, axis: usize) -> f64 {
        let apart = self.level(world, (axis, 1.0)) - self.level(world, (axis, -1.0));
        apart / f64::from(self.size[axis])
    }
}

/// Holds a side on the plane at `level` (m), in which it slides without friction.
pub(in crate::laws) fn hold_side(
    world: &mut World,
    specimen: &Specimen,
    side: Side,
    level: f32,
) -> Result<(), LawError> {
    let mut rest = [0.0, 0.0, 0.0, level];
    rest[side.0] = 1.0;
    for particle in specimen.side(side) {
        world.join_with_rest(&slide::KIND, &[particle], &rest, Hold::RIGID)?;
    }
    Ok(())
}

/// Pulls a side outwards with `stress` (Pa) of its area at rest. A particle takes the share of the
/// triangles around it.
pub(in crate::laws) fn pull_side(world: &mut World, specimen: &Specimen, side: Side, stress: f64) {
    let mesh = specimen.mesh();
    let mut areas = vec![0.0f64; mesh.positions.len()];
    let members = specimen.side(side);
    for triangle in crate::mesh::boundary(&mesh.tets) {
        if triangle.iter().all(|corner| members.contains(corner)) {
            let [a, b, c] = triangle.map(|i| mesh.positions[i as usize].as_dvec3());
            let third = (b - a).cross(c - a).length() / 6.0;
            triangle.iter().for_each(|&corner| areas[corner as usize] += third);
        }
    }
    for particle in members {
        let mut force = Vec3::ZERO;
        force[side.0] = side.1 * (stress * areas[particle as usize]) as f32;
        world.forces.push(Force::point(&[particle], force));
    }
}

/// What the slides of a side hold against (N), positive when they pull outwards.
pub(in crate::laws) fn reaction(world: &World, side: Side) -> f64 {
    let Some(slides) = world.constraints_of(&slide::KIND) else { return f64::NAN };
    let level = |number: usize| -> Vec<f32> { slides.rest(number).collect() };
    let h = f64::from(world.substep());
    let of_side = |&number: &usize| {
        let rest = level(number);
        rest[side.0] == 1.0 && rest[3] * side.1 > 0.0
    };
    let sum: f64 = (0..slides.len()).filter(of_side).map(|n| f64::from(slides.lambda(n))).sum();
    f64::from(side.1) * sum / (h * h)
}

/// A world without gravity in which a block comes to rest, not to show how it gets there.
///
/// In a step a wave crosses an eighth of a cell: the solver then needs few iterations to find the
/// multipliers, anew in every step, and shapes change little while it does, so that the gradients
/// along the way are those of the end (at a quarter of a cell, forces come out 0.25 % too large).
/// The slowest vibration is damped critically.
pub(in crate::laws) struct Machine {
    pub(in crate::laws) world: World,
    /// Time step (s).
    h: f64,
    /// Time until it is at rest (s).
    time: f64,
}

impl Machine {
    pub(in crate::laws) fn new(specimen: &Specimen, iterations: u32) -> Result<Self, LawError> {
        Self::with(specimen, &specimen.blueprint()?, iterations)
    }

    /// The same for a body of other constraints, with its particles where the specimen's are.
    pub(in crate::laws) fn with(
        specimen: &Specimen,
        body: &Blueprint,
        iterations: u32,
    ) -> Result<Self, LawError> {
        let [lambda, mu] = specimen.material.lame();
        let speed = ((lambda + 2.0 * mu) / f64::from(specimen.material.density)).sqrt();
        // The stuffing cuts tetrahedra in half at the surface; what is left of them is 0.5 of a cell
        // thick, where those of a block are 0.71.
        let thin = if specimen.mesher == Mesher::Block { 1.0 } else { 0.7 };
        let h = thin * f64::from(specimen.cell()) / 8.0 / speed;
        // Of a bar with one free end: a quarter wave, slower still for the bar's own modulus.
        let bar = (f64::from(specimen.material.young / specimen.material.density)).sqrt();
        let slowest = std::f64::consts::FRAC_PI_2 * bar / f64::from(specimen.size.max_element());
        let mut world = World::new(Config {
            substeps: 1,
            iterations,
            precision: Precision::Carried,
            threads: 1,
            gravity: Vec3::ZERO,
            damping: 2.0 * slowest as f32,
            ..Config::default()
        });
        world.add(body)?;
        Ok(Self { world, h, time: 14.0 / slowest })
    }

    /// Takes steps of `h` (s) in so many substeps instead.
    pub(in crate::laws) fn set_step(&mut self, h: f64, substeps: u32) {
        (self.h, self.world.config.substeps) = (h, substeps);
    }

    /// Runs until it is at rest.
    pub(in crate::laws) fn settle(&mut self) -> Result<(), LawError> {
        for _ in 0..(self.time / self.h) as u32 {
            step(&mut self.world, self.h as f32)?;
        }
        Ok(())
    }
}

/// The stretch s along and t across of a bar that is pulled with `pull` (Pa of its area at rest).
///
/// ```text
/// neo-Hookean   J = 1 + μ/(λ+μ) (1 − 1/s),  t = √(J/s),      P = μ (s − t²/s)
/// Kirchhoff     t² − 1 = −ν (s² − 1),                        P = E s (s² − 1)/2
/// ```
///
/// Both follow from the energy with no stress across.
pub(in crate::laws) fn uniaxial(model: Model, solid: &Solid, pull: f64) -> [f64; 2] {
    // The pull grows with the stretch from where Kirchhoff's model begins to give way.
    let (mut low, mut high) = (0.7, 4.0);
    for _ in 0..60 {
        let s = 0.5 * (low + high);
        if pull_at(model, solid, s)[0] < pull {
            low = s;
        } else {
            high = s;
        }
    }
    [low, pull_at(model, solid, low)[1]]
}

/// The pull P (Pa) and the stretch t across of a bar that is stretched by `s`; see [`uniaxial`].
pub(in crate::laws) fn pull_at(model: Model, solid: &Solid, s: f64) -> [f64; 2] {
    match model {
        Model::NeoHookean => {
            let [lambda, mu] = solid.lame();
            let j = 1.0 + mu / (lambda + mu) * (1.0 - 1.0 / s);
            let t = (j / s).sqrt();
            [mu * (s - t * t / s), t]
        }
        Model::SaintVenantKirchhoff => {
            let strain = (s * s - 1.0) / 2.0;
            let across = 1.0 - 2.0 * f64::from(solid.poisson) * strain;
            [f64::from(solid.young) * s * strain, across.sqrt()]
        }
    }
}
