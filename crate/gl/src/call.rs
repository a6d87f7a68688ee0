//! A call of an apitrace with its arguments, as everything that follows OpenGL reads it.

use unspool_formats::apitrace::{self, Rendered, Scalar, Token, Uploads};
use unspool_trace::records::{FieldValue, Record, Visitor};

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
    line: String,
}

/// Bytes of the longest line.
const LONGEST_LINE: usize = 400;
/// In place of an item.
const NONE: u32 = u32::MAX;

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
        /// An argument that returns interfaces: a pointer to pointers of Microsoft's headers.
        is_outgoing: bool,
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

    /// The value, if there is one and no other. A pointer to one value is recorded as a list or as
    /// that value.
    #[inline(never)]
    fn only(mut self) -> Option<Value<'a>> {
        self.next().filter(|_| self.next().is_none())
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
            Item::List { end, .. } => (*end).max(at + 1),
            _ => at + 1,
        };
        Some(self.call.value(at))
    }
}

impl<'a> Value<'a> {
    /// As an integer. Floating point numbers are rounded towards zero, and a list of one is what is
    /// in it. `None` for everything that is not a number.
    pub fn int(self) -> Option<i64> {
        match self {
            Self::Bool(is) => Some(is.into()),
            Self::Int(n) => Some(n),
            Self::Uint(n) => Some(n as i64),
            Self::Float(n) => Some(n as i64),
            Self::List(values) => values.only()?.int(),
            _ => None,
        }
    }

    /// As a floating point number, a list of one as what is in it. `None` for everything that is
    /// not a number.
    pub fn float(self) -> Option<f64> {
        match self {
            Self::Bool(is) => Some(f64::from(u8::from(is))),
            Self::Int(n) => Some(n as f64),
            Self::Uint(n) => Some(n as f64),
            Self::Float(n) => Some(n),
            Self::List(values) => values.only()?.float(),
            _ => None,
        }
    }

    /// The number of bytes in the program's memory. 0 for anything else.
    pub fn bytes_of_program(self) -> u64 {
        if let Self::Bytes(_, len) = self { len } else { 0 }
    }

