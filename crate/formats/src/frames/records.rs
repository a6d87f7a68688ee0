//! Frames as borrowed views of their bytes: nothing is copied, and lists are decoded as they are
//! iterated.
//!
//! Of a repeated field or list, the last one counts. Views ignore whatever is invalid, which
//! `message::broken` finds.

use super::wire::{Content, Fields, zigzag};

/// The options of a frame. There should be exactly one, but a writer may emit several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frame<'a> {
    /// An instruction.
    pub std: Option<Std<'a>>,
    /// A system call.
    pub syscall: Option<Syscall<'a>>,
    /// An exception.
    pub exception: Option<Exception>,
    /// Where taint is introduced; a valid frame has the list.
    pub taint_intro: Option<Option<List<'a>>>,
    /// A module was loaded.
    pub mod_load: Option<ModLoad<'a>>,
    /// All values at some point in time; a valid frame has the list.
    pub key: Option<Option<List<'a>>>,
}

/// An instruction that was executed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Std<'a> {
    /// Its address.
    pub address: Option<u64>,
    /// The id of its thread.
    pub thread: Option<u64>,
    /// Its bytes.
    pub bytes: Option<&'a [u8]>,
    /// Operands read.
    pub pre: Option<List<'a>>,
    /// Operands written.
    pub post: Option<List<'a>>,
    /// The processor's mode, as free text.
    pub mode: Option<&'a [u8]>,
}

/// A system call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Syscall<'a> {
    /// The address of the instruction.
    pub address: Option<u64>,
    /// The id of its thread.
    pub thread: Option<u64>,
    /// Its number.
    pub number: Option<u64>,
    /// Its arguments.
    pub arguments: Option<List<'a>>,
}

/// An exception.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exception {
    /// Its number.
    pub number: Option<u64>,
    /// The id of its thread.
    pub thread: Option<u64>,
    /// The interrupted address.
    pub from: Option<u64>,
    /// The address of the handler.
    pub to: Option<u64>,
}

/// A loaded module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ModLoad<'a> {
    /// Its name.
    pub name: Option<&'a [u8]>,
    /// Its first address.
    pub low: Option<u64>,
    /// Its last address, inclusive.
    pub high: Option<u64>,
}

/// A register or a location in memory, with its value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Operand<'a> {
    /// The register or the location.
    pub place: Option<Place<'a>>,
    /// The number of significant bits. All bits are if this is 0 or larger than the value.
    pub bits: Option<i32>,
    /// How it was used.
    pub usage: Option<Usage>,
    /// Its taint.
    pub taint: Option<Taint>,
    /// Its bytes: a register's in little-endian order, memory's as the tracer wrote them, which is
    /// not always the order of addresses.
    pub value: Option<&'a [u8]>,
}

/// A register or a location in memory; a message may have neither or both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place<'a> {
    /// The memory operand, and its address if it has one.
    pub memory: Option<Option<u64>>,
    /// The register operand, and its name if it has one.
    pub register: Option<Option<&'a [u8]>>,
}

impl Place<'_> {
    /// Whether it is in memory. Tracers write registers in little-endian order, and memory in one
    /// of two.
    pub fn is_memory(&self) -> bool {
        self.register.is_none() && self.memory.is_some()
    }
}

/// How an operand was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// It was read.
    pub read: Option<bool>,
    /// It was written.
    pub written: Option<bool>,
    /// It is the index of an address.
    pub index: Option<bool>,
    /// It is the base of an address.
    pub base: Option<bool>,
}

/// The taint of an operand. One of these fields should be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taint {
    /// Not tainted.
    pub no_taint: Option<bool>,
    /// The id of the taint, if there is one source.
    pub id: Option<u64>,
    /// Tainted by several sources.
    pub multiple: Option<bool>,
}

/// A byte that introduces taint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaintIntro<'a> {
    /// Its address.
    pub address: Option<u64>,
    /// The id of the taint.
    pub id: Option<u64>,
    /// Its value.
    pub value: Option<&'a [u8]>,
    /// Name of the source.
    pub source: Option<&'a [u8]>,
    /// Offset in the source.
    pub offset: Option<u64>,
}

