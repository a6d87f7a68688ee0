//! gzip (RFC 1952): back-to-back members. Unlike the reader of apitrace's container, this one
//! checks the checksums.

use alloc::vec::Vec;

use unspool_containers::{Buffer, GZIP_MAX_HEADER, gzip_header_len};

use crate::deflate::Deflate;
use crate::stream::Decode;
use crate::{Fault, Why};

const TRAILER: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    Data,
    Trailer,
    /// Bytes after the last member.
    Over,
}

/// Unpacks gzip.
pub(crate) struct Gzip {
    state: State,
    at: u64,
    /// An incomplete header or trailer.
    held: Vec<u8>,
    deflate: Deflate,
    /// Where the data of the current member begins.
    data_at: u64,
    members: u64,
    /// The first member with a wrong checksum. Members after it are unpacked nevertheless.
    wrong: Option<Fault>,
}

impl Gzip {
    pub(crate) fn new() -> Self {
        let deflate = Deflate::new(None);
        Self { state: State::Header, at: 0, held: Vec::new(), deflate, data_at: 0, members: 0, wrong: None }
    }

    /// Holds bytes of `input` until there are `wanted`. Returns how many it took.
    fn hold(&mut self, input: &[u8], wanted: usize) -> usize {
        let n = wanted.saturating_sub(self.held.len()).min(input.len());
        self.held.extend_from_slice(input.get(..n).unwrap_or_default());
        self.at += n as u64;
        n
    }

    fn header(&mut self, input: &[u8]) -> Result<usize, Fault> {
        let before = self.held.len();
        let more = input.get(..GZIP_MAX_HEADER).unwrap_or(input);
        self.held.extend_from_slice(more);
        let Ok(len) = gzip_header_len(&self.held) else {
            if self.members == 0 {
                return Err(Fault { at: self.at - before as u64, why: Why::Malformed });
            }
            // Zeros, or a signature: like gzip, ignore what follows the last member.
            self.state = State::Over;
            return Ok(input.len());
        };
        let taken = match len {
            Some(len) => {
                self.held.clear();
                self.deflate.reset();
                self.state = State::Data;
                len.saturating_sub(before)
            }
            None => more.len(),
        };
        self.at += taken as u64;
        self.data_at = self.at;
        Ok(taken)
    }
}

impl Decode for Gzip {
    fn run(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Fault> {
        match self.state {
            State::Header => self.header(input),
            State::Data => {
                let taken =
                    self.deflate.run(input, out).map_err(|fault| Fault { at: self.data_at + fault.at, ..fault })?;
                self.at += taken as u64;
                if self.deflate.is_over() {
                    self.members += 1;
                    self.state = State::Trailer;
                    if taken == 0 && out.data().is_empty() {
                        // Taking and adding nothing would mean that more input is needed.
                        return self.run(input, out);
                    }
                }
                Ok(taken)
            }
            State::Trailer => {
                let taken = self.hold(input, TRAILER);
                if let Some((crc, rest)) = self.held.split_first_chunk::<4>()
                    && let Some(len) = rest.first_chunk::<4>()
                {
                    let (found, added) = self.deflate.sum();
                    if (found, added as u32) != (u32::from_le_bytes(*crc), u32::from_le_bytes(*len)) {
                        let at = self.at - TRAILER as u64;
                        self.wrong = self.wrong.or(Some(Fault { at, why: Why::Checksum }));
                    }
                    self.held.clear();
                    self.state = State::Header;
                }
                Ok(taken)
            }
            State::Over => Ok(input.len()),
        }
    }

    fn end(&mut self, _out: &mut Buffer) -> Result<(), Fault> {
        match self.state {
            State::Header if self.members > 0 && self.held.is_empty() => {}
            State::Over => {}
            State::Header | State::Data | State::Trailer => {
                return Err(self.wrong.unwrap_or(Fault { at: self.at, why: Why::Truncated }));
            }
        }
        self.wrong.map_or(Ok(()), Err)
    }
}
