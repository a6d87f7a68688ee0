//! The small trace-db traces of `tests/fixtures/trace_db` and `web/public/samples`, as the encoder
//! writes them.
//!
//! `UNSPOOL_WRITE_FIXTURES=1 cargo test -p unspool-formats --test trace_db_fixtures` writes them;
//! otherwise the test compares them.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test that panics has done its work")]

use crate::common;
use unspool_formats::trace_db::encode::Writer;
use unspool_formats::trace_db::wire::{Layout, Number, StatementId, Tables, Type};

#[test]
fn fixtures_are_what_the_encoder_writes() {
    let variables = program(Layout::Wide);
    let cut = variables[..variables.len() - 12].to_vec();
    let files: [(&str, &[u8]); _] = [
        ("tests/fixtures/trace_db/variables.trace", &variables),
        ("tests/fixtures/trace_db/narrow.trace", &program(Layout::Narrow)),
        ("tests/fixtures/trace_db/cut.trace", &cut),
        ("tests/fixtures/trace_db/values.trace", &values()),
        ("tests/fixtures/trace_db/overrun.trace", &overrun()),
        ("tests/fixtures/trace_db/compare-good.trace", &squares(8)),
        ("tests/fixtures/trace_db/compare-bad.trace", &squares(10)),
        ("tests/fixtures/trace_db/mid-335-pass.trace", &mid(3, 3, 5)),
        ("tests/fixtures/trace_db/mid-123-pass.trace", &mid(1, 2, 3)),
        ("tests/fixtures/trace_db/mid-321-pass.trace", &mid(3, 2, 1)),
        ("tests/fixtures/trace_db/mid-555-pass.trace", &mid(5, 5, 5)),
        ("tests/fixtures/trace_db/mid-534-pass.trace", &mid(5, 3, 4)),
        ("tests/fixtures/trace_db/mid-213-fail.trace", &mid(2, 1, 3)),
        ("web/public/samples/variables.trace", &variables),
    ];
    common::are_written(&files);
}

/// A program that squares the numbers below eight, and in a run with more turns, others as well,
/// which it notices at the end.
fn squares(turns: i64) -> Vec<u8> {
    let types = [Type { name: 0, format: 1, size: 4 }];
    let names: [&[u8]; 4] = [b"int", b"n", b"i", b"square"];
    let mut writer = Writer::new(Layout::Wide, Tables::new(names, types));
    let mut point = |statement, values: &[(u32, i64)]| {
        writer.statement(StatementId::from_bits(statement));
        values.iter().for_each(|(name, value)| writer.number(*name, 0, Number::Signed(*value)));
        writer.end();
    };
    point(1, &[(1, 8)]);
    for i in 0..turns {
        point(2, &[(2, i)]);
        point(3, &[(2, i), (1, 8), (3, i * i)]);
    }
    if turns > 8 {
        point(4, &[(1, 8)]);
    }
    writer.finish()
}

/// `mid` of Jones and Harrold (ASE 2005), which finds the number between two others: statements are
/// lines of the paper's listing, and each point is after one, with what the variables hold then. In
/// line 7 it takes `y` for `x`.
///
/// [`mid.csv`](../../../tests/fixtures/trace_db/mid.csv) has names for its statements.
fn mid(x: i64, y: i64, z: i64) -> Vec<u8> {
    let types = [Type { name: 0, format: 1, size: 4 }];
    let names: [&[u8]; 5] = [b"int", b"x", b"y", b"z", b"m"];
    let mut writer = Writer::new(Layout::Wide, Tables::new(names, types));
    let mut at = |line, m: Option<i64>| {
        writer.statement(StatementId::in_file(1, line));
        for (name, value) in [(1, Some(x)), (2, Some(y)), (3, Some(z)), (4, m)] {
            value.into_iter().for_each(|value| writer.number(name, 0, Number::Signed(value)));
        }
        writer.end();
    };
    let mut m = z;
    at(1, None);
    at(2, Some(m));
    at(3, Some(m));
    // Each condition, and the assignment that it decides on.
    let steps: [(u64, bool, u64, i64); 2] = if y < z {
        at(4, Some(m));
        [(4, x < y, 5, y), (6, x < z, 7, y)]
    } else {
        at(8, Some(m));
        [(9, x > y, 10, y), (11, x > z, 12, x)]
    };
    for (line, holds, then, value) in steps {
        if line != 4 {
            at(line, Some(m));
        }
        if holds {
            m = value;
            at(then, Some(m));
            break;
        }
    }
    at(13, Some(m));
    writer.finish()
}

