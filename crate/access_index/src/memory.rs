//! What each step read from memory and wrote to it.

use core::ops::Range;

use crate::keys::{Keys, Postings};
use crate::segments::Segments;
use crate::{Kind, Moment, Toward};

/// Bytes of a cell, which is aligned to them.
const CELL: u64 = 8;

/// A byte of memory at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Byte {
    /// The step whose access this is known from.
    pub step: u64,
    /// It was written there, otherwise read.
    pub written: bool,
    /// It was read with another value than the trace has written last, or a neighbour in the same
    /// access was: something else has changed the memory since, such as the kernel.
    pub changed: bool,
    /// The last step that has written it. `None` if the trace knows it from reads only.
    pub write: Option<u64>,
    /// Its value. `None` if the index does not keep values: read it from the step.
    pub value: Option<u8>,
}

/// How a step accessed a part of a cell: offset, length less 1, a bit for a write and one for a
/// read that disagrees.
#[derive(Clone, Copy)]
struct Shape(u8);

impl Shape {
    fn new(offset: usize, length: usize, written: bool, changed: bool) -> Self {
        Self(offset as u8 | (length as u8 - 1) << 3 | u8::from(written) << 6 | u8::from(changed) << 7)
    }

    fn offset(self) -> usize {
        usize::from(self.0 & 7)
    }

    fn len(self) -> usize {
        usize::from(self.0 >> 3 & 7) + 1
    }

    fn written(self) -> bool {
        self.0 & 0x40 != 0
    }

    fn changed(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// A bit for each byte of the cell.
    fn mask(self) -> u8 {
        mask(self.offset(), self.len())
    }
}

/// A bit for each of some bytes of a cell.
fn mask(offset: usize, len: usize) -> u8 {
    (((1u32 << len) - 1) << offset) as u8
}

/// The accesses of a segment, by cell.
struct Part {
    postings: Postings,
    shapes: Vec<Shape>,
    /// For each cell where its values begin.
    value_starts: Vec<u32>,
    values: Vec<u8>,
}

/// A cell as far as the trace is known.
#[derive(Clone, Copy, Default)]
struct Image {
    value: [u8; CELL as usize],
    /// A bit for each byte that is known.
    known: u8,
    /// A bit for each byte that the trace has written.
    written: u8,
    /// A bit for each byte that was read with another value than was written last.
    changed: u8,
}

/// Bits of bytes of a cell whose latest access, or latest write, is still to be found.
struct Missing {
    access: u8,
    write: u8,
}

/// The accesses to memory.
pub(crate) struct Memory {
    keys: Keys,
    images: Vec<Image>,
    parts: Vec<Part>,
    /// The accesses of the open segment: cell and step, shape and value.
    open: Vec<(u32, u16)>,
    open_values: Vec<(Shape, [u8; CELL as usize])>,
    keeps_values: bool,
    bytes_of_parts: usize,
}

impl Memory {
    pub(crate) fn new(keeps_values: bool) -> Self {
        Self {
            keys: Keys::default(),
            images: Vec::new(),
            parts: Vec::new(),
            open: Vec::new(),
            open_values: Vec::new(),
            keeps_values,
            bytes_of_parts: 0,
        }
    }

