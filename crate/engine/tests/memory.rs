//! Memory and allocations of a trace. Both are counted, so that regressions show.

#![allow(
    unsafe_code,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "an allocator is unsafe, and a test that panics has done its work"
)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::read_whole;
use unspool_engine::jobs::{Job, Step};
use unspool_engine::statistics::{Exact, FlameView, Question, Scan, TreeView, Wanted};
use unspool_engine::{Session, Store, read};
use unspool_formats::apitrace::encode::{self as apitrace, Details, EnumSig, FrameSig, FunctionSig, StructSig, Value};
use unspool_formats::frames::encode::{self as frames, Frame, Std, Table};
use unspool_formats::trace_db::encode::Writer as Points;
use unspool_formats::trace_db::wire::{Layout as Widths, StatementId, Tables, Type};
use unspool_formats::xray::encode::{FdrBuffer, header};
use unspool_formats::xray::wire::{FunctionKind, Mode};
use unspool_trace::{EventBatch, EventKind, Locator, OpenOptions, TrackDef, TrackKind};

/// Counts the allocations of each thread: tests run concurrently.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

fn count(allocations: u64, grown: i64) {
    ALLOCATIONS.set(ALLOCATIONS.get() + allocations);
    HELD.set(HELD.get() + grown);
    MOST.set(MOST.get().max(HELD.get()));
}

// SAFETY: everything is forwarded to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as i64 - layout.size() as i64);
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Memory that something took.
struct Taken {
    /// Number of allocations.
    allocations: u64,
    /// Bytes held at the end, and at the peak.
    held: i64,
    most: i64,
}

fn taken<T>(work: impl FnOnce() -> T) -> (T, Taken) {
    let (allocations, held) = (ALLOCATIONS.get(), HELD.get());
    MOST.set(held);
    let result = work();
    (result, Taken { allocations: ALLOCATIONS.get() - allocations, held: HELD.get() - held, most: MOST.get() - held })
}

/// An unfinished trace with `threads` threads. On each, `depth` calls nest, `times` times.
fn calls(threads: u32, depth: u32, times: u64) -> Store {
    let mut store = Store::default();
    let mut batch = EventBatch::with_capacity(4096);
    batch.new_tracks.extend((0..threads).map(|i| TrackDef::new(TrackKind::Thread, format!("thread {i}"))));
    batch.new_names.extend((0..depth).map(|i| format!("function {i}").into()));
    for i in 0..times {
        for thread in 0..threads {
            let time = i * 1000 * u64::from(depth);
            for call in 0..depth {
                event(&mut store, &mut batch, EventKind::Begin, thread, time + u64::from(call), call);
            }
            for call in (0..depth).rev() {
                event(&mut store, &mut batch, EventKind::End, thread, time + 900 * u64::from(depth - call), call);
            }
        }
    }
    store.apply(&mut batch);
    store
}

fn event(store: &mut Store, batch: &mut EventBatch, kind: EventKind, thread: u32, time: u64, name: u32) {
    if batch.is_full() {
        store.apply(batch);
        batch.clear();
    }
    batch.push(kind, thread, time, name, Locator::at(time));
}

fn bytes_a_slice(store: &Store) -> f64 {
    store.bytes() as f64 / store.slices() as f64
}

/// Asserts that a slice takes less than `bytes` bytes when all is read, and less than
/// `while_reading` times that before.
#[track_caller]
fn holds((threads, depth, times): (u32, u32, u64), bytes: f64, while_reading: f64) {
    let (mut store, growing) = taken(|| calls(threads, depth, times));
    let reported = store.bytes();
    let filled = bytes_a_slice(&store);
    assert!(filled < bytes * while_reading, "{filled} bytes per slice while reading");
    let ((), closing) = taken(|| store.finish(false));
    let finished = bytes_a_slice(&store);
    assert!(finished < bytes, "{finished} bytes per slice");
    // The store's own figure excludes the call tree, the names, the batch and the track structures.
    let others = i64::from(threads) * 1300 + i64::from(depth) * 200 + 300_000;
    assert!((growing.held - reported as i64).abs() < others, "{} held, {reported} reported", growing.held);
    let held = growing.held + closing.held;
    assert!((held - store.bytes() as i64).abs() < others, "{held} held, {} reported", store.bytes());
    // Columns shrink one after the other, not all at once.
    assert!(closing.most < 200_000, "{} more while closing", closing.most);
}

