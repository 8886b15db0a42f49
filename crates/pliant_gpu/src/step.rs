//! One step, as [`pliant::step_with`] takes it: the same stages in the same order, each a few
//! dispatches. Put the two files side by side.

use pliant::Solver;
use pliant::contact::buffers::{self, ContactParams};
use pliant::mirror::{
    AWAY, BodyParams, FIRST_ITERATION, FORCED, JACOBI, ProjectParams, RegionParams, StepParams,
    WAKE_ALL,
};
use pliant::region::Over;
use pliant::step::Stage;

use crate::contacts::ContactColumns;
use crate::program::LANES;
use crate::recording::{Bound, Recorder, Recording, Section, Target, Work};
use crate::tiles::Group;
use crate::tiles::columns::{Rounds, TileParams};
use crate::world::GpuWorld;

/// In the flags of `tiles.wgsl`: rows go from the second half to the first, or stay in the first.
const BACK: u32 = 256;
const CLOSED: u32 = 512;

/// An iteration, as tiles take it.
#[derive(Clone, Copy, Debug)]
struct Round {
    iteration: u32,
    /// What the last of them do beside.
    then: Then,
    /// In which half of their memory rows begin the substep.
    half: usize,
}

/// What tiles do after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Nothing,
    Collide,
    Correct,
    CorrectAndPredict,
    /// The next iterations too, to the end of one or more substeps.
    All,
}

/// Workgroups of a dispatch whose lanes go on to the next rows, at most.
const MOST_STRIDED: u32 = 4096;

/// Records a step of `dt` seconds.
pub(crate) fn record(world: &GpuWorld, dt: f32) -> Recording {
    let mut to = Recorder::new(world.gpu());
    let h = dt / world.config.substeps as f32;
    let bound = Everything::bind(world, &mut to);
    let mut stages = Stages { world, to, bound, dt, h };
    stages.to.section(Section::Wake);
    stages.wake(0);
    stages.to.section(Section::WakeAll);
    stages.wake(WAKE_ALL);
    stages.to.section(Section::Open);
    stages.size(Stage::Prepare, "open", Work::Groups(0..1));
    stages.detect(Stage::Prepare, "begin", stages.strided());
    stages.substep();
    stages.to.section(Section::Finish);
    stages.size(Stage::Finish, "close", Work::Groups(0..1));
    stages.solve(Stage::Finish, "measure", stages.pairs(), 0);
    stages.sleep();
    stages.quarantine();
    stages.to.section(Section::Bring);
    stages.bring_multipliers();
    stages.to.finish(&world.contacts.sizes)
}

/// The buffers of every program.
struct Everything<'a> {
    step: Bound<'a>,
    force: Bound<'a>,
    body: Bound<'a>,
    jacobi: Bound<'a>,
    sets: Vec<Bound<'a>>,
    tiles: Vec<TileBound<'a>>,
    regions: Vec<Bound<'a>>,
    /// Of triangles and rigid bodies that meet colliders, where there are such.
    faces: Option<Bound<'a>>,
    rigids: Option<Bound<'a>>,
    /// Of contact between bodies, if anything can touch.
    contact: Option<ContactBound<'a>>,
}

/// The buffers of tiles.
struct TileBound<'a> {
    solve: Bound<'a>,
    /// Of those that end a substep.
    end: Option<Bound<'a>>,
    /// Those with which the multipliers of each kind come home.
    bring: Vec<Bound<'a>>,
}

/// The buffers of contact's programs.
#[derive(Clone, Copy)]
struct ContactBound<'a> {
    detect: Bound<'a>,
    solve: Bound<'a>,
    sizes: Bound<'a>,
    entangled: Bound<'a>,
    apart: Bound<'a>,
    next: Bound<'a>,
}

