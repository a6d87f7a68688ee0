//! A call of an apitrace with its arguments, as everything that follows OpenGL reads it.

use unspool_formats::apitrace::{self, Rendered, Scalar, Token, Uploads};
use unspool_trace::records::{FieldValue, Record, Visitor};

use crate::Arguments;

/// A call, whose room is used again for the next one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Its number, counted from 0 over all threads.
    pub number: u64,
    /// Number of its thread, as apitrace counts them.
    pub thread: u64,
    /// Number of its frame, from 0.
    pub frame: u64,
    /// What its reader has said of its function ([`Call::take`]).
    pub function: u32,
    /// The tracer made it, not the program.
    pub is_fake: bool,
    /// It did not return within the trace.
    pub is_incomplete: bool,
    /// Values were left out, because they were too many.
    pub is_shortened: bool,
    /// Its effect on a framebuffer.
    pub rendered: Rendered,
    /// Bytes that it uploads ([`unspool_formats::apitrace::Uploads`]).
    pub uploaded: u64,
    items: Vec<Item>,
    left_out: Vec<[u64; 2]>,
    text: Vec<u8>,
    /// The item of each argument.
    arguments: Vec<u32>,
    result: Option<u32>,
    /// The items of arguments that return interfaces: pointers to pointers of Microsoft's headers.
    outgoing: Vec<u32>,
    /// Lists that are open, by item.
    open: Vec<u32>,
    line: String,
}

/// Bytes of the longest line.
const LONGEST_LINE: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    Text {
        at: u32,
        len: u32,
    },
    Bytes {
        at: u32,
        kept: u32,
        len: u64,
    },
    /// A list or a structure: its last item is before `end`.
    List {
        end: u32,
    },
}

/// A value of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A null pointer, or an argument that was not recorded.
    Null,
    /// A truth value.
    Bool(bool),
    /// A negative number, or a constant with a name.
    Int(i64),
    /// A number, a pointer or flags.
    Uint(u64),
    /// A floating point number of 32 or 64 bits.
    Float(f64),
    /// Text.
    Text(&'a str),
    /// Bytes, and how many there were in the program's memory. The rest was left out.
    Bytes(&'a [u8], u64),
    /// A list, or the members of a structure.
    List(Values<'a>),
}

/// Values of a list.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    call: &'a Call,
    next: u32,
    end: u32,
}

impl PartialEq for Values<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.eq_by_value(*other)
    }
}

impl<'a> Values<'a> {
    fn eq_by_value(self, other: Self) -> bool {
        self.into_iter().eq(other)
    }
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;

    #[inline]
    fn next(&mut self) -> Option<Value<'a>> {
        if self.next >= self.end {
            return None;
        }
        let at = self.next;
        self.next = match self.call.items.get(at as usize)? {
            Item::List { end } => (*end).max(at + 1),
            _ => at + 1,
        };
        Some(self.call.value(at))
    }
}

impl<'a> Value<'a> {
    /// As an integer. Floating point numbers are rounded towards zero. `None` for everything that
    /// is not a number.
    #[inline]
    pub fn int(self) -> Option<i64> {
        match self {
            Self::Bool(is) => Some(is.into()),
            Self::Int(n) => Some(n),
            Self::Uint(n) => Some(n as i64),
            Self::Float(n) => Some(n as i64),
            _ => None,
        }
    }

    /// As a floating point number. `None` for everything that is not a number.
    #[inline]
    pub fn float(self) -> Option<f64> {
        match self {
            Self::Bool(is) => Some(f64::from(u8::from(is))),
            Self::Int(n) => Some(n as f64),
            Self::Uint(n) => Some(n as f64),
            Self::Float(n) => Some(n),
            _ => None,
        }
    }

    /// The number of bytes in the program's memory. 0 for anything else.
    pub fn bytes_of_program(self) -> u64 {
        if let Self::Bytes(_, len) = self { len } else { 0 }
    }

    /// As text.
    #[inline]
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a list; of a single value itself, because a pointer to one value is recorded
    /// as a list or as that value. None for null.
    #[inline]
    pub fn list(self) -> Option<Values<'a>> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }
}

