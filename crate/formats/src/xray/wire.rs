//! The layout of XRay logs.
//!
//! Sources: compiler-rt `lib/xray/xray_records.h`, `xray_fdr_log_records.h`, `xray_fdr_log_writer.h`, and logs written by
//! clang 13 to 22. Bytes that a record does not use are whatever the stack held (0xAA from clang 19 on): never checked.

use crate::error::{Cause, Error, Result};
use crate::input::Cursor;

/// Bytes before the first record, in both modes.
pub const HEADER_LEN: u64 = 32;
/// Bytes of a function record of FDR mode.
pub const FUNCTION_LEN: usize = 8;
/// Bytes of a metadata record of FDR mode.
pub const METADATA_LEN: usize = 16;
/// Bytes of a record of basic mode.
pub const BASIC_LEN: usize = 32;

const SUPPORTED: &str = "FDR 5 and basic 3, little-endian";

/// Which of XRay's two log formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Records of 32 bytes with absolute times.
    Basic,
    /// Flight data recorder: buffers of small records with time differences.
    Fdr,
}

impl Mode {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Fdr => "FDR",
        }
    }
}

/// The file header: `XRayFileHeader`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the mode's layout.
    pub version: u16,
    /// Basic or FDR.
    pub mode: Mode,
    /// The TSC ticks at a constant rate.
    pub constant_tsc: bool,
    /// The TSC goes on in deep sleep.
    pub nonstop_tsc: bool,
    /// Ticks a second; 0 where the writer did not know.
    pub frequency: u64,
    /// FDR: the configured size of a buffer. Basic mode leaves garbage here.
    pub buffer_size: u64,
    /// Written on a big-endian machine.
    pub big_endian: bool,
}

impl Header {
    /// Reads the header of any version that ever was, in either byte order; `None` when it is none.
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
            // Basic mode and the first FDR writers set two bits of an uninitialised word; later ones clear it first.
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
            // Bit fields run the other way there, too: the two flags are the uppermost bits.
            let flags = u32::from_be_bytes(flags).reverse_bits();
            let (frequency, buffer_size) = (u64::from_be_bytes(frequency), u64::from_be_bytes(buffer_size));
            build(true, u16::from_be_bytes(version), u16::from_be_bytes(mode), flags, frequency, buffer_size)
        })
    }

    /// Reads the header of a version that can be decoded.
    pub fn parse(head: &[u8]) -> Result<Self> {
        if head.len() < HEADER_LEN as usize {
            let needed = HEADER_LEN - head.len() as u64;
            return Err(Error::new(head.len() as u64, Cause::UnexpectedEnd { needed }));
        }
        let Some(header) = Self::parse_any(head) else {
            let value = Cursor::new(head, 0).u32()?;
            return Err(Error::new(
                0,
                Cause::BadHeader { what: "version and type of an XRay log", value: value.into() },
            ));
        };
        let format = match (header.mode, header.big_endian) {
            (Mode::Fdr, false) => "XRay FDR",
            (Mode::Basic, false) => "XRay basic",
            (Mode::Fdr, true) => "big-endian XRay FDR",
            (Mode::Basic, true) => "big-endian XRay basic",
        };
        match (header.mode, header.version, header.big_endian) {
            (Mode::Fdr, 5, false) | (Mode::Basic, 3, false) => Ok(header),
            _ => {
                let cause = Cause::UnsupportedVersion { format, version: header.version.into(), supported: SUPPORTED };
                Err(Error::new(0, cause))
            }
        }
    }

    /// The header as it stands in a file.
    pub fn to_bytes(self) -> [u8; HEADER_LEN as usize] {
        let mut bytes = [0; HEADER_LEN as usize];
        let flags = u32::from(self.constant_tsc) | u32::from(self.nonstop_tsc) << 1;
        let mode = u16::from(self.mode == Mode::Fdr);
        let fields = self
            .version
            .to_le_bytes()
            .into_iter()
            .chain(mode.to_le_bytes())
            .chain(flags.to_le_bytes())
            .chain(self.frequency.to_le_bytes())
            .chain(self.buffer_size.to_le_bytes());
        for (to, from) in bytes.iter_mut().zip(fields) {
            *to = from;
        }
        bytes
    }
}

