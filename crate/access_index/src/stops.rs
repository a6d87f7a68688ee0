//! Where a walk through the steps stops: changes of thread, mode and privilege, system calls,
//! interrupts.

use unspool_trace::steps::{Step, StepEvent};

use crate::Toward;

/// What to walk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The first step of another thread.
    Thread,
    /// The first step in another mode of the processor.
    Mode,
    /// The first step in the kernel, or outside it.
    Privilege,
    /// A system call.
    SystemCall,
    /// An interrupt, a fault or another exception.
    Interrupt,
}

/// Which steps to walk to, and which to show: those for which everything holds that is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// In the kernel, or outside it.
    pub is_kernel: Option<bool>,
    /// The number of the processor's mode.
    pub mode: Option<u32>,
    /// The thread.
    pub thread: Option<u64>,
}

/// A run of steps that have something in common: the first one, and what.
type Runs<T> = Vec<(u64, T)>;

/// The stops so far.
#[derive(Default)]
pub(crate) struct Stops {
    /// Steps without a thread belong to the thread before.
    threads: Runs<u64>,
    modes: Runs<u32>,
    privileges: Runs<bool>,
    calls: Vec<u64>,
    interrupts: Vec<u64>,
    /// The last step that called the system: a record of the call that follows is the same call.
    called: Option<u64>,
}

/// Begins a new run if the value is another one.
#[inline]
fn extend<T: PartialEq>(runs: &mut Runs<T>, step: u64, value: T) {
    if runs.last().is_none_or(|(_, last)| *last != value) {
        runs.push((step, value));
    }
}

impl Stops {
    /// A step, after all before it.
    #[inline]
    pub(crate) fn add(&mut self, step: &Step) {
        let number = step.number;
        if let Some(thread) = step.thread {
            extend(&mut self.threads, number, thread);
        }
        if step.address.is_some() {
            extend(&mut self.modes, number, step.mode);
            extend(&mut self.privileges, number, step.is_kernel);
        }
        match step.event {
            None => {}
            Some(StepEvent::SystemCall) => {
                let is_same = step.address.is_none() && self.called.is_some_and(|called| called + 1 == number);
                if !is_same {
                    self.calls.push(number);
                }
                self.called = step.address.map(|_| number);
            }
            Some(StepEvent::Interrupt) => self.interrupts.push(number),
        }
    }

    /// The nearest stop before or after a step. `None` if there is none so far.
    pub(crate) fn nearest(&self, step: u64, stop: Stop, toward: Toward) -> Option<u64> {
        match stop {
            Stop::Thread => change(&self.threads, step, toward),
            Stop::Mode => change(&self.modes, step, toward),
            Stop::Privilege => change(&self.privileges, step, toward),
            Stop::SystemCall => nearest(&self.calls, |step| *step, step, toward),
            Stop::Interrupt => nearest(&self.interrupts, |step| *step, step, toward),
        }
    }

    /// The thread of a step, and where the run of that thread's steps ends: `None` at the end of
    /// the trace. What comes before the first thread belongs to it.
    pub(crate) fn thread_run(&self, step: u64) -> (Option<u64>, Option<u64>) {
        let at = self.threads.partition_point(|(first, _)| *first <= step).saturating_sub(1);
        let thread = self.threads.get(at).map(|(_, thread)| *thread);
        (thread, self.threads.get(at + 1).map(|(first, _)| *first))
    }

    /// The step before or after a step on its thread. It exists unless the frame there is invalid.
    /// `end` is after the last step.
    pub(crate) fn beside(&self, step: u64, toward: Toward, end: u64) -> Option<u64> {
        let at = self.threads.partition_point(|(first, _)| *first <= step).checked_sub(1);
        let thread = at.and_then(|at| self.threads.get(at)).map(|(_, thread)| *thread);
        let first_after = |at: usize| self.threads.get(at + 1).map_or(end, |(first, _)| *first);
        match toward {
            Toward::Next => {
                let next = step.checked_add(1)?;
                if at.is_none_or(|at| next < first_after(at)) {
                    return (next < end).then_some(next);
                }
                let later = self.threads.get(at? + 1..)?.iter();
                later.clone().find(|(_, of)| Some(*of) == thread).map(|(first, _)| *first)
            }
            Toward::Previous => {
                let previous = step.checked_sub(1)?;
                let begins = |at: usize| self.threads.get(at).is_some_and(|(first, _)| *first > previous);
                let Some(at) = at.filter(|at| begins(*at)) else { return Some(previous) };
                let earlier = self.threads.iter().take(at).rposition(|(_, of)| Some(*of) == thread);
                match earlier {
                    Some(earlier) => Some(first_after(earlier) - 1),
                    // What comes before the first thread belongs to it.
                    None => (at == 0).then_some(previous),
                }
            }
        }
    }

