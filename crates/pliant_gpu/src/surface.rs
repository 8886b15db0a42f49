//! What is seen of a world, in the memory of the GPU: vertices, normals and triangles to draw.

use std::ops::Range;
use std::sync::Arc;

use pliant::glam::{Vec3, Vec4};
use pliant::mirror::{SurfaceParams, SurfaceRows};
use pliant::step::Stage;
use pliant::{BodyId, World, skin};

use crate::column::{Column, space};
use crate::error::GpuError;
use crate::program::Access::{Read, Write};
use crate::program::Program;
use crate::read::download;
use crate::recording::{Recorder, Section, Work};
use crate::world::GpuWorld;

/// The surfaces of all bodies: their skins, or their own triangles. Made for the bodies that a world
/// has; make another when some were added or removed.
#[derive(Debug)]
pub struct Surface {
    program: Arc<Program>,
    params: SurfaceParams,
    bindings: Column<[u32; 8]>,
    tables: Column<u32>,
    indices: Column<u32>,
    positions: wgpu::Buffer,
    normals: wgpu::Buffer,
    bodies: Vec<(BodyId, Range<u32>)>,
}

impl Surface {
    /// The surfaces of `world`, which was pushed to `there`.
    ///
    /// # Errors
    /// If they are too large for the GPU.
    pub fn new(there: &GpuWorld, world: &World) -> Result<Self, GpuError> {
        let gpu = there.gpu();
        let SurfaceRows { bindings, tables, triangles, bodies, params } = world.surface_rows();
        let bytes = size_of::<Vec4>() * bindings.len();
        let access = [Read, Read, Read, Write, Write];
        Ok(Self {
            program: gpu.program("surfaces", skin::WGSL.into(), &["place", "face"], &access)?,
            params,
            positions: space(gpu, "vertices", bytes)?,
            normals: space(gpu, "normals", bytes)?,
            bindings: Column::new(gpu, "bindings of vertices", bindings)?,
            tables: Column::new(gpu, "tables of surfaces", tables)?,
            indices: Column::new(gpu, "triangles", triangles)?,
            bodies,
        })
    }

    /// Brings vertices and normals to where the particles are after the last step.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn update(&self, there: &GpuWorld) -> Result<(), GpuError> {
        let gpu = there.gpu();
        let mut to = Recorder::new(gpu);
        let xw = there.particles.xw.buffer();
        let (bindings, tables) = (self.bindings.buffer(), self.tables.buffer());
        let all = [xw, bindings, tables, &self.positions, &self.normals];
        let bound = to.bind(&self.program, &all);
        to.section(Section::Finish);
        for entry in ["place", "face"] {
            let work = Work::Lanes(0..self.bindings.len() as u32);
            to.dispatch(Stage::Finish, bound.at(entry), work, &self.params);
        }
        let recording = to.finish(&there.contacts.sizes);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        recording.play(Section::Finish, &mut encoder.begin_compute_pass(&Default::default()));
        gpu.queue.submit([encoder.finish()]);
        gpu.check()
    }

    /// The positions of all vertices, four numbers each, the last of which is 1.
    pub fn positions(&self) -> &wgpu::Buffer {
        &self.positions
    }

    /// Their normals, four numbers each, the last of which is 0.
    pub fn normals(&self) -> &wgpu::Buffer {
        &self.normals
    }

    /// The corners of all triangles, as vertices.
    pub fn indices(&self) -> &wgpu::Buffer {
        self.indices.buffer()
    }

    /// Which of the corners are whose.
    pub fn bodies(&self) -> &[(BodyId, Range<u32>)] {
        &self.bodies
    }

    /// The positions (m) and normals of all vertices. Waits for the GPU.
    ///
    /// # Errors
    /// If the device is lost.
    pub fn read(&self, there: &GpuWorld) -> Result<[Vec<Vec3>; 2], GpuError> {
        let vectors = |buffer| -> Result<Vec<Vec3>, GpuError> {
            let rows: Vec<Vec4> = download(there.gpu(), buffer, self.bindings.len())?;
            Ok(rows.into_iter().map(Vec4::truncate).collect())
        };
        Ok([vectors(&self.positions)?, vectors(&self.normals)?])
    }
}
