//! The disassembler, which is a wasm module of its own.

use unspool_trace::Instructions;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const PAGE: &str = "import type { Disassembler } from '../../trace/worker/instructions.ts';\n";

#[wasm_bindgen]
extern "C" {
    /// `Disassembler` of `web/trace/worker/instructions.ts`: the functions of
    /// `crate/wasm/disassembler`.
    #[wasm_bindgen(typescript_type = "Disassembler")]
    pub type JsDisassembler;

    #[wasm_bindgen(method)]
    fn starts(this: &JsDisassembler, bits: u32, address: u64, code: &[u8]) -> Vec<u32>;

    #[wasm_bindgen(method)]
    fn disassemble(this: &JsDisassembler, isa: &str, address: u64, code: &[u8]) -> Option<String>;

    #[wasm_bindgen(method)]
    fn reads(this: &JsDisassembler, isa: &str, address: u64, code: &[u8]) -> Option<String>;
}

impl Instructions for JsDisassembler {
    fn starts(&self, bits: u32, address: u64, code: &[u8]) -> Vec<u32> {
        self.starts(bits, address, code)
    }

    fn text(&self, isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
        self.disassemble(isa, address, bytes)
    }

    fn reads(&self, isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
        self.reads(isa, address, bytes)
    }
}
