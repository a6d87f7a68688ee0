//! Command lists of Direct3D 11: what a deferred context draws is recorded, and drawn when its list
//! is executed, as often as that is.
//!
//! ```text
//! ID3D11Device::CreateDeferredContext() = context
//! context.Draw()                           no draw: only the list gets it
//! context.FinishCommandList() = list
//! immediate.ExecuteCommandList(list)       as many draws as were recorded
//! ```
//!
//! A context that was made before the trace begins is taken for an immediate one until it finishes
//! a list.

use hashbrown::HashMap;
use unspool_trace::kept;

use super::super::functions::{ListRole, Renders};
use super::{DisplayLists, ListArgs, MOST_LISTS, Rendered};

/// The deferred contexts of Direct3D 11, and their command lists, by address.
#[derive(Debug, Default)]
pub(super) struct Commands {
    /// The draws and clears of each context since it finished a list.
    contexts: HashMap<i64, Recording>,
    lists: HashMap<i64, Recording>,
    /// Calls that have not returned.
    awaited: HashMap<u64, Awaited>,
    /// For each thread: the first and the last call in a row that was only recorded.
    pub(super) stretches: HashMap<u64, (u64, u64)>,
}

impl Commands {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        let Self { contexts, lists, awaited, stretches } = self;
        kept::table::<(i64, Recording)>(contexts.capacity() + lists.capacity())
            + kept::table::<(u64, Awaited)>(awaited.capacity())
            + kept::table::<(u64, (u64, u64))>(stretches.capacity())
    }
}

/// The object that a call of Direct3D 11 returns.
#[derive(Clone, Copy, Debug)]
enum Awaited {
    /// A deferred context.
    Deferred,
    /// A command list: the context that finishes it, and what it will hold.
    List(i64, Recording),
    /// An immediate context, maybe where a deferred one was.
    Immediate,
}

/// Draws and clears in a command list.
#[derive(Clone, Copy, Debug, Default)]
struct Recording {
    draws: u32,
    clears: u32,
    /// There may be more: some were recorded before the trace begins, or by lists that are not
    /// known.
    is_partial: bool,
}

impl Recording {
    fn add(&mut self, rendered: Rendered) {
        self.draws = self.draws.saturating_add(u32::try_from(rendered.draws()).unwrap_or(u32::MAX));
        self.clears = self.clears.saturating_add(u32::try_from(rendered.clears()).unwrap_or(u32::MAX));
    }

    /// The effect of its execution, if all of it is known.
    fn executed(self) -> Option<Rendered> {
        (!self.is_partial).then_some(Rendered::Executes { draws: self.draws, clears: self.clears })
    }
}

impl DisplayLists {
    /// A call of Direct3D 11 whose ENTER event is complete.
    pub(super) fn command(
        &mut self,
        role: ListRole,
        renders: Option<Renders>,
        args: &ListArgs,
        thread: u64,
        call: u64,
    ) -> Rendered {
        let this = args.number(0).unwrap_or(0);
        let rendered = match role {
            ListRole::Defer | ListRole::Finish | ListRole::Immediate => {
                self.await_return(role, args, this, call);
                return Rendered::Nothing;
            }
            ListRole::Execute => {
                let list = args.number(1).and_then(|list| self.commands.lists.get(&list));
                list.and_then(|list| list.executed()).unwrap_or_default()
            }
            _ => renders.into(),
        };
        let Commands { contexts, stretches, .. } = &mut self.commands;
        if let Some(recording) = contexts.get_mut(&this) {
            recording.add(rendered);
            recording.is_partial |= role == ListRole::Execute && rendered == Rendered::Nothing;
            stretches.entry(thread).or_insert((call, call)).1 = call;
            return Rendered::Compiled;
        }
        self.end_stretch(thread);
        if let Rendered::Executes { draws, clears } = rendered {
            self.facts.executed.push((call, draws, clears));
        }
        rendered
    }

    /// A call begins that returns a context or a list.
    fn await_return(&mut self, role: ListRole, args: &ListArgs, this: i64, call: u64) {
        let Commands { contexts, awaited, .. } = &mut self.commands;
        let returns = match role {
            ListRole::Finish => {
                // One that is older than the trace may have recorded before.
                let older = Recording { is_partial: true, ..Recording::default() };
                Awaited::List(this, contexts.get_mut(&this).map_or(older, core::mem::take))
            }
            // There is no deferred one where it could be.
            ListRole::Immediate if contexts.is_empty() => return,
            ListRole::Immediate => Awaited::Immediate,
            _ => Awaited::Deferred,
        };
        if awaited.len() < MOST_LISTS {
            awaited.insert(call, returns);
        }
        // Some writers have all arguments at the beginning of a call.
        if args.made().is_some() && !matches!(returns, Awaited::Immediate) {
            self.returned(Some(args), call);
        }
    }

