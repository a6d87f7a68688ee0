//! Display lists.

use std::rc::Rc;

use unspool_formats::apitrace::list_names;
use unspool_gl::call::{Call, Value};
use unspool_gl::machine::what;
use unspool_gl::{Variant, gl};

use super::{Functions, Listed};
use crate::driver::{OBJECT, Replay};

/// Commands that a draw counts for.
const DRAW_WORK: u64 = 64;
/// Bytes that the calls of the lists of a call may look at or copy.
const MOST_WORK: u64 = 1 << 28;
/// Limit for lists that call lists.
const DEPTH: u32 = 64;

pub(crate) const TABLE: Functions = &[
    ("NewList", |r, c, _| {
        if let Some(context) = r.context() {
            context.recording = Some((c.uint(0), c.uint(1) == gl::COMPILE_AND_EXECUTE, Vec::new()));
        }
    }),
    ("EndList", |r, _, _| {
        let Some((context, objects, _)) = r.both() else { return };
        if let Some((name, _, commands)) = context.recording.take() {
            let old = objects.lists.insert(name, Rc::new(commands));
            let freed = old.map_or(0, |old| size_of(&old));
            r.reserve(freed, OBJECT);
        }
    }),
    ("DeleteLists", |r, c, _| {
        let (first, count) = (c.uint(0), c.int(1).clamp(0, 1 << 16) as u32);
        let Some((_, objects, _)) = r.both() else { return };
        let old = objects.lists.extract_if(|name, _| (first..first.saturating_add(count)).contains(name));
        let freed = old.map(|(_, old)| size_of(&old)).sum();
        r.reserve(freed, 0);
    }),
    ("CallList", |r, c, _| r.call_list(c.uint(0))),
    ("CallLists", call_lists),
];

/// Bytes that a list takes.
fn size_of(commands: &[Listed]) -> u64 {
    commands.iter().map(Listed::size).sum::<u64>() + OBJECT
}

fn call_lists(r: &mut Replay, c: &Call, _: Variant) {
    let base = r.setting(what::LIST_BASE).unwrap_or(0) as u32;
    let names: Vec<u32> = match c.argument(2) {
        Value::Bytes(bytes, _) => list_names(c.uint(1), bytes).map(|name| name as u32).collect(),
        Value::Text(text) => text.bytes().map(u32::from).collect(),
        _ => c.ints(2).iter().map(|name| *name as u32).collect(),
    };
    for name in names.into_iter().take(c.int(0).clamp(0, 1 << 16) as usize) {
        r.call_list(base.wrapping_add(name));
    }
}

impl Replay {
    /// Executes the commands of a list.
    fn call_list(&mut self, name: u32) {
        let Some(commands) = self.both().and_then(|(_, objects, _)| objects.lists.get(&name).cloned()) else { return };
        if self.list_depth >= DEPTH {
            return;
        }
        self.list_depth += 1;
        for command in commands.iter() {
            let function = command.function(&self.handlers);
            // A draw is as much work as many calls that set something.
            self.list_work += if command.is_draw(function.as_deref()) { DRAW_WORK } else { 1 };
            if self.list_work > self.bounds.list_commands {
                let (number, most) = (self.call, self.bounds.list_commands);
                self.halt(format!(
                    "Call {number} expands to more than {most} commands of display lists. The replay ends there."
                ));
            }
            if self.work > MOST_WORK {
                let (number, most) = (self.call, MOST_WORK >> 20);
                self.halt(format!("Call {number} reads more than {most} MiB in display lists. The replay ends there."));
            }
            if self.halted.is_some() {
                break;
            }
            self.execute_listed(command, function.as_deref());
        }
        self.list_depth -= 1;
    }
}
