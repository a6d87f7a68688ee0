//! Display lists: calls that are kept and executed later.

use std::sync::Arc;

use crate::gl;
use unspool_formats::apitrace::list_names;

use super::cells::Value;
use super::effects::Effect;
use super::what;
use super::{Handlers, Machine};
use crate::Variant;
use crate::call::{self, Call};

pub(crate) const HANDLERS: Handlers = &[
    ("NewList", new_list),
    ("EndList", end_list),
    ("DeleteLists", delete_lists),
    ("CallList", |m, c, _| m.call_list(c.uint(0))),
    ("CallLists", call_lists),
];

/// Lists may nest this deep.
const MAX_NESTING: u32 = 64;
/// Calls that a list keeps at most. Only those that set state count.
pub const MAX_CALLS: usize = 1 << 16;

/// A list that is being compiled.
#[derive(Clone)]
pub(crate) struct Compiling {
    name: u32,
    /// Calls are executed, too.
    executes: bool,
    calls: Arc<Vec<Call>>,
}

/// Keeps a call if a list is being compiled. `is_current`: its function only sets a current colour,
/// normal or the like. Returns whether the call is to be executed.
pub(crate) fn record(machine: &mut Machine, call: &Call, function: u32, is_current: bool) -> bool {
    let Some(compiling) = machine.context().and_then(|context| context.compiling.as_ref()) else { return true };
    let executes = compiling.executes;
    let mut is_first = true;
    if is_current {
        // Vertices have a normal or a colour each. Of a run of such calls the last one of each
        // function counts.
        let run = compiling.calls.iter().rev().take_while(|call| machine.is_current(call.function));
        is_first = !run.into_iter().any(|earlier| earlier.function == function);
    }
    machine.change_context(|context| {
        let Some(compiling) = &mut context.compiling else { return };
        let calls = Arc::make_mut(&mut compiling.calls);
        if !is_first && let Some(at) = calls.iter().rposition(|earlier| earlier.function == function) {
            calls.remove(at);
        }
        if calls.len() < MAX_CALLS {
            let mut kept = call.clone();
            kept.function = function;
            calls.push(kept);
        }
    });
    executes
}

fn new_list(machine: &mut Machine, call: &Call, _: Variant) {
    let (name, executes) = (call.uint(0), call.uint(1) == gl::COMPILE_AND_EXECUTE);
    machine.change_context(|context| context.compiling = Some(Compiling { name, executes, calls: Arc::default() }));
}

fn end_list(machine: &mut Machine, _: &Call, _: Variant) {
    let mut ended = None;
    machine.change_context(|context| ended = context.compiling.take());
    if let Some(Compiling { name, calls, .. }) = ended {
        let name = machine.small(name.into());
        machine.put(machine.share, what::LIST_OF, name, Value::List(calls));
    }
}

fn delete_lists(machine: &mut Machine, call: &Call, _: Variant) {
    let first = call.uint(0);
    for name in (first..first.saturating_add(call.uint(1))).take(1 << 16) {
        let Some(name) = machine.small_of(name.into()) else { continue };
        if machine.cell(machine.share, what::LIST_OF, name).is_some() {
            machine.put(machine.share, what::LIST_OF, name, Value::Unset);
        }
    }
}

fn call_lists(machine: &mut Machine, call: &Call, _: Variant) {
    for name in machine.lists_of(call) {
        machine.call_list(name);
    }
}

impl Compiling {
    pub(crate) fn executes(&self) -> bool {
        self.executes
    }
}

impl Machine {
    /// The names of the lists that a call of `glCallList` or `glCallLists` executes.
    pub fn lists_of(&self, call: &Call) -> Vec<u32> {
        if call.len() == 1 {
            return vec![call.uint(0)];
        }
        let base = self.number(self.context, what::LIST_BASE, 0).unwrap_or(0);
        let mut names = Vec::new();
        match call.argument(2) {
            call::Value::List(values) => names.extend(values.filter_map(call::Value::int)),
            call::Value::Bytes(bytes, _) => names.extend(list_names(call.uint(1), bytes)),
            call::Value::Text(text) => names.extend(text.bytes().map(i64::from)),
            _ => {}
        }
        names.truncate(call.uint(0) as usize);
        names.into_iter().map(|name| base.wrapping_add(name) as u32).collect()
    }

    /// The list that is being compiled in the current context of a thread, and whether its calls
    /// are executed as well.
    pub fn compiling_on(&self, thread: u64) -> Option<(u32, bool)> {
        let context = self.root.contexts.get(self.current_on(thread)? as usize)?;
        context.compiling.as_ref().map(|list| (list.name, list.executes))
    }

    /// What tells the display list with a name from others: the owner of the names of the share
    /// group that is looked at, and the name. `None` if there is no such list.
    pub fn list_id(&self, name: u32) -> Option<(u32, u32)> {
        let number = self.small_of(name.into())?;
        self.is_set(self.share, what::LIST_OF, number).then_some((self.share, name))
    }

    /// The calls of a list, in their order. It may lack those beyond [`MAX_CALLS`].
    pub fn list(&self, name: u32) -> Option<Arc<Vec<Call>>> {
        match self.value(self.share, what::LIST_OF, self.small_of(name.into())?) {
            Value::List(calls) => Some(calls.clone()),
            _ => None,
        }
    }

    fn call_list(&mut self, name: u32) {
        if self.notes.is_on {
            return self.tell(Effect::Listed { name });
        }
        let list = self.small_of(name.into()).map(|name| self.value(self.share, what::LIST_OF, name).clone());
        let Some(Value::List(calls)) = list else {
            // It may be older than the trace, and set anything.
            self.doubts.note_unknown_list();
            return;
        };
        if calls.len() >= MAX_CALLS || self.nesting >= MAX_NESTING {
            self.doubts.note_unknown_list();
        }
        if self.nesting >= MAX_NESTING {
            return;
        }
        self.nesting += 1;
        for call in calls.iter() {
            if self.budget == 0 {
                self.doubts.note_unknown_list();
                break;
            }
            let told = self.effects.len();
            self.execute(call, call.function, false);
            // A call that binds hundreds of objects is as much work as many others.
            let told = (self.effects.len() - told) as u32;
            self.budget = self.budget.saturating_sub(1 + told / 16);
        }
        self.nesting -= 1;
    }
}
