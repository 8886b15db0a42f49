//! Any mesh becomes a body, in one call.
//!
//! ```
//! use pliant::World;
//! use pliant::mesh::body::{Recipe, Stock, Way};
//! use pliant::mesh::{Resolution, TetMesh, repair::Repair, solids::torus::torus};
//!
//! let stock = Stock::new(&torus(0.35, 0.15, 32), &TetMesh::default(), &Repair::default())?;
//! println!("{}", stock.surface.report);
//! let way = Way::Lattice(Resolution::Count(2000));
//! let ring = stock.body(&Recipe { way, material: None })?;
//! World::default().add(&ring.blueprint)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `pliant_io::mesh::Imported::body` does the same for what a file holds.

use std::error::Error;
use std::fmt;

use super::repair::{Repair, RepairError, Repaired, RepairedTets, repair, repair_tets};
use super::sdf::SignedDistance;
use super::thin::thin;
use super::voxels::{Voxelisation, Voxels};
use super::{MeshError, Resolution, TetMesh, TriMesh, boundary};
use crate::body::Blueprint;
use crate::error::WorldError;
use crate::material::presets::Material;
use crate::material::{Damping, Sheet, Solid};
use crate::shapes::{ElasticBody, ElasticShell, LatticeBody, MassSpring, Springs};
use crate::skin::Skin;

/// Voxels that measure the volume inside a surface with holes.
const VOLUME_VOXELS: u32 = 2000;

/// Distance that colliders keep from tetrahedra and springs, as a part of the body's size: enough
/// that what is drawn does not sink into a floor by rounding.
const RADIUS: f32 = 2e-3;

/// Distance that colliders keep from a particle of a lattice, in cells: the surface is about half
/// a cell away.
const LATTICE_RADIUS: f32 = 0.4;

/// What bodies are made from: a surface and tetrahedra, repaired.
#[derive(Clone, Debug)]
pub struct Stock {
    /// The surface.
    pub surface: Repaired,
    /// The tetrahedra, if there are any.
    pub tets: Option<RepairedTets>,
}

impl Stock {
    /// Repairs a surface, which may be open, and tetrahedra, of which there may be none. Of no
    /// surface, the outside of the tetrahedra is taken.
    ///
    /// # Errors
    /// As [`repair`] and [`repair_tets`].
    pub fn new(surface: &TriMesh, tets: &TetMesh, how: &Repair) -> Result<Self, RepairError> {
        let tets = if tets.tets.is_empty() { None } else { Some(repair_tets(tets)?) };
        let outside = |tets: &RepairedTets| TriMesh {
            positions: tets.mesh.positions.clone(),
            triangles: boundary(&tets.mesh.tets),
        };
        let surface = match &tets {
            Some(tets) if surface.triangles.is_empty() => repair(&outside(tets), how)?,
            _ => repair(surface, how)?,
        };
        Ok(Self { surface, tets })
    }

    /// Makes a body that shows the surface.
    ///
    /// # Errors
    /// If the material is not one for such a body, the surface encloses nothing where something
    /// should be filled, or a number is out of range.
    pub fn body(&self, recipe: &Recipe) -> Result<Made, BodyError> {
        match recipe.way {
            Way::Lattice(resolution) => self.lattice(recipe, resolution),
            Way::Tets(resolution) => {
                let sdf = SignedDistance::new(self.surface.mesh.clone())?;
                let filled = TetMesh::stuff(&sdf, resolution)?;
                let volume = filled.quality().volume;
                let mesh = filled.without_loose(&self.surface.mesh);
                // What is too thin for the cells still weighs something.
                let share = (volume / mesh.quality().volume) as f32;
                self.tets(recipe, mesh).map(|made| made.times(share))
            }
            Way::GivenTets => {
                let tets = self.tets.as_ref().ok_or(BodyError::NoTets)?;
                self.tets(recipe, tets.mesh.clone())
            }
            #[cfg(feature = "meshing")]
            Way::Cage(cell) => self.cage(recipe, cell),
            Way::Shell => self.shell(recipe),
            Way::Springs(count) => self.springs(recipe, count),
        }
    }

