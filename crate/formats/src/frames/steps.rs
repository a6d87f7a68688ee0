//! The sink that passes what frames read and wrote to an index of accesses.
//!
//! Operands of a frame's first list are reads and those of the second are writes, whatever their
//! usage flags say: tracers put an operand that is read and written into the first with its old
//! value, and QEMU's TCG plugin lists every register there (`tracewrap.c`, and the plugin's).
//! Values of a key frame count as written. Invalid frames, and those too large to be kept, have no
//! accesses, as in the dump.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range as Numbers;

use unspool_stacks::flow::{Flow, LOOKED_AT, Reading, flow};
use unspool_stacks::isa::Isa;
use unspool_stacks::syscalls;
use unspool_trace::decoder::Range;
use unspool_trace::error::Result;
use unspool_trace::records::{Pass, Records as _};
use unspool_trace::steps::{self, Access, Accesses, Step, StepEvent, StepVisitor, Steps, SystemCall};

use super::decode::{Record, Sink, Walk};
use super::fields::is_thumb;
use super::index::{FramesRecords, reader_of};
use super::machine::Machine;
use super::memory_order::MemoryOrder;
use super::operands::Operands;
use super::records::{Frame, List, Operand, Place};

/// Opens the reader of steps.
///
/// # Errors
///
/// These bytes are not an index.
pub fn open_steps(index: &[u8]) -> Result<Box<dyn Steps>> {
    Ok(Box::new(reader_of(index)?))
}

impl Steps for FramesRecords {
    fn pieces(&self) -> Vec<u64> {
        self.lanes().iter().flat_map(|lane| &lane.pieces).map(|piece| piece.row).collect()
    }

    fn count(&self) -> u64 {
        self.index.frames
    }

    fn pass(&self, pieces: Numbers<u32>) -> Box<dyn Pass<Accesses> + '_> {
        let isa = Machine::of(&self.index.header).isa;
        let held = Held {
            isa,
            is_big: self.index.order.is_big(isa),
            mode: (Vec::new(), 0),
            operands: Operands::default(),
            memory: self.index.memory_order(),
            turned: Vec::new(),
        };
        Box::new(FramesSteps { walk: Walk::over(self.index.header, self.index.stretch(&pieces)), held })
    }

    fn is_big_endian(&self) -> bool {
        self.index.memory_order().is_big
    }

    fn is_stack_pointer(&self, name: &str) -> bool {
        Machine::of(&self.index.header).isa.stack_pointer().is(name.as_bytes())
    }

    fn system_call(&self, register: &dyn Fn(&str) -> Option<u64>) -> Option<SystemCall> {
        let isa = Machine::of(&self.index.header).isa;
        let (number, arguments) = syscalls::registers(isa)?;
        let value = |names: &[&'static str]| names.iter().find_map(|name| Some((*name, register(name)?)));
        let (_, number) = value(number)?;
        let arguments = arguments.iter().filter_map(|names| value(names)).collect();
        Some(SystemCall { number, name: syscalls::name(isa, number), arguments })
    }
}

/// A pass over frames.
struct FramesSteps {
    walk: Walk,
    held: Held,
}

impl Pass<Accesses> for FramesSteps {
    fn want(&self) -> Option<Range> {
        self.walk.wanted()
    }

    fn push(&mut self, bytes: &[u8], visitor: &mut (dyn StepVisitor + '_)) -> Result<usize> {
        Ok(self.walk.run(bytes, &mut ToSteps { held: &mut self.held, visitor }))
    }

    fn end(&mut self, _rest: &[u8], _visitor: &mut (dyn StepVisitor + '_)) -> Result<()> {
        self.walk.give_up();
        Ok(())
    }
}

/// What [`ToSteps`] keeps from one portion to the next.
struct Held {
    isa: Isa,
    /// Whether instructions have their most significant byte first.
    is_big: bool,
    memory: MemoryOrder,
    /// A value in memory that was turned round.
    turned: Vec<u8>,
    /// The latest mode, and its number; 0 for none.
    mode: (Vec<u8>, u32),
    /// Those of the latest usual instruction.
    operands: Operands,
}

/// Whether an instruction calls the system. On x86 such instructions have two bytes: the others are
/// not decoded for this.
#[inline]
fn calls_system(reading: Reading, bytes: &[u8]) -> bool {
    let may = !matches!(reading.isa, Isa::X86(_)) || bytes.len() == 2;
    // Neither the address nor the length matters for these.
    may && bytes.len() <= LOOKED_AT && matches!(flow(reading, 0, bytes, bytes.len() as u64), Flow::SystemCall)
}

/// A number for a mode. Different words may have the same one, which is as unlikely as 1 in 2^31.
#[inline]
fn number_of(mode: &[u8]) -> u32 {
    if mode.is_empty() {
        return 0;
    }
    // FNV-1a.
    mode.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)) | 1
}

/// Where an operand is, and its value.
fn value_of(operand: Operand<'_>) -> Option<(Place<'_>, &[u8])> {
    operand.place.zip(operand.value)
}

