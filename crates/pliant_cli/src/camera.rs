//! Pictures of a run: an animation, and its last picture in large.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pliant::{World, look, raster};
use pliant_io::image::{self, GifWriter};

/// Pictures a second: smooth, and half the size of 60.
const PICTURES: f64 = 30.0;

/// Takes pictures of a world.
pub(crate) struct Camera {
    stage: raster::Scene,
    animation: GifWriter,
    paths: [PathBuf; 2],
    size: [u32; 2],
    /// Frames from picture to picture.
    every: u64,
    /// Time spent drawing.
    pub(crate) drawing: Duration,
}

impl Camera {
    /// Draws on `stage`, in pictures of so many pixels across, into `animation` and `picture`.
    pub(crate) fn new(
        stage: raster::Scene,
        [animation, picture]: [&Path; 2],
        width: u32,
        fps: f64,
    ) -> Result<Self, Box<dyn Error>> {
        let size = [width, width * 5 / 8];
        let every = (fps / PICTURES).round().max(1.0);
        let writer = GifWriter::create(animation, size[0], size[1], (fps / every) as f32)?;
        let paths = [animation.to_path_buf(), picture.to_path_buf()];
        let (every, drawing) = (every as u64, Duration::ZERO);
        Ok(Self { stage, animation: writer, paths, size, every, drawing })
    }

    /// Takes a picture if it is time for one.
    pub(crate) fn watch(&mut self, world: &World, frame: u64) -> Result<(), Box<dyn Error>> {
        if frame.is_multiple_of(self.every) { self.take(world) } else { Ok(()) }
    }

    fn take(&mut self, world: &World) -> Result<(), Box<dyn Error>> {
        let began = Instant::now();
        let [width, height] = self.size;
        let picture = raster::render(&look::picture(world, &self.stage), width, height);
        self.animation.frame(&picture)?;
        self.drawing += began.elapsed();
        Ok(())
    }

    /// Writes the last picture and closes the animation.
    pub(crate) fn finish(mut self, world: &World) -> Result<[PathBuf; 2], Box<dyn Error>> {
        self.take(world)?;
        let [width, height] = self.size;
        let last = raster::render(&look::picture(world, &self.stage), width * 2, height * 2);
        image::write(&last, &self.paths[1])?;
        self.animation.finish()?;
        Ok(self.paths)
    }
}
