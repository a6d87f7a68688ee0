use std::cell::RefCell;
use std::rc::Rc;

use proptest::prelude::*;
use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

use super::super::Store;
use super::super::column::Column;
use super::super::query::QueryAnswer;
use super::*;
use crate::jobs::{Job, Step};
use crate::neighbours::Neighbour;
use crate::statistics::{Question, Scan, Wanted};

/// A file in memory with room for some bytes, and how many were read.
#[derive(Clone, Default)]
struct Memory {
    bytes: Rc<RefCell<Vec<u8>>>,
    room: u64,
    read: Rc<Cell<usize>>,
    /// Reads fail.
    is_lost: Rc<Cell<bool>>,
    /// So many writes are not possible yet.
    is_late: Rc<Cell<u32>>,
}

impl ShelfFile for Memory {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if self.is_late.get() > 0 {
            self.is_late.set(self.is_late.get() - 1);
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut all = self.bytes.borrow_mut();
        assert_eq!(at, all.len() as u64, "writes follow each other");
        if at + bytes.len() as u64 > self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        all.extend_from_slice(bytes);
        Ok(())
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        if self.is_lost.get() {
            return Err(io::Error::other("the handle is closed"));
        }
        self.read.set(self.read.get() + bytes.len());
        let all = self.bytes.borrow();
        let from =
            all.get(at as usize..).and_then(|rest| rest.get(..bytes.len())).ok_or(io::ErrorKind::UnexpectedEof)?;
        bytes.copy_from_slice(from);
        Ok(())
    }
}

fn memory(room: u64) -> Memory {
    Memory { room, ..Memory::default() }
}

const PATIENT: Shelving = Shelving { levels: Levels::Kept, beyond: 0, cache: 1, loads: None };

