//! What a difference is: only on one side, other arguments, another order, another number of
//! iterations.

use std::collections::{BTreeMap, HashMap};

use unspool_trace::records::Same;

use crate::align::Hunk;
use crate::calls::Wrapper;
use crate::sentence::grouped;
use crate::tokens::{Contents, kind_of, name_of};

/// What a record has to do with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It begins one.
    Begin,
    /// It ends one.
    End,
    /// Nothing.
    None,
}

/// Names and roles of records, by their tokens.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    /// Number of the name, by token. A record without a name has a number of its own.
    names: Vec<u32>,
    roles: Vec<Role>,
    texts: Vec<String>,
    /// Whether any token begins a call.
    pub has_calls: bool,
}

impl Kinds {
    /// Of what tokens stand for.
    #[must_use]
    pub fn of(contents: &Contents, same: &Same) -> Self {
        let mut kinds = Self::default();
        let mut known: HashMap<&[u8], u32> = HashMap::new();
        for content in contents.iter() {
            let name = if same.name { name_of(content) } else { None };
            let number = kinds.texts.len() as u32;
            let name = match name {
                Some((key, text)) => *known.entry(key).or_insert_with(|| {
                    kinds.texts.push(text);
                    number
                }),
                None => {
                    kinds.texts.push(String::new());
                    number
                }
            };
            let role = if same.calls[0].is_empty() { Role::None } else { role_of(content, same) };
            kinds.has_calls |= role == Role::Begin;
            kinds.names.push(name);
            kinds.roles.push(role);
        }
        kinds
    }

    /// The number of the name of a token.
    #[must_use]
    pub fn name(&self, token: u32) -> u32 {
        self.names.get(token as usize).copied().unwrap_or(u32::MAX)
    }

    /// What a token has to do with calls.
    #[must_use]
    pub fn role(&self, token: u32) -> Role {
        self.roles.get(token as usize).copied().unwrap_or(Role::None)
    }

    /// The name of a token, empty if it has none.
    #[must_use]
    pub fn text(&self, token: u32) -> &str {
        self.texts.get(self.name(token) as usize).map_or("", String::as_str)
    }

    /// Whether two tokens have the same name and role: records that differ in arguments at most.
    fn alike(&self, a: u32, b: u32) -> bool {
        self.name(a) == self.name(b) && self.role(a) == self.role(b)
    }
}

fn role_of(content: &[u8], same: &Same) -> Role {
    let kind = kind_of(content).unwrap_or_default();
    let is = |kinds: &[&str]| kinds.iter().any(|it| it.as_bytes() == kind);
    match same.calls {
        [begins, _] if is(begins) => Role::Begin,
        [_, ends] if is(ends) => Role::End,
        _ => Role::None,
    }
}

/// What a difference is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Records that only A has.
    OnlyA,
    /// Records that only B has.
    OnlyB,
    /// Records with the same names in the same order, and other arguments.
    Arguments,
    /// Records that the other side has somewhere else.
    Order,
    /// A loop with another number of iterations.
    Iterations {
        /// Records of an iteration.
        records: u32,
        /// Iterations of the loop in A and in B.
        counts: [u32; 2],
        /// Whether the first iterations are the same, and the last ones.
        same: [bool; 2],
    },
    /// A call that was put around others, or taken away from around them.
    Inside {
        /// The name of the call around.
        outer: String,
        /// The name of the first call in it.
        inner: String,
        /// Whether B has it.
        in_b: bool,
    },
    /// Other records.
    Other,
}

impl What {
    /// A word for programs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::OnlyA => "only a",
            Self::OnlyB => "only b",
            Self::Arguments => "arguments",
            Self::Order => "order",
            Self::Iterations { .. } => "iterations",
            Self::Inside { .. } => "inside",
            Self::Other => "other",
        }
    }

    /// A phrase for people. `noun` is what a record is called, in the singular.
    #[must_use]
    pub fn phrase(&self, noun: &str) -> String {
        match self {
            Self::OnlyA => "only in A".into(),
            Self::OnlyB => "only in B".into(),
            Self::Arguments => "other arguments".into(),
            Self::Order => "other order".into(),
            Self::Other => format!("other {noun}s"),
            Self::Inside { outer, inner, in_b } => {
                format!("the calls of {inner} are inside of {outer} in {}", if *in_b { "B" } else { "A" })
            }
            Self::Iterations { records, counts: [a, b], same } => {
                let plural = if *records == 1 { "" } else { "s" };
                let [a_count, b_count] = [a, b].map(|count| grouped(u64::from(*count)));
                let plural_a = if *a == 1 { "" } else { "s" };
                let ends = match same {
                    [true, true] => "",
                    [false, true] => "; the first ones differ",
                    [true, false] => "; the last ones differ",
                    [false, false] => "; the first and the last ones differ",
                };
                format!(
                    "loop of {} {noun}{plural}: {a_count} iteration{plural_a} in A, {b_count} in B{ends}",
                    grouped(u64::from(*records))
                )
            }
        }
    }
}