impl<'a> Everything<'a> {
    fn bind(world: &'a GpuWorld, to: &mut Recorder<'_>) -> Self {
        let particles = &world.particles;
        let [xw, v] = [particles.xw.buffer(), particles.v.buffer()];
        let predicted = particles.predicted.buffer();
        let acceleration = particles.acceleration.buffer();
        let (contacts, traits) = (particles.contacts.buffer(), particles.traits.buffer());
        let (moves, counts) = (particles.moves.buffer(), particles.counts.buffer());
        let (good, colliders) = (particles.good.buffer(), world.colliders.buffer());
        let (tables, numbers) = (world.forces.tables.buffer(), world.forces.numbers.buffer());
        let fields = world.fields.buffer();
        let step = [xw, predicted, v, acceleration, traits, contacts, colliders, fields];
        let force = [xw, v, traits, tables, numbers, acceleration];
        let (pairs, state) = (&world.contacts.pairs, world.contacts.state.buffer());
        let body = [xw, predicted, v, traits, good, world.bodies.buffer(), pairs, state];
        let (mut sets, mut tiles) = (Vec::new(), Vec::new());
        for set in &world.sets {
            let [ids, rest] = [set.ids.buffer(), set.rest.buffer()];
            let (hold, lambda) = (set.hold.buffer(), set.lambda.buffer());
            let all = [xw, predicted, v, ids, rest, hold, lambda, moves];
            sets.push(to.bind(&set.program, &all));
        }
        for number in 0..world.tiles.len() {
            tiles.push(TileBound::bind(world, number, to));
        }
        let mut regions = Vec::new();
        for set in &world.regions {
            let (tables, numbers) = (set.tables.buffer(), set.numbers.buffer());
            let (pushes, fits) = (set.pushes.buffer(), set.fits.buffer());
            let all = [xw, predicted, v, tables, numbers, pushes, fits, set.multipliers.buffer()];
            regions.push(to.bind(&set.program, &all));
        }
        let touches = &world.touches;
        let (corners, rigids) = (touches.corners.buffer(), touches.rigids.buffer());
        let faces = touches.faces.buffer();
        let by_face = [xw, predicted, v, corners, traits, faces, colliders, fields];
        let by_body = [xw, predicted, v, rigids, traits, contacts, colliders, faces];
        let has_faces = touches.count() > 0;
        Self {
            faces: touches
                .face_program
                .as_ref()
                .filter(|_| has_faces)
                .map(|program| to.bind(program, &by_face)),
            rigids: touches
                .rigid_program
                .as_ref()
                .filter(|_| touches.bodies > 0)
                .map(|program| to.bind(program, &by_body)),
            step: to.bind(&world.programs.step, &step),
            force: to.bind(&world.programs.force, &force),
            body: to.bind(&world.programs.body, &body),
            jacobi: to.bind(&world.programs.jacobi, &[xw, moves, counts]),
            sets,
            tiles,
            regions,
            contact: ContactBound::bind(world, to),
        }
    }
}

impl<'a> TileBound<'a> {
    fn bind(world: &'a GpuWorld, number: usize, to: &mut Recorder<'_>) -> Self {
        let (particles, of) = (&world.particles, &world.tiles[number]);
        let (xw, v) = (particles.xw.buffer(), particles.v.buffer());
        let (words, own) = (of.words.buffer(), of.lambda.buffer());
        let all = [xw, particles.predicted.buffer(), v, words, own];
        let more =
            [particles.traits.buffer(), particles.contacts.buffer(), world.colliders.buffer()];
        let end = world.end.as_ref().filter(|_| number + 1 == world.tiles.len());
        let homes = world.sets[of.sets.clone()].iter().map(|set| set.lambda.buffer());
        Self {
            solve: to.bind(&of.program, &all),
            end: end.map(|end| to.bind(&end.program, &[&all[..], &more].concat())),
            bring: homes.map(|home| to.bind(&of.bring, &[words, own, home])).collect(),
        }
    }

