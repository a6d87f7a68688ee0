//! Queries about the values of a trace.

use unspool_formats::trace_db::open_places;
use unspool_values::{BufferOrder, Query, Slot, Step, Summary, Values};

use crate::choices::Choices;
use crate::file::index;

/// The trace that queries are asked of.
const TRACE: &[u8] = include_bytes!("../../../tests/fixtures/trace_db/variables.trace");
/// Combinations of variables that are looked at: a few words can ask for any number.
const MOST_STEPS: u32 = 3000;
const MOST_TESTED: u64 = 100;

/// A query is refused at a place within it, or finds the same points in any turns.
pub(crate) fn asked(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let query = match Query::parse(&text) {
        Err(fault) => {
            assert!(text.get(fault.at..fault.at + fault.len).is_some(), "{fault:?} is in the text");
            assert!(!fault.sentence.is_empty());
            return;
        }
        Ok(query) => query,
    };
    let index = index("trace-db", TRACE).unwrap_or_else(|| panic!("the fixture is a trace"));
    let mut choices = Choices::of(bytes);
    found(&index, TRACE, &query, &mut choices);
}

/// Queries that damaged traces are asked. The names are those of the fixtures.
pub(crate) const QUERIES: &[&str] = &[
    "a: any where a > 3 prefer a < 9",
    "a, b: any where a.size < b + 1/3 and distinct(a, b) once",
    "not (0 <= i < n * 2) or key != -7 in file 1",
    "a: any where a.value - a.size >= 0x10 pick 7",
    "a: *int | double where a = 0.1 at 1:24",
    "(query (var a \"int\" \"*int\") (predicate (and (> (v/value a) -1) (< (v/size a) 9e9))) (soft (= (v/value a) 2)) (mask 3) (statement 1) (keep))",
];

/// What is asked of a trace is answered alike in any portions and turns, with all of its values at
/// hand or a few.
pub(crate) fn damaged(file: &[u8]) {
    let Some(index) = index("trace-db", file) else { return };
    let mut choices = Choices::of(file);
    let text = QUERIES[choices.index(QUERIES.len())];
    let query = Query::parse(text).unwrap_or_else(|fault| panic!("{text}: {}", fault.sentence));
    found(&index, file, &query, &mut choices);
    let statement = choices.below(8) as u32;
    let every = Query::parse("true").unwrap_or_else(|fault| panic!("{}", fault.sentence));
    let range = choices.below(4)..choices.below(100);
    let [whole, parts] = [true, false].map(|is_whole| {
        let mut values = open(&index, is_whole, &mut choices);
        values.begin_variables(range.clone());
        values.begin_statements(range.clone());
        values.begin_buffers();
        values.begin_rows(statement, &every, range.clone());
        let mut slots = [Slot::Variables, Slot::Buffers, Slot::Rows, Slot::Statements];
        slots.rotate_left(if is_whole { 0 } else { choices.index(4) });
        for slot in slots {
            assert!(run(&mut values, slot, file, &mut choices, is_whole), "{slot:?} ends");
        }
        tables(&mut values, is_whole)
    });
    for (whole, parts) in whole.iter().zip(&parts) {
        let at = whole.bytes().zip(parts.bytes()).position(|(a, b)| a != b).unwrap_or(whole.len().min(parts.len()));
        let from = |text: &str| text.chars().skip(at.saturating_sub(100)).take(200).collect::<String>();
        assert!(whole == parts, "{} and {} in parts", from(whole), from(parts));
    }
}

