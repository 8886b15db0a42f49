//! A monkey at the keyboard: random events without drawing. Nothing panics, nothing becomes NaN, and
//! the log gives the same world again.
//!
//! `PLIANT_MONKEY=EVENTSxSEEDS` asks for more, as `cargo xtask viewer` does.

use pliant::glam::{Vec3, Vec4};
use pliant::settings::{Range, SETTINGS, Value};
use pliant::testing::Random;
use pliant_io::scene::Knob;
use pliant_viewer::command::{Command, Wants};
use pliant_viewer::layer::Look;
use pliant_viewer::moment::Moment;
use pliant_viewer::session::{Session, Source};

/// Scenes that differ in what they are made of, with few particles each: events are what counts.
const SCENES: [&str; 4] = [CLOTH, SOLIDS, BALLOON, MATCHED];

const CLOTH: &str = r#"
    format = 1
    name = "cloth"
    wind = { velocity = [1, 0, 0], gust = 0.5 }
    solver = { substeps = 8 }
    [[body]]
    id = "cloth"
    kind = "cloth"
    size = ["60 cm", "60 cm"]
    cell = "10 cm"
    material = "cotton"
    at = [0, 1, 0]
    pin = [{ corner = ["-x", "-z"] }, { corner = ["+x", "-z"] }]
    touches = "all"
    [[collider]]
    shape = "plane"
    friction = 0.4
"#;

const SOLIDS: &str = r#"
    format = 1
    name = "solids"
    solver = { substeps = 8 }
    [[body]]
    id = "cube"
    kind = "tets"
    box = ["20 cm", "20 cm", "20 cm"]
    cell = "10 cm"
    material = "jelly"
    at = [0, 0.3, 0]
    [[body]]
    id = "lattice"
    kind = "lattice"
    box = ["20 cm", "20 cm", "20 cm"]
    cell = "10 cm"
    links = "5 kN/m"
    density = 200
    touches = "others"
    at = [0.4, 0.3, 0]
    [[body]]
    id = "rope"
    kind = "rope"
    length = "60 cm"
    segments = 12
    stretch = "5 kN/m"
    linear_density = "50 g/m"
    at = [-0.5, 1, 0]
    pin = [{ end = "first" }]
    [[collider]]
    shape = "plane"
    restitution = 0.3
"#;

const BALLOON: &str = r#"
    format = 1
    name = "balloon"
    solver = { substeps = 8 }
    [[body]]
    id = "balloon"
    kind = "balloon"
    ball = "15 cm"
    cell = "8 cm"
    areal_density = "200 g/m^2"
    stretch = "3 N/m"
    pressure = 1.2
    at = [0, 0.4, 0]
    [[collider]]
    shape = "sphere"
    radius = "20 cm"
    at = [0, -0.2, 0]
"#;

const MATCHED: &str = r#"
    format = 1
    name = "matched"
    solver = { substeps = 8 }
    [[body]]
    id = "rigid"
    kind = "matched"
    box = ["24 cm", "24 cm", "24 cm"]
    cell = "12 cm"
    density = 200
    mode = "rigid"
    touches = "others"
    at = [0, 0.4, 0]
    [[body]]
    id = "quadratic"
    kind = "matched"
    box = ["24 cm", "24 cm", "24 cm"]
    cell = "8 cm"
    density = 200
    mode = "quadratic"
    touches = "others"
    at = [0, 0.8, 0]
    [[collider]]
    shape = "plane"
"#;

fn scene(number: usize) -> Source {
    Source::Text { name: format!("scene {number}"), text: SCENES[number].into() }
}

/// What happened.
#[derive(Clone, Debug)]
enum Event {
    Ask(Command),
    Step,
}

fn session() -> Session {
    let folder = std::env::temp_dir().join(format!("pliant-monkey-{}", std::process::id()));
    let mut session = Session::new(|| 0.0).writing_to(folder).on_threads(1);
    session.apply(Command::Load(scene(0)));
    assert_eq!(session.frame().notice.1, "");
    session
}

fn happen(session: &mut Session, event: &Event) {
    match event {
        Event::Ask(command) => session.apply(command.clone()),
        Event::Step => session.step(),
    }
}

