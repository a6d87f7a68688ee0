//! Slices: as a column stores them, and while they are open.

use unspool_trace::Locator;

use crate::call_tree::NodeId;

/// A slice as a column returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Absolute position, in ticks.
    pub start: u64,
    /// Absolute position, in ticks; at least `start`.
    pub end: u64,
    /// Call-tree node.
    pub node: NodeId,
    /// Bits of [`unspool_trace::batch::flags`].
    pub flags: u8,
    /// Where to decode its record from, as its format defines it.
    pub locator: Locator,
}

/// A slice that has not ended yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) start: u64,
    pub(crate) node: NodeId,
    pub(crate) locator: Locator,
    pub(crate) depth: i32,
    pub(crate) name: u32,
    /// Flags that are known so far.
    pub(crate) flags: u8,
}
