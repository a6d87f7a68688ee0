//! Kinds of problems that only BAP frames traces have.

unspool_trace::problem_kinds! {
    /// A complete frame is of an unknown kind or lacks a required field. `value`: its length in
    /// bytes.
    UNKNOWN_RECORD = ProblemKind::serious(
        "unknown-record",
        "a frame of {value} byte{|s} is of an unknown kind or lacks a required field; skipped",
        "{count} frame{|s} of an unknown kind or without a required field",
    );

    /// The header's number of frames is wrong. `value`: that number.
    WRONG_COUNT = ProblemKind::remark(
        "wrong-count",
        "the header counts {value} frame{|s}, but the file has a different number",
        "the header's number of frames is wrong",
    );

    /// The table of contents does not fit the frames. `value`: the number of frames.
    BAD_TABLE = ProblemKind::remark(
        "bad-table",
        "the table of contents does not fit the {value} frame{|s} of the file; it was not needed",
        "the table of contents is wrong; it was not needed",
    );
}
