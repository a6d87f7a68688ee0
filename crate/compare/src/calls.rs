//! Aligns records that begin and end calls, within the calls that belong together.
//!
//! A call that one side lacks then shifts nothing but its neighbours: what a caller calls is
//! matched with what its counterpart calls, never with calls of another caller that look alike.
//!
//! 1. The calls of each side get numbers, from inner to outer ones: equal calls, with all that is
//!    in them, have equal numbers. For each number of B, that of A for the same is looked up.
//! 2. The calls of a caller, and of its counterpart, are aligned by these numbers.
//! 3. Those that are left are aligned by their names, and the calls in them in the same way.
//! 4. A call that is left on one side, and contains calls like those that are left on the other,
//!    was put around them: these are aligned with what is in it.
//!
//! Work is linear: each call is in one pair, and is listed once for it. Calls in a wrapper are
//! listed again, but at most half of them each time. Calls that do not end are open to where an
//! outer one ends, or the thread.

use std::collections::HashMap;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::align::{Alignment, Hunk, Run, between, keep};
use crate::kinds::{Kinds, Role};
use crate::token_list::{TokenList, TokenSlice};

/// A call around others that the other side has without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// 0 for A, 1 for B.
    pub side: usize,
    /// Number of the record that begins it.
    pub begin: u32,
    /// Number of the record that ends it, if one does.
    pub end: Option<u32>,
    /// Number of the record on the other side that begins the first call of those inside.
    pub inner: u32,
}

/// Records of either side whose calls are worth a thread.
const WORTH_A_THREAD: usize = 1 << 16;
/// No call begins here.
const NONE: u32 = u32::MAX;
/// Calls of a gap that may be wrappers.
const CANDIDATES: usize = 4;
/// Calls that the next record ends whose numbers are remembered: a power of two.
const LEAVES: usize = 1 << 12;
/// Most calls and records of a list for which there is room from the beginning.
const AT_ONCE: usize = 1 << 24;

/// Of [`First::length`]: the call does not end.
const UNENDED: u32 = 1 << 31;

/// The calls of a side.
#[derive(Default)]
struct Side {
    /// How many records were looked at.
    at: u32,
    /// Steps so far.
    work: u64,
    /// A bit for each record, 64 a time. Most calls have no others in them, and end with the next
    /// record: these take no more.
    bits: Vec<Bits>,
    /// The numbers of the other calls, by their begins.
    outer: TokenList,
    /// By its number, the first call with it: others are as long.
    first: Vec<First>,
    leaves: Leaves,
    /// By their hashes, the numbers of calls that are not leaves. Equal hashes are verified.
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Which calls are open, and how many by the number of their name.
    open: Vec<Open>,
    open_names: Vec<u32>,
    /// Numbers that both sides have in common, by those of this side. Empty if these are the same.
    common: Vec<u32>,
}

/// Of 64 records.
#[derive(Clone, Copy, Debug, Default)]
struct Bits {
    /// Which begin a call that the next record ends.
    leaves: u64,
    /// Which begin another call.
    outer: u64,
    /// How many of these there are before.
    before: u32,
}

/// A call that is open.
#[derive(Clone, Copy)]
struct Open {
    begin: u32,
    /// The index among [`Side::outer`]. `None` as long as nothing has followed.
    outer: Option<u32>,
    /// Of the keys of what has followed.
    hash: u64,
}

/// The first call with a number.
#[derive(Clone, Copy)]
struct First {
    begin: u32,
    /// How many records it has, and [`UNENDED`].
    length: u32,
}

/// Numbers of calls that the next record ends, by what begins and ends them: of few functions.
#[derive(Default)]
struct Leaves {
    /// Each has one place, where it replaces what was there.
    latest: Vec<([u32; 2], u32)>,
    all: HashMap<[u32; 2], u32>,
}

