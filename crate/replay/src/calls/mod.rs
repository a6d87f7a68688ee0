//! What each function does. What it means that a function has no handler is written in
//! [`unspool_gl::Absence`].

mod arrays;
mod buffers;
mod copies;
mod direct;
mod draws;
mod framebuffers;
mod immediate;
mod inputs;
mod lacks;
mod listed;
mod lists;
mod parameters;
mod shaders;
mod states;
mod texels;
mod textures;
mod uniforms;
mod windows;

pub(crate) use draws::Restart;
pub(crate) use listed::Listed;
pub(crate) use texels::Texels;
pub(crate) use uniforms::Found;

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;
use unspool_formats::apitrace::NameFlags;
use unspool_gl::call::Call;
use unspool_gl::direct::Direct;
use unspool_gl::machine::settings::Setting;
use unspool_gl::{Absence, Charged, Does, Table, Variant};

use self::lacks::is_draw;
use crate::driver::Replay;

/// Executes a call, whose function is in a form.
pub(crate) type Run = fn(&mut Replay, &Call, Variant);

/// Handlers by the names of functions.
pub(crate) type Functions = Table<Run>;

/// Something that belongs to settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Also {
    Nothing,
    /// Windows are as large as the viewport.
    Viewport,
    /// Current attributes of vertices go to the machine before it.
    Current,
}

/// The executor of a function's calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handler {
    /// For what is bound.
    Run(Run, Variant),
    /// Changes settings, and perhaps what belongs to that.
    Sets(Setting, Also),
    /// For an object that the call names.
    Direct(Direct, Run, Variant),
    Matrices(unspool_gl::matrices::Function),
    Textures(unspool_gl::textures::Function),
    Windows(unspool_gl::windows::Function),
}

impl Handler {
    pub(crate) fn execute(self, r: &mut Replay, call: &Call) {
        match self {
            Self::Run(run, form) => run(r, call, form),
            Self::Sets(setting, also) => {
                r.set_by(setting, call, also == Also::Current);
                if also == Also::Viewport {
                    states::viewport(r);
                }
            }
            Self::Direct(direct, run, form) => r.execute_direct(call, direct, |r, call| run(r, call, form)),
            Self::Matrices(function) => immediate::change_matrix(r, call, function),
            Self::Textures(function) => textures::change(r, call, function),
            Self::Windows(function) => windows::contexts(r, call, function),
        }
    }
}

/// A handler, or why there is none. `None`: nothing is known of the name.
pub(crate) type Resolved = Result<Handler, Option<Absence>>;

/// A function of a trace.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Rc<str>,
    pub(crate) handler: Resolved,
    /// It is about what the context of its thread has.
    pub(crate) needs_context: bool,
    pub(crate) is_compiled: bool,
    is_draw: bool,
    reads_arrays: bool,
}

/// The functions of a trace, each found once. Calls have their numbers ([`Call::function`]).
#[derive(Default)]
pub(crate) struct Handlers {
    known: RefCell<Known>,
}

/// The functions that were asked for: those of the signatures that a trace has, and those that they
/// are executed as.
#[derive(Default)]
struct Known {
    all: Vec<Rc<Function>>,
    by_name: HashMap<Rc<str>, u32>,
    /// By the signatures of the trace.
    of_trace: Vec<Option<u32>>,
}

/// The handlers of all functions.
const TABLES: [Functions; 13] = [
    arrays::TABLE,
    buffers::TABLE,
    copies::TABLE,
    draws::TABLE,
    framebuffers::TABLE,
    immediate::TABLE,
    lacks::TABLE,
    lists::TABLE,
    parameters::TABLE,
    shaders::TABLE,
    texels::TABLE,
    textures::TABLE,
    uniforms::TABLE,
];

impl Handlers {
    /// The function with a number. `None` if no name has it.
    pub(crate) fn get(&self, number: u32) -> Option<Rc<Function>> {
        self.known.borrow().all.get(number as usize).cloned()
    }

    /// The number of the function with this name.
    pub(crate) fn number(&self, name: &str) -> u32 {
        if let Some(known) = self.known.borrow().by_name.get(name) {
            return *known;
        }
        let function = unspool_gl::Function::of(name);
        let found = Function {
            name: name.into(),
            handler: handler_of(&function).ok_or_else(|| lack_of(&function)),
            needs_context: function.is_gl(),
            is_compiled: function.is_compiled(),
            is_draw: is_draw(name),
            reads_arrays: listed::reads_arrays(function.plain()),
        };
        let mut known = self.known.borrow_mut();
        let number = known.all.len() as u32;
        known.by_name.insert(Rc::clone(&found.name), number);
        known.all.push(Rc::new(found));
        number
    }

