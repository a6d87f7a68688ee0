//! Why a query finds nothing, as a sentence.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use unspool_formats::trace_db::wire::Tables;

use crate::invariants::quoted;
use crate::run::{Recorded, Run};
use crate::syntax::{Allowed, Bytes, Condition, Query, Term};

impl Run {
    /// The reason why a query has found nothing in a trace with these names, all of whose segments
    /// were asked. It is about variables that are never recorded, never together, or never as what
    /// they are compared with, and else says how many points the condition was asked of.
    pub fn why_none(&self, query: &Query, tables: &Tables) -> String {
        if !self.possible {
            return "A part of the condition is about no variable and never holds.".to_string();
        }
        let names: Vec<String> = query.variables.iter().map(name_of).collect();
        let seen = &self.seen;
        if query.variables.is_empty() || seen.points == 0 {
            return match query.statement {
                Some((u64::MAX, _)) => "No point is at this statement.".to_string(),
                Some(_) => "No point is at these statements.".to_string(),
                None => "The trace has no complete point.".to_string(),
            };
        }
        let together = |i: usize| seen.together.get(i).copied().unwrap_or(0);
        if self.picked.is_some() {
            return match names.iter().enumerate().find(|(i, _)| together(*i) == 0) {
                Some((_, name)) => format!("The point that was picked does not record {name}."),
                None => "The condition does not hold at the point that was picked.".to_string(),
            };
        }
        let of = match query.statement {
            Some((u64::MAX, _)) => " at this statement",
            Some(_) => " of these statements",
            None => "",
        };
        if let Some((_, name)) = names.iter().enumerate().find(|(i, _)| together(*i) == 0) {
            return format!("No point{of} records {name}.");
        }
        for (i, one) in names.iter().enumerate() {
            let apart = names.iter().enumerate().skip(i + 1).find(|(k, _)| together(i) >> k & 1 == 0);
            if let Some((_, other)) = apart {
                return format!("No point{of} records both {one} and {other}. {ONE_POINT}");
            }
        }
        let all = listed(&names);
        if seen.whole == 0 {
            return format!("No point{of} records all of {all}. {ONE_POINT}");
        }
        let about = About { seen, names: &names, query, tables };
        let mismatch = query.predicate.as_ref().and_then(|it| about.mismatch(it));
        mismatch.unwrap_or_else(|| match seen.whole {
            1 => format!("The condition does not hold at the one point{of} that records {all}."),
            n => format!("The condition holds at none of the {n} points{of} that record {all}."),
        })
    }
}

/// The reason why several variables have to be recorded together.
const ONE_POINT: &str = "A query is about the values of one point.";

/// A free variable as sentences have it.
fn name_of(variable: &crate::FreeVariable) -> String {
    let name = quoted(&variable.name);
    match &variable.allowed {
        Allowed::Named(..) => name,
        Allowed::Any => format!("{name}: any"),
        Allowed::Types(types) => {
            let types: Vec<&str> = types.iter().map(|(_, name)| name.as_str()).collect();
            format!("{name}: {}", types.join(" | "))
        }
    }
}

/// Names as a list: `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The variables of a query, and what was recorded of them.
struct About<'a> {
    seen: &'a Recorded,
    names: &'a [String],
    query: &'a Query,
    tables: &'a Tables,
}

impl About<'_> {
    /// The first comparison that must hold and that a variable is never recorded for.
    fn mismatch(&self, condition: &Condition) -> Option<String> {
        match condition {
            Condition::All(parts) => parts.iter().find_map(|part| self.mismatch(part)),
            // As numbers or as bytes: what two variables without types make.
            Condition::Any(parts) => match parts.as_slice() {
                [Condition::Compare(_, Term::Value(_), Term::Value(_)), Condition::Bytes(_, a, Bytes::Variable(b))] => {
                    self.never_alike(*a, *b).or_else(|| self.never_alike(*b, *a))
                }
                _ => None,
            },
            Condition::Bytes(_, number, Bytes::Constant(bytes)) if !self.is_bytes(*number) => {
                let hint = core::str::from_utf8(bytes).ok().filter(|text| self.is_name(text)).map(|text| {
                    let text = text.replace('`', "``");
                    format!(" For the variable of that name, write `{text}`.")
                });
                let (own, hint) = (self.name(*number), hint.unwrap_or_default());
                Some(format!("{own} is always a number, which does not compare with texts.{hint}"))
            }
            Condition::Compare(_, a, b) => self.never(a).or_else(|| self.never(b)),
            _ => None,
        }
    }

    fn name(&self, number: u8) -> &str {
        self.names.get(usize::from(number)).map_or("", String::as_str)
    }

    fn is_number(&self, number: u8) -> bool {
        self.seen.numbers >> number & 1 == 1
    }

    fn is_bytes(&self, number: u8) -> bool {
        self.seen.bytes >> number & 1 == 1
    }

    /// Whether the trace has a variable of this name.
    fn is_name(&self, text: &str) -> bool {
        (0..self.tables.names() as u32).any(|name| self.tables.text(name).is_some_and(|it| it == text))
    }

    /// A sentence if one variable is always bytes and the other always a number.
    fn never_alike(&self, bytes: u8, number: u8) -> Option<String> {
        let is_so = !self.is_number(bytes) && !self.is_bytes(number);
        let (bytes, number) = (self.name(bytes), self.name(number));
        is_so.then(|| format!("{bytes} is always bytes and {number} always a number: the two do not compare."))
    }

    /// A sentence if a variable of a term never has the number which is needed of it.
    fn never(&self, term: &Term) -> Option<String> {
        match term {
            Term::Value(number) if !self.is_number(*number) => {
                let own = self.name(*number);
                // Without the type, which stands elsewhere in a query.
                let variable = self.query.variables.get(usize::from(*number))?;
                let plain = quoted(&variable.name);
                Some(format!("{own} is always bytes, which compare with texts only: {plain} = \"…\"."))
            }
            Term::Size(number) if self.seen.in_buffers >> number & 1 == 0 => {
                let own = self.name(*number);
                Some(format!("{own} never points into a buffer that the trace knows, so it has no size."))
            }
            Term::Apply(_, terms) => self.never(&terms.0).or_else(|| self.never(&terms.1)),
            _ => None,
        }
    }
}
