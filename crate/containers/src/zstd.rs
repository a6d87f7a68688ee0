//! zstd (RFC 8878): back-to-back frames; skippable frames are ignored. This also covers the
//! "seekable" format, whose seek table is a skippable frame at the end, and files without that
//! table, left by a crashed writer.
//!
//! Frames are split into blocks here, so that the decompressor receives complete blocks only.

use alloc::boxed::Box;
use alloc::vec::Vec;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use ruzstd::io::Read;
use unspool_trace::problem::{MALFORMED, Problem, TRUNCATED};

use super::{Buffer, PIECE, Unpack};

const MAGIC: u32 = 0xfd2f_b528;
/// 0x184D2A50 to 0x184D2A5F.
const SKIPPABLE: u32 = 0x184d_2a50;
/// Maximum size of a block in bytes.
const MAX_BLOCK: usize = 128 * 1024;
/// apitrace writes frames of 2 MiB; `zstd -19 --long=27` needs 128 MiB.
const MAX_WINDOW: u64 = 128 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the magic number of a frame.
    Frame,
    /// In a skippable frame.
    Skip {
        left: u64,
    },
    /// At the header of a block. `checksum`: whether the frame ends with one.
    Block {
        checksum: bool,
    },
    Over,
}

/// Unpacks zstd.
pub(crate) struct Zstd {
    state: State,
    at: u64,
    /// An incomplete frame header or block.
    held: Vec<u8>,
    decoder: Box<FrameDecoder>,
    piece_at: u64,
    /// Where the file is damaged, until everything before it has been returned.
    damage: Option<Problem>,
}

impl Zstd {
    pub(crate) fn new() -> Self {
        let mut decoder = Box::new(FrameDecoder::new());
        decoder.set_max_window_size(MAX_WINDOW);
        Self { state: State::Frame, at: 0, held: Vec::new(), decoder, piece_at: 0, damage: None }
    }

    /// Nothing can be read from here on, except what the decompressor holds back.
    fn broken(&mut self) {
        if let State::Block { .. } = self.state {
            self.end_frame();
        }
        self.state = State::Over;
        self.damage = Some(Problem { at: self.at, kind: &MALFORMED, value: 0 });
    }

    /// Ends the frame with an empty block and a checksum, which is not verified: the decompressor
    /// holds back a window until the frame ends.
    fn end_frame(&mut self) {
        let end: &[u8] = &[1, 0, 0, 0, 0, 0, 0];
        let _ = self.decoder.decode_blocks(end, BlockDecodingStrategy::UptoBlocks(1));
    }

    /// Size in bytes of the current frame header or block, as far as the held bytes show. May grow
    /// as more arrive.
    fn wanted(&self) -> usize {
        match self.state {
            State::Frame => match (self.held.first_chunk::<4>().map(|m| u32::from_le_bytes(*m)), self.held.get(4)) {
                (Some(MAGIC), Some(descriptor)) => 5 + header_rest(*descriptor),
                (Some(MAGIC), None) | (None, _) => 5,
                // Magic and length.
                (Some(_), _) => 8,
            },
            State::Block { checksum } => match self.held.first_chunk::<3>() {
                Some([a, b, c]) => {
                    let header = u32::from_le_bytes([*a, *b, *c, 0]);
                    let content = match header >> 1 & 3 {
                        // One byte, repeated.
                        1 => 1,
                        _ => (header >> 3) as usize,
                    };
                    3 + content + if checksum && header & 1 == 1 { 4 } else { 0 }
                }
                None => 3,
            },
            State::Skip { .. } | State::Over => 0,
        }
    }

    fn unit(&mut self) {
        match self.state {
            State::Frame => {
                let Some((magic, rest)) = self.held.split_first_chunk::<4>() else { return };
                let magic = u32::from_le_bytes(*magic);
                if magic & !0xf == SKIPPABLE {
                    let left = rest.first_chunk::<4>().map_or(0, |len| u32::from_le_bytes(*len));
                    self.state = if left == 0 { State::Frame } else { State::Skip { left: u64::from(left) } };
                } else if magic == MAGIC && self.decoder.reset(self.held.as_slice()).is_ok() {
                    let checksum = rest.first().is_some_and(|descriptor| descriptor & 4 != 0);
                    self.state = State::Block { checksum };
                } else {
                    return self.broken();
                }
            }
            State::Block { .. } => {
                self.piece_at = self.at;
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                match self.decoder.decode_blocks(self.held.as_slice(), blocks) {
                    Ok(true) => self.state = State::Frame,
                    Ok(false) => {}
                    Err(_) => return self.broken(),
                }
            }
            State::Skip { .. } | State::Over => {}
        }
        self.at += self.held.len() as u64;
        self.held.clear();
    }
}

/// Number of bytes of a frame header after its descriptor.
fn header_rest(descriptor: u8) -> usize {
    let single = descriptor & 0x20 != 0;
    let window = usize::from(!single);
    let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied().unwrap_or(0);
    let size = match descriptor >> 6 {
        0 => usize::from(single),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    window + dictionary + size
}

impl Unpack for Zstd {
    fn unpack(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Problem> {
        // First what the decompressor holds back: up to a window at the end of a frame.
        if self.decoder.can_collect() > 0 {
            match self.decoder.read(out.room(PIECE)) {
                Ok(n) if n > 0 => {
                    out.added(n);
                    return Ok(0);
                }
                _ => self.damage = self.damage.or(Some(Problem { at: self.at, kind: &MALFORMED, value: 0 })),
            }
        }
        if let Some(damage) = self.damage.take() {
            self.state = State::Over;
            return Err(damage);
        }
        match self.state {
            State::Over => return Ok(input.len()),
            State::Skip { left } => {
                let n = left.min(input.len() as u64);
                self.at += n;
                self.state = if left == n { State::Frame } else { State::Skip { left: left - n } };
                return Ok(n as usize);
            }
            State::Frame | State::Block { .. } => {}
        }
        let mut taken = 0;
        loop {
            let wanted = self.wanted();
            let is_complete = self.held.len() == wanted;
            if wanted > MAX_BLOCK + 16 {
                self.broken();
            } else if is_complete {
                self.unit();
            }
            if self.damage.is_some() && taken == 0 {
                // Taking and adding nothing would mean that more input is needed.
                return self.unpack(input, out);
            }
            if self.damage.is_some() || is_complete {
                return Ok(taken);
            }
            let rest = input.get(taken..).unwrap_or_default();
            let part = rest.get(..wanted.saturating_sub(self.held.len())).unwrap_or(rest);
            if part.is_empty() {
                return Ok(taken);
            }
            self.held.extend_from_slice(part);
            taken += part.len();
        }
    }

    fn finish(&mut self, out: &mut Buffer) -> Result<(), Problem> {
        if let State::Block { .. } = self.state {
            self.end_frame();
            while self.decoder.can_collect() > 0 {
                match self.decoder.read(out.room(PIECE)) {
                    Ok(n) if n > 0 => out.added(n),
                    _ => break,
                }
            }
        }
        match self.state {
            State::Over => Ok(()),
            State::Frame if self.held.is_empty() => Ok(()),
            State::Skip { left } => Err(Problem { at: self.at, kind: &TRUNCATED, value: left }),
            State::Frame | State::Block { .. } => Err(Problem {
                at: self.at + self.held.len() as u64,
                kind: &TRUNCATED,
                value: (self.wanted() - self.held.len()) as u64,
            }),
        }
    }

    fn piece_at(&self) -> u64 {
        self.piece_at
    }
}
