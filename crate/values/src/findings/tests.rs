//! Planted causes among ordinary values.

use alloc::vec;

use unspool_formats::trace_db::encode::Writer;
use unspool_formats::trace_db::point::{Content, Point, Variable};
use unspool_formats::trace_db::wire::{Layout, Number, Type};
use unspool_trace::Limits;

use super::*;
use crate::load::Loader;

const NAMES: [&[u8]; 10] = [b"int", b"*char", b"i", b"size", b"sum", b"count", b"mean", b"p", b"clock", b"rate"];

/// A trace with ordinary points, and at each tenth what `plant` writes: with the number of that.
fn findings(plant: impl Fn(&mut Writer, u64)) -> Vec<Finding> {
    let types = [Type { name: 0, format: 1, size: 4 }, Type { name: 1, format: 3, size: 8 }];
    let mut writer = Writer::new(Layout::Wide, Tables::new(NAMES, types));
    let mut seed = 1_u64;
    for i in 0..2000_u64 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        writer.statement(StatementId::in_file(1, 1 + i % 3));
        number(&mut writer, 9, (seed >> 40) as i64 - (1 << 23));
        number(&mut writer, 4, ((seed >> 20) % 10_000) as i64);
        writer.end();
        if i % 10 == 9 {
            plant(&mut writer, i / 10);
        }
    }
    let bytes = writer.finish();
    let mut loader = Loader::new(Layout::Wide, Limits::LIFTED);
    let mut segments = Vec::new();
    loader.push(&bytes, |segment| segments.push(segment)).unwrap();
    segments.push(loader.end().0);
    let (dictionary, tables) = (loader.dictionary(), loader.tables().unwrap());
    let mut search = ValueFindings::default();
    segments.iter().for_each(|segment| search.add(segment, dictionary, tables));
    if search.end_pass(dictionary, tables) {
        segments.iter().for_each(|segment| search.add(segment, dictionary, tables));
        assert!(!search.end_pass(dictionary, tables));
    }
    let name_of = |id: Option<StatementId>| id.map_or_else(String::new, |id| id.to_string());
    let (found, refuted) = search.found(dictionary, tables, name_of);
    assert_eq!(refuted, 0, "all that is proposed holds");
    found
}

fn number(writer: &mut Writer, name: u32, value: i64) {
    writer.number(name, 0, Number::Signed(value));
}

fn at(writer: &mut Writer, statement: u64) {
    writer.statement(StatementId::in_file(1, statement));
}

/// The one finding: its kind and its first name.
fn one(found: &[Finding]) -> (&str, &str) {
    match found {
        [it] => (it.kind.word, it.names.first().map_or("", String::as_str)),
        _ => panic!("{found:?}"),
    }
}

#[test]
fn a_variable_whose_type_changes_is_found_where_it_does() {
    let found = findings(|writer, i| {
        at(writer, 40);
        if i == 120 {
            writer.number(7, 0, Number::Signed(-1));
        } else {
            writer.number(7, 1, Number::Pointer(0x1000 + i * i));
        }
        writer.end();
    });
    assert_eq!(one(&found), ("type-change", "p"));
    assert_eq!(found[0].at, Some(121 * 11 - 1));
    assert!(found[0].sentence.starts_with("p is int at 1 point, first at 1330, and *char at 199 others of "));
}

#[test]
fn ordinary_values_are_quiet() {
    assert_eq!(findings(|_, _| {}), []);
}

#[test]
fn a_relation_that_fails_twice_is_found() {
    let found = findings(|writer, i| {
        at(writer, 40);
        number(writer, 3, (i % 50) as i64);
        number(writer, 2, if i % 100 == 60 { (i % 50) as i64 + 1 } else { (i * 7 % (i % 50 + 1)) as i64 });
        writer.end();
    });
    assert_eq!(one(&found), ("relation", "i"));
    assert!(found[0].sentence.starts_with("i <= size holds at 198 of 200 points"), "{}", found[0].sentence);
    // The 61st time, each after ten other points.
    assert_eq!(found[0].at, Some(61 * 10 + 60));
}

