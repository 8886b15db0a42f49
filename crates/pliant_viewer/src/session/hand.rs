//! A hand that drags: springs from particles to where the hand is.

use pliant::constraint::anchor;
use pliant::glam::Vec3;
use pliant::{Hold, World};

/// How fast the hand's spring swings with the body on it (1/s): 4 Hz. A body hangs 16 mm below the
/// hand then, whatever its mass, and follows it within a quarter of a second.
const SWING: f32 = 4.0;

/// Share of critical damping of the hand's spring: it settles without wobbling on.
const DAMPING: f32 = 0.7;

/// Fastest that a pin is dragged (m/s): no body is torn through another by a jump of the mouse.
const FASTEST: f32 = 20.0;

/// What a hand holds.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    held: Vec<Held>,
    /// Where the hand is (m).
    pub(crate) to: Vec3,
}

/// A particle that a hand holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    particle: u32,
    /// Where it is to be, seen from the hand (m).
    offset: Vec3,
    /// The number of its spring among the world's anchors, if it was not pinned.
    spring: Option<usize>,
}

/// How a hand pulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Where what it holds is (m).
    pub from: Vec3,
    /// Where the hand is (m).
    pub to: Vec3,
    /// How hard it pulls (N).
    pub newtons: f32,
}

impl Hand {
    /// Takes hold of particles; `None` if there is nothing to hold.
    pub(crate) fn grab(world: &mut World, particles: &[u32], at: Vec3) -> Option<Self> {
        let count = world.particles.len();
        let mut particles: Vec<u32> =
            particles.iter().copied().filter(|&i| (i as usize) < count).collect();
        particles.sort_unstable();
        particles.dedup();
        if particles.is_empty() || !at.is_finite() {
            return None;
        }
        wake(world, &particles);
        let hold = spring(world, &particles);
        let mut hand = Self { held: Vec::new(), to: at };
        for particle in particles {
            let x = world.particles.position(particle as usize);
            let free = !world.particles.pinned[particle as usize];
            let joined = |world: &mut World| {
                world.join_with_rest(&anchor::KIND, &[particle], &x.to_array(), hold).is_ok()
            };
            let number = world.constraints_of(&anchor::KIND).map_or(0, |set| set.len());
            let spring = (free && joined(world)).then_some(number);
            hand.held.push(Held { particle, offset: x - at, spring });
        }
        Some(hand)
    }

    /// After a cut or a tear, which give particles and springs other numbers: springs are known by
    /// where they pull to, pins by where they should be.
    pub(crate) fn find_again(&mut self, world: &World) {
        let springs = self.held.iter().filter(|held| held.spring.is_some());
        let offsets: Vec<Vec3> = springs.map(|held| held.offset).collect();
        let pins = self.held.iter().filter(|held| held.spring.is_none());
        let mut held: Vec<Held> = pins.filter_map(|pin| self.pin_again(world, *pin)).collect();
        if let Some(anchors) = world.constraints_of(&anchor::KIND) {
            for number in 0..anchors.len() {
                let is_here =
                    |offset: &&Vec3| anchors.rest(number).eq((self.to + **offset).to_array());
                let offset = offsets.iter().find(is_here);
                let (particle, spring) = (anchors.particles(number)[0], Some(number));
                held.extend(offset.map(|&offset| Held { particle, offset, spring }));
            }
        }
        self.held = held;
    }

    fn pin_again(&self, world: &World, pin: Held) -> Option<Held> {
        let wanted = self.to + pin.offset;
        let far = |i: &u32| world.particles.position(*i as usize).distance_squared(wanted);
        let all = 0..world.particles.len() as u32;
        let pinned = all.filter(|&i| world.particles.pinned[i as usize]);
        let nearest = pinned.min_by(|a, b| far(a).total_cmp(&far(b)));
        nearest.map(|particle| Held { particle, ..pin })
    }

    /// Whether it holds pins, which it moves by itself.
    pub(crate) fn holds_pins(&self) -> bool {
        self.held.iter().any(|held| held.spring.is_none())
    }

    /// Moves the hand.
    pub(crate) fn drag(&mut self, world: &mut World, to: Vec3) {
        let Some(anchors) = world.constraints_of_mut(&anchor::KIND) else { return };
        if !to.is_finite() {
            return;
        }
        self.to = to;
        for held in &self.held {
            if let Some(spring) = held.spring {
                // A place that is finite is a rest value that the set takes.
                let _ = anchors.set_rest(spring, &(to + held.offset).to_array());
            }
        }
    }

