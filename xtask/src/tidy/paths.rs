//! No text of the project names a folder of somebody's machine or the host of a registry.

use super::{Finding, Tree};

/// Folders that exist on some machines only; in two pieces each so that this file has none.
const FOLDERS: &[&str] = &[
    concat!("/", "work/"),
    concat!("/", "root/"),
    concat!("/", "tmp/"),
    concat!("/", "home/"),
    concat!("/", "Users/"),
];

/// Hosts that package managers know by themselves.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("debian", ".org"),
];

/// Files that need such a text, and why.
const EXEMPT: &[(&str, &str)] =
    &[("Cargo.lock", "written by cargo"), ("bench/peers/Cargo.lock", "written by cargo")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        if EXEMPT.iter().any(|(exempt, _)| *exempt == path) {
            continue;
        }
        for (i, line) in text.lines().enumerate() {
            if let Some(folder) = FOLDERS.iter().find(|folder| begins_path(line, folder)) {
                let what = format!("`{folder}` is a folder of one machine");
                let remedy = "make the path relative, or use `std::env::temp_dir`";
                findings.push(Finding::new(path, i + 1, what, remedy));
            }
            if let Some(host) = HOSTS.iter().find(|host| line.contains(*host)) {
                let what = format!("`{host}` is the host of a registry");
                let remedy = "name the package; package managers know where to find it";
                findings.push(Finding::new(path, i + 1, what, remedy));
            }
        }
    }
    findings
}

/// Whether a path of `line` begins with `folder`; `net/work/` and `../tmp/` do not.
fn begins_path(line: &str, folder: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "_-.}*".contains(c);
    line.match_indices(folder).any(|(i, _)| !line[..i].ends_with(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> usize {
        check(&Tree::of(&[("docs/a.md", text)])).len()
    }

    #[test]
    fn machine_folders_are_found() {
        for folder in FOLDERS {
            assert_eq!(findings(&format!("fine\nsee `{folder}x`")), 1, "{folder}");
        }
    }

    #[test]
    fn relative_paths_are_clean() {
        for folder in FOLDERS {
            assert_eq!(findings(&format!("net{folder}a, ..{folder}b, ./c{folder}")), 0, "{folder}");
        }
    }

    #[test]
    fn registry_hosts_are_found() {
        for host in HOSTS {
            assert_eq!(findings(&format!("https://index.{host}/x")), 1, "{host}");
        }
    }

    #[test]
    fn the_lock_file_may_name_its_registry() {
        assert!(check(&Tree::of(&[("Cargo.lock", HOSTS[0])])).is_empty());
    }
}