/// A mesh file of a small sheet: it has no inside, so that it becomes a shell of nine particles.
fn sheet() -> Vec<u8> {
    let mut text = String::from("OFF\n9 8 0\n");
    (0..9).for_each(|k| text += &format!("{} 0 {}\n", 0.1 * (k % 3) as f32, 0.1 * (k / 3) as f32));
    for k in [0, 1, 3, 4] {
        text += &format!("3 {k} {} {}\n3 {} {} {}\n", k + 3, k + 1, k + 1, k + 3, k + 4);
    }
    text.into_bytes()
}

struct Monkey {
    random: Random,
}

impl Monkey {
    fn below(&mut self, count: usize) -> usize {
        (self.random.unit() * count as f32) as usize % count.max(1)
    }

    fn vector(&mut self, size: f32) -> Vec3 {
        self.random.vector(2.0 * size)
    }

    fn particles(&mut self, session: &Session) -> Vec<u32> {
        let count = session.world().particles.len();
        (0..1 + self.below(3)).map(|_| self.below(count.max(1)) as u32).collect()
    }

    /// Any setting but those that make a result depend on luck, in a range that ends before morning.
    fn setting(&mut self) -> Command {
        let setting = &SETTINGS[self.below(SETTINGS.len())];
        let value = match setting.range {
            Range::Whole(min, max) => {
                Value::Number(f64::from(min + self.below(6) as u32).min(f64::from(max)))
            }
            Range::Number(min, max) => {
                Value::Number(min + f64::from(self.random.unit()) * (max.min(10.0) - min))
            }
            Range::Vector(_) => Value::Vector(self.vector(20.0).as_dvec3().to_array()),
            Range::Choice(words) => {
                let luck = ["unordered", "gpu"];
                let exact: Vec<_> =
                    words.iter().filter(|word| !luck.contains(&word.name)).collect();
                Value::Choice(exact[self.below(exact.len())].name)
            }
        };
        Command::Set { name: setting.name, value }
    }

    /// Any number of the scene, up to ten times as large or small, or what none can be.
    fn knob(&mut self, session: &Session) -> Command {
        let knobs = &session.tunables().knobs;
        let made_of = session.tunables().substances.iter().flat_map(|one| &one.knobs);
        let all: Vec<&Knob> = knobs.iter().chain(made_of).collect();
        let Some(knob) = all.get(self.below(all.len())) else { return Command::Step };
        let factor = 10.0_f64.powf(f64::from(2.0 * self.random.unit() - 1.0));
        let [low, high] = knob.range;
        let change = |value: &f64| (value * factor).clamp(low, high);
        let values: Vec<f64> = knob.values.iter().map(change).collect();
        let value = if self.below(10) == 0 { "\"?\"".into() } else { Knob::text(&values) };
        Command::Tune { path: knob.path.clone(), value }
    }

    fn place(&mut self, session: &Session) -> Vec3 {
        let rows = &session.world().particles.xw;
        let row = rows.get(self.below(rows.len())).copied().unwrap_or(Vec4::ZERO);
        row.truncate() + self.vector(0.2)
    }

