//! What each function does. For a function that is not in one of these tables, [`lack_of`] says
//! what that means.

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
mod textures;
mod uniforms;
mod windows;

pub(crate) use draws::Restart;
pub(crate) use immediate::Kept;
pub(crate) use lacks::{Lack, is_draw, lack_of};
pub(crate) use listed::Listed;
pub(crate) use uniforms::Found;

use std::borrow::Cow;
use std::cell::RefCell;

use hashbrown::HashMap;

use crate::call::Call;
use crate::driver::Replay;

/// Executes a call.
pub(crate) type Run = fn(&mut Replay, &Call);

/// What a function does, for what is bound or for an object that it names.
#[derive(Clone, Copy)]
pub(crate) struct Handler {
    pub(crate) run: Run,
    pub(crate) direct: Option<direct::Direct>,
}

/// What functions do, by their names. `None`: nothing is known of a name.
pub(crate) struct Handlers {
    by_name: RefCell<HashMap<Cow<'static, str>, Option<Handler>>>,
}

/// Limit for the names that are remembered: OpenGL has some thousand functions.
const MOST_NAMES: usize = 8192;

/// Endings of functions that came from extensions and do the same.
const ENDINGS: [&str; 8] = ["EXT", "ARB", "OES", "KHR", "APPLE", "NV", "ANGLE", "SGIS"];

impl Handlers {
    pub(crate) fn new() -> Self {
        let tables = [
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
            states::TABLE,
            textures::TABLE,
            uniforms::TABLE,
        ];
        let all = tables.into_iter().flatten();
        let by_name =
            all.map(|(name, run)| (Cow::Borrowed(*name), Some(Handler { run: *run, direct: None }))).collect();
        Self { by_name: RefCell::new(by_name) }
    }

    /// The handler of a function, whatever extension it came from.
    pub(crate) fn find(&self, name: &str) -> Option<Handler> {
        let known = self.by_name.borrow().get(name).copied();
        known.unwrap_or_else(|| {
            let found = self.made_of_others(name);
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
        let listed = |name: &str| by_name.get(name).copied().flatten();
        let ending = ENDINGS.iter().find(|ending| name.ends_with(**ending));
        let plain = ending.and_then(|ending| name.strip_suffix(ending));
        let of_form = || Some(Handler { run: immediate::of_form(name)?, direct: None });
        let direct = || {
            let (bound, direct) = direct::direct_of(name, |bound| listed(bound).is_some())?;
            Some(Handler { run: listed(&bound)?.run, direct: Some(direct) })
        };
        let of_matrices = || Some(Handler { run: immediate::of_matrices(plain.unwrap_or(name))?, direct: None });
        let of_textures = || Some(Handler { run: textures::of_textures(name)?, direct: None });
        let of_windows = || Some(Handler { run: windows::of(name)?, direct: None });
        plain
            .and_then(listed)
            .or_else(of_windows)
            .or_else(of_matrices)
            .or_else(of_textures)
            .or_else(of_form)
            .or_else(direct)
    }
}

/// Whether a function is one for contexts or windows that is replayed.
pub(crate) fn is_window(name: &str) -> bool {
    windows::of(name).is_some()
}
