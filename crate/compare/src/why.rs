//! Why two executions of one program part.
//!
//! Both traces say what each step read and wrote. The steps of a thread are paired one by one up to
//! the first whose address differs: there the paths part. Up to then it is remembered, byte by
//! byte, which registers and which memory have another value in B than in A, and which step wrote
//! it. A step that writes such a value has read one (its *sources*), or it is a *cause*: it read
//! the same in both and wrote something else. From the step before the paths part, the sources lead
//! back to the cause.
//!
//! Values that differ for a reason of their own, such as an address or a time, are remembered too,
//! but lie on no way back from where the paths part, unless they had to do with it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use unspool_trace::steps::{Access, Place, Step, StepVisitor};

/// Steps that wait for their counterparts at most, per side. Beyond it, threads take turns too
/// differently to be paired.
const MOST_WAITING: usize = 1 << 22;
/// Steps that are remembered because values differ in them.
const MOST_REMEMBERED: usize = 1 << 24;

/// Cells of [`Why::cells`] at most.
pub const MOST_CELLS: usize = 256;

/// A register of a thread, or a byte of memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// By its name in the file.
    Register(String),
    /// The address of its first byte that differs.
    Memory(u64),
}

/// A step of both traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its number in A.
    pub a: u64,
    /// Its number in B.
    pub b: u64,
}

/// What a cause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The step read the same values in both and wrote another one.
    Step,
    /// The instructions themselves differ: the program was changed.
    Instruction,
    /// The step read a value that differs and that no step has written: input of the program, or
    /// something that the trace does not have.
    Input,
}

/// Where a value that differs comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What it is.
    pub origin: Origin,
    /// The steps that handed the value on, from the cause to the last one before the paths part,
    /// each with the cell that it wrote, or read in the case of the last. A step whose instruction
    /// differs may have none.
    pub chain: Vec<(Pair, Option<Cell>)>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The first steps whose addresses differ. A trace that has ended has its number of steps
    /// there.
    pub divergence: Option<Pair>,
    /// Their thread.
    pub thread: Option<u64>,
    /// Why they differ, where that can be said.
    pub cause: Option<Cause>,
    /// In how many steps on the common path a value differs.
    pub differing: u64,
    /// What holds other values in B where the paths part, as far as steps have written it:
    /// registers of the thread, then memory by address, at most [`MOST_CELLS`], each with the step
    /// that wrote it. Of memory the first byte that a step wrote.
    pub cells: Vec<(Cell, Pair)>,
    /// Too much differs, or waits, for the memory that this may take: what follows is unknown.
    pub is_cut: bool,
}

/// Steps of one trace that wait for their counterparts in the other.
#[derive(Debug, Default)]
pub struct Side {
    threads: BTreeMap<Option<u64>, VecDeque<Kept>>,
    /// Thread of the step that is being read.
    latest: Option<u64>,
    waiting: usize,
    /// How many steps were read.
    steps: u64,
    has_ended: bool,
    /// Names of registers, by their numbers here.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

/// A step with what it accessed.
#[derive(Debug)]
struct Kept {
    number: u64,
    address: u64,
    code: Vec<u8>,
    accesses: Vec<Accessed>,
    values: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Accessed {
    place: At,
    written: bool,
    /// Where its value begins and ends.
    value: (usize, usize),
}

/// A register by its number in the names of its side, or an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Register(u32),
    Memory(u64),
}

impl Side {
    /// No more steps come.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// Whether no more steps come.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// How many steps wait for their counterparts.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }

    /// The thread whose next step is the first of all that wait.
    fn next(&self) -> Option<Option<u64>> {
        let fronts = self.threads.iter().filter_map(|(thread, steps)| Some((steps.front()?.number, *thread)));
        fronts.min().map(|(_, thread)| thread)
    }

    fn take(&mut self, thread: Option<u64>) -> Option<Kept> {
        let step = self.threads.get_mut(&thread)?.pop_front();
        self.waiting -= usize::from(step.is_some());
        step
    }
}

impl StepVisitor for Side {
    fn begin(&mut self, step: &Step) -> bool {
        self.steps = step.number + 1;
        let Some(address) = step.address else { return false };
        let kept = Kept { number: step.number, address, code: Vec::new(), accesses: Vec::new(), values: Vec::new() };
        self.threads.entry(step.thread).or_default().push_back(kept);
        self.latest = step.thread;
        self.waiting += 1;
        true
    }

