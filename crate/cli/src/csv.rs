//! Comma-separated values (RFC 4180).

/// A CSV field, in quotes if it needs them.
pub(crate) fn quoted(field: &str) -> String {
    // Spreadsheets strip spaces from fields without quotes.
    let plain = !field.contains([',', '"', '\r', '\n']) && field.trim() == field;
    if plain { field.to_string() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
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