/// What the tables say of a trace that was read, and that what they refer to is there.
fn tables(values: &mut Values, is_whole: bool) -> [String; 4] {
    let points: u64 = values.statements().summaries().iter().map(|it| it.count).sum();
    let within = values.statements_within().map(|it| it.summaries());
    let counts = |all: &[Summary]| all.iter().map(|it| it.count).sum::<u64>();
    assert!(within.is_none_or(|within| counts(within) <= points), "a range has no more points than the trace");
    let statements = format!("{:?} {within:?}", values.statements().summaries());
    let mut variables = String::new();
    for (key, it) in values.variables().into_iter().flat_map(|all| all.iter()) {
        assert!(it.count > 0, "variables occur");
        let counts = (it.count, it.changes, it.zeros, it.invalid, it.in_buffer, it.different());
        let moments = (&it.first, &it.last, &it.lowest, &it.highest);
        variables += &format!("{key} {counts:?} {moments:?} {:?} {:x}\n", it.over_time(), it.nan_over_time());
    }
    let mut buffers = String::new();
    if let Some(all) = values.buffers() {
        let (count, listed) = all.counts();
        assert!(listed as u64 <= count);
        for row in 0..listed {
            let it = all.get(row).unwrap_or_else(|| panic!("buffer {row} of {listed}"));
            assert!(it.from.point < points, "{it:?} begins within {points} points");
        }
        buffers = format!("{:?} {:?}", (count, all.never_freed(), all.most_in_use()), all.candidates());
        all.sort(BufferOrder::Size, true, &(1..50));
        assert!(all.rows() <= listed, "a range has no more buffers than the trace");
        all.sort(BufferOrder::Size, true, &(0..u64::MAX));
        let sizes: Vec<u64> = (0..listed).filter_map(|row| all.get(row)).map(|it| it.size).collect();
        assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    }
    while !values.step_invariants(if is_whole { usize::MAX } else { 3 }) {}
    let invariants = format!("{:?}", values.invariants().map(|it| it.found()));
    if let Some(rows) = values.rows() {
        let (found, listed) = rows.counts();
        assert!(listed as u64 <= found && found <= points, "{listed} of {found} rows of {points} points");
        for row in 0..listed {
            let (x, _) = rows.point(row).unwrap_or_else(|| panic!("row {row} of {listed}"));
            assert_eq!(rows.row_of(x), Some(row));
        }
        rows.sort(Some(0), true);
        assert!((0..listed).all(|row| rows.point(row).is_some()));
    }
    [statements, variables, buffers, invariants]
}

fn open(index: &[u8], is_whole: bool, choices: &mut Choices) -> Values {
    let places = open_places(index).unwrap_or_else(|error| panic!("the index: {error}"));
    Values::keeping(places, if is_whole { usize::MAX } else { 1 + choices.index(2000) })
}

/// The points that a query finds.
fn found(index: &[u8], file: &[u8], query: &Query, choices: &mut Choices) {
    let answers = [true, false].map(|is_whole| {
        let mut values = open(index, is_whole, choices);
        values.begin(query);
        let is_over = run(&mut values, Slot::Search, file, choices, is_whole);
        (is_over, values.take())
    });
    let [(is_over, whole), (is_over_too, parts)] = answers;
    if !is_over || !is_over_too {
        return;
    }
    assert!(whole.x.is_sorted_by(|a, b| a < b), "points are found once, in order");
    assert!(whole.matched.iter().all(|text| *text == u32::MAX || (*text as usize) < whole.texts.len()));
    assert_eq!(whole, parts);
}

/// Answers a question. Returns whether it came to an end.
fn run(values: &mut Values, slot: Slot, file: &[u8], choices: &mut Choices, is_whole: bool) -> bool {
    for _ in 0..MOST_STEPS {
        let budget = if is_whole { MOST_TESTED } else { 1 + choices.below(MOST_TESTED) };
        match values.step(slot, budget) {
            Step::Done => return true,
            Step::More => {}
            Step::NeedsBytes => {
                let (at, end) = values.wants();
                let rest = usize::try_from(at).ok().and_then(|at| file.get(at..)).unwrap_or_default();
                let len = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
                let portion = if is_whole { usize::MAX } else { choices.portion() };
                values.push(rest.get(..len.min(portion)).unwrap_or(rest));
            }
        }
    }
    false
}
