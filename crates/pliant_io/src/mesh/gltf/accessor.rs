//! Rows of numbers in the buffers of a glTF file.

use super::super::Cause;
use super::super::binary::{Order, Scalar};
use super::super::error::{Fault, Place};
use super::buffers::Buffers;
use super::schema::{Accessor, BufferView, Root, Sparse};
use super::{missing, refused};

/// Rows that a scene may have however small its file is. A file can show one mesh many times, or
/// rows that are all zero and stand nowhere; without a limit few bytes could ask for all memory.
const FREE_ROWS: usize = 1 << 20;

/// Reads accessors.
pub(super) struct Accessors<'a> {
    root: &'a Root,
    buffers: Buffers<'a>,
    /// Rows that may be read beside those that buffers of other files make up for.
    free: usize,
    /// Rows that were read.
    spent: usize,
}

/// A part of a buffer: its bytes and the distance of rows in it.
struct View<'a> {
    view: &'a BufferView,
    offset: usize,
    scalar: Scalar,
    place: Place,
}

impl<'a> Accessors<'a> {
    pub(super) fn new(root: &'a Root, buffers: Buffers<'a>, bytes: usize) -> Self {
        // A row takes a byte or more, unless it is used again.
        Self { root, buffers, free: FREE_ROWS.saturating_add(bytes), spent: 0 }
    }

