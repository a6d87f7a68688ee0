//! The grammar of the filter language. `docs/find.md` describes it for people.
//!
//! ```text
//! any   = all ("or" all)*
//! all   = one+                       also with "and" in between
//! one   = "-" one | "not" one | "(" any ")" | /regex/i | "text" | key operator value | word
//! ```

use crate::numbers::{Length, integer, length, number};
use crate::pattern::{Linked, Pattern};
use crate::record_query::ValuePlace;
use crate::values::{Bound, Bounds, Number, Test};

/// Most nested parentheses and negations.
const MOST_NESTED: usize = 64;
/// Most pairs of hexadecimal digits that may be something else than bytes.
const MOST_PAIRS: usize = 3;
/// Most bytes of an expression.
const MOST_BYTES: usize = 16 * 1024;

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Offset in bytes.
    pub at: usize,
    /// Length in bytes; 0 at the end.
    pub len: usize,
    /// A sentence.
    pub sentence: String,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// At least one of them holds.
    Any(Vec<Expr>),
    /// All of them hold.
    All(Vec<Expr>),
    /// It does not hold.
    Not(Box<Expr>),
    /// A term, with its place: offset and length in bytes.
    Term(Term, (usize, usize)),
}

/// A single condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A word of its own: what is on the screen of a record.
    Word(Word),
    /// `name:`
    Name(Pattern),
    /// `thread:`
    Thread(Pattern),
    /// `dur:`
    Duration(Bounds<Length>),
    /// `start:`
    Start(Bounds<Length>),
    /// `depth:`
    Depth(Bounds<Number>),
    /// `frame:`
    Frame(Bounds<Number>),
    /// `flag:`, bits of [`unspool_trace::batch::flags`].
    Flag(u8),
    /// `arg.…:` and `ret:`
    Field {
        /// The keys that lead to the field.
        path: Vec<String>,
        /// What its value must be like.
        test: Test,
    },
    /// `text:`
    Text(Pattern),
    /// `bytes:`
    Bytes(Vec<u8>),
    /// `insn:`
    Instruction(Pattern),
    /// `addr:`
    Address(Bounds<Number>),
    /// `mem:`, `mem.read:` and `mem.written:`
    Memory {
        /// Writes, or reads. Both if `None`.
        written: Option<bool>,
        /// The addresses.
        bounds: Bounds<Number>,
    },
    /// `reg:`, `reg.…:` and `mem.value:`
    Value {
        /// Where the value is.
        place: ValuePlace,
        /// What it must be like.
        test: Test,
    },
    /// `taint:`, `None` for `taint:*`
    Taint(Option<Bounds<Number>>),
}

/// A word of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// What names and texts must be like.
    pub pattern: Pattern,
    /// The number that it is, if it is one and not in quotes.
    pub number: Option<Number>,
}

/// Parses an expression. `keys` are those that an error about an unknown one names.
///
/// # Errors
///
/// Returns where it cannot be understood, and what was expected there.
pub fn parse(text: &str, keys: &str) -> Result<Expr, SyntaxError> {
    if text.len() > MOST_BYTES {
        let sentence = "An expression has at most 16 KiB.".to_string();
        return Err(SyntaxError { at: MOST_BYTES, len: 0, sentence });
    }
    let mut parser = Parser { text, keys, at: 0, nested: 0 };
    parser.spaces();
    if parser.rest().is_empty() {
        return Err(parser.error(0, "Type a name, or a term such as name:main."));
    }
    let expr = parser.any()?;
    if !parser.rest().is_empty() {
        return Err(parser.error(1, "Unexpected ); there is no ( before it."));
    }
    Ok(expr)
}

struct Parser<'a> {
    text: &'a str,
    keys: &'a str,
    at: usize,
    nested: usize,
}

