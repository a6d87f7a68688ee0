//! Display lists: what is compiled into one is drawn when the list is called, not before.
//!
//! ```text
//! glNewList(1, GL_COMPILE)
//!     glBegin … glEnd          no draw: only the list gets it
//! glEndList()
//! glCallList(1)                a draw
//! ```
//!
//! Command lists of Direct3D 11 are in `lists/command_lists.rs`.
//!
//! OpenGL 4.6, compatibility profile, 21.4. Lists of contexts that share nothing are taken for the
//! same if they have the same number. What a list draws that was made before the trace begins is
//! not known: calling it counts as nothing.

mod command_lists;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};
use unspool_trace::kept;

use super::functions::{ListRole, NameFlags, Renders};
use super::records::Scalar;
use command_lists::Commands;

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

    /// Whether it writes to framebuffers: it draws or clears.
    pub fn is_any(self) -> bool {
        self.draws() > 0 || self.clears() > 0
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
    /// The index of the last argument with a number, and its first one.
    last: Option<(usize, i64)>,
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
            (self.numbers, self.last) = ([None; 4], None);
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
        // The result comes after the last argument, whose index is still the current one.
        if self.last.is_none_or(|(at, _)| at != self.at) {
            self.last = Some((self.at, number));
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
    /// The names of these lists, in order ([`key`]). Nothing is known of them here: maps of these
    /// types have their code in the page for other things.
    ordered: BTreeMap<u64, u64>,
    /// Bytes of memory of what lists call.
    called_bytes: u64,
    /// What lists that call others come to, until one changes.
    sums: HashMap<i64, Option<Renders>>,
    steps: u64,
    /// The list base of each thread that has set one.
    bases: HashMap<u64, i64>,
    commands: Commands,
    pub(crate) facts: ListFacts,
}

/// The name of a list as a number that sorts like it. The same makes a name of it again.
fn key(list: i64) -> u64 {
    list as u64 ^ 1 << 63
}

impl DisplayLists {
    /// Bytes of memory, about: nodes of the tree are half full at least.
    pub(crate) fn bytes(&self) -> u64 {
        let ListFacts { idle, clearing, compiled, executed } = &self.facts;
        let facts = kept::list(idle) + kept::list(clearing) + kept::list(compiled) + kept::list(executed);
        kept::table::<(i64, List)>(self.lists.capacity())
            + (self.ordered.len() * 2 * size_of::<(u64, u64)>()) as u64
            + self.called_bytes
            + kept::table::<(i64, Option<Renders>)>(self.sums.capacity())
            + kept::table::<(u64, Compiling)>(self.compiling.capacity())
            + self.commands.bytes()
            + facts
    }
}

/// Calls that do not do what their functions say, because of display lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListFacts {
    /// Calls of lists that draw nothing, ascending.
    idle: Vec<u64>,
    /// Calls of lists that only clear, ascending.
    clearing: Vec<u64>,
    /// Calls that were only compiled or recorded: thread, first and last call.
    compiled: Vec<(u64, u64, u64)>,
    /// Executions of command lists that are known: the call, draws and clears. Ascending.
    executed: Vec<(u64, u32, u32)>,
}

impl ListFacts {
    /// Makes it ready to be asked.
    pub(crate) fn sort(&mut self) {
        self.compiled.sort_unstable();
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
            return known
                .map_or(Rendered::Nothing, |(_, draws, clears)| Rendered::Executes { draws: *draws, clears: *clears });
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
                let after = first.saturating_add(args.number(1).unwrap_or(0).max(0));
                // Only what it deletes is looked at.
                while let Some((last, _)) = self.ordered.range(..=key(after.saturating_sub(1))).next_back()
                    && *last >= key(first)
                    && after > first
                {
                    self.remove(key(*last as i64) as i64);
                    self.sums.clear();
                }
            }
            ListRole::Font => {
                let (count, first) = (args.number(2).unwrap_or(0), args.number(3).unwrap_or(0));
                for list in (first..first.saturating_add(count)).take(MOST_NAMES) {
                    self.put(list, List { own: Some(Renders::Draw), called: Vec::new() });
                }
            }
            // [`DisplayLists::command`] has those.
            ListRole::Defer | ListRole::Finish | ListRole::Execute | ListRole::Context | ListRole::Immediate => {}
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
            self.remove(list);
        } else if self.lists.len() < MOST_LISTS || self.lists.contains_key(&list) {
            self.remove(list);
            self.called_bytes += kept::list(&content.called);
            self.lists.insert(list, content);
            self.ordered.insert(key(list), 0);
        }
    }

    fn remove(&mut self, list: i64) {
        if let Some(content) = self.lists.remove(&list) {
            self.called_bytes -= kept::list(&content.called);
            self.ordered.remove(&key(list));
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

    #[test]
    fn the_calls_of_lists_count_in_memory() {
        let mut lists = DisplayLists::default();
        for list in 0..1000 {
            lists.put(list, List { own: None, called: Vec::with_capacity(256) });
            lists.put(list, List { own: None, called: vec![1; 256] });
        }
        assert!((1000 * 256 * 8..1000 * 256 * 8 + 200_000).contains(&lists.bytes()), "{}", lists.bytes());
        for list in 0..1000 {
            let mut args = ListArgs::default();
            args.begin(Some(ListRole::Delete));
            for (index, number) in [(0, list), (1, if list % 2 == 0 { 1 } else { -1 })] {
                args.argument(index);
                args.scalar(Scalar::Int(number));
            }
            lists.role(ListRole::Delete, &args, 7, 0);
        }
        assert_eq!((lists.lists.len(), lists.called_bytes), (500, 500 * 256 * 8));
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
