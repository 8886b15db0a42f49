//! Numbers of a scene that can be changed while it runs: its knobs, and what its bodies are made of.

use pliant::material::presets::{self, Material};

use super::error::{Place, SceneError, SceneErrors, Text};
use super::fields::Fields;
use super::keys::{self, Form, HUGE, Key, Table};
use super::node::{self, Node, Value};
use super::{Scene, body, collider, material, overrides, units, wind};

/// A number of a scene, or a few that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// The path of its key, as [`Scene::tune`] takes it.
    pub path: String,
    /// What it is a number of, for people: a body, a material, the wind.
    pub of: String,
    /// The name of its key.
    pub name: &'static str,
    /// What it is now (SI).
    pub values: Vec<f64>,
    /// The unit of the values.
    pub unit: &'static str,
    /// The least and the greatest that each may be.
    pub range: [f64; 2],
    /// One sentence: what it does.
    pub meaning: &'static str,
}

impl Knob {
    /// Other values for it, as [`Scene::tune`] takes them.
    pub fn text(values: &[f64]) -> String {
        match values {
            [one] => one.to_string(),
            many => {
                let words: Vec<String> = many.iter().map(f64::to_string).collect();
                format!("[{}]", words.join(", "))
            }
        }
    }
}

/// What a body is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Substance {
    /// The body.
    pub body: String,
    /// Its material, if it has one.
    pub material: Option<String>,
    /// The path of the key that names it.
    pub path: String,
    /// What else it could be made of: presets of the same form.
    pub presets: Vec<&'static str>,
    /// The numbers of the material, then those of the body.
    pub knobs: Vec<Knob>,
}

impl Scene {
    /// The numbers that this scene was written for: those that stand in its text, but for sizes and
    /// places.
    pub fn knobs(&self) -> Vec<Knob> {
        let mut knobs = Vec::new();
        for (path, of, fields) in self.tables_to_tune() {
            let keys = fields.table.keys_of(fields.node);
            let written = keys.iter().filter(|key| fields.written(key.name).is_some());
            knobs.extend(written.filter_map(|key| knob(&fields, key, (&path, &of))));
        }
        knobs
    }

    /// What the bodies are made of, in the order of the scene.
    pub fn substances(&self) -> Vec<Substance> {
        let bodies = self.fields().tables("body").enumerate();
        // Rods are there to be looked at.
        let bodies = bodies.filter(|(_, fields)| fields.word("kind") != "rod");
        bodies.map(|(number, fields)| self.substance(number, &fields)).collect()
    }

    /// Changes a number, or what a body is made of, by the path that a [`Knob`] or a [`Substance`]
    /// has; `value` is TOML. A preset whose number is changed becomes a material of the scene.
    ///
    /// # Errors
    /// If there is no such key, or it does not take that value; the scene is as it was then.
    pub fn tune(&mut self, path: &str, value: &str) -> Result<(), SceneErrors> {
        let before = self.root.clone();
        self.retune(path, value).inspect_err(|_| self.root = before)
    }

    fn retune(&mut self, path: &str, value: &str) -> Result<(), SceneErrors> {
        if let ["material", name, _] = path.split('.').collect::<Vec<_>>()[..]
            && self.root.get("material").and_then(|all| all.get(name)).is_none()
        {
            for (path, value) in self.needed_to_tune(path) {
                put(&mut self.root, &path, &value)?;
            }
        }
        put(&mut self.root, path, value)?;
        self.check()
    }

    /// What has to be set before the number of a preset can be: paths and values of the material that
    /// it becomes. Nothing for any other path.
    pub fn needed_to_tune(&self, path: &str) -> Vec<(String, String)> {
        let ["material", name, _] = path.split('.').collect::<Vec<_>>()[..] else {
            return Vec::new();
        };
        let Some(preset) = presets::find(name) else { return Vec::new() };
        let kind = material::kind(&preset.material);
        vec![
            (format!("material.{name}.kind"), format!("{kind:?}")),
            (format!("material.{name}.preset"), format!("{name:?}")),
        ]
    }

