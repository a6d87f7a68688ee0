//! Visits the slices of a column in portions, for jobs.

use super::column::Column;
use crate::call_tree::NodeId;
use crate::jobs::Progress;

impl Column {
    /// Visits the slices from `next` to `end`, `end` exclusive, with their indices, durations and
    /// call-tree nodes. Adds them to `progress`, and stops when that has come to `until`. Returns
    /// whether there were no more.
    #[inline(never)]
    pub(crate) fn sweep(
        &self,
        next: &mut usize,
        end: usize,
        progress: &mut Progress,
        until: u64,
        each: &mut dyn FnMut(usize, u64, NodeId),
    ) -> bool {
        while let Some(stretch) = self.first_stretch(*next..end) {
            let mut index = *next;
            self.each_in(stretch, |duration, node| {
                each(index, duration, node);
                index += 1;
            });
            *next += stretch.len();
            progress.done += stretch.len() as u64;
            if progress.done >= until {
                return false;
            }
        }
        true
    }
}
