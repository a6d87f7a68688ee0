//! What is bound in a context.

use hashbrown::HashMap;

use super::{ELEMENT_ARRAY_BUFFER, Kind};
use crate::images::PixelStore;

/// A place where a resource is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Texture {
        unit: u32,
        target: u32,
    },
    Sampler(u32),
    Program,
    VertexArray,
    /// A buffer that vertices are taken from.
    Attribute(u32),
    /// The buffer that indices are taken from.
    Elements,
    /// Any other binding of a buffer.
    Buffer {
        target: u32,
        index: Option<u32>,
    },
    /// The framebuffer that is drawn to.
    Drawn,
    /// The framebuffer that is read from.
    Read,
    Renderbuffer,
    Query(u32),
}

impl Slot {
    /// Whether draws use what is bound there.
    pub(super) fn is_drawn(self) -> bool {
        !matches!(self, Self::Buffer { index: None, .. } | Self::Read | Self::Renderbuffer)
    }
}

/// A context.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// The contexts that it shares objects with.
    pub(super) group: u32,
    /// Its own number.
    own: u32,
    pub(super) unit: u32,
    pub(super) store: PixelStore,
    /// Number of draws so far, and the latest one.
    pub(super) draws: u64,
    pub(super) last_draw: u64,
    /// What is bound: the resource, and the number of draws when it was.
    slots: HashMap<Slot, (u32, u64)>,
    /// What was bound since the latest draw.
    fresh: Vec<(Slot, u32)>,
    /// The buffers of vertex arrays that are not bound, by vertex array and slot.
    arrays: HashMap<u32, Vec<(Slot, u32)>>,
}

impl Context {
    pub(super) fn new(group: u32, own: u32) -> Self {
        Self { group, own, ..Self::default() }
    }

    /// Where names of a kind belong. Numbers of contexts and of groups are the same series, and kinds are either of the one or of
    /// the other.
    pub(super) fn space_of(&self, kind: Kind) -> u32 {
        if kind.is_shared() { self.group } else { self.own }
    }

    pub(super) fn get(&self, slot: Slot) -> Option<u32> {
        self.slots.get(&slot).map(|(at, _)| *at)
    }

    pub(super) fn peek(&self, slot: Slot) -> Option<(u32, u64)> {
        self.slots.get(&slot).copied()
    }

    /// The buffer that is bound to a target.
    pub(super) fn buffer(&self, target: u32) -> Option<u32> {
        match target {
            ELEMENT_ARRAY_BUFFER => self.get(Slot::Elements),
            _ => self.get(Slot::Buffer { target, index: None }),
        }
    }

    pub(super) fn put(&mut self, slot: Slot, at: u32) {
        self.slots.insert(slot, (at, self.draws));
        if slot.is_drawn() {
            self.fresh.push((slot, at));
        }
    }

    pub(super) fn take(&mut self, slot: Slot) -> Option<(u32, u64)> {
        let taken = self.slots.remove(&slot);
        if taken.is_some() && !self.fresh.is_empty() {
            self.fresh.retain(|(other, _)| *other != slot);
        }
        taken
    }

    /// Binds without counting it.
    pub(super) fn replace(&mut self, slot: Slot, at: Option<u32>) {
        match at {
            Some(at) => drop(self.slots.insert(slot, (at, self.draws))),
            None => drop(self.slots.remove(&slot)),
        }
    }

    /// What is bound to a slot counts as bound since the latest draw.
    pub(super) fn refresh(&mut self, slot: Slot) {
        if let Some(at) = self.get(slot)
            && !self.fresh.iter().any(|(other, _)| *other == slot)
        {
            self.fresh.push((slot, at));
        }
    }

    pub(super) fn take_fresh(&mut self) -> Vec<(Slot, u32)> {
        core::mem::take(&mut self.fresh)
    }

    pub(super) fn all_slots(&self) -> Vec<Slot> {
        self.slots.keys().copied().collect()
    }

    pub(super) fn slots_of(&self, resource: u32) -> Vec<Slot> {
        self.slots.iter().filter(|(_, (at, _))| *at == resource).map(|(slot, _)| *slot).collect()
    }

    /// The slots that belong to the bound vertex array.
    pub(super) fn attribute_slots(&self) -> Vec<Slot> {
        let is_own = |slot: &&Slot| matches!(slot, Slot::Attribute(_) | Slot::Elements);
        self.slots.keys().filter(is_own).copied().collect()
    }

    /// Keeps a buffer of the bound vertex array for when that is bound again.
    pub(super) fn remember(&mut self, slot: Slot, buffer: u32) {
        let array = self.get(Slot::VertexArray).unwrap_or(u32::MAX);
        self.arrays.entry(array).or_default().push((slot, buffer));
    }

    /// Binds the buffers of a vertex array.
    pub(super) fn restore(&mut self, array: u32) {
        for (slot, buffer) in self.arrays.remove(&array).unwrap_or_default() {
            self.put(slot, buffer);
        }
    }
}
