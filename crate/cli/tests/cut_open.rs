//! A part of an XRay log has the figures that its range has in the whole log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use unspool_cut::clean::{Choice, Choices, Cleaner};
use unspool_cut::{CutOptions, Selection};
use unspool_engine::statistics::{Question, Summary};
use unspool_engine::{Session, read};
use unspool_formats::begin_cut;
use unspool_formats::xray::encode::{FdrBuffer, basic_log, header};
use unspool_formats::xray::wire::FunctionKind::{self, Enter, EnterArgs, Exit};
use unspool_formats::xray::wire::{Basic, Mode};
use unspool_trace::{Limits, Probe};

fn session(file: &[u8]) -> Session {
    let (head, tail) = read::head_and_tail(&mut &*file, file.len() as u64).unwrap();
    let mut session = Session::new("log.xray", file.len() as u64, &head, &tail).unwrap();
    read::session(&mut session, &mut &*file, |_| {}).unwrap();
    session
}

/// The part of a log from a tick to before another.
fn part(file: &[u8], (from, to): (u64, u64)) -> Vec<u8> {
    let keep = Choice::Keep;
    let choices = Choices { environment: keep, paths: keep, texts: keep, payloads: keep };
    let options = CutOptions {
        from,
        to,
        size: Some(file.len() as u64),
        limits: Limits::DEFAULT,
        cleaner: Cleaner::new(choices, [0; 16]),
        only: None,
        texts: Selection::default(),
    };
    let (head, tail) = read::head_and_tail(&mut &*file, file.len() as u64).unwrap();
    let mut cut = begin_cut(&Probe { head: &head, tail: &tail, size: file.len() as u64, name: "" }, options);
    let mut out = Vec::new();
    read::cut(cut.as_mut().unwrap().as_mut().unwrap().as_mut(), &mut &*file, |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })
    .unwrap()
    .unwrap();
    out
}

/// By thread, and by function: count, total and self time.
type Figures = BTreeMap<(i64, String), BTreeMap<String, (u64, u64, u64)>>;

/// The figures of a range.
#[derive(Debug, PartialEq)]
struct Told {
    threads: Figures,
    covered: u64,
    /// Stretches of threads without records.
    gaps: BTreeMap<(i64, String), Vec<(u64, u64)>>,
}

fn told(session: &Session, (from, to): (u64, u64)) -> Told {
    let store = session.store();
    let (mut threads, mut all, mut gaps) = (Figures::new(), 0, BTreeMap::new());
    for track in store.track_report().iter().filter(|track| track.kind == "thread") {
        let Summary { functions, covered } = Summary::of(store, &Question { from, to, tracks: vec![track.id] });
        all += covered;
        let thread = (track.thread.unwrap(), track.name.clone());
        let figures =
            functions.iter().map(|it| (store.name(it.name).to_string(), (it.count, it.total, it.own))).collect();
        if functions.is_empty() {
            continue;
        }
        threads.insert(thread.clone(), figures);
        // What comes before all records of the thread is not counted.
        let pairs = track.gaps.chunks(2).map(|pair| (pair[0].max(from), pair[1].min(to)));
        let is_inside = |(start, end): &(u64, u64)| start < end && *start > 0 && *end > from;
        let pairs: Vec<_> = pairs.filter(is_inside).collect();
        if !pairs.is_empty() && track.gaps[0] != 0 {
            gaps.insert(thread, pairs);
        }
    }
    Told { threads, covered: all, gaps }
}