    /// Whether a step matches, and the range of steps around it for which all that is asked is the
    /// same: its first step, and the step after it. `end` is after the last step.
    fn range(&self, step: u64, filter: &Filter, end: u64) -> (bool, u64, u64) {
        let mut range = (true, 0, end);
        narrow(&mut range, &self.privileges, step, filter.is_kernel);
        narrow(&mut range, &self.modes, step, filter.mode);
        narrow(&mut range, &self.threads, step, filter.thread);
        range
    }

    /// Whether a step matches.
    pub(crate) fn matches(&self, step: u64, filter: &Filter) -> bool {
        self.range(step, filter, u64::MAX).0
    }

    /// The nearest step that matches, from `step` on or before it, which may be `step` itself.
    /// `end` is after the last step.
    pub(crate) fn nearest_match(&self, step: u64, filter: &Filter, toward: Toward, end: u64) -> Option<u64> {
        let mut at = step;
        while at < end {
            let (matches, first, after) = self.range(at, filter, end);
            if matches {
                return Some(at);
            }
            at = match toward {
                Toward::Next => after,
                Toward::Previous => first.checked_sub(1)?,
            };
        }
        None
    }

    /// Whether a step calls the system by its instruction, or is the record of a call.
    pub(crate) fn is_call(&self, step: u64) -> bool {
        self.calls.binary_search(&step).is_ok()
    }

    /// The threads, the modes, and whether some steps are outside the kernel and in it. Each once,
    /// in the order of numbers.
    pub(crate) fn kinds(&self) -> Kinds {
        let mut kinds = Kinds::default();
        for (_, thread) in &self.threads {
            insert(&mut kinds.threads, *thread);
        }
        for (_, mode) in &self.modes {
            insert(&mut kinds.modes, *mode);
        }
        for (_, is_kernel) in &self.privileges {
            let [user, kernel] = &mut kinds.privileges;
            *(if *is_kernel { kernel } else { user }) = true;
        }
        kinds
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.threads.capacity() + self.modes.capacity() + self.privileges.capacity()) * 16
            + (self.calls.capacity() + self.interrupts.capacity()) * 8
    }
}

/// What a trace has steps of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Threads, ascending: at most 256.
    pub threads: Vec<u64>,
    /// Numbers of modes, ascending.
    pub modes: Vec<u32>,
    /// Whether some steps are outside the kernel, and in it.
    pub privileges: [bool; 2],
}

/// Most threads and modes to choose from.
const MOST_KINDS: usize = 256;

fn insert<T: Ord + Copy>(sorted: &mut Vec<T>, value: T) {
    if let Err(at) = sorted.binary_search(&value)
        && sorted.len() < MOST_KINDS
    {
        sorted.insert(at, value);
    }
}

/// Narrows a range around a step to the run that the step is in, if one of its values is wanted.
/// Steps before the first run match nothing.
fn narrow<T: PartialEq + Copy>(range: &mut (bool, u64, u64), runs: &Runs<T>, step: u64, wanted: Option<T>) {
    let Some(wanted) = wanted else { return };
    let next = runs.partition_point(|(first, _)| *first <= step);
    let run = next.checked_sub(1).and_then(|at| runs.get(at));
    range.0 &= run.is_some_and(|(_, value)| *value == wanted);
    range.1 = range.1.max(run.map_or(0, |(first, _)| *first));
    range.2 = range.2.min(runs.get(next).map_or(u64::MAX, |(first, _)| *first));
}

/// Where the nearest other run begins. The first run is not a change.
fn change<T>(runs: &Runs<T>, step: u64, toward: Toward) -> Option<u64> {
    nearest(runs.get(1..)?, |(first, _)| *first, step, toward)
}

