//! Which records of two traces belong together.

use unspool_compare::align::{Alignment, Hunk};
use unspool_compare::hunks::{Kind, Kinds, Stems};
use unspool_compare::tokens::Contents;
use unspool_js::columns::{Uint8Array, Uint32Array};
use unspool_js::structures;
use wasm_bindgen::prelude::*;

structures! {
    /// What differs between the records of a thread of both.
    pub struct FoundHunks {
        /// What has no counterpart, four numbers a time: from and to in A, from and to in B.
        pub hunks: Uint32Array,
        /// What each of them is: an index of `KINDS`.
        pub kinds: Uint8Array,
        /// Of more turns of a loop, how many records a turn has; otherwise 0.
        pub turns: Uint32Array,
        /// Records of hunks that differ in their arguments only, three numbers a time: the first in
        /// A, the first in B, and how many.
        pub alike: Uint32Array,
    }
}

/// The tokens of two traces as those of one.
#[wasm_bindgen]
#[derive(Default)]
pub struct Sequences {
    contents: Contents,
    /// For each side, the common token of each of its own.
    common: [Vec<u32>; 2],
    tokens: [Vec<u32>; 2],
    alignment: Option<Alignment>,
    stems: Stems,
    /// What the alignment has found, and what is known of that.
    found: Option<(Vec<Hunk>, Kinds)>,
}

#[wasm_bindgen]
impl Sequences {
    /// Of two traces whose contents are still to be taken.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes what the tokens of a side, 0 or 1, stand for: contents, one after the other, and where
    /// each ends.
    pub fn take(&mut self, side: usize, contents: &[u8], ends: &[u32]) {
        let begins = [0].iter().chain(ends);
        let each = begins.zip(ends).map(|(from, to)| contents.get(*from as usize..*to as usize).unwrap_or_default());
        let common = self.contents.merge(each.clone());
        for (number, content) in common.iter().zip(each) {
            self.stems.take(*number, content);
        }
        if let Some(of) = self.common.get_mut(side) {
            *of = common;
        }
    }

    /// Begins to align a thread of each side, by their own tokens.
    pub fn begin(&mut self, a: Vec<u32>, b: Vec<u32>) {
        self.tokens = [a, b];
        for (tokens, common) in self.tokens.iter_mut().zip(&self.common) {
            for token in tokens {
                *token = common.get(*token as usize).copied().unwrap_or(u32::MAX);
            }
        }
        let lengths = self.tokens.each_ref().map(|tokens| u32::try_from(tokens.len()).unwrap_or(u32::MAX));
        self.alignment = Some(Alignment::new(lengths));
        self.found = None;
    }

    /// Goes on for about `budget` steps. `undefined` as long as it is not done.
    pub fn turn(&mut self, budget: f64) -> Option<tsify::Ts<FoundHunks>> {
        let [a, b] = &self.tokens;
        let budget = budget as u64;
        if let Some(alignment) = &mut self.alignment {
            if !alignment.turn([a, b], budget) {
                return None;
            }
            self.found = Some((alignment.hunks(), Kinds::default()));
            self.alignment = None;
        }
        let (hunks, kinds) = self.found.as_mut()?;
        if !kinds.turn([a, b], hunks, &self.stems, budget) {
            return None;
        }
        let kind = |kind: &Kind| match kind {
            Kind::OnlyA => 0,
            Kind::OnlyB => 1,
            Kind::Arguments => 2,
            Kind::Order => 3,
            Kind::Iterations(_) => 4,
            Kind::Other => 5,
        };
        let turn = |kind: &Kind| if let Kind::Iterations(turn) = kind { *turn } else { 0 };
        let answer = FoundHunks {
            hunks: hunks.iter().flat_map(|hunk| [hunk.a.0, hunk.a.1, hunk.b.0, hunk.b.1]).collect(),
            kinds: kinds.kinds().iter().map(kind).collect(),
            turns: kinds.kinds().iter().map(turn).collect(),
            alike: kinds.alike().iter().flat_map(|run| [run.a, run.b, run.length]).collect(),
        };
        Some(answer.cross())
    }
}
