//! Functions of both sides with their figures, differences and verdicts.

use std::borrow::Borrow;
use std::sync::Arc;

use crate::join::join;
use crate::profile::{Figures, Function, Key, Run, Unit};
use crate::verdict::{Evidence, Finding, Judge, Verdict, judge_counted};

/// A function of A, of B, or of both.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name as shown; that in A if they differ.
    pub name: Arc<str>,
    /// Its name in B, if that is another: an address.
    pub name_b: Option<Arc<str>>,
    /// Its figures in A.
    pub a: Option<Figures>,
    /// Its figures in B.
    pub b: Option<Figures>,
    /// Index of the function in the first run of A, and in that of B.
    pub index: (Option<usize>, Option<usize>),
    /// Self time in B minus that in A.
    pub change: i128,
    /// `change` as a share of all changes, with its sign: magnitudes of all rows add up to 1. 0 if
    /// nothing changed.
    pub share: f64,
    /// What is said of the self time of a call.
    pub finding: Finding,
}

/// What differs between two sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The unit of times.
    pub unit: Unit,
    /// By descending magnitude of the change, then by name.
    pub rows: Vec<Row>,
    /// Self time of all functions of A and of B.
    pub own: (u64, u64),
    /// The run that stands for its side: the median one by self time of all functions. Its figures
    /// are those of the rows; verdicts rest on all runs.
    pub shown: (usize, usize),
    /// How many runs each side has.
    pub runs: (usize, usize),
    /// Whether equal runs have equal figures.
    pub is_exact: bool,
    /// B divided by A: what nearly all functions have in common, and the machine may have caused.
    pub common: Option<f64>,
    /// Whether names are ids or addresses, because neither side has names.
    pub only_keys: bool,
}

impl Comparison {
    /// Whether something has changed: what a verdict says; where the axis is counted, also numbers
    /// of calls, and if [`Comparison::is_exact`], any figure.
    pub fn is_different(&self) -> bool {
        let count = |figures: Option<Figures>| figures.map(|it| it.count);
        let (exact, counted) = (self.is_exact, self.unit.is_counted());
        let figures = |row: &Row| (exact && row.a != row.b) || (counted && count(row.a) != count(row.b));
        self.rows.iter().any(|row| row.finding.verdict.is_change() || figures(row))
    }

    /// How many rows have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.finding.verdict == verdict).count()
    }
}

/// The functions of all runs of a side.
struct Side<'r> {
    /// Index of the run that stands for the side.
    shown: usize,
    /// Each function, from the shown run if that has it.
    functions: Vec<&'r Function>,
    /// Index in the first run.
    indices: Vec<Option<usize>>,
    /// For each function, its stretches in each run, `runs` at a time.
    stretches: Vec<&'r [f64]>,
    /// Number of runs.
    runs: usize,
}

