//! From light to bytes.

use glam::Vec3;

/// The linear colour of a web colour: `srgb(0xff8000)` is orange.
pub fn srgb(hex: u32) -> Vec3 {
    let channel = |shift: u32| linear_from_srgb((hex >> shift & 0xff) as f32 / 255.0);
    Vec3::new(channel(16), channel(8), channel(0))
}

fn linear_from_srgb(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { libm::powf((value + 0.055) / 1.055, 2.4) }
}

/// The bytes of a linear colour.
pub fn encode_srgb(color: Vec3) -> [u8; 3] {
    color.to_array().map(|value| (srgb_from_linear(value.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8)
}

fn srgb_from_linear(value: f32) -> f32 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * libm::powf(value, 1.0 / 2.4) - 0.055 }
}

/// Compresses light of any brightness into 0 to 1, and leaves base colours as they are.
///
/// Only what is brighter than 0.76 is bent, and pales as it grows brighter.
/// This is the PBR Neutral tone mapper of the Khronos group.
pub(super) fn tone_map(light: Vec3) -> Vec3 {
    const START: f32 = 0.8 - 0.04;
    const DESATURATION: f32 = 0.15;
    let light = light.max(Vec3::ZERO);
    let x = light.min_element();
    let offset = if x < 0.08 { x - 6.25 * x * x } else { 0.04 };
    let color = light - offset;
    let peak = color.max_element();
    if peak < START {
        return color;
    }
    let d = 1.0 - START;
    let new_peak = 1.0 - d * d / (peak + d - START);
    let pale = 1.0 - 1.0 / (DESATURATION * (peak - new_peak) + 1.0);
    (color * (new_peak / peak)).lerp(Vec3::splat(new_peak), pale)
}

/// Linear light 0 to 1 → sRGB bytes, by table: a power per channel would cost as much as a shadow.
pub(super) struct Encoder {
    table: Vec<u8>,
}

/// Steps of the table. With 16,384 no byte of the sRGB scale is skipped, even near black.
const STEPS: usize = 16_384;

impl Encoder {
    pub(super) fn new() -> Self {
        // 255 powers and a fill, instead of 16,384 powers.
        let mut table = Vec::with_capacity(STEPS + 1);
        for byte in 0..255_u32 {
            let upper = linear_from_srgb((byte as f32 + 0.5) / 255.0);
            let end = (upper * STEPS as f32 + 0.5) as usize;
            table.resize(end.min(STEPS + 1), byte as u8);
        }
        table.resize(STEPS + 1, 255);
        Self { table }
    }

    pub(super) fn bytes(&self, color: Vec3) -> [u8; 3] {
        color.to_array().map(|value| {
            // A cast of NaN gives 0.
            let step = (value.clamp(0.0, 1.0) * STEPS as f32 + 0.5) as usize;
            self.table.get(step).copied().unwrap_or(255)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_formula() {
        let encoder = Encoder::new();
        for step in 0..=1000 {
            let value = step as f32 / 1000.0;
            let exact = srgb_from_linear(value) * 255.0;
            let byte = f32::from(encoder.bytes(Vec3::splat(value))[0]);
            assert!((byte - exact).abs() < 0.6, "{value} encodes as {byte}, exactly {exact}");
        }
    }

    #[test]
    fn web_colours_survive_the_round_trip() {
        let encoder = Encoder::new();
        for byte in 0..=255_u32 {
            let hex = byte << 16 | (255 - byte) << 8 | 7;
            let [r, g, b] = encoder.bytes(srgb(hex)).map(u32::from);
            assert_eq!(r << 16 | g << 8 | b, hex, "colour {hex:06x} changed");
        }
    }

    #[test]
    fn tone_mapping_is_monotone_and_stays_below_one() {
        let mut last = -1.0;
        for step in 0..2000 {
            let value = tone_map(Vec3::splat(step as f32 * 0.01)).x;
            assert!(value > last && value <= 1.0, "step {step}: {value} after {last}");
            last = value;
        }
        assert_eq!(tone_map(Vec3::splat(-1.0)), Vec3::ZERO);
    }
}