/// Compares a range with the part of it. Returns a line about what differs.
fn difference(file: &[u8], whole: &Session, (from, to): (u64, u64)) -> Option<String> {
    let cut = session(&part(file, (from, to)));
    let (before, after) = (told(whole, (from, to)), told(&cut, (0, u64::MAX)));
    if before.threads != after.threads {
        for (thread, functions) in &before.threads {
            for (name, figures) in functions {
                let other = after.threads.get(thread).and_then(|all| all.get(name));
                if other != Some(figures) {
                    return Some(format!("{thread:?} {name}: {figures:?} in the log, {other:?} in the part"));
                }
            }
        }
        return Some(format!("{:?} in the log, {:?} in the part", before.threads, after.threads));
    }
    if before != after {
        return Some(format!("{before:?} in the log, {after:?} in the part"));
    }
    if let Some((first, last)) = cut.store().extent() {
        let all = |from, to| told(whole, (from, to)).covered;
        if first < from || last > to {
            return Some(format!("the part is from {first} to {last}"));
        }
        // Without calls at an edge, nothing says that the part reaches so far.
        if all(from, from + 1) > 0 && first > from || all(to - 1, to) > 0 && last < to {
            return Some(format!("the part is only from {first} to {last}"));
        }
    }
    // Damage of other kinds is written as a buffer that ends too early.
    let kinds = |session: &Session| -> BTreeMap<_, _> {
        session.store().problem_report().iter().map(|it| (it.kind, it.count)).collect()
    };
    let known = kinds(whole);
    let missing = BTreeSet::from(["malformed", "wrong-extents", "cut-buffer", "truncated", "enter-lost"]);
    for (kind, count) in kinds(&cut) {
        let is_damage = kind == "cut-buffer" && known.keys().any(|kind| missing.contains(kind));
        if !is_damage && known.get(kind).is_none_or(|most| count > *most) {
            return Some(format!("{count} of {kind}, and {:?} in the log", known.get(kind)));
        }
    }
    None
}

fn goes_back(session: &Session) -> bool {
    session.store().problem_report().iter().any(|it| it.kind == "clock-went-back")
}

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most.max(1)
    }
}

/// The clocks of all records, ascending.
fn clocks(path: &Path) -> Vec<u64> {
    let output =
        Command::new(env!("CARGO_BIN_EXE_unspool")).args(["dump", "--as", "jsonl"]).arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut clocks: Vec<u64> = lines.filter_map(|line| line["tsc"].as_u64()).collect();
    clocks.sort_unstable();
    clocks
}

/// Compares ranges of a log: those that begin and end anywhere, and those that do so at records.
/// Returns lines about those that differ.
fn differences(path: &Path, ranges: usize) -> Vec<String> {
    let file = fs::read(path).unwrap();
    let whole = session(&file);
    let name = path.file_name().unwrap().display();
    let Some((first, last)) = whole.store().extent() else { return Vec::new() };
    if goes_back(&whole) {
        println!("skipped: clocks of {name} go back, so nobody knows what is in a range of it");
        return Vec::new();
    }
    let clocks = clocks(path);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut lines = Vec::new();
    for i in 0..ranges {
        let ends = [(); 2].map(|()| match i % 2 {
            0 => first + random.below(last - first + 1),
            _ => clocks[random.below(clocks.len() as u64) as usize],
        });
        let (from, to) = (ends[0].min(ends[1]), ends[0].max(ends[1]) + 1);
        lines.extend(difference(&file, &whole, (from, to)).map(|what| format!("{name} {from}..{to}: {what}")));
    }
    lines
}

#[test]
fn parts_of_recorded_logs_have_the_figures_of_their_ranges() {
    let mut logs: Vec<PathBuf> = Vec::new();
    for folder in ["xray", "xray-real", "findings", "why"] {
        logs.extend(unspool_corpus::files(folder, 5_000_000));
    }
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/xray");
    logs.extend(fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()));
    let logs = logs.iter().filter(|path| path.extension().is_some_and(|it| it == "xray"));
    let lines: Vec<String> = logs.flat_map(|path| differences(path, 20)).collect();
    assert!(lines.is_empty(), "{} ranges differ:\n{}", lines.len(), lines.join("\n"));
}

/// A buffer of a thread with records of an id each: positive for an enter, negative for an exit.
fn buffer(tid: i32, records: &[(i32, u64)]) -> Vec<u8> {
    let mut buffer = FdrBuffer::new(7, tid, 3, records[0].1, (1, 0));
    for (func, clock) in records {
        let kind = if *func < 0 { Exit } else { Enter };
        buffer.function(kind, func.unsigned_abs(), *clock);
    }
    buffer.finish()
}

