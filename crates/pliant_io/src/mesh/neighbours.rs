//! Files that a file names, which may lie in its folder and nowhere else.
//!
//! A file from a stranger must not be able to read the reader's other files, nor to open devices
//! and pipes. The name is decoded and checked word by word before the system sees it, and what it
//! leads to is compared with the folder afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Cause, contents};

/// Reads the file `name`, as a file in `folder` gives it.
pub(crate) fn read(folder: &Path, name: &str) -> Result<Vec<u8>, Cause> {
    let refuse = |reason: &str| Cause::Neighbour { name: short(name), reason: reason.to_owned() };
    let parts = parts(name).ok_or_else(|| {
        refuse("is not a plain name inside its folder; put the file beside it and name it so")
    })?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = no_links(folder, &parts).map_err(|reason| refuse(&reason))?;
    contents(&path).map_err(|cause| refuse(&format!("cannot be read: {cause}")))
}

/// The folders and the name, or nothing if the name could lead elsewhere.
fn parts(name: &str) -> Option<Vec<String>> {
    let decoded = percent_decode(name)?;
    let plain = |part: &&str| {
        !part.is_empty() && *part != "." && *part != ".." && !part.contains(['\\', ':', '\0'])
    };
    let parts: Vec<_> = decoded.split('/').collect();
    let all = parts.iter().all(plain) && decoded.len() < 1024;
    all.then(|| parts.into_iter().map(str::to_owned).collect())
}

/// `%41` becomes `A`. Nothing if what comes out is not UTF-8.
fn percent_decode(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push((digit()? * 16 + digit()?) as u8);
    }
    String::from_utf8(bytes).ok()
}

/// The path, none of whose parts below `folder` is a symbolic link.
fn no_links(folder: &Path, parts: &[String]) -> Result<PathBuf, String> {
    let mut path = folder.to_path_buf();
    for part in parts {
        path.push(part);
        let kind =
            fs::symlink_metadata(&path).map_err(|error| format!("cannot be read: {error}"))?;
        if kind.is_symlink() {
            return Err("is a symbolic link; put the file itself beside it".to_owned());
        }
    }
    let inside = |path: &Path| path.canonicalize().map_err(|e| format!("cannot be read: {e}"));
    match inside(&path)?.starts_with(inside(folder)?) {
        true => Ok(path),
        false => Err("lies outside of its folder; put the file beside it".to_owned()),
    }
}

/// The start of a name, which may be as long as the file.
fn short(name: &str) -> String {
    name.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_have_parts() {
        assert_eq!(parts("a%20b/c.bin").unwrap(), ["a b", "c.bin"]);
        let escapes = [
            "",
            "/etc/passwd",
            "../a",
            "a/../b",
            "%2e%2e/a",
            "..%2fa",
            "%2Fetc",
            "file:///etc/passwd",
            "http://x/y",
            "C:\\a",
            "a\\..\\b",
            "\\\\server\\a",
            "a%00b",
            "%FF",
            "%4",
            "%zz",
            "./a",
            "a//b",
        ];
        for escape in escapes {
            assert_eq!(parts(escape), None, "{escape}");
        }
    }
}
