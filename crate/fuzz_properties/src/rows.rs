//! Block databases of rvn: the scan of a table in the file, and the decoder of rows.

use unspool_formats::rvn::btree::Scan;
use unspool_formats::rvn::wire::{Metadata, SCHEMA, TABLES};
use unspool_formats::{FORMATS, open_row_records};
use unspool_trace::rows::{Cell, Shape};
use unspool_trace::{
    EventBatch, EventKind, Instructions, OpenOptions, Opened, Part, Query, RowDecoder, RowScan, Rows, records,
};

use crate::choices::Choices;
use crate::drive::{self, Delivered};

/// Rows of a table that are made of bytes at most.
const MOST_ROWS: usize = 2000;
/// Root pages of the table that are tried.
const ROOTS: [i64; 3] = [2, 4, 5];

/// A scan of `execution` ends, and what it returns is in order, wherever it begins.
pub(crate) fn scanned(file: &[u8]) {
    let [_, _, statement, ..] = SCHEMA;
    for root in ROOTS {
        let Some(mut scan) = Scan::of(statement, root, Some(file.len() as u64)) else { continue };
        let mut rows = Rows::default();
        rows.clear(scan.columns());
        let mut pages = 0;
        while let Some(range) = scan.want() {
            pages += 1;
            assert!(pages <= 2 + file.len() / 512, "reads a page twice");
            let _ = scan.push(drive::bytes(file, range), &mut rows);
        }
        assert!(rows.column(0).is_sorted_by(|a, b| a < b), "rows in order");
        assert_eq!(rows.column(0).len(), rows.column(1).len());
    }
}

/// Rows of a database give the same events in pages and batches of any size, as many lines of text,
/// and as many records.
pub(crate) fn decoded(bytes: &[u8]) {
    let database = Database::of(bytes);
    let mut choices = Choices::of(bytes);
    let Some((whole, decoder)) = decode(&database, || 1 << 16, 1 << 16) else { return };
    let capacity = 1 + choices.index(300);
    let parts = decode(&database, || 1 + choices.index(50), capacity);
    let (parts, other) = parts.unwrap_or_else(|| panic!("as many events in pages"));
    // Those of rows are found page by page, those of calls batch by batch.
    let problems = |all: &Delivered| {
        let mut problems: Vec<_> = all.problems.iter().map(|it| (it.at, it.kind.id(), it.value)).collect();
        problems.sort_unstable();
        problems
    };
    assert_eq!(problems(&whole), problems(&parts));
    assert_eq!((&whole.tracks, whole.records), (&parts.tracks, parts.records));
    assert_eq!(whole.names.len(), parts.names.len());
    for (track, (whole, parts)) in by_track(&whole).into_iter().zip(by_track(&parts)).enumerate() {
        let differ = whole.iter().zip(&parts).find(|(a, b)| a != b);
        assert_eq!(differ, None, "events of track {track}");
        assert_eq!(whole.len(), parts.len(), "events of track {track}");
    }
    assert_eq!(decoder.info(), other.info());

    let mut text = String::new();
    let mut printer = open();
    let is_printed = pull(
        &mut *printer,
        |query| database.rows(query),
        || 1 << 16,
        |printer| printer.print(&mut Part::default(), &mut text).map_err(drop),
    );
    if is_printed {
        // Interrupts have lines of their own.
        let runs = text.lines().filter(|line| line.starts_with("{\"begin\""));
        assert_eq!(runs.count() as u64, whole.records, "lines and block runs");
    }
    details(&database, &whole, &mut choices);
}

/// An event of a track: its kind, time, name and locator, and the end of a whole slice.
type Event<'a> = (EventKind, u64, &'a str, u64, Option<u64>);

/// The events of each track. Only their order on a track is defined.
fn by_track(all: &Delivered) -> Vec<Vec<Event<'_>>> {
    let mut tracks = vec![Vec::new(); all.tracks.len()];
    let mut ends = all.ends.iter().copied();
    for (kind, track, time, name, locator) in &all.events {
        let end = if *kind == EventKind::Whole { ends.next() } else { None };
        let name = all.names.get(*name as usize).map_or("", |name| name.text.as_str());
        tracks[*track as usize].push((*kind, *time, name, locator.bits(), end));
    }
    tracks
}

/// The decoder of block databases, with the disassembler.
pub(crate) fn open() -> Box<dyn RowDecoder> {
    let format = FORMATS.iter().find(|format| format.id == "rvn").unwrap_or_else(|| panic!("no format rvn"));
    match (format.open)(b"SQLite format 3\0", OpenOptions::default()) {
        Ok(Opened::Rows(mut decoder)) => {
            decoder.set_instructions(Box::new(Disassembler));
            decoder
        }
        _ => panic!("rvn is a database"),
    }
}

