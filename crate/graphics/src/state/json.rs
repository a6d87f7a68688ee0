//! JSON, written piece by piece.

use core::fmt::Write;

/// Writes one JSON value.
#[derive(Debug, Default)]
pub(super) struct Json {
    text: String,
    /// A comma is due before the next element.
    is_next: bool,
}

impl Json {
    pub(super) fn into_text(self) -> String {
        self.text
    }

    fn comma(&mut self) {
        if core::mem::replace(&mut self.is_next, true) {
            self.text.push(',');
        }
    }

    /// The key of the next element of an object.
    pub(super) fn key(&mut self, key: &str) -> &mut Self {
        self.comma();
        self.quoted(key);
        self.text.push(':');
        self.is_next = false;
        self
    }

    /// An object or a list, whose elements `fill` writes.
    pub(super) fn nested(&mut self, brackets: [char; 2], fill: impl FnOnce(&mut Self)) {
        self.comma();
        let [open, close] = brackets;
        self.text.push(open);
        self.is_next = false;
        fill(self);
        self.text.push(close);
        self.is_next = true;
    }

    pub(super) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nested(['{', '}'], fill);
    }

    pub(super) fn list(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nested(['[', ']'], fill);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.comma();
        self.quoted(text);
    }

    pub(super) fn bool(&mut self, is: bool) {
        self.comma();
        self.text.push_str(if is { "true" } else { "false" });
    }

    pub(super) fn null(&mut self) {
        self.comma();
        self.text.push_str("null");
    }

    /// A value that was written elsewhere.
    pub(super) fn raw(&mut self, json: &str) {
        self.comma();
        self.text.push_str(json);
    }

    pub(super) fn int(&mut self, number: i64) {
        self.comma();
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{number}");
    }

    /// A number. JSON has none that is not finite: those are texts.
    pub(super) fn float(&mut self, number: f64) {
        if !number.is_finite() {
            return self.text(&shown(number));
        }
        self.comma();
        self.text.push_str(&shown(number));
    }

    fn quoted(&mut self, text: &str) {
        self.text.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => self.text.extend(['\\', c]),
                '\n' => self.text.push_str("\\n"),
                c if c < ' ' => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(c));
                }
                c => self.text.push(c),
            }
        }
        self.text.push('"');
    }
}

/// A number as it is shown: the shortest digits of a number of 32 bits if it is one.
pub(super) fn shown(number: f64) -> String {
    let single = number as f32;
    let is_single = f64::from(single) == number || number.is_nan();
    let magnitude = number.abs();
    // Rust writes all digits of very large and small numbers.
    match (is_single, magnitude != 0.0 && !(1e-5..1e16).contains(&magnitude) && magnitude.is_finite()) {
        (true, false) => format!("{single}"),
        (true, true) => format!("{single:e}"),
        (false, false) => format!("{number}"),
        (false, true) => format!("{number:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_commas_and_texts_are_escaped() {
        let mut json = Json::default();
        json.object(|json| {
            json.key("a").int(-1);
            json.key("b\"").list(|json| {
                json.float(0.1f32.into());
                json.float(1e20);
                json.float(f64::NAN);
                json.object(|_| ());
            });
            json.key("c").text("tab\tnew\nline");
            json.key("d").null();
        });
        assert_eq!(json.into_text(), r#"{"a":-1,"b\"":[0.1,1e20,"NaN",{}],"c":"tab\u0009new\nline","d":null}"#);
    }
}