    fn access(&mut self, access: &Access<'_>) {
        let place = match access.place {
            Place::Memory(address) => At::Memory(address),
            Place::Register(name) => At::Register(match self.numbers.get(name) {
                Some(number) => *number,
                None => {
                    let number = self.names.len() as u32;
                    self.names.push(name.into());
                    self.numbers.insert(name.into(), number);
                    number
                }
            }),
        };
        let Some(step) = self.threads.get_mut(&self.latest).and_then(VecDeque::back_mut) else { return };
        let begin = step.values.len();
        step.values.extend_from_slice(access.value);
        step.accesses.push(Accessed { place, written: access.written, value: (begin, step.values.len()) });
    }

    fn code(&mut self, _isa: Option<&'static str>, bytes: &[u8]) {
        if let Some(step) = self.threads.get_mut(&self.latest).and_then(VecDeque::back_mut) {
            step.code.extend_from_slice(bytes);
        }
    }

    fn is_full(&self) -> bool {
        self.waiting >= MOST_WAITING
    }
}

impl Kept {
    fn value(&self, access: Accessed) -> &[u8] {
        self.values.get(access.value.0..access.value.1).unwrap_or_default()
    }
}

/// A byte of a register of a thread, or of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Byte {
    /// By the number of its name in A.
    Register(Option<u64>, u32, u32),
    Memory(u64),
}

/// A step in which a value differs.
#[derive(Debug)]
struct Node {
    pair: Pair,
    /// Its sources end here in the list of all.
    sources: usize,
    /// It read a value that differs and that no step has written.
    has_input: bool,
    /// Its instructions differ.
    has_other_code: bool,
}

/// A value that a step read, and the step that wrote it.
#[derive(Clone, Copy, Debug)]
struct Source {
    byte: Byte,
    node: u32,
}

/// Looks for the reason while both traces are read.
#[derive(Debug, Default)]
pub struct Tracing {
    /// Bytes that have another value in B, and the steps that wrote them.
    differing: HashMap<Byte, u32>,
    nodes: Vec<Node>,
    sources: Vec<Source>,
    /// The last step of each thread: its node, if a value differs in it, and the byte that it read.
    last: BTreeMap<Option<u64>, (Option<u32>, Option<Byte>)>,
    found: Option<(Pair, Option<u64>)>,
    is_cut: bool,
}

impl Tracing {
    /// Pairs the steps that wait on both sides. Returns true at the end: where the paths part, or
    /// where both traces have ended. Otherwise a side whose [`Side::waiting`] is zero has to be
    /// read on, or, if there is none, both.
    pub fn turn(&mut self, a: &mut Side, b: &mut Side) -> bool {
        while self.found.is_none() && !self.is_cut {
            let Some(thread) = a.next() else { break };
            let missing = b.threads.get(&thread).is_none_or(VecDeque::is_empty);
            if missing && !b.has_ended {
                self.is_cut = a.is_full() || b.is_full();
                return self.is_cut;
            }
            let Some(step) = a.take(thread) else { break };
            match b.take(thread) {
                Some(other) if other.address == step.address => self.pair(thread, &step, &other, (a, b)),
                Some(other) => self.found = Some((Pair { a: step.number, b: other.number }, thread)),
                None => self.found = Some((Pair { a: step.number, b: b.steps }, thread)),
            }
            self.is_cut |= self.nodes.len() >= MOST_REMEMBERED;
        }
        if self.found.is_some() || self.is_cut {
            return true;
        }
        // A has nothing that waits.
        if !a.has_ended {
            return false;
        }
        if let Some(thread) = b.next() {
            let number = b.take(thread).map_or(0, |step| step.number);
            self.found = Some((Pair { a: a.steps, b: number }, thread));
            return true;
        }
        b.has_ended
    }

