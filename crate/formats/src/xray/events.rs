//! The decoder and its phases: header, main pass, disordered threads in order.
//!
//! Buffers are in the order of a queue. The main pass lists a buffer that begins before its
//! thread's latest record, and walks over it only to find what is wrong there and where it ends. At
//! the end, such a thread is delivered again from its beginning, with all its buffers sorted by
//! their first clock:
//!
//! ```text
//! file      | A 10..20 | B 12..18 | A 40..50 | A 20..30 | B 18..25 |
//! main pass   A          B          A          (later)    B
//! at the end  Restart A, then A 10..20, A 20..30, A 40..50
//! ```
//!
//! `plan.rs` decides the reading order.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use unspool_trace::batch::EventBatch;
use unspool_trace::callees::Jumps;
use unspool_trace::decoder::{Decoder, Progress, Want};
use unspool_trace::error::{Cause, Error, Result};
use unspool_trace::info::{Capability, Clock, Column, Info, Shows};
use unspool_trace::problem::grouped;
use unspool_trace::sniff::OpenOptions;

use super::FORMAT;
use super::left_calls::LeftCalls;
use super::plan::Plan;
use super::tail_calls::TailCalls;
use super::to_batch::{State, ToBatch};
use super::walk::Walk;
use super::wire::{HEADER_LEN, Header, Mode};
use super::yaml::YamlWalk;

/// The columns of the list of records.
pub(super) const COLUMNS: &[Column] = &[
    Column { label: "Time", shows: Shows::Position },
    Column { label: "Thread", shows: Shows::Thread },
    Column { label: "CPU", shows: Shows::Field("cpu") },
    Column { label: "Kind", shows: Shows::Field("kind") },
    Column { label: "Function", shows: Shows::Name },
    Column { label: "Arguments or payload", shows: Shows::Rest },
];

/// What a log offers: the first two unless it is in YAML, the last one only if its clock is known.
const OFFERS: &[Capability] = &[
    Capability::Stretches,
    Capability::OpenCalls,
    Capability::CallStacks,
    Capability::TailCalls,
    Capability::EventTypes,
    Capability::Time,
];

/// Decodes logs of all versions into events.
pub(crate) struct XrayDecoder {
    pub(super) header: Header,
    pub(super) walk: Walk,
    pub(super) at: u64,
    phase: Phase,
    plan: Plan,
    pub(super) state: State,
    failed: Option<Error>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Header,
    Main,
    /// Delivers the disordered threads again.
    Order,
}

impl XrayDecoder {
    /// A decoder for a log in YAML with this header.
    pub(crate) fn yaml(header: Header, options: OpenOptions) -> Self {
        let mut decoder = Self::new(header, options);
        decoder.walk = Walk::Yaml(YamlWalk::new(0));
        // The walk skips the lines of the header. Any version may have process ids.
        decoder.phase = Phase::Main;
        decoder.state.threads.has_process = true;
        decoder
    }

    /// A decoder for a binary log with this header.
    pub(crate) fn new(header: Header, options: OpenOptions) -> Self {
        let walk = Walk::new(&header, options.size);
        let mut state = State::new(&header, options.limits);
        state.tail_calls = options.nest_tail_calls.then(TailCalls::default);
        Self { header, walk, at: 0, phase: Phase::Header, plan: Plan::default(), state, failed: None }
    }

    /// What the title says after the version.
    fn form(&self) -> &'static str {
        match self.walk {
            Walk::Yaml(_) => ", YAML",
            _ if self.header.big_endian => ", big-endian",
            _ => "",
        }
    }

    fn check(&mut self) -> Result<()> {
        if let Some(error) = self.state.take_error() {
            self.failed = Some(error);
        }
        self.failed.map_or(Ok(()), Err)
    }
}

