//! Whole pictures against geometry.

use super::view::{Perspective, View};
use super::*;
use glam::Vec3;

const WIDTH: u32 = 160;
const HEIGHT: u32 = 120;

fn camera() -> Camera {
    let (eye, target) = (Vec3::new(0.0, 1.0, 5.0), Vec3::new(0.0, 1.0, 0.0));
    Camera { eye, target, up: Vec3::Y, field_of_view: 0.8 }
}

fn bare(items: Vec<Item>) -> Scene {
    Scene { camera: camera(), ground: None, items, ..Scene::default() }
}

fn ball(center: Vec3, radius: f32, color: u32) -> Item {
    let material = Material { color: srgb(color), ..Material::default() };
    Item::Sphere(Sphere { center, radius, material })
}

/// A square of side 2 `half` around `center` that faces the camera.
fn square(center: Vec3, half: f32, color: u32) -> Mesh {
    let corner = |x: f32, y: f32| center + Vec3::new(x, y, 0.0) * half;
    Mesh {
        positions: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        material: Material { color: srgb(color), ..Material::default() },
        ..Mesh::default()
    }
}

fn draw(scene: &Scene) -> Image {
    render(scene, WIDTH, HEIGHT)
}

/// Where a point of the world is in the picture.
fn pixel_at(image: &Image, camera: &Camera, point: Vec3) -> [u8; 3] {
    let view = Perspective::new(camera, image.width, image.height);
    let [x, y] = view.buffer_from_view(view.view_from_world(point));
    image.pixel(x as u32, y as u32).expect("the point is in the picture")
}

fn brightness(pixel: [u8; 3]) -> u32 {
    pixel.into_iter().map(u32::from).sum()
}

fn is_red(pixel: [u8; 3]) -> bool {
    u32::from(pixel[0]) > 2 * u32::from(pixel[2])
}

fn is_blue(pixel: [u8; 3]) -> bool {
    u32::from(pixel[2]) > 2 * u32::from(pixel[0])
}

#[test]
fn the_silhouette_of_a_ball_has_the_area_of_its_projection() {
    let (radius, distance) = (0.6_f32, 5.0_f32);
    let scene = bare(vec![ball(Vec3::Y, radius, 0xff0000)]);
    let (with, without) = (draw(&scene), draw(&bare(vec![])));
    let changed = with.rgb.iter().zip(&without.rgb).filter(|(a, b)| a != b).count() as f32;
    let per_tangent = HEIGHT as f32 * 0.5 / libm::tanf(0.4);
    let disc = per_tangent * radius / (distance * distance - radius * radius).sqrt();
    // A pixel counts as soon as a sample is hit: half a pixel more all around, less half a sample.
    let exact = std::f32::consts::PI * (disc + 0.25) * (disc + 0.25);
    assert!(
        (changed - exact).abs() < 0.04 * exact,
        "the ball covers {changed} pixels, its projection {exact}"
    );
}

#[test]
fn edges_are_mixed_by_their_coverage() {
    // The left border of the square runs through the middle of a column of pixels.
    let middle_of_pixel =
        |x: f32| (x + 0.5 - WIDTH as f32 * 0.5) / (HEIGHT as f32 * 0.5) * libm::tanf(0.4) * 5.0;
    let left = middle_of_pixel(60.0);
    let mesh = square(Vec3::new(left + 3.0, 1.0, 0.0), 3.0, 0x000000);
    let image = draw(&bare(vec![Item::Mesh(mesh)]));
    let [outside, edge, inside] = [59, 60, 61].map(|x| brightness(image.pixel(x, 60).unwrap()));
    assert!(inside < edge && edge < outside, "from left to right: {outside}, {edge}, {inside}");
}

