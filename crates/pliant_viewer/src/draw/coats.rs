//! What surfaces wear, as textures of the GPU.

use std::sync::Arc;

use eframe::wgpu;
use eframe::wgpu::util::DeviceExt;
use pliant::raster::Image;

use super::pipelines::entry;
use crate::costume::Coat;

/// The coats of the last drawing.
pub(super) struct Coats {
    pub(super) layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    made: Vec<(Arc<Coat>, wgpu::BindGroup)>,
}

impl Coats {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("coats"),
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            anisotropy_clamp: 8,
            ..Default::default()
        });
        Self { layout: layout(device), sampler, made: Vec::new() }
    }

    /// Makes what is worn from now on, and forgets what is not.
    pub(super) fn keep<'a>(
        &mut self,
        (device, queue): (&wgpu::Device, &wgpu::Queue),
        worn: impl Iterator<Item = &'a Arc<Coat>> + Clone,
    ) {
        self.made.retain(|(known, _)| worn.clone().any(|coat| Arc::ptr_eq(coat, known)));
        for coat in worn {
            if self.of(coat).is_none() {
                let group = self.make((device, queue), coat);
                self.made.push((Arc::clone(coat), group));
            }
        }
    }

    pub(super) fn of(&self, coat: &Arc<Coat>) -> Option<&wgpu::BindGroup> {
        self.made.iter().find(|(known, _)| Arc::ptr_eq(known, coat)).map(|(_, group)| group)
    }

    fn make(&self, place: (&wgpu::Device, &wgpu::Queue), coat: &Coat) -> wgpu::BindGroup {
        let one = |rgb| Image { width: 1, height: 1, rgb: vec![rgb] };
        let color = coat.color.clone().unwrap_or_else(|| one([255; 3]));
        let normals = coat.normals.clone().unwrap_or_else(|| one([128, 128, 255]));
        let color = texture(place, color, wgpu::TextureFormat::Rgba8UnormSrgb);
        let normals = texture(place, normals, wgpu::TextureFormat::Rgba8Unorm);
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        place.0.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("coat"),
            layout: &self.layout,
            entries: &[
                entry(0, wgpu::BindingResource::TextureView(&view(&color))),
                entry(1, wgpu::BindingResource::TextureView(&view(&normals))),
                entry(2, wgpu::BindingResource::Sampler(&self.sampler)),
            ],
        })
    }
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let texture = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("coat"),
        entries: &[entry(0, texture), entry(1, texture), entry(2, sampler)],
    })
}

/// A picture in all sizes from its own down to one texel, so that from afar it does not shimmer.
fn texture(
    (device, queue): (&wgpu::Device, &wgpu::Queue),
    mut image: Image,
    format: wgpu::TextureFormat,
) -> wgpu::Texture {
    let most = device.limits().max_texture_dimension_2d;
    while image.width.max(image.height) > most {
        image = halved(&image);
    }
    let (width, height) = (image.width, image.height);
    let levels = width.max(height).ilog2() + 1;
    let mut bytes = Vec::new();
    for level in 0..levels {
        if level > 0 {
            image = halved(&image);
        }
        bytes.extend(image.rgb.iter().flat_map(|&[r, g, b]| [r, g, b, 255]));
    }
    let descriptor = wgpu::TextureDescriptor {
        label: Some("coat"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    };
    let order = wgpu::util::TextureDataOrder::MipMajor;
    device.create_texture_with_data(queue, &descriptor, order, &bytes)
}

/// A picture of half the size, rounded down; each texel is the mean of those that it replaces.
fn halved(image: &Image) -> Image {
    let half = |side: u32| (side / 2).max(1);
    let mut small = Image::new(half(image.width), half(image.height));
    let at = |x: u32, y: u32| {
        let (x, y) = (x.min(image.width - 1), y.min(image.height - 1));
        image.rgb[(y * image.width + x) as usize]
    };
    for y in 0..small.height {
        for x in 0..small.width {
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| at(2 * x + i, 2 * y + j));
            let mean = |k: usize| four.iter().map(|rgb| u32::from(rgb[k])).sum::<u32>() / 4;
            let texel = &mut small.rgb[(y * small.width + x) as usize];
            *texel = [0, 1, 2].map(|k| mean(k) as u8);
        }
    }
    small
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_halved_down_to_a_texel_of_its_mean() {
        let mut image = Image::new(5, 2);
        for (k, texel) in image.rgb.iter_mut().enumerate() {
            *texel = [k as u8 % 5 * 10; 3];
        }
        let small = halved(&image);
        assert_eq!((small.width, small.height), (2, 1));
        assert_eq!(small.rgb, [[5; 3], [25; 3]]);
        let least = halved(&halved(&small));
        assert_eq!((least.width, least.height, least.rgb[0]), (1, 1, [15; 3]));
    }
}
