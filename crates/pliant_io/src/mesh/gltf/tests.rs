//! Small scenes, written out.

use super::*;
use crate::mesh::base64::tests::encode;
use crate::mesh::tests::{import, refuse};

/// Four corners of a square (floats), then 0 1 2 3 (shorts), then a point (floats) and 3 (short).
fn square() -> Vec<u8> {
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0f32];
    let mut bytes: Vec<u8> = corners.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0u16, 1, 2, 3].iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([5.0f32, 5.0, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend(3u16.to_le_bytes());
    bytes
}

fn scene(nodes: &str, primitive: &str) -> String {
    let views = r#"[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":8},
        {"buffer":0,"byteOffset":56,"byteLength":12},{"buffer":0,"byteOffset":68,"byteLength":2}]"#;
    let accessors = r#"[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
        {"bufferView":1,"componentType":5123,"count":4,"type":"SCALAR"},
        {"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"},
        {"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":1,
         "indices":{"bufferView":3,"componentType":5123},"values":{"bufferView":2}}},
        {"componentType":5126,"count":4,"type":"VEC2"}]"#;
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{nodes},
        "meshes":[{{"primitives":[{primitive}]}}],"accessors":{accessors},"bufferViews":{views},
        "buffers":[{{"byteLength":70,"uri":"data:application/octet-stream;base64,{}"}}]}}"#,
        encode(&square())
    )
}

const PLAIN: &str = r#"{"attributes":{"POSITION":0},"indices":2}"#;
const NODE: &str = r#"[{"mesh":0}]"#;

fn triangles_of(mode: u32, indices: usize) -> Vec<[u32; 3]> {
    let primitive =
        format!(r#"{{"attributes":{{"POSITION":0}},"indices":{indices},"mode":{mode}}}"#);
    import(&FORMAT, scene(NODE, &primitive).as_bytes()).surface.mesh.triangles
}

#[test]
fn lists_strips_and_fans() {
    assert_eq!(triangles_of(4, 2), [[0, 1, 2]]);
    assert_eq!(triangles_of(5, 1), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(triangles_of(6, 1), [[0, 1, 2], [0, 2, 3]]);
    let lines = refuse(
        &FORMAT,
        scene(NODE, &PLAIN.replace("}}", "}").replace("2}", "2,\"mode\":1}")).as_bytes(),
    );
    assert!(lines.contains("only 1 primitives of points or lines"), "{lines}");
    let four =
        refuse(&FORMAT, scene(NODE, &PLAIN.replace("\"indices\":2", "\"indices\":1")).as_bytes());
    assert!(
        four.contains("meshes[0].primitives[0]: expected three corners for each triangle"),
        "{four}"
    );
}

#[test]
fn nodes_move_turn_and_mirror() {
    // A parent that doubles and a child that turns x to y, moves by z, and mirrors.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let nodes = format!(
        r#"[{{"children":[1],"scale":[2,2,2]}},
        {{"mesh":0,"rotation":[0,0,{half},{half}],"translation":[0,0,1],"scale":[1,1,-1]}}]"#
    );
    let primitive = r#"{"attributes":{"POSITION":0,"NORMAL":0},"indices":2}"#;
    let surface = import(&FORMAT, scene(&nodes, primitive).as_bytes()).surface;
    assert!(surface.mesh.positions[1].distance(Vec3::new(0.0, 2.0, 2.0)) < 1e-6);
    assert_eq!(surface.mesh.triangles, [[0, 2, 1]], "a mirror turns triangles");
    let normal = surface.normals[1].normalize_or_zero();
    assert!(normal.distance(Vec3::Y) < 1e-6, "{normal}");
    let matrix = r#"[{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,7,8,9,1]}]"#;
    let mesh = import(&FORMAT, scene(matrix, PLAIN).as_bytes()).surface.mesh;
    assert_eq!(mesh.positions[0], Vec3::new(7.0, 8.0, 9.0));
}

