//! Registers and memory at the steps of a trace, and when code ran.

use unspool_access_index::{
    Cell, CodeBlock, Detail, Explorer, Filter, Keeps, Kind, List, LoopFinder, Module, Moment, RunIndex, Stop, Toward,
    With, blocks, drcov, in_modules,
};
use unspool_formats::open_steps;
use unspool_records::ByteSource;
use unspool_records::memory::read_steps;
use unspool_trace::Instructions;
use unspool_trace::steps::{Access, Place, Step, StepVisitor};

use crate::choices::Choices;
use crate::file::{Slow, index};

/// Questions of each kind, per trace.
const QUESTIONS: u64 = 8;
/// Bytes of a window of memory.
const WINDOW: usize = 24;
/// Accesses beyond which a walk over all of them takes too long.
const MOST: usize = 50_000;

/// The registers that instructions read, by the disassembler.
struct Disassembler;

impl Instructions for Disassembler {
    fn reads(&self, isa: &str, address: u64, bytes: &[u8]) -> Option<String> {
        unspool_disassembler::reads(isa, address, bytes)
    }
}

/// All accesses of a trace, in order.
#[derive(Default)]
struct All {
    step: Option<Step>,
    steps: Vec<Step>,
    accesses: Vec<Detail>,
}

impl StepVisitor for All {
    fn begin(&mut self, step: &Step) -> bool {
        self.step = Some(*step);
        self.steps.push(*step);
        true
    }

    fn access(&mut self, access: &Access<'_>) {
        let (register, address) = match access.place {
            Place::Register(name) => (Some(name.into()), 0),
            Place::Memory(address) => (None, address),
        };
        let (step, thread) = (self.step.map_or(0, |step| step.number), access.thread);
        self.accesses.push(Detail {
            step,
            thread,
            written: access.written,
            register,
            address,
            value: access.value.into(),
        });
    }
}

impl All {
    /// The value that a byte of memory has before a step, and the step that told.
    fn byte_before(&self, step: u64, at: u128) -> Option<(u64, u8)> {
        let of_step = |it: &&Detail| it.step < step || (it.step == step && !it.written);
        let accesses = self.accesses.iter().filter(of_step).filter(|it| it.register.is_none());
        let mut values = accesses.filter_map(|it| {
            let within = at.checked_sub(it.address.into()).and_then(|within| usize::try_from(within).ok())?;
            Some((it.step, *it.value.get(within)?))
        });
        values.next_back()
    }

    /// The steps that access a register.
    fn steps_of(&self, thread: Option<u64>, name: &str) -> Vec<u64> {
        let of_register = self.accesses.iter().filter(|it| it.thread == thread && it.register.as_deref() == Some(name));
        let mut steps: Vec<u64> = of_register.map(|it| it.step).collect();
        steps.dedup();
        steps
    }
}

/// The index of a trace of frames says what a walk over all of its steps says, in whatever portions
/// it was made.
pub(crate) fn stepped(file: &[u8]) {
    let Some(index) = index("frames", file) else { return };
    let mut choices = Choices::of(file);
    let steps = open_steps("frames", &index).expect("an index");
    let mut all = All::default();
    read_steps(&mut *steps.pass(0..u32::MAX), file, usize::MAX, &mut all);
    assert!(all.steps.is_sorted_by(|a, b| a.number < b.number), "steps ascend");
    if all.accesses.len() > MOST {
        return;
    }
    let keeps = [Keeps::AccessesAndValues, Keeps::Accesses][choices.index(2)];
    let mut whole =
        Explorer::open("frames", &index, file.to_vec(), Keeps::AccessesAndValues, usize::MAX).expect("an index");
    // A frame that was valid at first and is not now would be a file that has changed.
    while !whole.build(u32::MAX).expect("memory can be read") {}
    whole.seal();
    let mut parts = Explorer::open("frames", &index, Slow::new(file, &choices), keeps, usize::MAX).expect("an index");
    while !parts.build(1).expect("memory can be read") {
        parts.registers(Moment::After(choices.below(parts.count() + 1)), None).expect("memory can be read");
    }
    parts.seal();
    assert_eq!(whole.index().accesses(), all.accesses.len() as u64);
    for _ in 0..QUESTIONS {
        let step = choices.below(whole.count() + 2);
        let access = all.accesses.get(choices.index(all.accesses.len()));
        ask(&all, &mut whole, &mut parts, step, access, &mut choices);
    }
    executions(&all, &whole, &parts, &mut choices);
}

