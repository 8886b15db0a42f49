//! What is to be seen of a world at one moment: plain data that travels from the simulation to the
//! window, and nothing back.

use std::sync::Arc;

use pliant::constraint::anchor;
use pliant::contact::{Report, Touching};
use pliant::glam::{Quat, Vec2, Vec3, Vec4};
use pliant::look::{self, ROPE, THINNEST};
use pliant::measure::Reading;
use pliant::mesh::{Aabb, TriMesh};
use pliant::mirror;
use pliant::raster::{self, srgb};
use pliant::{Body, Config, Set, Skin, World};
use pliant_io::scene::{Knob, Substance};

use crate::costume::{self, Costume, Worn};
use crate::crease::Creased;
use crate::pose::Pose;
use crate::problem::Problem;
use crate::session::{Pull, Stages};

/// One moment.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Counts the frames that were made, also of a world that stands.
    pub serial: u64,
    /// Steps since the scene began.
    pub step: u64,
    /// Time simulated (s).
    pub time: f64,
    /// Length of a step (s).
    pub dt: f32,
    /// What the scene is called.
    pub title: String,
    /// One sentence: what to look at.
    pub shows: String,
    /// What there is.
    pub plan: Arc<Plan>,
    /// Camera, light, ground and colliders.
    pub stage: Arc<raster::Scene>,
    /// Where particles are on the GPU that draws, if they are simulated there and nothing else was asked
    /// for.
    pub pose: Option<Arc<Pose>>,
    /// Positions (m) and inverse masses (1/kg). Where there is a pose, those that the CPU last heard of:
    /// a few steps old.
    pub rows: Arc<Vec<Vec4>>,
    /// Velocities (m/s) then.
    pub speeds: Arc<Vec<Vec4>>,
    /// Particles that are pinned.
    pub pins: Vec<u32>,
    /// Strain of every particle, if wanted.
    pub strain: Option<Vec<f32>>,
    /// Where bodies touch, if wanted.
    pub contacts: Vec<Touching>,
    /// How far the particles of every link of the plan are from solving it (m), if wanted.
    pub residuals: Option<Vec<f32>>,
    /// What the broad phase compared, if wanted.
    pub boxes: Vec<Patch>,
    /// Measurements, if wanted.
    pub readings: Vec<Reading>,
    /// What contact did in the last step.
    pub report: Report,
    /// The settings.
    pub config: Config,
    /// Wind beside that of the scene (m/s).
    pub wind: Vec3,
    /// How the air moves, by the scene, by hand and by a gust together (m/s).
    pub air: Vec3,
    /// Time of every stage of the last step (s).
    pub stages: Stages,
    /// Whether time goes on.
    pub running: bool,
    /// Simulated time over real time that is wanted.
    pub speed: f64,
    /// The same as it is, if it is known.
    pub factor: Option<f64>,
    /// First and last step that can be gone back to.
    pub history: Option<[u64; 2]>,
    /// How the hand pulls, if it holds something.
    pub pull: Option<Pull>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What people should be told, and its number.
    pub notice: (u64, String),
    /// The format in which frames are written, if they are.
    pub exporting: Option<&'static str>,
    /// Whether it is a scene, which can be saved as one.
    pub is_scene: bool,
    /// What can be changed of the scene.
    pub tunables: Arc<Tunables>,
    /// Who takes the steps.
    pub runs_on: String,
    /// Films that have ended before they were to.
    pub broken: u64,
    /// The scene with all changes, as a command line; nothing if it is no scene.
    pub as_command: Arc<str>,
}

/// What can be changed of a scene while it runs.
#[derive(Clone, Debug, Default)]
pub struct Tunables {
    /// The numbers that it was written for.
    pub knobs: Vec<Knob>,
    /// What its bodies are made of.
    pub substances: Vec<Substance>,
}

/// A patch of a body, as the broad phase sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// The low corner of its box (m).
    pub low: Vec3,
    /// The high corner (m).
    pub high: Vec3,
    /// How many others overlap it.
    pub overlaps: u32,
}

/// The patches that the broad phase was given in the last search.
pub(crate) fn patches(world: &World) -> Vec<Patch> {
    let (boxes, pairs) = world.searched();
    let mut overlaps = vec![0; boxes.len()];
    for &[a, b] in pairs.iter().filter(|[a, b]| a != b) {
        overlaps[a as usize] += 1;
        overlaps[b as usize] += 1;
    }
    let patch =
        |(around, overlaps): (&Aabb, u32)| Patch { low: around.low, high: around.high, overlaps };
    boxes.iter().zip(overlaps).map(patch).collect()
}

/// What the constraints have left unsolved (m), in the order of [`Plan::links`].
pub(crate) fn residuals(world: &World) -> Vec<f32> {
    shown_sets(world).flat_map(|set| world.residuals(set)).collect()
}

