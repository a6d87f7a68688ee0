//! Shapes: recognise an event that differs from an earlier one of its function in values only.
//!
//! Most calls of a function have the same tags, ids and lengths at the same places. Comparing a few
//! words then replaces the walk over the values. Which bits are compared is noted while the skimmer
//! takes an event:
//!
//! ```text
//! event   00 00 41  01 00 05 cd cc cc 3d  01 01 04 96 01  00     ENTER, thread 0, function 0x41, a float and a number
//! mask    ff 80 ff  ff ff ff 00 00 00 00  ff ff ff 80 80  ff     ff: the same byte; 80: as long a number; 00: any byte
//! ```
//!
//! A shape remains valid: an id that was known when the shape was learned stays known.

use alloc::vec::Vec;

use super::wire;

/// Longest event with a shape, in bytes. A matrix of 16 floats takes 90.
pub(super) const LONGEST: usize = 128;
/// Functions whose index is higher have no shapes.
const MOST: usize = 1 << 12;
/// Most misses before another shape is learned.
const PATIENCE: u16 = 64;

/// The bits that are compared, for each byte of an event.
pub(super) type Mask = [u8; LONGEST];

/// The shape of the ENTER events of a function. Without words until one is learned.
#[derive(Debug, Default)]
struct Shape {
    /// Eight bytes of the event each, and the bits of them that are compared.
    words: Vec<(u64, u64)>,
    len: usize,
    /// Bytes in blobs.
    blobs: u64,
    /// Events of another shape since the latest one was learned.
    misses: u16,
    patience: u16,
}

/// The latest shape of each function, by the index of its signature.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    functions: Vec<Shape>,
    leave: Leave,
}

impl Shapes {
    /// If `bytes` begin with an event of this function's shape, its length and the number of bytes
    /// in its blobs.
    #[inline]
    pub(super) fn matching(&self, function: u32, bytes: &[u8]) -> Option<(usize, u64)> {
        let shape = self.functions.get(function as usize).filter(|shape| shape.len > 0)?;
        let words = bytes.as_chunks::<8>().0.get(..shape.words.len())?;
        let mut differ = 0;
        for (bytes, (word, mask)) in words.iter().zip(&shape.words) {
            differ |= (u64::from_le_bytes(*bytes) ^ word) & mask;
        }
        (differ == 0).then_some((shape.len, shape.blobs))
    }

    /// Notes that an event of this function has another shape. Returns whether to learn that one.
    /// Learning costs as much as taking the event, so it is done at once and then ever more rarely.
    #[cold]
    pub(super) fn miss(&mut self, function: u32) -> bool {
        let i = function as usize;
        if i >= self.functions.len() && i < MOST {
            self.functions.resize_with(i + 1, Shape::default);
        }
        let Some(shape) = self.functions.get_mut(i) else { return false };
        shape.misses += 1;
        if shape.misses <= shape.patience {
            return false;
        }
        (shape.misses, shape.patience) = (0, (shape.patience * 2 + 1).min(PATIENCE));
        true
    }

    /// Makes the shape of `event` that of the function, unless it is too long. The function must
    /// have missed one.
    #[cold]
    pub(super) fn learn(&mut self, function: u32, event: &[u8], mask: &Mask, blobs: u64) {
        let Some(shape) = self.functions.get_mut(function as usize) else { return };
        let (mut bytes, mut bits) = ([0; LONGEST], *mask);
        let (Some(head), Some(rest)) = (bytes.get_mut(..event.len()), bits.get_mut(event.len()..)) else { return };
        head.copy_from_slice(event);
        rest.fill(0);
        let words = bytes.as_chunks().0.iter().zip(bits.as_chunks().0).take(event.len().div_ceil(8));
        shape.words.clear();
        shape.words.extend(words.map(|(bytes, bits)| (u64::from_le_bytes(*bytes), u64::from_le_bytes(*bits))));
        (shape.len, shape.blobs) = (event.len(), blobs);
    }

    /// If `bytes` begin with the LEAVE event of this call and it has no details, its length.
    #[inline]
    pub(super) fn plain_leave(&mut self, call: u64, bytes: &[u8]) -> Option<usize> {
        let leave = &mut self.leave;
        if call == leave.call.wrapping_add(1) && call & 0x7f != 0 {
            // The lowest seven bits are in the second byte.
            (leave.call, leave.word) = (call, leave.word + 0x100);
        } else {
            *leave = Leave::of(call);
        }
        let head = u64::from_le_bytes(*bytes.first_chunk()?);
        (leave.len <= 8 && (head ^ leave.word) & leave.mask == 0).then_some(leave.len)
    }
}

