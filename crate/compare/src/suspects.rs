//! What goes with failing, over runs that passed and runs that failed: statements that were
//! reached, and tests of values that held at them.
//!
//! Tarantula: Jones and Harrold, *Empirical evaluation of the Tarantula automatic
//! fault-localization technique*, ASE 2005. Ochiai: Abreu, Zoeteweij and van Gemund, *On the
//! accuracy of spectrum-based fault localization*, TAIC PART 2007. A test is compared with the
//! statement where it is, as by Liblit et al., *Scalable statistical bug isolation*, PLDI 2005: a
//! run that gets there at all may be more likely to fail, and the test says nothing then.

use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};
use unspool_trace::StatementId;
use unspool_values::{Fact, Operand, Profile, Reached, Seen};

use crate::sentence::grouped;

/// Where a run reached a statement, or where a test held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPoints {
    /// Index of the run: runs that passed come first.
    pub run: usize,
    /// Number of points, at least 1.
    pub count: u64,
    /// The number of the first one.
    pub first: u64,
    /// The track of these points.
    pub track: u32,
}

/// A statement, with the runs that reached it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// The statement.
    pub statement: StatementId,
    /// How many of the runs that failed reached it.
    pub failed: usize,
    /// How many of the runs that passed did.
    pub passed: usize,
    /// From 0 to 1: the share of failing runs that reached it, of that share and that of passing
    /// runs.
    pub tarantula: f64,
    /// From 0 to 1: the cosine between being reached and failing.
    pub ochiai: f64,
    /// In the order of the runs.
    pub points: Vec<RunPoints>,
}

/// A test of values at a statement that holds, at one point or more, in runs that are more likely
/// to fail than others that get there.
#[derive(Clone, Debug, PartialEq)]
pub struct SuspectTest {
    /// The statement.
    pub statement: StatementId,
    /// As a query.
    pub query: String,
    /// In how many of the runs that failed it held.
    pub failed: usize,
    /// In how many of the runs that passed it did.
    pub passed: usize,
    /// How many of the runs that failed have its variables there.
    pub failed_at: usize,
    /// How many of the runs that passed have.
    pub passed_at: usize,
    /// From 0 to 1: the cosine between holding and failing.
    pub ochiai: f64,
    /// Above 1: the share of failing runs among those in which it held, divided by their share
    /// among those that have its variables there.
    pub lift: f64,
    /// In the order of the runs.
    pub points: Vec<RunPoints>,
}

/// What goes with failing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suspects {
    /// Number of runs that passed.
    pub passed: usize,
    /// Number of runs that failed.
    pub failed: usize,
    /// The statements that any run reached, by descending Ochiai, then Tarantula.
    pub statements: Vec<Suspect>,
    /// By descending Ochiai, then lift, of equal Ochiai single values last; at most [`MOST_TESTS`].
    pub tests: Vec<SuspectTest>,
    /// Some tests were not looked at, or are not listed.
    pub is_cut: bool,
}

/// Most tests that are listed.
pub const MOST_TESTS: usize = 500;
/// Most tests of the runs that failed that are counted: of about 40 bytes each.
const MOST_COUNTED: usize = 1 << 20;

/// How many of the runs that failed, and of those that passed.
type Counts = [usize; 2];

/// Sorts of tests, in the order in which they are listed among equals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Sort {
    Less,
    More,
    Equal,
    NotEqual,
    Negative,
    Zero,
    Positive,
    Is(u64),
}

/// What a test is about: a statement, and one operand or two, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct About {
    statement: u32,
    x: u32,
    y: Option<u32>,
}

/// Statements and operands of all runs, by numbers.
#[derive(Default)]
struct Numbers<'p> {
    statements: HashMap<StatementId, u32>,
    operands: HashMap<Operand<'p>, u32>,
    all: Vec<Operand<'p>>,
}

impl<'p> Numbers<'p> {
    fn operand(&mut self, of: Operand<'p>) -> u32 {
        *self.operands.entry(of).or_insert_with(|| {
            self.all.push(of);
            self.all.len() as u32 - 1
        })
    }

