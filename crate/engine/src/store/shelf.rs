//! The shelf: closed blocks of slices leave memory for a file.
//!
//! A column keeps its levels of detail, the list of its blocks, and the block that is being filled.
//! Closed blocks can go to a [`ShelfFile`]: a temporary file, or files of the origin's private file
//! system in the page. They are moved while the trace is read, every 65,536 slices, packed to about
//! half their size, and written a megabyte at a time. What the store has by then, or when the shelf
//! is set up late ([`crate::Session::shelve`]), follows a few blocks at a time, so that there is no
//! long turn in which everything moves. When the file has no more room, blocks stay in memory from
//! then on, and reading ends at the limit of memory as without a file.
//!
//! A block that is asked for is loaded into a cache of bounded size. It has two parts, so that what
//! goes through all slices does not drive out what a person looks at: one for pictures, and one for
//! everything else, which mostly reads in order. What visits only durations and nodes of all
//! slices, such as statistics and searches, reads only these, one block after the other, and leaves
//! the cache alone. A picture loads only [`Shelving::loads`] blocks. Where others are missing it
//! draws the node above their slices, and is not complete. Its blocks are then in memory, so that
//! the same question again gets further. When a picture needs more blocks than its part of the
//! cache holds, it stays as coarse as that.
//!
//! `unspool convert` goes through the slices once. It needs no levels of detail, so it has them
//! dropped ([`Levels`]).

mod cache;
mod packing;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::ops::Range;
use std::rc::Rc;

use super::SLICE_BYTES;
use super::block::{Form, Measures, Plain};
use super::slice::Slice;
use cache::{NOWHERE, Ring};

/// Slices after which blocks are moved: about a megabyte of them.
const EVERY: u64 = 1 << 16;
/// Most slices that are moved at a time, for each that was read since the last time.
const AHEAD: u64 = 4;
/// Bytes that are written together. Fewer at a time are several times as slow in Firefox.
const BATCH: usize = 1 << 20;
/// Bytes of a cache.
const CACHE: u64 = 64 << 20;
/// A picture's blocks are kept while this many further pictures are drawn, if there is room.
const PICTURES: u64 = 4;

/// What becomes of the levels of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// They stay in memory, some two bytes a slice. All questions are answered as without a file.
    Kept,
    /// Slices are gone through row by row, as for an export. What walks over levels visits the
    /// slices instead.
    Dropped,
}

/// Where a shelf keeps blocks.
pub trait ShelfFile {
    /// Writes bytes at the end of what was written: at `at`, counted from the beginning.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::WouldBlock`] if there will be room later. After any other error
    /// nothing is written any more.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Reads bytes, all of which were written by one call of [`ShelfFile::write_at`].
    ///
    /// # Errors
    ///
    /// Returns an error if not all of them can be read.
    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()>;
}

/// A temporary file.
#[cfg(not(target_family = "wasm"))]
impl ShelfFile for std::fs::File {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        use io::{Seek, Write};
        self.seek(io::SeekFrom::Start(at))?;
        self.write_all(bytes)
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        use io::{Read, Seek};
        self.seek(io::SeekFrom::Start(at))?;
        self.read_exact(bytes)
    }
}

/// How a shelf is used.
#[derive(Clone, Copy, Debug)]
pub struct Shelving {
    /// What becomes of the levels of detail.
    pub levels: Levels,
    /// Bytes of memory of the tracks beyond which blocks are moved.
    pub beyond: u64,
    /// Bytes of blocks that are in memory again, half of them for pictures.
    pub cache: usize,
    /// Most blocks that a picture loads. `None` for exact pictures.
    pub loads: Option<u32>,
}

impl Shelving {
    /// Of a program that waits for the file: pictures are exact.
    pub fn patient(levels: Levels, beyond: u64) -> Self {
        // Room for the blocks of a thousand columns, but not much more than slices may have.
        let cache = if levels == Levels::Dropped { CACHE } else { CACHE.min(beyond.max(BATCH as u64)) };
        Self { levels, beyond, cache: cache as usize, loads: None }
    }
}

