//! VTK: what is seen as `.vtp`, what is computed as `.vtu`, and a `.pvd` that lists them by time.

use std::io::{self, Write};
use std::path::Path;

use pliant::glam::Vec3;

use super::error::at;
use super::{Attribute, ExportError, Format, Frame, Target, Writer, Written};
use crate::draft::Draft;

pub(super) const FORMAT: Format = Format {
    name: "vtk",
    about: "VTK files with a .pvd that lists them by time: ParaView, PyVista, VisIt",
    create: |target| Ok(Box::new(Vtk { target: target.clone(), times: Vec::new() })),
};

/// Codes of cells in `.vtu` files.
const LINE: u8 = 3;
const TETRAHEDRON: u8 = 10;

struct Vtk {
    target: Target,
    times: Vec<f64>,
}

impl Writer for Vtk {
    fn frame(&mut self, frame: &Frame) -> Result<(), ExportError> {
        let number = self.times.len();
        let [vtp, vtu] = [".vtp", ".vtu"].map(|ending| self.target.path_at(number, ending));
        seen(frame).write(&vtp).map_err(at(&vtp))?;
        computed(frame).write(&vtu).map_err(at(&vtu))?;
        self.times.push(frame.time);
        // Listed when they are there, so that a reader can follow.
        for (ending, kind) in [(".pvd", ".vtp"), ("_computed.pvd", ".vtu")] {
            let path = self.target.path(ending);
            self.list(kind, &path).map_err(at(&path))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written, ExportError> {
        let files = [".pvd", "_computed.pvd"].map(|ending| self.target.path(ending));
        let hint = format!(
            "ParaView: open {}; Python: pyvista.get_reader(\"{}\")",
            files[0].display(),
            files[0].display()
        );
        Ok(Written { files: files.to_vec(), hint })
    }
}

impl Vtk {
    /// Writes the list of all frames so far.
    fn list(&self, ending: &str, path: &Path) -> io::Result<()> {
        let mut draft = Draft::create(path)?;
        writeln!(
            draft,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>"
        )?;
        for (number, time) in self.times.iter().enumerate() {
            let file = self.target.path_at(number, ending);
            let name = escape(&file.file_name().unwrap_or_default().to_string_lossy());
            writeln!(draft, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{name}\"/>")?;
        }
        writeln!(draft, "</Collection>\n</VTKFile>")?;
        draft.publish()
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// All parts as one set of points with faces and lines.
fn seen(frame: &Frame) -> File {
    let mut file = File::new("PolyData");
    let (mut lines, mut faces) = (Cells::default(), Cells::default());
    let mut points = Points::default();
    for part in &frame.parts {
        let first = points.add(&part.positions, &part.attributes);
        lines.add(part.lines.iter().map(|line| line.as_slice()), first);
        faces.add(part.triangles.iter().map(|triangle| triangle.as_slice()), first);
    }
    file.piece = format!(
        "NumberOfPoints=\"{}\" NumberOfLines=\"{}\" NumberOfPolys=\"{}\"",
        points.positions.len(),
        lines.ends.len(),
        faces.ends.len()
    );
    points.put(&mut file);
    file.element("Lines", |file| lines.put(file));
    file.element("Polys", |file| faces.put(file));
    file
}

/// All particles with tetrahedra and links.
fn computed(frame: &Frame) -> File {
    let mut file = File::new("UnstructuredGrid");
    let (mut cells, mut kinds, mut points) = (Cells::default(), Vec::new(), Points::default());
    for part in &frame.cells {
        let first = points.add(&part.positions, &part.attributes);
        cells.add(part.tets.iter().map(|tet| tet.as_slice()), first);
        cells.add(part.links.iter().map(|link| link.as_slice()), first);
        kinds.extend(part.tets.iter().map(|_| TETRAHEDRON));
        kinds.extend(part.links.iter().map(|_| LINE));
    }
    let (count, size) = (points.positions.len(), cells.ends.len());
    file.piece = format!("NumberOfPoints=\"{count}\" NumberOfCells=\"{size}\"");
    points.put(&mut file);
    file.element("Cells", |file| {
        cells.put(file);
        file.array("type=\"UInt8\" Name=\"types\"", &kinds);
    });
    file
}

/// Points of several bodies, one after the other.
#[derive(Default)]
struct Points {
    positions: Vec<Vec3>,
    body: Vec<i32>,
    attributes: Vec<Attribute>,
    bodies: i32,
}

impl Points {
    /// Adds a body and returns the number of its first point.
    fn add(&mut self, positions: &[Vec3], attributes: &[Attribute]) -> u32 {
        let first = self.positions.len();
        self.positions.extend(positions);
        self.body.resize(self.positions.len(), self.bodies);
        self.bodies += 1;
        if self.attributes.is_empty() {
            let empty = |a: &Attribute| Attribute { name: a.name, values: Vec::new() };
            self.attributes = attributes.iter().map(empty).collect();
        }
        for (all, own) in self.attributes.iter_mut().zip(attributes) {
            all.values.extend(&own.values);
        }
        first as u32
    }

    fn put(&self, file: &mut File) {
        file.element("Points", |file| {
            let numbers = self.positions.iter().flat_map(Vec3::to_array);
            let what = "type=\"Float32\" Name=\"points\" NumberOfComponents=\"3\"";
            file.array(what, &floats(numbers));
        });
        file.element("PointData", |file| {
            let body: Vec<u8> = self.body.iter().flat_map(|body| body.to_le_bytes()).collect();
            file.array("type=\"Int32\" Name=\"body\"", &body);
            for Attribute { name, values } in &self.attributes {
                let values = floats(values.iter().copied());
                file.array(&format!("type=\"Float32\" Name=\"{name}\""), &values);
            }
        });
    }
}

/// Cells as VTK has them: all corners one after the other, and where each cell ends.
#[derive(Default)]
struct Cells {
    corners: Vec<i64>,
    ends: Vec<i64>,
}

impl Cells {
    fn add<'a>(&mut self, cells: impl Iterator<Item = &'a [u32]>, first: u32) {
        for cell in cells {
            self.corners.extend(cell.iter().map(|&i| i64::from(first + i)));
            self.ends.push(self.corners.len() as i64);
        }
    }

    fn put(&self, file: &mut File) {
        for (name, values) in [("connectivity", &self.corners), ("offsets", &self.ends)] {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            file.array(&format!("type=\"Int64\" Name=\"{name}\""), &bytes);
        }
    }
}

fn floats(values: impl Iterator<Item = f32>) -> Vec<u8> {
    values.flat_map(f32::to_le_bytes).collect()
}

/// An XML file whose numbers follow its text as raw bytes, each array behind its length.
struct File {
    kind: &'static str,
    piece: String,
    elements: String,
    appended: Vec<u8>,
}

impl File {
    fn new(kind: &'static str) -> Self {
        Self { kind, piece: String::new(), elements: String::new(), appended: Vec::new() }
    }

    fn element(&mut self, name: &str, content: impl FnOnce(&mut Self)) {
        self.elements += &format!("<{name}>\n");
        content(self);
        self.elements += &format!("</{name}>\n");
    }

    fn array(&mut self, what: &str, bytes: &[u8]) {
        let offset = self.appended.len();
        self.elements += &format!("<DataArray {what} format=\"appended\" offset=\"{offset}\"/>\n");
        self.appended.extend((bytes.len() as u64).to_le_bytes());
        self.appended.extend(bytes);
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let Self { kind, piece, elements, appended } = self;
        let mut draft = Draft::create(path)?;
        write!(
            draft,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<{kind}>\n<Piece {piece}>\n\
             {elements}</Piece>\n</{kind}>\n<AppendedData encoding=\"raw\">\n_"
        )?;
        draft.write_all(appended)?;
        write!(draft, "\n</AppendedData>\n</VTKFile>\n")?;
        draft.publish()
    }
}
