//! The job behind a panel: a scan of a range, and which of its figures are wanted.

use super::paths::Added;
use super::{FlameColumns, FunctionColumns, Question, Statistics};
use crate::call_tree::NodeId;
use crate::jobs::{Job, Progress, Step};
use crate::store::Store;

/// Statistics of a range as a job.
#[derive(Debug)]
pub struct Scan {
    /// `None` once released.
    statistics: Option<Box<Statistics>>,
    /// Numbers of the flame graph's nodes for the next scan, once released.
    added: Added,
    functions: bool,
    flame: Option<NodeId>,
}

/// What is known of a range so far.
#[derive(Debug)]
pub struct Part {
    /// Whether all slices were visited. Everything but percentiles is exact then.
    pub exact: bool,
    /// Whether the whole trace had been read.
    pub complete: bool,
    /// The functions, if they are wanted.
    pub functions: Option<FunctionColumns>,
    /// The flame graph, if it is wanted.
    pub flame: Option<FlameColumns>,
}

impl Scan {
    /// Begins a scan, unless the previous one has the final answer already. `functions` and `flame`, with the node in
    /// focus, are what is wanted. Nodes of the flame graph keep their numbers from the previous scan.
    pub fn new(
        store: &Store,
        question: Question,
        functions: bool,
        flame: Option<NodeId>,
        previous: Option<Self>,
    ) -> Self {
        let mut scan = previous.unwrap_or(Self { statistics: None, added: Added::default(), functions, flame });
        if scan.statistics.as_ref().is_none_or(|statistics| !statistics.answers(store, &question)) {
            scan.release();
            scan.statistics = Some(Box::new(Statistics::plan(store, question, std::mem::take(&mut scan.added))));
        }
        Self { functions, flame, ..scan }
    }

    /// The wanted figures: estimates until the scan is done. `None` while there is not enough to estimate from.
    pub fn part(&mut self, store: &Store) -> Option<Part> {
        let Self { statistics, functions, flame, .. } = self;
        statistics.as_mut().filter(|statistics| statistics.can_estimate()).map(|statistics| Part {
            exact: statistics.is_exact(),
            complete: statistics.is_complete(),
            functions: functions.then(|| statistics.functions(store)),
            flame: flame.map(|focus| statistics.flame(store, focus)),
        })
    }
}

impl Job for Scan {
    fn noun(&self) -> &'static str {
        "statistics"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        let done = self.statistics.as_mut().is_none_or(|statistics| statistics.step(store, budget));
        if done { Step::Done } else { Step::More }
    }

    fn progress(&self) -> Progress {
        self.statistics.as_ref().map_or_else(Progress::default, |it| Progress { done: it.visited(), of: it.slices() })
    }

    fn bytes(&self) -> u64 {
        (self.added.bytes() + self.statistics.as_ref().map_or(0, |it| it.bytes())) as u64
    }

    fn release(&mut self) {
        if let Some(statistics) = self.statistics.take() {
            self.added = statistics.into_added();
        }
    }
}
