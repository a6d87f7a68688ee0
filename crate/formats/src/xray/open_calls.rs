//! Calls of a thread that are open where a part of a log begins and ends.
//!
//! The store's rule: an enter opens a call. An exit ends the innermost open call of its function
//! and all calls above it; without one, its call began before the recording, or after the previous
//! record if records are missing.
//!
//! Buffers need not be in the order of time, and a part is written in one pass. So each buffer is
//! reduced to the records that have an effect on other buffers, most often a few enters and exits.
//! They are put in order when the calls are needed.

use alloc::vec::Vec;
use core::mem;

use unspool_trace::limits::SHOWN;

use super::wire::FunctionKind;

/// Most records of a thread that wait to be put in order. Beyond, the file's order is that of time.
const MOST_WAITING: usize = 4 * SHOWN;
/// Most buffers of a thread that wait.
const MOST_PIECES: usize = 4096;
/// Most arguments that are kept of a call. Writers record one.
const MOST_ARGUMENTS: usize = 8;

/// A call that has been entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) func: i32,
    pub(super) kind: FunctionKind,
    pub(super) arguments: Vec<u64>,
}

impl Call {
    pub(super) fn new(func: i32, kind: FunctionKind) -> Self {
        Self { func, kind, arguments: Vec::new() }
    }

    pub(super) fn argument(&mut self, value: u64) {
        if self.arguments.len() < MOST_ARGUMENTS {
            self.arguments.push(value);
        }
    }
}

/// The call that an exit ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The call at this depth.
    Open(usize),
    /// One that is too deep to be shown.
    Hidden,
    /// One that began before the recording.
    BeforeRecording,
    /// One whose enter is missing: it began after the previous record.
    Stray,
}

/// The open calls of a thread.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    open: Vec<Call>,
    /// Number of open calls that are too deep to be shown.
    hidden: u64,
    /// Records are missing, so an exit without an enter does not reach back to the beginning.
    pub(super) is_lost: bool,
    /// Number of the outermost calls since whose begins records are missing: a call within them
    /// whose enter is missing may have begun there.
    gaps: usize,
    /// The same, as readers of the part know.
    told: usize,
    is_basic: bool,
}

impl Stack {
    /// A stack without calls. In basic mode, calls without an enter never reach back.
    pub(super) fn new(is_basic: bool) -> Self {
        Self { open: Vec::new(), hidden: 0, is_lost: is_basic, gaps: 0, told: 0, is_basic }
    }

    /// The calls from the outermost.
    pub(super) fn calls(&self) -> &[Call] {
        &self.open
    }

    /// Whether records are known to be missing since the innermost open call began.
    fn has_gap(&self) -> bool {
        self.gaps == self.open.len()
    }

    /// Whether an exit without an enter shows a gap, of which nothing is known but that its call
    /// began there: it has no length.
    pub(super) fn shows_gap(&self) -> bool {
        !self.is_basic && !self.open.is_empty() && !self.has_gap()
    }

    /// Whether readers of the part know that, too.
    pub(super) fn is_told(&self) -> bool {
        self.told == self.open.len()
    }

    /// Records are known to be missing here.
    pub(super) fn lose(&mut self) {
        (self.is_lost, self.gaps) = (true, self.open.len());
    }

    /// Readers of the part know that records are missing here.
    pub(super) fn tell(&mut self) {
        self.lose();
        self.told = self.open.len();
    }

    pub(super) fn enter(&mut self, call: Call) {
        if self.open.len() < SHOWN {
            self.open.push(call);
        } else {
            self.hidden += 1;
        }
    }

    /// The call that an exit of this function would end.
    pub(super) fn ended_by(&self, func: i32) -> Ended {
        if self.hidden > 0 {
            return Ended::Hidden;
        }
        match self.open.iter().rposition(|call| call.func == func) {
            Some(depth) => Ended::Open(depth),
            None if self.open.is_empty() && !self.is_lost => Ended::BeforeRecording,
            None => Ended::Stray,
        }
    }

