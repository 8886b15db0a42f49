//! Cutting: a blade passes through bodies, between two steps.
//!
//! What is seen is split exactly along the blade; what is computed underneath is copied, so that no
//! element becomes small (`cut::sever`). Constraints, regions, pins, forces and skins follow, and
//! pieces that come loose become bodies of their own.
//!
//! ```
//! use pliant::{World, cut::Blade, glam::Vec3, shapes::Cloth};
//!
//! let mut world = World::default();
//! let cloth = world.add(&Cloth::default().blueprint()?)?;
//! let cut = world.cut(&Blade::plane(Vec3::new(0.1, 0.0, 0.0), Vec3::X)?)?;
//! assert_eq!((cut.bodies, cut.changes.bodies.len()), (vec![cloth], 1));
//! # Ok::<(), pliant::WorldError>(())
//! ```

use glam::DVec3;

use crate::body::{Body, BodyId};
use crate::constraint::{Kind, dilation, distance, link_bend, neo_hookean, shear, stretch, volume};
use crate::edit::Changes;
use crate::error::WorldError;
use crate::mesh::{is_closed, sides};
use crate::region::{cones, matched};
use crate::world::World;

mod around;
pub mod blade;
mod caps;
mod carry;
mod follow;
mod links;
mod opened;
mod outline;
mod parts;
mod refined;
mod sever;
mod sheet;
mod solid;
mod tets;

pub use blade::Blade;

use carry::Torn;
use links::TornLinks;
use parts::Met;
use sheet::Sheet;

/// What a cut has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut {
    /// Bodies that were cut. The largest piece of each is still that body.
    pub bodies: Vec<BodyId>,
    /// Bodies that the blade meets but that cannot be cut: sheets in skins that are not made of their
    /// own triangles.
    pub uncut: Vec<BodyId>,
    /// New names of particles and constraints, and the pieces that came loose.
    pub changes: Changes,
}

/// What a body is made of, for a blade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matter {
    /// Triangles, such as cloth.
    Sheet,
    /// Tetrahedra.
    Tets,
    /// Links or matched particles: ropes and solids.
    Links,
}

impl World {
    /// Cuts every body that the blade passes through.
    ///
    /// Sheets open along the blade, exactly in what is seen, as far as it passes through whole visible
    /// triangles. Solids open in the same way, and are closed by triangles that lie on the blade.
    /// Tetrahedra that it parts are copied; where there are none, the links go that it crosses, and
    /// shape-matched particles fall apart into what hangs together. Mass, area and volume stay the
    /// same; stiffness is shared by the pieces. A blade that meets nothing changes nothing.
    ///
    /// # Errors
    /// If there would be too many particles; nothing changes then.
    pub fn cut(&mut self, blade: &Blade) -> Result<Cut, WorldError> {
        self.cut_bodies(blade, |_| true)
    }

    /// The same, but only of the bodies that are `wanted`.
    pub(crate) fn cut_bodies(
        &mut self,
        blade: &Blade,
        wanted: impl Fn(BodyId) -> bool,
    ) -> Result<Cut, WorldError> {
        let (mut edit, mut met, mut cut) = (self.edit(), Met::default(), Cut::default());
        let mut linked = Vec::new();
        let near = |(id, body): &(BodyId, &Body)| wanted(*id) && self.is_near(body, blade);
        for (id, body) in self.bodies().filter(near) {
            let torn: Option<Box<dyn Torn>> = match self.matter(body) {
                Matter::Links => {
                    linked.push(id);
                    None
                }
                Matter::Tets => solid::cut_tets(self, id, blade, &mut edit)?,
                Matter::Sheet => match Sheet::of(self, id, body) {
                    None => {
                        cut.uncut.push(id);
                        None
                    }
                    Some(mut sheet) => {
                        sheet.split_along(blade);
                        let torn = sever::sever(sheet, body, &mut edit)?;
                        torn.map(|torn| Box::new(torn) as Box<dyn Torn>)
                    }
                },
            };
            if let Some(torn) = torn {
                met.torn.insert(id.index, torn);
                met.bodies.push(id);
            }
        }
        solid::cut_links(self, &linked, blade, (&mut edit, &mut met))?;
        if met.bodies.is_empty() {
            return Ok(cut);
        }
        parts::settle(self, &mut edit, &met)?;
        cut.bodies = met.bodies;
        cut.changes = self.apply_own(edit)?;
        Ok(cut)
    }

    /// Opens a sheet along edges of its triangles, given as particles. Nothing happens if the body is
    /// no sheet, or still hangs together around every end.
    pub(crate) fn sever(
        &mut self,
        id: BodyId,
        edges: &[[u32; 2]],
    ) -> Result<Option<Changes>, WorldError> {
        let (mut edit, mut met) = (self.edit(), Met::default());
        let body = self.body(id)?;
        if self.matter(body) != Matter::Sheet {
            return Ok(None);
        }
        let Some(mut sheet) = Sheet::of(self, id, body) else { return Ok(None) };
        sheet.sever_between(edges);
        let Some(torn) = sever::sever(sheet, body, &mut edit)? else { return Ok(None) };
        met.torn.insert(id.index, Box::new(torn));
        met.bodies.push(id);
        parts::settle(self, &mut edit, &met)?;
        self.apply_own(edit).map(Some)
    }

