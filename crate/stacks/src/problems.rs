//! Kinds of problems of call stacks rebuilt from instructions.

use unspool_trace::limits::SHOWN;
use unspool_trace::problem::{Problem, TOO_DEEP};

use super::execution::Note;

unspool_trace::problem_kinds! {
    /// Code returned whose call is not in the recording. `value`: the address of the returning
    /// instruction.
    RETURN_WITHOUT_CALL = ProblemKind::remark(
        "return-without-call",
        "the code at {hex} returns to a caller that called it before the recording; the caller is shown from the beginning",
        "{count} return{|s} to {a caller|callers} from before the recording",
    );

    /// A jump or return, such as that of `longjmp`, left calls that did not return themselves.
    /// `value`: their number.
    LEFT_BY_JUMP = ProblemKind::remark(
        "left-by-jump",
        "{value} call{|s} {was|were} left by a jump; {it is|they are} shown up to the jump",
        "{sum} call{|s} {was|were} left by a jump, not by a return",
    );

    /// Execution continued in the function of an open call, at an address that is not a return
    /// address: an exception probably left the calls above it. `value`: their number.
    LANDING_GUESSED = ProblemKind::remark(
        "landing-guessed",
        "{value} call{|s} {was|were} left for the function of an outer call, probably by an exception",
        "{sum} call{|s} {was|were} probably left by an exception: without the stack pointer this is a guess",
    );

    /// A handler probably interrupted execution immediately after a return. `value`: the address of
    /// the handler.
    HANDLER_GUESSED = ProblemKind::remark(
        "handler-guessed",
        "execution continued at {hex} after a return: probably a signal handler, which interrupted the caller",
        "{count} signal handler{|s} probably began right after a return",
    );

    /// Execution continued at unexpected addresses too often for handlers. `value`: the last of
    /// these addresses.
    GAPS = ProblemKind::remark(
        "gaps",
        "execution continues at {hex} without a reason, as often before: instructions are missing, and signal handlers are \
         not shown from here on",
        "instructions are missing in {count} thread{|s}: signal handlers are not shown there",
    );
}

impl Note {
    /// The problem that reports it. `at`: position of the record.
    pub fn problem(self, at: u64) -> Problem {
        let (kind, value) = match self {
            Self::LeftByJump(calls) => (&LEFT_BY_JUMP, calls),
            Self::LandingGuessed(calls) => (&LANDING_GUESSED, calls),
            Self::HandlerGuessed(address) => (&HANDLER_GUESSED, address),
            Self::CallerUncovered(address) => (&RETURN_WITHOUT_CALL, address),
            Self::TooDeep => (&TOO_DEEP, SHOWN as u64),
            Self::Gaps(address) => (&GAPS, address),
        };
        Problem { at, kind, value }
    }
}
