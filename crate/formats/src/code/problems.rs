//! What is notable about call stacks that are rebuilt from instructions.

use super::stack::{Note, SHOWN};
use crate::problem::Problem;

crate::problem_kinds! {
    /// Calls are nested deeper than is shown. `value`: the depth down to which they are shown.
    TOO_DEEP = ProblemKind::remark(
        "too-deep",
        "calls nested deeper than {value} are not shown",
        "calls are nested deeper than can be shown",
    );

    /// A return of code whose call is not in the recording. `value`: the address of the instruction that returned.
    RETURN_WITHOUT_CALL = ProblemKind::remark(
        "return-without-call",
        "the code at {hex} returns to a caller that called it before the recording; the caller is shown from the beginning",
        "{count} return{|s} to {a caller|callers} from before the recording",
    );

    /// A jump or return left calls that did not return themselves, as `longjmp` does. `value`: how many.
    LEFT_BY_JUMP = ProblemKind::remark(
        "left-by-jump",
        "{value} call{|s} {was|were} left by a jump; {it is|they are} shown up to it",
        "{sum} call{|s} {was|were} left by a jump, not by a return",
    );

    /// Execution continued in the function of an open call, at an address that no call returns to: calls above it are taken
    /// to have been left by an exception. `value`: how many.
    LANDING_GUESSED = ProblemKind::remark(
        "landing-guessed",
        "{value} call{|s} {was|were} left for the function of an outer call, probably by an exception",
        "{sum} call{|s} {was|were} probably left by an exception: without the stack pointer this is a guess",
    );

    /// A handler is taken to have interrupted execution right after a return. `value`: the address of the handler.
    HANDLER_GUESSED = ProblemKind::remark(
        "handler-guessed",
        "execution continued at {hex} after a return: probably a signal handler, which interrupted the caller",
        "{count} signal handler{|s} probably began right after a return",
    );

    /// Execution continued elsewhere than instructions say too often to be interrupted. `value`: the address at which it
    /// continued.
    GAPS = ProblemKind::remark(
        "gaps",
        "execution continues at {hex} without a reason, as often before: instructions are missing, and signal handlers are \
         not shown from here on",
        "instructions are missing in {count} thread{|s}: signal handlers are not shown there",
    );
}

impl Note {
    /// The problem to tell of it at this place.
    pub(crate) fn problem(self, at: u64) -> Problem {
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
