//! Bytes that wait until the rest of their file is known.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// A hidden file beside the one that it is for; it is gone when dropped.
pub(super) struct Spool {
    path: PathBuf,
    file: BufWriter<File>,
}

/// Tells apart spools of one process.
static COUNT: AtomicU32 = AtomicU32::new(0);

impl Spool {
    pub(super) fn beside(path: &Path) -> io::Result<Self> {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = path.with_file_name(format!(".pliant-{}-{number}.spool", process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok(Self { path, file: BufWriter::new(file) })
    }

    /// Copies all that was written.
    pub(super) fn copy_into(&mut self, out: &mut impl Write) -> io::Result<u64> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.seek(SeekFrom::Start(0))?;
        io::copy(file, out)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // Best effort: a hidden file that is left behind harms nobody.
        let _ = std::fs::remove_file(&self.path);
    }
}