/// What a function record says happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// The function was entered.
    Enter,
    /// It returned.
    Exit,
    /// It left by a tail call; the callee's enter follows.
    TailExit,
    /// It was entered, and arguments follow.
    EnterArgs,
}

impl FunctionKind {
    /// From the three bits of FDR or the byte of basic mode.
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

    /// The number that stands for it in a file.
    pub fn bits(self) -> u32 {
        match self {
            Self::Enter => 0,
            Self::Exit => 1,
            Self::TailExit => 2,
            Self::EnterArgs => 3,
        }
    }

    /// The call begins here.
    #[inline]
    pub fn is_enter(self) -> bool {
        matches!(self, Self::Enter | Self::EnterArgs)
    }
}

/// A metadata record of FDR version 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// The buffer's thread. Four bytes: the published document says two.
    NewBuffer {
        /// Thread id.
        tid: i32,
    },
    /// The thread runs on this CPU now, and this is the time.
    NewCpu {
        /// Number of the CPU; written from 8 bits.
        cpu: u16,
        /// Absolute clock.
        clock: u64,
    },
    /// The time, where the difference does not fit.
    ClockWrap {
        /// Absolute clock.
        clock: u64,
    },
    /// Time since boot at the NewCpu that follows.
    WallTime {
        /// Whole seconds.
        seconds: i64,
        /// And microseconds, although LLVM calls them nanoseconds.
        micros: i32,
    },
    /// An event with a payload of the program's own.
    Custom {
        /// Bytes of payload that follow; negative in broken files only.
        size: i32,
        /// Ticks since the record before.
        delta: i32,
    },
    /// An event of a registered type.
    Typed {
        /// Bytes of payload that follow; negative in broken files only.
        size: i32,
        /// Ticks since the record before.
        delta: i32,
        /// Number of the type; its name is not in the log.
        kind: u16,
    },
    /// An argument of the enter before.
    Argument {
        /// Its value.
        value: u64,
    },
    /// A buffer begins.
    Extents {
        /// Bytes that follow.
        len: u64,
    },
    /// The buffer's process.
    Pid {
        /// Process id.
        pid: i32,
    },
}

/// First byte of a BufferExtents record.
pub const EXTENTS: u8 = 7 << 1 | 1;
/// First byte of a NewBuffer record.
pub const NEW_BUFFER: u8 = 1;

impl Metadata {
    /// Reads a record; `Err` holds its first byte when there is no such record in version 5.
    pub fn parse(bytes: &[u8; METADATA_LEN]) -> Result<Self, u8> {
        let [first, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, ..] = *bytes;
        let head = i32::from_le_bytes([b1, b2, b3, b4]);
        let long = u64::from_le_bytes([b1, b2, b3, b4, b5, b6, b7, b8]);
        Ok(match first >> 1 {
            0 => Self::NewBuffer { tid: head },
            2 => Self::NewCpu {
                cpu: u16::from_le_bytes([b1, b2]),
                clock: u64::from_le_bytes([b3, b4, b5, b6, b7, b8, b9, b10]),
            },
            3 => Self::ClockWrap { clock: long },
            4 => Self::WallTime { seconds: long as i64, micros: i32::from_le_bytes([b9, b10, b11, b12]) },
            5 => Self::Custom { size: head, delta: i32::from_le_bytes([b5, b6, b7, b8]) },
            6 => Self::Argument { value: long },
            7 => Self::Extents { len: long },
            8 => Self::Typed {
                size: head,
                delta: i32::from_le_bytes([b5, b6, b7, b8]),
                kind: u16::from_le_bytes([b9, b10]),
            },
            9 => Self::Pid { pid: head },
            _ => return Err(first),
        })
    }

