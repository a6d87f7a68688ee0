//! A section of debug information, of which only what is needed is read.

use std::borrow::Cow;
use std::rc::Rc;

use gimli::{Error, Reader, ReaderOffsetId, Result, RunTimeEndian};

use crate::file::{File, View};

/// A part of a section. Reading bytes that are missing fails, and [`File::missing`] says which.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    file: Rc<File>,
    /// Absolute offsets in the file.
    at: u64,
    end: u64,
    /// Bytes around the latest ones, and their offset.
    near: Option<(u64, View)>,
    endian: RunTimeEndian,
}

impl Part {
    /// The bytes from `at` on.
    pub(crate) fn new(file: Rc<File>, at: u64, len: u64, big_endian: bool) -> Self {
        let endian = if big_endian { RunTimeEndian::Big } else { RunTimeEndian::Little };
        Self { file, at, end: at.saturating_add(len), near: None, endian }
    }

    /// The next `len` bytes. Fails if there are fewer.
    pub(super) fn bytes(&mut self, len: u64) -> Result<&[u8]> {
        if self.end - self.at < len {
            return Err(Error::UnexpectedEof(self.offset_id()));
        }
        let within = |(from, view): &(u64, View)| {
            self.at >= *from && self.at - from <= view.len() as u64 && len <= view.len() as u64 - (self.at - from)
        };
        if !self.near.as_ref().is_some_and(within) {
            let view = self.file.bytes(self.at, len).map_err(|_| Error::Io)?.and_more();
            self.near = Some((self.at, view));
        }
        let bytes = self.near.as_ref().and_then(|(from, view)| {
            let from = (self.at - from) as usize;
            view.get(from..from + len as usize)
        });
        bytes.ok_or(Error::Io)
    }
}

impl Part {
    /// Asks for bytes that will be needed next, if the first of them is not there.
    pub(super) fn prefetch(&self, len: u64) -> Result<()> {
        let len = len.min(self.end - self.at);
        if len == 0 {
            return Ok(());
        }
        self.file.ahead(self.at, 1, len).map(|_| ()).map_err(|_| Error::Io)
    }
}

impl Reader for Part {
    type Endian = RunTimeEndian;
    type Offset = u64;

    fn endian(&self) -> RunTimeEndian {
        self.endian
    }

    fn len(&self) -> u64 {
        self.end - self.at
    }

    fn empty(&mut self) {
        self.end = self.at;
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        if len > self.len() {
            return Err(Error::UnexpectedEof(self.offset_id()));
        }
        self.end = self.at + len;
        Ok(())
    }

    fn offset_from(&self, base: &Self) -> u64 {
        self.at.wrapping_sub(base.at)
    }

    fn offset_id(&self) -> ReaderOffsetId {
        ReaderOffsetId(self.at)
    }

    fn lookup_offset_id(&self, id: ReaderOffsetId) -> Option<u64> {
        (id.0 >= self.at && id.0 <= self.end).then(|| id.0 - self.at)
    }

    fn find(&self, byte: u8) -> Result<u64> {
        let mut rest = self.clone();
        while rest.at < rest.end {
            rest.bytes(1)?;
            let Some((from, view)) = &rest.near else { break };
            let known = view.get((rest.at - from) as usize..).unwrap_or_default();
            let known = known.get(..known.len().min((rest.end - rest.at) as usize)).unwrap_or_default();
            if let Some(i) = known.iter().position(|other| *other == byte) {
                return Ok(rest.at + i as u64 - self.at);
            }
            rest.at += known.len().max(1) as u64;
        }
        Err(Error::UnexpectedEof(self.offset_id()))
    }

    fn skip(&mut self, len: u64) -> Result<()> {
        if len > self.len() {
            return Err(Error::UnexpectedEof(self.offset_id()));
        }
        self.at += len;
        Ok(())
    }

    fn split(&mut self, len: u64) -> Result<Self> {
        let mut first = self.clone();
        first.truncate(len)?;
        self.skip(len)?;
        Ok(first)
    }

    fn to_slice(&self) -> Result<Cow<'_, [u8]>> {
        let mut part = self.clone();
        let len = part.len();
        Ok(Cow::Owned(part.bytes(len)?.to_vec()))
    }

    fn to_string(&self) -> Result<Cow<'_, str>> {
        let bytes = self.to_slice()?.into_owned();
        String::from_utf8(bytes).map(Cow::Owned).map_err(|_| Error::BadUtf8)
    }

    fn to_string_lossy(&self) -> Result<Cow<'_, str>> {
        Ok(Cow::Owned(String::from_utf8_lossy(&self.to_slice()?).into_owned()))
    }

    fn read_slice(&mut self, buffer: &mut [u8]) -> Result<()> {
        let bytes = self.bytes(buffer.len() as u64)?;
        for (to, from) in buffer.iter_mut().zip(bytes) {
            *to = *from;
        }
        self.at += buffer.len() as u64;
        Ok(())
    }
}
