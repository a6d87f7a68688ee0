//! Writes apitrace traces of version 6 in Snappy: the mirror of the decoder, for fixtures, samples
//! and tests.
//!
//! `tests/apitrace_fixtures.rs` checks that `apitrace dump` reads these traces.

use alloc::boxed::Box;
use alloc::vec::Vec;

use hashbrown::HashSet;
use unspool_containers::snappy_block::compress;

use super::wire::{self, FLAG_FAKE, frame_tag, put_sint, put_text, put_uint, tag};

/// Bytes of the stream that tracers put into a chunk.
pub const CHUNK: usize = 1 << 20;

/// The signature of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSig<'a> {
    /// Id, unique among functions.
    pub id: u64,
    /// Name in the API.
    pub name: &'a str,
    /// Names of the arguments.
    pub args: &'a [&'a str],
}

/// The signature of an enum, with all its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumSig<'a> {
    /// Id, unique among enums.
    pub id: u64,
    /// Names and values.
    pub values: &'a [(&'a str, i64)],
}

/// The signature of a bitmask, with all its flags. A flag of zero must be the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmaskSig<'a> {
    /// Id, unique among bitmasks.
    pub id: u64,
    /// Names and bits.
    pub flags: &'a [(&'a str, u64)],
}

/// The signature of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructSig<'a> {
    /// Id, unique among structs.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// Names of the members; that of an anonymous struct is empty.
    pub members: &'a [&'a str],
}

