//! Kinds of problems that only XRay logs have.

crate::problem_kinds! {
    /// A buffer ends in the middle of a record. `value`: how many bytes of the record it has.
    CUT_BUFFER = ProblemKind::serious(
        "cut-buffer",
        "the buffer ends {value} byte{|s} into a record (LLVM's writer forgets 16 bytes for each typed event)",
        "{count} buffer{|s} end{s|} in the middle of a record",
    );

    /// The payload of an event was overwritten by the next records, as writers of 2017 and 2018 do. `value`: the length of
    /// the payload in bytes.
    OVERWRITTEN_PAYLOAD = ProblemKind::serious(
        "overwritten-payload",
        "the event's payload of {value} byte{|s} was overwritten by the next records; they and the event are in doubt",
        "{count} event{|s} without payload: the writer of this log overwrote it",
    );

    /// A buffer does not begin with its thread and clock. `value`: 0, nothing to tell.
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

    /// A buffer begins inside the one before it. `value`: how many bytes the earlier buffer is shorter than its extents say.
    WRONG_EXTENTS = ProblemKind::serious(
        "wrong-extents",
        "the next buffer begins here, {value} byte{|s} before the end that the previous one gives in its extents",
        "{count} buffer{|s} shorter than {its|their} extents say",
    );
}
