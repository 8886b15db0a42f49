//! Pictures by the GPU, or by software that plays one, against what must be seen in them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use eframe::wgpu;
use pliant::glam::Vec3;
use pliant::raster::Image;
use pliant::settings::Value;
use pliant_viewer::camera::Camera;
use pliant_viewer::command::{Command, Wants};
use pliant_viewer::draw::{Painter, Quality, Size};
use pliant_viewer::drawing::Drawing;
use pliant_viewer::driver::Thread;
use pliant_viewer::frame::Frame;
use pliant_viewer::layer::{self, Look, Paint};
use pliant_viewer::loan::Loan;
use pliant_viewer::moment::Moment;
use pliant_viewer::native::clock;
use pliant_viewer::session::{Clock, Session, Source};
use pliant_viewer::state::State;

mod clocks;
use clocks::ticking;

const SIZE: Size = Size { width: 320, height: 240, pixels_per_point: 1.0 };

struct Gpu {
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
    painter: Painter,
}

/// Outside of a browser wgpu's futures are ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a future of wgpu was not ready at once"),
    }
}

impl Gpu {
    /// The first adapter; `None`, and a word about it, where there is none.
    fn find() -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapters = ready(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let Some(adapter) = adapters.into_iter().next() else {
            println!("no pictures were drawn: there is no GPU, nor software that plays one");
            return None;
        };
        let asked = adapter.request_device(&wgpu::DeviceDescriptor::default());
        let (device, queue) = ready(asked).unwrap();
        let painter = Painter::new(&device, Quality::FULL);
        Some(Self { adapter, device, queue, painter })
    }

    /// The same for who has less time.
    fn plain(self) -> Self {
        let painter = Painter::new(&self.device, Quality::PLAIN);
        Self { painter, ..self }
    }

    /// The pixels of a drawing: red, green, blue.
    fn draw(&mut self, drawing: &Drawing, camera: &Camera) -> Picture {
        let place = (&self.device, &self.queue);
        let (texture, _) = self.painter.paint(place, drawing, camera, SIZE);
        let row = SIZE.width * 4;
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(row * SIZE.height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row),
            rows_per_image: None,
        };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            texture.size(),
        );
        self.queue.submit([encoder.finish()]);
        buffer.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.unwrap());
        self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = buffer.slice(..).get_mapped_range().unwrap().to_vec();
        Picture(bytes)
    }
}

struct Picture(Vec<u8>);

impl Picture {
    fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let at = ((y * SIZE.width + x) * 4) as usize;
        [self.0[at], self.0[at + 1], self.0[at + 2]]
    }

    /// Where a point of the world is, in pixels.
    fn at(&self, camera: &Camera, x: Vec3) -> [u8; 3] {
        let place = camera.projection(SIZE.aspect()).project_point3(x);
        let column = (place.x * 0.5 + 0.5) * SIZE.width as f32;
        let row = (0.5 - place.y * 0.5) * SIZE.height as f32;
        self.pixel(column as u32, row as u32)
    }
}

fn brightness([r, g, b]: [u8; 3]) -> f32 {
    0.2126 * f32::from(r) + 0.7152 * f32::from(g) + 0.0722 * f32::from(b)
}

const SCENE: &str = r#"
    format = 1
    [[body]]
    kind = "cloth"
    size = ["40 cm", "40 cm"]
    at = [0, 0.5, 0]
    material = "cotton"
    pin = [{ corner = ["-x", "-z"] }, { corner = ["+x", "-z"] }]
    [[collider]]
    shape = "plane"
    [view]
    eye = [0, 1.5, 2]
    target = [0, 0.3, 0]
"#;

fn session() -> Session {
    let mut session = Session::new(|| 0.0);
    let (name, text) = ("cloth".into(), SCENE.into());
    session.apply(Command::Load(Source::Text { name, text }));
    let wants = Wants { strain: true, contacts: true, boxes: true, ..Wants::NONE };
    session.apply(Command::Want(wants));
    session
}

