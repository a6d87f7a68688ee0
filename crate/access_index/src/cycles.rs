//! Finds runs of a repeated cycle in a sequence of symbols, in linear time and bounded memory.
//!
//! A stack holds the latest part of the sequence as *items*: symbols, and loops that take the place
//! of their iterations. Whenever the top of the stack is twice the same, both become a loop;
//! whenever it is another iteration of the loop below, that loop counts it. So inner loops fold
//! before outer ones:
//!
//! ```text
//! a b b c a b b b c a b b c     sequence
//! a [b]2 c a [b]3 c             the inner loops fold; loops with one body are alike, however often they repeat
//! [a [b] c]2                    top of the stack twice the same
//! [a [b] c]2 a [b]2 c           the next iteration ...
//! [a [b] c]3                    ... is counted
//! ```
//!
//! Only distances to the last few occurrences of the top symbol can be the length of a cycle. Each
//! is checked by a hash over the stack in constant time, and then symbol by symbol.

use crate::keys::Keys;

/// Items of the stack. Half of them leave it when it is full.
const MOST_ITEMS: usize = 1 << 15;
/// Slots of [`Cycles::due`]: more than the distance from the oldest item to the end of the longest
/// iteration.
const SLOTS: usize = 2 * MOST_ITEMS;
/// Symbols of the cycles that are remembered.
const MOST_SYMBOLS: usize = 1 << 22;
/// Occurrences of a symbol that are looked at.
const OCCURRENCES: usize = 8;
/// Loops below the top of the stack whose next iteration may be on the way.
const NEAR: usize = 4;
/// Loops that are kept: those within others, and as many again that are within none.
const MOST: usize = 1 << 20;
/// The symbols of loops. Those of the sequence are less.
const LOOPS: u32 = 1 << 31;
/// Base of the hash. Any odd number without structure will do.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// A run of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where its first iteration begins.
    pub(crate) start: u64,
    /// The end of its first iteration, exclusive.
    pub(crate) first_end: u64,
    /// Where its last iteration begins.
    pub(crate) last_start: u64,
    /// The end of its last iteration, exclusive.
    pub(crate) end: u64,
    /// Number of iterations, at least two.
    pub(crate) count: u64,
    /// Symbols of an iteration. A loop in it counts as one.
    pub(crate) length: u32,
    /// The first symbol.
    pub(crate) first: u32,
}

/// An item of the stack: a symbol that occurs once or several times in a row, or a loop of several
/// items.
#[derive(Clone, Copy)]
struct Item {
    /// Of several items: the number of their cycle, plus [`LOOPS`].
    symbol: u32,
    /// Hash of all symbols up to this one.
    hash: u64,
    /// One more than the position of the previous item with this symbol; 0 for none.
    previous: u64,
    /// One more than the position of the uppermost loop of several items up to this one; 0 for
    /// none.
    near: u64,
    /// Of a loop of several items: one more than the position of another loop whose next iteration
    /// would end where the next one of this would. 0 for none.
    waiting: u64,
    run: Run,
}

/// The symbols of a cycle.
struct Body {
    start: usize,
    len: usize,
    hash: u64,
}

/// What was found, and the latest part of the sequence.
pub(crate) struct Cycles {
    items: Vec<Item>,
    /// The position of the first item: the number of items that have left the stack at its bottom.
    base: u64,
    /// Hash of the symbols that have left.
    base_hash: u64,
    /// By symbol, of the sequence and of loops: one more than the position of its last item.
    last: [Vec<u64>; 2],
    /// By position modulo [`SLOTS`]: one more than the position of a loop whose next iteration
    /// would end there. 0 for none.
    due: Vec<u64>,
    powers: Vec<u64>,
    /// Numbers of cycles, by hash.
    numbers: Keys,
    bodies: Vec<Body>,
    symbols: Vec<u32>,
    /// For each of them the hash of its cycle up to it.
    prefixes: Vec<u64>,
    inner: Vec<Run>,
    outer: Vec<Run>,
    /// Loops found, of which not all may be kept.
    found: u64,
}

