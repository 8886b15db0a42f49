//! A ball rolls down a slope, and a box slides.

use glam::{DVec3, Quat, Vec3};

use super::rig::{FRAME, config, down, run};
use super::{Law, LawError, Measured, Param, Params, Tolerance};
use crate::collider::Collider;
use crate::shapes::Rigid;
use crate::world::{Config, World};

/// A solid ball rolls down a slope by 5/7 of what it would slide, and a box slides as a particle does.
///
/// ```text
/// ball, rough:    s = ½ (5/7) g sin θ t²          since 1 + I/(m r²) is 1 + 2/5
/// box:            s = ½ g (sin θ − μ cos θ) t²
/// ```
pub const LAW: &Law = &Law {
    name: "rolling",
    covers: &["P31"],
    setup: "a ball rolls and a box slides down a slope for 0.8 s",
    claim: "a ball rolls down a slope by 5/7 g sin θ, and a box slides by g (sin θ − μ cos θ)",
    source: "Newton and Euler: the inertia of a ball is 2/5 m r²",
    tolerance: "½ a h t of semi-implicit Euler is 0.03 %; the bumps of the ball take the rest",
    accident: "a ball without inertia, or that slips, is 40 % faster; one of wrong inertia, such as a \
               hollow one, 16 % slower; friction of the wrong mass stops the box or lets it go",
    quick: true,
    cpu_only: None,
    params: &[
        Param::gravity(9.81),
        Param::number("angle", "°", 15.0, [5.0, 25.0], "of the slope"),
        Param::number("friction", "", 0.08, [0.0, 0.08], "coefficient μ of the box, below tan 5°")
            .symbol("mu"),
        Param::count("substeps", 40, [20, 100], "substeps in a frame of 1/60 s"),
    ],
    measure,
    figure: None,
};

/// Radius of the ball, and half the side of the box (m).
const RADIUS: f32 = 0.1;
/// How long it goes down (s).
const SECONDS: f64 = 0.8;

fn measure(params: &Params) -> Result<Vec<Measured>, LawError> {
    let (g, mu) = (params.get("gravity"), params.get("friction"));
    let angle = params.get("angle").to_radians();
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    // Points near the middle that keep nearly the radius away: a ball that is smooth to a hundredth.
    let ball = Rigid::ball_with_skin(RADIUS, 0.9 * RADIUS, 500.0)?;
    let brick = Rigid::cuboid(Vec3::splat(2.0 * RADIUS), 500.0)?;
    let half = 0.5 * SECONDS * SECONDS;
    let rows = [
        ("way of a rolling ball", descend(params, &ball, 1.0)?, half * g * sine * 5.0 / 7.0),
        ("way of a sliding box", descend(params, &brick, mu)?, half * g * (sine - mu * cosine)),
    ];
    let measured = rows.map(|(what, s, law)| {
        // ½ a h t of semi-implicit Euler is 0.03 %; the bumps of the ball take the rest.
        Measured::new(what, "m", [s, law], Tolerance::Relative(0.01))
    });
    Ok(measured.to_vec())
}

/// How far a body comes down a slope (m).
fn descend(params: &Params, rigid: &Rigid, friction: f64) -> Result<f64, LawError> {
    let angle = params.get("angle").to_radians() as f32;
    let turn = Quat::from_rotation_z(angle);
    let up = Vec3::new(-libm::sinf(angle), libm::cosf(angle), 0.0);
    let config = config(params.count("substeps"), 1);
    let mut world = World::new(Config { gravity: down(params.get("gravity")), ..config });
    let slope = Collider::plane(Vec3::ZERO, up)?;
    world.colliders.push(Collider { friction: friction as f32, ..slope });
    let id = world.add(&rigid.blueprint()?.placed(turn, up * RADIUS))?;
    let start = world.pose(id)?.0.as_dvec3();
    run(&mut world, (SECONDS / FRAME).round() as u32)?;
    let down_hill = DVec3::new(-f64::from(up.y), f64::from(up.x), 0.0);
    Ok((world.pose(id)?.0.as_dvec3() - start).dot(down_hill))
}
