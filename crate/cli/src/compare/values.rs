//! What differs between the values of two traces.

use std::io::{self, Write};

use serde_json::{Value, json};
use unspool_compare::sentence::grouped;
use unspool_compare::values::{Change, RelationRow, StatementRow, Values, VariableRow};
use unspool_trace::StatementId;
use unspool_values::{Reached, ValueAt, Valued as Variable};

use super::runs::Valued;
use crate::console::one_line;
use crate::listing::{Cell, Form, Listing, column};

/// Most rows of a table of text.
const LISTED: usize = 20;

/// The values of both, and what differs.
pub(super) struct Compared<'v> {
    found: Values,
    sides: [&'v Valued; 2],
}

impl<'v> Compared<'v> {
    pub(super) fn new(a: &'v Valued, b: &'v Valued) -> Self {
        Self { found: Values::of(&a.profile, &b.profile), sides: [a, b] }
    }

    pub(super) fn is_different(&self) -> bool {
        self.found.is_different()
    }

    pub(super) fn sentence(&self) -> String {
        self.found.sentence(|id| self.name_of(id))
    }

    /// The name of a statement: that of a companion of either trace, or its number.
    fn name_of(&self, id: Option<StatementId>) -> String {
        let Some(id) = id else { return "no statement".into() };
        let named = self.sides.iter().find_map(|side| side.name_of(id));
        named.map_or_else(|| id.to_string(), String::from)
    }

    /// `statements`, `variables` and `relations` of the report.
    pub(super) fn report(&self) -> [(&'static str, Value); 3] {
        let Values { statements, variables, relations, .. } = &self.found;
        let bits = |id: Option<StatementId>| id.map(StatementId::bits);
        let reached = |of: Option<Reached>| of.map(|it| json!({"count": it.count, "first": it.first, "last": it.last}));
        let statement = |row: &StatementRow| {
            json!({
                "statement": bits(row.id), "name": self.name_of(row.id), "a": reached(row.a), "b": reached(row.b),
                "change": row.difference(), "verdict": row.change().word(),
            })
        };
        let value = |of: &Option<ValueAt>| of.as_ref().map(|it| json!({"value": it.text, "point": it.point}));
        let valued = |of: &Option<Variable>| {
            of.as_ref().map(|it| {
                json!({
                    "count": it.count, "changes": it.changes, "zeros": it.zeros, "different": it.different.0,
                    "lowest": value(&it.lowest), "highest": value(&it.highest),
                })
            })
        };
        let variable = |row: &VariableRow| {
            let (name, of_type) = row.name();
            json!({
                "name": name, "type": of_type, "a": valued(&row.a), "b": valued(&row.b),
                "verdict": row.change().word(),
            })
        };
        let relation = |row: &RelationRow| {
            let it = &row.broken;
            json!({
                "statement": bits(row.id), "name": self.name_of(row.id), "relation": it.relation.word(),
                "query": it.query, "holds_in": letter(row.side).to_lowercase(), "holds": it.holds,
                "first": it.first, "exceptions": it.exceptions,
            })
        };
        [
            ("statements", statements.iter().map(statement).collect()),
            ("variables", variables.iter().map(variable).collect()),
            ("relations", relations.iter().map(relation).collect()),
        ]
    }

    /// Prints tables of what differs.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let Values { statements, variables, relations, is_cut, .. } = &self.found;
        let statements: Vec<&StatementRow> = statements.iter().filter(|it| it.change() != Change::Same).collect();
        let variables: Vec<&VariableRow> = variables.iter().filter(|it| it.change() != Change::Same).collect();
        let relations: Vec<&RelationRow> = relations.iter().collect();
        table(out, &self.of_statements(), &statements)?;
        table(out, &of_variables(), &variables)?;
        table(out, &self.of_relations(), &relations)?;
        if *is_cut {
            writeln!(out, "Not all relations were looked at: there are too many variables.")?;
        }
        Ok(())
    }