    /// Before a step of `dt` (s): pins that the hand holds move towards it.
    pub(crate) fn begin(&self, world: &mut World, dt: f32) {
        self.each_pin(world, |to, x| ((to - x) / dt.max(1e-6)).clamp_length_max(FASTEST));
    }

    /// After the step: they stand.
    pub(crate) fn end(&self, world: &mut World) {
        self.each_pin(world, |_, _| Vec3::ZERO);
    }

    fn each_pin(&self, world: &mut World, velocity: impl Fn(Vec3, Vec3) -> Vec3) {
        for &Held { particle, offset, .. } in &self.held {
            let i = particle as usize;
            if world.particles.pinned.get(i) == Some(&true) {
                let x = world.particles.position(i);
                world.particles.set_velocity(i, velocity(self.to + offset, x));
            }
        }
    }

    /// Lets go of everything; returns what was held.
    pub(crate) fn let_go(self, world: &mut World) -> Vec<u32> {
        self.end(world);
        let springs: Vec<usize> = self.springs().collect();
        if let Some(anchors) = world.constraints_of_mut(&anchor::KIND) {
            anchors.retain(|number| !springs.contains(&number));
        }
        self.held.into_iter().map(|held| held.particle).collect()
    }

    /// The numbers of its springs among the world's anchors.
    fn springs(&self) -> impl Iterator<Item = usize> + '_ {
        self.held.iter().filter_map(|held| held.spring)
    }

    /// How it pulls now: the force of a spring is λ ∇C / h² (Macklin et al. 2016, eq. 10).
    pub(crate) fn pull(&self, world: &World) -> Pull {
        let place = |held: &Held| {
            let row = world.particles.xw.get(held.particle as usize);
            row.map_or(self.to, |row| row.truncate() - held.offset)
        };
        let from = self.held.iter().map(place).sum::<Vec3>() / self.held.len().max(1) as f32;
        let h = world.substep();
        let force = |number: usize| {
            let anchors = world.constraints_of(&anchor::KIND)?;
            let i = *anchors.particles(number).first()? as usize;
            let mut rest = anchors.rest(number);
            let place = Vec3::new(rest.next()?, rest.next()?, rest.next()?);
            let along = (world.particles.position(i) - place).normalize_or_zero();
            Some(along * (anchors.lambda(number) / (h * h)))
        };
        let force: Vec3 = self.springs().filter_map(force).sum();
        let newtons = if h > 0.0 { force.length() } else { 0.0 };
        Pull { from, to: self.to, newtons }
    }
}

/// Wakes the bodies of particles that are to move.
fn wake(world: &mut World, particles: &[u32]) {
    let touched = |body: &pliant::Body| particles.iter().any(|i| body.particles.contains(i));
    let asleep: Vec<_> =
        world.bodies().filter(|(_, body)| body.asleep && touched(body)).map(|(id, _)| id).collect();
    for id in asleep {
        // It has just been found in this world.
        let _ = world.release(id);
    }
}

