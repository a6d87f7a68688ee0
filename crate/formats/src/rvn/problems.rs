//! Kinds of problems that only REVEN block databases have. Their positions are transitions.

unspool_trace::problem_kinds! {
    /// A database with the tables of 2020, which lack some of the current ones. `value`: the date
    /// of its schema, such as 20201023.
    OLD_SCHEMA = ProblemKind::remark(
        "old-schema",
        "the database has the tables of {date}, which current REVEN readers refuse; what it has is shown",
        "the database has the tables of 2020",
    );

    /// A database without metadata. `value`: unused, 0.
    NO_METADATA = ProblemKind::remark(
        "no-metadata",
        "the database has no metadata to identify it; it was read as a block trace with current tables",
        "the database has no metadata",
    );

    /// A database that was written through a write-ahead log, which is not there. `value`:
    /// unused, 0.
    WITHOUT_LOG = ProblemKind::remark(
        "without-log",
        "the database was written through a write-ahead log; if a file of the same name with -wal lies beside it, open both together, or the newest transitions are missing",
        "the write-ahead log of the database is not open",
    );

    /// The first block does not stand for interrupts. `value`: unused, 0.
    NO_INTERRUPT_BLOCK = ProblemKind::serious(
        "no-interrupt-block",
        "the first block is not \"interrupt\": interrupts cannot be distinguished from other transitions, and other blocks are in doubt",
        "there is no block for interrupts",
    );

    /// The transition of a row is negative or less than the previous one. `value`: the transition,
    /// an `i64`.
    BAD_ROW = ProblemKind::serious(
        "bad-row",
        "invalid transition {signed}; row skipped",
        "{count} row{|s} without a valid transition",
    );

    /// An instruction begins outside of its block, or not after the previous one. `value`: the
    /// block's number, an `i64`.
    BAD_INDEX = ProblemKind::serious(
        "bad-index",
        "an instruction of block {signed} begins outside of the block, or not after the previous one; ignored",
        "{count} instruction{|s} outside of {its block|their blocks}",
    );

    /// A block is longer than what is kept of one. `value`: its number, an `i64`.
    LONG_BLOCK = ProblemKind::serious(
        "long-block",
        "block {signed} is too long to be kept whole; only its first bytes were kept",
        "{count} block{|s} too long to be kept whole",
    );

    /// A run of a block that the database does not have; reported once. `value`: the block's
    /// number, an `i64`.
    NO_BLOCK = ProblemKind::serious(
        "no-block",
        "block {signed} was executed here, but the database has no such block",
        "blocks were executed that the database does not have",
    );
}
