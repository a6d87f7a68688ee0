//! The calls of a trace, read from its file.

use core::ops::Range;

use unspool_formats::apitrace::{self, ApitraceRecords};
use unspool_records::{AHEAD, ByteSource, Reads, Unreadable, Window, run_pass};
use unspool_trace::records::{Extent, Records};
use unspool_trace::{Cause, Error};

use unspool_gl::call::Call;

/// Bytes that are read at once for a few pieces.
const STRETCH: usize = 256 << 10;
/// Pieces that count as one stretch.
const FEW: u32 = 4;

/// Receives calls.
pub trait CallVisitor {
    /// The number that calls of a function get ([`Call::function`]). `None` if its calls are not
    /// wanted. The answer must not change during a pass.
    fn function(&mut self, name: &str) -> Option<u32>;

    /// Whether the values of a call are wanted. Only its number and function are known yet.
    fn wants(&mut self, _number: u64, _function: u32) -> bool {
        true
    }

    /// A call has returned.
    fn call(&mut self, call: &Call);

    /// Whether calls are wanted as text, too (`Call::line`).
    fn writes_lines(&self) -> bool {
        false
    }

    /// The extent to which bytes of values are needed: [`Call::left_out`] has the digests of
    /// [`Extent::Digested`].
    fn extent(&self) -> Extent {
        Extent::Shown
    }

    /// Whether the pass must stop after the current call.
    fn is_full(&self) -> bool {
        false
    }
}

/// The file of a trace and the index that the session made of it.
pub struct Reader<S> {
    records: ApitraceRecords,
    source: S,
    window: Window,
    call: Call,
    functions: Functions,
}

/// The id of the only format with graphics calls. The row itself would bring all that it names into
/// the module.
const FORMAT: &str = apitrace::ROW.format.id;

/// What the visitor said of functions, by their indexes in the trace. The outer option is `None`
/// before it is asked.
type Functions = Vec<Option<Option<u32>>>;

impl<S: ByteSource> Reader<S> {
    /// A reader of an apitrace. `index` is the index that its decoder handed over.
    ///
    /// # Errors
    ///
    /// Returns [`unspool_trace::Cause::Misuse`] if the trace is of another format, or for bytes
    /// that are not an index.
    pub fn open(format: &str, index: &[u8], source: S) -> Result<Self, Error> {
        if format != FORMAT {
            return Err(Error::new(0, Cause::Misuse("only an apitrace has graphics calls")));
        }
        // Not the table of all formats: the module would contain all their readers.
        Ok(Self::new(ApitraceRecords::open(index)?, source))
    }

    /// A reader that keeps another number of bytes of each blob than the session does for details:
    /// 0 if only their lengths are wanted, `u64::MAX` for all, as far as a call has no more than 64
    /// MiB.
    ///
    /// # Errors
    ///
    /// Those of [`Reader::open`].
    pub fn keeping(index: &[u8], source: S, bytes: u64) -> Result<Self, Error> {
        Ok(Self::new(ApitraceRecords::keeping(index, bytes)?, source))
    }

    fn new(records: ApitraceRecords, source: S) -> Self {
        Self { records, source, window: Window::default(), call: Call::default(), functions: Functions::new() }
    }

    /// Whether passes need a decompressor that is provided ([`Records::needs_decompressor`]).
    pub fn needs_decompressor(&self) -> bool {
        self.records.needs_decompressor()
    }

    /// Number of calls.
    pub fn count(&self) -> u64 {
        self.records.lanes().first().map_or(0, |lane| lane.rows)
    }

    /// Number of pieces.
    pub fn pieces(&self) -> u32 {
        self.records.lanes().first().map_or(0, |lane| lane.pieces.len() as u32)
    }

    /// The first call of a piece; the number of calls for those after the last.
    pub fn first_of(&self, piece: u32) -> u64 {
        let lane = self.records.lanes().first();
        lane.map_or(0, |lane| lane.pieces.get(piece as usize).map_or(lane.rows, |piece| piece.row))
    }

    /// The piece of a call, or the last one.
    pub fn piece_of(&self, call: u64) -> u32 {
        let pieces = self.records.lanes().first().map_or(&[][..], |lane| &lane.pieces);
        pieces.partition_point(|piece| piece.row <= call).saturating_sub(1) as u32
    }

    /// Passes the calls of these pieces to a visitor, in the order in which they returned. Those
    /// that did not return come last.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn pass(&mut self, pieces: Range<u32>, visitor: &mut dyn CallVisitor) -> Result<(), Unreadable> {
        let ahead = if pieces.len() as u32 > FEW { AHEAD } else { STRETCH };
        self.functions.clear();
        let mut pass = self.records.calls(pieces);
        let mut calls = Calls { visitor, call: &mut self.call, functions: &mut self.functions };
        run_pass(&mut *pass, &self.source, &mut self.window, Reads::ahead(ahead), &mut calls)
    }
}

/// Reads all calls in steps.
pub(crate) struct Steps<S> {
    /// Reads any calls in between.
    pub(crate) reader: Reader<S>,
    next: u32,
}

impl<S: ByteSource> Steps<S> {
    /// Nothing is read yet.
    pub(crate) fn new(reader: Reader<S>) -> Self {
        Self { reader, next: 0 }
    }

    /// Passes the calls of `budget` further pieces to a visitor, as [`Reader::pass`]. Returns
    /// whether there is nothing more to read.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub(crate) fn step(&mut self, budget: u32, visitor: &mut dyn CallVisitor) -> Result<bool, Unreadable> {
        let of = self.reader.pieces();
        let end = self.next.saturating_add(budget.max(1)).min(of);
        if self.next < end {
            self.reader.pass(self.next..end, visitor)?;
            self.next = end;
        }
        Ok(end == of)
    }

    /// Number of pieces read, and of all.
    pub(crate) fn progress(&self) -> (u32, u32) {
        (self.next, self.reader.pieces())
    }
}

/// Makes calls of records.
struct Calls<'a> {
    visitor: &'a mut dyn CallVisitor,
    call: &'a mut Call,
    functions: &'a mut Functions,
}

impl Calls<'_> {
    /// The number that the visitor gives to calls of a function.
    fn function(&mut self, call: &apitrace::Call<'_>) -> Option<u32> {
        let at = call.function() as usize;
        if let Some(Some(known)) = self.functions.get(at) {
            return *known;
        }
        let known = self.visitor.function(call.name());
        if self.functions.len() <= at {
            self.functions.resize(at + 1, None);
        }
        if let Some(slot) = self.functions.get_mut(at) {
            *slot = Some(known);
        }
        known
    }
}

impl apitrace::CallVisitor for Calls<'_> {
    fn may_want(&mut self, name: &str, _keys: &mut dyn Iterator<Item = &str>) -> bool {
        self.visitor.function(name).is_some()
    }

    fn call(&mut self, call: &apitrace::Call<'_>) {
        if let Some(function) = self.function(call).filter(|function| self.visitor.wants(call.number, *function)) {
            self.call.take(call, function);
            if self.visitor.writes_lines() {
                self.call.take_line(call);
            }
            self.visitor.call(self.call);
        }
    }

    fn extent(&self) -> Extent {
        self.visitor.extent()
    }

    fn is_full(&self) -> bool {
        self.visitor.is_full()
    }
}
