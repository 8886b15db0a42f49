//! Rigid bodies: boxes, balls and any closed surface, with the right mass and inertia.

use glam::{DMat3, DVec3, Vec3};

use crate::body::Blueprint;
use crate::error::WorldError;
use crate::material::positive;
use crate::mesh::TriMesh;
use crate::mesh::solids::ball::geodesic;
use crate::mesh::solids::cuboid::cuboid;
use crate::region::algebra::eigen;
use crate::region::matched::Match;

/// How a mass is spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mass (kg).
    pub mass: f64,
    /// Its centre (m).
    pub centre: DVec3,
    /// Second moments ∫ x xᵀ dm about the centre (kg m²).
    pub moments: DMat3,
}

impl Spread {
    /// Of a solid of `density` (kg/m³) inside a closed surface.
    ///
    /// The sum over tetrahedra from the origin to each triangle, with their signs:
    ///
    /// ```text
    /// ∫ x dV = V/4 Σ xᵢ,       ∫ x xᵀ dV = V/20 (Σ xᵢ xᵢᵀ + (Σ xᵢ)(Σ xᵢ)ᵀ)
    /// ```
    ///
    /// Tonon 2004, "Explicit Exact Formulas for the 3-D Tetrahedron Inertia Tensor in Terms of Its
    /// Vertex Coordinates".
    ///
    /// # Errors
    /// If the density is not positive, a triangle names a vertex that is not there, or the surface
    /// encloses nothing.
    pub fn of_solid(surface: &TriMesh, density: f32) -> Result<Self, WorldError> {
        positive("density", density)?;
        check(surface)?;
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in &surface.triangles {
            let x = triangle.map(|corner| surface.positions[corner as usize].as_dvec3());
            let v = x[0].cross(x[1]).dot(x[2]) / 6.0;
            let sum = x[0] + x[1] + x[2];
            volume += v;
            first += sum * (v / 4.0);
            let squares = x.into_iter().fold(outer(sum), |all, x| all + outer(x));
            second += squares * (v / 20.0);
        }
        if !(volume > 0.0 && volume.is_finite()) {
            let (what, needs) =
                ("volume inside the surface", "positive: close it, and turn it right");
            return Err(WorldError::BadNumber { what, value: volume as f32, needs });
        }
        let centre = first / volume;
        let density = f64::from(density);
        let moments = (second - outer(centre) * volume) * density;
        Ok(Self { mass: volume * density, centre, moments })
    }

    /// The inertia tensor about the centre (kg m²): tr(M) 1 − M.
    pub fn inertia(&self) -> DMat3 {
        let m = self.moments;
        DMat3::from_diagonal(DVec3::splat(m.x_axis.x + m.y_axis.y + m.z_axis.z)) - m
    }
}

/// A body that does not deform.
///
/// Its particles are the vertices of its surface, which meet colliders and other bodies, and six
/// within that meet nothing: they give it the mass, centre and inertia that it should have. Shape
/// matching of stiffness 1 holds them together (Müller et al. 2005); contacts with colliders move it
/// as a whole.
///
/// ```
/// use pliant::{Collider, World, glam::Vec3, shapes::Rigid, step};
///
/// let mut world = World::default();
/// world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y)?);
/// let brick = Rigid::cuboid(Vec3::new(0.24, 0.07, 0.12), 1900.0)?.blueprint()?;
/// let brick = world.add(&brick.placed(Default::default(), Vec3::Y * 0.05))?;
/// for _ in 0..60 {
///     step(&mut world, 1.0 / 60.0)?;
/// }
/// let (position, _rotation) = world.pose(brick)?;
/// assert!((position.y - 0.035).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rigid {
    /// The surface, at rest.
    pub surface: TriMesh,
    /// Its mass and how that is spread.
    pub spread: Spread,
    /// Distance that colliders keep from the surface (m).
    pub radius: f32,
}

impl Rigid {
    /// Of any closed surface (m), filled with `density` (kg/m³).
    ///
    /// # Errors
    /// As [`Spread::of_solid`].
    pub fn new(surface: TriMesh, density: f32) -> Result<Self, WorldError> {
        let spread = Spread::of_solid(&surface, density)?;
        Ok(Self { surface, spread, radius: 0.0 })
    }

    /// A box with these sides (m), of `density` (kg/m³).
    ///
    /// # Errors
    /// If a number is not positive.
    pub fn cuboid(sides: Vec3, density: f32) -> Result<Self, WorldError> {
        sides.to_array().into_iter().try_for_each(|side| positive("box side", side).map(drop))?;
        Self::new(cuboid(sides, 2), density)
    }

