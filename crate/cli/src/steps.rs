//! `unspool state` and `unspool history`: what instructions read and wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use unspool_access_index::{AccessIndex, Byte, Cell, Detail, Explorer, Keeps, Moment};
use unspool_engine::Session;
use unspool_records::Unreadable;
use unspool_trace::Capability;

use crate::console;
use crate::graphics;
use crate::limit::{LimitArgs, Listed};
use crate::listing::{Cell as Value, Form, Listing, column};
use crate::read_whole::read_whole;
use crate::{Failure, Source, TraceArgs, interrupt, json};

/// Shows the state at a step of a BAP frames trace, or at a call of an apitrace, as far as the
/// trace records it.
///
/// BAP frames: registers and memory before the step (after it with --after). Bytes that no earlier
/// step read or wrote are unknown, and shown as ??.
///
/// apitrace: state of the OpenGL context of the call's thread after the call (before it with
/// --before). --json prints parameters, shaders, uniforms and textures as `apitrace replay -D`
/// does. Unknown state is omitted.
#[derive(clap::Args)]
pub(crate) struct State {
    #[command(flatten)]
    trace: TraceArgs,
    /// Number of the step or call.
    #[arg(long, value_name = "STEP")]
    at: u64,
    /// Show the state after the step (frames). The default for apitrace.
    #[arg(long)]
    after: bool,
    /// Show the state before the call (apitrace). The default for frames.
    #[arg(long, conflicts_with = "after")]
    before: bool,
    /// Thread whose registers to show (frames). Default: that of the step.
    #[arg(long, value_name = "ID")]
    thread: Option<u64>,
    /// Memory to show, such as 0x7ffe10+64 (frames). Repeatable.
    #[arg(long, value_name = "ADDRESS+LENGTH", value_parser = memory)]
    memory: Vec<(u128, usize)>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl State {
    /// Asks for one JSON object.
    pub(crate) fn json(file: &Path, at: u64, memory: Option<(u128, usize)>) -> Self {
        let trace = TraceArgs::of(file);
        Self { trace, at, after: false, before: false, thread: None, memory: memory.into_iter().collect(), json: true }
    }
}

/// Lists the accesses of a register or of memory in a BAP frames trace.
#[derive(clap::Args)]
pub(crate) struct History {
    #[command(flatten)]
    trace: TraceArgs,
    /// Name of a register, an address, or ADDRESS+LENGTH.
    #[arg(value_name = "CELL")]
    cell: String,
    /// Thread of the register. Default: all threads.
    #[arg(long, value_name = "ID")]
    thread: Option<u64>,
    /// First step.
    #[arg(long, value_name = "STEP", default_value_t = 0)]
    from: u64,
    /// Last step.
    #[arg(long, value_name = "STEP")]
    to: Option<u64>,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limit: LimitArgs,
}

/// Most bytes of a window of memory.
const MOST_MEMORY: usize = 1 << 20;
/// Steps whose values are decoded at once.
const PORTION: usize = 1 << 16;
/// Pieces of the file that are read at once.
const PIECES: u32 = 64;

/// An address, or ADDRESS+LENGTH.
pub(crate) fn memory(text: &str) -> Result<(u128, usize), String> {
    let (address, len) = text.split_once('+').unwrap_or((text, "1"));
    let number = |text: &str| match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let address =
        number(address).ok_or_else(|| format!("{address} is no address: write 0x7ffe10 or a decimal number"))?;
    let len = number(len).and_then(|len| usize::try_from(len).ok()).filter(|len| (1..=MOST_MEMORY).contains(len));
    Ok((address, len.ok_or_else(|| format!("the length must be from 1 to {MOST_MEMORY} bytes"))?))
}

/// Opens a trace and indexes the steps before `until`.
pub(crate) fn explore(trace: &TraceArgs, until: Option<u64>) -> Result<(Source, Explorer<File>), Failure> {
    let (source, session) = read_whole(trace)?;
    let explorer = explore_source(trace, &source, &session, Keeps::AccessesAndValues, until)?;
    Ok((source, explorer))
}

pub(crate) fn explore_source(
    trace: &TraceArgs,
    source: &Source,
    session: &Session,
    keeps: Keeps,
    until: Option<u64>,
) -> Result<Explorer<File>, Failure> {
    let limit = if trace.no_limits { usize::MAX } else { 8 << 30 };
    let file = File::open(&source.path)?;
    let opened = Explorer::open(session.format().id, &session.index(), file, keeps, limit);
    let mut explorer = opened.map_err(|_| no_steps(source, session))?;
    while until.is_none_or(|until| explorer.built() <= until) && !explorer.build(PIECES).map_err(|e| lost(source, e))? {
        interrupt::check()?;
    }
    explorer.seal();
    if explorer.index().is_full() && until.is_none_or(|until| explorer.built() <= until) {
        let sentence = format!("the index is full at step {}. Use --no-limits to go on.", explorer.built());
        return Err(Failure::of(&source.name, sentence));
    }
    Ok(explorer)
}

/// The failure of a question about steps, for a trace that has none.
pub(crate) fn no_steps(source: &Source, session: &Session) -> Failure {
    let sentence = format!("this is {}, which does not record what single instructions did", session.info().title);
    Failure::of(&source.name, sentence).unsupported()
}

/// Fails if there is no step with a number in a trace of `count`.
pub(crate) fn is_step(count: u64, step: u64) -> Result<(), Failure> {
    if step < count {
        return Ok(());
    }
    Err(Failure::usage(format!("there is no step {step}: the trace has {count} steps")))
}

/// The register that a user means: upper and lower case are alike if no name is exactly that one.
///
/// # Errors
///
/// Returns an error that lists the registers if no step of the trace reads or writes it.
pub(crate) fn register(trace: &TraceArgs, explorer: &Explorer<File>, wanted: &str) -> Result<String, Failure> {
    if let Some(name) = like(explorer.index(), wanted) {
        return Ok(name);
    }
    // The index may end before a step that does.
    let (_, whole) = explore(trace, None)?;
    like(whole.index(), wanted).ok_or_else(|| {
        let names: BTreeSet<&str> = whole.index().registers().collect();
        let there_are = match names.is_empty() {
            true => ": the trace does not record registers".into(),
            false => format!("; there are {}", names.into_iter().collect::<Vec<_>>().join(", ")),
        };
        Failure::usage(format!("no step reads or writes a register {wanted}{there_are}"))
    })
}

/// The name of a register that is like another one.
fn like(index: &AccessIndex, wanted: &str) -> Option<String> {
    let exactly = index.registers().find(|name| *name == wanted);
    exactly.or_else(|| index.registers().find(|name| name.eq_ignore_ascii_case(wanted))).map(String::from)
}

pub(crate) fn lost(source: &Source, error: Unreadable) -> Failure {
    Failure::of(&source.name, error)
}

/// Bytes as hexadecimal digits, in their order.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn how(written: bool) -> &'static str {
    if written { "written" } else { "read" }
}

