//! What bodies wear: the pictures and normal maps of the files that they were made of.
//!
//! A body is repaired, filled and cut, and knows nothing of texture coordinates. It is dressed by where
//! its triangles were when it was made: there the surface of the file has a picture.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use pliant::glam::{DVec3, Quat, Vec2, Vec3};
use pliant::mesh::TriMesh;
use pliant::mesh::sdf::SignedDistance;
use pliant::raster::Image;
use pliant_io::mesh::{Looks, Material, Origin, Surface};

/// Farthest from a surface that something lies which was made of it, as a part of its size.
const NEAR: f32 = 2e-3;

/// Triangles of a body that are compared with a surface, to find out whose it is.
const SAMPLES: usize = 16;

/// Texture coordinates that differ by less are one: it is less than a texel.
const SAME: f32 = 1.0 / 65_536.0;

/// What a surface is covered with.
#[derive(Clone, Debug, PartialEq)]
pub struct Coat {
    /// Linear colour, by which that of the picture is multiplied.
    pub tint: Vec3,
    /// Its colours.
    pub color: Option<Image>,
    /// Where it points.
    pub normals: Option<Image>,
}

/// A surface of a file with its coats, where a body was made of it.
pub(crate) struct Costume {
    surface: SignedDistance,
    /// For each vertex; (0, 0) is the upper left corner of a picture.
    texture: Vec<Vec2>,
    /// For each triangle, if it has one.
    coats: Vec<Option<Arc<Coat>>>,
}

/// What a body wears.
#[derive(Clone, Debug)]
pub struct Worn {
    /// Vertices of its surface, and their texture coordinates; several for one at seams.
    pub vertices: Vec<(u32, Vec2)>,
    /// Three of these for each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Which triangles have which coat.
    pub coats: Vec<(Range<usize>, Arc<Coat>)>,
    /// Triangles of the surface that have none.
    pub bare: Vec<[u32; 3]>,
}

impl Costume {
    /// The costume that a file gives a body, in each of these places; none if it has no pictures.
    pub(crate) fn of(surface: &Surface, looks: Looks, poses: &[(Quat, Vec3)]) -> Vec<Self> {
        let flip = looks.origin == Origin::Bottom;
        let turned = |uv: &Vec2| if flip { Vec2::new(uv.x, 1.0 - uv.y) } else { *uv };
        let texture: Vec<Vec2> = surface.texture.iter().map(turned).collect();
        let names: Vec<String> = looks.materials.iter().map(|m| m.name.clone()).collect();
        let made: Vec<_> = looks.materials.into_iter().map(coat).collect();
        let of_name = |name: &String| {
            names.iter().position(|known| known == name).and_then(|index| made[index].clone())
        };
        let mut coats = vec![None; surface.mesh.triangles.len()];
        for (k, run) in surface.runs.iter().enumerate() {
            let end = surface.runs.get(k + 1).map_or(coats.len(), |next| next.first as usize);
            if let Some(part) = coats.get_mut(run.first as usize..end) {
                part.fill(of_name(&run.material));
            }
        }
        if texture.len() != surface.mesh.positions.len() || coats.iter().all(Option::is_none) {
            return Vec::new();
        }
        let placed = poses.iter().filter_map(|(turn, moved)| {
            let mut mesh = surface.mesh.clone();
            mesh.positions.iter_mut().for_each(|x| *x = *turn * *x + *moved);
            let (texture, coats) = (texture.clone(), coats.clone());
            Some(Self { surface: SignedDistance::new(mesh).ok()?, texture, coats })
        });
        placed.collect()
    }

    /// Whether something that is there was made of it.
    fn fits(&self, middles: &[Vec3]) -> bool {
        let most = NEAR * self.surface.bounds().size().max_element();
        let step = middles.len().div_ceil(SAMPLES).max(1);
        let mut samples = middles.iter().step_by(step);
        samples.all(|x| self.surface.unsigned(*x).distance <= most)
    }

