//! Planted causes among ordinary calls.

use unspool_trace::{EventBatch, EventKind, Locator, TrackDef, TrackKind};

use super::calls::PortionCalls;
use super::*;
use crate::store::Store;
use crate::tables::portions::Answer;
use crate::tables::view::Head;

const CLOCK: Clock = Clock::Seconds { frequency: 1_000_000_000 };

/// Calls of threads, on a made clock.
struct Program {
    store: Store,
    batch: EventBatch,
    names: Vec<String>,
    /// A number that looks random.
    seed: u64,
}

impl Program {
    fn new(threads: &[&str]) -> Self {
        let mut batch = EventBatch::with_capacity(1 << 20);
        batch.new_tracks.extend(threads.iter().map(|name| TrackDef::new(TrackKind::Thread, *name)));
        Self { store: Store::default(), batch, names: Vec::new(), seed: 7 }
    }

    fn event(&mut self, kind: EventKind, track: u32, at: u64, name: &str) {
        let known = self.names.iter().position(|it| it == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.batch.new_names.push(name.to_string().into());
            self.names.len() - 1
        });
        self.batch.push(kind, track, at, number as u32, Locator::default());
    }

    fn call(&mut self, track: u32, name: &str, from: u64, to: u64) {
        self.event(EventKind::Begin, track, from, name);
        self.event(EventKind::End, track, to, name);
    }

    /// About this long: up to a half more or less.
    fn about(&mut self, length: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        length / 2 + (self.seed >> 33) % length
    }

    /// Requests on a thread from a time on, each with a callee. Returns when they end.
    fn requests(&mut self, track: u32, from: u64, count: u64, slow: Option<u64>) -> u64 {
        let mut at = from;
        for i in 0..count {
            let (before, mut work) = (self.about(1000), self.about(20_000));
            if slow == Some(i) {
                work = 2_000_000;
            }
            self.event(EventKind::Begin, track, at, "request");
            self.call(track, "query", at + before, at + before + work);
            at += before + work + self.about(2000);
            self.event(EventKind::End, track, at, "request");
            at += self.about(500);
        }
        at
    }

    fn findings(mut self) -> Vec<Finding> {
        self.store.apply(&mut self.batch);
        self.store.finish(false);
        let mut search = CallFindings::new(&self.store, CLOCK);
        // Whatever the turns, the findings are the same.
        let mut whole = CallFindings::new(&self.store, CLOCK);
        assert_eq!(whole.step(&self.store, u64::MAX), Step::Done);
        while search.step(&self.store, 7) == Step::More {
            assert!(search.progress().done <= search.progress().of && search.found().is_none());
        }
        assert_eq!(search.found(), whole.found());
        // Nor does it matter whether the store is in the same program.
        let track = |(id, it): (u32, &crate::store::Track)| {
            it.gaps().chunks(2).map(|gap| (id, gap[0], gap[1])).collect::<Vec<_>>()
        };
        let gaps: Vec<_> = (0..).zip(&self.store.tracks).flat_map(track).collect();
        let calls = PortionCalls::new(|ask: &[u8]| Answer::of(ask, &self.store, || head(&self.store)), &gaps).unwrap();
        assert_eq!(calls.threads().len(), self.store.threads().len());
        let mut elsewhere = CallFindings::new(&calls, CLOCK);
        while elsewhere.step(&calls, 1000) == Step::More {}
        assert_eq!(elsewhere.found(), whole.found());
        assert_eq!(elsewhere.progress(), whole.progress());
        search.found().unwrap().to_vec()
    }
}

fn head(store: &Store) -> Head {
    let (origin, end) = store.extent().unwrap_or_default();
    let tracks = store.tracks.iter().map(|track| track.def.clone()).collect();
    Head { title: String::new(), frequency: None, unit: "tick".into(), origin, end, tracks }
}

/// The words of kinds.
fn kinds(found: &[Finding]) -> Vec<&str> {
    found.iter().map(|it| it.kind.word).collect()
}

#[test]
fn ordinary_calls_are_quiet() {
    let mut program = Program::new(&["a", "b"]);
    program.requests(0, 0, 500, None);
    program.requests(1, 300, 480, None);
    assert_eq!(kinds(&program.findings()), [""; 0]);
    assert_eq!(Program::new(&["a"]).findings(), []);
}

