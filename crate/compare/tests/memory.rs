//! Memory of a comparison, in bytes, so that regressions show.

#![allow(unsafe_code, reason = "an allocator is unsafe")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use unspool_compare::{Figures, Function, Run, Unit, compare};

/// Counts the bytes of each thread: tests run concurrently.
struct Counting;

thread_local! {
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

fn count(grown: i64) {
    HELD.set(HELD.get() + grown);
    MOST.set(MOST.get().max(HELD.get()));
}

// SAFETY: everything is forwarded to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const FUNCTIONS: usize = 10_000;

/// A run of functions whose numbers begin at `first`, with names of `length` bytes.
fn run(first: usize, length: usize) -> Run {
    let function = |number: usize| Function {
        name: format!("{number:0length$}").into(),
        figures: Figures { count: 1, own: 10, total: 10, ..Figures::default() },
        stretches: vec![10.0],
        ..Function::default()
    };
    Run { functions: (first..first + FUNCTIONS).map(function).collect(), ..Run::default() }
}

/// The most bytes that a comparison takes in addition to its runs, for each function of a side.
fn most(a: &Run, b: &Run) -> i64 {
    let held = HELD.get();
    MOST.set(held);
    let found = compare(Unit::Ticks { frequency: None }, &[a], &[b]);
    assert!(!found.rows.is_empty());
    (MOST.get() - held) / FUNCTIONS as i64
}

#[test]
fn functions_that_one_side_lacks_take_little_more_than_their_rows() {
    let row = size_of::<unspool_compare::Row>() as i64;
    let found = most(&run(0, 8), &run(FUNCTIONS, 8));
    assert!(found < 2 * row + 400, "{found} bytes for each function of a side, rows of {row} bytes");
    // What both have is judged by its calls.
    let found = most(&run(0, 8), &run(0, 8));
    assert!(found < row + 700, "{found} bytes for each function of both, rows of {row} bytes");
}

#[test]
fn names_are_shared() {
    let (short, long) = (most(&run(0, 8), &run(FUNCTIONS, 8)), most(&run(0, 800), &run(FUNCTIONS, 800)));
    assert_eq!(short, long, "bytes for each function");
}