struct ToSteps<'a> {
    held: &'a mut Held,
    visitor: &'a mut dyn StepVisitor,
}

impl ToSteps<'_> {
    #[inline]
    fn begin_step(&mut self, record: Record, step: Step, bytes: &[u8], mode: &[u8]) -> bool {
        let Held { isa, is_big, .. } = *self.held;
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let is_kernel = step.address.is_some_and(|address| isa.is_kernel(address));
        let is_thumb = isa == Isa::Arm && is_thumb(bytes.len(), step.address, (!mode.is_empty()).then_some(mode));
        let reading = Reading { isa, big: is_big, thumb: is_thumb };
        let event = step.event.or_else(|| calls_system(reading, bytes).then_some(StepEvent::SystemCall));
        let number = record.index.unwrap_or(0);
        // Most traces have no modes. On some processors `memcmp` takes 50 ns for no bytes of a
        // `Vec` that has no memory.
        let is_other = !(mode.is_empty() && self.held.mode.0.is_empty()) && mode != self.held.mode.0;
        if is_other {
            self.held.mode = (mode.into(), number_of(mode));
            self.visitor.mode(self.held.mode.1, mode);
        }
        let of_mode = self.held.mode.1;
        let is_wanted = self.visitor.begin(&Step { number, length, mode: of_mode, is_kernel, event, ..step });
        if is_wanted && !bytes.is_empty() {
            self.visitor.code(isa.code(is_thumb, is_big), bytes);
        }
        is_wanted
    }

    #[inline]
    fn values<'o>(&mut self, values: impl Iterator<Item = (Place<'o>, &'o [u8])>, thread: Option<u64>, written: bool) {
        for (place, value) in values {
            let lossy;
            let place = match (place.register, place.memory) {
                (Some(bytes), _) => {
                    let bytes = bytes.unwrap_or_default();
                    // Names are valid, and the lossy conversion is slow even then.
                    steps::Place::Register(match core::str::from_utf8(bytes) {
                        Ok(name) => name,
                        Err(_) => {
                            lossy = String::from_utf8_lossy(bytes);
                            &lossy
                        }
                    })
                }
                (None, Some(Some(address))) => steps::Place::Memory(address),
                (None, _) => continue,
            };
            let is_memory = matches!(place, steps::Place::Memory(_));
            let value = self.held.memory.ordered(is_memory, value, &mut self.held.turned);
            self.visitor.access(&Access { place, thread, written, value });
        }
    }

    /// A complete frame that is not a usual instruction.
    fn unusual(&mut self, record: Record, message: &[u8]) {
        let (fields, defect) = record.checked(message);
        if defect.is_some() {
            return;
        }
        let frame = Frame::of(fields);
        let std = frame.std.unwrap_or_default();
        let of_others = frame.syscall.and_then(|call| call.thread).or(frame.exception.and_then(|it| it.thread));
        let event = match (frame.syscall, frame.exception) {
            (Some(_), _) => Some(StepEvent::SystemCall),
            (None, Some(_)) => Some(StepEvent::Interrupt),
            (None, None) => None,
        };
        let step = Step { thread: std.thread.or(of_others), address: std.address, event, ..Step::default() };
        let is_wanted = self.begin_step(record, step, std.bytes.unwrap_or_default(), std.mode.unwrap_or_default());
        if let Some((load, (low, high))) = frame.mod_load.and_then(|load| Some((load, load.low.zip(load.high)?))) {
            self.visitor.module(&String::from_utf8_lossy(load.name.unwrap_or_default()), low, high);
        }
        if !is_wanted {
            return;
        }
        for (list, written) in [(std.pre, false), (std.post, true)] {
            self.values(list.into_iter().flat_map(List::operands).filter_map(value_of), std.thread, written);
        }
        for list in frame.key.flatten().into_iter().flat_map(List::tagged_lists) {
            let thread = list.source.and_then(|source| source.thread);
            self.values(list.values.into_iter().flat_map(List::values).filter_map(value_of), thread, true);
        }
    }
}

impl Sink for ToSteps<'_> {
    #[inline]
    fn is_full(&self) -> bool {
        self.visitor.is_full()
    }

    #[inline]
    fn frame(&mut self, record: Record, message: &[u8]) {
        let Some(frame) = self.held.operands.parse(message) else { return self.unusual(record, message) };
        let thread = Some(frame.thread);
        let step = Step { thread, address: Some(frame.address), ..Step::default() };
        if self.begin_step(record, step, frame.bytes, frame.mode) {
            let Held { operands, memory, turned, .. } = &mut *self.held;
            operands.visit(&frame, |place, value, written| {
                let value = memory.ordered(matches!(place, steps::Place::Memory(_)), value, turned);
                self.visitor.access(&Access { place, thread, written, value });
            });
        }
    }

    fn long_frame(&mut self, _record: Record, _beginning: &[u8]) {}
}
