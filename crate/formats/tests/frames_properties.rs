//! Property tests of frames: any frames, any portions, any damage.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use proptest::prelude::*;
use unspool_stacks::problems;
use unspool_trace::Problem;

use crate::frames_common::{decode, details, format, options, reader, text, whole};
use crate::records_common::full_pass;
use unspool_formats::frames::encode::{Frame, Meta, Operand, Place, Std, Table, Taint, TaintIntro, Writer};
use unspool_formats::frames::records;

const CALL: &[u8] = &[0xe8, 0, 0, 0, 0];
const RET: &[u8] = &[0xc3];
const NOP: &[u8] = &[0x90];
const JUMP: &[u8] = &[0xff, 0xe0];

/// Decodes a message into the frame that the encoder wrote.
fn read_back(message: &[u8]) -> Option<Frame> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let operand = |o: records::Operand<'_>| -> Option<Operand> {
        let place = match (o.place?.memory, o.place?.register) {
            (Some(address), None) => Place::Memory(address?),
            (None, Some(name)) => Place::Register(text(name?)),
            _ => return None,
        };
        let taint = o.taint.map(|t| match t {
            records::Taint { no_taint: Some(true), id: None, multiple: None } => Taint::No,
            records::Taint { no_taint: None, id: Some(id), multiple: None } => Taint::Id(id),
            _ => Taint::Multiple,
        });
        let usage = o.usage.map_or(Some([false; 4]), |u| Some([u.read?, u.written?, u.index?, u.base?]))?;
        Some(Operand { place, bits: o.bits?, usage, taint, value: o.value?.to_vec() })
    };
    let frame = records::Frame::new(message);
    if let Some(s) = frame.std {
        return Some(Frame::Std(Std {
            address: s.address?,
            thread: s.thread?,
            bytes: s.bytes?.to_vec(),
            pre: s.pre?.operands().map(operand).collect::<Option<_>>()?,
            post: s.post.map(|list| list.operands().map(|o| operand(o).unwrap()).collect()),
            mode: s.mode.map(text),
        }));
    }
    if let Some(s) = frame.syscall {
        let arguments = s.arguments?.arguments().collect();
        return Some(Frame::Syscall { address: s.address?, thread: s.thread?, number: s.number?, arguments });
    }
    if let Some(e) = frame.exception {
        return Some(Frame::Exception { number: e.number?, thread: e.thread, from: e.from, to: e.to });
    }
    if let Some(list) = frame.taint_intro {
        let intro = |t: records::TaintIntro<'_>| {
            let (value, source) = (t.value.map(<[u8]>::to_vec), t.source.map(text));
            Some(TaintIntro { address: t.address?, id: t.id?, value, source, offset: t.offset })
        };
        return Some(Frame::TaintIntro(list?.taint_intros().map(intro).collect::<Option<_>>()?));
    }
    if let Some(m) = frame.mod_load {
        return Some(Frame::ModLoad { name: text(m.name?), low: m.low?, high: m.high? });
    }
    let lists = frame.key??.tagged_lists().map(|list| {
        let values = list.values?.values().map(operand).collect::<Option<_>>()?;
        Some((list.source?.thread, values))
    });
    Some(Frame::Key(lists.collect::<Option<_>>()?))
}

fn any_operand(with_usage: bool) -> impl Strategy<Value = Operand> {
    let place = prop_oneof![any::<u64>().prop_map(Place::Memory), "[A-Z0-9]{0,6}".prop_map(Place::Register)];
    let taint = prop_oneof![Just(Taint::No), any::<u64>().prop_map(Taint::Id), Just(Taint::Multiple)];
    let value = prop::collection::vec(any::<u8>(), 0..40);
    (place, any::<i32>(), any::<[bool; 4]>(), prop::option::of(taint), value).prop_map(
        move |(place, bits, usage, taint, value)| {
            let usage = if with_usage { usage } else { [false; 4] };
            Operand { place, bits, usage, taint, value }
        },
    )
}

