//! Passes over whole events without looking at their values.
//!
//! The same grammar as in `decode.rs`, for the usual case alone: the event is all in sight, defines nothing, and nobody asks
//! for what its values are. In any other case it gives up and the state machine takes the event from its beginning. A test
//! shows that both use up the same bytes and tell the same events.

use super::decode::Enter;
use super::tables::Tables;
use super::wire::{self, MAX_ARGS, tag};

/// Values within each other; more are left to the state machine, which does not recurse.
const DEPTH: u32 = 16;

/// An event without its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Enter(Enter),
    Leave { at: u64, call: u64 },
}

/// Passes over events in `bytes`.
pub(crate) struct Skimmer<'a> {
    bytes: &'a [u8],
    /// Behind the last whole event.
    done: usize,
    pos: usize,
    version: u32,
    blobs: u64,
}

impl<'a> Skimmer<'a> {
    pub(crate) fn new(bytes: &'a [u8], version: u32) -> Self {
        Self { bytes, done: 0, pos: 0, version, blobs: 0 }
    }

    /// How many bytes the events passed over have.
    pub(crate) fn position(&self) -> usize {
        self.done
    }

    /// The next event and the bytes of its blobs; `at` is its offset in the stream, `call` the number of a call that begins.
    #[inline]
    pub(crate) fn event(&mut self, tables: &Tables, at: u64, call: u64) -> Option<(Event, u64)> {
        self.pos = self.done;
        self.blobs = 0;
        let event = match self.byte()? {
            wire::ENTER => {
                let thread = if self.version >= wire::THREADS { self.uint()? } else { 0 };
                let function = tables.functions.index(self.uint()?)?;
                if tables.functions.get(function)?.flags.marker.is_some() {
                    return None;
                }
                Event::Enter(Enter { at, call, thread, function })
            }
            wire::LEAVE => Event::Leave { at, call: self.uint()? },
            _ => return None,
        };
        loop {
            match self.byte()? {
                wire::DETAIL_END => break,
                wire::DETAIL_ARG => {
                    if self.uint()? >= MAX_ARGS {
                        return None;
                    }
                    self.value(tables, DEPTH)?;
                }
                wire::DETAIL_RET => self.value(tables, DEPTH)?,
                wire::DETAIL_FLAGS => {
                    self.uint()?;
                }
                _ => return None,
            }
        }
        if self.pos > self.bytes.len() {
            return None;
        }
        self.done = self.pos;
        Some((event, self.blobs))
    }

    #[inline(always)]
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.pos)?;
        self.pos += 1;
        Some(byte)
    }

    #[inline(always)]
    fn uint(&mut self) -> Option<u64> {
        let first = self.byte()?;
        if first < 0x80 {
            return Some(first.into());
        }
        self.long_uint(first)
    }

    #[inline]
    fn long_uint(&mut self, first: u8) -> Option<u64> {
        let mut value = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    #[inline(always)]
    fn skip(&mut self, n: u64) -> Option<()> {
        // A position behind the end is found out at the next byte: no event ends with something that is skipped.
        self.pos = self.pos.checked_add(usize::try_from(n).ok()?)?;
        Some(())
    }

    #[inline]
    fn value(&mut self, tables: &Tables, depth: u32) -> Option<()> {
        match self.byte()? {
            tag::NULL | tag::FALSE | tag::TRUE => Some(()),
            tag::NEGATIVE | tag::UINT | tag::POINTER => self.uint().map(drop),
            tag::FLOAT => self.skip(4),
            tag::DOUBLE => self.skip(8),
            tag::STRING => {
                let n = self.uint()?;
                self.skip(n)
            }
            tag::BLOB => {
                let n = self.uint()?;
                self.blobs = self.blobs.saturating_add(n);
                self.skip(n)
            }
            tag::ENUM => {
                tables.enums.index(self.uint()?)?;
                if self.version >= wire::ENUM_TABLES {
                    if !matches!(self.byte()?, tag::NEGATIVE | tag::UINT) {
                        return None;
                    }
                    self.uint()?;
                }
                Some(())
            }
            tag::BITMASK => {
                tables.bitmasks.index(self.uint()?)?;
                self.uint().map(drop)
            }
            tag => self.nested(tag, tables, depth.checked_sub(1)?),
        }
    }

    fn nested(&mut self, tag: u8, tables: &Tables, depth: u32) -> Option<()> {
        let count = match tag {
            tag::ARRAY => self.uint()?,
            tag::STRUCT => tables.structs.get(tables.structs.index(self.uint()?)?)?.members.len() as u64,
            tag::REPR => 2,
            tag::WIDE => {
                for _ in 0..self.uint()? {
                    self.uint()?;
                }
                return Some(());
            }
            _ => return None,
        };
        for _ in 0..count {
            self.value(tables, depth)?;
        }
        Some(())
    }
}
