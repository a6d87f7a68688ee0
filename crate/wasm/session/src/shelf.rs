//! The shelf of a trace in the page: files of the origin's private file system.

use std::io;

use unspool_engine::store::shelf::{Levels, ShelfFile, Shelving};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const PAGE: &str = "import type { ShelfFiles } from '../../trace/worker/shelf.ts';\n";

/// Bytes of blocks that are in memory again.
const CACHE: usize = 64 << 20;
/// Blocks that a picture loads: a few milliseconds of a disk of 1 GB/s, with unpacking.
const LOADS: u32 = 64;

#[wasm_bindgen]
extern "C" {
    /// `ShelfFiles` of `web/trace/worker/shelf.ts`.
    #[wasm_bindgen(typescript_type = "ShelfFiles")]
    pub type JsShelf;

    /// Appends bytes. False if there is no room yet, `undefined` if there will be none.
    #[wasm_bindgen(method)]
    fn write(this: &JsShelf, at: f64, bytes: &[u8]) -> Option<bool>;

    /// Whether all of the bytes were read.
    #[wasm_bindgen(method)]
    fn read(this: &JsShelf, at: f64, bytes: &mut [u8]) -> bool;
}

impl ShelfFile for JsShelf {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        match self.write(at as f64, bytes) {
            Some(true) => Ok(()),
            Some(false) => Err(io::ErrorKind::WouldBlock.into()),
            None => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        if self.read(at as f64, bytes) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// All blocks that are closed from now on are moved, and pictures do not wait for them.
pub(crate) fn shelving() -> Shelving {
    Shelving { levels: Levels::Kept, beyond: 0, cache: CACHE, loads: Some(LOADS) }
}