    /// What is at the corners of a triangle: its coat, and where on it they are. Parts of a triangle of
    /// the file continue what it has.
    fn at(&self, corners: [Vec3; 3]) -> Option<([Vec2; 3], &Arc<Coat>)> {
        let middle = corners.iter().sum::<Vec3>() / 3.0;
        let triangle = self.surface.unsigned(middle).triangle as usize;
        let coat = self.coats.get(triangle)?.as_ref()?;
        let own = self.surface.surface().triangles[triangle].map(|corner| corner as usize);
        let places = own.map(|corner| self.surface.surface().positions[corner].as_dvec3());
        let uv = own.map(|corner| self.texture[corner]);
        let at = corners.map(|x| {
            let shares = barycentric(places, x.as_dvec3());
            (0..3).map(|k| uv[k] * shares[k] as f32).sum()
        });
        Some((at, coat))
    }
}

/// The coat of a material, if it has pictures.
fn coat(material: Material) -> Option<Arc<Coat>> {
    let Material { tint, color, normals, .. } = material;
    let has = color.is_some() || normals.is_some();
    has.then(|| Arc::new(Coat { tint: tint.into(), color, normals }))
}

/// Shares of the corners in a point of a triangle's plane; also beyond its edges. Ericson 2005, §3.4.
fn barycentric([a, b, c]: [DVec3; 3], x: DVec3) -> [f64; 3] {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let (d00, d01, d11) = (ab.dot(ab), ab.dot(ac), ac.dot(ac));
    let (d20, d21) = (ax.dot(ab), ax.dot(ac));
    let area = d00 * d11 - d01 * d01;
    if area <= f64::MIN_POSITIVE {
        return [1.0, 0.0, 0.0];
    }
    let (v, w) = ((d11 * d20 - d01 * d21) / area, (d00 * d21 - d01 * d20) / area);
    [1.0 - v - w, v, w]
}

/// What a body wears of which `triangles` of a surface are the outside, when it was made; `None` if it
/// is made of nothing that is in the wardrobe.
pub(crate) fn dress(wardrobe: &[Costume], rest: &TriMesh, triangles: &[[u32; 3]]) -> Option<Worn> {
    let corners = |triangle: &[u32; 3]| triangle.map(|k| rest.positions[k as usize]);
    let middle = |triangle: &[u32; 3]| corners(triangle).iter().sum::<Vec3>() / 3.0;
    let middles: Vec<Vec3> = match wardrobe.is_empty() {
        true => return None,
        false => triangles.iter().map(middle).collect(),
    };
    let costume = wardrobe.iter().find(|costume| costume.fits(&middles))?;
    let mut worn =
        Worn { vertices: Vec::new(), triangles: Vec::new(), coats: Vec::new(), bare: Vec::new() };
    let mut dressed = Vec::new();
    let mut coats: Vec<&Arc<Coat>> = Vec::new();
    for triangle in triangles {
        let Some((at, coat)) = costume.at(corners(triangle)) else {
            worn.bare.push(*triangle);
            continue;
        };
        let known = coats.iter().position(|known| Arc::ptr_eq(known, coat));
        let number = known.unwrap_or(coats.len());
        if known.is_none() {
            coats.push(coat);
        }
        dressed.push((number, *triangle, at));
    }
    dressed.sort_by_key(|(number, ..)| *number);
    let mut vertices = BTreeMap::new();
    for (number, triangle, at) in dressed {
        let count = worn.triangles.len();
        if worn.coats.len() <= number {
            worn.coats.push((count..count, Arc::clone(coats[number])));
        }
        worn.coats[number].0.end = count + 1;
        let corner = |k: usize| {
            let same = (at[k] / SAME).round().as_ivec2().to_array();
            *vertices.entry((triangle[k], same)).or_insert_with(|| {
                worn.vertices.push((triangle[k], at[k]));
                worn.vertices.len() as u32 - 1
            })
        };
        let own = [0, 1, 2].map(corner);
        worn.triangles.push(own);
    }
    Some(worn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_of_a_triangle_has_its_shares_also_beyond_it() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
        for shares in [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [-1.0, 1.5, 0.5]] {
            let x = corners[1] * shares[1] + corners[2] * shares[2] + DVec3::Z;
            let found = barycentric(corners, x);
            assert!((0..3).all(|k| (found[k] - shares[k]).abs() < 1e-12), "{found:?}");
        }
        assert_eq!(barycentric([DVec3::ONE; 3], DVec3::X), [1.0, 0.0, 0.0]);
    }
}
