//! A world takes over what was changed in its scene while it runs.

use pliant::contact::Touch;
use pliant::{BodyId, World};

/// Whether a world could take a change over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It did, and goes on as it is.
    Over,
    /// The change is not one of numbers, or the world is no longer made of what the scene says.
    Not,
}

/// Changes `live` in what a scene's two worlds differ in, before and after its change. What they
/// agree in stays as it is: wherever it has moved, however it was bent, weakened or blown up.
pub(super) fn take_over(live: &mut World, [old, new]: [&World; 2]) -> Taken {
    if !is_made_alike(live, new) || !is_made_alike(old, new) {
        return Taken::Not;
    }
    let mut changes = particles(live, [old, new]);
    changes += constraints(live, [old, new]);
    changes += regions(live, [old, new]);
    changes += touches(live, [old, new]);
    changes += surroundings(live, [old, new]);
    if changes == 0 {
        return Taken::Not;
    }
    let asleep = live.bodies().filter(|(_, body)| body.asleep).map(|(id, _)| id);
    for id in asleep.collect::<Vec<_>>() {
        // It has just been found in this world.
        let _ = live.release(id);
    }
    Taken::Over
}

/// Whether a world begins with the particles, constraints and regions of another, whatever came to it
/// since.
fn is_made_alike(world: &World, scene: &World) -> bool {
    let names = &scene.particles.name;
    let alike = world.particles.name.get(..names.len()) == Some(names)
        && world.colliders.len() >= scene.colliders.len()
        && world.forces.len() >= scene.forces.len();
    let constraints = || {
        scene.constraints().iter().all(|set| {
            let Some(own) = world.constraints_of(set.kind()) else { return set.is_empty() };
            own.len() >= set.len() && (0..set.len()).all(|k| own.particles(k) == set.particles(k))
        })
    };
    let regions = || {
        scene.regions().iter().all(|set| {
            let Some(own) = world.regions_of(set.kind()) else { return set.is_empty() };
            own.len() >= set.len() && (0..set.len()).all(|k| own.members(k) == set.members(k))
        })
    };
    alike && constraints() && regions()
}

fn particles(live: &mut World, [old, new]: [&World; 2]) -> usize {
    let mut changes = 0;
    let [before, after] = [&old.particles, &new.particles];
    for i in 0..after.len() {
        let (mass, radius) = (after.inverse_mass[i], after.radius[i]);
        if before.inverse_mass[i] != mass {
            live.particles.inverse_mass[i] = mass;
            let row = &mut live.particles.xw[i];
            row.w = if row.w > 0.0 { mass } else { 0.0 };
            changes += 1;
        }
        if before.radius[i] != radius {
            live.particles.radius[i] = radius;
            changes += 1;
        }
    }
    changes
}

fn constraints(live: &mut World, [old, new]: [&World; 2]) -> usize {
    let mut changes = 0;
    for after in new.constraints() {
        let Some(before) = old.constraints_of(after.kind()) else { continue };
        let Some(own) = live.constraints_of_mut(after.kind()) else { continue };
        for number in 0..after.len() {
            // What one world has, another takes.
            if before.hold(number) != after.hold(number) {
                let _ = own.set_hold(number, after.hold(number));
                changes += 1;
            }
            if !before.rest(number).eq(after.rest(number)) {
                let _ = own.set_rest(number, &after.rest(number).collect::<Vec<_>>());
                changes += 1;
            }
        }
    }
    changes
}

fn regions(live: &mut World, [old, new]: [&World; 2]) -> usize {
    let mut changes = 0;
    for after in new.regions() {
        let Some(before) = old.regions_of(after.kind()) else { continue };
        let Some(own) = live.regions_of_mut(after.kind()) else { continue };
        for number in 0..after.len() {
            if before.hold(number) != after.hold(number) {
                let _ = own.set_hold(number, after.hold(number));
                changes += 1;
            }
            let values = before.params(number).zip(after.params(number));
            for (param, (was, is)) in after.kind().params.iter().zip(values) {
                if was != is {
                    let _ = own.set_param(number, param.name, is);
                    changes += 1;
                }
            }
        }
    }
    changes
}

/// Friction and restitution of bodies; whom they meet stays, since a ball may have been thrown.
fn touches(live: &mut World, [old, new]: [&World; 2]) -> usize {
    let of = |world: &World| -> Vec<(BodyId, Touch)> {
        world.bodies().map(|(id, body)| (id, body.touch)).collect()
    };
    let own = of(live);
    let mut changes = 0;
    for ((&(id, touch), (_, before)), (_, after)) in own.iter().zip(of(old)).zip(of(new)) {
        if before != after {
            let _ = live.set_touch(id, Touch { meets: touch.meets, by: touch.by, ..after });
            changes += 1;
        }
    }
    changes
}

