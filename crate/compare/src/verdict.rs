//! Whether the self time of a call has changed, or differs by chance.
//!
//! A **counted** axis has no noise: what differs has changed. On a clock, durations vary within a
//! run, and runs as a whole vary.
//!
//! *Within a run*: durations of neighbouring calls are not independent, so what is drawn again is
//! stretches of the run, not calls (block bootstrap). The estimate is the median of the stretches'
//! typical self times. The distribution of the median of a sample drawn with replacement is known:
//! the k-th of n values is at least as large as the median if at least half of n draws hit one of
//! the first k. So nothing is drawn at random, and the same traces give the same verdict.
//!
//! *Between runs*: the frequency of the processor, the layout of memory and other programs change
//! all calls of a run by the same few percent. Between recordings of one program, medians of all
//! functions differed by up to 4 %, those of threads on two cores by 10 %; without the factor that
//! all functions have in common, by 1 %. So, if enough other functions have been measured well,
//! their median ratio is taken for that of the machine, and the function is compared with it. If
//! these functions do not agree to within `TIGHT`, it may be something else that they have in
//! common: then the function must also differ by half as much as it is. A common factor of more
//! than `MOST_COMMON` is not the machine's. Several runs of a side show how much runs differ; what
//! is assumed for a single one counts like `PRIOR` further runs.

use hashbrown::HashMap;

/// What is said of the self time of a function's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Only B has the function.
    New,
    /// Only A has it.
    Gone,
    /// Calls take longer in B.
    Slower,
    /// Calls take less time in B.
    Faster,
    /// A difference of at most `SAME` is likely.
    Same,
    /// It cannot be said.
    Unsure,
}

impl Verdict {
    /// A stable name, which is shown, too.
    pub fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Gone => "gone",
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Same => "same",
            Self::Unsure => "unsure",
        }
    }

    /// Whether it says that something has changed.
    pub fn is_change(self) -> bool {
        !matches!(self, Self::Same | Self::Unsure)
    }
}

/// Probability from which on a difference counts.
const SURE: f64 = 0.995;
/// Probability from which on a function counts as the same.
const LIKELY: f64 = 0.9;
/// Logarithms of factors. Differences up to this one do not count.
const SAME: f64 = 0.05;
/// A difference below this one is of no interest, however sure.
const LEAST: f64 = 0.005;
/// Standard deviation of the difference of two runs, with and without the common factor.
const RUNS: f64 = 0.017;
const RUNS_WITHOUT_COMMON: f64 = 0.012;
/// Largest common factor of a machine.
const MOST_COMMON: f64 = 0.15;
/// Half of the range that the middle half of the other functions is in, if all of them have one
/// factor.
const TIGHT: f64 = 0.01;
/// Fewest other functions that say what is common.
const OTHERS: usize = 3;
/// Fewest stretches of a side for a verdict.
const STRETCHES: usize = 6;
/// A function says what is common if its own median is known as well as that.
const WELL_KNOWN: f64 = 0.02;
/// Weight of the assumed variance between runs, in runs.
const PRIOR: f64 = 4.0;

/// The calls of a function on one side.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// For each run, the logarithms of typical self times over its stretches. Runs without the
    /// function have none.
    pub runs: Vec<Vec<f64>>,
}

impl Evidence {
    /// Takes typical self times over stretches, in ticks, by run.
    pub fn new<'s>(runs: impl IntoIterator<Item = &'s [f64]>) -> Self {
        // A self time of zero is shorter than a tick.
        let logarithms = |stretches: &[f64]| stretches.iter().map(|own| own.max(0.5).ln()).collect();
        Self { runs: runs.into_iter().map(logarithms).collect() }
    }

    fn len(&self) -> usize {
        self.runs.iter().map(Vec::len).sum()
    }
}

/// What is said of a function, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// What is said.
    pub verdict: Verdict,
    /// Probability that the verdict is right, from 0 to 1; if [`Verdict::Unsure`], of the direction
    /// that the factor has.
    pub confidence: f64,
    /// Typical self time of a call in B divided by that in A. `None` if there are no calls.
    pub factor: Option<f64>,
    /// The same without what all functions have in common, if that was taken out.
    pub without_common: Option<f64>,
}