    fn of_statements(&self) -> Listing<'_, &StatementRow> {
        let count = |of: Option<Reached>| of.map_or_else(String::new, |it| grouped(it.count));
        Listing::new(vec![
            column("change", |it: &&StatementRow| it.difference().into())
                .shown(|it| signed(it.difference()))
                .measured(),
            column("a", |_: &&StatementRow| Cell::Null).shown(move |it| count(it.a)).head("points A").measured(),
            column("b", |_: &&StatementRow| Cell::Null).shown(move |it| count(it.b)).head("points B").measured(),
            column("verdict", |it: &&StatementRow| it.change().word().into()).measured_by_value(),
            column("name", |it: &&StatementRow| self.name_of(it.id).into()).head("statement").rest(),
        ])
        .with_heads()
    }

    fn of_relations(&self) -> Listing<'_, &RelationRow> {
        let exceptions = |it: &RelationRow| it.broken.exceptions.map_or_else(String::new, grouped);
        Listing::new(vec![
            column("query", |it: &&RelationRow| it.broken.query.clone().into()).head("relation").measured_by_value(),
            column("holds", |it: &&RelationRow| it.broken.holds.into())
                .shown(|it| format!("{} × {}", letter(it.side), grouped(it.broken.holds)))
                .head("holds in")
                .measured(),
            column("exceptions", |it: &&RelationRow| it.broken.exceptions.into())
                .shown(move |it| exceptions(it))
                .head("exceptions")
                .measured(),
            column("first", |it: &&RelationRow| it.broken.first.into())
                .shown(|it| format!("{} {}", letter(1 - it.side.min(1)), grouped(it.broken.first)))
                .head("first at point")
                .measured(),
            column("name", |it: &&RelationRow| self.name_of(it.id).into()).head("statement").rest(),
        ])
        .with_heads()
    }
}

/// The letter of a side, 0 or 1.
fn letter(side: usize) -> &'static str {
    if side == 0 { "A" } else { "B" }
}

fn of_variables<'v>() -> Listing<'v, &'v VariableRow> {
    let count = |of: &Option<Variable>| of.as_ref().map_or_else(String::new, |it| grouped(it.count));
    Listing::new(vec![
        column("name", |it: &&VariableRow| it.name().0.to_string().into()).head("variable").measured_by_value(),
        column("type", |it: &&VariableRow| it.name().1.to_string().into()).measured_by_value(),
        column("range_a", |_: &&VariableRow| Cell::Null).shown(|it| range(&it.a)).head("values A").measured(),
        column("range_b", |_: &&VariableRow| Cell::Null).shown(|it| range(&it.b)).head("values B").measured(),
        column("count_a", |_: &&VariableRow| Cell::Null).shown(move |it| count(&it.a)).head("points A").measured(),
        column("count_b", |_: &&VariableRow| Cell::Null).shown(move |it| count(&it.b)).head("points B").measured(),
        column("verdict", |it: &&VariableRow| it.change().word().into()).rest(),
    ])
    .with_heads()
}

/// The lowest and the highest value.
fn range(of: &Option<Variable>) -> String {
    match of.as_ref().and_then(|it| it.lowest.as_ref().zip(it.highest.as_ref())) {
        Some((lowest, highest)) if lowest.text == highest.text => one_line(&lowest.text).into_owned(),
        Some((lowest, highest)) => one_line(&format!("{} … {}", lowest.text, highest.text)).into_owned(),
        None => String::new(),
    }
}

fn signed(number: i64) -> String {
    let sign = if number < 0 { "−" } else { "+" };
    format!("{sign}{}", grouped(number.unsigned_abs()))
}

fn table<R>(out: &mut impl Write, listing: &Listing<'_, R>, rows: &[R]) -> io::Result<()> {
    let listed = rows.get(..LISTED).unwrap_or(rows);
    if listed.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    listing.print(Form::Text, &mut *out, listed)?;
    match rows.len() - listed.len() {
        0 => Ok(()),
        more => writeln!(out, "{more} more; --json lists all."),
    }
}
