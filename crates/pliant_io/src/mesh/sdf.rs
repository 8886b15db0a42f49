//! SDF, the format of SDFGen: a grid of signed distances, as text.
//!
//! ```text
//! nx ny nz                 points along each axis
//! x y z                    the first point
//! dx                       distance of neighbouring points
//! d d d …                  nx·ny·nz distances, x fastest
//! ```

use super::binary::Scalar;
use super::error::Fault;
use super::text::{Dialect, Text, bounded};
use super::values::Values;
use super::{Format, Grid, Imported, Source};

pub(super) const FORMAT: Format = Format {
    name: "SDF",
    extensions: &["sdf"],
    about: "a grid of signed distances, as text",
    read,
};

fn read(source: &Source<'_>) -> Result<Imported, Fault> {
    let mut text = Text::new(source.bytes, Dialect::Plain)?;
    let mut axis = || text.number::<u32>("the number of points along an axis").map(u64::from);
    let size = [axis()?, axis()?, axis()?];
    let count = size.iter().try_fold(1u64, |product, n| product.checked_mul(*n));
    let least = 2;
    let count =
        bounded(count.unwrap_or(u64::MAX), text.left() + 1, least, "distances", text.place())?;
    let mut values = Values::Text(text);
    let origin = values.point(Scalar::F32, "a coordinate of the first point")?;
    let place = values.place();
    let spacing = values.float(Scalar::F32, "the distance of neighbouring points")?;
    if spacing <= 0.0 {
        return Err(Fault::expected(place, "a distance above 0", &spacing.to_string()));
    }
    let mut distances = Vec::new();
    for _ in 0..count {
        distances.push(values.float(Scalar::F32, "a distance")?);
    }
    let size = size.map(|n| n as usize);
    let grid = (count > 0).then_some(Grid { size, origin, spacing, values: distances });
    Ok(Imported { grid, ..Imported::default() })
}

#[cfg(test)]
mod tests {
    use crate::mesh::tests::{import, refuse};

    #[test]
    fn a_grid_keeps_its_order() {
        let grid = import(&super::FORMAT, b"2 1 2\n-1 0 .5\n0.25\n1\n2\n-3\n4").grid.unwrap();
        assert_eq!((grid.size, grid.spacing), ([2, 1, 2], 0.25));
        assert_eq!(grid.values, [1.0, 2.0, -3.0, 4.0]);
    }

    #[test]
    fn a_grid_of_a_million_million_points_is_refused() {
        let error = |text: &str| refuse(&super::FORMAT, text.as_bytes());
        assert!(error("1000000 1000000 1\n0 0 0 1 0").contains("at most"));
        assert!(error("4000000000 4000000000 4000000000\n0 0 0 1 0").contains("at most"));
        assert!(error("1 1 2\n0 0 0\n1\n0").contains("expected a distance, found the end"));
        assert!(error("1 1 1\n0 0 0\n0\n0").contains("above 0"));
        assert!(error("1 1 1\n0 0 0\n1\ninf").contains("finite"));
    }
}
