//! Pictures, animations, exports and scenes, as files.

use std::path::PathBuf;

use pliant::World;
use pliant::raster::Image;
use pliant_io::export::{self, Target};
use pliant_io::image::{self, FILMS, Film, ImageError};
use pliant_io::scene::Scene;

use crate::command::{Animation, Reel};
use crate::platform::NO_FILES;

/// Where all of them go if nothing else is said, in the folder in which the program was started.
const FOLDER: &str = "out/view";

/// What was done, or why not; for people.
type Told = Result<String, String>;

/// Files that are being written.
pub(crate) struct Writer {
    /// Where they go.
    pub(crate) folder: PathBuf,
    film: Option<Shooting>,
    /// The number of the last film that has ended.
    ended: u64,
    /// Films that have ended before they were to.
    pub(crate) broken: u64,
    export: Option<(&'static str, Box<dyn export::Writer>)>,
}

/// Longest that one picture is shown in a film (s): a window that was put away draws none.
const LONGEST: f64 = 5.0;

/// A film that is being made. Windows take pictures when they can; a film has as many in every second.
struct Shooting {
    film: Box<dyn Film>,
    fps: f64,
    /// The newest picture, which is shown until there is another.
    held: Image,
    /// When it was taken (s).
    at: f64,
    /// How long the film is up to there (s).
    time: f64,
    /// Pictures that are in the film.
    count: u64,
}

impl Shooting {
    /// Adds a picture; the one before it is shown until then.
    fn add(&mut self, image: &Image, at: f64) -> Result<(), ImageError> {
        // A window that was opened anew has another clock.
        self.time += (at - self.at).clamp(0.0, LONGEST);
        let due = (self.time * self.fps).round() as u64;
        self.fill(due)?;
        (self.held, self.at) = (image.clone(), at);
        Ok(())
    }

    /// Shows the newest picture until the film has so many.
    fn fill(&mut self, due: u64) -> Result<(), ImageError> {
        while self.count < due {
            self.film.frame(&self.held)?;
            self.count += 1;
        }
        Ok(())
    }

    /// Completes the film; where it is, for people.
    fn finish(mut self) -> Result<String, String> {
        let ended = self.fill(self.count + 1).and_then(|()| self.film.finish());
        ended.map(|path| path.display().to_string()).map_err(|error| error.to_string())
    }
}

impl Default for Writer {
    fn default() -> Self {
        Self { folder: FOLDER.into(), film: None, ended: 0, broken: 0, export: None }
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
            // Pictures of a film that has ended may still be on their way.
            Animation::Frame(reel) | Animation::Last(reel) if reel.number <= self.ended => None,
            Animation::Frame(reel) => self.frame(title, image, reel),
            Animation::Last(reel) => {
                let told = self.frame(title, image, reel);
                let film = self.film.take();
                self.ended = reel.number;
                film.map(|film| Ok(format!("wrote {}", film.finish()?))).or(told)
            }
        }
    }

    /// Adds a picture to a film; begins one if there is none.
    fn frame(&mut self, title: &str, image: &Image, reel: Reel) -> Option<Told> {
        let told = match self.film.take() {
            None => match self.begin_film(title, image, reel) {
                Err(why) => why,
                Ok(film) => {
                    self.film = Some(film);
                    return None;
                }
            },
            Some(film) if [film.held.width, film.held.height] != [image.width, image.height] => {
                match film.finish() {
                    Ok(path) => format!("wrote {path}: the window has another size now"),
                    Err(why) => why,
                }
            }
            Some(mut film) => match film.add(image, reel.at) {
                Err(error) => error.to_string(),
                Ok(()) => {
                    self.film = Some(film);
                    return None;
                }
            },
        };
        self.ended = reel.number;
        self.broken += 1;
        Some(Err(told))
    }

