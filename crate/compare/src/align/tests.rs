use super::*;

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn tokens(&mut self, count: usize, kinds: u64) -> Vec<u32> {
        (0..count).map(|_| self.below(kinds) as u32).collect()
    }
}

/// Checks that runs rise and are equal, and returns how many tokens have no counterpart.
fn unmatched(alignment: &Alignment, a: &[u32], b: &[u32]) -> usize {
    let mut at = (0, 0);
    let mut matched = 0;
    for run in alignment.runs() {
        assert!(run.a >= at.0 && run.b >= at.1, "{run:?} after {at:?}");
        at = (run.a + run.length, run.b + run.length);
        assert_eq!(a[run.a as usize..at.0 as usize], b[run.b as usize..at.1 as usize]);
        matched += run.length as usize;
    }
    let left: u32 = alignment.hunks().iter().map(|hunk| hunk.a.1 - hunk.a.0 + hunk.b.1 - hunk.b.0).sum();
    assert_eq!(left as usize, a.len() + b.len() - 2 * matched);
    left as usize
}

fn left(a: &[u32], b: &[u32]) -> usize {
    unmatched(&Alignment::of(a, b), a, b)
}

#[test]
fn equal_sequences_are_one_run() {
    let a = Random(1).tokens(1000, 50);
    let alignment = Alignment::of(&a, &a);
    assert_eq!(alignment.runs(), [Run { a: 0, b: 0, length: 1000 }]);
    assert_eq!(alignment.hunks(), []);
    assert_eq!(left(&[], &[]), 0);
    assert_eq!(left(&a, &[]), 1000);
    assert_eq!(Alignment::of(&[], &a).hunks(), [Hunk { a: (0, 0), b: (0, 1000) }]);
}

#[test]
fn the_first_hunk_begins_where_they_first_differ() {
    let alignment = Alignment::of(&[1, 1, 2], &[1, 2]);
    assert_eq!(alignment.hunks(), [Hunk { a: (1, 2), b: (1, 1) }]);
}

#[test]
fn edits_are_found_in_long_sequences() {
    let mut random = Random(3);
    let a = random.tokens(200_000, 3000);
    let mut b = Vec::new();
    let mut edits = 0;
    for (i, token) in a.iter().enumerate() {
        match random.below(500) {
            0 => edits += 1,
            1 => {
                b.extend([5000, *token]);
                edits += 1;
            }
            2 => {
                b.push(6000 + i as u32);
                edits += 2;
            }
            _ => b.push(*token),
        }
    }
    assert_eq!(left(&a, &b), edits);
}

#[test]
fn a_loop_with_another_number_of_turns_leaves_whole_turns() {
    let body = Random(4).tokens(37, 1000);
    let turns = |count: usize| body.repeat(count);
    let a = [turns(3000), vec![2000; 5]].concat();
    let b = [turns(2700), vec![2000; 5]].concat();
    assert_eq!(Alignment::of(&a, &b).hunks(), [Hunk { a: (2700 * 37, 3000 * 37), b: (2700 * 37, 2700 * 37) }]);
    // With something between the turns, twice: 5 + 7 tokens more, and 100 turns less.
    let b = [turns(900), vec![3000; 5], turns(1100), vec![3001; 7], turns(900), vec![2000; 5]].concat();
    assert_eq!(left(&a, &b), 100 * 37 + 12);
}

#[test]
fn a_loop_behind_something_long_that_one_side_has_alone_is_matched() {
    let mut random = Random(9);
    let body = random.tokens(50, 1000);
    let (before, after) = (random.tokens(3000, 90_000), random.tokens(3000, 90_000));
    let mut turns = body.repeat(1200);
    // Another loop comes in between, and both loops differ in a turn, so that neither end leads
    // through.
    let between = random.tokens(70, 1000).repeat(600);
    let a = [before.clone(), turns.clone(), after.clone()].concat();
    turns[100] = 95_000;
    turns[59_000] = 95_001;
    let b = [before, between.clone(), turns, after].concat();
    assert_eq!(left(&a, &b), between.len() + 4);
}

#[test]
fn what_moved_is_matched_around() {
    let mut random = Random(5);
    let a = random.tokens(100_000, 100_000);
    let b = [&a[..20_000], &a[30_000..70_000], &a[20_000..30_000], &a[70_000..]].concat();
    assert_eq!(left(&a, &b), 20_000);
}

/// Work for each token, on inputs that have no structure, too much of it, or none in common.
#[test]
fn work_is_linear_on_hostile_inputs() {
    let mut random = Random(6);
    let count = 300_000;
    let periodic = |period: usize| (0..count).map(|i| (i % period) as u32).collect::<Vec<_>>();
    let shifted: Vec<u32> = periodic(1000).into_iter().rev().collect();
    let pairs = [
        (random.tokens(count, 2), random.tokens(count, 2)),
        (random.tokens(count, 500), random.tokens(count, 500)),
        (periodic(1000), shifted),
        (periodic(7), periodic(11)),
        (vec![1; count], vec![2; count]),
        (vec![1; count], periodic(2)),
        (random.tokens(count, 1000), vec![5]),
    ];
    for (n, (a, b)) in pairs.iter().enumerate() {
        let alignment = Alignment::of(a, b);
        unmatched(&alignment, a, b);
        let per_token = alignment.work() / (a.len() + b.len()) as u64;
        assert!(per_token < 200, "{n}: {per_token} steps for each token");
    }
}