#[test]
fn a_slow_call_is_explained_by_its_callee() {
    let mut program = Program::new(&["a"]);
    program.requests(0, 0, 500, Some(333));
    let found = program.findings();
    assert_eq!(kinds(&found), ["slow-call"]);
    assert_eq!(found[0].names, ["query", "request"]);
    assert_eq!(found[0].end.unwrap() - found[0].at.unwrap(), 2_000_000);
    assert!(found[0].sentence.contains("of a slow call of request"), "{}", found[0].sentence);
}

#[test]
fn a_callee_that_runs_once_is_the_cause_and_not_its_caller() {
    let mut program = Program::new(&["a"]);
    let mut at = 0;
    for i in 0..400 {
        program.event(EventKind::Begin, 0, at, "call");
        program.call(0, "usual", at + 100, at + 900);
        if i == 200 {
            program.call(0, "rare", at + 1_000, at + 5_000_000);
            at += 5_000_000;
        }
        program.event(EventKind::End, 0, at + 1_200, "call");
        at += 2_000 + program.about(500);
    }
    let found = program.findings();
    let it = found.iter().find(|it| it.kind.word == "slow-call").unwrap();
    assert_eq!(it.names, ["rare", "call"]);
    assert_eq!(it.sentence, "A call of rare takes 5.00 ms by itself; that is 100 % of a slow call of call, its caller");
    let claims: Vec<(&str, &str, f64)> = it.claims.iter().map(|it| (it.quantity, &*it.of, it.value)).collect();
    assert_eq!(claims[..2], [("time", "rare", 4_999_000.0), ("self", "rare", 4_999_000.0)]);
}

#[test]
fn slow_calls_with_one_cause_are_one_finding() {
    let mut program = Program::new(&["a", "b"]);
    for track in [0, 1] {
        let at = program.requests(track, 0, 200, Some(100));
        program.requests(track, at, 200, Some(50));
    }
    let found = program.findings();
    assert_eq!(kinds(&found), ["slow-call"]);
    assert!(found[0].sentence.contains("A call of query in ") && found[0].sentence.ends_with("; and 3 alike"));
    assert_eq!(found[0].places.len(), 4);
}

#[test]
fn the_same_work_is_said_of_as_many_calls_as_do_it() {
    let mut program = Program::new(&["a"]);
    let mut at = 0;
    for i in 0..400_u64 {
        program.event(EventKind::Begin, 0, at, "config");
        program.call(0, "parse", at + 100, at + 9_000);
        let length = if i % 20 == 7 { 30_000 } else { 10_000 };
        program.event(EventKind::End, 0, at + length, "config");
        at = program.requests(0, at + length + 100, 1, None);
    }
    let found = program.findings();
    let it = found.iter().find(|it| it.kind.word == "repeated-work").unwrap();
    assert!(it.sentence.contains(": 380 of 400 calls lie within 0.1 % of 10.0 µs"), "{}", it.sentence);
}

#[test]
fn a_cost_that_grows_is_found_with_its_factor() {
    let mut program = Program::new(&["a"]);
    let mut at = 0;
    for i in 0..400 {
        let work = program.about(5_000) + i * 100;
        program.call(0, "insert", at, at + work);
        at += work;
        at = program.requests(0, at, 1, None);
    }
    let found = program.findings();
    assert_eq!(kinds(&found), ["growth"]);
    assert_eq!(found[0].names, ["insert"]);
}

#[test]
fn short_calls_and_the_same_work_are_found() {
    let mut program = Program::new(&["a"]);
    let mut at = 0;
    for i in 0..400_u64 {
        for _ in 0..10 {
            program.call(0, "get", at, at + 40 + i % 20);
            at += 100;
        }
        program.event(EventKind::Begin, 0, at, "config");
        program.call(0, "parse", at + 100, at + 9_000);
        program.event(EventKind::End, 0, at + 10_000 + i % 50, "config");
        at = program.requests(0, at + 11_000, 1, None);
    }
    let mut found = kinds(&program.findings()).into_iter().map(String::from).collect::<Vec<_>>();
    found.sort();
    assert_eq!(found, ["repeated-work", "short-calls"]);
}