    fn begin_film(&self, title: &str, image: &Image, reel: Reel) -> Result<Shooting, String> {
        let format = FILMS.iter().find(|film| film.name == reel.format);
        let format = format.ok_or_else(|| format!("no film is called {}", reel.format))?;
        // A folder has no ending.
        let path = self.free_name(title, format.name)?.with_extension("");
        let size = [image.width, image.height];
        let (fps, at) = (f64::from(reel.fps), reel.at);
        let reel = image::Reel { path, size, fps: reel.fps };
        let film = (format.create)(&reel).map_err(|error| error.to_string())?;
        Ok(Shooting { film, fps, held: image.clone(), at, time: 0.0, count: 0 })
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
        std::fs::create_dir_all(&self.folder).map_err(|e| format!("{shown}: {e}; {NO_FILES}"))?;
        let name = slug(title);
        let path = |number: u32| self.folder.join(format!("{name}-{number}.{ending}"));
        let is_free = |path: &PathBuf| !path.exists() && !path.with_extension("").exists();
        let free = (1..=u32::MAX).map(path).find(is_free);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(name: &str) -> Writer {
        let folder =
            std::env::temp_dir().join(format!("pliant-film-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Writer { folder, ..Writer::default() }
    }

    fn picture(writer: &mut Writer, width: u32, animation: Animation) -> Option<Told> {
        writer.picture("A film", &Image::new(width, 20), animation)
    }

    #[test]
    fn every_film_is_written_or_says_what_is_missing() {
        let mut writer = writer("all");
        for (format, number) in FILMS.iter().zip(1..) {
            let reel = Reel { number, format: format.name, fps: 20.0, at: 0.0 };
            let first = picture(&mut writer, 32, Animation::Frame(reel));
            if let Some(told) = first {
                let told = told.unwrap_err();
                assert!(told.contains("ffmpeg"), "{told}");
                assert_eq!(picture(&mut writer, 32, Animation::Frame(reel)), None, "told once");
                continue;
            }
            assert_eq!(picture(&mut writer, 32, Animation::Frame(reel)), None);
            let told = picture(&mut writer, 32, Animation::Last(reel)).unwrap().unwrap();
            let path = told.strip_prefix("wrote ").unwrap();
            assert!(std::path::Path::new(path).exists(), "{told}");
            assert_eq!(picture(&mut writer, 32, Animation::Frame(reel)), None, "too late");
            assert!(writer.film.is_none());
        }
        std::fs::remove_dir_all(&writer.folder).unwrap();
    }

    #[test]
    fn a_window_that_changes_its_size_ends_the_film_and_keeps_it() {
        let mut writer = writer("size");
        let reel = Reel { number: 1, format: "gif", fps: 20.0, at: 0.0 };
        assert_eq!(picture(&mut writer, 32, Animation::Frame(reel)), None);
        let told = picture(&mut writer, 40, Animation::Frame(reel)).unwrap().unwrap_err();
        assert!(told.contains("size") && writer.folder.join("a-film-1.gif").exists(), "{told}");
        assert_eq!(writer.broken, 1);
        std::fs::remove_dir_all(&writer.folder).unwrap();
    }

    #[test]
    fn a_second_of_the_window_is_a_second_of_the_film_however_few_pictures_there_are() {
        let mut writer = writer("time");
        // Where pictures go slowly, quickly, and not for a long time.
        let taken = [0.0, 0.3, 0.34, 0.36, 1.0, 100.0, 100.25];
        let last = taken.len() - 1;
        for (k, at) in taken.into_iter().enumerate() {
            let reel = Reel { number: 1, format: "png", fps: 20.0, at };
            let mut image = Image::new(4, 4);
            image.rgb.fill([k as u8; 3]);
            let animation = if k < last { Animation::Frame(reel) } else { Animation::Last(reel) };
            writer.picture("A film", &image, animation);
        }
        let folder = writer.folder.join("a-film-1");
        let mut files: Vec<_> =
            std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let shown = files.iter().map(|path| {
            image::decode_png(path, &std::fs::read(path).unwrap()).unwrap().rgb[0][0] as usize
        });
        let shown: Vec<usize> = shown.collect();
        // Six pictures are 0.3 s; of two that are taken at once one is seen; one is shown for 5 s.
        let counts = [6, 1, 0, 13, 100, 5, 1];
        let expected = (0..taken.len()).flat_map(|k| std::iter::repeat_n(k, counts[k]));
        assert_eq!(shown, expected.collect::<Vec<_>>());
        std::fs::remove_dir_all(&writer.folder).unwrap();
    }
}