/// The shelf of a store.
#[derive(Debug)]
pub(super) struct OfStore {
    pub(super) shelf: Rc<Shelf>,
    pub(super) how: Shelving,
    /// How many slices the store had when blocks were moved last.
    at: u64,
    /// Whether blocks are moved by now, and whether it was said that they are not any more.
    is_moving: bool,
    is_over: bool,
    /// Slices and bytes of tracks when these were counted last.
    counted: (u64, u64),
}

impl OfStore {
    /// A shelf without blocks, of a store with this many slices.
    pub(super) fn new(file: Box<dyn ShelfFile>, how: Shelving, slices: u64) -> Self {
        let inner = Inner {
            file,
            end: 0,
            pending: Vec::new(),
            bytes: Vec::new(),
            is_full: false,
            measures: (NOWHERE, Rc::default()),
            pictures: Ring::new(how.cache / 2),
            others: Ring::new(how.cache / 2),
            picture: 0,
            looking: None,
            loads: how.loads,
            reads: 0,
            error: None,
        };
        let shelf = Rc::new(Shelf(RefCell::new(inner)));
        Self { shelf, how, at: slices, is_moving: false, is_over: false, counted: (0, 0) }
    }

    /// How many slices are to be moved now, of a store with this many. `None` if that is not due.
    /// `bytes` counts the memory of its tracks.
    pub(super) fn due(&mut self, slices: u64, bytes: impl FnOnce() -> u64) -> Option<u64> {
        // A restart removes slices.
        let read = slices.abs_diff(self.at);
        if read < EVERY {
            return None;
        }
        self.at = slices;
        if !self.is_moving {
            self.counted = (slices, bytes());
            self.is_moving = self.counted.1 >= self.how.beyond;
        }
        self.is_moving.then_some(read * AHEAD)
    }

    /// Notes how many bytes the tracks take, with this many slices, after blocks were moved.
    pub(super) fn count(&mut self, slices: u64, bytes: impl FnOnce() -> u64) {
        // Counting takes time in a large trace.
        if slices.abs_diff(self.counted.0) >= slices / 64 {
            self.counted = (slices, bytes());
        }
    }

    /// Whether the file has no more room, and that is new.
    pub(super) fn has_ended(&mut self) -> bool {
        let before = self.is_over;
        self.is_over = self.shelf.0.borrow().is_full;
        self.is_over && !before
    }

    /// Most bytes of memory that the tracks take, with this many slices.
    pub(super) fn most_bytes(&self, slices: u64) -> u64 {
        self.counted.1 + slices.saturating_sub(self.counted.0) * SLICE_BYTES
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
    file: Box<dyn ShelfFile>,
    /// End of all blocks. The last of them, [`Inner::pending`], are not written yet.
    end: u64,
    pending: Vec<u8>,
    /// A block as it is in the file.
    bytes: Vec<u8>,
    /// Where a block is, and its durations and nodes.
    measures: (u64, Rc<Vec<u32>>),
    /// Nothing can be written any more.
    is_full: bool,
    pictures: Ring,
    others: Ring,
    /// Number of the latest picture.
    picture: u64,
    /// The picture that is being drawn.
    looking: Option<Looking>,
    loads: Option<u32>,
    /// How many blocks were loaded.
    reads: u64,
    error: Option<io::Error>,
}

struct Looking {
    /// How many blocks it may still load.
    loads: Option<u32>,
    /// Whether its part of the cache is full of its own blocks.
    is_over: bool,
    /// Whether a block was missing that the next picture will load.
    misses: bool,
}

impl Shelf {
    /// The first error of the file. What was asked for since is incomplete.
    pub(super) fn take_error(&self) -> Option<io::Error> {
        self.0.borrow_mut().error.take()
    }

    /// Bytes of memory that the shelf takes.
    pub(super) fn bytes(&self) -> usize {
        let inner = self.0.borrow();
        let measures = inner.measures.1.capacity() * size_of::<u32>();
        inner.pending.capacity() + inner.bytes.capacity() + measures + inner.pictures.bytes() + inner.others.bytes()
    }

