//! Queries as s-expressions, as the Common Lisp interface of trace-db has predicates.
//!
//! ```text
//! (query (var a "int" "unsigned int") (var b "*char") (predicate (> (v/value a) (v/size b)))
//!        (soft (< (v/value a) 9)) (mask 0x7fffff0000000000) (statement 0x10000000000) (pick 12345) (keep))
//! ```

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::number::Operation;
use crate::syntax::{
    Allowed, Bytes, Comparison, Condition, DEEPEST, Fault, FreeVariable, MOST_VARIABLES, Part, Place, Query, Quoted,
    Sort, Term, constant,
};

/// An s-expression.
#[derive(Clone, Debug)]
enum Form {
    Symbol(String),
    Text(String),
    List(Vec<(Place, Form)>),
}

/// Reads a text as an s-expression. `None` if it is not one, so that it may be written in the other
/// way.
pub(crate) fn parse(text: &str) -> Option<Result<Query, Fault>> {
    if !text.trim_start().starts_with('(') {
        return None;
    }
    let mut reader = Reader { text, at: 0 };
    let form = reader.form(0);
    let inside = text.trim_start().trim_start_matches('(').trim_start();
    let word: String = inside.chars().take_while(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect();
    if symbol(&word) == "query" {
        return Some(form.and_then(|form| {
            reader.end()?;
            whole(form)
        }));
    }
    // A predicate alone. `(a.value + 1) > 2` and `(not (x > 3))` begin with a parenthesis, too.
    let form = form.ok()?;
    reader.end().ok()?;
    let (Form::List(items), place) = (&form.1, form.0) else { return None };
    let Some((_, Form::Symbol(operator))) = items.first() else { return None };
    if !OPERATORS.contains(&symbol(operator).as_str()) {
        return None;
    }
    let is_word = matches!(symbol(operator).as_str(), "and" | "or" | "not");
    let mut query = Query { keep: true, ..Query::default() };
    let result = part(place, &form.1, &mut query, true).and_then(Part::condition).map(|condition| {
        query.predicate = Some(condition);
        query
    });
    match result {
        Err(_) if is_word => None,
        result => Some(result),
    }
}

const OPERATORS: [&str; 14] =
    ["and", "or", "not", ">", ">=", "<", "<=", "=", "equal", "+", "-", "*", "/", "distinct-vars"];

/// A symbol as Common Lisp reads it: keywords are symbols, and letters have no case.
fn symbol(text: &str) -> String {
    text.strip_prefix(':').unwrap_or(text).to_lowercase()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            if !self.rest().starts_with(';') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.skip();
        let place = Place { at: self.at, len: self.rest().len() };
        if place.len == 0 { Ok(()) } else { Err(place.fault("The query has ended before this.")) }
    }

    fn form(&mut self, depth: usize) -> Result<(Place, Form), Fault> {
        self.skip();
        let at = self.at;
        let here = |len| Place { at, len };
        if depth > DEEPEST {
            return Err(here(1).fault("This is nested too deep."));
        }
        let Some(first) = self.rest().chars().next() else {
            return Err(here(0).fault("A closing parenthesis is missing."));
        };
        match first {
            '(' => {
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    self.skip();
                    if self.rest().starts_with(')') {
                        self.at += 1;
                        return Ok((here(self.at - at), Form::List(items)));
                    }
                    items.push(self.form(depth + 1)?);
                }
            }
            ')' => Err(here(1).fault("This parenthesis closes nothing.")),
            '"' => {
                let mut text = String::new();
                let mut chars = self.rest().char_indices().skip(1);
                while let Some((i, c)) = chars.next() {
                    match c {
                        '"' => {
                            self.at += i + 1;
                            return Ok((here(self.at - at), Form::Text(text)));
                        }
                        '\\' => text.extend(chars.next().map(|(_, c)| c)),
                        c => text.push(c),
                    }
                }
                Err(here(self.rest().len()).fault("The closing quotation mark is missing."))
            }
            _ => {
                let word: String = self
                    .rest()
                    .chars()
                    .take_while(|c| !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | ';'))
                    .collect();
                self.at += word.len();
                Ok((here(word.len()), Form::Symbol(word)))
            }
        }
    }
}

