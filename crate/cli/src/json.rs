//! JSON for people and scripts: indented, with whole numbers as integers.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Serializer, Value};

/// Largest magnitude up to which every double without a fraction is exact.
const EXACT: f64 = (1u64 << 53) as f64;

/// Prints `value` as indented JSON with a line end.
///
/// Counts are doubles in the structures that the page receives. Here they are printed as integers:
/// `12`, not `12.0`.
///
/// # Errors
///
/// Returns the error of `out`.
pub(crate) fn print(mut out: impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut out, Integers(PrettyFormatter::new())))?;
    writeln!(out)
}

/// As it is, with the keys of its objects as SQL has them: `ticks_per_second`, not
/// `ticksPerSecond`.
///
/// # Errors
///
/// Returns the error of its serialisation.
pub(crate) fn snake_case(value: &impl Serialize) -> io::Result<Value> {
    Ok(renamed(serde_json::to_value(value)?))
}

fn renamed(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (snake(&key), renamed(value))).collect(),
        Value::Array(items) => items.into_iter().map(renamed).collect(),
        other => other,
    }
}

fn snake(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Prints `value` as one line of JSON.
///
/// # Errors
///
/// Returns the error of `out`.
pub(crate) fn print_line(mut out: impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)
}

/// serde_json's indentation, with whole numbers as integers.
struct Integers(PrettyFormatter<'static>);

impl Formatter for Integers {
    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        let is_negative_zero = value == 0.0 && value.is_sign_negative();
        if value.fract() == 0.0 && value.abs() <= EXACT && !is_negative_zero {
            return self.write_i64(out, value as i64);
        }
        self.0.write_f64(out, value)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_as_in_sql() {
        let value = serde_json::json!({ "aB": [{ "ticksPerSecond": 1 }], "x": null });
        let expected = serde_json::json!({ "a_b": [{ "ticks_per_second": 1 }], "x": null });
        assert_eq!(snake_case(&value).unwrap(), expected);
    }

    #[test]
    fn whole_numbers_are_integers() {
        let mut out = Vec::new();
        print(&mut out, &[12.0, 0.5, -3.0, -0.0, f64::INFINITY]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "[\n  12,\n  0.5,\n  -3,\n  -0.0,\n  null\n]\n");
    }
}
