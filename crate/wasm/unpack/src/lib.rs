//! Unpacking, for JavaScript.

mod decompressor;

use js_sys::Uint8Array;
use unspool_archives::{Entry, Fault, Kind, Listing, Method, Random, Stream, content, inner_name, list};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, FileReaderSync};

pub use decompressor::Decompressor;

/// A file that is read while the caller waits: in a worker.
struct File {
    bytes: Blob,
    reader: FileReaderSync,
}

impl Random for File {
    fn size(&self) -> u64 {
        self.bytes.size() as u64
    }

    fn read(&mut self, at: u64, len: usize) -> Option<Vec<u8>> {
        let end = at.saturating_add(len as u64).min(self.size());
        let part = self.bytes.slice_with_f64_and_f64(at as f64, end.max(at) as f64).ok()?;
        Some(Uint8Array::new(&self.reader.read_as_array_buffer(&part).ok()?.into()).to_vec())
    }
}

/// The name of the content of a compressed file.
#[wasm_bindgen(js_name = innerName)]
pub fn name_of_content(name: &str) -> String {
    inner_name(name)
}

/// A container, by the head of a file and its name.
#[wasm_bindgen]
pub struct Container {
    kind: Kind,
}

#[wasm_bindgen]
impl Container {
    /// The container with this head, if it is one. 512 bytes are enough.
    pub fn of(head: &[u8], name: &str) -> Option<Container> {
        Kind::of(head, name).map(|kind| Self { kind })
    }

    /// The name shown.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.kind.name().into()
    }

    /// An unpacker of the stream. `undefined` for an archive.
    pub fn unpacker(&self) -> Option<Unpacker> {
        Stream::new(self.kind).map(|stream| Unpacker { stream, kind: self.kind })
    }

    /// The entries of the archive in a file.
    ///
    /// # Errors
    ///
    /// Throws the browser's error outside of a worker, where no file is read while the caller
    /// waits.
    pub fn archive(&self, file: Blob) -> Result<Archive, JsValue> {
        let mut file = File { bytes: file, reader: FileReaderSync::new()? };
        Ok(Archive { kind: self.kind, listing: list(self.kind, &mut file), file })
    }
}

/// Unpacks one stream.
#[wasm_bindgen]
pub struct Unpacker {
    stream: Stream,
    kind: Kind,
}

#[wasm_bindgen]
impl Unpacker {
    /// Appends bytes of the container.
    pub fn push(&mut self, bytes: &[u8]) {
        self.stream.push(bytes);
    }

    /// Notes that the container ends here.
    pub fn end(&mut self) {
        self.stream.end();
    }

    /// The next unpacked bytes, as a view of this module's memory. The next call of this module
    /// ends its validity. Empty if more must be pushed, or if the stream is over.
    #[allow(unsafe_code, reason = "a view instead of a copy")]
    pub fn unpack(&mut self) -> Uint8Array {
        // SAFETY: the callers, `archive.ts` and `unpacked.ts` in `web/trace/worker`, use the bytes
        // before the next call. A copy here would be one more of the whole stream.
        unsafe { Uint8Array::view(self.stream.unpack()) }
    }

    /// Lifts the limit of what the stream unpacks to.
    #[wasm_bindgen(js_name = liftLimit)]
    pub fn lift_limit(&mut self) {
        self.stream.lift_limit();
    }

    /// Whether the stream was ended at that limit, and not by damage.
    #[wasm_bindgen(getter, js_name = isLimited)]
    pub fn is_limited(&self) -> bool {
        self.stream.fault().is_some_and(Fault::is_limit)
    }

    /// Whether nothing more will come.
    #[wasm_bindgen(getter, js_name = isOver)]
    pub fn is_over(&self) -> bool {
        self.stream.is_over()
    }

    /// What is wrong with the stream, in a sentence.
    pub fn fault(&self) -> Option<String> {
        self.stream.fault().map(|fault| fault.sentence(self.kind))
    }

    /// Absolute offset of that in the container.
    #[wasm_bindgen(js_name = faultAt)]
    pub fn fault_at(&self) -> Option<u64> {
        self.stream.fault().map(|fault| fault.at)
    }
}

/// The entries of an archive.
#[wasm_bindgen]
pub struct Archive {
    kind: Kind,
    listing: Listing,
    file: File,
}

#[wasm_bindgen]
impl Archive {
    /// Number of entries.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> u32 {
        self.listing.entries.len() as u32
    }

    /// Path of an entry.
    pub fn name(&self, entry: u32) -> String {
        self.entry(entry).map(|entry| entry.name.clone()).unwrap_or_default()
    }

    /// Bytes of an entry, unpacked. `undefined` if the archive does not say.
    pub fn size(&self, entry: u32) -> Option<f64> {
        self.entry(entry).and_then(|entry| entry.size).map(|size| size as f64)
    }

    /// Why an entry cannot be unpacked, in a sentence.
    pub fn refusal(&self, entry: u32) -> Option<String> {
        self.entry(entry).and_then(Entry::refusal)
    }

    /// Offset and end in the archive of the content of an entry, as it is packed.
    ///
    /// # Errors
    ///
    /// Throws a sentence.
    pub fn content(&mut self, entry: u32) -> Result<Vec<f64>, JsValue> {
        let Some(entry) = self.listing.entries.get(entry as usize) else { return Ok(vec![0.0, 0.0]) };
        let (at, len) = content(self.kind, &mut self.file, entry).map_err(|fault| self.thrown(fault))?;
        Ok(vec![at as f64, (at + len) as f64])
    }

    /// An unpacker of the content of an entry. `undefined` if it is stored as it is, or cannot be
    /// unpacked.
    pub fn unpacker(&self, entry: u32) -> Option<Unpacker> {
        self.stream(entry, |method| method != Method::Stored)
    }

    /// A checker of an entry that is stored as it is, which takes its content and finds whether the
    /// checksum matches. `undefined` for other entries, and without a checksum.
    pub fn checker(&self, entry: u32) -> Option<Unpacker> {
        self.stream(entry, |method| method == Method::Stored)
    }

    /// What is wrong with the archive, in a sentence.
    pub fn fault(&self) -> Option<String> {
        self.listing.fault.map(|fault| fault.sentence(self.kind))
    }

    /// Absolute offset of that.
    #[wasm_bindgen(js_name = faultAt)]
    pub fn fault_at(&self) -> Option<u64> {
        self.listing.fault.map(|fault| fault.at)
    }

    fn stream(&self, entry: u32, admits: impl Fn(Method) -> bool) -> Option<Unpacker> {
        let entry = self.entry(entry).filter(|entry| admits(entry.method))?;
        Some(Unpacker { stream: Stream::of_entry(entry)?, kind: self.kind })
    }

    fn entry(&self, entry: u32) -> Option<&Entry> {
        self.listing.entries.get(entry as usize)
    }

    fn thrown(&self, fault: Fault) -> JsValue {
        fault.sentence(self.kind).into()
    }
}