    /// The tables whose numbers are knobs: path, name for people, keys.
    fn tables_to_tune(&self) -> Vec<(String, String, Fields<'_>)> {
        let root = self.fields();
        let mut tables = Vec::new();
        if let Some(node) = root.written("wind") {
            tables.push(("wind".into(), "wind".into(), Fields::new(node, &wind::TABLE)));
        }
        for entry in root.written("material").iter().flat_map(|node| node.entries()) {
            // A dot would end the name in a path.
            if !entry.key.contains('.') {
                let path = format!("material.{}", entry.key);
                tables.push((path, entry.key.clone(), Fields::new(&entry.node, &material::TABLE)));
            }
        }
        for (list, table) in [("body", &body::TABLE), ("collider", &collider::TABLE)] {
            let nodes = root.written(list).map_or(&[][..], |node| node.items());
            for (number, node) in nodes.iter().enumerate() {
                let fields = Fields::new(node, table);
                tables.push((format!("{list}.{number}"), called(&fields), fields));
            }
        }
        tables
    }

    fn substance(&self, number: usize, fields: &Fields<'_>) -> Substance {
        let path = format!("body.{number}");
        let made_of = fields.text("material").filter(|name| !name.contains('.'));
        let found = made_of.as_ref().and_then(|name| self.material(name));
        let mut knobs = found.as_ref().map_or_else(Vec::new, |(material, own)| {
            let name = made_of.as_deref().unwrap_or_default();
            material_knobs(name, material, own.as_ref())
        });
        let of = called(fields);
        let keys = fields.table.keys_of(fields.node);
        knobs.extend(keys.iter().filter_map(|key| knob(fields, key, (&path, &of))));
        let form = found.map(|(material, _)| material::kind(&material));
        let alike = presets::ALL.iter().filter(|one| form == Some(material::kind(&one.material)));
        let presets = alike.map(|preset| preset.name).collect();
        Substance { body: of, material: made_of, path: path + ".material", presets, knobs }
    }

    /// A material by name, and its table if the scene has one.
    fn material(&self, name: &str) -> Option<(Material, Option<Fields<'_>>)> {
        let written = self.fields().written("material").and_then(|all| all.get(name));
        match written {
            Some(node) => {
                let fields = Fields::new(node, &material::TABLE);
                Some((material::read(&fields).ok()?, Some(fields)))
            }
            None => Some((presets::find(name)?.material, None)),
        }
    }
}

/// What people call a table of a list.
fn called(fields: &Fields<'_>) -> String {
    let names = ["id", "kind", "shape"].iter().filter_map(|name| fields.written(name));
    names.filter_map(Node::text).next().unwrap_or_default().to_owned()
}

/// Sizes that are no lengths.
const SIZES: &[&str] = &["scale"];

/// The knob of a key, if it is a number that is known and neither a size nor a place.
fn knob(fields: &Fields<'_>, key: &Key, (path, of): (&str, &str)) -> Option<Knob> {
    let (dimension, range) = match key.form {
        Form::Number(dimension, low, high) | Form::OneOrTwo(dimension, low, high) => {
            (dimension, [low, high])
        }
        Form::Hold(dimension) => (dimension, [keys::TINY, HUGE]),
        // Three numbers are a place or a first velocity, but of the wind.
        Form::Numbers(_, dimension, low, high) if fields.table.name == wind::TABLE.name => {
            (dimension, [low, high])
        }
        _ => return None,
    };
    let is_size = dimension == units::LENGTH || SIZES.contains(&key.name);
    if is_size && fields.table.name != material::TABLE.name {
        return None;
    }
    let read = |node: &Node| match &node.value {
        Value::List(items) => items
            .iter()
            .map(|item| keys::number(item, key, dimension, range[0], range[1]).ok())
            .collect(),
        _ => keys::number(node, key, dimension, range[0], range[1]).ok().map(|value| vec![value]),
    };
    let values = match fields.written(key.name) {
        Some(node) => read(node)?,
        None => read(&standard(fields, key)?)?,
    };
    Some(made(key, (dimension, range), values, (path, of)))
}

fn made(
    key: &Key,
    (dimension, range): (units::Dimension, [f64; 2]),
    values: Vec<f64>,
    (path, of): (&str, &str),
) -> Knob {
    Knob {
        path: format!("{path}.{}", key.name),
        of: of.to_owned(),
        name: key.name,
        values,
        unit: dimension.unit,
        range,
        meaning: key.meaning,
    }
}

