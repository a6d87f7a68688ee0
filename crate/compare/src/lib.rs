//! Compares two traces.

#![forbid(unsafe_code)]

pub mod align;
pub mod tokens;