    /// How many blocks were loaded.
    #[cfg(test)]
    pub(super) fn reads(&self) -> u64 {
        self.0.borrow().reads
    }

    /// A picture begins.
    pub(super) fn look(&self) {
        let mut inner = self.0.borrow_mut();
        inner.picture += 1;
        inner.looking = Some(Looking { loads: inner.loads, is_over: false, misses: false });
    }

    /// A picture ends. Returns whether it would not get any more exact.
    pub(super) fn looked(&self) -> bool {
        self.0.borrow_mut().looking.take().is_none_or(|it| !it.misses)
    }

    /// Moves a block to the file. Returns it if that fails: it then stays in memory.
    pub(super) fn put(self: &Rc<Self>, block: Plain) -> Result<Shelved, Plain> {
        let mut inner = self.0.borrow_mut();
        let Some(head) = block.get(0).filter(|_| inner.has_room()) else { return Err(block) };
        let Inner { end, pending, .. } = &mut *inner;
        let before = pending.len();
        let form = block.without_words();
        let measures = packing::pack(block.all(), form.capacity(), pending) as u32;
        let (at, bytes) = (*end, (pending.len() - before) as u32);
        *end += u64::from(bytes);
        Ok(Shelved { head, form, at, bytes, measures, slot: Cell::new(0), shelf: Rc::clone(self) })
    }
}

impl Inner {
    /// Writes what is pending if that is enough. Returns whether a further block can be moved.
    fn has_room(&mut self) -> bool {
        if self.is_full {
            return false;
        }
        if self.pending.len() < BATCH {
            return true;
        }
        match self.file.write_at(self.end - self.pending.len() as u64, &self.pending) {
            Ok(()) => self.pending.clear(),
            Err(error) => self.is_full = error.kind() != io::ErrorKind::WouldBlock,
        }
        self.pending.is_empty()
    }

    /// Fills `words` with those of a block, which are the first `bytes` of it.
    #[inline(never)]
    fn load(&mut self, block: &Shelved, bytes: u32, words: &mut [u32]) -> io::Result<()> {
        self.reads += 1;
        let written = self.end - self.pending.len() as u64;
        let packed = match block.at.checked_sub(written) {
            Some(at) => self.pending.get(at as usize..at as usize + bytes as usize).unwrap_or_default(),
            None => {
                self.bytes.resize(bytes as usize, 0);
                self.file.read_at(block.at, &mut self.bytes)?;
                &self.bytes
            }
        };
        packing::unpack(packed, block.form.capacity(), words).ok_or(io::ErrorKind::InvalidData.into())
    }

    /// Durations and nodes of a narrow block. Notes why they cannot be loaded.
    fn measures(&mut self, of: &Shelved) -> Option<Rc<Vec<u32>>> {
        if self.measures.0 != of.at {
            let (_, mut words) = std::mem::replace(&mut self.measures, (NOWHERE, Rc::default()));
            // Mostly nothing looks at those of the block before any more.
            let room = Rc::make_mut(&mut words);
            room.resize(of.form.capacity() * 2, 0);
            if let Err(error) = self.load(of, of.measures, room) {
                self.error.get_or_insert(error);
                return None;
            }
            self.measures = (of.at, words);
        }
        Some(Rc::clone(&self.measures.1))
    }

    /// The block, if it is in memory.
    #[inline]
    fn loaded(&mut self, block: &Shelved) -> Option<Rc<Plain>> {
        let slot = block.slot.get();
        if let Some(found) = self.pictures.get(slot, block.at, self.picture) {
            return Some(Rc::clone(found));
        }
        let found = Rc::clone(self.others.get(slot, block.at, self.reads)?);
        if self.looking.is_some()
            && let Some(slot) = self.pictures.put(block.at, &found, self.picture, PICTURES)
        {
            block.slot.set(slot);
        }
        Some(found)
    }

