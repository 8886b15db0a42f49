//! Where bodies and colliders have their form from: a box, a ball, a solid of ours, or a file.

use std::path::Path;

use pliant::glam::Vec3;
use pliant::mesh::body::Stock;
use pliant::mesh::repair::Repair;
use pliant::mesh::solids::{self, Solid, ball::ball};
use pliant::mesh::{Resolution, TetMesh, TriMesh};

use super::Context;
use super::error::SceneError;
use super::fields::Fields;
use super::keys::{FAR, Form, Key, THIN, Without};
use super::units;
use crate::mesh::{self, Format, Looks, MeshError, Source as Bytes};

/// Most particles of one body: 4 GB with their constraints.
pub(super) const MOST: f64 = 4e6;

/// The keys that say where a body has its form from.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "box",
        form: Form::Numbers(3, units::LENGTH, THIN, FAR),
        without: Without::Else("one of ball, solid and mesh"),
        meaning: "a box of this size along x, y and z",
    },
    Key {
        name: "ball",
        form: Form::Number(units::LENGTH, THIN, FAR),
        without: Without::Else("one of box, solid and mesh"),
        meaning: "a ball of this radius",
    },
    SOLID,
    MESH,
    SCALE,
    DETAIL,
];

/// The keys that say which surface a collider has.
pub(super) const SURFACE: &[Key] = &[
    Key { without: Without::Else("mesh"), ..SOLID },
    Key { without: Without::Else("solid"), ..MESH },
    SCALE,
    DETAIL,
];

const SOLID: Key = Key {
    name: "solid",
    form: Form::Word(|| solids::ALL.iter().map(|solid| solid.name).collect()),
    without: Without::Else("one of box, ball and mesh"),
    meaning: "a solid by name, about a metre large; see `scale`",
};

const MESH: Key = Key {
    name: "mesh",
    form: Form::Text,
    without: Without::Else("one of box, ball and solid"),
    meaning: "a mesh file beside the scene, in any format that `pliant mesh` reads",
};

const SCALE: Key = Key {
    name: "scale",
    form: Form::Number(units::ONE, 1e-6, 1e6),
    without: Without::Is("1"),
    meaning: "metres that a metre of the solid or mesh becomes; 0.001 for files in mm",
};

const DETAIL: Key = Key {
    name: "detail",
    form: Form::Whole(2, 128),
    without: Without::Is("32"),
    meaning: "triangles along a metre of the solid before it is scaled, or from pole to pole of a ball",
};

/// How fine a body is made.
pub(super) const FINENESS: &[Key] = &[
    Key {
        name: "cell",
        form: Form::Number(units::LENGTH, THIN, FAR),
        without: Without::Else("a tenth of the size, or what `count` asks for"),
        meaning: "distance of neighbouring particles; smaller is finer, and costs in proportion to \
                  the cube",
    },
    Key {
        name: "count",
        form: Form::Whole(4, MOST as u32),
        without: Without::Else("what `cell` asks for"),
        meaning: "about how many particles or tetrahedra fill it",
    },
];

/// The keys of which one gives the form.
pub(super) const FORMS: &[&str] = &["box", "ball", "solid", "mesh"];

/// The form of a body.
pub(super) enum Source {
    Box(Vec3),
    Mesh(Box<Stock>),
}

impl Source {
    pub(super) fn read(fields: &Fields<'_>, context: &Context<'_>) -> Result<Self, SceneError> {
        let scale = fields.number("scale");
        let detail = fields.whole("detail").unwrap_or(32);
        let none = TetMesh::default();
        match fields.only_one_of(FORMS)? {
            Some("box") => Ok(Self::Box(fields.vector("box"))),
            Some("ball") => {
                let surface = ball(fields.number("ball"), detail, 2 * detail);
                stock(fields, "ball", surface, none)
            }
            Some("solid") => {
                let solid = Solid::find(&fields.word("solid"));
                let solid = solid.ok_or_else(|| fields.error("solid", "no such solid"))?;
                let surface = (solid.make)(detail);
                let surface = surface.map_err(|e| fields.error("solid", e.to_string()))?;
                stock(fields, "solid", scaled(surface, scale), none)
            }
            Some(_) => {
                let imported = imported(fields, context)?;
                let mut tets = imported.tets;
                tets.positions.iter_mut().for_each(|x| *x *= scale);
                stock(fields, "mesh", scaled(imported.surface.mesh, scale), tets)
            }
            None => {
                let keys = fields.table.keys_of(fields.node);
                let forms = FORMS.iter().filter(|form| keys.iter().any(|key| key.name == **form));
                let names = forms.copied().collect::<Vec<_>>().join(", ");
                Err(fields.node.error(format!("this needs a form: one of {names}")))
            }
        }
    }