/// Values in a key frame: of one thread, or of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TaggedList<'a> {
    /// Whose values these are.
    pub source: Option<Source>,
    /// The values.
    pub values: Option<List<'a>>,
}

/// The owner of values in a key frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Set for memory, which belongs to no thread.
    pub no_thread: Option<bool>,
    /// The id of the thread.
    pub thread: Option<u64>,
}

/// The meta frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meta<'a> {
    /// The tracer: name, arguments, environment, version.
    pub tracer: Option<Program<'a>>,
    /// The traced program: path, arguments, environment, MD5 sum.
    pub target: Option<Program<'a>>,
    /// The file of the traced program.
    pub file: Option<FileStats>,
    /// Name of the user.
    pub user: Option<&'a [u8]>,
    /// Name of the host.
    pub host: Option<&'a [u8]>,
    /// Time of the recording, in seconds since 1970.
    pub time: Option<f64>,
}

/// A program in the meta frame. Tracer and target differ only in the last field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Program<'a> {
    /// Name or path.
    pub name: Option<&'a [u8]>,
    /// Version, or MD5 sum as 16 bytes.
    pub last: Option<&'a [u8]>,
    all: Fields<'a>,
}

/// Properties of the traced program's file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileStats {
    /// Size in bytes. The field is too small for files of 2 GiB and more.
    pub size: Option<i32>,
    /// Time of the last access, in seconds since 1970.
    pub accessed: Option<f64>,
    /// Time of the last write, in seconds since 1970.
    pub modified: Option<f64>,
    /// Time of the last status change, in seconds since 1970.
    pub changed: Option<f64>,
}

/// A message that only has a repeated field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct List<'a>(Fields<'a>);

impl<'a> List<'a> {
    fn elements(self) -> impl Iterator<Item = Fields<'a>> {
        self.0.repeated(1)
    }

    /// Its elements as operands of an instruction.
    pub fn operands(self) -> impl Iterator<Item = Operand<'a>> {
        self.elements().map(|element| operand(element, true))
    }

    /// Its elements as values of a tagged list.
    pub fn values(self) -> impl Iterator<Item = Operand<'a>> {
        self.elements().map(|element| operand(element, false))
    }

    /// Its elements as introductions of taint.
    pub fn taint_intros(self) -> impl Iterator<Item = TaintIntro<'a>> {
        self.elements().map(taint_intro)
    }

    /// Its elements as tagged lists of a key frame.
    pub fn tagged_lists(self) -> impl Iterator<Item = TaggedList<'a>> {
        self.elements().map(tagged_list)
    }

    /// Its elements as arguments of a system call, packed or not.
    pub fn arguments(self) -> impl Iterator<Item = i64> {
        self.0.filter(|(number, _)| *number == 1).flat_map(|(_, content)| {
            let (one, packed) = match content {
                Content::Number(value) => (Some(value), Packed(&[])),
                Content::Bytes(packed) => (None, Packed(packed.bytes)),
                _ => (None, Packed(&[])),
            };
            one.into_iter().chain(packed).map(zigzag)
        })
    }
}

/// Packed numbers.
struct Packed<'a>(&'a [u8]);

impl Iterator for Packed<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let (value, rest) = super::wire::varint(self.0).ok()?;
        self.0 = rest;
        Some(value)
    }
}

impl<'a> Program<'a> {
    /// Arguments.
    pub fn arguments(self) -> impl Iterator<Item = &'a [u8]> {
        self.repeated(2)
    }

    /// Environment variables.
    pub fn environment(self) -> impl Iterator<Item = &'a [u8]> {
        self.repeated(3)
    }

    fn repeated(self, wanted: u64) -> impl Iterator<Item = &'a [u8]> {
        self.all.repeated(wanted).map(|content| content.bytes)
    }
}

impl<'a> Frame<'a> {
    /// A view on a frame's message.
    pub fn new(message: &'a [u8]) -> Self {
        Self::of(Fields::new(message))
    }

