//! What is under the pointer: the nearest thing that a line of sight meets.

use pliant::glam::Vec3;
use pliant::raster::{Item, Scene};

use crate::camera::Ray;
use crate::frame::{Shape, Surface};
use crate::moment::Moment;

/// Least radius at which a rope is met (m, for each metre of distance): thin ropes can be grabbed.
const REACH: f32 = 0.01;

/// What a line of sight meets.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The body, by its place in the plan.
    pub body: usize,
    /// How far away (m).
    pub distance: f32,
    /// Where (m).
    pub point: Vec3,
    /// The particles there, the nearest first: those that a hand holds.
    pub particles: Vec<u32>,
}

/// The nearest body along a line of sight, unless a collider is before it.
pub fn pick(moment: &Moment, ray: Ray) -> Option<Hit> {
    let bodies = moment.frame.plan.bodies.iter().enumerate();
    let bodies = bodies.filter(|(_, shape)| !is_fixed(&moment.frame.pins, shape));
    let hits = bodies.filter_map(|(index, shape)| hit(moment, index, shape, ray));
    let nearest = hits.min_by(|a, b| a.distance.total_cmp(&b.distance))?;
    let wall = wall(&moment.frame.stage, ray);
    (nearest.distance <= wall).then_some(nearest)
}

/// Whether all of a body is pinned, as poles are: it is a part of the room.
fn is_fixed(pins: &[u32], shape: &Shape) -> bool {
    let before = |end: u32| pins.partition_point(|&pin| pin < end);
    before(shape.particles.end) - before(shape.particles.start) == shape.particles.len()
}

/// The point under the pointer, of anything that there is.
pub fn place(moment: &Moment, ray: Ray) -> Option<Vec3> {
    let wall = wall(&moment.frame.stage, ray);
    let body = pick(moment, ray).map(|hit| hit.point);
    body.or_else(|| wall.is_finite().then(|| ray.at(wall)))
}

fn hit(moment: &Moment, body: usize, shape: &Shape, ray: Ray) -> Option<Hit> {
    match (&shape.surface, moment.surfaces().get(body)?.as_ref()) {
        (Surface::Rope(radius), _) => hit_rope(moment, body, shape, (*radius, ray)),
        (surface, Some(mesh)) => {
            let (triangle, distance) = nearest_triangle(&mesh.positions, &mesh.triangles, ray)?;
            let corners = mesh.triangles[triangle];
            let first = shape.particles.start;
            let particles: Vec<u32> = match surface {
                Surface::Skin(skin) => {
                    let bound = corners.iter().map(|&corner| skin.bindings[corner as usize]);
                    bound.flat_map(|binding| binding.particles).map(|i| first + i).collect()
                }
                _ => corners.iter().map(|corner| first + corner).collect(),
            };
            Some(holding(moment, shape, Hit { body, distance, point: ray.at(distance), particles }))
        }
        _ => None,
    }
}

/// The same hit with the particles in order of their distance: three for a body that bends, since one
/// would be drawn out like a thread, and one for a body that does not, so that it can swing.
fn holding(moment: &Moment, shape: &Shape, mut hit: Hit) -> Hit {
    hit.particles.sort_unstable();
    hit.particles.dedup();
    let far = |i: &u32| moment.at(*i).map_or(f32::MAX, |x| x.distance_squared(hit.point));
    hit.particles.sort_by(|a, b| far(a).total_cmp(&far(b)));
    hit.particles.truncate(if shape.is_matched { 1 } else { 3 });
    hit
}

fn hit_rope(moment: &Moment, body: usize, shape: &Shape, (radius, ray): (f32, Ray)) -> Option<Hit> {
    let near = shape.particles.clone().filter_map(|i| {
        let x = moment.at(i)?;
        let along = (x - ray.origin).dot(ray.direction);
        let off = x.distance(ray.at(along));
        (along > 0.0).then_some((i, along, off))
    });
    let spacing = spacing(moment, shape);
    let met = near.filter(|(_, along, off)| *off < radius.max(REACH * along).max(0.6 * spacing));
    let (i, distance, _) = met
        .min_by(|a, b| (a.2, a.1).partial_cmp(&(b.2, b.1)).unwrap_or(std::cmp::Ordering::Equal))?;
    Some(Hit { body, distance, point: moment.at(i)?, particles: vec![i] })
}

/// Mean distance of neighbouring particles of a rope (m).
fn spacing(moment: &Moment, shape: &Shape) -> f32 {
    let points: Vec<Vec3> = shape.particles.clone().filter_map(|i| moment.at(i)).collect();
    let length: f32 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    length / points.len().saturating_sub(1).max(1) as f32
}

