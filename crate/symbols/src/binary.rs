//! A binary that is read by questions.

use std::rc::Rc;

use unspool_trace::callees;

use crate::calls::Scan;
use crate::demangle::demangle;
use crate::dwarf::{Debug, Source};
use crate::fault::Fault;
use crate::file::{File, Range, Stop};
use crate::image::{Format, Image, MINI_DEBUG_INFO, Sort};
use crate::lookup::{Function, Lookup, Starts};
use crate::mini;
use crate::sleds::Sleds;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// These bytes are needed: [`Binary::push`].
    Needs(Range),
    /// There is more to do.
    More,
    /// The question is answered.
    Done,
}

/// A program, a library or a file of debug information. Does no I/O: a step says which bytes it
/// needs.
///
/// The first question is what the binary is: step until it is answered. Then [`Binary::look_up`]
/// asks for names.
///
/// ```no_run
/// use std::os::unix::fs::FileExt;
/// use unspool_symbols::{Binary, Range, Step};
///
/// let file = std::fs::File::open("program")?;
/// let mut binary = Binary::new(file.metadata()?.len());
/// binary.run(|Range { at, len }| {
///     let mut bytes = vec![0; len as usize];
///     file.read_exact_at(&mut bytes, at).map(|()| bytes)
/// })??;
/// println!("{} functions", binary.functions().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Binary {
    file: Rc<File>,
    image: Rc<Image>,
    functions: Vec<u64>,
    starts: Vec<u64>,
    found: Vec<(u64, Function)>,
    debug: Debug,
    source: Option<Source>,
    calls: Vec<callees::Function>,
    task: Task,
}

#[derive(Debug)]
enum Task {
    Head,
    Map(Sleds),
    Starts(Starts),
    MiniStarts,
    Symbols(Lookup),
    /// Unpacks the section with further symbols, for these addresses.
    Mini(Vec<u64>),
    MiniSymbols(Box<(File, Image, Lookup)>),
    /// Finds the source of the function that contains an address.
    Source(u64),
    Calls(Box<Scan>),
    Idle,
}

impl Binary {
    /// A binary of `size` bytes.
    pub fn new(size: u64) -> Self {
        Self {
            file: Rc::new(File::new(size)),
            image: Rc::default(),
            functions: Vec::new(),
            starts: Vec::new(),
            found: Vec::new(),
            debug: Debug::default(),
            source: None,
            calls: Vec::new(),
            task: Task::Head,
        }
    }

    /// Goes on with the question.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the binary. Further steps have nothing to do.
    pub fn step(&mut self) -> Result<Step, Fault> {
        match self.advance() {
            Ok(is_done) => Ok(if is_done { Step::Done } else { Step::More }),
            // Missing always says what is missing.
            Err(Stop::Missing) => Ok(self.file.missing().map_or(Step::Done, Step::Needs)),
            Err(Stop::Fault(fault)) => {
                self.task = Task::Idle;
                Err(fault)
            }
        }
    }

    /// Adds the bytes that a step needs, from its offset on.
    ///
    /// # Errors
    ///
    /// Returns an error if the file has fewer bytes than at first.
    pub fn push(&mut self, at: u64, bytes: Vec<u8>) -> Result<(), Fault> {
        self.file.push(at, bytes)
    }

    /// Steps until the question is answered, for a file that can be read at once.
    ///
    /// # Errors
    ///
    /// Returns the errors of `read`, and what is wrong with the binary.
    pub fn run<E>(&mut self, mut read: impl FnMut(Range) -> Result<Vec<u8>, E>) -> Result<Result<(), Fault>, E> {
        loop {
            match self.step() {
                Ok(Step::Done) => return Ok(Ok(())),
                Ok(Step::More) => {}
                Ok(Step::Needs(range)) => {
                    let bytes = read(range)?;
                    if let Err(fault) = self.push(range.at, bytes) {
                        return Ok(Err(fault));
                    }
                }
                Err(fault) => return Ok(Err(fault)),
            }
        }
    }

    /// The addresses of the functions that XRay has instrumented, by id from 1 on.
    pub fn functions(&self) -> &[u64] {
        &self.functions
    }

    /// What sort of binary it is.
    pub fn sort(&self) -> Sort {
        self.image.sort
    }

    /// Identifies the binary and its debug file. Empty if it has none.
    pub fn build_id(&self) -> &[u8] {
        &self.image.build_id
    }

    /// Whether it has a table of symbols.
    pub fn has_symbols(&self) -> bool {
        self.image.symbols.iter().any(|table| table.count > 1) || self.image.section(MINI_DEBUG_INFO).is_some()
    }

    /// Whether it is Mach-O, in which symbols have an underscore before them.
    pub fn is_macho(&self) -> bool {
        self.image.format == Format::MachO
    }

    /// The processor that it is for.
    pub fn architecture(&self) -> String {
        self.image.architecture.to_string()
    }

    /// The other processors that it has code for, which is not used.
    pub fn other_architectures(&self) -> Vec<String> {
        self.image.others.iter().map(ToString::to_string).collect()
    }