#[test]
fn long_columns_take_less_than_20_bytes_a_slice() {
    holds((1, 1, 1_000_000), 18.3, 1.05);
    holds((4, 10, 10_000), 18.5, 1.4);
}

#[test]
fn short_columns_take_less_than_20_bytes_a_slice() {
    holds((1, 5000, 100), 20.0, 1.35);
    holds((2000, 5, 100), 20.0, 1.35);
}

#[test]
fn nearly_empty_columns_are_small() {
    // 10,000 threads of one call each, and 5,000 calls that nest once.
    holds((10_000, 1, 1), 128.0, 4.0);
    holds((1, 5000, 1), 128.0, 4.0);
    holds((10_000, 1, 20), 26.0, 2.0);
}

#[test]
fn filling_a_column_allocates_once_a_block() {
    let (store, taken) = taken(|| calls(1, 1, 500_000));
    assert_eq!(store.slices(), 500_000);
    // A million events: 122 blocks of 4096, about ten smaller ones, and the nodes and lists over
    // them.
    assert!(taken.allocations < 250, "{} allocations", taken.allocations);
}

#[test]
fn filling_a_short_column_allocates_a_few_times() {
    let (store, taken) = taken(|| calls(2000, 5, 100));
    let columns = 2000 * 5;
    assert_eq!(store.slices(), columns * 100);
    // Five blocks, two chunks of nodes and their lists, and a few allocations for each track.
    assert!(taken.allocations < columns * 18, "{} allocations", taken.allocations);
}

/// Asserts that a job's own figure is what it holds, to within a hundredth and a kilobyte.
#[track_caller]
fn reports(job: &impl Job, held: i64) {
    let reported = job.bytes() as i64;
    assert!((held - reported).abs() < held / 100 + 1000, "{held} held, {reported} reported");
}

#[test]
fn jobs_know_how_much_memory_they_hold() {
    let mut store = calls(20, 500, 20);
    store.finish(false);
    let question = || Question { from: 1, to: u64::MAX, tracks: (0..20).collect() };
    let ((mut scan, part), held) = taken(|| {
        let flame = Some(FlameView::Down { path: Vec::new() });
        let wanted = Wanted { functions: true, flame, tree: Some(TreeView::default()), ..Wanted::default() };
        let mut scan = Scan::new(&store, question(), wanted, None);
        while scan.step(&store, 1000) == Step::More {}
        let part = scan.part(&store).map(|part| part.exact);
        (scan, part)
    });
    assert_eq!(part, Some(true));
    assert!(held.held > 50_000, "{} held", held.held);
    reports(&scan, held.held);
    let ((), released) = taken(|| scan.release());
    reports(&scan, held.held + released.held);

    let (exact, held) = taken(|| {
        let mut exact = Exact::new(&store, question(), 1);
        assert_eq!(Job::step(&mut exact, &store, 1000), Step::More);
        exact
    });
    reports(&exact, held.held);
}

/// An XRay log of `records` function records in one thread, four calls deep.
fn log(records: u32) -> Vec<u8> {
    let mut file = header(Mode::Fdr, 1_000_000_000, 65_536).to_bytes().to_vec();
    let mut buffer = FdrBuffer::new(1, 1, 0, 1000, (0, 0));
    for i in 0..records {
        let (kind, function) = match i % 8 {
            enter @ 0..4 => (FunctionKind::Enter, enter),
            exit => (FunctionKind::Exit, 7 - exit),
        };
        buffer.function(kind, function + 1, 1000 + u64::from(i) * 10);
        if buffer.len() + 128 > 65_536 {
            let next = FdrBuffer::new(1, 1, 0, 1000 + u64::from(i) * 10, (0, 0));
            file.extend(std::mem::replace(&mut buffer, next).finish());
        }
    }
    file.extend(buffer.finish());
    file
}