fn column(lengths: &[(u64, u64)], mut after: impl FnMut(&mut Column, usize)) -> Column {
    let (mut column, mut time, mut flagged) = (Column::default(), 1 << 40, 0..0);
    for (i, (pause, length)) in lengths.iter().enumerate() {
        let start = time + pause;
        time = start + length;
        column.push(&Slice { start, end: time, node: 7, flags: (i % 2) as u8, locator: Locator::at(start / 3) });
        after(&mut column, i);
        if i % 7000 == 6999 {
            column.flag_from(start - 20_000, 8, &mut flagged);
        }
    }
    column
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// Blocks of all widths, moved at any time, to a file that has room for all of them or not.
    #[test]
    fn slices_in_a_file_are_those_in_memory(
        seed in any::<u64>(),
        count in 1usize..40_000,
        every in 1000usize..9000,
        room in prop::sample::select(vec![0u64, 100_000, u64::MAX]),
        levels in prop::sample::select(vec![Levels::Kept, Levels::Dropped]),
    ) {
        let next = |i: u64| {
            let x = (seed ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (if x % 5000 == 3 { 1 << 33 } else { x % 3 }, if x % 7000 == 4 { 1 << 34 } else { x >> 60 })
        };
        let lengths: Vec<_> = (0..count as u64).map(next).collect();
        let in_memory = column(&lengths, |_, _| {});
        let shelf = OfStore::new(Box::new(memory(room)), Shelving { levels, ..PATIENT }, 0).shelf;
        let mut moved = column(&lengths, |column, i| {
            if i % every == 0 {
                column.shelve(&shelf, levels, &mut (every as u64 * AHEAD));
            }
        });
        moved.close();
        if levels == Levels::Dropped {
            moved.drop_levels();
        } else {
            let nodes = |column: &Column| {
                let node = |level, at| column.nodes(level, at)[0].words();
                let of_level = |level| (0..column.count(level)).map(|at| node(level, at)).collect::<Vec<_>>();
                (1..=column.levels()).map(of_level).collect::<Vec<_>>()
            };
            prop_assert_eq!(nodes(&moved), nodes(&in_memory));
        }
        prop_assert_eq!(moved.len(), in_memory.len());
        prop_assert!((0..=count).all(|i| moved.get(i) == in_memory.get(i)));
        let near = Cell::new(0);
        prop_assert!((0..count).rev().all(|i| moved.get_near(i, &near) == in_memory.get(i)));
        let mut visited = 0;
        let (from, to) = (1 << 40, in_memory.get(count / 2).map_or(0, |slice| slice.start + 1));
        prop_assert_eq!(moved.covered(from, to, &mut visited), in_memory.covered(from, to, &mut visited));
        prop_assert_eq!(moved.overlapping(from + 9, to), in_memory.overlapping(from + 9, to));
        let sum = |column: &Column| {
            let mut sum = 0;
            column.stretches(0..count).for_each(|it| column.each_in(it, |duration, _| sum += duration));
            sum
        };
        prop_assert_eq!(sum(&moved), sum(&in_memory));
        prop_assert!(shelf.take_error().is_none());
        if room == u64::MAX && count > 30_000 {
            prop_assert!(moved.bytes() < in_memory.bytes() / 2, "{} of {} bytes", moved.bytes(), in_memory.bytes());
        }
    }
}

/// Two threads of calls of all lengths. `at` gets the store after every batch.
fn program(slices: u64, mut at: impl FnMut(&mut Store)) -> Store {
    let mut store = Store::default();
    let mut batch = EventBatch::with_capacity(5000);
    batch.new_tracks.extend(["t", "u"].map(|name| TrackDef::new(TrackKind::Thread, name)));
    let (mut times, mut open, mut made, mut random) = ([1_000_000u64, 2_000_000], [0u32; 2], 0, 88172645463325252u64);
    while made < slices {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let thread = (random >> 60) as usize % 2;
        let (time, open) = (&mut times[thread], &mut open[thread]);
        *time += random % 97 + if random.is_multiple_of(5003) { 1_000_000 } else { 0 };
        let deep = 2 + (made / 50_000) % 3;
        if u64::from(*open) < deep && !random.is_multiple_of(3) {
            batch.push(EventKind::Begin, thread as u32, *time, *open, Locator::at(made));
            *open += 1;
            made += 1;
        } else if *open > 0 {
            *open -= 1;
            batch.push(EventKind::End, thread as u32, *time, *open, Locator::at(made));
        }
        if batch.is_full() {
            assert!(store.apply(&mut batch));
            batch.clear();
            at(&mut store);
        }
    }
    assert!(store.apply(&mut batch));
    store.finish(false);
    store
}

const SLICES: u64 = 300_000;

fn shelved(file: &Memory, how: Shelving) -> Store {
    let mut is_set_up = false;
    program(SLICES, |store| {
        // Late, as in the page.
        if !is_set_up && store.slices() > 20_000 {
            is_set_up = true;
            store.shelve(Box::new(file.clone()), how);
        }
    })
}

/// What a store answers.
fn answer(store: &Store, which: u8, seed: u64) -> String {
    let (from, to) = store.extent().unwrap();
    let span = to - from;
    let (a, b) = (from + seed % span, from + (seed >> 20) % span);
    let (a, b) = (a.min(b), a.max(b) + 1);
    match which % 6 {
        0 => format!("{:?}", store.digest()),
        1 => format!("{:?}", store.query(a, b, ((b - a) >> (seed % 12)).max(1).next_power_of_two(), &[0, 1]).rects),
        2 => figures(store, a, b),
        3 => format!("{:?}", store.ordered(&[0, 1], a, b.min(a + span / 50)).collect::<Vec<_>>()),
        4 => format!("{:?}", store.neighbour(Neighbour::At { time: a, track: Some(0) })),
        _ => {
            let mut sum = 0u64;
            store.for_each_slice(1, |depth, i, s| {
                sum = sum.wrapping_mul(31) + s.start + s.end + i as u64 + depth as u64
            });
            format!("{sum}")
        }
    }
}

fn figures(store: &Store, from: u64, to: u64) -> String {
    let question = Question { from, to, tracks: vec![0, 1] };
    let mut scan = Scan::new(store, question, Wanted { functions: true, ..Wanted::default() }, None);
    while scan.step(store, 10_000) == Step::More {}
    format!("{:?}", scan.part(store).map(|part| (part.exact, part.functions)))
}

#[test]
fn answers_are_the_same_in_any_order_and_with_any_cache() {
    let in_memory = program(SLICES, |_| {});
    for cache in [1, 300_000, 64 << 20] {
        let file = memory(u64::MAX);
        let store = shelved(&file, Shelving { cache, ..PATIENT });
        assert!(store.bytes() < in_memory.bytes() / 2 + cache + 2 * BATCH, "{} bytes", store.bytes());
        let mut random = 99 + cache as u64;
        for round in 0..40u8 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let which = (random >> 40) as u8;
            assert_eq!(answer(&store, which, random >> 3), answer(&in_memory, which, random >> 3), "{cache}, {round}");
        }
        assert!(store.take_shelf_error().is_none());
    }
}

