//! What the functions that XRay has instrumented can call, from the code of 64-bit x86.
//!
//! Where two readings of the code are possible, this says that a function can call another one:
//!
//! - A function may be called at any time if its address is taken, by code or by data including
//!   relocations, if it is exported, or if code without sleds calls it: a signal handler may. Of
//!   the others, all calls are direct, so they are found. They cannot be made through registers,
//!   memory or stubs.
//! - The code of a function reaches to the next symbol. A call of a function that ends with a jump
//!   to another one is a call of both.
//! - Once a function has made a call, an exception or a jump may let it go on after any of its
//!   calls, and anywhere that its own branches do not lead to. In what remains, a call that comes
//!   before all others is not repeated.

use std::collections::{HashMap, HashSet};

use unspool_stacks::{Flow, flow_of_x86_64};
use unspool_trace::callees::Function;

use crate::file::{File, Stop};
use crate::image::{Architecture, Image, Section};
use crate::lookup::Starts;
use crate::x86::length;

/// Bytes of data that are read at once.
const WINDOW: u64 = 2 << 20;
/// Most bytes of a section of code: all of it is looked at together.
const MOST_CODE: u64 = 64 << 20;

/// Finds out what functions can call.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    is_begun: bool,
    /// The functions by address, as their numbers from 1 on. 0 where several have one address.
    numbers: HashMap<u64, u32>,
    /// The lowest and the highest of these addresses.
    span: (u64, u64),
    listing: Option<Starts>,
    /// Where functions of any sort begin.
    starts: Vec<u64>,
    /// The section that comes next, and how much of it was read.
    section: usize,
    at: u64,
    /// By number.
    found: Vec<Found>,
    /// Direct calls and branches: their addresses, and the function that they lead to.
    references: Vec<(u64, u32)>,
    /// Addresses of those that are in known functions.
    inside: HashSet<u64>,
}

/// What was found out about a function.
#[derive(Clone, Debug, Default)]
struct Found {
    /// Its address is taken, or it is exported.
    is_taken: bool,
    body: Option<Body>,
}

#[derive(Clone, Debug, Default)]
struct Body {
    /// Functions by number, sorted.
    all: Vec<u32>,
    later: Vec<u32>,
    /// What it can jump to at its end, so that its caller seems to call that.
    tail: Vec<u32>,
}

impl Scan {
    /// Looks at a portion. Returns what functions with these addresses, numbered from 1 on, can
    /// call.
    pub(crate) fn step(
        &mut self,
        file: &File,
        image: &Image,
        functions: &[u64],
    ) -> Result<Option<Vec<Function>>, Stop> {
        if !self.is_begun {
            self.is_begun = true;
            if image.architecture != Architecture::Elf(62) || image.section(".symtab").is_none() {
                return Ok(Some(Vec::new()));
            }
            for (number, address) in (1..).zip(functions) {
                self.numbers.entry(*address).and_modify(|it| *it = 0).or_insert(number);
            }
            let addresses = || functions.iter().copied();
            self.span = (addresses().min().unwrap_or(0), addresses().max().unwrap_or(0));
            self.found = vec![Found::default(); functions.len() + 1];
            self.listing = Some(Starts::default());
            return Ok(None);
        }
        if let Some(listing) = &mut self.listing {
            if let Some(starts) = listing.step(file, image)? {
                self.listing = None;
                self.starts = starts;
            }
            return Ok(None);
        }
        let Some(section) = image.sections.get(self.section) else { return Ok(Some(self.finish(functions))) };
        let is_map = section.name.starts_with("xray_");
        if !section.is_present || section.address == 0 || is_map {
            self.section += 1;
        } else if section.is_code {
            if section.size > MOST_CODE {
                return Ok(Some(Vec::new()));
            }
            let code = file.bytes(section.at, section.size.max(1))?;
            self.code(section, &code, image.is_fixed);
            file.forget();
            self.section += 1;
        } else {
            self.data(file, section)?;
        }
        Ok(None)
    }

    /// The function that begins at an address. 0 for several.
    fn number(&self, address: u64) -> Option<u32> {
        if address < self.span.0 || address > self.span.1 {
            return None;
        }
        self.numbers.get(&address).copied()
    }

    fn take_address(&mut self, number: u32) {
        if let Some(found) = self.found.get_mut(number as usize) {
            found.is_taken = true;
        }
    }

