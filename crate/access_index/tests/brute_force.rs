//! The index says what a walk over all steps says: on random traces, built in any portions, asked
//! in between, stopped and continued.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proptest::prelude::*;
use unspool_access_index::{Cell, Explorer, Keeps, Kind, Moment, Toward};
use unspool_records::ByteSource;
use unspool_trace::decoder::Range as Bytes;
use unspool_trace::records::Pass;
use unspool_trace::steps::{Access, Accesses, Place, Step, StepVisitor, Steps};

#[derive(Clone, Debug)]
struct Model {
    address: Option<u64>,
    thread: Option<u64>,
    accesses: Vec<(Where, bool, Vec<u8>)>,
    /// Steps that the trace does not have before this one: frames that are invalid.
    gap: u64,
}

#[derive(Clone, Debug, PartialEq)]
enum Where {
    Register(Option<u64>, &'static str),
    Memory(u64),
}

/// A trace in memory. Its file has eight bytes a step.
#[derive(Clone)]
struct Trace {
    steps: Vec<(u64, Model)>,
    /// Where each piece begins: indices of steps.
    pieces: Vec<usize>,
}

impl Steps for Trace {
    fn pieces(&self) -> Vec<u64> {
        self.pieces.iter().map(|at| self.steps[*at].0).collect()
    }

    fn count(&self) -> u64 {
        self.steps.last().map_or(0, |(number, _)| number + 1)
    }

    fn pass(&self, pieces: Range<u32>) -> Box<dyn Pass<Accesses> + '_> {
        let at = |piece: u32| self.pieces.get(piece as usize).copied().unwrap_or(self.steps.len());
        Box::new(TracePass { steps: &self.steps[..at(pieces.end)], at: at(pieces.start) })
    }

    fn is_big_endian(&self) -> bool {
        false
    }

    fn is_stack_pointer(&self, _name: &str) -> bool {
        false
    }
}

struct TracePass<'a> {
    steps: &'a [(u64, Model)],
    at: usize,
}

impl Pass<Accesses> for TracePass<'_> {
    fn want(&self) -> Option<Bytes> {
        let left = self.steps.len() - self.at;
        (left > 0).then_some(Bytes { at: 8 * self.at as u64, len: 8 * left as u64 })
    }

    fn push(&mut self, bytes: &[u8], visitor: &mut (dyn StepVisitor + '_)) -> unspool_trace::Result<usize> {
        let mut used = 0;
        while used + 8 <= bytes.len() && !visitor.is_full() {
            let (number, step) = &self.steps[self.at];
            let Model { address, thread, .. } = *step;
            if visitor.begin(&Step { number: *number, thread, address, length: 2, ..Step::default() }) {
                for (place, written, value) in &step.accesses {
                    let (place, thread) = match place {
                        Where::Register(thread, name) => (Place::Register(name), *thread),
                        Where::Memory(address) => (Place::Memory(*address), thread),
                    };
                    visitor.access(&Access { place, thread, written: *written, value });
                }
            }
            self.at += 1;
            used += 8;
        }
        Ok(used)
    }

    fn end(&mut self, _rest: &[u8], _visitor: &mut (dyn StepVisitor + '_)) -> unspool_trace::Result<()> {
        self.at = self.steps.len();
        Ok(())
    }
}

/// A file that gives a few bytes at a time.
#[derive(Clone)]
struct Slow {
    size: u64,
    portions: Vec<usize>,
    reads: std::cell::Cell<usize>,
}

impl ByteSource for Slow {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        self.reads.set(self.reads.get() + 1);
        let portion = self.portions[self.reads.get() % self.portions.len()];
        Some(buffer.len().min(portion).min(self.size.saturating_sub(at) as usize))
    }
}

fn access() -> impl Strategy<Value = (Where, bool, Vec<u8>)> {
    let register = (prop_oneof![3 => Just(Some(1)), 1 => Just(Some(2)), 1 => Just(None)], 0..4usize)
        .prop_map(|(thread, name)| Where::Register(thread, ["a", "b", "flags", "sp"][name]));
    let memory = prop_oneof![4 => 0..40u64, 1 => (u64::MAX - 12)..=u64::MAX].prop_map(Where::Memory);
    (prop_oneof![register, memory], any::<bool>(), proptest::collection::vec(0..3u8, 0..20))
}

