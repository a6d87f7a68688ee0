//! What a difference between records is, in words.

use crate::sentence::grouped;

/// What a difference is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Records that only A has.
    OnlyA,
    /// Records that only B has.
    OnlyB,
    /// Records with the same names in the same order, and other arguments.
    Arguments,
    /// Records that the other side has somewhere else.
    Order,
    /// A loop with another number of iterations.
    Iterations {
        /// Records of an iteration.
        records: u32,
        /// Iterations of the loop in A and in B.
        counts: [u32; 2],
        /// Whether the first iterations are the same, and the last ones.
        same: [bool; 2],
    },
    /// A call that was put around others, or taken away from around them.
    Inside {
        /// The name of the call around.
        outer: String,
        /// The name of the first call in it.
        inner: String,
        /// Whether B has it.
        in_b: bool,
    },
    /// Other records.
    Other,
}

impl What {
    /// A word for programs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::OnlyA => "only a",
            Self::OnlyB => "only b",
            Self::Arguments => "arguments",
            Self::Order => "order",
            Self::Iterations { .. } => "iterations",
            Self::Inside { .. } => "inside",
            Self::Other => "other",
        }
    }

    /// A phrase for people. `noun` is what a record is called, in the singular.
    #[must_use]
    pub fn phrase(&self, noun: &str) -> String {
        match self {
            Self::OnlyA => "only in A".into(),
            Self::OnlyB => "only in B".into(),
            Self::Arguments => "other arguments".into(),
            Self::Order => "other order".into(),
            Self::Other => format!("other {noun}s"),
            Self::Inside { outer, inner, in_b } => {
                format!("the calls of {inner} are inside of {outer} in {}", if *in_b { "B" } else { "A" })
            }
            Self::Iterations { records, counts: [a, b], same } => {
                let plural = if *records == 1 { "" } else { "s" };
                let [a_count, b_count] = [a, b].map(|count| grouped(u64::from(*count)));
                let plural_a = if *a == 1 { "" } else { "s" };
                let ends = match same {
                    [true, true] => "",
                    [false, true] => "; the first ones differ",
                    [true, false] => "; the last ones differ",
                    [false, false] => "; the first and the last ones differ",
                };
                format!(
                    "loop of {} {noun}{plural}: {a_count} iteration{plural_a} in A, {b_count} in B{ends}",
                    grouped(u64::from(*records))
                )
            }
        }
    }
}
