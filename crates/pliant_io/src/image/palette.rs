//! The colours of an animation, and how to mix all others from them.

use pliant::raster::Image;

/// Colours of the palette; one more index is kept for "unchanged".
pub(super) const COLORS: usize = 255;
/// Values per channel of the colours that every palette has, for what appears later on.
const CUBE: [u8; 4] = [0, 85, 170, 255];
/// Colours chosen from the picture.
const CHOSEN: usize = COLORS - CUBE.len() * CUBE.len() * CUBE.len();
/// Colours that mix one colour, in the proportions in which they occur.
const MIX: usize = 16;
/// Bits per channel that tell colours apart when mixes are remembered: a step of 2 in 255 is not seen.
const BITS: u32 = 7;
/// Part of the mixing error that is made up for. With all of it, mixes draw on colours so far
/// apart that the pattern shows.
const STRENGTH: i32 = 75;

/// A fixed palette and a fixed pattern: a pixel that does not change keeps its colour.
pub(super) struct Palette {
    pub(super) colors: Vec<[u8; 3]>,
    /// Number of the mix of each colour plus one; 0 where it is not known yet.
    known: Vec<u32>,
    mixes: Vec<[u8; MIX]>,
}

impl Palette {
    /// The palette that suits `image`.
    pub(super) fn of(image: &Image) -> Self {
        let mut colors = median_cut(&image.rgb, CHOSEN);
        for r in CUBE {
            for g in CUBE {
                colors.extend(CUBE.map(|b| [r, g, b]));
            }
        }
        Self { colors, known: vec![0; 1 << (3 * BITS)], mixes: Vec::new() }
    }

    /// Index of the colour to put at column `x`, row `y` so that `color` is seen from afar.
    ///
    /// Yliluoma 2011, "Arbitrary-palette positional dithering", algorithm 2 (Knoll's).
    pub(super) fn index(&mut self, color: [u8; 3], x: usize, y: usize) -> u8 {
        let [r, g, b] = color.map(|c| usize::from(c >> (8 - BITS)));
        let key = (r << BITS | g) << BITS | b;
        if self.known[key] == 0 {
            self.mixes.push(self.mix(color));
            self.known[key] = self.mixes.len() as u32;
        }
        let mix = &self.mixes[self.known[key] as usize - 1];
        mix[usize::from(BAYER[y % 8][x % 8]) * MIX / 64]
    }

    fn mix(&self, color: [u8; 3]) -> [u8; MIX] {
        let target = color.map(i32::from);
        let mut error = [0_i32; 3];
        let mut mix = [0_u8; MIX];
        for slot in &mut mix {
            let wanted = [0, 1, 2].map(|k| target[k] + error[k] * STRENGTH / 100);
            let nearest = self.nearest(wanted);
            *slot = nearest;
            let got = self.colors[usize::from(nearest)].map(i32::from);
            error = [0, 1, 2].map(|k| error[k] + target[k] - got[k]);
        }
        mix.sort_by_key(|&index| luma(self.colors[usize::from(index)]));
        mix
    }

    pub(super) fn nearest(&self, wanted: [i32; 3]) -> u8 {
        let distance = |color: &[u8; 3]| {
            let [r, g, b] = [0, 1, 2].map(|k| i32::from(color[k]) - wanted[k]);
            // The eye sees green best and blue least.
            3 * r * r + 6 * g * g + b * b
        };
        let nearest = self.colors.iter().enumerate().min_by_key(|(_, color)| distance(color));
        nearest.map_or(0, |(index, _)| index as u8)
    }
}

fn luma([r, g, b]: [u8; 3]) -> u32 {
    299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b)
}

/// Thresholds 0 to 63, as far apart from their neighbours as possible (Bayer 1973).
const BAYER: [[u8; 8]; 8] = [
    [0, 32, 8, 40, 2, 34, 10, 42],
    [48, 16, 56, 24, 50, 18, 58, 26],
    [12, 44, 4, 36, 14, 46, 6, 38],
    [60, 28, 52, 20, 62, 30, 54, 22],
    [3, 35, 11, 43, 1, 33, 9, 41],
    [51, 19, 59, 27, 49, 17, 57, 25],
    [15, 47, 7, 39, 13, 45, 5, 37],
    [63, 31, 55, 23, 61, 29, 53, 21],
];

/// A colour and how often it occurs.
#[derive(Clone, Copy)]
struct Entry {
    color: [u8; 3],
    weight: f32,
}

