//! Pixels in memory.

/// A picture: rows from top to bottom, pixels from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Columns (pixels).
    pub width: u32,
    /// Rows (pixels).
    pub height: u32,
    /// `width * height` pixels, red, green and blue, sRGB encoded.
    pub rgb: Vec<[u8; 3]>,
}

impl Image {
    /// A black picture of `width` × `height` pixels.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, rgb: vec![[0; 3]; width as usize * height as usize] }
    }

    /// The pixel in column `x` of row `y`, if there is one.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let inside = x < self.width && y < self.height;
        inside.then(|| self.rgb.get(y as usize * self.width as usize + x as usize).copied())?
    }
}
