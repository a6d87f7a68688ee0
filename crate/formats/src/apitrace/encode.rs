//! Writes apitrace traces of version 6 in Snappy: the mirror of the decoder, for fixtures, samples and tests.
//!
//! `apitrace dump` reads what is written here; a test says so.

use alloc::boxed::Box;
use alloc::vec::Vec;

use hashbrown::HashSet;

use crate::container::snappy_block::compress;

use super::wire::{self, FLAG_FAKE, frame_tag, put_uint, tag};

/// What tracers put into a chunk.
pub const CHUNK: usize = 1 << 20;

/// A function, by a number of the writer's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionSig<'a> {
    /// Different for different functions.
    pub id: u64,
    /// As the API calls it.
    pub name: &'a str,
    /// Names of the arguments.
    pub args: &'a [&'a str],
}

/// An enum with all its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumSig<'a> {
    /// Different for different enums.
    pub id: u64,
    /// Names with values.
    pub values: &'a [(&'a str, i64)],
}

/// A bitmask with all its flags; one of zero comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitmaskSig<'a> {
    /// Different for different bitmasks.
    pub id: u64,
    /// Names with bits.
    pub flags: &'a [(&'a str, u64)],
}

/// A struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructSig<'a> {
    /// Different for different structs.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// Names of the members; one without a name is an anonymous struct.
    pub members: &'a [&'a str],
}

/// A stack frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameSig<'a> {
    /// Different for different frames.
    pub id: u64,
    /// File of the program or library.
    pub module: Option<&'a str>,
    /// Function.
    pub function: Option<&'a str>,
    /// Source file.
    pub file: Option<&'a str>,
    /// Line in it.
    pub line: Option<u64>,
    /// Offset in the module.
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
    /// For people, and for machines.
    Repr(Box<(Value<'a>, Value<'a>)>),
    Wide(&'a str),
}

/// What an event says of its call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details<'a> {
    /// Arguments by index.
    pub args: Vec<(u64, Value<'a>)>,
    /// What the call returned.
    pub result: Option<Value<'a>>,
    /// The program did not make this call.
    pub fake: bool,
    /// Where it came from.
    pub backtrace: Vec<FrameSig<'a>>,
}

impl<'a> Details<'a> {
    /// The arguments from the first on.
    pub fn args(values: impl IntoIterator<Item = Value<'a>>) -> Self {
        Self { args: (0..).zip(values).collect(), ..Self::default() }
    }

    /// What a call returned.
    pub fn result(value: Value<'a>) -> Self {
        Self { result: Some(value), ..Self::default() }
    }
}

/// The spaces of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Space {
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
    /// A trace with these properties.
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

    /// A call begins. Answers its number.
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

    /// A call ends.
    pub fn leave(&mut self, call: u64, details: &Details<'_>) {
        self.out.push(wire::LEAVE);
        self.uint(call);
        self.details(details);
    }

    /// A call begins and ends.
    pub fn call(&mut self, thread: u64, function: &FunctionSig<'_>, args: Vec<Value<'_>>, result: Option<Value<'_>>) {
        let call = self.enter(thread, function, &Details::args(args));
        self.leave(call, &Details { result, ..Details::default() });
    }

    /// The stream so far, without a container.
    pub fn stream(&self) -> &[u8] {
        &self.out
    }

    /// The stream since the last call, for writing it away while it grows.
    pub fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.out)
    }

    /// The trace as a file.
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
            // As tracers do: address 0 is null.
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

    /// Writes an id; true when its definition must follow.
    fn begins(&mut self, space: Space, id: u64) -> bool {
        self.uint(id);
        self.defined.insert((space, id))
    }

    fn tagged(&mut self, tag: u8, n: u64) {
        self.out.push(tag);
        self.uint(n);
    }

    fn sint(&mut self, n: i64) {
        self.tagged(if n < 0 { tag::NEGATIVE } else { tag::UINT }, n.unsigned_abs());
    }

    fn uint(&mut self, n: u64) {
        put_uint(&mut self.out, n);
    }

    fn text(&mut self, text: &[u8]) {
        self.uint(text.len() as u64);
        self.out.extend_from_slice(text);
    }
}

/// Wraps a stream in Snappy chunks of so many bytes each.
pub fn snappy(stream: &[u8], chunk: usize) -> Vec<u8> {
    let mut file = b"at".to_vec();
    stream.chunks(chunk.max(1)).for_each(|part| file.append(&mut snappy_chunk(part)));
    file
}

/// One Snappy chunk. A file is "at" and chunks one after the other, cut anywhere in the stream.
pub fn snappy_chunk(part: &[u8]) -> Vec<u8> {
    let mut block = compress(part);
    let mut chunk = (block.len() as u32).to_le_bytes().to_vec();
    chunk.append(&mut block);
    chunk
}
