//! A small file in every variant of every format: the square or the tetrahedron of four points.

/// A file: a name for the test, the ending, its contents and those of its other half.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) extension: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) beside: Vec<u8>,
}

/// The points of the tetrahedron (m).
const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// Its sides, seen from outside.
const SIDES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// At least one file of each format.
pub(crate) fn all() -> Vec<Sample> {
    let text = |name, extension, text: String| Sample {
        name,
        extension,
        bytes: text.into_bytes(),
        beside: Vec::new(),
    };
    let bytes = |name, extension, bytes| Sample { name, extension, bytes, beside: Vec::new() };
    let ele = "1 4 1\n1 1 2 3 4 7\n".to_owned();
    let node = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    vec![
        text("gltf", "gltf", gltf(&format!(",\"uri\":\"data:;base64,{}\"", base64(&buffer())))),
        bytes("glb", "glb", glb()),
        text("msh 1", "msh", msh_1()),
        text("msh 2", "msh", msh_2()),
        bytes("msh 2 bytes", "msh", msh_2_bytes()),
        text("msh 4.1", "msh", msh_4()),
        bytes("msh 4.1 bytes", "msh", msh_4_bytes()),
        text("obj", "obj", obj()),
        text("off", "off", off()),
        text("ply", "ply", ply_header("ascii") + &points_text() + &sides_text("3 ")),
        bytes("ply little", "ply", ply_bytes("binary_little_endian")),
        bytes("ply big", "ply", ply_bytes("binary_big_endian")),
        text("sdf", "sdf", "2 2 2\n0 0 0\n0.5\n-1 2 3 4 5 6 7 8\n".to_owned()),
        text("stl", "stl", stl()),
        bytes("stl bytes", "stl", stl_bytes()),
        Sample { name: "tetgen", extension: "ele", bytes: ele.into_bytes(), beside: node.into() },
        text("vtk", "vtk", vtk()),
        bytes("vtk bytes", "vtk", vtk_bytes()),
        text("vtu", "vtu", vtu(|k| ("ascii".to_owned(), ARRAYS[k].to_owned()))),
        text("vtu letters", "vtu", vtu(|k| ("binary".to_owned(), base64(&sized(&arrays()[k]))))),
        bytes("vtu bytes", "vtu", vtu_appended()),
    ]
}

fn points_text() -> String {
    POINTS.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect()
}

fn sides_text(before: &str) -> String {
    SIDES.iter().map(|[a, b, c]| format!("{before}{a} {b} {c}\n")).collect()
}

fn obj() -> String {
    let v: String = POINTS.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let corner = |k: u32| format!("{}/{}/1", k + 1, k % 2 + 1);
    let f: String =
        SIDES.iter().map(|side| format!("f {}\n", side.map(corner).join(" "))).collect();
    format!("# a tetrahedron\n{v}vt 0 0\nvt 1 1\nvn 0 0 1\n{f}")
}

fn off() -> String {
    format!("OFF\n4 4 0\n{}{}", points_text(), sides_text("3 "))
}

fn ply_header(format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
         property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
    )
}

fn ply_bytes(format: &str) -> Vec<u8> {
    let big = format.contains("big");
    let order = |mut bytes: [u8; 4]| {
        if big {
            bytes.reverse();
        }
        bytes
    };
    let mut bytes = ply_header(format).into_bytes();
    bytes.extend(POINTS.iter().flatten().flat_map(|x| order(x.to_le_bytes())));
    for side in SIDES {
        bytes.push(3);
        bytes.extend(side.iter().flat_map(|corner| order(corner.to_le_bytes())));
    }
    bytes
}

fn stl() -> String {
    let vertex = |k: u32| {
        let [x, y, z] = POINTS[k as usize];
        format!("vertex {x} {y} {z}\n")
    };
    let facet = |side: &[u32; 3]| {
        format!("facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n", side.map(vertex).concat())
    };
    format!("solid a\n{}endsolid a\n", SIDES.iter().map(facet).collect::<String>())
}

fn stl_bytes() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(4u32.to_le_bytes());
    for side in SIDES {
        bytes.extend([0; 12]);
        let corners = side.iter().flat_map(|corner| POINTS[*corner as usize]);
        bytes.extend(corners.flat_map(f32::to_le_bytes));
        bytes.extend([0; 2]);
    }
    bytes
}

fn buffer() -> Vec<u8> {
    let points = POINTS.iter().flatten().flat_map(|x| x.to_le_bytes());
    points.chain(SIDES.iter().flatten().flat_map(|x| (*x as u16).to_le_bytes())).collect()
}

/// A scene whose buffer is `uri`.
pub(crate) fn gltf(uri: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"children":[1],"scale":[2,1,1]}},{{"mesh":0,"translation":[0,1,0]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
        {{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
        "buffers":[{{"byteLength":72{uri}}}]}}"#
    )
}

