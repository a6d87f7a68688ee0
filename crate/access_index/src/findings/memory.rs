//! Memory that is read before anything wrote it, and code that was written before it is executed.

use hashbrown::{HashMap, HashSet};
use unspool_trace::Finding;
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence};

use super::{Place, code_at, position};

/// Lines of 64 bytes that are followed: 64 MiB of written memory.
const MOST_LINES: usize = 1 << 20;
const LINE: u64 = 64;
const PAGE: u64 = 12;
/// Below the stack pointer, functions that call nothing may keep values.
const RED_ZONE: u64 = 128;
/// What a system call may write from one of its arguments on, and an interrupt below the stack
/// pointer.
const KERNEL: u64 = 4096;
/// Reads of a stretch that nothing wrote.
const ENOUGH: u64 = 4;
/// Steps between two reads that belong together.
const NEAR: u64 = 4096;
/// Stretches that are kept.
const MOST_FOUND: usize = 1 << 10;
/// Executed code that is this close to other such code belongs to it.
const CLOSE: u64 = 1 << 16;

/// Values that nothing has written.
pub(super) static UNWRITTEN: Kind = Kind {
    word: "unwritten-read",
    title: "Values that nothing wrote",
    why: "Memory of the stack that was free when the recording began is read, at least four times, and no step wrote any byte of it before.",
};
/// Code that the program wrote.
pub(super) static WRITTEN: Kind = Kind {
    word: "written-code",
    title: "Code that was written before it ran",
    why: "Instructions are executed from bytes that a step of the trace wrote before.",
};

/// Reads of memory that nothing wrote.
#[derive(Clone, Copy, Debug)]
struct Unwritten {
    first: u64,
    last: u64,
    count: u64,
    low: u64,
    high: u64,
    /// The instruction of the first.
    code: u64,
}

/// Code that ran after it was written.
#[derive(Clone, Copy, Debug)]
struct Ran {
    low: u64,
    high: u64,
    written: u64,
    first: u64,
    last: u64,
    count: u64,
}

/// What steps wrote.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// By line, the first step that wrote to it, and which bytes were written.
    lines: HashMap<u64, (u64, u64)>,
    pages: HashSet<u64>,
    /// The latest page that was executed, and whether anything was written there.
    page: Option<(u64, bool)>,
    /// By thread, the first stack pointer and the latest.
    stacks: HashMap<Option<u64>, (u64, u64)>,
    /// A read of the current step that nothing wrote before.
    pending: Vec<(u64, u64)>,
    unwritten: Vec<Unwritten>,
    ran: Vec<Ran>,
    is_cut: bool,
}

/// The lines of some bytes, each with those of its bytes that are meant.
fn lines(address: u64, len: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = address.saturating_add(len);
    let first = address / LINE;
    (first..end.div_ceil(LINE)).map(move |line| {
        let from = address.max(line * LINE) - line * LINE;
        let to = end.min((line + 1).saturating_mul(LINE)) - line * LINE;
        let mask = if to - from >= LINE { u64::MAX } else { ((1_u64 << (to - from)) - 1) << from };
        (line, mask)
    })
}

impl Written {
    /// The stack pointer of a thread has a value.
    pub(super) fn stack_pointer(&mut self, thread: Option<u64>, value: u64) {
        let stack = self.stacks.entry(thread).or_insert((value, value));
        stack.1 = value;
    }

    /// A step reads memory.
    pub(super) fn read(&mut self, thread: Option<u64>, address: u64, len: u64) {
        let Some((first, now)) = self.stacks.get(&thread).copied() else { return };
        let is_free =
            address >= now.saturating_sub(RED_ZONE) && address.saturating_add(len) <= first.saturating_sub(RED_ZONE);
        if self.is_cut || !is_free || len == 0 || len > LINE {
            return;
        }
        let is_written =
            |(line, mask): (u64, u64)| self.lines.get(&line).is_some_and(|(_, written)| written & mask != 0);
        if !lines(address, len).any(is_written) {
            self.pending.push((address, len));
        }
    }

    /// A step writes memory.
    pub(super) fn write(&mut self, step: u64, address: u64, len: u64) {
        // What a step reads and writes at once, it may set.
        self.pending.retain(|(at, size)| at.saturating_add(*size) <= address || *at >= address.saturating_add(len));
        for (line, mask) in lines(address, len.min(MOST_LINES as u64)) {
            let has_room = self.lines.len() < MOST_LINES;
            match self.lines.get_mut(&line) {
                Some((_, written)) => *written |= mask,
                None if has_room => {
                    self.lines.insert(line, (step, mask));
                    let page = (line * LINE) >> PAGE;
                    if self.pages.insert(page) && self.page.is_some_and(|(known, _)| known == page) {
                        self.page = None;
                    }
                }
                None => self.is_cut = true,
            }
        }
    }

    /// The kernel may have written from an address on: what a system call was given.
    pub(super) fn given(&mut self, thread: Option<u64>, step: u64, address: u64) {
        let Some((first, now)) = self.stacks.get(&thread).copied() else { return };
        if address >= now.saturating_sub(KERNEL) && address < first {
            self.write(step, address, KERNEL.min(first - address));
        }
    }

