//! What a query is once it is read, whichever way it was written.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::number::{Number, Operation};

/// What is wrong with the text of a query: where, in bytes, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Offset of the wrong part.
    pub at: usize,
    /// Its length; 0 at the end of the text.
    pub len: usize,
    /// A sentence.
    pub sentence: String,
}

/// A part of the text: offset and length, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub(crate) at: usize,
    pub(crate) len: usize,
}

impl Place {
    /// From the beginning of `self` to the end of `last`.
    pub(crate) fn to(self, last: Self) -> Self {
        Self { at: self.at, len: (last.at + last.len).saturating_sub(self.at) }
    }

    pub(crate) fn fault(self, sentence: impl Into<String>) -> Fault {
        Fault { at: self.at, len: self.len, sentence: sentence.into() }
    }
}

/// The variables of the program that a free variable may stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Any.
    Any,
    /// Those of types with these names.
    Types(Vec<(Place, String)>),
    /// Those with this name.
    Named(Place, String),
}

/// A free variable. It stands for one variable of a point at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeVariable {
    /// What the query calls it.
    pub name: String,
    /// What it may stand for.
    pub allowed: Allowed,
}

/// A relation of two numbers or texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `!=`. No comparison holds for an invalid value, this one neither.
    Unequal,
}

impl Comparison {
    /// Whether it holds for what compares in this order.
    pub(crate) fn is_met(self, order: Ordering) -> bool {
        match self {
            Self::Greater => order == Ordering::Greater,
            Self::AtLeast => order != Ordering::Less,
            Self::Less => order == Ordering::Less,
            Self::AtMost => order != Ordering::Greater,
            Self::Equal => order == Ordering::Equal,
            Self::Unequal => order != Ordering::Equal,
        }
    }

    /// The same comparison with its sides exchanged.
    pub(crate) fn turned(self) -> Self {
        match self {
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Equal | Self::Unequal => self,
        }
    }
}

/// A condition.
#[derive(Clone, Debug)]
pub enum Condition {
    /// All of them hold.
    All(Vec<Condition>),
    /// At least one of them holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// Two numbers compare like this.
    Compare(Comparison, Term, Term),
    /// The bytes of a free variable compare like this with others, byte by byte. Does not hold for
    /// numbers.
    Bytes(Comparison, u8, Bytes),
    /// The records of two free variables differ: name, type, value, size or buffer size.
    Distinct(u8, u8),
}

/// The other side of a comparison of bytes.
#[derive(Clone, Debug)]
pub enum Bytes {
    /// Those of a text in the query.
    Constant(Vec<u8>),
    /// Those of a free variable.
    Variable(u8),
}

/// A number at a point, or an invalid value.
#[derive(Clone, Debug)]
pub enum Term {
    /// The value of a free variable. Invalid for bytes.
    Value(u8),
    /// The size of the buffer from where a free variable points to. Invalid if that is unknown.
    Size(u8),
    /// A constant, and the same as a machine integer if it is one.
    Constant(Number, Option<i64>),
    /// Two numbers under an operation.
    Apply(Operation, Box<(Term, Term)>),
}

impl Term {
    /// Two numbers under an operation, at a place of the text. All operations of both languages are
    /// made here, because what reads and drops them goes as deep as they are, and a row of
    /// `a * a * a` is as deep as it is long.
    ///
    /// # Errors
    ///
    /// Returns a fault if the term is deeper than [`DEEPEST`].
    pub(crate) fn applied(place: Place, operation: Operation, a: Self, b: Self) -> Result<Self, Fault> {
        let term = Self::Apply(operation, (a, b).into());
        if term.depth() > DEEPEST {
            return Err(place.fault("This has more than 128 operations on each other's results."));
        }
        Ok(term)
    }

    fn depth(&self) -> usize {
        match self {
            Self::Apply(_, terms) => 1 + terms.0.depth().max(terms.1.depth()),
            Self::Value(_) | Self::Size(_) | Self::Constant(..) => 0,
        }
    }
}

/// A query.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Its free variables, in the order of the results.
    pub variables: Vec<FreeVariable>,
    /// What must hold; `None` for every combination.
    pub predicate: Option<Condition>,
    /// Of the combinations at a point, those that meet most of these stay.
    pub soft: Vec<Condition>,
    /// Only points whose statement has these bits: a mask, and what remains under it.
    pub statement: Option<(u64, u64)>,
    /// If there is one and it is not 0: only one point, drawn by this seed.
    pub seed: u32,
    /// Keep results that differ from an earlier one in values alone.
    pub keep: bool,
    /// Written as `(query …)`: results are those of the reference, also where it is odd.
    pub is_reference: bool,
}

impl Query {
    /// Reads a query: `(query …)`, a predicate as an s-expression, or a predicate as it is usually
    /// written. docs/values.md has both languages.
    ///
    /// # Errors
    ///
    /// Returns what is wrong, and where in the text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        if text.len() > LONGEST {
            return Err(Place { at: LONGEST, len: 0 }.fault("This query is longer than 64 KiB."));
        }
        match crate::lisp::parse(text) {
            Some(result) => result,
            None => crate::infix::parse(text),
        }
    }
}

/// Most bytes of a text.
const LONGEST: usize = 64 * 1024;
/// Most levels of nesting.
pub(crate) const DEEPEST: usize = 128;
/// Most free variables.
pub(crate) const MOST_VARIABLES: usize = 16;

/// What a part of a text stands for before it is known what its place takes.
#[derive(Clone, Debug)]
pub(crate) enum Sort {
    Condition(Condition),
    Term(Term),
    /// A free variable itself, by number.
    Variable(u8),
    /// A text in quotation marks, or the name of a variable.
    Quoted(Quoted),
}

/// A text in quotation marks, as it is written and as bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quoted {
    pub(crate) name: String,
    pub(crate) bytes: Result<Vec<u8>, Fault>,
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) place: Place,
    pub(crate) sort: Sort,
}

impl Part {
    pub(crate) fn condition(self) -> Result<Condition, Fault> {
        match self.sort {
            Sort::Condition(condition) => Ok(condition),
            Sort::Term(_) => {
                Err(self.place.fault("This is a number; a condition is needed here, such as a comparison."))
            }
            Sort::Variable(_) => {
                Err(self.place.fault("This is a variable; a condition is needed here, such as a comparison."))
            }
            Sort::Quoted(_) => {
                Err(self.place.fault("This is in quotation marks; a condition is needed here, such as a comparison."))
            }
        }
    }
}

/// A decimal or hexadecimal integer, or a float. `None` for other texts.
pub(crate) fn constant(text: &str) -> Option<Term> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).or_else(|| digits.strip_prefix("#x"));
    let (radix, whole) = hex.map_or((10, digits), |hex| (16, hex));
    let number = if !whole.is_empty() && whole.chars().all(|c| c.is_digit(radix)) {
        let value = num_bigint::BigInt::parse_bytes(whole.as_bytes(), radix)?;
        Number::from_integer(if negative { -value } else { value })
    } else {
        // `inf` and `nan` are names.
        let is_float =
            digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.chars().any(|c| c.is_ascii_digit());
        // Common Lisp writes doubles with d.
        let value: f64 = is_float.then(|| text.replace(['d', 'D'], "e").parse().ok())??;
        Number::from_float(value)?
    };
    let fast = match number {
        Number::Int(n) => i64::try_from(n).ok(),
        _ => None,
    };
    Some(Term::Constant(number, fast))
}
