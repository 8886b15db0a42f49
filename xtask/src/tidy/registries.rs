//! Every file of a folder of like things stands in the slice `ALL` of its parent module.

use super::source::code;
use super::{Finding, Tree};

/// The folders of like things.
const FOLDERS: &[&str] = &[
    "crates/pliant/src/collider",
    "crates/pliant/src/coloring",
    "crates/pliant/src/constraint",
    "crates/pliant/src/contact/broad_phase",
    "crates/pliant/src/force",
    "crates/pliant/src/integrate",
    "crates/pliant/src/laws",
    "crates/pliant/src/measure",
    "crates/pliant/src/region",
    "crates/pliant/src/scenes",
    "crates/pliant/src/solver",
    "crates/pliant_io/src/scene/body",
    "crates/pliant_io/src/scene/collider",
    "crates/pliant_io/src/scene/event",
    "crates/pliant_viewer/src/layer",
    "crates/pliant_viewer/src/panel",
    "crates/pliant_viewer/src/problem",
    "crates/pliant_viewer/src/tool",
    "xtask/src/tidy",
];

/// Files in those folders that are not entries, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("crates/pliant/src/collider/motion.rs", "how every shape moves"),
    ("crates/pliant/src/collider/tests.rs", "what every shape is held to"),
    ("crates/pliant/src/coloring/blocks.rs", "what is coloured"),
    ("crates/pliant/src/coloring/graph.rs", "what is coloured"),
    ("crates/pliant/src/coloring/order.rs", "in which order colours follow each other"),
    ("crates/pliant/src/coloring/tests.rs", "tests of all algorithms"),
    ("crates/pliant/src/constraint/set.rs", "what every kind shares"),
    ("crates/pliant/src/contact/broad_phase/cells.rs", "what grids share"),
    ("crates/pliant/src/contact/broad_phase/rows.rs", "what several share"),
    ("crates/pliant/src/integrate/tests.rs", "tests of all integrators"),
    ("crates/pliant/src/laws/coverage.rs", "the plan of checks"),
    ("crates/pliant/src/laws/oscillator.rs", "what the laws of integrators share"),
    ("crates/pliant/src/laws/rig.rs", "what several laws share"),
    ("crates/pliant/src/region/algebra.rs", "what several kinds share"),
    ("crates/pliant/src/region/buffers.rs", "what every kind shares"),
    ("crates/pliant/src/region/set.rs", "what every kind shares"),
    ("crates/pliant/src/solver/tests.rs", "what every solver is held to"),
    ("xtask/src/tidy/source.rs", "what several checks share"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for folder in FOLDERS {
        let parent = format!("{folder}.rs");
        let parent_code = code(tree.text(&parent));
        let registry = registry(&parent_code);
        for module in modules(tree, folder) {
            let path = format!("{folder}/{module}.rs");
            let listed = registry.is_some_and(|text| mentions(text, module));
            if !listed && !EXEMPT.iter().any(|(exempt, _)| *exempt == path) {
                let what = format!("`{module}::` does not stand in `ALL` of {parent}");
                let remedy = "add its line there, or move the file out of the folder";
                findings.push(Finding::new(&path, 0, what, remedy));
            }
        }
    }
    findings
}

/// The modules that are files of `folder` itself.
fn modules<'a>(tree: &'a Tree, folder: &str) -> Vec<&'a str> {
    let prefix = format!("{folder}/");
    tree.texts()
        .filter_map(|(path, _)| path.strip_prefix(&prefix)?.strip_suffix(".rs"))
        .filter(|module| !module.contains('/'))
        .collect()
}

/// What stands in `const ALL … = &[ … ];`.
fn registry(code: &str) -> Option<&str> {
    let start = ["const ALL:", "static ALL:"].iter().find_map(|begin| code.find(begin))?;
    let text = &code[start..];
    Some(&text[..text.find("];")?])
}

/// Whether `module::` occurs as a whole word.
fn mentions(text: &str, module: &str) -> bool {
    let path = format!("{module}::");
    text.match_indices(&path).any(|(i, _)| !text[..i].ends_with(super::source::is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "crates/pliant/src/scenes.rs";

    fn findings(parent: &str) -> usize {
        let files = ["crates/pliant/src/scenes/chain.rs", "crates/pliant/src/scenes/cloth.rs"];
        check(&Tree::of(&[(PARENT, parent), (files[0], ""), (files[1], "")])).len()
    }

    #[test]
    fn a_complete_registry_is_clean() {
        assert_eq!(findings("pub const ALL: &[Scene] = &[chain::SCENE, cloth::SCENE];"), 0);
        assert_eq!(findings("pub static ALL: [Scene; 2] = [chain::SCENE, cloth::SCENE];"), 0);
    }

    #[test]
    fn a_missing_line_is_found() {
        assert_eq!(findings("pub const ALL: &[Scene] = &[chain::SCENE];\nuse cloth::A;"), 1);
        assert_eq!(
            findings("pub const ALL: &[Scene] = &[\nchain::SCENE,\n// cloth::SCENE,\n];"),
            1
        );
        assert_eq!(findings("pub const ALL: &[Scene] = &[chain::SCENE, tablecloth::SCENE];"), 1);
    }

    #[test]
    fn a_folder_without_registry_is_found() {
        assert_eq!(findings("mod chain; mod cloth;"), 2);
    }
}
