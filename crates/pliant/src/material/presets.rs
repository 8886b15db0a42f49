//! Materials by name, each with the source of its numbers.
//!
//! A class of materials spreads over a range; a preset is one member in the middle of it. Where a
//! source gives the range only, the row says so.

use super::{Cord, Damping, Sheet, Solid};

/// A material by name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name, as in scene files.
    pub name: &'static str,
    /// One sentence: what it is.
    pub shows: &'static str,
    /// Where the numbers come from.
    pub source: &'static str,
    /// The numbers.
    pub material: Material,
}

/// What a preset is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Material {
    /// Fills space.
    Solid(Solid),
    /// Thin.
    Sheet(Sheet),
    /// Long and thin.
    Cord(Cord),
}

/// The preset of that name.
pub fn find(name: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.name == name)
}

/// Every preset: fabrics, other sheets, cords, rubbers, jelly, foam, tissue.
pub const ALL: &[Preset] = &[
    Preset {
        name: "silk",
        shows: "light silk that flows",
        source: "ranges of Kawabata 1980 for women's thin dress fabrics",
        material: Material::Sheet(SILK),
    },
    Preset {
        name: "cotton",
        shows: "shirt cotton in plain weave",
        source: "ranges of Kawabata 1980 for men's shirting",
        material: Material::Sheet(COTTON),
    },
    Preset {
        name: "wool",
        shows: "wool suiting",
        source: "ranges of Kawabata 1980 for men's winter suiting",
        material: Material::Sheet(WOOL),
    },
    Preset {
        name: "denim",
        shows: "heavy denim, stiffer along the warp",
        source: "ranges of Kawabata 1980, method; Peirce 1930 for rigidity from bending length",
        material: Material::Sheet(DENIM),
    },
    Preset {
        name: "leather",
        shows: "soft leather, 1 mm",
        source: "Ashby 2011, tables of Young's modulus and density: 0.1 to 0.5 GPa, 810 to 1050 kg/m³",
        material: Material::Sheet(LEATHER),
    },
    Preset {
        name: "paper",
        shows: "copy paper of 80 g/m², stiffer along the machine",
        source: "Niskanen 2012: 6 GPa along and 2.5 GPa across the machine direction",
        material: Material::Sheet(PAPER),
    },
    Preset {
        name: "skin",
        shows: "human skin, 2 mm",
        source: "Agache et al. 1980: 0.42 MPa in the young, by torsion in vivo",
        material: Material::Sheet(SKIN),
    },
    Preset {
        name: "latex",
        shows: "the skin of a balloon, 0.3 mm",
        source: "natural rubber of Ashby 2011",
        material: Material::Sheet(LATEX),
    },
    Preset {
        name: "rope",
        shows: "climbing rope of 10 mm",
        source: "EN 892: at most 10 % under 80 kg, here 8 %; the bending stiffness is an estimate",
        material: Material::Cord(ROPE),
    },
    Preset {
        name: "steel_wire",
        shows: "steel wire of 1 mm",
        source: "steel of Ashby 2011: 200 GPa, 7850 kg/m³",
        material: Material::Cord(STEEL_WIRE),
    },
    Preset {
        name: "rubber",
        shows: "natural rubber, as in a tyre's tube",
        source: "Ashby 2011: 1.5 to 2.5 MPa, 920 to 930 kg/m³",
        material: Material::Solid(RUBBER),
    },
    Preset {
        name: "silicone",
        shows: "very soft silicone, as in soft robots",
        source: "data sheet of Ecoflex 00-30: 69 kPa at 100 % strain, which is E = 3 · 69/1.75 kPa",
        material: Material::Solid(SILICONE),
    },
    Preset {
        name: "jelly",
        shows: "gelatine dessert",
        source: "Hall et al. 1997: gelatine gels of a few per cent, some kPa to some tens of kPa",
        material: Material::Solid(JELLY),
    },
    Preset {
        name: "foam",
        shows: "soft open foam, as in cushions",
        source: "Ashby 2011, flexible polymer foam of very low density: 0.3 to 1 MPa, 16 to 35 kg/m³",
        material: Material::Solid(FOAM),
    },
    Preset {
        name: "liver",
        shows: "healthy liver",
        source: "Sandrin et al. 2003: about 5 kPa by transient elastography",
        material: Material::Solid(LIVER),
    },
    Preset {
        name: "fat",
        shows: "fat tissue",
        source: "Samani et al. 2007: 3.25 kPa",
        material: Material::Solid(FAT),
    },
];

/// Bending and shear of fabrics are published in the units of Kawabata's instruments:
/// 1 gf·cm²/cm is 9.81e-5 N·m, 1 gf/(cm·degree) is 56.2 N/m, and an extension e under 500 gf/cm is a
/// stiffness of 490 N/m / e.
const KES_BENDING: f32 = 9.81e-5;
const KES_SHEAR: f32 = 56.2;
const KES_TENSION: f32 = 490.0;

/// Friction between threads damps a fabric: a quarter of critical at 5 Hz, about what Kawabata's
/// loops of hysteresis enclose.
const WOVEN: Damping = Damping { time: 0.25 / (std::f32::consts::PI * 5.0) };