/// What there is in a world: what stays the same while it moves.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Tells plans apart.
    pub version: u64,
    /// The bodies.
    pub bodies: Vec<Shape>,
    /// Where every particle was when its body was made (m).
    pub rest: Vec<Vec4>,
    /// Radius of every particle (m).
    pub radii: Vec<f32>,
    /// Colour of every particle's body.
    pub colors: Vec<Vec3>,
    /// The constraints.
    pub links: Vec<Link>,
    /// The kinds of constraints that there are.
    pub kinds: Vec<&'static str>,
    /// The box around all particles when the plan was made.
    pub bounds: [Vec3; 2],
    /// How far surfaces reached beyond it then (m).
    pub margin: f32,
}

/// How a body looks.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The name, for people.
    pub name: String,
    /// Its particles.
    pub particles: std::ops::Range<u32>,
    /// Its surface.
    pub surface: Surface,
    /// Its linear colour.
    pub color: Vec3,
    /// Where on a cloth every vertex of its surface is (m), if it is one: flat when it was made.
    pub on_cloth: Option<Vec<Vec2>>,
    /// Whether one region of shape matching holds it together, as rigid bodies are.
    pub is_matched: bool,
    /// Its sharp edges, if it has any.
    pub creased: Option<Creased>,
    /// What it wears, if it was made of a file with pictures; of the surface with sharp edges.
    pub worn: Option<Worn>,
}

impl Shape {
    /// Its surface when its particles are at `rows`; `None` for ropes.
    pub fn mesh(&self, rows: &[Vec4]) -> Option<TriMesh> {
        match &self.surface {
            Surface::Skin(skin) => Some(skin.surface(rows)),
            Surface::Own(triangles) => Some(TriMesh {
                positions: rows.iter().map(|row| row.truncate()).collect(),
                triangles: triangles.clone(),
            }),
            Surface::Rope(_) => None,
        }
    }

    /// What each vertex of its surface hangs on, as words of [`mirror::binding_words`].
    pub(crate) fn bindings(&self) -> Vec<[u32; 8]> {
        let first = self.particles.start;
        match &self.surface {
            Surface::Skin(skin) => {
                skin.bindings.iter().map(|b| mirror::binding_words(b, first)).collect()
            }
            _ => self.particles.clone().map(mirror::particle_words).collect(),
        }
    }

    /// The triangles of its surface, as it is now or with sharp edges: what was outside before anything
    /// was cut, and the rest.
    pub fn outside_and_inside(&self, mesh: &TriMesh) -> [Vec<[u32; 3]>; 2] {
        let inner = match &self.surface {
            Surface::Skin(skin) => skin.inner.as_slice(),
            _ => &[],
        };
        let is_inner = |number: usize| inner.get(number).copied().unwrap_or(false);
        let of = |wanted: bool| {
            let all = mesh.triangles.iter().enumerate();
            all.filter(|(k, _)| is_inner(*k) == wanted).map(|(_, triangle)| *triangle).collect()
        };
        [of(false), of(true)]
    }
}

/// What is drawn of a body.
#[derive(Clone, Debug)]
pub enum Surface {
    /// Triangles between particles, counted from the first of the body.
    Own(Vec<[u32; 3]>),
    /// A finer surface that follows the particles.
    Skin(Skin),
    /// A rope of this radius (m) through the particles, in order.
    Rope(f32),
}

/// A constraint, to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its particles.
    pub particles: Vec<u32>,
    /// Its kind, as an index into [`Plan::kinds`].
    pub kind: u16,
    /// The group in which it is solved, if it has one.
    pub group: Option<u16>,
    /// Its length at rest (m), if it is a distance of two particles.
    pub rest: Option<f32>,
}

/// What stays the same from frame to frame is made once.
#[derive(Default)]
pub(crate) struct Seen {
    /// What bodies may wear.
    pub(crate) wardrobe: Vec<Costume>,
    key: Option<Key>,
    plan: Arc<Plan>,
    /// Where the colliders were, and the stage with them.
    places: Vec<(Vec3, Quat)>,
    staged: Option<u64>,
    stage: Option<Arc<raster::Scene>>,
    version: u64,
}

/// What a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    topology: u64,
    particles: usize,
    triangles: usize,
    constraints: usize,
    colors: usize,
    bodies: usize,
    /// Vertices and triangles of skins.
    skins: usize,
}

impl Key {
    pub(crate) fn of(world: &World, topology: u64) -> Self {
        // The hand's springs come and go; they are no part of the scene.
        let sets = || world.constraints().iter().filter(|set| set.kind().name != anchor::KIND.name);
        let skins = world.bodies().filter_map(|(_, body)| body.skin.as_ref());
        Self {
            topology,
            particles: world.particles.len(),
            triangles: world.triangles().len(),
            constraints: sets().map(|set| set.len()).sum(),
            colors: sets().map(|set| set.colors()).sum(),
            bodies: world.bodies().count(),
            skins: skins.map(|skin| skin.bindings.len() + skin.triangles.len()).sum(),
        }
    }
}

