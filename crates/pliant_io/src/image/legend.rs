//! What the colours of a picture mean, drawn into its corner.

use std::convert::Infallible;

use embedded_graphics::mono_font::ascii::{FONT_6X10, FONT_8X13, FONT_10X20};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{
    DrawTarget, Drawable, OriginDimensions, Pixel, Point, RgbColor, Size,
};
use embedded_graphics::text::{Alignment, Text};
use pliant::look::{Scale, false_color};
use pliant::raster::{Image, encode_srgb};

/// Steps at which a number stands.
const TICKS: i32 = 2;

/// Draws a bar of all colours into the lower left corner, with their numbers.
pub fn legend(image: &mut Image, scale: &Scale) {
    let font = match image.width {
        0..480 => &FONT_6X10,
        480..1000 => &FONT_8X13,
        _ => &FONT_10X20,
    };
    let (width, height) = (image.width as i32, image.height as i32);
    let line = font.character_size.height as i32;
    let (left, bar) = (line * 2, width / 4);
    let top = height - line * 4;
    if bar < line || top < 0 {
        return;
    }
    for (x, y) in (0..bar).flat_map(|x| (0..line).map(move |y| (x, y))) {
        let share = x as f32 / (bar - 1) as f32;
        put(image, left + x, top + y, encode_srgb(false_color(share)));
    }
    let mut canvas = Canvas(image);
    let mut write = |text: &str, x: i32, y: i32, alignment: Alignment| {
        outlined(&mut canvas, text, Point::new(x, y), (font, alignment));
    };
    write(scale.name, left, top - line / 3, Alignment::Left);
    for tick in 0..=TICKS {
        let (value, x) = (scale.most * tick as f32 / TICKS as f32, left + bar * tick / TICKS);
        write(&number(value, scale.unit), x, top + 2 * line, Alignment::Center);
    }
}

/// A value with its unit; shares in per cent.
fn number(value: f32, unit: &str) -> String {
    let (value, unit) = if unit.is_empty() { (value * 100.0, "%") } else { (value, unit) };
    // Single precision has seven digits; a legend needs three.
    let rounded = (f64::from(value) * 1000.0).round() / 1000.0;
    format!("{rounded} {unit}")
}

/// White on black: readable on any picture.
fn outlined(canvas: &mut Canvas<'_>, text: &str, at: Point, how: (&MonoFont<'_>, Alignment)) {
    let (font, alignment) = how;
    let around = [(-1, 0), (1, 0), (0, -1), (0, 1)];
    let places = around.map(|(x, y)| (Point::new(x, y), Rgb888::BLACK));
    for (offset, color) in places.into_iter().chain([(Point::zero(), Rgb888::WHITE)]) {
        let style = MonoTextStyle::new(font, color);
        match Text::with_alignment(text, at + offset, style, alignment).draw(canvas) {
            Ok(_) => {}
        }
    }
}

fn put(image: &mut Image, x: i32, y: i32, color: [u8; 3]) {
    let inside = (0..image.width as i32).contains(&x) && (0..image.height as i32).contains(&y);
    if inside && let Some(pixel) = image.rgb.get_mut((y * image.width as i32 + x) as usize) {
        *pixel = color;
    }
}

struct Canvas<'a>(&'a mut Image);

impl DrawTarget for Canvas<'_> {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(
        &mut self,
        pixels: I,
    ) -> Result<(), Infallible> {
        for Pixel(at, color) in pixels {
            put(self.0, at.x, at.y, [color.r(), color.g(), color.b()]);
        }
        Ok(())
    }
}

impl OriginDimensions for Canvas<'_> {
    fn size(&self) -> Size {
        Size::new(self.0.width, self.0.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_has_all_colors_and_numbers_and_leaves_the_rest() {
        let scale = Scale { name: "strain", unit: "", most: 0.1 };
        let mut image = Image::new(640, 400);
        legend(&mut image, &scale);
        let count = |color: [u8; 3]| image.rgb.iter().filter(|&&pixel| pixel == color).count();
        for share in [0.0, 1.0] {
            assert!(count(encode_srgb(false_color(share))) >= 13, "{share}");
        }
        assert!(count([255; 3]) > 100, "no text");
        assert!(image.rgb[..640 * 300].iter().all(|pixel| *pixel == [0; 3]), "the rest changed");
        assert_eq!(number(0.05, ""), "5 %");
        assert_eq!(number(2.0, "m/s"), "2 m/s");
    }

    #[test]
    fn a_picture_that_is_too_small_has_none() {
        for (width, height) in [(0, 0), (1, 1), (30, 8), (8, 300)] {
            let mut image = Image::new(width, height);
            legend(&mut image, &Scale { name: "speed", unit: "m/s", most: 2.0 });
            assert!(image.rgb.iter().all(|pixel| *pixel == [0; 3]));
        }
    }
}
