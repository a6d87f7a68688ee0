//! The decompressor of Brotli, which is a wasm module of its own.

use std::cell::RefCell;

use js_sys::{Function, Uint8Array};
use unspool_formats::container::{self, Buffer, Unpack};
use unspool_formats::problem::{MALFORMED, Problem, TRUNCATED};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `Brotli` of `crate/brotli`.
    type JsBrotli;

    #[wasm_bindgen(method)]
    fn unpack(this: &JsBrotli, more: &[u8], len: u32) -> u32;

    #[wasm_bindgen(method)]
    fn last(this: &JsBrotli);

    #[wasm_bindgen(method)]
    fn finish(this: &JsBrotli);

    #[wasm_bindgen(method)]
    fn output(this: &JsBrotli) -> Uint8Array;

    #[wasm_bindgen(method)]
    fn problem(this: &JsBrotli) -> Option<f64>;

    #[wasm_bindgen(method)]
    fn free(this: &JsBrotli);
}

thread_local! {
    /// Returns a new `Brotli`.
    static MAKE: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Provides the decompressor of Brotli: a function that returns a new `Brotli` of `crate/brotli`.
#[wasm_bindgen(js_name = provideBrotli)]
pub fn provide_brotli(make: Function) {
    MAKE.set(Some(make));
    container::provide_brotli(|| Box::new(Brotli::new()));
}

/// One file that the other module decompresses.
struct Brotli {
    module: JsBrotli,
    /// Bytes at the front of the next input that the module has already.
    held: usize,
    at: u64,
    piece_at: u64,
}

impl Brotli {
    fn new() -> Self {
        let made = MAKE.with_borrow(|make| make.as_ref().and_then(|make| make.call0(&JsValue::UNDEFINED).ok()));
        Self { module: made.unwrap_or_default().unchecked_into(), held: 0, at: 0, piece_at: 0 }
    }

    /// Moves what was decompressed. Returns the offset of the problem, if there was one.
    fn collect(&self, out: &mut Buffer) -> Option<u64> {
        let bytes = self.module.output();
        let len = bytes.length() as usize;
        if let Some(room) = out.room(len).get_mut(..len) {
            bytes.copy_to(room);
            out.added(len);
        }
        self.module.problem().map(|at| at as u64)
    }
}

impl Unpack for Brotli {
    fn unpack(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Problem> {
        self.piece_at = self.at;
        let more = input.get(self.held..).unwrap_or_default();
        let taken = self.module.unpack(more, input.len() as u32) as usize;
        self.held = (self.held + more.len()).saturating_sub(taken);
        self.at += taken as u64;
        match self.collect(out) {
            Some(at) => Err(Problem { at, kind: &MALFORMED, value: 0 }),
            None => Ok(taken),
        }
    }

    fn last(&mut self) {
        self.module.last();
    }

    fn finish(&mut self, out: &mut Buffer) -> Result<(), Problem> {
        self.module.finish();
        match self.collect(out) {
            Some(at) => Err(Problem { at, kind: &TRUNCATED, value: 0 }),
            None => Ok(()),
        }
    }

    fn piece_at(&self) -> u64 {
        self.piece_at
    }
}

impl Drop for Brotli {
    fn drop(&mut self) {
        // Its windows are up to 16 MiB.
        self.module.free();
    }
}
