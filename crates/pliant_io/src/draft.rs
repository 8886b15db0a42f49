//! A file that appears under its name only when it is complete.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Written beside its final place and moved there by [`Draft::publish`]; dropped without that, it
/// leaves nothing behind.
pub(crate) struct Draft {
    path: PathBuf,
    temporary: PathBuf,
    /// `None` once published.
    file: Option<BufWriter<File>>,
}

/// Tells apart drafts of one process.
static COUNT: AtomicU32 = AtomicU32::new(0);

impl Draft {
    /// Starts a draft of the file at `path`, in the same folder so that it can be renamed.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{}.part", process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let temporary = path.with_file_name(hidden);
        let file = Some(BufWriter::new(File::create_new(&temporary)?));
        Ok(Self { path: path.to_path_buf(), temporary, file })
    }

    /// Moves the complete file to its place, replacing what was there. It is on the disk before it
    /// has its name: a machine that loses its power leaves the old file or the new one.
    pub(crate) fn publish(mut self) -> io::Result<()> {
        self.flush()?;
        if let Some(file) = &self.file {
            file.get_ref().sync_all()?;
        }
        // Closed first: some systems do not rename open files.
        let file = self.file.take();
        drop(file);
        fs::rename(&self.temporary, &self.path).inspect_err(|_| remove(&self.temporary))?;
        // The name as well, where the system lets folders be opened.
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Writes a whole file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = Draft::create(path)?;
    draft.write_all(bytes)?;
    draft.publish()
}

/// Whether a name is that of a draft which nobody will finish.
pub(crate) fn is_left_over(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".part")
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Seek for Draft {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.as_mut().map_or(Ok(0), |file| file.seek(to))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            remove(&self.temporary);
        }
    }
}

/// Best effort: the error that led here is the one worth reporting.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}