/// Reads `(query …)`.
fn whole((_, form): (Place, Form)) -> Result<Query, Fault> {
    let Form::List(clauses) = form else { return Ok(Query::default()) };
    let mut query = Query { is_reference: true, ..Query::default() };
    // Predicates may stand before the variables.
    for (place, clause) in clauses.iter().skip(1) {
        if let (Some("var"), Form::List(items)) = (head(clause).as_deref(), clause) {
            variable(*place, items, &mut query)?;
        }
    }
    let (mut mask, mut statement) = (0, 0);
    for (place, clause) in clauses.iter().skip(1) {
        let Form::List(items) = clause else {
            return Err(place.fault("A clause is needed here, such as (var a \"int\")."));
        };
        let rest = items.get(1..).unwrap_or_default();
        let conditions = |query: &mut Query| {
            let one = |(place, form): &(Place, Form)| part(*place, form, query, false)?.condition();
            rest.iter().map(one).collect::<Result<Vec<_>, _>>()
        };
        let number = || match rest {
            [(place, Form::Symbol(text))] => match constant(text) {
                Some(Term::Constant(crate::Number::Int(n), _)) if u64::try_from(n).is_ok() => Ok(n as u64),
                _ => Err(place.fault("A number from 0 to 18446744073709551615 is needed here.")),
            },
            _ => Err(place.fault("This clause takes one number.")),
        };
        match head(clause).as_deref() {
            Some("var") => {}
            Some("predicate") => {
                let mut found = conditions(&mut query)?;
                match (found.pop(), found.is_empty(), query.predicate.is_some()) {
                    (Some(condition), true, false) => query.predicate = Some(condition),
                    (_, _, true) => return Err(place.fault("There can be only one predicate. Use and.")),
                    _ => return Err(place.fault("This clause takes one predicate.")),
                }
            }
            Some("soft") => {
                let found = conditions(&mut query)?;
                query.soft.extend(found);
            }
            Some("mask") => mask = number()?,
            Some("statement") => statement = number()?,
            Some("pick") => {
                query.seed = u32::try_from(number()?).map_err(|_| place.fault("Seeds are below 4294967296."))?;
            }
            Some("keep") => query.keep = true,
            _ => {
                return Err(
                    place.fault("Unknown clause. There are var, predicate, soft, mask, statement, pick and keep.")
                );
            }
        }
    }
    query.statement = (mask != 0 || statement != 0).then_some((mask, statement));
    Ok(query)
}

fn head(form: &Form) -> Option<String> {
    match form {
        Form::List(items) => match items.first() {
            Some((_, Form::Symbol(word))) => Some(symbol(word)),
            _ => None,
        },
        _ => None,
    }
}

/// Reads `(var a "type" …)`.
fn variable(place: Place, items: &[(Place, Form)], query: &mut Query) -> Result<(), Fault> {
    let Some((at, Form::Symbol(name))) = items.get(1) else {
        return Err(place.fault("This clause takes a name and the names of types."));
    };
    if query.variables.iter().any(|variable| symbol(&variable.name) == symbol(name)) {
        return Err(at.fault("There is a variable of this name already."));
    }
    if query.variables.len() >= MOST_VARIABLES {
        return Err(at.fault("A query has at most 16 variables."));
    }
    let types = items.get(2..).unwrap_or_default().iter().map(|(place, form)| match form {
        Form::Text(text) | Form::Symbol(text) => Ok((*place, text.to_owned())),
        Form::List(_) => Err(place.fault("The name of a type is needed here, in quotation marks.")),
    });
    let allowed = Allowed::Types(types.collect::<Result<_, _>>()?);
    query.variables.push(FreeVariable { name: name.to_owned(), allowed });
    Ok(())
}

/// The free variable with a name. With `may_add`, an unknown one stands for the program's variables
/// of that name.
fn named(place: Place, name: &str, query: &mut Query, may_add: bool) -> Result<u8, Fault> {
    let same = |variable: &FreeVariable| {
        if may_add { variable.name == name } else { symbol(&variable.name) == symbol(name) }
    };
    if let Some(i) = query.variables.iter().position(same) {
        return Ok(i as u8);
    }
    if !may_add {
        return Err(place.fault(format!("There is no variable {name}. Declare it: (var {name} \"type\").")));
    }
    add_named(place, name, query)
}

/// Adds a free variable for the program's variables of a name.
pub(crate) fn add_named(place: Place, name: &str, query: &mut Query) -> Result<u8, Fault> {
    if query.variables.len() >= MOST_VARIABLES {
        return Err(place.fault("A query has at most 16 variables."));
    }
    query.variables.push(FreeVariable { name: name.to_owned(), allowed: Allowed::Named(place, name.to_owned()) });
    Ok((query.variables.len() - 1) as u8)
}

