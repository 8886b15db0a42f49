//! Where a world comes from: a scene by name, a file, or a mesh.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::time::SystemTime;

use pliant::glam::{Quat, Vec3};
use pliant::mesh::Resolution;
use pliant::mesh::body::{Recipe, Way};
use pliant::mesh::repair::Repair;
use pliant::mesh::{Aabb, TriMesh};
use pliant::{Blueprint, Collider, Config, World, contact};
use pliant_io::mesh::{self, Format, Imported, Looks, MeshError, Place};
use pliant_io::scene::{Play, Scene};

use crate::costume::Costume;

/// Substeps of a mesh that is dropped: at the usual 20 a lattice of 4 000 particles reaches a sixth of
/// its stiffness.
const SUBSTEPS: u32 = 40;

/// Particles of a body that is made of a mesh: many enough to keep its form, few enough to be
/// simulated in real time on two cores.
const PARTICLES: u32 = 3000;

/// Height from which bodies are dropped, as a part of their size.
const HEIGHT: f32 = 0.3;

/// Frames per second of a mesh that is dropped.
const FPS: f64 = 60.0;

/// Where a world comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A scene of the library by name, or a file: a scene or a mesh.
    Named(String),
    /// The same in its coarse version, for tests.
    Quick(String),
    /// The text of a scene that is in no folder.
    Text {
        /// What it is called.
        name: String,
        /// The text.
        text: String,
    },
    /// A scene with keys that were changed, as `--set` has them.
    Changed {
        /// Which scene.
        of: Box<Source>,
        /// The keys and their values.
        keys: Vec<(String, String)>,
    },
    /// A mesh that falls on a floor.
    Mesh {
        /// The name of its file.
        name: String,
        /// What is in it.
        bytes: Vec<u8>,
    },
}

/// A world, and what it was made of.
pub(crate) struct Loaded {
    /// What people call it.
    pub(crate) title: String,
    /// One sentence: what to look at.
    pub(crate) shows: String,
    /// The scene, if it is one; its settings follow what is changed.
    pub(crate) scene: Option<Scene>,
    /// The world.
    pub(crate) play: Play,
    /// What its bodies may wear.
    pub(crate) wardrobe: Vec<Costume>,
    /// What of that could not be read, and why.
    pub(crate) missing: Vec<String>,
}

impl Source {
    /// The scene in a file: where it is, or what is in it.
    pub(crate) fn of_file(name: String, bytes: Option<Vec<u8>>) -> Self {
        match bytes {
            Some(bytes) => Self::Text { name, text: String::from_utf8_lossy(&bytes).into_owned() },
            None => Self::Named(name),
        }
    }

    /// The name, for people.
    pub fn name(&self) -> &str {
        match self {
            Self::Named(name) | Self::Quick(name) => name,
            Self::Text { name, .. } | Self::Mesh { name, .. } => name,
            Self::Changed { of, .. } => of.name(),
        }
    }

    /// It without changes, and these.
    pub(crate) fn parts(&self) -> (&Self, &[(String, String)]) {
        match self {
            Self::Changed { of, keys } => (of, keys),
            plain => (plain, &[]),
        }
    }

    /// The scene, if it is one.
    fn scene(&self) -> Result<Option<Scene>, Box<dyn Error>> {
        Ok(match self {
            Self::Named(name) if is_mesh(name) => None,
            Self::Named(name) => Some(Scene::open(name)?),
            Self::Quick(name) => {
                let mut scene = Scene::open(name)?;
                scene.quicken()?;
                Some(scene)
            }
            Self::Text { name, text } => Some(Scene::parse(name, text)?),
            Self::Changed { of, keys } => {
                let none = || format!("{} is a mesh; only scenes have keys to set", of.name());
                let mut scene = of.scene()?.ok_or_else(none)?;
                for (key, value) in keys {
                    scene.set(key, value)?;
                }
                Some(scene)
            }
            Self::Mesh { .. } => None,
        })
    }

    /// Finds out whether there is something to load that can be read, without making bodies of it.
    ///
    /// # Errors
    /// If there is not.
    pub fn check(&self) -> Result<(), Box<dyn Error>> {
        match self {
            Self::Named(name) if is_mesh(name) => drop(mesh::read(Path::new(name))?),
            Self::Mesh { name, bytes } => drop(read(name, Some(bytes))?),
            scene => drop(scene.scene()?),
        }
        Ok(())
    }

    /// When its file was written, if it is one.
    pub(crate) fn stamp(&self) -> Option<SystemTime> {
        let (Self::Named(name) | Self::Quick(name)) = self.parts().0 else { return None };
        let path = Path::new(name);
        // Scenes of the library have no ending.
        path.extension()?;
        std::fs::metadata(path).ok()?.modified().ok()
    }

    /// Makes the world.
    pub(crate) fn load(&self) -> Result<Loaded, Box<dyn Error>> {
        match (self.scene()?, self) {
            (Some(scene), _) => of_scene(scene),
            (None, Self::Mesh { name, bytes }) => dropped(name, &read(name, Some(bytes))?),
            (None, file) => dropped(file.name(), &read(file.name(), None)?),
        }
    }
}

/// Whether the name is that of a mesh file.
pub(crate) fn is_mesh(name: &str) -> bool {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    mesh::FORMATS.iter().any(|format| format.extensions.contains(&ending.as_str()))
}

/// A mesh, and how it looks.
pub(crate) struct Dressed {
    pub(crate) imported: Imported,
    pub(crate) looks: Looks,
}

