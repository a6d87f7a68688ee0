//! Queries as conditions are usually written.
//!
//! ```text
//! i > 100 and n.size = 4
//! name = "main" and `odd name` > 1
//! a, b: int | unsigned int where a.value > b.value and distinct(a, b) prefer a > 9 in file 7 once
//! ```

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use unspool_formats::trace_db::wire::StatementId;

use crate::lisp::add_named;
use crate::number::Operation;
use crate::syntax::{
    Allowed, Bytes, Comparison, Condition, DEEPEST, Fault, FreeVariable, MOST_VARIABLES, Part, Place, Query, Quoted,
    Sort, Term, constant,
};
use crate::text;

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Word(String),
    /// Between backticks: a name.
    Name(String),
    /// In quotation marks: a text, or a name.
    Quoted(Quoted),
    Number(String),
    Sign(&'static str),
    End,
}

#[derive(Clone, Debug)]
struct Token {
    place: Place,
    kind: Kind,
}

/// Longer signs come before their beginnings.
const SIGNS: [&str; 21] =
    ["<=", ">=", "==", "!=", "&&", "||", "(", ")", ",", ".", ":", "|", "+", "-", "*", "/", "<", ">", "=", "!", ";"];

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Splits a text. What is not a token of the language is a fault only where it is read: types may
/// contain anything.
fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (len, kind) = if first == '"' || first == '`' {
            let Some(inner) = text::quoted(rest) else {
                return Err(Place { at, len: rest.len() }.fault("The closing quotation mark is missing."));
            };
            let kind = if first == '`' {
                Kind::Name(inner.replace("``", "`"))
            } else {
                Kind::Quoted(Quoted { name: inner.to_owned(), bytes: text::bytes(inner, at + 1) })
            };
            (inner.len() + 2, kind)
        } else if first.is_ascii_digit() {
            // The sign of an exponent belongs to the number, except in hexadecimal.
            let is_hex = rest.starts_with("0x") || rest.starts_with("0X");
            let mut last = ' ';
            let len = rest
                .find(|c: char| {
                    let belongs = c.is_ascii_alphanumeric()
                        || c == '.'
                        || matches!(c, '+' | '-') && !is_hex && matches!(last, 'e' | 'E');
                    last = c;
                    !belongs
                })
                .unwrap_or(rest.len());
            (len, Kind::Number(rest.get(..len).unwrap_or_default().to_owned()))
        } else if is_of_name(first) {
            let len = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
            (len, Kind::Word(rest.get(..len).unwrap_or_default().to_owned()))
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (sign.len(), Kind::Sign(sign))
        } else {
            (first.len_utf8(), Kind::Sign("?"))
        };
        tokens.push(Token { place: Place { at, len }, kind });
        at += len;
    }
    tokens.push(Token { place: Place { at: text.len(), len: 0 }, kind: Kind::End });
    Ok(tokens)
}

pub(crate) fn parse(text: &str) -> Result<Query, Fault> {
    let mut query = Query { keep: true, ..Query::default() };
    let mut tokens = tokens(text)?;
    let is_where = |token: &Token| matches!(&token.kind, Kind::Word(word) if word.eq_ignore_ascii_case("where"));
    if let Some(i) = tokens.iter().position(is_where) {
        let place = tokens.get(i).map(|token| token.place).unwrap_or_default();
        declarations(text.get(..place.at).unwrap_or_default(), place, &mut query)?;
        tokens.drain(..=i);
    } else if let [
        Token { kind: Kind::Word(_) | Kind::Name(_) | Kind::Quoted(_), .. },
        Token { kind: Kind::Sign(":"), place },
        ..,
    ] = &tokens[..]
    {
        return Err(place.fault("The word where and a condition are needed after the variables."));
    }
    let mut parser = Parser { tokens, next: 0, query, depth: 0 };
    parser.whole()?;
    Ok(parser.query)
}

