//! Memory operands of big-endian machines, in both orders in which tracers write them.

use unspool_formats::frames::encode::{Frame, Meta, Operand, Std, Table, Writer};
use unspool_formats::open_steps;
use unspool_trace::steps::{Access, Place, Step, StepVisitor};
use unspool_trace::{EventKind, Field, Value};

use crate::frames_common::{decode, details};

fn field(details: &[Field], name: &str) -> Option<Value> {
    details.iter().find(|f| f.name == name).map(|f| f.value.clone())
}

fn file(architecture: u64, machine: u64, frames: &[Frame]) -> Vec<u8> {
    let mut writer = Writer::new(3, architecture, machine, Some(&Meta::default()));
    frames.iter().for_each(|f| writer.frame(f));
    writer.finish(Table::Libtrace(10_000))
}

#[test]
fn memory_of_big_endian_machines_is_decoded() {
    let pre = vec![Operand { value: vec![0, 0, 1, 2], bits: 32, ..Operand::loaded(64, 0) }];
    let frame = Frame::Std(Std { address: 4, thread: 1, bytes: vec![1, 0, 0, 0], pre, ..Std::default() });
    for (architecture, value) in [(6, 0x102), (9, 0x0201_0000)] {
        let file = file(architecture, 1, std::slice::from_ref(&frame));
        let (all, decoder) = decode(&file, &[1], 1);
        let event = all.events.iter().find(|e| e.0 == EventKind::Begin).unwrap();
        let Some(Value::Tree(read)) = field(&details(&file, decoder.as_ref(), event.4).fields, "Read") else {
            panic!()
        };
        assert_eq!(field(&read, "[0x40]"), Some(Value::Hex(value)));
    }
}

/// A store of 0x11223344 and a load of its first byte on big-endian MIPS, as QEMU records them.
#[test]
fn memory_that_is_recorded_lowest_byte_first_is_turned_round() {
    let value =
        |operand: Operand, value: &[u8]| Operand { value: value.to_vec(), bits: 8 * value.len() as i32, ..operand };
    let stored = [0x44, 0x33, 0x22, 0x11];
    let store = Std {
        address: 0x40_0000,
        thread: 1,
        bytes: vec![0xac, 0x88, 0, 0],
        pre: vec![value(Operand::read("t0", 0), &stored)],
        post: Some(vec![value(Operand::stored(64, 0), &stored)]),
        mode: None,
    };
    let load = Std {
        address: 0x40_0004,
        bytes: vec![0x90, 0x8a, 0, 0],
        pre: vec![value(Operand::loaded(64, 0), &[0x11])],
        post: Some(vec![value(Operand::written("t2", 0), &[0x11, 0, 0, 0])]),
        ..store.clone()
    };
    let file = file(8, 32, &[Frame::Std(store), Frame::Std(load)]);
    let (all, decoder) = decode(&file, &[1], 1);
    let event = all.events.iter().find(|e| e.0 == EventKind::Begin).unwrap();
    let Some(Value::Tree(written)) = field(&details(&file, decoder.as_ref(), event.4).fields, "Written") else {
        panic!()
    };
    assert_eq!(field(&written, "[0x40]"), Some(Value::Hex(0x1122_3344)));
    let said = decoder.info().properties.into_iter().find(|(name, _)| *name == "Values in memory").unwrap().1;
    assert_eq!(said, "big-endian, recorded lowest byte first, and turned round here, as 2 values show");

    struct Memory(Vec<(bool, Vec<u8>)>);
    impl StepVisitor for Memory {
        fn begin(&mut self, _step: &Step) -> bool {
            true
        }

        fn access(&mut self, access: &Access<'_>) {
            if let Place::Memory(64) = access.place {
                self.0.push((access.written, access.value.to_vec()));
            }
        }
    }
    let steps = open_steps("frames", &decoder.index()).unwrap();
    assert!(steps.is_big_endian());
    let mut pass = steps.pass(0..1);
    let mut memory = Memory(Vec::new());
    while let Some(range) = pass.want() {
        let bytes = &file[range.at as usize..(range.at + range.len).min(file.len() as u64) as usize];
        if pass.push(bytes, &mut memory).unwrap() == 0 {
            break;
        }
    }
    assert_eq!(memory.0, [(true, vec![0x11, 0x22, 0x33, 0x44]), (false, vec![0x11])]);
}