/// What a key is if it is not written.
fn standard(fields: &Fields<'_>, key: &Key) -> Option<Node> {
    let text = key.without.default(fields.node)?;
    node::parse("default", &format!("value = {text}")).ok()?.get("value").cloned()
}

/// The numbers of a material. `own` is its table, if the scene has one.
fn material_knobs(name: &str, material: &Material, own: Option<&Fields<'_>>) -> Vec<Knob> {
    let at = own.map_or(STANDARD_FREQUENCY, |own| own.number("damping_at"));
    let mut numbers = numbers(material, at);
    // What a sheet that is alike all ways was written with.
    let written = |key: &str| own.filter(|own| own.written(key).is_some())?.maybe(key);
    if !matches!(material, Material::Solid(_)) {
        let alike = ["young", "poisson"].map(|key| Some((key, vec![written(key)?])));
        numbers.splice(0..0, alike.into_iter().flatten());
    }
    let kind = material::kind(material);
    let of_kind = material::TABLE.variants().into_iter().find(|table| table.name == kind);
    let keys: Vec<Key> = of_kind.map(Table::common).into_iter().flatten().collect();
    let keys = keys.into_iter().chain(material::TABLE.common()).collect::<Vec<_>>();
    let path = format!("material.{name}");
    let knob = |(wanted, values): (&str, Vec<f32>)| {
        let key = keys.iter().find(|key| key.name == wanted)?;
        let (Form::Number(dimension, low, high) | Form::OneOrTwo(dimension, low, high)) = key.form
        else {
            return None;
        };
        let values = values.into_iter().map(plain).collect();
        Some(made(key, (dimension, [low, high]), values, (&path, name)))
    };
    numbers.into_iter().filter_map(knob).collect()
}

/// The frequency at which damping is given if nothing is said (Hz); see `damping_at`.
const STANDARD_FREQUENCY: f32 = 10.0;

/// What a material is, by the names of keys; damping at the frequency `at` (Hz).
fn numbers(material: &Material, at: f32) -> Vec<(&'static str, Vec<f32>)> {
    // ζ = π f τ; see `Damping`. Six digits: the rest is rounding.
    let ratio = |damping: pliant::material::Damping| {
        let exact = f64::from(damping.time) * std::f64::consts::PI * f64::from(at);
        ((exact * 1e6).round() * 1e-6) as f32
    };
    match material {
        Material::Solid(solid) => vec![
            ("young", vec![solid.young]),
            ("poisson", vec![solid.poisson]),
            ("density", vec![solid.density]),
            ("damping_ratio", vec![ratio(solid.damping)]),
        ],
        Material::Sheet(sheet) => vec![
            ("stretch", sheet.stretch.to_vec()),
            ("shear", vec![sheet.shear]),
            ("coupling", vec![sheet.coupling]),
            ("bending", sheet.bending.to_vec()),
            ("areal_density", vec![sheet.areal_density]),
            ("thickness", vec![sheet.thickness]),
            ("damping_ratio", vec![ratio(sheet.damping)]),
        ],
        Material::Cord(cord) => vec![
            ("stretch", vec![cord.stretch]),
            ("bending", vec![cord.bending]),
            ("linear_density", vec![cord.linear_density]),
            ("thickness", vec![cord.thickness]),
            ("damping_ratio", vec![ratio(cord.damping)]),
        ],
    }
}

/// The shortest number that is this one in single precision.
fn plain(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}

