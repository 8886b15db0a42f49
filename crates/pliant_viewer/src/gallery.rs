//! Small pictures of the scenes of the library.
//!
//! `pliant scenes --pictures crates/pliant_viewer/pictures` takes them.

use std::collections::BTreeMap;
use std::path::Path;

use eframe::egui::{self, ColorImage, TextureHandle, TextureOptions};
use pliant_io::image::decode_png;

/// A picture of a scene.
#[derive(Debug)]
pub struct Picture {
    /// The name of the scene.
    pub name: &'static str,
    /// The bytes of a PNG file.
    pub bytes: &'static [u8],
}

/// A picture for the scene of that name.
macro_rules! pictures {
    ($($name:literal),* $(,)?) => {
        &[$(Picture {
            name: $name,
            bytes: include_bytes!(concat!("../pictures/", $name, ".png")),
        }),*]
    };
}

/// Every picture.
pub const ALL: &[Picture] = pliant_io::scene_names!(pictures);

/// The pictures that have been shown, each decoded when it is first asked for.
#[derive(Default)]
pub struct Gallery {
    textures: BTreeMap<&'static str, Option<TextureHandle>>,
}

impl Gallery {
    /// The picture of a scene, if there is one.
    pub fn picture(&mut self, ctx: &egui::Context, name: &'static str) -> Option<&TextureHandle> {
        let texture = self.textures.entry(name).or_insert_with(|| {
            let picture = ALL.iter().find(|picture| picture.name == name)?;
            let image = decode_png(Path::new(name), picture.bytes).ok()?;
            let size = [image.width as usize, image.height as usize];
            let colors = ColorImage::from_rgb(size, image.rgb.as_flattened());
            Some(ctx.load_texture(name, colors, TextureOptions::LINEAR))
        });
        texture.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_io::scene::library;

    /// Most bytes of a picture, and of all.
    const MOST: [usize; 2] = [10_000, 400_000];

    #[test]
    fn every_scene_has_a_small_picture_that_shows_something() {
        for entry in library::ALL {
            let name = entry.name;
            let picture = ALL.iter().find(|picture| picture.name == name).unwrap_or_else(|| {
                panic!(
                    "{name}: take it with `pliant scenes {name} --pictures \
                        crates/pliant_viewer/pictures`"
                )
            });
            let image = decode_png(Path::new(name), picture.bytes).unwrap();
            assert_eq!((image.width, image.height), (160, 100), "{name}");
            assert!(picture.bytes.len() < MOST[0], "{name}: {} bytes", picture.bytes.len());
            let colors: std::collections::BTreeSet<_> = image.rgb.iter().collect();
            assert!(colors.len() > 50, "{name} is empty: {} colours", colors.len());
        }
        assert_eq!(ALL.len(), library::ALL.len(), "a picture of a scene that is gone");
        let total: usize = ALL.iter().map(|picture| picture.bytes.len()).sum();
        assert!(total < MOST[1], "{total} bytes");
    }
}
