//! Writes traces: the mirror of the decoder, for cut traces, fixtures, samples and tests.
//!
//! Follows libtrace (`libtrace/src/trace.container.cpp`), and writes the tables of contents of
//! other writers as well.

use alloc::string::String;
use alloc::vec::Vec;

use super::wire::{Header, META_AT, put_varint, zigzag_of};

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// An instruction.
    Std(Std),
    /// A system call.
    Syscall {
        /// The address of the instruction.
        address: u64,
        /// The id of the thread.
        thread: u64,
        /// Its number.
        number: u64,
        /// Its arguments.
        arguments: Vec<i64>,
    },
    /// An exception.
    Exception {
        /// Its number.
        number: u64,
        /// The id of the thread.
        thread: Option<u64>,
        /// The interrupted address.
        from: Option<u64>,
        /// The address of the handler.
        to: Option<u64>,
    },
    /// Taint is introduced.
    TaintIntro(Vec<TaintIntro>),
    /// A module was loaded.
    ModLoad {
        /// Its name.
        name: String,
        /// Its first address.
        low: u64,
        /// Its last address, inclusive.
        high: u64,
    },
    /// All values at some point in time: a thread's registers, or memory if there is no thread.
    Key(Vec<(Option<u64>, Vec<Operand>)>),
    /// Bytes instead of a valid message.
    Raw(Vec<u8>),
}

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Std {
    /// Its address.
    pub address: u64,
    /// The id of the thread.
    pub thread: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Operands read.
    pub pre: Vec<Operand>,
    /// Operands written.
    pub post: Option<Vec<Operand>>,
    /// The processor's mode.
    pub mode: Option<String>,
}

/// A register or a location in memory, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The register or the location.
    pub place: Place,
    /// The number of significant bits; 0 for all.
    pub bits: i32,
    /// Whether it is read, written, an index, a base. Key frames do not store this.
    pub usage: [bool; 4],
    /// Its taint, which key frames may omit.
    pub taint: Option<Taint>,
    /// Its bytes.
    pub value: Vec<u8>,
}

/// A register or a location in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Memory at an address.
    Memory(u64),
    /// A register with this name.
    Register(String),
}

/// The taint of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taint {
    /// Not tainted.
    No,
    /// The id of the taint, if there is one source.
    Id(u64),
    /// Tainted by several sources.
    Multiple,
}

/// A byte that introduces taint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaintIntro {
    /// Its address.
    pub address: u64,
    /// The id of the taint.
    pub id: u64,
    /// Its value.
    pub value: Option<Vec<u8>>,
    /// Name of the source.
    pub source: Option<String>,
    /// Offset in the source.
    pub offset: Option<u64>,
}

/// The meta frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// The tracer: name, arguments, environment, and version.
    pub tracer: Program,
    /// The traced program: path, arguments, environment, and MD5 sum as 16 bytes.
    pub target: Program,
    /// Size of the program's file in bytes.
    pub size: i32,
    /// Times of the file's last access, write, and status change, in seconds since 1970.
    pub times: [f64; 3],
    /// Name of the user.
    pub user: String,
    /// Name of the host.
    pub host: String,
    /// Time of the recording, in seconds since 1970.
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

/// What is written at the end of a file: the table of contents of one of the known writers. The
/// number is that of frames in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// No table, and no count in the header: the output was a pipe, or the tracer was killed.
    None,
    /// libtrace: the beginning of each block but the first.
    Libtrace(u64),
    /// QEMU's tracewrap: the end of each full block.
    Tracewrap(u64),
    /// QEMU's TCG plugin: the meta frame, then the beginning of each block but the first.
    Plugin(u64),
    /// A fork of the plugin: like tracewrap, padded with the offset of the table.
    Padded(u64),
}

/// Frames in a block of libtrace's table.
pub(super) const BLOCK: u64 = 10_000;

/// The bytes of a table of contents with these entries, one for `every` frames.
pub(super) fn table_of(every: u64, entries: impl Iterator<Item = u64>) -> impl Iterator<Item = u8> {
    core::iter::once(every).chain(entries).flat_map(u64::to_le_bytes)
}

/// Writes a trace.
#[derive(Clone, Debug)]
pub struct Writer {
    header: Header,
    bytes: Vec<u8>,
    /// The offset of each frame's length.
    places: Vec<u64>,
}

impl Writer {
    /// A trace of this architecture and machine. From version 2 on there is a meta frame, which is
    /// empty if `meta` is `None`.
    pub fn new(version: u64, architecture: u64, machine: u64, meta: Option<&Meta>) -> Self {
        let header = Header { version, architecture, machine, frames: 0, table: 0 };
        let mut bytes = header.to_bytes();
        if header.has_meta() {
            let meta = meta.map(Meta::to_bytes).unwrap_or_default();
            bytes.extend((meta.len() as u64).to_le_bytes());
            bytes.extend(meta);
        }
        Self { header, bytes, places: Vec::new() }
    }

    /// Appends a frame.
    pub fn frame(&mut self, frame: &Frame) {
        self.places.push(self.bytes.len() as u64);
        let message = frame.to_bytes();
        self.bytes.extend((message.len() as u64).to_le_bytes());
        self.bytes.extend(message);
    }

    /// Bytes written and not yet taken.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether no bytes are there to take.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes the bytes since the last call, for a streamed trace without a table of contents.
    pub fn take(&mut self) -> Vec<u8> {
        self.places.clear();
        core::mem::take(&mut self.bytes)
    }

    /// Completes the header and returns the trace with its table of contents.
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
        bytes.extend(table_of(every, entries.into_iter()));
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
    fn varint(&mut self, value: u64) {
        put_varint(&mut self.0, value);
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
    /// The message of the frame, without its length.
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
    /// A register operand that was read, untainted.
    pub fn read(register: &str, value: u64) -> Self {
        Self::new(Place::Register(register.into()), [true, false, false, false], value)
    }

    /// A register operand that was written, untainted.
    pub fn written(register: &str, value: u64) -> Self {
        Self::new(Place::Register(register.into()), [false, true, false, false], value)
    }

    /// Eight bytes of memory that were read, untainted.
    pub fn loaded(address: u64, value: u64) -> Self {
        Self::new(Place::Memory(address), [true, false, false, false], value)
    }

    /// Eight bytes of memory that were written, untainted.
    pub fn stored(address: u64, value: u64) -> Self {
        Self::new(Place::Memory(address), [false, true, false, false], value)
    }

    /// The same operand with taint.
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
        // Values in key frames have no usage, so their later fields have lower numbers.
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
    /// The message of the meta frame, without its length.
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
