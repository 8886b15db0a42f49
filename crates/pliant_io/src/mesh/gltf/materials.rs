//! How the triangles of a glTF file look.

use super::super::Source;
use super::super::error::{Fault, Place};
use super::super::looks::{Looks, Material, Origin, picture};
use super::buffers::{self, Buffers};
use super::missing;
use super::schema::{self, Root, TextureOf};

/// The materials of a file, called by their numbers.
pub(in super::super) fn looks(source: &Source<'_>) -> Result<Looks, Fault> {
    let (json, binary) = buffers::split(source.bytes)?;
    let root: Root = serde_json::from_slice(json).map_err(|error| schema::fault(&error))?;
    let mut buffers = Buffers::new(&root, binary, source.beside);
    let mut looks = Looks { origin: Origin::Top, ..Looks::default() };
    for (number, material) in root.materials.iter().enumerate() {
        let base = &material.pbr_metallic_roughness;
        let [r, g, b, _] = base.base_color_factor.unwrap_or([1.0; 4]);
        let mut image = |texture: &Option<TextureOf>| {
            let texture = texture.as_ref()?;
            let found = bytes(&root, &mut buffers, texture.index);
            let found = found.map_err(|fault| fault.of(source.name.into()).to_string());
            let decoded =
                found.and_then(|bytes| picture(&bytes, &format!("texture {}", texture.index)));
            decoded.map_err(|why| looks.missing.push(why)).ok()
        };
        let color = image(&base.base_color_texture);
        let normals = image(&material.normal_texture);
        looks.materials.push(Material {
            name: number.to_string(),
            tint: [r, g, b],
            color,
            normals,
        });
    }
    Ok(looks)
}

/// The bytes of the image of a texture.
fn bytes<'a>(root: &'a Root, buffers: &mut Buffers<'a>, index: usize) -> Result<Vec<u8>, Fault> {
    let texture = root.textures.get(index);
    let texture = texture.ok_or_else(|| missing("texture", index, root.textures.len()))?;
    let place = Place::Entry(format!("textures[{index}]"));
    let none = || Fault::expected(place.clone(), "an image as PNG or JPEG", "none");
    let source = texture.source.ok_or_else(none)?;
    let image = root.images.get(source);
    let image = image.ok_or_else(|| missing("image", source, root.images.len()))?;
    let place = Place::Entry(format!("images[{source}]"));
    if let Some(uri) = &image.uri {
        return buffers.uri(uri, &place);
    }
    let Some(index) = image.buffer_view else {
        return Err(Fault::expected(place, "a uri or a bufferView", "neither"));
    };
    let view = root.buffer_views.get(index);
    let view = view.ok_or_else(|| missing("bufferView", index, root.buffer_views.len()))?;
    buffers.range(view.buffer, [view.byte_offset, view.byte_length], <[u8]>::to_vec)
}
