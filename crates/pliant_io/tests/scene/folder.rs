//! Scenes of several files, none of which may be outside of the folder.

use std::fs;
use std::path::PathBuf;

use pliant_io::scene::Scene;

/// A folder of its own for a test, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-scene-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("inner")).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn load(&self) -> Result<Scene, String> {
        let scene = Scene::load(&self.0.join("inner/main.toml")).map_err(|e| e.to_string())?;
        scene.build().map_err(|e| e.to_string())?;
        Ok(scene)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn includes_are_taken_over_and_the_nearer_file_wins() {
    let folder = Folder::new("includes");
    folder.write(
        "inner/main.toml",
        "format = 1\ninclude = [\"a.toml\", \"b.toml\"]\n[world]\ndamping = 3\n\
         [[body]]\nkind = \"cloth\"\nsize = [1, 1]\ncell = 0.5\nmaterial = \"m\"\n",
    );
    folder.write("inner/a.toml", "format = 1\n[world]\ndamping = 1\n[solver]\nsubsteps = 5\n");
    folder.write(
        "inner/b.toml",
        "format = 1\n[solver]\nsubsteps = 6\niterations = 2\n\
         [[collider]]\nshape = \"plane\"\n[material.m]\nkind = \"sheet\"\npreset = \"silk\"\n",
    );
    let world = folder.load().unwrap().build().unwrap().world;
    let config = &world.config;
    assert_eq!((config.damping, config.substeps, config.iterations), (3.0, 6, 2));
    assert_eq!((world.colliders.len(), world.bodies().count()), (1, 1));
}

#[test]
fn errors_in_an_included_file_name_it() {
    let folder = Folder::new("error");
    folder.write("inner/main.toml", "format = 1\ninclude = [\"a.toml\"]\n");
    folder.write("inner/a.toml", "format = 1\n[world]\n\ngravityy = 3\n");
    let error = folder.load().unwrap_err();
    assert!(error.starts_with("a.toml:4:1: no key \"gravityy\""), "{error}");
}

#[test]
fn circles_of_includes_are_found() {
    let folder = Folder::new("circle");
    folder.write("inner/main.toml", "format = 1\ninclude = [\"a.toml\"]\n");
    folder.write("inner/a.toml", "format = 1\ninclude = [\"b.toml\"]\n");
    folder.write("inner/b.toml", "format = 1\ninclude = [\"a.toml\"]\n");
    let error = folder.load().unwrap_err();
    assert!(error.starts_with("b.toml:2:12: includes in a circle"), "{error}");
    folder.write("inner/a.toml", "format = 1\ninclude = [\"main.toml\"]\n");
    assert!(folder.load().unwrap_err().contains("in a circle"));
}

#[test]
fn a_flood_of_includes_is_refused() {
    let folder = Folder::new("flood");
    let twice = |next: usize| format!("format = 1\ninclude = [\"{next}.toml\", \"{next}.toml\"]\n");
    folder.write("inner/main.toml", &twice(0));
    (0..20).for_each(|i| folder.write(&format!("inner/{i}.toml"), &twice(i + 1)));
    assert!(folder.load().unwrap_err().contains("levels or"));
}

/// A file outside of the folder is never opened, whatever the scene calls it.
#[test]
fn nothing_leads_out_of_the_folder() {
    let folder = Folder::new("escape");
    folder.write("secret.toml", "format = 1\nthis is a secret");
    folder.write("secret.obj", "v this is a secret");
    let outside = folder.0.display().to_string();
    let names = [
        "../secret.toml".to_owned(),
        "..%2fsecret.toml".to_owned(),
        "%2e%2e/secret.toml".to_owned(),
        "inner/../../secret.toml".to_owned(),
        "./../secret.toml".to_owned(),
        "..\\\\secret.toml".to_owned(),
        "file:../secret.toml".to_owned(),
        format!("{outside}/secret.toml"),
        format!("file://{outside}/secret.toml"),
        "secret.toml\\u0000.toml".to_owned(),
        "link.toml".to_owned(),
        "".to_owned(),
    ];
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.toml", folder.0.join("inner/link.toml")).unwrap();
    for name in names {
        folder.write("inner/main.toml", &format!("format = 1\ninclude = [\"{name}\"]\n"));
        let error = folder.load().unwrap_err();
        assert!(error.contains("main.toml:2:12"), "{name}: {error}");
        assert!(!error.contains("this is a secret"), "{name}: {error}");
        let mesh = name.replace("toml", "obj");
        folder.write(
            "inner/main.toml",
            &format!("format = 1\n[[body]]\nkind = \"shell\"\nmesh = \"{mesh}\"\n"),
        );
        let error = folder.load().unwrap_err();
        assert!(error.contains("main.toml:4:8"), "{mesh}: {error}");
        assert!(!error.contains("this is a secret"), "{mesh}: {error}");
    }
}