    /// The addresses that are loaded: the first, at the beginning of a page, and the one after the
    /// last. Both are 0 if unknown.
    pub fn span(&self) -> (u64, u64) {
        self.image.span
    }

    /// Whether it is loaded at the addresses that it has, and at no others.
    pub fn is_fixed(&self) -> bool {
        self.image.is_fixed
    }

    /// The addresses at which it has functions: of each section the first, and the one after the
    /// last.
    pub fn code(&self) -> Vec<(u64, u64)> {
        self.image.code().collect()
    }

    /// Begins to list the addresses of all functions.
    pub fn list_starts(&mut self) {
        self.task = Task::Starts(Starts::default());
    }

    /// The addresses of all functions that were listed, sorted.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// Begins to look for the functions that these addresses belong to.
    pub fn look_up(&mut self, addresses: Vec<u64>) {
        self.found = Vec::new();
        self.task = Task::Symbols(Lookup::new(addresses));
    }

    /// The functions that were found, by address. Takes them.
    pub fn take_found(&mut self) -> Vec<(u64, Function)> {
        std::mem::take(&mut self.found)
    }

    /// Whether it says which lines of the source its code comes from.
    pub fn has_lines(&self) -> bool {
        Debug::is_in(&self.image)
    }

    /// Begins to look for the source of the function that contains an address.
    pub fn find_source(&mut self, address: u64) {
        self.source = None;
        self.task = Task::Source(address);
    }

    /// The source that was found. Takes it.
    pub fn take_source(&mut self) -> Option<Source> {
        self.source.take()
    }

    /// Begins to look for what the functions that XRay has instrumented can call.
    pub fn find_calls(&mut self) {
        self.calls = Vec::new();
        self.task = Task::Calls(Box::default());
    }

    /// What functions can call, by their numbers from 1 on. Takes it. Empty if the code is not
    /// understood.
    pub fn take_calls(&mut self) -> Vec<callees::Function> {
        std::mem::take(&mut self.calls)
    }

    /// A name as in the source.
    pub fn name_of(&self, function: &Function) -> String {
        demangle(&function.symbol, self.is_macho())
    }

    fn advance(&mut self) -> Result<bool, Stop> {
        let (file, image) = (&self.file, &self.image);
        match &mut self.task {
            Task::Head => {
                self.image = Rc::new(Image::read(file)?);
                self.task = Task::Map(Sleds::default());
            }
            Task::Map(sleds) => {
                let Some(functions) = sleds.step(file, image)? else { return Ok(false) };
                self.functions = functions;
                self.task = Task::Idle;
            }
            Task::Starts(starts) => {
                let Some(found) = starts.step(file, image)? else { return Ok(false) };
                self.starts = found;
                let has_more = image.section(MINI_DEBUG_INFO).is_some();
                self.task = if has_more { Task::MiniStarts } else { Task::Idle };
            }
            Task::MiniStarts => {
                if let Some(unpacked) = mini::unpack(file, image)? {
                    let inner = File::of(unpacked);
                    let image = Image::read(&inner)?;
                    let mut starts = Starts::default();
                    // All of it is in memory.
                    let found = loop {
                        if let Some(found) = starts.step(&inner, &image)? {
                            break found;
                        }
                    };
                    self.starts.extend(found);
                    self.starts.sort_unstable();
                    self.starts.dedup();
                }
                self.task = Task::Idle;
            }
            Task::Symbols(lookup) => {
                if lookup.step(file, image)? {
                    let missing = lookup.unnamed();
                    self.found = std::mem::take(lookup).found();
                    let has_more = !missing.is_empty() && image.section(MINI_DEBUG_INFO).is_some();
                    self.task = if has_more { Task::Mini(missing) } else { Task::Idle };
                }
            }
            Task::Mini(addresses) => {
                let Some(unpacked) = mini::unpack(file, image)? else {
                    self.task = Task::Idle;
                    return Ok(true);
                };
                let inner = File::of(unpacked);
                let image = Image::read(&inner)?;
                let lookup = Lookup::new(std::mem::take(addresses));
                self.task = Task::MiniSymbols(Box::new((inner, image, lookup)));
            }
            Task::MiniSymbols(inner) => {
                let (file, image, lookup) = &mut **inner;
                if lookup.step(file, image)? {
                    self.found.extend(std::mem::take(lookup).found());
                    self.found.sort_by_key(|(address, _)| *address);
                    self.task = Task::Idle;
                }
            }
            Task::Source(address) => {
                let Some(source) = self.debug.step(file, image, *address)? else { return Ok(false) };
                self.source = source;
                self.task = Task::Idle;
            }
            Task::Calls(scan) => {
                let Some(calls) = scan.step(file, image, &self.functions)? else { return Ok(false) };
                self.calls = calls;
                self.task = Task::Idle;
            }
            Task::Idle => {}
        }
        Ok(matches!(self.task, Task::Idle))
    }
}
