//! How many bytes a step takes in the index: at most 8 without values of memory, and 12 with them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use unspool_access_index::{AccessIndex, Keeps};
use unspool_formats::open_steps;
use unspool_records::memory::index_of;
use unspool_records::memory::read_steps;
use unspool_trace::steps::{Access, Place, Step, StepVisitor, Steps};

/// Bytes a step, without and with values.
const WITHOUT: f64 = 8.0;
const WITH: f64 = 12.0;

fn per_step(pieces: Vec<u64>, count: u64, keeps: Keeps, feed: impl Fn(&mut AccessIndex)) -> f64 {
    let mut index = AccessIndex::new(pieces, count, keeps, usize::MAX);
    feed(&mut index);
    index.seal();
    index.bytes() as f64 / count as f64
}

#[test]
fn a_program_of_loads_and_stores_is_small() {
    const COUNT: u64 = 300_000;
    const REGISTERS: [&str; 16] =
        ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
    let feed = |index: &mut AccessIndex| {
        for number in 0..COUNT {
            // Loops of 24 instructions over 2,000 addresses.
            let at = (number / 480 * 24 + number % 24) % 2000;
            index.begin(&Step {
                number,
                thread: Some(1),
                address: Some(0x401000 + 3 * at),
                length: 3,
                ..Step::default()
            });
            let mut access = |place, written, value: u64| {
                index.access(&Access { place, thread: Some(1), written, value: &value.to_le_bytes() });
            };
            let [first, second] = [at % 16, at * 7 % 16].map(|i| REGISTERS[i as usize]);
            access(Place::Register(first), false, number);
            access(Place::Register(second), true, number);
            match at % 5 {
                0 => access(Place::Memory(0x7fff_0000 + number % 4096 / 8 * 8), false, number),
                3 => access(Place::Memory(0x7fff_0000 + number * 5 % 4096 / 8 * 8), true, number),
                _ => {}
            }
        }
    };
    let pieces: Vec<u64> = (0..COUNT).step_by(2000).collect();
    let [without, with] =
        [Keeps::Accesses, Keeps::AccessesAndValues].map(|keeps| per_step(pieces.clone(), COUNT, keeps, feed));
    assert!(without <= WITHOUT && with <= WITH && with > without, "{without:.2} and {with:.2} bytes a step");
}

#[test]
fn a_recorded_program_is_small() {
    let Some(recorded) = unspool_corpus::read("frames/real-loads-stores.frames") else { return };
    let file = repeated(&recorded, 12);
    let steps = reader(&file);
    let feed = |index: &mut AccessIndex| {
        read_steps(&mut *steps.pass(0..u32::MAX), &file, 1 << 20, index);
    };
    let [without, with] =
        [Keeps::Accesses, Keeps::AccessesAndValues].map(|keeps| per_step(steps.pieces(), steps.count(), keeps, feed));
    assert_eq!(steps.count(), 12 * 17_638);
    assert!(without <= WITHOUT && with <= WITH && with > without, "{without:.2} and {with:.2} bytes a step");
}

/// The frames of a trace several times over, without a table of contents.
fn repeated(file: &[u8], times: usize) -> Vec<u8> {
    let word = |at: usize| u64::from_le_bytes(*file[at..].first_chunk().unwrap()) as usize;
    let (table, first) = (word(40), 56 + word(48));
    let mut head = file[..first].to_vec();
    head[32..48].fill(0);
    head.extend_from_slice(&file[first..table].repeat(times));
    head
}

/// The reader of a trace's steps, by the index of its decoder.
fn reader(file: &[u8]) -> Box<dyn Steps> {
    open_steps("frames", &index_of(&unspool_formats::frames::ROW.format, file).unwrap()).unwrap()
}
