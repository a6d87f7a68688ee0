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
        let of = match (self.picked, query.statement) {
            (Some(_), _) => " that was picked",
            (None, Some((u64::MAX, _))) => " at this statement",
            (None, Some(_)) => " of these statements",
            (None, None) => "",
        };
        if query.variables.is_empty() || seen.points == 0 {
            return match query.statement {
                Some((u64::MAX, _)) => "No point is at this statement.".to_string(),
                Some(_) => "No point is at these statements.".to_string(),
                None => "The trace has no complete point.".to_string(),
            };
        }
        let at = |i: usize| seen.together.get(i).copied().unwrap_or(0);
        if let Some(name) = names.iter().enumerate().find_map(|(i, name)| (at(i) == 0).then_some(name)) {
            return format!("No point{of} records {name}.");
        }
        for (i, one) in names.iter().enumerate() {
            let apart = names.iter().enumerate().skip(i + 1).find(|(k, _)| at(i) >> k & 1 == 0);
            if let Some((_, other)) = apart {
                return format!("No point{of} records both {one} and {other}: they cannot be compared.");
            }
        }
        let all = listed(&names);
        if seen.whole == 0 {
            return format!("No point{of} records all of {all}: a query compares the values of one point.");
        }
        let mismatch = query.predicate.as_ref().and_then(|it| mismatch(it, seen, &names, tables));
        mismatch.unwrap_or_else(|| match seen.whole {
            1 => format!("The condition does not hold at the one point{of} that records {all}."),
            n => format!("The condition holds at none of the {n} points{of} that record {all}."),
        })
    }
}

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

/// The first comparison that must hold and that a variable is never recorded for.
fn mismatch(condition: &Condition, seen: &Recorded, names: &[String], tables: &Tables) -> Option<String> {
    let name = |number: u8| names.get(usize::from(number)).map_or("", String::as_str);
    let is_in = |bits: u32, number: u8| bits >> number & 1 == 1;
    match condition {
        Condition::All(parts) => parts.iter().find_map(|part| mismatch(part, seen, names, tables)),
        Condition::Bytes(_, number, Bytes::Constant(bytes)) if !is_in(seen.bytes, *number) => {
            let own = name(*number);
            let text = core::str::from_utf8(bytes).ok();
            let is_name =
                |text: &&str| (0..tables.names() as u32).any(|n| tables.text(n).is_some_and(|it| it == *text));
            let hint = text.filter(is_name).map(|text| {
                let text = text.replace('`', "``");
                format!(" For the variable of that name, write `{text}`.")
            });
            Some(format!("{own} is always a number, which does not compare with texts.{}", hint.unwrap_or_default()))
        }
        Condition::Compare(_, a, b) => [a, b].into_iter().find_map(|term| never(term, seen, &name)),
        _ => None,
    }
}

/// The variable of a term that never has the number which is needed of it.
fn never<'n>(term: &Term, seen: &Recorded, name: &impl Fn(u8) -> &'n str) -> Option<String> {
    match term {
        Term::Value(number) if seen.numbers >> number & 1 == 0 => {
            let own = name(*number);
            Some(format!("{own} is always bytes, which compare with texts only: {own} = \"…\"."))
        }
        Term::Size(number) if seen.in_buffers >> number & 1 == 0 => {
            let own = name(*number);
            Some(format!("{own} never points into a buffer that the trace knows, so it has no size."))
        }
        Term::Apply(_, terms) => never(&terms.0, seen, name).or_else(|| never(&terms.1, seen, name)),
        _ => None,
    }
}
