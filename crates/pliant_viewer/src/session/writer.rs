//! Pictures, animations, exports and scenes, as files.

use std::path::PathBuf;

use pliant::World;
use pliant::raster::Image;
use pliant_io::export::{self, Target};
use pliant_io::image::{self, GifWriter};
use pliant_io::scene::Scene;

use crate::command::Animation;

/// Where all of them go if nothing else is said, in the folder in which the program was started.
const FOLDER: &str = "out/view";

/// What was done, or why not; for people.
type Told = Result<String, String>;

/// Files that are being written.
pub(crate) struct Writer {
    /// Where they go.
    pub(crate) folder: PathBuf,
    animation: Option<(PathBuf, GifWriter)>,
    export: Option<(&'static str, Box<dyn export::Writer>)>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { folder: FOLDER.into(), animation: None, export: None }
    }
}

impl Writer {
    /// Writes a picture, alone or as part of an animation.
    pub(crate) fn picture(
        &mut self,
        title: &str,
        image: &Image,
        animation: Animation,
    ) -> Option<Told> {
        match animation {
            Animation::No => Some(self.still(title, image)),
            Animation::Frame { fps } => self.frame(title, image, fps).err().map(Err),
            Animation::Last { fps } => {
                let done = self.frame(title, image, fps);
                let (path, writer) = self.animation.take()?;
                let done = done.and_then(|()| writer.finish().map_err(|e| e.to_string()));
                Some(done.map(|()| format!("wrote {}", path.display())))
            }
        }
    }

    fn frame(&mut self, title: &str, image: &Image, fps: f32) -> Result<(), String> {
        if self.animation.is_none() {
            let path = self.free_name(title, "gif")?;
            let writer = GifWriter::create(&path, image.width, image.height, fps);
            self.animation = Some((path, writer.map_err(|e| e.to_string())?));
        }
        let Some((_, writer)) = &mut self.animation else { return Ok(()) };
        let written = writer.frame(image).map_err(|e| e.to_string());
        if written.is_err() {
            self.animation = None;
        }
        written
    }

    /// Starts to write every frame in a format.
    pub(crate) fn start_export(
        &mut self,
        format: &'static str,
        title: &str,
        fps: f64,
    ) -> Option<Told> {
        let target = || {
            let folder = self.free_name(title, format)?;
            Ok::<_, String>(Target { folder, name: slug(title), fps })
        };
        let made = target().and_then(|target| {
            let writer = export::create(format, &target).map_err(|e| e.to_string())?;
            Ok((target, writer))
        });
        Some(made.map(|(target, writer)| {
            self.export = Some((format, writer));
            format!("every frame goes to {} as {format}", target.folder.display())
        }))
    }

    /// Writes a frame, if frames are written.
    pub(crate) fn export_frame(&mut self, world: &World) -> Option<Told> {
        let (_, writer) = self.export.as_mut()?;
        let error = writer.frame(&export::Frame::of(world)).err()?;
        self.export = None;
        Some(Err(error.to_string()))
    }

    /// Completes the exported files.
    pub(crate) fn end_export(&mut self) -> Option<Told> {
        let (_, writer) = self.export.take()?;
        Some(writer.finish().map_err(|e| e.to_string()).map(|written| {
            let first = written.files.first().map(|file| file.display().to_string());
            format!("wrote {}. {}", first.unwrap_or_default(), written.hint)
        }))
    }

    /// The format in which frames are written, if they are.
    pub(crate) fn exporting(&self) -> Option<&'static str> {
        self.export.as_ref().map(|(format, _)| *format)
    }

    /// Writes a scene with every key.
    pub(crate) fn scene(&self, scene: Option<&Scene>, title: &str) -> Told {
        let scene = scene.ok_or("a mesh that was dropped is no scene; `pliant new` makes one")?;
        let path = self.free_name(title, "toml")?;
        std::fs::write(&path, scene.resolved()).map_err(|e| format!("{}: {e}", path.display()))?;
        let shown = path.display();
        Ok(format!("wrote {shown}; `pliant view {shown}` opens it"))
    }

    fn still(&self, title: &str, picture: &Image) -> Told {
        let path = self.free_name(title, "png")?;
        image::write(picture, &path).map_err(|e| e.to_string())?;
        Ok(format!("wrote {}", path.display()))
    }

    /// A path that nothing has yet.
    fn free_name(&self, title: &str, ending: &str) -> Result<PathBuf, String> {
        let shown = self.folder.display();
        std::fs::create_dir_all(&self.folder)
            .map_err(|e| format!("{shown}: {e}; start the program where files may be written"))?;
        let name = slug(title);
        let path = |number: u32| self.folder.join(format!("{name}-{number}.{ending}"));
        let free = (1..=u32::MAX).map(path).find(|path| !path.exists());
        free.ok_or_else(|| format!("{shown}: no name is free"))
    }
}

/// A title as the beginning of a file name.
fn slug(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = title.chars().map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "scene".into() } else { name.into() }
}
