//! Some steps with what they read and wrote, to be shown.

use std::collections::BTreeMap;

use unspool_trace::steps::{Access, Place, Step, StepVisitor};

use crate::why::Cell;

/// Steps by their numbers, filled by passes over the pieces that have them.
#[derive(Debug, Default)]
pub struct Shown {
    steps: BTreeMap<u64, Line>,
    latest: Option<u64>,
}

#[derive(Debug, Default)]
struct Line {
    address: Option<u64>,
    isa: Option<&'static str>,
    code: Vec<u8>,
    /// What was accessed, and whether it was written.
    values: Vec<(Cell, bool, Vec<u8>)>,
}

impl Shown {
    /// Steps of which nothing is known yet.
    pub fn of(steps: impl IntoIterator<Item = u64>) -> Self {
        Self { steps: steps.into_iter().map(|step| (step, Line::default())).collect(), latest: None }
    }

    /// The numbers of the pieces that have them. `first` has the first step of each piece.
    #[must_use]
    pub fn pieces(&self, first: &[u64]) -> Vec<u32> {
        let piece = |step: &u64| first.partition_point(|first| first <= step).saturating_sub(1);
        let mut pieces: Vec<u32> =
            self.steps.keys().map(|step| u32::try_from(piece(step)).unwrap_or(u32::MAX - 1)).collect();
        pieces.dedup();
        pieces
    }

    /// The address of a step, and the instruction set and the bytes of its instruction.
    #[must_use]
    pub fn code(&self, step: u64) -> Option<(Option<u64>, Option<&'static str>, &[u8])> {
        self.steps.get(&step).map(|line| (line.address, line.isa, &line.code[..]))
    }

    /// The value that a step wrote to a cell, or else read from it, as hexadecimal digits.
    #[must_use]
    pub fn value(&self, step: u64, cell: &Cell) -> Option<String> {
        let values = &self.steps.get(&step)?.values;
        let holds = |at: &Cell, value: &[u8]| match (at, cell) {
            (Cell::Memory(from), Cell::Memory(byte)) => byte.wrapping_sub(*from) < value.len() as u64,
            (at, cell) => at == cell,
        };
        let found =
            values.iter().rev().filter(|(at, _, value)| holds(at, value)).max_by_key(|(_, written, _)| *written)?;
        Some(found.2.iter().rev().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl StepVisitor for Shown {
    fn begin(&mut self, step: &Step) -> bool {
        self.latest = self.steps.contains_key(&step.number).then_some(step.number);
        if let Some(line) = self.steps.get_mut(&step.number) {
            line.address = step.address;
        }
        self.latest.is_some()
    }

    fn access(&mut self, access: &Access<'_>) {
        if let Some(line) = self.latest.and_then(|step| self.steps.get_mut(&step)) {
            let cell = match access.place {
                Place::Register(name) => Cell::Register(name.into()),
                Place::Memory(address) => Cell::Memory(address),
            };
            line.values.push((cell, access.written, access.value.into()));
        }
    }

    fn code(&mut self, isa: Option<&'static str>, bytes: &[u8]) {
        if let Some(line) = self.latest.and_then(|step| self.steps.get_mut(&step)) {
            line.isa = isa;
            line.code.extend_from_slice(bytes);
        }
    }
}
