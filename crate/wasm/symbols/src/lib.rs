//! Names of functions, for JavaScript.

use unspool_symbols::{Called, Programs, Range, Report, Work};
use unspool_trace::{Companion, NamesFile, Probe};
use wasm_bindgen::prelude::*;

/// The kind of companion that a file is, by its name, its size in bytes, its head and its tail: its
/// id, and what it is in a few words. `undefined` if it is not one.
#[wasm_bindgen(js_name = companionOf)]
pub fn companion_of(name: &str, size: f64, head: &[u8], tail: &[u8]) -> Option<Vec<String>> {
    let kind = Companion::recognise(&Probe { head, tail, size: size as u64, name })?;
    Some(vec![kind.id().into(), kind.what().into()])
}

/// Most functions that are compared: these take up to a second, in which the worker answers nothing
/// else.
const MOST_SHORTENED: usize = 100_000;

/// Short names of functions, in the order of the names, with a NUL after each; see `docs/names.md`.
/// `undefined` if all of them stay as they are, and for more than 100,000 of them.
#[wasm_bindgen(js_name = shortNames)]
pub fn short_names(names: &str) -> Option<String> {
    let names: Vec<&str> = names.split_terminator('\0').collect();
    if names.len() > MOST_SHORTENED {
        return None;
    }
    let short = unspool_symbols::short_names(&names);
    (short != names).then(|| short.iter().flat_map(|name| [name.as_str(), "\0"]).collect())
}

/// The names of one file.
#[wasm_bindgen]
pub struct Symbols {
    file: NamesFile,
}

#[wasm_bindgen]
impl Symbols {
    /// Reads a whole names file.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Self {
        Self { file: NamesFile::read(bytes) }
    }

    /// For the session of the trace.
    pub fn naming(&self) -> Vec<u8> {
        self.file.naming.to_bytes()
    }

    /// How many names there are.
    pub fn count(&self) -> u32 {
        self.file.naming.len() as u32
    }

    /// How many lines were left out because they could not be read.
    pub fn skipped(&self) -> f64 {
        self.file.skipped as f64
    }

    /// Number of the first of these lines, counted from 1.
    #[wasm_bindgen(js_name = firstSkipped)]
    pub fn first_skipped(&self) -> f64 {
        self.file.first_skipped as f64
    }
}

/// The binaries of one trace. The caller numbers them, reads the bytes that they need, and hands
/// their names to the session.
#[wasm_bindgen(js_name = Programs)]
#[derive(Default)]
pub struct JsPrograms {
    programs: Programs,
    needed: Option<(u32, Range)>,
}

#[wasm_bindgen(js_class = Programs)]
impl JsPrograms {
    /// No binaries yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a binary of `size` bytes.
    pub fn add(&mut self, id: u32, name: &str, size: f64) {
        self.programs.add(id, name, size as u64);
    }

    /// Takes a binary away.
    pub fn remove(&mut self, id: u32) {
        self.programs.remove(id);
    }

    /// Says which object's functions a binary names. `undefined` leaves it to what is known.
    pub fn choose(&mut self, id: u32, object: Option<u32>) {
        self.programs.choose(id, object);
    }

    /// Says which functions the log has. `complete` is false while it is being read.
    #[wasm_bindgen(js_name = setIds)]
    pub fn set_ids(&mut self, ids: &[i32], complete: bool) {
        self.programs.set_ids(ids.iter().map(|id| i64::from(*id)), complete);
    }

    /// Says which addresses the trace has, in place of ids: all, and those at which functions begin
    /// for certain. `modules` are the binaries that it says were loaded, each as its first address
    /// in hexadecimal, a space, and its path.
    #[wasm_bindgen(js_name = setCalled)]
    pub fn set_called(&mut self, addresses: Vec<u64>, called: Vec<u64>, modules: Vec<String>, complete: bool) {
        let module = |line: &String| {
            let (base, path) = line.split_once(' ')?;
            Some((u64::from_str_radix(base, 16).ok()?, path.to_string()))
        };
        let modules = modules.iter().filter_map(module).collect();
        self.programs.set_called(Called::new(addresses, called, modules), complete);
    }

    /// Says at which address the first page of a binary is. `undefined` leaves it to what is known.
    pub fn place(&mut self, id: u32, base: Option<u64>) {
        self.programs.place(id, base);
    }

    /// As `findSource`, for the function at an address of the trace.
    #[wasm_bindgen(js_name = findSourceAt)]
    pub fn find_source_at(&mut self, address: u64) -> bool {
        self.programs.find_source_at(address)
    }

    /// The numbers of the objects that the log has.
    pub fn objects(&self) -> Vec<u32> {
        self.programs.uses().iter().map(|used| used.object).collect()
    }

    /// Goes on with reading. Returns 0 if a binary needs bytes, 1 if there is more to do, 2 if
    /// everything is known.
    pub fn step(&mut self) -> u32 {
        match self.programs.step() {
            Work::Needs { binary, range } => {
                self.needed = Some((binary, range));
                0
            }
            Work::More => 1,
            Work::Done => 2,
        }
    }

