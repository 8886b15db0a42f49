//! GIF: small animations that play everywhere.

use super::palette::{COLORS, Palette};
use super::{Film, FilmFormat, Format, ImageError, Reel, at, check_size};
use crate::draft::Draft;
use ::gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use pliant::raster::Image;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub(super) const FORMAT: Format =
    Format { extension: "gif", about: "small animations that play everywhere", write };

pub(super) const FILM: FilmFormat = FilmFormat {
    name: "gif",
    about: "plays everywhere, in 255 colours",
    create: |reel: &Reel| {
        let [width, height] = reel.size;
        Ok(Box::new(GifWriter::create(reel.with_ending(".gif"), width, height, reel.fps)?))
    },
};

/// Longest side that the format allows (pixels): 16 bits.
const LIMIT: u32 = u16::MAX as u32;
/// Index that leaves a pixel as it was.
const UNCHANGED: u8 = COLORS as u8;
/// A pixel is redrawn when a channel moves by more than this from what was drawn there. Less is
/// not seen, and a soft shadow that creeps over the ground would redraw all of it.
const TOLERANCE: u8 = 3;

fn write(image: &Image, path: &Path) -> Result<(), ImageError> {
    let mut writer = GifWriter::create(path, image.width, image.height, 10.0)?;
    writer.frame(image)?;
    writer.finish()
}

/// Writes an animation frame by frame; it repeats for ever.
///
/// All frames share the palette of the first and a fixed dither pattern, so that what does not
/// move does not flicker; only the rectangle that changes is stored. Until
/// [`finish`](Self::finish) the file does not exist under its name.
pub struct GifWriter {
    path: PathBuf,
    width: u32,
    height: u32,
    fps: f32,
    frames: u32,
    state: State,
}

/// The palette is chosen from the first frame, and the file's header needs the palette.
enum State {
    Waiting(Draft),
    Writing(Box<Animation>),
    /// An error ended it.
    Failed,
}

struct Animation {
    encoder: Encoder<Draft>,
    palette: Palette,
    /// The colours that each pixel was last drawn with.
    shown: Vec<[u8; 3]>,
}

impl GifWriter {
    /// Starts an animation of `width` × `height` pixels with `fps` frames per second, 1 to 50.
    ///
    /// Players round delays to 1/100 s; the writer spreads the remainder, so 30 stays 30.
    pub fn create(
        path: impl AsRef<Path>,
        width: u32,
        height: u32,
        fps: f32,
    ) -> Result<Self, ImageError> {
        let path = path.as_ref().to_path_buf();
        let sides = (1..=LIMIT).contains(&width) && (1..=LIMIT).contains(&height);
        if !sides {
            return Err(ImageError::Size { path, width, height, pixels: 0, limit: LIMIT });
        }
        if !(1.0..=50.0).contains(&fps) {
            return Err(ImageError::Rate { path, fps });
        }
        let state = State::Waiting(Draft::create(&path).map_err(at(&path))?);
        Ok(Self { path, width, height, fps, frames: 0, state })
    }

    /// Adds one frame.
    pub fn frame(&mut self, image: &Image) -> Result<(), ImageError> {
        let (expected, found) = ([self.width, self.height], [image.width, image.height]);
        if expected != found {
            return Err(ImageError::FrameSize { path: self.path.clone(), expected, found });
        }
        check_size(image, &self.path, LIMIT)?;
        let delay = self.delay();
        self.frames += 1;
        // An encoder that failed must not be written to again.
        let result = match std::mem::replace(&mut self.state, State::Failed) {
            State::Waiting(draft) => Animation::start(draft, image, delay),
            State::Writing(animation) => animation.next(image, delay),
            State::Failed => return Err(self.failed("a frame before this one failed")),
        };
        let animation = result.map_err(|error| explain(error, &self.path))?;
        self.state = State::Writing(animation);
        Ok(())
    }

    /// Completes the animation and moves it to its place. At least one frame is needed.
    pub fn finish(self) -> Result<(), ImageError> {
        let State::Writing(animation) = self.state else {
            let reason = "an animation needs at least one frame".to_owned();
            return Err(ImageError::Encode { path: self.path, reason });
        };
        let draft = animation.encoder.into_inner().map_err(|error| explain(error, &self.path))?;
        draft.publish().map_err(at(&self.path))
    }

    fn failed(&self, reason: &str) -> ImageError {
        ImageError::Encode { path: self.path.clone(), reason: reason.to_owned() }
    }