fn part(place: Place, form: &Form, query: &mut Query, may_add: bool) -> Result<Part, Fault> {
    let is = |sort| Ok(Part { place, sort });
    let items = match form {
        Form::Symbol(text) => {
            if let Some(term) = constant(text) {
                return is(Sort::Term(term));
            }
            return is(Sort::Variable(named(place, text, query, may_add)?));
        }
        Form::Text(text) => {
            let bytes = Ok(text.as_bytes().to_vec());
            return is(Sort::Quoted(Quoted { name: text.to_owned(), bytes }));
        }
        Form::List(items) => items,
    };
    let Some((at, Form::Symbol(operator))) = items.first() else {
        return Err(place.fault("An operator is needed here, such as (> (v/value a) 0)."));
    };
    let parts: Vec<Part> = items
        .get(1..)
        .unwrap_or_default()
        .iter()
        .map(|(place, form)| part(*place, form, query, may_add))
        .collect::<Result<_, _>>()?;
    let takes = |n: usize| {
        let counted = if n == 1 { "one argument" } else { "two arguments" };
        if parts.len() == n { Ok(()) } else { Err(place.fault(format!("{operator} takes {counted}."))) }
    };
    let variables = |parts: &[Part]| {
        let of = |part: &Part| match part.sort {
            Sort::Variable(number) => Ok(number),
            _ => Err(part.place.fault("A variable is needed here.")),
        };
        parts.iter().map(of).collect::<Result<Vec<_>, _>>()
    };
    let operator = symbol(operator);
    match operator.as_str() {
        "v/value" | "v/size" => {
            takes(1)?;
            let number = variables(&parts)?.first().copied().unwrap_or(0);
            is(Sort::Term(if operator == "v/value" { Term::Value(number) } else { Term::Size(number) }))
        }
        "distinct-vars" => {
            takes(2)?;
            match variables(&parts)?[..] {
                [a, b] => is(Sort::Condition(Condition::Distinct(a, b))),
                _ => Err(place.fault("distinct-vars takes two variables.")),
            }
        }
        "and" | "or" => {
            let all = parts.into_iter().map(Part::condition).collect::<Result<_, _>>()?;
            is(Sort::Condition(if operator == "and" { Condition::All(all) } else { Condition::Any(all) }))
        }
        "not" => {
            takes(1)?;
            let mut all = parts.into_iter().map(Part::condition).collect::<Result<Vec<_>, _>>()?;
            match all.pop() {
                Some(one) => is(Sort::Condition(Condition::Not(one.into()))),
                None => Err(place.fault("not takes one argument.")),
            }
        }
        other => {
            let comparison = match other {
                ">" => Some(Comparison::Greater),
                ">=" => Some(Comparison::AtLeast),
                "<" => Some(Comparison::Less),
                "<=" => Some(Comparison::AtMost),
                "=" | "equal" => Some(Comparison::Equal),
                _ => None,
            };
            let operation = match other {
                "+" => Some(Operation::Add),
                "-" => Some(Operation::Subtract),
                "*" => Some(Operation::Multiply),
                "/" => Some(Operation::Divide),
                _ => None,
            };
            if comparison.is_none() && operation.is_none() {
                return Err(at.fault(
                    "Unknown operator. There are v/value, v/size, distinct-vars, and, or, not, >, >=, <, <=, =, equal, +, -, * and /.",
                ));
            }
            takes(2)?;
            if let (Some(comparison), [a, b]) = (comparison, &parts[..])
                && let Some(condition) = compared(comparison, a, b)?
            {
                return is(Sort::Condition(condition));
            }
            let term = |part: Part| match part.sort {
                Sort::Term(term) => Ok(term),
                Sort::Variable(_) => Err(part.place.fault("This is a variable: use (v/value …) or (v/size …).")),
                Sort::Condition(_) => Err(part.place.fault("This is a condition; a number is needed here.")),
                Sort::Quoted(_) => Err(part.place.fault("A number or a variable is needed here, not a text.")),
            };
            let mut terms = parts.into_iter().map(term);
            let (Some(a), Some(b)) = (terms.next(), terms.next()) else {
                return Err(place.fault("Two numbers are needed here."));
            };
            let (a, b) = (a?, b?);
            is(match (comparison, operation) {
                (Some(comparison), _) => Sort::Condition(Condition::Compare(comparison, a, b)),
                (_, Some(operation)) => Sort::Term(Term::applied(place, operation, a, b)?),
                _ => return Err(place.fault("Unknown operator.")),
            })
        }
    }
}

/// A comparison of the bytes of a variable with a text. `None` if neither side is a text.
fn compared(comparison: Comparison, a: &Part, b: &Part) -> Result<Option<Condition>, Fault> {
    let (comparison, value, text, quoted) = match (&a.sort, &b.sort) {
        (_, Sort::Quoted(quoted)) => (comparison, a, b, quoted),
        (Sort::Quoted(quoted), _) => (comparison.turned(), b, a, quoted),
        _ => return Ok(None),
    };
    match value.sort {
        Sort::Term(Term::Value(number)) => {
            Ok(Some(Condition::Bytes(comparison, number, Bytes::Constant(quoted.bytes.clone()?))))
        }
        _ => Err(text.place.fault("Texts are compared with the values of variables only: (v/value …).")),
    }
}