fn moment(session: &mut Session) -> Moment {
    let frame = session.shared_frame();
    assert_eq!(frame.notice.1, "");
    Moment::between(&frame, &frame, 1.0)
}

#[test]
fn a_cloth_is_red_the_sky_is_above_and_its_shadow_is_on_the_floor() {
    let Some(mut gpu) = Gpu::find() else { return };
    let moment = moment(&mut session());
    let camera = Camera::of(&moment.frame.stage.camera);
    let picture = gpu.draw(&Look::default().draw(&moment), &camera);
    let [r, g, b] = picture.at(&camera, Vec3::new(0.0, 0.5, 0.0));
    assert!(r > 120 && r > 2 * g && r > 2 * b, "the cloth is {r} {g} {b}");
    // Towards the sun from a point of the floor is the cloth, or nothing.
    let sun = moment.frame.stage.sun.direction.normalize_or_zero();
    let shadow = Vec3::Y * 0.5 - sun * (0.5 / sun.y);
    let [dark, lit] = [shadow, shadow + Vec3::X * 0.6].map(|x| brightness(picture.at(&camera, x)));
    assert!(dark < 0.75 * lit, "shadow {dark}, floor {lit}");
    let [r, _, b] = picture.pixel(10, 4);
    assert!(b > 150 && b >= r, "the sky is {r} {b}");
}

#[test]
fn a_ball_is_round_and_hides_what_is_behind_it() {
    let Some(mut gpu) = Gpu::find() else { return };
    let moment = moment(&mut session());
    let camera = Camera::of(&moment.frame.stage.camera);
    let mut drawing = Drawing::of(&moment.frame.stage, moment.frame.plan.bounds);
    let green = Vec3::new(0.0, 0.8, 0.0);
    let center = camera.target;
    drawing.ball(center, 0.2, green);
    drawing.ball(center + camera.forward() * 0.5, 0.2, Vec3::new(0.8, 0.0, 0.0));
    let picture = gpu.draw(&drawing, &camera);
    let is_green = |[r, g, b]: [u8; 3]| g > r && g > b && g > 40;
    let is_round = (0..SIZE.height * SIZE.width)
        .filter(|k| is_green(picture.pixel(k % SIZE.width, k / SIZE.width)));
    // A ball of radius r at distance d covers π (r / (d tan(fov / 2)))² / aspect of half heights.
    let half = 0.2 / ((camera.distance.powi(2) - 0.04).sqrt() * (camera.field_of_view / 2.0).tan());
    let expected = std::f32::consts::PI * (half * SIZE.height as f32 / 2.0).powi(2);
    let found = is_round.count() as f32;
    assert!((found / expected - 1.0).abs() < 0.03, "{found} pixels, not {expected}");
    assert!(is_green(picture.at(&camera, center)));
}

#[test]
fn a_device_that_is_lost_draws_nothing_and_another_draws_the_same() {
    let (Some(mut gpu), Some(mut other)) = (Gpu::find(), Gpu::find()) else { return };
    let moment = moment(&mut session());
    let camera = Camera::of(&moment.frame.stage.camera);
    let drawing = Look::default().draw(&moment);
    let before = gpu.draw(&drawing, &camera);
    let (sender, told) = std::sync::mpsc::channel();
    gpu.device.set_device_lost_callback(move |_, _| sender.send(()).unwrap());
    gpu.device.destroy();
    let larger = Size { width: 640, height: 480, pixels_per_point: 2.0 };
    for size in [SIZE, larger] {
        gpu.painter.paint((&gpu.device, &gpu.queue), &drawing, &camera, size);
    }
    let _ = gpu.device.poll(wgpu::PollType::Poll);
    told.try_recv().unwrap();
    assert!(other.draw(&drawing, &camera).0 == before.0, "another device draws something else");
}