    fn lattice(&self, recipe: &Recipe, resolution: Resolution) -> Result<Made, BodyError> {
        let solid = self.solid(recipe)?;
        let sdf = SignedDistance::new(self.surface.mesh.clone())?;
        let voxels = Voxelisation { resolution, ..Voxelisation::default() }.voxels(&sdf)?;
        let positions: Vec<_> = voxels.positions().collect();
        let skin = Skin::on_particles(sdf.surface(), &positions)?;
        let (density, radius) = (solid.density, LATTICE_RADIUS * voxels.cell);
        // Per cell there is one link in each of 13 directions, whose squares sum to 27 cells².
        let links = solid.hold(spring(&solid, 1.0, 27.0) * f64::from(voxels.cell), 1.0);
        let blueprint = LatticeBody { voxels, density, radius, links }.blueprint()?.skinned(skin);
        Ok(Made { blueprint, material: Material::Solid(solid), tets: None })
    }

    fn tets(&self, recipe: &Recipe, mesh: TetMesh) -> Result<Made, BodyError> {
        let material = self.solid(recipe)?;
        let skin = Skin::on_tets(&self.surface.mesh, &mesh)?;
        let radius = RADIUS * self.surface.report.size();
        let body = ElasticBody { mesh, material, radius, ..ElasticBody::default() };
        let blueprint = body.blueprint()?.skinned(skin);
        Ok(Made { blueprint, material: Material::Solid(material), tets: Some(body.mesh) })
    }

    /// Weighs what is in it: a cage is larger.
    #[cfg(feature = "meshing")]
    fn cage(&self, recipe: &Recipe, cell: f32) -> Result<Made, BodyError> {
        let TriMesh { positions, triangles } = &self.surface.mesh;
        let mesh = TetMesh::fill(positions, triangles, cell)?;
        let share = (self.volume()? / mesh.quality().volume) as f32;
        self.tets(recipe, mesh).map(|made| made.times(share))
    }

    fn shell(&self, recipe: &Recipe) -> Result<Made, BodyError> {
        let material = match recipe.material {
            None => Sheet::default(),
            Some(Material::Sheet(sheet)) => sheet,
            Some(_) => return Err(BodyError::Material { way: "a shell", needs: "a sheet" }),
        };
        let mesh = self.surface.mesh.clone();
        let blueprint = ElasticShell { mesh, material, ..ElasticShell::default() }.blueprint()?;
        Ok(Made { blueprint, material: Material::Sheet(material), tets: None })
    }

    fn springs(&self, recipe: &Recipe, count: u32) -> Result<Made, BodyError> {
        let solid = self.solid(recipe)?;
        let volume = self.volume()?;
        let mesh = thin(&self.surface.mesh, count)?;
        let x: Vec<_> = mesh.distinct().positions.iter().map(|x| x.as_dvec3()).collect();
        let all = (0..x.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let squares: f64 = all.map(|(a, b)| x[a].distance_squared(x[b])).sum();
        let body = MassSpring {
            mesh,
            mass: solid.density * volume as f32,
            radius: RADIUS * self.surface.report.size(),
            springs: Springs::All,
            hold: solid.hold(spring(&solid, volume, squares), 1.0),
        };
        let blueprint = body.blueprint()?;
        let skin = Skin::on_particles(&self.surface.mesh, &blueprint.positions)?;
        let blueprint = blueprint.skinned(skin);
        Ok(Made { blueprint, material: Material::Solid(solid), tets: None })
    }

    /// The volume inside (m³): of a surface with holes, what voxels find.
    fn volume(&self) -> Result<f64, MeshError> {
        let report = &self.surface.report;
        if report.is_closed() && report.volume > 0.0 {
            return Ok(report.volume);
        }
        let sdf = SignedDistance::new(self.surface.mesh.clone())?;
        let resolution = Resolution::Count(VOLUME_VOXELS);
        let voxels: Voxels = Voxelisation { resolution, ..Voxelisation::default() }.voxels(&sdf)?;
        Ok(voxels.volume())
    }

    fn solid(&self, recipe: &Recipe) -> Result<Solid, BodyError> {
        let solid = match recipe.material {
            None => firm(self.surface.report.size()),
            Some(Material::Solid(solid)) => solid,
            Some(_) => return Err(BodyError::Material { way: "a filled body", needs: "a solid" }),
        };
        solid.check()?;
        Ok(solid)
    }
}

/// How a body is made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recipe {
    /// From what.
    pub way: Way,
    /// What it is made of; `None` takes cotton for shells and [`firm`] for others.
    pub material: Option<Material>,
}

