//! Aligns records that begin and end calls, within the calls that belong together.
//!
//! A call that one side lacks then shifts nothing but its neighbours: what a caller calls is
//! matched with what its counterpart calls, never with calls of another caller that look alike.
//!
//! 1. Calls get numbers, from inner to outer ones: equal calls, with all that is in them, have
//!    equal numbers.
//! 2. The calls of a caller, and of its counterpart, are aligned by these numbers.
//! 3. Those that are left are aligned by their names, and the calls in them in the same way.
//! 4. A call that is left on one side, and contains calls like those that are left on the other,
//!    was put around them: these are aligned with what is in it.
//!
//! Work is linear: each call is in one pair, and is listed once for it. Calls in a wrapper are
//! listed again, but at most half of them each time. Calls that do not end are open to where an
//! outer one ends, or the thread.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::align::{Alignment, Hunk, Run, between, keep};
use crate::kinds::{Kinds, Role};
use crate::token_list::TokenSlice;

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

/// No call begins here.
const NONE: u32 = u32::MAX;
/// Calls of a gap that may be wrappers.
const CANDIDATES: usize = 4;
/// Calls without others in them whose numbers are remembered.
const LEAVES: usize = 1 << 12;

/// The calls of a side.
#[derive(Debug, Default)]
struct Side {
    /// By the record that begins a call: where the next record is after it. By the record that ends
    /// one: its number.
    links: Vec<u32>,
    /// Numbers of calls that do not end.
    unended: HashMap<u32, u32>,
}

/// Numbers of calls. Equal hashes are verified.
#[derive(Default)]
struct Numbers {
    table: HashTable<u32>,
    /// The side and the begin of a call with each number.
    first: Vec<(u8, u32)>,
    hasher: DefaultHashBuilder,
    /// Numbers of calls without others in them, by what begins and ends them: most calls are such,
    /// of few functions. Each has one place, where it replaces what was there.
    leaves: Vec<([u32; 2], u32)>,
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
    numbers: Numbers,
    /// Of the side whose calls are being numbered: which are open, and how many by the number of
    /// their name.
    open: Vec<u32>,
    open_names: Vec<u32>,
    linked: usize,
    tasks: Vec<Task>,
    runs: Vec<Run>,
    wrappers: Vec<Wrapper>,
    work: u64,
}

