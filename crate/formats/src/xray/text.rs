//! A log as text: one JSON object per record, with each thread's buffers in time order.
//!
//! The first pass lists the buffers and finds what is wrong with them, the second one prints them.
//! A log whose buffers are in order is printed in file order.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use hashbrown::HashMap;
use unspool_trace::batch::Key;
use unspool_trace::decoder::{Progress, TextDump, Want};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::naming::Naming;
use unspool_trace::part::Part;
use unspool_trace::problem::Problem;
use unspool_trace::sniff::{OpenOptions, Text};

use crate::hex::push_hex;
use crate::json::put_text;

use super::checkpoints::Checkpoint;
use super::decode::{Event, Function, Sink};
use super::plan::{Plan, Planned};
use super::record::{Head, Record, kind_of, kind_of_event};
use super::walk::Walk;
use super::wire::{HEADER_LEN, Header};
use super::yaml::YamlWalk;

/// Begins to print a log as JSON lines. Returns `None` for any other kind of text.
pub(super) fn open(head: &[u8], text: Text, options: OpenOptions) -> Result<Option<Box<dyn TextDump>>> {
    let lines = match super::yaml::header(head) {
        Some(header) => JsonLines::yaml(header),
        None => JsonLines::new(Header::parse(head)?, options),
    };
    Ok(match text {
        Text::Jsonl { .. } => Some(Box::new(lines)),
        Text::Apitrace { .. } => None,
    })
}

/// Approximate size of a portion of text, in bytes.
const PORTION: usize = 1 << 20;

/// Prints JSON lines.
pub(crate) struct JsonLines {
    header: Header,
    walk: Walk,
    at: u64,
    phase: Phase,
    plan: Plan,
    buffers: Vec<Planned>,
    lines: Lines,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Header,
    /// FDR: lists the buffers. Basic and YAML: prints the records.
    First,
    /// FDR: prints the records of the listed buffers.
    Second,
}

impl JsonLines {
    /// Prints a log in YAML.
    pub(crate) fn yaml(header: Header) -> Self {
        let mut lines = Self::new(header, OpenOptions::default());
        (lines.walk, lines.phase) = (Walk::Yaml(YamlWalk::new(0)), Phase::First);
        lines
    }

    pub(crate) fn new(header: Header, options: OpenOptions) -> Self {
        let walk = Walk::new(&header, options.size);
        Self {
            header,
            walk,
            at: 0,
            phase: Phase::Header,
            plan: Plan::default(),
            buffers: Vec::new(),
            lines: Lines::default(),
        }
    }
}

impl TextDump for JsonLines {
    fn push(&mut self, input: &[u8], out: &mut String) -> Result<Progress> {
        let mut used = 0;
        if self.phase == Phase::Header {
            used = usize::try_from(HEADER_LEN - self.at).unwrap_or(usize::MAX).min(input.len());
            self.at += used as u64;
            if self.at < HEADER_LEN {
                return Ok(Progress { used });
            }
            self.phase = Phase::First;
        }
        let rest = input.get(used..).unwrap_or_default();
        used += match (&mut self.walk, self.phase) {
            (Walk::Fdr(walk), Phase::First) => {
                walk.run(rest, &mut ListBuffers { buffers: &mut self.buffers, problems: &mut self.lines.problems })
            }
            (Walk::Fdr(walk), _) => self.plan.run(&self.header, walk, rest, &mut self.lines, |lines, planned| {
                lines.finish();
                (lines.pid, lines.tid) = (planned.start.pid, planned.start.tid);
            }),
            (walk, _) => walk.run(rest, &mut self.lines),
        };
        if self.want() == Want::Nothing {
            self.lines.finish();
        }
        self.lines.hand_out(out);
        Ok(Progress { used })
    }

    fn end(&mut self, rest: &[u8], out: &mut String) -> Result<()> {
        match (&mut self.walk, self.phase) {
            (_, Phase::Header) => {
                return Err(Error::new(self.at, Cause::UnexpectedEnd { needed: HEADER_LEN - self.at }));
            }
            (Walk::Fdr(walk), Phase::First) => {
                let mut list = ListBuffers { buffers: &mut self.buffers, problems: &mut self.lines.problems };
                walk.end(rest, &mut list);
                let mut threads: HashMap<(i32, i32), Vec<Planned>> = HashMap::new();
                for buffer in core::mem::take(&mut self.buffers) {
                    threads.entry((buffer.start.pid, buffer.start.tid)).or_default().push(buffer);
                }
                self.plan = Plan::new(threads.into_values());
                self.lines.again = true;
            }
            (Walk::Fdr(walk), _) => self.plan.end(walk, rest, &mut self.lines),
            (walk, _) => walk.end(rest, &mut self.lines),
        }
        self.phase = Phase::Second;
        if self.want() == Want::Nothing {
            self.lines.finish();
        }
        self.lines.hand_out(out);
        Ok(())
    }