/// The nearest triangle that a ray meets from either side, and how far away it is (m).
fn nearest_triangle(x: &[Vec3], triangles: &[[u32; 3]], ray: Ray) -> Option<(usize, f32)> {
    let met = triangles.iter().enumerate().filter_map(|(index, corners)| {
        let corners = corners.map(|corner| x[corner as usize]);
        Some((index, meet(corners, ray)?))
    });
    met.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// How far along a ray a triangle is (m), if it meets it.
///
/// Möller and Trumbore 1997, "Fast, Minimum Storage Ray/Triangle Intersection".
fn meet([a, b, c]: [Vec3; 3], ray: Ray) -> Option<f32> {
    let [edge_1, edge_2] = [b - a, c - a];
    let p = ray.direction.cross(edge_2);
    let determinant = edge_1.dot(p);
    if determinant.abs() <= f32::MIN_POSITIVE {
        return None;
    }
    let from = ray.origin - a;
    let u = from.dot(p) / determinant;
    let q = from.cross(edge_1);
    let v = ray.direction.dot(q) / determinant;
    let t = edge_2.dot(q) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
}

/// How far away the nearest collider is (m); infinitely, if there is none.
fn wall(stage: &Scene, ray: Ray) -> f32 {
    let items = stage.items.iter().filter_map(|item| match item {
        Item::Mesh(mesh) => {
            nearest_triangle(&mesh.positions, &mesh.triangles, ray).map(|hit| hit.1)
        }
        Item::Sphere(ball) => meet_ball(ball.center, ball.radius, ray),
        Item::Tube(_) => None,
    });
    let ground = stage.ground.and_then(|ground| {
        let point = ray.meets(Vec3::Y * ground.height, Vec3::Y)?;
        // The ground is seen from above only.
        (ray.direction.y < 0.0).then(|| point.distance(ray.origin))
    });
    items.chain(ground).fold(f32::INFINITY, f32::min)
}

fn meet_ball(center: Vec3, radius: f32, ray: Ray) -> Option<f32> {
    let along = (center - ray.origin).dot(ray.direction);
    let off = center.distance_squared(ray.at(along));
    let half = radius * radius - off;
    (half >= 0.0 && along > 0.0).then(|| along - half.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::command::Command;
    use crate::session::{Session, Source};
    use pliant::glam::Vec2;

    const SCENE: &str = r#"
        format = 1
        [[body]]
        id = "near"
        kind = "cloth"
        size = ["1 m", "1 m"]
        at = [0, 1, 0]
        material = "cotton"
        [[body]]
        id = "far"
        kind = "cloth"
        size = ["1 m", "1 m"]
        at = [0, 0.5, 0]
        material = "cotton"
        [[collider]]
        shape = "plane"
    "#;

    fn moment() -> Moment {
        let mut session = Session::new(|| 0.0);
        let (name, text) = ("two cloths".into(), SCENE.into());
        session.apply(Command::Load(Source::Text { name, text }));
        let frame = session.shared_frame();
        assert_eq!(frame.notice.1, "");
        Moment::between(&frame, &frame, 1.0)
    }

    #[test]
    fn the_nearest_hit_wins_from_either_side_and_the_floor_hides_what_is_below() {
        let moment = moment();
        let down = Ray { origin: Vec3::new(0.1, 3.0, 0.1), direction: Vec3::NEG_Y };
        let hit = pick(&moment, down).unwrap();
        assert_eq!((hit.body, hit.particles.len()), (0, 3));
        assert!((hit.distance - 2.0).abs() < 1e-3, "{hit:?}");
        let up = Ray { origin: Vec3::new(0.1, 0.2, 0.1), direction: Vec3::Y };
        assert_eq!(pick(&moment, up).unwrap().body, 1);
        let beside = Ray { origin: Vec3::new(2.0, 3.0, 0.0), direction: Vec3::NEG_Y };
        assert_eq!(pick(&moment, beside), None);
        assert!(place(&moment, beside).unwrap().distance(Vec3::X * 2.0) < 1e-4);
    }

    #[test]
    fn a_body_that_is_pinned_all_over_is_a_part_of_the_room() {
        let shape = &moment().frame.plan.bodies[0];
        let all: Vec<u32> = shape.particles.clone().collect();
        assert!(is_fixed(&all, shape));
        assert!(!is_fixed(&all[1..], shape) && !is_fixed(&[], shape));
    }

    #[test]
    fn particles_of_a_hit_are_those_around_it() {
        let moment = moment();
        let camera = Camera::of(&moment.frame.stage.camera);
        let ray = camera.ray(Vec2::new(0.05, 0.1), 1.5);
        let hit = pick(&moment, ray).unwrap();
        for &i in &hit.particles {
            assert!(moment.at(i).unwrap().distance(hit.point) < 0.1, "{hit:?}");
        }
    }
}
