//! Materials: numbers as an engineer measures them, turned into the compliance of every element.
//!
//! An element's compliance follows from the material and the element's rest size, so that a finer
//! mesh, more substeps or another backend is the same body:
//!
//! ```
//! use pliant::{material::Solid, mesh::TetMesh, shapes::ElasticBody, World};
//! use glam::{UVec3, Vec3};
//!
//! let rubber = Solid { young: 1e6, poisson: 0.45, density: 1100.0, ..Solid::default() };
//! let mesh = TetMesh::block(UVec3::new(8, 2, 2), Vec3::new(0.4, 0.1, 0.1));
//! let bar = ElasticBody { mesh, material: rubber, ..ElasticBody::default() }.blueprint()?;
//! World::default().add(&bar)?;
//! # Ok::<(), pliant::WorldError>(())
//! ```
//!
//! [`presets::ALL`] has materials by name, with their sources.

use crate::constraint::set::Hold;
use crate::error::WorldError;

pub mod presets;

/// How fast a material's vibrations die away: a dashpot beside every spring.
///
/// The dashpots' strength is in proportion to the springs', by a time τ that the material has
/// (Kelvin and Voigt), so that the damping ratio grows with the frequency f of a vibration:
///
/// ```text
/// ζ = π f τ
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Damping {
    /// τ (s).
    pub time: f32,
}

impl Damping {
    /// None: what loss there is comes from the time step.
    pub const NONE: Self = Self { time: 0.0 };

    /// Damping of `ratio` ζ at the frequency `at` (Hz); 1 is critical.
    pub fn ratio(ratio: f32, at: f32) -> Self {
        Self { time: ratio / (std::f32::consts::PI * at) }
    }

    /// A spring of `stiffness` J/(unit of C)² with its dashpot.
    fn hold(self, stiffness: f64) -> Hold {
        Hold::spring(stiffness as f32).damped((f64::from(self.time) * stiffness) as f32)
    }
}

/// A material that fills space: rubber, jelly, flesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Solid {
    /// Young's modulus E (Pa): stress over strain of a bar that is pulled.
    pub young: f32,
    /// Poisson's ratio ν, 0 to below 0.5: how much narrower it gets for being longer.
    pub poisson: f32,
    /// Mass per volume (kg/m³).
    pub density: f32,
    /// How fast vibrations die away.
    pub damping: Damping,
}

impl Default for Solid {
    /// Gelatine.
    fn default() -> Self {
        Self { young: 1e4, poisson: 0.45, density: 1000.0, damping: Damping::NONE }
    }
}

impl Solid {
    /// Lamé's constants λ and μ (Pa); μ is the shear modulus.
    ///
    /// ```text
    /// λ = Eν / ((1 + ν)(1 − 2ν)),   μ = E / (2(1 + ν))
    /// ```
    pub fn lame(&self) -> [f64; 2] {
        let (e, nu) = (f64::from(self.young), f64::from(self.poisson));
        [e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu))]
    }

    /// Refuses numbers that no solid has.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), WorldError> {
        positive("Young's modulus", self.young)?;
        positive("density", self.density)?;
        let (what, value) = ("Poisson's ratio", self.poisson);
        if !(0.0..0.5).contains(&value) {
            let needs = "at least 0 and below 0.5 (0.49 hardly changes its volume)";
            return Err(WorldError::BadNumber { what, value, needs });
        }
        self.damping.check()
    }

    /// The spring of a constraint whose energy is ½ `modulus` C² per volume, in an element of
    /// `volume` (m³).
    pub(crate) fn hold(&self, modulus: f64, volume: f64) -> Hold {
        self.damping.hold(modulus * volume)
    }
}

/// A thin material: fabric, paper, skin. Stiffnesses are per width, as a tensile test gives them.
///
/// The energy per area at the strains ε₁ along the warp, ε₂ along the weft, γ between them, and the
/// curvature κ is
///
/// ```text
/// ½ k₁ε₁² + ½ k₂ε₂² + c ε₁ε₂ + ½ G γ² + ½ D κ²
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sheet {
    /// Stiffness k₁ along the warp and k₂ along the weft (N/m).
    pub stretch: [f32; 2],
    /// What couples the two, c (N/m); 0 lets them be independent, as in a loose weave.
    pub coupling: f32,
    /// Stiffness against shear, G (N/m).
    pub shear: f32,
    /// Flexural rigidity D, bending the warp and bending the weft (N·m).
    pub bending: [f32; 2],
    /// Mass per area (kg/m²).
    pub areal_density: f32,
    /// Thickness (m).
    pub thickness: f32,
    /// How fast vibrations die away.
    pub damping: Damping,
}

impl Default for Sheet {
    /// Cotton.
    fn default() -> Self {
        presets::COTTON
    }
}

