//! Sequences that are hard to align: the work is counted, with and without calls.

use unspool_trace::records::Same;

use crate::align::Alignment;
use crate::calls::CallAlignment;
use crate::contents::{Contents, KEYS};
use crate::kinds::Kinds;
use crate::token_list::TokenSlice;

const SAME: Same = Same {
    name: true,
    fields: &["kind"],
    full: &["kind"],
    of: None,
    calls: [&["enter"], &["leave"]],
    threads_by_id: true,
};

/// Functions whose calls begin with twice their number, and end with one more.
const FUNCTIONS: u32 = 1000;

/// Steps for each token at most, whatever the tokens are.
const MOST: u64 = 200;
/// Steps for each token that may differ between two sizes.
const FEW: u64 = 10;

fn kinds() -> Kinds {
    let mut contents = Contents::default();
    let text = |content: &mut Vec<u8>, kind: u8, text: &str| {
        content.push(kind);
        content.extend((text.len() as u32).to_le_bytes());
        content.extend(text.bytes());
    };
    for token in 0..2 * FUNCTIONS {
        let mut content = Vec::new();
        text(&mut content, 1, &format!("f{}", token / 2));
        content.push(KEYS);
        text(&mut content, 7, if token % 2 == 0 { "enter" } else { "leave" });
        assert_eq!(contents.number(&content), token);
    }
    Kinds::of(&contents, &SAME)
}

/// Calls one after the other.
fn flat(functions: impl Iterator<Item = u32>) -> Vec<u32> {
    functions.flat_map(|function| [2 * function, 2 * function + 1]).collect()
}

/// Each call in the one before it.
fn deep(functions: impl DoubleEndedIterator<Item = u32> + Clone) -> Vec<u32> {
    let ends = functions.clone().rev().map(|function| 2 * function + 1);
    functions.map(|function| 2 * function).chain(ends).collect()
}

/// Pairs of about `count` records a side.
fn pairs(count: u32) -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    let half = count / 2;
    let random = |seed: u64, kinds: u32| {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % kinds
        })
    };
    let loops =
        |turns_differ: u32| (0..half).map(move |n| if n / 500 % 50 == turns_differ { 600 + n % 7 } else { n % 500 });
    let numbers = |seed: u64, kinds: u32| -> Vec<u32> { random(seed, kinds).take(half as usize).collect() };
    vec![
        ("other periods", flat((0..half).map(|n| n % 7)), flat((0..half).map(|n| n % 11))),
        ("loops", flat(loops(3)), flat(loops(31).skip(137))),
        ("backwards", flat((0..half).map(|n| n % 900)), flat((0..half).rev().map(|n| n % 900))),
        ("random, two", flat(random(1, 2).take(half as usize)), flat(random(2, 2).take(half as usize))),
        ("random, many", flat(random(1, 900).take(half as usize)), flat(random(2, 900).take(half as usize))),
        ("equal but one", flat((0..half).map(|n| u32::from(n == half / 3))), flat((0..half).map(|_| 0))),
        ("one of many", flat((0..half).map(|n| n % 900)), flat([5].into_iter())),
        ("one of equal ones", flat((0..half).map(|_| 5)), flat([5].into_iter())),
        ("nothing in common", flat((0..half).map(|n| n % 400)), flat((0..half).map(|n| 500 + n % 400))),
        ("deep", deep((0..half).map(|n| n % 7)), deep((0..half / 2).map(|n| n % 7))),
        ("deep and flat", deep((0..half).map(|n| n % 7)), flat((0..half).map(|n| n % 7))),
        ("deep, random", deep(numbers(3, 3).into_iter()), deep(numbers(4, 3).into_iter())),
        (
            "wrapped each",
            flat((0..half).map(|n| n % 3)),
            (0..half / 2).flat_map(|n| deep([900, n % 3].into_iter())).collect(),
        ),
        (
            "wrapped all",
            flat((0..half).map(|n| n % 9)),
            [vec![1800], flat((0..half).map(|n| n % 9)), vec![1801]].concat(),
        ),
        ("begins alone", (0..count).map(|n| n % 3 * 2).collect(), (0..count).map(|n| n % 4 * 2).collect()),
        ("begins and ends", vec![0; count as usize], vec![1; count as usize]),
        ("any", random(5, 6).take(count as usize).collect(), random(6, 6).take(count as usize).collect()),
    ]
}

/// Counts the work at two sizes.
fn check(work: impl Fn([TokenSlice<'_>; 2]) -> u64) {
    let (small, large) = (pairs(80_000), pairs(160_000));
    for ((name, a, b), (_, more_a, more_b)) in small.iter().zip(&large) {
        let (once, twice) = (work([a, b].map(TokenSlice::from)), work([more_a, more_b].map(TokenSlice::from)));
        let tokens = (more_a.len() + more_b.len()) as u64;
        assert!(twice < MOST * tokens, "{name}: {} steps for each token", twice / tokens);
        // What is cheap may depend on chance.
        assert!(twice <= once * 21 / 10 + FEW * tokens, "{name}: {once} steps, and {twice} for twice as many tokens");
    }
}

#[test]
fn work_without_calls_is_linear() {
    check(|[a, b]| Alignment::of(a, b).work());
}

#[test]
fn work_with_calls_is_linear() {
    let kinds = kinds();
    check(|tokens| CallAlignment::of(tokens, &kinds).work());
}

#[test]
fn two_threads_find_what_turns_find() {
    let kinds = kinds();
    for (name, a, b) in pairs(160_000) {
        let tokens = [&a, &b].map(TokenSlice::from);
        let lengths = tokens.map(|tokens| tokens.len() as u32);
        let at_once = CallAlignment::of(tokens, &kinds);
        let mut parts = CallAlignment::new(lengths);
        while !parts.turn(tokens, &kinds, 10_000) {}
        assert_eq!(at_once.hunks(lengths), parts.hunks(lengths), "{name}");
        assert_eq!((at_once.wrappers(), at_once.work()), (parts.wrappers(), parts.work()), "{name}");
    }
}