    /// A view on the fields of a frame's message.
    pub(crate) fn of(message: Fields<'a>) -> Self {
        let mut frame = Self::default();
        for (number, content) in message {
            let Content::Bytes(fields) = content else { continue };
            match number {
                1 => frame.std = Some(std(fields)),
                2 => frame.syscall = Some(syscall(fields)),
                3 => frame.exception = Some(exception(fields)),
                4 => frame.taint_intro = Some(sub_list(fields)),
                5 => frame.mod_load = Some(mod_load(fields)),
                6 => frame.key = Some(sub_list(fields)),
                _ => {}
            }
        }
        frame
    }

    /// Whether the frame has no usable content: it is empty, of an unknown kind, or an instruction
    /// without address or thread.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default() || self.std.is_some_and(|std| std.address.is_none() || std.thread.is_none())
    }
}

impl<'a> Meta<'a> {
    /// A view on the meta frame's message.
    pub fn new(message: &'a [u8]) -> Self {
        Self::of(Fields::new(message))
    }

    /// A view on the fields of the meta frame's message.
    pub(crate) fn of(message: Fields<'a>) -> Self {
        let mut meta = Self::default();
        for field in message {
            match field {
                (1, Content::Bytes(b)) => meta.tracer = Some(program(b)),
                (2, Content::Bytes(b)) => meta.target = Some(program(b)),
                (3, Content::Bytes(b)) => meta.file = Some(file_stats(b)),
                (4, Content::Bytes(b)) => meta.user = Some(b.bytes),
                (5, Content::Bytes(b)) => meta.host = Some(b.bytes),
                (6, Content::Fixed64(bits)) => meta.time = Some(f64::from_bits(bits)),
                _ => {}
            }
        }
        meta
    }
}