/// Puts a value, as TOML, at a path.
fn put(root: &mut Node, path: &str, value: &str) -> Result<(), SceneError> {
    let text = std::sync::Arc::new(Text { name: "a change".into(), text: value.into() });
    let place = Place { bytes: 0..value.len(), text };
    let read = node::parse("a change", &format!("value = {value}"));
    let node = read.ok().and_then(|document| document.get("value").cloned()).ok_or_else(|| {
        SceneError { place: place.clone(), message: format!("{value:?} is no value of TOML") }
    })?;
    overrides::put(root, path, Node { value: node.value, place: place.clone() }, &place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = r#"
        format = 1
        [wind]
        velocity = [6, 0, 1]
        [material.mine]
        kind = "solid"
        preset = "jelly"
        young = "20 kPa"
        [[body]]
        id = "cube"
        kind = "tets"
        box = ["20 cm", "20 cm", "20 cm"]
        cell = "10 cm"
        material = "mine"
        friction = 0.5
        [[body]]
        id = "cloth"
        kind = "cloth"
        size = ["40 cm", "40 cm"]
        cell = "10 cm"
        material = "cotton"
        at = [1, 0, 0]
        [[collider]]
        shape = "plane"
        at = [0, -1, 0]
        restitution = 0.25
    "#;

    fn scene() -> Scene {
        Scene::parse("a.toml", SCENE).unwrap()
    }

    #[test]
    fn knobs_are_what_is_written_but_no_sizes_and_no_places() {
        let knobs = scene().knobs();
        let found: Vec<_> = knobs.iter().map(|k| (k.path.as_str(), k.values.as_slice())).collect();
        let expected: [(&str, &[f64]); 4] = [
            ("wind.velocity", &[6.0, 0.0, 1.0]),
            ("material.mine.young", &[20e3]),
            ("body.0.friction", &[0.5]),
            ("collider.0.restitution", &[0.25]),
        ];
        assert_eq!(found, expected);
        assert_eq!((knobs[1].of.as_str(), knobs[1].unit), ("mine", "Pa"));
        assert_eq!(knobs[3].range, [0.0, 1.0]);
    }

    #[test]
    fn every_knob_of_every_scene_takes_the_value_that_it_has() {
        for entry in super::super::library::ALL {
            let mut scene = Scene::parse(entry.name, entry.text).unwrap();
            let substances = scene.substances();
            let made_of = substances.iter().flat_map(|substance| &substance.knobs).cloned();
            for knob in scene.knobs().into_iter().chain(made_of).collect::<Vec<_>>() {
                let text = Knob::text(&knob.values);
                let changed = scene.tune(&knob.path, &text);
                changed.unwrap_or_else(|e| panic!("{}: {knob:?}: {e}", entry.name));
                let within = |value: &f64| (knob.range[0]..=knob.range[1]).contains(value);
                assert!(knob.values.iter().all(within), "{}: {knob:?}", entry.name);
            }
            assert_eq!(scene.substances(), substances, "{}", entry.name);
        }
    }

    #[test]
    fn a_preset_whose_number_is_changed_becomes_a_material_of_the_scene() {
        let mut scene = scene();
        let [cube, cloth] = &scene.substances()[..] else { panic!("two bodies") };
        assert_eq!(
            (cube.material.as_deref(), cube.path.as_str()),
            (Some("mine"), "body.0.material")
        );
        assert!(cube.presets.contains(&"rubber") && !cube.presets.contains(&"cotton"));
        let stretch = cloth.knobs.iter().find(|knob| knob.name == "stretch").unwrap();
        assert_eq!((stretch.path.as_str(), stretch.values.len()), ("material.cotton.stretch", 2));
        scene.tune("material.cotton.areal_density", "0.5").unwrap();
        let density = |scene: &Scene| {
            let knobs = &scene.substances()[1].knobs;
            knobs.iter().find(|knob| knob.name == "areal_density").unwrap().values[0]
        };
        assert_eq!(density(&scene), 0.5);
        let again = Scene::parse("b.toml", &scene.resolved()).unwrap();
        assert_eq!(density(&again), 0.5);
        let mass = |scene: &Scene| {
            let world = scene.build().unwrap().world;
            world.particles.inverse_mass.iter().map(|w| 1.0 / f64::from(*w)).sum::<f64>()
        };
        assert!((mass(&again) - mass(&scene)).abs() < 1e-6 * mass(&scene));
    }

    #[test]
    fn what_cannot_be_is_refused_and_nothing_is_changed() {
        let mut scene = scene();
        let before = scene.resolved();
        for (path, value) in [
            ("material.mine.young", "-1"),
            ("material.cotton.poisson", "2"),
            ("body.7.friction", "0.5"),
            ("body.0.friction", "\"slippery\""),
            ("body.0.friction", "] ["),
            ("no.such.key", "1"),
        ] {
            scene.tune(path, value).expect_err(path);
            assert_eq!(scene.resolved(), before, "{path}");
        }
    }
}