#[test]
fn reading_a_million_records_allocates_a_few_hundred_times() {
    let file = log(1_000_000);
    let (session, taken) = taken(|| read_whole(&file));
    assert_eq!(session.store().slices(), 500_000);
    assert!(taken.allocations < 1000, "{} allocations", taken.allocations);
    let beside = taken.held - session.store().bytes() as i64;
    assert!(beside < 4_000_000, "{beside} bytes besides the slices");
}

/// An XRay log of calls of as many functions.
fn log_of(functions: u32) -> Vec<u8> {
    let mut file = header(Mode::Fdr, 1_000_000_000, 65_536).to_bytes().to_vec();
    let mut buffer = FdrBuffer::new(1, 1, 0, 1000, (0, 0));
    for i in 0..functions {
        let time = 1000 + u64::from(i) * 20;
        // Numbers are 28 bits wide, and those above 16 bits are in a table.
        buffer.function(FunctionKind::Enter, 100_000 + i, time);
        buffer.function(FunctionKind::Exit, 100_000 + i, time + 10);
        if buffer.len() + 128 > 65_536 {
            file.extend(std::mem::replace(&mut buffer, FdrBuffer::new(1, 1, 0, time + 10, (0, 0))).finish());
        }
    }
    file.extend(buffer.finish());
    file
}

#[test]
fn what_is_kept_for_each_function_is_reported() {
    let file = log_of(100_000);
    let (session, taken) = taken(|| read_whole(&file));
    let (held, reported) = (taken.held, session.store().kept_bytes() as i64);
    // The page has the names, too.
    let in_page = 100 * 100_000;
    assert!(reported > held - 500_000, "{held} held, {reported} reported");
    assert!(reported < held + 2 * in_page, "{held} held, {reported} reported");
}

#[test]
fn reading_ends_where_functions_use_up_the_memory() {
    let file = log_of(100_000);
    let all = read_whole(&file);
    let most = all.store().kept_bytes() / 2;
    let slices = all.store().bytes() as u64;
    assert!(slices < most / 2, "slices alone would fit: {slices} bytes of {most}");
    let mut session = Session::new("f.xray", file.len() as u64, &file, &file).unwrap();
    session.limit_memory(most);
    read::session(&mut session, &mut file.as_slice(), |_| {}).unwrap();
    assert!(session.stopped_at_limit());
    let problems = session.progress().problems;
    assert!(problems.iter().any(|of| of.summary.contains("larger than memory allows")), "{problems:?}");
    let (read, kept) = (session.store().slices(), session.store().kept_bytes());
    assert!((20_000..90_000).contains(&read), "{read} slices before the limit");
    assert!(kept < most + most / 4, "{kept} bytes, {most} are allowed");
}

#[test]
fn what_others_hold_leaves_a_small_part() {
    let file = log_of(500_000);
    let whole = read_whole(&file).store().kept_bytes();
    let least = 64 << 20;
    assert!(whole > least + least / 4, "{whole} bytes");
    let read = |elsewhere| {
        let mut session = Session::new("f.xray", file.len() as u64, &file, &file).unwrap();
        session.limit_memory(10 * whole);
        session.set_elsewhere(elsewhere);
        read::session(&mut session, &mut file.as_slice(), |_| {}).unwrap();
        (session.stopped_at_limit(), session.store().kept_bytes())
    };
    assert_eq!(read(8 * whole), (false, whole));
    let (is_limited, kept) = read(20 * whole);
    assert!(is_limited && kept > least / 2 && kept < least + least / 8, "{kept} bytes");
}

/// Fails unless nearly all that is held of a trace is reported, and reading ends where that exceeds
/// what is allowed.
#[track_caller]
fn check_reported(options: OpenOptions, file: &[u8]) {
    let session = || Session::with(options, "f", file.len() as u64, file, file).unwrap();
    let (all, taken) = taken(|| {
        let mut session = session();
        read::session(&mut session, &mut &*file, |_| {}).unwrap();
        session
    });
    let kept = all.store().kept_bytes();
    let unreported = taken.held - kept as i64;
    assert!(taken.held > 8_000_000, "{} bytes are too few to tell", taken.held);
    // Batches and buffers of the reader take the rest.
    assert!(unreported < 1_500_000 + taken.held / 20, "{unreported} of {} bytes are not reported", taken.held);
    let mut limited = session();
    // Slices of open calls take memory only at the end.
    limited.limit_memory(kept / 4);
    read::session(&mut limited, &mut &*file, |_| {}).unwrap();
    assert!(limited.stopped_at_limit());
    assert!(limited.store().records() < all.store().records());
}