/// A LEAVE event without details, as it is written.
#[derive(Debug)]
struct Leave {
    call: u64,
    /// Its bytes, and which of the word's are its.
    word: u64,
    mask: u64,
    /// `usize::MAX` if the event is longer than the word.
    len: usize,
}

impl Default for Leave {
    fn default() -> Self {
        Self::of(0)
    }
}

impl Leave {
    #[cold]
    fn of(call: u64) -> Self {
        let (mut word, mut left, mut bits) = (u64::from(wire::LEAVE), call, 8);
        while left >= 0x80 && bits < 48 {
            word |= (left & 0x7f | 0x80) << bits;
            (left, bits) = (left >> 7, bits + 8);
        }
        let len = if left < 0x80 { bits / 8 + 2 } else { usize::MAX };
        // Its last byte, DETAIL_END, is 0.
        Self { call, word: word | left << bits, mask: u64::MAX >> (48 - bits), len }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::super::wire::put_uint;
    use super::*;

    /// Shapes with one of function 3, which is that of `event`.
    fn learned(event: &[u8], varies: &[(usize, u8)], blobs: u64) -> Shapes {
        let (mut shapes, mut mask) = (Shapes::default(), [0xff; LONGEST]);
        varies.iter().for_each(|(at, bits)| mask[*at] = *bits);
        assert!(shapes.miss(3));
        shapes.learn(3, event, &mask, blobs);
        shapes
    }

    #[test]
    fn an_event_of_a_shape_differs_in_values_only() {
        let event = [0, 0, 3, 1, 0, 4, 0x96, 0x01, 0];
        let shapes = learned(&event, &[(1, 0x80), (6, 0x80), (7, 0x80)], 5);
        let matching = |bytes: &[u8]| shapes.matching(3, &[bytes, &[9; 7]].concat());
        assert_eq!(matching(&event), Some((9, 5)));
        assert_eq!(matching(&[0, 2, 3, 1, 0, 4, 0xff, 0x7f, 0]), Some((9, 5)));
        for (other, why) in [
            ([0, 0, 3, 1, 0, 4, 0x96, 0x81, 0], "a longer number"),
            ([0, 0, 3, 1, 0, 4, 0x16, 0x01, 0], "a shorter number"),
            ([0, 0, 3, 1, 0, 3, 0x96, 0x01, 0], "another tag"),
            ([0, 0, 3, 1, 0, 4, 0x96, 0x01, 2], "more details"),
        ] {
            assert_eq!(matching(&other), None, "{why}");
        }
        assert_eq!(shapes.matching(3, &event), None, "the last word is incomplete");
        assert_eq!(shapes.matching(2, &[0; 16]), None, "none was learned");
    }

    #[test]
    fn long_events_and_high_numbers_have_no_shape() {
        let bytes = vec![0; LONGEST + 8];
        assert_eq!(learned(&bytes[..LONGEST], &[], 0).matching(3, &bytes), Some((LONGEST, 0)));
        assert_eq!(learned(&bytes[..=LONGEST], &[], 0).matching(3, &bytes), None);
        let mut shapes = Shapes::default();
        assert!(shapes.miss(MOST as u32 - 1) && !shapes.miss(MOST as u32));
    }

    #[test]
    fn shapes_that_change_are_learned_ever_more_rarely() {
        let mut shapes = Shapes::default();
        let learned: Vec<u32> = (0..1000).filter(|_| shapes.miss(0)).collect();
        assert_eq!(learned[..7], [0, 2, 6, 14, 30, 62, 126]);
        assert_eq!(learned.len(), 7 + (999 - 126) / 65);
    }

    #[test]
    fn ends_without_details_are_recognised() {
        let calls = (0..300).chain([1 << 14, 5, 6, (1 << 42) - 2, (1 << 42) - 1]);
        let mut shapes = Shapes::default();
        for call in calls {
            let mut event = vec![wire::LEAVE];
            put_uint(&mut event, call);
            let at = event.len();
            event.extend([wire::DETAIL_END; 8]);
            assert_eq!(shapes.plain_leave(call, &event), Some(at + 1), "{call}");
            assert_eq!(shapes.plain_leave(call, &event[..7]), None, "fewer bytes than a word");
            event[at] = wire::DETAIL_RET;
            assert_eq!(shapes.plain_leave(call, &event), None, "{call} with a result");
            event[at] = wire::DETAIL_END;
            event[1] ^= 1;
            assert_eq!(shapes.plain_leave(call, &event), None, "another call");
        }
        // Seven bytes, and zeros after them.
        assert_eq!(shapes.plain_leave(1 << 42, &[1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0, 0]), None);
    }
}