    fn event(&mut self, session: &Session) -> Event {
        let at = self.place(session);
        let particles = self.particles(session);
        let command = match self.below(65) {
            0..=5 => Command::Grab { particles, at },
            6..=14 => Command::Drag { to: at + self.vector(0.5) },
            15..=18 => Command::Release,
            19 => Command::Nail,
            20 => Command::Play,
            21 => Command::Pause,
            22 => Command::Step,
            23 => Command::Back,
            24 => Command::Seek(self.below(200) as u64),
            25 => Command::Speed(f64::from(self.random.unit()) * 8.0),
            26..=30 => self.setting(),
            31 => Command::Wind(self.vector(10.0)),
            32 => Command::Gust(self.vector(30.0)),
            33 => Command::Shoot { from: at, velocity: self.vector(10.0), radius: 0.05 },
            34 => Command::Pin(particles),
            35 => Command::Unpin(particles),
            36 => Command::UnpinAll,
            37 => Command::Push { at, radius: 0.2, velocity: self.vector(2.0) },
            38 => Command::Keep,
            39 => Command::Recall,
            40 => Command::Restart,
            41 | 58 => Command::Load(scene(self.below(SCENES.len()))),
            42 => Command::Drop { name: "sheet.off".into(), bytes: Some(sheet()) },
            43 => Command::Free("cloth".into()),
            44 => Command::Want(Wants { strain: true, contacts: true, ..Wants::NONE }),
            45 => Command::Want(Wants { readings: true, problems: true, ..Wants::NONE }),
            46 => Command::Load(Source::Named("no such scene".into())),
            49..=51 => {
                let along = self.vector(1.0).normalize_or(Vec3::Z);
                let stroke = [self.vector(0.3), self.vector(0.3), self.vector(0.3)];
                let edges = stroke.map(|off| [at + off - along, at + off + along]).to_vec();
                Command::Cut { edges }
            }
            53 => {
                let (path, distance) = (vec![at, at + self.vector(0.3)], 0.1);
                let ends = [particles[0], self.particles(session)[0]];
                Command::Weld { path, distance, ends: Some(ends) }
            }
            54 => Command::Weaken { at, radius: 0.2, strain: 0.3 * self.random.unit() - 0.05 },
            55 => {
                let breath = self.random.vector(2.0).x;
                Command::Inflate { particle: particles[0], at, radius: 0.2, breath }
            }
            59 => Command::Delete([particles, vec![u32::MAX]].concat()),
            60 => Command::Kick { particles, velocity: self.vector(3.0) },
            61 => Command::Redo,
            52 => Command::Cut { edges: vec![[Vec3::NAN; 2], [at; 2]] },
            47 => Command::Grab { particles: vec![u32::MAX], at: Vec3::NAN },
            48 => Command::Shoot { from: at, velocity: Vec3::NAN, radius: -1.0 },
            56 => self.knob(session),
            57 => Command::SaveScene,
            _ => return Event::Step,
        };
        Event::Ask(command)
    }
}

/// Plays so many events; returns them, and the hash of the world after each.
fn play(seed: u64, events: usize) -> Vec<(Event, u64)> {
    let mut session = session();
    let mut monkey = Monkey { random: Random::new(seed) };
    let mut earlier = session.shared_frame();
    let look = Look { shown: vec![true; Look::default().shown.len()], ..Look::default() };
    let mut log = Vec::new();
    for number in 0..events {
        let event = monkey.event(&session);
        happen(&mut session, &event);
        let world = session.world();
        let finite = world.particles.xw.iter().chain(&world.particles.v).all(|row| row.is_finite());
        assert!(finite, "seed {seed}, event {number}: {event:?} made something that is not finite");
        let frame = session.shared_frame();
        assert_eq!(frame.rows.len(), frame.plan.radii.len());
        if number % 20 == 0 {
            let drawing = look.draw(&Moment::between(&earlier, &frame, 0.5));
            let corners = drawing.vertices.len() as u32;
            assert!(drawing.indices.iter().all(|&index| index < corners));
        }
        earlier = frame;
        log.push((event, session.world().hash()));
    }
    log
}

#[test]
fn a_monkey_breaks_nothing_and_its_log_gives_the_same_world() {
    let wanted = std::env::var("PLIANT_MONKEY").unwrap_or_else(|_| "1000x1".into());
    let (events, seeds) = wanted.split_once('x').unwrap();
    let (events, seeds): (usize, u64) = (events.parse().unwrap(), seeds.parse().unwrap());
    for seed in 1..=seeds {
        let log = play(seed, events);
        let mut again = session();
        for (number, (event, hash)) in log.iter().enumerate() {
            happen(&mut again, event);
            assert_eq!(again.world().hash(), *hash, "seed {seed}, event {number}: {event:?}");
        }
    }
}

#[test]
fn the_scenes_of_the_monkey_are_scenes() {
    for number in 0..SCENES.len() {
        let mut session = session();
        session.apply(Command::Load(scene(number)));
        let frame = session.frame();
        assert_eq!(frame.notice.1, "", "{}", frame.title);
        assert!(frame.rows.len() < 200, "{}: {} particles", frame.title, frame.rows.len());
    }
}
