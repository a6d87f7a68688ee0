//! Blocks of the file that are in memory.

use std::rc::Rc;

use super::super::block::Plain;

/// A cache of blocks that holds some bytes of them. The caller numbers uses: blocks of the latest
/// go last.
#[derive(Debug)]
pub(super) struct Ring {
    slots: Vec<Slot>,
    /// Slots without a block.
    free: Vec<u32>,
    hand: usize,
    bytes: usize,
    most: usize,
}

#[derive(Debug)]
struct Slot {
    /// Where the block is in the file. [`NOWHERE`] without one.
    at: u64,
    used: u64,
    block: Option<Rc<Plain>>,
}

pub(super) const NOWHERE: u64 = u64::MAX;

impl Ring {
    /// An empty cache. One block is kept even if it is larger than `most` bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { slots: Vec::new(), free: Vec::new(), hand: 0, bytes: 0, most }
    }

    /// Bytes of the blocks.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// The block that was put into this slot, if it is still that of `at`.
    #[inline]
    pub(super) fn get(&mut self, slot: u32, at: u64, now: u64) -> Option<&Rc<Plain>> {
        let slot = self.slots.get_mut(slot as usize).filter(|slot| slot.at == at)?;
        slot.used = now;
        slot.block.as_ref()
    }

    /// Puts a block into a slot. Others go to make room: first those that were not used in the
    /// latest `window` uses, and never those of use `now`. `None` if there is no room without
    /// these.
    pub(super) fn put(&mut self, at: u64, block: &Rc<Plain>, now: u64, window: u64) -> Option<u32> {
        let bytes = block.bytes();
        while self.bytes + bytes > self.most && self.len() > 0 {
            self.evict(now, window)?;
        }
        self.bytes += bytes;
        let slot = Slot { at, used: now, block: Some(Rc::clone(block)) };
        let place = self.free.pop().unwrap_or(self.slots.len() as u32);
        match self.slots.get_mut(place as usize) {
            Some(free) => *free = slot,
            None => self.slots.push(slot),
        }
        Some(place)
    }

    fn evict(&mut self, now: u64, window: u64) -> Option<()> {
        let slots = self.slots.len();
        for least in [window, 1] {
            for _ in 0..slots {
                let at = self.hand;
                self.hand = (at + 1) % slots;
                let Some(slot) = self.slots.get_mut(at).filter(|slot| slot.at != NOWHERE) else { continue };
                if now.saturating_sub(slot.used) >= least {
                    self.bytes -= slot.block.take().map_or(0, |block| block.bytes());
                    slot.at = NOWHERE;
                    self.free.push(at as u32);
                    return Some(());
                }
            }
        }
        None
    }
}
