//! One line for each name.

use super::Statistics;
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

impl Statistics {
    /// What is known of each function so far.
    pub fn functions(&mut self, store: &Store) -> FunctionColumns {
        let outermost = self.outermost(&store.calls);
        let figures = self.figures(&store.calls);
        let mut sums = vec![(0u64, 0u64, 0u64); self.functions.len()];
        for ((figure, sum), outermost) in figures.iter().zip(&self.nodes).zip(&outermost) {
            let Some((count, total, own)) = sums.get_mut(sum.function as usize) else { continue };
            *count += figure.count;
            *own = own.saturating_add(figure.own);
            if *outermost {
                *total = total.saturating_add(figure.total);
            }
        }
        let mut all: Vec<_> = self.functions.iter().zip(sums).collect();
        all.sort_unstable_by_key(|(function, _)| function.name);
        let mut columns = FunctionColumns::default();
        for (function, (count, total, own)) in all {
            let [median, p90, p99] = function.buckets.percentiles([50, 90, 99], (function.min, function.max));
            columns.name.push(function.name);
            columns.count.push(count as f64);
            columns.total.push(total as f64);
            columns.own.push(own as f64);
            columns.min.push(function.min as f64);
            columns.median.push(median as f64);
            columns.p90.push(p90 as f64);
            columns.p99.push(p99 as f64);
            columns.max.push(function.max as f64);
        }
        columns
    }
}
