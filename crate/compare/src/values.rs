//! What differs between the values of two runs: statements, variables, and relations that always
//! hold in one run and not in the other.

use std::cmp::Reverse;

use hashbrown::HashMap;
use unspool_trace::StatementId;
use unspool_values::{Broken, Profile, Reached, Valued};

use crate::sentence::grouped;

/// What is said of a statement or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Only B has it.
    New,
    /// Only A has it.
    Gone,
    /// Something differs.
    Changed,
    /// Nothing differs.
    Same,
}

impl Change {
    /// A stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Gone => "gone",
            Self::Changed => "changed",
            Self::Same => "same",
        }
    }

    fn of<T: Copy>(a: Option<T>, b: Option<T>, differs: impl FnOnce(T, T) -> bool) -> Self {
        match (a, b) {
            (Some(a), Some(b)) if !differs(a, b) => Self::Same,
            (Some(_), Some(_)) => Self::Changed,
            (None, _) => Self::New,
            (_, None) => Self::Gone,
        }
    }
}

/// A statement that a run has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementRow {
    /// The statement; `None` for points that name none.
    pub id: Option<StatementId>,
    /// Its points in A.
    pub a: Option<Reached>,
    /// Its points in B.
    pub b: Option<Reached>,
}

impl StatementRow {
    /// Points in B minus those in A.
    pub fn difference(&self) -> i64 {
        let count = |of: Option<Reached>| of.map_or(0, |of| i64::try_from(of.count).unwrap_or(i64::MAX));
        count(self.b).saturating_sub(count(self.a))
    }

    /// What is said of it: whether as many points reach it.
    pub fn change(&self) -> Change {
        Change::of(self.a, self.b, |a, b| a.count != b.count)
    }
}

/// A variable, by name and type.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableRow {
    /// In A.
    pub a: Option<Valued>,
    /// In B.
    pub b: Option<Valued>,
}

impl VariableRow {
    /// Its name and its type.
    pub fn name(&self) -> (&str, &str) {
        self.a.as_ref().or(self.b.as_ref()).map_or(("", ""), |it| (&it.name, &it.of_type))
    }

    /// What is said of it: whether it has as many values, of the same range. Addresses are others
    /// in each run, so of pointers only the number of values and that of nulls count.
    pub fn change(&self) -> Change {
        let text = |of: &Option<unspool_values::ValueAt>| of.as_ref().map(|it| it.text.clone());
        let is_other = |a: &Valued, b: &Valued| {
            text(&a.lowest) != text(&b.lowest)
                || text(&a.highest) != text(&b.highest)
                || (a.different, a.changes) != (b.different, b.changes)
        };
        Change::of(self.a.as_ref(), self.b.as_ref(), |a, b| {
            (a.count, a.zeros) != (b.count, b.zeros) || !a.is_pointer && is_other(a, b)
        })
    }

    /// How much it has changed, for the order: the part of both ranges that only one of them has,
    /// from 0 to 1, and more if only one run has the variable.
    fn weight(&self) -> (f64, u64) {
        let (Some(a), Some(b)) = (&self.a, &self.b) else { return (2.0, 0) };
        let range = |of: &Valued| Some((of.lowest.as_ref()?.number, of.highest.as_ref()?.number));
        let apart = match (range(a), range(b)) {
            (Some(_), Some(_)) if a.is_pointer => 0.0,
            (Some(a), Some(b)) if a == b => 0.0,
            (Some(a), Some(b)) => {
                let both = (a.1.min(b.1) - a.0.max(b.0)).max(0.0);
                let all = a.1.max(b.1) - a.0.min(b.0);
                if all > 0.0 { 1.0 - both / all } else { 0.0 }
            }
            _ => 0.0,
        };
        (apart, a.count.abs_diff(b.count))
    }
}

/// A relation that always holds at a statement in one run, and not in the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationRow {
    /// 0: it holds in A and B breaks it. 1: the other way round.
    pub side: usize,
    /// The statement.
    pub id: Option<StatementId>,
    /// The track of the statement's points in the run that breaks it.
    pub track: u32,
    /// The relation, and where it does not hold.
    pub broken: Broken,
}

/// What differs between the values of two runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// Points of A and of B.
    pub points: [u64; 2],
    /// By descending magnitude of the difference, then in the order of the run.
    pub statements: Vec<StatementRow>,
    /// Those first that only one run has, then by how much their ranges differ.
    pub variables: Vec<VariableRow>,
    /// The most telling first.
    pub relations: Vec<RelationRow>,
    /// Not all relations were looked at: a run has too many variables.
    pub is_cut: bool,
}

impl Values {
    /// Compares B with A.
    #[must_use]
    pub fn of(a: &Profile, b: &Profile) -> Self {
        let mut relations: Vec<RelationRow> = Vec::new();
        for (side, [one, other]) in [[a, b], [b, a]].into_iter().enumerate() {
            let found = one.broken_by(other);
            relations.extend(found.map(|(_, that, broken)| RelationRow {
                side,
                id: that.id,
                track: that.track,
                broken,
            }));
        }
        relations.sort_by_key(|it| (it.broken.relation, Reverse(it.broken.holds), it.side, it.id));
        Self {
            points: [a.points, b.points],
            statements: statements(a, b),
            variables: variables(a, b),
            relations,
            is_cut: a.is_cut || b.is_cut,
        }
    }