impl Sheet {
    /// A sheet of an isotropic solid.
    ///
    /// ```text
    /// k = Et/(1−ν²),  c = νk,  G = Et/(2(1+ν)),  D = Et³/(12(1−ν²))
    /// ```
    ///
    /// Timoshenko and Woinowsky-Krieger 1959, "Theory of Plates and Shells".
    pub const fn of(solid: &Solid, thickness: f32) -> Self {
        let Solid { young, poisson, density, damping } = *solid;
        let stretch = young * thickness / (1.0 - poisson * poisson);
        Self {
            stretch: [stretch; 2],
            coupling: poisson * stretch,
            shear: young * thickness / (2.0 * (1.0 + poisson)),
            bending: [stretch * thickness * thickness / 12.0; 2],
            areal_density: density * thickness,
            thickness,
            damping,
        }
    }

    /// Refuses numbers that no sheet has.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), WorldError> {
        let [warp, weft] = self.stretch;
        positive("stretch stiffness along the warp", warp)?;
        positive("stretch stiffness along the weft", weft)?;
        positive("areal density", self.areal_density)?;
        positive("thickness", self.thickness)?;
        at_least_zero("shear stiffness", self.shear)?;
        at_least_zero("bending stiffness of the warp", self.bending[0])?;
        at_least_zero("bending stiffness of the weft", self.bending[1])?;
        let (what, value) = ("coupling of warp and weft", self.coupling);
        if !(value >= 0.0 && value < warp.min(weft)) {
            let needs = "at least 0 and less than the stretch stiffness of either";
            return Err(WorldError::BadNumber { what, value, needs });
        }
        self.damping.check()
    }

    /// The spring of a constraint whose energy is ½ `stiffness` C² per area, in an element of
    /// `area` (m²).
    pub(crate) fn hold(&self, stiffness: f64, area: f64) -> Hold {
        self.damping.hold(stiffness * area)
    }

    /// The spring of the angle between two triangles that share an edge of `length` (m) and have
    /// `area` (m²) together. `along` is the cosine between the warp and the direction across the
    /// edge, which is the one that bends.
    ///
    /// ```text
    /// energy = D |e| θ² / (h₁ + h₂)      h₁, h₂ the triangles' heights over the edge
    ///        = ½ (D |e|² / area) θ²
    /// ```
    ///
    /// The constant is the one that lands on the cantilever's master curve; that of Grinspun et
    /// al. 2003 is three times this.
    pub(crate) fn hinge(&self, length: f64, area: f64, along: f64) -> Hold {
        let [warp, weft] = self.bending.map(f64::from);
        let rigidity = weft + (warp - weft) * along * along;
        self.damping.hold(rigidity * length * length / area)
    }
}

/// A long and thin material: rope, thread, wire.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cord {
    /// Force per strain, EA (N).
    pub stretch: f32,
    /// Moment per curvature, EI (N·m²).
    pub bending: f32,
    /// Mass per length (kg/m).
    pub linear_density: f32,
    /// Diameter (m).
    pub thickness: f32,
    /// How fast vibrations die away.
    pub damping: Damping,
}

impl Default for Cord {
    /// Climbing rope.
    fn default() -> Self {
        presets::ROPE
    }
}

impl Cord {
    /// A round rod of a solid.
    ///
    /// ```text
    /// EA = E πd²/4,  EI = E πd⁴/64
    /// ```
    pub const fn of(solid: &Solid, thickness: f32) -> Self {
        let area = std::f32::consts::PI / 4.0 * thickness * thickness;
        Self {
            stretch: solid.young * area,
            bending: solid.young * area * thickness * thickness / 16.0,
            linear_density: solid.density * area,
            thickness,
            damping: solid.damping,
        }
    }

    /// Refuses numbers that no cord has.
    ///
    /// # Errors
    /// If one is out of range.
    pub fn check(&self) -> Result<(), WorldError> {
        positive("stretch stiffness", self.stretch)?;
        positive("linear density", self.linear_density)?;
        positive("thickness", self.thickness)?;
        at_least_zero("bending stiffness", self.bending)?;
        self.damping.check()
    }

    /// The spring of a link of `length` (m).
    pub(crate) fn link(&self, length: f64) -> Hold {
        self.damping.hold(f64::from(self.stretch) / length)
    }

    /// The spring of the bend between two links of `length` (m) each on average.
    pub(crate) fn bend(&self, length: f64) -> Hold {
        self.damping.hold(f64::from(self.bending) / length)
    }
}

impl Damping {
    fn check(self) -> Result<(), WorldError> {
        at_least_zero("damping time", self.time)
    }
}

/// Refuses what is not positive and finite.
pub(crate) fn positive(what: &'static str, value: f32) -> Result<(), WorldError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(WorldError::BadNumber { what, value, needs: "positive and finite" })
}

/// Refuses what is negative or not finite.
fn at_least_zero(what: &'static str, value: f32) -> Result<(), WorldError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(WorldError::BadNumber { what, value, needs: "finite and at least 0" })
}
