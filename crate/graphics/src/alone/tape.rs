//! What calls read and write, and which of them are needed for the last ones.
//!
//! ```text
//! call   1 glBindTexture  writes binding(0)
//!        2 glTexImage2D   reads binding(0), writes level 0 of the texture, whole
//!        3 glTexImage2D   reads binding(0), writes level 0 of the texture, whole
//!        4 glDrawArrays   reads binding(0) and all of the texture                    <- wanted
//! ```
//!
//! From the last call to the first, a call is kept if something that it wrote is read by one that
//! is kept, and was not wholly written again in between: here 4, 3 and 1. What a kept call reads is
//! then wanted, too. That is exact if calls are noted with all that they read, and with nothing as
//! wholly written that keeps a part of what it was.
//!
//! Call 2 is not needed whatever comes after 3: [`Tape::forget`] drops such calls, so that notes
//! take the memory of what is there, and not of all calls of a trace.

use hashbrown::{HashMap, HashSet};

/// Something that calls write and read as a whole.
pub(super) type Cell = u32;
/// Cells that are read together.
pub(super) type Group = u32;

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Writes a part of a cell, or changes what it was.
    Part(Cell),
    /// Writes all of a cell.
    Whole(Cell),
    /// Leaves a cell undefined, whether or not the call is kept.
    Ends(Cell),
    Read(Cell),
    ReadAll(Group),
    /// Reads what a set lists, which may still grow.
    ReadSet(u32),
    /// Is kept in any case.
    Always,
}

const SHIFT: u32 = 29;
const MASK: u32 = (1 << SHIFT) - 1;

impl Effect {
    fn packed(self) -> u32 {
        let (kind, of) = match self {
            Self::Part(cell) => (0, cell),
            Self::Whole(cell) => (1, cell),
            Self::Ends(cell) => (2, cell),
            Self::Read(cell) => (3, cell),
            Self::ReadAll(group) => (4, group),
            Self::ReadSet(set) => (5, set),
            Self::Always => (6, 0),
        };
        kind << SHIFT | of & MASK
    }

    fn unpacked(word: u32) -> Self {
        let of = word & MASK;
        match word >> SHIFT {
            0 => Self::Part(of),
            1 => Self::Whole(of),
            2 => Self::Ends(of),
            3 => Self::Read(of),
            4 => Self::ReadAll(of),
            5 => Self::ReadSet(of),
            _ => Self::Always,
        }
    }
}

/// The number of what looks at the windows after the last call.
pub(super) const LAST: u32 = u32::MAX;

/// A call with effects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its number in the trace.
    pub(super) call: u32,
    /// Where its effects end.
    end: u32,
    thread: u16,
    pub(super) draws: bool,
    /// It belongs to the frames that are wanted.
    pub(super) is_of_frames: bool,
}

/// Why a call is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Not at all.
    No,
    /// It belongs to the frames.
    Frames,
    /// It always is, because what it changes is not known.
    Always,
    /// It ends what a kept call has begun.
    Ends,
    /// It wrote this cell.
    Wrote(Cell),
}

/// What calls must be kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All calls of the frames.
    Frames,
    /// What the frames draw: of their calls, too, only those that draws need.
    Draws,
    /// Whatever comes after the last call.
    Anything,
}

/// The calls of a trace up to the end of the frames.
#[derive(Debug, Default)]
pub(super) struct Tape {
    entries: Vec<Entry>,
    effects: Vec<u32>,
    /// The group of each cell, and what it is.
    groups: Vec<Group>,
    kinds: Vec<u16>,
    /// How many groups there are.
    group_count: u32,
    cells: HashMap<(Group, u16, u64, u64), Cell>,
    sets: Vec<Vec<u32>>,
    by_set: HashMap<Vec<u32>, u32>,
    /// Sets that may still grow.
    open: HashSet<u32>,
    /// Sets that no call refers to any more.
    free: Vec<u32>,
    /// Groups that no later call reads.
    gone: HashSet<Group>,
    /// Effects in all sets.
    in_sets: usize,
    /// Calls that must be kept with an earlier one: numbers of that one, and of the later.
    pairs: Vec<(u32, u32)>,
    /// What is current on each thread.
    threads: HashMap<u64, (u16, Cell)>,
    /// Cells of threads, by their place.
    thread_cells: Vec<Cell>,
    thread_group: Option<Group>,
}

