//! A step as a list of dispatches, made once and played again in every substep.

use std::collections::BTreeMap;
use std::ops::Range;

use bytemuck::Pod;
use pliant::contact::buffers::Over;
use pliant::step::Stage;

use crate::device::Gpu;
use crate::program::{LANES, Program};

/// The parts of a step that are played apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// What was disturbed wakes up.
    Wake,
    /// Everything does.
    WakeAll,
    /// Contact between bodies begins to count.
    Open,
    /// A substep begins.
    Predict,
    /// The same, with rows that go to the other half of their memory.
    PredictAway,
    /// Its iterations, and what limits their result.
    Solve,
    /// The same, and it ends: in the dispatches of tiles.
    SolveAndCorrect,
    /// The same, and the next begins.
    SolveAndPredict,
    /// All substeps, but for how the first begins: in one dispatch of tiles.
    SolveAll,
    /// The same two where rows begin in the other half.
    SolveAwayAndCorrect,
    SolveAwayAndPredict,
    /// It ends, but for what contact makes of velocities.
    Correct,
    /// It ends.
    SlowDown,
    /// It ends, and the next begins: as the two one after the other, where bodies touch.
    SlowDownAndPredict,
    /// It ends, and the next begins, where none touch.
    CorrectAndPredict,
    Finish,
    /// Multipliers come to where they are read: not a part of every step.
    Bring,
}

impl Section {
    /// Whether a substep begins with it, and not with the end of another.
    pub(crate) fn predicts(self) -> bool {
        matches!(self, Self::Predict | Self::PredictAway)
    }

    /// The same for a substep that begins in the other half of rows.
    pub(crate) fn away(self) -> Self {
        match self {
            Self::Predict => Self::PredictAway,
            Self::SolveAndCorrect => Self::SolveAwayAndCorrect,
            Self::SolveAndPredict => Self::SolveAwayAndPredict,
            section => section,
        }
    }
}

/// How many there are.
const SECTIONS: usize = 17;

/// A step as a list of dispatches.
#[derive(Debug)]
pub(crate) struct Recording {
    sections: [Vec<Call>; SECTIONS],
    groups: Vec<wgpu::BindGroup>,
    params: wgpu::BindGroup,
    /// Where the GPU leaves the sizes of dispatches.
    sizes: wgpu::Buffer,
}

#[derive(Clone, Debug)]
struct Call {
    stage: Stage,
    entry: String,
    pipeline: wgpu::ComputePipeline,
    group: usize,
    /// Where its parameters are.
    offset: u32,
    size: Size,
}

/// How many workgroups a dispatch has.
#[derive(Clone, Copy, Debug)]
enum Size {
    Known(u32),
    /// As many as the GPU says, from that byte on.
    Found(u64),
}

/// What a dispatch visits.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// A lane for each row.
    Lanes(Range<u32>),
    /// A workgroup for each row.
    Groups(Range<u32>),
    /// What the GPU finds.
    Found(Over),
}

impl Recording {
    /// The stages of a section, each with its dispatches.
    pub(crate) fn stages(&self, section: Section) -> impl Iterator<Item = (Stage, Part<'_>)> {
        let calls = &self.sections[section as usize];
        calls
            .chunk_by(|a, b| a.stage == b.stage)
            .map(|calls| (calls[0].stage, Part { recording: self, calls }))
    }

    /// The dispatches of a section, each with the stage and the entry point that it is of.
    pub(crate) fn dispatches(
        &self,
        section: Section,
    ) -> impl Iterator<Item = (Stage, &str, Part<'_>)> {
        let calls = self.sections[section as usize].chunks(1);
        calls.map(|calls| {
            let Call { stage, entry, .. } = &calls[0];
            (*stage, entry.as_str(), Part { recording: self, calls })
        })
    }

    /// Plays a section.
    pub(crate) fn play(&self, section: Section, pass: &mut wgpu::ComputePass<'_>) {
        Part { recording: self, calls: &self.sections[section as usize] }.play(pass);
    }
}

/// Dispatches of a recording that follow each other.
pub(crate) struct Part<'a> {
    recording: &'a Recording,
    calls: &'a [Call],
}

impl Part<'_> {
    pub(crate) fn play(&self, pass: &mut wgpu::ComputePass<'_>) {
        let (mut pipeline, mut group) = (None, None);
        for call in self.calls {
            if pipeline != Some(&call.pipeline) {
                pass.set_pipeline(&call.pipeline);
                pipeline = Some(&call.pipeline);
            }
            if group != Some(call.group) {
                pass.set_bind_group(0, &self.recording.groups[call.group], &[]);
                group = Some(call.group);
            }
            pass.set_bind_group(1, &self.recording.params, &[call.offset]);
            match call.size {
                Size::Known(workgroups) => pass.dispatch_workgroups(workgroups, 1, 1),
                Size::Found(at) => pass.dispatch_workgroups_indirect(&self.recording.sizes, at),
            }
        }
    }
}

