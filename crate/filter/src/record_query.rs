//! What a pass over the records looks for.

use serde::{Deserialize, Serialize};
use unspool_trace::bytes::to_bytes;

use crate::pattern::{Matcher, Pattern, Regexes};
use crate::values::{Bounds, Number, Test};

/// Positions or lengths in ticks, both ends included.
pub type Span = (u64, u64);

/// A condition on names alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NameExpr {
    /// At least one of them holds.
    Any(Vec<NameExpr>),
    /// All of them hold.
    All(Vec<NameExpr>),
    /// It does not hold.
    Not(Box<NameExpr>),
    /// The name is like this.
    Is(Pattern),
}

/// A condition on names, prepared.
pub enum NameMatcher {
    /// At least one of them holds.
    Any(Vec<NameMatcher>),
    /// All of them hold.
    All(Vec<NameMatcher>),
    /// It does not hold.
    Not(Box<NameMatcher>),
    /// The name, or its id or address, is like this.
    Is(Matcher),
}

impl NameExpr {
    /// Prepares the condition. Regular expressions were compiled before, when they were parsed.
    pub fn compile(&self, regexes: &dyn Regexes) -> NameMatcher {
        let all = |parts: &[Self]| parts.iter().map(|part| part.compile(regexes)).collect();
        match self {
            Self::Any(parts) => NameMatcher::Any(all(parts)),
            Self::All(parts) => NameMatcher::All(all(parts)),
            Self::Not(inner) => NameMatcher::Not(Box::new(inner.compile(regexes))),
            Self::Is(pattern) => match pattern.compile(regexes) {
                Ok(matcher) => NameMatcher::Is(matcher),
                Err(_) => NameMatcher::Any(Vec::new()),
            },
        }
    }
}

impl NameMatcher {
    /// Whether it holds for a name, given as its text and the text of its key, which may be empty.
    pub fn holds(&self, text: &str, key: &str) -> bool {
        match self {
            Self::Any(parts) => parts.iter().any(|part| part.holds(text, key)),
            Self::All(parts) => parts.iter().all(|part| part.holds(text, key)),
            Self::Not(inner) => !inner.holds(text, key),
            Self::Is(matcher) => matcher.matches(text) || !key.is_empty() && matcher.matches(key),
        }
    }
}

/// A condition on one record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RecordTest {
    /// Its name. `ids` are those of functions whose names are as wanted, ascending.
    Name {
        /// For names in the record.
        expr: NameExpr,
        /// For ids in the record.
        ids: Vec<i64>,
    },
    /// It is on one of these tracks, ascending.
    Tracks(Vec<u32>),
    /// Its position is in one of these ranges.
    At(Vec<Span>),
    /// It begins one of the slices with this number among what [`crate::Search::new`] gets.
    Begins(u16),
    /// A field is like this.
    Field {
        /// The keys that lead to it. The first one is `arg`, which stands for the arguments or for
        /// the record, or `ret`.
        path: Vec<String>,
        /// What it must be like.
        test: Test,
    },
    /// A text in any field is like this.
    Text(Pattern),
    /// It has this word as a person reads it: in its name, in a text, in an instruction, as a
    /// number, or as the name of an argument or a variable. An alternative with such conditions is
    /// only of records with a word of them in a field: others are found by name.
    Word {
        /// In names and texts.
        pattern: Pattern,
        /// Ids of functions whose names have it, ascending.
        ids: Vec<i64>,
        /// The number that it is.
        number: Option<Number>,
    },
    /// Bytes in any field contain these.
    Bytes(Vec<u8>),
    /// The instruction is like this.
    Instruction(Pattern),
    /// The instruction's address.
    Address(Bounds<Number>),
    /// It reads or writes memory at some of these addresses.
    Memory {
        /// It writes it. Otherwise it reads it.
        written: bool,
        /// The addresses.
        bounds: Bounds<Number>,
    },
    /// It reads or writes a value like this.
    Value {
        /// It writes it. Otherwise it reads it.
        written: bool,
        /// Where.
        place: ValuePlace,
        /// What the value must be like.
        test: Test,
    },
    /// An operand has a taint with such an id, or any taint.
    Taint(Option<Bounds<Number>>),
}

/// Where a value is read or written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValuePlace {
    /// In the register with this name, whose case does not matter, or in any.
    Register(Option<String>),
    /// Anywhere in memory.
    Memory,
}

impl ValuePlace {
    /// Whether an operand is there. `name` is its name if it is a register.
    pub fn has(&self, name: &str, is_memory: bool) -> bool {
        match self {
            Self::Memory => is_memory,
            Self::Register(of) => !is_memory && of.as_deref().is_none_or(|of| of.eq_ignore_ascii_case(name)),
        }
    }
}

/// What a pass looks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordQuery {
    /// The conditions.
    pub tests: Vec<RecordTest>,
    /// Alternatives: each has the numbers of conditions that hold together, and whether each is to
    /// hold or not.
    pub branches: Vec<Vec<(bool, u16)>>,
}

impl RecordQuery {
    /// Most alternatives.
    pub const MOST: usize = 64;

    /// The query as bytes, for a worker of the same build.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// The mirror of [`RecordQuery::to_bytes`]. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok().filter(Self::is_sound)
    }

    fn is_sound(&self) -> bool {
        let known = |(_, test): &(bool, u16)| usize::from(*test) < self.tests.len();
        self.branches.len() <= Self::MOST && self.branches.iter().flatten().all(known)
    }
}