/// What both say of a step, and of the cell of an access.
fn ask<S: ByteSource>(
    all: &All,
    whole: &mut Explorer<Vec<u8>>,
    parts: &mut Explorer<S>,
    step: u64,
    access: Option<&Detail>,
    choices: &mut Choices,
) {
    let moment = if choices.below(2) == 0 { Moment::Before(step) } else { Moment::After(step) };
    let thread = access.and_then(|access| access.thread);
    let registers = whole.registers(moment, thread).expect("memory can be read");
    assert_eq!(registers, parts.registers(moment, thread).expect("memory can be read"), "{moment:?}");
    assert_eq!(whole.system_call(step, &registers), parts.system_call(step, &registers));
    let Some(access) = access else { return };
    let address = u128::from(access.address).saturating_sub(choices.below(8).into());
    let memory = whole.memory(moment, address, WINDOW).expect("memory can be read");
    assert_eq!(memory, parts.memory(moment, address, WINDOW).expect("memory can be read"), "{address:#x} {moment:?}");
    if moment == Moment::Before(step) {
        for (at, byte) in (address..).zip(&memory) {
            let known = byte.and_then(|byte| Some((byte.step, byte.value?)));
            assert_eq!(known, all.byte_before(step, at), "{at:#x} before {step}");
        }
    }
    let cell = match &access.register {
        Some(name) => Cell::Register { thread: access.thread, name: name.clone() },
        None => Cell::Memory { address, len: 1 + choices.index(WINDOW) },
    };
    let history = whole.history(&cell, 0..u64::MAX);
    assert_eq!(history, parts.history(&cell, 0..u64::MAX), "{cell:?}");
    let steps: Vec<u64> = history.iter().map(|(step, ..)| *step).collect();
    if let Cell::Register { thread, name } = &cell {
        assert_eq!(steps, all.steps_of(*thread, name), "{cell:?}");
    }
    for (kind, toward) in [(Kind::Any, Toward::Next), (Kind::Write, Toward::Previous), (Kind::Read, Toward::Next)] {
        let found = whole.nearest(step, &cell, kind, toward);
        assert_eq!(found, parts.nearest(step, &cell, kind, toward), "{cell:?} {kind:?}");
        if kind == Kind::Any {
            assert_eq!(found, steps.iter().copied().find(|other| *other > step), "{cell:?} after {step}");
        }
    }
    let few = steps.get(..steps.len().min(50)).unwrap_or_default();
    let details = whole.accesses(few, &cell).expect("memory can be read");
    assert_eq!(details, parts.accesses(few, &cell).expect("memory can be read"));
    let origins = whole.origins(step, &cell, &Disassembler).expect("memory can be read");
    assert_eq!(origins, parts.origins(step, &cell, &Disassembler).expect("memory can be read"));
    assert_eq!(whole.nearest_execution(step, Toward::Next), parts.nearest_execution(step, Toward::Next));
}