    /// The surface, for what is hollow or firm.
    pub(super) fn surface(self, cell: Option<f32>) -> TriMesh {
        match self {
            Self::Mesh(stock) => stock.surface.mesh,
            Self::Box(size) => {
                let cell = cell.unwrap_or(size.max_element() / 10.0);
                let squares = (size.max_element() / cell).round().clamp(1.0, 256.0);
                solids::cuboid::cuboid(size, squares as u32)
            }
        }
    }
}

fn scaled(mut mesh: TriMesh, scale: f32) -> TriMesh {
    mesh.positions.iter_mut().for_each(|x| *x *= scale);
    mesh
}

fn stock(
    fields: &Fields<'_>,
    key: &str,
    surface: TriMesh,
    tets: TetMesh,
) -> Result<Source, SceneError> {
    let stock = Stock::new(&surface, &tets, &Repair::default());
    let stock = stock.map_err(|error| fields.error(key, error.to_string()))?;
    Ok(Source::Mesh(Box::new(stock)))
}

/// What is in the file that the key `mesh` names, which is beside the scene.
pub(super) fn imported(
    fields: &Fields<'_>,
    context: &Context<'_>,
) -> Result<mesh::Imported, SceneError> {
    of_file(fields, context, mesh::read_bytes)
}

/// How the triangles of that file look.
pub(super) fn looks(fields: &Fields<'_>, context: &Context<'_>) -> Result<Looks, SceneError> {
    of_file(fields, context, mesh::looks_of)
}

fn of_file<T>(
    fields: &Fields<'_>,
    context: &Context<'_>,
    read: fn(&Format, &Bytes<'_>) -> Result<T, MeshError>,
) -> Result<T, SceneError> {
    let name = &fields.word("mesh");
    let wrong = |error: &dyn std::fmt::Display| fields.error("mesh", error.to_string());
    let format = Format::of(Path::new(name)).map_err(|error| wrong(&error))?;
    let bytes = (context.files)(name).map_err(|error| wrong(&error))?;
    let beside = |name: &str| (context.files)(name);
    let source = Bytes { name: Path::new(name), bytes: &bytes, beside: &beside };
    read(format, &source).map_err(|error| wrong(&error))
}

/// How fine a body of this size (m) is to be.
pub(super) fn resolution(fields: &Fields<'_>, size: f32) -> Result<Resolution, SceneError> {
    fields.only_one_of(&["cell", "count"])?;
    Ok(match fields.whole("count") {
        Some(count) => Resolution::Count(count),
        None => Resolution::Cell(fields.maybe("cell").unwrap_or(size / 10.0)),
    })
}

/// Cells along each side of a box, at least one; an error if there are too many of them.
pub(super) fn cells(fields: &Fields<'_>, size: Vec3) -> Result<[u32; 3], SceneError> {
    let cell = match resolution(fields, size.max_element())? {
        Resolution::Cell(cell) => cell,
        Resolution::Count(count) => libm::cbrtf(size.x * size.y * size.z / count as f32),
    };
    let counts = (size / cell).round().max(Vec3::ONE);
    few_enough(fields, counts.to_array().iter().map(|&count| f64::from(count) + 1.0).product())?;
    Ok(counts.to_array().map(|count| count as u32))
}

/// Refuses more particles than a machine holds.
pub(super) fn few_enough(fields: &Fields<'_>, particles: f64) -> Result<(), SceneError> {
    if particles <= MOST {
        return Ok(());
    }
    let message =
        format!("these cells make {particles:.2e} particles; at most {MOST:.0e} are made");
    Err(fields.error("cell", message))
}