/// A program that copies lines into buffers and puts two bytes behind each, for which its buffers
/// are sometimes too small:
///
/// ```text
/// 12  n = (length + 16) / 16 * 16;         /* one byte more than length, rounded up */
/// 13  copy = malloc(n);
/// 15  for (i = 0; i < length + 3; i++) {   /* the text, CR, LF and NUL */
/// 16    p = copy + i;
/// 19  free(copy); last = copy;
/// ```
///
/// [`overrun.csv`](../../../tests/fixtures/trace_db/overrun.csv) has names for its statements.
fn overrun() -> Vec<u8> {
    const INT: u32 = 0;
    const CHAR: u32 = 1;
    const STRING: u32 = 2;
    let [length_of, n_of, i_of, copy_of, p_of, last_of, text_of] = [3, 4, 5, 6, 7, 8, 9];
    let names: [&[u8]; 10] = [b"int", b"*char", b"string", b"length", b"n", b"i", b"copy", b"p", b"last", b"text"];
    let types = [(0, 1, 4), (1, 3, 8), (2, 4, 0)].map(|(name, format, size)| Type { name, format, size });
    let mut w = Writer::new(Layout::Wide, Tables::new(names, types));
    let int = |w: &mut Writer, name, value: u64| w.number(name, INT, Number::Signed(value as i64));
    let pointer = |w: &mut Writer, name, value| w.number(name, CHAR, Number::Pointer(value));
    let mut last = 0;
    for line in 0..40_u64 {
        let length = line * 7 % 29 + 3;
        let n = (length + 16) / 16 * 16;
        let copy = 0x5581_0a20_0000 + line % 5 * 0x40;
        w.statement(StatementId::in_file(3, 21));
        int(&mut w, length_of, length);
        int(&mut w, n_of, n);
        w.blob(text_of, STRING, &b"The quick brown fox jumps over the lazy dog"[..length as usize]);
        w.end();
        w.statement(StatementId::in_file(3, 24));
        w.buffer_size(copy, n);
        int(&mut w, n_of, n);
        pointer(&mut w, copy_of, copy);
        w.end();
        for i in 0..length + 3 {
            w.statement(StatementId::in_file(3, 33));
            int(&mut w, length_of, length);
            int(&mut w, n_of, n);
            int(&mut w, i_of, i);
            pointer(&mut w, copy_of, copy);
            pointer(&mut w, p_of, copy + i);
            w.end();
        }
        if line > 0 {
            // What was freed before is compared with what is to be freed.
            w.statement(StatementId::in_file(3, 41));
            pointer(&mut w, copy_of, copy);
            pointer(&mut w, last_of, last);
            w.end();
        }
        w.statement(StatementId::in_file(3, 44));
        w.buffer_size(copy, 0);
        int(&mut w, length_of, length);
        w.end();
        last = copy;
    }
    w.finish()
}

const NAMES: &[&str] = &[
    "int",
    "unsigned long int",
    "double",
    "*int",
    "*char",
    "n",
    "i",
    "j",
    "key",
    "values",
    "mean",
    "a",
    "b",
    "r",
    "divisor",
    "label",
];
const TYPES: &[(u32, u32)] = &[(1, 4), (0, 8), (2, 8), (3, 8), (4, 0)];

const INT: u32 = 0;
const ULONG: u32 = 1;
const DOUBLE: u32 = 2;
const POINTER: u32 = 3;
const STRING: u32 = 4;

fn name(text: &str) -> u32 {
    NAMES.iter().position(|n| *n == text).unwrap() as u32
}

/// A program of two files as GrammaTech's instrumentation would record it. sort.c sorts an array
/// and computes its mean; gcd.c computes the greatest common divisor of neighbours.
struct Program {
    w: Writer,
    layout: Layout,
    values: u64,
}

impl Program {
    /// A point at a place in the syntax tree of a file. Narrow statements have 32 bits and no room
    /// for a file.
    fn at(&mut self, file: u32, place: u64, rest: impl FnOnce(&mut Self)) {
        self.w.statement(match self.layout {
            Layout::Wide => StatementId::in_file(file, place),
            Layout::Narrow => StatementId::from_bits(u64::from(file) * 1000 + place),
        });
        rest(self);
        self.w.end();
    }

    fn int(&mut self, variable: &str, value: i64) {
        self.w.number(name(variable), INT, Number::Signed(value));
    }

    fn ulong(&mut self, variable: &str, value: u64) {
        self.w.number(name(variable), ULONG, Number::Unsigned(value));
    }

    fn array(&mut self, index: usize) {
        self.w.number(name("values"), POINTER, Number::Pointer(self.values + 4 * index as u64));
    }

    fn label(&mut self, text: &str) {
        self.w.blob(name("label"), STRING, text.as_bytes());
    }

