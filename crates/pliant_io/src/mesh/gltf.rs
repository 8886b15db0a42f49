//! glTF and GLB, the format of Khronos: scenes of meshes, of which the geometry is read.
//!
//! All meshes of the scene become one surface, each where its node puts it. Skeletons, morph
//! targets and animations are not read; a mesh with a skeleton is in the pose in which it was
//! bound to it. Buffers come from the file itself or from its folder, never from elsewhere.

mod accessor;
mod buffers;
mod materials;
mod schema;

use super::error::{Fault, Place};
use super::{Cause, Format, Imported, Leftovers, Run, Source, Surface};
use accessor::Accessors;
use buffers::Buffers;
pub(super) use materials::looks;
use pliant::glam::{DMat3, DMat4, DQuat, DVec3, Vec2, Vec3};
use schema::{Node, Primitive, Root};

pub(super) const FORMAT: Format = Format {
    name: "glTF",
    extensions: &["gltf", "glb"],
    about: "scenes of meshes with normals and texture coordinates",
    read,
};

/// Extensions that change how things look, not where they are; an ending `*` stands for any.
const HARMLESS: &[&str] = &[
    "EXT_texture_*",
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_materials_*",
    // Coordinates as integers, which accessors are read as anyway.
    "KHR_mesh_quantization",
    "KHR_texture_*",
    "KHR_xmp_json_ld",
];

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let (json, binary) = buffers::split(source.bytes)?;
    let root: Root = serde_json::from_slice(json).map_err(|error| schema::fault(&error))?;
    check(&root)?;
    let buffers = Buffers::new(&root, binary, source.beside);
    let accessors = Accessors::new(&root, buffers, source.bytes.len());
    let mut reader = Reader {
        root: &root,
        accessors,
        surface: Surface::default(),
        leftovers: Leftovers::default(),
    };
    reader.scene()?;
    Ok(reader.finish())
}

fn check(root: &Root) -> Result<(), Fault> {
    let version = root.asset.version.as_str();
    if !version.starts_with("2.") {
        let place = Place::Entry("asset.version".to_owned());
        return Err(Fault::unsupported(
            place,
            format!("version \"{}\"", version.escape_debug()),
            "save the scene as glTF 2.0",
        ));
    }
    let harmless = |name: &str| {
        HARMLESS.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *known,
        })
    };
    match root.extensions_required.iter().find(|name| !harmless(name)) {
        None => Ok(()),
        Some(name) => {
            let place = Place::Entry("extensionsRequired".to_owned());
            let what = format!("the extension \"{}\"", name.escape_debug());
            Err(Fault::unsupported(
                place,
                what,
                "save the scene without it (for instance uncompressed)",
            ))
        }
    }
}

struct Reader<'a> {
    root: &'a Root,
    accessors: Accessors<'a>,
    surface: Surface,
    leftovers: Leftovers,
}

