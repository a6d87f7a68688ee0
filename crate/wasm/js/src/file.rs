//! Files of the page.

use js_sys::Uint8Array;
use unspool_records::ByteSource;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const PAGE: &str = "import type { RecordFile } from '../../trace/worker/record_file.ts';\n";

#[wasm_bindgen]
extern "C" {
    /// `RecordFile` of `web/trace/worker/record_file.ts`: a file that is read while the caller
    /// waits.
    #[wasm_bindgen(typescript_type = "RecordFile")]
    pub type JsFile;

    /// Bytes of the file; empty only at its end. `None` if they cannot be read, or not yet.
    #[wasm_bindgen(method)]
    fn read(this: &JsFile, from: f64, to: f64) -> Option<Uint8Array>;

    /// Whether the bytes that `read` did not return last are on their way.
    #[wasm_bindgen(method, getter, js_name = isLate)]
    fn is_late(this: &JsFile) -> bool;
}

impl ByteSource for JsFile {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        let bytes = self.read(at as f64, at as f64 + buffer.len() as f64)?;
        let len = bytes.length() as usize;
        bytes.copy_to(buffer.get_mut(..len)?);
        Some(len)
    }

    fn is_late(&self) -> bool {
        Self::is_late(self)
    }
}