/// Colliders and forces.
fn surroundings(live: &mut World, [old, new]: [&World; 2]) -> usize {
    let mut changes = 0;
    let colliders = old.colliders.iter().zip(&new.colliders);
    for (own, (before, after)) in live.colliders.iter_mut().zip(colliders) {
        let numbers = (after.friction, after.restitution);
        if (before.friction, before.restitution) != numbers {
            (own.friction, own.restitution) = numbers;
            changes += 1;
        }
    }
    let forces = old.forces.iter().zip(&new.forces);
    for (own, (before, after)) in live.forces.iter_mut().zip(forces) {
        if before.params != after.params {
            own.params.clone_from(&after.params);
            changes += 1;
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use crate::command::Command;
    use crate::session::{Session, Source};
    use pliant::glam::Vec3;

    const SCENE: &str = r#"
        format = 1
        [wind]
        velocity = [0, 0, 0]
        [world]
        damping = 3
        [[body]]
        id = "bar"
        kind = "tets"
        box = ["30 cm", "5 cm", "5 cm"]
        cell = "25 mm"
        material = "rubber"
        pin = [{ side = "-x" }]
        [[body]]
        id = "balloon"
        kind = "balloon"
        ball = "10 cm"
        cell = "5 cm"
        stretch = "50 N/m"
        areal_density = "200 g/m^2"
        pressure = 1
        at = [0, 0, 1]
        pin = [{ side = "-x" }]
    "#;

    fn session() -> Session {
        let mut session = Session::new(|| 0.0);
        let (name, text) = ("bar".into(), SCENE.into());
        session.apply(Command::Load(Source::Text { name, text }));
        session
    }

    fn tune(session: &mut Session, path: &str, value: &str) -> String {
        let before = session.frame().notice.0;
        session.apply(Command::Tune { path: path.into(), value: value.into() });
        let (number, told) = session.frame().notice;
        if number == before { String::new() } else { told }
    }

    fn lowest(session: &Session) -> f32 {
        let x = session.world().particles.xw.iter().filter(|row| row.z < 0.5);
        x.map(|row| row.y).fold(f32::MAX, f32::min)
    }

    #[test]
    fn a_bar_that_gets_softer_sinks_from_where_it_is_as_one_that_was_softer() {
        let mut session = session();
        (0..120).for_each(|_| session.step());
        let (stiff, before) = (lowest(&session), session.world().particles.xw.clone());
        assert_eq!(tune(&mut session, "material.rubber.young", "500000"), "");
        assert_eq!(session.world().particles.xw, before, "nothing jumps");
        assert_eq!(session.frame().step, 120);
        (0..360).for_each(|_| session.step());
        let soft = lowest(&session);
        let mut other = Session::new(|| 0.0);
        let text = SCENE.replace(
            "[[body]]\n        id = \"bar\"",
            "[material.rubber]\n\
            kind = \"solid\"\npreset = \"rubber\"\nyoung = 500000\n[[body]]\nid = \"bar\"",
        );
        other.apply(Command::Load(Source::Text { name: "soft".into(), text }));
        assert_eq!(other.frame().notice.1, "");
        (0..480).for_each(|_| other.step());
        assert!(soft < stiff - 0.002, "{soft} m, from {stiff} m");
        assert!((soft - lowest(&other)).abs() < 2e-4, "{soft} m, not {} m", lowest(&other));
    }

    #[test]
    fn pressure_density_friction_and_wind_change_while_a_ball_flies() {
        let mut session = session();
        let (from, velocity) = (Vec3::Z * 3.0, Vec3::ZERO);
        session.apply(Command::Shoot { from, velocity, radius: 0.05 });
        (0..5).for_each(|_| session.step());
        let count = session.world().particles.len();
        let told = [
            tune(&mut session, "body.1.pressure", "1.5"),
            tune(&mut session, "material.rubber.density", "2000"),
            tune(&mut session, "body.0.friction", "0.9"),
            tune(&mut session, "wind.velocity", "[3, 0, 0]"),
        ];
        assert_eq!(told.concat(), "");
        let world = session.world();
        assert_eq!(world.particles.len(), count);
        let balloons = world.regions_of(&pliant::region::balloon::KIND).unwrap();
        assert_eq!(balloons.params(0).next(), Some(1.5));
        let (_, bar) = world.bodies().next().unwrap();
        let masses = world.particles.inverse_mass[bar.range()].iter().map(|w| 1.0 / w);
        assert!((masses.sum::<f32>() / (0.3 * 0.05 * 0.05 * 2000.0) - 1.0).abs() < 1e-3);
        assert_eq!(bar.touch.friction, 0.9);
        session.step();
        assert_eq!(session.frame().step, 6);
        assert_eq!(session.world().forces[0].params[..3], [3.0, 0.0, 0.0]);
    }

    #[test]
    fn what_cannot_be_taken_over_begins_anew_and_says_so_and_errors_change_nothing() {
        let mut session = session();
        (0..5).for_each(|_| session.step());
        let hash = session.world().hash();
        let told = tune(&mut session, "material.rubber.young", "-5");
        assert!(told.contains("young"), "{told}");
        assert_eq!((session.world().hash(), session.frame().step), (hash, 5));
        let edge = |z: f32| [Vec3::new(0.02, 5.0, z), Vec3::new(0.02, -5.0, z)];
        session.apply(Command::Cut { edges: vec![edge(-0.5), edge(0.5)] });
        let told = tune(&mut session, "material.rubber.young", "500000");
        assert!(told.contains("anew"), "{told}");
        assert_eq!(session.frame().step, 0);
        session.apply(Command::Restart);
        let knobs = session.frame().tunables.knobs.clone();
        let young = knobs.iter().find(|knob| knob.name == "young").unwrap();
        assert_eq!(young.values, [5e5], "a restart keeps what was tuned");
    }

    #[test]
    fn what_is_saved_is_what_was_tuned() {
        let folder = std::env::temp_dir().join(format!("pliant-tune-{}", std::process::id()));
        let mut session = session().writing_to(folder.clone());
        tune(&mut session, "material.rubber.density", "3000");
        tune(&mut session, "body.0.material", "\"jelly\"");
        session.apply(Command::SaveScene);
        let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let mut again = Session::new(|| 0.0);
        again.apply(Command::Load(Source::Named(file.display().to_string())));
        let made_of = |session: &mut Session| session.frame().tunables.substances.clone();
        assert_eq!(made_of(&mut again), made_of(&mut session));
        assert_eq!(made_of(&mut again)[0].material.as_deref(), Some("jelly"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