fn log(buffers: &[Vec<u8>]) -> Vec<u8> {
    [header(Mode::Fdr, 1_000_000_000, 4096).to_bytes().to_vec(), buffers.concat()].concat()
}

/// Two threads. All of the first one's calls are open around 250..350, the second one's end within.
fn threads() -> [Vec<u8>; 4] {
    [
        buffer(8, &[(1, 100), (2, 110), (3, 120), (-3, 130), (4, 140)]),
        buffer(9, &[(5, 105), (6, 200), (-6, 300), (7, 310), (-7, 320), (6, 330)]),
        buffer(8, &[(-4, 400), (-2, 410), (-1, 420)]),
        buffer(9, &[(-6, 500), (-5, 510)]),
    ]
}

#[test]
fn calls_around_a_part_are_in_it() {
    let file = log(&threads());
    let whole = session(&file);
    let one = told(&whole, (250, 350)).threads;
    assert_eq!(one[&(8, "thread 8".into())]["#4"], (1, 100, 100), "the thread has no record there");
    assert_eq!(one[&(9, "thread 9".into())]["#6"], (2, 70, 70));
    let cut = session(&part(&file, (250, 350)));
    assert_eq!(cut.store().extent(), Some((250, 350)));
    assert!(cut.store().problem_report().is_empty());
    for from in 90..520 {
        for to in [from + 1, from + 7, from + 100, 600] {
            assert_eq!(difference(&file, &whole, (from, to)), None, "{from}..{to}");
        }
    }
}

/// The order of buffers in a file is that of a queue.
#[test]
fn any_order_of_buffers_gives_the_same_part() {
    let whole = session(&log(&threads()));
    let orders = [[0, 1, 2, 3], [2, 3, 0, 1], [3, 2, 1, 0], [1, 3, 2, 0], [0, 3, 1, 2]];
    for order in orders {
        let file = log(&order.map(|i| threads()[i].clone()));
        for from in (90..520).chain([100, 105, 330]) {
            for to in [from + 3, from + 100, 421] {
                let what = difference(&file, &whole, (from.min(to - 1), to));
                assert_eq!(what, None, "{order:?} {from}..{to}");
            }
        }
    }
}

#[test]
fn calls_of_basic_logs_are_in_their_parts() {
    let record =
        |kind: FunctionKind, func, clock, tid| Basic::Function { cpu: 0, kind: Ok(kind), func, clock, tid, pid: 7 };
    let file = basic_log(
        1_000_000_000,
        &[
            record(EnterArgs, 1, 100, 8),
            Basic::Argument { func: 1, tid: 8, pid: 7, value: 42 },
            record(Enter, 2, 110, 8),
            record(Enter, 1, 100, 9),
            record(Exit, 3, 120, 9),
            record(Exit, 2, 200, 8),
            record(Exit, 1, 210, 8),
            record(Exit, 4, 300, 9),
        ],
    );
    let whole = session(&file);
    for from in 90..310 {
        for to in [from + 1, from + 30, 400] {
            assert_eq!(difference(&file, &whole, (from, to)), None, "{from}..{to}");
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("part.xray");
    fs::write(&path, part(&file, (150, 205))).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_unspool")).args(["dump", "--as", "jsonl"]).arg(&path).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("42"), "an open call keeps its argument");
}

/// A buffer that ends inside a record: its thread goes on without what is missing.
#[test]
fn records_that_are_missing_in_a_range_are_missing_in_its_part() {
    let mut buffers = threads();
    let len = buffers[0].len();
    buffers[0].truncate(len - 8);
    // Its extents count half of the record that is missing.
    buffers[0][1] -= 8;
    buffers[0].push(0);
    buffers[0][1] += 1;
    let file = log(&buffers);
    let whole = session(&file);
    for range in [(125, 200), (125, 450), (135, 415), (150, 350), (90, 600)] {
        let thread = (8, "thread 8".to_string());
        assert!(told(&whole, range).gaps.contains_key(&thread));
        assert_eq!(difference(&file, &whole, range), None, "{range:?}");
    }
}
