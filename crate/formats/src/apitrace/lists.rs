//! Display lists: what is compiled into one is drawn when the list is called, not before.
//!
//! ```text
//! glNewList(1, GL_COMPILE)
//!     glBegin … glEnd          no draw: only the list gets it
//! glEndList()
//! glCallList(1)                a draw
//! ```
//!
//! The same holds for the command lists of Direct3D 11. What a deferred context draws is recorded,
//! and drawn when its list is executed, as often as that is:
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
//!
//! OpenGL 4.6, compatibility profile, 21.4. Lists of contexts that share nothing are taken for the
//! same if they have the same number. What a list draws that was made before the trace begins is
//! not known: calling it counts as nothing.

use alloc::vec::Vec;

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use super::functions::{ListRole, NameFlags, Renders};
use super::records::Scalar;

/// Limit for the lists that are followed, and for the different lists that one of them calls.
const MOST_LISTS: usize = 1 << 20;
const MOST_CALLED: usize = 256;
/// Lists may nest this deep: the least that `GL_MAX_LIST_NESTING` may be.
const NESTING: usize = 64;
/// Names of lists of one call that are looked at.
const MOST_NAMES: usize = 1 << 16;
/// Steps through nested lists that are saved up at most, and those that each call adds. Beyond them
/// what is known of a list may be out of date.
const MOST_STEPS: u64 = 1 << 22;
const STEPS: u64 = 256;
/// What `glNewList` does with calls, and the types of names that `glCallLists` takes. They are here
/// because this crate imports no other.
mod gl {
    #[cfg(test)]
    pub(super) const COLOR_BUFFER_BIT: i64 = 0x4000;
    #[cfg(test)]
    pub(super) const COMPILE: i64 = 0x1300;
    pub(super) const COMPILE_AND_EXECUTE: i64 = 0x1301;
    pub(super) const BYTE: u32 = 0x1400;
    pub(super) const UNSIGNED_BYTE: u32 = 0x1401;
    pub(super) const SHORT: u32 = 0x1402;
    pub(super) const UNSIGNED_SHORT: u32 = 0x1403;
    pub(super) const INT: u32 = 0x1404;
    #[cfg(test)]
    pub(super) const UNSIGNED_INT: u32 = 0x1405;
    pub(super) const FLOAT: u32 = 0x1406;
    pub(super) const _2_BYTES: u32 = 0x1407;
    pub(super) const _3_BYTES: u32 = 0x1408;
    pub(super) const _4_BYTES: u32 = 0x1409;
}

/// What a call does with framebuffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rendered {
    /// Nothing.
    #[default]
    Nothing,
    /// It draws.
    Draws,
    /// It clears.
    Clears,
    /// It would draw or clear, but is only compiled into a display list or recorded in a command
    /// list.
    Compiled,
    /// It executes a command list with this number of draws and clears.
    Executes {
        /// Draws in the list.
        draws: u32,
        /// Clears in the list.
        clears: u32,
    },
}

impl Rendered {
    /// Number of draws that it is.
    pub fn draws(self) -> u64 {
        match self {
            Self::Draws => 1,
            Self::Executes { draws, .. } => draws.into(),
            Self::Nothing | Self::Clears | Self::Compiled => 0,
        }
    }

    /// Number of clears that it is.
    pub fn clears(self) -> u64 {
        match self {
            Self::Clears => 1,
            Self::Executes { clears, .. } => clears.into(),
            Self::Nothing | Self::Draws | Self::Compiled => 0,
        }
    }

    /// Whether it draws.
    pub fn is_draw(self) -> bool {
        self.draws() > 0
    }

    /// Whether it clears, and does not draw.
    pub fn is_clear(self) -> bool {
        self.draws() == 0 && self.clears() > 0
    }
}

impl From<Option<Renders>> for Rendered {
    fn from(renders: Option<Renders>) -> Self {
        match renders {
            None => Self::Nothing,
            Some(Renders::Clear) => Self::Clears,
            Some(Renders::Draw | Renders::Lists) => Self::Draws,
        }
    }
}

/// The arguments of a call that is about lists, as far as they are needed.
#[derive(Debug, Default)]
pub(crate) struct ListArgs {
    role: Option<ListRole>,
    /// Index of the current argument.
    at: usize,
    /// The first number of each argument.
    numbers: [Option<i64>; 4],
    /// Numbers of the last argument of `glCallLists`, or their bytes.
    names: Vec<i64>,
    bytes: Vec<u8>,
}

