//! A function by the name that it has in a trace, with the places of its arguments.

use unspool_gl::functions;

use crate::calls::{Call, Value};

/// A function of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// What it does, without `gl` and without the suffix of an extension
    /// ([`unspool_gl::Functions::canonical`]); of functions of other interfaces the name.
    pub(crate) canonical: String,
    parameters: Vec<&'static str>,
}

/// Parameters of functions that are not in `gl.xml`, in the order of the headers of X.Org, Khronos,
/// Microsoft and Apple.
const OTHERS: &[(&str, &[&str])] = &[
    ("memcpy", &["dest", "src", "n"]),
    ("glXMakeCurrent", &["dpy", "drawable", "ctx"]),
    ("glXMakeContextCurrent", &["dpy", "draw", "read", "ctx"]),
    ("glXMakeCurrentReadSGI", &["dpy", "draw", "read", "ctx"]),
    ("eglMakeCurrent", &["dpy", "draw", "read", "ctx"]),
    ("wglMakeCurrent", &["hdc", "ctx"]),
    ("wglMakeContextCurrentARB", &["hdc", "read", "ctx"]),
    ("wglMakeContextCurrentEXT", &["hdc", "read", "ctx"]),
    ("CGLSetCurrentContext", &["ctx"]),
    ("glXCreateContext", &["dpy", "vis", "shareList", "direct"]),
    ("glXCreateNewContext", &["dpy", "config", "renderType", "shareList", "direct"]),
    ("glXCreateContextAttribsARB", &["dpy", "config", "shareList", "direct", "attribs"]),
    ("eglCreateContext", &["dpy", "config", "shareList", "attribs"]),
    ("wglCreateContextAttribsARB", &["hdc", "shareList", "attribs"]),
    ("wglShareLists", &["shared", "ctx"]),
    ("CGLCreateContext", &["format", "shareList", "ctx"]),
    ("glXDestroyContext", &["dpy", "ctx"]),
    ("eglDestroyContext", &["dpy", "ctx"]),
    ("wglDeleteContext", &["ctx"]),
];

impl Known {
    /// The function with this name.
    pub(crate) fn of(name: &str) -> Self {
        let table = functions();
        let canonical = table.canonical(name).unwrap_or(name).to_owned();
        let parameters = match table.find(name) {
            Some(function) => function.parameters().map(|parameter| parameter.name).collect(),
            None => OTHERS.iter().find(|(known, _)| *known == name).map_or(Vec::new(), |(_, names)| names.to_vec()),
        };
        Self { canonical, parameters }
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

    /// The handle of the context that a call makes current, 0 for none. `None` if it has failed.
    pub(crate) fn made_current(&self, call: &Call) -> Option<u64> {
        // That of CGL returns an error, the others whether they have succeeded.
        if self.canonical != "CGLSetCurrentContext" && call.result().int() == Some(0) {
            return None;
        }
        self.int(call, "ctx").map(|handle| handle as u64)
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