    fn want(&self) -> Want {
        match (self.phase, &self.walk) {
            (Phase::Header | Phase::First, _) => Want::Next,
            (Phase::Second, Walk::Fdr(_)) => self.plan.want(),
            (Phase::Second, Walk::Basic(_) | Walk::Yaml(_)) => Want::Nothing,
        }
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        core::mem::take(&mut self.lines.problems)
    }

    fn part(&mut self) -> &mut Part {
        &mut self.lines.part
    }

    fn name_by(&mut self, namings: Vec<Naming>) -> bool {
        self.lines.namings = namings;
        true
    }
}

/// The sink of the first pass: lists the buffers. It walks over their records, because those of
/// another thread may follow within a buffer.
struct ListBuffers<'a> {
    buffers: &'a mut Vec<Planned>,
    problems: &'a mut Vec<Problem>,
}

impl Sink for ListBuffers<'_> {
    fn is_full(&self) -> bool {
        false
    }

    fn buffer(&mut self, start: Checkpoint, clock: Option<u64>) -> Option<u64> {
        let clock = clock.unwrap_or(0);
        self.buffers.push(Planned { start: Checkpoint { clock, ..start }, number: 0 });
        Some(clock)
    }

    fn function(&mut self, _function: Function) {}
    fn event(&mut self, _event: Event) {}
    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

/// The sink that prints. It holds a line back until its arguments or payload are complete.
#[derive(Default)]
struct Lines {
    pid: i32,
    tid: i32,
    record: Record,
    text: String,
    problems: Vec<Problem>,
    /// This is the second pass over the file: its problems have been reported.
    again: bool,
    /// Names of functions by id.
    namings: Vec<Naming>,
    part: Part,
}

impl Lines {
    fn hand_out(&mut self, out: &mut String) {
        if out.is_empty() {
            core::mem::swap(out, &mut self.text);
        } else {
            out.push_str(&self.text);
            self.text.clear();
        }
    }

    /// Ends the current line.
    fn finish(&mut self) {
        let Some(head) = self.record.head.take() else { return };
        let Self { pid, tid, record: Record { arguments, payload, .. }, text, namings, part, .. } = self;
        let (cpu, kind, func, clock) = match &head {
            Head::Function(f) => (f.cpu, kind_of(f.kind, !arguments.is_empty()), f.func, f.clock),
            Head::Event(event) => (event.cpu, kind_of_event(event), 0, event.clock),
        };
        let key = if let Head::Function(f) = &head { Key::Id(f.func.into()) } else { Key::None };
        let named = namings.iter().rev().find_map(|naming| naming.of(key));
        if !part.has_position(clock)
            || !part.has_thread(u64::try_from(*tid).ok())
            || !part.has_name(named.as_ref().map(|named| named.place.text.as_str()))
        {
            return;
        }
        part.printed += 1;
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            r#"{{"thread":{tid},"process":{pid},"cpu":{cpu},"kind":"{kind}","func_id":{func},"tsc":{clock}"#
        );
        match head {
            Head::Function(_) => {
                if let Some(named) = named {
                    text.push_str(",\"function\":");
                    put_text(text, &named.place.text);
                }
                for (i, value) in arguments.iter().enumerate() {
                    let _ = write!(text, "{}{value}", if i == 0 { ",\"args\":[" } else { "," });
                }
                text.push_str(if arguments.is_empty() { "}\n" } else { "]}\n" });
            }
            Head::Event(event) => {
                text.push_str(",\"data\":\"");
                push_hex(text, payload);
                let _ = match event.kind {
                    Some(kind) => writeln!(text, "\",\"type\":{kind}}}"),
                    None => writeln!(text, "\",\"type\":null}}"),
                };
            }
        }
    }
}

impl Sink for Lines {
    fn is_full(&self) -> bool {
        self.text.len() >= PORTION
    }

    // Another thread's records within the current buffer have their own entry in the plan.
    fn buffer(&mut self, _start: Checkpoint, _clock: Option<u64>) -> Option<u64> {
        None
    }

    fn thread(&mut self, pid: i32, tid: i32, _at: u64) {
        self.finish();
        (self.pid, self.tid) = (pid, tid);
    }

    fn function(&mut self, function: Function) {
        self.finish();
        self.record.begin(Head::Function(function));
    }

    fn argument(&mut self, value: u64) {
        self.record.argument(value, usize::MAX);
    }

    fn event(&mut self, event: Event) {
        self.finish();
        self.record.begin(Head::Event(event));
    }

    fn payload(&mut self, bytes: &[u8]) {
        self.record.payload(bytes, usize::MAX);
    }

    fn problem(&mut self, problem: Problem) {
        if !self.again {
            self.problems.push(problem);
        }
    }
}