    /// Calls `each` with what a fact is about, and the tests that hold.
    fn tests(&mut self, statement: u32, fact: Fact<'p>, mut each: impl FnMut(About, &mut dyn Iterator<Item = Test>)) {
        match fact {
            Fact::Values { of, signs: [negative, zero, positive], few } => {
                let about = About { statement, x: self.operand(of), y: None };
                let values = few.unwrap_or_default().iter().filter(|(bits, _)| *bits != 0 && !of.is_pointer());
                // The values of another run may be too many to be known.
                let values = values.map(|(bits, seen)| (Sort::Is(*bits), *seen));
                let signs = [(Sort::Negative, negative), (Sort::Zero, zero), (Sort::Positive, positive)];
                // All of a pointer but null is above zero, and only that says something.
                let signs = signs.into_iter().filter(|(sort, _)| !of.is_pointer() || *sort != Sort::Negative);
                each(about, &mut signs.chain(values).filter(|(_, seen)| seen.count > 0));
            }
            Fact::Order { x, y, orders: [less, equal, more] } => {
                let is_pointer = x.is_pointer();
                let (x, y) = (self.operand(x), self.operand(y));
                // Variables may come in another order in another run.
                let ([less, more], [x, y]) = if x < y { ([less, more], [x, y]) } else { ([more, less], [y, x]) };
                let about = About { statement, x, y: Some(y) };
                let equal = (Sort::Equal, equal);
                if is_pointer {
                    // Which address is the lower one is chance.
                    let unequal = (Sort::NotEqual, less.or(more));
                    each(about, &mut [equal, unequal].into_iter().filter(|(_, seen)| seen.count > 0));
                } else {
                    let all = [(Sort::Less, less), equal, (Sort::More, more)];
                    each(about, &mut all.into_iter().filter(|(_, seen)| seen.count > 0));
                }
            }
        }
    }

    fn query(&self, about: About, sort: Sort) -> String {
        let text = |at: u32| self.all.get(at as usize).map_or_else(String::new, Operand::text);
        let x = text(about.x);
        let (sign, y) = match sort {
            Sort::Less => ("<", None),
            Sort::More => (">", None),
            Sort::Equal => ("=", None),
            Sort::NotEqual => ("!=", None),
            Sort::Negative => ("<", Some("0".into())),
            Sort::Zero => ("=", Some("0".into())),
            Sort::Positive => {
                let is_pointer = self.all.get(about.x as usize).is_some_and(Operand::is_pointer);
                (if is_pointer { "!=" } else { ">" }, Some("0".into()))
            }
            Sort::Is(bits) => ("=", self.all.get(about.x as usize).map(|of| of.value_text(bits))),
        };
        let y = y.or_else(|| about.y.map(text)).unwrap_or_default();
        [x.as_str(), sign, y.as_str()].join(" ")
    }
}

/// A test that holds, and where.
type Test = (Sort, Seen);

impl Suspects {
    /// Ranks what runs have by how much it goes with failing.
    #[must_use]
    pub fn of(passing: &[Profile], failing: &[Profile]) -> Self {
        let (tests, is_cut) = tests(passing, failing);
        Self {
            passed: passing.len(),
            failed: failing.len(),
            statements: statements(passing, failing),
            tests,
            is_cut: is_cut || passing.iter().chain(failing).any(|run| run.is_cut),
        }
    }

    /// What goes with failing most, in words. `name_of` gives the name of a statement.
    pub fn sentence(&self, name_of: impl Fn(StatementId) -> String) -> String {
        let Self { passed, failed, statements, tests, .. } = self;
        let of = |count: &usize| grouped(*count as u64);
        let mut parts = vec![format!("{} of {} runs failed.", of(failed), grouped((passed + failed) as u64))];
        let Some(first) = statements.first() else {
            parts.push("No run reached a statement.".into());
            return parts.join(" ");
        };
        let alike = statements.iter().filter(|it| it.ochiai == first.ochiai && it.tarantula == first.tarantula).count();
        let says = |failed: &usize, passed: &usize| {
            format!(
                "{} of {} runs that failed and by {} of {} that passed",
                of(failed),
                of(&self.failed),
                of(passed),
                of(&self.passed)
            )
        };
        parts.push(match (alike, first.tarantula > 0.5) {
            (_, false) => "No statement goes with failing: each is reached by as many runs that passed.".into(),
            (1, _) => format!(
                "Most suspicious is {}, reached by {}.",
                name_of(first.statement),
                says(&first.failed, &first.passed)
            ),
            (alike, _) => format!(
                "Most suspicious are {} and {} more, reached by {}.",
                name_of(first.statement),
                of(&(alike - 1)),
                says(&first.failed, &first.passed)
            ),
        });
        if let Some(it) = tests.first() {
            parts.push(format!(
                "Of values, {} at {} holds in {} of {} runs that failed and in {} of {} that passed: failing is {:.1} times as \
                 likely then.",
                it.query,
                name_of(it.statement),
                of(&it.failed),
                of(&it.failed_at),
                of(&it.passed),
                of(&it.passed_at),
                it.lift
            ));
        }
        parts.join(" ")
    }
}

/// The runs that passed, and then those that failed, with whether they did.
fn runs<'p>(passing: &'p [Profile], failing: &'p [Profile]) -> impl Iterator<Item = (usize, bool, &'p Profile)> {
    let passed = passing.iter().map(|run| (false, run));
    let failed = failing.iter().map(|run| (true, run));
    passed.chain(failed).enumerate().map(|(number, (has_failed, run))| (number, has_failed, run))
}

