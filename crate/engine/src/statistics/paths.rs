//! Call paths of a scan: those of the store's call tree, and paths through callers whose begin was
//! not recorded.
//!
//! The end of such a caller arrives after the calls it made. The store puts its slice at a new
//! lowest depth and keeps the call-tree nodes of the earlier slices, so these are children of the
//! root. Depths give the true path:
//!
//! ```text
//! depth  1        d                    before[0] = b, before[1] = a
//! depth  0       ccc   e               the outermost recorded call of d is c, at depth 0: a > b > c > d
//! depth -1    bbbbbbb   f              f is at depth -1: a > f
//! depth -2    aaaaaaaaaaaaaa g         g is at depth -2: no caller is missing
//! ```
//!
//! Nodes of paths that the store lacks are added here, one for each path, so that threads with the
//! same path share them.

use hashbrown::HashMap;
use unspool_trace::{Stacking, TrackId};

use crate::call_tree::{CallTree, MAX_NODES, NodeId, ROOT};
use crate::store::{Store, Track};

/// Size of the direct-mapped cache in front of the memo, as a power of two.
const CACHE: u32 = 12;

/// Index of a node in the tables of a scan: first the nodes of the store's call tree, in order,
/// then the added ones. A caller comes before its callees.
pub(super) type Place = u32;

/// The call paths that a scan knows.
#[derive(Debug)]
pub(super) struct Paths {
    /// How many nodes the store's call tree had when the scan was planned.
    base: Place,
    /// Distance of each node of the store from the root. Empty if no track of the scan needs it.
    distances: Vec<u32>,
    /// Unrecorded callers by track, and where to find those of a track.
    missing: Vec<Missing>,
    missing_of: HashMap<TrackId, u32>,
    /// Places of paths by the place of the callers and the node of the store below them.
    memo: HashMap<(Place, NodeId), Place>,
    /// Direct-mapped: callers, node and place. Empty until it is needed.
    cache: Vec<(Place, NodeId, Place)>,
    /// Nodes in addition to those of the store, and their places by caller and name.
    added: Vec<Node>,
    children: HashMap<(Place, u32), Place>,
}

/// Callers of a track's slices that arrived later. Element `j` is the place of those that are
/// missing from a path whose outermost recorded call is at depth `-j`.
type Missing = Vec<Place>;

/// The slices at one depth of a track, if some of their callers were not recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orphans {
    missing: usize,
    depth: i32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    name: u32,
    parent: Place,
}

impl Paths {
    /// Prepares a scan of some tracks in their current state.
    pub(super) fn new(store: &Store, tracks: &[TrackId]) -> Self {
        let mut paths = Self {
            base: store.calls.len() as Place,
            distances: Vec::new(),
            missing: Vec::new(),
            missing_of: HashMap::new(),
            memo: HashMap::new(),
            cache: Vec::new(),
            added: Vec::new(),
            children: HashMap::new(),
        };
        for id in tracks {
            let before = store.tracks.get(*id as usize).map_or(&[][..], missing_callers);
            if !before.is_empty() {
                let mut of = vec![ROOT; before.len() + 1];
                for (j, name) in before.iter().enumerate().rev() {
                    let outer = of.get(j + 1).copied().unwrap_or(ROOT);
                    let place = paths.child(&store.calls, outer, *name);
                    if let Some(of) = of.get_mut(j) {
                        *of = place;
                    }
                }
                paths.missing_of.insert(*id, paths.missing.len() as u32);
                paths.missing.push(of);
            }
        }
        if !paths.missing.is_empty() {
            paths.distances = distances(&store.calls);
            paths.cache = vec![(ROOT, ROOT, ROOT); 1 << CACHE];
        }
        paths
    }