    /// Looks for addresses of functions in a portion of data. Relocations and symbols for other
    /// binaries have them as well, in words of the same size.
    fn data(&mut self, file: &File, section: &Section) -> Result<(), Stop> {
        let len = (section.size - self.at).min(WINDOW) & !7;
        if len == 0 {
            (self.section, self.at) = (self.section + 1, 0);
            return Ok(());
        }
        let window = file.ahead(section.at.saturating_add(self.at), len, WINDOW)?;
        for word in window.as_chunks::<8>().0 {
            if let Some(number) = self.number(u64::from_le_bytes(*word)) {
                self.take_address(number);
            }
        }
        self.at += len;
        file.forget();
        Ok(())
    }

    /// Looks for all that refers to functions in a section of code, and at its functions.
    fn code(&mut self, section: &Section, code: &[u8], is_fixed: bool) {
        // Instructions may begin anywhere: what only looks like a reference makes more calls
        // possible, not fewer.
        for (at, window) in (section.address..).zip(code.windows(6)) {
            let &[a, b, c, d, e, f] = window else { continue };
            let next = [b, c, d, e];
            let relative =
                |end: u64, by: [u8; 4]| at.wrapping_add(end).wrapping_add_signed(i32::from_le_bytes(by).into());
            let branch = match (a, b) {
                (0xe8 | 0xe9, _) => Some(relative(5, next)),
                (0x0f, 0x80..=0x8f) => Some(relative(6, [c, d, e, f])),
                _ => None,
            };
            if let Some(number) = branch.and_then(|to| self.number(to)) {
                self.references.push((at, number));
            }
            // A ModRM byte for memory relative to the instruction.
            if a & 0xc7 == 5
                && let Some(number) = self.number(relative(5, next))
            {
                self.take_address(number);
            }
            if is_fixed && let Some(number) = self.number(u32::from_le_bytes([a, b, c, d]).into()) {
                self.take_address(number);
            }
        }
        let end = section.address.saturating_add(code.len() as u64);
        let first = self.starts.partition_point(|start| *start < section.address);
        let mut starts =
            self.starts.get(first..).unwrap_or_default().iter().take_while(|start| **start < end).peekable();
        let mut bodies = Vec::new();
        while let Some(start) = starts.next() {
            let Some(number) = self.number(*start).filter(|number| *number > 0) else { continue };
            let to = starts.peek().map_or(end, |next| **next);
            let body = code.get((start - section.address) as usize..(to - section.address) as usize);
            if let Some(instructions) = body.and_then(|body| Instructions::of(*start, body)) {
                let body = instructions.body(|address| self.number(address));
                bodies.push((number, body, instructions.addresses()));
            }
        }
        for (number, body, addresses) in bodies {
            self.inside.extend(addresses);
            if let Some(found) = self.found.get_mut(number as usize) {
                found.body = Some(body);
            }
        }
    }

    fn finish(&mut self, functions: &[u64]) -> Vec<Function> {
        for (at, number) in std::mem::take(&mut self.references) {
            if !self.inside.contains(&at) {
                self.take_address(number);
            }
        }
        let all = (1..).zip(functions).filter(|(number, address)| self.number(**address) == Some(*number));
        let known = all.filter_map(|(id, _)| {
            let found = self.found.get(id as usize)?;
            let body = found.body.as_ref()?;
            // A function that one of its callees ends with is called after that.
            let tails = body.all.iter().flat_map(|callee| self.tail(*callee));
            let later: Vec<u32> = body.later.iter().chain(tails).copied().collect();
            let (all, later) = (self.with_tails(&body.all), self.with_tails(&later));
            Some(Function { id, is_known: !found.is_taken, all, later })
        });
        known.collect()
    }

    /// What a function can jump to at its end. One whose code is not known cannot jump to one whose
    /// callers are.
    fn tail(&self, number: u32) -> &[u32] {
        let body = self.found.get(number as usize).and_then(|found| found.body.as_ref());
        body.map_or(&[], |body| &body.tail)
    }

    /// Adds what the functions among these can jump to at their ends.
    fn with_tails(&self, functions: &[u32]) -> Vec<u32> {
        let mut all: HashSet<u32> = functions.iter().copied().collect();
        let mut todo = functions.to_vec();
        while let Some(number) = todo.pop() {
            todo.extend(self.tail(number).iter().filter(|to| all.insert(**to)));
        }
        let mut all: Vec<u32> = all.into_iter().collect();
        all.sort_unstable();
        all
    }
}

/// The instructions of a function.
struct Instructions {
    start: u64,
    end: u64,
    all: Vec<(u64, Flow)>,
    /// By instruction: it does nothing.
    is_filler: Vec<bool>,
}