/// From what a body is made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Way {
    /// Particles on a cubic grid inside, with links to all their neighbours. They are springs:
    /// Young's modulus is that of the material on average, 0.6 of it along the grid and 1.24 along
    /// the diagonals of its cells; Poisson's ratio is not the material's.
    Lattice(Resolution),
    /// Tetrahedra that fill it and follow the surface.
    Tets(Resolution),
    /// The tetrahedra that were given.
    GivenTets,
    /// Tetrahedra of about this size (m) that cover it, and weigh what it weighs; it must be closed.
    #[cfg(feature = "meshing")]
    Cage(f32),
    /// Only the surface, as a thin sheet.
    Shell,
    /// Springs between all of at most so many vertices, chosen evenly. Young's modulus is that of
    /// the material if vertices lie evenly in all directions; Poisson's ratio is ¼.
    Springs(u32),
}

impl Default for Way {
    /// Ten thousand tetrahedra.
    fn default() -> Self {
        Self::Tets(Resolution::Count(10_000))
    }
}

/// A body that was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// For [`crate::World::add`].
    pub blueprint: Blueprint,
    /// What it is made of.
    pub material: Material,
    /// Its tetrahedra, if it has any.
    pub tets: Option<TetMesh>,
}

impl Made {
    /// The same, so many times as heavy.
    fn times(mut self, share: f32) -> Self {
        self.blueprint.masses.iter_mut().for_each(|mass| *mass *= share);
        self
    }

    /// Its mass (kg).
    pub fn mass(&self) -> f64 {
        self.blueprint.masses.iter().map(|&mass| f64::from(mass)).sum()
    }
}

/// Jelly that is as firm as a body of that size (m) must be to keep its shape: under its own
/// weight, a block as high loses a half per cent of its height.
///
/// ```text
/// E = 100 ρ g L
/// ```
pub fn firm(size: f32) -> Solid {
    let density = 1000.0;
    let young = 100.0 * density * 9.81 * size;
    // A tenth of critical at the frequency of a bar that stands on its end, √(E/ρ)/4L.
    let damping = Damping::ratio(0.1, (young / density).sqrt() / (4.0 * size));
    Solid { young, poisson: 0.45, density, damping }
}

/// The stiffness (N/m) of springs in all directions, the squares of whose lengths sum to `squares`
/// (m²), that make a `volume` (m³) as stiff as a material.
///
/// ```text
/// C_ijkl = k/V Σ ℓ² nᵢnⱼnₖnₗ,  on average over directions C₁₁ = k Σℓ²/5V and C₁₂ = k Σℓ²/15V
/// E = C₁₁ − 2C₁₂²/(C₁₁ + C₁₂) = k Σℓ²/6V
/// ```
///
/// Cauchy's relation C₁₂ = C₄₄ makes Poisson's ratio ¼.
fn spring(solid: &Solid, volume: f64, squares: f64) -> f64 {
    6.0 * f64::from(solid.young) * volume / squares
}

/// Why no body could be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BodyError {
    /// The mesh cannot be repaired.
    Repair(RepairError),
    /// The mesh cannot be filled, or not be bound to what fills it.
    Mesh(MeshError),
    /// A number is out of range.
    World(WorldError),
    /// There are no tetrahedra.
    NoTets,
    /// A material that is not for such a body.
    Material {
        /// The body.
        way: &'static str,
        /// What it needs.
        needs: &'static str,
    },
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repair(error) => write!(f, "{error}"),
            Self::Mesh(error) => write!(f, "{error}"),
            Self::World(error) => write!(f, "{error}"),
            Self::NoTets => write!(f, "there are no tetrahedra; fill the surface with some"),
            Self::Material { way, needs } => {
                let is = |material: &Material| match material {
                    Material::Solid(_) => "a solid",
                    Material::Sheet(_) => "a sheet",
                    Material::Cord(_) => "a cord",
                };
                let presets = crate::material::presets::ALL.iter();
                let names: Vec<_> =
                    presets.filter(|p| is(&p.material) == *needs).map(|p| p.name).collect();
                write!(f, "{way} is made of {needs}: {}", names.join(", "))
            }
        }
    }
}

impl Error for BodyError {}

impl From<RepairError> for BodyError {
    fn from(error: RepairError) -> Self {
        Self::Repair(error)
    }
}

impl From<MeshError> for BodyError {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error)
    }
}