/// Judges functions with the noise of all.
#[derive(Debug)]
pub struct Judge {
    /// For each run of A and B, logarithms of ratios to the first run of A, of functions that were
    /// measured well, sorted, each with the index of its function.
    ratios: [Vec<Vec<(f64, usize)>>; 2],
    /// Distribution of the median by the number of values.
    medians: HashMap<usize, Vec<f64>>,
}

impl Judge {
    /// Takes the evidence of all functions that both sides have.
    pub fn new(functions: &[(Evidence, Evidence)]) -> Self {
        let mut judge = Self { ratios: [Vec::new(), Vec::new()], medians: HashMap::new() };
        let runs = |side: fn(&(Evidence, Evidence)) -> &Evidence| {
            functions.iter().map(|it| side(it).runs.len()).max().unwrap_or(0)
        };
        for (which, side, count) in [
            (0, (|it| &it.0) as fn(&(Evidence, Evidence)) -> &Evidence, runs(|it| &it.0)),
            (1, (|it| &it.1) as fn(&(Evidence, Evidence)) -> &Evidence, runs(|it| &it.1)),
        ] {
            for run in 0..count {
                let mut ratios: Vec<(f64, usize)> = Vec::new();
                for (i, function) in functions.iter().enumerate() {
                    let base = function.0.runs.first().map_or(&[][..], Vec::as_slice);
                    let other = side(function).runs.get(run).map_or(&[][..], Vec::as_slice);
                    if let (Some(base), Some(other)) = (judge.well_known(base), judge.well_known(other)) {
                        ratios.push((other - base, i));
                    }
                }
                ratios.sort_by(|one, two| one.0.total_cmp(&two.0));
                if let Some(of) = judge.ratios.get_mut(which) {
                    of.push(ratios);
                }
            }
        }
        judge
    }

    /// The factor that all functions have in common, B divided by A, if it was measured and may be
    /// the machine's.
    pub fn common(&self) -> Option<f64> {
        let [_, b] = &self.ratios;
        common(b.first()?, usize::MAX).map(|(common, _)| common.exp())
    }

    /// Judges function number `i` of [`Judge::new`], on a clock.
    pub fn judge(&mut self, i: usize, (a, b): &(Evidence, Evidence)) -> Finding {
        let shifts = |runs: &[Vec<(f64, usize)>]| -> Option<(Vec<f64>, bool)> {
            let all = runs.iter().map(|ratios| common(ratios, i)).collect::<Option<Vec<_>>>()?;
            let is_tight = all.iter().all(|(_, is_tight)| *is_tight);
            Some((all.into_iter().map(|(shift, _)| shift).collect(), is_tight))
        };
        let [of_a, of_b] = &self.ratios;
        let common = shifts(of_a).zip(shifts(of_b));
        let raw = self.difference(a, b, None);
        let factor = raw.middle.map(f64::exp);
        let mut without_common = None;
        let [mut slower, mut faster] = [raw.beyond(LEAST), raw.below(-LEAST)];
        let mut same = raw.within(SAME);
        if let Some(((of_a, tight_a), (of_b, tight_b))) = common {
            let steady = self.difference(a, b, Some(&(of_a, of_b)));
            without_common = steady.middle.map(f64::exp);
            let half = steady.middle.unwrap_or(0.0) / 2.0;
            let middle = raw.middle.unwrap_or(0.0);
            let is_tight = tight_a && tight_b;
            slower = if is_tight || middle >= half { steady.beyond(LEAST) } else { slower };
            faster = if is_tight || middle <= half { steady.below(-LEAST) } else { faster };
            same = if is_tight { steady.within(SAME) } else { same };
        }
        let enough = a.len() >= STRETCHES && b.len() >= STRETCHES;
        let (verdict, confidence) = match () {
            () if enough && slower >= SURE => (Verdict::Slower, slower),
            () if enough && faster >= SURE => (Verdict::Faster, faster),
            () if same >= LIKELY && enough => (Verdict::Same, same),
            () => (Verdict::Unsure, slower.max(faster)),
        };
        Finding { verdict, confidence, factor, without_common }
    }

    /// The median of a run's stretches, if there are enough, and it is known well.
    fn well_known(&mut self, stretches: &[f64]) -> Option<f64> {
        if stretches.len() < STRETCHES {
            return None;
        }
        let drawn = self.drawn(stretches.iter().copied());
        let middle = drawn.middle?;
        (drawn.deviation() <= WELL_KNOWN).then_some(middle)
    }

