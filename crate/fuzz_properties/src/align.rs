//! Sequences that are aligned.

use unspool_compare::align::Alignment;
use unspool_compare::calls::CallAlignment;
use unspool_compare::differ::{Differ, Differences, How};
use unspool_compare::kinds::Kinds;
use unspool_compare::sequence::Sequence;
use unspool_compare::token_list::{TokenList, TokenSlice};
use unspool_compare::tokens::Contents;
use unspool_compare::what::What;
use unspool_trace::records::Same;

use crate::Choices;

/// Steps for each token at most: a matrix of two short sides costs more for each than a large one.
const MOST_STEPS: u64 = 1500;

/// The tokens of two traces: bytes cut in two at a place, or all of them and the same with a few
/// changes, each side repeated some times.
fn sides(bytes: &[u8], choices: &mut Choices, most: usize) -> [Vec<u32>; 2] {
    let cut = choices.index(bytes.len() + 1);
    let (a, b) = if choices.below(2) == 0 {
        (bytes[..cut].to_vec(), bytes[cut..].to_vec())
    } else {
        (bytes.to_vec(), changed(bytes.to_vec(), choices))
    };
    [a, b].map(|bytes| {
        let turns = 1 + choices.index(40);
        bytes.repeat(turns).into_iter().take(most).map(u32::from).collect()
    })
}

