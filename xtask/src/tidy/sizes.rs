//! No large file: whoever clones the project pays for it for ever.

use super::{Finding, Tree};

/// The largest file (bytes).
const LIMIT: u64 = 1 << 20;

const PICTURES: &[&str] = &[".gif", ".jpg", ".png", ".svg", ".webp"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, file) in &tree.0 {
        let is_picture = path.starts_with("docs/") && PICTURES.iter().any(|e| path.ends_with(e));
        if file.bytes > LIMIT && !is_picture {
            let what =
                format!("{} kB are more than the {} kB allowed", file.bytes >> 10, LIMIT >> 10);
            let remedy = "generate it, shrink it, or, if it is a picture, move it to docs/";
            findings.push(Finding::new(path, 0, what, remedy));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_found_unless_they_are_pictures_of_the_documents() {
        let large = " ".repeat(LIMIT as usize + 1);
        let tree = Tree::of(&[("docs/a.gif", &large), ("b.gif", &large), ("docs/c.bin", &large)]);
        let paths: Vec<_> = check(&tree).into_iter().map(|finding| finding.path).collect();
        assert_eq!(paths, ["b.gif", "docs/c.bin"]);
    }

    #[test]
    fn files_up_to_the_limit_are_clean() {
        assert!(check(&Tree::of(&[("a", &" ".repeat(LIMIT as usize))])).is_empty());
    }
}