#[test]
fn a_shadow_falls_where_the_sun_says() {
    let mut scene =
        Scene { camera: Camera { eye: Vec3::new(0.0, 4.0, 6.0), ..camera() }, ..Scene::default() };
    scene.sun.direction = Vec3::new(1.0, 1.0, 0.0);
    scene.ground = Some(Ground { contrast: 0.0, ..Ground::default() });
    let empty = draw(&scene);
    scene.items = vec![ball(Vec3::new(0.8, 1.0, 0.0), 0.3, 0xffffff)];
    let image = draw(&scene);
    let ratio = |point: Vec3| {
        let [with, without] =
            [&image, &empty].map(|image| brightness(pixel_at(image, &scene.camera, point)));
        with as f32 / without as f32
    };
    // The ball's middle is 1 m up and the sun at 45°: the shadow is 1 m to the left of it.
    let (middle, mirrored) = (ratio(Vec3::new(-0.2, 0.0, 0.0)), ratio(Vec3::new(1.8, 0.0, 0.0)));
    assert!(middle < 0.75, "the middle of the shadow keeps {middle} of its brightness");
    assert!(mirrored > 0.93, "the other side keeps {mirrored} of its brightness");
    // Along x the shadow is longer by √2, so it ends 0.42 m from its middle; z is unchanged.
    let (inside, outside) = (ratio(Vec3::new(-0.2, 0.0, 0.22)), ratio(Vec3::new(-0.2, 0.0, 0.42)));
    assert!(inside < 0.8 && outside > 0.9, "at the rim: {inside} inside, {outside} outside");
}

#[test]
fn shadows_start_where_things_touch() {
    let mut scene =
        Scene { camera: Camera { eye: Vec3::new(0.0, 2.0, 3.0), ..camera() }, ..Scene::default() };
    scene.camera.target = Vec3::ZERO;
    scene.sun.direction = Vec3::new(-1.0, 1.0, 0.0);
    let empty = draw(&scene);
    scene.items = vec![ball(Vec3::new(0.0, 0.3, 0.0), 0.3, 0xffffff)];
    let image = draw(&scene);
    let point = Vec3::new(0.32, 0.0, 0.05);
    let [with, without] =
        [&image, &empty].map(|image| brightness(pixel_at(image, &scene.camera, point)));
    assert!(with * 10 < without * 7, "beside the ball the ground has {with} of {without}");
}

#[test]
fn a_lit_surface_does_not_shade_itself() {
    for tilt in [0.0_f32, 0.4, 0.8, 1.2] {
        let mut mesh = square(Vec3::Y, 1.0, 0x808080);
        mesh.material.reflectance = 0.0; // No highlight, so that only shadows could vary.
        mesh.material.roughness = 1.0;
        for p in &mut mesh.positions {
            let (sin, cos) = libm::sincosf(tilt);
            *p = Vec3::new(p.x, 1.0 + (p.y - 1.0) * cos, -(p.y - 1.0) * sin);
        }
        let mut scene = bare(vec![Item::Mesh(mesh)]);
        scene.sun.direction = Vec3::new(0.3, 0.4, 1.0);
        let image = draw(&scene);
        let values = (60..100).map(|x| brightness(image.pixel(x, 60).unwrap()));
        let (least, most) = values.fold((u32::MAX, 0), |(a, b), v| (a.min(v), b.max(v)));
        assert!(most - least < 4, "tilted by {tilt} rad, brightness goes from {least} to {most}");
    }
}

#[test]
fn what_is_nearer_hides_what_is_farther() {
    let near = ball(Vec3::new(0.0, 1.0, 1.0), 0.3, 0xff0000);
    let far = Item::Mesh(square(Vec3::new(0.0, 1.0, -1.0), 0.8, 0x0000ff));
    for items in [vec![near.clone(), far.clone()], vec![far, near]] {
        let scene = bare(items);
        let image = draw(&scene);
        assert!(is_red(pixel_at(&image, &scene.camera, Vec3::Y)));
        assert!(is_blue(pixel_at(&image, &scene.camera, Vec3::new(0.7, 1.0, -1.0))));
    }
}

#[test]
fn the_ground_hides_what_is_below_it() {
    let mut scene = bare(vec![ball(Vec3::new(0.0, -0.4, 0.0), 0.3, 0xff0000)]);
    scene.camera.target = Vec3::new(0.0, -0.4, 0.0);
    assert!(is_red(pixel_at(&draw(&scene), &scene.camera, scene.camera.target)));
    scene.ground = Some(Ground::default());
    assert!(!is_red(pixel_at(&draw(&scene), &scene.camera, scene.camera.target)));
}

