//! Lists of records, compared with a full pass over the file.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use proptest::prelude::*;
use unspool_filter::pattern::Linked;
use unspool_filter::{Beginnings, Search};
use unspool_filter::{RecordQuery, RecordTest};
use unspool_formats::apitrace::encode::{FunctionSig, Value as Arg};
use unspool_formats::frames::encode::{Frame, Std, Table};
use unspool_formats::trace_db::wire::{Layout, StatementId, Tables, Type};
use unspool_formats::xray::encode::{FdrBuffer, basic_log, header};
use unspool_formats::xray::wire::{Basic, FunctionKind, Mode};
use unspool_formats::{apitrace, frames, open_records, trace_db};
use unspool_records::memory::read_all;
use unspool_records::{Beside, ByTrack, ByteSource, List, RecordReader, Scope, TraceErrorOut};
use unspool_trace::records::Row;
use unspool_trace::{Locator, Record, TrackId, Visitor};

use crate::common::{corpus_of, fixture, read_whole};

const ALL: Scope = Scope { range: None, tracks: None };

/// What identifies a record of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    x: u64,
    lane: u32,
    row: u64,
    track: TrackId,
    locator: Locator,
}

impl From<&Row> for Key {
    fn from(row: &Row) -> Self {
        Self { x: row.x, lane: row.lane, row: row.row, track: row.track, locator: row.locator }
    }
}

/// Collects all records of a pass.
#[derive(Default)]
struct Keys(Vec<Key>);

impl Visitor for Keys {
    fn begin(&mut self, record: &Record<'_>) -> bool {
        let &Record { x, lane, row, track, locator, .. } = record;
        self.0.push(Key { x, lane, row, track, locator });
        false
    }
}

/// A file that counts what is read of it, and that may end early or become unreadable.
#[derive(Clone)]
struct Source {
    file: Rc<Vec<u8>>,
    read: Rc<Cell<u64>>,
    calls: Rc<Cell<u64>>,
    end: Rc<Cell<u64>>,
    is_gone: Rc<Cell<bool>>,
}

impl Source {
    fn new(file: &[u8]) -> Self {
        let end = Rc::new(Cell::new(file.len() as u64));
        Self { file: Rc::new(file.to_vec()), read: Rc::default(), calls: Rc::default(), end, is_gone: Rc::default() }
    }

    /// Bytes read since the last call.
    fn taken(&self) -> u64 {
        self.read.take()
    }
}

impl ByteSource for Source {
    fn read_at(&self, at: u64, buffer: &mut [u8]) -> Option<usize> {
        self.calls.set(self.calls.get() + 1);
        if self.is_gone.get() {
            return None;
        }
        let all = &self.file[..self.end.get() as usize];
        let rest = all.get(at as usize..).unwrap_or_default();
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        self.read.set(self.read.get() + n as u64);
        Some(n)
    }
}

/// A trace with its reader and all of its records.
struct Trace {
    name: String,
    reader: RecordReader,
    source: Source,
    /// By lane and row.
    all: Vec<Key>,
    /// Whether each lane is sorted by position.
    is_sorted: bool,
    lanes: usize,
}

impl Trace {
    fn new(name: &str, file: &[u8]) -> Self {
        let session = read_whole(file);
        let (format, index) = (session.format().id, session.index());
        let source = Source::new(file);
        let reader = RecordReader::open(format, &index, Box::new(source.clone())).unwrap();
        let records = open_records(format, &index).unwrap();
        let mut keys = Keys::default();
        read_all(records.pass(0..u32::MAX).as_mut(), file, usize::MAX, &mut keys).unwrap();
        let mut all = keys.0;
        all.sort_by_key(|key| (key.lane, key.row));
        let lanes = records.lanes();
        assert_eq!(all.len() as u64, lanes.iter().map(|lane| lane.rows).sum::<u64>(), "{name}");
        let is_sorted = lanes.iter().all(|lane| lane.sorted);
        Self { name: name.into(), reader, source, all, is_sorted, lanes: lanes.len() }
    }

    /// The complete list of a scope.
    fn list(&mut self, scope: &Scope) -> List {
        self.list_of(scope, None)
    }

