//! JPEG: photographs, read for the textures of meshes.

use std::io::Cursor;
use std::path::Path;

use ::image::{ImageFormat, ImageReader, Limits};
use pliant::raster::Image;

use super::ImageError;

/// What every file begins with.
pub(super) const MAGIC: &[u8] = &[0xff, 0xd8, 0xff];

/// Largest picture that is read (bytes).
const LARGEST: u64 = 256 << 20;

/// The picture in the bytes of a JPEG file called `path`.
pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<Image, ImageError> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), ImageFormat::Jpeg);
    let mut limits = Limits::default();
    limits.max_alloc = Some(LARGEST);
    reader.limits(limits);
    let decoded = reader.decode().map_err(|error| ImageError::Decode {
        path: path.to_path_buf(),
        reason: error.to_string(),
    })?;
    let pixels = decoded.to_rgb8();
    let (width, height) = pixels.dimensions();
    let (rgb, _) = pixels.as_raw().as_chunks::<3>();
    Ok(Image { width, height, rgb: rgb.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::image::codecs::jpeg::JpegEncoder;
    use ::image::{ExtendedColorType, ImageEncoder};

    #[test]
    fn a_photograph_is_read_and_half_of_one_is_not() {
        let rgb = [[200, 40, 20]; 64];
        let mut bytes = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut bytes, 95);
        encoder.write_image(rgb.as_flattened(), 8, 8, ExtendedColorType::Rgb8).unwrap();
        let image = super::super::decode(Path::new("a.jpg"), &bytes).unwrap();
        assert_eq!((image.width, image.height), (8, 8));
        let near =
            |pixel: &[u8; 3]| pixel.iter().zip([200, 40, 20]).all(|(a, b)| a.abs_diff(b) < 6);
        assert!(image.rgb.iter().all(near), "{:?}", image.rgb[0]);
        let text = decode(Path::new("a.jpg"), &bytes[..30]).unwrap_err().to_string();
        assert!(text.contains("a.jpg"), "{text}");
    }
}
