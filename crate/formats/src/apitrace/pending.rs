//! Open calls: those that have begun and not ended.

use alloc::vec::Vec;

use unspool_trace::kept;

/// An open call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Open<T> {
    pub(crate) call: u64,
    pub(crate) value: T,
}

/// Open calls in the order of their beginnings. Nearly always there are few and the last one ends
/// first. Files with many, or with ends in another order, do not make this slow.
#[derive(Debug)]
pub(crate) struct Pending<T> {
    calls: Vec<Open<Option<T>>>,
    /// Number of entries without a value: calls that ended out of order.
    dead: usize,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self { calls: Vec::new(), dead: 0 }
    }
}

impl<T> Pending<T> {
    /// A call begins. Its number is greater than those of all earlier calls.
    #[inline]
    pub(crate) fn push(&mut self, call: u64, value: T) {
        self.calls.push(Open { call, value: Some(value) });
    }

    /// A call ends. Returns `None` if it is not open.
    #[inline]
    pub(crate) fn take(&mut self, call: u64) -> Option<T> {
        if let Some(last) = self.calls.last()
            && last.call == call
        {
            let value = self.calls.pop().and_then(|open| open.value);
            self.trim();
            return value;
        }
        self.take_other(call)
    }

    /// A call that was just taken is open again.
    pub(crate) fn put_back(&mut self, call: u64, value: T) {
        match self.calls.binary_search_by_key(&call, |open| open.call) {
            Ok(i) => {
                if let Some(open) = self.calls.get_mut(i) {
                    self.dead -= usize::from(open.value.is_none());
                    open.value = Some(value);
                }
            }
            Err(i) => self.calls.insert(i, Open { call, value: Some(value) }),
        }
    }

    /// The open calls with their numbers, in the order of their beginnings.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.calls.iter().filter_map(|open| open.value.as_ref().map(|value| (open.call, value)))
    }

    /// Bytes of memory, without what the values refer to.
    pub(crate) fn bytes(&self) -> u64 {
        kept::list(&self.calls)
    }

    /// Number of open calls.
    pub(crate) fn len(&self) -> usize {
        self.calls.len() - self.dead
    }

    /// Takes all open calls.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (u64, T)> {
        self.dead = 0;
        self.calls.drain(..).filter_map(|open| open.value.map(|value| (open.call, value)))
    }

    #[cold]
    fn take_other(&mut self, call: u64) -> Option<T> {
        let i = self.calls.binary_search_by_key(&call, |open| open.call).ok()?;
        let value = self.calls.get_mut(i)?.value.take();
        if value.is_some() {
            self.dead += 1;
        }
        // Compact when most entries are dead, so the cost per call is constant.
        if self.dead > 16 && self.dead * 2 > self.calls.len() {
            self.calls.retain(|open| open.value.is_some());
            self.dead = 0;
        }
        value
    }

    #[inline]
    fn trim(&mut self) {
        while self.dead > 0 && self.calls.last().is_some_and(|open| open.value.is_none()) {
            self.calls.pop();
            self.dead -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_is_put_back_is_open_in_its_place() {
        let mut pending = Pending::default();
        for call in 0..40 {
            pending.push(call, call);
        }
        for call in [39, 5, 38, 7] {
            let value = pending.take(call).unwrap();
            pending.put_back(call, value);
            assert_eq!(pending.len(), 40);
        }
        // Also after the list was compacted.
        for call in 0..39 {
            pending.take(call);
        }
        pending.put_back(38, 38);
        assert_eq!(pending.drain().collect::<Vec<_>>(), [(38, 38), (39, 39)]);
    }

    #[test]
    fn calls_end_in_any_order() {
        let mut pending = Pending::default();
        for call in 0..100 {
            pending.push(call, call * 2);
        }
        for call in (0..99).step_by(2) {
            assert_eq!(pending.take(call), Some(call * 2));
            assert_eq!(pending.take(call), None);
        }
        assert_eq!(pending.iter().count(), 50);
        for call in (1..100).rev().step_by(2) {
            assert_eq!(pending.take(call), Some(call * 2));
        }
        assert_eq!(pending.take(7), None);
        assert_eq!(pending.drain().count(), 0);
    }
}