    /// A ball of `radius` (m) and `density` (kg/m³): points on a ball that is smaller by a tenth, each
    /// of which keeps that tenth away, so that it is smooth enough to roll.
    ///
    /// # Errors
    /// If a number is not positive.
    pub fn ball(radius: f32, density: f32) -> Result<Self, WorldError> {
        Self::ball_with_skin(radius, 0.1 * radius, density)
    }

    /// A ball whose points keep the distance `skin` (m) instead, less than the radius.
    ///
    /// # Errors
    /// If a number is not positive, or the skin is as thick as the ball.
    pub fn ball_with_skin(radius: f32, skin: f32, density: f32) -> Result<Self, WorldError> {
        positive("ball radius", radius)?;
        positive("skin of a ball", skin)?;
        positive("inside of the skin of a ball", radius - skin)?;
        positive("density", density)?;
        let r = f64::from(radius);
        let mass = f64::from(density) * r * r * r * std::f64::consts::PI * 4.0 / 3.0;
        let moments = DMat3::from_diagonal(DVec3::splat(mass * r * r / 5.0));
        let spread = Spread { mass, centre: DVec3::ZERO, moments };
        Ok(Self { surface: geodesic(radius - skin, 2), spread, radius: skin })
    }

    /// Particles, surface and the region that holds them.
    ///
    /// # Errors
    /// If a triangle names a vertex that is not there, or a number of the spread is none that a mass
    /// can have.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        check(&self.surface)?;
        let (outside, inside) = self.shares()?;
        let mut body = Blueprint { name: "rigid".into(), ..Blueprint::default() };
        body.radius = self.radius;
        for (&x, mass) in self.surface.positions.iter().zip(outside) {
            body.particle(x, mass as f32);
        }
        for (x, mass) in inside {
            let ghost = body.particle(x.as_vec3(), mass as f32);
            body.ghosts.push(ghost);
        }
        body.triangles.clone_from(&self.surface.triangles);
        let all: Vec<u32> = (0..body.positions.len() as u32).collect();
        body.gather(&Match::RIGID.region(&all))?;
        Ok(body)
    }

    /// Masses of the vertices, and places and masses of six particles within: together, the spread.
    ///
    /// The vertices get as much as they can by their areas; of what is left, with moments
    /// Σ λₖ eₖ eₖᵀ about its own centre, a sixth is at each c ± √(3λₖ/m) eₖ.
    #[expect(clippy::type_complexity, reason = "two lists, used once")]
    fn shares(&self) -> Result<(Vec<f64>, Vec<(DVec3, f64)>), WorldError> {
        let Spread { mass, centre, moments } = self.spread;
        let areas = self.surface.areas();
        let area: f64 = areas.iter().copied().map(f64::from).sum();
        let x = || self.surface.positions.iter().map(|x| x.as_dvec3() - centre);
        let mut share = 0.5;
        while share > 1e-4 {
            let outside: Vec<f64> =
                areas.iter().map(|&a| share * mass * f64::from(a) / area).collect();
            let left = mass * (1.0 - share);
            let first: DVec3 = x().zip(&outside).map(|(x, &m)| x * m).sum();
            let middle = -first / left;
            let taken = x().zip(&outside).fold(DMat3::ZERO, |all, (x, &m)| all + outer(x) * m);
            let rest = moments - taken - outer(middle) * left;
            let columns = rest.to_cols_array_2d();
            let (values, axes) = eigen(columns);
            if values.iter().all(|&value| value >= 0.0) && outside.iter().all(|&m| m > 0.0) {
                let place = |k: usize, side: f64| {
                    let axis = DVec3::new(axes[0][k], axes[1][k], axes[2][k]);
                    let far = (3.0 * values[k] / left).sqrt();
                    (centre + middle + axis * (side * far), left / 6.0)
                };
                let inside = [0, 1, 2].map(|k| [place(k, 1.0), place(k, -1.0)]);
                return Ok((outside, inside.concat()));
            }
            share *= 0.9;
        }
        let (what, value) = ("spread of the mass", mass as f32);
        Err(WorldError::BadNumber {
            what,
            value,
            needs: "within the surface, with no flat triangle",
        })
    }
}

fn check(surface: &TriMesh) -> Result<(), WorldError> {
    let count = surface.positions.len();
    crate::body::check_particles("triangle", surface.triangles.as_flattened(), count)
}