/// Drives a decoder with the rows of its queries. Returns false if it failed.
pub(crate) fn pull(
    decoder: &mut dyn RowDecoder,
    mut rows: impl FnMut(&Query) -> Rows,
    mut page: impl FnMut() -> usize,
    mut work: impl FnMut(&mut dyn RowDecoder) -> Result<bool, ()>,
) -> bool {
    let mut turns = 0;
    loop {
        turns += 1;
        assert!(turns < 1_000_000, "no progress");
        let Some(query) = decoder.want(page()) else { return true };
        if decoder.push(&mut rows(&query), false).is_err() {
            return false;
        }
        while decoder.opened() {
            match work(decoder) {
                Ok(true) => {}
                Ok(false) => break,
                Err(()) => return false,
            }
        }
    }
}

/// `None` if there is more than is worth comparing.
fn decode(
    database: &Database,
    page: impl FnMut() -> usize,
    capacity: usize,
) -> Option<(Delivered, Box<dyn RowDecoder>)> {
    let mut decoder = open();
    let mut all = Delivered::default();
    let mut batch = EventBatch::with_capacity(capacity);
    pull(
        &mut *decoder,
        |query| database.rows(query),
        page,
        |decoder| {
            let worked = decoder.work(&mut batch);
            all.take(&mut batch);
            if all.is_huge() { Err(()) } else { worked.map_err(drop) }
        },
    );
    decoder.finish(&mut batch);
    all.take(&mut batch);
    (!all.is_huge()).then_some((all, decoder))
}

/// Records and details are read without an error, and there are as many records as the lane says.
fn details(database: &Database, whole: &Delivered, choices: &mut Choices) {
    let mut reader = open_row_records("rvn").unwrap_or_else(|error| panic!("a reader: {error:?}"));
    reader.set_instructions(Box::new(Disassembler));
    while let Some(query) = reader.want() {
        if reader.push(&mut database.rows(&query)).is_err() {
            return;
        }
    }
    let lane = reader.lane();
    for _ in 0..4 {
        let first = choices.below(lane.rows);
        let wanted = first..first.saturating_add(1 + choices.below(100)).min(lane.rows);
        let found: Vec<Rows> = reader.queries(wanted.clone()).iter().map(|query| database.rows(query)).collect();
        let mut visitor = records::Rows::new(0, wanted.clone(), 64, 64);
        reader.visit(wanted.clone(), &found, &mut visitor);
        let rows = visitor.into_rows();
        assert!(rows.iter().map(|row| row.row).is_sorted_by(|a, b| a < b), "each row once");
        assert!(rows.iter().all(|row| wanted.contains(&row.row)));
    }
    for i in 0..16 {
        let event = whole.events.get(choices.index(whole.events.len())).filter(|_| i < 12);
        let locator = event.map_or(unspool_trace::Locator::from_bits(choices.extreme()), |event| event.4);
        let found: Vec<Rows> = reader.details_queries(locator).iter().map(|query| database.rows(query)).collect();
        reader.details(locator, &found);
        reader.details(locator, &[]);
    }
}

struct Disassembler;

impl Instructions for Disassembler {
    fn starts(&self, bits: u32, address: u64, code: &[u8]) -> Vec<u32> {
        unspool_disassembler::starts(bits, address, code)
    }
}

/// A database made of bytes: the tables of a block trace, whose rows are in the order of their
/// keys.
struct Database {
    blocks: Vec<(i64, [i64; 3], Vec<u8>)>,
    execution: Vec<Vec<i64>>,
    indices: Vec<Vec<i64>>,
    interrupts: Vec<Vec<i64>>,
    /// Number of tables that exist, as in the three schemas.
    tables: usize,
}

