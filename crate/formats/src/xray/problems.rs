//! Kinds of problems that only XRay logs have.

unspool_trace::problem_kinds! {
    /// A buffer ends inside a record. `value`: the number of bytes of the record that it has.
    CUT_BUFFER = ProblemKind::serious(
        "cut-buffer",
        "the buffer ends {value} byte{|s} into a record (LLVM's writer omits 16 bytes for each typed event)",
        "{count} buffer{|s} end{s|} inside a record",
    );

    /// The next records overwrote the payload of an event, as with writers of 2017 and 2018.
    /// `value`: the length of the payload in bytes.
    OVERWRITTEN_PAYLOAD = ProblemKind::serious(
        "overwritten-payload",
        "the next records overwrote the event's payload of {value} byte{|s}; they and the event may be wrong",
        "{count} event{|s} whose payload was overwritten by the writer of the log",
    );

    /// A buffer has no clock before its first record. `value`: always 0.
    BAD_PREAMBLE = ProblemKind::serious(
        "bad-preamble",
        "the buffer has no clock before this record; it continues at the time of the thread's previous buffer",
        "{count} buffer{|s} without a clock before the first record",
    );

    /// An argument does not belong to the previous record. `value`: the argument.
    STRAY_ARGUMENT = ProblemKind::serious(
        "stray-argument",
        "the argument {hex} does not belong to the previous record",
        "{count} argument{|s} without a call",
    );

    /// A buffer begins inside the previous one. `value`: the number of bytes by which the previous
    /// buffer is shorter than its extents.
    WRONG_EXTENTS = ProblemKind::serious(
        "wrong-extents",
        "the next buffer begins here, {value} byte{|s} before the end that the previous buffer's extents give",
        "{count} buffer{|s} shorter than {its|their} extents say",
    );

    /// A record of a basic log that is in it already, byte for byte: as where a process that forked
    /// has written what its parent had not written yet, and the parent wrote it, too. `value`:
    /// always 1.
    COPIED_RECORD = ProblemKind::remark(
        "copied-record",
        "the log has this record of the thread already, as where a process that forked wrote its parent's records, too",
        "{count} duplicate record{|s} counted once. A forked process may write its parent's records again",
    );

    /// A buffer that the log has already, because a thread held a buffer when the log was written.
    /// `value`: absolute offset of the earlier one.
    COPIED_BUFFER = ProblemKind::remark(
        "copied-buffer",
        "the buffer repeats the one at byte {value}, and is left out: the writer wrote it twice, because a thread was still using it",
        "{count} buffer{|s} that the log has twice {was|were} left out",
    );
}
