//! Bodies in which every particle is linked to every other: few particles, many springs.

use glam::{UVec3, Vec3};

use super::{Lattice, at_least_two, positive};
use crate::body::Blueprint;
use crate::constraint::distance;
use crate::constraint::set::Hold;
use crate::error::WorldError;

/// A hollow ball of particles on its surface, each linked to every other; centred, poles along y.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedBall {
    /// Particles around each circle of latitude.
    pub sectors: u32,
    /// Bands from pole to pole; there is one circle less, and a particle at each pole.
    pub stacks: u32,
    /// Radius of the ball (m).
    pub size: f32,
    /// Mass of the ball (kg), shared by the area around each particle.
    pub mass: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the links hold.
    pub links: Hold,
}

impl Default for LinkedBall {
    /// A soft ball of 20 cm with 134 particles and 8911 links.
    fn default() -> Self {
        let links = Hold::spring(20.0).damped(0.02);
        Self { sectors: 12, stacks: 12, size: 0.1, mass: 0.2, radius: 0.005, links }
    }
}

impl LinkedBall {
    /// Particles, links and surface.
    ///
    /// # Errors
    /// If there are fewer than three sectors or two stacks, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        at_least_two("ball sectors less one", self.sectors.saturating_sub(1))?;
        at_least_two("ball stacks", self.stacks)?;
        positive("ball radius", self.size)?;
        positive("ball mass", self.mass)?;
        let mut ball =
            Blueprint { name: "linked ball".into(), radius: self.radius, ..Blueprint::default() };
        ball.positions = self.positions();
        ball.triangles = self.triangles();
        ball.masses = self.masses(&ball);
        link_all(&mut ball, self.links)?;
        Ok(ball)
    }

    /// The pole above, the circles from above to below, the pole below.
    fn positions(&self) -> Vec<Vec3> {
        use std::f32::consts::{PI, TAU};
        let at = |stack: u32, sector: u32| {
            let (down, across) = libm::sincosf(PI * stack as f32 / self.stacks as f32);
            let (z, x) = libm::sincosf(TAU * sector as f32 / self.sectors as f32);
            Vec3::new(down * x, across, -down * z) * self.size
        };
        let circles = (1..self.stacks)
            .flat_map(|stack| (0..self.sectors).map(move |sector| at(stack, sector)));
        let poles = [Vec3::Y * self.size, Vec3::NEG_Y * self.size];
        std::iter::once(poles[0]).chain(circles).chain([poles[1]]).collect()
    }

    fn triangles(&self) -> Vec<[u32; 3]> {
        let last = (self.stacks - 1) * self.sectors + 1;
        let on = |circle: u32, sector: u32| 1 + circle * self.sectors + sector % self.sectors;
        let mut triangles = Vec::new();
        for sector in 0..self.sectors {
            triangles.push([0, on(0, sector), on(0, sector + 1)]);
            for circle in 0..self.stacks - 2 {
                let [a, b] = [on(circle, sector), on(circle, sector + 1)];
                let [c, d] = [on(circle + 1, sector), on(circle + 1, sector + 1)];
                triangles.extend([[a, c, b], [b, c, d]]);
            }
            let lowest = self.stacks - 2;
            triangles.push([last, on(lowest, sector + 1), on(lowest, sector)]);
        }
        triangles
    }

    fn masses(&self, ball: &Blueprint) -> Vec<f32> {
        let mut areas = vec![0.0f32; ball.positions.len()];
        for triangle in &ball.triangles {
            let [a, b, c] = triangle.map(|corner| ball.positions[corner as usize]);
            let area = (b - a).cross(c - a).length();
            triangle.iter().for_each(|&corner| areas[corner as usize] += area);
        }
        let whole: f32 = areas.iter().sum();
        areas.into_iter().map(|area| self.mass * area / whole).collect()
    }
}

/// A cube of smaller cubes, with a particle at every corner that is linked to every other; centred.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedCube {
    /// Smaller cubes along each side.
    pub cells: u32,
    /// Length of a side (m).
    pub side: f32,
    /// Mass of the cube (kg).
    pub mass: f32,
    /// Distance that colliders keep (m).
    pub radius: f32,
    /// How firmly the links hold.
    pub links: Hold,
}

