//! `cargo xtask viewer --web`: the window in a web page, in a browser on a virtual display.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::{Display, PATIENCE, SIZE, WORLD, differ, pause};
use crate::cmd::{cargo, empty_folder, root, run, scratch};
use crate::tools::{self, BINDGEN, CHROMIUM, WASM, WASM_TARGET, WINDOWS};

/// What the browser is asked for: no questions, and everything that it has to say.
const BROWSER: &str = "--no-sandbox --test-type --no-first-run --enable-logging=stderr \
                       --window-position=0,0";

/// How the browser draws, and what it is asked for that. Software plays the GPU in both.
const WAYS: [(&str, &str); 2] = [
    (
        "webgpu",
        "--enable-unsafe-webgpu --use-webgpu-adapter=swiftshader --use-angle=swiftshader \
         --enable-features=Vulkan --use-vulkan=swiftshader --disable-vulkan-surface",
    ),
    ("webgl", "--disable-features=WebGPU --use-angle=swiftshader --enable-unsafe-swiftshader"),
];

/// Makes the page and opens it in each way.
pub(super) fn look() -> Result<(), String> {
    let needed = [WASM, BINDGEN, CHROMIUM, WINDOWS];
    tools::prepare(needed.iter()).check(&needed)?;
    let page = make()?;
    let address = serve(page)?;
    let folder = empty_folder("viewer-web")?;
    let display = Display::start(&folder, "chromium".into())?;
    for (way, flags) in WAYS {
        drag(&display, &address, (way, flags))?;
    }
    println!("pictures are in {}", folder.strip_prefix(root()).unwrap_or(&folder).display());
    Ok(())
}

/// Sees whether something is drawn and moves, pulls at a cloth, and hears whether the page panics.
fn drag(display: &Display, address: &str, (way, flags): (&str, &str)) -> Result<(), String> {
    let own = [
        format!("--window-size={},{}", SIZE[0], SIZE[1]),
        format!("--user-data-dir={}", display.folder.join(way).display()),
        format!("--app={address}?hanging-cloth"),
    ];
    let words = BROWSER.split_whitespace().chain(flags.split_whitespace());
    let words: Vec<&str> = words.chain(own.iter().map(String::as_str)).collect();
    let mut window = display.open(&words, &[])?;
    // What was seen until now may be the browser's own.
    pause(3.0);
    let began = Instant::now();
    while !window.has_colors() {
        window.alive()?;
        if began.elapsed().as_secs_f64() > PATIENCE {
            return Err(format!("nothing is drawn by {way}"));
        }
        pause(0.5);
    }
    let first = window.picture(&format!("{way}-1-start"))?;
    pause(6.0);
    let later = window.picture(&format!("{way}-2-later"))?;
    differ(&first, &later, &format!("a world in a page, drawn by {way},"))?;
    window.drag(WORLD, [700, 420])?;
    pause(2.0);
    let pulled = window.picture(&format!("{way}-3-pulled"))?;
    differ(&later, &pulled, &format!("a cloth in a page, drawn by {way},"))?;
    window.input("mouseup 1")?;
    let said = std::fs::read_to_string(display.folder.join("log.txt")).unwrap_or_default();
    if let Some(line) = said.lines().find(|line| line.contains("panicked at")) {
        return Err(format!("the page panics: {line}"));
    }
    window.close()
}

/// Builds the page; returns the folder that it is in.
fn make() -> Result<PathBuf, String> {
    let folder = empty_folder("page")?;
    let line = format!("build --release --target {WASM_TARGET} --package pliant_viewer");
    run(cargo(&line).args(["--example", "page"]))?;
    let built = scratch().with_file_name(WASM_TARGET).join("release/examples/page.wasm");
    let bindgen = tools::bindgen_program().ok_or("wasm-bindgen is gone")?;
    let mut bind = Command::new(bindgen);
    bind.args(["--target", "web", "--no-typescript", "--out-dir"]).arg(&folder).arg(built);
    run(&mut bind)?;
    let html = root().join("crates/pliant_viewer/examples/page.html");
    std::fs::copy(&html, folder.join("index.html")).map_err(|e| e.to_string())?;
    let size = std::fs::metadata(folder.join("page_bg.wasm")).map_err(|e| e.to_string())?.len();
    println!("the page has {:.1} MB", size as f64 / 1e6);
    Ok(folder)
}

/// Gives out the files of a folder, as long as this program runs; returns the address.
fn serve(folder: PathBuf) -> Result<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|e| e.to_string())?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Who hangs up gets nothing.
            let _ = answer(stream, &folder);
        }
    });
    Ok(format!("http://{address}/"))
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let asked = lines.next().transpose()?.unwrap_or_default();
    // What else is said does not matter, but must be heard.
    lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
    let path = asked.split_whitespace().nth(1).unwrap_or("/");
    let name = path.split('?').next().unwrap_or("/").trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    // Nothing but what is in the folder itself.
    let found = Some(name).filter(|name| !name.contains(['/', '\\']));
    let (state, bytes) = match found.map(|name| std::fs::read(folder.join(name))) {
        Some(Ok(bytes)) => ("200 OK", bytes),
        _ => ("404 Not Found", Vec::new()),
    };
    write!(stream, "HTTP/1.1 {state}\r\nContent-Type: {kind}\r\n")?;
    write!(stream, "Content-Length: {}\r\nConnection: close\r\n\r\n", bytes.len())?;
    stream.write_all(&bytes)
}
