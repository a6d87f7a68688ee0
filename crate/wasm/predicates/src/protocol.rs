//! What questions about values are answered with.

use unspool_js::columns::{BigUint64Array, Float64Array, Int32Array, Uint8Array, Uint32Array};
use unspool_js::structures;
use unspool_values::{Relation, Suspicion};

structures! {
    /// What can be named in a query about values, in the order of the trace.
    pub struct ValuesKnown {
        /// Names of variables.
        pub variables: Vec<String>,
        /// Names of types.
        pub types: Vec<String>,
    }

    /// All statements as columns, in the order of their first points, with what they have in a
    /// range. Points are counted from 0.
    pub struct StatementColumns {
        /// 0 for points that name no statement.
        pub named: Uint8Array,
        /// Number of the file, or -1.
        pub file: Int32Array,
        /// Index in the file; the whole number without a file.
        pub place: BigUint64Array,
        /// Number of points in the range, 0 without any.
        pub count: Float64Array,
        /// Number of the first of them.
        pub first: Float64Array,
        /// Number of the last of them.
        pub last: Float64Array,
        /// Id of the track of its points.
        pub track: Uint32Array,
        /// `cells` numbers for each statement: its points in equal parts of the range.
        pub heat: Uint32Array,
        /// See `heat`.
        pub cells: u32,
    }

    /// A column of an iteration table.
    pub struct IterationColumn {
        /// Of the variable.
        pub name: String,
        /// Of the variable.
        #[serde(rename = "type")]
        pub of_type: String,
        /// It has, in place of the values of that pointer, the bytes from there to the end of its
        /// buffer.
        pub is_size: bool,
    }

    /// The variables of a statement over its occurrences.
    pub struct IterationTable {
        /// Number of occurrences.
        pub count: f64,
        /// Number of those that have rows.
        pub rows: f64,
        /// The variables.
        pub columns: Vec<IterationColumn>,
    }

    /// An occurrence.
    pub struct IterationRow {
        /// Its number.
        pub point: f64,
        /// Where its record is found again.
        pub locator: u64,
        /// A text for each column; '' if the point does not have the variable.
        pub texts: Vec<String>,
        /// Whether it differs from the row before in the order of the trace.
        pub changed: Vec<bool>,
    }

    /// A point to which something leads.
    pub struct ValuePlace {
        /// Its number.
        pub point: f64,
        /// Where its record is found again.
        pub locator: u64,
        /// Id of the track of its statement.
        pub track: u32,
        /// Number of its statement in `StatementColumns`.
        pub statement: u32,
    }

    /// A value at a point: the fields of a `ValuePlace`, and the value.
    pub struct ValueMoment {
        /// Number of the point.
        pub point: f64,
        /// Where its record is found again.
        pub locator: u64,
        /// Id of the track of its statement.
        pub track: u32,
        /// Number of its statement in `StatementColumns`.
        pub statement: u32,
        /// As details show it; '' for bytes.
        pub text: String,
    }

    /// What is known of a variable: a name with a type, at whatever statement.
    pub struct VariableSummary {
        /// Its name.
        pub name: String,
        /// Its type.
        #[serde(rename = "type")]
        pub of_type: String,
        /// Its values are addresses.
        pub pointer: bool,
        /// Number of its values.
        pub count: f64,
        /// Its first value.
        pub first: ValueMoment,
        /// Its last value.
        pub last: ValueMoment,
        /// null if it never has a number.
        pub lowest: Option<ValueMoment>,
        /// See `lowest`.
        pub highest: Option<ValueMoment>,
        /// How often it differs from the time before.
        pub changes: f64,
        /// How often it is 0, or null.
        pub zeros: f64,
        /// How often it has no value that could be compared: bytes, and what is not a number.
        pub invalid: f64,
        /// How often a pointer points into a buffer.
        pub in_buffer: f64,
        /// Number of different values.
        pub different: f64,
        /// Whether these are all.
        pub is_all: bool,
        /// The lowest and the highest value in each of equal parts of the range, NaN without any.
        /// Empty for bytes.
        pub over_time: Float64Array,
        /// A bit for each of these parts, the lowest for the first, that has a value that is not a
        /// number.
        pub nan_over_time: u64,
    }

    /// Why a pointer may lead out of a buffer: it points past the end; less than one element of its
    /// type is left; the buffer was freed.
    pub enum PointerSuspicion {
        /// Past the end.
        Past,
        /// Before the begin.
        Before,
        /// Too little is left.
        Short,
        /// The buffer was freed.
        Freed,
    }

    /// A pointer that may lead out of a buffer.
    pub struct PointerCandidate {
        /// What may be wrong.
        pub why: PointerSuspicion,
        /// Its name.
        pub name: String,
        /// Its type.
        #[serde(rename = "type")]
        pub of_type: String,
        /// Where it was first so.
        pub first: ValuePlace,
        /// How often, at this statement and in this buffer.
        pub count: f64,
        /// The points where it is so: the first few.
        pub points: Float64Array,
        /// The first value. Hexadecimal.
        pub value: String,
        /// The address of the buffer. Hexadecimal.
        pub address: String,
        /// Bytes of the buffer.
        pub size: f64,
        /// Bytes from the pointer to the end of the buffer; negative past it.
        pub left: f64,
    }

    /// The buffers of a trace.
    pub struct BufferTable {
        /// Number of lifetimes.
        pub count: f64,
        /// Number of those that have rows.
        pub rows: f64,
        /// Number of those that do not end.
        pub never_freed: f64,
        /// The most bytes that were in use at the same time.
        pub most_in_use: f64,
        /// Pointers that may be wrong.
        pub candidates: Vec<PointerCandidate>,
        /// Whether these are all candidates.
        pub is_all: bool,
    }

    /// A buffer, from where its size was said to where it is freed or gets another size.
    pub struct BufferRow {
        /// Hexadecimal.
        pub address: String,
        /// In bytes.
        pub size: f64,
        /// Where it begins.
        pub from: ValuePlace,
        /// null if it does not end.
        pub to: Option<ValuePlace>,
        /// It ends because it gets another size.
        pub is_resized: bool,
        /// Number of values of pointers that point into it.
        pub pointers: f64,
        /// The fewest bytes left from there; null without any.
        pub left: Option<f64>,
        /// Names of the pointers: the first few.
        pub names: Vec<String>,
    }

    /// What an invariant says of its variables.
    pub enum InvariantRelation {
        /// Two are equal.
        Equal,
        /// One is what is left of the buffer of a pointer.
        Size,
        /// One is another one, times a factor, plus a number.
        Linear,
        /// It has one value.
        Constant,
        /// It has one of a few values.
        #[serde(rename = "one-of")]
        OneOf,
        /// A pointer is never null.
        #[serde(rename = "not-null")]
        NotNull,
        /// One is at most another one.
        #[serde(rename = "at-most")]
        AtMost,
        /// All values of one are below all of another one.
        Apart,
    }

    /// A relation that likely always holds at a statement.
    pub struct Invariant {
        /// What holds.
        pub relation: InvariantRelation,
        /// The query that finds where it holds; '' if no query does.
        pub query: String,
        /// The query that finds where it does not; '' if no query does.
        pub exceptions_query: String,
        /// How often it holds.
        pub holds: f64,
        /// How often it does not.
        pub exceptions: f64,
    }
}

impl From<Suspicion> for PointerSuspicion {
    fn from(why: Suspicion) -> Self {
        match why {
            Suspicion::Past => Self::Past,
            Suspicion::Before => Self::Before,
            Suspicion::Short => Self::Short,
            Suspicion::Freed => Self::Freed,
        }
    }
}

impl From<Relation> for InvariantRelation {
    fn from(relation: Relation) -> Self {
        match relation {
            Relation::Equal => Self::Equal,
            Relation::Size => Self::Size,
            Relation::Linear => Self::Linear,
            Relation::Constant => Self::Constant,
            Relation::OneOf => Self::OneOf,
            Relation::NotNull => Self::NotNull,
            Relation::AtMost => Self::AtMost,
            Relation::Apart => Self::Apart,
        }
    }
}