impl Reader<'_> {
    /// Every node of the scene, each once, in its place.
    fn scene(&mut self) -> Result<(), Fault> {
        let root = self.root;
        // A file without nodes is a library of meshes.
        if root.nodes.is_empty() {
            return (0..root.meshes.len()).try_for_each(|mesh| self.mesh(mesh, DMat4::IDENTITY));
        }
        let mut visited = vec![false; root.nodes.len()];
        let mut waiting: Vec<(usize, DMat4)> =
            self.roots()?.into_iter().rev().map(|node| (node, DMat4::IDENTITY)).collect();
        while let Some((index, parent)) = waiting.pop() {
            let node =
                root.nodes.get(index).ok_or_else(|| missing("node", index, root.nodes.len()))?;
            if std::mem::replace(&mut visited[index], true) {
                let place = Place::Entry(format!("nodes[{index}]"));
                return Err(Fault::expected(
                    place,
                    "a tree of nodes",
                    "a node with two parents, or inside itself",
                ));
            }
            let world = parent * transform(node);
            if !world.is_finite() {
                let place = Place::Entry(format!("nodes[{index}]"));
                return Err(Fault::expected(place, "a finite transform", "one that overflows"));
            }
            if let Some(mesh) = node.mesh {
                // The transform of a node with a skeleton is that of its joints.
                let skinned = node.skin.is_some();
                if skinned {
                    self.leftovers.add("skeletons");
                }
                self.mesh(mesh as usize, if skinned { DMat4::IDENTITY } else { world })?;
            }
            waiting.extend(node.children.iter().rev().map(|child| (*child, world)));
        }
        Ok(())
    }

    /// The nodes to start from: those of the scene, or those that are nobody's child.
    fn roots(&self) -> Result<Vec<usize>, Fault> {
        let root = self.root;
        let scene = root.scene.unwrap_or(0);
        match root.scenes.get(scene) {
            Some(scene) => Ok(scene.nodes.clone()),
            None if root.scene.is_some() => Err(missing("scene", scene, root.scenes.len())),
            None => {
                let mut is_child = vec![false; root.nodes.len()];
                for &child in root.nodes.iter().flat_map(|node| &node.children) {
                    if let Some(is_child) = is_child.get_mut(child) {
                        *is_child = true;
                    }
                }
                Ok((0..root.nodes.len()).filter(|node| !is_child[*node]).collect())
            }
        }
    }

    fn mesh(&mut self, index: usize, world: DMat4) -> Result<(), Fault> {
        let root = self.root;
        let mesh =
            root.meshes.get(index).ok_or_else(|| missing("mesh", index, root.meshes.len()))?;
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            let place = || Place::Entry(format!("meshes[{index}].primitives[{k}]"));
            self.primitive(primitive, world, &place)?;
        }
        Ok(())
    }

    fn primitive(
        &mut self,
        primitive: &Primitive,
        world: DMat4,
        place: &dyn Fn() -> Place,
    ) -> Result<(), Fault> {
        if primitive.mode < 4 {
            self.leftovers.add("primitives of points or lines");
            return Ok(());
        }
        if !primitive.targets.is_empty() {
            self.leftovers.add("primitives with morph targets (their rest shape is read)");
        }
        let Some(positions) = primitive.attributes.position else {
            return Err(Fault::expected(place(), "an attribute POSITION", "none"));
        };
        let first = self.surface.mesh.positions.len();
        let positions = self.accessors.rows::<3>(positions)?;
        let count = positions.len();
        for row in positions {
            let x = world.transform_point3(DVec3::from_array(row)).as_vec3();
            if !x.is_finite() {
                return Err(Fault::expected(place(), "finite coordinates", &x.to_string()));
            }
            self.surface.mesh.positions.push(x);
        }
        self.attributes(primitive, world, [first, count], place)?;
        let corners: Vec<u32> = match primitive.indices {
            Some(indices) => self.accessors.indices(indices, count)?,
            None => (0..count as u32).collect(),
        };
        let mut triangles = triangles(primitive.mode, &corners, place)?;
        // A mirror turns triangles inside out.
        if world.determinant() < 0.0 {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let material = primitive.material.map_or(String::new(), |index| index.to_string());
        self.surface.runs.push(Run { first: self.surface.mesh.triangles.len() as u32, material });
        let shift = |triangle: [u32; 3]| triangle.map(|corner| corner + first as u32);
        self.surface.mesh.triangles.extend(triangles.into_iter().map(shift));
        Ok(())
    }

    /// Normals and texture coordinates; primitives without get zeros if any other has them.
    fn attributes(
        &mut self,
        primitive: &Primitive,
        world: DMat4,
        [first, count]: [usize; 2],
        place: &dyn Fn() -> Place,
    ) -> Result<(), Fault> {
        let same = |found: usize| match found == count {
            true => Ok(()),
            false => Err(Fault::expected(
                place(),
                &format!("{count} values of each attribute"),
                &found.to_string(),
            )),
        };
        if let Some(normals) = primitive.attributes.normal {
            let normals = self.accessors.rows::<3>(normals)?;
            same(normals.len())?;
            let turn = cofactors(world);
            let turned = normals.iter().map(|row| (turn * DVec3::from_array(*row)).as_vec3());
            self.surface.normals.resize(first, Vec3::ZERO);
            self.surface.normals.extend(turned.map(|n| if n.is_finite() { n } else { Vec3::ZERO }));
        }
        if let Some(texture) = primitive.attributes.texture {
            let texture = self.accessors.rows::<2>(texture)?;
            same(texture.len())?;
            self.surface.texture.resize(first, Vec2::ZERO);
            let coordinates = texture.iter().map(|[u, v]| Vec2::new(*u as f32, *v as f32));
            self.surface.texture.extend(coordinates);
        }
        Ok(())
    }

    fn finish(mut self) -> Imported {
        let count = self.surface.mesh.positions.len();
        if !self.surface.normals.is_empty() {
            self.surface.normals.resize(count, Vec3::ZERO);
        }
        if !self.surface.texture.is_empty() {
            self.surface.texture.resize(count, Vec2::ZERO);
        }
        for _ in &self.root.animations {
            self.leftovers.add("animations");
        }
        Imported { surface: self.surface, skipped: self.leftovers.list(), ..Imported::default() }
    }
}

/// Where a node is in its parent.
fn transform(node: &Node) -> DMat4 {
    if let Some(matrix) = &node.matrix {
        return DMat4::from_cols_array(matrix);
    }
    let rotation =
        DQuat::from_array(node.rotation.as_deref().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]));
    let length = rotation.length();
    let rotation = if length > 0.0 { rotation / length } else { DQuat::IDENTITY };
    let scale = DVec3::from_array(node.scale.as_deref().copied().unwrap_or([1.0; 3]));
    let translation = DVec3::from_array(node.translation.as_deref().copied().unwrap_or([0.0; 3]));
    DMat4::from_scale_rotation_translation(scale, rotation, translation)
}

/// Turns normals: the cofactors are the inverse transpose but for a factor, and exist always. That
/// factor is the determinant; in a mirror its sign keeps the normal on its side.
fn cofactors(world: DMat4) -> DMat3 {
    let m = DMat3::from_mat4(world);
    let sign = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis];
    DMat3::from_cols(y.cross(z) * sign, z.cross(x) * sign, x.cross(y) * sign)
}

fn triangles(
    mode: u32,
    corners: &[u32],
    place: &dyn Fn() -> Place,
) -> Result<Vec<[u32; 3]>, Fault> {
    match mode {
        4 => {
            let (triangles, rest) = corners.as_chunks::<3>();
            let found = format!("{} corners", corners.len());
            let wrong = || Fault::expected(place(), "three corners for each triangle", &found);
            rest.is_empty().then(|| triangles.to_vec()).ok_or_else(wrong)
        }
        5 => Ok(super::cells::strip(corners).collect()),
        6 => Ok(match corners {
            [] => Vec::new(),
            [middle, rest @ ..] => rest.windows(2).map(|w| [*middle, w[0], w[1]]).collect(),
        }),
        other => Err(Fault::expected(place(), "a mode from 0 to 6", &other.to_string())),
    }
}

/// An index into a list of the file that is past its end.
fn missing(what: &str, index: usize, count: usize) -> Fault {
    let expected = match count {
        0 => format!("no {what}, for there are none"),
        _ => format!("{what} 0 to {}", count - 1),
    };
    Fault::expected(Place::Whole, &expected, &index.to_string())
}

fn refused(place: Place, cause: Cause) -> Fault {
    Fault { place, cause }
}

#[cfg(test)]
mod tests;
