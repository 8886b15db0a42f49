//! `[material.NAME]`: what bodies are made of.

use std::collections::BTreeMap;

use pliant::material::presets::{self, Material};
use pliant::material::{Cord, Damping, Sheet, Solid};

use super::error::{SceneError, did_you_mean};
use super::fields::Fields;
use super::keys::{Form, HUGE, Key, TINY, Table, Without};
use super::units;

/// The materials of a scene by name.
pub(super) type Materials = BTreeMap<String, Material>;

/// `[material.NAME]`.
pub(super) static TABLE: Table = Table {
    name: "[material.NAME]",
    meaning: "a material: a preset, numbers of your own, or a preset with some numbers changed",
    keys: &[&[
        Key {
            name: "preset",
            form: Form::Word(|| presets::ALL.iter().map(|preset| preset.name).collect()),
            without: Without::Else("the default of the kind"),
            meaning: "a material by name, whose numbers hold where no others are given",
        },
        Key {
            name: "damping_ratio",
            form: Form::Number(units::ONE, 0.0, 10.0),
            without: Without::Else("that of the preset"),
            meaning: "damping of vibrations at the frequency `damping_at`; 1 is critical",
        },
        Key {
            name: "damping_at",
            form: Form::Number(units::FREQUENCY, 1e-3, 1e6),
            without: Without::Is("\"10 Hz\""),
            meaning: "frequency at which `damping_ratio` holds; damping grows in proportion to it",
        },
    ]],
    settings: None,
    kinds: Some((
        Key {
            name: "kind",
            form: Form::Word(|| KINDS.iter().map(|table| table.name).collect()),
            without: Without::Refused,
            meaning: "what form the material has",
        },
        || KINDS.to_vec(),
    )),
};

const KINDS: &[&Table] = &[&SOLID, &SHEET, &CORD];

const fn positive(name: &'static str, unit: units::Dimension, meaning: &'static str) -> Key {
    let without = Without::Else("that of the preset");
    Key { name, form: Form::Number(unit, TINY, HUGE), without, meaning }
}

const POISSON: Key = Key {
    name: "poisson",
    form: Form::Number(units::ONE, 0.0, 0.499),
    without: Without::Else("that of the preset"),
    meaning: "Poisson's ratio: how much narrower it gets for being longer",
};

static SOLID: Table = Table {
    name: "solid",
    meaning: "fills space: rubber, jelly, flesh",
    keys: &[&[
        positive("young", units::PRESSURE, "Young's modulus: stress over strain when pulled"),
        POISSON,
        positive("density", units::DENSITY, "mass per volume"),
    ]],
    settings: None,
    kinds: None,
};

static SHEET: Table = Table {
    name: "sheet",
    meaning: "thin: fabric, paper, skin",
    keys: &[&[
        positive(
            "young",
            units::PRESSURE,
            "Young's modulus of a sheet that is alike all ways; gives \
                  stretch, shear and bending by `thickness`",
        ),
        POISSON,
        Key {
            name: "stretch",
            form: Form::OneOrTwo(units::STIFFNESS, TINY, HUGE),
            without: Without::Else("that of the preset"),
            meaning: "force per width and strain, along warp and weft",
        },
        Key {
            name: "shear",
            form: Form::Number(units::STIFFNESS, 0.0, HUGE),
            without: Without::Else("that of the preset"),
            meaning: "stiffness against shear, per width",
        },
        Key {
            name: "coupling",
            form: Form::Number(units::STIFFNESS, 0.0, HUGE),
            without: Without::Else("that of the preset"),
            meaning: "what couples strain along warp and weft",
        },
        Key {
            name: "bending",
            form: Form::OneOrTwo(units::ENERGY, 0.0, HUGE),
            without: Without::Else("that of the preset"),
            meaning: "flexural rigidity, bending the warp and the weft",
        },
        positive("areal_density", units::AREAL_DENSITY, "mass per area"),
        positive("thickness", units::LENGTH, "thickness; colliders keep half of it away"),
    ]],
    settings: None,
    kinds: None,
};

static CORD: Table = Table {
    name: "cord",
    meaning: "long and thin: rope, thread, wire",
    keys: &[&[
        positive("stretch", units::FORCE, "force per strain, EA"),
        Key {
            name: "bending",
            form: Form::Number(units::CORD_BENDING, 0.0, HUGE),
            without: Without::Else("that of the preset"),
            meaning: "moment per curvature, EI",
        },
        positive("linear_density", units::LINEAR_DENSITY, "mass per length"),
        positive("thickness", units::LENGTH, "diameter; colliders keep half of it away"),
    ]],
    settings: None,
    kinds: None,
};

