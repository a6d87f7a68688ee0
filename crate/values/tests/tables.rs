//! What is known of variables and buffers, and what likely always holds, on traces that are made
//! here.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use unspool_formats::trace_db;
use unspool_formats::trace_db::encode::Writer;
use unspool_formats::trace_db::wire::{Layout, Number, StatementId, Tables, Type};
use unspool_formats::trace_db::{Places, open_places};
use unspool_records::memory::index_of;
use unspool_values::{BufferOrder, Invariant, Relation, Slot, Step, Suspicion, Values};

fn places(bytes: &[u8]) -> Places {
    open_places(&index_of(&trace_db::ROW.format, bytes).unwrap()).unwrap()
}

fn answer(values: &mut Values, bytes: &[u8], slot: Slot) {
    loop {
        match values.step(slot, 1000) {
            Step::More => {}
            Step::Done => return,
            Step::NeedsBytes => {
                let (from, to) = values.wants();
                values.push(&bytes[from as usize..to as usize]);
            }
        }
    }
}

const NAMES: [&[u8]; 12] =
    [b"int", b"*int", b"double", b"string", b"i", b"n", b"p", b"x", b"label", b"twice", b"odd name", b"left"];
const INT: u32 = 0;
const POINTER: u32 = 1;
const DOUBLE: u32 = 2;
const STRING: u32 = 3;

fn writer() -> Writer {
    let types = [
        Type { name: 0, format: 1, size: 4 },
        Type { name: 1, format: 3, size: 8 },
        Type { name: 2, format: 2, size: 8 },
        Type { name: 3, format: 4, size: 0 },
    ];
    Writer::new(Layout::Wide, Tables::new(NAMES, types))
}

#[test]
fn variables_are_summed_up() {
    let mut writer = writer();
    let floats = [0.5, f64::NAN, -0.0, 0.0, 1e300];
    for i in 0..10_i64 {
        writer.statement(StatementId::in_file(1, i as u64 % 2));
        writer.number(4, INT, Number::Signed(3 - i / 2));
        writer.number(5, INT, Number::Signed(7));
        writer.number(6, POINTER, Number::Pointer(if i == 4 { 0 } else { 0x1000 + i as u64 }));
        writer.number(7, DOUBLE, Number::Float(floats[i as usize % 5]));
        writer.blob(8, STRING, if i < 5 { b"a" } else { b"bc" });
        writer.end();
    }
    let bytes = writer.finish();
    let mut values = Values::new(places(&bytes));
    values.begin_variables(0..u64::MAX);
    answer(&mut values, &bytes, Slot::Variables);
    let all = values.variables().unwrap();
    let [i, n, p, x, label] = [0, 1, 2, 3, 4].map(|key| all.get(key).unwrap());
    assert_eq!((i.count, i.changes, i.different(), i.zeros, i.invalid), (10, 4, (5, true), 2, 0));
    let (lowest, highest) = (i.lowest.unwrap(), i.highest.unwrap());
    assert_eq!((lowest.bits as i64, lowest.point, highest.bits, highest.point), (-1, 8, 3, 0));
    assert_eq!((n.changes, n.different(), n.first.bits, n.last.point), (0, (1, true), 7, 9));
    assert_eq!((p.zeros, p.lowest.unwrap().point, p.is_pointer(), p.in_buffer), (1, 4, true, 0));
    // -0.0 and 0.0 have different bits, but are one value.
    assert_eq!((x.invalid, x.zeros, x.different(), x.changes), (2, 4, (4, true), 9));
    assert_eq!((label.count, label.changes, label.different(), label.invalid), (10, 1, (2, true), 10));
    assert!(label.lowest.is_none() && label.over_time().is_empty());
    let drawn: Vec<_> = i.over_time().iter().filter(|(low, _)| !low.is_nan()).collect();
    assert_eq!((drawn.len(), *drawn[0], *drawn[9]), (10, (3.0, 3.0), (-1.0, -1.0)));
}

#[test]
fn buffers_have_lifetimes_and_pointers_that_leave_them_are_found() {
    let mut writer = writer();
    let mut point = |index: u64, sizes: &[(u64, u64)], pointers: &[u64]| {
        writer.statement(StatementId::in_file(1, index));
        for (address, size) in sizes {
            writer.buffer_size(*address, *size);
        }
        for pointer in pointers {
            writer.number(6, POINTER, Number::Pointer(*pointer));
        }
        writer.end();
    };
    point(1, &[(0x1000, 16), (0x2000, 8)], &[0x1000]);
    point(2, &[], &[0x100c, 0x100e]); // Two bytes are less than an int.
    point(3, &[], &[0x1010]); // One behind the last element is not a fault.
    point(4, &[], &[0x1014, 0x1100]); // 0x1100 is too far away to have left the buffer.
    point(5, &[(0x1000, 32)], &[0x1014]);
    point(6, &[(0x1000, 0)], &[0x1004]);
    point(6, &[], &[0x1004]);
    point(7, &[(0x1008, 4)], &[0x1004, 0x1008]); // Allocated again.
    let bytes = writer.finish();
    let mut values = Values::new(places(&bytes));
    values.begin_buffers();
    answer(&mut values, &bytes, Slot::Buffers);
    let buffers = values.buffers().unwrap();
    assert_eq!((buffers.counts(), buffers.never_freed(), buffers.most_in_use()), ((4, 4), 2, 40));
    let row = |buffers: &unspool_values::Buffers, row| {
        let it = buffers.get(row).unwrap().clone();
        (it.address, it.size, it.from.point, it.to.map(|to| to.point), it.is_resized, it.pointers, it.least_left)
    };
    assert_eq!(row(buffers, 0), (0x1000, 16, 0, Some(4), true, 4, Some(0)));
    assert_eq!(row(buffers, 1), (0x2000, 8, 0, None, false, 0, None));
    assert_eq!(row(buffers, 2), (0x1000, 32, 4, Some(5), false, 1, Some(12)));
    assert_eq!(row(buffers, 3), (0x1008, 4, 7, None, false, 1, Some(4)));
    buffers.sort(BufferOrder::Size, true, &(0..u64::MAX));
    assert_eq!([0, 1, 2, 3].map(|at| row(buffers, at).1), [32, 16, 8, 4]);
    // Those with a point in a range: that of the end of one is its last.
    for (range, addresses) in
        [(0..1, vec![0x1000, 0x2000]), (5..7, vec![0x2000, 0x1000]), (7..100, vec![0x2000, 0x1008]), (3..3, vec![])]
    {
        buffers.sort(BufferOrder::From, false, &range);
        let found: Vec<u64> = (0..buffers.rows()).map(|at| row(buffers, at).0).collect();
        assert_eq!(found, addresses, "{range:?}");
    }
    let (candidates, is_all) = buffers.candidates();
    let found: Vec<_> = candidates.iter().map(|it| (it.why, it.first.point, it.count, it.value, it.left)).collect();
    assert_eq!(
        found,
        [
            (Suspicion::Short, 1, 1, 0x100e, 2),
            (Suspicion::Past, 3, 1, 0x1014, -4),
            (Suspicion::Freed, 5, 2, 0x1004, 28)
        ]
    );
    assert!(is_all);
    assert_eq!(candidates.iter().map(|it| it.points.clone()).collect::<Vec<_>>(), [vec![1], vec![3], vec![5, 6]]);
}

