//! Which statements go with failing, over runs that passed and runs that failed.
//!
//! Tarantula: Jones and Harrold, *Empirical evaluation of the Tarantula automatic
//! fault-localization technique*, ASE 2005. Ochiai: Abreu, Zoeteweij and van Gemund, *On the
//! accuracy of spectrum-based fault localization*, TAIC PART 2007.

use std::collections::{BTreeMap, BTreeSet};

/// A statement, with the runs that reached it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspect {
    /// The statement.
    pub statement: u64,
    /// How many of the runs that failed reached it.
    pub failed: usize,
    /// How many of the runs that passed did.
    pub passed: usize,
    /// From 0 to 1: the share of failing runs that reached it, of that share and that of passing
    /// runs.
    pub tarantula: f64,
    /// From 0 to 1: the cosine between being reached and failing.
    pub ochiai: f64,
}

/// The statements that any run reached, the most suspicious first. Each run is the set of the
/// statements that it reached.
#[must_use]
pub fn suspects(passing: &[BTreeSet<u64>], failing: &[BTreeSet<u64>]) -> Vec<Suspect> {
    let mut counts: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    for statement in failing.iter().flatten() {
        counts.entry(*statement).or_default().0 += 1;
    }
    for statement in passing.iter().flatten() {
        counts.entry(*statement).or_default().1 += 1;
    }
    let share = |count: usize, of: usize| if of == 0 { 0.0 } else { count as f64 / of as f64 };
    let suspect = |(statement, (failed, passed)): (u64, (usize, usize))| {
        let (fails, passes) = (share(failed, failing.len()), share(passed, passing.len()));
        let ochiai = failed as f64 / (failing.len() as f64 * (failed + passed) as f64).sqrt();
        Suspect {
            statement,
            failed,
            passed,
            tarantula: if fails + passes == 0.0 { 0.0 } else { fails / (fails + passes) },
            // Without a run that failed, nothing goes with failing.
            ochiai: if ochiai.is_finite() { ochiai } else { 0.0 },
        }
    };
    let mut all: Vec<Suspect> = counts.into_iter().map(suspect).collect();
    all.sort_by(|a, b| {
        b.ochiai.total_cmp(&a.ochiai).then(b.tarantula.total_cmp(&a.tarantula)).then(a.statement.cmp(&b.statement))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mid`, the example of the paper: its statements by line, and six runs, of which the last
    /// failed.
    #[test]
    fn the_published_example_comes_out_as_published() {
        let run = |lines: &[u64]| lines.iter().copied().collect::<BTreeSet<_>>();
        let passing = [
            run(&[1, 2, 3, 4, 6, 7, 13]),
            run(&[1, 2, 3, 4, 5, 13]),
            run(&[1, 2, 3, 8, 9, 10, 13]),
            run(&[1, 2, 3, 8, 9, 11, 13]),
            run(&[1, 2, 3, 4, 6, 13]),
        ];
        let failing = [run(&[1, 2, 3, 4, 6, 7, 13])];
        let found = suspects(&passing, &failing);
        assert_eq!(found.first().map(|it| it.statement), Some(7));
        let of = |line: u64| found.iter().find(|it| it.statement == line).map(|it| (it.tarantula * 100.0).round());
        assert_eq!([1, 4, 5, 6, 7, 8].map(of), [50.0, 63.0, 0.0, 71.0, 83.0, 0.0].map(Some));
        assert_eq!(found.iter().find(|it| it.statement == 7).map(|it| it.ochiai), Some(1.0 / 2.0_f64.sqrt()));
    }

    #[test]
    fn without_runs_of_one_kind_nothing_is_divided_by_zero() {
        let run: BTreeSet<u64> = [1].into();
        let found = suspects(std::slice::from_ref(&run), &[]);
        assert_eq!((found[0].tarantula, found[0].ochiai), (0.0, 0.0));
        let found = suspects(&[], &[run]);
        assert_eq!((found[0].tarantula, found[0].ochiai), (1.0, 1.0));
    }
}
