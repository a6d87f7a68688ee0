//! What differs between two threads: their records are aligned, and the hunks are told apart. In
//! turns of bounded work.

use crate::align::{Alignment, Hunk, Run};
use crate::calls::{CallAlignment, Wrapper};
use crate::hunks::Classifier;
use crate::kinds::Kinds;
use crate::sequence::Sequence;
use crate::token_list::TokenSlice;
use crate::what::What;

/// How the records of two threads are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How {
    /// As few records as possible remain without a counterpart, whatever calls they are in.
    pub flat: bool,
    /// Also which records of hunks are alike.
    pub alike: bool,
}

/// A comparison that is under way. Tokens and kinds are handed over with each turn, and must be the
/// same each time.
pub struct Differ {
    stage: Stage,
    how: How,
    lengths: [u32; 2],
}

enum Stage {
    Records(Alignment),
    Calls(Box<CallAlignment>),
    Hunks(Vec<Hunk>, Box<Classifier>),
}

/// What differs between two threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// What has no counterpart, in order.
    pub hunks: Vec<Hunk>,
    /// What each of them is.
    pub what: Vec<What>,
    /// The records of hunks that are alike, if they were wanted.
    pub alike: Vec<Run>,
}

/// Records at the end of a beginning that may be cut off there.
const CUT: usize = 64;

/// Where the first difference of two threads begins, of which no more than the beginning was read:
/// what is behind it counts on neither side.
#[must_use]
pub fn first([a, b]: [&Sequence; 2], kinds: &Kinds, how: How) -> Option<[u32; 2]> {
    let tokens = [a.tokens.as_slice(), b.tokens.as_slice()];
    let whole = a.tokens.len().min(b.tokens.len()).saturating_sub(CUT);
    let at = Some(tokens[0].common(tokens[1])).filter(|at| *at < whole)?;
    // A call that only one side has may begin as the next one does.
    let found = Differ::of(tokens, kinds, how).hunks.into_iter().next();
    let [in_a, in_b] = found.map_or([at as u32; 2], |hunk| [hunk.a.0, hunk.b.0]);
    Some([a.number(in_a), b.number(in_b)])
}

