//! Every link of a document to a file of the project leads somewhere.

use super::{Finding, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| path.ends_with(".md")) {
        for (line, target) in links(text) {
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") || file.starts_with("mailto:") {
                continue;
            }
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let resolved = resolve(folder, file);
            if !tree.has_file(&resolved) && !tree.has_folder(&resolved) {
                let what = format!("the link to `{target}` leads nowhere");
                findings.push(Finding::new(path, line, what, "mend or remove it"));
            }
        }
    }
    findings
}

/// The targets of `[text](target)` outside of code blocks and HTML comments.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut in_code, mut in_comment) = (false, false);
    for (i, line) in text.lines().enumerate() {
        in_code ^= line.trim_start().starts_with("```");
        in_comment |= line.contains("<!--");
        if !in_code && !in_comment {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(targets.map(|(target, _)| (i + 1, target)));
        }
        in_comment &= !line.contains("-->");
    }
    found
}

/// `target` as seen from `folder`, without `..`.
fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<usize> {
        let tree = Tree::of(&[("docs/a.md", text), ("docs/b.md", ""), ("src/lib.rs", "")]);
        check(&tree).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn links_that_lead_somewhere_are_clean() {
        let text = "[b](b.md#part) [src](../src) ![x](./b.md)\n[w](https://a.b/c.md) [h](#here)";
        assert_eq!(findings(text), [0; 0]);
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        assert_eq!(findings("[b](b.md)\n![p](gone.png) [c](../docs/gone.md)"), [2, 2]);
    }

    #[test]
    fn code_and_comments_are_not_looked_at() {
        assert_eq!(
            findings("```text\n[a](gone)\n```\n<!-- [b](gone)\n[c](gone) -->\n[d](gone)"),
            [6]
        );
    }
}
