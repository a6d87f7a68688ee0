//! What stands out among the runs of a block trace.

use hashbrown::HashMap;
use unspool_stacks::flow::{Flow, LOOKED_AT, Reading, flow};
use unspool_stacks::isa::Isa;
use unspool_stacks::vectors;
use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence, arrange};

use super::bursts::Bursts;
use super::hot::Hot;
use super::recount::RunRecount;
use super::returns::Returns;
use super::{Instruction, Place, arrive, code_at, diverted, position};
use crate::runs::{CodeBlock, RunIndex};

/// One address in this number may have several versions. If more have, several programs run at the
/// same addresses.
const FEW: usize = 50;

/// Code that became other code.
pub(super) static REWRITTEN: Kind = Kind {
    word: "written-code",
    title: "Code that changed",
    why: "Blocks at one address have different bytes, each ran only before or only after the other, and nearly no other address is like that.",
};

/// What is known of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Ran {
    count: u64,
    first: u64,
    last: u64,
}

/// Looks for what stands out in a block trace.
#[derive(Default)]
pub struct RunFindings {
    hot: Hot,
    returns: Returns,
    bursts: Bursts,
    /// By the index of the block.
    ran: Vec<Ran>,
    /// By number in the index, the index of the block.
    blocks: HashMap<u32, Option<usize>>,
    /// The last instruction that ran, if the run was whole.
    latest: Option<Instruction>,
    /// The next segment: those of the second pass follow those of the first.
    segment: u32,
    /// Counts in the second pass.
    recount: RunRecount,
}

impl RunFindings {
    /// An interrupt at a transition, by its vector. They must ascend.
    pub fn interrupt(&mut self, transition: u64, vector: u64, is_hardware: bool) {
        let name = match vectors::name(Isa::X86(64), vector) {
            Some("page fault") if !is_hardware => "page faults".into(),
            Some(name) if !is_hardware => format!("exceptions (vector {vector}, {name})"),
            _ if is_hardware => format!("interrupts of the hardware (vector {vector})"),
            _ => format!("interrupts (vector {vector})"),
        };
        self.bursts.add(&name, transition);
    }

    /// Looks at the runs of `budget` further segments, all of them twice: what is to be said is
    /// counted once more. Returns whether there are no more.
    pub fn step(&mut self, index: &RunIndex, budget: u32) -> bool {
        let count = index.segments().count();
        let end = self.segment.saturating_add(budget.max(1)).min(count * 2);
        self.ran.resize(index.blocks().len(), Ran::default());
        while self.segment < end {
            let (segment, is_again) = (self.segment % count, self.segment >= count);
            let first = index.segments().first(segment);
            let after = if segment + 1 < count { index.segments().first(segment + 1) } else { index.position() };
            let sequence = index.executed().sequence(segment);
            let runs: Vec<(u64, u32)> =
                (first..).zip(sequence).filter_map(|(begin, number)| Some((begin, number?))).collect();
            let ends = runs.iter().skip(1).map(|run| run.0).chain([after]);
            for ((begin, number), end) in runs.iter().zip(ends) {
                let place =
                    *self.blocks.entry(*number).or_insert_with(|| index.place_of(index.executed().key(*number)));
                if let Some((place, block)) = place.and_then(|place| Some((place, index.blocks().get(place)?))) {
                    match is_again {
                        false => self.run(place, block, *begin, end),
                        true if block.instructions > 0 => self.recount.run(place, block, *begin, end),
                        true => {}
                    }
                }
            }
            self.segment += 1;
            if self.segment == count {
                self.recount = RunRecount::of(&self.proposed(index), index.blocks().len());
            }
        }
        self.segment == count * 2
    }

