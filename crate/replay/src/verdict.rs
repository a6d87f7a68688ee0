//! Which draws of a trace can be shown, and why others cannot. Known from calls alone.

use hashbrown::HashMap;

/// Limit for the draws that are listed as unshown, and for those that are listed at all.
const LISTED: usize = 100_000;
const MOST: usize = 1 << 22;
/// Limit for the functions that are listed because they are not known.
const MOST_IGNORED: usize = 64;

/// What was found out about draws.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Calls that draw or clear, all of them. One that draws several times, such as a call of
    /// display lists, counts once.
    pub draws: u64,
    /// The calls that draw, in the order in which they returned, as far as they are listed.
    pub calls: Vec<u32>,
    /// Those that cannot be shown.
    pub unshown: u64,
    /// Why not, with the number of draws and the first one.
    pub reasons: Vec<(String, u64, u64)>,
    /// The calls that cannot be shown, each with the index of its reason.
    pub listed: Vec<(u64, u32)>,
    /// Functions that are not replayed although they may change pictures, each with the reason, the
    /// number of calls and the first one.
    pub ignored: Vec<(String, u64, u64)>,
    /// Shaders that could not be translated.
    pub shaders: Vec<crate::shader_list::Listed>,
    by_reason: HashMap<String, u32>,
    /// The call that was added last, and its reasons.
    latest: Option<(u64, Vec<u32>)>,
}

impl Verdict {
    /// A draw of a call. `reason`: why it cannot be shown.
    pub(crate) fn add(&mut self, call: u64, reason: Option<&str>) {
        if self.latest.as_ref().is_none_or(|(latest, _)| *latest != call) {
            self.latest = Some((call, Vec::new()));
            self.draws += 1;
            if self.calls.len() < MOST {
                self.calls.push(call as u32);
            }
        }
        let Some(reason) = reason else { return };
        let next = self.reasons.len() as u32;
        let index = *self.by_reason.entry_ref(reason).or_insert(next);
        if index == next {
            self.reasons.push((reason.into(), 0, call));
        }
        let Some((_, known)) = self.latest.as_mut().filter(|(_, known)| !known.contains(&index)) else { return };
        self.unshown += u64::from(known.is_empty());
        known.push(index);
        if let Some((_, count, _)) = self.reasons.get_mut(index as usize) {
            *count += 1;
        }
        if self.listed.len() < LISTED {
            self.listed.push((call, index));
        }
    }

    /// A call of a function that is not replayed, for this reason.
    pub(crate) fn ignore(&mut self, name: &str, reason: &str, call: u64) {
        let is_known = |known: &str| known.strip_prefix(name).is_some_and(|rest| rest.starts_with(": "));
        if let Some((_, count, _)) = self.ignored.iter_mut().find(|(known, ..)| is_known(known)) {
            *count += 1;
        } else if self.ignored.len() < MOST_IGNORED {
            self.ignored.push((format!("{name}: {reason}"), 1, call));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_counts_once() {
        let mut verdict = Verdict::default();
        // Three parts of a call, two of which cannot be shown, for one reason each; then further
        // calls.
        for reason in [None, Some("a"), Some("b"), Some("a")] {
            verdict.add(5, reason);
        }
        verdict.add(6, Some("a"));
        verdict.add(7, None);
        assert_eq!((verdict.draws, verdict.unshown, &verdict.calls[..]), (3, 2, &[5, 6, 7][..]));
        assert_eq!(verdict.reasons, [("a".to_owned(), 2, 5), ("b".to_owned(), 1, 5)]);
        assert_eq!(verdict.listed, [(5, 0), (5, 1), (6, 0)]);
    }
}