/// Reads `a, b: int | unsigned int, p: *char`. Types are as in the trace, with or without quotation
/// marks.
fn declarations(text: &str, end: Place, query: &mut Query) -> Result<(), Fault> {
    let mut waiting = Vec::new();
    let mut from = 0;
    for part in split(text, ',') {
        let at = from;
        from += part.len() + 1;
        let (name, types) = match split(part, ':').first() {
            Some(name) if name.len() < part.len() => (*name, part.get(name.len() + 1..)),
            _ => (part, None),
        };
        let (place, name) = trimmed(name, at);
        if name.is_empty() {
            let place = if at >= text.len() { end } else { Place { at, len: part.len().max(1) } };
            return Err(place.fault("The name of a variable is needed here."));
        }
        if !name.chars().all(is_of_name) || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(place.fault("Names of variables have letters, digits and _ only."));
        }
        if query.variables.iter().any(|variable| variable.name == name) {
            return Err(place.fault("There is a variable of this name already."));
        }
        if query.variables.len() >= MOST_VARIABLES {
            return Err(place.fault("A query has at most 16 variables."));
        }
        query.variables.push(FreeVariable { name: name.to_owned(), allowed: Allowed::Any });
        waiting.push(query.variables.len() - 1);
        let Some(types) = types else { continue };
        let mut at = at + part.len() - types.len();
        let mut found = Vec::new();
        let mut is_any = false;
        for one in split(types, '|') {
            let (place, name) = trimmed(one, at);
            if name.is_empty() {
                return Err(Place { at, len: one.len().max(1) }.fault("The name of a type is needed here."));
            }
            at += one.len() + 1;
            is_any |= name == "any";
            found.push((place, name.trim_matches(['"', '`']).to_owned()));
        }
        for i in waiting.drain(..) {
            if let Some(variable) = query.variables.get_mut(i) {
                variable.allowed = if is_any { Allowed::Any } else { Allowed::Types(found.clone()) };
            }
        }
    }
    Ok(())
}

/// A text without the blanks around it, and its place if it was at `at`.
fn trimmed(text: &str, at: usize) -> (Place, &str) {
    let start = text.len() - text.trim_start().len();
    let inner = text.trim();
    (Place { at: at + start, len: inner.len() }, inner)
}