    /// Whether anything differs.
    pub fn is_different(&self) -> bool {
        self.statements.iter().any(|it| it.change() != Change::Same)
            || self.variables.iter().any(|it| it.change() != Change::Same)
            || !self.relations.is_empty()
    }

    /// What differs, in words. `name_of` gives the name of a statement.
    pub fn sentence(&self, name_of: impl Fn(Option<StatementId>) -> String) -> String {
        let [a, b] = self.points;
        if !self.is_different() {
            return "Nothing differs: both reach each statement equally often, with values of the same ranges.".into();
        }
        let mut parts = Vec::new();
        let of = |n: u64, noun: &str| format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" });
        parts.push(if a == b {
            format!("{} in A and in B.", of(a, "point"))
        } else {
            format!("{} in A and {} in B.", of(a, "point"), grouped(b))
        });
        let by = |change| self.statements.iter().filter(move |row| row.change() == change);
        let changed: Vec<String> = by(Change::Changed)
            .take(LISTED)
            .map(|row| {
                let sign = if row.difference() < 0 { '−' } else { '+' };
                format!("{} ({sign}{})", name_of(row.id), grouped(row.difference().unsigned_abs()))
            })
            .collect();
        if !changed.is_empty() {
            parts.push(format!(
                "Reached more or less often: {}{}.",
                changed.join(", "),
                more(by(Change::Changed).count())
            ));
        }
        for (head, change) in [("Only in B", Change::New), ("Only in A", Change::Gone)] {
            let names: Vec<String> = by(change).take(LISTED).map(|row| name_of(row.id)).collect();
            if !names.is_empty() {
                parts.push(format!("{head}: {}{}.", names.join(", "), more(by(change).count())));
            }
        }
        let names: Vec<&str> =
            self.variables.iter().filter(|it| it.change() != Change::Same).map(|it| it.name().0).collect();
        let (listed, _) = names.split_at(names.len().min(LISTED));
        if !listed.is_empty() {
            parts.push(format!("Values differ: {}{}.", listed.join(", "), more(names.len())));
        }
        for (side, which, other) in [(0, "A", "B"), (1, "B", "A")] {
            let mut all = self.relations.iter().filter(|it| it.side == side);
            let Some(first) = all.next() else { continue };
            let Broken { query, first: point, .. } = &first.broken;
            let rest = all.count();
            let more = if rest == 0 { String::new() } else { format!(", and {} more", grouped(rest as u64)) };
            parts.push(format!(
                "{query} holds in {which} at {}, and not in {other}, first at point {}{more}.",
                name_of(first.id),
                grouped(*point)
            ));
        }
        parts.join(" ")
    }
}

/// Most names in a list.
const LISTED: usize = 3;

fn more(all: usize) -> String {
    match all.saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {} more", grouped(more as u64)),
    }
}

fn statements(a: &Profile, b: &Profile) -> Vec<StatementRow> {
    let mut rows: Vec<StatementRow> =
        a.statements.iter().map(|it| StatementRow { id: it.id, a: Some(*it), b: None }).collect();
    let places: HashMap<Option<StatementId>, usize> = rows.iter().map(|row| row.id).zip(0..).collect();
    for it in &b.statements {
        match places.get(&it.id).and_then(|place| rows.get_mut(*place)) {
            Some(row) => row.b = Some(*it),
            None => rows.push(StatementRow { id: it.id, a: None, b: Some(*it) }),
        }
    }
    let first = |row: &StatementRow| row.a.or(row.b).map_or(0, |it| it.first);
    rows.sort_by_key(|row| (Reverse(row.difference().unsigned_abs()), first(row)));
    rows
}

fn variables(a: &Profile, b: &Profile) -> Vec<VariableRow> {
    let mut rows: Vec<VariableRow> = a.variables().map(|it| VariableRow { a: Some(it.clone()), b: None }).collect();
    let places: HashMap<(&str, &str), usize> =
        a.variables().map(|it| (it.name.as_str(), it.of_type.as_str())).zip(0..).collect();
    for it in b.variables() {
        match places.get(&(it.name.as_str(), it.of_type.as_str())).and_then(|place| rows.get_mut(*place)) {
            Some(row) => row.b = Some(it.clone()),
            None => rows.push(VariableRow { a: None, b: Some(it.clone()) }),
        }
    }
    rows.sort_by(|x, y| {
        let (of_x, of_y) = (x.weight(), y.weight());
        let is_same = |row: &VariableRow| row.change() == Change::Same;
        is_same(x)
            .cmp(&is_same(y))
            .then(of_y.0.total_cmp(&of_x.0))
            .then(of_y.1.cmp(&of_x.1))
            .then(x.name().cmp(&y.name()))
    });
    rows
}
