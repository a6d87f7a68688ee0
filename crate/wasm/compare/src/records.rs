//! Which records of two traces belong together.

use std::collections::BTreeMap;

use unspool_compare::Ignore;
use unspool_compare::alone::Alone;
use unspool_compare::differ::{self, Differ, Differences, How};
use unspool_compare::kinds::Kinds;
use unspool_compare::sequence::Sequence;
use unspool_compare::threads;
use unspool_compare::token_list::TokenSlice;
use unspool_compare::tokens::Contents;
use unspool_compare::what::What;
use unspool_formats::table::same;
use unspool_js::columns::{Uint8Array, Uint32Array};
use unspool_js::{structures, thrown};
use unspool_trace::records::Same;
use wasm_bindgen::prelude::*;

structures! {
    /// What differs between the records of a thread of both.
    pub struct FoundHunks {
        /// What has no counterpart, four numbers a time: from and to in A, from and to in B.
        pub hunks: Uint32Array,
        /// What each of them is: an index of `KINDS`.
        pub kinds: Uint8Array,
        /// Loops with another number of iterations, five numbers a time: the number of the hunk,
        /// records of an iteration, iterations in A and in B, and 1 if the first ones are the same,
        /// 2 if the last ones are, or 3.
        pub loops: Uint32Array,
        /// Hunks at the ends of a call that was put around others, four numbers a time: the number
        /// of the hunk, 0 if A has the call and 1 if B has it, and the places in `names` of the
        /// name of the call and that of the first one in it.
        pub around: Uint32Array,
        /// Names of calls.
        pub names: Vec<String>,
        /// Records of hunks that differ in their arguments only, three numbers a time: the first in
        /// A, the first in B, and how many.
        pub alike: Uint32Array,
        /// Of executions, records of A whose instructions B has nowhere, two numbers a time: from
        /// and to.
        pub alone_a: Uint32Array,
        /// The same of B.
        pub alone_b: Uint32Array,
    }
}

/// How records are compared in the page.
const HOW: How = How { flat: false, alike: true };

/// A thread of a side.
struct Thread {
    track: u32,
    id: Option<i64>,
    sequence: Sequence,
}

/// The tokens of two traces of one format as those of one.
#[wasm_bindgen]
pub struct Sequences {
    same: Same,
    is_execution: bool,
    ignore: Ignore,
    contents: Contents,
    /// For each side, the common token of each of its own.
    common: [Vec<u32>; 2],
    kinds: Kinds,
    /// What was taken of the tracks of each side.
    taken: [BTreeMap<u32, Sequence>; 2],
    sides: [Vec<Thread>; 2],
    pairs: Vec<(Option<usize>, Option<usize>)>,
    /// Of executions, what only one side has executed.
    alone: Option<Alone>,
    /// The pair that is being compared.
    under_way: Option<(usize, Differ)>,
}

