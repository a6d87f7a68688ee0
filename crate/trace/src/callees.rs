//! What functions can call, as the code of a program says.
//!
//! A log that records no exit for a call that is left by a jump (`longjmp`, an exception) has what
//! follows below it. The code tells which callers are impossible, so that the stack can be cut
//! there.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::bytes::to_bytes;
use crate::sort;

/// What the code says of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its id in the trace.
    pub id: u32,
    /// All that call it are among the functions of the trace. Otherwise it may be called at any
    /// time, even by the system: it may be a signal handler, or be called by one.
    pub is_known: bool,
    /// What it can call: ids of functions, sorted.
    pub all: Vec<u32>,
    /// What it can call once it has made a call, wherever an exception or a jump lets it go on.
    pub later: Vec<u32>,
}

/// The functions of a program that are known. Others can call everything, and be called by
/// everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callees {
    /// Sorted by id, one for each.
    functions: Vec<Function>,
}

impl Callees {
    /// A table of these functions. If several have the same id, nothing is known of it.
    pub fn new(mut functions: Vec<Function>) -> Self {
        let order = sort::order(functions.len(), &[&|at| functions.get(at).map_or(0, |it| it.id.into())]);
        functions = sort::in_order(functions, &order);
        let ids: Vec<u32> = functions.iter().map(|it| it.id).collect();
        functions.retain(|it| {
            let first = ids.partition_point(|id| *id < it.id);
            ids.get(first + 1) != Some(&it.id)
        });
        Self { functions }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The functions, by id.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// As bytes, for [`Callees::from_bytes`] of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// What [`Callees::to_bytes`] wrote. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    fn of(&self, id: i64) -> Option<&Function> {
        let id = u32::try_from(id).ok()?;
        let at = self.functions.binary_search_by_key(&id, |it| it.id).ok()?;
        self.functions.get(at)
    }

    /// Whether a function, which has made calls already or not, can be interrupted or followed by a
    /// call of another one.
    pub fn may_call(&self, caller: i64, has_called: bool, callee: i64) -> bool {
        let (Some(caller), Some(callee)) = (self.of(caller), self.of(callee)) else { return true };
        let targets = if has_called { &caller.later } else { &caller.all };
        !callee.is_known || targets.binary_search(&callee.id).is_ok()
    }

    /// Whether a function is called by its callers only, and not by a signal handler.
    pub fn is_known(&self, callee: i64) -> bool {
        self.of(callee).is_some_and(|callee| callee.is_known)
    }
}

/// Which calls of a trace were left without a record, and where the stack can be cut. Found by
/// reading the trace once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jumps {
    /// What its functions can call.
    pub callees: Callees,
    /// Places of the records that begin calls without an end, sorted.
    pub lost: Vec<u64>,
}

impl Jumps {
    /// Whether the call that begins at this place has no end.
    pub fn is_lost(&self, at: u64) -> bool {
        self.lost.binary_search(&at).is_ok()
    }

    /// As bytes, for [`Jumps::from_bytes`] of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// What [`Jumps::to_bytes`] wrote. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn function(id: u32, is_known: bool, all: &[u32], later: &[u32]) -> Function {
        Function { id, is_known, all: all.to_vec(), later: later.to_vec() }
    }

    #[test]
    fn only_what_is_known_of_both_is_ruled_out() {
        let callees = Callees::new(vec![
            function(3, false, &[], &[]),
            function(1, true, &[2], &[]),
            function(2, true, &[1, 2], &[1]),
        ]);
        assert!(callees.may_call(1, false, 2) && !callees.may_call(1, true, 2), "its only call comes first");
        assert!(!callees.may_call(1, false, 1) && callees.may_call(2, true, 1));
        assert!(callees.may_call(1, true, 3) && !callees.is_known(3), "a signal handler, perhaps");
        assert!(callees.may_call(1, true, 9) && callees.may_call(9, true, 1) && callees.may_call(-1, true, 1));
        assert!(callees.is_known(1) && !callees.is_known(9));
        assert_eq!(Callees::from_bytes(&callees.to_bytes()), Some(callees));
    }

    #[test]
    fn of_two_with_one_id_nothing_is_known() {
        let callees = Callees::new(vec![function(1, true, &[], &[]), function(1, true, &[], &[])]);
        assert!(callees.is_empty() && callees.may_call(1, true, 1));
    }
}