    pub(super) fn take(&mut self, step: Step) {
        match step {
            Step::Enter(call) => self.enter(call),
            Step::Exit(func) => _ = self.exit(func),
            Step::Lost => self.lose(),
            Step::Unsure => self.is_lost = true,
            Step::Event => {}
        }
    }

    pub(super) fn exit(&mut self, func: i32) -> Ended {
        let ended = self.ended_by(func);
        match ended {
            Ended::Hidden => self.hidden -= 1,
            Ended::Open(depth) => {
                self.is_lost |= depth + 1 < self.open.len();
                self.open.truncate(depth);
                (self.gaps, self.told) = (self.gaps.min(depth), self.told.min(depth));
            }
            Ended::Stray => self.lose(),
            Ended::BeforeRecording => {}
        }
        ended
    }
}

/// The place of a record, as seen from the part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Before,
    Within,
    After,
}

/// The effect of a record on the open calls.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Enter(Call),
    Exit(i32),
    /// Records are missing.
    Lost,
    /// An exit may be missing.
    Unsure,
    /// None.
    Event,
}

/// A stretch of a buffer in one phase, reduced to the steps that have an effect on others.
#[derive(Clone, Debug)]
struct Piece {
    phase: Phase,
    /// Clock of the beginning of its buffer.
    clock: u64,
    /// It has the first record after the part, which is an exit and therefore the first step.
    begins_with_exit: bool,
    steps: Vec<Step>,
}

impl Piece {
    fn take(&mut self, step: Step) {
        let Step::Exit(func) = step else {
            let is_known = match (&step, self.steps.last()) {
                (Step::Lost, Some(Step::Lost)) | (Step::Unsure, Some(Step::Lost | Step::Unsure)) => true,
                // Records that come after a gap end it.
                (Step::Event, before) => !matches!(before, Some(Step::Lost)),
                _ => false,
            };
            if !is_known {
                self.steps.push(step);
            }
            return;
        };
        // Below an exit that ended a call of another buffer, the calls of this one may have ended.
        let (mut is_lost, mut is_unsure, mut depth) = (false, false, None);
        for (i, before) in self.steps.iter().enumerate().rev() {
            match before {
                Step::Enter(call) if call.func == func => {
                    depth = Some(i);
                    break;
                }
                Step::Enter(_) | Step::Unsure => is_unsure = true,
                Step::Lost => is_lost = true,
                Step::Event => {}
                Step::Exit(_) => break,
            }
        }
        let Some(depth) = depth else { return self.steps.push(step) };
        self.steps.truncate(depth);
        if is_lost {
            self.take(Step::Lost);
        } else if is_unsure {
            self.take(Step::Unsure);
        }
        self.take(Step::Event);
    }
}

/// Pieces that have been put in order.
#[derive(Clone, Debug)]
struct Fold {
    stack: Stack,
    phase: Phase,
    /// The stack at the end of the part, once there was a later piece.
    closing: Option<Stack>,
    /// Records are missing directly before what comes next.
    is_in_gap: bool,
    /// The first record after the part ends a call without an enter.
    stray: Option<Stray>,
    /// Calls from before the recording that end after the part, innermost first.
    beyond: Vec<i32>,
}

impl Fold {
    fn apply(&mut self, piece: Piece) {
        if piece.phase < self.phase {
            return;
        }
        let is_first_after = piece.phase == Phase::After && self.phase < Phase::After;
        if is_first_after {
            self.closing = Some(self.stack.clone());
        }
        self.phase = piece.phase;
        for (i, step) in piece.steps.into_iter().enumerate() {
            let is_in_gap = mem::replace(&mut self.is_in_gap, matches!(step, Step::Lost));
            let Step::Exit(func) = step else {
                self.stack.take(step);
                continue;
            };
            let shows_gap = self.stack.shows_gap();
            match self.stack.exit(func) {
                Ended::BeforeRecording if piece.phase == Phase::After && self.beyond.len() < SHOWN => {
                    self.beyond.push(func);
                }
                Ended::Stray if i == 0 && is_first_after && piece.begins_with_exit => {
                    self.stray = Some(Stray { func, shows_gap, is_in_gap });
                }
                _ => {}
            }
        }
    }
}

