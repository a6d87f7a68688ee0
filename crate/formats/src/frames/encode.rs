//! Writes traces: the mirror of the decoder, for fixtures, samples and tests.
//!
//! Writes what libtrace writes (`libtrace/src/trace.container.cpp`), and the tables of contents of the other writers.

use alloc::string::String;
use alloc::vec::Vec;

use super::wire::{Header, META_AT, zigzag_of};

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// An instruction.
    Std(Std),
    /// A system call.
    Syscall {
        /// Where.
        address: u64,
        /// On which thread.
        thread: u64,
        /// Which.
        number: u64,
        /// With what.
        arguments: Vec<i64>,
    },
    /// An exception.
    Exception {
        /// Which.
        number: u64,
        /// On which thread.
        thread: Option<u64>,
        /// Where it came from.
        from: Option<u64>,
        /// Where it went.
        to: Option<u64>,
    },
    /// Where taint comes in.
    TaintIntro(Vec<TaintIntro>),
    /// A module is loaded.
    ModLoad {
        /// Its name.
        name: String,
        /// Its first address.
        low: u64,
        /// Its last address.
        high: u64,
    },
    /// The values of everything at a point: of memory where no thread is given, of the thread's registers otherwise.
    Key(Vec<(Option<u64>, Vec<Operand>)>),
    /// Bytes that are not written as any of these.
    Raw(Vec<u8>),
}

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Std {
    /// Where.
    pub address: u64,
    /// On which thread.
    pub thread: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it reads.
    pub pre: Vec<Operand>,
    /// What it writes.
    pub post: Option<Vec<Operand>>,
    /// The processor's mode.
    pub mode: Option<String>,
}

/// A register or a place in memory with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Which.
    pub place: Place,
    /// How many bits of the value count.
    pub bits: i32,
    /// Read, written, index, base; not written in key frames.
    pub usage: [bool; 4],
    /// Its taint; key frames may leave it out.
    pub taint: Option<Taint>,
    /// The value.
    pub value: Vec<u8>,
}

/// A register or a place in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Memory at an address.
    Memory(u64),
    /// A register by its name.
    Register(String),
}

/// Taint of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taint {
    /// None.
    No,
    /// Of one source.
    Id(u64),
    /// Of several.
    Multiple,
}

/// A byte that taint comes in by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaintIntro {
    /// Where.
    pub address: u64,
    /// The number of the taint.
    pub id: u64,
    /// The value.
    pub value: Option<Vec<u8>>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Where in the source.
    pub offset: Option<u64>,
}

/// The meta frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// Who traced: its name, arguments, environment, and version.
    pub tracer: Program,
    /// What was traced: its path, arguments, environment, and MD5 sum as 16 bytes.
    pub target: Program,
    /// Size of the target's file.
    pub size: i32,
    /// When that file was read, modified, changed.
    pub times: [f64; 3],
    /// Who ran it.
    pub user: String,
    /// Where.
    pub host: String,
    /// When.
    pub time: f64,
}

/// A program in the meta frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Name or path.
    pub name: String,
    /// Arguments.
    pub arguments: Vec<String>,
    /// Environment variables.
    pub environment: Vec<String>,
    /// Version or MD5 sum.
    pub last: Vec<u8>,
}

/// What stands at the end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Nothing, and the header counts nothing: a pipe, or a tracer that was killed.
    None,
    /// libtrace: where each block but the first begins.
    Libtrace(u64),
    /// QEMU's tracewrap: where each whole block ends.
    Tracewrap(u64),
    /// QEMU's TCG plugin: where the meta frame begins, then where each block but the first does.
    Plugin(u64),
    /// A fork of that: as tracewrap, padded with the offset of the table.
    Padded(u64),
}

/// Writes a file.
#[derive(Clone, Debug)]
pub struct Writer {
    header: Header,
    bytes: Vec<u8>,
    /// Where each frame's length stands.
    places: Vec<u64>,
}