#[test]
fn a_function_that_calls_itself_is_found_where_no_other_one_does() {
    let nested = |program: &mut Program, name: &str, at: u64, levels: u64| {
        (0..levels).for_each(|level| program.event(EventKind::Begin, 0, at + level * 10, name));
        (0..levels).for_each(|level| program.event(EventKind::End, 0, at + 500 + level * 10, name));
        at + 1000
    };
    let planted = |also: &str| {
        let mut program = Program::new(&["a"]);
        let mut at = program.requests(0, 0, 100, None);
        at = nested(&mut program, "walk", at, 3);
        let from = at;
        at = nested(&mut program, "walk", at, 12);
        if !also.is_empty() {
            at = nested(&mut program, also, at, 2);
        }
        program.requests(0, at, 100, None);
        (program.findings(), from)
    };
    let (found, from) = planted("");
    assert_eq!(kinds(&found), ["recursion"]);
    assert_eq!((found[0].at, found[0].end), (Some(from), Some(from + 610)));
    assert!(found[0].sentence.starts_with("walk calls itself 12 levels deep"), "{}", found[0].sentence);
    assert_eq!(kinds(&planted("other").0), [""; 0]);
}

#[test]
fn threads_that_take_turns_wait_for_one_another() {
    let mut program = Program::new(&["a", "b"]);
    let ends = [program.requests(0, 0, 100, None), program.requests(1, 0, 100, None)];
    let mut at = ends[0].max(ends[1]);
    for i in 0..60 {
        let (works, waits) = (i % 2, 1 - i % 2);
        let length = program.about(30_000);
        program.call(works, "work", at + 50, at + length);
        program.call(waits, "lock", at, at + length + 20);
        at += length + 100;
    }
    let found = program.findings();
    assert_eq!(kinds(&found), ["waits"]);
    assert_eq!(found[0].names, ["lock", "work", "a", "b"]);
}

#[test]
fn one_of_several_workers_works_longer() {
    let mut program = Program::new(&["a", "b", "c"]);
    let mut ends = Vec::new();
    for (track, count) in [(0, 100), (1, 500), (2, 110)] {
        program.event(EventKind::Begin, track, 0, "worker");
        let end = program.requests(track, 10, count, None);
        program.event(EventKind::End, track, end, "worker");
        ends.push(end);
    }
    let found = program.findings();
    assert_eq!(kinds(&found), ["imbalance"]);
    assert_eq!((found[0].names[0].as_str(), found[0].end), ("b", Some(ends[1])));
}

#[test]
fn a_burst_of_calls_is_found() {
    let mut program = Program::new(&["a"]);
    program.event(EventKind::Begin, 0, 0, "main");
    let mut at = program.requests(0, 10, 400, None);
    let begins = at;
    for _ in 0..300 {
        let work = program.about(500);
        program.call(0, "query", at, at + work);
        at += work + 10;
    }
    let ends = at;
    at = program.requests(0, at, 400, None);
    program.event(EventKind::End, 0, at, "main");
    let found = program.findings();
    assert_eq!(kinds(&found), ["call-burst"]);
    let (from, to) = (found[0].at.unwrap(), found[0].end.unwrap());
    assert!(from <= begins && to >= ends && to - from < at / 16, "{from}..{to} of {begins}..{ends}");
    assert!(found[0].sentence.starts_with("query is called 3"), "{}", found[0].sentence);
}

#[test]
fn records_that_were_lost_are_a_gap_and_no_slow_call() {
    let mut program = Program::new(&["a"]);
    program.event(EventKind::Begin, 0, 0, "main");
    let at = program.requests(0, 10, 200, None);
    program.event(EventKind::Begin, 0, at, "request");
    // The end of the request, and the begin of another one with its callee, are lost.
    let later = at + 5_000_000;
    program.event(EventKind::End, 0, later, "query");
    program.event(EventKind::End, 0, later + 10, "request");
    let at = program.requests(0, later + 100, 200, None);
    program.event(EventKind::End, 0, at, "main");
    let found = program.findings();
    assert_eq!(kinds(&found), ["lost-records"]);
    assert_eq!(found[0].end, Some(later));
}