#[test]
fn cloth_is_striped_and_woven_and_loses_no_light_by_it() {
    let Some(mut gpu) = Gpu::find() else { return };
    let moment = moment(&mut session());
    let mut camera = Camera::of(&moment.frame.stage.camera);
    (camera.target, camera.pitch, camera.distance) = (Vec3::Y * 0.5, 1.2, 0.12);
    let plain = gpu.draw(&Look { fabric: false, ..Look::default() }.draw(&moment), &camera);
    let woven = gpu.draw(&Look::default().draw(&moment), &camera);
    let spread = |picture: &Picture| {
        let all = (0..SIZE.height * SIZE.width)
            .map(|k| f64::from(brightness(picture.pixel(k % SIZE.width, k / SIZE.width))));
        let all: Vec<f64> = all.collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let square = all.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / all.len() as f64;
        (mean, square.sqrt())
    };
    let ((mean, flat), (same, striped)) = (spread(&plain), spread(&woven));
    assert!(striped > 4.0 * flat.max(0.5), "{striped} levels, {flat} without");
    assert!((same / mean - 1.0).abs() < 0.1, "{same} levels, {mean} without");
}

/// Colours of the quarters of a picture: upper left, upper right, lower left, lower right.
const QUARTERS: [[u8; 3]; 4] = [[230, 20, 20], [20, 200, 20], [20, 20, 230], [235, 235, 235]];

/// Half the sides of what [`textured`] makes, along x and y (m).
const HALF: f32 = 0.3;

