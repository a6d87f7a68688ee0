//! `unspool compare --records` of traces with known differences.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Records of a thread: a number for each, twice that of its function, and one more if it ends.
type Calls = Vec<u32>;

fn call(function: u32) -> Calls {
    around(function, &[])
}

fn around(function: u32, inside: &[u32]) -> Calls {
    [&[2 * function], inside, &[2 * function + 1]].concat()
}

/// Calls of functions below 50 in no order, each with calls in it.
fn plain(count: usize) -> Vec<Calls> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        1 + (state >> 16) % 48
    };
    (0..count).map(|_| around(next(), &[call(next()), call(next())].concat())).collect()
}

/// An XRay log of threads.
fn xray(threads: &[Calls]) -> Vec<u8> {
    let mut file = Vec::new();
    for half in [5_u16, 1] {
        file.extend(half.to_le_bytes());
    }
    file.extend(3_u32.to_le_bytes());
    for word in [1_000_000_000_u64, 1 << 20, 0] {
        file.extend(word.to_le_bytes());
    }
    let padded = |bytes: &[u8]| {
        let mut record = bytes.to_vec();
        record.resize(16, 0);
        record
    };
    for (thread, calls) in (1_i32..).zip(threads) {
        let size = 64 + 8 * calls.len() as u64;
        file.extend(padded(&[&[0x0F][..], &size.to_le_bytes()].concat()));
        file.extend(padded(&[&[1][..], &thread.to_le_bytes()].concat()));
        file.extend(padded(&[&[9][..], &1_u64.to_le_bytes(), &0_u32.to_le_bytes()].concat()));
        file.extend(padded(&[&[0x13][..], &7_i32.to_le_bytes()].concat()));
        file.extend(padded(&[&[5][..], &0_u16.to_le_bytes(), &(1_000_000 * thread as u64).to_le_bytes()].concat()));
        for call in calls {
            file.extend((call >> 1 << 4 | (call & 1) << 1).to_le_bytes());
            file.extend(30_u32.to_le_bytes());
        }
    }
    file
}

