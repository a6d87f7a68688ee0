//! Kinds of problems that only apitrace traces have.

unspool_trace::problem_kinds! {
    /// The file ends inside an event of a call. `value`: the number of the call.
    CUT_CALL = ProblemKind::serious(
        "cut-call",
        "the file ends in the middle of call {value}, which is shown as incomplete",
        "the file ends in the middle of a call",
    );

    /// The definitions have too many entries. `value`: the maximum.
    TOO_MANY_DEFINITIONS = ProblemKind::serious(
        "too-many-definitions",
        "more than {value} names of constants, members and arguments; the rest of the file was not read",
        "too many names of constants, members and arguments",
    );

    /// A LEAVE event has no ENTER event. `value`: the number of the call.
    LEAVE_WITHOUT_ENTER = ProblemKind::remark(
        "leave-without-enter",
        "call {value} ends here, but its beginning is not in the trace; it is not shown",
        "{count} call{|s} without a beginning {is|are} not shown",
    );

    /// A call pops a debug group, but none is open. `value`: the number of the call.
    POP_WITHOUT_PUSH = ProblemKind::remark(
        "pop-without-push",
        "call {value} pops a debug group, but none is open",
        "{count} call{|s} pop{s|} a debug group that was not pushed",
    );
}