    /// The complete list of a scope, narrowed by a filter.
    fn list_of(&mut self, scope: &Scope, filter: Option<Search>) -> List {
        let mut list = self.reader.list(scope, filter).unwrap();
        let mut steps = 0;
        let mut before = 0;
        while !self.reader.advance(&mut list).unwrap() {
            let (done, all) = list.progress();
            assert!(done < all, "{}", self.name);
            let (at, of) = self.reader.reached(&list);
            assert!(before <= at && at < of, "{}", self.name);
            before = at;
            steps += 1;
            assert!(steps < 100_000, "{}", self.name);
        }
        list
    }

    /// The records of a scope, in the order of the list.
    fn expected(&self, scope: &Scope, list: &List, only: Option<&Beginnings>) -> Vec<Key> {
        let is_in = |key: &&Key| {
            only.is_none_or(|only| only.binary_search(&(key.locator.bits(), key.x)).is_ok())
                && scope
                    .range
                    .as_ref()
                    .is_none_or(|range| range.contains(&key.x) || range.end == u64::MAX && key.x == u64::MAX)
                && scope.tracks.as_ref().is_none_or(|tracks| tracks.contains(&key.track))
        };
        let mut keys: Vec<Key> = self.all.iter().filter(is_in).copied().collect();
        if list.is_in_order() && self.lanes > 1 {
            keys.sort();
        }
        keys
    }

    /// Checks the list of a scope: its length, rows everywhere, and the number of every `every`th
    /// record.
    fn check(&mut self, scope: &Scope, every: usize) {
        self.check_of(scope, every, None);
        if let Some(range) = &scope.range {
            self.check_pieces(range);
        }
    }

    /// Checks that the pieces said to cover a range have all of its records.
    fn check_pieces(&mut self, range: &Range<u64>) {
        let mut expected: Vec<Key> = self.all.iter().filter(|key| range.contains(&key.x)).copied().collect();
        expected.sort_unstable();
        let pieces = self.reader.covering(range);
        let mut seen = Keys::default();
        let mut next = pieces.start;
        while next < pieces.end {
            next = self.reader.visit_all(next, 1, &mut seen).unwrap();
        }
        let mut within: Vec<Key> = seen.0.into_iter().filter(|key| range.contains(&key.x)).collect();
        within.sort_unstable();
        assert!(within == expected, "{} {range:?}: {pieces:?}", self.name);
    }

    /// Checks lists of a scope that are narrowed by filters.
    fn check_narrowed(&mut self, scope: &Scope, every: usize) {
        // A filter that leaves many records, one that leaves few, and one that leaves some at the
        // end.
        let some = |from: usize, step: usize| {
            let mut keys: Beginnings =
                self.all.iter().skip(from).step_by(step).map(|key| (key.locator.bits(), key.x)).collect();
            keys.sort_unstable();
            keys
        };
        for only in [some(1, 3), some(5, 701), some(self.all.len() - self.all.len() / 50, 2)] {
            self.check_of(scope, every, Some(&only));
        }
    }