impl CallAlignment {
    /// Nothing is aligned yet. The number of tokens of each side must be less than 2^31.
    #[must_use]
    pub fn new(lengths: [u32; 2]) -> Self {
        Self {
            sides: [Side::default(), Side::default()],
            numbers: Numbers::default(),
            open: Vec::new(),
            open_names: Vec::new(),
            linked: 0,
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
        while !alignment.turn(tokens, kinds, u64::MAX) {}
        alignment
    }

    /// Works for about `budget` steps, or as many as the calls of one caller need. Returns true at
    /// the end.
    pub fn turn(&mut self, tokens: [TokenSlice<'_>; 2], kinds: &Kinds, budget: u64) -> bool {
        let end = self.work.saturating_add(budget);
        while self.linked < 2 {
            if !self.link(tokens, kinds, end) {
                return false;
            }
        }
        while self.work < end {
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
        self.work
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

    /// Finds further calls of a side, and numbers them. Returns whether these were all.
    fn link(&mut self, tokens: [TokenSlice<'_>; 2], kinds: &Kinds, until: u64) -> bool {
        let of = self.linked;
        let Some(own) = tokens.get(of) else { return true };
        self.open_names.resize(kinds.names(), 0);
        loop {
            let Some(side) = self.sides.get_mut(of) else { return true };
            let at = side.links.len();
            let Some(token) = own.get(at) else { break };
            if at == 0 {
                // A list that grows is there twice meanwhile.
                side.links.reserve_exact(own.len());
            }
            if self.work >= until {
                return false;
            }
            self.work += 1;
            side.links.push(NONE);
            let name = kinds.name(token);
            match kinds.role(token) {
                Role::Begin => {
                    self.open.push(at as u32);
                    self.count(name, 1);
                }
                Role::End if self.open_names.get(name as usize).is_some_and(|count| *count > 0) => {
                    while let Some(begin) = self.open.pop() {
                        let opened = own.get(begin as usize).map_or(u32::MAX, |token| kinds.name(token));
                        self.count(opened, -1);
                        self.close(tokens, of, begin, at as u32, opened == name);
                        if opened == name {
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
        while let Some(begin) = self.open.pop() {
            self.close(tokens, of, begin, own.len() as u32, false);
        }
        self.open_names.clear();
        self.linked += 1;
        true
    }

    fn count(&mut self, name: u32, change: i32) {
        if let Some(count) = self.open_names.get_mut(name as usize) {
            *count = count.saturating_add_signed(change);
        }
    }

    /// Numbers a call that ends at a record, or before it.
    fn close(&mut self, tokens: [TokenSlice<'_>; 2], of: usize, begin: u32, at: u32, has_end: bool) {
        let Some(side) = self.sides.get_mut(of) else { return };
        if let Some(link) = side.links.get_mut(begin as usize) {
            *link = at + u32::from(has_end);
        }
        // The number of a call that ends is never read until it is known.
        if !has_end {
            side.unended.insert(begin, NONE);
        }
        let number = self.numbers.of(&self.sides, tokens, of, begin, &mut self.work);
        let Some(side) = self.sides.get_mut(of) else { return };
        if !has_end {
            side.unended.insert(begin, number);
        } else if let Some(place) = side.links.get_mut(at as usize) {
            *place = number;
        }
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
        let [a, b] = [0, 1].map(|of| one(&self.sides, of).listed(part(tokens, of), *one(&areas, of)));
        self.work += (a.keys.len() + b.keys.len()) as u64 + 1;
        if a.keys.is_empty() || b.keys.is_empty() {
            return;
        }
        let found = Alignment::of(&a.keys, &b.keys);
        self.work += found.work();
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
                let inside = one(&self.sides, side).listed(part(tokens, side), call.inside);
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
    keys: Vec<u32>,
}

impl Listed {
    fn at(&self, index: usize) -> u32 {
        self.begins.get(index).copied().unwrap_or(u32::MAX)
    }

    fn is_call(&self, index: usize) -> bool {
        self.keys.get(index).is_some_and(|key| key & 1 == 1)
    }

    /// Equal for calls of one function, and for records that are equal.
    fn name(&self, index: usize, tokens: TokenSlice<'_>, kinds: &Kinds) -> u32 {
        match self.keys.get(index) {
            Some(key) if key & 1 == 1 => {
                tokens.get(self.at(index) as usize).map_or(u32::MAX, |token| kinds.name(token) << 1 | 1)
            }
            key => key.copied().unwrap_or(u32::MAX),
        }
    }
}

impl Side {
    fn next(&self, at: u32) -> u32 {
        self.links.get(at as usize).copied().filter(|link| *link != NONE).unwrap_or(at + 1)
    }

    fn call(&self, begin: u32) -> Call {
        let next = self.next(begin);
        if self.unended.contains_key(&begin) {
            return Call { inside: (begin + 1, next), end: None };
        }
        Call { inside: (begin + 1, next - 1), end: Some(next - 1) }
    }

    /// The key of what begins at a record, which does not end a call, and where the next one is.
    fn key(&self, tokens: TokenSlice<'_>, at: u32) -> (u32, u32) {
        match self.links.get(at as usize).copied().unwrap_or(NONE) {
            NONE => (tokens.get(at as usize).unwrap_or(NONE) << 1, at + 1),
            next => {
                let number = self.unended.get(&at).or_else(|| self.links.get(next as usize - 1));
                (number.copied().unwrap_or(NONE) << 1 | 1, next)
            }
        }
    }

    fn listed(&self, tokens: TokenSlice<'_>, (from, to): (u32, u32)) -> Listed {
        let mut listed = Listed { begins: Vec::new(), keys: Vec::new() };
        let mut at = from;
        while at < to {
            let (key, next) = self.key(tokens, at);
            listed.begins.push(at);
            listed.keys.push(key);
            at = next;
        }
        listed.begins.push(to);
        listed
    }
}

impl Numbers {
    /// The number of a call, given those of the calls in it.
    fn of(&mut self, sides: &[Side; 2], tokens: [TokenSlice<'_>; 2], of: usize, begin: u32, work: &mut u64) -> u32 {
        let Call { inside: (from, to), end } = one(sides, of).call(begin);
        let Some(end) = end.filter(|_| from >= to) else {
            return self.compared(sides, tokens, of, begin, work);
        };
        let ends = [begin, end].map(|at| part(tokens, of).get(at as usize).unwrap_or(NONE));
        let place = ends[0].wrapping_mul(31).wrapping_add(ends[1]) as usize % LEAVES;
        if let Some((known, number)) = self.leaves.get(place)
            && *known == ends
        {
            return *number;
        }
        let number = self.compared(sides, tokens, of, begin, work);
        // What begins a call is never `NONE`.
        self.leaves.resize(LEAVES, ([NONE; 2], NONE));
        if let Some(leaf) = self.leaves.get_mut(place) {
            *leaf = (ends, number);
        }
        number
    }

    /// The number of a call by all that is in it.
    fn compared(
        &mut self,
        sides: &[Side; 2],
        tokens: [TokenSlice<'_>; 2],
        of: usize,
        begin: u32,
        work: &mut u64,
    ) -> u32 {
        let parts = |of: usize, begin: u32| {
            let (side, own) = (one(sides, of), part(tokens, of));
            let Call { inside: (from, to), end } = side.call(begin);
            let mut at = from;
            let inner = std::iter::from_fn(move || {
                (at < to).then(|| {
                    let (key, next) = side.key(own, at);
                    at = next;
                    key
                })
            });
            let token = move |at: u32| own.get(at as usize).unwrap_or(NONE);
            [token(begin), end.map_or(NONE, token)].into_iter().chain(inner)
        };
        let hasher = &self.hasher;
        let hash_of = |of: usize, begin: u32, work: &mut u64| {
            let mut state = hasher.build_hasher();
            for part in parts(of, begin) {
                part.hash(&mut state);
                *work += 1;
            }
            state.finish()
        };
        let hash = hash_of(of, begin, work);
        let first = &self.first;
        let place =
            |number: &u32| first.get(*number as usize).map_or((0, 0), |(side, begin)| (usize::from(*side), *begin));
        let is = |number: &u32| {
            let (side, at) = place(number);
            parts(side, at).eq(parts(of, begin))
        };
        if let Some(number) = self.table.find(hash, is) {
            return *number;
        }
        let number = first.len() as u32;
        self.table.insert_unique(hash, number, |number| {
            let (side, at) = if *number as usize == first.len() { (of, begin) } else { place(number) };
            hash_of(side, at, &mut 0)
        });
        self.first.push((of as u8, begin));
        number
    }
}