/// Coverage, loops and stops.
fn executions<S: ByteSource>(all: &All, whole: &Explorer<Vec<u8>>, parts: &Explorer<S>, choices: &mut Choices) {
    let (a, b) = (choices.below(whole.count() + 2), choices.below(whole.count() + 2));
    for range in [0..u64::MAX, a.min(b)..a.max(b)] {
        let coverage = whole.index().coverage(range.clone());
        assert_eq!(coverage, parts.index().coverage(range.clone()));
        let executed = all.steps.iter().filter(|step| range.contains(&step.number) && step.address.is_some()).count();
        assert_eq!(coverage.iter().map(|it| it.count).sum::<u64>(), executed as u64, "executions in {range:?}");
        let modules = whole.index().modules();
        in_modules(&coverage, modules);
        assert!(blocks(&coverage).iter().map(|block| block.instructions).sum::<u64>() == coverage.len() as u64);
        let list = List::of_drcov(&drcov(&coverage, modules, "program"), modules);
        let list = list.unwrap_or_else(|error| panic!("what was written is read: {error:?}"));
        let common = list.join(&coverage, With::Common);
        let minus = list.join(&coverage, With::Minus);
        assert_eq!(common.len() + minus.len(), coverage.len());
    }
    let mut finder = LoopFinder::default();
    while !whole.index().find_loops(&mut finder, u32::MAX) {}
    let loops = whole.index().loops(finder);
    let mut finder = LoopFinder::default();
    while !parts.index().find_loops(&mut finder, 1) {}
    assert_eq!(loops, parts.index().loops(finder));
    assert!(
        loops.loops.iter().all(|it| it.count >= 2 && it.start < it.first_end && it.last_start < it.end),
        "{loops:?}"
    );
    for stop in STOPS {
        let step = choices.below(whole.count() + 2);
        for toward in [Toward::Next, Toward::Previous] {
            assert_eq!(whole.index().nearest_stop(step, stop, toward), parts.index().nearest_stop(step, stop, toward));
        }
    }
}

const STOPS: [Stop; 5] = [Stop::Thread, Stop::Mode, Stop::Privilege, Stop::SystemCall, Stop::Interrupt];

/// Runs of blocks give the same answers however often they are sealed in between, and count what
/// ran. Eight bytes are a block or a run.
pub(crate) fn runs(bytes: &[u8]) {
    let mut choices = Choices::of(bytes);
    let (blocks, runs) = blocks_and_runs(bytes);
    let mut whole = RunIndex::new(usize::MAX);
    let mut parts = RunIndex::new(usize::MAX);
    for block in &blocks {
        whole.block(block.clone());
        parts.block(block.clone());
    }
    for (end, id) in &runs {
        whole.run(*end, *id);
        parts.run(*end, *id);
        if choices.below(8) == 0 {
            parts.seal();
        }
    }
    whole.seal();
    parts.seal();
    let end = whole.position();
    assert_eq!(end, parts.position());
    let (a, b) = (choices.below(end.saturating_add(2)), choices.below(end.saturating_add(2)));
    for range in [0..u64::MAX, a.min(b)..a.max(b)] {
        let coverage = whole.coverage(range.clone());
        assert_eq!(coverage, parts.coverage(range.clone()), "{range:?}");
        assert!(coverage.is_sorted_by(|a, b| (a.address, a.length) <= (b.address, b.length)), "{coverage:?}");
    }
    let mut finders = [LoopFinder::default(), LoopFinder::default()];
    let [finder, other] = &mut finders;
    while !whole.find_loops(finder, u32::MAX) {}
    while !parts.find_loops(other, 1) {}
    let [finder, other] = finders;
    assert_eq!(whole.loops(finder), parts.loops(other));
    for _ in 0..QUESTIONS {
        let block = blocks.get(choices.index(blocks.len()));
        let address = block.map_or(0, |block| {
            block.address + block.starts.get(choices.index(block.starts.len())).map_or(0, |at| u64::from(*at))
        });
        let step = if choices.below(8) == 0 { choices.extreme() } else { choices.below(end.saturating_add(2)) };
        for toward in [Toward::Next, Toward::Previous] {
            let found = whole.nearest(address, step, toward);
            assert_eq!(found, parts.nearest(address, step, toward), "{address:#x} from {step} {toward:?}");
            assert!(
                found.is_none_or(|found| if toward == Toward::Next { found > step } else { found < step }),
                "{found:?} from {step}"
            );
            let stop = STOPS[choices.index(STOPS.len())];
            assert_eq!(whole.nearest_stop(step, stop, toward), parts.nearest_stop(step, stop, toward));
            let filter = Filter { is_kernel: [None, Some(true), Some(false)][choices.index(3)], ..Filter::default() };
            let found = whole.nearest_match(step, &filter, toward);
            assert_eq!(found, parts.nearest_match(step, &filter, toward));
            assert!(found.is_none_or(|found| whole.matches(found, &filter)), "{found:?} matches {filter:?}");
        }
        let first = whole.first_execution(address, step);
        assert_eq!(first, parts.first_execution(address, step));
        assert!(first.is_none_or(|first| first >= step));
    }
}

