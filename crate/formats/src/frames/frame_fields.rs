//! The fields of a frame that events need, collected by a walk over its message.

use alloc::vec::Vec;

use unspool_stacks::flow::LOOKED_AT;
use unspool_stacks::isa::StackPointer;

use super::instruction::register_value;
use super::message::{Capture, Message, Slot};

/// Bytes kept of a mode. All known modes are shorter.
pub(super) const LONGEST_MODE: usize = 16;
/// Limit for the name of a module or source, in bytes.
const MAX_NAME: usize = 200;

/// The fields of one frame.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameFields {
    /// The names of the stack pointer.
    pointer: StackPointer,
    pub(super) kinds: Kinds,
    pub(super) address: Option<u64>,
    pub(super) thread: Option<u64>,
    pub(super) bytes: Prefix<LOOKED_AT>,
    pub(super) mode: Prefix<LONGEST_MODE>,
    /// The value of the stack pointer in the list of values read, and in that of values written.
    pub(super) read: Option<u64>,
    pub(super) written: Option<u64>,
    /// The current operand: its list, the name of its register, its value.
    list: Option<OperandList>,
    register: Prefix<8>,
    value: Prefix<8>,
    /// From a system call.
    pub(super) number: Option<u64>,
    pub(super) call_thread: Option<u64>,
    /// From an exception.
    pub(super) exception: Option<u64>,
    pub(super) exception_thread: Option<u64>,
    pub(super) from: Option<u64>,
    pub(super) to: Option<u64>,
    pub(super) module: Option<Vec<u8>>,
    /// The first address of the module.
    pub(super) low: Option<u64>,
    /// Name of the first taint source that has one.
    pub(super) source: Option<Vec<u8>>,
    in_source: bool,
    within: Option<Message>,
}

/// The list that an operand is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperandList {
    Read,
    Written,
}

/// Which kinds a frame is of. Valid frames have exactly one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    pub(super) std: bool,
    pub(super) syscall: bool,
    pub(super) exception: bool,
    pub(super) taint_intro: bool,
    pub(super) mod_load: bool,
    pub(super) key: bool,
}

/// The first `N` bytes of a string, and the length of the string in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix<const N: usize> {
    bytes: [u8; N],
    kept: usize,
    pub(super) len: u64,
}

impl<const N: usize> Default for Prefix<N> {
    fn default() -> Self {
        Self { bytes: [0; N], kept: 0, len: 0 }
    }
}

impl<const N: usize> Prefix<N> {
    fn begin(&mut self, len: u64) {
        (self.kept, self.len) = (0, len);
    }

    #[inline]
    fn add(&mut self, portion: &[u8]) {
        let room = self.bytes.get_mut(self.kept..).unwrap_or_default();
        let n = room.len().min(portion.len());
        for (to, from) in room.iter_mut().zip(portion) {
            *to = *from;
        }
        self.kept += n;
    }

    pub(super) fn get(&self) -> &[u8] {
        self.bytes.get(..self.kept).unwrap_or_default()
    }
}

impl FrameFields {
    pub(super) fn new(pointer: StackPointer) -> Self {
        Self { pointer, ..Self::default() }
    }

    /// Prepares for the next frame.
    #[inline]
    pub(super) fn clear(&mut self) {
        let last = self.kinds;
        self.kinds = Kinds::default();
        self.within = None;
        if last != (Kinds { std: true, ..Kinds::default() }) {
            (self.number, self.call_thread, self.exception, self.exception_thread) = (None, None, None, None);
            (self.from, self.to) = (None, None);
            (self.module, self.low, self.source, self.in_source) = (None, None, None, false);
        }
        self.clear_std();
    }

    fn clear_std(&mut self) {
        (self.address, self.thread) = (None, None);
        self.bytes.begin(0);
        self.mode.begin(0);
        (self.read, self.written, self.list) = (None, None, None);
        self.begin_operand();
    }

    fn begin_operand(&mut self) {
        self.register.begin(0);
        self.value.begin(0);
    }

    /// Ends the current operand, and keeps its value if it is the stack pointer.
    pub(super) fn end_operand(&mut self) {
        let is_whole = self.register.len == self.register.kept as u64 && self.value.len == self.value.kept as u64;
        if let Some(list) = self.list
            && is_whole
            && self.pointer.is(self.register.get())
            && let Some(value) = register_value(self.value.get())
        {
            match list {
                OperandList::Read => _ = self.read.get_or_insert(value),
                OperandList::Written => self.written = Some(value),
            }
        }
        self.begin_operand();
    }
}

impl Capture for FrameFields {
    #[inline]
    fn message(&mut self, message: Message) {
        match message {
            Message::Std => {
                if self.kinds.std {
                    self.clear_std();
                }
                self.kinds.std = true;
            }
            Message::Syscall => {
                self.kinds.syscall = true;
                (self.number, self.call_thread) = (None, None);
            }
            Message::Exception => {
                self.kinds.exception = true;
                (self.exception, self.exception_thread) = (None, None);
                (self.from, self.to) = (None, None);
            }
            Message::TaintIntro => {
                self.kinds.taint_intro = true;
                self.source = None;
            }
            Message::ModLoad => {
                self.kinds.mod_load = true;
                self.module = None;
            }
            Message::Key => self.kinds.key = true,
            Message::Operands | Message::Written => {
                self.end_operand();
                self.list = Some(if message == Message::Operands { OperandList::Read } else { OperandList::Written });
                return;
            }
            Message::Operand => return self.end_operand(),
            _ => return,
        }
        self.end_operand();
        self.list = None;
        self.within = Some(message);
    }

    #[inline]
    fn number(&mut self, slot: Slot, value: u64) {
        match (slot, self.within) {
            (Slot::Address, Some(Message::Std)) => self.address = Some(value),
            (Slot::Thread, Some(Message::Std)) => self.thread = Some(value),
            (Slot::Thread, Some(Message::Syscall)) => self.call_thread = Some(value),
            (Slot::Thread, Some(Message::Exception)) => self.exception_thread = Some(value),
            (Slot::Number, Some(Message::Syscall)) => self.number = Some(value),
            (Slot::Number, Some(Message::Exception)) => self.exception = Some(value),
            (Slot::From, Some(Message::Exception)) => self.from = Some(value),
            (Slot::To, Some(Message::Exception)) => self.to = Some(value),
            (Slot::ModuleLow, _) => self.low = Some(value),
            _ => {}
        }
    }

    #[inline]
    fn begin_bytes(&mut self, slot: Slot, len: u64) {
        match slot {
            Slot::RawBytes => self.bytes.begin(len),
            Slot::Mode => self.mode.begin(len),
            Slot::Register => self.register.begin(len),
            Slot::Value => self.value.begin(len),
            Slot::ModuleName => self.module = Some(Vec::new()),
            Slot::SourceName => {
                self.in_source = self.source.is_none();
                self.source.get_or_insert_default();
            }
            _ => {}
        }
    }

    #[inline]
    fn bytes(&mut self, slot: Slot, portion: &[u8]) {
        let name = match slot {
            Slot::RawBytes => return self.bytes.add(portion),
            Slot::Mode => return self.mode.add(portion),
            Slot::Register => return self.register.add(portion),
            Slot::Value => return self.value.add(portion),
            Slot::ModuleName => self.module.as_mut(),
            Slot::SourceName if self.in_source => self.source.as_mut(),
            _ => None,
        };
        if let Some(name) = name {
            let room = MAX_NAME.saturating_sub(name.len());
            name.extend(portion.iter().take(room));
        }
    }
}
