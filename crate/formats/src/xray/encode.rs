//! Writes XRay logs: the mirror of the decoder, for cut traces, fixtures, samples and tests.

use alloc::vec::Vec;

use super::wire::{Basic, EventTime, FunctionKind, Header, Metadata, Mode, Wire};

/// The header that LLVM's current writers put before a log: version 3 for basic mode, 5 for FDR.
/// `frequency` is in ticks per second, `buffer_size` in bytes.
pub fn header(mode: Mode, frequency: u64, buffer_size: u64) -> Header {
    let version = match mode {
        Mode::Basic => 3,
        Mode::Fdr => 5,
    };
    Header { version, mode, constant_tsc: true, nonstop_tsc: true, frequency, buffer_size, big_endian: false }
}

/// One buffer of an FDR log. Clocks are absolute, in ticks; the buffer stores their differences.
#[derive(Clone, Debug)]
pub struct FdrBuffer {
    header: Header,
    bytes: Vec<u8>,
    clock: u64,
    /// Bytes that LLVM's writer omits from the extents: the records of typed events.
    omitted: usize,
    /// Bytes of overwritten payload, which the extents count.
    overwritten: usize,
    /// The CPU that events of version 4 name.
    event_cpu: u16,
}

impl FdrBuffer {
    /// A buffer of version 5 with its preamble. `wall` is seconds and microseconds since boot.
    pub fn new(pid: i32, tid: i32, cpu: u16, clock: u64, wall: (i64, i32)) -> Self {
        Self::of(&header(Mode::Fdr, 0, 0), pid, tid, cpu, clock, wall)
    }

    /// A buffer for a log with this header. Versions before 3 do not record the process.
    pub fn of(header: &Header, pid: i32, tid: i32, cpu: u16, clock: u64, wall: (i64, i32)) -> Self {
        let mut buffer = Self { header: *header, bytes: Vec::new(), clock, omitted: 0, overwritten: 0, event_cpu: 0 };
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

    /// Length of the records so far, in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Always false: there is a preamble.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends a function record with the lower 28 bits of `func`. A record with the absolute clock
    /// precedes it if the clock goes back or too far ahead for 32 bits.
    pub fn function(&mut self, kind: FunctionKind, func: u32, clock: u64) {
        let delta = clock.checked_sub(self.clock).and_then(|d| u32::try_from(d).ok()).filter(|d| *d <= i32::MAX as u32);
        if delta.is_none() {
            self.put(Metadata::ClockWrap { clock });
        }
        self.clock = clock;
        // Up to version 3, arguments follow a plain enter.
        let kind = if self.header.version <= 3 && kind == FunctionKind::EnterArgs { FunctionKind::Enter } else { kind };
        let bytes = self.wire().function_bytes(kind, func, delta.unwrap_or(0));
        self.bytes.extend_from_slice(&bytes);
    }

    /// Appends an argument of the enter just appended.
    pub fn argument(&mut self, value: u64) {
        self.put(Metadata::Argument { value });
    }

    /// Appends a switch to another CPU.
    pub fn cpu(&mut self, cpu: u16, clock: u64) {
        self.clock = clock;
        self.put(Metadata::NewCpu { cpu, clock });
    }

    /// Sets the clock before the next record.
    pub(super) fn set_clock(&mut self, clock: u64) {
        self.clock = clock;
        self.put(Metadata::ClockWrap { clock });
    }

    /// Begins a record that is not completed: records are missing from here on.
    pub(super) fn lose(&mut self) {
        self.bytes.push(0);
    }

    /// Sets the CPU of the events to come, which only those of version 4 name.
    pub(super) fn set_event_cpu(&mut self, cpu: u16) {
        self.event_cpu = cpu;
    }

    /// Appends a custom event (`kind` is `None`) or, from version 2 on, a typed one, with the first
    /// 2^31 - 1 bytes of the payload. Versions 1 and 2 lose the payload, as their writers did.
    pub fn event(&mut self, kind: Option<u16>, clock: u64, payload: &[u8]) {
        let size = i32::try_from(payload.len()).unwrap_or(i32::MAX);
        self.event_record(kind, clock, size);
        if self.header.version > 2 {
            self.bytes.extend(payload.iter().take(size as usize));
        } else {
            self.overwritten += payload.len();
        }
    }

    /// Appends an event as the writers of versions 1 and 2 and LLVM 7 wrote it: the next records
    /// overwrite its payload of `size` bytes.
    pub fn overwritten_event(&mut self, kind: Option<u16>, clock: u64, size: u32) {
        self.event_record(kind, clock, size as i32);
        self.overwritten += size as usize;
    }

    /// Appends an event without its payload.
    fn event_record(&mut self, kind: Option<u16>, clock: u64, size: i32) {
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
            None => {
                self.put(Metadata::Custom { size, time, cpu: (self.header.version == 4).then_some(self.event_cpu) })
            }
            Some(kind) => {
                self.put(Metadata::Typed { size, time, kind });
                self.omitted += 16;
            }
        }
    }

    /// The buffer with correct extents.
    pub fn finish(self) -> Vec<u8> {
        let len = self.bytes.len() + self.overwritten;
        self.cut_to(len)
    }

    /// The buffer as LLVM writes it: the extents, and the file, lack the last 16 bytes for each
    /// typed event.
    pub fn finish_as_llvm(self) -> Vec<u8> {
        let len = (self.bytes.len() + self.overwritten).saturating_sub(self.omitted);
        self.cut_to(len)
    }

    fn cut_to(mut self, len: usize) -> Vec<u8> {
        if self.header.version == 1 {
            // Buffers have one size; records that do not fit are lost, as in a real log.
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

/// A basic log of version 3 with these records. `frequency` is in ticks per second.
pub fn basic_log(frequency: u64, records: &[Basic]) -> Vec<u8> {
    basic_log_of(&header(Mode::Basic, frequency, 0), records)
}

/// A basic log with this header.
pub fn basic_log_of(header: &Header, records: &[Basic]) -> Vec<u8> {
    let mut out = header.to_bytes().to_vec();
    out.extend(records.iter().flat_map(|r| r.to_bytes(header.wire())));
    out
}