/// A recording of OpenGL calls: the number of the function, a number and a pointer for each.
fn apitrace(calls: &[(u8, u8, u64)]) -> Vec<u8> {
    let varint = |mut number: u64| {
        let mut bytes = Vec::new();
        while number > 127 {
            bytes.push(number as u8 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    };
    let text = |text: &str| [varint(text.len() as u64), text.into()].concat();
    let mut stream = vec![6, 6, 0];
    let mut known = Vec::new();
    for (number, (function, count, pointer)) in (0..).zip(calls) {
        stream.extend([0, 0, *function]);
        if !known.contains(function) {
            known.push(*function);
            stream.extend([text(&format!("call{function}")), vec![2], text("count"), text("pointer")].concat());
        }
        stream.extend([1, 0, 4, *count, 1, 1, 13]);
        stream.extend(varint(*pointer));
        stream.extend([0, 1]);
        stream.extend(varint(number));
        stream.push(0);
    }
    let mut block = varint(stream.len() as u64);
    // One literal of Snappy.
    block.push(0xF8);
    block.extend(&(stream.len() as u32 - 1).to_le_bytes()[..3]);
    block.extend(stream);
    [&b"at"[..], &(block.len() as u32).to_le_bytes(), &block].concat()
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// What differs, by thread: the hunk and what it is.
fn compared(name: &str, [a, b]: [Vec<u8>; 2], options: &[&str]) -> Vec<Vec<([u64; 4], String)>> {
    let [a, b] = [(a, "a"), (b, "b")].map(|(bytes, side)| written(&format!("compared-{name}-{side}"), &bytes));
    let mut command = Command::new(env!("CARGO_BIN_EXE_unspool"));
    let output = command.arg("compare").args([a, b]).args(["--records", "--json"]).args(options).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
    let list = |of: &Value| of.as_array().unwrap().clone();
    let thread = |track: &Value| -> Vec<([u64; 4], String)> {
        let hunks = list(&track["hunks"]).into_iter().map(|hunk| serde_json::from_value(hunk).unwrap());
        let what = list(&track["what"]).into_iter().map(|what| what["kind"].as_str().unwrap().to_string());
        hunks.zip(what).collect()
    };
    list(&report["tracks"]).iter().map(thread).collect()
}

fn of_calls(name: &str, a: &[Calls], b: &[Calls]) -> Vec<([u64; 4], String)> {
    let found = compared(name, [xray(&[a.concat()]), xray(&[b.concat()])], &[]);
    let [thread] = &found[..] else { panic!("{name}: {found:?}") };
    thread.clone()
}

fn is(hunk: [u64; 4], what: &str) -> ([u64; 4], String) {
    (hunk, what.into())
}

#[test]
fn a_call_that_one_side_has_alone() {
    let (a, mut b) = (plain(100), plain(100));
    b.insert(40, call(77));
    assert_eq!(of_calls("only-b", &a, &b), [is([240, 240, 240, 242], "only b")]);
    assert_eq!(of_calls("only-a", &b, &a), [is([240, 242, 240, 240], "only a")]);
}

#[test]
fn calls_in_another_order() {
    let (mut a, mut b) = (plain(100), plain(100));
    for side in [&mut a, &mut b] {
        side.insert(40, call(77));
        side.insert(41, around(78, &call(79)));
    }
    b.swap(40, 41);
    let found = of_calls("order", &a, &b);
    assert!(found.len() == 2 && found.iter().all(|(_, what)| what == "order"), "{found:?}");
    let count = |side: usize| found.iter().map(|(hunk, _)| hunk[side + 1] - hunk[side]).sum::<u64>();
    assert_eq!((count(0), count(2)), (2, 2), "the shorter one has moved");
}

#[test]
fn a_loop_with_another_number_of_turns() {
    let (mut a, mut b) = (plain(100), plain(100));
    let turns = |count: usize| [call(60), call(61)].concat().repeat(count);
    a.insert(50, turns(90));
    b.insert(50, turns(70));
    let found = of_calls("turns", &a, &b);
    let [([from, to, in_b, end], what)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((to - from, end - in_b, what.as_str()), (80, 0, "iterations"));
    assert!((300..=660).contains(from) && (300..=660).contains(to), "{found:?}");
}

#[test]
fn a_call_that_was_put_around_others() {
    let (a, mut b) = (plain(100), plain(100));
    let inside: Vec<Calls> = b.drain(30..33).collect();
    b.insert(30, around(88, &inside.concat()));
    assert_eq!(of_calls("wrapper", &a, &b), [is([180, 180, 180, 181], "inside"), is([198, 198, 199, 200], "inside")]);
}

#[test]
fn threads_that_were_exchanged_do_not_differ() {
    let [one, two] = [plain(200), plain(350).split_off(200)].map(|calls| calls.concat());
    let files = [xray(&[one.clone(), two.clone()]), xray(&[two.clone(), one.clone()])];
    assert_eq!(compared("exchanged", files, &[]), [vec![], vec![]]);
    // One call more in one of them.
    let longer = [&call(77)[..], &one].concat();
    let files = [xray(&[one, two.clone()]), xray(&[two, longer])];
    assert_eq!(compared("exchanged-longer", files, &[]), [vec![is([0, 0, 0, 2], "only b")], vec![]]);
}

#[test]
fn a_call_with_other_arguments() {
    let calls = |changed: u8| -> Vec<(u8, u8, u64)> {
        (0..60).map(|n| (n % 7, if n == 31 { changed } else { n }, 0)).collect()
    };
    assert_eq!(
        compared("arguments", [apitrace(&calls(100)), apitrace(&calls(101))], &[]),
        [vec![is([31, 32, 31, 32], "arguments")]]
    );
}

#[test]
fn pointers_that_were_renamed_do_not_differ_by_that() {
    // Each of ten pointers is used six times. B has others, in another order of addresses.
    let calls = |pointer: fn(u64) -> u64| -> Vec<(u8, u8, u64)> {
        (0..60_u8).map(|n| (n % 7, n, pointer(u64::from(n % 10)))).collect()
    };
    let a = calls(|n| 0x7F00_1000 + 64 * n);
    let mut b = calls(|n| 0x5555_9000 - 128 * n);
    let files = |b: &[(u8, u8, u64)]| [apitrace(&a), apitrace(b)];
    assert_eq!(compared("renamed", files(&b), &["--ignore", "addresses"]), [vec![]]);
    let without = compared("renamed-exactly", files(&b), &[]);
    assert!(without[0].iter().all(|(_, what)| what == "arguments") && !without[0].is_empty(), "{without:?}");
    // One of them is another one.
    b[45].2 = b[46].2;
    assert_eq!(
        compared("renamed-wrong", files(&b), &["--ignore", "addresses"]),
        [vec![is([45, 46, 45, 46], "arguments")]]
    );
}