    fn entry(&self, then: Then) -> Target<'a> {
        let name = match then {
            Then::Nothing => "project_tile",
            Then::Collide => "project_and_collide",
            Then::Correct => "project_and_correct",
            Then::CorrectAndPredict => "project_correct_and_predict",
            Then::All => "take_substeps",
        };
        self.end.filter(|_| then != Then::Nothing).unwrap_or(self.solve).at(name)
    }
}

impl<'a> ContactBound<'a> {
    fn bind(world: &'a GpuWorld, to: &mut Recorder<'_>) -> Option<Self> {
        let contacts = &world.contacts;
        let ContactColumns { things, start, ways, grid, pairs, touches, sums, state, .. } =
            contacts;
        let programs = contacts.programs.as_ref()?;
        let particles = &world.particles;
        let [xw, v] = [particles.xw.buffer(), particles.v.buffer()];
        let (predicted, start) = (particles.predicted.buffer(), start.buffer());
        let (things, ways, grid) = (things.buffer(), ways.buffer(), grid.buffer());
        let (touches, sums) = (touches.buffer(), sums.buffer());
        let state = state.buffer();
        let detect = [xw, predicted, start, things, ways, grid, pairs, state];
        let solve = [xw, predicted, start, v, pairs, touches, sums, state];
        let entangled = [xw, predicted, v, start, things, state];
        let sizes = [xw, predicted, start, things, ways, grid, &contacts.sizes, state];
        let (traits, met) = (particles.traits.buffer(), particles.contacts.buffer());
        let (colliders, fields) = (world.colliders.buffer(), world.fields.buffer());
        let apart = [xw, predicted, v, sums, traits, met, colliders, fields];
        let acceleration = particles.acceleration.buffer();
        let next = [xw, predicted, v, acceleration, start, met, sums, state];
        Some(Self {
            detect: to.bind(&programs.detect, &detect),
            solve: to.bind(&programs.solve, &solve),
            sizes: to.bind(&programs.sizes, &sizes),
            entangled: to.bind(&programs.entangled, &entangled),
            apart: to.bind(&programs.apart, &apart),
            next: to.bind(&programs.next, &next),
        })
    }
}

struct Stages<'a> {
    world: &'a GpuWorld,
    to: Recorder<'a>,
    bound: Everything<'a>,
    dt: f32,
    h: f32,
}