type Parsed<T> = Result<T, SyntaxError>;

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn error(&self, len: usize, sentence: impl Into<String>) -> SyntaxError {
        SyntaxError { at: self.at, len, sentence: sentence.into() }
    }

    fn spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes a keyword that stands on its own.
    fn keyword(&mut self, word: &str) -> bool {
        let rest = self.rest();
        let Some(head) = rest.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)) else { return false };
        let after = rest.get(head.len()..).and_then(|rest| rest.chars().next());
        if after.is_some_and(|c| !c.is_whitespace() && c != '(') {
            return false;
        }
        self.at += word.len();
        self.spaces();
        true
    }

    fn any(&mut self) -> Parsed<Expr> {
        let mut parts = vec![self.all()?];
        while self.keyword("or") {
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Any(parts) })
    }

    fn all(&mut self) -> Parsed<Expr> {
        let mut parts = Vec::new();
        loop {
            self.spaces();
            if self.rest().is_empty() || self.rest().starts_with(')') {
                break;
            }
            let before = self.at;
            if !parts.is_empty() && self.keyword("or") {
                self.at = before;
                break;
            }
            if !parts.is_empty() {
                self.keyword("and");
            }
            parts.push(match self.pairs() {
                Some(bytes) => bytes,
                None => self.one()?,
            });
        }
        match parts.len() {
            0 => Err(self.error(0, "Expected a term here, such as name:main.")),
            1 => Ok(parts.remove(0)),
            _ => Ok(Expr::All(parts)),
        }
    }

    /// Words that are bytes as lists show them: two or more pairs of hexadecimal digits.
    fn pairs(&mut self) -> Option<Expr> {
        let from = self.at;
        let mut end = from;
        let mut pairs = Vec::new();
        loop {
            let word = self.word();
            if word.len() != 2 || !word.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                break;
            }
            pairs.push(word);
            end = self.at;
            self.spaces();
        }
        self.at = from;
        if pairs.len() < 2 {
            return None;
        }
        self.at = end;
        let len = end - from;
        let bytes = pairs.iter().filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect();
        let bytes = Expr::Term(Term::Bytes(bytes), (from, len));
        // They may be names or numbers as well. So many in a row are not.
        if pairs.len() > MOST_PAIRS {
            return Some(bytes);
        }
        let words = pairs.iter().map(|pair| Expr::Term(Term::Word(Word::of(pair)), (from, len))).collect();
        Some(Expr::Any(vec![Expr::All(words), bytes]))
    }

    fn one(&mut self) -> Parsed<Expr> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(self.error(1, format!("Too many nested parentheses: at most {MOST_NESTED}.")));
        }
        let one = self.one_of();
        self.nested -= 1;
        one
    }

    fn one_of(&mut self) -> Parsed<Expr> {
        let rest = self.rest();
        if rest.starts_with('(') {
            let open = self.at;
            self.at += 1;
            let inner = self.any()?;
            if !self.rest().starts_with(')') {
                let sentence = "This ( has no ).".to_string();
                return Err(SyntaxError { at: open, len: 1, sentence });
            }
            self.at += 1;
            return Ok(inner);
        }
        if rest.starts_with('-') && rest.len() > 1 && !rest.starts_with("- ") {
            self.at += 1;
            return Ok(Expr::Not(Box::new(self.one()?)));
        }
        if self.keyword("not") {
            return Ok(Expr::Not(Box::new(self.one()?)));
        }
        let from = self.at;
        let term = self.term()?;
        Ok(Expr::Term(term, (from, self.at - from)))
    }

    fn term(&mut self) -> Parsed<Term> {
        let rest = self.rest();
        if rest.starts_with('"') {
            let part = self.quoted()?;
            return Ok(Term::Word(Word { pattern: Pattern::Contains { part, case: true }, number: None }));
        }
        if rest.starts_with('/') && rest.len() > 1 {
            return Ok(Term::Word(Word { pattern: self.regex()?, number: None }));
        }
        let key_len = rest.find(|c: char| !(c.is_alphanumeric() || "_.-[]$@".contains(c))).unwrap_or(rest.len());
        let (key, after) = (rest.get(..key_len).unwrap_or_default(), rest.get(key_len..).unwrap_or_default());
        let operator = [">=", "<=", ":", ">", "<", "="].into_iter().find(|operator| after.starts_with(operator));
        // `std::vec` is a name, not the key `std`.
        let Some(operator) = operator.filter(|_| !key.is_empty() && !after.starts_with("::")) else {
            return Ok(Term::Word(Word::of(self.word())));
        };
        let lower = key.to_ascii_lowercase();
        let Some(kind) = Kind::of(&lower, key) else {
            let keys = self.keys;
            let sentence = format!("Unknown key {key}. Keys: {keys}. To look for the text itself, put it in quotes.");
            return Err(self.error(key.len(), sentence));
        };
        self.at += key_len + operator.len();
        self.value(kind, operator)
    }

    /// A word up to a space or a closing parenthesis that it did not open.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let mut open = 0usize;
        let end = rest.char_indices().find(|(_, c)| match c {
            '(' => {
                open += 1;
                false
            }
            ')' if open > 0 => {
                open -= 1;
                false
            }
            c => c.is_whitespace() || *c == ')',
        });
        let end = end.map_or(rest.len(), |(at, _)| at);
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    fn quoted(&mut self) -> Parsed<String> {
        let mut text = String::new();
        let rest = self.rest();
        let mut chars = rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    // Other characters keep the backslash: `"C:\dir"` is meant as it stands.
                    Some((_, c)) => text.extend(['\\', c]),
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(self.error(rest.len(), "These quotes are not closed."))
    }

    fn regex(&mut self) -> Parsed<Pattern> {
        let (from, rest) = (self.at, self.rest());
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|(_, c)| {
            let is_end = *c == '/' && !escaped;
            escaped = *c == '\\' && !escaped;
            is_end
        });
        let Some((end, _)) = end else {
            return Err(self.error(rest.len(), "This regular expression has no closing /."));
        };
        let source = rest.get(1..end).unwrap_or_default().replace("\\/", "/");
        self.at += end + 1;
        let mut flags = self.rest().chars();
        let ignore_case = flags.next() == Some('i') && !flags.next().is_some_and(char::is_alphanumeric);
        self.at += usize::from(ignore_case);
        let pattern = Pattern::Regex { source, ignore_case };
        if let Err(why) = pattern.compile(&Linked) {
            let sentence = format!("Invalid regular expression: {why}.");
            return Err(SyntaxError { at: from, len: self.at - from, sentence });
        }
        Ok(pattern)
    }

    /// A pattern after `key:`. `whole`: of a whole text, otherwise of a part.
    fn pattern(&mut self, whole: bool) -> Parsed<Pattern> {
        if self.rest().starts_with('"') {
            let text = self.quoted()?;
            return Ok(if whole { Pattern::Exact(text) } else { Pattern::Contains { part: text, case: true } });
        }
        if self.rest().starts_with('/') {
            return self.regex();
        }
        let word = self.word();
        if word.is_empty() {
            return Err(self.error(0, "Expected a value here."));
        }
        Ok(if whole { Pattern::value(word) } else { Pattern::word_or_glob(word) })
    }

    fn value(&mut self, kind: Kind, operator: &str) -> Parsed<Term> {
        let is_equal = matches!(operator, ":" | "=");
        let from = self.at;
        let is_text =
            matches!(kind, Kind::Name | Kind::Thread | Kind::Text | Kind::Instruction | Kind::Flag | Kind::Bytes);
        if !is_equal && is_text {
            let sentence = format!("Only numbers can be compared with {operator}; use : here.");
            return Err(SyntaxError { at: from - operator.len(), len: operator.len(), sentence });
        }
        match kind {
            Kind::Name => Ok(Term::Name(self.pattern(true)?)),
            Kind::Thread => Ok(Term::Thread(self.pattern(true)?)),
            Kind::Text => Ok(Term::Text(self.pattern(false)?)),
            Kind::Instruction => Ok(Term::Instruction(self.pattern(true)?)),
            Kind::Flag => {
                let word = self.word();
                flag(word).map(Term::Flag).ok_or_else(|| SyntaxError {
                    at: from,
                    len: word.len(),
                    sentence: "Expected open, began-before, end-inferred or uncertain.".into(),
                })
            }
            Kind::Bytes => self.bytes().map(Term::Bytes),
            Kind::Duration => Ok(Term::Duration(self.bounds(operator, length)?)),
            Kind::Start => Ok(Term::Start(self.bounds(operator, length)?)),
            Kind::Depth => Ok(Term::Depth(self.bounds(operator, integer)?)),
            Kind::Frame => Ok(Term::Frame(self.bounds(operator, integer)?)),
            Kind::Address => Ok(Term::Address(self.bounds(operator, integer)?)),
            Kind::Memory(written) => Ok(Term::Memory { written, bounds: self.bounds(operator, integer)? }),
            Kind::Taint => {
                if is_equal && self.word() == "*" {
                    return Ok(Term::Taint(None));
                }
                self.at = from;
                Ok(Term::Taint(Some(self.bounds(operator, integer)?)))
            }
            Kind::Value(place) => Ok(Term::Value { place, test: self.test(operator)? }),
            Kind::Field(path) => Ok(Term::Field { path, test: self.test(operator)? }),
        }
    }

    /// What a field must be like: a number or a text.
    fn test(&mut self, operator: &str) -> Parsed<Test> {
        if !matches!(operator, ":" | "=") {
            return Ok(Test { number: Some(self.bounds(operator, number)?), text: None });
        }
        let from = self.at;
        let is_text = self.rest().starts_with(['"', '/']);
        let text = self.pattern(true)?;
        let end = self.at;
        self.at = from;
        let number = if is_text { None } else { self.bounds(operator, number).ok() };
        self.at = end;
        Ok(Test { number, text: Some(text) })
    }

    /// `x`, `a..b`, `a..` or `..b` after an operator.
    fn bounds<T: Copy>(&mut self, operator: &str, read: fn(&str) -> Result<T, String>) -> Parsed<Bounds<T>> {
        let from = self.at;
        let word = self.word();
        let parsed = |at: usize, text: &str| {
            read(text).map_err(|sentence| SyntaxError { at: from + at, len: text.len(), sentence })
        };
        let bound = |value, included| Some(Bound { value, included });
        if matches!(operator, ":" | "=") {
            let Some((low, high)) = word.split_once("..") else {
                let value = parsed(0, word)?;
                return Ok(Bounds { low: bound(value, true), high: bound(value, true) });
            };
            let low_bound = if low.is_empty() { None } else { bound(parsed(0, low)?, true) };
            let high_bound = if high.is_empty() { None } else { bound(parsed(low.len() + 2, high)?, true) };
            return Ok(Bounds { low: low_bound, high: high_bound });
        }
        let value = parsed(0, word)?;
        let bound = bound(value, operator.ends_with('='));
        Ok(if operator.starts_with('>') {
            Bounds { low: bound, high: None }
        } else {
            Bounds { low: None, high: bound }
        })
    }

    /// `90 90`, `9090` or `"90 90"`.
    fn bytes(&mut self) -> Parsed<Vec<u8>> {
        let from = self.at;
        let text = if self.rest().starts_with('"') {
            self.quoted()?
        } else {
            let mut digits = self.word().to_string();
            // Pairs of digits that follow belong to the bytes.
            loop {
                let before = self.at;
                self.spaces();
                let word = self.word();
                if word.is_empty() || !word.len().is_multiple_of(2) || !word.bytes().all(|b| b.is_ascii_hexdigit()) {
                    self.at = before;
                    break;
                }
                digits.push_str(word);
            }
            digits
        };
        let digits: Vec<u32> =
            text.trim().chars().filter(|c| !c.is_whitespace()).filter_map(|c| c.to_digit(16)).collect();
        let given = text.chars().filter(|c| !c.is_whitespace()).count();
        if digits.is_empty() || !digits.len().is_multiple_of(2) || digits.len() != given {
            let sentence = "Expected bytes as pairs of hexadecimal digits, such as 0f 05.".into();
            return Err(SyntaxError { at: from, len: self.at - from, sentence });
        }
        Ok(digits.as_chunks::<2>().0.iter().map(|[high, low]| (high * 16 + low) as u8).collect())
    }
}