impl Seen {
    /// The plan of a world.
    pub(crate) fn plan(
        &mut self,
        world: &World,
        stage: &raster::Scene,
        topology: u64,
    ) -> Arc<Plan> {
        let key = Key::of(world, topology);
        if self.key != Some(key) {
            self.version += 1;
            let plan = Plan::of(world, stage, &self.wardrobe);
            let plan = Plan { version: self.version, ..plan };
            (self.key, self.plan) = (Some(key), Arc::new(plan));
        }
        Arc::clone(&self.plan)
    }

    /// The stage with the colliders on it.
    pub(crate) fn stage(
        &mut self,
        world: &World,
        empty: &raster::Scene,
        topology: u64,
    ) -> Arc<raster::Scene> {
        let places: Vec<_> = world.colliders.iter().map(|c| (c.position, c.rotation)).collect();
        if let Some(stage) = &self.stage
            && self.places == places
            && self.staged == Some(topology)
        {
            return Arc::clone(stage);
        }
        let mut stage = empty.clone();
        for collider in &world.colliders {
            (collider.shape.draw)(collider, &mut stage);
        }
        let stage = Arc::new(stage);
        (self.places, self.staged) = (places, Some(topology));
        self.stage = Some(Arc::clone(&stage));
        stage
    }

    /// The middle of all particles, and how high they reach (m).
    pub(crate) fn middle_and_top(&self, world: &World) -> (Vec3, f32) {
        let [low, high] = bounds(world);
        ((low + high) / 2.0, high.y)
    }
}

fn bounds(world: &World) -> [Vec3; 2] {
    if world.particles.is_empty() {
        return [Vec3::NEG_ONE, Vec3::ONE];
    }
    let Aabb { low, high } = Aabb::of(world.particles.xw.iter().map(|row| row.truncate()));
    [low, high]
}

impl Plan {
    fn of(world: &World, stage: &raster::Scene, wardrobe: &[Costume]) -> Self {
        let mut colors = vec![srgb(ROPE); world.particles.len()];
        let mut bodies = Vec::new();
        let mut margin: f32 = 0.0;
        for ((id, body), color) in world.bodies().zip(look::colors(world)) {
            let surface = surface(world, body);
            let is_matched = world.pose(id).is_ok();
            colors[body.range()].fill(color);
            let (name, particles) = (body.name.clone(), body.particles.clone());
            let (on_cloth, creased, worn) = (None, None, None);
            let mut shape =
                Shape { name, particles, surface, color, on_cloth, is_matched, creased, worn };
            if let Some(rest) = shape.mesh(&world.particles.rest[body.range()]) {
                margin = margin.max(beyond(&rest, &world.particles.rest[body.range()]));
                shape.on_cloth = unrolled(&rest);
                shape.creased = Creased::of(&rest);
                let sharp = Creased::apply(shape.creased.as_ref(), &rest);
                let [outside, _] = shape.outside_and_inside(&sharp);
                shape.worn = costume::dress(wardrobe, &sharp, &outside);
            }
            if let Surface::Rope(radius) = shape.surface {
                margin = margin.max(radius);
            }
            bodies.push(shape);
        }
        let (links, kinds) = links(world);
        let distance = stage.camera.eye.distance(stage.camera.target);
        let [low, high] = bounds(world);
        // What flew away does not decide how the rest is looked at.
        let near = |x: Vec3| {
            let middle = stage.camera.target;
            middle + (x - middle).clamp_length_max(2.0 * distance)
        };
        let bounds = [near(low), near(high)];
        let radii = world.particles.radius.clone();
        let rest = world.particles.rest.clone();
        Self { version: 0, bodies, rest, radii, colors, links, kinds, bounds, margin }
    }
}

/// How far a surface reaches beyond the box around its particles (m).
fn beyond(mesh: &TriMesh, rows: &[Vec4]) -> f32 {
    let outer = Aabb::of(mesh.positions.iter().copied());
    let inner = Aabb::of(rows.iter().map(|row| row.truncate()));
    (inner.low - outer.low).max(outer.high - inner.high).max_element().max(0.0)
}

/// Farthest from its plane that a cloth was made, as a part of its size.
const FLAT: f32 = 1e-3;