impl Database {
    /// Each command of a few bytes is a row.
    fn of(bytes: &[u8]) -> Self {
        let mut bytes = bytes.iter().copied();
        let mut made =
            Self { blocks: Vec::new(), execution: Vec::new(), indices: Vec::new(), interrupts: Vec::new(), tables: 5 };
        made.tables = 3 + usize::from(bytes.next().unwrap_or(2)) % 3;
        let mut at = 0_i64;
        while let Some(command) = bytes.next() {
            let mut number = || {
                let (kind, low) = (bytes.next().unwrap_or(0), i64::from(bytes.next().unwrap_or(0)));
                match kind {
                    0..=199 => low,
                    200..=215 => low << 12,
                    216..=225 => low << 50,
                    226..=235 => -low,
                    236..=245 => i64::MAX - low,
                    _ => i64::MIN + low,
                }
            };
            match command % 8 {
                0 => {
                    let next = made.blocks.last().map_or(1, |block| block.0.saturating_add(1));
                    let head = [number(), number() % 64, number() % 8];
                    let len = usize::from(command >> 3);
                    made.blocks.push((next, head, bytes.by_ref().take(len).collect()));
                }
                1 => made.indices.push(vec![number(), number(), number()]),
                2 => made.interrupts.push(vec![number(), number(), number(), number(), number() & 1, number()]),
                3 => {
                    at = at.wrapping_add(number());
                    made.execution.push(vec![at, number()]);
                }
                _ => {
                    at = at.saturating_add(1 + i64::from(command >> 4));
                    made.execution.push(vec![at, i64::from(bytes.next().unwrap_or(0) % 16)]);
                }
            }
        }
        for (table, keys) in [(&mut made.execution, 1), (&mut made.indices, 2), (&mut made.interrupts, 1)] {
            table.sort();
            table.dedup_by(|a, b| a[..keys] == b[..keys]);
            table.truncate(MOST_ROWS);
        }
        made
    }

    /// What SQLite would return.
    fn rows(&self, query: &Query) -> Rows {
        let mut rows = Rows::default();
        let rest = query.rest.as_str();
        let limit = words_after(rest, "limit ").first().map_or(usize::MAX, |limit| *limit as usize);
        match query.shape {
            Shape::Ints { .. } => {
                rows.clear(query.select.len());
                let table = match () {
                    () if rest.contains("from execution") => &self.execution,
                    () if rest.contains("from interrupts") => &self.interrupts,
                    () => &self.indices,
                };
                let is_wanted = |row: &&Vec<i64>| {
                    let key = row[0];
                    let holds = |sign: &str, test: fn(&i64, &i64) -> bool| {
                        words_after(rest, &format!("transition_id{sign}")).iter().all(|number| test(&key, number))
                    };
                    let pair = words_after(rest, "instruction_id)>(");
                    holds(">=", i64::ge)
                        && holds("<=", i64::le)
                        && holds(">", i64::gt)
                        && holds("<", i64::lt)
                        && (pair.len() < 2 || row[..2] > pair[..2])
                };
                let mut found: Vec<_> = table.iter().filter(is_wanted).collect();
                if rest.contains(" desc") {
                    found.reverse();
                }
                for row in found.into_iter().take(limit) {
                    rows.ints.iter_mut().zip(row).for_each(|(column, number)| column.push(*number));
                }
            }
            Shape::Cells => rows.cells = self.cells(rest).into_iter().take(limit).collect(),
        }
        rows
    }

    fn cells(&self, rest: &str) -> Vec<Vec<Cell>> {
        if rest.contains("sqlite_schema") {
            let table = |(i, (name, sql)): (i64, ((&str, usize), &str))| {
                vec![Cell::Text(name.0.into()), Cell::Int(i), Cell::Text(sql.into()), Cell::Int(0)]
            };
            return (2..).zip(TABLES.into_iter().zip(SCHEMA)).take(self.tables).map(table).collect();
        }
        if rest.contains("_metadata") {
            let [tool, tool_version, tool_info] = ["tool", "1", ""].map(String::from);
            let metadata = Metadata { version: 1, format: "1.0.0".into(), tool, tool_version, tool_info, date: 0 };
            return vec![metadata.row()];
        }
        if rest == "from execution" {
            return vec![vec![self.execution.last().map_or(Cell::Null, |row| Cell::Int(row[0]))]];
        }
        let after = words_after(rest, "rowid>").first().copied();
        let wanted = self.blocks.iter().filter(|block| after.is_none_or(|after| block.0 > after));
        let row = |(id, [pc, count, mode], data): &(i64, [i64; 3], Vec<u8>)| {
            vec![Cell::Int(*id), Cell::Int(*pc), Cell::Blob(data.clone()), Cell::Int(*count), Cell::Int(*mode)]
        };
        wanted.map(row).collect()
    }
}

/// The numbers after the first occurrence of `what` that a number follows, as far as they are
/// separated by commas.
fn words_after(text: &str, what: &str) -> Vec<i64> {
    text.match_indices(what)
        .map(|(at, _)| &text[at + what.len()..])
        .map(|rest| {
            let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-' || c == ',')).unwrap_or(rest.len());
            rest[..end].split(',').map_while(|number| number.parse().ok()).collect::<Vec<i64>>()
        })
        .find(|numbers| !numbers.is_empty())
        .unwrap_or_default()
}
