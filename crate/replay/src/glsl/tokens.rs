//! Tokens of GLSL.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or keyword.
    Name,
    /// A number.
    Number,
    /// An operator or another sign.
    Sign,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    pub(crate) line: u32,
    /// There is space before it.
    pub(crate) space: bool,
    /// Nothing replaces it: it came from the macro of its own name, or is one of the translation.
    pub(crate) is_final: bool,
    /// Of a loop: what an iteration counts. 0 for everything else.
    pub(crate) weight: u32,
}

impl Token {
    pub(crate) fn new(kind: TokenKind, text: impl Into<String>, line: u32) -> Self {
        Self { kind, text: text.into(), line, space: true, is_final: false, weight: 0 }
    }

    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

/// Operators of several characters, longer ones first.
const SIGNS: [&str; 23] = [
    "<<=", ">>=", "##", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "^^", "<<", ">>", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "::",
];

/// The tokens of a line without comments.
pub(crate) fn tokens_of_line(line: &str, number: u32) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = line;
    let mut space = true;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            space = true;
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let second = rest.chars().nth(1).unwrap_or(' ');
        let (kind, len) = if first.is_ascii_alphabetic() || first == '_' {
            let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            (TokenKind::Name, len)
        } else if first.is_ascii_digit() || (first == '.' && second.is_ascii_digit()) {
            (TokenKind::Number, number_len(rest))
        } else {
            let len = SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len());
            (TokenKind::Sign, len)
        };
        let (text, after) = rest.split_at_checked(len.max(1)).unwrap_or((rest, ""));
        out.push(Token { kind, text: text.into(), line: number, space, is_final: false, weight: 0 });
        (rest, space) = (after, false);
    }
    out
}

fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let mut len = if is_hex { 2 } else { 0 };
    while let Some(byte) = bytes.get(len) {
        let is_exponent_sign = matches!(byte, b'+' | b'-')
            && !is_hex
            && matches!(len.checked_sub(1).and_then(|i| bytes.get(i)), Some(b'e' | b'E'));
        if !(byte.is_ascii_alphanumeric() || *byte == b'.' || is_exponent_sign) {
            break;
        }
        len += 1;
    }
    len
}