impl<'r> Side<'r> {
    fn new(runs: &[&'r Run]) -> Self {
        let mut order: Vec<(u64, usize)> = runs.iter().map(|run| run.own()).zip(0..).collect();
        order.sort_unstable();
        let shown = order.get(order.len().saturating_sub(1) / 2).map_or(0, |(_, run)| *run);
        let none = || std::iter::repeat_n(&[][..], runs.len());
        let mut side =
            Self { shown, functions: Vec::new(), indices: Vec::new(), stretches: Vec::new(), runs: runs.len() };
        // The shown run first, so that its functions are the first.
        let others = (0..runs.len()).filter(|run| *run != shown);
        for number in [shown].into_iter().chain(others) {
            let Some(run) = runs.get(number) else { continue };
            let functions: Vec<&Function> = run.functions.iter().collect();
            let known = side.functions.clone();
            for (at, index) in join(&known, &functions) {
                let Some((index, function)) = index.and_then(|index| Some((index, *functions.get(index)?))) else {
                    continue;
                };
                let at = at.unwrap_or(side.functions.len());
                if at == side.functions.len() {
                    side.functions.push(function);
                    side.indices.push(None);
                    side.stretches.extend(none());
                }
                if let Some(first) = side.indices.get_mut(at).filter(|_| number == 0) {
                    *first = Some(index);
                }
                if let Some(of) = side.stretches.get_mut(at * runs.len() + number) {
                    *of = &function.stretches;
                }
            }
        }
        side
    }

    fn evidence(&self, at: Option<usize>) -> Evidence {
        let of = |at: usize| self.stretches.get(at * self.runs..(at + 1) * self.runs);
        let runs = at.and_then(of).unwrap_or_default();
        Evidence::new(runs.iter().copied())
    }

    fn own(&self) -> u64 {
        self.functions.iter().fold(0, |sum, function| sum.saturating_add(function.figures.own))
    }
}

/// Compares two sides, each of one or more runs.
pub fn compare<R: Borrow<Run>>(unit: Unit, a: &[R], b: &[R]) -> Comparison {
    let [a, b] = [a, b].map(|runs| runs.iter().map(Borrow::borrow).collect::<Vec<&Run>>());
    compare_runs(unit, &a, &b)
}

fn compare_runs(unit: Unit, a: &[&Run], b: &[&Run]) -> Comparison {
    let (side_a, side_b) = (Side::new(a), Side::new(b));
    let pairs: Vec<(Option<usize>, Option<usize>)> = join(&side_a.functions, &side_b.functions).collect();
    let single = a.len() == 1 && b.len() == 1;
    // Of single runs, a function that only one of them has says nothing about the other.
    let is_asked = |(i, j): &(Option<usize>, Option<usize>)| !single || i.is_some() && j.is_some();
    let none = || (Evidence::default(), Evidence::default());
    let of_pair = |pair: &(Option<usize>, Option<usize>)| (side_a.evidence(pair.0), side_b.evidence(pair.1));
    let evidence: Vec<(Evidence, Evidence)> =
        pairs.iter().map(|pair| if is_asked(pair) { of_pair(pair) } else { none() }).collect();
    let mut judge = Judge::new(&evidence);
    let is_exact = unit.is_counted() && !a.iter().chain(b).any(|run| run.is_interleaved);
    let certain = |verdict| Finding { verdict, confidence: 1.0, factor: None, without_common: None };
    let mut rows: Vec<Row> = Vec::with_capacity(pairs.len());
    for ((number, (i, j)), evidence) in pairs.iter().enumerate().zip(&evidence) {
        let of_a = i.and_then(|i| side_a.functions.get(i)).copied();
        let of_b = j.and_then(|j| side_b.functions.get(j)).copied();
        let finding = match (of_a, of_b) {
            (None, _) => certain(Verdict::New),
            (_, None) => certain(Verdict::Gone),
            (Some(one), Some(two)) if single && one.figures == two.figures && one.stretches == two.stretches => {
                Finding { factor: Some(1.0), ..certain(Verdict::Same) }
            }
            (Some(Function { figures: one, .. }), Some(Function { figures: two, .. })) if is_exact => {
                judge_counted((one.own, two.own), (one.count, two.count), evidence)
            }
            _ => judge.judge(number, evidence),
        };
        let index = (
            i.and_then(|i| side_a.indices.get(i).copied().flatten()),
            j.and_then(|j| side_b.indices.get(j).copied().flatten()),
        );
        rows.extend(row_of(of_a, of_b, index, finding));
    }
    drop((pairs, evidence));
    put_in_order(&mut rows);
    let mut functions = side_a.functions.iter().chain(&side_b.functions).peekable();
    let only_keys = functions.peek().is_some() && functions.all(|function| is_key(function));
    Comparison {
        common: if unit.is_counted() { None } else { judge.common() },
        unit,
        is_exact,
        rows,
        own: (side_a.own(), side_b.own()),
        shown: (side_a.shown, side_b.shown),
        runs: (a.len(), b.len()),
        only_keys,
    }
}

/// The row of a function, of which at least one side has figures.
fn row_of(
    of_a: Option<&Function>,
    of_b: Option<&Function>,
    index: (Option<usize>, Option<usize>),
    finding: Finding,
) -> Option<Row> {
    let name = &of_a.or(of_b)?.name;
    let own = |function: Option<&Function>| function.map_or(0, |function| i128::from(function.figures.own));
    Some(Row {
        name: Arc::clone(name),
        name_b: of_b.map(|function| &function.name).filter(|other| *other != name).map(Arc::clone),
        a: of_a.map(|function| function.figures),
        b: of_b.map(|function| function.figures),
        index,
        change: own(of_b) - own(of_a),
        share: 0.0,
        finding,
    })
}

/// Sorts rows by descending magnitude of their change, and says how large its share is.
fn put_in_order(rows: &mut [Row]) {
    let all: f64 = rows.iter().map(|row| row.change.unsigned_abs() as f64).sum();
    if all > 0.0 {
        rows.iter_mut().for_each(|row| row.share = row.change as f64 / all);
    }
    // In place: a stable sort would need half as much memory again.
    rows.sort_unstable_by(|one, two| {
        let order = two.change.unsigned_abs().cmp(&one.change.unsigned_abs());
        order.then_with(|| one.name.cmp(&two.name)).then_with(|| one.index.cmp(&two.index))
    });
}

/// Whether a function is shown by its id or address.
fn is_key(function: &Function) -> bool {
    match &function.key {
        Key::None => false,
        Key::Id(id) => *function.name == *format!("#{id}"),
        Key::Address(address) => function.name.ends_with(&format!("{address:#x}")),
        Key::Within { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, count: u64, own: u64) -> Function {
        let figures = Figures { count, own, total: own, ..Figures::default() };
        Function { name: name.into(), figures, stretches: vec![own as f64 / count as f64; 16], ..Function::default() }
    }

    fn run(functions: &[(&str, u64, u64)]) -> Run {
        let functions = functions.iter().map(|(name, count, own)| function(name, *count, *own)).collect();
        Run { functions, ..Run::default() }
    }

    fn said(comparison: &Comparison) -> Vec<(&str, i128, &str)> {
        comparison.rows.iter().map(|row| (&*row.name, row.change, row.finding.verdict.word())).collect()
    }

    #[test]
    fn rows_are_in_the_order_of_change() {
        let a = run(&[("f", 100, 100_000), ("old", 10, 500), ("g", 100, 100_000)]);
        let b = run(&[("f", 100, 150_000), ("new", 10, 700), ("g", 100, 100_000)]);
        let clock = Unit::Ticks { frequency: None };
        let found = compare(clock.clone(), std::slice::from_ref(&a), &[b]);
        assert_eq!(
            said(&found),
            [("f", 50_000, "slower"), ("new", 700, "new"), ("old", -500, "gone"), ("g", 0, "same")]
        );
        assert!(found.is_different());
        assert!((found.rows.iter().map(|row| row.share.abs()).sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!((found.own, found.only_keys), ((200_500, 250_700), false));
        assert!(!compare(clock, std::slice::from_ref(&a), std::slice::from_ref(&a)).is_different());
    }

    #[test]
    fn more_calls_are_a_difference_where_calls_are_counted() {
        let (a, b) = (run(&[("f", 100, 100)]), run(&[("f", 200, 200)]));
        let steps = compare(Unit::Counted("step".into()), std::slice::from_ref(&a), std::slice::from_ref(&b));
        assert_eq!((said(&steps), steps.is_different()), (vec![("f", 100, "same")], true));
        let time = compare(Unit::Ticks { frequency: None }, &[a], &[b]);
        assert_eq!((said(&time), time.is_different()), (vec![("f", 100, "same")], false));
    }

    #[test]
    fn the_median_run_stands_for_a_side_and_none_is_forgotten() {
        let a = [run(&[("f", 10, 1000)]), run(&[("f", 10, 3000)]), run(&[("f", 10, 2000), ("rare", 1, 1)])];
        let b = [run(&[("f", 10, 2000)]), run(&[("f", 10, 2000), ("rare", 1, 5)])];
        let found = compare(Unit::Ticks { frequency: None }, &a, &b);
        assert_eq!((found.shown, found.runs), ((2, 0), (3, 2)));
        // The shown run of B lacks the second function, but another one has it.
        assert_eq!(said(&found), [("rare", 4, "slower"), ("f", 0, "unsure")]);
        // Indices are those of the first runs.
        assert_eq!(found.rows[0].index, (None, None));
        assert_eq!(found.rows[1].index, (Some(0), Some(0)));
    }
}