impl Decoder for XrayDecoder {
    fn info(&self) -> Info {
        let h = &self.header;
        let clock = match h.frequency {
            0 => Clock::Ticks,
            frequency => Clock::Seconds { frequency },
        };
        let mut properties = Vec::new();
        let frequency = match h.frequency {
            0 => "unknown: times are shown in ticks".to_string(),
            1_000_000_000 => "1 GHz (the clock of the operating system, not the TSC)".to_string(),
            hz if hz % 1_000_000_000 == 0 => format!("{} GHz", hz / 1_000_000_000),
            hz => format!("{}.{:03} MHz", hz / 1_000_000, hz / 1_000 % 1_000),
        };
        properties.push(("Clock", frequency));
        if h.mode == Mode::Fdr && h.buffer_size > 0 {
            properties.push(("Buffer size", format!("{} bytes", grouped(h.buffer_size))));
        }
        properties.push(("Constant TSC", if h.constant_tsc { "yes" } else { "no" }.to_string()));
        properties.push(("Nonstop TSC", if h.nonstop_tsc { "yes" } else { "no" }.to_string()));
        if !matches!(self.walk, Walk::Yaml(_)) {
            properties.push(("Function names", "not in the log".to_string()));
        }
        if h.mode == Mode::Basic {
            // The log does not say which threshold was used.
            let words = "not in the log below the recorder's threshold, which is 5 µs unless it was set";
            properties.push(("Short calls", words.to_string()));
        }
        Info {
            format: &FORMAT,
            title: format!("XRay {} {}{}", h.mode.name(), h.version, self.form()),
            version: h.version.to_string(),
            container: None,
            clock,
            offers: {
                let first = if matches!(self.walk, Walk::Yaml(_)) { 2 } else { 0 };
                let end = OFFERS.len() - usize::from(!matches!(clock, Clock::Seconds { .. }));
                OFFERS.get(first..end).unwrap_or(OFFERS)
            },
            properties,
        }
    }

    fn rule_out(&mut self, jumps: Jumps) {
        self.state.left_calls = Some(LeftCalls::new(jumps));
    }

    fn push(&mut self, input: &[u8], out: &mut EventBatch) -> Result<Progress> {
        self.check()?;
        let mut used = 0;
        if self.phase == Phase::Header {
            let left = usize::try_from(HEADER_LEN - self.at).unwrap_or(usize::MAX);
            used = left.min(input.len());
            self.at += used as u64;
            if self.at < HEADER_LEN {
                return Ok(Progress { used });
            }
            self.phase = Phase::Main;
        }
        let rest = input.get(used..).unwrap_or_default();
        let n = match self.phase {
            Phase::Main => {
                let n = self.walk.run(rest, &mut ToBatch { state: &mut self.state, out });
                self.at += n as u64;
                n
            }
            Phase::Order => match &mut self.walk {
                Walk::Fdr(walk) => {
                    let mut sink = ToBatch { state: &mut self.state, out };
                    let n = self.plan.run(&self.header, walk, rest, &mut sink, ToBatch::begin_planned);
                    if self.plan.want() == Want::Nothing {
                        sink.end();
                    }
                    n
                }
                Walk::Basic(_) | Walk::Yaml(_) => rest.len(),
            },
            Phase::Header => 0,
        };
        self.check()?;
        Ok(Progress { used: used + n })
    }

    fn end(&mut self, rest: &[u8], out: &mut EventBatch) -> Result<()> {
        self.check()?;
        match self.phase {
            Phase::Header => {
                let needed = HEADER_LEN - self.at;
                self.failed = Some(Error::new(self.at, Cause::UnexpectedEnd { needed }));
            }
            Phase::Main => {
                let mut sink = ToBatch { state: &mut self.state, out };
                self.walk.end(rest, &mut sink);
                sink.end();
                self.plan = self.state.begin_plan(out);
                self.phase = Phase::Order;
            }
            Phase::Order => {
                if let Walk::Fdr(walk) = &mut self.walk {
                    let mut sink = ToBatch { state: &mut self.state, out };
                    self.plan.end(walk, rest, &mut sink);
                    sink.end();
                }
            }
        }
        self.check()
    }

    fn want(&self) -> Want {
        match self.phase {
            Phase::Header | Phase::Main => Want::Next,
            Phase::Order => self.plan.want(),
        }
    }

    fn kept_bytes(&self) -> u64 {
        self.state.kept_bytes()
    }

    fn index(&self) -> Vec<u8> {
        self.index_bytes()
    }
}
