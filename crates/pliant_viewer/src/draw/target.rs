//! What is drawn into: samples, depths, and the picture that they become.

use eframe::wgpu;

use super::{DEPTH, FORMAT};

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
    /// Several samples of each pixel, if there are.
    samples: Option<wgpu::TextureView>,
    depth: wgpu::TextureView,
}

impl Target {
    pub(super) fn new(device: &wgpu::Device, size: Size, samples: u32) -> Self {
        let drawn = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let seen = drawn | wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC;
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let picture = texture(device, size, (FORMAT, 1), seen);
        Self {
            size,
            picture_view: view(&picture),
            picture,
            samples: (samples > 1).then(|| view(&texture(device, size, (FORMAT, samples), drawn))),
            depth: view(&texture(device, size, (DEPTH, samples), drawn)),
        }
    }

    /// Begins to draw.
    pub(super) fn begin<'a>(
        &'a self,
        encoder: &'a mut wgpu::CommandEncoder,
    ) -> wgpu::RenderPass<'a> {
        // Samples become the picture at the end, and are of no use then.
        let (view, resolve_target, store) = match &self.samples {
            Some(samples) => (samples, Some(&self.picture_view), wgpu::StoreOp::Discard),
            None => (&self.picture_view, None, wgpu::StoreOp::Store),
        };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::WHITE), store },
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
