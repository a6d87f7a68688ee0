//! Brotli (RFC 7932): one stream, no magic number, no checksum, no random access.

use alloc::boxed::Box;
use alloc::vec::Vec;

use alloc_no_stdlib::{Allocator, SliceWrapper, SliceWrapperMut};
use brotli_decompressor::{
    BrotliDecoderErrorCode, BrotliDecoderHasMoreOutput, BrotliDecoderTakeOutput, BrotliDecompressStream, BrotliResult,
    BrotliState, HuffmanCode,
};
use unspool_trace::problem::{MALFORMED, Problem, TRUNCATED};

use super::{Buffer, PIECE, Unpack, within_step};

/// The decompressor's allocator. The one it comes with needs std.
#[derive(Clone, Copy, Default)]
struct Heap;

struct Memory<T>(Vec<T>);

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> SliceWrapper<T> for Memory<T> {
    fn slice(&self) -> &[T] {
        &self.0
    }
}

impl<T> SliceWrapperMut<T> for Memory<T> {
    fn slice_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Clone + Default> Allocator<T> for Heap {
    type AllocatedMemory = Memory<T>;

    fn alloc_cell(&mut self, len: usize) -> Memory<T> {
        let mut memory = Vec::new();
        memory.resize(len, T::default());
        Memory(memory)
    }

    fn free_cell(&mut self, _data: Memory<T>) {}
}

type State = BrotliState<Heap, Heap, Heap>;
const _: fn() = || {
    fn allocates<T, A: Allocator<T>>() {}
    allocates::<HuffmanCode, Heap>();
};

/// Unpacks Brotli, in whole steps of the file: the decompressor does not say where it fails, and
/// what it gives out before depends on where its input ends.
pub(crate) struct Brotli {
    state: Box<State>,
    at: u64,
    piece_at: u64,
    /// The input goes up to the end of the file.
    last: bool,
    over: bool,
}

impl Brotli {
    pub(crate) fn new() -> Self {
        // Strict: windows up to 16 MiB, as apitrace writes them. "Large windows" could demand a
        // gigabyte.
        Self { state: Box::new(State::new_strict(Heap, Heap, Heap)), at: 0, piece_at: 0, last: false, over: false }
    }
}

impl Brotli {
    /// Appends what the decompressor decoded before the damage. It writes its window when that is
    /// full or when it needs more input.
    fn drain(&mut self, out: &mut Buffer) {
        // It refuses to return anything after an error, or if a copy went beyond the end of its
        // block.
        self.state.error_code = BrotliDecoderErrorCode::BROTLI_DECODER_SUCCESS;
        let excess = usize::try_from(self.state.meta_block_remaining_len.saturating_neg()).unwrap_or(0);
        self.state.meta_block_remaining_len = self.state.meta_block_remaining_len.max(0);
        let before = out.data().len();
        while BrotliDecoderHasMoreOutput(&self.state) {
            let mut len = PIECE;
            out.append(BrotliDecoderTakeOutput(&mut self.state, &mut len).get(..len).unwrap_or_default());
            if len == 0 {
                break;
            }
        }
        out.shorten(excess.min(out.data().len() - before));
    }
}

impl Unpack for Brotli {
    fn unpack(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Problem> {
        if self.over {
            // Ignore what follows the stream.
            return Ok(input.len());
        }
        let input = match within_step(input, self.at) {
            Some(step) => step,
            None if self.last => input,
            None => return Ok(0),
        };
        self.piece_at = self.at;
        let room = out.room(PIECE);
        let (mut left, mut taken, mut room_left, mut written, mut total) = (input.len(), 0, room.len(), 0, 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut taken,
            input,
            &mut room_left,
            &mut written,
            room,
            &mut total,
            &mut self.state,
        );
        out.added(written);
        self.at += taken as u64;
        match result {
            BrotliResult::ResultSuccess => {
                self.over = true;
                if taken == 0 && written == 0 {
                    // Taking and adding nothing would mean that more input is needed.
                    return Ok(input.len());
                }
            }
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultFailure => {
                self.over = true;
                self.drain(out);
                return Err(Problem { at: self.at, kind: &MALFORMED, value: 0 });
            }
        }
        Ok(taken)
    }

    fn last(&mut self) {
        self.last = true;
    }

    fn finish(&mut self, _out: &mut Buffer) -> Result<(), Problem> {
        if self.over { Ok(()) } else { Err(Problem { at: self.at, kind: &TRUNCATED, value: 0 }) }
    }

    fn piece_at(&self) -> u64 {
        self.piece_at
    }
}