    /// An insertion sort: the pointer walks along the array, `key` is the number being inserted.
    fn sort(&mut self, numbers: &mut [i64]) {
        for i in 1..numbers.len() {
            let key = numbers[i];
            self.at(1, 24, |p| {
                p.int("n", 12);
                p.int("i", i as i64);
                p.int("key", key);
                p.array(i);
            });
            let mut j = i;
            while j > 0 && numbers[j - 1] > key {
                numbers[j] = numbers[j - 1];
                j -= 1;
                self.at(1, 31, |p| {
                    p.int("i", i as i64);
                    p.int("j", j as i64);
                    p.int("key", key);
                    p.array(j);
                });
            }
            numbers[j] = key;
        }
    }

    fn gcd(&mut self, mut a: u64, mut b: u64) -> u64 {
        while b != 0 {
            let r = a % b;
            self.at(2, 9, |p| {
                p.ulong("a", a);
                p.ulong("b", b);
                p.ulong("r", r);
            });
            (a, b) = (b, r);
        }
        self.at(2, 15, |p| p.ulong("divisor", a));
        a
    }
}

fn program(layout: Layout) -> Vec<u8> {
    let types = (0..).zip(TYPES).map(|(name, (format, size))| Type { name, format: *format, size: *size });
    let tables = Tables::new(NAMES.iter().map(|n| n.as_bytes()), types);
    let mut p = Program { w: Writer::new(layout, tables), layout, values: 0x55d0_c0de_12a0 };
    let mut numbers = [36, 84, -7, 120, 18, 0, 96, 54, -42, 72, 6, 48];
    p.at(1, 3, |p| {
        p.int("n", numbers.len() as i64);
        p.label("unsorted");
    });
    let address = p.values;
    p.at(1, 8, |p| {
        p.w.buffer_size(address, 48);
        p.array(0);
        p.label("unsorted");
    });
    p.sort(&mut numbers);
    // A temporary copy to compute the mean.
    p.at(1, 40, |p| {
        p.w.buffer_size(address + 0x40, 96);
        p.label("sorted");
    });
    let mut sum = 0.0;
    for (i, number) in numbers.iter().enumerate() {
        sum += *number as f64;
        let mean = sum / (i + 1) as f64;
        p.at(1, 44, |p| {
            p.int("i", i as i64);
            p.w.number(name("mean"), DOUBLE, Number::Float(mean));
            p.array(i);
        });
    }
    p.at(1, 49, |p| p.w.buffer_size(address + 0x40, 0));
    let positive: Vec<u64> = numbers.iter().filter_map(|n| u64::try_from(*n).ok()).filter(|n| *n > 0).collect();
    for pair in positive.windows(2).step_by(2) {
        let divisor = p.gcd(pair[1], pair[0]);
        p.at(1, 57, |p| {
            p.ulong("divisor", divisor);
            p.w.auxiliary(divisor);
        });
    }
    p.at(1, 63, |p| {
        p.w.buffer_size(address, 0);
        p.label("done");
    });
    p.w.finish()
}

/// Every format in all its sizes, at its extremes; a point without a statement, an empty one, and
/// one that names two statements.
fn values() -> Vec<u8> {
    let names =
        ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "float", "double", "*void", "key", "text", "v", ""];
    let types =
        [(0, 1), (0, 2), (0, 4), (0, 8), (1, 1), (1, 2), (1, 4), (1, 8), (2, 4), (2, 8), (3, 8), (4, 10), (4, 0)];
    let types = (0..).zip(types).map(|(name, (format, size))| Type { name, format, size });
    let mut w = Writer::new(Layout::Wide, Tables::new(names.map(str::as_bytes), types));
    let (v, no_name) = (13, 14);
    w.statement(1);
    (0..4).for_each(|t| w.number(v, t, Number::Unsigned(u64::MAX)));
    (4..8).for_each(|t| w.number(v, t, Number::Signed(-1 << (8 * (1 << (t - 4)) - 1))));
    (4..8).for_each(|t| w.number(v, t, Number::Signed(i64::MAX >> (64 - 8 * (1 << (t - 4))))));
    w.end();
    w.statement(2);
    for value in [0.1, -0.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        w.number(v, 8, Number::Float(value));
        w.number(v, 9, Number::Float(value));
    }
    w.end();
    w.statement(3);
    w.buffer_size(0x3000, 10);
    for pointer in [0x2fff, 0x3000, 0x3005, 0x300a, 0x300b, u64::MAX] {
        w.number(v, 10, Number::Pointer(pointer));
    }
    w.buffer_size(0x3000, 5);
    w.number(no_name, 10, Number::Pointer(0x3000));
    w.end();
    w.blob(v, 11, b"0123456789");
    w.blob(v, 12, "naïve \"text\"\n".as_bytes());
    w.blob(v, 12, &[0, 0xff, 0x80]);
    w.blob(v, 12, b"");
    w.auxiliary(u64::MAX);
    w.end();
    w.end();
    w.statement(4);
    w.number(v, 2, Number::Unsigned(1));
    w.statement(5);
    w.end();
    w.finish()
}
