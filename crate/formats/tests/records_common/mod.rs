//! Shared by the tests of record passes: passes over the pieces of a file in memory, and the files
//! of the corpus.

#![allow(dead_code, reason = "each test uses a part of this")]
#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that panics has done its work"
)]

use std::fs;

use unspool_records::memory::read_all;
use unspool_trace::records::{Row, Rows};
use unspool_trace::{Field, Records, Value};

/// The records of these pieces, with all their fields, read in portions of at most `portion` bytes.
pub(crate) fn pass(reader: &dyn Records, file: &[u8], pieces: std::ops::Range<u32>, portion: usize) -> Vec<Row> {
    let mut rows = Rows::new(0, 0..u64::MAX, usize::MAX, usize::MAX);
    let mut pass = reader.pass(pieces);
    read_all(pass.as_mut(), file, portion, &mut rows).unwrap();
    assert_eq!(pass.want(), None);
    rows.into_rows()
}

/// Whether records are the same. A floating-point number may not equal itself.
fn same(a: &[Row], b: &[Row]) -> bool {
    a == b || format!("{a:?}") == format!("{b:?}")
}

/// All records, after checking that they are numbered and that portions and pieces do not matter.
pub(crate) fn full_pass(reader: &dyn Records, file: &[u8], portions: &[usize]) -> Vec<Row> {
    let [lane] = reader.lanes() else { panic!("{} lanes", reader.lanes().len()) };
    let all = pass(reader, file, 0..u32::MAX, usize::MAX);
    assert_eq!(lane.rows, all.len() as u64);
    assert!(lane.sorted && lane.track.is_none());
    assert_eq!(lane.until, all.last().map_or(0, |row| row.x));
    for (number, row) in (0..).zip(&all) {
        assert_eq!((row.row, row.x, row.lane, row.dropped), (number, number, 0, 0));
    }
    for portion in portions {
        assert!(same(&pass(reader, file, 0..u32::MAX, *portion), &all), "portions of {portion}");
    }
    for (number, piece) in (0..).zip(&lane.pieces) {
        assert_eq!(piece.number, number);
        let end = lane.pieces.get(number as usize + 1).map_or(lane.rows, |next| next.row);
        assert!(piece.row < end, "no piece is empty");
        let rows = &all[piece.row as usize..end as usize];
        assert_eq!(piece.x, rows[0].x);
        assert!(same(&pass(reader, file, number..number + 1, 64 * 1024), rows), "piece {number}");
        if number > 0 {
            let before = lane.pieces[number as usize - 1].row as usize;
            let both = pass(reader, file, number - 1..number + 1, 9999);
            assert!(same(&both, &all[before..end as usize]), "pieces to {number}");
        }
    }
    let count = lane.pieces.len() as u32;
    for none in [count..u32::MAX, 0..0, 1..1] {
        assert_eq!(pass(reader, file, none, 1), []);
    }
    all
}

/// The value of a field.
pub(crate) fn value<'a>(fields: &'a [Field], name: &str) -> Option<&'a Value> {
    fields.iter().find(|field| field.name == name).map(|field| &field.value)
}

/// The fields of a structure. None if it is absent.
pub(crate) fn tree<'a>(fields: &'a [Field], name: &str) -> &'a [Field] {
    match value(fields, name) {
        Some(Value::Tree(fields)) => fields,
        None => &[],
        Some(other) => panic!("{other:?}"),
    }
}

/// Decodes hexadecimal digits.
pub(crate) fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// The files of the corpus with this extension in a folder and in those below it, up to `most`
/// bytes, with their names.
pub(crate) fn corpus(folder: &str, extension: &str, most: u64) -> Vec<(String, Vec<u8>)> {
    let all = unspool_corpus::files(folder, most);
    let is_there = !all.is_empty();
    let of_kind = all.into_iter().filter(|path| path.extension().is_some_and(|e| e == extension));
    let files: Vec<_> = of_kind.map(|path| (path.display().to_string(), fs::read(path).unwrap())).collect();
    assert!(!is_there || !files.is_empty());
    files
}