impl Default for Cycles {
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn default() -> Self {
        let mut powers = vec![1u64];
        for i in 0..MOST_ITEMS {
            powers.push(powers[i].wrapping_mul(BASE));
        }
        Self {
            items: Vec::new(),
            base: 0,
            base_hash: 0,
            last: [Vec::new(), Vec::new()],
            due: vec![0; SLOTS],
            powers,
            numbers: Keys::default(),
            bodies: Vec::new(),
            symbols: Vec::new(),
            prefixes: Vec::new(),
            inner: Vec::new(),
            outer: Vec::new(),
            found: 0,
        }
    }
}

impl Cycles {
    /// The next symbol, less than 2^31, and where it begins and ends on the axis.
    #[inline]
    pub(crate) fn add(&mut self, symbol: u32, start: u64, end: u64) {
        if let Some(top) = self.items.last_mut().filter(|top| top.symbol == symbol) {
            let run = &mut top.run;
            (run.last_start, run.end) = (start, end);
            run.count += 1;
            return;
        }
        self.settle();
        if self.items.len() == MOST_ITEMS {
            self.drop_half();
        }
        self.push(symbol, Run { start, first_end: end, last_start: start, end, count: 1, length: 1, first: symbol });
    }

    /// All loops by their begin, outer ones first, and how many more there are: the inner ones
    /// beyond a limit.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    pub(crate) fn finish(mut self) -> (Vec<Run>, u64) {
        self.settle();
        for i in 0..self.items.len() {
            let run = self.items[i].run;
            self.keep(run, false);
        }
        let mut all = self.outer;
        all.append(&mut self.inner);
        all.sort_unstable_by_key(|run| (run.start, u64::MAX - run.end));
        let left = self.found - all.len() as u64;
        (all, left)
    }

    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn push(&mut self, symbol: u32, run: Run) {
        let position = self.base + self.items.len() as u64;
        let before = self.hash_before(self.items.len());
        let hash = before.wrapping_mul(BASE).wrapping_add(mixed(symbol));
        let (table, number) = place(symbol);
        let last = &mut self.last[table];
        if last.len() <= number {
            last.resize(number + 1, 0);
        }
        let previous = core::mem::replace(&mut last[number], position + 1);
        let mut near = self.items.last().map_or(0, |below| below.near);
        let mut waiting = 0;
        if symbol >= LOOPS {
            near = position + 1;
            let slot = &mut self.due[(position + u64::from(run.length)) as usize % SLOTS];
            waiting = core::mem::replace(slot, position + 1);
        }
        self.items.push(Item { symbol, hash, previous, near, waiting, run });
    }

    /// Takes the uppermost items off the stack, down to `len`. Loops among them are within the one
    /// that takes their place.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn pop_to(&mut self, len: usize) {
        while self.items.len() > len {
            let Some(item) = self.items.pop() else { return };
            let position = self.base + self.items.len() as u64;
            let (table, number) = place(item.symbol);
            self.last[table][number] = item.previous;
            if item.symbol >= LOOPS {
                self.due[(position + u64::from(item.run.length)) as usize % SLOTS] = item.waiting;
            }
            self.keep(item.run, true);
        }
    }

    fn keep(&mut self, run: Run, is_inner: bool) {
        if run.count < 2 {
            return;
        }
        self.found += 1;
        let list = if is_inner { &mut self.inner } else { &mut self.outer };
        if list.len() < MOST {
            list.push(run);
        }
    }

    /// The lower half of the stack leaves it: cycles are no longer than the other half.
    #[cold]
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn drop_half(&mut self) {
        let half = self.items.len() / 2;
        self.base_hash = self.hash_before(half);
        for i in 0..half {
            let run = self.items[i].run;
            self.keep(run, false);
        }
        self.items.drain(..half);
        self.base += half as u64;
    }

    /// Hash of all symbols before an item.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn hash_before(&self, index: usize) -> u64 {
        index.checked_sub(1).map_or(self.base_hash, |before| self.items[before].hash)
    }

    /// Hash of the symbols of some items.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn hash_of(&self, from: usize, to: usize) -> u64 {
        let before = self.hash_before(from).wrapping_mul(self.powers[to - from]);
        self.hash_before(to).wrapping_sub(before)
    }

    /// The index of the item that a link leads to. `None` if it has left the stack.
    fn index_of(&self, link: u64) -> Option<usize> {
        Some(link.checked_sub(1)?.checked_sub(self.base)? as usize)
    }

    /// Whether the top of the stack begins another iteration of a loop below it, which may be on
    /// the way.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn may_go_on(&self) -> bool {
        let len = self.items.len();
        let mut near = self.items.last().map_or(0, |top| top.near);
        for _ in 0..NEAR {
            let Some(index) = self.index_of(near) else { return false };
            let body = &self.bodies[(self.items[index].symbol - LOOPS) as usize];
            let above = len - 1 - index;
            if (1..body.len).contains(&above) && self.prefixes[body.start + above - 1] == self.hash_of(index + 1, len) {
                return true;
            }
            near = index.checked_sub(1).map_or(0, |below| self.items[below].near);
        }
        false
    }

    /// Folds the top of the stack if it is an iteration, now that no further repetition of the last
    /// symbol follows.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn settle(&mut self) {
        let len = self.items.len();
        // A loop of several items may go on, so it does not end a cycle: a cycle around it begins
        // later.
        let Some(top) = self.items.last().filter(|top| top.symbol < LOOPS) else { return };
        let mut link = top.previous;
        if self.may_go_on() {
            return;
        }
        let mut waiting = self.due[(self.base + len as u64 - 1) as usize % SLOTS];
        while let Some(index) = self.index_of(waiting) {
            let item = &self.items[index];
            let body = &self.bodies[(item.symbol - LOOPS) as usize];
            if self.hash_of(index + 1, len) == body.hash && self.is_body(body, index + 1) {
                let (start, end) = (self.items[index + 1].run.start, self.items[len - 1].run.end);
                self.pop_to(index + 1);
                let run = &mut self.items[index].run;
                (run.last_start, run.end) = (start, end);
                run.count += 1;
                return;
            }
            waiting = item.waiting;
        }
        for _ in 0..OCCURRENCES {
            let Some(index) = self.index_of(link) else { return };
            let length = len - 1 - index;
            let Some(from) = len.checked_sub(2 * length) else { return };
            let middle = from + length;
            if self.hash_of(from, middle) == self.hash_of(middle, len) && self.fold(from, middle) {
                return;
            }
            link = self.items[index].previous;
        }
    }

    /// Whether the items from `from` to the top are an iteration.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn is_body(&self, body: &Body, from: usize) -> bool {
        let symbols = self.symbols.get(body.start..body.start + body.len).unwrap_or_default();
        self.items[from..].iter().map(|item| &item.symbol).eq(symbols)
    }

    /// Makes a loop of two iterations if they are equal: the items from `from` to `middle`, and
    /// those up to the top.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn fold(&mut self, from: usize, middle: usize) -> bool {
        let (first, second) = (&self.items[from..middle], &self.items[middle..]);
        if !first.iter().map(|item| item.symbol).eq(second.iter().map(|item| item.symbol)) {
            return false;
        }
        let run = Run {
            start: first[0].run.start,
            first_end: first[first.len() - 1].run.end,
            last_start: second[0].run.start,
            end: second[second.len() - 1].run.end,
            count: 2,
            length: (middle - from) as u32,
            first: first[0].run.first,
        };
        let Some(symbol) = self.number(from, middle) else { return false };
        self.pop_to(from);
        self.push(symbol, run);
        true
    }

    /// The symbol of the cycle that some items are an iteration of. `None` if it is new and there
    /// is no room for it.
    #[allow(clippy::indexing_slicing, reason = "links and numbers of this stack lead to what it holds")]
    fn number(&mut self, from: usize, to: usize) -> Option<u32> {
        let hash = self.hash_of(from, to);
        if let Some(number) = self.numbers.find(hash) {
            let body = &self.bodies[number as usize];
            let symbols = &self.symbols[body.start..body.start + body.len];
            let is_same = self.items[from..to].iter().map(|item| &item.symbol).eq(symbols);
            return is_same.then_some(LOOPS + number);
        }
        if self.symbols.len() + (to - from) > MOST_SYMBOLS {
            return None;
        }
        let number = self.numbers.number(hash);
        self.bodies.push(Body { start: self.symbols.len(), len: to - from, hash });
        for at in from..to {
            let prefix = self.hash_of(from, at + 1);
            self.symbols.push(self.items[at].symbol);
            self.prefixes.push(prefix);
        }
        Some(LOOPS + number)
    }
}

