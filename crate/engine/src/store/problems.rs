//! Kinds of problems that occur when events of any format are put on their tracks.

unspool_trace::problem_kinds! {
    /// The clock of a track went back. `value`: by how many ticks.
    CLOCK_WENT_BACK = ProblemKind::serious(
        "clock-went-back",
        "the clock went back by {value} tick{|s}; shown at the time of the previous event",
        "the clock of a thread went back {count} time{|s}",
    );

    /// An end whose begin is not in the recording. `value`: the number of the name.
    EXIT_WITHOUT_ENTER = ProblemKind::remark(
        "exit-without-enter",
        "an exit without an enter: the call began before the recording",
        "{count} exit{|s} without an enter: {the call|the calls} began before the recording",
    );

    /// An end whose begin is not in the recording, although records of its track come before.
    /// `value`: the number of the name.
    ENTER_LOST = ProblemKind::serious(
        "enter-lost",
        "an exit without an enter, within calls that were recorded: its enter was lost",
        "{count} exit{|s} without an enter within calls that were recorded: records before {it|them} were lost",
    );

    /// A caller ends before calls that it made. `value`: how many of them were still open.
    END_INFERRED = ProblemKind::remark(
        "end-inferred",
        "{value} call{ was|s were} still open when {its|their} caller returned; shown as ending with it, and uncertain with all within",
        "{sum} call{ was|s were} still open when {its|their} caller returned",
    );

    /// A call is made that open calls cannot have made, as the program says, and these have no
    /// ends. `value`: how many they are.
    LEFT_WITHOUT_EXIT = ProblemKind::remark(
        "left-without-exit",
        "{value} call{ was|s were} left by a jump or an exception: the next call cannot be {its|theirs}, as the program says",
        "{sum} call{ was|s were} left by a jump or an exception: the program says which calls are impossible",
    );

    /// Slices cannot be moved to disk any more. `value`: how many there were by then.
    DISK_IS_FULL = ProblemKind::remark(
        "disk-is-full",
        "the disk is full or too slow for more than {value} slice{|s}; the rest is kept in memory",
        "the disk is full or too slow for all slices; the rest is kept in memory",
    );

    /// There are more call paths than can be numbered. `value`: how many.
    TOO_MANY_PATHS = ProblemKind::serious(
        "too-many-paths",
        "the trace has more than the {value} call path{|s} that can be told apart; further calls count as their callers'",
        "the trace has more call paths than can be told apart; further calls count as their callers'",
    );

    /// There are more slices than can be numbered. `value`: how many.
    TOO_MANY_SLICES = ProblemKind::serious(
        "too-many-slices",
        "the trace has more than the {value} slice{|s} that can be numbered; the rest was not read",
        "the trace has more slices than can be numbered; the rest was not read",
    );

    /// The trace does not fit into memory. `value`: how many slices would.
    OUT_OF_ROOM = ProblemKind::serious(
        "out-of-room",
        "the trace is larger than memory allows, which has room for {value} slice{|s}; the rest was not read",
        "the trace is larger than memory allows; the rest was not read",
    );
}

/// Whether what follows a problem of this kind was not read although it is in the file: a limit
/// ended the reading.
pub(crate) fn is_limit(kind: &unspool_trace::ProblemKind) -> bool {
    kind.offers_to_go_on() || kind == &OUT_OF_ROOM || kind == &TOO_MANY_SLICES
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use unspool_formats::FORMATS;
    use unspool_trace::{Problem, ProblemKind, problem};

    use super::*;

    fn every_kind() -> impl Iterator<Item = &'static ProblemKind> {
        let tables = FORMATS.iter().map(|format| format.problems).chain([
            problem::KINDS,
            unspool_stacks::problems::KINDS,
            KINDS,
        ]);
        tables.flat_map(|kinds| kinds.iter().copied())
    }

    #[test]
    fn every_kind_has_a_unique_id() {
        let mut ids = BTreeSet::new();
        for kind in every_kind() {
            let id = kind.id();
            assert!(ids.insert(id), "{id} stands for two kinds");
            assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{id}");
        }
        assert!(FORMATS.iter().all(|format| !format.problems.is_empty()));
    }

    #[test]
    fn every_kind_renders() {
        for kind in every_kind() {
            for number in [0, 1, 2, u64::MAX] {
                for text in
                    [Problem { at: 0, kind, value: number }.to_string(), kind.summary(number, number).to_string()]
                {
                    assert!(!text.is_empty() && !text.contains(['{', '}', '|']), "{kind:?}: {text}");
                    assert!(!text.contains("  ") && !text.ends_with('.') && !text.contains("1 bytes"), "{text}");
                }
            }
        }
    }

    #[test]
    fn calls_that_end_together_are_counted() {
        assert_eq!(END_INFERRED.summary(2, 1342).to_string(), "1,342 calls were still open when their caller returned");
        assert_eq!(END_INFERRED.summary(1, 1).to_string(), "1 call was still open when its caller returned");
    }
}