fn any_frame() -> impl Strategy<Value = Frame> {
    // A small choice of addresses and instructions, so that returns match calls.
    let instruction = prop_oneof![Just(CALL), Just(RET), Just(NOP), Just(JUMP), Just(&[][..])];
    let address = prop_oneof![(0x1000u64..0x1020), any::<u64>()];
    let operands = || prop::collection::vec(any_operand(true), 0..4);
    let std =
        (address, 0u64..3, instruction, operands(), prop::option::of(operands()), prop::option::of("[a-z]{0,20}"))
            .prop_map(|(address, thread, bytes, pre, post, mode)| {
                Frame::Std(Std { address, thread, bytes: bytes.to_vec(), pre, post, mode })
            });
    let syscall = (any::<u64>(), 0u64..3, any::<u64>(), prop::collection::vec(any::<i64>(), 0..5))
        .prop_map(|(address, thread, number, arguments)| Frame::Syscall { address, thread, number, arguments });
    let exception = (any::<u64>(), prop::option::of(0u64..3), any::<Option<u64>>(), any::<Option<u64>>())
        .prop_map(|(number, thread, from, to)| Frame::Exception { number, thread, from, to });
    let intro = (any::<(u64, u64)>(), any::<Option<Vec<u8>>>(), prop::option::of(".{0,12}"), any::<Option<u64>>())
        .prop_map(|((address, id), value, source, offset)| TaintIntro { address, id, value, source, offset });
    let mod_load = (".{0,30}", any::<(u64, u64)>()).prop_map(|(name, (low, high))| Frame::ModLoad { name, low, high });
    let values = prop::collection::vec(any_operand(false), 0..3);
    let key = prop::collection::vec((any::<Option<u64>>(), values), 0..3);
    prop_oneof![
        12 => std,
        1 => syscall,
        1 => exception,
        1 => prop::collection::vec(intro, 0..4).prop_map(Frame::TaintIntro),
        1 => mod_load,
        1 => key.prop_map(Frame::Key),
    ]
}

fn any_file() -> impl Strategy<Value = Vec<u8>> {
    let table = prop_oneof![
        Just(Table::None),
        Just(Table::Libtrace(4)),
        Just(Table::Tracewrap(4)),
        Just(Table::Plugin(4)),
        Just(Table::Padded(4))
    ];
    let machine = prop_oneof![Just((9, 64)), Just((9, 1)), Just((35, 0)), Just((8, 32)), Just((77, 0))];
    (0u64..4, machine, prop::collection::vec(any_frame(), 0..40), table).prop_map(
        |(version, machine, frames, table)| {
            let mut writer = Writer::new(version, machine.0, machine.1, Some(&Meta::default()));
            frames.iter().for_each(|f| writer.frame(f));
            writer.finish(table)
        },
    )
}

/// The problems that do not concern call stacks. The dump finds them, too.
fn of_bytes(problems: &[Problem]) -> Vec<Problem> {
    let calls = |p: &&Problem| !problems::KINDS.contains(&p.kind);
    problems.iter().filter(calls).copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn frames_round_trip(frame in any_frame()) {
        prop_assert_eq!(read_back(&frame.to_bytes()), Some(frame));
    }

    #[test]
    fn events_do_not_depend_on_portions_and_batches(
        file in any_file(),
        portions in prop::collection::vec(1usize..70, 1..8),
        capacity in 1usize..20,
    ) {
        let all = whole(&file);
        prop_assert_eq!(of_bytes(&all.problems), vec![]);
        prop_assert_eq!(decode(&file, &portions, capacity).0, all);
    }

    #[test]
    fn damaged_files_give_the_same_events_in_any_portions(
        file in any_file(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        portion in 1usize..70,
    ) {
        let mut file = file;
        for (at, byte) in damage {
            let at = 8 + at.index(file.len() - 8);
            file[at] = byte;
        }
        file.truncate((24 + cut.index(file.len() - 23)).max(48).min(file.len()));
        if (format().open)(&file, options(&file)).is_err() {
            // A header without a version now looks like a longer one.
            return Ok(());
        }
        let all = whole(&file);
        prop_assert_eq!(&decode(&file, &[portion], 3).0, &all);
        // The dump uses the same bytes, prints as many frames, and finds the same problems.
        let (lines, problems, used) = text(&file, portion);
        prop_assert_eq!(of_bytes(&all.problems), problems);
        prop_assert_eq!(lines.lines().count() as u64, all.records);
        prop_assert!(file.len() - used < 64);
        let decoder = decode(&file, &[portion], 3).1;
        for event in &all.events {
            details(&file, decoder.as_ref(), event.4);
        }
        // The pass has as many records.
        let rows = full_pass(reader(decoder.as_ref()).as_ref(), &file, &[portion]);
        prop_assert_eq!(rows.len() as u64, all.records);
    }
}
