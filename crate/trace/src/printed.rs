//! Bytes that are shown as text, in lists, details and dumps, and found as text.

use alloc::string::String;
use core::fmt::Write as _;

/// Most bytes that are shown as text. Longer ones are images and the like.
const MOST: u64 = 4096;

/// Bytes as text, if they are one: valid UTF-8 without control characters but for tabs and ends of
/// lines. `len` is how many there are in the file.
pub fn printed(bytes: &[u8], len: u64) -> Option<&str> {
    let text = core::str::from_utf8(bytes).ok().filter(|text| len <= MOST && text.len() as u64 == len)?;
    text.bytes().all(|byte| byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r')).then_some(text)
}

/// Prints a text in quotation marks, with escapes and in one line: at most about `most` bytes of
/// it, and `…` for the rest.
pub fn put_quoted(out: &mut String, text: &str, most: usize) {
    let end = (0..=most.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    let rest = if end < text.len() { "…" } else { "" };
    // Writing to a String cannot fail.
    let _ = write!(out, "{:?}{rest}", text.get(..end).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_a_text_without_control_characters() {
        let of = |bytes: &[u8]| printed(bytes, bytes.len() as u64).is_some();
        assert!(of("grüße\n\t".as_bytes()) && of(b""));
        assert!(!of(b"a\0") && !of(b"\xff") && !of(b"\x1b[1m"));
        assert!(of(&[b'a'; 4096]) && !of(&[b'a'; 4097]));
        // Only the first bytes are known.
        assert_eq!(printed(b"abc", 4), None);
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