impl Call {
    /// Number of arguments, those that were not recorded included.
    #[inline]
    pub fn len(&self) -> usize {
        self.arguments.len()
    }

    /// Whether it has no arguments.
    pub fn is_empty(&self) -> bool {
        self.arguments.is_empty()
    }

    /// An argument. [`Value::Null`] if there is no such argument.
    #[inline]
    pub fn argument(&self, index: usize) -> Value<'_> {
        self.arguments.get(index).map_or(Value::Null, |at| self.value(*at))
    }

    /// What it returned. [`Value::Null`] if it returned nothing.
    #[inline]
    pub fn result(&self) -> Value<'_> {
        self.result.map_or(Value::Null, |at| self.value(at))
    }

    /// The interfaces that the call returns in its arguments.
    pub fn made(&self) -> impl Iterator<Item = u64> {
        let lists = self.outgoing.iter().filter_map(|at| self.value(*at).list());
        lists.flatten().filter_map(|value| if let Value::Uint(address) = value { Some(address) } else { None })
    }

    /// All unsigned numbers of arguments and result, at any depth: pointers are among them.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.items.iter().filter_map(|item| if let Item::Uint(number) = item { Some(*number) } else { None })
    }

    /// Digests of what limits left out of values, if they were asked for
    /// ([`unspool_trace::records::Extent`]).
    pub fn left_out(&self) -> &[[u64; 2]] {
        &self.left_out
    }

    /// An argument as an integer, 0 if it is not one.
    #[inline]
    pub fn int(&self, index: usize) -> i64 {
        self.argument(index).int().unwrap_or_default()
    }

    /// An argument as an unsigned number of 32 bits: a constant or the name of an object.
    #[inline]
    pub fn uint(&self, index: usize) -> u32 {
        self.int(index) as u32
    }

    /// The same call without its first arguments.
    pub fn without(&self, count: usize) -> Self {
        let arguments = self.arguments.get(count..).unwrap_or_default().to_vec();
        Self { arguments, ..self.clone() }
    }

    /// An argument as a floating point number, 0 if it is not one.
    #[inline]
    pub fn float(&self, index: usize) -> f64 {
        self.argument(index).float().unwrap_or_default()
    }

    /// The numbers of an argument that is a list of numbers, at most `N`; the rest is 0. The
    /// second: how many there are.
    pub fn floats<const N: usize>(&self, index: usize) -> ([f64; N], usize) {
        let mut numbers = [0.0; N];
        let mut count = 0;
        if let Value::List(values) = self.argument(index) {
            for (slot, value) in numbers.iter_mut().zip(values) {
                *slot = value.float().unwrap_or_default();
                count += 1;
            }
        }
        (numbers, count)
    }

    #[inline]
    fn value(&self, at: u32) -> Value<'_> {
        let bytes = |at: u32, len: u32| self.text.get(at as usize..(at + len) as usize).unwrap_or_default();
        match self.items.get(at as usize).copied().unwrap_or(Item::Null) {
            Item::Null => Value::Null,
            Item::Bool(is) => Value::Bool(is),
            Item::Int(n) => Value::Int(n),
            Item::Uint(n) => Value::Uint(n),
            Item::Float(n) => Value::Float(n),
            Item::Text { at, len } => Value::Text(core::str::from_utf8(bytes(at, len)).unwrap_or_default()),
            Item::Bytes { at, kept, len } => Value::Bytes(bytes(at, kept), len),
            Item::List { end } => Value::List(Values { call: self, next: at + 1, end }),
        }
    }

    /// Arguments and result in a line, from after the opening parenthesis on: `cap = GL_BLEND)`.
    /// Long lines are cut.
    pub fn line(&self) -> String {
        match self.line.char_indices().find(|(at, _)| *at >= LONGEST_LINE) {
            Some((at, _)) => format!("{}…", self.line.get(..at).unwrap_or_default()),
            None => self.line.clone(),
        }
    }

    /// Takes a call over. Numbers with a name are their number.
    pub fn take(&mut self, call: &apitrace::Call<'_>, function: u32, writes_line: bool) {
        self.items.clear();
        self.left_out.clear();
        self.text.clear();
        self.arguments.clear();
        self.outgoing.clear();
        (self.number, self.thread, self.frame, self.function) = (call.number, call.thread(), call.frame, function);
        (self.is_fake, self.is_incomplete) = (call.is_fake(), call.is_incomplete);
        self.is_shortened = call.is_shortened();
        self.rendered = call.rendered;
        let uploads = call.flags().uploads;
        self.uploaded = if uploads == Uploads::Nothing { 0 } else { call.unseen_bytes() };
        for (index, argument) in call.arguments().enumerate() {
            let at = self.items.len() as u32;
            self.arguments.push(at);
            match argument {
                Some(tokens) => self.tokens(tokens, uploads),
                None => self.items.push(Item::Null),
            }
            let is_list = matches!(self.items.get(at as usize), Some(Item::List { .. }));
            if is_list && call.key(index).is_some_and(is_outgoing) {
                self.outgoing.push(at);
            }
        }
        self.result = call.result().map(|tokens| {
            let at = self.items.len() as u32;
            self.tokens(tokens, uploads);
            at
        });
        self.line.clear();
        if writes_line {
            let mut line = Line { text: core::mem::take(&mut self.line), part: Part::Head, depth: 0, is_first: true };
            call.visit(&mut line);
            self.line = line.text;
        }
    }

    fn tokens(&mut self, tokens: apitrace::Values<'_>, uploads: Uploads) {
        self.open.clear();
        for (_, token) in tokens {
            self.uploaded = self.uploaded.saturating_add(match (token, uploads) {
                (Token::Blob(_, len), Uploads::Blobs | Uploads::Texts) => len,
                (Token::Text(bytes), Uploads::Texts) => bytes.len() as u64,
                _ => 0,
            });
            let item = match token {
                Token::Scalar(scalar) => match scalar {
                    Scalar::Null => Item::Null,
                    Scalar::Bool(is) => Item::Bool(is),
                    Scalar::Int(n) | Scalar::Enum { value: n, .. } => Item::Int(n),
                    Scalar::Uint(n) | Scalar::Pointer(n) | Scalar::Bitmask { value: n, .. } => Item::Uint(n),
                    Scalar::Float(n) => Item::Float(n.into()),
                    Scalar::Double(n) => Item::Float(n),
                },
                Token::Text(bytes) => match core::str::from_utf8(bytes) {
                    Ok(_) => self.text(bytes),
                    Err(_) => self.text(token.text().unwrap_or_default().as_bytes()),
                },
                Token::Guid(_) => self.text(token.text().unwrap_or_default().as_bytes()),
                Token::Blob(bytes, len) => Item::Bytes { at: self.keep(bytes), kept: bytes.len() as u32, len },
                Token::Open { .. } => {
                    self.open.push(self.items.len() as u32);
                    Item::List { end: 0 }
                }
                Token::Close => {
                    let after = self.items.len() as u32;
                    if let Some(Item::List { end }) = self.open.pop().and_then(|at| self.items.get_mut(at as usize)) {
                        *end = after;
                    }
                    continue;
                }
                Token::LeftOut(digest) => {
                    self.left_out.push(digest);
                    continue;
                }
            };
            self.items.push(item);
        }
    }

    #[inline]
    fn text(&mut self, text: &[u8]) -> Item {
        Item::Text { at: self.keep(text), len: text.len() as u32 }
    }

    #[inline]
    fn keep(&mut self, bytes: &[u8]) -> u32 {
        let at = self.text.len() as u32;
        self.text.extend_from_slice(bytes);
        at
    }
}

