//! Writes XRay logs: the mirror of the decoder, for fixtures, samples and tests.

use alloc::vec::Vec;

use super::wire::{Basic, FunctionKind, Header, Metadata, Mode, function_bytes};

/// The header that today's writers put before a log.
pub fn header(mode: Mode, frequency: u64, buffer_size: u64) -> Header {
    let version = match mode {
        Mode::Basic => 3,
        Mode::Fdr => 5,
    };
    Header { version, mode, constant_tsc: true, nonstop_tsc: true, frequency, buffer_size, big_endian: false }
}

/// One buffer of an FDR log of version 5. Times are absolute; the writer makes differences of them.
#[derive(Clone, Debug)]
pub struct FdrBuffer {
    bytes: Vec<u8>,
    clock: u64,
    uncounted: u64,
}

impl FdrBuffer {
    /// A buffer with its preamble. `wall` is seconds and microseconds since boot.
    pub fn new(pid: i32, tid: i32, cpu: u16, clock: u64, wall: (i64, i32)) -> Self {
        let mut buffer = Self { bytes: Vec::new(), clock, uncounted: 0 };
        buffer.put(Metadata::NewBuffer { tid });
        buffer.put(Metadata::WallTime { seconds: wall.0, micros: wall.1 });
        buffer.put(Metadata::Pid { pid });
        buffer.put(Metadata::NewCpu { cpu, clock });
        buffer
    }

    /// Bytes of records so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Never: there is a preamble.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A function record; of `func` the lower 28 bits are kept. A clock that goes back, or too far ahead for 32 bits, is
    /// written as an absolute one first.
    pub fn function(&mut self, kind: FunctionKind, func: u32, clock: u64) {
        let delta = clock.checked_sub(self.clock).and_then(|d| u32::try_from(d).ok()).filter(|d| *d <= i32::MAX as u32);
        if delta.is_none() {
            self.put(Metadata::ClockWrap { clock });
        }
        self.clock = clock;
        self.bytes.extend_from_slice(&function_bytes(kind, func, delta.unwrap_or(0)));
    }

    /// An argument of the enter just written.
    pub fn argument(&mut self, value: u64) {
        self.put(Metadata::Argument { value });
    }

    /// The thread goes on on another CPU.
    pub fn cpu(&mut self, cpu: u16, clock: u64) {
        self.clock = clock;
        self.put(Metadata::NewCpu { cpu, clock });
    }

    /// A custom event (`kind` is `None`) or a typed one; of the payload the first 2^31 - 1 bytes are kept.
    pub fn event(&mut self, kind: Option<u16>, clock: u64, payload: &[u8]) {
        let delta = clock.checked_sub(self.clock).and_then(|d| i32::try_from(d).ok());
        if delta.is_none() {
            self.put(Metadata::ClockWrap { clock });
        }
        self.clock = clock;
        let (delta, size) = (delta.unwrap_or(0), i32::try_from(payload.len()).unwrap_or(i32::MAX));
        match kind {
            None => self.put(Metadata::Custom { size, delta }),
            Some(kind) => {
                self.put(Metadata::Typed { size, delta, kind });
                self.uncounted += 16;
            }
        }
        self.bytes.extend(payload.iter().take(size as usize));
    }

    /// The buffer with its extents, as it should be.
    pub fn finish(self) -> Vec<u8> {
        let len = self.bytes.len();
        self.cut_to(len)
    }

    /// The buffer as LLVM writes it: the extents leave out 16 bytes for each typed event, and so does the file.
    pub fn finish_as_llvm(self) -> Vec<u8> {
        let len = self.bytes.len().saturating_sub(self.uncounted as usize);
        self.cut_to(len)
    }

    fn cut_to(self, len: usize) -> Vec<u8> {
        let mut out = Metadata::Extents { len: len as u64 }.to_bytes().to_vec();
        out.extend(self.bytes.iter().take(len));
        out
    }

    fn put(&mut self, record: Metadata) {
        self.bytes.extend_from_slice(&record.to_bytes());
    }
}

/// Writes a basic log of version 3: the header, then these records.
pub fn basic_log(frequency: u64, records: &[Basic]) -> Vec<u8> {
    let mut out = header(Mode::Basic, frequency, 0).to_bytes().to_vec();
    out.extend(records.iter().flat_map(|r| r.to_bytes()));
    out
}
