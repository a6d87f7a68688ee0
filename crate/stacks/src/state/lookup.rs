//! Which open call execution continues in, by an address.

use super::{COPIED, SEARCHED, State, place};
use crate::execution::{Arrival, Last, Program};
use crate::flow::Flow;

impl State {
    /// The innermost call that returns to this address.
    #[inline(never)]
    pub(super) fn expecting(&self, address: u64) -> Option<usize> {
        let from = self.open.len().saturating_sub(SEARCHED);
        let mut found = self.open.iter().enumerate().skip(from).rev().filter(|(_, open)| open.back == address);
        found.nth(self.choice).map(|(i, _)| i)
    }

    /// Number of open calls that may have returned to the target of a return or jump. 0 if the
    /// answer is unambiguous: the innermost call returned, or the stack pointer decides.
    #[cold]
    pub(super) fn choices(&self, last: &Last, at: &Arrival) -> usize {
        let returns = match last.flow {
            Flow::Return { .. } => true,
            Flow::Jump { .. } => false,
            _ => return 0,
        };
        let address = at.address;
        let known = self.filter.as_ref().is_none_or(|filter| filter.get(place(address)).is_some_and(|n| *n > 1));
        let usual = returns && self.open.last().is_some_and(|top| top.back == address);
        // Copies of a deep stack would take too much memory.
        let is_large = self.open.len() > SEARCHED || self.returned.len() > COPIED;
        if !known || usual || is_large || at.stack.is_some() || self.trick.is_some() || last.raised.is_some() {
            return 0;
        }
        let from = self.open.len().saturating_sub(SEARCHED);
        self.open.iter().skip(from).filter(|open| open.back == address).count()
    }

    /// The innermost handler that resumes at this address.
    #[inline(never)]
    pub(super) fn resuming(&self, address: u64) -> Option<usize> {
        if self.handlers == 0 {
            return None;
        }
        let from = self.open.len().saturating_sub(SEARCHED);
        let found = self.open.get(from..)?.iter().rposition(|open| open.resumes(address))?;
        Some(from + found)
    }

    /// If an ended call returned to `address` and its caller is still open, but not innermost: the
    /// lowest call that ends when execution continues there.
    #[inline(never)]
    pub(super) fn returned_in(&self, address: u64) -> Option<usize> {
        let from = self.open.len().saturating_sub(SEARCHED);
        for (i, open) in self.open.iter().enumerate().skip(from).rev() {
            let caller = i.checked_sub(1).and_then(|i| self.open.get(i)).map_or(0, |caller| caller.returned);
            if self.returned.get(caller as usize..open.returned as usize)?.contains(&address) {
                return Some(i);
            }
        }
        None
    }

    /// If `address` lies in the function that an open call returns to: the innermost such call. It
    /// ends when execution continues there.
    #[inline(never)]
    pub(super) fn landing(&self, address: u64, program: &Program) -> Option<usize> {
        let function = program.function_of(address).filter(|function| *function != address)?;
        let from = self.open.len().saturating_sub(SEARCHED);
        let mut seen = None;
        for (i, open) in self.open.iter().enumerate().skip(from).rev() {
            // Deep recursion repeats one return address.
            if seen != Some(open.back) && open.is_call() && program.function_of(open.back) == Some(function) {
                return Some(i);
            }
            seen = Some(open.back);
        }
        None
    }
}