    /// Takes a link out, what reaches over it too, and divides the body if that parts it.
    pub(crate) fn take_link(&mut self, id: BodyId, number: usize) -> Result<(), WorldError> {
        let Some(links) = self.constraints_of(&distance::KIND) else { return Ok(()) };
        let ends = links.particles(number);
        let mut edit = self.edit();
        for set in &self.sets {
            let over = |number: &usize| {
                let pairs = set.particles(*number).windows(2);
                pairs
                    .into_iter()
                    .any(|pair| pair == ends || (pair[0], pair[1]) == (ends[1], ends[0]))
            };
            let same = |other: usize| set.kind().is(&distance::KIND) && other == number;
            let chained = set.kind().is(&link_bend::KIND);
            for other in (0..set.len()).filter(|n| same(*n) || chained && over(n)) {
                edit.take(set.kind().name, other as u32)?;
            }
        }
        let (mut met, body) = (Met { bodies: vec![id], ..Met::default() }, self.body(id)?);
        if self.matter(body) == Matter::Links {
            // What hangs together by its surface alone would never come apart.
            let torn = TornLinks::without(self, body, [ends[0], ends[1]]);
            edit.set_triangles(id, torn.triangles.clone());
            met.torn.insert(id.index, Box::new(torn));
        }
        parts::settle(self, &mut edit, &met)?;
        self.apply_own(edit)?;
        Ok(())
    }

    fn is_near(&self, body: &Body, blade: &Blade) -> bool {
        let x = || self.particles.xw[body.range()].iter().map(|row| row.truncate().as_dvec3());
        let low = x().fold(DVec3::INFINITY, DVec3::min);
        let high = x().fold(DVec3::NEG_INFINITY, DVec3::max);
        let finite = low.is_finite() && high.is_finite();
        finite && blade.facets.iter().any(|facet| facet.is_near(low, high, 0.0))
    }

    /// Whether a body is a solid of which a surface is seen.
    pub(crate) fn is_visible_solid(&self, id: BodyId) -> Result<bool, WorldError> {
        let body = self.body(id)?;
        let seen = body.skin.is_some() || !body.triangles.is_empty();
        Ok(seen && self.is_solid(body))
    }

    /// Whether a body is more than a sheet.
    pub(crate) fn is_solid(&self, body: &Body) -> bool {
        self.matter(body) != Matter::Sheet
    }

    /// The tetrahedra of a body, each once.
    pub(crate) fn tetrahedra(&self, id: BodyId) -> Result<Vec<[u32; 4]>, WorldError> {
        Ok(tets::tetrahedra(self, self.body(id)?))
    }

    /// Whether a body is a solid that hangs together by links alone.
    pub(crate) fn is_lattice(&self, id: BodyId) -> bool {
        let solid = self.is_visible_solid(id).unwrap_or(false);
        solid && self.body(id).is_ok_and(|body| self.matter(body) == Matter::Links)
    }

    fn matter(&self, body: &Body) -> Matter {
        let range = body.triangles.start as usize..body.triangles.end as usize;
        let triangles = &self.triangles[range];
        let ours = |i: &u32| body.particles.contains(i);
        let of_ours = |kind: &&Kind| {
            let set = self.constraints_of(kind);
            set.is_some_and(|set| (0..set.len()).any(|n| set.particles(n).iter().any(ours)))
        };
        if TETRAHEDRA.iter().any(of_ours) {
            return Matter::Tets;
        }
        let gathered = [&matched::KIND, &cones::KIND].into_iter().any(|kind| {
            let set = self.regions_of(kind);
            set.is_some_and(|set| (0..set.len()).any(|n| set.members(n).iter().any(ours)))
        });
        if gathered {
            return Matter::Links;
        }
        if triangles.is_empty() {
            return Matter::Links;
        }
        let mut on_surface = vec![false; body.range().len()];
        for &corner in triangles.as_flattened() {
            on_surface[(corner - body.particles.start) as usize] = true;
        }
        let thin = on_surface.iter().all(|&on| on)
            && (!is_closed(triangles, &body.particles) || self.links_lie_on(triangles, body));
        if thin { Matter::Sheet } else { Matter::Links }
    }

    /// Whether every link within a body is a side of its triangles.
    fn links_lie_on(&self, triangles: &[[u32; 3]], body: &Body) -> bool {
        let Some(links) = self.constraints_of(&distance::KIND) else { return true };
        let sides = sides(triangles);
        (0..links.len()).map(|number| links.particles(number)).all(|ids| {
            let inside = ids.iter().all(|i| body.particles.contains(i));
            !inside || sides.binary_search(&[ids[0].min(ids[1]), ids[0].max(ids[1])]).is_ok()
        })
    }
}

/// Kinds whose particles are corners of a tetrahedron.
const TETRAHEDRA: &[&Kind] =
    &[&neo_hookean::KIND, &stretch::TET_KIND, &shear::TET_KIND, &dilation::TET_KIND, &volume::KIND];