/// The kinds of keys.
enum Kind {
    Name,
    Thread,
    Duration,
    Start,
    Depth,
    Frame,
    Flag,
    Field(Vec<String>),
    Text,
    Bytes,
    Instruction,
    Address,
    Memory(Option<bool>),
    Value(ValuePlace),
    Taint,
}

impl Kind {
    fn of(lower: &str, key: &str) -> Option<Self> {
        Some(match lower {
            "name" => Self::Name,
            "thread" | "track" => Self::Thread,
            "dur" | "duration" => Self::Duration,
            "start" => Self::Start,
            "depth" => Self::Depth,
            "frame" => Self::Frame,
            "flag" => Self::Flag,
            "ret" => Self::Field(vec!["ret".into()]),
            "text" => Self::Text,
            "bytes" => Self::Bytes,
            "insn" => Self::Instruction,
            "addr" | "address" => Self::Address,
            "mem" => Self::Memory(None),
            "mem.read" => Self::Memory(Some(false)),
            "mem.written" => Self::Memory(Some(true)),
            "mem.value" => Self::Value(ValuePlace::Memory),
            "reg" => Self::Value(ValuePlace::Register(None)),
            "taint" => Self::Taint,
            _ => {
                let (first, path) = key.split_once('.')?;
                // `reg.read:RAX` would ask for a register with the name `read`; `arg.read.RAX:*` is
                // meant.
                let is_register = !path.is_empty() && !matches!(path, "read" | "written");
                if first.eq_ignore_ascii_case("reg") && is_register {
                    return Some(Self::Value(ValuePlace::Register(Some(path.into()))));
                }
                let is_path = first.eq_ignore_ascii_case("arg") && path.split('.').all(|part| !part.is_empty());
                let path = path.split('.').map(String::from);
                return is_path.then(|| Self::Field([String::from("arg")].into_iter().chain(path).collect()));
            }
        })
    }
}