fn nearest<T>(stops: &[T], at: impl Fn(&T) -> u64, step: u64, toward: Toward) -> Option<u64> {
    let found = match toward {
        Toward::Next => stops.get(stops.partition_point(|stop| at(stop) <= step)),
        Toward::Previous => stops.get(stops.partition_point(|stop| at(stop) < step).checked_sub(1)?),
    };
    found.map(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number, thread, address and event.
    type Told = (u64, Option<u64>, Option<u64>, Option<StepEvent>);

    fn stops(steps: &[Told]) -> Stops {
        let mut stops = Stops::default();
        for (number, thread, address, event) in steps {
            let is_kernel = address.is_some_and(|address| address >> 63 == 1);
            let mode = address.map_or(0, |address| address as u32 & 1);
            let (number, thread, address, event) = (*number, *thread, *address, *event);
            stops.add(&Step { number, thread, address, event, is_kernel, mode, ..Step::default() });
        }
        stops
    }

    #[test]
    fn changes_and_events_are_found_in_both_directions() {
        let call = Some(StepEvent::SystemCall);
        let kernel = 0xffff_8000_0000_0000;
        let stops = stops(&[
            (0, None, None, None),
            (1, Some(1), Some(0x10), None),
            (2, Some(1), Some(0x11), call),
            (3, Some(1), None, call),
            (4, Some(1), Some(kernel), None),
            (6, Some(2), Some(0x10), Some(StepEvent::Interrupt)),
            (7, Some(2), None, call),
            (8, Some(1), Some(0x12), None),
        ]);
        let all = |stop| {
            let mut found = Vec::new();
            let mut at = 0;
            while let Some(next) = stops.nearest(at, stop, Toward::Next) {
                found.push(next);
                at = next;
            }
            let mut back = Vec::new();
            let mut at = 100;
            while let Some(previous) = stops.nearest(at, stop, Toward::Previous) {
                back.insert(0, previous);
                at = previous;
            }
            assert_eq!(found, back);
            found
        };
        assert_eq!(all(Stop::Thread), [6, 8]);
        assert_eq!(all(Stop::Mode), [2, 4]);
        assert_eq!(all(Stop::Privilege), [4, 6]);
        assert_eq!(all(Stop::SystemCall), [2, 7], "the record at 3 is that of the instruction at 2");
        assert_eq!(all(Stop::Interrupt), [6]);
    }

    #[test]
    fn filters_say_what_matches_and_lead_to_it() {
        let kernel = 0xffff_8000_0000_0000;
        let all: Vec<Told> = (0..200u64)
            .map(|number| {
                let address = if number / 7 % 3 == 0 { kernel } else { 0x10 + number / 5 % 2 };
                (number, Some(number / 20 % 2), (number != 100).then_some(address), None)
            })
            .collect();
        let stops = stops(&all);
        // A step without an instruction is where the one before it is.
        let address = |number: u64| all[number as usize].2.unwrap_or_else(|| all[number as usize - 1].2.unwrap());
        for is_kernel in [None, Some(false), Some(true)] {
            for mode in [None, Some(0), Some(1)] {
                for thread in [None, Some(1), Some(9)] {
                    let filter = Filter { is_kernel, mode, thread };
                    let matches = |number: &u64| {
                        is_kernel.is_none_or(|is| is == (address(*number) >> 63 == 1))
                            && mode.is_none_or(|mode| u64::from(mode) == address(*number) & 1)
                            && thread.is_none_or(|thread| thread == *number / 20 % 2)
                    };
                    for step in 0..200u64 {
                        assert_eq!(stops.matches(step, &filter), matches(&step), "{step} {filter:?}");
                        let nearest = |toward| stops.nearest_match(step, &filter, toward, 200);
                        assert_eq!(nearest(Toward::Next), (step..200).find(matches), "{step} {filter:?}");
                        assert_eq!(nearest(Toward::Previous), (0..=step).rev().find(matches), "{step} {filter:?}");
                    }
                }
            }
        }
        let kinds = Kinds { threads: vec![0, 1], modes: vec![0, 1], privileges: [true, true] };
        assert_eq!(stops.kinds(), kinds);
    }

    #[test]
    fn a_step_leads_to_the_next_one_of_its_thread() {
        let of = |number, thread| (number, Some(thread), Some(0x10), None);
        let stops = stops(&[(0, None, None, None), of(1, 1), of(2, 1), of(3, 2), of(4, 1), of(5, 3), of(6, 3)]);
        let beside = |step, toward| stops.beside(step, toward, 7);
        let next: Vec<_> = (0..7).map(|step| beside(step, Toward::Next)).collect();
        assert_eq!(next, [Some(1), Some(2), Some(4), None, None, Some(6), None]);
        let previous: Vec<_> = (0..7).map(|step| beside(step, Toward::Previous)).collect();
        assert_eq!(previous, [None, Some(0), Some(1), None, Some(2), None, Some(5)]);
    }
}