impl Tape {
    pub(super) fn group(&mut self) -> Group {
        self.group_count += 1;
        self.group_count - 1
    }

    /// A cell of a group, by what it is and two numbers.
    pub(super) fn cell(&mut self, group: Group, what: u16, a: u64, b: u64) -> Cell {
        let next = self.groups.len() as u32;
        let cell = *self.cells.entry((group, what, a, b)).or_insert(next);
        if cell == next {
            self.groups.push(group);
            self.kinds.push(what);
        }
        cell
    }

    /// A new cell of a group. It is not found again by [`Tape::cell`].
    pub(super) fn add_cell(&mut self, group: Group, what: u16) -> Cell {
        self.groups.push(group);
        self.kinds.push(what);
        self.groups.len() as u32 - 1
    }

    /// The group of a cell.
    pub(super) fn group_of(&self, cell: Cell) -> Group {
        self.groups.get(cell as usize).copied().unwrap_or_default()
    }

    /// What a cell is.
    pub(super) fn kind_of(&self, cell: Cell) -> u16 {
        self.kinds.get(cell as usize).copied().unwrap_or_default()
    }

    /// What is current on a thread.
    pub(super) fn thread_cell(&mut self, thread: u64) -> Cell {
        self.thread(thread).1
    }

    fn thread(&mut self, thread: u64) -> (u16, Cell) {
        if let Some(known) = self.threads.get(&thread) {
            return *known;
        }
        let group = match self.thread_group {
            Some(group) => group,
            None => *self.thread_group.insert(self.group_count),
        };
        self.group_count = self.group_count.max(group + 1);
        let cell = self.cell(group, u16::MAX, thread, 0);
        // Threads beyond these count as one, which keeps more.
        let at = self.thread_cells.len().min(u16::MAX.into()) as u16;
        if usize::from(at) == self.thread_cells.len() {
            self.thread_cells.push(cell);
        }
        self.threads.insert(thread, (at, cell));
        (at, cell)
    }

    fn add_set(&mut self, packed: Vec<u32>) -> u32 {
        self.in_sets += packed.len();
        if let Some((at, slot)) = self.free.pop().and_then(|at| Some((at, self.sets.get_mut(at as usize)?))) {
            *slot = packed;
            return at;
        }
        self.sets.push(packed);
        self.sets.len() as u32 - 1
    }

    /// A set that may grow until it is closed.
    pub(super) fn open_set(&mut self) -> u32 {
        let set = self.add_set(Vec::new());
        self.open.insert(set);
        set
    }

    pub(super) fn close_set(&mut self, set: u32, effects: impl Iterator<Item = Effect>) {
        self.open.remove(&set);
        if let Some(slot) = self.sets.get_mut(set as usize) {
            let before = slot.len();
            slot.extend(effects.map(Effect::packed));
            self.in_sets += slot.len() - before;
        }
    }

    /// A set of what is read: the same one for the same effects.
    pub(super) fn set_of(&mut self, effects: &[Effect]) -> u32 {
        let packed: Vec<u32> = effects.iter().map(|effect| effect.packed()).collect();
        if let Some(known) = self.by_set.get(&packed) {
            return *known;
        }
        let set = self.add_set(packed.clone());
        self.by_set.insert(packed, set);
        set
    }

    /// If the call of the first number is kept, that of the second is, too.
    pub(super) fn pair(&mut self, first: u32, second: u32) {
        self.pairs.push((first, second));
    }

    /// Appends a call. One without effects is left out unless it is of the frames.
    pub(super) fn push(&mut self, call: u32, thread: u64, draws: bool, is_of_frames: bool, effects: &[Effect]) {
        let (thread, _) = self.thread(thread);
        self.effects.extend(effects.iter().map(|effect| effect.packed()));
        self.entries.push(Entry { call, end: self.effects.len() as u32, thread, draws, is_of_frames });
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Bytes that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        // Sets are found by what they have, so that they are there twice.
        let sets = self.in_sets * 8 + self.sets.len() * 96;
        self.entries.len() * size_of::<Entry>() + self.effects.len() * 4 + self.groups.len() * 64 + sets
    }

