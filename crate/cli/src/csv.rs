//! Comma-separated values (RFC 4180).

use std::io::{self, Write};

/// A CSV field, in quotes if it needs them.
pub(crate) fn quoted(field: &str) -> String {
    // Spreadsheets strip spaces from fields without quotes.
    let plain = !field.contains([',', '"', '\r', '\n']) && field.trim() == field;
    if plain { field.to_string() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
}

/// Writes a row, with its line end.
pub(crate) fn write_row(out: &mut impl Write, fields: &[String]) -> io::Result<()> {
    let fields: Vec<_> = fields.iter().map(|field| quoted(field)).collect();
    write!(out, "{}\r\n", fields.join(","))
}

/// A field that may be empty.
pub(crate) fn optional(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_if_csv_or_spreadsheets_require_it() {
        assert_eq!(quoted("std::vector<int>"), "std::vector<int>");
        assert_eq!(quoted("f(int, char)"), "\"f(int, char)\"");
        assert_eq!(quoted("say \"no\""), "\"say \"\"no\"\"\"");
        assert_eq!(quoted("two\nlines"), "\"two\nlines\"");
        assert_eq!(quoted(" a"), "\" a\"");
        assert_eq!(quoted(""), "");
    }
}