/// `count` colours that stand for `pixels`: boxes of colours are halved where they spread most.
///
/// Heckbert 1982, "Color Image Quantization for Frame Buffer Display". Frequent colours count by
/// the square root of their number, so that the background does not take all.
fn median_cut(pixels: &[[u8; 3]], count: usize) -> Vec<[u8; 3]> {
    let mut entries = histogram(pixels);
    let mut boxes = vec![(0, entries.len())];
    while boxes.len() < count {
        let spread = |&(start, end): &(usize, usize)| widest(&entries[start..end]).1;
        let most =
            (0..boxes.len()).max_by(|&a, &b| spread(&boxes[a]).total_cmp(&spread(&boxes[b])));
        let Some(most) = most.filter(|&k| spread(&boxes[k]) > 0.0) else { break };
        let (start, end) = boxes[most];
        let middle = start + halve(&mut entries[start..end]);
        boxes[most] = (start, middle);
        boxes.push((middle, end));
    }
    boxes
        .iter()
        .filter(|(start, end)| start < end)
        .map(|&(start, end)| mean(&entries[start..end]))
        .collect()
}

/// The colours of a picture to 6 bits per channel, and their weights.
fn histogram(pixels: &[[u8; 3]]) -> Vec<Entry> {
    let mut sums = vec![([0_u32; 3], 0_u32); 1 << 18];
    for pixel in pixels {
        let [r, g, b] = pixel.map(|c| usize::from(c >> 2));
        let (sum, count) = &mut sums[r << 12 | g << 6 | b];
        *count += 1;
        *sum = [0, 1, 2].map(|k| sum[k] + u32::from(pixel[k]));
    }
    let used = sums.iter().filter(|(_, count)| *count > 0);
    used.map(|(sum, count)| Entry {
        color: sum.map(|s| (s / count) as u8),
        weight: (*count as f32).sqrt(),
    })
    .collect()
}

/// The channel along which the colours spread most, and the sum of squared distances along it.
fn widest(entries: &[Entry]) -> (usize, f32) {
    let total: f32 = entries.iter().map(|e| e.weight).sum();
    let spread = |k: usize| {
        let value = |e: &Entry| f32::from(e.color[k]);
        let mean = entries.iter().map(|e| value(e) * e.weight).sum::<f32>() / total.max(1e-9);
        let importance = [3.0, 6.0, 1.0][k];
        importance
            * entries.iter().map(|e| (value(e) - mean) * (value(e) - mean) * e.weight).sum::<f32>()
    };
    [0, 1, 2]
        .map(|k| (k, spread(k)))
        .into_iter()
        .fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a })
}

/// Sorts along the widest channel and returns where half of the weight is; both halves have some.
fn halve(entries: &mut [Entry]) -> usize {
    let (channel, _) = widest(entries);
    entries.sort_by_key(|e| (e.color[channel], e.color));
    let half = entries.iter().map(|e| e.weight).sum::<f32>() * 0.5;
    let mut sum = 0.0;
    let middle = entries.iter().position(|e| {
        sum += e.weight;
        sum >= half
    });
    (middle.unwrap_or(0) + 1).clamp(1, entries.len().max(2) - 1)
}

fn mean(entries: &[Entry]) -> [u8; 3] {
    let total: f32 = entries.iter().map(|e| e.weight).sum();
    [0, 1, 2].map(|k| {
        let sum: f32 = entries.iter().map(|e| f32::from(e.color[k]) * e.weight).sum();
        (sum / total.max(1e-9) + 0.5) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_colours_look_right_from_afar() {
        let mut image = Image::new(64, 64);
        for (k, pixel) in image.rgb.iter_mut().enumerate() {
            *pixel = [(k % 64) as u8 * 3 + 20, (k / 64) as u8 * 2 + 60, 120];
        }
        let mut palette = Palette::of(&image);
        assert!(palette.colors.len() <= COLORS);
        for color in [[100, 100, 120], [31, 77, 121], [200, 40, 90]] {
            let mut sum = [0.0_f32; 3];
            for k in 0..64 {
                let index = palette.index(color, k % 8, k / 8);
                let seen = palette.colors[usize::from(index)];
                sum = [0, 1, 2].map(|c| sum[c] + f32::from(seen[c]) / 64.0);
            }
            for c in 0..3 {
                let error = (sum[c] - f32::from(color[c])).abs();
                assert!(error < 6.0, "{color:?} looks like {sum:?}");
            }
        }
    }

    #[test]
    fn few_colours_are_kept_exactly() {
        let mut image = Image::new(4, 1);
        image.rgb = vec![[10, 20, 30], [10, 20, 30], [200, 100, 7], [1, 2, 3]];
        let mut palette = Palette::of(&image);
        for color in [[10, 20, 30], [200, 100, 7], [1, 2, 3]] {
            for k in 0..64 {
                let index = palette.index(color, k % 8, k / 8);
                assert_eq!(palette.colors[usize::from(index)], color);
            }
        }
    }
}
