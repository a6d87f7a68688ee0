//! A record with what follows it in the log: the arguments of a function, the payload of an event.

use alloc::vec::Vec;

use unspool_trace::Digest;

use super::decode::{Event, Function};
use super::wire::FunctionKind;

/// A record without what follows it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Head {
    Function(Function),
    Event(Event),
}

/// A record, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) head: Option<Head>,
    pub(super) arguments: Vec<u64>,
    pub(super) payload: Vec<u8>,
    /// Whether what is not kept has a digest.
    pub(super) digests: bool,
    /// Of the arguments or of the bytes that are not kept.
    pub(super) left_out: Option<Digest>,
}

impl Record {
    /// A record begins.
    pub(super) fn begin(&mut self, head: Head) {
        self.head = Some(head);
        self.arguments.clear();
        self.payload.clear();
        self.left_out = None;
    }

    /// Adds an argument of a function that has fewer than `most`.
    pub(super) fn argument(&mut self, value: u64, most: usize) {
        if !matches!(self.head, Some(Head::Function(_))) {
            return;
        }
        if self.arguments.len() < most {
            self.arguments.push(value);
        } else {
            self.leave_out(&value.to_le_bytes());
        }
    }

    fn leave_out(&mut self, bytes: &[u8]) {
        if self.digests {
            self.left_out.get_or_insert_default().write(bytes);
        }
    }

    /// Adds a portion of the payload of an event, up to `most` bytes of it. Returns whether there
    /// was more.
    pub(super) fn payload(&mut self, bytes: &[u8], most: usize) -> bool {
        if !matches!(self.head, Some(Head::Event(_))) {
            return false;
        }
        let room = most.saturating_sub(self.payload.len());
        self.payload.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        let rest = bytes.get(room..).unwrap_or_default();
        if !rest.is_empty() {
            self.leave_out(rest);
        }
        !rest.is_empty()
    }
}

/// What a function record is called in JSON lines.
pub(super) fn kind_of(kind: FunctionKind, has_arguments: bool) -> &'static str {
    match kind {
        // Writers before 2018-10 write a plain enter before the arguments.
        FunctionKind::Enter | FunctionKind::EnterArgs if has_arguments => "function-enter-arg",
        FunctionKind::Enter => "function-enter",
        FunctionKind::EnterArgs => "function-enter-arg",
        FunctionKind::Exit => "function-exit",
        FunctionKind::TailExit => "function-tail-exit",
    }
}

/// What an event record is called in JSON lines.
pub(super) fn kind_of_event(event: &Event) -> &'static str {
    if event.kind.is_some() { "typed-event" } else { "custom-event" }
}
