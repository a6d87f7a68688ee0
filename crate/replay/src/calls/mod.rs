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
pub(crate) use lacks::is_draw;
pub(crate) use listed::Listed;
pub(crate) use texels::Texels;
pub(crate) use uniforms::Found;

use std::borrow::Cow;
use std::cell::RefCell;

use hashbrown::HashMap;
use unspool_formats::apitrace::NameFlags;
use unspool_gl::direct::{Direct, bound_of};
use unspool_gl::{Absence, Charged, absence, plain};

use crate::call::Call;
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

/// What functions do, by their names.
pub(crate) struct Handlers {
    by_name: RefCell<HashMap<Cow<'static, str>, Resolved>>,
}

/// Limit for the names that are remembered: OpenGL has some thousand functions.
const MOST_NAMES: usize = 8192;

impl Handlers {
    pub(crate) fn new() -> Self {
        let tables = [
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
        let all = tables.into_iter().flatten();
        let by_name = all.map(|(name, run)| (Cow::Borrowed(*name), Ok(Handler { run: *run, direct: None }))).collect();
        Self { by_name: RefCell::new(by_name) }
    }

    /// The handler of a function, whatever extension it came from.
    pub(crate) fn find(&self, name: &str) -> Resolved {
        let known = self.by_name.borrow().get(name).copied();
        known.unwrap_or_else(|| {
            let found = self.made_of_others(name).ok_or_else(|| lack_of(name));
            let mut by_name = self.by_name.borrow_mut();
            if by_name.len() < MOST_NAMES {
                by_name.insert(Cow::Owned(name.into()), found);
            }
            found
        })
    }

    /// The handler of a name that is in no table.
    fn made_of_others(&self, name: &str) -> Option<Handler> {
        let by_name = self.by_name.borrow();
        let listed = |name: &str| by_name.get(name).and_then(|found| found.ok());
        let plain = plain(name);
        // `glEnableIndexedEXT` is `glEnablei`.
        let indexed = || listed(&format!("{}i", plain.strip_suffix("Indexed")?));
        let run = |run: Run| Handler { run, direct: None };
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
        let found = listed(plain)
            .or_else(of_matrices)
            .or_else(of_textures)
            .or_else(indexed)
            .or_else(of_form)
            .or_else(other)
            .or_else(direct);
        found.or_else(|| windows::of(name).map(run))
    }
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
    fn each_function_has_a_handler_or_a_reason_and_only_one_of_them() {
        let handlers = Handlers::new();
        let all = names();
        assert!(all.len() > 3700, "{}", all.len());
        let mut wrong = Vec::new();
        for name in all {
            let is_vendor = |reason: &str| reason.contains("of one vendor");
            match (handlers.find(name), absence(name)) {
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