#[test]
fn a_divisor_that_reaches_zero_is_found() {
    let found = findings(|writer, i| {
        let (sum, count) = ((i * 37 % 901) as i64, (i * 13 % 40 + 1) as i64);
        at(writer, 40);
        number(writer, 4, sum);
        number(writer, 5, if i == 120 { 0 } else { count });
        if i != 120 {
            number(writer, 6, sum / count);
        }
        writer.end();
    });
    assert_eq!(one(&found), ("divisor", "count"));
}

#[test]
fn a_number_that_wraps_is_found_and_one_that_falls_is_not() {
    let clock = |from: i64, back: bool| {
        findings(move |writer, i| {
            at(writer, 40);
            let value = from + i as i64 * 100_000_000;
            number(writer, 8, if back && i > 100 { -value / 3 } else { i64::from(value as i32) });
            writer.end();
        })
    };
    assert_eq!(one(&clock(-2_000_000_000, false)[..1]), ("wrap", "clock"));
    assert_eq!(clock(-2_000_000_000, true).iter().filter(|it| it.kind.word == "wrap").count(), 0);
}

#[test]
fn a_loop_that_gets_nowhere_is_found() {
    let found = findings(|writer, i| {
        let rounds = if i == 100 { 90 } else { 3 };
        for round in 0..rounds {
            at(writer, 40);
            number(writer, 2, (i + round.min(5)) as i64);
            writer.end();
        }
    });
    assert_eq!(one(&found), ("no-progress", "i"));
    assert_eq!(found[0].end.unwrap() - found[0].at.unwrap(), 90 - 6 - 1);
}

#[test]
fn a_constant_and_a_statement_that_is_reached_once_are_found() {
    let found = findings(|writer, i| {
        if i == 50 {
            at(writer, 41);
            number(writer, 2, 5);
            writer.end();
        }
        at(writer, 40);
        number(writer, 3, 20);
        number(writer, 2, i as i64 * 5 % 131);
        writer.end();
    });
    let mut kinds: Vec<_> = found.iter().map(|it| it.kind.word).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["once"], "one variable in four is no exception");
}

#[test]
fn a_pointer_that_leaves_its_buffer_is_found() {
    let found = findings(|writer, i| {
        let base = 0x1000 + i * 0x100;
        at(writer, 40);
        writer.buffer_size(base, 16);
        writer.end();
        for step in 0..if i == 77 { 20 } else { 16 } {
            at(writer, 41);
            writer.number(7, 1, Number::Pointer(base + step));
            writer.end();
        }
    });
    assert_eq!(one(&found), ("pointer", "p"));
    assert!(found[0].sentence.contains("16 bytes"), "{}", found[0].sentence);
}

#[test]
fn what_does_not_hold_is_not_said() {
    let side = |key| recount::Side { key, is_size: false };
    let question = Question::Relation { statement: 0, low: side(0), high: side(1) };
    let answer = Answer { counts: [199, 1, 0], first: Some(7), values: [0; 2] };
    let mut recount = Recount::of([question].into_iter());
    assert!(!recount.holds(&question, &answer), "nothing was counted");
    let mut segment = Segment::new(0);
    let mut dictionary = Dictionary::default();
    for i in 0..200 {
        let variable = |name, value| Variable {
            name,
            of_type: 0,
            content: Content::Number(Number::Signed(value)),
            size: 4,
            buffer_size: None,
        };
        let variables = vec![variable(2, i), variable(3, if i == 7 { 6 } else { i })];
        segment.push(&mut dictionary, &Point { variables, ..Point::default() });
    }
    recount.add(&segment);
    assert!(recount.holds(&question, &answer));
    for wrong in [
        Answer { counts: [200, 0, 0], ..answer.clone() },
        Answer { counts: [198, 2, 0], ..answer.clone() },
        Answer { first: Some(8), ..answer.clone() },
    ] {
        assert!(!recount.holds(&question, &wrong), "{wrong:?}");
    }
}