    /// The distribution of the median of values drawn with replacement.
    fn drawn(&mut self, values: impl Iterator<Item = f64>) -> Drawn {
        let mut sorted: Vec<f64> = values.collect();
        sorted.sort_by(f64::total_cmp);
        let shares = self.medians.entry(sorted.len()).or_insert_with(|| median_shares(sorted.len()));
        let middle = sorted.get(sorted.len().saturating_sub(1) / 2).copied();
        // What is left out adds up to nothing.
        let likely = sorted.into_iter().zip(shares.iter().copied()).filter(|(_, share)| *share > 1e-7);
        Drawn { middle, values: likely.collect() }
    }

    /// The difference of B and A, both without the shifts of their runs if there are some.
    fn difference(&mut self, a: &Evidence, b: &Evidence, shifts: Option<&(Vec<f64>, Vec<f64>)>) -> Difference {
        let shift = |of: Option<&Vec<f64>>, run: usize| of.and_then(|of| of.get(run)).copied().unwrap_or(0.0);
        let side = |judge: &mut Self, side: &Evidence, of: Option<&Vec<f64>>| {
            let each = side.runs.iter().enumerate();
            judge.drawn(each.flat_map(|(run, all)| all.iter().map(move |own| own - shift(of, run))))
        };
        let (of_a, of_b) = (shifts.map(|(a, _)| a), shifts.map(|(_, b)| b));
        let (drawn_a, drawn_b) = (side(self, a, of_a), side(self, b, of_b));
        // How much runs of one side differ.
        let assumed = if shifts.is_some() { RUNS_WITHOUT_COMMON } else { RUNS };
        let (mut squares, mut free) = (0.0, 0.0);
        let mut inverse = 0.0;
        for (evidence, of) in [(a, of_a), (b, of_b)] {
            let runs = evidence.runs.iter().enumerate().filter(|(_, all)| !all.is_empty());
            let medians: Vec<f64> = runs.map(|(run, all)| median(all) - shift(of, run)).collect();
            let mean = medians.iter().sum::<f64>() / medians.len().max(1) as f64;
            squares += medians.iter().map(|median| (median - mean).powi(2)).sum::<f64>();
            free += medians.len().saturating_sub(1) as f64;
            inverse += 1.0 / medians.len().max(1) as f64;
        }
        let variance = (PRIOR * assumed * assumed / 2.0 + squares) / (PRIOR + free);
        let middle = drawn_a.middle.zip(drawn_b.middle).map(|(a, b)| b - a);
        Difference { middle, a: drawn_a, b: drawn_b, deviation: (variance * inverse).sqrt() }
    }
}

/// Judges a function on a counted axis, where what differs has changed. `own` and `count` are the
/// self time and the number of calls of A and of B.
pub fn judge_counted(own: (u64, u64), count: (u64, u64), (a, b): &(Evidence, Evidence)) -> Finding {
    let all = |side: &Evidence| side.runs.iter().flatten().copied().collect::<Vec<_>>();
    let (a, b) = (all(a), all(b));
    let factor = (!a.is_empty() && !b.is_empty()).then(|| (median(&b) - median(&a)).exp());
    // Means of whole numbers, without rounding.
    let mean = |own: u64, others: u64| u128::from(own) * u128::from(others);
    let means = mean(own.1, count.0).cmp(&mean(own.0, count.1));
    let apart = |low: &[f64], high: &[f64]| {
        let (most, least) =
            (low.iter().copied().fold(f64::MIN, f64::max), high.iter().copied().fold(f64::MAX, f64::min));
        most < least
    };
    let (verdict, confidence) = match means {
        std::cmp::Ordering::Equal => (Verdict::Same, 1.0),
        // The same calls take more, or all calls do.
        std::cmp::Ordering::Greater if count.0 == count.1 || apart(&a, &b) => (Verdict::Slower, 1.0),
        std::cmp::Ordering::Less if count.0 == count.1 || apart(&b, &a) => (Verdict::Faster, 1.0),
        _ => (Verdict::Unsure, 0.5),
    };
    Finding { verdict, confidence, factor, without_common: None }
}

