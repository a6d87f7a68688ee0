//! Parts of a trace as traces of their own, for JavaScript.

use js_sys::{Array, Uint8Array};
use unspool_containers::Container;
use unspool_cut::clean::Cleaner;
use unspool_cut::{Cut, CutOptions, Selection};
use unspool_formats::begin_cut;
use unspool_trace::{Error, Limits, Probe};
use wasm_bindgen::prelude::*;

pub use unspool_decompressors::provide_decompressors;

/// Whether [`provide_decompressors`] must come before `new Cutter(…)` of a file with this
/// beginning.
#[wasm_bindgen(js_name = cutNeedsDecompressor)]
pub fn cut_needs_decompressor(head: &[u8]) -> bool {
    Container::of(head).is_provided()
}

/// A part under way. The worker pushes the file and takes what is written.
#[wasm_bindgen]
pub struct Cutter {
    cut: Box<dyn Cut>,
    /// Bytes that were pushed and not used.
    input: Vec<u8>,
    used: usize,
    out: Vec<u8>,
    failed: Option<Error>,
    done: bool,
}

#[wasm_bindgen]
impl Cutter {
    /// A part from position `from` to `to`, exclusive, of a file of which both ends are given.
    /// `choices` and `key` are those of [`Cleaner::of`]. `only`: stretches of positions, the begin
    /// and the end of each, exclusive, to which the part is narrowed. `texts`: those whose texts
    /// stay as they are.
    ///
    /// # Errors
    ///
    /// Throws a sentence if this file cannot be cut.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::too_many_arguments, reason = "each is an argument of JavaScript")]
    pub fn new(
        size: f64,
        head: &[u8],
        tail: &[u8],
        from: u64,
        to: u64,
        choices: &[u8],
        key: &[u8],
        only: Option<Vec<f64>>,
        texts: &[f64],
    ) -> Result<Cutter, String> {
        let cleaner = Cleaner::of(choices, key);
        let size = size as u64;
        let selection =
            |runs: &[f64]| runs.as_chunks().0.iter().map(|[from, to]| *from as u64..*to as u64).collect::<Selection>();
        let (only, texts) = (only.as_deref().map(selection), selection(texts));
        let options = CutOptions { from, to, size: Some(size), limits: Limits::LIFTED, cleaner, only, texts };
        let probe = Probe { head, tail, size, name: "" };
        let cut = begin_cut(&probe, options).ok_or("A trace of this format cannot be cut.")?;
        let cut = cut.map_err(|error| error.to_string())?;
        Ok(Self { cut, input: Vec::new(), used: 0, out: Vec::new(), failed: None, done: false })
    }

    /// Takes further bytes of the file; none if it ends. Returns how many bytes are there to take.
    pub fn push(&mut self, bytes: &[u8]) -> u32 {
        self.input.drain(..self.used);
        self.used = 0;
        self.input.extend_from_slice(bytes);
        let ended = bytes.is_empty();
        while !self.done {
            let before = self.out.len();
            let used = match self.cut.push(self.input.get(self.used..).unwrap_or_default(), &mut self.out) {
                Ok(progress) => progress.used,
                Err(error) => {
                    self.failed = Some(error);
                    0
                }
            };
            self.used += used;
            let stays = used == 0 && self.out.len() == before;
            if self.failed.is_some() || self.cut.is_done() || stays && ended {
                let rest = self.input.get(self.used..).unwrap_or_default();
                if let Err(error) = self.cut.end(rest, &mut self.out) {
                    self.failed.get_or_insert(error);
                }
                self.done = true;
            } else if stays {
                break;
            }
        }
        self.out.len() as u32
    }

    /// Takes what was written.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
    pub fn take(&mut self) -> Uint8Array {
        let bytes = Uint8Array::from(&self.out[..]);
        self.out.clear();
        bytes
    }

    /// Whether the file is complete.
    pub fn done(&self) -> bool {
        self.done
    }

    /// Bytes to write over the first ones of the complete file, or undefined.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer> | undefined")]
    pub fn head(&self) -> Option<Vec<u8>> {
        self.cut.head()
    }

    /// How many records are in it.
    pub fn records(&self) -> f64 {
        self.cut.records() as f64
    }

    /// Why reading stopped, or undefined. What came before is in the file.
    pub fn failure(&self) -> Option<String> {
        self.failed.map(|error| error.to_string())
    }

    /// How many texts and payloads there are of each class: environment variables, paths, texts,
    /// payloads.
    pub fn found(&self) -> Vec<f64> {
        self.cut.cleaner().found().map(|count| count as f64).into()
    }

    /// Examples, three after the other: the class, a text, and what is written in its place.
    pub fn examples(&self) -> Array {
        let all = self.cut.cleaner().examples().iter();
        all.flat_map(|it| [JsValue::from(it.class as u32), it.before.as_str().into(), it.after.as_str().into()])
            .collect()
    }
}