impl ListArgs {
    /// A call of a function begins.
    pub(crate) fn begin(&mut self, role: Option<ListRole>) {
        self.role = role;
        if role.is_some() {
            self.at = usize::MAX;
            self.numbers = [None; 4];
            self.names.clear();
            self.bytes.clear();
        }
    }

    pub(crate) fn argument(&mut self, index: u32) {
        self.at = index as usize;
    }

    pub(crate) fn scalar(&mut self, value: Scalar) {
        if self.role.is_none() {
            return;
        }
        let number = match value {
            Scalar::Null | Scalar::Double(_) => return,
            Scalar::Bool(is) => is.into(),
            Scalar::Int(number) => number,
            Scalar::Uint(number) | Scalar::Pointer(number) => number as i64,
            Scalar::Float(number) => number as i64,
            Scalar::Enum { value, .. } => value,
            Scalar::Bitmask { value, .. } => value as i64,
        };
        if let Some(slot) = self.numbers.get_mut(self.at) {
            slot.get_or_insert(number);
        }
        if self.at == NAMES && self.names.len() < MOST_NAMES {
            self.names.push(number);
        }
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if self.role == Some(ListRole::CallMany) && self.at == NAMES && self.bytes.len() < 4 * MOST_NAMES {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn number(&self, index: usize) -> Option<i64> {
        self.numbers.get(index).copied().flatten()
    }

    /// The object that a call returns through its third argument.
    fn made(&self) -> Option<i64> {
        self.number(2).filter(|address| *address != 0)
    }
}

/// Index of the argument `lists` of `glCallLists`.
const NAMES: usize = 2;

/// The names in the memory that `glCallLists` was given, of a type such as `GL_UNSIGNED_BYTE`:
/// OpenGL 4.6, compatibility profile, 21.4.2. They count from the list base.
pub fn list_names(kind: u32, bytes: &[u8]) -> impl Iterator<Item = i64> + '_ {
    let size = match kind {
        gl::BYTE | gl::UNSIGNED_BYTE => 1,
        gl::SHORT | gl::UNSIGNED_SHORT | gl::_2_BYTES => 2,
        gl::_3_BYTES => 3,
        _ => 4,
    };
    bytes.chunks_exact(size).map(move |bytes| {
        let little = bytes.iter().rev().fold(0u32, |all, byte| all << 8 | u32::from(*byte));
        let big = bytes.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte));
        match kind {
            gl::BYTE => (little as u8 as i8).into(),
            gl::SHORT => (little as u16 as i16).into(),
            gl::INT => (little as i32).into(),
            gl::FLOAT => f32::from_bits(little) as i64,
            // The most significant one comes first.
            gl::_2_BYTES..=gl::_4_BYTES => big.into(),
            _ => little.into(),
        }
    })
}

/// A list that is being compiled on a thread.
#[derive(Debug)]
struct Compiling {
    list: i64,
    executes: bool,
    /// The call that began it.
    from: u64,
    content: List,
}

/// What a list holds, as far as it is drawn.
#[derive(Debug, Default)]
struct List {
    /// What it draws itself.
    own: Option<Renders>,
    /// Other lists that it calls.
    called: Vec<i64>,
}

/// All lists of a trace, and what its calls came to.
#[derive(Debug, Default)]
pub(crate) struct DisplayLists {
    compiling: HashMap<u64, Compiling>,
    /// Lists that draw, clear or call others.
    lists: HashMap<i64, List>,
    /// What lists that call others come to, until one changes.
    sums: HashMap<i64, Option<Renders>>,
    steps: u64,
    /// The list base of each thread that has set one.
    bases: HashMap<u64, i64>,
    commands: Commands,
    pub(crate) facts: ListFacts,
}

/// The deferred contexts of Direct3D 11, and their command lists, by address.
#[derive(Debug, Default)]
struct Commands {
    /// The draws and clears of each context since it finished a list.
    contexts: HashMap<i64, Recording>,
    lists: HashMap<i64, Recording>,
    /// Calls that have not returned: the context that finishes a list and what that will hold, or
    /// `None` if they make a context.
    awaited: HashMap<u64, Option<(i64, Recording)>>,
    /// For each thread: the first and the last call in a row that was only recorded.
    stretches: HashMap<u64, (u64, u64)>,
}

/// Draws and clears in a command list.
#[derive(Clone, Copy, Debug, Default)]
struct Recording {
    draws: u32,
    clears: u32,
}