/// Reads a mesh: from its bytes, or from its file if there are none.
pub(crate) fn read(name: &str, bytes: Option<&[u8]>) -> Result<Dressed, MeshError> {
    let path = Path::new(name);
    let Some(bytes) = bytes else {
        return Ok(Dressed { imported: mesh::read(path)?, looks: mesh::looks(path)? });
    };
    let unknown = |cause| MeshError { file: path.to_path_buf(), place: Place::Whole, cause };
    let format = Format::of(path).map_err(unknown)?;
    let source = mesh::Source { name: path, bytes, beside: &mesh::nothing_beside };
    let imported = mesh::read_bytes(format, &source)?;
    Ok(Dressed { imported, looks: mesh::looks_of(format, &source)? })
}

fn of_scene(scene: Scene) -> Result<Loaded, Box<dyn Error>> {
    let (title, shows, play) = (scene.title(), scene.shows(), scene.build()?);
    let (mut wardrobe, mut missing) = (Vec::new(), Vec::new());
    for costume in scene.costumes()? {
        missing.extend(costume.looks.missing.iter().cloned());
        wardrobe.extend(Costume::of(&costume.surface, costume.looks, &costume.poses));
    }
    Ok(Loaded { title, shows, scene: Some(scene), play, wardrobe, missing })
}

/// The body that a mesh becomes: its own tetrahedra, a lattice inside, or a shell if it has no inside.
pub(crate) fn body_of(imported: &Imported) -> Result<Blueprint, Box<dyn Error>> {
    let stock = imported.stock(&Repair::default())?;
    let way = if stock.tets.is_some() {
        Way::GivenTets
    } else if is_sheet(&stock.surface.mesh) {
        Way::Shell
    } else {
        Way::Lattice(Resolution::Count(PARTICLES))
    };
    let made = stock.body(&Recipe { way, material: None });
    let made = match made {
        Err(_) if stock.tets.is_none() => {
            stock.body(&Recipe { way: Way::Shell, material: None })?
        }
        made => made?,
    };
    Ok(made.blueprint.touching(contact::Touch::OTHERS))
}

/// Square of the rim over the area from which a surface is a sheet, not a solid with holes: 16 is a
/// square, 6 a bowl, and a scanned statue whose foot is open has less than 1.
const MOST_RIM: f32 = 2.0;

/// Whether a surface is open to all sides: voxels would make a slab of it.
fn is_sheet(mesh: &TriMesh) -> bool {
    let mut edges = BTreeMap::new();
    let mut area = 0.0;
    for &[a, b, c] in &mesh.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *edges.entry([from.min(to), from.max(to)]).or_insert(0u32) += 1;
        }
        let [a, b, c] = [a, b, c].map(|corner| mesh.positions[corner as usize]);
        area += (b - a).cross(c - a).length() / 2.0;
    }
    let length =
        |[a, b]: &[u32; 2]| mesh.positions[*a as usize].distance(mesh.positions[*b as usize]);
    let rim: f32 =
        edges.iter().filter(|(_, count)| **count == 1).map(|(edge, _)| length(edge)).sum();
    rim * rim > MOST_RIM * area
}

/// A world in which a mesh falls on a floor.
fn dropped(name: &str, mesh: &Dressed) -> Result<Loaded, Box<dyn Error>> {
    let body = body_of(&mesh.imported)?;
    let bounds = Aabb::of(body.positions.iter().copied());
    let height = HEIGHT * bounds.size().max_element();
    let mut world = World::new(Config { substeps: SUBSTEPS, ..Config::default() });
    let stage = stand(bounds, height);
    let moved = way_above(&body, Vec3::ZERO, height);
    let looks = mesh.looks.clone();
    let missing = looks.missing.clone();
    let wardrobe = Costume::of(&mesh.imported.surface, looks, &[(Quat::IDENTITY, moved)]);
    world.add(&body.placed(Quat::IDENTITY, moved))?;
    world.colliders.push(Collider { friction: 0.6, ..Collider::plane(Vec3::ZERO, Vec3::Y)? });
    let title = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
    let shows = format!("{title} falls on a floor");
    let play = Play::of_world(world, FPS, pliant::look::stage(stage));
    let title = title.into_owned();
    Ok(Loaded { title, shows, scene: None, play, wardrobe, missing })
}

/// The way of a body to where its lowest point is `height` (m) above a place.
pub(crate) fn way_above(body: &Blueprint, place: Vec3, height: f32) -> Vec3 {
    let bounds = Aabb::of(body.positions.iter().copied());
    let middle = (bounds.low + bounds.high) / 2.0;
    let foot = Vec3::new(middle.x, bounds.low.y, middle.z);
    place - foot + Vec3::Y * height
}

/// The corners of what is to be seen of a body that falls (m).
fn stand(bounds: Aabb, height: f32) -> [Vec3; 2] {
    let size = bounds.size();
    let half = Vec3::new(0.75 * size.x, 0.0, 0.75 * size.z).max(Vec3::splat(height));
    [Vec3::new(-half.x, 0.0, -half.z), half.with_y(size.y + height)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::solids::ball::geodesic;

    #[test]
    fn a_sheet_becomes_a_shell_and_a_ball_with_a_hole_is_filled() {
        let mut ball = geodesic(0.3, 2);
        ball.triangles.pop();
        let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
        let sheet = TriMesh {
            positions: vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0)],
            triangles: vec![[0, 2, 1], [1, 2, 3]],
        };
        let count = |mesh: TriMesh| {
            let surface = mesh::Surface { mesh, ..Default::default() };
            body_of(&Imported { surface, ..Imported::default() }).unwrap().positions.len()
        };
        assert_eq!(count(sheet), 4);
        let filled = count(ball);
        assert!((PARTICLES / 2..2 * PARTICLES).contains(&(filled as u32)), "{filled} particles");
    }
}