    /// The binary that needs bytes.
    #[wasm_bindgen(js_name = wantsOf)]
    pub fn wants_of(&self) -> u32 {
        self.needed.map_or(0, |(binary, _)| binary)
    }

    /// Offset of the bytes that it needs.
    #[wasm_bindgen(js_name = wantsAt)]
    pub fn wants_at(&self) -> f64 {
        self.needed.map_or(0.0, |(_, range)| range.at as f64)
    }

    /// How many bytes it needs.
    #[wasm_bindgen(js_name = wantsLength)]
    pub fn wants_length(&self) -> f64 {
        self.needed.map_or(0.0, |(_, range)| range.len as f64)
    }

    /// Adds the bytes that a binary needs.
    pub fn push(&mut self, id: u32, at: f64, bytes: Vec<u8>) {
        self.programs.push(id, at as u64, bytes);
    }

    /// The names that a binary gives to functions, for the session. `undefined` without any.
    pub fn naming(&self, id: u32) -> Option<Vec<u8>> {
        self.programs.naming(id).map(|naming| naming.to_bytes())
    }

    /// Begins to look for what the functions of the log can call. Step until everything is known.
    #[wasm_bindgen(js_name = findCalls)]
    pub fn find_calls(&mut self) {
        self.programs.find_calls();
    }

    /// What functions can call, for the session.
    #[wasm_bindgen(js_name = takeCallees)]
    pub fn take_callees(&mut self) -> Vec<u8> {
        self.programs.take_callees().to_bytes()
    }

    /// Begins to look for the source of a function, by its id. Returns false if no binary says it.
    /// Step until everything is known.
    #[wasm_bindgen(js_name = findSource)]
    pub fn find_source(&mut self, id: i32) -> bool {
        self.programs.find_source(id.into())
    }

    /// The source of the function: its file, its line, and the functions that are inlined in it.
    /// `undefined` if it was not found.
    #[wasm_bindgen(js_name = takeSource)]
    pub fn take_source(&mut self) -> Option<Vec<String>> {
        let source = self.programs.take_source()?;
        let line = if source.line == 0 { String::new() } else { source.line.to_string() };
        Some([source.file, line].into_iter().chain(source.inlined).collect())
    }

    /// What became of a binary, of whose names the trace shows `used`. `undefined` while it is
    /// being read.
    pub fn report(&self, id: u32, used: u32) -> Option<JsReport> {
        self.programs.report(id, used as usize).map(|report| JsReport { report })
    }
}

/// What became of a binary.
#[wasm_bindgen(js_name = Report)]
pub struct JsReport {
    report: Report,
}

#[wasm_bindgen(js_class = Report)]
impl JsReport {
    /// Sentences: what it adds, or what is wrong with it.
    #[wasm_bindgen(getter)]
    pub fn sentence(&self) -> String {
        self.report.sentence.clone()
    }

    /// It is of no use, or a part of it is.
    #[wasm_bindgen(getter)]
    pub fn wrong(&self) -> bool {
        self.report.is_wrong
    }

    /// The object whose functions it names.
    #[wasm_bindgen(getter)]
    pub fn object(&self) -> Option<u32> {
        self.report.object
    }

    /// How many of its functions have a name.
    #[wasm_bindgen(getter)]
    pub fn names(&self) -> u32 {
        self.report.names as u32
    }

    /// The address of its first page, in a trace of addresses.
    #[wasm_bindgen(getter)]
    pub fn base(&self) -> Option<u64> {
        self.report.base
    }

    /// In a trace of addresses: it can be given a base.
    #[wasm_bindgen(getter, js_name = canBePlaced)]
    pub fn can_be_placed(&self) -> bool {
        self.report.can_be_placed
    }

    /// It can name the functions of an object.
    #[wasm_bindgen(getter, js_name = hasFunctions)]
    pub fn has_functions(&self) -> bool {
        self.report.has_functions
    }
}

#[cfg(test)]
mod tests {
    use unspool_trace::Naming;
    use unspool_trace::batch::Key;

    use super::*;

    #[test]
    fn names_that_stay_are_not_shortened() {
        assert_eq!(short_names("main\0ns::f(int)\0").as_deref(), Some("main\0f\0"));
        assert_eq!(short_names("main\0f\0"), None);
        assert_eq!(short_names("A<int>::f()\0A<char>::f()\0"), None);
        assert_eq!(short_names(""), None);
        assert_eq!(short_names(&"ns::f()\0".repeat(MOST_SHORTENED + 1)), None);
    }

    #[test]
    fn names_cross_as_bytes() {
        let symbols = Symbols::new(b"1,main\nnonsense\n2,f\n");
        assert_eq!((symbols.count(), symbols.skipped(), symbols.first_skipped()), (2, 1.0, 2.0));
        let naming = Naming::from_bytes(&symbols.naming()).unwrap();
        assert_eq!(naming.of(Key::Id(2)).map(|it| it.place.text.as_str()), Some("f"));
    }
}