    fn check_of(&mut self, scope: &Scope, every: usize, only: Option<&Beginnings>) {
        let query = RecordQuery { tests: vec![RecordTest::Begins(0)], branches: vec![vec![(true, 0)]] };
        let filter =
            only.map(|only| Search::new(&query, std::slice::from_ref(only), None, &Linked, |n| n.to_string()).unwrap());
        let mut list = self.list_of(scope, filter);
        let expected = self.expected(scope, &list, only);
        let what = format!("{} {scope:?} {:?}", self.name, only.map(Vec::len));
        assert_eq!(list.len(), expected.len() as u64, "{what}");
        assert_eq!(list.is_empty(), expected.is_empty());
        // From the beginning to the end, if that is not much, and at places in no order.
        let len = expected.len();
        let mut places: Vec<(usize, u32)> = vec![(0, 37), (len.saturating_sub(20), 200), (len, 1), (len + 5, 3)];
        if len < 4000 {
            places.extend((0..len).step_by(37).map(|at| (at, 37)));
            places.extend((0..len).step_by(200).map(|at| (at, 200)));
        }
        let mut seed = 1_u64;
        for count in [1, 37, 200, 1, 37, 200] {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            places.push(((seed >> 33) as usize % len.max(1), count));
        }
        for (first, count) in places {
            let rows = self.reader.rows_of(&mut list, first as u64, count).unwrap();
            let rows: Vec<Key> = rows.iter().map(Key::from).collect();
            let wanted = &expected[first.min(len)..(first + count as usize).min(len)];
            assert!(rows == wanted, "{what}: {count} from {first}: {rows:?}, expected {wanted:?}");
        }
        for (number, key) in expected.iter().enumerate().step_by(every) {
            let row = self.reader.row_at(&mut list, key.x, Some(key.track), Some(key.locator)).unwrap();
            assert_eq!(row, Some(number as u64), "{what}: {key:?}");
        }
        // Without a locator, and for records that the list lacks.
        let mut sought: Vec<u64> = self.all.iter().step_by(every * 3 + 1).map(|key| key.x).collect();
        sought.extend([0, 1, u64::MAX]);
        for x in sought.iter().flat_map(|x| [*x, x.saturating_add(1), x.saturating_sub(1)]) {
            let row = self.reader.row_at(&mut list, x, None, None).unwrap();
            let first = expected.iter().position(|key| key.x >= x);
            match self.is_sorted && list.is_in_order() {
                true => assert_eq!(row, first.map(|at| at as u64), "{what}: {x}"),
                // The first one in the lane that is at or after the position may be out of scope.
                false => assert!(row.is_none_or(|row| row < list.len()), "{what}: {x}"),
            }
        }
        if self.is_sorted && list.is_in_order() {
            let in_scope = self.expected(scope, &list, None);
            let lanes: Vec<u32> = in_scope.iter().map(|key| key.lane).collect::<BTreeSet<_>>().into_iter().collect();
            for key in self.all.iter().step_by(every * 5 + 1) {
                let row = self.reader.row_at(&mut list, key.x, Some(key.track), Some(key.locator)).unwrap();
                let at_or_after =
                    expected.iter().position(|other| (other.x, other.lane, other.row) >= (key.x, key.lane, key.row));
                let first = expected.iter().position(|other| other.x >= key.x);
                let wanted = if lanes.contains(&key.lane) { at_or_after } else { first };
                assert_eq!(row, wanted.map(|at| at as u64), "{what}: {key:?}");
            }
        }
    }

    /// Checks the records of each track by their numbers, wherever they were counted.
    fn check_by_track(&mut self) {
        let mut alone = ByTrack::new(self.reader.lanes());
        let mut share = 0.0;
        while let Some(next) = self.reader.count_tracks(&mut alone).unwrap() {
            assert!(share < next && next < 1.0, "{}: {next}", self.name);
            share = next;
        }
        let mut beside = ByTrack::new(self.reader.lanes());
        let mut seen = Keys::default();
        let mut next = 0;
        while self.reader.covered(next).0 < self.reader.covered(next).1 {
            let mut visitor = Beside { by_track: Some(&mut beside), of: &mut seen };
            next = self.reader.visit_all(next, 3, &mut visitor).unwrap();
        }
        beside.finish();
        assert_eq!(seen.0.len(), self.all.len());
        for track in self.tracks().into_iter().chain([9999]) {
            let expected: Vec<Key> = self.all.iter().filter(|key| key.track == track).copied().collect();
            let len = expected.len();
            for first in [0, 1, len / 3, len / 2 + 1, len.saturating_sub(20), len, len + 7] {
                for (by_track, count) in [(&alone, 1), (&beside, 37), (&beside, 3000)] {
                    let rows = self.reader.rows_of_track(by_track, track, first as u64, count).unwrap();
                    let rows: Vec<Key> = rows.iter().map(Key::from).collect();
                    let wanted = &expected[first.min(len)..(first + count as usize).min(len)];
                    assert!(rows == wanted, "{}, track {track}: {count} from {first}", self.name);
                }
            }
        }
    }