    /// Notes what differs in a step of both.
    fn pair(&mut self, thread: Option<u64>, step: &Kept, other: &Kept, (a, b): (&Side, &Side)) {
        let first = self.sources.len();
        let number = self.nodes.len() as u32;
        let (mut has_input, mut is_wrong) = (false, false);
        let mut read = None;
        let matches = |one: At, two: At| match (one, two) {
            (At::Register(one), At::Register(two)) => a.name(one) == b.name(two),
            (one, two) => one == two,
        };
        let mut counterparts = other.accesses.iter();
        for access in &step.accesses {
            let place = access.place;
            let counterpart =
                counterparts.clone().position(|it| it.written == access.written && matches(place, it.place));
            let value = step.value(*access);
            // An access without a counterpart is of memory at an address that differs: that has its
            // own source, a register.
            let there = counterpart.and_then(|skipped| counterparts.nth(skipped)).map(|it| other.value(*it));
            if !access.written {
                let Some(there) = there else { continue };
                for byte in differences(value, there).map(|index| byte_of(thread, place, index)) {
                    read.get_or_insert(byte);
                    match self.differing.get(&byte) {
                        Some(node) => {
                            let is_known =
                                self.sources.get(first..).is_some_and(|all| all.iter().any(|it| it.node == *node));
                            if !is_known {
                                self.sources.push(Source { byte, node: *node });
                            }
                        }
                        None => has_input = true,
                    }
                }
                continue;
            }
            for index in 0..value.len() {
                let byte = byte_of(thread, place, index);
                if there.is_some_and(|there| there.get(index) == value.get(index)) {
                    self.differing.remove(&byte);
                } else {
                    self.differing.insert(byte, number);
                    is_wrong = true;
                }
            }
        }
        // Memory that only B wrote.
        for access in other.accesses.iter().filter(|it| it.written) {
            if let At::Memory(address) = access.place
                && !step.accesses.iter().any(|it| it.written && it.place == access.place)
            {
                for index in 0..other.value(*access).len() {
                    self.differing.insert(Byte::Memory(address.wrapping_add(index as u64)), number);
                    is_wrong = true;
                }
            }
        }
        let has_other_code = step.code != other.code;
        let is_node = is_wrong || has_input || has_other_code || self.sources.len() > first;
        if is_node {
            let pair = Pair { a: step.number, b: other.number };
            self.nodes.push(Node { pair, sources: self.sources.len(), has_input, has_other_code });
        }
        self.last.insert(thread, (is_node.then_some(number), read));
    }

    /// What was found, of the two sides that were paired.
    #[must_use]
    pub fn finish(self, a: &Side) -> Why {
        let (divergence, thread) = self.found.unzip();
        let last = thread.and_then(|thread| self.last.get(&thread)).copied();
        let cause = match last {
            Some((Some(node), Some(byte))) => self.cause(node, byte, a),
            Some((Some(node), None)) if self.nodes.get(node as usize).is_some_and(|node| node.has_other_code) => {
                let pair = self.nodes.get(node as usize).map(|node| node.pair);
                pair.map(|pair| Cause { origin: Origin::Instruction, chain: vec![(pair, None)] })
            }
            _ => None,
        };
        let cells = thread.map_or_else(Vec::new, |thread| self.cells(thread, a));
        Why {
            cells,
            divergence,
            thread: thread.flatten(),
            cause: cause.filter(|_| divergence.is_some()),
            differing: self.nodes.len() as u64,
            is_cut: self.is_cut,
        }
    }

    /// What holds other values in B, for a thread.
    fn cells(&self, thread: Option<u64>, a: &Side) -> Vec<(Cell, Pair)> {
        let mut latest: BTreeMap<(Cell, u64), u32> = BTreeMap::new();
        let mut memory: BTreeMap<u32, u64> = BTreeMap::new();
        for (byte, node) in &self.differing {
            match byte {
                Byte::Register(of, ..) if *of != thread => {}
                Byte::Register(..) => {
                    let place = latest.entry((cell_of(*byte, a), 0)).or_insert(*node);
                    *place = (*node).max(*place);
                }
                Byte::Memory(address) => {
                    let first = memory.entry(*node).or_insert(*address);
                    *first = (*address).min(*first);
                }
            }
        }
        latest.extend(memory.into_iter().map(|(node, address)| ((Cell::Memory(address), node.into()), node)));
        let cells =
            latest.into_iter().filter_map(|((cell, _), node)| Some((cell, self.nodes.get(node as usize)?.pair)));
        cells.take(MOST_CELLS).collect()
    }

