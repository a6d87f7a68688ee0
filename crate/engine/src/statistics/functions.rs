//! The table of functions: one line for each name.

use unspool_trace::sort;

use super::paths::Place;
use super::{Percentiles, Question, Statistics};
use crate::store::Store;

/// Functions as columns, sorted by the number of their name. Times are in ticks, as doubles, exact
/// below 2^53.
#[derive(Debug, Default, PartialEq)]
pub struct FunctionColumns {
    /// Number of the name.
    pub name: Vec<u32>,
    /// How many slices overlap with the range.
    pub count: Vec<f64>,
    /// Time within the range. Recursive calls count once.
    pub total: Vec<f64>,
    /// Time within the range that callees do not cover.
    pub own: Vec<f64>,
    /// The shortest of these slices, measured whole.
    pub min: Vec<f64>,
    /// Median duration of whole slices, to within one percent.
    pub median: Vec<f64>,
    /// 90th percentile of whole slices, to within one percent.
    pub p90: Vec<f64>,
    /// 99th percentile of whole slices, to within one percent.
    pub p99: Vec<f64>,
    /// The longest of these slices, measured whole.
    pub max: Vec<f64>,
    /// Which percentiles are rounded: 1 for the median, 2 for the 90th, 4 for the 99th, added up.
    pub rounded: Vec<u8>,
    /// Bytes of data of the calls that begin in the range, whether they were visited or not.
    pub bytes: Vec<f64>,
}

/// Figures of one function, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Number of the name.
    pub name: u32,
    /// How many slices overlap with the range.
    pub count: u64,
    /// Time within the range. Recursive calls count once.
    pub total: u64,
    /// Time within the range that callees do not cover.
    pub own: u64,
    /// The shortest of these slices, measured whole.
    pub min: u64,
    /// The longest of these slices, measured whole.
    pub max: u64,
    /// Percentiles of whole slices.
    pub percentiles: Percentiles,
    /// [`FunctionColumns::rounded`].
    pub rounded: u8,
    /// Bytes of data of the calls that begin in the range: images, buffers, the code of shaders.
    pub bytes: u64,
}

/// Sums over the nodes of one name.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: u64,
    total: u128,
    /// Time of all nodes, and of their callees.
    all: u128,
    within: u128,
}

impl Statistics {
    /// What is known about each function so far.
    pub fn functions(&mut self, store: &Store) -> FunctionColumns {
        let mut columns = FunctionColumns::default();
        for function in self.list(store) {
            columns.name.push(function.name);
            columns.count.push(function.count as f64);
            columns.total.push(function.total as f64);
            columns.own.push(function.own as f64);
            columns.min.push(function.min as f64);
            columns.median.push(function.percentiles.median as f64);
            columns.p90.push(function.percentiles.p90 as f64);
            columns.p99.push(function.percentiles.p99 as f64);
            columns.max.push(function.max as f64);
            columns.rounded.push(function.rounded);
            columns.bytes.push(function.bytes as f64);
        }
        columns
    }

    /// The same in whole ticks, sorted by the number of the name. Percentiles are to within one
    /// percent.
    pub(super) fn list(&mut self, store: &Store) -> Vec<Function> {
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
        let bytes = self.payloads(store);
        let whole = |ticks: u128| u64::try_from(ticks).unwrap_or(u64::MAX);
        let mut order: Vec<(u64, u32)> = self.functions.iter().map(|function| function.name.into()).zip(0..).collect();
        sort::pairs(&mut order);
        let sorted = order.iter().filter_map(|(_, i)| Some((self.functions.get(*i as usize)?, sums.get(*i as usize)?)));
        let functions = sorted.map(|(function, sums)| {
            let found = function.buckets.percentiles([50, 90, 99], (function.min, function.max));
            let [(median, _), (p90, _), (p99, _)] = found;
            let rounded = found.iter().rev().fold(0, |bits, (_, is_exact)| bits << 1 | u8::from(!is_exact));
            Function {
                name: function.name,
                count: sums.count,
                total: whole(sums.total),
                // A sample may hold more of the callees than of the callers.
                own: whole(sums.all.saturating_sub(sums.within)),
                min: function.min,
                max: function.max,
                percentiles: Percentiles { median, p90, p99 },
                rounded,
                bytes: bytes.get(function.name as usize).copied().unwrap_or(0),
            }
        });
        functions.collect()
    }

    /// Bytes of data by the number of the name, of calls that begin in the range. Calls with data
    /// are few, so that all are visited at once.
    fn payloads(&self, store: &Store) -> Vec<u64> {
        let Question { from, to, tracks } = self.question();
        let mut bytes = Vec::new();
        for payload in &store.payloads {
            if !(*from..*to).contains(&payload.x) || !tracks.contains(&payload.track) {
                continue;
            }
            if bytes.is_empty() {
                bytes = vec![0; store.names().len()];
            }
            if let Some(sum) = bytes.get_mut(payload.name as usize) {
                *sum = payload.bytes.saturating_add(*sum);
            }
        }
        bytes
    }
}
