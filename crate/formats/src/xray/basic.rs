//! The walk over the records of basic mode, all versions.

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
}

impl BasicWalk {
    /// A walk that begins at the record at absolute offset `at`.
    pub(crate) fn new(header: &Header, at: u64) -> Self {
        Self { wire: header.wire(), at, enter: None, thread: None }
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
                sink.function(Function { at, kind, func, clock, cpu: cpu.into() });
            }
            Ok(Basic::Argument { func, tid, pid, value }) if enter == Some((func, tid, pid)) => sink.argument(value),
            Ok(Basic::Argument { value, .. }) => sink.problem(Problem { at, kind: &STRAY_ARGUMENT, value }),
            Ok(Basic::Function { kind: Err(_), .. }) | Err(_) => {
                sink.problem(Problem { at, kind: &MALFORMED, value: BASIC_LEN as u64 });
            }
        }
    }
}