impl Recording {
    fn add(&mut self, rendered: Rendered) {
        self.draws = self.draws.saturating_add(u32::try_from(rendered.draws()).unwrap_or(u32::MAX));
        self.clears = self.clears.saturating_add(u32::try_from(rendered.clears()).unwrap_or(u32::MAX));
    }

    fn executed(self) -> Rendered {
        Rendered::Executes { draws: self.draws, clears: self.clears }
    }
}

/// Calls that do not do what their functions say, because of display lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListFacts {
    /// Calls of lists that draw nothing, ascending but for those of several threads.
    idle: Vec<u64>,
    /// Calls of lists that only clear.
    clearing: Vec<u64>,
    /// Calls that were only compiled or recorded: thread, first and last call.
    compiled: Vec<(u64, u64, u64)>,
    /// Executions of command lists: the call, draws and clears.
    executed: Vec<(u64, u32, u32)>,
}

impl ListFacts {
    /// Makes it ready to be asked.
    pub(crate) fn sort(&mut self) {
        self.idle.sort_unstable();
        self.clearing.sort_unstable();
        self.compiled.sort_unstable();
        // Calls of several threads are nearly in order, and another sort is 4 kB of the page.
        if !self.executed.is_sorted() {
            self.executed.sort_by_key(|(call, ..)| *call);
        }
    }

    /// What a call of a thread did, once these are sorted. `flags` are those of its function.
    pub(crate) fn of(&self, flags: NameFlags, thread: u64, call: u64) -> Rendered {
        if flags.renders.is_none() {
            return Rendered::Nothing;
        }
        let before = self.compiled.partition_point(|(of, from, _)| (*of, *from) <= (thread, call));
        let stretch = before.checked_sub(1).and_then(|at| self.compiled.get(at));
        if stretch.is_some_and(|(of, _, to)| *of == thread && call <= *to) {
            return Rendered::Compiled;
        }
        if flags.list == Some(ListRole::Execute) {
            let known = self.executed.binary_search_by_key(&call, |(of, ..)| *of).ok();
            let known = known.and_then(|at| self.executed.get(at));
            return known.map_or(Rendered::Nothing, |(_, draws, clears)| {
                Recording { draws: *draws, clears: *clears }.executed()
            });
        }
        let is_in = |calls: &[u64]| flags.renders == Some(Renders::Lists) && calls.binary_search(&call).is_ok();
        if is_in(&self.idle) {
            Rendered::Nothing
        } else if is_in(&self.clearing) {
            Rendered::Clears
        } else {
            flags.renders.into()
        }
    }
}

impl DisplayLists {
    /// What a call does whose ENTER event is complete. `args` are the arguments if its function has
    /// a role here.
    pub(crate) fn enter(&mut self, flags: NameFlags, args: Option<&ListArgs>, thread: u64, call: u64) -> Rendered {
        if let Some(role) = flags.list.filter(|role| role.is_of_commands()) {
            return args.map_or(Rendered::Nothing, |args| self.command(role, flags.renders, args, thread, call));
        }
        if let Some(role) = flags.list {
            self.steps = (self.steps + STEPS).min(MOST_STEPS);
            return args.map_or(Rendered::Nothing, |args| self.role(role, args, thread, call));
        }
        if flags.renders.is_none() {
            return Rendered::Nothing;
        }
        self.end_stretch(thread);
        match self.compiling.get_mut(&thread) {
            None => flags.renders.into(),
            Some(compiling) => {
                compiling.content.own = more(compiling.content.own, flags.renders);
                if compiling.executes { flags.renders.into() } else { Rendered::Compiled }
            }
        }
    }

