//! The part of the records of a trace that is printed.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// Whether a name is wanted.
pub type IsNamed = Box<dyn Fn(&str) -> bool>;

/// The part of the records that is printed: those for which all conditions hold.
#[derive(Default)]
pub struct Part {
    /// Positions, both ends included: numbers of calls, frames or points, ticks of the clock, or
    /// transitions.
    pub positions: Option<(u64, u64)>,
    /// Frames of a graphics trace, both ends included, counted from 0.
    pub frames: Option<(u64, u64)>,
    /// Names of functions or statements.
    pub name: Option<IsNamed>,
    /// Id of the thread.
    pub thread: Option<u64>,
    /// The contents of the blobs of printed calls, if they are wanted. The caller takes them after
    /// each portion.
    pub blobs: Option<Vec<Blob>>,
    /// Number of records that were printed.
    pub printed: u64,
    /// No further record belongs to it: the rest of the file need not be read.
    pub is_over: bool,
}

/// The contents of a blob of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Number of the call.
    pub call: u64,
    /// Name of the argument that it is in; `None` for the return value.
    pub argument: Option<String>,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl Part {
    /// Whether the record at this position can belong to it.
    pub fn has_position(&self, position: u64) -> bool {
        self.positions.is_none_or(|(from, to)| from <= position && position <= to)
    }

    /// Whether a record that lasts from `begin` to before `end` can belong to it.
    pub fn overlaps(&self, begin: u64, end: u64) -> bool {
        self.positions.is_none_or(|(from, to)| begin <= to && from < end.max(begin.saturating_add(1)))
    }

    /// Whether all records from this position on come after it.
    pub fn ends_before(&self, position: u64) -> bool {
        self.positions.is_some_and(|(_, to)| to < position)
    }

    /// Whether a record of this frame can belong to it.
    pub fn has_frame(&self, frame: u64) -> bool {
        self.frames.is_none_or(|(from, to)| from <= frame && frame <= to)
    }

    /// Whether all records from this frame on come after it.
    pub fn ends_before_frame(&self, frame: u64) -> bool {
        self.frames.is_some_and(|(_, to)| to < frame)
    }

    /// Whether a record with this name can belong to it; `None` for a record without one.
    pub fn has_name(&self, name: Option<&str>) -> bool {
        self.name.as_ref().is_none_or(|is_wanted| name.is_some_and(is_wanted))
    }

    /// Whether a record of this thread can belong to it; `None` for a record without one.
    pub fn has_thread(&self, thread: Option<u64>) -> bool {
        self.thread.is_none_or(|wanted| thread == Some(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_without_conditions_has_all() {
        let all = Part::default();
        assert!(all.has_position(u64::MAX) && all.overlaps(0, 0) && all.has_frame(7));
        assert!(all.has_name(None) && all.has_thread(None) && !all.ends_before(u64::MAX));
    }

    #[test]
    fn both_ends_belong_to_a_part() {
        let part = Part { positions: Some((5, 9)), frames: Some((2, 2)), ..Part::default() };
        assert_eq!([4, 5, 9, 10].map(|at| part.has_position(at)), [false, true, true, false]);
        assert_eq!(
            [(0, 5), (0, 6), (9, 12), (10, 12), (5, 5)].map(|(a, b)| part.overlaps(a, b)),
            [false, true, true, false, true]
        );
        assert!(!part.ends_before(9) && part.ends_before(10));
        assert!(part.has_frame(2) && !part.has_frame(3) && part.ends_before_frame(3));
    }

    #[test]
    fn records_without_a_name_or_thread_do_not_match_one() {
        let part = Part { name: Some(Box::new(|name| name == "f")), thread: Some(3), ..Part::default() };
        assert!(part.has_name(Some("f")) && !part.has_name(Some("g")) && !part.has_name(None));
        assert!(part.has_thread(Some(3)) && !part.has_thread(None));
    }
}