#[test]
fn sparse_rows_and_rows_of_zeros() {
    let primitive = r#"{"attributes":{"POSITION":3,"TEXCOORD_0":4},"indices":2}"#;
    let surface = import(&FORMAT, scene(NODE, primitive).as_bytes()).surface;
    assert_eq!(surface.mesh.positions[3], Vec3::new(5.0, 5.0, 0.0));
    assert_eq!(surface.texture, [Vec2::ZERO; 4]);
}

#[test]
fn a_skin_stays_in_the_pose_in_which_it_was_bound() {
    let nodes = r#"[{"mesh":0,"skin":0,"translation":[9,9,9]}]"#;
    let imported = import(&FORMAT, scene(nodes, PLAIN).as_bytes());
    assert_eq!(imported.surface.mesh.positions[0], Vec3::ZERO);
    assert_eq!(imported.skipped[0].to_string(), "1 skeletons");
}

#[test]
fn a_glb_holds_its_buffer() {
    let glb = glb(&scene(NODE, PLAIN), &square());
    assert_eq!(import(&FORMAT, &glb).surface.mesh.triangles, [[0, 1, 2]]);
    let short = refuse(&FORMAT, &glb[..glb.len() - 1]);
    assert!(short.contains("byte 8: expected"), "{short}");
}

fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let start = json.find(",\"uri\"").unwrap();
    let mut json = format!("{}}}]}}", &json[..start]).into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + 8 + binary.len();
    let mut glb = b"glTF".to_vec();
    glb.extend([2, length as u32, json.len() as u32].iter().flat_map(|x| x.to_le_bytes()));
    glb.extend(b"JSON");
    glb.extend(&json);
    glb.extend((binary.len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(&binary);
    glb
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let error = |from: &str, to: &str| {
        let text = scene(NODE, PLAIN);
        assert!(text.contains(from), "{from}");
        refuse(&FORMAT, text.replacen(from, to, 1).as_bytes())
    };
    assert!(
        error("\"count\":4", "\"count\":5").contains("accessors[0]: expected a view of 5 rows")
    );
    assert!(error("\"count\":4", "\"count\":9223372036854775807").contains("more than"));
    assert!(error("\"count\":4", "\"count\":-1").contains("line"));
    assert!(
        error("\"byteLength\":48", "\"byteLength\":48,\"byteStride\":0").contains("a stride of 12")
    );
    let far = error(
        "\"buffer\":0,\"byteLength\":48",
        "\"buffer\":0,\"byteOffset\":18446744073709551600,\"byteLength\":48",
    );
    assert!(far.contains("buffers[0]: expected 48 bytes from byte"), "{far}");
    assert!(
        error("\"byteLength\":70", "\"byteLength\":71")
            .contains("71 bytes, as announced, found 70")
    );
    assert!(error("\"POSITION\":0", "\"POSITION\":7").contains("accessor 0 to 4, found 7"));
    assert!(error("\"mesh\":0", "\"mesh\":1").contains("mesh 0 to 0, found 1"));
    assert!(error("VEC3", "VEC4").contains("the type VEC3, found VEC4"));
    assert!(error("5126", "5130").contains("a component type"));
    assert!(error("\"2.0\"", "\"1.0\"").contains("asset.version"));
    assert!(
        error("\"scene\":0", "\"scene\":0,\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]")
            .contains("KHR_draco")
    );
    assert!(error("\"scene\":0", "\"scene\":4").contains("scene 0 to 0, found 4"));
    assert!(error("[{\"mesh\":0}]", "[{\"children\":[0]}]").contains("inside itself"));
    assert!(error("\"scene\":0", "\"scene\":0,\"scene\":0").contains("duplicate"));
}

#[test]
fn few_bytes_cannot_ask_for_much_memory() {
    // Ten thousand nodes that show one mesh of rows that stand nowhere.
    let nodes: Vec<_> = (0..10_000).map(|_| r#"{"mesh":0}"#).collect();
    let roots: Vec<_> = (0..10_000).map(|k| k.to_string()).collect();
    let text = scene(&format!("[{}]", nodes.join(",")), r#"{"attributes":{"POSITION":0}}"#)
        .replace("\"nodes\":[0]", &format!("\"nodes\":[{}]", roots.join(",")))
        .replacen(
            "{\"bufferView\":0,\"componentType\":5126,\"count\":4",
            "{\"componentType\":5126,\"count\":99999",
            1,
        );
    let error = refuse(&FORMAT, text.as_bytes());
    assert!(error.contains("save fewer copies"), "{error}");
}

#[test]
fn a_small_scene_may_have_a_large_buffer_beside_it() {
    // Two million points, all used once.
    let count = 2_000_000;
    let text = scene(NODE, r#"{"attributes":{"POSITION":0},"mode":5}"#)
        .replacen("\"count\":4", &format!("\"count\":{count}"), 1)
        .replacen("\"byteLength\":48", &format!("\"byteLength\":{}", count * 12), 1)
        .replace("\"byteLength\":70", &format!("\"byteLength\":{}", count * 12));
    let start = text.find("data:").unwrap();
    let text = format!("{}points.bin\"}}]}}", &text[..start]);
    let beside = |name: &str| {
        assert_eq!(name, "points.bin");
        Ok(vec![0; count * 12])
    };
    let name = std::path::Path::new("scene.gltf");
    let source = Source { name, bytes: text.as_bytes(), beside: &beside };
    let surface = crate::mesh::read_bytes(&FORMAT, &source).unwrap().surface;
    assert_eq!(surface.mesh.positions.len(), count);
}

#[test]
fn deep_json_is_refused() {
    let deep = "[".repeat(100_000);
    assert!(refuse(&FORMAT, deep.as_bytes()).contains("line 1"));
    let inside = format!(r#"{{"asset":{{"version":"2.0","extras":{deep}"#);
    assert!(refuse(&FORMAT, inside.as_bytes()).contains("line 1"));
}

#[test]
fn pictures_are_inside_the_file_or_beside_it_and_what_is_missing_is_told() {
    use crate::mesh::{Origin, Source, looks_of, nothing_beside};
    let mut image = pliant::raster::Image::new(2, 1);
    image.rgb = vec![[255, 0, 0], [0, 0, 255]];
    let path = std::env::temp_dir().join(format!("pliant-gltf-{}.png", std::process::id()));
    crate::image::write(&image, &path).unwrap();
    let png = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let materials = format!(
        r#""materials":[{{"pbrMetallicRoughness":{{"baseColorFactor":[0.5,1,1,1],
        "baseColorTexture":{{"index":0}}}},"normalTexture":{{"index":1}}}},
        {{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":2}}}}}},
        {{"normalTexture":{{"index":7}}}}],
        "textures":[{{"source":0}},{{"source":1}},{{"source":2}}],
        "images":[{{"uri":"data:image/png;base64,{}"}},{{"uri":"a.png"}},{{"bufferView":1}}],"meshes""#,
        encode(&png)
    );
    let primitive = PLAIN.replace("\"indices\":2", "\"indices\":2,\"material\":1");
    let text = scene(NODE, &primitive).replacen("\"meshes\"", &materials, 1);
    let runs = import(&FORMAT, text.as_bytes()).surface.runs;
    assert_eq!(runs, [Run { first: 0, material: "1".into() }]);
    let beside = |name: &str| if name == "a.png" { Ok(png.clone()) } else { nothing_beside(name) };
    let name = std::path::Path::new("a.gltf");
    let source = Source { name, bytes: text.as_bytes(), beside: &beside };
    let looks = looks_of(&FORMAT, &source).unwrap();
    let first = &looks.materials[0];
    assert_eq!((first.name.as_str(), first.tint), ("0", [0.5, 1.0, 1.0]));
    assert_eq!((&first.color, &first.normals), (&Some(image.clone()), &Some(image)));
    assert_eq!(looks.origin, Origin::Top);
    // The bytes of the second are no picture, and the third names no texture.
    assert_eq!((&looks.materials[1].color, &looks.materials[2].normals), (&None, &None));
    assert!(looks.missing[0].contains("texture 2"), "{:?}", looks.missing);
    assert!(looks.missing[1].contains("expected texture 0 to 2, found 7"), "{:?}", looks.missing);
}