impl From<WorldError> for BodyError {
    fn from(error: WorldError) -> Self {
        Self::World(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::presets::{COTTON, JELLY};
    use crate::mesh::solids::{cuboid::cuboid, torus::torus};
    use glam::{UVec3, Vec3};

    fn stock(surface: &TriMesh) -> Stock {
        Stock::new(surface, &TetMesh::default(), &Repair::default()).unwrap()
    }

    /// Every way that fills, for a body of 1 m.
    fn ways() -> Vec<Way> {
        vec![
            Way::Lattice(Resolution::Count(3000)),
            Way::Tets(Resolution::Count(3000)),
            #[cfg(feature = "meshing")]
            Way::Cage(0.1),
            Way::Springs(200),
        ]
    }

    #[test]
    fn every_way_gives_a_body_that_weighs_what_it_should() {
        let ring = torus(0.35, 0.15, 24);
        let stock = stock(&ring);
        for way in ways() {
            let material = Some(Material::Solid(JELLY));
            let made = stock.body(&Recipe { way, material }).unwrap();
            made.blueprint.check().unwrap();
            let share = made.mass() / (ring.volume() * f64::from(JELLY.density));
            assert!((0.95..1.05).contains(&share), "{way:?}: {share} of its mass");
            assert_eq!(made.blueprint.skin.unwrap().bindings.len(), ring.positions.len());
        }
    }

    #[test]
    fn an_open_surface_is_filled_too() {
        let mut open = cuboid(Vec3::ONE, 6);
        open.triangles.truncate(open.triangles.len() - 10);
        let stock = stock(&open);
        assert!(!stock.surface.report.is_closed());
        for way in [Way::Lattice(Resolution::Count(1000)), Way::Springs(100)] {
            let mass = stock.body(&Recipe { way, material: None }).unwrap().mass();
            assert!((800.0..1100.0).contains(&mass), "{way:?}: {mass} kg, not 1000");
        }
    }

    #[test]
    fn a_shell_weighs_what_its_area_weighs() {
        let stock = stock(&cuboid(Vec3::ONE, 4));
        let shell = stock.body(&Recipe { way: Way::Shell, material: None }).unwrap();
        let expected = 6.0 * f64::from(COTTON.areal_density);
        assert!((shell.mass() / expected - 1.0).abs() < 1e-5, "{} kg", shell.mass());
    }

    #[test]
    fn what_does_not_fit_is_explained() {
        let stock = stock(&cuboid(Vec3::ONE, 2));
        let refuse = |way, material| stock.body(&Recipe { way, material }).unwrap_err().to_string();
        let sheet = Some(Material::Sheet(COTTON));
        assert!(refuse(Way::default(), sheet).contains("a solid: rubber, silicone"));
        assert!(refuse(Way::Shell, Some(Material::Solid(JELLY))).contains("a sheet: silk"));
        assert!(refuse(Way::GivenTets, None).contains("fill the surface"));
        let flat = Solid { young: 0.0, ..JELLY };
        assert!(refuse(Way::default(), Some(Material::Solid(flat))).contains("Young's modulus"));
    }

    /// The energy of a cell of a lattice under any strain, on average over directions, is that of
    /// the material with Poisson's ratio ¼.
    #[test]
    fn links_of_a_lattice_are_as_stiff_as_the_material() {
        let voxels = Voxels::block(UVec3::splat(3), 0.1);
        let x: Vec<_> = voxels.positions().map(|x| x.as_dvec3()).collect();
        let links: Vec<_> = voxels
            .links()
            .filter(|&[a, _]| a == 13)
            .map(|[a, b]| [a, b].map(|i| x[i as usize]))
            .collect();
        assert_eq!(links.len(), 13);
        let squares: f64 = links.iter().map(|[a, b]| a.distance_squared(*b)).sum();
        let k = spring(&JELLY, 1e-3, squares);
        // ε_ii ε_jj summed over the axes that pull and those that follow: Σ ℓ² (Σ n⁴, Σ n²n²).
        let term = |i: usize, j: usize| -> f64 {
            let of = |[a, b]: &[glam::DVec3; 2]| {
                let d = *b - *a;
                d[i].powi(2) * d[j].powi(2) / d.length_squared()
            };
            k * links.iter().map(of).sum::<f64>() / 1e-3
        };
        let (c11, c12) = (term(0, 0), term(0, 1));
        // Along the grid: C₁₁ = 13/3, C₁₂ = 7/3 of k over the cell; E = 2.7 of 4.5.
        let along = c11 - 2.0 * c12 * c12 / (c11 + c12);
        assert!((along / f64::from(JELLY.young) - 0.6).abs() < 1e-5, "{along} Pa");
    }
}
