//! What values of fields must be like.

use serde::{Deserialize, Serialize};

use crate::pattern::Pattern;

/// What a value must be like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Test {
    /// As a number.
    pub number: Option<Bounds<Number>>,
    /// As a text or the name of a constant.
    pub text: Option<Pattern>,
}

/// Bounds; none means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds<T> {
    /// At least this, or more than it.
    pub low: Option<Bound<T>>,
    /// At most this, or less than it.
    pub high: Option<Bound<T>>,
}

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound<T> {
    /// The value.
    pub value: T,
    /// Whether the value itself is allowed.
    pub included: bool,
}

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// With a fraction or an exponent.
    Float(f64),
}
