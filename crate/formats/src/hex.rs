//! Bytes as text.

use alloc::string::String;

/// Appends `bytes` in lower-case hexadecimal, two digits a byte.
pub(crate) fn push_hex(out: &mut String, bytes: &[u8]) {
    out.reserve(2 * bytes.len());
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.push(char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_hexadecimal() {
        let mut out = String::from("x");
        push_hex(&mut out, &[0, 0x9f, 0xff]);
        assert_eq!(out, "x009fff");
    }
}
