//! Claims about steps, counted once more from the records alone: which addresses are executed, and
//! how often.
//!
//! The first pass follows code, stacks and memory. This counts in the second one, which reads the
//! records another way, what sentences say about addresses.

use hashbrown::HashMap;
use unspool_trace::finding::Claim;
use unspool_trace::records::{Operand, Record, Visitor};
use unspool_trace::{FieldValue, Finding};

use super::{blocks, hot, memory, returns};
use crate::runs::CodeBlock;

/// Code that a finding is about.
#[derive(Clone, Copy, Debug)]
struct Code {
    low: u64,
    high: u64,
    /// Steps before this one do not count.
    from: u64,
    /// Executions of the first instruction, and of all.
    first: u64,
    all: u64,
}

/// Counts executions of the code of findings.
#[derive(Debug, Default)]
pub(super) struct Recount {
    code: Vec<Code>,
    step: u64,
}

/// The code that a finding claims executions of. `None` if it claims none.
fn code_of(it: &Finding) -> Option<Code> {
    // As they are said: the number of an address has more digits than a claim's value.
    let hexadecimal = |it: &Claim| u64::from_str_radix(it.text.strip_prefix("0x")?, 16).ok();
    let mut addresses = it.claims.iter().filter(|it| it.quantity == "address").filter_map(hexadecimal);
    let code = |low, high, from| Code { low, high, from, first: 0, all: 0 };
    let kind = it.kind;
    if kind == &hot::HOT {
        Some(code(addresses.next()?, addresses.next()?, 0))
    } else if kind == &memory::WRITTEN {
        Some(code(addresses.next()?, addresses.next()?.saturating_sub(1), it.at?))
    } else if kind == &returns::STRAY {
        let address = addresses.next()?;
        Some(code(address, address, it.at?))
    } else {
        None
    }
}

impl Recount {
    /// Counts for these.
    pub(super) fn of(proposed: &[Finding]) -> Self {
        Self { code: proposed.iter().filter_map(code_of).collect(), step: 0 }
    }

    /// Counts code that is executed from a step on, in a number of steps.
    #[inline]
    fn executed(&mut self, address: u64, step: u64, steps: u64) {
        let is_in = |it: &&mut Code| step >= it.from && (it.low..=it.high).contains(&address);
        for it in self.code.iter_mut().filter(is_in) {
            it.first += u64::from(it.low == address);
            it.all += steps;
        }
    }

    /// Whether what a finding claims is what was counted.
    pub(super) fn holds(&self, it: &Finding, steps: u64) -> bool {
        let Some(of) = code_of(it) else { return true };
        let is_same = |code: &&Code| (code.low, code.high, code.from) == (of.low, of.high, of.from);
        let Some(code) = self.code.iter().find(is_same) else { return false };
        it.claims.iter().all(|claim| match claim.quantity {
            "share-of-steps" => claim.value == code.all as f64 / steps.max(1) as f64,
            "iterations" => claim.value == code.first as f64,
            "steps-each" => claim.value == code.all as f64 / code.first as f64,
            "executed" => claim.value <= code.all as f64,
            // Of a return, some executions go where they should.
            "times" => claim.value <= code.first as f64,
            _ => code.first > 0 || it.kind == &memory::WRITTEN,
        })
    }
}

impl Visitor for Recount {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.step = record.x;
        !self.code.is_empty()
    }

    fn field(&mut self, _: &str, value: FieldValue<'_>) {
        let FieldValue::Code { address, .. } = value else { return };
        self.executed(address, self.step, 1);
    }

    fn operand(&mut self, _: &Operand<'_>) {}

    fn end(&mut self) {}
}

/// The same for the runs of a block trace.
#[derive(Debug, Default)]
pub(super) struct RunRecount {
    counts: Recount,
    /// The block that runs at a transition which a finding is about.
    at: HashMap<u64, usize>,
    /// Runs by the index of the block.
    runs: Vec<u64>,
}

impl RunRecount {
    /// Counts for these.
    pub(super) fn of(proposed: &[Finding], blocks: usize) -> Self {
        let at = proposed.iter().filter(|it| it.kind == &blocks::REWRITTEN).flat_map(|it| &it.places);
        Self { counts: Recount::of(proposed), at: at.map(|at| (*at, usize::MAX)).collect(), runs: vec![0; blocks] }
    }

    /// A block with instructions runs from one transition to before another one.
    pub(super) fn run(&mut self, place: usize, block: &CodeBlock, begin: u64, end: u64) {
        self.at.get_mut(&begin).into_iter().for_each(|of| *of = place);
        self.runs.get_mut(place).into_iter().for_each(|count| *count += 1);
        // A return is at the end of its block.
        let last = block.starts.last().filter(|_| end - begin >= u64::from(block.instructions));
        let last = last.map(|last| block.address.wrapping_add((*last).into()));
        for it in self.counts.code.iter_mut().filter(|it| it.low == it.high && it.low != block.address) {
            it.first += u64::from(last == Some(it.low) && end > it.from);
        }
        self.counts.executed(block.address, begin, end - begin);
    }

    /// Whether what a finding claims is what was counted. `blocks` are all, `transitions` how many.
    pub(super) fn holds(&self, it: &Finding, blocks: &[CodeBlock], transitions: u64) -> bool {
        if it.kind != &blocks::REWRITTEN {
            return self.counts.holds(it, transitions);
        }
        let place = |at: &u64| self.at.get(at).copied();
        let [Some(before), Some(after)] = [it.places.first(), it.places.get(1)].map(|at| at.and_then(place)) else {
            return false;
        };
        let runs = |of: usize| self.runs.get(of).copied().unwrap_or(0) as f64;
        let code = |of: usize| blocks.get(of).map_or(&[][..], |block| &block.code);
        it.claims.iter().all(|claim| match claim.quantity {
            "runs-before" => claim.value == runs(before),
            "runs-after" => claim.value == runs(after),
            "bytes-changed" => {
                claim.value
                    == code(before).iter().zip(code(after)).map(|(a, b)| f64::from(u8::from(a != b))).sum::<f64>()
            }
            _ => true,
        })
    }
}

/// Both visitors of the second pass.
pub(super) struct Both<'a>(pub(super) &'a mut super::Tainted, pub(super) &'a mut Recount);

impl Visitor for Both<'_> {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        self.1.begin(record);
        self.0.begin(record)
    }

    fn field(&mut self, key: &str, value: FieldValue<'_>) {
        self.1.field(key, value);
        self.0.field(key, value);
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        self.0.operand(operand);
    }

    fn end(&mut self) {
        self.0.end();
    }
}
