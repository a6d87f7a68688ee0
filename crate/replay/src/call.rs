//! Calls with their values, as the replay executes them.

use unspool_formats::apitrace::{self, CallVisitor, Scalar, Token, Values};
use unspool_gl::Arguments;
use unspool_trace::records::{Record, RecordName};

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

impl Arguments for Call {
    fn number(&self) -> u64 {
        self.number
    }

    fn thread(&self) -> u64 {
        self.thread as u64
    }

    fn int(&self, place: usize) -> i64 {
        match self.arg(place) {
            Value::List(list) => list.first().map_or(0, Value::int),
            value => value.int(),
        }
    }

    fn ints(&self, place: usize) -> Vec<i64> {
        self.ints(place)
    }

    fn float(&self, place: usize) -> f64 {
        self.arg(place).float()
    }

    fn number_at(&self, place: usize) -> Option<f64> {
        matches!(self.arg(place), Value::Int(_) | Value::Float(_)).then(|| self.arg(place).float())
    }

    fn floats(&self, place: usize, numbers: &mut [f64]) -> usize {
        let given = self.floats(place);
        numbers.iter_mut().zip(&given).for_each(|(slot, number)| *slot = (*number).into());
        given.len()
    }

    fn returned(&self) -> Option<i64> {
        matches!(self.ret, Value::Int(_)).then(|| self.ret.int())
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

/// Collects the calls of a pass, one after the other.
pub(crate) struct Collector<F> {
    call: Call,
    /// Lists that are open.
    lists: Vec<Vec<Value>>,
    /// Takes a call that is complete, and the number of calls before it. Returns whether the pass
    /// must stop after it.
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
        Self { goal, passed: false, seen: 0, call: Call::default(), lists: Vec::new(), take, full: false }
    }

    fn value(&mut self, tokens: Values<'_>) -> Value {
        self.lists.clear();
        let mut outermost = Value::Null;
        for (_, token) in tokens {
            let value = match token {
                Token::Open { .. } => {
                    self.lists.push(Vec::new());
                    continue;
                }
                Token::LeftOut(_) => continue,
                Token::Close => Value::List(self.lists.pop().unwrap_or_default()),
                Token::Scalar(scalar) => match scalar {
                    Scalar::Null => Value::Null,
                    Scalar::Bool(b) => Value::Int(b.into()),
                    Scalar::Uint(n) | Scalar::Pointer(n) | Scalar::Bitmask { value: n, .. } => Value::Int(n as i64),
                    Scalar::Int(n) | Scalar::Enum { value: n, .. } => Value::Int(n),
                    Scalar::Float(x) => Value::Float(x.into()),
                    Scalar::Double(x) => Value::Float(x),
                },
                Token::Blob(bytes, _) => Value::Bytes(bytes.into()),
                Token::Text(_) | Token::Guid(_) => Value::Text(token.text().unwrap_or_default()),
            };
            match self.lists.last_mut() {
                Some(list) => list.push(value),
                None => outermost = value,
            }
        }
        outermost
    }
}

/// Whether a call of this function can change a picture, or says something about one.
fn is_wanted(name: &str) -> bool {
    let is_question = name.starts_with("glGet") || name.starts_with("glIs");
    let is_window = ["glX", "egl", "wgl", "CGL"].iter().any(|prefix| name.starts_with(prefix));
    if is_window {
        return !["Get", "Query", "Choose"].iter().any(|part| name.contains(part));
    }
    !is_question || ["UniformLocation", "AttribLocation", "UniformBlockIndex"].iter().any(|part| name.contains(part))
}

impl<F: FnMut(&Call, u64) -> bool> CallVisitor for Collector<F> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let RecordName::Text(name) = record.name else { return false };
        self.passed = record.row == self.goal;
        self.seen += 1;
        let is_wanted = is_wanted(name);
        // Nothing is to be done, but what comes before it has been.
        self.full |= self.passed && !is_wanted;
        is_wanted
    }

    fn call(&mut self, call: &apitrace::Call<'_>) {
        (self.call.number, self.call.thread) = (call.number, call.thread() as i64);
        self.call.name.clear();
        self.call.name.push_str(call.name());
        self.call.args.clear();
        for argument in call.arguments() {
            let value = argument.map_or(Value::Null, |tokens| self.value(tokens));
            self.call.args.push(value);
        }
        self.call.ret = call.result().map_or(Value::Null, |tokens| self.value(tokens));
        self.full = (self.take)(&self.call, self.seen - 1);
    }

    fn is_full(&self) -> bool {
        self.full
    }
}

#[cfg(test)]
mod tests {
    use super::is_wanted;

    #[test]
    fn calls_about_contexts_and_frames_are_wanted() {
        for name in
            ["wglShareLists", "eglReleaseThread", "eglBindAPI", "glXMakeCurrent", "CGLFlushDrawable", "SwapBuffers"]
        {
            assert!(is_wanted(name), "{name}");
        }
        for name in ["glXQueryContext", "glXGetCurrentContext", "glGetString"] {
            assert!(!is_wanted(name), "{name}");
        }
    }
}