    /// As text, a list of one as what is in it.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(values) => values.only()?.text(),
            _ => None,
        }
    }

    /// The bytes of memory, as far as they were kept. `None` for everything else.
    #[inline]
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes, _) => Some(bytes),
            _ => None,
        }
    }

    /// The values of a list. `None` for everything else.
    #[inline]
    pub fn list(self) -> Option<Values<'a>> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }

    /// The integers of a list, with 0 for what is not a number; a single number as a list of one.
    /// Empty for everything else.
    pub fn ints(self) -> Vec<i64> {
        match self {
            Self::List(values) => values.map(|value| value.int().unwrap_or_default()).collect(),
            one => one.int().into_iter().collect(),
        }
    }

    /// The numbers of a list, with 0 for what is not a number; those of memory, which has floats of
    /// 32 bits; a single number as a list of one. Empty for everything else.
    pub fn floats(self) -> Vec<f32> {
        match self {
            Self::List(values) => values.map(|value| value.float().unwrap_or_default() as f32).collect(),
            Self::Bytes(bytes, _) => bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect(),
            one => one.float().map(|number| number as f32).into_iter().collect(),
        }
    }

    /// Puts the first of those numbers into slots. Returns how many there are.
    fn put_floats(self, slots: &mut [f64]) -> usize {
        let (mut slots, mut count) = (slots.iter_mut(), 0);
        let mut put = |number: f64| {
            slots.next().into_iter().for_each(|slot| *slot = number);
            count += 1;
        };
        match self {
            Self::List(values) => values.for_each(|value| put(value.float().unwrap_or_default())),
            Self::Bytes(bytes, _) => bytes.as_chunks().0.iter().for_each(|it| put(f32::from_le_bytes(*it).into())),
            one => one.float().into_iter().for_each(put),
        }
        count
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Uint(number.into())
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes, bytes.len() as u64)
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
    pub fn argument(&self, index: usize) -> Value<'_> {
        self.arguments.get(index).map_or(Value::Null, |at| self.value(*at))
    }

    /// What it returned. [`Value::Null`] if it returned nothing.
    pub fn result(&self) -> Value<'_> {
        self.result.map_or(Value::Null, |at| self.value(at))
    }

    /// The interfaces that the call returns in its arguments.
    pub fn made(&self) -> impl Iterator<Item = u64> {
        let is_outgoing = |at: &u32| matches!(self.items.get(*at as usize), Some(Item::List { is_outgoing: true, .. }));
        let lists = self.arguments.iter().copied().filter(is_outgoing).filter_map(|at| self.value(at).list());
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

    /// What it returned, as an integer. `None` if that is not a number.
    pub fn returned(&self) -> Option<i64> {
        self.result().int()
    }

    /// Bytes that a copy of it takes, about.
    pub fn size(&self) -> u64 {
        let lists = size_of_val(&*self.items) + size_of_val(&*self.left_out) + size_of_val(&*self.arguments);
        (size_of::<Self>() + lists + self.text.len() + self.line.len()) as u64
    }

    /// An argument as an integer, 0 if it is not one.
    pub fn int(&self, index: usize) -> i64 {
        self.argument(index).int().unwrap_or_default()
    }

    /// An argument as an unsigned number of 32 bits: a constant or the name of an object.
    pub fn uint(&self, index: usize) -> u32 {
        self.int(index) as u32
    }

    /// An argument as a floating point number, 0 if it is not one.
    pub fn float(&self, index: usize) -> f64 {
        self.argument(index).float().unwrap_or_default()
    }

    /// An argument as a floating point number of 32 bits, 0 if it is not one.
    pub fn f32(&self, index: usize) -> f32 {
        self.float(index) as f32
    }

    /// The integers of an argument ([`Value::ints`]).
    pub fn ints(&self, index: usize) -> Vec<i64> {
        self.argument(index).ints()
    }

    /// The first `N` numbers of an argument, as [`Value::floats`] has them but for their precision;
    /// 0 for those that it lacks. The second: how many it has.
    pub fn floats<const N: usize>(&self, index: usize) -> ([f64; N], usize) {
        let mut numbers = [0.0; N];
        let count = self.argument(index).put_floats(&mut numbers);
        (numbers, count)
    }

    /// The same call without its first arguments.
    pub fn without(&self, count: usize) -> Self {
        let mut made = self.clone();
        made.arguments.drain(..count.min(self.len()));
        made
    }

    /// A call of a function in place of this one, without arguments and result.
    pub fn in_place(&self, function: u32) -> Self {
        Self { number: self.number, thread: self.thread, frame: self.frame, function, ..Self::default() }
    }

    /// Adds an argument before the others.
    pub fn put_first(&mut self, value: Value<'_>) {
        let at = self.add(value);
        self.arguments.insert(0, at);
    }

    /// Sets an argument. Those before it that it lacks are [`Value::Null`].
    pub fn set(&mut self, index: usize, value: Value<'_>) {
        let at = self.add(value);
        self.set_item(index, at);
    }

    /// Sets an argument to a list.
    pub fn set_list<'v>(&mut self, index: usize, values: impl IntoIterator<Item = Value<'v>>) {
        let at = self.add_list(values);
        self.set_item(index, at);
    }

    /// Sets what it returned.
    pub fn set_result(&mut self, value: Value<'_>) {
        self.result = Some(self.add(value));
    }

    fn set_item(&mut self, index: usize, at: u32) {
        while self.arguments.len() < index {
            let null = self.add(Value::Null);
            self.arguments.push(null);
        }
        match self.arguments.get_mut(index) {
            Some(slot) => *slot = at,
            None => self.arguments.push(at),
        }
    }

    fn add_list<'v>(&mut self, values: impl IntoIterator<Item = Value<'v>>) -> u32 {
        let at = self.items.len() as u32;
        self.items.push(Item::List { end: 0, is_outgoing: false });
        values.into_iter().for_each(|value| {
            self.add(value);
        });
        let after = self.items.len() as u32;
        self.close(at, after);
        at
    }

    /// Adds the items of a value. Returns the first one.
    fn add(&mut self, value: Value<'_>) -> u32 {
        let item = match value {
            Value::Null => Item::Null,
            Value::Bool(is) => Item::Bool(is),
            Value::Int(n) => Item::Int(n),
            Value::Uint(n) => Item::Uint(n),
            Value::Float(n) => Item::Float(n),
            Value::Text(text) => self.text(text.as_bytes()),
            Value::Bytes(bytes, len) => Item::Bytes { at: self.keep(bytes), kept: bytes.len() as u32, len },
            Value::List(values) => return self.add_list(values),
        };
        self.items.push(item);
        self.items.len() as u32 - 1
    }

    /// Sets the end of the list at an item. Returns what was there.
    fn close(&mut self, at: u32, after: u32) -> Option<u32> {
        match self.items.get_mut(at as usize) {
            Some(Item::List { end, .. }) => Some(core::mem::replace(end, after)),
            _ => None,
        }
    }

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
            Item::List { end, .. } => Value::List(Values { call: self, next: at + 1, end }),
        }
    }

    /// Arguments and result in a line, from after the opening parenthesis on: `cap = GL_BLEND)`.
    /// Long lines are cut. Empty unless [`Call::take_line`] wrote it.
    pub fn line(&self) -> String {
        match self.line.char_indices().find(|(at, _)| *at >= LONGEST_LINE) {
            Some((at, _)) => format!("{}…", self.line.get(..at).unwrap_or_default()),
            None => self.line.clone(),
        }
    }

    /// Takes a call over, without its line. Numbers with a name are their number.
    pub fn take(&mut self, call: &apitrace::Call<'_>, function: u32) {
        self.items.clear();
        self.left_out.clear();
        self.text.clear();
        self.arguments.clear();
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
            if let Some(Item::List { is_outgoing: outgoing, .. }) = self.items.get_mut(at as usize) {
                *outgoing = call.key(index).is_some_and(is_outgoing);
            }
        }
        self.result = call.result().map(|tokens| {
            let at = self.items.len() as u32;
            self.tokens(tokens, uploads);
            at
        });
        self.line.clear();
    }

    /// Takes over the line of a call that was taken.
    pub fn take_line(&mut self, call: &apitrace::Call<'_>) {
        let mut line = Line { text: core::mem::take(&mut self.line), part: Part::Head, depth: 0, is_first: true };
        call.visit(&mut line);
        self.line = line.text;
    }

    fn tokens(&mut self, tokens: apitrace::Values<'_>, uploads: Uploads) {
        // The innermost list that is open. Until they end, lists have the one around them in place
        // of their ends.
        let mut open = NONE;
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
                    let around = core::mem::replace(&mut open, self.items.len() as u32);
                    Item::List { end: around, is_outgoing: false }
                }
                Token::Close => {
                    open = self.close(open, self.items.len() as u32).unwrap_or(NONE);
                    continue;
                }
                Token::LeftOut(digest) => {
                    self.left_out.push(digest);
                    continue;
                }
            };
            self.items.push(item);
        }
        // One that never ends has nothing in it.
        while let Some(around) = self.close(open, 0) {
            open = around;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_one_is_what_is_in_it() {
        let mut call = Call::default();
        call.set_list(0, [Value::Float(-2.5)]);
        call.set_list(1, [Value::Text("a")]);
        call.set_list(2, [Value::Uint(3), Value::Null]);
        call.set_list(3, [call.clone().argument(0)]);
        let numbers = |index: usize| (call.argument(index).int(), call.argument(index).float());
        assert_eq!((numbers(0), numbers(3)), ((Some(-2), Some(-2.5)), (Some(-2), Some(-2.5))));
        assert_eq!((numbers(1), call.argument(1).text()), ((None, None), Some("a")));
        assert_eq!((numbers(2), call.argument(2).text(), call.int(2)), ((None, None), None, 0));
        assert_eq!((call.argument(9), call.f32(3)), (Value::Null, -2.5));
    }

    #[test]
    fn numbers_are_those_of_lists_and_memory_and_one_is_a_list() {
        let mut call = Call::default();
        let memory = [1.5f32, -2.0].map(f32::to_le_bytes).concat();
        call.set_list(0, [Value::Int(7), Value::Null, Value::Bool(true)]);
        call.set(1, memory.as_slice().into());
        call.set(2, Value::Float(0.5));
        call.set(3, "1".into());
        let ints: Vec<Vec<i64>> = (0..5).map(|index| call.ints(index)).collect();
        assert_eq!(ints, [&[7, 0, 1][..], &[], &[0], &[], &[]]);
        let floats: Vec<Vec<f32>> = (0..5).map(|index| call.argument(index).floats()).collect();
        assert_eq!(floats, [&[7.0, 0.0, 1.0][..], &[1.5, -2.0], &[0.5], &[], &[]]);
        let first: Vec<_> = (0..5).map(|index| call.floats(index)).collect();
        let expected = [([7.0, 0.0], 3), ([1.5, -2.0], 2), ([0.5, 0.0], 1), ([0.0; 2], 0), ([0.0; 2], 0)];
        assert_eq!(first, expected);
    }

    #[test]
    fn calls_are_made_of_the_values_of_others() {
        let mut whole = Call::default();
        (whole.number, whole.thread, whole.function) = (5, 1, 2);
        whole.set(2, Value::Bytes(&[1, 2], 9));
        let inner = whole.clone();
        whole.set_list(0, [inner.argument(2), Value::Text("b"), Value::Uint(3)]);
        whole.set_result(Value::Int(-1));
        let mut rest = whole.without(2);
        rest.put_first(whole.argument(0));
        let Value::List(values) = rest.argument(0) else { panic!("{rest:?}") };
        assert_eq!(values.collect::<Vec<_>>(), [Value::Bytes(&[1, 2], 9), Value::Text("b"), Value::Uint(3)]);
        assert_eq!((rest.len(), rest.argument(1).bytes(), rest.returned()), (2, Some(&[1, 2][..]), Some(-1)));
        let other = whole.in_place(7);
        assert_eq!((other.number, other.thread, other.function), (5, 1, 7));
        assert_eq!((other.len(), other.returned()), (0, None));
    }

    #[test]
    fn a_copy_takes_what_is_in_it() {
        let mut call = Call::default();
        call.text.reserve(1 << 20);
        call.set(0, Value::Bytes(&[0; 1000], 1 << 30));
        let [own, rest] = [size_of::<Call>(), size_of::<Item>() + 4 + 1000].map(|bytes| bytes as u64);
        assert_eq!(call.size(), own + rest);
        let copy = call.clone();
        assert!(copy.text.capacity() < 1 << 12, "{}", copy.text.capacity());
        assert!(own <= 192 && size_of::<Item>() <= 24, "{own}");
    }
}