    fn role(&mut self, role: ListRole, args: &ListArgs, thread: u64, call: u64) -> Rendered {
        match role {
            ListRole::New => {
                if let Some(list) = args.number(0)
                    && !self.compiling.contains_key(&thread)
                {
                    let executes = args.number(1) == Some(gl::COMPILE_AND_EXECUTE);
                    self.compiling.insert(thread, Compiling { list, executes, from: call, content: List::default() });
                }
            }
            ListRole::End => self.end(thread, call),
            ListRole::Base => {
                if let Some(base) = args.number(0)
                    && !self.is_only_compiled(thread)
                {
                    self.bases.insert(thread, base);
                }
            }
            ListRole::Delete => {
                let first = args.number(0).unwrap_or(0);
                let range = first..first.saturating_add(args.number(1).unwrap_or(0));
                self.lists.retain(|list, _| !range.contains(list));
                self.sums.clear();
            }
            ListRole::Font => {
                let (count, first) = (args.number(2).unwrap_or(0), args.number(3).unwrap_or(0));
                for list in (first..first.saturating_add(count)).take(MOST_NAMES) {
                    self.put(list, List { own: Some(Renders::Draw), called: Vec::new() });
                }
            }
            // [`DisplayLists::command`] has those.
            ListRole::Defer | ListRole::Finish | ListRole::Execute | ListRole::Context => {}
            ListRole::Call => return self.call(&[args.number(0).unwrap_or(0)], thread, call),
            ListRole::CallMany => {
                let base = self.bases.get(&thread).copied().unwrap_or(0);
                let count = usize::try_from(args.number(0).unwrap_or(0)).unwrap_or(0).min(MOST_NAMES);
                let kind = args.number(1).unwrap_or(0) as u32;
                let seen: HashSet<i64> =
                    args.names.iter().copied().chain(list_names(kind, &args.bytes)).take(count).collect();
                // In an order of their own: what they come to does not depend on it, but the steps
                // do. As numbers of a type that is sorted elsewhere: each sort is 4 kB of the page.
                let mut lists: Vec<u64> = seen.into_iter().map(|list| base.wrapping_add(list) as u64).collect();
                lists.sort_unstable();
                let lists: Vec<i64> = lists.into_iter().map(|list| list as i64).collect();
                return self.call(&lists, thread, call);
            }
        }
        Rendered::Nothing
    }

    /// A call of Direct3D 11 whose ENTER event is complete.
    fn command(
        &mut self,
        role: ListRole,
        renders: Option<Renders>,
        args: &ListArgs,
        thread: u64,
        call: u64,
    ) -> Rendered {
        let Commands { contexts, lists, awaited, stretches } = &mut self.commands;
        let this = args.number(0).unwrap_or(0);
        let rendered = match role {
            ListRole::Defer | ListRole::Finish => {
                let recording = contexts.get_mut(&this).map(core::mem::take).unwrap_or_default();
                let recording = (role == ListRole::Finish).then_some((this, recording));
                if awaited.len() < MOST_LISTS {
                    awaited.insert(call, recording);
                }
                if args.made().is_some() {
                    // Some writers have all arguments at the beginning of a call.
                    self.returned(Some(args), call);
                }
                return Rendered::Nothing;
            }
            ListRole::Execute => {
                let list = args.number(1).and_then(|list| lists.get(&list)).copied().unwrap_or_default();
                list.executed()
            }
            _ => renders.into(),
        };
        if let Some(recording) = contexts.get_mut(&this) {
            recording.add(rendered);
            stretches.entry(thread).or_insert((call, call)).1 = call;
            return Rendered::Compiled;
        }
        self.end_stretch(thread);
        if let Rendered::Executes { draws, clears } = rendered {
            self.facts.executed.push((call, draws, clears));
        }
        rendered
    }

    /// The calls of a thread that were only recorded end before one that is executed.
    fn end_stretch(&mut self, thread: u64) {
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
        let Some(recording) = awaited.remove(&call) else { return };
        let Some(made) = args.and_then(ListArgs::made) else { return };
        let put = |map: &mut HashMap<i64, Recording>, address, recording| {
            if map.len() < MOST_LISTS || map.contains_key(&address) {
                map.insert(address, recording);
            }
        };
        match recording {
            None => put(contexts, made, Recording::default()),
            Some((context, recording)) => {
                put(lists, made, recording);
                // Only a deferred one can.
                if !contexts.contains_key(&context) {
                    put(contexts, context, Recording::default());
                }
            }
        }
    }

    fn is_only_compiled(&self, thread: u64) -> bool {
        self.compiling.get(&thread).is_some_and(|compiling| !compiling.executes)
    }

    fn end(&mut self, thread: u64, call: u64) {
        let Some(Compiling { list, executes, from, content }) = self.compiling.remove(&thread) else { return };
        if !executes {
            self.facts.compiled.push((thread, from, call));
        }
        self.put(list, content);
    }

    fn put(&mut self, list: i64, content: List) {
        // Most lists are made once.
        if !self.sums.is_empty() {
            self.sums.clear();
        }
        if content.own.is_none() && content.called.is_empty() {
            self.lists.remove(&list);
        } else if self.lists.len() < MOST_LISTS || self.lists.contains_key(&list) {
            self.lists.insert(list, content);
        }
    }