    fn sources_of(&self, node: u32) -> &[Source] {
        let node = node as usize;
        let from = node.checked_sub(1).and_then(|before| self.nodes.get(before)).map_or(0, |before| before.sources);
        let to = self.nodes.get(node).map_or(from, |node| node.sources);
        self.sources.get(from..to).unwrap_or_default()
    }

    /// The nearest cause, by the number of steps that handed the value on. An instruction that went
    /// wrong comes before input that differs: that may be as it should be.
    fn cause(&self, last: u32, byte: Byte, a: &Side) -> Option<Cause> {
        let mut towards: HashMap<u32, (u32, Byte)> = HashMap::new();
        let mut queue = VecDeque::from([last]);
        let mut best: Option<(Origin, u32)> = None;
        while let Some(node) = queue.pop_front() {
            let of = self.nodes.get(node as usize)?;
            let sources = self.sources_of(node);
            let origin = match (of.has_other_code, sources.is_empty(), of.has_input) {
                (true, _, _) => Some(Origin::Instruction),
                (_, true, false) => Some(Origin::Step),
                (_, _, true) => Some(Origin::Input),
                _ => None,
            };
            match origin {
                Some(origin) if origin != Origin::Input => {
                    best = Some((origin, node));
                    break;
                }
                Some(origin) => best = best.or(Some((origin, node))),
                None => {}
            }
            for source in sources {
                if source.node != last && !towards.contains_key(&source.node) {
                    towards.insert(source.node, (node, source.byte));
                    queue.push_back(source.node);
                }
            }
        }
        let (origin, mut node) = best?;
        let mut chain = Vec::new();
        while let Some((next, byte)) = towards.get(&node) {
            chain.push((self.nodes.get(node as usize)?.pair, Some(cell_of(*byte, a))));
            node = *next;
        }
        chain.push((self.nodes.get(node as usize)?.pair, Some(cell_of(byte, a))));
        Some(Cause { origin, chain })
    }
}

/// Where two values differ: as far as both go, and where only one goes on.
fn differences<'v>(one: &'v [u8], two: &'v [u8]) -> impl Iterator<Item = usize> + 'v {
    (0..one.len().max(two.len())).filter(|index| one.get(*index) != two.get(*index))
}

fn byte_of(thread: Option<u64>, place: At, index: usize) -> Byte {
    match place {
        At::Register(name) => Byte::Register(thread, name, index as u32),
        At::Memory(address) => Byte::Memory(address.wrapping_add(index as u64)),
    }
}

