//! A picture as plain data in the memory layout of the GPU: triangles, balls, rods and lines.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use pliant::glam::{Vec2, Vec3};
use pliant::mesh::TriMesh;
use pliant::mirror::{SurfaceRows, particle_words};
use pliant::raster::{self, Ground, Mesh, Shading};

use crate::costume::{Coat, Worn};
use crate::frame::Frame;
use crate::layer::Look;
use crate::pose::Between;

/// A corner of a triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Vertex {
    /// Where it is (m).
    pub position: [f32; 3],
    /// Out of the surface, of unit length.
    pub normal: [f32; 3],
    /// Linear colour.
    pub color: [f32; 3],
    /// Where it is on the cloth (m), if it is one, or on a picture; see [`NO_FABRIC`].
    pub on_cloth: [f32; 2],
}

/// A place on no cloth: what is there has no threads.
pub const NO_FABRIC: [f32; 2] = [1e9; 2];

/// A ball.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Ball {
    /// The middle (m).
    pub center: [f32; 3],
    /// The radius (m).
    pub radius: f32,
    /// Linear colour.
    pub color: [f32; 3],
}

/// A cylinder without ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Rod {
    /// Where it begins (m).
    pub from: [f32; 3],
    /// The radius (m).
    pub radius: f32,
    /// Where it ends (m).
    pub to: [f32; 3],
    /// Linear colour.
    pub color: [f32; 3],
}

/// A line that is equally wide at any distance.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Line {
    /// Where it begins (m).
    pub from: [f32; 3],
    /// The width (points of the window).
    pub width: f32,
    /// Where it ends (m).
    pub to: [f32; 3],
    /// Linear colour.
    pub color: [f32; 3],
}

/// The floor: that of the scene, or lines that say where down is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// How it looks.
    pub ground: Ground,
    /// Whether it is there, or only lines are drawn.
    pub is_solid: bool,
}

/// Bodies that are drawn from where they are simulated.
#[derive(Clone, Debug)]
pub struct Followed {
    /// What there is.
    pub frame: Arc<Frame>,
    /// What is shown of it.
    pub look: Look,
    /// Where it is.
    pub there: Between,
    /// The box around it, as far as the CPU knows (m).
    pub bounds: [Vec3; 2],
}

/// What the vertices of a drawing hang on. Each row is as [`pliant::mirror::binding_words`] has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ties {
    /// What the vertices of the present surface hang on.
    own: Vec<[u32; 8]>,
    vertices: Vec<[u32; 8]>,
    /// The vertex that each faces like, or [`UNSEEN`] and the number of one that is not drawn.
    like: Vec<u32>,
    /// Vertices that are not drawn: their triangles decide which way others face.
    unseen: Vec<[u32; 8]>,
    /// The triangles that decide it.
    triangles: Vec<u32>,
    balls: Vec<[u32; 8]>,
    /// Two for each.
    rods: Vec<[u32; 8]>,
    lines: Vec<[u32; 8]>,
}

/// Marks vertices that are not drawn.
const UNSEEN: u32 = 1 << 31;

/// Which rows of [`Ties::rows`] are what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Starts {
    pub(crate) balls: u64,
    pub(crate) rods: u64,
    pub(crate) lines: u64,
}

impl Ties {
    /// A surface whose vertices were added from `first` on.
    fn add_mesh(&mut self, first: u32, mesh: &TriMesh) {
        self.vertices.extend(&self.own);
        self.like.extend(first..first + self.own.len() as u32);
        self.triangles.extend(mesh.triangles.as_flattened().iter().map(|corner| first + corner));
    }

    /// Vertices on the seams of pictures face as the surface does that they are on.
    fn add_worn(&mut self, mesh: &TriMesh, worn: &Worn) {
        let first = UNSEEN + self.unseen.len() as u32;
        self.unseen.extend(&self.own);
        self.triangles.extend(mesh.triangles.as_flattened().iter().map(|corner| first + corner));
        for &(k, _) in &worn.vertices {
            self.vertices.push(self.own[k as usize]);
            self.like.push(first + k);
        }
    }

    /// All of it as rows: vertices, balls, the ends of rods and lines, what is not drawn.
    pub(crate) fn rows(self) -> (SurfaceRows, Starts) {
        let Self { mut vertices, mut like, unseen, mut triangles, balls, rods, lines, .. } = self;
        let mut starts = [0; 4];
        for (start, more) in starts.iter_mut().zip([balls, rods, lines, unseen]) {
            *start = vertices.len() as u32;
            vertices.extend(more);
        }
        like.extend(like.len() as u32..vertices.len() as u32);
        let [balls, rods, lines, hidden] = starts;
        for corner in triangles.iter_mut().chain(&mut like).filter(|corner| **corner >= UNSEEN) {
            *corner = *corner - UNSEEN + hidden;
        }
        let [balls, rods, lines] = [balls, rods, lines].map(u64::from);
        (SurfaceRows::of(vertices, triangles, &like), Starts { balls, rods, lines })
    }
}

