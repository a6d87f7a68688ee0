//! Which function was called from where.

use hashbrown::HashMap;
use unspool_trace::kept;

/// Number of a node. Its upper four bits are always 0, so that blocks can keep a slice's flags
/// there.
pub type NodeId = u32;

/// The parent of all outermost calls. It has no name.
pub const ROOT: NodeId = 0;

/// Largest number of nodes.
pub(crate) const MAX_NODES: usize = 1 << 28;

/// Nodes that calls make at most: in the page as many as a table of 2^23 places holds. A billion
/// slices, their nodes and all statistics of them took 3.4 GB there. With four times as many nodes
/// there were no statistics of the whole: they did not fit beside the slices.
const MOST_NODES: usize = if cfg!(target_pointer_width = "32") { 7 << 20 } else { MAX_NODES };

const LAST_NODE: NodeId = MAX_NODES as NodeId - 1;

/// The call tree of a whole trace, shared by its tracks. A slice refers to its node, and the node
/// to its name and caller, so the flame graph of a range is one scan over slices, without
/// rebuilding stacks.
#[derive(Debug)]
pub struct CallTree {
    nodes: Vec<Node>,
    children: HashMap<(NodeId, u32), NodeId>,
    /// Nodes of outermost calls by name. On a track where nothing nests, such as a lane of blocks,
    /// every slice looks one up.
    outermost: Vec<NodeId>,
    /// Most nodes.
    most: usize,
    /// Whether there were calls without a node of their own.
    is_full: bool,
}

/// Names above this are looked up among the children of the root instead.
const MOST_OUTERMOST: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct Node {
    name: u32,
    parent: NodeId,
    /// The child that was asked for last: calls in loops find it here.
    recent: NodeId,
}

impl Default for CallTree {
    fn default() -> Self {
        let root = Node { name: u32::MAX, parent: ROOT, recent: ROOT };
        Self { nodes: vec![root], children: HashMap::new(), outermost: Vec::new(), most: MOST_NODES, is_full: false }
    }
}

impl CallTree {
    /// How many nodes there are, including the root.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of memory that it takes besides its root.
    pub(crate) fn bytes(&self) -> usize {
        let table = kept::table::<((NodeId, u32), NodeId)>(self.children.capacity()) as usize;
        (self.nodes.capacity() - 1) * size_of::<Node>() + table + self.outermost.capacity() * size_of::<NodeId>()
    }

    /// Always false: there is a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether calls were attributed to their callers, because there are too many nodes.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The name of a node. `u32::MAX` for the root.
    #[inline]
    pub fn name(&self, node: NodeId) -> u32 {
        self.nodes.get(node as usize).map_or_else(|| LAST_NODE.wrapping_sub(node), |n| n.name)
    }

    /// A number that is not a node of any tree but has a name. Slices of derived tracks may be
    /// named by what is not a function, such as a thread. Names and nodes together are fewer than
    /// [`MAX_NODES`].
    pub(crate) fn apart(name: u32) -> NodeId {
        LAST_NODE.saturating_sub(name)
    }

    /// The caller of a node. The root's parent is the root.
    #[inline]
    pub fn parent(&self, node: NodeId) -> NodeId {
        self.nodes.get(node as usize).map_or(ROOT, |n| n.parent)
    }

    /// For each node, whether it has a name.
    #[inline(never)]
    pub(crate) fn with_name(&self, name: u32) -> Vec<bool> {
        self.nodes.iter().map(|node| node.name == name).collect()
    }

    /// For each of `names` names, whether a call of it has a caller.
    #[inline(never)]
    pub(crate) fn called(&self, names: usize) -> Vec<bool> {
        let mut called = vec![false; names];
        for node in self.nodes.iter().filter(|node| node.parent != ROOT) {
            if let Some(called) = called.get_mut(node.name as usize) {
                *called = true;
            }
        }
        called
    }

    /// For each node, what `by_name` has for its name. 0 for the root.
    #[inline(never)]
    pub(crate) fn by_node(&self, by_name: &[u8]) -> Vec<u8> {
        self.nodes.iter().map(|node| by_name.get(node.name as usize).copied().unwrap_or(0)).collect()
    }

    /// The node for calls of `name` from `parent`, if it exists.
    pub(crate) fn find_child(&self, parent: NodeId, name: u32) -> Option<NodeId> {
        self.children.get(&(parent, name)).copied()
    }

    /// The node for a call of `name` from `parent`, created if it is new. Beyond [`MOST_NODES`],
    /// calls are attributed to their caller.
    #[inline]
    pub(crate) fn child(&mut self, parent: NodeId, name: u32) -> NodeId {
        let recent = self.nodes.get(parent as usize).map_or(ROOT, |n| n.recent);
        if recent != ROOT && self.name(recent) == name {
            return recent;
        }
        if parent == ROOT
            && let Some(known) = self.outermost.get(name as usize).filter(|known| **known != ROOT)
        {
            return *known;
        }
        self.other_child(parent, name)
    }

    fn other_child(&mut self, parent: NodeId, name: u32) -> NodeId {
        let next = self.nodes.len();
        if next >= self.most {
            let known = self.find_child(parent, name);
            self.is_full |= known.is_none();
            return known.unwrap_or(parent);
        }
        let child = *self.children.entry((parent, name)).or_insert(next as NodeId);
        if child as usize == next {
            self.nodes.push(Node { name, parent, recent: ROOT });
        }
        if let Some(parent) = self.nodes.get_mut(parent as usize) {
            parent.recent = child;
        }
        let name = name as usize;
        if parent == ROOT && name < MOST_OUTERMOST {
            if self.outermost.len() <= name {
                self.outermost.resize(name + 1, ROOT);
            }
            if let Some(slot) = self.outermost.get_mut(name) {
                *slot = child;
            }
        }
        child
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_without_room_for_a_node_are_their_callers() {
        let mut tree = CallTree { most: 3, ..CallTree::default() };
        let a = tree.child(ROOT, 7);
        let b = tree.child(a, 8);
        assert!(!tree.is_full());
        assert_eq!((tree.child(ROOT, 7), tree.child(a, 8)), (a, b), "nodes that there are stay");
        assert!(!tree.is_full());
        assert_eq!((tree.child(b, 9), tree.child(a, 8), tree.is_full()), (b, b, true));
    }

    #[test]
    fn a_call_path_has_one_node() {
        let mut tree = CallTree::default();
        let main = tree.child(ROOT, 7);
        let a = tree.child(main, 1);
        let b = tree.child(main, 2);
        assert_eq!(tree.child(main, 1), a);
        assert_eq!(tree.child(main, 2), b);
        assert_ne!(tree.child(ROOT, 1), a, "the same function from elsewhere");
        assert_eq!((tree.name(a), tree.parent(a), tree.parent(main)), (1, main, ROOT));
        assert_eq!(tree.len(), 5);
        assert_eq!((tree.find_child(main, 2), tree.find_child(ROOT, 7)), (Some(b), Some(main)));
        assert_eq!(tree.find_child(a, 2), None);
    }
}