impl Arguments for Call {
    fn number(&self) -> u64 {
        self.number
    }

    fn thread(&self) -> u64 {
        self.thread
    }

    fn int(&self, place: usize) -> i64 {
        let value = self.argument(place);
        value.list().map_or(Some(value), |mut values| values.next()).and_then(Value::int).unwrap_or_default()
    }

    fn ints(&self, place: usize) -> Vec<i64> {
        let numbers = self.argument(place).list().map(|values| values.map(|value| value.int().unwrap_or_default()));
        numbers.map_or_else(Vec::new, Iterator::collect)
    }

    fn float(&self, place: usize) -> f64 {
        self.argument(place).float().unwrap_or_default()
    }

    fn number_at(&self, place: usize) -> Option<f64> {
        self.argument(place).float()
    }

    fn floats(&self, place: usize, numbers: &mut [f64]) -> usize {
        let Value::List(values) = self.argument(place) else { return 0 };
        let mut slots = numbers.iter_mut();
        values.map(|value| slots.next().map(|slot| *slot = value.float().unwrap_or_default())).count()
    }

    fn returned(&self) -> Option<i64> {
        self.result().int()
    }
}

/// Writes arguments and result in a line, from after the opening parenthesis on.
struct Line {
    text: String,
    part: Part,
    /// Open lists and structures within the part.
    depth: u32,
    /// No comma is needed before the next value.
    is_first: bool,
}