/// Splits at a sign, outside of quotation marks and brackets. `std::map<int, int>` is one type.
fn split(text: &str, at: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut depth, mut quote) = (0, 0i32, None);
    let bytes = text.as_bytes();
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '(' | '[' | '<') => depth += 1,
            (None, ')' | ']' | '>') => depth -= 1,
            // The colons of C++.
            (None, ':') if bytes.get(i + 1) == Some(&b':') || i > 0 && bytes.get(i - 1) == Some(&b':') => {}
            (None, c) if c == at && depth <= 0 => {
                parts.push(text.get(from..i).unwrap_or_default());
                from = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    query: Query,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Kind {
        self.tokens.get(self.next).map_or(&Kind::End, |token| &token.kind)
    }

    fn after(&self) -> &Kind {
        self.tokens.get(self.next + 1).map_or(&Kind::End, |token| &token.kind)
    }

    fn place(&self) -> Place {
        self.tokens.get(self.next.min(self.tokens.len().saturating_sub(1))).map(|token| token.place).unwrap_or_default()
    }

    fn sign(&mut self, sign: &str) -> bool {
        let is = *self.peek()
            == Kind::Sign(match SIGNS.iter().find(|it| **it == sign) {
                Some(sign) => sign,
                None => return false,
            });
        self.next += usize::from(is);
        is
    }

    fn is_word(kind: &Kind, wanted: &str) -> bool {
        matches!(kind, Kind::Word(word) if word.eq_ignore_ascii_case(wanted))
    }

    fn word(&mut self, wanted: &str) -> bool {
        let is = Self::is_word(self.peek(), wanted);
        self.next += usize::from(is);
        is
    }

    fn expected<T>(&self, what: &str) -> Result<T, Fault> {
        Err(self.place().fault(match self.peek() {
            Kind::End => format!("{what} is needed at the end."),
            _ => format!("{what} is needed here."),
        }))
    }

    fn whole(&mut self) -> Result<(), Fault> {
        if *self.peek() == Kind::End {
            return self.expected("A condition");
        }
        let is_clause = Self::is_word(self.peek(), "in") && Self::is_word(self.after(), "file")
            || ["at", "pick"].iter().any(|word| Self::is_word(self.peek(), word))
                && matches!(self.after(), Kind::Number(_));
        if !is_clause {
            self.query.predicate = Some(self.any()?.condition()?);
        }
        loop {
            if self.word("prefer") {
                loop {
                    let condition = self.any()?.condition()?;
                    self.query.soft.push(condition);
                    if !self.sign(",") {
                        break;
                    }
                }
            } else if self.word("once") {
                self.query.keep = false;
            } else if self.word("pick") {
                let place = self.place();
                let seed = self.number()?;
                self.query.seed =
                    u32::try_from(seed).map_err(|_| place.fault("Seeds are numbers below 4294967296."))?;
            } else if self.word("at") {
                let place = self.place();
                let first = self.number()?;
                let id = if self.sign(":") {
                    let file = u32::try_from(first).ok().filter(|file| *file < 1 << 23);
                    let file = file.ok_or_else(|| place.fault("Numbers of files are below 8388608."))?;
                    let place = self.place();
                    let index = Some(self.number()?).filter(|index| *index < 1 << 40);
                    let index = index.ok_or_else(|| place.fault("The index in a file is below 1099511627776."))?;
                    StatementId::in_file(file, index)
                } else {
                    StatementId::from_bits(first)
                };
                self.query.statement = Some((u64::MAX, id.bits()));
            } else if Self::is_word(self.peek(), "in") && Self::is_word(self.after(), "file") {
                self.next += 2;
                let place = self.place();
                let file = u32::try_from(self.number()?).ok().filter(|file| *file < 1 << 23);
                let file = file.ok_or_else(|| place.fault("Numbers of files are below 8388608."))?;
                // The file with the bit that says that there is one.
                self.query.statement = Some((u64::MAX << 40, StatementId::in_file(file, 0).bits()));
            } else if *self.peek() == Kind::End {
                return Ok(());
            } else {
                return self.expected("An operator, or one of and, or, prefer, at, in file, pick and once");
            }
        }
    }

    fn number(&mut self) -> Result<u64, Fault> {
        let value = match self.peek() {
            Kind::Number(text) => match constant(text) {
                Some(Term::Constant(crate::Number::Int(n), _)) => u64::try_from(n).ok(),
                _ => None,
            },
            _ => None,
        };
        match value {
            Some(value) => {
                self.next += 1;
                Ok(value)
            }
            None => self.expected("A number from 0 to 18446744073709551615"),
        }
    }

    fn any(&mut self) -> Result<Part, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.place().fault("This is nested too deep."));
        }
        let first = self.all()?;
        let result = if Self::is_word(self.peek(), "or") || *self.peek() == Kind::Sign("||") {
            let mut place = first.place;
            let mut parts = alloc::vec![first.condition()?];
            while self.word("or") || self.sign("||") {
                let next = self.all()?;
                place = place.to(next.place);
                parts.push(next.condition()?);
            }
            Part { place, sort: Sort::Condition(Condition::Any(parts)) }
        } else {
            first
        };
        self.depth -= 1;
        Ok(result)
    }

    fn all(&mut self) -> Result<Part, Fault> {
        let first = self.not()?;
        if !(Self::is_word(self.peek(), "and") || *self.peek() == Kind::Sign("&&")) {
            return Ok(first);
        }
        let mut place = first.place;
        let mut parts = alloc::vec![first.condition()?];
        while self.word("and") || self.sign("&&") {
            let next = self.not()?;
            place = place.to(next.place);
            parts.push(next.condition()?);
        }
        Ok(Part { place, sort: Sort::Condition(Condition::All(parts)) })
    }

    fn not(&mut self) -> Result<Part, Fault> {
        let place = self.place();
        let mut is_negated = None;
        while self.word("not") || self.sign("!") {
            is_negated = Some(!is_negated.unwrap_or(false));
        }
        let inner = self.comparison()?;
        let Some(is_negated) = is_negated else { return Ok(inner) };
        let place = place.to(inner.place);
        let condition = inner.condition()?;
        let condition = if is_negated { Condition::Not(condition.into()) } else { condition };
        Ok(Part { place, sort: Sort::Condition(condition) })
    }

    fn comparison(&mut self) -> Result<Part, Fault> {
        let first = self.sum()?;
        let mut place = first.place;
        let mut left = None;
        let mut found = Vec::new();
        let mut head = Some(first);
        loop {
            let comparison = match self.peek() {
                Kind::Sign(">") => Comparison::Greater,
                Kind::Sign(">=") => Comparison::AtLeast,
                Kind::Sign("<") => Comparison::Less,
                Kind::Sign("<=") => Comparison::AtMost,
                Kind::Sign("=" | "==") => Comparison::Equal,
                Kind::Sign("!=") => Comparison::Unequal,
                _ => break,
            };
            self.next += 1;
            let Some(a) = head.take().or(left.take()) else { break };
            let b = self.sum()?;
            place = place.to(b.place);
            // `0 <= i < n` compares both.
            left = Some(b.clone());
            found.push(self.compared(comparison, a, b)?);
        }
        if let Some(first) = head {
            return Ok(first);
        }
        let condition = match (found.pop(), found.is_empty()) {
            (Some(one), true) => one,
            (last, _) => {
                found.extend(last);
                Condition::All(found)
            }
        };
        Ok(Part { place, sort: Sort::Condition(condition) })
    }

    /// A comparison of two parts. What is in quotation marks is a text beside a variable, and the
    /// name of a variable beside a number.
    fn compared(&mut self, comparison: Comparison, a: Part, b: Part) -> Result<Condition, Fault> {
        match (&a.sort, &b.sort) {
            (Sort::Quoted(_), Sort::Quoted(text)) => {
                let bytes = Bytes::Constant(text.bytes.clone()?);
                let Sort::Variable(number) = self.resolved(a)?.sort else { return self.expected("A variable") };
                return Ok(Condition::Bytes(comparison, number, bytes));
            }
            (Sort::Quoted(text), of) => {
                if let Some(number) = beside(text, a.place, of)? {
                    return Ok(Condition::Bytes(comparison.turned(), number, Bytes::Constant(text.bytes.clone()?)));
                }
            }
            (of, Sort::Quoted(text)) => {
                if let Some(number) = beside(text, b.place, of)? {
                    return Ok(Condition::Bytes(comparison, number, Bytes::Constant(text.bytes.clone()?)));
                }
            }
            _ => {}
        }
        let (a, b) = (self.term(a)?, self.term(b)?);
        if let (Term::Value(x), Term::Value(y)) = (&a, &b) {
            let bytes = Condition::Bytes(comparison, *x, Bytes::Variable(*y));
            return Ok(Condition::Any([Condition::Compare(comparison, a, b), bytes].into()));
        }
        Ok(Condition::Compare(comparison, a, b))
    }

    /// A part that is in quotation marks, as the variable of that name.
    fn resolved(&mut self, part: Part) -> Result<Part, Fault> {
        match part.sort {
            Sort::Quoted(Quoted { name, .. }) => {
                Ok(Part { place: part.place, sort: Sort::Variable(self.named(part.place, &name)?) })
            }
            _ => Ok(part),
        }
    }

    /// A number. That of a variable is its value.
    fn term(&mut self, part: Part) -> Result<Term, Fault> {
        let part = self.resolved(part)?;
        match part.sort {
            Sort::Term(term) => Ok(term),
            Sort::Variable(number) => Ok(Term::Value(number)),
            Sort::Condition(_) | Sort::Quoted(_) => {
                Err(part.place.fault("This is a condition; a number is needed here."))
            }
        }
    }

    fn applied(&mut self, operation: Operation, a: Part, b: Part) -> Result<Part, Fault> {
        let place = a.place.to(b.place);
        let term = Term::applied(place, operation, self.term(a)?, self.term(b)?)?;
        Ok(Part { place, sort: Sort::Term(term) })
    }

    fn sum(&mut self) -> Result<Part, Fault> {
        let mut left = self.product()?;
        loop {
            let operation = match self.peek() {
                Kind::Sign("+") => Operation::Add,
                Kind::Sign("-") => Operation::Subtract,
                _ => return Ok(left),
            };
            self.next += 1;
            let right = self.product()?;
            left = self.applied(operation, left, right)?;
        }
    }

    fn product(&mut self) -> Result<Part, Fault> {
        let mut left = self.unary()?;
        loop {
            let operation = match self.peek() {
                Kind::Sign("*") => Operation::Multiply,
                Kind::Sign("/") => Operation::Divide,
                _ => return Ok(left),
            };
            self.next += 1;
            let right = self.unary()?;
            left = self.applied(operation, left, right)?;
        }
    }

    fn unary(&mut self) -> Result<Part, Fault> {
        let place = self.place();
        if !self.sign("-") {
            return self.primary();
        }
        if let Kind::Number(text) = self.peek()
            && let Some(term) = constant(&format!("-{text}"))
        {
            let place = place.to(self.place());
            self.next += 1;
            return Ok(Part { place, sort: Sort::Term(term) });
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(place.fault("This is nested too deep."));
        }
        let inner = self.unary()?;
        self.depth -= 1;
        let zero = Part { place, sort: Sort::Term(Term::Constant(crate::Number::Int(0), Some(0))) };
        self.applied(Operation::Subtract, zero, inner)
    }

    fn primary(&mut self) -> Result<Part, Fault> {
        let place = self.place();
        let name = match self.peek().clone() {
            Kind::Number(text) => {
                let Some(term) = constant(&text) else {
                    return Err(place.fault(format!("{text} is no number.")));
                };
                self.next += 1;
                return Ok(Part { place, sort: Sort::Term(term) });
            }
            Kind::Sign("(") => {
                self.next += 1;
                let inner = self.any()?;
                let end = self.place();
                if !self.sign(")") {
                    return self.expected("A closing parenthesis");
                }
                return Ok(Part { place: place.to(end), ..inner });
            }
            Kind::Word(word) if *self.after() == Kind::Sign("(") => {
                if !matches!(word.to_lowercase().as_str(), "distinct") {
                    return Err(place.fault(format!("There is no function {word}. There is distinct(a, b).")));
                }
                self.next += 2;
                let a = self.variable()?;
                if !self.sign(",") {
                    return self.expected("A comma");
                }
                let b = self.variable()?;
                let end = self.place();
                if !self.sign(")") {
                    return self.expected("A closing parenthesis");
                }
                return Ok(Part { place: place.to(end), sort: Sort::Condition(Condition::Distinct(a, b)) });
            }
            Kind::Word(word) if matches!(word.as_str(), "true" | "false") && !self.declares(&word) => {
                self.next += 1;
                let none = Vec::new();
                let condition = if word == "true" { Condition::All(none) } else { Condition::Any(none) };
                return Ok(Part { place, sort: Sort::Condition(condition) });
            }
            Kind::Quoted(quoted) if *self.after() != Kind::Sign(".") => {
                self.next += 1;
                return Ok(Part { place, sort: Sort::Quoted(quoted) });
            }
            Kind::Word(name) | Kind::Name(name) | Kind::Quoted(Quoted { name, .. }) => name,
            _ => return self.expected("A variable, a number or a condition"),
        };
        self.next += 1;
        let number = self.named(place, &name)?;
        if !self.sign(".") {
            return Ok(Part { place, sort: Sort::Variable(number) });
        }
        let end = self.place();
        let term = match self.peek() {
            Kind::Word(word) if word == "value" => Term::Value(number),
            Kind::Word(word) if word == "size" => Term::Size(number),
            _ => return self.expected("One of value and size"),
        };
        self.next += 1;
        Ok(Part { place: place.to(end), sort: Sort::Term(term) })
    }

    fn variable(&mut self) -> Result<u8, Fault> {
        let place = self.place();
        match self.peek().clone() {
            Kind::Word(name) | Kind::Name(name) | Kind::Quoted(Quoted { name, .. }) => {
                self.next += 1;
                self.named(place, &name)
            }
            _ => self.expected("A variable"),
        }
    }

    fn declares(&self, name: &str) -> bool {
        self.query.variables.iter().any(|variable| variable.name == name)
    }

    fn named(&mut self, place: Place, name: &str) -> Result<u8, Fault> {
        match self.query.variables.iter().position(|variable| variable.name == name) {
            Some(i) => Ok(i as u8),
            None => add_named(place, name, &mut self.query),
        }
    }
}