/// A folder with `sheet.obj` and `box.obj`, whose fronts show a picture of four colours, and the normal
/// map `bumps.png`, which leans to the right.
fn textured(name: &str) -> std::path::PathBuf {
    let folder =
        std::env::temp_dir().join(format!("pliant-textured-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, image: &Image| {
        pliant_io::image::write(image, &folder.join(name)).unwrap();
    };
    let mut picture = Image::new(64, 64);
    for (k, pixel) in picture.rgb.iter_mut().enumerate() {
        *pixel = QUARTERS[k / 64 / 32 * 2 + k % 64 / 32];
    }
    write("quarters.png", &picture);
    let mut bumps = Image::new(4, 4);
    bumps.rgb.fill([218, 128, 218]);
    write("bumps.png", &bumps);
    let mtl = "newmtl front\nKd 1 1 1\nmap_Kd quarters.png\nnewmtl rest\nKd 1 1 1\n";
    std::fs::write(folder.join("a.mtl"), mtl).unwrap();
    let corners = [[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]];
    let back = corners.map(|[x, y, _]| [x, y, -1]);
    let mut text = String::from("mtllib a.mtl\n");
    for [x, y, z] in corners.into_iter().chain(back) {
        let at = [x, y, z].map(|side| side as f32 * HALF);
        text += &format!("v {} {} {}\n", at[0], at[1], at[2]);
    }
    text += "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl front\nf 1/1 2/2 3/3 4/4\n";
    std::fs::write(folder.join("sheet.obj"), &text).unwrap();
    text += "usemtl rest\n";
    for [a, b, c, d] in [[6, 5, 8, 7], [5, 1, 4, 8], [2, 6, 7, 3], [4, 3, 7, 8], [5, 6, 2, 1]] {
        text += &format!("f {a}/1 {b}/2 {c}/3 {d}/4\n");
    }
    std::fs::write(folder.join("box.obj"), &text).unwrap();
    folder
}

/// What is seen from the front of a mesh of [`textured`], with its middle and where its front is (m).
fn front(gpu: &mut Gpu, session: &mut Session, look: &Look) -> (Picture, Camera, Vec3) {
    let frame = session.shared_frame();
    let moment = Moment::between(&frame, &frame, 1.0);
    let x = moment.surfaces().iter().flatten().flat_map(|mesh| mesh.positions.iter().copied());
    let bounds = pliant::mesh::Aabb::of(x);
    let middle = ((bounds.low + bounds.high) / 2.0).with_z(bounds.high.z);
    let mut camera = Camera::of(&moment.frame.stage.camera);
    (camera.target, camera.yaw, camera.pitch, camera.distance) = (middle, 0.25, 0.15, 1.6);
    (gpu.draw(&look.draw(&moment), &camera), camera, middle)
}

/// Whether a colour is that of a quarter, whatever the light.
fn is_quarter(found: [u8; 3], quarter: usize) -> bool {
    let [r, g, b] = found.map(i32::from);
    match quarter {
        0 => r > g + 60 && r > b + 60,
        1 => g > r + 60 && g > b + 60,
        2 => b > r + 60 && b > g + 60,
        _ => r.abs_diff(g) < 40 && g.abs_diff(b) < 40 && g > 100,
    }
}

/// Whether the front shows the picture, and not upside down.
fn assert_quarters((picture, camera): (&Picture, &Camera), middle: Vec3, what: &str) {
    for (k, [x, y]) in [[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].iter().enumerate() {
        for share in [0.15, 0.5, 0.85] {
            let at = middle + Vec3::new(*x, *y, 0.0) * HALF * share;
            let found = picture.at(camera, at);
            assert!(is_quarter(found, k), "{what}, quarter {k} at {share}: {found:?}");
        }
    }
}

fn save(picture: &Picture, name: &str) {
    let (rgba, _) = picture.0.as_chunks::<4>();
    let rgb = rgba.iter().map(|[r, g, b, _]| [*r, *g, *b]).collect();
    let image = Image { width: SIZE.width, height: SIZE.height, rgb };
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    pliant_io::image::write(&image, &path).unwrap();
}

#[test]
fn a_mesh_shows_the_picture_of_its_file_and_its_pieces_too() {
    let Some(mut gpu) = Gpu::find() else { return };
    let folder = textured("pieces");
    for file in ["sheet", "box"] {
        let mut session = Session::new(|| 0.0);
        let path = folder.join(format!("{file}.obj")).display().to_string();
        session.apply(Command::Load(Source::Named(path)));
        assert_eq!(session.frame().notice.1, "");
        for cut in ["whole", "cut"] {
            let (picture, camera, middle) = front(&mut gpu, &mut session, &Look::default());
            save(&picture, &format!("textured-{file}-{cut}.png"));
            assert_quarters((&picture, &camera), middle, &format!("{file} {cut}"));
            let edge = |z: f32| [Vec3::new(0.021, 5.0, z), Vec3::new(0.013, -5.0, z)];
            session.apply(Command::Cut { edges: vec![edge(-3.0), edge(3.0)] });
            assert_eq!(session.world().bodies().count(), 2, "{file}");
        }
        let look = Look { textures: false, fabric: false, ..Look::default() };
        let (plain, camera, middle) = front(&mut gpu, &mut session, &look);
        for x in [-0.15, 0.15] {
            let found = plain.at(&camera, middle + Vec3::new(x, 0.15, 0.0));
            assert!(is_quarter(found, 0), "{file}: {found:?} is not the colour of the body");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_body_of_a_scene_shows_the_picture_of_its_mesh_where_it_is() {
    let Some(mut gpu) = Gpu::find() else { return };
    let folder = textured("scene");
    // The mesh is in half metres; the other copy is far behind.
    let text = std::fs::read_to_string(folder.join("box.obj")).unwrap();
    let doubled = |line: &str| match line.strip_prefix("v ") {
        Some(at) => {
            let at = at.split(' ').map(|part| format!("{}", 2.0 * part.parse::<f32>().unwrap()));
            format!("v {}\n", at.collect::<Vec<_>>().join(" "))
        }
        None => format!("{line}\n"),
    };
    std::fs::write(folder.join("box.obj"), text.lines().map(doubled).collect::<String>()).unwrap();
    let scene = "format = 1\n[[body]]\nkind = \"tets\"\nmesh = \"box.obj\"\nscale = 0.5\n\
        count = 100\nmaterial = \"jelly\"\nat = [0.4, 0.7, -5]\n\
        copies = { count = [1, 1, 2], apart = [0, 0, 10] }\n";
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    let mut session = Session::new(|| 0.0);
    session.apply(Command::Load(Source::Named(folder.join("scene.toml").display().to_string())));
    assert_eq!(session.frame().notice.1, "");
    assert_eq!(session.world().bodies().count(), 2);
    let (picture, camera, middle) = front(&mut gpu, &mut session, &Look::default());
    assert_quarters((&picture, &camera), middle, "scene");
    assert!(session.plan().bodies.iter().all(|body| body.worn.is_some()));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_normal_map_turns_the_light_and_what_is_missing_is_told() {
    let Some(mut gpu) = Gpu::find() else { return };
    let folder = textured("bumps");
    let mut shown = |mtl: &str| {
        std::fs::write(folder.join("a.mtl"), mtl).unwrap();
        let mut session = Session::new(|| 0.0);
        let path = folder.join("sheet.obj").display().to_string();
        session.apply(Command::Load(Source::Named(path)));
        let (picture, camera, middle) = front(&mut gpu, &mut session, &Look::default());
        let at = middle + Vec3::new(1.0, -1.0, 0.0) * HALF * 0.5;
        (picture.at(&camera, at), session.frame().notice.1, session.frame().stage.sun.direction)
    };
    let (flat, told, sun) = shown("newmtl front\nmap_Kd quarters.png\n");
    assert_eq!(told, "");
    let (bent, told, _) = shown("newmtl front\nmap_Kd quarters.png\nnorm bumps.png\n");
    assert_eq!(told, "");
    // The front points to +z, its normals now halfway to +x: what light that gives is the sun's to say.
    let sun = sun.normalize_or_zero();
    let gain = (sun.x + sun.z) * std::f32::consts::FRAC_1_SQRT_2 - sun.z;
    let [flat, bent] = [flat, bent].map(brightness);
    assert!((bent - flat) * gain > 0.0 && (bent - flat).abs() > 8.0, "{flat}, {bent}, {gain}");
    let (bare, told, _) = shown("newmtl front\nmap_Kd no-such.png\n");
    assert!(told.contains("no-such.png"), "{told}");
    assert!(brightness(bare) > 20.0, "{bare:?}");
    std::fs::write(folder.join("quarters.png"), "no picture").unwrap();
    let (_, told, _) = shown("newmtl front\nmap_Kd quarters.png\n");
    assert!(told.contains("quarters.png"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_layer_can_be_drawn_and_changes_the_picture() {
    let Some(mut gpu) = Gpu::find() else { return };
    let mut session = session();
    session.apply(Command::Pin(vec![40]));
    let (from, velocity) = (Vec3::new(0.1, 0.9, 0.0), Vec3::ZERO);
    session.apply(Command::Shoot { from, velocity, radius: 0.05 });
    session
        .apply(Command::Grab { particles: vec![20], at: session.world().particles.position(20) });
    session.apply(Command::Drag { to: Vec3::new(0.1, 0.7, 0.2) });
    session.apply(Command::Wind(Vec3::X * 3.0));
    (0..30).for_each(|_| session.step());
    let mut moment = moment(&mut session);
    moment.selected = (0..30).collect();
    let camera = Camera::of(&moment.frame.stage.camera);
    let none = Look { shown: vec![false; layer::ALL.len()], ..Look::default() };
    let empty = gpu.draw(&none.draw(&moment), &camera);
    for (k, layer) in layer::ALL.iter().enumerate() {
        let mut look = none.clone();
        look.shown[k] = true;
        let picture = gpu.draw(&look.draw(&moment), &camera);
        let differs = picture.0.iter().zip(&empty.0).filter(|(a, b)| a.abs_diff(**b) > 8).count();
        // Nothing touches, and nothing is wrong.
        if !["contacts", "problems"].contains(&layer.name) {
            assert!(differs > 20, "{} shows {differs} bytes", layer.name);
        }
    }
    for (paint, name) in Paint::ALL.iter().skip(1) {
        let look = Look { paint: *paint, most_strain: 0.02, ..Look::default() };
        let picture = gpu.draw(&look.draw(&moment), &camera);
        let plain = gpu.draw(&Look::default().draw(&moment), &camera);
        assert!(picture.0 != plain.0, "colours of {name}");
    }
}

/// A cloth, a rope, a soft body with a skin, a box with sharp edges, and one with a picture.
const ALL_SORTS: &str = r#"
    format = 1
    [[body]]
    kind = "cloth"
    size = ["40 cm", "40 cm"]
    at = [0, 0.8, 0]
    material = "cotton"
    pin = [{ corner = ["-x", "-z"] }, { corner = ["+x", "-z"] }]
    [[body]]
    kind = "rope"
    length = "60 cm"
    segments = 20
    material = "rope"
    at = [-0.4, 1, 0]
    pin = [{ end = "first" }]
    [[body]]
    kind = "tets"
    mesh = "box.obj"
    scale = 0.5
    count = 60
    material = "jelly"
    at = [0.5, 0.6, 0.2]
    [[body]]
    kind = "tets"
    solid = "torus"
    scale = 0.2
    count = 80
    material = "jelly"
    at = [0, 0.3, 0.4]
    [[collider]]
    shape = "plane"
    [view]
    eye = [0, 1.5, 2]
    target = [0, 0.5, 0]
"#;

/// A session that simulates on the GPU that draws, and what it was lent.
fn session_there(gpu: &Gpu, source: Source, clock: Clock) -> (Session, Loan) {
    let mut session = Session::new(clock);
    let place = (gpu.device.clone(), gpu.queue.clone());
    let loan = Loan::on(&gpu.adapter, place).unwrap();
    session.apply(Command::Lend(Some(loan.clone())));
    session.apply(Command::Load(source));
    session.apply(Command::Set { name: "backend", value: Value::Choice("gpu") });
    (session, loan)
}

/// The last two frames of steps there, with what the window wants.
fn steps_there(gpu: &Gpu, path: &str, wants: Wants) -> (Session, [Arc<Frame>; 2]) {
    let (mut session, _) = session_there(gpu, Source::Named(path.into()), || 0.0);
    session.apply(Command::Want(wants));
    (0..14).for_each(|_| session.step());
    let earlier = session.shared_frame();
    session.step();
    let frame = session.shared_frame();
    assert_eq!(frame.notice.1, "");
    assert!(frame.problems.is_empty() && frame.runs_on != "the CPU", "{:?}", frame.problems);
    (session, [earlier, frame])
}

/// What is simulated on the GPU that draws is drawn from there: nothing is read, and the picture is that
/// of what would be.
#[test]
fn bodies_are_drawn_from_where_they_are_simulated_and_nothing_comes_back() {
    let Some(mut gpu) = Gpu::find() else { return };
    let folder = textured("there");
    std::fs::write(folder.join("scene.toml"), ALL_SORTS).unwrap();
    let path = folder.join("scene.toml").display().to_string();
    let (left, there) = steps_there(&gpu, &path, Wants::NONE);
    let (read, here) = steps_there(&gpu, &path, Wants { rows: true, ..Wants::NONE });
    assert_eq!((left.times_read(), read.times_read()), (0, 15));
    assert!(there.iter().all(|frame| frame.pose.is_some()));
    assert!(here.iter().all(|frame| frame.pose.is_none()));
    assert_eq!(there[1].time, here[1].time);
    let apart = |k: usize| there[1].rows[k].distance(here[1].rows[k]);
    let apart = (0..there[1].rows.len()).map(apart).fold(0.0, f32::max);
    assert!(apart > 0.1, "the world was not left behind: {apart} m");
    let mut looks = vec![("surfaces", Look::default())];
    looks.push(("plain", Look { fabric: false, textures: false, ..Look::default() }));
    for name in ["wireframe", "particles"] {
        let mut look = Look::default();
        let shown = |layer: &layer::Layer| layer.name == name || layer.name == "floor";
        look.shown = layer::ALL.iter().map(shown).collect();
        looks.push((name, look));
    }
    for (name, look) in looks {
        for share in [0.0, 0.5, 1.0] {
            let [a, b] = [&there, &here].map(|[earlier, frame]| {
                let moment = Moment::between(earlier, frame, share);
                let camera = Camera::of(&frame.stage.camera);
                gpu.draw(&look.draw(&moment), &camera)
            });
            let off = a.0.iter().zip(&b.0).filter(|(a, b)| a.abs_diff(**b) > 8).count();
            save(&a, &format!("there-{name}-{share}.png"));
            save(&b, &format!("here-{name}-{share}.png"));
            let part = off as f32 / a.0.len() as f32;
            assert!(part < 0.002, "{name}, {share}: {part} of the picture differs");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_world_that_is_left_behind_is_heard_of_now_and_then_and_catches_up_before_it_is_touched() {
    let Some(gpu) = Gpu::find() else { return };
    let source = || Source::Quick("hanging-cloth".into());
    let (mut left, _) = session_there(&gpu, source(), ticking);
    let (mut read, _) = session_there(&gpu, source(), ticking);
    read.apply(Command::Want(Wants { rows: true, readings: true, ..Wants::NONE }));
    left.apply(Command::Want(Wants { readings: true, ..Wants::NONE }));
    let (mut measured, mut past) = (0, Vec::new());
    for _ in 0..60 {
        left.step();
        read.step();
        let [frame, known] = [left.frame(), read.frame()];
        measured += usize::from(!frame.readings.is_empty());
        assert!(frame.pose.is_some() && frame.step == known.step && frame.time == known.time);
        past.push(known.rows);
    }
    // One look for every few steps, each of a state that was.
    let heard = left.times_read();
    assert!((5..40).contains(&heard) && measured as u64 <= heard + 1, "{heard}, {measured}");
    let rows = left.frame().rows;
    let age = past.iter().rev().position(|past| *past == rows);
    assert!(age.is_some_and(|age| age > 0 && age < 15), "{age:?}");
    // Who touches it has it as it is, and the picture is drawn from the CPU until it goes on.
    let at = read.world().particles.position(40);
    for session in [&mut left, &mut read] {
        session.apply(Command::Grab { particles: vec![40], at });
    }
    assert!(left.world().particles.xw == read.world().particles.xw);
    assert!(left.frame().pose.is_none());
    for session in [&mut left, &mut read] {
        session.apply(Command::Drag { to: at + Vec3::Z * 0.3 });
        (0..20).for_each(|_| session.step());
    }
    assert!(left.frame().pose.is_some());
    for session in [&mut left, &mut read] {
        session.apply(Command::Release);
        session.apply(Command::Pause);
    }
    assert!(left.world().particles.xw == read.world().particles.xw);
    assert_eq!(left.frame().rows, read.frame().rows);
    // What was heard of can be gone back to.
    let [first, last] = left.frame().history.unwrap();
    left.apply(Command::Seek((first + last) / 2));
    let frame = left.frame();
    assert!(frame.step > first && frame.step < last, "{} of {first} to {last}", frame.step);
    if let Some(known) = past.get(frame.step as usize - 1) {
        assert_eq!(frame.rows, *known);
    }
}

#[test]
fn a_gpu_that_is_lost_leaves_the_world_to_the_cpu_and_another_takes_it_over() {
    let (Some(gpu), Some(mut other)) = (Gpu::find(), Gpu::find()) else { return };
    let (mut session, loan) = session_there(&gpu, Source::Quick("hanging-cloth".into()), ticking);
    (0..30).for_each(|_| session.step());
    let frame = session.shared_frame();
    assert!(frame.pose.is_some());
    gpu.device.destroy();
    // A window that is opened then knows no more than the CPU does.
    let place = (other.device.clone(), other.queue.clone());
    let another = Loan::on(&other.adapter, place).unwrap();
    let camera = Camera::of(&frame.stage.camera);
    let known = Frame { pose: None, ..(*frame).clone() };
    let [a, b] = [frame, Arc::new(known)].map(|frame| {
        let moment = Moment::between(&frame, &frame, 1.0).seen_by(Some(&another));
        other.draw(&Look::default().draw(&moment), &camera)
    });
    assert!(a.0 == b.0, "a pose of another device is drawn");
    loan.report_lost("pulled out");
    session.step();
    let frame = session.frame();
    assert!(frame.pose.is_none() && frame.runs_on == "the CPU");
    assert!(frame.problems.iter().any(|problem| problem.what.contains("pulled out")));
    session.apply(Command::Lend(Some(another)));
    (0..3).for_each(|_| session.step());
    let frame = session.frame();
    assert!(frame.pose.is_some() && frame.step == 34, "{}", frame.runs_on);
}

#[test]
fn a_picture_of_another_size_and_scale_is_drawn_anew() {
    let Some(mut gpu) = Gpu::find() else { return };
    let moment = moment(&mut session());
    let camera = Camera::of(&moment.frame.stage.camera);
    let drawing = Look::default().draw(&moment);
    let mut paint = |size| gpu.painter.paint((&gpu.device, &gpu.queue), &drawing, &camera, size);
    assert!(paint(SIZE).1);
    assert!(!paint(SIZE).1);
    let (texture, is_new) = paint(Size { width: 641, height: 1, pixels_per_point: 2.0 });
    assert!(is_new && texture.width() == 641 && texture.height() == 1);
}

#[test]
fn pictures_are_drawn_while_a_step_takes_long() {
    let Some(mut gpu) = Gpu::find() else { return };
    let mut state = State::new(Box::new(Thread::start(clocks::held_up).unwrap()));
    state.send(Command::Load(Source::Quick("hanging-cloth".into())));
    let (mut pictures, mut last) = (Vec::new(), 0);
    while pictures.len() < 4 {
        assert!(pictures.iter().sum::<u32>() < 1000, "{pictures:?}");
        state.poll(clock());
        let Some(moment) = state.moment() else { continue };
        gpu.draw(&state.look.draw(&moment), &state.camera);
        clocks::drawn();
        let step = state.frame().unwrap().step;
        if step > last {
            pictures.push(0);
            last = step;
        }
        pictures.iter_mut().last().into_iter().for_each(|count| *count += 1);
    }
    // The last step is not over.
    pictures.pop();
    assert!(pictures.iter().all(|count| *count >= 3), "pictures a step: {pictures:?}");
}

#[test]
fn a_picture_with_less_work_looks_alike_but_for_edges() {
    let Some(mut gpu) = Gpu::find() else { return };
    let mut session = Session::new(|| 0.0);
    session.apply(Command::Load(Source::Quick("showcase".into())));
    let frame = session.shared_frame();
    let drawing = Look::default().draw(&Moment::between(&frame, &frame, 1.0));
    let camera = Camera::of(&frame.stage.camera);
    let full = gpu.draw(&drawing, &camera);
    let plain = gpu.plain().draw(&drawing, &camera);
    let far = full.0.iter().zip(&plain.0).filter(|(a, b)| a.abs_diff(**b) > 24).count();
    let share = far as f32 / full.0.len() as f32;
    assert!(share > 0.0 && share < 0.04, "{share} of the picture differs");
}
