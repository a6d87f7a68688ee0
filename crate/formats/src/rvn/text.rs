//! The dump, as JSON lines.

use alloc::string::String;
use core::fmt::Write as _;

use crate::hex::push_hex;

use super::blocks::Blocks;
use super::decode::Record;

/// Writes the line of a record.
pub(super) fn record(record: &Record, blocks: &Blocks, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = match record {
        Record::Run(e) => writeln!(out, "{{\"begin\":{},\"end\":{},\"block\":{}}}", e.begin, e.end, e.block),
        Record::Interrupt(i) => {
            let _ = write!(
                out,
                "{{\"interrupt\":{{\"transition\":{},\"pc\":{},\"number\":{},\"mode\":{},\"is_hw\":{},\"related_bytes\":",
                i.transition,
                i.pc,
                i.number,
                i.mode.number(),
                i.is_hw
            );
            match blocks.get(i.related).and_then(|entry| entry.instruction_at(i.pc)) {
                Some(bytes) => {
                    out.push('"');
                    push_hex(out, bytes);
                    out.push('"');
                }
                None => out.push_str("null"),
            }
            writeln!(out, "}}}}")
        }
    };
}
