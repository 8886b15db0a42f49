//! What tools do to bodies: pins, pushes, cuts, seams, weak places, breath.

use pliant::constraint::{distance, neo_hookean};
use pliant::cut::Blade;
use pliant::glam::Vec3;
use pliant::region::balloon;
use pliant::tear::Strength;
use pliant::{Body, BodyId, World, WorldError};

use super::hand;

/// How much a balloon grows with every breath, over its volume, and how large and small it becomes.
const BREATH: f32 = 0.01;
const LARGEST: f32 = 5.0;
const SMALLEST: f32 = 0.1;

/// How much faster a body that is no balloon swells with every breath (m/s, at a metre).
const SWELL: f32 = 2.0;

/// Holds a particle where it is.
pub(super) fn pin(world: &mut World, particle: u32) {
    if (particle as usize) < world.particles.len() {
        world.particles.pin(particle as usize);
    }
}

/// Lets it go.
pub(super) fn unpin(world: &mut World, particle: u32) {
    let i = particle as usize;
    if world.particles.pinned.get(i) == Some(&true) {
        world.particles.unpin(i);
        world.particles.set_velocity(i, Vec3::ZERO);
    }
}

/// Gives what is near a place a velocity, most in the middle.
pub(super) fn push(world: &mut World, at: Vec3, radius: f32, velocity: Vec3) {
    if velocity.is_finite() {
        push_each(world, at, radius, |_| velocity);
    }
}

fn push_each(world: &mut World, at: Vec3, radius: f32, velocity: impl Fn(Vec3) -> Vec3) {
    if !(at.is_finite() && radius > 0.0) {
        return;
    }
    let particles = &mut world.particles;
    for i in 0..particles.len() {
        let x = particles.position(i);
        let share = 1.0 - x.distance(at) / radius;
        if share > 0.0 && particles.xw[i].w > 0.0 {
            let v = particles.velocity(i) + velocity(x) * share;
            particles.set_velocity(i, v);
        }
    }
}

/// Cuts along a moving edge. Says what was not cut, if there is something.
pub(super) fn cut(world: &mut World, edges: &[[Vec3; 2]]) -> Result<Option<String>, WorldError> {
    let cut = world.cut(&Blade::sweep(edges)?)?;
    let name = |id: &BodyId| world.body(*id).ok().map(|body| body.name.clone());
    let uncut: Vec<String> = cut.uncut.iter().filter_map(name).collect();
    Ok((!uncut.is_empty()).then(|| format!("a surface that cannot be cut: {}", uncut.join(", "))))
}

/// Sews two particles together, with a spring that brings them there.
pub(super) fn sew(world: &mut World, ends: [u32; 2]) -> Result<(), WorldError> {
    let hold = hand::spring(world, &ends);
    world.suture(&[ends], hold, f32::INFINITY).map(drop)
}

/// Lets what is near a place tear when it is stretched.
pub(super) fn weaken(world: &mut World, at: Vec3, radius: f32, strain: f32) {
    let x: Vec<Vec3> = world.particles.xw.iter().map(|row| row.truncate()).collect();
    let near = |i: &u32| x[*i as usize].distance(at) < radius;
    for kind in [&distance::KIND, &neo_hookean::KIND] {
        let Some(set) = world.constraints_of_mut(kind) else { continue };
        for number in 0..set.len() {
            let strength = set.strength(number);
            if strength.break_strain > strain && set.particles(number).iter().any(near) {
                // A strain that the set does not take changes nothing.
                let _ = set.set_strength(number, Strength { break_strain: strain, ..strength });
            }
        }
    }
}

