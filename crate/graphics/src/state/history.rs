//! State at any call of a trace: roots at the beginning of each piece of it, and the fold from
//! there.

use unspool_gl::Function;
use unspool_records::{ByteSource, Unreadable};
use unspool_trace::Error;

use super::inputs::Order;
use super::report::{Found, Report};
use crate::reader::{CallVisitor, Reader};
use unspool_gl::call::Call;
use unspool_gl::machine::{Machine, Root, is_draw};

/// How far a history is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// State is known at calls before this one.
    pub built: u64,
    /// Number of calls of the trace.
    pub count: u64,
    /// Pieces that were read, and all.
    pub pieces: u32,
    /// Number of all pieces.
    pub of: u32,
    /// Bytes of memory, about.
    pub bytes: usize,
    /// There is no memory for more.
    pub is_full: bool,
}

/// A root, which has everything before a piece but calls of earlier pieces that returned later.
struct Kept {
    root: Root,
    /// The first piece that has a call that returned after the root was kept.
    from: u32,
}

/// The state of a trace, built in portions.
pub struct History<S> {
    reader: Reader<S>,
    machine: Machine,
    roots: Vec<Kept>,
    /// Calls that returned while a later piece was read: the piece.
    late: Vec<(u64, u32)>,
    limit: usize,
}

impl<S: ByteSource> History<S> {
    /// A history that has read nothing yet. `index` is what the decoder of the trace handed over,
    /// `limit` the most bytes of memory.
    ///
    /// # Errors
    ///
    /// Those of [`Reader::open`].
    pub fn open(format: &str, index: &[u8], source: S, limit: usize) -> Result<Self, Error> {
        let reader = Reader::open(format, index, source)?;
        let machine = Machine::default();
        let roots = vec![Kept { root: machine.root(), from: 0 }];
        Ok(Self { reader, machine, roots, late: Vec::new(), limit })
    }

    /// The reader of the trace.
    pub fn reader(&mut self) -> &mut Reader<S> {
        &mut self.reader
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let pieces = self.roots.len() as u32 - 1;
        let roots: usize = self.roots.iter().map(|kept| size_of::<Kept>() + kept.root.bytes()).sum();
        let bytes = roots + self.machine.memory();
        let (built, count, of) = (self.reader.first_of(pieces), self.reader.count(), self.reader.pieces());
        Progress { built, count, pieces, of, bytes, is_full: bytes > self.limit && pieces < of }
    }

    /// Reads `budget` further pieces. Returns whether there is nothing more to read, or no room for
    /// more.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn build(&mut self, budget: u32) -> Result<bool, Unreadable> {
        let Progress { pieces, of, is_full, .. } = self.progress();
        let end = pieces.saturating_add(budget.max(1)).min(of);
        if pieces < end && !is_full {
            let firsts = (pieces..end).map(|piece| self.reader.first_of(piece + 1)).collect();
            let Self { reader, machine, roots, late, .. } = self;
            let mut building = Building { machine, roots, late, firsts, base: pieces, at: 0 };
            reader.pass(pieces..end, &mut building)?;
            while building.at < building.firsts.len() {
                building.keep();
            }
        }
        let now = self.progress();
        Ok(now.pieces == of || now.is_full)
    }

    /// What the context of a call's thread holds after the call, or before it. `None` if there is
    /// no such call, or it is not built yet.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn at(&mut self, call: u64, is_before: bool) -> Result<Option<Report>, Unreadable> {
        let Progress { built, .. } = self.progress();
        if call >= built {
            return Ok(None);
        }
        let piece = self.reader.piece_of(call);
        let until = self.late.iter().find(|(late, _)| *late == call).map_or(piece, |(_, until)| *until);
        let Some(kept) = self.roots.get(piece as usize) else { return Ok(None) };
        let (first, from) = (self.reader.first_of(piece), kept.from.min(piece));
        let reader = &mut self.reader;
        self.machine.with_root(kept.root.clone(), |machine| {
            let names = Vec::new();
            let mut fold = Fold { machine, names, first, is_skipping: true, call, is_before, found: None };
            reader.pass(from..until + 1, &mut fold)?;
            let found = fold.found.take();
            Ok(found.map(|found| Report::of(fold.machine, call, found, is_before)))
        })
    }
}

/// Builds roots.
struct Building<'a> {
    machine: &'a mut Machine,
    roots: &'a mut Vec<Kept>,
    late: &'a mut Vec<(u64, u32)>,
    /// The first calls of the pieces after each of this pass.
    firsts: Vec<u64>,
    /// The first piece of the pass.
    base: u32,
    /// How many of its pieces are complete, but for calls that return late.
    at: usize,
}

impl Building<'_> {
    /// The next piece begins.
    fn keep(&mut self) {
        self.at += 1;
        self.roots.push(Kept { root: self.machine.root(), from: self.base + self.at as u32 });
    }

    /// A call has returned although the next piece has begun.
    fn note_late(&mut self, call: u64) {
        let of = self.base + self.firsts.partition_point(|first| *first <= call) as u32;
        let now = self.base + self.at as u32;
        self.late.push((call, now));
        for kept in self.roots.iter_mut().skip(of as usize + 1) {
            kept.from = kept.from.min(of);
        }
    }
}

impl CallVisitor for Building<'_> {
    fn function(&mut self, name: &str) -> Option<u32> {
        self.machine.function(name)
    }

    fn call(&mut self, call: &Call) {
        while self.firsts.get(self.at).is_some_and(|first| call.number >= *first) {
            self.keep();
        }
        let first = self.at.checked_sub(1).and_then(|before| self.firsts.get(before));
        if first.is_some_and(|first| call.number < *first) {
            self.note_late(call.number);
        }
        self.machine.apply(call);
    }
}

/// Takes calls from a root to a call.
struct Fold<'a> {
    machine: &'a mut Machine,
    /// Names of functions, by the number that calls get.
    names: Vec<(String, Option<u32>)>,
    /// The first call of the piece whose root this is. What was delivered before a call from there
    /// on is in the root.
    first: u64,
    is_skipping: bool,
    call: u64,
    is_before: bool,
    found: Option<Found>,
}

impl CallVisitor for Fold<'_> {
    fn function(&mut self, name: &str) -> Option<u32> {
        let known = self.machine.function(name);
        self.names.push((name.into(), known));
        Some(self.names.len() as u32 - 1)
    }

    fn call(&mut self, call: &Call) {
        let (name, known) = match self.names.get(call.function as usize) {
            Some((name, known)) => (name.clone(), *known),
            None => return,
        };
        // Building has noticed the piece by a call that changes state.
        if self.is_skipping && call.number >= self.first && known.is_some() {
            self.is_skipping = false;
        }
        let is_it = call.number == self.call;
        if (!self.is_skipping || is_it) && !(is_it && self.is_before) {
            match known {
                Some(function) => {
                    let mut call = call.clone();
                    call.function = function;
                    self.machine.apply(&call);
                }
                None => self.machine.look(call.thread),
            }
        } else if is_it {
            self.machine.look(call.thread);
        }
        if is_it {
            let function = Function::of(&name);
            let order = function.is_gl().then(|| Order::of(call, &name, function.plain())).flatten();
            self.found = Some(Found { is_draw: is_draw(call, &name), name, order });
        }
    }

    fn is_full(&self) -> bool {
        self.found.is_some()
    }
}
