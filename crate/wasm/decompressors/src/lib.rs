//! Decompressors that are in another wasm module, `crate/wasm/unpack`. A module that links this
//! crate exports [`provide_decompressors`].

use std::cell::RefCell;

use js_sys::{Function, Uint8Array};
use unspool_containers::{Buffer, Container, Unpack, provide};
use unspool_trace::problem::{MALFORMED, Problem, ProblemKind, TRUNCATED};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `Decompressor` of `crate/wasm/unpack`.
    type JsDecompressor;

    #[wasm_bindgen(method)]
    fn unpack(this: &JsDecompressor, more: &[u8], len: u32) -> u32;

    #[wasm_bindgen(method)]
    fn last(this: &JsDecompressor);

    #[wasm_bindgen(method)]
    fn finish(this: &JsDecompressor);

    #[wasm_bindgen(method)]
    fn output(this: &JsDecompressor) -> Uint8Array;

    #[wasm_bindgen(method)]
    fn problem(this: &JsDecompressor) -> Option<Box<[f64]>>;

    #[wasm_bindgen(method, js_name = pieceAt)]
    fn piece_at(this: &JsDecompressor) -> f64;

    #[wasm_bindgen(method)]
    fn free(this: &JsDecompressor);
}

thread_local! {
    /// Returns a new `Decompressor` for the name of a container.
    static MAKE: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Provides the decompressors: a function that returns a new `Decompressor` of `crate/wasm/unpack`
/// for the name of a container.
#[wasm_bindgen(js_name = provideDecompressors)]
pub fn provide_decompressors(make: Function) {
    MAKE.set(Some(make));
    provide(|container| Box::new(Decompressor::new(container)));
}

/// One file that the other module decompresses.
struct Decompressor {
    module: JsDecompressor,
    /// Bytes at the front of the next input that the module has already.
    held: usize,
}

impl Decompressor {
    fn new(container: Container) -> Self {
        let name = JsValue::from_str(container.name());
        let made = MAKE.with_borrow(|make| make.as_ref().and_then(|make| make.call1(&JsValue::UNDEFINED, &name).ok()));
        Self { module: made.unwrap_or_default().unchecked_into(), held: 0 }
    }

    /// Moves what was decompressed. Returns the problem, if there was one.
    fn collect(&self, out: &mut Buffer, kind: &'static ProblemKind) -> Result<(), Problem> {
        let bytes = self.module.output();
        let len = bytes.length() as usize;
        if let Some(room) = out.room(len).get_mut(..len) {
            bytes.copy_to(room);
            out.added(len);
        }
        match self.module.problem().as_deref() {
            Some([at, value]) => Err(Problem { at: *at as u64, kind, value: *value as u64 }),
            _ => Ok(()),
        }
    }
}

impl Unpack for Decompressor {
    fn unpack(&mut self, input: &[u8], out: &mut Buffer) -> Result<usize, Problem> {
        let more = input.get(self.held..).unwrap_or_default();
        let taken = self.module.unpack(more, input.len() as u32) as usize;
        self.held = (self.held + more.len()).saturating_sub(taken);
        self.collect(out, &MALFORMED)?;
        Ok(taken)
    }

    fn last(&mut self) {
        self.module.last();
    }

    fn finish(&mut self, out: &mut Buffer) -> Result<(), Problem> {
        self.module.finish();
        self.collect(out, &TRUNCATED)
    }

    fn piece_at(&self) -> u64 {
        self.module.piece_at() as u64
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // Its windows are up to 16 MiB.
        self.module.free();
    }
}