    fn tracks(&self) -> Vec<TrackId> {
        self.all.iter().map(|key| key.track).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Checks lists of several scopes.
    fn check_scopes(&mut self, every: usize) {
        self.check(&ALL, every);
        self.check_narrowed(&ALL, every);
        self.check_by_track();
        let tracks = self.tracks();
        let xs: Vec<u64> = {
            let mut xs: Vec<u64> = self.all.iter().map(|key| key.x).collect();
            xs.sort_unstable();
            xs
        };
        let at = |share: usize| xs.get(xs.len() * share / 8).copied().unwrap_or(0);
        let (first, last) = (xs.first().copied().unwrap_or(0), xs.last().copied().unwrap_or(0));
        let ranges = [
            at(2)..at(5),
            at(3)..at(3) + 1,
            at(4)..at(4),
            0..first,
            0..first + 1,
            last..last + 1,
            last + 1..u64::MAX,
            at(6)..u64::MAX,
            0..u64::MAX,
            at(5) + 1..at(5) + 40,
        ];
        for range in &ranges {
            self.check(&Scope { range: Some(range.clone()), tracks: None }, every);
        }
        self.check_narrowed(&Scope { range: Some(at(2)..at(5)), tracks: None }, every);
        let some = |tracks: &[TrackId]| Some(tracks.to_vec());
        if let [first, ..] = *tracks {
            self.check_narrowed(&Scope { range: Some(at(1)..at(6)), tracks: some(&[first]) }, every);
        }
        for track in tracks.iter().take(6) {
            self.check(&Scope { range: None, tracks: some(&[*track]) }, every);
            self.check(&Scope { range: Some(at(1)..at(6)), tracks: some(&[*track]) }, every);
        }
        if let [first, .., last] = *tracks {
            self.check(&Scope { range: None, tracks: some(&[last, first]) }, every);
            self.check(&Scope { range: Some(at(3)..at(7)), tracks: some(&[first, last, 9999]) }, every);
        }
        self.check(&Scope { range: None, tracks: some(&[9999]) }, every);
        self.check(&Scope { range: None, tracks: some(&[]) }, every);
    }
}

/// A log of several threads.
#[derive(Clone, Copy)]
struct Log {
    threads: i32,
    buffers: u64,
    records: u64,
    step: u64,
    is_disordered: bool,
    /// Clocks are rounded down to a multiple of this.
    grain: u64,
}

impl Log {
    fn file(&self) -> Vec<u8> {
        let mut buffers = Vec::new();
        for number in 0..self.buffers {
            for thread in 1..=self.threads {
                let clock = |i: u64| (1000 + (number * self.records + i) * self.step) / self.grain * self.grain;
                let mut b = FdrBuffer::new(1, thread, 0, clock(0), (1, 0));
                for i in 0..self.records {
                    let func = (i / 2 % 40) as u32 + 1;
                    match i % 8 {
                        0 => {
                            b.function(FunctionKind::EnterArgs, func, clock(i));
                            b.argument(i);
                        }
                        6 => b.event(Some(3), clock(i), &[7; 20]),
                        _ if i % 2 == 0 => b.function(FunctionKind::Enter, func, clock(i)),
                        _ => b.function(FunctionKind::Exit, func, clock(i)),
                    }
                }
                buffers.push(b.finish());
            }
        }
        if self.is_disordered {
            // A ring that begins in the middle, with some buffers swapped.
            let half = buffers.len() / 2 + 1;
            buffers.rotate_left(half);
            let len = buffers.len();
            for i in (0..len.saturating_sub(5)).step_by(7) {
                buffers.swap(i, i + 5);
            }
        }
        let mut file = header(Mode::Fdr, 1_000_000_000, 1 << 22).to_bytes().to_vec();
        file.extend(buffers.concat());
        file
    }
}

#[test]
fn logs_of_several_threads() {
    let base = Log { threads: 3, buffers: 4, records: 300, step: 10, is_disordered: false, grain: 1 };
    Trace::new("in order", &base.file()).check_scopes(1);
    Trace::new("disordered", &Log { is_disordered: true, buffers: 9, ..base }.file()).check_scopes(3);
    Trace::new("long buffers", &Log { records: 16_000, buffers: 2, ..base }.file()).check_scopes(997);
    Trace::new("equal clocks", &Log { step: 0, ..base }.file()).check_scopes(17);
    Trace::new("coarse", &Log { grain: 5000, buffers: 9, is_disordered: true, ..base }.file()).check_scopes(17);
    Trace::new("coarse and long", &Log { grain: 100_000, records: 16_000, buffers: 2, ..base }.file())
        .check_scopes(1999);
    Trace::new("long and equal", &Log { step: 0, records: 16_000, buffers: 2, ..base }.file()).check_scopes(1999);
}

#[test]
fn many_threads_come_one_after_the_other() {
    let log = Log { threads: 70, buffers: 2, records: 20, step: 10, is_disordered: true, grain: 1 };
    let mut trace = Trace::new("many threads", &log.file());
    let list = trace.list(&ALL);
    assert!(!list.is_in_order());
    trace.check_scopes(17);
    // A record that is not in a track of its own is sought in the first track that goes on at the
    // position.
    let mut list = trace.list(&ALL);
    let late = trace.all[35].x;
    assert_eq!(trace.reader.row_at(&mut list, late, None, None).unwrap(), Some(35));
    let other = trace.all[75];
    assert_eq!(trace.reader.row_at(&mut list, other.x, Some(other.track), None).unwrap(), Some(75));
}

fn basic(records: u64, threads: u64, is_sorted: bool) -> Vec<u8> {
    let mut all = Vec::new();
    for i in 0..records {
        let tid = (i / 3 % threads) as u32 + 1;
        let clock = if is_sorted { 1000 + i / 5 } else { 1000 + (i * 7919) % 5000 + i };
        let kind = if i % 2 == 0 { FunctionKind::EnterArgs } else { FunctionKind::Exit };
        all.push(Basic::Function { cpu: 1, kind: Ok(kind), func: 7, clock, tid, pid: 9 });
        if i % 2 == 0 {
            all.push(Basic::Argument { func: 7, tid, pid: 9, value: i });
        }
    }
    basic_log(0, &all)
}

#[test]
fn logs_without_buffers() {
    Trace::new("sorted", &basic(9000, 3, true)).check_scopes(97);
    let mut trace = Trace::new("not sorted", &basic(9000, 3, false));
    assert!(!trace.is_sorted);
    trace.check_scopes(97);
    // The first record at or after a position.
    let mut list = trace.list(&ALL);
    for x in [0, 1000, 3000, 9000, 13_000, 99_999] {
        let first = trace.all.iter().position(|key| key.x >= x).map(|at| at as u64);
        assert_eq!(trace.reader.row_at(&mut list, x, None, None).unwrap(), first, "{x}");
    }
}

#[test]
fn fixtures_of_all_formats() {
    for name in [
        "xray/threads.xray",
        "xray/events.xray",
        "xray/truncated.xray",
        "xray/coarse.xray",
        "apitrace/scene.trace",
        "apitrace/scene.gzip.trace",
        "apitrace/scene.zstd.trace",
        "apitrace/scene.brotli.trace",
        "apitrace/scene.seekable.trace",
        "apitrace/before_first_flush.trace",
        "apitrace/cut.trace",
        "apitrace/values.trace",
        "frames/calls.frames",
        "frames/streamed.frames",
        "frames/mips.frames",
        "frames/plugin.frames",
        "frames/cut.frames",
        "trace_db/variables.trace",
        "trace_db/narrow.trace",
        "trace_db/cut.trace",
        "trace_db/values.trace",
    ] {
        Trace::new(name, &fixture(name)).check_scopes(17);
    }
}

#[test]
fn the_record_at_a_position_is_found_without_a_list() {
    for name in ["apitrace/scene.trace", "frames/calls.frames", "trace_db/variables.trace", "xray/threads.xray"] {
        let mut trace = Trace::new(name, &fixture(name));
        for key in trace.all.clone().iter().step_by(7) {
            let others: Vec<Key> = trace.all.iter().filter(|other| other.x == key.x).copied().collect();
            let found = trace.reader.at(key.x, Some(key.track)).unwrap().unwrap();
            assert_eq!((found.x, found.track), (key.x, key.track), "{name}");
            let found = Key::from(&trace.reader.at(key.x, None).unwrap().unwrap());
            assert!(others.contains(&found), "{name}: {found:?}");
        }
        assert!(trace.reader.at(u64::MAX, None).unwrap().is_none(), "{name}");
    }
    // A basic log has the records of all threads in no order.
    let mut trace = Trace::new("basic", &basic(1000, 3, false));
    assert!(trace.reader.at(5, None).unwrap().is_none());
}

#[test]
fn files_of_the_corpus() {
    for (format, most) in [("xray", 100_000), ("apitrace", 100_000), ("frames", 300_000), ("trace-db", 60_000)] {
        for (path, file) in corpus_of(format, most) {
            let name = path.display().to_string();
            // These files are too large once decompressed for a comparison with everything.
            if name.contains("hostile") {
                continue;
            }
            Trace::new(&name, &file).check_scopes(499);
        }
    }
}

#[test]
fn a_screen_reads_little() {
    // 8 threads, several pieces a buffer, 4 MB and more.
    let log = Log { threads: 8, buffers: 6, records: 7000, step: 10, is_disordered: true, grain: 1 };
    let file = log.file();
    assert!(file.len() > 4_000_000, "{}", file.len());
    let mut trace = Trace::new("large", &file);
    let screen = 8 * 3 * (32 + 8) * 1024 + 8 * 40 * 1024;
    let mut list = trace.list(&ALL);
    assert_eq!(trace.source.taken(), 0, "the whole list needs nothing");
    for i in 0..40 {
        let first = list.len() * (i * 7 % 40) / 40;
        assert_eq!(trace.reader.rows_of(&mut list, first, 50).unwrap().len(), 50);
        let taken = trace.source.taken();
        assert!(taken <= screen, "{taken} bytes for a screen at {first}");
        let key = trace.all[first as usize];
        trace.reader.row_at(&mut list, key.x, Some(key.track), Some(key.locator)).unwrap();
        let taken = trace.source.taken();
        assert!(taken <= screen, "{taken} bytes for the place of {key:?}");
    }
    let middle = trace.all[trace.all.len() / 2].x;
    trace.list(&Scope { range: Some(middle..middle + 1000), tracks: None });
    let taken = trace.source.taken();
    assert!(taken <= 2 * screen, "{taken} bytes for a range");

    let mut trace = Trace::new("basic", &basic(100_000, 3, true));
    let mut list = trace.list(&ALL);
    assert_eq!(trace.reader.rows_of(&mut list, 50_000, 50).unwrap().len(), 50);
    let taken = trace.source.taken();
    assert!(taken <= 512 * 1024, "{taken} bytes for a screen");
}

#[test]
fn a_file_that_shrinks_or_vanishes() {
    let log = Log { threads: 3, buffers: 3, records: 9000, step: 10, is_disordered: true, grain: 1 };
    let mut files: Vec<(String, Vec<u8>)> = vec![
        ("log".into(), log.file()),
        ("basic".into(), basic(9000, 3, true)),
        ("unsorted".into(), basic(9000, 2, false)),
    ];
    for name in ["apitrace/scene.trace", "apitrace/scene.zstd.trace", "frames/calls.frames", "trace_db/variables.trace"]
    {
        files.push((name.into(), fixture(name)));
    }
    for (name, file) in files {
        for share in [0, 1, 5, 9] {
            let mut trace = Trace::new(&name, &file);
            let mut list = trace.list(&ALL);
            trace.source.end.set(file.len() as u64 * share / 10);
            let is_unreadable =
                |kind: &str| assert!(["unreadable", "truncated", "malformed"].contains(&kind), "{name}: {kind}");
            for first in (0..list.len()).step_by(1 + list.len() as usize / 20) {
                match trace.reader.rows_of(&mut list, first, 50) {
                    Ok(rows) => assert!(rows.len() <= 50),
                    Err(error) => is_unreadable(error.kind),
                }
            }
            let key = trace.all[trace.all.len() / 2];
            for scope in [Some(key.x..key.x + 100), None].map(|range| Scope { range, tracks: Some(vec![key.track]) }) {
                match trace.reader.list(&scope, None) {
                    Ok(mut list) => {
                        let mut steps = 0;
                        while steps < 1000 && trace.reader.advance(&mut list).is_ok_and(|is_done| !is_done) {
                            steps += 1;
                        }
                        assert!(steps < 1000, "{name} is never complete");
                    }
                    Err(error) => is_unreadable(error.kind),
                }
            }
            if let Err(error) = trace.reader.row_at(&mut list, key.x, Some(key.track), Some(key.locator)) {
                is_unreadable(error.kind);
            }
            if let Err(error) = numbered(&mut trace.reader, key.track) {
                is_unreadable(error.kind);
            }
            // Nothing panics, and nothing is read forever.
            drop(trace.reader.details(key.locator));
            assert!(trace.source.calls.get() < 10_000, "{name}: {} reads", trace.source.calls.get());

            let mut trace = Trace::new(&name, &file);
            let mut list = trace.list(&ALL);
            trace.source.is_gone.set(true);
            match trace.reader.rows_of(&mut list, 0, 5) {
                Err(error) => assert_eq!(error.kind, "unreadable", "{name}"),
                // The index has the whole stream if its container has no random access.
                Ok(_) => assert_eq!(name, "apitrace/scene.zstd.trace"),
            }
        }
    }
}

/// Some records of a track by their numbers.
fn numbered(reader: &mut RecordReader, track: TrackId) -> Result<Vec<Row>, TraceErrorOut> {
    let mut by_track = ByTrack::new(reader.lanes());
    let mut steps = 0;
    while reader.count_tracks(&mut by_track)?.is_some() {
        steps += 1;
        assert!(steps < 10_000);
    }
    reader.rows_of_track(&by_track, track, 10, 50)
}

/// Flips bytes of an index. A reader may refuse it; else it must not panic, hang or take much
/// memory.
fn survives(format: &str, index: &[u8], file: &[u8]) {
    let Ok(mut reader) = RecordReader::open(format, index, Box::new(file.to_vec())) else { return };
    let scopes = [
        ALL,
        Scope { range: Some(1000..3000), tracks: None },
        Scope { range: None, tracks: Some(vec![0, 1, 2]) },
        Scope { range: Some(5..u64::MAX), tracks: Some(vec![1]) },
    ];
    for scope in scopes {
        let Ok(mut list) = reader.list(&scope, None) else { continue };
        let mut steps = 0;
        while reader.advance(&mut list).is_ok_and(|is_done| !is_done) {
            steps += 1;
            assert!(steps < 10_000);
        }
        for first in [0, list.len() / 2, list.len().saturating_sub(10)] {
            drop(reader.rows_of(&mut list, first, 30));
            drop(reader.row_at(&mut list, first, Some(1), Some(Locator::at(first))));
        }
        drop(reader.row_at(&mut list, u64::MAX, None, None));
    }
    for track in 0..3 {
        drop(numbered(&mut reader, track));
    }
    for locator in (0..40).map(|i| i * file.len() as u64 / 40).chain([u64::MAX]) {
        drop(reader.details(Locator::from_bits(locator)));
        drop(reader.details(Locator::from_bits(!locator)));
    }
}

/// Some small traces, with their indexes.
fn small_traces() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let log = Log { threads: 3, buffers: 3, records: 60, step: 10, is_disordered: true, grain: 1 };
    let fixtures = [
        "apitrace/values.trace",
        "apitrace/scene.zstd.trace",
        "apitrace/scene.gzip.trace",
        "frames/mips.frames",
        "frames/calls.frames",
        "trace_db/variables.trace",
    ];
    let files = [log.file(), basic(100, 3, true), basic(100, 3, false)].into_iter().chain(fixtures.map(fixture));
    let trace = |file: Vec<u8>| {
        let session = read_whole(&file);
        (session.format().id, session.index(), file)
    };
    files.map(trace).collect()
}

