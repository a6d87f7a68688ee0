//! A trace as text: byte for byte as `apitrace dump -v --color=never` prints it, or as JSON lines.
//!
//! Follows `cli/cli_dump.cpp` and `lib/trace/trace_dump.cpp`, oddities included: octal escapes have
//! their first digit doubled, and truncated calls are dropped. GUIDs are printed as numbers,
//! because their names are unknown here.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use unspool_trace::decoder::{Progress, TextDump, Want};
use unspool_trace::error::Result;
use unspool_trace::part::Part;
use unspool_trace::problem::{LEFT_OUT, Problem, TOO_DEEP, TRUNCATED};
use unspool_trace::sniff::{OpenOptions, Text};

use super::beginning::{Beginning, unsupported};
use super::decode::Cut;
use super::json::Json;
use super::lines::{Lines, MAX_OPEN, Notation};
use super::plain::Plain;
use super::problems::CUT_CALL;
use super::stream::Stream;

/// Begins to print a trace.
pub(super) fn open(head: &[u8], text: Text, options: OpenOptions) -> Result<Option<Box<dyn TextDump>>> {
    let beginning = Beginning::of(head);
    beginning.check_version()?;
    Ok(match text {
        Text::Apitrace { thread_ids } => Some(Box::new(Printer::new(&beginning, Plain::new(thread_ids), options))),
        Text::Jsonl { blobs } => Some(Box::new(Printer::new(&beginning, Json::new(blobs), options))),
    })
}

/// Prints a trace.
struct Printer<N> {
    stream: Stream,
    lines: Lines<N>,
    header: bool,
    told_too_many: bool,
    done: bool,
    options: OpenOptions,
    problems: Vec<Problem>,
}

impl<N: Notation> Printer<N> {
    fn new(beginning: &Beginning, notation: N, options: OpenOptions) -> Self {
        Self {
            stream: Stream::new(beginning.container, &options.limits, None),
            lines: Lines::new(notation),
            header: false,
            told_too_many: false,
            done: false,
            options,
            problems: Vec::new(),
        }
    }

    fn after(&mut self, out: &mut String) -> Result<()> {
        if self.stream.broken().is_some_and(|b| b.version) {
            return Err(unsupported(self.stream.walk.header().version));
        }
        if !self.header && (self.stream.walk.has_header() || self.stream.is_over()) {
            self.header = true;
            self.lines.notation.header(out, self.stream.walk.header());
        }
        out.push_str(&self.lines.out);
        self.lines.out.clear();
        self.report_left_out();
        if self.lines.too_many && !core::mem::replace(&mut self.told_too_many, true) {
            self.problems.push(Problem { at: self.stream.file_at(), kind: &TOO_DEEP, value: MAX_OPEN as u64 });
        }
        self.done |= self.lines.part.is_over;
        if self.stream.is_over() && !self.done {
            self.finish(out);
        }
        Ok(())
    }

    fn report_left_out(&mut self) {
        let value = self.lines.take_left_out();
        if value > 0 {
            self.problems.push(Problem { at: self.stream.file_at(), kind: &LEFT_OUT, value });
        }
    }

    fn finish(&mut self, out: &mut String) {
        self.done = true;
        if let Some(problem) = self.stream.malformed(self.options.size) {
            // apitrace stops here and does not print open calls.
            self.problems.push(problem);
        } else {
            let at = self.stream.file_at();
            match self.stream.cut() {
                Cut::Nothing => {}
                Cut::Header if self.stream.len() == 0 => {}
                Cut::Header => self.problems.push(Problem { at, kind: &TRUNCATED, value: 0 }),
                Cut::Enter => {
                    let value = self.stream.walk.calls().saturating_sub(1);
                    self.problems.push(Problem { at, kind: &CUT_CALL, value });
                }
                Cut::Number { call } => {
                    // apitrace reads the truncated number, and drops the call with that number.
                    self.lines.forget(call);
                    self.problems.push(Problem { at, kind: &TRUNCATED, value: 0 });
                }
                Cut::Leave { call } => {
                    self.lines.forget(call);
                    self.problems.push(Problem { at, kind: &CUT_CALL, value: call });
                }
            }
            self.lines.finish(&self.stream.tables);
            out.push_str(&core::mem::take(&mut self.lines.out));
            self.report_left_out();
        }
        self.problems.extend(self.stream.take_problem(self.options.size));
    }
}

impl<N: Notation> TextDump for Printer<N> {
    fn push(&mut self, input: &[u8], out: &mut String) -> Result<Progress> {
        let mut used = 0;
        self.lines.blobs_taken();
        loop {
            let fed = self.stream.feed(input.get(used..).unwrap_or_default(), &mut self.lines);
            used += fed.used;
            self.after(out)?;
            if !fed.more || !out.is_empty() || self.done || self.lines.has_blobs() {
                return Ok(Progress { used });
            }
        }
    }

    fn end(&mut self, rest: &[u8], out: &mut String) -> Result<()> {
        self.lines.closing = true;
        self.stream.end(rest, &mut self.lines);
        self.after(out)
    }

    fn want(&self) -> Want {
        if self.done { Want::Nothing } else { Want::Next }
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.problems)
    }

    fn part(&mut self) -> &mut Part {
        &mut self.lines.part
    }
}
