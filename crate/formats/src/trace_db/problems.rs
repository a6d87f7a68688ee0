//! Kinds of problems that only trace-db traces have.

unspool_trace::problem_kinds! {
    /// The file ends, or becomes invalid, within a point. `value`: the number of the point.
    CUT_POINT = ProblemKind::serious(
        "cut-point",
        "point {value} is incomplete: the trace ends or breaks here",
        "the last point is not complete",
    );

    /// A point has more entries than are kept. `value`: how many were left out.
    ENTRIES_LEFT_OUT = ProblemKind::serious(
        "entries-left-out",
        "the point is too large to be kept whole; {value} entr{y|ies} {was|were} left out",
        "{count} point{|s} with too many entries to be kept whole",
    );

    /// There are more variables than tracks allowed. `value`: how many have a track.
    NOT_SHOWN = ProblemKind::remark(
        "not-shown",
        "only {value} variable{|s} {has a track|have tracks}; the details of points show this and all further ones",
        "too many variables to show all; the rest is in the details of points",
    );

    /// There are more source files than tracks allowed. `value`: how many have a track.
    FILES_NOT_SHOWN = ProblemKind::remark(
        "files-not-shown",
        "only {value} file{|s} {has a track|have tracks}; statements of further files are shown with those of no file",
        "too many files to show each on a track of its own",
    );

    /// There are more statements than names allowed. `value`: how many have a name.
    STATEMENTS_NOT_SHOWN = ProblemKind::remark(
        "statements-not-shown",
        "only {value} statement{|s} {has a name|have names}; this and all further ones are shown as \"another statement\"",
        "too many statements to show each by its name",
    );

    /// There are more buffers than are shown. `value`: how many are shown.
    BUFFERS_NOT_SHOWN = ProblemKind::remark(
        "buffers-not-shown",
        "only {value} buffer{|s} {is|are} shown; the details of points show this and all further ones",
        "too many buffers to show all; the rest is in the details of points",
    );

    /// There are more live buffers than are shown at a time. `value`: how many are shown at a time.
    LIVE_BUFFERS_NOT_SHOWN = ProblemKind::remark(
        "live-buffers-not-shown",
        "only {value} buffer{|s} {is|are} shown at a time; this one is in the details of points",
        "too many buffers at a time to show all; the rest is in the details of points",
    );
}