/// The slices of each block in a file.
fn moved(store: &Store) -> impl Iterator<Item = usize> {
    store.tracks.iter().flat_map(|track| track.columns()).flat_map(|(_, column)| column.shelved())
}

#[test]
fn what_was_read_before_there_was_a_file_follows_a_few_blocks_at_a_time() {
    let file = memory(u64::MAX);
    let (mut before, mut most, mut is_set_up) = (0, 0, false);
    let store = program(2 * SLICES, |store| {
        if !is_set_up && store.slices() > SLICES {
            is_set_up = true;
            store.shelve(Box::new(file.clone()), PATIENT);
        }
        let now = moved(store).sum::<usize>();
        most = most.max(now - before);
        before = now;
    });
    // A batch is up to 5000 events, and a block 4096 slices.
    assert!(most as u64 <= AHEAD * (EVERY + 5000) + 4096, "{most} slices at a time");
    assert!(before as u64 > store.slices() - 2 * EVERY, "{before} of {} slices", store.slices());
}

#[test]
fn a_pass_over_all_slices_reads_each_block_once_and_leaves_pictures_alone() {
    let file = memory(u64::MAX);
    // Room for sixteen blocks in each part of the cache.
    let store = shelved(&file, Shelving { cache: 32 * 16 * 4096, ..PATIENT });
    let reads = || store.shelf.as_ref().unwrap().shelf.reads();
    let blocks = moved(&store).count();
    assert!(blocks > 50);
    let (from, _) = store.extent().unwrap();
    let look = |at: u64| store.query(from + at, from + at + 20_000, 16, &[0, 1]);
    let seen = look(3_000_000);
    let before = reads();
    assert_eq!(look(3_000_000).rects.start, seen.rects.start);
    assert_eq!(reads(), before, "a picture's blocks stay in memory");
    // A merge of all columns, and a pass over one after the other.
    assert!(store.ordered(&[0, 1], 0, u64::MAX).count() as u64 + 10 > store.slices());
    assert!(reads() - before <= blocks as u64 + 20, "{} reads of {blocks} blocks", reads() - before);
    let before = reads();
    (0..2).for_each(|track| store.for_each_slice(track, |_, _, _| {}));
    assert!(reads() - before <= blocks as u64, "{} reads of {blocks} blocks", reads() - before);
    // Statistics need half of the bytes.
    let (before, read) = (reads(), file.read.get());
    figures(&store, 0, u64::MAX);
    assert!(reads() - before <= blocks as u64, "{} reads of {blocks} blocks", reads() - before);
    let (read, all) = (file.read.get() - read, file.bytes.borrow().len());
    assert!(read * 5 < all * 3, "{read} of {all} bytes");
    let before = reads();
    look(3_000_000);
    assert_eq!(reads(), before, "no pass drives them out");
}

