//! The walk over the records of basic mode, all versions.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use hashbrown::HashMap;
use unspool_trace::input::Cursor;
use unspool_trace::problem::{MALFORMED, Problem, TRUNCATED};

use super::decode::{Function, Sink};
use super::problems::STRAY_ARGUMENT;
use super::wire::{BASIC_LEN, Basic, Header, Wire};

/// Walks over the records of basic mode.
#[derive(Clone, Debug)]
pub(crate) struct BasicWalk {
    wire: Wire,
    at: u64,
    /// Function, thread and process of the previous record if that is an enter.
    enter: Option<(i32, u32, u32)>,
    /// Thread and process of the previous function record.
    thread: Option<(u32, u32)>,
    copies: Copies,
}

/// Records of a thread that are remembered. Writers keep 4,096 until they write them, unless
/// another number was set.
const MOST_KNOWN: usize = 1 << 14;
/// Threads whose records are remembered.
const MOST_THREADS: usize = 128;

/// The latest records of threads, to know them again: a process that forks inherits what its parent
/// has not written yet, and writes it, too.
#[derive(Clone, Debug, Default)]
struct Copies {
    by_id: HashMap<(u32, u32), usize>,
    threads: Vec<Recent>,
    /// The thread of the latest record, and its index: threads write many records at once.
    latest: Option<((u32, u32), usize)>,
}

/// The latest records of a thread: their clocks, and hashes of their bytes.
#[derive(Clone, Debug, Default)]
struct Recent {
    records: VecDeque<(u64, u64)>,
    /// The index of the record that the next one is if it is a copy, too.
    next: Option<usize>,
}

impl Copies {
    /// The records of a thread. `None` if there is no room for another one.
    #[inline]
    fn recent(&mut self, thread: (u32, u32)) -> Option<&mut Recent> {
        let index = match self.latest {
            Some((latest, index)) if latest == thread => index,
            _ => {
                let new = self.threads.len();
                let index = self.by_id.get(&thread).copied().or_else(|| (new < MOST_THREADS).then_some(new))?;
                if index == new {
                    self.by_id.insert(thread, index);
                    self.threads.push(Recent::default());
                }
                self.latest = Some((thread, index));
                index
            }
        };
        self.threads.get_mut(index)
    }

    /// Whether a record of a thread is a copy. A run of copies begins where the clock goes back to
    /// a record that is the same.
    fn has(&mut self, thread: (u32, u32), clock: u64, bytes: &[u8; BASIC_LEN]) -> bool {
        let Some(Recent { records, next }) = self.recent(thread) else { return false };
        let record = (clock, hash_of(bytes));
        if let Some(index) = next.filter(|index| records.get(*index) == Some(&record)) {
            *next = Some(index + 1);
            return true;
        }
        *next = None;
        if records.back().is_some_and(|latest| clock < latest.0) {
            let first = records.partition_point(|it| it.0 < clock);
            let same = records.range(first..).take_while(|it| it.0 == clock).position(|it| *it == record);
            *next = same.map(|at| first + at + 1);
            // A clock that goes back otherwise would disturb the order.
            return same.is_some();
        }
        if records.len() == MOST_KNOWN {
            records.pop_front();
        }
        records.push_back(record);
        false
    }
}

fn hash_of(bytes: &[u8; BASIC_LEN]) -> u64 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    bytes.as_chunks().0.iter().fold(0, |hash, word| mix(hash, u64::from_le_bytes(*word)))
}

impl BasicWalk {
    /// A walk that begins at the record at absolute offset `at`.
    pub(crate) fn new(header: &Header, at: u64) -> Self {
        Self { wire: header.wire(), at, enter: None, thread: None, copies: Copies::default() }
    }

    /// Walks over `input`. Returns the number of bytes used.
    pub(crate) fn run(&mut self, input: &[u8], sink: &mut impl Sink) -> usize {
        let mut c = Cursor::new(input, self.at);
        while !sink.is_full()
            && let Some(bytes) = c.peek_array::<BASIC_LEN>()
        {
            self.record(c.at(), bytes, sink);
            c.take_up_to(BASIC_LEN as u64);
        }
        self.at = c.at();
        input.len() - c.len()
    }

    /// The file ends after `rest`, which the last [`BasicWalk::run`] did not use.
    pub(crate) fn end(&mut self, rest: &[u8], sink: &mut impl Sink) {
        if !rest.is_empty() {
            let at = self.at.saturating_add(rest.len() as u64);
            let value = (BASIC_LEN - rest.len() % BASIC_LEN) as u64;
            sink.problem(Problem { at, kind: &TRUNCATED, value });
        }
    }

    fn record(&mut self, at: u64, bytes: &[u8; BASIC_LEN], sink: &mut impl Sink) {
        let enter = self.enter.take();
        match Basic::parse(bytes, self.wire) {
            Ok(Basic::Function { cpu, kind: Ok(kind), func, clock, tid, pid }) => {
                if self.thread != Some((tid, pid)) {
                    self.thread = Some((tid, pid));
                    sink.thread(pid as i32, tid as i32, at);
                }
                self.enter = kind.is_enter().then_some((func, tid, pid));
                let function = Function { at, kind, func, clock, cpu: cpu.into() };
                if self.copies.has((tid, pid), clock, bytes) {
                    sink.copied(function);
                } else {
                    sink.function(function);
                }
            }
            Ok(Basic::Argument { func, tid, pid, value }) if enter == Some((func, tid, pid)) => sink.argument(value),
            Ok(Basic::Argument { value, .. }) => sink.problem(Problem { at, kind: &STRAY_ARGUMENT, value }),
            Ok(Basic::Function { kind: Err(_), .. }) | Err(_) => {
                sink.problem(Problem { at, kind: &MALFORMED, value: BASIC_LEN as u64 });
            }
        }
    }
}