impl Writer {
    /// A file of an architecture and machine. Versions from 2 on have a meta frame, which is empty if there is none.
    pub fn new(version: u64, architecture: u64, machine: u64, meta: Option<&Meta>) -> Self {
        let header = Header { version, architecture, machine, frames: 0, table: 0 };
        let mut bytes = header.to_bytes();
        if header.has_meta() {
            debug_assert_eq!(bytes.len() as u64, META_AT);
            let meta = meta.map(Meta::to_bytes).unwrap_or_default();
            bytes.extend((meta.len() as u64).to_le_bytes());
            bytes.extend(meta);
        }
        Self { header, bytes, places: Vec::new() }
    }

    /// Writes a frame.
    pub fn frame(&mut self, frame: &Frame) {
        self.places.push(self.bytes.len() as u64);
        let message = frame.to_bytes();
        self.bytes.extend((message.len() as u64).to_le_bytes());
        self.bytes.extend(message);
    }

    /// Bytes that have not been taken yet.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Nothing but what has been taken.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes since the last call, for a file that grows: a streamed one, without a table of contents.
    pub fn take(&mut self) -> Vec<u8> {
        self.places.clear();
        core::mem::take(&mut self.bytes)
    }

    /// The file, with its table of contents.
    pub fn finish(self, table: Table) -> Vec<u8> {
        let Self { mut header, mut bytes, places } = self;
        let every = match table {
            Table::None => return bytes,
            Table::Libtrace(m) | Table::Tracewrap(m) | Table::Plugin(m) | Table::Padded(m) => m.max(1),
        };
        let (n, at) = (places.len() as u64, bytes.len() as u64);
        let place = |i: u64| usize::try_from(i).ok().and_then(|i| places.get(i)).copied().unwrap_or(at);
        let entries: Vec<u64> = match table {
            Table::None => Vec::new(),
            Table::Libtrace(_) => (1..=n.saturating_sub(1) / every).map(|k| place(k * every)).collect(),
            Table::Tracewrap(_) => (1..=n / every).map(|k| place(k * every)).collect(),
            Table::Plugin(_) => {
                (0..n.div_ceil(every)).map(|k| if k == 0 { META_AT } else { place(k * every) }).collect()
            }
            Table::Padded(_) => (1..=n.div_ceil(every)).map(|k| place(k * every)).collect(),
        };
        bytes.extend(every.to_le_bytes());
        bytes.extend(entries.iter().flat_map(|e| e.to_le_bytes()));
        (header.frames, header.table) = (n, at);
        for (to, from) in bytes.iter_mut().zip(header.to_bytes()) {
            *to = from;
        }
        bytes
    }
}

/// A protobuf message.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn maybe(self, field: u64, value: Option<u64>) -> Self {
        match value {
            Some(value) => self.number(field, value),
            None => self,
        }
    }

    fn double(mut self, field: u64, value: f64) -> Self {
        self.varint(field << 3 | 1);
        self.0.extend(value.to_bits().to_le_bytes());
        self
    }

    fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend(value);
        self
    }

    fn sub(self, field: u64, value: Self) -> Self {
        self.bytes(field, &value.0)
    }

    fn elements<T>(self, items: &[T], encode: impl Fn(&T) -> Self) -> Self {
        items.iter().fold(self, |message, item| message.sub(1, encode(item)))
    }
}

impl Frame {
    /// The frame's message, without its length.
    pub fn to_bytes(&self) -> Vec<u8> {
        let new = Message::default;
        let message = match self {
            Self::Std(std) => new().sub(1, std.encode()),
            Self::Syscall { address, thread, number, arguments } => {
                let arguments = arguments.iter().fold(new(), |list, a| list.number(1, zigzag_of(*a)));
                let call = new().number(1, *address).number(2, *thread).number(3, *number);
                new().sub(2, call.sub(4, arguments))
            }
            Self::Exception { number, thread, from, to } => {
                new().sub(3, new().number(1, *number).maybe(2, *thread).maybe(3, *from).maybe(4, *to))
            }
            Self::TaintIntro(intros) => new().sub(4, new().sub(1, new().elements(intros, TaintIntro::encode))),
            Self::ModLoad { name, low, high } => {
                new().sub(5, new().bytes(1, name.as_bytes()).number(2, *low).number(3, *high))
            }
            Self::Key(lists) => {
                let lists = new().elements(lists, |(thread, values)| {
                    let tag = match thread {
                        None => new().number(1, 1),
                        Some(id) => new().number(2, *id),
                    };
                    new().sub(1, tag).sub(2, new().elements(values, |v| v.encode(false)))
                });
                new().sub(6, new().sub(1, lists))
            }
            Self::Raw(bytes) => Message(bytes.clone()),
        };
        message.0
    }
}