/// A call without an enter that ends with the first record after the part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stray {
    pub(super) func: i32,
    /// [`Stack::shows_gap`] before it.
    pub(super) shows_gap: bool,
    /// They are missing directly before its exit.
    pub(super) is_in_gap: bool,
}

/// Calls to be ended at the end of the part.
#[derive(Debug)]
pub(super) struct Closing {
    /// The calls that are open there.
    pub(super) stack: Stack,
    /// A call without an enter that ends with the first record after the part.
    pub(super) stray: Option<Stray>,
    /// Calls from before the recording that end after the part, innermost first.
    pub(super) beyond: Vec<i32>,
}

impl Closing {
    pub(super) fn is_empty(&self) -> bool {
        self.stack.calls().is_empty() && self.stray.is_none() && self.beyond.is_empty()
    }
}

/// Follows the calls of one thread.
#[derive(Clone, Debug)]
pub(super) struct OpenCalls {
    folded: Fold,
    pieces: Vec<Piece>,
    /// Number of steps of all pieces but the last.
    waiting: usize,
    /// Clock of the beginning of the current buffer.
    clock: u64,
    /// The next record begins a piece.
    is_new: bool,
    /// Clock of the earliest buffer that has records after the part.
    first_after: Option<u64>,
}

impl OpenCalls {
    pub(super) fn new(is_basic: bool) -> Self {
        let stack = Stack::new(is_basic);
        let (phase, beyond) = (Phase::Before, Vec::new());
        let folded = Fold { stack, phase, closing: None, is_in_gap: false, stray: None, beyond };
        Self { folded, pieces: Vec::new(), waiting: 0, clock: 0, is_new: true, first_after: None }
    }

    /// The next records are those of a buffer that begins at this clock.
    pub(super) fn buffer(&mut self, clock: u64) {
        (self.clock, self.is_new) = (clock, true);
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, phase: Phase, step: Step) {
        if self.is_new || self.pieces.last().is_none_or(|piece| piece.phase != phase) {
            self.is_new = false;
            if self.pieces.pop_if(|piece| piece.steps.is_empty()).is_none() {
                self.waiting += self.pieces.last().map_or(0, |piece| piece.steps.len());
            }
            let mut begins_with_exit = matches!(step, Step::Exit(_));
            if phase == Phase::After {
                // Another buffer may begin earlier, and have lost all of its steps since.
                begins_with_exit &= self.first_after.is_none_or(|clock| self.clock < clock);
                self.first_after = Some(self.first_after.map_or(self.clock, |clock| clock.min(self.clock)));
            }
            let is_after_gap = phase < Phase::After
                && self.pieces.last().is_some_and(|piece| matches!(piece.steps.last(), Some(Step::Lost)));
            let steps = if is_after_gap { [Step::Event].into() } else { Vec::new() };
            self.pieces.push(Piece { phase, clock: self.clock, begins_with_exit, steps });
        }
        let steps = self.pieces.last_mut().map_or(0, |piece| {
            piece.take(step);
            piece.steps.len()
        });
        if self.waiting + steps > MOST_WAITING || self.pieces.len() > MOST_PIECES {
            let pieces = mem::take(&mut self.pieces);
            fold(&mut self.folded, pieces);
            (self.waiting, self.is_new) = (0, true);
        }
    }

    /// An argument of the enter that was taken last.
    pub(super) fn argument(&mut self, value: u64) {
        if let Some(Step::Enter(call)) = self.pieces.last_mut().and_then(|piece| piece.steps.last_mut()) {
            call.argument(value);
        }
    }

    /// The calls that are open where the part begins.
    pub(super) fn opening(&self) -> Stack {
        let mut folded = self.folded.clone();
        let before = self.pieces.iter().filter(|piece| piece.phase == Phase::Before);
        fold(&mut folded, before.cloned().collect());
        folded.stack
    }