#[test]
fn a_triangle_that_passes_the_camera_is_cut_not_dropped() {
    // A red floor from far ahead to far behind the camera, which is 1 m above it.
    let material = Material { color: srgb(0xff0000), ..Material::default() };
    let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let floor = Mesh {
        positions: vec![corner(-900.0, 90.0), corner(900.0, 90.0), corner(0.0, -9000.0)],
        triangles: vec![[0, 1, 2]],
        material,
        ..Mesh::default()
    };
    let image = draw(&bare(vec![Item::Mesh(floor)]));
    for x in [0, 40, 80, 120, 159] {
        assert!(!is_red(image.pixel(x, 40).unwrap()), "above the horizon, column {x}");
        assert!(is_red(image.pixel(x, 75).unwrap()), "below the horizon, column {x}");
        assert!(is_red(image.pixel(x, 119).unwrap()), "at the feet, column {x}");
    }
}

#[test]
fn things_behind_the_camera_are_not_seen() {
    let behind = Vec3::new(0.0, 1.0, 8.0);
    let tube =
        Tube { points: vec![behind, behind + Vec3::X], radius: 0.3, material: Material::default() };
    let items = vec![
        ball(behind, 0.5, 0xff0000),
        Item::Mesh(square(behind, 2.0, 0xff0000)),
        Item::Tube(tube),
    ];
    assert_eq!(draw(&bare(items)), draw(&bare(vec![])));
    let around_the_eye = bare(vec![ball(camera().eye, 0.5, 0xff0000)]);
    assert_eq!(draw(&around_the_eye), draw(&bare(vec![])), "from inside, a ball is not seen");
}

#[test]
fn each_side_of_a_cloth_has_its_colour() {
    let mut mesh = square(Vec3::Y, 0.8, 0xff0000);
    mesh.back = Some(srgb(0x0000ff));
    let mut scene = bare(vec![Item::Mesh(mesh)]);
    assert!(is_red(pixel_at(&draw(&scene), &scene.camera, Vec3::Y)));
    scene.camera.eye.z = -5.0;
    assert!(is_blue(pixel_at(&draw(&scene), &scene.camera, Vec3::Y)));
}

#[test]
fn vertex_colours_blend_over_a_triangle() {
    let mut mesh = square(Vec3::Y, 1.0, 0x00ff00);
    mesh.colors = [0xff0000, 0x0000ff, 0x0000ff, 0xff0000].map(srgb).to_vec();
    let mut scene = bare(vec![Item::Mesh(mesh.clone())]);
    let image = draw(&scene);
    assert!(is_red(pixel_at(&image, &scene.camera, Vec3::new(-0.9, 1.0, 0.0))));
    assert!(is_blue(pixel_at(&image, &scene.camera, Vec3::new(0.9, 1.0, 0.0))));
    mesh.colors.pop();
    scene.items = vec![Item::Mesh(mesh)];
    let [r, g, _] = pixel_at(&draw(&scene), &scene.camera, Vec3::new(-0.9, 1.0, 0.0));
    assert!(g > r, "too few vertex colours must leave the material's");
}

#[test]
fn the_sky_is_pale_at_the_horizon_and_blue_above() {
    let mut scene = bare(vec![]);
    scene.camera.target.y = 2.5;
    let image = draw(&scene);
    let blueness =
        |y: u32| image.pixel(80, y).map(|[r, _, b]| i32::from(b) - i32::from(r)).unwrap();
    assert!(blueness(0) > blueness(119) + 15, "{} above, {} below", blueness(0), blueness(119));
}

