//! A function by the name that it has in a trace, with the places of its arguments.

use unspool_gl::call::{Call, Value};
use unspool_gl::{functions, textures, windows};

/// A function of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// What it does, without `gl` and without the suffix of an extension
    /// ([`unspool_gl::Functions::canonical`]); of functions of other interfaces the name.
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
        let table = functions();
        let canonical = table.canonical(name).unwrap_or(name).to_owned();
        let parameters = match table.find(name) {
            Some(function) => function.parameters().map(|parameter| parameter.name).collect(),
            None => OF_MEMCPY.iter().filter(|_| name == "memcpy").copied().collect(),
        };
        let texture = name.strip_prefix("gl").and_then(textures::Function::of);
        Self { canonical, parameters, windows: windows::Function::of(name), texture }
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
