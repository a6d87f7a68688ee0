//! Parts of JSON that text dumps have in common.

use alloc::string::String;
use core::fmt::Write;

/// Appends a text with its quotes.
pub(crate) fn put_text(out: &mut String, text: &str) {
    out.push('"');
    put_chars(out, text);
    out.push('"');
}

/// Appends a text without quotes.
pub(crate) fn put_chars(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = special.chars();
        // Writing to a String cannot fail.
        let _ = match chars.next() {
            Some('\n') => out.write_str("\\n"),
            Some(c @ ('"' | '\\')) => write!(out, "\\{c}"),
            Some(c) => write!(out, "\\u{:04x}", u32::from(c)),
            None => Ok(()),
        };
        rest = chars.as_str();
    }
    out.push_str(rest);
}

/// Appends a double with the fewest digits that give it back, or the text `nan`, `inf` or `-inf`,
/// which JSON lacks.
pub(crate) fn put_double(out: &mut String, x: f64) {
    let _ = match x {
        _ if x.is_nan() => out.write_str("\"nan\""),
        _ if x.is_infinite() => out.write_str(if x > 0.0 { "\"inf\"" } else { "\"-inf\"" }),
        // With an exponent if it is far from 1.
        _ => write!(out, "{x:?}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut out = String::new();
        put_text(&mut out, "a\"b\\c\nd\te\0\u{7f}é");
        assert_eq!(out, "\"a\\\"b\\\\c\\nd\\u0009e\\u0000\u{7f}é\"");
    }

    #[test]
    fn doubles_are_valid_json() {
        let mut out = String::new();
        for x in [0.1, -0.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            put_double(&mut out, x);
            out.push(' ');
        }
        assert_eq!(out, "0.1 -0.0 1e300 \"nan\" \"inf\" \"-inf\" ");
    }
}
