//! Texts in queries: what is in quotation marks, and what stands for which bytes.

use alloc::vec::Vec;

use crate::syntax::{Fault, Place};

/// The part between the quotation marks or backticks that a text begins with. A mark inside has a
/// backslash before it; a backtick is doubled. `None` if the closing one is missing.
pub(crate) fn quoted(text: &str) -> Option<&str> {
    let mut chars = text.char_indices().peekable();
    let (_, mark) = chars.next()?;
    while let Some((i, c)) = chars.next() {
        if mark == '"' && c == '\\' {
            chars.next();
        } else if c == mark {
            if mark == '`' && chars.next_if(|(_, next)| *next == '`').is_some() {
                continue;
            }
            return text.get(mark.len_utf8()..i);
        }
    }
    None
}

/// The bytes of a text in quotation marks, which begins at `at`. Escapes are those of Rust and C.
pub(crate) fn bytes(text: &str, at: usize) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.find('\\') {
        let (plain, escape) = rest.split_at(next);
        bytes.extend_from_slice(plain.as_bytes());
        let len = escaped(escape, &mut bytes).ok_or_else(|| {
            let at = at + text.len() - escape.len();
            let len = 1 + escape.chars().nth(1).map_or(0, char::len_utf8);
            Place { at, len }.fault(ESCAPES)
        })?;
        rest = escape.get(len..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

const ESCAPES: &str = "Unknown escape. There are \\n, \\r, \\t, \\0, \\\\, \\\", \\x and two digits, and \\u{…}.";

/// Adds what an escape stands for. Returns its length; `None` if it is unknown.
fn escaped(text: &str, bytes: &mut Vec<u8>) -> Option<usize> {
    let one = match text.chars().nth(1)? {
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        '0' => 0,
        same @ ('\\' | '"' | '\'') => same as u8,
        'x' => {
            let digits = text.get(2..4).filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            return Some(4);
        }
        'u' => {
            let digits = text.get(2..)?.strip_prefix('{')?;
            let digits = digits.get(..digits.find('}')?)?;
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(4 + digits.len());
        }
        _ => return None,
    };
    bytes.push(one);
    Some(2)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_bytes() {
        let of = |text: &str| bytes(text, 0).unwrap();
        assert_eq!(of(r#"a\n\t\r\0\\\"\'"#), b"a\n\t\r\0\\\"'");
        assert_eq!(of(r"\xff\x00é\u{fc}"), b"\xff\0\xc3\xa9\xc3\xbc");
        for (text, at, len) in [(r"ab\q", 2, 2), (r"\xf", 0, 2), (r"\x+1", 0, 2), (r"é\u{d800}", 2, 2), ("\\", 0, 1)] {
            let fault = bytes(text, 10).unwrap_err();
            assert_eq!((fault.at, fault.len), (10 + at, len), "{text}");
        }
    }

    #[test]
    fn marks_inside_do_not_end_a_text() {
        assert_eq!(quoted(r#""a\"b" and"#), Some(r#"a\"b"#));
        assert_eq!(quoted(r#""a\\" "#), Some(r"a\\"));
        assert_eq!(quoted("`a``b` = 1"), Some("a``b"));
        assert_eq!(quoted("`a\\` = 1"), Some("a\\"));
        assert_eq!(quoted(r#""a\""#), None);
        assert_eq!(quoted("`a``"), None);
    }
}