#[test]
fn the_ground_fades_into_the_horizon() {
    let mut scene = Scene { camera: camera(), ..Scene::default() };
    scene.ground = Some(Ground { reach: 5.0, contrast: 1.0, ..Ground::default() });
    let image = draw(&scene);
    // Row 59 is just above the horizon, row 60 just below.
    for x in [0, 80, 159] {
        let [above, below] = [59, 60].map(|y| brightness(image.pixel(x, y).unwrap()));
        assert!(above.abs_diff(below) < 12, "column {x}: {above} above the horizon, {below} below");
    }
}

#[test]
fn nothing_panics_and_nonsense_is_left_out() {
    let nan = Vec3::splat(f32::NAN);
    let broken = Mesh {
        positions: vec![nan, Vec3::X, Vec3::Y, Vec3::splat(f32::INFINITY), Vec3::splat(1e38)],
        triangles: vec![[0, 1, 2], [1, 2, 3], [1, 2, 4], [1, 1, 1], [1, 2, u32::MAX]],
        colors: vec![nan; 5],
        ..Mesh::default()
    };
    let tube = |points: Vec<Vec3>, radius| {
        Item::Tube(Tube { points, radius, material: Material::default() })
    };
    let items = vec![
        Item::Mesh(broken),
        Item::Mesh(Mesh::default()),
        ball(nan, 1.0, 0),
        ball(Vec3::ZERO, f32::NAN, 0),
        ball(Vec3::ZERO, -1.0, 0),
        ball(Vec3::splat(1e37), 1e37, 0),
        tube(vec![nan, Vec3::X, nan], 0.1),
        tube(vec![], 0.1),
        tube(vec![Vec3::X, Vec3::Y], f32::INFINITY),
    ];
    let mut scene = Scene { camera: camera(), ..Scene::default() };
    let empty = draw(&scene);
    scene.items = items;
    assert_eq!(draw(&scene), empty);

    let lost = [
        Camera { eye: nan, ..camera() },
        Camera { target: camera().eye, ..camera() },
        Camera { up: Vec3::ZERO, ..camera() },
        Camera { field_of_view: f32::NAN, ..camera() },
        Camera { field_of_view: 1e9, ..camera() },
    ];
    for camera in lost {
        draw(&Scene { camera, items: vec![ball(Vec3::Y, 0.5, 0)], ..Scene::default() });
    }
}

#[test]
fn any_setting_gives_a_picture() {
    let mut scene = bare(vec![ball(Vec3::Y, 0.5, 0xff0000), Item::Mesh(square(Vec3::Y, 0.8, 0))]);
    scene.sun = Sun { direction: Vec3::ZERO, color: Vec3::splat(f32::NAN), radius: f32::NAN };
    scene.sky.light = f32::INFINITY;
    scene.ground = Some(Ground { height: f32::NAN, reach: 0.0, cell: -1.0, ..Ground::default() });
    scene.samples = 0;
    assert_eq!(draw(&scene).rgb.len(), (WIDTH * HEIGHT) as usize);
    scene.samples = 99;
    assert_eq!(render(&scene, 3, 5).rgb.len(), 15);
    for (width, height) in [(0, 0), (0, 7), (7, 0)] {
        let image = render(&scene, width, height);
        assert_eq!((image.width, image.height, image.rgb.len()), (width, height, 0));
    }
}

#[test]
fn a_single_point_and_a_ball_look_alike() {
    let material = Material { color: srgb(0x40a060), ..Material::default() };
    let tube = Item::Tube(Tube { points: vec![Vec3::Y], radius: 0.5, material });
    let sphere = Item::Sphere(Sphere { center: Vec3::Y, radius: 0.5, material });
    assert_eq!(draw(&bare(vec![tube])), draw(&bare(vec![sphere])));
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let mut scene = Scene { camera: camera(), ..Scene::default() };
    for k in 0..20 {
        let (sin, cos) = libm::sincosf(k as f32);
        scene.items.push(ball(Vec3::new(cos, 0.6 + 0.3 * sin, sin), 0.2, 0x2080c0 + k));
    }
    scene.items.push(Item::Mesh(square(Vec3::Y, 0.7, 0xc04020)));
    let first = draw(&scene);
    for _ in 0..3 {
        assert_eq!(draw(&scene), first);
    }
}