    fn call(&mut self, lists: &[i64], thread: u64, call: u64) -> Rendered {
        if let Some(compiling) = self.compiling.get_mut(&thread) {
            for list in lists {
                let content = &mut compiling.content;
                if content.called.len() >= MOST_CALLED {
                    // What calls that much draws.
                    content.own = Some(Renders::Draw);
                } else if !content.called.contains(list) {
                    content.called.push(*list);
                }
            }
            if !compiling.executes {
                return Rendered::Compiled;
            }
        }
        let drawn = lists.iter().fold(None, |drawn, list| more(drawn, self.sum(*list, 0)));
        match drawn {
            None => self.facts.idle.push(call),
            Some(Renders::Clear) => self.facts.clearing.push(call),
            Some(_) => {}
        }
        drawn.into()
    }

    /// What a list comes to, with those that it calls.
    fn sum(&mut self, list: i64, depth: usize) -> Option<Renders> {
        let content = self.lists.get(&list)?;
        if content.called.is_empty() || depth >= NESTING || content.own == Some(Renders::Draw) {
            return content.own;
        }
        if let Some(known) = self.sums.get(&list) {
            return *known;
        }
        let (mut drawn, called) = (content.own, content.called.clone());
        // A list that calls itself draws what it draws without that.
        self.sums.insert(list, drawn);
        for inner in called {
            if drawn == Some(Renders::Draw) || self.steps == 0 {
                break;
            }
            self.steps -= 1;
            drawn = more(drawn, self.sum(inner, depth + 1));
        }
        self.sums.insert(list, drawn);
        drawn
    }

    /// The facts, those of lists included that are still being compiled after `calls` calls.
    pub(crate) fn all_facts(&self, calls: u64) -> ListFacts {
        let mut facts = self.facts.clone();
        let open = self.compiling.iter().filter(|(_, compiling)| !compiling.executes);
        facts.compiled.extend(open.map(|(thread, compiling)| (*thread, compiling.from, calls)));
        let stretches = self.commands.stretches.iter();
        facts.compiled.extend(stretches.map(|(thread, (from, to))| (*thread, *from, *to)));
        facts
    }
}

