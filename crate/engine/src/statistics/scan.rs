//! The job behind a panel: a scan of a range, and which of its figures are wanted.

use std::sync::Arc;

use super::flame::{Growth, MOST_WORK};
use super::shape::{Shape, Transform};
use super::{FlameView, Flames, FunctionColumns, Question, Statistics, TreeColumns, TreeView, Weights};
use crate::jobs::{Job, Progress, Step};
use crate::store::Store;

/// Statistics of a range as a job.
#[derive(Debug)]
pub struct Scan {
    /// `None` once released.
    statistics: Option<Box<Statistics>>,
    /// The call paths that were asked for last, with their transforms and how many slices had been
    /// visited.
    shape: Option<(Vec<Transform>, u64, Shape)>,
    /// The flame graphs that are wanted, once all slices were visited.
    growth: Option<Growth>,
    wanted: Wanted,
}

/// Work of a flame graph that is an estimate: it is made in one turn.
const ESTIMATE: usize = MOST_WORK / 64;
/// Slices that are visited in the time of one unit of work of a flame graph.
const SLICES: u64 = 16;

/// What a panel wants to know of a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The table of functions.
    pub functions: bool,
    /// A flame graph.
    pub flame: Option<FlameView>,
    /// Rows of the call tree.
    pub tree: Option<TreeView>,
    /// What the call paths have in place of durations, if anything.
    pub weights: Option<Arc<Weights>>,
    /// How the call paths of flame graph and call tree are changed, in this order.
    pub transforms: Vec<Transform>,
}

/// What is known of a range so far.
#[derive(Debug)]
pub struct Part {
    /// Whether all slices were visited. Everything but percentiles is exact then.
    pub exact: bool,
    /// Whether the whole trace had been read.
    pub complete: bool,
    /// How many calls were not measured, if they are weighed.
    pub unmeasured: Option<u64>,
    /// The functions, if they are wanted.
    pub functions: Option<FunctionColumns>,
    /// The flame graph, if it is wanted.
    pub flames: Option<Flames>,
    /// The rows of the call tree, if they are wanted.
    pub tree: Option<TreeColumns>,
}

impl Scan {
    /// Begins a scan, unless the previous one has the final answer already.
    pub fn new(store: &Store, question: Question, wanted: Wanted, previous: Option<Self>) -> Self {
        let mut scan =
            previous.unwrap_or(Self { statistics: None, shape: None, growth: None, wanted: Wanted::default() });
        let answers = |it: &Statistics| it.answers(store, &question) && it.weights() == wanted.weights.as_ref();
        if !scan.statistics.as_deref().is_some_and(answers) {
            scan.release();
            scan.statistics = Some(Box::new(Statistics::new(store, question).weighed(wanted.weights.clone())));
        }
        Self { wanted, growth: None, ..scan }
    }

    /// Makes the call paths again if more is known of them, or others are wanted.
    fn shape(&mut self, store: &Store) {
        let Self { statistics: Some(statistics), shape, wanted: Wanted { flame, tree, transforms, .. }, .. } = self
        else {
            return;
        };
        let visited = statistics.visited();
        if flame.is_none() && tree.is_none() {
            *shape = None;
        } else if shape.as_ref().is_none_or(|(of, at, _)| of != transforms || *at != visited) {
            // The old one first, so that the two never take memory at once.
            *shape = None;
            *shape = Some((transforms.clone(), visited, statistics.shape(&store.calls, transforms)));
        }
    }

    /// The wanted figures: estimates until the scan is done. `None` while there is not enough to
    /// estimate from.
    pub fn part(&mut self, store: &Store) -> Option<Part> {
        self.statistics.as_ref().filter(|statistics| statistics.can_estimate())?;
        self.shape(store);
        let Self { statistics: Some(statistics), shape, growth, wanted } = self else { return None };
        let Wanted { functions, flame, tree, .. } = &*wanted;
        let grown = growth.take_if(|growth| growth.is_complete()).map(Growth::flames);
        let most = if statistics.is_exact() && growth.is_none() { MOST_WORK } else { ESTIMATE };
        let shape = shape.as_ref().map(|(.., shape)| shape);
        Some(Part {
            exact: statistics.is_exact(),
            complete: statistics.is_complete(),
            unmeasured: statistics.unmeasured(),
            functions: functions.then(|| statistics.functions(store)),
            flames: grown.or_else(|| flame.as_ref().zip(shape).map(|(view, shape)| shape.flames(view, most))),
            tree: tree.as_ref().zip(shape).map(|(view, shape)| shape.rows(view)),
        })
    }
}

impl Job for Scan {
    fn noun(&self) -> &'static str {
        "statistics"
    }

    fn step(&mut self, store: &Store, budget: u64) -> Step {
        let Some(statistics) = &mut self.statistics else { return Step::Done };
        if statistics.is_outdated(store) {
            // The scan starts over: call paths and flame graphs are those of the slices as they
            // were.
            (self.shape, self.growth) = (None, None);
        }
        if !statistics.step(store, budget) {
            return Step::More;
        }
        self.shape(store);
        let Self { shape: Some((.., shape)), growth, wanted: Wanted { flame: Some(view), .. }, .. } = self else {
            return Step::Done;
        };
        let Some(growth) = growth else {
            // Nodes are put in order by function first, which takes a while.
            *growth = Some(shape.grow(view));
            return Step::More;
        };
        // A step that does nothing would never be done.
        let work = usize::try_from(budget / SLICES).unwrap_or(usize::MAX).max(1);
        if growth.step(shape, work) { Step::Done } else { Step::More }
    }

    fn progress(&self) -> Progress {
        // In slices, as the page shows it. Work on a flame graph comes after that.
        self.statistics.as_ref().map_or_else(Progress::default, |it| Progress { done: it.visited(), of: it.slices() })
    }

    fn bytes(&self) -> u64 {
        let shape = self.shape.as_ref().map_or(0, |(.., shape)| shape.bytes());
        let growth = self.growth.as_ref().map_or(0, Growth::bytes);
        (shape + growth + self.statistics.as_ref().map_or(0, |it| it.bytes())) as u64
    }

    fn release(&mut self) {
        (self.statistics, self.shape, self.growth) = (None, None, None);
    }
}
