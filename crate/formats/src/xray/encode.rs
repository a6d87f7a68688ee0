//! Writes XRay logs: the mirror of the decoder, for fixtures, samples and tests.

use alloc::vec::Vec;

use super::wire::{Basic, EventTime, FunctionKind, Header, Metadata, Mode, Wire};

/// The header that today's writers put before a log.
pub fn header(mode: Mode, frequency: u64, buffer_size: u64) -> Header {
    let version = match mode {
        Mode::Basic => 3,
        Mode::Fdr => 5,
    };
    Header { version, mode, constant_tsc: true, nonstop_tsc: true, frequency, buffer_size, big_endian: false }
}

/// One buffer of an FDR log. Times are absolute; the writer makes differences of them.
#[derive(Clone, Debug)]
pub struct FdrBuffer {
    header: Header,
    bytes: Vec<u8>,
    clock: u64,
    /// Bytes that writers leave out of the extents: those of the records of typed events.
    forgotten: usize,
    /// Bytes of payload that have been overwritten, but count.
    overwritten: usize,
}

impl FdrBuffer {
    /// A buffer of version 5 with its preamble. `wall` is seconds and microseconds since boot.
    pub fn new(pid: i32, tid: i32, cpu: u16, clock: u64, wall: (i64, i32)) -> Self {
        Self::of(&header(Mode::Fdr, 0, 0), pid, tid, cpu, clock, wall)
    }

    /// A buffer for a log with this header. The process is told from version 3 on.
    pub fn of(header: &Header, pid: i32, tid: i32, cpu: u16, clock: u64, wall: (i64, i32)) -> Self {
        let mut buffer = Self { header: *header, bytes: Vec::new(), clock, forgotten: 0, overwritten: 0 };
        buffer.put(Metadata::NewBuffer { tid });
        buffer.put(Metadata::WallTime { seconds: wall.0, micros: wall.1 });
        if header.version >= 3 {
            buffer.put(Metadata::Pid { pid });
        }
        buffer.put(Metadata::NewCpu { cpu, clock });
        buffer
    }

    fn wire(&self) -> Wire {
        self.header.wire()
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
        // Until version 3 arguments followed a plain enter.
        let kind = if self.header.version <= 3 && kind == FunctionKind::EnterArgs { FunctionKind::Enter } else { kind };
        let bytes = self.wire().function_bytes(kind, func, delta.unwrap_or(0));
        self.bytes.extend_from_slice(&bytes);
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

    /// A custom event (`kind` is `None`) or, from version 2 on, a typed one; of the payload the first 2^31 - 1 bytes are
    /// kept. Versions 1 and 2 lose the payload, as their writers did.
    pub fn event(&mut self, kind: Option<u16>, clock: u64, payload: &[u8]) {
        let size = i32::try_from(payload.len()).unwrap_or(i32::MAX);
        let time = if self.header.version >= 5 {
            let delta = clock.checked_sub(self.clock).and_then(|d| i32::try_from(d).ok());
            if delta.is_none() {
                self.put(Metadata::ClockWrap { clock });
            }
            self.clock = clock;
            EventTime::Delta(delta.unwrap_or(0))
        } else {
            EventTime::Clock(clock)
        };
        match kind {
            None => self.put(Metadata::Custom { size, time, cpu: (self.header.version == 4).then_some(0) }),
            Some(kind) => {
                self.put(Metadata::Typed { size, time, kind });
                self.forgotten += 16;
            }
        }
        if self.header.version > 2 {
            self.bytes.extend(payload.iter().take(size as usize));
        } else {
            self.overwritten += payload.len();
        }
    }

    /// An event of version 3 as LLVM 7 wrote it: the records that follow overwrite its payload.
    pub fn overwritten_event(&mut self, clock: u64, size: u32) {
        self.put(Metadata::Custom { size: size as i32, time: EventTime::Clock(clock), cpu: None });
        self.overwritten += size as usize;
    }

    /// The buffer, as it should be.
    pub fn finish(self) -> Vec<u8> {
        let len = self.bytes.len() + self.overwritten;
        self.cut_to(len)
    }

    /// The buffer as LLVM writes it: the extents leave out 16 bytes for each typed event, and so does the file.
    pub fn finish_as_llvm(self) -> Vec<u8> {
        let len = (self.bytes.len() + self.overwritten).saturating_sub(self.forgotten);
        self.cut_to(len)
    }

    fn cut_to(mut self, len: usize) -> Vec<u8> {
        if self.header.version == 1 {
            // Buffers have one size; what does not fit is lost, as it would be.
            self.put(Metadata::EndOfBuffer);
            self.bytes.resize(usize::try_from(self.header.buffer_size).unwrap_or(0), 0);
            return self.bytes;
        }
        self.bytes.resize(self.bytes.len().max(len), 0);
        self.bytes.truncate(len);
        let mut out = self.wire().metadata_bytes(Metadata::Extents { len: len as u64 }).to_vec();
        out.append(&mut self.bytes);
        out
    }

    fn put(&mut self, record: Metadata) {
        let bytes = self.wire().metadata_bytes(record);
        self.bytes.extend_from_slice(&bytes);
    }
}

/// Writes a basic log of version 3: the header, then these records.
pub fn basic_log(frequency: u64, records: &[Basic]) -> Vec<u8> {
    basic_log_of(&header(Mode::Basic, frequency, 0), records)
}

/// Writes a basic log with this header.
pub fn basic_log_of(header: &Header, records: &[Basic]) -> Vec<u8> {
    let mut out = header.to_bytes().to_vec();
    out.extend(records.iter().flat_map(|r| r.to_bytes(header.wire())));
    out
}