/// x xᵀ.
fn outer(x: DVec3) -> DMat3 {
    DMat3::from_cols(x * x.x, x * x.y, x * x.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collider::Collider;
    use crate::measure::{energy, momentum};
    use crate::{Config, World, step};
    use glam::Quat;

    const FRAME: f32 = 1.0 / 60.0;

    /// Mass, centre and moments of what the particles of a blueprint are.
    fn spread_of(body: &Blueprint) -> Spread {
        let rows = || body.positions.iter().map(|x| x.as_dvec3()).zip(&body.masses);
        let mass: f64 = rows().map(|(_, &m)| f64::from(m)).sum();
        let centre = rows().map(|(x, &m)| x * f64::from(m)).sum::<DVec3>() / mass;
        let moments =
            rows().fold(DMat3::ZERO, |all, (x, &m)| all + outer(x - centre) * f64::from(m));
        Spread { mass, centre, moments }
    }

    fn assert_alike(name: &str, a: Spread, b: Spread, tolerance: f64) {
        let size = b.moments.to_cols_array().iter().fold(0.0f64, |s, m| s.max(m.abs()));
        assert!((a.mass / b.mass - 1.0).abs() < tolerance, "{name}: {} kg, not {}", a.mass, b.mass);
        let off = (a.moments - b.moments).to_cols_array().into_iter().map(f64::abs);
        assert!(
            off.fold(0.0, f64::max) < tolerance * size,
            "{name}: {:?}\n{:?}",
            a.moments,
            b.moments
        );
        let reach = (size / b.mass).sqrt();
        assert!(
            a.centre.distance(b.centre) < tolerance * reach,
            "{name}: {} {}",
            a.centre,
            b.centre
        );
    }

    #[test]
    fn mass_and_inertia_are_those_of_the_formulas() {
        let sides = DVec3::new(0.2, 0.3, 0.5);
        let brick = Rigid::cuboid(sides.as_vec3(), 800.0).unwrap();
        let m = 800.0 * sides.x * sides.y * sides.z;
        let square = sides * sides;
        let moments = DMat3::from_diagonal(square * (m / 12.0));
        assert_alike("box", brick.spread, Spread { mass: m, centre: DVec3::ZERO, moments }, 1e-6);
        let inertia = brick.spread.inertia().x_axis.x;
        let law = m * (square.y + square.z) / 12.0;
        assert!((inertia / law - 1.0).abs() < 1e-6, "{inertia} kg m², m (b² + c²)/12 is {law}");
        let ball = Rigid::ball(0.1, 1000.0).unwrap().spread;
        let law = 0.4 * ball.mass * 0.01;
        assert!((ball.inertia().y_axis.y / law - 1.0).abs() < 1e-6, "2/5 m r² is {law}");
        let rod = crate::mesh::solids::cylinder::cylinder(0.1, 0.6, 200);
        let rod = Spread::of_solid(&rod, 1000.0).unwrap();
        let law = rod.mass * (3.0 * 0.01 + 0.36) / 12.0;
        assert!((rod.inertia().x_axis.x / law - 1.0).abs() < 1e-3, "m (3r² + h²)/12 is {law}");
        assert!((rod.inertia().y_axis.y / (rod.mass * 0.005) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn particles_have_the_mass_centre_and_inertia_of_the_solid() {
        let moved = |mut mesh: TriMesh| {
            mesh.positions.iter_mut().for_each(|x| *x = *x * 0.4 + Vec3::new(0.3, -0.1, 0.2));
            mesh
        };
        for solid in crate::mesh::solids::ALL.iter().filter(|solid| solid.rims == 0) {
            let surface = moved((solid.make)(10).unwrap());
            let rigid = Rigid::new(surface, 500.0).unwrap();
            let body = rigid.blueprint().unwrap();
            assert_alike(solid.name, spread_of(&body), rigid.spread, 2e-5);
            assert_eq!(body.ghosts.len(), 6);
        }
        let ball = Rigid::ball(0.2, 300.0).unwrap();
        assert_alike("ball", spread_of(&ball.blueprint().unwrap()), ball.spread, 2e-5);
    }

    #[test]
    fn what_is_no_solid_is_refused() {
        let mut open = cuboid(Vec3::ONE, 1);
        open.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        let error = Rigid::new(open, 1.0).unwrap_err().to_string();
        assert!(error.contains("volume"), "{error}");
        assert!(Rigid::cuboid(Vec3::ZERO, 1.0).is_err() && Rigid::ball(1.0, -1.0).is_err());
        assert!(Rigid::ball_with_skin(0.1, 0.1, 1.0).is_err());
        let none = TriMesh { positions: vec![], triangles: vec![[0, 1, 2]] };
        assert!(Rigid::new(none, 1.0).is_err());
    }

    /// A world with one rigid body, on one thread.
    fn world_with(rigid: &Rigid, rotation: Quat, at: Vec3) -> (World, crate::BodyId) {
        let mut world = World::new(Config { threads: 1, ..Config::default() });
        let id = world.add(&rigid.blueprint().unwrap().placed(rotation, at)).unwrap();
        (world, id)
    }

    /// A brick without gravity that spins at `spin` (rad/s).
    fn spinning(brick: &Rigid, spin: Vec3) -> (World, crate::BodyId) {
        let (mut world, id) = world_with(brick, Quat::IDENTITY, Vec3::ZERO);
        world.config.gravity = Vec3::ZERO;
        for i in 0..world.particles.len() {
            let v = spin.cross(world.particles.position(i));
            world.particles.set_velocity(i, v);
        }
        (world, id)
    }

    /// A particle goes straight on along the last chord of its circle, which points outwards by half
    /// the angle θ of a substep, then back onto the circle: θ ← θ (1 − θ² + …), so that
    /// ω = ω₀ / √(1 + 2 ω₀² h t).
    #[test]
    fn a_spin_slows_down_as_the_substep_says() {
        let brick = Rigid::cuboid(Vec3::new(0.1, 0.2, 0.4), 1000.0).unwrap();
        for (substeps, spin) in [(20u16, 5.0f32), (80, 5.0), (80, 10.0)] {
            // About the axis of the largest moment, which is stable.
            let (mut world, _) = spinning(&brick, Vec3::X * spin);
            world.config.substeps = substeps.into();
            let before = momentum::angular(&world);
            for _ in 0..120 {
                step(&mut world, FRAME).unwrap();
            }
            let h = f64::from(FRAME) / f64::from(substeps);
            let law = (1.0 + 2.0 * f64::from(spin * spin) * h * world.time).sqrt().recip();
            let kept = momentum::angular(&world).length() / before.length();
            assert!((kept - law).abs() < 2e-3, "{substeps} × {spin} rad/s: {kept}, not {law}");
        }
    }

    #[test]
    fn a_spinning_box_tumbles_and_keeps_the_direction_of_its_angular_momentum() {
        let brick = Rigid::cuboid(Vec3::new(0.1, 0.2, 0.4), 1000.0).unwrap();
        // About the middle axis, which is unstable, and a little about another.
        let (mut world, id) = spinning(&brick, Vec3::new(0.0, 5.0, 0.05));
        let before = momentum::angular(&world);
        let mut flipped = false;
        for _ in 0..300 {
            step(&mut world, FRAME).unwrap();
            flipped |= (world.pose(id).unwrap().1 * Vec3::Y).y < -0.9;
        }
        let turned = momentum::angular(&world).angle_between(before);
        assert!(turned < 1e-3, "the angular momentum turned by {turned} rad");
        assert!(flipped, "about its middle axis a box does not stay (Dzhanibekov)");
    }

    #[test]
    fn the_pose_is_that_of_the_body() {
        let turn = Quat::from_rotation_z(0.7);
        let brick = Rigid::cuboid(Vec3::new(0.1, 0.2, 0.4), 1000.0).unwrap();
        let (world, id) = world_with(&brick, turn, Vec3::new(1.0, 2.0, 3.0));
        let (position, rotation) = world.pose(id).unwrap();
        assert!(position.distance(Vec3::new(1.0, 2.0, 3.0)) < 1e-5, "{position}");
        assert!(rotation.angle_between(turn) < 1e-3, "{rotation}");
        let mut soft = World::default();
        let id = soft.add(&crate::shapes::Cloth::default().blueprint().unwrap()).unwrap();
        assert!(soft.pose(id).unwrap_err().to_string().contains("shape"));
    }

    #[test]
    fn a_dropped_box_stops_on_the_floor_at_once_and_lies_still() {
        let brick = Rigid::cuboid(Vec3::splat(0.2), 500.0).unwrap();
        let tilt = Quat::from_rotation_z(0.4) * Quat::from_rotation_x(0.3);
        let (mut world, id) = world_with(&brick, tilt, Vec3::Y * 0.8);
        world.colliders.push(Collider::plane(Vec3::ZERO, Vec3::Y).unwrap());
        let mut deepest = 0.0f32;
        for _ in 0..240 {
            step(&mut world, FRAME).unwrap();
            let lowest = world.positions(id).unwrap().map(|x| x.y).fold(f32::MAX, f32::min);
            deepest = deepest.max(-lowest);
        }
        // A substep of the impact at 3.4 m/s is 2.9 mm.
        assert!(deepest < 3e-3, "it sank {deepest} m into the floor");
        let (position, _) = world.pose(id).unwrap();
        assert!((position.y - 0.1).abs() < 1e-3, "its middle is at {} m", position.y);
        assert!(energy::kinetic(&world) < 1e-6, "{} J", energy::kinetic(&world));
    }
}
