//! Which records of two traces belong together.

use unspool_compare::align::Alignment;
use unspool_compare::tokens::Contents;
use wasm_bindgen::prelude::*;

/// The tokens of two traces as those of one.
#[wasm_bindgen]
#[derive(Default)]
pub struct Sequences {
    contents: Contents,
    /// For each side, the common token of each of its own.
    common: [Vec<u32>; 2],
    tokens: [Vec<u32>; 2],
    alignment: Option<Alignment>,
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
        let common = self.contents.merge(each);
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
    }

    /// Goes on for about `budget` steps. Returns what has no counterpart, four numbers a time: from
    /// and to in A, from and to in B. `undefined` as long as it is not done.
    pub fn turn(&mut self, budget: f64) -> Option<Vec<u32>> {
        let [a, b] = &self.tokens;
        let alignment = self.alignment.as_mut()?;
        if !alignment.turn([a, b], budget as u64) {
            return None;
        }
        Some(alignment.hunks().iter().flat_map(|hunk| [hunk.a.0, hunk.a.1, hunk.b.0, hunk.b.1]).collect())
    }
}
