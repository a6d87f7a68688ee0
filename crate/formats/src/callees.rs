//! What functions can call, as the code of a program says.
//!
//! A log that records no exit for a call that is left by a jump (`longjmp`, an exception) has what follows below it. The code
//! tells which callers are impossible, so that the stack can be cut there.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::sort;

/// Where the calls of a function are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callers {
    /// Anywhere: its address is taken, so it may even be called by the system, as a signal handler.
    #[default]
    Any,
    /// In known functions, and in code that the trace has no calls of.
    Unseen,
    /// In known functions.
    Known,
}

/// What can be called from some places of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Targets {
    /// Ids of functions, sorted.
    pub functions: Vec<u32>,
    /// Also code that the trace has no calls of, which may call further functions.
    pub unseen: bool,
}

impl Targets {
    fn may_reach(&self, callee: &Function) -> bool {
        match callee.callers {
            Callers::Any => true,
            Callers::Unseen if self.unseen => true,
            Callers::Unseen | Callers::Known => self.functions.binary_search(&callee.id).is_ok(),
        }
    }
}

/// What the code says of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its id in the trace.
    pub id: u32,
    /// Where it is called.
    pub callers: Callers,
    /// What it can call.
    pub all: Targets,
    /// What it can call once it has made a call, wherever an exception or a jump lets it go on.
    pub later: Targets,
}

/// The functions of a program that are known. Others can call everything, and be called by everything.
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

    fn of(&self, id: i64) -> Option<&Function> {
        let id = u32::try_from(id).ok()?;
        let at = self.functions.binary_search_by_key(&id, |it| it.id).ok()?;
        self.functions.get(at)
    }

    /// Whether a function, which has made calls already or not, can call another one next.
    pub fn may_call(&self, caller: i64, has_called: bool, callee: i64) -> bool {
        let (Some(caller), Some(callee)) = (self.of(caller), self.of(callee)) else { return true };
        if has_called { caller.later.may_reach(callee) } else { caller.all.may_reach(callee) }
    }
}

/// Which calls of a trace were left without a record, and where the stack can be cut. Found by reading the trace once.
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
        postcard::to_allocvec(self).unwrap_or_default()
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

    fn function(id: u32, callers: Callers, all: &[u32], later: &[u32], unseen: bool) -> Function {
        let targets = |functions: &[u32]| Targets { functions: functions.to_vec(), unseen };
        Function { id, callers, all: targets(all), later: targets(later) }
    }

    #[test]
    fn only_what_is_known_of_both_is_ruled_out() {
        let callees = Callees::new(vec![
            function(3, Callers::Any, &[], &[], false),
            function(1, Callers::Known, &[2], &[], false),
            function(2, Callers::Unseen, &[1, 2], &[1], true),
        ]);
        assert!(callees.may_call(1, false, 2) && !callees.may_call(1, true, 2), "its only call comes first");
        assert!(!callees.may_call(1, false, 1) && callees.may_call(2, true, 1));
        assert!(callees.may_call(2, true, 2), "by code between them");
        assert!(callees.may_call(1, true, 3), "its address is taken");
        assert!(callees.may_call(1, true, 9) && callees.may_call(9, true, 1) && callees.may_call(-1, true, 1));
    }

    #[test]
    fn of_two_with_one_id_nothing_is_known() {
        let twice = vec![function(1, Callers::Known, &[], &[], false), function(1, Callers::Known, &[], &[], false)];
        let callees = Callees::new(twice);
        assert!(callees.is_empty() && callees.may_call(1, true, 1));
    }
}