impl Instructions {
    /// Decodes a function at `start`. `None` if not all of it is instructions, or if the last one
    /// leads out of it.
    fn of(start: u64, code: &[u8]) -> Option<Self> {
        let end = start.checked_add(code.len() as u64)?;
        let mut it = Self { start, end, all: Vec::new(), is_filler: Vec::new() };
        let (mut rest, mut at, mut last) = (code, start, None);
        while !rest.is_empty() {
            let (bytes, behind) = rest.split_at_checked(length(rest)?)?;
            let flow = flow_of_x86_64(at, bytes);
            let is_filler = is_filler(bytes);
            if !is_filler {
                last = Some((flow, bytes));
            }
            it.all.push((at, flow));
            it.is_filler.push(is_filler);
            at += bytes.len() as u64;
            rest = behind;
        }
        let ends = match last? {
            (Flow::Call { .. } | Flow::Branch { maybe: false, .. } | Flow::Return { maybe: false, .. }, _) => true,
            (Flow::Jump { .. }, _) => true,
            // ud2 and hlt.
            (_, bytes) => matches!(bytes, [0x0f, 0x0b] | [0xf4]),
        };
        ends.then_some(it)
    }

    fn addresses(&self) -> Vec<u64> {
        let refers = |flow: &Flow| matches!(flow, Flow::Call { to: Some(_), .. } | Flow::Branch { .. });
        self.all.iter().filter(|(_, flow)| refers(flow)).map(|(at, _)| *at).collect()
    }

    /// The number of the instruction at an address.
    fn at(&self, address: u64) -> Option<usize> {
        self.all.binary_search_by_key(&address, |(at, _)| *at).ok()
    }

    fn is_within(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    fn body(&self, number: impl Fn(u64) -> Option<u32>) -> Body {
        let from_start = self.reached(vec![0]);
        // Where it may go on after a call: behind any call, and where an exception lands.
        let after = |i: &usize| {
            let (_, flow) = i.checked_sub(1).and_then(|i| self.all.get(i)).copied().unwrap_or((0, Flow::Next));
            let is_landing = from_start.get(*i) == Some(&false) && self.is_filler.get(*i) == Some(&false);
            is_landing || matches!(flow, Flow::Call { .. })
        };
        let later = self.reached((0..self.all.len()).filter(after).collect());
        // A switch leads anywhere. What only a switch leads to is among the above.
        let leads_anywhere = |(i, (_, flow)): (usize, &(u64, Flow))| match flow {
            Flow::Jump { .. } | Flow::Unknown => later.get(i) == Some(&true),
            Flow::Branch { to, .. } => self.is_within(*to) && self.at(*to).is_none(),
            _ => false,
        };
        let is_anywhere = self.all.iter().enumerate().any(leads_anywhere);
        let mut body = Body::default();
        for (i, (_, flow)) in self.all.iter().enumerate() {
            let (to, is_tail) = match flow {
                Flow::Call { to: Some(to), .. } => (*to, false),
                Flow::Branch { to, .. } if !self.is_within(*to) || *to == self.start => (*to, true),
                _ => continue,
            };
            let Some(target) = number(to).filter(|number| *number > 0) else { continue };
            add(&mut body.all, target);
            if is_anywhere || later.get(i) == Some(&true) {
                add(&mut body.later, target);
            }
            if is_tail {
                add(&mut body.tail, target);
            }
        }
        body
    }

    /// For each instruction, whether execution gets there from some others. Not by a jump to an
    /// unknown address.
    fn reached(&self, mut from: Vec<usize>) -> Vec<bool> {
        let mut reached = vec![false; self.all.len()];
        while let Some(mut i) = from.pop() {
            while let Some(seen) = reached.get_mut(i).filter(|seen| !**seen) {
                *seen = true;
                match self.all.get(i).map(|(_, flow)| *flow) {
                    Some(Flow::Branch { to, maybe, .. }) => {
                        from.extend(self.at(to));
                        if !maybe {
                            break;
                        }
                    }
                    Some(Flow::Return { maybe: false, .. } | Flow::Jump { .. }) => break,
                    _ => {}
                }
                i += 1;
            }
        }
        reached
    }
}

fn add(targets: &mut Vec<u32>, number: u32) {
    if let Err(at) = targets.binary_search(&number) {
        targets.insert(at, number);
    }
}

/// Whether an instruction only fills the space before the next one: nop and int3.
fn is_filler(bytes: &[u8]) -> bool {
    let opcode = bytes.iter().position(|byte| !matches!(byte, 0x66 | 0x2e | 0x48)).and_then(|at| bytes.get(at..));
    matches!(opcode, Some([0x90] | [0xcc] | [0x0f, 0x1f, ..]))
}
