//! What searches find and do not find, in whatever module they run.

use unspool_filter::FoundRecords as Found;
use wasm_bindgen::prelude::*;

use crate::columns::{BigUint64Array, Uint32Array};
use crate::structures;

structures! {
    /// Records that a pass has found, as columns.
    pub struct FoundRecords {
        /// Absolute positions on the x axis.
        pub x: BigUint64Array,
        /// Ids of the tracks of their threads.
        pub track: Uint32Array,
        /// Where each is found again.
        pub locator: BigUint64Array,
        /// The alternatives of the expression that hold, as bits.
        pub branches: BigUint64Array,
        /// Number of the name among all texts so far; 2^32 - 1 for none.
        pub name: Uint32Array,
        /// The same of what matched.
        pub matched: Uint32Array,
        /// Texts that are new.
        pub texts: Vec<String>,
    }

    /// What is wrong with an expression.
    pub struct WrongExpression {
        /// Why.
        pub sentence: String,
        /// Where the part of it begins that is wrong, in UTF-16 units.
        pub at: f64,
        /// Length of that part in UTF-16 units; 0 at the end.
        pub length: f64,
    }
}

impl From<Found> for FoundRecords {
    fn from(found: Found) -> Self {
        let [x, locator, branches] = [found.x, found.locator, found.branches].map(BigUint64Array);
        let [track, name, matched] = [found.track, found.name, found.matched].map(Uint32Array);
        Self { x, track, locator, branches, name, matched, texts: found.texts }
    }
}

impl WrongExpression {
    /// `at` and `len` say in bytes which part of `text` is wrong; JavaScript counts UTF-16 units.
    pub fn new(text: &str, at: usize, len: usize, sentence: &str) -> Self {
        let units = |part: Option<&str>| part.map_or(0, |part| part.encode_utf16().count()) as f64;
        Self { sentence: sentence.into(), at: units(text.get(..at)), length: units(text.get(at..at + len)) }
    }
}

#[wasm_bindgen]
extern "C" {
    /// A [`FoundRecords`] that comes back.
    #[wasm_bindgen(typescript_type = "FoundRecords")]
    pub type JsFoundRecords;

    #[wasm_bindgen(method, getter)]
    fn x(this: &JsFoundRecords) -> Vec<u64>;
    #[wasm_bindgen(method, getter)]
    fn track(this: &JsFoundRecords) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn locator(this: &JsFoundRecords) -> Vec<u64>;
    #[wasm_bindgen(method, getter)]
    fn branches(this: &JsFoundRecords) -> Vec<u64>;
    #[wasm_bindgen(method, getter)]
    fn name(this: &JsFoundRecords) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn matched(this: &JsFoundRecords) -> Vec<u32>;
    #[wasm_bindgen(method, getter)]
    fn texts(this: &JsFoundRecords) -> Vec<String>;
}

impl From<&JsFoundRecords> for Found {
    fn from(found: &JsFoundRecords) -> Self {
        Self {
            x: found.x(),
            track: found.track(),
            locator: found.locator(),
            branches: found.branches(),
            name: found.name(),
            matched: found.matched(),
            texts: found.texts(),
        }
    }
}