/// A range or none, and tracks or none.
fn any_scope() -> impl Strategy<Value = Scope> {
    let range = prop::option::of((0u64..40_000, 0u64..40_000));
    let tracks = prop::option::of(prop::collection::vec(0u32..6, 0..4));
    (range, tracks).prop_map(|(range, tracks)| Scope { range: range.map(|(a, b)| a.min(b)..a.max(b)), tracks })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_scope_of_any_log(
        seed in prop::collection::vec((1i32..5, 0u64..20_000, prop::collection::vec((0u8..6, 0u64..400), 0..60)), 1..20),
        grain in prop::sample::select(vec![1u64, 1, 100, 10_000]),
        scopes in prop::collection::vec(any_scope(), 1..4),
    ) {
        let mut file = header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec();
        for (thread, begin, records) in seed {
            let mut clock = begin;
            let mut b = FdrBuffer::new(1, thread, 0, clock / grain * grain, (1, 1));
            for (what, step) in records {
                clock += step;
                let now = clock / grain * grain;
                match what {
                    0 | 1 => b.function(FunctionKind::Enter, 5, now),
                    2 | 3 => b.function(FunctionKind::Exit, 5, now),
                    4 => b.event(None, now, b"payload"),
                    _ => b.cpu(2, now.saturating_sub(50)),
                }
            }
            file.extend(b.finish());
        }
        let mut trace = Trace::new("any log", &file);
        for scope in scopes.iter().chain([&ALL]) {
            trace.check(scope, 3);
        }
    }
}