/// Everything that one picture shows.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Corners of triangles.
    pub vertices: Vec<Vertex>,
    /// Three for each triangle.
    pub indices: Vec<u32>,
    /// Which of these wear what; others nothing.
    pub coats: Vec<(Range<u32>, Arc<Coat>)>,
    /// Balls.
    pub balls: Vec<Ball>,
    /// Rods.
    pub rods: Vec<Rod>,
    /// Lines.
    pub lines: Vec<Line>,
    /// The floor.
    pub floor: Option<Floor>,
    /// The light.
    pub sun: raster::Sun,
    /// The background.
    pub sky: raster::Sky,
    /// The box that shadows are cast in (m).
    pub bounds: [Vec3; 2],
    /// Bodies that are drawn from where they are simulated.
    pub followed: Option<Followed>,
    /// What its vertices hang on, if somebody wants to know.
    pub(crate) ties: Option<Ties>,
    /// The floor, if it is shown.
    hidden_floor: Floor,
}

impl Drawing {
    /// An empty picture on a stage; `bounds` is the box around what is to be seen (m).
    pub fn of(stage: &raster::Scene, bounds: [Vec3; 2]) -> Self {
        let distance = stage.camera.eye.distance(stage.camera.target);
        let below = Ground {
            height: bounds[0].y.min(stage.camera.target.y) - 0.05 * distance,
            cell: round_cell(distance * 0.1),
            reach: distance * 1.5,
            ..Ground::default()
        };
        let hidden_floor = match stage.ground {
            Some(ground) => {
                Floor { ground: Ground { cell: round_cell(ground.cell), ..ground }, is_solid: true }
            }
            None => Floor { ground: below, is_solid: false },
        };
        Self {
            vertices: Vec::new(),
            indices: Vec::new(),
            coats: Vec::new(),
            balls: Vec::new(),
            rods: Vec::new(),
            lines: Vec::new(),
            floor: None,
            sun: stage.sun,
            sky: stage.sky,
            bounds,
            followed: None,
            ties: None,
            hidden_floor,
        }
    }

    /// Notes what vertices hang on from now on: those of the next surfaces on these, each as words of
    /// [`pliant::mirror::binding_words`].
    pub(crate) fn hang(&mut self, on: impl FnOnce() -> Vec<[u32; 8]>) {
        if let Some(ties) = &mut self.ties {
            ties.own = on();
        }
    }

    /// Notes the particles of the ball that was just added.
    pub(crate) fn hang_ball(&mut self, particle: u32) {
        if let Some(ties) = &mut self.ties {
            ties.balls.push(particle_words(particle));
        }
    }

    /// Notes the particles of the rod that was just added.
    pub(crate) fn hang_rod(&mut self, ends: [u32; 2]) {
        if let Some(ties) = &mut self.ties {
            ties.rods.extend(ends.map(particle_words));
        }
    }

    /// Notes the vertices of the line that was just added, of those given to [`Self::hang`].
    pub(crate) fn hang_line(&mut self, ends: [u32; 2]) {
        if let Some(Ties { own, lines, .. }) = &mut self.ties {
            lines.extend(ends.map(|end| own[end as usize]));
        }
    }

    /// Shows the floor.
    pub fn show_ground(&mut self) {
        self.floor = Some(self.hidden_floor);
    }

    /// Adds a surface with smooth normals; one colour for each vertex, or one for all.
    pub fn mesh(&mut self, mesh: &TriMesh, colors: &[Vec3]) {
        let first = self.vertices.len() as u32;
        let normals = mesh.normals();
        let all = colors.first().copied().unwrap_or(Vec3::ONE);
        for (k, (x, normal)) in mesh.positions.iter().zip(&normals).enumerate() {
            let color = if colors.len() == mesh.positions.len() { colors[k] } else { all };
            self.vertices.push(vertex(*x, *normal, color));
        }
        self.indices.extend(mesh.triangles.iter().flatten().map(|corner| first + corner));
        if let Some(ties) = &mut self.ties {
            ties.add_mesh(first, mesh);
        }
    }

