//! What each function does. What it means that a function has no handler is written in
//! [`unspool_gl::absence`].

mod arrays;
mod attributes;
mod buffers;
mod copies;
mod direct;
mod draws;
mod forms;
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

pub(crate) use attributes::Kept;
pub(crate) use draws::Restart;
pub(crate) use listed::Listed;
pub(crate) use texels::Texels;
pub(crate) use uniforms::Found;

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;
use unspool_formats::apitrace::NameFlags;
use unspool_gl::call::Call;
use unspool_gl::direct::{Direct, bound_of};
use unspool_gl::lists::is_compiled;
use unspool_gl::{Absence, Charged, Variant, absence, plain};

use self::lacks::is_draw;
use crate::driver::Replay;

/// Executes a call.
pub(crate) type Run = fn(&mut Replay, &Call);

/// What a function does, for what is bound or for an object that it names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handler {
    pub(crate) run: Run,
    pub(crate) direct: Option<Direct>,
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
    /// The end of a name such as `glColor4ubv`.
    variant: Variant,
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

/// The handlers by the names of functions without the ends of extensions.
const TABLES: [&[(&str, Run)]; 15] = [
    arrays::TABLE,
    attributes::TABLE,
    buffers::TABLE,
    copies::TABLE,
    draws::TABLE,
    framebuffers::TABLE,
    immediate::TABLE,
    lacks::TABLE,
    lists::TABLE,
    parameters::TABLE,
    shaders::TABLE,
    states::TABLE,
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
        let found = Function {
            name: name.into(),
            handler: handler_of(name).ok_or_else(|| lack_of(name)),
            needs_context: name.starts_with("gl") && !name.starts_with("glX"),
            is_compiled: is_compiled(name),
            is_draw: is_draw(name),
            reads_arrays: listed::reads_arrays(name),
            variant: immediate::variant_of(name).map(|(_, variant)| variant).unwrap_or_default(),
        };
        let mut known = self.known.borrow_mut();
        let number = known.all.len() as u32;
        known.by_name.insert(Rc::clone(&found.name), number);
        known.all.push(Rc::new(found));
        number
    }

    /// Whether the function with this name has a handler.
    fn handles(&self, name: &str) -> bool {
        self.get(self.number(name)).is_some_and(|function| function.handler.is_ok())
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

/// The handler of a function, whatever extension it came from.
fn handler_of(name: &str) -> Option<Handler> {
    let run = |run: Run| Handler { run, direct: None };
    let listed = |name: &str| {
        let known = TABLES.into_iter().flatten().find(|(known, _)| *known == name);
        known.map(|(_, found)| run(*found))
    };
    let plain = plain(name);
    // `glEnableIndexedEXT` is `glEnablei`.
    let indexed = || listed(&format!("{}i", plain.strip_suffix("Indexed")?));
    let of_form = || uniforms::of_form(name).or_else(|| immediate::of_form(name)).map(run);
    let other = || {
        let exists = |name: &str| listed(name).is_some() || immediate::of_form(name).is_some();
        forms::other_form(name, exists).map(run)
    };
    let direct = || {
        let (bound, direct) = bound_of(name, |bound| listed(bound).is_some())?;
        Some(Handler { run: listed(&bound)?.run, direct: Some(direct) })
    };
    let of_matrices = || immediate::of_matrices(plain).map(run);
    let of_textures = || textures::of_textures(name).map(run);
    let found = listed(name)
        .or_else(|| listed(plain))
        .or_else(of_matrices)
        .or_else(of_textures)
        .or_else(indexed)
        .or_else(of_form)
        .or_else(other)
        .or_else(direct);
    found.or_else(|| windows::of(name).map(run))
}

impl Replay {
    /// The name of the function of a call.
    fn name(&self, call: &Call) -> Rc<str> {
        self.handlers.get(call.function).map(|function| Rc::clone(&function.name)).unwrap_or_default()
    }
}

/// An argument that is a text. Empty for others.
fn text(c: &Call, index: usize) -> &str {
    c.argument(index).text().unwrap_or_default()
}

/// Why a function without a handler has none.
fn lack_of(name: &str) -> Option<Absence> {
    let is_new_draw = || is_draw(name).then_some(Absence::Refused(Charged::Draw, "this function is not replayed"));
    // Other interfaces have no part in pictures.
    let is_other = !name.starts_with("gl") && NameFlags::of(name).renders.is_none();
    absence(name).or_else(is_new_draw).or(is_other.then_some(Absence::Needless("it is not a function of OpenGL")))
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
    fn each_function_has_a_handler_or_a_reason_and_only_one_of_them() {
        let handlers = Handlers::default();
        let all = names();
        assert!(all.len() > 3700, "{}", all.len());
        let mut wrong = Vec::new();
        for name in all {
            let is_vendor = |reason: &str| reason.contains("of one vendor");
            match (handlers.get(handlers.number(name)).unwrap().handler, absence(name)) {
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
