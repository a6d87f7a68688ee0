//! Calls with their values, as the replay executes them.

use unspool_formats::records::{FieldValue, Record, RecordName, Visitor};

/// A value of an argument. Enum constants, flags and truth values are numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// A null pointer, or a value that was not recorded.
    #[default]
    Null,
    /// A whole number, or a pointer.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// A string.
    Text(String),
    /// Memory that the call read.
    Bytes(Vec<u8>),
    /// An array, or the members of a struct.
    List(Vec<Value>),
}

/// A call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Its number.
    pub number: u64,
    /// Its thread.
    pub thread: i64,
    /// The function.
    pub name: String,
    /// The arguments, by index.
    pub args: Vec<Value>,
    /// What it returned.
    pub ret: Value,
}

impl Call {
    /// Bytes that a copy of it takes, about.
    pub(crate) fn size(&self) -> u64 {
        (size_of::<Self>() + self.name.len()) as u64 + self.args.iter().map(Value::size).sum::<u64>()
    }

    /// The argument with this index; null if there is none.
    pub(crate) fn arg(&self, index: usize) -> &Value {
        self.args.get(index).unwrap_or(&Value::Null)
    }

    /// An argument as a number: 0 for anything else.
    pub(crate) fn int(&self, index: usize) -> i64 {
        self.arg(index).int()
    }

    /// An argument as a number that OpenGL takes: enum, name or size.
    pub(crate) fn u32(&self, index: usize) -> u32 {
        self.int(index) as u32
    }

    /// An argument as a number.
    pub(crate) fn f32(&self, index: usize) -> f32 {
        self.arg(index).float() as f32
    }

    /// An argument as a list of numbers. A single one is a list of one.
    pub(crate) fn floats(&self, index: usize) -> Vec<f32> {
        self.arg(index).floats()
    }

    /// An argument as a list of whole numbers.
    pub(crate) fn ints(&self, index: usize) -> Vec<i64> {
        match self.arg(index) {
            Value::List(list) => list.iter().map(Value::int).collect(),
            Value::Null => Vec::new(),
            one => vec![one.int()],
        }
    }
}

impl Value {
    fn size(&self) -> u64 {
        let content = match self {
            Self::Null | Self::Int(_) | Self::Float(_) => 0,
            Self::Text(text) => text.len() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::List(list) => list.iter().map(Self::size).sum(),
        };
        size_of::<Self>() as u64 + content
    }

    /// As a whole number. 0 if it is not one.
    pub(crate) fn int(&self) -> i64 {
        match self {
            Self::Int(n) => *n,
            Self::Float(x) => *x as i64,
            // An array of one value.
            Self::List(list) if list.len() == 1 => list.first().map_or(0, Self::int),
            _ => 0,
        }
    }

    /// As a floating point number. 0 if it is not one.
    pub(crate) fn float(&self) -> f64 {
        match self {
            Self::Int(n) => *n as f64,
            Self::Float(x) => *x,
            Self::List(list) if list.len() == 1 => list.first().map_or(0.0, Self::float),
            _ => 0.0,
        }
    }

    pub(crate) fn floats(&self) -> Vec<f32> {
        match self {
            Self::List(list) => list.iter().map(|value| value.float() as f32).collect(),
            Self::Bytes(bytes) => {
                bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap_or_default())).collect()
            }
            Self::Null => Vec::new(),
            one => vec![one.float() as f32],
        }
    }

    /// As text. Empty if it is not one.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::List(list) if list.len() == 1 => list.first().map_or("", Self::text),
            _ => "",
        }
    }

    /// As memory. `None` if it is not one.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Where the values that come next belong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    None,
    Args,
    Other,
}

/// Collects the calls of a pass, one after the other.
pub(crate) struct Collector<F> {
    call: Call,
    part: Part,
    depth: u32,
    /// Lists that are open.
    lists: Vec<Vec<Value>>,
    /// Takes a call that is complete, and the number of calls before it. Returns whether the pass must stop after it.
    take: F,
    full: bool,
    /// The call that is waited for.
    goal: u64,
    /// It has come.
    pub(crate) passed: bool,
    /// Calls so far, of any function.
    pub(crate) seen: u64,
}