enum Task {
    /// Aligns what lies between records of both sides.
    List([(u32, u32); 2]),
    /// Two calls that belong together, by their begins.
    Call([u32; 2]),
    Keep(Run),
}

/// An alignment of calls that is under way. Tokens and kinds must be the same for each turn.
pub struct CallAlignment {
    sides: [Side; 2],
    /// How many numbers of B are of calls that A has none of.
    only_b: u32,
    tasks: Vec<Task>,
    runs: Vec<Run>,
    wrappers: Vec<Wrapper>,
    work: u64,
}

impl CallAlignment {
    /// Nothing is aligned yet. The number of tokens of each side must be less than 2^31.
    #[must_use]
    pub fn new(lengths: [u32; 2]) -> Self {
        let a = Side::default();
        // Equal calls must have equal hashes.
        let b = Side { hasher: a.hasher.clone(), ..Side::default() };
        Self {
            sides: [a, b],
            only_b: 0,
            tasks: vec![Task::List(lengths.map(|length| (0, length)))],
            runs: Vec::new(),
            wrappers: Vec::new(),
            work: 0,
        }
    }

    /// Of whole sequences, at once.
    #[must_use]
    pub fn of(tokens: [TokenSlice<'_>; 2], kinds: &Kinds) -> Self {
        let mut alignment = Self::new(tokens.map(|tokens| u32::try_from(tokens.len()).unwrap_or(u32::MAX)));
        alignment.link(tokens, kinds);
        while !alignment.turn(tokens, kinds, u64::MAX) {}
        alignment
    }

    /// Numbers the calls of long sequences in two threads, where there are threads: a worker of the
    /// page has none. What it leaves is for turns to do.
    pub(crate) fn link(&mut self, tokens: [TokenSlice<'_>; 2], kinds: &Kinds) {
        if cfg!(target_family = "wasm") || tokens.iter().any(|tokens| tokens.len() < WORTH_A_THREAD) {
            return;
        }
        let [a, b] = &mut self.sides;
        std::thread::scope(|scope| {
            let other = std::thread::Builder::new().spawn_scoped(scope, || b.link(tokens[1], kinds, u64::MAX));
            if other.is_ok() {
                a.link(tokens[0], kinds, u64::MAX);
            }
        });
    }

    /// Works for about `budget` steps, or as many as the calls of one caller need. Returns true at
    /// the end.
    pub fn turn(&mut self, tokens: [TokenSlice<'_>; 2], kinds: &Kinds, budget: u64) -> bool {
        let end = self.work().saturating_add(budget);
        for (of, tokens) in tokens.into_iter().enumerate() {
            let rest = end - self.work().min(end);
            if self.sides.get_mut(of).is_some_and(|side| !side.link(tokens, kinds, rest)) {
                return false;
            }
        }
        if !self.join(tokens, end) {
            return false;
        }
        while self.work() < end {
            match self.tasks.pop() {
                None => return true,
                Some(Task::Keep(run)) => keep(&mut self.runs, run),
                Some(Task::Call(begins)) => self.call(tokens, begins),
                Some(Task::List(areas)) => self.list(tokens, kinds, areas),
            }
        }
        self.tasks.is_empty()
    }

    /// Steps so far.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.sides.iter().fold(self.work, |sum, side| sum + side.work)
    }

    /// What has no counterpart, in order. Of a finished alignment.
    #[must_use]
    pub fn hunks(&self, lengths: [u32; 2]) -> Vec<Hunk> {
        between(&self.runs, lengths)
    }

    /// Calls that were put around others.
    #[must_use]
    pub fn wrappers(&self) -> &[Wrapper] {
        &self.wrappers
    }

    /// Looks up further numbers of B among those of A. Returns whether these were all.
    fn join(&mut self, tokens: [TokenSlice<'_>; 2], until: u64) -> bool {
        while let [a, b] = &mut self.sides
            && let Some(own) = b.first.get(b.common.len())
        {
            if self.work + a.work + b.work >= until {
                return false;
            }
            let own = b.whole(tokens[1], *own);
            self.work += 1 + own.inside.count() as u64;
            let number = a.number(tokens[0], own, own.hash(&a.hasher)).unwrap_or_else(|| {
                self.only_b += 1;
                a.first.len() as u32 + self.only_b - 1
            });
            b.common.push(number);
        }
        self.sides.each_mut().into_iter().for_each(|side| side.table = HashTable::new());
        true
    }

    /// Two calls that belong together: their ends, and what is in them.
    fn call(&mut self, tokens: [TokenSlice<'_>; 2], begins: [u32; 2]) {
        let [a, b] = [0, 1].map(|of| one(&self.sides, of).call(*one(&begins, of)));
        let same = |a: Option<u32>, b: Option<u32>| {
            let (a, b) = (a?, b?);
            let is = tokens[0].get(a as usize) == tokens[1].get(b as usize);
            is.then_some(Task::Keep(Run { a, b, length: 1 }))
        };
        self.tasks.extend(same(a.end, b.end));
        self.tasks.push(Task::List([a.inside, b.inside]));
        self.tasks.extend(same(Some(begins[0]), Some(begins[1])));
    }

    /// Aligns calls, and records between them.
    fn list(&mut self, tokens: [TokenSlice<'_>; 2], kinds: &Kinds, areas: [(u32, u32); 2]) {
        let inside = [0, 1].map(|of| one(&self.sides, of).inside(part(tokens, of), *one(&areas, of)));
        let [a, b] = inside.each_ref().map(Inside::keys);
        self.work += (a.len() + b.len()) as u64 + 1;
        if a.is_empty() || b.is_empty() {
            return;
        }
        let found = Alignment::of(&a, &b);
        self.work += found.work();
        // Not before, as the alignment may need as much.
        let [a, b] = [inside[0].listed(a), inside[1].listed(b)];
        let mut tasks = Vec::new();
        let mut at = (0, 0);
        let end = Run { a: a.keys.len() as u32, b: b.keys.len() as u32, length: 0 };
        for run in found.runs().iter().chain([&end]) {
            let gap = [(at.0 as usize, run.a as usize), (at.1 as usize, run.b as usize)];
            self.gap(tokens, kinds, [&a, &b], gap, &mut tasks);
            at = (run.a + run.length, run.b + run.length);
            let (first, second) = (a.at(run.a as usize), b.at(run.b as usize));
            tasks.push(Task::Keep(Run { a: first, b: second, length: a.at(at.0 as usize) - first }));
        }
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// Aligns what no equal calls were found for, by names.
    fn gap(
        &mut self,
        tokens: [TokenSlice<'_>; 2],
        kinds: &Kinds,
        of: [&Listed; 2],
        range: [(usize, usize); 2],
        tasks: &mut Vec<Task>,
    ) {
        if range.iter().any(|(from, to)| from >= to) {
            return;
        }
        let named = |side: usize| -> Vec<u32> {
            let (from, to) = *one(&range, side);
            (from..to).map(|at| one(&of, side).name(at, part(tokens, side), kinds)).collect()
        };
        let [a, b] = [named(0), named(1)];
        let found = Alignment::of(&a, &b);
        self.work += found.work() + (a.len() + b.len()) as u64;
        let mut at = (range[0].0, range[1].0);
        let end = Run { a: a.len() as u32, b: b.len() as u32, length: 0 };
        for run in found.runs().iter().chain([&end]) {
            let (first, second) = (range[0].0 + run.a as usize, range[1].0 + run.b as usize);
            self.wrapped(tokens, kinds, of, [(at.0, first), (at.1, second)], tasks);
            for k in 0..run.length as usize {
                let begins = [of[0].at(first + k), of[1].at(second + k)];
                tasks.push(match of[0].is_call(first + k) {
                    true => Task::Call(begins),
                    false => Task::Keep(Run { a: begins[0], b: begins[1], length: 1 }),
                });
            }
            at = (first + run.length as usize, second + run.length as usize);
        }
    }

    /// Looks for a call of one side that contains what the other side has without it.
    fn wrapped(
        &mut self,
        tokens: [TokenSlice<'_>; 2],
        kinds: &Kinds,
        of: [&Listed; 2],
        range: [(usize, usize); 2],
        tasks: &mut Vec<Task>,
    ) {
        if range.iter().any(|(from, to)| from >= to) {
            return;
        }
        for side in [1, 0] {
            let other = 1 - side;
            let (from, to) = *one(&range, other);
            let bare = from..to;
            let Some(inner) = bare.clone().find(|at| one(&of, other).is_call(*at)) else { continue };
            let wanted = bare.clone().filter(|at| one(&of, other).is_call(*at)).count();
            let (from, to) = *one(&range, side);
            let mut candidates: Vec<usize> = (from..to).filter(|at| one(&of, side).is_call(*at)).collect();
            // Those with the most in them.
            candidates.sort_by_key(|at| std::cmp::Reverse(one(&of, side).at(at + 1) - one(&of, side).at(*at)));
            candidates.truncate(CANDIDATES);
            for around in candidates {
                let begin = one(&of, side).at(around);
                let call = one(&self.sides, side).call(begin);
                let inside = one(&self.sides, side).inside(part(tokens, side), call.inside);
                let inside = inside.listed(inside.keys());
                self.work += (inside.keys.len() + bare.len()) as u64;
                let mut counts: HashMap<u32, usize> = HashMap::new();
                for at in bare.clone().filter(|at| one(&of, other).is_call(*at)) {
                    *counts.entry(one(&of, other).name(at, part(tokens, other), kinds)).or_default() += 1;
                }
                let is_bare = |at: &usize| {
                    let count =
                        counts.get_mut(&inside.name(*at, part(tokens, side), kinds)).filter(|count| **count > 0);
                    count.map(|count| *count -= 1).is_some()
                };
                let matched = (0..inside.keys.len()).filter(is_bare).count();
                if matched * 2 < wanted || matched == 0 {
                    continue;
                }
                let outside = (one(&of, other).at(bare.start), one(&of, other).at(bare.end));
                let areas = if side == 0 { [call.inside, outside] } else { [outside, call.inside] };
                tasks.push(Task::List(areas));
                self.wrappers.push(Wrapper { side, begin, end: call.end, inner: one(&of, other).at(inner) });
                return;
            }
        }
    }
}

/// What belongs to a side, 0 or 1.
fn one<T>([a, b]: &[T; 2], side: usize) -> &T {
    if side == 0 { a } else { b }
}

/// The tokens of a side.
fn part([a, b]: [TokenSlice<'_>; 2], side: usize) -> TokenSlice<'_> {
    if side == 0 { a } else { b }
}

/// Where a call is.
struct Call {
    /// The records between its ends.
    inside: (u32, u32),
    end: Option<u32>,
}

/// Calls, and records between them.
struct Listed {
    /// Where each begins, and where the last ends.
    begins: Vec<u32>,
    /// Equal where they are.
    keys: TokenList,
}

impl Listed {
    fn at(&self, index: usize) -> u32 {
        self.begins.get(index).copied().unwrap_or(u32::MAX)
    }

    fn is_call(&self, index: usize) -> bool {
        self.keys.as_slice().get(index).is_some_and(|key| key & 1 == 1)
    }

    /// Equal for calls of one function, and for records that are equal.
    fn name(&self, index: usize, tokens: TokenSlice<'_>, kinds: &Kinds) -> u32 {
        match self.keys.as_slice().get(index) {
            Some(key) if key & 1 == 1 => {
                tokens.get(self.at(index) as usize).map_or(u32::MAX, |token| kinds.name(token) << 1 | 1)
            }
            key => key.unwrap_or(u32::MAX),
        }
    }
}

impl Side {
    /// Finds further calls, and numbers them, in about `budget` steps. Returns whether these were
    /// all.
    fn link(&mut self, tokens: TokenSlice<'_>, kinds: &Kinds, budget: u64) -> bool {
        let until = self.work.saturating_add(budget);
        self.open_names.resize(kinds.names(), 0);
        while let Some(token) = tokens.get(self.at as usize) {
            if self.work >= until {
                return false;
            }
            let at = self.at;
            // What is in a call is compared once it ends.
            self.work += 2;
            if at == 0 {
                // A list that grows is there twice meanwhile.
                self.bits.reserve_exact(tokens.len().div_ceil(64));
            }
            let name = kinds.name(token);
            let role = kinds.role(token);
            let opened = |open: Open| tokens.get(open.begin as usize).map_or(u32::MAX, |token| kinds.name(token));
            let is_leaf =
                role == Role::End && self.open.last().is_some_and(|open| open.outer.is_none() && opened(*open) == name);
            if !is_leaf {
                self.begin_outer();
            }
            self.begin_record();
            match role {
                Role::Begin => {
                    self.open.push(Open { begin: at, outer: None, hash: 0 });
                    self.count(name, 1);
                }
                Role::End if is_leaf => {
                    self.put_leaf(at - 1);
                    self.open.pop();
                    self.count(name, -1);
                    let number = self.leaf(tokens, at - 1);
                    self.follows(number << 1 | 1);
                }
                Role::End if self.open_names.get(name as usize).is_some_and(|count| *count > 0) => {
                    while let Some(open) = self.open.pop() {
                        let opened = opened(open);
                        self.count(opened, -1);
                        self.close(tokens, open, at, opened == name);
                        if opened == name {
                            break;
                        }
                    }
                }
                _ => self.follows(token << 1),
            }
        }
        self.begin_outer();
        while let Some(open) = self.open.pop() {
            self.close(tokens, open, tokens.len() as u32, false);
        }
        self.open_names = Vec::new();
        true
    }

    fn count(&mut self, name: u32, change: i32) {
        if let Some(count) = self.open_names.get_mut(name as usize) {
            *count = count.saturating_add_signed(change);
        }
    }

    /// Numbers a call that ends at a record, or before it.
    fn close(&mut self, tokens: TokenSlice<'_>, open: Open, at: u32, has_end: bool) {
        let length = if has_end { at + 1 - open.begin } else { (at - open.begin) | UNENDED };
        let first = First { begin: open.begin, length };
        let own = self.whole(tokens, first);
        let hash = own.hash_after(&self.hasher, open.hash);
        let number = self.number(tokens, own, hash).unwrap_or_else(|| {
            let mut table = std::mem::take(&mut self.table);
            let hash_of = |first: First| self.whole(tokens, first).hash(&self.hasher);
            let number = self.first.len() as u32;
            table.insert_unique(hash, number, |number| self.first.get(*number as usize).map_or(0, |it| hash_of(*it)));
            self.table = table;
            self.first.push(first);
            number
        });
        if let Some(index) = open.outer {
            self.outer.set(index as usize, number);
        }
        self.follows(number << 1 | 1);
    }

    /// A key follows those of the call that is open.
    fn follows(&mut self, key: u32) {
        if let Some(open) = self.open.last_mut() {
            open.hash = mixed(&self.hasher, open.hash, key);
        }
    }

    /// The next record is looked at. What begins with the one before it is known.
    fn begin_record(&mut self) {
        if self.at.is_multiple_of(64) {
            self.bits.push(Bits { before: self.outer.len() as u32, ..Bits::default() });
        }
        self.at += 1;
    }

    /// The latest call is not one that the next record ends, if it was not known yet.
    fn begin_outer(&mut self) {
        let Some(open) = self.open.last_mut().filter(|open| open.outer.is_none()) else { return };
        if let Some(bits) = self.bits.get_mut(open.begin as usize / 64) {
            bits.outer |= 1 << (open.begin % 64);
        }
        open.outer = Some(self.outer.len() as u32);
        self.outer.push(NONE);
    }

    /// A record begins a call that the next one ends.
    fn put_leaf(&mut self, begin: u32) {
        if let Some(bits) = self.bits.get_mut(begin as usize / 64) {
            bits.leaves |= 1 << (begin % 64);
        }
    }

    /// Numbers a call that the next record ends.
    fn leaf(&mut self, tokens: TokenSlice<'_>, begin: u32) -> u32 {
        let next = self.first.len() as u32;
        let number = self.leaves.number_or(ends(tokens, begin), next);
        if number == next {
            self.first.push(First { begin, length: 2 });
        }
        number
    }

    /// The number of a call, maybe of the other side, if one like it has a number here.
    fn number(&self, tokens: TokenSlice<'_>, call: Whole<'_>, hash: u64) -> Option<u32> {
        if call.length == 2 {
            return Some(self.leaves.number(call.ends)).filter(|number| *number != NONE);
        }
        let is = |number: &u32| {
            let first = self.first.get(*number as usize);
            first.is_some_and(|first| first.length == call.length && self.whole(tokens, *first) == call)
        };
        self.table.find(hash, is).copied()
    }

    fn whole<'s>(&'s self, tokens: TokenSlice<'s>, First { begin, length }: First) -> Whole<'s> {
        let Call { inside, end } = Call::of(begin, length);
        let ends = [Some(begin), end].map(|at| at.and_then(|at| tokens.get(at as usize)).unwrap_or(NONE));
        Whole { length, ends, inside: self.inside(tokens, inside) }
    }

    /// Of a record, 64 of which have a bit each: these, and its bit.
    fn bits(&self, at: u32) -> (Bits, u64) {
        (self.bits.get(at as usize / 64).copied().unwrap_or_default(), 1 << (at % 64))
    }

    /// The number of the call that a record begins, unless the next one ends it.
    fn outer(&self, begin: u32) -> Option<u32> {
        let (bits, bit) = self.bits(begin);
        if bits.outer & bit == 0 {
            return None;
        }
        self.outer.as_slice().get((bits.before + (bits.outer & (bit - 1)).count_ones()) as usize)
    }

    /// Of a call with a number, as [`First::length`].
    fn length(&self, number: u32) -> u32 {
        self.first.get(number as usize).map_or(1, |first| first.length)
    }

    fn call(&self, begin: u32) -> Call {
        Call::of(begin, self.outer(begin).map_or(2, |number| self.length(number)))
    }

    /// The key of a call with a number. The numbers of what is in a call are in common before its
    /// own is.
    fn call_key(&self, number: u32) -> u32 {
        self.common.get(number as usize).copied().unwrap_or(number) << 1 | 1
    }

    /// The key of what begins at a record, which does not end a call, and where the next one is.
    fn key(&self, tokens: TokenSlice<'_>, at: u32) -> (u32, u32) {
        let (bits, bit) = self.bits(at);
        if bits.leaves & bit != 0 {
            return (self.call_key(self.leaves.number(ends(tokens, at))), at + 2);
        }
        match self.outer(at) {
            None => (tokens.get(at as usize).unwrap_or(NONE) << 1, at + 1),
            Some(number) => (self.call_key(number), at + (self.length(number) & !UNENDED)),
        }
    }

    /// What is between two records.
    fn inside<'s>(&'s self, tokens: TokenSlice<'s>, (from, to): (u32, u32)) -> Inside<'s> {
        Inside { side: self, tokens, from, to }
    }
}

/// A call, with what makes others equal to it: how many records it has, as [`First::length`], the
/// tokens that begin and end it, and what is in it.
#[derive(Clone, Copy)]
struct Whole<'s> {
    length: u32,
    ends: [u32; 2],
    inside: Inside<'s>,
}

impl PartialEq for Whole<'_> {
    fn eq(&self, other: &Self) -> bool {
        let keys = |inside: Self| inside.inside.map(|(_, key)| key);
        (self.length, self.ends) == (other.length, other.ends) && keys(*self).eq(keys(*other))
    }
}

impl Whole<'_> {
    fn hash(self, hasher: &DefaultHashBuilder) -> u64 {
        let inside = self.inside.fold(0, |hash, (_, key)| mixed(hasher, hash, key));
        self.hash_after(hasher, inside)
    }

    /// Given the hash of what is in it.
    fn hash_after(self, hasher: &DefaultHashBuilder, inside: u64) -> u64 {
        self.ends.into_iter().fold(inside, |hash, end| mixed(hasher, hash, end))
    }
}

/// Calls, and records between them, one after the other.
#[derive(Clone, Copy)]
struct Inside<'s> {
    side: &'s Side,
    tokens: TokenSlice<'s>,
    from: u32,
    to: u32,
}

impl Inside<'_> {
    fn keys(&self) -> TokenList {
        // A list that grows is there twice meanwhile. What is not used of its memory remains
        // virtual.
        let mut keys = TokenList::with_room(AT_ONCE.min(self.to.saturating_sub(self.from) as usize));
        self.for_each(|(_, key)| keys.push(key));
        keys
    }

    /// With their keys.
    fn listed(self, keys: TokenList) -> Listed {
        let mut begins = Vec::with_capacity(keys.len() + 1);
        begins.extend(self.map(|(at, _)| at));
        begins.push(self.to);
        Listed { begins, keys }
    }
}

/// Where each begins, and its key.
impl Iterator for Inside<'_> {
    type Item = (u32, u32);

    #[inline]
    fn next(&mut self) -> Option<(u32, u32)> {
        let at = self.from;
        (at < self.to).then(|| {
            let (key, next) = self.side.key(self.tokens, at);
            self.from = next;
            (at, key)
        })
    }
}

/// What begins a call, and what ends it as the next record.
fn ends(tokens: TokenSlice<'_>, begin: u32) -> [u32; 2] {
    [begin, begin + 1].map(|at| tokens.get(at as usize).unwrap_or(NONE))
}

impl Call {
    /// By its begin, and its [`First::length`].
    fn of(begin: u32, length: u32) -> Self {
        let next = begin + (length & !UNENDED);
        match length & UNENDED {
            0 => Self { inside: (begin + 1, next - 1), end: Some(next - 1) },
            _ => Self { inside: (begin + 1, next), end: None },
        }
    }
}

impl Leaves {
    /// Where the number of a call is remembered.
    fn place([begin, end]: [u32; 2]) -> usize {
        (begin ^ end.rotate_left(6)).wrapping_mul(0x9E37_79B9) as usize >> (u32::BITS - LEAVES.ilog2())
    }

    /// The number of a call that has one.
    fn number(&self, ends: [u32; 2]) -> u32 {
        match self.latest.get(Self::place(ends)) {
            Some((known, number)) if *known == ends => *number,
            _ => self.all.get(&ends).copied().unwrap_or(NONE),
        }
    }

    /// The number of a call, which is `next` if it has none yet.
    fn number_or(&mut self, ends: [u32; 2], next: u32) -> u32 {
        // What begins a call is never `NONE`.
        self.latest.resize(LEAVES, ([NONE; 2], NONE));
        let Some(place) = self.latest.get_mut(Self::place(ends)) else { return NONE };
        if place.0 != ends {
            *place = (ends, *self.all.entry(ends).or_insert(next));
        }
        place.1
    }
}

/// The hash of keys, given that of those before the last one.
#[inline]
fn mixed(hasher: &DefaultHashBuilder, hash: u64, key: u32) -> u64 {
    hasher.hash_one((hash, key))
}