#[test]
fn a_pointer_before_the_buffer_that_it_was_in_is_found() {
    let mut writer = writer();
    writer.statement(StatementId::in_file(1, 1));
    writer.buffer_size(0x3000, 16);
    writer.number(6, POINTER, Number::Pointer(0x3000));
    writer.end();
    // Another pointer never was in that buffer; what is far away belongs to something else.
    for (name, pointer) in [(6, 0x2fff), (7, 0x2ffe), (6, 0x2f00), (6, 0x2ffc)] {
        writer.statement(StatementId::in_file(1, 1));
        writer.number(name, POINTER, Number::Pointer(pointer));
        writer.end();
    }
    let bytes = writer.finish();
    let mut values = Values::new(places(&bytes));
    values.begin_buffers();
    answer(&mut values, &bytes, Slot::Buffers);
    let (candidates, _) = values.buffers().unwrap().candidates();
    let found: Vec<_> = candidates.iter().map(|it| (it.why, it.value, it.left, it.points.clone())).collect();
    assert_eq!(found, [(Suspicion::Before, 0x2fff, 1, vec![1, 4])]);
}

#[test]
fn relations_that_nearly_always_hold_are_found_with_their_exceptions() {
    let mut writer = writer();
    for i in 0..100_i64 {
        writer.statement(StatementId::in_file(1, 1));
        writer.buffer_size(0x1000, 100);
        let n = if i == 40 { 3 } else { i + i % 7 };
        writer.number(4, INT, Number::Signed(i));
        writer.number(5, INT, Number::Signed(n));
        writer.number(6, POINTER, Number::Pointer(0x1000 + i as u64));
        writer.number(7, DOUBLE, Number::Float(0.25 + (99 - i) as f64));
        writer.number(9, INT, Number::Signed(1 - 2 * i));
        writer.number(10, DOUBLE, Number::Float(0.25));
        writer.number(11, INT, Number::Signed(if i == 70 { 5 } else { 100 - i }));
        writer.end();
        // Another statement, where nothing of that holds.
        writer.statement(StatementId::in_file(1, 2));
        writer.number(4, INT, Number::Signed(1000 - i * i));
        writer.end();
    }
    let bytes = writer.finish();
    let mut values = Values::new(places(&bytes));
    values.begin_variables(0..u64::MAX);
    answer(&mut values, &bytes, Slot::Variables);
    let query = values.check("true").unwrap();
    values.begin_rows(0, &query, 0..u64::MAX);
    answer(&mut values, &bytes, Slot::Rows);
    while !values.step_invariants(10) {}
    let found = values.invariants().unwrap().found().to_vec();
    let has = |relation, query: &str, exceptions_query: &str, holds, exceptions| {
        let (query, exceptions_query) = (query.into(), exceptions_query.into());
        let wanted = Invariant { relation, query, exceptions_query, holds, exceptions };
        assert!(found.contains(&wanted), "{wanted:?} is not among {found:#?}");
    };
    has(Relation::Constant, "`odd name` = 0.25", "`odd name` != 0.25", 100, 0);
    has(Relation::AtMost, "i <= n", "i > n", 99, 1);
    // A constant is a bound if it is reached.
    has(Relation::AtMost, "`odd name` <= x", "`odd name` > x", 100, 0);
    has(Relation::Size, "p.size = left", "p.size != left", 99, 1);
    has(Relation::Linear, "twice = 1 - 2 * i", "twice != 1 - 2 * i", 100, 0);
    has(Relation::Linear, "p = i + 4096", "p != i + 4096", 100, 0);
    has(Relation::Linear, "p.size = 100 - i", "p.size != 100 - i", 100, 0);
    assert!(found.is_sorted_by_key(|it| it.relation));
    // Each is a query that finds what it says, and so is its opposite.
    for it in &found {
        for (text, count) in [(&it.query, it.holds), (&it.exceptions_query, it.exceptions)] {
            let query = values.check(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
            values.begin_rows(0, &query, 0..u64::MAX);
            answer(&mut values, &bytes, Slot::Rows);
            assert_eq!(values.rows().unwrap().counts().0, count, "{text}");
        }
    }
}