/// The variable that a text stands beside in a comparison. `None` beside a number, where what is in
/// quotation marks is a name.
fn beside(text: &Quoted, place: Place, other: &Sort) -> Result<Option<u8>, Fault> {
    match other {
        Sort::Variable(number) | Sort::Term(Term::Value(number)) => Ok(Some(*number)),
        Sort::Term(Term::Constant(..)) => Ok(None),
        _ => Err(place.fault(format!(
            "A text can be compared with a variable only. If this is the name of a variable, write `{}`.",
            text.name
        ))),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_marked_where_it_belongs() {
        let marked = |text: &'static str| {
            let fault = parse(text).unwrap_err();
            (text.get(fault.at..fault.at + fault.len).unwrap(), fault.sentence)
        };
        let type_needed = "The name of a type is needed here.".to_owned();
        assert_eq!(marked("a: int |         where a > 1"), ("         ", type_needed.clone()));
        assert_eq!(marked("a: int |where a > 1"), ("w", type_needed));
        let name_needed = "The name of a variable is needed here.".to_owned();
        assert_eq!(marked("a,           where a>1"), ("           ", name_needed.clone()));
        assert_eq!(marked("a,,b where a>1"), (",", name_needed.clone()));
        assert_eq!(marked("a,where a>1"), ("where", name_needed));
    }

    #[test]
    fn terms_are_at_most_as_deep_as_queries() {
        let rows = |sign: &str, terms: usize| format!("a: any where {} = 5", vec!["a"; terms].join(sign));
        for sign in ["+", "-", "*", "/"] {
            assert!(parse(&rows(sign, DEEPEST + 1)).is_ok());
            let fault = parse(&rows(sign, DEEPEST + 2)).unwrap_err();
            assert_eq!(fault.sentence, "This has more than 128 operations on each other's results.");
            assert!(parse(&rows(sign, 30_000)).is_err());
        }
        // As deep to the right, and as a list.
        let lisp = |depth: usize| format!("(> {}(v/value a){} 0)", "(+ 1 ".repeat(depth), ")".repeat(depth));
        assert!(Query::parse(&lisp(100)).is_ok());
        for text in [
            lisp(200),
            lisp(5000),
            format!("{}a{} > 1", "(".repeat(9000), ")".repeat(9000)),
            "-".repeat(9000),
            "not ".repeat(9000),
        ] {
            assert!(Query::parse(&text).is_err());
        }
        // Terms of sums side by side are not deep.
        let wide = vec!["a + b > 1"; 3000].join(" and ");
        assert!(Query::parse(&wide).is_ok());
    }
}
