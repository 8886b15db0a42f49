//! PNG: exact, for stills.

use super::film::Sequence;
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
    encode(image, &mut draft).map_err(|error| match error {
        png::EncodingError::IoError(source) => at(path)(source),
        other => ImageError::Encode { path: path.to_path_buf(), reason: other.to_string() },
    })?;
    draft.publish().map_err(at(path))
}

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
    use std::io::BufReader;

    #[test]
    fn a_picture_survives_the_round_trip() {
        let mut image = Image::new(7, 5);
        for (k, pixel) in image.rgb.iter_mut().enumerate() {
            *pixel = [k as u8 * 7, 255 - k as u8, 3];
        }
        let path = std::env::temp_dir().join(format!("pliant-round-{}.png", std::process::id()));
        write(&image, &path).unwrap();
        let decoder = png::Decoder::new(BufReader::new(fs::File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!((info.width, info.height), (7, 5));
        assert_eq!(bytes, image.rgb.as_flattened());
    }
}
