//! Problems: what is wrong with a file but does not end the reading.
//!
//! Every room that finds problems has a table of their kinds, written with
//! [`problem_kinds!`](crate::problem_kinds): each format in its `problems.rs`, call stacks in
//! `code/problems.rs`, the engine for what only its store can find. The table here has the kinds
//! that they share. Each row's doc comment defines [`Problem::value`].

use core::cmp::Ordering;
use core::fmt::{self, Write as _};

/// Something wrong that does not end the reading. Every problem is counted and listed. Displays as
/// one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Position in the unit of [`crate::Nouns::place`]: as a rule, the absolute offset in the file.
    pub at: u64,
    /// Its kind.
    pub kind: &'static ProblemKind,
    /// The offending value, or a number of bytes, as the kind's row says.
    pub value: u64,
}

/// A kind of problem: one row of a table.
///
/// Both templates may contain `{one|many}`, which agrees with the preceding number:
/// `{value} byte{|s}`.
///
/// | placeholder | in the sentence | in the summary |
/// |---|---|---|
/// | `{value}` | the value, decimal | |
/// | `{signed}` | the value as an `i64`, decimal | |
/// | `{hex}` | the value, hexadecimal | |
/// | `{date}` | a value such as 20201023 as `2020-10-23` | |
/// | `{count}` | | the number of problems |
/// | `{sum}` | | the sum of their values |
#[derive(Clone, Copy)]
pub struct ProblemKind {
    id: &'static str,
    serious: bool,
    can_go_on: bool,
    sentence: &'static str,
    unknown: Option<&'static str>,
    summary: &'static str,
}

/// Declares a table of kinds: a documented static for each row, and `KINDS` with all of them.
///
/// ```
/// unspool_trace::problem_kinds! {
///     /// A hole in the file. `value`: its length in bytes.
///     HOLE = ProblemKind::serious("hole", "a hole of {value} byte{|s}", "{count} hole{|s}, {sum} byte{|s} in all");
/// }
/// assert_eq!(HOLE.summary(2, 9).to_string(), "2 holes, 9 bytes in all");
/// ```
#[macro_export]
macro_rules! problem_kinds {
    ($($(#[$doc:meta])+ $name:ident = ProblemKind::$new:ident($($text:expr),+ $(,)?) $(.$more:ident($($arg:expr)?))*;)+) => {
        $(
            $(#[$doc])+
            pub static $name: $crate::ProblemKind = $crate::ProblemKind::$new($($text),+)$(.$more($($arg)?))*;
        )+
        /// Every kind of this table.
        pub static KINDS: &[&$crate::ProblemKind] = &[$(&$name),+];
    };
}

problem_kinds! {
    /// The file ends inside a record or buffer. `value`: number of missing bytes, 0 if unknown.
    TRUNCATED = ProblemKind::serious(
        "truncated",
        "the file ends {value} byte{|s} too early; the incomplete part was skipped",
        "the file ends too early",
    ).when_unknown("the file ends too early; the incomplete part was skipped");

    /// A range of the file violates the format. `value`: its length in bytes, 0 if unknown.
    MALFORMED = ProblemKind::serious(
        "malformed",
        "{value} invalid byte{|s} skipped",
        "{count} invalid range{|s} skipped",
    ).when_unknown("the rest is invalid and was skipped");

    /// A record exceeds the size that is kept. `value`: number of bytes omitted.
    LEFT_OUT = ProblemKind::serious(
        "left-out",
        "the record is too large; {value} byte{|s} omitted",
        "{count} record{|s} too large to keep in full",
    );

    /// Calls are nested deeper than is shown. `value`: number of depths shown.
    TOO_DEEP = ProblemKind::remark(
        "too-deep",
        "calls nested deeper than {value} are not shown",
        "calls are nested deeper than can be shown",
    );

    /// A thread without a track of its own. `value`: number of threads that have one.
    MANY_THREADS = ProblemKind::remark(
        "many-threads",
        "the trace has more than {value} threads; this one shares the track \"other threads\"",
        "{count} thread{ shares|s share} the track \"other threads\"",
    );

    /// The file unpacks to more than the limit. `value`: number of bytes unpacked.
    UNPACKS_TO_MORE = ProblemKind::serious(
        "unpacks-to-more",
        "reading stopped after {value} unpacked bytes: the file unpacks to more than 500 times its size",
        "reading stopped at the limit for compressed files",
    ).can_go_on();
}

impl ProblemKind {
    /// A kind that means that bytes were lost or are in doubt.
    pub const fn serious(id: &'static str, sentence: &'static str, summary: &'static str) -> Self {
        Self { id, serious: true, can_go_on: false, sentence, unknown: None, summary }
    }

    /// A kind that is worth a remark although everything in the file is shown.
    pub const fn remark(id: &'static str, sentence: &'static str, summary: &'static str) -> Self {
        Self { id, serious: false, can_go_on: false, sentence, unknown: None, summary }
    }

    /// Uses this sentence if the value is 0, which for this kind means "unknown".
    pub const fn when_unknown(self, sentence: &'static str) -> Self {
        Self { unknown: Some(sentence), ..self }
    }

    /// Marks a limit that ended the reading and that a person may lift: the file is opened again
    /// with [`Limits::LIFTED`](crate::Limits::LIFTED).
    pub const fn can_go_on(self) -> Self {
        Self { can_go_on: true, ..self }
    }

    /// A stable word, unique among all kinds of the program.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Whether bytes were lost or are in doubt.
    pub fn is_serious(&self) -> bool {
        self.serious
    }

    /// Whether reading stopped at a limit that a person may lift.
    pub fn offers_to_go_on(&self) -> bool {
        self.can_go_on
    }

    /// Displays as one sentence for `count` problems of this kind, whose values add up to `sum`.
    pub fn summary(&'static self, count: u64, sum: u64) -> Summary {
        Summary { kind: self, count, sum }
    }
}

impl fmt::Debug for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

impl PartialEq for ProblemKind {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for ProblemKind {}

impl PartialOrd for ProblemKind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ProblemKind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(other.id)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        let sentence = self.kind.unknown.filter(|_| value == 0).unwrap_or(self.kind.sentence);
        render(f, sentence, |name| match name {
            "value" => Some(Number::Decimal(value)),
            "signed" => Some(Number::Signed(value.cast_signed())),
            "hex" => Some(Number::Hex(value)),
            "date" => Some(Number::Date(value)),
            _ => None,
        })
    }
}

/// Several problems of one kind. Displays as one sentence.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    kind: &'static ProblemKind,
    count: u64,
    sum: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        render(f, self.kind.summary, |name| match name {
            "count" => Some(Number::Decimal(self.count)),
            "sum" => Some(Number::Decimal(self.sum)),
            _ => None,
        })
    }
}

