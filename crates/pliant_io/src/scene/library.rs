//! The scenes that come with the program.

/// A scene that comes with the program.
#[derive(Debug)]
pub struct Entry {
    /// Its name, as in `pliant run hanging-cloth`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// An entry for the file of that name in `scenes/`.
macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(Entry {
            name: $name,
            text: include_str!(concat!("../../../../scenes/", $name, ".toml")),
        }),*]
    };
}

/// Hands the names of all scenes to another macro, in the order in which they are shown: whatever has
/// something of each scene needs no list of its own.
#[macro_export]
macro_rules! scene_names {
    ($then:ident) => {
        $then![
            "showcase",
            "hanging-cloth",
            "cloth-and-ball",
            "five-balls",
            "elephant",
            "elephant-hung",
            "elephant-hit",
            "trampoline",
            "curtain",
            "squeezed-cube",
            "cloth-on-cube",
            "blown-cloth",
            "teapot",
            "clutter",
            "soft-cube",
            "axe",
            "ledge",
            "spike",
            "stairs",
            "saturn",
            "flag",
            "foam",
            "linked",
            "swing",
            "materials",
            "organs",
            "cut-liver",
            "torus",
            "bent-bar",
            "tumbling",
            "balloons",
            "stack",
            "plank",
            "heavy-ball",
            "folding",
            "five-cloths",
            "shirt",
            "drapes",
            "laundry",
            "moon",
            "parachute",
            "hand",
            "strain-limit",
        ]
    };
}

/// Every scene.
pub const ALL: &[Entry] = scene_names!(scenes);

/// The scene of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    // `hanging_cloth` is forgiven.
    let name = name.replace('_', "-");
    ALL.iter().find(|entry| entry.name == name)
}