impl Word {
    fn of(text: &str) -> Self {
        Self { pattern: Pattern::word_or_glob(text), number: number(text).ok() }
    }
}

impl Pattern {
    /// A word of its own, or after `text:`: a glob only if it has a `*`.
    fn word_or_glob(text: &str) -> Self {
        if text.contains('*') && text.len() > 1 { Self::Glob(format!("*{text}*")) } else { Self::word(text) }
    }
}

/// The bits of a word after `flag:`.
fn flag(word: &str) -> Option<u8> {
    use unspool_trace::batch::flags;
    match word {
        "open" | "never-ended" => Some(flags::NEVER_ENDED),
        "began-before" => Some(flags::BEGAN_BEFORE),
        "end-inferred" => Some(flags::END_INFERRED),
        "uncertain" => Some(flags::UNCERTAIN),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(text: &str) -> Term {
        match parse(text, "") {
            Ok(Expr::Term(term, _)) => term,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn wrong(text: &str) -> (usize, usize, String) {
        let error = parse(text, "name, thread").expect_err(text);
        (error.at, error.len, error.sentence)
    }

    /// A word that is not a number.
    fn word(text: &str) -> Term {
        Term::Word(Word { pattern: Pattern::word(text), number: None })
    }

    fn more<T>(value: T) -> Bounds<T> {
        Bounds { low: Some(Bound { value, included: false }), high: None }
    }

    fn both(n: i128) -> Bounds<Number> {
        let bound = Some(Bound { value: Number::Integer(n), included: true });
        Bounds { low: bound, high: bound }
    }

    /// The expression as text, with parentheses.
    fn shape(text: &str) -> String {
        fn of(expr: &Expr, text: &str) -> String {
            let join =
                |parts: &[Expr], with: &str| parts.iter().map(|part| of(part, text)).collect::<Vec<_>>().join(with);
            match expr {
                Expr::Any(parts) => format!("({})", join(parts, " | ")),
                Expr::All(parts) => format!("({})", join(parts, " & ")),
                Expr::Not(inner) => format!("!{}", of(inner, text)),
                Expr::Term(_, (at, len)) => text.get(*at..at + len).unwrap().to_string(),
            }
        }
        of(&parse(text, "").unwrap(), text)
    }

    #[test]
    fn juxtaposition_binds_tighter_than_or() {
        assert_eq!(shape("a b or c d"), "((a & b) | (c & d))");
        assert_eq!(shape("a (b or -c) d"), "(a & (b | !c) & d)");
        assert_eq!(shape("not a and b OR --c"), "((!a & b) | !!c)");
        assert_eq!(shape("order -nothing"), "(order & !nothing)");
    }

    #[test]
    fn words_and_names() {
        assert_eq!(term("glShader"), word("glShader"));
        assert_eq!(term("std::vec<int>"), word("std::vec<int>"));
        assert_eq!(term("f(int)"), word("f(int)"));
        let plain = |pattern| Term::Word(Word { pattern, number: None });
        assert_eq!(term("gl*Source"), plain(Pattern::Glob("*gl*Source*".into())));
        assert_eq!(
            term("\"a \\\"b\\\" C:\\dir\""),
            plain(Pattern::Contains { part: "a \"b\" C:\\dir".into(), case: true })
        );
        let number = |text, number| Term::Word(Word { pattern: Pattern::word(text), number: Some(number) });
        assert_eq!(term("0x401000"), number("0x401000", Number::Integer(0x40_1000)));
        assert_eq!(term("1,234"), number("1,234", Number::Integer(1234)));
        assert_eq!(term("0.5"), number("0.5", Number::Float(0.5)));
    }

    #[test]
    fn pairs_of_digits_are_bytes_or_words() {
        assert_eq!(shape("31 f6"), "((31 f6 & 31 f6) | 31 f6)");
        assert_eq!(shape("(0f 05) x"), "(((0f 05 & 0f 05) | 0f 05) & x)");
        assert_eq!(shape("0f 05 c3 90"), "0f 05 c3 90");
        assert_eq!(shape("31 x f6"), "(31 & x & f6)");
        assert!(matches!(term("0f 05 c3 90"), Term::Bytes(bytes) if bytes == [0x0f, 5, 0xc3, 0x90]));
        assert_eq!(term("name:a::b*"), Term::Name(Pattern::Glob("a::b*".into())));
        assert_eq!(term("name:\"operator*\""), Term::Name(Pattern::Exact("operator*".into())));
        assert_eq!(term("name:/^gl\\/x/i"), Term::Name(Pattern::Regex { source: "^gl/x".into(), ignore_case: true }));
        assert_eq!(term("text:precision"), Term::Text(Pattern::word("precision")));
    }

    #[test]
    fn numbers_and_lengths() {
        assert_eq!(term("addr:0x401000..0x402000"), {
            let bound = |n| Some(Bound { value: Number::Integer(n), included: true });
            Term::Address(Bounds { low: bound(0x40_1000), high: bound(0x40_2000) })
        });
        let path = |keys: &[&str]| keys.iter().map(|key| key.to_string()).collect::<Vec<_>>();
        let test = Test { number: Some(more(Number::Integer(100))), text: None };
        assert_eq!(term("arg.count>100"), Term::Field { path: path(&["arg", "count"]), test });
        let test = Test { number: Some(both(-5)), text: Some(Pattern::value("-5")) };
        assert_eq!(term("ret:-5"), Term::Field { path: path(&["ret"]), test });
        let test = Test { number: None, text: Some(Pattern::value("GL_*")) };
        assert_eq!(term("arg.a.0:GL_*"), Term::Field { path: path(&["arg", "a", "0"]), test });
        let length = |digits, decimals, unit| Length { digits, decimals, unit };
        assert_eq!(term("dur>1.5ms"), Term::Duration(more(length(15, 1, Some(1_000_000)))));
        assert_eq!(term("start>1,000"), Term::Start(more(length(1000, 0, None))));
        assert_eq!(term("depth<=3"), {
            Term::Depth(Bounds { low: None, high: Some(Bound { value: Number::Integer(3), included: true }) })
        });
        assert_eq!(term("frame:7.."), Term::Frame(Bounds { high: None, ..both(7) }));
        assert_eq!(number("1e3"), Ok(Number::Float(1000.0)));
        assert_eq!(number("0xffffffffffffffff"), Ok(Number::Integer(u64::MAX.into())));
        assert!(number("inf").is_err() && number("0x-1").is_err() && number("").is_err() && number("nan").is_err());
    }

    #[test]
    fn memory_and_taint() {
        assert_eq!(term("mem:0x10"), Term::Memory { written: None, bounds: both(16) });
        assert_eq!(term("mem.read:0x10"), Term::Memory { written: Some(false), bounds: both(16) });
        assert_eq!(term("mem.written>3"), Term::Memory { written: Some(true), bounds: more(Number::Integer(3)) });
        assert_eq!(term("taint=3"), Term::Taint(Some(both(3))));
        assert_eq!(term("taint:*"), Term::Taint(None));
        assert_eq!(wrong("taint:x"), (6, 1, "Expected a whole number, in decimal or as 0x1f.".into()));
        assert!(wrong("mem.used:1").2.starts_with("Unknown key mem.used."));
    }

    #[test]
    fn values_of_registers_and_memory() {
        let value = |place, number, text| Term::Value { place, test: Test { number, text } };
        let five = || Some(Pattern::Exact("5".into()));
        assert_eq!(term("reg:5"), value(ValuePlace::Register(None), Some(both(5)), five()));
        assert_eq!(term("reg.RAX=5"), value(ValuePlace::Register(Some("RAX".into())), Some(both(5)), five()));
        assert_eq!(term("mem.value>3"), value(ValuePlace::Memory, Some(more(Number::Integer(3))), None));
        assert_eq!(wrong("reg.rax>x").0, 8);
        assert!(wrong("reg.:1").2.starts_with("Unknown key reg.."));
        assert!(wrong("reg.read:RAX").2.starts_with("Unknown key reg.read."));
    }

    #[test]
    fn bytes_and_flags() {
        assert_eq!(term("bytes:0f 05"), Term::Bytes(vec![0x0f, 5]));
        assert_eq!(term("bytes:9090"), Term::Bytes(vec![0x90; 2]));
        assert_eq!(shape("bytes:90 90 main"), "(bytes:90 90 & main)");
        assert_eq!(term("bytes:\"de AD\""), Term::Bytes(vec![0xde, 0xad]));
        assert_eq!(term("flag:open"), Term::Flag(2));
    }

    #[test]
    fn errors_say_where_and_what_was_expected() {
        assert_eq!(wrong("  "), (2, 0, "Type a name, or a term such as name:main.".into()));
        assert_eq!(wrong("a nme:x").0, 2);
        assert!(wrong("a nme:x").2.starts_with("Unknown key nme. Keys: name, "));
        assert_eq!(wrong("dur>1 mz:3").0, 6);
        assert_eq!(wrong("dur>1mz"), (4, 3, "Expected a length, such as 1.5ms, 200us or 1000.".into()));
        assert_eq!(wrong("addr:5..x").0, 8);
        assert_eq!(wrong("(a b"), (0, 1, "This ( has no ).".into()));
        assert_eq!(wrong("a) b"), (1, 1, "Unexpected ); there is no ( before it.".into()));
        assert_eq!(wrong("a or "), (5, 0, "Expected a term here, such as name:main.".into()));
        assert_eq!(wrong("name>x"), (4, 1, "Only numbers can be compared with >; use : here.".into()));
        assert_eq!(wrong("name:"), (5, 0, "Expected a value here.".into()));
        assert_eq!(wrong("x \"abc"), (2, 4, "These quotes are not closed.".into()));
        assert_eq!(wrong("/abc"), (0, 4, "This regular expression has no closing /.".into()));
        assert!(wrong("name:/(/").2.starts_with("Invalid regular expression: "));
        assert_eq!(wrong("bytes:9").2, "Expected bytes as pairs of hexadecimal digits, such as 0f 05.");
        assert_eq!(wrong("flag:x").2, "Expected open, began-before, end-inferred or uncertain.");
        assert!(wrong(&"(".repeat(100)).2.starts_with("Too many nested"));
        assert!(wrong(&"a".repeat(20_000)).2.contains("16 KiB"));
        assert!(wrong("arg.:1").2.starts_with("Unknown key"));
    }
}
