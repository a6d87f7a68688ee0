//! How parts of a trace's file are read.

use core::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use unspool_trace::Error;
use unspool_trace::records::{Delivery, Pass};

use crate::drive::{Drive, Driven, LONGEST, Moved};

/// Reads the bytes of a file.
pub trait ByteSource {
    /// Reads from the absolute offset `at` into `buffer` and returns how many bytes it read: at
    /// least one, or 0 at the end of the file. `None` if the file cannot be read.
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize>;

    /// Whether the bytes that could not be read last are on their way ([`Unreadable::Late`]).
    fn is_late(&self) -> bool {
        false
    }
}

/// A file in memory.
impl ByteSource for Vec<u8> {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        let rest = usize::try_from(at).ok().and_then(|at| self.get(at..)).unwrap_or_default();
        let n = rest.len().min(buffer.len());
        buffer.get_mut(..n)?.copy_from_slice(rest.get(..n)?);
        Some(n)
    }
}

/// A file of the native command.
impl ByteSource for File {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        let mut file = self;
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read(buffer).ok()
    }
}

/// The sentence for a file that the browser or the system does not let us read any more.
pub const UNREADABLE: &str = "The file cannot be read any more: it was changed, moved or deleted after it was opened.";

/// Why a part of a file is not read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The file cannot be read, or is shorter than when it was opened.
    Changed,
    /// Its bytes are on their way: a pass goes on from here once they are there. Only a source says
    /// so that does not wait for them.
    Late,
    /// Its bytes cannot be decoded.
    Undecodable(Error),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed | Self::Late => f.write_str(UNREADABLE),
            Self::Undecodable(error) => f.write_str(&error.sentence()),
        }
    }
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::Undecodable(error)
    }
}

/// Reads from the absolute offset `at` into `buffer` until it has `least` bytes, or the file ends.
/// Returns how many it read.
///
/// # Errors
///
/// Fails if the file cannot be read.
pub fn fill(
    source: &(impl ByteSource + ?Sized),
    at: u64,
    buffer: &mut [u8],
    least: usize,
) -> Result<usize, Unreadable> {
    let mut filled = 0;
    while filled < least {
        let room = buffer.get_mut(filled..).unwrap_or_default();
        match source.read_at(at.saturating_add(filled as u64), room) {
            Some(0) => break,
            Some(n) => filled += n,
            None if source.is_late() => return Err(Unreadable::Late),
            None => return Err(Unreadable::Changed),
        }
    }
    Ok(filled)
}

/// The part of a file that was read last. A read of a file costs about a millisecond in a browser,
/// so each one takes more than is wanted at once.
#[derive(Debug, Default)]
pub struct Window {
    at: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// The bytes from the absolute offset `at` on: at least `least` of them, or fewer up to the end
    /// of the file, and then `true`. If it has to read, it asks for `ahead` bytes; what comes at
    /// once is enough, as the rest may be on its way already.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn read(
        &mut self,
        at: u64,
        least: usize,
        ahead: usize,
        source: &(impl ByteSource + ?Sized),
    ) -> Result<(&[u8], bool), Unreadable> {
        let here = usize::try_from(at.wrapping_sub(self.at)).ok().filter(|here| *here <= self.bytes.len());
        let left = here.map_or(0, |here| self.bytes.len() - here);
        let mut is_end = false;
        if left < least {
            match here {
                // Continues with what is left.
                Some(here) => drop(self.bytes.drain(..here)),
                None => self.bytes.clear(),
            }
            let target = ahead.max(least);
            // What one long record needed is not kept.
            if self.bytes.capacity() > target.saturating_mul(4) {
                self.bytes.shrink_to(target);
            }
            self.at = at;
            let left = self.bytes.len();
            self.bytes.resize(target.max(left), 0);
            let room = self.bytes.get_mut(left..).unwrap_or_default();
            let filled = fill(source, at.saturating_add(left as u64), room, least - left);
            self.bytes.truncate(filled.map_or(0, |filled| left + filled));
            is_end = left + filled? < least;
        }
        Ok((self.rest(at), is_end))
    }

    /// The bytes from `at` on that the last read left here.
    fn rest(&self, at: u64) -> &[u8] {
        let from = usize::try_from(at.wrapping_sub(self.at)).unwrap_or(usize::MAX);
        self.bytes.get(from..).unwrap_or_default()
    }
}

