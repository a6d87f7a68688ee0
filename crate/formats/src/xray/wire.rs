//! The layout of XRay logs.
//!
//! Sources: compiler-rt `lib/xray/xray_records.h`, `xray_fdr_log_records.h`,
//! `xray_fdr_log_writer.h`, and logs written by clang 13 to 22. Bytes that a record does not use
//! have arbitrary values (0xAA from clang 19 on) and are never checked.

use serde::{Deserialize, Serialize};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::input::Cursor;

/// Length of the file header in bytes, in both modes.
pub const HEADER_LEN: u64 = 32;
/// Length of a function record of FDR mode in bytes.
pub const FUNCTION_LEN: usize = 8;
/// Length of a metadata record of FDR mode in bytes.
pub const METADATA_LEN: usize = 16;
/// Length of a record of basic mode in bytes.
pub const BASIC_LEN: usize = 32;

/// One of XRay's two log formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Records of 32 bytes with absolute times.
    Basic,
    /// Flight data recorder: buffers of small records with time differences.
    Fdr,
}

impl Mode {
    /// Its usual name: `basic` or `FDR`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Fdr => "FDR",
        }
    }
}

/// The file header: `XRayFileHeader`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the mode's layout: 1 to 3 for basic, 1 to 5 for FDR.
    pub version: u16,
    /// Basic or FDR.
    pub mode: Mode,
    /// The TSC ticks at a constant rate.
    pub constant_tsc: bool,
    /// The TSC does not stop in deep sleep.
    pub nonstop_tsc: bool,
    /// Ticks per second; 0 if the writer did not know.
    pub frequency: u64,
    /// FDR: the configured size of a buffer in bytes. Basic mode leaves this uninitialised.
    pub buffer_size: u64,
    /// Written on a big-endian machine.
    pub big_endian: bool,
}

impl Header {
    /// Reads a header of any known version, in either byte order. Returns `None` if `head` does not
    /// begin with one.
    pub fn parse_any(head: &[u8]) -> Option<Self> {
        let mut c = Cursor::new(head, 0);
        let (version, mode, flags) = (*c.array::<2>().ok()?, *c.array::<2>().ok()?, *c.array::<4>().ok()?);
        let (frequency, buffer_size) = (*c.array::<8>().ok()?, *c.array::<8>().ok()?);
        c.array::<8>().ok()?;
        let build = |big_endian, version: u16, mode: u16, flags: u32, frequency, buffer_size| {
            let mode = match (mode, version) {
                (0, 1..=3) => Mode::Basic,
                (1, 1..=5) => Mode::Fdr,
                _ => return None,
            };
            let (constant_tsc, nonstop_tsc) = (flags & 1 != 0, flags & 2 != 0);
            // Basic mode and FDR version 1 set two bits of an uninitialised word; later writers
            // clear it first.
            (flags <= 3 || mode == Mode::Basic || version == 1).then_some(Self {
                version,
                mode,
                constant_tsc,
                nonstop_tsc,
                frequency,
                buffer_size,
                big_endian,
            })
        };
        build(
            false,
            u16::from_le_bytes(version),
            u16::from_le_bytes(mode),
            u32::from_le_bytes(flags),
            u64::from_le_bytes(frequency),
            u64::from_le_bytes(buffer_size),
        )
        .or_else(|| {
            // The order of bit fields is reversed as well: the two flags are the most significant
            // bits.
            let flags = u32::from_be_bytes(flags).reverse_bits();
            let (frequency, buffer_size) = (u64::from_be_bytes(frequency), u64::from_be_bytes(buffer_size));
            build(true, u16::from_be_bytes(version), u16::from_be_bytes(mode), flags, frequency, buffer_size)
        })
    }

    /// Reads the header at the beginning of a file.
    ///
    /// # Errors
    ///
    /// `head` is shorter than a header, has an unknown version or type, or gives an impossible
    /// buffer size.
    pub fn parse(head: &[u8]) -> Result<Self> {
        if head.len() < HEADER_LEN as usize {
            let needed = HEADER_LEN - head.len() as u64;
            return Err(Error::new(head.len() as u64, Cause::UnexpectedEnd { needed }));
        }
        let Some(header) = Self::parse_any(head) else {
            let value = Cursor::new(head, 0).u32()?;
            return Err(Error::new(
                0,
                Cause::BadHeader {
                    what: "the first four bytes must be the version and type of an XRay log",
                    value: value.into(),
                },
            ));
        };
        if (header.mode, header.version) == (Mode::Fdr, 1) && header.buffer_size < METADATA_LEN as u64 {
            let what = "the buffer size of a log of version 1 must be at least 16";
            return Err(Error::new(16, Cause::BadHeader { what, value: header.buffer_size }));
        }
        Ok(header)
    }