/// What two parts of a list come to: draws are more than clears.
fn more(one: Option<Renders>, other: Option<Renders>) -> Option<Renders> {
    match (one, other) {
        (None, other) => other,
        (Some(Renders::Clear), Some(other)) => Some(other),
        (one, _) => one,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    /// Executes calls of a thread, each with its numbers. Returns what each came to, now and as the
    /// facts say afterwards.
    fn run(calls: &[(&str, &[i64])]) -> Vec<Rendered> {
        let mut lists = DisplayLists::default();
        let mut all = Vec::new();
        for (number, (name, numbers)) in (0..).zip(calls) {
            let flags = NameFlags::of(name);
            let mut args = ListArgs::default();
            args.begin(flags.list);
            for (index, number) in (0..).zip(*numbers) {
                args.argument(index);
                args.scalar(Scalar::Int(*number));
            }
            all.push(lists.enter(flags, Some(&args), 7, number));
        }
        let mut facts = lists.all_facts(calls.len() as u64);
        facts.sort();
        for (number, (name, _)) in (0..).zip(calls) {
            let known = facts.of(NameFlags::of(name), 7, number);
            assert_eq!(known, all[number as usize], "{name}, call {number}");
            assert_ne!(facts.of(NameFlags::of(name), 8, number), Rendered::Compiled, "another thread");
        }
        all
    }

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
        let first = [Draws, Clears, Nothing, Compiled, Draws, Draws, Compiled, Compiled, Nothing, once, once, none];
        let second = [Compiled, Compiled, Nothing, Executes { draws: 3, clears: 1 }, Nothing, none, Compiled];
        assert_eq!(run_methods(&calls), [&first[..], &second[..]].concat());
        assert!(once.is_draw() && !once.is_clear() && !none.is_draw() && !none.is_clear());
    }

    #[test]
    fn lists_draw_when_they_are_called() {
        use Rendered::{Clears, Compiled, Draws, Nothing};
        let new = ("glNewList", &[1, gl::COMPILE][..]);
        let (end_list, call) = (("glEndList", &[][..]), ("glCallList", &[1][..]));
        let draw = ("glEnd", &[][..]);
        assert_eq!(run(&[draw, new, draw, end_list, call]), [Draws, Nothing, Compiled, Nothing, Draws]);
        // Executed at once, too.
        let at_once = ("glNewList", &[1, gl::COMPILE_AND_EXECUTE][..]);
        assert_eq!(run(&[at_once, draw, end_list, call]), [Nothing, Draws, Nothing, Draws]);
        // Only state; only a clear; a list that was never made; one that was deleted.
        assert_eq!(run(&[new, ("glRotatef", &[1]), end_list, call]), [Nothing, Nothing, Nothing, Nothing]);
        assert_eq!(
            run(&[new, ("glClear", &[gl::COLOR_BUFFER_BIT]), end_list, call]),
            [Nothing, Compiled, Nothing, Clears]
        );
        assert_eq!(run(&[call]), [Nothing]);
        let delete = ("glDeleteLists", &[1, 1][..]);
        assert_eq!(run(&[new, draw, end_list, delete, call]), [Nothing, Compiled, Nothing, Nothing, Nothing]);
        // Fonts are lists of bitmaps.
        let font = ("glXUseXFont", &[5, 32, 96, 1][..]);
        assert_eq!(run(&[font, call]), [Nothing, Draws]);
    }

    #[test]
    fn what_a_list_calls_counts_when_it_is_called() {
        use Rendered::{Compiled, Draws, Nothing};
        let list = |number, inner: (&'static str, &'static [i64])| {
            let new: &'static [i64] = if number == 1 { &[1, gl::COMPILE] } else { &[2, gl::COMPILE] };
            vec![("glNewList", new), inner, ("glEndList", &[][..])]
        };
        // The inner one is made, and made again, after the outer one.
        let calls = [
            list(2, ("glCallList", &[1])),
            vec![("glCallList", &[2][..])],
            list(1, ("glRecti", &[0, 0, 1, 1])),
            vec![("glCallList", &[2][..])],
            list(1, ("glRotatef", &[1])),
            vec![("glCallList", &[2][..])],
        ]
        .concat();
        let came = run(&calls);
        assert_eq!([came[1], came[3], came[5], came[7]], [Compiled, Nothing, Compiled, Draws]);
        assert_eq!(came.last(), Some(&Nothing));
        // One that calls itself ends.
        let itself = [list(1, ("glCallList", &[1])), vec![("glCallList", &[1][..])]].concat();
        assert_eq!(run(&itself).last(), Some(&Nothing));
    }

    #[test]
    fn names_of_lists_have_many_types() {
        let names = |kind, bytes: &[u8]| list_names(kind, bytes).collect::<Vec<_>>();
        assert_eq!(names(gl::UNSIGNED_BYTE, &[1, 255]), [1, 255]);
        assert_eq!(names(gl::BYTE, &[1, 255]), [1, -1]);
        assert_eq!(names(gl::UNSIGNED_SHORT, &[1, 2, 3]), [0x201]);
        assert_eq!(names(gl::SHORT, &[0xff, 0xff]), [-1]);
        assert_eq!(names(gl::UNSIGNED_INT, &[1, 0, 0, 0x80]), [0x8000_0001]);
        assert_eq!(names(gl::_2_BYTES, &[1, 2]), [0x102]);
        assert_eq!(names(gl::_3_BYTES, &[1, 2, 3]), [0x1_0203]);
        assert_eq!(names(gl::FLOAT, &3.0f32.to_le_bytes()), [3]);
    }

    #[test]
    fn nested_lists_take_no_more_steps_than_there_are_calls() {
        let mut lists = DisplayLists::default();
        let mut enter = |name: &str, numbers: &[i64]| {
            let flags = NameFlags::of(name);
            let mut args = ListArgs::default();
            args.begin(flags.list);
            for (index, number) in (0..).zip(numbers) {
                args.argument(index);
                args.scalar(Scalar::Int(*number));
            }
            lists.enter(flags, Some(&args), 0, 0);
            lists.steps
        };
        // Each calls all before it, and a list that changes forgets what was known of all.
        for list in 1..200 {
            enter("glNewList", &[list, gl::COMPILE]);
            for inner in 1..list {
                enter("glCallList", &[inner]);
            }
            enter("glEndList", &[]);
        }
        let mut spent = 0;
        for _ in 0..1000 {
            enter("glNewList", &[900, gl::COMPILE]);
            let before = enter("glEndList", &[]);
            spent += (before + STEPS).saturating_sub(enter("glCallList", &[199]));
        }
        assert!(spent <= MOST_STEPS + 3000 * STEPS, "{spent}");
    }
}
