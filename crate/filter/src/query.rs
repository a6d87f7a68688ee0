//! What an expression asks of slices, and what of records: as alternatives, each of conditions that
//! hold together.
//!
//! ```text
//! name:a (dur>1ms or arg.x:1)   =   name:a dur>1ms        answered by the store alone
//!                                 | name:a arg.x:1        answered by a pass over the records
//! ```
//!
//! A pass knows names, threads and positions, but neither durations nor depths. It takes those as
//! given. The store checks them for what the pass has found.

use crate::context::{Context, Name, Track};
use crate::numbers::Length;
use crate::pattern::{Linked, Pattern};
use crate::record_query::{NameExpr, NameMatcher, RecordQuery, RecordTest, Span};
use crate::slice_query::{SliceQuery, SliceTest, SliceTests};
use crate::syntax::{Expr, SyntaxError, Term, Word, parse};
use crate::values::{Bound as Limit, Bounds, Number};

/// Most alternatives, and most of those that the store answers alone.
const MOST_BRANCHES: usize = RecordQuery::MOST;
const MOST_OF_SLICES: usize = SliceQuery::MOST;

/// An expression that is bound to a trace: what finds slices, instants and records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bound {
    /// What the store is asked.
    pub slices: SliceQuery,
    /// Alternatives that a pass answers. Empty if the store has the whole answer.
    pub records: RecordQuery,
}

/// What hits are, which have a colour by that. Of two that hold, the later one says more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum About {
    /// Hits as any other.
    #[default]
    Other,
    /// They execute an address.
    Executed,
    /// They have a tainted operand.
    Tainted,
    /// They read a register or memory.
    Read,
    /// They write it.
    Written,
}

/// Which slices an expression is about. Those of a table over a range and some tracks are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Within {
    /// They touch this range.
    pub range: Span,
    /// They are on one of these tracks, ascending.
    pub tracks: Vec<u32>,
}

impl Bound {
    /// Reads an expression about a trace.
    ///
    /// # Errors
    ///
    /// Returns what cannot be understood, or has no meaning for this trace.
    pub fn new(text: &str, context: &Context) -> Result<Self, SyntaxError> {
        Self::of(text, &Binder { context, words_are_names: false }, None)
    }

    /// Reads an expression about slices within a range and some tracks. Words are parts of names,
    /// and of nothing else.
    ///
    /// # Errors
    ///
    /// Returns what cannot be understood, or has no meaning for this trace.
    pub fn of_slices_within(text: &str, context: &Context, within: Within) -> Result<Self, SyntaxError> {
        Self::of(text, &Binder { context, words_are_names: true }, Some(within))
    }

    fn of(text: &str, binder: &Binder<'_>, within: Option<Within>) -> Result<Self, SyntaxError> {
        let mut bound = Self::default();
        let mut names = Vec::new();
        let within = within.map(|Within { range, tracks }| {
            [SliceTest::Tracks(tracks), SliceTest::Touches(range)].map(|test| (true, Atom::Slice(test)))
        });
        for mut branch in binder.alternatives(text)? {
            branch.extend(within.iter().flatten().cloned());
            if branch.iter().any(|(_, atom)| matches!(atom, Atom::Record(_))) {
                let mut checks = Vec::new();
                binder.record_branch(&branch, &mut bound.records, |is, test, _| {
                    checks.push((is, test.clone()));
                    None
                });
                bound.slices.checks.push(checks);
            } else {
                let (of_names, of_slices) = slice_branch(&branch);
                bound.slices.branches.push(of_slices);
                names.push(of_names);
            }
        }
        if bound.slices.branches.len() > MOST_OF_SLICES {
            return Err(too_many(text, MOST_OF_SLICES, " about slices"));
        }
        bound.slices.names = binder.bits_of_names(&names);
        Ok(bound)
    }