    /// The layout of the records that follow this header.
    pub fn wire(&self) -> Wire {
        Wire { version: self.version, big_endian: self.big_endian }
    }

    /// Encodes the header.
    pub fn to_bytes(self) -> [u8; HEADER_LEN as usize] {
        let mut flags = u32::from(self.constant_tsc) | u32::from(self.nonstop_tsc) << 1;
        if self.big_endian {
            flags = flags.reverse_bits();
        }
        let mode = u16::from(self.mode == Mode::Fdr);
        let order = Order { big_endian: self.big_endian };
        let mut bytes = [0; HEADER_LEN as usize];
        fill(
            &mut bytes,
            &[
                order.u16(self.version).as_slice(),
                &order.u16(mode),
                &order.u32(flags),
                &order.u64(self.frequency),
                &order.u64(self.buffer_size),
            ],
        );
        bytes
    }
}

/// Writes and reads numbers in one byte order.
#[derive(Clone, Copy)]
struct Order {
    big_endian: bool,
}

impl Order {
    fn u16(self, v: u16) -> [u8; 2] {
        if self.big_endian { v.to_be_bytes() } else { v.to_le_bytes() }
    }

    fn u32(self, v: u32) -> [u8; 4] {
        if self.big_endian { v.to_be_bytes() } else { v.to_le_bytes() }
    }

    fn u64(self, v: u64) -> [u8; 8] {
        if self.big_endian { v.to_be_bytes() } else { v.to_le_bytes() }
    }

    /// The `N` bytes at `at` as a number; bytes beyond the end count as zero.
    fn read<const N: usize>(self, bytes: &[u8], at: usize) -> u64 {
        let part = bytes.iter().skip(at).take(N);
        let join = |sum: u64, b: &u8| sum << 8 | u64::from(*b);
        if self.big_endian { part.fold(0, join) } else { part.rev().fold(0, join) }
    }
}

fn fill(to: &mut [u8], fields: &[&[u8]]) {
    for (to, from) in to.iter_mut().zip(fields.iter().flat_map(|f| f.iter())) {
        *to = *from;
    }
}

/// The kind of a function record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// The function was entered.
    Enter,
    /// It returned.
    Exit,
    /// It made a tail call; the enter of the callee follows.
    TailExit,
    /// It was entered; records of its arguments follow.
    EnterArgs,
}

impl FunctionKind {
    /// The kind with this number: three bits in FDR mode, a byte in basic mode. `None` if there is
    /// no such kind.
    #[inline]
    pub fn from_bits(bits: u32) -> Option<Self> {
        Some(match bits {
            0 => Self::Enter,
            1 => Self::Exit,
            2 => Self::TailExit,
            3 => Self::EnterArgs,
            _ => return None,
        })
    }

    /// Its number in a file.
    pub fn bits(self) -> u32 {
        match self {
            Self::Enter => 0,
            Self::Exit => 1,
            Self::TailExit => 2,
            Self::EnterArgs => 3,
        }
    }

    /// Whether a call begins here.
    #[inline]
    pub fn is_enter(self) -> bool {
        matches!(self, Self::Enter | Self::EnterArgs)
    }
}

/// The time of a custom or typed event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTime {
    /// Version 5: ticks since the previous record.
    Delta(i32),
    /// Versions 1 to 4: an absolute clock. The differences of the next records do not start from
    /// it.
    Clock(u64),
}

/// A metadata record of FDR mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// The thread of the buffer. The id has four bytes; LLVM's document says two.
    NewBuffer {
        /// Thread id.
        tid: i32,
    },
    /// Version 1: the rest of the buffer is stale.
    EndOfBuffer,
    /// The thread now runs on this CPU.
    NewCpu {
        /// Number of the CPU; LLVM's writer knows only its lowest 8 bits.
        cpu: u16,
        /// Absolute clock in ticks.
        clock: u64,
    },
    /// The time, if the difference does not fit.
    ClockWrap {
        /// Absolute clock in ticks.
        clock: u64,
    },
    /// Time since boot at the following NewCpu.
    WallTime {
        /// Whole seconds.
        seconds: i64,
        /// Remaining microseconds; LLVM's field is named nanoseconds.
        micros: i32,
    },
    /// An event with a payload that the program defines.
    Custom {
        /// Length of the payload that follows, in bytes; negative only in damaged files.
        size: i32,
        /// Time of the event.
        time: EventTime,
        /// CPU; version 4 only.
        cpu: Option<u16>,
    },
    /// An event of a registered type.
    Typed {
        /// Length of the payload that follows, in bytes; negative only in damaged files.
        size: i32,
        /// Time of the event.
        time: EventTime,
        /// Number of the type; the log does not have its name.
        kind: u16,
    },
    /// An argument of the preceding enter.
    Argument {
        /// Its value.
        value: u64,
    },
    /// Version 2 and later: a buffer begins.
    Extents {
        /// Length of the records that follow, in bytes.
        len: u64,
    },
    /// Version 3 and later: the process of the buffer.
    Pid {
        /// Process id.
        pid: i32,
    },
}

