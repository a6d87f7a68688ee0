//! Folded stacks, the lines of flame graph tools: `main;draw;flush 120`, the self time in
//! nanoseconds or steps.

use crate::stacks::{Stack, Stacks};
use crate::{AT_ONCE, Arg, Slice, Table, Trace, Writer, json};

/// Most bytes of a line besides the names and what separates them: the time.
const OF_TIME: u64 = 22;

/// Writes folded stacks.
#[derive(Default)]
pub(crate) struct Folded {
    stacks: Stacks,
    /// Number of the stack that was written last; 0 before the first.
    written: u32,
    path: Vec<u32>,
}

impl Writer for Folded {
    fn begin(&mut self, _trace: &Trace, _out: &mut Vec<u8>) {}

    fn wants(&self, trace: &Trace, table: Table, track: u32) -> bool {
        table == Table::Slices && !trace.is_overlapping(track)
    }

    fn slice(&mut self, trace: &Trace, _track: u32, slice: &Slice, _args: &[Arg], _out: &mut Vec<u8>) {
        self.stacks.add(trace, slice);
    }

    fn end_track(&mut self, _trace: &Trace, _track: u32, _out: &mut Vec<u8>) {
        self.stacks.close();
    }

    fn path_bytes(&self, trace: &Trace) -> u64 {
        let sizes = self.stacks.sizes(|name| trace.text(name).len() as u64 + 1);
        let lines = self.stacks.all.iter().zip(sizes).filter(|(stack, _)| Stacks::nanoseconds(trace, stack.own) > 0);
        lines.fold(0, |sum: u64, (_, size)| sum.saturating_add(size + OF_TIME))
    }

    fn finish(&mut self, trace: &Trace, out: &mut Vec<u8>) -> bool {
        let began = out.len();
        while out.len() - began < AT_ONCE {
            self.written += 1;
            let Some(Stack { own, .. }) = self.stacks.all.get(self.written as usize) else { return false };
            let own = Stacks::nanoseconds(trace, *own);
            if own > 0 {
                self.line(trace, self.written, own, out);
            }
        }
        true
    }
}

impl Folded {
    /// Writes the line of a stack.
    fn line(&mut self, trace: &Trace, stack: u32, own: u64, out: &mut Vec<u8>) {
        self.path.clear();
        self.path.extend(self.stacks.outwards(stack).map(|stack| stack.name));
        for (place, name) in self.path.iter().rev().enumerate() {
            if place > 0 {
                out.push(b';');
            }
            // What separates stacks and their parts cannot be in a name.
            out.extend(trace.text(*name).bytes().map(|byte| match byte {
                b';' => b':',
                b'\n' | b'\r' => b' ',
                byte => byte,
            }));
        }
        out.push(b' ');
        json::integer(own, out);
        out.push(b'\n');
    }
}