    fn effects_of(&self, at: usize) -> impl DoubleEndedIterator<Item = Effect> {
        let end = self.entries.get(at).map_or(0, |entry| entry.end as usize);
        let begin = at.checked_sub(1).and_then(|at| self.entries.get(at)).map_or(0, |entry| entry.end as usize);
        self.effects.get(begin..end).unwrap_or_default().iter().map(|word| Effect::unpacked(*word))
    }

    /// Why each call is kept. `ends`: whether [`Effect::Ends`] counts.
    pub(super) fn kept(&self, ends: bool, wanted: Wanted) -> Vec<Why> {
        let paired: HashSet<u32> = self.pairs.iter().map(|(first, _)| *first).collect();
        let mut forced = HashSet::new();
        loop {
            let why = self.walk(ends, wanted, &forced);
            let calls = self.entries.iter().zip(&why).filter(|(_, why)| **why != Why::No).map(|(entry, _)| entry.call);
            let kept: HashSet<u32> = calls.filter(|call| paired.contains(call)).collect();
            let before = forced.len();
            forced.extend(self.pairs.iter().filter(|(first, _)| kept.contains(first)).map(|(_, second)| *second));
            if forced.len() == before {
                return why;
            }
        }
    }

    /// Drops calls that are not needed, whatever the next ones read. They read nothing of groups
    /// that are `gone`. `ends` is that of [`Tape::kept`].
    pub(super) fn forget(&mut self, gone: &HashSet<Group>, ends: bool) {
        self.gone.extend(gone);
        let why = self.kept(ends, Wanted::Anything);
        let is_kept = |at: usize| why.get(at).is_some_and(|why| *why != Why::No);
        let mut used = self.open.clone();
        let (mut to, mut begin, mut entries) = (0, 0, 0);
        for at in 0..self.entries.len() {
            let Some(mut entry) = self.entries.get(at).copied() else { break };
            let effects = begin..entry.end as usize;
            begin = effects.end;
            if !is_kept(at) {
                continue;
            }
            for from in effects {
                let word = self.effects.get(from).copied().unwrap_or_default();
                if let Effect::ReadSet(set) = Effect::unpacked(word) {
                    used.insert(set);
                }
                if let Some(slot) = self.effects.get_mut(to) {
                    *slot = word;
                }
                to += 1;
            }
            entry.end = to as u32;
            if let Some(slot) = self.entries.get_mut(entries) {
                *slot = entry;
            }
            entries += 1;
        }
        self.effects.truncate(to);
        self.entries.truncate(entries);
        let paired: HashSet<u32> = self.pairs.iter().map(|(first, _)| *first).collect();
        let left: HashSet<u32> = self.entries.iter().map(|it| it.call).filter(|call| paired.contains(call)).collect();
        self.pairs.retain(|(first, _)| left.contains(first));
        self.by_set.retain(|_, set| used.contains(set));
        let unused = |(at, set): (u32, &mut Vec<u32>)| {
            let is_unused = !set.is_empty() && !used.contains(&at);
            is_unused.then(|| core::mem::take(set).len()).map(|length| (at, length))
        };
        for (at, length) in (0..).zip(&mut self.sets).filter_map(unused) {
            self.in_sets -= length;
            self.free.push(at);
        }
    }