/// The blocks and runs that bytes stand for: of each eight, the first says which, and how.
fn blocks_and_runs(bytes: &[u8]) -> (Vec<CodeBlock>, Vec<(u64, u64)>) {
    let (mut blocks, mut runs, mut position) = (Vec::new(), Vec::new(), 0u64);
    for &[kind, id, a, b, c, d, e, f] in bytes.as_chunks::<8>().0 {
        let id = u64::from(id % 32);
        if kind % 4 == 0 {
            let bits = [0, 16, 32, 64][usize::from(a % 4)];
            let instructions = u32::from(b % 6);
            let high = if a >= 0x80 { u64::from(u32::MAX) << 32 } else { 0 };
            let address = high | u64::from(u32::from_le_bytes([c, d, e, f]));
            let starts = if bits == 0 { Vec::new() } else { (0..instructions).map(|number| 2 * number).collect() };
            blocks.push(CodeBlock {
                id,
                address: address.min(u64::MAX - 64),
                code: vec![0x0f, 0x05, c, d, e, f, a, b, 0x0f, 0x05],
                instructions,
                bits,
                starts,
            });
        } else {
            let step = if kind == u8::MAX { u64::from_le_bytes([a, b, c, d, e, f, 0, 0]) } else { u64::from(a % 8) };
            position = position.saturating_add(step);
            runs.push((position, id));
        }
    }
    (blocks, runs)
}

/// A drcov file is read, or refused at an offset in it.
pub(crate) fn lists(bytes: &[u8]) {
    let modules = [Module { name: "/bin/program".into(), low: 0x40_0000, high: 0x4f_ffff }];
    match List::of_drcov(bytes, &modules) {
        Err(error) => assert!(error.at <= bytes.len() && !error.expected.is_empty(), "{error:?} of {}", bytes.len()),
        Ok(list) => {
            let all = list.join(&[], With::Plus);
            assert!(all.is_sorted_by(|a, b| a.address <= b.address), "{all:?}");
            assert_eq!(list.join(&all, With::Common), all);
            assert!(list.join(&all, With::Minus).is_empty());
        }
    }
}

/// Lists of coverage to begin with, in binary and as text.
pub(crate) const LISTS: &[&[u8]] = &[
    b"DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\nModule Table: version 2, count 2\nColumns: id, base, end, entry, checksum, timestamp, path\n\
      0, 0x400000, 0x4fffff, 0x401000, 0x0, 0x0, /bin/program\n1, 0x7f0000000000, 0x7f0000ffffff, 0x0, 0x0, 0x0, /lib/libx.so\n\
      BB Table: 2 bbs\n\x00\x10\x00\x00\x05\x00\x00\x00\x20\x00\x00\x00\x04\x00\x01\x00",
    b"DRCOV VERSION: 3\nModule Table: version 5, count 2\nColumns: id, containing_id, start, end, entry, offset, path\n\
      0, 0, 0x10000, 0x10fff, 0x0, 0x0, /home/ada/program\n1, 0, 0x11000, 0x11fff, 0x0, 0x1000, /home/ada/program\n\
      BB Table: 2 bbs\nmodule id, start, size:\nmodule[  0]: 0x0000000000000010,   8\nmodule[  1]: 0x0000000000001010,   3\n",
];
