//! Places in a shape from which to go on: down to the callees, or up to the callers.

use unspool_trace::sort;

use super::figures::Figure;
use super::shape::Shape;
use crate::call_tree::ROOT;

/// Which figure decides how wide a node is, and which comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Own,
    Total,
}

/// Where a view of the call paths has come to.
#[derive(Debug)]
pub(super) enum Spot {
    /// A node; below it are its callees.
    Down(u32),
    /// All calls of the function with this name. Below it are their callers.
    Function(u32),
    /// Some calls of a function. Below it are their callers.
    Up(Vec<Entry>),
}

/// Calls, by the ancestor node that the walk upwards from them has reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    at: u32,
    figure: Figure,
}

/// A node of a view.
#[derive(Debug)]
pub(super) struct Below {
    pub(super) name: u32,
    pub(super) figure: Figure,
    pub(super) spot: Spot,
}

impl Weight {
    pub(super) fn of(self, figure: &Figure) -> u64 {
        match self {
            Self::Own => figure.own,
            Self::Total => figure.total,
        }
    }
}

impl Figure {
    /// Adds figures; `outer` says whether their total counts.
    pub(super) fn add(&mut self, other: &Self, outer: bool) {
        self.total = self.total.saturating_add(if outer { other.total } else { 0 });
        self.own = self.own.saturating_add(other.own);
        self.count = self.count.saturating_add(other.count);
    }
}

impl Spot {
    /// How many entries or callees have to be looked at to go on from here.
    pub(super) fn work(&self, shape: &Shape) -> usize {
        match self {
            Self::Down(_) => 1,
            Self::Function(name) => shape.by_name().nodes_of(*name).len(),
            Self::Up(entries) => entries.len(),
        }
    }

    /// Allocated memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        if let Self::Up(entries) = self { entries.capacity() * size_of::<Entry>() } else { 0 }
    }

    /// Whether there is anything below.
    pub(super) fn leads_on(&self, shape: &Shape) -> bool {
        match self {
            Self::Down(node) => shape.has_children(*node),
            Self::Function(name) => shape.by_name().called.get(*name as usize).is_some_and(|called| *called),
            Self::Up(entries) => entries.iter().any(|entry| shape.parent_of(entry.at) != ROOT),
        }
    }
}

impl Shape {
    /// What lies below a spot, the heaviest first. Ties are in the order of first calls, or of
    /// names.
    pub(super) fn below(&self, spot: &Spot, weight: Weight) -> Vec<Below> {
        match spot {
            Spot::Down(node) => {
                let callees = self.children(*node).map(|child| Below {
                    name: self.name_of(child),
                    figure: self.figure(child),
                    spot: Spot::Down(child),
                });
                sorted(callees.collect(), weight)
            }
            Spot::Function(name) => {
                let by_name = self.by_name();
                let callers = by_name.nodes_of(*name).iter().map(|node| {
                    let mut figure = self.figure(*node);
                    // The time of a recursive call is part of the outer one's already.
                    if by_name.is_recursive(*node) {
                        figure.total = 0;
                    }
                    Entry { at: self.parent_of(*node), figure }
                });
                sorted(self.grouped(callers.filter(|entry| entry.at != ROOT).collect()), weight)
            }
            Spot::Up(entries) => {
                let callers = entries.iter().map(|entry| Entry { at: self.parent_of(entry.at), ..*entry });
                sorted(self.grouped(callers.filter(|entry| entry.at != ROOT).collect()), weight)
            }
        }
    }

    /// All calls by function, the heaviest first; or those of one function.
    pub(super) fn functions(&self, only: Option<u32>, weight: Weight) -> Vec<Below> {
        let by_name = self.by_name();
        let wanted = (0..).zip(&by_name.sums).filter(|(name, _)| only.is_none_or(|only| only == *name));
        let functions = wanted.filter(|(name, _)| !by_name.nodes_of(*name).is_empty());
        sorted(functions.map(|(name, sum)| Below { name, figure: *sum, spot: Spot::Function(name) }).collect(), weight)
    }

    /// Entries by the name of their nodes. Those of one node are added up.
    fn grouped(&self, entries: Vec<Entry>) -> Vec<Below> {
        let key = |entry: &Entry| u64::from(self.name_of(entry.at)) << 32 | u64::from(entry.at);
        let mut order: Vec<(u64, u32)> = entries.iter().map(key).zip(0..).collect();
        sort::pairs(&mut order);
        let mut groups: Vec<Below> = Vec::new();
        for (key, i) in order {
            let Some(entry) = entries.get(i as usize) else { continue };
            let name = (key >> 32) as u32;
            if groups.last().is_none_or(|group| group.name != name) {
                groups.push(Below { name, figure: Figure::default(), spot: Spot::Up(Vec::new()) });
            }
            let Some(Below { figure, spot: Spot::Up(list), .. }) = groups.last_mut() else { continue };
            figure.add(&entry.figure, true);
            match list.last_mut().filter(|last| last.at == entry.at) {
                Some(last) => last.figure.add(&entry.figure, true),
                None => list.push(*entry),
            }
        }
        groups
    }
}

fn sorted(nodes: Vec<Below>, weight: Weight) -> Vec<Below> {
    let mut order: Vec<(u64, u32)> = nodes.iter().map(|node| !weight.of(&node.figure)).zip(0..).collect();
    sort::pairs(&mut order);
    let mut nodes: Vec<Option<Below>> = nodes.into_iter().map(Some).collect();
    order.iter().filter_map(|(_, i)| nodes.get_mut(*i as usize)?.take()).collect()
}