    fn walk(&self, ends: bool, wanted: Wanted, forced: &HashSet<u32>) -> Vec<Why> {
        let mut live = Live {
            groups: &self.groups,
            read: vec![u32::MAX; self.groups.len()],
            read_all: vec![u32::MAX; self.group_count as usize],
            read_everything: if wanted == Wanted::Anything { u32::MAX - 1 } else { u32::MAX },
            written: vec![u32::MAX; self.groups.len()],
            clock: u32::MAX - 1,
        };
        if wanted == Wanted::Anything {
            for (slot, _) in live.written.iter_mut().zip(&self.groups).filter(|(_, of)| self.gone.contains(*of)) {
                *slot = u32::MAX - 1;
            }
        }
        let mut all = vec![Why::No; self.entries.len()];
        for (at, entry) in self.entries.iter().enumerate().rev() {
            let is_wanted = wanted != Wanted::Draws || entry.draws || entry.call == LAST;
            let mut why = if entry.is_of_frames && is_wanted {
                Why::Frames
            } else if forced.contains(&entry.call) {
                Why::Ends
            } else {
                Why::No
            };
            for effect in self.effects_of(at) {
                match effect {
                    Effect::Part(cell) | Effect::Whole(cell) if why == Why::No && live.has(cell) => {
                        why = Why::Wrote(cell);
                    }
                    Effect::Always if why == Why::No => why = Why::Always,
                    _ => {}
                }
            }
            let is_kept = why != Why::No;
            // From the last to the first, too: a call may read what it wrote.
            for effect in self.effects_of(at).rev() {
                match effect {
                    Effect::Whole(cell) if is_kept => live.write(cell),
                    Effect::Ends(cell) if ends => live.write(cell),
                    Effect::ReadSet(set) if is_kept && wanted == Wanted::Anything && self.open.contains(&set) => {
                        live.take_everything();
                    }
                    Effect::ReadSet(set) if is_kept => {
                        for word in self.sets.get(set as usize).into_iter().flatten() {
                            live.take(Effect::unpacked(*word));
                        }
                    }
                    Effect::Read(_) | Effect::ReadAll(_) if is_kept => live.take(effect),
                    _ => {}
                }
            }
            if !is_kept {
                continue;
            }
            // What makes a context current does not depend on the one before.
            if let Some(cell) = self.thread_cells.get(usize::from(entry.thread))
                && !self.effects_of(at).any(|effect| effect == Effect::Whole(*cell))
            {
                live.take(Effect::Read(*cell));
            }
            if let Some(slot) = all.get_mut(at) {
                *slot = why;
            }
        }
        all
    }
}

/// When cells were read and written: effects are looked at from the last to the first, and the
/// clock runs backwards with them. `u32::MAX` for never.
struct Live<'a> {
    groups: &'a [Group],
    read: Vec<u32>,
    read_all: Vec<u32>,
    read_everything: u32,
    written: Vec<u32>,
    clock: u32,
}