/// Blows the balloon of a particle up, or lets air out; swells another body near a place, or shrinks it.
pub(super) fn inflate(world: &mut World, particle: u32, (at, radius): (Vec3, f32), breath: f32) {
    if let Some(set) = world.regions_of_mut(&balloon::KIND) {
        let number = (0..set.len()).find(|&n| set.members(n).contains(&particle));
        if let Some(number) = number {
            let pressure = set.params(number).next().unwrap_or(1.0);
            let wanted = pressure * (1.0 + BREATH * breath.clamp(-1.0, 1.0));
            let _ = set.set_param(number, "pressure", wanted.clamp(SMALLEST, LARGEST));
            return;
        }
    }
    let body = world.bodies().find(|(_, body)| body.particles.contains(&particle));
    let Some(range) = body.map(|(_, body)| body.range()) else { return };
    let sum: Vec3 = world.particles.xw[range.clone()].iter().map(|row| row.truncate()).sum();
    let middle = sum / range.len() as f32;
    let speed = SWELL * radius * breath.clamp(-1.0, 1.0);
    push_each(world, at, radius, |x| (x - middle).normalize_or_zero() * speed);
}

/// Lets a body move that was put aside, by name.
pub(super) fn free(world: &mut World, name: &str) {
    let found = world.bodies().find(|(_, body)| body.name == name);
    if let Some((id, _)) = found {
        // It has just been found in this world.
        let _ = world.release(id);
    }
}

/// Gives particles a velocity on top of their own.
pub(super) fn kick(world: &mut World, particles: &[u32], velocity: Vec3) {
    let there = particles.iter().map(|&i| i as usize).filter(|&i| i < world.particles.len());
    let there: Vec<usize> = there.filter(|&i| world.particles.xw[i].w > 0.0).collect();
    if velocity.is_finite() {
        for i in there {
            let v = world.particles.velocity(i) + velocity;
            world.particles.set_velocity(i, v);
        }
    }
}

