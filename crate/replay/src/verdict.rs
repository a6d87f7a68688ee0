//! Which draws of a trace can be shown, and why others cannot. Known from calls alone.

use hashbrown::HashMap;

/// Limit for the draws that are listed as unshown, and for those that are listed at all.
const LISTED: usize = 100_000;
const MOST: usize = 1 << 22;

/// What was found out about draws.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Draws and clears, all of them.
    pub draws: u64,
    /// The calls that draw, in the order in which they returned, as far as they are listed.
    pub calls: Vec<u32>,
    /// Those that cannot be shown.
    pub unshown: u64,
    /// Why not, with the number of draws and the first one.
    pub reasons: Vec<(String, u64, u64)>,
    /// The calls that cannot be shown, each with the index of its reason.
    pub listed: Vec<(u64, u32)>,
    /// Shaders that could not be translated.
    pub shaders: Vec<crate::shader_list::Listed>,
    by_reason: HashMap<String, u32>,
}

impl Verdict {
    /// A draw. `reason`: why it cannot be shown.
    pub(crate) fn add(&mut self, call: u64, reason: Option<&str>) {
        self.draws += 1;
        let number = call as u32;
        if self.calls.last() != Some(&number) && self.calls.len() < MOST {
            self.calls.push(number);
        }
        let Some(reason) = reason else { return };
        self.unshown += 1;
        let next = self.reasons.len() as u32;
        let index = *self.by_reason.entry_ref(reason).or_insert(next);
        if index == next {
            self.reasons.push((reason.into(), 0, call));
        }
        if let Some((_, count, _)) = self.reasons.get_mut(index as usize) {
            *count += 1;
        }
        if self.listed.len() < LISTED {
            self.listed.push((call, index));
        }
    }
}