#[test]
fn a_damaged_index_does_no_harm() {
    let traces = small_traces();
    let mut seed = 7_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for (format, index, file) in &traces {
        let cases = if std::env::var_os("UNSPOOL_LONG").is_some() { 20_000 } else { 150 };
        for _ in 0..cases {
            let mut damaged = index.clone();
            for _ in 0..1 + random(3) {
                let at = random(damaged.len());
                damaged[at] = random(256) as u8;
            }
            survives(format, &damaged, file);
        }
        for i in 0..40 {
            survives(format, &index[..index.len() * i / 40], file);
        }
    }
}

/// Every record of a file is listed once, also in a scope of the last third, and the longest has
/// its fields.
fn check_long(name: &str, file: &[u8]) {
    let mut trace = Trace::new(name, file);
    assert!(trace.all.len() >= 3, "{name}: {} records", trace.all.len());
    trace.check_scopes(1);
    assert!(trace.source.calls.get() < 3000, "{name}: {} reads", trace.source.calls.get());
}

#[test]
fn long_records_of_xray() {
    let mut b = FdrBuffer::new(1, 2, 0, 1000, (1, 2));
    b.function(FunctionKind::Enter, 1, 1000);
    b.event(None, 1010, &vec![5; 5_000_000]);
    b.function(FunctionKind::EnterArgs, 1, 1020);
    for i in 0..50_000 {
        b.argument(i);
    }
    b.function(FunctionKind::Exit, 1, 1030);
    b.event(Some(4), 1040, &vec![6; 3_000_000]);
    let mut file = header(Mode::Fdr, 1_000_000_000, 1 << 24).to_bytes().to_vec();
    file.extend(b.finish());
    check_long("long events", &file);
}