impl<F: FnMut(&Call, u64) -> bool> Collector<F> {
    pub(crate) fn new(goal: u64, take: F) -> Self {
        Self {
            goal,
            passed: false,
            seen: 0,
            call: Call::default(),
            part: Part::None,
            depth: 0,
            lists: Vec::new(),
            take,
            full: false,
        }
    }

    fn value(&mut self, key: &str, value: Value) {
        if let Some(list) = self.lists.last_mut() {
            list.push(value);
        } else if self.part == Part::Args {
            self.call.args.push(value);
        } else if key == "ret" {
            self.call.ret = value;
        } else if key == "thread" {
            self.call.thread = value.int();
        }
    }
}

fn owned(value: FieldValue<'_>) -> Value {
    match value {
        FieldValue::Null => Value::Null,
        FieldValue::Bool(b) => Value::Int(b.into()),
        FieldValue::U64(n) | FieldValue::Hex(n) => Value::Int(n as i64),
        FieldValue::I64(n) | FieldValue::Id(n) => Value::Int(n),
        FieldValue::F32(x) => Value::Float(x.into()),
        FieldValue::F64(x) => Value::Float(x),
        FieldValue::Text(text) => Value::Text(text.into()),
        FieldValue::Symbol { value, .. } => owned(*value),
        FieldValue::Bytes { bytes, .. } | FieldValue::Code { bytes, .. } => Value::Bytes(bytes.into()),
    }
}

/// Whether a call of this function can change a picture, or says something about one.
fn is_wanted(name: &str) -> bool {
    let is_question = name.starts_with("glGet") || name.starts_with("glIs");
    let is_window = ["glX", "egl", "wgl", "CGL"].iter().any(|prefix| name.starts_with(prefix));
    if is_window {
        return ["MakeC", "Context", "Swap", "BindAPI", "FlushDrawable"].iter().any(|part| name.contains(part))
            && !name.contains("GetCurrent");
    }
    !is_question || ["UniformLocation", "AttribLocation", "UniformBlockIndex"].iter().any(|part| name.contains(part))
}

impl<F: FnMut(&Call, u64) -> bool> Visitor for Collector<F> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let RecordName::Text(name) = record.name else { return false };
        let is_goal = record.row == self.goal;
        self.seen += 1;
        if !is_wanted(name) {
            // Nothing is to be done, but what comes before it has been.
            self.full |= is_goal;
            self.passed = is_goal;
            return false;
        }
        self.passed = is_goal;
        let call = &mut self.call;
        call.number = record.row;
        call.name.clear();
        call.name.push_str(name);
        call.args.clear();
        call.ret = Value::Null;
        (self.part, self.depth) = (Part::None, 0);
        self.lists.clear();
        true
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        if self.part != Part::Other {
            self.value(key, owned(value));
        }
    }

    fn open(&mut self, key: &str, _is_list: bool) {
        if self.depth == 0 && self.part == Part::None {
            self.part = match key {
                "args" => Part::Args,
                "ret" => Part::None,
                _ => Part::Other,
            };
            if self.part != Part::None {
                return;
            }
        }
        self.depth += 1;
        if self.part != Part::Other {
            self.lists.push(Vec::new());
        }
    }

    fn close(&mut self) {
        if self.depth == 0 {
            self.part = Part::None;
            return;
        }
        self.depth -= 1;
        if let Some(list) = self.lists.pop() {
            let key = if self.part == Part::None && self.lists.is_empty() { "ret" } else { "" };
            self.value(key, Value::List(list));
        }
    }

    fn end(&mut self) {
        self.full = (self.take)(&self.call, self.seen - 1);
    }

    fn is_full(&self) -> bool {
        self.full
    }
}