    /// The number of the function of a signature of the trace, which has this name.
    pub(crate) fn number_of(&self, signature: u32, name: &str) -> u32 {
        let at = signature as usize;
        if let Some(Some(known)) = self.known.borrow().of_trace.get(at) {
            return *known;
        }
        let number = self.number(name);
        let of_trace = &mut self.known.borrow_mut().of_trace;
        if of_trace.len() <= at {
            of_trace.resize(at + 1, None);
        }
        of_trace.get_mut(at).into_iter().for_each(|slot| *slot = Some(number));
        number
    }
}

/// The handler of a function.
fn handler_of(function: &unspool_gl::Function) -> Option<Handler> {
    let of_family = match function.does() {
        Some(Does::Matrices(function)) => Some(Handler::Matrices(function)),
        Some(Does::Textures(function)) => Some(Handler::Textures(function)),
        Some(Does::Windows(function)) => Some(Handler::Windows(function)),
        None => None,
    };
    let of_tables = || {
        function.handler(&TABLES).map(|it| match it.direct {
            Some(direct) => Handler::Direct(direct, it.run, it.form),
            None => Handler::Run(it.run, it.form),
        })
    };
    let of_settings = || {
        let setting = Setting::of(function)?;
        let also = match function.plain() {
            "PushAttrib" | "PopAttrib" => Also::Current,
            plain if plain.contains("Material") => Also::Current,
            plain if plain.starts_with("Viewport") => Also::Viewport,
            _ => Also::Nothing,
        };
        Some(Handler::Sets(setting, also))
    };
    of_family
        .or_else(of_tables)
        .or_else(of_settings)
        .or_else(|| windows::of(function).map(|run| Handler::Run(run, Variant::default())))
}

/// An argument that is a text. Empty for others.
fn text(c: &Call, index: usize) -> &str {
    c.argument(index).text().unwrap_or_default()
}

/// Why a function without a handler has none.
fn lack_of(function: &unspool_gl::Function) -> Option<Absence> {
    let name = function.name();
    let is_new_draw = || is_draw(name).then_some(Absence::Refused(Charged::Draw, "this function is not replayed"));
    // Other interfaces have no part in pictures.
    let is_other = !name.starts_with("gl") && NameFlags::of(name).renders.is_none();
    function.absence().or_else(is_new_draw).or(is_other.then_some(Absence::Needless("it is not a function of OpenGL")))
}

#[cfg(test)]
mod tests {
    use unspool_gl::names;

    use super::*;

    /// Functions that ask for what the replay needs, among those that only ask.
    const ASKS: [&str; 4] =
        ["glGetUniformLocation", "glGetAttribLocation", "glGetUniformBlockIndex", "glGetUniformLocationARB"];

    #[test]
    fn functions_have_a_number_by_name_and_by_signature() {
        let handlers = Handlers::default();
        let [first, second] = [handlers.number_of(9, "glClear"), handlers.number_of(2, "glFooBar")];
        assert_eq!([handlers.number("glClear"), handlers.number("glFooBar")], [first, second]);
        // The signature is enough.
        assert_eq!([handlers.number_of(9, "glFooBar"), handlers.number_of(3, "glClear")], [first, first]);
        let name = |number| handlers.get(number).map(|function| function.name.to_string());
        assert_eq!([first, second, 2].map(name), [Some("glClear".into()), Some("glFooBar".into()), None]);
    }

    #[test]
    fn each_row_is_that_of_a_function() {
        let all: Vec<_> = names().into_iter().map(unspool_gl::Function::of).collect();
        let rows = TABLES.into_iter().flatten().map(|(pattern, _)| *pattern);
        let unused: Vec<&str> = rows.filter(|pattern| !all.iter().any(|it| it.is(pattern))).collect();
        // The tracer records it where a program writes to mapped memory.
        assert_eq!(unused, ["memcpy"]);
    }

    #[test]
    fn each_function_has_a_handler_or_a_reason_and_only_one_of_them() {
        let handlers = Handlers::default();
        let all = names();
        assert!(all.len() > 3700, "{}", all.len());
        let mut wrong = Vec::new();
        for name in all {
            let is_vendor = |reason: &str| reason.contains("of one vendor");
            match (handlers.get(handlers.number(name)).unwrap().handler, unspool_gl::Function::of(name).absence()) {
                (Ok(_), Some(Absence::Refused(_, reason))) if is_vendor(reason) => {}
                (Ok(_), Some(_)) if ASKS.iter().any(|ask| name.starts_with(ask)) => {}
                (Ok(_), Some(why)) => wrong.push(format!("{name} has a handler, and {why:?}")),
                (Err(_), None) => wrong.push(format!("{name} has no place")),
                (Err(Some(Absence::Refused(Charged::Draw, _))), _) => {}
                (Err(_), Some(why)) if is_draw(name) => wrong.push(format!("{name} draws, and {why:?}")),
                _ => {}
            }
        }
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    }
}