impl Std {
    fn encode(&self) -> Message {
        let list = |operands: &[Operand]| Message::default().elements(operands, |o| o.encode(true));
        let mut message = Message::default()
            .number(1, self.address)
            .number(2, self.thread)
            .bytes(3, &self.bytes)
            .sub(4, list(&self.pre));
        if let Some(post) = &self.post {
            message = message.sub(5, list(post));
        }
        match &self.mode {
            Some(mode) => message.bytes(6, mode.as_bytes()),
            None => message,
        }
    }
}

impl Operand {
    /// A register that was read, without taint.
    pub fn read(register: &str, value: u64) -> Self {
        Self::new(Place::Register(register.into()), [true, false, false, false], value)
    }

    /// A register that was written.
    pub fn written(register: &str, value: u64) -> Self {
        Self::new(Place::Register(register.into()), [false, true, false, false], value)
    }

    /// Eight bytes of memory that were read.
    pub fn loaded(address: u64, value: u64) -> Self {
        Self::new(Place::Memory(address), [true, false, false, false], value)
    }

    /// Eight bytes of memory that were written.
    pub fn stored(address: u64, value: u64) -> Self {
        Self::new(Place::Memory(address), [false, true, false, false], value)
    }

    /// The same with taint.
    #[must_use]
    pub fn tainted(self, taint: Taint) -> Self {
        Self { taint: Some(taint), ..self }
    }

    fn new(place: Place, usage: [bool; 4], value: u64) -> Self {
        Self { place, bits: 64, usage, taint: Some(Taint::No), value: value.to_le_bytes().to_vec() }
    }

    fn encode(&self, with_usage: bool) -> Message {
        let new = Message::default;
        let place = match &self.place {
            Place::Memory(address) => new().sub(1, new().number(1, *address)),
            Place::Register(name) => new().sub(2, new().bytes(1, name.as_bytes())),
        };
        let mut message = new().sub(1, place).number(2, zigzag_of(self.bits.into()));
        if with_usage {
            let usage = (1..).zip(self.usage).fold(new(), |usage, (field, flag)| usage.number(field, flag.into()));
            message = message.sub(3, usage);
        }
        // Values of key frames have no usage, and what follows has a number less.
        let skip = u64::from(!with_usage);
        if let Some(taint) = self.taint {
            let taint = match taint {
                Taint::No => new().number(1, 1),
                Taint::Id(id) => new().number(2, id),
                Taint::Multiple => new().number(3, 1),
            };
            message = message.sub(4 - skip, taint);
        }
        message.bytes(5 - skip, &self.value)
    }
}

impl TaintIntro {
    fn encode(&self) -> Message {
        let mut message = Message::default().number(1, self.address).number(2, self.id);
        if let Some(value) = &self.value {
            message = message.bytes(3, value);
        }
        if let Some(source) = &self.source {
            message = message.bytes(4, source.as_bytes());
        }
        message.maybe(5, self.offset)
    }
}

impl Meta {
    /// The meta frame's message, without its length.
    pub fn to_bytes(&self) -> Vec<u8> {
        let new = Message::default;
        let [read, modified, changed] = self.times;
        let stats = new().number(1, zigzag_of(self.size.into())).double(2, read).double(3, modified).double(4, changed);
        let message = new()
            .sub(1, self.tracer.encode())
            .sub(2, self.target.encode())
            .sub(3, stats)
            .bytes(4, self.user.as_bytes())
            .bytes(5, self.host.as_bytes())
            .double(6, self.time);
        message.0
    }
}

impl Program {
    fn encode(&self) -> Message {
        let message = Message::default().bytes(1, self.name.as_bytes());
        let message = self.arguments.iter().fold(message, |m, a| m.bytes(2, a.as_bytes()));
        let message = self.environment.iter().fold(message, |m, e| m.bytes(3, e.as_bytes()));
        message.bytes(4, &self.last)
    }
}
