//! PNG: exact, for stills.

use super::film::Sequence;
use super::palette::Palette;
use super::{FilmFormat, Format, ImageError, Reel, at, check_size};
use crate::draft::Draft;
use pliant::raster::Image;
use std::path::Path;

pub(super) const FORMAT: Format =
    Format { extension: "png", about: "exact colours, for stills and comparisons", write };

pub(super) const FILM: FilmFormat = FilmFormat {
    name: "png",
    about: "a folder of exact pictures, for editing",
    create: |reel: &Reel| Ok(Box::new(Sequence::create(reel, &FORMAT)?)),
};

/// Longest side that the format allows (pixels): 31 bits.
const LIMIT: u32 = i32::MAX as u32;

fn write(image: &Image, path: &Path) -> Result<(), ImageError> {
    check_size(image, path, LIMIT)?;
    let mut draft = Draft::create(path).map_err(at(path))?;
    encode(image, &mut draft).map_err(|e| refused(path, e))?;
    draft.publish().map_err(at(path))
}

/// What the encoder says.
fn refused(path: &Path, error: png::EncodingError) -> ImageError {
    match error {
        png::EncodingError::IoError(source) => at(path)(source),
        other => ImageError::Encode { path: path.to_path_buf(), reason: other.to_string() },
    }
}

/// Writes `image` as a PNG of 255 colours: a third of the size, for pictures that travel with a program.
///
/// # Errors
/// As [`write`](super::write).
pub fn write_small(image: &Image, path: &Path) -> Result<(), ImageError> {
    check_size(image, path, LIMIT)?;
    let palette = Palette::of(image);
    let indices: Vec<u8> =
        image.rgb.iter().map(|rgb| palette.nearest(rgb.map(i32::from))).collect();
    let mut draft = Draft::create(path).map_err(at(path))?;
    encode_indexed(image, (&palette, &indices), &mut draft).map_err(|e| refused(path, e))?;
    draft.publish().map_err(at(path))
}

fn encode_indexed(
    image: &Image,
    (palette, indices): (&Palette, &[u8]),
    draft: &mut Draft,
) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(draft, image.width, image.height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.colors.as_flattened());
    encoder.set_compression(png::Compression::High);
    // Neighbours of an index mean nothing.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(indices)?;
    writer.finish()
}

/// The picture in the bytes of a PNG file called `path`.
///
/// # Errors
/// If they are none, or one of more than 256 MiB.
pub fn decode(path: &Path, bytes: &[u8]) -> Result<Image, ImageError> {
    let wrong = |reason: String| ImageError::Decode { path: path.to_path_buf(), reason };
    let limits = png::Limits { bytes: LARGEST };
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| wrong(e.to_string()))?;
    let size = reader.output_buffer_size().filter(|size| *size <= LARGEST);
    let size = size.ok_or_else(|| wrong(format!("it has more than {LARGEST} bytes")))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(|e| wrong(e.to_string()))?;
    let channels = info.color_type.samples();
    let rgb = pixels[..info.buffer_size()].chunks_exact(channels).map(|pixel| match *pixel {
        [r, g, b] | [r, g, b, _] => [r, g, b],
        [grey, ..] => [grey; 3],
        [] => [0; 3],
    });
    Ok(Image { width: info.width, height: info.height, rgb: rgb.collect() })
}

/// Largest picture that is read (bytes), as its documentation says.
const LARGEST: usize = 256 << 20;

fn encode(image: &Image, draft: &mut Draft) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(draft, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(image.rgb.as_flattened())?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_small_picture_has_nearly_the_same_colours_in_fewer_bytes() {
        let mut image = Image::new(80, 60);
        let mut random = pliant::testing::Random::new(1);
        for (k, pixel) in image.rgb.iter_mut().enumerate() {
            // A gradient, with noise that costs bytes.
            let noise = (8.0 * random.unit()) as u8;
            *pixel = [(k % 80) as u8 + noise, (k / 80) as u8 + noise, 120];
        }
        let path = std::env::temp_dir().join(format!("pliant-small-{}.png", std::process::id()));
        write(&image, &path).unwrap();
        let full = fs::read(&path).unwrap().len();
        write_small(&image, &path).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(bytes.len() < full, "{} bytes, not less than {full}", bytes.len());
        let small = decode(&path, &bytes).unwrap();
        let off = |(a, b): (&u8, &u8)| f64::from(a.abs_diff(*b));
        let pairs = image.rgb.as_flattened().iter().zip(small.rgb.as_flattened());
        let mean = pairs.map(off).sum::<f64>() / (3 * image.rgb.len()) as f64;
        assert!(mean < 2.0, "{mean} of 255");
    }

    #[test]
    fn a_picture_survives_the_round_trip() {
        let mut image = Image::new(7, 5);
        for (k, pixel) in image.rgb.iter_mut().enumerate() {
            *pixel = [k as u8 * 7, 255 - k as u8, 3];
        }
        let path = std::env::temp_dir().join(format!("pliant-round-{}.png", std::process::id()));
        write(&image, &path).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(decode(&path, &bytes).unwrap(), image);
        for end in [0, 7, 20, bytes.len() - 20] {
            let text = decode(&path, &bytes[..end]).unwrap_err().to_string();
            assert!(text.contains("pliant-round"), "{text}");
        }
    }
}