    /// What each alternative that a pass answers is about, or nothing in particular.
    pub fn abouts(&self) -> Vec<About> {
        let RecordQuery { tests, branches } = &self.records;
        let about = |(is, number): &(bool, u16)| match tests.get(usize::from(*number)).filter(|_| *is) {
            Some(RecordTest::Memory { written: true, .. } | RecordTest::Value { written: true, .. }) => About::Written,
            Some(RecordTest::Memory { .. } | RecordTest::Value { .. }) => About::Read,
            // Registers: `arg.read.RAX` and `arg.written.RAX`.
            Some(RecordTest::Field { path, .. }) => match path.get(1).map(String::as_str) {
                Some("written") => About::Written,
                Some("read") => About::Read,
                _ => About::Other,
            },
            Some(RecordTest::Address(_)) => About::Executed,
            Some(RecordTest::Taint(_)) => About::Tainted,
            _ => About::Other,
        };
        branches.iter().map(|branch| branch.iter().map(about).max().unwrap_or_default()).collect()
    }

    /// Whether the store has the whole answer.
    pub fn is_of_slices(&self) -> bool {
        self.records.branches.is_empty()
    }
}

/// An expression that is bound to a trace: what narrows a list of records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// What records are asked.
    pub records: RecordQuery,
    /// What is to be found first: the slices of each [`RecordTest::Begins`].
    pub begins: Vec<SliceQuery>,
}

impl Filter {
    /// Reads an expression about records. Conditions on durations, depths and flags hold for
    /// records that begin such a slice.
    ///
    /// # Errors
    ///
    /// Returns what cannot be understood, or has no meaning for this trace.
    pub fn new(text: &str, context: &Context) -> Result<Self, SyntaxError> {
        let binder = Binder { context, words_are_names: false };
        let mut filter = Self::default();
        for branch in binder.alternatives(text)? {
            let begins = &mut filter.begins;
            binder.record_branch(&branch, &mut filter.records, |_, test, others| {
                let number = begins.len() as u16;
                let (names, mut tests) = slice_branch(others);
                tests.push((true, test.clone()));
                let names = binder.bits_of_names(&[names]);
                begins.push(SliceQuery { branches: vec![tests], names, checks: Vec::new() });
                Some(RecordTest::Begins(number))
            });
            if filter.begins.len() > MOST_OF_SLICES {
                return Err(too_many(text, MOST_OF_SLICES, " about durations, depths and flags"));
            }
        }
        Ok(filter)
    }
}

fn too_many(text: &str, most: usize, about: &str) -> SyntaxError {
    let sentence = format!("This has too many alternatives{about}: at most {most}.");
    SyntaxError { at: 0, len: text.len(), sentence }
}

/// A condition, bound to the trace.
#[derive(Clone, Debug, PartialEq)]
enum Atom {
    Names(NameExpr),
    Slice(SliceTest),
    Record(RecordTest),
}

/// An expression with negations at its conditions only.
#[derive(Clone, Debug)]
enum Normal {
    Any(Vec<Normal>),
    All(Vec<Normal>),
    Is(bool, Atom),
}

fn normal(expr: &Expr, negated: bool, binder: &Binder<'_>) -> Result<Normal, SyntaxError> {
    if let Expr::Term(term, (at, len)) = expr
        && let Some(sentence) = binder.missing(term)
    {
        return Err(SyntaxError { at: *at, len: *len, sentence: sentence.into() });
    }
    let all = |parts: &[Expr]| parts.iter().map(|part| normal(part, negated, binder)).collect::<Result<Vec<_>, _>>();
    Ok(match expr {
        Expr::Any(parts) if negated => Normal::All(all(parts)?),
        Expr::All(parts) if !negated && !binder.words_are_names => {
            // Together they are two alternatives, each by itself would double their number.
            let words: Vec<&Word> = parts.iter().filter_map(word_of).collect();
            let joined = (!words.is_empty()).then(|| binder.words(&words));
            let others = parts.iter().filter(|part| word_of(part).is_none());
            let others = others.map(|part| normal(part, negated, binder)).collect::<Result<Vec<_>, _>>()?;
            Normal::All(joined.into_iter().chain(others).collect())
        }
        Expr::All(parts) if !negated => Normal::All(all(parts)?),
        Expr::Any(parts) | Expr::All(parts) => Normal::Any(all(parts)?),
        Expr::Not(inner) => normal(inner, !negated, binder)?,
        Expr::Term(Term::Word(word), _) if negated && !binder.words_are_names => {
            Normal::Is(false, Atom::Record(binder.word(word)))
        }
        Expr::Term(Term::Word(word), _) if !binder.words_are_names => binder.words(&[word]),
        Expr::Term(Term::Memory { written: None, bounds }, _) => {
            either(negated, |written| RecordTest::Memory { written, bounds: *bounds })
        }
        Expr::Term(Term::Value { place, test }, _) => {
            either(negated, |written| RecordTest::Value { written, place: place.clone(), test: test.clone() })
        }
        Expr::Term(term, (at, len)) => {
            let wrong = |sentence| SyntaxError { at: *at, len: *len, sentence };
            Normal::Is(!negated, binder.atom(term).map_err(wrong)?)
        }
    })
}