fn cell_of(byte: Byte, a: &Side) -> Cell {
    match byte {
        Byte::Register(_, name, _) => Cell::Register(a.name(name).into()),
        Byte::Memory(address) => Cell::Memory(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A step at an address, with what it reads and writes.
    type Made<'a> = (u64, &'a [(&'a str, bool, u64)]);

    fn side(steps: &[Made<'_>]) -> Side {
        let mut side = Side::default();
        for (number, (address, accesses)) in (0..).zip(steps) {
            side.begin(&Step { number, address: Some(*address), ..Step::default() });
            side.code(None, &[*address as u8]);
            for (name, written, value) in *accesses {
                let place =
                    name.strip_prefix('@').map_or(Place::Register(name), |at| Place::Memory(at.parse().unwrap()));
                side.access(&Access { place, thread: None, written: *written, value: &value.to_le_bytes() });
            }
        }
        side.end();
        side
    }

    fn why(a: &[Made<'_>], b: &[Made<'_>]) -> Why {
        let (mut a, mut b) = (side(a), side(b));
        let mut tracing = Tracing::default();
        assert!(tracing.turn(&mut a, &mut b));
        tracing.finish(&a)
    }

    const R: bool = false;
    const W: bool = true;

    fn register(name: &str) -> Option<Cell> {
        Some(Cell::Register(name.into()))
    }

    #[test]
    fn the_way_back_ends_where_a_step_read_the_same() {
        let trace = |sum: u64, flags: u64, to: u64| {
            vec![
                (1, vec![("RAX", R, 5), ("RBX", W, sum)]),
                (2, vec![("RBX", R, sum), ("@64", W, sum)]),
                (3, vec![("RBX", W, 0)]),
                (4, vec![("@64", R, sum), ("EFLAGS", W, flags)]),
                (5, vec![("EFLAGS", R, flags)]),
                (to, vec![]),
            ]
        };
        let (a, b) = (trace(7, 0, 6), trace(8, 1, 9));
        let a: Vec<Made<'_>> = a.iter().map(|(at, accesses)| (*at, accesses.as_slice())).collect();
        let b: Vec<Made<'_>> = b.iter().map(|(at, accesses)| (*at, accesses.as_slice())).collect();
        let found = why(&a, &b);
        assert_eq!(found.divergence, Some(Pair { a: 5, b: 5 }));
        let cause = found.cause.unwrap();
        assert_eq!(cause.origin, Origin::Step);
        let steps: Vec<u64> = cause.chain.iter().map(|(pair, _)| pair.a).collect();
        assert_eq!(steps, [0, 1, 3, 4]);
        let cells: Vec<Option<Cell>> = cause.chain.into_iter().map(|(_, cell)| cell).collect();
        assert_eq!(cells, [register("RBX"), Some(Cell::Memory(64)), register("EFLAGS"), register("EFLAGS")]);
        assert_eq!(found.differing, 4);
        // The registers that differ, and the memory, each with the step that wrote it.
        let at = |number| Pair { a: number, b: number };
        assert_eq!(found.cells, [(Cell::Register("EFLAGS".into()), at(3)), (Cell::Memory(64), at(1))]);
        assert!(found.cells.is_sorted_by_key(|(cell, _)| cell.clone()));
    }

    #[test]
    fn values_that_have_nothing_to_do_with_it_are_no_cause() {
        let a: [Made<'_>; 3] = [(1, &[("RCX", R, 1), ("RDX", W, 1)]), (2, &[("RAX", W, 3)]), (3, &[("RAX", R, 3)])];
        let b: [Made<'_>; 3] = [(1, &[("RCX", R, 2), ("RDX", W, 2)]), (2, &[("RAX", W, 4)]), (3, &[("RAX", R, 4)])];
        let found = why(&[&a[..], &[(4, &[])]].concat(), &[&b[..], &[(5, &[])]].concat());
        let cause = found.cause.unwrap();
        assert_eq!((cause.origin, cause.chain[0].0.a), (Origin::Step, 1));
        // One path.
        let found = why(&a, &b);
        assert_eq!((found.divergence, found.cause, found.differing), (None, None, 3));
        let found = why(&a, &a);
        assert_eq!((found.divergence, found.differing), (None, 0));
    }

    #[test]
    fn input_and_other_instructions_are_causes_of_their_own() {
        let a: [Made<'_>; 2] = [(1, &[("@8", R, 1), ("RAX", W, 1)]), (2, &[("RAX", R, 1)])];
        let b: [Made<'_>; 2] = [(1, &[("@8", R, 2), ("RAX", W, 2)]), (2, &[("RAX", R, 2)])];
        let cause = why(&[&a[..], &[(3, &[])]].concat(), &[&b[..], &[(4, &[])]].concat()).cause.unwrap();
        assert_eq!((cause.origin, cause.chain.len()), (Origin::Input, 2));
        // One trace ends.
        let found = why(&a, &a[..1]);
        assert_eq!((found.divergence, found.cause), (Some(Pair { a: 1, b: 1 }), None));
        let found = why(&a[..1], &a);
        assert_eq!(found.divergence, Some(Pair { a: 1, b: 1 }));
    }

    #[test]
    fn a_write_that_is_the_same_again_ends_the_difference() {
        let a: [Made<'_>; 4] =
            [(1, &[("RAX", W, 1)]), (2, &[("RAX", W, 9)]), (3, &[("RAX", R, 9), ("RBX", W, 1)]), (4, &[("RBX", R, 1)])];
        let b: [Made<'_>; 4] =
            [(1, &[("RAX", W, 2)]), (2, &[("RAX", W, 9)]), (3, &[("RAX", R, 9), ("RBX", W, 2)]), (4, &[("RBX", R, 2)])];
        let cause = why(&[&a[..], &[(5, &[])]].concat(), &[&b[..], &[(6, &[])]].concat()).cause.unwrap();
        assert_eq!(cause.chain[0], (Pair { a: 2, b: 2 }, register("RBX")));
    }
}
