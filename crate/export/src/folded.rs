//! Folded stacks, the lines of flame graph tools: `main;draw;flush 120`, the self time in
//! nanoseconds or steps.

use crate::stacks::Stacks;
use crate::{Arg, Slice, Table, Trace, Writer, json};

/// Writes folded stacks.
#[derive(Default)]
pub(crate) struct Folded {
    stacks: Stacks,
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

    fn finish(&mut self, trace: &Trace, out: &mut Vec<u8>) {
        let all = &self.stacks.all;
        let mut path = Vec::new();
        for stack in all.iter().skip(1) {
            let own = Stacks::nanoseconds(trace, stack.own);
            if own == 0 {
                continue;
            }
            path.clear();
            path.push(stack.name);
            let mut parent = stack.parent;
            while let Some(above) = all.get(parent as usize).filter(|_| parent != 0) {
                path.push(above.name);
                parent = above.parent;
            }
            for (place, name) in path.iter().rev().enumerate() {
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
}
