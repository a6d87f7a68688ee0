//! Comma-separated values (RFC 4180). No cell is a formula.

use std::io::{self, Write};

use unspool_export::csv_text;

/// Writes a row, with its line end. A field that is a number stays one, whatever it begins with.
pub(crate) fn write_row(out: &mut impl Write, fields: &[String]) -> io::Result<()> {
    let mut row = Vec::new();
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            row.push(b',');
        }
        if field.parse::<f64>().is_ok() {
            row.extend(field.bytes());
        } else {
            csv_text(field, &mut row);
        }
    }
    row.extend(b"\r\n");
    out.write_all(&row)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of one field, without its line end.
    fn quoted(field: &str) -> String {
        let mut row = Vec::new();
        write_row(&mut row, &[field.into()]).unwrap();
        String::from_utf8(row).unwrap().strip_suffix("\r\n").unwrap().into()
    }

    #[test]
    fn fields_are_separated() {
        let mut row = Vec::new();
        write_row(&mut row, &["a,b".into(), String::new(), "-1".into()]).unwrap();
        assert_eq!(row, b"\"a,b\",,-1\r\n");
    }

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