/// The layout of records. It depends on the version and on the byte order.
///
/// On big-endian machines bit fields start at the most significant bit. The bit that distinguishes
/// metadata from function records is therefore the highest of the first byte instead of the lowest.
/// LLVM's own reader ignores this. No big-endian log was available to check it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Version of the mode's layout.
    pub version: u16,
    /// Written on a big-endian machine.
    pub big_endian: bool,
}

impl Wire {
    /// Whether a record of FDR mode that begins with this byte is a metadata record.
    #[inline]
    pub fn is_metadata(self, first: u8) -> bool {
        if self.big_endian { first & 0x80 != 0 } else { first & 1 != 0 }
    }

    /// First byte of a metadata record of this kind.
    pub fn first_byte(self, kind: u8) -> u8 {
        if self.big_endian { 0x80 | kind } else { kind << 1 | 1 }
    }

    /// First byte of a buffer: NewBuffer in version 1, BufferExtents in all later ones.
    pub fn first_of_buffer(self) -> u8 {
        self.first_byte(if self.version == 1 { 0 } else { 7 })
    }

    /// Reads a metadata record.
    ///
    /// # Errors
    ///
    /// The first byte, if this version has no such record.
    pub fn metadata(self, bytes: &[u8; METADATA_LEN]) -> Result<Metadata, u8> {
        let [first, data @ ..] = bytes;
        let order = Order { big_endian: self.big_endian };
        let int = |at: usize| order.read::<4>(data, at) as i32;
        let long = |at: usize| order.read::<8>(data, at);
        let short = |at: usize| order.read::<2>(data, at) as u16;
        let event = || if self.version >= 5 { EventTime::Delta(int(4)) } else { EventTime::Clock(long(4)) };
        let kind = if self.big_endian { first & 0x7f } else { first >> 1 };
        Ok(match (kind, self.version) {
            (0, _) => Metadata::NewBuffer { tid: int(0) },
            (1, 1) => Metadata::EndOfBuffer,
            (2, _) => Metadata::NewCpu { cpu: short(0), clock: long(2) },
            (3, _) => Metadata::ClockWrap { clock: long(0) },
            (4, _) => Metadata::WallTime { seconds: long(0) as i64, micros: int(8) },
            (5, v) => Metadata::Custom { size: int(0), time: event(), cpu: (v == 4).then(|| short(12)) },
            (6, _) => Metadata::Argument { value: long(0) },
            (7, 2..) => Metadata::Extents { len: long(0) },
            (8, 2..=4) => Metadata::Typed { size: int(0), time: event(), kind: short(12) },
            (8, 5..) => Metadata::Typed { size: int(0), time: event(), kind: short(8) },
            (9, 3..) => Metadata::Pid { pid: int(0) },
            _ => return Err(*first),
        })
    }

    /// Encodes a metadata record. Unused bytes are zero, and so are fields that the version does
    /// not have.
    pub fn metadata_bytes(self, record: Metadata) -> [u8; METADATA_LEN] {
        let order = Order { big_endian: self.big_endian };
        let int = |v: i32| order.u32(v as u32);
        let mut bytes = [0; METADATA_LEN];
        let mut put = |kind: u8, fields: &[&[u8]]| {
            let first = [self.first_byte(kind)];
            let all: alloc::vec::Vec<&[u8]> = core::iter::once(&first[..]).chain(fields.iter().copied()).collect();
            fill(&mut bytes, &all);
        };
        let clock = |time: EventTime| match time {
            EventTime::Delta(delta) => (int(delta), [0; 4]),
            EventTime::Clock(clock) => {
                let [a, b, c, d, e, f, g, h] = order.u64(clock);
                ([a, b, c, d], [e, f, g, h])
            }
        };
        match record {
            Metadata::NewBuffer { tid } => put(0, &[&int(tid)]),
            Metadata::EndOfBuffer => put(1, &[]),
            Metadata::NewCpu { cpu, clock } => put(2, &[&order.u16(cpu), &order.u64(clock)]),
            Metadata::ClockWrap { clock } => put(3, &[&order.u64(clock)]),
            Metadata::WallTime { seconds, micros } => put(4, &[&order.u64(seconds as u64), &int(micros)]),
            Metadata::Custom { size, time, cpu } => {
                let (low, high) = clock(time);
                put(5, &[&int(size), &low, &high, &order.u16(cpu.unwrap_or(0))]);
            }
            Metadata::Argument { value } => put(6, &[&order.u64(value)]),
            Metadata::Extents { len } => put(7, &[&order.u64(len)]),
            Metadata::Typed { size, time, kind } => {
                let (low, high) = clock(time);
                match time {
                    EventTime::Delta(_) => put(8, &[&int(size), &low, &order.u16(kind)]),
                    EventTime::Clock(_) => put(8, &[&int(size), &low, &high, &order.u16(kind)]),
                }
            }
            Metadata::Pid { pid } => put(9, &[&int(pid)]),
        }
        bytes
    }