    /// The rows of an accessor that must have `N` columns. Integers become fractions if it says so.
    pub(super) fn rows<const N: usize>(&mut self, index: usize) -> Result<Vec<[f64; N]>, Fault> {
        let place = Place::Entry(format!("accessors[{index}]"));
        let accessor = self.accessor(index)?;
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1];
        if accessor.kind != kind {
            let found = accessor.kind.escape_debug().to_string();
            return Err(Fault::expected(place, &format!("the type {kind}"), &found));
        }
        if let Some(view) = accessor.buffer_view {
            self.buffers.range(self.view(view)?.buffer, [0, 0], |_| ())?;
        }
        self.spend(accessor.count, &place)?;
        let scalar = scalar(accessor.component_type, &place)?;
        let mut rows = match accessor.buffer_view {
            Some(view) => {
                let view = View {
                    view: self.view(view)?,
                    offset: accessor.byte_offset,
                    scalar,
                    place: place.clone(),
                };
                self.read(&view, accessor.count)?
            }
            None => vec![[0.0; N]; accessor.count],
        };
        if let Some(sparse) = &accessor.sparse {
            self.replace(&mut rows, sparse, scalar, &place)?;
        }
        if accessor.normalized {
            rows.iter_mut().flatten().for_each(|value| *value = fraction(*value, scalar));
        }
        match rows.iter().flatten().find(|value| !value.is_finite()) {
            None => Ok(rows),
            Some(value) => Err(Fault::expected(place, "finite numbers", &value.to_string())),
        }
    }

    /// The numbers of an accessor as indices of `count` vertices.
    pub(super) fn indices(&mut self, index: usize, count: usize) -> Result<Vec<u32>, Fault> {
        let place = Place::Entry(format!("accessors[{index}]"));
        let scalar = scalar(self.accessor(index)?.component_type, &place)?;
        if !matches!(scalar, Scalar::U8 | Scalar::U16 | Scalar::U32) {
            return Err(Fault::expected(
                place,
                "indices that are unsigned integers",
                &format!("{scalar:?}"),
            ));
        }
        let check = |(k, [value]): (usize, [f64; 1])| match (value as usize) < count {
            true => Ok(value as u32),
            false => {
                let place = Place::Entry(format!("accessors[{index}], row {k}"));
                Err(Fault::expected(place, &format!("a vertex below {count}"), &value.to_string()))
            }
        };
        self.rows::<1>(index)?.into_iter().enumerate().map(check).collect()
    }

    fn accessor(&self, index: usize) -> Result<&'a Accessor, Fault> {
        let all = &self.root.accessors;
        all.get(index).ok_or_else(|| missing("accessor", index, all.len()))
    }

    fn view(&self, index: usize) -> Result<&'a BufferView, Fault> {
        let all = &self.root.buffer_views;
        all.get(index).ok_or_else(|| missing("bufferView", index, all.len()))
    }

    /// Counts rows before memory is asked for.
    fn spend(&mut self, rows: usize, place: &Place) -> Result<(), Fault> {
        let limit = self.free.saturating_add(self.buffers.loaded());
        self.spent = self.spent.saturating_add(rows);
        if self.spent <= limit {
            return Ok(());
        }
        let what = format!("a scene of more than {limit} rows of numbers from files of this size");
        Err(Fault::unsupported(place.clone(), what, "save fewer copies of its meshes"))
    }

    fn read<const N: usize>(
        &mut self,
        view: &View<'_>,
        count: usize,
    ) -> Result<Vec<[f64; N]>, Fault> {
        let View { view, offset, scalar, place } = view;
        let size = scalar.size() * N;
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            return Err(Fault::expected(
                place.clone(),
                &format!("a stride of {size} bytes or more"),
                &stride.to_string(),
            ));
        }
        let needed = match count {
            0 => Some(0),
            _ => stride
                .checked_mul(count - 1)
                .and_then(|last| last.checked_add(size)?.checked_add(*offset)),
        };
        let needed = needed.filter(|needed| *needed <= view.byte_length).ok_or_else(|| {
            let expected = format!(
                "a view of {count} rows of {size} bytes, {stride} apart, from byte {offset} on"
            );
            Fault::expected(place.clone(), &expected, &format!("{} bytes", view.byte_length))
        })?;
        self.buffers.range(view.buffer, [view.byte_offset, needed], |bytes| {
            let row = |k: usize| &bytes[offset + k * stride..];
            let column =
                |k: usize, c: usize| scalar.read(&row(k)[c * scalar.size()..], Order::Little);
            (0..count).map(|k| std::array::from_fn(|c| column(k, c))).collect()
        })
    }

    fn replace<const N: usize>(
        &mut self,
        rows: &mut [[f64; N]],
        sparse: &Sparse,
        values: Scalar,
        place: &Place,
    ) -> Result<(), Fault> {
        let count = sparse.count;
        if count > rows.len() {
            let expected = format!("at most {} rows that differ", rows.len());
            return Err(Fault::expected(place.clone(), &expected, &count.to_string()));
        }
        let indices = View {
            view: self.view(sparse.indices.buffer_view)?,
            offset: sparse.indices.byte_offset,
            scalar: scalar(sparse.indices.component_type, place)?,
            place: place.clone(),
        };
        let values = View {
            view: self.view(sparse.values.buffer_view)?,
            offset: sparse.values.byte_offset,
            scalar: values,
            place: place.clone(),
        };
        let indices = self.read::<1>(&indices, count)?;
        for ([index], value) in indices.into_iter().zip(self.read::<N>(&values, count)?) {
            let total = rows.len();
            let wrong = || {
                Fault::expected(place.clone(), &format!("a row below {total}"), &index.to_string())
            };
            // A negative number becomes 0 here, so it is asked for first.
            let row = rows.get_mut(index as usize).filter(|_| index >= 0.0 && index.is_finite());
            *row.ok_or_else(wrong)? = value;
        }
        Ok(())
    }
}

fn scalar(component_type: u32, place: &Place) -> Result<Scalar, Fault> {
    match component_type {
        5120 => Ok(Scalar::I8),
        5121 => Ok(Scalar::U8),
        5122 => Ok(Scalar::I16),
        5123 => Ok(Scalar::U16),
        5125 => Ok(Scalar::U32),
        5126 => Ok(Scalar::F32),
        other => {
            let cause = Cause::Expected {
                expected: "a component type from 5120 to 5126".to_owned(),
                found: other.to_string(),
            };
            Err(refused(place.clone(), cause))
        }
    }
}

/// An integer that stands for 0 to 1, or −1 to 1.
fn fraction(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::I8 => (value / 127.0).max(-1.0),
        Scalar::U8 => value / 255.0,
        Scalar::I16 => (value / 32767.0).max(-1.0),
        Scalar::U16 => value / 65535.0,
        _ => value,
    }
}