/// The median ratio without function `but`, if there are enough others, and it may be that of a
/// machine; and whether they agree.
fn common(ratios: &[(f64, usize)], but: usize) -> Option<(f64, bool)> {
    let own = ratios.iter().position(|(_, i)| *i == but);
    let others = ratios.len() - usize::from(own.is_some());
    let nth = |n: usize| ratios.get(n + usize::from(own.is_some_and(|own| own <= n))).map(|(ratio, _)| *ratio);
    if others < OTHERS {
        return None;
    }
    let middle = (nth((others - 1) / 2)? + nth(others / 2)?) / 2.0;
    let is_tight = nth(others * 3 / 4)? - nth((others - 1) / 4)? <= 2.0 * TIGHT;
    (middle.abs() <= MOST_COMMON).then_some((middle, is_tight))
}

/// The lower median.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

/// Values with their probabilities.
#[derive(Debug, Default)]
struct Drawn {
    middle: Option<f64>,
    values: Vec<(f64, f64)>,
}

impl Drawn {
    fn deviation(&self) -> f64 {
        let mean: f64 = self.values.iter().map(|(value, share)| value * share).sum();
        self.values.iter().map(|(value, share)| (value - mean).powi(2) * share).sum::<f64>().sqrt()
    }
}

/// A difference of two medians, blurred by the difference of runs.
#[derive(Debug)]
struct Difference {
    middle: Option<f64>,
    a: Drawn,
    b: Drawn,
    deviation: f64,
}

impl Difference {
    /// Probability that it is at most this.
    fn below(&self, limit: f64) -> f64 {
        let mut sum = 0.0;
        for (a, share_a) in &self.a.values {
            for (b, share_b) in &self.b.values {
                sum += share_a * share_b * normal((limit - (b - a)) / self.deviation);
            }
        }
        sum
    }

    fn beyond(&self, limit: f64) -> f64 {
        if self.middle.is_none() { 0.0 } else { 1.0 - self.below(limit) }
    }

    fn within(&self, limit: f64) -> f64 {
        (self.below(limit) - self.below(-limit)).max(0.0)
    }
}

/// Probability of each of `n` sorted values to be the lower median of `n` draws with replacement.
fn median_shares(n: usize) -> Vec<f64> {
    let half = n.div_ceil(2);
    let mut factorials = vec![0.0; n + 1];
    for i in 1..=n {
        if let [.., before, last] = factorials.get_mut(..=i).unwrap_or_default() {
            *last = *before + (i as f64).ln();
        }
    }
    let ln = |i: usize| factorials.get(i).copied().unwrap_or(0.0);
    let at_least_half = |p: f64| {
        if p >= 1.0 {
            return 1.0;
        }
        let each = |hits: usize| {
            (ln(n) - ln(hits) - ln(n - hits) + hits as f64 * p.ln() + (n - hits) as f64 * (1.0 - p).ln()).exp()
        };
        (half..=n).map(each).sum::<f64>()
    };
    let mut before = 0.0;
    let share = |k: usize| {
        let now = at_least_half(k as f64 / n as f64);
        let share = now - before;
        before = now;
        share
    };
    (1..=n).map(share).collect()
}