fn glb() -> Vec<u8> {
    let mut json = gltf("").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() + 8 + buffer().len();
    let mut glb = b"glTF".to_vec();
    glb.extend([2, total as u32, json.len() as u32].iter().flat_map(|x| x.to_le_bytes()));
    glb.extend(b"JSON");
    glb.extend(&json);
    glb.extend((buffer().len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(buffer());
    glb
}

fn numbered_points() -> String {
    let point = |(k, [x, y, z]): (usize, &[f32; 3])| format!("{} {x} {y} {z}\n", k + 1);
    POINTS.iter().enumerate().map(point).collect()
}

fn msh_1() -> String {
    let points = numbered_points();
    format!("$NOD\n4\n{points}$ENDNOD\n$ELM\n2\n1 4 1 1 4 1 2 3 4\n2 2 1 1 3 1 3 2\n$ENDELM\n")
}

fn msh_2() -> String {
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{}$EndNodes\n\
         $Elements\n2\n1 4 2 0 1 1 2 3 4\n2 2 0 1 3 2\n$EndElements\n",
        numbered_points()
    )
}

fn int(x: u32) -> [u8; 4] {
    x.to_le_bytes()
}

fn msh_2_bytes() -> Vec<u8> {
    let mut bytes = b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n4\n".to_vec();
    for (k, point) in POINTS.iter().enumerate() {
        bytes.extend(int(k as u32 + 1));
        bytes.extend(point.iter().flat_map(|x| f64::from(*x).to_le_bytes()));
    }
    bytes.extend(b"\n$EndNodes\n$Elements\n2\n");
    bytes.extend([4, 1, 0, 1, 1, 2, 3, 4, 2, 1, 0, 2, 1, 3, 2].into_iter().flat_map(int));
    bytes.extend(b"\n$EndElements\n");
    bytes
}

fn msh_4() -> String {
    format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n{}$EndNodes\n\
         $Elements\n2 2 1 2\n3 1 4 1\n1 1 2 3 4\n2 1 2 1\n2 1 3 2\n$EndElements\n",
        points_text()
    )
}

fn msh_4_bytes() -> Vec<u8> {
    let sizes = |sizes: &[u64]| sizes.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut bytes = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
    bytes.extend(sizes(&[1, 4, 1, 4]));
    bytes.extend([3, 1, 0].into_iter().flat_map(int));
    bytes.extend(sizes(&[4, 1, 2, 3, 4]));
    bytes.extend(POINTS.iter().flatten().flat_map(|x| f64::from(*x).to_le_bytes()));
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    bytes.extend(sizes(&[1, 1, 1, 1]));
    bytes.extend([3, 1, 4].into_iter().flat_map(int));
    bytes.extend(sizes(&[1, 1, 1, 2, 3, 4]));
    bytes.extend(b"\n$EndElements\n");
    bytes
}

fn vtk() -> String {
    format!(
        "# vtk DataFile Version 3.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n{}\
         CELLS 2 9\n4 0 1 2 3\n3 0 2 1\nCELL_TYPES 2\n10\n5\n",
        points_text()
    )
}

fn vtk_bytes() -> Vec<u8> {
    let header =
        "# vtk DataFile Version 5.1\na\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n";
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend(POINTS.iter().flatten().flat_map(|x| x.to_be_bytes()));
    bytes.extend(b"\nCELLS 3 7\nOFFSETS vtktypeint64\n");
    bytes.extend([0i64, 4, 7].iter().flat_map(|x| x.to_be_bytes()));
    bytes.extend(b"\nCONNECTIVITY vtktypeint64\n");
    bytes.extend([0i64, 1, 2, 3, 0, 2, 1].iter().flat_map(|x| x.to_be_bytes()));
    bytes.extend(b"\nCELL_TYPES 2\n");
    bytes.extend([10i32, 5].iter().flat_map(|x| x.to_be_bytes()));
    bytes
}

const ARRAYS: [&str; 4] = ["0 0 0 1 0 0 0 1 0 0 0 1", "0 1 2 3 0 2 1", "4 7", "10 5"];

fn arrays() -> [Vec<u8>; 4] {
    let ints = |text: &str| -> Vec<u8> {
        text.split(' ').flat_map(|x| x.parse::<i32>().unwrap_or(0).to_le_bytes()).collect()
    };
    let points = POINTS.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    [points, ints(ARRAYS[1]), ints(ARRAYS[2]), ints(ARRAYS[3])]
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

/// A file whose arrays have this format (and offset), and these contents.
fn vtu(array: impl Fn(usize) -> (String, String)) -> String {
    let tag = |k: usize, kind: &str, name: &str| {
        let (format, contents) = array(k);
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" format=\"{format}\">{contents}</DataArray>"
        )
    };
    format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece><Points>{}</Points>\n\
         <Cells>{}{}{}</Cells></Piece></UnstructuredGrid></VTKFile>",
        tag(0, "Float32", "Points"),
        tag(1, "Int32", "connectivity"),
        tag(2, "Int32", "offsets"),
        tag(3, "Int32", "types")
    )
}

fn vtu_appended() -> Vec<u8> {
    let start = |k: usize| arrays()[..k].iter().map(|array| array.len() + 4).sum::<usize>();
    let text = vtu(|k| (format!("appended\" offset=\"{}", start(k)), String::new()));
    let mut bytes = text.replace("</VTKFile>", "<AppendedData encoding=\"raw\">_").into_bytes();
    arrays().iter().for_each(|array| bytes.extend(sized(array)));
    bytes
}

/// Bytes as letters.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let bits = (0..3).fold(0, |bits, k| bits << 8 | u32::from(*three.get(k).unwrap_or(&0)));
        let letter = |k: usize| char::from(LETTERS[(bits >> (18 - 6 * k) & 63) as usize]);
        (0..4).map(|k| if k <= three.len() { letter(k) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}