#[test]
fn a_mesh_beside_the_scene_becomes_a_body_and_what_is_wrong_with_it_is_said() {
    let folder = Folder::new("mesh");
    folder.write(
        "inner/main.toml",
        "format = 1\n[[body]]\nkind = \"shell\"\nmesh = \"a.obj\"\nscale = 0.5\nareal_density = 2\n",
    );
    folder.write("inner/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
    let scene = folder.load().unwrap();
    let world = scene.build().unwrap().world;
    let mass: f32 = world.particles.inverse_mass.iter().map(|w| 1.0 / w).sum();
    assert!((mass - 0.5).abs() < 1e-5, "a square of 0.5 m at 2 kg/m² weighs {mass} kg");
    assert_eq!(scene.files().len(), 1);
    folder.write("inner/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    let error = folder.load().unwrap_err();
    assert!(error.contains("main.toml:4:8") && error.contains("a.obj"), "{error}");
}

#[test]
fn files_that_are_not_text_are_refused() {
    let folder = Folder::new("text");
    for (bytes, says) in [
        (&b"format = 1\nname = \"\xff\""[..], "byte 19 is not UTF-8"),
        (b"\xfe\xff\x00f", "byte 0 is not UTF-8"),
        (b"\0\0\0\0", "main.toml:1:"),
    ] {
        fs::write(folder.0.join("inner/main.toml"), bytes).unwrap();
        let error = folder.load().unwrap_err();
        assert!(error.contains(says), "{error}");
    }
    fs::write(folder.0.join("inner/main.toml"), b"\xef\xbb\xbfformat = 1\r\nseed = 3\r\n").unwrap();
    folder.load().unwrap();
    let missing = Scene::load(&folder.0.join("nothing.toml")).unwrap_err().to_string();
    assert!(missing.contains("nothing.toml"), "{missing}");
    let directory = Scene::load(&folder.0).unwrap_err().to_string();
    assert!(directory.contains("pliant-scene-text"), "{directory}");
}

/// A tetrahedron as triangles, and the plane y = 0.25 on a grid of 2 × 2 × 2.
#[test]
fn colliders_come_from_files_beside_the_scene() {
    let folder = Folder::new("colliders");
    folder.write(
        "inner/tip.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    );
    folder.write("inner/floor.sdf", "2 2 2\n0 0 0\n1\n-.25 -.25 .75 .75 -.25 -.25 .75 .75\n");
    let main = |more: &str| {
        folder.write("inner/main.toml", &format!("format = 1\n[[collider]]\n{more}\n"));
        folder.load().map(|scene| scene.build().unwrap().world.colliders[0].clone())
    };
    let distance = |more: &str| {
        let collider = main(more).unwrap();
        collider.signed_distance(pliant::glam::Vec3::new(0.2, 0.5, 0.2)).0
    };
    // Behind the slanted face x + y + z = 1.
    let inside = distance("shape = \"mesh\"\nmesh = \"tip.obj\"");
    assert!((inside + 0.1 / 3f32.sqrt()).abs() < 1e-5, "{inside}");
    assert!((distance("shape = \"sdf\"\nmesh = \"floor.sdf\"") - 0.25).abs() < 1e-5);
    assert!((distance("shape = \"sdf\"\nmesh = \"floor.sdf\"\nscale = 2") - 0.0).abs() < 1e-5);
    let error = main("shape = \"sdf\"\nmesh = \"floor.sdf\"\ncell = 1").unwrap_err();
    assert!(error.contains("main.toml:5:8") && error.contains("cells of its own"), "{error}");
    let error = main("shape = \"mesh\"\nmesh = \"../tip.obj\"").unwrap_err();
    assert!(error.contains("main.toml:4:8"), "{error}");
    folder.write("inner/tip.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let error = main("shape = \"sdf\"\nmesh = \"tip.obj\"").unwrap_err();
    assert!(error.contains("main.toml:2:1"), "an open surface has no inside: {error}");
}