#[wasm_bindgen]
impl Sequences {
    /// Of two traces whose tokens are still to be taken. Rules say what is ignored.
    ///
    /// # Errors
    ///
    /// Throws a sentence if a rule cannot be read, or if there is no such format.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, rules: Vec<String>) -> Result<Self, JsValue> {
        let ignore = Ignore::parse(rules.iter().map(String::as_str)).map_err(thrown)?;
        let same = same(format).ok_or_else(|| thrown("This format has no records."))?;
        Ok(Self {
            // Instructions have no names.
            is_execution: !same.name,
            same: same.in_full(),
            ignore,
            contents: Contents::default(),
            common: [Vec::new(), Vec::new()],
            kinds: Kinds::default(),
            taken: [BTreeMap::new(), BTreeMap::new()],
            sides: [Vec::new(), Vec::new()],
            pairs: Vec::new(),
            alone: None,
            under_way: None,
        })
    }

    /// Takes tokens of a side, 0 or 1, and where they are, as `RecordReader.tokens` has them.
    #[wasm_bindgen(js_name = takeTokens)]
    pub fn take_tokens(&mut self, side: usize, places: &[u32], mut tokens: &[u32]) {
        let Some(taken) = self.taken.get_mut(side) else { return };
        for [track, first, count, expected] in places.as_chunks::<4>().0 {
            let (its, rest) = tokens.split_at_checked(*count as usize).unwrap_or((tokens, &[]));
            tokens = rest;
            let sequence = taken.entry(*track).or_insert_with(|| Sequence::new(u64::MAX, *expected as usize));
            sequence.put(*first as usize, its);
        }
    }

    /// Takes what the tokens of a side, 0 or 1, stand for: contents, one after the other, and where
    /// each ends. The tracks of the side come next.
    pub fn take(&mut self, side: usize, contents: &[u8], ends: &[u32]) {
        let begins = [0].iter().chain(ends);
        let each = begins.zip(ends).map(|(from, to)| contents.get(*from as usize..*to as usize).unwrap_or_default());
        let common = self.contents.merge(each);
        if let Some(place) = self.common.get_mut(side) {
            *place = common;
        }
    }

    /// Takes a track of a side whose tokens are all taken: its name, the id of its thread if it has
    /// one, and the position of its first record.
    #[wasm_bindgen(js_name = takeTrack)]
    pub fn take_track(&mut self, side: usize, track: u32, name: &str, id: Option<i64>, begin: u64) {
        let (Some(threads), Some(common)) = (self.sides.get_mut(side), self.common.get(side)) else { return };
        let Some(mut sequence) = self.taken.get_mut(side).and_then(|taken| taken.remove(&track)) else { return };
        if self.ignore.thread(name) {
            return;
        }
        sequence.begin = begin;
        sequence.leave_out();
        sequence.tokens.replace(|token| common.get(token as usize).copied().unwrap_or(u32::MAX));
        threads.push(Thread { track, id, sequence });
    }

    /// Pairs the threads of both once all is taken: two numbers a time, the track of A and that of
    /// B, 2^32 - 1 where one lacks it.
    pub fn pair(&mut self) -> Vec<u32> {
        self.kinds = Kinds::of(&std::mem::take(&mut self.contents), &self.same);
        self.common = [Vec::new(), Vec::new()];
        for side in &mut self.sides {
            side.sort_by_key(|it| threads::order(&self.same, it.id, it.sequence.begin, it.track));
        }
        let [a, b] = self.sides.each_ref().map(|side| -> Vec<_> {
            side.iter().map(|thread| (thread.sequence.tokens.as_slice(), thread.id)).collect()
        });
        self.pairs = threads::paired(&self.same, [&a, &b]);
        let [mut in_a, mut in_b] = [&a, &b].map(|side| side.iter().map(|(tokens, _)| *tokens));
        self.alone = self.is_execution.then(|| Alone::of(&self.kinds, [&mut in_a, &mut in_b]));
        let [a, b] = &self.sides;
        let track = |side: &[Thread], at: Option<usize>| at.and_then(|at| side.get(at)).map_or(u32::MAX, |it| it.track);
        self.pairs.iter().flat_map(|(i, j)| [track(a, *i), track(b, *j)]).collect()
    }

    /// Of executions, how many instructions only A has executed, and how many only B.
    #[wasm_bindgen(js_name = executedAlone)]
    pub fn executed_alone(&self) -> Option<Vec<u32>> {
        self.alone.as_ref().map(|alone| vec![alone.count(0), alone.count(1)])
    }

    /// Where the threads of each pair differ first, if that is in what was taken of both, which may
    /// be their beginnings: four numbers a time, the tracks of A and B, and the numbers of the
    /// records in them.
    pub fn first(&self) -> Vec<u32> {
        let [of_a, of_b] = &self.sides;
        let found = self.pairs.iter().filter_map(|(i, j)| {
            let (a, b) = (of_a.get((*i)?)?, of_b.get((*j)?)?);
            differ::first([&a.sequence, &b.sequence], &self.kinds, HOW)
                .map(|[in_a, in_b]| [a.track, b.track, in_a, in_b])
        });
        found.flatten().collect()
    }

    /// Begins to compare a pair, by its number, in place of another one.
    pub fn begin(&mut self, pair: usize) {
        let tokens = self.sequences(pair).map(|it| it.map_or(TokenSlice::EMPTY, |it| it.tokens.as_slice()));
        let differ = Differ::new(tokens, &self.kinds, HOW);
        self.under_way = Some((pair, differ));
    }

    /// Goes on for about `budget` steps. `undefined` as long as it is not done.
    pub fn turn(&mut self, budget: f64) -> Option<tsify::Ts<FoundHunks>> {
        let (pair, mut differ) = self.under_way.take()?;
        let sides = self.sequences(pair);
        let tokens = sides.map(|it| it.map_or(TokenSlice::EMPTY, |it| it.tokens.as_slice()));
        match differ.turn(tokens, &self.kinds, budget as u64) {
            Some(found) => {
                let alone = |side: usize| -> Uint32Array {
                    let (Some(alone), Some(sequence)) = (&self.alone, sides.get(side).copied().flatten()) else {
                        return Uint32Array::default();
                    };
                    alone.stretches(&self.kinds, side, sequence).into_iter().flat_map(|(from, to)| [from, to]).collect()
                };
                let found = found_hunks(&found.numbered(sides));
                Some(FoundHunks { alone_a: alone(0), alone_b: alone(1), ..found }.cross())
            }
            None => {
                self.under_way = Some((pair, differ));
                None
            }
        }
    }
}

impl Sequences {
    /// The records of a pair of threads.
    fn sequences(&self, pair: usize) -> [Option<&Sequence>; 2] {
        let (i, j) = self.pairs.get(pair).copied().unwrap_or_default();
        let [a, b] = &self.sides;
        [i.and_then(|at| a.get(at)), j.and_then(|at| b.get(at))].map(|thread| thread.map(|it| &it.sequence))
    }
}

fn found_hunks(Differences { hunks, what, alike }: &Differences) -> FoundHunks {
    let mut found = FoundHunks {
        hunks: hunks.iter().flat_map(|hunk| [hunk.a.0, hunk.a.1, hunk.b.0, hunk.b.1]).collect(),
        kinds: Uint8Array::default(),
        loops: Uint32Array::default(),
        around: Uint32Array::default(),
        names: Vec::new(),
        alike: alike.iter().flat_map(|run| [run.a, run.b, run.length]).collect(),
        alone_a: Uint32Array::default(),
        alone_b: Uint32Array::default(),
    };
    for (number, what) in (0_u32..).zip(what) {
        found.kinds.0.push(match what {
            What::OnlyA => 0,
            What::OnlyB => 1,
            What::Arguments => 2,
            What::Order => 3,
            What::Iterations { records, counts: [a, b], same: [first, last] } => {
                let ends = u32::from(*first) + 2 * u32::from(*last);
                found.loops.0.extend([number, *records, *a, *b, ends]);
                4
            }
            What::Inside { outer, inner, in_b } => {
                let at = found.names.len() as u32;
                found.around.0.extend([number, u32::from(*in_b), at, at + 1]);
                found.names.extend([outer.clone(), inner.clone()]);
                5
            }
            What::Other => 6,
        });
    }
    found
}