    /// An access by a step of the open segment. Bytes of a value at the highest address lie beyond
    /// 64 bits.
    #[inline]
    #[allow(
        clippy::indexing_slicing,
        reason = "a cell has eight bytes, and numbers of cells are indices of their images"
    )]
    pub(crate) fn add(&mut self, relative: u16, address: u64, written: bool, mut value: &[u8]) {
        let (mut cell, mut offset) = (address / CELL, (address % CELL) as usize);
        while !value.is_empty() {
            let (here, rest) = value.split_at(value.len().min(CELL as usize - offset));
            let id = self.keys.number(cell);
            if id as usize == self.images.len() {
                self.images.push(Image::default());
            }
            let image = &mut self.images[id as usize];
            let mut bytes = [0; CELL as usize];
            bytes[..here.len()].copy_from_slice(here);
            let told = mask(offset, here.len());
            let known = &mut image.value[offset..offset + here.len()];
            if written {
                image.changed &= !told;
                image.written |= told;
            } else if known != here {
                for (i, (known, byte)) in (offset..).zip(known.iter().zip(here)) {
                    image.changed |= if known == byte { 0 } else { image.written & 1 << i };
                }
            }
            known.copy_from_slice(here);
            image.known |= told;
            let changed = image.changed & told != 0;
            self.open.push((id, relative));
            self.open_values.push((Shape::new(offset, here.len(), written, changed), bytes));
            (cell, offset, value) = (cell + 1, 0, rest);
        }
    }

    /// Number of accesses in the open segment, by cell.
    pub(crate) fn open(&self) -> usize {
        self.open.len()
    }

    /// Ends the open segment.
    #[allow(
        clippy::indexing_slicing,
        reason = "a cell has eight bytes, and numbers of cells are indices of their images"
    )]
    pub(crate) fn seal(&mut self, segment: u32) {
        let open_values = core::mem::take(&mut self.open_values);
        let mut order = vec![0u32; self.open.len()];
        let postings =
            Postings::group(&self.open, &mut self.keys, segment, |place, i| order[place as usize] = i as u32);
        let shapes: Vec<Shape> = order.iter().map(|i| open_values[*i as usize].0).collect();
        let (mut value_starts, mut values) = (Vec::new(), Vec::new());
        if self.keeps_values {
            values.reserve_exact(shapes.iter().map(|shape| shape.len()).sum());
            value_starts.reserve_exact(postings.starts().len());
            for (_, range) in postings.all() {
                value_starts.push(values.len() as u32);
                for i in &order[range] {
                    let (shape, bytes) = &open_values[*i as usize];
                    values.extend_from_slice(&bytes[..shape.len()]);
                }
            }
            value_starts.push(values.len() as u32);
        }
        self.open = Vec::new();
        self.bytes_of_parts +=
            postings.bytes() + shapes.capacity() + value_starts.capacity() * 4 + values.capacity() + size_of::<Part>();
        self.parts.push(Part { postings, shapes, value_starts, values });
    }

    /// The bytes from an address on, as they are at a moment. `None`: unknown.
    pub(crate) fn at(&self, segments: &Segments, moment: Moment, address: u128, len: usize) -> Vec<Option<Byte>> {
        let mut bytes = vec![None; len];
        for (cell, first, wanted) in cells(address, len) {
            let Some(id) = self.keys.find(cell) else { continue };
            let Image { known, written, .. } = self.images.get(id as usize).copied().unwrap_or_default();
            let of_window = mask(wanted.start, wanted.len());
            // Bytes that the trace never accesses, or never writes, need no search.
            let mut missing = Missing { access: of_window & known, write: of_window & written };
            let Some(of_cell) = bytes.get_mut(first..first + wanted.len()) else { continue };
            for segment in self.keys.segments(id).skip_while(|segment| segments.first(*segment) > moment.step()) {
                if missing.access | missing.write == 0 {
                    break;
                }
                self.latest(segments, segment, id, moment, &mut missing, wanted.start, of_cell);
            }
        }
        bytes
    }

    /// Finds the latest access and the latest write of bytes of a cell in a segment, up to a
    /// moment. `found` are those from `start` on.
    #[allow(clippy::too_many_arguments)]
    fn latest(
        &self,
        segments: &Segments,
        segment: u32,
        id: u32,
        moment: Moment,
        missing: &mut Missing,
        start: usize,
        found: &mut [Option<Byte>],
    ) {
        let Some(part) = self.parts.get(segment as usize) else { return };
        let Some((at, range)) = part.postings.of(id) else { return };
        let first = segments.first(segment);
        let steps = part.postings.of_range(range.clone());
        let end = steps.partition_point(|step| first + u64::from(*step) <= moment.step());
        let (steps, shapes) = (steps.get(..end).unwrap_or_default(), part.shapes.get(range).unwrap_or_default());
        let shapes = shapes.get(..end).unwrap_or_default();
        let mut value = part.value_starts.get(at).map_or(0, |start| *start as usize);
        if self.keeps_values {
            value += shapes.iter().map(|shape| shape.len()).sum::<usize>();
        }
        for (step, shape) in steps.iter().zip(shapes).rev() {
            value = value.saturating_sub(if self.keeps_values { shape.len() } else { 0 });
            let step = first + u64::from(*step);
            let (mask, written) = (shape.mask(), shape.written());
            let told = mask & (missing.access | if written { missing.write } else { 0 });
            if told == 0 || !moment.includes(step, written) {
                continue;
            }
            for i in 0..shape.len() {
                let offset = shape.offset() + i;
                let Some(byte) = offset.checked_sub(start).and_then(|at| found.get_mut(at)) else { continue };
                if missing.access >> offset & 1 != 0 {
                    let value = part.values.get(value + i).copied();
                    *byte = Some(Byte { step, written, changed: shape.changed(), write: None, value });
                }
                if let Some(byte) = byte.as_mut().filter(|_| written && missing.write >> offset & 1 != 0) {
                    byte.write = Some(step);
                }
            }
            missing.access &= !mask;
            missing.write &= !if written { mask } else { 0 };
            if missing.access | missing.write == 0 {
                return;
            }
        }
    }

    /// The accesses of some bytes in a segment: steps, and whether it is a write.
    fn in_segment(
        &self,
        segments: &Segments,
        segment: u32,
        id: u32,
        wanted: u8,
    ) -> impl DoubleEndedIterator<Item = (u64, bool)> {
        let of_part = self.parts.get(segment as usize).and_then(|part| {
            let (_, range) = part.postings.of(id)?;
            Some((part.postings.of_range(range.clone()), part.shapes.get(range)?))
        });
        let (steps, shapes) = of_part.unwrap_or_default();
        let first = segments.first(segment);
        let both = steps.iter().zip(shapes);
        both.filter(move |(_, shape)| shape.mask() & wanted != 0)
            .map(move |(step, shape)| (first + u64::from(*step), shape.written()))
    }

    /// The nearest step after or before `step` that accesses some of the bytes.
    pub(crate) fn nearest(
        &self,
        segments: &Segments,
        step: u64,
        address: u128,
        len: usize,
        kind: Kind,
        toward: Toward,
    ) -> Option<u64> {
        let of_cell = |(cell, _, wanted): (u64, usize, Range<usize>)| {
            let id = self.keys.find(cell)?;
            let wanted = mask(wanted.start, wanted.len());
            match toward {
                Toward::Previous => {
                    let mut chain = self.keys.segments(id).skip_while(|segment| segments.first(*segment) >= step);
                    chain.find_map(|segment| {
                        let mut all = self.in_segment(segments, segment, id, wanted).rev();
                        all.find(|(at, written)| *at < step && kind.includes(*written)).map(|(at, _)| at)
                    })
                }
                Toward::Next => {
                    // The chain leads back, so all later segments are visited: a few nanoseconds
                    // each.
                    let chain = self.keys.segments(id).take_while(|segment| segments.last(*segment) > step);
                    let mut later: Vec<u32> = chain.collect();
                    later.reverse();
                    later.into_iter().find_map(|segment| {
                        let mut all = self.in_segment(segments, segment, id, wanted);
                        all.find(|(at, written)| *at > step && kind.includes(*written)).map(|(at, _)| at)
                    })
                }
            }
        };
        let all = cells(address, len).filter_map(of_cell);
        match toward {
            Toward::Previous => all.max(),
            Toward::Next => all.min(),
        }
    }

    /// Passes on every access of some bytes by steps in a range, in no order: the step, and whether
    /// it is a write.
    pub(crate) fn history(
        &self,
        segments: &Segments,
        steps: &Range<u64>,
        address: u128,
        len: usize,
        mut each: impl FnMut(u64, bool),
    ) {
        for (cell, _, wanted) in cells(address, len) {
            let Some(id) = self.keys.find(cell) else { continue };
            for segment in self.keys.segments(id) {
                if segments.first(segment) >= steps.end || segments.last(segment) < steps.start {
                    continue;
                }
                for (step, written) in self.in_segment(segments, segment, id, mask(wanted.start, wanted.len())) {
                    if steps.contains(&step) {
                        each(step, written);
                    }
                }
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes_of_parts
            + self.keys.bytes()
            + self.images.capacity() * size_of::<Image>()
            + self.parts.capacity() * size_of::<Part>()
            + self.open.capacity() * 8
            + self.open_values.capacity() * size_of::<(Shape, [u8; 8])>()
    }
}

/// The cells that some bytes are in: the number of each, how many bytes come before, and which
/// bytes of the cell are meant.
fn cells(address: u128, len: usize) -> impl Iterator<Item = (u64, usize, Range<usize>)> {
    let mut done = 0;
    core::iter::from_fn(move || {
        let at = address.checked_add(done as u128).filter(|_| done < len)?;
        let offset = (at % u128::from(CELL)) as usize;
        let here = (len - done).min(CELL as usize - offset);
        let found = (u64::try_from(at / u128::from(CELL)).ok()?, done, offset..offset + here);
        done += here;
        Some(found)
    })
}