/// Takes particles out of sheets, solids and ropes; a body whose particles are held together as one, or
/// that is seen through a skin, goes as a whole. Says which went so though only parts were meant.
pub(super) fn delete(world: &mut World, particles: &[u32]) -> Result<Option<String>, WorldError> {
    let mut meant = vec![false; world.particles.len()];
    particles.iter().for_each(|&i| meant.get_mut(i as usize).into_iter().for_each(|m| *m = true));
    let mut in_region = vec![false; meant.len()];
    for set in world.regions() {
        let members = (0..set.len()).flat_map(|number| set.members(number));
        members.for_each(|&i| in_region[i as usize] = true);
    }
    let bodies = world.bodies().filter(|(_, body)| body.range().any(|i| meant[i]));
    let is_one = |body: &Body| body.skin.is_some() || body.range().any(|i| in_region[i]);
    let bodies = bodies.map(|(id, body)| (id, body.range(), is_one(body), body.name.clone()));
    let (mut edit, mut whole, mut unasked) = (world.edit(), Vec::new(), Vec::new());
    for (id, range, is_one, name) in bodies.collect::<Vec<_>>() {
        let all = range.clone().all(|i| meant[i]);
        if all || is_one {
            whole.push(id);
            unasked.extend((!all).then_some(name));
        } else {
            range.filter(|&i| meant[i]).for_each(|i| edit.remove(i as u32));
        }
    }
    world.apply(&edit)?;
    for id in whole {
        world.remove(id)?;
    }
    let told = format!("removed as a whole, since it cannot be in part: {}", unasked.join(", "));
    Ok((!unasked.is_empty()).then_some(told))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use crate::session::{Session, Source};
    use pliant::measure;

    fn bodies(session: &Session) -> usize {
        session.world().bodies().count()
    }

    #[test]
    fn what_is_pulled_tears_near_the_hand_and_not_without_being_weak() {
        let mut counts = Vec::new();
        for weak in [false, true] {
            let mut session = Session::quick("hanging-cloth");
            (0..60).for_each(|_| session.step());
            let at = session.world().particles.position(220);
            session.apply(Command::Grab { particles: vec![220], at });
            session.apply(Command::Drag { to: at + Vec3::Z * 2.0 });
            for _ in 0..60 {
                let held = session.frame().pull.unwrap().from;
                if weak {
                    session.apply(Command::Weaken { at: held, radius: 0.2, strain: 0.15 });
                }
                session.step();
            }
            counts.push(session.world().particles.len());
            session.world().check().unwrap();
        }
        assert!(counts[1] > counts[0], "{counts:?}");
    }

    #[test]
    fn a_cut_is_closed_by_welding_along_it_and_two_places_are_sewn() {
        let mut session = Session::quick("hanging-cloth");
        let before = (bodies(&session), session.world().particles.len());
        let edge = |z: f32| [Vec3::new(0.02, 5.0, z), Vec3::new(0.02, -5.0, z)];
        session.apply(Command::Cut { edges: vec![edge(-3.0), edge(3.0)] });
        assert_eq!(bodies(&session), before.0 + 1);
        let path = vec![Vec3::new(0.02, 0.0, -1.0), Vec3::new(0.02, 0.0, 1.0)];
        session.apply(Command::Weld { path: path.clone(), distance: 0.1, ends: None });
        assert_eq!((bodies(&session), session.world().particles.len()), before);
        session.apply(Command::Weld { path, distance: 0.1, ends: Some([400, 440]) });
        let gap = |session: &Session| {
            let x = |i| session.world().particles.position(i);
            x(400).distance(x(440))
        };
        let apart = gap(&session);
        (0..120).for_each(|_| session.step());
        assert!(gap(&session) < 0.3 * apart, "{} m of {apart} m", gap(&session));
    }

    #[test]
    fn part_of_a_sheet_is_taken_out_and_a_body_that_is_one_goes_as_a_whole() {
        let mut session = Session::quick("hanging-cloth");
        let count = session.world().particles.len();
        session.apply(Command::Delete((100..140).collect()));
        session.world().check().unwrap();
        assert_eq!(session.world().particles.len(), count - 40);
        (0..30).for_each(|_| session.step());
        session.apply(Command::Recall);
        assert_eq!(session.world().particles.len(), count);
        session.apply(Command::Redo);
        assert_eq!(session.world().particles.len(), count - 40);
        for scene in ["balloons", "elephant", "soft-cube"] {
            session.apply(Command::Load(Source::Quick(scene.into())));
            let (before, count) = (bodies(&session), session.world().particles.len());
            let notice = session.frame().notice.0;
            session.apply(Command::Delete(vec![7, 8, 9, u32::MAX]));
            session.world().check().unwrap();
            assert!(session.world().particles.len() < count, "{scene}");
            let told = session.frame().notice;
            assert_eq!(bodies(&session) < before, told.0 > notice, "{scene}: {told:?}");
            assert_eq!(bodies(&session) < before, scene != "soft-cube");
            (0..20).for_each(|_| session.step());
            let rows = &session.world().particles.xw;
            assert!(rows.iter().all(|row| row.is_finite()), "{scene}");
        }
    }

    #[test]
    fn what_lies_on_a_floor_is_taken_out_while_contacts_are_shown() {
        let mut session = Session::quick("soft-cube");
        let contacts = crate::command::Wants { contacts: true, ..Default::default() };
        session.apply(Command::Want(contacts));
        (0..120).for_each(|_| session.step());
        assert!(!session.frame().contacts.is_empty(), "it lies on the floor");
        let count = session.world().particles.len() as u32;
        session.apply(Command::Delete((10..count).collect()));
        assert_eq!(session.world().particles.len(), 10);
        assert!(session.frame().contacts.len() <= 10);
    }

    #[test]
    fn a_balloon_grows_with_every_breath() {
        let mut session = Session::quick("balloons");
        let balloons = session.world().regions_of(&balloon::KIND).unwrap();
        let particle = balloons.members(0)[0];
        let wanted = |session: &Session| {
            let set = session.world().regions_of(&balloon::KIND).unwrap();
            set.params(0).next().unwrap()
        };
        let before = wanted(&session);
        for _ in 0..50 {
            let (at, radius, breath) = (Vec3::ZERO, 0.1, 1.0);
            session.apply(Command::Inflate { particle, at, radius, breath });
            session.step();
        }
        let large = wanted(&session);
        assert!(large > 1.5 * before);
        let out = Command::Inflate { particle, at: Vec3::ZERO, radius: 0.1, breath: -1.0 };
        session.apply(out);
        assert!(wanted(&session) < large);
        assert!(measure::readings(session.world()).iter().all(|reading| reading.value.is_finite()));
    }
}