fn std(message: Fields<'_>) -> Std<'_> {
    let mut std = Std::default();
    for field in message {
        match field {
            (1, Content::Number(v)) => std.address = Some(v),
            (2, Content::Number(v)) => std.thread = Some(v),
            (3, Content::Bytes(b)) => std.bytes = Some(b.bytes),
            (4, Content::Bytes(b)) => std.pre = Some(List(b)),
            (5, Content::Bytes(b)) => std.post = Some(List(b)),
            (6, Content::Bytes(b)) => std.mode = Some(b.bytes),
            _ => {}
        }
    }
    std
}

fn syscall(message: Fields<'_>) -> Syscall<'_> {
    let mut syscall = Syscall::default();
    for field in message {
        match field {
            (1, Content::Number(v)) => syscall.address = Some(v),
            (2, Content::Number(v)) => syscall.thread = Some(v),
            (3, Content::Number(v)) => syscall.number = Some(v),
            (4, Content::Bytes(b)) => syscall.arguments = Some(List(b)),
            _ => {}
        }
    }
    syscall
}

fn exception(message: Fields<'_>) -> Exception {
    let mut exception = Exception::default();
    for field in message {
        match field {
            (1, Content::Number(v)) => exception.number = Some(v),
            (2, Content::Number(v)) => exception.thread = Some(v),
            (3, Content::Number(v)) => exception.from = Some(v),
            (4, Content::Number(v)) => exception.to = Some(v),
            _ => {}
        }
    }
    exception
}

fn mod_load(message: Fields<'_>) -> ModLoad<'_> {
    let mut load = ModLoad::default();
    for field in message {
        match field {
            (1, Content::Bytes(b)) => load.name = Some(b.bytes),
            (2, Content::Number(v)) => load.low = Some(v),
            (3, Content::Number(v)) => load.high = Some(v),
            _ => {}
        }
    }
    load
}

/// A message whose only field is a list.
fn sub_list(message: Fields<'_>) -> Option<List<'_>> {
    message.repeated(1).last().map(List)
}

fn operand(message: Fields<'_>, with_usage: bool) -> Operand<'_> {
    let mut operand = Operand::default();
    for (number, content) in message {
        // Values in key frames have no usage, so their later fields have lower numbers.
        let number = if with_usage || number < 3 { number } else { number + 1 };
        match (number, content) {
            (1, Content::Bytes(b)) => operand.place = Some(place(b)),
            // sint32: C++ keeps the lower half of a longer number.
            (2, Content::Number(v)) => operand.bits = Some(zigzag(v & 0xffff_ffff) as i32),
            (3, Content::Bytes(b)) => operand.usage = Some(usage(b)),
            (4, Content::Bytes(b)) => operand.taint = Some(taint(b)),
            (5, Content::Bytes(b)) => operand.value = Some(b.bytes),
            _ => {}
        }
    }
    operand
}

fn place(message: Fields<'_>) -> Place<'_> {
    let mut place = Place::default();
    for (number, content) in message {
        let Content::Bytes(fields) = content else { continue };
        match number {
            1 => {
                let numbers = fields.filter_map(|(n, c)| match c {
                    Content::Number(v) if n == 1 => Some(v),
                    _ => None,
                });
                place.memory = Some(numbers.last());
            }
            2 => place.register = Some(fields.repeated(1).last().map(|name| name.bytes)),
            _ => {}
        }
    }
    place
}

fn usage(message: Fields<'_>) -> Usage {
    let mut usage = Usage::default();
    for (number, content) in message {
        let Content::Number(v) = content else { continue };
        let flag = Some(v != 0);
        match number {
            1 => usage.read = flag,
            2 => usage.written = flag,
            3 => usage.index = flag,
            4 => usage.base = flag,
            _ => {}
        }
    }
    usage
}

fn taint(message: Fields<'_>) -> Taint {
    let mut taint = Taint::default();
    for (number, content) in message {
        let Content::Number(v) = content else { continue };
        match number {
            1 => taint.no_taint = Some(v != 0),
            2 => taint.id = Some(v),
            3 => taint.multiple = Some(v != 0),
            _ => {}
        }
    }
    taint
}

fn taint_intro(message: Fields<'_>) -> TaintIntro<'_> {
    let mut intro = TaintIntro::default();
    for field in message {
        match field {
            (1, Content::Number(v)) => intro.address = Some(v),
            (2, Content::Number(v)) => intro.id = Some(v),
            (3, Content::Bytes(b)) => intro.value = Some(b.bytes),
            (4, Content::Bytes(b)) => intro.source = Some(b.bytes),
            (5, Content::Number(v)) => intro.offset = Some(v),
            _ => {}
        }
    }
    intro
}

fn tagged_list(message: Fields<'_>) -> TaggedList<'_> {
    let mut list = TaggedList::default();
    for (number, content) in message {
        let Content::Bytes(fields) = content else { continue };
        match number {
            1 => {
                let mut source = Source::default();
                for field in fields {
                    match field {
                        (1, Content::Number(v)) => source.no_thread = Some(v != 0),
                        (2, Content::Number(v)) => source.thread = Some(v),
                        _ => {}
                    }
                }
                list.source = Some(source);
            }
            2 => list.values = Some(List(fields)),
            _ => {}
        }
    }
    list
}

fn program(message: Fields<'_>) -> Program<'_> {
    let mut program = Program { all: message, ..Program::default() };
    for (number, content) in message {
        match (number, content) {
            (1, Content::Bytes(b)) => program.name = Some(b.bytes),
            (4, Content::Bytes(b)) => program.last = Some(b.bytes),
            _ => {}
        }
    }
    program
}

fn file_stats(message: Fields<'_>) -> FileStats {
    let mut stats = FileStats::default();
    for field in message {
        match field {
            (1, Content::Number(v)) => stats.size = Some(zigzag(v & 0xffff_ffff) as i32),
            (2, Content::Fixed64(bits)) => stats.accessed = Some(f64::from_bits(bits)),
            (3, Content::Fixed64(bits)) => stats.modified = Some(f64::from_bits(bits)),
            (4, Content::Fixed64(bits)) => stats.changed = Some(f64::from_bits(bits)),
            _ => {}
        }
    }
    stats
}
