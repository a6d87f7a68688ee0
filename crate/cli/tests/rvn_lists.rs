//! Lists of the transitions of block databases: fixtures, the corpus, and a long one.

use crate::sqlite;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use unspool_filter::RecordQuery;
use unspool_filter::Search;
use unspool_filter::pattern::Linked;
use unspool_formats::rvn::open_records;
use unspool_records::RowSource;
use unspool_records::{RecordReader, Scope, Survey};
use unspool_trace::{Query, RowError, Rows};

/// The reader of a database. `None` if that is not a trace.
fn open(path: &Path) -> Option<RecordReader> {
    let database = sqlite::Database::open(path).ok()?;
    RecordReader::of_database(open_records(), Box::new(database), None).ok()
}

/// Checks the list of a scope that has these transitions.
fn check(reader: &mut RecordReader, scope: &Scope, expected: std::ops::Range<u64>) {
    let mut list = reader.list(scope, None).unwrap();
    while !reader.advance(&mut list).unwrap() {}
    let len = expected.end - expected.start;
    assert_eq!(list.len(), len, "{scope:?}");
    for (first, count) in [(0, 37), (len / 3, 200), (len / 2, 1), (len.saturating_sub(7), 200), (len + 1, 2)] {
        let rows: Vec<u64> = reader.rows_of(&mut list, first, count).unwrap().iter().map(|row| row.x).collect();
        let from = (expected.start + first).min(expected.end);
        let wanted: Vec<u64> = (from..expected.end.min(from + u64::from(count))).collect();
        assert_eq!(rows, wanted, "{scope:?}: {count} from {first}");
    }
    for number in [0, 1, len / 7, len / 2, len.saturating_sub(1)].into_iter().filter(|number| *number < len) {
        let row = reader.rows_of(&mut list, number, 1).unwrap().remove(0);
        let at =
            |list: &mut _, reader: &mut RecordReader| reader.row_at(list, row.x, Some(row.track), Some(row.locator));
        assert_eq!(at(&mut list, reader).unwrap(), Some(number), "{scope:?}");
        assert_eq!(reader.row_at(&mut list, row.x, None, None).unwrap(), Some(number), "{scope:?}");
    }
    let after = reader.row_at(&mut list, expected.end, None, None).unwrap();
    assert_eq!(after, None, "{scope:?}");
    let before = reader.row_at(&mut list, expected.start.saturating_sub(1), None, None).unwrap();
    assert_eq!(before, (len > 0).then_some(0), "{scope:?}");
}

fn check_all(reader: &mut RecordReader) {
    let mut whole = reader.list(&Scope { range: None, tracks: None }, None).unwrap();
    let n = whole.len();
    let track = reader.rows_of(&mut whole, 0, 1).unwrap().first().map_or(0, |row| row.track);
    if n < 20_000 {
        let rows: Vec<u64> = reader.rows_of(&mut whole, 0, u32::MAX).unwrap().iter().map(|row| row.x).collect();
        assert!(rows.into_iter().eq(0..n));
    }
    for range in
        [None, Some(0..n), Some(n / 4..n / 2), Some(n..u64::MAX), Some(n / 2..u64::MAX), Some(3..3), Some(0..1)]
    {
        let of_range = range.clone().map_or(0..n, |range| range.start.min(n)..range.end.min(n));
        for tracks in [None, Some(vec![track]), Some(vec![track + 9])] {
            let expected = if tracks.as_ref().is_some_and(|of| !of.contains(&track)) { 0..0 } else { of_range.clone() };
            if expected.is_empty() {
                let mut list = reader.list(&Scope { range: range.clone(), tracks }, None).unwrap();
                assert!(reader.advance(&mut list).unwrap() && list.is_empty());
                assert!(reader.rows_of(&mut list, 0, 9).unwrap().is_empty());
                assert_eq!(reader.row_at(&mut list, 0, None, None).unwrap(), None);
            } else {
                check(reader, &Scope { range: range.clone(), tracks }, expected);
            }
        }
    }
}

fn databases(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "sqlite")).collect();
    found.sort();
    found
}

#[test]
fn fixtures() {
    let found = databases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/rvn"));
    assert!(!found.is_empty());
    for path in found {
        println!("{}", path.display());
        check_all(&mut open(&path).unwrap());
    }
}

#[test]
fn databases_of_the_corpus() {
    let Some(folder) = unspool_corpus::path("rvn") else { return };
    let found = databases(&folder);
    let mut read = 0;
    for path in found {
        println!("{}", path.display());
        if let Some(mut reader) = open(&path) {
            check_all(&mut reader);
            read += 1;
        }
    }
    assert!(read > 5, "{read}");
}

/// A database that counts what it is asked.
struct Counted {
    database: sqlite::Database,
    queries: Rc<Cell<usize>>,
}

impl RowSource for Counted {
    fn rows(&self, query: &Query, rows: &mut Rows) -> Result<(), RowError> {
        self.queries.set(self.queries.get() + 1);
        self.database.rows(query, rows)
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        self.database.read_at(at, buffer)
    }
}

#[test]
fn transitions_that_nothing_is_said_of_are_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("far.sqlite");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/rvn/blocks.sqlite"), &path).unwrap();
    let near = open(&path).unwrap().list(&Scope { range: None, tracks: None }, None).unwrap().len();
    let last: i64 = 1 << 62;
    let change = format!(
        "update execution set transition_id = {last} where transition_id = (select max(transition_id) from execution)"
    );
    rusqlite::Connection::open(&path).unwrap().execute(&change, []).unwrap();

    let queries = Rc::new(Cell::new(0));
    let database = sqlite::Database::open(&path).unwrap();
    let source = Counted { database, queries: Rc::clone(&queries) };
    let mut reader = RecordReader::of_database(open_records(), Box::new(source), None).unwrap();
    let mut survey = Survey::default();
    while !reader.survey(&mut survey, 4).unwrap() {}
    assert!((near..near + 5000).contains(&survey.records), "{} of {near}", survey.records);

    // Every record passes.
    let query = RecordQuery { tests: Vec::new(), branches: vec![Vec::new()] };
    let all = Search::new(&query, &[], None, &Linked, |n| n.to_string()).unwrap();
    let mut list = reader.list(&Scope { range: None, tracks: None }, Some(all)).unwrap();
    while !reader.advance(&mut list).unwrap() {}
    assert!((near..near + 20_000).contains(&list.len()), "{} of {near}", list.len());
    assert_eq!(reader.rows_of(&mut list, 0, 3).unwrap().len(), 3);
    assert!(queries.get() < 500, "{} queries", queries.get());
}