    /// How long the next frame is shown (1/100 s).
    fn delay(&self) -> u16 {
        let end = |frame: u32| (f64::from(frame) * 100.0 / f64::from(self.fps)).round();
        (end(self.frames + 1) - end(self.frames)) as u16
    }
}

impl Film for GifWriter {
    fn frame(&mut self, image: &Image) -> Result<(), ImageError> {
        self.frame(image)
    }

    fn finish(self: Box<Self>) -> Result<PathBuf, ImageError> {
        let path = self.path.clone();
        (*self).finish().map(|()| path)
    }
}

fn explain(error: EncodingError, path: &Path) -> ImageError {
    match error {
        EncodingError::Io(source) => at(path)(source),
        other => ImageError::Encode { path: path.to_path_buf(), reason: other.to_string() },
    }
}

impl Animation {
    fn start(draft: Draft, image: &Image, delay: u16) -> Result<Box<Self>, EncodingError> {
        let palette = Palette::of(image);
        let mut colors: Vec<u8> = palette.colors.as_flattened().to_vec();
        // Up to the index for "unchanged", which is never seen.
        colors.resize((COLORS + 1) * 3, 0);
        let mut encoder = Encoder::new(draft, image.width as u16, image.height as u16, &colors)?;
        encoder.set_repeat(Repeat::Infinite)?;
        let mut animation = Box::new(Self { encoder, palette, shown: image.rgb.clone() });
        let all =
            Area { left: 0, top: 0, right: image.width as usize, bottom: image.height as usize };
        let width = all.right;
        let pixels = image.rgb.iter().enumerate();
        let buffer =
            pixels.map(|(k, &c)| animation.palette.index(c, k % width, k / width)).collect();
        animation.put(buffer, &all, delay)?;
        Ok(animation)
    }

    fn next(mut self: Box<Self>, image: &Image, delay: u16) -> Result<Box<Self>, EncodingError> {
        let width = image.width as usize;
        // A frame without change still takes its time.
        let area = Area::changed(&self.shown, &image.rgb, width).unwrap_or(Area {
            left: 0,
            top: 0,
            right: 1,
            bottom: 1,
        });
        let mut buffer = Vec::with_capacity((area.right - area.left) * (area.bottom - area.top));
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                let (shown, color) = (&mut self.shown[y * width + x], image.rgb[y * width + x]);
                buffer.push(if differs(*shown, color) {
                    *shown = color;
                    self.palette.index(color, x, y)
                } else {
                    UNCHANGED
                });
            }
        }
        self.put(buffer, &area, delay)?;
        Ok(self)
    }

    fn put(&mut self, buffer: Vec<u8>, area: &Area, delay: u16) -> Result<(), EncodingError> {
        // The sides were checked to fit into 16 bits.
        self.encoder.write_frame(&Frame {
            delay,
            dispose: DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            left: area.left as u16,
            top: area.top as u16,
            width: (area.right - area.left) as u16,
            height: (area.bottom - area.top) as u16,
            buffer: Cow::Owned(buffer),
            ..Frame::default()
        })
    }
}

