//! The bytes of a binary, of which only what is needed is read.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use crate::fault::{Fault, Why};

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Absolute offset of its first byte.
    pub at: u64,
    /// Its length in bytes. Never 0.
    pub len: u64,
}

/// Why something cannot go on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Bytes are missing; [`File::missing`] says which.
    Missing,
    /// It is wrong.
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Least bytes that are asked for at once: many small reads are slow.
const LEAST: u64 = 32 * 1024;
/// Most bytes of one read.
const MOST: u64 = 64 << 20;
/// Bytes kept for what is asked next.
const KEPT: u64 = 24 << 20;
/// Most bytes that one question may need at the same time.
const IN_USE: u64 = 96 << 20;

/// The parts of a file that were read so far. What is read asks for bytes and is repeated when they
/// are there.
#[derive(Debug, Default)]
pub(crate) struct File {
    size: u64,
    /// The latest last.
    pieces: RefCell<Vec<Rc<Piece>>>,
    missing: Cell<Option<Range>>,
}

#[derive(Debug)]
struct Piece {
    at: u64,
    bytes: Vec<u8>,
}

/// Bytes of a file.
#[derive(Clone, Debug)]
pub(crate) struct View {
    piece: Rc<Piece>,
    from: usize,
    to: usize,
}

impl Deref for View {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.piece.bytes.get(self.from..self.to).unwrap_or_default()
    }
}

impl View {
    /// All bytes from the first of it on that are in memory.
    pub(crate) fn and_more(&self) -> View {
        View { to: self.piece.bytes.len(), ..self.clone() }
    }
}

impl File {
    /// A file of `size` bytes, none of which are known.
    pub(crate) fn new(size: u64) -> Self {
        Self { size, ..Self::default() }
    }

    /// A file that is in memory as a whole.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        Self { size, pieces: RefCell::new(vec![Rc::new(Piece { at: 0, bytes })]), missing: Cell::new(None) }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The bytes that were missing last.
    pub(crate) fn missing(&self) -> Option<Range> {
        self.missing.get()
    }

    /// Starts a question over.
    pub(crate) fn clear_missing(&self) {
        self.missing.set(None);
    }

    /// Adds bytes that were missing. Does nothing with others: another question may have come
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// There are fewer than that: the file ended or changed.
    pub(crate) fn push(&self, at: u64, bytes: Vec<u8>) -> Result<(), Fault> {
        let Some(wanted) = self.missing.get().filter(|wanted| wanted.at == at) else { return Ok(()) };
        self.missing.set(None);
        if (bytes.len() as u64) < wanted.len {
            return Err(Fault { at: at.saturating_add(bytes.len() as u64), why: Why::Changed });
        }
        self.pieces.borrow_mut().push(Rc::new(Piece { at, bytes }));
        Ok(())
    }

    /// Frees what was read for the last question, but for the latest part of it.
    pub(crate) fn forget(&self) {
        let mut pieces = self.pieces.borrow_mut();
        let mut kept = 0;
        let first = pieces.iter().rposition(|piece| {
            kept += piece.bytes.len() as u64;
            kept > KEPT
        });
        pieces.drain(..first.map_or(0, |first| first + 1));
    }

    /// `len` bytes from `at` on. Asks for them if they are not there.
    pub(crate) fn bytes(&self, at: u64, len: u64) -> Result<View, Stop> {
        self.ahead(at, len, LEAST)
    }

    /// As [`File::bytes`], and asks for at least `ahead` bytes where the file has them.
    pub(crate) fn ahead(&self, at: u64, len: u64, ahead: u64) -> Result<View, Stop> {
        let end = at.checked_add(len).filter(|end| *end <= self.size);
        let Some(end) = end else { return Err(Fault { at: self.size, why: Why::Truncated }.into()) };
        let pieces = self.pieces.borrow();
        for piece in pieces.iter().rev() {
            if piece.at <= at && end - piece.at <= piece.bytes.len() as u64 {
                let from = (at - piece.at) as usize;
                return Ok(View { piece: Rc::clone(piece), from, to: from + len as usize });
            }
        }
        let held: u64 = pieces.iter().map(|piece| piece.bytes.len() as u64).sum();
        if len > MOST || held + len > IN_USE {
            return Err(Fault { at, why: Why::Large }.into());
        }
        let len = len.max(ahead.min(MOST)).min(self.size - at).max(1);
        self.missing.set(Some(Range { at, len }));
        Err(Stop::Missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_bytes_are_asked_for_once() {
        let file = File::new(100);
        assert!(matches!(file.bytes(10, 5), Err(Stop::Missing)));
        let Range { at, len } = file.missing().unwrap();
        assert_eq!((at, len), (10, 90), "with what follows");
        file.push(10, (10..100).collect()).unwrap();
        assert_eq!(*file.bytes(20, 3).unwrap(), [20, 21, 22]);
        assert_eq!(file.bytes(20, 3).unwrap().and_more().len(), 80);
        assert_eq!(file.missing(), None);
        assert!(matches!(file.bytes(9, 2), Err(Stop::Missing)));
    }

    #[test]
    fn no_more_is_read_than_the_file_has_and_a_question_may_need() {
        let file = File::new(10);
        for (at, len) in [(10, 1), (0, 11), (u64::MAX, 2), (3, u64::MAX)] {
            assert_eq!(file.bytes(at, len).unwrap_err(), Stop::Fault(Fault { at: 10, why: Why::Truncated }));
        }
        let file = File::new(1 << 40);
        assert_eq!(file.bytes(7, MOST + 1).unwrap_err(), Stop::Fault(Fault { at: 7, why: Why::Large }));
        assert!(matches!(file.ahead(0, 1, u64::MAX), Err(Stop::Missing)));
        assert_eq!(file.missing().unwrap().len, MOST);
    }

    #[test]
    fn fewer_bytes_than_asked_for_are_a_fault() {
        let file = File::new(100);
        assert!(file.bytes(0, 50).is_err());
        assert_eq!(file.push(0, vec![0; 20]), Err(Fault { at: 20, why: Why::Changed }));
    }

    #[test]
    fn old_parts_are_forgotten() {
        let file = File::new(1 << 30);
        for at in 0..8 {
            assert!(file.ahead(at << 23, 1 << 23, 0).is_err());
            file.push(at << 23, vec![0; 1 << 23]).unwrap();
        }
        file.forget();
        assert!(file.bytes(7 << 23, 1).is_ok());
        assert!(file.bytes(0, 1).is_err());
    }
}