fn word_of(expr: &Expr) -> Option<&Word> {
    match expr {
        Expr::Term(Term::Word(word), _) => Some(word),
        _ => None,
    }
}

/// A condition that holds for what is read, or for what is written.
fn either(negated: bool, of: impl Fn(bool) -> RecordTest) -> Normal {
    let both = [false, true].map(|written| Normal::Is(!negated, Atom::Record(of(written)))).into();
    if negated { Normal::All(both) } else { Normal::Any(both) }
}

/// Joins conditions on names that stand side by side: they are looked up by name at once.
fn grouped(normal: Normal) -> Normal {
    let (is_any, parts) = match normal {
        Normal::Any(parts) => (true, parts),
        Normal::All(parts) => (false, parts),
        Normal::Is(is, Atom::Names(expr)) if !is => {
            return Normal::Is(true, Atom::Names(NameExpr::Not(Box::new(expr))));
        }
        one => return one,
    };
    let (mut names, mut others) = (Vec::new(), Vec::new());
    for part in parts {
        match grouped(part) {
            Normal::Is(true, Atom::Names(expr)) => names.push(expr),
            other => others.push(other),
        }
    }
    if !names.is_empty() {
        let joined = match (names.len(), is_any) {
            (1, _) => names.remove(0),
            (_, true) => NameExpr::Any(names),
            (_, false) => NameExpr::All(names),
        };
        others.insert(0, Normal::Is(true, Atom::Names(joined)));
    }
    match (others.len(), is_any) {
        (1, _) => others.remove(0),
        (_, true) => Normal::Any(others),
        (_, false) => Normal::All(others),
    }
}

/// The alternatives of an expression; `None` if there are too many.
fn branches(normal: &Normal) -> Option<Vec<Vec<(bool, Atom)>>> {
    match normal {
        Normal::Is(is, atom) => Some(vec![vec![(*is, atom.clone())]]),
        Normal::Any(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(branches(part)?);
                if all.len() > MOST_BRANCHES {
                    return None;
                }
            }
            Some(all)
        }
        Normal::All(parts) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let of_part = branches(part)?;
                if all.len() * of_part.len() > MOST_BRANCHES {
                    return None;
                }
                all = all
                    .iter()
                    .flat_map(|left| of_part.iter().map(move |right| [&left[..], &right[..]].concat()))
                    .collect();
            }
            Some(all)
        }
    }
}

/// The conditions of an alternative on names, and those on slices.
fn slice_branch(branch: &[(bool, Atom)]) -> (Vec<(bool, NameMatcher)>, SliceTests) {
    let (mut names, mut tests) = (Vec::new(), Vec::new());
    for (is, atom) in branch {
        match atom {
            Atom::Names(expr) => names.push((*is, expr.compile(&Linked))),
            Atom::Slice(test) => tests.push((*is, test.clone())),
            Atom::Record(_) => {}
        }
    }
    (names, tests)
}

/// Gives terms their meaning in a trace.
struct Binder<'a> {
    context: &'a Context,
    /// A word is a part of a name, not of any text.
    words_are_names: bool,
}

