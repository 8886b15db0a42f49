//! What touches colliders with more than a particle: triangles and rigid bodies.

use std::ops::Range;
use std::sync::Arc;

use pliant::World;
use pliant::mirror;
use pliant::step::contacts::buffers::{FACE_BYTES, FaceRows, RigidRows};

use crate::column::{Column, Others, Pushed};
use crate::device::Gpu;
use crate::error::GpuError;
use crate::parts::Space;
use crate::program::Access::{Read, Write};
use crate::program::Program;

/// Triangles that are kept off colliders between their particles, and bodies that are moved as a whole.
#[derive(Debug)]
pub(crate) struct TouchColumns {
    /// The corners of triangles, colour after colour.
    pub(crate) corners: Column<u32>,
    /// The triangles of each colour.
    pub(crate) colors: Vec<Range<u32>>,
    /// What each triangle touches in each iteration.
    pub(crate) faces: Space,
    pub(crate) rigids: Column<u32>,
    /// How many bodies are moved as a whole.
    pub(crate) bodies: u32,
    /// Their shaders, where there is something to do.
    pub(crate) face_program: Option<Arc<Program>>,
    pub(crate) rigid_program: Option<Arc<Program>>,
}

impl TouchColumns {
    pub(crate) fn new(gpu: &Gpu, world: &World) -> Result<Self, GpuError> {
        let mut columns = Self {
            corners: Column::new(gpu, "corners of triangles", Vec::new())?,
            colors: Vec::new(),
            faces: Space::new(gpu, "touches of triangles", 0)?,
            rigids: Column::new(gpu, "rigid bodies", Vec::new())?,
            bodies: 0,
            face_program: None,
            rigid_program: None,
        };
        columns.push(gpu, world)?;
        Ok(columns)
    }

    /// How many triangles there are.
    pub(crate) fn count(&self) -> u32 {
        self.colors.last().map_or(0, |last| last.end)
    }

    /// Brings what has changed to the GPU.
    pub(crate) fn push(&mut self, gpu: &Gpu, world: &World) -> Result<Pushed, GpuError> {
        let rows = world.face_rows();
        let RigidRows { words, bodies } = world.rigid_rows(&rows);
        let FaceRows { corners, colors } = rows;
        if !corners.is_empty() && self.face_program.is_none() {
            let access = [Write, Write, Write, Read, Read, Write, Write, Read];
            let entries = ["face_find", "face_push", "face_respond"];
            let program = gpu.program("triangles", mirror::face_wgsl(), &entries, &access)?;
            self.face_program = Some(program);
        }
        if bodies > 0 && self.rigid_program.is_none() {
            let access = [Write, Write, Write, Write, Read, Write, Write, Read];
            let entries = ["rigid_project", "rigid_update"];
            let program = gpu.program("rigid bodies", mirror::rigid_wgsl(), &entries, &access)?;
            self.rigid_program = Some(program);
        }
        let same = colors == self.colors && bodies == self.bodies;
        (self.colors, self.bodies) = (colors, bodies);
        let rows = self.count() as usize * world.config.iterations as usize;
        let changes = [
            if same { Pushed::Kept } else { Pushed::Replaced },
            self.corners.push(gpu, corners, Others::None)?,
            self.faces.fit(gpu, FACE_BYTES * rows)?,
            self.rigids.push(gpu, words, Others::None)?,
        ];
        Ok(changes.into_iter().fold(Pushed::Kept, Pushed::and))
    }
}