/// Records of a hunk that are looked at for an order or a loop, at most.
const MOST: usize = 1 << 20;

/// What each hunk is. Takes time in proportion to the number of tokens: what is left over once `8`
/// steps were taken for each of them is not told apart.
#[must_use]
pub fn classify(tokens: [&[u32]; 2], kinds: &Kinds, hunks: &[Hunk], wrappers: &[Wrapper]) -> Vec<What> {
    let mut ends = BTreeMap::new();
    for wrapper in wrappers {
        ends.insert((wrapper.side, wrapper.begin), wrapper);
        if let Some(end) = wrapper.end {
            ends.insert((wrapper.side, end), wrapper);
        }
    }
    let mut left = 8 * (tokens[0].len() + tokens[1].len()) as u64;
    let sides = hunks.iter().map(|hunk| [cut(tokens[0], hunk.a), cut(tokens[1], hunk.b)]);
    let mut found: Vec<What> = sides
        .zip(hunks)
        .map(|(sides, hunk)| {
            inside(tokens, kinds, hunk, &ends)
                .or_else(|| iterations(tokens, kinds, hunk, &mut left))
                .unwrap_or_else(|| plain(sides, kinds))
        })
        .collect();
    moved(tokens, hunks, &mut found);
    found
}

fn cut(tokens: &[u32], (from, to): (u32, u32)) -> &[u32] {
    tokens.get(from as usize..to as usize).unwrap_or_default()
}

fn plain([a, b]: [&[u32]; 2], kinds: &Kinds) -> What {
    match (a.len(), b.len()) {
        (_, 0) => return What::OnlyA,
        (0, _) => return What::OnlyB,
        _ => {}
    }
    if a.len() != b.len() || a.len() > MOST {
        return What::Other;
    }
    if a.iter().zip(b).all(|(a, b)| kinds.alike(*a, *b)) {
        return What::Arguments;
    }
    let sorted = |tokens: &[u32]| {
        let mut tokens = tokens.to_vec();
        tokens.sort_unstable();
        tokens
    };
    if sorted(a) == sorted(b) { What::Order } else { What::Other }
}

/// Finds what only A has at one place and only B at another.
fn moved(tokens: [&[u32]; 2], hunks: &[Hunk], found: &mut [What]) {
    let mut alone: HashMap<&[u32], Vec<usize>> = HashMap::new();
    for (number, (hunk, what)) in hunks.iter().zip(found.iter()).enumerate().rev() {
        if *what == What::OnlyA && hunk.a.1 - hunk.a.0 <= MOST as u32 {
            alone.entry(cut(tokens[0], hunk.a)).or_default().push(number);
        }
    }
    for (number, hunk) in hunks.iter().enumerate() {
        if found.get(number) != Some(&What::OnlyB) {
            continue;
        }
        let other = alone.get_mut(cut(tokens[1], hunk.b)).and_then(Vec::pop);
        for number in other.map_or([None; 2], |other| [Some(other), Some(number)]).into_iter().flatten() {
            if let Some(what) = found.get_mut(number) {
                *what = What::Order;
            }
        }
    }
}

/// Whether one of the calls that only one side has around others begins or ends in a hunk.
fn inside(tokens: [&[u32]; 2], kinds: &Kinds, hunk: &Hunk, ends: &BTreeMap<(usize, u32), &Wrapper>) -> Option<What> {
    let sides = [(0, hunk.a), (1, hunk.b)];
    let mut found = sides.iter().filter_map(|(side, (from, to))| ends.range((*side, *from)..(*side, *to)).next());
    let (_, wrapper) = found.next()?;
    let text = |side: usize, at: u32| tokens.get(side)?.get(at as usize).map(|token| kinds.text(*token).to_string());
    Some(What::Inside {
        outer: text(wrapper.side, wrapper.begin)?,
        inner: text(1 - wrapper.side, wrapper.inner)?,
        in_b: wrapper.side == 1,
    })
}

