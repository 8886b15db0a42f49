//! MP4: films, made by the program ffmpeg where it is installed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use pliant::raster::Image;

use super::{Film, FilmFormat, ImageError, Reel, at, check_size};

pub(super) const FILM: FilmFormat = FilmFormat {
    name: "mp4",
    about: "small and in all colours; needs the program ffmpeg",
    create: |reel: &Reel| {
        Ok(Box::new(Mp4Writer::create(&reel.with_ending(".mp4"), reel.size, reel.fps)?))
    },
};

/// Longest side that the encoder takes (pixels).
const LIMIT: u32 = 16_384;

/// Writes a film frame by frame. Until [`finish`](Self::finish) the file does not exist under its
/// name.
pub struct Mp4Writer {
    path: PathBuf,
    /// Where ffmpeg writes; moved to its place when complete.
    temporary: PathBuf,
    size: [u32; 2],
    /// `None` once finished.
    encoder: Option<Child>,
}

impl Mp4Writer {
    /// Starts a film of `width` × `height` pixels; odd sides lose a row or column.
    ///
    /// # Errors
    /// If ffmpeg is not installed, or the file cannot be made.
    pub fn create(path: &Path, [width, height]: [u32; 2], fps: f32) -> Result<Self, ImageError> {
        let path = path.to_path_buf();
        if !(fps.is_finite() && (0.1..=1000.0).contains(&fps)) {
            return Err(ImageError::Rate { path, fps });
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hidden = format!(".{name}.{}.part.mp4", std::process::id());
        let temporary = path.with_file_name(hidden);
        let encoder = Command::new("ffmpeg")
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s"])
            .arg(format!("{width}x{height}"))
            .args(["-r", &fps.to_string(), "-i", "-", "-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2"])
            .args([
                "-c:v",
                "libx264",
                "-pix_fmt",
                "yuv420p",
                "-crf",
                "18",
                "-movflags",
                "+faststart",
            ])
            .arg(&temporary)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        match encoder {
            Ok(child) => Ok(Self { path, temporary, size: [width, height], encoder: Some(child) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(ImageError::NoProgram { path, program: "ffmpeg" })
            }
            Err(error) => Err(at(&path)(error)),
        }
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// If it is of another size, or the encoder has stopped.
    pub fn frame(&mut self, image: &Image) -> Result<(), ImageError> {
        check_size(image, &self.path, LIMIT)?;
        let found = [image.width, image.height];
        if found != self.size {
            return Err(ImageError::FrameSize {
                path: self.path.clone(),
                expected: self.size,
                found,
            });
        }
        let pipe = self.encoder.as_mut().and_then(|encoder| encoder.stdin.as_mut());
        let written = pipe.map_or(Ok(()), |pipe| pipe.write_all(image.rgb.as_flattened()));
        written.map_err(|_| self.failure())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If the encoder fails, or the file cannot be moved to its place.
    pub fn finish(mut self) -> Result<(), ImageError> {
        let Some(mut encoder) = self.encoder.take() else { return Ok(()) };
        encoder.stdin = None;
        let output = encoder.wait_with_output().map_err(at(&self.path))?;
        if !output.status.success() {
            self.discard();
            let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(ImageError::Encode { path: self.path.clone(), reason });
        }
        std::fs::rename(&self.temporary, &self.path).map_err(at(&self.path))
    }

    /// What the encoder said before it stopped.
    fn failure(&mut self) -> ImageError {
        let said = self.encoder.take().and_then(|mut encoder| {
            encoder.stdin = None;
            encoder.wait_with_output().ok()
        });
        self.discard();
        let reason = said.map_or_else(String::new, |output| {
            String::from_utf8_lossy(&output.stderr).trim().to_owned()
        });
        ImageError::Encode { path: self.path.clone(), reason }
    }

    fn discard(&self) {
        // Best effort: the error that led here is the one worth reporting.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

impl Film for Mp4Writer {
    fn frame(&mut self, image: &Image) -> Result<(), ImageError> {
        self.frame(image)
    }

    fn finish(self: Box<Self>) -> Result<PathBuf, ImageError> {
        let path = self.path.clone();
        (*self).finish().map(|()| path)
    }
}

impl Drop for Mp4Writer {
    fn drop(&mut self) {
        if let Some(mut encoder) = self.encoder.take() {
            // An abandoned film leaves nothing behind.
            let _ = encoder.kill();
            let _ = encoder.wait();
            self.discard();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has_ffmpeg() -> bool {
        Command::new("ffmpeg").arg("-version").output().is_ok()
    }

    #[test]
    fn a_film_appears_when_it_is_complete_or_the_missing_program_is_named() {
        let folder = std::env::temp_dir().join(format!("pliant-mp4-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("film.mp4");
        match Mp4Writer::create(&path, [65, 49], 30.0) {
            Err(error) => {
                assert!(!has_ffmpeg(), "{error}");
                assert!(error.to_string().contains("ffmpeg"), "{error}");
            }
            Ok(mut film) => {
                for _ in 0..5 {
                    film.frame(&Image::new(65, 49)).unwrap();
                }
                assert!(film.frame(&Image::new(64, 49)).is_err(), "of another size");
                assert!(!path.exists());
                film.finish().unwrap();
                let bytes = std::fs::read(&path).unwrap();
                assert_eq!(&bytes[4..8], b"ftyp");
            }
        }
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert!(left.len() <= 1, "{left:?}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