/// A stack frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameSig<'a> {
    /// Id, unique among frames.
    pub id: u64,
    /// File name of the program or library.
    pub module: Option<&'a str>,
    /// Name of the function.
    pub function: Option<&'a str>,
    /// Source file.
    pub file: Option<&'a str>,
    /// Line in the source file.
    pub line: Option<u64>,
    /// Offset in the module in bytes.
    pub offset: Option<u64>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f32),
    Double(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
    Enum(&'a EnumSig<'a>, i64),
    Bitmask(&'a BitmaskSig<'a>, u64),
    Array(Vec<Value<'a>>),
    /// One value for each member.
    Struct(&'a StructSig<'a>, Vec<Value<'a>>),
    Pointer(u64),
    /// A value for people and one for machines.
    Repr(Box<(Value<'a>, Value<'a>)>),
    Wide(&'a str),
}

/// What an event records about its call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details<'a> {
    /// Arguments with their indexes.
    pub args: Vec<(u64, Value<'a>)>,
    /// The return value.
    pub result: Option<Value<'a>>,
    /// The tracer made the call, not the program.
    pub fake: bool,
    /// The stack at the call.
    pub backtrace: Vec<FrameSig<'a>>,
}

impl<'a> Details<'a> {
    /// Details with these arguments, in order from index 0.
    pub fn args(values: impl IntoIterator<Item = Value<'a>>) -> Self {
        Self { args: (0..).zip(values).collect(), ..Self::default() }
    }

    /// Details with this return value.
    pub fn result(value: Value<'a>) -> Self {
        Self { result: Some(value), ..Self::default() }
    }
}

/// A space of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Function,
    Enum,
    Bitmask,
    Struct,
    Frame,
}

/// Writes one trace.
#[derive(Clone, Debug)]
pub struct Writer {
    out: Vec<u8>,
    defined: HashSet<(Space, u64)>,
    calls: u64,
}

impl Writer {
    /// Begins a trace with these properties.
    pub fn new(properties: &[(&str, &str)]) -> Self {
        let mut writer = Self { out: Vec::new(), defined: HashSet::new(), calls: 0 };
        writer.uint(wire::VERSION.into());
        writer.uint(wire::VERSION.into());
        for (name, value) in properties {
            writer.text(name.as_bytes());
            writer.text(value.as_bytes());
        }
        writer.text(b"");
        writer
    }

    /// Appends an ENTER event. Returns the number of the call, from 0.
    pub fn enter(&mut self, thread: u64, function: &FunctionSig<'_>, details: &Details<'_>) -> u64 {
        self.out.push(wire::ENTER);
        self.uint(thread);
        if self.begins(Space::Function, function.id) {
            self.text(function.name.as_bytes());
            self.uint(function.args.len() as u64);
            function.args.iter().for_each(|arg| self.text(arg.as_bytes()));
        }
        self.details(details);
        self.calls += 1;
        self.calls - 1
    }

    /// Appends the LEAVE event of a call.
    pub fn leave(&mut self, call: u64, details: &Details<'_>) {
        self.out.push(wire::LEAVE);
        self.uint(call);
        self.details(details);
    }

    /// Appends a call that ends at once.
    pub fn call(&mut self, thread: u64, function: &FunctionSig<'_>, args: Vec<Value<'_>>, result: Option<Value<'_>>) {
        let call = self.enter(thread, function, &Details::args(args));
        self.leave(call, &Details { result, ..Details::default() });
    }

    /// The stream so far, without a container.
    pub fn stream(&self) -> &[u8] {
        &self.out
    }

    /// Takes the stream since the previous `take`, to write a large trace in parts.
    pub fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.out)
    }

    /// The trace as a file in Snappy.
    pub fn finish(self) -> Vec<u8> {
        snappy(&self.out, CHUNK)
    }

    fn details(&mut self, details: &Details<'_>) {
        if details.fake {
            self.out.push(wire::DETAIL_FLAGS);
            self.uint(FLAG_FAKE);
        }
        if !details.backtrace.is_empty() {
            self.out.push(wire::DETAIL_BACKTRACE);
            self.uint(details.backtrace.len() as u64);
            details.backtrace.iter().for_each(|frame| self.frame(frame));
        }
        for (index, value) in &details.args {
            self.out.push(wire::DETAIL_ARG);
            self.uint(*index);
            self.value(value);
        }
        if let Some(value) = &details.result {
            self.out.push(wire::DETAIL_RET);
            self.value(value);
        }
        self.out.push(wire::DETAIL_END);
    }

    fn frame(&mut self, frame: &FrameSig<'_>) {
        if !self.begins(Space::Frame, frame.id) {
            return;
        }
        let texts =
            [(frame_tag::MODULE, frame.module), (frame_tag::FUNCTION, frame.function), (frame_tag::FILE, frame.file)];
        for (tag, text) in texts {
            if let Some(text) = text {
                self.out.push(tag);
                self.text(text.as_bytes());
            }
        }
        for (tag, number) in [(frame_tag::LINE, frame.line), (frame_tag::OFFSET, frame.offset)] {
            if let Some(number) = number {
                self.out.push(tag);
                self.uint(number);
            }
        }
        self.out.push(frame_tag::END);
    }

    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Null => self.out.push(tag::NULL),
            Value::Bool(b) => self.out.push(if *b { tag::TRUE } else { tag::FALSE }),
            Value::Int(n) => self.sint(*n),
            Value::Uint(n) => self.tagged(tag::UINT, *n),
            Value::Float(x) => {
                self.out.push(tag::FLOAT);
                self.out.extend_from_slice(&x.to_le_bytes());
            }
            Value::Double(x) => {
                self.out.push(tag::DOUBLE);
                self.out.extend_from_slice(&x.to_le_bytes());
            }
            Value::Text(text) => {
                self.out.push(tag::STRING);
                self.text(text);
            }
            Value::Blob(bytes) => {
                self.out.push(tag::BLOB);
                self.text(bytes);
            }
            Value::Enum(signature, n) => {
                self.out.push(tag::ENUM);
                if self.begins(Space::Enum, signature.id) {
                    self.uint(signature.values.len() as u64);
                    for (name, value) in signature.values {
                        self.text(name.as_bytes());
                        self.sint(*value);
                    }
                }
                self.sint(*n);
            }
            Value::Bitmask(signature, bits) => {
                self.out.push(tag::BITMASK);
                if self.begins(Space::Bitmask, signature.id) {
                    self.uint(signature.flags.len() as u64);
                    for (name, bits) in signature.flags {
                        self.text(name.as_bytes());
                        self.uint(*bits);
                    }
                }
                self.uint(*bits);
            }
            Value::Array(values) => {
                self.tagged(tag::ARRAY, values.len() as u64);
                values.iter().for_each(|value| self.value(value));
            }
            Value::Struct(signature, values) => {
                self.out.push(tag::STRUCT);
                if self.begins(Space::Struct, signature.id) {
                    self.text(signature.name.as_bytes());
                    self.uint(signature.members.len() as u64);
                    signature.members.iter().for_each(|member| self.text(member.as_bytes()));
                }
                let values = values.iter().chain(core::iter::repeat(&Value::Null));
                values.take(signature.members.len()).for_each(|value| self.value(value));
            }
            // Like tracers, write address 0 as null.
            Value::Pointer(0) => self.out.push(tag::NULL),
            Value::Pointer(p) => self.tagged(tag::POINTER, *p),
            Value::Repr(both) => {
                self.out.push(tag::REPR);
                self.value(&both.0);
                self.value(&both.1);
            }
            Value::Wide(text) => {
                self.tagged(tag::WIDE, text.chars().count() as u64);
                text.chars().for_each(|c| self.uint(u32::from(c).into()));
            }
        }
    }

    /// Writes an id. Returns true if its definition must follow.
    fn begins(&mut self, space: Space, id: u64) -> bool {
        self.uint(id);
        self.defined.insert((space, id))
    }

    fn tagged(&mut self, tag: u8, n: u64) {
        self.out.push(tag);
        self.uint(n);
    }

    fn sint(&mut self, n: i64) {
        put_sint(&mut self.out, n);
    }

    fn uint(&mut self, n: u64) {
        put_uint(&mut self.out, n);
    }

    fn text(&mut self, text: &[u8]) {
        put_text(&mut self.out, text);
    }
}

/// Wraps a stream in Snappy chunks of `chunk` bytes of stream each.
pub fn snappy(stream: &[u8], chunk: usize) -> Vec<u8> {
    let mut file = b"at".to_vec();
    stream.chunks(chunk.max(1)).for_each(|part| file.append(&mut snappy_chunk(part)));
    file
}

/// One Snappy chunk. A file is "at" followed by chunks, which may divide the stream anywhere.
pub fn snappy_chunk(part: &[u8]) -> Vec<u8> {
    let mut block = compress(part);
    let mut chunk = (block.len() as u32).to_le_bytes().to_vec();
    chunk.append(&mut block);
    chunk
}