    /// The calls that are to be ended where the part ends, if there are later records.
    pub(super) fn closing(self) -> Closing {
        let Self { mut folded, pieces, .. } = self;
        fold(&mut folded, pieces);
        let Fold { stack, closing, stray, beyond, .. } = folded;
        Closing { stack: closing.unwrap_or(stack), stray, beyond }
    }
}

/// Applies pieces in the order of time, those that begin at the same clock in that of the file.
fn fold(folded: &mut Fold, mut pieces: Vec<Piece>) {
    pieces.sort_by_key(|piece| (piece.phase, piece.clock));
    pieces.into_iter().for_each(|piece| folded.apply(piece));
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use FunctionKind::Enter;
    use Phase::{After, Before, Within};

    use super::*;

    fn enter(func: i32) -> Step {
        Step::Enter(Call::new(func, Enter))
    }

    fn functions(stack: &Stack) -> Vec<i32> {
        stack.calls().iter().map(|call| call.func).collect()
    }

    #[test]
    fn an_exit_ends_the_innermost_call_of_its_function() {
        let mut stack = Stack::new(false);
        assert_eq!(stack.exit(9), Ended::BeforeRecording);
        for func in [1, 2, 1, 3] {
            stack.enter(Call::new(func, Enter));
        }
        assert_eq!((stack.exit(4), functions(&stack)), (Ended::Stray, vec![1, 2, 1, 3]));
        assert_eq!((stack.exit(1), functions(&stack)), (Ended::Open(2), vec![1, 2]));
        assert_eq!((stack.exit(1), functions(&stack)), (Ended::Open(0), vec![]));
        assert_eq!(stack.exit(1), Ended::Stray, "records are missing since");
        assert_eq!(Stack::new(true).exit(1), Ended::Stray, "basic mode");
    }

    #[test]
    fn buffers_are_put_in_order() {
        let mut calls = OpenCalls::new(false);
        let buffers: [(u64, &[Step]); 3] =
            [(30, &[Step::Exit(3), enter(4)]), (10, &[enter(1), enter(2), enter(3)]), (20, &[enter(5), Step::Exit(5)])];
        for (clock, steps) in buffers {
            calls.buffer(clock);
            steps.iter().for_each(|step| calls.take(Before, step.clone()));
        }
        assert_eq!(functions(&calls.opening()), [1, 2, 4]);
        calls.buffer(40);
        calls.take(Within, Step::Exit(4));
        calls.take(Within, enter(6));
        for func in [6, 2, 1, 7] {
            calls.take(After, Step::Exit(func));
        }
        assert_eq!(functions(&calls.opening()), [1, 2, 4]);
        let closing = calls.closing();
        assert_eq!(
            (functions(&closing.stack), closing.stray.is_none(), closing.beyond),
            (vec![1, 2, 6], true, vec![7])
        );
    }

    #[test]
    fn the_first_record_after_the_part_may_end_a_call_without_an_enter() {
        for (steps, stray) in [(vec![Step::Exit(2)], Some(2)), (vec![enter(3), Step::Exit(3), Step::Exit(2)], None)] {
            let mut calls = OpenCalls::new(false);
            calls.take(Before, enter(1));
            steps.into_iter().for_each(|step| calls.take(After, step));
            assert_eq!(calls.closing().stray.map(|stray| stray.func), stray);
        }
    }

    #[test]
    fn memory_has_a_bound() {
        let mut calls = OpenCalls::new(false);
        for buffer in 0..20_u64 {
            calls.buffer(buffer);
            for func in 0..SHOWN as i32 {
                calls.take(Before, if buffer % 2 == 0 { enter(func) } else { Step::Exit(-1 - func) });
            }
        }
        assert!(calls.pieces.len() <= 6 && calls.waiting <= MOST_WAITING);
        assert!(calls.opening().calls().len() <= SHOWN);
    }
}