/// How much of a file is read at once for a pass.
#[derive(Clone, Copy, Debug)]
pub struct Reads {
    /// Bytes that the pass is offered at least, as far as it wants them.
    pub least: usize,
    /// Bytes that are asked for when the file has to be read.
    pub ahead: usize,
}

impl Reads {
    /// Any bytes that come when `ahead` are asked for.
    pub const fn ahead(ahead: usize) -> Self {
        Self { least: 1, ahead }
    }
}

/// Drives a pass until it is done, its visitor is full, or it needs more than there is: then the
/// rest is returned that is not enough for it.
///
/// # Errors
///
/// Fails if the file cannot be read or decoded.
pub fn drive<'w>(
    driven: &mut impl Driven,
    source: &(impl ByteSource + ?Sized),
    window: &'w mut Window,
    reads: Reads,
) -> Result<Option<&'w [u8]>, Unreadable> {
    let mut drive = Drive::new(reads.least, LONGEST);
    let mut short = None;
    while let Some((at, len)) = drive.next(driven) {
        let (bytes, _) = window.read(at, len, reads.ahead, source)?;
        match drive.push(driven, bytes)? {
            Moved::On => {}
            Moved::Full => break,
            Moved::Short => {
                short = driven.want();
                break;
            }
        }
    }
    let Some(range) = short else { return Ok(None) };
    let rest = window.rest(range.at);
    Ok(Some(rest.get(..usize::try_from(range.len).unwrap_or(usize::MAX)).unwrap_or(rest)))
}