#[test]
fn turns_give_what_one_turn_gives() {
    let mut random = Random(8);
    let a = random.tokens(60_000, 40);
    let mut b = a.clone();
    b.drain(5_000..9_000);
    for i in (0..b.len()).step_by(777) {
        b[i] = 99;
    }
    let whole = Alignment::of(&a, &b);
    let mut parts = Alignment::new([a.len() as u32, b.len() as u32]);
    let mut turns = 0;
    while !parts.turn([&a, &b].map(TokenSlice::from), 5_000) {
        turns += 1;
    }
    assert!(turns > 20);
    assert_eq!(parts.runs(), whole.runs());
}

/// A loop with a step in each turn that is one of a few, by a rule or at random: the tokens of one
/// side.
struct Turns {
    period: usize,
    kinds: u64,
    rule: u32,
}

impl Turns {
    fn tokens(&self, random: &mut Random, side: u64, turns: usize) -> Vec<u32> {
        let body: Vec<u32> = (0..self.period as u32 - 1).map(|i| 100_000 + i).collect();
        let mut tokens = Vec::new();
        for turn in 0..turns as u64 {
            let mut at = self.period / 2;
            let step = match self.rule {
                0 => random.below(self.kinds) as u32,
                1 => ((turn + side * 7) % self.kinds) as u32,
                2 => (turn * (1 + side) % self.kinds) as u32,
                3 => (turn / (1 + side) % self.kinds) as u32,
                // Another one of the body, anywhere.
                _ => {
                    at = random.below(self.period as u64) as usize;
                    100_000 + random.below(self.period as u64 - 1) as u32
                }
            };
            tokens.extend_from_slice(&body[..at]);
            tokens.push(step);
            tokens.extend_from_slice(&body[at..]);
        }
        tokens
    }
}

/// Steps for each token at most, in what follows.
const MOST_STEPS: u64 = 400;

#[test]
fn loops_that_differ_in_a_step_of_each_turn_are_matched_nearly_as_well_as_can_be() {
    let mut random = Random(11);
    for period in [3, 20, 100, 700] {
        for (kinds, rule) in [2, 8, 1000].into_iter().flat_map(|kinds| (0..5).map(move |rule| (kinds, rule))) {
            // More than a matrix takes.
            let turns = 13_000 / period;
            let of = Turns { period, kinds, rule };
            let (a, b) = (of.tokens(&mut random, 0, turns), of.tokens(&mut random, 1, turns));
            assert!(a.len() as u64 * b.len() as u64 > gaps::MOST_BITS);
            let alignment = Alignment::of(&a, &b);
            let found = unmatched(&alignment, &a, &b);
            let best = a.len() + b.len() - 2 * gaps::longest(&a, &b, &mut 0).len();
            assert!(found * 100 <= best * 115, "{period} {kinds} {rule}: {found} of at least {best}");
            let steps = alignment.work() / (a.len() + b.len()) as u64;
            assert!(steps < MOST_STEPS, "{period} {kinds} {rule}: {steps} steps for each token");
        }
    }
}

#[test]
fn long_loops_that_differ_in_a_step_of_each_turn_lose_little_more_than_these_steps() {
    let mut random = Random(12);
    let around = random.tokens(40_000, 1_000_000);
    for (period, kinds) in [(20, 1000), (100, 8), (100, 1000)] {
        let turns = 600_000 / period;
        let of = Turns { period, kinds, rule: 0 };
        let (a, b) = (of.tokens(&mut random, 0, turns), of.tokens(&mut random, 1, turns));
        let (a, b) = ([&around[..], &a].concat(), [&around[..], &b, &a[..7]].concat());
        let alignment = Alignment::of(&a, &b);
        let found = unmatched(&alignment, &a, &b);
        // Each turn matched with its own.
        let most = 2 * turns + 7;
        assert!(found * 100 <= most * 105, "{period} {kinds}: {found}, but {most} would do");
        let steps = alignment.work() / (a.len() + b.len()) as u64;
        assert!(steps < MOST_STEPS, "{period} {kinds}: {steps} steps for each token");
    }
}

#[test]
fn what_is_in_doubt_is_compared_in_turns_as_at_once() {
    let mut random = Random(13);
    let of = Turns { period: 100, kinds: 1000, rule: 0 };
    let (a, b) = (of.tokens(&mut random, 0, 1000), of.tokens(&mut random, 1, 1000));
    let whole = Alignment::of(&a, &b);
    let mut parts = Alignment::new([a.len() as u32, b.len() as u32]);
    while !parts.turn([&a, &b].map(TokenSlice::from), 5_000) {}
    assert_eq!(parts.runs(), whole.runs());
}
