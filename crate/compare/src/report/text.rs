//! Texts of a trace as texts of HTML.

/// A text for HTML, within an element or a quoted attribute, with at most `most` characters. What
/// would be invisible, or turn the direction of the text, is replaced.
pub(super) fn escaped(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most));
    let mut chars = text.chars();
    for c in chars.by_ref().take(most) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if is_hidden(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

/// Control characters, and those that change the direction of text (Unicode Standard Annex 9).
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
