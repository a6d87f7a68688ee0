//! Slices in a file: a store need not have all of a trace in memory.
//!
//! While the trace is read, closed blocks are moved to the file from time to time. A block that is
//! asked for is loaded again, and the latest of those stay in memory. Levels of detail may be
//! dropped ([`Levels`]).

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::rc::Rc;

use super::block::{Form, Plain};
use super::slice::Slice;
use crate::call_tree::NodeId;

/// Blocks of the file that are in memory: 16 MiB of the usual ones.
const LOADED: usize = 256;
/// Slices after which blocks are moved.
const EVERY: u64 = 1 << 18;

/// Most bytes of memory that a slice takes that is in the file, or packed, and those of its levels
/// of detail.
const SLICE_BYTES: u64 = 7;
const LEVEL_BYTES: u64 = 4;

/// What becomes of the levels of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// They stay in memory, some three bytes a slice. All questions are answered as without a file.
    Kept,
    /// Slices are gone through row by row, as for an export. What walks over levels visits the
    /// slices instead.
    Dropped,
}

/// A temporary file.
pub trait SpillFile: Read + Write + Seek {}

impl<T: Read + Write + Seek> SpillFile for T {}

/// The file of a store.
#[derive(Debug)]
pub(super) struct Spill {
    pub(super) shelf: Rc<Shelf>,
    /// How many slices the store had when blocks were moved last.
    at: u64,
    pub(super) levels: Levels,
    /// Bytes of memory beyond which blocks are moved.
    beyond: u64,
}

impl Spill {
    pub(super) fn new(file: Box<dyn SpillFile>, levels: Levels, beyond: u64) -> Self {
        let inner = Inner { file, end: 0, loaded: Vec::new(), next: 0, bytes: Vec::new(), error: None };
        Self { shelf: Rc::new(Shelf(RefCell::new(inner))), at: 0, levels, beyond }
    }

    /// Whether blocks are to be moved, of a store with this many slices. `bytes` counts its memory.
    pub(super) fn is_due(&mut self, slices: u64, bytes: impl FnOnce() -> u64) -> bool {
        // A restart removes slices.
        if slices.abs_diff(self.at) < EVERY {
            return false;
        }
        self.at = slices;
        bytes() >= self.beyond
    }

    /// Most bytes of memory that a slice takes.
    pub(super) fn slice_bytes(&self) -> u64 {
        SLICE_BYTES + if self.levels == Levels::Kept { LEVEL_BYTES } else { 0 }
    }
}

/// Blocks in a file.
pub(crate) struct Shelf(RefCell<Inner>);

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelf").field("end", &self.0.borrow().end).finish_non_exhaustive()
    }
}

struct Inner {
    file: Box<dyn SpillFile>,
    end: u64,
    /// Blocks that were loaded, with their offsets. The oldest gives way.
    loaded: Vec<(u64, Plain)>,
    next: usize,
    /// For conversions between words and bytes.
    bytes: Vec<u8>,
    error: Option<io::Error>,
}

impl Shelf {
    /// The first error of the file. What was asked for since is incomplete.
    pub(super) fn take_error(&self) -> Option<io::Error> {
        self.0.borrow_mut().error.take()
    }

    /// Moves a block to the file. Returns it if that fails: it then stays in memory.
    pub(super) fn put(self: &Rc<Self>, block: Plain) -> Result<Spilled, Plain> {
        let Some(head) = block.get(0) else { return Err(block) };
        let mut inner = self.0.borrow_mut();
        let Inner { file, end, bytes, .. } = &mut *inner;
        bytes.clear();
        bytes.extend(block.all().iter().flat_map(|word| word.to_le_bytes()));
        if file.seek(SeekFrom::Start(*end)).and_then(|_| file.write_all(bytes)).is_err() {
            return Err(block);
        }
        let at = *end;
        *end += bytes.len() as u64;
        Ok(Spilled { head, form: block.without_words(), at, place: Cell::new(0), shelf: Rc::clone(self) })
    }
}

impl Inner {
    fn load(&mut self, form: &Form, at: u64) -> io::Result<usize> {
        self.bytes.resize(form.words * size_of::<u32>(), 0);
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut self.bytes)?;
        let words = self.bytes.chunks_exact(size_of::<u32>());
        let words = words.map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap_or_default())).collect();
        let block = (at, form.with_words(words));
        let place = self.next;
        match self.loaded.get_mut(place) {
            Some(old) => *old = block,
            None => self.loaded.push(block),
        }
        self.next = (place + 1) % LOADED;
        Ok(place)
    }
}

/// A block in the file.
#[derive(Debug)]
pub(super) struct Spilled {
    /// The first slice: searches go by it.
    head: Slice,
    /// The block without its words.
    form: Form,
    at: u64,
    /// Where it was loaded.
    place: Cell<usize>,
    shelf: Rc<Shelf>,
}

impl Spilled {
    pub(super) fn first(&self) -> usize {
        self.form.first()
    }

    pub(super) fn len(&self) -> usize {
        self.form.len()
    }

    pub(super) fn is_wide(&self) -> bool {
        self.form.is_wide()
    }

    pub(super) fn get(&self, i: usize) -> Option<Slice> {
        if i == 0 { Some(self.head) } else { self.with(|block| block.get(i)).flatten() }
    }

    pub(super) fn each(&self, range: Range<usize>, each: impl FnMut(u64, NodeId)) {
        self.with(|block| block.each(range, each));
    }