impl Default for LinkedCube {
    /// A soft cube of 20 cm with 64 particles and 2016 links.
    fn default() -> Self {
        let links = Hold::spring(60.0).damped(0.06);
        Self { cells: 3, side: 0.2, mass: 0.5, radius: 0.005, links }
    }
}

impl LinkedCube {
    /// Particles, links and surface.
    ///
    /// # Errors
    /// If there is no cell, or a number is out of range.
    pub fn blueprint(&self) -> Result<Blueprint, WorldError> {
        positive("cube side", self.side)?;
        positive("cube mass", self.mass)?;
        let counts = UVec3::splat(self.cells.saturating_add(1));
        let density = self.mass / (self.side * self.side * self.side);
        at_least_two("cube cells and one", counts.x)?;
        let Self { radius, links, .. } = *self;
        let spacing = self.side / self.cells as f32;
        let mut cube = Lattice { counts, spacing, density, radius, links }.blueprint()?;
        cube.name = "linked cube".into();
        cube.sets.clear(); // links to all, not only to neighbours
        link_all(&mut cube, self.links)?;
        Ok(cube)
    }
}

/// Links every two particles.
fn link_all(body: &mut Blueprint, hold: Hold) -> Result<(), WorldError> {
    for j in 0..body.positions.len() as u32 {
        for i in 0..j {
            body.join(&distance::KIND, &[i, j], hold)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{TriMesh, hinges};

    fn check(body: &Blueprint, sizes: [usize; 2], volume: [f64; 2]) {
        assert_eq!([body.positions.len(), body.sets[0].len()], sizes);
        assert_eq!(hinges(&body.triangles).len() * 2, body.triangles.len() * 3, "closed");
        let mesh = TriMesh { positions: body.positions.clone(), triangles: body.triangles.clone() };
        let [low, high] = volume;
        assert!((low..=high).contains(&mesh.volume()), "{} of {volume:?} m³", mesh.volume());
    }

    #[test]
    fn balls_have_the_documented_particles_and_springs() {
        let sphere = 4.0 / 3.0 * std::f64::consts::PI;
        for (size, particles, springs) in
            [(5, 22, 231), (10, 92, 4186), (12, 134, 8911), (15, 212, 22366)]
        {
            let ball = LinkedBall {
                sectors: size,
                stacks: size,
                size: 1.0,
                mass: 3.0,
                ..LinkedBall::default()
            };
            let ball = ball.blueprint().unwrap();
            check(&ball, [particles, springs], [0.65 * sphere, sphere]);
            assert!((ball.masses.iter().sum::<f32>() - 3.0).abs() < 1e-4);
            assert!(ball.positions.iter().all(|x| (x.length() - 1.0).abs() < 1e-6));
        }
    }

    #[test]
    fn cubes_have_the_documented_particles_and_springs() {
        for (cells, particles, springs) in [(1, 8, 28), (2, 27, 351), (3, 64, 2016), (4, 125, 7750)]
        {
            let cube = LinkedCube { cells, side: 1.0, mass: 3.0, ..LinkedCube::default() };
            let cube = cube.blueprint().unwrap();
            check(&cube, [particles, springs], [1.0 - 1e-6, 1.0 + 1e-6]);
            assert!((cube.masses.iter().sum::<f32>() - 3.0).abs() < 1e-4);
        }
    }

    #[test]
    fn sizes_that_make_no_body_are_refused() {
        assert!(LinkedBall { sectors: 2, ..LinkedBall::default() }.blueprint().is_err());
        assert!(LinkedBall { stacks: 1, ..LinkedBall::default() }.blueprint().is_err());
        assert!(LinkedBall { mass: 0.0, ..LinkedBall::default() }.blueprint().is_err());
        assert!(LinkedCube { cells: 0, ..LinkedCube::default() }.blueprint().is_err());
        assert!(LinkedCube { side: f32::NAN, ..LinkedCube::default() }.blueprint().is_err());
    }
}