impl Differ {
    /// Nothing is compared yet.
    #[must_use]
    pub fn new(tokens: [TokenSlice<'_>; 2], kinds: &Kinds, how: How) -> Self {
        let lengths = tokens.map(|tokens| u32::try_from(tokens.len()).unwrap_or(u32::MAX));
        let has_calls = kinds.has_calls && !how.flat && lengths.iter().all(|length| *length < 1 << 31);
        let stage = match has_calls {
            true => Stage::Calls(Box::new(CallAlignment::new(lengths))),
            false => Stage::Records(Alignment::new(lengths)),
        };
        Self { stage, how, lengths }
    }

    /// Of whole threads, at once.
    #[must_use]
    pub fn of(tokens: [TokenSlice<'_>; 2], kinds: &Kinds, how: How) -> Differences {
        let mut differ = Self::new(tokens, kinds, how);
        if let Stage::Calls(alignment) = &mut differ.stage {
            alignment.link(tokens, kinds);
        }
        loop {
            if let Some(found) = differ.turn(tokens, kinds, u64::MAX) {
                return found;
            }
        }
    }

    /// Works for about `budget` steps. Returns what differs at the end, once.
    pub fn turn(&mut self, tokens: [TokenSlice<'_>; 2], kinds: &Kinds, budget: u64) -> Option<Differences> {
        let (hunks, wrappers): (Vec<Hunk>, &[Wrapper]) = match &mut self.stage {
            Stage::Records(alignment) => match alignment.turn(tokens, budget) {
                true => (alignment.hunks(), &[]),
                false => return None,
            },
            Stage::Calls(alignment) => match alignment.turn(tokens, kinds, budget) {
                true => (alignment.hunks(self.lengths), alignment.wrappers()),
                false => return None,
            },
            Stage::Hunks(hunks, classifier) => {
                let is_done = classifier.turn(tokens, kinds, hunks, budget);
                return is_done.then(|| Differences {
                    hunks: std::mem::take(hunks),
                    what: classifier.found().to_vec(),
                    alike: classifier.alike().to_vec(),
                });
            }
        };
        let classifier = Classifier::new(self.lengths, wrappers, self.how.alike);
        self.stage = Stage::Hunks(hunks, Box::new(classifier));
        None
    }
}

impl Differences {
    /// With numbers of records in place of those of tokens: other ones where records are left out.
    #[must_use]
    pub fn numbered(mut self, sides: [Option<&Sequence>; 2]) -> Self {
        if sides.iter().flatten().all(|side| side.left_out.is_empty()) {
            return self;
        }
        let number = |side: usize, token| sides.get(side).copied().flatten().map_or(token, |it| it.number(token));
        let range = |side: usize, range| sides.get(side).copied().flatten().map_or(range, |it| it.numbers(range));
        for hunk in &mut self.hunks {
            *hunk = Hunk { a: range(0, hunk.a), b: range(1, hunk.b) };
        }
        // A run goes on as long as no record is left out between its records.
        let until_left_out = |side: usize, number: u32| {
            let left_out = sides.get(side).copied().flatten().map_or(&[][..], |it| &it.left_out);
            let next = left_out.partition_point(|it| *it < number);
            left_out.get(next).map_or(u32::MAX, |next| *next - number)
        };
        let mut alike = Vec::new();
        for run in &self.alike {
            let mut at = 0;
            while at < run.length {
                let (a, b) = (number(0, run.a + at), number(1, run.b + at));
                let length = (run.length - at).min(until_left_out(0, a)).min(until_left_out(1, b)).max(1);
                alike.push(Run { a, b, length });
                at += length;
            }
        }
        self.alike = alike;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Role;

    const HOW: How = How { flat: false, alike: true };

    /// Kinds of letters: `(` and `)` begin and end calls of `f`, `[` and `]` of `g`, `{` and `}` of
    /// `h`, and two cases of a letter are one name with two arguments.
    fn kinds() -> Kinds {
        let (mut names, mut roles) = (Vec::new(), Vec::new());
        for token in 0..128_u8 {
            let (name, role) = match token {
                b'(' => ('f', Role::Begin),
                b')' => ('f', Role::End),
                b'[' => ('g', Role::Begin),
                b']' => ('g', Role::End),
                b'{' => ('h', Role::Begin),
                b'}' => ('h', Role::End),
                other => (char::from(other).to_ascii_lowercase(), Role::None),
            };
            names.push(name as u32);
            roles.push(role);
        }
        let texts = (0..128_u8).map(|name| char::from(name).to_string()).collect();
        Kinds::of_names(names, roles, texts)
    }

    fn tokens(text: &str) -> Vec<u32> {
        text.bytes().map(u32::from).collect()
    }

    /// What differs, by alignment of calls: the parts of both, and what they are.
    fn differences(a: &str, b: &str) -> Vec<(String, String, What)> {
        let (x, y) = (tokens(a), tokens(b));
        let found = Differ::of([&x, &y].map(TokenSlice::from), &kinds(), HOW);
        let part = |text: &str, (from, to): (u32, u32)| text.get(from as usize..to as usize).unwrap().to_string();
        found.hunks.iter().zip(found.what).map(|(hunk, what)| (part(a, hunk.a), part(b, hunk.b), what)).collect()
    }

    fn only(a: &str, b: &str, what: What) -> (String, String, What) {
        (a.into(), b.into(), what)
    }

    #[test]
    fn a_call_that_is_missing_shifts_nothing_in_other_callers() {
        // Without callers, the second `[x]` would be matched with the first.
        assert_eq!(differences("([x])([y])", "()([x])([y])"), [only("", "()", What::OnlyB)]);
        assert_eq!(differences("([x][y])(z[w])", "([y])(z[w])"), [only("[x]", "", What::OnlyA)]);
        assert_eq!(differences("([x])([x])", "([x])([X])"), [only("x", "X", What::Arguments)]);
        assert_eq!(differences("(abc)", "(abc)"), []);
    }

    #[test]
    fn calls_that_do_not_end_are_open_to_the_end() {
        assert_eq!(differences("(a[b]c)d", "(a[b"), [only("]c)d", "", What::OnlyA)]);
        assert_eq!(differences("(a[b", "(a[b]c)d"), [only("", "]c)d", What::OnlyB)]);
        // An inner call that does not end ends where the outer one does; ends alone are records.
        assert_eq!(differences(")(a[b)x", ")(a[b)x"), []);
        assert_eq!(differences(")(a[b)x", "](a[c)x").len(), 2);
    }

    #[test]
    fn a_call_that_was_put_around_others_is_found() {
        let inside = |in_b| What::Inside { outer: "h".into(), inner: "g".into(), in_b };
        let found = differences("(a[x][y]b)", "(a{[x][y]}b)");
        assert_eq!(found, [only("", "{", inside(true)), only("", "}", inside(true))]);
        let found = differences("(a{[x][y]}b)", "(a[x][y]b)");
        assert_eq!(found, [only("{", "", inside(false)), only("}", "", inside(false))]);
        assert_eq!(found[0].2.phrase("record"), "the calls of g are inside of h in A");
        // What is in it may differ, too.
        let found = differences("(a[x][y]b)", "(a{[x][z]}b)");
        assert_eq!(found[1], only("y", "z", What::Other));
    }

    #[test]
    fn a_loop_has_another_number_of_iterations() {
        let looped = |count: usize, body: &str| format!("s{}e", body.repeat(count));
        let found = differences(&looped(5, "ab"), &looped(3, "ab"));
        let what = What::Iterations { records: 2, counts: [5, 3], same: [true, true] };
        assert_eq!(found, [only("abab", "", what)]);
        assert_eq!(found[0].2.phrase("record"), "loop of 2 records: 5 iterations in A, 3 in B");
        let found = differences(&looped(2, "[x]"), &looped(3, "[x]"));
        assert_eq!(found[0].2, What::Iterations { records: 3, counts: [2, 3], same: [true, true] });
        // Arguments differ from turn to turn.
        let found = differences("saaAae", "saaAaaBe");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].2, What::OnlyB);
        let found = differences("saaAae", "saaAaaAe");
        assert_eq!(found[0].2, What::Iterations { records: 1, counts: [4, 6], same: [true, false] });
        assert_eq!(differences("sxe", "se")[0].2, What::OnlyA);
    }

    #[test]
    fn what_moved_has_another_order() {
        let found = differences("(pqrst)", "(qrstp)");
        assert_eq!(found, [only("p", "", What::Order), only("", "p", What::Order)]);
        assert_eq!(differences("(pqrst)", "(qrstx)")[0].2, What::OnlyA);
    }

    #[test]
    fn work_is_linear_on_calls_that_are_nested_deeply_or_loop() {
        let count = 100_000;
        let deep = |inner: &str| tokens(&format!("{}{inner}{}", "(".repeat(count), ")".repeat(count)));
        let flat = |body: &str| tokens(&body.repeat(count));
        let pairs = [
            (deep("x"), deep("y")),
            (deep("x"), flat("(x)")),
            (flat("(x)"), flat("[x]")),
            (flat("([x])"), flat("([y])")),
            (flat("("), flat(")")),
            (flat("([)"), flat("(])")),
            (flat("[x]"), deep("[x]")),
            (flat("(x)"), tokens("(x)")),
        ];
        for (n, (a, b)) in pairs.iter().enumerate() {
            let kinds = kinds();
            let found = CallAlignment::of([a, b].map(TokenSlice::from), &kinds);
            let per_token = found.work() / (a.len() + b.len()) as u64;
            assert!(per_token < 200, "{n}: {per_token} steps for each token");
            let found = Differ::of([a, b].map(TokenSlice::from), &kinds, HOW);
            assert_eq!(found.what.len(), found.hunks.len());
        }
    }

    #[test]
    fn turns_give_what_one_turn_gives() {
        let mut state = 5_u64;
        let mut text = |count: usize| -> String {
            let letters = b"()[]{}abcABC";
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                letters[(state >> 33) as usize % letters.len()].into()
            };
            (0..count).map(|_| next()).collect::<Vec<char>>().iter().collect()
        };
        for _ in 0..200 {
            let (a, b) = (text(300), text(280));
            let (x, y) = (tokens(&a), tokens(&b));
            let whole = Differ::of([&x, &y].map(TokenSlice::from), &kinds(), HOW);
            let mut parts = Differ::new([&x, &y].map(TokenSlice::from), &kinds(), HOW);
            let found = loop {
                if let Some(found) = parts.turn([&x, &y].map(TokenSlice::from), &kinds(), 20) {
                    break found;
                }
            };
            assert_eq!(found, whole);
            // What lies between hunks is equal.
            let mut at = (0, 0);
            let end = Hunk { a: (300, 300), b: (280, 280) };
            for hunk in whole.hunks.iter().chain([&end]) {
                let equal = &x[at.0 as usize..hunk.a.0 as usize];
                assert_eq!(equal, &y[at.1 as usize..hunk.b.0 as usize], "{a} {b}");
                at = (hunk.a.1, hunk.b.1);
            }
            let first = x.iter().zip(&y).take_while(|(x, y)| x == y).count() as u32;
            let of_alignment = Alignment::of(&x, &y).hunks();
            assert_eq!(whole.hunks[0].a.0, first, "{a} {b}");
            assert_eq!(of_alignment[0].a.0, first);
        }
    }

    #[test]
    fn the_first_difference_is_not_where_a_beginning_ends() {
        let sequence = |length: usize, other: usize, left_out: &[u32]| {
            let mut tokens = vec![7; length];
            tokens.iter_mut().skip(other).for_each(|token| *token = 8);
            Sequence { tokens: tokens.into_iter().collect(), left_out: left_out.to_vec(), ..Sequence::default() }
        };
        let a = sequence(300, 300, &[]);
        let first = |b: &Sequence| first([&a, b], &kinds(), HOW);
        assert_eq!(first(&sequence(200, 100, &[3, 5])), Some([100, 102]));
        assert_eq!(first(&sequence(200, 135, &[])), Some([135, 135]));
        assert_eq!(first(&sequence(200, 136, &[])), None);
        assert_eq!(first(&sequence(3, 0, &[])), None);
    }

    #[test]
    fn records_that_are_left_out_count_in_numbers() {
        let sequence = |tokens: &[u32], left_out: &[u32]| Sequence {
            tokens: tokens.iter().copied().collect(),
            left_out: left_out.to_vec(),
            ..Sequence::default()
        };
        let (a, b) = (tokens("xABCy"), tokens("xabcdy"));
        let found = Differ::of([&a, &b].map(TokenSlice::from), &kinds(), HOW);
        assert_eq!(found.alike, [Run { a: 1, b: 1, length: 3 }]);
        let sides = [sequence(&a, &[0, 3]), sequence(&b, &[4])];
        let found = found.numbered([Some(&sides[0]), Some(&sides[1])]);
        assert_eq!(found.hunks, [Hunk { a: (2, 6), b: (1, 6) }]);
        let run = |a, b, length| Run { a, b, length };
        assert_eq!(found.alike, [run(2, 1, 1), run(4, 2, 2)]);
    }

    #[test]
    fn the_first_difference_of_a_beginning_is_that_of_the_whole() {
        // The call that only B has begins as the one after it does.
        let calls = |of: std::ops::Range<u32>| -> String {
            of.map(|n| (0..6).map(|bit| if n >> bit & 1 == 0 { 'a' } else { 'b' }).collect::<String>())
                .map(|inner| format!("({inner})"))
                .collect()
        };
        let (a, b) = (calls(0..64), format!("{}(y){}", calls(0..40), calls(40..64)));
        for (how, begin) in [(HOW, 320), (How { flat: true, ..HOW }, 321)] {
            let (x, y) = (tokens(&a), tokens(&b));
            let whole = Differ::of([&x, &y].map(TokenSlice::from), &kinds(), how);
            assert_eq!((whole.hunks[0].a.0, whole.hunks[0].b.0), (begin, begin));
            let part =
                |tokens: &[u32]| Sequence { tokens: tokens[..420].iter().copied().collect(), ..Sequence::default() };
            assert_eq!(super::first([&part(&x), &part(&y)], &kinds(), how), Some([begin; 2]));
        }
    }
}