    /// Adds flags to slices, in the file, too.
    pub(super) fn flag(&mut self, range: Range<usize>, flags: u8) {
        if range.start == 0 && range.end > 0 {
            self.head.flags |= flags;
        }
        // Loads it.
        self.with(|_| ());
        let mut inner = self.shelf.0.borrow_mut();
        let Inner { file, loaded, bytes, error, .. } = &mut *inner;
        let Some((_, block)) = loaded.get_mut(self.place.get()).filter(|(at, _)| *at == self.at) else { return };
        block.flag(range, flags);
        bytes.clear();
        bytes.extend(block.all().iter().flat_map(|word| word.to_le_bytes()));
        if let Err(why) = file.seek(SeekFrom::Start(self.at)).and_then(|_| file.write_all(bytes)) {
            error.get_or_insert(why);
        }
    }

    /// Calls `with` with the block, or notes why it cannot be loaded.
    fn with<T>(&self, with: impl FnOnce(&Plain) -> T) -> Option<T> {
        let mut inner = self.shelf.0.borrow_mut();
        let is_there = inner.loaded.get(self.place.get()).is_some_and(|(at, _)| *at == self.at);
        if !is_there {
            match inner.load(&self.form, self.at) {
                Ok(place) => self.place.set(place),
                Err(error) => {
                    inner.error.get_or_insert(error);
                    return None;
                }
            }
        }
        inner.loaded.get(self.place.get()).map(|(_, block)| with(block))
    }

    /// Memory beyond `Self`, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;
    use unspool_trace::Locator;

    use super::super::column::Column;
    use super::*;

    /// A file that fails from a position on.
    struct Full(Cursor<Vec<u8>>, u64);

    impl Read for Full {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl Write for Full {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            if self.0.position() >= self.1 { Err(io::ErrorKind::StorageFull.into()) } else { self.0.write(buffer) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Full {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    fn column(lengths: &[(u64, u64)], mut after: impl FnMut(&mut Column, usize)) -> Column {
        let (mut column, mut time, mut flagged) = (Column::default(), 1 << 40, 0..0);
        for (i, (pause, length)) in lengths.iter().enumerate() {
            let start = time + pause;
            time = start + length;
            column.push(&Slice { start, end: time, node: 7, flags: (i % 2) as u8, locator: Locator::at(start / 3) });
            after(&mut column, i);
            if i % 7000 == 6999 {
                column.flag_from(start - 20_000, 8, &mut flagged);
            }
        }
        column
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        /// Blocks of all widths, moved at any time, to a file that has room for all of them or not.
        #[test]
        fn slices_in_a_file_are_those_in_memory(
            seed in any::<u64>(),
            count in 1usize..40_000,
            every in 1000usize..9000,
            room in prop::sample::select(vec![0u64, 100_000, u64::MAX]),
            levels in prop::sample::select(vec![Levels::Kept, Levels::Dropped]),
        ) {
            let next = |i: u64| {
                let x = (seed ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (if x % 5000 == 3 { 1 << 33 } else { x % 3 }, if x % 7000 == 4 { 1 << 34 } else { x >> 60 })
            };
            let lengths: Vec<_> = (0..count as u64).map(next).collect();
            let in_memory = column(&lengths, |_, _| {});
            let shelf = Spill::new(Box::new(Full(Cursor::new(Vec::new()), room)), levels, 0).shelf;
            let mut moved = column(&lengths, |column, i| {
                if i % every == 0 {
                    column.spill(&shelf, levels);
                }
            });
            moved.close();
            if levels == Levels::Dropped {
                moved.drop_levels();
            } else {
                let nodes = |column: &Column| {
                    let node = |level, at| column.nodes(level, at)[0].words();
                    let of_level = |level| (0..column.count(level)).map(|at| node(level, at)).collect::<Vec<_>>();
                    (1..=column.levels()).map(of_level).collect::<Vec<_>>()
                };
                prop_assert_eq!(nodes(&moved), nodes(&in_memory));
            }
            prop_assert_eq!(moved.len(), in_memory.len());
            prop_assert!((0..=count).all(|i| moved.get(i) == in_memory.get(i)));
            let near = Cell::new(0);
            prop_assert!((0..count).rev().all(|i| moved.get_near(i, &near) == in_memory.get(i)));
            let mut visited = 0;
            let (from, to) = (1 << 40, in_memory.get(count / 2).map_or(0, |slice| slice.start + 1));
            prop_assert_eq!(moved.covered(from, to, &mut visited), in_memory.covered(from, to, &mut visited));
            prop_assert_eq!(moved.overlapping(from + 9, to), in_memory.overlapping(from + 9, to));
            let sum = |column: &Column| {
                let mut sum = 0;
                column.stretches(0..count).for_each(|it| column.each_in(it, |duration, _| sum += duration));
                sum
            };
            prop_assert_eq!(sum(&moved), sum(&in_memory));
            prop_assert!(shelf.take_error().is_none());
            if room == u64::MAX && count > 30_000 {
                prop_assert!(moved.bytes() < in_memory.bytes() / 2, "{} of {} bytes", moved.bytes(), in_memory.bytes());
            }
        }
    }

    #[test]
    fn a_block_that_cannot_be_loaded_is_an_error() {
        /// Forgets what it gets.
        struct Hole;

        impl Read for Hole {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Ok(0)
            }
        }

        impl Write for Hole {
            fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
                Ok(buffer.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        impl Seek for Hole {
            fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
                Ok(0)
            }
        }

        let shelf = Spill::new(Box::new(Hole), Levels::Dropped, 0).shelf;
        let mut column = column(&[(1, 2); 9000], |_, _| {});
        column.spill(&shelf, Levels::Dropped);
        assert!(column.get(5).is_none() && column.get(8999).is_some());
        assert_eq!(shelf.take_error().map(|error| error.kind()), Some(io::ErrorKind::UnexpectedEof));
    }
}
