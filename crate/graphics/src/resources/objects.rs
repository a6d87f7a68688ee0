//! What is bound in a context.

use hashbrown::HashMap;
use unspool_gl::gl;
use unspool_gl::pixels::PixelStore;

use super::Kind;

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
    /// An image unit.
    Image {
        unit: u32,
        /// Shaders may write to it.
        is_written: bool,
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
    /// Draws so far.
    draws: Series,
    /// Draws and clears.
    writes: Series,
    /// What is bound: the resource, and the number of draws when it was, or of draws and clears for
    /// what is drawn to.
    slots: HashMap<Slot, (u32, u64)>,
    /// What was bound since the latest draw.
    fresh: Vec<(Slot, u32)>,
    /// The buffers of vertex arrays that are not bound, by vertex array and slot.
    arrays: HashMap<u32, Vec<(Slot, u32)>>,
}

/// Calls of a kind: how many there were, and the latest one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Series {
    pub(super) count: u64,
    pub(super) last: u64,
}

impl Series {
    fn add(&mut self, call: u64) {
        (self.count, self.last) = (self.count + 1, call);
    }
}

impl Context {
    pub(super) fn new(group: u32, own: u32) -> Self {
        Self { group, own, ..Self::default() }
    }

    /// Where names of a kind belong. Numbers of contexts and of groups are the same series, and
    /// kinds are either of the one or of the other.
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
            gl::ELEMENT_ARRAY_BUFFER => self.get(Slot::Elements),
            _ => self.get(Slot::Buffer { target, index: None }),
        }
    }

    /// The buffers that are bound to the indices of these targets, and images that are written
    /// where storage buffers are.
    pub(super) fn indexed(&self, targets: [u32; 2]) -> Vec<u32> {
        let of = |(slot, (at, _)): (&Slot, &(u32, u64))| match slot {
            Slot::Buffer { target, index: Some(_) } if targets.contains(target) => Some(*at),
            Slot::Image { is_written: true, .. } if targets.contains(&gl::SHADER_STORAGE_BUFFER) => Some(*at),
            _ => None,
        };
        self.slots.iter().filter_map(of).collect()
    }

    /// The calls that use what is bound to a slot. Clears look at no texture or buffer.
    pub(super) fn used(&self, slot: Slot) -> Series {
        if slot == Slot::Drawn { self.writes } else { self.draws }
    }

    /// A call draws or clears. Returns what it is the first to use since that was bound.
    pub(super) fn drawn(&mut self, call: u64, clears: bool) -> Vec<(Slot, u32)> {
        self.writes.add(call);
        if !clears {
            self.draws.add(call);
            return core::mem::take(&mut self.fresh);
        }
        self.fresh.extract_if(.., |(slot, _)| *slot == Slot::Drawn).collect()
    }

    pub(super) fn put(&mut self, slot: Slot, at: u32) {
        self.slots.insert(slot, (at, self.used(slot).count));
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
            Some(at) => drop(self.slots.insert(slot, (at, self.used(slot).count))),
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