#[test]
fn pictures_do_not_wait_for_the_file_and_become_exact() {
    let in_memory = program(SLICES, |_| {});
    let file = memory(u64::MAX);
    let store = shelved(&file, Shelving { cache: 64 << 20, loads: Some(2), ..PATIENT });
    let (from, to) = store.extent().unwrap();
    let ask = |store: &Store, step: u64| store.query(from, to + 1, step, &[0, 1]);
    let covered = |answer: &QueryAnswer| {
        let r = &answer.rects;
        (0..r.start.len()).map(|i| (r.end[i] - r.start[i]) * f64::from(r.fill[i]) / 255.0).sum::<f64>()
    };
    let mut coarse = 0;
    for step in [1 << 14, 1 << 10, 1 << 6] {
        let exact = ask(&in_memory, step);
        for asked in 0.. {
            let before = store.shelf.as_ref().unwrap().shelf.reads();
            let answer = ask(&store, step);
            assert!(store.shelf.as_ref().unwrap().shelf.reads() - before <= 2);
            assert!(asked < 200, "it never becomes exact");
            if answer.complete {
                assert_eq!(answer.rects.start, exact.rects.start);
                assert_eq!(answer.rects.name, exact.rects.name);
                break;
            }
            coarse += 1;
            let share = covered(&answer) / covered(&exact);
            assert!((share - 1.0).abs() < 0.01, "step {step}: {share} of what is covered");
        }
    }
    assert!(coarse > 10, "{coarse} pictures before the exact ones");
    // More blocks than the cache holds: what is as exact as it can be is complete.
    let store = shelved(&file_again(), Shelving { cache: 400_000, loads: Some(2), ..PATIENT });
    assert!((0..200).any(|_| ask(&store, 1 << 6).complete));
}

fn file_again() -> Memory {
    memory(u64::MAX)
}

#[test]
fn a_full_disk_is_said_and_loses_nothing() {
    let in_memory = program(SLICES, |_| {});
    for room in [0, 1 << 20, (2 << 20) + 9] {
        let file = memory(room);
        let mut store = shelved(&file, PATIENT);
        store.note_full_disk(77);
        store.note_full_disk(78);
        assert_eq!(store.digest(), in_memory.digest(), "room for {room} bytes");
        let told: Vec<_> = store.problem_counts().into_iter().map(|(kind, count)| (kind.id(), count.count)).collect();
        assert!(told.contains(&("disk-is-full", 1)) == (room < 1 << 21), "{told:?}");
    }
}

#[test]
fn a_file_that_is_late_is_tried_again() {
    let file = memory(u64::MAX);
    file.is_late.set(3);
    let store = shelved(&file, PATIENT);
    assert_eq!(store.digest(), program(SLICES, |_| {}).digest());
    assert!(file.bytes.borrow().len() > BATCH);
}

#[test]
fn a_file_that_is_lost_is_an_error() {
    let file = memory(u64::MAX);
    let store = shelved(&file, PATIENT);
    file.is_lost.set(true);
    store.for_each_slice(0, |_, _, _| {});
    assert_eq!(store.take_shelf_error().map(|error| error.to_string()), Some("the handle is closed".to_string()));
}

#[test]
fn memory_ends_reading_where_the_file_does_not_help() {
    let mut is_full = false;
    let mut batch = EventBatch::with_capacity(5000);
    let mut read = |room: u64, names: u64| {
        let mut store = Store::default();
        store.limit_memory(4_000_000);
        batch.new_tracks.push(TrackDef::new(TrackKind::Thread, "t"));
        store.shelve(Box::new(memory(room)), PATIENT);
        is_full = false;
        for i in 0..1_000_000u64 {
            let name = (i % names) as u32;
            batch.push(EventKind::Begin, 0, i * 7, name, Locator::at(i));
            batch.push(EventKind::End, 0, i * 7 + 3, name, Locator::at(i));
            if batch.is_full() {
                is_full |= !store.apply(&mut batch);
                batch.clear();
                if is_full {
                    break;
                }
            }
        }
        batch.clear();
        (is_full, store.slices())
    };
    assert_eq!(read(u64::MAX, 1), (false, 1_000_000));
    let (is_full, slices) = read(0, 1);
    assert!(is_full && (180_000..500_000).contains(&slices), "{slices}");
    // Call paths stay in memory.
    let (is_full, slices) = read(u64::MAX, u64::MAX);
    assert!(is_full && (30_000..180_000).contains(&slices), "{slices}");
}
