//! Cloth on a rectangular grid.

use pliant::glam::Vec3;
use pliant::material::presets::Material;
use pliant::mesh::TriMesh;
use pliant::shapes::{Bending, Cloth, ElasticShell, Folding, WovenCloth};
use pliant::{Blueprint, Hold};

use super::super::fields::Fields;
use super::super::keys::{FAR, Form, Key, THIN, Table, Without};
use super::super::{Context, material, source, units};
use super::{AREAL_DENSITY, BodyKind, DASHPOT, SceneError, engine, no_springs, spring};

pub(in super::super) const KIND: &BodyKind = &BodyKind { table: &TABLE, build };

static TABLE: Table = Table {
    name: "cloth",
    meaning: "a rectangular cloth, level, its warp along x, of a sheet or of springs",
    keys: &[&[
        Key {
            name: "size",
            form: Form::Numbers(2, units::LENGTH, THIN, FAR),
            without: Without::Refused,
            meaning: "along x and along z",
        },
        Key {
            name: "cell",
            form: Form::Number(units::LENGTH, THIN, FAR),
            without: Without::Else("a fortieth of the longer side"),
            meaning: "distance of neighbouring particles; smaller is finer",
        },
        Key {
            name: "weave",
            form: Form::Word(|| vec!["threads", "triangles"]),
            without: Without::Is("\"threads\""),
            meaning: "of a material: threads and diagonals, or triangles, which have no limit on \
                      shear and take three times as long",
        },
        spring("stretch", units::STIFFNESS, Without::Unless("material", "5000"), "of every thread"),
        spring(
            "shear",
            units::STIFFNESS,
            Without::Else("a hundredth of stretch"),
            "of every diagonal",
        ),
        Key {
            name: "folding",
            form: Form::Word(|| vec!["free", "links", "hinges"]),
            without: Without::Unless("material", "\"links\""),
            meaning: "without a material: what resists folding; links go to the next but one",
        },
        Key {
            name: "bending",
            form: Form::Number(units::ONE, 0.0, 1e12),
            without: Without::Unless("material", "1"),
            meaning: "stiffness of the links (N/m) or hinges (N m/rad) that resist folding",
        },
        AREAL_DENSITY,
        DASHPOT,
    ]],
    settings: None,
    kinds: None,
};

fn build(fields: &Fields<'_>, context: &Context<'_>) -> Result<Blueprint, SceneError> {
    let [width, depth] = fields.pair("size");
    let cell = fields.maybe("cell").unwrap_or(width.max(depth) / 40.0);
    let counts = [width, depth].map(|side| (side / cell).round().max(1.0));
    source::few_enough(fields, counts.iter().map(|&count| f64::from(count) + 1.0).product())?;
    let [columns, rows] = counts.map(|count| count as u32 + 1);
    let spacing = [width / counts[0], depth / counts[1]];
    let grid = Cloth { columns, rows, spacing, ..Cloth::default() };
    let made = match material::of_body(fields, context.materials)? {
        None => springs(fields, grid).blueprint(),
        Some(Material::Sheet(material)) => {
            let springs = ["stretch", "shear", "folding", "bending", "areal_density", "dashpot"];
            no_springs(fields, &springs)?;
            if fields.word("weave") == "triangles" {
                let Blueprint { positions, triangles, .. } =
                    grid.blueprint().map_err(|error| engine(fields, &error))?;
                let mesh = TriMesh { positions, triangles };
                let folding = Folding::Curvature;
                ElasticShell { mesh, material, warp: Vec3::X, folding }.blueprint()
            } else {
                WovenCloth { columns, rows, spacing, material }.blueprint()
            }
        }
        Some(other) => return Err(material::wrong_kind(fields, &other, "sheet")),
    };
    made.map_err(|error| engine(fields, &error))
}

fn springs(fields: &Fields<'_>, grid: Cloth) -> Cloth {
    let dashpot = fields.number("dashpot");
    let stretch = fields.hold("stretch", dashpot).unwrap_or(Hold::RIGID);
    // Of something rigid, a hundredth is rigid too.
    let hundredth = Hold { compliance: 100.0 * stretch.compliance, ..stretch };
    let bending = Hold::spring(fields.number("bending").max(1e-12));
    Cloth {
        areal_density: fields.number("areal_density"),
        stretch,
        shear: Some(fields.hold("shear", dashpot).unwrap_or(hundredth)),
        bending: match fields.word("folding").as_str() {
            "free" => Bending::Free,
            "links" => Bending::Links(bending),
            _ => Bending::Hinges(bending),
        },
        ..grid
    }
}