fn model() -> impl Strategy<Value = Model> {
    let address = proptest::option::weighted(0.9, 0x400..0x410u64);
    let thread = proptest::option::weighted(0.95, 1..3u64);
    let gap = prop_oneof![9 => Just(0), 1 => 1..4u64];
    (address, thread, proptest::collection::vec(access(), 0..5), gap).prop_map(
        |(address, thread, mut accesses, gap)| {
            // Reads come before writes.
            accesses.sort_by_key(|(_, written, _)| *written);
            Model { address, thread, accesses, gap }
        },
    )
}

/// Value, step, whether written, whether other than written before, whether ever written.
type Known<T> = (T, u64, bool, bool, bool);

#[derive(Default)]
struct Brute {
    registers: BTreeMap<(Option<u64>, &'static str), Known<Vec<u8>>>,
    memory: BTreeMap<u128, Known<u8>>,
    /// Bytes that were read with another value than was written last.
    others: BTreeMap<u128, bool>,
    /// The last write of each byte.
    writes: BTreeMap<u128, u64>,
}

impl Brute {
    fn at(steps: &[(u64, Model)], moment: Moment) -> Self {
        let mut state = Self::default();
        for (number, step) in steps {
            for (place, written, value) in &step.accesses {
                let is_before = match moment {
                    Moment::Before(at) => *number < at || (*number == at && !written),
                    Moment::After(at) => *number <= at,
                };
                if !is_before {
                    continue;
                }
                match place {
                    Where::Register(thread, name) => {
                        let before = state.registers.get(&(*thread, *name));
                        let (changed, ours) = before.map_or((false, false), |(known, _, _, changed, ours)| {
                            let differs = known.iter().zip(value).any(|(a, b)| a != b);
                            (*changed || (*ours && differs), *ours)
                        });
                        let known = (value.clone(), *number, *written, changed && !written, ours || *written);
                        state.registers.insert((*thread, *name), known);
                    }
                    Where::Memory(address) => {
                        let bytes = || (u128::from(*address)..).zip(value);
                        for (at, byte) in bytes() {
                            if *written {
                                state.writes.insert(at, *number);
                            }
                            let known = state.memory.get(&at).map_or((*byte, false), |known| (known.0, known.4));
                            let others = state.others.get(&at) == Some(&true);
                            state.others.insert(at, !written && (others || (known.1 && known.0 != *byte)));
                        }
                        for (at, byte) in bytes() {
                            // A mark is that of all bytes that one access has in a cell of eight.
                            let cell = bytes().filter(|(other, _)| other / 8 == at / 8);
                            let changed = cell.into_iter().any(|(other, _)| state.others[&other]);
                            let ours = *written || state.memory.get(&at).is_some_and(|known| known.4);
                            state.memory.insert(at, (*byte, *number, *written, changed, ours));
                        }
                    }
                }
            }
        }
        state
    }
}

fn touches(place: &Where, value: &[u8], cell: &Cell) -> bool {
    match (place, cell) {
        (Where::Register(of, known), Cell::Register { thread, name }) => of == thread && known == name,
        (Where::Memory(at), Cell::Memory { address, len }) => {
            let at = u128::from(*at);
            !value.is_empty() && at < address + *len as u128 && *address < at + value.len() as u128
        }
        _ => false,
    }
}

fn check(explorer: &mut Explorer<Slow>, steps: &[(u64, Model)], at: u64, address: u128) {
    for moment in [Moment::Before(at), Moment::After(at)] {
        let brute = Brute::at(steps, moment);
        let window: Vec<_> = explorer.memory(moment, address, 24).unwrap();
        for (i, byte) in window.iter().enumerate() {
            let known = brute.memory.get(&(address + i as u128));
            let found = byte.map(|byte| (byte.value, byte.step, byte.written, byte.changed, byte.write));
            let write = brute.writes.get(&(address + i as u128)).copied();
            let known = known.map(|known| (Some(known.0), known.1, known.2, known.3, write));
            assert_eq!(found, known, "{address:#x}+{i} {moment:?}");
        }
        for thread in [Some(1), Some(2)] {
            let state = explorer.registers(moment, thread).unwrap();
            let mut found: Vec<_> = state
                .registers
                .iter()
                .filter_map(|it| Some((it.name.as_str(), it.value.clone()?, it.step, it.written, it.changed)))
                .collect();
            found.sort();
            let brute = brute.registers.iter().filter(|((of, _), _)| *of == thread);
            let known: Vec<_> =
                brute.map(|((_, name), known)| (*name, known.0.clone(), known.1, known.2, known.3)).collect();
            assert_eq!(found, known, "{moment:?} {thread:?}");
        }
    }
    let cells = [
        Cell::Memory { address, len: 1 },
        Cell::Memory { address, len: 11 },
        Cell::Register { thread: Some(1), name: "sp".into() },
        Cell::Register { thread: None, name: "a".into() },
    ];
    for cell in cells {
        let all: Vec<(u64, bool)> = steps
            .iter()
            .flat_map(|(number, step)| step.accesses.iter().map(move |access| (*number, access)))
            .filter(|(_, (place, _, value))| touches(place, value, &cell))
            .map(|(number, (_, written, _))| (number, *written))
            .collect();
        for (kind, wanted) in [(Kind::Read, &[false][..]), (Kind::Write, &[true]), (Kind::Any, &[false, true])] {
            let of_kind = || all.iter().filter(|(_, written)| wanted.contains(written)).map(|(step, _)| *step);
            let next = of_kind().find(|step| *step > at);
            assert_eq!(explorer.nearest(at, &cell, kind, Toward::Next), next, "{cell:?} {kind:?} after {at}");
            let previous = of_kind().rfind(|step| *step < at);
            assert_eq!(explorer.nearest(at, &cell, kind, Toward::Previous), previous, "{cell:?} {kind:?} before {at}");
        }
        let range = at / 2..at.max(1) * 2;
        let history = explorer.history(&cell, range.clone());
        let mut expected: Vec<(u64, bool, bool)> = Vec::new();
        for (step, written) in all.iter().filter(|(step, _)| range.contains(step)) {
            match expected.last_mut() {
                Some(last) if last.0 == *step => *last = (*step, last.1 | !written, last.2 | written),
                _ => expected.push((*step, !written, *written)),
            }
        }
        assert_eq!(history, expected, "{cell:?} {range:?}");
        let of_history: Vec<u64> = history.iter().map(|it| it.0).collect();
        let details = explorer.accesses(&of_history, &cell).unwrap();
        let in_full: Vec<_> = details.iter().map(|it| (it.step, it.written, it.value.clone())).collect();
        let expected: Vec<_> = steps
            .iter()
            .filter(|(number, _)| range.contains(number))
            .flat_map(|(number, step)| step.accesses.iter().map(move |access| (*number, access)))
            .filter(|(_, (place, _, value))| touches(place, value, &cell))
            .map(|(number, (_, written, value))| (number, *written, value.clone()))
            .collect();
        assert_eq!(in_full, expected, "{cell:?}");
    }
    for executed in [0x400, 0x405, 0x999] {
        let all: Vec<u64> =
            steps.iter().filter(|(_, step)| step.address == Some(executed)).map(|(number, _)| *number).collect();
        let index = explorer.index();
        let count = all.len() as u64;
        assert_eq!(index.execution_count(executed), count);
        assert_eq!(index.executions(executed, 0..u64::MAX), all);
        assert_eq!(index.executions(executed, count / 3..count / 2), all[all.len() / 3..all.len() / 2]);
        assert_eq!(index.executions_before(executed, at), all.iter().filter(|step| **step < at).count() as u64);
    }
}

/// Checks that a register of several threads has the accesses that it has in each of them, and that
/// a piece is read once for all of them.
fn check_registers_of_threads(explorer: &mut Explorer<Slow>) {
    let names: BTreeSet<String> = explorer.index().registers().map(String::from).collect();
    for name in names {
        let threads = explorer.index().threads_of(&name);
        let mut expected = Vec::new();
        for (at, thread) in threads.iter().enumerate() {
            let cell = Cell::Register { thread: *thread, name: name.clone() };
            let steps: Vec<u64> = explorer.history(&cell, 0..u64::MAX).iter().map(|it| it.0).collect();
            expected
                .extend(explorer.accesses(&steps, &cell).unwrap().into_iter().map(|access| (access.step, at, access)));
        }
        expected.sort_by_key(|(step, at, _)| (*step, *at));
        let steps = explorer.index().steps_of_register(&name, &threads, &(0..u64::MAX));
        let before = explorer.visits();
        let found = explorer.accesses_of_register(&steps, &name, &threads).unwrap();
        assert!(explorer.visits() - before <= u64::from(explorer.progress().1));
        assert_eq!(found, expected.into_iter().map(|(.., access)| access).collect::<Vec<_>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_index_agrees_with_brute_force(
        models in proptest::collection::vec(model(), 1..60),
        cuts in proptest::collection::vec(0..60usize, 0..6),
        budgets in proptest::collection::vec(1..4u32, 1..5),
        portions in proptest::collection::vec(8..100usize, 1..4),
        seals in any::<u16>(),
        keeps_values in any::<bool>(),
        at in 0..70u64,
        address in prop_oneof![4 => 0..40u128, 1 => u128::from(u64::MAX - 20)..u128::from(u64::MAX) + 20],
    ) {
        let mut next = 0;
        let steps: Vec<(u64, Model)> = models
            .into_iter()
            .map(|model| {
                let number = next + model.gap;
                next = number + 1;
                (number, model)
            })
            .collect();
        let mut pieces: Vec<usize> = cuts.into_iter().filter(|cut| *cut < steps.len()).chain([0]).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let trace = Trace { steps: steps.clone(), pieces };
        let count = trace.count();
        let keeps = if keeps_values { Keeps::AccessesAndValues } else { Keeps::Accesses };
        let file = Slow { size: 8 * steps.len() as u64, portions, reads: std::cell::Cell::default() };
        let mut explorer = Explorer::new(Box::new(trace.clone()), file.clone(), keeps, usize::MAX);
        let mut turn = 0;
        loop {
            let done = explorer.build(budgets[turn % budgets.len()]).unwrap();
            turn += 1;
            if seals >> (turn % 16) & 1 != 0 {
                // Stopped here, asked about the part that is built, and continued.
                explorer.seal();
                let built = explorer.built();
                let part: Vec<_> = steps.iter().filter(|(number, _)| *number < built).cloned().collect();
                check(&mut explorer, &part, at.min(built.saturating_sub(1)), address);
            }
            if done {
                break;
            }
        }
        explorer.seal();
        check(&mut explorer, &steps, at.min(count - 1), address);
        let mut covered: BTreeMap<u64, u64> = BTreeMap::new();
        for address in steps.iter().filter_map(|(_, step)| step.address) {
            *covered.entry(address).or_default() += 1;
        }
        check_registers_of_threads(&mut explorer);
        let coverage = explorer.index().coverage(0..u64::MAX);
        prop_assert!(coverage.iter().map(|it| (it.address, it.count)).eq(covered));
        // What is about executions alone needs no accesses.
        let mut light = Explorer::new(Box::new(trace), file, Keeps::Executions, usize::MAX);
        while !light.build(1).unwrap() {}
        light.seal();
        prop_assert_eq!(light.index().coverage(0..u64::MAX), coverage);
        prop_assert_eq!(light.index().accesses(), 0);
        prop_assert!(light.index().bytes() <= explorer.index().bytes());
        for it in explorer.index().coverage(0..u64::MAX) {
            let all = 0..u64::MAX;
            prop_assert_eq!(light.index().executions(it.address, all.clone()), explorer.index().executions(it.address, all));
        }
        let part = at / 3..at;
        let mut covered: BTreeMap<u64, u64> = BTreeMap::new();
        for address in steps.iter().filter(|(number, _)| part.contains(number)).filter_map(|(_, step)| step.address) {
            *covered.entry(address).or_default() += 1;
        }
        let coverage = explorer.index().coverage(part);
        prop_assert!(coverage.iter().map(|it| (it.address, it.count)).eq(covered));
    }
}
