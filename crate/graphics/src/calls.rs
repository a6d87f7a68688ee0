//! A call with its arguments.

use unspool_formats::records::{FieldValue, Record};

/// A call, whose room is used again for the next one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Its number, counted from 0 over all threads.
    pub number: u64,
    /// Number of its thread, as apitrace counts them.
    pub thread: u64,
    /// Number of its frame, from 0.
    pub frame: u64,
    /// What the visitor said of its function ([`crate::CallVisitor::function`]).
    pub function: u32,
    /// The tracer made it, not the program.
    pub is_fake: bool,
    /// It did not return within the trace.
    pub is_incomplete: bool,
    /// It draws: one of [`unspool_formats::apitrace::Renders`], and it is executed.
    pub draws: bool,
    /// It clears, and is executed.
    pub clears: bool,
    /// It would draw or clear, but is only compiled into a display list.
    pub is_compiled: bool,
    items: Vec<Item>,
    text: Vec<u8>,
    /// The item of each argument.
    arguments: Vec<u32>,
    result: Option<u32>,
    /// The items of arguments that are called `pp…`: pointers to pointers of Microsoft's headers.
    outgoing: Vec<u32>,
    /// Lists that are open, by item.
    open: Vec<u32>,
    part: Part,
    line: Option<String>,
    /// What separates the next value of the line from the previous one.
    is_first: bool,
}

/// Bytes of the longest line.
const LONGEST_LINE: usize = 400;

/// Where the next field of a record belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Head,
    Arguments,
    Flags,
    /// The backtrace, or something else that no one asks for.
    Other,
}

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
    /// As an integer. Floating point numbers are rounded towards zero. `None` for everything that is not a number.
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
    pub fn float(self) -> Option<f64> {
        match self {
            Self::Bool(is) => Some(f64::from(u8::from(is))),
            Self::Int(n) => Some(n as f64),
            Self::Uint(n) => Some(n as f64),
            Self::Float(n) => Some(n),
            _ => None,
        }
    }

    /// As text.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a list; of a single value itself, because a pointer to one value is recorded as a list or as that value. None for
    /// null.
    pub fn list(self) -> Option<Values<'a>> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }
}

impl Call {
    /// Number of arguments, those that were not recorded included.
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

    /// The pointers in lists that are called `pp…`.
    pub(crate) fn made(&self) -> impl Iterator<Item = u64> {
        let lists = self.outgoing.iter().filter_map(|at| self.value(*at).list());
        lists.flatten().filter_map(|value| if let Value::Uint(address) = value { Some(address) } else { None })
    }

    /// All unsigned numbers of arguments and result, at any depth: pointers are among them.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.items.iter().filter_map(|item| if let Item::Uint(number) = item { Some(*number) } else { None })
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

    /// The numbers of an argument that is a list of numbers, at most `N`; the rest is 0. The second: how many there are.
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

    /// Arguments and result in a line, from after the opening parenthesis on: `cap = GL_BLEND)`. Long lines are cut.
    pub(crate) fn line(&self) -> String {
        let line = self.line.as_deref().unwrap_or_default();
        match line.char_indices().find(|(at, _)| *at >= LONGEST_LINE) {
            Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
            None => line.into(),
        }
    }

    fn write(&mut self, text: &str) {
        if let Some(line) = self.line.as_mut().filter(|line| line.len() <= LONGEST_LINE) {
            line.push_str(text);
        }
    }

    fn write_key(&mut self, key: &str) {
        if !core::mem::replace(&mut self.is_first, false) {
            self.write(", ");
        }
        if !key.is_empty() {
            self.write(key);
            self.write(" = ");
        }
    }

    fn write_value(&mut self, key: &str, value: FieldValue<'_>) {
        if self.line.is_none() {
            return;
        }
        if self.part == Part::Arguments {
            self.write_key(key);
        }
        let text = match value {
            FieldValue::Symbol { name: "", value: of } => return self.write_plain(*of),
            FieldValue::Symbol { name, .. } => return self.write(name),
            FieldValue::Text(text) => {
                let cut = text.char_indices().nth(80).map_or(text, |(at, _)| text.get(..at).unwrap_or_default());
                format!("{cut:?}{}", if cut.len() < text.len() { "…" } else { "" })
            }
            other => return self.write_plain(other),
        };
        self.write(&text);
    }

    fn write_plain(&mut self, value: FieldValue<'_>) {
        let text = match value {
            FieldValue::Null => "NULL".into(),
            FieldValue::Bool(is) => is.to_string(),
            FieldValue::U64(n) => n.to_string(),
            FieldValue::Hex(n) => format!("{n:#x}"),
            FieldValue::I64(n) | FieldValue::Id(n) => n.to_string(),
            FieldValue::F32(n) => n.to_string(),
            FieldValue::F64(n) => n.to_string(),
            FieldValue::Bytes { len, .. } => format!("blob({len})"),
            _ => "?".into(),
        };
        self.write(&text);
    }

