//! A block whose surface is moved by force.

use glam::{DMat3, DVec3, UVec3, Vec3};

use super::rig::specimen::{Machine, Mesher, Specimen};
use super::rig::{larger, position};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::material::{Damping, Solid};
use crate::mesh::boundary;
use crate::shapes::Model;
use crate::testing::Random;

/// When the surface of a block is moved by an affine map, its inside follows, however irregular
/// the mesh; sheared by γ, it resists with μγ.
///
/// ```text
/// x = F X       F = I + γ e_x ⊗ e_y for the shear
/// ```
///
/// The stress is read from the forces on the surface: Σ f ⊗ X = V P, with P_xy = μγ.
pub const LAW: &Law = &Law {
    name: "patch",
    covers: &["P20"],
    setup: "a cube with a shaken inside, its surface moved by an affine map and held",
    claim: "inside a block whose surface is moved by an affine map, every particle follows it; the \
            shear stress is the shear modulus times the shear",
    source: "the patch test of finite elements (Irons and Razzaque 1972); SOFA's affine patch test",
    tolerance: "single precision of positions; 1 % of the stress for the solver",
    accident: "the mesh inside is shaken at random by a fifth of a cell, so that no symmetry helps; \
               one wrong gradient moves the inside",
    quick: false,
    cpu_only: None,
    params: &[
        Param::number("young", "Pa", 1e5, [1e4, 1e7], "Young's modulus"),
        Param::number("shear", "", 0.05, [0.01, 0.1], "shear γ"),
        Param::count(
            "substeps",
            4,
            [1, 16],
            "substeps of the time in which a wave crosses 1/8 cell",
        ),
        Mesher::PARAM,
        Param::count("iterations", 10, [10, 200], "solver iterations of a substep"),
    ],
    measure,
    figure: None,
};

/// How far a particle inside may be off, as a share of the block's size.
const INSIDE: f64 = 1e-5;
/// Share by which the shear stress may differ.
const STRESS: f64 = 0.01;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let mut measured = Vec::new();
    for (model, name) in
        [(Model::NeoHookean, "neo-Hookean"), (Model::SaintVenantKirchhoff, "Kirchhoff")]
    {
        let shear = DMat3::from_cols(DVec3::X, DVec3::new(params.get("shear"), 1.0, 0.0), DVec3::Z);
        let any = DMat3::from_cols(
            DVec3::new(1.05, 0.02, -0.03),
            DVec3::new(0.04, 0.97, 0.01),
            DVec3::new(-0.02, 0.05, 1.02),
        );
        for (map, what) in [(shear, "shear"), (any, "affine map")] {
            let block = Block::deformed(params, model, map)?;
            let named = format!("farthest off inside, {what}, {name}");
            let tolerance = Tolerance::Absolute(INSIDE);
            measured.push(Measured::new(named, "m", [block.farthest, 0.0], tolerance));
            if what == "shear" {
                let named = format!("shear stress, {name}");
                let tolerance = Tolerance::Relative(STRESS);
                let expected = block.shear_modulus * params.get("shear");
                measured.push(Measured::new(named, "Pa", [block.stress, expected], tolerance));
            }
        }
    }
    Ok(measured)
}

/// What a block does whose surface was moved.
struct Block {
    /// The largest distance of a particle inside from where the map takes it (m).
    farthest: f64,
    /// P_xy (Pa).
    stress: f64,
    shear_modulus: f64,
}

impl Block {
    fn deformed(params: &Params, model: Model, map: DMat3) -> Result<Self, LawError> {
        let young = params.get("young") as f32;
        let specimen = Specimen {
            mesher: Mesher::of(params),
            cells: UVec3::splat(4),
            size: Vec3::ONE,
            material: Solid { young, poisson: 0.3, density: 1000.0, damping: Damping::NONE },
            model,
            form: shaken,
        };
        let mesh = specimen.mesh();
        let mut surface = vec![false; mesh.positions.len()];
        boundary(&mesh.tets).as_flattened().iter().for_each(|&i| surface[i as usize] = true);

        let mut machine = Machine::new(&specimen, params.count("iterations"))?;
        machine.world.config.substeps = params.count("substeps");
        for (i, at_rest) in mesh.positions.iter().enumerate() {
            if surface[i] {
                let moved = (map * at_rest.as_dvec3()).as_vec3();
                machine.world.particles.set_position(i, moved);
                machine.world.particles.pin(i);
            }
        }
        machine.settle()?;

        let world = &machine.world;
        let off = |i: usize| position(world, i).distance(map * mesh.positions[i].as_dvec3());
        let inside = (0..surface.len()).filter(|&i| !surface[i]);
        let forces = world.constraint_forces();
        // What the pins hold against is what the constraints pull with, turned round.
        let virial = |i: usize| -forces[i].x * f64::from(mesh.positions[i].y);
        let stress = (0..surface.len()).filter(|&i| surface[i]).map(virial).sum();
        let [_, shear_modulus] = specimen.material.lame();
        Ok(Self { farthest: inside.map(off).fold(0.0, larger), stress, shear_modulus })
    }
}

/// Moves points inside a block of 1 m by up to a fifth of a cell of 0.25 m.
fn shaken(x: Vec3) -> Vec3 {
    if x.abs().max_element() > 0.49 {
        return x;
    }
    let seed = ((x + Vec3::ONE) * 64.0).round().as_uvec3();
    let mut random = Random::new(u64::from(seed.x + 1000 * seed.y + 1_000_000 * seed.z));
    x + random.vector(0.1)
}