/// The statements of a run, by their indices.
fn reached(run: &Profile) -> impl Iterator<Item = (usize, StatementId, &Reached)> {
    run.statements.iter().enumerate().filter_map(|(at, it)| Some((at, it.id?, it)))
}

fn statements(passing: &[Profile], failing: &[Profile]) -> Vec<Suspect> {
    let mut places: HashMap<StatementId, usize> = HashMap::new();
    let mut all: Vec<Suspect> = Vec::new();
    for (run, has_failed, profile) in runs(passing, failing) {
        for (_, statement, &Reached { count, first, track, .. }) in reached(profile) {
            let place = *places.entry(statement).or_insert(all.len());
            if place == all.len() {
                let points = Vec::new();
                all.push(Suspect { statement, failed: 0, passed: 0, tarantula: 0.0, ochiai: 0.0, points });
            }
            let Some(it) = all.get_mut(place) else { continue };
            *(if has_failed { &mut it.failed } else { &mut it.passed }) += 1;
            it.points.push(RunPoints { run, count, first, track });
        }
    }
    let share = |count: usize, of: usize| if of == 0 { 0.0 } else { count as f64 / of as f64 };
    for it in &mut all {
        let (fails, passes) = (share(it.failed, failing.len()), share(it.passed, passing.len()));
        it.tarantula = if fails + passes == 0.0 { 0.0 } else { fails / (fails + passes) };
        it.ochiai = ochiai(it.failed, it.passed, failing.len());
    }
    all.sort_by(|a, b| {
        b.ochiai.total_cmp(&a.ochiai).then(b.tarantula.total_cmp(&a.tarantula)).then(a.statement.cmp(&b.statement))
    });
    all
}

/// Without a run that failed, nothing goes with failing.
fn ochiai(failed: usize, passed: usize, all_failed: usize) -> f64 {
    let cosine = failed as f64 / (all_failed as f64 * (failed + passed) as f64).sqrt();
    if cosine.is_finite() { cosine } else { 0.0 }
}

