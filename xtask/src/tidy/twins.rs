//! Every shader of the engine has its CPU twin beside it, and each names the other.

use super::{Finding, Tree};

const ENGINE: &str = "crates/pliant/src/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (shader, text) in tree.texts() {
        let Some(stem) = shader.strip_suffix(".wgsl").filter(|stem| stem.starts_with(ENGINE))
        else {
            continue;
        };
        let kernel = format!("{stem}.rs");
        let name = stem.rsplit('/').next().unwrap_or(stem);
        if !tree.has_file(&kernel) {
            let what = format!("this shader has no CPU twin `{name}.rs` beside it");
            findings.push(Finding::new(shader, 0, what, "write the twin, or remove the shader"));
            continue;
        }
        for (path, text, twin) in [
            (shader, text, format!("{name}.rs")),
            (kernel.as_str(), tree.text(&kernel), format!("{name}.wgsl")),
        ] {
            if !text.contains(&twin) {
                let what = format!("this file does not name its twin `{twin}`");
                findings.push(Finding::new(path, 0, what, "name it in the first comment"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const RS: &str = "crates/pliant/src/constraint/bend.rs";
    const WGSL: &str = "crates/pliant/src/constraint/bend.wgsl";

    #[test]
    fn twins_that_name_each_other_are_clean() {
        let tree = Tree::of(&[(RS, "include_str!(\"bend.wgsl\")"), (WGSL, "// twin: bend.rs")]);
        assert!(check(&tree).is_empty());
    }

    #[test]
    fn a_shader_alone_is_found() {
        assert_eq!(check(&Tree::of(&[(WGSL, "// twin: bend.rs")])).len(), 1);
    }

    #[test]
    fn twins_that_do_not_name_each_other_are_found() {
        let findings = check(&Tree::of(&[(RS, ""), (WGSL, "")]));
        assert_eq!(findings.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), [WGSL, RS]);
    }
}