    /// A block runs.
    fn run(&mut self, place: usize, block: &CodeBlock, begin: u64, end: u64) {
        if block.instructions == 0 {
            // An interrupt: no instruction leads to what follows.
            if let Some(latest) = self.latest.take() {
                diverted(&mut self.returns, None, &latest);
            }
            return;
        }
        if let Some(latest) = self.latest.take() {
            arrive(&mut self.returns, &mut self.hot, None, &latest, block.address);
        }
        if let Some(ran) = self.ran.get_mut(place) {
            let first = if ran.count == 0 { begin } else { ran.first };
            *ran = Ran { count: ran.count + 1, first, last: end.saturating_sub(1) };
        }
        self.hot.executed(block.address, begin, end - begin);
        let is_whole = end - begin >= u64::from(block.instructions);
        let last = block.starts.last().copied().filter(|_| is_whole && block.bits > 0);
        let code = last.and_then(|last| Some((last, block.code.get(last as usize..)?)));
        self.latest = code.map(|(last, code)| {
            let address = block.address.wrapping_add(last.into());
            let looked_at = code.get(..LOOKED_AT).unwrap_or(code);
            let flow: Flow = flow(Reading::x86(block.bits), address, looked_at, code.len() as u64);
            Instruction { step: end - 1, address, length: code.len() as u64, flow, slot: None }
        });
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.hot.bytes() + self.returns.bytes() + self.bursts.bytes() + self.ran.capacity() * size_of::<Ran>()
    }

    /// The findings that hold when they are counted once more, the greatest first, and how many did
    /// not hold. Nothing before all segments were looked at twice.
    pub fn found(&self, index: &RunIndex) -> (Vec<Finding>, u64) {
        if self.segment < index.segments().count() * 2 {
            return (Vec::new(), 0);
        }
        let mut found = self.proposed(index);
        let all = found.len();
        found.retain(|it| self.recount.holds(it, index.blocks(), index.position()));
        let refuted = (all - found.len()) as u64;
        (found, refuted)
    }

    /// Everything that may be said, the greatest first.
    fn proposed(&self, index: &RunIndex) -> Vec<Finding> {
        let place = Place { unit: "transition" };
        let mut found = Vec::new();
        self.hot.found(place, index.position(), &mut found);
        self.returns.found(place, &mut found);
        self.bursts.found(place, index.position(), &mut found);
        self.rewritten(index, &mut found);
        arrange(&mut found);
        found
    }

    /// Addresses where one block ran after another one with other bytes.
    fn rewritten(&self, index: &RunIndex, found: &mut Vec<Finding>) {
        let all = index.blocks().iter().zip(&self.ran).filter(|(block, ran)| ran.count > 0 && block.instructions > 0);
        let mut by_address: Vec<(&CodeBlock, &Ran)> = all.collect();
        by_address.sort_by_key(|(block, ran)| (block.address, ran.first));
        let mut addresses = 0;
        let mut changed = Vec::new();
        let mut several = 0;
        for versions in by_address.chunk_by(|a, b| a.0.address == b.0.address) {
            addresses += 1;
            let mut is_several = false;
            for pair in versions.windows(2) {
                let [(before, ran_before), (after, ran_after)] = pair else { continue };
                let differs = before.bits == after.bits && before.code.iter().zip(&after.code).any(|(a, b)| a != b);
                is_several |= differs;
                if differs && ran_before.last < ran_after.first {
                    changed.push((*before, **ran_before, *after, **ran_after));
                }
            }
            several += usize::from(is_several);
        }
        // One change of a piece of code shows in each block that begins in it.
        if several > 1 && several * FEW > addresses {
            return;
        }
        for (before, ran_before, after, ran_after) in changed {
            let differing = before.code.iter().zip(&after.code).filter(|(a, b)| a != b).count();
            let name = format!("{:#x}", before.address);
            let number =
                |quantity, value: u64, noun| Claim::new(quantity, value as f64, "", counted(value, noun)).of(&name);
            let mut sentence = Sentence::default();
            sentence.say("Code at ").claim(code_at(before.address)).say(" changed: a block ran ");
            sentence.claim(number("runs-before", ran_before.count, "time").at(ran_before.first));
            sentence.say(" with other bytes, and from transition ").claim(position(ran_after.first, "transition"));
            sentence.say(" on ").claim(number("runs-after", ran_after.count, "time").at(ran_after.first));
            sentence.say(" with ").claim(number("bytes-changed", differing as u64, "byte").at(ran_after.first));
            sentence.say(" changed");
            let weight = 0.75 + 0.001 * (ran_before.count.min(ran_after.count).min(100)) as f64;
            let it = Finding::new(&REWRITTEN, weight, sentence).within(ran_after.first, ran_after.first);
            let mut it = it.about([name]);
            it.places = vec![ran_before.first, ran_after.first];
            found.push(it);
        }
    }
}
