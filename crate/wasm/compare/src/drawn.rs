//! What the OpenGL calls of two traces add up to.

use unspool_compare::drawn::{Drawn, sentence};
use wasm_bindgen::prelude::*;

/// What differs, in words; '' if nothing does. Of A and of B: frames, calls, draws, and bytes that
/// were uploaded.
#[wasm_bindgen(js_name = drawnSentence)]
pub fn drawn_sentence(a: &[f64], b: &[f64]) -> String {
    let of = |figures: &[f64]| {
        let at = |place: usize| figures.get(place).map_or(0, |number| *number as u64);
        Drawn { frames: at(0), calls: at(1), draws: at(2), uploaded: at(3) }
    };
    sentence([&of(a), &of(b)])
}
