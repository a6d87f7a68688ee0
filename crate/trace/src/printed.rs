//! Bytes that are shown as text, in lists, details and dumps, and found as text.

use alloc::string::String;
use core::fmt::Write as _;

/// Most bytes that are shown as text. Longer ones are images and the like.
const MOST: u64 = 4096;

/// Bytes as text, if they are one: valid UTF-8 without control characters but for tabs and ends of
/// lines. `len` is how many there are in the file: of bytes that are not all there, it is not
/// known.
pub fn printed(bytes: &[u8], len: u64) -> Option<&str> {
    if len > MOST || bytes.len() as u64 != len {
        return None;
    }
    let text = core::str::from_utf8(bytes).ok()?;
    text.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r')).then_some(text)
}

/// Whether a character has no shape of its own, so that what is shown differs from what is there:
/// control and format characters, such as marks that change the direction of writing and joiners,
/// selectors of variants, fillers, tags. `web/base/texts.ts` has the same ones.
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{600}'..='\u{605}'
                | '\u{61c}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{890}' | '\u{891}'
                | '\u{8e2}'
                | '\u{115f}' | '\u{1160}'
                | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{110bd}' | '\u{110cd}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{16fe4}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d159}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// The longest beginning of a text that has at most `most` bytes.
pub fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Prints a text in quotation marks, with escapes and in one line: at most about `most` bytes of
/// it, and `…` for the rest.
pub fn put_quoted(out: &mut String, text: &str, most: usize) {
    let shown = beginning(text, most);
    let rest = if shown.len() < text.len() { "…" } else { "" };
    // Writing to a String cannot fail.
    let _ = write!(out, "{shown:?}{rest}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Bytes that are a text, and some that are not: `web/trace/printed.test.ts` has the same
    /// cases.
    const CASES: &str = include_str!("printed_cases.txt");

    #[test]
    fn bytes_are_a_text_without_control_characters() {
        let of = |bytes: &[u8]| printed(bytes, bytes.len() as u64).is_some();
        let mut counts = [0, 0];
        for case in CASES.lines().filter(|line| !line.starts_with('#')) {
            let (is_text, digits) = case.split_once(':').unwrap();
            let bytes: Vec<u8> = digits.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
            let is_text = is_text == "text";
            assert_eq!(of(&bytes), is_text, "{case}");
            counts[usize::from(is_text)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 3));
        assert!(of(&[b'a'; 4096]) && !of(&[b'a'; 4097]));
        // Only the first bytes are known.
        assert_eq!(printed(b"abc", 4), None);
    }

    #[test]
    fn characters_without_a_shape_are_invisible() {
        for c in [
            '\0',
            '\n',
            '\u{9b}',
            '\u{ad}',
            '\u{6dd}',
            '\u{2800}',
            '\u{13430}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{fe0f}',
            '\u{e0041}',
        ] {
            assert!(is_invisible(c), "{c:?}");
        }
        for c in [' ', 'a', 'é', '…', '中', '😀', '\u{301}'] {
            assert!(!is_invisible(c), "{c:?}");
        }
    }

    #[test]
    fn a_beginning_ends_between_characters() {
        assert_eq!(["", "ü", "üü"], [1, 3, 9].map(|most| beginning("üü", most)));
        assert_eq!(beginning("a", 0), "");
    }

    #[test]
    fn quoted_texts_are_in_one_line_and_bounded() {
        let of = |text: &str, most| {
            let mut out = String::new();
            put_quoted(&mut out, text, most);
            out
        };
        assert_eq!(of("grüße\n\"a\"", 24), "\"grüße\\n\\\"a\\\"\"");
        assert_eq!(of("üü", 3), "\"ü\"…");
        assert_eq!(of("", 3), "\"\"");
    }
}