/// A rectangle of pixels, without its right and bottom border.
struct Area {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

impl Area {
    /// The smallest area that holds every pixel that differs; `None` if none does.
    fn changed(before: &[[u8; 3]], after: &[[u8; 3]], width: usize) -> Option<Self> {
        let changes = before.iter().zip(after).enumerate().filter(|(_, (a, b))| differs(**a, **b));
        changes.map(|(k, _)| (k % width, k / width)).fold(None, |area: Option<Self>, (x, y)| {
            let old = area.unwrap_or(Self { left: x, top: y, right: x + 1, bottom: y + 1 });
            Some(Self {
                left: old.left.min(x),
                top: old.top,
                right: old.right.max(x + 1),
                bottom: y + 1,
            })
        })
    }
}

fn differs(a: [u8; 3], b: [u8; 3]) -> bool {
    (0..3).any(|k| a[k].abs_diff(b[k]) > TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn temporary(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pliant-gif-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder.join("animation.gif")
    }

    /// A smooth background with a disc at column `x`.
    fn picture(x: i32) -> Image {
        let mut image = Image::new(64, 48);
        for (k, pixel) in image.rgb.iter_mut().enumerate() {
            let (column, row) = ((k % 64) as i32, (k / 64) as i32);
            let inside = (column - x).pow(2) + (row - 24).pow(2) < 100;
            let shade = (row * 2 + column) as u8;
            *pixel = if inside { [200, 60, 40] } else { [150 + shade / 4, 170 + shade / 4, 220] };
        }
        image
    }

    struct Decoded {
        delays: Vec<u16>,
        sizes: Vec<(u16, u16)>,
        /// The picture after the last frame.
        shown: Image,
    }

    fn decode(path: &Path) -> Decoded {
        let mut options = ::gif::DecodeOptions::new();
        options.set_color_output(::gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(fs::File::open(path).unwrap()).unwrap();
        let (width, height) = (usize::from(decoder.width()), decoder.height());
        let mut shown = Image::new(width as u32, u32::from(height));
        let (mut delays, mut sizes) = (Vec::new(), Vec::new());
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
            sizes.push((frame.width, frame.height));
            for (k, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, p)| p[3] > 0) {
                let (x, y) = (k % usize::from(frame.width), k / usize::from(frame.width));
                let at = (y + usize::from(frame.top)) * width + x + usize::from(frame.left);
                shown.rgb[at] = [pixel[0], pixel[1], pixel[2]];
            }
        }
        Decoded { delays, sizes, shown }
    }

    /// Largest difference of the means of blocks of 8 × 8 pixels: what is seen from afar.
    fn difference(a: &Image, b: &Image) -> f32 {
        let mean = |image: &Image, block: usize, channel: usize| {
            let (left, top) = (block % 8 * 8, block / 8 * 8);
            let pixels = (0..64).map(|k| image.rgb[(top + k / 8) * 64 + left + k % 8][channel]);
            pixels.map(f32::from).sum::<f32>() / 64.0
        };
        let blocks = (0..48 * 3).map(|k| (mean(a, k / 3, k % 3) - mean(b, k / 3, k % 3)).abs());
        blocks.fold(0.0, f32::max)
    }

    #[test]
    fn the_last_frame_looks_like_its_picture() {
        let path = temporary("last");
        let mut writer = GifWriter::create(&path, 64, 48, 30.0).unwrap();
        for x in [20, 24, 28, 28] {
            writer.frame(&picture(x)).unwrap();
            assert!(!path.exists(), "the file must not appear before it is complete");
        }
        writer.finish().unwrap();
        let decoded = decode(&path);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "only the animation");
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(decoded.delays, [3, 4, 3, 3]);
        let error = difference(&decoded.shown, &picture(28));
        assert!(error < 6.0, "a block differs by {error} of 255");
        assert_eq!(decoded.sizes[0], (64, 48));
        let (width, height) = decoded.sizes[1];
        assert!(width < 30 && height < 30, "the second frame stores {width} × {height} pixels");
        assert_eq!(decoded.sizes[3], (1, 1), "a frame without change is as small as can be");
    }

    #[test]
    fn what_stands_still_does_not_flicker() {
        let path = temporary("still");
        let mut writer = GifWriter::create(&path, 64, 48, 10.0).unwrap();
        writer.frame(&picture(20)).unwrap();
        writer.frame(&picture(44)).unwrap();
        writer.frame(&picture(20)).unwrap();
        writer.finish().unwrap();
        let moved = decode(&path).shown;
        write(&picture(20), &path).unwrap();
        let still = decode(&path).shown;
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(moved, still, "there and back again must give the same picture");
    }

    #[test]
    fn an_abandoned_animation_leaves_nothing() {
        let path = temporary("abandoned");
        let mut writer = GifWriter::create(&path, 64, 48, 10.0).unwrap();
        writer.frame(&picture(20)).unwrap();
        drop(writer);
        assert!(GifWriter::create(&path, 64, 48, 10.0).unwrap().finish().is_err());
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(left, 0, "{left} files are left");
    }

    #[test]
    fn wrong_sizes_and_rates_are_explained() {
        let path = temporary("wrong");
        let mut writer = GifWriter::create(&path, 64, 48, 10.0).unwrap();
        let error = writer.frame(&Image::new(32, 48)).unwrap_err().to_string();
        assert!(error.contains("32 × 48") && error.contains("64 × 48"), "{error}");
        writer.frame(&picture(20)).unwrap();
        writer.finish().unwrap();
        for fps in [0.0, 120.0, f32::NAN] {
            let error = GifWriter::create(&path, 64, 48, fps).err().unwrap();
            assert!(matches!(error, ImageError::Rate { .. }), "{error}");
        }
        assert!(GifWriter::create(&path, 70_000, 48, 10.0).is_err());
        fs::remove_dir_all(path.parent().unwrap()).unwrap();
    }
}
