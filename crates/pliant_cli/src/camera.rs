//! Pictures of a run: films, and its last picture in large.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, value_parser};
use pliant::look::Layer;
use pliant::raster::Image;
use pliant::{World, look, raster};
use pliant_io::image::{self, FILMS, Film, FilmFormat, Reel};

/// Pictures a second: smooth, and half the size of 60.
const PICTURES: f64 = 30.0;

/// What pictures are to be like.
pub(crate) struct Sight {
    width: u32,
    layer: Layer,
    films: Vec<&'static FilmFormat>,
}

impl Sight {
    /// The options of commands that draw.
    pub(crate) fn args(command: clap::Command) -> clap::Command {
        let layers: Vec<&str> = Layer::ALL.iter().map(|layer| layer.name()).collect();
        let show = format!(
            "what to draw: {}; strain and speed take the end of their colours, as in strain=0.05",
            layers.join(", ")
        );
        let films: Vec<String> =
            FILMS.iter().map(|film| format!("{} ({})", film.name, film.about)).collect();
        let film = format!("films to make, with commas between them: {}", films.join(", "));
        let arg =
            |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
        command
            .arg(
                arg("width", "N")
                    .value_parser(value_parser!(u32).range(16..=4096))
                    .default_value("640")
                    .help("of the pictures, in pixels"),
            )
            .arg(arg("show", "LAYER").default_value("surface").help(show))
            .arg(arg("film", "FORMATS").value_delimiter(',').default_value("gif").help(film))
    }

    /// What was asked for. Where a command has no such option, the usual.
    pub(crate) fn new(matches: &ArgMatches) -> Result<Self, Box<dyn Error>> {
        let given = |name| matches.try_get_many::<String>(name).ok().flatten();
        let width = *matches.get_one::<u32>("width").unwrap_or(&640);
        let show = given("show").and_then(|mut values| values.next());
        let layer = show.map_or(Ok(Layer::Surface), |show| layer_of(show))?;
        let names: Vec<&str> =
            given("film").map_or_else(|| vec!["gif"], |all| all.map(|name| name.trim()).collect());
        let films = names.into_iter().map(film_of).collect::<Result<_, _>>()?;
        Ok(Self { width, layer, films })
    }
}

fn layer_of(text: &str) -> Result<Layer, String> {
    Layer::find(text).ok_or_else(|| {
        let names: Vec<&str> = Layer::ALL.iter().map(|layer| layer.name()).collect();
        format!(
            "--show {text}: expected one of {}; strain and speed with a number above 0, as in \
             strain=0.05",
            names.join(", ")
        )
    })
}

fn film_of(name: &str) -> Result<&'static FilmFormat, String> {
    FILMS.iter().find(|film| film.name == name).ok_or_else(|| {
        let names: Vec<&str> = FILMS.iter().map(|film| film.name).collect();
        format!("--film {name}: expected some of {}", names.join(", "))
    })
}

/// Takes pictures of a world.
pub(crate) struct Camera {
    stage: raster::Scene,
    layer: Layer,
    films: Vec<Box<dyn Film>>,
    picture: PathBuf,
    size: [u32; 2],
    /// Frames from picture to picture.
    every: u64,
    /// Time spent drawing.
    pub(crate) drawing: Duration,
}

impl Camera {
    /// Draws on `stage` into films at `film`, a path without ending, and the file `picture`.
    pub(crate) fn new(
        stage: raster::Scene,
        sight: &Sight,
        [film, picture]: [&Path; 2],
        fps: f64,
    ) -> Result<Self, Box<dyn Error>> {
        let size = [sight.width, sight.width * 5 / 8];
        let every = (fps / PICTURES).round().max(1.0);
        let reel = Reel { path: film.into(), size, fps: (fps / every) as f32 };
        let films = sight.films.iter().map(|format| (format.create)(&reel));
        let films = films.collect::<Result<_, _>>()?;
        let (layer, picture, every) = (sight.layer, picture.into(), every as u64);
        Ok(Self { stage, layer, films, picture, size, every, drawing: Duration::ZERO })
    }

    /// Takes a picture if it is time for one.
    pub(crate) fn watch(&mut self, world: &World, frame: u64) -> Result<(), Box<dyn Error>> {
        if frame.is_multiple_of(self.every) { self.take(world) } else { Ok(()) }
    }

    fn take(&mut self, world: &World) -> Result<(), Box<dyn Error>> {
        let began = Instant::now();
        let picture = self.draw(world, self.size);
        self.films.iter_mut().try_for_each(|film| film.frame(&picture))?;
        self.drawing += began.elapsed();
        Ok(())
    }

    fn draw(&self, world: &World, [width, height]: [u32; 2]) -> Image {
        let scene = look::picture_of(world, &self.stage, self.layer);
        let mut image = raster::render(&scene, width, height);
        if let Some(scale) = self.layer.scale() {
            image::legend(&mut image, &scale);
        }
        image
    }

    /// Writes the last picture and completes the films; returns all files.
    pub(crate) fn finish(mut self, world: &World) -> Result<Vec<PathBuf>, Box<dyn Error>> {
        self.take(world)?;
        let last = self.draw(world, self.size.map(|side| 2 * side));
        image::write(&last, &self.picture)?;
        let films = self.films.into_iter().map(Film::finish);
        let mut files = films.collect::<Result<Vec<_>, _>>()?;
        files.push(self.picture);
        Ok(files)
    }
}

/// Files as a sentence names them.
pub(crate) fn listed(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    names.join(" and ")
}