    /// The kernel may have written below the stack pointer: for the handler of a signal.
    pub(super) fn interrupted(&mut self, thread: Option<u64>, step: u64) {
        if let Some((_, now)) = self.stacks.get(&thread).copied() {
            self.write(step, now.saturating_sub(KERNEL + RED_ZONE), KERNEL + RED_ZONE);
        }
    }

    /// The current step, which executes the instruction at `code`, has no more accesses.
    pub(super) fn end_step(&mut self, step: u64, code: u64) {
        for (address, len) in self.pending.drain(..) {
            let high = address.saturating_add(len);
            let has_room = self.unwritten.len() < MOST_FOUND;
            match self.unwritten.last_mut().filter(|it| step.saturating_sub(it.last) <= NEAR) {
                Some(it) => {
                    (it.last, it.count) = (step, it.count + 1);
                    (it.low, it.high) = (it.low.min(address), it.high.max(high));
                }
                None if has_room => {
                    self.unwritten.push(Unwritten { first: step, last: step, count: 1, low: address, high, code });
                }
                None => self.is_cut = true,
            }
        }
    }

    /// An instruction is executed.
    #[inline]
    pub(super) fn executed(&mut self, step: u64, address: u64, len: u64) {
        let page = address >> PAGE;
        let has_writes = match self.page {
            Some((known, has_writes)) if known == page => has_writes,
            _ => {
                let has_writes = self.pages.contains(&page);
                self.page = Some((page, has_writes));
                has_writes
            }
        };
        if has_writes {
            self.executed_of_written(step, address, len);
        }
    }

    #[cold]
    fn executed_of_written(&mut self, step: u64, address: u64, len: u64) {
        let of = |(line, mask): (u64, u64)| self.lines.get(&line).filter(|(_, written)| written & mask != 0);
        let Some(written) = lines(address, len).filter_map(of).map(|(step, _)| *step).min() else { return };
        let high = address.saturating_add(len);
        let near = |it: &&mut Ran| address.saturating_add(CLOSE) >= it.low && address <= it.high.saturating_add(CLOSE);
        let has_room = self.ran.len() < MOST_FOUND;
        match self.ran.iter_mut().rev().find(near) {
            Some(it) => {
                (it.low, it.high) = (it.low.min(address), it.high.max(high));
                (it.written, it.last, it.count) = (it.written.min(written), step, it.count + 1);
            }
            None if has_room => {
                self.ran.push(Ran { low: address, high, written, first: step, last: step, count: 1 });
            }
            None => self.is_cut = true,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.lines.capacity() * 25 + self.pages.capacity() * 9 + (self.unwritten.capacity() + self.ran.capacity()) * 48
    }

    pub(super) fn found(&self, place: Place, steps: u64, found: &mut Vec<Finding>) {
        let part =
            || self.is_cut.then(|| format!("only {} of written memory were followed", counted(64 << 20, "byte")));
        let enough = self.unwritten.iter().filter(|it| it.count >= ENOUGH);
        for Unwritten { first, last, count, low, high, code } in enough.copied() {
            let mut sentence = Sentence::default();
            let reads = Claim::new("reads", count as f64, place.unit, counted(count, place.unit));
            sentence.claim(reads.of(format!("{low:#x}"))).say(" read memory of the stack at ").claim(code_at(low));
            sentence.say(" to ").claim(code_at(high)).say(" that nothing has written, first the instruction at ");
            sentence.claim(code_at(code)).say(" at ").say(place.unit).say(" ").claim(position(first, place.unit));
            let mut it = Finding::new(&UNWRITTEN, 0.92, sentence).within(first, last);
            it.part = part();
            found.push(it.about([format!("{low:#x}"), format!("{code:#x}")]));
        }
        for Ran { low, high, written, first, last, count } in self.ran.iter().copied() {
            let mut sentence = Sentence::default();
            sentence.say("Code at ").claim(code_at(low)).say(" to ").claim(code_at(high));
            sentence.say(" is executed after the program wrote it: written from ").say(place.unit).say(" ");
            sentence.claim(position(written, place.unit)).say(" on, ");
            let executed = Claim::new("executed", count as f64, place.unit, counted(count, place.unit));
            sentence.claim(executed.of(format!("{low:#x}"))).say(" executed from ");
            sentence.claim(position(first, place.unit)).say(" on");
            let weight = 0.7 + 0.2 * (count as f64 / steps.max(1) as f64);
            let mut it = Finding::new(&WRITTEN, weight, sentence).within(first, last);
            it.part = part();
            it.places = vec![written, first];
            found.push(it.about([format!("{low:#x}")]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_bytes_that_are_meant() {
        assert_eq!(lines(0x3c, 8).collect::<Vec<_>>(), [(0, 0xf << 60), (1, 0xf)]);
        assert_eq!(lines(0x40, 64).collect::<Vec<_>>(), [(1, u64::MAX)]);
        assert_eq!(lines(u64::MAX - 1, 8).map(|(line, _)| line).collect::<Vec<_>>(), [u64::MAX / 64]);
    }
}