    /// Adds a surface as [`Self::mesh`], woven: `places` says where on the cloth each vertex is (m).
    pub fn woven(&mut self, mesh: &TriMesh, places: &[Vec2], color: Vec3) {
        let first = self.vertices.len();
        self.mesh(mesh, &[color]);
        for (vertex, place) in self.vertices[first..].iter_mut().zip(places) {
            vertex.on_cloth = place.to_array();
        }
    }

    /// Adds a surface as [`Self::mesh`], with what it wears. What it does not cover has this colour.
    pub fn dressed(&mut self, mesh: &TriMesh, worn: &Worn, color: Vec3) {
        let first = self.vertices.len() as u32;
        let normals = mesh.normals();
        for &(k, at) in &worn.vertices {
            let k = k as usize;
            let dressed = vertex(mesh.positions[k], normals[k], Vec3::ONE);
            self.vertices.push(Vertex { on_cloth: at.into(), ..dressed });
        }
        if let Some(ties) = &mut self.ties {
            ties.add_worn(mesh, worn);
        }
        for (triangles, coat) in &worn.coats {
            let begin = self.indices.len() as u32;
            for corners in &worn.triangles[triangles.clone()] {
                for &corner in corners {
                    self.vertices[(first + corner) as usize].color = coat.tint.into();
                    self.indices.push(first + corner);
                }
            }
            self.coats.push((begin..self.indices.len() as u32, Arc::clone(coat)));
        }
        if !worn.bare.is_empty() {
            let (positions, triangles) = (mesh.positions.clone(), worn.bare.clone());
            self.mesh(&TriMesh { positions, triangles }, &[color]);
        }
    }

    /// Adds all of another drawing.
    pub(crate) fn append(&mut self, other: &Self) {
        let (vertex, index) = (self.vertices.len() as u32, self.indices.len() as u32);
        self.vertices.extend(&other.vertices);
        self.indices.extend(other.indices.iter().map(|corner| vertex + corner));
        let moved = |range: &Range<u32>| index + range.start..index + range.end;
        self.coats.extend(other.coats.iter().map(|(range, coat)| (moved(range), Arc::clone(coat))));
        self.balls.extend(&other.balls);
        self.rods.extend(&other.rods);
        self.lines.extend(&other.lines);
    }

    /// Adds a mesh of a picture, flat or smooth.
    pub fn solid(&mut self, mesh: &Mesh) {
        let color = mesh.material.color;
        if mesh.shading == Shading::Smooth {
            let surface =
                TriMesh { positions: mesh.positions.clone(), triangles: mesh.triangles.clone() };
            let colors = if mesh.colors.is_empty() { &[color][..] } else { &mesh.colors };
            return self.mesh(&surface, colors);
        }
        for corners in &mesh.triangles {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let first = self.vertices.len() as u32;
            self.vertices.extend([a, b, c].map(|x| vertex(x, normal, color)));
            self.indices.extend(first..first + 3);
        }
    }

    /// Adds a ball.
    pub fn ball(&mut self, center: Vec3, radius: f32, color: Vec3) {
        self.balls.push(Ball { center: center.into(), radius, color: color.into() });
    }

    /// Adds a cylinder between two points.
    pub fn rod(&mut self, [from, to]: [Vec3; 2], radius: f32, color: Vec3) {
        self.rods.push(Rod { from: from.into(), radius, to: to.into(), color: color.into() });
    }

    /// Adds a line of that width (points).
    pub fn line(&mut self, [from, to]: [Vec3; 2], width: f32, color: Vec3) {
        self.lines.push(Line { from: from.into(), width, to: to.into(), color: color.into() });
    }
}

fn vertex(position: Vec3, normal: Vec3, color: Vec3) -> Vertex {
    let (position, normal, color) = (position.into(), normal.into(), color.into());
    Vertex { position, normal, color, on_cloth: NO_FABRIC }
}

/// 1, 2 or 5 times a power of ten that is near: sizes that people can count with.
fn round_cell(size: f32) -> f32 {
    if !(size > 0.0 && size.is_finite()) {
        return 0.0;
    }
    let power = libm::powf(10.0, libm::floorf(libm::log10f(size)));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let off = |step: &f32| (libm::logf(step / size)).abs();
    steps.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_floor_have_round_sides() {
        for (size, round) in [(0.13, 0.1), (0.2, 0.2), (0.4, 0.5), (0.9, 1.0), (3.0e-3, 2.0e-3)] {
            assert!((round_cell(size) / round - 1.0).abs() < 1e-5, "{size}: {}", round_cell(size));
        }
        assert_eq!(round_cell(f32::NAN), 0.0);
    }
}
