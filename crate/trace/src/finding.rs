//! What stands out in a trace, whatever its format: a sentence with figures, a place, and why it is
//! listed.
//!
//! Who looks for it is the crate that knows what the trace says: `engine` for calls that take time,
//! `access_index` for steps, `values` for variables, `graphics` for calls of OpenGL.
//! `docs/findings.md` defines each kind: what it is, how it is found, and when it is wrong.

use alloc::string::String;
use alloc::vec::Vec;

/// Findings of a kind among the foremost: one cause often shows several times.
const MOST_OF_A_KIND: usize = 3;

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// A stable word: `slow-call`.
    pub word: &'static str,
    /// What people call several: `Slow calls`.
    pub title: &'static str,
    /// Why findings of this kind are listed: a sentence.
    pub why: &'static str,
}

/// A number or a cause that a sentence says, so that it can be computed once more.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The kind of number: `time`, `self`, `median`, `calls`. `docs/findings.md` defines them.
    pub quantity: &'static str,
    /// The owner of the number, as the trace shows it: the name of a function. May be empty.
    pub of: String,
    /// Its position on the x axis. `None` if it is all over the trace.
    pub at: Option<u64>,
    /// The number, not rounded.
    pub value: f64,
    /// The unit: `tick`, `call`, `step`, or empty for a ratio.
    pub unit: &'static str,
    /// The words of the sentence: `1.19 ms`.
    pub text: String,
}

impl Claim {
    /// A claim about nothing in particular, all over the trace.
    pub fn new(quantity: &'static str, value: f64, unit: &'static str, text: impl Into<String>) -> Self {
        Self { quantity, of: String::new(), at: None, value, unit, text: text.into() }
    }

    /// With what has the quantity.
    #[must_use]
    pub fn of(mut self, name: impl Into<String>) -> Self {
        self.of = name.into();
        self
    }

    /// With where that is.
    #[must_use]
    pub fn at(mut self, position: u64) -> Self {
        self.at = Some(position);
        self
    }
}

/// A sentence that is made of words and claims: each number in it is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sentence {
    text: String,
    claims: Vec<Claim>,
}

impl Sentence {
    /// Adds words without a number, or names.
    pub fn say(&mut self, words: impl AsRef<str>) -> &mut Self {
        self.text.push_str(words.as_ref());
        self
    }

    /// Adds the text of a claim.
    pub fn claim(&mut self, claim: Claim) -> &mut Self {
        self.text.push_str(&claim.text);
        self.claims.push(claim);
        self
    }
}

/// Something that stands out.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is.
    pub kind: &'static Kind,
    /// What happens, to what, and how much, without a full stop.
    pub sentence: String,
    /// Where it leads to: a position on the x axis.
    pub at: Option<u64>,
    /// Where it ends, at least `at`. `None` if it is at one position.
    pub end: Option<u64>,
    /// The track where it is, if it is on one.
    pub track: Option<u32>,
    /// Names of what it is about, as the trace shows them. The first is the cause.
    pub names: Vec<String>,
    /// The numbers of the sentence.
    pub claims: Vec<Claim>,
    /// Positions where it happens, ascending: the first few.
    pub places: Vec<u64>,
    /// How much it matters, from 0 to 1: usually the share of the trace that it costs. Findings are
    /// listed by it, the greatest first.
    pub weight: f64,
    /// Only a part of the trace was looked at for it, and how much.
    pub part: Option<String>,
}

impl Finding {
    /// A finding without a place and names.
    pub fn new(kind: &'static Kind, weight: f64, sentence: Sentence) -> Self {
        let Sentence { text: sentence, claims } = sentence;
        let (names, places) = (Vec::new(), Vec::new());
        Self { kind, sentence, at: None, end: None, track: None, names, claims, places, weight, part: None }
    }

    /// With the positions where it begins and ends.
    #[must_use]
    pub fn within(mut self, at: u64, end: u64) -> Self {
        (self.at, self.end) = (Some(at), (end > at).then_some(end));
        self
    }

    /// On a track.
    #[must_use]
    pub fn on(mut self, track: u32) -> Self {
        self.track = Some(track);
        self
    }

    /// With names of what it is about.
    #[must_use]
    pub fn about<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }
}

/// Sorts findings, the greatest first.
pub fn arrange(findings: &mut [Finding]) {
    findings.sort_by(|a, b| b.weight.total_cmp(&a.weight));
}

/// Of findings in their order, keeps the first three of each kind.
pub fn keep_foremost(findings: &mut Vec<Finding>) {
    let mut kept: Vec<(&'static str, usize)> = Vec::new();
    findings.retain(|it| match kept.iter_mut().find(|(word, _)| *word == it.kind.word) {
        Some((_, count)) => {
            *count += 1;
            *count <= MOST_OF_A_KIND
        }
        None => {
            kept.push((it.kind.word, 1));
            true
        }
    });
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn the_greatest_come_first_and_few_of_each_kind() {
        static A: Kind = Kind { word: "a", title: "As", why: "." };
        static B: Kind = Kind { word: "b", title: "Bs", why: "." };
        let mut all: Vec<Finding> = [0.1, 0.5, 0.2, 0.4, 0.3].map(|w| Finding::new(&A, w, Sentence::default())).into();
        all.push(Finding::new(&B, 0.25, Sentence::default()).within(7, 7));
        arrange(&mut all);
        assert_eq!(all.len(), 6);
        keep_foremost(&mut all);
        assert_eq!(all.iter().map(|it| it.weight).collect::<Vec<_>>(), [0.5, 0.4, 0.3, 0.25]);
        assert_eq!(all.last().map(|it| (it.at, it.end)), Some((Some(7), None)));
    }
}
