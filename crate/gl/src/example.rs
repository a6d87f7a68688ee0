//! Examples of calls, which tests write down where they have no trace.

use crate::call::{self, Call};

/// A call with the name of its function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Example {
    /// Its number.
    pub number: u64,
    /// Its thread.
    pub thread: u64,
    /// The function.
    pub name: String,
    /// The arguments.
    pub args: Vec<Value>,
    /// What it returned.
    pub result: Value,
}

/// A value of an example.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// [`call::Value::Null`].
    #[default]
    Null,
    /// [`call::Value::Int`].
    Int(i64),
    /// [`call::Value::Float`].
    Float(f64),
    /// [`call::Value::Text`].
    Text(String),
    /// [`call::Value::Bytes`], all of them.
    Bytes(Vec<u8>),
    /// [`call::Value::List`], without lists in it.
    List(Vec<Value>),
}

impl Example {
    /// The call, of the number that its function has.
    pub fn call(&self, function: u32) -> Call {
        let mut call = Call::default();
        (call.number, call.thread, call.function) = (self.number, self.thread, function);
        for (i, value) in self.args.iter().enumerate() {
            match value {
                Value::List(values) => call.set_list(i, values.iter().map(Value::plain)),
                value => call.set(i, value.plain()),
            }
        }
        call.set_result(self.result.plain());
        call
    }
}

impl Value {
    /// The value, if it is not a list.
    fn plain(&self) -> call::Value<'_> {
        match self {
            Self::Null | Self::List(_) => call::Value::Null,
            Self::Int(number) => call::Value::Int(*number),
            Self::Float(number) => call::Value::Float(*number),
            Self::Text(text) => call::Value::Text(text),
            Self::Bytes(bytes) => bytes.as_slice().into(),
        }
    }
}