#[test]
fn long_records_of_apitrace() {
    let draw = FunctionSig { id: 1, name: "glBufferData", args: &["size", "data"] };
    let blob: Vec<u8> = (0..5_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut w = apitrace::encode::Writer::new(&[]);
    for i in 0..6 {
        let bytes = if i % 2 == 1 { &blob } else { &blob[..10] };
        w.call(i % 2, &draw, vec![Arg::Uint(i), Arg::Blob(bytes)], None);
    }
    let stream = w.stream().to_vec();
    check_long("long blobs", &w.finish());
    // A single chunk of several MB.
    check_long("long chunk", &apitrace::encode::snappy(&stream, 1 << 23));
}

#[test]
fn long_records_of_frames() {
    let mut w = frames::encode::Writer::new(2, 9, 64, None);
    for i in 0..5_usize {
        let bytes = vec![0x90; if i % 2 == 1 { 3_000_000 } else { 1 }];
        w.frame(&Frame::Std(Std { address: 0x1000 + i as u64, thread: 1, bytes, ..Std::default() }));
    }
    check_long("long frames", &w.finish(Table::Tracewrap(2)));
}

#[test]
fn a_frame_of_the_greatest_length_is_listed() {
    let mut w = frames::encode::Writer::new(2, 9, 64, None);
    for len in [1, (64 << 20) - 100, 1] {
        let bytes = vec![0x90; len];
        w.frame(&Frame::Std(Std { address: 0x1000, thread: 1, bytes, ..Std::default() }));
    }
    let file = w.finish(Table::None);
    let mut trace = Trace::new("longest frame", &file);
    let mut list = trace.list(&ALL);
    assert_eq!(trace.reader.rows_of(&mut list, 0, 5).unwrap().len(), 3);
}

#[test]
fn long_points_of_trace_db() {
    let types = [Type { name: 0, format: 1, size: 4 }, Type { name: 1, format: 4, size: 0 }];
    let mut w = trace_db::encode::Writer::new(Layout::Wide, Tables::new([b"int".as_slice(), b"string", b"x"], types));
    for i in 0..5_usize {
        w.statement(StatementId::from_bits(i as u64));
        w.blob(2, 1, &vec![b'a'; if i % 2 == 1 { 3_000_000 } else { 3 }]);
        w.end();
    }
    check_long("long points", &w.finish());
}