    /// A record begins.
    pub(crate) fn begin(&mut self, record: &Record<'_>, function: u32, writes_line: bool) {
        self.items.clear();
        self.text.clear();
        self.arguments.clear();
        self.outgoing.clear();
        self.open.clear();
        (self.number, self.function, self.result) = (record.row, function, None);
        (self.is_fake, self.is_incomplete, self.part) = (false, false, Part::Head);
        (self.draws, self.clears, self.is_compiled) = (false, false, false);
        self.line = writes_line.then(String::new);
        self.is_first = true;
    }

    /// A field of the record, or a value in a list. Numbers with a name are their number.
    pub(crate) fn field(&mut self, key: &str, value: FieldValue<'_>) {
        let is_inner = !self.open.is_empty();
        match self.part {
            Part::Head => match (key, value) {
                _ if is_inner => {}
                ("thread", FieldValue::Id(thread)) => return self.thread = thread as u64,
                ("frame", FieldValue::U64(frame)) => return self.frame = frame,
                ("ret", _) => {
                    self.result = Some(self.items.len() as u32);
                    self.write(" = ");
                    self.write_value("", value);
                }
                _ => return,
            },
            Part::Arguments if !is_inner => self.arguments.push(self.items.len() as u32),
            Part::Arguments => {}
            Part::Flags => {
                if let FieldValue::Text(flag) = value {
                    self.is_fake |= flag == "fake";
                    self.is_incomplete |= flag == "incomplete";
                    self.draws |= flag == "draw";
                    self.clears |= flag == "clear";
                    self.is_compiled |= flag == "compiled";
                }
                return;
            }
            Part::Other => return,
        }
        if self.part == Part::Arguments {
            self.write_value(if is_inner { "" } else { key }, value);
        }
        let item = self.item(value);
        self.items.push(item);
    }

    fn item(&mut self, value: FieldValue<'_>) -> Item {
        match value {
            FieldValue::Null => Item::Null,
            FieldValue::Bool(is) => Item::Bool(is),
            FieldValue::U64(n) | FieldValue::Hex(n) => Item::Uint(n),
            FieldValue::I64(n) | FieldValue::Id(n) => Item::Int(n),
            FieldValue::F32(n) => Item::Float(n.into()),
            FieldValue::F64(n) => Item::Float(n),
            FieldValue::Text(text) => {
                let at = self.keep(text.as_bytes());
                Item::Text { at, len: text.len() as u32 }
            }
            FieldValue::Symbol { value, .. } => self.item(*value),
            FieldValue::Bytes { bytes, len } => {
                let at = self.keep(bytes);
                Item::Bytes { at, kept: bytes.len() as u32, len }
            }
            FieldValue::Code { .. } => Item::Null,
        }
    }

    fn keep(&mut self, bytes: &[u8]) -> u32 {
        let at = self.text.len() as u32;
        self.text.extend_from_slice(bytes);
        at
    }

    /// A list or structure begins.
    pub(crate) fn open(&mut self, key: &str) {
        let is_inner = !self.open.is_empty();
        match self.part {
            Part::Head if !is_inner => match key {
                "args" => return self.part = Part::Arguments,
                "flags" => return self.part = Part::Flags,
                "ret" => {
                    self.result = Some(self.items.len() as u32);
                    self.write(" = {…}");
                }
                _ => return self.part = Part::Other,
            },
            Part::Arguments if !is_inner => {
                self.arguments.push(self.items.len() as u32);
                if key.starts_with("pp") {
                    self.outgoing.push(self.items.len() as u32);
                }
            }
            Part::Head | Part::Arguments => {}
            Part::Flags => return,
            Part::Other => return self.open.push(0),
        }
        if self.part == Part::Arguments {
            self.write_key(if is_inner { "" } else { key });
            self.write("{");
            self.is_first = true;
        }
        self.open.push(self.items.len() as u32);
        self.items.push(Item::List { end: 0 });
    }

    /// The innermost list or structure ends.
    pub(crate) fn close(&mut self) {
        let after = self.items.len() as u32;
        match self.open.pop() {
            Some(at) => {
                if let Some(Item::List { end }) = self.items.get_mut(at as usize) {
                    *end = after;
                }
                if self.part == Part::Arguments {
                    self.write("}");
                    self.is_first = false;
                }
            }
            None => {
                if self.part == Part::Arguments {
                    self.write(")");
                }
                self.part = Part::Head;
            }
        }
    }
}