    /// Allocated memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let missing: usize = self.missing.iter().map(|missing| missing.capacity() * size_of::<Place>()).sum();
        self.distances.capacity() * size_of::<u32>()
            + missing
            + self.missing.capacity() * size_of::<Missing>()
            + self.missing_of.allocation_size()
            + self.memo.allocation_size()
            + self.cache.capacity() * size_of::<(Place, NodeId, Place)>()
            + self.added.capacity() * size_of::<Node>()
            + self.children.allocation_size()
    }

    /// How many nodes there are now.
    pub(super) fn len(&self) -> usize {
        self.base as usize + self.added.len()
    }

    /// The slices at a depth of a track, if the store's call tree may lack some of their callers.
    /// If `None`, the place of a slice's path is its node.
    pub(super) fn orphans(&self, track: TrackId, depth: i32) -> Option<Orphans> {
        self.missing_of.get(&track).map(|missing| Orphans { missing: *missing as usize, depth })
    }

    /// The place of a slice's path, from its call-tree node in the store.
    #[inline]
    pub(super) fn place_of(&mut self, calls: &CallTree, Orphans { missing, depth }: Orphans, node: NodeId) -> Place {
        let distance = self.distances.get(node as usize).copied().unwrap_or(0);
        // Minus the depth of the outermost recorded call.
        let j = i64::from(distance) - 1 - i64::from(depth);
        let missing = self.missing.get(missing).map_or(&[][..], Vec::as_slice);
        let callers = usize::try_from(j).ok().and_then(|j| missing.get(j)).copied().unwrap_or(ROOT);
        if callers == ROOT {
            return node;
        }
        let hash = (node ^ callers.rotate_left(16)).wrapping_mul(0x9e37_79b9) >> (u32::BITS - CACHE);
        if let Some((c, n, place)) = self.cache.get(hash as usize)
            && (*c, *n) == (callers, node)
        {
            return *place;
        }
        let place = self.below(calls, callers, node);
        if let Some(entry) = self.cache.get_mut(hash as usize) {
            *entry = (callers, node, place);
        }
        place
    }

    /// The path to a node of the store, prefixed with `callers`.
    #[cold]
    fn below(&mut self, calls: &CallTree, callers: Place, node: NodeId) -> Place {
        // Up to a node whose path is known, and down again.
        let mut way = Vec::new();
        let mut up = node;
        let mut place = loop {
            if up == ROOT {
                break callers;
            }
            if let Some(known) = self.memo.get(&(callers, up)) {
                break *known;
            }
            way.push(up);
            up = calls.parent(up);
        };
        for node in way.into_iter().rev() {
            place = self.child(calls, place, calls.name(node));
            self.memo.insert((callers, node), place);
        }
        place
    }

    /// The node for a call of `name` from `parent`, added if neither the store nor the scan has it.
    fn child(&mut self, calls: &CallTree, parent: Place, name: u32) -> Place {
        // Nodes that the store added after the scan was planned are not part of it.
        if parent < self.base
            && let Some(known) = calls.find_child(parent, name).filter(|known| *known < self.base)
        {
            return known;
        }
        if self.added.len() >= MAX_NODES {
            return parent;
        }
        let next = self.base + self.added.len() as Place;
        let child = *self.children.entry((parent, name)).or_insert(next);
        if child == next {
            self.added.push(Node { name, parent });
        }
        child
    }

    /// The store's nodes and the added ones as one tree.
    pub(super) fn tree<'a>(&'a self, calls: &'a CallTree) -> PathTree<'a> {
        PathTree { calls, paths: self }
    }
}

/// A call tree over places.
#[derive(Clone, Copy)]
pub(super) struct PathTree<'a> {
    calls: &'a CallTree,
    paths: &'a Paths,
}

impl PathTree<'_> {
    /// The name of a node; `u32::MAX` for the root.
    #[inline]
    pub(super) fn name(&self, place: Place) -> u32 {
        match place.checked_sub(self.paths.base) {
            None => self.calls.name(place),
            Some(added) => self.paths.added.get(added as usize).map_or(u32::MAX, |node| node.name),
        }
    }

    /// The caller of a node. The root's parent is the root.
    #[inline]
    pub(super) fn parent(&self, place: Place) -> Place {
        match place.checked_sub(self.paths.base) {
            None => self.calls.parent(place),
            Some(added) => self.paths.added.get(added as usize).map_or(ROOT, |node| node.parent),
        }
    }
}

/// Names of the callers that are missing from the paths of a track's slices, innermost first.
fn missing_callers(track: &Track) -> &[u32] {
    if track.def.stacking == Stacking::Nested { track.before() } else { &[] }
}

/// The distance of each node from the root.
fn distances(calls: &CallTree) -> Vec<u32> {
    let mut distances: Vec<u32> = vec![0];
    for node in 1..calls.len() {
        // A caller has a lower number than its callees.
        let caller = distances.get(calls.parent(node as NodeId) as usize).copied().unwrap_or(0);
        distances.push(caller + 1);
    }
    distances
}