impl Binder<'_> {
    /// The alternatives of an expression, each of conditions that hold together.
    fn alternatives(&self, text: &str) -> Result<Vec<Vec<(bool, Atom)>>, SyntaxError> {
        let normal = grouped(normal(&parse(text, &self.context.keys())?, false, self)?);
        branches(&normal).ok_or_else(|| too_many(text, MOST_BRANCHES, ""))
    }

    /// Words that must all be there: in the name, which the store knows, or else in the record.
    fn words(&self, words: &[&Word]) -> Normal {
        let name = |word: &&Word| Normal::Is(true, Atom::Names(NameExpr::Is(word.pattern.clone())));
        let record = |word: &&Word| Normal::Is(true, Atom::Record(self.word(word)));
        let both = [words.iter().map(name).collect(), words.iter().map(record).collect()];
        Normal::Any(both.map(Normal::All).into())
    }

    /// A word in a record.
    fn word(&self, Word { pattern, number }: &Word) -> RecordTest {
        let ids = self.ids(&NameExpr::Is(pattern.clone()));
        RecordTest::Word { pattern: pattern.clone(), ids, number: *number }
    }

    /// For each name, which of some alternatives may hold for it, as bits.
    fn bits_of_names(&self, alternatives: &[Vec<(bool, NameMatcher)>]) -> Vec<u8> {
        let bits = |name: &Name| {
            let holds = |of: &Vec<(bool, NameMatcher)>| {
                of.iter().all(|(is, matcher)| matcher.holds(&name.text, &name.key) == *is)
            };
            (0..).zip(alternatives).fold(0, |bits, (number, of)| bits | u8::from(holds(of)) << number)
        };
        self.context.names.iter().map(bits).collect()
    }

    /// Why a term cannot hold for any record of the trace, whatever its value.
    fn missing(&self, term: &Term) -> Option<&'static str> {
        let offers = self.context.offers;
        // Instructions of an architecture that is not disassembled have addresses all the same.
        let has_instructions = offers.code || offers.state;
        match term {
            Term::Instruction(_) | Term::Address(_) if !has_instructions => Some("This trace has no instructions."),
            Term::Memory { .. } | Term::Value { .. } | Term::Taint(_) if !offers.state => {
                Some("This trace does not say what instructions read and write.")
            }
            _ => None,
        }
    }

    fn atom(&self, term: &Term) -> Result<Atom, String> {
        let record = |test| Ok(Atom::Record(test));
        match term {
            Term::Word(Word { pattern, .. }) | Term::Name(pattern) => Ok(Atom::Names(NameExpr::Is(pattern.clone()))),
            Term::Thread(pattern) => self.tracks(pattern).map(|tracks| Atom::Slice(SliceTest::Tracks(tracks))),
            Term::Duration(bounds) => Ok(Atom::Slice(SliceTest::Duration(self.span(bounds, 0)?))),
            Term::Start(bounds) => {
                Ok(Atom::Slice(SliceTest::At(self.span(bounds, self.context.begin)?.into_iter().collect())))
            }
            Term::Depth(bounds) => Ok(Atom::Slice(SliceTest::Depth(integers(bounds)))),
            // A call belongs to the frame in which it returns. Where that is the one in which it
            // begins, a search for records need not be told of all calls.
            Term::Frame(bounds) => self.frames(bounds).map(|spans| {
                let test = if self.context.has_calls_across_frames { SliceTest::Ends } else { SliceTest::At };
                Atom::Slice(test(spans))
            }),
            Term::Flag(bits) => Ok(Atom::Slice(SliceTest::Flag(*bits))),
            Term::Field { path, test } => record(RecordTest::Field { path: path.clone(), test: test.clone() }),
            Term::Text(pattern) => record(RecordTest::Text(pattern.clone())),
            Term::Bytes(bytes) => record(RecordTest::Bytes(bytes.clone())),
            Term::Instruction(pattern) => record(RecordTest::Instruction(pattern.clone())),
            Term::Address(bounds) => record(RecordTest::Address(*bounds)),
            Term::Memory { written, bounds } => {
                record(RecordTest::Memory { written: written.unwrap_or_default(), bounds: *bounds })
            }
            Term::Value { place, test } => {
                record(RecordTest::Value { written: false, place: place.clone(), test: test.clone() })
            }
            Term::Taint(bounds) => record(RecordTest::Taint(*bounds)),
        }
    }

    /// The tracks with a name or a thread id like this.
    fn tracks(&self, pattern: &Pattern) -> Result<Vec<u32>, String> {
        let matcher = pattern.compile(&Linked)?;
        let number = match pattern {
            Pattern::Exact(text) => text.parse::<i64>().ok(),
            _ => None,
        };
        let is = |track: &Track| matcher.matches(&track.name) || number.is_some() && track.thread == number;
        Ok((0..).zip(&self.context.tracks).filter(|(_, track)| is(track)).map(|(id, _)| id).collect())
    }

    /// Where frames with these numbers are.
    fn frames(&self, bounds: &Bounds<Number>) -> Result<Vec<Span>, String> {
        let frames = &self.context.frames;
        let Some(count) = frames.len().checked_sub(1).filter(|count| *count > 0) else {
            return Err("This trace has no frames.".into());
        };
        let Some((low, high)) = integers(bounds) else { return Ok(Vec::new()) };
        let (first, after) = (low.clamp(0, count as i64) as usize, high.clamp(-1, count as i64 - 1) + 1);
        let ends = frames.get(first).zip(frames.get(after as usize)).filter(|_| first < after as usize);
        Ok(ends.map(|(begin, end)| (*begin, end.saturating_sub(1).max(*begin))).into_iter().collect())
    }

    /// Lengths in ticks. `None` if no length is within the bounds. `origin` is added to lengths
    /// with a unit.
    fn span(&self, bounds: &Bounds<Length>, origin: u64) -> Result<Option<Span>, String> {
        let is_point = bounds.low == bounds.high;
        let low =
            bounds.low.map(|bound| self.tick(&bound, origin, if is_point { Rounding::Nearest } else { Rounding::Up }));
        let high = bounds
            .high
            .map(|bound| self.tick(&bound, origin, if is_point { Rounding::Nearest } else { Rounding::Down }));
        let (low, high) = (low.transpose()?.unwrap_or(0), high.transpose()?.unwrap_or(u64::MAX.into()));
        let clamped = (u64::try_from(low.max(0)), high.min(u64::MAX.into()));
        Ok(match clamped {
            (Ok(low), high) if high >= i128::from(low) => u64::try_from(high).ok().map(|high| (low, high)),
            _ => None,
        })
    }

    /// The first tick at or above a lower bound, the last one at or below an upper bound, or the
    /// nearest one.
    fn tick(&self, bound: &Limit<Length>, origin: u64, rounding: Rounding) -> Result<i128, String> {
        let Length { digits, decimals, unit } = bound.value;
        let (numerator, denominator, origin) = match (unit, self.context.frequency) {
            (None, _) => (i128::from(digits), 1, 0),
            (Some(unit), Some(frequency)) => {
                let scaled =
                    i128::from(digits).checked_mul(i128::from(unit)).and_then(|n| n.checked_mul(frequency.into()));
                let scaled = scaled.ok_or("This length is too long.")?;
                (scaled, 1_000_000_000 * 10i128.pow(decimals.min(9)), i128::from(origin))
            }
            (Some(_), None) => return Err("This trace does not measure time. Give a number without a unit.".into()),
        };
        let (below, is_whole) = (numerator / denominator, numerator % denominator == 0);
        let at = match rounding {
            Rounding::Nearest => (numerator + denominator / 2) / denominator,
            Rounding::Up if !is_whole => below + 1,
            Rounding::Up => below + i128::from(!bound.included),
            Rounding::Down if !is_whole => below,
            Rounding::Down => below - i128::from(!bound.included),
        };
        Ok(origin + at)
    }

    /// Appends an alternative to a query of records. `check` gets each condition that only the
    /// store can check, with the other conditions of the alternative that the store can check, and
    /// returns what stands for it, if anything does.
    fn record_branch(
        &self,
        branch: &[(bool, Atom)],
        query: &mut RecordQuery,
        mut check: impl FnMut(bool, &SliceTest, &[(bool, Atom)]) -> Option<RecordTest>,
    ) {
        let is_check = |atom: &Atom| match atom {
            Atom::Slice(test) => !matches!(test, SliceTest::Tracks(_) | SliceTest::At(_)),
            _ => false,
        };
        let others: Vec<_> = branch.iter().filter(|(_, atom)| !is_check(atom)).cloned().collect();
        let mut conditions = Vec::new();
        for (is, atom) in branch {
            let test = match atom {
                Atom::Record(test) => test.clone(),
                Atom::Names(expr) => RecordTest::Name { expr: expr.clone(), ids: self.ids(expr) },
                Atom::Slice(SliceTest::Tracks(tracks)) => RecordTest::Tracks(tracks.clone()),
                Atom::Slice(SliceTest::At(spans)) => RecordTest::At(spans.clone()),
                Atom::Slice(test) => match check(*is, test, &others) {
                    Some(test) => test,
                    None => continue,
                },
            };
            let known = query.tests.iter().position(|known| *known == test);
            let number = known.unwrap_or_else(|| {
                query.tests.push(test);
                query.tests.len() - 1
            });
            conditions.push((*is, number as u16));
        }
        query.branches.push(conditions);
    }

    /// The ids of functions whose names are as wanted.
    fn ids(&self, expr: &NameExpr) -> Vec<i64> {
        let matcher = expr.compile(&Linked);
        let with_id = self.context.names.iter().filter_map(|name| Some((name.id?, name)));
        let mut ids: Vec<i64> =
            with_id.filter(|(_, name)| matcher.holds(&name.text, &name.key)).map(|(id, _)| id).collect();
        ids.sort_unstable();
        ids
    }
}