/// Light silk.
pub const SILK: Sheet = Sheet {
    stretch: [KES_TENSION / 0.05, KES_TENSION / 0.05],
    coupling: 0.0,
    shear: 0.3 * KES_SHEAR,
    bending: [0.015 * KES_BENDING; 2],
    areal_density: 0.06,
    thickness: 2e-4,
    damping: WOVEN,
};

/// Shirt cotton.
pub const COTTON: Sheet = Sheet {
    stretch: [KES_TENSION / 0.05, KES_TENSION / 0.07],
    coupling: 0.0,
    shear: 1.5 * KES_SHEAR,
    bending: [0.09 * KES_BENDING, 0.07 * KES_BENDING],
    areal_density: 0.12,
    thickness: 4e-4,
    damping: WOVEN,
};

/// Wool suiting.
pub const WOOL: Sheet = Sheet {
    stretch: [KES_TENSION / 0.06, KES_TENSION / 0.09],
    coupling: 0.0,
    shear: 0.6 * KES_SHEAR,
    bending: [0.12 * KES_BENDING, 0.09 * KES_BENDING],
    areal_density: 0.2,
    thickness: 7e-4,
    damping: WOVEN,
};

/// Denim.
pub const DENIM: Sheet = Sheet {
    stretch: [KES_TENSION / 0.03, KES_TENSION / 0.06],
    coupling: 0.0,
    shear: 3.0 * KES_SHEAR,
    bending: [0.8 * KES_BENDING, 0.5 * KES_BENDING],
    areal_density: 0.4,
    thickness: 9e-4,
    damping: WOVEN,
};

/// Soft leather.
pub const LEATHER: Sheet = Sheet::of(
    &Solid { young: 1e8, poisson: 0.4, density: 900.0, damping: Damping { time: 5e-3 } },
    1e-3,
);

/// Copy paper. Its shear modulus follows from the two moduli as √(E₁E₂)/(2(1 + √(ν₁ν₂))).
pub const PAPER: Sheet = Sheet {
    stretch: [6e5, 2.5e5],
    coupling: 0.6e5,
    shear: 1.5e5,
    bending: [5e-4, 2.1e-4],
    areal_density: 0.08,
    thickness: 1e-4,
    damping: Damping { time: 1e-3 },
};

/// Human skin.
pub const SKIN: Sheet = Sheet::of(
    &Solid { young: 4.2e5, poisson: 0.48, density: 1100.0, damping: Damping { time: 1e-2 } },
    2e-3,
);

/// The skin of a balloon.
pub const LATEX: Sheet = Sheet::of(&RUBBER, 3e-4);

/// Climbing rope.
pub const ROPE: Cord = Cord {
    stretch: 80.0 * 9.81 / 0.08,
    bending: 1e-3,
    linear_density: 0.065,
    thickness: 0.01,
    damping: Damping { time: 5e-3 },
};

/// Steel wire.
pub const STEEL_WIRE: Cord = Cord::of(
    &Solid { young: 2e11, poisson: 0.29, density: 7850.0, damping: Damping { time: 1e-5 } },
    1e-3,
);

/// Natural rubber.
pub const RUBBER: Solid =
    Solid { young: 2e6, poisson: 0.49, density: 925.0, damping: Damping { time: 3e-3 } };

/// Very soft silicone.
pub const SILICONE: Solid =
    Solid { young: 1.18e5, poisson: 0.49, density: 1070.0, damping: Damping { time: 3e-3 } };

/// Gelatine dessert.
pub const JELLY: Solid =
    Solid { young: 1e4, poisson: 0.48, density: 1030.0, damping: Damping { time: 4e-3 } };

/// Soft open foam.
pub const FOAM: Solid =
    Solid { young: 4e5, poisson: 0.3, density: 30.0, damping: Damping { time: 1e-2 } };

/// Healthy liver.
pub const LIVER: Solid =
    Solid { young: 5e3, poisson: 0.48, density: 1060.0, damping: Damping { time: 2e-2 } };

/// Fat tissue.
pub const FAT: Solid =
    Solid { young: 3.25e3, poisson: 0.48, density: 920.0, damping: Damping { time: 2e-2 } };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_material_with_a_name_of_its_own() {
        for (i, preset) in ALL.iter().enumerate() {
            match preset.material {
                Material::Solid(solid) => solid.check(),
                Material::Sheet(sheet) => sheet.check(),
                Material::Cord(cord) => cord.check(),
            }
            .unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert!(ALL[..i].iter().all(|other| other.name != preset.name), "{}", preset.name);
        }
    }

    /// Peirce 1930: a fabric's bending length (D/σg)^⅓ is 1 to 3 cm.
    #[test]
    fn fabrics_have_bending_lengths_of_fabrics() {
        for (name, sheet) in [("silk", SILK), ("cotton", COTTON), ("wool", WOOL), ("denim", DENIM)]
        {
            for bending in sheet.bending {
                let length = libm::cbrtf(bending / (sheet.areal_density * 9.81));
                assert!((0.01..0.03).contains(&length), "{name}: {length} m");
            }
        }
    }
}