/// Reads one material.
pub(super) fn read(fields: &Fields<'_>) -> Result<Material, SceneError> {
    let preset = fields.text("preset").and_then(|name| presets::find(&name));
    let preset = preset.map(|preset| preset.material);
    let material = match (fields.word("kind").as_str(), preset) {
        ("solid", None) => Material::Solid(solid(fields, Solid::default())),
        ("solid", Some(Material::Solid(from))) => Material::Solid(solid(fields, from)),
        ("sheet", None) => Material::Sheet(sheet(fields, Sheet::default())?),
        ("sheet", Some(Material::Sheet(from))) => Material::Sheet(sheet(fields, from)?),
        ("cord", None) => Material::Cord(cord(fields, Cord::default())),
        ("cord", Some(Material::Cord(from))) => Material::Cord(cord(fields, from)),
        (_, preset) => {
            let kind = preset.as_ref().map_or("solid", kind);
            let message = format!("this preset is a {kind}; write kind = \"{kind}\"");
            return Err(fields.error("preset", message));
        }
    };
    let checked = match &material {
        Material::Solid(solid) => solid.check(),
        Material::Sheet(sheet) => sheet.check(),
        Material::Cord(cord) => cord.check(),
    };
    checked.map_err(|error| fields.node.error(error.to_string()))?;
    Ok(material)
}

/// The kind of a material, as in scenes.
pub(super) fn kind(material: &Material) -> &'static str {
    match material {
        Material::Solid(_) => "solid",
        Material::Sheet(_) => "sheet",
        Material::Cord(_) => "cord",
    }
}

fn damping(fields: &Fields<'_>, otherwise: Damping) -> Damping {
    let at = fields.number("damping_at");
    fields.maybe("damping_ratio").map_or(otherwise, |ratio| Damping::ratio(ratio, at))
}

fn solid(fields: &Fields<'_>, from: Solid) -> Solid {
    Solid {
        young: fields.maybe("young").unwrap_or(from.young),
        poisson: fields.maybe("poisson").unwrap_or(from.poisson),
        density: fields.maybe("density").unwrap_or(from.density),
        damping: damping(fields, from.damping),
    }
}

fn sheet(fields: &Fields<'_>, from: Sheet) -> Result<Sheet, SceneError> {
    let thickness = fields.maybe("thickness").unwrap_or(from.thickness);
    let areal_density = fields.maybe("areal_density").unwrap_or(from.areal_density);
    let alike = fields.maybe("young").map(|young| {
        let poisson = fields.maybe("poisson").unwrap_or(0.3);
        let density = areal_density / thickness;
        Sheet::of(&Solid { young, poisson, density, damping: from.damping }, thickness)
    });
    if alike.is_none() && fields.written("poisson").is_some() {
        return Err(fields.error("poisson", "poisson is used with young only; add young"));
    }
    let base = alike.unwrap_or(from);
    Ok(Sheet {
        stretch: fields.maybe_pair("stretch").unwrap_or(base.stretch),
        coupling: fields.maybe("coupling").unwrap_or(base.coupling),
        shear: fields.maybe("shear").unwrap_or(base.shear),
        bending: fields.maybe_pair("bending").unwrap_or(base.bending),
        areal_density,
        thickness,
        damping: damping(fields, from.damping),
    })
}

fn cord(fields: &Fields<'_>, from: Cord) -> Cord {
    Cord {
        stretch: fields.maybe("stretch").unwrap_or(from.stretch),
        bending: fields.maybe("bending").unwrap_or(from.bending),
        linear_density: fields.maybe("linear_density").unwrap_or(from.linear_density),
        thickness: fields.maybe("thickness").unwrap_or(from.thickness),
        damping: damping(fields, from.damping),
    }
}

/// The material that a body names, in the scene or among the presets, if it names one.
pub(super) fn of_body(
    fields: &Fields<'_>,
    materials: &Materials,
) -> Result<Option<Material>, SceneError> {
    let Some(name) = fields.text("material") else { return Ok(None) };
    let preset = || presets::find(&name).map(|preset| preset.material);
    let found = materials.get(&name).copied().or_else(preset);
    found.map(Some).ok_or_else(|| {
        let known = materials.keys().map(String::as_str);
        let near = did_you_mean(&name, known.chain(presets::ALL.iter().map(|preset| preset.name)));
        let message = format!("no material is called {name:?}{near}");
        fields.error("material", format!("{message} (add [material.{name}], or take a preset)"))
    })
}

/// Refuses a material that is not of this kind.
pub(super) fn wrong_kind(fields: &Fields<'_>, found: &Material, needs: &str) -> SceneError {
    let of_kind = presets::ALL.iter().filter(|preset| kind(&preset.material) == needs);
    let names: Vec<&str> = of_kind.map(|preset| preset.name).collect();
    let message = format!(
        "this body is made of a {needs}, but the material is a {}; presets are {}",
        kind(found),
        names.join(", ")
    );
    fields.error("material", message)
}