#[derive(Clone, Copy)]
enum Rounding {
    Up,
    Down,
    Nearest,
}

/// Integers within bounds. `None` if there is none.
fn integers(bounds: &Bounds<Number>) -> Option<(i64, i64)> {
    let limit = |bound: Option<Limit<Number>>, step: i128, none: i64| {
        bound.map_or(none, |Limit { value, included }| match value {
            Number::Integer(n) => (n + if included { 0 } else { step }).clamp(i64::MIN.into(), i64::MAX.into()) as i64,
            Number::Float(n) => n as i64,
        })
    };
    let (low, high) = (limit(bounds.low, 1, i64::MIN), limit(bounds.high, -1, i64::MAX));
    (low <= high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Name, Offers};

    fn context(frequency: Option<u64>) -> Context {
        let names = ["main", "draw", "#7"].map(|text| Name { text: text.into(), ..Name::default() });
        let tracks =
            vec![Track { name: "main thread 5".into(), thread: Some(5) }, Track { name: "t".into(), thread: None }];
        Context {
            names: names.into(),
            tracks,
            begin: 500,
            frequency,
            frames: vec![0, 10, 20, 40],
            has_calls_across_frames: false,
            ..Context::default()
        }
    }

    fn bound(text: &str) -> Bound {
        Bound::new(text, &context(Some(2_000_000_000))).expect(text)
    }

    fn test(text: &str) -> SliceTest {
        bound(text).slices.branches[0][0].1.clone()
    }

    #[test]
    fn lengths_become_ticks() {
        let at_least = |low| SliceTest::Duration(Some((low, u64::MAX)));
        assert_eq!(test("dur>1us"), at_least(2001));
        assert_eq!(test("dur>=1us"), at_least(2000));
        assert_eq!(test("dur>0.3ns"), at_least(1));
        assert_eq!(test("dur<1.5ns"), SliceTest::Duration(Some((0, 2))));
        assert_eq!(test("dur<=1ns"), SliceTest::Duration(Some((0, 2))));
        assert_eq!(test("dur:1us..2us"), SliceTest::Duration(Some((2000, 4000))));
        assert_eq!(test("dur:1.2ns"), SliceTest::Duration(Some((2, 2))));
        assert_eq!(test("dur:7"), SliceTest::Duration(Some((7, 7))));
        assert_eq!(test("dur<0"), SliceTest::Duration(None));
        assert_eq!(test("start:1us.."), SliceTest::At(vec![(2500, u64::MAX)]));
        assert_eq!(test("start:100..200"), SliceTest::At(vec![(100, 200)]));
        assert_eq!(test("depth:0"), SliceTest::Depth(Some((0, 0))));
        assert_eq!(test("depth>3"), SliceTest::Depth(Some((4, i64::MAX))));
        assert_eq!(test("frame:1..2"), SliceTest::At(vec![(10, 39)]));
        assert_eq!(test("frame:0"), SliceTest::At(vec![(0, 9)]));
        assert_eq!(test("frame:7"), SliceTest::At(vec![]));
        assert_eq!(test("frame:2..1"), SliceTest::At(vec![]));
        assert_eq!(test("thread:5"), SliceTest::Tracks(vec![0]));
        assert_eq!(test("thread:*t*"), SliceTest::Tracks(vec![0, 1]));
    }

    #[test]
    fn what_has_no_meaning_here_is_refused_at_its_place() {
        let error = Bound::new("x dur>1ms", &context(None)).unwrap_err();
        assert_eq!((error.at, error.len), (2, 7));
        assert!(error.sentence.starts_with("This trace does not measure time."));
        let error = Bound::new("frame:1", &Context::default()).unwrap_err();
        assert_eq!(error.sentence, "This trace has no frames.");
        for text in ["insn:call", "x addr:0x10", "-mem.written:0", "reg.RAX:1", "taint:*"] {
            let error = Bound::new(text, &context(None)).unwrap_err();
            assert!(error.sentence.starts_with("This trace "), "{text}: {}", error.sentence);
            let offers = Offers { code: true, state: true, calls: false };
            assert!(Bound::new(text, &Context { offers, ..context(None) }).is_ok(), "{text}");
        }
        assert!(Bound::new("dur>99999999999999999h", &context(Some(u64::MAX))).is_err());
    }

    #[test]
    fn an_unknown_key_names_those_of_this_trace() {
        let sentence = |offers, frequency| {
            let context = Context { offers, frequency, ..Context::default() };
            Bound::new("a<b", &context).unwrap_err().sentence
        };
        let plain = sentence(Offers::default(), None);
        assert!(
            plain.starts_with("Unknown key a. Keys: name, thread, start, depth, flag, arg.…, text, bytes. "),
            "{plain}"
        );
        let steps = sentence(Offers { code: true, state: true, calls: false }, None);
        assert!(steps.contains("bytes, insn, addr, mem, reg, taint. "), "{steps}");
        let calls = sentence(Offers { calls: true, ..Offers::default() }, Some(1));
        assert!(calls.contains("thread, dur, start, depth, frame, flag, arg.…, ret, text"), "{calls}");
    }

    #[test]
    fn alternatives_go_to_those_who_can_answer() {
        let names = bound("name:main or name:dr*");
        assert_eq!((names.slices.branches.len(), names.slices.names.as_slice()), (1, [1, 1, 0].as_slice()));
        assert!(names.is_of_slices());
        let timed = bound("name:main dur>1ms");
        assert!(timed.is_of_slices());
        let mixed = bound("(name:main or name:draw) (dur>1ms or arg.x:1)");
        assert_eq!((mixed.slices.branches.len(), mixed.records.branches.len()), (1, 1));
        let checked = bound("arg.x:1 dur>1ms");
        assert_eq!((checked.slices.branches.len(), checked.slices.checks.len()), (0, 1));
        assert_eq!(checked.slices.checks[0].len(), 1);
        let word = bound("main");
        assert_eq!((word.slices.branches.len(), word.records.branches.len()), (1, 1));
        assert_eq!(bound("-name:main").slices.names, [0, 1, 1]);
        assert_eq!(bound("-(name:main or name:draw)").slices.names, [0, 0, 1]);
        assert_eq!(bound("-main").records.branches, [vec![(false, 0)]]);
        // Words that stand side by side are together in the name, or else in the record.
        let words = bound("main draw x");
        assert_eq!(
            (words.slices.branches.len(), words.records.branches),
            (1, vec![vec![(true, 0), (true, 1), (true, 2)]])
        );
    }

    #[test]
    fn too_many_alternatives_are_refused() {
        assert!(Bound::new("a b c d e f g h i", &context(None)).is_ok());
        let both = "(arg.a:1 or arg.b:1) ";
        assert!(Bound::new(&both.repeat(6), &context(None)).is_ok());
        assert!(Bound::new(&both.repeat(7), &context(None)).unwrap_err().sentence.contains("at most 64"));
        let many: Vec<String> = (0..9).map(|i| format!("(name:a depth:{i})")).collect();
        assert!(
            Bound::new(&many.join(" or "), &context(None)).unwrap_err().sentence.contains("about slices: at most 8")
        );
    }
}