/// The vertices of a surface in its plane (m), if it has one. Pieces of a cloth keep the place that they
/// had: axes follow from the plane alone.
fn unrolled(mesh: &TriMesh) -> Option<Vec<Vec2>> {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
        (b - a).cross(c - a)
    };
    let largest = mesh.triangles.iter().map(area);
    let normal = largest.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()))?;
    let normal = normal.try_normalize()?;
    let bounds = Aabb::of(mesh.positions.iter().copied());
    let (first, size) = (*mesh.positions.first()?, bounds.size().max_element());
    let is_flat = |x: &Vec3| (*x - first).dot(normal).abs() <= FLAT * size;
    if !mesh.positions.iter().all(is_flat) {
        return None;
    }
    let helper = if normal.x.abs() > 0.9 { Vec3::Z } else { Vec3::X };
    let u = (helper - normal * helper.dot(normal)).try_normalize()?;
    let v = normal.cross(u);
    Some(mesh.positions.iter().map(|x| Vec2::new(x.dot(u), x.dot(v))).collect())
}

fn surface(world: &World, body: &Body) -> Surface {
    if let Some(skin) = &body.skin {
        return Surface::Skin(skin.clone());
    }
    let range = body.triangles.start as usize..body.triangles.end as usize;
    if range.is_empty() {
        let radii = &world.particles.radius[body.range()];
        return Surface::Rope(radii.iter().copied().fold(THINNEST, f32::max));
    }
    let first = body.particles.start;
    let triangles = world.triangles()[range].iter();
    Surface::Own(triangles.map(|corners| corners.map(|i| i - first)).collect())
}

/// The constraints that are drawn: all but the hand's springs.
fn shown_sets(world: &World) -> impl Iterator<Item = &Set> {
    let sets = world.constraints().iter();
    sets.filter(|set| !set.is_empty() && set.kind().name != anchor::KIND.name)
}

fn links(world: &World) -> (Vec<Link>, Vec<&'static str>) {
    let (mut links, mut kinds) = (Vec::new(), Vec::new());
    for set in shown_sets(world) {
        let kind = kinds.len() as u16;
        kinds.push(set.kind().name);
        for number in 0..set.len() {
            let particles = set.particles(number).to_vec();
            let group = set.color(number).map(|group| group as u16);
            let rest = (particles.len() == 2).then(|| set.rest(number).next()).flatten();
            links.push(Link { particles, kind, group, rest });
        }
    }
    (links, kinds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, Wants};
    use crate::session::{Session, Source};

    #[test]
    fn a_cloth_is_unrolled_without_stretching_it_also_in_pieces_and_a_solid_is_not() {
        let mut session = Session::quick("flag");
        let edge = |z: f32| [Vec3::new(0.413, 5.0, z), Vec3::new(0.413, -5.0, z)];
        for pieces in [1, 2] {
            let plan = session.plan();
            let flags: Vec<&Shape> =
                plan.bodies.iter().filter(|body| body.name != "pole").collect();
            assert_eq!(flags.len(), pieces);
            for flag in flags {
                let range = flag.particles.start as usize..flag.particles.end as usize;
                let rest = flag.mesh(&plan.rest[range]).unwrap();
                let places = flag.on_cloth.as_ref().unwrap();
                for [a, b, _] in rest.triangles.iter().map(|corners| corners.map(|c| c as usize)) {
                    let made = rest.positions[a].distance(rest.positions[b]);
                    let flat = places[a].distance(places[b]);
                    assert!((made - flat).abs() < 1e-5, "{made} m, not {flat} m");
                }
            }
            session.apply(Command::Cut { edges: vec![edge(-3.0), edge(3.0)] });
        }
        session.apply(Command::Load(Source::Quick("soft-cube".into())));
        assert!(session.plan().bodies.iter().all(|body| body.on_cloth.is_none()));
    }

    #[test]
    fn patches_overlap_as_often_as_the_broad_phase_says_and_residuals_are_those_of_links() {
        let mut session = Session::quick("stack");
        let wants = Wants { boxes: true, residuals: true, ..Wants::NONE };
        session.apply(Command::Want(wants));
        (0..30).for_each(|_| session.step());
        let frame = session.frame();
        assert!(frame.boxes.iter().any(|patch| patch.overlaps > 0), "{} boxes", frame.boxes.len());
        for (k, patch) in frame.boxes.iter().enumerate() {
            let meets = |other: &Patch| {
                patch.low.cmple(other.high).all() && other.low.cmple(patch.high).all()
            };
            let others = frame.boxes.iter().enumerate().filter(|(other, _)| *other != k);
            let touching = others.filter(|(_, other)| meets(other)).count() as u32;
            // Patches of one body that does not meet itself overlap, and are not reported.
            assert!(patch.overlaps <= touching, "{} of {touching}", patch.overlaps);
        }
        let residuals = frame.residuals.unwrap();
        assert_eq!(residuals.len(), frame.plan.links.len());
        assert!(residuals.iter().all(|left| left.is_finite() && *left < 1e-2));
        assert!(residuals.iter().any(|left| *left > 0.0));
    }
}