/// The tests that go with failing, and whether some were left out.
fn tests(passing: &[Profile], failing: &[Profile]) -> (Vec<SuspectTest>, bool) {
    let mut numbers = Numbers::default();
    let mut held: HashMap<(About, Sort), Counts> = HashMap::new();
    let mut had: HashMap<About, Counts> = HashMap::new();
    // What has too many values in a run: whether it had another run's is not known.
    let mut many: HashSet<About> = HashSet::new();
    let mut is_cut = false;
    // What held in no run that failed goes with none.
    for (place, run) in failing.iter().map(|run| (0, run)).chain(passing.iter().map(|run| (1, run))) {
        for (at, id, _) in reached(run) {
            let next = numbers.statements.len() as u32;
            let statement = *numbers.statements.entry(id).or_insert(next);
            for fact in run.facts(at) {
                let has_many = matches!(fact, Fact::Values { few: None, .. });
                numbers.tests(statement, fact, |about, all| {
                    if has_many {
                        many.insert(about);
                    }
                    let mut is_had = false;
                    for (sort, _) in all {
                        is_had = true;
                        if let Some(count) = held.get_mut(&(about, sort)).and_then(|counts| counts.get_mut(place)) {
                            *count += 1;
                        } else if place == 0 && held.len() < MOST_COUNTED {
                            held.insert((about, sort), [1, 0]);
                        } else {
                            is_cut |= place == 0;
                        }
                    }
                    // Where no run that failed has been, there is nothing to compare.
                    let counts = match place {
                        0 if is_had => Some(had.entry(about).or_default()),
                        _ if is_had => had.get_mut(&about),
                        _ => None,
                    };
                    counts.and_then(|counts| counts.get_mut(place)).into_iter().for_each(|count| *count += 1);
                });
            }
        }
    }
    let ids: HashMap<u32, StatementId> = numbers.statements.iter().map(|(id, number)| (*number, *id)).collect();
    let mut found: Vec<((About, Sort), SuspectTest)> = Vec::new();
    for (&(about, sort), &[failed, passed]) in &held {
        let [failed_at, passed_at] = had.get(&about).copied().unwrap_or_default();
        let is_known = !matches!(sort, Sort::Is(_)) || !many.contains(&about);
        // The shares of failing runs, without rounding.
        let is_more = failed as u64 * (failed_at + passed_at) as u64 > failed_at as u64 * (failed + passed) as u64;
        let Some(&statement) = ids.get(&about.statement).filter(|_| is_known && is_more) else { continue };
        let lift = failed as f64 / (failed + passed) as f64 * (failed_at + passed_at) as f64 / failed_at as f64;
        let ochiai = ochiai(failed, passed, failing.len());
        let (query, points) = (String::new(), Vec::new());
        let it = SuspectTest { statement, query, failed, passed, failed_at, passed_at, ochiai, lift, points };
        found.push(((about, sort), it));
    }
    let order = |(key_a, a): &((About, Sort), SuspectTest), (key_b, b): &((About, Sort), SuspectTest)| -> Ordering {
        // A single value may be just what that run was given, while an order says why.
        let is_value = |sort: Sort| matches!(sort, Sort::Is(_));
        let by_figures = b.ochiai.total_cmp(&a.ochiai).then(is_value(key_a.1).cmp(&is_value(key_b.1)));
        by_figures
            .then(b.lift.total_cmp(&a.lift))
            .then_with(|| (a.statement, key_a.1, key_a.0).cmp(&(b.statement, key_b.1, key_b.0)))
    };
    found.sort_by(order);
    is_cut |= found.len() > MOST_TESTS;
    found.truncate(MOST_TESTS);
    let places: HashMap<(About, Sort), usize> = found.iter().map(|(key, _)| *key).zip(0..).collect();
    for (key, it) in &mut found {
        it.query = numbers.query(key.0, key.1);
    }
    let listed: HashSet<StatementId> = found.iter().map(|(_, it)| it.statement).collect();
    for (number, _, run) in runs(passing, failing) {
        for (at, id, of) in reached(run).filter(|(_, id, _)| listed.contains(id)) {
            let statement = numbers.statements.get(&id).copied().unwrap_or_default();
            for fact in run.facts(at) {
                numbers.tests(statement, fact, |about, all| {
                    for (sort, Seen { count, first }) in all {
                        let place = places.get(&(about, sort));
                        if let Some((_, it)) = place.and_then(|place| found.get_mut(*place)) {
                            it.points.push(RunPoints { run: number, count, first, track: of.track });
                        }
                    }
                });
            }
        }
    }
    (found.into_iter().map(|(_, it)| it).collect(), is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(statements: &[u64]) -> Profile {
        let mut run = Profile::default();
        run.statements = statements
            .iter()
            .zip(0..)
            .map(|(bits, first)| Reached {
                id: Some(StatementId::from_bits(*bits)),
                count: 1,
                first,
                last: first,
                track: 0,
            })
            .collect();
        run
    }

    fn of(found: &Suspects, statement: u64) -> &Suspect {
        found.statements.iter().find(|it| it.statement.bits() == statement).unwrap()
    }

    /// `mid`, the example of the paper: its statements by line, and six runs, of which the last
    /// failed.
    #[test]
    fn the_published_example_comes_out_as_published() {
        let passing = [
            run(&[1, 2, 3, 4, 6, 7, 13]),
            run(&[1, 2, 3, 4, 5, 13]),
            run(&[1, 2, 3, 8, 9, 10, 13]),
            run(&[1, 2, 3, 8, 9, 11, 13]),
            run(&[1, 2, 3, 4, 6, 13]),
        ];
        let failing = [run(&[1, 2, 3, 4, 6, 7, 13])];
        let found = Suspects::of(&passing, &failing);
        assert_eq!(found.statements.first().map(|it| it.statement.bits()), Some(7));
        let percent = |line: u64| (of(&found, line).tarantula * 100.0).round();
        assert_eq!([1, 4, 5, 6, 7, 8].map(percent), [50.0, 63.0, 0.0, 71.0, 83.0, 0.0]);
        assert_eq!(of(&found, 7).ochiai, 1.0 / 2.0_f64.sqrt());
        let at = |run, first| RunPoints { run, count: 1, first, track: 0 };
        assert_eq!(of(&found, 7).points, [at(0, 5), at(5, 5)]);
        let said = found.sentence(|id| format!("line {}", id.bits()));
        assert_eq!(
            said,
            "1 of 6 runs failed. Most suspicious is line 7, reached by 1 of 1 runs that failed and by 1 of 5 that \
             passed."
        );
    }

    #[test]
    fn without_runs_of_one_kind_nothing_is_divided_by_zero() {
        let found = Suspects::of(&[run(&[1])], &[]);
        assert_eq!((of(&found, 1).tarantula, of(&found, 1).ochiai), (0.0, 0.0));
        let found = Suspects::of(&[], &[run(&[1])]);
        assert_eq!((of(&found, 1).tarantula, of(&found, 1).ochiai), (1.0, 1.0));
        assert_eq!(
            Suspects::of(&[], &[]).sentence(|id| id.to_string()),
            "0 of 0 runs failed. No run reached a statement."
        );
    }
}