    /// Loads a block, and keeps it in the part of the cache that it belongs to. Notes why it cannot
    /// be loaded.
    fn fetch(&mut self, of: &Shelved) -> Option<Rc<Plain>> {
        let mut words = vec![0; of.form.words].into_boxed_slice();
        if let Err(error) = self.load(of, of.bytes, &mut words) {
            self.error.get_or_insert(error);
            return None;
        }
        let block = Rc::new(of.form.with_words(words));
        let mut slot = None;
        if let Some(looking) = &mut self.looking {
            slot = self.pictures.put(of.at, &block, self.picture, PICTURES);
            looking.is_over |= slot.is_none();
        }
        // Half of the other blocks are likely to be used again.
        let window = (self.others.len() as u64 / 2).max(1);
        if let Some(slot) = slot.or_else(|| self.others.put(of.at, &block, self.reads, window)) {
            of.slot.set(slot);
        }
        Some(block)
    }
}

/// A block in memory again, or a part of it.
pub(super) enum Seen {
    Block(Rc<Plain>),
    Measures(Rc<Vec<u32>>),
}

impl Seen {
    pub(super) fn measures(&self, range: Range<usize>) -> Option<Measures<'_>> {
        match self {
            Self::Block(block) => block.measures(range),
            Self::Measures(words) => Measures::of(words, range),
        }
    }
}

/// A block in the file.
#[derive(Debug)]
pub(super) struct Shelved {
    /// The first slice: searches go by it.
    head: Slice,
    /// The block without its words.
    form: Form,
    /// Where it is in the file, and how many bytes it takes there.
    at: u64,
    bytes: u32,
    /// How many of these its durations and nodes take.
    measures: u32,
    /// Where it was loaded, in either part of the cache.
    slot: Cell<u32>,
    shelf: Rc<Shelf>,
}

impl Shelved {
    pub(super) fn first(&self) -> usize {
        self.form.first()
    }

    pub(super) fn len(&self) -> usize {
        self.form.len()
    }

    pub(super) fn is_wide(&self) -> bool {
        self.form.is_wide()
    }

    // Calls of these are in all loops over slices.
    #[inline(never)]
    pub(super) fn get(&self, i: usize) -> Option<Slice> {
        if i == 0 { Some(self.head) } else { self.block()?.get(i) }
    }

    /// What holds its durations and nodes. Notes why it cannot be loaded.
    #[inline(never)]
    pub(super) fn seen(&self) -> Option<Seen> {
        let mut inner = self.shelf.0.borrow_mut();
        if let Some(block) = inner.loaded(self) {
            return Some(Seen::Block(block));
        }
        if self.is_wide() { inner.fetch(self).map(Seen::Block) } else { inner.measures(self).map(Seen::Measures) }
    }

    /// The shelf, and a copy of the block with flags added to some slices.
    pub(super) fn flagged(&self, range: Range<usize>, flags: u8) -> Option<(Rc<Shelf>, Plain)> {
        let block = self.block()?;
        let mut copy = self.form.with_words(block.all().into());
        copy.flag(range, flags);
        Some((Rc::clone(&self.shelf), copy))
    }

    /// Whether the block is in memory now. Loads it unless this is for a picture that has loaded as
    /// many as it may.
    pub(super) fn is_near(&self) -> bool {
        let mut inner = self.shelf.0.borrow_mut();
        if inner.looking.as_ref().is_none_or(|it| it.loads.is_none()) || inner.loaded(self).is_some() {
            return true;
        }
        match &mut inner.looking {
            Some(Looking { is_over: true, .. }) => return false,
            Some(Looking { loads: Some(0), misses, .. }) => {
                *misses = true;
                return false;
            }
            Some(Looking { loads: Some(loads), .. }) => *loads -= 1,
            _ => {}
        }
        inner.fetch(self).is_some()
    }

    /// The block. Notes why it cannot be loaded.
    #[inline(never)]
    fn block(&self) -> Option<Rc<Plain>> {
        let mut inner = self.shelf.0.borrow_mut();
        inner.loaded(self).or_else(|| inner.fetch(self))
    }

    /// Memory beyond the pointer to it, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}
