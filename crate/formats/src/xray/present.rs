//! Functions that have open calls: an exit of another one ends none of them, and need not look.

use hashbrown::HashMap;
use unspool_trace::kept;

/// The number of open calls of each function, of one thread.
#[derive(Debug, Default)]
pub(super) struct Present(HashMap<i32, u32>);

impl Present {
    /// A call is open. Returns the bytes by which memory has grown.
    pub(super) fn add(&mut self, func: i32) -> u64 {
        let bytes = |table: &HashMap<i32, u32>| kept::table::<(i32, u32)>(table.capacity());
        let before = bytes(&self.0);
        *self.0.entry(func).or_default() += 1;
        bytes(&self.0) - before
    }

    /// A call is not open any more.
    pub(super) fn remove(&mut self, func: i32) {
        if let Some(count) = self.0.get_mut(&func) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&func);
            }
        }
    }

    /// Whether the function has an open call.
    pub(super) fn has(&self, func: i32) -> bool {
        self.0.contains_key(&func)
    }

    /// No call is open.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