impl Stages<'_> {
    fn substep(&mut self) {
        self.to.section(Section::Predict);
        self.predict(0);
        if self.world.end.is_some() {
            return self.substep_in_tiles();
        }
        self.to.section(Section::Solve);
        for iteration in 0..self.world.config.iterations {
            let first = if iteration == 0 { FIRST_ITERATION } else { 0 };
            self.project(Round { iteration, then: Then::Nothing, half: 0 });
            self.regions(first);
            self.touch(iteration);
            self.contacts(iteration);
        }
        self.limits();
        let [correct, correct_and_predict] = match self.world.ends_with_colliders() {
            true => ["collide_and_correct", "collide_correct_and_predict"],
            false => ["correct", "correct_and_predict"],
        };
        self.to.section(Section::Correct);
        match self.bound.contact.filter(|_| self.world.ends_with_pairs()) {
            Some(bound) => self.velocity_at(bound.apart.at("move_collide_and_correct")),
            None => self.velocity(correct),
        }
        self.answer();
        self.respond();
        self.to.section(Section::SlowDown);
        self.solve(Stage::Velocity, "slow_down", self.particles(), 0);
        self.to.section(Section::SlowDownAndPredict);
        if let Some(bound) = self.bound.contact {
            self.velocity_at(bound.next.at("slow_down_and_predict"));
        }
        self.to.section(Section::CorrectAndPredict);
        self.velocity(correct_and_predict);
    }

    /// The same where tiles do all of it, but for how it begins: what follows constraints is for single particles
    /// then, each of which is some tile's own. Where a substep has an odd number of dispatches, it ends in the other
    /// half of rows than it began.
    fn substep_in_tiles(&mut self) {
        if self.world.takes_all_in_tiles() {
            self.to.section(Section::SolveAndCorrect);
            self.take_substeps(1);
            self.to.section(Section::SolveAll);
            self.take_substeps(self.world.config.substeps);
            return;
        }
        self.to.section(Section::SolveAndCorrect);
        self.iterate_in_tiles(Then::Correct, 0);
        self.to.section(Section::SolveAndPredict);
        self.iterate_in_tiles(Then::CorrectAndPredict, 0);
        if self.world.changes_halves() {
            self.to.section(Section::PredictAway);
            self.predict(AWAY);
            self.to.section(Section::SolveAwayAndCorrect);
            self.iterate_in_tiles(Then::Correct, 1);
            self.to.section(Section::SolveAwayAndPredict);
            self.iterate_in_tiles(Then::CorrectAndPredict, 1);
        }
    }

    fn iterate_in_tiles(&mut self, last: Then, half: usize) {
        let collides = self.world.colliders.len() > 0;
        let between = if collides { Then::Collide } else { Then::Nothing };
        for iteration in 0..self.world.config.iterations {
            let is_last = iteration + 1 == self.world.config.iterations;
            self.project(Round { iteration, then: if is_last { last } else { between }, half });
        }
    }

    /// So many substeps in one dispatch.
    fn take_substeps(&mut self, substeps: u32) {
        let (world, bound) = (self.world, &self.bound.tiles[0]);
        let group = &world.tiles[0].groups[0];
        let rounds = Rounds { iterations: world.config.iterations, substeps };
        let params = self.tile_params(0, group, rounds, FIRST_ITERATION | CLOSED);
        let work = Work::Groups(group.tiles.start..group.idle.end);
        self.to.dispatch(Stage::Project, bound.entry(Then::All), work, &params);
    }

    fn particles(&self) -> Work {
        Work::Lanes(0..self.world.particles.xw.len() as u32)
    }

    /// Particles, in dispatches whose lanes go on to the next rows.
    fn strided(&self) -> Work {
        let particles = self.world.particles.xw.len() as u32;
        Work::Groups(0..particles.div_ceil(LANES).min(MOST_STRIDED))
    }

    /// Pairs that may touch.
    fn pairs(&self) -> Work {
        Work::Groups(0..self.world.contacts.room.groups()[0])
    }

    /// Those that do.
    fn touching(&self) -> Work {
        Work::Groups(0..self.world.contacts.room.groups()[1])
    }

    fn bodies(&self) -> Work {
        Work::Lanes(0..self.world.bodies.len() as u32)
    }

    fn step_params(&self) -> StepParams {
        self.step_params_with(0)
    }

    fn step_params_with(&self, flags: u32) -> StepParams {
        let counts = [self.world.particles.xw.len() as u32, self.world.colliders.len() as u32];
        let forced = if self.world.forces.count > 0 { FORCED } else { 0 };
        StepParams::new(&self.world.config, counts, self.h, flags | forced)
    }

    fn predict(&mut self, flags: u32) {
        let (work, params) = (self.particles(), self.world.forces.params.during(self.h));
        if self.world.forces.count > 0 {
            self.to.dispatch(Stage::Predict, self.bound.force.at("gather"), work, &params);
        }
        // Colliders move in the same dispatch.
        let rows = self.world.particles.xw.len().max(self.world.colliders.len()) as u32;
        let (work, params) = (Work::Lanes(0..rows), self.step_params_with(flags));
        self.to.dispatch(Stage::Predict, self.bound.step.at("predict"), work, &params);
    }

    /// Every constraint is visited once, colour after colour.
    fn project(&mut self, round: Round) {
        let first = if round.iteration == 0 { FIRST_ITERATION } else { 0 };
        let is_jacobi = self.world.config.solver == Solver::Jacobi;
        let flags = first | if is_jacobi { JACOBI } else { 0 };
        if is_jacobi {
            let work = self.particles();
            self.to.dispatch(Stage::Project, self.bound.jacobi.at("split"), work, &[0u32; 4]);
        }
        for (index, set) in self.world.sets.iter().enumerate() {
            let mut tiles = self.world.tiles.iter().filter(|_| !is_jacobi);
            if let Some(number) = tiles.position(|tiles| tiles.sets.contains(&index)) {
                if self.world.tiles[number].sets.start == index {
                    self.project_tiles(number, round);
                }
                continue;
            }
            let bound = self.bound.sets[index];
            let counts = [set.count, set.hold.len() as u32];
            let params = ProjectParams::new(counts, &self.world.config, self.h, flags);
            for slots in &set.colors {
                let work = Work::Lanes(slots.clone());
                self.to.dispatch(Stage::Project, bound.at("project"), work, &params);
            }
        }
        if is_jacobi {
            let work = self.particles();
            self.to.dispatch(Stage::Project, self.bound.jacobi.at("average"), work, &[0u32; 4]);
        }
    }

    /// The same, several colours at once.
    fn project_tiles(&mut self, number: usize, Round { iteration, then, half }: Round) {
        let (tiles, bound) = (&self.world.tiles[number], &self.bound.tiles[number]);
        let first = if iteration == 0 { FIRST_ITERATION } else { 0 };
        let (before, count) = (iteration as usize * tiles.groups.len(), tiles.groups.len());
        for (number_of, group) in tiles.groups.iter().enumerate() {
            let way = match (tiles.is_closed, (half + before + number_of) % 2) {
                (true, _) => CLOSED,
                (false, 0) => 0,
                (false, _) => BACK,
            };
            let is_last = number + 1 == self.world.tiles.len() && number_of + 1 == count;
            let then = if is_last { then } else { Then::Nothing };
            let params = self.tile_params(number, group, Rounds::default(), first | way);
            // Particles that nothing holds are moved by what follows constraints.
            let end = if then == Then::Nothing { group.tiles.end } else { group.idle.end };
            let work = Work::Groups(group.tiles.start..end);
            self.to.dispatch(Stage::Project, bound.entry(then), work, &params);
        }
    }

    fn tile_params(&self, number: usize, group: &Group, rounds: Rounds, flags: u32) -> TileParams {
        let (world, tiles) = (self.world, &self.world.tiles[number]);
        let sets = &world.sets[tiles.sets.clone()];
        tiles.params(group, (self.step_params(), rounds), |kind| {
            let counts = [sets[kind].count, sets[kind].hold.len() as u32];
            ProjectParams::new(counts, &world.config, self.h, flags)
        })
    }

    /// Multipliers that tiles have left go where they are read.
    fn bring_multipliers(&mut self) {
        if self.world.config.solver == Solver::Jacobi {
            return;
        }
        for (tiles, bound) in self.world.tiles.iter().zip(&self.bound.tiles) {
            for (kind, bring) in bound.bring.iter().enumerate() {
                let (work, params) = (Work::Lanes(tiles.rows(kind)), [0, 0, tiles.slots(), 0]);
                self.to.dispatch(Stage::Finish, bring.at("bring_home"), work, &params);
            }
        }
    }

    fn regions(&mut self, first: u32) {
        for index in 0..self.world.regions.len() {
            if !self.world.regions[index].kind.acts_at_end() {
                self.visit(Stage::Project, index, first);
            }
        }
    }

    fn limits(&mut self) {
        for index in 0..self.world.regions.len() {
            if self.world.regions[index].kind.acts_at_end() {
                self.visit(Stage::Velocity, index, FIRST_ITERATION);
            }
        }
    }

    /// All passes of a kind of region.
    fn visit(&mut self, stage: Stage, index: usize, first: u32) {
        let (set, bound) = (&self.world.regions[index], self.bound.regions[index]);
        let params = RegionParams::new(set.layout, &self.world.config, self.h, first);
        for pass in set.kind.dispatches() {
            let rows = 0..set.rows(pass);
            match pass.over {
                Over::Regions if set.kind.acts_at_end() && set.in_turn => {
                    for region in rows {
                        let work = Work::Groups(region..region + 1);
                        self.to.dispatch(stage, bound.at(pass.entry), work, &params);
                    }
                }
                Over::Regions => {
                    self.to.dispatch(stage, bound.at(pass.entry), Work::Groups(rows), &params);
                }
                _ => self.to.dispatch(stage, bound.at(pass.entry), Work::Lanes(rows), &params),
            }
        }
    }

    fn contacts(&mut self, iteration: u32) {
        if self.world.colliders.len() == 0 {
            return;
        }
        let is_last = iteration + 1 == self.world.config.iterations;
        if is_last && self.world.ends_with_colliders() {
            return; // in the same pass as what follows
        }
        let (work, params) = (self.particles(), self.step_params());
        self.to.dispatch(Stage::Contacts, self.bound.step.at("collide"), work, &params);
        let params = self.touch_params(iteration);
        if let Some(faces) = self.bound.faces {
            let all = Work::Lanes(0..self.world.touches.count());
            self.to.dispatch(Stage::Contacts, faces.at("face_find"), all, &params);
            for color in &self.world.touches.colors {
                let work = Work::Lanes(color.clone());
                self.to.dispatch(Stage::Contacts, faces.at("face_push"), work, &params);
            }
        }
        if let Some(rigids) = self.bound.rigids {
            let bodies = Work::Groups(0..self.world.touches.bodies);
            self.to.dispatch(Stage::Contacts, rigids.at("rigid_project"), bodies, &params);
        }
    }

    fn touch_params(&self, iteration: u32) -> StepParams {
        self.step_params().at_face(iteration, self.world.touches.count())
    }

    /// Friction and restitution of triangles and rigid bodies.
    fn answer(&mut self) {
        if let Some(faces) = self.bound.faces {
            for iteration in 0..self.world.config.iterations {
                let params = self.touch_params(iteration);
                for color in &self.world.touches.colors {
                    let work = Work::Lanes(color.clone());
                    self.to.dispatch(Stage::Velocity, faces.at("face_respond"), work, &params);
                }
            }
        }
        if let Some(rigids) = self.bound.rigids {
            let bodies = Work::Groups(0..self.world.touches.bodies);
            let params = self.step_params();
            self.to.dispatch(Stage::Velocity, rigids.at("rigid_update"), bodies, &params);
        }
    }

    /// Keeps bodies apart: those that may touch until the next search are found on the GPU.
    fn touch(&mut self, iteration: u32) {
        if iteration == 0 {
            self.search();
            self.part();
        }
        for sweep in 0..buffers::sweeps(self.world.config.iterations) {
            let again = match (iteration, sweep) {
                (0, 0) => buffers::FIRST_ITERATION,
                (_, 0) => 0,
                _ => buffers::AGAIN,
            };
            let odd = if sweep % 2 == 1 { buffers::ODD } else { 0 };
            self.solve(Stage::Contacts, "look", self.pairs(), again | odd);
            self.solve(Stage::Contacts, "push", self.touching(), odd);
        }
        let is_last = iteration + 1 == self.world.config.iterations;
        if !(is_last && self.world.ends_with_pairs()) {
            self.solve(Stage::Contacts, "move_apart", self.particles(), 0);
        }
    }

    fn search(&mut self) {
        use buffers::Over::{Buckets, Elements, Entries, Meetings, New, Old};
        if self.bound.contact.is_none() {
            return;
        }
        self.size(Stage::Contacts, "check_paths", self.strided());
        self.detect(Stage::Contacts, "bound", Work::Found(Old));
        self.detect(Stage::Contacts, "place_buckets", Work::Found(Buckets));
        self.detect(Stage::Contacts, "fill", Work::Found(Elements));
        self.detect(Stage::Contacts, "compare", Work::Found(Entries));
        self.detect(Stage::Contacts, "expand", Work::Found(Meetings));
        if self.world.config.sleep_speed > 0.0 {
            self.over_bodies(Stage::Contacts, "approach", Work::Found(New), 0);
            self.over_bodies(Stage::Contacts, "rise", self.bodies(), 0);
            self.over_bodies(Stage::Contacts, "free", self.particles(), 0);
        }
    }

    /// Moves solids apart that began in each other.
    fn part(&mut self) {
        let count = self.world.contacts.params.entangled();
        if let Some(bound) = self.bound.contact.filter(|_| count > 0) {
            let (work, params) = (Work::Groups(0..count), self.contact_params(0));
            self.to.dispatch(Stage::Contacts, bound.entangled.at("part"), work, &params);
        }
    }

    /// Friction and restitution of what touched.
    fn respond(&mut self) {
        self.solve(Stage::Velocity, "list_touching", self.pairs(), 0);
        self.solve(Stage::Velocity, "respond", self.touching(), 0);
    }

    fn contact_params(&self, flags: u32) -> ContactParams {
        let contacts = &self.world.contacts;
        contacts.params.during(&self.world.config, contacts.room, self.h, flags)
    }

    fn detect(&mut self, stage: Stage, entry: &str, work: Work) {
        if let Some(bound) = self.bound.contact {
            let params = self.contact_params(0);
            self.to.dispatch(stage, bound.detect.at(entry), work, &params);
        }
    }

    fn solve(&mut self, stage: Stage, entry: &str, work: Work, flags: u32) {
        if let Some(bound) = self.bound.contact {
            let params = self.contact_params(flags);
            self.to.dispatch(stage, bound.solve.at(entry), work, &params);
        }
    }

    /// Finds the sizes of the dispatches that follow.
    fn size(&mut self, stage: Stage, entry: &str, work: Work) {
        if let Some(bound) = self.bound.contact {
            let params = self.contact_params(0);
            self.to.dispatch(stage, bound.sizes.at(entry), work, &params);
        }
    }

    fn velocity(&mut self, entry: &str) {
        self.velocity_at(self.bound.step.at(entry));
    }

    fn velocity_at(&mut self, entry: Target<'_>) {
        let (work, params) = (self.particles(), self.step_params());
        self.to.dispatch(Stage::Velocity, entry, work, &params);
    }

    fn over_bodies(&mut self, stage: Stage, entry: &str, work: Work, flags: u32) {
        let params = BodyParams::new(&self.world.config, self.dt, flags);
        self.to.dispatch(stage, self.bound.body.at(entry), work, &params);
    }

    fn wake(&mut self, flags: u32) {
        self.over_bodies(Stage::Prepare, "find_disturbed", self.particles(), flags);
        self.over_bodies(Stage::Prepare, "stir", self.bodies(), flags);
        self.over_bodies(Stage::Prepare, "wake", self.bodies(), flags);
        self.over_bodies(Stage::Prepare, "free", self.particles(), flags);
    }

    fn sleep(&mut self) {
        if self.world.config.sleep_speed > 0.0 {
            self.over_bodies(Stage::Finish, "find_fast", self.particles(), 0);
            self.over_bodies(Stage::Finish, "tire", self.bodies(), 0);
            self.over_bodies(Stage::Finish, "fall_asleep", self.bodies(), 0);
            self.over_bodies(Stage::Finish, "hold", self.particles(), 0);
        }
    }

    fn quarantine(&mut self) {
        self.over_bodies(Stage::Finish, "find_bad", self.particles(), 0);
        self.over_bodies(Stage::Finish, "judge", self.bodies(), 0);
        self.over_bodies(Stage::Finish, "contain", self.particles(), 0);
    }
}
