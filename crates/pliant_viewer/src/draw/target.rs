//! What is drawn into: samples, depths, and the picture that they become.

use eframe::wgpu;

use super::{DEPTH, FORMAT, SAMPLES};

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Columns (pixels), at least 1.
    pub width: u32,
    /// Rows (pixels), at least 1.
    pub height: u32,
    /// Pixels for each point of the window.
    pub pixels_per_point: f32,
}

impl Size {
    /// Width over height.
    pub fn aspect(&self) -> f32 {
        self.width as f32 / self.height as f32
    }
}

/// Textures of one size.
pub(super) struct Target {
    pub(super) size: Size,
    pub(super) picture: wgpu::Texture,
    picture_view: wgpu::TextureView,
    samples: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl Target {
    pub(super) fn new(device: &wgpu::Device, size: Size) -> Self {
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let seen = drawn | wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let picture = texture(device, size, (FORMAT, 1), seen);
        Self {
            size,
            picture_view: view(&picture),
            picture,
            samples: view(&texture(device, size, (FORMAT, SAMPLES), drawn)),
            depth: view(&texture(device, size, (DEPTH, SAMPLES), drawn)),
        }
    }

    /// Begins to draw.
    pub(super) fn begin<'a>(
        &'a self,
        encoder: &'a mut wgpu::CommandEncoder,
    ) -> wgpu::RenderPass<'a> {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.samples,
                depth_slice: None,
                resolve_target: Some(&self.picture_view),
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::WHITE),
                    store: wgpu::StoreOp::Discard,
                },
            })],
            depth_stencil_attachment: Some(depth(&self.depth, 0.0)),
            ..Default::default()
        })
    }
}

/// Depths that begin at `clear`.
pub(super) fn depth(
    view: &wgpu::TextureView,
    clear: f32,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(clear),
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    }
}

pub(super) fn texture(
    device: &wgpu::Device,
    size: Size,
    (format, samples): (wgpu::TextureFormat, u32),
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: size.width, height: size.height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}
