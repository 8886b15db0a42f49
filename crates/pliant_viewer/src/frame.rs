//! What is to be seen of a world at one moment: plain data that travels from the simulation to the
//! window, and nothing back.

use std::sync::Arc;

use pliant::constraint::anchor;
use pliant::contact::{Report, Touching};
use pliant::glam::{Quat, Vec3, Vec4};
use pliant::look::{self, ROPE, THINNEST};
use pliant::measure::Reading;
use pliant::mesh::{Aabb, TriMesh};
use pliant::raster::{self, srgb};
use pliant::{Body, Config, Skin, World};

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
    /// Positions (m) and inverse masses (1/kg).
    pub rows: Vec<Vec4>,
    /// Velocities (m/s).
    pub speeds: Vec<Vec4>,
    /// Particles that are pinned.
    pub pins: Vec<u32>,
    /// Strain of every particle, if wanted.
    pub strain: Option<Vec<f32>>,
    /// Where bodies touch, if wanted.
    pub contacts: Vec<Touching>,
    /// Measurements, if wanted.
    pub readings: Vec<Reading>,
    /// What contact did in the last step.
    pub report: Report,
    /// The settings.
    pub config: Config,
    /// Wind beside that of the scene (m/s).
    pub wind: Vec3,
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
    /// Whether one region of shape matching holds it together, as rigid bodies are.
    pub is_matched: bool,
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
            let plan = Plan { version: self.version, ..Plan::of(world, stage) };
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
    fn of(world: &World, stage: &raster::Scene) -> Self {
        let mut colors = vec![srgb(ROPE); world.particles.len()];
        let mut bodies = Vec::new();
        for ((id, body), color) in world.bodies().zip(look::colors(world)) {
            let surface = surface(world, body);
            let is_matched = world.pose(id).is_ok();
            colors[body.range()].fill(color);
            let (name, particles) = (body.name.clone(), body.particles.clone());
            bodies.push(Shape { name, particles, surface, color, is_matched });
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
        Self { version: 0, bodies, rest, radii, colors, links, kinds, bounds }
    }
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

fn links(world: &World) -> (Vec<Link>, Vec<&'static str>) {
    let (mut links, mut kinds) = (Vec::new(), Vec::new());
    for set in world.constraints() {
        if set.is_empty() || set.kind().name == anchor::KIND.name {
            continue;
        }
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