/// The spring of each particle, so that all of them together carry the bodies that they are of.
pub(super) fn spring(world: &World, particles: &[u32]) -> Hold {
    let touched = |body: &pliant::Body| particles.iter().any(|i| body.particles.contains(i));
    let inverse_masses = world
        .bodies()
        .filter(|(_, body)| touched(body))
        .flat_map(|(_, body)| &world.particles.inverse_mass[body.range()]);
    let mass: f32 = inverse_masses.map(|w| 1.0 / w).sum();
    let swing = SWING * std::f32::consts::TAU;
    let count = particles.len().max(1) as f32;
    let stiffness = (mass * swing * swing / count).max(f32::MIN_POSITIVE);
    Hold::spring(stiffness).damped(2.0 * DAMPING * mass * swing / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::shapes::{Cloth, TetBox};
    use pliant::step;

    const DT: f32 = 1.0 / 60.0;

    fn run(world: &mut World, hand: &Hand, seconds: f32) {
        for _ in 0..(seconds / DT).round() as u32 {
            hand.begin(world, DT);
            step(world, DT).unwrap();
            hand.end(world);
        }
    }

    #[test]
    fn a_body_that_is_held_hangs_below_the_hand_and_weighs_what_it_weighs() {
        let mut world = World::default();
        // Or it would swing for minutes.
        world.config.damping = 4.0;
        let cube = TetBox { counts: pliant::glam::UVec3::splat(3), ..TetBox::default() };
        world.add(&cube.blueprint().unwrap()).unwrap();
        let mass: f32 = world.particles.inverse_mass.iter().map(|w| 1.0 / w).sum();
        let at = world.particles.position(0);
        let hand = Hand::grab(&mut world, &[0], at).unwrap();
        run(&mut world, &hand, 8.0);
        let pull = hand.pull(&world);
        let weight = mass * 9.81;
        assert!((pull.newtons / weight - 1.0).abs() < 0.02, "{} N, not {weight} N", pull.newtons);
        let swing = SWING * std::f32::consts::TAU;
        let sag = (pull.to - pull.from).y;
        assert!((sag / (9.81 / (swing * swing)) - 1.0).abs() < 0.05, "{sag} m");
        let held = hand.let_go(&mut world);
        assert_eq!(held, [0]);
        assert!(world.constraints_of(&anchor::KIND).is_none_or(|set| set.is_empty()));
        let before = world.particles.position(0).y;
        step(&mut world, DT).unwrap();
        assert!(world.particles.position(0).y < before);
    }

    #[test]
    fn a_throw_keeps_the_speed_of_the_hand() {
        let mut world = World::default();
        world.config.gravity = Vec3::ZERO;
        let cube = TetBox { counts: pliant::glam::UVec3::splat(2), ..TetBox::default() };
        world.add(&cube.blueprint().unwrap()).unwrap();
        let start = world.particles.position(0);
        let mut hand = Hand::grab(&mut world, &[0, 1, 2], start).unwrap();
        for k in 1..=120 {
            hand.drag(&mut world, start + Vec3::X * (2.0 * DT * k as f32));
            run(&mut world, &hand, DT);
        }
        hand.let_go(&mut world);
        let count = world.particles.len() as f32;
        let speed = world.particles.v.iter().map(|v| v.x).sum::<f32>() / count;
        assert!((speed - 2.0).abs() < 0.1, "{speed} m/s");
    }

    #[test]
    fn a_pin_that_is_dragged_goes_where_the_hand_goes_and_stays_pinned() {
        let mut world = World::default();
        let cloth = Cloth { columns: 5, rows: 5, ..Cloth::default() };
        world.add(&cloth.blueprint().unwrap().pinned(&[0])).unwrap();
        let start = world.particles.position(0);
        let mut hand = Hand::grab(&mut world, &[0], start).unwrap();
        let goal = start + Vec3::new(0.1, 0.2, 0.0);
        hand.drag(&mut world, goal);
        run(&mut world, &hand, 0.5);
        assert!(world.particles.position(0).distance(goal) < 1e-4);
        hand.let_go(&mut world);
        step(&mut world, DT).unwrap();
        assert!(world.particles.pinned[0]);
        assert!(world.particles.position(0).distance(goal) < 1e-4);
    }

    #[test]
    fn what_is_held_stays_held_when_it_is_cut() {
        let mut world = World::default();
        let cloth = Cloth { columns: 9, rows: 9, ..Cloth::default() };
        let pinned = [0, 1, 2];
        world.add(&cloth.blueprint().unwrap().pinned(&pinned)).unwrap();
        let held = [80, 79, 2];
        let places = held.map(|i| world.particles.position(i as usize));
        let mut hand = Hand::grab(&mut world, &held, places[0]).unwrap();
        let middle = (places[0] + world.particles.position(0)) / 2.0;
        let blade = pliant::cut::Blade::plane(middle, Vec3::new(1.0, 0.0, 0.2)).unwrap();
        assert_eq!(world.cut(&blade).unwrap().bodies.len(), 1);
        hand.find_again(&world);
        let mut found = hand.held.clone();
        found.sort_by_key(|held| held.spring.is_none());
        assert_eq!(found.len(), 3);
        for (held, place) in found.iter().zip([places[1], places[0], places[2]]) {
            assert!(world.particles.position(held.particle as usize).distance(place) < 1e-6);
        }
        hand.drag(&mut world, places[0] + Vec3::Y);
        run(&mut world, &hand, 0.2);
        hand.let_go(&mut world);
        assert!(world.constraints_of(&anchor::KIND).is_none_or(|set| set.is_empty()));
    }

    #[test]
    fn nonsense_is_not_held() {
        let mut world = World::default();
        assert!(Hand::grab(&mut world, &[3], Vec3::ZERO).is_none());
        assert!(Hand::grab(&mut world, &[], Vec3::ZERO).is_none());
    }
}