    /// The record as it stands in a file, unused bytes zero.
    pub fn to_bytes(self) -> [u8; METADATA_LEN] {
        let mut bytes = [0; METADATA_LEN];
        let mut put = |kind: u8, fields: &[&[u8]]| {
            let data = fields.iter().flat_map(|f| f.iter());
            for (to, from) in bytes.iter_mut().zip(core::iter::once(&(kind << 1 | 1)).chain(data)) {
                *to = *from;
            }
        };
        match self {
            Self::NewBuffer { tid } => put(0, &[&tid.to_le_bytes()]),
            Self::NewCpu { cpu, clock } => put(2, &[&cpu.to_le_bytes(), &clock.to_le_bytes()]),
            Self::ClockWrap { clock } => put(3, &[&clock.to_le_bytes()]),
            Self::WallTime { seconds, micros } => put(4, &[&seconds.to_le_bytes(), &micros.to_le_bytes()]),
            Self::Custom { size, delta } => put(5, &[&size.to_le_bytes(), &delta.to_le_bytes()]),
            Self::Argument { value } => put(6, &[&value.to_le_bytes()]),
            Self::Extents { len } => put(7, &[&len.to_le_bytes()]),
            Self::Typed { size, delta, kind } => {
                put(8, &[&size.to_le_bytes(), &delta.to_le_bytes(), &kind.to_le_bytes()]);
            }
            Self::Pid { pid } => put(9, &[&pid.to_le_bytes()]),
        }
        bytes
    }
}

/// A function record of FDR mode: two words of 32 bits.
#[inline]
pub fn function_record(bytes: &[u8; FUNCTION_LEN]) -> (u32, u32, u32) {
    let [a, b, c, d, e, f, g, h] = *bytes;
    let word = u32::from_le_bytes([a, b, c, d]);
    (word >> 1 & 7, word >> 4, u32::from_le_bytes([e, f, g, h]))
}

/// A function record of FDR mode as it stands in a file; `func` has 28 bits.
pub fn function_bytes(kind: FunctionKind, func: u32, delta: u32) -> [u8; FUNCTION_LEN] {
    let word = kind.bits() << 1 | func << 4;
    let mut bytes = [0; FUNCTION_LEN];
    for (to, from) in bytes.iter_mut().zip(word.to_le_bytes().into_iter().chain(delta.to_le_bytes())) {
        *to = from;
    }
    bytes
}

/// A record of basic mode, version 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basic {
    /// Something happened to a function.
    Function {
        /// Number of the CPU, cut to 8 bits.
        cpu: u8,
        /// What happened, or the byte that says so if it says nothing that exists.
        kind: Result<FunctionKind, u8>,
        /// Function id.
        func: i32,
        /// Absolute clock.
        clock: u64,
        /// Thread id.
        tid: u32,
        /// Process id.
        pid: u32,
    },
    /// The first argument of the enter directly before.
    Argument {
        /// Function id, as in the enter.
        func: i32,
        /// Thread id, as in the enter.
        tid: u32,
        /// Process id, as in the enter.
        pid: u32,
        /// Its value.
        value: u64,
    },
}

impl Basic {
    /// Reads a record; `Err` holds its type when there is no such.
    pub fn parse(bytes: &[u8; BASIC_LEN]) -> Result<Self, u16> {
        let b = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let u32_at = |i: usize| u32::from_le_bytes([b(i), b(i + 1), b(i + 2), b(i + 3)]);
        let u64_at = |i: usize| u64::from(u32_at(i)) | u64::from(u32_at(i + 4)) << 32;
        match u16::from_le_bytes([b(0), b(1)]) {
            0 => Ok(Self::Function {
                cpu: b(2),
                kind: FunctionKind::from_bits(b(3).into()).ok_or(b(3)),
                func: u32_at(4) as i32,
                clock: u64_at(8),
                tid: u32_at(16),
                pid: u32_at(20),
            }),
            1 => Ok(Self::Argument { func: u32_at(4) as i32, tid: u32_at(8), pid: u32_at(12), value: u64_at(16) }),
            other => Err(other),
        }
    }

