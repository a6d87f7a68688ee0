//! A function by the name that it has in a trace, with the places of its arguments.

use unspool_gl::call::{Call, Value};
use unspool_gl::{Function, textures, windows};

/// A function of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// What it does ([`Function::plain`]).
    pub(crate) canonical: String,
    parameters: Vec<&'static str>,
    /// What it does with contexts and windows.
    pub(crate) windows: Option<windows::Function>,
    /// What it does with textures.
    pub(crate) texture: Option<textures::Function>,
}

/// Parameters of `memcpy`, which the tracer records where a program writes to mapped memory.
const OF_MEMCPY: [&str; 3] = ["dest", "src", "n"];

impl Known {
    /// The function with this name.
    pub(crate) fn of(name: &str) -> Self {
        let own = Function::of(name);
        let parameters = match own.registered() {
            Some(registered) => registered.parameters().map(|parameter| parameter.name).collect(),
            None => OF_MEMCPY.iter().filter(|_| name == "memcpy").copied().collect(),
        };
        Self { canonical: own.plain().to_owned(), parameters, windows: own.windows(), texture: own.textures() }
    }

    /// An argument by the name of its parameter. [`Value::Null`] if there is no such parameter.
    pub(crate) fn arg<'a>(&self, call: &'a Call, parameter: &str) -> Value<'a> {
        self.place(parameter).map_or(Value::Null, |at| call.argument(at))
    }

    /// An argument as a number of 32 bits, such as the name of an object or a constant. A list
    /// counts by its only element.
    pub(crate) fn uint(&self, call: &Call, parameter: &str) -> Option<u32> {
        self.int(call, parameter).map(|number| number as u32)
    }

    /// An argument as a number. A list counts by its only element.
    pub(crate) fn int(&self, call: &Call, parameter: &str) -> Option<i64> {
        integer(self.arg(call, parameter))
    }

    /// Which argument has this name.
    pub(crate) fn place(&self, parameter: &str) -> Option<usize> {
        self.parameters.iter().position(|name| *name == parameter)
    }
}

/// A number, or the only number of a list.
pub(crate) fn integer(value: Value<'_>) -> Option<i64> {
    match value {
        Value::List(mut values) => values.next().filter(|_| values.next().is_none()).and_then(Value::int),
        value => value.int(),
    }
}
