//! One line for each name.

use super::Statistics;
use super::paths::Place;
use crate::store::Store;

/// Functions as columns, in the order of their names' numbers. Times are doubles, exact below 2^53.
#[derive(Debug, Default, PartialEq)]
pub struct FunctionColumns {
    /// Name.
    pub name: Vec<u32>,
    /// How many slices overlap with the range.
    pub count: Vec<f64>,
    /// Time in the range, once where it is within itself.
    pub total: Vec<f64>,
    /// Time in the range that is not covered by what was called.
    pub own: Vec<f64>,
    /// The shortest of these slices, as a whole.
    pub min: Vec<f64>,
    /// The slice in the middle, within a hundredth.
    pub median: Vec<f64>,
    /// The shortest that is longer than 90 % of them or as long, within a hundredth.
    pub p90: Vec<f64>,
    /// The same for 99 %.
    pub p99: Vec<f64>,
    /// The longest.
    pub max: Vec<f64>,
}

/// Of the nodes of one name.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: u64,
    total: u128,
    /// Time of all nodes, and how much of it is that of their callees.
    all: u128,
    within: u128,
}

impl Statistics {
    /// What is known of each function so far.
    pub fn functions(&mut self, store: &Store) -> FunctionColumns {
        let outermost = self.outermost(&store.calls);
        let mut sums = vec![Sums::default(); self.functions.len()];
        let tree = self.paths.tree(&store.calls);
        for ((place, sum), outermost) in self.nodes.iter().enumerate().zip(&outermost) {
            if sum.count == 0 {
                continue;
            }
            let place = place as Place;
            let (time, count) = self.scaled(place, sum);
            if let Some(sums) = sums.get_mut(sum.function as usize) {
                sums.count += count;
                sums.all += u128::from(time);
                if *outermost {
                    sums.total += u128::from(time);
                }
            }
            let caller = self.nodes.get(tree.parent(place) as usize);
            if let Some(sums) = caller.and_then(|caller| sums.get_mut(caller.function as usize)) {
                sums.within += u128::from(time);
            }
        }
        let mut all: Vec<_> = self.functions.iter().zip(sums).collect();
        all.sort_unstable_by_key(|(function, _)| function.name);
        let mut columns = FunctionColumns::default();
        for (function, sums) in all {
            let [median, p90, p99] = function.buckets.percentiles([50, 90, 99], (function.min, function.max));
            columns.name.push(function.name);
            columns.count.push(sums.count as f64);
            columns.total.push(sums.total.min(u128::from(u64::MAX)) as f64);
            // A sample may know more of what was called than of who called.
            columns.own.push(sums.all.saturating_sub(sums.within).min(u128::from(u64::MAX)) as f64);
            columns.min.push(function.min as f64);
            columns.median.push(median as f64);
            columns.p90.push(p90 as f64);
            columns.p99.push(p99 as f64);
            columns.max.push(function.max as f64);
        }
        columns
    }
}