/// An XRay log of calls that do not end, on 500 threads.
fn open_calls() -> Vec<u8> {
    let mut file = header(Mode::Fdr, 1_000_000_000, 65_536).to_bytes().to_vec();
    for thread in 0..500 {
        let mut buffer = FdrBuffer::new(1, thread, 0, 1000, (0, 0));
        (0..1000).for_each(|call| buffer.function(FunctionKind::Enter, 1, 1000 + call));
        file.extend(buffer.finish());
    }
    file
}

#[test]
fn open_calls_of_xray_are_reported() {
    check_reported(OpenOptions::default(), &open_calls());
    check_reported(OpenOptions { nest_tail_calls: true, ..OpenOptions::default() }, &open_calls());
}

#[test]
fn open_calls_and_groups_of_apitrace_are_reported() {
    let (draw, push) = ("glDrawArrays", "glPushDebugGroup");
    let mut open = apitrace::Writer::new(&[]);
    let mut groups = apitrace::Writer::new(&[]);
    for call in 0..200_000_u64 {
        open.enter(call % 50, &FunctionSig { id: 1, name: draw, args: &[] }, &Details::default());
        groups.call(call % 50, &FunctionSig { id: 1, name: push, args: &[] }, Vec::new(), None);
    }
    check_reported(OpenOptions::default(), &open.finish());
    check_reported(OpenOptions::default(), &groups.finish());
}

#[test]
fn signatures_of_apitrace_are_reported() {
    let of_call = |id, details: Details<'_>, w: &mut apitrace::Writer| {
        let call = w.enter(1, &FunctionSig { id, name: "glEnable", args: &["cap"] }, &details);
        w.leave(call, &Details::default());
    };
    let text = "a name of a constant or a function that takes memory ".repeat(2);
    let mut enums = apitrace::Writer::new(&[]);
    let mut structs = apitrace::Writer::new(&[]);
    let mut traces = apitrace::Writer::new(&[]);
    for id in 0..50_000 {
        let values: Vec<_> = (0..20).map(|value| ("GL_CONSTANT", value)).collect();
        let signature = EnumSig { id, values: &values };
        of_call(1, Details::args([Value::Enum(&signature, 1)]), &mut enums);
        let signature = StructSig { id, name: &text, members: &[&text] };
        of_call(1, Details::args([Value::Struct(&signature, vec![Value::Null])]), &mut structs);
        let function = FrameSig { id, module: Some(&text), function: Some(&text), ..FrameSig::default() };
        of_call(1, Details { backtrace: vec![function], ..Details::default() }, &mut traces);
    }
    for trace in [enums, structs, traces] {
        check_reported(OpenOptions::default(), &trace.finish());
    }
}

/// Checkpoints are 256 KiB apart, and the place of each statement is kept for each.
#[test]
fn places_of_statements_are_reported() {
    let types = [Type { name: 0, format: 4, size: 0 }];
    let mut w = Points::new(Widths::Wide, Tables::new([b"string".as_slice(), b"x"], types));
    let blob = vec![b'a'; 256 * 1024];
    for _ in 0..100 {
        w.blob(1, 0, &blob);
        w.end();
        for statement in 0..10_000 {
            w.statement(StatementId::from_bits(statement));
            w.end();
        }
    }
    check_reported(OpenOptions::default(), &w.finish());
}

#[test]
fn stacks_of_threads_of_frames_are_reported() {
    let mut w = frames::Writer::new(2, 9, 64, None);
    for thread in 0..10_000 {
        w.frame(&Frame::Std(Std { address: 0x1000, thread, bytes: vec![0x90], ..Std::default() }));
    }
    check_reported(OpenOptions::default(), &w.finish(Table::None));
}