    /// The calls of a thread that were only recorded end before one that is executed.
    pub(super) fn end_stretch(&mut self, thread: u64) {
        if !self.commands.stretches.is_empty()
            && let Some((from, to)) = self.commands.stretches.remove(&thread)
        {
            self.facts.compiled.push((thread, from, to));
        }
    }

    /// The role of a call if its LEAVE event is wanted with its values.
    #[inline]
    pub(crate) fn awaited(&self, call: u64) -> Option<ListRole> {
        let awaited = &self.commands.awaited;
        if awaited.is_empty() { None } else { awaited.contains_key(&call).then_some(ListRole::Finish) }
    }

    /// A call returns, with these values if it was awaited.
    #[inline]
    pub(crate) fn leave(&mut self, args: Option<&ListArgs>, call: u64) {
        if !self.commands.awaited.is_empty() {
            self.returned(args, call);
        }
    }

    #[cold]
    fn returned(&mut self, args: Option<&ListArgs>, call: u64) {
        let Commands { contexts, lists, awaited, .. } = &mut self.commands;
        let Some(returns) = awaited.remove(&call) else { return };
        let put = |map: &mut HashMap<i64, Recording>, address, recording| {
            if map.len() < MOST_LISTS || map.contains_key(&address) {
                map.insert(address, recording);
            }
        };
        match (returns, args.and_then(ListArgs::made)) {
            (Awaited::Immediate, _) => {
                if let Some((_, context)) = args.and_then(|args| args.last) {
                    contexts.remove(&context);
                }
            }
            (Awaited::List(context, recording), Some(made)) => {
                put(lists, made, recording);
                // Only a deferred one can.
                if !contexts.contains_key(&context) {
                    put(contexts, context, Recording::default());
                }
            }
            (Awaited::Deferred, Some(made)) => put(contexts, made, Recording::default()),
            (Awaited::List(..) | Awaited::Deferred, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::super::super::functions::NameFlags;
    use super::super::super::records::Scalar;
    use super::*;

    /// A call of Direct3D 11: the name, `this` and further arguments, and what it returns through
    /// its third one.
    type Method<'a> = (&'a str, &'a [i64], i64);

    /// Executes calls, each on a thread. Returns what each came to.
    fn run_methods(calls: &[(u64, Method<'_>)]) -> Vec<Rendered> {
        let mut lists = DisplayLists::default();
        let filled = |role, from: u32, numbers: &[i64]| {
            let mut args = ListArgs::default();
            args.begin(role);
            for (index, number) in (from..).zip(numbers) {
                args.argument(index);
                args.scalar(Scalar::Pointer(*number as u64));
            }
            args
        };
        let mut all = Vec::new();
        for (number, (thread, (name, numbers, made))) in (0..).zip(calls) {
            let flags = NameFlags::of(&alloc::format!("ID3D11{name}"));
            all.push(lists.enter(flags, Some(&filled(flags.list, 0, numbers)), *thread, number));
            if let Some(role) = lists.awaited(number) {
                lists.leave(Some(&filled(Some(role), 2, &[*made])), number);
            }
        }
        let mut facts = lists.all_facts(calls.len() as u64);
        facts.sort();
        for (number, (thread, (name, ..))) in (0..).zip(calls) {
            let known = facts.of(NameFlags::of(&alloc::format!("ID3D11{name}")), *thread, number);
            assert_eq!(known, all[number as usize], "{name}, call {number}");
        }
        all
    }

    #[test]
    fn command_lists_draw_when_they_are_executed_as_often_as_that_is() {
        use Rendered::{Clears, Compiled, Draws, Executes, Nothing};
        const NOW: i64 = 0x100;
        const LATER: i64 = 0x200;
        const LIST: i64 = 0x300;
        let draw = |this: &'static [i64]| ("DeviceContext::DrawIndexed", this, 0);
        let calls = [
            (7, draw(&[NOW])),
            // It was made before the trace, so that it may be an immediate one.
            (7, ("DeviceContext::ClearRenderTargetView", &[LATER][..], 0)),
            (7, ("Device1::CreateDeferredContext1", &[0x1, 0], LATER)),
            (7, draw(&[LATER])),
            // Another thread draws meanwhile, and so does another context.
            (8, draw(&[NOW])),
            (7, draw(&[NOW])),
            (7, draw(&[LATER])),
            (8, ("DeviceContext2::ClearDepthStencilView", &[LATER], 0)),
            (7, ("DeviceContext::FinishCommandList", &[LATER, 0], LIST)),
            (7, ("DeviceContext::ExecuteCommandList", &[NOW, LIST, 0], 0)),
            (7, ("DeviceContext::ExecuteCommandList", &[NOW, LIST, 0], 0)),
            // Unknown.
            (7, ("DeviceContext::ExecuteCommandList", &[NOW, 0x999, 0], 0)),
            // A list that executes another one.
            (7, ("DeviceContext::ExecuteCommandList", &[LATER, LIST, 0], 0)),
            (7, draw(&[LATER])),
            (7, ("DeviceContext::FinishCommandList", &[LATER, 0], LIST)),
            (7, ("DeviceContext::ExecuteCommandList", &[NOW, LIST, 0], 0)),
            (7, ("DeviceContext::FinishCommandList", &[LATER, 0], LIST)),
            (7, ("DeviceContext::ExecuteCommandList", &[NOW, LIST, 0], 0)),
            (7, draw(&[LATER])),
        ];
        let once = Executes { draws: 2, clears: 1 };
        let none = Executes { draws: 0, clears: 0 };
        let first = [Draws, Clears, Nothing, Compiled, Draws, Draws, Compiled, Compiled, Nothing, once, once, Nothing];
        let second = [Compiled, Compiled, Nothing, Executes { draws: 3, clears: 1 }, Nothing, none, Compiled];
        assert_eq!(run_methods(&calls), [&first[..], &second[..]].concat());
        assert!(once.is_draw() && !once.is_clear() && once.is_any() && !none.is_any());
    }

    #[test]
    fn lists_of_which_a_part_is_unknown_are_not_counted() {
        use Rendered::{Compiled, Executes, Nothing};
        const OLD: i64 = 0x200;
        const NEW: i64 = 0x250;
        let finish = |context: &'static [i64], list| (7, ("DeviceContext::FinishCommandList", context, list));
        let execute = |numbers: &'static [i64]| (7, ("DeviceContext::ExecuteCommandList", numbers, 0));
        let calls = [
            // The context is older than the trace: what it has recorded before is not known.
            finish(&[OLD, 0], 0x300),
            execute(&[0x100, 0x300, 0]),
            // All of its second list is.
            (7, ("DeviceContext::Draw", &[OLD][..], 0)),
            finish(&[OLD, 0], 0x310),
            execute(&[0x100, 0x310, 0]),
            // A list that executes one that is not known.
            (7, ("Device::CreateDeferredContext", &[0x1, 0], NEW)),
            (7, ("DeviceContext::Draw", &[NEW], 0)),
            execute(&[NEW, 0x300, 0]),
            finish(&[NEW, 0], 0x320),
            execute(&[0x100, 0x320, 0]),
        ];
        let one = Executes { draws: 1, clears: 0 };
        let first = [Nothing, Nothing, Compiled, Nothing, one];
        assert_eq!(run_methods(&calls), [&first[..], &[Nothing, Compiled, Compiled, Nothing, Nothing]].concat());
    }

    #[test]
    fn an_immediate_context_where_a_deferred_one_was_draws() {
        use Rendered::{Compiled, Draws, Nothing};
        const CONTEXT: i64 = 0x200;
        let draw = (7, ("DeviceContext::Draw", &[CONTEXT][..], 0));
        let calls = [
            (7, ("Device::CreateDeferredContext", &[0x1, 0][..], CONTEXT)),
            draw,
            // Another context.
            (7, ("Device::GetImmediateContext", &[0x1], 0x100)),
            draw,
            (7, ("Device2::GetImmediateContext1", &[0x1], CONTEXT)),
            draw,
        ];
        assert_eq!(run_methods(&calls), [Nothing, Compiled, Nothing, Compiled, Nothing, Draws]);
    }

    /// The context is the last argument, before the result.
    #[test]
    fn a_device_is_made_with_an_immediate_context() {
        const CONTEXT: u64 = 0x200;
        let mut lists = DisplayLists::default();
        lists.commands.contexts.insert(CONTEXT as i64, Recording::default());
        let role = NameFlags::of("D3D11CreateDeviceAndSwapChain").list;
        let mut args = ListArgs::default();
        args.begin(role);
        lists.command(role.unwrap(), None, &args, 7, 0);
        args.begin(lists.awaited(0));
        for (index, address) in [(9, 0x1), (10, 0xb000), (11, CONTEXT)] {
            args.argument(index);
            args.scalar(Scalar::Pointer(address));
        }
        args.scalar(Scalar::Int(0));
        lists.leave(Some(&args), 0);
        assert!(lists.commands.contexts.is_empty());
        assert_eq!(NameFlags::of("D3D11CreateDevice").list, role);
        assert_eq!(NameFlags::of("ID3D11Device::GetImmediateContextX").list, None);
    }
}
