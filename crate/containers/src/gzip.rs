//! gzip (RFC 1952): members back-to-back, and anything may follow the first one, as for `gzip` and
//! zlib's `gzread`.

use alloc::vec::Vec;

use unspool_trace::problem::{MALFORMED, Problem, TRUNCATED};

use super::{Buffer, Inflate, Inflated, Unpack, within_step};

const FIXED: usize = 10;
const TRAILER: usize = 8;
/// Longer headers are rejected.
const MAX_HEADER: usize = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    Data,
    Trailer,
    /// Bytes after the last member.
    Over,
}

/// Unpacks gzip, its data in whole steps of the file.
pub struct Gzip {
    state: State,
    at: u64,
    /// An incomplete header or trailer.
    held: Vec<u8>,
    inflate: Inflate,
    members: u64,
    piece_at: u64,
    /// The input goes up to the end of the file.
    last: bool,
    /// The first trailer that does not match its member.
    wrong: Option<u64>,
}

impl Gzip {
    /// As lenient as `gzread`, and as apitrace: the last trailer may be missing, and what trailers
    /// say is ignored. Damage shows in the events.
    pub(crate) fn lenient() -> Self {
        Self::new(Inflate::default())
    }

    /// Checks checksums and lengths, and wants a trailer after each member.
    pub fn checked() -> Self {
        Self::new(Inflate::with_sum())
    }

    fn new(inflate: Inflate) -> Self {
        let (state, held) = (State::Header, Vec::new());
        Self { state, at: 0, held, inflate, members: 0, piece_at: 0, last: false, wrong: None }
    }

    /// Offset of the first trailer whose checksum or length is not that of its member. Members
    /// after it are unpacked nevertheless.
    pub fn wrong_trailer(&self) -> Option<u64> {
        self.wrong
    }

    /// Compares a trailer with what was unpacked, if that is wanted.
    fn check(&mut self) {
        if let Some((sum, len)) = self.inflate.sum()
            && let Some((crc, rest)) = self.held.split_first_chunk::<4>()
            && let Some(size) = rest.first_chunk::<4>()
            && (sum, len as u32) != (u32::from_le_bytes(*crc), u32::from_le_bytes(*size))
        {
            self.wrong = self.wrong.or(Some(self.at - TRAILER as u64));
        }
    }

    fn broken(&mut self) -> Problem {
        self.state = State::Over;
        Problem { at: self.at, kind: &MALFORMED, value: 0 }
    }
}

/// Length of the header at the beginning of `bytes`: `None` if it is incomplete.
///
/// # Errors
///
/// Fails if `bytes` do not begin with a header, or with one longer than [`MAX_HEADER`].
fn header_len(bytes: &[u8]) -> Result<Option<usize>, ()> {
    let magic = [0x1f, 0x8b, 8];
    if bytes.iter().zip(&magic).any(|(a, b)| a != b) || bytes.len() > MAX_HEADER {
        return Err(());
    }
    let Some(fixed) = bytes.first_chunk::<FIXED>() else { return Ok(None) };
    let flags = fixed[3];
    let mut len = FIXED;
    if flags & 4 != 0 {
        let Some([low, high]) = bytes.get(len..len + 2) else { return Ok(None) };
        len += 2 + usize::from(u16::from_le_bytes([*low, *high]));
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let Some(end) = bytes.get(len..).and_then(|b| b.iter().position(|b| *b == 0)) else { return Ok(None) };
            len += end + 1;
        }
    }
    if flags & 2 != 0 {
        len += 2;
    }
    Ok((len <= bytes.len()).then_some(len))
}

impl Unpack for Gzip {
    fn unpack(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Problem> {
        match self.state {
            State::Header => {
                let before = self.held.len();
                self.held.extend_from_slice(input.get(..MAX_HEADER).unwrap_or(input));
                let Ok(len) = header_len(&self.held) else {
                    if self.members == 0 {
                        // The header is where it begins, however many portions it came in.
                        self.at -= before as u64;
                        return Err(self.broken());
                    }
                    // Zeros, or a signature: like zlib, ignore what follows the last member.
                    self.state = State::Over;
                    return Ok(input.len());
                };
                let taken = match len {
                    Some(len) => {
                        self.state = State::Data;
                        self.inflate.reset();
                        self.held.clear();
                        len.saturating_sub(before)
                    }
                    None => self.held.len() - before,
                };
                self.at += taken as u64;
                Ok(taken)
            }
            State::Data => {
                let input = match within_step(input, self.at) {
                    Some(step) => step,
                    None if self.last => input,
                    None => return Ok(0),
                };
                self.piece_at = self.at;
                let before = out.data().len();
                let (taken, result) = self.inflate.run(input, out);
                self.at += taken as u64;
                match result {
                    Inflated::Going => {}
                    Inflated::Ended => {
                        self.members += 1;
                        self.state = State::Trailer;
                        if taken == 0 && out.data().len() == before {
                            // Taking and adding nothing would mean that more input is needed.
                            return self.unpack(input, out);
                        }
                    }
                    Inflated::Damaged => return Err(self.broken()),
                }
                Ok(taken)
            }
            State::Trailer => {
                let n = (TRAILER - self.held.len()).min(input.len());
                self.held.extend_from_slice(input.get(..n).unwrap_or_default());
                self.at += n as u64;
                if self.held.len() == TRAILER {
                    self.check();
                    self.held.clear();
                    self.state = State::Header;
                }
                Ok(n)
            }
            State::Over => Ok(input.len()),
        }
    }

    fn last(&mut self) {
        self.last = true;
    }

    fn finish(&mut self, _out: &mut Buffer) -> Result<(), Problem> {
        match self.state {
            State::Header if self.members > 0 && self.held.is_empty() => Ok(()),
            State::Trailer if self.inflate.sum().is_none() => Ok(()),
            State::Over => Ok(()),
            // The number of missing bytes is unknown.
            State::Header | State::Data | State::Trailer => Err(Problem { at: self.at, kind: &TRUNCATED, value: 0 }),
        }
    }

    fn piece_at(&self) -> u64 {
        self.piece_at
    }
}