/// Makes a [`Recording`].
pub(crate) struct Recorder<'a> {
    gpu: &'a Gpu,
    section: Section,
    sections: [Vec<Call>; SECTIONS],
    groups: Vec<wgpu::BindGroup>,
    /// The parameters of all dispatches, each at a place that the GPU can begin to read at.
    bytes: Vec<u8>,
    places: BTreeMap<Vec<u8>, u32>,
}

/// The storage buffers that a program works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound<'a> {
    program: &'a Program,
    group: usize,
}

impl<'a> Bound<'a> {
    /// One of the program's entry points.
    pub(crate) fn at(self, entry: &str) -> Target<'a> {
        let pipeline = self.program.pipeline(entry);
        Target { entry: entry.into(), pipeline, group: self.group }
    }
}

/// An entry point, and the buffers that it works on.
#[derive(Clone, Debug)]
pub(crate) struct Target<'a> {
    entry: String,
    pipeline: &'a wgpu::ComputePipeline,
    group: usize,
}

/// Parameters begin at multiples of so many bytes. WebGPU lets no device ask for more.
const STRIDE: usize = 256;
/// The most that a dispatch has (bytes).
const MOST_PARAMS: usize = 2 * STRIDE;

/// Workgroups of a dispatch at most, on every WebGPU.
const MOST_GROUPS: u32 = 65_535;

impl<'a> Recorder<'a> {
    pub(crate) fn new(gpu: &'a Gpu) -> Self {
        Self {
            gpu,
            section: Section::Predict,
            sections: Default::default(),
            groups: Vec::new(),
            bytes: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    /// What follows belongs to this section.
    pub(crate) fn section(&mut self, section: Section) {
        self.section = section;
    }

    pub(crate) fn bind<'p>(
        &mut self,
        program: &'p Program,
        buffers: &[&wgpu::Buffer],
    ) -> Bound<'p> {
        self.groups.push(program.bind(self.gpu, buffers));
        Bound { program, group: self.groups.len() - 1 }
    }

    /// Adds a dispatch, or several if it has more workgroups than one may have. The first two words
    /// of `params` become the first row and the end.
    pub(crate) fn dispatch<P: Pod>(
        &mut self,
        stage: Stage,
        to: Target<'_>,
        work: Work,
        params: &P,
    ) {
        let (rows, lanes) = match work {
            Work::Lanes(rows) => (rows, LANES),
            Work::Groups(rows) => (rows, 1),
            Work::Found(over) => {
                let size = Size::Found(4 * 3 * over as u64);
                let offset = self.place(params, [0; 2]);
                self.call(stage, &to, offset, size);
                return;
            }
        };
        let most = MOST_GROUPS * lanes;
        let mut first = rows.start;
        while first < rows.end {
            let end = rows.end.min(first.saturating_add(most));
            let offset = self.place(params, [first, end]);
            let workgroups = (end - first).div_ceil(lanes);
            self.call(stage, &to, offset, Size::Known(workgroups));
            first = end;
        }
    }

    fn call(&mut self, stage: Stage, to: &Target<'_>, offset: u32, size: Size) {
        let (entry, pipeline, group) = (to.entry.clone(), to.pipeline.clone(), to.group);
        let call = Call { stage, entry, pipeline, group, offset, size };
        self.sections[self.section as usize].push(call);
    }

    /// Where parameters are; those that are the same share a place.
    fn place<P: Pod>(&mut self, params: &P, rows: [u32; 2]) -> u32 {
        let mut bytes = bytemuck::bytes_of(params).to_vec();
        bytes[..8].copy_from_slice(bytemuck::bytes_of(&rows));
        assert!(bytes.len() <= MOST_PARAMS, "{} bytes of parameters", bytes.len());
        *self.places.entry(bytes).or_insert_with_key(|bytes| {
            let place = self.bytes.len();
            self.bytes.extend_from_slice(bytes);
            self.bytes.resize(self.bytes.len().next_multiple_of(STRIDE), 0);
            place as u32
        })
    }

    /// The recording; `sizes` is where the GPU leaves the sizes of dispatches.
    pub(crate) fn finish(mut self, sizes: &wgpu::Buffer) -> Recording {
        // Whoever reads the last may read as many bytes as the longest has.
        self.bytes.resize(self.bytes.len() + MOST_PARAMS, 0);
        let device = &self.gpu.device;
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("parameters"),
            size: self.bytes.len() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.gpu.queue.write_buffer(&buffer, 0, &self.bytes);
        let size = wgpu::BufferSize::new(MOST_PARAMS as u64);
        let resource =
            wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &buffer, offset: 0, size });
        let params = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("parameters"),
            layout: &self.gpu.params_layout(),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
        });
        let (sections, groups, sizes) = (self.sections, self.groups, sizes.clone());
        Recording { sections, groups, params, sizes }
    }
}