/// Whether a hunk has iterations of a loop that both sides have.
fn iterations(tokens: [&[u32]; 2], kinds: &Kinds, hunk: &Hunk, left: &mut u64) -> Option<What> {
    let [a, b] = [hunk.a, hunk.b];
    // The longer side says what an iteration is.
    let (side, of, other) = if a.1 - a.0 > b.1 - b.0 { (0, a, b) } else { (1, b, a) };
    let here = tokens.get(side)?;
    let there = tokens.get(1 - side)?;
    let body = cut(here, of);
    if body.is_empty() || body.len() > MOST || (a.1 - a.0) == (b.1 - b.0) || *left < 8 * body.len() as u64 {
        return None;
    }
    let name = |token: &u32| (kinds.name(*token), kinds.role(*token));
    *left -= 4 * body.len() as u64;
    let period = period(body, |token| name(token));
    if !body.len().is_multiple_of(period) {
        return None;
    }
    let body = body.get(..period)?;
    // How far names go on as in a loop, to the left of a place and to its right.
    let mut reach = |tokens: &[u32], (from, to): (u32, u32)| -> Option<(usize, usize)> {
        let before = tokens.get(..from as usize)?.iter().rev();
        let after = tokens.get(to as usize..)?.iter();
        let back = before.zip(body.iter().rev().cycle()).take_while(|(is, wanted)| name(is) == name(wanted)).count();
        let on = after.zip(body.iter().cycle()).take_while(|(is, wanted)| name(is) == name(wanted)).count();
        *left = left.saturating_sub((back + on) as u64);
        // Of a loop, whole iterations count.
        Some((from as usize - back / period * period, to as usize + on / period * period))
    };
    let whole = |tokens: &[u32], range: (u32, u32)| {
        cut(tokens, range).iter().zip(body.iter().cycle()).all(|(is, wanted)| name(is) == name(wanted))
            && ((range.1 - range.0) as usize).is_multiple_of(period)
    };
    if !whole(there, other) {
        return None;
    }
    let first = reach(here, of)?;
    let second = reach(there, other)?;
    let count = |(from, to): (usize, usize)| u32::try_from((to - from) / period).ok();
    let (mine, others) = (count(first)?, count(second)?);
    if mine < 2 || others < 1 || mine == others {
        return None;
    }
    let begin = |tokens: &'_ [u32], (from, _): (usize, usize)| tokens.get(from..from + period).map(<[u32]>::to_vec);
    let end = |tokens: &'_ [u32], (_, to): (usize, usize)| tokens.get(to - period..to).map(<[u32]>::to_vec);
    Some(What::Iterations {
        records: u32::try_from(period).ok()?,
        counts: if side == 0 { [mine, others] } else { [others, mine] },
        same: [begin(here, first) == begin(there, second), end(here, first) == end(there, second)],
    })
}

/// The shortest period of a sequence: the failure function of Knuth, Morris and Pratt.
fn period<K: PartialEq>(tokens: &[u32], key: impl Fn(&u32) -> K) -> usize {
    let keys: Vec<K> = tokens.iter().map(key).collect();
    let mut borders = vec![0_usize; keys.len()];
    for at in 1..keys.len() {
        let mut border = borders.get(at - 1).copied().unwrap_or(0);
        while border > 0 && keys.get(border) != keys.get(at) {
            border = borders.get(border - 1).copied().unwrap_or(0);
        }
        if let Some(place) = borders.get_mut(at) {
            *place = border + usize::from(keys.get(border) == keys.get(at));
        }
    }
    keys.len() - borders.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::Alignment;
    use crate::calls::CallAlignment;

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
        Kinds { names, roles, texts, has_calls: true }
    }

    fn tokens(text: &str) -> Vec<u32> {
        text.bytes().map(u32::from).collect()
    }

    /// What differs, by alignment of calls: the parts of both, and what they are.
    fn differences(a: &str, b: &str) -> Vec<(String, String, What)> {
        let (x, y) = (tokens(a), tokens(b));
        let found = CallAlignment::of([&x, &y], &kinds());
        let hunks = found.hunks([a.len() as u32, b.len() as u32]);
        let what = classify([&x, &y], &kinds(), &hunks, found.wrappers());
        let part = |text: &str, (from, to): (u32, u32)| text.get(from as usize..to as usize).unwrap().to_string();
        hunks.iter().zip(what).map(|(hunk, what)| (part(a, hunk.a), part(b, hunk.b), what)).collect()
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
            let found = CallAlignment::of([a, b], &kinds);
            let per_token = found.work() / (a.len() + b.len()) as u64;
            assert!(per_token < 200, "{n}: {per_token} steps for each token");
            let hunks = found.hunks([a.len() as u32, b.len() as u32]);
            assert_eq!(classify([a, b], &kinds, &hunks, found.wrappers()).len(), hunks.len());
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
            let whole = CallAlignment::of([&x, &y], &kinds());
            let mut parts = CallAlignment::new([x.len() as u32, y.len() as u32]);
            while !parts.turn([&x, &y], &kinds(), 20) {}
            let lengths = [x.len() as u32, y.len() as u32];
            assert_eq!(parts.hunks(lengths), whole.hunks(lengths));
            // What lies between hunks is equal.
            let mut at = (0, 0);
            let end = Hunk { a: (300, 300), b: (280, 280) };
            for hunk in whole.hunks(lengths).iter().chain([&end]) {
                let equal = &x[at.0 as usize..hunk.a.0 as usize];
                assert_eq!(equal, &y[at.1 as usize..hunk.b.0 as usize], "{a} {b}");
                at = (hunk.a.1, hunk.b.1);
            }
            let first = x.iter().zip(&y).take_while(|(x, y)| x == y).count() as u32;
            let of_alignment = Alignment::of(&x, &y).hunks();
            assert_eq!(whole.hunks(lengths)[0].a.0, first, "{a} {b}");
            assert_eq!(of_alignment[0].a.0, first);
        }
    }
}