/// Runs a pass to its end, or until its visitor is full.
///
/// # Errors
///
/// Fails if the file cannot be read or decoded.
pub fn run_pass<D: Delivery>(
    pass: &mut dyn Pass<D>,
    source: &(impl ByteSource + ?Sized),
    window: &mut Window,
    reads: Reads,
    visitor: &mut D::Visitor<'_>,
) -> Result<(), Unreadable> {
    while let Some(rest) = drive(&mut (&mut *pass, &mut *visitor), source, window, reads)? {
        // All that was wanted is not enough, or the file has ended.
        pass.end(rest, visitor)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use core::cell::{Cell, RefCell};

    use unspool_trace::Cause;
    use unspool_trace::decoder::Range;
    use unspool_trace::records::{Rows, Visitor};

    use super::*;

    /// Gives at most `most` bytes at once, and notes what was asked for.
    struct Slow {
        bytes: Vec<u8>,
        most: usize,
        asked: RefCell<Vec<(u64, usize)>>,
    }

    impl Slow {
        fn new(len: u8, most: usize) -> Self {
            Self { bytes: (0..len).collect(), most, asked: RefCell::default() }
        }
    }

    impl ByteSource for Slow {
        fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
            self.asked.borrow_mut().push((at, buffer.len()));
            let len = buffer.len().min(self.most);
            self.bytes.read_at(at, buffer.get_mut(..len)?)
        }
    }

    #[test]
    fn bytes_that_are_there_are_not_read_again() {
        let file = Slow::new(100, 50);
        let mut window = Window::default();
        assert_eq!(window.read(10, 4, 40, &file), Ok((&file.bytes[10..50], false)));
        assert_eq!(window.read(30, 20, 40, &file), Ok((&file.bytes[30..50], false)));
        assert_eq!(file.asked.take(), [(10, 40)]);
        // What is left is kept, and the rest is read behind it.
        assert_eq!(window.read(45, 20, 40, &file), Ok((&file.bytes[45..85], false)));
        assert_eq!(file.asked.take(), [(50, 35)]);
        // Backwards everything is read.
        assert_eq!(window.read(44, 1, 8, &file), Ok((&file.bytes[44..52], false)));
        assert_eq!(file.asked.take(), [(44, 8)]);
    }

    #[test]
    fn short_reads_go_on_until_there_is_enough() {
        let file = Slow::new(100, 3);
        let mut window = Window::default();
        assert_eq!(window.read(0, 7, 20, &file), Ok((&file.bytes[..9], false)));
        assert_eq!(file.asked.take(), [(0, 20), (3, 17), (6, 14)]);
    }

    #[test]
    fn the_end_of_the_file_is_told() {
        let file = Slow::new(20, 100);
        let mut window = Window::default();
        assert_eq!(window.read(16, 8, 8, &file), Ok((&file.bytes[16..], true)));
        assert_eq!(window.read(16, 4, 8, &file), Ok((&file.bytes[16..], false)));
        assert_eq!(window.read(90, 1, 8, &file), Ok((&[][..], true)));
        assert_eq!(window.read(u64::MAX, 1, 8, &file), Ok((&[][..], true)));
    }

    #[test]
    fn a_file_that_cannot_be_read_leaves_nothing_behind() {
        struct Gone;
        impl ByteSource for Gone {
            fn read_at(&self, _at: u64, _buffer: &mut [u8]) -> Option<usize> {
                None
            }
        }
        let file = Slow::new(100, 100);
        let mut window = Window::default();
        window.read(0, 10, 10, &file).unwrap();
        assert_eq!(window.read(5, 10, 10, &Gone), Err(Unreadable::Changed));
        assert_eq!(window.read(5, 10, 10, &file), Ok((&file.bytes[5..15], false)));
    }

    #[test]
    fn bytes_that_are_on_their_way_are_read_when_they_are_there() {
        struct Arriving(Cell<usize>, Vec<u8>);
        impl ByteSource for Arriving {
            fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
                let n = self.0.get().checked_sub(at as usize)?.min(buffer.len());
                (n > 0).then(|| self.1.read_at(at, &mut buffer[..n]))?
            }
            fn is_late(&self) -> bool {
                true
            }
        }
        let file = Arriving(Cell::new(30), (0..100).collect());
        let mut window = Window::default();
        assert_eq!(window.read(0, 20, 40, &file), Ok((&file.1[..30], false)));
        assert_eq!(window.read(20, 20, 40, &file), Err(Unreadable::Late));
        file.0.set(50);
        assert_eq!(window.read(20, 20, 40, &file), Ok((&file.1[20..50], false)));
    }

    #[test]
    fn an_error_of_a_pass_keeps_its_offset_and_says_its_cause() {
        struct Failing;
        impl Pass for Failing {
            fn want(&self) -> Option<Range> {
                Some(Range { at: 7, len: 3 })
            }
            fn push(&mut self, _bytes: &[u8], _visitor: &mut (dyn Visitor + '_)) -> unspool_trace::Result<usize> {
                Err(Error::new(8, Cause::UnknownRecord { kind: 0x15 }))
            }
            fn end(&mut self, _rest: &[u8], _visitor: &mut (dyn Visitor + '_)) -> unspool_trace::Result<()> {
                Ok(())
            }
        }
        let mut rows = Rows::new(0, 0..1, 1, 1);
        let result = run_pass(&mut Failing, &vec![0; 100], &mut Window::default(), Reads::ahead(10), &mut rows);
        let error = result.unwrap_err();
        assert_eq!(error, Unreadable::Undecodable(Error::new(8, Cause::UnknownRecord { kind: 0x15 })));
        assert_eq!(error.to_string(), "Unknown record type 0x15.");
    }

    #[test]
    fn memory_for_one_long_record_is_given_back() {
        let file = vec![0; 1 << 20];
        let mut window = Window::default();
        window.read(0, 1 << 20, 0, &file).unwrap();
        window.read(0, 1 << 20, 0, &file).unwrap();
        assert!(window.bytes.capacity() >= 1 << 20);
        window.read(1 << 20, 1, 1000, &file).unwrap();
        assert!(window.bytes.capacity() < 1 << 13);
    }
}