    /// The record as it stands in a file, unused bytes zero.
    pub fn to_bytes(self) -> [u8; BASIC_LEN] {
        let mut bytes = [0; BASIC_LEN];
        let mut put = |fields: &[&[u8]]| {
            for (to, from) in bytes.iter_mut().zip(fields.iter().flat_map(|f| f.iter())) {
                *to = *from;
            }
        };
        match self {
            Self::Function { cpu, kind, func, clock, tid, pid } => {
                let kind = kind.map_or_else(|byte| byte, |kind| kind.bits() as u8);
                put(&[
                    &[0, 0, cpu, kind],
                    &func.to_le_bytes(),
                    &clock.to_le_bytes(),
                    &tid.to_le_bytes(),
                    &pid.to_le_bytes(),
                ]);
            }
            Self::Argument { func, tid, pid, value } => {
                put(&[&[1, 0, 0, 0], &func.to_le_bytes(), &tid.to_le_bytes(), &pid.to_le_bytes(), &value.to_le_bytes()])
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_comes_back_from_bytes() {
        let all = [
            Metadata::NewBuffer { tid: -2_000_000_000 },
            Metadata::NewCpu { cpu: 65535, clock: u64::MAX },
            Metadata::ClockWrap { clock: 1 << 63 },
            Metadata::WallTime { seconds: -1, micros: 999_999 },
            Metadata::Custom { size: i32::MAX, delta: -1 },
            Metadata::Typed { size: 0, delta: i32::MIN, kind: 65535 },
            Metadata::Argument { value: u64::MAX },
            Metadata::Extents { len: u64::MAX },
            Metadata::Pid { pid: i32::MAX },
        ];
        for record in all {
            assert_eq!(Metadata::parse(&record.to_bytes()), Ok(record));
        }
        assert_eq!(Metadata::parse(&[0x03; 16]), Err(0x03), "EndOfBuffer is of version 1 alone");
        assert_eq!(Metadata::parse(&[0x15; 16]), Err(0x15));
    }

    #[test]
    fn a_thread_id_has_four_bytes() {
        #[rustfmt::skip]
        let bytes = [
            0x01,                   // metadata, NewBuffer
            0x45, 0x58, 0x01, 0x00, // tid 88133, which two bytes do not hold
            0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, // garbage of clang 19 and later
        ];
        assert_eq!(Metadata::parse(&bytes), Ok(Metadata::NewBuffer { tid: 88133 }));
    }

    #[test]
    fn function_records_hold_28_bits_of_id() {
        let bytes = function_bytes(FunctionKind::TailExit, 0x0fff_ffff, u32::MAX);
        assert_eq!(bytes[0] & 1, 0);
        assert_eq!(function_record(&bytes), (2, 0x0fff_ffff, u32::MAX));
    }

    #[test]
    fn basic_records_come_back_from_bytes() {
        let all = [
            Basic::Function {
                cpu: 255,
                kind: Ok(FunctionKind::EnterArgs),
                func: -1,
                clock: u64::MAX,
                tid: 7,
                pid: u32::MAX,
            },
            Basic::Function { cpu: 0, kind: Err(9), func: 1, clock: 0, tid: 0, pid: 0 },
            Basic::Argument { func: i32::MIN, tid: 1, pid: 2, value: u64::MAX },
        ];
        for record in all {
            assert_eq!(Basic::parse(&record.to_bytes()), Ok(record));
        }
        assert_eq!(Basic::parse(&[2; 32]), Err(0x0202));
    }

    #[test]
    fn headers_come_back_from_bytes() {
        let header = Header {
            version: 5,
            mode: Mode::Fdr,
            constant_tsc: true,
            nonstop_tsc: false,
            frequency: 2_000_000_000,
            buffer_size: 16384,
            big_endian: false,
        };
        assert_eq!(Header::parse(&header.to_bytes()), Ok(header));
        let error = Header::parse(&header.to_bytes()[..20]).unwrap_err();
        assert_eq!((error.at, error.cause), (20, Cause::UnexpectedEnd { needed: 12 }));
    }
}