#[derive(Clone, Copy)]
enum Number {
    Decimal(u64),
    Signed(i64),
    Hex(u64),
    Date(u64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Decimal(n) => thousands(f, n),
            Self::Signed(n) => {
                if n < 0 {
                    f.write_char('-')?;
                }
                thousands(f, n.unsigned_abs())
            }
            Self::Hex(n) => write!(f, "{n:#x}"),
            Self::Date(n) => write!(f, "{}-{:02}-{:02}", n / 10_000, n / 100 % 100, n % 100),
        }
    }
}

/// A count as text, with thousands separators.
pub fn grouped(count: u64) -> impl fmt::Display {
    Number::Decimal(count)
}

/// `1342` as `1,342`.
fn thousands(f: &mut fmt::Formatter<'_>, n: u64) -> fmt::Result {
    let mut divisor = 1;
    while n / divisor >= 1000 {
        divisor *= 1000;
    }
    write!(f, "{}", n / divisor)?;
    while divisor > 1 {
        divisor /= 1000;
        write!(f, ",{:03}", n / divisor % 1000)?;
    }
    Ok(())
}

/// Writes a template. A placeholder that `number` does not know stays as it is; the test of all
/// tables finds it.
fn render(f: &mut fmt::Formatter<'_>, template: &str, number: impl Fn(&str) -> Option<Number>) -> fmt::Result {
    let mut one = false;
    let mut rest = template;
    while let Some((plain, braced)) = rest.split_once('{') {
        f.write_str(plain)?;
        let Some((inside, behind)) = braced.split_once('}') else { return write!(f, "{{{braced}") };
        if let Some((singular, plural)) = inside.split_once('|') {
            f.write_str(if one { singular } else { plural })?;
        } else if let Some(number) = number(inside) {
            one = matches!(number, Number::Decimal(1) | Number::Signed(1));
            write!(f, "{number}")?;
        } else {
            write!(f, "{{{inside}}}")?;
        }
        rest = behind;
    }
    f.write_str(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn sentence(kind: &'static ProblemKind, value: u64) -> alloc::string::String {
        Problem { at: 0, kind, value }.to_string()
    }

    #[test]
    fn words_agree_with_the_preceding_number() {
        assert_eq!(sentence(&MALFORMED, 1), "1 invalid byte skipped");
        assert_eq!(sentence(&MALFORMED, 1342), "1,342 invalid bytes skipped");
        assert_eq!(MALFORMED.summary(1, 9).to_string(), "1 invalid range skipped");
        assert_eq!(MALFORMED.summary(2, 9).to_string(), "2 invalid ranges skipped");
    }

    #[test]
    fn an_unknown_value_is_not_printed_as_zero() {
        assert_eq!(sentence(&TRUNCATED, 0), "the file ends too early; the incomplete part was skipped");
        assert_eq!(sentence(&MALFORMED, 0), "the rest is invalid and was skipped");
    }

    #[test]
    fn numbers_have_the_notation_of_their_placeholder() {
        static ANY: ProblemKind = ProblemKind::remark("any", "{value} {signed} {hex} {date} {other}", "{sum} {");
        assert_eq!(sentence(&ANY, 20_201_023), "20,201,023 20,201,023 0x1343e3f 2020-10-23 {other}");
        assert!(sentence(&ANY, -5i64 as u64).starts_with("18,446,744,073,709,551,611 -5 0xf"));
        assert!(sentence(&ANY, 1_000_000).starts_with("1,000,000 "));
        assert_eq!(ANY.summary(1, 0).to_string(), "0 {");
    }

    #[test]
    fn kinds_are_compared_by_their_id() {
        assert_eq!(sentence(&LEFT_OUT, 2), "the record is too large; 2 bytes omitted");
        assert!(LEFT_OUT < MALFORMED && MALFORMED != TRUNCATED);
        assert!(TRUNCATED.is_serious());
    }
}