impl Live<'_> {
    /// Whether a cell is read before it is wholly written again.
    fn has(&self, cell: Cell) -> bool {
        let of = |all: &[u32], at: u32| all.get(at as usize).copied().unwrap_or(u32::MAX);
        let group = of(self.groups, cell);
        let read = of(&self.read, cell).min(of(&self.read_all, group)).min(self.read_everything);
        read != u32::MAX && read < of(&self.written, cell)
    }

    fn write(&mut self, cell: Cell) {
        self.clock -= 1;
        if let Some(slot) = self.written.get_mut(cell as usize) {
            *slot = self.clock;
        }
    }

    fn take_everything(&mut self) {
        self.clock -= 1;
        self.read_everything = self.clock;
    }

    fn take(&mut self, effect: Effect) {
        self.clock -= 1;
        let slot = match effect {
            Effect::Read(cell) => self.read.get_mut(cell as usize),
            Effect::ReadAll(group) => self.read_all.get_mut(group as usize),
            _ => None,
        };
        if let Some(slot) = slot {
            *slot = self.clock;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The calls that are kept of these.
    fn kept(tape: &Tape, ends: bool) -> Vec<usize> {
        tape.kept(ends, Wanted::Frames)
            .iter()
            .enumerate()
            .filter(|(_, why)| **why != Why::No)
            .map(|(at, _)| at)
            .collect()
    }

    #[test]
    fn what_is_read_is_kept_and_what_is_written_again_is_not() {
        let mut tape = Tape::default();
        let (state, texture) = (tape.group(), tape.group());
        let binding = tape.cell(state, 1, 0, 0);
        let [level, other] = [0, 1].map(|level| tape.cell(texture, 2, level, 0));
        let calls: [&[Effect]; 6] = [
            &[Effect::Whole(binding)],
            &[Effect::Read(binding), Effect::Whole(level)],
            &[Effect::Read(binding), Effect::Part(other)],
            &[Effect::Read(binding), Effect::Whole(level)],
            &[Effect::Part(level)],
            &[Effect::Read(binding), Effect::ReadAll(texture)],
        ];
        for (call, effects) in (0..).zip(calls) {
            tape.push(call, 0, false, call == 5, effects);
        }
        assert_eq!(kept(&tape, false), [0, 2, 3, 4, 5]);
        assert_eq!(tape.kept(false, Wanted::Frames).get(4), Some(&Why::Wrote(level)));
    }

    #[test]
    fn an_end_counts_only_if_asked_for_and_pairs_stay_together() {
        let mut tape = Tape::default();
        let group = tape.group();
        let cell = tape.cell(group, 0, 0, 0);
        tape.push(0, 0, false, false, &[Effect::Part(cell)]);
        tape.push(1, 0, false, false, &[Effect::Ends(cell)]);
        tape.push(2, 0, false, true, &[Effect::ReadAll(group)]);
        assert_eq!(kept(&tape, true), [2]);
        assert_eq!(kept(&tape, false), [0, 2]);
        tape.pair(0, 1);
        assert_eq!(kept(&tape, false), [0, 1, 2]);
    }

    #[test]
    fn a_set_may_grow_and_a_call_may_read_what_it_writes() {
        let mut tape = Tape::default();
        let group = tape.group();
        let [saved, top] = [0, 1].map(|at| tape.cell(group, at, 0, 0));
        let set = tape.open_set();
        tape.push(0, 0, false, false, &[Effect::Whole(top)]);
        tape.push(1, 0, false, false, &[Effect::Whole(saved), Effect::ReadSet(set)]);
        tape.push(2, 0, false, false, &[Effect::Whole(top)]);
        tape.close_set(set, [Effect::Read(top)].into_iter());
        tape.push(3, 0, false, false, &[Effect::Whole(top), Effect::Read(saved)]);
        tape.push(4, 0, false, true, &[Effect::Read(top), Effect::Whole(top)]);
        assert_eq!(kept(&tape, false), [0, 1, 3, 4]);
    }

    #[test]
    fn a_call_that_writes_first_does_not_need_what_was() {
        let mut tape = Tape::default();
        let group = tape.group();
        let cell = tape.cell(group, 0, 0, 0);
        tape.push(0, 0, false, false, &[Effect::Whole(cell)]);
        tape.push(1, 0, false, false, &[Effect::Whole(cell), Effect::Read(cell)]);
        tape.push(2, 0, false, true, &[Effect::Read(cell)]);
        assert_eq!(kept(&tape, false), [1, 2]);
    }

    #[test]
    fn what_was_forgotten_is_not_needed_by_what_follows() {
        let mut tape = Tape::default();
        let group = tape.group();
        let [cell, other, saved] = [0, 1, 2].map(|at| tape.cell(group, at, 0, 0));
        let set = tape.set_of(&[Effect::Read(cell)]);
        let open = tape.open_set();
        tape.push(0, 0, false, false, &[Effect::Whole(cell)]);
        tape.push(1, 0, false, false, &[Effect::Whole(cell), Effect::Read(other)]);
        tape.push(2, 0, false, false, &[Effect::Whole(other), Effect::ReadSet(set)]);
        tape.push(3, 0, false, false, &[Effect::Whole(saved), Effect::ReadSet(open)]);
        tape.push(4, 0, false, false, &[Effect::Whole(cell)]);
        tape.push(5, 0, false, false, &[Effect::Whole(other)]);
        tape.pair(0, 4);
        tape.pair(3, 5);
        tape.forget(&HashSet::new(), false);
        // The set of call 3 may come to read what 1 and 2 wrote.
        assert_eq!(tape.entries().iter().map(|entry| entry.call).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        tape.close_set(open, core::iter::empty());
        tape.forget(&HashSet::new(), false);
        assert_eq!(tape.entries().iter().map(|entry| entry.call).collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(tape.pairs, [(3, 5)]);
        // The set that is free is used again.
        assert_eq!(tape.set_of(&[Effect::Read(other)]), set);
        tape.push(6, 0, false, true, &[Effect::Read(saved)]);
        assert_eq!(kept(&tape, false), [0, 2, 3]);
    }
}
