//! Comma-separated values (RFC 4180). No cell is a formula.

use std::io::{self, Write};

/// A CSV field, in quotes if it needs them. A text that a spreadsheet would take for a formula begins with an apostrophe.
fn quoted(field: &str) -> String {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field.parse::<f64>().is_err();
    let apostrophe = if is_formula { "'" } else { "" };
    // Spreadsheets strip spaces from fields without quotes.
    let plain = !field.contains([',', '"', '\r', '\n']) && field.trim() == field;
    if plain { format!("{apostrophe}{field}") } else { format!("\"{apostrophe}{}\"", field.replace('"', "\"\"")) }
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

    #[test]
    fn texts_are_no_formulas() {
        assert_eq!(quoted("=1+1"), "'=1+1");
        assert_eq!(quoted("@SUM(1,2)"), "\"'@SUM(1,2)\"");
        assert_eq!(quoted("\t=1"), "\"'\t=1\"");
        assert_eq!(quoted("-[NSObject init]"), "'-[NSObject init]");
        for number in ["-5", "+1.5e3", "-0.25", "18446744073709551615"] {
            assert_eq!(quoted(number), number);
        }
    }
}
