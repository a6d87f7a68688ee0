//! Inputs that choose where execution goes: calls and jumps to a tainted target.

use unspool_stacks::flow::{Flow, LOOKED_AT, Reading, flow};
use unspool_trace::figures::counted;
use unspool_trace::finding::{Claim, Kind, Sentence};
use unspool_trace::records::{Operand, Record, Taint, Use, Visitor};
use unspool_trace::{FieldValue, Finding};

use super::{Place, code_at, position};

/// Instructions that are told apart.
const MOST: usize = 1 << 10;

/// An input that chooses a target.
pub(super) static TAINTED: Kind = Kind {
    word: "tainted-target",
    title: "Inputs that choose where execution goes",
    why: "A call, jump or return goes to an address that the trace says is tainted.",
};

/// An instruction whose target is tainted.
#[derive(Clone, Copy, Debug)]
struct Target {
    address: u64,
    first: u64,
    last: u64,
    count: u64,
    taint: Taint,
    word: &'static str,
}

/// Looks at the taint of targets.
#[derive(Debug, Default)]
pub(super) struct Tainted {
    /// The step of the current record, and its instruction once that is known.
    step: u64,
    code: Option<(u64, &'static str, bool)>,
    /// Operands that are read and tainted, before the instruction is known.
    read: Option<Taint>,
    /// The trace has taint at all.
    found: Vec<Target>,
    is_cut: bool,
}

impl Visitor for Tainted {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        (self.step, self.code, self.read) = (record.x, None, None);
        true
    }

    fn field(&mut self, _: &str, value: FieldValue<'_>) {
        let FieldValue::Code { isa, address, bytes } = value else { return };
        let Some(reading) = Reading::of_code(isa) else { return };
        let looked_at = bytes.get(..LOOKED_AT).unwrap_or(bytes);
        let word = match flow(reading, address, looked_at, bytes.len() as u64) {
            Flow::Call { to: None, .. } => "call",
            Flow::Jump { .. } => "jump",
            Flow::Return { .. } => "return",
            _ => return,
        };
        // Of a target in memory, the registers are where it is: the index of a table of targets.
        let is_memory = word == "return" || is_in_memory(bytes);
        self.code = Some((address, word, is_memory));
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        let Some((_, _, is_memory)) = self.code else { return };
        if operand.used == Use::Read && operand.address.is_some() == is_memory {
            self.read = self.read.or(operand.taint);
        }
    }

    fn end(&mut self) {
        let (Some((address, word, _)), Some(taint)) = (self.code.take(), self.read.take()) else { return };
        let has_room = self.found.len() < MOST;
        match self.found.iter_mut().find(|it| it.address == address) {
            Some(it) => (it.last, it.count) = (self.step, it.count + 1),
            None if has_room => {
                self.found.push(Target { address, first: self.step, last: self.step, count: 1, taint, word });
            }
            None => self.is_cut = true,
        }
    }
}

/// Whether the target of an indirect call or jump of x86 is in memory.
fn is_in_memory(bytes: &[u8]) -> bool {
    let opcode = bytes.iter().position(|byte| *byte == 0xff);
    let modrm = opcode.and_then(|at| bytes.get(at + 1));
    modrm.is_some_and(|modrm| modrm >> 6 != 3)
}

impl Tainted {
    pub(super) fn found(&self, place: Place, found: &mut Vec<Finding>) {
        for Target { address, first, last, count, taint, word } in self.found.iter().copied() {
            let source = match taint {
                Taint::Of(id) => format!("taint {id}"),
                Taint::Several => "several taints".into(),
            };
            let name = format!("{address:#x}");
            let mut sentence = Sentence::default();
            sentence.say("Input (").say(&source).say(") chooses the target of the ").say(word).say(" at ");
            sentence.claim(code_at(address)).say(", at ").say(place.unit).say(" ").claim(position(first, place.unit));
            if count > 1 {
                sentence.say(", ").claim(Claim::new("times", count as f64, "", counted(count, "time")).of(&name));
                sentence.say(" in all");
            }
            let mut it = Finding::new(&TAINTED, 0.96, sentence).within(first, last).about([name, source]);
            it.part = self.is_cut.then(|| format!("only {} were looked at", counted(MOST as u64, "instruction")));
            found.push(it);
        }
    }
}
