//! Names of ids, and tokens of records that have nothing else.

use std::collections::HashMap;

/// Names of ids, for ids that most traces number one after the other.
pub(crate) struct Names<S> {
    /// By id: most traces number their functions one after the other.
    dense: Vec<Option<S>>,
    /// Of other ids.
    others: hashbrown::HashMap<i64, S>,
}

impl<S> Names<S> {
    pub(crate) fn new(named: HashMap<i64, S>) -> Self {
        let most = 4 * named.len();
        let mut names = Self { dense: Vec::new(), others: hashbrown::HashMap::new() };
        for (id, name) in named {
            let Some(number) = usize::try_from(id).ok().filter(|number| *number < most) else {
                names.others.insert(id, name);
                continue;
            };
            if number >= names.dense.len() {
                names.dense.resize_with(number + 1, || None);
            }
            if let Some(place) = names.dense.get_mut(number) {
                *place = Some(name);
            }
        }
        names
    }

    #[inline]
    pub(crate) fn get(&self, id: i64) -> Option<&S> {
        match usize::try_from(id).ok().and_then(|number| self.dense.get(number)) {
            Some(Some(name)) => Some(name),
            _ => self.others.get(&id),
        }
    }
}

/// The token of records with an id and a kind, and nothing else that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) id: i64,
    /// Where the text of the kind is, which is in the program.
    pub(crate) kind: usize,
    pub(crate) token: u32,
}

/// How many of them are remembered: 96 KiB.
pub(crate) const KNOWN: usize = 1 << 12;

impl Known {
    /// Where it is remembered. `None` for an id that does not fit.
    #[inline]
    pub(crate) fn of(id: i64, kind: &'static str) -> Option<(usize, Self)> {
        // What begins a call has a longer name than what ends it, by one.
        let slot = (usize::try_from(id).ok()?.wrapping_mul(2) + kind.len() % 2) % KNOWN;
        Some((slot, Self { id, kind: kind.as_ptr() as usize, token: 0 }))
    }
}