    /// Reads a function record: the number of its kind, the function id, and the ticks since the
    /// previous record.
    #[inline]
    pub fn function(self, bytes: &[u8; FUNCTION_LEN]) -> (u32, u32, u32) {
        let [a, b, c, d, e, f, g, h] = *bytes;
        if self.big_endian {
            let word = u32::from_be_bytes([a, b, c, d]);
            return (word >> 28 & 7, word & 0x0fff_ffff, u32::from_be_bytes([e, f, g, h]));
        }
        let word = u32::from_le_bytes([a, b, c, d]);
        (word >> 1 & 7, word >> 4, u32::from_le_bytes([e, f, g, h]))
    }

    /// Encodes a function record. `func` has 28 bits.
    pub fn function_bytes(self, kind: FunctionKind, func: u32, delta: u32) -> [u8; FUNCTION_LEN] {
        let order = Order { big_endian: self.big_endian };
        let word = if self.big_endian { kind.bits() << 28 | func & 0x0fff_ffff } else { kind.bits() << 1 | func << 4 };
        let mut bytes = [0; FUNCTION_LEN];
        fill(&mut bytes, &[&order.u32(word), &order.u32(delta)]);
        bytes
    }
}

/// A record of basic mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basic {
    /// A function was entered or left.
    Function {
        /// Lowest 8 bits of the number of the CPU.
        cpu: u8,
        /// The kind, or its byte if there is no such kind.
        kind: Result<FunctionKind, u8>,
        /// Function id.
        func: i32,
        /// Absolute clock in ticks.
        clock: u64,
        /// Thread id.
        tid: u32,
        /// Process id.
        pid: u32,
    },
    /// The first argument of the immediately preceding enter.
    Argument {
        /// Function id of the enter.
        func: i32,
        /// Thread id of the enter.
        tid: u32,
        /// Process id of the enter.
        pid: u32,
        /// Its value.
        value: u64,
    },
}

impl Basic {
    /// Reads a record. Process ids are 0 before version 3, which introduced them.
    ///
    /// # Errors
    ///
    /// The number of the type, if there is no such type.
    pub fn parse(bytes: &[u8; BASIC_LEN], wire: Wire) -> Result<Self, u16> {
        let order = Order { big_endian: wire.big_endian };
        let word = |at: usize| order.read::<4>(bytes, at) as u32;
        let byte = |at: usize| order.read::<1>(bytes, at) as u8;
        let pid = |at: usize| if wire.version >= 3 { word(at) } else { 0 };
        match order.read::<2>(bytes, 0) as u16 {
            0 => Ok(Self::Function {
                cpu: byte(2),
                kind: FunctionKind::from_bits(byte(3).into()).ok_or(byte(3)),
                func: word(4) as i32,
                clock: order.read::<8>(bytes, 8),
                tid: word(16),
                pid: pid(20),
            }),
            1 => Ok(Self::Argument {
                func: word(4) as i32,
                tid: word(8),
                pid: pid(12),
                value: order.read::<8>(bytes, 16),
            }),
            other => Err(other),
        }
    }