/// Distribution function of the standard normal distribution, to within 1e-7 (Abramowitz and
/// Stegun, 26.2.17).
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial =
        t * (0.319_381_530 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let above = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial;
    if x >= 0.0 { 1.0 - above } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evidence of one run, whose stretches are around a self time: half of them by a share
    /// shorter, half longer.
    fn around(own: f64, share: f64, stretches: usize) -> Evidence {
        let one = |i: usize| own * (1.0 + share * ((i * 7 % 11) as f64 / 5.0 - 1.0));
        Evidence::new([(0..stretches).map(one).collect::<Vec<_>>().as_slice()])
    }

    fn judged(functions: &[(Evidence, Evidence)], i: usize) -> Finding {
        Judge::new(functions).judge(i, &functions[i])
    }

    #[test]
    fn a_median_of_draws_is_around_the_median() {
        for n in [1, 2, 5, 32, 320] {
            let shares = median_shares(n);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{n}");
            let most = (0..n).max_by(|i, j| shares[*i].total_cmp(&shares[*j])).unwrap();
            assert!(most.abs_diff((n - 1) / 2) <= 1, "{n}: {most}");
        }
        // Of two draws out of two values, three in four have a lower median that is the first.
        assert_eq!(median_shares(2), [0.75, 0.25]);
    }

    #[test]
    fn the_normal_distribution_is_that_of_tables() {
        for (x, p) in [(0.0, 0.5), (1.0, 0.841_345), (-1.96, 0.024_998), (2.576, 0.995_002)] {
            assert!((normal(x) - p).abs() < 1e-5, "{x}");
        }
    }

    #[test]
    fn a_tenth_is_found_and_a_few_percent_of_all_functions_are_not() {
        let runs =
            |factors: [f64; 5]| factors.map(|factor| (around(1000.0, 0.02, 32), around(1000.0 * factor, 0.02, 32)));
        let drift = runs([1.04, 1.04, 1.04, 1.04, 1.04]);
        assert_eq!(judged(&drift, 0).verdict, Verdict::Same);
        let found = judged(&runs([1.1, 1.0, 1.0, 1.0, 1.0]), 0);
        assert_eq!(found.verdict, Verdict::Slower);
        assert!(found.confidence > 0.999 && (found.factor.unwrap() - 1.1).abs() < 1e-9);
        assert_eq!(judged(&runs([0.9, 1.01, 0.99, 1.0, 1.0]), 0).verdict, Verdict::Faster);
        // The machine was slower by what the function is faster.
        let hidden = judged(&runs([1.0, 1.1, 1.1, 1.1, 1.1]), 0);
        assert_eq!(hidden.verdict, Verdict::Faster);
        assert!((hidden.without_common.unwrap() - 1.0 / 1.1).abs() < 1e-9);
        // Others got faster, and not by one factor: this one did not change.
        assert_eq!(judged(&runs([1.0, 0.97, 0.95, 0.93, 0.9]), 0).verdict, Verdict::Same);
        // Half as fast is not the machine.
        let halved = runs([2.0, 2.0, 2.0, 2.0, 2.0]);
        assert!((0..5).all(|i| judged(&halved, i).verdict == Verdict::Slower));
        assert_eq!(Judge::new(&halved).common(), None);
        assert!((Judge::new(&drift).common().unwrap() - 1.04).abs() < 1e-9);
    }

    #[test]
    fn few_stretches_and_wide_ones_are_unsure() {
        assert_eq!(judged(&[(around(1000.0, 0.0, 5), around(3000.0, 0.0, 5))], 0).verdict, Verdict::Unsure);
        assert_eq!(judged(&[(around(1000.0, 0.6, 8), around(1300.0, 0.6, 8))], 0).verdict, Verdict::Unsure);
        assert_eq!(judged(&[(around(1000.0, 0.1, 32), around(2000.0, 0.1, 32))], 0).verdict, Verdict::Slower);
    }

    #[test]
    fn runs_that_differ_make_a_difference_unsure() {
        let side = |owns: &[f64]| {
            let runs: Vec<Vec<f64>> = owns.iter().map(|own| vec![*own; 16]).collect();
            Evidence::new(runs.iter().map(Vec::as_slice))
        };
        let steady = [(side(&[1000.0, 1003.0, 998.0]), side(&[1100.0, 1104.0, 1098.0]))];
        assert_eq!(judged(&steady, 0).verdict, Verdict::Slower);
        let wild = [(side(&[1000.0, 1200.0, 850.0]), side(&[1100.0, 900.0, 1250.0]))];
        assert_eq!(judged(&wild, 0).verdict, Verdict::Unsure);
    }

    #[test]
    fn on_a_counted_axis_what_differs_has_changed() {
        let none = (Evidence::default(), Evidence::default());
        let judged = |own, count, evidence: &_| judge_counted(own, count, evidence).verdict;
        assert_eq!(judged((9, 9), (1, 1), &none), Verdict::Same);
        assert_eq!(judged((9, 27), (1, 3), &none), Verdict::Same);
        assert_eq!(judged((90, 91), (10, 10), &none), Verdict::Slower);
        assert_eq!(judged((91, 90), (10, 10), &none), Verdict::Faster);
        // Other calls: only if each of them takes more.
        assert_eq!(judged((20, 40), (2, 3), &(around(10.0, 0.0, 2), around(13.0, 0.0, 3))), Verdict::Slower);
        assert_eq!(judged((20, 40), (2, 3), &(around(10.0, 0.5, 8), around(13.0, 0.5, 8))), Verdict::Unsure);
    }
}