/// Replaces, deletes, inserts and moves bytes.
fn changed(mut bytes: Vec<u8>, choices: &mut Choices) -> Vec<u8> {
    for _ in 0..choices.below(12) {
        let from = choices.index(bytes.len() + 1);
        let part = from..(from + choices.index(60)).min(bytes.len());
        match choices.below(4) {
            0 => bytes.insert(from, choices.number() as u8),
            1 => bytes[part].iter_mut().take(2).for_each(|byte| *byte = byte.wrapping_add(8)),
            2 => drop(bytes.drain(part)),
            _ => {
                let part: Vec<u8> =
                    if choices.below(2) == 0 { bytes[part].to_vec() } else { bytes.drain(part).collect() };
                let to = choices.index(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
        }
    }
    bytes
}

/// Bytes are the tokens of two traces. The runs of their alignment rise and are equal, what lies
/// between is in hunks, turns of any length give the same, and the work is linear.
pub(crate) fn aligned(bytes: &[u8]) {
    let mut choices = Choices::of(bytes);
    let [a, b] = sides(bytes, &mut choices, 60_000);
    let whole = Alignment::of(&a, &b);
    let mut at = (0, 0);
    let mut between = Vec::new();
    for run in whole.runs() {
        assert!(run.length > 0 && run.a >= at.0 && run.b >= at.1, "{run:?} after {at:?}");
        if (run.a, run.b) != at {
            between.push(((at.0, run.a), (at.1, run.b)));
        }
        let same = |from: u32, of: &[u32]| of[from as usize..(from + run.length) as usize].to_vec();
        assert_eq!(same(run.a, &a), same(run.b, &b));
        at = (run.a + run.length, run.b + run.length);
    }
    if at != (a.len() as u32, b.len() as u32) {
        between.push(((at.0, a.len() as u32), (at.1, b.len() as u32)));
    }
    let hunks: Vec<_> = whole.hunks().iter().map(|hunk| (hunk.a, hunk.b)).collect();
    assert_eq!(hunks, between);
    if let Some((first, _)) = a.iter().zip(&b).enumerate().find(|(_, (a, b))| a != b) {
        assert_eq!((hunks[0].0.0, hunks[0].1.0), (first as u32, first as u32), "the first difference");
    }
    assert!(whole.work() < MOST_STEPS * (a.len() + b.len() + 10) as u64, "{} steps", whole.work());
    let mut parts = Alignment::new([a.len() as u32, b.len() as u32]);
    while !parts.turn([&a, &b].map(TokenSlice::from), 1 + choices.below(5000)) {}
    assert_eq!(parts.runs(), whole.runs());
}

/// Bytes are the tokens of two traces, some of which begin or end calls, and some of which are
/// alike. Applying the differences to the first trace gives the second, what each of them is fits
/// what it has, turns of any length give the same, and the work is linear.
pub(crate) fn told_apart(bytes: &[u8]) {
    let mut choices = Choices::of(bytes);
    let [a, b] = sides(bytes, &mut choices, 8_000);
    // Of either width.
    let lists = [&a, &b].map(|side| side.iter().copied().collect::<TokenList>());
    let wide = choices.below(2) == 0;
    let tokens = [0, 1].map(|side| if wide { TokenSlice::from([&a, &b][side]) } else { lists[side].as_slice() });
    let kinds = kinds(choices.below(4) > 0);
    let how = How { flat: choices.below(4) == 0, alike: true };
    let whole = Differ::of(tokens, &kinds, how);
    assert_eq!(whole.what.len(), whole.hunks.len());

    let mut applied = Vec::new();
    let mut at = 0;
    for (hunk, what) in whole.hunks.iter().zip(&whole.what) {
        assert!(at <= hunk.a.0 && hunk.a.0 <= hunk.a.1 && hunk.b.0 <= hunk.b.1, "{hunk:?} after {at}");
        applied.extend_from_slice(&a[at as usize..hunk.a.0 as usize]);
        assert_eq!(applied.len(), hunk.b.0 as usize, "{hunk:?}");
        let [in_a, in_b] = [&a[hunk.a.0 as usize..hunk.a.1 as usize], &b[hunk.b.0 as usize..hunk.b.1 as usize]];
        fits(what, [in_a, in_b], &kinds);
        applied.extend_from_slice(in_b);
        at = hunk.a.1;
    }
    applied.extend_from_slice(&a[at as usize..]);
    assert_eq!(applied, b);
    let first = a.iter().zip(&b).position(|(a, b)| a != b);
    if let (Some(first), Some(hunk)) = (first, whole.hunks.first()) {
        // Of equal calls one after the other, the one that has no counterpart may be the first.
        let is_exact = how.flat || !kinds.has_calls;
        let [in_a, in_b] = [hunk.a.0, hunk.b.0].map(|at| at as usize);
        assert!(in_a == in_b && if is_exact { in_a == first } else { in_a <= first }, "{in_a}, not {first}");
    }
    let mut alike = (0, 0);
    for run in &whole.alike {
        assert!(run.length > 0 && run.a >= alike.0 && run.b >= alike.1, "{run:?} after {alike:?}");
        alike = (run.a + run.length, run.b + run.length);
        let is_in = |(from, to): (u32, u32), at: u32| from <= at && at + run.length <= to;
        assert!(whole.hunks.iter().any(|hunk| is_in(hunk.a, run.a) && is_in(hunk.b, run.b)), "{run:?}");
        for k in 0..run.length {
            let [one, other] = [a[(run.a + k) as usize], b[(run.b + k) as usize]];
            assert_eq!((kinds.name(one), kinds.role(one)), (kinds.name(other), kinds.role(other)));
        }
    }

    let mut parts = Differ::new(tokens, &kinds, how);
    let found = loop {
        if let Some(found) = parts.turn(tokens, &kinds, 1 + choices.below(5000)) {
            break found;
        }
    };
    assert_eq!(found, whole);
    let work = CallAlignment::of(tokens, &kinds).work();
    assert!(work < MOST_STEPS * (a.len() + b.len() + 10) as u64, "{work} steps");
    numbered(&whole, tokens, &mut choices);
}

/// Of each byte as a token: one of eight names, and whether it begins a call, ends one or does
/// neither. The rest of its bits are its arguments.
fn kinds(has_calls: bool) -> Kinds {
    const KINDS: [&str; 4] = ["enter", "leave", "event", "event"];
    let calls: [&[&str]; 2] = if has_calls { [&["enter"], &["leave"]] } else { [&[], &[]] };
    let same = Same { name: true, fields: &["kind"], full: &["kind"], of: None, calls, threads_by_id: true };
    let mut contents = Contents::default();
    for token in 0..=u8::MAX {
        let mut content = Vec::new();
        let texts =
            [(1, format!("f{}", token % 8)), (11, "kind".into()), (7, KINDS[usize::from(token >> 3) % 4].into())];
        for (kind, text) in texts {
            content.push(kind);
            content.extend((text.len() as u32).to_le_bytes());
            content.extend(text.bytes());
        }
        content.push(token);
        assert_eq!(contents.number(&content), token.into());
    }
    Kinds::of(&contents, &same)
}

/// Whether what a difference is said to be is possible.
fn fits(what: &What, [a, b]: [&[u32]; 2], kinds: &Kinds) {
    assert!(!a.is_empty() || !b.is_empty());
    match what {
        What::OnlyA => assert!(b.is_empty(), "{b:?}"),
        What::OnlyB => assert!(a.is_empty(), "{a:?}"),
        What::Order => assert!(a.is_empty() != b.is_empty()),
        What::Arguments => {
            assert_eq!(a.len(), b.len());
            let names = |side: &[u32]| side.iter().map(|token| kinds.name(*token)).collect::<Vec<_>>();
            assert_eq!(names(a), names(b));
        }
        // The loop may go on beyond other differences.
        What::Iterations { records, counts, .. } => assert!(*records > 0 && counts[0] != counts[1]),
        What::Inside { .. } | What::Other => {}
    }
    assert!(!what.word().is_empty() && !what.phrase("record").is_empty());
}

/// Where records are left out, the same records differ by their numbers.
fn numbered(found: &Differences, tokens: [TokenSlice<'_>; 2], choices: &mut Choices) {
    let one_in = 1 + choices.below(50);
    let mut numbers: [Vec<u32>; 2] = Default::default();
    let sequences = [0, 1].map(|side| {
        let mut left_out = Vec::new();
        let mut next = 0;
        for _ in tokens[side].iter() {
            while choices.below(one_in) == 1 {
                left_out.push(next);
                next += 1;
            }
            numbers[side].push(next);
            next += 1;
        }
        Sequence { tokens: tokens[side].iter().collect(), left_out, ..Sequence::default() }
    });
    let of_records = found.clone().numbered([Some(&sequences[0]), Some(&sequences[1])]);
    for (hunk, with) in found.hunks.iter().zip(&of_records.hunks) {
        for (numbers, (from, to), range) in [(&numbers[0], hunk.a, with.a), (&numbers[1], hunk.b, with.b)] {
            let records = &numbers[from as usize..to as usize];
            assert!(records.iter().all(|number| (range.0..range.1).contains(number)), "{range:?}");
            let [before, after] = [from.checked_sub(1), Some(to)].map(|at| numbers.get(at? as usize).copied());
            assert!(before.is_none_or(|before| before < range.0) && after.is_none_or(|after| after >= range.1));
        }
    }
    let alike = |found: &Differences| found.alike.iter().map(|run| u64::from(run.length)).sum::<u64>();
    assert_eq!(alike(found), alike(&of_records));
    for run in &of_records.alike {
        for (numbers, from) in [(&numbers[0], run.a), (&numbers[1], run.b)] {
            let at = numbers.binary_search(&from).unwrap();
            assert_eq!(numbers[at + run.length as usize - 1], from + run.length - 1);
        }
    }
}
