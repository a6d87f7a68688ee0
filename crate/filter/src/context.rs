//! The trace that expressions are about.

use serde::{Deserialize, Serialize};
use unspool_trace::bytes::to_bytes;

/// A name of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// As it is shown.
    pub text: String,
    /// The id or address that the file has in its place, such as `#12`. Empty if there is none, or
    /// if the text is that.
    pub key: String,
    /// The function's id, if the trace has ids.
    pub id: Option<i64>,
}

/// A track of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Track {
    /// Its name.
    pub name: String,
    /// The number of its thread, if there is one.
    pub thread: Option<i64>,
}

/// What an expression is about: a trace that has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// Its names by number.
    pub names: Vec<Name>,
    /// Its tracks by number.
    pub tracks: Vec<Track>,
    /// Where it begins, in ticks.
    pub begin: u64,
    /// Ticks per second; `None` if the x axis is not time.
    pub frequency: Option<u64>,
    /// Where its frames begin, and where the last one ends. Frames follow one another.
    pub frames: Vec<u64>,
    /// Whether there are calls that begin in one frame and return in another one.
    pub has_calls_across_frames: bool,
    /// What its records have.
    pub offers: Offers,
}

/// What the records of a trace have, which decides the keys that mean something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offers {
    /// Instructions.
    pub code: bool,
    /// What instructions read and write.
    pub state: bool,
    /// Results and frames of calls.
    pub calls: bool,
}

impl Context {
    /// The keys that mean something in this trace, with commas in between.
    pub fn keys(&self) -> String {
        let Offers { code, state, calls } = self.offers;
        let parts: &[(bool, &str)] = &[
            (true, "name, thread"),
            (self.frequency.is_some(), "dur"),
            (true, "start, depth"),
            (calls, "frame"),
            (true, "flag, arg.…"),
            (calls, "ret"),
            (true, "text, bytes"),
            (code, "insn, addr"),
            (state, "mem, reg, taint"),
        ];
        parts.iter().filter(|(is, _)| *is).map(|(_, keys)| *keys).collect::<Vec<_>>().join(", ")
    }

    /// As bytes, for a module of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// The mirror of [`Context::to_bytes`]. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}
