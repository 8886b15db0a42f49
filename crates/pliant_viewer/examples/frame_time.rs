//! How long a frame takes where a GPU simulates: drawn from where it is simulated, and read back.
//!
//! `cargo run --release -p pliant_viewer --example frame_time -- 100 320 1000`: sides of cloths, in
//! particles.
#![expect(clippy::unwrap_used, reason = "an example that cannot go on should stop")]

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use eframe::wgpu;
use pliant::settings::Value;
use pliant_viewer::camera::Camera;
use pliant_viewer::command::{Command, Wants};
use pliant_viewer::draw::{Painter, Quality, Size};
use pliant_viewer::layer::Look;
use pliant_viewer::loan::Loan;
use pliant_viewer::moment::Moment;
use pliant_viewer::native::clock;
use pliant_viewer::session::{Session, Source};

/// Frames that are measured, after some that are not.
const FRAMES: usize = 40;
const BEFORE: usize = 10;

const SIZE: Size = Size { width: 1280, height: 800, pixels_per_point: 1.0 };

fn main() {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = ready(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    let Some(adapter) = adapters.into_iter().next() else {
        return println!("there is no GPU, nor software that plays one");
    };
    println!("{}", adapter.get_info().name);
    println!("particles | way | simulation (ms) | window (ms) | read back in {FRAMES} frames");
    let sides: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    for side in if sides.is_empty() { vec![32, 100] } else { sides } {
        for (way, rows) in [("from there", false), ("read back", true)] {
            measure(&adapter, side, (way, Wants { rows, ..Wants::NONE }));
        }
    }
}

/// Medians over frames: what the simulation does in each, and what the window does.
fn measure(adapter: &wgpu::Adapter, side: u32, (way, wants): (&str, Wants)) {
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: pliant_gpu::Gpu::limits(adapter, &pliant_gpu::Choice::default()),
        ..Default::default()
    };
    let (device, queue) = ready(adapter.request_device(&descriptor)).unwrap();
    let mut session = Session::new(clock);
    session.apply(Command::Lend(Loan::on(adapter, (device.clone(), queue.clone()))));
    let cell = 100.0 / f64::from(side - 1);
    let text = format!(
        "format = 1\n[solver]\nsubsteps = 10\n[[body]]\nkind = \"cloth\"\nsize = [\"1 m\", \"1 m\"]\n\
         cell = \"{cell} cm\"\nmaterial = \"cotton\"\n\
         pin = [{{ corner = [\"-x\", \"-z\"] }}, {{ corner = [\"+x\", \"-z\"] }}]\n"
    );
    session.apply(Command::Load(Source::Text { name: "cloth".into(), text }));
    session.apply(Command::Set { name: "backend", value: Value::Choice("gpu") });
    session.apply(Command::Want(wants));
    let mut painter = Painter::new(&device, Quality::of(adapter.get_info().device_type));
    let (look, camera) = (Look::default(), Camera::of(&session.frame().stage.camera));
    let (mut spent, mut earlier, mut read) = ([Vec::new(), Vec::new()], session.shared_frame(), 0);
    for number in 0..BEFORE + FRAMES {
        if number == BEFORE {
            read = session.times_read();
        }
        let began = Instant::now();
        session.step();
        let frame = session.shared_frame();
        let simulated = began.elapsed();
        let began = Instant::now();
        let moment = Moment::between(&earlier, &frame, 0.5);
        painter.paint((&device, &queue), &look.draw(&moment), &camera, SIZE);
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        earlier = Arc::clone(&frame);
        if number >= BEFORE {
            spent[0].push(simulated.as_secs_f64() * 1e3);
            spent[1].push(began.elapsed().as_secs_f64() * 1e3);
        }
    }
    let [simulation, window] = spent.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let (count, read) = (earlier.rows.len(), session.times_read() - read);
    println!("{count} | {way} | {simulation:.2} | {window:.2} | {read}, on {}", earlier.runs_on);
    earlier.problems.iter().for_each(|problem| println!("{}", problem.what));
}

/// Outside of a browser wgpu's futures are ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a future of wgpu was not ready at once"),
    }
}