/// Where the last position of a symbol is kept.
fn place(symbol: u32) -> (usize, usize) {
    ((symbol / LOOPS) as usize, (symbol % LOOPS) as usize)
}

/// A symbol as a number of 64 bits without structure.
fn mixed(symbol: u32) -> u64 {
    let product = (u64::from(symbol) + 1).wrapping_mul(0xd6e8_feb8_6659_fd93);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The loops of a sequence. Each symbol is at its index.
    fn found(sequence: &[u32]) -> Vec<Run> {
        let mut cycles = Cycles::default();
        for (at, symbol) in (0..).zip(sequence) {
            cycles.add(*symbol, at, at + 1);
        }
        let (found, left) = cycles.finish();
        assert_eq!(left, 0);
        found
    }

    /// Begin, end, iterations and items of the loops in a text.
    fn of_text(text: &str) -> Vec<(u64, u64, u64, u32)> {
        let sequence: Vec<u32> = text.bytes().map(u32::from).collect();
        found(&sequence).iter().map(|run| (run.start, run.end, run.count, run.length)).collect()
    }

    #[test]
    fn loops_fold_from_the_inside() {
        assert_eq!(of_text("xabababy"), [(1, 7, 3, 2)]);
        assert_eq!(of_text("aaaab"), [(0, 4, 4, 1)]);
        assert!(of_text("abcdefg").is_empty());
        // Inner loops may repeat any number of times, once included if they have one symbol.
        assert_eq!(
            of_text("abbcabbbcabc."),
            [(0, 12, 3, 3), (1, 3, 2, 1), (5, 8, 3, 1)],
            "the outer loop comes before those in it"
        );
        // A cycle around another one does not end with that, or with a part of it, because that may
        // go on.
        assert_eq!(of_text("-xyxyxy-xyxyxyxy-xyxy-"), [(1, 22, 3, 2), (1, 7, 3, 2), (8, 16, 4, 2), (17, 21, 2, 2)]);
        assert_eq!(
            of_text("xyxyxyx-xyxyx-xyxyxyxyx-xyx-"),
            [(0, 24, 3, 3), (0, 6, 3, 2), (8, 12, 2, 2), (14, 22, 4, 2)]
        );
        // What remains of an iteration is not part of the loop.
        assert_eq!(of_text("abcabcabcabd"), [(0, 9, 3, 3)]);
        let nested = "(ab(c)d)";
        assert_eq!(of_text(&nested.repeat(50)), [(0, 400, 50, 8)]);
    }

    #[test]
    fn first_and_last_iterations_have_their_places() {
        let runs = found(&[9, 1, 2, 2, 2, 3, 1, 2, 3, 1, 2, 2, 3, 9]);
        let outer = Run { start: 1, first_end: 6, last_start: 9, end: 13, count: 3, length: 3, first: 1 };
        let inner = Run { start: 2, first_end: 3, last_start: 4, end: 5, count: 3, length: 1, first: 2 };
        assert_eq!(runs[..2], [outer, inner]);
    }

    #[test]
    fn long_loops_and_long_sequences_take_bounded_memory() {
        let mut cycles = Cycles::default();
        let mut at = 0;
        let mut add = |cycles: &mut Cycles, symbol: u32| {
            cycles.add(symbol, at, at + 1);
            at += 1;
        };
        // A cycle of 10,000 symbols, then a million different ones, then a short cycle.
        (0..30).for_each(|_| (0..10_000).for_each(|symbol| add(&mut cycles, symbol)));
        (0..1_000_000).for_each(|symbol| add(&mut cycles, 20_000 + symbol));
        (0..100_000).for_each(|i| add(&mut cycles, i % 3));
        assert!(cycles.items.capacity() <= 2 * MOST_ITEMS);
        let (runs, _) = cycles.finish();
        let all: Vec<_> = runs.iter().map(|run| (run.start, run.count, run.length)).collect();
        assert_eq!(all, [(0, 30, 10_000), (1_300_000, 33_333, 3)]);
    }

    #[test]
    fn an_iteration_with_many_occurrences_of_its_last_symbol_is_not_looked_for() {
        let of = |times: usize| {
            of_text(&["za", "bca", "dea", "ba", "ca", "da", "ea", "ga", "ha", "ia"][..times].concat().repeat(2))
        };
        assert_eq!(of(OCCURRENCES), [(0, 36, 2, 18)]);
        assert!(of(OCCURRENCES + 1).is_empty());
    }

    /// The same by comparing every length with the same symbol at the end, without hashes or links.
    fn by_hand(sequence: &[u32]) -> Vec<(u64, u64, u64, u32)> {
        #[derive(Clone)]
        struct Node {
            body: Vec<Body>,
            start: u64,
            end: u64,
            count: u64,
            inner: Vec<(u64, u64, u64, u32)>,
        }
        // What loops have in common: a symbol, or the bodies of an iteration.
        #[derive(Clone, PartialEq)]
        enum Body {
            Symbol(u32),
            Cycle(Vec<Body>),
        }
        fn body(node: &Node) -> Body {
            match &node.body[..] {
                [Body::Symbol(symbol)] => Body::Symbol(*symbol),
                several => Body::Cycle(several.to_vec()),
            }
        }
        fn all_of(node: &Node) -> Vec<(u64, u64, u64, u32)> {
            let mut all = node.inner.clone();
            if node.count > 1 {
                all.push((node.start, node.end, node.count, node.body.len() as u32));
            }
            all
        }
        fn settle(stack: &mut Vec<Node>) {
            let len = stack.len();
            if stack.last().is_none_or(|top| top.body.len() > 1) {
                return;
            }
            let bodies: Vec<Body> = stack.iter().map(body).collect();
            let loops = (0..len - 1).rev().filter(|below| stack[*below].body.len() > 1);
            let begins = |below: usize| {
                let (body, above) = (&stack[below].body, &bodies[below + 1..]);
                above.len() < body.len() && body[..above.len()] == *above
            };
            if loops.take(NEAR).any(begins) {
                return;
            }
            for below in (0..len - 1).rev() {
                if stack[below].body.len() > 1 && stack[below].body[..] == bodies[below + 1..] {
                    let inner: Vec<_> = stack[below + 1..].iter().flat_map(all_of).collect();
                    stack[below].end = stack[len - 1].end;
                    stack[below].inner.extend(inner);
                    stack[below].count += 1;
                    stack.truncate(below + 1);
                    return;
                }
            }
            for length in 2..=len / 2 {
                let between = bodies[len - 1 - length..len - 1].iter();
                if between.filter(|body| **body == bodies[len - 1]).count() > OCCURRENCES {
                    return;
                }
                if bodies[len - 2 * length..len - length] == bodies[len - length..] {
                    let from = len - 2 * length;
                    let (start, end) = (stack[from].start, stack[len - 1].end);
                    let inner = stack[from..].iter().flat_map(all_of).collect();
                    stack.truncate(from);
                    stack.push(Node { body: bodies[len - length..].to_vec(), start, end, count: 2, inner });
                    return;
                }
            }
        }
        let mut stack: Vec<Node> = Vec::new();
        for (at, symbol) in (0..).zip(sequence) {
            let own = vec![Body::Symbol(*symbol)];
            if let Some(top) = stack.last_mut().filter(|top| top.body == own) {
                top.end = at + 1;
                top.count += 1;
                continue;
            }
            settle(&mut stack);
            stack.push(Node { body: own, start: at, end: at + 1, count: 1, inner: Vec::new() });
        }
        settle(&mut stack);
        let mut all: Vec<_> = stack.iter().flat_map(all_of).collect();
        all.sort_unstable_by_key(|(start, end, ..)| (*start, u64::MAX - end));
        all
    }

    /// Symbols with loops in loops, and some that do not belong to them.
    fn programs() -> impl Strategy<Value = Vec<u32>> {
        let leaf = prop::collection::vec(0u32..6, 1..5);
        leaf.prop_recursive(4, 200, 4, |inner| {
            prop::collection::vec((inner, 1usize..5), 1..4)
                .prop_map(|parts| parts.into_iter().flat_map(|(part, times)| part.repeat(times)).take(400).collect())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn the_same_loops_as_by_hand(sequence in prop_oneof![programs(), prop::collection::vec(0u32..3, 0..60)]) {
            let runs: Vec<_> = found(&sequence).iter().map(|run| (run.start, run.end, run.count, run.length)).collect();
            prop_assert_eq!(runs, by_hand(&sequence));
        }
    }
}