    /// Encodes the record. Unused bytes are zero.
    pub fn to_bytes(self, wire: Wire) -> [u8; BASIC_LEN] {
        let order = Order { big_endian: wire.big_endian };
        let mut bytes = [0; BASIC_LEN];
        match self {
            Self::Function { cpu, kind, func, clock, tid, pid } => {
                let kind = kind.map_or_else(|byte| byte, |kind| kind.bits() as u8);
                let func = order.u32(func as u32);
                fill(&mut bytes, &[&[0, 0, cpu, kind], &func, &order.u64(clock), &order.u32(tid), &order.u32(pid)]);
            }
            Self::Argument { func, tid, pid, value } => {
                let head = order.u16(1);
                fill(
                    &mut bytes,
                    &[&head, &[0, 0], &order.u32(func as u32), &order.u32(tid), &order.u32(pid), &order.u64(value)],
                );
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LITTLE: Wire = Wire { version: 5, big_endian: false };

    #[test]
    fn metadata_records_round_trip() {
        for big_endian in [false, true] {
            for version in 1..=5 {
                let wire = Wire { version, big_endian };
                let time = if version == 5 { EventTime::Delta(-1) } else { EventTime::Clock(u64::MAX - 1) };
                let cpu = (version == 4).then_some(77);
                let all = [
                    (1, Metadata::NewBuffer { tid: -2_000_000_000 }),
                    (1, Metadata::NewCpu { cpu: 65535, clock: u64::MAX }),
                    (1, Metadata::ClockWrap { clock: 1 << 63 }),
                    (1, Metadata::WallTime { seconds: -1, micros: 999_999 }),
                    (1, Metadata::Custom { size: i32::MAX, time, cpu }),
                    (1, Metadata::Argument { value: u64::MAX }),
                    (2, Metadata::Extents { len: u64::MAX }),
                    (2, Metadata::Typed { size: 0, time, kind: 65535 }),
                    (3, Metadata::Pid { pid: i32::MAX }),
                ];
                for (since, record) in all {
                    let bytes = wire.metadata_bytes(record);
                    assert!(wire.is_metadata(bytes[0]));
                    let expected = if version >= since { Ok(record) } else { Err(bytes[0]) };
                    assert_eq!(wire.metadata(&bytes), expected, "version {version}");
                }
                let end = wire.metadata_bytes(Metadata::EndOfBuffer);
                assert_eq!(wire.metadata(&end).is_ok(), version == 1, "only version 1 has EndOfBuffer");
            }
        }
        assert_eq!(LITTLE.metadata(&[0x15; 16]), Err(0x15));
    }

    #[test]
    fn a_thread_id_has_four_bytes() {
        #[rustfmt::skip]
        let bytes = [
            0x01,                   // metadata, NewBuffer
            0x45, 0x58, 0x01, 0x00, // tid 88133, too large for two bytes
            0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, // garbage of clang 19 and later
        ];
        assert_eq!(LITTLE.metadata(&bytes), Ok(Metadata::NewBuffer { tid: 88133 }));
    }

    #[test]
    fn function_records_hold_28_bits_of_id() {
        for big_endian in [false, true] {
            let wire = Wire { version: 5, big_endian };
            let bytes = wire.function_bytes(FunctionKind::TailExit, 0x0fff_ffff, u32::MAX - 1);
            assert!(!wire.is_metadata(bytes[0]));
            assert_eq!(wire.function(&bytes), (2, 0x0fff_ffff, u32::MAX - 1));
        }
    }

    #[test]
    fn basic_records_round_trip() {
        for (version, big_endian) in [(3, false), (3, true), (1, false)] {
            let wire = Wire { version, big_endian };
            let pid = if version == 3 { u32::MAX } else { 0 };
            let kind = Ok(FunctionKind::EnterArgs);
            let all = [
                Basic::Function { cpu: 255, kind, func: -1, clock: u64::MAX - 1, tid: 7, pid },
                Basic::Function { cpu: 0, kind: Err(9), func: 1, clock: 0, tid: 0, pid: 0 },
                Basic::Argument { func: i32::MIN, tid: 1, pid, value: u64::MAX },
            ];
            for record in all {
                assert_eq!(Basic::parse(&record.to_bytes(wire), wire), Ok(record));
            }
        }
        assert_eq!(Basic::parse(&[2; 32], LITTLE), Err(0x0202));
    }

    #[test]
    fn headers_round_trip() {
        let header = Header {
            version: 5,
            mode: Mode::Fdr,
            constant_tsc: true,
            nonstop_tsc: false,
            frequency: 2_000_000_000,
            buffer_size: 16384,
            big_endian: false,
        };
        for big_endian in [false, true] {
            let header = Header { big_endian, ..header };
            assert_eq!(Header::parse(&header.to_bytes()), Ok(header));
        }
        let error = Header::parse(&header.to_bytes()[..20]).unwrap_err();
        assert_eq!((error.at, error.cause), (20, Cause::UnexpectedEnd { needed: 12 }));
    }
}