/// A register for people: a number up to 64 bits, or all digits.
pub(crate) fn number(value: &[u8]) -> String {
    let digits: String = value.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

#[derive(Serialize)]
struct StateOut {
    step: u64,
    thread: Option<u64>,
    registers: BTreeMap<String, RegisterOut>,
    memory: Vec<MemoryOut>,
    /// Registers that were read with another value than the trace has written last.
    changed: Vec<String>,
}

#[derive(Serialize)]
struct RegisterOut {
    value: String,
    step: u64,
    how: &'static str,
}

#[derive(Serialize)]
struct MemoryOut {
    address: u128,
    /// Two digits a byte, ?? if it is unknown.
    bytes: String,
    steps: Vec<Option<u64>>,
}

pub(crate) fn state(what: &State) -> Result<(), Failure> {
    let (source, session) = read_whole(&what.trace)?;
    state_of(what, &source, &session)
}

/// Prints the state in a trace that was read.
pub(crate) fn state_of(what: &State, source: &Source, session: &Session) -> Result<(), Failure> {
    if session.info().offers.contains(&Capability::Graphics.word()) {
        if what.thread.is_some() || !what.memory.is_empty() {
            return Err(Failure::usage("--thread and --memory are about steps; an apitrace has calls of OpenGL."));
        }
        return graphics::state(
            source,
            session,
            &graphics::At { call: what.at, is_before: what.before, json: what.json },
        );
    }
    let mut explorer = explore_source(&what.trace, source, session, Keeps::AccessesAndValues, Some(what.at))?;
    is_step(explorer.count(), what.at)?;
    let moment = if what.after { Moment::After(what.at) } else { Moment::Before(what.at) };
    let found = explorer.registers(moment, what.thread).map_err(|e| lost(source, e))?;
    let mut windows = Vec::new();
    for (address, len) in &what.memory {
        windows.push((*address, explorer.memory(moment, *address, *len).map_err(|e| lost(source, e))?));
    }
    let mut out = console::data_or_text(what.json);
    let known = found.registers.iter().filter_map(|register| Some((register, register.value.as_deref()?)));
    if what.json {
        let registers = known.map(|(register, value)| {
            let (step, how) = (register.step, how(register.written));
            (register.name.clone(), RegisterOut { value: hex(value), step, how })
        });
        let memory = windows.into_iter().map(|(address, bytes)| MemoryOut {
            address,
            bytes: bytes.iter().map(digits).collect(),
            steps: bytes.iter().map(|byte| byte.map(|byte| byte.step)).collect(),
        });
        let changed = found.registers.iter().filter(|register| register.changed).map(|it| it.name.clone()).collect();
        let (registers, memory) = (registers.collect(), memory.collect());
        let state = StateOut { step: what.at, thread: found.thread, registers, memory, changed };
        json::print_line(&mut out, &state)?;
    } else {
        for (register, value) in known {
            let note = match (register.changed, register.written) {
                (true, _) => "read; changed outside the trace",
                (_, false) => "read",
                _ => "written",
            };
            writeln!(out, "{:12} {:20}  {note} at {}", register.name, number(value), register.step)?;
        }
        for (address, bytes) in windows {
            for (i, line) in bytes.chunks(16).enumerate() {
                let digits: Vec<String> = line.iter().map(digits).collect();
                let text: String = line.iter().map(character).collect();
                let at = address.saturating_add(16 * i as u128);
                writeln!(out, "{at:#018x}  {:47}  {text}", digits.join(" "))?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// The digits of a byte, or ?? if it is unknown.
fn digits(byte: &Option<Byte>) -> String {
    byte.and_then(|byte| byte.value).map_or("??".into(), |value| format!("{value:02x}"))
}

fn character(byte: &Option<Byte>) -> char {
    match byte.and_then(|byte| byte.value) {
        Some(value @ 0x20..=0x7e) => char::from(value),
        Some(_) => '.',
        None => ' ',
    }
}

/// The cell, or the cells, that a history is of.
enum Meant {
    Memory(Cell),
    /// A register of these threads.
    Register(String, Vec<Option<u64>>),
}

pub(crate) fn history(what: &History) -> Result<(), Failure> {
    let usage = |sentence: String| Failure::usage(sentence);
    let is_memory = what.cell.starts_with(|c: char| c.is_ascii_digit());
    let place = if is_memory { Some(memory(&what.cell).map_err(usage)?) } else { None };
    if is_memory && what.thread.is_some() {
        return Err(Failure::usage("All threads share the memory: --thread is about registers."));
    }
    if what.to.is_some_and(|to| to < what.from) {
        return Err(Failure::usage("The range is empty: --to is before --from."));
    }
    let (source, mut explorer) = explore(&what.trace, what.to)?;
    is_step(explorer.count(), what.from)?;
    let meant = match place {
        Some((address, len)) => Meant::Memory(Cell::Memory { address, len }),
        None => {
            let name = register(&what.trace, &explorer, &what.cell)?;
            let mut threads = explorer.index().threads_of(&name);
            threads.retain(|thread| what.thread.is_none() || *thread == what.thread);
            Meant::Register(name, threads)
        }
    };
    let steps = what.from..what.to.map_or(u64::MAX, |to| to.saturating_add(1));
    let form = Form::of(what.json, false);
    let mut out = form.out();
    let listing = access_listing();
    let mut printer = listing.begin(form, &mut out)?;
    let most = what.limit.most(form, usize::MAX);
    let all: Vec<u64> = match &meant {
        Meant::Memory(cell) => explorer.history(cell, steps).into_iter().map(|(step, ..)| step).collect(),
        Meant::Register(name, threads) => explorer.index().steps_of_register(name, threads, &steps),
    };
    // A step may read and write a cell, or a part of it several times: only its record says how
    // often.
    let (mut total, mut listed) = (0, 0);
    for portion in all.chunks(PORTION) {
        let found = match &meant {
            Meant::Memory(cell) => explorer.accesses(portion, cell),
            Meant::Register(name, threads) => explorer.accesses_of_register(portion, name, threads),
        };
        for access in found.map_err(|e| lost(&source, e))? {
            total += 1;
            if listed < most as u64 {
                listed += 1;
                printer.row(&access)?;
            }
        }
        interrupt::check()?;
    }
    printer.finish()?;
    Ok(Listed::of(total, listed).end(&mut out, form, "access", "accesses")?)
}

fn access_listing() -> Listing<'static, Detail> {
    Listing::new(vec![
        column("step", |access: &Detail| access.step.into()).right(12),
        column("thread", |access: &Detail| access.thread.into())
            .left(12)
            .shown(|access| access.thread.map_or(String::new(), |thread| format!("thread {thread}"))),
        column("how", |access: &Detail| how(access.written).into()).left(7),
        column("value", |access: &Detail| hex(&access.value).into()).rest().shown(|access| match access.register {
            Some(_) => number(&access.value),
            None => format!("{:#x}  {}", access.address, hex(&access.value)),
        }),
        // Of memory: the address of its first byte.
        column("address", |access: &Detail| match access.register {
            Some(_) => Value::Absent,
            None => access.address.into(),
        }),
        column("register", |access: &Detail| access.register.clone().map_or(Value::Absent, Value::from)),
    ])
}