/// Where the next field of a call belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head,
    Arguments,
    /// The result, which is a list or structure.
    Result,
    /// Flags or the backtrace.
    Other,
}

impl Line {
    fn write(&mut self, text: &str) {
        if self.text.len() <= LONGEST_LINE {
            self.text.push_str(text);
        }
    }

    fn write_key(&mut self, key: &str) {
        if !core::mem::replace(&mut self.is_first, false) {
            self.write(", ");
        }
        // Members have no keys here: a line is short.
        if self.depth == 0 && !key.is_empty() {
            self.write(key);
            self.write(" = ");
        }
    }

    fn write_value(&mut self, value: FieldValue<'_>) {
        let text = match value {
            FieldValue::Symbol { name: "", value: of } => return self.write_value(*of),
            FieldValue::Symbol { name, .. } => return self.write(name),
            FieldValue::Text(text) => {
                let cut = text.char_indices().nth(80).map_or(text, |(at, _)| text.get(..at).unwrap_or_default());
                format!("{cut:?}{}", if cut.len() < text.len() { "…" } else { "" })
            }
            FieldValue::Null => "NULL".into(),
            FieldValue::Bool(is) => is.to_string(),
            FieldValue::U64(n) => n.to_string(),
            FieldValue::Hex(n) => format!("{n:#x}"),
            FieldValue::I64(n) | FieldValue::Id(n) => n.to_string(),
            FieldValue::F32(n) => n.to_string(),
            FieldValue::F64(n) => n.to_string(),
            FieldValue::Bytes { len, .. } => format!("blob({len})"),
            FieldValue::Code { .. } => "?".into(),
        };
        self.write(&text);
    }
}

impl Visitor for Line {
    fn begin(&mut self, _record: &Record<'_>) -> bool {
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        match self.part {
            Part::Arguments => {
                self.write_key(key);
                self.write_value(value);
            }
            Part::Head if key == "ret" => {
                self.write(" = ");
                self.write_value(value);
            }
            Part::Head | Part::Result | Part::Other => {}
        }
    }

    fn open(&mut self, key: &str, _is_list: bool) {
        match self.part {
            Part::Head => {
                self.part = match key {
                    "args" => Part::Arguments,
                    "ret" => Part::Result,
                    _ => Part::Other,
                };
                if self.part == Part::Result {
                    self.write(" = {…}");
                }
                return;
            }
            Part::Arguments => {
                self.write_key(key);
                self.write("{");
                self.is_first = true;
            }
            Part::Result | Part::Other => {}
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        let is_outermost = self.depth == 0;
        if self.part == Part::Arguments {
            self.write(if is_outermost { ")" } else { "}" });
            self.is_first = false;
        }
        if is_outermost {
            self.part = Part::Head;
        } else {
            self.depth -= 1;
        }
    }
}

/// Whether a list in an argument of this name has interfaces that a call returns: `pp…`, or `lplp…`
/// of DirectDraw. `IDXGIDevice::GetAdapter` has one name without the second `p`.
fn is_outgoing(key: &str) -> bool {
    key.starts_with("pp") || key.starts_with("lplp") || key == "pAdapter"
}
